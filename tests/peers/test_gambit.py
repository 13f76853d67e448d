"""Gambit reads the games that we export; its exact solver and ours find the same values and accept each other's answer.

Gambit (the Gambit Project) shares no code with this package: it knows of a game only what the exported file says.
"""

import io
from fractions import Fraction

import pygambit
import pytest

from benchmarks import gambit
from support.core.export import to_gambit
from support.core.flat import unfold
from support.core.policy import TabularPolicy, from_weights, uniform
from support.exact.best_response import expected_returns, nash_conv
from support.exact.sequence_form import solve
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import VALUE, Kuhn
from support.games.cups.liars_dice import LiarsDice
from support.learners import mirror_descent_fast
from support.learners.mirror_descent import MirrorDescentSettings

GAMES = {"ace-king-queen": AceKingQueen(), "kuhn-poker": Kuhn(), "liars-dice-2": LiarsDice(2)}
PLAYERS = ("player 0", "player 1")


@pytest.fixture(params=GAMES)
def game(request):
    return GAMES[request.param]


def read(game):
    return pygambit.read_efg(io.StringIO(to_gambit(game)))


def state_at(game, history):
    """Our state after the actions of one of Gambit's histories, found by their names."""
    state = game.initial_state()
    for label in history.actions:
        (action,) = (action for action in state.possible() if state.action_to_string(action) == label)
        state = state.child(action)
    return state


def behaviours(game, profile):
    """For each of our information states the probabilities of Gambit's profile, by our actions."""
    table = {}
    for player, label in enumerate(PLAYERS):
        for history, mixture in profile[label]:
            state = state_at(game, history)
            chances = {name: Fraction(p.numerator, p.denominator) for name, p in mixture}
            assert state.current_player == player
            where = (player, state.information_state(player))
            assert where not in table
            table[where] = {action: chances.pop(state.action_to_string(action)) for action in state.legal_actions()}
            assert not chances
    return TabularPolicy(table, "Gambit's")


def payoffs(profile):
    return tuple(Fraction(p.numerator, p.denominator) for p in (profile.payoffs[label] for label in PLAYERS))


def test_gambit_sees_the_same_game(game):
    theirs, flat = read(game), unfold(game)
    assert theirs.title == game.name
    assert tuple(theirs.players) == PLAYERS
    assert theirs.is_const_sum
    assert theirs.is_perfect_recall
    ends = theirs.get_histories(pygambit.H.plays)
    assert len(ends) == sum(not flat.edges(node) for node in range(flat.num_nodes))
    sizes = {where: len(nodes) for where, nodes in zip(flat.information_states, flat.nodes_of_information, strict=True)}
    found = {}
    for player, label in enumerate(PLAYERS):
        for history in theirs.get_infosets(label):
            members = [state_at(game, h) for h in theirs.get_members(pygambit.H.path(*history.actions))]
            (text,) = {state.information_state(player) for state in members}
            found[player, text] = len(members)
    assert found == sizes


def test_gambit_computes_the_same_expected_returns(game):
    flat = unfold(game)
    profile = read(game).mixed_behavior_profile(rational=True)
    assert behaviours(game, profile).table == uniform(flat).table
    assert payoffs(profile) == expected_returns(flat, uniform(flat))


def test_gambits_equilibrium_is_one_by_our_nash_conv(game):
    flat = unfold(game)
    equilibrium = pygambit.nash.lp_solve(read(game), rational=True).equilibrium
    policy = behaviours(game, equilibrium)
    assert nash_conv(flat, policy) == 0
    assert payoffs(equilibrium) == expected_returns(flat, policy)
    assert payoffs(equilibrium)[0] == solve(flat).value


def test_our_equilibrium_is_one_by_gambits_regret(game):
    theirs, found = read(game), solve(unfold(game))
    data = []
    for player, label in enumerate(PLAYERS):
        data.append([])
        for history in theirs.get_infosets(label):
            row = found.policies[player].action_probabilities(state_at(game, history))
            data[-1].append([str(p) for p in row.values()])
    profile = theirs.mixed_behavior_profile(data, rational=True)
    assert profile.max_regret() == 0
    assert payoffs(profile) == (found.value, -found.value)
    assert theirs.mixed_behavior_profile(rational=True).max_regret() > 0


@pytest.mark.parametrize(("name", "value"), [("ace-king-queen", Fraction(-1, 36)), ("kuhn-poker", VALUE)])
def test_gambits_value_of_both_pokers(name, value):
    equilibrium = pygambit.nash.lp_solve(read(GAMES[name]), rational=True).equilibrium
    assert payoffs(equilibrium) == (value, -value)


@pytest.mark.parametrize(("name", "temperature"), [("kuhn-poker", 0.5), ("kuhn-poker", 0.2), ("ace-king-queen", 0.5)])
def test_mirror_descent_ends_in_gambits_agent_quantal_response_equilibrium(name, temperature):
    """Gambit follows the branch of equilibria from random play to the same temperature, in floating point."""
    game = GAMES[name]
    (theirs,) = pygambit.qre.logit_solve_lambda(read(game), lam=[1 / temperature])
    assert theirs.lam == pytest.approx(1 / temperature)
    how = MirrorDescentSettings(temperature / 10, temperature, annealed=False)
    flat = unfold(game)
    last = from_weights(flat, mirror_descent_fast.run(flat, [20_000], how)[0])
    compared = 0
    for player, label in enumerate(PLAYERS):
        for history, mixture in theirs.profile[label]:
            state = state_at(game, history)
            row = {state.action_to_string(a): float(p) for a, p in last.action_probabilities(state).items()}
            assert state.current_player == player
            assert row == pytest.approx(dict(mixture), abs=1e-6), str(state)
            compared += 1
    assert compared == len(flat.information_states)


def test_gambit_reads_quotes_within_names():
    class Quoted(Kuhn):
        name = 'Kuhn\'s "simplified" poker'

    assert read(Quoted()).title == 'Kuhn\'s "simplified" poker'


def test_speed_is_compared_on_the_same_work():
    paces = list(gambit.rows(least=0.001))
    assert len(paces) == 3
    assert all(pace.same for pace in paces)
