"""Regrets and totals in place of greed: strategies and updates, by hand."""

from collections import Counter
from fractions import Fraction

import pytest

from support.core.play import Stream
from support.games.cards.ace_king_queen import AceKingQueen, play
from support.games.cards.kuhn import Kuhn
from support.learners.regret_table import RULES, RegretTableLearner, RegretTableSettings, Row, learn

KING, QUEEN = (0, "K"), (1, "Qr")


class Scripted(Stream):
    """Hands out the numbers that it is given, as parts of one."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def next(self):
        return int(self.numbers.pop(0) * 2**64)


def bet_and_call(rule, king, queen, *numbers):
    """A king bets, a queen calls and loses: gains of 3 and -1 from these choices on. Returns the two rows."""
    learner = RegretTableLearner(RegretTableSettings(rule, Fraction(1, 10)), 1, {KING: king, QUEEN: queen})
    learner.stream = Scripted(*numbers)
    learner.play(play("K Q"))
    assert (learner.games, learner.nodes, learner.stream.numbers) == (1, 3, [])
    return learner.rows[KING], learner.rows[QUEEN]


def test_an_update_of_averages():
    """King: averages 1 and 3, mean 2. Queen: averages -1, 0 (untried) and -4, mean -2.5; so 1.5 and 2.5 above it."""
    king, queen = Row([4, 4], [4, 12], [0.0] * 2, [1.0, 2.0]), Row([2, 0, 2], [-2, 0, -8], [0.0] * 3, [0.0] * 3)
    king, queen = bet_and_call("averages", king, queen, 0.5, 0.5)
    assert king == Row([4, 5], [4, 15], [0.0, 0.0], [1.0, 3.0])
    assert queen == Row([2, 1, 2], [-2, -1, -8], [0.0] * 3, [0.375, 0.625, 0.0])


def test_an_update_of_totals():
    """King: the bet leads and is made with 0.95. Queen: the first of a tie leads, the call is made with 1/30."""
    king, queen = Row([0, 0], [0, 0], [1.0, 3.0], [0.0] * 2), Row([0] * 3, [0] * 3, [-1.0, -1.0, -5.0], [0.0] * 3)
    king, queen = bet_and_call("totals", king, queen, 0.5, 0.95)
    assert king.credit == pytest.approx([1, 3 + 3 / 0.95], rel=1e-14)
    assert queen.credit == pytest.approx([-1, -1 - 30, -5], rel=1e-14)
    assert (king.counts, king.won, king.played) == ([0, 1], [0, 3], [0.0, 1.0])
    assert (queen.counts, queen.won, queen.played) == ([0, 1, 0], [0, -1, 0], [1.0, 0.0, 0.0])


def test_an_update_of_regrets():
    """King: 1/4 and 3/4, the bet is made with 0.725. Queen: no regret, so evenly."""
    king, queen = Row([0, 0], [0, 0], [1.0, 3.0], [0.0] * 2), Row([0] * 3, [0] * 3, [-1.0, -1.0, -5.0], [0.0] * 3)
    king, queen = bet_and_call("regrets", king, queen, 0.5, 0.5)
    assert king.credit == pytest.approx([1 - 3, 3 + 3 / 0.725 - 3], rel=1e-14)
    assert queen.credit == pytest.approx([-1 + 1, -1 - 3 + 1, -5 + 1], rel=1e-14)
    assert (king.counts, king.won, king.played) == ([0, 1], [0, 3], [0.25, 0.75])
    assert (queen.counts, queen.won, queen.played) == ([0, 1, 0], [0, -1, 0], [1 / 3] * 3)


@pytest.mark.parametrize("number", [0.0, 0.274, 0.276, 1 - 2.0**-53])
def test_one_number_draws_a_choice(number):
    """The king checks with 0.275."""
    king = Row([0, 0], [0, 0], [1.0, 3.0], [0.0] * 2)
    learner = RegretTableLearner(RegretTableSettings("regrets", Fraction(1, 10)), 1, {KING: king})
    learner.stream = Scripted(number, 0.0, 0.0, 0.0)
    learner.play(play("K Q"))
    assert king.counts == ([1, 0] if number < 0.275 else [0, 1])


@pytest.mark.parametrize("rule", RULES)
def test_the_strategy_of_an_empty_row(rule):
    assert Row.empty(4).strategy(rule) == ([1.0, 0.0, 0.0, 0.0] if rule == "totals" else [0.25] * 4)


def test_no_choice_is_above_the_mean():
    assert Row([2, 1], [4, 2], [0.0] * 2, [0.0] * 2).strategy("averages") == [0.5, 0.5]


def test_exploration_alone_plays_all_choices_alike():
    games = 4000
    for rule in RULES:
        row = learn(Kuhn(), RegretTableSettings(rule, Fraction(1)), games, 7)[0, "K"]
        visits = sum(row.counts)
        assert abs(visits - games / 3) < 5 * (games * 2 / 9) ** 0.5
        assert abs(row.counts[0] - visits / 2) < 5 * visits**0.5 / 2
        assert sum(row.played) == pytest.approx(visits, rel=1e-12)


def test_settings_of_one_seed_meet_the_same_deals():
    def dealt(settings):
        rows = learn(AceKingQueen(), settings, 500, 3)
        return Counter(
            {text: sum(row.counts) for (player, text), row in rows.items() if player == 0 and len(text) == 1}
        )

    deals = {
        tuple(sorted(dealt(RegretTableSettings(rule, share)).items()))
        for rule in RULES
        for share in (Fraction(0), Fraction(1, 2))
    }
    assert len(deals) == 1


def test_bad_settings_are_named():
    with pytest.raises(ValueError, match="rule must be one of averages, totals, regrets, not 'greed'"):
        RegretTableSettings("greed")
    with pytest.raises(ValueError, match="exploration must be a Fraction, not nan"):
        RegretTableSettings(exploration=float("nan"))
    for exploration in (Fraction(-1, 10), Fraction(11, 10)):
        with pytest.raises(ValueError, match=f"exploration must lie between 0 and 1, not {exploration}"):
            RegretTableSettings("regrets", exploration)
