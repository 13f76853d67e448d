"""Minimax with chance: values by hand, a plain recursion over the rules, and what is refused."""

from fractions import Fraction

import pytest
from table_games import (
    coins,
    common_interest,
    die_nim,
    die_race,
    dithering,
    guess,
    odd_one_out,
    pennies,
    two_ends_in_one,
)

from support.core.check import check_game
from support.core.flat import unfold
from support.core.interface import CHANCE
from support.exact import retrograde
from support.exact.best_response import expected_returns, nash_conv
from support.exact.minimax import minimax
from support.games.biscuits.rules import Biscuits
from support.games.cards.kuhn import Kuhn
from support.games.three_dice.rules import DiceGame

F = Fraction


def by_recursion(game):
    """What player 0 still gets at every position, straight from the rules."""
    states, found = {}, {}

    def worth(state):
        states[state.position] = state
        if state.position in found:
            return found[state.position]
        after = {move: state.child(move) for move in state.possible()}
        values = {move: child.rewards()[0] + worth(child) for move, child in after.items()}
        if state.is_terminal():
            value = F(0)
        elif state.current_player == CHANCE:
            value = sum(p * values[move] for move, p in state.chance_outcomes())
        else:
            value = (max, min)[state.current_player](values.values())
        found[state.position] = value
        return value

    worth(game.initial_state())
    return found


GAMES = [
    die_nim(4),
    die_race(3),
    coins(5),
    pennies(),
    odd_one_out(),
    common_interest(),
    dithering(),
    guess(),
    two_ends_in_one(),
]


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_tables_are_games(game):
    check_game(game)


@pytest.mark.parametrize(
    "game", [die_nim(7), die_nim(5, 2), die_race(4), coins(7), Biscuits(3, 2), two_ends_in_one()], ids=str
)
def test_against_recursion_over_the_rules(game):
    flat, known = unfold(game), by_recursion(game)
    solution = minimax(flat)
    assert solution.value == solution.values[0]
    assert dict(zip(flat.positions, solution.values, strict=True)) == known
    assert expected_returns(flat, solution.policy) == (solution.value, -solution.value)
    assert nash_conv(flat, solution.policy) == 0


@pytest.mark.parametrize(("heap", "value"), [(1, F(1)), (2, F(1, 3)), (3, F(1, 9)), (4, F(-1, 9))])
def test_nim_with_a_die_by_hand(heap, value):
    """One left: it is taken. Two: a roll of one loses, the others win. Three: leave two, or roll three and win.

    Four: whatever the die says, it is best to leave three.
    """
    assert minimax(unfold(die_nim(heap))).value == value


def test_edges_and_policy_of_nim_with_a_die():
    flat = unfold(die_nim(4))
    solution = minimax(flat)
    node = flat.index["4 for 0, 3"]
    worth = {flat.action[edge]: solution.edge_values[edge] for edge in flat.edges(node)}
    assert worth == {"take 1": F(-1, 9), "take 2": F(-1, 3), "take 3": -1}
    assert solution.policy.row((0, "4 for 0, 3")) == {"take 1": 1}
    assert solution.policy.row((1, "2 for 1, 2")) == {"take 2": 1}
    assert solution.policy.name == "minimax"
    assert set(solution.policy.table) == set(flat.information_states)


def test_ties_go_to_the_first_listed_action():
    """The loser of a two-heap position loses by every move."""
    flat = unfold(Biscuits(1, 2))
    solution = minimax(flat)
    assert solution.value == -1
    assert solution.policy.row(flat.information_states[0]) == {flat.action[0]: 1}


def test_with_retrograde_analysis_where_both_apply():
    flat = unfold(Biscuits(4, 5))
    ends, found = retrograde.solve(flat), minimax(flat)
    open_nodes = flat.decision_nodes()
    assert [found.values[node] for node in open_nodes] == [ends.value[node] for node in open_nodes]


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (DiceGame(1, 2), "minimax is for two players; three-dice has 1: support.exact.optimal.optimal_policy takes it"),
        (guess(), "minimax is for two players; guess has 1: support.exact.best_response.best_response takes it"),
        (
            Kuhn(),
            "minimax needs perfect information; in kuhn-poker something is hidden: support.exact.sequence_form.solve "
            "takes it",
        ),
        (
            dithering(),
            "dithering may go on for ever: a position can come back in the course of a game; no solver here takes it, "
            "as a position can come back in it: limit the turns, and put their count into the position and "
            "the information state",
        ),
        (
            common_interest(),
            "kindness is not zero-sum: the players' returns do not always add up to zero; no solver here takes it, as "
            "the returns of its two players do not always have the same sum",
        ),
    ],
)
def test_refusals_name_the_solver_that_takes_it(game, message):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole message is compared
        minimax(unfold(game))
    assert str(error.value) == message
