from fractions import Fraction
from itertools import combinations
from math import comb, exp, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from support.verdicts import stats
from support.verdicts.calibration import WORLDS, rejections
from support.verdicts.stats import (
    apart,
    compare_rates,
    exceeds,
    false_alarms,
    holm,
    joint_surprise,
    mean_interval,
    passing_ranges,
    proportion_interval,
    rank_test,
    ratio_interval,
    same_distribution,
    sign_test,
)


@pytest.mark.parametrize(
    ("k", "n", "ends"),
    [(81, 263, (0.2553, 0.3662)), (15, 148, (0.0624, 0.1605)), (0, 20, (0.0, 0.1611)), (1, 29, (0.0061, 0.1718))],
)
def test_published_examples(k, n, ends):
    """Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3."""
    assert proportion_interval(k, n) == pytest.approx(ends, abs=5e-5)


counts = st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.9, 0.95, 0.999])


@settings(max_examples=40, deadline=None)
@given(counts, levels)
def test_interval_of_a_proportion(count, level):
    k, n = count
    low, high = proportion_interval(k, n, level)
    assert 0 <= low <= k / n + 1e-12
    assert k / n - 1e-12 <= high <= 1
    assert proportion_interval(n - k, n, level) == pytest.approx((1 - high, 1 - low), abs=1e-9)
    more_low, more_high = proportion_interval(4 * k, 4 * n, level)
    assert more_high - more_low < high - low
    wide_low, wide_high = proportion_interval(k, n, (1 + level) / 2)
    assert wide_high - wide_low > high - low


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, float("nan")])
def test_levels_outside_are_refused(level):
    for interval in (
        lambda: proportion_interval(3, 10, level),
        lambda: mean_interval([1, 2, 3], level),
        lambda: ratio_interval(3, 10, 4, 10, level),
        lambda: compare_rates(3, 10, 4, 10, level),
    ):
        with pytest.raises(ValueError, match="level must lie between 0 and 1"):
            interval()


def test_student_by_hand():
    """1, 2, 3: mean 2, standard error 1/sqrt(3), t(0.975, 2) = 4.3027."""
    assert mean_interval([1, 2, 3]) == pytest.approx((2 - 4.3027 / 3**0.5, 2 + 4.3027 / 3**0.5), abs=1e-4)


@pytest.mark.parametrize(("k", "n"), [(3, 2), (-1, 2), (0, 0), (2.5, 4), (2, 4.5)])
def test_impossible_counts(k, n):
    for use in (
        lambda: proportion_interval(k, n),
        lambda: compare_rates(k, n, 1, 2),
        lambda: compare_rates(1, 2, k, n),
    ):
        with pytest.raises(ValueError, match="between 0 and trials"):
            use()


@pytest.mark.parametrize(
    ("interval", "other", "found"),
    [
        ((0.2, 0.3), 0.1, True),
        ((0.2, 0.3), 0.4, False),
        ((0.2, 0.3), 0.25, None),
        ((0.2, 0.3), 0.3, None),
        ((0.2, 0.3), 0.2, None),
        ((0.2, 0.3), (0.0, 0.1), True),
        ((0.2, 0.3), (0.31, 0.4), False),
        ((0.2, 0.3), (0.1, 0.2), None),
        ((0.2, 0.3), (0.1, 0.4), None),
    ],
)
def test_what_an_interval_says_of_a_number_and_of_another_interval(interval, other, found):
    assert exceeds(interval, other) is found
    assert exceeds(np.array(interval), np.array(other)) is found


def test_one_value_has_no_interval():
    with pytest.raises(ValueError, match="at least two"):
        mean_interval([1.0])


def test_ratio_published_example():
    """Physicians' Health Study (1989): 104 of 11,037 against 189 of 11,034 heart attacks; ratio 0.55, 0.43 to 0.70."""
    assert ratio_interval(104, 11_037, 189, 11_034) == pytest.approx((0.4337, 0.6978), abs=5e-5)
    half = 1.959964 * (1 / 90 - 1 / 100 + 1 / 60 - 1 / 100) ** 0.5  # rates that are not small
    assert ratio_interval(90, 100, 60, 100) == pytest.approx((1.5 * exp(-half), 1.5 * exp(half)), rel=1e-6)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((0, 10, 3, 10), "hits on both sides, not 0 of 10 and 3 of 10"),
        ((5, 5, 7, 7), "a miss on one side, not 5 of 5 and 7 of 7"),
        ((2.5, 5, 3, 7), "both whole: not 2.5 of 5"),
    ],
)
def test_no_ratio_without_hits_and_misses(counts, message):
    with pytest.raises(ValueError, match=message):
        ratio_interval(*counts)


def test_tests_without_distributions():
    assert sign_test(5, 5) == pytest.approx(2 / 2**5)
    assert sign_test(3, 6) == 1
    with pytest.raises(ValueError, match=r"both whole: not 2\.7 of 5"):
        sign_test(2.7, 5)
    assert rank_test([1, 2, 3], [4, 5, 6]) == pytest.approx(2 / 20)  # the two extreme ones of the 20 arrangements
    assert same_distribution([1, 2, 3], [4, 5, 6]) == pytest.approx(0.0495, abs=1e-4)  # H = 27 / 7
    assert same_distribution([1, 4, 5], [2, 3, 6]) > 0.5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 1], [2, 3, 3, 4, 5, 5, 6, 7]),
        ([1, 2], [2, 3, 4]),
        ([1, 1], [1, 1]),
        ([1], [1, 2, 3]),
        ([0], [1, 1, 2]),
        ([1, np.inf, np.inf], [-np.inf, 1, 2]),
        ([1, 1, 2, 3, 5, 8, 9, 9], [2, 4, 6, 8, 8, 9, 9, 9]),
    ],
)
def test_ranks_with_ties_are_exact(one, other):
    """Against all arrangements, each counted; the normal distribution calls up to 7% of them surprising at 5%."""
    both, n = [*one, *other], len(one)

    def wins(chosen):
        rest = [both[k] for k in range(len(both)) if k not in chosen]
        return sum((both[k] > x) + (both[k] == x) / 2 for k in chosen for x in rest)

    every = np.array([wins(chosen) for chosen in combinations(range(len(both)), n)])
    ours = wins(range(n))
    expected = min(1, 2 * min((every <= ours).mean(), (every >= ours).mean()))
    assert rank_test(one, other) == rank_test(other, one) == pytest.approx(expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_mean_needs_finite_values(bad):
    with pytest.raises(ValueError, match=f"every value must be finite, not {bad}"):
        mean_interval([1.0, bad])


@pytest.mark.parametrize("bad", [[1.0, np.nan], []])
def test_what_has_no_rank_is_refused(bad):
    for call in (rank_test, same_distribution):
        with pytest.raises(ValueError, match="a test by ranks needs numbers, at least one in each group"):
            call([1.0, 2.0], bad)
    with pytest.raises(ValueError, match="at least two groups, not 1"):
        same_distribution([1.0, 2.0])


@pytest.mark.parametrize(
    ("one", "other", "interval"),
    [
        ((56, 70), (48, 80), (0.0524, 0.3339)),
        ((9, 10), (3, 10), (0.1705, 0.8090)),
        ((6, 7), (2, 7), (0.0582, 0.8062)),
        ((5, 56), (0, 29), (-0.0381, 0.1926)),
        ((0, 10), (0, 20), (-0.1611, 0.2775)),
        ((0, 10), (0, 10), (-0.2775, 0.2775)),
        ((10, 10), (0, 20), (0.6791, 1)),
        ((10, 10), (0, 10), (0.6075, 1)),
    ],
)
def test_difference_published_examples(one, other, interval):
    """Newcombe (1998), Statistics in Medicine 17, 873-890, table II: method 10, score without continuity correction."""
    assert compare_rates(*one, *other).interval == pytest.approx(interval, abs=5e-5)


def upper_tail(k, n, total, both):
    """Fisher's one-sided p-value, in fractions: at least k of the hits of both sides fall on this one, of n trials."""
    ways = sum(comb(n, j) * comb(total - n, both - j) for j in range(k, min(n, both) + 1))
    return Fraction(ways, comb(total, both))


def test_boschloo_by_hand():
    """3 of 3 against 0 of 3: no other table is as extreme, and its probability p^3 (1 - p)^3 is 1/64 at most."""
    assert compare_rates(3, 3, 0, 3).p_value == pytest.approx(2 / 64)


@pytest.mark.parametrize("n", [1, 8, 100, 10**6])
def test_equal_rates_are_no_evidence(n):
    found = compare_rates(n // 2, n, n // 2, n)
    assert (found.difference, found.p_value, found.different) == (0, 1, False)


def test_boschloo_published_example():
    """Mehta and Senchaudhuri (2003): of 15 a side 7 and 12; Fisher's one-sided 0.0640, 0.0341 unconditionally."""
    found = compare_rates(7, 15, 12, 15)
    assert float(upper_tail(12, 15, 30, 19)) == pytest.approx(0.0640, abs=1e-4)
    assert found.p_value == pytest.approx(2 * 0.0341, abs=1e-4)
    assert not found.different


@pytest.mark.parametrize(("one", "other"), [((1, 6), (6, 7)), ((7, 9), (2, 11)), ((2, 12), (0, 5))])
def test_boschloo_by_all_tables(one, other):
    """The largest probability, over the common rate, of a table whose p-value of Fisher is no larger."""
    (k, n), (i, m) = max((one, other), (other, one), key=lambda pair: pair[0][0] / pair[0][1])
    limit = upper_tail(k, n, n + m, k + i)
    tables = [(x, y) for x in range(n + 1) for y in range(m + 1) if upper_tail(x, n, n + m, x + y) <= limit]

    def extreme(p):
        return sum(comb(n, x) * comb(m, y) * p ** (x + y) * (1 - p) ** (n + m - x - y) for x, y in tables)

    expected = min(1, 2 * max(extreme(step / 2000) for step in range(2001)))
    assert compare_rates(*one, *other).p_value == pytest.approx(expected, rel=1e-4)


def test_many_trials_are_judged_by_fishers_test():
    """Physicians' Health Study (1989), as above; the tail in whole numbers."""
    found = compare_rates(189, 11_034, 104, 11_037)
    total, both = 22_071, 293
    assert found.p_value == pytest.approx(2 * float(upper_tail(189, 11_034, total, both)), rel=1e-6)
    assert found.different


def test_where_the_tests_change():
    """At 100 trials a side still Boschloo's, which is smaller than Fisher's."""
    last, first = compare_rates(60, 100, 45, 100), compare_rates(60, 100, 45, 101)
    assert last.p_value < 0.9 * 2 * float(upper_tail(60, 100, 200, 105))
    assert first.p_value == pytest.approx(2 * float(upper_tail(60, 100, 201, 105)))


@pytest.mark.parametrize(("k", "i", "different"), [(500_000, 501_000, False), (500_000, 502_000, True)])
def test_a_million_trials(k, i, different):
    """Standard error of the difference 0.0007071."""
    n = 10**6
    found = compare_rates(k, n, i, n)
    error = (2 * 0.25 / n) ** 0.5
    assert found.interval == pytest.approx((found.difference - 1.96 * error, found.difference + 1.96 * error), abs=1e-6)
    assert found.different is different
    assert compare_rates(k, n, k, n).p_value == 1


def test_few_against_many_keeps_its_level():
    """One hit in ten where one in a thousand is usual: probability 1% (a score test says 1e-22)."""
    found = compare_rates(1, 10, 1_000, 10**6)
    assert found.p_value == pytest.approx(2 * (1 - 0.999**10), rel=0.01)


def test_different_goes_by_the_level():
    """p = 0.0682."""
    assert not compare_rates(7, 15, 12, 15, level=0.95).different
    assert compare_rates(7, 15, 12, 15, level=0.9).different


@settings(max_examples=40, deadline=None)
@given(counts, counts, levels)
def test_interval_of_a_difference(one, other, level):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stats, "MOST_TABLES", 0)  # the interval is the same, the test quicker
        here, there = compare_rates(*one, *other, level), compare_rates(*other, *one, level)
        more = compare_rates(4 * one[0], 4 * one[1], 4 * other[0], 4 * other[1], level)
        mirror = compare_rates(one[1] - one[0], one[1], other[1] - other[0], other[1], level)
    low, high = here.interval
    assert -1 - 1e-12 <= low <= here.difference <= high <= 1 + 1e-12
    assert there.difference == -here.difference
    assert there.interval == pytest.approx((-high, -low), abs=1e-12)
    assert mirror.interval == pytest.approx((-high, -low), abs=1e-9)
    assert there.p_value == pytest.approx(here.p_value)
    assert mirror.p_value == pytest.approx(here.p_value)
    assert more.interval[1] - more.interval[0] < high - low
    assert 0 < here.p_value <= 1


few = st.integers(1, 12).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@settings(max_examples=15, deadline=None)
@given(few, few)
def test_boschloo_improves_on_fisher(one, other):
    here, there = compare_rates(*one, *other), compare_rates(*other, *one)
    (k, n), (i, m) = max((one, other), (other, one), key=lambda pair: pair[0][0] / pair[0][1])
    assert there.p_value == pytest.approx(here.p_value, rel=1e-3)
    assert 0 < here.p_value <= min(1, 2 * float(upper_tail(k, n, n + m, k + i))) + 1e-9


@pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
def test_one_more_run_is_called_surprising_as_often_as_it_should(world):
    assert 0.02 <= rejections(world, 0, 600, np.random.default_rng(20)) <= 0.075  # 0.05, and 2.8 errors of 0.009


@pytest.mark.parametrize("world", [world for world in WORLDS.values() if world.shared > 1])
def test_a_run_whose_first_share_is_moved_far_is_noticed(world):
    assert rejections(world, 6, 60, np.random.default_rng(21)) > 0.9


def test_a_row_near_one_of_two_families_is_not_far_out_and_one_between_them_is():
    random = np.random.default_rng(3)
    runs = np.vstack([random.normal(0, 0.01, (5, 2)), random.normal(1, 0.01, (5, 2))])
    assert joint_surprise((1.0, 1.0), runs) > 0.05
    assert joint_surprise((0.5, 0.5), runs) < 0.001
    many = np.vstack([random.normal(0, 0.01, (20, 2)), random.normal(1, 0.01, (20, 2))])
    assert joint_surprise((0.5, 0.5), many) == pytest.approx(1 / 41)
    assert joint_surprise((1.0, 1.0), many) > 0.2


def test_numbers_that_are_the_same_everywhere_count_for_nothing_and_a_new_one_for_much():
    runs = [[0, 1.0], [0, 1.1], [0, 1.2], [0, 1.4]]
    assert joint_surprise((0, 1.15), runs) == joint_surprise((1.15,), [[row[1]] for row in runs])
    assert joint_surprise((1, 1.15), runs) < joint_surprise((0, 1.15), runs)
    # By hand: the nearest are 13 and 1, 1, 2 and 4 away. Student's prediction of a fifth logarithm from four.
    logs = np.log([1, 1, 2, 4])
    far = (np.log(13) - logs.mean()) / (logs.std(ddof=1) * (1 + 1 / 4) ** 0.5)
    assert t.sf(far, 3) == pytest.approx(0.035185, abs=1e-6)
    assert joint_surprise((20,), [[0], [1], [3], [7]]) == pytest.approx(t.sf(far, 3))
    assert joint_surprise((1, 1), [[1, 1]] * 3) == 1
    assert joint_surprise((1, 2), [[1, 1]] * 3) == 1 / 4  # three runs, though equal, cannot say that the next is


def test_numbers_of_any_size_are_compared():
    rows = np.random.default_rng(5).normal(size=(8, 2))
    for scale in (1e-200, 1e200):
        assert joint_surprise(rows[0] * scale, rows[1:] * scale) == pytest.approx(joint_surprise(rows[0], rows[1:]))


def test_what_would_have_passed_is_found_by_moving_one_number():
    random = np.random.default_rng(4)
    runs = WORLDS["four players' wins, 5,000 games, 200 runs"].draw(random, 40)
    ((low, high),) = passing_ranges(runs.mean(axis=0), runs, 0, range(2500, 4000, 20))
    assert low < runs[:, 0].mean() < high
    assert high - low < 8 * runs[:, 0].std()
    assert joint_surprise(runs.mean(axis=0), runs) > 0.5
    assert passing_ranges([0, 5000, 0, 0], runs, 1, [4000, 5000]) == []
    assert false_alarms(runs) < 0.15


@pytest.mark.parametrize("seeds", [6, 40])
def test_false_alarms_are_those_of_each_run_among_the_others(seeds):
    runs = np.random.default_rng(seeds).normal(size=(seeds, 2)) ** 3
    alone = [joint_surprise(runs[k], np.delete(runs, k, axis=0)) for k in range(seeds)]
    for level in (0.05, 0.3, 0.7):
        assert false_alarms(runs, level) == np.mean(np.array(alone) < level)


def test_two_families_pass_in_two_stretches():
    runs = [[0.0], [0.1], [0.25], [5.0], [5.12], [5.3]]
    assert len(passing_ranges((0.0,), runs, 0, np.arange(-1, 7, 0.05))) == 2


def test_what_rounding_alone_tells_apart_is_the_same():
    assert joint_surprise([13], [[number] for number in range(13)]) == 1  # all neighbours are one apart
    assert joint_surprise([3 * 0.1], [[0.0], [0.1], [0.2]]) == 1
    shares = np.random.default_rng(0).random(25)
    same, rounded = ([[number, share] for share in shares] for number in (0.3, 0.1 + 0.2))
    assert joint_surprise([0.1 + 0.2, 0.52], same) == joint_surprise([0.3, 0.52], same) > 0.3
    assert joint_surprise([0.3, 0.52], rounded) == joint_surprise([0.3, 0.52], same)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: joint_surprise((1, 2), [[1, 2], [2, 1]]), "at least three rows"),
        (lambda: joint_surprise((1, 2), [[1], [2], [3]]), "at least three rows of as many numbers"),
        (lambda: joint_surprise((1, np.nan), [[1, 2], [2, 1], [3, 3]]), "finite"),
        (lambda: false_alarms([[1], [2], [3]]), "at least four runs"),
        (lambda: false_alarms([[1], [2], [3], [np.inf]]), "finite"),
        (lambda: passing_ranges((1, 2, 3), np.eye(3), 0, [1], slice(1, 3)), r"not one of the shared columns \[1, 2\]"),
    ],
)
def test_joint_tests_of_the_wrong_form(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_p_values_are_corrected():
    """By hand: the least times three, the next times two, none below one before it, and none above 1."""
    corrected = holm([0.02, nan, 0.01, 0.9])
    assert corrected == pytest.approx([0.04, nan, 0.03, 0.9], nan_ok=True)
    assert holm([0.5, 0.6]) == [1, 1]
    assert holm([0.03, 0.03, 0.04]) == pytest.approx([0.09, 0.09, 0.09])


def test_runs_are_held_against_runs_by_ranks_and_against_a_number_by_signs():
    ours = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert apart(ours, ours + 10) == rank_test(ours, ours + 10) < 0.01
    assert apart(ours, np.array([7.0])) == sign_test(6, 6) == 2 / 2**6
    assert apart(ours, np.array([6.0])) == sign_test(5, 5)
    assert apart(np.ones(3), np.ones(1)) == 1
