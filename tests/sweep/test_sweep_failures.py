"""Tasks that raise, and records that cannot be kept."""

import re

import numpy as np
import pandas as pd
import pytest
from toy_experiments import RECORDS, Call, Odd, broken, leaving, odd, seen

from support.__main__ import main
from support.sweep import SweepError, spawn, sweep


@pytest.mark.parametrize("workers", [0, 2])
def test_failures_are_reported_the_others_kept_and_only_they_run_again(tmp_path, log, capsys, workers):
    command = [
        *("sweep", "toy_experiments:broken", "--set", f"log={log}", "--set", "number=0,1,2", "--seeds", "2"),
        *("--out", str(tmp_path / "out"), "--workers", str(workers)),
    ]
    assert main(command) == 1
    said = capsys.readouterr().err
    assert f"error: 2 of 6 tasks failed; the records of the others are in {tmp_path / 'out'}" in said
    for number, seed in enumerate(spawn(0, 2, 1).tolist()):
        assert f"error: {Call(str(log), 1)}, seed {seed} (number {number}):\nerror: Traceback" in said
    assert said.count("ArithmeticError: number 1 cannot be divided") == 2
    assert 'toy_experiments.py", line' in said
    assert sorted(pd.read_parquet(tmp_path / "out/unfinished")["number"]) == [0, 0, 2, 2]
    assert not (tmp_path / "out/records.parquet").exists()
    assert main(command) == 1
    assert [call.number for call in seen(log)[6:]] == [1, 1]
    (log / "mended").touch()
    assert main(command) == 0
    assert [call.number for call in seen(log)[8:]] == [1, 1]
    sweep(broken, [Call(str(log), number) for number in range(3)], 2, folder=tmp_path / "plain", workers=0)
    assert (tmp_path / "plain/records.parquet").read_bytes() == (tmp_path / "out/records.parquet").read_bytes()


def test_of_many_failures_the_first_few_are_shown(log):
    with pytest.raises(SweepError, match="50 of 50 tasks failed\nCall") as caught:
        sweep(broken, Call(str(log), 1), 50, workers=0)
    assert len(caught.value.failures) == 50
    assert caught.value.failures[7].task.seed == spawn(0, 8, 0)[7]
    assert str(caught.value).endswith("\nand 47 more")
    assert (caught.value.settings, len(caught.value.records)) == ((), 0)


@pytest.mark.parametrize("kept", [False, True])
def test_what_others_have_found_comes_with_the_error(log, tmp_path, kept):
    calls = [Call(str(log), number) for number in (1, 0, 2)]
    with pytest.raises(SweepError, match="1 of 4 tasks failed") as caught:
        sweep(broken, calls, (1, 1, 2), folder=tmp_path / "out" if kept else None, workers=0)
    records = caught.value.records
    assert caught.value.settings == (1, 2)
    assert records.table["number"].to_pylist() == [0, 2, 2]
    assert len(records.rows(1)) == 2


@pytest.mark.parametrize("workers", [0, 2])
def test_an_experiment_that_ends_python_has_failed(log, workers):
    with pytest.raises(SweepError, match=r"2 of 4 tasks failed(.|\n)*SystemExit: enough"):
        sweep(leaving, [Call(str(log), 0), Call(str(log), 1)], 2, workers=workers)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("float", "'x' is of type double, and in the records before it int64"),
        ("text", "'x' is of type string, and in the records before it int64"),
        ("empty", "'x' is of type list<.*: double>, and in the records before it int64"),
        ("more", "the record has other names than those before it: with y"),
        ("less", "the record has other names than those before it: without x"),
        ("other", "the record has other names than those before it: without x and with y"),
        ("none", "an experiment must return a mapping of names to values, not a NoneType"),
        ("list", "an experiment must return a mapping of names to values, not a list"),
        ("nothing", "'x' in the record must be a number, a truth value, text or a flat array, not a NoneType"),
        ("nested", "'x' in the record must be .* not a dict"),
        ("table", r"'x' in the record must be .* not an array of float64 and shape \(2, 2\)"),
        ("ragged", "'x' in the record must be .* not a list"),
        ("mixed", "'x' in the record must be .* not a list"),
        ("objects", r"'x' in the record must be .* not an array of object and shape \(1,\)"),
        ("fraction", "'x' in the record must be .* not a Fraction"),
        ("complex", "'x' in the record must be .* not a complex128"),
        ("moment", "'x' in the record must be .* not a datetime64"),
        ("bytes", "'x' in the record must be .* not a bytes"),
        ("long", "'x' in the record must be .* not a longdouble"),
        ("longs", "'x' in the record cannot be kept: .*[Uu]nsupported"),
        ("huge", "'x' in the record is beyond the whole numbers of 64 bits"),
        ("huges", "'x' in the record must be .* not an array of object"),
        ("surrogate", "'x' in the record cannot be kept: .*surrogates not allowed"),
        ("seed", "the record may not be called like a column of its configuration: seed"),
        ("setting", "the record may not be called like a column of its configuration: setting"),
        ("kind", "the record may not be called like a column of its configuration: kind"),
        ("number name", "names in a record are text, not 3"),
    ],
)
def test_records_that_do_not_fit_are_failures_in_clear_words(tmp_path, kind, message):
    with pytest.raises(SweepError, match="2 of 3 tasks failed") as caught:
        sweep(odd, [Odd(), Odd(kind)], (1, 2), folder=tmp_path, workers=0)
    for failure in caught.value.failures:
        assert failure.setting == Odd(kind)
        assert re.search(message, failure.trace.splitlines()[-1])
    assert pd.read_parquet(tmp_path / "unfinished")["x"].tolist() == [1]


@pytest.mark.parametrize("kind", ["number", "float", "text", "less", "swapped", "halves", "wide", "empty", "texts"])
def test_records_that_can_be_kept_are_kept_as_they_are(tmp_path, kind):
    records = sweep(odd, Odd(kind), 2, folder=tmp_path, workers=0)
    for row in pd.read_parquet(tmp_path / "records.parquet").to_dict("records"):
        for name, value in RECORDS[kind].items():
            assert np.array_equal(row[name], value)
    assert all(np.array_equal(records.column(name)[1], value) for name, value in RECORDS[kind].items())


def test_what_one_record_is_like_is_remembered_between_runs(tmp_path, log):
    both = [Call(str(log), 0), Call(str(log), 1)]
    with pytest.raises(SweepError, match="1 of 2"):
        sweep(broken, both, folder=tmp_path / "out", workers=0)
    (log / "mended").touch()
    part = next((tmp_path / "out/unfinished").glob("*.parquet"))
    table = pd.read_parquet(part).rename(columns={"draw": "drawn"})
    table.to_parquet(part)
    with pytest.raises(SweepError, match="without drawn and with draw"):
        sweep(broken, both, folder=tmp_path / "out", workers=0)
