"""UCT, compiled: the searches of ``support.learners.uct``, choice for choice, with the tree in arrays."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from support.core.compiled import lean, njit
from support.core.flat import FlatGame
from support.core.interface import CHANCE, TERMINAL, State
from support.core.play import Stream
from support.core.splitmix_fast import mix, share, step
from support.exact.kinds import require_open
from support.learners import Curve
from support.learners.marks import as_marks
from support.learners.sampling_fast import LONGEST, any_of, draw, require_end, walk_of
from support.learners.uct import EXPLORATION, Search, stream_of

NEXT = np.uint32(1)


@dataclass
class FastSearch(Search):
    """The same policy on an unfolded game.

    Args:
        games: the number of games played in each search.
        seed: 64-bit seed.
        exploration: the constant c.
        flat: a game of perfect information.
    """

    flat: FlatGame = field(kw_only=True)

    def _choose(self, state: State, stream: Stream) -> Any:
        node, marks = self.flat.index[state.position], np.array([self.games], np.int64)
        chosen, _ = search(self.flat, node, marks, stream, self.exploration)
        return self.flat.action[chosen[0]]


def run(flat: FlatGame, marks: Sequence[int], seed: int, exploration: float = EXPLORATION) -> Curve:
    """Search once in each information state, and keep what the search would have chosen at the marks.

    Args:
        flat: an unfolded game of perfect information that is sure to end if it is played at random.
        marks: rising numbers of games in each search, from 1.
        seed: 64-bit seed.
        exploration: the constant c.

    Returns:
        The nodes of all searches together, and for each mark the weight 1 for the action chosen.

    Raises:
        ValueError: marks that do not rise from 1.
        DoesNotFitError: something is hidden in the game.
        TooLongError: a game takes more than about a million moves.
    """
    kept = as_marks(marks)
    require_open(flat, "UCT")
    nodes, weights = np.zeros_like(kept), np.zeros((len(kept), flat.slots[-1]))
    for where, (node,) in zip(flat.information_states, flat.nodes_of_information, strict=True):
        chosen, visited = search(flat, node, kept, stream_of(seed, where), exploration)
        weights[np.arange(len(kept)), flat.slot[chosen]] = 1.0
        nodes += visited
    return Curve(nodes, weights)


def search(
    flat: FlatGame, node: int, marks: np.ndarray, stream: Stream, exploration: float = EXPLORATION
) -> tuple[np.ndarray, np.ndarray]:
    """One search; the interpreter's lock is released meanwhile.

    Args:
        flat: a game of perfect information.
        node: where a player is to move.
        marks: int64[k], rising numbers of games, from 0.
        stream: for everything that is drawn.
        exploration: the constant c.

    Returns:
        Both int64[k]: the edge that was taken most often up to each mark, and the number of states visited, that of the
        root in every game and terminal states included.

    Raises:
        TooLongError: a game takes more than about a million moves.
    """
    edges, nodes = np.zeros((2, len(marks)), np.int64)
    widest = int(np.diff(flat.first).max())
    how = (widest, float(exploration))
    _search(walk_of(flat), np.uint32(node), np.uint64(stream.state), marks, how, edges, nodes)
    require_end(nodes[-1])
    return edges, nodes


@njit(nogil=True, cache=True)
def _search(walk, root, state, marks, how, edges, nodes):
    widest, exploration = how
    first, child, player, _, chances, rewards = walk
    most_nodes = marks[-1] + 1
    # The tree: who moved to each of its nodes, visits, what that player gained, and the first place of its children.
    mover, visits = np.empty(most_nodes, np.int8), np.zeros(most_nodes, np.int64)
    gained, base = np.zeros(most_nodes), np.full(most_nodes, -1, np.int64)
    children = np.empty(most_nodes * widest, np.int32)  # 0 where there is none yet
    path = np.zeros(most_nodes + 1, np.int64)
    players = rewards.shape[0]
    gains, least, most = np.zeros(players), np.full(players, np.inf), np.full(players, -np.inf)
    used, size, visited, game = np.int64(0), np.int64(1), 0, 0
    mover[0] = CHANCE
    for k in range(marks.size):
        while game < marks[k]:
            game += 1
            node, here, length, moves = root, np.int64(0), 1, 0
            gains[:] = 0.0
            while player[node] != TERMINAL:
                if moves == LONGEST:
                    nodes[-1] = -1
                    return
                fanout = np.int64(first[node + NEXT]) - np.int64(first[node])
                inside = length == 1 or visits[here] > 0
                if inside and base[here] < 0:
                    base[here] = used
                    children[used : used + fanout] = 0
                    used += fanout
                untried = fanout
                if inside and player[node] >= 0:
                    untried = _untried(children, base[here], fanout)
                place = 0
                if untried:
                    state = step(state)
                if player[node] < 0:
                    place = draw(chances, first[node], fanout, share(state))
                elif not inside:
                    place = any_of(mix(state), fanout)
                elif untried:
                    place = _place(children, base[here], any_of(mix(state), untried))
                else:
                    span = most[player[node]] - least[player[node]]
                    width = exploration * (span if span != 0.0 else 1.0)
                    place = _most_promising(children, base[here], fanout, visits, gained, visits[here], width)
                if inside:
                    to = children[base[here] + place]
                    if to == 0:
                        to = size
                        children[base[here] + place] = to
                        mover[to] = player[node]
                        size += 1
                    here = np.int64(to)
                    path[length] = here
                    length += 1
                edge = first[node] + np.uint32(place)
                for one in range(players):
                    gains[one] += rewards[one, edge]
                node = child[edge]
                moves += 1
            visited += moves + 1
            for one in range(players):
                least[one], most[one] = min(least[one], gains[one]), max(most[one], gains[one])
            for number in range(length):
                here = path[number]
                visits[here] += 1
                if mover[here] >= 0:
                    gained[here] += gains[mover[here]]
        nodes[k] = visited
        edges[k] = first[root]
        if base[0] >= 0:
            taken = np.int64(0)
            for place in range(np.int64(first[root + NEXT]) - np.int64(first[root])):
                to = children[base[0] + place]
                if to and visits[to] > taken:
                    edges[k], taken = first[root] + place, visits[to]


@lean(nogil=True, cache=True)
def _untried(children, base, fanout):
    """The number of a node's actions that have not been tried."""
    count = 0
    for place in range(base, base + fanout):
        count += children[place] == 0
    return count


@lean(nogil=True, cache=True)
def _place(children, base, left):
    """The place of the untried action after ``left`` others."""
    place = 0
    while children[base + place] or left:
        left -= children[base + place] == 0
        place += 1
    return place


@lean(nogil=True, cache=True)
def _most_promising(children, base, fanout, visits, gained, came, width):
    """The place of the action with the largest upper bound; of equals the first tried, whose node came first."""
    log = np.log(float(came))
    best, highest = 0, -np.inf
    for place in range(fanout):
        to = children[base + place]
        bound = gained[to] / visits[to] + width * np.sqrt(log / visits[to])
        if bound > highest or (bound == highest and to < children[base + best]):
            best, highest = place, bound
    return best
