"""Simulate what the joint test rejects: runs are drawn from worlds like those of the chapters, and one is shifted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from support.verdicts.stats import joint_surprise


@dataclass(frozen=True)
class World:
    """A kind of experiment whose runs the joint test compares.

    Attributes:
        draw: a function from a generator and a number of runs to float64[runs, k].
        runs: the number of runs beside the published one.
        shared: how many of the k numbers, counted from the first, share one total.
    """

    draw: Callable[[np.random.Generator, int], np.ndarray]
    runs: int
    shared: int


def _counts(mean: tuple[float, ...], steady: float, games: int) -> Callable[[np.random.Generator, int], np.ndarray]:
    """Runs whose true shares are drawn around a mean (Dirichlet) and then counted over a number of games."""

    def draw(random: np.random.Generator, runs: int) -> np.ndarray:
        shares = random.dirichlet(np.asarray(mean) * steady, size=runs)
        return random.multinomial(games, shares).astype(float)

    return draw


def _families(random: np.random.Generator, runs: int) -> np.ndarray:
    """Tables of 13 numbers: three shares that are high in some runs and low in others, ten that only vary."""
    kinds = 0.1 + 0.8 * (random.random((runs, 3)) < 0.4) + random.normal(0, 0.02, (runs, 3))
    return np.hstack([kinds, random.normal(0, 0.3, (runs, 10)) + random.normal(size=(runs, 1))])


WORLDS: Mapping[str, World] = {
    "three places of one player, 5,000 games, 30 runs": World(_counts((0.78, 0.015, 0.205), 400, 5000), 30, 3),
    "four players' wins, 5,000 games, 200 runs": World(_counts((0.65, 0.09, 0.1, 0.16), 2000, 5000), 200, 4),
    "four players' wins, 100 games, 200 runs": World(_counts((0.65, 0.09, 0.1, 0.16), 2000, 100), 200, 4),
    "tables that come in families, 8 runs": World(_families, 8, 1),
}


def rejections(world: World, deviations: float, draws: int, random: np.random.Generator) -> float:
    """The share of draws in which the joint test, at 5%, rejects a run whose first number was shifted.

    Args:
        world: the world from which the runs come.
        deviations: by how many standard deviations of single runs the first number is shifted up; the numbers that
            share its total change in proportion. With 0, the result is the share of false alarms.
        draws: the number of runs tried, each among newly drawn ones.
        random: the generator that draws them.
    """
    found = 0
    for _ in range(draws):
        rows = world.draw(random, world.runs + 1)
        tried, beside = rows[0].copy(), slice(1, world.shared)
        tried[0] += (moved := deviations * rows[1:, 0].std(ddof=1))
        if (total := tried[beside].sum()) > 0:
            tried[beside] *= max(total - moved, 0) / total
        found += joint_surprise(tried, rows[1:]) < 0.05
    return found / draws
