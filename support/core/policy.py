"""Policies: a probability for every legal action in every information state."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Rational
from typing import Any, Protocol, TypeGuard

import numpy as np

from support.core.flat import FlatGame
from support.core.interface import State
from support.core.screen import WORD, shown

InformationState = tuple[int, str]
Row = Mapping[Any, Fraction | float]
"""The probability of each action in one information state; an action that is left out has probability zero."""


class PolicyError(ValueError):
    """Invalid probabilities, or an action that is not legal; the message says where."""


class EndlessError(PolicyError):
    """A policy under which the game may go on for ever; the message says where."""


class Policy(Protocol):
    """Action probabilities for every information state; by default, uniform in those that it has never met."""

    def action_probabilities(self, state: State) -> Row:
        """The probability of each action for the player to move in ``state``, based only on what that player knows."""


AnyPolicy = Policy | Mapping[InformationState, Row] | Callable[[InformationState], Row | None]
"""A policy, or a table or function from an information state (player, text) to the probability of each action.

A table without a row, or a function that returns None or raises KeyError, leaves an information state unanswered.
"""


TOLERANCE = 1e-9
"""How far the sum of probabilities given as floats may be from one; they are then divided by their sum.

For numpy's narrower floats it may be off by twice the machine epsilon of each number, if that is more.
"""


class Checked(dict[Any, Fraction]):
    """A row of exact probabilities that sum to one, so that nobody need add them up again; not to be changed."""


def is_checked(row: Any, legal: Collection[Any]) -> TypeGuard[Checked]:
    """Whether a row is :class:`Checked` and has legal actions alone."""
    return isinstance(row, Checked) and set(legal).issuperset(row)


def exact_row(row: Any, where: InformationState, legal: Collection[Any]) -> Checked:
    """Exact probabilities of legal actions, from whatever numbers a policy gives.

    Args:
        row: the probability of each action. Whole numbers and fractions must sum to one. Floats must do so nearly; each
            is converted to the fraction it stands for, and then divided by the sum.
        where: the information state, for the error message.
        legal: the legal actions.

    Raises:
        PolicyError: not a table, not numbers, a negative number, a wrong sum, or an action that is not legal.
    """
    if is_checked(row, legal):
        return row
    if not isinstance(row, Mapping):
        like = dict.fromkeys(list(legal)[:1], 1)
        raise PolicyError(f"the policy must give {{action: probability}} in {where}, such as {like}, not {shown(row)}")
    try:
        exact = {action: number for action, probability in row.items() if (number := _fraction(probability))}
    except (TypeError, ValueError, OverflowError):
        raise PolicyError(f"the probabilities in {where} must be numbers, not {shown(dict(row))}") from None
    if unknown := [action for action in exact if action not in legal]:
        raise PolicyError(f"the policy plays {unknown[0]!r} in {where}; legal: {list(legal)}")
    numerators = [probability.numerator for probability in exact.values()]
    denominators = {probability.denominator for probability in exact.values()}
    # The usual cases have quick answers: one denominator, and nothing but fractions.
    total = Fraction(sum(numerators), *denominators) if len(denominators) == 1 else sum(exact.values(), Fraction(0))
    inexact = [p for p in row.values() if type(p) is not Fraction and not isinstance(p, Rational)]
    narrow = sum(2 * float(np.finfo(p).eps) for p in inexact if isinstance(p, np.float16 | np.float32))
    error = max(TOLERANCE, narrow) if inexact else 0
    if min(numerators, default=0) < 0 or abs(total - 1) > error:
        raise PolicyError(
            f"the probabilities in {where} must be non-negative and sum to 1, not {shown(dict(row), WORD)}"
        )
    return Checked(exact if total == 1 else {action: probability / total for action, probability in exact.items()})


def _fraction(probability: Any) -> Fraction:
    if type(probability) is Fraction:
        return probability
    if isinstance(probability, str):
        raise TypeError
    if isinstance(probability, Rational):  # numpy's integers would keep to 64 bits
        return Fraction(int(probability.numerator), int(probability.denominator))
    return Fraction(float(probability))


@dataclass(frozen=True)
class TabularPolicy:
    """A policy stored as a table; in an information state without a row, all legal actions are equally likely.

    Args:
        table: for each information state (player, text), the probability of each action; an action that is left out has
            probability zero. The probabilities of one information state are exact and sum to one.
        name: what the book calls it.

    Raises:
        PolicyError: an information state whose probabilities are negative or do not sum to one.
    """

    table: Mapping[InformationState, Mapping[Any, Fraction]]
    name: str = ""

    def __post_init__(self) -> None:
        for where, row in self.table.items():
            if any(p < 0 for p in row.values()) or sum(row.values()) != 1:
                way_out = "; floats fit a plain dictionary in place of the TabularPolicy" * any(
                    isinstance(p, float) for p in row.values()
                )
                said = f"must be non-negative and sum to 1, not {shown(dict(row), WORD)}{way_out}"
                raise PolicyError(f"the probabilities in {where} {said}")

    def row(self, where: InformationState) -> Mapping[Any, Fraction]:
        """The probabilities in one information state.

        Raises:
            KeyError: the policy has no row for it.
        """
        if where not in self.table:
            raise KeyError(f"the policy {self.name or ''} says nothing about player {where[0]} knowing '{where[1]}'")
        return self.table[where]

    def action_probabilities(self, state: State) -> dict[Any, Fraction]:
        """The probability of each legal action for the player to move in ``state``."""
        player, legal = state.current_player, state.legal_actions()
        row = self.table.get((player, state.information_state(player))) or dict.fromkeys(legal, Fraction(1, len(legal)))
        return {action: row.get(action, Fraction(0)) for action in legal}

    def action(self, state: State) -> Any:
        """The one action of a deterministic policy.

        Raises:
            ValueError: the policy mixes here.
        """
        taken = [action for action, p in self.action_probabilities(state).items() if p]
        if len(taken) != 1:
            raise ValueError(f"the policy {self.name or ''} mixes {len(taken)} actions in '{state}'")
        return taken[0]

    def edge_probabilities(self, flat: FlatGame) -> list[Fraction]:
        """The probability of each edge of the unfolded game, chance included.

        Raises:
            KeyError: the policy has no row for an information state of the game.
            ValueError: the policy takes an action that is not legal.
        """
        return edge_probabilities(flat, self)


Profile = TabularPolicy | Sequence[TabularPolicy]
"""The policies of all players: one table with all information states, or one table per player."""


def edge_probabilities(flat: FlatGame, policies: Profile, without: int | None = None) -> list[Fraction]:
    """The probability of each edge of the unfolded game, chance included; zero on the edges of player ``without``.

    Raises:
        KeyError: a policy of another player has no row for an information state.
        ValueError: not one table per player, or an action that is not legal.
    """
    tables = [policies] * flat.num_players if isinstance(policies, TabularPolicy) else policies
    if len(tables) != flat.num_players:
        raise ValueError(
            f"a profile is one table for all players or one per player: {flat.game.name} has {flat.num_players} "
            f"players, but {len(tables)} tables were given"
        )
    chances = list(flat.probability)
    for where, nodes in zip(flat.information_states, flat.nodes_of_information, strict=True):
        row = {} if where[0] == without else tables[where[0]].row(where)
        for node in nodes:
            legal = {flat.action[edge]: edge for edge in flat.edges(node)}
            for action, probability in row.items():
                if action not in legal:
                    raise ValueError(f"a policy plays {action!r} in {where}; legal: {list(legal)}")
                chances[legal[action]] = probability
    return chances


def choose(flat: FlatGame, edges: Iterable[int], name: str = "") -> TabularPolicy:
    """The deterministic policy that takes the given edges, one for each information state in order."""
    pairs = zip(flat.information_states, edges, strict=True)
    return TabularPolicy({where: {flat.action[edge]: Fraction(1)} for where, edge in pairs}, name)


def uniform(flat: FlatGame) -> TabularPolicy:
    """The policy that takes every legal action with equal probability."""
    pairs = zip(flat.information_states, flat.actions, strict=True)
    return TabularPolicy({where: dict.fromkeys(legal, Fraction(1, len(legal))) for where, legal in pairs}, "uniform")


def from_weights(flat: FlatGame, weights: np.ndarray, name: str = "") -> TabularPolicy:
    """The policy that takes each action in proportion to its weight; uniform where all weights are zero.

    Args:
        flat: the unfolded game.
        weights: non-negative, one per slot of ``flat``; integers, or floats, which are converted to exact fractions.
        name: what the book calls it.

    Raises:
        ValueError: not one weight per slot, or a negative weight.
    """
    if len(weights) != flat.slots[-1] or min(weights, default=0) < 0:
        raise ValueError(f"{flat.game.name} needs {flat.slots[-1]} non-negative weights, one per slot")
    table = dict(uniform(flat).table)
    for where, start, actions in zip(flat.information_states, flat.slots, flat.actions, strict=False):
        row = [Fraction(weight.item()) for weight in weights[start : start + len(actions)]]
        if total := sum(row):
            table[where] = {action: weight / total for action, weight in zip(actions, row, strict=True) if weight}
    return TabularPolicy(table, name)


def probabilities_of(flat: FlatGame, policy: TabularPolicy, without: int | None = None) -> np.ndarray:
    """float64, the probability of each slot of an unfolded game; zero in the slots of player ``without``.

    Raises:
        KeyError, ValueError: as for :func:`edge_probabilities`.
    """
    edges = np.array(edge_probabilities(flat, policy, without), dtype=float)
    out = np.zeros(flat.slots[-1])
    out[flat.slot[flat.slot >= 0]] = edges[flat.slot >= 0]
    return out


@dataclass(frozen=True)
class Judgement:
    """How far a policy is from the best.

    Attributes:
        distance: ``best - achieved``; zero only for the best policies. Fractions are exact; floats are exact up to
            rounding.
        unit: what the distance is measured in.
        best: what the best policy achieves. For NashConv, the sum over the players of what a best response to the
            policy achieves.
        achieved: what the policy achieves. For NashConv, the sum of the players' returns when both follow the policy.
        method: the full name of the solver that found the best.
        unanswered: the number of information states of the judged seats for which a table or a function gave no
            probabilities, and was therefore taken to play uniformly. States that it never reaches count too.
        information_states: the number of information states of the judged seats; for a game with its own scorer, the
            number that the scorer asked about.
        unanswered_by_opponents: the same as ``unanswered``, for the fixed opponents; 0 without any.
    """

    distance: Fraction | float
    unit: str
    best: Fraction | float
    achieved: Fraction | float
    method: str
    unanswered: int = 0
    information_states: int = 0
    unanswered_by_opponents: int = 0
