"""The memory: the latest transitions, in a ring, and the batches that are drawn from it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from support.core.play import Stream
from support.games.wild_ones.dqn.network import aligned

DRAW_BITS = 32  # of a number from which a place of the memory is drawn


class Batch(NamedTuple):
    """Transitions, one a row.

    Attributes:
        states: float32[n, inputs], what the agent saw.
        actions: int64[n], what it did, by the game's numbers.
        rewards: float32[n].
        nexts: float32[n, inputs], what it saw next; zeros if the episode ended.
        legal: bool[n, actions], what it might do there; nothing if the episode ended.
        goes_on: bool[n], whether the episode went on.
    """

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    nexts: np.ndarray
    legal: np.ndarray
    goes_on: np.ndarray

    @classmethod
    def empty(cls, rows: int, inputs: int, actions: int) -> "Batch":
        """Zeros."""
        return cls(
            aligned(rows, inputs),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.float32),
            aligned(rows, inputs),
            np.zeros((rows, actions), bool),
            np.zeros(rows, bool),
        )


class Memory:
    """The latest transitions, in a ring.

    Args:
        capacity: how many are kept.
        inputs, actions: of the network.
    """

    def __init__(self, capacity: int, inputs: int, actions: int):
        self.rows, self.stored = Batch.empty(capacity, inputs, actions), 0

    @property
    def capacity(self) -> int:
        """How many are kept at most."""
        return len(self.rows.actions)

    def __len__(self) -> int:
        return min(self.stored, self.capacity)

    def add(
        self,
        state: Sequence[float],
        action: int,
        reward: float,
        seen: Sequence[float] | None = None,
        legal: Sequence[int] = (),
    ) -> None:
        """Keep a transition; where the memory is full it takes the place of the oldest.

        Args:
            state: what the agent saw.
            action: what it did, a number.
            reward: what it got.
            seen: what it saw next; None if the episode ended.
            legal: the numbers of the actions that were legal there.
        """
        place, rows = self.stored % self.capacity, self.rows
        rows.states[place], rows.actions[place], rows.rewards[place] = state, action, reward
        rows.nexts[place], rows.legal[place], rows.goes_on[place] = 0 if seen is None else seen, False, seen is not None
        rows.legal[place, list(legal)] = True
        self.stored += 1

    def drawn(self, count: int, stream: Stream) -> list[int]:
        """Different places of the memory, any of them equally likely, by Floyd's method: one number a place.

        Raises:
            ValueError: the memory holds fewer.
        """
        if count > len(self):
            raise ValueError(f"the memory holds {len(self)} transitions, fewer than {count}")
        places: list[int] = []
        taken: set[int] = set()
        for last in range(len(self) - count, len(self)):
            place = (stream.next() >> (64 - DRAW_BITS)) * (last + 1) >> DRAW_BITS
            places.append(last if place in taken else place)
            taken.add(places[-1])
        return places

    def batch(self, places: Sequence[int]) -> Batch:
        """Copies of the transitions at some places."""
        batch = Batch.empty(len(places), self.rows.states.shape[1], self.rows.legal.shape[1])
        for column, copied in zip(self.rows, batch, strict=True):
            copied[:] = column[list(places)]
        return batch

    def latest(self, count: int) -> Batch:
        """The latest transitions, oldest first, for a look at them.

        Raises:
            ValueError: the memory holds fewer.
        """
        if count > len(self):
            raise ValueError(f"the memory holds {len(self)} transitions, fewer than {count}")
        return self.batch([number % self.capacity for number in range(self.stored - count, self.stored)])
