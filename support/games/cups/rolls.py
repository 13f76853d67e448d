"""Rolls of dice under a cup, and who has dice, as the two kinds of Liar's Dice with several dice each have them."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

FACES = 6
FACE_NUMBERS = range(1, FACES + 1)
Roll = tuple[int, ...]
"""The dice of one player, sorted."""


@cache
def all_rolls(dice: int) -> tuple[tuple[Roll, Fraction], ...]:
    """All rolls of so many dice with their probabilities."""
    rolls = combinations_with_replacement(range(1, FACES + 1), dice)
    ways = factorial(dice)
    return tuple((roll, Fraction(ways // prod(map(factorial, Counter(roll).values())), FACES**dice)) for roll in rolls)


@cache
def chances(dice: int) -> dict[Roll, Fraction]:
    """The same by roll."""
    return dict(all_rolls(dice))


@cache
def with_dice(counts: tuple[int, ...]) -> tuple[int, ...]:
    """The players who have dice."""
    return tuple(player for player, count in enumerate(counts) if count)


def opens_after(counts: Sequence[int], player: int) -> int:
    """Who opens once a player's dice have changed: that player, or the next who has dice."""
    while not counts[player]:
        player = (player + 1) % len(counts)
    return player


def with_empty(rolls: tuple[Roll, ...], counts: Sequence[int]) -> tuple[Roll, ...]:
    """Rolls so far, with the empty ones of the players who come next and have no dice.

    Args:
        rolls: of the first players.
        counts: the dice of all players.
    """
    while len(rolls) < len(counts) and not counts[len(rolls)]:
        rolls = (*rolls, ())
    return rolls
