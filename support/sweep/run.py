"""Running a sweep: what is missing of it, until nothing is."""

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from support.sweep.columns import Row
from support.sweep.design import Design, DesignError, Experiment, Task, shown, whole
from support.sweep.engine import Outcome, here, on_cluster
from support.sweep.progress import Progress
from support.sweep.store import Memory, Store

FLUSH, SHARE, LONGEST = 0.5, 0.01, 10.0
"""Records that have come in are written after half a second, in long sweeps after a hundredth of the time so far, but
never more than ten seconds: until then they do not count, and would be computed again."""
MOST = 5000
"""Records that are written at once, at most."""
WORKERS = 1024
"""Worker processes of one machine, at most."""
SHOWN = 3  # failures that an error message describes


@dataclass(frozen=True)
class Failure:
    """A task that raised: its configuration, its seed, and the traceback."""

    task: Task
    setting: Any
    trace: str

    def __str__(self) -> str:
        return f"{self.setting}, seed {self.task.seed} (number {self.task.replicate}):\n{self.trace.rstrip()}"


class SweepError(RuntimeError):
    """Some tasks failed; the others ended, and their records are kept."""

    def __init__(self, failures: Sequence[Failure], total: int, folder: Path | None):
        self.failures = tuple(sorted(failures, key=lambda failure: (failure.task.setting, failure.task.replicate)))
        shown = "\n".join(map(str, self.failures[:SHOWN]))
        more = f"\nand {len(failures) - SHOWN:,} more" if len(failures) > SHOWN else ""
        kept = f"; the records of the others are in {folder}" if folder else ""
        super().__init__(f"{len(failures):,} of {total:,} tasks failed{kept}\n{shown}{more}")


class Interrupted(KeyboardInterrupt):
    """A sweep that was stopped; what had ended is kept."""

    def __init__(self, done: int, total: int, folder: Path | None):
        kept = f"their records are in {folder}, and the same sweep goes on from there" if folder else "none is kept"
        if not done:
            kept = "nothing is lost, and the same sweep begins again"
        super().__init__(f"stopped after {done:,} of {total:,} tasks; {kept}")


@dataclass(frozen=True, eq=False)
class Records:
    """The records of a sweep.

    Attributes:
        table: one row a task, in the order of the configurations and then of the seeds. Its columns are ``setting``
            and ``replicate``, the places of the configuration and of the seed; ``seed``; the fields of the
            configuration; and what the experiment returned.
        seeds: the number of rows of each configuration.
    """

    table: pa.Table
    seeds: tuple[int, ...]

    def __len__(self) -> int:
        rows: int = self.table.num_rows
        return rows

    def column(self, name: str, setting: int | None = None) -> np.ndarray:
        """One column, of all rows or of those of one configuration.

        Arrays of one length become the rows of an array of two dimensions: [tasks, length].

        Raises:
            KeyError: no such column.
            IndexError: no such configuration.
            ValueError: arrays of different lengths; ``rows`` has them one by one.
        """
        if name not in self.table.column_names:
            raise KeyError(f"no column '{name}'; there are {', '.join(self.table.column_names)}")
        column = self._of(setting).column(name)
        if not pa.types.is_list(column.type):
            flat: np.ndarray = column.to_numpy()
            return flat
        return np.stack(column.to_numpy(zero_copy_only=False)) if len(column) else np.empty((0, 0))

    def rows(self, setting: int | None = None) -> list[Row]:
        """The rows of all configurations or of one, as dictionaries; arrays are lists.

        Raises:
            IndexError: no such configuration.
        """
        rows: list[Row] = self._of(setting).to_pylist()
        return rows

    def _of(self, setting: int | None) -> pa.Table:
        if setting is None:
            return self.table
        if not 0 <= setting < len(self.seeds):
            raise IndexError(f"no configuration {setting}; there are {len(self.seeds)}")
        return self.table.slice(sum(self.seeds[:setting]), self.seeds[setting])


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

    The records depend on the experiment, the configurations, the numbers of seeds, the root and the place alone: not on
    the number of workers, on where they are, or on the order in which tasks end. In a folder each record is kept as its
    task ends; a sweep that was cut off is taken up there, and so is one that now has more seeds.

    Args:
        experiment: an importable function of a frozen configuration and a seed (64 bits) that returns a flat record.
        settings: one configuration or several.
        seeds: how many seeds each configuration gets, or a number for each.
        root: the seed that all others are spawned from.
        place: the place of this sweep below the root, where one root serves several.
        folder: where records are kept; None to keep them in memory only.
        workers: processes on this machine, by default one a core; 0 runs everything in this process.
        scheduler: the address of a running Dask scheduler, such as ``tcp://10.0.0.1:8786``, to use its workers.
        name: what the line of progress is about; by default the experiment.

    Returns:
        The records of all tasks.

    Raises:
        DesignError: a sweep that makes no sense; nothing was run.
        StoreError: a folder that holds something else.
        ClusterError: a cluster that cannot be reached, or was lost.
        SweepError: some tasks raised; all others ended.
        Interrupted: Ctrl-C.
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
    """Run what is missing, and make one file of the records when nothing is."""
    design = store.design
    missing = (task for task in design.tasks() if (task.setting, task.replicate) not in store.done)
    outcomes: Iterable[Outcome | None] = ()  # where nothing is missing nothing is started
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
            outcomes = on_cluster(design, missing, workers, scheduler, progress.say, progress.part)
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
            raise SweepError(failures, design.size, store.folder)
        store.finish()
    except BaseException as error:
        write()
        if _interrupted(error):
            raise Interrupted(progress.done, design.size, store.folder) from None
        raise
    finally:
        progress.close()


def _interrupted(error: BaseException | None) -> bool:
    """Whether an error is an interrupt, or came up while one was dealt with, such as that of a worker it also ended."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
