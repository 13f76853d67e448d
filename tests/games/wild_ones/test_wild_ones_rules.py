"""The rules of wild ones: bids and their order, challenges, who opens, who is out, what the network sees, notation.

After a deliberate change of rules: REWRITE_PLAYTHROUGHS=1 make test, and read the diff.
"""

import random
from fractions import Fraction
from itertools import pairwise
from math import ceil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.core.interface import CHANCE, TERMINAL, IllegalActionError, NotationError
from support.games.wild_ones.rules import EXACT, LIAR, WildOnes, WildOnesState, allowed, bid_of, counted, rank


def play(line, players=3, dice=2):
    """The state that a game leads to."""
    return WildOnes(players, dice).parse(line)


def played(draw, game, most=80):
    """All states of a random game, or of its beginning."""
    states = [game.initial_state()]
    while not states[-1].is_terminal() and len(states) < most:
        states.append(states[-1].child(draw(st.sampled_from(states[-1].possible()))))
    return states


calm = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
sizes = st.builds(WildOnes, st.integers(2, 4), st.integers(1, 3))


# Which bids are legal, and in which order

TWO_TO_SIX = "{0}x2 {0}x3 {0}x4 {0}x5 {0}x6"


@pytest.mark.parametrize(
    ("total", "last", "legal"),
    [
        (2, None, f"1x1 2x1 {TWO_TO_SIX.format(1)} {TWO_TO_SIX.format(2)}"),
        (3, None, f"1x1 2x1 3x1 {TWO_TO_SIX.format(1)} {TWO_TO_SIX.format(2)} {TWO_TO_SIX.format(3)}"),
        (3, (1, 2), f"liar exact 1x1 2x1 3x1 1x3 1x4 1x5 1x6 {TWO_TO_SIX.format(2)} {TWO_TO_SIX.format(3)}"),
        (3, (1, 6), f"liar exact 1x1 2x1 3x1 {TWO_TO_SIX.format(2)} {TWO_TO_SIX.format(3)}"),
        (3, (2, 4), f"liar exact 1x1 2x1 3x1 2x5 2x6 {TWO_TO_SIX.format(3)}"),
        (4, (3, 5), f"liar exact 2x1 3x1 4x1 3x6 {TWO_TO_SIX.format(4)}"),
        (6, (5, 3), f"liar exact 3x1 4x1 5x1 6x1 5x4 5x5 5x6 {TWO_TO_SIX.format(6)}"),
        (6, (6, 6), "liar exact 3x1 4x1 5x1 6x1"),
        (6, (1, 1), "liar exact 2x1 3x1 4x1 5x1 6x1 " + " ".join(TWO_TO_SIX.format(q) for q in (3, 4, 5, 6))),
        (6, (2, 1), f"liar exact 3x1 4x1 5x1 6x1 {TWO_TO_SIX.format(5)} {TWO_TO_SIX.format(6)}"),
        (6, (3, 1), "liar exact 4x1 5x1 6x1"),
        (7, (3, 1), f"liar exact 4x1 5x1 6x1 7x1 {TWO_TO_SIX.format(7)}"),
        (6, (6, 1), "liar exact"),
    ],
)
def test_legal_actions_in_the_order_of_the_document(total, last, legal):
    assert allowed(total, last) == tuple(legal.split())


def legal_by_the_rules(total, last):
    """The rules, as the document states them, without an order."""
    every = {(q, v) for q in range(1, total + 1) for v in range(1, 7)}
    if last is None:
        return every
    q, v = last
    if v == 1:
        return {(r, w) for r, w in every if (r > q if w == 1 else r >= 2 * q + 1)}
    return {(r, w) for r, w in every if (r >= ceil(q / 2) if w == 1 else r > q or (r == q and w > v))}


@pytest.mark.parametrize("total", range(2, 19))
def test_legal_bids_are_those_of_the_rules(total):
    for last in [None, *((q, v) for q in range(1, total + 1) for v in range(1, 7))]:
        legal = allowed(total, last)
        challenges, bids = (legal[:2], legal[2:]) if last else ((), legal)
        assert challenges == ((LIAR, EXACT) if last else ())
        assert len(set(bids)) == len(bids)
        assert set(map(bid_of, bids)) == legal_by_the_rules(total, last)


def test_legal_bids_are_those_of_a_higher_rank():
    bids = [bid_of(action) for action in allowed(9, None)]
    assert len({rank(bid) for bid in [None, *bids]}) == len(bids) + 1
    for last in [None, *bids]:
        assert {*map(bid_of, allowed(9, last))} - {None} == {bid for bid in bids if rank(bid) > rank(last)}


def test_bids_cannot_go_round_in_circles():
    """From q ones to 2q+1 of a face, back to ones: at least q+1."""
    for q in range(1, 9):
        up = min(r for r, v in map(bid_of, allowed(30, (q, 1))[2:]) if v != 1)
        assert min(r for r, v in map(bid_of, allowed(30, (up, 2))[2:]) if v == 1) == q + 1


def test_the_opener_bids_and_the_next_may_challenge():
    state = play("1 opens > 14 > 25 > 36")
    assert state.current_player == 0
    assert (state.legal_actions(), state.legal_actions(1)) == (allowed(6, None), ())
    state = state.child("2x3")
    assert (state.current_player, state.last) == (1, (2, 3))
    assert state.legal_actions() == allowed(6, (2, 3))


# Which dice count


def test_ones_count_for_every_face_but_not_the_other_way_round():
    assert [counted((1, 1, 3, 5), face) for face in range(1, 7)] == [2, 2, 3, 2, 3, 2]
    assert [counted((), face) for face in range(1, 7)] == [0] * 6


@pytest.mark.parametrize(
    ("bid", "there"),
    [("1x1", 2), ("1x2", 3), ("1x3", 3), ("1x4", 4), ("1x6", 2)],  # dice 14, 12, 34
)
def test_the_last_bid_is_met_by_all_dice(bid, there):
    quantity, face = bid_of(bid)
    state = play(f"1 opens > 14 > 12 > 34 > {there}x{face}")
    assert quantity == 1
    assert state.outcome(LIAR) == (1, -1)
    assert state.outcome(EXACT) == (1, 1)
    more = play(f"1 opens > 14 > 12 > 34 > {there + 1}x{face}")
    assert (more.outcome(LIAR), more.outcome(EXACT)) == ((0, -1), (1, -1))


# Challenges

START = "1 opens > 14 > 25 > 33"  # two threes, and a one: three


@pytest.mark.parametrize(
    ("line", "counts", "opener"),
    [
        ("3x3 > liar", (2, 1, 2), 1),  # just met: the challenger was wrong, and opens
        ("2x3 > liar", (2, 1, 2), 1),  # more than met
        ("4x3 > liar", (1, 2, 2), 0),  # one too few: the bidder lied, and opens
        ("2x1 > liar", (1, 2, 2), 0),  # one one
        ("1x1 > liar", (2, 1, 2), 1),
        ("2x3 > 4x3 > liar", (2, 1, 2), 1),  # player 2 lied, player 3 found out
        ("2x3 > 3x3 > liar", (2, 2, 1), 2),
        ("2x3 > 3x3 > 4x3 > liar", (2, 2, 1), 2),  # player 3 lied, player 1 found out
        ("1x1 > 3x3 > 3x4 > liar", (2, 2, 1), 2),
        ("2x3 > exact", (2, 1, 2), 1),  # there are three: wrong
        ("4x3 > exact", (2, 1, 2), 1),
        ("3x3 > exact", (2, 2, 2), 1),  # right, with all its dice: none is won
        ("2x3 > 3x3 > exact", (2, 2, 2), 2),
        ("2x3 > 4x3 > exact", (2, 2, 1), 2),
    ],
)
def test_who_loses_a_die_and_who_opens(line, counts, opener):
    state = play(f"{START} > {line}")
    assert (state.counts, state.opener, state.out) == (counts, opener, ())
    assert (state.rolls, state.bids, state.current_player) == ((), (), CHANCE)


def test_exact_wins_a_die_back_and_opens():
    """Player 2 has lost a die; a three and a one are two threes."""
    state = play(f"{START} > 3x3 > liar > 13 > 4 > 25 > 1x4 > 1x5 > 2x3 > exact")
    assert (state.counts, state.opener, state.out) == ((2, 2, 2), 1, ())
    state = play(f"{START} > 3x3 > liar > 13 > 4 > 25 > 1x4 > 1x5 > 3x5 > exact")  # there are two fives
    assert (state.counts, state.opener, state.out) == ((2, 0, 2), 2, (1,))


def test_nobody_has_more_dice_than_at_the_start():
    state = play(f"{START} > 3x3 > exact > 14 > 25 > 33 > 3x3 > exact")
    assert (state.counts, state.opener) == ((2, 2, 2), 2)


def test_exact_in_the_last_round_goes_on():
    line = "1 opens > 4 > 4 > 2x4 > exact"
    state = play(line, 2, 1)
    assert (state.counts, state.opener, state.current_player) == ((1, 1), 1, CHANCE)
    for _ in range(50):  # no number of rounds is enough
        line += f" > 4 > 4 > 2x4 > {EXACT}"
    assert play(line, 2, 1).counts == (1, 1)


# Who is out, and who opens then


def test_the_challenger_opens_if_the_liar_is_out():
    state = play("1 opens > 2 > 3 > 4 > 2x5 > liar", 3, 1)
    assert (state.counts, state.out, state.opener) == ((0, 1, 1), (0,), 1)


@pytest.mark.parametrize("challenge", ["1x2 > liar", "2x2 > exact"])
def test_the_next_player_opens_if_the_challenger_is_out(challenge):
    state = play(f"1 opens > 2 > 3 > 4 > {challenge}", 3, 1)
    assert (state.counts, state.out, state.opener) == ((1, 0, 1), (1,), 2)
    state = play(f"3 opens > 2 > 3 > 2 > {challenge.replace('2x2', '1x2')}", 3, 1)
    assert (state.counts, state.out, state.opener) == ((0, 1, 1), (0,), 1)


def test_the_next_to_open_may_be_after_one_who_is_out():
    """Player 4 is out, then player 3 challenges in vain: player 1 opens."""
    first = "4 opens > 2 > 3 > 4 > 5 > 2x6 > liar"
    assert play(first, 4, 1).opener == 0
    state = play(f"{first} > 2 > 3 > 4 > 1x2 > 1x3 > liar", 4, 1)
    assert (state.counts, state.out, state.opener) == ((1, 1, 0, 0), (3, 2), 0)


def test_who_has_no_dice_neither_rolls_nor_speaks():
    state = play("1 opens > 2 > 3 > 4 > 1x2 > liar", 3, 1)  # player 2 is out
    state = state.child((5,))
    assert (state.rolls, state.current_player) == (((5,), ()), CHANCE)
    state = state.child((6,))
    assert (state.rolls, state.current_player) == (((5,), (), (6,)), 2)
    state = state.child("1x3")
    assert (state.current_player, state.legal_actions(1)) == (0, ())
    assert state.information_state(1) == "1 0 1, 3 opens, no dice: 1x3"
    assert play("1 opens > 2 > 3 > 4 > 2x5 > liar", 3, 1).rolls == ((),)


def test_bids_are_bounded_by_the_dice_that_are_left():
    state = play("1 opens > 2 > 3 > 4 > 2x5 > liar > 3 > 4", 3, 1)
    assert (state.total, state.legal_actions()) == (2, allowed(2, None))


@pytest.mark.parametrize(
    ("line", "players", "places"),
    [
        ("1 opens > 4 > 4 > 2x4 > liar", 2, (1, 2)),
        ("1 opens > 4 > 5 > 2x4 > liar", 2, (2, 1)),
        ("2 opens > 4 > 1 > 2x4 > liar", 2, (2, 1)),
        ("1 opens > 4 > 5 > 1x4 > exact > 5", 2, None),  # exact: all dice are back
        ("1 opens > 4 > 5 > 2x4 > exact", 2, (1, 2)),
        ("1 opens > 2 > 3 > 4 > 2x5 > liar > 3 > 4 > 2x6 > liar", 3, (3, 2, 1)),
        ("1 opens > 2 > 3 > 4 > 2x5 > liar > 3 > 4 > 1x3 > liar", 3, (3, 1, 2)),
        ("1 opens > 2 > 3 > 4 > 1x2 > liar > 3 > 4 > 2x6 > liar", 3, (1, 3, 2)),
    ],
)
def test_places(line, players, places):
    state = play(line, players, 1)
    assert state.is_terminal() == bool(places)
    assert state.places() == (places or (0,) * players)
    assert state.returns() == state.rewards() == tuple(int(place == 1) for place in state.places())
    if places:
        assert state.current_player == TERMINAL
        assert state.legal_actions() == state.chance_outcomes() == state.possible() == ()


def test_places_are_open_for_those_still_in():
    state = play("1 opens > 2 > 3 > 4 > 2x5 > liar", 3, 1)
    assert (state.places(), state.returns()) == ((3, 0, 0), (0, 0, 0))


# What holds in every game


@calm
@given(sizes, st.data())
def test_dice_change_by_challenges_alone(game, data):
    for before, after in pairwise(played(data.draw, game)):
        change = [b - a for a, b in zip(before.counts, after.counts, strict=True)]
        move = after.past[-1]
        if move not in (LIAR, EXACT):
            assert not any(change)
            continue
        assert sum(map(abs, change)) <= 1
        caller = before.current_player
        liar = before.speaker(len(before.bids) - 1)
        if move == LIAR:
            assert sum(change) == -1
            assert change[caller] or change[liar]
        elif not change[caller]:
            assert before.counts[caller] == game.dice  # exact, with all its dice
        assert max(after.counts) <= game.dice
        assert after.is_terminal() or after.counts[after.opener] > 0
        assert set(after.out) == {player for player, count in enumerate(after.counts) if not count}


@calm
@given(sizes, st.integers(0, 10**6))
def test_somebody_wins(game, seed):
    draw, state = random.Random(seed), game.initial_state()
    while not state.is_terminal():
        state = state.child(draw.choice(state.possible()))
    assert sorted(state.places()) == list(range(1, game.num_players + 1))
    assert sum(state.returns()) == 1
    assert state.counts[state.places().index(1)] == state.total > 0


def test_neighbours_are_the_next_with_dice():
    state = WildOnesState(WildOnes(5, 3), (3, 0, 2, 0, 1), 0, ((1, 2, 3), (), (4, 5), (), (6,)), (), out=(1, 3))
    assert [state.observation(player)[:3] for player in (0, 2, 4)] == [(1, 2, 6), (3, 1, 6), (2, 3, 6)]


@pytest.mark.parametrize("line", ["", "1 opens > 4 > 4 > 2x4 > liar"])
def test_nobody_sees_where_nobody_moves(line):
    with pytest.raises(ValueError, match=f"nobody is to move after '{line}'"):
        play(line, 2, 1).observation()


def test_bids_are_numbered():
    game = WildOnes(3, 2)
    assert [game.bid_number(bid) for bid in game.bids] == list(range(37))
    assert [game.number(f"{quantity}x{face}") - 1 for quantity, face in game.bids[1:]] == list(range(1, 37))
    with pytest.raises(ValueError, match="no bid at this size exceeds 6 dice, as 7x2 does"):
        game.bid_number((7, 2))


def test_actions_are_numbered():
    game = WildOnes()
    assert game.num_actions == 38
    numbers = [game.number(action) for action in ("liar", "exact", "1x1", "6x1", "1x2", "3x4", "6x6")]
    assert numbers == [0, 1, 2, 7, 8, 22, 37]
    for size in (game, WildOnes(2, 1), WildOnes(5, 2), WildOnes(6, 6)):
        assert [size.number(size.action(number)) for number in range(size.num_actions)] == list(range(size.num_actions))
    assert WildOnes(5, 2).num_actions == 62


@pytest.mark.parametrize("action", ["7x1", "0x1", "1x7", "x", "call", "1x1 ", "²x1", ""])
def test_no_such_action(action):
    with pytest.raises(ValueError, match=f"an action is 'liar', 'exact' or 1x1 to 6x6, not '{action}'"):
        WildOnes().number(action)


@pytest.mark.parametrize("number", [-1, 38])
def test_no_such_number(number):
    with pytest.raises(ValueError, match=f"actions are numbered from 0 to 37, not {number}"):
        WildOnes().action(number)


# Chance


def test_anybody_may_open():
    for players in range(2, 7):
        assert play("", players).chance_outcomes() == tuple((p, Fraction(1, players)) for p in range(players))


def test_hands_are_sorted_and_dealt_a_player_at_a_time():
    state = play("1 opens")
    outcomes = dict(state.chance_outcomes())
    assert (len(outcomes), outcomes[1, 1], outcomes[1, 2]) == (21, Fraction(1, 36), Fraction(2, 36))
    assert len(play("1 opens", 6, 6).chance_outcomes()) == 462
    assert state.child((1, 2)).rolls == ((1, 2),)


# What is known


@pytest.mark.parametrize(
    ("line", "player", "known"),
    [
        ("", 0, "2 2 2"),
        ("2 opens", 1, "2 2 2, 2 opens, not rolled"),
        ("2 opens > 12", 0, "2 2 2, 2 opens, 12"),
        (f"{START} > 2x3 > 3x5", 2, "2 2 2, 1 opens, 33: 2x3 3x5"),
        (f"{START} > 3x3 > liar > 36 > 4 > 13 > 2x1", 1, "2 1 2, 2 opens, 4: 2x1"),
    ],
)
def test_what_a_player_knows(line, player, known):
    assert play(line).information_state(player) == known


def test_a_player_does_not_see_the_dice_of_others():
    one, other = (play(f"1 opens > 12 > {roll} > 33 > 2x3") for roll in ("34", "16"))
    assert one.information_state(0) == other.information_state(0)
    assert one.information_state(1) != other.information_state(1)
    assert one.position != other.position


def test_positions_forget_the_rounds_before():
    ways = (f"{START} > 3x3 > liar", f"{START} > 2x3 > exact", "1 opens > 11 > 11 > 11 > 1x1 > liar")
    states = [play(line) for line in ways]
    assert {state.position for state in states} == {((2, 1, 2), 1, (), ())}


@pytest.mark.parametrize("player", [-1, 3])
def test_no_such_player(player):
    for ask in (play("1 opens").information_state, play("1 opens").observation):
        with pytest.raises(ValueError, match=f"player must be from 0 to 2, not {player}"):
            ask(player)


# Notation and errors


def test_notation_is_written_as_it_is_read():
    line = f"{START} > 2x3 > 3x5 > exact > 11 > 22 > 3"
    assert str(play(line)) == line
    assert play(line.replace(" > ", ">")) == play(line)
    assert play("  ") == WildOnes().initial_state()


@pytest.mark.parametrize(
    ("bids", "message"),
    [
        (
            "5x3 > 2x1",
            r"move 6, '2x1': 2x1 is not allowed after 5x3: it takes at least 3 ones, half of 5 rounded up; "
            r"allowed are liar, exact, 3x1, 4x1, 5x1, 6x1, 5x4, 5x5, 5x6, 6x2, 6x3, 6x4, 6x5, 6x6$",
        ),
        ("2x1 > 2x1", "2x1 is not allowed after 2x1: it takes at least 3 ones, or 5 dice of another face; allowed are"),
        ("2x1 > 4x6", "4x6 is not allowed after 2x1: it takes at least 3 ones, or 5 dice of another face; allowed are"),
        ("2x3 > 2x3", "2x3 is not allowed after 2x3: it takes 2 dice of a face above 3, or more dice; allowed are"),
        ("2x3 > 2x2", "2x2 is not allowed after 2x3: it takes 2 dice of a face above 3, or more dice; allowed are"),
        ("2x3 > 1x6", "1x6 is not allowed after 2x3: it takes 2 dice of a face above 3, or more dice; allowed are"),
        ("2x3 > 7x4", "7x4 is not allowed after 2x3: a bid names 1 to 6 dice, as many as are in play, and a face"),
        ("7x4", r"7x4 is not allowed by the opener: a bid names 1 to 6 dice, .* \(36 in all\)"),
        ("liar", "move 5, 'liar': liar is not allowed by the opener: there is no bid to challenge; allowed are 1x1"),
        ("exact", "exact is not allowed by the opener: there is no bid to challenge"),
        ("2x3 > call", "move 6, 'call': expected 'liar', 'exact', '1x1', .* or the like, not 'call'"),
        ("2x7", "move 5, '2x7': expected '1x1', '2x1', .* or the like, not '2x7'"),
        ("02x3", "not '02x3'"),
        ("2x3 >", "move 6, '': expected 'liar'"),
    ],
)
def test_wrong_bids_are_named(bids, message):
    with pytest.raises(NotationError, match=message):
        play(f"{START} > {bids}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("4 opens", "move 1, '4 opens': expected '1 opens', '2 opens', '3 opens', not '4 opens'"),
        ("1 opens > 41", "not '41'"),  # sorted, please
        ("1 opens > 1", "expected '11', '12'"),
        ("1 opens > 2x3", "expected '11', '12', .* or the like, not '2x3'"),
        ("1 opens > liar", "not 'liar'"),
    ],
)
def test_wrong_rolls_are_named(line, message):
    with pytest.raises(NotationError, match=message):
        play(line)


def test_a_game_that_is_over_is_over():
    with pytest.raises(NotationError, match="the game is already over after '1 opens > 4 > 4 > 2x4 > liar'"):
        play("1 opens > 4 > 4 > 2x4 > liar > 3", 2, 1)
    with pytest.raises(ValueError, match="there is no bid to challenge"):
        play(START).outcome(LIAR)


@pytest.mark.parametrize(
    ("line", "action"),
    [("", "2x3"), ("1 opens", LIAR), ("1 opens", (7, 7)), (START, (1, 2)), (START, 0), (START, "nonsense")],
)
def test_illegal_actions(line, action):
    with pytest.raises(IllegalActionError, match=r"is not possible after|is not allowed by the opener"):
        play(line).child(action)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 1}, "num_players must be a whole number from 2 to 6, not 1"),
        ({"num_players": 7}, "num_players must be a whole number from 2 to 6, not 7"),
        ({"dice": 0}, "dice must be a whole number from 1 to 6, not 0"),
        ({"dice": 2.0}, "dice must be a whole number from 1 to 6, not 2.0"),
        ({"dice": True}, "dice must be a whole number from 1 to 6, not True"),
    ],
)
def test_wrong_parameters_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        WildOnes(**options)


def test_the_published_size():
    assert WildOnes() == WildOnes(3, 2)
    assert WildOnes().initial_state().counts == (2, 2, 2)
