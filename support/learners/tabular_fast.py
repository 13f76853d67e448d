"""Q-learning, Sarsa and Monte Carlo control, compiled: the games of ``support.learners.tabular``, number for number."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from support.core.compiled import lean, njit
from support.core.flat import FlatGame
from support.core.interface import TERMINAL
from support.core.splitmix_fast import mix, share, step, stream
from support.learners.marks import as_marks
from support.learners.sampling_fast import LONGEST, any_of, draw, require_end, walk_of
from support.learners.tabular import RULES

NAMES = list(RULES)
MONTE_CARLO, Q_LEARNING, SARSA = map(NAMES.index, ("monte-carlo", "q-learning", "sarsa"))
NEXT = np.uint32(1)


@dataclass(frozen=True, eq=False)
class Trace:
    """A run, recorded at its marks.

    Attributes:
        marks: int64[k], games played.
        nodes: int64[k], states visited up to each mark, those of chance and terminal states included.
        weights: float64[k, slots], 1 for the action with the highest value, the first of equals; all zero in
            information states that were never met.
        values: float64[slots], the value of each action at the last mark, in units of rewards.
    """

    marks: np.ndarray
    nodes: np.ndarray
    weights: np.ndarray
    values: np.ndarray


def run(flat: FlatGame, rule: str, marks: Sequence[int], seed: int, **settings: float) -> Trace:
    """Play, learn, and keep the greedy policy at the marks. The interpreter's lock is released meanwhile.

    Args:
        flat: any unfolded game that is sure to end if it is played at random.
        rule: one of ``support.learners.tabular.RULES``.
        marks: rising numbers of games, from 1.
        seed: 64-bit seed; game k is played with the numbers of ``Stream(seed, k)``.
        settings: the exploration and the least step, if they are not those of the rule.

    Raises:
        ValueError: no such rule, or marks that do not rise from 1.
        DoesNotFitError: the nodes of an information state do not list the same actions.
        TooLongError: a game takes more than about a million moves.
    """
    if rule not in RULES:
        raise ValueError(f"there is no rule '{rule}'; there are {', '.join(RULES)}")
    kept, plain, slots = as_marks(marks), RULES[rule](**settings), int(flat.slots[-1])
    trace = Trace(kept, np.zeros_like(kept), np.zeros((len(kept), slots)), np.zeros(slots))
    how = (NAMES.index(rule), float(plain.exploration), float(plain.least_step))
    _run(walk_of(flat), flat.slots, how, np.uint64(seed), kept, trace.values, trace.weights, trace.nodes)
    require_end(trace.nodes[-1])
    return trace


@njit(nogil=True, cache=True)
def _run(walk, slots, how, seed, marks, values, out, nodes):
    rule, exploration, least_step = how
    visits = np.zeros(values.size, np.int64)
    path = np.empty((LONGEST, 2), np.uint32)  # nodes, and the edges taken there
    later = np.zeros((2, walk.rewards.shape[0]))
    visited, game = 0, 0
    for k in range(marks.size):
        while game < marks[k]:
            moves = _play(walk, exploration, stream(seed, np.uint64(game)), values, path)
            if moves < 0:
                nodes[-1] = -1
                return
            _learn(walk, rule, least_step, path, moves, later, visits, values)
            visited += moves + 1
            game += 1
        nodes[k] = visited
        for information in range(slots.size - 1):
            begin, end = slots[information], slots[information + 1]
            if visits[begin:end].any():
                out[k, begin + _best(values, begin, end - begin)] = 1.0


@lean(nogil=True, cache=True)
def _best(values, start, fanout):
    """The place of the highest value from ``start`` on, the first of equals."""
    best = 0
    for place in range(1, fanout):
        if values[start + place] > values[start + best]:
            best = place
    return best


@lean(nogil=True, cache=True)
def _play(walk, exploration, state, values, path):
    """Play one game; return its number of moves, -1 if it did not end."""
    first, child, player, start, chances, _ = walk
    node, moves = np.uint32(0), 0
    while player[node] != TERMINAL:
        if moves == path.shape[0]:
            return -1
        fanout = np.int64(first[node + NEXT]) - np.int64(first[node])
        state = step(state)
        number = share(state)
        if player[node] < 0:
            place = draw(chances, first[node], fanout, number)
        elif number < exploration:
            state = step(state)
            place = any_of(mix(state), fanout)
        else:
            place = _best(values, start[node], fanout)
        edge = first[node] + np.uint32(place)
        path[moves, 0], path[moves, 1] = node, edge
        moves += 1
        node = child[edge]
    return moves


@lean(nogil=True, cache=True)
def _learn(walk, rule, least_step, path, moves, later, visits, values):
    """Learn from a game, last move first; ``later`` has what each player gains until its next decision, and its worth.

    It is room for two numbers a player.
    """
    first, _, player, start, _, rewards = walk
    later[:] = 0.0
    for move in range(moves - 1, -1, -1):
        node, edge = path[move, 0], path[move, 1]
        for one in range(rewards.shape[0]):
            later[0, one] += rewards[one, edge]
        mover = player[node]
        if mover < 0:
            continue
        here, slot = start[node], start[node] + (edge - first[node])
        target = later[0, mover] + later[1, mover]
        visits[slot] += 1
        values[slot] += max(1.0 / visits[slot], least_step) * (target - values[slot])
        worth = target
        if rule == SARSA:
            worth = values[slot]
        elif rule == Q_LEARNING:
            worth = values[here + _best(values, here, np.int64(first[node + NEXT]) - np.int64(first[node]))]
        later[0, mover], later[1, mover] = 0.0, worth
