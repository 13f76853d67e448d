"""Sizes are checked before work starts: every solver refuses a game that is too large, and says what is possible."""

from dataclasses import replace

import pytest
from table_games import die_nim, guess

from support.core import flat as flat_module
from support.core.flat import TooLargeError, unfold
from support.core.policy import TabularPolicy, uniform
from support.exact import kinds, sizes
from support.exact.best_response import best_response
from support.exact.linear_program import minimise
from support.exact.markov import evaluate
from support.exact.minimax import minimax
from support.exact.optimal import optimal_policy
from support.exact.retrograde import solve as retrograde
from support.exact.sequence_form import _against_the_worst, _form, guarantee, optimal_ranges
from support.exact.sequence_form import solve as sequence_form
from support.exact.sizes import COSTS, require_size
from support.games.biscuits.rules import Biscuits
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.cups.liars_dice import LiarsDice
from support.games.three_dice.rules import DiceGame
from support.learners.value_iteration import value_iteration
from support.solve import solve

SOLVERS = {
    kinds.BEST_RESPONSE: (guess(), lambda flat: best_response(flat, TabularPolicy({}), 0), "6 moves"),
    kinds.MINIMAX: (die_nim(2), minimax, "moves"),
    kinds.OPTIMAL: (DiceGame(2), optimal_policy, "moves"),
    kinds.RETROGRADE: (Biscuits(2, 2), retrograde, "moves"),
    kinds.SEQUENCE_FORM: (Kuhn(), sequence_form, "24 choices, over all information states"),
    sizes.EVALUATE: (
        DiceGame(2),
        lambda flat: evaluate(flat, uniform(flat).edge_probabilities(flat)),
        "positions that lead back to each other",
    ),
    sizes.ITERATION: (Kuhn(), lambda flat: solve(flat, program_limit=0), "moves"),
    sizes.MINIMISE: (AceKingQueen(), lambda flat: minimise(_against_the_worst(_form(flat), 0)[0]), "entries"),
    sizes.RANGES: (Kuhn(), lambda flat: optimal_ranges(flat, 0), "24 choices"),
    sizes.VALUE_ITERATION: (DiceGame(2), value_iteration, "entries"),
}


def test_every_solver_of_the_table_is_tried():
    assert set(SOLVERS) == set(COSTS)
    assert all(cost.tried <= cost.most for cost in COSTS.values())


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_game_that_is_too_large(solver, monkeypatch):
    game, run, counted = SOLVERS[solver]
    flat = unfold(game)
    run(flat)
    monkeypatch.setitem(COSTS, solver, replace(COSTS[solver], most=1, tried=1))
    _form.cache_clear()
    with pytest.raises(TooLargeError) as error:
        run(flat)
    said = str(error.value)
    assert counted in said
    assert f"{solver} takes up to 1 (1 took " in said


@pytest.mark.parametrize(
    ("solver", "game", "run"),
    [
        pytest.param(kinds.SEQUENCE_FORM, LiarsDice(6), sequence_form, marks=pytest.mark.no_cover),
        (sizes.RANGES, LiarsDice(3), lambda flat: optimal_ranges(flat, 0)),
    ],
)
def test_what_the_table_says_was_tried_is_as_large_as_it_says(solver, game, run, monkeypatch):
    tried = COSTS[solver].tried
    monkeypatch.setitem(COSTS, solver, replace(COSTS[solver], most=tried - 1))
    with pytest.raises(TooLargeError, match=f" has {tried:,} {COSTS[solver].counted} and "):
        run(unfold(game))


def test_a_linear_program_that_is_too_large_is_refused(monkeypatch):
    said = (
        r"^LiarsDice\(faces=7\) has 229,362 choices, over all information states and "
        r"support\.exact\.sequence_form\.solve takes up to 100,000 \(49,140 took 50 s and 620 MB\): "
        r"support\.solve\.solve takes it by CFR\+ and says how near that comes; or choose a smaller size$"
    )
    with pytest.raises(TooLargeError, match=said):
        require_size(LiarsDice(7), kinds.SEQUENCE_FORM, 229_362)
    monkeypatch.setitem(COSTS, kinds.SEQUENCE_FORM, replace(COSTS[kinds.SEQUENCE_FORM], most=377))
    flat = unfold(LiarsDice(3))
    for run in (sequence_form, lambda flat: guarantee(flat, 0)):
        with pytest.raises(TooLargeError, match=r"LiarsDice\(faces=3\) has 378 choices"):
            run(flat)


def test_moves_are_counted_as_positions_are(monkeypatch):
    monkeypatch.setattr(flat_module, "MOVES", 100)
    assert unfold(Kuhn()).num_nodes == 55
    with pytest.raises(TooLargeError, match=r"more than 100 moves: \d+ positions were reached; unfold a smaller one$"):
        unfold(Biscuits(8, 8))
