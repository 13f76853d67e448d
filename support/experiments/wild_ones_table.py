"""A table that learns wild ones from play alone, as a sweep takes it: how well it plays after how many games."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.agents.wild_ones_table import ARRAYS, Learned, Settings
from support.experiments.wild_ones import POLICIES, tables
from support.games.wild_ones import WildOnes
from support.kernels.wild_ones_table import Learner
from support.sweep import report, spawn

__all__ = ["TableRun", "points", "restored", "table_learned"]


@dataclass(frozen=True)
class TableRun(Settings):
    """One table, trained and looked at on the way.

    Attributes:
        opponents: names joined by +; the agent sits after them, and seats are drawn for each game.
        dice: that each starts with.
        hears, knows, curiosity, recency, states: as in :class:`support.agents.wild_ones_table.Settings`.
        games: of training.
        first: games before the first look.
        per_decade: looks to a tenfold number of games.
        evaluated: games at each look, by the best known actions.
        keep: whether to keep what the agent does wherever it came in the last of these games.

    Raises:
        ValueError: a value outside its range.
    """

    opponents: str = "survivalist+aggressive"
    dice: int = 2
    games: int = 10**8
    first: int = 1000
    per_decade: int = 3
    evaluated: int = 1_000_000
    keep: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.names():
            if name not in POLICIES:
                raise ValueError(f"opponents takes names joined by +, of {', '.join(POLICIES)}, not {name!r}")
        for name, least in (("games", 1), ("first", 1), ("per_decade", 1), ("evaluated", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**40:
                raise ValueError(f"{name} must be a whole number from {least} to 2^40, not {value!r}")
        self.rules()

    def names(self) -> list[str]:
        """The opponents' names, one a player."""
        return self.opponents.split("+")

    def rules(self) -> WildOnes:
        """The game: the opponents, the agent, and their dice."""
        return WildOnes(len(self.names()) + 1, self.dice)

    def settings(self) -> Settings:
        """How the agent learns, and no more."""
        return Settings(self.hears, self.knows, self.curiosity, self.recency, self.states)


def points(config: TableRun) -> np.ndarray:
    """int64[k], the numbers of games after which to look, evenly spaced in their logarithms; the last is all."""
    looks = round(config.per_decade * np.log10(max(config.games / config.first, 1)))
    found = np.round(config.games / 10 ** (np.arange(looks, -1, -1) / config.per_decade)).astype(np.int64)
    return np.unique(np.maximum(found, 1))


def table_learned(config: TableRun, seed: int) -> Mapping[str, Any]:
    """How often the agent comes first, second, ... in the course of training.

    Returns:
        ``places``: int64[points * players], how often it had each place at each look, in ``evaluated`` games.
        ``states``: int64[points], information states that it had met.
        ``unmet``: decisions, in the last ``evaluated`` games, in states that it had never met.
        ``seconds``: of processor time that training took, the only entry that the seed does not decide.
        And where it is to be kept, the arrays of :class:`support.agents.wild_ones_table.Learned`.
    """
    game, (learning, judging) = config.rules(), map(int, spawn(seed, 2))
    learner = Learner(game, tables(game, config.names()), config.settings(), learning)
    places, states, seconds, played = [], [], 0.0, 0
    for games in points(config).tolist():
        began = time.process_time()
        learner.train(games - played)
        seconds += time.process_time() - began
        played = games
        found = learner.evaluate(config.evaluated, judging)
        places.append(np.bincount(found.places, minlength=game.num_players + 1)[1:])
        states.append(learner.states)
        report(games / config.games)
    record = {"places": np.concatenate(places), "states": np.array(states), "unmet": found.unmet, "seconds": seconds}
    if config.keep:
        kept = learner.learned().pruned(found.met)
        record |= {name: getattr(kept, name) for name in ARRAYS if name != "places"} | {"where": kept.places}
    return record


def restored(config: TableRun, seed: int, record: Mapping[str, Any]) -> Learned:
    """The agent of a record that kept it: what it does wherever it came in its last games.

    Args:
        config: of its run.
        seed: of its run.
        record: a row of the sweep.
    """
    arrays = {name: np.asarray(record["where" if name == "places" else name], kind) for name, kind in ARRAYS.items()}
    learning, _ = map(int, spawn(seed, 2))
    return Learned(config.rules(), config.settings(), learning, config.games, **arrays)
