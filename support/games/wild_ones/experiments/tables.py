"""Two more ways to learn wild ones from play alone, as sweeps take them: how well they play after how many games.

One is a table of all that may be known, the other writes down what the opponents do and plans against that.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.core.checks import require_whole
from support.games.wild_ones.experiments.chapter import Opposition, tables
from support.games.wild_ones.listener.learned import ARRAYS, Learned
from support.games.wild_ones.listener.learner_fast import Learner
from support.games.wild_ones.listener.settings import Settings
from support.games.wild_ones.notes_fast import learn, play
from support.sweep import report, spawn


@dataclass(frozen=True)
class Looks(Opposition):
    """What is looked at, and when.

    Attributes:
        games: of training.
        first: games before the first look.
        per_decade: looks to a tenfold number of games.
        evaluated: games at each look, by what is known best.

    Raises:
        ValueError: a value outside its range.
    """

    games: int = 10**6
    first: int = 1000
    per_decade: int = 2
    evaluated: int = 1_000_000

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("games", "first", "per_decade", "evaluated"):
            require_whole(name, getattr(self, name), 1, 2**40)

    def points(self) -> np.ndarray:
        """int64[k], the numbers of games after which to look, evenly spaced in their logarithms; the last is all."""
        looks = round(self.per_decade * np.log10(max(self.games / self.first, 1)))
        found = np.round(self.games / 10 ** (np.arange(looks, -1, -1) / self.per_decade)).astype(np.int64)
        return np.unique(np.maximum(found, 1))


@dataclass(frozen=True)
class TableRun(Looks, Settings):
    """One table, trained and looked at on the way.

    Attributes:
        hears, knows, curiosity, recency, states: as in :class:`support.games.wild_ones.listener.settings.Settings`.
        keep: whether to keep what the agent does wherever it came in the last of the games.

    Raises:
        ValueError: a value outside its range.
    """

    keep: bool = False

    def __post_init__(self) -> None:
        Looks.__post_init__(self)
        Settings.__post_init__(self)

    def settings(self) -> Settings:
        """How the agent learns, and no more."""
        return Settings(self.hears, self.knows, self.curiosity, self.recency, self.states)


def table_learned(config: TableRun, seed: int) -> Mapping[str, Any]:
    """How often the agent comes first, second, ... in the course of training.

    Returns:
        ``places``: int64[points * players], how often it had each place at each look, in ``evaluated`` games.
        ``met``: int64[points], information states that it had met.
        ``unmet``: decisions, in the last ``evaluated`` games, in states that it had never met.
        ``seconds``: of processor time that training took, the only entry that the seed does not decide.
        And where it is to be kept, the arrays of :class:`support.games.wild_ones.listener.learned.Learned`.
    """
    game, (learning, judging) = config.rules(), map(int, spawn(seed, 2))
    learner = Learner(game, tables(game, config.names()), config.settings(), learning)
    places, met, seconds, played = [], [], 0.0, 0
    for games in config.points().tolist():
        began = time.process_time()
        learner.train(games - played)
        seconds += time.process_time() - began
        played = games
        found = learner.evaluate(config.evaluated, judging)
        places.append(np.bincount(found.places, minlength=game.num_players + 1)[1:])
        met.append(learner.states)
        report(games / config.games)
    record = {"places": np.concatenate(places), "met": np.array(met), "unmet": found.unmet, "seconds": seconds}
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


@dataclass(frozen=True)
class PlanRun(Looks):
    """One player that writes down what the opponents do; it plans anew at each look."""


def planned(config: PlanRun, seed: int) -> Mapping[str, Any]:
    """How often a player that plans by its notes comes first, second, ...: before any game, and at each look.

    Returns:
        ``places``: int64[(1 + points) * players], how often it had each place at each look, in ``evaluated`` games.
        ``seen``: int64[1 + points], of how many views it knew what the opponents do there, all together.
        ``surprised``: int64[1 + points], in how many of these games a bid was made that it did not expect.
    """
    game, (learning, judging) = config.rules(), map(int, spawn(seed, 2))
    others, points = tables(game, config.names()), config.points().tolist()
    places, seen, surprised = [], [], []
    for stage in learn(game, others, points, learning):
        found = play(stage.plan, others, config.evaluated, judging)
        places.append(np.bincount(found.places, minlength=game.num_players + 1)[1:])
        seen.append(sum(stage.seen))
        surprised.append(np.count_nonzero(found.surprised))
        report(len(places) / (1 + len(points)))
    return {"places": np.concatenate(places), "seen": np.array(seen), "surprised": np.array(surprised)}
