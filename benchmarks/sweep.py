"""Sweeps: what they add to a task, and how much of two cores' time goes into tasks."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

from support.sweep import Records, sweep
from support.sweep.timing import Pace, Work, nothing, rate, spin

SHORT, LONG, SECONDS, ROOT = 5_000, 100, 0.1, 20261121


def rows() -> Iterator[Pace]:
    """Tasks that do nothing, and tasks of 100 ms, on two processes beside the same in this one."""
    with tempfile.TemporaryDirectory() as folder:
        goes = (Path(folder) / str(number) for number in range(1000))
        sweep(nothing, Work(), 10, workers=2)  # start the processes
        fast, there = rate(lambda: sweep(nothing, Work(), SHORT, root=ROOT, folder=next(goes), workers=2), SHORT)
        slow, here = rate(lambda: sweep(nothing, Work(), SHORT, root=ROOT, folder=next(goes), workers=0), SHORT)
        how = f"{1000 / fast:.2f} ms added to each; the records are equal"
        yield Pace(
            "sweep: tasks that do nothing, two processes beside none", "tasks", fast, slow, _same(there, here), how
        )
        work = Work(SECONDS)
        fast, there = rate(lambda: sweep(spin, work, LONG, root=ROOT, folder=next(goes), workers=2), LONG)
        slow, here = rate(lambda: sweep(spin, work, LONG // 2, root=ROOT, folder=next(goes), workers=0), LONG // 2)
        how = f"efficiency {fast * SECONDS / 2:.1%}; the records are equal"
        same = there.table.slice(0, LONG // 2).equals(here.table)
        yield Pace(
            f"sweep: tasks of {1000 * SECONDS:.0f} ms, two processes beside none", "tasks", fast, slow, same, how
        )


def _same(one: Records, other: Records) -> bool:
    return one.table.equals(other.table)
