import pytest

from support.stats import mean_interval, proportion_interval, ratio_interval


def test_wilson_published_example():
    """Newcombe (1998), table I: 81 of 263 and 0 of 20, Wilson's score method without continuity correction."""
    assert proportion_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert proportion_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)


def test_student_by_hand():
    """1, 2, 3: mean 2, standard error 1/sqrt(3), t(0.975, 2) = 4.3027."""
    assert mean_interval([1, 2, 3]) == pytest.approx((2 - 4.3027 / 3**0.5, 2 + 4.3027 / 3**0.5), abs=1e-4)


@pytest.mark.parametrize(("k", "n"), [(3, 2), (-1, 2), (0, 0)])
def test_impossible_counts(k, n):
    with pytest.raises(ValueError, match="between 0 and trials"):
        proportion_interval(k, n)


def test_one_value_has_no_interval():
    with pytest.raises(ValueError, match="at least two"):
        mean_interval([1.0])


def test_ratio_published_example():
    """Physicians' Health Study (1989): 104 of 11,037 against 189 of 11,034 heart attacks; ratio 0.55, 0.43 to 0.70."""
    assert ratio_interval(104, 11_037, 189, 11_034) == pytest.approx((0.4337, 0.6978), abs=5e-4)


def test_no_ratio_without_hits():
    with pytest.raises(ValueError, match="hits on both sides"):
        ratio_interval(0, 10, 3, 10)
