"""Random digits: several small numbers taken from one 64-bit number of a stream, and chances in 61 bits.

The plain counterpart of ``support.games.cups.digits_fast``, which draws the same numbers from the same stream.
"""

from fractions import Fraction

from support.core.play import Stream
from support.games.cups.rolls import FACES, Roll

BITS = 61  # of the fraction that digits come from: 8 times it still fits into 64
MASK = (1 << BITS) - 1


class Digits:
    """Small random numbers, several from each number of a stream.

    Args:
        stream: the source of the numbers. Call :meth:`fresh` before the first digit; until then every digit is 0.
    """

    def __init__(self, stream: Stream):
        self.stream, self.rest = stream, 0

    def fresh(self) -> "Digits":
        """Take a new number from the stream."""
        self.rest = self.stream.next() >> (64 - BITS)
        return self

    def below(self, base: int) -> int:
        """The next digit, from 0 to ``base`` - 1; ``base`` is at most 8."""
        product = self.rest * base
        self.rest = product & MASK
        return product >> BITS

    def roll(self, dice: int) -> Roll:
        """A player's dice, all from a new number."""
        self.fresh()
        return tuple(sorted(self.below(FACES) + 1 for _ in range(dice)))

    def chance(self, probability: Fraction) -> bool:
        """Draw whether an event of this probability happens; no number is used if it is certain or impossible."""
        limit = bound(probability)
        if limit in (0, 1 << BITS):
            return limit > 0
        return (self.stream.next() >> (64 - BITS)) < limit


def bound(probability: Fraction) -> int:
    """How many of the 2^61 numbers let an event of this probability happen."""
    above, below = probability.as_integer_ratio()
    return (above << BITS) // below
