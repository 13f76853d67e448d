"""Who wins, exactly: retrograde analysis, and the cold positions of the two-heap game.

A position is hot where the player to move can force a win and cold where it cannot. The cold positions of the
two-heap game are W. A. Wythoff's (*A modification of the game of nim*, Nieuw Archief voor Wiskunde 7, 1907,
199-202).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np

from support.core.flat import FlatGame
from support.core.interface import CHANCE, TERMINAL, DoesNotFitError
from support.core.policy import TabularPolicy
from support.exact.kinds import RETROGRADE, is_win_or_loss, play_order, require_open, require_players, taken_by
from support.exact.sizes import require_size


@dataclass(frozen=True, eq=False)
class Solution:
    """A game solved.

    Attributes:
        value: int8[n], +1 where player 0 wins under best play and -1 where player 1 does, for each node.
        hot: bool[n], whether the player to move wins; False at the end.
        winning: bool[m], whether an edge wins for the player who takes it.
        distance: int32[n], moves to the end when the winner hurries and the loser holds out.
        best: bool[m], the edges of that play: the quickest wins, or the longest defences where all moves
            lose.
    """

    value: np.ndarray
    hot: np.ndarray
    winning: np.ndarray
    distance: np.ndarray
    best: np.ndarray


def solve(flat: FlatGame) -> Solution:
    """Retrograde analysis: every position is judged after all that it leads to.

    Args:
        flat: a two-player game of perfect information without chance in which somebody wins and nothing
            repeats.

    Raises:
        ValueError: a game of another kind; the message says what it has that it must not have.
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
    """Who has won at each node where the game is over.

    Returns:
        int8[n], 0 or 1 at the end of the game and -1 elsewhere.

    Raises:
        ValueError: not a two-player zero-sum game of perfect information, without chance, in which the last
            move and no other decides who wins.
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
            f"{name} is no zero-sum game of win or loss, in which the last move and no other is rewarded and every "
            f"end says who has won; {taken_by(flat)}"
        )
    over = flat.player[flat.child] == TERMINAL
    winner = np.full(flat.num_nodes, -1, np.int8)
    winner[flat.child[over]] = [reward[0] < 0 for reward, end in zip(flat.rewards, over, strict=True) if end]
    return winner


def safe_edges(flat: FlatGame, solution: Solution) -> dict[int, list[int]]:
    """For each decision node the edges that keep a forced win, or all edges where there is none to keep."""
    return {
        node: [edge for edge in flat.edges(node) if solution.winning[edge] or not solution.hot[node]]
        for node in flat.decision_nodes()
    }


def steadiest_edges(flat: FlatGame, epsilon: tuple[Fraction, Fraction]) -> dict[int, list[int]]:
    """Best play between players who know that both tremble: an edge a decision node, the first of equals.

    Backward induction in fractions: with chance epsilon a player's move is drawn uniformly from the legal
    ones, else it is the one with the best chance of winning in the end (the perturbed game of Selten 1975).

    Args:
        flat: a game as for :func:`solve`.
        epsilon: how often each player trembles, in [0, 1].

    Raises:
        ValueError: an epsilon out of range, or a game of another kind.
    """
    chosen: dict[int, int] = {}

    def steadiest(node: int, worth: dict[int, Fraction]) -> int:
        chosen[node] = (max if flat.player[node] == 0 else min)(worth, key=worth.__getitem__)
        return chosen[node]

    _chance_of_first(flat, epsilon, steadiest)
    return {node: [edge] for node, edge in sorted(chosen.items())}


def safe_range(flat: FlatGame, solution: Solution, epsilon: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """The least and the greatest chance of player 0 when both tremble and otherwise take only safe edges.

    Which of several safe edges to take is left open by knowing hot from cold; this is how much hangs on it.

    Args:
        flat: a game as for :func:`solve`.
        solution: its solution.
        epsilon: how often each player trembles, in [0, 1].
    """
    safe = safe_edges(flat, solution)

    def end(pick: Callable[..., int]) -> Fraction:
        return _chance_of_first(flat, epsilon, lambda node, worth: pick(safe[node], key=worth.__getitem__))

    return end(min), end(max)


def _chance_of_first(
    flat: FlatGame, epsilon: tuple[Fraction, Fraction], choose: Callable[[int, dict[int, Fraction]], int]
) -> Fraction:
    """The chance that player 0 wins if both tremble and otherwise choose an edge by the chances that all edges have."""
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
    """The policy of playing uniformly among the given edges, and with chance epsilon among all.

    Args:
        flat: a game of perfect information.
        edges: the edges for each decision node.
        epsilon: how often each player trembles, in [0, 1].

    Raises:
        ValueError: an epsilon out of range.
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
        raise ValueError(f"epsilon must be two numbers between 0 and 1, one a player, not {epsilon}")
    return rates


def cold_positions(limit: int) -> np.ndarray:
    """The cold positions of the two-heap game, by a sieve that knows nothing but the rules.

    A position is cold when no move reaches a cold one, so each cold position rules out its row, its column,
    its diagonal and their mirror images. Going through the smaller heap, the first partner that is not ruled
    out is cold. Diagonals 0 to ``gap - 1`` are known to be used, and ``gap`` never falls: all steps together
    are of the order of ``limit``, not of its square.

    Args:
        limit: the largest heap, zero or more.

    Returns:
        int64[k, 2], all cold positions (a, b) with a <= b <= limit, by rising a, beginning with (0, 0).

    Raises:
        ValueError: a negative limit.
    """
    if limit < 0:
        raise ValueError(f"limit must be at least 0, not {limit}")
    used, diagonal = bytearray(limit + 1), bytearray(limit + 2)
    pairs, a, gap = [], 0, 0
    while a >= 0 and a + gap <= limit:
        b = a + gap
        while b <= limit and (used[b] or diagonal[b - a]):
            b += 1  # pragma: no cover  # never needed, by a theorem of Wythoff that the sieve does not rely on
        if b <= limit:  # pragma: no branch  # a partner above the limit rules out nothing below it
            pairs.append((a, b))
            used[a] = used[b] = diagonal[b - a] = 1
        while diagonal[gap]:
            gap += 1
        a = used.find(0, a + 1)
    return np.array(pairs, np.int64)


def wythoff_pairs(count: int) -> np.ndarray:
    """Wythoff's closed form, (floor(k phi), floor(k phi^2)) with the golden ratio phi, for k = 0, 1, 2, ...

    Integers throughout: k phi = (k + sqrt(5 k^2)) / 2, whose floor needs only the integer square root, and
    phi^2 = phi + 1.

    Args:
        count: how many, from k = 0.

    Returns:
        int64[count, 2].

    Raises:
        ValueError: a negative count.
    """
    if count < 0:
        raise ValueError(f"count must be at least 0, not {count}")
    lower = np.fromiter(((k + isqrt(5 * k * k)) // 2 for k in range(count)), np.int64, count)
    return np.stack([lower, lower + np.arange(count)], axis=1)
