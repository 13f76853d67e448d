import xml.etree.ElementTree as ET

import numpy as np
import pytest

from support.figures import ace_king_queen as pictures

FOLD, CALL = {"f": 1.0, "c": 0.0}, {"f": 0.0, "c": 1.0}
STRATEGY = {
    **{card: {"c": 0.75, "r": 0.25} for card in "AKQ"},
    **{card + "c": {"c": 1.0, "r": 0.0} for card in "AKQ"},
    **{card + history: {**FOLD, "r": 0.0} for card in "AKQ" for history in ("cr", "r")},
    **{card + "crr": CALL for card in "AKQ"},
    **{card + "rr": {"f": None, "c": None} for card in "AKQ"},
}


def texts(picture):
    ET.fromstring(picture.svg)
    assert "nan" not in picture.svg.lower().replace("nash", "")
    return picture.svg


def test_the_puzzle_shows_the_card():
    assert ">K</text>" in texts(pictures.puzzle("K"))
    with pytest.raises(ValueError, match="card must be one of A, K and Q, not 'J'"):
        pictures.puzzle("J")


def test_the_tree_shows_both_strategies():
    svg = texts(pictures.betting_tree({"published": STRATEGY, "optimal": STRATEGY}))
    for word in ("published", "optimal", "check", "bet", "fold", "call", "raise"):
        assert word in svg


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"A": {"c": 0.5, "r": 0.6}}, "add up to 1.1"),
        ({"A": {"c": -1.0, "r": 2.0}}, "is not a probability"),
        ({"J": {"c": 1.0}}, "no information state"),
        ({"A": {"f": 1.0}}, "'f' is not possible at A"),
    ],
)
def test_a_tree_of_something_else_is_refused(change, fault):
    with pytest.raises(ValueError, match=fault):
        pictures.betting_tree({"published": STRATEGY, "optimal": STRATEGY | change})
    with pytest.raises(ValueError, match="exactly two strategies, not 1"):
        pictures.betting_tree({"published": STRATEGY})


def test_curves_name_their_series_and_marks():
    x = np.array([10, 100, 1000])
    svg = texts(pictures.curves({"one": [(x, 1 / x), (x, 2 / x)], "two": [(x, 0 * x)]}, "states", {"level": 0.1}))
    for word in ("one", "two", "level", "states"):
        assert f">{word}</text>" in svg or word in svg
    with pytest.raises(ValueError, match="at least one series"):
        pictures.curves({})
    with pytest.raises(ValueError, match="two arrays of the same length"):
        pictures.curves({"one": [(x, x[:2])]})
    with pytest.raises(ValueError, match="finite numbers"):
        pictures.curves({"one": [(x, x * np.nan)]})


def test_ranges_name_their_rows():
    svg = texts(pictures.ranges([(1, "A", "bets", 1, 1, 0), (2, "Kc", "bets", 0.25, 0.5, None)]))
    assert "Kc" in svg
    with pytest.raises(ValueError, match="is not a range of probabilities"):
        pictures.ranges([(1, "A", "bets", 0.5, 0.25, None)])


def test_paths_name_their_choices():
    games, line = np.array([10, 100, 1000]), np.array([0.1, 0.5, 0.9])
    svg = texts(pictures.paths(games, {"A bets": [line, line / 2]}, {"A bets": (1, 1)}, {"A bets": 0.06}))
    assert "A bets" in svg
    with pytest.raises(ValueError, match="not within 0 and 1"):
        pictures.paths(games, {"A bets": [2 * line]})


def test_the_sweep_names_its_series():
    middle = {"late": [0.3, 0.1]}
    svg = texts(pictures.sweep([0.01, 0.1], middle, {"late": [0.2, 0.05]}, {"late": [0.4, 0.2]}))
    assert "late" in svg
    with pytest.raises(ValueError, match="a median is not between"):
        pictures.sweep([0.01, 0.1], middle, {"late": [0.35, 0.05]}, {"late": [0.4, 0.2]})
