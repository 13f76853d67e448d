"""How the hands of a player spread over an unfolded round of wild ones, compiled.

Plain counterpart: ``support.games.wild_ones.ceiling.rounds.Round.spread``, whose numbers it gives digit for digit, in
whole numbers or floats; fractions only the plain one takes.
"""

import numpy as np

from support.core.compiled import lean


@lean(nogil=True, cache=True)
def spread(
    first: np.ndarray,
    child: np.ndarray,
    decides: np.ndarray,
    chosen: np.ndarray,
    weights: np.ndarray,
    reached: np.ndarray,
    flow: np.ndarray,
) -> None:
    """Fill ``reached`` below the root and ``flow``, as ``Round.spread``; each edge leads to a later node or a leaf.

    Args:
        first: int64[nodes + 1], where the edges of each node begin.
        child: int64[edges], the node that each leads to, or a negative number.
        decides: bool[nodes], where the player that decides is to move.
        chosen: int64[nodes, hands], its choices.
        weights: float64[edges], the probabilities of drawn actions; empty if nobody draws.
        reached: [nodes, hands], with the number of ways at the root and zeros elsewhere.
        flow: [edges, hands].
    """
    for node in range(decides.size):
        for edge in range(first[node], first[node + 1]):
            for hand in range(reached.shape[1]):
                ways = reached[node, hand]
                if decides[node]:
                    ways *= chosen[node, hand] == edge - first[node]
                elif weights.size:
                    ways *= weights[edge]
                flow[edge, hand] = ways
                if child[edge] >= 0:
                    reached[child[edge], hand] += ways
