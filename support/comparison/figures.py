"""The pictures of the chapter: small curves side by side, and decisions over time."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure

from support.figures.style import BLUE, INK, ORANGE, drawn, expect

LEAST = 1e-5  # of a relative distance; smaller ones are drawn as this
MOST = 10.0

Line = tuple[np.ndarray, np.ndarray]


@drawn
def panels(series: Mapping[str, Mapping[str, Line]], bold: Sequence[str] = ()) -> Figure:
    """One panel for each game with a line for each learner, both axes logarithmic; random play is the level line.

    Args:
        series: for each game, for each learner, states visited and the relative distance.
        bold: the learners to name and draw boldly; the others are faint.

    Raises:
        ValueError: there is nothing to draw.
    """
    expect(bool(series) and all(series.values()), "expected at least one game, each with at least one learner")
    rows, columns = -(-len(series) // 2), 2
    figure = Figure(figsize=(7.0, 2.3 * rows), layout="constrained")
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).ravel()
    looks = dict(
        zip(bold, ((BLUE, "-"), (ORANGE, (0, (5, 1.5))), (INK, (0, (1, 1.2))), (BLUE, (0, (1, 1.2)))), strict=False)
    )
    for panel, (game, lines) in zip(grid, series.items(), strict=False):
        panel.set(xscale="log", yscale="log", ylim=(LEAST / 1.5, MOST), title=game)
        panel.title.set_fontsize(10)
        panel.axhline(1.0, color=INK, linewidth=0.8, linestyle=(0, (2, 2)))
        for name, (x, y) in lines.items():
            colour, line = looks.get(name, (INK, "-"))
            panel.plot(
                x, np.clip(y, LEAST, MOST), color=colour, linestyle=line,
                linewidth=2.0 if name in looks else 0.7, alpha=1.0 if name in looks else 0.35,
                label=name if name in looks else None,
            )  # fmt: skip
    for panel in grid[len(series) :]:
        panel.set_visible(False)
    figure.supxlabel("states visited", fontsize=10)
    figure.supylabel("share of random play's distance", fontsize=10)
    handles = {
        label: h for panel in grid[: len(series)] for h, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    if handles:
        figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=len(handles), frameon=False)
    return figure


@drawn
def strips(games: np.ndarray, rows: Mapping[str, np.ndarray]) -> Figure:
    """Decisions over time: one strip for each, dark where it is made.

    Args:
        games: [k], the numbers of games.
        rows: for each strip, bool[k].

    Raises:
        ValueError: there is nothing to draw, or lengths differ.
    """
    expect(bool(rows) and all(len(row) == len(games) for row in rows.values()), "expected strips of one length")
    figure = Figure(figsize=(7.0, 0.55 + 0.42 * len(rows)), layout="constrained")
    panel = figure.subplots()
    step = games[1] - games[0]
    for place, row in enumerate(rows.values()):
        spans = [(games[k] - step, step) for k in np.flatnonzero(row)]
        panel.broken_barh(spans, (place - 0.38, 0.76), color=BLUE if place % 2 == 0 else ORANGE, linewidth=0)
    panel.set(xlim=(0, games[-1]), ylim=(len(rows) - 0.5, -0.5), xlabel="games")
    panel.set_yticks(range(len(rows)), list(rows))
    panel.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    panel.spines[["top", "right", "left"]].set_visible(False)
    panel.tick_params(axis="y", length=0)
    return figure
