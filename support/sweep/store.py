"""Where the records of a sweep are kept: Parquet files, complete or absent, in one folder for each sweep.

While a sweep is running its records are in ``unfinished/``; when all are there they become ``records.parquet``, in the
order of the tasks, whatever the order in which these ended. Each file is written under another name, flushed to the
disk, and renamed, so a reader never finds half a file, even after a power cut.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from support.sweep.columns import PLACE, Row, configuration_columns, kind_of, misfit, type_of
from support.sweep.design import Design, Task

SWEEP, RECORDS, UNFINISHED, LOCK = "sweep.json", "records.parquet", "unfinished", "lock"
PART = re.compile(r"part-(\d{6,})\.parquet")
ORDER = [("setting", "ascending"), ("replicate", "ascending")]
OURS = {"experiment", "root", "settings", "seeds"}  # in the description of any sweep
SHOWN = 5  # differences that an error message lists


class StoreError(RuntimeError):
    """A folder cannot be used for this sweep; the message says why, and what to do."""


class Memory:
    """The records of one sweep, in the memory of this process.

    Args:
        design: the sweep.

    Attributes:
        design: the sweep.
        done: the numbers of the configuration and of the seed of each record that was there at the beginning.
        folder: where records are kept; None if nowhere.
    """

    def __init__(self, design: Design, folder: Path | None = None):
        self.design, self.folder = design, folder
        self.done: set[tuple[int, int]] = set()
        self._columns = configuration_columns(design)
        self._schema: pa.Schema | None = None  # of the records, without places and configurations
        self._misfits: dict[Any, str | None] = {}  # by names and kinds of the values of a record
        self._tables: list[pa.Table] = []

    def close(self) -> None:
        """Release the folder, if there is one, for other processes."""

    def fit(self, record: Row) -> str | None:
        """Why a record does not fit, in words; the first record of a sweep fixes the columns."""
        kinds = tuple((name, kind_of(value)) for name, value in record.items())
        if kinds not in self._misfits:
            schema = pa.schema({name: type_of(value) for name, value in record.items()})
            if self._schema is None:
                self._schema = schema
            self._misfits[kinds] = misfit(schema, self._schema)
        return self._misfits[kinds]

    def table_of(self, rows: Sequence[tuple[Task, Row]]) -> pa.Table:
        """Fitting records as a table with their places, seeds and configurations."""
        tasks = [task for task, _ in rows]
        columns = {name: pa.array([getattr(task, name) for task in tasks], kind) for name, kind in PLACE.items()}
        for name, (kind, values) in self._columns.items():
            columns[name] = pa.array([values[task.setting] for task in tasks], kind)
        for field in self._schema or ():
            columns[field.name] = pa.array([record[field.name] for _, record in rows], field.type)
        return pa.table(columns)

    def add(self, rows: Sequence[tuple[Task, Row]]) -> None:
        """Keep some fitting records."""
        if rows:
            self._tables.append(self.table_of(rows))

    def finish(self) -> None:
        """Finish the sweep, once all records are there."""

    def table(self) -> pa.Table:
        """What is kept so far, in the order of the tasks."""
        if not self._tables:
            return pa.table({name: pa.array([], kind) for name, kind in PLACE.items()})
        return _in_order(self._tables)


def _in_order(tables: Iterable[pa.Table]) -> pa.Table:
    """The records of some tables in the order of the tasks, each once."""
    table = pa.concat_tables(tables).sort_by(ORDER).combine_chunks()
    setting, replicate = (table[name].to_numpy() for name, _ in ORDER)
    again = (setting[1:] == setting[:-1]) & (replicate[1:] == replicate[:-1])
    # A record can be there twice if a write was interrupted after its end and repeated.
    return table.filter(np.r_[True, ~again]) if again.any() else table


class Store(Memory):
    """The folder of one sweep, which only one process at a time has open.

    Args:
        folder: the folder, which is made if it does not exist.
        design: the sweep.

    Raises:
        StoreError: the folder holds another sweep's records, another process uses it, or a file cannot be read.
    """

    folder: Path

    def __init__(self, folder: Path, design: Design):
        super().__init__(design, folder)
        self._lock = FileLock(folder / LOCK)
        try:
            (folder / UNFINISHED).mkdir(parents=True, exist_ok=True)
            self._lock.acquire(timeout=0)
        except Timeout:
            raise StoreError(f"another process is running the sweep in {folder}; wait for it or end it") from None
        except OSError as error:
            raise StoreError(f"cannot keep records in {folder}: {error}") from None
        try:
            self._open()
        except OSError as error:
            self.close()
            raise StoreError(f"cannot keep records in {folder}: {error}") from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the folder for other processes."""
        self._lock.release()

    @property
    def records(self) -> Path:
        """The file of the finished sweep."""
        return self.folder / RECORDS

    def _open(self) -> None:
        asked, path = self.design.described(), self.folder / SWEEP
        begun = self.records.exists() or any(self._parts())  # without records, any sweep may begin
        if begun and path.exists():
            try:
                found = json.loads(path.read_text(encoding="utf-8"))
                differences = _differences(found, asked)
            except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
                raise StoreError(f"cannot read {path} ({error}); {self._way_out()}") from None
            if differences:
                more = f" (and {len(differences) - SHOWN} more)" if len(differences) > SHOWN else ""
                raise StoreError(
                    f"{self.folder} holds records of another sweep: {'; '.join(differences[:SHOWN])}{more}; "
                    + self._way_out()
                )
        elif path.exists() and not _described(path):
            raise StoreError(f"{path} is not the description of a sweep; choose another folder, or rename that file")
        elif begun:
            raise StoreError(f"{self.folder} holds records without a {SWEEP} that says of what; {self._way_out()}")
        with _written(path) as file:
            file.write(json.dumps(asked, indent=1).encode())
        for scratch in (self.folder / f".{RECORDS}.tmp", *(self.folder / UNFINISHED).glob(".part-*.tmp")):
            scratch.unlink(missing_ok=True)
        self.done = self._kept()
        if self.records.exists():
            for part in self._parts():  # left over if the process ended just after the last rename
                part.unlink()
        numbers = (PART.fullmatch(part.name) for part in self._parts())
        self._next = 1 + max((int(number[1]) for number in numbers if number), default=0)
        if self.records.exists() and len(self.done) < self.design.size:  # more seeds are asked for
            _rename(self.records, self._part())

    def _way_out(self) -> str:
        return f"choose another folder, or delete this one (rm -r {self.folder})"

    def _parts(self) -> list[Path]:
        return sorted(part for part in (self.folder / UNFINISHED).iterdir() if PART.fullmatch(part.name))

    def _part(self) -> Path:
        path = self.folder / UNFINISHED / f"part-{self._next:06d}.parquet"
        self._next += 1
        return path

    def _kept(self) -> set[tuple[int, int]]:
        """The setting and replicate of each record that is kept; notes the fields of the records on the way."""
        keys: set[tuple[int, int]] = set()
        names = [*PLACE][:2]
        for path in [self.records] if self.records.exists() else self._parts():
            table = self._read(path, names)
            keys.update(zip(*(table[name].to_pylist() for name in names), strict=True))
            fields = [field for field in pq.read_schema(path) if field.name not in {*PLACE, *self._columns}]
            self._schema = self._schema or pa.schema(fields)
        return keys

    def _read(self, path: Path, columns: list[str] | None = None) -> pa.Table:
        try:
            missing = {*PLACE, *self._columns} - {*pq.read_schema(path).names}
            if missing:
                raise ValueError(f"it is without {', '.join(sorted(missing))}")
            return pq.read_table(path, columns=columns, partitioning=None, page_checksum_verification=True)
        except (OSError, ValueError, pa.ArrowException) as error:
            raise StoreError(f"cannot read {path} ({error}); delete it, and its tasks will be run again") from None

    def add(self, rows: Sequence[tuple[Task, Row]]) -> None:
        """Keep some fitting records; when this returns, all are on the disk."""
        if rows:
            self._write_table(self._part(), self.table_of(rows))

    def finish(self) -> None:
        """Write all parts as one file, in the order of the tasks."""
        parts = self._parts()
        if parts:
            self._write_table(self.records, self._whole(parts))
            for part in parts:
                part.unlink()

    def table(self) -> pa.Table:
        """What is kept so far, in the order of the tasks."""
        paths = [self.records] if self.records.exists() else self._parts()
        return self._whole(paths) if paths else super().table()

    def _whole(self, paths: Iterable[Path]) -> pa.Table:
        return _in_order(self._read(path) for path in paths)

    def _write_table(self, path: Path, table: pa.Table) -> None:
        described = (self.folder / SWEEP).read_bytes()
        with _written(path) as file:
            pq.write_table(table.replace_schema_metadata({b"sweep": described}), file, write_page_checksum=True)


def _described(path: Path) -> bool:
    """Whether a description without records may be overwritten: it is empty, or describes some sweep."""
    try:
        text = path.read_bytes()
        found = json.loads(text) if text else dict.fromkeys(OURS)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and found.keys() >= OURS


def _differences(found: Any, asked: Mapping[str, Any]) -> list[str]:
    """The differences between two descriptions, in words; more seeds than before are none."""
    if not isinstance(found, dict):
        return ["its description is not one"]
    out = []
    for name, now in asked.items():
        before = found.get(name)
        if name == "settings" and isinstance(before, list) and len(before) == len(now):
            for number, (old, new) in enumerate(zip(before, now, strict=True)):
                out += [
                    f"{k} of configuration {number} was {old.get(k)} and is {new[k]}"
                    for k in new
                    if json.dumps(old.get(k)) != json.dumps(new[k])
                ]
        elif name == "settings":
            out.append(f"it has {len(before or ())} configurations, not {len(now)}")
        elif name in ("code", "versions") and isinstance(before, dict):
            changed = [key for key in sorted({*before, *now}) if before.get(key) != now.get(key)]
            what = "the code of {} has changed" if name == "code" else "the version of {} has changed"
            out += [what.format(key) for key in changed]
        elif name == "seeds":
            if not isinstance(before, list) or len(before) != len(now):
                continue  # reported above
            out += [
                f"configuration {number} has {old} seeds, more than {new}"
                for number, (old, new) in enumerate(zip(before, now, strict=True))
                if old > new
            ]
        elif before != now:
            out.append("requirements.lock has changed" if name == "lock" else f"{name} was {before} and is {now}")
    return out


@contextmanager
def _written(path: Path) -> Iterator[BinaryIO]:
    """A file under another name, which is flushed to the disk and renamed once it is complete.

    Raises:
        StoreError: it cannot be written, for example because the disk is full.
    """
    scratch = path.with_name(f".{path.name}.tmp")
    try:
        with scratch.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _rename(scratch, path)
    except OSError as error:
        raise StoreError(f"cannot write {path} ({error}); what was kept before is whole") from None


def _rename(source: Path, target: Path) -> None:
    """Rename a file within its folder, and flush that to the disk."""
    source.replace(target)
    if os.name == "posix":  # elsewhere a folder cannot be opened
        handle = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
