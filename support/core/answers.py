"""What a policy answers: a table, a function or an object, read in the same way.

Where a table or a function gives no answer, it plays uniformly over the legal actions.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from support.core.flat import FlatGame
from support.core.interface import State
from support.core.policy import (
    AnyPolicy,
    Checked,
    InformationState,
    PolicyError,
    Row,
    TabularPolicy,
    exact_row,
    uniform,
)
from support.core.screen import shown


def complete(flat: FlatGame, policy: AnyPolicy, seats: Collection[int]) -> tuple[TabularPolicy, int]:
    """A policy written out as a table for some seats, and the number of information states that had to be filled in.

    Args:
        flat: the unfolded game.
        policy: any policy. If it gives no answer or an empty row, it is taken to play uniformly over the legal actions.
            Fractions and integers must sum to one exactly; rows with floats must do so nearly.
        seats: the seats whose information states are written out.

    Raises:
        PolicyError: not a policy, a table without a single information state of the game, probabilities that are
            negative or do not sum to one, or an action that is not legal.
    """
    everywhere, table, unanswered = uniform(flat).table, {}, 0
    answer = answers(policy)
    if not answer:
        if not hasattr(policy, "action_probabilities"):
            raise PolicyError(
                "a policy is a dictionary {(player, information state): {action: probability}}, a function, or an "
                f"object with action_probabilities(state), not {shown(policy)}"
            )
        states = _states(flat)
        answer = lambda where: policy.action_probabilities(states[where])  # noqa: E731
    given = policy.table if isinstance(policy, TabularPolicy) else policy
    if isinstance(given, Mapping) and given and not any(where in given for where in flat.information_states):
        raise PolicyError(
            f"no key of the table is an information state of {flat.game.name}: it has {shown(next(iter(given)))}, the "
            f"game has {flat.information_states[0]!r}"
            if flat.information_states
            else f"a table must be empty for {flat.game.name}, in which no player ever moves"
        )
    for where in flat.information_states:
        if where[0] not in seats:
            continue
        row = answer(where)
        if _says_nothing(row):
            table[where] = everywhere[where]
            unanswered += 1
        else:
            table[where] = exact_row(row, where, everywhere[where])
    return TabularPolicy(table, getattr(policy, "name", "")), unanswered


def answers(policy: AnyPolicy) -> Callable[[InformationState], Row | None] | None:
    """The function that gives a table's or a function's row for an information state; None for any other policy."""
    if isinstance(policy, TabularPolicy):
        return policy.table.get
    if isinstance(policy, Mapping):
        return policy.get
    if callable(policy) and not hasattr(policy, "action_probabilities"):
        return lambda where: _or_nothing(policy, where)
    return None


def _or_nothing(policy: Callable[[InformationState], Row | None], where: InformationState) -> Row | None:
    try:
        return policy(where)
    except KeyError:
        return None


@dataclass
class Asked:
    """A table or a function as a policy that answers everywhere, and records its rows and how many it filled in."""

    answer: Callable[[InformationState], Row | None]
    rows: dict[InformationState, Row] = field(default_factory=dict)
    unanswered: int = 0

    def action_probabilities(self, state: State) -> Row:
        """The row for the player to move; uniform where nothing was answered."""
        where = (state.current_player, state.information_state(state.current_player))
        if where not in self.rows:
            legal, row = state.legal_actions(), self.answer(where)
            if nothing := _says_nothing(row):
                row = Checked.fromkeys(legal, Fraction(1, len(legal)))
            self.unanswered += nothing
            self.rows[where] = exact_row(row, where, legal)
        return self.rows[where]


def _says_nothing(row: Any) -> bool:
    return row is None or (isinstance(row, Mapping) and not row)


def _states(flat: FlatGame) -> dict[InformationState, State]:
    """One state of each information state, reached by as few moves as possible."""
    reached: dict[int, State] = {0: flat.game.initial_state()}
    found: dict[InformationState, State] = {}
    for node in range(flat.num_nodes):
        if flat.player[node] >= 0:
            found.setdefault(flat.information_states[flat.information[node]], reached[node])
        for edge in flat.edges(node):
            if (child := int(flat.child[edge])) not in reached:
                reached[child] = reached[node].child(flat.action[edge])
    return found
