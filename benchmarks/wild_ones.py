"""Wild ones: whole games of fixed policies, and the network that learns, compiled and plain; so the table."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from support.core.play import Stream
from support.games.wild_ones.dqn import PUBLISHED, DQNLearner
from support.games.wild_ones.dqn_fast import FastDQNLearner
from support.games.wild_ones.listener import ListenerLearner, ListenerSettings
from support.games.wild_ones.listener_fast import FastListenerLearner
from support.games.wild_ones.listener_table import ListenerTable
from support.games.wild_ones.play import play as play_plainly
from support.games.wild_ones.play_fast import play
from support.games.wild_ones.policies import Aggressive, Random, Survivalist, Views, table
from support.games.wild_ones.rules import WildOnes
from support.learners.optimiser import TorchOptimiser
from support.sweep.timing import Pace, rate, timed

SEED, GAMES, PLAIN, SHORT = 7, 1_000_000, 500, 150


def rows() -> Iterator[Pace]:
    """The rows of the chapter: three players with two dice. Everything runs on one core."""
    game, policies = WildOnes(), (Survivalist(), Aggressive(), Random())
    tables = [table(Views(game), policy) for policy in policies]
    found = play(game, tables, PLAIN, SEED)
    work: Callable[[], Any] = lambda: [play_plainly(game, policies, Stream(SEED, n)) for n in range(PLAIN)]  # noqa: E731
    slow, games = rate(work, PLAIN, least=0)
    same = found.places.tolist() == [list(one.places) for one in games]
    fast, _ = rate(lambda: play(game, tables, GAMES, SEED), GAMES)
    how = f"places of {PLAIN:,} games equal"
    yield Pace("wild-ones: games of fixed policies", "games", fast, slow, same, how)

    # One run each, in processor time: torch has threads of its own that a busy machine would share out by chance.
    published, opponents = PUBLISHED, policies[:2]
    FastDQNLearner(game, tables[:2], replace(published, games=SHORT), SEED).train()  # compile, or load from the cache
    quick, _ = _timed(FastDQNLearner(game, tables[:2], published, SEED).train)
    plain, _ = _timed(DQNLearner(game, opponents, published, SEED).train)
    short = replace(published, games=SHORT)
    one = FastDQNLearner(game, tables[:2], short, SEED, TorchOptimiser).train()
    other = DQNLearner(game, opponents, short, SEED).train()
    same = bool(np.array_equal(one.places, other.places))
    same &= bool(np.array_equal(one.network.weights, other.network.weights))
    how = f"with the same optimiser, places and weights after {SHORT:,} games equal"
    what = f"wild-ones: games of training as published (a run: {quick:.1f} s against {plain:.1f} s)"
    yield Pace(what, "games", published.games / quick, published.games / plain, same, how)

    # The table that learns from play alone; the first games fill it, so that as many are played by both.
    plainly = ListenerLearner(game, opponents, ListenerSettings(), SEED)
    spent, before = _timed(lambda: plainly.train(PLAIN))
    slow = PLAIN / spent
    FastListenerLearner(game, tables[:2], ListenerSettings(), SEED).train(PLAIN)  # compile, or load from the cache
    table_of_all = FastListenerLearner(game, tables[:2], ListenerSettings(), SEED)
    same = table_of_all.train(PLAIN).tolist() == before
    same &= bool(np.array_equal(table_of_all.learned().values, ListenerTable.of(plainly).values))
    fast = GAMES / _timed(lambda: table_of_all.train(GAMES))[0]
    how = f"places and values after {PLAIN:,} games equal"
    yield Pace("wild-ones: games from which a table of all that is heard learns", "games", fast, slow, same, how)


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds, and what came out."""
    return timed(work, time.process_time)
