"""Estimates with their intervals, side by side: what changes a result, and by how much."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from support.figures.style import BLUE, GREEN, GREY, INK, LEVELS, NARROW, RED, axes, drawn, expect, key

Estimate = tuple[float, float, float]
"""An estimate and the two ends of its interval."""
SERIES = ((BLUE, "o"), (RED, "s"), (GREEN, "^"))
ROW = 0.23  # inches
CLOUD = 0.24  # inches, for the seeds of one series
DOT = 0.042  # inches, from one seed to the next
Place = tuple[str, str, str]


@drawn
def estimates(
    groups: Mapping[str, Mapping[str, Mapping[str, Estimate]]],
    xlabel: str = "share of games won",
    marks: Mapping[str, float] | None = None,
    seeds: Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]] | None = None,
) -> Figure:
    """Dots with whiskers in rows, one panel per group, all to one scale; above them, if given, a small dot per seed.

    Args:
        groups: for each group (its name is the panel's title, which may be empty) and each row, the estimates of one or
            more series, by their names; a series has one colour throughout.
        xlabel: what is estimated.
        marks: levels to draw as vertical lines, by their labels.
        seeds: the numbers behind the estimates, by the same names: one per seed, stacked where they lie close together.

    Raises:
        ValueError: there is nothing to draw, too many series or marks, an estimate outside its interval, or seeds that
            are not finite or belong to no estimate.
    """
    marks, names = marks or {}, list(dict.fromkeys(name for _, _, name in _flat(groups)))
    every = [groups, *groups.values(), *(row for rows in groups.values() for row in rows.values())]
    expect(all(every), "expected at least one estimate in every row, and a row in every group")
    expect(len(names) <= len(SERIES), f"expected at most {len(SERIES)} series, not {len(names)}")
    expect(len(marks) <= len(LEVELS), f"expected at most {len(LEVELS)} marks, not {len(marks)}")
    for (group, row, _), estimate in _flat(groups).items():
        require(f"{group}: {row}", estimate)
    clouds = {place: np.sort(np.asarray(values, float)) for place, values in _flat(seeds or {}).items()}
    for place, values in clouds.items():
        sound = place in _flat(groups) and values.ndim == 1 and len(values) and np.isfinite(values).all()
        expect(sound, f"{': '.join(place)}: expected finite numbers, of an estimate that is drawn too")
    tall = ROW + CLOUD * len(names) * bool(clouds)
    sizes = [len(rows) for rows in groups.values()]
    height = 0.75 + tall * sum(sizes) + 0.32 * len(sizes) + 0.25 * (len(names) > 1 or bool(marks))
    ratios = [tall * size + 0.1 for size in sizes]
    figure, panels = axes(NARROW, height, len(sizes), sharex=True, squeeze=False, gridspec_kw={"height_ratios": ratios})
    everything = np.concatenate([*clouds.values(), *_flat(groups).values(), [*marks.values()]])
    gap = DOT * 1.1 * np.ptp(everything) / (0.72 * NARROW)  # in the axis' units, nearly
    for panel, (group, rows) in zip(panels[:, 0], groups.items(), strict=True):
        _rows(panel, rows, names, tall if clouds else 0)
        for (_, row, name), values in {place: part for place, part in clouds.items() if place[0] == group}.items():
            k = names.index(name)
            levels = _stacked(values, gap)
            step = min(DOT, (CLOUD - 0.04) / (levels.max() + 1)) / tall
            y = _height(list(rows).index(row), k, len(names), tall) - 0.08 / tall - step * levels
            panel.plot(values, y, "o", color=SERIES[k][0], markersize=2.7, markeredgewidth=0, alpha=0.75)
        panel.set_title(group, loc="left")
        for level, line in zip(marks.values(), LEVELS, strict=False):
            panel.axvline(level, color=INK, linestyle=line, linewidth=1.1, zorder=1)
    panels[-1, 0].set_xlabel(xlabel)
    key(figure, [*(_series_keys(names) if len(names) > 1 else []), *level_keys(marks)], 70)
    return figure


def require(name: str, estimate: Estimate) -> None:
    """Raise an error unless an estimate lies inside its interval.

    Raises:
        ValueError: it lies outside; the message begins with the name.
    """
    value, low, high = estimate
    expect(low <= value <= high, f"{name}: {value} is not between {low} and {high}")


def whisker(panel: Axes, y: float, estimate: Estimate, colour: str = BLUE, marker: str = "o") -> None:
    """Draw a dot and its interval as a horizontal line."""
    value, low, high = estimate
    panel.plot([low, high], [y, y], color=colour, linewidth=1.6, solid_capstyle="butt")
    panel.plot([value], [y], color=colour, marker=marker, markersize=4.8, linestyle="none")


def level_keys(marks: Mapping[str, float]) -> list[Line2D]:
    """The key's entries for levels that are drawn as lines."""
    return [
        Line2D([], [], color=INK, linestyle=line, linewidth=1.1, label=label)
        for label, line in zip(marks, LEVELS, strict=False)
    ]


def _series_keys(names: Sequence[str]) -> list[Line2D]:
    return [
        Line2D([], [], color=colour, marker=marker, markersize=4.8, linewidth=1.6, label=name)
        for name, (colour, marker) in zip(names, SERIES, strict=False)
    ]


def _flat(groups: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[Place, Any]:
    return {
        (group, row, name): entry
        for group, rows in groups.items()
        for row, series in rows.items()
        for name, entry in series.items()
    }


def _rows(panel: Axes, rows: Mapping[str, Mapping[str, Estimate]], names: list[str], tall: float) -> None:
    for place, series in enumerate(rows.values()):
        for name, estimate in series.items():
            k = names.index(name)
            whisker(panel, _height(place, k, len(names), tall), estimate, *SERIES[k])
    panel.set_yticks(np.arange(len(rows)), list(rows))
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.tick_params(axis="y", length=0)
    panel.grid(axis="x", color=GREY, alpha=0.25, linewidth=0.7)
    panel.grid(axis="y", visible=False)


def _height(place: int, k: int, series: int, tall: float) -> float:
    """The height of an estimate, in rows; it is below its seeds if rows are ``tall`` inches (0: there are no seeds)."""
    if not tall:
        return place + 0.22 * (k - (series - 1) / 2)
    return place - 0.48 + (k + 1) * 0.96 / series - 0.09 / tall


def _stacked(values: np.ndarray, gap: float) -> np.ndarray:
    """For each of the sorted values, the lowest level on which no other value is closer than a gap."""
    ends: list[float] = []
    levels = []
    for value in values:
        level = next((k for k, end in enumerate(ends) if value - end >= gap and gap), len(ends))
        ends[level : level + 1] = [value]
        levels.append(level)
    return np.array(levels)
