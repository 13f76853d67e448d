"""Confidence intervals and tests for the results of random play."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

SAME = 1e-9
"""Numbers that differ by less than this share are equal: rounding alone may tell them apart."""
FEWEST_RANKED = 20
"""The fewest runs with which a published row that is farther out than all of them has a probability below 5%."""
MOST_TABLES = 10_000
"""The product of two numbers of trials up to which Boschloo's test takes about a second at most: 100 times 100."""
MOST_ARRANGEMENTS = 20_000
"""The most arrangements of two samples with ties that the rank test goes through: 8 values against 8 have 12,870."""


def proportion_interval(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a proportion (1927), as recommended by Brown, Cai and DasGupta (2001).

    Args:
        successes: the number of trials that succeeded.
        trials: the number of trials.
        level: the confidence level.

    Raises:
        ValueError: no trials, more successes than trials, or a level outside (0, 1).
    """
    successes, trials = _counts(successes, trials)
    require_level(level)
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)


def mean_interval(values: Sequence[float] | np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """Student's interval for the mean of independent values, in their units.

    Raises:
        ValueError: fewer than two values, a value that is not finite, or a level outside (0, 1).
    """
    require_level(level)
    values = _finite(values)
    if values.size < 2:
        raise ValueError(f"an interval needs at least two values, not {values.size}")
    from scipy.stats import t

    half = t.ppf((1 + level) / 2, values.size - 1) * values.std(ddof=1) / values.size**0.5
    return float(values.mean() - half), float(values.mean() + half)


def estimate(values: Sequence[float] | np.ndarray) -> tuple[float, float, float]:
    """The mean of independent values, and Student's 95% interval for it; errors as for :func:`mean_interval`."""
    return (float(np.mean(values)), *mean_interval(values))


def ratio_interval(
    hits: int, trials: int, other_hits: int, other_trials: int, level: float = 0.95
) -> tuple[float, float]:
    """Katz's interval for the ratio of two independent proportions, by the logarithm (Katz et al. 1978).

    Raises:
        ValueError: impossible counts, a level outside (0, 1), no hit on one side, which has no logarithm, or hits
            alone on both, whose interval would have no width.
    """
    require_level(level)
    hits, trials = _counts(hits, trials)
    other_hits, other_trials = _counts(other_hits, other_trials)
    if not (hits and other_hits):
        raise ValueError(f"a ratio needs hits on both sides, not {hits} of {trials} and {other_hits} of {other_trials}")
    if hits == trials and other_hits == other_trials:
        raise ValueError(f"a ratio needs a miss on one side, not {hits} of {trials} and {other_hits} of {other_trials}")
    from scipy.stats import norm

    error = (1 / hits - 1 / trials + 1 / other_hits - 1 / other_trials) ** 0.5
    middle = np.log(hits / trials) - np.log(other_hits / other_trials)
    half = norm.ppf((1 + level) / 2) * error
    return float(np.exp(middle - half)), float(np.exp(middle + half))


def exceeds(interval: Sequence[float] | np.ndarray, other: Sequence[float] | np.ndarray | float) -> bool | None:
    """Whether what an interval is about is larger than a number, or than what another interval is about.

    Returns:
        True if the whole interval lies above, False if the whole of it lies below, None if neither.
    """
    low, high = np.broadcast_to(other, 2)
    return True if interval[0] > high else False if interval[1] < low else None


@dataclass(frozen=True)
class RateComparison:
    """A comparison of two independent proportions.

    Attributes:
        difference: the first less the second.
        interval: for the difference, at the level.
        p_value: two-sided, for the hypothesis that there is no difference.
        level: the confidence level.
    """

    difference: float
    interval: tuple[float, float]
    p_value: float
    level: float

    @property
    def different(self) -> bool:
        """Whether the test separates the two at the level; in close cases the interval may disagree."""
        return self.p_value < 1 - self.level


def compare_rates(hits: int, trials: int, other_hits: int, other_trials: int, level: float = 0.95) -> RateComparison:
    """The difference of two independent proportions: Newcombe's hybrid score interval and an exact test.

    The interval (Newcombe 1998, method 10) is built on Wilson's interval for each side. The p-value is twice that of a
    one-sided test: Boschloo's (1970) if the product of the two numbers of trials is at most ``MOST_TABLES``, and
    otherwise Fisher's (1935), on which Boschloo's improves. Both keep their level whatever the rates; a score test does
    not if few hits or misses are expected. Near 0.05, Fisher's p-value is about 30% larger than Boschloo's with 100
    trials on each side, and 10 to 20% larger than the score test's with 1000.

    Raises:
        ValueError: impossible counts, or a level outside (0, 1).
    """
    hits, trials = _counts(hits, trials)
    other_hits, other_trials = _counts(other_hits, other_trials)
    from scipy.stats import boschloo_exact, fisher_exact

    rate, other = hits / trials, other_hits / other_trials
    low, high = proportion_interval(hits, trials, level)
    other_low, other_high = proportion_interval(other_hits, other_trials, level)
    difference = rate - other
    interval = (
        difference - float(np.hypot(rate - low, other_high - other)),
        difference + float(np.hypot(high - rate, other - other_low)),
    )
    table = [[hits, other_hits], [trials - hits, other_trials - other_hits]]
    test = boschloo_exact if trials * other_trials <= MOST_TABLES else fisher_exact
    one_sided = test(table, alternative="greater" if difference > 0 else "less").pvalue if difference else 1
    return RateComparison(difference, interval, min(1.0, 2 * float(one_sided)), level)


def count_surprise(
    hits: int, trials: int, seed_hits: Sequence[int] | np.ndarray, seed_trials: int | Sequence[int] | np.ndarray
) -> float:
    """The probability that one more seed lies as far out as a published count, with the binomial error of all counts.

    On the scale of arcsin sqrt((k + 3/8) / (n + 3/4)), a count k of n has the error variance 1 / (4 n + 2), whatever
    its rate (Anscombe 1948). On this scale, Student's t predicts one more seed. The variance of the prediction is that
    of the seeds' counts, once for the new seed and once, divided by their number, for the mean; a smaller number of
    published trials adds to it. The degrees of freedom are Satterthwaite's (1946). Seeds lie closer together than
    binomial error alone would put them only by luck, so the answer is never below the probability from this error
    alone.

    In simulations, one more seed like the others is called surprising at the 5% level in 4 to 7% of cases, even with
    only five seeds, if their rates differ or each has many more trials than published. Three conditions make it rarer:
    the rates do not differ and the trials are as many as published (2% with five seeds, 4% with thirty); fewer than
    about three hits or misses are expected; or seeds have fewer trials than published. In the last case the published
    trials count as no more than the seeds' own, so give every seed at least as many. Rates far from normal change the
    share: to 2.5% if they are spread evenly over [0, 1], and to 9% if a fifth of the seeds fail. A beta-binomial
    distribution fitted to five seeds that differ treats their spread as known, and calls 15% surprising.

    Args:
        hits: the published count.
        trials: the number of trials behind it.
        seed_hits: int[seeds], the count of each seed.
        seed_trials: the number of trials of each seed, or int[seeds].

    Raises:
        ValueError: impossible counts, or fewer than two seeds.
    """
    hits, trials = _counts(hits, trials)
    pairs = np.broadcast_arrays(seed_hits, seed_trials)
    if pairs[0].ndim != 1 or pairs[0].size < 2:
        raise ValueError(f"a distribution over seeds needs the counts of at least two, not {seed_hits}")
    ours = np.array([_counts(k, n) for k, n in zip(*pairs, strict=True)])
    return _surprise(hits, trials, _angle(ours[:, 0], ours[:, 1]), float(np.mean(1 / (4 * ours[:, 1] + 2))))


def share_surprise(hits: int, trials: int, shares: Sequence[float] | np.ndarray) -> float:
    """Like :func:`count_surprise`, if each seed's share is computed: only the published count has binomial error.

    Args:
        hits: the published count.
        trials: the number of trials behind it.
        shares: float[seeds], from 0 to 1.

    Raises:
        ValueError: an impossible count, numbers that are not shares, or fewer than two seeds.
    """
    hits, trials = _counts(hits, trials)
    ours = np.asarray(shares, dtype=float)
    if ours.ndim != 1 or ours.size < 2 or not ((ours >= 0) & (ours <= 1)).all():
        raise ValueError(f"a distribution over seeds needs the shares of at least two, from 0 to 1, not {shares}")
    return _surprise(hits, trials, np.arcsin(np.sqrt(ours)), 0.0)


def _angle(hits: Any, trials: Any) -> Any:
    return np.arcsin(np.sqrt((hits + 3 / 8) / (trials + 3 / 4)))


def _surprise(hits: int, trials: int, angles: np.ndarray, seed_error: float) -> float:
    """The answer of :func:`count_surprise`, from the seeds' angles and the mean error variance of one seed."""
    from scipy.special import ndtr, stdtr

    seeds, published_error = len(angles), 1 / (4 * trials + 2)
    away = abs(_angle(hits, trials) - angles.mean())
    probability = 2 * ndtr(-away / np.sqrt(published_error + seed_error / seeds))
    spread = angles.var(ddof=1) * (1 + 1 / seeds)
    if spread > 0:
        total = spread + max(published_error - seed_error, 0)
        freedom = (seeds - 1) * (total / spread) ** 2
        probability = max(probability, 2 * stdtr(freedom, -away / np.sqrt(total)))
    return float(probability)


def joint_surprise(published: Sequence[float] | np.ndarray, runs: Sequence[Sequence[float]] | np.ndarray) -> float:
    """The probability that one more run lies as far from its nearest neighbour as a published row of numbers does.

    This is the book's one test for claims of several numbers at once. Each column is measured in units of its own
    spread over all rows, including the published one. A row is as far out as its distance to the nearest other row. If
    runs come in families (in some an ace leads, in others never), a row near one of them is not far out, however far it
    lies from the mean of all. Runs should have the published length; then they have the same chance error as the
    published row.

    With ``FEWEST_RANKED`` runs or more, the probability is the share of all rows, including the published one, that lie
    at least as far out as it does. This is exact for every distribution, if the published row comes from the same one.
    With fewer runs, no such share falls below 5%. Then Student's prediction, on the far side alone (Hahn and Meeker
    1991), compares the logarithm of the published distance with those of our runs. With six to eight runs, it calls 4
    to 6% of further runs surprising at the 5% level. ``support.verdicts.calibration`` simulates what is rejected. If
    our runs are all equally far out, their spread says nothing, and the share of rows is taken after all: of few runs
    whose neighbours are all one apart, say, every published row is an ordinary one.

    With many columns, one number must lie far out to be noticed, so print beside each verdict what would have passed
    (:func:`passing_ranges`).

    Args:
        published: float[k].
        runs: float[n, k], one row per run, n at least 3.

    Raises:
        ValueError: rows of another length than published, fewer than three of them, or numbers that are not finite.
    """
    row, ours = np.asarray(published, dtype=float), np.asarray(runs, dtype=float)
    if ours.ndim != 2 or len(ours) < 3 or row.shape != ours.shape[1:]:
        raise ValueError(
            f"runs must be at least three rows of as many numbers as published ({row.shape}), not {ours.shape}"
        )
    return _chance(_nearest(np.vstack([row, ours])))


def _chance(far: np.ndarray) -> float:
    """The probability that :func:`joint_surprise` finds for the first of some rows, from how far out all rows are."""
    seeds, share = len(far) - 1, float((far >= far[0] * (1 - SAME)).mean())
    if seeds >= FEWEST_RANKED or not (far > 0).any():
        return share
    from scipy.special import stdtr

    logs = np.log(np.maximum(far, far[far > 0].min() / 2))
    if (spread := logs[1:].std(ddof=1)) < SAME:
        return share
    return float(stdtr(seeds - 1, (logs[1:].mean() - logs[0]) / (spread * (1 + 1 / seeds) ** 0.5)))


def _nearest(rows: np.ndarray) -> np.ndarray:
    """float64[n], the distance of each row to its nearest other row, columns in units of their spread."""
    from scipy.spatial.distance import pdist, squareform

    if not np.isfinite(rows).all():
        raise ValueError("every number must be finite")
    rows = np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=0))[1])  # squares of the largest would be infinite
    spread = rows.std(axis=0, ddof=1)
    spread[spread < SAME * np.abs(rows).max(axis=0)] = 0.0
    apart = (
        squareform(pdist(rows[:, spread > 0] / spread[spread > 0]))
        if (spread > 0).any()
        else np.zeros((len(rows),) * 2)
    )
    np.fill_diagonal(apart, np.inf)
    return np.asarray(apart.min(axis=1))


def false_alarms(runs: Sequence[Sequence[float]] | np.ndarray, level: float = 0.05) -> float:
    """The share of our own runs that :func:`joint_surprise` would call surprising among the others.

    Raises:
        ValueError: fewer than four runs, a number that is not finite, or a level outside (0, 1).
    """
    require_level(level)
    rows = np.asarray(runs, dtype=float)
    if len(rows) < 4:
        raise ValueError(f"to leave one out takes at least four runs, not {len(rows)}")
    far = _nearest(rows)  # the same whichever row counts as the published one
    return float(np.mean([_chance(np.r_[far[k], np.delete(far, k)]) < level for k in range(len(rows))]))


def passing_ranges(
    published: Sequence[float] | np.ndarray,
    runs: Sequence[Sequence[float]] | np.ndarray,
    column: int,
    values: Sequence[float] | np.ndarray,
    shared: slice = slice(None),
    level: float = 0.05,
) -> list[tuple[float, float]]:
    """The values of one published number that :func:`joint_surprise` would have let pass.

    Args:
        published: float[k].
        runs: float[n, k].
        column: the number that is varied.
        values: float[m], the values tried, rising.
        shared: the columns that share one total (the wins of all players, say); those other than ``column`` change in
            proportion to keep the total the same.
        level: the probability below which a row is surprising.

    Returns:
        The first and last value of each stretch of values that pass.

    Raises:
        ValueError: as for :func:`joint_surprise`, or ``column`` is not one of the shared columns.
    """
    require_level(level)
    row = np.asarray(published, dtype=float)
    beside = [k for k in range(len(row))[shared] if k != column]
    if column not in range(len(row))[shared]:
        raise ValueError(f"column {column} is not one of the shared columns {list(range(len(row))[shared])}")
    total = row[beside].sum()
    ranges: list[tuple[float, float]] = []
    inside = False
    for value in map(float, values):
        tried = row.copy()
        tried[column] = value
        if total > 0:
            tried[beside] *= (total + row[column] - value) / total
        passes = joint_surprise(tried, runs) >= level
        if passes and inside:
            ranges[-1] = ranges[-1][0], value
        elif passes:
            ranges.append((value, value))
        inside = passes
    return ranges


def same_distribution(*groups: Sequence[float]) -> float:
    """The p-value of the test of Kruskal and Wallis (1952) that all groups come from one distribution.

    Raises:
        ValueError: fewer than two groups, an empty one, or a value that is no number.
    """
    from scipy.stats import kruskal

    if len(groups) < 2:
        raise ValueError(f"a test of no difference needs at least two groups, not {len(groups)}")
    return float(kruskal(*map(_ranked, groups)).pvalue)


def rank_test(one: Sequence[float] | np.ndarray, other: Sequence[float] | np.ndarray) -> float:
    """Two-sided p-value of the test of Mann and Whitney (1947) that neither sample tends to larger values.

    It is exact for small samples: with ties, it goes through as many as ``MOST_ARRANGEMENTS`` arrangements. Otherwise
    it is that of the normal distribution, corrected for ties.

    Raises:
        ValueError: a sample is empty, or a value is no number; infinite ones have ranks like any other.
    """
    from scipy.stats import mannwhitneyu, rankdata

    one, other = _ranked(one), _ranked(other)
    both = np.concatenate([one, other])
    if len(np.unique(both)) == len(both) or math.comb(len(both), len(one)) > MOST_ARRANGEMENTS:
        return float(mannwhitneyu(one, other).pvalue)
    ranks = rankdata(both)
    sums = np.array([sum(some) for some in combinations(ranks, len(one))])  # whole or halves, so they are exact
    ours = ranks[: len(one)].sum()
    return min(1.0, 2 * float(min((sums <= ours).mean(), (sums >= ours).mean())))


def sign_test(successes: int, trials: int) -> float:
    """Two-sided p-value of ``successes`` out of ``trials`` if both outcomes are equally likely.

    Raises:
        ValueError: no trials, more successes than trials, or numbers that are not whole.
    """
    from scipy.stats import binomtest

    return float(binomtest(*_counts(successes, trials)).pvalue)


def apart(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Two-sided p-value of the rank test, or of the sign test if they are a single number, because nothing is random.

    Ties with that number are left out; where all are ties, nothing tells the two apart.
    """
    if len(theirs) > 1:
        return rank_test(ours, theirs)
    untied = int((ours != theirs[0]).sum())
    return sign_test(int((ours < theirs[0]).sum()), untied) if untied else 1.0


def holm(values: Sequence[float]) -> list[float]:
    """P-values, corrected for their number (Holm 1979); NaN stays, and does not count."""
    order = sorted((p, place) for place, p in enumerate(values) if p == p)
    corrected, least = list(values), 0.0
    for rank, (p, place) in enumerate(order):
        least = corrected[place] = max(least, min(1.0, p * (len(order) - rank)))
    return corrected


def require_level(level: float) -> None:
    """Refuse a confidence level outside (0, 1)."""
    if not 0 < level < 1:
        raise ValueError(f"a confidence level must lie between 0 and 1, not at {level}")


def _finite(values: Sequence[float] | np.ndarray) -> np.ndarray:
    """The values as float64[n], if all are finite."""
    numbers = np.asarray(values, dtype=float)
    if not np.isfinite(numbers).all():
        raise ValueError(f"every value must be finite, not {numbers[~np.isfinite(numbers)][0]}")
    return numbers


def _ranked(values: Sequence[float] | np.ndarray) -> np.ndarray:
    """The values as float64[n], if all can be ranked, and there are any."""
    numbers = np.asarray(values, dtype=float)
    if not numbers.size or np.isnan(numbers).any():
        raise ValueError(f"a test by ranks needs numbers, at least one in each group, not {values}")
    return numbers


def _counts(successes: int, trials: int) -> tuple[int, int]:
    """Successes and trials as whole numbers, if they are possible."""
    if not 0 <= successes <= trials or trials < 1 or successes % 1 or trials % 1:
        raise ValueError(
            f"successes must lie between 0 and trials, trials at least 1, both whole: not {successes} of {trials}"
        )
    return int(successes), int(trials)
