"""The runs of the chapter on wild ones, in miniature."""

from dataclasses import replace

import numpy as np
import pytest

from support.games.wild_ones.experiments.runs import (
    IMPROVEMENTS,
    SUBSETS,
    OtherRuns,
    WildOnesScale,
    improvements,
    readings,
)
from support.games.wild_ones.experiments.training import PlanRun, TableRun, planned, restored, table_learned
from support.games.wild_ones.listener_fast import FastListenerLearner
from support.games.wild_ones.listener_table import ARRAYS
from support.games.wild_ones.policies import tables
from support.sweep import spawn
from support.sweep.columns import checked_record

TINY = TableRun(games=3000, first=30, per_decade=1, states=1 << 14, keep=True)


def test_looks_are_evenly_spaced_and_end_with_all_games():
    assert TINY.points().tolist() == [30, 300, 3000]
    assert replace(TINY, games=10).points().tolist() == [10]
    assert replace(TINY, games=1000, first=10, per_decade=2).points().tolist() == [10, 32, 100, 316, 1000]


def test_a_table_is_looked_at_on_its_way_and_kept():
    record = table_learned(TINY, 9)
    learner = FastListenerLearner(
        TINY.rules(), tables(TINY.rules(), TINY.names()), TINY.settings(), int(spawn(9, 2)[0])
    )
    seen = []
    for games in (30, 270, 2700):
        learner.train(games)
        found = learner.worth()
        seen += found.places.tolist()
    assert record["places"].tolist() == seen
    assert record["met"][-1] == learner.states
    assert checked_record(record, vars(TINY)).keys() == record.keys()
    lists = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in record.items()}
    kept = restored(TINY, 9, lists)
    expected = learner.learned().pruned(found.met)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(kept, name), getattr(expected, name))


def test_plans_are_looked_at_before_any_game_and_on_their_way():
    run = PlanRun(games=60, first=6, per_decade=1)
    record = planned(run, 4)
    places = record["places"].reshape(3, 3)
    assert places.sum(axis=1) == pytest.approx(np.ones(3))
    assert (np.diff(record["seen"]) > 0).all()
    assert record["seen"][0] == 0
    assert places[2, 0] > places[0, 0]
    again = planned(run, 4)
    assert all((again[name] == record[name]).all() for name in record)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"opponents": "survivalist+clever"}, "survivalist, aggressive, random joined by \\+, not 'clever'"),
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"all_bids": 1}, "all_bids must be true or false, not 1"),
        ({"per_decade": 2.0}, "per_decade must be a whole number, not 2.0"),
        ({"opponents": "random"}, "has an opponent that draws; .* computed for at most 1,000,000,000"),
        ({"opponents": "+".join(["aggressive"] * 5)}, "has 278,942,752,080 rolls"),
    ],
)
def test_wrong_tables_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        replace(TINY, **settings)


def test_each_improvement_is_tried_alone_and_all_together():
    assert {names for names in SUBSETS.values() if len(names) == 1} == {(name,) for name in IMPROVEMENTS}
    assert tuple(IMPROVEMENTS) in SUBSETS.values()
    assert len({frozenset(names) for names in SUBSETS.values()}) == len(SUBSETS)
    config = WildOnesScale.small()
    assert len({config.run(), *(config.run(**improvements(*names)) for names in SUBSETS.values())}) == len(SUBSETS) + 1
    whole = config.run(**improvements(*IMPROVEMENTS))
    assert (whole.episodes, whole.history, whole.identity, whole.self_play) == ("games", True, True, 0.5)


def test_shares_and_checks_are_of_the_agent():
    config = replace(WildOnesScale.small(), workers=0, runs=2)
    found = readings(config)
    for name in found.settings:
        places = found.places(name)
        assert places.shape == (2, 3, 3)
        assert places.sum(axis=1) == pytest.approx(np.ones((2, 3)))
        assert places.sum(axis=2) == pytest.approx(np.ones((2, 3)))
        assert sum(found.shares(name, place) for place in (1, 2, 3)) == pytest.approx(np.ones(2))
        assert found.checks(name).shape == (2, 10)
        assert found.checks(name).tolist() == found.column("checks", name)[:, ::3].tolist()  # of three places the first
        assert found.share(name)[0] == pytest.approx(places[:, 2, 0].mean())


def test_places_of_other_learners_are_read_by_checkpoint():
    config = replace(WildOnesScale.small(), workers=0)
    found = OtherRuns({"tiny": TINY}, config.sweep(table_learned, TINY, 2, 77))
    places = found.column("places", "tiny")
    assert places.shape == (2, 9)
    for place in (1, 2, 3):
        assert found.curve("tiny", place).tolist() == places[:, place - 1 :: 3].tolist()
    assert sum(found.curve("tiny", place) for place in (1, 2, 3)) == pytest.approx(np.ones((2, 3)))
    assert found.share("tiny", 2)[0] == pytest.approx(places[:, 7].mean())
