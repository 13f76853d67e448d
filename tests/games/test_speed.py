"""Speed is measured only of code that agrees, and of every game that has some."""

from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks
from support.games import GAMES
from support.sweep.timing import Speed


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
    assert {name.rpartition(".")[2] for name in benchmarks.PARTS} == files
