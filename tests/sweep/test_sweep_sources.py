"""Which code the records of a sweep depend on."""

import os
import sys
from importlib import metadata

import pytest
from toy_experiments import Dice, dice

from support.__main__ import main
from support.games import EXPERIMENTS
from support.sweep import ClusterError, crew, engine, experiment_named, spawn, sweep
from support.sweep.design import COMPUTE, sources_of, versions

FILES = {
    "__init__.py": "",
    "main.py": """
        from toy_experiments import Dice

        def run(setting: Dice, seed: int):
            from .late import late
            from support.verdicts.stats import mean_interval
            import support.sweep.store
            return {{}}
    """,
    "late.py": "import {name}.plain\nlate = 1\n",
    "plain.py": "",
    "unused.py": "import support.verdicts.judging\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes a package and finds its experiment."""

    def write(name, **changed):
        for path, text in {**FILES, **changed}.items():
            target = tmp_path / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            lines = text.format(name=name).splitlines()
            target.write_text("\n".join(line.removeprefix(" " * 8) for line in lines) + "\n")
        monkeypatch.syspath_prepend(tmp_path)
        found = experiment_named(f"{name}.main:run", {})
        imported.append(name)
        return found

    imported = []
    yield write
    for module in [module for module in sys.modules if module.partition(".")[0] in imported]:
        del sys.modules[module]


def test_imports_are_followed_wherever_they_are(package):
    found = sources_of(package("toy_a"))
    assert {name.removeprefix("toy_a") for name in found if name.startswith("toy_a")} == {
        "",
        ".main",
        ".late",
        ".plain",
    }
    others = {name for name in found if not name.startswith("toy_a")}
    assert others >= {"support", "support.verdicts.stats"}
    assert all(name.partition(".")[0] == "support" for name in others)
    assert not any(name.startswith("support.sweep") for name in others)
    assert spawn.__module__ in others  # though an experiment gets it from the sweep
    assert "support.verdicts.judging" not in others


@pytest.mark.parametrize("path", ["__init__.py", "late.py", "plain.py", "main.py"])
def test_any_change_of_what_is_followed_is_seen_and_no_other(tmp_path, package, path):
    name = f"toy_{path.partition('.')[0]}"
    run = package(name)
    before = dict(sources_of(run))
    sources_of.cache_clear()
    assert sources_of(run) == before
    for changed in (path, "unused.py"):
        with (tmp_path / name / changed).open("a") as file:
            file.write("# changed\n")
    sources_of.cache_clear()
    after = sources_of(run)
    (different,) = {module for module in before if before[module] != after[module]}
    assert set(after) == set(before)
    assert different == f"{name}.{path[:-3]}".removesuffix(".__init__")


def test_a_setting_may_name_a_module_of_another_package(tmp_path, package):
    package("toy_rules")
    named = sources_of(package("toy_b"), ("toy_rules.plain:Rules", "0.5", "nowhere.at.all"))
    assert set(named) - set(sources_of(package("toy_b"))) == {"toy_rules", "toy_rules.plain"}


def test_every_experiment_of_this_book_is_listed_and_knows_its_sources(capsys):
    assert main(["sweep"]) == 0
    said = capsys.readouterr().out
    for name in EXPERIMENTS:
        assert f"{name}: " in said
        experiment = experiment_named(name, EXPERIMENTS)
        found = sources_of(experiment)
        assert experiment.__module__ in found
        assert "support" in found
        assert not any(module.startswith("support.sweep") for module in found)


def test_nothing_is_imported_to_find_the_sources(package):
    run = package("toy_idle")
    sources_of(run)
    assert {f"toy_idle{name}" for name in (".late", ".plain")}.isdisjoint(sys.modules)


def test_workers_whose_code_is_another_than_the_drivers_are_named_at_once(monkeypatch, capsys):
    for module in (engine, crew):
        monkeypatch.setattr(module, "stamp", lambda *experiment: {"the code of dice": "another"})
    what = r"the worker at tcp://127.0.0.1:\d+ has another version of learned-and-checked \(and of \d+ more\)"
    message = rf"no worker can take a task: {what}; {what}; install there what is installed here\Z"
    with pytest.raises(ClusterError, match=message):
        sweep(dice, Dice(), 3, workers=2)
    assert capsys.readouterr().err == ""


def test_workers_that_do_not_have_the_experiment_are_named_at_once(package):
    engine._local(2)  # it looks for modules where this process looked when it was started
    name = f"toy_{os.getpid()}"
    what = f"cannot import this package or the experiment .*No module named '{name}'"
    with pytest.raises(ClusterError, match=f"no worker can take a task: the worker at .* {what}.*; install there"):
        sweep(package(name), Dice(), 2, workers=2)
    assert len(sweep(dice, Dice(), 3, workers=2)) == 3


def test_a_worker_that_passes_its_check_and_refuses_all_the_same_gets_no_more(monkeypatch):
    monkeypatch.setattr(engine, "_digest", lambda stamped: "another")
    with pytest.raises(ClusterError, match=r"no worker can take a task: the worker at .* cannot unpack the tasks"):
        sweep(dice, Dice(), 3, workers=2)


def test_what_a_worker_has_in_another_version_is_named():
    own = crew.stamp(dice, ())
    assert crew.difference(dice, (), own) == ""
    assert crew.difference(dice, (), {**own, "requirements.lock": ""}) == ""
    assert (
        crew.difference(dice, (), {**own, "requirements.lock": "other"}) == "has another version of requirements.lock"
    )
    assert crew.difference(dice, (), {**own, "numpy": "1", "the code of more": "2"}) == (
        "has another version of numpy (and of 1 more)"
    )
    assert {"the code of toy_experiments", "the code of support.sweep.columns", "python"} <= {*own}


def test_the_versions_are_those_of_what_is_installed(monkeypatch):
    installed = metadata.version

    def without_torch(name):
        if name == "torch":
            raise metadata.PackageNotFoundError(name)
        return installed(name)

    monkeypatch.setattr(metadata, "version", without_torch)
    found = versions.__wrapped__()
    assert found["torch"] == ""
    assert all(found[name] == installed(name) for name in COMPUTE if name != "torch")
