"""The experiments on biscuits, small: the same digits however many processes, and numbers that make sense."""

from dataclasses import fields, replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from support.games.biscuits.experiments import (
    Heaps,
    borrowed_mistakes,
    growth,
    larger_heaps,
    over_seeds,
    plane,
    risen_quickly,
    starts,
    unequal,
)
from support.games.biscuits.rules import Biscuits
from support.games.biscuits.runs import (
    BiscuitRun,
    BiscuitsScale,
    ManyRuns,
    PuzzleSettings,
    biscuits,
    many_runs,
    median_interval,
    mistakes,
)
from support.games.biscuits.strategy import (
    PUBLISHED_LINE,
    after_openings,
    answered,
    last_games,
    other_settings,
    random_play,
    rarity,
    strategy_found,
    yardstick,
)
from support.games.biscuits.strategy_fast import LEVELS
from support.learners.afterstates import learn
from support.sweep import spawn

SMALL = replace(BiscuitsScale.at("small"), workers=0)


def assert_same(one, other):
    for field in fields(one):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(mine, np.ndarray):
            np.testing.assert_array_equal(mine, theirs)
        else:
            assert mine == theirs


def test_two_processes_and_none_give_the_same_digits():
    config = replace(SMALL, workers=2)
    assert_same(over_seeds(config, slip=True), over_seeds(SMALL, slip=True))
    assert_same(plane(config), plane(SMALL))
    assert_same(unequal(config), unequal(SMALL))
    for mine, theirs in zip(starts(config), starts(SMALL), strict=True):
        assert_same(mine, theirs)
    assert larger_heaps(config) == larger_heaps(SMALL)
    assert borrowed_mistakes(config) == borrowed_mistakes(SMALL)


def test_a_task_goes_by_its_seed():
    config = BiscuitRun(games=300, marks=5)
    first, again, other = (biscuits(config, seed) for seed in (2**64 - 1, 2**64 - 1, 3))
    assert first.keys() == other.keys()
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["values"], other["values"])
    assert first["checkpoints"].tolist() == [1, 4, 17, 30, 72, 300]
    assert BiscuitRun(games=300, marks=1).checkpoints().tolist() == [300]
    assert BiscuitRun(games=7).checkpoints().tolist() == list(range(1, 8))


@pytest.mark.parametrize("rates", [{}, {"exploration": 0.2, "betty_exploration": 0.0, "slip": True}])
def test_many_runs_are_single_runs_summed_up(rates):
    runs = [biscuits(BiscuitRun(games=800, marks=1, **rates), int(seed)) for seed in spawn(9, 12)]
    many = many_runs(ManyRuns(games=800, runs=12, **rates), 9)
    assert many["right"] == np.mean([run["right"] for run in runs])
    assert many["valued_right"] == pytest.approx(np.mean([run["valued_right"] for run in runs]))
    assert many["wins"] == np.mean([run["wins"] for run in runs]) / 800
    for name in ("settled", "found"):
        assert many[name] == median_interval(np.array([run[name] for run in runs]), 800)[0]


@pytest.mark.parametrize(
    ("kind", "wrong", "message"),
    [
        (BiscuitRun, {"games": -3}, "games must be at least 1, not -3"),
        (BiscuitRun, {"marks": 0}, "marks must be at least 1, not 0"),
        (ManyRuns, {"runs": 0}, "runs must be at least 1, not 0"),
        (ManyRuns, {"runs": 10_001}, "runs must be at most 10000, not 10001"),
        (PuzzleSettings, {"exploration": 1.5}, "^exploration.* 1"),
        (PuzzleSettings, {"betty_exploration": -0.1}, "betty_exploration.* 0"),
        (PuzzleSettings, {"exploration": float("nan")}, "exploration.* nan"),
        (PuzzleSettings, {"alpha": 0.0}, "alpha must be above 0.*, not 0.0"),
        (PuzzleSettings, {"start": float("inf")}, "start must be a finite number, not inf"),
        (PuzzleSettings, {"rich_teas": -1}, "rich_teas must be at least 0, not -1"),
    ],
)
def test_a_wrong_value_is_named(kind, wrong, message):
    with pytest.raises(ValueError, match=message):
        kind(**wrong)


def test_seeds_go_by_place():
    config = BiscuitsScale(root=1)
    assert len(set(config.spawn(500, 0, 0)) | set(config.spawn(500, 0, 1)) | set(config.spawn(500, 1, 0))) == 1500
    assert (config.spawn(10, 2, 3) == config.spawn(20, 2, 3)[:10]).all()
    assert not (config.spawn(10, 2, 3) == replace(config, root=2).spawn(10, 2, 3)).any()


def test_published_setting_over_seeds():
    found = over_seeds(replace(SMALL, games=2_000, seeds=50))
    assert found.right.mean() > 0.85
    assert found.wins.shape == (50, len(found.checkpoints))
    assert found.checkpoints[0] == 1
    assert found.checkpoints[-1] == 2_000
    assert 0.75 < found.wins[:, -1].mean() < 0.95
    assert (found.found <= found.settled).mean() > 0.9
    assert sum(found.lines.values()) == 50
    assert found.published == found.lines[PUBLISHED_LINE] / 50
    assert ((found.right == 1) == (found.settled <= 2_000)).all()


def test_maps():
    found = over_seeds(SMALL)
    assert found.truth.shape == found.values.shape == (2, 9, 5)
    assert np.isnan(found.truth[0, 8, 4])  # nobody leaves the start behind
    assert np.isnan(found.truth[1, 7, 4])  # one biscuit fewer: Betty comes too late
    assert set(zip(*np.nonzero(found.truth[0] == 1), strict=True)) == {(0, 0), (1, 2), (2, 1), (3, 5)[::-1]} | {(7, 4)}
    np.testing.assert_array_equal(np.isnan(found.values), np.isnan(found.truth))


def test_plane():
    small = plane(SMALL)
    assert small.right.shape == (3, 3)
    assert small.runs.tolist() == [[1, 4, 2], [1, 4, 4], [1, 4, 2]]  # more where one of the rates is the published one
    assert small.right[1, 0] == 1.0  # without exploring the optimistic start suffices
    assert small.right[2, 0] == 0.0  # alpha = 1 remembers one game only
    assert small.settled[1, 0] == small.found[1, 0] == 61
    assert np.isinf(small.settled[2, 0])
    assert ((small.valued_right >= 0) & (small.valued_right <= 1)).all()


def test_a_rise_is_quick_if_nine_tenths_of_it_come_in_a_tenth_of_the_games():
    config = BiscuitsScale()
    ground = float(random_play())
    error = (ground * (1 - ground) / config.games) ** 0.5
    rises = np.array([(0.91, 1), (0.89, 1), (0.91, 3.1 * error), (0.91, 2.9 * error), (0.91, -0.1)])
    early, end = rises.prod(axis=1), rises[:, 1]
    wins = ground + np.column_stack([early, end])
    version = SimpleNamespace(wins=wins, checkpoints=np.array([config.tenth, config.games]))
    assert risen_quickly(version, config).tolist() == [True, False, True, False, False]


def test_growth_by_hand():
    """Logarithms 0, 1, 2, 3 and 0, 1, 2, 5: the slope is 1.6, its variance 0.12, with two degrees of freedom."""
    rows = [Heaps((1, 1), float(np.exp(x)), (float(np.exp(y)),) * 3) for x, y in ((0, 0), (1, 1), (2, 2), (3, 5))]
    power, low, high = growth(rows)
    assert power == pytest.approx(1.6)
    assert (high - power, power - low) == pytest.approx((4.302653 * 0.12**0.5,) * 2)


def test_larger_heaps():
    rows = larger_heaps(SMALL)
    assert [row.heaps for row in rows] == [(6, 3), (8, 4), (11, 6)]
    assert [row.positions for row in rows] == [53, 87, 165]
    assert rows[0].found[0] < rows[1].found[0] < rows[2].found[0]
    power, low, high = growth(rows)
    assert low < power < high
    assert 0.5 < power < 2.5
    with pytest.raises(ValueError, match="three or more"):
        growth(rows[:2])
    with pytest.raises(ValueError, match="single winning opening"):
        larger_heaps(replace(SMALL, heaps=((7, 4),)))


def test_yardstick_by_hand():
    """From (1, 1): Alpha takes both, or, exploring, one in two thirds of the cases, and then Betty takes the last."""
    epsilon = Fraction(1, 10)
    assert yardstick((epsilon, 0), (1, 1)).perfect == 1 - epsilon * Fraction(2, 3)
    assert yardstick((0, 0)).perfect == yardstick((0, 0)).trembling == 1
    assert yardstick((1, 1)).perfect == yardstick((1, 1)).trembling


def test_yardstick_of_the_published_setting():
    stick = yardstick()
    assert stick == yardstick((0.05, 0.05))
    assert stick.opening == "7,4"
    # found independently, by a second program
    assert stick.perfect == Fraction(257037456746959517086096403, 285665824604160000000000000)
    assert stick.trembling == Fraction(145834008326013458462505181, 171399494762496000000000000)
    assert stick.least < stick.trembling < stick.perfect < stick.most
    assert (round(float(stick.least), 4), round(float(stick.most), 4)) == (0.8479, 0.9246)
    assert stick.careless == 0
    assert yardstick((0.1, 0.05)).perfect < stick.perfect


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([3], (3, 3, 3)),
        ([5, 1, 3], (3, 1, 5)),
        ([1, 2, 99, 99], (np.inf, 1, np.inf)),
        (range(1, 11), (5.5, 2, 9)),  # 2 P(at most 1 of 10) = 22/1024
        (range(1, 101), (50.5, 40, 61)),
    ],
)
def test_median_interval(numbers, expected):
    assert median_interval(np.array(numbers), 50 if 99 in numbers and len(numbers) < 10 else 1000) == expected


def test_scales():
    assert BiscuitsScale.at("published") == BiscuitsScale()
    with pytest.raises(ValueError, match="there are published, small"):
        BiscuitsScale.at("huge")


def test_openings_followed_through():
    """Where one kind of biscuit is gone there is no two and one; elsewhere Betty can get there, if not by force."""
    fates = {fate.opening: fate for fate in after_openings()}
    assert len(fates) == 16
    assert [opening for opening, fate in fates.items() if fate.wins] == [(7, 4)]
    assert {opening for opening, fate in fates.items() if not fate.can_reach} == {
        opening for opening in fates if 0 in opening
    }


def test_the_sentence_on_other_openings_can_fail():
    """From three and one, every other opening empties a plate or leaves one and one: no pair for Betty to leave."""
    others = [fate for fate in after_openings((3, 1)) if not fate.wins]
    assert {fate.opening for fate in others} == {(0, 1), (1, 1), (3, 0), (2, 0)}
    assert not any(fate.can_reach or fate.at_once for fate in others)
    usual = [fate for fate in after_openings() if not fate.wins]
    assert (len(usual), sum(fate.can_reach for fate in usual)) == (15, 12)
    assert all(fate.can_reach for fate in usual if fate.at_once)


def test_rarity_counts_lines_that_are_at_most_as_frequent():
    lines = {"a": 60, "b": 36, "c": 2, "d": 2}
    assert [rarity(lines, line) for line in (*lines, "no such line")] == [1, 0.4, 0.04, 0.04, 0]
    assert rarity({"a": 0.1 + 0.2, "b": 0.3, "c": 0.4}, "b") == pytest.approx(0.6)  # equal but for rounding


@pytest.mark.parametrize("slip", [False, True])
def test_last_games_are_those_of_the_trained_players(slip):
    config = replace(SMALL, games=2_000, seeds=12)
    ending, version = last_games(config, slip), over_seeds(config, slip)
    assert sum(ending.lines.values()) == pytest.approx(1)
    assert ending.lines[PUBLISHED_LINE] == pytest.approx(ending.published.mean())
    alpha = sum(share for line, share in ending.lines.items() if line.count(">") % 2)
    assert ending.alpha_wins == pytest.approx(alpha)
    for line, runs in version.lines.items():  # what both prefer is played unless Betty explores
        assert ending.lines[line] > 0.95 ** (line.count(">") // 2) * runs / 12
    assert set(version.lines) <= set(ending.lines)


@pytest.mark.parametrize("slip", [False, True])
def test_bettys_answers_are_those_of_the_plain_learner(slip):
    config = replace(SMALL, games=150, seeds=4)
    rules, cold = Biscuits(), {(0, 0), (1, 2), (2, 1), (5, 3), (7, 4)}
    wrong = [opening for opening in rules.initial_state().legal_actions() if opening not in cold]
    expected = []
    for seed in config.spawn(4, 0, 0):
        notebook = learn(rules, PuzzleSettings(games=60, slip=slip), int(seed)).values[0 if slip else 1]
        replies = [
            max(Biscuits(*opening).initial_state().legal_actions(), key=lambda board: notebook.get(board, 1.0))
            for opening in wrong
        ]
        expected.append(sum(reply in cold for reply in replies) / len(wrong))
    assert answered(config, 60, slip).tolist() == pytest.approx(expected)
    assert 0 < min(expected) < 1


def test_the_slip_keeps_betty_from_answering():
    config = replace(SMALL, seeds=40)
    assert answered(config, 100).mean() > 0.9
    assert answered(config, 100, slip=True).mean() < 0.6


def test_the_printed_last_game_could_have_been_too_rare():
    """The criterion rejects most games that occur, and those of players who have not learned."""
    lines = last_games(replace(SMALL, games=2_000, seeds=60), slip=True).lines
    assert sum(rarity(lines, line) >= 0.05 for line in lines) < len(lines) / 4
    assert rarity(lines, "8,4 > 8,3 > 8,2 > 8,1 > 8,0 > 0,0") < 0.05


def test_knowledge_is_of_the_same_runs_and_each_level_implies_the_one_before():
    for slip in (False, True):
        known, version = strategy_found(SMALL, slip), over_seeds(SMALL, slip)
        np.testing.assert_array_equal(known.found[:, 0], version.found)
        np.testing.assert_array_equal(known.at_end[:, 0], version.right)
        assert known.found.shape == known.won.shape == (20, len(LEVELS))
        assert (np.diff(known.found) >= 0).all()
        assert (np.diff(known.at_end.astype(int)) <= 0).all()
        assert (known.won <= known.found).all()


def test_the_criterion_of_quick_learning_rejects_who_learns_nothing_or_late():
    config = replace(SMALL, games=10_000, seeds=40, alphas=BiscuitsScale().alphas)
    assert config.soon == 500
    game = LEVELS.index("game")
    assert strategy_found(config).soon(500)[game] > 0.85
    others = other_settings(config)
    assert len(others) == 5
    for name in others:
        assert others[name].soon(500)[game] < 0.95
    assert others["both move at random"].soon(500)[game] < 0.1
    assert others["learning rate 1"].soon(500)[game] < 0.1
    assert strategy_found(config, slip=True).soon(500)[game] < 0.5  # the program as printed is rejected as well


def test_players_who_only_explore_do_not_pass_as_quick_learners():
    """The criterion must be able to fail: random players have nothing that rises."""
    config = replace(SMALL, seeds=100, games=2_000)
    assert risen_quickly(over_seeds(config, epsilon=1.0), config).mean() < 0.05
    assert risen_quickly(over_seeds(config, slip=True), config).mean() > 0.5


def test_random_play_by_hand():
    """From (1, 1) a random Alpha takes both once in three times; else Betty takes the last one."""
    assert random_play((1, 1)) == Fraction(1, 3)


def test_betty_repeats_mistakes_that_her_own_table_knows():
    found = borrowed_mistakes(SMALL)
    assert found == borrowed_mistakes(SMALL)
    assert found.moves > 100
    assert found.moves / 2 < found.unseen < found.moves
    assert found.moves / 2 < found.known < found.moves
    one = mistakes(PuzzleSettings(games=SMALL.watched[1], slip=True), int(SMALL.spawn(1, 5, 0)[0]))
    assert 0 < one["moves"] < found.moves
