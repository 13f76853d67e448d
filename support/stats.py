"""Intervals and tests for what random play shows."""

from collections.abc import Sequence

import numpy as np

__all__ = [
    "mean_interval",
    "prediction_surprise",
    "proportion_interval",
    "rank_test",
    "ratio_interval",
    "same_distribution",
    "sign_test",
]


def proportion_interval(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval for a proportion (Wilson 1927), as recommended by Brown, Cai and DasGupta (2001).

    Raises:
        ValueError: no trials, or more successes than trials.
    """
    if not 0 <= successes <= trials or trials < 1:
        raise ValueError(f"successes must lie between 0 and trials, trials at least 1: not {successes} of {trials}")
    from scipy.stats import binomtest

    interval = binomtest(int(successes), int(trials)).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)


def mean_interval(values: Sequence[float] | np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """Student's interval for the mean of independent values, in their units.

    Raises:
        ValueError: fewer than two values.
    """
    values = np.asarray(values, dtype=float)
    if values.size < 2:
        raise ValueError(f"an interval needs at least two values, not {values.size}")
    from scipy.stats import t

    half = t.ppf((1 + level) / 2, values.size - 1) * values.std(ddof=1) / values.size**0.5
    return float(values.mean() - half), float(values.mean() + half)


def ratio_interval(
    hits: int, trials: int, other_hits: int, other_trials: int, level: float = 0.95
) -> tuple[float, float]:
    """Katz's interval for the ratio of two independent proportions, by the logarithm (Katz et al. 1978).

    Raises:
        ValueError: impossible counts, or no hit on one side, of which no logarithm can be taken.
    """
    for k, n in ((hits, trials), (other_hits, other_trials)):
        if not 0 < k <= n:
            raise ValueError(f"a ratio needs between 1 and all trials to be hits on both sides, not {k} of {n}")
    from scipy.stats import norm

    error = (1 / hits - 1 / trials + 1 / other_hits - 1 / other_trials) ** 0.5
    middle = np.log(hits / trials) - np.log(other_hits / other_trials)
    half = norm.ppf((1 + level) / 2) * error
    return float(np.exp(middle - half)), float(np.exp(middle + half))


def prediction_surprise(value: float, sample: Sequence[float] | np.ndarray) -> float:
    """Two-sided probability that one more draw lies as far from the mean of a sample as ``value`` does.

    Student's prediction interval turned round: normal draws, mean and spread unknown (Hahn and Meeker 1991).

    Raises:
        ValueError: fewer than two values, or all of them equal.
    """
    sample = np.asarray(sample, dtype=float)
    if sample.size < 2 or sample.std() == 0:
        raise ValueError(f"a prediction needs at least two different values, not {sample.tolist()}")
    from scipy.stats import t

    away = (value - sample.mean()) / (sample.std(ddof=1) * (1 + 1 / sample.size) ** 0.5)
    return float(2 * t.sf(abs(away), sample.size - 1))


def same_distribution(*groups: Sequence[float]) -> float:
    """The p-value of the test of Kruskal and Wallis (1952) that all groups come from one distribution."""
    from scipy.stats import kruskal

    return float(kruskal(*groups).pvalue)


def rank_test(one: Sequence[float] | np.ndarray, other: Sequence[float] | np.ndarray) -> float:
    """Two-sided p-value of the test of Mann and Whitney (1947) that neither sample tends to larger values."""
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(one, other).pvalue)


def sign_test(successes: int, trials: int) -> float:
    """Two-sided p-value of ``successes`` out of ``trials`` if both outcomes are equally likely.

    Raises:
        ValueError: no trials, or more successes than trials.
    """
    from scipy.stats import binomtest

    return float(binomtest(int(successes), int(trials)).pvalue)
