"""Two equals: exact rounds against whole games, and the player's guarantees against best responses in fractions.

``LARGER=1 python -m pytest tests/games/cups/test_equals.py`` adds wild ones with one die each, which takes minutes.
"""

import os
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from support.core.flat import TooLargeError, unfold
from support.core.interface import DoesNotFitError, Game
from support.core.policy import TabularPolicy
from support.exact.best_response import best_response, expected_returns, nash_conv
from support.games.call_or_raise.rules import CALL, CallOrRaise, CallOrRaiseState, after_loss
from support.games.cups import equal_player
from support.games.cups.equal_player import equal, laid_out
from support.games.cups.equals import (
    Round,
    RoundState,
    beginnings,
    following,
    named,
    rounds,
    solved,
    solved_round,
    turned,
)
from support.games.wild_ones.handicap import Handicap as WildOnesHandicap
from support.games.wild_ones.rules import WildOnes
from support.learners.public_tree_fast import average, public_tree, run

F = Fraction
LARGER = bool(os.environ.get("LARGER"))
larger = pytest.mark.skipif(not LARGER, reason="takes some minutes; LARGER=1 runs it")
TWO = CallOrRaise(2, 2, bounded=True)
WORTHS = {(1, 1): F(-2, 3), (1, 2): F(-29, 54), (2, 1): F(-7, 18), (2, 2): F(-58, 243)}
"""Call or raise, found first by ``support.solve.solve`` in rounds that were not split by the opening bid."""


def opener_wins(p):
    """Zero for the probability p with which the opener of wild ones with one die each wins among equals.

    For guesses of p nearby, the exact worth of the round is (4 - 9p + p^2 + 3p^3 + 14p^4 + 2p^5) / (18p(2 + p)) if the
    opener of the next round wins with p; it should be 2p - 1.
    """
    return 2 * p**5 + 14 * p**4 - 33 * p**3 - 53 * p**2 + 27 * p + 4


@cache
def exact(game):
    return solved(game)


@cache
def player(game):
    return equal(game)


@dataclass(frozen=True, eq=False)
class Whole(Game):
    """A whole game from the beginning of a round on; both players remember all that they have seen."""

    start: CallOrRaiseState
    name = "whole"
    num_players = 2

    def initial_state(self):
        return WholeState(Round(self.start, None, ()), self.start)


@dataclass(frozen=True, eq=False)
class WholeState(RoundState):
    """A state; ``earlier`` is what was shown at the end of each round before."""

    earlier: tuple[str, ...] = ()

    def chance_outcomes(self):
        return self.inner.chance_outcomes()

    def child(self, action):
        after = self.inner.child(action)
        return WholeState(self.game, after, earlier=self.earlier if after.bids or not self.inner.bids else after.past)

    def information_state(self, player):
        return f"{self.earlier} {self.inner.information_state(player)}"

    def returns(self):
        first, second = self.inner.returns()
        return first - second, second - first

    def action_to_string(self, action):
        return self.inner.action_to_string(action)


def in_both_seats(policies):
    """The equilibria as one table for the whole game, with the rows of the second seat as opener."""
    table = {}
    for (mover, text), row in (pair for policy in policies for pair in policy.table.items()):
        counts, opener, *rest = text.split(", ")
        assert opener.startswith("1 opens")
        table[mover, text] = table[1 - mover, ", ".join((counts[::-1], opener.replace("1", "2", 1), *rest))] = row
    return TabularPolicy(table)


def test_worths_of_call_or_raise_in_fractions():
    found = exact(TWO)
    assert found.worths == WORTHS
    assert exact(CallOrRaise(2, 1, bounded=True)).worths == {(1, 1): F(-2, 3)}


@pytest.mark.parametrize("counts", [(1, 1), (2, 1), *([(1, 2)] if LARGER else [])])
def test_the_rounds_make_an_equilibrium_of_the_whole_game(counts):
    start = TWO.initial_state().child(0).but(counts=counts)
    flat = unfold(Whole(start))
    both = in_both_seats(exact(TWO).policies.values())
    table = {(mover, text): both.row((mover, text.split(") ")[-1])) for mover, text in flat.information_states}
    policy = TabularPolicy(table)
    assert expected_returns(flat, policy) == (WORTHS[counts], -WORTHS[counts])
    assert nash_conv(flat, policy) == 0


def test_equals_win_half_of_the_whole_game_and_more_against_others():
    """With two dice each the whole game unfolds, although its players forget the rounds before."""
    flat = unfold(TWO)
    both = in_both_seats(exact(TWO).policies.values())
    own = in_both_seats([player(TWO).policy])
    assert expected_returns(flat, both) == (F(1, 2), F(1, 2))
    assert expected_returns(flat, [own, both])[0] >= F(player(TWO).wins)
    calls = TabularPolicy({where: {CALL: F(1)} for where in flat.information_states})
    assert expected_returns(flat, [own, calls])[0] > F(1, 2)


def test_the_bounds_of_the_player_contain_the_worths():
    for counts, worth in WORTHS.items():
        least, most = player(TWO).bounds(counts)
        assert least <= worth <= most <= least + 0.002
    assert 0.499 < player(TWO).wins < 0.5


def test_guarantees_are_those_of_best_responses_in_fractions():
    found, exactly = player(TWO), {}
    for counts in ((1, 1), (1, 2), (2, 1)):
        for seat in (0, 1):

            def pays(after, seat=seat):
                mine, sign = after.opener == seat, 1 - 2 * seat
                if after.is_terminal():
                    return F(sign if mine else -sign)
                return sign * exactly[turned(after).counts, int(not mine)]

            lost = (
                chance * best_response(unfold(part), found.policy, 1 - seat).value
                for chance, part in rounds(TWO, counts, pays)
            )
            exactly[counts, seat] = -sum(lost, F(0))
    for place, least in exactly.items():
        assert 0 <= least - F(found.guarantees[place]) < F(1, 10**8)


def test_a_round_laid_out_is_its_public_tree():
    for counts in ((1, 2), (2, 1)):
        pays = following(WORTHS)
        for _, part in rounds(TWO, counts, pays):
            if part.initial_state().child(part.rolls[0][0]).inner.bids[0][0] < sum(counts):  # or the opener never moves
                require_same(part, pays, 50)


def require_same(part, pays, iterations):
    """Lay a round out and unfold it: the same tree, payoffs and iterations."""
    laid, flat = laid_out(part), unfold(part)
    tree, other = laid.paying(pays), public_tree(flat)
    assert np.array_equal(tree.mover, other.mover)
    assert np.array_equal(tree.first, other.first)
    over = tree.end >= 0
    assert np.array_equal(over, other.end >= 0)
    assert np.allclose(tree.payoffs[:, tree.end[over]], other.payoffs[:, other.end[over]], rtol=0, atol=1e-15)
    play, strategy = average(tree, "cfr+", iterations), run(flat, "cfr+", [iterations]).strategies[0]
    known = other.slots >= 0
    assert np.array_equal(known, tree.slots >= 0)
    assert np.allclose(play[known], strategy[other.slots[known]], rtol=0, atol=1e-9)


def test_losing_a_die_is_never_better_so_a_bid_that_cannot_hold_is_called():
    """Whoever bids more dice than are in play and is called loses a die: no better than what its own call brings."""
    found = player(TWO).guarantees
    for counts in beginnings(TWO):
        mine, other = after_loss(counts, 0), after_loss(counts, 1)
        if_i_lose = found[(mine[0][0], mine[0][1]), 0] if mine[0][0] else -1
        if_other_loses = found[other[0][::-1], 1] if other[0][1] else 1
        assert if_other_loses > if_i_lose


def test_wild_ones_with_one_die_each():
    found = player(WildOnes(2, 1))
    least, most = (F(1 + bound) / 2 for bound in found.bounds((1, 1)))
    assert opener_wins(least) > 0 > opener_wins(most)
    assert 0 < most - least < F(1, 1000)


def proved(game, counts, worth):
    """An interval, proved in fractions, for what a round is worth that can follow itself and no other.

    If the next round were worth ``worth`` to its opener, this one would be worth a little more or less, by some ``e``.
    Let ``q`` be the most that an opponent can make of the probability that the round follows itself, against the
    equilibrium and in either seat. Whoever plays the equilibrium then gets no less than its share of ``worth`` less
    ``e / (1 - q)``, because it is short of that by ``e`` in the first round, by no more than ``q e`` in the second, and
    so on. As ``q`` is less than 1, the game ends, whatever the opponent does.
    """
    found, policy = solved_round(game, counts, {counts: worth})
    most = F(0)
    for player, sign in enumerate((1, -1)):
        parts = rounds(game, counts, lambda after, sign=sign: F(0 if after.is_terminal() else sign))
        most = max(most, sum(chance * best_response(unfold(part), policy, player).value for chance, part in parts))
    assert most < 1
    error = abs(found - worth) / (1 - most)
    return worth - error, worth + error


@larger
def test_wild_ones_with_one_die_each_in_fractions():
    """The probability is no fraction: the polynomial's only rational zeros could be 1, 2, 4 and 1/2, up to the sign."""
    guess = F(47232273333, 10**12)
    least, most = ((1 + worth) / 2 for worth in proved(WildOnes(2, 1), (1, 1), guess))
    assert opener_wins(least) > 0 > opener_wins(most)
    assert most - least < F(1, 10**11)
    assert all(opener_wins(sign * F(zero)) for zero in (1, 2, 4, F(1, 2)) for sign in (1, -1))


@larger
def test_wild_ones_laid_out_is_its_public_tree():
    pays = following({(1, 1): F(1, 20)})
    ((_, part),) = rounds(WildOnes(2, 1), (1, 1), pays)
    require_same(part, pays, 20)


@larger
def test_wild_ones_with_two_dice_against_one():
    """A quarter of an hour on two cores. The book gives how often whoever has two dice wins, its opener drawn."""
    found = equal(WildOnesHandicap((2, 1)), first=8)
    (low, high), (least, most) = found.bounds((2, 1, 2, 1)), found.bounds((1, 2, 1, 2))
    assert 0.8352 < (1 + (low - most) / 2) / 2 < (1 + (high - least) / 2) / 2 < 0.8357


def test_rounds_that_are_known_are_not_solved():
    found = player(TWO)
    known = {place: kept for place, kept in found.guarantees.items() if place[0] != (1, 2)}
    again = equal(TWO, known=known)
    assert list(again.parts) == [(1, 2)]
    assert again.guarantees == pytest.approx(found.guarantees)


def test_bounds_of_rounds_that_follow_known_ones():
    """However little is known: that they may be lost, or worth nothing to anybody."""
    game = WildOnesHandicap((2, 1))
    large = [((2, 1, 2, 1), seat) for seat in (0, 1)] + [((1, 2, 1, 2), seat) for seat in (0, 1)]
    rough, narrow = (equal(game, 2, known=dict.fromkeys(large, kept)) for kept in (-0.9, -0.0))
    assert set(rough.parts) == set(narrow.parts) == {(1, 1, 2, 1), (1, 1, 1, 2)}
    for counts in rough.parts:
        (least, most), (low, high) = rough.bounds(counts), narrow.bounds(counts)
        assert -1 < least < low <= high < most < 1


def test_what_is_known_must_be_possible():
    impossible = dict.fromkeys([((1, 1), 0), ((1, 1), 1)], 0.1)
    with pytest.raises(ValueError, match=r"two guarantees of \(1, 1\) must not add up to more than 0, and make 0.2"):
        equal(TWO, known=impossible)


def test_a_handicap_can_be_thinned_and_has_no_fair_seats():
    large = [((2, 1, 2, 1), seat) for seat in (0, 1)] + [((1, 2, 1, 2), seat) for seat in (0, 1)]
    found = equal(WildOnesHandicap((2, 1)), 2, known=dict.fromkeys(large, -0.5))
    thin = found.thinned(1e-9)
    assert thin.guarantees == pytest.approx(found.guarantees, abs=1e-6)
    with pytest.raises(DoesNotFitError, match="begin with 2 and 1 dice"):
        _ = found.wins


class Drawn(CallOrRaise):
    """Call or raise in which nobody loses a die by the call of a bid that is exact: the caller opens again."""

    name = "drawn"
    wins_back = True

    def initial_state(self):
        return DrawnState(self, (self.dice,) * self.num_players)


class DrawnState(CallOrRaiseState):
    def _said(self, action, past):
        quantity, face = self.bids[-1]
        if action == CALL and sum(roll.count(face) for roll in self.rolls) == quantity:
            return self._next_round(self.counts, self.current_player, past)
        return super()._said(action, past)


def test_a_round_that_can_follow_itself():
    """Nobody can raise a bid of two. One call in six is of an exact bid: w = -5/6 - w/6."""
    game, worth = Drawn(2, 1, bounded=True), F(-5, 7)
    assert solved_round(game, (1, 1), {(1, 1): worth})[0] == worth
    assert proved(game, (1, 1), worth) == (worth, worth)
    # A guess that is wrong by e comes out wrong by e / 6: the interval is what it moves by, over 5/6.
    assert proved(game, (1, 1), F(0)) == (F(-1), F(1))
    assert proved(game, (1, 1), F(-1)) == (F(-7, 5), F(-3, 5))
    least, most = equal(game).bounds((1, 1))
    assert least < worth < most < least + 0.001


@dataclass(frozen=True)
class Handicap(CallOrRaise):
    """A bid that is exact wins its caller a die back; the players begin with different numbers of dice."""

    starts: tuple[int, int] = (2, 1)
    name = "handicap"
    wins_back = True

    def initial_state(self):
        return HandicapState(self, self.starts)


class HandicapState(CallOrRaiseState):
    def _said(self, action, past):
        quantity, face = self.bids[-1]
        if action == CALL and sum(roll.count(face) for roll in self.rolls) == quantity:
            caller, most = self.current_player, self.game.starts
            counts = [min(count + (seat == caller), most[seat]) for seat, count in enumerate(self.counts)]
            return self._next_round(tuple(counts), caller, past)
        return super()._said(action, past)

    def information_state(self, player):
        return f"{self.game.starts}: {super().information_state(player)}"


def test_rounds_that_can_follow_one_another():
    """Each guarantee is what best responses in fractions leave, if the guarantees of the other rounds are paid."""
    game = Handicap(2, 2, bounded=True)
    names = [(1, 1, 1, 2), (1, 1, 2, 1), (1, 2, 1, 2), (2, 1, 2, 1)]
    assert list(beginnings(game)) == names
    found = equal(game, 0.01)
    for counts in names:
        least, most = found.bounds(counts)
        assert least < most < least + 0.01
        for seat in (0, 1):

            def pays(after, seat=seat):
                mine, sign = after.opener == seat, 1 - 2 * seat
                if after.is_terminal():
                    return F(sign if mine else -sign)
                return sign * F(found.guarantees[named(after), int(not mine)])

            lost = (
                chance * best_response(unfold(part), found.policy, 1 - seat).value
                for chance, part in rounds(game, counts, pays)
            )
            assert 0 <= -sum(lost, F(0)) - F(found.guarantees[counts, seat]) < F(1, 10**8)
    assert found.bounds((2, 1, 2, 1))[0] > found.bounds((1, 2, 1, 2))[1]


def test_one_die_each_is_a_handicap_of_none():
    assert equal(WildOnesHandicap((1, 1))).guarantees == player(WildOnes(2, 1)).guarantees


def test_a_round_is_named_from_the_seat_of_its_opener():
    state = Handicap(2, 2, bounded=True).initial_state()
    assert named(state.child(0)) == (2, 1, 2, 1)
    assert named(state.child(1)) == (1, 2, 1, 2)
    seen = turned(state.child(1))
    assert (seen.counts, seen.opener, seen.game.starts) == ((1, 2), 0, (1, 2))


def test_the_player_does_the_same_in_both_seats():
    first = TWO.initial_state().child(0).child((1, 6)).child((2, 3))
    second = TWO.initial_state().child(1).child((2, 3)).child((1, 6))
    row = player(TWO).action_probabilities(first)
    assert row == player(TWO).action_probabilities(second)
    assert tuple(row) == first.legal_actions()
    assert sum(row.values()) == 1


@pytest.mark.parametrize("game", [TWO, WildOnes(2, 1)], ids=str)
def test_a_player_without_rare_moves_is_nearly_as_good_and_says_so(game):
    whole, least = player(game), 0.001
    thin = whole.thinned(least)
    assert whole.wins - 0.0005 < thin.wins < 0.5
    both = (game.dice, game.dice)
    low, high = thin.bounds(both)
    assert low <= whole.bounds(both)[1]
    assert high >= whole.bounds(both)[0]
    dropped = 0
    for where, row in thin.policy.table.items():
        chances = list(row.values())
        assert sum(chances) == 1
        before = list(whole.policy.table[where].values())
        never = chances[0] == 1 > before[0]  # it takes the first action where it never comes
        dropped += never
        for old, new in zip(before, chances, strict=True):
            assert never or (new == 0 if old < least else new >= old - F(1, 2**29))
    assert dropped


def test_what_does_not_fit(monkeypatch):
    with pytest.raises(DoesNotFitError, match="equals are two players, not 3"):
        equal(CallOrRaise(3, 1, bounded=True))
    with pytest.raises(DoesNotFitError, match=r"wild-ones is solved with 1 die each: of 2, .* won back"):
        equal(WildOnes(2, 2))
    with pytest.raises(DoesNotFitError, match="a round of wild-ones can follow itself"):
        solved(WildOnes(2, 1))
    monkeypatch.setattr(equal_player, "MOST_NODES", 1000)
    with pytest.raises(TooLargeError, match="a round of call-or-raise with 2 dice has more than 1,000 public nodes"):
        equal(CallOrRaise(2, 1))
    with pytest.raises(ValueError, match=r"accuracy must be at least 1e-06, not 0"):
        equal(TWO, 0)


def test_a_round_tells_what_happens():
    (_, part), *_ = rounds(TWO, (1, 1), following(WORTHS))
    state = part.initial_state()
    assert state.returns() == (0, 0)
    assert state.legal_actions() == ()
    assert state.action_to_string(((1,), (6,))) == "1 6"
    state = state.child(state.chance_outcomes()[0][0])
    assert str(state) == "1 opens > 1 > 1"
    assert state.chance_outcomes() == ()
    state = state.child(CALL)
    assert state.is_terminal()
    assert state.legal_actions() == ()
    assert state.returns() == (1, -1)
