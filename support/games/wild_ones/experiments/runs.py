"""Which runs the chapter on wild ones makes: readings of the document, settings one at a time, improvements."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from support.games.wild_ones.experiments.training import (
    Checkpoints,
    DQNRun,
    PlanRun,
    TableRun,
    planned,
    table_learned,
    trained,
)
from support.sweep.scale import Scaled, Several
from support.verdicts.stats import estimate

AS_RUN = {"decay": 1e4 / (3 * math.log(10)), "decay_in": "decisions", "third_party_closes": False}
READINGS: Mapping[str, Mapping[str, Any]] = {"as run": AS_RUN, "as written": {}}
"""Settings by reading of the document: with its open points as in the author's program, and as its text has them."""
IMPROVEMENTS: Mapping[str, Mapping[str, Any]] = {
    "whole games": {"episodes": "games"},
    "all bids": {"history": True},
    "who is who": {"identity": True},
    "self-play": {"self_play": 0.5},
}
"""What the author would try next, and self-play in every other game, so that the opponents are met as well."""
NOTHING, ALL, NOTES = "as published", "all bids, who is who", "notes and plans"
LONG: Mapping[str, tuple[str, ...]] = {
    NOTHING: (),
    "all bids + who is who": ("all bids", "who is who"),
    "all bids": ("all bids",),
}
"""The settings that are trained for longer."""
READ, TUNED, IMPROVED, ALONE, LONGER, FIVE, DICE, LISTEN, TABLE, PLAN = range(10)


@dataclass(frozen=True)
class WildOnesScale(Scaled):
    """Sizes of the chapter's experiments.

    Attributes:
        runs: training runs of each reading of the document.
        five: runs among five players, whose 25 shares are judged at once.
        some: runs of every other setting.
        few: runs of settings that no claim depends on.
        long: runs that take long.
        games, warm_games: training games, and games before them.
        evaluated: games with each agent whose shares take too long to compute: among five players, or with five dice.
            Their standard error is then 0.22 points at most. First places of single agents are spread by eight times
            that (1.9 points among five, 1.7 with five dice), so an interval over seeds is wider by one per cent.
        played: games of the best player, to check its computed shares.
        dice: dice of each player in the games with many dice.
        table_games: training games of a table; the best tables have ten times as many.
        tables: the number of best tables.
        root: the seed that all others are spawned from.
    """

    runs: int = 30
    five: int = 60
    some: int = 10
    few: int = 5
    long: int = 3
    games: int = 5000
    warm_games: int = 300
    evaluated: int = 50_000
    played: int = 1_000_000
    dice: int = 5
    table_games: int = 10**6
    tables: int = 2
    root: int = 2026
    kept: Path | None = Path("_build/runs")

    @classmethod
    def small(cls) -> "WildOnesScale":
        """Sizes that take seconds."""
        sizes = {"runs": 4, "five": 5, "some": 2, "few": 2, "long": 2, "games": 400, "warm_games": 40}
        return cls(**sizes, evaluated=1000, played=2000, dice=3, table_games=2000, kept=None)

    def run(self, reading: str = "as run", **settings: Any) -> DQNRun:
        """A run of these sizes, in one of the two readings except for the given settings."""
        sizes = {"games": self.games, "warm_games": self.warm_games, "evaluated": self.evaluated}
        return DQNRun(**(sizes | {"point": self.games // 10} | dict(READINGS[reading]) | settings))

    def table(self, **settings: Any) -> TableRun:
        """A table of these sizes with full knowledge except for the given settings."""
        return TableRun(**({"games": self.table_games, "per_decade": 2} | settings))


@dataclass(frozen=True, eq=False)
class NetworkRuns(Several):
    """Networks that were trained with several settings."""

    settings: Mapping[str, DQNRun]

    def places(self, name: str) -> np.ndarray:
        """float64[runs, players, places], how often each player has each place; the agent is the last."""
        found = self.column("places", name)
        players = math.isqrt(found.shape[1])
        return found.reshape(-1, players, players)

    def shares(self, name: str, place: int = 1) -> np.ndarray:
        """float64[runs], how often the agent has a place."""
        return self.places(name)[:, -1, place - 1]

    def share(self, name: str, place: int = 1, player: int = -1) -> tuple[float, float, float]:
        """How often a player has a place: the mean over the runs, and a 95% interval (Student's)."""
        return estimate(self.places(name)[:, player, place - 1])

    def checks(self, name: str) -> np.ndarray:
        """float64[runs, points], how often the agent comes first without exploration at each point of training."""
        players = len(self.settings[name].names()) + 1
        found = self.column("checks", name)
        return found.reshape(len(found), -1, players)[:, :, 0]


def learned(
    config: WildOnesScale, settings: Mapping[str, DQNRun], runs: int | Sequence[int], *place: int
) -> NetworkRuns:
    """Train agents with several settings, each for a number of seeds."""
    return NetworkRuns(dict(settings), config.sweep(trained, list(settings.values()), runs, *place))


def readings(config: WildOnesScale) -> NetworkRuns:
    """The published agent, in both readings of the document, with learning curves and duels."""
    settings = {name: config.run(name, checked=True, duels=True, keep=True) for name in READINGS}
    return learned(config, settings, config.runs, READ)


def tuned(config: WildOnesScale) -> Mapping[str, NetworkRuns]:
    """The published settings with one change at a time, in groups."""
    stored = {"warm_games": config.games, "games": 0, "memory": 100_000, "offline_steps": config.games}
    watched = stored | {"warm_policy": "survivalist"}
    nothing = dict.fromkeys(("caught", "lost", "exact", "outbid", "survived", "conceded", "aside"), 0.0)
    groups: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
        "input": {"numbers, not histograms": {"encoding": "raw"}},
        "weight decay": {"none": {"weight_decay": 0.0}},
        "targets": {"no second network": {"target": False}, "not double": {"double": False}},
        "warm-up": {
            "none": {"warm_games": 0},
            "ten times as long": {"warm_games": 10 * config.warm_games},
            "by the survivalist": {"warm_policy": "survivalist"},
        },
        "discount": {"0": {"discount": 0.0}, "0.5": {"discount": 0.5}, "0.9": {"discount": 0.9}},
        "rewards": {
            "own dice alone": nothing | {"lost": -1.0, "exact": 1.0},
            "one a die, whoever's": nothing | {"caught": 1.0, "lost": -1.0, "exact": 1.0, "survived": 1.0},
            "victory alone": nothing | {"win": 1.0, "episodes": "games"},
        },
        "offline, from stored games": {
            "a survivalist's games": watched,
            "an aggressive player's": stored | {"warm_policy": "aggressive"},
            "its own, at random": stored,
            "a survivalist's, no decay": watched | {"weight_decay": 0.0},
        },
    }
    found = {}
    for row, (group, settings) in enumerate(groups.items()):
        runs = {"input": config.some, "weight decay": config.runs}.get(group, config.few)  # as claims need them
        changed = {name: config.run(**changes) for name, changes in settings.items()}
        found[group] = learned(config, changed, runs, TUNED, row)
    return found


SUBSETS: Mapping[str, tuple[str, ...]] = {
    " + ".join(names): names
    for names in (
        *((name,) for name in IMPROVEMENTS),
        ("all bids", "who is who"),
        ("who is who", "self-play"),
        ("whole games", "all bids", "who is who"),
        tuple(IMPROVEMENTS),
    )
}
"""The improvements alone and in combinations, by name."""


def improvements(*names: str) -> Mapping[str, Any]:
    """The settings of some improvements together."""
    return {field: value for name in names for field, value in IMPROVEMENTS[name].items()}


@dataclass(frozen=True, eq=False)
class OtherRuns(Several):
    """Runs of other learners than the network, with several settings."""

    settings: Mapping[str, Checkpoints]

    def curve(self, name: str, place: int = 1) -> np.ndarray:
        """float64[runs, checkpoints], how often the agent has a place with what it knows at each checkpoint."""
        players, found = len(self.settings[name].names()) + 1, self.column("places", name)
        return found.reshape(len(found), -1, players)[:, :, place - 1]

    def share(self, name: str, place: int = 1) -> tuple[float, float, float]:
        """How often the agent has a place at the end: the mean over the runs, and a 95% interval (Student's)."""
        return estimate(self.curve(name, place)[:, -1])


def listened(config: WildOnesScale) -> OtherRuns:
    """The learning table, with all that it may know and with less."""
    settings = {
        ALL: config.table(),
        "all bids": config.table(who_is_who=False),
        "who is who": config.table(all_bids=False),
        "neither": config.table(all_bids=False, who_is_who=False),
    }
    return OtherRuns(settings, config.sweep(table_learned, list(settings.values()), config.few, LISTEN))


def best_tables(config: WildOnesScale) -> OtherRuns:
    """The table with full knowledge, for ten times as many games; its decisions are kept."""
    settings = {ALL: config.table(games=10 * config.table_games, keep=True)}
    return OtherRuns(settings, config.sweep(table_learned, list(settings.values()), config.tables, TABLE))


def planners(config: WildOnesScale) -> OtherRuns:
    """Players that take notes and plan, in as many games as the network learns from."""
    run = PlanRun(games=config.games, first=10, per_decade=4)
    return OtherRuns({NOTES: run}, config.sweep(planned, run, config.few, PLAN))


def improved(config: WildOnesScale) -> NetworkRuns:
    """What the author would try next, and self-play, alone and together."""
    settings = {name: config.run(**improvements(*names)) for name, names in SUBSETS.items()}
    return learned(config, settings, config.some, IMPROVED)


def only_itself(config: WildOnesScale) -> NetworkRuns:
    """Self-play in all games, so that the agent never meets the opponents it is judged against."""
    return learned(config, {"self-play only": config.run(self_play=1.0)}, config.some, ALONE)


def longer(config: WildOnesScale) -> NetworkRuns:
    """Four times as many training games, as published and with more inputs."""
    settings = {name: config.run(games=4 * config.games, **improvements(*names)) for name, names in LONG.items()}
    return learned(config, settings, config.long, LONGER)


def five_players(config: WildOnesScale) -> NetworkRuns:
    """The table of five in both readings; the agents as run, which are judged, are more, and are kept."""
    four = "survivalist+survivalist+aggressive+aggressive"
    settings = {name: config.run(name, opponents=four, keep=True) for name in READINGS}
    return learned(config, settings, (config.five, config.some), FIVE)


def five_dice(config: WildOnesScale) -> NetworkRuns:
    """Five dice each, at the published scale, against the two opponents."""
    return learned(config, {NOTHING: config.run(dice=config.dice)}, config.long, DICE)
