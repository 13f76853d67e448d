"""What the experiments of all chapters share: scales, seeds from one root, and records by setting."""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from support.core.screen import unknown
from support.sweep import Records, spawn, sweep
from support.sweep.design import Design, Experiment

SCALES = ("published", "small")
"""``published``, the documents' own scale, is the default; ``small`` is for tests and for trying things out."""


@dataclass(frozen=True)
class Scaled(ABC):
    """A frozen configuration whose defaults are the published scale.

    Attributes:
        root: the seed from which all others are spawned.
        workers: the number of processes for sweeps; 0 to run everything in this one. The digits do not depend on it.
        kept: where sweeps keep their records, each in a folder of its own, so that an interrupted one can go on; None
            to keep them in memory.
    """

    root: int
    workers: int = os.cpu_count() or 1
    kept: Path | None = None

    @classmethod
    def at(cls, scale: str) -> Self:
        """The configuration of a scale, one of ``SCALES``; the small one runs without workers, which start too slowly.

        Raises:
            ValueError: there is no such scale.
        """
        if scale not in SCALES:
            raise ValueError(unknown("scale", scale, SCALES))
        published: Self = cls()  # type: ignore[call-arg]  # each sets its own root
        return published if scale == "published" else replace(cls.small(), workers=0)

    @classmethod
    @abstractmethod
    def small(cls) -> Self:
        """Sizes that take seconds."""

    def spawn(self, count: int, *place: int) -> np.ndarray:
        """uint64[count], seeds at a place below the root, independent of those at all other places."""
        return spawn(self.root, count, *place)

    def sweep(self, experiment: Experiment, settings: Any, seeds: int | Sequence[int], *place: int) -> Records:
        """Run an experiment for several configurations and seeds, at a place below this root.

        Configuration k gets the seeds ``spawn(count, *place, k)``. Raises as :func:`support.sweep.sweep`.
        """
        several = tuple(settings) if isinstance(settings, Sequence) else (settings,)
        counts = tuple(seeds) if isinstance(seeds, Sequence) else (seeds,) * len(several)
        folder = None
        if self.kept:
            folder = self.kept / f"{experiment.__name__}-{Design(experiment, several, counts, self.root, place).key}"
        return sweep(experiment, several, counts, root=self.root, place=place, folder=folder, workers=self.workers)


@dataclass(frozen=True, eq=False)
class Several:
    """Runs of several settings.

    Attributes:
        settings: the settings by name.
        records: the records, one row for each run.
    """

    settings: Mapping[str, Any]
    records: Records

    def column(self, what: str, name: str) -> np.ndarray:
        """One column of the records of one setting's runs."""
        return self.records.column(what, list(self.settings).index(name))
