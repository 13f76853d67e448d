"""What is written in these pictures: actions, probabilities, and the room that words take."""

import re

WIDE = 400  # user units
FACES = range(1, 7)
CHALLENGES = ("liar", "exact")


def bid_of(action: str) -> tuple[int, int] | None:
    """Quantity and face of a bid like ``2x3``; None for a challenge.

    Raises:
        ValueError: it is neither.
    """
    parts = re.fullmatch("([1-9][0-9]?)x([1-6])", action)
    if parts is None and action not in CHALLENGES:
        raise ValueError(f"an action is 'liar', 'exact' or a bid like '2x3', not {action!r}")
    return (int(parts[1]), int(parts[2])) if parts else None


def per_cent(chance: float, digits: int = 0) -> str:
    """A probability in per cent; what is neither impossible nor certain does not look so."""
    number, least = f"{100 * chance:.{digits}f}", 10.0**-digits
    if float(number) == 0 and chance > 0:
        return f"<{least:g}"
    return f">{100 - least:g}" if float(number) == 100 and chance < 1 else number


def long(words: str, size: float) -> float:
    """About how wide words are."""
    return 0.56 * size * len(words)
