"""Deep Q-learning for any game: plain and compiled alike, transitions by the rules, and what it learns."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from table_games import TableGame, dithering, forgetful, guess, odd_one_out, trap

from support.core.flat import unfold
from support.core.interface import CHANCE, DoesNotFitError
from support.core.policy import from_weights
from support.exact.nash_conv_fast import Scorer, normalise
from support.games.biscuits.rules import Biscuits
from support.games.cards.kuhn import Kuhn
from support.games.cards.leduc import Leduc
from support.games.three_dice.rules import DiceGame
from support.judge import judge
from support.learners.dqn import DeepQLearner
from support.learners.dqn_fast import NOWHERE, FastDeepQLearner
from support.learners.dqn_settings import DeepQSettings
from support.learners.networks import Dqn
from support.learners.optimiser import TorchOptimiser
from support.learners.optimiser_fast import CompiledOptimiser

SEED = 0xFEDCBA9876543210
SHORT = DeepQSettings(width=8, batch=16, memory=60, every=3, warm_games=20, decay=30.0)
unfolded = cache(unfold)


def same(game, settings, games=150, optimiser=CompiledOptimiser):
    """Play a game plainly and compiled, in two pieces each, and compare all that they have."""
    flat = unfolded(game)
    plain, fast = (kind(flat, settings, SEED, optimiser) for kind in (DeepQLearner, FastDeepQLearner))
    for some in (games // 3, games):
        plain.play(some)
        fast.play(some)
        assert (plain.games, plain.nodes, plain.decisions) == (fast.games, fast.nodes, fast.decisions)
        assert plain.optimiser.steps == fast.optimiser.steps
        assert np.array_equal(plain.network.weights, fast.network.weights)
        assert np.array_equal(plain.policy(), fast.policy())
        kept = [(one.state, one.action, one.gain, NOWHERE if one.after is None else one.after) for one in plain.memory]
        memory = fast._parts.memory
        assert kept == list(zip(*(column.tolist()[: len(kept)] for column in memory), strict=True))
    assert plain.optimiser.steps > 10
    return plain


def foregone():
    """Chance has but one outcome."""
    rows = {
        "start": (CHANCE, "", {"only": ("begun", (0,), 1)}),
        "begun": (0, "begun", {"win": ("won", (1,)), "lose": ("lost", (0,))}),
    }
    return TableGame("foregone", 1, rows)


GAMES = [Kuhn(), Leduc(), Biscuits(3, 2), DiceGame(1), odd_one_out(), guess(), forgetful(), dithering(), foregone()]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_compiled_play_is_plain_play(game):
    """For one, two and three players, with and without chance, rewards on the way, recall, and a certain end."""
    same(game, SHORT)


@pytest.mark.parametrize(
    "changes",
    [
        {"double": False},
        {"target": False},
        {"discount": 0.5},
        {"layers": 1},
        {"warm_games": 0, "every": 1},
        {"epsilon_start": 0.0, "epsilon_end": 0.0},
        {"memory": 16},
    ],
    ids=str,
)
def test_every_setting(changes):
    same(Kuhn(), replace(SHORT, **changes))


def test_with_the_steps_of_torch():
    same(Kuhn(), SHORT, 60, TorchOptimiser)


def test_transitions_go_from_a_players_decision_to_its_next():
    plain = DeepQLearner(unfolded(Kuhn()), replace(SHORT, memory=5000), SEED)
    plain.play(20)  # all of them warm
    states, actions = plain.flat.information_states, ("c", "r", "f")
    totals, ended = [0.0, 0.0], 0
    for one in plain.memory:
        player, text = states[one.state]
        totals[player] += one.gain
        assert plain.arrays.legal[one.state, one.action]
        if one.after is not None:
            assert (player, one.gain) == (0, 0)
            assert states[one.after] == (0, f"{text}{actions[one.action]}r")
            continue
        ended += 1
        assert player == (ended + 1) % 2  # both decide in each game, and player 0 is kept first
        if player == 1:
            assert sum(totals) == 2  # the antes, which were paid before
            assert {abs(total - 1) for total in totals} <= {1, 2}
            totals = [0.0, 0.0]
    assert ended == 2 * plain.games


def test_rewards_on_the_way():
    """With one die, a roll costs a point, and whoever keeps gets what the die shows."""
    plain = DeepQLearner(unfolded(DiceGame(1)), replace(SHORT, memory=5000), SEED)
    plain.play(20)
    texts = [int(text) for _, text in plain.flat.information_states]
    assert {one.gain for one in plain.memory if one.after is not None} == {-1}
    ended = [one for one in plain.memory if one.after is None]
    assert len(ended) == 20
    assert all(one.gain in (texts[one.state], *(face - 1 for face in range(1, 7))) for one in ended)


@pytest.mark.parametrize("optimiser", [TorchOptimiser, CompiledOptimiser])
@pytest.mark.parametrize("worth", [[1, 2, 9], [-3e9, -2e9, 9]])
def test_what_cannot_be_taken_is_never_best(optimiser, worth):
    """Illegal actions are masked, in play and in targets."""
    plain = DeepQLearner(unfolded(Kuhn()), replace(SHORT, target=False), SEED, optimiser)
    matrix, biases = plain.network.layers()[-1]
    matrix[:], biases[:] = 0, worth  # fold, the last, is illegal before a bet
    plain.play(20)
    for state, legal in enumerate(plain.arrays.legal):
        choices = plain.arrays.numbers[plain.arrays.slots[state] : plain.arrays.slots[state + 1]]
        assert choices[plain.greedy(state)] == (2 if legal[2] else 1)
    batch = plain._batch(plain.memory[: SHORT.batch])
    best = np.where(batch.legal[batch.goes_on], worth, -np.inf).max(axis=1)
    expected = batch.rewards.copy()
    expected[batch.goes_on] += best
    assert set(worth[1:]) >= set(best)
    assert plain.optimiser.td_targets(batch) == pytest.approx(expected)


def test_exploration_falls_after_the_first_games():
    settings = DeepQSettings()
    assert settings.epsilon(0) == 1
    assert settings.epsilon(1000) == pytest.approx(0.2 + 0.8 * 1e-3)
    fixed = replace(SHORT, learning_rate=0, weight_decay=0, epsilon_end=0, decay=1e-9)
    learner = DeepQLearner(unfolded(Kuhn()), fixed, SEED, CompiledOptimiser)

    def greedy():
        places = [learner.arrays.slots[one.state] + learner.greedy(one.state) for one in learner.memory]
        return [one.action == learner.arrays.numbers[place] for one, place in zip(learner.memory, places, strict=True)]

    learner.play(fixed.warm_games + 1)  # none of training is over when the first game of it begins
    assert 0.2 < np.mean(greedy()) < 0.8
    learner.memory.clear()
    learner.play(20)
    assert all(greedy())


def test_a_batch_larger_than_the_memory():
    with pytest.raises(ValueError, match="batch must be at most the memory, 100, not 256"):
        DeepQSettings(memory=100)


def test_weights_beyond_all_bounds():
    fast = FastDeepQLearner(unfolded(Kuhn()), SHORT, SEED)
    fast.network.weights[:] = np.inf
    with pytest.raises(FloatingPointError, match="after 40 games some weights are not finite"):
        fast.play(40)


def test_biscuits_are_learned_to_the_optimum():
    assert judge(Dqn().train(Biscuits(3, 2), 3000, 1), Biscuits(3, 2)).distance == 0


def test_one_die_is_learned_to_the_optimum():
    """What a roll is worth comes from the target network, so this one follows faster than in the settings."""
    flat = unfolded(DiceGame(1))
    fast = FastDeepQLearner(flat, replace(DeepQSettings(), tau=0.02), 1)
    fast.play(5000)
    assert judge(from_weights(flat, fast.policy()), flat).distance == 0


def test_a_mark_is_what_training_so_long_returns():
    flat, marks = unfolded(Kuhn()), [200, 500, 900]
    curve = Dqn().curve(flat, marks, SEED)
    for row, mark in enumerate(marks):
        alone = Dqn().curve(flat, [mark], SEED)
        assert curve.nodes[row] == alone.nodes[0]
        assert np.array_equal(curve.weights[row], alone.weights[0])
    assert (np.diff(curve.nodes) > 0).all()
    assert np.array_equal(normalise(flat, curve.weights), curve.weights)  # one action in each information state
    assert len(Scorer(flat).nash_convs(curve.weights)) == 3
    assert not np.array_equal(curve.weights, Dqn().curve(flat, marks, SEED + 1).weights)


def test_games_that_do_not_fit():
    with pytest.raises(DoesNotFitError, match="no end of trap"):
        Dqn().train(trap(), 10, SEED)
