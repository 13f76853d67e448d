"""How far a pair of policies is from an equilibrium, exactly: best responses, NashConv and exploitability.

A best response is found by backward induction over information states. A node counts with the probability that chance
and the others bring play there if the player does what it can to get there (its counterfactual reach); with perfect
recall the best action of an information state then depends on nothing that comes before it. *NashConv* is the sum over
the players of what a best response gains, *exploitability* is NashConv divided by the number of players (Lanctot et
al. 2017; some programs print one under the other's name).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from graphlib import TopologicalSorter
from typing import Any

from support.core.flat import FlatGame
from support.core.policy import InformationState, Profile, TabularPolicy, edge_probabilities
from support.exact.kinds import BEST_RESPONSE, own_sequences, play_order
from support.exact.sizes import require_size


@dataclass(frozen=True)
class BestResponse:
    """The best that one player can do against fixed policies of the others.

    Attributes:
        player: who responds.
        value: its expected return, exact, in the units of the game's returns.
        policy: the first listed of the best actions in each of its information states.
        reach: for each of its information states the counterfactual reach; where it is zero, all actions are equal.
        action_values: for each of its information states and actions the expected rewards to come, times that
            reach, if it takes the action and responds best from there on.
    """

    player: int
    value: Fraction
    policy: TabularPolicy
    reach: Mapping[InformationState, Fraction]
    action_values: Mapping[InformationState, Mapping[Any, Fraction]]


def expected_returns(flat: FlatGame, policies: Profile) -> tuple[Fraction, ...]:
    """The exact expected return of each player, in the units of the game's returns.

    Args:
        flat: an unfolded game that is sure to end.
        policies: everybody's policy.

    Raises:
        KeyError: a policy says nothing about an information state.
        ValueError: not one table a player, an illegal action, or a game that may go on for ever.
    """
    chances = edge_probabilities(flat, policies)
    values = [(Fraction(0),) * flat.num_players] * flat.num_nodes
    for node in reversed(play_order(flat)):
        out = [(chances[e], flat.rewards[e], values[flat.child[e]]) for e in flat.edges(node) if chances[e]]
        values[node] = tuple(
            sum((p * (reward[i] + after[i]) for p, reward, after in out), Fraction(0)) for i in range(flat.num_players)
        )
    return values[0]


def best_response(flat: FlatGame, policies: Profile, player: int) -> BestResponse:
    """The best response of ``player`` to what the others do, exact; ties go to the first listed action.

    Args:
        flat: an unfolded game in which the player remembers what it knew and did (perfect recall), or in which its
            information states are single positions.
        policies: everybody's policy; what it says about ``player`` is not read and may be missing.
        player: who responds, from 0.

    Raises:
        KeyError, ValueError: as :func:`expected_returns`; or no such player, or no perfect recall; or, as
            TooLargeError, more moves than ``support.exact.sizes`` says.
    """
    _require_player(flat, player)
    require_size(flat.game, BEST_RESPONSE, len(flat.child))
    groups = _groups(flat, player)
    chances = edge_probabilities(flat, policies, without=player)
    reach = reach_of_others(flat, chances, player)
    values, table, reaches, action_values = [Fraction(0)] * flat.num_nodes, {}, {}, {}
    for nodes in groups:
        worths = [  # of each node's edges
            [flat.rewards[e][player] + values[flat.child[e]] for e in flat.edges(node)] for node in nodes
        ]
        if flat.player[nodes[0]] != player:
            pairs = zip(flat.edges(nodes[0]), worths[0], strict=True)
            values[nodes[0]] = sum((chances[e] * worth for e, worth in pairs if chances[e]), Fraction(0))
            continue
        totals = [
            sum((reach[node] * worth for node, worth in zip(nodes, column, strict=True)), Fraction(0))
            for column in zip(*worths, strict=True)
        ]
        best = totals.index(max(totals))
        for node, row in zip(nodes, worths, strict=True):
            values[node] = row[best]
        where = flat.information_states[flat.information[nodes[0]]]
        actions = [flat.action[e] for e in flat.edges(nodes[0])]
        table[where] = {actions[best]: Fraction(1)}
        reaches[where] = sum((reach[node] for node in nodes), Fraction(0))
        action_values[where] = dict(zip(actions, totals, strict=True))
    return BestResponse(player, values[0], TabularPolicy(table, "best response"), reaches, action_values)


def nash_conv(flat: FlatGame, policies: Profile) -> Fraction:
    """The sum over players of what a best response gains on the policy at hand; zero in an equilibrium only.

    Raises:
        KeyError, ValueError: as :func:`best_response`.
    """
    returns = expected_returns(flat, policies)
    gains = (best_response(flat, policies, player).value - now for player, now in enumerate(returns))
    return sum(gains, Fraction(0))


def exploitability(flat: FlatGame, policies: Profile) -> Fraction:
    """NashConv divided by the number of players.

    Raises:
        KeyError, ValueError: as :func:`best_response`.
    """
    return nash_conv(flat, policies) / flat.num_players


@lru_cache(maxsize=16)
def _groups(flat: FlatGame, player: int) -> list[list[int]]:
    """The player's information states and all other nodes one by one, each after all that follows it in play."""
    own_sequences(flat, player, single_positions=True)
    members = flat.nodes_of_information()
    key = [int(flat.information[node]) if flat.player[node] == player else -1 - node for node in range(flat.num_nodes)]
    order: TopologicalSorter[int] = TopologicalSorter()
    for node in range(flat.num_nodes):
        order.add(key[node], *{key[flat.child[edge]] for edge in flat.edges(node)})
    return [members[group] if group >= 0 else [-1 - group] for group in order.static_order()]


def reach_of_others(flat: FlatGame, chances: Sequence[Fraction | float], player: int) -> list[Any]:
    """For each node its counterfactual reach: the probability of its ways from the root, own choices taken as certain.

    Args:
        flat: an unfolded game that is sure to end.
        chances: for each edge its probability; on the player's own edges it is not read.
        player: whose own choices are certain.
    """
    reach: list[Any] = [1] + [0] * (flat.num_nodes - 1)
    for node in play_order(flat):
        for edge in flat.edges(node) if reach[node] else ():
            reach[flat.child[edge]] += reach[node] if flat.player[node] == player else reach[node] * chances[edge]
    return reach


def _require_player(flat: FlatGame, player: int) -> None:
    if player not in range(flat.num_players):
        raise ValueError(f"player must lie between 0 and {flat.num_players - 1}, not {player!r}")
