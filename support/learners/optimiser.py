"""The steps of deep Q-learning: the targets of a batch of transitions, and a step towards them; plain, by torch.

The targets come from a second network (Mnih et al. 2015; van Hasselt, Guez and Silver 2016), which follows the learning
one slowly (Lillicrap et al. 2015). The compiled counterpart, ``optimiser_fast``, needs no torch; torch is loaded only
for the plain one.
"""

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import Any

import numpy as np

from support.learners.dqn_settings import DeepQSettings
from support.learners.network import Batch, Network, Twins
from support.learners.steady import one_thread


class Optimiser(ABC):
    """Takes the learning network's steps, and lets the target network follow.

    Args:
        network: the learning network, changed in place by each step.
        settings: how the agent learns.

    Attributes:
        target: the network from which the targets come.
        steps: the number of steps taken.
    """

    def __init__(self, network: Network, settings: DeepQSettings):
        self.network, self.settings, self.steps = network, settings, 0
        self.target = network.copy() if settings.target else network

    @abstractmethod
    def td_targets(self, batch: Batch) -> np.ndarray:
        """float32[n], the targets of a batch.

        A target is the reward plus, if the episode went on, the discounted value of the next best legal action.
        """

    @abstractmethod
    def step(self, batch: Batch, twins: Twins | None = None) -> None:
        """Take one step on the Huber loss of a batch, and let the target network follow.

        Args:
            batch: transitions.
            twins: which of its rows are alike, if that is known; it saves work, and changes no digit.
        """


class TorchOptimiser(Optimiser):
    """Steps by torch's own derivatives and its AdamW."""

    def __init__(self, network: Network, settings: DeepQSettings):
        super().__init__(network, settings)
        import torch

        self._torch = torch
        self._weights = torch.nn.Parameter(torch.from_numpy(network.weights))  # shares the network's memory
        self._target = torch.from_numpy(self.target.weights)
        self._adam = torch.optim.AdamW(
            [self._weights],
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
            amsgrad=settings.amsgrad,
        )

    def _values(self, weights: Any, states: Any) -> Any:
        first = 0
        for inputs, outputs in pairwise(self.network.sizes):
            bias = first + inputs * outputs
            matrix = weights[first:bias].view(inputs, outputs)
            states = self._torch.addmm(weights[bias : bias + outputs], states, matrix)
            first = bias + outputs
            if first < len(weights):
                states = states.relu()
        return states

    def _td_targets(self, batch: Batch) -> Any:
        torch, settings = self._torch, self.settings
        with torch.no_grad():
            nexts, legal = torch.from_numpy(batch.nexts), torch.from_numpy(batch.legal)
            judged = self._values(self._target, nexts)
            choosing = self._values(self._weights, nexts) if settings.double and settings.target else judged
            best = choosing.masked_fill(~legal, -torch.inf).argmax(1, keepdim=True)
            future = judged.gather(1, best).squeeze(1) * settings.discount
            return torch.from_numpy(batch.rewards) + future * torch.from_numpy(batch.goes_on)

    def td_targets(self, batch: Batch) -> np.ndarray:
        """As :meth:`Optimiser.td_targets`."""
        with one_thread():
            targets: np.ndarray = self._td_targets(batch).numpy()
        return targets

    def step(self, batch: Batch, twins: Twins | None = None) -> None:
        """As :meth:`Optimiser.step`."""
        torch, settings = self._torch, self.settings
        with one_thread():
            targets = self._td_targets(batch)
            values = self._values(self._weights, torch.from_numpy(batch.states))
            chosen = values.gather(1, torch.from_numpy(batch.actions).unsqueeze(1)).squeeze(1)
            self._adam.zero_grad()
            torch.nn.functional.smooth_l1_loss(chosen, targets).backward()
            torch.nn.utils.clip_grad_value_([self._weights], settings.clip)
            self._adam.step()
            if settings.target:
                self._target.lerp_(self._weights.detach(), settings.tau)
        self.steps += 1
