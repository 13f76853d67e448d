"""Methods that learn any game they fit, each with its compiled form beside it, behind one protocol."""

from typing import Protocol

from support.core.interface import Game
from support.core.policy import Policy
from support.core.sources import loaded

__all__ = ["LEARNERS", "Learner", "LearnerError", "learner_named"]


class LearnerError(ValueError):
    """A learner that cannot be had or fails, or a trial that cannot be held; the message says what is possible."""


class Learner(Protocol):
    """A method that learns a game.

    A class of your own takes part as ``module:Class``; it is made without arguments. Its attribute ``games``, if it has
    one, is the number of games or iterations that it is given unless somebody asks for another. The first line of its
    documentation says what it is.
    """

    def train(self, game: Game, games: int, seed: int) -> Policy:
        """Learn, and say what to do in every information state.

        Args:
            game: the rules; ``support.solve.unfolded`` unfolds them.
            games: how many to play.
            seed: 64 bits; equal seeds learn the same.

        Raises:
            ValueError: the game does not fit; the message says why in one clause.
        """


LEARNERS = {
    "result-table": "support.learners.methods:ResultTable",
    "regret-table": "support.learners.methods:RegretTable",
    "afterstates": "support.learners.methods:Afterstates",
    "value-iteration": "support.learners.methods:ValueIteration",
    "cfr": "support.learners.methods:Cfr",
    "cfr-plus": "support.learners.methods:CfrPlus",
    "fictitious-play": "support.learners.methods:FictitiousPlay",
    "sampled-cfr": "support.learners.methods:SampledCfr",
    "q-learning": "support.learners.tabular:QLearning",
    "monte-carlo": "support.learners.tabular:MonteCarlo",
    "call-or-raise-q": "support.games.call_or_raise.learners:QTable",
    "call-or-raise-monte-carlo": "support.games.call_or_raise.learners:MonteCarlo",
    "wild-ones-dqn": "support.games.wild_ones.learners:Dqn",
    "wild-ones-table": "support.games.wild_ones.learners:HeardTable",
    "wild-ones-notes": "support.games.wild_ones.learners:NoteTaker",
}
"""Where the learners of the book are. Those that are named after a game learn that game only."""


def learner_named(name: str) -> Learner:
    """A learner of the list, or of somebody's own module.

    Args:
        name: one of ``LEARNERS``, or ``module:Class``.

    Raises:
        LearnerError: there is none of that name, or what is there does not train.
    """
    where = LEARNERS.get(name, name)
    if ":" not in where:
        raise LearnerError(
            f"there is no learner '{name}'; there are {', '.join(LEARNERS)}, or module:Class of your own"
        )
    try:
        found = loaded(where)
    except (ImportError, AttributeError, ValueError) as error:
        raise LearnerError(f"the learner '{name}' cannot be loaded: {error}") from None
    if not (isinstance(found, type) and callable(getattr(found, "train", None))):
        raise LearnerError(f"the learner '{name}' must be a class with a method train(game, games, seed)")
    learner: Learner = found()
    return learner
