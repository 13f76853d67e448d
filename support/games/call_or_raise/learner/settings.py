"""The players of a table, how the first one learns, and where the program and its text differ."""

from dataclasses import dataclass, field
from fractions import Fraction

from support.core.checks import require_one_of
from support.games.call_or_raise.learner.states import OWN, Rewards, States, View

CALL, RAISE = 1, 0
"""Columns of Q, in the program's order."""
KINDS = ("q", "random", "probability", "holds", "table")
"""How a player decides: by Q; by the toss of a coin; to raise with the probability that there is one die more than the
bid needs, as the program has it; to raise with the probability that the bid holds, as the text has it; or by what the
first player has learned: with that one's table, from its own seat, and exploring as often."""
MIXED, MOST, RANDOM, SAME = range(4)
MENUS = {
    "published": ((MIXED, 1), None),
    "whole": ((MOST, 1), None, (RANDOM, 1), (SAME, 1), (MOST, 2), (RANDOM, 2), (SAME, 2)),
}
"""What an agent may do, column by column of its table. None is to call. A raise has a face (a random one when it bluffs
and else the one it holds most of, or always one of these, or that of the last bid) and so many dice more."""
METHODS = ("q", "averages", "decisions")
"""How the agent learns: by the document's update along the rows of everybody's moves; or each value is the average of
the games won after its choice (the last ones weigh ``alpha`` each, at least), which asks for nothing but games won:
Monte Carlo control; or by Q-learning from one of its own decisions to the next, with all rewards in between."""


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
        own: what it sees of the number of its own dice, one of ``support.games.call_or_raise.learner.states.OWN``.
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

    def states(self) -> States:
        """The states of the document."""
        return States(len(self.players), self.dice, self.bins)

    def view(self) -> View:
        """What the agent sees of them."""
        return View(self.states(), self.own, self.neighbours)
