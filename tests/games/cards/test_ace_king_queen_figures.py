import re
from fractions import Fraction

import numpy as np
import pytest
from drawn import words

from support.figures.choices import paths, ranges
from support.figures.distances import curves, sweep
from support.figures.logarithmic import _apart
from support.games.cards.figures import betting_tree, puzzle


def strategy(text):
    """Each word an information state, then actions in lower case after a colon; no number means always."""
    table = {}
    for word in text.split():
        state, chances = word.split(":")
        table[state] = {part[0]: float(Fraction(part[1:] or 1)) for part in chances.split(",")}
    return table


PUBLISHED = strategy(
    "A:c K:c Q:c Acr:r Kcr:f1/3,c2/3 Qcr:f Arr:c Krr:c Qrr:f "
    "Ac:r Kc:c Qc:c2/3,r1/3 Ar:r Kr:f1/2,c1/2 Qr:f Acrr:c Qcrr:f"
)
OPTIMAL = strategy(
    "A:r K:c3/4,r1/4 Q:c3/4,r1/4 Kcr:c Qcr:f Arr:c Krr:f Qrr:f "
    "Ac:r Kc:c3/4,r1/4 Qc:c3/4,r1/4 Ar:c Kr:f1/4,c3/4 Qr:f Acrr:c Kcrr:f Qcrr:f"
) | {"Acr": {"f": None, "c": None, "r": None}}
GAMES = np.geomspace(1e2, 1e10, 20)


def run(scale=1.0):
    return GAMES, scale * GAMES**-0.5


@pytest.mark.parametrize("card", "AKQ")
def test_puzzle_shows_the_card_the_pot_and_the_opponent(card):
    texts = words(puzzle(card))
    assert texts.count(card) == 2  # in two corners
    assert {"you", "pot: $2", "opponent"} <= set(texts)


@pytest.mark.parametrize("card", ["J", "", "AK"])
def test_puzzle_knows_three_cards(card):
    with pytest.raises(ValueError, match="card must be one of"):
        puzzle(card)


def test_tree_names_decisions_branches_and_ends():
    texts = words(betting_tree({"published": PUBLISHED, "optimal": OPTIMAL}))
    assert {"published", "optimal", "to start", "after c", "after r", "after cr", "after rr", "after crr"} <= set(texts)
    counts = {"Player 1": 3, "Player 2": 3, "check": 2, "bet": 2, "fold": 4, "call": 4, "raise": 2, "showdown": 5}
    assert {word: texts.count(word) for word in counts} == counts
    ends = {"$1 each": 1, "$2 each": 2, "$3 each": 2, "wins $1": 2, "wins $2": 2, "player 1": 2, "player 2": 2}
    assert {word: texts.count(word) for word in ends} == ends


def test_tree_tells_zero_from_unknown_and_sets_off_differences():
    picture = betting_tree({"published": PUBLISHED, "optimal": OPTIMAL})
    texts = words(picture)
    assert texts.count("–") == 3 + 2 + 1  # Acr, Kcrr, and the key
    assert {"1/3", "2/3", "1/2", "1/4", "3/4"} <= set(texts)
    bold = r'font-weight="bold"[^>]*>{}<'
    differing = {card: len(re.findall(bold.format(card), picture.svg)) for card in "AKQ"}
    assert differing == {"A": 2, "K": 5, "Q": 2}
    same = betting_tree({"published": PUBLISHED, "the same": PUBLISHED}).svg
    assert not re.search(bold.format("[AKQ]"), same)


def test_tree_draws_the_two_strategies_in_different_shapes():
    svg = betting_tree({"published": PUBLISHED, "optimal": {}}).svg
    assert svg.count('fill="var(--blue)"') == 1 + 2  # the sample beside the name, and the key
    assert svg.count('stroke="var(--red)"') == 1 + 11 * 2 + 6 * 3  # the sample; states with two and three actions


def test_tree_escapes_names():
    assert "R&D <1>" in words(betting_tree({"R&D <1>": {}, "optimal": OPTIMAL}))


@pytest.mark.parametrize(
    ("strategies", "message"),
    [
        ({"a": {}, "b": {}, "c": {}}, "exactly two"),
        ({"a": {}, "b": {"Ac": {"r": 1.2}}}, "not a probability"),
        ({"a": {}, "b": {"Ac": {"r": float("nan")}}}, "not a probability"),
        ({"a": {}, "b": {"Ac": {"c": 0.7, "r": 0.7}}}, "add up to"),
    ],
)
def test_tree_refuses_what_is_no_pair_of_strategies(strategies, message):
    with pytest.raises(ValueError, match=message):
        betting_tree(strategies)


def test_curves_label_their_ends_and_ticks():
    series = {"CFR": [run()], "learning": [run(2), run(3)], "short": [(GAMES[:9], GAMES[:9] ** -0.2)]}
    texts = words(curves(series, "hands", {"published strategy: 7/54": 7 / 54}, ylabel="distance"))
    assert {*series, "hands", "distance", "published strategy: 7/54"} <= set(texts)
    assert {"10,000", "1 million", "10 billion"} <= set(texts)


def test_curves_clip_small_values_and_take_seeds_of_different_lengths():
    x, y = run()
    texts = words(curves({"a": [(x, np.zeros(20)), (x, -y), (x, y)], "b": [(x, y), (x[:5], y[:5])]}))
    assert {"a", "b", "10⁻¹²"} <= set(texts)


def test_curves_take_a_single_point_and_many_series():
    words(curves({"a": [([5], [0.1])]}))
    words(curves({str(k): [run(1 + k / 100)] for k in range(12)}))


@pytest.mark.parametrize(
    ("series", "marks", "message"),
    [
        ({"a": []}, {}, "at least one"),
        ({str(k): [run()] for k in range(13)}, {}, "at most 12"),
        ({"a": [(GAMES - 100, GAMES)]}, {}, "positive"),
        ({"a": [run()]}, {"nothing": 0}, "above zero"),
    ],
)
def test_curves_refuse_what_cannot_be_drawn(series, marks, message):
    with pytest.raises(ValueError, match=message):
        curves(series, marks=marks)


@pytest.mark.parametrize("seed", range(5))
def test_labels_keep_apart_in_order_and_inside(seed):
    wanted = np.random.default_rng(seed).uniform(0, 200, 9)
    placed = _apart(wanted, 13.5, (0, 200))
    assert (np.diff(placed[np.argsort(wanted)]) >= 13.5 - 1e-9).all()
    assert placed.min() >= 0
    assert placed.max() <= 200
    assert _apart(np.array([10.0, 90.0]), 13.5, (0, 200)).tolist() == [10, 90]  # no need to move


def test_ranges_group_players_and_write_fractions():
    rows = [
        (1, "A", "bet", 1, 1, 0),
        (1, "Acr", "raise", 0, 1, 1),
        (2, "Kc", "bet", 0.25, 15 / 32, 0),
        (2, "Kcrr", "call", 0, 0, None),
    ]
    texts = words(ranges(rows))
    assert {"Player 1", "Player 2", "A: bet", "Acr: raise", "Kc: bet", "Kcrr: call"} <= set(texts)
    assert {"0 to 1", "1/4 to 15/32", "published, inside", "published, outside"} <= set(texts)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "at least one"),
        ([(1, "A", "bet", 0.5, 1.4, None)], "not a range"),
        ([(1, "A", "bet", 0, 1, 1.1)], "not a probability"),
    ],
)
def test_ranges_refuse_what_is_no_probability(rows, message):
    with pytest.raises(ValueError, match=message):
        ranges(rows)


def test_paths_have_a_panel_for_each_choice():
    shares = {"A bets": [np.linspace(0.5, 0, 20), np.linspace(0.4, 0.1, 20)], "K bets": [np.full(20, 0.5)]}
    texts = words(paths(GAMES[:15], {name: [seed[:15] for seed in seeds] for name, seeds in shares.items()}))
    assert {"A bets", "K bets", "games", "1 million"} <= set(texts)
    assert "published" not in texts
    texts = words(paths(GAMES, shares, {"A bets": (1, 1), "K bets": (0.25, 0.4)}, {"A bets": 0}))
    assert {"one run", "the other", "optimal", "published", "10 billion"} <= set(texts)
    texts = words(paths(GAMES, {"A bets": [np.full(20, k / 8) for k in range(8)]}, {"A bets": (1, 1)}))
    assert "a run" in texts
    assert "the other" not in texts


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((GAMES, {}), "at least one choice"),
        ((GAMES, {"a": []}), "at least one seed"),
        ((GAMES, {"a": [np.zeros(3)]}), "one share for each"),
        ((GAMES, {"a": [np.full(20, np.nan)]}), "not within 0 and 1"),
        ((GAMES, {"a": [np.zeros(20)]}, {"a": (0.5, 2)}), "not within 0 and 1"),
        ((GAMES, {"a": [np.zeros(20)]}, {"b": (0, 1)}), "no shares are given for b"),
        ((GAMES, {"a": [np.zeros(20)]}, None, {"b": 1}), "no shares are given for b"),
    ],
)
def test_paths_refuse_what_are_no_shares(arguments, message):
    with pytest.raises(ValueError, match=message):
        paths(*arguments)


def test_sweep_labels_its_series_and_explorations():
    medians = {"counts": [0.3, 0.1, 0.2], "values": [0.3, 0.2, 0.3]}
    lows, highs = ({name: [k * y for y in part] for name, part in medians.items()} for k in (0.5, 2))
    texts = words(sweep([0.003, 0.05, 1], medians, lows, highs))
    assert {"counts", "values", "share of random choices", "0.003", "0.05", "1", "0.1"} <= set(texts)


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        ({"b": [1, 1]}, {"a": [3, 3]}, "of the same series"),
        ({"a": [1]}, {"a": [3, 3]}, "same length"),
        ({"a": [1, 1]}, {"a": [3, float("inf")]}, "finite"),
    ],
)
def test_sweep_refuses_whiskers_that_do_not_fit(low, high, message):
    with pytest.raises(ValueError, match=message):
        sweep([0.1, 1], {"a": [2, 2]}, low, high)


def test_pictures_are_the_same_bytes_each_time():
    for draw in (lambda: curves({"a": [run()]}), lambda: betting_tree({"a": PUBLISHED, "b": OPTIMAL})):
        assert draw().svg == draw().svg
