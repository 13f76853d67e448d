"""A round with dice under cups: who has how many dice, who has rolled what, and whose turn it is."""

from abc import ABC

from support.core.interface import State
from support.games.cups.rolls import Roll

MOST_PLAYERS = 6
"""At a table."""


class CupsState(State, ABC):
    """A state of a game in which everybody rolls under a cup and players with dice speak in turn.

    Attributes:
        counts: the dice of each player at the beginning of the round.
        opener: who opens; None before that is drawn.
        rolls: the dice of the players who have rolled, sorted; an empty roll for a player without dice.
    """

    counts: tuple[int, ...]
    opener: int | None
    rolls: tuple[Roll, ...]

    @property
    def total(self) -> int:
        """Dice in play."""
        return sum(self.counts)

    def speaker(self, number: int) -> int:
        """Who speaks as the one of this number in the round, the opener being 0: the players with dice in turn."""
        assert self.opener is not None
        alive = [player for player, count in enumerate(self.counts) if count]
        return alive[(alive.index(self.opener) + number) % len(alive)]
