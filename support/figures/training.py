"""Pictures of a share over the course of training: the median and the spread of many runs."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from support.figures.logarithmic import count, decades
from support.figures.style import INK, LEVELS, NARROW, STROKES, axes, drawn, expect, expect_shares, key

Games = np.ndarray | Mapping[str, np.ndarray]
"""Numbers of games: the same for all versions, or those of each version by its name."""


def bands(
    panel: Axes, games: Games, runs: Mapping[str, np.ndarray], looks: Sequence[tuple[str, Any]] = STROKES
) -> tuple[float, float]:
    """Draw medians over runs as lines, and the bands that contain nine tenths of the runs.

    Args:
        panel: the panel to draw in.
        games: [k], of all versions, or of each by its name.
        runs: for each name, float64[runs, k].
        looks: the colour and dashes of each, in order.

    Returns:
        The lowest and the highest number of all bands.
    """
    ends = []
    for (name, part), (colour, line) in zip(runs.items(), looks, strict=False):
        low, middle, high = np.percentile(part, (5, 50, 95), axis=0)
        x = games[name] if isinstance(games, Mapping) else games
        panel.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)
        panel.plot(x, middle, color=colour, linestyle=line, label=name)
        ends += [low.min(), high.max()]
    return min(ends), max(ends)


@drawn
def training(
    games: Games,
    shares: Mapping[str, np.ndarray],
    levels: Mapping[str, float] | None = None,
    ylabel: str = "share of games won so far",
) -> Figure:
    """A share over the course of training: the median over runs and the band that contains nine tenths of them.

    The axis of games is logarithmic if the last number is at least 100 times the first.

    Args:
        games: int64[k], increasing numbers of games, of all versions or of each by its name.
        shares: for each version, float64[runs, k].
        levels: shares to draw as lines, by their label.
        ylabel: what the share is of.

    Raises:
        ValueError: there is nothing to draw, games do not increase, shapes do not match, or a share is not within 0
            and 1.
    """
    tables, levels = {name: np.asarray(part, float) for name, part in shares.items()}, levels or {}
    expect(1 <= len(tables) <= len(STROKES), f"expected from 1 to {len(STROKES)} versions, not {len(tables)}")
    games = games if isinstance(games, Mapping) else dict.fromkeys(tables, games)
    known = games.keys() == tables.keys()
    expect(known, f"expected numbers of games for {', '.join(tables)}, not for {', '.join(games)}")
    every = {name: np.asarray(own, float) for name, own in games.items()}
    for name, part in tables.items():
        own = every[name]
        rising = own.ndim == 1 and len(own) and own[0] > 0 and (np.diff(own) > 0).all()
        expect(rising, "expected positive and increasing numbers of games")
        expect(
            part.ndim == 2 and part.shape[1] == len(own) and len(part),
            f"{name}: expected runs of {len(own)} shares, not an array of shape {part.shape}",
        )
    for name, shown in [*tables.items(), *levels.items()]:
        expect_shares(name, shown)
    expect(len(levels) <= len(LEVELS), f"expected at most {len(LEVELS)} levels, not {len(levels)}")
    figure, panel = axes(NARROW, 3.8)
    least, top = bands(panel, every, tables)
    first, last = min(own[0] for own in every.values()), max(own[-1] for own in every.values())
    for (name, level), line in zip(levels.items(), LEVELS, strict=False):
        panel.axhline(level, color=INK, linestyle=line, linewidth=1.2, label=name)
    least, top = min(least, *levels.values(), 1.0), max(top, *levels.values(), 0.0)
    panel.set_ylim(max(0.0, np.floor(10 * least - 0.2) / 10), min(1.0, top + 0.03))
    logarithmic = last >= 100 * first
    panel.set_xscale("log" if logarithmic else "linear")
    panel.set_xlim(first, last if last > first else None)
    if logarithmic:
        low, high = np.log10(panel.get_xlim())
        decades(panel.xaxis, low, high, count, most=4)
    else:
        panel.xaxis.set_major_locator(MaxNLocator(5))
        panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.set(xlabel="games", ylabel=ylabel)
    key(figure, panel.get_legend_handles_labels()[0])
    return figure
