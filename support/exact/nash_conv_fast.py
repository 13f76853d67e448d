"""NashConv of many strategies, compiled and in floating point: learning curves are made of it.

Plain counterparts: ``nash_conv``, ``expected_returns`` and ``best_response`` of ``support.exact.best_response`` give
the same numbers in exact fractions, and explain each step. A strategy profile is one array for all players, with one
probability per slot of the unfolded game (``FlatGame.slots``).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from support.core.compiled import njit
from support.core.flat import KEPT, FlatGame
from support.core.interface import CHANCE
from support.exact.kinds import own_sequences, play_order

TOLERANCE = 1e-9
"""How far the sum of an information state's probabilities may be from one."""
ROUNDING, WRONG = 1e-12, -1e-9
"""A distance below the first counts as none: rounding leaves so much of an equilibrium, on either side of zero. One
below the second is no rounding: no policy is better than perfect."""


class Scorer:
    """An unfolded game, prepared to score many strategy profiles.

    Its methods release the interpreter's lock and write to no shared memory, so threads may call them in parallel.

    Args:
        flat: a game with at least one player that is sure to end, and in which every player has perfect recall or
            information states of single positions. Positions may be reached in several ways.

    Attributes:
        flat: the game.
        tables: the game as the kernels read it.

    Raises:
        ValueError: the game may go on for ever, or a player lacks perfect recall.
    """

    def __init__(self, flat: FlatGame):
        self.flat = flat
        self.tables = tables_of(flat)

    def nash_convs(self, strategies: np.ndarray) -> np.ndarray:
        """NashConv of each profile: the sum over the players of what a best response gains.

        Args:
            strategies: float64[k, slots], one profile per row.

        Returns:
            float64[k], in the units of the game's returns. Rounding can leave an equilibrium just below zero.

        Raises:
            ValueError: the array has another shape, or a row is not a strategy profile.
        """
        gains: np.ndarray = (self.best_response_values(strategies) - self.returns(strategies)).sum(axis=1)
        return gains

    def distances(self, strategies: np.ndarray) -> np.ndarray:
        """float64[k], NashConv of each profile, 0 where only rounding is left of it.

        Raises:
            ValueError: as for :meth:`nash_convs`.
            ArithmeticError: a profile came out better than perfect.
        """
        found = self.nash_convs(strategies)
        if (least := found.min(initial=0.0)) < WRONG * max(1.0, np.abs(self.tables.rewards).max()):
            raise ArithmeticError(f"a distance from perfect play came out as {least}")
        return np.where(found < ROUNDING, 0.0, found)

    def returns(self, strategies: np.ndarray) -> np.ndarray:
        """float64[k, players], the expected return of each player in each profile.

        Raises:
            ValueError: as for :meth:`nash_convs`.
        """
        return self._each_player(_returns, strategies)

    def best_response_values(self, strategies: np.ndarray) -> np.ndarray:
        """float64[k, players], the expected return of each player's best response to the others in each profile.

        Raises:
            ValueError: as for :meth:`nash_convs`.
        """
        return self._each_player(_best_response_values, strategies)

    def _each_player(self, kernel: Callable[..., None], strategies: np.ndarray) -> np.ndarray:
        strategies = checked(self.flat, strategies)
        out = np.empty((len(strategies), self.flat.num_players))
        kernel(self.tables, strategies, out)
        return out


def checked(flat: FlatGame, strategies: np.ndarray) -> np.ndarray:
    """Strategy profiles as contiguous float64[k, slots].

    Raises:
        ValueError: the array has another shape, or a row is not a strategy profile.
    """
    strategies = np.ascontiguousarray(strategies, dtype=np.float64)
    name, slots = flat.game.name, int(flat.slots[-1])
    if strategies.ndim != 2 or strategies.shape[1] != slots:
        raise ValueError(f"profiles of {name} are k rows of {slots} probabilities, not {strategies.shape}")
    starts, sizes = _filled(flat)
    if slots and not (strategies.min(initial=0.0) >= 0):
        raise ValueError(f"profiles of {name} must have probabilities of at least 0, not {strategies.min()}")
    off = np.abs(np.add.reduceat(strategies, starts, axis=1) - 1) > TOLERANCE if slots else np.zeros((0, 0))
    if off.any():
        row, place = np.argwhere(off)[0].tolist()
        part = strategies[row, starts[place] : starts[place] + sizes[place]].tolist()
        player, text = flat.information_states[int(np.flatnonzero(np.diff(flat.slots))[place])]
        raise ValueError(
            f"profile {row} of {name}: player {player} knowing '{text}' plays {part}, not probabilities of sum 1"
        )
    return strategies


def normalise(flat: FlatGame, weights: np.ndarray) -> np.ndarray:
    """Strategy profiles in proportion to weights, such as counts; uniform in information states without any.

    Args:
        flat: the unfolded game.
        weights: [k, slots], non-negative numbers, integer or not.

    Returns:
        float64[k, slots].

    Raises:
        ValueError: the array has another shape, or a weight is negative or not finite.
    """
    weights, slots = np.ascontiguousarray(weights, dtype=np.float64), int(flat.slots[-1])
    if weights.ndim != 2 or weights.shape[1] != slots:
        raise ValueError(f"weights of {flat.game.name} are k rows of {slots}, not {weights.shape}")
    if not (np.isfinite(weights).all() and weights.min(initial=0.0) >= 0):
        raise ValueError(f"weights of {flat.game.name} must be finite and at least 0")
    if not weights.size:
        return weights
    starts, sizes = _filled(flat)
    totals = np.repeat(np.add.reduceat(weights, starts, axis=1), sizes, axis=1)
    return np.where(totals > 0, weights / np.where(totals > 0, totals, 1), 1 / np.repeat(sizes, sizes))


def _filled(flat: FlatGame) -> tuple[np.ndarray, np.ndarray]:
    """The first slot and the number of slots of each information state that has any."""
    sizes = np.diff(flat.slots)
    return flat.slots[:-1][sizes > 0], sizes[sizes > 0]


class Tables(NamedTuple):
    """An unfolded game as the kernels read it; indices are unsigned, so the compiler need not check for negative ones.

    The kernels read probabilities from an array ``weights``: first a profile's slots, then the probabilities of the
    chance outcomes, which do not change. Those of a node's edges begin at ``start[node]``.
    """

    first: np.ndarray  # uint32[n + 1], as in the game
    child: np.ndarray  # uint32[m]
    player: np.ndarray  # int8[n]
    start: np.ndarray  # uint32[n], index into the weights of a node's first edge
    chances: np.ndarray  # float64, the tail of the weights
    rewards: np.ndarray  # float64[players, m]
    order: np.ndarray  # uint32, the nodes with edges, each after all nodes that lead to it
    groups: np.ndarray  # uint32[players, ...], the same nodes backwards, with a player's information states together


@lru_cache(maxsize=KEPT)
def tables_of(flat: FlatGame) -> Tables:
    """Prepare an unfolded game, once; the arrays are shared and must not be written to.

    Raises:
        ValueError: the game may go on for ever, or a player lacks perfect recall and has information states of several
            positions.
    """
    open_nodes = np.diff(flat.first) > 0
    chance = flat.player == CHANCE
    fanout = np.where(chance, np.diff(flat.first), 0)
    start = flat.slots[-1] + np.cumsum(fanout) - fanout
    decides = flat.player >= 0
    start[decides] = flat.slots[flat.information[decides]]
    order = np.array(play_order(flat), np.uint32)
    edge_of_chance = np.repeat(chance, np.diff(flat.first))
    groups = [_backwards(flat, player, open_nodes) for player in range(flat.num_players)]
    return Tables(
        first=flat.first.astype(np.uint32),
        child=flat.child.astype(np.uint32),
        player=flat.player,
        start=start.astype(np.uint32),
        chances=np.array(flat.probability, np.float64)[edge_of_chance],
        rewards=np.array(flat.rewards, np.float64).reshape(-1, flat.num_players).T.copy(),
        order=order[open_nodes[order]],
        groups=np.array(groups, np.uint32),
    )


def _backwards(flat: FlatGame, player: int, open_nodes: np.ndarray) -> np.ndarray:
    """The nodes with edges, each after all that follow it in play, with information states of ``player`` together.

    A group is an information state of the player, or any other single node. It is higher than all groups that follow
    it. With perfect recall no group follows itself, so heights exist: raise them until they fit.
    """
    own_sequences(flat, player, single_positions=True)
    nodes, key = np.flatnonzero(open_nodes), np.arange(flat.num_nodes)
    own = flat.player == player
    key[own] = flat.num_nodes + flat.information[own]
    height = np.zeros(flat.num_nodes + len(flat.information_states), np.int64)
    while len(nodes):
        above = height.copy()
        np.maximum.at(above, key[nodes], 1 + np.maximum.reduceat(height[key[flat.child]], flat.first[nodes]))
        if (above == height).all():
            break
        height = above
    return nodes[np.lexsort((nodes, key[nodes], height[key[nodes]]))]


@njit(nogil=True, cache=True)
def counterfactual_reach(tables, player, weights, reach):
    """Fill ``reach`` with the probability of each node's paths from the root if the player's choices are certain."""
    first, child, start = tables.first, tables.child, tables.start
    reach[:] = 0.0
    reach[0] = 1.0
    for node in tables.order:
        here, place, own = reach[node], start[node], tables.player[node] == player
        for edge in range(first[node], first[node + 1]):
            reach[child[edge]] += here if own else here * weights[place]
            place += np.uint32(1)


@njit(nogil=True, cache=True)
def respond(tables, player, weights, reach, tie, values, plan):
    """Fill ``values`` and ``plan`` with a player's best response to ``weights``.

    Args:
        tables: the game.
        player: the player who responds.
        weights: the probabilities of the others' actions and of chance outcomes.
        reach: the counterfactual reach of each node, from :func:`counterfactual_reach`.
        tie: by how much an action must beat the best of those listed before it to replace it.
        values: for each node, the expected rewards to come under the best response; zero where the game is over.
        plan: for each slot of the player, 1 if the action is taken and 0 otherwise.
    """
    first, child, start = tables.first, tables.child, tables.start
    rewards, nodes = tables.rewards[player], tables.groups[player]
    place = 0
    while place < nodes.size:
        node = nodes[place]
        begin, end = first[node], first[node + 1]
        if tables.player[node] != player:
            slot, total = start[node], 0.0
            for edge in range(begin, end):
                total += weights[slot] * (rewards[edge] + values[child[edge]])
                slot += np.uint32(1)
            values[node] = total
            place += 1
            continue
        slot, stop = start[node], place + 1
        while stop < nodes.size and start[nodes[stop]] == slot:
            stop += 1
        best, highest = 0, -np.inf
        for action in range(np.int64(end) - np.int64(begin)):
            total = 0.0
            for k in range(place, stop):
                edge = first[nodes[k]] + action
                total += reach[nodes[k]] * (rewards[edge] + values[child[edge]])
            if total > highest + tie:
                best, highest = action, total
            plan[slot + action] = 0.0
        plan[slot + best] = 1.0
        for k in range(place, stop):
            edge = first[nodes[k]] + best
            values[nodes[k]] = rewards[edge] + values[child[edge]]
        place = stop


@njit(nogil=True, cache=True)
def _best_response_values(tables, strategies, out):
    slots, nodes = strategies.shape[1], tables.player.size
    weights = np.concatenate((np.zeros(slots), tables.chances))
    reach, values, plan = np.empty(nodes), np.zeros(nodes), np.empty(slots)
    for k in range(strategies.shape[0]):
        weights[:slots] = strategies[k]
        for player in range(out.shape[1]):
            counterfactual_reach(tables, player, weights, reach)
            respond(tables, player, weights, reach, 0.0, values, plan)
            out[k, player] = values[0]


@njit(nogil=True, cache=True)
def _returns(tables, strategies, out):
    first, child, start, rewards = tables.first, tables.child, tables.start, tables.rewards
    slots = strategies.shape[1]
    weights = np.concatenate((np.zeros(slots), tables.chances))
    reach = np.empty(tables.player.size)
    out[:] = 0.0
    for k in range(strategies.shape[0]):
        weights[:slots] = strategies[k]
        reach[:] = 0.0
        reach[0] = 1.0
        for node in tables.order:
            place = start[node]
            for edge in range(first[node], first[node + 1]):
                chance = reach[node] * weights[place]
                reach[child[edge]] += chance
                for player in range(out.shape[1]):
                    out[k, player] += chance * rewards[player, edge]
                place += np.uint32(1)
