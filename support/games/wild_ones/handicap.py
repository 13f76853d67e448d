"""Wild ones with a handicap: two players of whom one begins with more dice than the other.

All other rules are those of :mod:`support.games.wild_ones.rules`: a right *exact* wins back a die that was lost, but
nobody may exceed the dice with which they began. Two dice against one is the largest such game that
:func:`support.games.cups.equal_player.equal` can solve. The published document has no handicap.
"""

from dataclasses import dataclass, field

from support.games.cups.round import MOST_DICE
from support.games.wild_ones.rules import WildOnes, WildOnesState


@dataclass(frozen=True)
class Handicap(WildOnes):
    """The rules. Frozen and hashable.

    Args:
        starts: the dice with which player 0 and player 1 begin, from 1 to 6.

    Attributes:
        dice: the larger of the two.

    Raises:
        ValueError: ``starts`` are not two such numbers.
    """

    num_players: int = field(default=2, init=False)
    dice: int = field(default=0, init=False)
    starts: tuple[int, int] = (2, 1)
    name = "wild-ones-handicap"

    def __post_init__(self) -> None:
        numbers = [number for number in self.starts if type(number) is int and 1 <= number <= MOST_DICE]
        if len(numbers) != 2 or len(self.starts) != 2:
            raise ValueError(f"starts must be two whole numbers from 1 to {MOST_DICE}, not {self.starts!r}")
        object.__setattr__(self, "dice", max(numbers))

    @property
    def most(self) -> int:
        """The number of dice in play at the beginning."""
        return sum(self.starts)

    def initial_state(self) -> "HandicapState":
        """The state before the opener is drawn."""
        return HandicapState(self, self.starts)


@dataclass(frozen=True)
class HandicapState(WildOnesState):
    """A state, as without a handicap."""

    game: Handicap

    def _said(self, action: str, past: tuple[str, ...]) -> "HandicapState":
        after = vars(super()._said(action, past))
        counts = tuple(map(min, after["counts"], self.game.starts))
        return HandicapState(**{**after, "counts": counts})

    def information_state(self, player: int) -> str:
        """As without a handicap, after the dice with which the players began.

        Raises:
            ValueError: there is no such player.
        """
        return f"{' '.join(map(str, self.game.starts))} at first, {super().information_state(player)}"
