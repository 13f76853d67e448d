"""Every learner at every table, at the small scale: tables, files, pictures, and the circle."""

import json
import re
from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import jsonschema
import numpy as np
import pyarrow.parquet as pq
import pytest

from support.__main__ import main
from support.comparison import files, kept
from support.comparison.cycle import pure, watched
from support.comparison.everyone import LEARNERS, POKER, TABLES, Comparison, ComparisonScale, title
from support.comparison.figures import panels, strips
from support.comparison.live import tables
from support.core.flat import KEPT
from support.course import CourseSettings, take
from support.exact.kinds import kind_of
from support.games import GAMES
from support.learners import LEARNERS as KNOWN
from support.learners import learner_named
from support.learners.methods import unfolded


@cache
def small():
    return ComparisonScale.at("small").run()


def test_rows_are_learners_of_any_game():
    assert set(LEARNERS) <= {name for name in KNOWN if not name.startswith(tuple(GAMES))}


def test_the_games_with_something_hidden_are_those():
    games = {place: unfolded(CourseSettings("cfr", *place).rules()) for place in TABLES}
    assert tuple(place for place, flat in games.items() if kind_of(flat).hidden) == POKER
    assert len({*map(title, TABLES)}) == len(TABLES)


def test_a_process_keeps_what_it_worked_out_of_all_these_games():
    """Or every learner of a sweep would have all of them unfolded anew; face up there are two of each."""
    config = ComparisonScale()
    assert max(len(config.tables), 2 * len(config.hidden)) <= KEPT


def test_learners_take_a_course_or_say_why_not():
    found, refused = small().found, small().refused
    for place in ComparisonScale.at("small").tables:
        asked = {one.learner for one in small().settings if (one.game, one.small) == place}
        assert {*found[place]} | {*refused.get(place, {})} == asked
        assert not {*found[place]} & {*refused.get(place, {})}
    assert "hidden" in refused["kuhn-poker", 0]["uct"]
    one = found["kuhn-poker", 0]["monte-carlo"]
    assert one.seeds == 2
    assert one.ends.min() <= one.end <= one.ends.max()
    assert found["kuhn-poker", 0]["cfr-plus"].seeds == 1


def test_a_policy_that_might_never_end_is_infinitely_far():
    one = small().found["three-dice", 0]["monte-carlo"]
    assert not np.isnan(one.relative).any()
    ends = {"steps": [1, 2], "visited": [5, 10], "distance": [float("nan"), 1.0], "uniform": 4.0, "unanswered": 0}
    rows = [{**ends, "refused": ""}]
    found = Comparison([CourseSettings("monte-carlo", "three-dice")], SimpleNamespace(rows=lambda _: rows)).found
    assert found["three-dice", 0]["monte-carlo"].relative.tolist() == [[np.inf, 0.25]]


def test_files_for_other_programs(tmp_path):
    parquet, written, schema = files.offer(small(), tmp_path.joinpath)
    rows = json.loads(written.read_text())
    jsonschema.Draft202012Validator.check_schema(json.loads(schema.read_text()))
    jsonschema.validate(rows, json.loads(schema.read_text()))
    table = pq.read_table(parquet)
    assert table.num_rows == len(rows["courses"]) == len(small().records)
    for row, one in zip(table.to_pylist(), rows["courses"], strict=True):
        assert (row["learner"], str(row["seed"]), row["steps"]) == (one["learner"], one["seed"], one["games"])
        distances = [value if np.isfinite(value) else None for value in row["distance"]]
        assert distances == one["distance"]


def test_the_live_table_has_the_medians():
    shown = tables(small())
    places = list(small().found)
    for name, row in zip(LEARNERS, shown["cells"], strict=True):
        for place, cell in zip(places, row, strict=True):
            one = small().found[place].get(name)
            assert (cell is None) == (one is None)
            if cell and cell["median"][-1] is not None:
                assert cell["median"][-1] == pytest.approx(one.end, rel=0.01)
                assert cell["low"][-1] <= cell["median"][-1] <= cell["high"][-1]


def test_no_deterministic_policy_of_kuhns_poker_is_near_an_equilibrium():
    every = pure()
    assert len(every) == 4096
    assert every[0] == pytest.approx(1 / 3)


def test_greedy_self_play_goes_round_and_is_never_nearer_than_the_best_deterministic_policy():
    path = watched("monte-carlo", range(100, 20_001, 100), 1)
    ahead, back, both = path.turns()
    assert ahead > back
    assert 0 <= both < ahead
    assert path.nash_conv.min() > 1 / 3 - 1e-9
    assert path.bluffs.any()
    assert path.calls.any()


def test_learners_are_compared_at_equal_work_on_the_command_line(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = ["judge", "cfr", "monte-carlo(exploration=1/2)", "uct", "--nodes", "2000", "--seeds", "3", "--workers", "0"]
    assert main([*asked, "--game", "kuhn-poker", "--out", "here"]) == 0
    head, cfr, monte_carlo, uct, _, left, states = capsys.readouterr().out.splitlines()
    assert left.startswith("left: ")
    assert states.startswith("states: ")
    assert head.split() == ["learner", "game", "left", "lowest", "highest", "states", "seeds"]
    found = take(learner_named("cfr"), unfolded(GAMES["kuhn-poker"].rules()), 0, 2000)
    assert cfr.split() == ["cfr", "Kuhn's", "poker", *[f"{found.relative[-1]:.3g}"] * 3, f"{found.nodes[-1]:,.0f}", "1"]
    left, low, high, _, seeds = monte_carlo.split()[3:]
    assert float(low) <= float(left) <= float(high)
    assert seeds == "3"
    assert "something is hidden" in uct
    assert pq.read_table("here/records.parquet").num_rows == 1 + 3 + 3


def test_answers_that_are_missing_are_counted(capsys, tmp_path, monkeypatch):
    (tmp_path / "silent.py").write_text("class Silent:\n    def train(self, game, games, seed):\n        return {}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    asked = ["judge", "silent:Silent", "--nodes", "1000", "--seeds", "1", "--workers", "0", "--game", "kuhn-poker"]
    assert main(asked) == 0
    _, row, note, *_ = capsys.readouterr().out.splitlines()
    assert row.split()[3] == "1"
    assert note.strip() == "information states unanswered, where uniform play counted: 12"


def test_a_learner_that_fails_takes_no_rows_of_the_others_along(capsys, tmp_path, monkeypatch):
    (tmp_path / "hasty.py").write_text("class Hasty:\n    def train(self, game, games, seed):\n        return 1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    asked = "judge cfr hasty:Hasty sarsa --nodes 1000 --seeds 2 --workers 0 --game kuhn-poker"
    assert main(asked.split()) == 1
    said, errors = capsys.readouterr()
    cfr, sarsa = (line.split() for line in said.splitlines()[1:3])
    assert (cfr[0], cfr[-1], sarsa[0], sarsa[-1]) == ("cfr", "1", "sarsa", "2")
    assert "error: hasty:Hasty, kuhn-poker: ZeroDivisionError: division by zero (hasty.py, line 3)" in errors
    assert main(asked.replace("cfr ", "").replace(" sarsa", "").split()) == 1
    assert capsys.readouterr().out == ""


def test_without_a_game_all_tables_are_taken(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["judge", "monte-carlo", "--nodes", "1000", "--seeds", "1", "--workers", "0"]) == 0
    said = capsys.readouterr().out
    assert all(re.search(rf"^monte-carlo  {title(place)} ", said, re.MULTILINE) for place in TABLES)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("cfr sarsa", "compared at equal work: add --nodes"),
        ("all", "compared at equal work: add --nodes"),
        ("cfr --out here", "--out is for comparisons: add --nodes"),
        ("cfr --nodes 2000 --games 5", "give one of them"),
        ("cfr --nodes 5", "nodes must be at least 1000, not 5"),
        ("cfr --nodes 2000 --seeds 0", "--seeds must be at least 1, not 0"),
        ("cfr --nodes 2000 --game chess", "there is no game 'chess'"),
        ("all --nodes 2000 --game kuhn-poker --scheduler here", "scheduler"),
    ],
)
def test_comparisons_that_make_no_sense(asked, message, capsys):
    assert main(["judge", *asked.split()]) == 1
    assert message in capsys.readouterr().err


def test_what_is_kept_is_what_was_asked_for_and_is_found_again():
    old = kept.read()
    settings = [*kept.longer(), *kept.varied()]
    assert set(old.ends) <= {kept.key_of(one) for one in settings}
    assert {"afterstates", "mirror-descent"} <= {one.learner for one, _ in old.rows(kept.longer())}
    assert {one.learner.partition("(")[0] for one, _ in old.rows(kept.varied())} == {*kept.KNOBS}
    some = [one for one in kept.varied() if one.learner.startswith("q-learning") and one.game == "kuhn-poker"]
    assert kept.repeated(some, kept.SETTINGS, old) == 3
    changed = replace(old, ends={kept.key_of(one): [0.5] for one in some})
    with pytest.raises(ValueError, match=r"^q-learning\(exploration=0.05\) at Kuhn's poker ended at 0.5, and now at 0"):
        kept.repeated(some, kept.SETTINGS, changed)


@pytest.mark.parametrize(("now", "same"), [(0.2, True), (0.2 + 1e-7, True), (0.2 + 3e-7, False), (np.nan, False)])
def test_a_repeated_run_must_end_where_the_kept_one_did(now, same, monkeypatch):
    (one,) = (one for one in kept.varied() if one.learner == "ppo(entropy=0.2)" and one.game == "kuhn-poker")
    old = kept.Kept("2026-11-24", {kept.key_of(one): [0.2, 0.3]})
    monkeypatch.setattr(kept, "end", lambda config, seed: {"left": now})
    monkeypatch.setattr(kept, "make_steady", lambda: True)
    if same:
        assert kept.repeated([one], kept.SETTINGS, old) == 1
    else:
        end = rf"^ppo\(entropy=0.2\) at Kuhn's poker ended at 0.2, and now at {now}; they may differ by 1e-06 of it$"
        with pytest.raises(ValueError, match=end):
            kept.repeated([one], kept.SETTINGS, old)


def test_what_torch_may_round_differently_is_left_out(monkeypatch):
    monkeypatch.setattr(kept, "end", lambda config, seed: {"left": 0.2})
    names = "ppo(entropy=0.2)", "sarsa(exploration=0.1)"
    both = [one for one in kept.varied() if one.learner in names and one.game == "kuhn-poker"]
    old = kept.Kept("2026-11-24", {kept.key_of(one): [0.2] for one in both})
    for steady in (True, False):
        monkeypatch.setattr(kept, "make_steady", lambda steady=steady: steady)
        assert kept.repeated(both, kept.SETTINGS, old) == 1 + steady


def test_keeping_writes_what_reading_finds(tmp_path, monkeypatch):
    few = [CourseSettings(name, "kuhn-poker", nodes=2000) for name in ("cfr", "sarsa", "uct")]
    monkeypatch.setattr(kept, "longer", lambda: few[:2])
    monkeypatch.setattr(kept, "varied", lambda: few[1:])
    monkeypatch.setattr(kept.ComparisonScale, "workers", 0)
    kept.keep(tmp_path / "kept.json", "2026-11-24")
    found = kept.read(tmp_path / "kept.json")
    assert found.day == "24 November 2026"
    assert {key[0]: len(ends) for key, ends in found.ends.items()} == {"cfr": 1, "sarsa": 10}
    assert kept.repeated(few[1:2], kept.SETTINGS, found) == 1


def test_an_end_without_end_is_infinite():
    assert kept.written([0.12345678901234, np.inf]) == [0.1234567890, None]
    assert kept.end(CourseSettings("afterstates", "kuhn-poker", nodes=2000), 1)["refused"]


def test_pictures():
    x = np.array([1e3, 1e4])
    series = {"a game": {"one": (x, np.array([1.0, 0.1])), "other": (x, np.array([1.0, np.inf]))}}
    assert "<svg" in panels(series, ["one"]).svg
    assert "<svg" in strips(np.array([100, 200]), {"a": np.array([True, False]), "b": np.array([False, True])}).svg
    with pytest.raises(ValueError, match="at least one game"):
        panels({})
    with pytest.raises(ValueError, match="strips of one length"):
        strips(np.array([100, 200]), {"a": np.array([True])})
