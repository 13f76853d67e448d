from fractions import Fraction

import numpy as np
import pytest
from table_games import TableGame

from support.core.flat import unfold
from support.core.policy import choose, uniform
from support.exact.markov import evaluate, node_values, require_end, return_distribution
from support.games.biscuits.rules import Biscuits
from support.games.three_dice.agents import always_hold, perfectionist
from support.games.three_dice.rules import DiceGame


@pytest.fixture(scope="module")
def flat():
    return unfold(DiceGame())


def test_perfectionist_by_hand(flat):
    """Eighteen comes with probability 4/216 a roll; the rerolls before it are geometric."""
    worth = evaluate(flat, perfectionist(flat).edge_probabilities(flat))
    p = Fraction(4, 216)
    assert worth.mean == 18 - (1 - p) / p == -35
    assert worth.variance == (1 - p) / p**2
    assert worth.deviation == pytest.approx(53.5, abs=0.01)


def test_always_hold_by_enumeration(flat):
    scores = [flat.game.final_score((a, b, c)) for a in range(1, 7) for b in range(1, 7) for c in range(1, 7)]
    worth = evaluate(flat, always_hold(flat).edge_probabilities(flat))
    assert worth.mean == Fraction(sum(scores), 216)
    assert worth.variance == Fraction(sum(s * s for s in scores), 216) - worth.mean**2


def test_against_an_independent_floating_point_solution(flat):
    """The uniform policy loops through every state; numpy solves the same chain in floats."""
    probabilities = uniform(flat).edge_probabilities(flat)
    n = flat.num_nodes
    matrix, reward = np.eye(n), np.zeros(n)
    for node in range(n):
        for edge in flat.edges(node):
            matrix[node, flat.child[edge]] -= float(probabilities[edge])
            reward[node] += float(probabilities[edge] * flat.rewards[edge][0])
    assert float(evaluate(flat, probabilities).mean) == pytest.approx(np.linalg.solve(matrix, reward)[0], abs=1e-10)


def test_distribution_has_the_exact_mean_and_mass(flat):
    probabilities = uniform(flat).edge_probabilities(flat)
    worth, spread = evaluate(flat, probabilities), return_distribution(flat, probabilities)
    assert sum(spread.probability.values()) + spread.rest == 1
    assert spread.rest <= Fraction(1, 10**12)
    mean = sum(score * p for score, p in spread.probability.items())
    assert abs(mean - worth.mean) < 1e-8


def test_distribution_of_one_roll(flat):
    spread = return_distribution(flat, always_hold(flat).edge_probabilities(flat))
    assert spread.rest == 0
    assert spread.probability[18] == Fraction(4, 216)
    assert spread.probability[3] == Fraction(4, 216)  # 6,6,6 and 1,6,6


def test_returns_of_two_players_sum_to_zero():
    flat = unfold(Biscuits(4, 3))
    probabilities = uniform(flat).edge_probabilities(flat)
    first, second = (evaluate(flat, probabilities, player).mean for player in (0, 1))
    assert first == -second
    assert -1 < first < 1


def test_a_game_that_never_ends_is_said_so():
    flat = unfold(DiceGame(1, 2))
    for_ever = choose(flat, [flat.edges(node)[0] for node in flat.decision_nodes()])
    with pytest.raises(ValueError, match="never ends"):
        evaluate(flat, for_ever.edge_probabilities(flat))
    with pytest.raises(ValueError, match="never ends"):
        require_end(flat, for_ever.edge_probabilities(flat))


def test_probabilities_must_sum_to_one(flat):
    with pytest.raises(ValueError, match="sum to 0"):
        evaluate(flat, flat.probability)


def test_discounted_values_by_hand():
    """One die of faces 1 and 3, always rerolling a one: V(1) = -1 + d (V(1) + V(3)) / 2 and V(3) = 3."""
    flat = unfold(DiceGame(1, 2, values=(1, 3)))
    policy = choose(flat, [flat.edges(node)[k] for node, k in zip(flat.decision_nodes(), (0, 1), strict=True)])
    discount = Fraction(1, 2)
    values = node_values(flat, policy.edge_probabilities(flat), discount=discount)
    assert values[flat.index["decide", (1,)]] == (-1 + discount * Fraction(3, 2)) / (1 - discount / 2)


def test_a_game_that_is_over_at_once_returns_nothing_for_certain():
    flat = unfold(TableGame("nothing", 1, {}))
    spread = return_distribution(flat, [])
    assert spread.probability == {0: 1}
    assert spread.rest == 0
