"""What only long runs can say: how many games it takes, and what the share of random choices does there.

The criteria were fixed before any of these runs was looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from support.games.cards.experiments.chapter import BASE, Learned
from support.games.cards.experiments.methods import Curve, Explored, curve
from support.verdicts.stats import compare_rates, rank_test

SHOWN, CONTRADICTED, OPEN = STATES = "shown", "contradicted", "open"
"""What a comparison can show of a part of a statement."""
LEVEL = 0.05
GOOD = 2.0
"""One per cent is good if another share leaves no less than half as much to gain."""


@dataclass(frozen=True)
class Arrivals:
    """How many games our runs of full length need.

    Attributes:
        games: for each bar, and then for each run, the games after which it stays at or below the bar, None if it
            does not.
        least: the number of games that is claimed to be needed.
    """

    games: Mapping[float, tuple[int | None, ...]]
    least: int

    def later(self, bar: float) -> int:
        """Runs that arrive, and not before ``least`` games."""
        return sum(found is not None and found >= self.least for found in self.games[bar])

    def earlier(self, bar: float) -> int:
        """Runs that arrive before ``least`` games."""
        return sum(found is not None and found < self.least for found in self.games[bar])

    def never(self, bar: float) -> int:
        """Runs that do not arrive."""
        return sum(found is None for found in self.games[bar])

    @property
    def holds(self) -> bool | None:
        """Whether most runs arrive late (True) or early (False) by every bar; None if these runs do not settle it."""
        runs = {bar: len(found) for bar, found in self.games.items()}
        if all(self.later(bar) > runs[bar] / 2 for bar in runs):
            return True
        return False if all(self.earlier(bar) > runs[bar] / 2 for bar in runs) else None


def arrivals(curves: Sequence[Curve], bars: Sequence[float], least: int = 10**9) -> Arrivals:
    """When each run first reaches each bar and keeps it."""
    return Arrivals({float(bar): tuple(one.arrives(float(bar)) for one in curves) for bar in bars}, least)


def shown_by_ranks(claimed_lower: np.ndarray, claimed_higher: np.ndarray, level: float = LEVEL) -> str:
    """Whether one sample is lower than another, as claimed, by the test of Mann and Whitney.

    Two runs against eight are told apart at 5 % only if both lie on the same side of all eight (p = 2/45).
    """
    if rank_test(claimed_lower, claimed_higher) >= level:
        return OPEN
    return SHOWN if np.median(claimed_lower) < np.median(claimed_higher) else CONTRADICTED


def exploration_parts(learned: Learned, explored: Explored, bar: float) -> dict[str, str]:
    """The five parts of what the document says of random choices: each shown, contradicted or open.

    Args:
        learned: all runs; accuracy is compared at the last mark of the long runs with other shares than the published.
        explored: the sweep over shares at a hundredth of the length; its first number of games is "early".
        bar: a NashConv above which a run of the sweep counts as stuck.
    """
    one, ends = BASE.exploration, ends_of(learned)
    more, less = max(learned.compared), min(learned.compared)
    early, late = explored.games[0], explored.games[-1]
    quick = [share for share in explored.found if share >= more]
    begun = [
        shown_by_ranks(explored.found[share][early], explored.found[one][early], LEVEL / len(quick)) for share in quick
    ]
    few = min(explored.found)
    return {
        "1 % is within a factor of two of the others": _good(ends[one], [ends[share] for share in learned.compared]),
        "more converges faster": CONTRADICTED if CONTRADICTED in begun else OPEN if OPEN in begun else SHOWN,
        "more is less accurate": shown_by_ranks(ends[one], ends[more]),
        "less is more accurate": shown_by_ranks(ends[less], ends[one]),
        "less gets stuck more often": _stuck(explored.found[few][late] > bar, explored.found[one][late] > bar),
    }


def ends_of(learned: Learned) -> dict[Fraction, np.ndarray]:
    """NashConv after as many games as the shorter of the long runs have, by their share of random choices."""
    groups = {BASE.exploration: learned.full, **learned.compared}
    games = min(int(run.marks[-1]) for runs in groups.values() for run in runs)
    return {share: np.array([curve(run).at(games) for run in runs]) for share, runs in groups.items()}


def _good(ours: np.ndarray, others: Sequence[np.ndarray]) -> str:
    if any(GOOD * other.max() < ours.min() for other in others):
        return CONTRADICTED
    return SHOWN if all(np.median(ours) <= GOOD * np.median(other) for other in others) else OPEN


def _stuck(few: np.ndarray, one: np.ndarray) -> str:
    found = compare_rates(int(few.sum()), len(few), int(one.sum()), len(one), 1 - LEVEL)
    return OPEN if not found.different else SHOWN if found.difference > 0 else CONTRADICTED
