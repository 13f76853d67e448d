from fractions import Fraction

import numpy as np
import pytest
from table_games import TableGame, TableState

from support.core.flat import unfold
from support.core.interface import CHANCE, TERMINAL
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.three_dice.rules import DiceGame


@pytest.fixture(scope="module")
def flat():
    return unfold(DiceGame())


def test_nodes_are_positions(flat):
    decide = [position[1] for position in flat.positions if position[0] == "decide"]
    assert decide == sorted(decide)
    assert decide == list(DiceGame().all_dice())
    assert sum(flat.player == TERMINAL) == 56
    # held multisets before a roll: none, one, two of six faces
    assert sum(flat.player == CHANCE) == 1 + 6 + 21


def test_edges_say_what_the_rules_say(flat):
    """Every edge of the unfolded game against the state it stands for."""
    state = DiceGame().parse("1,1,4 > hold 1 > 2,2")
    node = flat.index[state.position]
    assert [flat.action[edge] for edge in flat.edges(node)] == list(state.legal_actions())
    for edge in flat.edges(node):
        child = state.child(flat.action[edge])
        assert flat.positions[flat.child[edge]] == child.position
        assert flat.rewards[edge] == child.rewards()
        assert flat.label[edge] == state.action_to_string(flat.action[edge])


def test_chance_edges_sum_to_one(flat):
    for node in np.flatnonzero(flat.player == CHANCE):
        assert sum(flat.probability[edge] for edge in flat.edges(node)) == 1
    for node in flat.decision_nodes():
        assert all(flat.probability[edge] == Fraction(0) for edge in flat.edges(node))


def test_chances_that_do_not_sum_to_one_are_refused():
    rows = {"start": (CHANCE, "", {"a": ("won", (1,), Fraction(1, 2)), "b": ("lost", (0,), Fraction(3, 5))})}
    with pytest.raises(ValueError, match="the probabilities of chance sum to 11/10, not to 1"):
        unfold(TableGame("uneven", 1, rows))


@pytest.mark.parametrize(
    ("dealt", "said"),
    [
        ((("a", Fraction(1, 2)), ("a", Fraction(1, 2)), ("b", Fraction(1, 2))), "an outcome of chance is listed twice"),
        ((("a", Fraction(3, 2)), ("b", Fraction(-1, 2))), r"a probability is not positive, in \(.*-1, 2\)\)"),
        ((("a", Fraction(0)), ("b", Fraction(1))), "a probability is not positive, in "),
    ],
)
def test_chances_that_are_no_chances_are_refused(dealt, said):
    class Dealt(TableState):
        def chance_outcomes(self):
            return dealt if self.current_player == CHANCE else ()

    class Dealing(TableGame):
        def initial_state(self):
            return Dealt(self, ())

    rows = {"start": (CHANCE, "", {"a": ("won", (1,), Fraction(1, 2)), "b": ("lost", (0,), Fraction(1, 2))})}
    with pytest.raises(ValueError, match=said):
        unfold(Dealing("dealing", 1, rows))


class Heard(TableState):
    """Who moves has heard the last move, though nothing that follows depends on it."""

    def information_state(self, player):
        return f"heard {self.moves[-1]}" if self.moves else "nothing"


class Hearing(TableGame):
    def initial_state(self):
        return Heard(self, ())


def test_a_position_in_two_information_states_is_refused():
    said = {"l": ("middle", (0, 0)), "r": ("middle", (0, 0))}
    game = Hearing("hearing", 2, {"start": (0, "", said), "middle": (1, "", {"on": ("end", (1, -1))})})
    with pytest.raises(ValueError, match=r"know the same however it was reached, not .*'heard l'.* and, .*'heard r'"):
        unfold(game)


def test_a_game_too_large_is_refused():
    with pytest.raises(ValueError, match="more than 100 positions"):
        unfold(DiceGame(), limit=100)


def test_slots_number_the_actions_of_each_information_state():
    poker = unfold(AceKingQueen())
    actions = {text[1:]: 2 + (text[1:] in ("cr", "r")) for _, text in poker.information_states}
    assert [actions[text[1:]] for _, text in poker.information_states] == np.diff(poker.slots).tolist()
    for node in poker.decision_nodes():
        start = poker.slots[poker.information[node]]
        assert [poker.slot[edge] for edge in poker.edges(node)] == [start + k for k in range(len(poker.edges(node)))]
    assert (poker.slot[list(poker.edges(0))] == -1).all()


@pytest.mark.parametrize(
    ("players", "rows", "message"),
    [
        (
            2,
            {"start": (0, "", {"a": ("won", (0.5, -0.5))})},
            r"Fraction\(1, 2\) in place of 0.5, not the rewards \(0.5, -0.5\) at 'won'",
        ),
        (2, {"start": (0, "", {"a": ("won", (1,))})}, r"there are 2 players, but the rewards \(1,\) at 'won'"),
        (
            1,
            {"start": (CHANCE, "", {"a": ("won", (1,), 0.5), "b": ("lost", (0,), 0.5)})},
            r"at '': .* not the probabilities \(0.5, 0.5\)",
        ),
    ],
    ids=["rewards", "players", "probabilities"],
)
def test_what_is_not_exact_is_refused(players, rows, message):
    with pytest.raises(ValueError, match=message):
        unfold(TableGame("inexact", players, rows))


def test_whole_numbers_of_any_kind_are_exact():
    for one in (True, np.int64(1), Fraction(1)):
        assert unfold(TableGame("won", 1, {"start": (0, "", {"a": ("won", (one,))})})).rewards == [(1,)]


def test_rewards_may_be_lists():
    class Listing(TableState):
        def rewards(self):
            return [*super().rewards()]

    class Paying(TableGame):
        def initial_state(self):
            return Listing(self, ())

    rows = {"start": (0, "start", {"left": ("won", (1, -1)), "right": ("lost", (-1, 1))})}
    assert unfold(Paying("paying", 2, rows)).rewards == [(1, -1), (-1, 1)]
