"""What can be asked for and what not: in clear words, whatever it is."""

import contextlib
import io
import math
import multiprocessing
import re
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from unittest.mock import patch

import numpy as np
import pytest
import toy_experiments
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from toy_experiments import Dice, Every, Loose, Nothing, dice, every, inner

from support.__main__ import main
from support.games import EXPERIMENTS
from support.learners.long_runs import result_table
from support.sweep import (
    ClusterError,
    Design,
    DesignError,
    configurations,
    crew,
    experiment_named,
    spawn,
    sweep,
)
from support.sweep.design import LARGEST, as_json, configuration_type

HUGE = 10**5000  # more digits than Python prints
FIELDS = [field.name for field in fields(Every)]


def quiet(*words):
    """Exit status of the command, and what it wrote: nothing but a message if it does not work."""
    said, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(errors):
        try:
            status = main(["sweep", *words])
        except SystemExit as error:  # argparse
            status = error.code
    return status, said.getvalue(), errors.getvalue()


# ---------------------------------------------------------------- what is given in Python

odd_numbers = st.sampled_from(
    [math.nan, math.inf, -math.inf, -0.0, 0, 1, -1, 13, 2**31, 2**63, -(2**70), HUGE, 1e308, 5e-324, Decimal("0.1")]
)
odd_text = st.text(max_size=5) | st.sampled_from(
    ["", " 1", "1e3", "0x10", "1_000", "nan", "-inf", "1/0", "1/3", "٣", "true", "None", "\ud800", "\x00", "9" * 5000]
)
values = st.one_of(
    odd_numbers,
    odd_text,
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.fractions(),
    st.sampled_from([b"a", np.int64(3), np.float64("nan"), object(), Every, 1j, {}, {"a": 1}, Path("x/y")]),
    st.lists(st.integers(0, 2) | odd_text, max_size=3),
    st.tuples(st.floats() | odd_numbers, st.integers() | odd_text),
    st.frozensets(st.text(max_size=2), max_size=3),
)


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), st.lists(values, max_size=2) | values, max_size=3))
@example({"whole": [2**70, 1], "real": [2**60, 0.5]})
@example({"whole": [HUGE]})
@example({"row": [(HUGE,)]})
@example({"count": [0]})
@example({"whole": [13]})
@example({"several": [frozenset({"b", "a"})]})
def test_any_values_make_configurations_or_a_clear_error(given_values):
    fault = ""
    try:
        made = configurations(every, given_values)
        records = sweep(every, made, 1, workers=0)
    except DesignError as error:
        fault = str(error)
    if fault:
        assert any(word in fault for word in (*given_values, "the same", "'thirteen'", "too small"))
        return
    for k, setting in enumerate(made):
        assert type(setting) is Every
        assert records.column("half", k).tolist() == [spawn(0, 1, k)[0] // 2]
        for name in FIELDS:
            kept, value = records.rows(k)[0][name], as_json(getattr(setting, name))
            assert kept == value or str(kept) == str(value)


def every_of(name, value):
    (made,) = configurations(every, {name: [value]})
    return made


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(FIELDS), values)
def test_any_configuration_is_checked_also_where_it_was_made_by_hand(name, value):
    setting = Every()
    object.__setattr__(setting, name, value)
    fault = ""
    try:
        records = sweep(every, setting, 1, workers=0)
    except DesignError as error:
        fault = str(error)
    if fault:
        assert any(word in fault for word in (name, "'thirteen'", "too small"))
    else:
        kept, stored = records.rows()[0][name], as_json(getattr(every_of(name, value), name))
        assert kept == stored or str(kept) == str(stored)


impossible_counts = st.one_of(
    st.integers(-5, 0),
    st.integers(LARGEST + 1),
    st.just(HUGE),
    st.floats(),
    odd_text,
    st.none(),
    st.booleans(),
    st.lists(st.integers(-2, 0), max_size=2),
    st.sampled_from([object(), np.float64(2), np.array([2.0]), (2, 2, 2), {}]),
)


@settings(max_examples=150, deadline=None)
@given(impossible_counts)
def test_impossible_numbers_of_seeds(count):
    with pytest.raises(DesignError, match="seeds"):
        sweep(every, Every(), count, workers=0)


@settings(max_examples=150, deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={
            "root": st.integers(-3, 2**130) | odd_numbers | odd_text,
            "place": st.lists(st.integers(-1, 2**33) | odd_numbers | odd_text, max_size=2) | odd_numbers | odd_text,
            "workers": st.integers(max_value=0)
            | st.integers(2000)
            | odd_text
            | st.just(0)
            | st.sampled_from([HUGE, 0.5]),
            "scheduler": st.just("") | st.integers() | st.binary() | st.just(" ") | st.just(["tcp://x:1"]),
        },
    )
)
def test_impossible_roots_places_and_workers(words):
    fault = ""
    try:
        records = sweep(every, Every(), 2, **{"workers": 0, **words})
    except DesignError as error:
        fault = str(error)
    if fault:
        assert any(word in fault for word in words)
        return
    root, place = words.get("root", 0), words.get("place", ())
    place = place if isinstance(place, list | str) else [place] if "place" in words else []
    assert "scheduler" not in words
    assert records.column("seed").tolist() == spawn(root, 2, *place, 0).tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "at least one configuration"),
        (([Every(), Every(real=0.5)],), "configurations 0 and 1 are the same: .*; to repeat one, give it more seeds"),
        (([Every(), Dice()],), r"every takes a Every, not Dice \(configuration 1\)"),
        ((Every,), "takes a Every, not type"),
        (("ab",), "takes a Every, not str"),
        (({"whole": 1},), "takes a Every, not dict"),
        ((Every(), (1, 2)), r"1 configurations need as many numbers of seeds, not \(1, 2\)"),
        (([Every(), Every(whole=1)], (LARGEST, 1)), "at most 100,000,000 tasks"),
    ],
)
def test_impossible_sweeps(arguments, message):
    with pytest.raises(DesignError, match=message):
        sweep(every, *arguments, workers=0)


@pytest.mark.parametrize(
    ("given_values", "message"),
    [
        ({"size": [1]}, "Every has no field 'size'; it has whole, count, real, truth,"),
        ({"whole": []}, "field 'whole' needs a list of at least one value"),
        ({"whole": "12"}, "field 'whole' needs a list of at least one value"),
        ({"whole": 3}, "field 'whole' needs a list of at least one value"),
        ({"whole": [1, "x"]}, "whole must be a whole number, not 'x'"),
        ({"real": [math.nan]}, "real: NaN is not a number"),
        ({"pair": [(math.nan, 1)]}, "pair: NaN is not a number"),
        ({"word": ["c"]}, "word must be one of 'a', 'b' or 3, not 'c'"),
        ({"count": [-1]}, "count must be at least 0, not -1"),
        ({"whole": ["x"], "real": ["y"]}, "whole must be a whole number, not 'x'; real must be a number, not 'y'"),
        ({"whole": [13]}, "thirteen"),
        ({"part": ["1/0"]}, "part"),
        ({"whole": ["x" * 1000]}, "whole must be a whole number, not 'x.*x…"),
        ({"text": ["\ud800"]}, "text: .*surrogates not allowed"),
    ],
)
def test_wrong_values_are_named(given_values, message):
    with pytest.raises(DesignError, match=message) as caught:
        configurations(every, given_values)
    assert len(str(caught.value)) < 300


def test_values_are_combined_the_last_varying_fastest():
    made = configurations(dice, {"label": ["loaded", "plain"], "rolls": ["3", 4], "depth": [None]})
    assert made == tuple(Dice(rolls=rolls, label=label) for label in ("loaded", "plain") for rolls in (3, 4))
    assert configurations(dice, {}) == (Dice(),)
    assert configurations(toy_experiments.nothing, {}) == (Nothing(),)


# ---------------------------------------------------------------- experiments

of_main = ModuleType("__main__")
exec("from toy_experiments import Dice\ndef lost(setting: Dice, seed: int): return {}", of_main.__dict__)


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        (lambda setting, seed: {}, "<lambda> cannot be imported by a worker: define it at the top of a module"),
        (toy_experiments.by_name, "<lambda> cannot be imported by a worker"),
        (inner(), "inner.<locals>.nested cannot be imported by a worker"),
        (of_main.lost, "__main__:lost cannot be imported by a worker"),
        (Dice, "an experiment is a function of a configuration and a seed, not <class"),
        ("toy_experiments:dice", "an experiment is a function of a configuration and a seed, not 'toy"),
        (None, "not None"),
        (sorted, "not <built-in function sorted>"),
        (toy_experiments.of_loose, "of_loose must say that 'setting' is a frozen dataclass"),
        (toy_experiments.of_anything, "of_anything must say that 'setting' is a frozen dataclass"),
        (toy_experiments.of_one, r"of_one must take a configuration and a seed, not \(setting: .*Dice\)"),
        (toy_experiments.of_three, "of_three must take a configuration and a seed, not .*more: int = 0"),
        (toy_experiments.of_keyword, "of_keyword must take a configuration and a seed"),
        (toy_experiments.of_several, r"of_several must take a configuration and a seed, not .*\*seeds: int"),
        (toy_experiments.of_missing, "the types of toy_experiments:of_missing cannot be read: .*'Missing'"),
        (toy_experiments.of_unknown, "the fields of Unknown must have types whose values can be checked: .*'Missing'"),
        (toy_experiments.of_foreign, "the fields of Foreign must have types whose values can be checked: .*Plain"),
        (toy_experiments.of_clash, "no field of Clash may be called seed: records have such a column"),
        (toy_experiments.of_holder, "Holder cannot be made: .*unhashable"),
    ],
)
def test_experiments_that_no_worker_could_run(experiment, message):
    names = {
        toy_experiments.of_loose: Loose,
        toy_experiments.of_clash: toy_experiments.Clash,
        toy_experiments.of_foreign: toy_experiments.Foreign,
        toy_experiments.of_unknown: toy_experiments.Unknown,
        toy_experiments.of_holder: toy_experiments.Holder,
    }
    with pytest.raises(DesignError, match=message):
        sweep(experiment, names.get(experiment, Dice)(), workers=0)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nonsense", "no experiment 'nonsense'; there are "),
        ("toy_experiments", "no experiment 'toy_experiments'; there are "),
        ("toy_experiments:", "no experiment 'toy_experiments:'; there are "),
        (":dice", "no experiment ':dice' "),
        (".toys:dice", "no experiment '.toys:dice' "),
        ("toy_experiments:missing", "no attribute 'missing'"),
        ("toy_experiments:dice.x", "no attribute 'dice.x'"),
        ("toy_experiments:PATIENCE", "an experiment is a function of a configuration and a seed, not 120.0"),
        ("toy_experiments:Dice", "an experiment is a function"),
        ("toy_experiments:until", "until must say that 'condition' is a frozen dataclass"),
        ("toy_experiments:by_name", "cannot be imported by a worker"),
        ("no.such.module:run", "No module named 'no'"),
        ("json:dumps", "json:dumps must take a configuration and a seed"),
        ("a b/c:d", "no experiment 'a b/c:d'"),
        ("\x00:d", "no experiment"),
        ("\udcff:d", "no experiment"),
        ("crooked:run", "no experiment 'crooked:run' (SyntaxError: "),
        ("raising:run", "no experiment 'raising:run' (ZeroDivisionError: division by zero)"),
    ],
)
def test_unknown_experiments(tmp_path, monkeypatch, name, message):
    (tmp_path / "crooked.py").write_text("def run(:\n")
    (tmp_path / "raising.py").write_text("1 / 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    status, said, errors = quiet(name, "--workers", "0")
    assert (status, said) == (1, "")
    assert errors.startswith("error: ")
    assert message in errors
    assert not (tmp_path / "sweeps").exists()


def test_an_experiment_by_its_name_and_by_its_place():
    assert experiment_named("toy_experiments:dice", {}) is dice
    assert experiment_named("dice", {"dice": "toy_experiments:dice"}) is dice
    with pytest.raises(DesignError, match=r"no experiment 'dies'; did you mean dice\? Name your own as module"):
        experiment_named("dies", {"dice": "toy_experiments:dice"})


# ---------------------------------------------------------------- the command line


def configured(*words):
    """The configurations that the command line sweeps over."""
    with patch("support.sweep.sweep") as swept:
        assert main(["sweep", *words]) == 0
    return swept.call_args.args[1]


def test_the_numbers_of_this_books_experiments_can_be_set():
    chosen = configured("biscuits", "--set", "exploration=0,0.1", "--set", "games=50")
    assert [setting.epsilon for setting in chosen] == [(0.0, 0.0), (0.1, 0.1)]
    (chosen,) = configured("biscuits-many", "--set", "exploration=0.1", "--set", "betty_exploration=0.2")
    assert chosen.epsilon == (0.1, 0.2)
    (chosen,) = configured("call-or-raise", "--set", "others=holds", "--set", "others_bluff=1/4")
    assert {player.bluff for player in chosen.settings().players[1:]} == {Fraction(1, 4)}
    for name in EXPERIMENTS:
        kind = configuration_type(experiment_named(name, EXPERIMENTS))
        for field in fields(kind):
            if field.init and isinstance(field.default, int | float | Fraction):
                (chosen,) = configured(name, "--set", f"{field.name}={field.default}")
                assert chosen == kind()


def test_a_game_is_set_by_its_name_or_by_its_rules():
    named, placed = (
        configured("result-table", "--set", f"game={game}") for game in ("kuhn-poker", "support.games.cards.kuhn:Kuhn")
    )
    assert named == placed
    assert named[0].game == "support.games.cards.kuhn:Kuhn"
    assert quiet("result-table", "--set", "game=chess")[2].startswith(
        "error: there is no game 'chess'; there are biscuits"
    )


def test_records_depend_on_the_modules_that_a_setting_names():
    chosen = configured("result-table", "--set", "game=kuhn-poker,biscuits")
    found = [Design(result_table, (one,), (1,)).described()["code"] for one in chosen]
    assert ["support.games.cards.kuhn" in code for code in found] == [True, False]
    assert ["support.games.biscuits.rules" in code for code in found] == [False, True]


def test_the_command_line_sweeps(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = "toy_experiments:dice", "--set", "rolls=3,4", "--set", "bias=1/3", "--seeds", "2", "--root", "9"
    assert quiet(*words, "--workers", "0") == (
        *(0, "4 records, 2 settings: sweeps/toy_experiments-dice/records.parquet\n"),
        "",
    )
    settings = [Dice(rolls=rolls, bias=Fraction(1, 3)) for rolls in (3, 4)]
    sweep(dice, settings, 2, root=9, folder=tmp_path / "plain", workers=0)
    found = Path("sweeps/toy_experiments-dice/records.parquet").read_bytes()
    assert found == (tmp_path / "plain/records.parquet").read_bytes()


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--set", "rolls"], 1, "--set must be KEY=VALUE or KEY=V1,V2 without gaps, not 'rolls'"),
        (["--set", "=3"], 1, "without gaps, not '=3'"),
        (["--set", "rolls="], 1, "without gaps, not 'rolls='"),
        (["--set", "rolls=1,,2"], 1, "without gaps, not 'rolls=1,,2'"),
        (["--set", ""], 2, "must not be empty"),
        (["--set", "rolls=1", "--set", "rolls=2"], 1, "--set has 'rolls' twice"),
        (["--set", "roles=1"], 1, "Dice has no field 'roles'; it has rolls, bias, scale, label, depth"),
        (
            ["--set", "rolls=x"],
            1,
            "rolls must be a whole number, not 'x'",
        ),
        (["--set", "rolls=1.5"], 1, "rolls must be a whole number, not '1.5'"),
        (["--set", f"rolls={'9' * 5000}"], 1, "rolls: Unable to parse"),
        (["--set", "scale=nan"], 1, "scale: NaN is not a number"),
        (["--set", "bias=1/0"], 1, "bias: "),
        (["--set", "label=Plain"], 1, "label must be one of 'plain' or 'loaded', not 'Plain'"),
        (["--set", "scale=1,1.0"], 1, "configurations 0 and 1 are the same"),
        (["--seeds", "0"], 1, "the number of seeds must be a whole number of at least 1, not 0"),
        (["--seeds", "-3"], 1, "the number of seeds must be a whole number of at least 1, not -3"),
        (["--seeds", "1000000000000"], 1, "at most 100,000,000 tasks"),
        (["--seeds", "many"], 2, "--seeds: must be a whole number of at most 40 digits, not 'many'"),
        (["--seeds", "1.5"], 2, "--seeds: must be a whole number of at most 40 digits, not '1.5'"),
        (["--seeds", "9" * 5000], 2, "--seeds: must be a whole number of at most 40 digits, not '999"),
        (["--seeds"], 2, "--seeds: expected one argument"),
        (["--root", "-1"], 1, "the root must be a whole number of at least 0 and below 2^128, not -1"),
        (["--root", str(2**128)], 1, "the root must be"),
        (["--root", "x"], 2, "--root: must be a whole number of at most 40 digits, not 'x'"),
        (["--workers", "-1"], 1, "the number of workers must be a whole number from 0 to 1,024, not -1"),
        (["--workers", "1000000"], 1, "the number of workers must be a whole number from 0 to 1,024, not 1000000"),
        (["--workers", "two"], 2, "--workers: must be a whole number of at most 40 digits, not 'two'"),
        (["--scheduler", ""], 2, "must not be empty"),
        (["--scheduler", "nonsense"], 1, "no scheduler answers at nonsense (missing port number"),
        (["--scheduler", "foo://127.0.0.1:1"], 1, "no scheduler answers at foo://127.0.0.1:1 (unknown address scheme"),
        (["--scheduler", "tcp://127.0.0.1:x"], 1, "no scheduler answers at tcp://127.0.0.1:x ("),
        (["--scheduler", "tls://127.0.0.1:1"], 1, "no scheduler answers at tls://127.0.0.1:1 (TLS expects"),
        (["--scheduler", "tcp://127.0.0.1:1"], 1, "no scheduler answers at tcp://127.0.0.1:1 (Timed out"),
        (["--scheduler", "tcp://127.0.0.1:99999"], 1, "no scheduler answers at tcp://127.0.0.1:99999 ("),
        (["--out", __file__], 1, f"cannot keep records in {__file__}"),
        (["--sets", "rolls=1"], 2, "unrecognized arguments: --sets rolls=1"),
    ],
)
def test_impossible_commands_are_refused(tmp_path, monkeypatch, words, status, message):
    monkeypatch.setattr(crew, "PATIENCE", 0.3)
    monkeypatch.chdir(tmp_path)
    if "--workers" not in words and "--scheduler" not in words:
        words = ["--workers", "0", *words]
    found, said, errors = quiet("toy_experiments:dice", *words)
    assert (found, said) == (status, "")
    assert message in errors
    assert "Traceback" not in errors
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_scheduler_that_is_no_scheduler(monkeypatch):
    monkeypatch.setattr(crew, "PATIENCE", 0.3)
    with pytest.raises(ClusterError, match=r"no scheduler answers at tcp://a b:1 \("):
        sweep(dice, Dice(), scheduler="tcp://a b:1")


small = st.integers(-2, 3).map(str)
few = st.one_of(small, st.integers(LARGEST + 1).map(str), odd_text.filter(lambda text: not text.strip().isdigit()))
shape = st.builds(
    "{}={}".format, st.sampled_from([*FIELDS, "x", "", "seed"]), odd_text | small | st.just("1,2") | st.just("[1]")
)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(shape | odd_text, max_size=3),
    st.none() | few,
    st.none() | st.integers(-(2**130), 2**130).map(str) | odd_text,
    st.sampled_from(["0", "-1", "x", ""]),
)
@example(["row=[1"], None, None, "0")
@example(["whole=13"], "2", "3", "0")
@example(["text=\ud800"], "1_0", "٣", "0")
def test_no_command_is_a_crash(sets, seeds, root, workers):
    with TemporaryDirectory() as folder:
        words = [
            "toy_experiments:every",
            *(f"--set={text}" for text in sets),
            f"--workers={workers}",
            f"--out={folder}/o",
        ]
        words += [f"--seeds={seeds}"] if seeds is not None else []
        words += [f"--root={root}"] if root is not None else []
        status, said, errors = quiet(*words)
        if status:
            assert status in (1, 2)
            assert not said
            assert errors.startswith("error: " if status == 1 else "usage: ")
            assert "Traceback" not in errors
            assert len(errors) < 6500
        else:
            assert (Path(folder) / "o/records.parquet").exists()
            assert " records, " in said


def test_a_script_without_a_guard_gets_an_error_about_it(monkeypatch):
    monkeypatch.setattr(
        multiprocessing.current_process(), "_inheriting", True, raising=False
    )  # as where it is imported
    with pytest.raises(ClusterError, match="a script that runs a sweep must do so under `if __name__ == '__main__':`"):
        sweep(dice, Dice(), workers=7)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_whole_number_has_bounds_and_says_them(tmp_path, monkeypatch, name):
    """What an experiment could not bear is refused before anything is allocated."""
    monkeypatch.chdir(tmp_path)
    kind = configuration_type(experiment_named(name, EXPERIMENTS))
    for field in fields(kind):
        if not field.init or isinstance(field.default, bool) or not isinstance(field.default, int | None):
            continue
        status, said, errors = quiet(name, "--set", f"{field.name}={10**18}", "--workers", "0")
        assert (status, said) == (1, ""), field.name
        assert re.fullmatch(rf"error: {kind.__name__} cannot be made: .*\b{field.name}\b.*\n", errors), errors
        assert re.search(r"at most \d|between 0 and 1|from \d+ to \d|lie between 1 and \d", errors), errors
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("biscuits", "digestives=999999999"), "digestives must be at most 60, not '999999999'"),
        (("biscuits", "digestives=0", "rich_teas=0"), "digestives and rich_teas must be at least 1 together, not 0"),
        (
            ("call-or-raise", "games=100000000", "every=99"),
            "every must be at least a 1,000,000th of the 100,000,000 games",
        ),
        (("wild-ones", "games=1000000", "point=9"), "point must be at least a 100,000th of the 1,000,000 games, not 9"),
        (("three-dice-contest", "discounts=" + " ".join(["1"] * 101)), "discounts must name 1 to 100 numbers"),
        (("three-dice-contest", f"discounts=1/{10**20}"), "a fraction whose denominator has at most 20 digits"),
        (("three-dice-plan", f"discount=1/{10**20}"), "a fraction whose denominator has at most 20 digits"),
        (("result-table", "per_decade=101"), "per_decade must be at most 100, not '101'"),
    ],
)
def test_what_an_experiment_could_not_bear_is_refused(tmp_path, monkeypatch, words, message):
    monkeypatch.chdir(tmp_path)
    status, said, errors = quiet(words[0], *(word for value in words[1:] for word in ("--set", value)))
    assert (status, said, errors.count("\n")) == (1, "", 1)
    assert re.search(message, errors)
