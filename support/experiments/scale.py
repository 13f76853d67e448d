"""What the configurations of all chapters share: scales, and seeds spawned from one root."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np

__all__ = ["SCALES", "Scaled"]

SCALES = ("published", "small")
"""The sizes of the book, and sizes to try things out."""


@dataclass(frozen=True)
class Scaled(ABC):
    """A frozen configuration whose defaults are the published scale.

    Attributes:
        root: the seed that all others are spawned from.
    """

    root: int

    @classmethod
    def at(cls, scale: str) -> Self:
        """The configuration of a scale, one of ``SCALES``.

        Raises:
            ValueError: no such scale.
        """
        if scale not in SCALES:
            raise ValueError(f"no scale '{scale}'; known are {', '.join(SCALES)}")
        return cls() if scale == "published" else cls.small()

    @classmethod
    @abstractmethod
    def small(cls) -> Self:
        """Sizes that take seconds."""

    def spawn(self, count: int, *place: int) -> np.ndarray:
        """uint64[count], the seeds of one task, by its place among the tasks: independent of those of all others."""
        return np.random.SeedSequence(self.root, spawn_key=place).generate_state(count, np.uint64)
