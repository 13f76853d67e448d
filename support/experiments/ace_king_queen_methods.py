"""The result table beside its relatives, and on other games."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from support.agents.policy import from_weights
from support.agents.regret_table import Settings as RegretSettings
from support.exact.markov import evaluate
from support.exact.optimal import optimal_policy
from support.experiments.ace_king_queen import (
    BASE,
    ELSEWHERE,
    RELATIVES,
    Config,
    Learned,
    by_counts,
    by_values,
    marks_to,
    scorer,
)
from support.experiments.ace_king_queen_exact import flat_game
from support.experiments.long_runs import History, Task, run
from support.games.biscuits import Biscuits
from support.games.flat import FlatGame, unfold
from support.games.kuhn import Kuhn
from support.games.liars_dice import LiarsDice
from support.games.three_dice import DiceGame
from support.kernels import cfr, mccfr, regret_table
from support.kernels.nash_conv import Scorer, normalise
from support.stats import rank_test

__all__ = ["Curve", "Elsewhere", "Explored", "any_game", "curve", "exploration_curves", "late_half", "relatives"]

FULL_TREE = {"fictitious play": "fictitious play", "CFR": "cfr", "CFR+": "cfr+"}
RULES = {"regrets from the two columns": "averages", "greed on totals": "totals", "estimated regrets": "regrets"}
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

    def drawn(self) -> tuple[list[float], dict, dict, dict]:
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


def relatives(config: Config) -> Mapping[str, list[Curve]]:
    """The known relatives of the result table on the same game: one curve a seed, or one in all without chance."""
    flat = flat_game()
    marks = marks_to(config.iterations, 1, config.per_decade)
    sampled = marks_to(config.sampled, FIRST, config.per_decade)
    short = marks_to(max(config.sampled // 10, FIRST), FIRST, config.per_decade)
    jobs: list[tuple[str, Callable[[], Curve]]] = []
    for place, (name, rule) in enumerate(RULES.items()):
        for seed in config.spawn(config.sampled_seeds, RELATIVES, place):
            games = sampled if rule == "regrets" else short
            jobs.append((name, lambda rule=rule, games=games, seed=int(seed): _with_regrets(flat, rule, games, seed)))
    seeds = config.spawn(config.sampled_seeds, RELATIVES, len(RULES))
    jobs += [("sampled CFR", lambda seed=int(seed): _traced(mccfr.run(flat, short, seed))) for seed in seeds]
    jobs += [(name, lambda method=method: _traced(cfr.run(flat, method, marks))) for name, method in FULL_TREE.items()]
    with ThreadPoolExecutor(config.workers) as pool:
        found = pool.map(lambda job: job[1](), jobs)
        curves: dict[str, list[Curve]] = {}
        for (name, _), one in zip(jobs, found, strict=True):
            curves.setdefault(name, []).append(one)
    return curves


def _with_regrets(flat: FlatGame, rule: str, marks: Sequence[int], seed: int) -> Curve:
    trace = regret_table.run(flat, RegretSettings(rule), marks, seed)
    return Curve(trace.marks, trace.nodes, scorer().nash_convs(normalise(flat, trace.counts)))


def _traced(trace: cfr.Trace) -> Curve:
    return Curve(trace.iterations, trace.nodes, scorer().nash_convs(trace.strategies))


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


def any_game(config: Config) -> list[Elsewhere]:
    """The same learner on four other games, each measured against its exact answer."""
    marks = marks_to(config.any_games, 100, 2)
    games = [LiarsDice(), Biscuits(), DiceGame(), Kuhn()]

    def learn(place: int) -> Elsewhere:
        flat = unfold(games[place])
        seed = int(config.spawn(1, ELSEWHERE, place)[0])
        history = run(flat, Task(BASE, seed, marks), config.folder)
        return (_alone if flat.num_players == 1 else _together)(flat, history)

    with ThreadPoolExecutor(config.workers) as pool:
        return list(pool.map(learn, range(len(games))))


def _together(flat: FlatGame, history: History) -> Elsewhere:
    """Against the best responses of both players."""
    judge = Scorer(flat)
    counts, values = (judge.nash_convs(read(flat, history)) for read in (by_counts, by_values))
    (blank,) = judge.nash_convs(normalise(flat, np.zeros((1, flat.slots[-1]))))
    return Elsewhere(
        flat.game.name, "NashConv", len(flat.information_states), history.marks, counts, values, float(blank)
    )


def _alone(flat: FlatGame, history: History) -> Elsewhere:
    """Against the optimal policy of a game for one."""
    best = optimal_policy(flat).value

    def lost(weights: np.ndarray) -> float:
        try:
            return float(best - evaluate(flat, from_weights(flat, weights).edge_probabilities(flat)).mean)
        except ValueError:  # a strategy that never stops
            return float("nan")

    counts = np.array([lost(row) for row in history.counts])
    values = np.array([lost(row.astype(np.int64)) for row in by_values(flat, history)])
    blank = lost(np.ones(flat.slots[-1], np.int64))
    return Elsewhere(flat.game.name, "points", len(flat.information_states), history.marks, counts, values, blank)
