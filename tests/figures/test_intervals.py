import re
import xml.etree.ElementTree as ET

import pytest

from support.figures.intervals import estimates

ROWS = {"none": {"short": (0.5, 0.4, 0.6), "long": (0.7, 0.7, 0.7)}, "early": {"short": (0.3, 0.2, 0.35)}}


def drawn_by(picture, *args, **options):
    """The matplotlib figure behind a picture."""
    return picture.__wrapped__(*args, **options)


def words(picture):
    root = ET.fromstring(picture.svg)
    assert not re.search(r"\b(nan|inf)\b", picture.svg, re.IGNORECASE)
    return ["".join(element.itertext()).strip() for element in root.iter() if element.tag.endswith("}text")]


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
