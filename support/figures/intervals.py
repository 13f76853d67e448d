"""Estimates with their intervals, side by side: what changes a result, and by how much."""

from collections.abc import Mapping
from itertools import cycle

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from support.figures.style import BLUE, GREEN, GREY, INK, RED, axes, drawn

__all__ = ["Estimate", "estimates"]

Estimate = tuple[float, float, float]
"""An estimate and the two ends of its interval."""
SERIES = ((BLUE, "o"), (RED, "s"), (GREEN, "^"))
ROW = 0.23  # inches


@drawn
def estimates(
    groups: Mapping[str, Mapping[str, Mapping[str, Estimate]]],
    xlabel: str = "share of games won",
    marks: Mapping[str, float] | None = None,
    width: float = 5.0,
) -> Figure:
    """Dots with whiskers in rows, one panel a group, all to one scale.

    Args:
        groups: for each group (its name is the panel's title, which may be empty) and each row the estimates of one or
            more series, by their names; a series has one colour throughout.
        xlabel: what is estimated.
        marks: levels to draw as vertical lines, by their labels.
        width: inches.

    Raises:
        ValueError: there is nothing to draw, too many series, or an estimate outside its interval.
    """
    names = list(dict.fromkeys(name for rows in groups.values() for row in rows.values() for name in row))
    if not names or not all(row for rows in groups.values() for row in rows.values()) or not all(groups.values()):
        raise ValueError("expected at least one estimate in every row, and a row in every group")
    if len(names) > len(SERIES):
        raise ValueError(f"expected at most {len(SERIES)} series, not {len(names)}")
    for group, rows in groups.items():
        for row, series in rows.items():
            for value, low, high in series.values():
                if not low <= value <= high:
                    raise ValueError(f"{group}: {row}: {value} is not between {low} and {high}")
    sizes = [len(rows) for rows in groups.values()]
    height = 0.75 + ROW * sum(sizes) + 0.32 * len(sizes) + 0.25 * (len(names) > 1 or bool(marks))
    ratios = [ROW * size + 0.1 for size in sizes]
    figure, panels = axes(width, height, len(sizes), sharex=True, squeeze=False, gridspec_kw={"height_ratios": ratios})
    for panel, (group, rows) in zip(panels[:, 0], groups.items(), strict=True):
        _rows(panel, rows, names)
        panel.set_title(group, loc="left")
        for level, line in zip((marks or {}).values(), cycle([(0, (2, 2)), (0, (6, 2))])):
            panel.axvline(level, color=INK, linestyle=line, linewidth=1.1, zorder=1)
    panels[-1, 0].set_xlabel(xlabel)
    _key(figure, names if len(names) > 1 else [], marks or {})
    return figure


def _rows(panel: Axes, rows: Mapping[str, Mapping[str, Estimate]], names: list[str]) -> None:
    for place, series in enumerate(rows.values()):
        for name, (value, low, high) in series.items():
            k = names.index(name)
            colour, marker = SERIES[k]
            y = place + 0.22 * (k - (len(names) - 1) / 2)
            panel.plot([low, high], [y, y], color=colour, linewidth=1.6, solid_capstyle="butt")
            panel.plot([value], [y], color=colour, marker=marker, markersize=4.8, linestyle="none")
    panel.set_yticks(np.arange(len(rows)), list(rows))
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.tick_params(axis="y", length=0)
    panel.grid(axis="x", color=GREY, alpha=0.25, linewidth=0.7)
    panel.grid(axis="y", visible=False)


def _key(figure: Figure, names: list[str], marks: Mapping[str, float]) -> None:
    """Which colour is which series, and which line is which level; nothing where there is one series and no level."""
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=colour, marker=marker, markersize=4.8, linewidth=1.6, label=name)
        for name, (colour, marker) in zip(names, SERIES, strict=False)
    ]
    lines = cycle([(0, (2, 2)), (0, (6, 2))])
    handles += [Line2D([], [], color=INK, linestyle=next(lines), linewidth=1.1, label=label) for label in marks]
    if handles:
        columns = max(1, min(len(handles), 70 // (max(len(handle.get_label()) for handle in handles) + 7)))
        figure.legend(handles=handles, loc="outside upper left", ncols=columns, columnspacing=1.4, handlelength=2.2)
