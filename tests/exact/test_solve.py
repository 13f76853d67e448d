"""One call for every game: known values, the method that was picked, and every refusal."""

from dataclasses import replace
from fractions import Fraction

import pytest
from table_games import (
    coins,
    common_interest,
    die_nim,
    dithering,
    forgetful,
    guess,
    odd_one_out,
    pennies,
    trap,
    two_ends_in_one,
    uneven_stakes,
)

from support import solve as module
from support.core.flat import TooLargeError, unfold
from support.core.interface import CHANCE
from support.exact import sequence_form
from support.exact.best_response import expected_returns, nash_conv
from support.exact.kinds import SEQUENCE_FORM
from support.exact.markov import evaluate
from support.exact.optimal import optimal_policy
from support.exact.sizes import COSTS, MINIMISE
from support.games.biscuits.rules import Biscuits
from support.games.call_or_raise.rules import CallOrRaise
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import VALUE, Kuhn
from support.games.cups.liars_dice import LiarsDice
from support.games.three_dice.rules import DiceGame
from support.solve import PROGRAM_LIMIT, solve

F = Fraction
HALF = F(1, 2)
OPTIMAL, RETROGRADE = "support.exact.optimal.optimal_policy", "support.exact.retrograde.solve"
MINIMAX, PROGRAM = "support.exact.minimax.minimax", "support.exact.sequence_form.solve"
CFR_PLUS = "support.learners.public_tree_fast.run"


@pytest.mark.parametrize(
    ("game", "values", "method"),
    [
        (Biscuits(8, 4), (1, -1), RETROGRADE),
        (Biscuits(3, 5), (-1, 1), RETROGRADE),
        (two_ends_in_one(), (1, -1), MINIMAX),
        (uneven_stakes(), (2, -2), MINIMAX),
        (coins(1), (-2, 2), RETROGRADE),
        (coins(3), (4, -4), MINIMAX),
        (die_nim(4), (F(-1, 9), F(1, 9)), MINIMAX),
        (CallOrRaise(2, 1, bounded=True), (HALF, HALF), MINIMAX),
        (Kuhn(), (VALUE, -VALUE), PROGRAM),
        (AceKingQueen(), (F(-1, 36), F(1, 36)), PROGRAM),
        (LiarsDice(2), (HALF, -HALF), PROGRAM),
        (LiarsDice(3), (F(1, 9), F(-1, 9)), PROGRAM),
        (pennies(), (0, 0), PROGRAM),
        (pennies((1, 0), (0, 1)), (HALF, HALF), PROGRAM),
        (guess(), (F(2, 3),), "support.exact.best_response.best_response"),
    ],
    ids=str,
)
def test_known_values(game, values, method):
    solution = solve(game)
    assert (solution.values, solution.method, solution.accuracy) == (values, method, 0)
    assert expected_returns(solution.flat, solution.policy) == values
    assert nash_conv(solution.flat, solution.policy) == 0
    assert set(solution.policy.table) == set(solution.flat.information_states)
    assert all(isinstance(value, F) for value in solution.values)


def test_three_dice():
    """The published game: the optimal expected score, 103369 / 7744, of a policy that attains it."""
    solution = solve(DiceGame())
    assert solution.values == (optimal_policy(unfold(DiceGame())).value,) == (F(103369, 7744),)
    assert solution.method == OPTIMAL
    assert evaluate(solution.flat, solution.policy.edge_probabilities(solution.flat)).mean == solution.values[0]
    assert solution.kind.cycles
    assert solution.kind.chance
    assert "flat" not in repr(solution)


def test_retrograde_play_is_the_quickest_win():
    solution = solve(Biscuits(8, 4))
    assert solution.policy.row((0, "8,4, Alpha to move")) == {(7, 4): 1}  # the one cold position within reach
    assert solution.policy.row((1, "3,3, Betty to move")) == {(0, 0): 1}
    assert solution.policy.name == "quickest win or longest defence"


def test_coins_by_hand():
    """The last coin brings 1 and costs 3. So of two coins one takes one: 1 + 2; both would bring 2 - 3.

    Of three one takes two, and gains 2 + 2; taking one leaves the other the better end.
    """
    assert solve(coins(1)).values[0] == 1 - 3
    assert solve(coins(2)).values[0] == max(1 + 2, 2 - 3)
    assert solve(coins(3)).values[0] == max(1 - 3, 2 + 2)


def test_more_information_states_than_a_program_takes():
    """CFR+ comes as near as it says: the exact value is no further than its NashConv, which is exact."""
    exact = solve(LiarsDice(3))
    near = solve(LiarsDice(3), program_limit=191, accuracy=F(1, 100))
    assert (exact.method, near.method) == (PROGRAM, CFR_PLUS)
    assert near.accuracy == nash_conv(near.flat, near.policy)
    assert 0 < near.accuracy <= F(1, 100)
    assert abs(near.values[0] - exact.values[0]) <= near.accuracy
    assert near.values == expected_returns(near.flat, near.policy)
    assert solve(LiarsDice(3), program_limit=192).method == PROGRAM
    assert len(near.flat.information_states) == 192 < PROGRAM_LIMIT


@pytest.mark.parametrize("solver", [SEQUENCE_FORM, MINIMISE])
def test_a_program_that_turns_out_to_be_too_large(solver, monkeypatch):
    """CFR+ takes over, whether the choices are too many or what is left to eliminate."""
    monkeypatch.setitem(COSTS, solver, replace(COSTS[solver], most=1))
    sequence_form._form.cache_clear()
    near = solve(AceKingQueen())
    assert near.method == CFR_PLUS
    assert 0 < near.accuracy <= F(1, 1000)


def test_a_constant_sum_by_iteration():
    """Matching pennies for one prize: the values are the chances to get it."""
    near = solve(pennies((1, 0), (0, 1)), program_limit=0)
    assert sum(near.values) == 1
    assert abs(near.values[0] - HALF) <= near.accuracy <= F(1, 1000)
    assert near.kind.total == 1
    with pytest.raises(ValueError, match="do not always have the same sum"):
        solve(pennies((1, 0), (0, 1), stake=F(1, 2)))


def test_accuracy_out_of_reach(monkeypatch):
    monkeypatch.setattr(module, "MOST_ITERATIONS", 128)
    with pytest.raises(
        ValueError, match=r"CFR\+ leaves a NashConv of .* in kuhn-poker after 128 iterations, not 1e-09"
    ):
        solve(Kuhn(), program_limit=0, accuracy=F(1, 10**9))
    with pytest.raises(ValueError, match="accuracy must be greater than 0, not 0; exact solutions come without"):
        solve(Kuhn(), accuracy=F(0))


def test_what_rounding_leaves_can_decide(monkeypatch):
    """With a coarse grain the floating-point strategy is near enough, and the policy made of it is not."""
    monkeypatch.setattr(module, "GRAIN", 2)
    monkeypatch.setattr(module, "MOST_ITERATIONS", 4096)
    with pytest.raises(ValueError, match=r"CFR\+ leaves a NashConv of 0\.\d+ in kuhn-poker after 4,096 iterations"):
        solve(Kuhn(), program_limit=0, accuracy=F(1, 1000))


def test_an_unfolded_game_is_not_unfolded_again():
    flat = unfold(Kuhn())
    assert solve(flat, limit=1).flat is flat


def test_too_large():
    reached = (
        r"more than 1,000 positions: 1,000 were reached, and the moves of \d+ of them listed; unfold a smaller one"
    )
    with pytest.raises(TooLargeError, match=rf"LiarsDice\(faces=6\) has {reached}$"):
        solve(LiarsDice(6), limit=1000)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (odd_one_out(), "it has 3 players and all solvers are for one or two"),
        (common_interest(), "the returns of its two players do not always have the same sum"),
        (
            dithering(),
            "a position can come back in it: limit the turns, and put their count into the position and "
            "the information state",
        ),
        (forgetful(), "a player forgets in it what it knew or did"),
    ],
    ids=str,
)
def test_no_solver_takes_it(game, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole message is compared
        solve(game)
    assert str(error.value) == f"{game.name} cannot be solved here: {message}"


def test_a_trap_has_no_way_out():
    with pytest.raises(ValueError, match="trap has no way to the end from trap"):
        solve(trap())


def test_chance_is_found():
    assert solve(die_nim(2)).kind.chance
    assert (solve(die_nim(2)).flat.player == CHANCE).any()
