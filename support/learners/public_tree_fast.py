"""CFR on the public tree, compiled: the iterations of ``cfr_fast.run`` up to rounding, for many hands at once.

If everything hidden is dealt at the beginning, and both players see everything after that, all deals share one tree of
what is seen: the *public tree* (Johanson, Waugh, Bowling and Zinkevich 2011, *Accelerating best response calculation in
large extensive games*). What a player has been dealt is its *hand*. Each public node holds short vectors, with one
regret, probability or value for each hand of a player. At a terminal node, the values of one player's hands are a
matrix of probabilities times payoffs, multiplied by the reach of the other's hands. A pass over the public tree does
the work of a pass over all deals, in memory that is smaller by a factor: the number of the other player's hands.

Plain counterpart: ``support.learners.cfr.Solver``. The same numbers are added in another order, so results differ by
rounding, and so may the choice between equally good actions.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from support.core.compiled import njit
from support.core.flat import KEPT, FlatGame
from support.core.interface import CHANCE, TERMINAL
from support.exact.nash_conv_fast import Scorer, checked
from support.learners import cfr_fast
from support.learners.cfr import Method, method_of
from support.learners.cfr_fast import Trace, traced
from support.learners.marks import as_marks


class PublicTree(NamedTuple):
    """A game as a tree of what both players see: n public nodes, of which node 0 is the first after the deal.

    A node's children are numbered consecutively. The numbers that belong to an action are stored at its child.
    """

    mover: np.ndarray  # int8[n], the player to move, or TERMINAL
    first: np.ndarray  # uint32[n + 1], a node's first child; terminal nodes have none
    slots: np.ndarray  # int64[n, hands], of the action that leads here, by the mover's hand; -1 beyond its last hand
    hands: tuple[int, int]  # the number of hands that each player may be dealt
    end: np.ndarray  # int64[n], which of the payoffs a terminal node has; -1 elsewhere
    payoffs: np.ndarray  # float64[players, kinds of ends, hands of the other, own hands], times the probability


@lru_cache(maxsize=KEPT)
def public_tree(flat: FlatGame) -> PublicTree | None:
    """The public tree of a game; None if chance moves later, or if more is hidden than the deal.

    Args:
        flat: any unfolded game.

    Raises:
        DoesNotFitError: the nodes of an information state do not list the same actions.
    """
    if flat.num_players != 2 or flat.player[0] != CHANCE or (flat.player[1:] == CHANCE).any():
        return None
    if (np.bincount(flat.child, minlength=flat.num_nodes)[1:] != 1).any():  # not a tree
        return None
    walked = _walk(flat)
    if walked is None:
        return None
    nodes, edges, first = walked
    mover = flat.player[nodes[:, 0]]
    hands = [_hands(flat.information[nodes[mover == player]]) for player in (0, 1)]
    if hands[0] is None or hands[1] is None:
        return None
    sizes = (int(hands[0].max()) + 1, int(hands[1].max()) + 1)
    parent = np.repeat(np.arange(len(nodes)), np.diff(first))
    slots = np.full((len(nodes), max(sizes)), -1, np.int64)
    for player in (0, 1):
        children = 1 + np.flatnonzero(mover[parent] == player)
        slots[children[:, None], hands[player]] = flat.slot[edges[children]]
    paid = np.array(flat.rewards, np.float64)[edges]  # float64[n, deals, 2]
    for child, before in enumerate(parent.tolist(), 1):
        paid[child] += paid[before]
    over = mover == TERMINAL
    if paid[over].sum(axis=2).any():
        return None  # not zero-sum: the solver for any tree will report it
    worth = np.zeros((over.sum(), *sizes))
    for deal, (first_hand, second_hand) in enumerate(zip(*hands, strict=True)):
        worth[:, first_hand, second_hand] += paid[over, deal, 0] * float(flat.probability[deal])
    kinds, ends = np.unique(worth, axis=0, return_inverse=True)
    payoffs = np.zeros((2, len(kinds), max(sizes), max(sizes)))
    payoffs[0, :, : sizes[1], : sizes[0]], payoffs[1, :, : sizes[0], : sizes[1]] = kinds.transpose(0, 2, 1), -kinds
    end = np.full(len(nodes), -1, np.int64)
    end[over] = ends.ravel()
    return PublicTree(mover, first.astype(np.uint32), slots, sizes, end, payoffs)


def _walk(flat: FlatGame) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Walk all deals in step, level by level; None if their trees differ.

    Returns:
        int64[n, deals], the node of each deal at each public node; int64[n, deals], the edge that leads there; and
        int64[n + 1], the first child of each public node.
    """
    edges = [np.arange(int(flat.first[1]))[None]]
    nodes = [flat.child[edges[0]]]
    children, known = [], 1
    while nodes[-1].size:
        level = nodes[-1]
        fanout = np.diff(flat.first)[level]
        if (fanout != fanout[:, :1]).any() or (flat.player[level] != flat.player[level[:, :1]]).any():
            return None
        below = np.cumsum(fanout[:, 0]) - fanout[:, 0]
        row = np.repeat(np.arange(len(level)), fanout[:, 0])
        edges.append(flat.first[level[row]] + (np.arange(len(row)) - below[row])[:, None])
        nodes.append(flat.child[edges[-1]])
        children.append(known + below)
        known += len(row)
    return np.concatenate(nodes), np.concatenate(edges), np.concatenate([*children, [known]])


def _hands(information: np.ndarray) -> np.ndarray | None:
    """int64[deals], the number of the hand that a player is dealt; None if it knows anything else, or never moves.

    Args:
        information: int32[public nodes, deals], of the nodes where the player moves.
    """
    if not len(information):
        return None
    _, one, hands = np.unique(information[0], return_index=True, return_inverse=True)
    known = information[:, one]
    if (known[:, hands] != information).any() or len(np.unique(known)) < known.size:
        return None
    return np.asarray(hands, np.int64)


def run(flat: FlatGame, method: str | Method, marks: Sequence[int]) -> Trace:
    """Run a method on a game, on the public tree if it has one, and keep the average strategies at the marks.

    Args:
        flat: an unfolded two-player zero-sum game of perfect recall that is sure to end.
        method: one of ``support.learners.cfr.METHODS``, or its name.
        marks: rising numbers of iterations, from 1.

    Returns:
        The same as ``support.learners.cfr_fast.run``, which handles games without a public tree and the methods that
        respond.

    Raises:
        ValueError: no such method, a game that is not of this kind, or marks that do not rise from 1.
    """
    method, kept = method_of(method), as_marks(marks)
    tree = None if method.responds else public_tree(flat)
    if tree is None:
        return cfr_fast.run(flat, method, marks)
    how = method.floor, method.linear
    return traced(flat, method, kept, lambda movers, *room: _run(tree, (movers, *how), kept, *room))


@njit(nogil=True, cache=True)
def _run(tree, rules, marks, regrets_out, out):
    movers, floor, linear = rules
    shape = tree.slots.shape
    regrets, weights, play = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    reach, own, values = np.ones(shape), np.ones(shape), np.zeros(shape)
    for player in range(2):
        _match(tree, player, regrets, play)
    iteration = 0
    for k in range(marks.size):
        while iteration < marks[k]:
            iteration += 1
            weight = float(iteration) if linear else 1.0
            for number in range(movers.shape[0]):
                for player in range(2):
                    if movers[number, player]:
                        _add_to_average(tree, player, play, weight, own, weights)
                        _reach_of_others(tree, player, play, reach)
                        _hand_up(tree, player, play, reach, values, regrets, floor)
                for player in range(2):
                    if movers[number, player]:
                        _match(tree, player, regrets, play)
        _lay_out(tree, weights, out[k])
    _lay_out(tree, regrets, regrets_out)


@njit(nogil=True, cache=True)
def _match(tree, player, regrets, play):
    """Fill ``play`` in proportion to the positive regrets of each hand; uniformly if there are none."""
    for node in range(tree.mover.size):
        if tree.mover[node] != player:
            continue
        begin, end = tree.first[node], tree.first[node + 1]
        for hand in range(tree.hands[player]):
            total = 0.0
            for child in range(begin, end):
                total += max(regrets[child, hand], 0.0)
            for child in range(begin, end):
                play[child, hand] = max(regrets[child, hand], 0.0) / total if total > 0 else 1.0 / (end - begin)


@njit(nogil=True, cache=True)
def _reach_of_others(tree, player, play, reach):
    """Fill ``reach``: for each public node and hand of the other, the probability of the other's choices on the way."""
    for node in range(tree.mover.size):
        for child in range(tree.first[node], tree.first[node + 1]):
            for hand in range(tree.hands[1 - player]):
                here = reach[node, hand]
                reach[child, hand] = here if tree.mover[node] == player else here * play[child, hand]


@njit(nogil=True, cache=True)
def _add_to_average(tree, player, play, weight, own, weights):
    """Add the realisation weights of what was played."""
    for node in range(tree.mover.size):
        for child in range(tree.first[node], tree.first[node + 1]):
            if tree.mover[node] != player:
                own[child] = own[node]
                continue
            for hand in range(tree.hands[player]):
                own[child, hand] = own[node, hand] * play[child, hand]
                weights[child, hand] += weight * own[child, hand]


@njit(nogil=True, cache=True)
def _hand_up(tree, player, play, reach, values, regrets, floor):
    """Fill ``values`` with the counterfactual values of the player's hands, and add to its regrets."""
    hands = tree.hands[player]
    _settle(tree, player, reach, values)
    for node in range(tree.mover.size - 1, -1, -1):
        begin, end = tree.first[node], tree.first[node + 1]
        if tree.mover[node] != player:
            for child in range(begin, end):
                for hand in range(hands):
                    values[node, hand] += values[child, hand]
        else:
            for child in range(begin, end):
                for hand in range(hands):
                    values[node, hand] += play[child, hand] * values[child, hand]
            for child in range(begin, end):
                for hand in range(hands):
                    regret = regrets[child, hand] + values[child, hand] - values[node, hand]
                    regrets[child, hand] = max(regret, 0.0) if floor else regret


@njit(nogil=True, cache=True)
def _settle(tree, player, reach, values):
    """Fill ``values`` with the values of the terminal nodes to the player's hands, and with zero elsewhere."""
    values[:] = 0.0
    for node in range(tree.mover.size):
        if tree.end[node] < 0:
            continue
        worth = tree.payoffs[player, tree.end[node]]
        for other in range(tree.hands[1 - player]):
            for hand in range(tree.hands[player]):
                values[node, hand] += worth[other, hand] * reach[node, other]


@njit(nogil=True, cache=True)
def _lay_out(tree, numbers, out):
    """Copy numbers from the public tree to the slots of the game."""
    for child in range(tree.slots.shape[0]):
        for hand in range(tree.slots.shape[1]):
            if tree.slots[child, hand] >= 0:
                out[tree.slots[child, hand]] = numbers[child, hand]


@njit(nogil=True, cache=True)
def _read(tree, profile, play):
    """Copy numbers from the slots of the game to the public tree."""
    for child in range(tree.slots.shape[0]):
        for hand in range(tree.slots.shape[1]):
            if tree.slots[child, hand] >= 0:
                play[child, hand] = profile[tree.slots[child, hand]]


def nash_convs(flat: FlatGame, strategies: np.ndarray) -> np.ndarray:
    """NashConv of each profile, on the public tree if the game has one.

    Plain counterpart: ``support.exact.best_response.nash_conv``, in fractions.

    Args:
        flat: as for :class:`support.exact.nash_conv_fast.Scorer`, which takes games without a public tree.
        strategies: float64[k, slots], one profile per row.

    Returns:
        float64[k], in the units of the game's returns.

    Raises:
        ValueError: a game that is not of this kind, an array of another shape, or a row that is not a strategy profile.
    """
    tree = public_tree(flat)
    if tree is None:
        return Scorer(flat).nash_convs(strategies)
    play, found = np.zeros(tree.slots.shape), np.zeros(len(strategies))
    for number, profile in enumerate(checked(flat, strategies)):
        _read(tree, profile, play)
        found[number] = sum(best_responses(tree, play))  # in a zero-sum game the sum is NashConv
    return found


def average(tree: PublicTree, method: str | Method, iterations: int) -> np.ndarray:
    """The average strategies of a method on a public tree that need not come from an unfolded game.

    Args:
        tree: the public tree; its slots are numbered row by row, as far as there are hands.
        method: one of ``support.learners.cfr.METHODS`` that does not respond, or its name.
        iterations: how many, at least one.

    Returns:
        float64[n, hands], at the child that an action leads to its probability, by the mover's hand; uniform where a
        player never came, and 0 beyond the mover's last hand.

    Raises:
        ValueError: no such method, or no iterations.
    """
    method, kept = method_of(method), as_marks([iterations])
    movers = np.array([[player in movers for player in (0, 1)] for movers in method.passes])
    room = np.zeros((2, tree.slots.size))
    _run(tree, (movers, method.floor, method.linear), kept, room[0], room[1:])
    weights = room[1].reshape(tree.slots.shape)
    fanout = tree.first[1:].astype(np.int64) - tree.first[:-1]
    parent = np.repeat(np.arange(len(fanout)), fanout)
    totals = np.zeros_like(weights)
    np.add.at(totals, parent, weights[1:])
    reached = totals[parent] > 0
    play = np.zeros_like(weights)
    play[1:] = np.where(reached, weights[1:] / np.where(reached, totals[parent], 1), 1 / fanout[parent][:, None])
    return np.where(tree.slots >= 0, play, 0.0)


def best_responses(tree: PublicTree, play: np.ndarray) -> tuple[float, float]:
    """What each player gains by a best response to the other's strategy.

    Plain counterpart: ``support.exact.best_response.best_response``, in fractions.

    Args:
        tree: the public tree.
        play: float64[n, hands], probabilities as :func:`average` returns them; a player's own are not read.
    """
    out = np.zeros(2)
    _respond(tree, play, out)
    return float(out[0]), float(out[1])


@njit(nogil=True, cache=True)
def _respond(tree, play, out):
    """Fill ``out`` with the returns of the best responses of both players."""
    reach, values = np.ones(tree.slots.shape), np.zeros(tree.slots.shape)
    for player in range(2):
        _reach_of_others(tree, player, play, reach)
        _settle(tree, player, reach, values)
        for node in range(tree.mover.size - 1, -1, -1):
            begin, end = tree.first[node], tree.first[node + 1]
            for child in range(begin, end):
                for hand in range(tree.hands[player]):
                    worth = values[child, hand]
                    if tree.mover[node] != player:
                        values[node, hand] += worth
                    elif child == begin or worth > values[node, hand]:
                        values[node, hand] = worth
        out[player] = values[0, : tree.hands[player]].sum()
