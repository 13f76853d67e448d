"""What a sweep says while it runs, and that it says nothing where there is nothing to say."""

import logging
import os
import pty
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from distributed.client import ClosedClientError
from distributed.comm import CommClosedError
from toy_cluster import ENVIRONMENT
from toy_experiments import Call, Dice, dice, reporting, seen

from support.sweep import ClusterError, DesignError, crew, design, engine, progress, report, sweep
from support.sweep.progress import Progress


class Clock:
    """A clock that the test sets."""

    def __init__(self, monkeypatch):
        self.now = 1000.0
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


@contextmanager
def terminal():
    """A terminal of 80 columns that is this process's standard error; reads what has been written to it."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as error, pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stderr", error)
        patched.setenv("COLUMNS", "80")

        def read() -> str:
            error.write("\x04")
            error.flush()
            text = b""
            while not text.endswith(b"\x04"):
                text += os.read(ours, 1000)
            return text[:-1].decode()

        yield read
    os.close(ours)


def test_what_a_scheduler_says_of_itself_is_printed_as_text(capsys):
    Progress("dice", 1000, 0).say("dashboard: http://\x1b[2Jhost")
    assert capsys.readouterr().err == "dashboard: http://\\u001b[2Jhost\n"


def test_a_log_gets_a_line_now_and_then(clock, capsys):
    line = Progress("dice", 1000, 200)
    clock.now += 59.0
    line.show()
    assert capsys.readouterr().err == ""
    clock.now += 1.0
    line.show()
    line.show()
    assert capsys.readouterr().err == "dice: 200 of 1,000 tasks\n"
    line.done += 400
    clock.now += 60.0
    line.show(failed=2)
    line.close()
    assert capsys.readouterr().err == "dice: 600 of 1,000 tasks, 2 failed, 3.3 a second, 2 min left\n"


def test_a_terminal_has_one_line_that_changes(clock):
    with terminal() as read:
        line = Progress("dice", 60)
        for _ in range(3):
            line.done += 10
            clock.now += 1.0
            line.show()
        line.close()
        said = read()
    assert said.count("\n") == 1
    lines = said.rstrip().split("\r")
    left = [f"dice: {k}0 of 60 tasks, 10.0 a second, {6 - k} s left" for k in (1, 2, 3)]
    assert [text.rstrip() for text in lines] == left
    assert all(len(text) < 80 for text in lines)  # a longer one could not be written over


@pytest.mark.parametrize(
    ("done", "seconds", "total", "message"),
    [
        (1, 60, 10, "1.0 a minute, 9 min left"),
        (1, 1800, 10, "2.0 an hour, 4.5 h left"),
        (50_000, 60, 100_000, "833.3 a second, 60 s left"),
    ],
)
def test_rates_and_times_are_in_units_that_fit(clock, capsys, done, seconds, total, message):
    line = Progress("dice", total)
    line.done = done
    clock.now += seconds
    line.show()
    assert capsys.readouterr().err.rstrip().endswith(message)


def test_what_earlier_runs_did_is_no_speed_of_this_one(clock, capsys):
    line = Progress("dice", 100, 90)
    line.done += 5
    clock.now += 100
    line.show()
    assert "95 of 100 tasks, 3.0 a minute, 2 min left" in capsys.readouterr().err


def test_parts_of_long_tasks_count_until_they_end(clock, capsys):
    line = Progress("dice", 4)
    line.part("a", 0.5)
    line.part("b", 0.25)
    line.part("b", 0.5)
    clock.now += 60
    line.show()
    assert "0 of 4 tasks, 1.0 a minute, 3 min left" in capsys.readouterr().err
    line.part("a", 0.0)
    line.done = 1
    clock.now += 60
    line.show()
    assert "1 of 4 tasks, 45.0 an hour, 3 min left" in capsys.readouterr().err


def test_a_kernel_that_somebody_watches_gets_a_live_line(clock, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    monkeypatch.delenv("CI", raising=False)
    line = Progress("dice", 10)
    clock.now += 5
    line.show()
    assert capsys.readouterr().err.startswith("dice: 0 of 10 tasks")
    assert line._open
    for name in ("CI", progress.SILENT):
        monkeypatch.setenv(name, "true")
        line = Progress("dice", 10)
        clock.now += 5 if name == "CI" else 500
        line.show()
        assert capsys.readouterr().err == ""


def test_a_build_that_shows_its_own_progress_gets_no_sentence_either(capsys, monkeypatch):
    line = Progress("dice", 10)
    line.say("no worker can take a task")
    assert capsys.readouterr().err == "no worker can take a task\n"
    monkeypatch.setenv(progress.SILENT, "1")
    line.say("no worker can take a task")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("workers", [0, 2])
def test_what_is_quick_is_silent(capfd, workers):
    sweep(dice, Dice(), 20, workers=workers)
    assert capfd.readouterr() == ("", "")


def test_a_sweep_on_a_terminal_shows_its_line_and_ends_it(monkeypatch):
    monkeypatch.setattr(progress, "LIVE", 0.0)
    with terminal() as read:
        sweep(dice, Dice(), 3, workers=0, name="three dice")
        said = read()
    assert re.fullmatch(r"(three dice: 0 of 3 tasks *\r){3}\r\n", said)


def test_a_long_task_reports_to_the_driver_how_far_it_is(log, monkeypatch, capfd):
    """The tasks end when the line has shown them."""
    show = Progress.show

    def showing(self, failed=0):
        show(self, failed)
        if len(self._partly) == 2:
            (log / "go").touch()

    monkeypatch.setattr(progress, "LOG", 0.0)
    monkeypatch.setattr(Progress, "show", showing)
    sweep(reporting, [Call(str(log), 0), Call(str(log), 1)], workers=2, name="long")
    assert len(seen(log)) == 2
    lines = capfd.readouterr().err.splitlines()
    assert any(re.fullmatch(r"long: 0 of 2 tasks, .* (a|an) (second|minute|hour), .* left", line) for line in lines)


def test_in_one_process_nothing_of_a_cluster_is_imported_and_reports_go_nowhere():
    code = (
        "import sys\nfrom toy_experiments import Dice, dice\nfrom support.sweep import report, sweep\n"
        "report(0.5)\nsweep(dice, Dice(), workers=0)\nprint('distributed' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True)
    assert (ended.stdout, ended.stderr) == ("False\n", "")
    import distributed  # noqa: F401

    report(0.5)


@pytest.mark.parametrize(
    ("services", "module", "link", "said"),
    [
        ({"dashboard": 8787}, True, "http://10.0.0.1:8787/status", "dashboard: http://10.0.0.1:8787/status\n"),
        ({"dashboard": 8787}, False, "http://10.0.0.1:8787/status", ""),
        ({"dashboard": 8787}, True, None, ""),
        ({}, True, KeyError, ""),
    ],
    ids=["served", "without bokeh", "without an address", "without a port"],
)
def test_the_address_of_a_dashboard_is_shown_if_there_is_one(monkeypatch, capsys, services, module, link, said):
    page = "distributed.dashboard.scheduler"
    monkeypatch.setitem(sys.modules, page, SimpleNamespace())
    if not module:
        monkeypatch.delitem(sys.modules, page)

    class Client:
        def scheduler_info(self, n_workers):
            return {"services": services}

        def run_on_scheduler(self, function):
            return function()

        @property
        def dashboard_link(self):
            if link is KeyError:
                raise KeyError("dashboard")
            return link

        def close(self):
            self.closed = True

    client = Client()
    monkeypatch.setattr(engine, "_remote", lambda address, said: client)
    monkeypatch.setattr(engine, "_Stream", lambda *arguments: SimpleNamespace(outcomes=lambda workers: iter(())))
    assert list(engine.on_cluster(None, (), 0, "tcp://10.0.0.1:8786", Progress("dice", 1))) == []
    assert capsys.readouterr().err == said
    assert client.closed


def test_what_asyncio_says_of_dasks_own_tasks_is_not_shown_and_the_rest_is(caplog):
    from distributed.client import AllExit

    sweep(dice, Dice(), 2, workers=2)
    for error in (AllExit(), ValueError("of somebody else")):
        logging.getLogger("asyncio").error("Task exception was never retrieved", exc_info=error)
    logging.getLogger("asyncio").error("a slow callback")
    assert [record.exc_info and record.exc_info[0] for record in caplog.records] == [ValueError, None]


@pytest.mark.parametrize("error", [ClosedClientError("closed"), CommClosedError("closed")])
def test_a_call_that_the_scheduler_did_not_live_to_answer_is_one_sentence(monkeypatch, error):
    def outcomes(workers):
        raise error
        yield

    closed = []
    client = SimpleNamespace(scheduler_info=lambda n_workers: {"services": {}}, close=lambda: closed.append(True))
    monkeypatch.setattr(engine, "_remote", lambda address, said: client)
    monkeypatch.setattr(engine, "_Stream", lambda *arguments: SimpleNamespace(outcomes=outcomes))
    with pytest.raises(ClusterError, match="the connection to the scheduler was lost; start it and its workers again"):
        list(engine.on_cluster(None, (), 0, "tcp://10.0.0.1:8786", Progress("dice", 1)))
    assert closed
    monkeypatch.setattr(engine, "_local", lambda workers: client)
    with pytest.raises(ClusterError, match="the connection to the scheduler was lost; where records are kept"):
        list(engine.on_cluster(None, (), 1, None, Progress("dice", 1)))


@pytest.mark.parametrize("kept", [False, True])
def test_code_that_cannot_be_read_is_no_lost_scheduler(monkeypatch, tmp_path, kept):
    def sources(*arguments, **more):
        raise PermissionError(13, "Permission denied", "toy_experiments.py")

    design.sources_of.cache_clear()
    crew._stamp.cache_clear()
    monkeypatch.setattr(design, "sources", sources)
    monkeypatch.setattr(engine, "_local", lambda workers: SimpleNamespace())
    said = r"^cannot read a module that dice depends on: \[Errno 13\] Permission denied: 'toy_experiments.py'$"
    with pytest.raises(DesignError, match=said):
        sweep(dice, Dice(), workers=1, folder=tmp_path / "out" if kept else None)


def test_a_lost_scheduler_ends_the_line(monkeypatch):
    def lost(*arguments):
        yield None
        raise ClusterError("lost")

    monkeypatch.setattr(progress, "LIVE", 0.0)
    monkeypatch.setattr("support.sweep.run.on_cluster", lost)
    with terminal() as read:
        with pytest.raises(ClusterError):
            sweep(dice, Dice(), scheduler="tcp://10.0.0.1:8786")
        assert read().endswith("\r\r\n")


def test_a_worker_sends_a_message_a_second_for_each_of_its_threads(monkeypatch, clock):
    import distributed

    sent = []
    keys = {}
    worker = SimpleNamespace(
        get_current_task=lambda: keys[threading.get_ident()],
        log_event=lambda topic, message: sent.append((message["key"], message["done"])),
    )
    monkeypatch.setattr(distributed, "get_worker", lambda: worker)
    steps = threading.Barrier(2)

    def long_task(key):
        keys[threading.get_ident()] = key
        for step in range(5):
            steps.wait(60)
            report(step / 4)
            if steps.wait(60) == 0:
                clock.now += 0.5
            steps.wait(60)

    with ThreadPoolExecutor(2) as pool:
        assert not any(pool.map(long_task, "ab"))
    assert sorted(sent) == [(key, done) for key in "ab" for done in (0.0, 0.5, 1.0)]
