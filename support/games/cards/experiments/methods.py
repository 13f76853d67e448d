"""The result table beside its relatives, and on other games."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np

from support.core.flat import FlatGame
from support.core.policy import from_weights
from support.exact.markov import evaluate
from support.exact.nash_conv_fast import Scorer, normalise
from support.exact.optimal import optimal_policy
from support.games.cards.experiments.chapter import (
    BASE,
    ELSEWHERE,
    RELATIVES,
    Config,
    Learned,
    by_counts,
    by_values,
    scorer,
)
from support.games.cards.experiments.truth import flat_game
from support.learners import cfr_fast as cfr
from support.learners import mccfr_fast as mccfr
from support.learners import regret_table_fast as regret_table
from support.learners.long_runs import History, TableRun, marks_to, unfolded
from support.learners.regret_table import Settings as RegretSettings
from support.verdicts.stats import rank_test

FULL_TREE = {"fictitious play": "fictitious play", "CFR": "cfr", "CFR+": "cfr+"}
RULES = {"regrets from the two columns": "averages", "greed on totals": "totals", "estimated regrets": "regrets"}
SAMPLED = "sampled CFR"
METHODS = (*RULES, SAMPLED, *FULL_TREE)
"""The relatives."""
OTHERS = ("liars-dice", "biscuits", "three-dice", "kuhn-poker")
"""The games that the result table is tried on besides."""
FIRST = 100  # games at which the curves of sampled methods begin


@dataclass(frozen=True, eq=False)
class Curve:
    """How far a strategy is from an equilibrium in the course of a run.

    Attributes:
        steps: int64[k], games played, or iterations over the whole tree.
        nodes: int64[k], states visited up to there.
        nash_conv: float64[k], in dollars a hand.
    """

    steps: np.ndarray
    nodes: np.ndarray
    nash_conv: np.ndarray

    def at(self, step: int) -> float:
        """NashConv at the last mark up to a number of steps."""
        return float(self.nash_conv[np.searchsorted(self.steps, step, side="right") - 1])

    def reaches(self, bar: float) -> int | None:
        """States visited when NashConv is first at or below ``bar`` for good; None if it ends above."""
        above = np.flatnonzero(self.nash_conv > bar)
        after = above[-1] + 1 if above.size else 0
        return int(self.nodes[after]) if after < len(self.nodes) else None

    def arrives(self, bar: float, marks: int = 2) -> int | None:
        """Steps after which NashConv stays at or below ``bar`` to the end, at the last ``marks`` marks at least."""
        above = np.flatnonzero(self.nash_conv > bar)
        after = above[-1] + 1 if above.size else 0
        return int(self.steps[after]) if after + marks <= len(self.steps) else None


def curve(history: History, read: Callable[[FlatGame, History], np.ndarray] = by_counts) -> Curve:
    """The NashConv of a run of the result table, read by counts or by values."""
    return Curve(history.marks, history.nodes, scorer().nash_convs(read(flat_game(), history)))


def late_half(history: History) -> float:
    """NashConv of what was counted after the last mark that lies at or before the middle of a run."""
    middle = int(np.searchsorted(history.marks, history.marks[-1] / 2, side="right")) - 1
    late = history.counts[-1] - history.counts[middle]
    return float(scorer().nash_convs(normalise(flat_game(), late[None]))[0])


@dataclass(frozen=True, eq=False)
class Explored:
    """NashConv for different shares of random choices.

    Attributes:
        games: numbers of games looked at.
        found: by share and then by number of games one NashConv a seed.
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

    def below(self, one: Fraction, other: Fraction, games: int) -> bool:
        """Whether one share leads to a lower NashConv than another, outside the error.

        The test is that of Mann and Whitney (1947) at 5 % divided by the number of other shares (Bonferroni), since
        ``one`` may be the best of them.
        """
        lower = self.median(one, games) < self.median(other, games)
        level = 0.05 / (len(self.found) - 1)
        return lower and rank_test(self.found[one][games], self.found[other][games]) < level

    def drawn(self) -> tuple[list[float], *tuple[dict[str, list[float]], ...]]:
        """Shares; medians, lowest and highest seeds by number of games: as the picture wants them."""
        series = [
            {f"{games:,} games": [f(found[games]) for found in self.found.values()] for games in self.games}
            for f in (np.median, np.min, np.max)
        ]
        return [float(share) for share in self.found], *series


def exploration_curves(learned: Learned, games: Sequence[int]) -> Explored:
    """The sweep over the share of random choices, read by counts, after some numbers of games.

    All other runs of the published share that are as long count too: the more seeds, the finer the comparison.
    """
    groups = {share: list(runs) for share, runs in learned.sweep.items()}
    groups[BASE.exploration] += learned.base(max(games))
    curves = {share: [curve(run) for run in runs] for share, runs in groups.items()}
    found = {s: {g: np.array([one.at(g) for one in group]) for g in games} for s, group in curves.items()}
    return Explored(tuple(games), found)


@dataclass(frozen=True)
class Relative:
    """A run of one of the result table's relatives on ace, king, queen, as a sweep takes it.

    Attributes:
        method: one of ``METHODS``.
        length: games played, or iterations over the whole tree.
        first, per_decade: the first step at which its strategy is looked at, and how many in a power of ten.

    Raises:
        ValueError: a value outside its range.
    """

    method: str = "CFR"
    length: int = 10**5
    first: int = 1
    per_decade: int = 4

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"method must be one of {', '.join(METHODS)}, not {self.method!r}")
        for name in ("length", "first", "per_decade"):
            if not 1 <= getattr(self, name) < 2**62:
                raise ValueError(f"{name} must lie between 1 and 2^62, not {getattr(self, name)}")


def relative(config: Relative, seed: int) -> Mapping[str, np.ndarray]:
    """How far a relative of the result table is from an equilibrium of ace, king, queen in the course of a run."""
    flat, marks = flat_game(), marks_to(config.length, min(config.first, config.length), config.per_decade)
    if config.method in RULES:
        run = regret_table.run(flat, RegretSettings(RULES[config.method]), marks, seed)
        return {"steps": run.marks, "nodes": run.nodes, "nash_conv": scorer().nash_convs(normalise(flat, run.counts))}
    sampled = config.method not in FULL_TREE
    trace = mccfr.run(flat, marks, seed) if sampled else cfr.run(flat, FULL_TREE[config.method], marks)
    return {
        "steps": trace.iterations,
        "nodes": trace.nodes,
        "nash_conv": scorer().nash_convs(trace.strategies),
    }


def relatives(config: Config) -> Mapping[str, list[Curve]]:
    """The known relatives of the result table on the same game: one curve a seed, or one in all without chance."""
    settings = [Relative(name, config.sampled, FIRST, config.per_decade) for name in (*RULES, SAMPLED)]
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
        unit: what the distance is counted in.
        states: its information states.
        marks: int64[k], games played.
        by_counts, by_values: float64[k], how far the two readings of the table are from it; nan where it goes on for
            ever.
        blank: what the strategy that picks at random is away from it.
    """

    game: str
    unit: str
    states: int
    marks: np.ndarray
    by_counts: np.ndarray
    by_values: np.ndarray
    blank: float


def distances(config: TableRun, seed: int) -> Mapping[str, Any]:
    """How far the two readings of a game's result table are from the exact answer in the course of a run."""
    flat = unfolded(config.game)
    return (_alone if flat.num_players == 1 else _together)(flat, config.history(seed))


def any_game(config: Config) -> list[Elsewhere]:
    """The same learner on four other games, each measured against its exact answer."""
    settings = [replace(config.run(config.any_games, game=game), first=100, per_decade=2) for game in OTHERS]
    records = config.sweep(distances, settings, 1, ELSEWHERE)
    names = {field.name for field in fields(Elsewhere)}
    rows: list[dict[str, Any]] = [
        {name: np.array(v) if isinstance(v, list) else v for name, v in row.items() if name in names}
        for row in records.rows()
    ]
    return [Elsewhere(**row) for row in rows]


def _together(flat: FlatGame, history: History) -> Mapping[str, Any]:
    """Against the best responses of both players."""
    judge = Scorer(flat)
    counts, values = (judge.nash_convs(read(flat, history)) for read in (by_counts, by_values))
    (blank,) = judge.nash_convs(normalise(flat, np.zeros((1, flat.slots[-1]))))
    return _record(flat, "NashConv", history, counts, values, float(blank))


def _alone(flat: FlatGame, history: History) -> Mapping[str, Any]:
    """Against the optimal policy of a game for one."""
    best = optimal_policy(flat).value

    def lost(weights: np.ndarray) -> float:
        try:
            return float(best - evaluate(flat, from_weights(flat, weights).edge_probabilities(flat)).mean)
        except ValueError:  # a strategy that never stops
            return float("nan")

    counts = np.array([lost(row) for row in history.counts])
    values = np.array([lost(row.astype(np.int64)) for row in by_values(flat, history)])
    return _record(flat, "points", history, counts, values, lost(np.ones(flat.slots[-1], np.int64)))


def _record(
    flat: FlatGame, unit: str, history: History, counts: np.ndarray, values: np.ndarray, blank: float
) -> Mapping[str, Any]:
    return {
        "unit": unit,
        "states": len(flat.information_states),
        "marks": history.marks,
        "by_counts": counts,
        "by_values": values,
        "blank": blank,
    }
