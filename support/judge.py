"""How far a policy is from the best, exactly: one measure for each kind of game, and always best less achieved.

* Two players whose returns always have the same sum, both playing the policy: NashConv (Lanctot et al. 2017), what
  the two could gain, added up, if each alone changed to a best response.
* One player: the expected return that an optimal policy gets and the policy does not.
* One seat against fixed opponents, at a table of any number: the expected return that a best response to them gets
  and the policy does not; where the game is only won or lost, the probability of winning.

A policy that does not answer for an information state plays uniformly over its legal actions there, and how often that
was needed is reported.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from support.core.flat import LIMIT, FlatGame
from support.core.interface import TERMINAL, Game
from support.core.policy import InformationState, TabularPolicy, uniform
from support.exact.best_response import best_response, expected_returns
from support.exact.kinds import BEST_RESPONSE, kind_of
from support.exact.markov import evaluate
from support.solve import solve, unfolded

Row = Mapping[Any, Fraction | float]
Policy = TabularPolicy | Mapping[InformationState, Row] | Callable[[InformationState], Row | None]
"""From an information state (player, text) to the probability of each action: a table or a function."""

TOLERANCE = 1e-9
"""By how much probabilities given as floats may miss one in sum; they are then divided by their sum."""
NASH_CONV = "NashConv, in units of the returns"
EXPECTED = "expected return, in units of the returns"
CHANCE_TO_WIN = "probability of winning"


@dataclass(frozen=True)
class Judgement:
    """How far a policy is from the best.

    Attributes:
        distance: ``best - achieved``, exact; zero for the best policies only.
        unit: what the distance is measured in.
        best: what the best reaches. For NashConv the sum of what each player's best response to the policy gets.
        achieved: what the policy reaches. For NashConv the sum of what the players get if both play it.
        method: the full name of the solver that found the best.
        unanswered: of how many information states of the judged seats the policy said nothing, so that it was taken
            to play uniformly there; those that it never comes to are counted too.
        information_states: how many information states the judged seats have.
        unanswered_by_opponents: the same as ``unanswered`` for the fixed opponents; 0 without any.
    """

    distance: Fraction
    unit: str
    best: Fraction
    achieved: Fraction
    method: str
    unanswered: int
    information_states: int
    unanswered_by_opponents: int = 0


def judge_policy(
    policy: Policy,
    game: Game | FlatGame,
    against: Policy | Mapping[int, Policy] | None = None,
    *,
    seat: int = 0,
    limit: int = LIMIT,
) -> Judgement:
    """Judge a policy on a game that can be unfolded.

    Args:
        policy: what is judged. What it says about seats that it does not play is not read.
        game: any game behind the interface, or an unfolded one. With ``against``, and with two players, it must be sure
            to end, and every player must have perfect recall or information states of single positions.
        against: what all others play, one policy or a mapping from each other seat to its own; left out, the policy
            plays all seats.
        seat: whom the policy plays if ``against`` is given, from 0.
        limit: the most positions to unfold.

    Raises:
        TooLargeError: more than ``limit`` positions.
        ValueError: probabilities that are negative or do not sum to one, an illegal action, no such seat, a seat
            without an opponent, opponents where there are none, a kind of game that cannot be judged so, or a policy
            with which the game may never end.
    """
    flat = unfolded(game, limit)
    if against is not None:
        return _against(flat, policy, against, seat)
    if flat.num_players == 1:
        return _alone(flat, policy)
    if flat.num_players > 2 or kind_of(flat).total is None:
        raise ValueError(
            "NashConv judges a policy that plays both seats of a game whose returns always have the same sum; "
            f"{flat.game.name} is none: judge one seat with against=, what the others play"
        )
    table, unanswered = complete(flat, policy, (0, 1))
    best = sum((best_response(flat, table, player).value for player in (0, 1)), Fraction(0))
    achieved = sum(expected_returns(flat, table), Fraction(0))
    states = len(flat.information_states)
    return Judgement(best - achieved, NASH_CONV, best, achieved, BEST_RESPONSE, unanswered, states)


def complete(flat: FlatGame, policy: Policy, seats: Collection[int]) -> tuple[TabularPolicy, int]:
    """A policy written out for some seats, and in how many information states it had to be filled in.

    Args:
        flat: the unfolded game.
        policy: a table or a function. It does not answer where a table has no row, where a function returns None or
            raises KeyError, and where the row is empty; there it is taken to play uniformly over the legal actions.
            Fractions and integers must sum to one exactly; with floats among them, nearly.
        seats: whose information states are written out.

    Raises:
        ValueError: probabilities that are negative or do not sum to one, or an action that is not legal.
    """
    everywhere, table, unanswered = uniform(flat).table, {}, 0
    for where in flat.information_states:
        if where[0] not in seats:
            continue
        if row := _answer(policy, where):
            table[where] = _checked(row, where, everywhere[where])
        else:
            table[where] = everywhere[where]
            unanswered += 1
    return TabularPolicy(table, getattr(policy, "name", "")), unanswered


def _answer(policy: Policy, where: InformationState) -> Row | None:
    if isinstance(policy, TabularPolicy):
        return policy.table.get(where)
    if isinstance(policy, Mapping):
        return policy.get(where)
    try:
        return policy(where)
    except KeyError:
        return None


def _checked(row: Row, where: InformationState, legal: Collection[Any]) -> Mapping[Any, Fraction]:
    """Exact probabilities of legal actions; floats are taken as the fractions they are, divided by their sum."""
    exact = {action: Fraction(probability) for action, probability in row.items() if probability}
    if unknown := [action for action in exact if action not in legal]:
        raise ValueError(f"the policy plays {unknown[0]!r} in {where}; legal: {list(legal)}")
    total = sum(exact.values(), Fraction(0))
    floats = any(isinstance(probability, float) for probability in row.values())
    if min(exact.values(), default=0) < 0 or abs(total - 1) > (TOLERANCE if floats else 0):
        raise ValueError(f"the probabilities in {where} must be non-negative and sum to 1, not {dict(row)}")
    return {action: probability / total for action, probability in exact.items()}


def _alone(flat: FlatGame, policy: Policy) -> Judgement:
    table, unanswered = complete(flat, policy, (0,))
    solution = solve(flat)
    best, achieved = solution.values[0], evaluate(flat, table.edge_probabilities(flat)).mean
    states = len(flat.information_states)
    return Judgement(best - achieved, EXPECTED, best, achieved, solution.method, unanswered, states)


def _against(flat: FlatGame, policy: Policy, against: Policy | Mapping[int, Policy], seat: int) -> Judgement:
    players = range(flat.num_players)
    if len(players) == 1:
        raise ValueError(f"{flat.game.name} has one player and nobody to play against; leave out against=")
    if seat not in players:
        raise ValueError(f"seat must lie between 0 and {players[-1]}, not {seat!r}")
    own, unanswered = complete(flat, policy, (seat,))
    tables, missing = dict(own.table), 0
    for other, opponent in _opponents(flat, against, seat).items():
        table, filled = complete(flat, opponent, (other,))
        tables |= table.table
        missing += filled
    profile = TabularPolicy(tables)
    best, achieved = best_response(flat, profile, seat).value, expected_returns(flat, profile)[seat]
    ends = _won_and_lost(flat, seat)
    if ends:
        best, achieved = ((value - ends[0]) / (ends[1] - ends[0]) for value in (best, achieved))
    unit = CHANCE_TO_WIN if ends else EXPECTED
    return Judgement(
        best - achieved,
        unit,
        best,
        achieved,
        BEST_RESPONSE,
        unanswered,
        len(own.table),
        unanswered_by_opponents=missing,
    )


def _opponents(flat: FlatGame, against: Policy | Mapping[int, Policy], seat: int) -> Mapping[int, Policy]:
    """The policy of each seat but the judged one."""
    others = [player for player in range(flat.num_players) if player != seat]
    if not (isinstance(against, Mapping) and against and all(isinstance(key, int) for key in against)):
        return dict.fromkeys(others, cast(Policy, against))
    seats = cast(Mapping[int, Policy], against)
    if lacking := [other for other in others if other not in seats]:
        raise ValueError(f"against says nothing about seat {lacking[0]}; it needs the seats {others}")
    return {other: seats[other] for other in others}


def _won_and_lost(flat: FlatGame, seat: int) -> tuple[Fraction, Fraction] | None:
    """The seat's reward for losing and for winning, if the end of the game pays one of two and nothing else pays."""
    over = [flat.player[child] == TERMINAL for child in flat.child.tolist()]
    if any(reward[seat] and not end for reward, end in zip(flat.rewards, over, strict=True)):
        return None
    paid = sorted({Fraction(reward[seat]) for reward, end in zip(flat.rewards, over, strict=True) if end})
    return (paid[0], paid[1]) if len(paid) == 2 else None
