"""How long work takes, and how fast one way of doing it is beside another, in one run."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Pace:
    """A piece of work done in two ways, a fast and a plain one.

    Attributes:
        what: the work.
        unit: what is counted.
        fast, plain: units a second.
        same: whether both gave the same results.
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
        """How many times as fast the fast way is."""
        return self.fast / self.plain

    def __str__(self) -> str:
        verdict = "agree" if self.same else "DISAGREE"
        return (
            f"{self.fast:>14,.1f} against {self.plain:>10,.1f} {self.unit} a second: {self.ratio:>8,.0f} times; "
            f"{verdict} ({self.how})"
        )


def timed(work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> tuple[float, Any]:
    """How long some work takes, by a clock in seconds, and what comes out of it.

    Args:
        work: what to do.
        clock: ``time.process_time`` leaves out what else the machine does meanwhile.
    """
    began = clock()
    result = work()
    return clock() - began, result


def rate(work: Callable[[], Any], units: int, goes: int = 3, least: float = 1.0) -> tuple[float, Any]:
    """Units a second in the fastest go, and the result of the last.

    Args:
        work: what to do, the same each time.
        units: how many of them it does.
        goes: how often to do it at least.
        least: seconds to go on for at least.
    """
    done, spent, best = 0, 0.0, float("inf")
    result = None
    while done < goes or spent < least:
        seconds, result = timed(work)
        done, spent, best = done + 1, spent + seconds, min(best, seconds)
    return units / best, result
