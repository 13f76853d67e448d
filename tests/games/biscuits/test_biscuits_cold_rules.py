"""The cold positions: by a sieve, by brute force and by the golden ratio."""

import numpy as np
import pytest

from support.games.biscuits.cold import cold, cold_positions, wythoff_pairs


def test_first_cold_positions():
    assert cold_positions(8).tolist() == [[0, 0], [1, 2], [3, 5], [4, 7]]
    assert cold_positions(0).tolist() == [[0, 0]]


def test_sieve_agrees_with_brute_force():
    limit = 40
    hot = np.zeros((limit + 1, limit + 1), bool)
    for a in range(limit + 1):
        for b in range(limit + 1):
            steps = [hot[:a, b], hot[a, :b], hot[range(a - min(a, b), a), range(b - min(a, b), b)]]
            hot[a, b] = not all(step.all() for step in steps)
    brute = [(a, b) for a, b in zip(*np.nonzero(~hot), strict=True) if a <= b]
    assert cold_positions(limit).tolist() == sorted(map(list, brute))


def test_sieve_agrees_with_the_golden_ratio():
    cold = cold_positions(200_000)
    assert len(cold) == 76_394
    assert (cold == wythoff_pairs(len(cold))).all()
    assert wythoff_pairs(len(cold) + 1)[-1, 1] > 200_000


def test_golden_ratio_needs_no_floats():
    k = 10**6
    assert wythoff_pairs(k + 1)[-1].tolist() == [1_618_033, 2_618_033]
    assert wythoff_pairs(0).shape == (0, 2)


@pytest.mark.parametrize("function", [cold_positions, wythoff_pairs])
def test_negative_sizes_are_refused(function):
    with pytest.raises(ValueError, match="at least 0"):
        function(-1)


def test_cold_boards_are_cold_whichever_heap_is_the_larger():
    assert cold(5) == {(0, 0), (1, 2), (2, 1), (3, 5), (5, 3)}
