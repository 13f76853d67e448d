"""One method in both, at equal marks: what was learned, by one judge, and how long it took."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import nan
from typing import NamedTuple

import numpy as np
import pyspiel

from support.exact.nash_conv_fast import Scorer
from support.learners.marks import as_marks
from support.peers.games import Shared
from support.peers.methods import method_named
from support.verdicts.stats import holm, rank_test

CLOCK = time.process_time
"""Seconds of one core, whatever else the machine does."""


class Run(NamedTuple):
    """A method of OpenSpiel's, watched at its marks.

    Attributes:
        profiles: float64[k, slots], the average strategies; for Q-learning, the greedy ones.
        nash_convs: float64[k], of these, by our judge.
        theirs: float64[k], the same by OpenSpiel's.
        seconds: float64[k], of one core up to each mark, without the preparation and without looking.
    """

    profiles: np.ndarray
    nash_convs: np.ndarray
    theirs: np.ndarray
    seconds: np.ndarray


def run_open_spiel(game: Shared, method: str, marks: Sequence[int], seed: int = 0) -> Run:
    """Run a method of OpenSpiel's once, and measure at the marks what it has learned.

    Args:
        game: a game of both.
        method: one of :data:`METHODS`.
        marks: rising numbers of games for sampling methods and Q-learning, of iterations for the others.
        seed: for the sampling methods and Q-learning, from 0 and below 2**31.

    Raises:
        ValueError: no such method, marks that do not rise from 1, or a mark amid an iteration.
    """
    kept, played = as_marks(marks), 0
    profiles, theirs, seconds = [], [], [0.0]
    with _drawing(seed):
        learning = method_named(method).theirs(game, seed)
        if (kept % learning.games).any():
            raise ValueError(
                f"an iteration of {method} is {learning.games} games, so all marks must be multiples of it, "
                f"not {list(marks)}"
            )
        for mark in kept.tolist():
            began = CLOCK()
            for _ in range(played, mark, learning.games):
                learning.step()
            seconds.append(seconds[-1] + CLOCK() - began)
            played = mark
            profiles.append(game.profile(learning.policy())[0])
            theirs.append(pyspiel.nash_conv(game.theirs, game.policy(profiles[-1])))
    found = np.array(profiles)
    return Run(found, Scorer(game.flat).nash_convs(found), np.array(theirs), np.array(seconds[1:]))


class Row(NamedTuple):
    """A method of ours against OpenSpiel's at one mark.

    Attributes:
        game, method: their names.
        mark: the number of games of sampling methods and Q-learning, of iterations of the others.
        ours, theirs: the median NashConv over the seeds, by our judge.
        our_range, their_range: the least and the greatest.
        apart: the largest difference between the NashConvs of two runs with the same seed; for methods that do not
            sample, where it should be rounding.
        p: of the rank test (Mann and Whitney 1947) that both come from one distribution, corrected for all rows of the
            table (Holm 1979); NaN for methods that do not sample.
        our_seconds, their_seconds: of one core, for one run up to this mark; the median.
    """

    game: str
    method: str
    mark: int
    ours: float
    theirs: float
    our_range: tuple[float, float]
    their_range: tuple[float, float]
    apart: float
    p: float
    our_seconds: float
    their_seconds: float


def held_against(
    games: Sequence[Shared], methods: Sequence[str], marks: Sequence[int], seeds: Sequence[int] = range(10)
) -> list[Row]:
    """Run methods of ours and OpenSpiel's on the same games.

    Args:
        games: games of both, such as :func:`kuhn`.
        methods: names in :data:`METHODS`.
        marks: rising numbers of games, or of iterations of the methods that do not sample.
        seeds: one run each; methods that do not sample are run once.

    Returns:
        A row for each game, method and mark, in this order.

    Raises:
        ValueError: as for :func:`run_open_spiel`.
    """
    rows = [row for game in games for method in methods for row in _rows(game, method, marks, seeds)]
    corrected = holm([row.p for row in rows])
    return [row._replace(p=p) for row, p in zip(rows, corrected, strict=True)]


def _rows(game: Shared, method: str, marks: Sequence[int], seeds: Sequence[int]) -> Iterator[Row]:
    both = method_named(method)
    seeds = seeds if both.sampled else [0]
    runs = [run_open_spiel(game, method, marks, seed) for seed in seeds]
    both.ours(game.flat, 1, 0)  # compile, or load from the cache
    for k, mark in enumerate(marks):
        profiles, seconds = [], []
        for seed in seeds:
            began = CLOCK()
            profiles.append(both.ours(game.flat, mark, seed))
            seconds.append(CLOCK() - began)
        ours, theirs = Scorer(game.flat).nash_convs(np.array(profiles)), np.array([run.nash_convs[k] for run in runs])
        # rounded, so that profiles that are equal but for rounding tie
        p = rank_test(ours.round(9), theirs.round(9)) if both.sampled else nan
        yield Row(
            game.name,
            method,
            mark,
            float(np.median(ours)),
            float(np.median(theirs)),
            (float(ours.min()), float(ours.max())),
            (float(theirs.min()), float(theirs.max())),
            float(np.abs(ours - theirs).max()),
            p,
            float(np.median(seconds)),
            float(np.median([run.seconds[k] for run in runs])),
        )


@contextmanager
def _drawing(seed: int) -> Iterator[None]:
    """OpenSpiel's programs in Python draw from numpy's global generator; it is left as it was found."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
