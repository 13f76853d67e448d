"""Dice drawn as dice: single rolls, and the map of all decisions of the dice game."""

from collections.abc import Mapping, Sequence

from support.figures.style import BLUE, GREY, INK, ORANGE, PAPER, Picture, themed

__all__ = ["decision_map", "roll"]

SIZE = 34  # a die, in user units; pictures scale with the page
GAP = 5
SPOTS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def roll(dice: Sequence[int], held: Sequence[int] = (), caption: str = "") -> Picture:
    """A row of dice on their own, the held ones (by position) marked as in the map."""
    width = len(dice) * (SIZE + GAP) + GAP
    height = SIZE + 2 * GAP + 4 + (18 if caption else 0)
    body = "".join(_die(face, GAP + k * (SIZE + GAP), GAP, k in held) for k, face in enumerate(dice))
    if caption:
        body += _text(width / 2, height - 5, caption, 12)
    return _svg(max(width, 7 * len(caption)), height, body)


def decision_map(
    decisions: Mapping[tuple[int, ...], tuple[int, ...]], columns: int = 7, others: Mapping | None = None
) -> Picture:
    """What a policy does in every state: held dice are filled, rerolled ones hollow, and a frame says "stop".

    Args:
        decisions: for each state (sorted dice) the positions held, in lexicographic order of the states.
        columns: most states in a row; each lowest die starts a row of its own.
        others: a second policy; where it decides differently, a dot marks the state.
    """
    dice = len(next(iter(decisions)))
    wide, tall = dice * (SIZE + GAP) + 18, SIZE + 24
    body, row, column, lowest = [], -1, columns, None
    for state, held in decisions.items():
        if column == columns or state[0] != lowest:
            row, column, lowest = row + 1, 0, state[0]
        x, y = column * wide + 8, row * tall + 8
        column += 1
        if len(held) == dice:
            body.append(_box(x - 3, y - 3, dice * (SIZE + GAP) + 1, SIZE + 6, "none", GREY, 8))
        body += [_die(face, x + k * (SIZE + GAP), y, k in held) for k, face in enumerate(state)]
        if others is not None and others[state] != held:
            body.append(f'<circle cx="{x + dice * (SIZE + GAP) + 2}" cy="{y}" r="5" fill="{ORANGE}"/>')
    return _svg(min(columns, len(decisions)) * wide + 6, (row + 1) * tall + 6, "".join(body))


def _svg(width: float, height: float, body: str) -> Picture:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    return themed(f"{head}{body}</svg>")


def _die(face: int | str, x: float, y: float, held: bool) -> str:
    """A die; a held one is filled, one to be rerolled only outlined. What is no face of six is written on it."""
    fill, line, spot = (BLUE, BLUE, PAPER) if held else ("none", INK, INK)
    body = _box(x, y, SIZE, SIZE, fill, line, 7)
    if face not in SPOTS:
        return body + _text(x + SIZE / 2, y + SIZE / 2 + 6, str(face), 16, spot)
    middle, step = SIZE / 2, SIZE / 4
    return body + "".join(
        f'<circle cx="{x + middle + column * step:g}" cy="{y + middle + row * step:g}" r="3.4" fill="{spot}"/>'
        for column, row in SPOTS[face]
    )


def _box(x: float, y: float, width: float, height: float, fill: str, line: str, radius: float) -> str:
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" fill="{fill}" stroke="{line}" '
        'stroke-width="1.6"/>'
    )


def _text(x: float, y: float, text: str, size: int, colour: str = INK) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="middle" fill="{colour}">{text}</text>'
