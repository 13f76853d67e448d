from fractions import Fraction
from itertools import product

import pytest
from table_games import TableGame

from support.core.flat import unfold
from support.core.policy import choose
from support.exact.markov import evaluate
from support.exact.optimal import optimal_policy
from support.games.biscuits.rules import Biscuits
from support.games.three_dice.rules import DiceGame
from support.learners.value_iteration import value_iteration


@pytest.mark.no_cover
def test_against_every_policy_of_a_small_game():
    """Two dice of three sides: all 4^6 deterministic policies, evaluated one by one."""
    flat = unfold(DiceGame(2, 3, bias=("1/2", "1/4", "1/4")))
    nodes = flat.decision_nodes()
    best = None
    for picks in product(range(4), repeat=len(nodes)):
        if 3 not in picks:
            continue  # never stops
        policy = choose(flat, [flat.edges(node)[pick] for node, pick in zip(nodes, picks, strict=True)])
        try:
            worth = evaluate(flat, policy.edge_probabilities(flat)).mean
        except ValueError:
            continue
        best = worth if best is None else max(best, worth)
    assert optimal_policy(flat).value == best


@pytest.mark.parametrize("discount", [Fraction(0), Fraction(1, 2), Fraction(19, 20), Fraction(1)])
def test_bellman_equation_holds_without_error(discount):
    flat = unfold(DiceGame())
    best = optimal_policy(flat, discount)
    for node, value in best.values.items():
        assert value == max(best.action_values[edge] for edge in flat.edges(node))
    if discount == 1:
        assert best.value == evaluate(flat, best.policy.edge_probabilities(flat)).mean


@pytest.mark.parametrize("discount", [0.3, 0.8, 0.95, 1.0])
def test_value_iteration_converges_to_it(discount):
    flat = unfold(DiceGame())
    best = optimal_policy(flat, Fraction(str(discount)))
    sweeps = value_iteration(flat, discount, 1e-12)
    assert sweeps.values == pytest.approx([float(v) for v in best.values.values()], abs=1e-9)
    assert sweeps.policy.table == best.policy.table


def test_free_rerolls_still_end():
    """Among equals going on for ever comes first; the policy returned must be worth what it says."""
    flat = unfold(DiceGame(2, penalty=0))
    best = optimal_policy(flat)
    assert best.value == 12 == evaluate(flat, best.policy.edge_probabilities(flat)).mean


def test_with_a_discount_the_best_of_equals_ends():
    """Staying for nothing is as good as ending with nothing, but goes on for ever."""
    flat = unfold(TableGame("stay", 1, {"start": (0, "here", {"stay": ("start", (0,)), "end": ("over", (0,))})}))
    for discount in (1, Fraction(1, 2)):
        assert optimal_policy(flat, discount).policy.table == {(0, "here"): {"end": 1}}


def test_refusals():
    with pytest.raises(ValueError, match="one player"):
        optimal_policy(unfold(Biscuits(2, 1)))
    with pytest.raises(ValueError, match="between 0 and 1"):
        optimal_policy(unfold(DiceGame(1)), Fraction(3, 2))
