"""Wild ones with a handicap: who may win back how many dice."""

import pytest

from support.core.interface import IllegalActionError
from support.games.wild_ones.handicap import Handicap


def after(*moves, starts=(2, 1)):
    state = Handicap(starts).initial_state()
    for move in moves:
        state = state.child(move)
    return state


def test_each_begins_with_its_dice():
    game = Handicap((3, 1))
    assert (game.num_players, game.dice, game.most, game.num_actions) == (2, 3, 4, 26)
    assert game.initial_state().counts == (3, 1)


def test_nobody_has_more_dice_than_at_the_beginning():
    assert after(0, (2, 3), (3,), "1x3", "exact").counts == (2, 0)  # there are two threes
    kept = after(0, (2, 5), (3,), "1x3", "exact")
    assert (kept.counts, kept.opener) == ((2, 1), 1)
    lost = after(0, (2, 5), (3,), "2x3", "liar")
    assert (lost.counts, lost.opener) == ((1, 1), 0)
    back = lost.child((2,)).child((4,)).child("1x4").child("1x5").child("1x6").child("2x2").child("liar")
    assert back.counts == (1, 0)  # only one two: the bidder is out
    won = lost.child((2,)).child((4,)).child("1x3").child("1x4").child("exact")
    assert (won.counts, won.opener) == ((2, 1), 0)


def test_the_game_ends_as_without_a_handicap():
    state = after(0, (2, 3), (3,), "1x3", "exact")
    assert state.is_terminal()
    assert state.returns() == (1, 0)
    assert state.places() == (1, 2)


def test_bids_name_the_dice_in_play():
    with pytest.raises(IllegalActionError, match="1 to 3 dice"):
        after(0, (2, 3), (3,), "4x3")


def test_an_information_state_says_who_began_with_what():
    state = after(0, (2, 5), (3,), "2x3", "liar", (1,), (6,))
    assert state.information_state(0) == "2 1 at first, 1 1, 1 opens, 1"


@pytest.mark.parametrize("starts", [(2,), (2, 1, 1), (0, 1), (2, 7), (2, True), (2.0, 1)])
def test_wrong_numbers_of_dice_are_named(starts):
    with pytest.raises(ValueError, match="starts must be two whole numbers from 1 to 6, not"):
        Handicap(starts)
