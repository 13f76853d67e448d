"""The agent's states: their numbers, what the agent sees of them, and what it is rewarded with when they change."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from math import comb

from support.games.cups.rolls import FACES

OWN = ("all", "some", "none")
"""What an agent sees of the number of its dice: all of it, whether it has any, or nothing."""


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
        players, dice, bins: as in :class:`support.games.call_or_raise.learner.settings.Settings`.
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

    def pair(self, number: int) -> tuple[int, int]:
        """Dice in play and own dice of a state.

        Raises:
            ValueError: there is no such number.
        """
        return self.read(number)[:2]

    def bucket(self, total: int, own: int, quantity: int, held: int, slip: bool = False) -> int:
        """The bucket of a bid, of which the agent holds so many.

        Args:
            total: dice in play.
            own: the agent's dice.
            quantity: of the bid.
            held: the agent's dice that show its face.
            slip: as :attr:`support.games.call_or_raise.learner.settings.Slips.tail`.
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
        own, neighbours: as in :class:`support.games.call_or_raise.learner.settings.Settings`.
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
