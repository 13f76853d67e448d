"""The runs of the chapter on call or raise: one program in three versions, over many seeds and settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from support.games.call_or_raise.experiments.chapter import SLIPS, VERSIONS, Run, trained
from support.sweep.scale import Scaled, Several

THREE, MENDED, REWARDED, SEEN, BUCKETS, RATES, BLUFFS, PAIRS, LONG, WARM, TRACE, CALLS, CEILING, SMALL, COIN = range(15)
FROZEN, COLUMNS, DECISIONS = range(15, 18)
"""Places below the root seed, of all experiments of the chapter."""


@dataclass(frozen=True)
class Config(Scaled):
    """Sizes of the chapter's experiments.

    Attributes:
        runs: training runs of each of the three versions.
        games, evaluated: of each, as in :class:`support.games.call_or_raise.experiments.chapter.Run`.
        some: runs of every other setting.
        longer: games of training where a larger table or a larger menu is to be filled.
        bins, alphas, discounts, bluffs: values tried one at a time.
        long_runs, long_games: number and length of the runs in search of the best table.
        most_dice, simulated: dice of each at the largest table whose best answer is computed, and games to check it.
        small_dice: at the largest tables that are solved in fractions.
        watchers, watched: agents of a version, and games of each, in which we look whose bids are called.
        altered: of the tables that differ from the printed game in one cell, one in so many is tried.
        root: the seed that all others are spawned from.
    """

    runs: int = 1000
    games: int = 5000
    evaluated: int = 1000
    some: int = 100
    longer: int = 100_000
    bins: tuple[int, ...] = (2, 3, 5, 10, 20, 50)
    alphas: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3)
    discounts: tuple[float, ...] = (0.0, 0.5, 0.9, 0.99, 1.0)
    bluffs: tuple[Fraction, ...] = tuple(Fraction(k, 4) for k in range(5))
    long_runs: int = 10
    long_games: int = 10**7
    most_dice: int = 6
    simulated: int = 200_000
    small_dice: int = 3
    watchers: int = 8
    watched: int = 40
    altered: int = 1
    root: int = 20181220

    @classmethod
    def small(cls) -> "Config":
        """Sizes that take seconds."""
        sizes: dict[str, Any] = {
            "runs": 30,
            "games": 500,
            "evaluated": 200,
            "some": 4,
            "longer": 1000,
            "long_runs": 2,
            "long_games": 2000,
        }
        return cls(**sizes, most_dice=2, simulated=1000, small_dice=1, watchers=2, watched=20, altered=50)

    def run(self, **settings: Any) -> Run:
        """A run of these sizes, as published but for what is named."""
        return Run(**({"games": self.games, "evaluated": self.evaluated} | settings))


@dataclass(frozen=True, eq=False)
class Learned(Several):
    """Agents that were trained with several settings."""

    settings: Mapping[str, Run]

    def wins(self, name: str, phase: str = "training") -> np.ndarray:
        """int64[runs, players], wins in one phase.

        Phases: training, evaluation (with exploration), hundred (the first hundred games of that), greedy (without).
        """
        return self.column(phase, name)

    def curve(self, name: str) -> np.ndarray:
        """float64[runs, points], the share of games that the agent had won after each hundred games or so."""
        won = self.column("curve", name)
        share: np.ndarray = won / (self.settings[name].every * np.arange(1, won.shape[1] + 1))
        return share

    def windows(self, name: str, games: int) -> np.ndarray:
        """float64[runs, windows], the agent's share of wins among so many games of training, and the next ones."""
        step, won = games // self.settings[name].every, self.column("curve", name)
        share: np.ndarray = np.diff(won[:, step - 1 :: step], axis=1, prepend=0) / games
        return share

    def share(self, name: str, phase: str = "greedy") -> tuple[float, float, float]:
        """The agent's share of wins over all runs, and a 95 % interval over the runs (Student's)."""
        from support.verdicts.stats import mean_interval

        wins = self.wins(name, phase)
        shares = wins[:, 0] / wins.sum(axis=1)
        return (float(shares.mean()), *mean_interval(shares))


def learned(config: Config, settings: Mapping[str, Run], runs: int | Sequence[int], place: int) -> Learned:
    """Train agents with several settings, each for a number of seeds."""
    return Learned(dict(settings), config.sweep(trained, list(settings.values()), runs, place))


def three_versions(config: Config) -> Learned:
    """The program as run in 2018, as it reads today, and as meant."""
    return learned(config, {version: config.run(version=version) for version in VERSIONS}, config.runs, THREE)


def warmed(config: Config) -> Mapping[int, Learned]:
    """The programs of 2018 and of today with tables that have learned before the 5,000 games that are counted.

    Returns:
        For each number of games learned before, the runs of the two.
    """
    found = {}
    for row, tenths in enumerate((0, 1, 2, 4, 6, 10)):
        warm = tenths * config.games // 10
        settings = {version: config.run(version=version, warm=warm) for version in ("run", "read")}
        found[warm] = Learned(settings, config.sweep(trained, list(settings.values()), config.some, WARM, row))
    return found


def coin_tosser(config: Config) -> Learned:
    """An agent that tosses a coin and bluffs as often as the one that learns."""
    return learned(config, {"coin": config.run(kind="random", games=1, every=1)}, config.runs, COIN)


def frozen(config: Config) -> Learned:
    """The program of 2018 with a table that is not updated any more after the first fifth of training."""
    return learned(config, {"frozen": config.run(stop=config.games // 5)}, config.runs, FROZEN)


def rises(runs: Learned, name: str) -> list[tuple[float, float, float]]:
    """By how much the share of wins of a fifth of training exceeds that of the fifth before, from the second on.

    Returns:
        For each of the three steps the mean over the runs with a 95 % interval (Student's, of the mean).
    """
    from support.verdicts.stats import mean_interval

    fifths = runs.windows(name, runs.settings[name].games // 5)[:, 1:]
    return [(float(step.mean()), *mean_interval(step)) for step in np.diff(fifths, axis=1).T]


def mended(config: Config) -> Learned:
    """What each slip changes: mended alone in the program of 2018, and put alone into what is meant."""
    settings = {"run": config.run(), "meant": config.run(version="meant")}
    settings |= {f"run, {name} mended": config.run(flip=name) for name in SLIPS}
    settings |= {f"meant, with {name}": config.run(version="meant", flip=name) for name in SLIPS}
    return learned(config, settings, config.some, MENDED)


def mended_together(config: Config) -> Learned:
    """The program of 2018 with two or three slips mended at once: the columns, and others."""
    pairs = [f"{name}+columns" for name in SLIPS if name != "columns"]
    flips = [*pairs, "early+between", "early+between+columns"]
    return learned(config, {flip: config.run(flip=flip) for flip in flips}, config.some, COLUMNS)


def own_decisions(config: Config) -> Learned:
    """Updates after everybody's moves, as meant, and from one own decision to the next: with two discounts each.

    Returns:
        By method, discount and games of training.
    """
    settings, runs = {}, []
    for games, number in ((config.games, config.some), (config.longer, max(config.some // 4, 2))):
        for method in ("q", "decisions"):
            for discount in (0.0, 0.9):
                settings[f"{method}, {discount:g}, {games}"] = config.run(
                    version="meant", method=method, discount=discount, games=games, every=max(games // 10, 1)
                )
                runs.append(number)
    return learned(config, settings, runs, DECISIONS)


def rewarded(config: Config) -> Learned:
    """Each reward left out, as meant."""
    named = {"victory": "win", "defeat": "lose", "others' dice": "take", "own dice": "give"}
    settings = {"all of them": config.run(version="meant")}
    for names in [(name,) for name in named] + [tuple(named)[:2], tuple(named)[:3]]:
        without = {named[name]: 0.0 for name in names}
        settings["none for " + ", ".join(names)] = config.run(version="meant", **without)
    return learned(config, settings, config.some, REWARDED)


def seen(config: Config) -> Learned:
    """Other states and another menu, as meant: for as many games as published, and for many more."""
    views: Mapping[str, Mapping[str, Any]] = {
        "as published": {},
        "own dice: some or none": {"own": "some"},
        "own dice: not seen": {"own": "none"},
        "neighbours' dice too": {"neighbours": True},
        "the whole bid": {"menu": "whole"},
    }
    settings, runs = {}, []
    for name, view in views.items():
        settings[name] = config.run(version="meant", **view)
        settings[f"{name}, longer"] = config.run(
            version="meant", games=config.longer, every=config.longer // 10, **view
        )
        runs += [config.some, max(config.some // 4, 2)]
    return learned(config, settings, runs, SEEN)


def tuned(config: Config) -> Mapping[str, Learned]:
    """Buckets, rates and bluffs, one at a time, as meant."""
    groups: Mapping[str, tuple[int, str, Sequence[Any]]] = {
        "buckets": (BUCKETS, "bins", config.bins),
        "learning rate": (RATES, "alpha", config.alphas),
        "discount": (RATES, "discount", config.discounts),
        "bluffs": (BLUFFS, "bluff", config.bluffs),
    }
    found = {}
    for row, (name, (place, field, values)) in enumerate(groups.items()):
        settings = {
            (f"{value:g}" if isinstance(value, float) else str(value)): config.run(version="meant", **{field: value})
            for value in values
        }
        records = config.sweep(trained, list(settings.values()), config.some, place, row)
        found[name] = Learned(settings, records)
    return found
