"""Streams of random numbers."""

from support.core.play import Stream


def test_a_share_is_what_53_bits_of_the_next_number_say():
    shares, numbers = Stream(7, 3), Stream(7, 3)
    found = [shares.share() for _ in range(1000)]
    assert found == [(numbers.next() >> 11) / 2**53 for _ in range(1000)]
    assert 0 <= min(found) < 0.01 < 0.99 < max(found) < 1
