"""Logarithmic axes: limits, ticks at powers of ten, and names at the ends of the lines."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from support.figures.style import INK

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def logarithmic(panel: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """Set the limits and ticks of two logarithmic axes."""
    for axis, numbers, room, text in ((panel.xaxis, x, 0.01, count), (panel.yaxis, y, 0.05, _power)):
        low, high = np.log10(numbers.min()), np.log10(numbers.max())
        if high - low < 0.5:
            low, high = low - 0.25, high + 0.25
        pad = room * (high - low)
        set_limits = panel.set_xlim if axis is panel.xaxis else panel.set_ylim
        set_limits(10 ** (low - pad), 10 ** (high + pad))
        decades(axis, low - pad, high + pad, text)


def decades(axis: Any, low: float, high: float, text: Callable[[int], str], most: int = 6) -> None:
    """Set ticks at powers of ten, with labels on all if there are at most ``most``; small ticks mark the others."""
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
    """A power of ten as readers know it: 1,000, 10 million."""
    for word, least in (("billion", 9), ("million", 6)):
        if power >= least:
            return f"{10 ** (power - least):,} {word}"
    return f"{10**power:,}" if power >= 0 else _power(power)


def _power(power: int) -> str:
    return {0: "1", 1: "10"}.get(power) or "10" + str(power).translate(SUPERSCRIPTS)


def _decimal(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}"


def label_ends(figure: Figure, panel: Axes, ends: Sequence[tuple[Any, ...]]) -> None:
    """Write names to the right of the panel, at the height of the lines' ends but clear of one another.

    Args:
        figure: the figure.
        panel: its only panel, with its limits set.
        ends: for each line, its name, last x (None: at the right edge), last y, colour and marker (None: no marker).
    """
    figure.draw_without_rendering()
    tall = panel.get_window_extent().height * 72 / figure.dpi  # points
    low, high = np.log10(panel.get_ylim())
    wanted = np.array([(np.log10(y) - low) / (high - low) * tall for _, _, y, _, _ in ends])
    heights = _apart(wanted, 13.5, (0, tall)) / tall
    right = panel.get_xlim()[1]
    for (name, x, y, colour, marker), at in zip(ends, heights, strict=True):
        edge = (np.log10(y) - low) / (high - low)
        if x is not None and x < right:
            panel.plot([x, right], [y, y], color=colour, linewidth=0.9, linestyle=":", scalex=False, scaley=False)
        tip = 1.025 if marker else 1.045
        panel.plot([1, tip], [edge, at], transform=panel.transAxes, color=colour, linewidth=0.9, clip_on=False)
        if marker:
            panel.plot([1.035], [at], marker, transform=panel.transAxes, color=colour, markersize=5.5, clip_on=False)
            panel.plot([x], [y], marker, color=colour, markersize=5.5, clip_on=False, zorder=4)
        panel.annotate(name, (1.055, at), xycoords="axes fraction", va="center", fontsize=9.5, color=INK)


def _apart(wanted: np.ndarray, gap: float, limits: tuple[float, float]) -> np.ndarray:
    """The heights closest to those wanted that keep their order and a gap, inside limits if there is room."""
    order = np.argsort(wanted, kind="stable")
    blocks: list[list[float]] = []  # sum of (wanted - offset), count; pooled while neighbours are too close
    for k, place in enumerate(order):
        blocks.append([wanted[place] - k * gap, 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, count = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += count
    heights = np.repeat([total / count for total, count in blocks], [int(count) for _, count in blocks])
    room = max(limits[1] - limits[0] - (len(wanted) - 1) * gap, 0)
    placed = np.empty(len(wanted))
    placed[order] = np.clip(heights, limits[0], limits[0] + room) + gap * np.arange(len(wanted))
    return placed
