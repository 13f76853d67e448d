"""Magnetic mirror descent, compiled: the iterations of ``mirror_descent.Solver``, up to rounding."""

from collections.abc import Sequence

import numpy as np

from support.core.compiled import njit
from support.core.flat import FlatGame
from support.exact.nash_conv_fast import counterfactual_reach, tables_of
from support.learners.cfr import choices
from support.learners.cfr_fast import add_regrets
from support.learners.marks import as_marks
from support.learners.mirror_descent import MirrorDescentSettings


def run(flat: FlatGame, marks: Sequence[int], how: MirrorDescentSettings) -> np.ndarray:
    """Run the method on a game, and keep the latest strategies at the marks. The interpreter's lock is released.

    Args:
        flat: an unfolded two-player zero-sum game of perfect recall that is sure to end.
        marks: rising numbers of iterations, from 1.
        how: the step and the temperature.

    Returns:
        float64[k, slots], the strategies after each mark.

    Raises:
        ValueError: a game that is not of this kind, or marks that do not rise from 1.
    """
    kept = as_marks(marks)
    choices(flat)  # raises an error for a game of another kind
    out = np.zeros((len(kept), flat.slots[-1]))
    _run(tables_of(flat), flat.slots, (how.step, how.temperature, how.annealed), kept, out)
    return out


@njit(nogil=True, cache=True)
def _run(tables, slots, how, marks, out):
    first_step, first_temperature, annealed = how
    size = out.shape[1]
    play, logits = np.concatenate((np.zeros(size), tables.chances)), np.zeros(size)
    gains, reached = np.zeros(size), np.zeros(size)  # the second by first slot
    reach, values = np.zeros(tables.player.size), np.zeros(tables.player.size)
    iteration = 0
    _soften(slots, logits, play)
    for k in range(marks.size):
        while iteration < marks[k]:
            iteration += 1
            root = np.sqrt(float(iteration)) if annealed else 1.0
            step, temperature = first_step / root, first_temperature / root
            gains[:] = 0.0
            reached[:] = 0.0
            for player in range(2):
                counterfactual_reach(tables, player, play, reach)
                add_regrets(tables, player, play, reach, values, gains)
                for node in tables.order:
                    if tables.player[node] == player:
                        reached[tables.start[node]] += reach[node]
            for state in range(slots.size - 1):
                start, stop = slots[state], slots[state + 1]
                for slot in range(start, stop):
                    gain = gains[slot] / reached[start] if reached[start] > 0 else 0.0
                    logits[slot] = (logits[slot] + step * gain) / (1.0 + step * temperature)
            _soften(slots, logits, play)
        out[k] = play[:size]


@njit(nogil=True, cache=True)
def _soften(slots, logits, play):
    """Fill ``play`` in proportion to the exponentials of the logits in each information state."""
    for state in range(slots.size - 1):
        highest, total = -np.inf, 0.0
        for slot in range(slots[state], slots[state + 1]):
            highest = max(highest, logits[slot])
        for slot in range(slots[state], slots[state + 1]):
            play[slot] = np.exp(logits[slot] - highest)
            total += play[slot]
        for slot in range(slots[state], slots[state + 1]):
            play[slot] /= total
