"""Exact equilibria: Kuhn's answers of 1950, games with answers known by hand, and the proofs themselves."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from support.core.flat import FlatGame, unfold
from support.core.interface import TERMINAL
from support.core.policy import TabularPolicy, uniform
from support.exact import sequence_form
from support.exact.best_response import best_response, expected_returns, nash_conv
from support.exact.linear_program import UnprovedError
from support.exact.sequence_form import guarantee, optimal_ranges, solve
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.three_dice.rules import DiceGame

F = Fraction
unfolded = cache(unfold)
ranges_of = cache(optimal_ranges)
ALWAYS, NEVER = (F(1), F(1)), (F(0), F(0))


def matrix_game(payoff, columns):
    """A game in which both choose at once: player 0 an action of ``payoff``, player 1 one of ``columns``."""
    rows, n, m = list(payoff), len(payoff), len(columns)
    ends = n * m
    edges = n + ends
    return FlatGame(
        game=SimpleNamespace(name="matrix", num_players=2),
        positions=list(range(1 + n + ends)),
        player=np.array([0] + [1] * n + [TERMINAL] * ends, dtype=np.int8),
        first=np.array([0, *range(n, edges + 1, m), *[edges] * ends]),
        child=np.arange(1, edges + 1),
        action=rows + list(columns) * n,
        label=rows + list(columns) * n,
        probability=[F(0)] * edges,
        rewards=[(0, 0)] * n + [(x, -x) for row in rows for x in payoff[row]],
        information=np.array([0] + [1] * n + [-1] * ends),
        information_states=[(0, "rows"), (1, "columns")],
        index={},
    )


def test_rock_paper_scissors_with_a_double_win():
    """Rock on scissors counts twice; by hand: rock 1/4, paper 1/2, scissors 1/4, worth nothing, for both."""
    flat = matrix_game({"rock": (0, -1, 2), "paper": (1, 0, -1), "scissors": (-2, 1, 0)}, ("rock", "paper", "scissors"))
    shares = {"rock": F(1, 4), "paper": F(1, 2), "scissors": F(1, 4)}
    found = solve(flat)
    assert found.value == 0
    assert found.policies[0].row((0, "rows")) == found.policies[1].row((1, "columns")) == shares
    for player, name in enumerate(("rows", "columns")):
        ends = optimal_ranges(flat, player)[player, name]
        assert {action: one.behaviour for action, one in ends.items()} == {a: (p, p) for a, p in shares.items()}


def test_a_game_whose_value_and_range_are_no_round_numbers():
    """By hand, player 0: 3 p - 4 (1 - p) = -2 p + 5 (1 - p) gives 9/14 and 1/2; the third row only loses."""
    flat = matrix_game({"up": (3, -2), "down": (-4, 5), "worse": (-5, -3)}, ("left", "right"))
    found = solve(flat)
    assert found.value == F(1, 2)
    assert found.policies[0].row((0, "rows")) == {"up": F(9, 14), "down": F(5, 14)}
    assert found.policies[1].row((1, "columns")) == {"left": F(1, 2), "right": F(1, 2)}
    assert optimal_ranges(flat, 0)[0, "rows"]["worse"].weight == NEVER


def test_a_column_player_with_many_optimal_mixtures():
    """By hand: player 1's share of the left column may be anything from 1/3 to 2/3."""
    flat = matrix_game({"a": (2, -1), "b": (-1, 2), "c": (1, 1)}, ("left", "right"))
    assert solve(flat).value == 1
    assert optimal_ranges(flat, 1)[1, "columns"]["left"].behaviour == (F(1, 3), F(2, 3))
    assert optimal_ranges(flat, 0)[0, "rows"]["c"].behaviour == ALWAYS


def test_kuhn_is_worth_minus_an_eighteenth():
    flat = unfolded(Kuhn())
    found = solve(flat)
    assert found.value == F(-1, 18)
    assert nash_conv(flat, found.policies) == 0
    assert expected_returns(flat, found.policies) == (F(-1, 18), F(1, 18))


def test_all_optimal_strategies_of_kuhns_first_player():
    """Alpha in [0, 1/3] with a jack, three times alpha with a king, a call with a queen at alpha plus 1/3."""
    ends = ranges_of(unfolded(Kuhn()), 0)
    assert ends[0, "J"]["r"].weight == ends[0, "J"]["r"].behaviour == (0, F(1, 3))
    assert ends[0, "K"]["r"].behaviour == (0, 1)
    assert ends[0, "Q"]["r"].behaviour == NEVER
    assert ends[0, "Qcr"]["c"].behaviour == (F(1, 3), F(2, 3))
    assert ends[0, "Jcr"]["f"].weight == (F(2, 3), 1)
    assert ends[0, "Jcr"]["f"].behaviour == ALWAYS
    assert ends[0, "Kcr"]["f"].weight == NEVER
    assert ends[0, "Kcr"]["c"].weight == (0, 1)
    assert ends[0, "Kcr"]["c"].behaviour is None  # an optimal strategy may bet every king


def test_the_only_optimal_strategy_of_kuhns_second_player():
    unique = {
        "Kc": {"c": 0, "r": 1},
        "Kr": {"f": 0, "c": 1},
        "Qc": {"c": 1, "r": 0},
        "Qr": {"f": F(2, 3), "c": F(1, 3)},
        "Jc": {"c": F(2, 3), "r": F(1, 3)},
        "Jr": {"f": 1, "c": 0},
    }
    ends = ranges_of(unfolded(Kuhn()), 1)
    assert {where[1]: {action: one.behaviour for action, one in row.items()} for where, row in ends.items()} == {
        name: {action: (p, p) for action, p in row.items()} for name, row in unique.items()
    }


@pytest.mark.parametrize(("alpha", "value"), [(F(0), F(-1, 18)), (F(1, 3), F(-1, 18))])
def test_obeying_part_of_an_optimal_strategy_costs_nothing(alpha, value):
    fixed = {(0, "J"): {"c": 1 - alpha, "r": alpha}}
    assert guarantee(unfolded(Kuhn()), 0, fixed).value == value


def test_a_fixed_strategy_guarantees_what_the_best_response_leaves():
    for game in (Kuhn(), AceKingQueen()):
        flat = unfolded(game)
        for player in (0, 1):
            found = guarantee(flat, player, uniform(flat))
            assert found.value == -best_response(flat, uniform(flat), 1 - player).value
            assert set(found.policy.table) == {where for where in flat.information_states if where[0] == player}
            assert all(found.policy.row(where) == uniform(flat).row(where) for where in found.policy.table)


def test_the_guarantee_is_kept_by_its_policy_and_keeps_to_what_is_fixed():
    """Kuhn: a first player who must bet every queen."""
    flat, fixed = unfolded(Kuhn()), {(0, "Q"): {"r": F(1)}, (1, "Kc"): {"c": F(1)}}
    found = guarantee(flat, 0, fixed)
    assert found.policy.row((0, "Q")) == {"r": 1}
    assert found.value == -best_response(flat, found.policy, 1).value < F(-1, 18)
    assert guarantee(flat, 0).value == guarantee(flat, 0, TabularPolicy({})).value == F(-1, 18)
    assert guarantee(flat, 1).value == F(1, 18)


def test_ace_king_queen_is_solved():
    flat = unfolded(AceKingQueen())
    found = solve(flat)
    assert found.value == F(-1, 36)
    assert nash_conv(flat, found.policies) == 0
    assert [best_response(flat, found.policies, player).value for player in (0, 1)] == [F(-1, 36), F(1, 36)]


@pytest.mark.parametrize("player", [0, 1])
def test_ranges_of_ace_king_queen_hold_what_obeying_them_shows(player):
    """Fixing an action of the first decision at an end of its range costs nothing, a little beyond it something."""
    flat = unfolded(AceKingQueen())
    value, beyond = solve(flat).value * (1 - 2 * player), F(1, 100)
    two_ways = [
        (where, row["r"].behaviour)
        for where, row in ranges_of(flat, player).items()
        if set(row) == {"c", "r"}  # nothing else can be done there
    ]
    assert len(two_ways) == 3
    for where, (low, high) in two_ways:
        for share in {low, high, (low + high) / 2}:
            assert guarantee(flat, player, {where: {"r": share, "c": 1 - share}}).value == value
        for share in {max(low - beyond, 0), min(high + beyond, 1)} - {low, high}:
            assert guarantee(flat, player, {where: {"r": share, "c": 1 - share}}).value < value


def test_errors():
    flat = unfolded(Kuhn())
    with pytest.raises(ValueError, match="player must be 0 or 1, not 2"):
        optimal_ranges(flat, 2)
    with pytest.raises(ValueError, match=r"no information state \(0, 'A'\)"):
        guarantee(flat, 0, {(0, "A"): {"c": F(1)}})
    with pytest.raises(ValueError, match=r"'f' cannot be fixed in \(0, 'K'\); legal: \['c', 'r'\]"):
        guarantee(flat, 0, {(0, "K"): {"f": F(1)}})
    with pytest.raises(ValueError, match="sum to 1"):
        guarantee(flat, 0, {(0, "K"): {"c": F(1, 2)}})
    with pytest.raises(ValueError, match="for two players; three-dice has 1"):
        solve(unfold(DiceGame(1, 2)))
    with pytest.raises(ValueError, match="kuhn-poker is not zero-sum"):
        solve(replace(flat, rewards=[(1, 0)] * len(flat.rewards)))
    merged = flat.information.copy()
    merged[merged == flat.information_states.index((0, "Jcr"))] = flat.information_states.index((0, "Kcr"))
    with pytest.raises(ValueError, match="no perfect recall"):
        solve(replace(flat, information=merged))


def test_an_answer_that_is_no_equilibrium_is_not_given(monkeypatch):
    monkeypatch.setattr(sequence_form, "nash_conv", lambda *_: F(1, 7))
    with pytest.raises(UnprovedError, match="the solution of kuhn-poker leaves a NashConv of 1/7"):
        solve(unfolded(Kuhn()))


@pytest.mark.parametrize("power", [-30, -9, -6, 6, 15, 30])
def test_the_unit_of_the_returns_does_not_matter(power):
    """HiGHS alone takes 1e-9 for nothing, and 1e15 for infinite."""
    flat, unit = unfolded(Kuhn()), F(10) ** power
    other = replace(flat, rewards=[tuple(unit * reward for reward in row) for row in flat.rewards])
    assert solve(other).value == -unit / 18
    assert guarantee(other, 1).value == unit / 18
    assert optimal_ranges(other, 0) == ranges_of(flat, 0)


def test_returns_of_very_different_sizes():
    """By hand: with stakes of a million and of one, up is played once in a million and one."""
    flat = matrix_game({"up": (10**6, 0), "down": (0, 1)}, ("left", "right"))
    found = solve(flat)
    assert found.value == F(10**6, 10**6 + 1)
    assert found.policies[0].row((0, "rows")) == {"up": F(1, 10**6 + 1), "down": F(10**6, 10**6 + 1)}
    assert guarantee(flat, 1).value == -found.value
