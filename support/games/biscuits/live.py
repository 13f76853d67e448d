"""The live picture of the story: which squares are cold."""

from typing import Any

from support.figures.live import Live

PICTURE = Live(
    "01-biscuits",
    "Find the cold squares",
    "Point at a square (or use the arrow keys) to see its moves. Press it to mark it cold, then check.",
)
MOST = 20
"""Biscuits of either kind, at most."""


def tables() -> dict[str, Any]:
    """The cold squares, the larger slope of the two lines that they follow, and the board to begin with."""
    from support.games.biscuits.cold import cold
    from support.games.biscuits.rules import Biscuits

    plate = Biscuits()
    return {
        "start": [plate.digestives, plate.rich_teas],
        "most": MOST,
        "cold": sorted(cold(MOST)),
        "golden": (1 + 5**0.5) / 2,
    }
