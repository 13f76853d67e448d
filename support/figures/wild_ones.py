"""The pictures of the chapter on Liar's Dice with wild ones: what bids are worth, places, improvements, a comic."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from support.figures.dice import DIE, DIGIT, PILL, PILL_TALL, SIZE, pill, small_die
from support.figures.intervals import ROW, Estimate, level_keys, require, whisker
from support.figures.shapes import box, picture, text
from support.figures.style import (
    BLUE,
    DARK,
    GREEN,
    GREY,
    INK,
    LEVELS,
    NARROW,
    ORANGE,
    PAPER,
    PINK,
    RED,
    RULE,
    Picture,
    axes,
    drawn,
    key,
)

__all__ = ["Panel", "Thought", "bid_matrix", "comic", "factorial", "places", "told"]

WIDE = 400  # user units
FACES = range(1, 7)
WILD = 1
FACE_NAMES = (("one", "two", "three", "four", "five", "six"), ("ones", "twos", "threes", "fours", "fives", "sixes"))
CHALLENGES = ("liar", "exact")


def _bid(action: str) -> tuple[int, int] | None:
    """Quantity and face of a bid like ``2x3``; None for a challenge.

    Raises:
        ValueError: it is neither.
    """
    parts = re.fullmatch("([1-9][0-9]?)x([1-6])", action)
    if parts is None and action not in CHALLENGES:
        raise ValueError(f"an action is 'liar', 'exact' or a bid like '2x3', not {action!r}")
    return (int(parts[1]), int(parts[2])) if parts else None


def _percent(chance: float, digits: int = 0) -> str:
    """A probability in per cent; what is neither impossible nor certain does not look so."""
    number, least = f"{100 * chance:.{digits}f}", 10.0**-digits
    if float(number) == 0 and chance > 0:
        return f"<{least:g}"
    return f">{100 - least:g}" if float(number) == 100 and chance < 1 else number


def _long(words: str, size: float) -> float:
    """About how wide words are."""
    return 0.56 * size * len(words)


# ---------------------------------------------------------------- bids

MOST_ACROSS = 15
CELL, CELL_TALL, SIDE = 64, 37, 28
MARKS = ((ORANGE, "circle"), (GREEN, "square"), (PINK, "triangle"), (RED, "diamond"))


def bid_matrix(chances: Mapping[str, float], total: int, chosen: Mapping[str, str] | None = None) -> Picture:
    """All bids, faces down and quantities across, each with the probability that it holds; challenges stand above.

    Bids that are not legal are hatched.

    Args:
        chances: for each legal action the probability that it is true, in any order: ``liar``, ``exact``, ``2x3``.
        total: dice in play, so many columns.
        chosen: for some policies the action that each of them takes.

    Raises:
        ValueError: no action, one that there is not, no probability, or a choice that is not legal.
    """
    chosen = chosen or {}
    if not 1 <= total <= MOST_ACROSS:
        raise ValueError(f"total must lie between 1 and {MOST_ACROSS}, not at {total}")
    if not chances:
        raise ValueError("expected at least one legal action")
    for action, chance in chances.items():
        if (_bid(action) or (0, 0))[0] > total:
            raise ValueError(f"{action} is of more than {total} dice")
        if not 0 <= chance <= 1:
            raise ValueError(f"{action}: {chance} is not a probability")
    if len(chosen) > len(MARKS):
        raise ValueError(f"expected at most {len(MARKS)} policies, not {len(chosen)}")
    for name, action in chosen.items():
        if action not in chances:
            raise ValueError(f"{name} takes {action}, which is not legal here")
    wide = min(CELL, (WIDE - SIDE - 2) / total)
    width, unit = max(260, round(SIDE + total * wide + 2)), " %" if wide >= 40 else ""
    challenges = [action for action in CHALLENGES if action in chances]
    body = [
        f'<defs><pattern id="no-bid" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 6 6 0" '
        f'stroke="{RULE}" stroke-width="1.2"/></pattern></defs>'
    ]
    x: float
    for k, action in enumerate(challenges):
        x = SIDE + 112 * k
        body.append(_cell(x, 2, 106, 30, chances[action], action, chosen))
        words = f"{action} {_percent(chances[action])} %"
        taken = action in chosen.values()
        body.append(text(x + (8 if taken else 53), 21.5, words, 13, anchor="start" if taken else "middle"))
    top: float = 42 * bool(challenges)
    body.append(text(2, top + 14, "bid" if unit else "in %", 11.5, GREY))
    for quantity in range(1, total + 1):
        x = SIDE + (quantity - 0.5) * wide
        body.append(text(x, top + 14, f"{quantity} ×", 12.5 if unit else 11, anchor="middle"))
    top += 20
    for face in FACES:
        y = top + (face - 1) * CELL_TALL
        body.append(small_die(face, 2, y + (CELL_TALL - DIE) / 2))
        for quantity in range(1, total + 1):
            x, action = SIDE + (quantity - 1) * wide, f"{quantity}x{face}"
            if action not in chances:
                body.append(box(x + 1, y + 1, wide - 2, CELL_TALL - 2, "url(#no-bid)", RULE, 4, 0.8))
                continue
            body.append(_cell(x + 1, y + 1, wide - 2, CELL_TALL - 2, chances[action], action, chosen))
            low = 16.5 if action in chosen.values() else 23
            words = _percent(chances[action]) + unit
            body.append(text(x + wide / 2, y + low, words, 12.5 if unit else 11, anchor="middle"))
    bottom, x = top + 6 * CELL_TALL + 8, 8.0
    for name, look in zip(chosen, MARKS, strict=False):
        if x > 8 and x + 12 + _long(name, 12.5) > width:
            x, bottom = 8.0, bottom + 20
        body.append(_mark(x, bottom + 8, *look) + text(x + 11, bottom + 12.5, name, 12.5))
        x += 11 + _long(name, 12.5) + 12
    return picture(width, bottom + 20 * bool(chosen), body)


def _cell(x: float, y: float, wide: float, tall: float, chance: float, action: str, chosen: Mapping[str, str]) -> str:
    """A cell, the darker the likelier; framed, with the marks of those who choose it in its lower or right part."""
    looks = [look for look, taken in zip(MARKS, chosen.values(), strict=False) if taken == action]
    line, thick = (INK, 2.2) if looks else (RULE, 0.8)
    body = f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{tall:g}" rx="4" fill="{BLUE}" '
    body += f'fill-opacity="{0.55 * chance:.3f}"/>' + box(x, y, wide, tall, "none", line, 4, thick)
    step = min(12, (wide - 4) / max(len(looks), 1))
    flat = tall < CELL_TALL - 2
    first = x + wide - 10 - step * (len(looks) - 1) if flat else x + wide / 2 - step * (len(looks) - 1) / 2
    return body + "".join(
        _mark(first + step * k, y + (tall / 2 if flat else 26.5), *look) for k, look in enumerate(looks)
    )


def _mark(x: float, y: float, colour: str, shape: str) -> str:
    paths = {
        "circle": "M-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0-8.8 0z",
        "square": "M-4-4H4V4H-4z",
        "triangle": "M-5 4 0-5 5 4z",
        "diamond": "M0-5.4 5.4 0 0 5.4-5.4 0z",
    }
    return (
        f'<path transform="translate({x:g} {y:g})" d="{paths[shape]}" fill="{colour}" stroke="{INK}" '
        f'stroke-width="1.2" class="{shape}"/>'
    )


# ---------------------------------------------------------------- places


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


# ---------------------------------------------------------------- improvements, on and off


@drawn
def factorial(
    effects: Mapping[tuple[str, ...], Estimate],
    names: Sequence[str] | None = None,
    marks: Mapping[str, float] | None = None,
    xlabel: str = "share of first places",
) -> Figure:
    """What each combination of improvements attains: on the left which are on, on the right the estimate.

    Args:
        effects: for each combination, the tuple of what is on, its estimate; drawn in this order.
        names: of the improvements in the order of their columns; as they first appear, unless given.
        marks: levels to draw as vertical lines, by their labels.
        xlabel: what is estimated.

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
    panel.set_xlabel(xlabel)
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


# ---------------------------------------------------------------- a game as a comic


@dataclass(frozen=True)
class Thought:
    """What the agent weighs before a move.

    Attributes:
        values: what it has learned that each legal action is worth.
        exact: the probability of winning the game after each of them, if all that follows is played as well as can be.
        chosen: the action that it takes.
        best: the action of the highest of these probabilities.
        possible: for each opponent how many hands it can still hold, and of how many in all.
        likely: for some of them the likeliest of these hands, each with its probability.
    """

    values: Mapping[str, float]
    exact: Mapping[str, float]
    chosen: str
    best: str
    possible: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    likely: Mapping[str, Sequence[tuple[Sequence[int], float]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Panel:
    """A round.

    Attributes:
        hands: the dice of each player, by name, in the order of their turns; none if it is out, ``"?"`` if unseen.
        bids: who bids what, such as ``("agent", "2x3")``.
        challenge: who challenges the last bid, and how: ``"liar"``, ``"exact"``, or ``"?"`` if that is left open.
        outcome: who loses (-1) or wins (+1) a die, or wins none for having all (0); None if that is left open.
        thoughts: what was weighed before some of the moves, by their number from 0; the challenge is the last.
    """

    hands: Mapping[str, Sequence[int | str]]
    bids: Sequence[tuple[str, str]]
    challenge: tuple[str, str]
    outcome: tuple[str, int] | None = None
    thoughts: Mapping[int, Thought] = field(default_factory=dict)

    @property
    def moves(self) -> tuple[tuple[str, str], ...]:
        """The bids and the challenge."""
        return (*self.bids, self.challenge)

    @property
    def last(self) -> tuple[int, int]:
        """Quantity and face of the last bid."""
        bid = _bid(self.bids[-1][1])
        assert bid is not None
        return bid

    def counts(self, die: int | str) -> bool:
        """Whether a die counts towards the last bid."""
        return die in (WILD, self.last[1])

    def verdict(self) -> str:
        """How the round ends, in words; nothing if that is left open."""
        if self.outcome is None:
            return ""
        player, change = self.outcome
        there = sum(self.counts(die) for dice in self.hands.values() for die in dice)
        last = change < 0 and len(self.hands[player]) == 1
        fate = {-1: f"loses {'its last' if last else 'a'} die", 0: "is right, but has all its dice", 1: "wins a die"}
        return f"bid {self.last[0]}, counted {there}: {player} {fate[change]}"


PAD, GUTTER = 10, 10
STEP = DIE + 2.5
NAME, SMALL_PRINT = 12, 11
HAND_TALL, MOVE_TALL = 48, 56
LINE = 21
TABLE = 178  # width of the table of values
MINI = 0.38  # of the dice of a hand that may be held
SHOWN = 3  # values


def comic(panels: Sequence[Panel], first: int = 1) -> Picture:
    """Rounds as panels of a comic: hands, bids in their order, what the agent weighs, and the end.

    Dice that count towards the last bid are filled.

    Args:
        panels: the rounds, one below the other.
        first: the number of the first.

    Raises:
        ValueError: there is nothing to draw; a player, action or hand that there is not; a round without a bid.
    """
    if not panels:
        raise ValueError("expected at least one panel")
    body, top = [], 1.0
    for number, panel in enumerate(panels, first):
        _check(number, panel)
        inside, bottom = _draw_panel(panel, number, top)
        body += [box(1, top, WIDE - 2, bottom - top, "none", GREY, 8, 1.2), *inside]
        top = bottom + GUTTER
    if any(panel.thoughts for panel in panels):
        body.append(_chosen(6, top + 4) + text(18, top + 8, "chosen", SMALL_PRINT))
        body.append(_star(74, top + 4) + text(84, top + 8, "best", SMALL_PRINT))
        body.append(text(122, top + 8, "Q: value learned; P(win): exact, with best play after", SMALL_PRINT, GREY))
        top += 16
    return picture(WIDE, round(top), body)


def told(panels: Sequence[Panel], first: int = 1) -> str:
    """The same in words, a sentence a round: for those who do not see the comic."""
    sentences = []
    for number, panel in enumerate(panels, first):
        _check(number, panel)
        said = [f"{player} bids {_in_words(bid)}" for player, bid in panel.bids]
        player, challenge = panel.challenge
        said.append(f"{player} is to move" if challenge == "?" else f"{player} says {challenge}")
        for place, thought in panel.thoughts.items():
            if thought.chosen != thought.best:
                said[place] += f" ({_in_words(thought.best)} would be best)"
        verdict = panel.verdict()
        sentences.append(f"Round {number}: {', '.join(said)}{'; ' + verdict if verdict else ''}.")
    return " ".join(sentences)


def _in_words(action: str) -> str:
    """A bid like ``2x6`` as two sixes; a challenge as it is."""
    bid = _bid(action)
    if bid is None:
        return action
    quantity, face = bid
    return f"{quantity} {FACE_NAMES[quantity > 1][face - 1]}"


def _check(number: int, panel: Panel) -> None:
    if not panel.bids:
        raise ValueError(f"round {number}: expected at least one bid")
    named = [player for player, _ in panel.moves]
    named += [panel.outcome[0]] if panel.outcome else []
    for thought in panel.thoughts.values():
        named += [*thought.possible, *thought.likely]
    if unknown := set(named) - panel.hands.keys():
        raise ValueError(f"round {number}: no hand of {', '.join(sorted(unknown))}")
    for hand in panel.hands.values():
        if not all(die == "?" or die in FACES for die in hand):
            raise ValueError(f"round {number}: no die shows what {tuple(hand)} does")
    bids = [_bid(action) for _, action in panel.bids]
    if None in bids or panel.challenge[1] not in (*CHALLENGES, "?"):
        raise ValueError(f"round {number}: expected bids and then 'liar', 'exact' or '?'")
    if panel.outcome is not None and panel.outcome[1] not in (-1, 0, 1):
        raise ValueError(f"round {number}: dice change by -1, 0 or 1, not by {panel.outcome[1]}")
    for place, thought in panel.thoughts.items():
        if not 0 <= place <= len(panel.bids):
            raise ValueError(f"round {number}: there is no move {place} to think about")
        if missing := {*thought.values, thought.chosen, thought.best} - thought.exact.keys():
            raise ValueError(f"round {number}: no exact probability of {', '.join(sorted(missing))}")
        if missing := {thought.chosen, thought.best} - thought.values.keys():
            raise ValueError(f"round {number}: no value of {', '.join(sorted(missing))}")
        if not set(thought.likely) <= set(thought.possible):
            raise ValueError(f"round {number}: likely hands of an opponent without a number of possible ones")


def _draw_panel(panel: Panel, number: int, top: float) -> tuple[list[str], float]:
    """A round from a height on, and where it ends."""
    body, y = [text(PAD, top + 19, f"round {number}", 13, weight="bold")], top + 28
    need = max(max(_long(name, NAME) + 8, len(dice) * STEP + 24) for name, dice in panel.hands.items())
    rows = -(-len(panel.hands) // max(1, int((WIDE - 2 * PAD) // need)))
    columns = -(-len(panel.hands) // rows)
    pitch = (WIDE - 2 * PAD) / columns
    for k, (name, dice) in enumerate(panel.hands.items()):
        body += _hand(panel, name, dice, PAD + k % columns * pitch, y + k // columns * HAND_TALL)
    y += rows * HAND_TALL + 2
    body.append(f'<path d="M{PAD} {y:g}H{WIDE - PAD}" stroke="{RULE}" stroke-width="1.2"/>')
    y += 5
    widths = [max(_long(name, NAME), PILL + DIGIT) + 14 for name, _ in panel.moves]
    for row in _rows_of(widths, panel.thoughts):
        x = float(PAD)
        for move in row:
            name, action = panel.moves[move]
            body += _said(x, y, name, action, move in panel.thoughts)
            x += widths[move]
        y += MOVE_TALL
        if row[-1] in panel.thoughts:
            tip = x - widths[row[-1]] + PILL / 2
            inside, tall = _thought(panel.thoughts[row[-1]], y)
            body += [_ground(tip, y, tall), *inside]
            y += tall + 10
    if verdict := panel.verdict():
        body.append(f'<path d="M{PAD} {y:g}H{WIDE - PAD}" stroke="{RULE}" stroke-width="1.2"/>')
        body.append(text(PAD, y + 18, verdict, min(13, 13 * (WIDE - 2 * PAD) / _long(verdict, 13))))
        y += 26
    return body, y


def _rows_of(widths: Sequence[float], thoughts: Mapping[int, Thought]) -> Iterator[list[int]]:
    """Moves in rows that have room for them; a row ends with a move that was thought about."""
    row: list[int] = []
    for move, wide in enumerate(widths):
        if row and sum(widths[other] for other in row) + wide > WIDE - PAD:
            yield row
            row = []
        row.append(move)
        if move in thoughts:
            yield row
            row = []
    if row:
        yield row


def _hand(panel: Panel, name: str, dice: Sequence[int | str], x: float, y: float) -> Iterator[str]:
    """A player's name and dice, and what the round does to them."""
    yield text(x, y + 12, name if dice else f"{name}, out", NAME, INK if dice else GREY)
    for k, die in enumerate(dice):
        yield small_die(die, x + k * STEP, y + 19, panel.counts(die))
    if panel.outcome and panel.outcome[0] == name and panel.outcome[1]:
        lost = panel.outcome[1] < 0
        words, colour = ("−1", RED) if lost else ("+1", GREEN)
        yield text(x + len(dice) * STEP + 3, y + 33, words, 14, colour, weight="bold")


def _said(x: float, y: float, name: str, action: str, thinks: bool) -> Iterator[str]:
    """A speech bubble under the name of who speaks."""
    bid = None if action == "?" else _bid(action)
    wide = PILL + DIGIT * bool(bid and bid[0] > 9)
    line, ground = (BLUE if thinks else GREY), (PAPER if bid else ORANGE)
    middle, rim = y + 36, y + 36 - PILL_TALL / 2
    yield text(x, y + 12, name, NAME, GREY)
    if bid:
        yield pill(x + wide / 2, middle, wide, *bid, line=line)
    else:
        line = BLUE if thinks else INK
        yield box(x, middle - PILL_TALL / 2, wide, PILL_TALL, ground, line, PILL_TALL // 2)
        yield text(x + wide / 2, middle + 4.5, action, 13, DARK, "middle")
    tail = f"M{x + 14:g} {rim + 1:g}L{x + 16:g} {rim - 6:g}L{x + 22:g} {rim + 1:g}"
    yield f'<path d="{tail}" fill="{ground}" stroke="{line}" stroke-width="1.6" stroke-linejoin="round"/>'
    yield f'<path d="M{x + 15.2:g} {rim + 1:g}H{x + 20.8:g}" stroke="{ground}" stroke-width="2.4"/>'


def _ground(tip: float, y: float, tall: float) -> str:
    """The box of a thought, with a tip that points at the bubble above."""
    right, low = WIDE - PAD, y + tall
    return (
        f'<path d="M{PAD + 8} {y:g}H{tip - 6:g}L{tip:g} {y - 6:g}L{tip + 6:g} {y:g}H{right - 8}Q{right} {y:g} {right} '
        f"{y + 8:g}V{low - 8:g}Q{right} {low:g} {right - 8} {low:g}H{PAD + 8}Q{PAD} {low:g} {PAD} {low - 8:g}V{y + 8:g}"
        f'Q{PAD} {y:g} {PAD + 8} {y:g}z" fill="{BLUE}" fill-opacity=".1" stroke="{BLUE}" stroke-width="1.2"/>'
    )


def _thought(thought: Thought, top: float) -> tuple[list[str], float]:
    """The highest values beside exact probabilities, and to the right what others can hold; and its height."""
    x, y = PAD + 8, top + 15
    shown = sorted(thought.values, key=thought.values.__getitem__, reverse=True)[:SHOWN]
    shown += [action for action in dict.fromkeys((thought.chosen, thought.best)) if action not in shown]
    body = [text(x + 14, y, "action", SMALL_PRINT, GREY), text(x + 102, y, "Q", SMALL_PRINT, GREY, "end")]
    body.append(text(x + 152, y, "P(win)", SMALL_PRINT, GREY, "end"))
    for k, action in enumerate(shown):
        row, bid = y + 18 + k * LINE, _bid(action)
        if action == thought.chosen:
            body.append(_chosen(x + 4, row - 4))
        if bid:
            body.append(text(x + 14, row, f"{bid[0]} ×", 12.5))
            body.append(small_die(bid[1], x + 36 + DIGIT * (bid[0] > 9), row - 12, scale=0.47))
        else:
            body.append(text(x + 14, row, action, 12.5))
        value = f"{thought.values[action]:.2f}".replace("-", "−")
        body.append(text(x + 102, row, value, 12.5, anchor="end"))
        best = action == thought.best
        chance = f"{_percent(thought.exact[action], 1)} %"
        body.append(text(x + 152, row, chance, 12.5, anchor="end", weight="bold" if best else "normal"))
        if best:
            body.append(_star(x + 161, row - 4.5))
    low = y + 18 + (len(shown) - 1) * LINE + 8
    x, right = PAD + TABLE + 8, WIDE - PAD - 4
    place: float
    if thought.possible:
        body.append(text(x, y, "can still hold", SMALL_PRINT, GREY))
        y += 17
    for name, (left, every) in thought.possible.items():
        words = f"{name}: {left} of {every} hands"
        body.append(text(x, y, words, min(11.5, 11.5 * (right - x) / _long(words, 11.5))))
        y += 7
        place = x
        for hand, likely in thought.likely.get(name, ()):
            percent = f"{_percent(likely)} %"
            end = place + len(hand) * (MINI * SIZE + 1.5) + 2 + _long(percent, SMALL_PRINT)
            if end > right:
                break
            for k, die in enumerate(hand):
                body.append(small_die(die, place + k * (MINI * SIZE + 1.5), y, scale=MINI))
            body.append(text(end, y + 10.5, percent, SMALL_PRINT, anchor="end"))
            place = end + 7
        y += 29 if place > x else 12
    return body, max(low, y - 11 if thought.possible else 0) - top + 4


def _chosen(x: float, y: float) -> str:
    return f'<path d="M{x - 3.5:g} {y - 4.5:g}L{x + 4:g} {y:g}L{x - 3.5:g} {y + 4.5:g}z" fill="{INK}" class="chosen"/>'


def _star(x: float, y: float) -> str:
    angles = np.pi * np.arange(10) / 5
    radii = np.where(np.arange(10) % 2, 2.6, 6.2)
    points = " ".join(
        f"{x + a:.4g},{y - b:.4g}" for a, b in zip(radii * np.sin(angles), radii * np.cos(angles), strict=True)
    )
    return f'<polygon points="{points}" fill="{ORANGE}" stroke="{INK}" stroke-width="0.8" class="best"/>'
