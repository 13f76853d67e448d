"""How often each player comes first, second and so on, and what combinations of improvements attain."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from support.figures.intervals import ROW, Estimate, level_keys, require, whisker
from support.figures.style import BLUE, GREY, INK, LEVELS, NARROW, PAPER, RED, axes, drawn, key

TICK: dict[str, Any] = {"marker": "|", "color": RED, "markersize": 12, "markeredgewidth": 2.2, "linestyle": "none"}


@drawn
def places(
    groups: Mapping[str, Mapping[str, Estimate]],
    published: Mapping[str, Mapping[str, float]] | None = None,
) -> Figure:
    """How often each player comes first, second and so on: bars with intervals, one panel for each player.

    Args:
        groups: for each player and place, by name, the share with its interval, cut off below 0 and above 1.
        published: the published share for some players and places, drawn as an upright line.

    Raises:
        ValueError: there is nothing to draw, a share is outside its interval or not within 0 and 1, or a published
            place is not drawn.
    """
    published = published or {}
    if not groups or not all(groups.values()):
        raise ValueError("expected at least one player, and at least one place for each")
    for player, shares in groups.items():
        for place, estimate in shares.items():
            require(f"{player}, {place}", estimate)
            _share(f"{player}, {place}", estimate[0])
    for player, levels in published.items():
        for place, level in levels.items():
            if place not in groups.get(player, {}):
                raise ValueError(f"{player}, {place} is published but not drawn")
            _share(f"{player}, {place}", level)
    sizes = [len(shares) for shares in groups.values()]
    height = 0.75 + 0.21 * sum(sizes) + 0.3 * len(sizes) + 0.25 * bool(published)
    ratios = [0.21 * size + 0.08 for size in sizes]
    figure, panels = axes(NARROW, height, len(sizes), sharex=True, squeeze=False, gridspec_kw={"height_ratios": ratios})
    for panel, (player, shares) in zip(panels[:, 0], groups.items(), strict=True):
        for y, (place, (value, low, high)) in enumerate(shares.items()):
            panel.barh(y, value, 0.7, color=BLUE, alpha=0.5, linewidth=0)
            panel.plot([low, high], [y, y], color=INK, linewidth=1.6, solid_capstyle="butt")
            panel.annotate(
                f"{100 * value:.1f}%",
                (1.02, y),
                xycoords=panel.get_yaxis_transform(),
                va="center",
                fontsize=9.5,
                color=INK,
            )
            if place in published.get(player, {}):
                panel.plot(published[player][place], y, **TICK, clip_on=False, zorder=4)
        panel.set_title(player)
        panel.set_yticks(range(len(shares)), list(shares))
        panel.set(xlim=(0, 1), ylim=(len(shares) - 0.4, -0.6))
        panel.tick_params(axis="y", length=0)
        panel.grid(visible=False, axis="y")
    panels[-1, 0].set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "1/4", "1/2", "3/4", "1"])
    panels[-1, 0].set_xlabel("share of games")
    if published:
        _places_key(figure)
    return figure


def _share(name: str, number: float) -> None:
    if not 0 <= number <= 1:
        raise ValueError(f"{name}: {number} is not within 0 and 1")


def _places_key(figure: Figure) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [
        Patch(facecolor=to_rgba(BLUE, 0.5), linewidth=0, label="share"),
        Line2D([], [], color=INK, linewidth=1.6, label="interval"),
        Line2D([], [], **TICK, label="published"),
    ]
    key(figure, handles)


@drawn
def factorial(
    effects: Mapping[tuple[str, ...], Estimate],
    names: Sequence[str] | None = None,
    marks: Mapping[str, float] | None = None,
) -> Figure:
    """What each combination of improvements attains: on the left which are on, on the right the estimate.

    Args:
        effects: the estimate of each combination, which is the tuple of improvements that are on; drawn in this order.
        names: the improvements in the order of their columns; by default as they first appear.
        marks: levels to draw as vertical lines, by their labels.

    Raises:
        ValueError: there is nothing to draw, an improvement without a column, the same combination twice, an estimate
            outside its interval, or too many levels.
    """
    names = list(dict.fromkeys(name for on in effects for name in on)) if names is None else list(names)
    marks = marks or {}
    if not effects or not names:
        raise ValueError("expected at least one combination and one improvement")
    if len({frozenset(on) for on in effects}) < len(effects):
        raise ValueError("a combination is given twice")
    if len(marks) > len(LEVELS):
        raise ValueError(f"expected at most {len(LEVELS)} marks, not {len(marks)}")
    for on, estimate in effects.items():
        if unknown := set(on) - set(names):
            raise ValueError(f"no column is named {', '.join(sorted(unknown))}")
        require(" + ".join(on) or "none", estimate)
    left = 0.28 * len(names)
    figure, (matrix, panel) = axes(
        NARROW,
        0.7 + ROW * len(effects) + 0.075 * max(map(len, names)) + 0.25 * bool(marks),
        columns=2,
        sharey=True,
        gridspec_kw={"width_ratios": [left, NARROW - left - 0.3]},
    )
    _matrix(matrix, list(effects), names)
    for y, estimate in enumerate(effects.values()):
        whisker(panel, y, estimate)
    for level, line in zip(marks.values(), LEVELS, strict=False):
        panel.axvline(level, color=INK, linestyle=line, linewidth=1.1, zorder=1)
    panel.tick_params(axis="y", length=0, labelleft=False)
    panel.grid(visible=False, axis="y")
    panel.spines["left"].set_visible(False)
    panel.set_xlabel("share of first places")
    _stripes(panel, len(effects))
    key(figure, level_keys(marks), 70)
    return figure


def _matrix(panel: Axes, rows: Sequence[tuple[str, ...]], names: Sequence[str]) -> None:
    """A dot for each improvement, full where it is on; those of a row are joined, and names stand above."""
    for y, on in enumerate(rows):
        full = [x for x, name in enumerate(names) if name in on]
        empty = [x for x in range(len(names)) if x not in full]
        panel.plot(full, [y] * len(full), "o-", color=INK, markersize=6.4, markeredgewidth=0, linewidth=1.6)
        panel.plot(empty, [y] * len(empty), "o", color=PAPER, markersize=5, markeredgecolor=GREY, markeredgewidth=1)
    _stripes(panel, len(rows))
    panel.xaxis.tick_top()
    panel.set_xticks(range(len(names)), names, rotation=90)
    panel.set(xlim=(-0.6, len(names) - 0.4), ylim=(len(rows) - 0.4, -0.6))
    panel.set_yticks([])
    panel.tick_params(length=0)
    panel.grid(visible=False)
    for side in ("left", "bottom"):
        panel.spines[side].set_visible(False)


def _stripes(panel: Axes, rows: int) -> None:
    """Every other row on a darker ground, which leads the eye across."""
    for y in range(0, rows, 2):
        panel.axhspan(y - 0.5, y + 0.5, color=GREY, alpha=0.1, linewidth=0, zorder=0)
