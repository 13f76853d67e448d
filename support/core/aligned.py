"""Arrays that begin where a line of the processor's cache begins."""

import math
from typing import Any

import numpy as np

LINE = 64
"""Bytes in a line of the cache."""


def aligned(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    """Zeros, at least one, that begin at a multiple of 64 bytes; numpy's own begin at a multiple of 16.

    From those a kernel that loads 32 or 64 bytes at once often needs two lines of the cache instead of one. And
    libraries may round products of unaligned matrices differently, so that a run would not always give the same digits.
    """
    size = np.dtype(dtype).itemsize * math.prod(shape)
    room = np.zeros(size + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    found: np.ndarray = room[start : start + size].view(dtype).reshape(shape)
    return found
