"""Regret matching, and the draws that learners share; ``support.learners.sampling_fast`` draws the same."""

from collections.abc import Sequence
from typing import Any

from support.core.play import Stream


def matched(regrets: Sequence[float]) -> list[float]:
    """Probabilities in proportion to the positive regrets; uniform if there are none (Hart and Mas-Colell 2000)."""
    positive, total = [max(regret, 0.0) for regret in regrets], 0.0
    for regret in positive:  # not sum(), which rounds differently from Python 3.12 on
        total += regret
    return [regret / total if total > 0 else 1.0 / len(positive) for regret in positive]


def draw(odds: Sequence[float], stream: Stream) -> int:
    """A place, drawn with the upper 53 bits of one random number; the last possible place if rounding leaves none."""
    number, total, likely = stream.share(), 0.0, 0
    for place, chance in enumerate(odds):
        total += chance
        if chance > 0:
            likely = place
            if number < total:
                break
    return likely


def any_of(moves: Sequence[Any], stream: Stream) -> Any:
    """One of the moves, all equally likely, drawn with one random number."""
    return moves[stream.next() * len(moves) >> 64]
