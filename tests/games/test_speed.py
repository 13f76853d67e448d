"""Speed is measured only of code that agrees, and of every game that has some."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as benchmarks
from support.games import GAMES
from support.sweep.timing import Pace, Speed


@pytest.mark.parametrize("name", [name for name, entry in GAMES.items() if entry.speed_at])
def test_compiled_and_plain_code_agree(name):
    pace = GAMES[name].speed()(Speed.small())
    assert pace.same
    assert pace.ratio > 0


def test_every_game_with_a_chapter_of_its_own_is_timed():
    """A game whose code nobody compiled has nothing to time; those of the book have."""
    assert all(entry.speed() for entry in GAMES.values() if entry.agents_at)


def test_every_benchmark_is_run():
    files = {file.stem for file in Path(benchmarks.__file__).parent.glob("*.py")} - {"__init__", "__main__"}
    assert {module.removeprefix("benchmarks.") for module in benchmarks.PARTS.values()} == files


def test_only_what_is_asked_for_is_timed(tmp_path, monkeypatch, capsys):
    row = Pace("steps", "steps", 2.0, 1.0, same=True, how="by hand")
    monkeypatch.setattr(benchmarks, "import_module", lambda name: SimpleNamespace(rows=lambda: [row] * len(name)))
    monkeypatch.chdir(tmp_path)
    assert benchmarks.main(["sweep", "ace-king-queen"]) == 0
    names = "benchmarks.sweep", "benchmarks.ace_king_queen"
    assert len(capsys.readouterr().out.splitlines()) == sum(map(len, names))
    assert not any(tmp_path.iterdir())
    assert benchmarks.main([]) == 0
    assert "written to" in capsys.readouterr().out.splitlines()[-1]
    assert len(json.loads(Path("_build/results/bench.json").read_text())["rows"]) > len(benchmarks.PARTS)
    with pytest.raises(SystemExit):
        benchmarks.main(["chess"])
    assert "there is no part 'chess'; the parts are biscuits, three-dice" in capsys.readouterr().err
