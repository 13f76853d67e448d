"""Many rows at once through a network, compiled: digit for digit ``support.learners.network.Network.values``.

The network is laid out as float32[layers, lanes + 1, lanes]: each layer is a matrix [inputs, outputs] and, as one more
row, its biases. All rows are padded with zeros to the widest, in whole lanes; because there are as many rows as lanes,
a kernel that meets numbers that are not finite stays inside the array. The values that pass through are
float32[layers + 1, rows, lanes], from inputs to outputs.
"""

from collections.abc import Sequence

import numpy as np

from support.core.aligned import aligned
from support.core.compiled import lean
from support.core.lanes_fast import LANES, load, lowest, nonzero, plus, rectified, store
from support.core.splitmix_fast import mix, step
from support.learners.network import DRAW_BITS, Network

ONE = np.uint64(1)
DRAW, DRAW_SHIFT = np.uint64(DRAW_BITS), np.uint64(64 - DRAW_BITS)
ROWS = 256  # rows that pass at once and stay in the cache


def room_for_layers(sizes: Sequence[int]) -> np.ndarray:
    """An array for the layout of a network with these widths."""
    wide = -(-max(sizes) // LANES) * LANES
    return aligned(len(sizes) - 1, wide + 1, wide)


def room_for_rows(sizes: Sequence[int], rows: int) -> np.ndarray:
    """An array in which ``rows`` rows can pass through a network with these widths."""
    return aligned(len(sizes), rows, -(-max(sizes) // LANES) * LANES)


def values(network: Network, states: np.ndarray) -> np.ndarray:
    """float32[n, outputs], the value of each action, as :meth:`support.learners.network.Network.values`.

    Args:
        network: a network with finite weights.
        states: [n, inputs], what it sees.
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
def copy(source, target):
    """Copy an array to the beginning of another one."""
    for place in range(source.size):
        target[place] = source[place]


@lean
def drawn(size, taken, random, places):
    """Fill ``places`` with different numbers below ``size``, as ``support.learners.network.drawn``.

    Args:
        size: how many places there are.
        taken: bool[size or more], all False before and after.
        random: uint64[1], the state of the stream.
        places: int64[count].
    """
    state, count = random[0], places.size
    for number in range(count):
        last = size - count + number
        state = step(state)
        place = np.int64(((mix(state) >> DRAW_SHIFT) * np.uint64(last + 1)) >> DRAW)
        if taken[place]:
            place = last
        taken[place] = True
        places[number] = place
    random[0] = state
    for number in range(count):
        taken[places[number]] = False


@lean
def lay_out(weights, sizes, layers):
    """Copy the weights of a ``Network`` into the layout."""
    first = 0
    for layer in range(sizes.size - 1):
        for place in range(sizes[layer] + 1):
            copy(weights[first : first + sizes[layer + 1]], layers[layer, place])
            first += sizes[layer + 1]


@lean
def sums(layers, layer, start, source, row, inputs, column):
    """Row ``start`` of a layer plus the products of the inputs, added one after the other, for 64 columns.

    Zeros are skipped: most inputs of a network are zero, and so are values that a rectifier has cut off.
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
    """Pass the first rows of ``values`` through ``depth`` layers."""
    wide = values.shape[2]
    for layer in range(depth):
        for row in range(rows):
            for column in range(0, sizes[layer + 1], LANES):
                total = sums(layers, layer, sizes[layer], values[layer], row, sizes[layer], column)
                if layer < sizes.size - 2:
                    total = rectified(total, total)
                store(total, values[layer + 1], row * wide + column)
