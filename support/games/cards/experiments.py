"""The comparisons on ace, king, queen: shares of random choices, the result table's relatives, other games.

The criteria for what only long runs can say were fixed when the ends of at most two of these runs were known.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from support.core.checks import require_one_of, settings
from support.core.flat import FlatGame
from support.core.policy import EndlessError, from_weights
from support.exact.markov import expected_return
from support.exact.nash_conv_fast import Scorer, normalise
from support.exact.optimal import optimal_policy
from support.games.cards.runs import (
    BASE,
    ELSEWHERE,
    RELATIVES,
    CardsScale,
    Curve,
    Learned,
    by_values,
    curve,
    scorer,
)
from support.games.cards.truth import flat_game
from support.learners import cfr_fast as cfr
from support.learners import mccfr_fast as mccfr
from support.learners import regret_table_fast as regret_table
from support.learners.long_runs import LONGEST, MOST_PER_DECADE, TableRun, marks_to
from support.learners.regret_table import RegretTableSettings
from support.verdicts.claims import all_hold
from support.verdicts.stats import compare_rates, rank_test

LEVEL = 0.05
GOOD = 2.0
"""The share of one per cent is good if its NashConv is at most this many times that of any other share."""
ENOUGH = 10**9
"""The number of games that the document claims to need."""
FULL_TREE = {"fictitious play": "fictitious play", "CFR": "cfr", "CFR+": "cfr+"}
RULES = {"regrets from the two columns": "averages", "greed on totals": "totals", "estimated regrets": "regrets"}
SAMPLED = "sampled CFR"
METHODS = (*RULES, SAMPLED, *FULL_TREE)
"""The result table's relatives: methods that differ from it in a rule, or that walk through the whole tree."""
OTHERS = {
    "liars-dice": "support.games.cups.liars_dice:LiarsDice",
    "biscuits": "support.games.biscuits.rules:Biscuits",
    "three-dice": "support.games.three_dice.rules:DiceGame",
    "kuhn-poker": "support.games.cards.kuhn:Kuhn",
}
"""The other games that the result table is tried on, and where their rules are."""
SAMPLED_FROM = 100  # games at which the curves of sampled methods begin
Count = Annotated[int, Field(ge=1, le=LONGEST)]


@dataclass(frozen=True)
class Arrivals:
    """How many games our runs of full length need.

    Attributes:
        games: for each bar and then each run, the games after which it stays at or below the bar, or None.
    """

    games: Mapping[float, tuple[int | None, ...]]

    def later(self, bar: float) -> int:
        """The number of runs that arrive at ``ENOUGH`` games or later."""
        return sum(found is not None and found >= ENOUGH for found in self.games[bar])

    def earlier(self, bar: float) -> int:
        """The number of runs that arrive before ``ENOUGH`` games."""
        return sum(found is not None and found < ENOUGH for found in self.games[bar])

    def never(self, bar: float) -> int:
        """The number of runs that do not arrive."""
        return sum(found is None for found in self.games[bar])

    @property
    def holds(self) -> bool | None:
        """True if most runs arrive late by every bar, False if most arrive early, None if these runs do not decide."""
        runs = {bar: len(found) for bar, found in self.games.items()}
        if all(self.later(bar) > runs[bar] / 2 for bar in runs):
            return True
        return False if all(self.earlier(bar) > runs[bar] / 2 for bar in runs) else None


def arrivals(curves: Sequence[Curve], bars: Sequence[float]) -> Arrivals:
    """When each run first reaches each bar and stays there."""
    return Arrivals({float(bar): tuple(one.arrives(float(bar)) for one in curves) for bar in bars})


@dataclass(frozen=True, eq=False)
class Explored:
    """NashConv for different shares of random choices.

    Attributes:
        games: the numbers of games at which NashConv is measured.
        found: NashConv of each seed, by share and then by number of games.
    """

    games: tuple[int, ...]
    found: Mapping[Fraction, Mapping[int, np.ndarray]]

    @property
    def seeds(self) -> int:
        """Runs in all."""
        return sum(len(found[self.games[0]]) for found in self.found.values())

    def median(self, share: Fraction, games: int) -> float:
        """The median over the seeds."""
        return float(np.median(self.found[share][games]))

    def best(self, games: int) -> Fraction:
        """The share with the lowest median."""
        return min(self.found, key=lambda share: self.median(share, games))

    def drawn(self) -> tuple[list[float], *tuple[dict[str, list[float]], ...]]:
        """For the picture: shares, then medians, lowest and highest seeds by number of games."""
        series = [
            {f"{games:,} games": [f(found[games]) for found in self.found.values()] for games in self.games}
            for f in (np.median, np.min, np.max)
        ]
        return [float(share) for share in self.found], *series


def exploration_curves(learned: Learned, games: Sequence[int]) -> Explored:
    """The sweep over the share of random choices, read by counts, after some numbers of games.

    All other runs of the published share that are long enough are included, because more seeds give a finer comparison.
    """
    groups = {share: list(runs) for share, runs in learned.sweep.items()}
    groups[BASE.exploration] += learned.base(max(games))
    curves = {share: [curve(run) for run in runs] for share, runs in groups.items()}
    found = {s: {g: np.array([one.at(g) for one in group]) for g in games} for s, group in curves.items()}
    return Explored(tuple(games), found)


def shown_by_ranks(claimed_lower: np.ndarray, claimed_higher: np.ndarray, level: float = LEVEL) -> bool | None:
    """Whether one sample is lower than another, as claimed, by the test of Mann and Whitney; None if it finds nothing.

    Two runs differ from eight at the 5% level only if both lie on the same side of all eight (p = 2/45).
    """
    if rank_test(claimed_lower, claimed_higher) >= level:
        return None
    return bool(np.median(claimed_lower) < np.median(claimed_higher))


def exploration_parts(learned: Learned, explored: Explored, bar: float) -> dict[str, bool | None]:
    """Whether each of the five parts of what the document says of random choices holds; None where that is open.

    Args:
        learned: all runs; accuracy is compared at the last mark of the long runs with shares other than the published.
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
        "1% is within a factor of two of the others": _good(ends[one], [ends[share] for share in learned.compared]),
        "more converges faster": all_hold(begun),
        "more is less accurate": shown_by_ranks(ends[one], ends[more]),
        "less is more accurate": shown_by_ranks(ends[less], ends[one]),
        "less gets stuck more often": _stuck(explored.found[few][late] > bar, explored.found[one][late] > bar),
    }


def ends_of(learned: Learned) -> dict[Fraction, np.ndarray]:
    """NashConv of the long runs after as many games as the shorter ones have, by share of random choices."""
    groups = {BASE.exploration: learned.full, **learned.compared}
    games = min(int(run.marks[-1]) for runs in groups.values() for run in runs)
    return {share: np.array([curve(run).at(games) for run in runs]) for share, runs in groups.items()}


def _good(ours: np.ndarray, others: Sequence[np.ndarray]) -> bool | None:
    if any(GOOD * other.max() < ours.min() for other in others):
        return False
    return True if all(np.median(ours) <= GOOD * np.median(other) for other in others) else None


def _stuck(few: np.ndarray, one: np.ndarray) -> bool | None:
    found = compare_rates(int(few.sum()), len(few), int(one.sum()), len(one), 1 - LEVEL)
    return found.difference > 0 if found.different else None


@settings
class Relative:
    """A configuration: a run of one of the result table's relatives on ace, king, queen.

    Attributes:
        method: one of ``METHODS``.
        length: games played, or iterations over the whole tree.
        first, per_decade: the first step at which NashConv is computed, and how many in each power of ten.
    """

    method: str = "CFR"
    length: Count = 10**5
    first: Count = 1
    per_decade: Annotated[int, Field(ge=1, le=MOST_PER_DECADE)] = 4

    def __post_init__(self) -> None:
        require_one_of("method", self.method, METHODS)


def relative(config: Relative, seed: int) -> Mapping[str, np.ndarray]:
    """The NashConv of a relative of the result table on ace, king, queen over the course of a run."""
    flat, marks = flat_game(), marks_to(config.length, min(config.first, config.length), config.per_decade)
    if config.method in RULES:
        run = regret_table.run(flat, RegretTableSettings(RULES[config.method]), marks, seed)
        return {"steps": run.marks, "nodes": run.nodes, "nash_conv": scorer().nash_convs(normalise(flat, run.counts))}
    sampled = config.method not in FULL_TREE
    trace = mccfr.run(flat, marks, seed) if sampled else cfr.run(flat, FULL_TREE[config.method], marks)
    return {"steps": trace.iterations, "nodes": trace.nodes, "nash_conv": scorer().nash_convs(trace.strategies)}


def relatives(config: CardsScale) -> Mapping[str, list[Curve]]:
    """The NashConv curves of the result table's relatives: one for each seed, or a single one without randomness."""
    settings = [Relative(name, config.sampled, SAMPLED_FROM, config.per_decade) for name in (*RULES, SAMPLED)]
    seeds = [config.sampled_seeds] * len(settings) + [1] * len(FULL_TREE)
    settings += [Relative(name, config.iterations, 1, config.per_decade) for name in FULL_TREE]
    records = config.sweep(relative, settings, seeds, RELATIVES)
    names = ("steps", "nodes", "nash_conv")
    return {
        setting.method: [Curve(*row) for row in zip(*(records.column(n, place) for n in names), strict=True)]
        for place, setting in enumerate(settings)
    }


@dataclass(frozen=True, eq=False)
class Elsewhere:
    """The result table on another game.

    Attributes:
        game: its name.
        unit: the measure of the distance.
        states: the number of its information states.
        marks: int64[k], games played.
        by_counts, by_values: float64[k], the distance of the two readings of the table from the exact answer; NaN if
            the strategy would play on for ever.
        blank: the distance of uniform play.
    """

    game: str
    unit: str
    states: int
    marks: np.ndarray
    by_counts: np.ndarray
    by_values: np.ndarray
    blank: float


def distances(config: TableRun, seed: int) -> Mapping[str, Any]:
    """The distance of the two readings of a game's result table from the exact answer over the course of a run."""
    flat, history = config.flat(), config.history(seed)
    unit, measure = _measure(flat)
    return {
        "unit": unit,
        "states": len(flat.information_states),
        "marks": history.marks,
        "by_counts": measure(history.counts),
        "by_values": measure(by_values(flat, history).astype(np.int64)),
        "blank": float(measure(np.zeros((1, flat.slots[-1]), np.int64))[0]),
    }


def any_game(config: CardsScale) -> list[Elsewhere]:
    """The same learner on four other games, each measured against its exact answer."""
    settings = [replace(config.run(config.any_games, game=game), first=100, per_decade=2) for game in OTHERS.values()]
    records = config.sweep(distances, settings, 1, ELSEWHERE)
    names = {field.name for field in fields(Elsewhere)}
    rows: list[dict[str, Any]] = [
        {name: np.array(v) if isinstance(v, list) else v for name, v in row.items() if name in names}
        for row in records.rows()
    ]
    return [Elsewhere(**{**row, "game": name}) for name, row in zip(OTHERS, rows, strict=True)]


def _measure(flat: FlatGame) -> tuple[str, Callable[[np.ndarray], np.ndarray]]:
    """How the distance of policies, given as rows of weights, is called and found: for one player from the best."""
    if flat.num_players > 1:
        return "NashConv", lambda rows: Scorer(flat).nash_convs(normalise(flat, rows))
    best = optimal_policy(flat).value

    def lost(weights: np.ndarray) -> float:
        try:
            return float(best - expected_return(flat, from_weights(flat, weights).edge_probabilities(flat)))
        except EndlessError:
            return float("nan")

    return "points", lambda rows: np.array([lost(row) for row in rows])
