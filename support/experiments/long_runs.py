"""Long runs of the result table: several at a time, seen at marks on the way, kept on disk, and taken up again.

A run that is cut off, be it by ``kill -9``, goes on from its last checkpoint to the very same digits. A checkpoint
holds all that the next game depends on, so a run that has ended is a checkpoint too and is not played again. The name
of a checkpoint's file is a hash of everything that the result depends on: the game, the settings, the seed, the marks
and the compiled code. Whatever changes, old and new records cannot mix.
"""

import hashlib
import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from support.agents.result_table import Settings, gaps
from support.games.flat import FlatGame
from support.kernels import sources
from support.kernels.result_table import Layout, Table, advance, lay_out, new_table

__all__ = ["CheckpointError", "History", "Progress", "Task", "run", "run_all"]

PIECE = 5_000_000
"""Games between two looks at the clock."""
EVERY = 20.0
"""Seconds between two checkpoints of a run."""
KERNELS = sources("result_table", "splitmix")
NUMBERS = ("games", "nodes", "chance", "stream", "gap")


class CheckpointError(ValueError):
    """A checkpoint that cannot be read; the message says which file to delete."""


@dataclass(frozen=True)
class Task:
    """One run: a setting, a 64-bit seed, and the rising numbers of games, from 1, at which the table is kept."""

    settings: Settings
    seed: int
    marks: tuple[int, ...]

    def __post_init__(self) -> None:
        rising = all(a < b for a, b in zip((0, *self.marks), self.marks, strict=False))
        if not self.marks or not rising:
            raise ValueError(f"marks must rise from at least 1, not {self.marks}")


@dataclass(frozen=True, eq=False)
class History:
    """The table of a run at its marks.

    Attributes:
        marks: int64[k], games played.
        nodes: int64[k], states visited up to there, ends of games included.
        counts: int64[k, slots], how often each choice had been made.
        won: int64[k, slots], what had been gained from it on, in all.
    """

    marks: np.ndarray
    nodes: np.ndarray
    counts: np.ndarray
    won: np.ndarray

    def values(self) -> np.ndarray:
        """float64[k, slots], what each choice has gained on average; nan where it was never made."""
        return np.where(self.counts > 0, self.won / np.maximum(self.counts, 1), np.nan)


@dataclass
class Progress:
    """Says now and then how far several runs are, in one line: each second in a terminal, each minute in a log.

    Attributes:
        name: what is running.
        total: games in all.
        done: games behind us, those of earlier checkpoints included.
    """

    name: str
    total: int
    done: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._began = self._said = time.monotonic()
        self._fresh = 0

    def found(self, games: int) -> None:
        """Games that a checkpoint held."""
        with self._lock:
            self.done += games

    def add(self, games: int) -> None:
        """Games just played."""
        with self._lock:
            self.done += games
            self._fresh += games
            now = time.monotonic()
            if now - self._said >= (1 if self._live else 60):
                self._said = now
                self._say(self._fresh / (now - self._began))

    def _say(self, rate: float) -> None:
        left = (self.total - self.done) / rate / 60
        line = (
            f"{self.name}: {self.done / 1e9:.2f} of {self.total / 1e9:.2f} billion games, "
            f"{rate / 1e6:.0f} million a second, {left:.0f} min left"
        )
        print(line.ljust(100), end="\r" if self._live else "\n", file=sys.stderr, flush=True)


def run_all(
    flat: FlatGame, tasks: Sequence[Task], folder: Path | None = None, workers: int = 2, name: str = ""
) -> list[History]:
    """Several runs on one game, in the order of the tasks; longest first, as many at a time as there are workers.

    Kernels let go of the interpreter's lock, so threads are enough. An interruption stops all of them at the next look
    at the clock, with a checkpoint each.

    Args:
        flat: the unfolded game.
        tasks: the runs.
        folder: where checkpoints are kept; None to keep none.
        workers: threads. The digits do not depend on it.
        name: what the line of progress is about.

    Raises:
        CheckpointError: a file that cannot be read.
        ValueError, TooLongError: as the kernel's.
    """
    layout = lay_out(flat)
    progress = Progress(name or flat.game.name, sum(task.marks[-1] for task in tasks))
    stop = threading.Event()
    order = sorted(range(len(tasks)), key=lambda place: -tasks[place].marks[-1])
    with ThreadPoolExecutor(workers) as pool:
        running = {
            place: pool.submit(run, flat, tasks[place], folder, layout=layout, progress=progress, stop=stop)
            for place in order
        }
        try:
            return [running[place].result() for place in range(len(tasks))]
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)  # those that have not begun
            raise


def run(
    flat: FlatGame,
    task: Task,
    folder: Path | None = None,
    layout: Layout | None = None,
    progress: Progress | None = None,
    stop: threading.Event | None = None,
    piece: int = PIECE,
    every: float = EVERY,
) -> History:
    """One run, taken up from its checkpoint if there is one.

    Args:
        flat: the unfolded game.
        task: setting, seed and marks.
        folder: where its checkpoint is kept; None to keep none.
        layout: the prepared game, if it is at hand.
        progress: told about every piece.
        stop: set from outside to end early, with a checkpoint and a KeyboardInterrupt.
        piece: games between two looks at the clock.
        every: seconds between two checkpoints.

    Raises:
        CheckpointError: a file that cannot be read.
    """
    layout = lay_out(flat) if layout is None else layout
    path = folder / f"{_key(flat, layout, task)}.npz" if folder else None
    table, kept = _load(path, task) if path and path.exists() else (new_table(layout, task.settings, task.seed), [])
    if progress:
        progress.found(table.games)
    saved = time.monotonic()
    while len(kept) < len(task.marks):
        games = min(task.marks[len(kept)] - table.games, piece)
        advance(layout, task.settings, table, games)
        if table.games == task.marks[len(kept)]:
            kept.append((table.nodes, table.counts.copy(), table.won.copy()))
        if progress:
            progress.add(games)
        over, stopped = len(kept) == len(task.marks), stop is not None and stop.is_set()
        if path and (over or stopped or time.monotonic() - saved >= every):
            _save(path, task, table, kept)
            saved = time.monotonic()
        if stopped and not over:
            raise KeyboardInterrupt(f"stopped after {table.games:,} games")
    nodes, counts, won = zip(*kept, strict=True)
    return History(np.array(task.marks), np.array(nodes), np.array(counts), np.array(won))


def _description(task: Task) -> dict[str, object]:
    settings = {name: str(value) for name, value in vars(task.settings).items()}
    return {"settings": settings, "seed": int(task.seed), "marks": [int(mark) for mark in task.marks]}


def _key(flat: FlatGame, layout: Layout, task: Task) -> str:
    start = new_table(layout, task.settings, task.seed)
    numbers = [getattr(start, name) for name in NUMBERS]
    digest = hashlib.sha256(json.dumps([KERNELS, str(flat.game), _description(task), numbers]).encode())
    for array in (*layout, np.array(gaps(task.settings.exploration), np.uint64)):
        digest.update(np.ascontiguousarray(array).tobytes())
    return f"{flat.game.name}-{digest.hexdigest()[:20]}"


def _save(path: Path, task: Task, table: Table, kept: Sequence[tuple[int, np.ndarray, np.ndarray]]) -> None:
    """Write a checkpoint in one step: whoever looks finds the old one or the new one, whole."""
    nodes, counts, won = zip(*kept, strict=True) if kept else ((), (), ())
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
    with scratch.open("wb") as file:
        np.savez(
            file,
            description=json.dumps(_description(task)),
            numbers=json.dumps({name: getattr(table, name) for name in NUMBERS}),
            counts=table.counts,
            won=table.won,
            kept_nodes=np.array(nodes, np.int64),
            kept_counts=np.array(counts, np.int64).reshape(-1, table.counts.size),
            kept_won=np.array(won, np.int64).reshape(-1, table.counts.size),
        )
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)


def _load(path: Path, task: Task) -> tuple[Table, list[tuple[int, np.ndarray, np.ndarray]]]:
    try:
        with np.load(path) as file:
            if json.loads(str(file["description"])) != _description(task):
                raise ValueError("it belongs to another run")
            table = Table(counts=file["counts"], won=file["won"], **json.loads(str(file["numbers"])))
            kept = zip(file["kept_nodes"].tolist(), file["kept_counts"], file["kept_won"], strict=True)
            return table, [(nodes, counts.copy(), won.copy()) for nodes, counts, won in kept]
    except (OSError, ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise CheckpointError(
            f"cannot read the checkpoint {path} ({error}); delete it to start this run anew"
        ) from None
