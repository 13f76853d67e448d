"""Magnetic mirror descent: plain and compiled are the same, and end where the paper says."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import log

import numpy as np
import pytest

from support.core.flat import unfold
from support.core.policy import TabularPolicy, edge_probabilities, from_weights
from support.exact.best_response import expected_returns
from support.exact.kinds import play_order
from support.exact.nash_conv_fast import Scorer
from support.games.biscuits.rules import Biscuits
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import VALUE, Kuhn
from support.games.cups.liars_dice import LiarsDice
from support.learners import cfr_fast
from support.learners.mirror_descent import MirrorDescentSettings, Solver
from support.learners.mirror_descent_fast import run

ANNEALED = MirrorDescentSettings()
unfolded = cache(unfold)


def fixed(temperature):
    """A fixed temperature, with the step that the paper takes for it (section G.4)."""
    return MirrorDescentSettings(temperature / 10, temperature, annealed=False)


@pytest.mark.parametrize("game", [Kuhn(), AceKingQueen(), LiarsDice(2)], ids=lambda game: game.name)
@pytest.mark.parametrize("how", [ANNEALED, fixed(0.2)], ids=["annealed", "fixed"])
def test_compiled_iterations_are_the_plain_ones(game, how):
    flat, marks = unfolded(game), [1, 2, 7, 60]
    solver = Solver(flat, how)
    for mark, found in zip(marks, run(flat, marks, how), strict=True):
        while solver.iterations < mark:
            solver.iterate()
        np.testing.assert_allclose(found, solver.strategies(), rtol=0, atol=1e-12)


def test_the_first_iteration_by_hand():
    """Player 0 holds the king against even mixtures: a check brings 7/4, a bet 5/2, and both may halve with η = α = 1.

    The logits are then (q(a) - q(b)) / (1 + 1) apart, since the first strategies are even.
    """
    flat, solver = unfolded(Kuhn()), Solver(unfolded(Kuhn()), ANNEALED)
    solver.iterate()
    start = flat.slots[flat.information_states.index((0, "K"))]
    check, bet = solver.logits[start : start + 2]
    assert bet - check == pytest.approx((5 / 2 - 7 / 4) / 2)


@pytest.mark.parametrize(("game", "temperature"), [(Kuhn(), 0.2), (Kuhn(), 0.5), (AceKingQueen(), 0.5)])
def test_at_a_fixed_temperature_it_ends_in_an_agent_quantal_response_equilibrium(game, temperature):
    """The first-order conditions: logarithms of probabilities differ by the differences in expected gain over α.

    What a player gains by an action once it is there is found exactly: its return with that action less its return with
    another, divided by the probability of getting there.
    """
    flat = unfolded(game)
    (found,) = run(flat, [20_000], fixed(temperature))
    policy = from_weights(flat, found)
    reached, chances = [Fraction(int(node == 0)) for node in range(flat.num_nodes)], edge_probabilities(flat, policy)
    for node in play_order(flat):
        for edge in flat.edges(node):
            reached[flat.child[edge]] += reached[node] * chances[edge]
    for where, nodes in zip(flat.information_states, flat.nodes_of_information, strict=True):
        row, there = policy.row(where), sum(reached[node] for node in nodes)
        gains = {
            action: expected_returns(flat, TabularPolicy({**policy.table, where: {action: Fraction(1)}}))[where[0]]
            for action in row
        }
        first, *others = row
        for other in others:
            apart = float((gains[first] - gains[other]) / there)
            assert temperature * (log(row[first]) - log(row[other])) == pytest.approx(apart, abs=1e-9), where


@pytest.mark.parametrize("iterations", [1000, 10_000, 100_000])
def test_with_a_falling_temperature_the_last_strategies_do_as_well_as_the_averages_of_cfr(iterations):
    """On Kuhn's poker, figure 2 of the paper: it performs "competitively with (or better than) CFR"."""
    flat = unfolded(Kuhn())
    last, average = run(flat, [iterations], ANNEALED), cfr_fast.run(flat, "cfr", [iterations]).strategies
    ours, theirs = Scorer(flat).nash_convs(np.concatenate([last, average]))
    assert 0 < ours < theirs
    assert abs(Scorer(flat).returns(last)[0, 0] - float(VALUE)) <= ours


def test_without_a_temperature_the_last_strategies_stay_away():
    """With α = 0 it is mirror ascent, which cycles or drifts off (section 3.1)."""
    flat = unfolded(Kuhn())
    off, near = (
        Scorer(flat).nash_convs(run(flat, [10_000], how))[0] for how in (replace(ANNEALED, temperature=0), ANNEALED)
    )
    assert off > 20 * near


def test_where_nobody_gets_any_more_the_strategies_go_back_to_the_magnet():
    """Probabilities that are rounded to zero leave information states that no path reaches; nothing becomes NaN."""
    flat = unfolded(Kuhn())
    found = run(flat, [1, 2, 3000], MirrorDescentSettings(step=1e5, temperature=1e-5, annealed=False))
    assert (found == 0).any()
    assert np.isfinite(found).all()
    solver = Solver(flat, MirrorDescentSettings(step=1e5, temperature=1e-5, annealed=False))
    solver.iterate()
    solver.iterate()
    np.testing.assert_allclose(found[1], solver.strategies(), rtol=0, atol=1e-12)


def test_errors():
    for wrong, message in (
        ({"step": 0.0}, "step must be above 0.0, not 0.0"),
        ({"step": float("inf")}, "step must be a finite number, not inf"),
        ({"temperature": -0.1}, "temperature must be at least 0.0, not -0.1"),
    ):
        with pytest.raises(ValueError, match=message):
            MirrorDescentSettings(**wrong)
    with pytest.raises(ValueError, match="marks must rise from at least 1"):
        run(unfolded(Kuhn()), [0], ANNEALED)
    for method in (lambda flat: run(flat, [1], ANNEALED), lambda flat: Solver(flat, ANNEALED)):
        with pytest.raises(ValueError, match="no perfect recall in biscuits"):
            method(unfolded(Biscuits(3, 2)))
