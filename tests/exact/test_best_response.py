"""Best responses against brute force over all pure strategies, and the known numbers of Kuhn poker."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import pytest

from support.core.flat import unfold
from support.core.interface import CHANCE
from support.core.policy import TabularPolicy, uniform
from support.exact.best_response import best_response, expected_returns, exploitability, nash_conv
from support.exact.kinds import own_sequences
from support.exact.retrograde import solve
from support.games.biscuits.rules import Biscuits
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.three_dice.rules import DiceGame

F = Fraction
unfolded = cache(unfold)


@cache
def endings(game):
    """Every end of a game: its chance, the choices on the way there and the returns, straight from the rules."""
    found, todo = [], [(game.initial_state(), F(1), ())]
    while todo:
        state, chance, choices = todo.pop()
        if state.is_terminal():
            found.append((chance, choices, state.returns()))
        elif state.current_player == CHANCE:
            todo += [(state.child(outcome), chance * p, choices) for outcome, p in state.chance_outcomes()]
        else:
            where = (state.current_player, state.information_state(state.current_player))
            todo += [(state.child(action), chance, (*choices, (where, action))) for action in state.legal_actions()]
    return found


def by_brute_force(game, table, player):
    """The best return over all pure strategies of a player."""
    ends, options = [], {}
    for chance, choices, returns in endings(game):
        weight = chance * prod((table[where].get(a, 0) for where, a in choices if where[0] != player), start=F(1))
        own = [(where, a) for where, a in choices if where[0] == player]
        for where, action in own:
            options.setdefault(where, set()).add(action)
        ends.append((weight * returns[player], own))
    ends = [(gain, own) for gain, own in ends if gain]
    pure = (dict(zip(options, actions, strict=True)) for actions in product(*options.values()))
    return max(sum(gain for gain, own in ends if all(plan[w] == a for w, a in own)) for plan in pure)


def random_table(flat, seed):
    draw, table = random.Random(seed), {}
    for where, nodes in zip(flat.information_states, flat.nodes_of_information, strict=True):
        parts = {flat.action[edge]: draw.choice((0, 1, 1, 2, 5)) for edge in flat.edges(nodes[0])}
        parts[draw.choice(list(parts))] += 1
        table[where] = {action: F(part, sum(parts.values())) for action, part in parts.items()}
    return table


def kuhn_equilibrium(alpha):
    """Kuhn's family of optimal strategies of player 0, and player 1's only one."""
    rows = {
        (0, "J"): {"c": 1 - alpha, "r": alpha},
        (0, "Q"): {"c": 1},
        (0, "K"): {"c": 1 - 3 * alpha, "r": 3 * alpha},
        (0, "Jcr"): {"f": 1},
        (0, "Qcr"): {"f": F(2, 3) - alpha, "c": F(1, 3) + alpha},
        (0, "Kcr"): {"c": 1},
        (1, "Jc"): {"c": F(2, 3), "r": F(1, 3)},
        (1, "Jr"): {"f": 1},
        (1, "Qc"): {"c": 1},
        (1, "Qr"): {"f": F(2, 3), "c": F(1, 3)},
        (1, "Kc"): {"r": 1},
        (1, "Kr"): {"c": 1},
    }
    return TabularPolicy({where: {action: F(p) for action, p in row.items()} for where, row in rows.items()})


@pytest.mark.parametrize("alpha", [F(0), F(1, 10), F(1, 4), F(1, 3)])
def test_kuhn_equilibria(alpha):
    flat, policy = unfolded(Kuhn()), kuhn_equilibrium(alpha)
    assert expected_returns(flat, policy) == (F(-1, 18), F(1, 18))
    assert nash_conv(flat, policy) == 0


def test_kuhn_with_the_wrong_alpha_is_no_equilibrium():
    """Betting jacks with 1/5 and kings always: folding a queen to every bet gains."""
    policy = kuhn_equilibrium(F(1, 5))
    row = {(0, "K"): {"r": F(1)}}
    assert nash_conv(unfolded(Kuhn()), TabularPolicy({**policy.table, **row})) > 0


def test_uniform_policy_of_kuhn():
    flat = unfolded(Kuhn())
    assert nash_conv(flat, uniform(flat)) == F(11, 12)
    assert exploitability(flat, uniform(flat)) == F(11, 24)
    assert expected_returns(flat, uniform(flat)) == (F(1, 8), F(-1, 8))
    assert [best_response(flat, uniform(flat), player).value for player in (0, 1)] == [F(1, 2), F(5, 12)]


@pytest.mark.parametrize(("game", "seeds"), [(Kuhn(), 30), (AceKingQueen(), 5)])
@pytest.mark.no_cover
def test_best_response_is_the_best_of_all_pure_strategies(game, seeds):
    flat = unfolded(game)
    for seed in range(seeds):
        table = random_table(flat, seed)
        for player in (0, 1):
            response = best_response(flat, TabularPolicy(table), player)
            assert response.value == by_brute_force(game, table, player)
            played = TabularPolicy({**table, **response.policy.table})
            assert expected_returns(flat, played)[player] == response.value


@pytest.mark.parametrize("game", [Kuhn(), AceKingQueen()])
def test_expected_returns_are_the_mean_over_all_ends(game):
    flat = unfolded(game)
    for seed in range(10):
        table = random_table(flat, seed)
        mean = sum(
            chance * prod((table[where].get(action, 0) for where, action in choices), start=F(1)) * returns[0]
            for chance, choices, returns in endings(game)
        )
        assert expected_returns(flat, TabularPolicy(table)) == (mean, -mean)


def test_a_profile_may_be_two_tables_or_one():
    flat = unfolded(AceKingQueen())
    tables = [
        TabularPolicy({where: row for where, row in random_table(flat, 3).items() if where[0] == p}) for p in (0, 1)
    ]
    merged = TabularPolicy({**tables[0].table, **tables[1].table})
    assert nash_conv(flat, tables) == nash_conv(flat, merged) > 0
    assert best_response(flat, tables[1], 0) == best_response(flat, merged, 0)


def test_action_values_against_a_player_who_always_checks_or_calls():
    """Ace-king-queen, by hand: an ace that bets gains 0, 2, 2 against A, K, Q; a king nothing; a queen -1, -1, 0.

    From the stack at the choice, the bet of an ace costs 1 and takes 2 out of a split pot, 4 out of a whole one.
    """
    flat = unfolded(AceKingQueen())
    caller = TabularPolicy({where: {"c": F(1)} for where in flat.information_states})
    response = best_response(flat, caller, 0)
    assert response.value == F((0 + 2 + 2) + 0 + (-1 - 1 + 0), 9)
    assert response.reach[0, "A"] == F(1, 3)
    assert response.action_values[0, "A"] == {"c": F(1 + 2 + 2, 9), "r": F((2 - 1) + (4 - 1) + (4 - 1), 9)}
    assert response.action_values[0, "Acr"] == {"f": 0, "c": 0, "r": 0}
    assert response.policy.row((0, "Acr")) == {"f": 1}


def test_ties_go_to_the_first_listed_action():
    """A king that bets against a caller wins 2 as often as it loses 2: no better than checking, listed first."""
    flat = unfolded(AceKingQueen())
    caller = TabularPolicy({where: {"c": F(1)} for where in flat.information_states})
    response = best_response(flat, caller, 0)
    assert response.action_values[0, "K"]["c"] == response.action_values[0, "K"]["r"]
    assert response.policy.row((0, "K")) == {"c": 1}


def test_positions_that_many_ways_lead_to():
    """Biscuits: with nothing hidden the way does not matter, and the best response to the uniform player wins."""
    flat = unfolded(Biscuits(3, 5))
    assert solve(flat).value[0] == -1
    assert best_response(flat, uniform(flat), 1).value == 1
    assert best_response(flat, best_response(flat, uniform(flat), 1).policy, 0).value == -1


def test_perfect_recall_is_required():
    """A player who no longer knows whether it led or checked; one who no longer knows its card."""
    flat = unfolded(AceKingQueen())
    states = flat.information_states
    merged = flat.information.copy()
    merged[merged == states.index((0, "Qrr"))] = states.index((0, "Krr"))
    with pytest.raises(ValueError, match="no perfect recall in ace-king-queen: player 0 knowing 'Krr' no longer knows"):
        best_response(replace(flat, information=merged), uniform(flat), 0)
    mixed = flat.information.copy()
    mixed[mixed == states.index((0, "Krr"))] = states.index((0, "Kcr"))
    with pytest.raises(ValueError, match="player 0 knowing 'Kcr' has different legal actions"):
        own_sequences(replace(flat, information=mixed), 0)


def test_own_sequences_of_kuhn():
    flat = unfolded(Kuhn())
    names = flat.information_states
    assert own_sequences(flat, 0)[names.index((0, "K"))] is None
    assert own_sequences(flat, 0)[names.index((0, "Kcr"))] == (names.index((0, "K")), 0)
    assert set(own_sequences(flat, 1).values()) == {None}


def test_errors():
    flat = unfolded(Kuhn())
    policy = uniform(flat)
    with pytest.raises(ValueError, match="player must lie between 0 and 1, not 2"):
        best_response(flat, policy, 2)
    with pytest.raises(ValueError, match="2 players, but 1 tables"):
        nash_conv(flat, [policy])
    with pytest.raises(KeyError, match="says nothing about player 1 knowing"):
        nash_conv(flat, TabularPolicy({w: row for w, row in policy.table.items() if w[0] == 0}))
    with pytest.raises(ValueError, match="plays 'x' in"):
        nash_conv(flat, TabularPolicy({**policy.table, (0, "K"): {"x": F(1)}}))
    dice = unfold(DiceGame(1, 2))
    with pytest.raises(ValueError, match="three-dice may go on for ever"):
        best_response(dice, uniform(dice), 0)
