"""A sweep's progress: a live line in a terminal or a notebook, a line now and then in a log."""

import os
import shutil
import sys
import threading
import time
from dataclasses import dataclass, field

from support.core.screen import printable

TOPIC = "sweep-progress"
SILENT = "SUPPORT_SILENT"
"""The environment variable that silences progress, because a build of the book shows its own."""
LIVE, NOTEBOOK, LOG = 1.0, 5.0, 60.0  # seconds between two lines
WIDTH = 100  # characters of a line in a notebook
_last = threading.local()  # when this thread of a worker sent its last message, and of which task


def report(done: float) -> None:
    """Report, from within a long experiment, how much of its task is done, between 0 and 1.

    Call it as often as you like: at most one message a second leaves the worker. Outside a worker nothing happens.
    """
    if "distributed" not in sys.modules:
        return
    from distributed import get_worker

    try:
        worker = get_worker()
        key = str(worker.get_current_task())
    except (ValueError, AttributeError, KeyError):  # not within a worker's task
        return
    now = time.monotonic()
    if getattr(_last, "key", None) != key or now - _last.time >= 1:
        _last.key, _last.time = key, now
        worker.log_event(TOPIC, {"key": key, "done": min(max(float(done), 0.0), 1.0)})


def _in_notebook() -> bool:
    """Whether this is a notebook with a reader; in automatic runs ``CI`` is set."""
    return "ipykernel" in sys.modules and "CI" not in os.environ


@dataclass
class Progress:
    """The line of a sweep's progress.

    Attributes:
        name: the name of the sweep.
        total: the number of all tasks.
        done: the number of tasks whose records are kept, those of earlier runs included.
    """

    name: str
    total: int
    done: int = 0
    _partly: dict[str, float] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._tty = sys.stderr.isatty()
        self._every = LIVE if self._tty else NOTEBOOK if _in_notebook() else LOG
        self._began = self._said = time.monotonic()
        self._start = self.done
        self._open = False

    def part(self, key: str, done: float) -> None:
        """Note how much of a running task is done; 0 once it has ended, because then it counts as a whole."""
        self._partly.pop(key, None)  # not del: a message from a worker may come at the same time
        if done:
            self._partly[key] = done

    def show(self, failed: int = 0) -> None:
        """Write the line, if it is time."""
        now = time.monotonic()
        if now - self._said < self._every or SILENT in os.environ:
            return
        self._said = now
        fresh = self.done - self._start + sum(self._partly.copy().values())
        line = f"{self.name}: {self.done:,} of {self.total:,} tasks"
        if failed:
            line += f", {failed:,} failed"
        if fresh > 0:
            rate = fresh / (now - self._began)
            left = (self.total - self._start - fresh) / rate
            line += f", {_rate(rate)}, {_time(left)} left"
        live = self._every < LOG
        width = shutil.get_terminal_size().columns - 1 if self._tty else WIDTH  # a line that wraps cannot be rewritten
        print(line.ljust(width)[:width] if live else line, end="\r" if live else "\n", file=sys.stderr, flush=True)
        self._open = live

    def say(self, line: str) -> None:
        """Write a separate line, below a live one; nothing if progress is silenced."""
        if SILENT in os.environ:
            return
        self.close()
        print(printable(line), file=sys.stderr, flush=True)

    def close(self) -> None:
        """End a live line."""
        if self._open:
            print(file=sys.stderr, flush=True)
        self._open = False


def _rate(tasks: float) -> str:
    """Tasks a second, or a minute, or an hour."""
    for seconds, unit in ((1, "second"), (60, "minute")):
        if tasks * seconds >= 1:
            return f"{tasks * seconds:,.1f} a {unit}"
    return f"{tasks * 3600:,.1f} an hour"


def _time(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
