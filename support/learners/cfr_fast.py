"""Iterative equilibrium finding, compiled: the iterations of ``cfr.Solver``, number for number.

Regrets and weights are equal to the plain ones bit for bit: both add the same floating-point numbers in the same
order. Fictitious play finds its responses in exact fractions there and in floating point here. Its choices, and
therefore its counts, are the same, because a difference of less than :data:`TIE` counts as a tie.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from support.core.compiled import njit
from support.core.flat import FlatGame
from support.exact.nash_conv_fast import counterfactual_reach, normalise, respond, tables_of
from support.learners.cfr import Method, choices, method_of
from support.learners.marks import as_marks
from support.learners.sampling_fast import match

TIE = 1e-12
"""The difference that rounding may make between equally good actions, as a fraction of the largest reward.

Rounding makes differences near 1e-16. True differences are larger than 1e-12 as long as the number of iterations times
the number of equally likely deals stays well below 1e12, because averages after t responses are counts divided by t.
"""
NOTHING_BEFORE = -1


@dataclass(frozen=True, eq=False)
class Trace:
    """A run, recorded at its marks.

    Attributes:
        iterations: int64[k], the marks.
        nodes: int64[k], nodes touched up to each mark, counted as ``support.learners.cfr`` does.
        strategies: float64[k, slots], the average strategies; uniform in information states that were never reached.
        weights: float64[k, slots], the same before normalisation: weighted sums of realisation weights.
        regrets: float64[slots], the regrets at the last mark; zero throughout in fictitious play.
    """

    iterations: np.ndarray
    nodes: np.ndarray
    strategies: np.ndarray
    weights: np.ndarray
    regrets: np.ndarray


def run(flat: FlatGame, method: str | Method, marks: Sequence[int]) -> Trace:
    """Run a method on a game, and keep the average strategies at the marks.

    Args:
        flat: an unfolded two-player zero-sum game of perfect recall that is sure to end.
        method: one of ``support.learners.cfr.METHODS``, or its name.
        marks: rising numbers of iterations, from 1.

    Raises:
        ValueError: no such method, a game that is not of this kind, or marks that do not rise from 1.
    """
    method, kept = method_of(method), as_marks(marks)
    states = choices(flat)
    bounds = np.array([(choice.slots.start, choice.slots.stop) for choice in states], np.int64).reshape(-1, 2)
    before = np.array([NOTHING_BEFORE if choice.before is None else choice.before for choice in states], np.int64)
    owner = np.array([choice.player for choice in states], np.int8)
    tables, layout, how = tables_of(flat), (bounds, before, owner), (method.responds, method.floor, method.linear)
    return traced(flat, method, kept, lambda movers, *room: _run(tables, layout, (movers, *how), kept, *room))


def traced(flat: FlatGame, method: Method, kept: np.ndarray, walk: Callable[..., None]) -> Trace:
    """Run a compiled method.

    Args:
        flat: the game.
        method: a method of ``support.learners.cfr``.
        kept: int64[k], the marks.
        walk: a function of three arrays: bool[passes, 2], who moves in each pass; float64[slots], which it fills with
            the final regrets; and float64[k, slots], which it fills with the weights of the average at each mark.
    """
    movers = np.array([[player in movers for player in (0, 1)] for movers in method.passes])
    regrets, weights = np.zeros(flat.slots[-1]), np.zeros((len(kept), flat.slots[-1]))
    walk(movers, regrets, weights)
    return Trace(kept, kept * len(method.passes) * flat.num_nodes, normalise(flat, weights), weights, regrets)


@njit(nogil=True, cache=True)
def _run(tables, states, rules, marks, regrets, out):
    movers, responds, floor, linear = rules
    slots = regrets.size
    play = np.concatenate((np.zeros(slots), tables.chances))  # the current strategies, then chance
    played, realised, weights = np.zeros(slots), np.zeros(slots), np.zeros(slots)
    reach, values = np.zeros(tables.player.size), np.zeros(tables.player.size)
    largest = 0.0
    for edge in range(tables.child.size):
        largest = max(largest, abs(tables.rewards[0, edge]), abs(tables.rewards[1, edge]))
    iteration = 0
    for k in range(marks.size):
        while iteration < marks[k]:
            iteration += 1
            for number in range(movers.shape[0]):
                _match_all(states, weights if responds else regrets, play)
                for player in range(2):
                    if not movers[number, player]:
                        continue
                    counterfactual_reach(tables, player, play, reach)
                    if responds:
                        respond(tables, player, play, reach, TIE * largest, values, played)
                    else:
                        _copy(states, player, play, played)
                        add_regrets(tables, player, play, reach, values, regrets)
                        if floor:
                            _cut_off(states, player, regrets)
            _add_to_average(states, played, float(iteration) if linear else 1.0, realised, weights)
        out[k] = weights


@njit(nogil=True, cache=True)
def _match_all(states, numbers, play):
    """Fill ``play`` in proportion to the positive numbers; uniformly in information states that have none."""
    bounds, _, _ = states
    for state in range(bounds.shape[0]):
        match(numbers, bounds[state, 0], bounds[state, 1], play)


@njit(nogil=True, cache=True)
def _copy(states, player, play, played):
    bounds, _, owner = states
    for state in range(bounds.shape[0]):
        if owner[state] == player:
            for slot in range(bounds[state, 0], bounds[state, 1]):
                played[slot] = play[slot]


@njit(nogil=True, cache=True)
def _cut_off(states, player, regrets):
    bounds, _, owner = states
    for state in range(bounds.shape[0]):
        if owner[state] == player:
            for slot in range(bounds[state, 0], bounds[state, 1]):
                regrets[slot] = max(regrets[slot], 0.0)


@njit(nogil=True, cache=True)
def add_regrets(tables, player, play, reach, values, regrets):
    """``support.learners.cfr.add_regrets``: ``play`` is the profile; ``reach`` is given, ``values`` is filled in."""
    first, child, start, rewards = tables.first, tables.child, tables.start, tables.rewards[player]
    for k in range(tables.order.size - 1, -1, -1):
        node = tables.order[k]
        slot, value = start[node], 0.0
        for edge in range(first[node], first[node + 1]):
            value += play[slot] * (rewards[edge] + values[child[edge]])
            slot += np.uint32(1)
        values[node] = value
        if tables.player[node] == player:
            slot = start[node]
            for edge in range(first[node], first[node + 1]):
                regrets[slot] += reach[node] * (rewards[edge] + values[child[edge]] - value)
                slot += np.uint32(1)


@njit(nogil=True, cache=True)
def _add_to_average(states, played, weight, realised, weights):
    """Add the realisation weights of what was played; information states come after the choices that lead to them."""
    bounds, before, _ = states
    for state in range(bounds.shape[0]):
        own = 1.0 if before[state] == NOTHING_BEFORE else realised[before[state]]
        for slot in range(bounds[state, 0], bounds[state, 1]):
            realised[slot] = own * played[slot]
            weights[slot] += weight * realised[slot]
