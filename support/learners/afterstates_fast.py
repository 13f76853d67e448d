"""Learning on afterstates, compiled: the games of ``support.learners.afterstates.learn``, number for number.

A node of the unfolded game says who is to move, and therefore who left it behind, so one array over the nodes holds
both players' tables. With the slip of the printed program, the second player consults the first player's entry for the
same board: its twin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from support.core.compiled import njit
from support.core.flat import FlatGame
from support.core.interface import SEPARATOR, DoesNotFitError
from support.core.splitmix_fast import mix, step, stream
from support.exact.kinds import play_order
from support.exact.retrograde import winners
from support.learners.afterstates import AfterstateSettings, Board, Learned, board_of

S32 = np.uint64(32)
HOLD = 100
"""The number of games in a row before which the greedy opening must be right to count as found."""


@dataclass(frozen=True, eq=False)
class Layout:
    """An unfolded game as the kernel reads it.

    Attributes:
        flat: the game.
        owner: int8[n], the player who leaves a node behind; -1 for the root.
        winner: int8[n], who has won, -1 where the game goes on.
        twin: int32[m], for each edge, the slot of the first player's value for the board that it leads to. This is a
            node or, if the first player cannot leave that board behind, an extra slot that is never updated.
        slots: number of values: one per node, then the extra ones.
        longest: moves in the longest game.
    """

    flat: FlatGame
    owner: np.ndarray
    winner: np.ndarray
    twin: np.ndarray
    slots: int
    longest: int

    def tables(self, values: np.ndarray, visited: np.ndarray) -> tuple[dict[Board, float], dict[Board, float]]:
        """The two players' values of the boards they have left behind, as the plain learner keeps them."""
        tables: tuple[dict[Board, float], dict[Board, float]] = ({}, {})
        for node in np.flatnonzero(visited[: self.flat.num_nodes]).tolist():
            tables[self.owner[node]][board_of(self.flat.positions[node])] = float(values[node])
        return tables

    def greedy_line(self, settings: AfterstateSettings, values: np.ndarray) -> str:
        """The same as :func:`support.learners.afterstates.greedy_line`, from the values as float64[slots]."""
        flat, node = self.flat, 0
        moves = [str(flat.game.initial_state())]
        while self.winner[node] < 0:
            edge = self._greedy(settings, values, node)
            moves.append(flat.label[edge])
            node = int(flat.child[edge])
        return f" {SEPARATOR} ".join(moves)

    def greedy(self, settings: AfterstateSettings, values: np.ndarray) -> list[int]:
        """In every information state, the edge to the highest value of float64[slots], the first of equals."""
        return [self._greedy(settings, values, node) for (node,) in self.flat.nodes_of_information]

    def _greedy(self, settings: AfterstateSettings, values: np.ndarray, node: int) -> int:
        edges = self.flat.edges(node)
        consult = self.twin if settings.slip else self.flat.child
        return edges.start + int(values[consult[edges.start : edges.stop]].argmax())


@dataclass(frozen=True, eq=False)
class Runs:
    """The results of many runs.

    Attributes:
        values: float64[runs, slots], the final values; slot i below the number of nodes belongs to node i.
        visited: bool[runs, slots], whether the value was ever updated.
        wins: int64[runs, checkpoints], games won by the first player in the games up to each checkpoint.
        right: bool[runs], whether the greedy opening is right at the end.
        settled: int64[runs], the number of games after which the greedy opening was right for good: before every later
            game and at the end. It is one more than the number of games if the opening is wrong at the end.
        found: int64[runs], the number of games after which the greedy opening was right, for the first time, before
            ``HOLD`` games in a row. It is one more than the number of games if that never happened.
        games_right: int64[runs], the number of games before which the greedy opening was right.
    """

    values: np.ndarray
    visited: np.ndarray
    wins: np.ndarray
    right: np.ndarray
    settled: np.ndarray
    found: np.ndarray
    games_right: np.ndarray


def lay_out(flat: FlatGame) -> Layout:
    """Prepare an unfolded game.

    Raises:
        ValueError: not a two-player game of win or loss with perfect information, without chance, and sure to end; or
            its positions do not say who left them behind.
    """
    winner, owner = winners(flat), np.full(flat.num_nodes, -1, np.int8)
    sources = flat.source
    for source, child in zip(sources, flat.child, strict=True):
        if owner[child] not in (-1, flat.player[source]):
            raise DoesNotFitError(
                f"both players can leave {flat.positions[child]} behind: positions must say whose turn it is"
            )
        owner[child] = flat.player[source]
    slot: dict[Board, int] = {}
    for node in np.flatnonzero(owner == 0).tolist():
        slot[board_of(flat.positions[node])] = node
    missing = {board_of(flat.positions[node]): None for node in np.flatnonzero(owner == 1).tolist()}
    extra = [board for board in missing if board not in slot]
    slot |= {board: flat.num_nodes + place for place, board in enumerate(extra)}
    twin = np.array([slot[board_of(flat.positions[child])] for child in flat.child], np.int32)
    return Layout(flat, owner, winner, twin, flat.num_nodes + len(extra), _longest(flat))


def _longest(flat: FlatGame) -> int:
    """The number of moves in the longest game."""
    height = np.zeros(flat.num_nodes, np.int64)
    for node in reversed(play_order(flat)):
        edges = flat.edges(node)
        height[node] = 1 + height[flat.child[edges.start : edges.stop]].max() if edges else 0
    return int(height[0])


def learn_fast(flat: FlatGame, settings: AfterstateSettings, seed: int) -> Learned:
    """One run, with everything that the plain learner reports.

    Args:
        flat: the unfolded game.
        settings: learning rate, exploration, number of games.
        seed: 64-bit seed.
    """
    layout = lay_out(flat)
    values, visited = np.full(layout.slots, float(settings.start)), np.zeros(layout.slots, np.bool_)
    wins, openings = np.zeros(settings.games, np.uint8), np.zeros(settings.games + 1, np.int32)
    right, none = np.zeros(len(flat.edges(0)), np.bool_), np.zeros(0, np.int64)
    _learn(_constants(layout, settings, right, none), np.uint64(seed), values, visited, none, wins, openings)
    return Learned(layout.tables(values, visited), wins, openings)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Settings prepared for the kernel; preparing them takes a third as long as a run of 10,000 games.

    Attributes:
        layout: the prepared game.
        settings: learning rate, exploration, number of games.
        constants: the same, as the kernels unpack it.
    """

    layout: Layout
    settings: AfterstateSettings
    constants: "Constants"

    @property
    def checkpoints(self) -> np.ndarray:
        """int64, rising numbers of games after which wins are counted."""
        return self.constants.marks

    def runs(self, seeds: Sequence[int] | np.ndarray) -> Runs:
        """One run per 64-bit seed. The interpreter's lock is released meanwhile."""
        count = len(seeds)
        values = np.full((count, self.layout.slots), float(self.settings.start))
        visited = np.zeros((count, self.layout.slots), np.bool_)
        wins, openings = np.zeros((count, self.constants.marks.size), np.int64), np.zeros((count, 3), np.int64)
        _learn_many(self.constants, np.array(seeds, np.uint64), values, visited, wins, openings)
        settled, found, games_right = openings.T
        return Runs(values, visited, wins, settled <= self.settings.games, settled, found, games_right)

    def observed(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """One run, which ends at the last checkpoint. The interpreter's lock is released meanwhile.

        Args:
            seed: 64-bit seed.

        Returns:
            At each checkpoint float64[checkpoints, slots], the values, and int64[checkpoints], the states visited so
            far, initial and terminal states included.
        """
        count = self.checkpoints.size
        values, nodes = np.full((count, self.layout.slots), float(self.settings.start)), np.zeros(count, np.int64)
        _observe(self.constants, np.uint64(seed), values, nodes)
        return values, nodes


def prepare(
    layout: Layout, settings: AfterstateSettings, right: np.ndarray, checkpoints: Sequence[int] | np.ndarray = ()
) -> Prepared:
    """Prepare settings for the kernel.

    Args:
        layout: the prepared game.
        settings: learning rate, exploration, number of games.
        right: bool, for each legal action at the root, whether it counts as a right opening.
        checkpoints: rising numbers of games, from 1, after which wins are counted.

    Raises:
        ValueError: a mask of the wrong length, or checkpoints that do not rise or are out of range.
    """
    marks, right = np.asarray(checkpoints, np.int64), np.asarray(right, np.bool_)
    if right.shape != (len(layout.flat.edges(0)),):
        raise ValueError(f"right must name {len(layout.flat.edges(0))} openings, not {right.shape}")
    if marks.size and (marks[0] < 1 or marks[-1] > settings.games or (np.diff(marks) <= 0).any()):
        raise ValueError(f"checkpoints must rise from 1 to at most {settings.games}, not {marks.tolist()}")
    return Prepared(layout, settings, _constants(layout, settings, right, marks))


class Constants(NamedTuple):
    """What does not change between games, in the order in which the kernel unpacks it.

    The parents of a slot are the nodes whose choice depends on it. Those of slot i, and their edges to it, are at
    ``above[i]`` to ``above[i + 1] - 1``.
    """

    first: np.ndarray
    child: np.ndarray
    consult: np.ndarray  # for each edge, the slot whose value decides
    mover: np.ndarray
    owner: np.ndarray
    winner: np.ndarray
    above: np.ndarray
    parent: np.ndarray
    parent_edge: np.ndarray
    right: np.ndarray
    marks: np.ndarray
    explores: np.ndarray  # for each player, whether it ever explores
    last: np.ndarray  # for each player, the largest random number that makes it explore
    alpha: float
    games: int
    longest: int


def _constants(layout: Layout, settings: AfterstateSettings, right: np.ndarray, marks: np.ndarray) -> Constants:
    flat, exploring = layout.flat, settings.exploring()
    consult = layout.twin if settings.slip else flat.child
    parent_edge = np.argsort(consult, kind="stable")
    sources = flat.source
    return Constants(  # unsigned, so the compiler need not check for negative indices
        first=flat.first.astype(np.uint32),
        child=flat.child.astype(np.uint32),
        consult=consult.astype(np.uint32),
        mover=flat.player,
        owner=layout.owner,
        winner=layout.winner,
        above=np.searchsorted(consult[parent_edge], np.arange(layout.slots + 1)).astype(np.uint32),
        parent=sources[parent_edge].astype(np.uint32),
        parent_edge=parent_edge.astype(np.uint32),
        right=right,
        marks=marks,
        explores=np.array([count > 0 for count in exploring], np.bool_),
        last=np.array([max(count - 1, 0) for count in exploring], np.uint64),  # 2^64 itself would not fit
        alpha=float(settings.alpha),
        games=settings.games,
        longest=layout.longest,
    )


@njit(nogil=True, cache=True)
def _learn_many(constants, seeds, values, visited, wins, summary):
    no_wins, no_openings = np.zeros(0, np.uint8), np.zeros(0, np.int32)
    for run in range(seeds.size):
        summary[run] = _learn(constants, seeds[run], values[run], visited[run], wins[run], no_wins, no_openings)


@njit(nogil=True, cache=True)
def _learn(constants, seed, values, visited, won_at, wins, openings):
    """One run: when the greedy opening settled and was found, and before how many games it was right."""
    # Inlined helpers: passing this many arrays to a function can cost more than what the function does.
    first, child, consult, mover, owner, winner, above, parent, parent_edge, right, marks = constants[:11]
    explores, last, alpha, games, longest = constants[11:]
    path = np.empty(longest, np.uint32)
    best, highest = first[:-1].copy(), np.full(first.size - 1, np.inf)
    state, settled, found, games_right, streak = stream(seed, np.uint64(0)), 0, games + 1, 0, 0
    won, mark = 0, 0
    for game in range(games):
        if values[consult[best[0]]] != highest[0]:
            search(first, consult, values, best, highest, 0)
        opening = best[0]
        if right[opening]:
            games_right += 1
            streak += 1
            if streak == HOLD:
                found = min(found, game + 1 - HOLD)
        else:
            settled, streak = game + 1, 0
        if openings.size:
            openings[game] = opening
        state, moves = play_once(first, child, consult, mover, explores, last, values, best, highest, state, path)
        first_won = winner[path[moves - 1]] == 0
        update_path(owner, above, parent, parent_edge, values, visited, best, highest, alpha, path, moves, first_won)
        won += first_won
        if wins.size:
            wins[game] = first_won
        if mark < marks.size and game + 1 == marks[mark]:
            won_at[mark] = won
            mark += 1
    search(first, consult, values, best, highest, 0)
    opening = best[0]
    if openings.size:
        openings[games] = opening
    return settled if right[opening] else games + 1, found, games_right


@njit(nogil=True, cache=True)
def _observe(constants, seed, kept, nodes):
    """The same run as that of :func:`_learn`; it counts no openings, but keeps the values at each mark."""
    first, child, consult, mover, owner, winner, above, parent, parent_edge, _, marks = constants[:11]
    explores, last, alpha, _, longest = constants[11:]
    path, values = np.empty(longest, np.uint32), kept[0].copy()
    visited = np.zeros(values.size, np.bool_)
    best, highest = first[:-1].copy(), np.full(first.size - 1, np.inf)
    state, touched, game = stream(seed, np.uint64(0)), 0, 0
    for k in range(marks.size):
        while game < marks[k]:
            state, moves = play_once(first, child, consult, mover, explores, last, values, best, highest, state, path)
            first_won = winner[path[moves - 1]] == 0
            update_path(
                owner, above, parent, parent_edge, values, visited, best, highest, alpha, path, moves, first_won
            )
            touched += moves + 1
            game += 1
        kept[k] = values
        nodes[k] = touched


@njit(nogil=True, cache=True)
def search(first, consult, values, best, highest, node):
    """Find the first of the edges that lead to the highest value.

    ``best`` stores the answer and ``highest`` its value. No value that can be chosen at the node is ever higher,
    because every rise is passed on to the parents. So as long as the stored edge still has that value, it is the
    answer, and no search is needed. (The callers make that test, and nothing is returned here; otherwise the compiler
    would count references to the arrays in every game, at three times the cost.)
    """
    edge = first[node]
    top = values[consult[edge]]
    for other in range(edge + np.uint32(1), first[node + np.uint32(1)]):
        value = values[consult[other]]
        if value > top:
            edge = np.uint32(other)
            top = value
    best[node] = edge
    highest[node] = top


@njit(inline="always")
def play_once(first, child, consult, mover, explores, last, values, best, highest, state, path):
    """Play one game; return the random state and the number of moves. ``path`` takes the nodes left behind."""
    node, moves = np.uint32(0), 0
    while mover[node] >= 0:
        player = mover[node]
        state = step(state)
        if explores[player] and mix(state) <= last[player]:
            state = step(state)
            edges = np.uint64(first[node + np.uint32(1)] - first[node])
            edge = np.uint32(first[node] + (((mix(state) >> S32) * edges) >> S32))
        else:
            if values[consult[best[node]]] != highest[node]:
                search(first, consult, values, best, highest, node)
            edge = best[node]
        node = child[edge]
        path[moves] = node
        moves += 1
    return state, moves


@njit(inline="always")
def update_path(owner, above, parent, parent_edge, values, visited, best, highest, alpha, path, moves, first_won):
    """Update from the last move to the first; a player's target is its reward, then its next move's new value."""
    first, second = (1.0, 0.0) if first_won else (0.0, 1.0)
    for move in range(moves - 1, -1, -1):
        slot = path[move]
        old = values[slot]
        new = old + alpha * ((first if owner[slot] == 0 else second) - old)
        values[slot] = new
        visited[slot] = True
        if owner[slot] == 0:
            first = new
        else:
            second = new
        if new > old:  # pass the rise on to the parents
            for place in range(above[slot], above[slot + np.uint32(1)]):
                node, edge = parent[place], parent_edge[place]
                if new > highest[node] or (new == highest[node] and edge < best[node]):
                    best[node] = edge
                    highest[node] = new
