"""The steps of the network that learns wild ones, compiled: faster than torch's own machinery.

Plain counterpart: ``support.games.wild_ones.dqn.TorchOptimiser``, with which they agree but for rounding, as long as
all numbers are finite.
"""

from math import sqrt

import numpy as np

from support.core.compiled import njit
from support.games.wild_ones.dqn import ILLEGAL, DQNSettings, Optimiser
from support.games.wild_ones.dqn_network import Batch, Network

BETA1, BETA2, TINY = 0.9, 0.999, 1e-8  # torch's own for AdamW
LOWEST = 1e-33  # a moment below it is zero


class CompiledOptimiser(Optimiser):
    """The steps of ``TorchOptimiser``, faster, and the same digits on every processor.

    The derivatives are written out, and products of matrices are added in one fixed order. Libraries choose theirs by
    the processor, and a network that learns from its own games makes another career of the last digit.
    """

    def __init__(self, network: Network, settings: DQNSettings):
        super().__init__(network, settings)
        rows, sizes = settings.batch, network.sizes
        self._slopes = network.copy()
        self._moments = tuple(np.zeros_like(network.weights) for _ in range(3))
        self._own, self._followed = network.layers(), self.target.layers()
        self._states, self._nexts, self._back = ([np.zeros((rows, n), np.float32) for n in sizes] for _ in range(3))
        self._judged = np.zeros((rows, sizes[-1]), np.float32)
        self._td = np.zeros(rows, np.float32)

    def td_targets(self, batch: Batch) -> np.ndarray:
        """As :meth:`support.games.wild_ones.dqn.Optimiser.td_targets`; overwritten by the next call.

        Raises:
            ValueError: a batch of another size than the settings have.
        """
        if len(batch.actions) != self.settings.batch:
            raise ValueError(f"expected a batch of {self.settings.batch} transitions, not of {len(batch.actions)}")
        settings, nexts = self.settings, self._nexts
        rows = _going_on(batch.nexts, batch.goes_on, nexts[0])
        _forward(self._followed, nexts, rows)
        choosing, self._judged[:rows] = nexts[-1], nexts[-1][:rows]
        if settings.double and settings.target:
            _forward(self._own, nexts, rows)
        discount = np.float32(settings.discount)
        _td_targets(choosing, self._judged, batch.legal, batch.goes_on, batch.rewards, discount, self._td)
        return self._td

    def step(self, batch: Batch) -> None:
        """As :meth:`support.games.wild_ones.dqn.Optimiser.step`."""
        settings, states, back = self.settings, self._states, self._back
        self.td_targets(batch)
        states[0][:] = batch.states
        _forward(self._own, states, len(batch.actions))
        _huber(states[-1], batch.actions, self._td, back[-1])
        layers = self._slopes.layers()
        for number in range(len(layers) - 1, -1, -1):
            matrix, bias = layers[number]
            matrix[:], bias[:] = 0, 0
            _add_product(np.ascontiguousarray(states[number].T), back[number + 1], matrix)
            _columns(back[number + 1], bias)
            if number:
                back[number][:] = 0
                _add_product(back[number + 1], np.ascontiguousarray(self._own[number][0].T), back[number])
                _rectified(states[number], back[number])
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
        _adam(self.network.weights, self._slopes.weights, self._moments, rates, settings.amsgrad, self.target.weights)


def _power(base: float, times: int) -> float:
    """A power by products alone: those of a C library may be rounded otherwise on another processor."""
    found = 1.0
    while times:
        if times & 1:
            found *= base
        base, times = base * base, times >> 1
    return found


def _forward(layers: list[tuple[np.ndarray, np.ndarray]], room: list[np.ndarray], rows: int) -> None:
    """The values of the first rows of ``room[0]``, layer by layer, each into its place in ``room``."""
    for number, (matrix, bias) in enumerate(layers, 1):
        into = room[number][:rows]
        into[:] = bias
        _add_product(room[number - 1][:rows], matrix, into)
        if number < len(layers):
            np.maximum(into, 0, out=into)


@njit(nogil=True, cache=True)
def _add_product(left, right, out):
    """Add a product of matrices: to each number what is due to it, one after the other, in the order of the factors.

    Four factors a round, for each is read and written once a round; where all four are zero, as most inputs are,
    nothing is added.
    """
    inner, columns = right.shape
    whole = inner - inner % 4
    for row in range(out.shape[0]):
        for place in range(0, whole, 4):
            a, b, c, d = left[row, place], left[row, place + 1], left[row, place + 2], left[row, place + 3]
            if a != 0 or b != 0 or c != 0 or d != 0:
                for column in range(columns):
                    total = out[row, column] + a * right[place, column]
                    total += b * right[place + 1, column]
                    total += c * right[place + 2, column]
                    out[row, column] = total + d * right[place + 3, column]
        for place in range(whole, inner):
            for column in range(columns):
                out[row, column] += left[row, place] * right[place, column]


@njit(nogil=True, cache=True)
def _going_on(nexts, goes_on, out):
    """Copy the rows of the episodes that go on to the front of ``out``; returns how many they are."""
    rows = 0
    for row in range(goes_on.size):
        if goes_on[row]:
            out[rows] = nexts[row]
            rows += 1
    return rows


@njit(nogil=True, cache=True)
def _td_targets(choosing, judged, legal, goes_on, rewards, discount, out):
    """The reward, and the judged value of the best legal action where the episode went on."""
    seen = 0
    for row in range(out.size):
        out[row] = rewards[row]
        if goes_on[row]:
            best, most = 0, np.float32(-np.inf)
            for action in range(legal.shape[1]):
                value = choosing[seen, action] if legal[row, action] else np.float32(ILLEGAL)
                if value > most:
                    best, most = action, value
            out[row] += judged[seen, best] * discount
            seen += 1


@njit(nogil=True, cache=True)
def _huber(values, actions, targets, out):
    """The derivatives of the mean Huber loss by the values."""
    out[:] = 0
    share = np.float32(1 / actions.size)
    for row in range(actions.size):
        gap = values[row, actions[row]] - targets[row]
        out[row, actions[row]] = min(max(gap, np.float32(-1)), np.float32(1)) * share


@njit(nogil=True, cache=True)
def _columns(matrix, out):
    """The sums of the columns."""
    out[:] = 0
    for row in range(matrix.shape[0]):
        for column in range(out.size):
            out[column] += matrix[row, column]


@njit(nogil=True, cache=True)
def _rectified(after, slopes):
    """Derivatives behind a rectifier, in place: nothing passes where it gave zero."""
    for row in range(slopes.shape[0]):
        for column in range(slopes.shape[1]):
            slopes[row, column] = slopes[row, column] if after[row, column] > 0 else np.float32(0)


@njit(nogil=True, cache=True, error_model="numpy")
def _adam(weights, slopes, moments, rates, amsgrad, target):
    """AdamW, in place, and the target network follows; ``moments`` are mean, square, and largest square."""
    clip, shrink, rate, root, tau = rates
    mean, square, largest = moments
    zero, old1, new1 = np.float32(0), np.float32(BETA1), np.float32(1 - BETA1)
    low, old2, new2, tiny = np.float32(LOWEST), np.float32(BETA2), np.float32(1 - BETA2), np.float32(TINY)
    # One loop an array: with more of them in one, they are not worked on several at a time. What is too small to matter
    # is zero: numbers below 1e-38 would make all of this ten times slower.
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
