"""Two-player games of perfect information, with or without chance: exact value and optimal policy.

They are found by backward induction, as Zermelo (1913) described it for games without chance. With chance nodes the
rule is Michie's *expectimax* (1966), which textbooks of artificial intelligence call *expectiminimax* (Russell and
Norvig, *Artificial Intelligence: A Modern Approach*, 4th edition 2021, section 5.5)::

    V(s) = max over a of r(s, a) + V(s a)          where player 0 moves
    V(s) = min over a of r(s, a) + V(s a)          where player 1 moves
    V(s) = sum over o of p(o) (r(s, o) + V(s o))   where chance moves
    V(s) = 0                                       at the end

V is the return that player 0 still expects, and r is its reward for a move. One pass over the unfolded game evaluates
every position after all those that it leads to. The arithmetic is in fractions, so ties are true ties.
"""

from dataclasses import dataclass
from fractions import Fraction

from support.core.flat import FlatGame
from support.core.interface import CHANCE
from support.core.policy import TabularPolicy, choose
from support.exact.kinds import MINIMAX, play_order, require_open, require_players, require_zero_sum
from support.exact.sizes import require_size


@dataclass(frozen=True, eq=False)
class Minimax:
    """A solved game.

    Attributes:
        value: player 0's expected return under best play, in the units of the game's returns; that of player 1 is the
            negative.
        values: for each node, player 0's exact expected return from there on, length n.
        edge_values: for each edge, player 0's exact expected return from the move on, including its reward, length m.
        policy: the first listed of the best actions in each information state of both players.
    """

    value: Fraction
    values: list[Fraction]
    edge_values: list[Fraction]
    policy: TabularPolicy


def minimax(flat: FlatGame) -> Minimax:
    """Solve a two-player game of perfect information, with or without chance.

    Args:
        flat: an unfolded two-player zero-sum game of perfect information that is sure to end.

    Raises:
        ValueError: a game of another kind; the message says what rules it out, and which solver takes it.
    """
    require_players(flat, "minimax", 2)
    require_open(flat, "minimax")
    require_zero_sum(flat)
    require_size(flat.game, MINIMAX, len(flat.child))
    values, edge_values = [Fraction(0)] * flat.num_nodes, [Fraction(0)] * len(flat.child)
    chosen: dict[int, int] = {}
    for node in reversed(play_order(flat)):
        edges, mover = flat.edges(node), flat.player[node]
        for edge in edges:
            edge_values[edge] = flat.rewards[edge][0] + values[flat.child[edge]]
        if mover == CHANCE:
            values[node] = sum((flat.probability[edge] * edge_values[edge] for edge in edges), Fraction(0))
        elif edges:
            best = max(edges, key=edge_values.__getitem__) if mover == 0 else min(edges, key=edge_values.__getitem__)
            chosen[int(flat.information[node])] = best
            values[node] = edge_values[best]
    policy = choose(flat, (chosen[number] for number in range(len(flat.information_states))), "minimax")
    return Minimax(values[0], values, edge_values, policy)
