"""The learner on biscuits as experiments for sweeps, the chapter's sizes, and the solved puzzle."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from math import comb
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from support.core.checks import settings
from support.core.flat import FlatGame, unfold
from support.core.interface import State
from support.exact.retrograde import Solution, solve
from support.games.biscuits.rules import Biscuits
from support.games.biscuits.strategy_fast import know_when
from support.learners.afterstates import AfterstateSettings, Share, board_of, learn
from support.learners.afterstates_fast import Layout, Prepared, Runs, lay_out, prepare
from support.sweep import spawn
from support.sweep.scale import Scaled

MOST = 10_000  # checkpoints of a run, or runs of a task
LONGEST = 100_000_000  # games of a run: the plain learner keeps five bytes of each
LARGEST = 60  # biscuits of each kind: unfolding that game takes half a minute and 0.4 GB


@dataclass(frozen=True)
class BiscuitsScale(Scaled):
    """How much the chapter runs.

    Attributes:
        games: games of a run.
        seeds: runs of a single setting.
        marks: checkpoints of the learning curve, as in :class:`BiscuitRun`.
        alphas: learning rates of the plane.
        epsilons: exploration rates of the plane, the same for both players.
        plane_seeds: runs of each setting of the plane with a published rate, on which two claims rest.
        rest_seeds: runs of each other setting of the plane; no verdict rests on them.
        unequal: exploration rates of the grid in which the players' rates differ.
        unequal_seeds: runs of each of its settings.
        starts: starting values of the table.
        heaps: starting heaps, smaller to larger, each hot with a single winning opening.
        games_per_position: length of the runs with larger heaps, in games for each position of the game.
        least_games: the least length of such a run.
        heap_seeds: runs for each pair of heaps.
        watched: runs, and games in each, in which Betty's mistakes are examined one by one.
        sieves: largest heaps up to which the cold positions are listed.
        root: the seed that all others are spawned from.
    """

    games: int = 10_000
    seeds: int = 1_000
    marks: int = 60
    alphas: tuple[float, ...] = tuple(k / 16 for k in (0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16))
    epsilons: tuple[float, ...] = (0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
    plane_seeds: int = 200
    rest_seeds: int = 100
    unequal: tuple[float, ...] = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
    unequal_seeds: int = 100
    starts: tuple[float, ...] = (1.0, 0.0, -1.0)
    heaps: tuple[tuple[int, int], ...] = ((6, 3), (8, 4), (11, 6), (14, 8), (19, 11), (24, 14), (29, 17))
    games_per_position: int = 20
    least_games: int = 2_000
    heap_seeds: int = 100
    watched: tuple[int, int] = (30, 200)
    sieves: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    root: int = 20200810

    @classmethod
    def small(cls) -> "BiscuitsScale":
        """Sizes that take seconds."""
        return cls(
            games=500,
            seeds=20,
            marks=10,
            alphas=(0.125, 0.5, 1.0),
            epsilons=(0.0, 0.05, 0.5),
            plane_seeds=4,
            rest_seeds=2,
            unequal=(0.0, 0.05, 0.5),
            unequal_seeds=4,
            heaps=((6, 3), (8, 4), (11, 6)),
            heap_seeds=10,
            watched=(5, 100),
            sieves=(100, 1_000),
        )

    @property
    def tenth(self) -> int:
        """A tenth of the games of a run, one of its checkpoints."""
        return _tenth(self.games)

    @property
    def soon(self) -> int:
        """A twentieth of the games of a run: what is found by then counts as found very quickly."""
        return max(self.games // 20, 1)


def _tenth(games: int) -> int:
    return max(games // 10, 1)


@dataclass(frozen=True, eq=False)
class Puzzle:
    """A starting position, unfolded and solved."""

    game: Biscuits
    flat: FlatGame
    solution: Solution
    layout: Layout

    @property
    def right(self) -> np.ndarray:
        """bool[openings], whether each opening wins."""
        return self.solution.winning[: len(self.flat.edges(0))]


@cache
def puzzle_at(digestives: int = 8, rich_teas: int = 4) -> Puzzle:
    """The puzzle with these starting heaps, unfolded and solved once."""
    game = Biscuits(digestives, rich_teas)
    flat = unfold(game)
    return Puzzle(game, flat, solve(flat), lay_out(flat))


@settings
class PuzzleSettings(AfterstateSettings):
    """How Alpha and Betty learn, and from which puzzle; the defaults are the published program's.

    Attributes:
        exploration: the probability that a move is drawn uniformly from the legal ones.
        betty_exploration: Betty's, if it differs from Alpha's.
        epsilon: the exploration of Alpha and of Betty.
        games: games of a run, at most ``LONGEST``.
        digestives, rich_teas: what is on the table at the start, at most ``LARGEST`` of each, at least one in all.
    """

    exploration: Share = 0.05
    betty_exploration: Share | None = None
    epsilon: tuple[Share, Share] = field(default=(0.05, 0.05), init=False)
    games: Annotated[int, Field(ge=1, le=LONGEST)] = 10_000
    digestives: Annotated[int, Field(ge=0, le=LARGEST)] = 8
    rich_teas: Annotated[int, Field(ge=0, le=LARGEST)] = 4

    def __post_init__(self) -> None:
        betty = self.exploration if self.betty_exploration is None else self.betty_exploration
        object.__setattr__(self, "epsilon", (self.exploration, betty))
        if not self.digestives + self.rich_teas:
            raise ValueError("digestives and rich_teas must be at least 1 together, not 0")


@settings
class BiscuitRun(PuzzleSettings):
    """One run with its learning curve.

    Attributes:
        marks: the number of log-spaced checkpoints of the learning curve, from 1 to ``games``; a single one stands at
            the end. If there are two or more, a tenth of the games is added.
    """

    marks: Annotated[int, Field(ge=1, le=MOST)] = 60

    def checkpoints(self) -> np.ndarray:
        """int64, rising numbers of games up to ``games``."""
        if self.marks == 1:
            return np.array([self.games], np.int64)
        spaced = np.geomspace(1, self.games, self.marks).round().astype(np.int64)
        return np.unique(np.append(spaced, _tenth(self.games)))


def biscuits(config: BiscuitRun, seed: int) -> Mapping[str, Any]:
    """Two players learn biscuits from games against each other: what they know at the end, and since when.

    A value counts as right when it is above 1/2 for a cold afterstate (leaving it wins) and at most 1/2 for a hot one.

    Returns:
        ``right``, whether the greedy opening wins at the end, ``settled``, ``found`` and ``games_right`` as in
        :class:`support.learners.afterstates_fast.Runs`; ``line``, the greedy line of play; ``checkpoints`` and
        ``wins``, Alpha's in all games up to each; ``valued_right``, the shares of afterstates valued right in Alpha's
        and in Betty's table, and ``visited_right``, the same among those ever left behind; ``values``, one a node of
        the unfolded game.
    """
    puzzle, prepared = puzzle_at(config.digestives, config.rich_teas), prepared_run(config)
    runs, nodes = prepared.runs([seed]), puzzle.flat.num_nodes
    correct = _correct(puzzle, runs)
    return {
        "right": bool(runs.right[0]),
        "settled": int(runs.settled[0]),
        "found": int(runs.found[0]),
        "games_right": int(runs.games_right[0]),
        "line": puzzle.layout.greedy_line(prepared.settings, runs.values[0]),
        "checkpoints": prepared.checkpoints,
        "wins": runs.wins[0],
        "valued_right": _share(puzzle, correct, np.ones_like(correct))[0],
        "visited_right": _share(puzzle, correct, runs.visited[:, :nodes])[0],
        "values": runs.values[0, :nodes],
    }


@lru_cache(maxsize=16)
def prepared_run(config: BiscuitRun) -> Prepared:
    """A setting prepared for the kernel; cached."""
    puzzle = puzzle_at(config.digestives, config.rich_teas)
    return prepare(puzzle.layout, config, puzzle.right, config.checkpoints())


def _correct(puzzle: Puzzle, runs: Runs) -> np.ndarray:
    """bool[runs, nodes], whether the value of leaving a node behind is on the right side of 1/2."""
    correct: np.ndarray = (runs.values[:, : puzzle.flat.num_nodes] > 0.5) == ~puzzle.solution.hot
    return correct


def _share(puzzle: Puzzle, correct: np.ndarray, among: np.ndarray) -> np.ndarray:
    """float64[runs, 2], for each player the share of correct values among some of its afterstates."""
    masks = [among & (puzzle.layout.owner == player) for player in (0, 1)]
    return np.stack([(correct & mask).sum(axis=1) / np.maximum(mask.sum(axis=1), 1) for mask in masks], axis=1)


@settings
class ManyRuns(PuzzleSettings):
    """Many runs of one setting as one task: runs are so short that sending each by itself takes half as long again.

    Attributes:
        runs: the number of runs; their seeds are spawned from the task's.
    """

    runs: Annotated[int, Field(ge=1, le=MOST)] = 200


def many_runs(config: ManyRuns, seed: int) -> Mapping[str, float]:
    """Two players learn biscuits again and again: how many runs find the winning opening, and how soon.

    Returns:
        ``right``, the share of runs whose greedy opening wins at the end; ``settled`` and ``found``, medians over the
        runs of the fields of :class:`support.learners.afterstates_fast.Runs`, infinite if half of the runs never get
        there; ``valued_right``, the mean share of both players' afterstates that are valued right; ``wins``,
        Alpha's share of all games.
    """
    puzzle = puzzle_at(config.digestives, config.rich_teas)
    prepared = prepare(puzzle.layout, config, puzzle.right, [config.games])
    runs = prepared.runs(spawn(seed, config.runs))
    correct = _correct(puzzle, runs)
    return {
        "right": runs.right.mean(),
        "settled": median_interval(runs.settled, config.games)[0],
        "found": median_interval(runs.found, config.games)[0],
        "valued_right": _share(puzzle, correct, np.ones_like(correct)).mean(),
        "wins": runs.wins.mean() / config.games,
    }


def mistakes(config: PuzzleSettings, seed: int) -> Mapping[str, int]:
    """Hot boards that Betty leaves behind in games of biscuits that she loses, counted in the plain learner.

    Returns:
        ``moves``, how many; of these, ``unseen``, boards that Alpha had never left, and ``known``, boards that Betty's
        own table already valued below one half.
    """
    puzzle, counts = puzzle_at(config.digestives, config.rich_teas), np.zeros(3, np.int64)
    cold = {board_of(puzzle.flat.positions[node]) for node in np.flatnonzero(~puzzle.solution.hot)}

    def watch(
        final: State, values: tuple[dict[Any, float], dict[Any, float]], left_behind: tuple[list[Any], list[Any]]
    ) -> None:
        if final.returns()[1] < 0:
            for board in left_behind[1]:
                if board not in cold:
                    counts[:] += (1, board not in values[0], values[1].get(board, config.start) < 0.5)

    learn(puzzle.game, config, seed, watch)
    return dict(zip(("moves", "unseen", "known"), counts.tolist(), strict=True))


def knowledge(config: BiscuitRun, seed: int) -> Mapping[str, Any]:
    """What Alpha knew before each game of one run.

    Returns:
        ``found``, ``won`` and ``at_end``, as in :class:`support.games.biscuits.strategy_fast.Knowledge`,
        each with one entry for each of ``LEVELS``.
    """
    puzzle = puzzle_at(config.digestives, config.rich_teas)
    known = know_when(prepared_run(config), [seed], puzzle.solution.winning)
    return {"found": known.found[0], "won": known.won[0], "at_end": known.at_end[0]}


def board_map(puzzle: Puzzle, numbers: np.ndarray) -> np.ndarray:
    """One number for each node, laid out as a board for each player who leaves it behind."""
    board = np.full((2, puzzle.game.digestives + 1, puzzle.game.rich_teas + 1), np.nan)
    for node in range(1, puzzle.flat.num_nodes):
        position: Any = puzzle.flat.positions[node]
        digestives, rich_teas, _ = position
        board[puzzle.layout.owner[node], digestives, rich_teas] = numbers[node]
    return board


def median_interval(numbers: np.ndarray, most: int) -> tuple[float, float, float]:
    """The median, and a 95% interval for it that assumes nothing about the distribution.

    The interval runs between two order statistics, because the number of samples below the true median is binomial
    with probability 1/2. Fewer than six samples are too few for 95%; their interval is the whole range.

    Args:
        numbers: the sample, at least one number.
        most: greater numbers count as infinite, for what never happened.
    """
    ordered = np.sort(np.where(numbers > most, np.inf, numbers))
    count = len(ordered)
    outside, below = 0, 0  # ways in which at most ``outside`` numbers fall below the median
    while 40 * (below := below + comb(count, outside)) <= 2**count:
        outside += 1
    low = max(outside - 1, 0)
    middle = ordered[(count - 1) // 2 : count // 2 + 1]
    return (float(middle.mean()), float(ordered[low]), float(ordered[count - 1 - low]))
