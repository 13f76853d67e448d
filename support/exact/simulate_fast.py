"""Many games under fixed policies, compiled: one kernel for every game that can be unfolded.

Plain counterpart: ``support.core.play.play_game`` with ``Stream(seed, game)`` plays the same games.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from support.core.compiled import njit
from support.core.flat import FlatGame
from support.core.play import thresholds
from support.core.splitmix_fast import mix, step, stream
from support.exact.markov import require_end


@dataclass(frozen=True, eq=False)
class Chain:
    """A game under fixed policies as the kernel reads it: only edges of positive probability are left.

    Attributes:
        first: int64[n + 1], the edges of node i are ``first[i]`` to ``first[i + 1] - 1``.
        child: int32[m], the node that each edge leads to.
        bound: uint64[m], the highest random number that draws each edge.
        reward: float64[m], the first player's reward on each edge.
    """

    first: np.ndarray
    child: np.ndarray
    bound: np.ndarray
    reward: np.ndarray

    def play(self, games: int, seed: int, start: int = 0) -> np.ndarray:
        """float64[games], the first player's returns from game ``start`` on, in the sequence of a 64-bit seed."""
        out = np.empty(games)
        _play(self.first, self.child, self.bound, self.reward, np.uint64(seed), np.uint64(start), out)
        return out


def simulate(
    flat: FlatGame, edge_probabilities: Sequence[Fraction], games: int, seed: int, start: int = 0
) -> np.ndarray:
    """Play games ``start`` to ``start + games - 1`` of the sequence that belongs to ``seed``.

    Args:
        flat: the unfolded game.
        edge_probabilities: a probability for each edge, chance included.
        games: number of games.
        seed: 64-bit seed.
        start: number of the first game; a run that is split into pieces gives exactly the same returns.

    Returns:
        float64[games], the first player's return of each game.

    Raises:
        ValueError: under the policy the game may go on for ever.
    """
    return lay_out(flat, edge_probabilities).play(games, seed, start)


def lay_out(flat: FlatGame, edge_probabilities: Sequence[Fraction]) -> Chain:
    """Prepare a game under fixed policies; this takes longer than playing thousands of games.

    Args:
        flat: the unfolded game.
        edge_probabilities: a probability for each edge, chance included.

    Raises:
        ValueError: under the policy the game may go on for ever.
    """
    require_end(flat, edge_probabilities)
    first, child, bound, reward = [0], [], [], []
    for node in range(flat.num_nodes):
        likely = [edge for edge in flat.edges(node) if edge_probabilities[edge]]
        limits = thresholds(edge_probabilities[edge] for edge in likely)
        never = limits.count(0)  # first edges so unlikely that no 64-bit number draws them
        left = [*zip(likely[never:], limits[never:], strict=True)]
        if never and len(left) == 1:
            left *= 2  # certain, but a number is drawn for it all the same
        child += [flat.child[edge] for edge, _ in left]
        reward += [float(flat.rewards[edge][0]) for edge, _ in left]
        bound += [limit - 1 for _, limit in left]
        first.append(len(child))
    arrays = (np.array(child, np.int32), np.array(bound, np.uint64), np.array(reward, np.float64))
    return Chain(np.array(first, np.int64), *arrays)


@njit(nogil=True, cache=True)
def _play(first, child, bound, reward, seed, start, out):
    for k in range(out.size):
        state = stream(seed, start + np.uint64(k))
        node, total = 0, 0.0
        while first[node] != first[node + 1]:
            low, high = first[node], first[node + 1] - 1
            if low != high:
                state = step(state)
                number = mix(state)
                while low < high:  # the first edge whose bound is not below the number
                    middle = (low + high) // 2
                    if number <= bound[middle]:
                        high = middle
                    else:
                        low = middle + 1
            total += reward[low]
            node = child[low]
        out[k] = total
