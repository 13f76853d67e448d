"""An unfolded game as arrays for the compiled result table, ``support.learners.result_table_fast``."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import NamedTuple

import numpy as np

from support.core.flat import KEPT, FlatGame
from support.core.interface import CHANCE, DoesNotFitError
from support.core.play import thresholds

WIDEST = 8  # the most that a choice may gain or lose, in units of rewards, if greedy games are only counted
STATES = 22  # the most information states of such a game
FINEST = 1000  # the most units of rewards that one may be divided into
LARGEST = 1 << 40  # the largest reward, in units


class Layout(NamedTuple):
    """An unfolded game as the kernel reads it. Indices are unsigned, so the compiler need not check for negative ones.

    Nodes: ``first`` edges; ``mover``; ``spread``, the number of outcomes of a chance node whose outcomes are equally
    likely. Edges: ``child``; ``bound``, the largest random number that draws a chance outcome; ``slot``,
    ``information`` and ``who`` of the choice (``who`` is -1 for chance); ``rewards`` by player and edge. Information
    states: ``slots``; ``group``, offsets into ``members``, which lists their nodes.

    Two entries are for games of few information states in which chance deals once, at the root, no position can be
    reached from two deals, and no game meets an information state twice. ``deal`` is, for each node, the place of the
    deal that leads there; it is empty for other games. ``span`` has the number of choices in the longest game, and the
    least and the largest gain from a choice on.
    """

    first: np.ndarray
    mover: np.ndarray
    spread: np.ndarray
    child: np.ndarray
    bound: np.ndarray
    slot: np.ndarray
    information: np.ndarray
    who: np.ndarray
    rewards: np.ndarray
    slots: np.ndarray
    group: np.ndarray
    members: np.ndarray
    deal: np.ndarray
    span: np.ndarray


@lru_cache(maxsize=KEPT)
def in_whole_units(flat: FlatGame) -> FlatGame:
    """The same game, paid in the largest unit in which all rewards are whole; which choice pays best stays the same.

    Raises:
        DoesNotFitError: rewards must be divided into more than a thousand parts to be whole.
    """
    rewards = set(map(Fraction, flat.amounts))
    parts = lcm(*(reward.denominator for reward in rewards))
    if parts > FINEST:
        allowed = f"must be whole multiples of 1/{FINEST} or more"
        raise DoesNotFitError(f"the rewards of {flat.game.name} {allowed}, not of 1/{parts}")
    unit = Fraction(gcd(*(int(parts * reward) for reward in rewards)), parts)
    if unit in (0, 1):
        return flat
    return replace(flat, rewards=[tuple(int(reward / unit) for reward in row) for row in flat.rewards])


@lru_cache(maxsize=KEPT)
def lay_out(flat: FlatGame) -> Layout:
    """Prepare an unfolded game.

    Raises:
        DoesNotFitError: rewards that are not whole numbers or above ``LARGEST``, an information state whose nodes have
            different actions, or a game in which no player ever moves.
    """
    amounts = {abs(Fraction(reward)) for reward in flat.amounts}
    if any(amount.denominator != 1 for amount in amounts):
        raise DoesNotFitError(f"the rewards of {flat.game.name} must be whole numbers; choose a smaller unit")
    if (largest := max(map(int, amounts), default=0)) > LARGEST:
        raise DoesNotFitError(f"the rewards of {flat.game.name} must be at most {LARGEST:,} units, not {largest:,}")
    if not flat.information_states:
        raise DoesNotFitError(f"no player ever moves in {flat.game.name}")
    bound, spread = np.zeros(len(flat.child), np.uint64), np.zeros(flat.num_nodes, np.uint64)
    for node in np.flatnonzero(flat.player == CHANCE).tolist():
        edges = flat.edges(node)
        probabilities = [flat.probability[edge] for edge in edges]
        bound[edges.start : edges.stop] = [limit - 1 for limit in thresholds(probabilities)]
        spread[node] = len(edges) if len(set(probabilities)) == 1 else 0
    source = flat.source
    rewards = np.zeros((max(flat.num_players, 2), len(flat.child)), np.int64)
    rewards[: flat.num_players] = np.array([[int(reward) for reward in row] for row in flat.rewards]).T
    members, deal, span = flat.nodes_of_information, _deals(flat), np.zeros(3, np.int64)
    if deal.size:
        span = _span(flat, rewards)
        deal = deal[: deal.size * (abs(span[1:]).max() <= WIDEST)]
    return Layout(
        first=flat.first.astype(np.uint32),
        mover=flat.player,
        spread=spread,
        child=flat.child.astype(np.uint32),
        bound=bound,
        slot=flat.slot.astype(np.uint32),
        information=flat.information[source].astype(np.uint32),
        who=flat.player[source],
        rewards=rewards,
        slots=flat.slots.astype(np.uint32),
        group=np.cumsum([0, *map(len, members)]).astype(np.uint32),
        members=np.concatenate(members).astype(np.uint32),
        deal=deal,
        span=span,
    )


def _deals(flat: FlatGame) -> np.ndarray:
    """For each node, the place of the deal that leads there; empty if the game is not as :class:`Layout` requires."""
    deal = np.full(flat.num_nodes, -1, np.int64)
    if len(flat.information_states) > STATES or flat.player[0] != CHANCE or (flat.player[1:] == CHANCE).any():
        return np.zeros(0, np.uint32)
    for place, edge in enumerate(flat.edges(0)):
        todo: list[tuple[int, tuple[int, ...]]] = [(int(flat.child[edge]), ())]
        while todo:
            node, met = todo.pop()
            information = int(flat.information[node])
            if deal[node] != -1 or (flat.player[node] >= 0 and information in met):
                return np.zeros(0, np.uint32)
            deal[node] = place
            todo += [(int(flat.child[below]), (*met, information)) for below in flat.edges(node)]
    deal[0] = 0
    return deal.astype(np.uint32)


def _span(flat: FlatGame, rewards: np.ndarray) -> np.ndarray:
    """The number of choices in a tree's longest game, and the least and the largest gain from a choice to the end."""
    low, high = np.zeros((2, flat.num_nodes, len(rewards)), np.int64)
    longest, least, largest = np.zeros(flat.num_nodes, np.int64), 0, 0
    for node in range(flat.num_nodes - 1, 0, -1):  # numbered breadth first
        below = flat.edges(node)
        if not below:
            continue
        edges = slice(below.start, below.stop)
        children, mover = flat.child[edges], flat.player[node]
        low[node] = (rewards[:, edges].T + low[children]).min(axis=0)
        high[node] = (rewards[:, edges].T + high[children]).max(axis=0)
        longest[node] = 1 + longest[children].max()
        least, largest = min(least, low[node, mover]), max(largest, high[node, mover])
    return np.array([longest.max(), least, largest], np.int64)
