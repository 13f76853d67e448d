import re
from dataclasses import replace

import numpy as np
import pytest
from drawn import key, words
from matplotlib.colors import to_hex
from matplotlib.patches import PathPatch, StepPatch

from support.games.call_or_raise.figures import CHOICES, distributions, policy_map, round_strip, value_tables
from support.games.call_or_raise.rules import CALL, CallOrRaise

HOLDS = "2 opens > 123446 > 112255 > 444556 > 233446 > raise 5 > raise 4 > raise 4 > raise 4"
FAILS = "1 opens > 113 > 446 > raise 1 > raise 4"
CALLS = {
    1: np.array([[1, 0, np.nan], [1, 1, 0]]),
    2: np.array([[1, 0, 0], [np.nan, 0, 0], [1, 1, 1]]),
    3: np.array([[1.0, 1.0, 0.0]]),
}
TOTALS = {1: [2, 3], 2: [3, 4, 5], 3: [9]}


def played(game, moves, state=None):
    state = state or game.initial_state()
    for move in moves.split(" > "):
        state = state.child(game.move_from_string(state, move))
    return state


def samples(seed=0):
    generator = np.random.default_rng(seed)
    return {
        "as run": generator.multinomial(500, (0.5, 0.3, 0.2), 40),
        "as meant": generator.multinomial(500, (0.2, 0.3, 0.5), 30),
    }


# ---------------------------------------------------------------- one round


def test_strip_shows_dice_bids_and_a_bid_that_holds():
    state = played(CallOrRaise(), HOLDS)
    picture = round_strip(state)
    texts = words(picture)
    assert [text for text in texts if text[0].isdigit()] == ["3 ×", "4 ×", "5 ×", "6 ×", "7 ×", "7 ×"]
    assert "bid, 7 on the table: the bid holds, player 3 loses a die" in texts
    assert [text for text in texts if text.startswith("player")] == [
        "player 1",
        "player 2",
        "player 3 loses a die",
        "player 4",
    ]
    assert texts.count("call") == 1
    assert picture.svg.count('fill="var(--blue)"') == 7  # the fours
    assert picture.svg.count("scale(0.53)") == 24 + 5 + 1  # the dice, the bids and the last bid again
    assert picture.svg == round_strip(state).svg


def test_strip_as_one_player_sees_it():
    state = played(CallOrRaise(2, 3), FAILS)
    texts = words(round_strip(state, seen_by=0))
    assert texts.count("?") == 3 + 1  # the other's dice, and what the player does
    assert not {"call", "bid, 2 on the table: the bid fails, player 1 loses a die"} & set(texts)
    assert "loses a die" not in " ".join(texts)


def test_strip_shows_a_bid_that_fails():
    state = played(CallOrRaise(2, 3), FAILS)
    texts = words(round_strip(state))
    assert "bid, 2 on the table: the bid fails, player 1 loses a die" in texts
    assert "player 1 loses a die" in texts


@pytest.mark.parametrize("raises", [0, 1, 6, 14])
def test_strip_says_who_loses_as_the_game_has_it(raises):
    game = CallOrRaise()
    state = replace(played(game, "4 opens"), counts=(6, 0, 2, 3))  # the second is out
    state = played(game, " > ".join(["123456", "22", "234", *["raise 2"] * raises]), state)
    picture = round_strip(state)
    before, after = state.counts, state.child(CALL).counts
    loser = next(player for player, (a, b) in enumerate(zip(before, after, strict=True)) if a != b)
    texts = words(picture)
    assert f"player {loser + 1} loses a die" in texts
    assert "player 2, out" in texts
    rows = dict(re.findall(r'y="([\d.]+)" font-size="12" fill="[^"]*">player (\d)', picture.svg))
    tops = {int(player) - 1: float(y) for y, player in rows.items()}
    heights = [float(y) for y in re.findall(r'y="([\d.]+)" font-size="13" text-anchor', picture.svg)]
    middles = [min(tops, key=lambda player: abs(tops[player] + 18.5 - y)) for y in heights]
    assert middles == [(3, 0, 2)[k % 3] for k in range(raises + 2)]  # the opener, then in turn; the last one calls


def test_strip_keeps_bids_of_one_player_apart_and_inside():
    state = played(CallOrRaise(2, 3), " > ".join([FAILS, *["raise 6"] * 12]))
    svg = round_strip(state).svg
    width = float(re.search(r'viewBox="0 0 (\d+)', svg)[1])
    pills = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="(5\d)" height="26"', svg)
    boxes = [tuple(map(float, pill)) for pill in pills]
    assert len(boxes) == len(state.bids) + 1
    assert all(a[0] + a[2] < b[0] for a, b in zip(boxes, boxes[2:], strict=False))
    assert boxes[-1][0] + boxes[-1][2] < width


@pytest.mark.parametrize("moves", ["1 opens", "1 opens > 113"])
def test_strip_needs_a_bid(moves):
    with pytest.raises(ValueError, match="with a bid to call"):
        round_strip(played(CallOrRaise(2, 3), moves))


def test_strip_needs_a_game_that_goes_on():
    with pytest.raises(ValueError, match="with a bid to call"):
        round_strip(played(CallOrRaise(2, 1), "1 opens > 1 > 2 > call"))


# ---------------------------------------------------------------- cells of a table


def test_tables_of_values_show_every_state_once_and_each_value_in_its_column():
    tables = {"today": {"A": [0.0, 0.1], "B": [0, 0]}, "then": {"A": [-0.1, 0.0], "B": [0, 0]}}
    texts = words(value_tables(tables, ["raise", "call"]))
    assert texts[:2] == ["A", "B"]
    assert texts[2:9] == ["today", "raise", "0", "0", "call", "+0.1", "0"]
    assert texts[9:] == ["then", "raise", "−0.1", "0", "call", "0", "0"]


@pytest.mark.parametrize("tables", [{}, {"a": {}}, {"a": {"A": [1, 2]}, "b": {"B": [1, 2]}}, {"a": {"A": [1]}}])
def test_tables_of_values_that_do_not_match_are_refused(tables):
    with pytest.raises(ValueError, match="expected"):
        value_tables(tables, ["raise", "call"])


# ---------------------------------------------------------------- published counts


def test_distributions_show_all_runs_and_the_published_counts():
    published, names = [231, 150, 1119], ["learner", "second", "third"]
    texts = words(distributions(samples(), published, names))
    assert {"as run", "as meant", "published", "games won", "share of the runs"} <= set(texts)
    assert {"learner: published 231", "third: published 1,119"} <= set(texts)
    figure = distributions.__wrapped__(samples(), published, names)
    assert key(figure) == ["as run", "as meant", "published"]
    for k, panel in enumerate(figure.axes):
        assert panel.lines[0].get_xdata() == [published[k]] * 2
        low, high = panel.get_xlim()
        assert low < published[k] < high
        outlines = [patch for patch in panel.patches if isinstance(patch, StepPatch) and not patch.get_fill()]
        for patch, part in zip(outlines, samples().values(), strict=True):
            shares, edges, _ = patch.get_data()
            assert shares == pytest.approx(np.histogram(part[:, k], edges)[0] / len(part))
            assert shares.sum() == pytest.approx(1)
            assert shares.max() < panel.get_ylim()[1]


def test_distributions_take_a_single_count():
    words(distributions({"a": np.array([[5]])}, [5], ["one"]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({}, [1], ["a"]), "from 1 to 6 versions, not 0"),
        (({"v": np.ones((4, 1))}, [], []), "for each of 0 players"),
        (({"v": np.ones((4, 1))}, [1, 2], ["a"]), "for each of 1 players"),
        (({"v": np.ones((4, 2))}, [1], ["a"]), "v: expected runs of 1 players"),
        (({"v": np.ones((0, 1))}, [1], ["a"]), "v: expected runs of 1 players"),
        (({"v": np.ones(1)}, [1], ["a"]), "v: expected runs of 1 players"),
        (({"v": np.full((4, 1), np.nan)}, [1], ["a"]), "finite"),
    ],
)
def test_distributions_refuse_what_does_not_match(arguments, message):
    with pytest.raises(ValueError, match=message):
        distributions(*arguments)


# ---------------------------------------------------------------- policies


def areas(panel):
    """The area that each choice covers, in cells of one total and one bucket, as painted."""
    total = dict.fromkeys(CHOICES, 0.0)
    for patch in panel.patches:
        assert isinstance(patch, PathPatch)
        name = next(name for name, colour in CHOICES.items() if colour == to_hex(patch.get_facecolor()))
        corners = patch.get_path().vertices.reshape(-1, 5, 2)
        total[name] += ((corners[:, 2, 0] - corners[:, 0, 0]) * (corners[:, 2, 1] - corners[:, 0, 1])).sum() / 0.9 * 2
    return total


def test_policy_paints_every_cell():
    texts = words(policy_map(CALLS, TOTALS, 2, 0.5, "call below"))
    assert {"1 own die", "2 own dice", "3 own dice", "dice in play", *CHOICES} <= set(texts)
    assert {"probability that the bid holds", "call below"} <= set(texts)
    figure = policy_map.__wrapped__(CALLS, TOTALS, 2, 0.5, "call below")
    assert key(figure) == [*CHOICES, "call below"]
    for panel, part in zip(figure.axes, CALLS.values(), strict=False):
        expected = {"raises": (part == 0).sum(), "calls": (part == 1).sum(), "never seen": np.isnan(part).sum()}
        assert areas(panel) == pytest.approx(expected)
    calls = figure.axes[2].patches[1].get_path().vertices.reshape(-1, 5, 2)[:, :4]  # 9 dice, buckets 0 and 1
    assert calls.min(axis=(0, 1)) == pytest.approx([8.55, 0])
    assert calls.max(axis=(0, 1)) == pytest.approx([9.45, 1])
    assert [panel.get_visible() for panel in figure.axes] == [True, True, True, False]


def test_policy_draws_the_threshold_over_its_totals():
    figure = policy_map.__wrapped__(CALLS, TOTALS, 2, 0.4, "call below")
    for panel, totals in zip(figure.axes, TOTALS.values(), strict=False):
        x = panel.lines[0].get_xdata()
        assert (x[0], x[-1]) == (totals[0] - 0.5, totals[-1] + 0.5)
        assert set(panel.lines[0].get_ydata()) == {0.4}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"calls": {}, "totals": {}}, "at least one"),
        ({"totals": {1: [2, 3]}}, "same numbers of own dice"),
        ({"bins": 3}, r"1 own dice: expected shape \(2, 4\)"),
        ({"totals": {**TOTALS, 2: [3, 4]}}, "2 own dice: expected shape"),
        ({"totals": {**TOTALS, 2: [3, 5, 4]}}, "2 own dice: expected increasing totals"),
        ({"totals": {**TOTALS, 2: [1, 4, 5]}}, "from 2 on"),
        ({"calls": {**CALLS, 3: [[0.5, 0, 0]]}}, "3 own dice: expected 1 for calls"),
    ],
)
def test_policy_refuses_what_does_not_match(changes, message):
    with pytest.raises(ValueError, match=message):
        policy_map(**{"calls": CALLS, "totals": TOTALS, "bins": 2, "threshold": 0.5, "label": "call below"} | changes)


def test_pictures_are_the_same_bytes_each_time():
    for draw in (
        lambda: distributions(samples(), [250, 150, 100], ["a", "b", "c"]),
        lambda: policy_map(CALLS, TOTALS, 2, 0.5, "call below"),
    ):
        assert draw().svg == draw().svg
