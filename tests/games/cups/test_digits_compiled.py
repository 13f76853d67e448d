"""Hands of dice inside kernels, against digits taken one by one."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from numba import njit

from support.core.play import Stream
from support.games.cups import digits_fast as dice
from support.games.cups.digits import BITS, Digits, bound

SEED = 0xFEDCBA9876543210


@njit
def hand_of(count, state):
    return dice.roll_hand(count, state)


@njit
def faces_of(hand):
    return [dice.showing(hand, face) for face in range(6)]


@njit
def most_of(hand):
    return dice.held_most(hand)


@njit
def neighbours_of(counts):
    after = np.empty_like(counts)
    dice.seat(counts, after)
    return after


def packed(faces):
    """The hand of dice that show these faces, counted from 0."""
    return np.uint64(sum(1 << 8 * face for face in faces))


@pytest.mark.parametrize("count", range(1, 7))
def test_a_hand_is_the_plain_players_dice(count):
    for game in range(300):
        plain = Digits(Stream(SEED, game)).fresh()
        faces = [plain.below(6) for _ in range(count)]
        hand, state = hand_of(count, np.uint64(Stream(SEED, game).state))
        assert hand == packed(faces)
        following = Stream(SEED, game)
        following.next()
        assert np.uint64(state) == np.uint64(following.state)


@pytest.mark.parametrize("rest", [0, 1, (1 << BITS) - 1, 1 << BITS - 1, 0x123456789ABCDEF, (1 << BITS) // 216 * 100])
def test_digits_at_the_edges(rest):
    """A product of 69 bits, taken in two halves, is the product."""
    for count in range(4):
        with np.errstate(over="raise"):
            hand, left = dice.pick_up.py_func(count, np.uint64(rest))
        digits, wanted = [], rest
        for _ in range(count):
            digits.append(wanted * 6 >> BITS)
            wanted = wanted * 6 % (1 << BITS)
        assert (hand, left) == (packed(digits), wanted)


def test_every_hand_of_three():
    for faces in product(range(6), repeat=3):
        counts = [faces.count(face) for face in range(6)]
        assert faces_of(packed(faces)) == counts
        assert most_of(packed(faces)) == counts.index(max(counts))


def test_the_next_player_has_dice():
    assert neighbours_of(np.array([2, 0, 1, 0, 0, 3])).tolist() == [2, 2, 5, 5, 5, 0]


def test_bounds_are_exact_for_any_number():
    for probability in (0, 1, Fraction(1, 3), 0.3, 0.5, 1.0, Fraction(999, 1000)):
        assert bound(probability) == int(Fraction(probability) * (1 << BITS))
