"""Long runs of the result table: recorded at marks along the way, saved to disk, and resumed after an interruption.

A run that is interrupted, even by ``kill -9``, continues from its last checkpoint and ends with exactly the same
numbers. A checkpoint holds everything that the next game depends on, so a finished run is a checkpoint too and is not
played again. The name of a checkpoint's file is a hash of everything that the result depends on: the game, the
settings, the seed, the marks and the compiled code. So whatever changes, old and new records cannot mix.
"""

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated
from zipfile import BadZipFile

import numpy as np
from pydantic import Field

from support.core.checks import settings
from support.core.compiled import code_hash
from support.core.flat import FlatGame, unfolded
from support.core.interface import Game
from support.core.sources import loaded
from support.learners import result_table_fast
from support.learners.marks import as_marks
from support.learners.result_table import ResultTableSettings, gaps
from support.learners.result_table_fast import Table, advance, new_table
from support.learners.result_table_layout import Layout, lay_out
from support.sweep import Records, report

PIECE = 5_000_000
"""Games between two checks of the clock."""
LONGEST, MOST_PER_DECADE = 10**13, 100
"""At most so many games in a run, which take about ten days, and so many marks per power of ten, each with a table."""
EVERY = 20.0
"""Seconds between two checkpoints of a run."""
KERNELS = code_hash(Path(result_table_fast.__file__))
NUMBERS = ("games", "nodes", "chance", "stream", "gap")


class CheckpointError(ValueError):
    """A checkpoint that cannot be read; the message says which file to delete."""


@dataclass(frozen=True)
class Task:
    """One run: its settings, a 64-bit seed, and the rising numbers of games, from 1, at which the table is recorded."""

    settings: ResultTableSettings
    seed: int
    marks: tuple[int, ...]

    def __post_init__(self) -> None:
        as_marks(self.marks)


@dataclass(frozen=True, eq=False)
class History:
    """The table of a run at its marks.

    Attributes:
        marks: int64[k], games played.
        nodes: int64[k], states visited up to each mark, terminal states included.
        counts: int64[k, slots], how often each choice had been made.
        won: int64[k, slots], the total gained from each choice to the end of the game.
    """

    marks: np.ndarray
    nodes: np.ndarray
    counts: np.ndarray
    won: np.ndarray

    def values(self) -> np.ndarray:
        """float64[k, slots], the average gain of each choice; nan if it was never made."""
        return np.where(self.counts > 0, self.won / np.maximum(self.counts, 1), np.nan)


def run(
    flat: FlatGame,
    task: Task,
    folder: Path | None = None,
    progress: Callable[[int], None] = lambda games: None,
    piece: int = PIECE,
    every: float = EVERY,
) -> History:
    """Play one run, resuming from its checkpoint if there is one.

    Args:
        flat: the unfolded game.
        task: settings, seed and marks.
        folder: where its checkpoint is kept; None to keep none.
        progress: called with the number of games played so far, at the start and after every piece.
        piece: games between two checks of the clock.
        every: seconds between two checkpoints.

    Raises:
        CheckpointError: the file cannot be read.
    """
    layout = lay_out(flat)
    path = folder / f"{_key(flat, layout, task)}.npz" if folder else None
    table, kept = _load(path, task) if path and path.exists() else (new_table(layout, task.settings, task.seed), [])
    progress(table.games)
    saved = time.monotonic()
    while len(kept) < len(task.marks):
        games = min(task.marks[len(kept)] - table.games, piece)
        advance(layout, task.settings, table, games)
        if table.games == task.marks[len(kept)]:
            kept.append((table.nodes, table.counts.copy(), table.won.copy()))
        progress(table.games)
        if path and (len(kept) == len(task.marks) or time.monotonic() - saved >= every):
            _save(path, task, table, kept)
            saved = time.monotonic()
    nodes, counts, won = zip(*kept, strict=True)
    return History(np.array(task.marks), np.array(nodes), np.array(counts), np.array(won))


def marks_to(last: int, first: int = 1, per_decade: int = 4) -> tuple[int, ...]:
    """Whole numbers from ``first`` to ``last``, evenly spaced on a logarithmic axis, powers of ten among them."""
    decades = range(int(np.log10(first)) * per_decade, int(np.ceil(np.log10(last) * per_decade)) + 1)
    spaced = [round(10 ** (k / per_decade)) for k in decades]
    return tuple(sorted({mark for mark in spaced if first <= mark < last} | {last}))


def _rules(game: str) -> Game:
    try:
        rules = loaded(game)()
    except (ImportError, AttributeError, TypeError, ValueError):
        rules = None
    if not isinstance(rules, Game):
        raise ValueError(f"game must say where rules are, as module:Class, not {game!r}")
    return rules


@settings
class TableRun:
    """The configuration of one run of the result table in a sweep.

    Attributes:
        game: where the rules are, as ``module:Class``.
        exploration, ties, untried: as in :class:`support.learners.result_table.ResultTableSettings`.
        games: the number of games to play.
        first, per_decade: the number of games at the first mark, and the number of marks per power of ten.
        folder: where the checkpoint is kept; empty to keep none.

    Raises:
        ValueError: a value is outside its range.
    """

    game: str = "support.games.cards.ace_king_queen:AceKingQueen"
    exploration: Fraction = Fraction(1, 100)
    ties: str = "first"
    untried: Annotated[float, Field(allow_inf_nan=True)] = 0.0
    games: Annotated[int, Field(ge=1, le=LONGEST)] = 10**7
    first: Annotated[int, Field(ge=1, le=LONGEST)] = 1000
    per_decade: Annotated[int, Field(ge=1, le=MOST_PER_DECADE)] = 4
    folder: str = ""

    def __post_init__(self) -> None:
        _rules(self.game)
        self.settings()

    def settings(self) -> ResultTableSettings:
        """The learner's settings."""
        return ResultTableSettings(self.exploration, self.ties, self.untried)

    def marks(self) -> tuple[int, ...]:
        """Numbers of games at which the table is recorded, evenly spaced on a logarithmic axis, up to ``games``."""
        return marks_to(self.games, min(self.first, self.games), self.per_decade)

    def flat(self) -> FlatGame:
        """The game, unfolded."""
        return unfolded(_rules(self.game))

    def history(self, seed: int) -> History:
        """The run with a seed, resumed from its checkpoint if there is one; it reports its progress."""
        task = Task(self.settings(), seed, self.marks())
        folder = Path(self.folder) if self.folder else None
        return run(self.flat(), task, folder, lambda games: report(games / self.games))


def result_table(config: TableRun, seed: int) -> Mapping[str, np.ndarray]:
    """The result table of a game over the course of a run: counts and total gains, one mark after the other."""
    found = config.history(seed)
    return {"marks": found.marks, "nodes": found.nodes, "counts": found.counts.ravel(), "won": found.won.ravel()}


def histories(records: Records, setting: int) -> list[History]:
    """The runs of one configuration of a sweep of :func:`result_table`, one per seed."""
    names = ("marks", "nodes", "counts", "won")
    rows = zip(*(records.column(name, setting) for name in names), strict=True)
    return [
        History(marks, nodes, counts.reshape(len(marks), -1), won.reshape(len(marks), -1))
        for marks, nodes, counts, won in rows
    ]


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
    """Write a checkpoint in one step, so a reader finds either the old one or the new one, complete."""
    nodes, counts, won = zip(*kept, strict=True) if kept else ((), (), ())
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
    try:
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
    finally:
        scratch.unlink(missing_ok=True)  # as when the disk is full


def _load(path: Path, task: Task) -> tuple[Table, list[tuple[int, np.ndarray, np.ndarray]]]:
    try:
        with np.load(path) as file:
            if json.loads(str(file["description"])) != _description(task):
                raise ValueError("it belongs to another run")
            table = Table(counts=file["counts"], won=file["won"], **json.loads(str(file["numbers"])))
            kept = zip(file["kept_nodes"].tolist(), file["kept_counts"], file["kept_won"], strict=True)
            return table, [(nodes, counts.copy(), won.copy()) for nodes, counts, won in kept]
    except (OSError, ValueError, KeyError, TypeError, EOFError, RuntimeError, BadZipFile) as error:
        raise CheckpointError(
            f"cannot read the checkpoint {path} ({error}); delete it to start this run anew"
        ) from None
