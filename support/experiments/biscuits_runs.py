"""What the experiments on biscuits share: size and seeds, the solved puzzle, what counts as valued right.

Seeds are spawned from one root by the place of a task, and results are joined in the order of the tasks, so
that one thread and two give the same digits.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any

import numpy as np

from support.agents.afterstates import Settings
from support.exact.retrograde import Solution, solve
from support.experiments.scale import Scaled
from support.games.biscuits import Biscuits
from support.games.flat import FlatGame, unfold
from support.kernels.afterstates import Layout, Runs, lay_out, learn_many

__all__ = [
    "Config",
    "Puzzle",
    "board_map",
    "correct_values",
    "each",
    "median_interval",
    "puzzle_at",
    "run_blocks",
    "share_correct",
]

BLOCK = 25  # runs that a thread takes at a time
_EPSILONS = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True)
class Config(Scaled):
    """The size of the experiments; the defaults are the book's.

    Args:
        games: games of a run.
        seeds: runs where one setting is looked at.
        marks: number of log-spaced checkpoints of the learning curve.
        alphas: learning rates of the plane.
        epsilons: exploration rates of the plane, the same for both players.
        plane_seeds: runs of each setting of the plane.
        unequal: exploration rates of the grid in which the players' rates differ.
        unequal_seeds: runs of each of its settings.
        starts: starting values of the table.
        heaps: starting heaps, smaller to larger, each hot with a single winning opening.
        games_per_position: length of the runs with larger heaps, in games for each position of the game.
        least_games: the least length of such a run.
        heap_seeds: runs for each pair of heaps.
        watched: runs and games of each in which Betty's mistakes are looked at one by one.
        sieves: largest heaps up to which the cold positions are listed.
        workers: threads.
        root: the seed that all others are spawned from.
    """

    games: int = 10_000
    seeds: int = 1_000
    marks: int = 60
    alphas: tuple[float, ...] = tuple(k / 16 for k in (0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16))
    epsilons: tuple[float, ...] = _EPSILONS
    plane_seeds: int = 200
    unequal: tuple[float, ...] = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    unequal_seeds: int = 100
    starts: tuple[float, ...] = (1.0, 0.0, -1.0)
    heaps: tuple[tuple[int, int], ...] = (
        (6, 3),
        (8, 4),
        (11, 6),
        (14, 8),
        (19, 11),
        (24, 14),
        (29, 17),
    )
    games_per_position: int = 20
    least_games: int = 2_000
    heap_seeds: int = 100
    watched: tuple[int, int] = (30, 200)
    sieves: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    workers: int = 2
    root: int = 20200810

    @classmethod
    def small(cls) -> "Config":
        """Sizes that take seconds."""
        sizes = {
            "games": 500,
            "seeds": 20,
            "marks": 10,
            "plane_seeds": 4,
            "unequal_seeds": 4,
            "heap_seeds": 10,
        }
        grids = {"alphas": (0.125, 0.5, 1.0), "epsilons": (0.0, 0.05, 0.5), "unequal": (0.0, 0.05, 0.5)}
        return cls(**sizes, **grids, heaps=((6, 3), (8, 4), (11, 6)), watched=(5, 100), sieves=(100, 1_000))

    def checkpoints(self) -> np.ndarray:
        """int64, log-spaced numbers of games from 1 to ``games``, a tenth of the games among them."""
        spaced = np.geomspace(1, self.games, self.marks).round().astype(np.int64)
        return np.unique(np.append(spaced, self.tenth))

    @property
    def tenth(self) -> int:
        """A tenth of the games of a run."""
        return self.games // 10


@dataclass(frozen=True, eq=False)
class Puzzle:
    """A starting position with all that is known about it."""

    game: Biscuits
    flat: FlatGame
    solution: Solution
    layout: Layout

    @property
    def right(self) -> np.ndarray:
        """bool, one an opening: whether it wins."""
        return self.solution.winning[: len(self.flat.edges(0))]


@cache
def puzzle_at(digestives: int = 8, rich_teas: int = 4) -> Puzzle:
    """The puzzle with these starting heaps, unfolded and solved once."""
    game = Biscuits(digestives, rich_teas)
    flat = unfold(game)
    return Puzzle(game, flat, solve(flat), lay_out(flat))


def each(work: Callable[[Any], Any], tasks: Sequence[Any], workers: int) -> list[Any]:
    """The results in the order of the tasks. Kernels let go of the interpreter's lock: threads are enough."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, tasks))


def run_blocks(tasks: Sequence[tuple[Puzzle, Settings, np.ndarray]], marks: np.ndarray, workers: int) -> list[Runs]:
    """The runs of each task (a puzzle, a setting, its seeds), cut into blocks that the threads share."""
    blocks = [
        (place, seeds[start : start + BLOCK])
        for place, (_, _, seeds) in enumerate(tasks)
        for start in range(0, len(seeds), BLOCK)
    ]

    def work(block: tuple[int, np.ndarray]) -> Runs:
        (puzzle, settings, _), seeds = tasks[block[0]], block[1]
        return learn_many(puzzle.layout, settings, seeds, puzzle.right, marks)

    parts: list[list[Runs]] = [[] for _ in tasks]
    for (place, _), part in zip(blocks, each(work, blocks, workers), strict=True):
        parts[place].append(part)
    return [_joined(part) for part in parts]


def _joined(runs: Sequence[Runs]) -> Runs:
    return Runs(*(np.concatenate([getattr(part, field) for part in runs]) for field in Runs.__dataclass_fields__))


def correct_values(puzzle: Puzzle, runs: Runs) -> np.ndarray:
    """bool[runs, nodes], whether the value of leaving a node behind is on the right side of 1/2."""
    return (runs.values[:, : puzzle.flat.num_nodes] > 0.5) == ~puzzle.solution.hot


def share_correct(puzzle: Puzzle, correct: np.ndarray, among: np.ndarray) -> np.ndarray:
    """float64[runs, 2], for each player the share of correct values among some of its afterstates."""
    masks = [among & (puzzle.layout.owner == player) for player in (0, 1)]
    return np.stack([(correct & mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1) for mask in masks], axis=1)


def board_map(puzzle: Puzzle, numbers: np.ndarray) -> np.ndarray:
    """A number a node, laid out as a board for each player who leaves it behind."""
    board = np.full((2, puzzle.game.digestives + 1, puzzle.game.rich_teas + 1), np.nan)
    for node in range(1, puzzle.flat.num_nodes):
        digestives, rich_teas, _ = puzzle.flat.positions[node]
        board[puzzle.layout.owner[node], digestives, rich_teas] = numbers[node]
    return board


def median_interval(numbers: np.ndarray, most: int) -> tuple[float, float, float]:
    """The median, and a 95 % interval for it that assumes nothing about the distribution.

    It runs between two order statistics: how many of the numbers fall below the true median is binomial with
    chance 1/2. Samples of fewer than six are too small for 95 %; theirs runs from the least to the greatest.

    Args:
        numbers: the sample, at least one number.
        most: what is greater counts as infinite: it did not happen.
    """
    ordered = np.sort(np.where(numbers > most, np.inf, numbers))
    count = len(ordered)
    outside, below = 0, 0  # ways in which at most ``outside`` numbers fall below the median
    while 40 * (below := below + comb(count, outside)) <= 2**count:
        outside += 1
    low = max(outside - 1, 0)
    middle = ordered[(count - 1) // 2 : count // 2 + 1]
    return (float(middle.mean()), float(ordered[low]), float(ordered[count - 1 - low]))
