"""What a sweep does when processes are killed: its workers, its scheduler, itself."""

import os
import signal
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pandas as pd
import pyarrow.dataset
import pytest
from toy_cluster import gone
from toy_experiments import Call, deadly, gated, seen, until

from support.__main__ import main
from support.sweep import StoreError, SweepError, engine, sweep


def settings(log, *numbers):
    return [Call(str(log), number) for number in numbers]


def same_alone(log, folder, tmp_path, experiment, numbers, seeds):
    """Whether the records are those of a sweep in this process, to the byte."""
    plain = tmp_path / "plain"
    sweep(experiment, settings(log, *numbers), seeds, folder=plain, workers=0)
    return (plain / "records.parquet").read_bytes() == (folder / "records.parquet").read_bytes()


def words_for(log, numbers, seeds, folder):
    """The command of a sweep."""
    return (
        *("toy_experiments:gated", "--set", f"log={log}", "--set", f"number={numbers}"),
        *("--seeds", seeds, "--out", folder),
    )


@contextmanager
def running(log, *arguments, **more):
    """A sweep beside the test; at the end its tasks may end."""
    with ThreadPoolExecutor() as pool:
        try:
            yield pool.submit(sweep, *arguments, **more)
        finally:
            (log / "go").touch()


def test_a_worker_of_this_machine_is_killed(tmp_path, log):
    with running(log, gated, settings(log, 1), 8, folder=tmp_path / "out", workers=2) as records:
        victim, *_ = until(lambda: seen(log))
        os.kill(victim.pid, signal.SIGKILL)
        until(lambda: len({call.pid for call in seen(log)}) == 3, "a new worker")
    assert len(records.result()) == 8
    assert Counter(call.seed for call in seen(log))[victim.seed] == 2
    assert same_alone(log, tmp_path / "out", tmp_path, gated, [1], 8)


def test_a_task_that_kills_its_worker_is_blamed_and_nobody_else(tmp_path, log, monkeypatch):
    monkeypatch.setattr(engine, "RECOUNT", 0.2)
    scheduler = engine._local(2).cluster.scheduler
    monkeypatch.setattr(scheduler, "allowed_failures", 0)  # 3 is slow
    asked = {"experiment": deadly, "settings": settings(log, 1, 2, 4, 5), "seeds": (1, 1, 2, 2), "folder": tmp_path}
    with running(log, **asked, workers=2) as records:
        until(lambda: [len(worker.processing) > 1 for worker in [*scheduler.workers.values()]] == [True, True])
        until(lambda: {call.number for call in seen(log)} == {1, 2}, "others wait at both workers")
    with pytest.raises(SweepError, match="2 of 6 tasks failed") as caught:
        records.result()
    assert {failure.setting.number for failure in caught.value.failures} == {1, 2}
    assert all("KilledWorker" in failure.trace for failure in caught.value.failures)
    assert sorted(pd.read_parquet(tmp_path / "unfinished")["number"]) == [4, 4, 5, 5]
    (log / "mended").touch()
    before = len(seen(log))
    assert len(sweep(**asked, workers=2)) == 6
    assert {call.number for call in seen(log)[before:]} == {1, 2}


def test_the_driver_is_killed_and_the_same_command_goes_on(tmp_path, log, command, capsys):
    words = words_for(log, "0,1,2", 3, tmp_path / "out")
    first = command(*words, "--workers", 2)
    unfinished = tmp_path / "out/unfinished"
    until(lambda: len(seen(log)) == 5 and [*unfinished.glob("*.parquet")], "what ends is written, the rest waits")
    until(lambda: len(pd.read_parquet(unfinished)) == 3)
    with pytest.raises(StoreError, match=r"another process is running the sweep in .*; wait for it or end it"):
        sweep(gated, settings(log, 0, 1, 2), 3, folder=tmp_path / "out", workers=0)
    first.kill()
    first.wait()
    workers = {call.pid for call in seen(log)}
    until(lambda: all(map(gone, workers)), "the workers end too")

    assert pd.read_parquet(unfinished)["number"].tolist() == [0, 0, 0]
    kept = pyarrow.dataset.dataset(unfinished).to_table()
    assert not (tmp_path / "out/records.parquet").exists()

    (log / "go").touch()
    assert main(["sweep", *map(str, words), "--workers", "0"]) == 0
    assert capsys.readouterr() == (f"9 records, 3 settings: {tmp_path / 'out/records.parquet'}\n", "")
    times = Counter((call.number, call.seed) for call in seen(log))
    assert len(times) == 9
    assert all(times[0, seed] == 1 for seed in kept["seed"].to_pylist())
    assert sum(times.values()) == 11  # two were under way
    table = pd.read_parquet(tmp_path / "out/records.parquet")
    assert table[:3].equals(kept.to_pandas().sort_values("replicate", ignore_index=True))
    assert not [*unfinished.iterdir()]
    assert same_alone(log, tmp_path / "out", tmp_path, gated, [0, 1, 2], 3)


def test_control_c_keeps_what_has_ended_and_says_where(tmp_path, log, command):
    """In one sentence: the terminal sends it to all processes, and none but the driver is interrupted."""
    words = words_for(log, "0,1", 4, tmp_path / "out")
    first = command(*words, "--workers", 2)
    until(lambda: len(seen(log)) == 6 and [*(tmp_path / "out/unfinished").glob("*.parquet")])
    until(lambda: len(pd.read_parquet(tmp_path / "out/unfinished")) == 4)
    victim = seen(log)[-1].pid
    os.kill(victim, signal.SIGKILL)
    until(lambda: len({call.pid for call in seen(log)}) == 3, "a worker that was started later")
    os.killpg(first.pid, signal.SIGINT)
    said, errors = first.communicate()
    assert (first.returncode, said) == (130, "")
    assert errors.strip() == (
        f"interrupted: stopped after 4 of 8 tasks; their records are in {tmp_path / 'out'}; run the same again, "
        "and it goes on from there"
    )
    until(lambda: all(gone(call.pid) for call in seen(log)))
    assert len(pd.read_parquet(tmp_path / "out/unfinished")) == 4

    (log / "go").touch()
    assert main(["sweep", *map(str, words), "--workers", "0"]) == 0
    assert same_alone(log, tmp_path / "out", tmp_path, gated, [0, 1], 4)


def test_control_c_before_anything_has_ended_says_that_nothing_had(tmp_path, log, command):
    """As the workers start it waits for them, and ends them."""
    first = command(*words_for(log, 1, 4, tmp_path / "out"), "--workers", 2)
    until(lambda: (tmp_path / "out/sweep.json").exists())
    os.killpg(first.pid, signal.SIGINT)
    assert first.communicate() == (*("", "\ninterrupted: stopped after 0 of 4 tasks; nothing had ended\n"),)
    assert first.returncode == 130


AGAIN = """
import os, signal
import distributed
from support.sweep import engine

def hit(before):
    def end(self, *arguments, **more):
        os.kill(os.getpid(), signal.SIGINT)
        return before(self, *arguments, **more)
    return end

def interrupted(*arguments, **more):
    raise KeyboardInterrupt

if __name__ == "__main__":
    distributed.LocalCluster.close = hit(distributed.LocalCluster.close)
    if {early}:
        distributed.Client.__init__ = interrupted
    try:
        engine._local(1)
        raise KeyboardInterrupt
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.parametrize("early", [True, False])
def test_control_c_pressed_again_while_the_workers_are_ended_changes_nothing(early):
    """Whether the first came before there was a client of them or after."""
    one = subprocess.run([sys.executable, "-c", AGAIN.format(early=early)], capture_output=True, text=True, timeout=120)
    assert (one.stdout, one.stderr, one.returncode) == ("interrupted\n", "", 0)
