"""Who wins each position, exactly: retrograde analysis, and play by those who know it and slip now and then.

A position is hot if the player to move can force a win, and cold if not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from support.core.flat import FlatGame
from support.core.interface import CHANCE, TERMINAL, DoesNotFitError
from support.core.policy import TabularPolicy
from support.exact.kinds import RETROGRADE, is_win_or_loss, play_order, require_open, require_players, taken_by
from support.exact.sizes import require_size


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved game.

    Attributes:
        value: int8[n], for each node +1 if player 0 wins under best play and -1 if player 1 does.
        hot: bool[n], whether the player to move wins; False at terminal nodes.
        winning: bool[m], whether an edge wins for the player who takes it.
        distance: int32[n], moves to the end if the winner hurries and the loser holds out.
        best: bool[m], the edges of that play: the quickest wins or, where all moves lose, the longest defences.
    """

    value: np.ndarray
    hot: np.ndarray
    winning: np.ndarray
    distance: np.ndarray
    best: np.ndarray


def solve(flat: FlatGame) -> Solution:
    """Retrograde analysis: evaluate every position after all those that it leads to.

    Args:
        flat: a two-player game of perfect information, without chance, without draws, and in which no position can
            come back.

    Raises:
        ValueError: a game of another kind; the message says what rules it out.
    """
    value = np.where(winners(flat) == 0, 1, -1).astype(np.int8)
    distance = np.zeros(flat.num_nodes, np.int32)
    hot = np.zeros(flat.num_nodes, bool)
    winning = np.zeros(len(flat.child), bool)
    best = np.zeros(len(flat.child), bool)
    for node in reversed(play_order(flat)):
        edges = slice(flat.first[node], flat.first[node + 1])
        children = flat.child[edges]
        if not len(children):
            continue
        own = 1 if flat.player[node] == 0 else -1
        winning[edges] = value[children] == own
        hot[node] = winning[edges].any()
        value[node] = own if hot[node] else -own
        lengths = distance[children]
        moves = lengths[winning[edges]].min() if hot[node] else lengths.max()
        best[edges] = (value[children] == value[node]) & (lengths == moves)
        distance[node] = moves + 1
    return Solution(value, hot, winning, distance, best)


def winners(flat: FlatGame) -> np.ndarray:
    """The winner at each terminal node.

    Returns:
        int8[n], 0 or 1 at terminal nodes and -1 elsewhere.

    Raises:
        ValueError: not a two-player zero-sum game of perfect information, without chance, in which only the last move
            is rewarded and every terminal position has one winner.
    """
    require_players(flat, "retrograde analysis", 2)
    name = flat.game.name
    if (flat.player == CHANCE).any():
        raise DoesNotFitError(
            f"retrograde analysis is for games without chance; in {name} chance moves: {taken_by(flat)}"
        )
    require_open(flat, "retrograde analysis")
    require_size(flat.game, RETROGRADE, len(flat.child))
    if not is_win_or_loss(flat):
        raise DoesNotFitError(
            f"{name} is not a zero-sum game of win or loss, in which only the last move is rewarded and every end says "
            f"who has won; {taken_by(flat)}"
        )
    over = flat.player[flat.child] == TERMINAL
    winner = np.full(flat.num_nodes, -1, np.int8)
    winner[flat.child[over]] = [reward[0] < 0 for reward, end in zip(flat.rewards, over, strict=True) if end]
    return winner


def safe_edges(flat: FlatGame, solution: Solution) -> dict[int, list[int]]:
    """For each decision node, the edges that keep a forced win, or all edges if there is no win to keep."""
    return {
        node: [edge for edge in flat.edges(node) if solution.winning[edge] or not solution.hot[node]]
        for node in flat.decision_nodes()
    }


def steadiest_edges(flat: FlatGame, epsilon: tuple[Fraction, Fraction]) -> dict[int, list[int]]:
    """Best play between players who know that both tremble: one edge per decision node, the first of equals.

    Backward induction in fractions. With probability epsilon a player's move is drawn uniformly from the legal ones;
    otherwise it is the move with the best chance of winning in the end (the perturbed game of Selten 1975).

    Args:
        flat: a game as for :func:`solve`.
        epsilon: the probability that each player trembles, in [0, 1].

    Raises:
        ValueError: epsilon is out of range, or the game is of another kind.
    """
    chosen: dict[int, int] = {}

    def steadiest(node: int, worth: dict[int, Fraction]) -> int:
        chosen[node] = (max if flat.player[node] == 0 else min)(worth, key=worth.__getitem__)
        return chosen[node]

    _chance_of_first(flat, epsilon, steadiest)
    return {node: [edge] for node, edge in sorted(chosen.items())}


def safe_range(flat: FlatGame, solution: Solution, epsilon: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """The least and the greatest winning chance of player 0 if both tremble and otherwise take only safe edges.

    Knowing hot from cold does not say which of several safe edges to take; this range shows how much depends on it.

    Args:
        flat: a game as for :func:`solve`.
        solution: its solution.
        epsilon: the probability that each player trembles, in [0, 1].
    """
    safe = safe_edges(flat, solution)

    def end(pick: Callable[..., int]) -> Fraction:
        return _chance_of_first(flat, epsilon, lambda node, worth: pick(safe[node], key=worth.__getitem__))

    return end(min), end(max)


def _chance_of_first(
    flat: FlatGame, epsilon: tuple[Fraction, Fraction], choose: Callable[[int, dict[int, Fraction]], int]
) -> Fraction:
    """The chance that player 0 wins if both tremble and otherwise ``choose`` an edge, given that chance for each."""
    rates, winner = _rates(epsilon), winners(flat)
    chance: dict[int, Fraction] = {}
    for node in reversed(play_order(flat)):
        mover = int(flat.player[node])
        if mover == TERMINAL:
            chance[node] = Fraction(int(winner[node] == 0))
            continue
        worth = {edge: chance[int(flat.child[edge])] for edge in flat.edges(node)}
        meant = worth[choose(node, worth)]
        chance[node] = rates[mover] * sum(worth.values()) / len(worth) + (1 - rates[mover]) * meant
    return chance[0]


def tremble(flat: FlatGame, edges: dict[int, list[int]], epsilon: tuple[Fraction, Fraction]) -> TabularPolicy:
    """The policy that plays uniformly among all edges with probability epsilon, and otherwise among the given edges.

    Args:
        flat: a game of perfect information.
        edges: the given edges, for each decision node.
        epsilon: the probability that each player trembles, in [0, 1].

    Raises:
        ValueError: epsilon is out of range.
    """
    rates, table = _rates(epsilon), {}
    for node, chosen in edges.items():
        rate, legal = rates[flat.player[node]], flat.edges(node)
        share = {edge: (1 - rate) / len(chosen) if edge in chosen else Fraction(0) for edge in legal}
        where = flat.information_states[flat.information[node]]
        table[where] = {flat.action[edge]: share[edge] + rate / len(legal) for edge in legal}
    return TabularPolicy(table, "trembling")


def _rates(epsilon: tuple[Fraction, Fraction]) -> tuple[Fraction, ...]:
    rates = tuple(Fraction(str(rate)) for rate in epsilon)
    if len(rates) != 2 or not all(0 <= rate <= 1 for rate in rates):
        raise ValueError(f"epsilon must be two numbers between 0 and 1, one per player, not {epsilon}")
    return rates
