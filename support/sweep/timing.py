"""Timing: fast code against plain code, and the costs of a sweep itself.

The costs of a sweep are measured with experiments that do nothing, sleep or keep a core busy.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from support.core.checks import settings
from support.sweep import sweep
from support.sweep.design import Experiment
from support.sweep.scale import Scaled


@dataclass(frozen=True)
class Pace:
    """A piece of work done in two ways, a fast and a plain one.

    Attributes:
        what: the work.
        unit: the unit in which it is counted.
        fast, plain: units a second.
        same: whether both gave the same results.
        how: how the results were compared.
    """

    what: str
    unit: str
    fast: float
    plain: float
    same: bool
    how: str

    @property
    def ratio(self) -> float:
        """How many times faster the fast way is."""
        return self.fast / self.plain

    def __str__(self) -> str:
        verdict = "agree" if self.same else "DISAGREE"
        return (
            f"{self.fast:>14,.1f} against {self.plain:>10,.1f} {self.unit} a second: {self.ratio:>8,.1f} times; "
            f"{verdict} ({self.how})"
        )


def timed(work: Callable[[], Any], clock: Callable[[], float] = time.perf_counter) -> tuple[float, Any]:
    """How long some work takes, in seconds by a clock, and its result.

    Args:
        work: a function that does the work.
        clock: the clock; ``time.process_time`` ignores other work of the machine.
    """
    began = clock()
    result = work()
    return clock() - began, result


def rate(
    work: Callable[[], Any],
    units: int,
    goes: int = 3,
    least: float = 1.0,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[float, Any]:
    """Units a second in the fastest go, and the result of the last.

    Args:
        work: a function that does the same work each time.
        units: the number of units that it does.
        goes: the least number of repetitions.
        least: the least total time, in seconds.
        clock: as for :func:`timed`.
    """
    done, spent, best = 0, 0.0, float("inf")
    result = None
    while done < goes or spent < least:
        seconds, result = timed(work, clock)
        done, spent, best = done + 1, spent + seconds, min(best, seconds)
    return units / best, result


@dataclass(frozen=True)
class Speed(Scaled):
    """How much is played to compare compiled code with the plain code, and with other people's programs.

    Attributes:
        root: the seed of all games.
        goes: how often each piece of work is timed; the fastest time counts.
        fast: games of the compiled code in each go, if a game takes it a microsecond or less.
        plain: games of the plain code in each go, in which the results are compared too.
        faces: faces of the dice of Liar's Dice on which other people's programs are compared with ours.
        seconds: time that each of these programs gets for a row.
    """

    root: int = 20261122
    goes: int = 3
    fast: int = 1_000_000
    plain: int = 300
    faces: int = 4
    seconds: float = 0.1

    @classmethod
    def small(cls) -> "Speed":
        """Sizes just large enough to see that it works."""
        return cls(goes=1, fast=10_000, plain=20, faces=3, seconds=0.02)

    def pace(self, what: str, same: bool, fast: Callable[[], Any], plain: Callable[[], Any], games: int = 0) -> Pace:
        """How fast both ways play, on one core; compiling is not counted.

        Args:
            what: the work.
            same: whether both gave the same results, game by game and value by value.
            fast: plays ``games`` games.
            plain: plays ``self.plain`` games.
            games: the number of games of the compiled code; ``self.fast`` by default.
        """
        games = games or self.fast
        quick, _ = rate(fast, games, self.goes, least=0)
        slow, _ = rate(plain, self.plain, self.goes, least=0)
        return Pace(what, "games", quick, slow, same, "game by game and value by value")


@settings
class Work:
    """A stand-in for a task.

    Attributes:
        seconds: how long it takes, less than a day.
        kind: any text, to make sweeps of equal tasks different.

    Raises:
        ValueError: the time is out of range.
    """

    seconds: Annotated[float, Field(ge=0, lt=86400)] = 0.0
    kind: str = ""


def nothing(config: Work, seed: int) -> Mapping[str, float]:
    """Return four numbers at once, so that all the time is the sweep's own cost."""
    return _record(seed)


def nap(config: Work, seed: int) -> Mapping[str, float]:
    """Wait: many such tasks fit on one core, as if it were many machines."""
    time.sleep(config.seconds)
    return _record(seed)


def spin(config: Work, seed: int) -> Mapping[str, float]:
    """Keep the core busy."""
    end = time.perf_counter() + config.seconds
    while time.perf_counter() < end:
        pass
    return _record(seed)


def _record(seed: int) -> Mapping[str, float]:
    """What an experiment might return: a number of games, a rate, and the ends of its interval."""
    low, rate, high = np.sort(np.random.default_rng(seed).random(3)).tolist()
    return {"games": 1000, "rate": rate, "low": low, "high": high}


@contextmanager
def loopback(workers: int = 2, threads: int = 1) -> Iterator[str]:
    """Start a Dask cluster of separate processes on this machine; yields the address of its scheduler.

    Args:
        workers: the number of worker processes.
        threads: the number of tasks that each runs at a time.
    """
    from distributed.deploy.subprocess import SubprocessCluster

    options: Any = {"dashboard_address": None, "worker_kwargs": {"memory_limit": 0}}
    with SubprocessCluster(n_workers=workers, threads_per_worker=threads, **options) as cluster:
        cluster.wait_for_workers(workers, timeout=60)
        yield cluster.scheduler_address


@dataclass(frozen=True)
class CostSizes(Scaled):
    """Sizes of the measurements.

    Attributes:
        short: tasks that do nothing.
        long, seconds: tasks that keep a core busy, and for how long.
        crowd: tasks that wait at the same time, as if on as many machines.
        root: the seed from which all others are spawned.
    """

    short: int = 5_000
    long: int = 40
    seconds: float = 0.1
    crowd: int = 200
    root: int = 20261121

    @classmethod
    def small(cls) -> "CostSizes":
        """Sizes that take seconds."""
        return cls(short=500, long=20, crowd=20)


@dataclass(frozen=True)
class Costs:
    """The measured costs of a sweep.

    Attributes:
        where: the workers, in words.
        rate: empty tasks a second.
        efficiency: the share of the workers' time spent in tasks of ``CostSizes.seconds``, between 0 and 1.
    """

    where: str
    rate: float
    efficiency: float

    @property
    def overhead(self) -> float:
        """Seconds that the sweep adds to an empty task."""
        return 1 / self.rate


def measured(config: CostSizes) -> tuple[list[Costs], float, float]:
    """Measure what a sweep costs with one and two processes, and on a cluster of two workers, on this machine.

    Returns:
        The costs of each; portions a second that driver and scheduler manage, each a waiting task; bytes on the disk
        for a record.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for place, workers in enumerate((1, 2)):
            where = f"{workers} process{'es' if workers > 1 else ''} of this machine"
            found.append(_costs(config, where, workers, Path(folder) / str(place), workers=workers))
        with loopback(2) as scheduler:
            found.append(_costs(config, "a cluster of 2 workers", 2, Path(folder) / "cluster", scheduler=scheduler))
        size = (Path(folder) / "cluster-short" / "records.parquet").stat().st_size / config.short
        with loopback(2, config.crowd // 2) as scheduler:
            naps = 5 * config.crowd
            took = _swept(nap, Work(config.seconds), naps, config.root, None, scheduler=scheduler)
    return found, naps / took, size


def _costs(config: CostSizes, where: str, cores: int, folder: Path, **how: object) -> Costs:
    _swept(nothing, Work(kind="warm"), 50, config.root, None, **how)
    short = _swept(nothing, Work(), config.short, config.root, folder.with_name(f"{folder.name}-short"), **how)
    long = _swept(spin, Work(config.seconds), config.long, config.root, folder.with_name(f"{folder.name}-long"), **how)
    return Costs(where, config.short / short, config.long * config.seconds / cores / long)


def _swept(experiment: Experiment, work: Work, count: int, root: int, folder: Path | None, **how: Any) -> float:
    took, records = timed(lambda: sweep(experiment, work, count, root=root, folder=folder, **how))
    if len(records) != count:
        raise AssertionError(f"{len(records)} records of {count} tasks")
    return took


@dataclass(frozen=True)
class Plan:
    """The estimated costs of a larger sweep.

    Attributes:
        tasks, workers: their numbers.
        hours: how long it takes.
        limit: what takes most time: ``tasks``, computing them, or ``driver``, handing them out.
        bytes: its size on the disk.
    """

    tasks: int
    workers: int
    hours: float
    limit: str
    bytes: float


def plans(seconds: float, portions: float, size: float) -> list[Plan]:
    """Sweeps of 10^3 to 10^7 tasks on 2 to 10,000 workers.

    Args:
        seconds: the time of a task on one core.
        portions: the number of portions that driver and scheduler hand out in a second.
        size: the bytes of a record.
    """
    out = []
    for tasks in (10**3, 10**4, 10**5, 10**6, 10**7):
        for workers in (2, 10, 100, 1000, 10_000):
            busy = -(-tasks // workers) * seconds
            handing = tasks / portions
            limit = "tasks" if busy >= handing else "driver"
            out.append(Plan(tasks, workers, max(busy, handing) / 3600, limit, tasks * size))
    return out
