"""A table that learns wild ones from play alone: a value for all that it may know, and for each action there.

The agent plays whole games against fixed opponents and is told at the end whether it has won. It knows the rules, but
neither what the opponents go by nor any probability. The table has a row for each *information state*: who sits where,
how many dice each of them has left, its own dice, and all bids of the round. Bids rise, so that the set of them tells
their order, and the order tells who made them. The method is Q-learning (Watkins 1989). Three things are chosen:

- *Rounds are linked by their beginnings.* All dice are rolled anew for a round, so that how it began is all that the
  next one depends on: who sits where with how many dice, and who opens. Each beginning has a value of its own, as the
  positions after a move have in games of dice (Sutton and Barto 2018, section 6.8). An action is worth the value of the
  best action at the agent's next decision in the round, or of the next beginning; a beginning, that of the best action
  at the agent's first decision. When a round is over, its decisions are learned from the last to the first.
- *Steps.* The n-th visit moves a value by ``(recency + 1) / (recency + n)`` of the way (Jin et al. 2018), which keeps
  nothing of the first guess and forgets what was learned while later decisions were still bad.
- *Curiosity.* The agent takes the action of the highest ``value + curiosity * sqrt(N) / (n + 1)`` after N visits of the
  row and n of the action (Rosin 2011; Silver et al. 2017); one never taken counts as the best of the others. This needs
  no luck. UCB1's bonus, which grows with the logarithm of N, returns too rarely to what looked bad while the future
  was not learned yet: with three weights that were tried it won 80 to 91 of 100 games after millions of them.

This module is the plain counterpart of ``support.kernels.wild_ones_table``: the same games, rows and values, digit for
digit.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, NamedTuple
from zipfile import BadZipFile

import numpy as np

from support.agents.checks import require_flag, require_number, require_whole
from support.agents.digits import Digits
from support.agents.play import Stream
from support.agents.wild_ones import Policy, View, Views, dealt, pick, seated
from support.games.interface import CHANCE
from support.games.rolls import FACES, Roll
from support.games.wild_ones import EXACT, LIAR, WILD, Bid, WildOnes, WildOnesState, allowed

__all__ = [
    "ARRAYS",
    "UNKNOWN",
    "Estimate",
    "Key",
    "Keys",
    "Learned",
    "Learner",
    "Settings",
    "TableFileError",
    "TableFullError",
    "load",
]

UNKNOWN = 0.5
"""What a beginning of a round counts as that was never met."""
MOST_BIDS = 60  # that a set of bids in 64 bits has room for
MOST_STATES = 1 << 22
SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")
FORMAT = "table of wild ones, 1"


class TableFullError(RuntimeError):
    """More information states were met than the table has rows."""

    def __init__(self, states: int, games: int):
        super().__init__(f"the table is full: after {games:,} games a row is needed beyond its {states:,}")


class TableFileError(ValueError):
    """A file that holds no such table; the message names it and says what is wrong."""


@dataclass(frozen=True)
class Settings:
    """What the agent goes by, and how it learns.

    Attributes:
        hears: whether it goes by all bids of the round and by who opened; otherwise by the last bid alone.
        knows: whether it tells the opponents apart; otherwise only how many dice each neighbour has.
        curiosity: the weight of the bonus for actions that were taken rarely, in games won.
        recency: how many visits the first step is worth beyond one; 0 makes a value the mean of all that it was told.
        states: rows at most; one more is an error.

    Raises:
        ValueError: a value outside its range.
    """

    hears: bool = True
    knows: bool = True
    curiosity: float = 0.3
    recency: float = 3.0
    states: int = 1 << 18

    def __post_init__(self) -> None:
        for name in ("hears", "knows"):
            require_flag(name, getattr(self, name))
        for name in ("curiosity", "recency"):
            require_number(name, getattr(self, name), 0, 1e6)
        require_whole("states", self.states, 1, MOST_STATES)


class Key(NamedTuple):
    """What names an information state; two have the same key only if they are the same.

    Attributes:
        place: the beginning of the round and the own hand, as a number.
        bids: a bit for each bid of the round, by its number; the last bid alone if the agent hears no more.
    """

    place: int
    bids: int


@dataclass(frozen=True)
class Keys:
    """How information states and beginnings of rounds are numbered.

    The players who have dice form a *ring* that begins with the agent. Its number has for each of them a digit of its
    dice and, but for the agent, one of who it is. A beginning is a ring and the turn of who opens.

    Args:
        game: the rules.
        settings: what the agent goes by.

    Raises:
        ValueError: a game with more than 10 dice, whose bids have no room in 64 bits.
    """

    game: WildOnes
    settings: Settings

    def __post_init__(self) -> None:
        if FACES * self.game.most > MOST_BIDS:
            raise ValueError(f"a table has room for games of up to {MOST_BIDS // FACES} dice, not {self.game.most}")

    @cached_property
    def _hands(self) -> dict[Roll, int]:
        return {hand: number for number, hand in enumerate(Views(self.game).hands)}

    @cached_property
    def _rolls(self) -> tuple[Roll, ...]:
        return tuple(self._hands)

    @property
    def starts(self) -> int:
        """Numbers of beginnings lie below it."""
        dice, players = self.game.dice + 1, self.game.num_players
        return int(dice * (dice * players) ** (players - 1) * players)

    @property
    def places(self) -> int:
        """Places of information states lie below it."""
        return self.starts * len(self._hands)

    def ring(self, counts: Sequence[int], seats: Sequence[int]) -> int:
        """The number of the ring.

        Args:
            counts: dice by seat; the agent must have some.
            seats: the player who sits in each seat; the agent is the last player.
        """
        players, agent = self.game.num_players, self.game.num_players - 1
        own, number = list(seats).index(agent), 0
        turns = [(own + step) % players for step in range(players)]
        alive = [(counts[seat], seats[seat]) for seat in turns if counts[seat]]
        for turn, (count, player) in enumerate(alive + [(0, 0)] * (players - len(alive))):
            number = number * (self.game.dice + 1) + count
            if turn:
                number = number * players + (player if self.settings.knows else 0)
        return number

    def start(self, counts: Sequence[int], seats: Sequence[int], opener: int) -> int:
        """The number of a beginning; ``opener`` is a seat."""
        players = self.game.num_players
        own = list(seats).index(players - 1)
        turns = [seat for step in range(players) if counts[seat := (own + step) % players]]
        return self.ring(counts, seats) * players + turns.index(opener)

    def key(self, state: WildOnesState, seats: Sequence[int]) -> Key:
        """What names what the agent knows when it is to move.

        Raises:
            ValueError: somebody else is to move, or these are no seats.
        """
        mover, agent = state.current_player, self.game.num_players - 1
        if sorted(seats) != list(range(agent + 1)) or mover < 0 or seats[mover] != agent:
            raise ValueError(f"player {agent}, seated as {tuple(seats)}, is not to move after '{state}'")
        assert state.opener is not None
        bids = state.bids if self.settings.hears else state.bids[-1:]
        told = sum(1 << self.game.number(f"{quantity}x{face}") - 2 for quantity, face in bids)
        whole = self.settings.hears
        where = self.start(state.counts, seats, state.opener) if whole else self.ring(state.counts, seats)
        return Key(where * len(self._hands) + self._hands[state.rolls[mover]], told)

    def beginning(self, key: Key) -> tuple[int, int]:
        """The ring at an information state, and the turn of who opened; 0 if the agent does not hear who did."""
        where = key.place // len(self._hands)
        return divmod(where, self.game.num_players) if self.settings.hears else (where, 0)

    def around(self, ring: int) -> tuple[tuple[int, int], ...]:
        """What :meth:`ring` has written: the dice and the player of each turn, the agent's first.

        Where the settings tell nobody apart all others are player 0.
        """
        players, others = self.game.num_players, []
        for _ in range(players - 1):
            ring, player = divmod(ring, players)
            ring, count = divmod(ring, self.game.dice + 1)
            if count:
                others.append((count, player))
        return ((ring, players - 1), *reversed(others))

    def hand(self, key: Key) -> Roll:
        """The agent's own dice at an information state."""
        return self._rolls[key.place % len(self._rolls)]

    def bids(self, key: Key) -> tuple[int, ...]:
        """The numbers of the bids that the agent goes by at an information state, counted from 0, lowest first."""
        return tuple(number for number in range(MOST_BIDS) if key.bids >> number & 1)

    def legal(self, key: Key) -> tuple[str, ...]:
        """The legal actions of an information state, in the order in which a row has them.

        Raises:
            ValueError: no game leads there.
        """
        ring, _ = self.beginning(key)
        total = sum(count for count, _ in self.around(ring))
        bids = [divmod(number, self.game.most) for number in self.bids(key)]
        last = max(((more + 1, face + 1) for face, more in bids), key=_height, default=None)
        if total < 2 or (last and (last[0] > total or last[1] > FACES)):
            raise ValueError(f"no game leads to {key}")
        return allowed(total, last)


class Estimate(NamedTuple):
    """What the agent thinks of an action.

    Attributes:
        value: the probability of winning the game with it.
        visits: how often it was taken.
    """

    value: float
    visits: int


@dataclass
class Row:
    """Counts and values of the actions of an information state, in the order of the legal ones."""

    counts: list[int]
    values: list[float]

    def best(self) -> int:
        """The place of the highest value among the actions that were taken; the first of equals."""
        taken = [place for place, count in enumerate(self.counts) if count]
        return max(taken, key=self.values.__getitem__)

    def wanted(self, curiosity: float) -> int:
        """The place of the action to learn from next; the first of equals."""
        bonus = curiosity * math.sqrt(sum(self.counts))
        top = max((value for value, count in zip(self.values, self.counts, strict=True) if count), default=0.0)
        worth = [
            (value if count else top) + bonus / (count + 1)
            for value, count in zip(self.values, self.counts, strict=True)
        ]
        return worth.index(max(worth))


@dataclass(frozen=True, eq=False)
class Learned:
    """What was learned, as arrays. Rows are sorted by place, then by bids.

    Attributes:
        game: the rules.
        settings: how it was learned.
        seed, games: of the games from which, and how many.
        places, bids: uint32[n] and uint64[n], the keys.
        firsts: int64[n + 1], where each row begins.
        counts, values: uint32[m] and float64[m], of all actions of all rows, in the order of the legal ones.
        starts, start_counts, start_values: int64[s], int64[s] and float64[s], of the beginnings that were met.

    Raises:
        ValueError: arrays that do not fit one another or the game.
    """

    game: WildOnes
    settings: Settings
    seed: int
    games: int
    places: np.ndarray
    bids: np.ndarray
    firsts: np.ndarray
    counts: np.ndarray
    values: np.ndarray
    starts: np.ndarray
    start_counts: np.ndarray
    start_values: np.ndarray

    def __post_init__(self) -> None:
        rows, actions, starts = len(self.places), len(self.values), len(self.starts)
        for name, (kind, size) in _shapes(rows, actions, starts).items():
            array = getattr(self, name)
            if array.dtype != kind or array.shape != (size,):
                found = f"{array.dtype}{list(array.shape)}"
                raise ValueError(f"{name} must be {np.dtype(kind)}[{size}], not {found}")
        keys = Keys(self.game, self.settings)
        if rows > self.settings.states:
            raise ValueError(f"there are {rows:,} rows, and settings for {self.settings.states:,}")
        if not (np.isfinite(self.values).all() and np.isfinite(self.start_values).all()):
            raise ValueError("some values are not finite")
        if starts and not (np.diff(self.starts) > 0).all():
            raise ValueError("starts must rise")
        if starts and not (self.starts[0] >= 0 and self.starts[-1] < keys.starts):
            raise ValueError("there is a start that no game of this size has")
        if self.firsts[0] != 0 or self.firsts[-1] != actions:
            raise ValueError(f"the rows must begin at 0 and end at {actions}")
        widths = np.diff(self.firsts)
        before = None
        for place, bids, width in zip(self.places.tolist(), self.bids.tolist(), widths.tolist(), strict=True):
            key = Key(place, bids)
            if before is not None and key <= before:
                raise ValueError(f"rows must be sorted, and {key} stands after {before}")
            if place >= keys.places or bids >> FACES * self.game.most or _width(keys, key) != width:
                raise ValueError(f"there is a row of {width} actions for {key}")
            before = key
        if rows and not np.maximum.reduceat(self.counts, self.firsts[:-1]).all():
            raise ValueError("there is a row in which no action was taken")

    @property
    def states(self) -> int:
        """How many information states there are."""
        return len(self.places)

    @cached_property
    def keys(self) -> Keys:
        """How they are numbered."""
        return Keys(self.game, self.settings)

    def row(self, key: Key) -> Row | None:
        """Counts and values at an information state; None if it was never met."""
        low, high = (int(np.searchsorted(self.places, np.uint32(key.place), side)) for side in SIDES)
        place = low + int(np.searchsorted(self.bids[low:high], np.uint64(key.bids)))
        if place == high or self.bids[place] != key.bids:
            return None
        span = slice(int(self.firsts[place]), int(self.firsts[place + 1]))
        return Row(self.counts[span].tolist(), self.values[span].tolist())

    def estimates(self, state: WildOnesState, seats: Sequence[int]) -> dict[str, Estimate]:
        """What the agent thinks of each legal action; of one never taken, nothing: 0 from 0 times.

        Args:
            state: of the game; the dice of the others are not looked at.
            seats: the player who sits in each seat; the agent is the last player.

        Raises:
            ValueError: the agent is not to move.
        """
        row, legal = self.row(self.keys.key(state, seats)), state.legal_actions()
        if row is None:
            return dict.fromkeys(legal, Estimate(0.0, 0))
        return {
            action: Estimate(value, count) for action, value, count in zip(legal, row.values, row.counts, strict=True)
        }

    def choose(self, state: WildOnesState, seats: Sequence[int]) -> str:
        """The action of the highest value among those taken before; of equals the first legal one.

        At an information state that was never met: liar, or for the opener the lowest bid.

        Raises:
            ValueError: the agent is not to move.
        """
        row = self.row(self.keys.key(state, seats))
        return state.legal_actions()[row.best() if row else 0]

    def start_value(self, counts: Sequence[int], seats: Sequence[int], opener: int) -> Estimate:
        """What the agent thinks of the beginning of a round.

        Args:
            counts: dice by seat.
            seats: the player who sits in each seat.
            opener: the seat that opens.
        """
        number = self.keys.start(counts, seats, opener)
        place = int(np.searchsorted(self.starts, number))
        if place == len(self.starts) or self.starts[place] != number:
            return Estimate(UNKNOWN, 0)
        return Estimate(float(self.start_values[place]), int(self.start_counts[place]))

    def pruned(self, met: np.ndarray, whole: bool = False) -> "Learned":
        """Some of the rows, which play just like all of them wherever they are met.

        Args:
            met: bool[n], which ones; ``support.kernels.wild_ones_table`` tells which greedy play meets.
            whole: whether to keep all actions of a row; otherwise all but the best count as never taken.

        Raises:
            ValueError: not one flag a row.
        """
        if met.shape != (self.states,) or met.dtype != np.bool_:
            raise ValueError(f"met must be bool[{self.states}], not {met.dtype}{list(met.shape)}")
        kept = np.flatnonzero(met)
        spans = [np.arange(self.firsts[row], self.firsts[row + 1]) for row in kept]
        actions = np.concatenate(spans) if spans else np.zeros(0, np.int64)
        firsts = np.concatenate([[0], np.cumsum(np.diff(self.firsts)[kept])]).astype(np.int64)
        counts, values = self.counts[actions], self.values[actions]
        if not whole:
            only = np.zeros(len(actions), bool)
            for first, end in pairwise(firsts.tolist()):
                only[first + Row(counts[first:end].tolist(), values[first:end].tolist()).best()] = True
            counts, values = np.where(only, counts, np.uint32(0)), np.where(only, values, 0.0)
        numbers = (self.starts, self.start_counts, self.start_values)
        keys = self.places[kept], self.bids[kept]
        return Learned(self.game, self.settings, self.seed, self.games, *keys, firsts, counts, values, *numbers)

    def save(self, path: Path | str) -> Path:
        """Write a file that :func:`load` reads.

        Args:
            path: ends in ``.npz``.

        Raises:
            TableFileError: another ending.
        """
        path = _path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        about = {
            "format": FORMAT,
            "game": asdict(self.game),
            "settings": asdict(self.settings),
            "seed": self.seed,
            "games": self.games,
        }
        np.savez_compressed(path, about=np.array(json.dumps(about)), **{name: getattr(self, name) for name in ARRAYS})
        return path


ARRAYS: Mapping[str, Any] = {
    "places": np.uint32,
    "bids": np.uint64,
    "firsts": np.int64,
    "counts": np.uint32,
    "values": np.float64,
    "starts": np.int64,
    "start_counts": np.int64,
    "start_values": np.float64,
}
"""The arrays of a :class:`Learned`, and their types."""


def _shapes(rows: int, actions: int, starts: int) -> dict[str, tuple[Any, int]]:
    """The type and size of each array."""
    sizes = (rows, rows, rows + 1, actions, actions, starts, starts, starts)
    return {name: (kind, size) for (name, kind), size in zip(ARRAYS.items(), sizes, strict=True)}


def _height(bid: Bid) -> tuple[int, int]:
    """A number pair that rises with every bid of a round."""
    quantity, face = bid
    return (2 * quantity, FACES + 1) if face == WILD else bid


def _width(keys: Keys, key: Key) -> int:
    """How many actions are legal at a key; 0 if no game leads there."""
    try:
        return len(keys.legal(key))
    except ValueError:
        return 0


def _path(path: Path | str) -> Path:
    path = Path(path)
    if path.suffix != ".npz":
        raise TableFileError(f"{path}: a table is kept in a file that ends in .npz")
    return path


def load(path: Path | str) -> Learned:
    """Read a table that :meth:`Learned.save` wrote.

    Raises:
        TableFileError: the file is missing, cut off, changed, or of something else.
    """
    path = _path(path)
    if not path.is_file():
        raise TableFileError(f"{path}: there is no such file")
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in ("about", *ARRAYS) if name in file.files}
    except (OSError, ValueError, EOFError, RuntimeError, BadZipFile) as error:
        raise TableFileError(f"{path}: this is no npz file, or it was cut off: {error}") from None
    missing = [name for name in ("about", *ARRAYS) if name not in arrays]
    if missing:
        raise TableFileError(f"{path}: this holds no table: {', '.join(missing)} is missing")
    try:
        about = json.loads(str(arrays.pop("about")))
        if about["format"] != FORMAT:
            raise ValueError(f"expected '{FORMAT}', not {about['format']!r}")
        game, settings = WildOnes(**about["game"]), Settings(**about["settings"])
        return Learned(game, settings, int(about["seed"]), int(about["games"]), **arrays)
    except (KeyError, TypeError, ValueError) as error:
        wrong = f"{error.args[0]} is missing" if isinstance(error, KeyError) else error
        raise TableFileError(f"{path}: {wrong}") from None


@dataclass
class Learner:
    """The agent, its table and its games, one state at a time: plain, and slow.

    Args:
        game: the rules.
        opponents: the policies of all players but the agent, who is the last.
        settings: what the agent goes by, and how it learns.
        seed: 64 bits; game n has a stream of its own.

    Attributes:
        played: games so far.
        rows: by key.
        starts: counts and values by the number of a beginning.

    Raises:
        ValueError: not one opponent a player, or a game that is too large.
    """

    game: WildOnes
    opponents: Sequence[Policy]
    settings: Settings
    seed: int
    played: int = field(default=0, init=False)
    rows: dict[Key, Row] = field(default_factory=dict, init=False)
    starts: dict[int, list[float]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if len(self.opponents) != self.game.num_players - 1:
            others = self.game.num_players - 1
            raise ValueError(f"{others + 1} players are {others} opponents, not {len(self.opponents)}")
        self._keys = Keys(self.game, self.settings)

    def train(self, games: int) -> list[int]:
        """Play the next games and learn; returns the agent's place in each.

        Raises:
            TableFullError: there is no room for what is met.
        """
        places = []
        for _ in range(games):
            places.append(self._play(Stream(self.seed, self.played), True)[0])
            self.played += 1
        return places

    def evaluate(self, games: int, seed: int, start: int = 0) -> list[tuple[int, int]]:
        """Play games by the best known actions, and learn nothing.

        Returns:
            For each game the agent's place, and how many of its decisions were at information states never met.
        """
        return [self._play(Stream(seed, start + number), False) for number in range(games)]

    def _play(self, stream: Stream, learns: bool) -> tuple[int, int]:
        """One game, until it is over or the agent is out."""
        agent, digits = len(self.opponents), Digits(stream)
        seats = seated(agent + 1, digits)
        state, own, unmet = self.game.initial_state().child(0), seats.index(agent), 0
        made: list[tuple[Row, int]] = []
        while not state.is_terminal() and state.counts[own]:
            if state.current_player == CHANCE:
                state = dealt(state, digits)
                continue
            if state.current_player == own:
                key, legal = self._keys.key(state, seats), state.legal_actions()
                row = self.rows.get(key)
                if learns:
                    row = row or self._add(key, len(legal))
                    made.append((row, row.wanted(self.settings.curiosity)))
                    action = legal[made[-1][1]]
                else:
                    unmet += row is None
                    action = legal[row.best() if row else 0]
            else:
                taken = self.opponents[seats[state.current_player]].choices(View.of(state))
                action = taken[pick(len(taken), stream)]
            before, state = state, state.child(action)
            if learns and action in (LIAR, EXACT):
                self._learn(before, made, self._worth(state, seats, own), seats)
                made = []
        return len(state.counts) - state.out.index(own) if own in state.out else 1, unmet

    def _add(self, key: Key, choices: int) -> Row:
        if len(self.rows) == self.settings.states:
            raise TableFullError(self.settings.states, self.played)
        return self.rows.setdefault(key, Row([0] * choices, [0.0] * choices))

    def _worth(self, state: WildOnesState, seats: Sequence[int], own: int) -> float:
        """What is thought of the beginning of the next round; what is known, if the game is over."""
        if not state.counts[own]:
            return 0.0
        if state.is_terminal():
            return 1.0
        assert state.opener is not None
        return self.starts.get(self._keys.start(state.counts, seats, state.opener), [0, UNKNOWN])[1]

    def _learn(
        self, before: WildOnesState, made: Sequence[tuple[Row, int]], worth: float, seats: Sequence[int]
    ) -> None:
        """What a round that is over says about its decisions, the last one first, and about its beginning."""
        for row, place in reversed(made):
            row.counts[place] += 1
            row.values[place] += self._step(row.counts[place]) * (worth - row.values[place])
            worth = row.values[row.best()]
        assert before.opener is not None
        start = self.starts.setdefault(self._keys.start(before.counts, seats, before.opener), [0, UNKNOWN])
        start[0] += 1
        start[1] += self._step(start[0]) * (worth - start[1])

    def _step(self, visits: float) -> float:
        return (self.settings.recency + 1.0) / (self.settings.recency + visits)

    def learned(self) -> Learned:
        """All rows and beginnings so far."""
        keys = sorted(self.rows)
        rows = [self.rows[key] for key in keys]
        starts = sorted(self.starts)
        return Learned(
            self.game,
            self.settings,
            self.seed,
            self.played,
            np.array([key.place for key in keys], np.uint32),
            np.array([key.bids for key in keys], np.uint64),
            np.cumsum([0, *(len(row.counts) for row in rows)]).astype(np.int64),
            np.array([count for row in rows for count in row.counts], np.uint32),
            np.array([value for row in rows for value in row.values], np.float64),
            np.array(starts, np.int64),
            np.array([int(self.starts[start][0]) for start in starts], np.int64),
            np.array([self.starts[start][1] for start in starts], np.float64),
        )
