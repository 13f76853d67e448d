"""Two players, nothing hidden, and dice: exact value and optimal policy by backward induction.

Zermelo (1913) for games without chance; with chance nodes the rule is Michie's *expectimax* (1966), in the artificial
intelligence books *expectiminimax* (Russell and Norvig, *Artificial Intelligence: A Modern Approach*, 4th edition 2021,
section 5.5)::

    V(s) = max over a of r(s, a) + V(s a)          where player 0 moves
    V(s) = min over a of r(s, a) + V(s a)          where player 1 moves
    V(s) = sum over o of p(o) (r(s, o) + V(s o))   where chance moves
    V(s) = 0                                       at the end

V is what player 0 still gets, r what a move brings it. Every position is judged after all that it leads to, in one pass
over the unfolded game and in fractions, so that ties are true ties.
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
    """A game solved.

    Attributes:
        value: what player 0 gets on average under best play, in the units of the game's returns; player 1 gets minus
            that.
        values: for each node what player 0 gets on average from there on, exact, length n.
        edge_values: for each edge what player 0 gets from the move on, the reward of the move included, length m.
        policy: the first listed of the best actions in each information state of both players.
    """

    value: Fraction
    values: list[Fraction]
    edge_values: list[Fraction]
    policy: TabularPolicy


def minimax(flat: FlatGame) -> Minimax:
    """Solve a game of two players in which nothing is hidden, with or without chance.

    Args:
        flat: an unfolded two-player zero-sum game of perfect information that is sure to end.

    Raises:
        ValueError: a game of another kind; the message says what it has that it must not have, and which solver
            takes it.
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
