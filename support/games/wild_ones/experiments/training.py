"""The experiments of the chapter on wild ones for sweeps: learners in training, and what they win on the way.

A network learns by deep Q-learning, a table from all bids of a round, and a planner by notes on its opponents.
"""

import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from support.core.checks import part_of
from support.core.checks import settings as checked
from support.games.wild_ones.ceiling.ceiling_fast import worth_of_plan
from support.games.wild_ones.ceiling.rolls_fast import require_rolls, rolls_in
from support.games.wild_ones.dqn import DQNSettings
from support.games.wild_ones.dqn_fast import FastDQNLearner, evaluate
from support.games.wild_ones.dqn_player import DQNPlayer
from support.games.wild_ones.dqn_worth_fast import worth_of_network
from support.games.wild_ones.listener import ListenerSettings
from support.games.wild_ones.listener_fast import FastListenerLearner
from support.games.wild_ones.listener_table import ARRAYS, ListenerTable
from support.games.wild_ones.notes import learn
from support.games.wild_ones.policies import POLICIES, tables
from support.games.wild_ones.rules import WildOnes
from support.learners.network import Network
from support.sweep import report, spawn

PUBLISHED = {
    "survivalist+aggressive": ((17.1, 63.3, 19.6), (3.4, 36.2, 60.4), (79.4, 0.5, 20.1)),
    "survivalist+survivalist+aggressive+aggressive": (
        (19.8, 27.8, 21.0, 18.8, 12.7),
        (20.2, 28.3, 20.6, 18.3, 12.6),
        (5.3, 20.1, 20.7, 23.2, 30.8),
        (5.5, 21.1, 20.4, 22.3, 30.8),
        (49.2, 2.8, 17.3, 17.5, 13.1),
    ),
}
"""Shares of first, second, ... place in 5,000 games, in percent, player by player; the agent is the last."""
DUEL = {"agent": 97.8, "survivalist": 2.2, "aggressive": 0.0}
"""Percent of 5,000 two-player games won by the agent, and by its opponent, whose kind is drawn at random."""
POINTS = 100_000  # points of a learning curve
Count = Annotated[int, Field(ge=1, le=10_000_000)]
Looks = Annotated[int, Field(ge=1, le=10**9)]
FEW = 1 << 20  # rolls: going through these takes less time than playing enough games


@checked
class Opposition:
    """The opponents that an agent learns against.

    Attributes:
        opponents: names from ``POLICIES`` joined by +; the agent is the last player; seats are drawn for each game.
        dice: the number of dice that each player starts with.

    Raises:
        ValueError: a value is out of range.
    """

    opponents: str = "survivalist+aggressive"
    dice: int = 2

    def __post_init__(self) -> None:
        for name in self.names():
            if name not in POLICIES:
                raise ValueError(f"opponents must be names out of {', '.join(POLICIES)} joined by +, not {name!r}")
        self.rules()

    def names(self) -> list[str]:
        """The opponents' names, one for each player."""
        return self.opponents.split("+")

    def rules(self) -> WildOnes:
        """The rules for the opponents and the agent."""
        return WildOnes(len(self.names()) + 1, self.dice)


@checked
class DQNRun(Opposition, DQNSettings):
    """A configuration: one agent that is trained and then evaluated.

    Attributes:
        evaluated: games without exploration or learning, to measure shares of places that take too long to compute,
            because there are too many rolls or an opponent draws.
        point: games between two points of the learning curve.
        checked: whether to record at each of these points how often it comes first, second, ...
        duels: whether to record how often it wins against a single opponent of each kind from its training.
        keep: whether to keep the weights.

    Raises:
        ValueError: a value is out of range.
    """

    evaluated: Count = 50_000
    point: Count = 500
    checked: bool = False
    duels: bool = False
    keep: bool = False

    def __post_init__(self) -> None:
        DQNSettings.__post_init__(self)
        Opposition.__post_init__(self)
        if self.games > POINTS * self.point:
            raise ValueError(f"point must be at least a {POINTS:,}th of the {self.games:,} games, not {self.point}")

    def settings(self) -> DQNSettings:
        """How the agent learns, and no more."""
        return DQNSettings(**part_of(self, DQNSettings))


def trained(config: DQNRun, seed: int) -> Mapping[str, Any]:
    """Deep Q-learning at wild ones: places of all players after training, the agent's learning curve, and its time.

    Returns:
        ``places``: float64[players * players], the share of games after training in which each player has each place.
        ``curve``: int64[points * players], how often the agent had each place between two points of training.
        ``checks``: float64[points * players], its shares without exploration at each point, if ``checked``.
        ``wins``: float64[kinds], how often the agent wins against a single opponent, in the order of the names.
        ``decisions``, ``steps``: the agent's decisions and the optimiser's steps in training.
        ``seconds``: processor time of the training, the only entry that the seed does not decide.
        ``weights``: float32, if they are kept.
    """
    game, settings = config.rules(), config.settings()
    learning, judging, checking, duelling = map(int, spawn(seed, 4))
    others, checks, pause = tables(game, config.names()), [], 0.0

    def check(games: int, network: Network) -> None:
        nonlocal pause
        began = time.process_time()
        now = DQNPlayer(game, settings, network.copy(), config.opponents)
        checks.append(places_of(now, others, config.evaluated, (checking + games) % 2**64)[-1])
        pause += time.process_time() - began

    _warm()
    began = time.process_time()
    done = FastDQNLearner(game, others, settings, learning).train(check if config.checked else None, config.point)
    record: dict[str, Any] = {"seconds": time.process_time() - began - pause}
    agent = DQNPlayer(game, settings, done.network, config.opponents, seed)
    starts = range(0, settings.games - config.point + 1, config.point)
    curve = [counted(done.places[start : start + config.point])[-1] for start in starts]
    record |= {"places": places_of(agent, others, config.evaluated, judging).ravel(), "curve": _flat(curve)}
    record |= {"decisions": done.decisions, "steps": done.steps}
    if config.checked:
        record["checks"] = _flat(checks)
    if config.duels:
        record["wins"] = _duels(config, agent, duelling)
    if config.keep:
        record["weights"] = done.network.weights
    return record


@cache
def _warm() -> None:
    """Compile, and load torch, once in each process, before the clock starts."""
    tiny = DQNSettings(batch=1, every=1, warm_games=1, games=1)
    FastDQNLearner(WildOnes(2, 1), tables(WildOnes(2, 1), ["survivalist"]), tiny, 0).train()


def _flat(rows: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(rows) if rows else np.zeros(0, np.int64)


def counted(places: np.ndarray) -> np.ndarray:
    """int64[players, players], how often each player had each place."""
    players = places.shape[1]
    return np.array([np.bincount(places[:, one], minlength=players + 1)[1:] for one in range(players)], np.int64)


def places_of(
    agent: DQNPlayer, others: Sequence[np.ndarray], games: int, seed: int, kinds: Sequence[int] | None = None
) -> np.ndarray:
    """float64[players, players], how often each player comes first, second, ... if the agent does not explore.

    Computed as by :func:`worth_of_network`, or if that takes too long from ``games`` games with a seed (64 bits).
    """
    if rolls_in(WildOnes(len(others) + 1, agent.game.dice), others) <= FEW:
        return worth_of_network(agent, others, kinds)
    return counted(evaluate(agent, others, games, seed, kinds).places) / games


def _duels(config: DQNRun, agent: DQNPlayer, seed: int) -> np.ndarray:
    """float64[kinds], how often the agent wins against a single opponent, with as many dice each as in training."""
    wins = []
    for number, name in enumerate(dict.fromkeys(config.names())):
        one, stream = tables(agent.game, [name]), (seed + number) % 2**64
        wins.append(places_of(agent, one, config.evaluated, stream, [number])[-1, 0])
    return np.array(wins)


def player(config: DQNRun, weights: np.ndarray, seed: int = 0) -> DQNPlayer:
    """The agent of a record that kept its weights.

    Args:
        config: the configuration of its run.
        weights: the record's weights.
        seed: the seed of its run.
    """
    game, settings = config.rules(), config.settings()
    sizes = settings.sizes(game, len(settings.kinds(config.names())))
    network = Network(sizes, np.asarray(weights, np.float32))
    return DQNPlayer(game, settings, network, config.opponents, seed)


@checked
class Checkpoints(Opposition):
    """When an agent is evaluated.

    Attributes:
        games: training games.
        first: games before the first checkpoint.
        per_decade: checkpoints in each power of ten.

    Raises:
        ValueError: a value is out of range, or there are opponents against whom nothing can be computed.
    """

    games: Looks = 10**6
    first: Looks = 1000
    per_decade: Annotated[int, Field(ge=1, le=100)] = 2

    def __post_init__(self) -> None:
        Opposition.__post_init__(self)
        require_rolls(self.rules(), tables(self.rules(), self.names()))

    def points(self) -> np.ndarray:
        """int64[k], the checkpoints in games, evenly spaced in their logarithms; the last is all games."""
        looks = round(self.per_decade * np.log10(max(self.games / self.first, 1)))
        found = np.round(self.games / 10 ** (np.arange(looks, -1, -1) / self.per_decade)).astype(np.int64)
        return np.unique(np.maximum(found, 1))


@checked
class TableRun(Checkpoints, ListenerSettings):
    """A configuration: one table that is trained, and evaluated at checkpoints.

    Attributes:
        all_bids, who_is_who, curiosity, recency, states: as in
            :class:`support.games.wild_ones.listener.ListenerSettings`.
        keep: whether to keep the agent's final decisions wherever they can lead it.

    Raises:
        ValueError: a value is out of range.
    """

    keep: bool = False

    def settings(self) -> ListenerSettings:
        """How the agent learns, and no more."""
        return ListenerSettings(**part_of(self, ListenerSettings))


def table_learned(config: TableRun, seed: int) -> Mapping[str, Any]:
    """A learning table at wild ones: how often it comes first, second, ... in the course of training.

    Returns:
        ``places``: float64[points * players], the share of each place with what it knows at each checkpoint.
        ``met``: int64[points], the number of information states that it had met.
        ``seconds``: processor time of the training, the only entry that the seed does not decide.
        If it is kept, the arrays of :class:`support.games.wild_ones.listener_table.ListenerTable`.
    """
    game, learning = config.rules(), int(spawn(seed, 1)[0])
    learner = FastListenerLearner(game, tables(game, config.names()), config.settings(), learning)
    places, met, seconds, played = [], [], 0.0, 0
    for games in config.points().tolist():
        began = time.process_time()
        learner.train(games - played)
        seconds += time.process_time() - began
        played = games
        worth = learner.worth()
        places.append(worth.places)
        met.append(learner.states)
        report(games / config.games)
    record = {"places": np.concatenate(places), "met": np.array(met), "seconds": seconds}
    if config.keep:
        kept = learner.learned().pruned(worth.met)
        record |= {name: getattr(kept, name) for name in ARRAYS if name != "places"} | {"where": kept.places}
    return record


def restored(config: TableRun, seed: int, record: Mapping[str, Any]) -> ListenerTable:
    """The agent of a record that kept it, with its decisions wherever they can lead it.

    Args:
        config: the configuration of its run.
        seed: the seed of its run.
        record: a row of the sweep.
    """
    arrays = {name: np.asarray(record["where" if name == "places" else name], kind) for name, kind in ARRAYS.items()}
    learning = int(spawn(seed, 1)[0])
    return ListenerTable(config.rules(), config.settings(), learning, config.games, **arrays)


@checked
class PlanRun(Checkpoints):
    """A configuration: a player that takes notes on its opponents and plans anew at each checkpoint."""


def planned(config: PlanRun, seed: int) -> Mapping[str, Any]:
    """A planner at wild ones: how often it comes first, second, ... by its notes before any game and at checkpoints.

    Returns:
        ``places``: float64[(1 + points) * players], the share of each place with each plan.
        ``seen``: int64[1 + points], the number of views in which it knew an opponent's action, over all opponents.
    """
    game, learning = config.rules(), int(spawn(seed, 1)[0])
    others, points = tables(game, config.names()), config.points().tolist()
    places, seen = [], []
    for stage in learn(game, others, points, learning):
        places.append(worth_of_plan(stage.plan, others))
        seen.append(sum(stage.seen))
        report(len(places) / (1 + len(points)))
    return {"places": np.concatenate(places), "seen": np.array(seen)}
