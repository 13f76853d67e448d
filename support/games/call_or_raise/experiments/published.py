"""What the document on call or raise prints, compared with our runs: its counts of wins, and its table of one game."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from support.games.call_or_raise.experiments.runs import TRACE, CallOrRaiseScale, Learned, Run
from support.games.call_or_raise.q_learning import QTableLearner
from support.games.call_or_raise.settings import CALL, RAISE, States
from support.games.call_or_raise.trace import TraceRow, changed_rows, explain, swapped_rows

PUBLISHED = {"training": (3288, 434, 496, 782), "evaluation": (65, 6, 15, 14)}
"""Wins of players 1 to 4, in 5,000 games of training and in 100 with the trained agent."""
EQUAL = {phase: (sum(wins) / len(wins),) * len(wins) for phase, wins in PUBLISHED.items()}
"""What four equal players would win of as many games: a test that lets this pass is too blunt."""
PRINTED = (
    "3 808 raise, 3 787 raise, 3 778 raise, 4 778 raise, 4 736 raise, 4 736 raise, 1 736 call, 1 673 call, "
    "1 678 raise, 2 674 raise, 3 673 raise, 4 673 raise, 4 589 raise, 4 592 raise, 1 589 call, 1 505 call, 1 507 call, "
    "1 423 call, 2 422 raise, 3 421 raise, 1 421 raise, 2 421 raise, 2 316 raise, 2 324 raise, 2 240 raise, "
    "3 232 raise, 3 148 raise, 2 151 raise, 2 88 raise"
)
"""The document's table of a game of 4 players with 3 dice: the player who moved, the agent's state, its last action."""


def surprises(runs: Learned, version: str, counts: Mapping[str, Sequence[float]] = PUBLISHED) -> tuple[float, float]:
    """How surprising some counts of training and of the hundred games after it are among a version's runs.

    The book's joint test takes all four players together; at the published scale every run has as many games as the
    document's.

    Args:
        runs: the runs.
        version: which of them to compare with.
        counts: wins of players 1 to 4 in "training" and in "evaluation"; without it, those that were published.
    """
    from support.verdicts.stats import joint_surprise

    training, after = counts["training"], counts["evaluation"]
    return joint_surprise(training, runs.wins(version)), joint_surprise(after, runs.wins(version, "hundred"))


def would_pass(runs: Learned, phase: str, values: range) -> str:
    """Which wins of the agent the joint test would have let pass, in words; the bots share the rest as published.

    Args:
        runs: runs of the program as run in 2018.
        phase: "training" or "hundred".
        values: the numbers of wins to try, rising.
    """
    from support.verdicts.stats import passing_ranges

    published = PUBLISHED["training" if phase == "training" else "evaluation"]
    ranges = passing_ranges(published, runs.wins("run", phase), 0, values)
    return " or ".join(f"{low:,.0f} to {high:,.0f}" for low, high in ranges) or "none"


def log_likelihoods(runs: Learned) -> Mapping[str, tuple[float, float]]:
    """For each version, the log-likelihoods of the published counts of training and of evaluation.

    Training counts are close to normal over the runs; as they sum to the number of games, only three of the four are
    used. The evaluation is multinomial with each run's shares, one win added to each, averaged over the runs.
    """
    from scipy.stats import multinomial

    out = {}
    for version in runs.settings:
        density = _training(runs, version).logpdf(PUBLISHED["training"][:-1])
        counts = runs.wins(version, "evaluation") + 1
        shares = counts / counts.sum(axis=1, keepdims=True)
        chance = multinomial(sum(PUBLISHED["evaluation"]), shares).pmf(PUBLISHED["evaluation"]).mean()
        out[version] = float(density), float(np.log(chance))
    return out


def _training(runs: Learned, version: str) -> Any:
    """The normal distribution with the mean and covariance of the first three players' wins in training."""
    from scipy.stats import multivariate_normal

    wins = runs.wins(version)[:, :-1]
    return multivariate_normal(wins.mean(axis=0), np.cov(wins.T))


def mistaken(runs: Learned, one: str, other: str) -> float:
    """The share of runs of one version whose wins in training are likelier under another."""
    wins = runs.wins(one)[:, :-1]
    return float((_training(runs, other).logpdf(wins) > _training(runs, one).logpdf(wins)).mean())


def decoded() -> list[tuple[int, int, int, int, int, str]]:
    """The rows of the printed table: player who moved, state, dice in play, the agent's dice, bucket, last action."""
    states = States(4, 3)
    rows = (row.split() for row in PRINTED.split(", "))
    return [(int(control), int(state), *states.read(int(state)), action) for control, state, action in rows]


def printed_rows() -> list[TraceRow]:
    """The rows of the printed table: the player who moved, the number of the agent's state, its last action."""
    return [(control, state, action) for control, state, *_, action in decoded()]


def altered(every: int = 1) -> tuple[int, int, int]:
    """Test the search for a game that fits on altered tables.

    Args:
        every: one in this many of the tables with one cell changed is tried.

    Returns:
        How many tables with a single cell changed were tried; how many of these a game of the program can leave; and
        how many of the tables with two adjacent rows exchanged it can leave.
    """
    rows = printed_rows()
    tried = list(changed_rows(rows))[::every]
    passed, swaps = (sum(bool(explain(one).winners) for one in some) for some in (tried, swapped_rows(rows)))
    return len(tried), passed, swaps


def own_trace(config: CallOrRaiseScale) -> list[tuple[int, int, int, int, int, str]]:
    """A game of ours in the form of :func:`decoded`, by the plain program of 2018 with a new table."""
    learner = QTableLearner(Run(dice=3).settings(), int(config.spawn(1, TRACE)[0]))
    rows, words = learner.play().rows, {RAISE: "raise", CALL: "call"}
    return [(row.control, row.state, *learner.states.read(row.state), words[row.action]) for row in rows]
