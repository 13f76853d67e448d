"""Learners and environments written by others for reinforcement learning: Stable-Baselines3 and PettingZoo."""

import contextlib
import io
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from gymnasium.wrappers import TransformObservation
from pettingzoo.test import api_test
from stable_baselines3 import DQN

from support.games.wild_ones.dqn import PUBLISHED
from support.games.wild_ones.dqn_fast import FastDQNLearner
from support.games.wild_ones.environment import WildOnesEnv, env, raw_env
from support.games.wild_ones.policies import Aggressive, Policy, Survivalist, View, Views, table
from support.games.wild_ones.rules import WildOnes
from support.learners.network import Network
from support.learners.steady import one_thread
from support.sweep.timing import Pace, rate

SEED = 7
SETTINGS = replace(PUBLISHED, epsilon_start=PUBLISHED.epsilon_end)  # exploration at its end, for both


def rows(least: float = 1.0) -> Iterator[Pace]:
    """Everything on one core.

    Args:
        least: seconds that each is measured for at least.
    """
    yield from learners(least)
    yield from steps(least)
    yield seat(least)


def learners(least: float) -> Iterator[Pace]:
    """Stable-Baselines3."""
    with one_thread():
        yield _deep_q_learning(least)


def steps(least: float) -> Iterator[Pace]:
    """PettingZoo."""
    for name in ("tictactoe_v3", "connect_four_v3"):
        yield _steps(name, least)


def seat(least: float) -> Pace:
    """One seat through Gymnasium among the most opponents with the most dice, compiled beside plain."""
    opponents = [Survivalist(), Aggressive(), Survivalist(), Aggressive(), Survivalist()]
    fast, plain = WildOnesEnv(opponents, 6), WildOnesEnv([_Plain(one) for one in opponents], 6)
    same = _random_steps(fast, 100) == _random_steps(plain, 100)
    paces = [
        rate(lambda one=one: _random_steps(one, 100), 100, least=least, clock=time.process_time)[0]
        for one in (fast, plain)
    ]
    how = "the same hundred observations and rewards"
    return Pace("one seat of wild ones, five opponents, six dice", "steps", *paces, same, how)


@dataclass(frozen=True)
class _Plain(Policy):
    """Another policy, of a kind that is not compiled."""

    policy: Policy

    def choices(self, view: View) -> tuple[str, ...]:
        return self.policy.choices(view)


def _random_steps(one: WildOnesEnv, steps: int) -> list[tuple[Any, ...]]:
    """What a learner sees and earns that takes any legal action."""
    draw, found = np.random.default_rng(SEED), []
    _, info = one.reset(seed=SEED)
    for _ in range(steps):
        legal = np.flatnonzero(info["action_mask"])
        seen, reward, over, _, info = one.step(int(legal[draw.integers(legal.size)]))
        found.append((seen["observation"].tobytes(), reward))
        if over:
            _, info = one.reset()
    return found


def _deep_q_learning(least: float) -> Pace:
    """The network, memory, batches and rewards of the document, two fixed opponents; a step every ten decisions."""
    game, policies = WildOnes(), (Survivalist(), Aggressive())
    learner = FastDQNLearner(game, [table(Views(game), policy) for policy in policies], SETTINGS, SEED)
    learner.play(SETTINGS.warm_games, warm=True)
    learner.play(10)  # compile, or load from the cache
    before, began = learner.optimiser.steps, time.process_time()
    while time.process_time() - began < least:
        learner.play(100)
    fast = (learner.optimiser.steps - before) / (time.process_time() - began)

    model, portion = _stable_baselines(), 20
    slow, _ = rate(
        lambda: model.learn(portion * SETTINGS.every, reset_num_timesteps=False),
        portion,
        least=least,
        clock=time.process_time,
    )
    seen = model.replay_buffer.observations[: model.replay_buffer.size(), 0]
    off = float(np.abs(_values(model, learner.network, seen) - learner.network.values(seen)).max())
    how = f"with the same weights the values of {len(seen):,} observations equal to four decimals"
    return Pace("deep Q-learning on wild ones", "gradient steps", fast, slow, off < 1e-4, how)


def _stable_baselines() -> DQN:
    """DQN with the document's settings, as far as it has them; it sees no mask: what is illegal is drawn anew."""
    seat = WildOnesEnv("survivalist+aggressive", episode="round", reward="published", illegal="random")
    bare = TransformObservation(seat, lambda seen: seen["observation"], seat.observation_space["observation"])
    model = DQN(
        "MlpPolicy",
        bare,
        learning_rate=SETTINGS.learning_rate,
        buffer_size=SETTINGS.memory,
        learning_starts=1_000,
        batch_size=SETTINGS.batch,
        tau=SETTINGS.tau,
        gamma=SETTINGS.discount,
        train_freq=SETTINGS.every,
        target_update_interval=SETTINGS.every,
        exploration_initial_eps=SETTINGS.epsilon_end,
        exploration_final_eps=SETTINGS.epsilon_end,
        max_grad_norm=SETTINGS.clip,
        policy_kwargs={"net_arch": [SETTINGS.width] * (SETTINGS.layers - 1)},
        seed=SEED,
        device="cpu",
    )
    model.learn(1_000)
    return model


def _values(model: DQN, network: Network, seen: np.ndarray) -> np.ndarray:
    """The values that their network gives with the weights of ours."""
    first = 0
    layers = [layer for layer in model.q_net.q_net if isinstance(layer, torch.nn.Linear)]
    assert sum(parameter.numel() for parameter in model.q_net.parameters()) == network.weights.size
    with torch.no_grad():
        for layer in layers:
            bias = first + layer.weight.numel()
            matrix = torch.from_numpy(network.weights[first:bias].reshape(layer.in_features, layer.out_features))
            layer.weight.copy_(matrix.T)
            layer.bias.copy_(torch.from_numpy(network.weights[bias : bias + layer.out_features]))
            first = bias + layer.out_features
        values: np.ndarray = model.q_net(torch.from_numpy(seen)).numpy()
    return values


def _steps(name: str, least: float) -> Pace:
    """Random legal moves in wild ones and in a board game of PettingZoo's own."""
    with patch.dict(sys.modules, pygame=ModuleType("pygame")), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it recommends another way of making environments
        # PettingZoo draws boards with pygame and asks for it even where nothing is drawn.
        module = import_module(f"pettingzoo.classic.{name}")
    fast, slow = (_paced(one, least) for one in (raw_env(), module.raw_env()))
    same, how = True, "both pass PettingZoo's own test of an environment"
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for one in (env(), module.env()):
                api_test(one, num_cycles=200)
    except AssertionError as error:
        same, how = False, f"PettingZoo's own test of an environment fails: {error}"
    title = name.rpartition("_")[0].replace("_", " ")
    return Pace(f"environment steps, wild ones beside {title}", "steps", fast, slow, same, how)


def _paced(whole: Any, least: float) -> float:
    """Steps a second of whole games at random."""
    draw, done, began = np.random.default_rng(SEED), 0, time.process_time()
    while time.process_time() - began < least:
        whole.reset(seed=done)
        for _ in whole.agent_iter():
            seen, _, terminated, truncated, _ = whole.last()
            over = terminated or truncated
            whole.step(None if over else int(draw.choice(np.flatnonzero(seen["action_mask"]))))
            done += not over
    return done / (time.process_time() - began)
