"""Deep Q-learning for any game that unfolds, compiled: the games, the exploration and the memory of ``dqn``.

Plain counterpart: ``support.learners.dqn.DeepQLearner`` plays the same games and draws the same batches from the same
random numbers. Compiled play stops when a step is due and goes on with the new weights, so with the same optimiser the
weights are the same too, digit for digit.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import exp
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean
from support.core.flat import FlatGame
from support.core.splitmix_fast import share, step, stream
from support.learners import Curve
from support.learners.dqn_settings import DeepQSettings, seeds
from support.learners.encoding import Arrays, arrays_of, encode
from support.learners.marks import as_marks
from support.learners.network import Batch, Network, Twins
from support.learners.network_fast import (
    copy,
    drawn,
    forward,
    lay_out,
    room_for_layers,
    room_for_rows,
    values,
)
from support.learners.optimiser import Optimiser
from support.learners.optimiser_fast import CompiledOptimiser

NOWHERE = -1
"""The node between two games, the state of a player without a decision, and the state after a game's end."""
BOARD = np.dtype(
    [
        ("random", np.uint64),  # the state of the game's stream
        ("node", np.int64),
        ("games", np.int64),  # that have been played to their end
        ("nodes", np.int64),  # visited, ever
        ("decisions", np.int64),  # after the first games
        ("stored", np.int64),  # transitions, ever
    ]
)
"""A game in progress, and totals so far."""


class Transitions(NamedTuple):
    """Decisions, one in each row: those in the memory, or the last one of each player.

    Attributes:
        states: int64[n], the information state of each.
        actions: int64[n], the number of the action among all of the game.
        gains: float64[n], the player's rewards since.
        nexts: int64[n], the player's next information state, or ``NOWHERE``.
    """

    states: np.ndarray
    actions: np.ndarray
    gains: np.ndarray
    nexts: np.ndarray

    @classmethod
    def empty(cls, rows: int) -> "Transitions":
        """Rows without a decision."""
        return cls(np.full(rows, NOWHERE), np.zeros(rows, np.int64), np.zeros(rows), np.full(rows, NOWHERE))


class _Parts(NamedTuple):
    """All that play reads and writes, except for the board.

    Attributes:
        arrays: the game.
        seen: float32[states, features], what the network sees.
        sizes: int64[layers + 1], its widths.
        weights: float32[n], its weights.
        layers, room: the layout of ``network_fast``, with room for one row.
        memory: the replay memory.
        last: the last decision of each player.
    """

    arrays: Arrays
    seen: np.ndarray
    sizes: np.ndarray
    weights: np.ndarray
    layers: np.ndarray
    room: np.ndarray
    memory: Transitions
    last: Transitions


class FastDeepQLearner:
    """The plain ``DeepQLearner``, compiled; arguments, attributes and errors are the same, but for the memory.

    Raises:
        DoesNotFitError: no player ever moves, or ``arrays_of`` cannot take the game.
    """

    def __init__(
        self, flat: FlatGame, settings: DeepQSettings, seed: int, optimiser: type[Optimiser] = CompiledOptimiser
    ):
        weights, games, batches = seeds(seed)
        seen, arrays = encode(flat), arrays_of(flat)
        sizes = settings.widths(seen.shape[1], arrays.legal.shape[1])
        self.settings, self.network = settings, Network.fresh(sizes, weights)
        self.optimiser = optimiser(self.network, settings)
        self._parts = _Parts(
            arrays,
            seen,
            np.array(sizes),
            self.network.weights,
            room_for_layers(sizes),
            room_for_rows(sizes, 1),
            Transitions.empty(settings.memory),
            Transitions.empty(flat.num_players),
        )
        self._board, self._games = np.zeros(1, BOARD), np.uint64(games)
        self._board["node"] = NOWHERE
        self._batch, self._taken = Batch.empty(settings.batch, sizes[0], sizes[-1]), np.zeros(settings.memory, bool)
        self._twins, self._met = Twins.none(settings.batch), np.full((2, len(flat.information_states)), NOWHERE)
        self._batches = np.array([stream(np.uint64(batches), np.uint64(0))], np.uint64)

    @property
    def games(self) -> int:
        """The number of games played."""
        return int(self._board[0]["games"])

    @property
    def nodes(self) -> int:
        """The number of nodes visited, those of chance and ends included."""
        return int(self._board[0]["nodes"])

    @property
    def decisions(self) -> int:
        """The number of decisions after the first games, which fill the memory."""
        return int(self._board[0]["decisions"])

    def play(self, games: int) -> None:
        """Play and learn from further games.

        Raises:
            FloatingPointError: some weights are no longer finite.
        """
        end, one = self.games + games, self.settings
        conduct = one.epsilon_start, one.epsilon_end, one.decay, one.warm_games, one.every
        while _advance(self._parts, self._games, end, conduct, self._board):
            size = min(int(self._board[0]["stored"]), one.memory)
            if size >= one.batch:
                since = one.batch * self.optimiser.steps
                _gather(self._parts, size, self._taken, self._batches, self._batch, self._twins, self._met, since)
                self.optimiser.step(self._batch, self._twins)
        if not np.isfinite(self.network.weights).all():
            raise FloatingPointError(f"after {end:,} games some weights are not finite")

    def policy(self) -> np.ndarray:
        """float64[slots], 1 for the greedy action of each information state and 0 for all others."""
        slots, found = self._parts.arrays.slots, values(self.network, self._parts.seen)
        by_slot = found[np.repeat(np.arange(len(found)), np.diff(slots)), self._parts.arrays.numbers]
        weights = np.zeros(len(by_slot))
        weights[[start + by_slot[start:stop].argmax() for start, stop in pairwise(slots)]] = 1
        return weights


def run(flat: FlatGame, marks: Sequence[int], seed: int, settings: DeepQSettings) -> Curve:
    """Learn a game, and keep the greedy policy at each mark.

    Args:
        flat: an unfolded game that ends if it is played at random.
        marks: rising numbers of games, from 1; those that fill the memory count.
        seed: 64 bits.
        settings: how the players learn.

    Raises:
        DoesNotFitError: no player ever moves, or ``arrays_of`` cannot take the game.
        ValueError: the marks do not rise from 1.
        FloatingPointError: some weights are no longer finite.
    """
    kept, learner = as_marks(marks), FastDeepQLearner(flat, settings, seed)
    nodes, weights = np.zeros(len(kept), np.int64), np.zeros((len(kept), flat.slots[-1]))
    for row, mark in enumerate(kept.tolist()):
        learner.play(mark - learner.games)
        nodes[row], weights[row] = learner.nodes, learner.policy()
    return Curve(nodes, weights)


@lean(nogil=True, cache=True)
def _gather(parts, size, taken, random, batch, twins, met, since):
    """Draw different transitions of the memory, and write down what was seen there and which rows saw the same.

    ``met`` has, for each information state, ``since`` plus the first row that saw it, and less if none did; twice.
    """
    memory, places = parts.memory, batch.actions  # they become actions below
    drawn(size, taken, random, places)
    for number in range(places.size):
        place = places[number]
        state, after = memory.states[place], memory.nexts[place]
        copy(parts.seen[state], batch.states[number])
        batch.actions[number] = memory.actions[place]
        batch.rewards[number] = memory.gains[place]
        batch.goes_on[number] = after != NOWHERE
        twins.states[number], twins.nexts[number] = _first(met[0], state, number, since), number
        if after != NOWHERE:
            copy(parts.seen[after], batch.nexts[number])
            copy(parts.arrays.legal[after], batch.legal[number])
            twins.nexts[number] = _first(met[1], after, number, since)


@lean
def _first(met, state, row, since):
    """The first row of this batch with an information state."""
    if met[state] < since:
        met[state] = since + row
    return met[state] - since


@lean
def _share(board):
    """A random number from 0 to 1, 1 excluded."""
    board.random = step(board.random)
    return share(board.random)


@lean
def _keep(parts, board, player, after):
    """Keep a player's last decision in the memory."""
    memory, last = parts.memory, parts.last
    place = board.stored % memory.states.size
    memory.states[place], memory.actions[place] = last.states[player], last.actions[player]
    memory.gains[place], memory.nexts[place] = last.gains[player], after
    board.stored += 1


@lean
def _greedy(parts, state, choices):
    """The place of the legal action of highest value, the first of equals."""
    sizes, room, arrays, last = parts.sizes, parts.room, parts.arrays, parts.sizes.size - 1
    copy(parts.seen[state], room[0, 0])
    forward(parts.layers, sizes, room, 1, last)
    start, best = arrays.slots[state], 0
    for place in range(1, choices):
        if room[last, 0, arrays.numbers[start + place]] > room[last, 0, arrays.numbers[start + best]]:
            best = place
    return best


@lean
def _decide(parts, board, conduct, mover, choices):
    """The player to move keeps its last decision and makes the next; returns the place of its action."""
    arrays, last = parts.arrays, parts.last
    start, end, decay, warm, _ = conduct
    state = np.int64(arrays.information[board.node])
    if last.states[mover] != NOWHERE:
        _keep(parts, board, mover, state)
    if _share(board) < end + (start - end) * exp(-max(board.games - warm, 0) / decay):
        place = np.int64(_share(board) * choices)
    else:
        place = _greedy(parts, state, choices)
    last.states[mover], last.actions[mover] = state, arrays.numbers[arrays.slots[state] + place]
    last.gains[mover] = 0.0
    return place


@lean(nogil=True, cache=True)
def _advance(parts, seed, end, conduct, boards):
    """Play games, from the current node, until a step is due (True) or ``end`` games are played (False)."""
    board, arrays, last, warm, every = boards[0], parts.arrays, parts.last, conduct[3], conduct[4]
    lay_out(parts.weights, parts.sizes, parts.layers)
    while board.node != NOWHERE or board.games < end:
        if board.node == NOWHERE:
            board.node, board.random = 0, stream(seed, np.uint64(board.games))
            board.nodes += 1
        edge = arrays.first[board.node]
        choices, mover = arrays.first[board.node + 1] - edge, arrays.player[board.node]
        if choices == 0:
            for player in range(last.states.size):
                if last.states[player] != NOWHERE:
                    _keep(parts, board, player, NOWHERE)
                    last.states[player] = NOWHERE
            board.node = NOWHERE
            board.games += 1
            continue
        if mover >= 0:
            edge += _decide(parts, board, conduct, mover, choices)
        elif choices > 1:
            number = _share(board)
            while number >= arrays.bounds[edge]:
                edge += 1
        for player in range(last.states.size):
            last.gains[player] += arrays.rewards[edge, player]
        board.node = arrays.child[edge]
        board.nodes += 1
        if mover >= 0 and board.games >= warm:
            board.decisions += 1
            if board.decisions % every == 0:
                return True
    return False
