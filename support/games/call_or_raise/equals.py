"""A round of call or raise between two equals, as a game by itself: its end is worth what follows.

The whole game goes on for many rounds, and what players know in the last no longer says how it began. A round is a game
like those of poker.
"""

from fractions import Fraction
from functools import cache

from support.games.call_or_raise.rules import CallOrRaise
from support.games.cups.equals import Round, beginnings, following, solved_round, whole_round


@cache
def one_round() -> Round:
    """A round with two dice each; it is worth -58/243 of a won game to its opener."""
    game = CallOrRaise(num_players=2, dice=2, bounded=True)
    *fewer, counts = beginnings(game)
    worths: dict[tuple[int, ...], Fraction] = {}
    for one in fewer:
        worths[one], _ = solved_round(game, one, worths)
    return whole_round(game, counts, following(worths))
