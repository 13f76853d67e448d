import hashlib
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from table_games import TableGame

from support.core.flat import unfold
from support.exact.optimal import optimal_policy
from support.games.three_dice.agents import AGENTS, BARS, ROUNDING, Player, agents, decisions, one_step_look_ahead
from support.games.three_dice.experiments import (
    Contest,
    Plan,
    ThreeDiceScale,
    contest,
    contests,
    discount_sweep,
    first_optimal_discount,
    growth,
    plan,
    settled_threshold,
    threshold_sweep,
    versions_differ,
    worths,
)
from support.games.three_dice.published import (
    SCORE_FILE,
    LegacyGames,
    legacy_contest,
    legacy_games,
    on_the_same_games,
    replay,
    states_met,
)
from support.games.three_dice.rules import DiceGame
from support.learners.value_iteration import value_iteration

SMALL = replace(ThreeDiceScale.at("small"), workers=0)


@pytest.fixture(scope="module")
def flat():
    return unfold(DiceGame())


@pytest.fixture(scope="module")
def seven(flat):
    return agents(flat)


@pytest.fixture(scope="module")
def games():
    return replay(SMALL)


def test_two_processes_and_none_give_the_same_digits():
    config, players = replace(SMALL, workers=2), [Player("mdp"), Player("risky", strict=True)]
    for name, values in vars(discount_sweep(config)).items():
        assert list(values) == list(vars(discount_sweep(SMALL))[name])
    assert threshold_sweep(config, [0.1, 0.01]) == threshold_sweep(SMALL, [0.1, 0.01])
    np.testing.assert_array_equal(contests(config, ["0.95", "1"]), contests(SMALL, ["0.95", "1"]))
    scores = [on_the_same_games(one, players, range(150)) for one in (config, SMALL)]  # in more than one block
    np.testing.assert_array_equal(*scores)


def test_one_first_seed_gives_the_published_means(games):
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


def test_the_file_of_single_scores_is_the_authors_and_no_other_seed_writes_it(games):
    assert hashlib.sha256(games.score_file(770).encode()).hexdigest() == SCORE_FILE
    lines = games.score_file(770).splitlines()
    assert len(lines) == 1 + 700
    assert lines[:2] == ["round, agent, score", "0, AlwaysHoldAgent, 12"]
    assert lines[-1] == f"99, MarkovDecisionProcessAgentAdjusted, {games.scores[games.path(770)[-1], -1]}"
    other = games.score_file(int(games.following[770]))  # the same games but one
    assert hashlib.sha256(other.encode()).hexdigest() != SCORE_FILE


def test_states_met_are_those_in_which_a_player_decides(games):
    seeds = games.path(770)
    fair = [1 / 6] * 6
    first = {tuple(sorted(np.random.RandomState(seed).choice(range(1, 7), 3, p=fair).tolist())) for seed in seeds}
    assert states_met(Player("always-hold"), seeds) == first  # it never rolls again
    met = states_met(Player("mdp"), seeds)
    assert first < met
    assert len(met) == 49  # of 56: digits alone say nothing of the other seven decisions
    assert len(states_met(Player("perfectionist"), seeds)) == 56


def test_the_two_versions_of_value_iteration_agree_only_at_fine_thresholds(flat):
    """The criterion for the version in place could have failed."""
    grid = [k / 20 for k in range(21)]
    assert versions_differ(flat, grid, 0.001) == (0, 0)
    assert versions_differ(flat, grid, 1.0)[0] > 0


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
            assert legacy_games(LegacyGames(seeds=(seed,)), 0)["scores"].tolist() == [score]
    finally:
        np.random.set_state(kept)


def test_exact_expectations(flat, seven):
    exact = {name: worth.mean for name, worth in worths(flat, seven).items()}
    assert exact["always-hold"] == Fraction(21, 2)
    assert exact["perfectionist"] == -35
    assert exact["one-step"] == exact["risky"] > exact["cautious"]
    assert exact["mdp"] == exact["mdp-adjusted"] == Fraction(472419191, 36413125)


def test_the_order_of_the_agents_could_have_been_another(flat, seven):
    """What the criteria on the cautious agent and on the planners reject."""
    exact = {name: worth.mean for name, worth in worths(flat, seven).items()}
    assert exact["cautious"] < exact["risky"] < exact["mdp"]
    others = {
        "too risky": one_step_look_ahead(flat, Fraction(6, 36)),
        "hasty": value_iteration(flat, 0.88, 0.001).policy,
    }
    found = {name: worth.mean for name, worth in worths(flat, others).items()}
    assert found["too risky"] < exact["cautious"]
    assert found["hasty"] < exact["one-step"]


def test_discount_sweep_ends_at_the_optimum(flat):
    sweep = discount_sweep(SMALL)
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


def test_settled_threshold_by_hand():
    """Going on is worth 3 g, which is 3 g - 1 better than to stop; the bound is (3 g - 1) (1 - g) / 2 g."""
    rows = {
        "start": (0, "start", {"stop": ("over", (1,)), "go": ("next", (0,))}),
        "next": (0, "next", {"on": ("end", (3,))}),
    }
    flat = unfold(TableGame("two steps", 1, rows))
    assert settled_threshold(flat, Fraction(1, 2)) == Fraction(1, 4)
    assert settled_threshold(flat, Fraction(3, 4)) == Fraction(5, 24)


def test_rounding_changes_decisions_and_the_published_means(flat, seven, games):
    """The reason for fractions: one way of adding floats decides 2,5,5 differently and misses the table."""
    exact = Player("one-step")
    other = Player("one-step", arithmetic="floats, one minus the other outcomes")
    assert exact.policy().table == seven["one-step"].table
    assert decisions(flat, exact.policy())[2, 5, 5] == (0,)
    assert decisions(flat, other.policy())[2, 5, 5] == (0, 1)
    sums = on_the_same_games(SMALL, [exact, other], games.path(770)).sum(axis=0)
    assert sums[0] == games.totals[770, AGENTS.index("one-step")] == 1233
    assert sums[1] != 1233


def test_players_are_what_their_names_say(flat, seven):
    assert list(seven) == list(AGENTS)
    for name, policy in seven.items():
        assert Player(name).policy().table == policy.table
    assert Player("optimal", Fraction(4, 5)).policy().table == optimal_policy(flat, Fraction(4, 5)).policy.table
    for name, bar in BARS.items():
        for recipe, arithmetic in ROUNDING.items():
            built = one_step_look_ahead(flat, bar, strict=True, chance_of_better=arithmetic)
            assert Player(name, strict=True, arithmetic=recipe).policy().table == built.table
    assert Player("one-step", strict=True).policy().table != seven["one-step"].table


def test_legacy_contest_goes_along_the_chains(games):
    players = [Player("one-step"), Player("optimal")]
    means = legacy_contest(SMALL, players, games)
    assert means.shape == (SMALL.first_seeds, 2)
    np.testing.assert_array_equal(means[:, 0] * 100, games.totals[:, AGENTS.index("one-step")])
    own = on_the_same_games(SMALL, players, games.path(770)).mean(axis=0)
    np.testing.assert_array_equal(means[770], own)
    longer = on_the_same_games(SMALL, players, games.path(770) * 3)  # the same seeds again and again
    np.testing.assert_array_equal(longer[200:].mean(axis=0), own)


def test_threshold_sweep_needs_more_sweeps_for_finer_thresholds():
    rows = threshold_sweep(SMALL, [1.0, 0.1, 0.001])
    assert [sweeps for _, sweeps, _ in rows] == [4, 7, 15]
    assert [threshold for threshold, _, _ in rows] == [1.0, 0.1, 0.001]


def test_a_plan_that_is_not_optimal_says_so():
    coarse = plan(Plan(Fraction(1), 0.1), 0)
    assert coarse == {"sweeps": 9, "found": "61081/4576", "planned": "103369/7744", "optimal": False}


def test_contests_are_deterministic_and_fair(flat):
    means = contests(SMALL, ["0.95", "1"])
    assert means.shape == (SMALL.contests, 2)
    np.testing.assert_array_equal(means, contests(SMALL, ["0.95", "1"]))
    players = {text: Player("optimal", Fraction(text)).policy() for text in ("0.95", "1")}
    for column, worth in enumerate(worths(flat, players).values()):
        error = worth.deviation / (SMALL.contests * SMALL.games) ** 0.5
        assert abs(means[:, column].mean() - float(worth.mean)) < 4 * error


def test_contestants_play_games_of_the_same_seeds():
    (one, two), (alone,) = (contest(Contest(text, 50), 2**64 - 1)["means"] for text in ("0.99 1.00", "1"))
    assert two == alone
    assert (contest(Contest("19/20 0.95"), 4)["means"] == contest(Contest("0.95"), 4)["means"]).all()
    assert one != contest(Contest("0.99", 50), 1)["means"]


def test_contests_of_one_task_are_told_apart():
    means = contest(Contest("0.95 1", 50, contests=3), 4)["means"].reshape(3, 2)
    assert len({*means[:, 1].tolist()}) == 3
    np.testing.assert_array_equal(means[0], contest(Contest("0.95 1", 50), 4)["means"])
    few, many = (contests(replace(SMALL, contests=count), ["0.95", "1"]) for count in (130, 200))
    np.testing.assert_array_equal(few, many[:130])  # not a whole number of tasks


@pytest.mark.parametrize(
    ("kind", "wrong", "message"),
    [
        (Player, {"agent": "lucky"}, "agent must be one of always-hold, .*, optimal, not 'lucky'"),
        (Player, {"agent": "optimal", "discount": Fraction(2)}, "discount must be at most 1, not Fraction\\(2, 1\\)"),
        (Player, {"discount": Fraction(1, 2)}, "discount must be 1 for mdp; only 'optimal' takes another"),
        (Player, {"strict": True}, "are for one-step, risky, cautious, not for mdp"),
        (Player, {"agent": "risky", "arithmetic": "guess"}, "arithmetic must be one of fractions; .*not 'guess'"),
        (LegacyGames, {"seeds": ()}, "seeds must be at least 1 long, not \\(\\)"),
        (LegacyGames, {"seeds": (1, -1)}, "seeds\\[1\\] must be at least 0, not -1"),
        (LegacyGames, {"below": 0}, "below must be at least 1, not 0"),
        (Contest, {"games": 0}, "games must be at least 1, not 0"),
        (Contest, {"contests": 0}, "contests must be at least 1, not 0"),
        (Contest, {"discounts": ""}, "discounts must name 1 to 100 numbers"),
        (Contest, {"discounts": "0.9,1"}, "discounts must be numbers separated by blanks.*not '0.9,1'"),
        (Contest, {"discounts": "1/0"}, "discounts must be numbers"),
        (Contest, {"discounts": "1.5"}, "each of the discounts must lie between 0 and 1, not 3/2"),
        (Plan, {"discount": Fraction(-1)}, "discount must be at least 0, not Fraction\\(-1, 1\\)"),
        (Plan, {"threshold": 0.0}, "threshold must be above 0.*, not 0.0"),
    ],
)
def test_a_wrong_value_is_named(kind, wrong, message):
    with pytest.raises(ValueError, match=message):
        kind(**wrong)


def test_growth_counts_states():
    sizes = growth(SMALL)
    assert [(s.dice, s.states, s.actions) for s in sizes] == [(1, 6, 2), (2, 21, 4), (3, 56, 8)]
    assert sizes[0].value == 4


def test_unknown_scale():
    with pytest.raises(ValueError, match="there are published, small"):
        ThreeDiceScale.at("huge")
