"""A row of the table: what is thought of the actions of an information state, and which of them to take."""

import math
from dataclasses import dataclass


@dataclass
class Row:
    """Counts and values of the actions of an information state, in the order of the legal ones."""

    counts: list[int]
    values: list[float]

    def best(self) -> int:
        """The place of the highest value among the actions that were taken; the first of equals."""
        taken = [place for place, count in enumerate(self.counts) if count]
        return max(taken, key=self.values.__getitem__)

    def wanted(self, curiosity: float) -> int:
        """The place of the action to learn from next; the first of equals."""
        bonus = curiosity * math.sqrt(sum(self.counts))
        top = max((value for value, count in zip(self.values, self.counts, strict=True) if count), default=0.0)
        worth = [
            (value if count else top) + bonus / (count + 1)
            for value, count in zip(self.values, self.counts, strict=True)
        ]
        return worth.index(max(worth))
