"""Two-player zero-sum games with hidden information, solved exactly: value, equilibrium, and all optimal strategies.

In the sequence form (Koller, Megiddo and von Stengel 1994; von Stengel 1996) a strategy is a vector of realisation
weights, one for each sequence of a player's own choices: the product of the probabilities of those choices. The
constraints on the weights are linear, and so are the payoffs. Finding the best guarantee is therefore a linear program,
and its size grows only in proportion to the game.

Every program is solved by :mod:`support.exact.linear_program`, which returns a proved answer or raises an error.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from support.core.flat import KEPT, FlatGame
from support.core.interface import CHANCE
from support.core.policy import InformationState, TabularPolicy
from support.exact.best_response import best_response, nash_conv
from support.exact.kinds import SEQUENCE_FORM, own_sequences, play_order, require_players, require_zero_sum
from support.exact.linear_program import Program, Row, UnprovedError, minimise
from support.exact.sizes import RANGES, require_size

Range = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Equilibrium:
    """An equilibrium in exact fractions, proved by best responses: its NashConv is zero.

    Attributes:
        value: player 0's expected return, in the units of the game's returns; that of player 1 is the negative.
        policies: one table per player. In an information state that the player's own choices exclude, it takes the
            first listed of the actions that are best against the other's policy.
    """

    value: Fraction
    policies: tuple[TabularPolicy, TabularPolicy]


@dataclass(frozen=True)
class ActionRange:
    """The lowest and the highest probability that an optimal strategy gives to an action, exact and attained.

    Attributes:
        weight: the range of the realisation weight: the product of the probabilities of this action and of all own
            choices on the way to it. Every strategy determines it.
        behaviour: the range of the probability of the action once its information state is reached. If an optimal
            strategy avoids an information state by its own choices, it may do anything there and remain optimal. The
            range is therefore None, unless every optimal strategy reaches the state with positive weight.
    """

    weight: Range
    behaviour: Range | None


@dataclass(frozen=True)
class Guarantee:
    """The most that a player can guarantee, and how.

    Attributes:
        player: the player who guarantees it.
        value: its expected return against the worst that the opponent can do.
        policy: the player's table that guarantees it. In an information state that its own choices exclude, it takes
            the first listed action, unless that state is fixed.
    """

    player: int
    value: Fraction
    policy: TabularPolicy


@dataclass(frozen=True)
class _Form:
    """The sequence form. A player's sequence 0 is empty; ``sequence[i, k]`` ends with action k in information state i.

    Attributes:
        states: for each player, the numbers of its information states, parents first.
        sequence: for each player, the number of each sequence, by information state and place of the action.
        parent: for each player and information state, the sequence that leads there.
        payoff: for each pair of sequences, player 0's rewards at its end, weighted by the probability of chance.
    """

    states: tuple[list[int], ...]
    sequence: tuple[dict[tuple[int, int], int], ...]
    parent: tuple[dict[int, int], ...]
    payoff: dict[tuple[int, int], Fraction]


def solve(flat: FlatGame) -> Equilibrium:
    """The value of a game and one equilibrium.

    Args:
        flat: an unfolded two-player zero-sum game of perfect recall.

    Raises:
        ValueError: not two players, not zero-sum, no perfect recall, or the game may go on for ever; or, as
            TooLargeError, more choices than ``support.exact.sizes`` says.
        UnprovedError: the exact answer could not be identified.
    """
    form = _form(flat)
    least, z, dual = minimise(_against_the_worst(form, 0)[0])
    plans = (z, dict(enumerate(dual[len(form.states[0]) + 1 :])))
    reached = [_behaviour(flat, form, player, plans[player], {}) for player in (0, 1)]
    first, second = (
        _behaviour(flat, form, player, plans[player], best_response(flat, reached, player).policy.table)
        for player in (0, 1)
    )
    policies = (first, second)
    if left := nash_conv(flat, policies):
        raise UnprovedError(f"the solution of {flat.game.name} leaves a NashConv of {left}")
    return Equilibrium(-least, policies)


def optimal_ranges(flat: FlatGame, player: int) -> dict[InformationState, dict[Any, ActionRange]]:
    """For every action of a player, the range of its probabilities over all optimal strategies.

    The optimal strategies form a polytope: all realisation weights that guarantee the value of the game. Each end of a
    range is the optimum of a linear program over it.

    Args:
        flat: as for :func:`solve`.
        player: 0 or 1.

    Raises:
        ValueError: as for :func:`solve`, or no such player.
        UnprovedError: an end could not be identified exactly.
    """
    form = _form(flat)
    _require_player(player)
    require_size(flat.game, RANGES, int(flat.slots[-1]))
    value = -minimise(_against_the_worst(form, player)[0])[0]
    found: dict[InformationState, dict[Any, ActionRange]] = {}
    weights: dict[int, Range] = {0: (Fraction(1), Fraction(1))}
    for state in form.states[player]:
        parent = form.parent[player][state]
        row = found[flat.information_states[state]] = {}
        for place, action in enumerate(flat.actions[state]):
            sequence = form.sequence[player][state, place]
            weight = weights[sequence] = _range(form, player, value, sequence, None)
            behaviour = None
            if parent == 0:
                behaviour = weight
            elif weights[parent][0] > 0:
                behaviour = _range(form, player, value, sequence, parent)
            row[action] = ActionRange(weight, behaviour)
    return found


def guarantee(
    flat: FlatGame, player: int, fixed: TabularPolicy | Mapping[InformationState, Mapping[Any, Fraction]] | None = None
) -> Guarantee:
    """The most that a player can guarantee while it follows ``fixed`` in the information states listed there.

    Args:
        flat: as for :func:`solve`.
        player: 0 or 1.
        fixed: for some information states, the probability of each action; those of the other player are not read.
            With nothing fixed, the guarantee is the value of the game; any shortfall is what following ``fixed`` costs.

    Raises:
        ValueError: as for :func:`solve`; or ``fixed`` names an unknown information state of the player or an illegal
            action, or its probabilities are negative or do not sum to one.
        UnprovedError: the exact answer could not be identified.
    """
    form = _form(flat)
    _require_player(player)
    table = fixed.table if isinstance(fixed, TabularPolicy) else TabularPolicy(fixed or {}).table
    numbers = {where: number for number, where in enumerate(flat.information_states)}
    program, _ = _against_the_worst(form, player)
    for where, given in table.items():
        if where[0] != player:
            continue
        if where not in numbers:
            raise ValueError(f"{flat.game.name} has no information state {where} that could be fixed")
        state = numbers[where]
        actions = flat.actions[state]
        if unknown := [action for action in given if action not in actions]:
            raise ValueError(f"{unknown[0]!r} cannot be fixed in {where}; legal: {list(actions)}")
        for place, action in enumerate(actions):
            share = {form.sequence[player][state, place]: Fraction(1)}
            share[form.parent[player][state]] = -Fraction(given.get(action, 0))
            program.rows.append(share)
            program.right.append(Fraction(0))
    least, z, _ = minimise(program)
    return Guarantee(player, -least, _behaviour(flat, form, player, z, table, "guarantee"))


def _range(form: _Form, player: int, value: Fraction, sequence: int, relative: int | None) -> Range:
    """The range of a sequence's weight over the optimal strategies, divided by that of ``relative`` if given.

    This quotient of two variables becomes linear when all weights are scaled so that the divisor is one (Charnes and
    Cooper 1962). The last variable is that scale, which is also the scaled weight of the empty sequence.
    """
    program, columns = _against_the_worst(form, player)
    scale = len(program.free)
    program.free.append(False)
    for row, right in zip(program.rows, program.right, strict=True):
        row[scale] = -right
    program.rows.append({columns: Fraction(1), scale: -value})
    program.rows.append({scale if relative is None else relative: Fraction(1)})
    program.right = [Fraction(0)] * (len(program.rows) - 1) + [Fraction(1)]
    ends = []
    for sign in (1, -1):
        program.cost = {sequence: Fraction(sign)}
        ends.append(sign * minimise(program)[0])
    return (ends[0], ends[1])


def _against_the_worst(form: _Form, player: int) -> tuple[Program, int]:
    """The linear program for a player's best guarantee, and the column of the guaranteed value.

    The variables are, in this order: the player's weights x; a free number u for the whole game and for each
    information state of the opponent, which is what the opponent's best response there leaves the player; and a slack
    for each sequence of the opponent. The rows say, first, that the weights add up and, second, that no sequence of the
    opponent leaves the player less than u. The duals of the second rows are an optimal strategy of the opponent.
    """
    other, sign = 1 - player, 1 - 2 * player
    own, theirs = len(form.sequence[player]) + 1, len(form.sequence[other]) + 1
    rows = _weights_add_up(form, player)
    right = [Fraction(1)] + [Fraction(0)] * (len(rows) - 1 + theirs)
    worst: list[Row] = [{} for _ in range(theirs)]
    for pair, gain in form.payoff.items():
        worst[pair[other]][pair[player]] = sign * gain
    for number, row in enumerate(_weights_add_up(form, other)):
        for sequence, coefficient in row.items():
            worst[sequence][own + number] = -coefficient
    levels = len(form.states[other]) + 1
    for sequence, row in enumerate(worst):
        row[own + levels + sequence] = Fraction(-1)
    free = [False] * own + [True] * levels + [False] * theirs
    return Program({own: Fraction(-1)}, rows + worst, right, free), own


def _weights_add_up(form: _Form, player: int) -> list[Row]:
    """A row for the empty sequence's weight, then one for each information state: its weights less its parent's."""
    rows: list[Row] = [{0: Fraction(1)}]
    places: dict[int, Row] = {state: {form.parent[player][state]: Fraction(-1)} for state in form.states[player]}
    for (state, _), sequence in form.sequence[player].items():
        places[state][sequence] = Fraction(1)
    return rows + list(places.values())


@lru_cache(maxsize=KEPT)
def _form(flat: FlatGame) -> _Form:
    """The sequence form of an unfolded game."""
    require_players(flat, "the sequence form", 2)
    require_zero_sum(flat)
    require_size(flat.game, SEQUENCE_FORM, int(flat.slots[-1]))
    before = [own_sequences(flat, player) for player in (0, 1)]
    states = tuple(list(sequences) for sequences in before)
    sequence: tuple[dict[tuple[int, int], int], ...] = ({}, {})
    for player in (0, 1):
        for state in states[player]:
            for place in range(len(flat.actions[state])):
                sequence[player][state, place] = len(sequence[player]) + 1
    parent = tuple(
        {state: sequence[player][last] if last else 0 for state, last in before[player].items()} for player in (0, 1)
    )
    return _Form(states, sequence, parent, _payoff(flat, sequence))


def _payoff(flat: FlatGame, sequence: Sequence[dict[tuple[int, int], int]]) -> dict[tuple[int, int], Fraction]:
    payoff: dict[tuple[int, int], Fraction] = defaultdict(Fraction)
    ways: list[dict[tuple[int, int], Fraction]] = [defaultdict(Fraction) for _ in range(flat.num_nodes)]
    ways[0][0, 0] = Fraction(1)
    for node in play_order(flat):
        mover = int(flat.player[node])
        for place, edge in enumerate(flat.edges(node)):
            for (first, second), chance in ways[node].items():
                pair = (first, second)
                if mover == CHANCE:
                    chance *= flat.probability[edge]
                else:
                    last = sequence[mover][int(flat.information[node]), place]
                    pair = (last, second) if mover == 0 else (first, last)
                payoff[pair] += chance * flat.rewards[edge][0]
                ways[flat.child[edge]][pair] += chance
    return {pair: gain for pair, gain in payoff.items() if gain}


def _behaviour(
    flat: FlatGame,
    form: _Form,
    player: int,
    plan: Mapping[int, Fraction],
    excluded: Mapping[InformationState, Mapping[Any, Fraction]],
    name: str = "equilibrium",
) -> TabularPolicy:
    """The action probabilities of realisation weights; in states that the weights exclude, those of ``excluded``.

    A state that is not in ``excluded`` either takes the first listed action.
    """
    table: dict[InformationState, Mapping[Any, Fraction]] = {}
    for state in form.states[player]:
        where, actions = flat.information_states[state], flat.actions[state]
        if whole := plan[form.parent[player][state]]:
            weights = [plan[form.sequence[player][state, place]] for place in range(len(actions))]
            table[where] = {action: weight / whole for action, weight in zip(actions, weights, strict=True) if weight}
        else:
            table[where] = excluded.get(where, {actions[0]: Fraction(1)})
    return TabularPolicy(table, name)


def _require_player(player: int) -> None:
    if player not in (0, 1):
        raise ValueError(f"player must be 0 or 1, not {player!r}")
