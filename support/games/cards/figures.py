"""The cards and the betting tree of ace, king, queen; they take numbers and know nothing of the game's code."""

from collections.abc import Mapping, Sequence

from support.figures.shapes import box, picture, text
from support.figures.style import BLUE, GREY, INK, ORANGE, PAPER, RED, SKY, Picture, expect, fraction

CARDS = "AKQ"
ACTIONS = {"": "cr", "c": "cr", "r": "fcr", "cr": "fcr", "rr": "fc", "crr": "fc"}

Strategy = Mapping[str, Mapping[str, float | None]]

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
    expect(card in tuple(CARDS), f"card must be one of A, K and Q, not {card!r}")
    body = [_face(8, 6, card), _back(174, 6)]
    for x, y in ((117, 71), (143, 51)):
        body.append(f'<circle cx="{x}" cy="{y}" r="15" fill="{PAPER}" stroke="{ORANGE}" stroke-width="2"/>')
        body.append(f'<circle cx="{x}" cy="{y}" r="11.5" fill="none" stroke="{ORANGE}" stroke-width="0.8"/>')
        body.append(text(x, y + 4.5, "$1", 12, anchor="middle"))
    for x, words in ((47, "you"), (130, "pot: $2"), (213, "opponent")):
        body.append(text(x, 136, words, 13, anchor="middle"))
    return picture(260, 144, body)


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
        f'<g transform="translate({x} {y})">{box(0, 0, 78, 110, PAPER, INK, 9)}{corner}'
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
        f'<g transform="translate({x} {y})">{box(0, 0, 78, 110, PAPER, INK, 9)}'
        f'<path d="{lattice}" fill="none" stroke="{BLUE}" stroke-width="1.1"/>'
        f"{box(left, top, wide, tall, 'none', BLUE, 1.5, 1.8)}</g>"
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
    expect(len(strategies) == 2, f"expected exactly two strategies, not {len(strategies)}")
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
    return picture(400, TOP + 3 * PITCH + TALL + 46, body)


def _complete(name: str, strategy: Strategy) -> dict[str, dict[str, float | None]]:
    """A probability or None for each action of each information state."""
    table = {card + history: dict.fromkeys(ACTIONS[history]) for card in CARDS for history in ACTIONS}
    for state, chances in strategy.items():
        expect(state in table, f"{name}: {state!r} is no information state")
        for action, chance in chances.items():
            expect(action in table[state], f"{name}: action {action!r} is not possible at {state}")
            if chance is None:
                continue
            expect(-1e-9 <= chance <= 1 + 1e-9, f"{name}: {chance} at {state} is not a probability")
            table[state][action] = min(max(float(chance), 0.0), 1.0)
        total = sum(chance or 0.0 for chance in table[state].values())
        expect(total <= 1 + 1e-6, f"{name}: the probabilities at {state} add up to {total:g}")
        if total > 1 - 1e-6:
            table[state] = {action: chance or 0.0 for action, chance in table[state].items()}
    return table


def _strategies(names: Sequence[str]) -> str:
    """The two names with a sample of their bars, centred on a line."""
    widths = [34 + 7.2 * len(name) for name in names]
    x, body = 200 - (sum(widths) + 18) / 2, ""
    for k, (name, width) in enumerate(zip(names, widths, strict=True)):
        body += _bar(x, 8, 26, k) + text(x + 33, 18.5, name, 13)
        x += width + 18
    return body


def _decision(history: str, left: float, top: float) -> str:
    """The frame of a decision, with who acts, what happened before and what can be done."""
    body = box(left, top, WIDE, TALL, "none", GREY, 7, 1.2)
    body += text(left + 8, top + 17, f"Player {len(history) % 2 + 1}", 12.5, weight="bold")
    body += text(left + WIDE - 8, top + 17, f"after {history}" if history else "to start", 12.5, anchor="end")
    for k, action in enumerate(ACTIONS[history]):
        body += text(left + _column(ACTIONS[history], k) - TRACK / 2, top + 37, _word(history, action), 12)
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
            body += "".join(
                text(x, bottom + 22 + 12.5 * line, words, 11, anchor="middle") for line, words in enumerate(_end(after))
            )
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
    differ = any(one is not None and other is not None and abs(one - other) > 5e-3 for one, other in numbers)
    body = f'<rect x="{left + 3}" y="{top - 2}" width="{WIDE - 6}" height="29" rx="4" fill="{SKY}" fill-opacity=".2"/>'
    body = body if differ else ""
    body += text(left + 12, top + 17, card, 13, weight="bold" if differ else "normal", anchor="middle")
    for k, both in enumerate(numbers):
        x = left + _column(actions, k) - TRACK / 2
        body += f'<path d="M{x:g} {top - 0.5:g}v26" stroke="{GREY}" stroke-width="1"/>'
        body += "".join(_share(x, top + 13 * j, share, j) for j, share in enumerate(both))
    return body


def _share(x: float, y: float, share: float | None, which: int) -> str:
    """A bar for a probability, with its number unless it is 0 or 1; a dash for no probability."""
    if share is None:
        return text(x + 4, y + 10.5, "–", 13, weight="bold")
    body = _bar(x, y, TRACK * share, which)
    words = fraction(share)
    if words in ("0", "1"):
        return body
    if share > 0.5:
        return body + text(x + TRACK * share - 3, y + 10, words, 10.5, PAPER if which else INK, "end")
    return body + text(x + TRACK * share + 3, y + 10, words, 10.5, INK)


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
    body += _bar(x, y - 11, TRACK, 1) + text(x + TRACK + 8, y, "always", 12)
    body += f'<path d="M{x} {y + 9}v14" stroke="{GREY}" stroke-width="1"/>'
    body += _bar(x, y + 10, 0, 1) + text(x + TRACK + 8, y + 21, "never", 12)
    body += text(x + 4, y + 42, "–", 13, weight="bold")
    body += text(x + TRACK + 8, y + 42, "not given, or", 12)
    body += text(x + TRACK + 8, y + 57, "never reached", 12)
    body += f'<rect x="{x}" y="{y + 68}" width="{TRACK}" height="15" rx="4" fill="{SKY}" fill-opacity=".2"/>'
    return body + text(x + TRACK + 8, y + 80, "the two differ", 12)
