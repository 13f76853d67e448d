"""How published shares of wild ones are judged, and what that would reject."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from support.games.wild_ones.experiments.judged import (
    TESTED,
    TESTS,
    Judged,
    gain,
    judged,
    passing_counts,
    published_shares,
    shares_in_duels,
    shares_in_tests,
)
from support.games.wild_ones.experiments.runs import NetworkRuns, WildOnesScale, learned, readings
from support.games.wild_ones.experiments.training import DUEL, PUBLISHED, player
from support.verdicts.stats import exceeds

FIVE = "survivalist+survivalist+aggressive+aggressive"
CONFIG = replace(WildOnesScale.small(), workers=0, runs=3)


@cache
def some() -> NetworkRuns:
    return readings(CONFIG)


def like(published: np.ndarray, runs: int, spread: float, seed: int = 1) -> np.ndarray:
    """Runs around what was published: rates of their own, in points, and the error of ``TESTED`` games."""
    draw = np.random.default_rng(seed)
    rows = []
    for _ in range(runs):
        rates = np.clip(published + draw.normal(0, spread, published.shape), 0.1, None)
        rows.append([draw.multinomial(TESTED, one / one.sum()) for one in rates])
    return 100 * np.array(rows) / TESTED


def test_published_rows_begin_with_the_agent():
    assert published_shares("survivalist+aggressive").tolist() == [
        [79.4, 17.1, 3.4],
        [0.5, 63.3, 36.2],
        [20.1, 19.6, 60.4],
    ]
    assert published_shares(FIVE)[:, 0].tolist() == list(PUBLISHED[FIVE][-1])
    assert list(DUEL) == ["agent", "survivalist", "aggressive"]


def test_test_games_are_as_many_as_the_authors_and_have_seeds_of_their_own():
    found = shares_in_tests(CONFIG, some(), "as run", TESTS)
    assert found.shape == (3, 3, 3)
    np.testing.assert_allclose(found.sum(axis=1), 100)
    np.testing.assert_allclose(found.sum(axis=2), 100)
    np.testing.assert_allclose(found * TESTED / 100, np.round(found * TESTED / 100))
    np.testing.assert_array_equal(found, shares_in_tests(CONFIG, some(), "as run", TESTS))
    assert (found != shares_in_tests(CONFIG, some(), "as run", TESTS + 1)).any()
    # The same agents, computed: as often, but for chance.
    np.testing.assert_allclose(found[:, :, 0], 100 * some().places("as run")[:, -1], atol=5 * 50 / TESTED**0.5)


def test_five_players_are_tested_by_place():
    settings = {"as run": CONFIG.run(opponents=FIVE, keep=True)}
    runs = learned(CONFIG, settings, 2, 50)
    found = shares_in_tests(CONFIG, runs, "as run", TESTS)
    assert found.shape == (2, 5, 5)
    np.testing.assert_allclose(found[:, :, 0], 100 * runs.places("as run")[:, -1], atol=8)


def test_a_coin_draws_the_opponent_of_each_duel():
    found = shares_in_duels(CONFIG, some(), "as run")
    assert found.shape == (3, 3)
    np.testing.assert_allclose(found.sum(axis=1), 100)
    lost = 100 * (1 - some().column("wins", "as run"))
    np.testing.assert_allclose(found[:, 1:], lost / 2, atol=5 * 50 / TESTED**0.5)
    agent = player(some().settings["as run"], some().column("weights", "as run")[0])
    assert agent.game.num_players == 3


def test_runs_like_the_published_pass_and_others_do_not():
    published = published_shares("survivalist+aggressive")[0]
    found = judged(published, like(published[None], 30, 1.0)[:, 0])
    assert found.surprise >= 0.05
    assert found.ranges[0][0] <= 79.4 <= found.ranges[-1][1]
    assert found.ranges[0][0] > 70
    assert found.ranges[-1][1] < 88
    assert found.false_alarms <= 0.2
    assert found.control < 0.05
    assert (
        judged(published, like(published[None], 30, 20.0)[:, 0]).control >= 0.05
    )  # runs that differ so much say little
    assert judged(published, like(published[None], 30, 1.0)[:, 0], control=published).control == found.surprise
    assert judged(np.roll(published, 1), like(published[None], 30, 1.0)[:, 0]).surprise < 0.05


def test_five_players_cannot_pass_with_any_second_place():
    """By the smallest of 25 probabilities over ten seeds second places from 0 to 11.6% passed."""
    table = published_shares(FIVE)
    runs = like(table, 60, 0.7).reshape(60, -1)
    assert judged(table.ravel(), runs, 0, 5).surprise >= 0.05
    assert judged(table.ravel(), runs, 0, 5).control == 1 / 61
    even = judged([20] * 25, runs, 0, 5).surprise
    alike = like(np.full((5, 5), 20.0), 60, 0.7).reshape(60, -1)
    assert even == 1 / 61
    assert judged(table.ravel(), alike, 0, 5).control > 0.05
    changed = table.copy()
    changed[1] *= (100 - 11.6) / (100 - table[1, 0])
    changed[1, 0] = 11.6
    assert judged(changed.ravel(), runs, 0, 5).surprise < 0.05
    ranges = judged(table.ravel(), runs, 5, 5).ranges
    assert ranges[-1][1] < 8
    swapped = table[:, [0, 3, 4, 1, 2]]  # survivalists and aggressive players exchanged, the agent as it is
    assert judged(swapped.ravel(), runs, 0, 5).surprise < 0.05


def test_ranges_in_words():
    one = Judged(0.5, 0.01, [(0.0, 3.5), (4.1, 5.2)], 0.05)
    assert one.would_pass() == "the agent's share from 0.0 to 3.5% or from 4.1 to 5.2%, the others in proportion"
    assert Judged(0, 0, [], 0).would_pass("its second places") == "its second places none, the others in proportion"


def test_single_shares_that_pass():
    low, high = passing_counts(TESTED, np.random.default_rng(5).normal(0.775, 0.015, 30))
    assert 72 < low < 77 < 78 < high < 83
    with pytest.raises(ValueError, match="no share would pass"):
        passing_counts(10**8, [0.77777777] * 30)


def test_a_gain_is_noticeable_or_not_or_open():
    draw = np.random.default_rng(3)
    base = draw.normal(0.77, 0.015, 30)
    large, none, unclear = base + 0.09, draw.normal(0.77, 0.015, 30), draw.normal(0.785, 0.015, 5)
    assert exceeds(gain(large, base).interval, 1.5) is True
    assert gain(large, base).points == pytest.approx(9)
    assert exceeds(gain(none, base).interval, 1.5) is False
    assert exceeds(gain(base, large).interval, 1.5) is False
    assert exceeds(gain(unclear, base).interval, 1.5) is None
    with pytest.raises(ValueError, match="at least two runs of each kind, not 1 and 30"):
        gain(base[:1], base)


def test_a_gain_by_hand():
    """Means of 51 and 42 with a standard error of the square root of 2 / 2 + 8 / 2."""
    found = gain(np.array([0.5, 0.52]), np.array([0.4, 0.44]))
    assert found.points == pytest.approx(9)
    assert found.found == pytest.approx((1.959964 + 0.841621) * 5**0.5 * (3.14159265 / 3) ** 0.5, rel=1e-6)


def test_what_the_rank_test_finds_four_times_in_five():
    draw = np.random.default_rng(8)
    pairs = [(draw.normal(0, 0.015, 30), draw.normal(0, 0.015, 30)) for _ in range(400)]
    shift = np.mean([gain(*pair).found for pair in pairs]) / 100
    assert np.mean([gain(one + shift, other).p_value < 0.05 for one, other in pairs]) == pytest.approx(0.8, abs=0.06)
