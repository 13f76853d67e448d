"""The steps of deep Q-learning, compiled: faster than torch.

Plain counterpart: ``support.learners.optimiser.TorchOptimiser``, with which it agrees except for rounding, as long as
all numbers are finite.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np

from support.core.aligned import aligned
from support.core.compiled import lean
from support.core.lanes_fast import LANES, load, lowest, nonzero, plus, rectified, store
from support.learners.dqn_settings import DeepQSettings
from support.learners.network import Batch, Network, Twins
from support.learners.network_fast import copy, forward, lay_out, room_for_layers, room_for_rows, sums
from support.learners.optimiser import Optimiser

BETA1, BETA2, TINY = 0.9, 0.999, 1e-8  # torch's own for AdamW
LOWEST = 1e-33  # a moment below it is zero
ONE = np.uint64(1)


class _Room(NamedTuple):
    """What a step reads and writes; layers are laid out, and rows pass through them, as in ``network_fast``.

    Attributes:
        sizes: int64[layers + 1], the widths of the network, from inputs to outputs.
        weights, judging: float32[n], of the learning network and of the target network.
        slopes: float32[n], the derivatives of the loss by the weights.
        moments: three float32[n], their mean, their mean square, and the largest mean square so far.
        own, judge: the two networks laid out.
        turned: the learning network's transposed matrices, without biases.
        steep: the derivatives, those by the last matrix transposed.
        values: the values that pass through a network.
        back: the derivatives by these.
        targets: float32[batch].
        chosen: int64[batch], the next best actions, for episodes that went on.
        at: int64[batch], the place of each row in ``values``; rows that are alike share one.
    """

    sizes: np.ndarray
    weights: np.ndarray
    judging: np.ndarray
    slopes: np.ndarray
    moments: tuple[np.ndarray, ...]
    own: np.ndarray
    judge: np.ndarray
    turned: np.ndarray
    steep: np.ndarray
    values: np.ndarray
    back: np.ndarray
    targets: np.ndarray
    chosen: np.ndarray
    at: np.ndarray

    @classmethod
    def of(cls, network: Network, judge: Network, batch: int) -> "_Room":
        """Zeros, except for the sizes and the weights."""
        sizes, weights = network.sizes, network.weights
        own, other, turned, steep = (room_for_layers(sizes) for _ in range(4))
        values, back = (room_for_rows(sizes, batch) for _ in range(2))
        slopes, *moments = (aligned(len(weights)) for _ in range(4))
        targets, (chosen, at) = np.zeros(batch, np.float32), np.zeros((2, batch), np.int64)
        flat = np.array(sizes), weights, judge.weights, slopes, tuple(moments)
        return cls(*flat, own, other, turned, steep, values, back, targets, chosen, at)


class CompiledOptimiser(Optimiser):
    """The steps of ``TorchOptimiser``, faster, and the same digits on every processor.

    The derivatives are written out, and matrix products are summed in a fixed order. Libraries choose the order by the
    processor, and in a network that learns from its own games a different last digit changes everything that follows.
    """

    def __init__(self, network: Network, settings: DeepQSettings):
        super().__init__(network, settings)
        self._room = _Room.of(network, self.target, settings.batch)
        self._alone = Twins.none(settings.batch)
        self._double, self._discount = settings.double and settings.target, np.float32(settings.discount)

    def td_targets(self, batch: Batch) -> np.ndarray:
        """As :meth:`support.learners.optimiser.Optimiser.td_targets`; overwritten by the next call.

        Raises:
            ValueError: a batch of another size than the settings have.
        """
        self._require(batch)
        _targets(self._room, batch, self._alone, self._double, self._discount)
        return self._room.targets

    def step(self, batch: Batch, twins: Twins | None = None) -> None:
        """As :meth:`support.learners.optimiser.Optimiser.step`.

        Raises:
            ValueError: a batch of another size than the settings have.
        """
        self._require(batch)
        settings = self.settings
        self.steps += 1
        rates = np.array(
            [
                settings.clip,
                1 - settings.learning_rate * settings.weight_decay,
                settings.learning_rate / (1 - _power(BETA1, self.steps)),
                sqrt(1 - _power(BETA2, self.steps)),
                settings.tau,
            ],
            np.float32,
        )
        _step(self._room, batch, twins or self._alone, self._double, self._discount, rates, settings.amsgrad)

    def _require(self, batch: Batch) -> None:
        if len(batch.actions) != self.settings.batch:
            raise ValueError(f"expected a batch of {self.settings.batch} transitions, not of {len(batch.actions)}")


def _power(base: float, times: int) -> float:
    """A power by products alone: those of a C library may be rounded otherwise on another processor."""
    found = 1.0
    while times:
        if times & 1:
            found *= base
        base, times = base * base, times >> 1
    return found


@lean
def _value(layers, sizes, values, row, action):
    """The value of one action in one row, from what comes into the last layer."""
    last = sizes.size - 2
    total = layers[last, sizes[last], action]
    for place in range(sizes[last]):
        total += values[last, row, place] * layers[last, place, action]
    return total


@lean
def _best(values, legal):
    """The legal action of highest value, the lowest number if tied."""
    best, most = 0, np.float32(-np.inf)
    for action in range(legal.size):
        if legal[action] and values[action] > most:
            best, most = action, values[action]
    return best


@lean
def _enter(seen, every, some, twins, values, at):
    """Let every row, or only some, enter the network, and those that are alike only once; return how many do."""
    rows = 0
    for row in range(at.size):
        if not (every or some[row]):
            continue
        if twins[row] != row:
            at[row] = at[twins[row]]
        else:
            copy(seen[row], values[0, rows])
            at[row] = rows
            rows += 1
    return rows


@lean(nogil=True, cache=True)
def _targets(room, batch, twins, double, discount):
    """The reward plus, if the episode went on, the discounted value of the best legal action."""
    sizes, values, targets, chosen, at = room.sizes, room.values, room.targets, room.chosen, room.at
    last = sizes.size - 1
    lay_out(room.weights, sizes, room.own)
    lay_out(room.judging, sizes, room.judge)
    rows = _enter(batch.nexts, False, batch.goes_on, twins.nexts, values, at)
    forward(room.own if double else room.judge, sizes, values, rows, last)
    for row in range(targets.size):
        if batch.goes_on[row]:
            chosen[row] = _best(values[last, at[row]], batch.legal[row])
    if double:
        forward(room.judge, sizes, values, rows, last - 1)
    for row in range(targets.size):
        targets[row] = batch.rewards[row]
        if batch.goes_on[row]:
            targets[row] += _value(room.judge, sizes, values, at[row], chosen[row]) * discount


@lean
def _prepare_back(room):
    """Transpose the matrices after the first layer, and set all derivatives to zero."""
    sizes, last = room.sizes, room.sizes.size - 2
    for layer in range(last + 1):
        for place in range(sizes[layer if layer < last else last + 1] + 1):
            room.steep[layer, place] = np.float32(0)
        for column in range(sizes[layer + 1] if layer else 0):
            for place in range(sizes[layer]):
                room.turned[layer, column, place] = room.own[layer, place, column]


@lean
def _last_layer(room, actions):
    """The derivatives of the mean Huber loss by the last layer and its inputs.

    Only the value of a row's action counts, so the matrix is transposed, to read one row of it.
    """
    sizes, values, steep, back, last = room.sizes, room.values, room.steep, room.back, room.sizes.size - 2
    at = room.at
    wide, share = values.shape[2], np.float32(1 / actions.size)
    first = last * steep.shape[1] * wide
    for row in range(actions.size):
        action = actions[row]
        gap = _value(room.own, sizes, values, at[row], action) - room.targets[row]
        slope = min(max(gap, np.float32(-1)), np.float32(1)) * share
        steep[last, sizes[last + 1], action] += slope
        for column in range(0, sizes[last], LANES):
            came, place = load(values[last], at[row] * wide + column), first + action * wide + column
            store(plus(load(steep, place), slope, came), steep, place)
            nothing = load(room.turned, first + sizes[last + 1] * wide + column)
            store(rectified(plus(nothing, slope, load(room.turned, place)), came), back[last], row * wide + column)


@lean
def _spread(room, layer, row):
    """Add a row's contribution to the derivatives by a layer."""
    source, steep, inputs, wide = room.values[layer], room.steep, room.sizes[layer], room.values.shape[2]
    own = room.at[row]
    for column in range(0, room.sizes[layer + 1], LANES):
        first = layer * steep.shape[1] * wide + column
        slopes = load(room.back[layer + 1], row * wide + column)
        for block in range(0, inputs, LANES):
            left = nonzero(source, own * wide + block)
            while left != 0:
                place = block + lowest(left)
                left &= left - ONE
                store(plus(load(steep, first + place * wide), source[own, place], slopes), steep, first + place * wide)
        place = first + inputs * wide
        store(plus(load(steep, place), np.float32(1), slopes), steep, place)


@lean
def _backward(room, actions):
    """The derivatives of the loss by all layers but the last, from those by the last layer's inputs."""
    sizes, values, wide = room.sizes, room.values, room.values.shape[2]
    for layer in range(sizes.size - 3, -1, -1):
        for row in range(actions.size):
            _spread(room, layer, row)
            for column in range(0, sizes[layer] if layer else 0, LANES):
                outputs, place = sizes[layer + 1], row * wide + column
                total = sums(room.turned, layer, outputs, room.back[layer + 1], row, outputs, column)
                came = load(values[layer], room.at[row] * wide + column)
                store(rectified(total, came), room.back[layer], place)


@lean
def _collect(room):
    """The derivatives in the order of the weights."""
    sizes, slopes, steep, last, first = room.sizes, room.slopes, room.steep, room.sizes.size - 2, 0
    for layer in range(last):
        for place in range(sizes[layer] + 1):
            copy(steep[layer, place, : sizes[layer + 1]], slopes[first:])
            first += sizes[layer + 1]
    for place in range(sizes[last]):
        for column in range(sizes[last + 1]):
            slopes[first + column] = steep[last, column, place]
        first += sizes[last + 1]
    copy(steep[last, sizes[last + 1], : sizes[last + 1]], slopes[first:])


@lean(nogil=True, cache=True)
def _step(room, batch, twins, double, discount, rates, amsgrad):
    _targets(room, batch, twins, double, discount)
    rows = _enter(batch.states, True, batch.goes_on, twins.states, room.values, room.at)
    forward(room.own, room.sizes, room.values, rows, room.sizes.size - 2)
    _prepare_back(room)
    _last_layer(room, batch.actions)
    _backward(room, batch.actions)
    _collect(room)
    _adam(room.weights, room.slopes, room.moments, rates, amsgrad, room.judging)


@lean(error_model="numpy")
def _adam(weights, slopes, moments, rates, amsgrad, target):
    """AdamW, in place, and the target network follows; ``moments`` are mean, square, and largest square."""
    clip, shrink, rate, root, tau = rates
    mean, square, largest = moments
    zero, old1, new1 = np.float32(0), np.float32(BETA1), np.float32(1 - BETA1)
    low, old2, new2, tiny = np.float32(LOWEST), np.float32(BETA2), np.float32(1 - BETA2), np.float32(TINY)
    # One loop for each array, or they are not vectorised. Moments too small to matter become zero: numbers below 1e-38
    # would make all of this ten times slower.
    for place in range(weights.size):
        slopes[place] = min(max(slopes[place], -clip), clip)
    for place in range(weights.size):
        moved = mean[place] * old1 + slopes[place] * new1
        mean[place] = moved if abs(moved) > low else zero
    for place in range(weights.size):
        slope = slopes[place] if abs(slopes[place]) > np.float32(1e-15) else zero
        moved = square[place] * old2 + slope * slope * new2
        square[place] = moved if moved > low else zero
    for place in range(weights.size):
        largest[place] = max(square[place], largest[place]) if amsgrad else square[place]
    for place in range(weights.size):
        weights[place] = weights[place] * shrink - rate * mean[place] / (np.sqrt(largest[place]) / root + tiny)
    if weights.ctypes.data != target.ctypes.data:
        for place in range(weights.size):
            target[place] += tau * (weights[place] - target[place])
