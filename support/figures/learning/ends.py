"""Names of lines at their ends, clear of one another."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from support.figures.style import INK


def label_ends(figure: Figure, panel: Axes, ends: Sequence[tuple[Any, ...]]) -> None:
    """Write names to the right of the panel, at the height of the lines' ends but clear of one another.

    Args:
        figure: the figure.
        panel: its only panel, with its limits set.
        ends: for each line its name, last x (None: at the right edge), last y, colour and marker (None: no marker).
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
