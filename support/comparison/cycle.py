"""Greedy self-play at Kuhn's poker, watched: it goes round in a circle, and no single way of playing is safe there."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np

from support.core.flat import FlatGame
from support.exact.nash_conv_fast import Scorer, normalise
from support.games import GAMES
from support.learners import learner_named
from support.learners.methods import unfolded

BLUFFS, CALLS = (0, "J"), (1, "Qr")
"""Where player 1 may bluff, holding a jack, and where player 2 may call that with a queen; the second action does."""
ROUND = ((0, 0), (1, 0), (1, 1), (0, 1))
"""The circle: nobody bluffs and nobody calls; a bluff then pays; so a call pays; so no bluff pays; and so no call."""


@dataclass(frozen=True, eq=False)
class Watched:
    """A learner at Kuhn's poker.

    Attributes:
        games: int64[k], games played.
        bluffs, calls: bool[k], whether player 1 would bluff with a jack, and player 2 call with a queen.
        nash_conv: float64[k], NashConv of what they would play.
    """

    games: np.ndarray
    bluffs: np.ndarray
    calls: np.ndarray
    nash_conv: np.ndarray

    def turns(self) -> tuple[int, int, int]:
        """How often the pair of decisions moved a step on in the circle, a step back, and how often both changed."""
        places = [ROUND.index(pair) for pair in zip(self.bluffs.tolist(), self.calls.tolist(), strict=True)]
        steps = [(after - before) % len(ROUND) for before, after in pairwise(places)]
        return steps.count(1), steps.count(3), steps.count(2)


def watched(learner: str, games: Sequence[int], seed: int) -> Watched:
    """Let a learner of greedy policies play itself, and keep what it would do after so many games."""
    flat = _kuhn()
    strategies = normalise(flat, learner_named(learner).curve(flat, games, seed).weights)  # type: ignore[attr-defined]
    bluffs, calls = (strategies[:, flat.slots[flat.information_states.index(one)] + 1] > 0.5 for one in (BLUFFS, CALLS))
    return Watched(np.array(games), bluffs, calls, Scorer(flat).nash_convs(strategies))


def pure() -> np.ndarray:
    """float64[4096], the NashConv of every way of playing Kuhn's poker without chance, in rising order."""
    flat = _kuhn()
    every = np.array(list(product((0.0, 1.0), repeat=len(flat.information_states))))
    strategies = np.stack([1 - every, every], axis=2).reshape(len(every), -1)
    return np.sort(Scorer(flat).nash_convs(strategies))


def _kuhn() -> FlatGame:
    return unfolded(GAMES["kuhn-poker"].rules())
