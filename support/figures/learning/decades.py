"""Logarithmic axes: their limits, and powers of ten as their ticks."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def logarithmic(panel: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """Limits and ticks of two logarithmic axes."""
    for axis, numbers, room, text in ((panel.xaxis, x, 0.01, count), (panel.yaxis, y, 0.05, _power)):
        low, high = np.log10(numbers.min()), np.log10(numbers.max())
        if high - low < 0.5:
            low, high = low - 0.25, high + 0.25
        pad = room * (high - low)
        _set_limits(axis, 10 ** (low - pad), 10 ** (high + pad))
        decades(axis, low - pad, high + pad, text)


def _set_limits(axis: Any, low: float, high: float) -> None:
    (axis.axes.set_xlim if axis.axis_name == "x" else axis.axes.set_ylim)(low, high)


def decades(axis: Any, low: float, high: float, text: Callable[[int], str], most: int = 6) -> None:
    """Ticks at powers of ten: labels on some, on all if there are at most so many; small ticks on the others."""
    from matplotlib.ticker import FixedLocator, NullFormatter

    powers = np.arange(np.ceil(low), np.floor(high) + 1).astype(int)
    step = 1 if len(powers) <= most else 2 if len(powers) <= most + 4 else 3
    if text is count:
        labelled = powers[::-1][::step]  # the end of a run has its label
    else:
        labelled = powers[powers % step == 0]
        text = _decimal if labelled.size and labelled.min() >= -3 and labelled.max() <= 3 else _power
    axis.set_major_locator(FixedLocator([10.0**power for power in labelled]))
    axis.set_major_formatter(lambda value, _: text(round(np.log10(value))))
    parts = range(1, 10) if step == 1 else (1,)
    small = [part * 10.0**power for power in range(int(np.floor(low)), int(np.ceil(high)) + 1) for part in parts]
    axis.set_minor_locator(FixedLocator([value for value in small if low <= np.log10(value) <= high]))
    axis.set_minor_formatter(NullFormatter())


def count(power: int) -> str:
    """A power of ten as people count: 1,000, 10 million."""
    for word, least in (("billion", 9), ("million", 6)):
        if power >= least:
            return f"{10 ** (power - least):,} {word}"
    return f"{10**power:,}" if power >= 0 else _power(power)


def _power(power: int) -> str:
    return {0: "1", 1: "10"}.get(power) or "10" + str(power).translate(SUPERSCRIPTS)


def _decimal(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}"
