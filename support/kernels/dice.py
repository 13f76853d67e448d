"""What the kernels of call or raise share: chances in 61 bits, faces held, and whose turn comes next."""

import numpy as np
from numba import njit

from support.agents.call_or_raise import BITS
from support.games.call_or_raise import FACES
from support.kernels.splitmix import mix, step

__all__ = ["MASK", "NEVER", "S61", "SHIFT", "SIX", "SURE", "TWO", "below", "happens", "held_most", "next_player"]

SHIFT, S61, MASK = np.uint64(64 - BITS), np.uint64(BITS), np.uint64((1 << BITS) - 1)
SURE, NEVER = np.uint64(1 << BITS), np.uint64(0)
TWO, SIX = np.uint64(2), np.uint64(FACES)


@njit(inline="always")
def happens(limit, state):
    """Whether something happens, and the stream's next state; certainties take no number."""
    if limit in (NEVER, SURE):
        return limit == SURE, state
    state = step(state)
    return (mix(state) >> SHIFT) < limit, state


@njit(inline="always")
def below(base, state):
    """A number from 0 to base - 1, and the stream's next state."""
    state = step(state)
    return np.int64(((mix(state) >> SHIFT) * base) >> S61), state


@njit(inline="always")
def held_most(held):
    """The lowest of the faces that are held most."""
    best = 0
    for face in range(1, FACES):
        if held[face] > held[best]:
            best = face
    return best


@njit(inline="always")
def next_player(player, counts):
    """The next player who has dice."""
    player = (player + 1) % counts.size
    while counts[player] == 0:
        player = (player + 1) % counts.size
    return player
