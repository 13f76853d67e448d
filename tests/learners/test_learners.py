"""The one protocol: every learner of the book on every kind of game, and what it learns judged exactly."""

from fractions import Fraction

import pytest

from support.core.flat import unfold
from support.core.play import Stream, play_game
from support.core.policy import TabularPolicy
from support.exact.optimal import optimal_policy
from support.games import GAMES
from support.games.biscuits.rules import Biscuits
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.three_dice.rules import DiceGame
from support.judge import judge
from support.learners import LEARNERS, LearnerError, learner_named
from support.learners.afterstates import AfterstateSettings
from support.learners.afterstates_fast import learn_fast
from support.learners.cfr import Solver
from support.learners.mccfr import OutcomeSampling
from support.learners.methods import Afterstates, CfrPlus, unfolded
from support.learners.regret_table import RegretTableSettings
from support.learners.regret_table import learn as learn_regrets
from support.learners.result_table import ResultTableSettings, learn
from support.learners.tabular import MonteCarlo, QLearning

SEED, GAMES_PLAYED = 7, 300


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_there_and_says_what_it_is(name):
    learner = learner_named(name)
    assert type(learner).__doc__.splitlines()[0].endswith(".")
    assert learner.games >= 0


PAIRS = [(name, game) for name in LEARNERS for game in (Kuhn(), Biscuits(3, 2), DiceGame(1))]
ANY = {"result-table", "regret-table", "q-learning", "monte-carlo"}
FITS = {
    "kuhn-poker": ANY | {"cfr", "cfr-plus", "fictitious-play", "sampled-cfr"},
    "biscuits": ANY | {"afterstates"},
    "three-dice": ANY | {"value-iteration"},
}
ONE_GAME = tuple(GAMES)  # how the name of a learner of one game begins
BOOK = {name for names in FITS.values() for name in names} | {name for name in LEARNERS if name.startswith(ONE_GAME)}


def fits(name, game):
    """Whether a learner takes a game; one that is not of the book is asked to take them all."""
    return name in FITS[game.name] or name not in BOOK


@pytest.mark.parametrize(("name", "game"), [pair for pair in PAIRS if fits(*pair)], ids=str)
def test_what_is_learned_is_a_policy(name, game):
    """It answers in every information state, equally for equal seeds, and is not better than the best."""
    learner = learner_named(name)
    policy = learner.train(game, GAMES_PLAYED, SEED)
    assert policy.table == learner.train(game, GAMES_PLAYED, SEED).table
    assert judge(policy, game).distance >= 0
    assert play_game(game, [policy] * game.num_players, Stream(SEED)).is_terminal()


@pytest.mark.parametrize(("name", "game"), [pair for pair in PAIRS if not fits(*pair)], ids=str)
def test_a_game_that_does_not_fit_is_refused_with_a_reason(name, game):
    with pytest.raises(ValueError, match=r"two players|one player|perfect recall|alone"):
        learner_named(name).train(game, 10, SEED)


def shares(rows):
    return {where: {place: count / sum(row) for place, count in enumerate(row) if count} for where, row in rows.items()}


def test_they_learn_what_the_plain_ones_learn():
    """Each runs compiled; the plain form of its method says the same."""
    game, flat = AceKingQueen(), unfold(AceKingQueen())
    actions = {where: [flat.action[e] for e in flat.edges(nodes[0])] for where, nodes in places(flat)}

    def by_place(policy, states):
        return {
            where: {actions[where].index(action): float(p) for action, p in policy.table[where].items()}
            for where in states
        }

    table = learn(game, ResultTableSettings(), GAMES_PLAYED, SEED)
    policy = learner_named("result-table").train(game, GAMES_PLAYED, SEED)
    for where, row in shares(table.counts).items():
        assert by_place(policy, [where])[where] == pytest.approx(row)
    rows = learn_regrets(game, RegretTableSettings(), GAMES_PLAYED, SEED)
    policy = learner_named("regret-table").train(game, GAMES_PLAYED, SEED)
    for where, row in shares({where: row.played for where, row in rows.items()}).items():
        assert by_place(policy, [where])[where] == pytest.approx(row)
    for name, method in (("cfr", "cfr"), ("cfr-plus", "cfr+"), ("fictitious-play", "fictitious play")):
        solver = Solver(flat, method)
        solver.run(20)
        assert learner_named(name).train(game, 20, SEED).table == solver.average().table
    sampled = OutcomeSampling(game, SEED)
    sampled.learn(GAMES_PLAYED)
    found = learner_named("sampled-cfr").train(game, GAMES_PLAYED, SEED)
    assert {where: found.table[where] for where in sampled.average().table} == sampled.average().table


def places(flat):
    return zip(flat.information_states, flat.nodes_of_information(), strict=True)


def test_afterstates_play_the_greedy_line():
    game, games = Biscuits(4, 3), 2000
    policy = Afterstates().train(game, games, SEED)
    values = learn_fast(unfold(game), AfterstateSettings(games=games), SEED).values
    state = game.initial_state()
    while not state.is_terminal():
        player = state.current_player
        after = {action: state.child(action) for action in state.legal_actions()}
        worth = {action: values[player].get(child.position[:-1], 1.0) for action, child in after.items()}
        assert worth[policy.action(state)] == max(worth.values())
        state = after[policy.action(state)]


@pytest.mark.parametrize("learner", [QLearning(), MonteCarlo()])
def test_three_dice_with_one_die_and_biscuits_are_learned_to_the_optimum(learner):
    game = DiceGame(1)
    judged = judge(learner.train(game, 20_000, SEED), game)
    assert judged.distance == 0
    assert judged.best == optimal_policy(unfold(game)).value
    assert judge(learner.train(Biscuits(3, 2), 5000, SEED), Biscuits(3, 2)).distance == 0


def test_one_game_by_hand():
    """After one game the one action tried in each information state is preferred if it gained, and the first if not."""
    for learner in (QLearning(), MonteCarlo()):
        policy = learner.train(Kuhn(), 1, SEED)
        assert sorted({player for player, _ in policy.table}) == [0, 1]
        assert all(list(row.values()) == [1] for row in policy.table.values())


def test_cfr_plus_comes_close():
    assert 0 < judge(CfrPlus().train(Kuhn(), 500, 0), Kuhn()).distance < Fraction(1, 1000)


def test_a_table_plays_uniformly_where_it_says_nothing():
    state = Kuhn().parse("K J")
    legal = state.legal_actions()
    assert TabularPolicy({}).action_probabilities(state) == dict.fromkeys(legal, Fraction(1, len(legal)))


def test_games_that_are_too_large():
    with pytest.raises(ValueError, match="more than 100,000 positions"):
        unfolded(GAMES["wild-ones"].rules())


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("perceptron", "there is no learner 'perceptron'; there are result-table, .*, or module:Class of your own"),
        ("no.such.module:Learner", "cannot be loaded: No module named 'no'"),
        ("support.judge:Nobody", "cannot be loaded: module 'support.judge' has no attribute 'Nobody'"),
        ("support.judge:judge", r"must be a class with a method train\(game, games, seed\)"),
        ("support.core.policy:TabularPolicy", r"must be a class with a method train"),
    ],
)
def test_learners_that_are_none(name, message):
    with pytest.raises(LearnerError, match=message):
        learner_named(name)
