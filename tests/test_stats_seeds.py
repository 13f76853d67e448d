"""Statistics over seeds: bootstrap intervals, profiles, and published counts among ours."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import norm, t

from support import bootstrap
from support.bootstrap import interquartile_mean, performance_profile, profile_band, seeds_interval
from support.stats import CountSurprise, count_surprise, mean_interval, prediction_surprise


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


# Published counts


def surprises(seeds, games, published_games, mean, overdispersion, cases=2_000):
    """The probabilities found for seeds and one more that played as many games as published; beta rates, or one."""
    random = generator(11)
    rates = np.full((cases, seeds + 1), mean)
    if overdispersion:
        weight = 1 / overdispersion - 1
        rates = random.beta(mean * weight, (1 - mean) * weight, size=rates.shape)
    ours, more = random.binomial(games, rates[:, :seeds]), random.binomial(published_games, rates[:, seeds])
    found = [count_surprise(hits, published_games, row, games) for row, hits in zip(ours, more, strict=True)]
    return np.array([one.probability for one in found])


@pytest.mark.parametrize("seeds", [5, 10, 30])
@pytest.mark.parametrize(
    ("games", "published_games", "mean", "overdispersion"),
    [
        (1_000, 1_000, 0.5, 0.01),
        (10_000, 100, 0.5, 0),
        (1_000, 100, 0.95, 0.01),
        (50, 50, 0.7, 0.1),
    ],
)
def test_one_more_seed_is_as_surprising_as_it_says(seeds, games, published_games, mean, overdispersion):
    found = surprises(seeds, games, published_games, mean, overdispersion)
    assert 0.03 < np.mean(found < 0.05) < 0.075
    assert 0.003 < np.mean(found < 0.01) < 0.025
    assert np.mean(found < 0.2) == pytest.approx(0.2, abs=0.035)
    assert np.mean(found < 0.5) == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize(
    ("seeds", "games", "published_games", "mean", "overdispersion"),
    [(5, 1_000, 1_000, 0.5, 0), (30, 1_000, 1_000, 0.5, 0), (5, 200, 1_000, 0.5, 0.01), (10, 20, 20, 0.95, 0)],
)
def test_elsewhere_it_errs_on_the_cautious_side(seeds, games, published_games, mean, overdispersion):
    found = surprises(seeds, games, published_games, mean, overdispersion)
    assert 0.002 < np.mean(found < 0.05) < 0.055
    assert np.mean(found < 0.2) < 0.21


def test_power_against_another_rate():
    """Seeds of equal rate 0.5; a published one of 0.7 over 100 games lies four standard errors away."""
    random = generator(11)
    ours, published = random.binomial(10_000, 0.5, size=(300, 5)), random.binomial(100, 0.7, size=300)
    found = [count_surprise(hits, 100, row, 10_000).probability for row, hits in zip(ours, published, strict=True)]
    assert np.mean(np.array(found) < 0.05) > 0.95


def test_seeds_of_unequal_games():
    random, found = generator(11), []
    for _ in range(2_000):
        games, rates = random.integers(500, 2_000, size=8), random.beta(30, 20, size=9)
        hits = random.binomial(games, rates[:8])
        found.append(count_surprise(random.binomial(300, rates[8]), 300, hits, games).probability)
    assert 0.03 < np.mean(np.array(found) < 0.05) < 0.075


def test_a_count_that_is_surprising():
    """Seeds win 48 to 52 % of 10,000 games; so do 70 of 100 against all of them, 58 not."""
    ours = [4_800, 4_950, 5_000, 5_100, 5_200]
    assert count_surprise(70, 100, ours, 10_000).probability < 0.001
    assert count_surprise(70, 100, ours, 10_000).rank == 1
    assert count_surprise(58, 100, ours, 10_000).probability > 0.1
    assert count_surprise(5_800, 10_000, ours, 10_000).probability < 0.02


def test_large_counts_are_predicted_by_student():
    """With so many games binomial error is nothing, and near 1/2 the scale is straight."""
    ours, published = np.array([4_980_000, 5_000_000, 5_010_000, 5_030_000]), 5_060_000
    found = count_surprise(published, 10**7, ours, 10**7).probability
    assert found == pytest.approx(prediction_surprise(published, ours), rel=0.01)


def test_without_a_spread_binomial_error_remains():
    """Twenty seeds alike, of so many games that 1/2 is certain: 60 of 100 lies two standard errors out."""
    found = count_surprise(60, 100, [500_000] * 20, 10**6)
    assert found.probability == pytest.approx(0.0455, abs=0.001)
    assert found.rank == 1


@pytest.mark.parametrize("published", [(6, 10), (60, 100), (600, 1_000)])
def test_equal_counts_divide_by_nothing(published):
    """The distance in standard errors, of this count and the mean of two."""
    k, n = published
    away, error = abs(np.arcsin((k / n) ** 0.5) - np.pi / 4), (1 / (4 * n) + 1 / (4 * 100 * 2)) ** 0.5
    with np.errstate(all="raise"):
        found = count_surprise(k, n, [50, 50], 100).probability
    assert found == pytest.approx(2 * norm.sf(away / error), rel=0.1)


def test_more_published_trials_than_ours_count_as_no_more():
    """Ten times the trials at the same rate are no more surprising, once they are more than ours."""
    ours = [40, 50, 60, 45, 55]
    few, many, most = (count_surprise(7 * n, 10 * n, ours, 100).probability for n in (1, 100, 1_000))
    assert most == pytest.approx(many, rel=0.005)
    assert few > 1.5 * many
    assert many == pytest.approx(count_surprise(70, 100, ours, 100).probability, rel=0.05)


def test_seeds_close_together_by_luck_prove_nothing():
    """Binomial error of the difference: sqrt(250 (1 + 1 / 5)) = 17.3; the twenty more are 1.15 of them."""
    close = [500, 501, 499, 500, 500]
    assert count_surprise(520, 1_000, close, 1_000).probability == pytest.approx(0.249, abs=0.003)
    assert prediction_surprise(520, close) < 1e-4


@pytest.mark.parametrize("games", [1, 3, 10, 100])
def test_seeds_that_never_lose(games):
    found = count_surprise(games, games, [1_000] * 5, 1_000)
    assert found.probability > 0.2
    assert found.rank == 0.5


def test_seeds_that_never_lose_against_one_that_does():
    assert count_surprise(5, 10, [100] * 5, 100).probability < 1e-3


def test_rank_counts_ties_half():
    """Rates 0.2, 0.5, 0.5, 0.9 and a published one of 0.5: one below, two alike."""
    assert count_surprise(1, 2, [20, 50, 5, 9], [100, 100, 10, 10]).rank == (1 + 2 / 2) / 4
    assert count_surprise(0, 2, [20, 50], 100).rank == 0
    assert count_surprise(2, 2, [20, 50], 100).rank == 1


samples = st.tuples(
    st.integers(2, 200), st.integers(1, 200), st.lists(st.floats(0, 1), min_size=2, max_size=8), st.floats(0, 1)
)


@settings(max_examples=40, deadline=None)
@given(samples)
def test_symmetries_of_a_surprise(sample):
    games, published_games, shares, share = sample
    ours, published = [round(games * s) for s in shares], round(published_games * share)
    found = count_surprise(published, published_games, ours, games)
    assert 0 <= found.probability <= 1
    assert 0 <= found.rank <= 1
    lost = count_surprise(published_games - published, published_games, [games - k for k in ours], games)
    assert lost.probability == pytest.approx(found.probability, abs=1e-6)
    assert lost.rank == pytest.approx(1 - found.rank)
    turned = count_surprise(published, published_games, ours[::-1], [games] * len(ours))
    assert turned == CountSurprise(pytest.approx(found.probability, abs=1e-6), found.rank)


@settings(max_examples=30, deadline=None)
@given(samples)
def test_further_out_is_more_surprising(sample):
    games, published_games, shares, _ = sample
    ours = [round(games * s) for s in shares]
    found = [count_surprise(k, published_games, ours, games).probability for k in range(published_games + 1)]
    top = int(np.argmax(found))
    assert (np.diff(found[: top + 1]) >= -1e-12).all()
    assert (np.diff(found[top:]) <= 1e-12).all()


@pytest.mark.parametrize(
    ("published", "ours", "games", "message"),
    [
        ((3, 2), [1, 2], 5, "between 0 and trials"),
        ((1, 2), [1, 6], 5, "between 0 and trials"),
        ((1, 2), [0.5, 1], 5, "between 0 and trials"),
        ((1, 2), [1, float("nan")], 5, "between 0 and trials"),
        ((1, 2), [3], 5, "at least two"),
        ((1, 2), 3, 5, "at least two"),
        ((1, 2), [1, 2, 3], [5, 5], "shape"),
    ],
)
def test_counts_that_cannot_be(published, ours, games, message):
    with pytest.raises(ValueError, match=message):
        count_surprise(*published, ours, games)
