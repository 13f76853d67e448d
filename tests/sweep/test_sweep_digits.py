"""One sweep, one set of digits."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_experiments import Call, Dice, Nothing, Odd, broken, buffered, dice, draw, late, nothing, odd, seen

from support.sweep import Design, DesignError, spawn, sweep
from support.sweep.columns import checked_record
from support.sweep.scale import Scaled
from support.sweep.store import Store

SETTINGS = [Dice(), Dice(rolls=25, bias=Fraction(2, 3), scale=0.1), Dice(label="loaded", depth=3)]
COUNTS = (5, 400, 20)


@dataclass(frozen=True)
class Toy(Scaled):
    root: int = 7

    @classmethod
    def small(cls):
        return cls()


def test_seeds_are_by_place_and_more_begin_with_the_same():
    few, many = spawn(3, 5, 2, 1), spawn(3, 50, 2, 1)
    assert few.dtype == np.uint64
    assert many[:5].tolist() == few.tolist()
    assert len({*many.tolist(), *spawn(3, 50, 2).tolist(), *spawn(3, 50, 1, 2).tolist(), *spawn(4, 50, 2, 1)}) == 200


def test_a_scaled_sweep_gives_each_configuration_the_seeds_of_its_place():
    config = Toy(workers=0)
    records = config.sweep(dice, SETTINGS, (2, 3, 4), 6, 1)
    for k, count in enumerate((2, 3, 4)):
        assert records.column("seed", k).tolist() == config.spawn(count, 6, 1, k).tolist()
        assert records.column("seed", k).tolist() == spawn(7, count, 6, 1, k).tolist()
    assert config.sweep(dice, SETTINGS[1:2], 3).column("seed").tolist() == config.spawn(3, 0).tolist()


def test_a_scaled_sweep_that_is_kept_is_not_run_again_and_no_other_is_found_in_its_place(tmp_path, log):
    config, memory = Toy(workers=0, kept=tmp_path / "kept"), Toy(workers=0)
    first = config.sweep(broken, Call(str(log), 0), 3)
    assert len(seen(log)) == 3
    assert config.sweep(broken, [Call(str(log), 0)], (3,)).rows() == first.rows()
    assert len(seen(log)) == 3
    more, other = config.sweep(broken, Call(str(log), 0), 4), config.sweep(broken, Call(str(log), 2), 3)
    assert len(seen(log)) == 3 + 4 + 3
    assert more.rows()[:3] == first.rows() != other.rows()
    assert len(list((tmp_path / "kept").iterdir())) == 3
    assert memory.sweep(broken, Call(str(log), 0), 3).rows() == first.rows()


def test_no_two_places_share_their_seeds():
    for root, place in ((0, (2**32,)), (2**128, ()), (2**128, (0,)), (0, (0, 2**40))):
        with pytest.raises(DesignError, match=r"2\^128|2\^32"):
            sweep(dice, Dice(), root=root, place=place, workers=0)
    edge = sweep(dice, Dice(), root=2**128 - 1, place=(2**32 - 1,), workers=0)
    assert edge.column("seed").tolist() == spawn(2**128 - 1, 1, 2**32 - 1, 0).tolist()


def test_none_one_and_two_workers_write_the_same_bytes(tmp_path):
    for workers in (0, 1, 2):
        records = sweep(dice, SETTINGS, COUNTS, root=5, folder=tmp_path / str(workers), workers=workers)
        assert len(records) == sum(COUNTS)
    whole = (tmp_path / "0" / "records.parquet").read_bytes()
    assert (tmp_path / "1" / "records.parquet").read_bytes() == whole
    assert (tmp_path / "2" / "records.parquet").read_bytes() == whole


@pytest.mark.parametrize("kind", ["number", "float", "text", "swapped", "halves", "wide", "empty", "texts", "truths"])
def test_what_is_kept_in_memory_is_what_a_folder_would_keep(tmp_path, kind):
    for experiment, setting in ((odd, Odd(kind)), (dice, Dice())):
        memory = sweep(experiment, setting, 3, workers=0).table
        kept = sweep(experiment, setting, 3, folder=tmp_path / experiment.__name__, workers=0).table
        assert memory.equals(kept)
        assert memory.schema.equals(kept.schema)


def test_the_order_in_which_tasks_end_does_not_matter(tmp_path, log):
    settings = [Call(str(log), number) for number in range(4)]
    (log / "late").touch()
    sweep(late, settings, (1, 3, 3, 3), folder=tmp_path / "late", workers=2)
    assert 0 not in [call.number for call in seen(log, "end")[:6]]
    (log / "late").unlink()
    sweep(late, settings, (1, 3, 3, 3), folder=tmp_path / "plain", workers=0)
    assert (tmp_path / "late/records.parquet").read_bytes() == (tmp_path / "plain/records.parquet").read_bytes()


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_no_order_or_portion_of_writing_matters(data):
    design = Design(dice, tuple(SETTINGS), (4, 3, 5))
    tasks = data.draw(st.permutations(list(design.tasks())))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(tasks) - 1), max_size=6)))
    with TemporaryDirectory() as folder:
        store = Store(Path(folder, "sweep"), design)
        for start, stop in zip([0, *cuts], [*cuts, len(tasks)], strict=True):
            rows = [(task, checked_record(dice(SETTINGS[task.setting], task.seed), ())) for task in tasks[start:stop]]
            assert not any(store.fit(record) for _, record in rows)
            store.add(rows)
        store.finish()
        store.close()
        sweep(dice, SETTINGS, (4, 3, 5), folder=Path(folder, "plain"), workers=0)
        assert store.records.read_bytes() == Path(folder, "plain/records.parquet").read_bytes()


def test_rows_are_in_the_order_of_the_configurations_and_then_of_the_seeds(tmp_path):
    records = sweep(dice, SETTINGS, (2, 1, 3), folder=tmp_path, workers=0)
    assert records.column("setting").tolist() == [0, 0, 1, 2, 2, 2]
    assert records.column("replicate").tolist() == [0, 1, 0, 0, 1, 2]
    assert records.column("bias").tolist() == ["1/6", "1/6", "2/3", "1/6", "1/6", "1/6"]
    assert records.column("depth", 2).tolist() == [3, 3, 3]
    assert pq.read_table(tmp_path / "records.parquet").equals(records.table)
    for row in records.rows():
        expected = checked_record(dice(SETTINGS[row["setting"]], row["seed"]), ())
        assert {name: row[name] for name in expected} == {
            name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in expected.items()
        }


def test_columns_of_all_configurations_and_of_one():
    records = sweep(dice, SETTINGS, (2, 1, 3), workers=0)
    assert records.seeds == (2, 1, 3)
    assert records.column("rolled", 2).shape == (3, 10)
    assert records.column("mean", 1).tolist() == [row["mean"] for row in records.rows(1)]
    with pytest.raises(ValueError, match="same shape"):
        records.column("rolled")
    with pytest.raises(KeyError, match="no column 'means'; there are setting, replicate, seed, rolls"):
        records.column("means")
    for number in (3, -1):
        with pytest.raises(IndexError, match=f"no configuration {number}; there are 3"):
            records.column("mean", number)


def test_a_record_is_what_the_experiment_returned_at_that_time():
    for workers in (0, 2):
        values = sweep(buffered, Dice(), 20, workers=workers).column("values")
        assert len({*map(tuple, values)}) == 20


def test_a_whole_number_in_the_place_of_a_float_is_that_float(tmp_path):
    one = sweep(dice, Dice(scale=2), folder=tmp_path / "whole", workers=0)
    assert one.column("scale").dtype == float
    sweep(dice, Dice(scale=2.0), folder=tmp_path / "float", workers=0)
    assert (tmp_path / "whole/records.parquet").read_bytes() == (tmp_path / "float/records.parquet").read_bytes()


def test_an_experiment_may_have_nothing_to_set_and_nothing_to_say():
    records = sweep(nothing, Nothing(), 2, workers=0)
    assert records.table.column_names == ["setting", "replicate", "seed"]
    assert draw(1) == draw(1)
