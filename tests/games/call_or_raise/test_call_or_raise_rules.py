"""The rules of call-or-raise: the opening bid, who loses, who opens, who is skipped, notation, ends, errors."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.core.interface import CHANCE, TERMINAL, IllegalActionError, NotationError
from support.games.call_or_raise.rules import CALL, CallOrRaise, opening_bid

RAISES = tuple(f"raise {face}" for face in range(1, 7))


def play(line, players=2, dice=1, bounded=False):
    """The state that a game leads to."""
    return CallOrRaise(players, dice, bounded).parse(line)


def played(draw, game, most=60):
    """All states of a random game, or of its beginning."""
    states = [game.initial_state()]
    while not states[-1].is_terminal() and len(states) < most:
        states.append(states[-1].child(draw(st.sampled_from(states[-1].possible()))))
    return states


calm = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
sizes = st.builds(CallOrRaise, st.integers(2, 4), st.integers(1, 3), st.booleans())


# The opening bid


@pytest.mark.parametrize(
    ("roll", "bid"),
    [
        ("3", (2, 3)),
        ("16", (2, 1)),  # the lowest of equals
        ("25", (2, 2)),
        ("1446", (3, 4)),
        ("2233", (3, 2)),
        ("1166", (3, 1)),
        ("1666", (4, 6)),
        ("123456", (2, 1)),
        ("112233", (3, 1)),
        ("122333", (4, 3)),
        ("666666", (7, 6)),
    ],
)
def test_who_opens_bids_what_it_holds_most_of_and_one_more(roll, bid):
    dice = tuple(map(int, roll))
    assert opening_bid(dice) == opening_bid(dice[::-1]) == bid
    others = "5" * len(roll)
    assert play(f"2 opens > {others} > {roll}", dice=len(roll)).bids == (bid,)
    assert play(f"1 opens > {roll} > {others}", dice=len(roll)).bids == (bid,)


@pytest.mark.parametrize(("raises", "bidder"), [("", 1), (" > raise 2", 2), (" > raise 2 > raise 2", 0)])
def test_who_made_the_last_bid(raises, bidder):
    assert play(f"2 opens > 1 > 2 > 3{raises}", 3).last_bidder() == bidder


def test_the_opening_bid_is_nobodys_decision():
    state = play("2 opens > 44 > 35", dice=2)
    assert (state.current_player, state.bids) == (0, ((2, 3),))
    assert play("3 opens > 4 > 3 > 5", players=3).current_player == 0
    assert play("2 opens > 4 > 3 > 5", players=3).current_player == 2


# Bids and calls


def test_a_raise_is_one_die_more_of_any_face():
    state = play("1 opens > 44 > 35", dice=2)
    assert state.legal_actions() == (CALL, *RAISES)
    for face in range(1, 7):
        assert state.child(f"raise {face}").bids == ((3, 4), (4, face))
    assert play("1 opens > 44 > 35 > raise 4 > raise 4 > raise 1", dice=2).bids[2:] == ((5, 4), (6, 1))


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("1 opens > 44 > 44 > call", (2, 1)),  # 3x4, and there are four: the caller was wrong
        ("1 opens > 44 > 45 > call", (2, 1)),  # just met
        ("1 opens > 44 > 55 > call", (1, 2)),  # one four too few
        ("2 opens > 44 > 35 > raise 4 > call", (1, 2)),  # 3x4, and there are two
        ("2 opens > 44 > 45 > raise 4 > call", (2, 1)),  # 3x4, and there are three
        ("2 opens > 44 > 45 > raise 5 > call", (1, 2)),  # 3x5, and there is one
        ("2 opens > 11 > 16 > call", (1, 2)),  # 2x1, and there are three
        ("2 opens > 44 > 35 > raise 4 > raise 4 > call", (2, 1)),  # 4x4: the last bidder, not the first
        ("2 opens > 44 > 44 > raise 4 > call", (2, 1)),  # 4x4, and there are four
        ("2 opens > 44 > 44 > raise 4 > raise 4 > call", (2, 1)),  # 5x4: more than there are
        ("2 opens > 44 > 44 > raise 4 > raise 4 > raise 4 > raise 4 > raise 4 > call", (1, 2)),  # 8x4
    ],
)
def test_who_loses_a_die(line, counts):
    assert play(line, dice=2).counts == counts


def test_no_face_is_wild():
    assert play("1 opens > 3 > 1 > call").counts == play("1 opens > 3 > 6 > call").counts == (0, 1)


def test_only_the_caller_or_the_last_bidder_loses():
    start = "1 opens > 1 > 2 > 3 > 3 > raise 3 > raise 3"
    assert play(f"{start} > call", 4).counts == (1, 1, 0, 1)  # player 4 calls 4x3, the bid of player 3
    assert play(f"{start} > raise 3 > call", 4).counts == (1, 1, 1, 0)
    assert play("1 opens > 3 > 2 > 3 > 3 > raise 3 > call", 4).counts == (1, 1, 0, 1)  # 3x3 by player 2 are there


def test_all_roll_anew_after_a_call():
    state = play("1 opens > 44 > 45 > call", dice=2)
    assert (state.current_player, state.rolls, state.bids) == (CHANCE, (), ())
    assert [roll for roll, _ in state.chance_outcomes()][:2] == [(1, 1), (1, 2)]  # player 1 first
    assert [roll for roll, _ in state.child((1, 2)).chance_outcomes()] == [(face,) for face in range(1, 7)]


# Who opens, who is skipped


@pytest.mark.parametrize(
    ("line", "players", "dice", "opener"),
    [
        ("1 opens > 44 > 45 > call", 2, 2, 1),  # the caller lost a die
        ("1 opens > 44 > 55 > call", 2, 2, 0),  # the bidder did
        ("3 opens > 11 > 22 > 33 > call", 3, 2, 2),
        ("3 opens > 13 > 22 > 33 > call", 3, 2, 0),
        ("1 opens > 4 > 5 > 6 > call", 3, 1, 1),  # the bidder is out
        ("3 opens > 4 > 5 > 6 > call", 3, 1, 0),
        ("1 opens > 4 > 4 > 6 > call", 3, 1, 2),  # the caller is out
        ("3 opens > 6 > 5 > 6 > call", 3, 1, 1),
    ],
)
def test_who_lost_a_die_opens_or_else_the_next_who_has_dice(line, players, dice, opener):
    assert play(line, players, dice).opener == opener


def test_the_next_to_open_may_be_after_one_who_is_out():
    """Player 1 is out, then player 4 with a bid of 4x1: player 2 opens."""
    first = "1 opens > 1 > 2 > 3 > 4 > call"
    state = play(f"{first} > 2 > 3 > 4 > raise 1 > raise 1 > call", 4)
    assert (state.counts, state.opener) == ((0, 1, 1, 0), 1)
    state = play(f"{first} > 2 > 3 > 4 > call", 4)
    assert (state.counts, state.opener) == ((0, 0, 1, 1), 2)


def test_who_has_no_dice_neither_rolls_nor_speaks():
    """Player 2 is out: 3x2 are called, and there are none."""
    state = play("1 opens > 1 > 3 > 4 > raise 2 > call", 3)
    assert (state.counts, state.opener) == ((1, 0, 1), 2)
    state = state.child((5,))
    assert state.rolls == ((5,), ())
    state = state.child((6,))
    assert (state.rolls, state.bids, state.current_player) == (((5,), (), (6,)), ((2, 6),), 0)
    state = state.child("raise 1")
    assert state.current_player == 2
    assert state.legal_actions(1) == ()
    assert state.information_state(1) == "1 0 1, 3 opens, no dice: 2x6 3x1"
    assert state.child("raise 1").current_player == 0
    assert state.child(CALL).returns() == (0, 0, 1)


def test_the_first_player_may_be_the_one_without_dice():
    state = play("1 opens > 4 > 5 > 6 > call", 3)
    assert state.rolls == ((),)
    assert play("1 opens > 4 > 5 > 6 > call > 3 > 3", 3).current_player == 2


# Ends


@pytest.mark.parametrize(
    ("line", "players", "returns"),
    [
        ("1 opens > 4 > 4 > call", 2, (1, 0)),
        ("1 opens > 4 > 5 > call", 2, (0, 1)),
        ("1 opens > 4 > 5 > raise 5 > call", 2, (1, 0)),
        ("1 opens > 1 > 2 > 3 > call > 2 > 3 > call", 3, (0, 0, 1)),
        ("1 opens > 1 > 2 > 3 > call > 3 > 3 > call", 3, (0, 1, 0)),
    ],
)
def test_the_last_who_has_dice_wins(line, players, returns):
    state = play(line, players)
    assert state.current_player == TERMINAL
    assert state.is_terminal()
    assert state.returns() == state.rewards() == returns
    assert state.legal_actions() == state.chance_outcomes() == state.possible() == ()
    before = play(line.removesuffix(" > call"), players)
    assert before.returns() == before.rewards() == (0,) * players


def test_nobody_wins_before_the_end():
    for state in CallOrRaise(2, 2).states("1 opens > 44 > 45 > call > 11 > 1 > call > 5"):
        assert state.returns() == state.rewards() == (0, 0)
        assert not state.is_terminal()


@calm
@given(sizes, st.data())
def test_every_call_costs_one_die(game, data):
    states = played(data.draw, game)
    for before, after in pairwise(states):
        called = after.past[-1] == CALL
        assert before.total - after.total == called
        assert max(b - a for b, a in zip(before.counts, after.counts, strict=True)) == called
        if called and not after.is_terminal():
            assert after.counts[after.opener] > 0
    last = states[-1]
    assert sum(last.returns()) == last.is_terminal()


# Bounded


def test_a_bid_may_be_of_more_dice_than_there_are():
    state = play("1 opens > 4 > 4 > raise 1 > raise 1 > raise 1")
    assert state.bids[-1] == (5, 1)
    assert state.legal_actions() == (CALL, *RAISES)


def test_a_bounded_bid_may_not():
    state = play("1 opens > 44 > 35 > raise 5", dice=2, bounded=True)
    assert state.bids[-1] == (4, 5)
    assert state.legal_actions() == (CALL,)
    assert play("1 opens > 44 > 35", dice=2, bounded=True).legal_actions() == (CALL, *RAISES)
    with pytest.raises(IllegalActionError, match=r"'raise 5' is not possible after .*; possible are 'call'"):
        state.child("raise 5")
    assert play("1 opens > 4 > 4", bounded=True).legal_actions() == (CALL,)
    state = play("1 opens > 44 > 45 > call > 44 > 5 > raise 4", dice=2, bounded=True)  # three are left
    assert state.bids[-1] == (3, 4)
    assert state.legal_actions() == (CALL,)


@calm
@given(st.integers(2, 4), st.integers(1, 3), st.data())
def test_no_bounded_bid_is_of_more_dice_than_there_are(players, dice, data):
    for state in played(data.draw, CallOrRaise(players, dice, bounded=True), 200):
        assert all(quantity <= state.total for quantity, _ in state.bids)


# Chance


def test_anybody_may_open():
    for players in range(2, 7):
        assert play("", players).chance_outcomes() == tuple((p, Fraction(1, players)) for p in range(players))


def test_rolls_are_multinomial():
    outcomes = dict(play("1 opens", dice=3).chance_outcomes())
    assert len(outcomes) == 56
    chances = [outcomes[roll] for roll in ((1, 1, 1), (1, 1, 2), (1, 2, 3))]
    assert chances == [Fraction(1, 216), Fraction(3, 216), Fraction(6, 216)]
    outcomes = dict(play("1 opens", dice=6).chance_outcomes())
    assert (len(outcomes), sum(outcomes.values())) == (462, 1)
    assert outcomes[1, 2, 3, 4, 5, 6] == Fraction(720, 6**6)


# What is known


@pytest.mark.parametrize(
    ("line", "player", "known"),
    [
        ("", 0, "3 3"),
        ("1 opens", 1, "3 3, 1 opens, not rolled"),
        ("1 opens > 123", 0, "3 3, 1 opens, 123"),
        ("1 opens > 123", 1, "3 3, 1 opens, not rolled"),
        ("1 opens > 123 > 456", 1, "3 3, 1 opens, 456: 2x1"),
        ("1 opens > 123 > 456 > call > 36 > 125 > raise 6", 0, "2 3, 1 opens, 36: 2x3 3x6"),
        ("1 opens > 123 > 456 > call > 36 > 125 > raise 6", 1, "2 3, 1 opens, 125: 2x3 3x6"),
    ],
)
def test_what_a_player_knows(line, player, known):
    assert play(line, dice=3).information_state(player) == known


def test_a_player_does_not_see_the_dice_of_others():
    one, other = (play(f"1 opens > 12 > {roll} > raise 5", dice=2) for roll in ("34", "16"))
    assert one.information_state(0) == other.information_state(0)
    assert one.information_state(1) != other.information_state(1)
    assert one.position != other.position


def test_positions_forget_the_rounds_before():
    ways = ("1 opens > 44 > 45 > call", "2 opens > 11 > 45 > call", "1 opens > 12 > 33 > raise 3 > call")
    states = [play(line, dice=2) for line in ways]
    assert len({state.position for state in states}) == 1
    assert states[0].position == ((2, 1), 1, (), ())


@pytest.mark.parametrize("player", [-1, 2, None])
def test_no_such_player(player):
    with pytest.raises(ValueError, match=f"player must be from 0 to 1, not {player}"):
        play("1 opens").information_state(player)


# Notation


@calm
@given(sizes, st.data())
def test_notation_reads_back(game, data):
    for state in played(data.draw, game)[::5]:
        assert game.parse(str(state)) == state


def test_notation_is_written_as_it_is_read():
    line = "2 opens > 146 > 335 > raise 4 > raise 1 > call"
    assert str(play(line, dice=3)) == line
    assert play("2 opens>146 >  335> raise 4 > raise 1>call", dice=3) == play(line, dice=3)
    assert play("  ") == CallOrRaise(2, 1).initial_state()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3 opens", "move 1, '3 opens': expected '1 opens', '2 opens', not '3 opens'"),
        ("0 opens", "expected '1 opens', '2 opens'"),
        ("146", "move 1, '146': expected '1 opens', '2 opens'"),
        ("1 opens > 14", "move 2, '14': expected '111', '112', .* or the like, not '14'"),
        ("1 opens > 147", "not '147'"),
        ("1 opens > 461", "not '461'"),  # sorted, please
        ("1 opens > call", "move 2, 'call': expected '111'"),
        (
            "1 opens > 146 > 335 > check",
            "move 4, 'check': expected 'call', 'raise 1', 'raise 2', .* 'raise 6', not 'check'",
        ),
        ("1 opens > 146 > 335 > raise 7", "not 'raise 7'"),
        ("1 opens > 146 > 335 > raise", "not 'raise'"),
        ("1 opens > 146 > 335 > 335", "not '335'"),
        ("1 opens > 146 > 335 >", "move 4, '': expected 'call'"),
    ],
)
def test_wrong_notation_is_named(line, message):
    with pytest.raises(NotationError, match=message):
        play(line, dice=3)


def test_a_game_that_is_over_is_over():
    with pytest.raises(NotationError, match="move 5, '3': the game is already over after '1 opens > 4 > 4 > call'"):
        play("1 opens > 4 > 4 > call > 3")


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("", CALL),
        ("", (4,)),
        ("1 opens", CALL),
        ("1 opens", (7,)),
        ("1 opens", ()),
        ("1 opens", (4, 4)),
        ("1 opens", [4]),
        ("1 opens", "4"),
        ("1 opens > 4", "raise 1"),
        ("1 opens > 4 > 4", "raise 0"),
        ("1 opens > 4 > 4", (4,)),
    ],
)
def test_illegal_actions(line, action):
    with pytest.raises(IllegalActionError, match="is not possible after"):
        play(line).child(action)


def test_a_roll_is_sorted_and_of_as_many_dice_as_are_left():
    state = play("1 opens > 44 > 55 > call", dice=2)
    assert state.child((4,)).rolls == ((4,),)
    with pytest.raises(IllegalActionError, match=r"possible are \(1,\), \(2,\),"):
        state.child((4, 4))
    with pytest.raises(IllegalActionError, match=r"\(5, 4\) is not possible"):
        play("1 opens", dice=2).child((5, 4))
    with pytest.raises(IllegalActionError, match="is over"):
        play("1 opens > 4 > 4 > call").child((4,))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 1}, "num_players must be a whole number from 2 to 6, not 1"),
        ({"num_players": 7}, "num_players must be a whole number from 2 to 6, not 7"),
        ({"num_players": 2.0}, "num_players must be a whole number from 2 to 6, not 2.0"),
        ({"dice": 0}, "dice must be a whole number from 1 to 6, not 0"),
        ({"dice": 7}, "dice must be a whole number from 1 to 6, not 7"),
        ({"dice": True}, "dice must be a whole number from 1 to 6, not True"),
        ({"dice": "3"}, "dice must be a whole number from 1 to 6, not '3'"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        CallOrRaise(**options)


def test_the_published_size():
    assert CallOrRaise() == CallOrRaise(4, 6, bounded=False)
    assert CallOrRaise().initial_state().counts == (6, 6, 6, 6)
