import os
import signal
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from support.core.flat import unfold
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.learners.long_runs import (
    CheckpointError,
    History,
    TableRun,
    Task,
    histories,
    marks_to,
    result_table,
    run,
)
from support.learners.result_table import ResultTableSettings, learn
from support.sweep import sweep

KUHN = "support.games.cards.kuhn:Kuhn"
TASK = Task(ResultTableSettings(), seed=11, marks=(10, 1_000, 400_000, 3_000_000))
CHILD = """
import sys
from pathlib import Path
from support.learners.long_runs import run
from support.games.cards.ace_king_queen import AceKingQueen
from support.core.flat import unfold
from tests.learners.test_long_runs import TASK
def told(games): print(games, flush=True)
run(unfold(AceKingQueen()), TASK, Path(sys.argv[1]), told, piece=5_000, every=0)
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
    told = []
    assert same(run(flat, TASK, tmp_path, told.append, piece=7_000), whole)
    assert told[-1] == TASK.marks[-1]
    # Nothing was lost but the piece under way at each kill (and the two first marks cut two pieces short).
    assert told[0] >= (40 + 25 - 6) * 5_000


def test_a_finished_run_is_not_played_again(flat, whole, tmp_path):
    assert same(run(flat, TASK, tmp_path), whole)
    told = []
    assert same(run(flat, TASK, tmp_path, told.append), whole)
    assert told == [TASK.marks[-1]]


def test_a_sweep_of_runs_is_the_runs_one_by_one(tmp_path):
    base = TableRun(games=50_000, folder=str(tmp_path))
    other = TableRun(KUHN, Fraction(1, 10), "random", float("inf"), games=30_000, folder=str(tmp_path))
    records = [sweep(result_table, [base, other], 2, root=5, workers=workers) for workers in (2, 0)]
    assert records[0].table.equals(records[1].table)
    assert len(list(tmp_path.iterdir())) == 4
    for place, setting in enumerate((base, other)):
        found = histories(records[0], place)
        assert len(found) == 2
        for one, seed in zip(found, records[0].column("seed", place), strict=True):
            alone = Task(setting.settings(), int(seed), setting.marks())
            assert same(one, run(setting.flat(), alone))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"games": 2500.5}, r"games must be a whole number, not 2500\.5"),
        ({"games": True}, "games must be a whole number, not True"),
        ({"first": 10**14}, "first must be at most 10000000000000, not"),
        ({"per_decade": -1}, "per_decade must be at least 1, not -1"),
        ({"exploration": 0.1}, r"exploration must be a Fraction, not 0\.1"),
        ({"exploration": Fraction(3, 2)}, "exploration must be 0 or lie between"),
        ({"ties": "luck"}, "ties must be one of first, last, random"),
    ],
)
def test_a_wrong_run_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        TableRun(**wrong)


@pytest.mark.parametrize("game", ["chess", "no.such:Rules", "support.games.cards.kuhn:Chess", "json:loads", ""])
def test_what_has_no_rules_is_named(game):
    with pytest.raises(ValueError, match=f"game must say where rules are, as module:Class, not '{game}'"):
        TableRun(game)


def test_a_checkpoint_that_cannot_be_written_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(file, **arrays):
        file.write(b"some of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space left"):
        run(unfold(Kuhn()), Task(ResultTableSettings(), 1, (10,)), tmp_path)
    assert not list(tmp_path.iterdir())


def test_marks_are_spaced_by_factors():
    assert marks_to(1000, 10, 2) == (10, 32, 100, 316, 1000)
    assert marks_to(1500, 100, 1) == (100, 1000, 1500)
    assert marks_to(7, 7, 4) == (7,)
    assert TableRun(games=7).marks() == (7,)
    assert TableRun().marks()[0] == 1000


@pytest.mark.parametrize(
    ("game", "task"),
    [
        (Kuhn(), TASK),
        (AceKingQueen(), Task(ResultTableSettings(Fraction(1, 50)), 11, TASK.marks)),
        (AceKingQueen(), Task(ResultTableSettings(ties="last"), 11, TASK.marks)),
        (AceKingQueen(), Task(ResultTableSettings(untried=1.0), 11, TASK.marks)),
        (AceKingQueen(), Task(ResultTableSettings(), 12, TASK.marks)),
        (AceKingQueen(), Task(ResultTableSettings(), 11, (10, 2_000))),
    ],
)
def test_records_of_different_runs_do_not_mix(flat, tmp_path, game, task):
    short = Task(task.settings, task.seed, task.marks[:2])
    run(flat, Task(TASK.settings, TASK.seed, TASK.marks[:2]), tmp_path)
    there = set(tmp_path.iterdir())
    assert same(run(unfold(game), short, tmp_path), run(unfold(game), short))
    assert len(set(tmp_path.iterdir()) - there) == 1


def test_a_damaged_checkpoint_is_named(flat, tmp_path):
    run(flat, Task(ResultTableSettings(), 1, (10,)), tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CheckpointError, match=f"{path.name}.*delete it"):
        run(flat, Task(ResultTableSettings(), 1, (10,)), tmp_path)


def test_marks_must_rise():
    for marks in ((), (0, 5), (5, 5), (7, 3)):
        with pytest.raises(ValueError, match="marks must rise"):
            Task(ResultTableSettings(), 1, marks)
