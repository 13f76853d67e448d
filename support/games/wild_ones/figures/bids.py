"""A table of all bids, with the probability that each holds."""

from collections.abc import Mapping

from support.figures.dice import DIE, small_die
from support.figures.shapes import box, picture, text
from support.figures.style import BLUE, GREY, RULE, Picture
from support.games.cups.rolls import FACES
from support.games.wild_ones.rules import EXACT, LIAR, bid_of

WIDE = 400  # user units
MOST_ACROSS = 15
CELL, CELL_TALL, SIDE = 64, 37, 28


def per_cent(chance: float, digits: int = 0) -> str:
    """A probability in per cent, never rounded to 0 or 100 unless it is impossible or certain."""
    number, least = f"{100 * chance:.{digits}f}", 10.0**-digits
    if float(number) == 0 and chance > 0:
        return f"<{least:g}"
    return f">{100 - least:g}" if float(number) == 100 and chance < 1 else number


def long(words: str, size: float) -> float:
    """The approximate width of words."""
    return 0.56 * size * len(words)


def bid_matrix(chances: Mapping[str, float], total: int) -> Picture:
    """All bids, faces down and quantities across, each with the probability that it holds; challenges stand above.

    Bids that are not legal are hatched.

    Args:
        chances: for each legal action (``liar``, ``exact``, ``2x3``), in any order, the probability that it is true.
        total: dice in play, which is the number of columns.

    Raises:
        ValueError: there are no actions, an unknown or illegal one, or an invalid probability.
    """
    if not 1 <= total <= MOST_ACROSS:
        raise ValueError(f"total must lie between 1 and {MOST_ACROSS}, not at {total}")
    if not chances:
        raise ValueError("expected at least one legal action")
    for action, chance in chances.items():
        bid = bid_of(action)
        if action not in (LIAR, EXACT) and bid is None:
            raise ValueError(f"an action is 'liar', 'exact' or a bid like '2x3', not {action!r}")
        if bid and bid[0] > total:
            raise ValueError(f"{action} names more than the {total} dice in play")
        if not 0 <= chance <= 1:
            raise ValueError(f"{action}: {chance} is not a probability")
    wide = min(CELL, (WIDE - SIDE - 2) / total)
    width, unit = max(260, round(SIDE + total * wide + 2)), "%" if wide >= 40 else ""
    challenges = [action for action in (LIAR, EXACT) if action in chances]
    body = [
        f'<defs><pattern id="no-bid" width="6" height="6" patternUnits="userSpaceOnUse"><path d="M0 6 6 0" '
        f'stroke="{RULE}" stroke-width="1.2"/></pattern></defs>'
    ]
    x: float
    for k, action in enumerate(challenges):
        x = SIDE + 112 * k
        body.append(_cell(x, 2, 106, 30, chances[action]))
        body.append(text(x + 53, 21.5, f"{action} {per_cent(chances[action])}%", 13, anchor="middle"))
    top: float = 42 * bool(challenges)
    body.append(text(2, top + 14, "bid" if unit else "in %", 11.5, GREY))
    for quantity in range(1, total + 1):
        x = SIDE + (quantity - 0.5) * wide
        body.append(text(x, top + 14, f"{quantity} ×", 12.5 if unit else 11, anchor="middle"))
    top += 20
    for face in range(1, FACES + 1):
        y = top + (face - 1) * CELL_TALL
        body.append(small_die(face, 2, y + (CELL_TALL - DIE) / 2))
        for quantity in range(1, total + 1):
            x, action = SIDE + (quantity - 1) * wide, f"{quantity}x{face}"
            if action not in chances:
                body.append(box(x + 1, y + 1, wide - 2, CELL_TALL - 2, "url(#no-bid)", RULE, 4, 0.8))
                continue
            body.append(_cell(x + 1, y + 1, wide - 2, CELL_TALL - 2, chances[action]))
            words = per_cent(chances[action]) + unit
            body.append(text(x + wide / 2, y + 23, words, 12.5 if unit else 11, anchor="middle"))
    return picture(width, top + FACES * CELL_TALL + 8, body)


def _cell(x: float, y: float, wide: float, tall: float, chance: float) -> str:
    """A cell, the darker the likelier."""
    body = f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{tall:g}" rx="4" fill="{BLUE}" '
    return body + f'fill-opacity="{0.55 * chance:.3f}"/>' + box(x, y, wide, tall, "none", RULE, 4, 0.8)
