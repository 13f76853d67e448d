"""Seeds by their place below a root."""

import numpy as np


def spawn(root: int, count: int, *place: int) -> np.ndarray:
    """uint64[count], seeds by their place below a root, independent of those at all other places.

    A larger count begins with the same seeds.
    """
    return np.random.SeedSequence(root, spawn_key=place).generate_state(count, np.uint64)
