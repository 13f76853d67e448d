"""The folder of a sweep: what may go on in it, what may not, and what a power cut leaves."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_cluster import ENVIRONMENT
from toy_experiments import Call, Dice, Every, broken, dice, every, seen

from support.__main__ import main
from support.sweep import Design, Interrupted, StoreError, SweepError, sweep
from support.sweep import store as store_module
from support.sweep.columns import checked_record
from support.sweep.design import COMPUTE, lock_hash
from support.sweep.store import Store

SETTINGS = [Dice(), Dice(rolls=25)]
WAY_OUT = r"choose another folder, or delete this one \(rm -r .*\)"


def contents(folder):
    """Every file of a folder, to the byte."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def interrupted(folder, count=7):
    """A sweep of two configurations of five seeds each, of which some tasks have ended, in parts of two."""
    store = Store(folder, Design(dice, tuple(SETTINGS), (5, 5)))
    rows = [(task, checked_record(dice(SETTINGS[task.setting], task.seed), ())) for task in store.design.tasks()]
    assert store.fit(rows[0][1]) is None
    for start in range(0, count, 2):
        store.add(rows[start : min(start + 2, count)])
    store.close()


def whole(folder):
    """The bytes of the file of that sweep when nothing had gone wrong."""
    sweep(dice, SETTINGS, 5, folder=folder, workers=0)
    return (folder / "records.parquet").read_bytes()


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"settings": [Dice(), Dice(rolls=26)]}, "rolls of configuration 1 was 25 and is 26"),
        ({"settings": [SETTINGS[1], SETTINGS[0]]}, "rolls of configuration 0 was 10 and is 25"),
        ({"settings": SETTINGS[:1]}, "it has 2 configurations, not 1"),
        ({"settings": [*SETTINGS, Dice(rolls=3)]}, "it has 2 configurations, not 3"),
        ({"seeds": 4}, "configuration 0 has 5 seeds, more than 4; configuration 1 has 5 seeds, more than 4"),
        ({"seeds": (8, 3)}, "configuration 1 has 5 seeds, more than 3"),
        ({"root": 1}, "root was 0 and is 1"),
        ({"place": (2,)}, r"place was \[\] and is \[2\]"),
        ({"experiment": every, "settings": [Every(), Every(whole=1)]}, "experiment was toy_experiments:dice and is"),
    ],
)
def test_another_sweep_is_refused_and_nothing_is_changed(tmp_path, finished, change, message):
    interrupted(tmp_path)
    if finished:
        whole(tmp_path)
    before = contents(tmp_path)
    asked = {"experiment": dice, "settings": SETTINGS, "seeds": 5, "workers": 0, "folder": tmp_path, **change}
    with pytest.raises(StoreError, match=f"holds records of another sweep: .*{message}.*{WAY_OUT}"):
        sweep(asked.pop("experiment"), asked.pop("settings"), asked.pop("seeds"), **asked)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("lock_hash", "0123", "requirements.lock has changed"),
        ("versions", {"python": "3.11", "numpy": "1"}, "the version of numba has changed; the version of .*numpy"),
        ("sources_of", {"toy_experiments": "0123"}, "the code of toy_experiments has changed"),
    ],
)
def test_what_was_computed_otherwise_is_not_mixed(tmp_path, monkeypatch, name, value, message):
    interrupted(tmp_path)
    before = contents(tmp_path)
    monkeypatch.setattr(f"support.sweep.design.{name}", lambda *experiment: value)
    with pytest.raises(StoreError, match=f"{message}.*{WAY_OUT}"):
        sweep(dice, SETTINGS, 5, folder=tmp_path, workers=0)
    assert contents(tmp_path) == before


def test_the_lock_file_of_this_book_is_found():
    assert len(lock_hash()) == 16


def test_changed_code_is_noticed_in_another_process(tmp_path, monkeypatch):
    package = tmp_path / "changing"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "helper.py").write_text("def half(seed):\n    return seed // 2\n")
    (package / "main.py").write_text(
        "from toy_experiments import Dice\n\ndef run(setting: Dice, seed: int):\n"
        "    from .helper import half\n    return {'half': half(seed) // setting.rolls}\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    words = ["sweep", "changing.main:run", "--workers", "0", "--seeds", "2"]
    assert main(words) == 0
    folder = Path("sweeps/changing.main-run")  # the default
    before = contents(folder)
    (package / "helper.py").write_text("def half(seed):\n    return seed // 3\n")
    refused = subprocess.run([sys.executable, "-m", "support", *words], env=ENVIRONMENT, capture_output=True, text=True)
    assert refused.returncode == 1
    message = f"{folder} holds records of another sweep: the code of changing.helper has changed; choose another folder"
    assert refused.stderr.startswith(f"error: {message}")
    assert contents(folder) == before


def test_more_seeds_extend_a_sweep_and_leave_its_records_as_they_are(tmp_path):
    few = sweep(dice, SETTINGS, (2, 5), folder=tmp_path / "grown", workers=0)
    for seeds in ((2, 6), (9, 8)):
        many = sweep(dice, SETTINGS, seeds, folder=tmp_path / "grown", workers=0)
    sweep(dice, SETTINGS, (9, 8), folder=tmp_path / "at once", workers=0)
    assert (tmp_path / "grown/records.parquet").read_bytes() == (tmp_path / "at once/records.parquet").read_bytes()
    assert many.rows(0)[:2] + many.rows(1)[:5] == few.rows()


def test_only_what_is_missing_is_run_and_nothing_of_a_finished_sweep(tmp_path, log):
    places = [Call(str(log), 0), Call(str(log), 2)]
    sweep(broken, places, (2, 3), folder=tmp_path / "out", workers=0)
    before = contents(tmp_path / "out")
    assert len(sweep(broken, places, (2, 3), folder=tmp_path / "out", workers=2)) == 5
    assert len(seen(log)) == 5
    assert contents(tmp_path / "out") == before
    sweep(broken, places, (4, 3), folder=tmp_path / "out", workers=0)
    assert [call.number for call in seen(log)[5:]] == [0, 0]


def test_an_unfinished_sweep_is_readable_in_one_line(tmp_path):
    interrupted(tmp_path)
    (tmp_path / "unfinished/.part-000009.parquet.tmp").write_bytes(b"half a fi")
    table = pd.read_parquet(tmp_path / "unfinished")
    assert list(zip(table["setting"], table["replicate"], strict=True)) == [*[(0, k) for k in range(5)], (1, 0), (1, 1)]
    assert json.loads(pq.read_schema(next((tmp_path / "unfinished").glob("*.parquet"))).metadata[b"sweep"])["root"] == 0


def test_a_finished_sweep_says_what_it_is(tmp_path):
    whole(tmp_path)
    described = json.loads(pq.read_schema(tmp_path / "records.parquet").metadata[b"sweep"])
    assert described == json.loads((tmp_path / "sweep.json").read_text())
    assert described["experiment"] == "toy_experiments:dice"
    assert described["settings"][1] == {"rolls": 25, "bias": "1/6", "scale": 1.0, "label": "plain", "depth": None}
    assert described["seeds"] == [5, 5]
    assert set(described["versions"]) == {"python", *COMPUTE}
    assert set(described["code"]) == {"toy_experiments"} | {name for name in described["code"] if "support" in name}


# ---------------------------------------------------------------- what a power cut, or another program, leaves


def damaged(path, how):
    content = path.read_bytes()
    spot = content.index(b"rolled") // 2
    path.write_bytes(
        {
            "empty": b"",
            "cut short": content[: len(content) // 2],
            "text": b"records\n",
            "other columns": b"",
            "one bit": content[:spot] + bytes([content[spot] ^ 4]) + content[spot + 1 :],
        }[how]
    )
    if how == "other columns":
        pd.DataFrame({"x": [1]}).to_parquet(path)


@pytest.mark.parametrize("how", ["empty", "cut short", "text", "other columns"])
@pytest.mark.parametrize("finished", [True, False])
def test_a_damaged_file_of_records_is_named_and_can_be_deleted(tmp_path, how, finished):
    expected = whole(tmp_path / "plain")
    out = tmp_path / "out"
    interrupted(out)
    if finished:
        assert whole(out) == expected
    path = out / ("records.parquet" if finished else "unfinished/part-000002.parquet")
    damaged(path, how)
    before = contents(out)
    with pytest.raises(StoreError, match=f"cannot read {path} .*; delete it, and its tasks will be run again"):
        sweep(dice, SETTINGS, 5, folder=out, workers=0)
    assert contents(out) == before
    path.unlink()
    assert whole(out) == expected


def test_a_bit_that_has_changed_is_noticed(tmp_path):
    interrupted(tmp_path, 6)
    path = tmp_path / "unfinished/part-000002.parquet"
    content = path.read_bytes()
    column = pq.ParquetFile(path).metadata.row_group(0).column(3)
    spot = column.data_page_offset + column.total_compressed_size // 2
    path.write_bytes(content[:spot] + bytes([content[spot] ^ 4]) + content[spot + 1 :])
    with pytest.raises(StoreError, match=f"cannot read {path}.*delete it"):
        sweep(dice, SETTINGS, 5, folder=tmp_path, workers=0)


@pytest.mark.parametrize(
    "found", ["", "{", "[1]", "null", '"x"', "\x00", '{"settings": [1, 2]}', '{"seeds": ["a", 1]}']
)
def test_a_damaged_description_is_named(tmp_path, found):
    interrupted(tmp_path)
    (tmp_path / "sweep.json").write_text(found)
    before = contents(tmp_path)
    with pytest.raises(StoreError, match=f"{tmp_path}.*{WAY_OUT}"):
        sweep(dice, SETTINGS, 5, folder=tmp_path, workers=0)
    assert contents(tmp_path) == before
    (tmp_path / "sweep.json").unlink()
    with pytest.raises(StoreError, match=f"holds records without a sweep.json that says of what; {WAY_OUT}"):
        sweep(dice, SETTINGS, 5, folder=tmp_path, workers=0)


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_no_description_is_a_crash(data):
    json_values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    )
    with TemporaryDirectory() as folder:
        design = Design(dice, tuple(SETTINGS), (5, 5))
        interrupted(Path(folder), 1)
        described = json.loads(json.dumps(design.described()))
        name = data.draw(st.sampled_from(sorted(described)))
        value = data.draw(json_values | st.lists(json_values, min_size=2, max_size=2))
        Path(folder, "sweep.json").write_text(json.dumps({**described, name: value}))
        try:
            Store(Path(folder), design).close()
        except StoreError:
            return
        assert value == described[name] or name == "seeds"


@pytest.mark.parametrize("before", ["nothing", "an empty file", "another sweep"])
def test_a_folder_without_a_record_takes_any_sweep(tmp_path, before):
    """Such as one whose sweep found no scheduler, or no room for its first record."""
    if before == "another sweep":
        Store(tmp_path, Design(dice, (Dice(rolls=3),), (1,))).close()
    elif before == "an empty file":
        (tmp_path / "sweep.json").touch()
    sweep(dice, SETTINGS, 5, folder=tmp_path, workers=0)
    assert json.loads((tmp_path / "sweep.json").read_text())["settings"][1]["rolls"] == 25
    with pytest.raises(StoreError, match="holds records of another sweep: rolls of configuration 0 was 10 and is 3"):
        sweep(dice, [Dice(rolls=3), SETTINGS[1]], 5, folder=tmp_path, workers=0)


@pytest.mark.parametrize("found", ["{", '{"my": "own file"}', "[1]", "null", "\x00", "\udcff", "[" * 100_000])
def test_a_file_of_somebody_else_is_not_written_over(tmp_path, found):
    (tmp_path / "sweep.json").write_text(found, errors="surrogateescape")
    before = contents(tmp_path)
    said = f"^{tmp_path}/sweep.json is not the description of a sweep; choose another folder, or rename that file$"
    with pytest.raises(StoreError, match=said):
        sweep(dice, SETTINGS, 5, folder=tmp_path, workers=0)
    assert {path: text for path, text in contents(tmp_path).items() if path in before} == before


def test_what_was_never_finished_is_removed_and_what_is_not_ours_left(tmp_path):
    interrupted(tmp_path)
    ours = ".records.parquet.tmp", ".sweep.json.tmp", "unfinished/.part-000003.parquet.tmp"
    others = ".editor.tmp", "unfinished/notes.txt", "notes.parquet"
    for name in (*ours, *others):
        (tmp_path / name).write_text("half")
    whole(tmp_path)
    left = {str(path) for path in contents(tmp_path)}
    assert left - {"lock"} == {"sweep.json", "records.parquet", *others}


@pytest.mark.parametrize("seeds", [(5, 5), (6, 5)])
def test_the_power_is_cut_while_parts_are_deleted(tmp_path, seeds):
    sweep(dice, SETTINGS, seeds, folder=tmp_path / "plain", workers=0)
    interrupted(tmp_path / "out", 10)
    parts = {path: content for path, content in contents(tmp_path / "out").items() if "part" in path.name}
    assert len(parts) == 5
    whole(tmp_path / "out")
    for path, content in list(parts.items())[2:]:
        (tmp_path / "out" / path).write_bytes(content)
    records = sweep(dice, SETTINGS, seeds, folder=tmp_path / "out", workers=0)
    assert len(records) == sum(seeds)
    assert (tmp_path / "out/records.parquet").read_bytes() == (tmp_path / "plain/records.parquet").read_bytes()
    assert not [*(tmp_path / "out/unfinished").iterdir()]


class PowerCut(BaseException):
    pass


def counting(counted, original):
    return lambda *arguments, **more: counted(original, *arguments, **more)


@pytest.mark.parametrize("before", [None, 1])
def test_the_power_may_be_cut_at_any_step_of_writing(tmp_path, monkeypatch, before):
    """Before each thing that is done to the disk, for a new sweep and for one that gets more seeds."""
    sweep(dice, SETTINGS, 2, folder=tmp_path / "plain", workers=0)
    expected = (tmp_path / "plain/records.parquet").read_bytes()
    steps = (Path, "replace"), (Path, "unlink"), (os, "fsync"), (store_module.pq, "write_table")

    def cut(after):
        """The power is cut at this step; whether there was such a step."""
        left = [after]

        def counted(original, *arguments, **more):
            left[0] -= 1
            if left[0] == 0:
                raise PowerCut
            return original(*arguments, **more)

        out = tmp_path / str(after)
        if before:
            sweep(dice, SETTINGS, before, folder=out, workers=0)
        kept = 2 * (before or 0)

        def add(self, rows, real=Store.add):
            nonlocal kept
            real(self, rows)
            kept += len(rows)

        with monkeypatch.context() as patched:
            patched.setattr("support.sweep.run.FLUSH", 0.0)
            patched.setattr(Store, "add", add)
            for where, name in steps:
                patched.setattr(where, name, counting(counted, getattr(where, name)))
            try:
                sweep(dice, SETTINGS, 2, folder=out, workers=0)
            except PowerCut:
                pass
            else:
                return False
        found = [pq.read_table(path) for path in out.rglob("*.parquet") if not path.name.startswith(".")]
        assert len({seed for table in found for seed in table["seed"].to_pylist()}) >= kept
        assert len(sweep(dice, SETTINGS, 2, folder=out, workers=0)) == 4
        assert (out / "records.parquet").read_bytes() == expected
        assert {str(path) for path in contents(out)} - {"lock"} == {"sweep.json", "records.parquet"}
        return True

    after = 1
    while cut(after):
        after += 1
    assert after > 20


def test_a_record_is_on_the_disk_before_it_counts(tmp_path, monkeypatch):
    """Each file is written, brought to the disk, and renamed, in this order, and its folder brought to the disk."""
    done = []
    real = {"write": pq.write_table, "rename": Path.replace, "sync": os.fsync}

    def write(table, file, **more):
        done.append(("write", Path(file.name).name))
        real["write"](table, file, **more)

    def sync(handle):
        name = Path(f"/proc/self/fd/{handle}").resolve().name if Path("/proc/self/fd").exists() else "?"
        done.append(("sync", name))
        real["sync"](handle)

    def rename(source, target):
        done.append(("rename", source.name))
        return real["rename"](source, target)

    monkeypatch.setattr(store_module.pq, "write_table", write)
    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", rename)
    sweep(dice, Dice(), folder=tmp_path, workers=0)
    assert [what for what, _ in done] == ["sync", "rename", "sync", *["write", "sync", "rename", "sync"] * 2]
    if done[0][1] != "?":
        assert [name for _, name in done] == [
            *(".sweep.json.tmp", ".sweep.json.tmp", tmp_path.name),
            *(".part-000001.parquet.tmp",) * 3,
            "unfinished",
            *(".records.parquet.tmp",) * 3,
            tmp_path.name,
        ]


@pytest.mark.parametrize("step", ["before", "after"])
def test_control_c_while_records_are_written_keeps_each_once(tmp_path, monkeypatch, step):
    real, left = Store.add, [3]

    def add(self, rows):
        left[0] -= 1
        if left[0] == 0 and step == "before":
            raise KeyboardInterrupt
        real(self, rows)
        if left[0] == 0:
            raise KeyboardInterrupt

    expected = whole(tmp_path / "plain")
    monkeypatch.setattr("support.sweep.run.FLUSH", 0.0)
    monkeypatch.setattr(Store, "add", add)
    with pytest.raises(Interrupted, match=f"their records are in {tmp_path / 'out'}"):
        sweep(dice, SETTINGS, 5, folder=tmp_path / "out", workers=0)
    monkeypatch.undo()
    assert whole(tmp_path / "out") == expected


def test_a_full_disk_is_reported_and_what_was_kept_is_whole(tmp_path, monkeypatch, capsys):
    command = ["sweep", "toy_experiments:dice", "--seeds", "5", "--workers", "0", "--out", str(tmp_path / "out")]
    monkeypatch.setattr("support.sweep.run.FLUSH", 0.0)
    real, left = os.fsync, [7]

    def fsync(handle):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    assert main(command) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("error: cannot write ")
    assert "No space left on device" in errors
    assert 0 < len(pd.read_parquet(tmp_path / "out/unfinished")) < 5
    monkeypatch.undo()
    assert main(command) == 0


@pytest.mark.parametrize("kind", ["file", "below a file", "without leave"])
def test_a_folder_that_cannot_be_is_named(tmp_path, kind):
    (tmp_path / "file").write_text("")
    folder = {"file": tmp_path / "file", "below a file": tmp_path / "file/x", "without leave": Path("/proc/x")}[kind]
    with pytest.raises(StoreError, match=f"cannot keep records in {folder}"):
        sweep(dice, Dice(), folder=folder, workers=0)


def test_without_a_folder_nothing_is_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert len(sweep(dice, SETTINGS, 2, workers=0)) == 4
    with pytest.raises(SweepError) as caught:
        sweep(broken, Call(str(tmp_path), 1), workers=0)
    assert "kept" not in str(caught.value)
    assert "are in" not in str(caught.value)
    assert not [path for path in tmp_path.iterdir() if not path.name.startswith("call.")]


def test_equal_configurations_are_one_sweep(tmp_path):
    """However they were written down."""
    several = frozenset({"c", "a", "b"})
    for setting in (Every(real=2, several=several), replace(Every(several=frozenset("bca")), real=2.0)):
        sweep(every, setting, 3, folder=tmp_path, workers=0)
    assert json.loads((tmp_path / "sweep.json").read_text())["settings"][0]["several"] == '["a", "b", "c"]'
