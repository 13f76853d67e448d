"""The network: fully connected layers in one array of weights, and the values that they give to actions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np


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
    """Layers of weights, in one array.

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
        """Random weights: uniform between plus and minus one over the root of a layer's inputs, biases too.

        These are torch's own for such layers.
        """
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
