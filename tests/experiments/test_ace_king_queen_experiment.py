from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from support.exact.best_response import nash_conv
from support.exact.sequence_form import guarantee
from support.experiments import ace_king_queen as chapter
from support.experiments.ace_king_queen import (
    PUBLISHED,
    Config,
    by_counts,
    by_values,
    choice_paths,
    hours_taken,
    learn,
    likeness,
    number,
    published_shares,
    share,
    table_rows,
)
from support.experiments.ace_king_queen_exact import (
    FIRST,
    MAIN,
    OFF_PATH,
    SECOND,
    both_strategies,
    flat_game,
    judge_strategy,
    lines_after,
    outside,
    published_strategy,
    range_rows,
    solution,
)
from support.experiments.ace_king_queen_methods import (
    METHODS,
    Curve,
    Relative,
    any_game,
    curve,
    exploration_curves,
    late_half,
    relatives,
)
from support.experiments.long_runs import History
from support.games.ace_king_queen import play


@pytest.fixture(scope="module")
def learned():
    sizes = {"games": 10**5, "middle": 2 * 10**4, "many": 10**4, "short": 10**4, "swept": 10**4}
    return learn(replace(Config.small(), **sizes, many_seeds=1, workers=0))


def history(counts, won=None):
    counts = np.array(counts, np.int64)
    won = np.zeros_like(counts) if won is None else np.array(won, np.int64)
    marks = np.arange(1, len(counts) + 1)
    return History(marks, 5 * marks, counts, won)


def test_the_published_strategy_is_judged_exactly():
    verdict = judge_strategy()
    assert verdict.nash_conv == Fraction(7, 54) == nash_conv(flat_game(), published_strategy())
    assert verdict.returns == (Fraction(-2, 27), Fraction(2, 27))
    assert verdict.best[SECOND] == verdict.returns[SECOND]
    values = {name: (one.value, two.value) for name, (one, two) in verdict.guarantees.items()}
    assert values["nothing"] == (solution().value, -solution().value) == (Fraction(-1, 36), Fraction(1, 36))
    assert values["never to lead"][FIRST] == Fraction(-2, 27) == values["the table"][FIRST]
    assert values["never to bet a king"][SECOND] == Fraction(2, 81)
    assert values["everything"] == (Fraction(-2, 27), Fraction(-1, 18))


def test_the_published_strategy_is_an_equilibrium_where_player_1_may_not_lead():
    flat, checks = flat_game(), {(FIRST, card): {"c": Fraction(1)} for card in "AKQ"}
    value = guarantee(flat, FIRST, checks).value
    assert judge_strategy().returns[FIRST] == value  # player 2 is at its best, and player 1 cannot have more than this


def test_what_no_optimal_strategy_does():
    assert {where for where, _ in outside(OFF_PATH)} == {(SECOND, "Kr"), (FIRST, "Krr")}
    assert ((FIRST, "A"), "r") in outside(MAIN)
    assert outside({(FIRST, "Acr"): {"f": Fraction(1)}}) == []  # optimal players never get there


def test_the_pencil_sum_is_the_action_value():
    policy, gains = published_strategy(), judge_strategy().gains
    for card in "AKQ":
        for action in "cr":
            lines = lines_after(card, action, policy)
            assert sum(line.probability for line in lines) == 1
            assert all(play(line.hand).returns()[0] == line.gain for line in lines)
            total = sum(line.probability * line.gain for line in lines)
            if (card, action) not in (("K", "c"), ("K", "r")):  # best replies later on are those of the strategy
                assert total == gains[FIRST, card][action] - 1  # the ante has been paid by then


def test_pictures_get_both_strategies_and_the_ranges():
    both = both_strategies()
    assert both["published"]["Kcr"] == {"f": pytest.approx(1 / 3), "c": pytest.approx(2 / 3), "r": 0}
    assert both["published"]["Kcrr"] == {"f": None, "c": None}
    assert both["optimal"]["Acr"] == {"f": None, "c": None, "r": None}
    assert both["optimal"]["Kc"] == {"c": 0.75, "r": 0.25}
    rows = {(player, state): rest for player, state, *rest in range_rows()}
    assert rows[2, "Kc"] == ["bets", Fraction(1, 4), Fraction(15, 32), 0]
    assert rows[1, "Krr"] == ["folds", 1, 1, 0]
    assert rows[2, "Kcrr"][-1] is None
    assert (1, "Acr") not in rows


def test_numbers_as_printed():
    assert [number(text) for text in ("3.2B", "699M", "1.2k", "-2.4M", "0")] == [
        3_200_000_000,
        699_000_000,
        1200,
        -2_400_000,
        0,
    ]
    with pytest.raises(ValueError, match="three"):
        number("three")


def test_the_published_table_adds_up():
    first = sum(number(games) for card in "AKQ" for _, games in PUBLISHED[card].values())
    assert first == pytest.approx(10**10, rel=0.01)
    shares = published_shares()
    for state in PUBLISHED:
        assert sum(share for (where, _), share in shares.items() if where == state) == pytest.approx(1)


def test_all_runs_are_there(learned):
    config = Config.small()
    assert len(learned.full) == config.full_seeds
    assert len(learned.seeds) == 3
    assert len(learned.base(10**4)) == config.full_seeds + 3
    assert {len(runs) for runs in learned.readings.values()} == {config.short_seeds}
    assert list(learned.sweep) == list(config.explorations)
    everything = [*learned.full, *learned.seeds, *learned.sweep[Fraction(1, 100)]]
    finals = {run.counts[run.marks <= 10**4][-1].tobytes() for run in everything}
    assert len(finals) == len(everything)  # no seed is used twice


def test_reading_a_table(learned):
    flat, run = flat_game(), learned.full[0]
    counted, valued = by_counts(flat, run), by_values(flat, run)
    for start, stop in zip(flat.slots, flat.slots[1:], strict=False):
        assert np.allclose(counted[:, start:stop].sum(axis=1), 1)
        assert (np.sort(valued[:, start:stop], axis=1)[:, -1] == 1).all()
        assert (valued[:, start:stop].sum(axis=1) == 1).all()
    state = [text for _, text in flat.information_states].index("Kc")
    place = slice(flat.slots[state], flat.slots[state + 1])
    assert share(flat, run, "Kc", "r")[-1] == run.counts[-1, place][1] / run.counts[-1, place].sum()
    best = np.argmax(run.won[-1, place] / run.counts[-1, place])
    assert valued[-1, place][best] == 1
    with pytest.raises(KeyError, match="no information state 'Jc'"):
        share(flat, run, "Jc", "r")
    with pytest.raises(KeyError, match="'f' is not legal in 'Kc'"):
        share(flat, run, "Kc", "f")


def test_likeness_finds_an_outlier():
    flat, keys = flat_game(), published_shares()
    slots = {key: chapter._slot(flat, *key) for key in keys}
    tables = np.zeros((3, flat.slots[-1]), np.int64)
    for key, slot in slots.items():
        tables[:2, slot] = round(10**6 * keys[key])
    tables[2] = 1
    near, far = (likeness([history([row]) for row in rows]) for rows in (tables[[0, 1, 2]], tables[[2, 2, 2]]))
    assert near.published == pytest.approx(near.ours[0], rel=1e-4) == pytest.approx(near.ours[2] / 3, rel=1e-4)
    assert far.surprise == 1 / 4


def test_rows_of_the_table(learned):
    rows = table_rows(learned.full)
    assert len(rows) == sum(len(row) for row in PUBLISHED.values())
    state, action, published, gain, ours = rows[0]
    assert (state, action, round(published, 3), round(gain, 3)) == ("Q", "c", 0.951, 0.218)
    assert ours[0][0] == share(flat_game(), learned.full[0], "Q", "c")[-1]


def test_paths_and_curves(learned):
    games, shares, optimal, published = choice_paths(learned, solution().ranges)
    assert set(shares) == set(optimal) == set(published)
    assert all(len(one) == len(games) for seeds in shares.values() for one in seeds)
    assert optimal["A bets"] == (1, 1)
    line = curve(learned.full[0])
    last = by_counts(flat_game(), learned.full[0])[-1]
    assert line.nash_conv[-1] == pytest.approx(chapter.scorer().nash_convs(last[None])[0])
    assert line.at(10**9) == line.nash_conv[-1]
    assert late_half(learned.full[0]) > 0


def test_when_a_curve_is_good_for_good():
    line = Curve(np.array([1, 2, 3, 4]), np.array([5, 10, 15, 20]), np.array([0.5, 0.1, 0.3, 0.05]))
    assert line.reaches(0.2) == 20
    assert line.reaches(0.6) == 5
    assert line.reaches(0.01) is None
    assert line.at(2) == 0.1
    assert line.at(3) == 0.3


def test_exploration(learned):
    explored = exploration_curves(learned, [10**3, 10**4])
    shares, medians, lows, highs = explored.drawn()
    assert shares == [float(share) for share in Config.small().explorations]
    for name in medians:
        assert (np.array(lows[name]) <= medians[name]).all()
        assert (np.array(medians[name]) <= highs[name]).all()
    best = explored.best(10**4)
    assert explored.median(best, 10**4) == min(medians["10,000 games"])
    assert not explored.below(best, best, 10**4)


def test_time_is_scaled_to_the_longest_run():
    config = Config.small()
    hours, longer = hours_taken(config, 3), hours_taken(replace(config, games=config.games * 1000), 3)
    assert len(hours) == 3
    assert 100 < longer.min() / hours.min() < 10_000


def test_relatives_and_other_games_have_a_curve_a_seed():
    config = replace(Config.small(), iterations=10, sampled=2000, any_games=1000, workers=0)
    family = relatives(config)
    assert list(family) == list(METHODS)
    for name, curves in family.items():
        assert len(curves) == (1 if name in ("fictitious play", "CFR", "CFR+") else config.sampled_seeds)
        assert all(np.isfinite(one.nash_conv).all() and len(one.steps) == len(one.nash_conv) for one in curves)
    assert family["CFR"][0].steps[-1] == 10
    assert family["estimated regrets"][0].steps[-1] == 2000
    elsewhere = any_game(config)
    assert [(one.game, one.unit, one.states) for one in elsewhere] == [
        ("liars-dice", "NashConv", 24576),
        ("biscuits", "NashConv", 85),
        ("three-dice", "points", 56),
        ("kuhn-poker", "NashConv", 12),
    ]
    assert all(one.blank > 0 and one.marks[-1] == 1000 for one in elsewhere)
    assert all(len(one.marks) == len(one.by_values) for one in elsewhere)


def test_a_wrong_relative_is_named():
    with pytest.raises(ValueError, match=r"method must be one of regrets from the two columns, .*CFR"):
        Relative("greed", 10)
    with pytest.raises(ValueError, match="length must lie between 1 and"):
        Relative("CFR", 0)
