import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import combinations_with_replacement, pairwise

import pytest
from drawn import tags, words

from support.games.wild_ones.experiments.one_game import PlayedRound, Thought
from support.games.wild_ones.figures.bids import bid_matrix
from support.games.wild_ones.figures.comic import comic, costliest, in_words, narrated, verdict
from support.games.wild_ones.figures.openings import openings
from support.games.wild_ones.figures.shares import factorial, places

CHANCES = {"liar": 0.25, "exact": 0.004, "1x1": 1.0, "2x1": 0.999, "2x6": 0.5, "3x2": 0.13, "3x6": 0.0}
THOUGHT = Thought(
    values={"liar": 0.4, "exact": -0.2, "3x6": 0.5, "3x1": 0.3},
    exact={"liar": 0.61, "exact": 0.72, "3x6": 0.2, "3x1": 0.3},
    chosen="3x6",
    best="exact",
    possible={"survivalist": (6, 21), "aggressive": (3, 6)},
    likely={"survivalist": [((1, 6), 0.25), ((3, 6), 0.25), ((6, 6), 0.125), ((2, 2), 0.125)], "aggressive": []},
)
ROUND = PlayedRound(
    hands={"agent": (1, 4), "survivalist": (3, 6), "aggressive": (5,), "out": ()},
    bids=[("survivalist", "1x6"), ("aggressive", "2x6"), ("agent", "3x6")],
    challenge=("survivalist", "liar"),
    outcome=("agent", -1),
    thoughts={2: THOUGHT},
)
NAMES = ("memory", "double")
EFFECTS = {
    (): (0.5, 0.4, 0.6),
    ("memory",): (0.6, 0.5, 0.7),
    ("double",): (0.7, 0.7, 0.7),
    ("double", "memory"): (0.8, 0.7, 0.9),
}
SHARES = {
    "agent": {"1st": (0.8, 0.7, 0.9), "2nd": (0.2, 0.1, 0.3)},
    "other": {"1st": (0.2, 0.1, 0.3), "2nd": (0.8, 0.7, 0.9)},
}


def named(picture, kind):
    return [element for element in ET.fromstring(picture.svg).iter() if element.get("class") == kind]


# ---------------------------------------------------------------- bids


def test_matrix_writes_the_chance_of_each_legal_bid_and_hatches_the_others():
    picture = bid_matrix(CHANCES, 3)
    texts = words(picture)
    assert {"liar 25%", "exact <1%", "1 ×", "2 ×", "3 ×"} <= set(texts)
    chances = [text for text in texts if re.fullmatch(r"[<>]?\d+%", text)]
    assert chances == ["100%", ">99%", "13%", "50%", "0%"]
    hatched = [box for box in tags(picture, "rect") if box.get("fill") == "url(#no-bid)"]
    assert len(hatched) == 6 * 3 - 5
    shades = [float(box.get("fill-opacity")) for box in tags(picture, "rect") if box.get("fill-opacity")]
    order = [CHANCES[action] for action in ("liar", "exact", "1x1", "2x1", "3x2", "2x6", "3x6")]
    assert shades == pytest.approx([0.55 * chance for chance in order], abs=1e-3)


def test_matrix_of_the_opener_has_no_challenges():
    assert not {"liar", "exact"} & {text.split()[0] for text in words(bid_matrix({"1x1": 0.5}, 2))}


@pytest.mark.parametrize("total", [1, 6, 10, 15])
def test_matrix_is_no_wider_than_a_narrow_page(total):
    picture = bid_matrix({f"{total}x6": 0.5}, total)
    width = float(re.search(r'viewBox="0 0 (\d+)', picture.svg)[1])
    assert width <= 400
    assert all(float(box.get("x")) + float(box.get("width")) <= width for box in tags(picture, "rect") if box.get("x"))
    assert f"{total} ×" in words(picture)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({}, 6), "at least one legal action"),
        ((CHANCES, 0), "total must lie between 1 and 15"),
        ((CHANCES, 16), "total must lie between 1 and 15"),
        ((CHANCES, 2), "3x2 names more than the 2 dice"),
        (({"2x7": 0.5}, 6), "not '2x7'"),
        (({"2x3": 1.5}, 6), "2x3: 1.5 is not a probability"),
        (({"2x3": float("nan")}, 6), "2x3: nan is not a probability"),
    ],
)
def test_matrix_refuses_what_it_cannot_show(arguments, message):
    with pytest.raises(ValueError, match=message):
        bid_matrix(*arguments)


# ---------------------------------------------------------------- places


def test_places_are_bars_with_intervals_and_published_shares():
    published = {"agent": {"1st": 0.75}}
    assert {"agent", "other", "1st", "2nd", "80.0%", "published"} <= set(words(places(SHARES, published)))
    figure = places.__wrapped__(SHARES, published)
    for panel, shares in zip(figure.axes, SHARES.values(), strict=True):
        assert [bar.get_width() for bar in panel.patches] == [value for value, _, _ in shares.values()]
        whiskers = [tuple(line.get_xdata()) for line in panel.lines if len(line.get_xdata()) == 2]
        assert whiskers == [(low, high) for _, low, high in shares.values()]
        assert panel.get_xlim() == (0, 1)
    ticks = [line for panel in figure.axes for line in panel.lines if line.get_marker() == "|"]
    assert [(tick.get_xdata()[0], tick.get_ydata()[0]) for tick in ticks] == [(0.75, 0)]
    assert not places.__wrapped__(SHARES).legends


def test_places_take_intervals_of_means_that_reach_below_nothing():
    assert places.__wrapped__({"a": {"2nd": (0.001, -0.002, 0.004)}}).axes[0].get_xlim() == (0, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({},), "at least one player"),
        (({"a": {}},), "at least one player"),
        (({"a": {"1st": (0.5, 0.6, 0.7)}},), "a, 1st: 0.5 is not between"),
        (({"a": {"1st": (1.5, 0.6, 1.7)}},), "a, 1st: 1.5 is not within 0 and 1"),
        ((SHARES, {"third": {"1st": 0.5}}), "third, 1st is published but not drawn"),
        ((SHARES, {"agent": {"1st": 79.4}}), "agent, 1st: 79.4 is not within"),
    ],
)
def test_places_refuse_what_are_no_shares(arguments, message):
    with pytest.raises(ValueError, match=message):
        places(*arguments)


# ---------------------------------------------------------------- improvements


def test_factorial_shows_what_is_on_beside_what_it_attains():
    assert {"memory", "double", "published", "share of first places"} <= set(
        words(factorial(EFFECTS, NAMES, {"published": 0.794}))
    )
    figure = factorial.__wrapped__(EFFECTS, NAMES, {"published": 0.794})
    matrix, panel = figure.axes
    full = [[int(x) for x in line.get_xdata()] for line in matrix.lines[::2]]
    empty = [[int(x) for x in line.get_xdata()] for line in matrix.lines[1::2]]
    assert full == [[], [0], [1], [0, 1]]
    assert empty == [[0, 1], [1], [0], []]
    dots = [(line.get_xdata()[0], line.get_ydata()[0]) for line in panel.lines if line.get_marker() == "o"]
    assert dots == [(value, y) for y, (value, _, _) in enumerate(EFFECTS.values())]
    assert matrix.get_ylim() == panel.get_ylim()
    assert panel.lines[-1].get_xdata() == [0.794] * 2


def test_factorial_takes_columns_as_they_appear():
    matrix = factorial.__wrapped__(EFFECTS).axes[0]
    assert [label.get_text() for label in matrix.get_xticklabels()] == ["memory", "double"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({},), "at least one combination"),
        (({(): (0.5, 0.4, 0.6)},), "one improvement"),
        ((EFFECTS, ["memory"]), "no column is named double"),
        (({("a", "b"): (0, 0, 0), ("b", "a"): (0, 0, 0)},), "given twice"),
        (({("a", "b"): (0.5, 0.6, 0.7)},), r"a \+ b: 0.5 is not between"),
        ((EFFECTS, NAMES, dict.fromkeys("abcde", 0.5)), "at most 4 marks"),
    ],
)
def test_factorial_refuses_what_does_not_match(arguments, message):
    with pytest.raises(ValueError, match=message):
        factorial(*arguments)


# ---------------------------------------------------------------- a game as a comic


def test_comic_shows_hands_moves_thoughts_and_the_end():
    picture = comic([ROUND])
    texts = words(picture)
    assert {"round 1", "out, out", "−1", "liar", "bid 3, counted 2: agent loses a die"} <= set(texts)
    assert texts.count("survivalist") == 3  # its hand, its bid and its challenge
    assert {"survivalist: 6 of 21 hands", "aggressive: 3 of 6 hands", "chosen", "best"} <= set(texts)
    rows = texts[texts.index("P(win)") + 1 : texts.index("can still hold")]
    assert rows == [
        "3 ×",
        "0.50",
        "20.0%",
        "liar",
        "0.40",
        "61.0%",
        "3 ×",
        "0.30",
        "30.0%",
        "exact",
        "−0.20",
        "72.0%",
    ]
    assert texts.count("25%") == 2
    assert texts.count("12%") == 1  # the fourth hand has no room
    assert picture.svg.count('fill="var(--blue)" stroke="var(--blue)"') == 2  # a one and a six
    assert len(named(picture, "chosen")) == len(named(picture, "best")) == 2  # in the table and in the key


def test_comic_marks_chosen_and_best_on_their_rows():
    picture = comic([ROUND])
    heights = {
        text: float(element.get("y"))
        for element in tags(picture, "text")
        if (text := "".join(element.itertext())) in ("20.0%", "72.0%")
    }
    (chosen, *_), (best, *_) = named(picture, "chosen"), named(picture, "best")
    assert abs(float(chosen.get("d").split("L")[1].split()[1]) + 4 - heights["20.0%"]) < 1
    assert abs(float(best.get("points").split()[0].split(",")[1]) + 6.2 + 4.5 - heights["72.0%"]) < 1


def test_comic_stacks_rounds_and_says_who_wins_a_die():
    first = replace(ROUND, thoughts={})
    won = replace(first, challenge=("survivalist", "exact"), outcome=("survivalist", 1))
    texts = words(comic([first, won, replace(won, outcome=("survivalist", 0))]))
    assert [text for text in texts if text.startswith("round")] == ["round 1", "round 2", "round 3"]
    assert "+1" in texts
    assert "bid 3, counted 2: survivalist wins a die" in texts
    assert "bid 3, counted 2: survivalist is right, but has all its dice" in texts
    assert "chosen" not in texts  # no thoughts, no key


@pytest.mark.parametrize("players", [2, 3, 5, 6])
def test_comic_stays_inside_its_width(players):
    names = [f"aggressive {number}" for number in range(players)]
    bids = [(names[number % players], f"{number + 1}x{number % 6 + 1}") for number in range(12)]
    picture = comic([PlayedRound(dict.fromkeys(names, (1, 2)), bids, (names[0], "exact"), (names[0], -1), {})])
    boxes = [box for box in tags(picture, "rect") if box.get("x")]
    assert all(float(box.get("x")) + float(box.get("width")) <= 400 for box in boxes)
    pills = sorted((float(box.get("y")), float(box.get("x")), float(box.get("width"))) for box in boxes)
    pills = [pill for pill in pills if pill[2] in (50, 58)]
    assert len(pills) == 13
    assert all(a[0] != b[0] or a[1] + a[2] < b[1] for a, b in pairwise(pills))


def test_words_tell_each_round():
    last = PlayedRound({"agent": (2,), "other": (2, 2)}, [("agent", "1x2")], ("other", "exact"), ("other", -1), {})
    assert narrated([ROUND, last]) == (
        "Round 1: survivalist bids 1 six, aggressive bids 2 sixes, agent bids 3 sixes (exact would be best), "
        "survivalist says liar; bid 3, counted 2: agent loses a die. "
        "Round 2: agent bids 1 two, other says exact; bid 1, counted 3: other loses a die."
    )
    gone = replace(last, challenge=("other", "liar"), outcome=("agent", -1))
    assert verdict(gone).endswith("agent loses its last die")


def test_the_costliest_decision_is_the_first_of_those_that_cost_most():
    cheap = replace(THOUGHT, exact={**THOUGHT.exact, "3x6": 0.7})
    again = replace(
        ROUND, thoughts={1: cheap, 2: THOUGHT, 3: replace(THOUGHT, chosen="3x1", exact={**THOUGHT.exact, "3x1": 0.2})}
    )
    assert costliest([replace(ROUND, thoughts={2: cheap}), replace(ROUND, thoughts={}), again]) == (3, THOUGHT)
    assert costliest([replace(ROUND, thoughts={0: replace(THOUGHT, best="3x6")})])[0] == 1
    with pytest.raises(ValueError, match="have no thoughts"):
        costliest([replace(ROUND, thoughts={})])


def test_actions_in_words():
    assert [in_words(action) for action in ("1x1", "2x6", "exact")] == ["1 one", "2 sixes", "exact"]


def test_comic_needs_a_round():
    with pytest.raises(ValueError, match="at least one panel"):
        comic([])


def test_pictures_are_the_same_bytes_each_time():
    for draw in (
        lambda: bid_matrix(CHANCES, 3),
        lambda: places(SHARES),
        lambda: factorial(EFFECTS),
        lambda: comic([ROUND]),
    ):
        assert draw().svg == draw().svg


# ---------------------------------------------------------------- openings

ROLLS = list(combinations_with_replacement(range(1, 7), 2))


def test_openings_write_the_bid_of_each_roll_into_its_two_cells():
    shown = words(
        openings({"bold": dict.fromkeys(ROLLS, (3, 6)), "shy": dict.fromkeys(ROLLS, (1, 1)) | {(2, 5): (2, 4)}})
    )
    assert shown.count("3×6") == 36
    assert (shown.count("1×1"), shown.count("2×4")) == (34, 2)
    assert {"bold", "shy"} < {*shown}


def test_openings_want_a_player_and_all_its_rolls():
    with pytest.raises(ValueError, match="at least one player"):
        openings({})
    with pytest.raises(ValueError, match=r"shy: no opening for \(1, 1\)"):
        openings({"shy": {}})
