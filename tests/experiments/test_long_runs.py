import os
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction

import numpy as np
import pytest

from support.agents.result_table import Settings, learn
from support.experiments.long_runs import CheckpointError, History, Progress, Task, run, run_all
from support.games.ace_king_queen import AceKingQueen
from support.games.flat import unfold
from support.games.kuhn import Kuhn

TASK = Task(Settings(), seed=11, marks=(10, 1_000, 400_000, 3_000_000))
CHILD = """
import sys
from pathlib import Path
from support.experiments.long_runs import run
from support.games.ace_king_queen import AceKingQueen
from support.games.flat import unfold
from tests.experiments.test_long_runs import TASK
class Told:
    def found(self, games): pass
    def add(self, games): print(games, flush=True)
run(unfold(AceKingQueen()), TASK, Path(sys.argv[1]), progress=Told(), piece=5_000, every=0)
"""


@pytest.fixture(scope="module")
def flat():
    return unfold(AceKingQueen())


@pytest.fixture(scope="module")
def whole(flat):
    return run(flat, TASK)


def same(one: History, other: History) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in History.__dataclass_fields__)


def test_tables_at_the_marks_are_those_of_the_plain_learner(flat, whole):
    assert whole.marks.tolist() == list(TASK.marks)
    for k, games in enumerate(TASK.marks[:2]):
        table = learn(flat.game, TASK.settings, games, TASK.seed)
        for where, start, stop in zip(flat.information_states, flat.slots, flat.slots[1:], strict=False):
            assert whole.counts[k, start:stop].tolist() == table.counts.get(where, [0] * (stop - start))
    firsts = [k for k, (_, text) in enumerate(flat.information_states) if len(text) == 1]
    games = sum(whole.counts[:, flat.slots[k] : flat.slots[k + 1]].sum(axis=1) for k in firsts)
    assert games.tolist() == list(TASK.marks)


def test_killed_and_taken_up_again_to_the_same_digits(flat, whole, tmp_path):
    for pieces in (40, 25):  # killed twice, at different places
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
        for _ in range(pieces):
            assert child.stdout.readline()
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        assert child.returncode == -signal.SIGKILL
    found = Progress("again", TASK.marks[-1])
    again = run(flat, TASK, tmp_path, progress=found, piece=7_000)
    assert same(again, whole)
    assert found.done == TASK.marks[-1]
    # Nothing was lost but the piece under way at each kill (and the two first marks cut two pieces short).
    assert TASK.marks[-1] - found._fresh >= (40 + 25 - 4) * 5_000


def test_a_finished_run_is_not_played_again(flat, whole, tmp_path):
    assert same(run(flat, TASK, tmp_path), whole)
    progress = Progress("finished", TASK.marks[-1])
    assert same(run(flat, TASK, tmp_path, progress=progress), whole)
    assert progress._fresh == 0


def test_runs_side_by_side_are_the_runs_one_by_one(flat, whole, tmp_path):
    other = Task(Settings(Fraction(1, 10), "random", float("inf")), seed=3, marks=(50_000,))
    both = run_all(flat, [other, TASK, other], tmp_path, workers=2)
    assert same(both[1], whole)
    assert same(both[0], both[2])
    assert same(both[0], run_all(flat, [other], workers=1)[0])
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("game", "task"),
    [
        (Kuhn(), TASK),
        (AceKingQueen(), Task(Settings(Fraction(1, 50)), 11, TASK.marks)),
        (AceKingQueen(), Task(Settings(ties="last"), 11, TASK.marks)),
        (AceKingQueen(), Task(Settings(untried=1.0), 11, TASK.marks)),
        (AceKingQueen(), Task(Settings(), 12, TASK.marks)),
        (AceKingQueen(), Task(Settings(), 11, (10, 2_000))),
    ],
)
def test_records_of_different_runs_do_not_mix(flat, tmp_path, game, task):
    short = Task(task.settings, task.seed, task.marks[:2])
    run(flat, Task(TASK.settings, TASK.seed, TASK.marks[:2]), tmp_path)
    there = set(tmp_path.iterdir())
    assert same(run(unfold(game), short, tmp_path), run(unfold(game), short))
    assert len(set(tmp_path.iterdir()) - there) == 1


def test_a_stopped_run_keeps_what_it_has(flat, tmp_path):
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt, match="stopped after 10 games"):
        run(flat, TASK, tmp_path, stop=stop)
    progress = Progress("rest", TASK.marks[-1])
    run(flat, TASK, tmp_path, progress=progress)
    assert progress._fresh == TASK.marks[-1] - 10


def test_a_damaged_checkpoint_is_named(flat, tmp_path):
    run(flat, Task(Settings(), 1, (10,)), tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CheckpointError, match=f"{path.name}.*delete it"):
        run(flat, Task(Settings(), 1, (10,)), tmp_path)


def test_marks_must_rise():
    for marks in ((), (0, 5), (5, 5), (7, 3)):
        with pytest.raises(ValueError, match="marks must rise"):
            Task(Settings(), 1, marks)


def test_progress_says_how_far_and_how_long(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    progress = Progress("dice", 4_000_000_000)
    progress.found(1_000_000_000)
    progress.add(500_000_000)
    assert capsys.readouterr().err == ""  # a line a minute, no more
    now[0] = 100.0
    progress.add(500_000_000)
    line = "dice: 2.00 of 4.00 billion games, 10 million a second, 3 min left"
    assert capsys.readouterr().err.rstrip() == line
