"""Biscuits: the learner compiled beside plain."""

import numpy as np

from support.core.flat import unfold
from support.games.biscuits.rules import Biscuits
from support.learners.afterstates import AfterstateSettings, learn
from support.learners.afterstates_fast import learn_fast
from support.sweep.timing import Pace, Speed


def pace(config: Speed) -> Pace:
    """Two learners from the published heaps."""
    game = Biscuits()
    flat, few, many = unfold(game), AfterstateSettings(games=config.plain), AfterstateSettings(games=config.fast)
    compiled, plain = learn_fast(flat, few, config.root), learn(game, few, config.root)
    same = compiled.values == plain.values and bool(np.array_equal(compiled.wins, plain.wins))
    return config.pace(
        "Biscuits: two learners",
        same,
        fast=lambda: learn_fast(flat, many, config.root),
        plain=lambda: learn(game, few, config.root),
    )
