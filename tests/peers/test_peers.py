"""The same methods on the same games, ours and OpenSpiel's, measured by one judge."""

import math
from dataclasses import replace

import numpy as np
import pytest

from support import peers
from support.exact.nash_conv_fast import Scorer, normalise
from support.learners import cfr_fast

GAMES = [peers.kuhn, peers.leduc, lambda: peers.liars_dice(3), lambda: peers.liars_dice(4)]
SMALL = [peers.kuhn, lambda: peers.liars_dice(3)]
CLOSE = 1e-9
ROUNDED = ["cfr, in turns", "cfr, at once", "cfr+", "fictitious play, from uniform, same ties"]
"""Methods without samples in which nothing is left but rounding."""
DIFFERENT = ["cfr", "fictitious play", "fictitious play, from uniform"]


@pytest.mark.parametrize("game", GAMES)
def test_the_games_are_the_same(game):
    """The judges, who share nothing, agree on random profiles: so do rules, payoffs and chances."""
    game, draw = game(), np.random.default_rng(11)
    profiles = normalise(game.flat, draw.integers(1, 9, (3, game.flat.slots[-1])))
    theirs = [peers.pyspiel.nash_conv(game.theirs, game.policy(profile)) for profile in profiles]
    np.testing.assert_allclose(Scorer(game.flat).nash_convs(profiles), theirs, rtol=0, atol=CLOSE)


@pytest.mark.parametrize("method", peers.METHODS)
def test_both_judges_agree_on_what_openspiel_learned(method):
    run = peers.run_open_spiel(peers.kuhn(), method, [2, 20], 5)
    np.testing.assert_allclose(run.nash_convs, run.theirs, rtol=0, atol=CLOSE)
    np.testing.assert_array_equal(Scorer(peers.kuhn().flat).nash_convs(run.profiles), run.nash_convs)
    assert (run.nash_convs > 0).all()
    assert run.seconds[1] >= run.seconds[0] >= 0


@pytest.mark.parametrize("game", SMALL)
@pytest.mark.parametrize("method", ROUNDED)
def test_methods_without_samples_differ_by_rounding_only(game, method):
    for row in peers.held_against([game()], [method], [1, 5]):
        assert row.apart < CLOSE
        assert math.isnan(row.p)
        assert row.ours == row.our_range[0] == row.our_range[1]


@pytest.mark.parametrize("method", ROUNDED)
def test_leduc_poker_too(method):
    assert all(row.apart < CLOSE for row in peers.held_against([peers.leduc()], [method], [1, 3]))


@pytest.mark.parametrize("method", DIFFERENT)
def test_methods_that_are_defined_otherwise_differ(method):
    row = peers.held_against([peers.liars_dice(3)], [method], [5])[0]
    assert row.apart == abs(row.ours - row.theirs) > 0.01


def test_only_ties_keep_openspiels_fictitious_play_from_ours(monkeypatch):
    """Where nothing but equal floats is a tie, its variant with our rule is its own method again, to the last digit."""
    theirs = peers.run_open_spiel(peers.liars_dice(3), "fictitious play", [1, 3])
    same = "fictitious play, from uniform, same ties"
    assert (peers.run_open_spiel(peers.liars_dice(3), same, [1, 3]).nash_convs != theirs.nash_convs).all()
    monkeypatch.setattr(cfr_fast, "TIE", 0.0)
    np.testing.assert_array_equal(peers.run_open_spiel(peers.liars_dice(3), same, [1, 3]).profiles, theirs.profiles)


def test_in_leduc_poker_rounding_grows_in_ours_alone():
    """Payoffs times three change nothing but the rounding; what differs after 1000 iterations is as much as theirs."""
    flat, marks = peers.leduc().flat, [50, 1000]
    tripled = replace(flat, rewards=[tuple(3 * paid for paid in both) for both in flat.rewards])
    one, other = (cfr_fast.run(each, "cfr+", marks).strategies for each in (flat, tripled))
    few, many = np.abs(Scorer(flat).nash_convs(one) - Scorer(flat).nash_convs(other))
    assert few < CLOSE
    assert 1e-6 < many < 1e-4


@pytest.mark.parametrize("game", SMALL)
def test_sampling_methods_learn_alike(game):
    """Holm's correction holds the chance of one wrong alarm at p over all rows; the seeds are fixed."""
    methods = ["outcome sampling", "outcome sampling, same average", "external sampling"]
    rows = peers.held_against([game()], methods, [100, 200], range(8))
    assert [(row.method, row.mark) for row in rows] == [(method, mark) for method in methods for mark in (100, 200)]
    for row in rows:
        assert row.p > 0.01, row
        assert row.our_range[0] <= row.ours <= row.our_range[1]
        assert row.their_range[0] <= row.theirs <= row.their_range[1]


def test_q_learning_differs_because_of_when_chips_are_paid():
    own, *same = (name for name in peers.METHODS if name.startswith("q-learning"))
    rows = {row.method: row for row in peers.held_against([peers.kuhn()], [own, same[-1]], [100], range(30))}
    assert rows[own].p < 1e-4
    assert rows[same[-1]].p > 0.01


def test_seeds_make_runs_again_and_leave_numpys_generator_alone():
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    for method in [name for name, both in peers.METHODS.items() if both.sampled]:
        one, same, other = (peers.run_open_spiel(peers.kuhn(), method, [40], seed).profiles for seed in (1, 1, 2))
        np.testing.assert_array_equal(one, same)
        assert (one != other).any()
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_what_cannot_be_run_is_said():
    with pytest.raises(ValueError, match=r"no method 'cfr-plus'; there are cfr, cfr, in turns"):
        peers.held_against([peers.kuhn()], ["cfr-plus"], [1])
    with pytest.raises(ValueError, match=r"marks must rise"):
        peers.run_open_spiel(peers.kuhn(), "cfr", [2, 1])
    with pytest.raises(
        ValueError, match=r"outcome sampling is 2 games, so all marks must be multiples of it, not \[2, 5\]"
    ):
        peers.run_open_spiel(peers.kuhn(), "outcome sampling", [2, 5])
