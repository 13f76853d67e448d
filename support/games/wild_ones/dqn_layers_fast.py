"""Many rows at once through the network of wild ones, compiled: digit for digit what ``dqn_network.Network.values`` is.

A network is laid out for it, float32[layers, lanes + 1, lanes]: a layer is a matrix [inputs, outputs] and, as one more
row, its biases; all rows have room for the widest, in whole lanes, and are zeros behind their numbers. As many rows as
lanes let a kernel go astray among numbers that are not finite without leaving the array. What passes through it is
float32[layers + 1, rows, lanes]: inputs, what lies between, and outputs.
"""

from collections.abc import Sequence

import numpy as np

from support.core.compiled import lean
from support.core.lanes_fast import LANES, load, lowest, nonzero, plus, rectified, store
from support.games.wild_ones.dqn_network import Network, aligned
from support.games.wild_ones.dqn_network_fast import copy

ONE = np.uint64(1)
ROWS = 256  # that pass at once: they stay close to the processor


def room_for_layers(sizes: Sequence[int]) -> np.ndarray:
    """Where a network of these widths can be laid out."""
    wide = -(-max(sizes) // LANES) * LANES
    return aligned(len(sizes) - 1, wide + 1, wide)


def room_for_rows(sizes: Sequence[int], rows: int) -> np.ndarray:
    """Where so many rows can pass through a network of these widths."""
    return aligned(len(sizes), rows, -(-max(sizes) // LANES) * LANES)


def values(network: Network, states: np.ndarray) -> np.ndarray:
    """float32[n, outputs], the value of each action, as :meth:`support.games.wild_ones.dqn_network.Network.values`.

    Args:
        network: with finite weights.
        states: [n, inputs].
    """
    sizes, found = network.sizes, np.empty((len(states), network.sizes[-1]), np.float32)
    room = np.array(sizes), room_for_layers(sizes), room_for_rows(sizes, ROWS)
    _values(network.weights, *room, np.ascontiguousarray(states, np.float32), found)
    return found


@lean(nogil=True, cache=True)
def _values(weights, sizes, layers, room, states, found):
    lay_out(weights, sizes, layers)
    last = sizes.size - 1
    for first in range(0, len(states), ROWS):
        rows = min(ROWS, len(states) - first)
        for row in range(rows):
            copy(states[first + row], room[0, row])
        forward(layers, sizes, room, rows, last)
        for row in range(rows):
            copy(room[last, row, : sizes[last]], found[first + row])


@lean
def lay_out(weights, sizes, layers):
    """Copy weights, as a ``Network`` has them, to their places."""
    first = 0
    for layer in range(sizes.size - 1):
        for place in range(sizes[layer] + 1):
            copy(weights[first : first + sizes[layer + 1]], layers[layer, place])
            first += sizes[layer + 1]


@lean
def sums(layers, layer, start, source, row, inputs, column):
    """What stands in row ``start`` of a layer, and to it the products of what comes in, one after the other.

    These are the sums for 64 columns. Most inputs of a network are zero, and so is what a rectifier has stopped: they
    are passed over.
    """
    wide = layers.shape[2]
    first = layer * layers.shape[1] * wide + column
    total = load(layers, first + start * wide)
    for block in range(0, inputs, LANES):
        left = nonzero(source, row * wide + block)
        while left != 0:
            place = block + lowest(left)
            left &= left - ONE
            total = plus(total, source[row, place], load(layers, first + place * wide))
    return total


@lean
def forward(layers, sizes, values, rows, depth):
    """The first rows of ``values``, from what comes in, through so many layers."""
    wide = values.shape[2]
    for layer in range(depth):
        for row in range(rows):
            for column in range(0, sizes[layer + 1], LANES):
                total = sums(layers, layer, sizes[layer], values[layer], row, sizes[layer], column)
                if layer < sizes.size - 2:
                    total = rectified(total, total)
                store(total, values[layer + 1], row * wide + column)
