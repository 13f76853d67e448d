"""The cold positions of the two heaps: by a sieve, and by the golden ratio.

A position is cold if whoever moves loses against perfect play. W. A. Wythoff found those of this game (*A modification
of the game of nim*, Nieuw Archief voor Wiskunde 7, 1907, 199-202).
"""

from functools import cache
from math import isqrt

import numpy as np

Board = tuple[int, int]


def cold_positions(limit: int) -> np.ndarray:
    """The cold positions of the two-heap game, by a sieve that knows nothing but the rules.

    A position is cold if no move reaches a cold one, so each cold position rules out its row, its column, its diagonal
    and their mirror images. For each smaller heap in turn, the first partner that is not ruled out makes a cold
    position. Diagonals 0 to ``gap - 1`` are known to be used, and ``gap`` never falls, so the total number of steps is
    of the order of ``limit``, not of its square.

    Args:
        limit: the largest heap, zero or more.

    Returns:
        int64[k, 2], all cold positions (a, b) with a <= b <= limit, in order of a, from (0, 0).

    Raises:
        ValueError: ``limit`` is negative.
    """
    if limit < 0:
        raise ValueError(f"limit must be at least 0, not {limit}")
    used, diagonal = bytearray(limit + 1), bytearray(limit + 2)
    pairs, a, gap = [], 0, 0
    while a >= 0 and a + gap <= limit:
        b = a + gap
        while b <= limit and (used[b] or diagonal[b - a]):
            b += 1  # pragma: no cover  # never needed, by a theorem of Wythoff that the sieve does not rely on
        if b <= limit:  # pragma: no branch  # a partner above the limit rules out nothing below it
            pairs.append((a, b))
            used[a] = used[b] = diagonal[b - a] = 1
        while diagonal[gap]:
            gap += 1
        a = used.find(0, a + 1)
    return np.array(pairs, np.int64)


def wythoff_pairs(count: int) -> np.ndarray:
    """Wythoff's closed form, (floor(k phi), floor(k phi^2)) with the golden ratio phi, for k = 0, 1, 2, ...

    The arithmetic is in integers throughout: the floor of k phi = (k + sqrt(5 k^2)) / 2 needs only the integer square
    root, and phi^2 = phi + 1.

    Args:
        count: the number of pairs, from k = 0.

    Returns:
        int64[count, 2].

    Raises:
        ValueError: ``count`` is negative.
    """
    if count < 0:
        raise ValueError(f"count must be at least 0, not {count}")
    lower = np.fromiter(((k + isqrt(5 * k * k)) // 2 for k in range(count)), np.int64, count)
    return np.stack([lower, lower + np.arange(count)], axis=1)


@cache
def cold(limit: int) -> frozenset[Board]:
    """The boards of up to ``limit`` biscuits in a heap from which whoever moves loses against perfect play."""
    pairs = cold_positions(limit).tolist()
    return frozenset((a, b) for pair in pairs for a, b in (pair, pair[::-1]))
