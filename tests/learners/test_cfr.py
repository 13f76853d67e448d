"""The plain solver: first iterations of Kuhn poker by hand, theorems, and known answers."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from support.core.flat import unfold
from support.core.policy import from_weights, probabilities_of, uniform
from support.exact.best_response import best_response, expected_returns, nash_conv
from support.games.biscuits.rules import Biscuits
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import VALUE, Kuhn
from support.games.three_dice.rules import DiceGame
from support.learners.cfr import METHODS, Method, Solver, choices, method_of

unfolded = cache(unfold)


def after(method, iterations, game=Kuhn()):  # noqa: B008 - frozen
    solver = Solver(unfolded(game), method)
    solver.run(iterations)
    return solver


def regrets_of(solver, player, text):
    """The regrets of one information state, actions in order."""
    state = solver.flat.information_states.index((player, text))
    return solver.regrets[solver.flat.slots[state] : solver.flat.slots[state + 1]]


def test_first_regrets_of_kuhn_by_hand():
    """Everybody mixes evenly; each of six deals has chance 1/6.

    Player 1 facing a bet (counterfactual reach 1/6 times 1/2 for each of the two cards that player 0 may hold): a
    fold brings 0; a call costs 1 and takes 4 with the better card. King: 0 and 3, twice. Queen: 0 and -1 against the
    king, 0 and 3 against the jack. Jack: 0 and -1, twice. A king that is checked to gets 2 for a check; for a bet 2 if
    player 0 folds and 3 if it calls. Player 0's king gets by a check (2 + 3/2) / 2, by a bet (2 + 3) / 2.
    """
    solver = after("cfr", 1)
    expected = {
        (1, "Kr"): (-1 / 4, 1 / 4),  # 2/12 of (0 - 3/2, 3 - 3/2)
        (1, "Qr"): (-1 / 12, 1 / 12),  # 1/12 of (1/2 - 3/2, -1/2 + 3/2)
        (1, "Jr"): (1 / 12, -1 / 12),  # 2/12 of (0 + 1/2, -1 + 1/2)
        (1, "Kc"): (-1 / 24, 1 / 24),  # 2/12 of (2 - 9/4, 5/2 - 9/4)
        (0, "K"): (-1 / 8, 1 / 8),  # 2/6 of (7/4 - 17/8, 5/2 - 17/8)
    }
    for where, regrets in expected.items():
        assert regrets_of(solver, *where) == pytest.approx(regrets, abs=1e-15), where


def test_first_iteration_of_cfr_plus_by_hand():
    """Player 0 moves first: all its cards regret not to have bet against an even mixture. So player 1 sees only bets.

    Queen of player 0: a check brings (0 - 1/2) / 2 against the king and (2 + 3/2) / 2 against the jack, a bet 1/2 and
    5/2; jack: a check -1/4 twice, a bet 1/2 twice.
    """
    solver = after("cfr+", 1)
    assert regrets_of(solver, 0, "K") == pytest.approx((0, 1 / 8), abs=1e-15)
    assert regrets_of(solver, 0, "Q") == pytest.approx((0, 1 / 8), abs=1e-15)  # 1/6 of (3 - 3/2) / 2
    assert regrets_of(solver, 0, "J") == pytest.approx((0, 1 / 8), abs=1e-15)  # 1/6 of (1 + 1/2) / 2
    assert regrets_of(solver, 1, "Kr") == pytest.approx((0, 1 / 2), abs=1e-15)  # 2/6 of 3/2
    assert regrets_of(solver, 1, "Jr") == pytest.approx((1 / 6, 0), abs=1e-15)  # 2/6 of 1/2
    assert regrets_of(solver, 1, "Kc") == [0, 0]  # out of reach


def test_first_response_of_fictitious_play():
    """Against an even mixture; the first average is that response alone."""
    flat = unfolded(Kuhn())
    average = after("fictitious play", 1).average()
    for player in (0, 1):
        response = best_response(flat, uniform(flat), player).policy
        assert expected_returns(flat, (average, uniform(flat)) if player == 0 else (uniform(flat), average)) == (
            expected_returns(flat, (response, uniform(flat)) if player == 0 else (uniform(flat), response))
        )
        assert all(average.row(where) == row for where, row in response.table.items() if len(where[1]) < 3)


def test_weights_of_fictitious_play_are_counts():
    """In each information state of a first choice they add up to the number of iterations; below, to their parent's."""
    solver = after("fictitious play", 40, AceKingQueen())
    for choice in solver.choices:
        total = sum(solver.weights[slot] for slot in choice.slots)
        assert total == (40 if choice.before is None else solver.weights[choice.before])
    assert not any(solver.regrets)


@pytest.mark.parametrize("method", ["cfr", "cfr+"])
def test_the_first_play_is_uniform(method):
    flat = unfolded(AceKingQueen())
    average = from_weights(flat, np.array(Solver(flat, method).weights))
    assert average.table == uniform(flat).table
    first = probabilities_of(flat, after(method, 1, AceKingQueen()).average())
    np.testing.assert_allclose(first, probabilities_of(flat, uniform(flat)), rtol=0, atol=1e-15)


def test_later_iterations_weigh_more_in_cfr_plus():
    """Player 0's queen mixes evenly, then always bets: its weights are 1/2 and 1/2, then 0 and 2 more."""
    solver = after("cfr+", 2)
    state = solver.flat.information_states.index((0, "Q"))
    assert solver.weights[solver.flat.slots[state] : solver.flat.slots[state + 1]] == [0.5, 2.5]


@pytest.mark.parametrize("game", [Kuhn(), AceKingQueen()])
def test_regrets_bound_nash_conv(game):
    """Zinkevich et al. 2007, theorems 2 and 3: NashConv of the average is at most the positive regrets, over time.

    An information state's regret is at most what is at stake times the root of its actions times iterations.
    """
    for iterations in (1, 10, 100):
        solver = after("cfr", iterations, game)
        worst = sum(max(0, *(solver.regrets[slot] for slot in choice.slots)) for choice in solver.choices)
        stake = 2 * 3  # at most 3 change hands, either way
        assert worst <= sum(stake * (len(choice.slots) * iterations) ** 0.5 for choice in solver.choices)
        assert nash_conv(solver.flat, solver.average()) <= worst / iterations + 1e-12


def test_kuhn_is_worth_what_it_is_worth():
    flat = unfolded(Kuhn())
    for method, iterations, most in (("cfr", 400, 0.03), ("cfr+", 400, 7e-4), ("fictitious play", 150, 0.06)):
        average = after(method, iterations).average()
        assert 0 <= nash_conv(flat, average) < most
        assert abs(expected_returns(flat, average)[0] - VALUE) < most  # the value lies within NashConv


def test_nodes_are_counted_by_passes():
    for method, passes in (("cfr", 1), ("cfr+", 2), ("fictitious play", 1)):
        solver = after(method, 3)
        assert (solver.iterations, solver.nodes) == (3, 3 * passes * solver.flat.num_nodes)


def test_choices_follow_those_that_lead_to_them():
    flat = unfolded(AceKingQueen())
    seen = set()
    for choice in choices(flat):
        assert choice.before is None or choice.before in seen
        seen |= set(choice.slots)
    assert seen == set(range(flat.slots[-1]))
    king, raised = (flat.information_states.index((0, text)) for text in ("K", "Kcr"))
    start = flat.slots[raised]
    (choice,) = [choice for choice in choices(flat) if choice.slots.start == start]
    assert (choice.player, choice.before) == (0, flat.slots[king])


def test_errors():
    flat = unfolded(Kuhn())
    with pytest.raises(ValueError, match=r"no method 'newton'; there are cfr, cfr\+, fictitious play"):
        Solver(flat, "newton")
    with pytest.raises(ValueError, match="players 0 and 1 must move in one pass each"):
        Method("half", passes=((0,),))
    assert method_of(METHODS["cfr"]) is method_of("cfr")
    with pytest.raises(ValueError, match="for two players; three-dice has 1"):
        Solver(unfold(DiceGame()), "cfr")
    generous = replace(flat, rewards=[(x + Fraction(1, 2), y) for x, y in flat.rewards])
    with pytest.raises(ValueError, match="kuhn-poker is not zero-sum"):
        Solver(generous, "cfr")
    shifted = replace(flat, rewards=[(x, y) if k % 3 else (x, y + 1) for k, (x, y) in enumerate(flat.rewards)])
    with pytest.raises(ValueError, match="kuhn-poker is not zero-sum"):
        Solver(shifted, "cfr")
    with pytest.raises(ValueError, match="no perfect recall in biscuits"):
        Solver(unfold(Biscuits(3, 2)), "cfr")
    with pytest.raises(ValueError, match="may go on for ever"):
        Solver(replace(flat, child=np.where(np.arange(len(flat.child)) == 9, 0, flat.child)), "cfr")
