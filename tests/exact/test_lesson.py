"""One learner, one game, one seed: what is recorded, and that a sweep can be made of it."""

import sys
from math import isnan

import pyarrow.parquet
import pytest
from table_games import TableGame

from support.__main__ import main
from support.games import GAMES
from support.judge import judge
from support.learners import LearnerError
from support.learners.methods import Cfr
from support.lesson import Lesson, lesson, teach
from support.sweep import engine

OWN = '''
class First:
    """Always the first action."""

    def train(self, game, games, seed):
        return lambda where: {legal_at(game, where): 1}


def legal_at(game, where):
    todo = [game.initial_state()]
    for state in todo:
        if state.current_player >= 0 and (state.current_player, state.information_state(state.current_player)) == where:
            return state.legal_actions()[0]
        todo += [state.child(action) for action in state.possible()]
'''


def test_the_record_of_a_lesson():
    game = GAMES["kuhn-poker"].rules()
    expected = judge(Cfr().train(game, 10, 0), game)
    assert lesson(Lesson("cfr", games=10), 0) == {
        "size": "",
        "uniform": float(judge({}, game).distance),
        "distance": float(expected.distance),
        "best": float(expected.best),
        "achieved": float(expected.achieved),
        "unit": "NashConv, in units of the returns",
        "unanswered": 0,
        "refused": "",
    }
    assert lesson(Lesson("cfr", "liars-dice", 1), 0)["size"] == "faces=3"


def test_seeds_differ_and_repeat():
    one, again, other = (lesson(Lesson("result-table", games=1000), seed) for seed in (1, 1, 2))
    assert one == again
    assert one["distance"] != other["distance"]


def test_what_does_not_fit_or_does_not_end_is_recorded_without_numbers(monkeypatch):
    refused = lesson(Lesson("cfr", "biscuits", 1), 0)
    assert refused["refused"].startswith("no perfect recall in biscuits")
    assert refused["unit"] == refused["size"] == ""
    assert all(isnan(refused[name]) for name in ("distance", "best", "achieved", "uniform"))
    monkeypatch.setattr("support.learners.methods.ValueIteration.train", lambda *_: lambda where: {(): 1})
    endless = lesson(Lesson("value-iteration", "three-dice", 1), 0)
    assert endless["refused"].startswith("under this policy the game never ends")
    assert isnan(endless["distance"])
    assert endless["uniform"] == float(judge({}, GAMES["three-dice"].rules()).distance)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"learner": "nobody"}, "there is no learner 'nobody'"),
        ({"game": "kuhn-pocker"}, r"there is no game 'kuhn-pocker'; did you mean kuhn-poker"),
        ({"games": 0}, "games must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_a_lesson(wrong, message):
    with pytest.raises(ValueError, match=message):
        Lesson(**wrong)


def test_a_game_in_decimals_is_not_blamed_on_the_learner():
    half = TableGame("half", 1, {"start": (0, "here", {"left": ("end", (0.5,)), "right": ("over", (0,))})})
    with pytest.raises(LearnerError, match=r"^the game half cannot be unfolded: .*not the rewards \(0.5,\)"):
        teach(Cfr(), "half", half, True, 1, 0)


@pytest.mark.no_cover
def test_a_sweep_over_learners_and_games_with_one_of_ones_own(tmp_path, monkeypatch):
    (tmp_path / "swept.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    engine._local.cache_clear()  # workers of an earlier test look for modules where this process looked then
    chosen = [
        "--set",
        "learner=swept:First,result-table",
        "--set",
        "game=kuhn-poker,ace-king-queen",
        "--seeds",
        "2",
    ]
    tables = []
    for workers in "02":
        assert main(["sweep", "lesson", *chosen, "--set", "games=100", "--workers", workers, "--out", workers]) == 0
        tables.append(pyarrow.parquet.read_table(tmp_path / workers / "records.parquet").to_pylist())
    assert tables[0] == tables[1]
    found = {(row["learner"], row["game"]): row["distance"] for row in tables[0]}
    assert [len(found), found["swept:First", "kuhn-poker"]] == [4, 2]
    assert found["result-table", "kuhn-poker"] < 2
