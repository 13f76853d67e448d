"""The live picture of the story: a coloured number for each learner at each table, and the curve behind it."""

from typing import TYPE_CHECKING, Any

from support.figures.live import Live

if TYPE_CHECKING:
    from support.comparison.everyone import Comparison

PICTURE = Live(
    "06-every-table",
    "Every learner at every table",
    "Each number says how much is left to learn: 0 is perfect play, 1 is no better than random moves. Press one to see "
    "the curve behind it.",
)


def tables(comparison: "Comparison") -> dict[str, Any]:
    """The curves, rounded to three digits: per cell the states visited, then the median and both ends of the seeds."""
    import numpy as np

    from support.comparison.everyone import LEARNERS, title

    def short(numbers: Any) -> list[float | None]:
        return [float(f"{one:.3g}") if np.isfinite(one) else None for one in numbers]

    places = list(comparison.found)
    cells = [
        [
            {
                "nodes": short(one.nodes),
                "games": short(one.games),
                "median": short(one.median),
                "low": short(one.relative.min(axis=0)),
                "high": short(one.relative.max(axis=0)),
                "seeds": one.seeds,
            }
            if (one := comparison.found[place].get(name))
            else None
            for place in places
        ]
        for name in LEARNERS
    ]
    return {"games": [title(place) for place in places], "learners": list(LEARNERS.values()), "cells": cells}
