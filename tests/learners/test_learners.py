"""The one protocol: every learner of the book on every kind of game, and what it learns judged exactly."""

import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from table_games import TableGame

from support.core.flat import TooLargeError, unfold
from support.core.interface import CHANCE, DoesNotFitError
from support.core.play import Stream, play_game
from support.core.policy import TabularPolicy, from_weights, probabilities_of
from support.exact.optimal import optimal_policy
from support.games import GAMES
from support.games.biscuits.rules import Biscuits
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.three_dice.rules import DiceGame
from support.judge import judge
from support.learners import LEARNERS, LearnerError, Observed, learner_named, methods, mirror_descent
from support.learners.afterstates import AfterstateSettings
from support.learners.afterstates import learn as learn_afterstates
from support.learners.afterstates_fast import learn_fast
from support.learners.cfr import Solver
from support.learners.mccfr import ExternalSampling, OutcomeSampling
from support.learners.methods import Afterstates, CfrPlus, unfolded
from support.learners.regret_table import RegretTableSettings
from support.learners.regret_table import learn as learn_regrets
from support.learners.result_table import ResultTableSettings, learn
from support.learners.tabular import MonteCarlo, QLearning, Sarsa

SEED, GAMES_PLAYED, HALF = 7, 300, Fraction(1, 2)
LONGER = {"dqn": 1000}
"""Games of a learner whose first 300 only fill its memory."""


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_is_there_and_says_what_it_is(name):
    learner = learner_named(name)
    assert (type(learner).__doc__ or "").partition("\n")[0].endswith("."), "give its class a docstring: one sentence"
    assert learner.games >= 0


SIZES = {
    "biscuits": {"digestives": 3, "rich_teas": 2},
    "three-dice": {"dice": 1},
    "wild-ones": {"num_players": 2, "dice": 1},
}
RULES = [entry.rules(**SIZES.get(name, entry.small[0].sizes)) for name, entry in GAMES.items()]
HIDDEN = {"ace-king-queen", "kuhn-poker", "leduc-poker", "liars-dice"}
BOOK = HIDDEN | {"biscuits", "three-dice", "call-or-raise", "wild-ones"}
FITS = {
    **dict.fromkeys(("q-learning", "sarsa", "monte-carlo"), BOOK),
    **dict.fromkeys(("result-table", "regret-table", "dqn", "ppo"), BOOK - {"wild-ones"}),
    **dict.fromkeys(
        ("cfr", "cfr-plus", "fictitious-play", "sampled-cfr", "external-sampling", "mirror-descent"), HIDDEN
    ),
    "afterstates": {"biscuits"},
    "value-iteration": {"three-dice"},
    "uct": {"biscuits", "three-dice", "call-or-raise"},
}
ALONE = {name for name in LEARNERS if name.startswith(tuple(BOOK))}
"""Learners of one game, which the tests of that game try."""
PAIRS = [(name, game) for name in LEARNERS for game in RULES if not name.startswith(game.name)]


@pytest.mark.parametrize(("name", "game"), PAIRS, ids=lambda one: getattr(one, "name", one))
def test_a_learner_learns_a_policy_or_says_that_the_game_does_not_fit(name, game, monkeypatch):
    """Equal seeds learn the same, and nothing is better than the best."""
    monkeypatch.setattr(methods, "MOST", 2500)
    games = LONGER.get(name, GAMES_PLAYED)
    try:
        policy = learner_named(name).train(game, games, SEED)
    except DoesNotFitError:
        policy = None
    if game.name in BOOK and (name in FITS or name in ALONE):
        assert (policy is not None) == (game.name in FITS.get(name, ()))
    if policy is None:
        return
    again = learner_named(name).train(game, games, SEED)
    assert getattr(policy, "table", None) == getattr(again, "table", None)
    if game.name != "wild-ones":  # which takes long to judge
        judged = judge(policy, game)
        assert judged.distance >= 0
        assert judged == judge(again, game)
    if hasattr(policy, "action_probabilities"):
        assert play_game(game, [policy] * game.num_players, Stream(SEED)).is_terminal()


@pytest.mark.parametrize(
    ("name", "game", "reason"),
    [
        ("cfr", Biscuits(3, 2), "no perfect recall in biscuits"),
        ("sampled-cfr", DiceGame(1), "this method is for two players; three-dice has 1"),
        ("afterstates", Kuhn(), "it learns two-player games of win or loss with perfect information, without chance"),
        ("value-iteration", Kuhn(), "value iteration is for one player; kuhn-poker has 2"),
        ("external-sampling", Biscuits(3, 2), "no perfect recall in biscuits"),
        ("mirror-descent", DiceGame(1), "this method is for two players; three-dice has 1"),
        ("uct", Kuhn(), "UCT needs perfect information; in kuhn-poker something is hidden"),
        ("call-or-raise-q", Kuhn(), "it learns only call or raise"),
        ("wild-ones-table", Kuhn(), "it learns only wild ones"),
    ],
)
def test_the_reason_why_a_game_does_not_fit(name, game, reason):
    with pytest.raises(DoesNotFitError, match=reason):
        learner_named(name).train(game, 10, SEED)


WATCHED = [
    (name, game)
    for name, game in PAIRS
    if isinstance(learner_named(name), Observed) and name != "uct" and game.name in FITS[name] - {"wild-ones"}
]


@pytest.mark.parametrize(("name", "game"), WATCHED, ids=lambda one: getattr(one, "name", one))
def test_a_learner_that_is_watched_learns_the_same(name, game):
    """What it keeps at a mark does not depend on the other marks, and is what ``train`` returns."""
    learner, flat, marks = learner_named(name), unfolded(game), [1, 2, 40]
    curve = learner.curve(flat, marks, SEED)
    for nodes, weights, mark in zip(*curve, marks, strict=True):
        alone = learner.curve(flat, [mark], SEED)
        assert alone.nodes.tolist() == [nodes]
        assert alone.weights.tolist() == [weights.tolist()]
        assert learner.train(game, mark, SEED).table == from_weights(flat, weights).table
    assert curve.nodes[0] >= 2
    assert np.diff(curve.nodes).min() >= (name != "ppo")  # which looks up only after a rollout of many games


def test_who_can_be_watched():
    assert {name for name, _ in WATCHED} == set(FITS) - {"uct", "value-iteration"}
    assert isinstance(learner_named("uct"), Observed)
    assert not isinstance(learner_named("value-iteration"), Observed)


def test_the_nodes_of_afterstates_and_of_passes_over_the_tree():
    game, flat, games = Biscuits(3, 2), unfold(Biscuits(3, 2)), 50
    visited = []
    learn_afterstates(
        game,
        AfterstateSettings(games=games),
        SEED,
        lambda final, values, left: visited.append(1 + sum(map(len, left))),
    )
    assert Afterstates().curve(flat, [10, games], SEED).nodes.tolist() == [sum(visited[:10]), sum(visited)]
    flat = unfold(Kuhn())
    assert learner_named("mirror-descent").curve(flat, [3], SEED).nodes.tolist() == [3 * flat.num_nodes]
    assert CfrPlus().curve(flat, [3], SEED).nodes.tolist() == [3 * 2 * flat.num_nodes]


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
    for name, sampling in (("sampled-cfr", OutcomeSampling), ("external-sampling", ExternalSampling)):
        sampled = sampling(game, SEED)
        sampled.learn(GAMES_PLAYED)
        found = learner_named(name).train(game, GAMES_PLAYED, SEED)
        assert {where: found.table[where] for where in sampled.average().table} == sampled.average().table
    descent = mirror_descent.Solver(flat, mirror_descent.MirrorDescentSettings())
    for _ in range(20):
        descent.iterate()
    last = probabilities_of(flat, learner_named("mirror-descent").train(game, 20, SEED))
    assert last == pytest.approx(descent.strategies(), abs=1e-12)


def places(flat):
    return zip(flat.information_states, flat.nodes_of_information, strict=True)


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


@pytest.mark.parametrize("learner", [QLearning(), Sarsa(), MonteCarlo()])
def test_three_dice_with_one_die_and_biscuits_are_learned_to_the_optimum(learner):
    game = DiceGame(1)
    judged = judge(learner.train(game, 20_000, SEED), game)
    assert judged.distance == 0
    assert judged.best == optimal_policy(unfold(game)).value
    assert judge(learner.train(Biscuits(3, 2), 5000, SEED), Biscuits(3, 2)).distance == 0


def test_one_game_by_hand():
    """After one game the one action tried in each information state is preferred if it gained, and the first if not."""
    for learner in (QLearning(), Sarsa(), MonteCarlo()):
        policy = learner.train(Kuhn(), 1, SEED)
        assert sorted({player for player, _ in policy.table}) == [0, 1]
        assert all(list(row.values()) == [1] for row in policy.table.values())


@pytest.mark.parametrize(("learner", "rolls"), [(QLearning, True), (Sarsa, False), (MonteCarlo, False)])
def test_from_random_play_q_learning_learns_the_best_and_the_others_what_they_play(learner, rolls):
    """One die shows a two. To keep it brings 2. To roll costs a point; then random play gets 5/2, and the best play 4.

    Random play keeps half the time: v = (7/2) / 2 + (v - 1) / 2. The best keeps from three on (Sutton and Barto 2018,
    sections 6.4 and 6.5: Sarsa is on-policy, Q-learning off-policy).
    """
    game = DiceGame(1)
    state = game.initial_state().child((2,))
    assert state.legal_actions() == ((), (0,))  # what is kept
    assert learner(exploration=1.0).train(game, 20_000, SEED).action(state) == (() if rolls else (0,))


def test_cfr_plus_comes_close():
    assert 0 < judge(CfrPlus().train(Kuhn(), 500, 0), Kuhn()).distance < Fraction(1, 1000)


def test_a_table_plays_uniformly_where_it_says_nothing():
    state = Kuhn().parse("K J")
    legal = state.legal_actions()
    assert TabularPolicy({}).action_probabilities(state) == dict.fromkeys(legal, Fraction(1, len(legal)))


def test_games_that_are_too_large():
    with pytest.raises(ValueError, match="more than 100,000 positions"):
        unfolded(GAMES["wild-ones"].rules())


WRONG = """
class Needs:
    def __init__(self, alpha):
        self.alpha = alpha

    def train(self, game, games, seed):
        return {}


class Fails:
    def __init__(self):
        {}["gone"]

    def train(self, game, games, seed):
        return {}


class Short:
    def train(self, game):
        return {}


class Many:
    games = "many"

    def train(self, game, games, seed):
        return {}


class Less(Many):
    games = -1


class Unsure(Many):
    @property
    def games(self):
        return {}["games"]


class Bent(Short):
    def train(self, game, games, seed):
        return {}

    def curve(self, flat):
        return flat
"""


@pytest.fixture
def wrong(tmp_path, monkeypatch):
    (tmp_path / "wrong.py").write_text(WRONG)
    (tmp_path / "unknown_name.py").write_text("games = many\n")
    (tmp_path / "no_python.py").write_text("def train(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("wrong", None)


@pytest.mark.usefixtures("wrong")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("perceptron", "there is no learner 'perceptron'; there are result-table, .*. Name your own as module:Class"),
        ("cfrplus", "there is no learner 'cfrplus'; did you mean cfr-plus or cfr?"),
        ("no.such.module:Learner", "cannot be loaded: ModuleNotFoundError: No module named 'no'$"),
        ("no_such:Learner", "there is no module 'no_such' in this folder, nor one installed$"),
        (
            "unknown_name:Learner",
            r"cannot be loaded: NameError: name 'many' .* \(unknown_name.py, line 1\)",
        ),
        ("no_python:Learner", r"cannot be loaded: SyntaxError: .* \(no_python.py, line 1\)$"),
        ("mine.py:Learner", "module:Class, with dots and without the ending of the file: mine:Learner"),
        ("./own/mine.py:Learner", "without the ending of the file: own.mine:Learner"),
        ("wrong:Neds", "there is no class 'Neds' in wrong; did you mean Needs?"),
        ("wrong:Short", r"must have train\(game, games, seed\), not train\(game\)"),
        ("wrong:Bent", r"must have curve\(flat, marks, seed\), not curve\(flat\)"),
        ("wrong:Needs", r"must be made without arguments, so .*: TypeError: .* argument: 'alpha'$"),
        ("wrong:Fails", r"must be made without arguments, .*: KeyError: 'gone' \(wrong.py, line 12\)"),
        (":Learner", "name your own learner as module:Class, in the folder of the module, not :Learner"),
        ("../mine.py:Learner", "in the folder of the module, not ../mine.py:Learner"),
        ("/own/mine.py:Learner", "in the folder of the module, not /own/mine.py:Learner"),
        ("own/mine:Learner", "without the ending of the file: own.mine:Learner"),
        ("own\\mine.py:Learner", "without the ending of the file: own.mine:Learner"),
        ("wrong:Many", "the attribute games of .* must be a whole number from 0 to 1,000,000,000,000,000, not 'many'"),
        ("wrong:Less", "the attribute games of .* must be a whole number from 0 to .*, not -1"),
        ("wrong:Unsure", r"'wrong:Unsure' cannot be used: KeyError: 'games' \(wrong.py, line 37\)"),
        ("support.judge:judge", r"must be a class with a method train\(game, games, seed\)"),
        ("support.core.policy:TabularPolicy", r"must be a class with a method train"),
    ],
)
def test_learners_that_are_none(name, message):
    with pytest.raises(LearnerError, match=message):
        learner_named(name)


def test_settings_follow_a_name(tmp_path, monkeypatch):
    assert learner_named("monte-carlo(exploration=1/5)").exploration == 0.2
    found = learner_named("q-learning(exploration=0 least_step=1)")
    assert (found.exploration, found.least_step) == (0.0, 1.0)
    assert learner_named("result-table(exploration=0.02)").exploration == Fraction(1, 50)
    assert vars(learner_named("sarsa()")) == vars(learner_named("sarsa"))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "with_settings.py").write_text(
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Mine:\n    step: float = 0.5\n\n"
        "    def train(self, game, games, seed):\n        return {}\n"
    )
    assert learner_named("with_settings:Mine(step=1/4)").step == 0.25


@pytest.mark.parametrize("name", ["uct(exploration=0.1)", "monte-carlo(exploration=1)", "mirror-descent(step=9)"])
def test_settings_change_what_is_learned(name):
    plain, _, _ = name.partition("(")
    game = unfolded(Biscuits() if plain == "uct" else Kuhn())
    one, other = (learner_named(each).curve(game, [30], SEED).weights for each in (plain, name))
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cfr(x=1)", "the learner 'cfr' has no settings"),
        ("ppo(entropi=1)", "there is no setting of ppo 'entropi'; did you mean entropy"),
        ("ppo(entropy=much)", "entropy of ppo must be a number such as 0.0, not 'much'"),
        ("uct(exploration)", "exploration of uct must be a number"),
        ("uct(exploration=1e400)", "exploration of uct must be a number such as .*, not '1e400'"),
        ("uct(exploration=1e99999999)", "exploration of uct must be a number such as .*, not '1e99999999'"),
        ("uct(exploration=1/0)", "exploration of uct must be a number such as .*, not '1/0'"),
        ("uct(exploration=1/5", r"settings stand in brackets, such as .*, not as in 'uct\(exploration=1/5'"),
        ("sarsa(exploration=3)", "'sarsa' does not take exploration=3: exploration must be at most 1.0, not 3.0"),
        ("result-table(exploration=3)", "must be 0 or lie between 1/100000 and 1, not 3"),
        ("regret-table(exploration=-1)", "exploration must lie between 0 and 1, not -1"),
    ],
)
def test_settings_that_do_not_fit(name, message):
    with pytest.raises(LearnerError, match=message):
        learner_named(name)


@pytest.mark.parametrize("name", ["result-table", "regret-table"])
def test_tables_of_gains_do_not_depend_on_the_unit(name):
    flat = unfolded(GAMES["kuhn-poker"].rules())
    thirds = replace(flat, rewards=[tuple(Fraction(reward, 3) for reward in row) for row in flat.rewards])
    dear = replace(flat, rewards=[tuple(10**17 * reward for reward in row) for row in flat.rewards])
    whole, *others = (learner_named(name).curve(game, [100, 1000], 5) for game in (flat, thirds, dear))
    for other in others:
        np.testing.assert_array_equal(whole.weights, other.weights)
    finer = replace(flat, rewards=[tuple(Fraction(reward, 1001) for reward in row) for row in flat.rewards])
    with pytest.raises(DoesNotFitError, match="1/1000 or more, not of 1/1001"):
        learner_named(name).curve(finer, [100], 5)


@pytest.mark.parametrize("name", ["result-table", "regret-table"])
def test_totals_that_do_not_fit_into_a_whole_number_are_refused(name):
    flat = unfolded(GAMES["kuhn-poker"].rules())
    for most, said in (
        (2**41, "must be at most 1,099,511,627,776 units, not"),
        (2**40, r"might add up to more than 2\^63"),
    ):
        rewards = [tuple(reward and (most if reward > 0 else 1 - most) for reward in row) for row in flat.rewards]
        with pytest.raises(DoesNotFitError, match=said):
            learner_named(name).curve(replace(flat, rewards=rewards), [100, 1_000_000], 5)


def test_nobody_can_learn_where_nobody_moves():
    tossed = TableGame(
        "a coin", 2, {"start": (CHANCE, "", {"H": ("won", (1, -1), HALF), "T": ("lost", (-1, 1), HALF)})}
    )
    for name in ("result-table", "regret-table"):
        with pytest.raises(DoesNotFitError, match="no player ever moves in a coin"):
            learner_named(name).train(tossed, 10, 1)
    alone = TableGame("a coin", 1, {"start": (CHANCE, "", {"H": ("won", (1,), HALF), "T": ("lost", (0,), HALF)})})
    with pytest.raises(DoesNotFitError, match="no player ever moves in a coin"):
        learner_named("value-iteration").train(alone, 10, 1)


def test_a_policy_has_one_name_however_it_was_learned(monkeypatch):
    game = AceKingQueen()
    learner = learner_named("monte-carlo")
    unfolding = learner.train(game, 10, 1)

    def too_large(_):
        raise TooLargeError("too large")

    monkeypatch.setattr(methods, "unfolded", too_large)
    assert learner.train(game, 10, 1).name == unfolding.name
