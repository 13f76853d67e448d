import pytest

from support.stats import (
    mean_interval,
    prediction_surprise,
    proportion_interval,
    rank_test,
    ratio_interval,
    same_distribution,
    sign_test,
)


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


def test_a_prediction_turned_round():
    sample = [10.0, 12.0, 14.0]  # mean 12, deviation 2: 95 % of further draws lie within 4.303 * 2 * sqrt(4 / 3)
    edge = 12 + 4.302653 * 2 * (4 / 3) ** 0.5
    assert prediction_surprise(edge, sample) == pytest.approx(0.05, abs=1e-6)
    assert prediction_surprise(24 - edge, sample) == pytest.approx(0.05, abs=1e-6)
    assert prediction_surprise(12, sample) == 1
    for bad in ([1.0], [2.0, 2.0]):
        with pytest.raises(ValueError, match="at least two different values"):
            prediction_surprise(1, bad)


def test_tests_without_distributions():
    assert sign_test(5, 5) == pytest.approx(2 / 2**5)
    assert sign_test(3, 6) == 1
    assert rank_test([1, 2, 3], [4, 5, 6]) == pytest.approx(2 / 20)  # the two extreme ones of the 20 arrangements
    assert same_distribution([1, 2, 3], [4, 5, 6]) == pytest.approx(0.0495, abs=1e-4)  # H = 27 / 7
    assert same_distribution([1, 4, 5], [2, 3, 6]) > 0.5
