"""Learners with networks behind the protocol: deep Q-learning and proximal policy optimisation, for any game."""

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from support.core.checks import settings
from support.core.flat import FlatGame
from support.learners import Curve, LearnerError, dqn_fast
from support.learners.dqn_settings import DeepQSettings
from support.learners.methods import Watched


@settings
class Dqn(Watched):
    """Deep Q-learning in self-play: one network gives every action a value, and the policy takes the highest.

    Attributes:
        learning_rate: of the optimiser.
    """

    games: ClassVar[int] = 20_000
    name = "deep Q-learning"
    learning_rate: Annotated[float, Field(gt=0)] = DeepQSettings.learning_rate

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """The greedy policy at each mark; the games that fill the memory count (:func:`dqn_fast.run`)."""
        return dqn_fast.run(flat, marks, seed, DeepQSettings(learning_rate=self.learning_rate))


@settings
class Ppo(Watched):
    """Proximal policy optimisation in self-play, by sb3_contrib: one network gives every action a probability.

    Attributes:
        entropy: the weight of the policy's entropy in what is maximised.
    """

    games: ClassVar[int] = 20_000
    name = "proximal policy optimisation"
    pilot: ClassVar[int] = 1500
    """Games from which its work for a game can be told: it plays some fifteen hundred before it looks up."""
    entropy: Annotated[float, Field(ge=0)] = 0.0

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """The network's probabilities at each mark (:func:`support.learners.ppo.run`).

        Raises:
            LearnerError: sb3_contrib is not installed.
        """
        try:
            from support.learners import ppo
        except ModuleNotFoundError as error:
            raise LearnerError(f"ppo needs sb3-contrib, of the dependency group book: {error}") from error
        return ppo.run(flat, marks, seed, self.entropy)
