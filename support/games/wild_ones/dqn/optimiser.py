"""The steps of the network that learns: targets, loss, AdamW, and the target network that follows."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from support.games.wild_ones.dqn.memory import Batch
from support.games.wild_ones.dqn.network import Network
from support.games.wild_ones.dqn.settings import Settings

ILLEGAL = -1e9
"""The value that a mask gives to an action that is not legal."""


class Steps(ABC):
    """What takes the steps: the network that learns, and the one from which its targets come.

    Args:
        network: changed in place by each step.
        settings: how the agent learns.
    """

    def __init__(self, network: Network, settings: Settings):
        self.network, self.settings, self.steps = network, settings, 0
        self.target = network.copy() if settings.target else network

    @abstractmethod
    def goals(self, batch: Batch) -> np.ndarray:
        """float32[n], what the values of a batch's actions are moved towards.

        The reward, and, where the episode went on, the value of the best action that was legal in what was seen next.
        """

    @abstractmethod
    def step(self, batch: Batch) -> None:
        """One step on the Huber loss of a batch, and the target network follows."""


class Optimiser(Steps):
    """Steps by torch's own derivatives and its AdamW; arguments as :class:`Steps`."""

    def __init__(self, network: Network, settings: Settings):
        super().__init__(network, settings)
        import torch

        self._torch = torch
        self._flat = torch.nn.Parameter(torch.from_numpy(network.weights))
        self._flat.grad = self._slope = torch.zeros_like(self._flat)
        self._layers = self._tensors(network)
        slopes = self._tensors(Network(network.sizes, self._slope.numpy()))
        for layer, beside in zip(self._layers, slopes, strict=True):
            for part, slope in zip(layer, beside, strict=True):
                part.requires_grad_().grad = slope  # backward adds to the one array that AdamW reads
        self._followed = torch.from_numpy(self.target.weights)
        self._targets = self._tensors(self.target)
        self._adam = torch.optim.AdamW(
            [self._flat],
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
            amsgrad=settings.amsgrad,
            foreach=False,
        )

    def _tensors(self, network: Network) -> list[tuple[Any, Any]]:
        """The matrix and the biases of each layer as tensors that share the network's memory."""
        return [(self._torch.from_numpy(matrix), self._torch.from_numpy(bias)) for matrix, bias in network.layers()]

    def _forward(self, layers: list[tuple[Any, Any]], states: Any) -> Any:
        for matrix, bias in layers[:-1]:
            states = self._torch.addmm(bias, states, matrix).relu_()
        matrix, bias = layers[-1]
        return self._torch.addmm(bias, states, matrix)

    def _goals(self, batch: Batch) -> Any:
        torch = self._torch
        with torch.no_grad():
            nexts, legal = torch.from_numpy(batch.nexts), torch.from_numpy(batch.legal)
            judged = self._forward(self._targets, nexts)
            choosing = self._forward(self._layers, nexts) if self.settings.double and self.settings.target else judged
            best = choosing.masked_fill(~legal, ILLEGAL).argmax(1, keepdim=True)
            future = judged.gather(1, best).squeeze(1) * self.settings.discount
            return torch.from_numpy(batch.rewards) + future * torch.from_numpy(batch.goes_on)

    def goals(self, batch: Batch) -> np.ndarray:
        """As :meth:`Steps.goals`."""
        with one_thread():
            goals: np.ndarray = self._goals(batch).numpy()
        return goals

    def step(self, batch: Batch) -> None:
        """As :meth:`Steps.step`."""
        with one_thread():
            self._step(batch)
        self.steps += 1

    def _step(self, batch: Batch) -> None:
        torch = self._torch
        goals = self._goals(batch)
        self._slope.zero_()
        values = self._forward(self._layers, torch.from_numpy(batch.states))
        chosen = values.gather(1, torch.from_numpy(batch.actions).unsqueeze(1)).squeeze(1)
        torch.nn.functional.smooth_l1_loss(chosen, goals).backward()
        self._slope.clamp_(-self.settings.clip, self.settings.clip)
        self._adam.step()
        if self.settings.target:
            self._followed.lerp_(self._flat.detach(), self.settings.tau)


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch work in one thread: these networks are too small for two, and sweeps run one process a core."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
