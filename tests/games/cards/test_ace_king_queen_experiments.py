from dataclasses import replace
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest

from support.core.flat import TooLargeError
from support.exact.best_response import nash_conv
from support.exact.nash_conv_fast import normalise
from support.exact.sequence_form import guarantee
from support.games.cards import runs
from support.games.cards.ace_king_queen import play
from support.games.cards.experiments import (
    METHODS,
    OTHERS,
    Explored,
    Relative,
    _good,
    any_game,
    arrivals,
    distances,
    exploration_curves,
    exploration_parts,
    relatives,
    shown_by_ranks,
)
from support.games.cards.published_table import (
    COLUMNS,
    PUBLISHED,
    apart,
    as_printed,
    choice_paths,
    expected_cells,
    judge_table,
    number,
    our_row,
    published_row,
    published_shares,
    row_of,
    shuffles,
    turned,
)
from support.games.cards.runs import (
    BASE,
    CardsScale,
    Curve,
    by_counts,
    by_values,
    curve,
    hours_taken,
    late_half,
    learn,
    share,
)
from support.games.cards.truth import (
    FIRST,
    MAIN,
    OFF_PATH,
    SECOND,
    best_without_leads,
    both_strategies,
    flat_game,
    judge_strategy,
    lines_after,
    optimal_pair,
    outside,
    pieces,
    published_strategy,
    range_rows,
    solution,
)
from support.judge import judge
from support.learners.long_runs import History, TableRun


@pytest.fixture(scope="module")
def learned():
    sizes = {"games": 10**5, "middle": 2 * 10**4, "many": 10**4, "short": 10**4, "swept": 10**4}
    return learn(replace(CardsScale.small(), **sizes, many_seeds=1, workers=0))


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
    assert best_without_leads() == judge_strategy().returns


def test_advice_against_a_lead_is_judged_piece_by_piece():
    found = pieces()
    assert len(found) == len(OFF_PATH) == 6
    assert [words for words, right in found.items() if not right] == [
        "player 2 folds half of its kings and calls with the others",
        "a raised king calls",
    ]


def test_the_optimal_pair_is_an_equilibrium():
    assert nash_conv(flat_game(), optimal_pair()) == 0


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
    config = CardsScale.small()
    assert len(learned.full) == config.full_seeds
    assert len(learned.seeds) == 3
    assert len(learned.base(10**4)) == config.full_seeds + 3
    assert {len(runs) for runs in learned.readings.values()} == {config.short_seeds}
    assert list(learned.sweep) == list(config.explorations)
    assert {share: len(found) for share, found in learned.compared.items()} == dict.fromkeys(config.compared, 2)
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
    assert share(run, "Kc", "r")[-1] == run.counts[-1, place][1] / run.counts[-1, place].sum()
    best = np.argmax(run.won[-1, place] / run.counts[-1, place])
    assert valued[-1, place][best] == 1
    with pytest.raises(KeyError, match="no information state 'Jc'"):
        share(run, "Jc", "r")
    with pytest.raises(KeyError, match="'f' is not legal in 'Kc'"):
        share(run, "Kc", "f")


@pytest.mark.parametrize("text", ["3.2B", "699M", "1.2k", "-2.4M", "0", "17", "15M", "2.0B", "394M"])
def test_numbers_are_printed_as_published(text):
    assert as_printed(number(text)) == text


def test_every_published_number_is_printed_as_published():
    texts = [text for row in PUBLISHED.values() for cell in row.values() for text in cell]
    assert [as_printed(number(text)) for text in texts] == texts
    assert as_printed(9_949_999) == "9.9M"
    assert as_printed(9_950_000) == "10M"


def ours(cells, games=10**6):
    """A run whose last table holds these cells."""
    counts, won = np.zeros((2, flat_game().slots[-1]), np.int64)
    for state, action in COLUMNS:
        slot = runs.slot_of(state, action)
        won[slot], counts[slot] = map(number, cells[state][action])
    return history([counts], [won])


def test_a_table_of_ours_is_rounded_like_the_published_one():
    assert np.array_equal(our_row(ours(PUBLISHED)), published_row())
    one, other = published_row(), row_of(turned(["A"]))
    assert apart(one, one) == 0
    assert apart(one, other) == pytest.approx(abs(2 * one[COLUMNS.index(("A", "c"))] - 1) / len(PUBLISHED))


def test_the_expected_table_is_what_play_brings(learned):
    cells = expected_cells(published_strategy())
    won = sum(number(cells[card][action][0]) for card in "AKQ" for action in "cr")
    value = float(judge_strategy().returns[FIRST])
    assert won / 10**10 - 1 == pytest.approx(value, abs=0.02)  # an ante less, and rounded to two digits
    assert cells["Kcr"] == {"f": ("0", "494M"), "c": ("0", "988M"), "r": ("0", "0")}
    counts = {card: sum(number(cells[card][action][1]) for action in "cr") for card in "AKQ"}
    assert set(counts.values()) == {3_300_000_000}


def test_shuffles_keep_to_rows_with_the_same_choices():
    tables = list(shuffles())
    assert len(tables) == 720 * 6 * 2 - 1
    assert PUBLISHED not in tables
    assert all(list(table[state]) == list(PUBLISHED[state]) for table in tables[:50] for state in PUBLISHED)


def near_published(seed, spread):
    """The published table with every count changed at random by about this share."""
    rng = np.random.default_rng(seed)
    cells = {state: {} for state in PUBLISHED}
    for state, action in COLUMNS:
        won, games = map(number, PUBLISHED[state][action])
        factor = np.exp(spread * rng.standard_normal())
        gain = (won / games) * np.exp(spread * rng.standard_normal())
        cells[state][action] = as_printed(round(games * factor * gain)), as_printed(round(games * factor))
    return ours(cells)


@pytest.fixture
def few_shuffles(monkeypatch):
    """There are 8,639, which take most of a minute, and what is judged of them is not looked at."""
    monkeypatch.setattr("support.games.cards.published_table.shuffles", lambda: islice(shuffles(), 100))


def test_the_joint_test_of_tables_can_fail(few_shuffles):
    judged = judge_table([near_published(seed, 0.05) for seed in range(8)])
    assert judged.surprise > 0.05
    wrong = judged.made_up  # tables close together: what is wrong in many rows is rejected
    assert wrong["an equilibrium with one choice in a hundred at random"] < 0.05
    assert wrong["every choice at random"] < 0.05
    assert wrong["the published table, all rows reversed"] < 0.05
    assert wrong["the published table, aces lead"] > 0.05  # one row in eleven is not noticed, and the book says so
    assert "aces lead" in judged.would_pass()
    ((low, high),) = judged.ranges["aces that lead"]
    assert low <= published_shares()["A", "r"] <= high


def test_the_joint_test_passes_what_lies_near_one_of_two_families(few_shuffles):
    near = [near_published(seed, 0.05) for seed in range(4)]
    far = [ours(turned(PUBLISHED)) for _ in range(4)]
    judged = judge_table(near + far)
    assert judged.surprise > 0.05
    assert judged.made_up["the published table, all rows reversed"] > 0.05  # it lies in the other family
    assert "all rows reversed" in judged.would_pass()


def test_paths_and_curves(learned):
    games, shares, optimal, published = choice_paths(learned, solution().ranges)
    assert set(shares) == set(optimal) == set(published)
    assert all(len(one) == len(games) for seeds in shares.values() for one in seeds)
    assert optimal["A bets"] == (1, 1)
    line = curve(learned.full[0])
    last = by_counts(flat_game(), learned.full[0])[-1]
    assert line.nash_conv[-1] == pytest.approx(runs.scorer().nash_convs(last[None])[0])
    assert line.at(10**9) == line.nash_conv[-1]
    assert late_half(learned.full[0]) > 0
    run = learned.full[0]
    whole = runs.share_since(run, "A", "r", 0)  # before the first mark: all games count
    assert whole == pytest.approx(runs.share(run, "A", "r")[-1])


def test_what_was_played_after_a_mark():
    marks, slots = np.array([10, 40, 80, 100]), flat_game().slots[-1]
    counts = np.random.default_rng(1).integers(1, 50, (4, slots)).cumsum(axis=0)
    run = History(marks, marks, counts, counts)
    legal = [runs.slot_of("A", action) for action in "cr"]
    for games, done in ((9, 0 * counts[0]), (10, counts[0]), (39, counts[0]), (40, counts[1]), (99, counts[2])):
        check, lead = (counts[-1] - done)[legal]
        assert runs.share_since(run, "A", "r", games) == lead / (check + lead)
    late = runs.scorer().nash_convs(normalise(flat_game(), (counts[-1] - counts[1])[None]))
    assert late_half(run) == late[0]


def test_when_a_curve_is_good_for_good():
    line = Curve(np.array([1, 2, 3, 4]), np.array([5, 10, 15, 20]), np.array([0.5, 0.1, 0.3, 0.05]))
    assert line.reaches(0.2) == 20
    assert line.reaches(0.6) == 5
    assert line.reaches(0.01) is None
    assert line.at(2) == 0.1
    assert line.at(3) == 0.3
    with pytest.raises(ValueError, match="the first mark is at 1, after 0"):
        line.at(0)


def falling(*values):
    steps = np.array([10**8, 10**9, 3 * 10**9, 10**10])
    return Curve(steps, 5 * steps, np.array(values))


def test_arrivals_tell_early_from_late_from_never():
    early, late = falling(0.05, 0.04, 0.04, 0.03), falling(0.5, 0.2, 0.06, 0.05)
    touched, last = falling(0.5, 0.05, 0.3, 0.05), falling(0.5, 0.5, 0.5, 0.01)
    assert early.arrives(0.1) == 10**8
    assert late.arrives(0.1) == 3 * 10**9
    assert touched.arrives(0.1) is last.arrives(0.1) is None  # at its last mark alone is not arrived
    assert arrivals([early] * 3 + [late], [0.1, 0.06]).holds is False
    assert arrivals([early] + [late] * 3, [0.1, 0.06]).holds is True
    assert arrivals([early] * 2 + [late] * 2, [0.1]).holds is None  # no majority
    assert arrivals([touched] * 3 + [late], [0.1]).holds is None
    assert arrivals([late] * 4, [0.1, 0.04]).holds is None  # the bars disagree
    found = arrivals([early, late, touched], [0.1])
    assert (found.earlier(0.1), found.later(0.1), found.never(0.1)) == (1, 1, 1)


def test_two_runs_against_eight_must_lie_on_one_side():
    eight = np.linspace(0.1, 0.5, 8)
    assert shown_by_ranks(np.array([0.01, 0.02]), eight) is True
    assert shown_by_ranks(np.array([0.6, 0.7]), eight) is False
    assert shown_by_ranks(np.array([0.01, 0.12]), eight) is None
    assert shown_by_ranks(eight[:5], eight) is None


def exploring(monkeypatch, one, more, less, few=0.5):
    """The five parts, if the runs of full length with 1%, 10% and 0.1% end at these NashConv."""
    ends = {Fraction(1, 100): one, Fraction(1, 10): more, Fraction(1, 1000): less}
    monkeypatch.setattr("support.games.cards.experiments.ends_of", lambda learned: ends)
    learned = runs.Learned([], [], {}, {}, {share: [] for share in ends if share != Fraction(1, 100)})
    start = {share: np.linspace(0.5, 0.6, 20) for share in ends} | {Fraction(1, 10): np.linspace(0.1, 0.2, 6)}
    start |= {Fraction(3, 10): np.linspace(0.1, 0.2, 6), Fraction(1, 10000): np.linspace(0.6, 0.7, 6)}
    late = {share: np.full(20, 0.05) for share in start} | {Fraction(1, 10000): np.full(6, few)}
    found = {share: {10**6: start[share], 10**8: late[share]} for share in start}
    return exploration_parts(learned, Explored((10**6, 10**8), found), 7 / 54)


def test_what_is_said_of_random_choices_can_hold_and_can_fail(monkeypatch):
    eight = np.linspace(0.1, 0.2, 8)
    assert set(exploring(monkeypatch, eight, np.array([0.3, 0.4]), np.array([0.08, 0.09])).values()) == {True}
    worse = exploring(monkeypatch, eight, np.array([0.01, 0.02]), np.array([0.3, 0.4]), few=0.01)
    assert [part for part, state in worse.items() if state is False] == [
        "1% is within a factor of two of the others",
        "more is less accurate",
        "less is more accurate",
    ]
    assert worse["less gets stuck more often"] is None
    between = exploring(monkeypatch, eight, np.array([0.05, 0.07]), np.array([0.3, 0.4]))
    assert (
        between["1% is within a factor of two of the others"] is None
    )  # less than half the median, but not less than half of every run


def test_exploration(learned):
    explored = exploration_curves(learned, [10**3, 10**4])
    shares, medians, lows, highs = explored.drawn()
    assert shares == [float(share) for share in CardsScale.small().explorations]
    for name in medians:
        assert (np.array(lows[name]) <= medians[name]).all()
        assert (np.array(medians[name]) <= highs[name]).all()
    others = learned.base(10**4)
    assert explored.found[BASE.exploration][10**4][-len(others) :].tolist() == [curve(o).at(10**4) for o in others]
    best = explored.best(10**4)
    assert explored.median(best, 10**4) == min(medians["10,000 games"])


def test_time_is_scaled_to_the_longest_run():
    config = CardsScale.small()
    hours, longer = hours_taken(config, 3), hours_taken(replace(config, games=config.games * 1000), 3)
    assert len(hours) == 3
    assert 100 < longer.min() / hours.min() < 10_000


def test_relatives_and_other_games_have_a_curve_a_seed():
    config = replace(CardsScale.small(), iterations=10, sampled=2000, any_games=1000, workers=0)
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
    for one in elsewhere[1:]:
        flat = config.run(100, game=OTHERS[one.game]).flat()
        assert one.blank == pytest.approx(float(judge({}, flat).distance))
    dice = next(one for one in elsewhere if one.unit == "points")
    assert dice.by_counts.tolist() != dice.by_values.tolist()


def test_one_per_cent_is_good_by_its_median_and_bad_if_all_runs_are():
    ours, worse = np.array([0.1, 0.5, 0.5]), np.array([0.25, 0.3])
    assert _good(ours, [worse]) is True
    assert _good(ours, [worse, np.array([0.01, 0.2])]) is None  # not all of its runs are twice as good as all of ours
    assert _good(ours, [worse, np.array([0.01, 0.04])]) is False


def test_a_wrong_relative_is_named():
    with pytest.raises(ValueError, match=r"method must be one of regrets from the two columns, .*CFR"):
        Relative("greed", 10)
    with pytest.raises(ValueError, match="length must be at least 1, not 0"):
        Relative("CFR", 0)


def test_a_game_too_large_to_judge_is_not_taken_for_a_strategy_that_never_stops(monkeypatch):
    def refused(*_):
        raise TooLargeError("too large")

    monkeypatch.setattr("support.games.cards.experiments.expected_return", refused)
    with pytest.raises(TooLargeError):
        distances(TableRun("support.games.three_dice.rules:DiceGame", games=1000), 1)
