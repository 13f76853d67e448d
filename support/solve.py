"""One call that solves any game small enough: the solver that fits is picked from facts about the unfolded game.

- One player who sees everything: policy iteration, exactly.
- One player, something hidden: the best response to chance, exactly.
- Two players, nothing hidden, no chance, win or loss: retrograde analysis, exactly.
- Two players, nothing hidden, otherwise: minimax with chance, exactly.
- Two players, something hidden: the linear program in sequence form, exact and proved.
- The same where that is too large: CFR+, its policy rounded and its NashConv computed, which is the accuracy.

The returns of two players must always have the same sum; a sum other than zero is taken off player 1 while the game is
solved, which changes no decision. Three players or more, and two with common interests, have no one value to find.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from support.core.flat import LIMIT, FlatGame, TooLargeError, unfold
from support.core.interface import DoesNotFitError, Game
from support.core.policy import TabularPolicy, choose, from_weights
from support.exact import retrograde, sequence_form
from support.exact.best_response import best_response, expected_returns, nash_conv
from support.exact.kinds import (
    BEST_RESPONSE,
    MINIMAX,
    OPTIMAL,
    RETROGRADE,
    SEQUENCE_FORM,
    Kind,
    kind_of,
    solver_of,
    why_unsolved,
)
from support.exact.minimax import minimax
from support.exact.optimal import optimal_policy
from support.exact.sizes import ITERATION, require_size
from support.learners.public_tree_fast import nash_convs, run

ACCURACY = Fraction(1, 1000)
"""The most that CFR+ may leave in NashConv, in the units of the returns, unless a caller asks for another accuracy."""
PROGRAM_LIMIT = 25_000
"""The most information states for which a linear program is solved exactly: about a minute."""
MOST_ITERATIONS = 2**16
FIRST_ITERATIONS = 2**6
GRAIN = 2**30
"""CFR+'s probabilities are rounded to multiples of one over this, so that fractions stay short."""


@dataclass(frozen=True, eq=False)
class Solution:
    """A game solved.

    Attributes:
        values: what each player gets on average if all play ``policy``, in the units of the game's returns, as
            fractions. It is the value of the game if the accuracy is 0; otherwise the value is no further from it than
            the accuracy.
        policy: what to do in every information state of every player.
        method: the solver's full name.
        accuracy: 0 for an exact solution; otherwise the policy's NashConv, exact: what the players could gain, added
            up, if each alone changed to a best response.
        kind: the facts from which the method was picked, of the game as given.
        flat: what was unfolded, with all positions and information states.
    """

    values: tuple[Fraction, ...]
    policy: TabularPolicy
    method: str
    accuracy: Fraction
    kind: Kind
    flat: FlatGame = field(repr=False)


Answer = tuple[Fraction, TabularPolicy]  # player 0's value, everybody's policy


def solve(
    game: Game | FlatGame,
    *,
    limit: int = LIMIT,
    program_limit: int = PROGRAM_LIMIT,
    accuracy: Fraction = ACCURACY,
) -> Solution:
    """The value of a game and a policy that attains it, by the method that fits.

    Args:
        game: any game behind the interface, or an unfolded one.
        limit: the most positions to unfold.
        program_limit: the most information states for which a game with hidden information is solved exactly, unless
            the linear program turns out to be too large.
        accuracy: what CFR+ may leave in NashConv otherwise, in the units of the returns, greater than 0.

    Raises:
        TooLargeError: more than ``limit`` positions, or a game larger than the solver takes (``support.exact.sizes``).
        DoesNotFitError: a kind of game that no solver takes.
        ValueError: an accuracy of 0 or less or one that CFR+ does not reach in 65,536 iterations, or a game of one
            player in which going on for ever is best.
        UnprovedError: the exact solution of a linear program could not be identified.
    """
    if not accuracy > 0:
        raise ValueError(f"accuracy must be greater than 0, not {accuracy}; exact solutions come without being asked")
    flat = game if isinstance(game, FlatGame) else unfold(game, limit)
    kind = kind_of(flat)
    if why := why_unsolved(kind):
        raise DoesNotFitError(f"{flat.game.name} cannot be solved here: {why}")
    if kind.players == 1:
        method = str(solver_of(kind))
        value, policy = EXACT[method](flat)
        return Solution((value,), policy, method, Fraction(0), kind, flat)
    total = Fraction(kind.total or 0)
    even = _less_for_player_1(flat, total) if total else flat
    method, left = str(solver_of(kind_of(even))), Fraction(0)
    if method == SEQUENCE_FORM:
        method, value, policy, left = _with_hidden_information(even, program_limit, Fraction(accuracy))
    else:
        value, policy = EXACT[method](even)
    return Solution((value, total - value), policy, method, left, kind, flat)


def _less_for_player_1(flat: FlatGame, total: Fraction) -> FlatGame:
    """The game in which player 1 pays ``total`` with the first move."""
    rewards = list(flat.rewards)
    for edge in flat.edges(0):
        rewards[edge] = (rewards[edge][0], rewards[edge][1] - total)
    return replace(flat, rewards=rewards)


def _by_retrograde(flat: FlatGame) -> Answer:
    """The quickest win or the longest defence, the first listed of equals."""
    solution = retrograde.solve(flat)
    stake = Fraction(max(flat.amounts))
    best = (next(edge for edge in flat.edges(node) if solution.best[edge]) for node in flat.decision_nodes())
    return stake * int(solution.value[0]), choose(flat, best, "quickest win or longest defence")


def _by_minimax(flat: FlatGame) -> Answer:
    solution = minimax(flat)
    return solution.value, solution.policy


def _by_policy_iteration(flat: FlatGame) -> Answer:
    solution = optimal_policy(flat)
    return solution.value, solution.policy


def _by_best_response(flat: FlatGame) -> Answer:
    solution = best_response(flat, TabularPolicy({}), 0)
    return solution.value, solution.policy


def _by_linear_program(flat: FlatGame) -> Answer:
    equilibrium = sequence_form.solve(flat)
    table = {**equilibrium.policies[0].table, **equilibrium.policies[1].table}
    return equilibrium.value, TabularPolicy(table, "equilibrium")


EXACT: dict[str, Callable[[FlatGame], Answer]] = {
    BEST_RESPONSE: _by_best_response,
    MINIMAX: _by_minimax,
    OPTIMAL: _by_policy_iteration,
    RETROGRADE: _by_retrograde,
}


def _with_hidden_information(
    flat: FlatGame, program_limit: int, accuracy: Fraction
) -> tuple[str, Fraction, TabularPolicy, Fraction]:
    """The method, player 0's value, the policy and its NashConv: exactly if that is not too large, else by CFR+."""
    if len(flat.information_states) <= program_limit:
        with suppress(TooLargeError):
            return SEQUENCE_FORM, *_by_linear_program(flat), Fraction(0)
    return ITERATION, *_by_iteration(flat, accuracy)


def _by_iteration(flat: FlatGame, accuracy: Fraction) -> tuple[Fraction, TabularPolicy, Fraction]:
    """Twice as many iterations of CFR+, from the beginning, until what is left in NashConv is small enough.

    NashConv is measured in floating point first and, once that is small enough, of the rounded policy in fractions:
    only the latter decides.

    Returns:
        Player 0's expected return, the policy, and its NashConv.

    Raises:
        ValueError: :data:`MOST_ITERATIONS` are not enough.
    """
    require_size(flat.game, ITERATION, len(flat.child))
    iterations = FIRST_ITERATIONS
    while iterations <= MOST_ITERATIONS:
        strategy = run(flat, "cfr+", [iterations]).strategies
        left = Fraction(float(nash_convs(flat, strategy)[0]))
        if left <= accuracy:
            policy = _rounded(flat, strategy[0])
            left = nash_conv(flat, policy)
            if left <= accuracy:
                return expected_returns(flat, policy)[0], policy, left
        iterations *= 2
    raise ValueError(
        f"CFR+ leaves a NashConv of {float(left):.2g} in {flat.game.name} after {iterations // 2:,} iterations, not "
        f"{float(accuracy):.2g}; ask for less accuracy"
    )


def _rounded(flat: FlatGame, strategy: np.ndarray) -> TabularPolicy:
    """The policy of multiples of one over the grain; what rounding leaves goes to the likeliest action."""
    counts = np.floor(strategy * GRAIN).astype(np.int64)
    for start, stop in pairwise(flat.slots.tolist()):
        part = counts[start:stop]
        part[part.argmax()] += GRAIN - part.sum()
    return from_weights(flat, counts, "average of cfr+")
