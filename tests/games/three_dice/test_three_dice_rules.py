from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.core.interface import IllegalActionError, NotationError
from support.games.three_dice.rules import DiceGame, play


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("1,4,5 > stick", 10),
        ("1,1,6 > stick", 18),
        ("1,1,1 > stick", 18),
        ("6,6,6 > stick", 3),
        ("2,5,5 > stick", 6),
        ("1,4,5 > hold 4,5 > 2 > stick", 10),
        ("6,6,6 > hold none > 6,6,6 > hold 6 > 1,1 > stick", 16),
        ("1,1,2 > hold 1,1 > 1 > stick", 17),
    ],
)
def test_hand_worked_scores(line, score):
    assert play(line).returns() == (score,)


def test_dice_are_sorted_after_every_roll():
    assert play("1,4,5 > hold 4,5 > 2").dice == (2, 4, 5)
    assert play("5,1,4").dice == (1, 4, 5)


def test_actions_are_listed_by_size_then_lexicographically():
    assert play("1,4,5").legal_actions() == ((), (0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))


def test_first_roll_is_free_and_each_reroll_costs_the_penalty():
    game = DiceGame(penalty=Fraction(1, 2))
    assert play("1,4,5", game).returns() == (0,)
    assert play("1,4,5 > hold none", game).rewards() == (Fraction(-1, 2),)
    assert play("1,4,5 > hold none > 1,1,1 > stick", game).returns() == (Fraction(35, 2),)


def test_opposite_faces_go_by_order():
    game = DiceGame(2, 3, values=(2, 4, 9))
    assert [game.final_score(dice) for dice in ((2, 2), (4, 4), (9, 9), (2, 9))] == [18, 8, 4, 11]


def test_roll_probabilities_are_multinomial():
    outcomes = dict(DiceGame().roll(3))
    assert len(outcomes) == 56
    assert (outcomes[1, 1, 1], outcomes[1, 1, 2], outcomes[1, 2, 3]) == (
        Fraction(1, 216),
        Fraction(3, 216),
        Fraction(6, 216),
    )
    loaded = dict(DiceGame(2, 2, bias=("0.9", 0.1)).roll(2))
    assert loaded == {(1, 1): Fraction(81, 100), (1, 2): Fraction(18, 100), (2, 2): Fraction(1, 100)}
    assert dict(DiceGame(2, 2, bias=(0, 1)).roll(2)) == {(2, 2): 1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dice": 0}, "dice must be a whole number of at least 1"),
        ({"dice": 2.0}, "dice must be a whole number"),
        ({"sides": -1}, "sides must be"),
        ({"values": (1, 2, 3)}, "6 sides, but 3 values"),
        ({"values": (1, 1, 2, 3, 4, 5)}, "rise strictly"),
        ({"values": (1, 2, 3, 4, 5, "6")}, "whole numbers"),
        ({"bias": (1,)}, "6 sides, but 1 given"),
        ({"bias": ("1/2",) * 6}, "sum to 1, not to 3"),
        ({"bias": (-1, 2, 0, 0, 0, 0)}, "must not be negative"),
        ({"bias": (float("nan"),) * 6}, "finite numbers"),
        ({"values": 5}, "values must be a list with one number a side, not 5"),
        ({"bias": 0.5}, "bias must be a list with one number a side, not 0.5"),
        ({"penalty": -1}, "zero or more"),
        ({"penalty": "dear"}, "finite numbers"),
        ({"penalty": "1/0"}, "finite numbers"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        DiceGame(**options)


@pytest.mark.parametrize("hold", [(3,), (0, 7), (-1,)])
def test_a_hold_that_names_no_die(hold):
    with pytest.raises(IllegalActionError, match="names no die: positions run from 0 to 2"):
        play("1,4,5").child(hold)


def test_a_hold_that_names_a_die_twice():
    with pytest.raises(IllegalActionError, match="each position once"):
        play("1,4,5").child((1, 1))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,4", r"move 1, '1,4': \(1, 4\) is not possible"),
        ("1,4,7", "not possible"),
        ("1,4,5 > hold 6", "no die left that shows 6"),
        ("1,4,5 > hold 4,4", "no die left that shows 4"),
        ("1,4,5 > keep 4", "expected 'stick'"),
        ("1,4,5 > hold", "expected 'stick'"),
        ("one,4,5", "faces separated by commas"),
        ("1,4,5 > stick > 1", "already over"),
    ],
)
def test_wrong_notation_is_named(line, message):
    with pytest.raises(NotationError, match=message):
        play(line)


@given(st.lists(st.integers(1, 6), min_size=3, max_size=3))
def test_final_score_by_the_rule(dice):
    by_rule = sum(7 - face if dice.count(face) > 1 else face for face in dice)
    assert DiceGame().final_score(sorted(dice)) == by_rule
