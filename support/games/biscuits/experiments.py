"""The experiments on biscuits: many seeds, grids of settings, larger heaps, and why Betty loses."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from support.games.biscuits.runs import (
    BiscuitRun,
    BiscuitsScale,
    ManyRuns,
    PuzzleSettings,
    biscuits,
    board_map,
    many_runs,
    median_interval,
    mistakes,
    puzzle_at,
)
from support.games.biscuits.strategy import PUBLISHED_LINE, random_play

OVER_SEEDS, PLANE, UNEQUAL, STARTS, HEAPS, WATCHED = range(6)  # places below the root seed
AS_RECORDED = ("right", "settled", "found", "valued_right", "visited_right")


@dataclass(frozen=True, eq=False)
class OverSeeds:
    """The results of one setting over many seeds.

    A value counts as right when it is above 1/2 for a cold afterstate (leaving it wins) and at most 1/2 for a
    hot one. An afterstate that was never left behind keeps its starting value and is right or wrong by that
    alone, hence the second share, over visited afterstates only. Maps are indexed [player, Digestives, Rich
    Teas] and hold NaN if the player can never leave that board behind.

    Attributes:
        settings: the setting.
        right: bool[seeds], whether the greedy opening is right at the end.
        settled: int64[seeds], games until it was right for good (``games + 1``: wrong at the end).
        found: int64[seeds], games until it was first right before 100 games in a row.
        games_right: float64[seeds], share of games that began with the greedy opening right.
        lines: how often each greedy line of play came out at the end.
        checkpoints: int64[k], numbers of games.
        wins: float64[seeds, k], cumulative share of Alpha's wins at the checkpoints.
        valued_right: float64[seeds, 2], share of all afterstates valued right in each player's table.
        visited_right: float64[seeds, 2], the same among the afterstates that the player has ever left behind.
        values: float64[2, D + 1, R + 1], mean learned value.
        truth: the same shape, 1 where leaving it wins and 0 where it loses.
    """

    settings: BiscuitRun
    right: np.ndarray
    settled: np.ndarray
    found: np.ndarray
    games_right: np.ndarray
    lines: Counter[str]
    checkpoints: np.ndarray
    wins: np.ndarray
    valued_right: np.ndarray
    visited_right: np.ndarray
    values: np.ndarray
    truth: np.ndarray

    @property
    def published(self) -> float:
        """The share of seeds whose greedy line is the published one."""
        return self.lines[PUBLISHED_LINE] / len(self.right)


def over_seeds(config: BiscuitsScale, slip: bool = False, epsilon: float = 0.05) -> OverSeeds:
    """The published setting, as described or (``slip``) as printed; every version gets the same seeds.

    Args:
        config: sizes.
        slip: whether both players consult Alpha's values.
        epsilon: exploration of both players; at 1 they play at random whatever they learn.
    """
    setting = BiscuitRun(exploration=epsilon, games=config.games, slip=slip, marks=config.marks)
    return _over_seeds(config, [setting], OVER_SEEDS)[0]


def risen_quickly(version: OverSeeds, config: BiscuitsScale) -> np.ndarray:
    """bool[seeds], whether Alpha's share of wins has risen, and nine tenths of the rise fell in a tenth of the games.

    The rise is counted from Alpha's exact probability of winning when both play at random, and must exceed three
    standard errors of a share over all games, so that players who learn nothing fail.
    """
    ground = float(random_play())
    error = (ground * (1 - ground) / config.games) ** 0.5
    rise = version.wins[:, -1] - ground
    early = version.wins[:, np.flatnonzero(version.checkpoints == config.tenth)[0]] - ground
    quickly: np.ndarray = (rise > 3 * error) & (early >= 0.9 * rise)
    return quickly


@dataclass(frozen=True)
class Mistakes:
    """Hot boards that Betty left behind in games that she lost, in the program as printed.

    Attributes:
        moves: the number of them in all runs.
        unseen: how many of these Alpha had never left, so that Alpha's table, which she consults, still held the
            starting value.
        known: how many her own table already valued below one half.
    """

    moves: int
    unseen: int
    known: int


def borrowed_mistakes(config: BiscuitsScale) -> Mistakes:
    """Why Betty loses in the program as printed: her mistakes one by one, in the plain learner."""
    runs, games = config.watched
    found = config.sweep(mistakes, PuzzleSettings(games=games, slip=True), runs, WATCHED)
    return Mistakes(*(int(found.column(name).sum()) for name in ("moves", "unseen", "known")))


def starts(config: BiscuitsScale) -> list[OverSeeds]:
    """The published setting from other starting values, in the order of ``config.starts``."""
    settings = [BiscuitRun(games=config.games, start=start, marks=config.marks) for start in config.starts]
    return _over_seeds(config, settings, STARTS)


def _over_seeds(config: BiscuitsScale, settings: Sequence[BiscuitRun], place: int) -> list[OverSeeds]:
    runs, puzzle = config.sweep(biscuits, settings, config.seeds, place), puzzle_at()
    return [
        OverSeeds(
            settings=setting,
            **{name: runs.column(name, k) for name in AS_RECORDED},
            games_right=runs.column("games_right", k) / setting.games,
            lines=Counter(runs.column("line", k)),
            checkpoints=setting.checkpoints(),
            wins=runs.column("wins", k) / setting.checkpoints(),
            values=board_map(puzzle, runs.column("values", k).mean(axis=0)),
            truth=board_map(puzzle, ~puzzle.solution.hot),
        )
        for k, setting in enumerate(settings)
    ]


@dataclass(frozen=True, eq=False)
class Plane:
    """A grid of settings; every map is an array [rows, columns].

    Attributes:
        rows: what the rows stand for.
        columns: what the columns stand for.
        right: share of seeds whose greedy opening is right at the end.
        settled: median number of games until it was right for good, infinite if half of the seeds never get there.
        found: median number of games until it was first right before 100 games in a row, infinite likewise.
        valued_right: mean share of both players' afterstates that are valued right.
        wins: mean share of Alpha's wins in all games.
        runs: number of runs; one if nobody explores, because all are then the same.
    """

    rows: tuple[float, ...]
    columns: tuple[float, ...]
    right: np.ndarray
    settled: np.ndarray
    found: np.ndarray
    valued_right: np.ndarray
    wins: np.ndarray
    runs: np.ndarray


def plane(config: BiscuitsScale) -> Plane:
    """The grid of learning rate (rows) and exploration (columns), as described; more runs where a rate is published."""

    def runs(alpha: float, epsilon: float) -> int:
        published = PuzzleSettings()
        return config.plane_seeds if alpha == published.alpha or epsilon == published.exploration else config.rest_seeds

    grid = [
        ManyRuns(alpha=alpha, exploration=epsilon, games=config.games, runs=runs(alpha, epsilon))
        for alpha in config.alphas
        for epsilon in config.epsilons
    ]
    return _grid(config, grid, PLANE, config.alphas, config.epsilons)


def unequal(config: BiscuitsScale) -> Plane:
    """Alpha's exploration (rows) against Betty's (columns) at the published learning rate."""
    grid = [
        ManyRuns(exploration=alpha, betty_exploration=betty, games=config.games, runs=config.unequal_seeds)
        for alpha in config.unequal
        for betty in config.unequal
    ]
    return _grid(config, grid, UNEQUAL, config.unequal, config.unequal)


def _grid(
    config: BiscuitsScale, settings: Sequence[ManyRuns], place: int, rows: tuple[float, ...], columns: tuple[float, ...]
) -> Plane:
    # Without exploration all runs are the same.
    settings = [setting if any(setting.epsilon) else replace(setting, runs=1) for setting in settings]
    fields = config.sweep(many_runs, settings, 1, place)
    names = ("right", "settled", "found", "valued_right", "wins", "runs")
    return Plane(rows, columns, *(fields.column(name).reshape(len(rows), len(columns)) for name in names))


@dataclass(frozen=True)
class Heaps:
    """How the published setting fares from one pair of starting heaps.

    Attributes:
        heaps: Digestives and Rich Teas at the start.
        positions: positions of the game.
        found: games until it was first right before 100 games in a row: median and ends of the 95% interval.
    """

    heaps: tuple[int, int]
    positions: int
    found: tuple[float, float, float]


def larger_heaps(config: BiscuitsScale) -> list[Heaps]:
    """How soon the winning opening is found from each pair of heaps, in runs whose length grows with the game.

    Raises:
        ValueError: a pair of heaps does not have exactly one winning opening.
    """
    settings = []
    for digestives, rich_teas in config.heaps:
        puzzle = puzzle_at(digestives, rich_teas)
        if (ways := puzzle.right.sum()) != 1:
            raise ValueError(f"heaps must have a single winning opening; {digestives, rich_teas} has {ways}")
        games = max(config.games_per_position * puzzle.flat.num_nodes, config.least_games)
        settings.append(BiscuitRun(digestives=digestives, rich_teas=rich_teas, games=games, marks=1))
    runs = config.sweep(biscuits, settings, config.heap_seeds, HEAPS)
    return [
        Heaps(
            heaps=(setting.digestives, setting.rich_teas),
            positions=puzzle_at(setting.digestives, setting.rich_teas).flat.num_nodes,
            found=median_interval(runs.column("found", k), setting.games),
        )
        for k, setting in enumerate(settings)
    ]


def growth(rows: list[Heaps]) -> tuple[float, float, float]:
    """The power of the number of positions with which the median of ``found`` grows, fitted to logarithms.

    Returns:
        The power and the ends of its 95% interval (Student's, from the scatter about the line).

    Raises:
        ValueError: there are fewer than three pairs of heaps, or one has no finite median.
    """
    from scipy.stats import linregress, t

    found = np.array([row.found[0] for row in rows])
    if len(rows) < 3 or not np.isfinite(found).all():
        raise ValueError("growth needs three or more pairs of heaps with finite medians: give the runs more games")
    line = linregress(np.log([row.positions for row in rows]), np.log(found))
    half = t.ppf(0.975, len(rows) - 2) * line.stderr
    return float(line.slope), float(line.slope - half), float(line.slope + half)
