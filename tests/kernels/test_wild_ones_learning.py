"""The agent that learns wild ones, compiled: the plain games, transitions and weights, digit for digit."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from support.agents import dqn
from support.agents import wild_ones as plain
from support.agents.dqn import PUBLISHED, Batch, Memory, Network, Optimiser, Player, one_thread
from support.agents.play import Stream
from support.agents.wild_ones import Aggressive, Random, Survivalist, Views
from support.games.wild_ones import WildOnes
from support.kernels import wild_ones_learning
from support.kernels.wild_ones import play
from support.kernels.wild_ones_learning import Learner, Stepper, evaluate, train

GAME = WildOnes()
SHORT = replace(PUBLISHED, warm_games=20, games=60, batch=32)
PUBLISHED_OPPONENTS = (Survivalist(), Aggressive())


@cache
def table(game, policy, neighbours=False):
    return plain.table(Views(game, neighbours), policy)


def tables(game, policies):
    return [table(game, policy) for policy in policies]


def same(game, policies, settings, seed, optimiser=Stepper, neighbours=False):
    """Train plainly and compiled, with the same steps; everything must agree, digit for digit."""
    one = dqn.Learner(game, policies, settings, seed, optimiser)
    other = Learner(game, [table(game, policy, neighbours) for policy in policies], settings, seed, optimiser=optimiser)
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


@pytest.mark.parametrize("optimiser", [Stepper, Optimiser])
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


def test_the_third_party_matters():
    """With the switch one way or the other, some transitions go on where others end."""
    found = []
    for closes in (True, False):
        learner = Learner(GAME, tables(GAME, PUBLISHED_OPPONENTS), replace(SHORT, third_party_closes=closes), 4)
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
    st.sampled_from(dqn.EPISODES),
    st.sampled_from(dqn.ENCODINGS),
    st.booleans(),
    st.floats(0, 1),
    st.integers(1, 12),
)
def test_any_run(game, seed, episodes, encoding, closes, epsilon, every):
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
        epsilon_start=epsilon,
        epsilon_end=epsilon / 2,
        every=every,
    )
    same(game, (Random(),) * (game.num_players - 1), settings, seed)


# Pieces


def test_the_whole_run_is_its_pieces():
    others, seen = tables(GAME, PUBLISHED_OPPONENTS), []
    whole = train(GAME, others, SHORT, 5)
    watched = train(GAME, others, SHORT, 5, lambda games, network: seen.append((games, network.weights.copy())), 25)
    np.testing.assert_array_equal(whole.network.weights, watched.network.weights)
    np.testing.assert_array_equal(whole.places, watched.places)
    assert [games for games, _ in seen] == [25, 50]
    assert (seen[0][1] != seen[1][1]).any()
    other = train(GAME, others, SHORT, 6)
    assert (whole.network.weights != other.network.weights).any()


def test_games_go_on_where_they_stand():
    """A step falls due in the middle of a game: the next call takes it up there."""
    one, other = (Learner(GAME, tables(GAME, PUBLISHED_OPPONENTS), SHORT, 7) for _ in range(2))
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
        wild_ones_learning._gather(memory.rows, len(memory), taken, state, batch)
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
    ours, torchs = Stepper(network.copy(), settings), Optimiser(network.copy(), settings)
    learner = Learner(GAME, tables(GAME, PUBLISHED_OPPONENTS), settings, 8)
    learner.play(200, warm=True)
    stream = Stream(1)
    with one_thread():
        for _ in range(20):
            batch = learner.memory.batch(learner.memory.drawn(64, stream))
            np.testing.assert_allclose(ours.goals(batch), torchs.goals(batch), atol=1e-4)
            ours.step(batch)
            torchs.step(batch)
    np.testing.assert_allclose(ours.network.weights, torchs.network.weights, atol=1e-4)
    np.testing.assert_allclose(ours.target.weights, torchs.target.weights, atol=1e-4)
    assert np.abs(ours.network.weights - network.weights).max() > 1e-3
    assert ours.steps == torchs.steps == 20


def test_a_batch_in_which_every_episode_ends():
    settings = replace(PUBLISHED, batch=4)
    stepper, batch = Stepper(Network.fresh(settings.sizes(GAME), 3), settings), Batch.empty(4, 15, 38)
    batch.rewards[:] = (1, -2, 0, 2)
    np.testing.assert_array_equal(stepper.goals(batch), batch.rewards)
    stepper.step(batch)
    assert np.isfinite(stepper.network.weights).all()


# Evaluation


def test_by_the_network_or_by_its_table():
    """The same player, and so the same chances, though not the same games."""
    others = tables(GAME, PUBLISHED_OPPONENTS)
    player = Player(GAME, SHORT, train(GAME, others, SHORT, 9).network)
    by_table = play(GAME, [*others, player.table()], 20_000, 1).places[:, 2]
    before = player.network.weights.copy()
    by_network = evaluate(player, others, 20_000, 2).places[:, 2]
    np.testing.assert_array_equal(before, player.network.weights)
    counts = [np.bincount(places, minlength=4)[1:] for places in (by_table, by_network)]
    assert chi2_contingency(counts).pvalue > 1e-5


def test_evaluation_keeps_and_learns_nothing():
    learner = Learner(GAME, tables(GAME, PUBLISHED_OPPONENTS), SHORT, 1)
    games = learner.evaluate(50)
    assert (learner.memory.stored, learner.decisions, learner.played) == (0, 0, 50)
    np.testing.assert_array_equal(np.sort(games.places, axis=1), np.tile([1, 2, 3], (50, 1)))
    assert (games.rounds >= 4).all()
    assert (games.decisions >= 2 * games.rounds).all()


# Errors


def test_one_table_an_opponent():
    with pytest.raises(ValueError, match="3 players are 2 opponents, not 3"):
        Learner(GAME, tables(GAME, [Random()] * 3), PUBLISHED, 1)


def test_a_table_with_something_illegal():
    wrong = table(GAME, Random()).copy()
    wrong[6, 0, -1, 0] = 0
    with pytest.raises(ValueError, match="a table plays liar at View"):
        Learner(GAME, [wrong, table(GAME, Random())], PUBLISHED, 1)


def test_a_network_of_another_size():
    with pytest.raises(ValueError, match=r"not of \(15, 38\)"):
        Learner(GAME, tables(GAME, PUBLISHED_OPPONENTS), PUBLISHED, 1, Network.fresh((15, 38), 1))


def test_weights_beyond_all_bounds():
    learner = Learner(GAME, tables(GAME, PUBLISHED_OPPONENTS), SHORT, 1)
    learner.network.weights[:] = np.nan
    with pytest.raises(FloatingPointError, match="after 60 games of training some weights are not finite"):
        learner.train()
