"""The result table, compiled: the plain learner's games, number for number, however they are cut into pieces."""

import math
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest
from table_games import after_a_deal, three_coins

from support.core.compiled import lean
from support.core.flat import unfold
from support.core.play import thresholds
from support.games.biscuits.rules import Biscuits
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.cards.leduc import Leduc
from support.games.cups.liars_dice import LiarsDice
from support.games.three_dice.rules import DiceGame
from support.learners.result_table import TIES, ResultTable, ResultTableLearner, ResultTableSettings
from support.learners.result_table_fast import advance, new_table
from support.learners.result_table_layout import STATES, lay_out
from support.learners.result_table_leads_fast import PIECE
from support.learners.sampling_fast import TooLongError, dealt

SEED = 0xFEDCBA9876543210
LOADED = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))
GAMES = {
    "ace-king-queen": AceKingQueen(),
    "kuhn": Kuhn(),
    "biscuits": Biscuits(3, 2),
    "leduc": Leduc(),
    "liars-dice": LiarsDice(2),
}
DICE = {"three-dice": DiceGame(), "two-loaded-dice": DiceGame(2, 3, (2, 4, 9), LOADED, 1)}
unfolded = cache(unfold)


class Counted:
    """A state that counts itself and those that are reached from it."""

    def __init__(self, state, visited):
        self.state, self.visited = state, visited
        visited.append(state.position)

    def child(self, action):
        return Counted(self.state.child(action), self.visited)

    def __getattr__(self, name):
        return getattr(self.state, name)


def play_both(game, settings, marks, seed=SEED):
    """Plain and compiled play side by side: tables, streams and gap are the same at every mark."""
    flat, visited = unfolded(game), []
    layout = lay_out(flat)
    learner, table = (
        ResultTableLearner(settings, ResultTable(settings.untried), seed),
        new_table(layout, settings, seed),
    )
    for mark in marks:
        games = mark - table.games
        advance(layout, settings, table, games)
        for _ in range(games):
            learner.play(Counted(game.initial_state(), visited))
        for name in ("counts", "won"):
            plain = over_slots(flat, getattr(learner.table, name))
            np.testing.assert_array_equal(getattr(table, name), plain, err_msg=f"{name} after {mark} games")
        plain = (mark, len(visited), learner.chance.state, learner.stream.state, learner.gap)
        assert (table.games, table.nodes, table.chance, table.stream, table.gap) == plain
    return table


def over_slots(flat, rows):
    """A column of the plain table over the slots."""
    out = np.zeros(flat.slots[-1], np.int64)
    for where, start, stop in zip(flat.information_states, flat.slots, flat.slots[1:], strict=False):
        out[start:stop] = rows.get(where, 0)
    return out


@pytest.mark.parametrize("untried", [0.0, 0.75, math.inf])
@pytest.mark.parametrize("exploration", [Fraction(0), Fraction(1, 100), Fraction(2, 5)], ids=str)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", GAMES)
def test_compiled_games_are_the_plain_ones(name, ties, exploration, untried):
    table = play_both(GAMES[name], ResultTableSettings(exploration, ties, untried), [1, 2, 300])
    assert table.won.any()


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("seed", range(5))
def test_choices_that_tie_all_the_time(ties, seed):
    """Also with the leader and a later choice, while an earlier one comes up to both."""
    play_both(three_coins(), ResultTableSettings(Fraction(2, 5), ties), [300], seed)


@pytest.mark.parametrize("seed", range(40))
def test_games_drawn_at_random(seed):
    game, draw = after_a_deal(seed), Random(seed)
    for ties in TIES:
        exploration = Fraction(draw.choice(["0", "1/100", "1/10", "2/5", "9/10", "1"]))
        untried = draw.choice([0.0, 0.75, -1.0, 1e9, math.inf, -math.inf])
        play_both(game, ResultTableSettings(exploration, ties, untried), [1, 20, 300], seed)


def test_leads_that_are_close_and_far():
    """Games enough that most leads last for a thousand games and more, and a few change hands all the time."""
    play_both(GAMES["ace-king-queen"], ResultTableSettings(), [1_000, 20_000])


def test_leads_that_are_computed_again():
    """One call, in which all leads are computed again on the way."""
    play_both(GAMES["kuhn"], ResultTableSettings(), [2 * PIECE + 5])


@lean
def draw(number, spread, bound):
    return dealt(number, spread, bound, np.uint32(0))


@pytest.mark.parametrize("outcomes", [1, 2, 3, 6, 7, 36, 1000])
def test_even_chances_need_no_search(outcomes):
    """At the ends of every outcome's numbers, where a rounding would show."""
    limits = thresholds([Fraction(1, outcomes)] * outcomes)
    bound = np.array([limit - 1 for limit in limits], np.uint64)
    for place, (first, last) in enumerate(zip([0, *limits], bound, strict=False)):
        for number in (np.uint64(first), last):
            assert draw(number, np.uint64(outcomes), bound) == draw(number, np.uint64(0), bound) == place


def test_which_games_are_only_counted():
    """Of few information states, so that the leads of all of them are changed at once."""
    small, large = (lay_out(unfolded(GAMES[name])) for name in ("ace-king-queen", "liars-dice"))
    assert small.slots.size - 1 <= STATES < large.slots.size - 1
    assert small.deal.size == small.mover.size
    assert large.deal.size == 0


@pytest.mark.parametrize("exploration", [Fraction(1, 20), Fraction(2, 5)], ids=str)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("name", DICE)
def test_positions_that_come_back_and_uneven_chance(name, ties, exploration):
    table = play_both(DICE[name], ResultTableSettings(exploration, ties), [1, 2, 60])
    assert table.won.any()


@pytest.mark.parametrize("name", [*GAMES, *DICE])
def test_every_choice_at_random(name):
    play_both((GAMES | DICE)[name], ResultTableSettings(Fraction(1)), [1, 2, 60])


@pytest.mark.parametrize("exploration", [Fraction(0), Fraction(2, 5)], ids=str)
@pytest.mark.parametrize(("name", "ties"), [(name, ties) for name in GAMES for ties in TIES])
def test_untried_choices_only_by_chance(name, ties, exploration):
    play_both(GAMES[name], ResultTableSettings(exploration, ties, -math.inf), [1, 2, 300])


@pytest.mark.parametrize(
    "settings", [ResultTableSettings(), ResultTableSettings(Fraction(1, 7), "random", math.inf)], ids=["usual", "odd"]
)
@pytest.mark.parametrize("name", ["ace-king-queen", "three-dice"])
def test_pieces_do_not_change_the_games(name, settings):
    layout = lay_out(unfolded((GAMES | DICE)[name]))
    for seed in (1, SEED):
        whole, pieces = new_table(layout, settings, seed), new_table(layout, settings, seed)
        advance(layout, settings, whole, 20_000)
        for games in (0, 1, 1, 3, 995, 9_000, 10_000):
            advance(layout, settings, pieces, games)
        for column in ("counts", "won"):
            np.testing.assert_array_equal(getattr(whole, column), getattr(pieces, column))
        for number in ("games", "nodes", "chance", "stream", "gap"):
            assert getattr(whole, number) == getattr(pieces, number)


def test_ties_are_drawn_evenly():
    """First games: nothing has been tried, so that all choices tie."""
    flat, seeds = unfolded(Kuhn()), 500
    layout, settings = lay_out(flat), ResultTableSettings(Fraction(0), "random")
    rows = [slice(*bounds) for bounds in zip(flat.slots, flat.slots[1:], strict=False)]
    total = np.zeros(flat.slots[-1])
    for seed in range(seeds):
        table = new_table(layout, settings, seed)
        advance(layout, settings, table, 1)
        total += table.counts
    assert total.sum() >= 2 * seeds
    for row in rows:
        made = total[row]
        assert abs(made[0] - made.sum() / made.size) <= 5 * made.sum() ** 0.5 / 2


def test_the_share_of_random_choices():
    """The first choice of every information state is so bad that it is made at random only."""
    flat = unfolded(AceKingQueen())
    layout, settings, games = lay_out(flat), ResultTableSettings(Fraction(1, 10)), 200_000
    table = new_table(layout, settings, 7)
    table.won[flat.slots[:-1]] = -(10**12)  # no number of games makes up for this
    table.counts[flat.slots[:-1]] = 1
    before = table.counts.copy()
    advance(layout, settings, table, games)
    checked = 0
    for where, start, stop in zip(flat.information_states, flat.slots, flat.slots[1:], strict=False):
        made = (table.counts - before)[start:stop]
        expected = made.sum() / 10 / (stop - start)
        if expected >= 100:
            checked += 1
            assert abs(made[0] - expected) <= 5 * expected**0.5, where
    assert checked >= 6


def test_errors():
    with pytest.raises(ValueError, match="the rewards of three-dice must be whole numbers; choose a smaller unit"):
        lay_out(unfold(DiceGame(1, 2, penalty=Fraction(1, 2))))
    layout, settings = lay_out(unfolded(DICE["three-dice"])), ResultTableSettings(Fraction(0))
    with pytest.raises(TooLongError, match="a game went beyond 1,048,576 moves"):
        advance(layout, settings, new_table(layout, settings, 1), 1)  # the first of a tie: reroll all dice
