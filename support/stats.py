"""Intervals for what random play shows."""

from collections.abc import Sequence

import numpy as np

__all__ = ["mean_interval", "proportion_interval"]


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
