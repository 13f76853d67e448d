"""A round of wild ones between two equals, as a game by itself: its end is worth what follows."""

from fractions import Fraction
from functools import cache

from support.games.cups.equals import Round, following, whole_round
from support.games.wild_ones.rules import WildOnes

WORTH = Fraction(472_322_733, 10**10)
"""What a round with one die each is worth to its opener, to ten digits (``support.games.cups.equals``)."""


@cache
def one_round() -> Round:
    """A round with one die each. A right call of *exact* brings it back, with the same dice."""
    return whole_round(WildOnes(num_players=2, dice=1), (1, 1), following({(1, 1): WORTH}))
