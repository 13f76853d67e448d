"""Proximal policy optimisation for any game that unfolds, in self-play, by ``sb3_contrib``.

The method is PPO (Schulman et al. 2017) as Stable-Baselines3 has it (Raffin et al. 2021), in the version that chooses
only among legal actions (Huang and Ontañón 2022). One network plays all seats; the encoding of
``support.learners.encoding`` says who moves. An episode is a game seen from one seat, drawn anew for each game: the
learner decides there, and the others draw their actions from the network as it was when the rollout began. Its reward
for a decision is the sum of the seat's rewards until its next one; rewards before its first decision do not count.

The settings are the library's own, except for the discount, the batch, the form in which torch runs Adam, and the shape
of a rollout: 2,048 decisions, as many as by default, but at 32 tables at once instead of one. Equal seeds give equal
policies;
``support.learners.steady`` says on which processors.

Importing this module loads torch and Stable-Baselines3.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv

from support.core.flat import FlatGame
from support.core.play import Stream
from support.learners import Curve
from support.learners.encoding import arrays_of, encode
from support.learners.marks import as_marks
from support.learners.steady import ADAM, steady_torch

TABLES = 32
"""Games that are played at once."""
DECISIONS = 64
"""The learner's decisions at each table in a rollout."""
BATCH = 256
"""Decisions in a step of the optimiser, four times the library's default: the steps take most of the time."""


class SelfPlay(VecEnv):
    """Tables at which a learner plays one seat of a game, drawn anew each game, and a fixed policy all others.

    Args:
        flat: an unfolded game that is sure to end.
        tables: the number of games at once.
        seed: 64 bits.

    Attributes:
        arrays: the game as arrays.
        seen: float32[states, features], what the learner sees.
        games, nodes: the number of games played to their end, and of the nodes visited in all games.

    Raises:
        DoesNotFitError: no player ever moves, or ``arrays_of`` cannot take the game.
    """

    def __init__(self, flat: FlatGame, tables: int, seed: int):
        self.seen, self.arrays = encode(flat), arrays_of(flat)
        self.render_mode = None
        actions = self.arrays.legal.shape[1]
        super().__init__(tables, spaces.Box(0.0, 1.0, (self.seen.shape[1],), np.float32), spaces.Discrete(actions))
        self.games = self.nodes = 0
        self._numbers = np.random.default_rng(seed)
        self._seats = np.unique(flat.player[flat.player >= 0]).astype(np.int64)
        self._node_of_edge, self._slot = flat.source, flat.slot
        self._bounds = self._node_of_edge + np.minimum(self.arrays.bounds, 1)
        self._place = np.zeros(self.arrays.legal.shape, np.int64)
        sizes = np.diff(flat.slots)
        places = np.arange(flat.slots[-1]) - np.repeat(flat.slots[:-1], sizes)
        self._place[np.repeat(np.arange(len(sizes)), sizes), self.arrays.numbers] = places
        self._node, self._seat = np.zeros(tables, np.int64), np.zeros(tables, np.int64)
        self._gain, self._decided, self._over = np.zeros(tables), np.zeros(tables, bool), np.zeros(tables, bool)
        self._actions = np.zeros(tables, np.int64)

    def seat_others(self, probabilities: np.ndarray) -> None:
        """Set the policy of the others.

        Args:
            probabilities: float64[slots], which sum to one in each information state, but for rounding.
        """
        slots = self.arrays.slots
        total = np.concatenate([[0.0], np.cumsum(probabilities)])
        bound = np.minimum(total[1:] - np.repeat(total[slots[:-1]], np.diff(slots)), 1)
        bound[slots[1:] - 1] = 1
        own = self._slot >= 0
        self._bounds[own] = self._node_of_edge[own] + bound[self._slot[own]]

    def action_masks(self) -> list[np.ndarray]:
        """bool[actions] for each table, the learner's legal actions."""
        return list(self.arrays.legal[self.arrays.information[self._node]])

    def reset(self) -> np.ndarray:
        """Begin a game at every table, and play until the learner is to move; float32[tables, features]."""
        self._deal(np.arange(self.num_envs))
        self._play_on()
        return self._observed()

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the numbers of the actions that the learner takes, int64[tables]."""
        self._actions[:] = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Take the actions, and play until the learner is to move again, in this game or the next one.

        Returns:
            float32[tables, features], what the learner sees; float32[tables], its rewards in the game of its action;
            bool[tables], whether that game is over; and an empty dictionary for each table.
        """
        self._gain[:], self._decided[:], self._over[:] = 0, True, False
        edges = self.arrays.first[self._node] + self._place[self.arrays.information[self._node], self._actions]
        self._take(np.arange(self.num_envs), edges)
        self._play_on()
        return self._observed(), self._gain.astype(np.float32), self._over.copy(), [{} for _ in range(self.num_envs)]

    def close(self) -> None:
        """Nothing is left open."""

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute, which all tables share."""
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Set an attribute, which all tables share."""
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *args: Any, indices: int | Iterable[int] | None = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method that answers for all tables."""
        answers: list[Any] = getattr(self, method_name)(*args, **kwargs)
        return answers

    def env_is_wrapped(self, wrapper_class: Any, indices: int | Iterable[int] | None = None) -> list[bool]:
        """No table is wrapped."""
        return [False] * self.num_envs

    def _observed(self) -> np.ndarray:
        seen: np.ndarray = self.seen[self.arrays.information[self._node]]
        return seen

    def _deal(self, tables: np.ndarray) -> None:
        """Begin new games."""
        self._node[tables], self._decided[tables] = 0, False
        self._seat[tables] = self._numbers.choice(self._seats, len(tables))
        self.nodes += len(tables)

    def _take(self, tables: np.ndarray, edges: np.ndarray) -> None:
        """Move along an edge at each of some tables."""
        self._gain[tables] += self.arrays.rewards[edges, self._seat[tables]] * self._decided[tables]
        self._node[tables] = self.arrays.child[edges]
        self.nodes += len(tables)

    def _play_on(self) -> None:
        """Let chance and the others move, and begin new games, until the learner is to move at every table."""
        first, player, tables = self.arrays.first, self.arrays.player, np.arange(self.num_envs)
        while len(tables):
            nodes = self._node[tables]
            over = tables[first[nodes] == first[nodes + 1]]
            self.games += len(over)
            self._over[over] |= self._decided[over]
            self._deal(over)
            tables = tables[player[self._node[tables]] != self._seat[tables]]
            nodes = self._node[tables]
            numbers = np.minimum(nodes + self._numbers.random(len(nodes)), np.nextafter(nodes + 1.0, 0.0))
            self._take(tables, np.searchsorted(self._bounds, numbers, side="right"))


def run(flat: FlatGame, marks: Sequence[int], seed: int, entropy: float = 0.0) -> Curve:
    """Learn a game, and keep the policy at each mark.

    The network changes only after a rollout, so a mark is where it stands after the rollout in which that many games
    were over; ``Curve.nodes`` counts all nodes until then.

    Args:
        flat: an unfolded game that is sure to end.
        marks: rising numbers of games, from 1.
        seed: 64 bits.
        entropy: the weight of the policy's entropy in what is maximised; the library's own is 0.

    Raises:
        DoesNotFitError: no player ever moves, or ``arrays_of`` cannot take the game.
        ValueError: the marks do not rise from 1.
    """
    kept, stream = as_marks(marks), Stream(seed)
    tables = SelfPlay(flat, TABLES, stream.next())
    nodes, weights = [], []
    with steady_torch(), _own_generators():
        model = MaskablePPO(
            "MlpPolicy",
            tables,
            n_steps=DECISIONS,
            batch_size=BATCH,
            gamma=1.0,
            ent_coef=entropy,
            policy_kwargs={"optimizer_kwargs": ADAM},
            seed=stream.next() >> 32,  # numpy's old generator takes 32 bits
            device="cpu",
        )
        model.set_logger(Logger(folder=None, output_formats=[]))  # its own would leave a folder for each rollout
        policy = _policy(model, tables)
        for mark in kept:
            while tables.games < mark:
                tables.seat_others(policy)
                model.learn(TABLES * DECISIONS, reset_num_timesteps=False)
                policy = _policy(model, tables)
            nodes.append(tables.nodes)
            weights.append(policy)
    return Curve(np.array(nodes, np.int64), np.array(weights))


def _policy(model: MaskablePPO, tables: SelfPlay) -> np.ndarray:
    """float64[slots], the network's probabilities in every information state."""
    arrays = tables.arrays
    with torch.no_grad():
        seen = torch.from_numpy(tables.seen)
        found: Any = model.policy.get_distribution(seen, action_masks=arrays.legal).distribution
    by_action = found.probs.numpy().astype(np.float64)
    probabilities: np.ndarray = by_action[np.repeat(np.arange(len(by_action)), np.diff(arrays.slots)), arrays.numbers]
    return probabilities


@contextmanager
def _own_generators() -> Iterator[None]:
    """Leave what all of a process shares as it was: generators that the library seeds, and torch's checks.

    The checks of probabilities find nothing here and take a tenth of the time, so they are off meanwhile.
    """
    plain, numbers = random.getstate(), np.random.get_state()  # noqa: NPY002
    checks = torch.distributions.Distribution._validate_args
    torch.distributions.Distribution.set_default_validate_args(False)
    with torch.random.fork_rng(devices=[]):
        try:
            yield
        finally:
            torch.distributions.Distribution.set_default_validate_args(checks)
            random.setstate(plain)
            np.random.set_state(numbers)  # noqa: NPY002
