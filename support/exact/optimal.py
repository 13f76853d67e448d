"""The best that a single player can do against chance: policy iteration in fractions (Howard 1960)."""

from dataclasses import dataclass
from fractions import Fraction

from support.core.flat import FlatGame
from support.core.interface import DoesNotFitError
from support.core.policy import TabularPolicy, choose
from support.exact.kinds import OPTIMAL, require_open, require_players
from support.exact.markov import node_values, require_end, steps_to_end
from support.exact.sizes import require_size


@dataclass(frozen=True)
class Optimum:
    """An optimal policy and its value.

    Attributes:
        policy: the first listed of the best actions in each state. If play would then never end, the choice at which
            policy iteration stopped, in all states; with a discount, even that may go on for ever.
        values: the optimal expected return to come at each decision node, exact.
        value: the optimal expected return at the root.
        action_values: for each edge of a decision node, the expected return of taking it and then playing optimally.
    """

    policy: TabularPolicy
    values: dict[int, Fraction]
    value: Fraction
    action_values: dict[int, Fraction]


def optimal_policy(flat: FlatGame, discount: Fraction | int = 1) -> Optimum:
    """Solve a single-player game exactly.

    Every answer satisfies the Bellman optimality equation exactly: policy iteration stops only when no action in any
    state is better, however slightly.

    Args:
        flat: a single-player game in which every position has a way to the end.
        discount: the weight of a reward one decision later, in [0, 1], taken exactly.

    Raises:
        ValueError: more than one player, something hidden, a discount out of range, a position without a way to the
            end, or, without a discount, a game in which it is best to go on for ever.
    """
    discount = Fraction(discount)
    require_players(flat, "an optimal policy", 1)
    require_open(flat, "an optimal policy")
    require_size(flat.game, OPTIMAL, len(flat.child))
    if not 0 <= discount <= 1:
        raise ValueError(f"discount must lie between 0 and 1, not {discount}")
    decisions = flat.decision_nodes()
    chosen = _shortest_way_out(flat, decisions)
    while True:
        values = node_values(flat, _one_hot(flat, chosen), discount=discount)
        worth = {
            node: {edge: flat.rewards[edge][0] + discount * values[int(flat.child[edge])] for edge in flat.edges(node)}
            for node in decisions
        }
        top = {node: max(row.values()) for node, row in worth.items()}
        if all(worth[node][chosen[node]] == top[node] for node in decisions):
            break
        chosen = {
            node: chosen[node]
            if worth[node][chosen[node]] == top[node]
            else max(worth[node], key=worth[node].__getitem__)
            for node in decisions
        }
    first = {node: next(edge for edge in flat.edges(node) if worth[node][edge] == top[node]) for node in decisions}
    if not _keeps(flat, first, values, discount):
        first = chosen  # the first of the equal actions would go on for ever
    action_values = {edge: value for row in worth.values() for edge, value in row.items()}
    policy = choose(flat, first.values(), "optimal")
    return Optimum(policy, {node: values[node] for node in decisions}, values[0], action_values)


def _keeps(flat: FlatGame, picks: dict[int, int], values: dict[int, Fraction], discount: Fraction) -> bool:
    """Whether a choice among equal actions achieves their value and is sure to end."""
    probabilities = _one_hot(flat, picks)
    try:
        require_end(flat, probabilities)
        return node_values(flat, probabilities, discount=discount) == values
    except ValueError:
        return False


def _one_hot(flat: FlatGame, chosen: dict[int, int]) -> list[Fraction]:
    probabilities = list(flat.probability)
    for edge in chosen.values():
        probabilities[edge] = Fraction(1)
    return probabilities


def _shortest_way_out(flat: FlatGame, decisions: list[int]) -> dict[int, int]:
    """For each decision node, an edge on a shortest path to the end: a policy that is sure to finish."""
    after = {node: [int(flat.child[edge]) for edge in flat.edges(node)] for node in range(flat.num_nodes)}
    steps = steps_to_end(flat, after)
    if lost := [node for node in after if node not in steps]:
        raise DoesNotFitError(f"{flat.game.name} has no way to the end from {flat.positions[lost[0]]}")
    return {node: min(flat.edges(node), key=lambda edge: steps[int(flat.child[edge])]) for node in decisions}
