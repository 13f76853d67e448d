"""Monte Carlo CFR, compiled: both forms of ``support.learners.mccfr``, number for number."""

from collections.abc import Callable, Sequence

import numpy as np

from support.core.compiled import lean, njit
from support.core.flat import FlatGame
from support.core.splitmix_fast import share, step, stream
from support.exact.nash_conv_fast import normalise, tables_of
from support.learners.cfr import choices
from support.learners.cfr_fast import Trace
from support.learners.marks import as_marks
from support.learners.mccfr import EXPLORATION, require_exploration
from support.learners.sampling_fast import draw, match

NEXT = np.uint32(1)


def run(flat: FlatGame, marks: Sequence[int], seed: int, exploration: float = EXPLORATION) -> Trace:
    """Outcome sampling: learn from sampled games, and keep the average strategies at the marks.

    The interpreter's lock is released.

    Args:
        flat: an unfolded two-player zero-sum game of perfect recall that is sure to end.
        marks: rising numbers of games, from 1.
        seed: 64-bit seed; game k is played with the numbers of ``Stream(seed, k)``.
        exploration: the probability that the traverser plays at random, above 0 and at most 1.

    Returns:
        The same as ``support.learners.cfr_fast.run``, with games as iterations. If the rewards are whole numbers, all
        numbers equal the plain learner's.

    Raises:
        ValueError: a game that is not of this kind, marks that do not rise from 1, or ``exploration`` out of range.
    """
    require_exploration(exploration)
    return _traced(flat, marks, lambda *room: _run(tables_of(flat), np.uint64(seed), float(exploration), *room))


def run_external(flat: FlatGame, marks: Sequence[int], seed: int) -> Trace:
    """External sampling: the same as :func:`run`, but the traverser tries every action; there is nothing to explore.

    Raises:
        ValueError: a game that is not of this kind, or marks that do not rise from 1.
    """
    return _traced(flat, marks, lambda *room: _run_external(tables_of(flat), np.uint64(seed), *room))


def _traced(flat: FlatGame, marks: Sequence[int], walk: Callable[..., None]) -> Trace:
    """Run a kernel that is given the marks, and fills regrets, weights at each mark, and nodes up to each mark."""
    kept = as_marks(marks)
    choices(flat)  # raises an error for a game of another kind
    regrets, weights = np.zeros(flat.slots[-1]), np.zeros((len(kept), flat.slots[-1]))
    nodes = np.zeros(len(kept), np.int64)
    walk(kept, regrets, weights, nodes)
    return Trace(kept, nodes, normalise(flat, weights), weights, regrets)


@njit(nogil=True, cache=True)
def _run(tables, seed, exploration, marks, regrets, out, nodes):
    play = np.concatenate((np.zeros(regrets.size), tables.chances))
    weights = np.zeros(regrets.size)
    visits, odds = np.zeros((tables.order.size, 2)), np.zeros(int(np.diff(tables.first).max()))
    path = np.zeros((tables.order.size, 2), np.uint32)  # of the traverser: nodes and the edges taken
    visited, game = 0, 0
    for k in range(marks.size):
        while game < marks[k]:
            traverser = game % 2
            state = stream(seed, np.uint64(game))
            length, value, more = _play(
                tables, traverser, state, exploration, regrets, play, odds, path, visits, weights
            )
            _update(tables, length, value, play, path, visits, regrets)
            visited += more
            game += 1
        out[k] = weights
        nodes[k] = visited


@njit(nogil=True, cache=True)
def _play(tables, traverser, state, exploration, regrets, play, odds, path, visits, weights):
    """Play one game, and add the other player's choices to its average.

    Returns the number of the traverser's choices, its return, and the number of nodes visited.
    """
    first, start = tables.first, tables.start
    node, length, visited, total = np.uint32(0), 0, 1, 0.0
    own, chance = 1.0, 1.0
    while first[node] != first[node + NEXT]:
        fanout = np.int64(first[node + NEXT]) - np.int64(first[node])
        here, mover = start[node], tables.player[node]
        if mover >= 0:
            match(regrets, here, here + fanout, play)
        even, rest = (exploration / fanout, 1.0 - exploration) if mover == traverser else (0.0, 1.0)
        for place in range(fanout):
            odds[place] = even + rest * play[here + place]
        place = 0
        if fanout > 1:
            state = step(state)
            place = draw(odds, 0, fanout, share(state))
        edge = first[node] + place
        if mover == traverser:
            path[length, 0], path[length, 1] = node, edge
            visits[length, 0], visits[length, 1] = odds[place], own
            own *= odds[place]
            length += 1
        elif mover < 0:
            chance *= odds[place]
        else:
            for slot in range(here, here + fanout):
                weights[slot] += play[slot] / (own * chance)
        total += tables.rewards[traverser, edge]
        node = tables.child[edge]
        visited += 1
    return length, total, visited


@njit(nogil=True, cache=True)
def _update(tables, length, value, play, path, visits, regrets):
    """Add to the regrets, from the traverser's last choice to its first; ``play`` still holds its strategy there."""
    for k in range(length - 1, -1, -1):
        node, edge = path[k]
        begin, end, here = tables.first[node], tables.first[node + NEXT], tables.start[node]
        odds, own = visits[k]
        taken = value / odds
        value = play[here + (edge - begin)] * taken
        for other in range(begin, end):
            regrets[here] += ((taken if other == edge else 0.0) - value) / own
            here += NEXT


@njit(nogil=True, cache=True)
def _run_external(tables, seed, marks, regrets, out, nodes):
    play = np.concatenate((np.zeros(regrets.size), tables.chances))
    weights, values = np.zeros(regrets.size), np.zeros(tables.child.size)
    taken = np.zeros((regrets.size, 2), np.int64)  # by first slot: the last game that got there, from 1, and the place
    random, visited = np.zeros(1, np.uint64), np.zeros(1, np.int64)
    game = 0
    for k in range(marks.size):
        while game < marks[k]:
            random[0] = stream(seed, np.uint64(game))
            traverser = game % 2
            game += 1
            _value(tables, traverser, np.uint32(0), 0.0, game, random, regrets, play, taken, values, weights, visited)
        out[k] = weights
        nodes[k] = visited[0]


@lean(nogil=True, cache=True)
def _value(tables, traverser, node, before, game, random, regrets, play, taken, values, weights, visited):
    """The traverser's sampled return, of which ``before`` is paid before the node; ``values`` is room for the edges."""
    visited[0] += 1
    begin, end, here = tables.first[node], tables.first[node + NEXT], tables.start[node]
    mover, fanout = tables.player[node], np.int64(end) - np.int64(begin)
    if fanout == 0:
        return before
    if mover >= 0:
        match(regrets, here, here + fanout, play)
    if mover == traverser:
        value, slot = 0.0, here
        for edge in range(begin, end):
            after = before + tables.rewards[traverser, edge]
            child = tables.child[edge]
            values[edge] = _value(
                tables, traverser, child, after, game, random, regrets, play, taken, values, weights, visited
            )
            value += play[slot] * values[edge]
            slot += NEXT
        for edge in range(begin, end):
            regrets[here] += values[edge] - value
            here += NEXT
        return value
    place = 0
    if mover >= 0:
        for slot in range(here, here + fanout):
            weights[slot] += play[slot]
    if mover >= 0 and taken[here, 0] == game:
        place = taken[here, 1]
    else:
        if fanout > 1:
            random[0] = step(random[0])
            place = draw(play, here, fanout, share(random[0]))
        if mover >= 0:
            taken[here, 0], taken[here, 1] = game, place
    edge = begin + place
    after = before + tables.rewards[traverser, edge]
    child = tables.child[edge]
    return _value(tables, traverser, child, after, game, random, regrets, play, taken, values, weights, visited)
