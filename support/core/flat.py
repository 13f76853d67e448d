"""Unfold a small game once into flat arrays, on which every solver and every compiled kernel works."""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from numbers import Rational
from typing import Any

import numpy as np

from support.core.interface import CHANCE, INEXACT, DoesNotFitError, Game, State, is_exact

LIMIT = 2_000_000
"""The largest number of positions to unfold, unless a caller sets another limit."""
MOVES = 10_000_000
"""The largest number of moves to unfold; so many take some minutes and four gigabytes."""
ZERO = Fraction(0)
"""The probability of an edge that a player chooses."""
KEPT = 10
"""The number of games of which a process keeps what it has worked out. A sweep goes through the same games for every
learner; if it had more, each would be unfolded anew for every learner. A position takes one or two kilobytes in all."""


class TooLargeError(DoesNotFitError):
    """A game with more positions or moves than the limit.

    The message names the limit, and how large the game is or how far it was unfolded.
    """


@dataclass(frozen=True, eq=False)
class FlatGame:
    """A game as a graph: nodes are positions, edges are actions and chance outcomes.

    The edges of node ``i`` are ``first[i]`` to ``first[i + 1] - 1``, in the order in which the rules list the actions.
    Nodes are numbered in the order in which a breadth-first walk from the root (node 0) meets them.

    Attributes:
        game: the rules.
        positions: the position of each node, length n.
        player: int8[n], the player to move, ``CHANCE`` or ``TERMINAL``.
        first: int64[n + 1], offsets into the edges.
        child: int32[m], the node that each edge leads to.
        action: the action or chance outcome of each edge, length m.
        label: the same in the game's notation, length m.
        probability: the exact probability of each edge of a chance node, zero on the players' edges, length m.
        rewards: for each edge the reward to each player, exact, length m.
        information: int32[n], index into ``information_states``; -1 where no player moves.
        information_states: pairs (player, text), one per information state, in the order in which the walk meets them.
        index: from position to node.
    """

    game: Game
    positions: list[Hashable]
    player: np.ndarray
    first: np.ndarray
    child: np.ndarray
    action: list[Any]
    label: list[str]
    probability: list[Fraction]
    rewards: list[tuple[int | Fraction, ...]]
    information: np.ndarray
    information_states: list[tuple[int, str]]
    index: dict[Hashable, int] = field(repr=False)

    @property
    def num_nodes(self) -> int:
        """Number of positions."""
        return len(self.positions)

    @property
    def num_players(self) -> int:
        """Number of players, chance not counted."""
        return self.game.num_players

    def edges(self, node: int) -> range:
        """The edges that leave ``node``."""
        return range(int(self.first[node]), int(self.first[node + 1]))

    def decision_nodes(self) -> list[int]:
        """The nodes where a player moves, in order."""
        return [int(node) for node in np.flatnonzero(self.player >= 0)]

    @cached_property
    def source(self) -> np.ndarray:
        """int64[m], the node that each edge leaves."""
        return np.repeat(np.arange(self.num_nodes), np.diff(self.first))

    @cached_property
    def amounts(self) -> frozenset[int | Fraction]:
        """The different rewards that are paid on any edge."""
        return frozenset(chain.from_iterable(self.rewards))

    @cached_property
    def actions(self) -> list[tuple[Any, ...]]:
        """The legal actions in each information state, in the order in which the rules list them.

        Raises:
            DoesNotFitError: the nodes of an information state do not list the same actions.
        """
        found = []
        for where, nodes in zip(self.information_states, self.nodes_of_information, strict=True):
            lists = {tuple(self.action[edge] for edge in self.edges(node)) for node in nodes}
            if len(lists) > 1:
                raise DoesNotFitError(
                    f"player {where[0]} knowing '{where[1]}' has different legal actions at different nodes"
                )
            found.append(lists.pop() if lists else ())
        return found

    @cached_property
    def slots(self) -> np.ndarray:
        """int64[states + 1], offsets: information state i has the slots ``slots[i]`` to ``slots[i + 1] - 1``.

        A table with one number for each information state and action is an array over the slots, with the actions in
        the order of ``actions``.

        Raises:
            DoesNotFitError: as for :attr:`actions`.
        """
        return np.cumsum([0, *map(len, self.actions)], dtype=np.int64)

    @cached_property
    def slot(self) -> np.ndarray:
        """int64[m], the slot of each edge; -1 on the edges of chance nodes.

        Raises:
            DoesNotFitError: as for :attr:`actions`.
        """
        slot = np.full(len(self.child), -1, np.int64)
        for node in self.decision_nodes():
            edges = self.edges(node)
            start = self.slots[self.information[node]]
            slot[edges.start : edges.stop] = np.arange(start, start + len(edges))
        return slot

    @cached_property
    def nodes_of_information(self) -> list[list[int]]:
        """The nodes of each information state."""
        nodes = np.flatnonzero(self.player >= 0)
        together = nodes[np.argsort(self.information[nodes], kind="stable")].tolist()
        sizes = np.bincount(self.information[nodes], minlength=len(self.information_states))
        return [together[start:stop] for start, stop in pairwise([0, *np.cumsum(sizes).tolist()])]


def _known(state: State) -> tuple[int, str]:
    """The player to move, and what it knows; nothing where nobody chooses."""
    mover = state.current_player
    return mover, state.information_state(mover) if mover >= 0 else ""


def _chances(game: Game, state: State) -> dict[Any, Fraction]:
    """The probability of each outcome of chance, or an error if they are none."""
    outcomes = state.chance_outcomes()
    chances = dict(outcomes)
    fault = ""
    if len(chances) < len(outcomes):
        fault = "an outcome of chance is listed twice"
    elif not is_exact(chances.values()):
        fault = f"{INEXACT} the probabilities {tuple(chances.values())}"
    elif min(chances.values(), default=1) <= 0:
        fault = f"a probability is not positive, in {tuple(chances.values())}"
    elif chances and (total := sum(chances.values())) != 1:
        fault = f"the probabilities of chance sum to {total}, not to 1"
    if fault:
        raise ValueError(f"{game} at '{state}': {fault}")
    return chances


def _require_exact(game: Game, positions: list[Hashable], child: list[int], rewards: list[Any]) -> None:
    """Raise an error unless every move pays each player a whole number or a Fraction."""
    kinds = set(map(type, chain.from_iterable(rewards)))  # quicker than to look at a million rewards one by one
    if set(map(len, rewards)) <= {game.num_players} and all(issubclass(kind, Rational) for kind in kinds):
        return
    edge = next(e for e, paid in enumerate(rewards) if len(paid) != game.num_players or not is_exact(paid))
    what = INEXACT if len(rewards[edge]) == game.num_players else f"there are {game.num_players} players, but"
    raise ValueError(f"{game}: {what} the rewards {rewards[edge]} at {positions[child[edge]]!r}")


def unfold(game: Game, limit: int = LIMIT) -> FlatGame:
    """Walk through every reachable position and store the game as arrays.

    Args:
        game: any game that implements the interface.
        limit: the largest number of nodes.

    Raises:
        TooLargeError: the game has more than ``limit`` positions, or more than ``MOVES`` moves.
        ValueError: the probabilities of a chance event are not positive or do not sum to one, or an outcome is listed
            twice; states with one position differ in what the player to move knows; a probability or a reward is not
            exact, or there is not one reward for each player.
    """
    root = game.initial_state()
    index = {root.position: 0}
    known = [_known(root)]
    player: list[int] = []
    first, information = [0], []
    child: list[int] = []
    action, label, probability, rewards = [], [], [], []
    information_states: dict[tuple[int, str], int] = {}
    queue = deque([root])
    while queue:
        state = queue.popleft()
        if len(child) > MOVES:
            raise TooLargeError(
                f"{game} has more than {MOVES:,} moves: {len(index):,} positions were reached; unfold a smaller one"
            )
        mover, _ = where = known[len(player)]
        player.append(mover)
        information.append(information_states.setdefault(where, len(information_states)) if mover >= 0 else -1)
        chances = _chances(game, state) if mover == CHANCE else {}
        for move in state.possible():
            after = state.child(move)
            position = after.position
            node = index.get(position)  # looked up once, for it takes time to hash a position
            if node is None:
                if len(index) >= limit:
                    raise TooLargeError(
                        f"{game} has more than {limit:,} positions: {len(index):,} were reached, and the moves of "
                        f"{len(player) - 1:,} of them listed; unfold a smaller one"
                    )
                node = index[position] = len(index)
                known.append(_known(after))
                queue.append(after)
            elif known[node] != _known(after):  # one node cannot be in two information states
                raise ValueError(
                    f"{game}: who is to move in one position must know the same however it was reached, not "
                    f"{known[node]} and, at '{after}', {_known(after)}"
                )
            child.append(node)
            action.append(move)
            label.append(state.action_to_string(move))
            probability.append(chances.get(move, ZERO))
            rewards.append(tuple(after.rewards()))
        first.append(len(child))
    positions = list(index)
    _require_exact(game, positions, child, rewards)
    return FlatGame(
        game=game,
        positions=positions,
        player=np.array(player, dtype=np.int8),
        first=np.array(first, dtype=np.int64),
        child=np.array(child, dtype=np.int32),
        action=action,
        label=label,
        probability=probability,
        rewards=rewards,
        information=np.array(information, dtype=np.int32),
        information_states=list(information_states),
        index=index,
    )


@lru_cache(maxsize=KEPT)
def _kept(game: Game) -> list[FlatGame]:
    """Where a game is kept once it is unfolded; whatever limit it was asked with, it is one game."""
    return []


def unfolded(game: Game, limit: int = LIMIT) -> FlatGame:
    """A game, unfolded once in a process, as long as it is among the last ``KEPT``.

    Raises:
        TooLargeError, ValueError: as for :func:`unfold`.
    """
    kept = _kept(game)
    if not kept or kept[0].num_nodes > limit:  # then unfolding says so
        kept[:] = [unfold(game, limit)]
    return kept[0]
