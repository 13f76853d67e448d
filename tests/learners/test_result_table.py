"""The result table: its update, its random choices, its ties and what has never been tried."""

import math
from bisect import bisect_right
from fractions import Fraction

import numpy as np
import pytest

from support.core.interface import NotationError
from support.games.cards.ace_king_queen import AceKingQueen, play
from support.games.cards.kuhn import Kuhn
from support.games.three_dice.rules import DiceGame
from support.learners.result_table import ResultTable, ResultTableLearner, ResultTableSettings, gaps, learn

NEVER = Fraction(0)
HERE = (0, "here")


def prepared(counts, won, untried=0.0):
    """A table with the rows that are given."""
    table = ResultTable(untried)
    table.counts.update(counts)
    table.won.update(won)
    return table


def chooser(counts, won, ties="first", untried=0.0, exploration=NEVER, seed=1):
    """A learner in one information state."""
    return ResultTableLearner(
        ResultTableSettings(exploration, ties, untried), prepared({HERE: counts}, {HERE: won}, untried), seed
    )


def test_the_update_of_the_published_example():
    """K Q: r r c. The king bets, is raised, calls and wins: 4 from the bet on and 5 from the call on."""
    counts = {(0, "K"): [0, 1000], (1, "Qr"): [0, 0, 1], (0, "Krr"): [0, 10]}
    won = {(0, "K"): [0, 900], (1, "Qr"): [0, 0, 0], (0, "Krr"): [0, -3]}
    table = prepared(counts, won, -math.inf)  # what was never tried is not chosen
    ResultTableLearner(ResultTableSettings(NEVER, untried=-math.inf), table, 1).play(play("K Q"))
    assert table.counts == {(0, "K"): [0, 1001], (1, "Qr"): [0, 0, 2], (0, "Krr"): [0, 11]}
    assert table.won == {(0, "K"): [0, 904], (1, "Qr"): [0, 0, -2], (0, "Krr"): [0, 2]}


def test_a_game_in_notation_is_recorded_as_if_it_were_played():
    table = prepared({(0, "K"): [0, 1000], (0, "Krr"): [0, 10]}, {(0, "K"): [0, 900], (0, "Krr"): [0, -3]})
    table.record(AceKingQueen(), "K Q: r r c")
    assert table.counts == {(0, "K"): [0, 1001], (1, "Qr"): [0, 0, 1], (0, "Krr"): [0, 11]}
    assert table.won == {(0, "K"): [0, 904], (1, "Qr"): [0, 0, -2], (0, "Krr"): [0, 2]}


@pytest.mark.parametrize("text", ["", "K Q", "K Q: r r"])
def test_a_game_that_is_not_over_cannot_be_recorded(text):
    table = ResultTable()
    with pytest.raises(ValueError, match=f"the game '{text}' is not over"):
        table.record(AceKingQueen(), text)
    assert table.counts == table.won == {}


def test_a_game_that_cannot_be_read_is_not_recorded():
    with pytest.raises(NotationError, match="move 2, 'f'"):
        ResultTable().record(AceKingQueen(), "K Q: f")


def test_an_update_where_a_position_comes_back():
    """One die with two sides: the player rerolls a 1 for a penalty of 1 until a 2 falls, and stops.

    From the last of r rerolls on 2 - 1 is gained, from the one before 2 - 2, and so on.
    """
    game = DiceGame(1, 2, penalty=1)
    low, high = ((0, game.initial_state().child((face,)).information_state(0)) for face in (1, 2))
    table = prepared({low: [1, 1], high: [1, 1]}, {low: [99, 0], high: [-9, 0]})
    learner, most = ResultTableLearner(ResultTableSettings(NEVER), table, 1), 0
    for _ in range(6):
        count, won = table.counts[low][0], table.won[low][0]
        learner.play(game.initial_state())
        rerolls = table.counts[low][0] - count
        assert table.won[low][0] - won == sum(2 - k for k in range(1, rerolls + 1))
        most = max(most, rerolls)
    assert most >= 2
    assert (table.counts[high], table.won[high]) == ([1, 7], [-9, 12])
    assert (table.counts[low][1], table.won[low][1]) == (1, 0)


@pytest.mark.parametrize("share", [Fraction(1, 100), Fraction(1, 2), Fraction(1, 3), Fraction(99, 100)], ids=str)
def test_gaps_are_geometric(share):
    bounds = gaps(share)
    assert bounds == tuple(math.floor((1 << 64) * (1 - (1 - share) ** passed)) for passed in range(1, len(bounds) + 1))
    longer = math.floor((1 << 64) * (1 - (1 - share) ** (len(bounds) + 1)))
    assert bounds[-1] < 2**64 - 1 <= longer


def test_no_gaps_and_no_ends_of_gaps():
    assert gaps(Fraction(0)) == gaps(Fraction(1)) == ()
    assert chooser([0, 0], [0, 0]).next_gap() == 0
    assert chooser([0, 0], [0, 0], exploration=Fraction(1)).next_gap() == 1


def test_a_number_means_a_gap():
    learner = chooser([0, 0], [0, 0], exploration=Fraction(1, 3))
    for number, gap in [(0, 1), (2**64 // 3 - 1, 1), (2**64 // 3, 2), (2**63, 2), (2**64 * 5 // 9 + 1, 3)]:
        learner.stream = Given(number)
        assert learner.next_gap() == gap == 1 + bisect_right(gaps(Fraction(1, 3)), number)


class Given:
    """A stream of one number."""

    def __init__(self, number):
        self.number = number

    def next(self):
        return self.number


@pytest.mark.parametrize("share", [Fraction(1, 100), Fraction(3, 10), Fraction(1)], ids=str)
def test_the_share_of_random_choices(share):
    """The table stays as it is: place 1 is best, so that 0 and 2 are made at random only, and 1 at random as often."""
    choices, learner = 60_000, chooser([1, 1, 1], [0, 1, 0], exploration=share)
    made, drawn = np.zeros(3), np.zeros(3)
    for _ in range(choices):
        at_random, place = learner.gap == 1, learner.choose(HERE, 3)
        made[place] += 1
        drawn[place] += at_random
    expected, even = choices * share, drawn.sum() / 3
    assert abs(drawn.sum() - expected) <= 5 * float(expected * (1 - share)) ** 0.5
    assert (np.abs(drawn - even) < 5 * (even * 2 / 3) ** 0.5).all()
    assert (made == drawn + np.array([0, choices - drawn.sum(), 0])).all()


def test_ties():
    """Averages 1, 2, 2 and 1, whatever the counts."""
    counts, won = [1, 1, 3, 2], [1, 2, 6, 2]
    assert chooser(counts, won, "first").choose(HERE, 4) == 1
    assert chooser(counts, won, "last").choose(HERE, 4) == 2
    learner = chooser(counts, won, "random")
    made = [learner.choose(HERE, 4) for _ in range(2000)]
    assert set(made) == {1, 2}
    assert abs(made.count(1) - 1000) < 5 * 2000**0.5 / 2


def test_a_number_is_drawn_only_for_a_tie():
    for ties, won, draws in [("random", [2, 1], False), ("random", [1, 1], True), ("first", [1, 1], False)]:
        learner = chooser([1, 1], won, ties)
        before = learner.stream.state
        learner.choose(HERE, 2)
        assert (learner.stream.state != before) == draws


@pytest.mark.parametrize(
    ("untried", "won", "place"),
    [
        (0.0, [-1, 0, -2], 1),  # no gain is better than a loss
        (0.0, [1, 0, 2], 2),
        (1.5, [1, 0, 2], 2),
        (1.5, [1, 0, 1], 1),
        (math.inf, [1, 0, 10**9], 1),  # first of all
        (-math.inf, [-1, 0, -(10**9)], 0),  # only by chance
    ],
)
def test_what_was_never_tried(untried, won, place):
    assert chooser([1, 0, 1], won, untried=untried).choose(HERE, 3) == place


@pytest.mark.parametrize("untried", [0.0, math.inf, -math.inf])
def test_nothing_was_tried(untried):
    assert chooser([0, 0, 0], [0, 0, 0], untried=untried).choose(HERE, 3) == 0
    assert chooser([0, 0, 0], [0, 0, 0], "last", untried).choose(HERE, 3) == 2
    learner = chooser([0, 0, 0], [0, 0, 0], "random", untried)
    assert {learner.choose(HERE, 3) for _ in range(100)} == {0, 1, 2}


def test_infinity_tries_everything_it_comes_across():
    table = learn(Kuhn(), ResultTableSettings(NEVER, untried=math.inf), 400, 1)
    assert all(min(row) > 0 for (_, text), row in table.counts.items() if len(text) == 1)
    cautious = learn(Kuhn(), ResultTableSettings(NEVER, untried=-math.inf), 400, 1)
    assert all(row[1:] == [0] for row in cautious.counts.values())


def test_settings_of_one_seed_meet_the_same_deals():
    def dealt(settings):
        table = learn(AceKingQueen(), settings, 300, 5)
        return {text: sum(row) for (_, text), row in table.counts.items() if len(text) == 1}

    assert (
        dealt(ResultTableSettings())
        == dealt(ResultTableSettings(Fraction(1, 2), "random", math.inf))
        == dealt(ResultTableSettings(NEVER, "last"))
    )


def test_bad_settings_are_named():
    for exploration in (0.01, float("nan")):
        with pytest.raises(ValueError, match=f"exploration must be a Fraction, not {exploration}"):
            ResultTableSettings(exploration)
    for exploration in (Fraction(-1, 100), Fraction(1, 100_001), Fraction(101, 100)):
        with pytest.raises(ValueError, match=f"exploration must be 0 or lie between .* not {exploration}"):
            ResultTableSettings(exploration)
    with pytest.raises(ValueError, match="ties must be one of first, last, random, not 'best'"):
        ResultTableSettings(ties="best")
    with pytest.raises(ValueError, match="untried must be a number or an infinity, not nan"):
        ResultTableSettings(untried=math.nan)
