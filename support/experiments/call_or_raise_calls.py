"""Whose bids are called at call or raise, and what comes of it: games with trained agents, watched move by move."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from support.agents.call_or_raise.learner import Learner
from support.experiments.call_or_raise import Run
from support.experiments.call_or_raise_runs import CALLS, Config
from support.games.call_or_raise import CallOrRaise, CallOrRaiseState
from support.kernels.call_or_raise import advance
from support.sweep import spawn

__all__ = ["Calls", "Watch", "watched", "who_calls"]


@dataclass(frozen=True)
class Watch:
    """An agent that is trained and then watched, as a sweep takes it.

    Attributes:
        version: one of ``VERSIONS``.
        games: of training.
        watched: games afterwards, in the plain program, exploring as before.
    """

    version: str = "run"
    games: int = 5000
    watched: int = 40


def watched(config: Watch, seed: int) -> Mapping[str, Any]:
    """Whose bids are called, and what comes of it.

    Returns:
        ``bids``, ``called``, ``lies``: int64[players], for each player the bids it made, openings included, how many
        were called, and how many of these failed, which cost it a die.
        ``false``: int64[2], bids that did not hold when the agent had to answer them, and those of them it called.
    """
    settings = Run(version=config.version).settings()
    learning, watching = spawn(seed, 2).tolist()
    learner = Learner(settings, watching)
    advance(settings, learner.q, config.games, learning)
    players = len(settings.players)
    (bids, called, lies), false = np.zeros((3, players), np.int64), np.zeros(2, np.int64)
    rules = CallOrRaise(players, settings.dice)
    for _ in range(config.watched):
        states = rules.states(" > ".join(learner.play(learn=False).moves))
        for before, after in pairwise(states):
            assert isinstance(before, CallOrRaiseState)
            assert isinstance(after, CallOrRaiseState)
            if len(after.bids) > len(before.bids):
                bids[after.opener if not before.bids else before.current_player] += 1
            if before.current_player < 0:
                continue
            bidder, calls = before.last_bidder(), after.past[-1] == "call"
            lie = before.loser() == bidder
            called[bidder] += calls
            lies[bidder] += calls and lie
            if before.current_player == 0:
                false += (lie, lie and calls)
    return {"bids": bids, "called": called, "lies": lies, "false": false}


@dataclass(frozen=True)
class Calls:
    """Whose bids are called, in games with trained agents.

    Attributes:
        called: for each player the share of its bids, openings included, that were called.
        cost: the share of its bids that cost it a die.
        caught: the share of the bids that did not hold, among those that the agent had to answer, which it called.
    """

    called: np.ndarray
    cost: np.ndarray
    caught: float


def who_calls(config: Config) -> Mapping[tuple[str, int], Calls]:
    """Whose bids are called, over some agents of the program of 2018 and of what is meant, early and late in training.

    Returns:
        By version and games of training.
    """
    keys = [(version, games) for games in (config.games // 5, config.games) for version in ("run", "meant")]
    settings = [Watch(version, games, config.watched) for version, games in keys]
    records = config.sweep(watched, settings, config.watchers, CALLS)
    found = {}
    for place, key in enumerate(keys):
        names = ("bids", "called", "lies", "false")
        bids, called, lies, false = (records.column(name, place).sum(axis=0) for name in names)
        found[key] = Calls(called / bids, lies / bids, float(false[1] / false[0]))
    return found
