"""Gambit's exact linear program beside ours, on games small enough for both."""

import io
import time
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import pygambit

from support.core.export import to_gambit
from support.core.flat import unfold
from support.exact.sequence_form import solve
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.cups.liars_dice import LiarsDice
from support.sweep.timing import Pace, rate


def rows(least: float = 1.0) -> Iterator[Pace]:
    """Exact equilibria a second; both begin with the game in memory. Everything on one core.

    Args:
        least: seconds that each is measured for at least.
    """
    for name, game in (
        ("Kuhn's poker", Kuhn()),
        ("ace, king, queen", AceKingQueen()),
        ("Liar's Dice, one die of 2 faces each", LiarsDice(2)),
    ):
        flat, theirs = unfold(game), pygambit.read_efg(io.StringIO(to_gambit(game)))
        solve(flat)  # what it imports is not its work
        fast, ours = rate(lambda: solve(replace(flat)), 1, least=least, clock=time.process_time)  # noqa: B023
        slow, found = rate(
            lambda: pygambit.nash.lp_solve(theirs, rational=True),  # noqa: B023
            1,
            least=least,
            clock=time.process_time,
        )
        payoff = found.equilibrium.payoffs["player 0"]
        same = Fraction(payoff.numerator, payoff.denominator) == ours.value
        yield Pace(f"exact equilibria of {name}", "solutions", fast, slow, same, f"both find the value {ours.value}")
