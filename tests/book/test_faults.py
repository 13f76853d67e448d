"""What goes wrong on a machine, really provoked on a toy book: the next run recovers or says what to do.

Each fault meets a book that was built before, and a chapter that would be sound; where it passes, the next run is the
same command again. Whatever happens, the site and the results of the last good build stay as they were.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import pytest
from processes import accept_control_c

from support.__main__ import main
from support.book.build import build_book, run_chapter
from support.book.execute import STAMP, _stamp, executed_path, files_path, inputs_of
from support.book.exports import read_results
from support.book.layout import Book, BookError
from support.book.pairs import sync
from support.core.flat import unfold
from support.games.cards.kuhn import Kuhn
from support.learners import long_runs
from support.learners.result_table import ResultTableSettings
from support.verdicts.claims import KEY, ClaimError, Registry

from .toy import CHAPTER, HEAD, RECORD, ROOT, toy_book

CODE = f"""import os, signal, time
from pathlib import Path
from support.verdicts.notebook import offered

offered("agent.txt").write_text("It learned.")
fault = Path("fault")
if fault.exists():
    exec(fault.read_text())
{RECORD}"""


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A book that was built, whose chapter does what the file ``fault`` says, if there is one."""
    book = toy_book(tmp_path_factory.mktemp("sound"), CODE)
    build_book(book)
    return book


@pytest.fixture
def book(sound, tmp_path, monkeypatch):
    shutil.copytree(sound.root, tmp_path / "book")
    monkeypatch.chdir(tmp_path / "book")
    return Book(tmp_path / "book")


def published(book):
    """All that readers get."""
    files = [path for path in sorted(book.html.rglob("*")) if path.is_file()]
    return {path.relative_to(book.html).as_posix(): path.read_bytes() for path in files}, book.results.read_bytes()


def start(book, *words, limit="", module="-m support"):
    """The command line as a process of its own, in a session of its own, as if typed in a terminal."""
    command = f"{limit} exec {sys.executable} {module} {' '.join(words)}"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    own = {"start_new_session": True, "preexec_fn": accept_control_c}
    return subprocess.Popen(["bash", "-c", command], cwd=book.root, env=environment, **own, **pipes)


def ended(running):
    """Exit status and the lines of error; nothing else may end a command."""
    said = running.communicate(timeout=100)[0]
    assert "Traceback" not in said, said
    return running.returncode, "\n".join(line for line in said.splitlines() if line.startswith("error: "))


def wait_for(what, seconds=60):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)


def recovers(book, capfd):
    capfd.readouterr()
    _, (row,) = run_chapter(book, "toy")
    assert "toy: executed in" in capfd.readouterr().out
    assert (row["measured"], row["verdict"]) == (42, "reproduced")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "toy: its kernel was killed, as .* memory runs out"),
        ("signal.setitimer(signal.ITIMER_REAL, 0.1); time.sleep(60)", "toy: its kernel was killed"),
        ("os.kill(os.getppid(), signal.SIGKILL)", "toy: a process that executes chapters was killed"),
    ],
    ids=["memory", "timeout", "worker"],
)
def test_a_cell_that_is_killed(book, capfd, fault, message):
    before = published(book)
    (book.root / "fault").write_text(fault)
    with pytest.raises(BookError, match=message):
        run_chapter(book, "toy", force=True)
    assert published(book) == before
    (book.root / "fault").unlink()
    executed_path(book, book.chapter("toy")).unlink()  # what the fault left of the last run shall not help
    recovers(book, capfd)


ENDS = {
    "by the system": lambda pid: os.kill(pid, signal.SIGKILL),
    "as timeout 10 make book does": lambda pid: os.killpg(pid, signal.SIGTERM),
    "by Ctrl-C": lambda pid: os.killpg(pid, signal.SIGINT),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_build_that_is_killed_takes_its_processes_along(book, capfd, end):
    before = published(book)
    (book.root / "fault").write_text("Path('kernel').write_text(f'{os.getpid()} {os.getppid()}'); time.sleep(60)")
    running = start(book, "book", "--force")
    wait_for(lambda: (book.root / "kernel").exists() and (book.root / "kernel").read_text())
    end(running.pid)
    assert "Traceback" not in running.communicate(timeout=20)[0]
    children = [Path("/proc") / pid for pid in (book.root / "kernel").read_text().split()]
    wait_for(lambda: not any(child.exists() and "Z" not in status(child) for child in children), 20)
    assert published(book) == before
    (book.root / "fault").unlink()
    executed_path(book, book.chapter("toy")).unlink()
    recovers(book, capfd)
    assert not list(book.executed.glob("unfinished-*"))


def test_ctrl_c_begins_no_other_chapter(book):
    later = CHAPTER.format(code="from pathlib import Path\n\nPath('later').touch()").replace("Toy", "Later")
    (book.root / "notebooks" / "02-later.md").write_text(HEAD + later)
    toc = book.root / "_toc.yml"
    toc.write_text(toc.read_text().replace("01-toy\n", "01-toy\n  - file: notebooks/02-later\n"))
    sync(book)
    (book.root / "fault").write_text("Path('begun').touch(); time.sleep(60)")
    one_at_a_time = "from support.book import execute; execute.BESIDE = 1 - execute.os.cpu_count(); "
    words = one_at_a_time + "from support.__main__ import main; raise SystemExit(main(['book', '--force']))"
    running = start(book, f'"{words}"', module="-c")
    wait_for((book.root / "begun").exists)
    os.killpg(running.pid, signal.SIGINT)
    said = running.communicate(timeout=30)[0]
    assert running.returncode == 130, said
    assert "Traceback" not in said
    assert "interrupted" in said
    assert not (book.root / "later").exists()


def status(process):
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def test_two_builds_at_once(book):
    (book.root / "fault").write_text("while not Path('go').exists(): Path('begun').touch(); time.sleep(0.05)")
    first = start(book, "run", "toy", "--force")
    wait_for((book.root / "begun").exists)
    code, said = ended(start(book, "book"))
    assert code == 1
    assert re.fullmatch(r"error: another build is at work in .*; wait for it to end", said)
    (book.root / "go").touch()
    assert ended(first)[0] == 0


@pytest.mark.parametrize(("kilobytes", "message"), [(2, "error: toy: OSError: .*too large"), (900, "too large")])
def test_a_disk_that_takes_no_more(book, capfd, kilobytes, message):
    """A limit on the size of files, since not everybody may mount a small disk."""
    before = published(book)
    code, said = ended(start(book, "book", "--force", limit=f"ulimit -f {kilobytes};"))
    assert code == 1
    assert re.search(message, said), said
    assert published(book) == before
    assert not list(book.results.parent.glob("*.tmp"))
    build_book(book)
    assert published(book)[1] == before[1]


def test_space_that_runs_out_is_said(book, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "a file that was read")

    before = published(book)
    monkeypatch.setattr("support.book.build.build_site", full)
    with pytest.raises(BookError, match=r"no space is left for .*_build; free some, and start the build again"):
        build_book(book)
    assert published(book) == before


def test_an_executed_notebook_that_is_not_as_it_was(book, capfd):
    path = executed_path(book, book.chapter("toy"))
    whole, dice = path.read_bytes(), random.Random(1)
    stamp = json.loads(whole)["metadata"][STAMP]

    def changed(change):
        notebook = json.loads(whole)
        change(notebook)
        return json.dumps(notebook).encode()

    def verdict(notebook):
        (output,) = (output for cell in notebook["cells"] for output in cell.get("outputs", []))
        (row,) = output["metadata"][KEY]
        row["measured"], row["verdict"] = 43, "differs"

    harmed = [whole[: dice.randrange(len(whole))] for _ in range(50)]
    harmed += [bytes(len(whole)), b"\xff" + whole, b"[]", b"[" * 10**5, changed(verdict)]
    harmed += [changed(lambda n, wrong=wrong: n["metadata"].update({STAMP: wrong})) for wrong in ([], "x", {}, None)]
    harmed += [changed(lambda n: n["metadata"].update({STAMP: stamp | {"files": {}}}))]
    for content in harmed:
        path.write_bytes(content)
        assert _stamp(book, book.chapter("toy")) is None
    path.write_bytes(changed(verdict))
    recovers(book, capfd)
    (files_path(book, book.chapter("toy")) / "agent.txt").write_text("It forgot.")
    recovers(book, capfd)


def test_results_that_were_changed_by_hand(book, capsys):
    whole = book.results.read_text()
    before = published(book)
    rows = json.loads(whole)["claims"]
    for change in (
        whole.replace("reproduced", "differs"),
        whole.replace("42", "43"),
        whole[: len(whole) // 2],
        json.dumps({"claims": rows}),
        '{"claims": 3, "digest": 3}',
        "[" * 10**5,
    ):
        book.results.write_text(change)
        with pytest.raises(ClaimError, match="run 'make book' to write it anew"):
            read_results(book.results)
        assert main(["claims"]) == 1
        assert capsys.readouterr().out == ""
    build_book(book)
    assert published(book)[1] == before[1]
    assert main(["claims"]) == 0


def test_kept_runs_that_changed_belong_to_the_chapter_that_measures_the_claims(book):
    registry, kept = Registry.load(book.registry), book.root / "book" / "toy-kept.json"
    toy = book.chapter("toy")
    before = inputs_of(book, toy, registry)
    kept.with_name("other-kept.json").write_text("[1]")
    assert inputs_of(book, toy, registry) == before
    kept.write_text("[1]")
    first = inputs_of(book, toy, registry)
    kept.write_text("[2]")
    assert len({before, first, inputs_of(book, toy, registry)}) == 3


def test_another_python(book, monkeypatch):
    registry, toy = Registry.load(book.registry), book.chapter("toy")
    before = inputs_of(book, toy, registry)
    monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    assert inputs_of(book, toy, registry) != before


def test_a_lock_that_changed_or_does_not_read(book):
    registry, chapter = Registry.load(book.registry), book.chapter("toy")
    lock, before = book.root / "requirements.lock", inputs_of(book, book.chapter("toy"), Registry.load(book.registry))
    for content in (b"", b"\0" * 100, b"\xff\xfe", lock.read_bytes() + b"numpy==\n"):
        lock.write_bytes(content)
        assert inputs_of(book, chapter, registry) != before
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--no-index", "-r", str(lock)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode
    assert "numpy==" in done.stderr


FAKE = """#!/bin/sh
echo "$@" >> {log}
step() {{ [ "$(cat {folder}/fails 2>/dev/null)" != "$1" ] || {{ rm {folder}/fails; {harm}; }} }}
case "$*" in
  "-m venv .venv") mkdir -p .venv/bin; step venv; cp {python} .venv/bin/python;;
  *requirements.lock) step lock; touch .venv/installed;;
  *"-e ."*) step own; test -e .venv/installed;;
esac
"""


@pytest.mark.parametrize("harm", ["exit 1", "kill -9 $PPID; exit 1"], ids=["fails", "killed"])
@pytest.mark.parametrize("step", ["venv", "lock", "own"])
def test_an_installation_that_was_interrupted(tmp_path, step, harm):
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    python, log, ready = tmp_path / "python", tmp_path / "log", tmp_path / ".venv/.ready"
    python.write_text(FAKE.format(log=log, folder=tmp_path, python=python, harm=harm))
    python.chmod(0o755)
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}

    def make():
        command = ["make", ".venv/.ready", f"PYTHON={python}"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
        return done.returncode

    (tmp_path / "fails").write_text(step)
    assert make() != 0
    assert not ready.exists()
    assert make() == 0
    assert ready.exists()
    calls = log.read_text().count("pip install")
    assert make() == 0
    assert log.read_text().count("pip install") == calls  # nothing is left to do
    os.utime(tmp_path / "requirements.lock", (time.time() + 5, time.time() + 5))
    (tmp_path / "fails").write_text("lock")
    assert make() != 0  # a lock that changed and cannot be installed
    assert make() == 0


def test_a_kept_run_that_was_cut_off_or_changed(tmp_path):
    flat, dice = unfold(Kuhn()), random.Random(1)
    task = long_runs.Task(ResultTableSettings(Fraction(1, 10)), 5, (10, 100))
    sound = long_runs.run(flat, task, tmp_path)
    (path,) = tmp_path.glob("*.npz")
    whole = path.read_bytes()
    harmed = [whole[:cut] for cut in range(0, len(whole), 97)]
    for _ in range(300):
        at, bit = dice.randrange(len(whole)), 1 << dice.randrange(8)
        harmed.append(whole[:at] + bytes([whole[at] ^ bit]) + whole[at + 1 :])
    said = []
    for content in harmed:
        path.write_bytes(content)
        try:
            found = long_runs.run(flat, task, tmp_path)
        except long_runs.CheckpointError as error:
            said.append(str(error))
        else:  # the change meant nothing, such as the date of a part
            assert (found.counts == sound.counts).all()
            assert (found.won == sound.won).all()
    assert len(said) > len(harmed) // 2
    assert all(f"{path}" in line and line.endswith("delete it to start this run anew") for line in said)
    path.unlink()
    assert (long_runs.run(flat, task, tmp_path).won == sound.won).all()
