"""How surprising a published count is beside those of seeds: probabilities that are what they say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm, t

from support.verdicts.stats import count_surprise, share_surprise


def generator(seed=7):
    return np.random.default_rng(seed)


def surprises(seeds, games, published_games, mean, overdispersion, cases=2_000):
    """The probabilities found for seeds and one more that played as many games as published; beta rates, or one."""
    random = generator(11)
    rates = np.full((cases, seeds + 1), mean)
    if overdispersion:
        weight = 1 / overdispersion - 1
        rates = random.beta(mean * weight, (1 - mean) * weight, size=rates.shape)
    ours, more = random.binomial(games, rates[:, :seeds]), random.binomial(published_games, rates[:, seeds])
    found = [count_surprise(hits, published_games, row, games) for row, hits in zip(ours, more, strict=True)]
    return np.array(found)


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
    found = [count_surprise(hits, 100, row, 10_000) for row, hits in zip(ours, published, strict=True)]
    assert np.mean(np.array(found) < 0.05) > 0.95


def test_seeds_of_unequal_games():
    random, found = generator(11), []
    for _ in range(2_000):
        games, rates = random.integers(500, 2_000, size=8), random.beta(30, 20, size=9)
        hits = random.binomial(games, rates[:8])
        found.append(count_surprise(random.binomial(300, rates[8]), 300, hits, games))
    assert 0.03 < np.mean(np.array(found) < 0.05) < 0.075


def test_a_count_that_is_surprising():
    """Seeds win 48 to 52% of 10,000 games; so do 70 of 100 against all of them, 58 not."""
    ours = [4_800, 4_950, 5_000, 5_100, 5_200]
    assert count_surprise(70, 100, ours, 10_000) < 0.001
    assert count_surprise(58, 100, ours, 10_000) > 0.1
    assert count_surprise(5_800, 10_000, ours, 10_000) < 0.02


def test_large_counts_are_predicted_by_student():
    """With so many games binomial error is nothing, and near 1/2 the scale is straight."""
    ours, published = np.array([4_980_000, 5_000_000, 5_010_000, 5_030_000]), 5_060_000
    found = count_surprise(published, 10**7, ours, 10**7)
    away = (published - ours.mean()) / (ours.std(ddof=1) * (1 + 1 / len(ours)) ** 0.5)
    assert found == pytest.approx(2 * t.sf(away, len(ours) - 1), rel=0.01)


def test_without_a_spread_binomial_error_remains():
    """Twenty seeds alike, of so many games that 1/2 is certain: 60 of 100 lies two standard errors out."""
    found = count_surprise(60, 100, [500_000] * 20, 10**6)
    assert found == pytest.approx(0.0455, abs=0.001)


@pytest.mark.parametrize("published", [(6, 10), (60, 100), (600, 1_000)])
def test_equal_counts_divide_by_nothing(published):
    """The distance in standard errors, of this count and the mean of two."""
    k, n = published
    away, error = abs(np.arcsin((k / n) ** 0.5) - np.pi / 4), (1 / (4 * n) + 1 / (4 * 100 * 2)) ** 0.5
    with np.errstate(all="raise"):
        found = count_surprise(k, n, [50, 50], 100)
    assert found == pytest.approx(2 * norm.sf(away / error), rel=0.1)


def test_more_published_trials_than_ours_count_as_no_more():
    """Ten times the trials at the same rate are no more surprising, once they are more than ours."""
    ours = [40, 50, 60, 45, 55]
    few, many, most = (count_surprise(7 * n, 10 * n, ours, 100) for n in (1, 100, 1_000))
    assert most == pytest.approx(many, rel=0.005)
    assert few > 1.5 * many
    assert many == pytest.approx(count_surprise(70, 100, ours, 100), rel=0.05)


def test_seeds_close_together_by_luck_prove_nothing():
    """Binomial error of the difference: sqrt(250 (1 + 1 / 5)) = 17.3; the twenty more are 1.15 of them."""
    close = [500, 501, 499, 500, 500]
    assert count_surprise(520, 1_000, close, 1_000) == pytest.approx(0.249, abs=0.003)


@pytest.mark.parametrize("shares", [[0.7, 0.71, 0.74, 0.69, 0.72], [0.5] * 3, [1.0, 0.98, 0.97]])
@pytest.mark.parametrize("hits", [0, 350, 380, 400, 499, 500])
def test_computed_shares_are_counts_of_very_many(shares, hits):
    counts = [round(10**9 * share) for share in shares]
    assert share_surprise(hits, 500, shares) == pytest.approx(count_surprise(hits, 500, counts, 10**9), rel=1e-3)


@pytest.mark.parametrize("games", [1, 3, 10, 100])
def test_seeds_that_never_lose(games):
    found = count_surprise(games, games, [1_000] * 5, 1_000)
    assert found > 0.2


def test_seeds_that_never_lose_against_one_that_does():
    assert count_surprise(5, 10, [100] * 5, 100) < 1e-3


samples = st.tuples(
    st.integers(2, 200), st.integers(1, 200), st.lists(st.floats(0, 1), min_size=2, max_size=8), st.floats(0, 1)
)


@settings(max_examples=40, deadline=None)
@given(samples)
def test_symmetries_of_a_surprise(sample):
    games, published_games, shares, share = sample
    ours, published = [round(games * s) for s in shares], round(published_games * share)
    found = count_surprise(published, published_games, ours, games)
    assert 0 <= found <= 1
    lost = count_surprise(published_games - published, published_games, [games - k for k in ours], games)
    assert lost == pytest.approx(found, abs=1e-6)
    turned = count_surprise(published, published_games, ours[::-1], [games] * len(ours))
    assert turned == pytest.approx(found, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(samples)
def test_further_out_is_more_surprising(sample):
    games, published_games, shares, _ = sample
    ours = [round(games * s) for s in shares]
    found = [count_surprise(k, published_games, ours, games) for k in range(published_games + 1)]
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


@pytest.mark.parametrize("shares", [[0.5], [0.5, 1.1], [-0.1, 0.5], [0.5, float("nan")], [[0.5, 0.6]]])
def test_shares_that_cannot_be(shares):
    with pytest.raises(ValueError, match="at least two, from 0 to 1"):
        share_surprise(1, 2, shares)
