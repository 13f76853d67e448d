"""The settings that every deep Q-learner shares, and the seeds of its runs."""

import math
from typing import Annotated

from pydantic import Field

from support.core.checks import settings
from support.core.play import Stream

Share = Annotated[float, Field(ge=0, le=1)]
Rate = Annotated[float, Field(ge=0, le=10)]


@settings
class DeepQSettings:
    """How the players learn. The defaults are those of the agent of the chapter on wild ones, for every game.

    They come from Alexandre Forestier Foray's *Learning Liar's dice with deep Q-learning* (2026) or, where that is
    silent, from its author's notebook (``amsgrad``, ``clip``, ``memory``, ``every``).

    Attributes:
        layers: the number of fully connected layers; each but the last is followed by a rectifier.
        width: the width of each layer but the last.
        learning_rate, weight_decay, amsgrad: parameters of AdamW.
        clip: the largest derivative in a step; larger ones are cut to it.
        batch: transitions in a step, drawn without replacement. No step is taken before the memory holds as many.
        memory: transitions that are kept; a new one replaces the oldest.
        every: the number of decisions between two steps.
        discount: the discount of future rewards, from a player's decision to its next.
        tau: how far the target network moves towards the learning one with each step.
        target: whether there is a target network; without it the targets come from the learning network.
        double: whether the learning network chooses the action whose value the target network gives.
        epsilon_start, epsilon_end: the probability of exploring at the beginning, and its limit.
        decay: the number of games in which the difference falls by a factor e, after ``warm_games``.
        warm_games: the first games, which only fill the memory.

    Raises:
        ValueError: a value is out of range.
    """

    layers: Annotated[int, Field(ge=1, le=16)] = 3
    width: Annotated[int, Field(ge=1, le=1024)] = 64
    learning_rate: Rate = 3e-3
    weight_decay: Rate = 1e-2
    amsgrad: bool = True
    clip: Annotated[float, Field(gt=0)] = 100.0
    batch: Annotated[int, Field(ge=1, le=1 << 13)] = 256
    memory: Annotated[int, Field(ge=1, le=1 << 20)] = 5000
    every: Annotated[int, Field(ge=1, le=10_000_000)] = 10
    discount: Share = 1.0
    tau: Share = 1e-3
    target: bool = True
    double: bool = True
    epsilon_start: Share = 1.0
    epsilon_end: Share = 0.2
    decay: Annotated[float, Field(gt=0)] = 1e3 / (3 * math.log(10))  # a thousandth is left after 1,000 games
    warm_games: Annotated[int, Field(ge=0, le=10_000_000)] = 300

    def __post_init__(self) -> None:
        if self.batch > self.memory:
            raise ValueError(f"batch must be at most the memory, {self.memory:,}, not {self.batch}")

    def widths(self, inputs: int, outputs: int) -> tuple[int, ...]:
        """The widths of the network, from inputs to outputs."""
        return (inputs, *[self.width] * (self.layers - 1), outputs)

    def epsilon(self, passed: int) -> float:
        """The probability of exploring after this much training, in the unit of ``decay``."""
        return self.epsilon_end + (self.epsilon_start - self.epsilon_end) * math.exp(-passed / self.decay)


def seeds(seed: int) -> tuple[int, int, int]:
    """The seeds of a run's initial weights, its games and its batches."""
    stream = Stream(seed)
    return stream.next(), stream.next(), stream.next()
