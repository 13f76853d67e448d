"""The progress of a build: the time that its cells have taken, compared with the last build that was measured."""

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil  # type: ignore[import-untyped]

PRIOR = 0.005
"""The weight of the expected seconds before any cell has ended, as a share of all of them."""
LIVE, LOG = 1.0, 30.0  # seconds between two lines, in a terminal and in a log
SETTLED = 10.0
"""Seconds after which the number of busy cores can be estimated."""

Cells = list[list[float]]
"""For each cell, the seconds of its own process, of the workers in its sweeps, and of the wall clock."""


def seconds_left(
    expected: Mapping[str, Sequence[float]], done: Mapping[str, Sequence[float]], used: float, busy: float
) -> float:
    """The seconds until some chapters have ended.

    The finished cells show how much slower or faster this machine is than the one on which the expected seconds were
    measured.

    Args:
        expected: by chapter, the seconds of work that each cell is expected to take.
        done: by chapter, the seconds that the finished cells took.
        used: the seconds of work of the build so far, including those of unfinished cells.
        busy: the number of cores that do the work.
    """
    total = sum(map(sum, expected.values()))
    if not total:
        return 0.0
    ended = [pair for name in expected for pair in zip(expected[name], done.get(name, ()), strict=False)]
    prior, took = PRIOR * total, sum(seconds for _, seconds in ended)
    slower = (prior + took) / (prior + sum(seconds for seconds, _ in ended))
    ahead = total - sum(seconds for seconds, _ in ended)
    return max(slower * ahead - max(used - took, 0.0), 0.0) / busy


@dataclass(frozen=True)
class Expected:
    """The times of the parts of a build that was measured, from its report.

    Attributes:
        chapters: by name, the times of their cells.
        parts: seconds of the other parts.
    """

    chapters: Mapping[str, Cells] = field(default_factory=dict)
    parts: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> "Expected":
        """Load the report of a build; without one, nothing is expected."""
        if not path.exists():
            return cls()
        body = json.loads(path.read_text(encoding="utf-8"))
        return cls(body["chapters"], body["parts"])

    def work(self, name: str) -> float:
        """Seconds of work in a chapter; infinite if they are not known, so the chapter comes first."""
        return sum(map(work, self.chapters[name])) if name in self.chapters else float("inf")


def work(cell: Sequence[float]) -> float:
    """Seconds of work in a cell, its own and those of its workers."""
    return cell[0] + cell[1]


@dataclass
class Report:
    """The times of a build.

    Attributes:
        path: where the report is written.
        chapters: by name, the times of the cells of the chapters that were executed.
        parts: wall-clock seconds of the parts of the build, one after the other.
    """

    path: Path
    chapters: Mapping[str, Cells] = field(default_factory=dict)
    parts: dict[str, float] = field(default_factory=dict)
    _began: float = field(default_factory=time.monotonic)

    def part(self, name: str) -> None:
        """Record that the part with this name ends now."""
        self.parts[name] = round(time.monotonic() - self._began - sum(self.parts.values()), 1)

    def write(self) -> None:
        """Write the file, with one line per chapter."""
        chapters = ",\n".join(f"{json.dumps(name)}: {json.dumps(cells)}" for name, cells in self.chapters.items())
        head = f'{{"cores": {os.cpu_count()}, "parts": {json.dumps(self.parts)}, "chapters": {{'
        self.path.write_text(f"{head}\n{chapters}\n}}}}\n", encoding="utf-8")


@dataclass
class Progress:
    """The line that shows the progress of a build.

    Attributes:
        folder: where the kernels write the time of each cell, in one file per chapter.
        expected: the times of a build that was measured.
        beside: the names of the chapters that share the cores.
        alone: the names of the chapters that come after them, one at a time.
        cores: the number of cores of this machine.
    """

    folder: Path
    expected: Expected
    beside: Sequence[str]
    alone: Sequence[str]
    cores: int

    def __post_init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._began = self._said = time.monotonic()
        self._before = used_seconds()

    def file(self, name: str) -> Path:
        """The file to which the kernel of a chapter writes the time of each cell."""
        return self.folder / name

    def cells(self) -> dict[str, Cells]:
        """The times of the finished cells, by chapter."""
        files = {name: self.file(name) for name in (*self.beside, *self.alone)}
        return {name: _cells(file) for name, file in files.items() if file.exists()}

    def left(self) -> float | None:
        """Seconds until the end of the build; None if a chapter has never been measured."""
        if any(name not in self.expected.chapters for name in (*self.beside, *self.alone)):
            return None
        cells, elapsed = self.cells(), time.monotonic() - self._began
        used = used_seconds() - self._before
        beside = {name: [work(cell) for cell in self.expected.chapters[name]] for name in self.beside}
        alone = {name: [cell[2] for cell in self.expected.chapters[name]] for name in self.alone}
        done = {name: [work(cell) for cell in cells.get(name, ())] for name in self.beside}
        measured = {name: [cell[2] for cell in cells.get(name, ())] for name in self.alone}
        busy = min(max(used / elapsed, 1.0), self.cores) if elapsed > SETTLED else float(self.cores)
        left = seconds_left(beside, done, used, busy) + seconds_left(alone, measured, 0.0, 1.0)
        return left + self.expected.parts.get("site", 0.0)

    def say(self, line: str) -> None:
        """Print a separate line."""
        if self._live:
            print(end="\r\x1b[K", file=sys.stderr, flush=True)
        print(line, flush=True)

    def show(self) -> None:
        """Write the line, if it is time."""
        now = time.monotonic()
        if now - self._said < (LIVE if self._live else LOG):
            return
        self._said = now
        left, elapsed = self.left(), now - self._began
        if left is None:
            line = f"{sum(map(len, self.cells().values()))} cells executed in {_minutes(elapsed)}"
        else:
            line = f"{elapsed / (elapsed + left):.0%} done, {_minutes(left)} left"
        print(f"\r\x1b[K{line}" if self._live else line, end="" if self._live else "\n", file=sys.stderr, flush=True)


def used_seconds() -> float:
    """CPU seconds that this process and all its descendants have used."""
    total = 0.0
    for process in (me := psutil.Process(), *me.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.Error:  # it has just ended
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total


def _cells(file: Path) -> Cells:
    lines = file.read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines[:-1]]  # the last one may still be written


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
