"""A network of fully connected layers, its transitions, and how batches of them are drawn: plain arrays.

The compiled counterparts are in ``network_fast``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from support.core.aligned import aligned
from support.core.play import Stream

DRAW_BITS = 32  # bits of the random number that picks a place in a memory


@dataclass(frozen=True, eq=False)
class Network:
    """Fully connected layers, all but the last followed by a rectifier, with their weights in one array.

    Attributes:
        sizes: the widths, from inputs to outputs.
        weights: float32, for each layer a matrix [inputs, outputs], row by row, and then its biases.

    Raises:
        ValueError: the array does not fit the sizes.
    """

    sizes: tuple[int, ...]
    weights: np.ndarray

    def __post_init__(self) -> None:
        if self.weights.dtype != np.float32 or self.weights.shape != (self.count(self.sizes),):
            found = f"{self.weights.dtype}{list(self.weights.shape)}"
            raise ValueError(f"a network of {self.sizes} has float32[{self.count(self.sizes)}] weights, not {found}")

    @staticmethod
    def count(sizes: Sequence[int]) -> int:
        """The number of weights of a network with these widths."""
        return sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))

    @classmethod
    def fresh(cls, sizes: Sequence[int], seed: int) -> "Network":
        """Random weights and biases as torch draws them: uniform up to ±1 over the root of a layer's inputs."""
        numbers, parts = np.random.default_rng(seed), []
        for inputs, outputs in pairwise(sizes):
            parts.append(numbers.uniform(-1, 1, (inputs + 1) * outputs) / math.sqrt(inputs))
        return cls(tuple(sizes), np.concatenate(parts).astype(np.float32)).copy()

    def layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The matrix [inputs, outputs] and the biases of each layer, as views of ``weights``."""
        found, first = [], 0
        for inputs, outputs in pairwise(self.sizes):
            bias = first + inputs * outputs
            found.append((self.weights[first:bias].reshape(inputs, outputs), self.weights[bias : bias + outputs]))
            first = bias + outputs
        return found

    def values(self, states: np.ndarray) -> np.ndarray:
        """float32[..., outputs], the value of each action.

        Products are added input by input, as in compiled play, for the same digits and so the same choices.

        Args:
            states: float32[..., inputs], what the network sees.
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
        """A network with a copy of the weights."""
        weights = aligned(len(self.weights))
        weights[:] = self.weights
        return Network(self.sizes, weights)


class Batch(NamedTuple):
    """Transitions, one in each row.

    Attributes:
        states: float32[n, inputs], what the agent saw.
        actions: int64[n], the numbers of its actions.
        rewards: float32[n], its rewards.
        nexts: float32[n, inputs], what it saw next; zeros if the episode ended.
        legal: bool[n, actions], the legal actions there; none if the episode ended.
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
        """A batch of zeros."""
        return cls(
            aligned(rows, inputs),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.float32),
            aligned(rows, inputs),
            np.zeros((rows, actions), bool),
            np.zeros(rows, bool),
        )


class Twins(NamedTuple):
    """Which rows of a batch are alike, so that a network need be asked only once.

    Attributes:
        states: int64[n], for each row the first row in which the agent saw the same, often itself.
        nexts: int64[n], the same for what it saw next; where the episode ended, the row itself.
    """

    states: np.ndarray
    nexts: np.ndarray

    @classmethod
    def none(cls, rows: int) -> "Twins":
        """Each row stands alone."""
        return cls(np.arange(rows), np.arange(rows))


def drawn(size: int, count: int, stream: Stream) -> list[int]:
    """Draw ``count`` different places of ``size`` uniformly, by Floyd's method, with one number for each."""
    places: list[int] = []
    taken: set[int] = set()
    for last in range(size - count, size):
        place = (stream.next() >> (64 - DRAW_BITS)) * (last + 1) >> DRAW_BITS
        places.append(last if place in taken else place)
        taken.add(places[-1])
    return places
