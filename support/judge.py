"""How far a policy is from the best, exactly: each kind of game has one measure, the best value less the achieved one.

* Two players whose returns always have the same sum, both playing the policy: NashConv (Lanctot et al. 2017), the sum
  of what each player would gain by changing alone to a best response.
* One player: the expected return of an optimal policy less that of the policy.
* One seat against fixed opponents, with any number of players: the expected return of a best response to them less that
  of the policy. If the game is only won or lost, the probability of winning takes the place of the return.

If a table or a function gives no answer in an information state, it plays uniformly over the legal actions there, and
the judgement reports how often that was needed.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

from support.core.answers import Asked, answers, complete
from support.core.flat import KEPT, LIMIT, FlatGame, unfold
from support.core.interface import TERMINAL, DoesNotFitError, Game
from support.core.policy import AnyPolicy, EndlessError, Judgement, TabularPolicy, probabilities_of
from support.exact.best_response import best_response, expected_returns
from support.exact.kinds import BEST_RESPONSE, kind_of, play_order
from support.exact.markov import expected_return
from support.exact.nash_conv_fast import Scorer
from support.games import GAMES
from support.learners.methods import MOST
from support.solve import solve

NASH_CONV = "NashConv, in units of the returns"
EXPECTED = "expected return, in units of the returns"
CHANCE_TO_WIN = "probability of winning"
IN_FRACTIONS = 1000
"""The most information states for which NashConv is computed in fractions; beyond that, in floating point."""
_solved = lru_cache(maxsize=KEPT)(solve)  # a course judges many policies of one game


def judge(
    policy: AnyPolicy,
    game: Game | FlatGame,
    against: AnyPolicy | Mapping[int, AnyPolicy] | None = None,
    *,
    seat: int = 0,
    limit: int = LIMIT,
) -> Judgement:
    """Judge a policy on the unfolded game or, if that is too large, by the scorer in the registry of games.

    Args:
        policy: the policy to judge: a dictionary from information states (player, text) to the probability of each
            action, a function of such a pair, or a :class:`support.core.policy.Policy`. What it says about seats that
            it does not play is not read.
        game: any game that implements the interface, or an unfolded one. If ``against`` is given, or there are two
            players, it must be sure to end, and every player must have perfect recall or information states of single
            positions. A game with its own scorer in ``support.games`` is judged by that scorer, unless it is unfolded,
            it is one of its small sizes there, or ``against`` is given.
        against: the policies of all others: one policy, or a mapping from each other seat to its own. Without it, the
            judged policy plays all seats.
        seat: the seat that the policy plays if ``against`` is given, from 0.
        limit: the most positions to unfold.

    Raises:
        TooLargeError: the game has more than ``limit`` positions.
        DoesNotFitError: the game is of a kind that cannot be judged like this, or its scorer cannot judge the policy.
        PolicyError: an invalid policy, as for :func:`support.core.answers.complete`; or, as EndlessError, one under
            which the game may never end.
        ValueError: no such seat, a seat without an opponent, or opponents in a single-player game.
    """
    if isinstance(game, Game) and against is None and (scorer := _scorer_of(game)):
        if not (answer := answers(policy)):
            return scorer(policy, game)
        asked = Asked(answer)
        found = scorer(asked, game)
        return replace(found, unanswered=asked.unanswered, information_states=len(asked.rows))
    flat = game if isinstance(game, FlatGame) else unfold(game, limit)
    if against is not None:
        return _against(flat, policy, against, seat)
    if flat.num_players == 1:
        return _alone(flat, policy)
    if flat.num_players == 2:
        play_order(flat)  # or this raises
    if flat.num_players > 2 or kind_of(flat).total is None:
        raise DoesNotFitError(
            "NashConv judges a policy that plays both seats of a game whose returns always have the same sum; "
            f"{flat.game.name} is not one: judge one seat with against=, the policies of the others"
        )
    table, unanswered = complete(flat, policy, (0, 1))
    if len(flat.information_states) > IN_FRACTIONS:
        return _in_floats(flat, table, unanswered)
    best = sum((best_response(flat, table, player).value for player in (0, 1)), Fraction(0))
    achieved = sum(expected_returns(flat, table), Fraction(0))
    states = len(flat.information_states)
    return Judgement(best - achieved, NASH_CONV, best, achieved, BEST_RESPONSE, unanswered, states)


def _scorer_of(game: Game) -> Callable[[Any, Game], Judgement] | None:
    """The scorer of a game that takes long to unfold; None if it has none, or is small enough not to need one."""
    entry = GAMES.get(game.name)
    if entry is None or any(one.positions <= MOST and entry.rules(**one.sizes) == game for one in entry.small):
        return None
    return entry.scorer()


def _in_floats(flat: FlatGame, table: TabularPolicy, unanswered: int) -> Judgement:
    scorer, profile = Scorer(flat), probabilities_of(flat, table)[None]
    best, achieved = (float(part.sum()) for part in (scorer.best_response_values(profile), scorer.returns(profile)))
    method, states = "support.exact.nash_conv_fast.Scorer", len(flat.information_states)
    return Judgement(float(scorer.distances(profile)[0]), NASH_CONV, best, achieved, method, unanswered, states)


def _alone(flat: FlatGame, policy: AnyPolicy) -> Judgement:
    table, unanswered = complete(flat, policy, (0,))
    try:
        solution = _solved(flat)
    except EndlessError as error:  # of the solver's own policy
        raise DoesNotFitError(f"in {flat.game.name} it pays to play on for ever: {error}") from None
    best, achieved = solution.values[0], expected_return(flat, table.edge_probabilities(flat))
    states = len(flat.information_states)
    return Judgement(best - achieved, EXPECTED, best, achieved, solution.method, unanswered, states)


def _against(flat: FlatGame, policy: AnyPolicy, against: AnyPolicy | Mapping[int, AnyPolicy], seat: int) -> Judgement:
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


def _opponents(flat: FlatGame, against: AnyPolicy | Mapping[int, AnyPolicy], seat: int) -> Mapping[int, AnyPolicy]:
    """The policy of each seat except the judged one."""
    others = [player for player in range(flat.num_players) if player != seat]
    if not (isinstance(against, Mapping) and against and all(isinstance(key, int) for key in against)):
        return dict.fromkeys(others, cast(AnyPolicy, against))
    seats = cast(Mapping[int, AnyPolicy], against)
    if lacking := [other for other in others if other not in seats]:
        raise ValueError(f"against says nothing about seat {lacking[0]}; it needs the seats {others}")
    return {other: seats[other] for other in others}


def _won_and_lost(flat: FlatGame, seat: int) -> tuple[Fraction, Fraction] | None:
    """The seat's rewards for losing and for winning, if only the end of the game pays, and pays one of two amounts."""
    over = [flat.player[child] == TERMINAL for child in flat.child.tolist()]
    if any(reward[seat] and not end for reward, end in zip(flat.rewards, over, strict=True)):
        return None
    paid = sorted({Fraction(reward[seat]) for reward, end in zip(flat.rewards, over, strict=True) if end})
    return (paid[0], paid[1]) if len(paid) == 2 else None
