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

AS_RUN = {"decay": 1e4 / (3 * math.log(10)), "decay_in": "decisions", "third_party_closes": False}
READINGS: Mapping[str, Mapping[str, Any]] = {"as run": AS_RUN, "as written": {}}
"""The document's settings, its open points as in the author's program; and as its text has them."""
IMPROVEMENTS: Mapping[str, Mapping[str, Any]] = {
    "whole games": {"episodes": "games"},
    "all bids": {"history": True},
    "who is who": {"identity": True},
    "self-play": {"self_play": 0.5},
}
"""What the author would try next, and self-play; that in every other game, so that the others are met as well."""
NOTHING, ALL, NOTES = "as published", "all bids, who is who", "notes and plans"
LONG: Mapping[str, tuple[str, ...]] = {
    NOTHING: (),
    "all bids + who is who": ("all bids", "who is who"),
    "all bids": ("all bids",),
}
"""What is trained for longer."""
READ, TUNED, IMPROVED, ALONE, LONGER, FIVE, DICE, LISTEN, TABLE, PLAN = range(10)


@dataclass(frozen=True)
class WildOnesScale(Scaled):
    """Sizes of the chapter's experiments.

    Attributes:
        runs: training runs of each reading of the document.
        five: runs among five players, of whom 25 shares are judged at once.
        some: runs of every other setting.
        few: runs of settings that answer nothing that was claimed.
        long: runs that take long.
        games, warm_games: of training, and before it.
        evaluated: games with each agent whose shares take too long to compute: among five players, or with five dice.
            Their standard error is then 0.22 points at most. First places of single agents are spread by eight times
            that (1.9 points among five, 1.7 with five dice), so that an interval over seeds is wider by one per cent.
        played: games of the best player, beside what is computed.
        dice: of each player where there are many.
        table_games: of training of a table; those of the best are ten times as many.
        tables: how many of the best there are.
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
        """A run of these sizes, in one of the two readings but for what is named."""
        sizes = {"games": self.games, "warm_games": self.warm_games, "evaluated": self.evaluated}
        return DQNRun(**(sizes | {"point": self.games // 10} | dict(READINGS[reading]) | settings))

    def table(self, **settings: Any) -> TableRun:
        """A table of these sizes that may know all, but for what is named."""
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
        """How often a player has a place, on average over the runs, and a 95% interval over them (Student's)."""
        return spread(self.places(name)[:, player, place - 1])

    def checks(self, name: str) -> np.ndarray:
        """float64[runs, points], how often the agent, not exploring, comes first at each point of its training."""
        players = len(self.settings[name].names()) + 1
        found = self.column("checks", name)
        return found.reshape(len(found), -1, players)[:, :, 0]


def spread(values: np.ndarray) -> tuple[float, float, float]:
    """The mean of some runs, and a 95% interval (Student's)."""
    from support.verdicts.stats import mean_interval

    return (float(np.mean(values)), *mean_interval(values))


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
    """One thing at a time is otherwise than published, in groups."""
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
"""The improvements one at a time, and some of them together, by name."""


def improvements(*names: str) -> Mapping[str, Any]:
    """The settings of some improvements together."""
    return {field: value for name in names for field, value in IMPROVEMENTS[name].items()}


@dataclass(frozen=True, eq=False)
class OtherRuns(Several):
    """What was learned otherwise than by a network, with several settings."""

    settings: Mapping[str, Checkpoints]

    def curve(self, name: str, place: int = 1) -> np.ndarray:
        """float64[runs, checkpoints], how often the agent has a place by what it knows at each checkpoint."""
        players, found = len(self.settings[name].names()) + 1, self.column("places", name)
        return found.reshape(len(found), -1, players)[:, :, place - 1]

    def share(self, name: str, place: int = 1) -> tuple[float, float, float]:
        """How often it has a place in the end, on average over the runs, and a 95% interval over them (Student's)."""
        return spread(self.curve(name, place)[:, -1])


def listened(config: WildOnesScale) -> OtherRuns:
    """The table that learns, with all that it may know and with less."""
    settings = {
        ALL: config.table(),
        "all bids": config.table(who_is_who=False),
        "who is who": config.table(all_bids=False),
        "neither": config.table(all_bids=False, who_is_who=False),
    }
    return OtherRuns(settings, config.sweep(table_learned, list(settings.values()), config.few, LISTEN))


def best_tables(config: WildOnesScale) -> OtherRuns:
    """The table that may know all, for ten times as many games; what it does is kept."""
    settings = {ALL: config.table(games=10 * config.table_games, keep=True)}
    return OtherRuns(settings, config.sweep(table_learned, list(settings.values()), config.tables, TABLE))


def planners(config: WildOnesScale) -> OtherRuns:
    """Players that write down what the opponents do, and plan; in as many games as the network learns from."""
    run = PlanRun(games=config.games, first=10, per_decade=4)
    return OtherRuns({NOTES: run}, config.sweep(planned, run, config.few, PLAN))


def improved(config: WildOnesScale) -> NetworkRuns:
    """What the author would try next, and self-play, alone and together."""
    settings = {name: config.run(**improvements(*names)) for name, names in SUBSETS.items()}
    return learned(config, settings, config.some, IMPROVED)


def only_itself(config: WildOnesScale) -> NetworkRuns:
    """Self-play in all games, so that the agent never meets those that it is judged against."""
    return learned(config, {"self-play only": config.run(self_play=1.0)}, config.some, ALONE)


def longer(config: WildOnesScale) -> NetworkRuns:
    """Four times as many games of training: as published, and with more of what an agent can see."""
    settings = {name: config.run(games=4 * config.games, **improvements(*names)) for name, names in LONG.items()}
    return learned(config, settings, config.long, LONGER)


def five_players(config: WildOnesScale) -> NetworkRuns:
    """The table of five, in both readings; the agents as run, which are judged, are more, and are kept."""
    four = "survivalist+survivalist+aggressive+aggressive"
    settings = {name: config.run(name, opponents=four, keep=True) for name in READINGS}
    return learned(config, settings, (config.five, config.some), FIVE)


def five_dice(config: WildOnesScale) -> NetworkRuns:
    """Five dice each, at the published scale, against the two opponents."""
    return learned(config, {NOTHING: config.run(dice=config.dice)}, config.long, DICE)
