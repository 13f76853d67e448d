"""What learners that sample games share in compiled form: the game as arrays, and how a random number is used."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from support.core.check import WAY_OUT
from support.core.compiled import lean, njit
from support.core.flat import KEPT, FlatGame
from support.core.interface import DoesNotFitError
from support.learners.result_table_layout import Layout

ONE, BIT, S32, LOW = np.uint32(1), np.uint64(1), np.uint64(32), np.uint64(0xFFFFFFFF)
LONGEST = 1 << 20
"""The most moves of a game."""


class TooLongError(DoesNotFitError):
    """A game that did not end: the rules set no limit, and the players never ended it."""


def require_end(visited: int) -> None:
    """Raise an error if a kernel gave up: it then returns -1 in place of the number of states visited.

    Raises:
        TooLongError: a game took more than ``LONGEST`` moves.
    """
    if visited < 0:
        raise TooLongError(f"a game went beyond {LONGEST:,} moves: its players may never end it; {WAY_OUT}")


def require_room(layout: Layout, games: int) -> None:
    """Raise an error unless the totals of so many games fit into whole numbers of 64 binary digits.

    Raises:
        DoesNotFitError: they might not.
    """
    onward = (layout.child > np.repeat(np.arange(layout.mover.size), np.diff(layout.first))).all()
    moves = layout.mover.size if onward else LONGEST  # a game that only moves onward meets no position twice
    largest = int(np.abs(layout.rewards).max(initial=0))
    if largest * min(moves, LONGEST) * games >= 1 << 63:
        raise DoesNotFitError(f"rewards of {largest:,} units might add up to more than 2^63 in {games:,} games")


class Walk(NamedTuple):
    """An unfolded game as the kernels read it; indices are unsigned, so the compiler need not check for negative ones.

    It suits any game, also one that can return to a position. ``support.exact.nash_conv_fast.Tables`` also has orders
    of the nodes, which such a game lacks.
    """

    first: np.ndarray  # uint32[n + 1], as in the game
    child: np.ndarray  # uint32[m]
    player: np.ndarray  # int8[n]
    start: np.ndarray  # uint32[n], the slot of a node's first edge where a player moves, otherwise 0
    chances: np.ndarray  # float64[m], the probability of each chance outcome, 0 on the players' edges
    rewards: np.ndarray  # float64[players, m]


@lru_cache(maxsize=KEPT)
def walk_of(flat: FlatGame) -> Walk:
    """Prepare an unfolded game, once; the arrays are shared and must not be written to.

    Raises:
        DoesNotFitError: the nodes of an information state do not list the same actions.
    """
    decides = flat.player >= 0
    start = np.zeros(flat.num_nodes, np.uint32)
    start[decides] = flat.slots[flat.information[decides]]
    return Walk(
        first=flat.first.astype(np.uint32),
        child=flat.child.astype(np.uint32),
        player=flat.player,
        start=start,
        chances=np.array(flat.probability, np.float64),
        rewards=np.array(flat.rewards, np.float64).reshape(-1, flat.num_players).T.copy(),
    )


@lean(nogil=True, cache=True)
def draw(odds, start, fanout, number):
    """The first place where the cumulative odds exceed the number; the last possible place if rounding leaves none."""
    total, likely = 0.0, 0
    for place in range(fanout):
        total += odds[start + place]
        if odds[start + place] > 0:
            likely = place
            if number < total:
                break
    return likely


@lean(nogil=True, cache=True)
def match(regrets, start, stop, play):
    """Fill ``play`` in proportion to the positive regrets of one information state; uniformly if there are none."""
    total = 0.0
    for slot in range(start, stop):
        total += max(regrets[slot], 0.0)
    for slot in range(start, stop):
        play[slot] = max(regrets[slot], 0.0) / total if total > 0 else 1.0 / (stop - start)


@njit(inline="always")
def any_of(number, count):
    """One of ``count`` places, below 2^32: the upper 64 of the 128 binary digits of ``number * count``."""
    many = np.uint64(count)
    return np.int64(((number >> S32) * many + (((number & LOW) * many) >> S32)) >> S32)


@njit(inline="always")
def dealt(number, spread, bound, edge):
    """The edge of the chance outcome that a number draws, given its node's first edge and its ``spread``.

    ``spread`` and ``bound`` are those of :class:`support.learners.result_table_layout.Layout`.
    """
    if spread:  # then the place is ((number + 1) * spread - 1) / 2^64, rounded down, as the bounds are
        low = (number & LOW) * spread + (spread - BIT)
        return edge + np.uint32(((number >> S32) * spread + (low >> S32)) >> S32)
    while number > bound[edge]:
        edge += ONE
    return edge
