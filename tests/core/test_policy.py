from fractions import Fraction

import numpy as np
import pytest

from support.core.flat import unfold
from support.core.policy import PolicyError, exact_row, from_weights, probabilities_of, uniform
from support.games.cards.kuhn import Kuhn


@pytest.fixture(scope="module")
def flat():
    return unfold(Kuhn())


def test_weights_become_exact_probabilities(flat):
    weights = np.zeros(flat.slots[-1], np.int64)
    weights[:2] = 1, 2
    policy = from_weights(flat, weights, "counted")
    first, second = flat.information_states[:2]
    assert policy.row(first) == {"c": Fraction(1, 3), "r": Fraction(2, 3)}
    assert policy.row(second) == {"c": Fraction(1, 2), "r": Fraction(1, 2)}
    assert probabilities_of(flat, policy)[:4].tolist() == [1 / 3, 2 / 3, 1 / 2, 1 / 2]


def test_the_uniform_policy_by_slot(flat):
    assert probabilities_of(flat, uniform(flat)).tolist() == [0.5] * 24


@pytest.mark.parametrize("weights", [[1] * 3, [-1] + [1] * 23])
def test_bad_weights_are_named(flat, weights):
    with pytest.raises(ValueError, match="24 non-negative weights"):
        from_weights(flat, np.array(weights))


def test_a_row_is_added_up_once_but_its_actions_are_looked_at_each_time():
    row = exact_row({"c": 1, "r": 3 / 4 - 3 / 4}, (0, "K"), ("c", "r"))
    assert row == {"c": 1}
    assert exact_row(row, (0, "Kr"), ("f", "c")) is row
    with pytest.raises(PolicyError, match=r"the policy plays 'c' in \(1, 'Q'\); legal: \['f', 'r'\]"):
        exact_row(row, (1, "Q"), ("f", "r"))
