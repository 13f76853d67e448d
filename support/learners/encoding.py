"""What a network sees of any game that unfolds, and what it answers: one rule for all games."""

import re
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from support.core.flat import FlatGame
from support.core.interface import CHANCE, DoesNotFitError

TOKEN = re.compile(r"\d+|.", re.DOTALL)


class Arrays(NamedTuple):
    """A game as arrays for learners that play it move by move; kernels read it too.

    Unlike ``support.exact.nash_conv_fast.Tables`` it takes any game that unfolds, with any recall.

    Attributes:
        first: int64[n + 1], offsets of the nodes into the edges.
        child: int32[m], the node that each edge leads to.
        player: int8[n], the player to move, ``CHANCE`` or ``TERMINAL``.
        information: int32[n], the information state of each node; -1 where no player moves.
        slots: int64[states + 1], offsets of the information states into the slots.
        numbers: int64[slots], the number of each slot's action among all actions of the game.
        legal: bool[states, actions], the legal actions.
        bounds: float64[m], on the edges of chance nodes: with a random number from 0 to 1 chance takes the first edge
            whose bound exceeds it. The last one's is 2, so rounding leaves no gap.
        rewards: float64[m, players], the reward to each player, in the units of the game's returns.
    """

    first: np.ndarray
    child: np.ndarray
    player: np.ndarray
    information: np.ndarray
    slots: np.ndarray
    numbers: np.ndarray
    legal: np.ndarray
    bounds: np.ndarray
    rewards: np.ndarray


def encode(flat: FlatGame) -> np.ndarray:
    """What a network sees in each information state; different information states are different rows.

    The text of an information state is cut into tokens: a number is one token, and so is every other character. There
    is a feature for each player, 1 if that player moves; for each place in the text and each token that stands there
    somewhere in the game, 1 if it stands there now; and for each place where numbers stand, the number divided by the
    largest one there. Features that are the same in all information states, or the same as an earlier feature, are left
    out, except for the first. As the features tell all tokens apart, no two information states look the same.

    In Kuhn's poker there are eight: whether the first player moves, and the second; K, Q or J in the first place; ``c``
    and ``r`` in the second; and ``r`` in the third, where nothing else ever stands.

    >>> from support.core.flat import unfold
    >>> from support.games.cards.kuhn import Kuhn
    >>> flat = unfold(Kuhn())
    >>> dict(zip(flat.information_states, encode(flat).astype(int).tolist()))[1, "Kr"]
    [0, 1, 1, 0, 0, 0, 1, 0]

    Args:
        flat: the game.

    Returns:
        float32[states, features].

    Raises:
        DoesNotFitError: no player ever moves.
    """
    if not flat.information_states:
        raise DoesNotFitError(f"no player ever moves in {flat.game.name}")
    column: dict[Any, int] = {player: player for player in range(flat.num_players)}
    found: list[tuple[int, int, float]] = []
    for row, (mover, text) in enumerate(flat.information_states):
        found.append((row, mover, 1.0))
        for place, token in enumerate(TOKEN.findall(text)):
            found.append((row, column.setdefault((place, token), len(column)), 1.0))
            if token.isdecimal():
                found.append((row, column.setdefault(place + flat.num_players, len(column)), float(token)))
    seen = np.zeros((len(flat.information_states), len(column)), np.float32)
    rows, columns, values = zip(*found, strict=True)
    seen[rows, columns] = values
    seen /= np.maximum(seen.max(axis=0), 1)
    distinct = {one.tobytes(): number for number, one in reversed(list(enumerate(seen.T.copy())))}
    kept = [number for number in sorted(distinct.values()) if not number or (seen[:, number] != seen[0, number]).any()]
    return np.ascontiguousarray(seen[:, kept])


def actions_of(flat: FlatGame) -> tuple[Any, ...]:
    """All players' actions of a game, each once, in the order of the slots in which they first stand.

    A network has one output for each, so an action is the same output wherever it is legal.
    """
    return tuple(dict.fromkeys(chain.from_iterable(flat.actions)))


def arrays_of(flat: FlatGame) -> Arrays:
    """Prepare a game for play by arrays.

    Raises:
        DoesNotFitError: the nodes of an information state do not list the same actions, or some position leads to no
            end, so that even random play might never stop.
    """
    stuck = np.flatnonzero(~_leads_to_an_end(flat))
    if stuck.size:
        raise DoesNotFitError(f"no end of {flat.game.name} can be reached from {flat.positions[stuck[0]]!r}")
    number = {action: place for place, action in enumerate(actions_of(flat))}
    numbers = np.array([number[action] for action in chain.from_iterable(flat.actions)], np.int64)
    legal = np.zeros((len(flat.information_states), len(number)), bool)
    legal[np.repeat(np.arange(len(legal)), np.diff(flat.slots)), numbers] = True
    chances, bounds = np.array(flat.probability, np.float64), np.zeros(len(flat.child))
    for node in np.flatnonzero(flat.player == CHANCE):
        edges = slice(flat.first[node], flat.first[node + 1])
        bounds[edges] = np.cumsum(chances[edges])
        bounds[edges.stop - 1] = 2
    rewards = np.array(flat.rewards, np.float64).reshape(-1, flat.num_players)
    return Arrays(flat.first, flat.child, flat.player, flat.information, flat.slots, numbers, legal, bounds, rewards)


def _leads_to_an_end(flat: FlatGame) -> np.ndarray:
    """bool[n], whether some way of playing leads from a node to an end."""
    open_nodes = np.flatnonzero(np.diff(flat.first))
    ends: np.ndarray = np.diff(flat.first) == 0
    before = -1
    while before < ends.sum():
        before = int(ends.sum())
        ends[open_nodes] = np.logical_or.reduceat(ends[flat.child], flat.first[open_nodes])
    return ends
