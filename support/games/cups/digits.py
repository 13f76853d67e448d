"""Random digits: several small numbers drawn from one of a stream, and chances in 61 bits.

The plain counterpart of what ``support.games.cups.digits_fast`` draws: the same numbers from the same stream.
"""

from fractions import Fraction

from support.core.play import Stream
from support.games.cups.rolls import FACES, Roll

BITS = 61  # of a fraction from which digits are drawn: 8 times it still fits into 64
MASK = (1 << BITS) - 1


class Digits:
    """Small random numbers, several of them drawn from one of a stream.

    Args:
        stream: where numbers come from. Call :meth:`fresh` before the first digits, or all of them are 0.
    """

    def __init__(self, stream: Stream):
        self.stream, self.rest = stream, 0

    def fresh(self) -> "Digits":
        """Begin with a new number of the stream."""
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
        """Whether something of this probability happens; takes a new number unless it is certain or impossible."""
        limit = bound(probability)
        if limit in (0, 1 << BITS):
            return limit > 0
        return (self.stream.next() >> (64 - BITS)) < limit


def bound(probability: Fraction) -> int:
    """How many of the 2^61 numbers make something of this probability happen."""
    return int(probability * (1 << BITS))
