"""The pictures of the chapter on biscuits; they take numbers and know nothing of the game."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support.figures.logarithmic import count, decades
from support.figures.shapes import picture, text
from support.figures.style import BLUE, GREEN, GREY, INK, ORANGE, RED, Picture, axes, drawn
from support.figures.training import bands

CELL = 44
PHONE = 4.7
"""Inches; on a telephone 390 pixels wide, a point of a picture of this width is as large as a pixel."""
Move = tuple[tuple[int, int], tuple[int, int]]


def heaps(digestives: int, rich_teas: int) -> Picture:
    """The biscuits on the table: round Digestives in one row, oblong Rich Teas in the other."""
    step, body = 50, []
    for k in range(digestives):
        x = 28 + k * step
        body.append(f'<circle cx="{x}" cy="28" r="20" fill="none" stroke="{BLUE}" stroke-width="2.4"/>')
        spots: tuple[tuple[int, int], ...] = ((0, 0), (-9, -5), (9, -6), (-6, 9), (8, 8))
        body += [f'<circle cx="{x + a}" cy="{28 + b}" r="1.9" fill="{BLUE}"/>' for a, b in spots]
    for k in range(rich_teas):
        x = 8 + k * step
        body.append(
            f'<rect x="{x}" y="60" width="40" height="26" rx="8" fill="none" stroke="{ORANGE}" stroke-width="2.4"/>'
        )
        spots = ((11, 9), (20, 9), (29, 9), (11, 17), (20, 17), (29, 17))
        body += [f'<circle cx="{x + a}" cy="{60 + b}" r="1.7" fill="{ORANGE}"/>' for a, b in spots]
    return picture(max(digestives, rich_teas, 1) * step + 8, 94, body)


def board(
    digestives: int,
    rich_teas: int,
    cold: Sequence[tuple[int, int]] = (),
    moves: Sequence[Move] = (),
    here: tuple[int, int] | None = None,
) -> Picture:
    """All positions as a board, Digestives across and Rich Teas upwards.

    Args:
        digestives: the largest heap of Digestives.
        rich_teas: the largest heap of Rich Teas.
        cold: positions to fill, as the ones worth leaving behind.
        moves: arrows from one position to another.
        here: the position with the token.
    """
    left, top = 44, 8
    size = (digestives + 1) * CELL + left + 8, (rich_teas + 1) * CELL + top + 44

    def middle(position: tuple[int, int]) -> tuple[float, float]:
        return left + (position[0] + 0.5) * CELL, top + (rich_teas - position[1] + 0.5) * CELL

    body = [
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0 8 4 0 8z" fill="{RED}"/></marker></defs>'
    ]
    for x in range(digestives + 1):
        for y in range(rich_teas + 1):
            a, b = middle((x, y))
            filled = (x, y) in cold
            fill, line = (BLUE, BLUE) if filled else ("none", GREY)
            body.append(
                f'<rect x="{a - CELL / 2 + 2:g}" y="{b - CELL / 2 + 2:g}" width="{CELL - 4}" height="{CELL - 4}" '
                f'rx="5" fill="{fill}" stroke="{line}" stroke-width="1.3"/>'
            )
    for start, end in moves:
        (a, b), (c, d) = middle(start), middle(end)
        body.append(
            f'<path d="M{a:g} {b:g}L{c:g} {d:g}" stroke="{RED}" stroke-width="2.4" fill="none" marker-end="url(#tip)"/>'
        )
    if here is not None:
        a, b = middle(here)
        body.append(f'<circle cx="{a:g}" cy="{b:g}" r="13" fill="{ORANGE}" stroke="{INK}" stroke-width="1.5"/>')
    body += [text(middle((x, 0))[0], size[1] - 24, str(x), 13, anchor="middle") for x in range(digestives + 1)]
    body += [text(left - 14, middle((0, y))[1] + 5, str(y), 13, anchor="middle") for y in range(rich_teas + 1)]
    body.append(text(left + (digestives + 1) * CELL / 2, size[1] - 6, "Digestives", 13, anchor="middle"))
    low = top + (rich_teas + 1) * CELL / 2
    body.append(f'<g transform="rotate(-90 12 {low:g})">{text(12, low + 4, "Rich Teas", 13, anchor="middle")}</g>')
    return picture(*size, body)


@drawn
def golden(cold: Sequence[tuple[int, int]], limit: int) -> Figure:
    """The cold positions up to a limit, with the two lines that they follow.

    Args:
        cold: pairs a <= b.
        limit: the largest heap drawn.
    """
    figure, panel = axes(width=PHONE, height=4.4)
    shown = np.array([pair for pair in cold if pair[1] <= limit])
    ratio, ends = (1 + 5**0.5) / 2, np.array([0, limit])
    for slope in (ratio, 1 / ratio):
        panel.plot(ends, slope * ends, color=ORANGE, linewidth=1.3)
    panel.plot(*shown.T, "o", color=BLUE, markersize=4)
    panel.plot(*shown[:, ::-1].T, "o", color=BLUE, markersize=4)
    panel.set(xlim=(-1, limit), ylim=(-1, limit), aspect="equal", xlabel="Digestives", ylabel="Rich Teas")
    return figure


@drawn
def learning_curves(games: np.ndarray, shares: Mapping[str, np.ndarray], levels: Mapping[str, float]) -> Figure:
    """Alpha's cumulative share of wins: the median over seeds and the band that holds nine tenths of them.

    Args:
        games: int64[k], numbers of games.
        shares: for each version float64[seeds, k].
        levels: exact shares to draw as lines, by their label.
    """
    figure, panel = axes(width=PHONE, height=4.0)
    bands(panel, games, shares, [(colour, "-") for colour in (BLUE, ORANGE, GREEN)])
    for (label, level), style in zip(levels.items(), ("--", ":"), strict=False):
        panel.axhline(level, color=GREY, linestyle=style, linewidth=1.3, label=label)
    panel.set_xscale("log")
    panel.set(xlabel="games played", ylabel="share of games won by Alpha so far", ylim=(0, 1))
    low, high = np.log10(panel.get_xlim())
    decades(panel.xaxis, low, high, count)
    figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=2, fontsize=10)
    return figure


@drawn
def one_value(
    label: str,
    games: Sequence[int],
    winners: Sequence[str],
    values: Sequence[float],
    targets: Sequence[float],
) -> Figure:
    """One value, game by game, with the targets that it moves towards.

    Args:
        label: what is valued.
        games: the numbers of the games that changed it.
        winners: who won each.
        values: the value after each.
        targets: what each moved it towards.
    """
    start = 1.0  # before the first game
    figure, panel = axes(width=PHONE, height=3.6)
    places = range(1, len(games) + 1)
    panel.plot((0, *places), (start, *values), color=GREY, linewidth=1.2, zorder=1)
    panel.plot(0, start, "o", color=GREY, markersize=6)
    panel.plot(places, targets, "D", color=GREY, markerfacecolor="none", markersize=6, label="target")
    for name, colour, mark in (("Alpha", BLUE, "o"), ("Betty", ORANGE, "s")):
        won = [place for place in places if winners[place - 1] == name]
        panel.plot(won, [values[place - 1] for place in won], mark, color=colour, markersize=8, label=f"{name} wins")
    panel.set_xticks((0, *places), ("start", *map(str, games)))
    panel.set(xlabel="game", ylabel=label, ylim=(0.4, 1.04))
    figure.legend(*panel.get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=10)
    return figure


@drawn
def value_maps(learned: np.ndarray, truth: np.ndarray, names: Sequence[str]) -> Figure:
    """Learned values above, truth below, one column a player.

    Args:
        learned: float64[2, D + 1, R + 1], NaN where a player can never leave the board behind.
        truth: the same shape, 1 for boards worth leaving and 0 for others.
        names: the players.
    """
    figure, panels = axes(height=4.9, rows=2, columns=2, sharex=True, sharey=True)
    for column, name in enumerate(names):
        for row, (label, numbers) in enumerate((("learned", learned), ("truth", truth))):
            panel = panels[row, column]
            mesh = _mesh(panel, numbers[column].T, "cividis", (0, 1))
            panel.set_title(f"{name}: {label}")
            panel.set_aspect("equal")
    for panel in panels[1]:
        panel.set_xlabel("Digestives left")
    for panel in panels[:, 0]:
        panel.set_ylabel("Rich Teas left")
    figure.colorbar(mesh, ax=panels, shrink=0.7, label="value of leaving this behind")
    return figure


@drawn
def heat_maps(
    maps: Mapping[str, np.ndarray],
    rows: tuple[str, Sequence[float]],
    columns: tuple[str, Sequence[float]],
    published: tuple[float, float],
    logarithmic: Sequence[str] = (),
) -> Figure:
    """Maps over a grid of settings side by side, the published setting framed.

    Args:
        maps: float64[rows, columns] by title.
        rows: name and values of what the rows stand for.
        columns: the same for the columns.
        published: the published values of the two.
        logarithmic: titles of the maps whose colours are spaced logarithmically.
    """
    from matplotlib.colors import LogNorm
    from matplotlib.patches import Rectangle

    figure, panels = axes(height=2.75 * len(maps) + 0.4, rows=len(maps), sharex=True, squeeze=False)
    for panel, (title, numbers) in zip(panels[:, 0], maps.items(), strict=True):
        finite = np.where(np.isfinite(numbers), numbers, np.nan)
        if title in logarithmic:
            mesh = _mesh(panel, finite, "cividis_r", norm=LogNorm(max(np.nanmin(finite), 1), np.nanmax(finite)))
        else:
            mesh = _mesh(panel, finite, "cividis", (0, 1))
        figure.colorbar(mesh, ax=panel)
        at = [list(axis[1]).index(value) for axis, value in zip((columns, rows), published[::-1], strict=True)]
        panel.add_patch(Rectangle((at[0] - 0.5, at[1] - 0.5), 1, 1, fill=False, edgecolor=RED, linewidth=2.2))
        panel.set_title(title)
        panel.set_ylabel(rows[0])
        panel.set_yticks(range(len(rows[1])), [f"{value:.3g}" for value in rows[1]], fontsize=7.5)
    panels[-1, 0].set_xticks(range(len(columns[1])), [f"{value:g}" for value in columns[1]], fontsize=8)
    panels[-1, 0].set_xlabel(columns[0])
    return figure


def _mesh(
    panel: Any, numbers: np.ndarray, colours: str, limits: tuple[float, float] | None = None, norm: Any = None
) -> Any:
    """Coloured cells centred on whole numbers; a cross where there is no number."""
    height, width = numbers.shape
    panel.grid(visible=False)
    low, high = limits or (None, None)
    scale = {"norm": norm} if norm else {"vmin": low, "vmax": high}
    mesh = panel.pcolormesh(np.arange(width), np.arange(height), numbers, cmap=colours, shading="nearest", **scale)
    y, x = np.nonzero(np.isnan(numbers))
    panel.plot(x, y, "x", color=GREY, markersize=4, linestyle="none")
    return mesh


@drawn
def size_and_games(positions: Sequence[int], found: np.ndarray, labels: Sequence[str], power: float) -> Figure:
    """Games until the winning opening is found, against the size of the game, with a fitted power.

    Args:
        positions: positions of each game.
        found: float64[k, 3], median and ends of its interval.
        labels: the starting heaps.
        power: exponent of the fitted line.
    """
    figure, panel = axes(height=3.8)
    sizes, found = np.asarray(positions), np.asarray(found)
    middle = np.exp(np.mean(np.log(found[:, 0]) - power * np.log(sizes)))
    panel.loglog(sizes, middle * sizes**power, color=GREY, linestyle="--", linewidth=1.2)
    errors = np.abs(found[:, 1:] - found[:, :1]).T
    panel.errorbar(sizes, found[:, 0], yerr=errors, fmt="o", color=BLUE, capsize=3, markersize=6)
    for x, y, label in zip(sizes, found[:, 0], labels, strict=True):
        panel.annotate(label, (x, y), xytext=(7, -9), textcoords="offset points", fontsize=8.5, color=INK)
    panel.set(xlabel="positions of the game", ylabel="games until the opening is found")
    return figure
