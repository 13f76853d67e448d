from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.stats import chisquare, norm

from support.games.call_or_raise.ceiling import following
from support.games.call_or_raise.ceiling_fast import Ceiling
from support.games.call_or_raise.experiments.calls import Watch, slips_and_calls, watched, who_calls
from support.games.call_or_raise.experiments.ceilings import (
    Table,
    best_tables,
    border,
    ceiling,
    coin_worth,
    long_run,
    policy,
    small_tables,
)
from support.games.call_or_raise.experiments.published import (
    EQUAL,
    PUBLISHED,
    decoded,
    log_likelihoods,
    mistaken,
    own_trace,
    surprises,
    would_pass,
)
from support.games.call_or_raise.experiments.runs import (
    AGENTS,
    VERSIONS,
    CallOrRaiseScale,
    Learned,
    Pairing,
    Run,
    frozen,
    learned,
    mended,
    mended_together,
    own_decisions,
    paired,
    pairings,
    rises,
    seen,
    three_versions,
    trained,
    warmed,
)
from support.games.call_or_raise.q_learning import PlayedGame, QTableLearner
from support.games.call_or_raise.q_learning_fast import advance
from support.games.call_or_raise.rules import CallOrRaise
from support.games.call_or_raise.settings import AS_RUN, SLIPS, Agent, Slips
from support.sweep import Records

TINY = replace(
    CallOrRaiseScale.small(),
    runs=30,
    after=100,
    games=100,
    some=2,
    evaluated=100,
    longer=100,
    few=2,
    hundred=2,
    long_games=200,
    watched=3,
    workers=0,
)


@pytest.fixture(scope="module")
def versions():
    return three_versions(TINY)


def test_a_run_counts_every_game_once():
    run = Run(dice=2, games=250, evaluated=40, every=50)
    record = trained(replace(run, explored=120), 3)
    assert record["training"].sum() == 250
    assert record["greedy"].sum() == 40
    assert record["evaluation"].sum() == 120
    assert record["hundred"].sum() == 100
    assert trained(run, 3)["evaluation"].tolist() == trained(run, 3)["hundred"].tolist() == [0, 0, 0, 0]
    assert record["curve"].shape == (5,)
    assert record["curve"][-1] == record["training"][0]


def test_no_share_where_no_games_were_played():
    frozen_early = learned(TINY, {"frozen": Run(dice=2, games=50, evaluated=0)}, 2, 99)
    assert 0 <= frozen_early.share("frozen", "training")[0] <= 1
    with pytest.raises(ValueError, match="no games of 'frozen' were played in the phase 'greedy'"):
        frozen_early.share("frozen")


def test_a_warm_start_learns_before_it_counts():
    cold, warm = (trained(Run(dice=2, warm=games, games=50, evaluated=10_000), 3) for games in (0, 2000))
    assert warm["training"].sum() == 50
    assert warm["greedy"][0] > cold["greedy"][0] + 500


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"version": "2019"}, "version must be one of 'run', 'read' or 'meant'"),
        ({"flip": "stale+luck"}, "flip must name slips .columns, .*'luck'"),
        ({"others": "q"}, "others must be one of 'random', 'probability'"),
        ({"others_bluff": Fraction(3, 2)}, "others_bluff must be at most 1"),
        ({"games": -1}, "games must be at least 0"),
        ({"stop": 5001}, "stop must be at most the 5000 games"),
        ({"every": 0}, "every must be at least 1"),
        ({"players": 7}, "players must be at most 6"),
        ({"alpha": 0.0}, "alpha must be above 0"),
        ({"own": "half"}, "own must be one of 'all', 'some' or 'none'"),
        ({"menu": "whole"}, "only where there are two"),
    ],
)
def test_a_wrong_run_is_named(wrong, message):
    with pytest.raises(ValueError, match=message):
        Run(**wrong)


def test_the_others_play_as_they_are_told():
    players = Run(players=3, others="holds", others_bluff=Fraction(1, 4)).settings().players
    assert players == (Agent("q", Fraction(1, 2)), *[Agent("holds", Fraction(1, 4))] * 2)


def test_slips_are_flipped_by_name():
    assert Run(flip="stale+ghosts").settings().slips == replace(AS_RUN, stale=False, ghosts=False)
    everything = Run(version="meant", flip="+".join(SLIPS)).settings().slips
    assert everything == AS_RUN == Slips()


def test_versions_share_sizes_and_not_seeds(versions):
    assert list(versions.settings) == list(VERSIONS)
    for version in VERSIONS:
        assert versions.wins(version).shape == (TINY.runs, 4)
        assert (versions.wins(version).sum(axis=1) == TINY.games).all()
        assert versions.curve(version)[:, -1] == pytest.approx(versions.wins(version)[:, 0] / TINY.games)
    assert len(set(versions.records.column("seed").tolist())) == 3 * TINY.runs
    share, low, high = versions.share("run")
    assert low < share < high


def test_likelihood_and_surprise_know_their_own(monkeypatch, versions):
    farthest = pytest.approx(1 / (TINY.runs + 1))  # of the published counts and all runs
    for version in VERSIONS:
        mean = versions.wins(version).mean(axis=0).round().astype(int)
        monkeypatch.setitem(PUBLISHED, "training", tuple(mean.tolist()))
        assert surprises(versions, version)[0] > 0.5
        near = log_likelihoods(versions)[version][0]
        monkeypatch.setitem(PUBLISHED, "training", tuple((mean + np.array([40, -20, -10, -10])).tolist()))
        assert surprises(versions, version)[0] == farthest
        assert log_likelihoods(versions)[version][0] < near - 5
    mean = versions.wins("run").mean(axis=0).tolist()
    assert EQUAL == {"training": (1250,) * 4, "evaluation": (25,) * 4}
    training, after = surprises(versions, "run", {"training": mean, "evaluation": (0, 0, 0, 100)})
    assert training > 0.5
    assert after == farthest
    monkeypatch.setitem(PUBLISHED, "evaluation", (0, 0, 0, 100))
    assert surprises(versions, "run")[1] == farthest


def test_what_would_pass_is_near_what_we_found(monkeypatch, versions):
    """The means pass; a hundred wins of a hundred do not."""
    mean = versions.wins("run", "hundred").mean(axis=0).round()
    monkeypatch.setitem(PUBLISHED, "evaluation", tuple(mean.astype(int).tolist()))
    low, high = map(int, would_pass(versions, "hundred", range(101)).split(" to "))
    assert 0 < low < mean[0] < high < 100
    assert would_pass(versions, "hundred", range(99, 101)) == "none"


def test_who_stops_learning_does_not_rise():
    """Frozen after a fifth, an agent wins as before, though its share of all games so far goes on rising."""
    config = replace(TINY, runs=40, games=2500)
    stopped, learning = frozen(config), learned(config, {"run": config.run()}, config.runs, 98)
    fifths = stopped.windows("frozen", 500)
    assert fifths.shape == (40, 5)
    assert fifths.mean(axis=1) == pytest.approx(stopped.wins("frozen")[:, 0] / 2500)
    assert not all(low > 0 for _, low, _ in rises(stopped, "frozen"))
    so_far = stopped.curve("frozen")
    assert (so_far[:, -1] - so_far[:, 4]).mean() > 0.01
    steps = rises(learning, "run")
    assert len(steps) == 3
    assert sum(step for step, *_ in steps) > 0.02


def test_stopping_leaves_the_games_before_alone():
    whole, part = (
        trained(Run(dice=2, games=200, stop=stop, evaluated=0, every=50), 3)["curve"] for stop in (None, 100)
    )
    assert whole[:2].tolist() == part[:2].tolist()
    assert whole.tolist() != part.tolist()


def test_four_equal_players_win_a_quarter_each():
    """Against bots that always bluff, a coin that bluffs less wins more than its quarter."""
    small = replace(TINY, most_dice=2)
    assert coin_worth(small, 1) == pytest.approx(0.25, abs=1e-12)
    half, honest = coin_worth(small, Fraction(1, 2)), coin_worth(small, 0)
    assert 0.251 < half < honest


def test_slips_are_mended_together_and_decisions_counted_alone():
    assert {"early+columns", "early+between", "early+between+columns"} < set(mended_together(TINY).settings)
    own = own_decisions(replace(TINY, longer=200))
    assert len(own.settings) == 8
    assert own.settings["decisions, 0.9, 200"].method == "decisions"
    calls = slips_and_calls(TINY)
    assert list(calls) == ["", "columns", "early", "early+columns"]
    assert all(0 <= found.first <= 1 for found in calls.values())


def test_the_printed_game_loses_a_die_at_a_time():
    rows = decoded()
    assert len(rows) == 29
    totals = [row[2] for row in rows]
    assert totals[0] == 12
    assert totals[-1] == rows[-1][3] == 2
    assert {a - b for a, b in pairwise(totals)} == {0, 1}
    ours = own_trace(TINY)
    assert ours[0][2] == 12
    assert {row[5] for row in ours} <= {"raise", "call"}


def test_every_setting_is_tried():
    slips = mended(TINY)
    assert len(slips.settings) == 2 + 2 * len(SLIPS)
    views = seen(TINY)
    assert views.wins("neighbours' dice too, longer").shape == (2, 4)
    assert [len(views.wins(name)) for name in list(views.settings)[:2]] == [2, 2]
    warm = warmed(TINY)
    assert list(warm) == [0, 10, 20, 40, 60, 100]
    assert all(list(runs.settings) == ["run", "read"] for runs in warm.values())


def test_how_well_two_versions_tell_apart():
    random = np.random.default_rng(3)
    wins = {
        "run": random.multinomial(5000, (0.6, 0.1, 0.1, 0.2), 400),
        "read": random.multinomial(5000, (0.62, 0.1, 0.1, 0.18), 400),
        "meant": random.multinomial(5000, (0.8, 0.1, 0.05, 0.05), 400),
    }
    runs = Mock(wins=wins.get)
    assert mistaken(runs, "run", "meant") == mistaken(runs, "meant", "run") == 0
    # Two standard normals d apart are mistaken with the probability that one exceeds d / 2.
    apart = np.array([100, 0, 0]) @ np.linalg.inv(np.cov(wins["run"][:, :3].T)) @ np.array([100, 0, 0])
    assert mistaken(runs, "run", "read") == pytest.approx(norm.sf(apart**0.5 / 2), abs=0.04)


def test_everybody_against_everybody():
    pairs = pairings(replace(TINY, games=200, hundred=10, after=1000))
    assert len(pairs) == len(AGENTS) ** 2
    assert all(low <= share <= high for share, low, high in pairs.values())
    for kind in AGENTS:  # one among three of its own kind
        assert abs(pairs[kind, kind][0] - 0.25) < 5 * (0.25 * 0.75 / 10_000) ** 0.5


def test_one_that_learns_among_others_that_have_learned_is_one_of_them():
    """All go by one table and explore as often: everybody wins as many."""
    wins = sum(paired(Pairing("learns", "learns", 2000, 20_000), seed)["wins"] for seed in range(3))
    assert chisquare(wins).pvalue > 1e-4


def test_wrong_pairings():
    with pytest.raises(ValueError, match=r"others must be one of learns, tosses a coin, bluffs, .*'cheats'"):
        Pairing(others="cheats")
    with pytest.raises(ValueError, match="evaluated must be at least 1"):
        Pairing(evaluated=0)


def test_the_worth_of_a_table_is_what_it_wins():
    """Small enough for a table to be played 400,000 times, and for a coin's worth to be known."""
    run = Run(version="meant", players=3, dice=2, games=3000)
    for seed in range(2):
        found = long_run(run, seed)
        assert set(np.unique(found["calls"])) <= {-1, 0, 1}
        assert len(found["calls"]) == len(run.settings().states())
        q = np.stack([found["calls"] == 0, found["calls"] == 1], axis=1).astype(float)
        table = replace(run.settings(), exploration=Fraction(0))
        share = (advance(table, q, 400_000, 7, learn=False) == 1).mean()
        assert abs(share - found["worth"]) < 4 * (share * (1 - share) / 400_000) ** 0.5
    game, coin = CallOrRaise(3, 2), following(Agent("random", run.bluff))
    untrained = long_run(replace(run, games=0), 3)["worth"]
    assert untrained == pytest.approx(Ceiling(game, coin).win_probability, abs=1e-14)


def test_the_best_table_is_mapped():
    best = best_tables(TINY)
    maps, totals = policy(best)
    assert list(maps) == list(totals) == [1, 2, 3, 4, 5, 6]
    assert all(maps[own].shape == (len(totals[own]), 21) and min(totals[own]) == own + 1 for own in maps)
    chosen = best.column("calls", "best")[best.column("worth", "best").argmax()]
    assert sum(np.isfinite(part).sum() for part in maps.values()) == (chosen >= 0).sum()


def test_the_border_is_where_most_cells_stop_calling():
    nan = float("nan")
    maps = {1: np.array([[1, 1, 0, nan, 0]]), 2: np.array([[1, 0, 1, 0, nan], [1, 1, 0, 0, nan]])}
    assert border(maps) == 2 / 4
    assert border({1: np.array([[1, nan, 1.0]])}) == 1


def test_ceilings_agree_with_each_other():
    for table, exact in small_tables(replace(TINY, small_dice=2)):
        assert ceiling(replace(table, fractions=False), 1)["value"] == pytest.approx(float(exact), abs=1e-12)
    found = ceiling(Table(2, 2, simulated=100_000), 5)
    assert abs(found["won"] / 100_000 - found["value"]) < 4 * 0.5 / 100_000**0.5
    assert ceiling(Table(2, 2, chooses=True, simulated=0), 5)["value"] > found["value"]


def test_every_bid_is_called_or_not():
    found = watched(Watch(games=50, watched=10), 3)
    assert (found["lies"] <= found["called"]).all()
    assert (found["called"] <= found["bids"]).all()
    assert 0 < found["false"][1] < found["false"][0]
    assert 10 * 18 <= found["called"].sum() <= 10 * 23  # a call for every die that is lost, in four hands of six


def test_whose_bids_are_called_in_a_game_by_hand(monkeypatch):
    """The second player calls a bid that holds, then one of the agent's that does not; then the agent calls hers."""
    rules = CallOrRaise(2, 2)
    state = rules.initial_state()
    states = [state]
    holds = ["1 opens", "33", "13", "call"]  # three threes, as the agent said
    lies = ["56", "4", "raise 4", "call"]  # she says two fours, the agent three
    hers = ["2", "5", "raise 5", "call"]
    for move in holds + lies + hers:
        state = state.child(rules.move_from_string(state, move))
        states.append(state)
    assert state.is_terminal()
    monkeypatch.setattr(QTableLearner, "play", lambda self, learn: PlayedGame(states, called_first=True))
    found = watched(Watch(games=0, watched=1), 3)
    assert found["bids"].tolist() == [3, 2, 0, 0]
    assert found["called"].tolist() == [2, 1, 0, 0]
    assert found["lies"].tolist() == [1, 1, 0, 0]
    assert found["wrong"].tolist() == [0, 1, 0, 0]
    assert found["false"].tolist() == [2, 1]  # the agent raised the first of her lies, and called the second
    assert found["first"] == 1


def test_coins_call_half_of_the_bids():
    """Untrained, the agent is a coin too; nobody's bids are called more than others'."""
    found = watched(Watch(games=0, watched=400), 3)
    assert np.abs(found["called"] / found["bids"] - 0.5).max() < 0.03
    assert abs(found["false"][1] / found["false"][0] - 0.5) < 0.05


def test_watching_early_and_late():
    found = who_calls(replace(TINY, games=500))
    assert list(found) == [(v, n) for n in (100, 500) for v in ("run", "meant")] + [("read", 100), ("read", 500)]
    for calls in found.values():
        assert calls.lost.sum() == pytest.approx(1)
        assert (calls.cost <= calls.called).all()
        assert 0 < calls.caught < 1


def test_a_worker_gives_the_same():
    settings = {"one": TINY.run(dice=2), "other": TINY.run(dice=2, bluff=Fraction(0))}
    one, other = (learned(replace(TINY, workers=workers), settings, 3, 0) for workers in (0, 2))
    assert isinstance(one, Learned)
    assert isinstance(one.records, Records)
    assert one.records.table.equals(other.records.table)
