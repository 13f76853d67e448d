from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.core.check import check_game
from support.core.flat import unfold
from support.core.interface import CHANCE, IllegalActionError, NotationError
from support.games.cards.ace_king_queen import AceKingQueen, play


def test_published_hands():
    assert play("A K: c r r f").returns() == (2, -2)
    assert play("K K: r c").returns() == (0, 0)


def test_pot_of_the_published_hands():
    """Two dollars of antes, three after a bet, five after a raise; four after a bet and a call."""
    pots = [sum(play(f"A K{line}").paid) for line in ("", ": c", ": c r", ": c r r", ": r c")]
    assert pots == [2, 2, 3, 5, 4]


@pytest.mark.parametrize(
    ("line", "gains"),
    [
        ("A K: c c", (1, -1)),
        ("Q Q: c c", (0, 0)),
        ("Q A: r f", (1, -1)),
        ("K A: r c", (-2, 2)),
        ("K A: r r f", (-2, 2)),
        ("A Q: r r c", (3, -3)),
        ("A K: c r f", (-1, 1)),
        ("Q K: c r c", (-2, 2)),
        ("Q A: c r r c", (-3, 3)),
        ("A A: c r r c", (0, 0)),
    ],
)
def test_gains_by_hand(line, gains):
    assert play(line).returns() == gains


def test_rewards_from_a_choice_on_count_from_the_stack_at_that_choice():
    """A king bets out of a stack of 9, calls a raise out of 8 and ends with 13: gains of 4 and of 5."""
    rewards = [play(f"K Q: {line}").rewards() for line in ("r", "r r", "r r c")]
    assert rewards == [(-1, 0), (0, -2), (5, 0)]
    assert play("K Q").rewards() == (-1, -1)
    assert play("").rewards() == (0, 0)


def test_deals_are_independent_and_equally_likely():
    outcomes = dict(play("").chance_outcomes())
    assert list(outcomes) == [(a, b) for a in "AKQ" for b in "AKQ"]
    assert set(outcomes.values()) == {Fraction(1, 9)}


def test_eighteen_information_states():
    flat = unfold(AceKingQueen())
    histories = {0: ("", "cr", "rr"), 1: ("c", "r", "crr")}
    expected = {(player, card + line) for player, lines in histories.items() for line in lines for card in "AKQ"}
    assert len(flat.information_states) == 18
    assert set(flat.information_states) == expected


@pytest.mark.parametrize(
    ("line", "legal", "player"),
    [
        ("A K", "cr", 0),
        ("A K: c", "cr", 1),
        ("A K: r", "fcr", 1),
        ("A K: c r", "fcr", 0),
        ("A K: r r", "fc", 0),
        ("A K: c r r", "fc", 1),
        ("A K: c c", "", -4),
        ("", "", CHANCE),
    ],
)
def test_legal_actions(line, legal, player):
    assert "".join(play(line).legal_actions()) == legal
    assert play(line).current_player == player


def test_a_player_sees_its_own_card_only():
    assert play("A K: c r").information_state(0) == "Acr" == play("A Q: c r").information_state(0)
    assert play("A K: c r").information_state(1) == "Kcr"
    assert play("").information_state(0) == play("").information_state(1) == "no card"
    with pytest.raises(ValueError, match="player must be 0 or 1, not -1"):
        play("A K").information_state(-1)


def test_keeps_to_the_interface():
    check_game(AceKingQueen(), games=60)


def test_notation_is_written_as_it_is_read():
    assert str(play("A K: c r c")) == "A K: c r c"
    assert play("  A   K :c  r ") == play("A K: c r")
    assert play("A K:") == play("A K")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("A", "move 1, 'A': expected two cards out of A, K, Q, such as 'A K'"),
        ("A J", "move 1, 'A J': expected two cards out of A, K, Q"),
        ("AK", "expected two cards"),
        (": c", "names no cards"),
        ("A K c r", "'A K c r' has no colon; expected the two cards, then a colon and the actions"),
        ("A K: f", "move 2, 'f': 'f' is not possible after 'A K'; possible are 'c', 'r'"),
        ("A K: c x", r"move 3, 'x': expected f \(fold\), c \(check or call\) or r \(bet or raise\)"),
        ("A K: cr", "move 2, 'cr': expected f"),
        ("A K: c r r r", "move 5, 'r': 'r' is not possible after 'A K: c r r'; possible are 'f', 'c'"),
        ("A K: r f c", "move 4, 'c': the game is already over after 'A K: r f'"),
    ],
)
def test_wrong_notation_is_named(line, message):
    with pytest.raises(NotationError, match=message):
        play(line)


@pytest.mark.parametrize(("line", "action"), [("A K", "f"), ("A K: c r r", "r"), ("", ("A", "J")), ("A K: c c", "c")])
def test_illegal_actions_are_refused(line, action):
    with pytest.raises(IllegalActionError):
        play(line).child(action)


@given(st.data())
def test_every_hand_is_zero_sum_and_costs_at_most_three_dollars(data):
    state = AceKingQueen().initial_state()
    while not state.is_terminal():
        state = state.child(data.draw(st.sampled_from(state.possible())))
    assert sum(state.returns()) == 0
    assert max(state.returns()) <= 3


def test_a_letter_has_the_word_that_the_betting_makes_of_it():
    assert [play("A K").action_in_words(action) for action in "cr"] == ["check", "bet"]
    assert [play("A K: r").action_in_words(action) for action in "fcr"] == ["fold", "call", "raise"]
    assert AceKingQueen().initial_state().action_in_words(("A", "K")) == "A K"
