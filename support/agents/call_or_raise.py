"""Q-learning at call-or-raise, as Daniel Oehm's R program does it and as its text describes it.

*Q-learning example with Liar's Dice in R* (20 December 2018). One agent, the first player, learns when to call and when
to raise; the others follow fixed rules. What the agent sees is a *state* of three numbers: the dice in play, its
own dice, and a bucket of the probability that the bid holds. After each game a table Q of states and actions is
updated along the rows that the game has left behind, one for every move of anybody.

The program differs from its text in places that change numbers. :class:`Slips` has a switch for each. This module is
the plain counterpart of ``support.kernels.call_or_raise``: the same games from the same random numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from math import comb

import numpy as np

from support.agents.checks import require_one_of
from support.agents.play import Stream
from support.games.call_or_raise import opening_bid
from support.games.rolls import FACES

__all__ = [
    "AS_MEANT",
    "AS_READ",
    "AS_RUN",
    "KINDS",
    "MENUS",
    "METHODS",
    "OWN",
    "Agent",
    "Game",
    "Learner",
    "Rewards",
    "Row",
    "Settings",
    "Slips",
    "States",
    "View",
    "tail",
]

CALL, RAISE = 1, 0
"""Columns of Q, in the program's order."""
KINDS = ("q", "random", "probability", "holds", "table")
"""How a player decides: by Q; by the toss of a coin; to raise with the probability that there is one die more than the
bid needs, as the program has it; to raise with the probability that the bid holds, as the text has it; or by what the
first player has learned: with that one's table, from its own seat, and exploring as often."""
UNACTED = -1  # in a row: the agent has not acted in this round
OWN = ("all", "some", "none")
"""What an agent sees of the number of its dice: all of it, whether it has any, or nothing."""
MIXED, MOST, RANDOM, SAME = range(4)
MENUS = {
    "published": ((MIXED, 1), None),
    "whole": ((MOST, 1), None, (RANDOM, 1), (SAME, 1), (MOST, 2), (RANDOM, 2), (SAME, 2)),
}
"""What an agent may do, column by column of its table. None is to call. A raise has a face (a random one when it bluffs
and else the one it holds most of, or always one of these, or that of the last bid) and so many dice more."""
METHODS = ("q", "averages")
"""How the agent learns: by the document's update, or each value is the average of the games won after its choice (the
last ones weigh ``alpha`` each, at least). The second asks for nothing but games won: Monte Carlo control."""
BITS = 61  # of a fraction from which digits are drawn: 6 times it still fits into 64
MASK = (1 << BITS) - 1
TIED = 1e-6  # values closer than this are decided by a coin


@dataclass(frozen=True)
class Slips:
    """Where the program does not do what its text says; True is the program's way.

    Attributes:
        columns: R before 4.0 made strings into factors, and a matrix indexed by a factor is indexed by its codes. They
            are alphabetical in the first round of a game: if the agent called in it, "call" is 1 and "raise" is 2,
            against the order of the columns, and the whole game updates the wrong ones.
        stale: how many of its dice show the face of the bid is looked up at the opening and after the agent has
            decided, not when somebody raises: a bucket may count an old face.
        tail: if more dice are needed than are unseen, the bucket is that of all of them showing the face, not 0.
        early: rows before the agent has acted in a round count as raises, and the opening bid leaves no row, so that
            the end of a round leads on to the next one's first move. Otherwise nothing is credited before it acts.
        twice: a call leaves two rows, the state before it and the state after. Otherwise only that after.
        ghosts: rows go on when the agent is out of the game. They lead from zeros to zeros and change no value.
        between: the state after a call carries the bucket of the old bid. Otherwise it is the state after the next
            opening.
    """

    columns: bool = True
    stale: bool = True
    tail: bool = True
    early: bool = True
    twice: bool = True
    ghosts: bool = True
    between: bool = True


AS_RUN = Slips()
"""The program as R ran it in 2018."""
AS_READ = Slips(columns=False)
"""The program as it reads today, with R 4.0 or later."""
AS_MEANT = Slips(**dict.fromkeys(Slips.__dataclass_fields__, False))
"""What the text describes."""


@dataclass(frozen=True)
class Rewards:
    """What the agent is rewarded for, in points.

    Attributes:
        win, lose: of the game.
        take, give: a die that somebody else loses, a die of its own.
    """

    win: float = 10.0
    lose: float = -10.0
    take: float = 1.0
    give: float = -1.0


@dataclass(frozen=True)
class Agent:
    """How one player plays.

    Attributes:
        kind: one of ``KINDS``.
        bluff: the probability that it raises to a face drawn at random; otherwise to the one it holds most of. With
            the menu "whole" the first player chooses that itself.

    Raises:
        ValueError: an unknown kind, or no probability.
    """

    kind: str = "random"
    bluff: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        require_one_of("kind", self.kind, KINDS)
        if not 0 <= self.bluff <= 1:
            raise ValueError(f"bluff must lie between 0 and 1, not {self.bluff}")


LEARNER = Agent("q", Fraction(1, 2))
PUBLISHED = (LEARNER, Agent(), Agent(), Agent())
"""The document's table: one agent that learns, three that toss coins and always bluff."""


@dataclass(frozen=True)
class Settings:
    """A table of players, and how the first one learns if it goes by Q.

    Attributes:
        players: the players in their order.
        dice: that each starts with.
        bins: buckets of probability; certainty is one more.
        alpha, discount: of the update.
        exploration: the share of the agent's decisions that a coin makes.
        slips: the program's or the text's way.
        rewards: what the agent is rewarded for.
        own: what it sees of the number of its own dice, one of ``OWN``.
        neighbours: whether it sees how many dice the players before and after it have.
        menu: what it may do, one of ``MENUS``.
        method: how it learns, one of ``METHODS``.

    Raises:
        ValueError: a value outside its range.
    """

    players: tuple[Agent, ...] = PUBLISHED
    dice: int = 6
    bins: int = 20
    alpha: float = 0.1
    discount: float = 0.9
    exploration: Fraction = Fraction(1, 10)
    slips: Slips = AS_RUN
    rewards: Rewards = field(default_factory=Rewards)
    own: str = "all"
    neighbours: bool = False
    menu: str = "published"
    method: str = "q"

    def __post_init__(self) -> None:
        if not 2 <= len(self.players) <= 6:
            raise ValueError(f"there must be from 2 to 6 players, not {len(self.players)}")
        if any(agent.kind == "q" for agent in self.players[1:]):
            raise ValueError("only the first player can go by Q")
        if not 1 <= self.dice <= 6:
            raise ValueError(f"dice must lie between 1 and 6, not {self.dice}")
        if not 1 <= self.bins <= 1000:
            raise ValueError(f"bins must lie between 1 and 1,000, not {self.bins}")
        if not 0 < self.alpha <= 1:
            raise ValueError(f"alpha must be above 0 and at most 1, not {self.alpha}")
        if not 0 <= self.discount <= 1:
            raise ValueError(f"discount must lie between 0 and 1, not {self.discount}")
        if not 0 <= self.exploration <= 1:
            raise ValueError(f"exploration must lie between 0 and 1, not {self.exploration}")
        for name, known in (("own", OWN), ("method", METHODS), ("menu", MENUS)):
            require_one_of(name, getattr(self, name), known)
        if any(agent.kind == "table" for agent in self.players) and (self.menu != "published" or self.neighbours):
            raise ValueError("only a table of the published menu that sees no neighbours can be shared")
        if self.menu != "published" and self.slips.columns:
            raise ValueError("columns can be swapped only where there are two: with the published menu")

    def states(self) -> "States":
        """The states of the document."""
        return States(len(self.players), self.dice, self.bins)

    def view(self) -> "View":
        """What the agent sees of them."""
        return View(self.states(), self.own, self.neighbours)


@cache
def tail(dice: int, need: int) -> Fraction:
    """The probability that at least ``need`` of so many dice show a face: the document's formula, as it is meant.

    The printed sum runs over k but its terms hold x; the program sums the terms of k.
    """
    return sum(
        (Fraction(comb(dice, k) * (FACES - 1) ** (dice - k), FACES**dice) for k in range(max(need, 0), dice + 1)),
        Fraction(0),
    )


@dataclass(frozen=True)
class States:
    """The agent's states in the document's own numbering, which begins at 1.

    Sorted by the dice in play, the agent's dice and the bucket; for 4 players with 6 dice there are 2,772.

    Args:
        players, dice, bins: as in :class:`Settings`.
    """

    players: int = 4
    dice: int = 6
    bins: int = 20

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """All pairs of dice in play and own dice."""
        others = (self.players - 1) * self.dice
        return tuple(
            (total, own)
            for total in range(1, self.players * self.dice + 1)
            for own in range(max(0, total - others), min(self.dice, total) + 1)
        )

    @cached_property
    def _places(self) -> dict[tuple[int, int], int]:
        return {pair: place for place, pair in enumerate(self.pairs)}

    def __len__(self) -> int:
        return len(self.pairs) * (self.bins + 1)

    def number(self, total: int, own: int, bucket: int) -> int:
        """The number of a state, from 1.

        Raises:
            ValueError: there is no such state.
        """
        if (total, own) not in self._places or not 0 <= bucket <= self.bins:
            raise ValueError(f"no state has {total} dice in play, {own} own and bucket {bucket}")
        return self._places[total, own] * (self.bins + 1) + bucket + 1

    def read(self, number: int) -> tuple[int, int, int]:
        """Dice in play, own dice and bucket of a state.

        Raises:
            ValueError: there is no such number.
        """
        if not 1 <= number <= len(self):
            raise ValueError(f"states are numbered from 1 to {len(self)}, not {number}")
        place, bucket = divmod(number - 1, self.bins + 1)
        return (*self.pairs[place], bucket)

    def bucket(self, total: int, own: int, quantity: int, held: int, slip: bool = False) -> int:
        """The bucket of a bid, of which the agent holds so many.

        Args:
            total: dice in play.
            own: the agent's dice.
            quantity: of the bid.
            held: the agent's dice that show its face.
            slip: as :attr:`Slips.tail`.
        """
        if quantity <= held:
            return self.bins
        unseen = total - own
        need = min(quantity - held, unseen) if slip else quantity - held
        return int(tail(unseen, need) * self.bins)

    def reward(self, rewards: Rewards, before: tuple[int, int], after: tuple[int, int]) -> float:
        """What the agent is rewarded with when dice in play and own dice change: the document's matrix."""
        (total, own), (total_after, own_after) = before, after
        if total - total_after != 1:
            return 0.0
        if total - own == 1 and total_after == own_after == own:
            return rewards.win
        if own == 1 and own_after == 0:
            return rewards.lose
        if own_after == total_after:
            return 0.0
        if own - own_after == 1:
            return rewards.give
        return rewards.take if own == own_after > 0 else 0.0


@dataclass(frozen=True)
class View:
    """What an agent sees: rows of its table.

    Args:
        states: of the document.
        own, neighbours: as in :class:`Settings`.
    """

    states: States
    own: str = "all"
    neighbours: bool = False

    @cached_property
    def places(self) -> dict[tuple[int, int], int]:
        """For each pair of dice in play and own dice its place among those that the agent tells apart."""
        most = {"all": self.states.dice, "some": 1, "none": 0}[self.own]
        seen = sorted({(total, min(own, most)) for total, own in self.states.pairs})
        return {(total, own): seen.index((total, min(own, most))) for total, own in self.states.pairs}

    @property
    def sides(self) -> int:
        """How many pairs of neighbours' dice it tells apart."""
        return (self.states.dice + 1) ** 2 if self.neighbours else 1

    def __len__(self) -> int:
        return (max(self.places.values()) + 1) * self.sides * (self.states.bins + 1)

    def row(self, counts: Sequence[int], bucket: int) -> int:
        """The row of a state, from 0; with everything seen and no neighbours, the state's number less one."""
        side = self.side(counts) if self.neighbours else 0
        place = self.places[sum(counts), counts[0]]
        return (place * self.sides + side) * (self.states.bins + 1) + bucket

    def side(self, counts: Sequence[int]) -> int:
        """The dice of the players before and after the agent as one number; 0 if it is out, or alone."""
        others = [count for count in counts[1:] if count]
        if not counts[0] or not others:
            return 0
        return others[-1] * (self.states.dice + 1) + others[0]


@dataclass(frozen=True)
class Row:
    """What one move leaves behind.

    Attributes:
        control: who moved, from 1.
        state: the agent's state after it, by number.
        seen: what it sees of that, a row of its table from 0.
        action: the agent's last action in the round, a column of its table, or ``UNACTED``.
    """

    control: int
    state: int
    seen: int
    action: int


@dataclass
class Game:
    """A game that was played.

    Attributes:
        rows: what it left behind.
        winner: from 1.
        called_first: whether the agent called in the first round.
        moves: all of it, in the notation of the rules; a raise by two, which they do not know, as "raise 4 by 2".
        decisions: rows and columns of the agent's table, one pair for each of its decisions.
    """

    rows: list[Row]
    winner: int
    called_first: bool
    moves: list[str]
    decisions: list[tuple[int, int]]


class Digits:
    """Small random numbers, several of them drawn from one of a stream."""

    def __init__(self, stream: Stream):
        self.stream, self.rest = stream, 0

    def fresh(self) -> "Digits":
        """Begin with a new number of the stream."""
        self.rest = self.stream.next() >> (64 - BITS)
        return self

    def below(self, base: int) -> int:
        """A number from 0 to ``base`` - 1, at most 8."""
        product = self.rest * base
        self.rest = product & MASK
        return product >> BITS

    def chance(self, probability: Fraction) -> bool:
        """Whether something of this probability happens; takes a new number unless it is certain or impossible."""
        limit = bound(probability)
        if limit in (0, 1 << BITS):
            return limit > 0
        return (self.stream.next() >> (64 - BITS)) < limit


def bound(probability: Fraction) -> int:
    """How many of the 2^61 numbers make something of this probability happen."""
    return int(probability * (1 << BITS))


class Learner:
    """The agent's table, and the games that it plays and learns from.

    Args:
        settings: the players, and how the first one learns.
        seed: 64 bits; game n has a stream of its own.
    """

    def __init__(self, settings: Settings, seed: int):
        self.settings, self.seed, self.played = settings, seed, 0
        self.states, self.view = settings.states(), settings.view()
        self.q = np.zeros((len(self.view), len(MENUS[settings.menu])))
        self.visits = np.zeros(self.q.shape, np.int64)

    def play(self, learn: bool = True, exploration: Fraction | None = None) -> Game:
        """Play the next game; learn from it, if wanted."""
        settings = self.settings if exploration is None else replace(self.settings, exploration=exploration)
        game = _Table(settings, self.view, self.q, Stream(self.seed, self.played)).play()
        self.played += 1
        if learn:
            self.update(game)
        return game

    def update(self, game: Game) -> None:
        """Update the table along the rows of a game, in their order, or with its outcome."""
        settings = self.settings
        if settings.method == "averages":
            for place in game.decisions:
                self.visits[place] += 1
                weight = max(1 / self.visits[place], settings.alpha)
                self.q[place] += weight * ((game.winner == 1) - self.q[place])
            return
        swapped = settings.slips.columns and game.called_first
        for before, row in pairwise(game.rows):
            if row.action == UNACTED:
                continue
            column = 1 - row.action if swapped else row.action
            reward = self.states.reward(
                settings.rewards, self.states.read(before.state)[:2], self.states.read(row.state)[:2]
            )
            target = reward + settings.discount * self.q[row.seen].max()
            old = self.q[before.seen, column]
            self.q[before.seen, column] = (1 - settings.alpha) * old + settings.alpha * target


class _Table:
    """One game as it goes on.

    Attributes:
        counts: dice of each player.
        rolls: of the round.
        quantity, face: of the last bid.
        held: how many of its dice show the bid's face, as the agent believes.
        state: the agent's state, by number.
        seen: what it sees of that, a row of its table.
        action: its last action in the round.
    """

    def __init__(self, settings: Settings, view: View, q: np.ndarray, stream: Stream):
        self.settings, self.slips, self.q = settings, settings.slips, q
        self.view, self.states = view, view.states
        self.digits = Digits(stream)
        self.counts = [settings.dice] * len(settings.players)
        self.rolls: list[tuple[int, ...]] = []
        self.quantity = self.face = self.held = self.state = self.seen = 0
        self.action = UNACTED
        self.pending: tuple[int, int] | None = None  # who called, and the agent's action: a row still to be written
        self.rows: list[Row] = []
        self.moves: list[str] = []
        self.decisions: list[tuple[int, int]] = []
        self.first, self.called_first = True, False

    def play(self) -> Game:
        """Round after round, until one player has all the dice that are left."""
        opener = self.digits.fresh().below(len(self.counts))
        self.moves.append(f"{opener + 1} opens")
        while sum(count > 0 for count in self.counts) > 1:
            opener = self._round(opener)
            self.first = False
        if self.pending:
            self._look(0)
            self._write(*self.pending)
        return Game(self.rows, opener + 1, self.called_first, self.moves, self.decisions)

    def _round(self, opener: int) -> int:
        """One round; returns who opens the next."""
        self.rolls = [self._roll(count) for count in self.counts]
        self.moves += ["".join(map(str, roll)) for roll in self.rolls if roll]
        self.quantity, self.face = opening_bid(self.rolls[opener])
        self.held = self._count()
        self._look(self._bucket())
        self.action = RAISE if self.slips.early else UNACTED
        if self.pending:
            self._write(*self.pending)
            self.pending = None
        elif not self.slips.early and self._watched():
            self._write(opener, UNACTED)
        bidder, player = opener, self._next(opener)
        while not self._move(player):
            bidder, player = player, self._next(player)
        there = sum(roll.count(self.face) for roll in self.rolls)
        loser = bidder if self.quantity > there else player
        self._called(player, loser)
        return loser if self.counts[loser] else self._next(loser)

    def _roll(self, count: int) -> tuple[int, ...]:
        if not count:
            return ()
        self.digits.fresh()
        return tuple(sorted(self.digits.below(FACES) + 1 for _ in range(count)))

    def _move(self, player: int) -> bool:
        """A player's decision; returns whether it calls."""
        agent = self.settings.players[player]
        column = self._decides(player, agent)
        chosen = MENUS["published"][column] if player else MENUS[self.settings.menu][column]
        self.moves.append("call")
        if player == 0:
            self.decisions.append((self.seen, column))
            self.held = self._count()
            self._look(self._bucket())
            self.action = column
            self.called_first |= chosen is None and self.first
        if chosen is None:
            return True
        face, more = chosen
        self.quantity, self.face = self.quantity + more, self._raised_face(player, agent, face)
        if not self.slips.stale:
            self.held = self._count()
        self._look(self._bucket())
        if self._watched():
            self._write(player, self.action)
        self.moves[-1] = f"raise {self.face}" + (f" by {more}" if more > 1 else "")
        return False

    def _decides(self, player: int, agent: Agent) -> int:
        """The column of what a player does."""
        if agent.kind in ("probability", "holds"):
            unseen = sum(self.counts) - self.counts[player]
            need = max(self.quantity - self.rolls[player].count(self.face), 0) + (agent.kind == "probability")
            return RAISE if self.digits.chance(tail(unseen, need)) else CALL
        if agent.kind in ("q", "table"):
            row = self.q[self.seen if agent.kind == "q" else self._seen_by(player)]
            if row.max() - row.min() >= TIED and not self.digits.chance(self.settings.exploration):
                return int(row.argmax())
            return self.digits.fresh().below(len(row))
        return self.digits.fresh().below(2)

    def _seen_by(self, player: int) -> int:
        """The row of the table that the first player would go by, were it in this one's place."""
        total, own = sum(self.counts), self.counts[player]
        held = self.rolls[player].count(self.face)
        bucket = self.states.bucket(total, own, self.quantity, held, self.slips.tail)
        return self.view.places[total, own] * (self.states.bins + 1) + bucket

    def _raised_face(self, player: int, agent: Agent, face: int) -> int:
        if face == SAME:
            return self.face
        if face == RANDOM or (face == MIXED and self.digits.chance(agent.bluff)):
            return self.digits.fresh().below(FACES) + 1
        return opening_bid(self.rolls[player])[1]

    def _called(self, player: int, loser: int) -> None:
        """Write what a call leaves behind, and take a die from the loser."""
        watched, bucket = self._watched(), self._bucket()
        if self.slips.twice and watched:
            self._write(player, self.action)
        self.counts[loser] -= 1
        self._look(bucket)
        if watched and self.slips.between:
            self._write(player, self.action)
        elif watched:
            self.pending = player, self.action

    def _watched(self) -> bool:
        return self.counts[0] > 0 or self.slips.ghosts

    def _count(self) -> int:
        return self.rolls[0].count(self.face)

    def _bucket(self) -> int:
        total, own = sum(self.counts), self.counts[0]
        return self.states.bucket(total, own, self.quantity, self.held, self.slips.tail)

    def _look(self, bucket: int) -> None:
        """What the agent's state is now."""
        self.state = self.states.number(sum(self.counts), self.counts[0], bucket)
        self.seen = self.view.row(self.counts, bucket)

    def _write(self, control: int, action: int) -> None:
        self.rows.append(Row(control + 1, self.state, self.seen, action))

    def _next(self, player: int) -> int:
        """The next player who has dice."""
        player = (player + 1) % len(self.counts)
        while not self.counts[player]:
            player = (player + 1) % len(self.counts)
        return player
