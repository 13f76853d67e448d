"""A table that learns wild ones from play alone: its keys, its rows, and the games; plain, and slow.

The agent plays whole games against fixed opponents and learns at the end whether it has won. It knows the rules, but
no probability and nothing about its opponents. The table has a row for each *information state*: who sits where, the
number of dice of each player, its own dice, and all bids of the round. Bids rise, so the set of bids gives their order,
and the order gives the bidders. The method is Q-learning (Watkins 1989) with three choices:

- *Rounds are linked by their beginnings.* All dice are rolled anew for a round, so a round depends on the one before
  only by its beginning: who sits where with how many dice, and who opens. Each beginning has a value of its own, like
  the positions after a move in games of dice (Sutton and Barto 2018, section 6.8). The value of an action is that of
  the best action at the agent's next decision in the round, or of the next beginning; the value of a beginning is that
  of the best action at the agent's first decision. After a round its decisions are updated from the last to the first.
- *Steps.* The n-th visit moves a value by ``(recency + 1) / (recency + n)`` of the way (Jin et al. 2018), which keeps
  nothing of the first guess and forgets what was learned while later decisions were still bad.
- *Curiosity.* The agent takes the action of highest ``value + curiosity * sqrt(N) / (n + 1)`` after N visits to the row
  and n to the action (Rosin 2011; Silver et al. 2017); an action never taken counts as the best of the others. No
  randomness is needed. UCB1's bonus, which grows with the logarithm of N, returns too rarely to actions that looked bad
  before later decisions were learned: with the three weights tried it won 80 to 91 of 100 games after millions.

``listener_table`` keeps what was learned as arrays and in a file. The compiled counterpart ``listener_fast`` plays the
same games, with the same rows and values, digit for digit.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, NamedTuple

from pydantic import Field

from support.core.checks import settings as checked
from support.core.interface import DoesNotFitError
from support.core.play import Stream
from support.games.cups.rolls import FACES, Roll
from support.games.wild_ones.play import Match
from support.games.wild_ones.policies import Policy, View, Views, require_opponents
from support.games.wild_ones.rules import WildOnes, WildOnesState, allowed, rank

MOST_BIDS = 60  # different bids that fit into a set of 64 bits
UNKNOWN = 0.5
"""The value of a beginning of a round that was never met."""


@checked
class ListenerSettings:
    """What the agent decides by, and how it learns.

    Attributes:
        all_bids: whether it goes by all bids of the round and its opener; otherwise by the last bid alone.
        who_is_who: whether it distinguishes its opponents; otherwise it only counts each neighbour's dice.
        curiosity: the weight of the bonus for rarely taken actions, in games won.
        recency: the larger, the more recent targets weigh; 0 makes a value the mean of its targets.
        states: the most rows; one more is an error.

    Raises:
        ValueError: a value is out of range.
    """

    all_bids: bool = True
    who_is_who: bool = True
    curiosity: Annotated[float, Field(ge=0)] = 0.3
    recency: Annotated[float, Field(ge=0)] = 3.0
    states: Annotated[int, Field(ge=1, le=1 << 22)] = 1 << 18


class Key(NamedTuple):
    """The key of an information state in the table.

    Attributes:
        place: the number of the beginning of the round and the agent's hand.
        bids: a bit for each bid of the round, by its number; only the last bid's if the agent goes by that alone.
    """

    place: int
    bids: int


@dataclass(frozen=True)
class Keys:
    """How information states and beginnings of rounds are numbered.

    The players who have dice form a *ring* that begins with the agent. Its number has a digit for the dice of each and,
    except for the agent, one for the player's identity. A beginning is a ring and the turn of the opener.

    Args:
        game: the rules.
        settings: what the agent decides by.

    Raises:
        DoesNotFitError: the game has more than 10 dice, so that its bids do not fit into 64 bits.
    """

    game: WildOnes
    settings: ListenerSettings

    def __post_init__(self) -> None:
        if FACES * self.game.most > MOST_BIDS:
            raise DoesNotFitError(
                f"a table has room for games of up to {MOST_BIDS // FACES} dice, not {self.game.most}"
            )

    @cached_property
    def _hands(self) -> dict[Roll, int]:
        return {hand: number for number, hand in enumerate(Views(self.game).hands)}

    @cached_property
    def _rolls(self) -> tuple[Roll, ...]:
        return tuple(self._hands)

    @property
    def starts(self) -> int:
        """An upper bound on the numbers of beginnings."""
        dice, players = self.game.dice + 1, self.game.num_players
        return int(dice * (dice * players) ** (players - 1) * players)

    @property
    def places(self) -> int:
        """An upper bound on the places of information states."""
        return self.starts * len(self._hands)

    def ring(self, counts: Sequence[int], seats: Sequence[int]) -> int:
        """The number of a ring.

        Args:
            counts: the number of dice by seat; the agent must have some.
            seats: the player in each seat; the agent is the last player.
        """
        players, agent = self.game.num_players, self.game.num_players - 1
        own, number = list(seats).index(agent), 0
        turns = [(own + step) % players for step in range(players)]
        alive = [(counts[seat], seats[seat]) for seat in turns if counts[seat]]
        for turn, (count, player) in enumerate(alive + [(0, 0)] * (players - len(alive))):
            number = number * (self.game.dice + 1) + count
            if turn:
                number = number * players + (player if self.settings.who_is_who else 0)
        return number

    def start(self, counts: Sequence[int], seats: Sequence[int], opener: int) -> int:
        """The number of a beginning; ``opener`` is a seat."""
        players = self.game.num_players
        own = list(seats).index(players - 1)
        turns = [seat for step in range(players) if counts[seat := (own + step) % players]]
        return self.ring(counts, seats) * players + turns.index(opener)

    def key(self, state: WildOnesState, seats: Sequence[int]) -> Key:
        """The key of the agent's information state when it is to move.

        Raises:
            ValueError: another player is to move, or ``seats`` is no seating.
        """
        mover, agent = state.current_player, self.game.num_players - 1
        if sorted(seats) != list(range(agent + 1)) or mover < 0 or seats[mover] != agent:
            raise ValueError(f"player {agent}, seated as {tuple(seats)}, is not to move after '{state}'")
        assert state.opener is not None
        bids = state.bids if self.settings.all_bids else state.bids[-1:]
        said = sum(1 << self.game.bid_number(bid) - 1 for bid in bids)
        whole = self.settings.all_bids
        where = self.start(state.counts, seats, state.opener) if whole else self.ring(state.counts, seats)
        return Key(where * len(self._hands) + self._hands[state.rolls[mover]], said)

    def beginning(self, key: Key) -> tuple[int, int]:
        """How the round of an information state began.

        Returns:
            The number of the ring, and the opener's turn in it: 0 is the agent itself. Always 0 if the agent does not
            go by the opener.
        """
        where = key.place // len(self._hands)
        return divmod(where, self.game.num_players) if self.settings.all_bids else (where, 0)

    def around(self, ring: int) -> tuple[tuple[int, int], ...]:
        """The inverse of :meth:`ring`: the dice and the player of each turn, the agent's first.

        If the agent does not distinguish its opponents, all of them are player 0.
        """
        players, others = self.game.num_players, []
        for _ in range(players - 1):
            ring, player = divmod(ring, players)
            ring, count = divmod(ring, self.game.dice + 1)
            if count:
                others.append((count, player))
        return ((ring, players - 1), *reversed(others))

    def hand(self, key: Key) -> Roll:
        """The agent's dice in an information state."""
        return self._rolls[key.place % len(self._rolls)]

    def bids(self, key: Key) -> tuple[int, ...]:
        """The numbers, from 0, of the bids that the agent goes by in an information state, lowest first."""
        return tuple(number for number in range(MOST_BIDS) if key.bids >> number & 1)

    def legal(self, key: Key) -> tuple[str, ...]:
        """The legal actions in an information state, in the order of its row.

        Raises:
            ValueError: no game leads there.
        """
        ring, _ = self.beginning(key)
        total = sum(count for count, _ in self.around(ring))
        bids = [divmod(number, self.game.most) for number in self.bids(key)]
        last = max(((more + 1, face + 1) for face, more in bids), key=rank, default=None)
        if total < 2 or (last and (last[0] > total or last[1] > FACES)):
            raise ValueError(f"no game leads to {key}")
        return allowed(total, last)


@dataclass
class Row:
    """The visits and values of the legal actions of an information state, in order."""

    counts: list[int]
    values: list[float]

    def best(self) -> int:
        """The index of the highest value among the actions taken so far, the first if tied; 0 if none was taken."""
        taken = [place for place, count in enumerate(self.counts) if count]
        return max(taken, key=self.values.__getitem__, default=0)

    def wanted(self, curiosity: float) -> int:
        """The index of the action to try next, the first if tied."""
        bonus = curiosity * math.sqrt(sum(self.counts))
        top = max((value for value, count in zip(self.values, self.counts, strict=True) if count), default=0.0)
        worth = [
            (value if count else top) + bonus / (count + 1)
            for value, count in zip(self.values, self.counts, strict=True)
        ]
        return worth.index(max(worth))


class TableFullError(RuntimeError):
    """The table has no row left for another information state."""

    def __init__(self, states: int, games: int):
        super().__init__(f"the table is full: after {games:,} games it needs more than its {states:,} rows")


@dataclass
class ListenerLearner:
    """The agent, its table and its games, one state at a time: plain, and slow.

    Args:
        game: the rules.
        opponents: the policies of all players but the agent, who is the last.
        settings: what the agent decides by, and how it learns.
        seed: 64 bits; game n has a stream of its own.

    Attributes:
        played: the number of games so far.
        rows: the rows by key.
        starts: visits and value by the number of a beginning.

    Raises:
        ValueError: there is not one opponent for each other player.
        DoesNotFitError: the game is too large.
    """

    game: WildOnes
    opponents: Sequence[Policy]
    settings: ListenerSettings
    seed: int
    played: int = field(default=0, init=False)
    rows: dict[Key, Row] = field(default_factory=dict, init=False)
    starts: dict[int, list[float]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        require_opponents(self.game, self.opponents)
        self.keys = Keys(self.game, self.settings)

    def train(self, games: int) -> list[int]:
        """Play the next games and learn; returns the agent's place in each.

        Raises:
            TableFullError: there are more information states than rows; what was learned before stays.
        """
        places = []
        for _ in range(games):
            places.append(self._play(Stream(self.seed, self.played), True)[0])
            self.played += 1
        return places

    def evaluate(self, games: int, seed: int, start: int = 0) -> list[tuple[int, int]]:
        """Play games by the best known actions, without learning.

        Returns:
            For each game, the agent's place, and how many of its decisions were in information states never met.
        """
        return [self._play(Stream(seed, start + number), False) for number in range(games)]

    def _play(self, stream: Stream, learns: bool) -> tuple[int, int]:
        """Play one game until it is over or the agent is out."""
        match, agent, unmet = Match(self.game, stream), len(self.opponents), 0
        made: list[tuple[Row, int]] = []

        def choose(player: int, state: WildOnesState) -> Sequence[str]:
            nonlocal unmet
            if player != agent:
                return self.opponents[player].choices(View.of(state))
            key, legal = self.keys.key(state, match.seats), state.legal_actions()
            row = self.rows.get(key)
            if learns:
                if row is None:
                    if len(self.rows) == self.settings.states:
                        raise TableFullError(self.settings.states, self.played)
                    row = self.rows[key] = Row([0] * len(legal), [0.0] * len(legal))
                made.append((row, row.wanted(self.settings.curiosity)))
                return (legal[made[-1][1]],)
            unmet += row is None
            return (legal[row.best() if row else 0],)

        own = match.seats.index(agent)
        for move in match.moves(choose):
            if move.ends_round:
                if learns:
                    self._learn(move.before, made, self._worth(move.after, match.seats, own), match.seats)
                made.clear()
                if not move.after.counts[own]:
                    break
        return match.places(move.after)[agent], unmet

    def _worth(self, state: WildOnesState, seats: Sequence[int], own: int) -> float:
        """The value of the next round's beginning, or the result if the game is over."""
        if not state.counts[own]:
            return 0.0
        if state.is_terminal():
            return 1.0
        assert state.opener is not None
        return self.starts.get(self.keys.start(state.counts, seats, state.opener), [0, UNKNOWN])[1]

    def _learn(
        self, before: WildOnesState, made: Sequence[tuple[Row, int]], worth: float, seats: Sequence[int]
    ) -> None:
        """Update the decisions of a finished round, the last one first, and its beginning."""
        for row, place in reversed(made):
            row.counts[place] += 1
            row.values[place] += self._step(row.counts[place]) * (worth - row.values[place])
            worth = row.values[row.best()]
        assert before.opener is not None
        start = self.starts.setdefault(self.keys.start(before.counts, seats, before.opener), [0, UNKNOWN])
        start[0] += 1
        start[1] += self._step(start[0]) * (worth - start[1])

    def _step(self, visits: float) -> float:
        return (self.settings.recency + 1.0) / (self.settings.recency + visits)
