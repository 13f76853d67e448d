"""Run the missing tasks of a sweep until none is missing."""

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from support.core.screen import shown
from support.sweep.columns import Row
from support.sweep.design import Design, DesignError, Experiment, Task, whole
from support.sweep.engine import Outcome, here, on_cluster
from support.sweep.progress import Progress
from support.sweep.store import Memory, Store

FLUSH, SHARE, LONGEST = 0.5, 0.01, 10.0
"""Records are written after half a second, or in long sweeps a hundredth of the time so far, but at most ten seconds:
those not yet written would have to be computed again."""
MOST = 5000
"""The most records that are written at once."""
WORKERS = 1024
"""The most worker processes on one machine."""
SHOWN = 3  # failures that an error message describes


@dataclass(frozen=True)
class Failure:
    """A task that raised an error: its configuration, its place and seed, and the traceback."""

    task: Task
    setting: Any
    trace: str

    def __str__(self) -> str:
        return f"{self.setting}, seed {self.task.seed} (number {self.task.replicate}):\n{self.trace.rstrip()}"


class Interrupted(KeyboardInterrupt):
    """A sweep was stopped; in a folder, the records of tasks that had ended are kept."""

    def __init__(self, done: int, total: int, folder: Path | None):
        kept = "none is kept" if done else "nothing had ended"
        if done and folder:
            kept = f"their records are in {folder}; run the same again, and it goes on from there"
        super().__init__(f"stopped after {done:,} of {total:,} tasks; {kept}")


@dataclass(frozen=True, eq=False)
class Records:
    """The records of a sweep.

    Attributes:
        table: one row for each task, in the order of the configurations and then of the seeds. Its columns are
            ``setting`` and ``replicate``, the numbers of the configuration and of the seed; ``seed``; the fields of
            the configuration; and what the experiment returned.
        seeds: the number of rows of each configuration.
    """

    table: pa.Table
    seeds: tuple[int, ...]

    def __len__(self) -> int:
        rows: int = self.table.num_rows
        return rows

    def column(self, name: str, setting: int | None = None) -> np.ndarray:
        """One column, of all rows or of one configuration's.

        Arrays of one length become the rows of an array of two dimensions, [tasks, length].

        Raises:
            KeyError: there is no such column.
            IndexError: there is no such configuration.
            ValueError: the arrays have different lengths; ``rows`` returns them one by one.
        """
        if name not in self.table.column_names:
            raise KeyError(f"no column '{name}'; there are {', '.join(self.table.column_names)}")
        column = self._of(setting).column(name)
        if not pa.types.is_list(column.type):
            flat: np.ndarray = column.to_numpy()
            return flat
        return np.stack(column.to_numpy(zero_copy_only=False)) if len(column) else np.empty((0, 0))

    def rows(self, setting: int | None = None) -> list[Row]:
        """The rows of all configurations or of one, as dictionaries; arrays become lists.

        Raises:
            IndexError: there is no such configuration.
        """
        rows: list[Row] = self._of(setting).to_pylist()
        return rows

    def _of(self, setting: int | None) -> pa.Table:
        if setting is None:
            return self.table
        if not 0 <= setting < len(self.seeds):
            raise IndexError(f"no configuration {setting}; there are {len(self.seeds)}")
        return self.table.slice(sum(self.seeds[:setting]), self.seeds[setting])


class SweepError(RuntimeError):
    """Some tasks failed; all others have ended, and in a folder their records are kept.

    Attributes:
        failures: the tasks that failed.
        settings: the numbers of the configurations of which no task failed.
        records: the records of those, which it numbers anew, from 0, by their places in ``settings``.
    """

    def __init__(self, failures: Sequence[Failure], design: Design, ended: pa.Table, folder: Path | None):
        self.failures = tuple(sorted(failures, key=lambda failure: (failure.task.setting, failure.task.replicate)))
        failed = {failure.task.setting for failure in failures}
        self.settings = tuple(number for number in range(len(design.settings)) if number not in failed)
        rows = ended.filter(np.isin(ended["setting"].to_numpy(), self.settings))
        self.records = Records(rows, tuple(design.seeds[number] for number in self.settings))
        shown = "\n".join(map(str, self.failures[:SHOWN]))
        more = f"\nand {len(failures) - SHOWN:,} more" if len(failures) > SHOWN else ""
        kept = f"; the records of the others are in {folder}" if folder else ""
        super().__init__(f"{len(failures):,} of {design.size:,} tasks failed{kept}\n{shown}{more}")


def sweep(
    experiment: Experiment,
    settings: Any,
    seeds: int | Sequence[int] = 1,
    *,
    root: int = 0,
    place: tuple[int, ...] = (),
    folder: Path | str | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    name: str = "",
) -> Records:
    """Run an experiment for some configurations and several seeds each.

    The records depend only on the experiment, the configurations, the numbers of seeds, the root and the place, and not
    on the number of workers, where they are, or the order in which tasks end. In a folder each record is kept as its
    task ends, and an interrupted sweep, or one with more seeds than before, goes on from there.

    Args:
        experiment: an importable function of a frozen configuration and a seed (64 bits) that returns a flat record.
        settings: one configuration or several.
        seeds: the number of seeds of every configuration, or a number for each.
        root: the seed from which all others are spawned.
        place: the place of this sweep below the root, if one root serves several.
        folder: where records are kept; None to keep them in memory only.
        workers: processes on this machine, by default one for each core; 0 runs everything in this process.
        scheduler: the address of a running Dask scheduler, such as ``tcp://10.0.0.1:8786``, to use its workers.
        name: the name in the line of progress; by default the experiment's.

    Returns:
        The records of all tasks.

    Raises:
        DesignError: the sweep is not valid; nothing was run.
        StoreError: the folder cannot be used for this sweep.
        ClusterError: the cluster cannot be used, or was lost.
        SweepError: some tasks raised errors; all others ended.
        Interrupted: the sweep was stopped with Ctrl-C.
    """
    several = tuple(settings) if isinstance(settings, list | tuple) else (settings,)
    counts = tuple(seeds) if isinstance(seeds, Sequence | np.ndarray) else (seeds,) * len(several)
    design = Design(experiment, several, counts, root, tuple(place) if isinstance(place, Sequence) else (place,))
    workers = os.cpu_count() or 1 if workers is None else workers
    if not whole(workers) or not 0 <= workers <= WORKERS:
        raise DesignError(f"the number of workers must be a whole number from 0 to {WORKERS:,}, not {shown(workers)}")
    if scheduler is not None and not (isinstance(scheduler, str) and scheduler.strip()):
        raise DesignError(f"the address of a scheduler is text such as tcp://10.0.0.1:8786, not {shown(scheduler)}")
    store: Memory | None = None
    try:
        store = Memory(design) if folder is None else Store(Path(folder), design)
        _run(store, workers, scheduler, name or experiment.__qualname__)
        return Records(store.table(), design.seeds)
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(len(store.done) if store else 0, design.size, store.folder if store else None) from None
    finally:
        if store:
            store.close()


def _run(store: Memory, workers: int, scheduler: str | None, name: str) -> None:
    """Run the missing tasks and, when none is missing, write the records as one file."""
    design = store.design
    missing = (task for task in design.tasks() if (task.setting, task.replicate) not in store.done)
    outcomes: Iterable[Outcome | None] = ()  # if no task is missing, nothing is started
    progress = Progress(name, design.size, len(store.done))
    failures: list[Failure] = []
    waiting: list[tuple[Task, Row]] = []
    began = written = time.monotonic()

    def write() -> None:
        nonlocal written
        store.add(waiting)
        progress.done += len(waiting)
        waiting.clear()
        written = time.monotonic()

    if len(store.done) < design.size:
        if scheduler is None and not workers:
            outcomes = here(design, missing)
        else:
            outcomes = on_cluster(design, missing, workers, scheduler, progress)
    try:
        for outcome in outcomes:
            if outcome is not None:
                task = outcome.task
                record = outcome.record or {}
                trace = outcome.trace or store.fit(record)
                if trace:
                    failures.append(Failure(task, design.settings[task.setting], trace))
                else:
                    waiting.append((task, record))
            now = time.monotonic()
            if len(waiting) >= MOST or now - written >= min(max(FLUSH, SHARE * (now - began)), LONGEST):
                write()
            progress.show(len(failures))
        write()
        if failures:
            raise SweepError(failures, design, store.table(), store.folder)
        store.finish()
    except BaseException as error:
        write()
        if _interrupted(error):
            raise Interrupted(progress.done, design.size, store.folder) from None
        raise
    finally:
        progress.close()


def _interrupted(error: BaseException | None) -> bool:
    """Whether an error is an interrupt or followed from one, such as that of a worker that it also ended."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
