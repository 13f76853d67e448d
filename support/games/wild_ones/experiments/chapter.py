"""The experiments of the chapter on wild ones: the agent that learns by deep Q-learning, over seeds and settings."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np

from support.core.checks import require_whole
from support.games.wild_ones.dqn.learner_fast import evaluate
from support.games.wild_ones.dqn.learner_fast import train as _train
from support.games.wild_ones.dqn.network import Network
from support.games.wild_ones.dqn.player import Player
from support.games.wild_ones.dqn.settings import Settings
from support.games.wild_ones.play_fast import Games, play
from support.games.wild_ones.policies import Aggressive, Policy, Random, Survivalist, Views, table
from support.games.wild_ones.rules import WildOnes
from support.sweep import spawn

POLICIES: Mapping[str, Policy] = {"survivalist": Survivalist(), "aggressive": Aggressive(), "random": Random()}
"""The opponents, by name."""
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
"""Percent of 5,000 games of two that each won, the agent against one opponent, of a kind drawn at random."""
LARGE = 1 << 22  # entries of a table above which the network itself is asked at each decision


@dataclass(frozen=True)
class Opposition:
    """Whom an agent learns against.

    Attributes:
        opponents: names out of ``POLICIES``, joined by +; the agent sits after them, and seats are drawn for each game.
        dice: that each starts with.

    Raises:
        ValueError: a value outside its range.
    """

    opponents: str = "survivalist+aggressive"
    dice: int = 2

    def __post_init__(self) -> None:
        for name in self.names():
            if name not in POLICIES:
                raise ValueError(f"opponents takes names joined by +, of {', '.join(POLICIES)}, not {name!r}")
        self.rules()

    def names(self) -> list[str]:
        """The opponents' names, one a player."""
        return self.opponents.split("+")

    def rules(self) -> WildOnes:
        """The game: the opponents, the agent, and their dice."""
        return WildOnes(len(self.names()) + 1, self.dice)


@dataclass(frozen=True)
class Run(Opposition, Settings):
    """One agent, trained and then looked at, as a sweep takes it: how it learns, and what is done with it.

    Attributes:
        evaluated: games with the trained agent, without exploration.
        point: games between two points of the learning curve.
        checked: games without exploration, not learned from, at each of these points.
        duels: games against one opponent of each kind that it was trained against.
        keep: whether to keep the weights.

    Raises:
        ValueError: a value outside its range.
    """

    evaluated: int = 1_000_000
    point: int = 500
    checked: int = 0
    duels: int = 0
    keep: bool = False

    def __post_init__(self) -> None:
        Settings.__post_init__(self)
        Opposition.__post_init__(self)
        for name, least in (("evaluated", 0), ("point", 1), ("checked", 0), ("duels", 0)):
            require_whole(name, getattr(self, name), least, 2**31 - 1)

    def settings(self) -> Settings:
        """How the agent learns, and no more."""
        return Settings(**{field.name: getattr(self, field.name) for field in fields(Settings)})


@cache
def _table(game: WildOnes, name: str) -> np.ndarray:
    return table(Views(game), POLICIES[name])


def tables(game: WildOnes, names: Sequence[str]) -> list[np.ndarray]:
    """The opponents' tables, by name."""
    return [_table(game, name) for name in names]


def trained(config: Run, seed: int) -> Mapping[str, Any]:
    """Places of all players after training, the agent's in training and at some points of it, and how long it took.

    Returns:
        ``places``: int64[players * players], for each player how often it had each place in ``evaluated`` games.
        ``curve``: int64[points * players], how often the agent had each place between two points of training.
        ``checks``: int64[points * players], the same without exploration, at each point, where asked for.
        ``wins``: int64[kinds], how often the agent won against one opponent, in the order of the names.
        ``decisions``, ``steps``: of the agent and of the optimiser in training.
        ``seconds``: of processor time that training took, the only entry that the seed does not decide.
        ``weights``: float32, where they are to be kept.
    """
    game, settings = config.rules(), config.settings()
    learning, judging, checking, duelling = map(int, spawn(seed, 4))
    others, checks, pause = tables(game, config.names()), [], 0.0

    def check(games: int, network: Network) -> None:
        nonlocal pause
        began = time.process_time()
        now = Player(game, settings, network.copy(), config.opponents)
        found = evaluated(now, others, config.checked, (checking + games) % 2**64)
        checks.append(counted(found.places)[-1])
        pause += time.process_time() - began

    _warm()
    began = time.process_time()
    done = _train(game, others, settings, learning, check if config.checked else None, config.point)
    record: dict[str, Any] = {"seconds": time.process_time() - began - pause}
    agent = Player(game, settings, done.network, config.opponents, seed)
    places = evaluated(agent, others, config.evaluated, judging).places
    starts = range(0, settings.games - config.point + 1, config.point)
    curve = [counted(done.places[start : start + config.point])[-1] for start in starts]
    record |= {"places": counted(places).ravel(), "curve": _flat(curve)}
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
    """Compile, and load torch, once a process, before the clock starts."""
    tiny = Settings(batch=1, every=1, warm_games=1, games=1)
    _train(WildOnes(2, 1), tables(WildOnes(2, 1), ["survivalist"]), tiny, 0)


def _flat(rows: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate(rows) if rows else np.zeros(0, np.int64)


def counted(places: np.ndarray) -> np.ndarray:
    """int64[players, players], how often each player had each place."""
    players = places.shape[1]
    return np.array([np.bincount(places[:, one], minlength=players + 1)[1:] for one in range(players)], np.int64)


def evaluated(agent: Player, others: Sequence[np.ndarray], games: int, seed: int) -> Games:
    """Games of a trained agent without exploration, from its table, or by its network where none fits.

    Args:
        agent: sits last.
        others: the opponents' tables.
        games: how many.
        seed: 64 bits.
    """
    if not agent.settings.by_view or math.prod(Views(agent.game, neighbours=True).shape) > LARGE:
        return evaluate(agent, others, games, seed)
    return play(agent.game, [*others, agent.table()], games, seed)


def _duels(config: Run, agent: Player, seed: int) -> np.ndarray:
    """int64[kinds], games that the agent won against one opponent at a time, all with as many dice as in training."""
    wins = []
    for number, name in enumerate(dict.fromkeys(config.names())):
        places = _duel(agent, name, number, config.duels, (seed + number) % 2**64).places
        wins.append(np.count_nonzero(places[:, 1] == 1))
    return np.array(wins, np.int64)


def _duel(agent: Player, name: str, kind: int, games: int, seed: int) -> Games:
    """Games of the agent against one opponent, of whose kind it knows."""
    if not agent.settings.by_view:
        return evaluate(agent, [_table(agent.game, name)], games, seed, [kind])
    game = WildOnes(2, agent.game.dice)
    return play(game, [_table(game, name), agent.table(game)], games, seed)


def player(config: Run, weights: np.ndarray, seed: int = 0) -> Player:
    """The agent of a record that kept its weights.

    Args:
        config: of its run.
        weights: of the record.
        seed: of its run.
    """
    game, settings = config.rules(), config.settings()
    sizes = settings.sizes(game, len(settings.kinds(config.names())))
    network = Network(sizes, np.asarray(weights, np.float32))
    return Player(game, settings, network, config.opponents, seed)
