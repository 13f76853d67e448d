"""The agent that learns wild ones, compiled: the plain games, transitions and weights, digit for digit."""

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from support.core.play import Stream
from support.games.wild_ones import dqn_fast
from support.games.wild_ones import policies as plain
from support.games.wild_ones.dqn import PUBLISHED, DQNLearner
from support.games.wild_ones.dqn_fast import FastDQNLearner, evaluate
from support.games.wild_ones.dqn_network import Memory
from support.games.wild_ones.dqn_player import DQNPlayer
from support.games.wild_ones.play import Match
from support.games.wild_ones.play_fast import play
from support.games.wild_ones.policies import Aggressive, Random, Survivalist, Views
from support.games.wild_ones.rules import WildOnes
from support.learners.network import Batch, Network
from support.learners.network_fast import values
from support.learners.optimiser import TorchOptimiser
from support.learners.optimiser_fast import CompiledOptimiser, _power

GAME = WildOnes()
SHORT = replace(PUBLISHED, warm_games=20, games=60, batch=32)
PUBLISHED_OPPONENTS = (Survivalist(), Aggressive())


@cache
def table(game, policy, neighbours=False):
    return plain.table(Views(game, neighbours), policy)


def tables(game, policies):
    return [table(game, policy) for policy in policies]


def same(game, policies, settings, seed, optimiser=CompiledOptimiser, neighbours=False):
    """Train plainly and compiled, with the same steps; everything must agree, digit for digit."""
    one = DQNLearner(game, policies, settings, seed, optimiser)
    other = FastDQNLearner(
        game, [table(game, policy, neighbours) for policy in policies], settings, seed, optimiser=optimiser
    )
    first, second = one.train(), other.train()
    np.testing.assert_array_equal(first.places, second.places)
    assert (first.decisions, first.steps) == (second.decisions, second.steps)
    assert one.memory.stored == other.memory.stored
    for mine, its in zip(one.memory.rows, other.memory.rows, strict=True):
        np.testing.assert_array_equal(mine, its)
    np.testing.assert_array_equal(first.network.weights, second.network.weights)
    np.testing.assert_array_equal(one.optimiser.target.weights, other.optimiser.target.weights)
    return second


# The plain runs


@pytest.mark.parametrize("optimiser", [CompiledOptimiser, TorchOptimiser])
def test_the_published_agent(optimiser):
    assert same(GAME, PUBLISHED_OPPONENTS, SHORT, 1, optimiser).steps > 10


@pytest.mark.parametrize(
    "changes",
    [
        {"third_party_closes": False},
        {"decay_in": "decisions", "decay": 50.0},
        {"decay": 5.0, "epsilon_end": 0.0},
        {"episodes": "games", "outbid": 0.25, "aside": -0.125, "win": 5.0},
        {"encoding": "raw"},
        {"warm_policy": "aggressive", "warm_games": 40},
        {"double": False, "amsgrad": False},
        {"target": False, "weight_decay": 0.0},
        {"memory": 40, "every": 3, "discount": 0.5, "tau": 0.5},
        {"layers": 1},
        {"layers": 4, "width": 24},
        {"warm_games": 0, "batch": 200},
        {"games": 0},
    ],
    ids=lambda changes: "+".join(changes),
)
def test_every_setting(changes):
    same(GAME, PUBLISHED_OPPONENTS, replace(SHORT, **changes), 2)


@pytest.mark.parametrize(
    ("game", "policies"),
    [
        (WildOnes(2, 1), (Random(),)),
        (WildOnes(2, 3), (Aggressive(),)),
        (WildOnes(3, 1), (Random(), Random())),
        (WildOnes(4, 2), (Random(), Survivalist(), Random())),
        (WildOnes(5, 2), (Survivalist(), Survivalist(), Aggressive(), Aggressive())),
    ],
    ids=str,
)
@pytest.mark.parametrize("closes", [True, False])
def test_every_size(game, policies, closes):
    settings = replace(SHORT, games=30, width=16, third_party_closes=closes, decay=10.0, epsilon_end=0.0)
    same(game, policies, settings, 3, neighbours=closes)


IMPROVED = {
    "history": {"history": True},
    "identity": {"identity": True},
    "self-play": {"self_play": 0.5},
    "offline": {"offline_steps": 20, "games": 20, "warm_games": 100},
    "history+identity+games": {"history": True, "identity": True, "episodes": "games"},
    "history+identity+self-play": {"history": True, "identity": True, "self_play": 0.5, "encoding": "raw"},
    "only self-play": {"history": True, "self_play": 1.0},
    "all": {
        "history": True,
        "identity": True,
        "self_play": 0.3,
        "offline_steps": 10,
        "episodes": "games",
        "warm_policy": "aggressive",
        "third_party_closes": False,
    },
}


@pytest.mark.parametrize("changes", IMPROVED.values(), ids=IMPROVED)
@pytest.mark.parametrize(
    ("game", "policies"),
    [
        (GAME, PUBLISHED_OPPONENTS),
        (WildOnes(2, 2), (Aggressive(),)),
        (WildOnes(5, 1), (Survivalist(), Random(), Survivalist(), Aggressive())),
    ],
    ids=["three", "two", "five"],
)
def test_every_improvement(game, policies, changes):
    settings = replace(SHORT, **({"games": 40, "width": 16, "decay": 10.0} | changes))
    same(game, policies, settings, 5)


def test_the_third_party_matters():
    """With the switch one way or the other, some transitions go on where others end."""
    found = []
    for closes in (True, False):
        learner = FastDQNLearner(GAME, tables(GAME, PUBLISHED_OPPONENTS), replace(SHORT, third_party_closes=closes), 4)
        learner.play(400, warm=True)
        found.append(learner.memory.latest(len(learner.memory)))
    np.testing.assert_array_equal(found[0].actions, found[1].actions)
    more = found[1].goes_on & ~found[0].goes_on
    assert 0 < more.sum() < 100
    assert not (found[0].goes_on & ~found[1].goes_on).any()
    assert (found[0].rewards[more] == 0).all()


@hypothesis_settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([WildOnes(2, 1), WildOnes(3, 1), WildOnes(2, 2), WildOnes(4, 1)]),
    st.integers(0, 2**64 - 1),
    st.sampled_from(["rounds", "games"]),
    st.sampled_from(["histograms", "raw"]),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.floats(0, 1),
    st.integers(1, 12),
)
def test_any_run(game, seed, episodes, encoding, closes, history, identity, self_play, epsilon, every):
    settings = replace(
        SHORT,
        warm_games=5,
        games=25,
        batch=8,
        width=8,
        memory=50,
        episodes=episodes,
        encoding=encoding,
        third_party_closes=closes,
        history=history,
        identity=identity,
        self_play=self_play,
        epsilon_start=epsilon,
        epsilon_end=epsilon / 2,
        every=every,
    )
    same(game, (Random(),) * (game.num_players - 1), settings, seed)


# Pieces


def test_the_whole_run_is_its_pieces():
    others, seen = tables(GAME, PUBLISHED_OPPONENTS), []
    whole = FastDQNLearner(GAME, others, SHORT, 5).train()
    watched = FastDQNLearner(GAME, others, SHORT, 5).train(
        lambda games, network: seen.append((games, network.weights.copy())), 25
    )
    np.testing.assert_array_equal(whole.network.weights, watched.network.weights)
    np.testing.assert_array_equal(whole.places, watched.places)
    assert [games for games, _ in seen] == [25, 50]
    assert (seen[0][1] != seen[1][1]).any()
    other = FastDQNLearner(GAME, others, SHORT, 6).train()
    assert (whole.network.weights != other.network.weights).any()


def test_games_go_on_where_they_stand():
    """A step falls due in the middle of a game: the next call takes it up there."""
    one, other = (FastDQNLearner(GAME, tables(GAME, PUBLISHED_OPPONENTS), SHORT, 7) for _ in range(2))
    for games in (1, 0, 7, 12):
        one.play(games, warm=True)
    other.play(20, warm=True)
    places = np.concatenate([one.play(1).places for _ in range(60)])
    np.testing.assert_array_equal(places, other.play(60).places)
    assert (one.played, one.decisions) == (other.played, other.decisions)
    np.testing.assert_array_equal(one.network.weights, other.network.weights)


def test_batches_are_those_of_the_plain_memory():
    memory = Memory(50, 3, 4)
    numbers = np.random.default_rng(1)
    for number in range(70):
        memory.add(numbers.random(3), number % 4, number, numbers.random(3) if number % 3 else None, (number % 4,))
    state = np.array([Stream(9).state], np.uint64)
    stream, taken, batch = Stream(9), np.zeros(50, bool), Batch.empty(20, 3, 4)
    for _ in range(5):
        dqn_fast._gather(memory.rows, len(memory), taken, state, batch)
        for mine, its in zip(memory.batch(memory.drawn(20, stream)), batch, strict=True):
            np.testing.assert_array_equal(mine, its)
        assert not taken.any()


# Steps


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"double": False},
        {"target": False, "amsgrad": False},
        {"layers": 1, "clip": 1e-3},
        {"layers": 5, "width": 7, "weight_decay": 0.5, "learning_rate": 0.05},
        {"discount": 0.5, "tau": 0.3},
    ],
    ids=lambda changes: "+".join(changes) or "published",
)
def test_written_out_steps_are_those_of_torch(changes):
    settings = replace(PUBLISHED, batch=64, **changes)
    network = Network.fresh(settings.sizes(GAME), 3)
    ours, torchs = CompiledOptimiser(network.copy(), settings), TorchOptimiser(network.copy(), settings)
    learner = FastDQNLearner(GAME, tables(GAME, PUBLISHED_OPPONENTS), settings, 8)
    learner.play(200, warm=True)
    stream = Stream(1)
    for _ in range(20):
        batch = learner.memory.batch(learner.memory.drawn(64, stream))
        np.testing.assert_allclose(ours.td_targets(batch), torchs.td_targets(batch), atol=1e-4)
        ours.step(batch)
        torchs.step(batch)
    np.testing.assert_allclose(ours.network.weights, torchs.network.weights, atol=1e-4)
    np.testing.assert_allclose(ours.target.weights, torchs.target.weights, atol=1e-4)
    assert np.abs(ours.network.weights - network.weights).max() > 1e-3
    assert ours.steps == torchs.steps == 20


def added(left, right, out):
    """A product of matrices: to each number what is due to it, one after the other."""
    for place in range(len(right)):
        out += left[:, place, None] * right[place]
    return out


def plain_slopes(network, batch, targets):
    """The derivatives of the mean Huber loss by all weights."""
    layers, seen, rows = network.layers(), [batch.states], len(batch.actions)
    for number, (matrix, bias) in enumerate(layers, 1):
        found = added(seen[-1], matrix, np.tile(bias, (rows, 1)))
        seen.append(np.maximum(found, 0) if number < len(layers) else found)
    chosen, back = (np.arange(rows), batch.actions), np.zeros_like(seen[-1])
    back[chosen] = (seen[-1][chosen] - targets).clip(-1, 1) * np.float32(1 / rows)
    slopes = []
    for (matrix, bias), came in zip(layers[::-1], seen[-2::-1], strict=True):
        one = np.ones((1, rows), np.float32)
        slopes += [added(one, back, np.zeros((1, bias.size), np.float32)), added(came.T, back, np.zeros_like(matrix))]
        back = np.where(came > 0, added(back, matrix.T, np.zeros_like(came)), 0)
    return np.concatenate([some.ravel() for some in slopes[::-1]])


@pytest.mark.parametrize("double", [True, False])
@pytest.mark.parametrize(
    ("rows", "sizes"),
    [
        (1, (1, 1)),
        (5, (3, 7)),
        (256, (15, 64, 64, 38)),
        (33, (129, 130, 64, 65)),
        (20, (64, 1, 128, 2)),
        (9, (70, 20, 63)),
    ],
    ids=str,
)
def test_products_are_added_one_after_the_other(rows, sizes, double):
    random = np.random.default_rng(rows)
    batch = Batch.empty(rows, sizes[0], sizes[-1])
    for states in (batch.states, batch.nexts):
        states[:] = random.normal(size=states.shape) * (random.random(states.shape) < 0.5)
    batch.actions[:], batch.rewards[:] = random.integers(sizes[-1], size=rows), random.normal(size=rows)
    batch.legal[:] = random.random(batch.legal.shape) < 0.5
    batch.legal[np.arange(rows), random.integers(sizes[-1], size=rows)] = True
    batch.goes_on[:] = random.random(rows) < 0.6
    network, other = Network.fresh(sizes, 3), Network.fresh(sizes, 4)
    stepper = CompiledOptimiser(network.copy(), replace(PUBLISHED, batch=rows, double=double, discount=0.9))
    stepper.target.weights[:] = other.weights
    judged = other.values(batch.nexts)
    choosing = np.where(batch.legal, network.values(batch.nexts) if double else judged, -np.inf)
    future = judged[np.arange(rows), choosing.argmax(1)] * np.float32(0.9)
    targets = batch.rewards + np.where(batch.goes_on, future, 0)
    np.testing.assert_array_equal(stepper.td_targets(batch), targets)
    stepper.step(batch)
    np.testing.assert_array_equal(stepper._room.slopes, plain_slopes(network, batch, targets))


@pytest.mark.parametrize("rows", [0, 1, 256, 600])
@pytest.mark.parametrize("sizes", [(1, 1), (15, 64, 64, 38), (129, 130, 64, 65), (64, 1, 128, 2)], ids=str)
def test_many_rows_at_once(rows, sizes):
    random, network = np.random.default_rng(rows), Network.fresh(sizes, 3)
    states = random.normal(size=(rows, sizes[0])).astype(np.float32) * (random.random((rows, sizes[0])) < 0.5)
    np.testing.assert_array_equal(values(network, states), network.values(states))


SOME_CAREER = """
import hashlib
from dataclasses import replace
from support.games.wild_ones.dqn import PUBLISHED
from support.games.wild_ones.policies import Aggressive, Survivalist, Views, table
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.dqn_fast import FastDQNLearner
game = WildOnes()
others = [table(Views(game), policy) for policy in (Survivalist(), Aggressive())]
trained = FastDQNLearner(game, others, replace(PUBLISHED, games=300), 5).train()
print(trained.steps, hashlib.sha256(trained.network.weights.tobytes()).hexdigest())
"""


def test_a_career_is_the_same_on_any_processor(tmp_path):
    """Compiled for this one, and for the least of its kind; products by a library would not end alike."""
    told = []
    for kind in ({}, {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(tmp_path)}):
        code = subprocess.run(
            [sys.executable, "-c", SOME_CAREER], env=os.environ | kind, capture_output=True, text=True
        )
        assert code.returncode == 0, code.stderr
        told.append(code.stdout)
    assert int(told[0].split()[0]) > 100
    assert told[0] == told[1]


def test_a_batch_in_which_every_episode_ends():
    settings = replace(PUBLISHED, batch=4)
    stepper, batch = CompiledOptimiser(Network.fresh(settings.sizes(GAME), 3), settings), Batch.empty(4, 15, 38)
    batch.rewards[:] = (1, -2, 0, 2)
    np.testing.assert_array_equal(stepper.td_targets(batch), batch.rewards)
    stepper.step(batch)
    assert np.isfinite(stepper.network.weights).all()


@pytest.mark.parametrize("size", [1, 3, 5])
def test_a_batch_of_another_size(size):
    settings = replace(PUBLISHED, batch=4)
    stepper = CompiledOptimiser(Network.fresh(settings.sizes(GAME), 3), settings)
    for use in (stepper.td_targets, stepper.step):
        with pytest.raises(ValueError, match=f"expected a batch of 4 transitions, not of {size}"):
            use(Batch.empty(size, 15, 38))


@pytest.mark.parametrize("base", [0.9, 0.999])
def test_powers_are_those_of_the_library_but_for_rounding(base):
    """Each square doubles the error and adds half a unit to it: after n factors no more than n units."""
    for times in [*range(300), 1023, 4096]:
        assert abs(_power(base, times) - base**times) <= times * np.finfo(float).eps * base**times


# Evaluation


def equal(one, other):
    for mine, its in zip(one, other, strict=True):
        np.testing.assert_array_equal(mine, its)


@pytest.mark.parametrize(
    ("game", "policies"),
    [(GAME, PUBLISHED_OPPONENTS), (WildOnes(2, 3), (Random(),)), (WildOnes(4, 1), (Random(), Survivalist(), Random()))],
    ids=str,
)
@pytest.mark.parametrize("encoding", ["histograms", "raw"])
def test_by_the_network_or_by_its_table(game, policies, encoding):
    others, settings = tables(game, policies), replace(SHORT, encoding=encoding)
    player = DQNPlayer(game, settings, FastDQNLearner(game, others, settings, 9).train().network)
    by_table = play(game, [*others, player.table()], 2000, 1)
    before = player.network.weights.copy()
    equal(by_table, evaluate(player, others, 2000, 1))
    np.testing.assert_array_equal(before, player.network.weights)


def improved(game, opponents, **changes):
    """A network of random weights, which is not trained, but plays."""
    settings = replace(PUBLISHED, width=16, **changes)
    sizes = settings.sizes(game, len(settings.kinds(opponents.split("+"))))
    return DQNPlayer(game, settings, Network.fresh(sizes, 8), opponents)


SEES_MORE = [{"history": True}, {"identity": True}, {"history": True, "identity": True, "self_play": 0.5}]


@pytest.mark.parametrize("changes", [{}, *SEES_MORE], ids="+".join)
def test_remembered_decisions_are_those_of_the_network(changes):
    """With room for all of them, for hardly any, and for none."""
    player, others = improved(GAME, "survivalist+random", **changes), tables(GAME, (Survivalist(), Random()))
    whole = evaluate(player, others, 3000, 6, cached=0)
    for places in (1 << 20, 64, 2, 1):
        equal(whole, evaluate(player, others, 3000, 6, cached=places))


def plainly(player, policies, kinds, stream):
    """A game of an agent that sees more than a view, by the plain rules; the place of each player."""
    agent, match = len(policies), Match(WildOnes(len(policies) + 1, player.game.dice), stream)
    names = {seat: player.kinds[kinds[who]] for seat, who in enumerate(match.seats) if who < agent and player.kinds}

    def choose(who, state):
        if who < agent:
            return policies[who].choices(plain.View.of(state))
        values = player.values(state, names)
        return (max(sorted(values, key=player.game.number), key=values.__getitem__),)

    *_, last = match.moves(choose)
    return list(match.places(last.after))


@pytest.mark.parametrize("changes", SEES_MORE, ids="+".join)
@pytest.mark.parametrize(
    ("policies", "kinds"),
    [((Survivalist(), Aggressive()), [0, 1]), ((Aggressive(), Aggressive()), [1, 1]), ((Aggressive(),), [1])],
    ids=["both", "one twice", "duel"],
)
def test_evaluation_is_plain_play(changes, policies, kinds):
    """Among as many as in training, or fewer, of whatever kinds."""
    player = improved(GAME, "survivalist+aggressive", **changes)
    found = evaluate(player, tables(GAME, policies), 60, 4, kinds)
    assert found.places.tolist() == [plainly(player, policies, kinds, Stream(4, number)) for number in range(60)]


def test_a_duel_at_a_table_of_three_is_one_at_a_table_of_two():
    """Whether the missing seat is left away or empty, the network sees the same, and the games are the same."""
    player, duel = improved(GAME, "survivalist+aggressive"), WildOnes(2, 2)
    by_table = play(duel, [table(duel, Aggressive()), player.table(duel)], 500, 3)
    equal(by_table, evaluate(player, tables(GAME, [Aggressive()]), 500, 3))


def test_evaluation_learns_nothing():
    player = improved(GAME, "survivalist+aggressive")
    before = player.network.weights.copy()
    games = evaluate(player, tables(GAME, PUBLISHED_OPPONENTS), 50, 1)
    np.testing.assert_array_equal(before, player.network.weights)
    np.testing.assert_array_equal(np.sort(games.places, axis=1), np.tile([1, 2, 3], (50, 1)))
    assert (games.rounds >= 4).all()
    assert (games.decisions >= 2 * games.rounds).all()


# Errors


def test_one_table_an_opponent():
    with pytest.raises(ValueError, match="a game of 3 players needs 2 opponents, not 3"):
        FastDQNLearner(GAME, tables(GAME, [Random()] * 3), PUBLISHED, 1)


def test_a_table_with_something_illegal():
    wrong = table(GAME, Random()).copy()
    wrong[6, 0, -1, 0] = 0
    with pytest.raises(ValueError, match="a table plays liar at View"):
        FastDQNLearner(GAME, [wrong, table(GAME, Random())], PUBLISHED, 1)


@pytest.mark.parametrize(
    ("policies", "more", "message"),
    [
        ((), {}, "plays 1 to 2 opponents, not 0"),
        ((Random(),) * 3, {}, "plays 1 to 2 opponents, not 3"),
        ((Random(),), {"cached": 3}, "cached must be a power of two or 0, not 3"),
        ((Random(),), {"kinds": [1]}, r"kinds must be 1 numbers from 0 to 0, not \[1\]"),
        ((Random(), Survivalist()), {}, r"kinds must be 2 numbers from 0 to 0, not \[0, 1\]"),
        ((Random(), Random()), {"kinds": [0]}, r"kinds must be 2 numbers from 0 to 0, not \[0\]"),
    ],
)
def test_evaluations_that_make_no_sense(policies, more, message):
    with pytest.raises(ValueError, match=message):
        evaluate(improved(GAME, "random+random", identity=True), tables(GAME, policies), 5, 1, **more)


def test_steps_before_games_take_a_memory():
    settings = replace(SHORT, warm_games=0, offline_steps=1)
    with pytest.raises(ValueError, match="the memory holds 0 transitions, fewer than 32"):
        FastDQNLearner(GAME, tables(GAME, PUBLISHED_OPPONENTS), settings, 1).train()


def test_weights_beyond_all_bounds():
    learner = FastDQNLearner(GAME, tables(GAME, PUBLISHED_OPPONENTS), SHORT, 1)
    learner.network.weights[:] = np.nan
    with pytest.raises(FloatingPointError, match="after 60 games of training some weights are not finite"):
        learner.train()
    learner = FastDQNLearner(GAME, tables(GAME, PUBLISHED_OPPONENTS), replace(SHORT, offline_steps=5), 1)
    learner.network.weights[:] = np.nan
    with pytest.raises(FloatingPointError, match="after 5 steps before training some weights are not finite"):
        learner.train()
