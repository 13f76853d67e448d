"""Scores of many runs: bootstrap intervals, interquartile means, performance profiles."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import t

from support.verdicts import bootstrap
from support.verdicts.bootstrap import interquartile_mean, performance_profile, profile_band, seeds_interval
from support.verdicts.stats import mean_interval


def generator(seed=7):
    return np.random.default_rng(seed)


# Bootstrap intervals


def test_the_generator_alone_decides():
    values = generator(1).normal(size=12)
    first = seeds_interval(values, random=generator())
    assert seeds_interval(values, random=generator()) == first
    assert seeds_interval(values, random=generator(8)) != first
    used = generator()
    assert seeds_interval(values, random=used) == first
    assert seeds_interval(values, random=used) != first
    np.random.seed(3)  # noqa: NPY002
    assert seeds_interval(values, random=generator()) == first


def test_one_stratum_is_plain():
    values = generator(1).normal(size=12)
    assert seeds_interval([values], random=generator()) == seeds_interval(values, random=generator())
    assert seeds_interval(values[None], random=generator()) == seeds_interval(list(values), random=generator())


def test_bootstrap_against_all_resamples():
    """Of three values 27 samples can be drawn: the quantiles of their means."""
    values = np.array([0.0, 1.0, 5.0])
    means = [np.mean(values[[i, j, k]]) for i in range(3) for j in range(3) for k in range(3)]
    expected = np.quantile(np.repeat(means, 1_000), [0.1, 0.9])
    assert seeds_interval(values, level=0.8, random=generator()) == pytest.approx(expected, abs=1e-9)


def test_strata_are_drawn_from_each_on_its_own():
    """Without spread inside the strata nothing is left of the spread between them."""
    strata = [[1.0, 1.0, 1.0], [7.0, 7.0, 7.0]]
    assert seeds_interval(strata, random=generator()) == (4, 4)
    low, high = seeds_interval(np.ravel(strata), random=generator())
    assert low < 3
    assert high > 5


def test_the_statistic_is_of_all_strata_together():
    """Two values of one stratum, six of the other: the mean of all eight, not of two means."""
    strata = [[0.0, 0.0], [8.0] * 6]
    assert seeds_interval(strata, random=generator()) == (6, 6)
    assert seeds_interval(strata, np.max, random=generator()) == (8, 8)


def test_statistics_with_and_without_axis_agree():
    strata = [generator(1).normal(size=6), generator(2).exponential(size=9)]
    for statistic in (np.median, interquartile_mean):
        fast = seeds_interval(strata, statistic, resamples=200, random=generator())
        one_by_one = seeds_interval(strata, lambda v, f=statistic: float(f(v)), resamples=200, random=generator())
        assert fast == pytest.approx(one_by_one)


def test_batches_change_nothing(monkeypatch):
    values, sizes = generator(1).normal(size=10), []

    def mean(numbers, axis):
        sizes.append(numbers.size)
        return np.mean(numbers, axis=axis)

    whole = seeds_interval(values, mean, random=generator())
    assert max(sizes) == 99_990  # all resamples at once
    sizes.clear()
    monkeypatch.setattr(bootstrap, "MOST_NUMBERS", 1_000)
    assert seeds_interval(values, mean, random=generator()) == pytest.approx(whole)
    assert max(sizes) == 1_000


def test_a_higher_level_is_wider():
    values = generator(1).normal(size=20)
    narrow, wide = (seeds_interval(values, level=level, random=generator()) for level in (0.8, 0.99))
    assert wide[0] < narrow[0] < np.mean(values) < narrow[1] < wide[1]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-100, 100), min_size=2, max_size=12), st.floats(-50, 50), st.sampled_from([0.5, 2.0, 10.0]))
@example([2.5489510623743155e-256] * 2, 0.0, 0.5)
def test_intervals_follow_shifts_and_scales(values, shift, scale):
    low, high = seeds_interval(values, resamples=99, random=generator())
    moved = seeds_interval([scale * v + shift for v in values], resamples=99, random=generator())
    assert moved == pytest.approx((scale * low + shift, scale * high + shift), abs=1e-6)
    assert min(values) - 1e-9 <= low <= high <= max(values) + 1e-9


@pytest.mark.parametrize("seeds", [5, 30])
def test_how_often_the_interval_covers(seeds):
    """Like a normal interval whose variance divides by n: when |t| < 1.96 sqrt((n - 1) / n), with n - 1 degrees."""
    draws = generator(5).normal(size=(400, seeds))
    found = [seeds_interval(draw, resamples=299, random=generator(i)) for i, draw in enumerate(draws)]
    expected = 2 * t.cdf(1.96 * (1 - 1 / seeds) ** 0.5, seeds - 1) - 1
    assert np.mean([low <= 0 <= high for low, high in found]) == pytest.approx(expected, abs=0.03)


def test_stratified_interval_covers():
    """Four tasks of ten seeds, far apart in mean and spread: the mean of all."""
    middle, spread = np.array([[0.0], [10.0], [50.0], [100.0]]), np.array([[1.0], [5.0], [2.0], [4.0]])
    draws = middle + spread * generator(5).normal(size=(300, 4, 10))
    found = [seeds_interval(draw, resamples=299, random=generator(i)) for i, draw in enumerate(draws)]
    assert 0.88 < np.mean([low <= 40 <= high for low, high in found]) < 0.97
    width, student = np.mean([high - low for low, high in found]), np.subtract(*mean_interval(draws[0].ravel())[::-1])
    assert width < student / 8  # which takes the difference between tasks for chance


# Means and profiles


def test_interquartile_mean_by_hand():
    assert interquartile_mean([100, 1, 2, 3, 4, 5, 6, -50]) == (2 + 3 + 4 + 5) / 4
    assert interquartile_mean([9, 1, 2, 3, 0]) == 2  # a quarter of five, rounded down, is one
    assert interquartile_mean([7, 1, 1]) == 3
    assert interquartile_mean([5]) == 5


def test_interquartile_mean_published_examples():
    """From the tests of rliable, the library of Agarwal et al. (2021): runs by tasks."""
    assert interquartile_mean([[1, 2], [2, 2], [1, 1], [2, 1]]) == 1.5
    assert interquartile_mean([[1, 1], [2, 2], [3, 3]]) == 2


def test_interquartile_mean_takes_all_runs_of_all_tasks():
    """The middle of eight runs, not the mean of two middles."""
    assert interquartile_mean([[0, 0, 0, 100], [1, 2, 3, 4]]) == (0 + 1 + 2 + 3) / 4
    assert interquartile_mean([[0, 0], [1, 2, 3, 4, 5, 100]]) == (1 + 2 + 3 + 4) / 4
    table = np.array([[0.0, 0, 0, 100], [1, 2, 3, 4]])
    assert interquartile_mean(table, axis=1) == pytest.approx([0, 2.5])


def test_profile_by_hand():
    scores = [[0, 1, 2, 3], [2, 2]]
    assert performance_profile(scores, [-1, 0, 1.5, 2, 3]) == pytest.approx([1, 7 / 8, 3 / 4, 1 / 8, 0])
    assert performance_profile([0, 1, 2, 3], [1]) == pytest.approx([0.5])


def test_area_under_a_profile_is_the_mean():
    """Agarwal et al. (2021), section 4.2: for scores in [0, 1]."""
    scores = generator(1).random((3, 8))
    thresholds = (np.arange(20_000) + 0.5) / 20_000
    assert performance_profile(scores, thresholds).mean() == pytest.approx(scores.mean(), abs=1e-4)


def test_band_around_the_profile():
    scores, thresholds = generator(1).normal(size=(3, 10)), np.linspace(-2, 2, 9)
    low, high = profile_band(scores, thresholds, random=generator())
    profile = performance_profile(scores, thresholds)
    assert low.shape == high.shape == profile.shape
    assert (low <= profile).all()
    assert (profile <= high).all()
    assert (low < high).any()
    again = profile_band(scores, thresholds, random=generator())
    assert (again[0] == low).all()
    assert (again[1] == high).all()
    wide_low, wide_high = profile_band(scores, thresholds, 0.999, random=generator())
    assert (wide_low <= low).all()
    assert (wide_high >= high).all()
    assert (wide_high - wide_low).sum() > (high - low).sum()


def test_band_at_one_threshold_is_the_interval():
    strata = [generator(1).normal(size=8), generator(2).normal(size=8)]
    low, high = profile_band(strata, [0.2], resamples=999, random=generator())
    hits = [stratum > 0.2 for stratum in strata]
    assert (low[0], high[0]) == pytest.approx(seeds_interval(hits, resamples=999, random=generator()))


def test_band_averages_tasks_of_unequal_length():
    """Two runs above the threshold, and four of which none is."""
    low, high = profile_band([[1, 1], [0, 0, 0, 0]], [0.5], random=generator())
    assert (low, high) == ([0.5], [0.5])


@pytest.mark.parametrize("values", [[], [1.0], [[1.0, 2.0], [3.0]], [[1.0, 2.0], []], np.ones((2, 2, 2))])
def test_too_few_values(values):
    for use in (
        lambda: seeds_interval(values, random=generator()),
        lambda: profile_band(values, [0.5], random=generator()),
    ):
        with pytest.raises(ValueError, match="at least 2 values"):
            use()


@pytest.mark.parametrize("values", [[], [[1.0], []]])
def test_nothing_to_average(values):
    for use in (interquartile_mean, lambda v: performance_profile(v, [0.5])):
        with pytest.raises(ValueError, match="at least 1 values"):
            use(values)


@pytest.mark.parametrize("values", [[1.0, 2.0, np.nan], [[1.0, 2.0], [np.nan, 3.0]]])
def test_nan_is_refused(values):
    for use in (
        lambda: seeds_interval(values, random=generator()),
        lambda: profile_band(values, [0.5], random=generator()),
        lambda: performance_profile(values, [0.5]),
        lambda: interquartile_mean(values),
        lambda: interquartile_mean(np.array([[1.0, np.nan]]), axis=1),
    ):
        with pytest.raises(ValueError, match="NaN"):
            use()


@pytest.mark.parametrize("level", [0, 1, 95])
def test_levels_outside_are_refused(level):
    for use in (
        lambda: seeds_interval([1, 2, 3], level=level, random=generator()),
        lambda: profile_band([1, 2, 3], [0.5], level, random=generator()),
    ):
        with pytest.raises(ValueError, match="level must lie between 0 and 1"):
            use()
