"""How far a pair of policies is from an equilibrium, exactly: best responses, NashConv and exploitability.

A best response is found by backward induction over information states. Each node is weighted by its counterfactual
reach: the probability that chance and the others bring play there if the player itself does all it can to get there.
With perfect recall, the best action of an information state then depends on nothing that came before. *NashConv* is the
sum over the players of what a best response gains; *exploitability* is NashConv divided by the number of players
(Lanctot et al. 2017; some programs print one under the other's name).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from graphlib import TopologicalSorter
from typing import Any

from support.core.flat import KEPT, FlatGame
from support.core.policy import InformationState, Profile, TabularPolicy, edge_probabilities
from support.exact.kinds import BEST_RESPONSE, own_sequences, play_order
from support.exact.sizes import require_size


@dataclass(frozen=True)
class BestResponse:
    """The best that one player can do against fixed policies of the others.

    Attributes:
        player: the player who responds.
        value: its expected return, exact, in the units of the game's returns.
        policy: the first listed of the best actions in each of its information states.
        reach: the counterfactual reach of each of its information states; where it is zero, all actions are equal.
        action_values: for each of its information states and actions, that reach times the expected rewards to come if
            it takes the action and plays a best response from there on.
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
        policies: the policies of all players.

    Raises:
        KeyError: a policy has no row for an information state.
        ValueError: not one table per player, an illegal action, or a game that may go on for ever.
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
    """The exact best response of ``player`` to the policies of the others; ties go to the first listed action.

    Args:
        flat: an unfolded game in which the player remembers what it knew and did (perfect recall), or in which its
            information states are single positions.
        policies: the policies of all players; that of ``player`` is not read and may be missing.
        player: the player who responds, from 0.

    Raises:
        KeyError, ValueError: as for :func:`expected_returns`; or no such player, or no perfect recall; or, as
            TooLargeError, more moves than ``support.exact.sizes`` says.
    """
    _require_player(flat, player)
    require_size(flat.game, BEST_RESPONSE, len(flat.child))
    groups = _groups(flat, player)
    chances = edge_probabilities(flat, policies, without=player)
    reach = counterfactual_reach(flat, chances, player)
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
        actions = flat.actions[flat.information[nodes[0]]]
        table[where] = {actions[best]: Fraction(1)}
        reaches[where] = sum((reach[node] for node in nodes), Fraction(0))
        action_values[where] = dict(zip(actions, totals, strict=True))
    return BestResponse(player, values[0], TabularPolicy(table, "best response"), reaches, action_values)


def nash_conv(flat: FlatGame, policies: Profile) -> Fraction:
    """The sum over the players of what each gains by a best response; zero only in an equilibrium.

    Raises:
        KeyError, ValueError: as for :func:`best_response`.
    """
    returns = expected_returns(flat, policies)
    gains = (best_response(flat, policies, player).value - now for player, now in enumerate(returns))
    return sum(gains, Fraction(0))


def exploitability(flat: FlatGame, policies: Profile) -> Fraction:
    """NashConv divided by the number of players.

    Raises:
        KeyError, ValueError: as for :func:`best_response`.
    """
    return nash_conv(flat, policies) / flat.num_players


@lru_cache(maxsize=2 * KEPT)
def _groups(flat: FlatGame, player: int) -> list[list[int]]:
    """The nodes, with those of each of the player's information states together, each after all that follow in play."""
    own_sequences(flat, player, single_positions=True)
    members = flat.nodes_of_information
    key = [int(flat.information[node]) if flat.player[node] == player else -1 - node for node in range(flat.num_nodes)]
    order: TopologicalSorter[int] = TopologicalSorter()
    for node in range(flat.num_nodes):
        order.add(key[node], *{key[flat.child[edge]] for edge in flat.edges(node)})
    return [members[group] if group >= 0 else [-1 - group] for group in order.static_order()]


def counterfactual_reach(flat: FlatGame, chances: Sequence[Fraction | float], player: int) -> list[Any]:
    """Each node's counterfactual reach: the probability of its paths from the root if own choices are certain.

    Args:
        flat: an unfolded game that is sure to end.
        chances: the probability of each edge; those of the player's own edges are not read.
        player: the player whose own choices count as certain.
    """
    reach: list[Any] = [1] + [0] * (flat.num_nodes - 1)
    for node in play_order(flat):
        for edge in flat.edges(node) if reach[node] else ():
            reach[flat.child[edge]] += reach[node] if flat.player[node] == player else reach[node] * chances[edge]
    return reach


def _require_player(flat: FlatGame, player: int) -> None:
    if player not in range(flat.num_players):
        raise ValueError(f"player must lie between 0 and {flat.num_players - 1}, not {player!r}")
