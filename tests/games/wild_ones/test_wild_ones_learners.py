"""Wild ones' learners behind the protocol, and the exact worth of any policy against the usual opponents."""

from fractions import Fraction

import numpy as np
import pytest

from support.core.interface import DoesNotFitError
from support.core.policy import TabularPolicy
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.places import places
from support.games.wild_ones.dqn import DQNSettings
from support.games.wild_ones.dqn_player import DQNPlayer
from support.games.wild_ones.dqn_worth_fast import worth_of_network
from support.games.wild_ones.learners import Dqn, NoteTaker, TableLearner
from support.games.wild_ones.policies import POLICIES, Aggressive, Random, Survivalist, Views, table, usual
from support.games.wild_ones.policies import tables as tables_of
from support.games.wild_ones.rules import LIAR, WildOnes
from support.games.wild_ones.worth import win_probability
from support.judge import judge
from support.learners.network import Network

PAIR, THREE = WildOnes(2, 2), WildOnes(3, 1)


def tables(game):
    return tables_of(game, usual(game))


def opponents(game):
    return [POLICIES[name] for name in usual(game)]


@pytest.mark.parametrize("game", [PAIR, THREE], ids=str)
@pytest.mark.parametrize("policy", [Survivalist(), Aggressive()])
def test_a_fixed_policy_is_worth_what_its_places_are(game, policy):
    """Two ways to the same fraction: round by round and seat by seat, or over public nodes."""
    found = judge(policy, game)
    assert found.achieved == places(game, [table(Views(game), policy), *tables(game)]).shares[0][0]
    assert found.distance == found.best - found.achieved > 0


@pytest.mark.parametrize("game", [PAIR, THREE], ids=str)
def test_the_best_decisions_are_worth_the_ceiling(game):
    ceiling = Ceiling(game, tables(game))
    best = win_probability(game, opponents(game), lambda state, seats: {ceiling.decision(state, seats).best: 1})
    assert best == ceiling.win_probability


def test_a_mixed_policy_lies_between_what_it_mixes():
    """Half survivalist, half liar where that is legal: worth neither, and the uniform policy is worth something."""

    def liar(state, seats):
        return {LIAR if LIAR in state.legal_actions() else state.legal_actions()[0]: 1}

    def half(state, seats):
        row = dict.fromkeys(state.legal_actions(), Fraction(0))
        for part in (liar(state, seats), Survivalist().action_probabilities(state)):
            for action, chance in part.items():
                row[action] += Fraction(chance) / 2
        return row

    game = WildOnes(2, 1)
    uniform = judge(TabularPolicy({}), game)
    assert 0 < uniform.achieved < judge(Survivalist(), game).achieved
    assert win_probability(game, opponents(game), half) not in (
        win_probability(game, opponents(game), liar),
        judge(Survivalist(), game).achieved,
    )


@pytest.mark.parametrize(("learner", "games"), [(NoteTaker(), 300), (TableLearner(), 3000), (Dqn(), 50)])
def test_learners_are_judged_exactly(learner, games):
    judged = judge(learner.train(PAIR, games, 5), PAIR)
    assert 0 <= judged.distance < judged.best == Ceiling(PAIR, tables(PAIR)).win_probability
    assert judged.unit == "probability of winning against survivalist"


def test_a_plan_that_knows_everything_is_best():
    """One die each: two thousand games show all that the survivalist does."""
    game = WildOnes(2, 1)
    assert judge(NoteTaker().train(game, 2000, 5), game).distance == 0


def untrained(game, **seen):
    settings = DQNSettings(**seen)
    names = usual(game)
    return DQNPlayer(
        game, settings, Network.fresh(settings.sizes(game, len(settings.kinds(names))), 5), "+".join(names)
    )


def test_a_network_that_hears_all_bids_is_judged_by_all_bids():
    """Two ways to the same number: over public nodes, or each round with each roll."""
    player = untrained(THREE, history=True)
    assert float(judge(player, THREE).achieved) == pytest.approx(worth_of_network(player, tables(THREE))[-1][0])


def test_a_network_that_must_be_told_who_sits_where():
    with pytest.raises(DoesNotFitError, match="it must be told who sits where"):
        judge(untrained(THREE, identity=True), THREE)


class InFloats:
    """The first action, in numbers of numpy."""

    def __init__(self, one):
        self.one = one

    def action_probabilities(self, state):
        return {state.legal_actions()[0]: self.one}


@pytest.mark.parametrize("one", [np.float32(1) - np.float32(1e-7), np.int64(1), 1 - 1e-10])
def test_any_numbers_are_probabilities(one):
    assert judge(InFloats(one), WildOnes(2, 1)) == judge(InFloats(1), WildOnes(2, 1))


def test_errors():
    with pytest.raises(ValueError, match=r"takes too long for WildOnes\(num_players=4, dice=2\); it is computed"):
        judge(Survivalist(), WildOnes(4, 2))
    with pytest.raises(ValueError, match="a game of 3 players needs 2 opponents, not 1"):
        win_probability(THREE, opponents(PAIR), lambda state, seats: {})
    with pytest.raises(ValueError, match="an opponent mixes actions"):
        win_probability(PAIR, [Random()], lambda state, seats: {LIAR: 1} if state.bids else {"1x1": 1})
    with pytest.raises(ValueError, match=r"the policy plays 'liar' in \(0, '1 1, 1 opens, 1'\); legal: "):
        win_probability(PAIR, opponents(PAIR), lambda state, seats: {LIAR: 1})
    with pytest.raises(ValueError, match="must be non-negative and sum to 1"):
        win_probability(PAIR, opponents(PAIR), lambda state, seats: {state.legal_actions()[0]: 0.5})
