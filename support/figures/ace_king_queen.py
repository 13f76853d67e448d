"""The pictures of the chapter on ace, king, queen; they take numbers and know nothing of the game's code."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from support.figures.style import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    PAPER,
    PINK,
    RED,
    SKY,
    Picture,
    axes,
    drawn,
    themed,
)

__all__ = ["betting_tree", "curves", "paths", "puzzle", "ranges", "sweep"]

CARDS = "AKQ"
ACTIONS = {"": "cr", "c": "cr", "r": "fcr", "cr": "fcr", "rr": "fc", "crr": "fc"}
LEAST = 1e-12  # what is drawn for smaller numbers on a logarithmic axis
PUBLISHED_GAMES = 1e10
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LOOKS = tuple(
    (colour, line, marker)
    for line, markers in (("-", "osD^vP"), ((0, (5, 1.5)), "^vPosD"))
    for colour, marker in zip((BLUE, RED, GREEN, PINK, ORANGE, SKY), markers, strict=True)
)

Strategy = Mapping[str, Mapping[str, float | None]]
Run = tuple[np.ndarray, np.ndarray]
Row = tuple[int | str, str, str, float, float, float | None]

# ---------------------------------------------------------------- the reader's hand

HEART = "M0 8.5C-3 5-9 1-9-3.6A4.7 4.7 0 0 1 0-5.6 4.7 4.7 0 0 1 9-3.6C9 1 3 5 0 8.5z"
CROWNS = {  # in a square of 40 units about the middle
    "K": "M-18 14L-21-9-9 2 0-16 9 2 21-9 18 14zM-18 19H18M0-24V-16M-4-20.5H4",
    "Q": "M-17 14L-21-6-11 3-8-12 0 2 8-12 11 3 21-6 17 14zM-17 19H17",
}
QUEEN_PEARLS = ((-21, -9), (-8, -15), (8, -15), (21, -9))


def puzzle(card: str) -> Picture:
    """The reader's hand: a card face up, the other player's face down, and the two antes between them.

    Args:
        card: A, K or Q.

    Raises:
        ValueError: there is no such card.
    """
    if card not in tuple(CARDS):
        raise ValueError(f"card must be one of A, K and Q, not {card!r}")
    body = [_face(8, 6, card), _back(174, 6)]
    for x, y in ((117, 71), (143, 51)):
        body.append(f'<circle cx="{x}" cy="{y}" r="15" fill="{PAPER}" stroke="{ORANGE}" stroke-width="2"/>')
        body.append(f'<circle cx="{x}" cy="{y}" r="11.5" fill="none" stroke="{ORANGE}" stroke-width="0.8"/>')
        body.append(_text(x, y + 4.5, "$1", 12))
    for x, text in ((47, "you"), (130, "pot: $2"), (213, "opponent")):
        body.append(_text(x, 136, text, 13))
    return _svg(260, 144, body)


def _face(x: float, y: float, card: str) -> str:
    """A card of hearts, 78 by 110 units: index and pip in two corners, a crown or a large heart in the middle."""
    corner = (
        f'<text x="12" y="22" font-size="19" font-weight="bold" text-anchor="middle" fill="{RED}">{card}</text>'
        f'<path transform="translate(12 33) scale(.62)" d="{HEART}" fill="{RED}"/>'
    )
    if card == "A":
        middle = f'<path transform="scale(2.3)" d="{HEART}" fill="{RED}"/>'
    else:
        middle = (
            f'<path transform="translate(0 2)" d="{CROWNS[card]}" fill="{ORANGE}" fill-opacity=".25" stroke="{INK}" '
            'stroke-width="1.8" stroke-linejoin="round" stroke-linecap="round"/>'
            f'<path transform="translate(0 10) scale(.5)" d="{HEART}" fill="{RED}"/>'
        )
        pearls = QUEEN_PEARLS if card == "Q" else ()
        middle += "".join(
            f'<circle cx="{a}" cy="{b}" r="2.6" fill="{ORANGE}" stroke="{INK}" stroke-width="1.2"/>' for a, b in pearls
        )
    return (
        f'<g transform="translate({x} {y})">{_box(0, 0, 78, 110, 9, PAPER, INK, 1.6)}{corner}'
        f'<g transform="rotate(180 39 55)">{corner}</g><g transform="translate(39 54)">{middle}</g></g>'
    )


def _back(x: float, y: float) -> str:
    """The back of a card: a lattice inside a frame."""
    left, top, wide, tall, step = 8, 8, 62, 94, 10.5
    lattice = ""
    for k in range(-9, 7):  # lines y - x = k * step, clipped to the frame, and their mirror images
        a, b = max(0.0, k * step), min(wide, tall + k * step)
        if a < b:
            for start, end in ((a, b), (wide - a, wide - b)):
                lattice += f"M{left + start:g} {top + a - k * step:g}L{left + end:g} {top + b - k * step:g}"
    return (
        f'<g transform="translate({x} {y})">{_box(0, 0, 78, 110, 9, PAPER, INK, 1.6)}'
        f'<path d="{lattice}" fill="none" stroke="{BLUE}" stroke-width="1.1"/>'
        f"{_box(left, top, wide, tall, 1.5, 'none', BLUE, 1.8)}</g>"
    )


# ---------------------------------------------------------------- the tree of the betting

WIDE, TALL, PITCH = 192, 133, 180  # of a decision's panel, and from one level to the next
PLACES = {"": (104, 0), "c": (2, 1), "r": (206, 1), "cr": (2, 2), "rr": (206, 2), "crr": (2, 3)}  # left, level
TOP = 32
LETTERS = 20  # width of the cards' column
TRACK, BAR = 50, 12  # a bar's length at probability 1, and its height


def betting_tree(strategies: Mapping[str, Strategy]) -> Picture:
    """The tree of the betting, with two strategies side by side on each branch and for each card.

    The rows in which the strategies differ are set off. A probability that is not given, or None, becomes a dash; only
    where the others of the same information state add up to one is it a zero.

    Args:
        strategies: two of them by name; the first is drawn hollow and above, the second filled and below. Each maps
            information states, a card and the betting such as ``Kcr``, to the probabilities of f, c and r.

    Raises:
        ValueError: there are not two strategies, or one has an unknown information state or action, or numbers that are
            no probabilities.
    """
    if len(strategies) != 2:
        raise ValueError(f"expected exactly two strategies, not {len(strategies)}")
    tables = [_complete(name, strategy) for name, strategy in strategies.items()]
    body = [
        '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    ]
    body += [f'<path d="M0 0 8 4 0 8z" fill="{GREY}"/></marker></defs>', _strategies(list(strategies))]
    for history, (left, level) in PLACES.items():
        top = TOP + level * PITCH
        body.append(_decision(history, left, top))
        body.append(_branches(history, left, top + TALL))
        for k, card in enumerate(CARDS):
            pair = [table[card + history] for table in tables]
            body.append(_card_row(card, ACTIONS[history], pair, left, top + 44 + 29 * k))
    body.append(_key(216, TOP + 3 * PITCH + 24))
    return _svg(400, TOP + 3 * PITCH + TALL + 46, body)


def _complete(name: str, strategy: Strategy) -> dict[str, dict[str, float | None]]:
    """A probability or None for each action of each information state."""
    table = {card + history: dict.fromkeys(ACTIONS[history]) for card in CARDS for history in ACTIONS}
    for state, chances in strategy.items():
        if state not in table:
            raise ValueError(f"{name}: {state!r} is no information state")
        for action, chance in chances.items():
            if action not in table[state]:
                raise ValueError(f"{name}: action {action!r} is not possible at {state}")
            if chance is None:
                continue
            if not -1e-9 <= chance <= 1 + 1e-9:
                raise ValueError(f"{name}: {chance} at {state} is not a probability")
            table[state][action] = min(max(float(chance), 0.0), 1.0)
        total = sum(chance or 0.0 for chance in table[state].values())
        if total > 1 + 1e-6:
            raise ValueError(f"{name}: the probabilities at {state} add up to {total:g}")
        if total > 1 - 1e-6:
            table[state] = {action: chance or 0.0 for action, chance in table[state].items()}
    return table


def _strategies(names: Sequence[str]) -> str:
    """The two names with a sample of their bars, centred on a line."""
    widths = [34 + 7.2 * len(name) for name in names]
    x, body = 200 - (sum(widths) + 18) / 2, ""
    for k, (name, width) in enumerate(zip(names, widths, strict=True)):
        body += _bar(x, 8, 26, k) + _text(x + 33, 18.5, name, 13, anchor="start")
        x += width + 18
    return body


def _decision(history: str, left: float, top: float) -> str:
    """The frame of a decision, with who acts, what happened before and what can be done."""
    body = _box(left, top, WIDE, TALL, 7, "none", GREY, 1.2)
    body += _text(left + 8, top + 17, f"Player {len(history) % 2 + 1}", 12.5, anchor="start", weight="bold")
    body += _text(left + WIDE - 8, top + 17, f"after {history}" if history else "to start", 12.5, anchor="end")
    for k, action in enumerate(ACTIONS[history]):
        body += _text(
            left + _column(ACTIONS[history], k) - TRACK / 2, top + 37, _word(history, action), 12, anchor="start"
        )
    return body


def _branches(history: str, left: float, bottom: float) -> str:
    """Lines from a decision to the next ones, and what is at stake where the hand ends."""
    body = ""
    for k, action in enumerate(ACTIONS[history]):
        x, after = left + _column(ACTIONS[history], k), history + action
        length = PITCH - TALL if after in PLACES else 11
        tip = ' marker-end="url(#end)"' if after in PLACES else ""
        body += f'<path d="M{x:g} {bottom:g}v{length - 1:g}" stroke="{GREY}" stroke-width="1.3"{tip}/>'
        if after not in PLACES:
            body += "".join(_text(x, bottom + 22 + 12.5 * line, text, 11) for line, text in enumerate(_end(after)))
    return body


def _column(actions: str, k: int) -> float:
    """The middle of the bars of one of the actions of a decision, from the left of its panel."""
    width = (WIDE - LETTERS - 2) / len(actions)
    return LETTERS + (k + 0.5) * width


def _word(history: str, action: str) -> str:
    bets = history.count("r")
    return {"f": "fold", "c": "call" if bets else "check", "r": "raise" if bets else "bet"}[action]


def _end(history: str) -> tuple[str, str]:
    """How a hand ends, in two short lines: an ante of one dollar each, and a dollar for every bet that was met."""
    if history.endswith("f"):
        return f"player {len(history) % 2 + 1}", f"wins ${history.count('r')}"
    return "showdown", f"${1 + history.count('r')} each"


def _card_row(card: str, actions: str, pair: Sequence[Mapping[str, float | None]], left: float, top: float) -> str:
    """Both strategies' bars for one card, set off where they differ."""
    numbers = [(pair[0][action], pair[1][action]) for action in actions]
    differ = any(None not in both and abs(both[0] - both[1]) > 5e-3 for both in numbers)
    body = f'<rect x="{left + 3}" y="{top - 2}" width="{WIDE - 6}" height="29" rx="4" fill="{SKY}" fill-opacity=".2"/>'
    body = body if differ else ""
    body += _text(left + 12, top + 17, card, 13, weight="bold" if differ else "normal")
    for k, both in enumerate(numbers):
        x = left + _column(actions, k) - TRACK / 2
        body += f'<path d="M{x:g} {top - 0.5:g}v26" stroke="{GREY}" stroke-width="1"/>'
        body += "".join(_share(x, top + 13 * j, share, j) for j, share in enumerate(both))
    return body


def _share(x: float, y: float, share: float | None, which: int) -> str:
    """A bar for a probability, with its number unless it is 0 or 1; a dash for no probability."""
    if share is None:
        return _text(x + 4, y + 10.5, "–", 13, anchor="start", weight="bold")
    body = _bar(x, y, TRACK * share, which)
    text = _number(share)
    if text in ("0", "1"):
        return body
    if share > 0.5:
        return body + _text(x + TRACK * share - 3, y + 10, text, 10.5, PAPER if which else INK, "end")
    return body + _text(x + TRACK * share + 3, y + 10, text, 10.5, INK, "start")


def _bar(x: float, y: float, length: float, which: int) -> str:
    """The first strategy's bars are hollow, the second's filled; a bar of no length is a stroke."""
    if which:
        return f'<rect x="{x:g}" y="{y:g}" width="{max(length, 1.8):g}" height="{BAR}" fill="{BLUE}"/>'
    return (
        f'<rect x="{x + 0.8:g}" y="{y + 0.8:g}" width="{max(length - 1.6, 0.2):g}" height="{BAR - 1.6:g}" '
        f'fill="{PAPER}" stroke="{RED}" stroke-width="1.6"/>'
    )


def _key(x: float, y: float) -> str:
    """How to read the bars, in the corner that the tree leaves free."""
    body = f'<path d="M{x} {y - 12}v14M{x + TRACK} {y - 12}v14" stroke="{GREY}" stroke-width="1"/>'
    body += _bar(x, y - 11, TRACK, 1) + _text(x + TRACK + 8, y, "always", 12, anchor="start")
    body += f'<path d="M{x} {y + 9}v14" stroke="{GREY}" stroke-width="1"/>'
    body += _bar(x, y + 10, 0, 1) + _text(x + TRACK + 8, y + 21, "never", 12, anchor="start")
    body += _text(x + 4, y + 42, "–", 13, anchor="start", weight="bold")
    body += _text(x + TRACK + 8, y + 42, "not given, or", 12, anchor="start")
    body += _text(x + TRACK + 8, y + 57, "never reached", 12, anchor="start")
    body += f'<rect x="{x}" y="{y + 68}" width="{TRACK}" height="15" rx="4" fill="{SKY}" fill-opacity=".2"/>'
    return body + _text(x + TRACK + 8, y + 80, "the two differ", 12, anchor="start")


def _number(share: float) -> str:
    """A probability as a fraction, if it is one of a small denominator, or with two decimals."""
    near = Fraction(share).limit_denominator(64)
    return str(near) if abs(near - Fraction(share)) < 1e-9 else f"{share:.2f}"


def _svg(width: float, height: float, body: Sequence[str]) -> Picture:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    return themed(f"{head}{''.join(body)}</svg>")


def _box(x: float, y: float, wide: float, tall: float, radius: float, fill: str, line: str, thick: float) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{tall:g}" rx="{radius}" fill="{fill}" stroke="{line}" '
        f'stroke-width="{thick}"/>'
    )


def _text(
    x: float, y: float, text: str, size: float, colour: str = INK, anchor: str = "middle", weight: str = "normal"
) -> str:
    from xml.sax.saxutils import escape

    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" '
        f'fill="{colour}">{escape(text)}</text>'
    )


# ---------------------------------------------------------------- runs and their results


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
    ends = []
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


def _checked(name: str, x: Sequence[float], y: Sequence[float]) -> Run:
    """One run as floats, its small values raised to what can be drawn."""
    x, y = np.asarray(x, float), np.asarray(y, float)
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


def _set_limits(axis, low: float, high: float) -> None:
    (axis.axes.set_xlim if axis.axis_name == "x" else axis.axes.set_ylim)(low, high)


def _decades(axis, low: float, high: float, text: Callable[[int], str]) -> None:
    """Ticks at powers of ten: labels on some, small ticks on the others and, where few, in between."""
    from matplotlib.ticker import FixedLocator, NullFormatter

    powers = np.arange(np.ceil(low), np.floor(high) + 1).astype(int)
    step = 1 if len(powers) <= 6 else 2 if len(powers) <= 10 else 3
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


def _power(power: int) -> str:
    return {0: "1", 1: "10"}.get(power) or "10" + str(power).translate(SUPERSCRIPTS)


def _decimal(power: int) -> str:
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}"


def _label_ends(figure: Figure, panel: Axes, ends: Sequence[tuple]) -> None:
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
        text = _number(low) if single else f"{_number(low)} to {_number(high)}"
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

    diamond = {"marker": "D", "markeredgecolor": RED, "markersize": 6.5, "markeredgewidth": 1.5, "linewidth": 1.4}
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
    _path_key(figure, bool(optimal), bool(published))
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
    for seed in seeds:
        panel.plot(games, seed, color=BLUE, linewidth=1, alpha=0.65 if len(seeds) > 1 else 1)
    if published is not None:
        panel.plot(PUBLISHED_GAMES, published, "*", color=RED, markersize=13, clip_on=False, zorder=4)


def _path_key(figure: Figure, optimal: bool, published: bool) -> None:
    from matplotlib.colors import to_rgba
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list = [Line2D([], [], color=BLUE, linewidth=1.2, label="a run")]
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
    panel.set(xscale="log", yscale="log", xlabel="exploration", ylabel=ylabel)
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
