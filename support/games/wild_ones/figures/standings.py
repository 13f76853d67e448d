"""How often each player comes first, second and so on."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from support.figures.intervals import Estimate, require
from support.figures.style import BLUE, INK, NARROW, RED, axes, drawn, key


@drawn
def places(
    groups: Mapping[str, Mapping[str, Estimate]],
    published: Mapping[str, Mapping[str, float]] | None = None,
    xlabel: str = "share of games",
) -> Figure:
    """How often each player comes first, second and so on: bars with intervals, one panel a player.

    Args:
        groups: for each player and place, by its name, the share with its interval, cut off below 0 and above 1.
        published: for some players and places the published share, drawn as an upright line.
        xlabel: what the shares are of.

    Raises:
        ValueError: there is nothing to draw, a share is outside its interval or not within 0 and 1, or one is published
            of a place that is not drawn.
    """
    published = published or {}
    if not groups or not all(groups.values()):
        raise ValueError("expected at least one player, and a place of each")
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
                f"{100 * value:.1f} %",
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
    panels[-1, 0].set_xlabel(xlabel)
    if published:
        _places_key(figure)
    return figure


TICK: dict[str, Any] = {"marker": "|", "color": RED, "markersize": 12, "markeredgewidth": 2.2, "linestyle": "none"}


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
