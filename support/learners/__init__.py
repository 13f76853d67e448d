"""Methods that learn any game they fit, each with its compiled form beside it, behind one protocol."""

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from inspect import signature
from pathlib import Path
from traceback import extract_tb
from typing import Protocol

from support.core.interface import Game
from support.core.policy import AnyPolicy
from support.core.sources import loaded

__all__ = ["LEARNERS", "Learner", "LearnerError", "failure", "learner_named", "unknown"]


class LearnerError(ValueError):
    """A learner that cannot be had or fails, or a trial that cannot be held; the message says what is possible."""


class Learner(Protocol):
    """A method that learns a game.

    A class of your own takes part as ``module:Class``; it is made without arguments. Its attribute ``games``, if it has
    one, is the number of games or iterations that it is given unless somebody asks for another. The first line of its
    documentation says what it is.
    """

    def train(self, game: Game, games: int, seed: int) -> AnyPolicy:
        """Learn, and say what to do in every information state.

        Args:
            game: the rules; ``support.solve.unfolded`` unfolds them. Every registered game has an end if it is played
                at random; what it pays may be of any size.
            games: how many to play.
            seed: 64 bits; equal seeds learn the same.

        Returns:
            A dictionary from information states, pairs ``(player, text)``, to the probability of each action; a
            function of such a pair that returns these probabilities; or an object with the method
            ``action_probabilities(state)``, a :class:`support.core.policy.Policy`.

        Raises:
            DoesNotFitError: the method is not for this game; the message says why in one clause.
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
    "wild-ones-table": "support.games.wild_ones.learners:TableLearner",
    "wild-ones-notes": "support.games.wild_ones.learners:NoteTaker",
}
"""Where the learners of the book are. Those that are named after a game learn that game only."""


def learner_named(name: str) -> Learner:
    """A learner of the list, or of somebody's own module.

    Args:
        name: one of ``LEARNERS``, or ``module:Class``.

    Raises:
        LearnerError: there is none of that name, or what is there cannot be made without arguments or does not train.
    """
    module, colon, what = LEARNERS.get(name, name).partition(":")
    if not colon:
        raise LearnerError(f"{unknown('learner', name, LEARNERS)} One of your own is module:Class.")
    if module.endswith(".py"):
        own = ".".join(Path(module).with_suffix("").parts)
        raise LearnerError(f"a learner of your own is module:Class, without the ending of the file: {own}:{what}")
    try:
        found = loaded(f"{module}:{what}")
    except AttributeError as error:
        known = [key for key, one in vars(import_module(module)).items() if callable(getattr(one, "train", None))]
        raise LearnerError(unknown(f"class in {module}", what, known)) from error
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module:
            raise LearnerError(f"there is no module '{module}' in this folder, nor one installed") from None
        raise LearnerError(f"the learner '{name}' cannot be loaded: {failure(error)}") from error
    if not (isinstance(found, type) and callable(getattr(found, "train", None))):
        raise LearnerError(f"the learner '{name}' must be a class with a method train(game, games, seed)")
    try:
        learner: Learner = found()
    except Exception as error:
        raise LearnerError(
            f"the learner '{name}' must be made without arguments, {what}(), as by defaults for them: {failure(error)}"
        ) from error
    try:
        signature(learner.train).bind("game", 1, 0)
    except TypeError as error:
        own = f"train{signature(learner.train)}"
        raise LearnerError(f"the learner '{name}' must have train(game, games, seed), not {own}") from error
    return learner


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """The sentence that there is no learner or game of a name, with those that are meant perhaps, or all."""
    names = list(known)
    near = get_close_matches(name, names)
    choice = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names)}."
    return f"there is no {what} '{name}'; {choice}"


def failure(error: Exception, file: str | None = None) -> str:
    """What went wrong, and where: the innermost line of ``file``, or the innermost of all if that has none."""
    lines = [(line.filename, line.lineno) for line in extract_tb(error.__traceback__)]
    path, number = ([line for line in lines if line[0] == file] or lines)[-1]
    known = not path.startswith("<") and path != __file__  # Python's own import, or the call that failed
    said, _, more = str(error).strip().partition("\n")
    return f"{type(error).__name__}: {said}{' …' if more else ''}" + (
        f" ({Path(path).name}, line {number})" if known else ""
    )
