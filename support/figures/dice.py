"""Dice drawn as dice: single rolls, and the map of all decisions of the dice game."""

from collections.abc import Mapping, Sequence

from support.figures.shapes import box, picture, text
from support.figures.style import BLUE, GREY, INK, ORANGE, PAPER, Picture

SIZE = 34  # width of a die, in user units; pictures scale with the page
GAP = 5
COLUMNS = 7  # most states in a row of a map
SMALL = 0.53  # scale of the dice in the other pictures
DIE = SMALL * SIZE
PILL, PILL_TALL = 50, 26  # the frame of a bid
DIGIT = 8  # width of a digit, and of what a second digit adds to a pill
SPOTS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}


def roll(dice: Sequence[int], held: Sequence[int] = ()) -> Picture:
    """A row of dice on their own, the held ones (by position) marked as in the map."""
    step = SIZE + GAP
    body = "".join(die(face, GAP + k * step, GAP, k in held) for k, face in enumerate(dice))
    return picture(len(dice) * step + GAP, SIZE + 2 * GAP + 4, body)


def decision_map(
    decisions: Mapping[tuple[int, ...], tuple[int, ...]],
    others: Mapping[tuple[int, ...], tuple[int, ...]] | None = None,
) -> Picture:
    """What a policy does in every state: held dice are filled, rerolled ones hollow, and a frame means "stop".

    Every lowest die starts a new row.

    Args:
        decisions: for each state (sorted dice), the positions held, in lexicographic order of the states.
        others: a second policy; where it decides differently, a dot marks the state.
    """
    dice = len(next(iter(decisions)))
    wide, tall = dice * (SIZE + GAP) + 18, SIZE + 24
    body, row, column, lowest = [], -1, COLUMNS, None
    for state, held in decisions.items():
        if column == COLUMNS or state[0] != lowest:
            row, column, lowest = row + 1, 0, state[0]
        x, y = column * wide + 8, row * tall + 8
        column += 1
        if len(held) == dice:
            body.append(box(x - 3, y - 3, dice * (SIZE + GAP) + 1, SIZE + 6, "none", GREY, 8))
        body += [die(face, x + k * (SIZE + GAP), y, k in held) for k, face in enumerate(state)]
        if others is not None and others[state] != held:
            body.append(f'<circle cx="{x + dice * (SIZE + GAP) + 2}" cy="{y}" r="5" fill="{ORANGE}"/>')
    return picture(min(COLUMNS, len(decisions)) * wide + 6, (row + 1) * tall + 6, "".join(body))


def die(face: int | str, x: float, y: float, held: bool) -> str:
    """A die, filled if it is held and outlined if it is rerolled. Anything but a face from 1 to 6 is written on it."""
    fill, line, spot = (BLUE, BLUE, PAPER) if held else ("none", INK, INK)
    body = box(x, y, SIZE, SIZE, fill, line, 7)
    if face not in SPOTS:
        return body + text(x + SIZE / 2, y + SIZE / 2 + 6, str(face), 16, spot, "middle")
    middle, step = SIZE / 2, SIZE / 4
    return body + "".join(
        f'<circle cx="{x + middle + column * step:g}" cy="{y + middle + row * step:g}" r="3.4" fill="{spot}"/>'
        for column, row in SPOTS[face]
    )


def small_die(face: int | str, x: float, y: float, held: bool = False, scale: float = SMALL) -> str:
    """A die for use among text, ``SIZE * scale`` wide."""
    return f'<g transform="translate({x:g} {y:g}) scale({scale})">{die(face, 0, 0, held)}</g>'


def pill(x: float, y: float, wide: float, quantity: int, face: int, line: str = GREY) -> str:
    """A bid, centred on a point: its quantity and its face in a frame."""
    body = box(x - wide / 2, y - PILL_TALL / 2, wide, PILL_TALL, PAPER, line, PILL_TALL // 2)
    x += DIGIT / 2 * (quantity > 9)
    return body + text(x - 1.5, y + 4.5, f"{quantity} ×", 13, anchor="end") + small_die(face, x + 1.5, y - DIE / 2)
