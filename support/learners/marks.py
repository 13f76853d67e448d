"""Marks: the numbers of games or iterations at which a run is looked at."""

from collections.abc import Sequence

import numpy as np


def as_marks(marks: Sequence[int]) -> np.ndarray:
    """The marks as int64[k].

    Raises:
        ValueError: there are none, or they do not rise from 1.
    """
    numbers = np.asarray(marks, np.int64)
    if numbers.ndim != 1 or not numbers.size or numbers[0] < 1 or (np.diff(numbers) <= 0).any():
        raise ValueError(f"marks must rise from at least 1, not {numbers.tolist()}")
    return numbers
