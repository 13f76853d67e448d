"""How far a build is, what it reports, and the workers that its chapters share."""

import json
import os
from types import SimpleNamespace

import numpy as np
import pytest

from support.book import clock, progress
from support.book.build import build_book
from support.book.execute import execute, executed_path
from support.book.pairs import sync
from support.book.progress import Expected, Progress, Report, seconds_left
from support.sweep.engine import USED
from support.verdicts.claims import Registry

from .toy import CHAPTER, HEAD, RECORD, toy_book

EXPECTED = {"long": [10.0, 300.0, 30.0], "short": [20.0, 40.0]}


def test_before_anything_has_ended_the_expected_work_is_shared_by_the_cores():
    assert seconds_left(EXPECTED, {}, 0.0, 2.0) == pytest.approx(200)


def test_cells_that_have_ended_tell_how_slow_the_machine_is():
    done = {"long": [20.0], "short": [40.0, 80.0]}
    assert seconds_left(EXPECTED, done, 140.0, 1.0) == pytest.approx(2 * 330, rel=0.07)
    assert seconds_left(EXPECTED, done, 240.0, 1.0) == pytest.approx(2 * 330 - 100, rel=0.07)


def test_nothing_is_left_when_all_have_ended():
    assert seconds_left({}, {}, 0.0, 1.0) == 0
    assert seconds_left(EXPECTED, EXPECTED, 400.0, 2.0) == 0
    assert seconds_left(EXPECTED, {"long": [10, 300, 30, 7]}, 1000.0, 2.0) == 0


@pytest.mark.parametrize("slower", [0.4, 1.0, 3.0])
def test_from_a_fifth_on_it_is_right_within_a_third(slower):
    """Cells that take up to a tenth more or less than expected on a machine that is slower or faster."""
    rng = np.random.default_rng(7)
    for _ in range(200):
        expected = {f"{k}": list(rng.gamma(0.6, 20.0, 15)) for k in range(4)}
        took = {name: [cell * slower * rng.uniform(0.9, 1.1) for cell in cells] for name, cells in expected.items()}
        total = sum(map(sum, took.values())) / 2
        for share in (0.2, 0.4, 0.6, 0.8):
            spent = 2 * total * share  # by two cores, on one chapter after the other
            done, before = {}, 0.0
            for name, cells in took.items():
                ends = before + np.cumsum(cells)
                done[name] = [cell for cell, end in zip(cells, ends, strict=True) if end <= spent]
                before = ends[-1]
            left = total * (1 - share)
            assert abs(seconds_left(expected, done, spent, 2.0) - left) <= max(left / 3, 0.05 * total)


def test_a_report_is_what_is_expected_of_the_next_build(tmp_path):
    report = Report(tmp_path / "report.json", {"01-a": [[1.0, 2.5, 1.8]], "02-b": []})
    report.part("chapters")
    report.part("site")
    report.write()
    expected = Expected.load(report.path)
    assert (expected.chapters, expected.parts) == (report.chapters, report.parts)
    assert (expected.work("01-a"), expected.work("02-b"), expected.work("03-c")) == (3.5, 0, np.inf)
    assert json.loads(report.path.read_text())["cores"] == os.cpu_count()
    assert Expected.load(tmp_path / "none.json") == Expected()


def test_the_line_of_a_build(tmp_path, capsys, monkeypatch):
    now = SimpleNamespace(seconds=0.0, used=0.0)
    monkeypatch.setattr(progress.time, "monotonic", lambda: now.seconds)
    monkeypatch.setattr(progress, "used_seconds", lambda: now.used)
    expected = Expected({"01-a": [[10.0, 190.0, 120.0]], "90-b": [[5.0, 5.0, 40.0]]}, {"site": 20.0})
    line = Progress(tmp_path, expected, ["01-a"], ["90-b"], 2)
    line.show()
    assert capsys.readouterr().err == ""
    now.seconds, now.used = 40.0, 80.0
    line.show()
    assert capsys.readouterr().err == "25% done, 2 min left\n"  # (200 - 80) / 2 + 40 + 20
    line.file("01-a").write_text("[10.0, 190.0, 120.0]\n")
    line.file("90-b").write_text("[5.0")  # while it is written
    now.seconds, now.used = 100.0, 200.0
    line.show()
    assert capsys.readouterr().err == "62% done, 60 s left\n"
    assert line.cells() == {"01-a": [[10.0, 190.0, 120.0]], "90-b": []}
    unknown = Progress(tmp_path, Expected(), ["01-a"], [], 2)
    now.seconds = 200.0
    unknown.show()
    assert capsys.readouterr().err == "1 cells executed in 2 min\n"


def test_kernels_tell_what_their_cells_took(tmp_path, monkeypatch):
    monkeypatch.setenv(clock.FILE, str(tmp_path / "cells"))
    hooks = {}
    clock.load_ipython_extension(SimpleNamespace(events=SimpleNamespace(register=hooks.__setitem__)))
    for swept in (0.0, 2.5):
        hooks["pre_run_cell"](None)
        USED.seconds += swept
        hooks["post_run_cell"](None)
    first, second = map(json.loads, (tmp_path / "cells").read_text().splitlines())
    assert [round(second[1], 3), round(first[1], 3)] == [2.5, 0]
    assert all(0 <= seconds < 1 for seconds in (first[0], first[2]))


def test_chapters_that_run_side_by_side_share_their_workers(tmp_path, monkeypatch):
    package = tmp_path / "package"
    package.mkdir()
    (package / "toy_pids.py").write_text(
        "import os\nfrom dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Nothing:\n    pass\n\n\n"
        "def pids(config: Nothing, seed: int):\n    return {'pid': os.getpid(), 'sum': sum(range(500_000))}\n"
    )
    monkeypatch.syspath_prepend(package)
    monkeypatch.setenv("PYTHONPATH", str(package), prepend=":")
    monkeypatch.setattr(os, "cpu_count", lambda: 2)  # so few that each has work for both
    swept = (
        "from support.sweep import sweep\nfrom toy_pids import Nothing, pids\n\n"
        "print(*sweep(pids, Nothing(), 100).column('pid'))"
    )
    book = toy_book(tmp_path / "book", code=f"{swept}\n{RECORD}")
    (book.root / "notebooks/02-other.md").write_text(HEAD + CHAPTER.format(code=swept))
    sync(book)
    report = execute(book, book.chapters(), Registry.load(book.registry))
    pids = [
        {int(pid) for pid in cell.split()}
        for name in ("toy", "other")
        for cell in _printed(executed_path(book, book.chapter(name)))
    ]
    assert len(pids) == 2
    assert len(pids[0] | pids[1]) <= (os.cpu_count() or 1)
    assert pids[0] & pids[1]
    assert {name: len(cells) for name, cells in report.chapters.items()} == {"01-toy": 3, "02-other": 3}
    assert sum(cell[1] for cells in report.chapters.values() for cell in cells) > 0


def _printed(path):
    cells = json.loads(path.read_text())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", []) if output.get("name") == "stdout"]
    return ["".join(output["text"]) for output in outputs]


def test_a_build_writes_its_report_and_keeps_it_where_nothing_was_executed(tmp_path):
    book = toy_book(tmp_path)
    build_book(book)
    path = book.build / "report.json"
    body = json.loads(path.read_text())
    assert set(body["parts"]) == {"chapters", "site"}
    assert [len(cells) for cells in body["chapters"].values()] == [3]
    before = path.read_bytes()
    build_book(book)
    assert path.read_bytes() == before
