"""What a network of wild ones can see, the network itself, and the memory of what the agent did: plain arrays."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from support.core.play import Stream
from support.games.wild_ones.policies import View
from support.games.wild_ones.rules import Bid, WildOnesState

NO_BID = (1, 0)
"""Quantity and face that stand for no bid in the raw encoding, as in the author's program."""
DRAW_BITS = 32  # of a number from which a place of the memory is drawn


def encoded(view: View, encoding: str, dice: int) -> tuple[int, ...]:
    """A view in numbers: 15 of them as histograms, or 5 and the dice, zeros for those that are gone.

    Args:
        view: what the player to move goes by.
        encoding: ``"histograms"`` or ``"raw"``.
        dice: that each player starts with.
    """
    if encoding == "histograms":
        return view.observation()
    return (view.before, view.after, view.total, *(view.last or NO_BID), *view.hand, *[0] * (dice - len(view.hand)))


@dataclass(frozen=True)
class RoundView(View):
    """A view, all bids of the round, and who sits where.

    Attributes:
        bids: of each player still in, those that it made in this round; oneself first, then in turn.
        kinds: of each other player still in, the next first, by number; empty where that is not known.
    """

    bids: tuple[tuple[Bid, ...], ...] = ()
    kinds: tuple[int, ...] = ()

    @classmethod
    def of(cls, state: WildOnesState, kinds: Mapping[int, int] | None = None) -> "RoundView":
        """What the player to move sees.

        Args:
            state: in which somebody is to move.
            kinds: the number of the kind of the player in each seat, where that is known.

        Raises:
            ValueError: nobody is to move, or a seat is missing.
        """
        view, players, own = View.of(state), len(state.counts), state.current_player
        ring = [seat for step in range(players) if state.counts[seat := (own + step) % players]]
        made: list[list[Bid]] = [[] for _ in ring]
        for number, bid in enumerate(state.bids, -len(state.bids)):
            made[number % len(ring)].append(bid)
        missing = set(ring[1:]) - set(kinds or ring)
        if missing:
            raise ValueError(f"it must be known who sits in seat {min(missing)}")
        around = tuple(kinds[seat] for seat in ring[1:]) if kinds else ()
        return cls(view.hand, view.total, view.last, view.before, view.after, tuple(map(tuple, made)), around)


def aligned(*shape: int) -> np.ndarray:
    """float32 zeros that begin at a multiple of 64 bytes.

    Products of matrices may be rounded otherwise where they do not, and a run would not always give the same digits.
    """
    size = 4 * math.prod(shape)
    room = np.zeros(size + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + size].view(np.float32).reshape(shape)


@dataclass(frozen=True, eq=False)
class Network:
    """Fully connected layers, all but the last followed by a rectifier; their weights in one array.

    Attributes:
        sizes: the widths: inputs, what lies between, outputs.
        weights: float32, layer after layer a matrix [inputs, outputs], row by row, and then its biases.

    Raises:
        ValueError: an array that does not fit the sizes.
    """

    sizes: tuple[int, ...]
    weights: np.ndarray

    def __post_init__(self) -> None:
        if self.weights.dtype != np.float32 or self.weights.shape != (self.count(self.sizes),):
            found = f"{self.weights.dtype}{list(self.weights.shape)}"
            raise ValueError(f"a network of {self.sizes} has float32[{self.count(self.sizes)}] weights, not {found}")

    @staticmethod
    def count(sizes: Sequence[int]) -> int:
        """How many weights a network of these widths has."""
        return sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))

    @classmethod
    def fresh(cls, sizes: Sequence[int], seed: int) -> "Network":
        """Random weights as torch draws them: uniform within one over the root of a layer's inputs, biases too."""
        numbers, parts = np.random.default_rng(seed), []
        for inputs, outputs in pairwise(sizes):
            parts.append(numbers.uniform(-1, 1, (inputs + 1) * outputs) / math.sqrt(inputs))
        return cls(tuple(sizes), np.concatenate(parts).astype(np.float32)).copy()

    def layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The matrix [inputs, outputs] and the biases of each layer; no copies."""
        found, first = [], 0
        for inputs, outputs in pairwise(self.sizes):
            bias = first + inputs * outputs
            found.append((self.weights[first:bias].reshape(inputs, outputs), self.weights[bias : bias + outputs]))
            first = bias + outputs
        return found

    def values(self, states: np.ndarray) -> np.ndarray:
        """float32[..., outputs], the value of each action.

        Products are added input by input, as compiled play adds them: the same digits, and so the same choices.

        Args:
            states: [..., inputs].
        """
        seen = np.asarray(states, np.float32)
        layers = self.layers()
        for number, (matrix, bias) in enumerate(layers):
            out = np.broadcast_to(bias, (*seen.shape[:-1], bias.size)).copy()
            for place in range(len(matrix)):
                out += seen[..., place, None] * matrix[place]
            seen = np.maximum(out, np.float32(0)) if number < len(layers) - 1 else out
        return seen

    def copy(self) -> "Network":
        """The same weights in an array of their own."""
        weights = aligned(len(self.weights))
        weights[:] = self.weights
        return Network(self.sizes, weights)


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
    """The latest transitions, in a ring: a replay memory.

    Args:
        capacity: how many are kept.
        inputs, actions: of the network.

    Attributes:
        rows: the transitions, in no order once the memory is full.
        stored: how many there have ever been.
    """

    def __init__(self, capacity: int, inputs: int, actions: int):
        self.rows, self.stored = Batch.empty(capacity, inputs, actions), 0

    def __len__(self) -> int:
        return min(self.stored, len(self.rows.actions))

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
        rows = self.rows
        place = self.stored % len(rows.actions)
        rows.states[place], rows.actions[place], rows.rewards[place] = state, action, reward
        rows.nexts[place], rows.legal[place], rows.goes_on[place] = 0 if seen is None else seen, False, seen is not None
        rows.legal[place, list(legal)] = True
        self.stored += 1

    def drawn(self, count: int, stream: Stream) -> list[int]:
        """Different places of the memory, any of them equally likely, by Floyd's method: one number a place.

        Raises:
            ValueError: the memory holds fewer.
        """
        self.require(count)
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
        """The latest transitions, oldest first.

        Raises:
            ValueError: the memory holds fewer.
        """
        self.require(count)
        return self.batch([number % len(self.rows.actions) for number in range(self.stored - count, self.stored)])

    def require(self, count: int) -> None:
        """Raise an error unless the memory holds so many transitions.

        Raises:
            ValueError: it holds fewer.
        """
        if count > len(self):
            raise ValueError(f"the memory holds {len(self)} transitions, fewer than {count}")
