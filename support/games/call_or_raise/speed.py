"""Call or raise: Q-learning compiled beside plain."""

from typing import Any

import numpy as np

from support.games.call_or_raise.q_learning import QTableLearner
from support.games.call_or_raise.q_learning_fast import advance, new_table
from support.games.call_or_raise.settings import AS_MEANT, QTableSettings
from support.sweep.timing import Pace, Speed


def pace(config: Speed) -> Pace:
    """The learner at the document's table."""
    settings, games = QTableSettings(slips=AS_MEANT), config.fast // 10

    def plainly() -> tuple[Any, list[int]]:
        learner = QTableLearner(settings, config.root)
        return learner, [learner.play().winner for _ in range(config.plain)]

    q = new_table(settings)
    winners = advance(settings, q, config.plain, config.root)
    learner, won = plainly()
    same = winners.tolist() == won and bool(np.array_equal(q, learner.q))
    return config.pace(
        "Call or raise: Q-learning",
        same,
        fast=lambda: advance(settings, q, games, config.root, config.plain),
        plain=plainly,
        games=games,
    )
