"""Random 64-bit integers inside kernels: splitmix64, with the same numbers as ``support.core.play.Stream``."""

import numpy as np

from support.core.compiled import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)
S30, S27, S31, S11 = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11)
SCALE = 2.0**-53


@njit(inline="always")
def mix(z: np.uint64) -> np.uint64:
    """The output function of splitmix64."""
    z = (z ^ (z >> S30)) * FIRST
    z = (z ^ (z >> S27)) * SECOND
    return z ^ (z >> S31)


@njit(inline="always")
def step(state: np.uint64) -> np.uint64:
    """The next state; ``mix`` of it is the next number."""
    return state + GOLDEN


@njit(inline="always")
def share(state: np.uint64) -> float:
    """A number from 0 to 1, 1 excluded, of the upper 53 bits of the number at a state."""
    return np.float64(mix(state) >> S11) * SCALE


@njit(inline="always")
def stream(seed: np.uint64, game: np.uint64) -> np.uint64:
    """The initial state of the given game's own stream."""
    return mix(seed + game * GOLDEN)
