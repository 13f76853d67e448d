"""One measurement: the same work done in two ways, in one run."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Row", "rate"]


@dataclass(frozen=True)
class Row:
    """A fast way beside a plain one.

    Attributes:
        what: the work.
        unit: what is counted.
        fast, plain: units a second.
        same: whether the two gave the same result, as the row's ``how`` says.
        how: how the results were compared.
    """

    what: str
    unit: str
    fast: float
    plain: float
    same: bool
    how: str

    @property
    def ratio(self) -> float:
        """How many times faster."""
        return self.fast / self.plain

    def __str__(self) -> str:
        verdict = "agree" if self.same else "DISAGREE"
        return (
            f"{self.fast:>14,.1f} against {self.plain:>10,.1f} {self.unit} a second: {self.ratio:>8,.0f} times; "
            f"{verdict} ({self.how})"
        )


def rate(work: Callable[[], Any], units: int, least: float = 1.0) -> tuple[float, Any]:
    """Units a second, best of at least three goes and ``least`` seconds, and the last result."""
    goes, spent, best = 0, 0.0, float("inf")
    result = None
    while goes < 3 or spent < least:
        began = time.perf_counter()
        result = work()
        seconds = time.perf_counter() - began
        goes, spent, best = goes + 1, spent + seconds, min(best, seconds)
    return units / best, result
