"""Sweeps on a running Dask cluster: a scheduler and workers that this machine runs as any cluster would."""

import os
import re
import signal
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

import pytest
import toy_experiments
from distributed import Client
from toy_experiments import Call, Dice, deadly, dice, gated, reporting, seen, until

from support.__main__ import main
from support.sweep import SweepError, crew, engine, sweep


def lines(capfd):
    """What was written to standard error, but for the dashboard's address."""
    return [line for line in capfd.readouterr().err.splitlines() if line and not line.startswith("dashboard: ")]


def words_for(cluster, log, seeds, folder):
    """The command of a sweep."""
    return [
        *("sweep", "toy_experiments:gated", "--set", f"log={log}", "--set", "number=1", "--seeds", str(seeds)),
        *("--out", str(folder), "--scheduler", cluster.address),
    ]


def other_code(folder):
    """A folder in which the experiments are as somebody else has them."""
    (folder / "other").mkdir()
    source = Path(toy_experiments.__file__).read_text(encoding="utf-8")
    (folder / "other/toy_experiments.py").write_text(f"{source}# as somebody else has it\n", encoding="utf-8")
    return folder / "other"


def test_workers_come_and_go_and_the_digits_stay(tmp_path, log, loopback, capfd):
    plain, nannied = loopback.worker(), loopback.worker(nanny=True)
    settings = [Dice(), Dice(rolls=25, bias=Fraction(2, 3), scale=0.1)]
    for folder, where in (("cluster", {"scheduler": loopback.address}), ("here", {"workers": 0})):
        sweep(dice, settings, (300, 7), root=5, folder=tmp_path / folder, **where)
    whole = (tmp_path / "here/records.parquet").read_bytes()
    assert (tmp_path / "cluster/records.parquet").read_bytes() == whole
    page = f"http://127.0.0.1:{loopback.dashboard()}/status"
    assert (f"dashboard: {page}\n" in capfd.readouterr().err) == (find_spec("bokeh") is not None)
    with urlopen(page) as answer:
        assert (b"Dask needs bokeh" in answer.read()) == (find_spec("bokeh") is None)

    with ThreadPoolExecutor() as pool:
        running = pool.submit(main, words_for(loopback, log, 12, tmp_path / "killed"))
        try:
            until(lambda: len({call.pid for call in seen(log)}) == 2)
            old = {call.pid for call in seen(log)}
            for pid in old:
                os.kill(pid, signal.SIGKILL)
            until(lambda: {call.pid for call in seen(log)} - old, "the nanny starts a new worker")
            assert plain.wait() == -signal.SIGKILL
            assert nannied.poll() is None
            third = loopback.worker()
            until(lambda: third.pid in {call.pid for call in seen(log)}, "a worker that comes later is used")
        finally:
            (log / "go").touch()
        assert running.result() == 0
    sweep(gated, Call(str(log), 1), 12, folder=tmp_path / "alone", workers=0)
    assert (tmp_path / "killed/records.parquet").read_bytes() == (tmp_path / "alone/records.parquet").read_bytes()


def test_a_cluster_that_is_lost_leaves_what_has_ended(tmp_path, log, loopback, monkeypatch, capfd):
    monkeypatch.setattr(crew, "PATIENCE", 2.0)
    monkeypatch.setattr(engine, "RECOUNT", 0.1)
    out, start = tmp_path / "out", f"start one with: dask worker {loopback.address}; where records are kept, run"
    assert main(words_for(loopback, log, 4, out)) == 1
    waiting, error = lines(capfd)
    assert waiting == "no worker can take a task; waiting 2 s for one that can"
    assert error.startswith(f"error: for 2 s no worker could take a task; {start} the same again, and it goes on")

    monkeypatch.setattr(crew, "PATIENCE", 5.0)
    bare = loopback.worker(bare=True)
    assert main(words_for(loopback, log, 4, out)) == 1
    *_, waiting, error = lines(capfd)
    assert waiting.startswith("no worker can take a task: the worker at tcp://127.0.0.1:")
    assert error.startswith("error: for 5 s no worker could take a task: the worker at tcp://127.0.0.1:")
    assert "cannot import this package or the experiment (No module named 'support'); install there what is" in error
    bare.kill()
    monkeypatch.setattr(crew, "PATIENCE", 60.0)

    worker = loopback.worker(threads=2)
    with ThreadPoolExecutor() as pool:
        running = pool.submit(main, words_for(loopback, log, 4, out))
        until(lambda: seen(log))
        monkeypatch.setattr(crew, "PATIENCE", 3.0)
        worker.kill()
        assert running.result() == 1
    *_, waiting, error = lines(capfd)
    assert waiting == "no worker can take a task; waiting 3 s for one that can"
    assert error.startswith("error: for 3 s no worker could take a task; start one with")

    monkeypatch.setattr(crew, "PATIENCE", 60.0)
    loopback.worker()
    with ThreadPoolExecutor() as pool:
        began = len(seen(log))
        running = pool.submit(main, words_for(loopback, log, 4, out))
        until(lambda: len(seen(log)) > began)
        loopback.scheduler.kill()
        assert running.result() == 1
    assert lines(capfd)[-1] == (
        "error: the connection to the scheduler was lost; start it and its workers again, and where records are kept, "
        "run the same again, and it goes on from there"
    )


def test_a_scheduler_that_is_killed_is_one_sentence(tmp_path, log, loopback, command):
    loopback.worker()
    driver = command(*words_for(loopback, log, 4, tmp_path / "out")[1:])
    until(lambda: seen(log))
    loopback.scheduler.kill()
    said, errors = driver.communicate()
    assert (driver.returncode, said) == (1, "")
    assert [line for line in errors.splitlines() if not line.startswith("dashboard: ")] == [
        "error: the connection to the scheduler was lost; start it and its workers again, and where records are kept, "
        "run the same again, and it goes on from there"
    ]


def test_a_scheduler_that_is_not_there_is_said_before_the_patience_is_over(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(engine, "QUICK", 0.1)
    monkeypatch.setattr(crew, "PATIENCE", 0.2)
    words = "--scheduler", "tcp://127.0.0.1:9", "--out", str(tmp_path / "out")
    assert main(["sweep", "toy_experiments:dice", *words]) == 1
    waiting, error = lines(capfd)
    assert waiting == "no scheduler answers at tcp://127.0.0.1:9 yet; waiting 0 s for it"
    assert error.startswith("error: no scheduler answers at tcp://127.0.0.1:9 (")
    assert error.endswith("; start one with: dask scheduler")
    assert main(["sweep", "toy_experiments:dice", "--set", "rolls=3", *words[2:], "--workers", "0"]) == 0


def test_one_worker_with_other_code_swallows_nothing(tmp_path, log, loopback, monkeypatch, capfd):
    """It is named, once each time that it joins, and gets no tasks: whether it is there first or comes later."""
    monkeypatch.setattr(engine, "RECOUNT", 0.5)
    other = other_code(tmp_path)
    differs = loopback.worker(first=other)
    out = tmp_path / "out"
    with ThreadPoolExecutor() as pool:
        running, words = pool.submit(main, words_for(loopback, log, 6, out)), []
        try:
            until(lambda: words.extend(lines(capfd)) or (words and "another version" in words[-1]))
            good = loopback.worker()
            until(lambda: seen(log))
            late, bare = loopback.worker(first=other, threads=4), loopback.worker(bare=True, threads=4)
            until(lambda: words.extend(lines(capfd)) or sum(" gets no tasks; " in line for line in words) == 3)
        finally:
            (log / "go").touch()
        assert running.result() == 0
    assert {call.pid for call in seen(log)} == {good.pid}
    assert len(seen(log)) == 6
    fault = "has another version of the code of toy_experiments"
    alone = re.compile(
        rf"no worker can take a task: the worker at \S+ {fault}; install there what .* here; waiting 60 s"
    )
    assert any(map(alone.match, words))
    named = [line for line in words if " gets no tasks; " in line]
    assert len(set(named)) == 3
    assert sum(f"{fault} and gets no tasks" in line for line in named) == 2
    assert sum("(No module named 'support') and gets no tasks" in line for line in named) == 1
    assert all(worker.poll() is None for worker in (differs, late, bare))
    sweep(gated, Call(str(log), 1), 6, folder=tmp_path / "alone", workers=0)
    assert (out / "records.parquet").read_bytes() == (tmp_path / "alone/records.parquet").read_bytes()


def test_a_worker_of_other_code_that_nobody_has_asked_yet_refuses_and_loses_nothing(
    tmp_path, log, loopback, monkeypatch, capfd
):
    """It gets the tasks of one that was killed before the workers are counted again."""
    other, out = other_code(tmp_path), tmp_path / "out"
    monkeypatch.setattr(engine, "RECOUNT", 1000.0)
    good = loopback.worker()
    with ThreadPoolExecutor() as pool:
        running = pool.submit(main, words_for(loopback, log, 6, out))
        try:
            until(lambda: seen(log))
            good.kill()
            loopback.worker(first=other)
            until(lambda: " gets no tasks; " in capfd.readouterr().err)
            monkeypatch.setattr(engine, "RECOUNT", 0.2)
            second = loopback.worker()
        finally:
            (log / "go").touch()
        assert running.result() == 0
    assert {call.pid for call in seen(log)} == {good.pid, second.pid}
    sweep(gated, Call(str(log), 1), 6, folder=tmp_path / "alone", workers=0)
    assert (out / "records.parquet").read_bytes() == (tmp_path / "alone/records.parquet").read_bytes()


def test_a_worker_that_is_busy_for_longer_than_the_patience_is_waited_for(tmp_path, log, loopback, monkeypatch, capfd):
    """Its only thread runs the task of somebody else, so that it cannot answer before that has ended."""
    monkeypatch.setattr(crew, "PATIENCE", 1.0)
    monkeypatch.setattr(crew, "SOON", 2.0)
    monkeypatch.setattr(engine, "RECOUNT", 0.1)
    (tmp_path / "busy").mkdir()
    loopback.worker()
    with Client(loopback.address, set_as_default=False) as other, ThreadPoolExecutor() as pool:
        long_task = other.submit(gated, Call(str(tmp_path / "busy"), 1), 7)
        until(lambda: seen(tmp_path / "busy"))
        running, words = pool.submit(main, words_for(loopback, log, 2, tmp_path / "out")), []
        try:
            until(lambda: running.done() or words.extend(lines(capfd)) or words)
        finally:
            (tmp_path / "busy/go").touch()
            (log / "go").touch()
        assert running.result() == 0
        long_task.result()
    assert words == ["no worker can take a task; waiting for 1 that may be busy and did not answer yet"]


def test_a_task_that_ends_each_worker_is_blamed_where_another_worker_has_other_code(
    tmp_path, log, loopback, monkeypatch, capfd
):
    """The workers that may run it come back under other addresses, so that the scheduler cannot count."""
    monkeypatch.setattr(engine, "RECOUNT", 0.2)
    monkeypatch.setattr(engine, "LOSSES", 1)
    differs = loopback.worker(first=other_code(tmp_path))
    loopback.worker(nanny=True)
    with Client(loopback.address, set_as_default=False) as client:
        client.wait_for_workers(2)
    (log / "go").touch()
    settings = [Call(str(log), 1), Call(str(log), 4)]
    with pytest.raises(SweepError, match="1 of 3 tasks failed") as caught:
        sweep(deadly, settings, (1, 2), folder=tmp_path / "out", scheduler=loopback.address)
    (failure,) = caught.value.failures
    assert failure.setting.number == 1
    assert failure.trace == "its worker ended 3 times, the last time with no task beside it"
    assert sum(call.number == 1 for call in seen(log)) == 3
    assert "gets no tasks" in capfd.readouterr().err
    assert differs.poll() is None


@pytest.mark.parametrize("patience", [60.0, 0.5])
def test_a_sweep_that_shares_its_workers_waits_for_its_first_portion(tmp_path, log, loopback, monkeypatch, patience):
    """Other sweeps use the other worker, while the first compiles what this one needs; but not for ever."""
    loopback.worker()
    loopback.worker()
    monkeypatch.setenv(engine.SHARED, loopback.address)
    monkeypatch.setattr(engine, "FIRST", patience)
    monkeypatch.setattr(engine, "COMPILED", set())
    with ThreadPoolExecutor() as pool:
        running = pool.submit(sweep, gated, Call(str(log), 1), 6, folder=tmp_path / "shared")
        try:
            until(lambda: len(seen(log)) == (1 if patience > 1 else 2))
            if patience > 1:
                assert len(sweep(dice, Dice(), 3).table) == 3
                assert len(seen(log)) == 1
        finally:
            (log / "go").touch()
        shared = running.result()
    assert shared.table.equals(sweep(gated, Call(str(log), 1), 6, workers=0).table)


@pytest.mark.parametrize("experiment", [gated, reporting])
def test_a_sweep_whose_code_is_compiled_uses_all_shared_workers(tmp_path, log, loopback, monkeypatch, experiment):
    """Because a task of it has ended before, or has told how far it is."""
    loopback.worker()
    loopback.worker()
    monkeypatch.setenv(engine.SHARED, loopback.address)
    monkeypatch.setattr(engine, "COMPILED", set())
    if experiment is gated:
        sweep(gated, Call(str(log), 0), 1, root=7)
    before = len(seen(log))
    with ThreadPoolExecutor() as pool:
        running = pool.submit(sweep, experiment, Call(str(log), 1), 6)
        try:
            until(lambda: len(seen(log)) == before + 2)
        finally:
            (log / "go").touch()
        running.result()
