from itertools import pairwise

import pytest
from drawn import words

from support.figures.intervals import estimates

ROWS = {"none": {"short": (0.5, 0.4, 0.6), "long": (0.7, 0.7, 0.7)}, "early": {"short": (0.3, 0.2, 0.35)}}


def drawn_by(picture, *args, **options):
    """The matplotlib figure behind a picture."""
    return picture.__wrapped__(*args, **options)


def test_rows_groups_series_and_marks_are_named():
    texts = words(estimates({"slips": ROWS, "rewards": {"win": {"short": (0.1, 0.0, 0.2)}}}, marks={"meant": 0.8}))
    assert {"slips", "rewards", "none", "early", "win", "short", "long", "meant", "share of games won"} <= set(texts)


def test_dots_and_whiskers_stand_where_they_should():
    figure = drawn_by(estimates, {"slips": ROWS, "rewards": {"win": {"long": (0.1, 0.0, 0.2)}}}, marks={"meant": 0.8})
    first, second = figure.axes
    dots = [line.get_xdata()[0] for line in first.lines if line.get_marker() != "None"]
    whiskers = [tuple(line.get_xdata()) for line in first.lines if line.get_marker() == "None"]
    assert dots == [0.5, 0.7, 0.3]
    assert whiskers == [(0.4, 0.6), (0.7, 0.7), (0.2, 0.35), (0.8, 0.8)]
    short, long = (line.get_color() for line in first.lines[1:4:2])
    assert short != long
    assert second.lines[0].get_color() == long  # a series keeps its colour, also where it is alone
    assert first.get_xlim() == second.get_xlim()
    assert first.get_ylim()[0] > first.get_ylim()[1]  # the first row on top


def test_a_single_series_needs_no_key():
    assert not drawn_by(estimates, {"": {"a": {"": (0.5, 0.4, 0.6)}}}).legends


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ({}, "expected at least one estimate"),
        ({"a": {}}, "expected at least one estimate"),
        ({"a": {"b": {}}}, "expected at least one estimate"),
        ({"a": ROWS, "b": {}}, "expected at least one estimate"),
        ({"a": {"b": {"c": (0.5, 0.6, 0.7)}}}, "a: b: 0.5 is not between 0.6 and 0.7"),
        ({"a": {"b": {"c": (float("nan"), 0, 1)}}}, "a: b: nan is not between 0 and 1"),
        ({"a": {"b": {str(k): (0, 0, 0) for k in range(4)}}}, "expected at most 3 series, not 4"),
    ],
)
def test_what_cannot_be_drawn_is_named(groups, message):
    with pytest.raises(ValueError, match=message):
        estimates(groups)


def test_seeds_stand_above_their_estimate_and_do_not_overlap():
    values = [0.1, 0.5, 0.5, 0.5001, 0.9]
    seeds = {"slips": {"none": {"short": values}}}
    figure = drawn_by(estimates, {"slips": ROWS}, seeds=seeds)
    panel = figure.axes[0]
    (cloud,) = [line for line in panel.lines if len(line.get_xdata()) == 5]
    assert list(cloud.get_xdata()) == values
    first, low, middle, high, last = cloud.get_ydata()
    assert first == low == last
    assert low - middle == pytest.approx(middle - high)
    assert low > middle > high  # the axis points down
    dot = next(line for line in panel.lines if line.get_marker() == "o" and len(line.get_xdata()) == 1)
    assert dot.get_xdata()[0] == 0.5
    assert dot.get_ydata()[0] > low
    assert cloud.get_color() == dot.get_color()
    assert high > panel.get_ylim()[1]


def test_many_equal_seeds_stay_in_their_row():
    rows = {str(row): {"a": (0.5, 0.5, 0.5), "b": (0.5, 0.5, 0.5)} for row in range(2)}
    seeds = {"": {row: {name: [0.5] * 100 for name in series} for row, series in rows.items()}}
    figure = drawn_by(estimates, {"": rows}, seeds=seeds)
    clouds = [line.get_ydata() for line in figure.axes[0].lines if len(line.get_xdata()) == 100]
    ends = sorted((min(heights), max(heights)) for heights in clouds)
    assert all(a[1] < b[0] for a, b in pairwise(ends))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"marks": dict.fromkeys("abcde", 0.5)}, "at most 4 marks, not 5"),
        ({"seeds": {"slips": {"none": {"short": []}}}}, "slips: none: short: expected finite numbers"),
        ({"seeds": {"slips": {"none": {"short": [float("nan")]}}}}, "slips: none: short: expected finite numbers"),
        ({"seeds": {"slips": {"early": {"long": [1]}}}}, "slips: early: long: .* of an estimate that is drawn"),
    ],
)
def test_seeds_and_marks_that_cannot_be_drawn_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        estimates({"slips": ROWS}, **options)
