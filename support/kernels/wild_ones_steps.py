"""The steps of the agent that learns wild ones, compiled: faster than torch's own machinery.

Plain counterpart: ``support.agents.dqn.optimiser.Optimiser``, with which they agree but for rounding.
"""

from typing import Any

import numpy as np
from numba import njit

from support.agents.dqn.memory import Batch
from support.agents.dqn.network import Network, aligned
from support.agents.dqn.optimiser import ILLEGAL, Steps
from support.agents.dqn.settings import Settings

__all__ = ["Stepper"]

BETA1, BETA2, TINY = 0.9, 0.999, 1e-8  # torch's own for AdamW
LOWEST = 1e-33  # a moment below it is zero


class Stepper(Steps):
    """The steps of :class:`support.agents.dqn.optimiser.Optimiser`, faster.

    The derivatives are written out: torch only multiplies matrices. Arguments as
    :class:`support.agents.dqn.optimiser.Steps`.
    """

    def __init__(self, network: Network, settings: Settings):
        super().__init__(network, settings)
        rows, count = settings.batch, len(network.weights)
        self._slopes = Network(network.sizes, aligned(count))
        self._moments = tuple(aligned(count) for _ in range(3))
        self._own, self._followed = self._tensors(network), self._tensors(self.target)
        self._out = self._tensors(self._slopes)
        self._nexts, self._states, self._back = [], [], []
        for width in network.sizes:
            self._nexts.append(aligned(rows, width))
            self._states.append(aligned(rows, width))
            self._back.append(aligned(rows, width))
        self._judged = aligned(rows, network.sizes[-1])
        self._goals = np.zeros(rows, np.float32)
        self._tensor_states, self._tensor_nexts, self._tensor_back = (
            [self._torch.from_numpy(one) for one in several] for several in (self._states, self._nexts, self._back)
        )
        self._tensor_judged = self._torch.from_numpy(self._judged)

    def _forward(self, layers: list[tuple[Any, Any]], room: list[Any], rows: int, out: Any = None) -> None:
        """From ``room[0]`` to the last of ``room``, or to ``out``."""
        addmm, last, seen = self._torch.addmm, len(layers), room[0]
        seen = seen if rows == len(seen) else seen[:rows]
        for number, (matrix, bias) in enumerate(layers, 1):
            into = out if number == last and out is not None else room[number]
            into = into if rows == len(into) else into[:rows]
            addmm(bias, seen, matrix, out=into)
            seen = into if number == last else into.relu_()

    def goals(self, batch: Batch) -> np.ndarray:
        """As :meth:`support.agents.dqn.optimiser.Steps.goals`; overwritten by the next call."""
        settings = self.settings
        with self._torch.no_grad():
            rows = _going_on(batch.nexts, batch.goes_on, self._nexts[0])
            self._forward(self._followed, self._tensor_nexts, rows, self._tensor_judged)
            choosing = self._judged
            if settings.double and settings.target:
                self._forward(self._own, self._tensor_nexts, rows)
                choosing = self._nexts[-1]
            discount = np.float32(settings.discount)
            _goals(choosing, self._judged, batch.legal, batch.goes_on, batch.rewards, discount, self._goals)
        return self._goals

    def step(self, batch: Batch) -> None:
        """As :meth:`support.agents.dqn.optimiser.Steps.step`."""
        torch, settings, states, back = self._torch, self.settings, self._tensor_states, self._tensor_back
        self.goals(batch)
        with torch.no_grad():
            self._states[0][:] = batch.states
            self._forward(self._own, states, len(batch.actions))
            _huber(self._states[-1], batch.actions, self._goals, self._back[-1])
            layers = self._slopes.layers()
            for number in range(len(layers) - 1, -1, -1):
                torch.mm(states[number].T, back[number + 1], out=self._out[number][0])
                _columns(self._back[number + 1], layers[number][1])
                if number:
                    torch.mm(back[number + 1], self._own[number][0].T, out=back[number])
                    _rectified(self._states[number], self._back[number])
        self.steps += 1
        rates = np.array(
            [
                settings.clip,
                1 - settings.learning_rate * settings.weight_decay,
                settings.learning_rate / (1 - BETA1**self.steps),
                (1 - BETA2**self.steps) ** 0.5,
                settings.tau,
            ],
            np.float32,
        )
        _adam(self.network.weights, self._slopes.weights, self._moments, rates, settings.amsgrad, self.target.weights)


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
def _goals(choosing, judged, legal, goes_on, rewards, discount, out):
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
def _huber(values, actions, goals, out):
    """The derivatives of the mean Huber loss by the values."""
    out[:] = 0
    share = np.float32(1 / actions.size)
    for row in range(actions.size):
        gap = values[row, actions[row]] - goals[row]
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
