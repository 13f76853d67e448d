"""What trained agents of wild ones are worth: every roll gone through, beside the plain rules and games with dice."""

from itertools import product
from math import prod

import numpy as np
import pytest

from support.core.interface import DoesNotFitError
from support.games.cups.rolls import FACES, all_rolls
from support.games.wild_ones.ceiling.ceiling_fast import worth_of_plan
from support.games.wild_ones.ceiling.chain import starts
from support.games.wild_ones.ceiling.rolls_fast import lay, require_rolls, rolls_in, rolls_of
from support.games.wild_ones.dqn import DQNSettings
from support.games.wild_ones.dqn_fast import FastDQNLearner, evaluate
from support.games.wild_ones.dqn_player import DQNPlayer
from support.games.wild_ones.dqn_worth_fast import worth_of_network
from support.games.wild_ones.learners import PlanPlayer, TablePlayer
from support.games.wild_ones.listener import ListenerSettings
from support.games.wild_ones.listener_fast import FastListenerLearner
from support.games.wild_ones.notes import learn, play
from support.games.wild_ones.policies import POLICIES, Views, tables
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import BOARD
from support.games.wild_ones.worth import win_probability

GAMES, SEED = 40_000, 0x0123456789ABCDEF
SMALL = (
    (WildOnes(3, 1), ("survivalist", "aggressive")),
    (WildOnes(3, 1), ("aggressive", "aggressive")),
    (WildOnes(2, 2), ("aggressive",)),
)
SEES = ({}, {"history": True}, {"identity": True}, {"history": True, "identity": True, "self_play": 0.5})


def trained(game, names, games=150, **sees):
    """A network, whatever it has learned in so few games."""
    settings = DQNSettings(games=games, warm_games=20, batch=32, **sees)
    done = FastDQNLearner(game, tables(game, names), settings, SEED).train()
    return DQNPlayer(game, settings, done.network, "+".join(names))


def taught(game, names, games, **sees):
    learner = FastListenerLearner(game, tables(game, names), ListenerSettings(**sees), SEED)
    learner.train(games)
    return learner


def exactly(game, names, act):
    """What the plain rules give, in fractions; ``act`` is the agent's action by the state and who sits where."""
    return float(win_probability(game, [POLICIES[name] for name in names], lambda *seen: {act(*seen): 1}))


@pytest.mark.parametrize("game", [WildOnes(4, 1), WildOnes(2, 2)], ids=str)
def test_every_roll_comes_once_in_all_its_ways(game):
    rolls, known, board = rolls_of(game), Views(game).hands, np.zeros(1, BOARD)
    for number, start in enumerate(starts(game, range(game.num_players))):
        found = {}
        for roll in range(rolls.numbers[number]):
            ways = int(lay(board[0], rolls, number, roll))
            one = board[0]
            some = tuple(known[hand] for hand in one["hands"][: len(start.counts)])
            shown = [int(one["shown"]) >> 8 * face & 255 for face in range(FACES)]
            assert shown == [sum(hand.count(face) for hand in some) for face in range(1, FACES + 1)]
            found[some] = ways
        chances = [dict(all_rolls(count)) for count in start.counts]
        expected = {
            one: prod(chance[hand] for chance, hand in zip(chances, one, strict=True)) for one in product(*chances)
        }
        assert found == {one: chance * FACES ** sum(start.counts) for one, chance in expected.items()}
        assert one["seats"][: len(start.kinds)].tolist() == list(start.kinds)
        assert (one["opener"], one["speaker"], one["total"]) == (start.opener, start.opener, sum(start.counts))
        assert len(found) == rolls.numbers[number]


def test_how_many_rolls_there_are():
    game, two = WildOnes(3, 2), 3 * 2 * 27**2
    assert rolls_of(game).numbers.sum() == rolls_in(game, []) + two == 6 * 27**3 + two == 122_472


@pytest.mark.parametrize("sees", SEES, ids=str)
@pytest.mark.parametrize(("game", "names"), SMALL, ids=str)
def test_a_network_is_worth_what_the_plain_rules_say(game, names, sees):
    player = trained(game, names, **sees)

    def act(state, seats):
        kinds = {seat: names[one - 1] for seat, one in enumerate(seats) if one} if sees.get("identity") else None
        return player.choices(player.seen(state, kinds))[0]

    found = worth_of_network(player, tables(game, names))
    assert found[-1, 0] == pytest.approx(exactly(game, names, act), abs=1e-12)
    assert found.sum(axis=0) == pytest.approx(np.ones(game.num_players))
    assert found.sum(axis=1) == pytest.approx(np.ones(game.num_players))


@pytest.mark.parametrize("sees", SEES, ids=str)
def test_games_of_a_network_go_to_what_it_is_worth(sees):
    game, names = WildOnes(), ("survivalist", "aggressive")
    player, others = trained(game, names, **sees), tables(game, names)
    found, games = worth_of_network(player, others), evaluate(player, others, GAMES, SEED).places
    for place in (1, 2, 3):
        counted = (games == place).mean(axis=0)
        assert (abs(counted - found[:, place - 1]) < 5 * (found[:, place - 1] / GAMES) ** 0.5).all()


@pytest.mark.parametrize("sees", [{}, {"all_bids": False}, {"who_is_who": False}], ids=str)
@pytest.mark.parametrize(("game", "names"), SMALL, ids=str)
@pytest.mark.parametrize("games", [0, 400])
def test_a_table_is_worth_what_the_plain_rules_say(game, names, sees, games):
    learner = taught(game, names, games, **sees)
    found, act = learner.worth(), TablePlayer(learner.learned()).choose
    assert found.places[0] == pytest.approx(exactly(game, names, act), abs=1e-12)
    assert found.places.sum() == pytest.approx(1)
    kept = TablePlayer(learner.learned().pruned(found.met)).choose
    assert exactly(game, names, kept) == pytest.approx(found.places[0], abs=1e-12)
    assert found.met.sum() <= learner.states


def test_games_of_a_table_go_to_what_it_is_worth():
    learner = taught(WildOnes(), ("survivalist", "aggressive"), 20_000)
    shares, games = learner.worth().places, learner.evaluate(GAMES, 7).places
    counted = np.bincount(games, minlength=4)[1:] / GAMES
    assert (abs(counted - shares) <= 5 * (shares * (1 - shares) / GAMES) ** 0.5).all()


@pytest.mark.parametrize(("game", "names"), SMALL, ids=str)
def test_a_plan_is_worth_what_the_plain_rules_say(game, names):
    for stage in learn(game, tables(game, names), (5, 50), SEED):
        found = worth_of_plan(stage.plan, tables(game, names))
        assert found[0] == pytest.approx(exactly(game, names, PlanPlayer(stage.plan).choose), abs=1e-12)
        assert found.sum() == pytest.approx(1)


def test_games_by_a_plan_go_to_what_it_is_worth():
    game, others = WildOnes(), tables(WildOnes(), ("survivalist", "aggressive"))
    *_, stage = learn(game, others, (100,), SEED)
    shares, found = worth_of_plan(stage.plan, others), play(stage.plan, others, GAMES, 7)
    counted = np.bincount(found.places, minlength=4)[1:] / GAMES
    assert (abs(counted - shares) < 5 * (shares * (1 - shares) / GAMES) ** 0.5).all()
    assert found.surprised.any()


def test_against_whom_nothing_is_worked_out():
    game = WildOnes(2, 1)
    with pytest.raises(DoesNotFitError, match="has an opponent that draws"):
        taught(game, ("random",), 10).worth()
    with pytest.raises(DoesNotFitError, match=r"has 278,942,752,080 rolls; .* at most 1,000,000,000"):
        require_rolls(WildOnes(6, 2), [])
