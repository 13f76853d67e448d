"""Several numbers at once: the same as one after the other."""

import numpy as np
import pytest

from support.core.compiled import lean
from support.core.lanes_fast import (
    LANES,
    WHOLE,
    both,
    either,
    ending,
    less,
    load,
    lowest,
    negatives,
    nonzero,
    plus,
    rectified,
    store,
    total,
)

ODD = np.array([0.0, -0.0, 1e-45, -1e-45, 1.5, -1.5, np.inf, -np.inf, np.nan], np.float32)


@lean
def add_scaled(array, place, factor, others, other, out, where):
    store(plus(load(array, place), factor, load(others, other)), out, where)


@lean
def rectify(array, by, out):
    store(rectified(load(array, 0), load(by, 0)), out, 0)


@lean
def bits(array, place):
    return nonzero(array, place)


@lean
def first(number):
    return lowest(number)


@lean
def add_whole(array, place, others, other, out, where):
    store(total(load(array, place), load(others, other)), out, where)


@lean
def subtract_some(array, others, where, out):
    store(less(load(array, 0), both(load(others, 0), load(where, 0))), out, 0)


@lean
def signs(array):
    return negatives(load(array, 0))


@lean
def signs_of_any(array, others):
    return negatives(either(load(array, 0), load(others, 0)))


@lean
def end_with(array, last_but_one, last, out):
    store(ending(load(array, 0), np.int32(last_but_one), np.int32(last)), out, 0)


def numbers(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


@pytest.mark.parametrize(("place", "other", "where"), [(0, 0, 0), (1, 17, 63), (100, 36, 3)])
def test_sums_of_products(place, other, where):
    """At any place of arrays of any shape; what lies around is left alone."""
    array, others, out = numbers(1, 2, 82), numbers(2, 100), numbers(3, 3, 5, 9)
    factor = np.float32(1 / 3)
    wanted = out.copy()
    own, its = array.ravel()[place : place + LANES], others[other : other + LANES]
    wanted.ravel()[where : where + LANES] = own + factor * its
    add_scaled(array, place, factor, others, other, out, where)
    np.testing.assert_array_equal(out, wanted)
    once = (own.astype(float) + factor.astype(float) * its).astype(np.float32)
    assert (once != wanted.ravel()[where : where + LANES]).any()  # what a fused product and sum would give


def test_rectified():
    by, array = np.resize(ODD, LANES), numbers(4, LANES)
    out = np.ones(LANES, np.float32)
    rectify(array, by, out)
    np.testing.assert_array_equal(out, np.where(by > 0, array, 0))


@pytest.mark.parametrize("place", [0, 1, 8])
def test_bits_of_what_is_not_zero(place):
    array = np.resize(ODD, LANES + 8)
    wanted = [number for number, value in enumerate(array[place : place + LANES]) if value != 0]
    found = int(bits(array, place))
    assert [number for number in range(LANES) if found >> number & 1] == wanted
    assert found >> LANES == 0


def test_the_lowest_bit():
    for bit in range(LANES):
        assert first(np.uint64(1 << bit)) == bit
        assert first(np.uint64((1 << bit) | 1 << 63)) == bit


def test_sums_of_whole_numbers():
    """At any place; what lies around is left alone, and what does not fit wraps around."""
    most = np.iinfo(np.int32).max
    array, others = np.arange(20, dtype=np.int32) - most, np.arange(36, dtype=np.int32).reshape(4, 9) * (most // 40)
    out = np.arange(24, dtype=np.int32)
    wanted = out.copy()
    wanted[3 : 3 + WHOLE] = array[5 : 5 + WHOLE] + others.ravel()[17 : 17 + WHOLE]
    add_whole(array, 5, others, 17, out, 3)
    np.testing.assert_array_equal(out, wanted)
    add_whole(np.full(WHOLE, most, np.int32), 0, np.ones(WHOLE, np.int32), 0, out, 0)
    assert (out[:WHOLE] == -most - 1).all()


def test_some_whole_numbers_are_subtracted():
    """What does not fit wraps around."""
    array, others = np.arange(WHOLE, dtype=np.int32) - np.iinfo(np.int32).max, np.arange(3, 3 + WHOLE, dtype=np.int32)
    where, out = np.array([0, -1] * (WHOLE // 2), np.int32), np.zeros(WHOLE, np.int32)
    subtract_some(array, others, where, out)
    np.testing.assert_array_equal(out, np.where(where, array - others, array))
    assert out[1] > 0


@pytest.mark.parametrize("value", [-1, np.iinfo(np.int32).min])
def test_negative_whole_numbers_are_found_wherever_they_are(value):
    array = np.full(WHOLE, np.iinfo(np.int32).max, np.int32)
    array[::2] = 0
    assert signs(array) == 0
    for place in range(array.size):
        one = array.copy()
        one[place] = value
        assert signs(one) == 1 << place
        assert signs_of_any(one, array) == signs_of_any(array, one) == 1 << place
    assert signs(np.full(WHOLE, value, np.int32)) == (1 << WHOLE) - 1


def test_the_last_two_whole_numbers_are_replaced():
    array, out = np.arange(WHOLE, dtype=np.int32), np.zeros(WHOLE, np.int32)
    end_with(array, -7, 9, out)
    np.testing.assert_array_equal(out, [*array[:-2], -7, 9])
