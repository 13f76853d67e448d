"""Judging policies: distances known by hand, what a policy leaves open, and every error."""

from fractions import Fraction

import numpy as np
import pytest
from table_games import TableGame, common_interest, die_nim, dithering, forgetful, guess, odd_one_out, pennies

from support.core.answers import complete
from support.core.flat import TooLargeError, unfold
from support.core.interface import CHANCE, DoesNotFitError
from support.core.policy import EndlessError, Judgement, PolicyError, TabularPolicy, uniform
from support.exact.best_response import best_response, nash_conv
from support.exact.optimal import optimal_policy
from support.games.biscuits.rules import Biscuits
from support.games.cards.kuhn import Kuhn
from support.games.three_dice.agents import always_hold
from support.games.three_dice.rules import DiceGame
from support.judge import judge
from support.solve import solve

F = Fraction
BEST_RESPONSE = "support.exact.best_response.best_response"
NASH_CONV, EXPECTED = "NashConv, in units of the returns", "expected return, in units of the returns"
KUHN = unfold(Kuhn())


@pytest.mark.parametrize("policy", [{}, lambda where: None, TabularPolicy({}), {(0, "K"): {}}, uniform(KUHN)])
def test_the_uniform_policy_of_kuhn(policy):
    """Best responses get 1/2 and 5/12; a policy that says nothing is taken to play uniformly."""
    unanswered = 0 if isinstance(policy, TabularPolicy) and policy.table else 12
    judged = judge(policy, KUHN)
    assert judged == Judgement(F(11, 12), NASH_CONV, F(11, 12), F(0), BEST_RESPONSE, unanswered, 12)


def test_an_equilibrium_leaves_nothing():
    assert judge(solve(Kuhn()).policy, Kuhn()).distance == 0
    assert judge(solve(die_nim(4)).policy, die_nim(4)).distance == 0


def test_a_constant_sum_is_judged_by_nash_conv():
    """Player 1 wins a prize of one half the time; who always guesses heads gives it all away to the better response."""
    game = pennies((1, 0), (0, 1))
    judged = judge({(0, "start"): {"heads": 1}, (1, "a covered coin"): {"tails": 1}}, game)
    assert (judged.best, judged.achieved, judged.distance, judged.unanswered) == (2, 1, 1, 0)


def test_a_function_is_asked_for_each_information_state():
    asked = []

    def half_open(where):
        asked.append(where)
        return {True: {"c": F(1)}, False: None}[where[0] == 0]

    judged = judge(half_open, KUHN)
    assert asked == KUHN.information_states
    assert (judged.unanswered, judged.information_states) == (6, 12)
    table = {where: {"c": F(1)} for where in KUHN.information_states if where[0] == 0}
    assert judged == judge(table.__getitem__, KUHN)  # KeyError is no answer
    everywhere = TabularPolicy({**uniform(KUHN).table, **table})
    assert judged.distance == nash_conv(KUHN, everywhere)


def test_floats_are_fractions_divided_by_their_sum():
    flat = unfold(pennies())
    table, unanswered = complete(flat, {(1, "a covered coin"): {"heads": 0.1, "tails": 0.9, "edge": 0.0}}, (1,))
    row = table.row((1, "a covered coin"))
    assert sum(row.values()) == 1
    assert float(row["heads"]) == pytest.approx(0.1, abs=1e-15)
    assert (set(table.table), unanswered) == ({(1, "a covered coin")}, 0)
    with pytest.raises(ValueError, match=r"the probabilities in \(1, 'a covered coin'\) must be non-negative and sum"):
        complete(flat, {(1, "a covered coin"): {"heads": 0.1, "tails": 0.8}}, (1,))


def test_one_player():
    """Three dice: stopping at once is worth 10.5 less what the doubles cost; the optimum is that of the solver."""
    game = DiceGame()
    flat = unfold(game)
    best = optimal_policy(flat)
    judged = judge(best.policy, game)
    assert (judged.distance, judged.unit, judged.method) == (0, EXPECTED, "support.exact.optimal.optimal_policy")
    held = judge(always_hold(flat), game)
    assert held.best == best.value
    mean = F(sum(game.final_score((a, b, c)) for a in range(1, 7) for b in range(1, 7) for c in range(1, 7)), 216)
    assert (held.achieved, held.distance) == (mean, best.value - mean)
    assert (held.unanswered, held.information_states) == (0, 56)


def test_one_player_who_does_not_see():
    """Guessing a loaded coin evenly is right half the time, guessing heads two times in three."""
    assert judge({}, guess()) == Judgement(F(1, 6), EXPECTED, F(2, 3), F(1, 2), BEST_RESPONSE, 1, 1)


def test_against_a_fixed_opponent():
    """Kuhn against the uniform player: the best response of player 0 gets 1/2, uniform play 1/8."""
    judged = judge({}, KUHN, against=uniform(KUHN))
    assert judged == Judgement(F(3, 8), EXPECTED, F(1, 2), F(1, 8), BEST_RESPONSE, 6, 6)
    second = judge(best_response(KUHN, uniform(KUHN), 1).policy, KUHN, against={}, seat=1)
    assert (second.distance, second.best, second.unanswered, second.unanswered_by_opponents) == (0, F(5, 12), 0, 6)
    assert judge({}, KUHN, against=lambda where: {"c": 1.0}).unanswered_by_opponents == 0


def test_the_chance_of_winning():
    """Two left, and a die of two sides: who takes one loses, and a roll of two, half of all, allows to take both."""
    game = die_nim(2, 2)
    ones = lambda where: {"take 1": F(1)}  # noqa: E731
    judged = judge(ones, game, against=ones)
    assert judged == Judgement(F(1, 2), "probability of winning", F(1, 2), F(0), BEST_RESPONSE, 0, 2)


def test_biscuits_against_the_uniform_player():
    game = Biscuits(8, 4)
    perfect = judge(solve(game).policy, game, against={})
    assert (perfect.best, perfect.achieved, perfect.distance) == (1, 1, 0)
    assert perfect.unit == "probability of winning"


def test_three_at_the_table():
    """Each seat has a policy of its own, or all others have one."""
    flat = unfold(odd_one_out())
    left, evenly = lambda where: {"left": F(1)}, uniform(flat)
    judged = judge({}, flat, against={0: left, 2: left}, seat=1)
    assert judged == Judgement(F(1, 2), "probability of winning", F(1), F(1, 2), BEST_RESPONSE, 1, 1)
    mixed = judge(left, flat, against={0: left, 2: evenly}, seat=1)
    assert (mixed.distance, mixed.best, mixed.unanswered_by_opponents) == (F(1, 2), F(1, 2), 0)
    assert judge(left, flat, against={0: {}, 2: {}}, seat=1) == Judgement(
        F(0), "probability of winning", F(1, 4), F(1, 4), BEST_RESPONSE, 0, 1, 2
    )
    with pytest.raises(ValueError, match=r"against says nothing about seat 2; it needs the seats \[0, 2\]"):
        judge({}, flat, against={0: {}}, seat=1)
    with pytest.raises(ValueError, match="odd-one-out is not one: judge one seat with against="):
        judge({}, flat)


def test_a_chance_of_winning_takes_two_ends():
    """With three different ends, or only one, what is lost is expected return."""
    assert judge({}, pennies(stake=3), against={}).unit == EXPECTED
    idle = judge({}, pennies((1, -1, 0), (-1, 1, 0)), against={}, seat=2)
    assert (idle.distance, idle.unit, idle.information_states) == (0, EXPECTED, 0)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"c": F(1, 2)}, r"the probabilities in \(0, 'K'\) must be non-negative and sum to 1, not \{'c': Fraction"),
        ({"c": 2, "r": -1}, "must be non-negative and sum to 1, not {'c': 2, 'r': -1}"),
        ({"c": 0}, "must be non-negative and sum to 1, not {'c': 0}"),
        ({"c": 10**5000}, "must be non-negative and sum to 1, not this dict"),  # more digits than Python prints
        ({"f": 1}, r"the policy plays 'f' in \(0, 'K'\); legal: \['c', 'r'\]"),
        ("c", r"the policy must give \{action: probability\} in \(0, 'K'\), such as \{'c': 1\}, not 'c'"),
        ({"c": "most"}, r"the probabilities in \(0, 'K'\) must be numbers, not \{'c': 'most'\}"),
        ({"c": float("nan")}, "must be numbers, not {'c': nan}"),
        ({"c": 1, "r": None}, "must be numbers, not {'c': 1, 'r': None}"),
        ({"c": float("inf")}, "must be numbers, not {'c': inf}"),
    ],
)
def test_policies_that_are_none(row, message):
    with pytest.raises(PolicyError, match=message):
        judge({(0, "K"): row}, KUHN)


@pytest.mark.parametrize("policy", [{"K": {"c": 1}}, TabularPolicy({(2, "K"): {"c": F(1)}})])
def test_a_table_of_something_else(policy):
    """A wrong key is shown beside a right one. One right key is enough: a learner may not have been everywhere."""
    key = r"it has ('K'|\(2, 'K'\)), the game has \(0, 'K'\)"
    with pytest.raises(PolicyError, match=f"no key of the table is an information state of kuhn-poker: {key}"):
        judge(policy, KUHN)
    assert judge({**getattr(policy, "table", policy), (0, "K"): {"c": 1}}, KUHN).unanswered == 11


def test_a_table_for_a_game_in_which_nobody_moves():
    tossed = TableGame(
        "a coin", 2, {"start": (CHANCE, "", {"H": ("won", (1, -1), F(1, 2)), "T": ("no", (0, 0), F(1, 2))})}
    )
    assert judge({}, tossed).unanswered == 0
    with pytest.raises(PolicyError, match="a table must be empty for a coin, in which no player ever moves"):
        judge({(0, "K"): {"c": 1}}, tossed)


@pytest.mark.parametrize("policy", [5, [0.5, 0.5], None])
def test_what_is_no_policy_at_all(policy):
    with pytest.raises(PolicyError, match=r"a policy is a dictionary .*, or an object with action_probabilities"):
        judge(policy, KUHN)


def test_a_wrong_value_is_shown_in_one_line():
    with pytest.raises(
        PolicyError, match=r", not array\(\[\[1\., 0\., 0\.\], \[0\., 1\., 0\.\], \[0\., 0\., 1\.\]\]\)$"
    ):
        judge(np.eye(3), KUHN)


def test_of_a_long_wrong_value_the_beginning_is_shown():
    with pytest.raises(PolicyError, match=r", not 'policies/kuhn/x+…$"):
        judge(f"policies/kuhn/{'x' * 90}.json", KUHN)


def test_numbers_of_numpy_are_probabilities():
    third = np.float32(1) / np.float32(3)
    judged = judge({where: {"c": np.int64(1)} for where in KUHN.information_states}, KUHN)
    assert judged == judge(lambda where: {"c": 1}, KUHN)
    row = complete(unfold(pennies()), {(1, "a covered coin"): {"heads": third, "tails": 1 - third}}, (1,))[0]
    assert sum(row.row((1, "a covered coin")).values()) == 1


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.int8])
def test_whole_numbers_of_numpy_do_not_overflow(kind):
    """A product of many probabilities has more digits than they can hold."""
    rare, steps = Fraction(1, 1000), 8
    rows = {"start": (0, "start", {"go": ("chance 0", (0, 0)), "stop": ("none", (1, -1))})}
    for n in range(steps):
        rows[f"chance {n}"] = (CHANCE, "", {"on": (f"step {n}", (0, 0), 1 - rare), "off": ("lost", (-1, 1), rare)})
        rows[f"step {n}"] = (1, f"step {n}", {"on": (f"chance {n + 1}" if n + 1 < steps else "won", (1, -1))})
    game = TableGame("chain", 2, rows)
    assert judge(lambda where: {"stop" if where[1] == "start" else "on": kind(1)}, game) == judge(
        lambda where: {"stop" if where[1] == "start" else "on": 1}, game
    )


def test_a_game_in_which_it_pays_to_play_on_for_ever_does_not_fit():
    """The policy ends; it is the best one that would not."""
    rows = {"start": (0, "start", {"on": ("start", (1,)), "stop": ("end", (0,))})}
    with pytest.raises(DoesNotFitError, match="in endless it pays to play on for ever: under this policy"):
        judge({}, TableGame("endless", 1, rows))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (np.array([1.0, 0.0]), r"the policy must give {action: probability} in \(0, 'K'\), such as {'c': 1}, not ar"),
        ({"c": 1 - 1e-7}, "must be non-negative and sum to 1, not {'c': 0.9999999}"),
        ({"c": "0.5", "r": "0.5"}, "must be numbers, not {'c': '0.5', 'r': '0.5'}"),
    ],
)
def test_what_is_no_row(row, message):
    with pytest.raises(PolicyError, match=message):
        judge(lambda where: row, KUHN)


def test_errors():
    with pytest.raises(ValueError, match="three-dice has one player and nobody to play against; leave out against="):
        judge({}, DiceGame(1, 2), against={})
    with pytest.raises(ValueError, match="seat must lie between 0 and 1, not 2"):
        judge({}, KUHN, against={}, seat=2)
    with pytest.raises(DoesNotFitError, match="same sum; kindness is not one: judge one seat"):
        judge({}, common_interest())
    with pytest.raises(DoesNotFitError, match="forgetful cannot be solved here: a player forgets"):
        judge({}, forgetful())
    with pytest.raises(DoesNotFitError, match="a position can come back in it: limit the turns"):
        judge({}, dithering())
    with pytest.raises(EndlessError, match="never ends"):
        judge({where: {(): 1} for where in unfold(DiceGame(1, 2)).information_states}, DiceGame(1, 2))
    with pytest.raises(TooLargeError, match="more than 10 positions"):
        judge({}, Kuhn(), limit=10)


def test_a_table_of_floats_is_told_of_the_dictionary():
    with pytest.raises(PolicyError, match="floats fit a plain dictionary in place of the TabularPolicy"):
        TabularPolicy({(0, "K"): {"c": 0.1, "r": 0.2}})
    with pytest.raises(PolicyError, match=r"sum to 1, not \{'c': 2\}$"):
        TabularPolicy({(0, "K"): {"c": 2}})
