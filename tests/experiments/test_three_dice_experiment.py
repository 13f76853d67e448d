from fractions import Fraction

import numpy as np
import pytest

from support.agents.value_iteration import value_iteration
from support.exact.optimal import optimal_policy
from support.experiments.three_dice import (
    ROUNDING,
    Config,
    agents,
    contest,
    decisions,
    discount_sweep,
    first_optimal_discount,
    growth,
    on_the_same_games,
    replay,
    settled_threshold,
    threshold_sweep,
    worths,
)
from support.games.flat import unfold
from support.games.three_dice import DiceGame

SMALL = Config.at("small")


@pytest.fixture(scope="module")
def flat():
    return unfold(DiceGame())


@pytest.fixture(scope="module")
def seven(flat):
    return agents(flat)


def test_one_first_seed_gives_the_published_means(flat, seven):
    games = replay(flat, seven, Config())
    hits = games.matches([1082, -4180, 1233, 1233, 1215, 1353, 1353]).all(axis=1)
    assert np.flatnonzero(hits).tolist() == [770]
    assert games.path(770)[:3] == [770, games.following[770], games.following[games.following[770]]]
    assert games.scores[games.path(770)].sum(axis=0).tolist() == games.totals[770].tolist()
    assert games.different(770) == len(set(games.path(770))) == 96
    loops = games.loops()
    assert [(len(loop), len(seeds)) for loop, seeds in loops.items()] == [(60, 776), (3, 224)]
    for loop, seeds in loops.items():
        assert [games.following[seed] for seed in loop] == [*loop[1:], loop[0]]
        assert set(loop) <= set(seeds.tolist())


def test_legacy_games_are_those_of_the_global_generator(flat, seven):
    """The published program seeds numpy's global generator; RandomState is the same stream without the global state."""
    game, table = flat.game, decisions(flat, seven["mdp"])
    fair = [1 / 6] * 6
    kept = np.random.get_state()
    try:
        for seed in range(50):
            np.random.seed(seed)
            dice = sorted(np.random.choice(game.values, 3, p=fair, replace=True).tolist())
            score = 0
            while len(table[tuple(dice)]) < 3:
                held = [dice[place] for place in table[tuple(dice)]]
                rolled = np.random.choice(game.values, 3 - len(held), p=fair, replace=True).tolist()
                dice, score = sorted(held + rolled), score - 1
            score += game.final_score(dice)
            assert on_the_same_games(flat, seven["mdp"], [seed]).tolist() == [score]
    finally:
        np.random.set_state(kept)


def test_exact_expectations(flat, seven):
    exact = {name: worth.mean for name, worth in worths(flat, seven).items()}
    assert exact["always-hold"] == Fraction(21, 2)
    assert exact["perfectionist"] == -35
    assert exact["one-step"] == exact["risky"] > exact["cautious"]
    assert exact["mdp"] == exact["mdp-adjusted"] == Fraction(472419191, 36413125)


def test_discount_sweep_ends_at_the_optimum(flat):
    sweep = discount_sweep(flat, SMALL)
    assert sweep.planned[0] == Fraction(21, 2)  # nothing later counts: always hold
    assert sweep.planned[-1] == max(sweep.planned) == Fraction(103369, 7744)
    assert len(sweep.found) == len(sweep.planned) == SMALL.discounts
    assert sweep.optimal.all()


def test_first_optimal_discount_brackets_the_change(flat):
    low, high = first_optimal_discount(flat, digits=3)
    assert high - low == Fraction(1, 1000)
    best = optimal_policy(flat).policy.table
    assert optimal_policy(flat, low).policy.table != best
    assert optimal_policy(flat, high).policy.table == best


def test_settled_threshold(flat):
    """Below it every plan is the optimal one, well above it some plan is not."""
    discount = Fraction(19, 20)
    bound = float(settled_threshold(flat, discount))
    best = optimal_policy(flat, discount).policy.table
    assert 0.001 < bound < 0.01
    for threshold in (bound, bound / 10, bound / 1e6):
        assert value_iteration(flat, 0.95, threshold).policy.table == best
    assert value_iteration(flat, 0.95, 1.0).policy.table != best
    with pytest.raises(ValueError, match="strictly between"):
        settled_threshold(flat, Fraction(1))


def test_rounding_changes_decisions_and_the_published_means(flat, seven):
    """The reason for fractions: one way of adding floats decides 2,5,5 differently and misses the table."""
    other = agents(flat, ROUNDING["floats, one minus the other outcomes"])
    assert decisions(flat, seven["one-step"])[2, 5, 5] == (0,)
    assert decisions(flat, other["one-step"])[2, 5, 5] == (0, 1)
    path = replay(flat, seven, Config()).path(770)
    assert on_the_same_games(flat, seven["one-step"], path).sum() == 1233
    assert on_the_same_games(flat, other["one-step"], path).sum() != 1233


def test_threshold_sweep_needs_more_sweeps_for_finer_thresholds(flat):
    rows = threshold_sweep(flat, [1.0, 0.1, 0.001])
    assert [sweeps for _, sweeps, _ in rows] == [4, 7, 15]


def test_contest_is_deterministic_and_fair(flat, seven):
    two = {name: seven[name] for name in ("one-step", "mdp")}
    means = contest(flat, two, SMALL)
    assert means.shape == (SMALL.contests, 2)
    np.testing.assert_array_equal(means, contest(flat, two, SMALL))
    for column, name in enumerate(two):
        worth = worths(flat, two)[name]
        error = worth.deviation / (SMALL.contests * SMALL.games) ** 0.5
        assert abs(means[:, column].mean() - float(worth.mean)) < 4 * error


def test_growth_counts_states():
    sizes = growth(SMALL)
    assert [(s.dice, s.states, s.actions) for s in sizes] == [(1, 6, 2), (2, 21, 4), (3, 56, 8)]
    assert sizes[0].value == 4


def test_unknown_scale():
    with pytest.raises(ValueError, match="known are published, small"):
        Config.at("huge")
