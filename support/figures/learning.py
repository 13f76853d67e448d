"""How learning goes: distances, shares and ranges, with one look for every method and one line a seed."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from support.figures.style import (
    BLUE,
    GREEN,
    INK,
    LEVELS,
    NARROW,
    ORANGE,
    PAPER,
    PINK,
    RED,
    SKY,
    STROKES,
    axes,
    drawn,
    fraction,
    key,
)

__all__ = ["bands", "curves", "paths", "ranges", "sweep", "training"]

LEAST = 1e-12  # what is drawn for smaller numbers on a logarithmic axis
PUBLISHED_GAMES = 1e10
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LOOKS = tuple(
    (colour, line, marker)
    for line, markers in (("-", "osD^vP"), ((0, (5, 1.5)), "^vPosD"))
    for colour, marker in zip((BLUE, RED, GREEN, PINK, ORANGE, SKY), markers, strict=True)
)

Run = tuple[np.ndarray, np.ndarray]
Row = tuple[int | str, str, str, float, float, float | None]


@drawn
def curves(
    series: Mapping[str, Sequence[Run]],
    unit: str = "games",
    marks: Mapping[str, float] | None = None,
    ylabel: str = "NashConv, dollars a hand",
    height: float = 4.4,
) -> Figure:
    """How far strategies are from an equilibrium against the effort, both logarithmic, one thin line a seed.

    A thicker line is the median over the seeds of a series, where they were measured at the same places.

    Args:
        series: for each name one pair (x, y) of arrays a seed; y below 1e-12 is drawn as 1e-12.
        unit: what x counts.
        marks: levels to draw as horizontal lines, by their label.
        ylabel: what y is.
        height: inches.

    Raises:
        ValueError: there is nothing to draw, arrays do not match, numbers are not finite, or x or a level to mark is
            not positive.
    """
    runs = {name: [_checked(name, x, y) for x, y in pairs] for name, pairs in series.items()}
    if not runs or not all(runs.values()):
        raise ValueError("expected at least one series, each with at least one run")
    if len(runs) > len(LOOKS):
        raise ValueError(f"expected at most {len(LOOKS)} series, not {len(runs)}")
    if not all(level > 0 for level in (marks or {}).values()):
        raise ValueError("expected levels above zero to mark")
    figure, panel = axes(height=height)
    panel.set(xscale="log", yscale="log", xlabel=unit, ylabel=ylabel)
    ends: list[tuple[Any, ...]] = []
    for (name, pairs), (colour, line, marker) in zip(runs.items(), LOOKS, strict=False):
        shared = all(np.array_equal(x, pairs[0][0]) for x, _ in pairs)
        for x, y in pairs if len(pairs) > 1 else ():
            panel.plot(x, y, color=colour, linewidth=0.7 if shared else 1.2, alpha=0.45 if shared else 0.9)
        x, y = (pairs[0][0], np.median([y for _, y in pairs], axis=0)) if shared else max(pairs, key=lambda p: p[0][-1])
        if shared:
            panel.plot(x, y, color=colour, linestyle=line, linewidth=2)
        ends.append((name, x[-1], y[-1], colour, marker))
    everything = np.concatenate(
        [y for pairs in runs.values() for _, y in pairs] + [np.array([*(marks or {}).values()])]
    )
    _logarithmic(panel, np.concatenate([x for pairs in runs.values() for x, _ in pairs]), everything)
    for label, level in (marks or {}).items():
        panel.axhline(level, color=INK, linestyle=(0, (2, 2)), linewidth=1.1)
        ends.append((label, None, level, INK, None))
    _label_ends(figure, panel, ends)
    return figure


def _checked(name: str, across: Sequence[float] | np.ndarray, up: Sequence[float] | np.ndarray) -> Run:
    """One run as floats, its small values raised to what can be drawn."""
    x, y = np.asarray(across, float), np.asarray(up, float)
    if x.ndim != 1 or x.shape != y.shape or not len(x):
        raise ValueError(f"{name}: expected two arrays of the same length, not of shapes {x.shape} and {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all() and (x > 0).all()):
        raise ValueError(f"{name}: expected finite numbers, and positive ones across")
    return x, np.maximum(y, LEAST)


def _logarithmic(panel: Axes, x: np.ndarray, y: np.ndarray) -> None:
    """Limits and ticks of two logarithmic axes."""
    for axis, numbers, room, text in ((panel.xaxis, x, 0.01, _count), (panel.yaxis, y, 0.05, _power)):
        low, high = np.log10(numbers.min()), np.log10(numbers.max())
        if high - low < 0.5:
            low, high = low - 0.25, high + 0.25
        pad = room * (high - low)
        _set_limits(axis, 10 ** (low - pad), 10 ** (high + pad))
        _decades(axis, low - pad, high + pad, text)


def _set_limits(axis: Any, low: float, high: float) -> None:
    (axis.axes.set_xlim if axis.axis_name == "x" else axis.axes.set_ylim)(low, high)


def _decades(axis: Any, low: float, high: float, text: Callable[[int], str], most: int = 6) -> None:
    """Ticks at powers of ten: labels on some, on all if there are at most so many; small ticks on the others."""
    from matplotlib.ticker import FixedLocator, NullFormatter

    powers = np.arange(np.ceil(low), np.floor(high) + 1).astype(int)
    step = 1 if len(powers) <= most else 2 if len(powers) <= most + 4 else 3
    if text is _count:
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


def _count(power: int) -> str:
    """A power of ten as people count: 1,000, 10 million."""
    for word, least in (("billion", 9), ("million", 6)):
        if power >= least:
            return f"{10 ** (power - least):,} {word}"
    return f"{10**power:,}" if power >= 0 else _power(power)


LINES = (BLUE, ORANGE)
"""Colours of runs, in turn."""


def _power(power: int) -> str:
    return {0: "1", 1: "10"}.get(power) or "10" + str(power).translate(SUPERSCRIPTS)


def _decimal(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}"


def _label_ends(figure: Figure, panel: Axes, ends: Sequence[tuple[Any, ...]]) -> None:
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


@drawn
def ranges(rows: Sequence[Row]) -> Figure:
    """For each choice the probabilities that optimal strategies may give it, and the published one.

    Args:
        rows: player, information state, name of the action, the range's two ends, and the published probability or
            None; rows of one player form a panel, players in the order of their first rows.

    Raises:
        ValueError: there are no rows, or a range or probability is not within 0 and 1.
    """
    if not rows:
        raise ValueError("expected at least one row")
    for _, state, action, low, high, published in rows:
        if not 0 <= low <= high <= 1:
            raise ValueError(f"{state} {action}: {low} to {high} is not a range of probabilities")
        if published is not None and not 0 <= published <= 1:
            raise ValueError(f"{state} {action}: {published} is not a probability")
    players = list(dict.fromkeys(row[0] for row in rows))
    groups = [[row for row in rows if row[0] == player] for player in players]
    sizes = [len(group) + 0.4 for group in groups]
    figure, panels = axes(
        height=1.15 + 0.29 * sum(sizes) + 0.3 * (len(groups) - 1),
        rows=len(groups),
        sharex=True,
        squeeze=False,
        height_ratios=sizes,
    )
    for panel, player, group in zip(panels[:, 0], players, groups, strict=True):
        _range_rows(panel, group)
        panel.set_title(f"Player {player}" if isinstance(player, int) else player)
    panels[-1, 0].set_xlabel("probability of the choice")
    _range_key(figure)
    return figure


def _range_rows(panel: Axes, group: Sequence[Row]) -> None:
    for y, (_, _, _, low, high, published) in enumerate(group):
        single = high - low < 1e-9
        if single:
            panel.plot([low, low], [y - 0.3, y + 0.3], color=BLUE, linewidth=3.2, solid_capstyle="butt", clip_on=False)
        else:
            panel.barh(y, high - low, 0.42, low, color=BLUE, linewidth=0, zorder=2)
        text = fraction(low) if single else f"{fraction(low)} to {fraction(high)}"
        panel.annotate(text, (1.03, y), xycoords=panel.get_yaxis_transform(), va="center", fontsize=9.5, color=INK)
        if published is None:
            continue
        outside = not low - 1e-9 <= published <= high + 1e-9
        if outside:
            near = min(max(published, low), high)
            panel.plot([near, published], [y, y], color=RED, linewidth=1.4, zorder=1.8)
        fill = RED if outside else PAPER
        panel.plot(
            published,
            y,
            "D",
            color=fill,
            markeredgecolor=RED,
            markersize=6.5,
            markeredgewidth=1.5,
            clip_on=False,
            zorder=4,
        )
    panel.set_yticks(range(len(group)), [f"{state}: {action}" for _, state, action, *_ in group])
    panel.set(xlim=(0, 1), ylim=(len(group) - 0.3, -0.7))
    panel.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "1/4", "1/2", "3/4", "1"])
    panel.tick_params(axis="y", length=0, pad=10)
    panel.grid(visible=False, axis="y")
    panel.spines["left"].set_visible(False)


def _range_key(figure: Figure) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    diamond: dict[str, Any] = {
        "marker": "D",
        "markeredgecolor": RED,
        "markersize": 6.5,
        "markeredgewidth": 1.5,
        "linewidth": 1.4,
    }
    handles = [
        Patch(color=BLUE, linewidth=0, label="optimal"),
        Line2D([], [], **diamond, color=PAPER, linestyle="none", label="published, inside"),
        Line2D([], [], **diamond, color=RED, label="published, outside"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)


@drawn
def paths(
    games: np.ndarray,
    shares: Mapping[str, Sequence[np.ndarray]],
    optimal: Mapping[str, tuple[float, float]] | None = None,
    published: Mapping[str, float] | None = None,
) -> Figure:
    """How often a choice is made over the course of a run: one panel a choice, one line a seed.

    Args:
        games: float64[k], numbers of games; the axis is logarithmic.
        shares: for each choice float64[k] a seed, all within 0 and 1.
        optimal: for each choice the range of optimal probabilities; a range of one number is a line.
        published: for each choice the published share, a star at ten billion games.

    Raises:
        ValueError: there is nothing to draw, arrays do not match, or numbers are not within 0 and 1.
    """
    games, optimal, published = np.asarray(games, float), optimal or {}, published or {}
    if not shares or not len(games) or not (games > 0).all():
        raise ValueError("expected at least one choice, and positive numbers of games")
    if unknown := (optimal.keys() | published.keys()) - shares.keys():
        raise ValueError(f"no shares are given for {', '.join(sorted(unknown))}")
    for name, seeds in shares.items():
        if not len(seeds) or any(np.shape(seed) != games.shape for seed in seeds):
            raise ValueError(f"{name}: expected at least one seed, with one share for each number of games")
        extra = [*optimal.get(name, ()), published.get(name, 0)]
        if not all(((np.asarray(part) >= 0) & (np.asarray(part) <= 1)).all() for part in (*seeds, extra)):
            raise ValueError(f"{name}: a share is not within 0 and 1")
    figure, panels = axes(height=0.9 + 1.35 * len(shares), rows=len(shares), sharex=True, sharey=True, squeeze=False)
    for panel, (name, seeds) in zip(panels[:, 0], shares.items(), strict=True):
        _path(panel, games, seeds, optimal.get(name), published.get(name))
        panel.set_title(name)
        panel.set(ylim=(-0.04, 1.04), xscale="log")
        panel.set_yticks([0, 0.5, 1], ["0", "1/2", "1"])
    last = max(games.max(), PUBLISHED_GAMES if published else 0)
    low, high = np.log10(games.min()), np.log10(last)
    pad = 0.015 * (high - low) or 0.5
    panels[0, 0].set_xlim(10 ** (low - pad), 10 ** (high + pad))
    _decades(panels[-1, 0].xaxis, low - pad, high + pad, _count)
    panels[-1, 0].set_xlabel("games")
    _path_key(figure, max(map(len, shares.values())), bool(optimal), bool(published))
    return figure


def _path(
    panel: Axes,
    games: np.ndarray,
    seeds: Sequence[np.ndarray],
    optimal: tuple[float, float] | None,
    published: float | None,
) -> None:
    if optimal is not None:
        panel.axhspan(*optimal, color=GREEN, alpha=0.25, linewidth=0)
        for level in set(optimal):
            panel.axhline(level, color=GREEN, linewidth=1.3)
    for seed, colour in zip(seeds, cycle(LINES), strict=False):
        panel.plot(games, seed, color=colour, linewidth=1.2)
    if published is not None:
        panel.plot(PUBLISHED_GAMES, published, "*", color=RED, markersize=13, clip_on=False, zorder=4)


def _path_key(figure: Figure, runs: int, optimal: bool, published: bool) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    names = ["one run", "the other"] if runs == len(LINES) else ["a run"]
    handles: list[Any] = [
        Line2D([], [], color=c, linewidth=1.2, label=name) for c, name in zip(LINES, names, strict=False)
    ]
    if optimal:
        handles.append(Patch(facecolor=to_rgba(GREEN, 0.25), edgecolor=GREEN, linewidth=1.3, label="optimal"))
    if published:
        handles.append(Line2D([], [], color=RED, marker="*", markersize=13, linestyle="none", label="published"))
    if len(handles) > 1:
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))


@drawn
def sweep(
    explorations: Sequence[float],
    medians: Mapping[str, Sequence[float]],
    lows: Mapping[str, Sequence[float]],
    highs: Mapping[str, Sequence[float]],
    ylabel: str = "NashConv, dollars a hand",
) -> Figure:
    """How far strategies are from an equilibrium for each amount of exploration, both logarithmic.

    Args:
        explorations: the amounts, above zero.
        medians: for each series its medians over the seeds.
        lows: the lower ends of the whiskers.
        highs: the upper ends of the whiskers.
        ylabel: what the medians are medians of.

    Raises:
        ValueError: names or lengths do not match, ends lie on the wrong side, or numbers are not finite.
    """
    if not medians or medians.keys() != lows.keys() or medians.keys() != highs.keys() or len(medians) > len(LOOKS):
        raise ValueError("expected medians, lows and highs of the same series")
    figure, panel = axes(height=3.8)
    panel.set(xscale="log", yscale="log", xlabel="share of random choices", ylabel=ylabel)
    ends, everything = [], []
    for k, (name, (colour, line, marker)) in enumerate(zip(medians, LOOKS, strict=False)):
        (x, middle), (_, low), (_, high) = (_checked(name, explorations, part[name]) for part in (medians, lows, highs))
        if (low > middle).any() or (middle > high).any():
            raise ValueError(f"{name}: a median is not between its low and high")
        shift = x * 1.025 ** (k - (len(medians) - 1) / 2)  # whiskers side by side
        panel.errorbar(
            shift,
            middle,
            yerr=(middle - low, high - middle),
            color=colour,
            linestyle=line,
            fmt=marker,
            markersize=5.5,
            elinewidth=1.1,
            capsize=3,
        )
        ends.append((name, shift[-1], middle[-1], colour, marker))
        everything += [low, high]
    _logarithmic(
        panel, np.multiply.outer([0.95, 1.05], np.asarray(explorations, float)).ravel(), np.concatenate(everything)
    )
    if len(explorations) <= 9:
        panel.set_xticks(list(explorations), [f"{value:g}" for value in explorations])
        panel.set_xticks([], minor=True)
    _label_ends(figure, panel, ends)
    return figure


# ---------------------------------------------------------------- the middle and the spread of many runs


Games = np.ndarray | Mapping[str, np.ndarray]
"""Numbers of games: the same for all versions, or those of each by its name."""


def bands(
    panel: Axes, games: Games, runs: Mapping[str, np.ndarray], looks: Sequence[tuple[str, Any]] = STROKES
) -> tuple[float, float]:
    """Draw medians over runs as lines, and the bands that hold nine tenths of the runs.

    Args:
        panel: to draw in.
        games: [k], of all, or of each by its name.
        runs: for each name float64[runs, k].
        looks: colour and dashes of each, in their order.

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
    height: float = 3.8,
    ylabel: str = "share of games won so far",
    logarithmic: bool | None = None,
) -> Figure:
    """A share in the course of training: the median over runs and the band that holds nine tenths of them.

    Args:
        games: int64[k], increasing numbers of games, of all versions or of each by its name.
        shares: for each version float64[runs, k].
        levels: shares to draw as lines, by their label.
        height: inches.
        ylabel: what is shared.
        logarithmic: the axis of games; None if it is to be so where the last is at least 100 times the first.

    Raises:
        ValueError: there is nothing to draw, games do not increase, shapes do not match, or a share is not within 0
            and 1.
    """
    tables, levels = {name: np.asarray(part, float) for name, part in shares.items()}, levels or {}
    if not 1 <= len(tables) <= len(STROKES):
        raise ValueError(f"expected from 1 to {len(STROKES)} versions, not {len(tables)}")
    if isinstance(games, Mapping) and games.keys() != tables.keys():
        raise ValueError(f"expected numbers of games for {', '.join(tables)}, not for {', '.join(games)}")
    every = {name: np.asarray(games[name] if isinstance(games, Mapping) else games, float) for name in tables}
    for name, part in tables.items():
        own = every[name]
        if own.ndim != 1 or not len(own) or not (own > 0).all() or not (np.diff(own) > 0).all():
            raise ValueError("expected positive and increasing numbers of games")
        if part.ndim != 2 or part.shape[1] != len(own) or not len(part):
            raise ValueError(f"{name}: expected runs of {len(own)} shares, not an array of shape {part.shape}")
    for name, shown in [*tables.items(), *levels.items()]:
        if not ((np.asarray(shown) >= 0) & (np.asarray(shown) <= 1)).all():
            raise ValueError(f"{name}: a share is not within 0 and 1")
    if len(levels) > len(LEVELS):
        raise ValueError(f"expected at most {len(LEVELS)} levels, not {len(levels)}")
    figure, panel = axes(NARROW, height)
    least, top = bands(panel, every, tables)
    first, last = min(own[0] for own in every.values()), max(own[-1] for own in every.values())
    for (name, level), line in zip(levels.items(), LEVELS, strict=False):
        panel.axhline(level, color=INK, linestyle=line, linewidth=1.2, label=name)
    least, top = min(least, *levels.values(), 1.0), max(top, *levels.values(), 0.0)
    panel.set_ylim(max(0.0, np.floor(10 * least - 0.2) / 10), min(1.0, top + 0.03))
    if logarithmic is None:
        logarithmic = last >= 100 * first
    panel.set_xscale("log" if logarithmic else "linear")
    panel.set_xlim(first, last if last > first else None)
    if logarithmic:
        low, high = np.log10(panel.get_xlim())
        _decades(panel.xaxis, low, high, _count, most=4)
    else:
        panel.xaxis.set_major_locator(MaxNLocator(5))
        panel.xaxis.set_major_formatter("{x:,.0f}")
    panel.set(xlabel="games", ylabel=ylabel)
    key(figure, panel.get_legend_handles_labels()[0])
    return figure
