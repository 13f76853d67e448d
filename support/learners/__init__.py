"""Learning methods behind one protocol, each with its compiled form beside it."""

import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from fractions import Fraction
from importlib import import_module
from inspect import signature
from numbers import Integral
from pathlib import Path
from sysconfig import get_paths
from traceback import extract_tb
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from support.core.flat import FlatGame
from support.core.interface import Game
from support.core.policy import AnyPolicy
from support.core.screen import unknown
from support.core.sources import loaded

__all__ = [
    "LEARNERS",
    "Curve",
    "Learner",
    "LearnerError",
    "Observed",
    "failure",
    "is_library",
    "learner_named",
]


class LearnerError(ValueError):
    """A learner cannot be loaded or fails, or a trial cannot be run; the message says what is possible."""


class Learner(Protocol):
    """A method that learns a game.

    Name a class of your own as ``module:Class``; it is created without arguments. Its attribute ``games``, if it has
    one, is the default number of games or iterations, a whole number; 0 if it plans without playing. The first line of
    its docstring says what it is.
    """

    def train(self, game: Game, games: int, seed: int) -> AnyPolicy:
        """Learn a game, and return a policy.

        Args:
            game: the rules; ``support.learners.methods.unfolded`` unfolds them. Every registered game ends if it is
                played at random; its rewards may be of any size.
            games: the number of games to play.
            seed: 64-bit seed; equal seeds give equal policies.

        Returns:
            A dictionary from information states, pairs ``(player, text)``, to the probability of each action; a
            function of such a pair that returns these probabilities; or an object with the method
            ``action_probabilities(state)``, a :class:`support.core.policy.Policy`.

        Raises:
            DoesNotFitError: the method cannot take this game; the message says why in one clause.
        """


class Curve(NamedTuple):
    """What a learner would have played at several points of one run.

    Attributes:
        nodes: int64[k], the states visited up to each mark, those of chance and those at the end of games included.
        weights: float64[k, slots], non-negative, one row for each mark. In each information state the policy takes
            each action in proportion to its weight; where all weights are zero it is uniform.
    """

    nodes: np.ndarray
    weights: np.ndarray


@runtime_checkable
class Observed(Protocol):
    """A learner that can be watched while it learns; others learn anew for each point of their curve."""

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """Learn an unfolded game once, and keep at each mark what ``train`` would return after that many games.

        Args:
            flat: the game.
            marks: rising numbers of games or iterations, from 1.
            seed: 64-bit seed.

        Raises:
            DoesNotFitError: the method cannot take this game.
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
    "external-sampling": "support.learners.methods:ExternalSampling",
    "mirror-descent": "support.learners.methods:MirrorDescent",
    "q-learning": "support.learners.methods:QLearning",
    "sarsa": "support.learners.methods:Sarsa",
    "monte-carlo": "support.learners.methods:MonteCarlo",
    "uct": "support.learners.methods:Uct",
    "dqn": "support.learners.networks:Dqn",
    "ppo": "support.learners.networks:Ppo",
    "call-or-raise-q": "support.games.call_or_raise.learners:QTable",
    "call-or-raise-monte-carlo": "support.games.call_or_raise.learners:MonteCarlo",
    "wild-ones-dqn": "support.games.wild_ones.learners:Dqn",
    "wild-ones-table": "support.games.wild_ones.learners:TableLearner",
    "wild-ones-notes": "support.games.wild_ones.learners:NoteTaker",
}
"""Where the learners of the book are defined. Those named after a game learn only that game."""

MOST_GAMES = 10**15
"""More games than anybody has time for."""

SETTING = re.compile(r"(?P<name>[^()]*)\((?P<settings>[^()]*)\)")
NUMBER = re.compile(r"[+-]?[\d_./]{1,400}(e[+-]?\d{1,3})?", re.IGNORECASE)
"""What may be a setting; Python would compute a number such as 1e99999999, digit by digit."""


def learner_named(name: str) -> Learner:
    """A learner from the list, or from a module of your own.

    Args:
        name: one of ``LEARNERS``, or ``module:Class``. Settings, which are the fields of the learner's dataclass, may
            follow: ``monte-carlo(exploration=1/5)``, several with spaces between.

    Raises:
        LearnerError: there is no learner of that name, or it cannot be made without arguments or does not train, or it
            has no such setting.
    """
    given = ""
    if match := SETTING.fullmatch(name):
        name, given = match["name"], match["settings"]
    elif "(" in name:
        raise LearnerError(f"settings stand in brackets, such as monte-carlo(exploration=1/5), not as in '{name}'")
    module, colon, what = LEARNERS.get(name, name).partition(":")
    if not colon:
        raise LearnerError(f"{unknown('learner', name, LEARNERS)} Name your own as module:Class.")
    found = own("learner", f"{module}:{what}", "train")
    if not (isinstance(found, type) and callable(getattr(found, "train", None))):
        raise LearnerError(f"the learner '{name}' must be a class with a method train(game, games, seed)")
    chosen = _settings(name, found, given)
    try:
        learner: Learner = found(**chosen) if chosen else made("learner", name, found)
        games = getattr(learner, "games", 0)
    except LearnerError:
        raise
    except Exception as error:
        fault = f"does not take {given}: {error}" if chosen else f"cannot be used: {failure(error)}"
        raise LearnerError(f"the learner '{name}' {fault}") from error
    if not (isinstance(games, Integral) and 0 <= int(games) <= MOST_GAMES):
        said = f"the attribute games of the learner '{name}' must be a whole number from 0 to {MOST_GAMES:,}"
        raise LearnerError(f"{said}, not {games!r}")
    for method, taken in {"train": ("game", "games", "seed"), "curve": ("flat", "marks", "seed")}.items():
        if callable(found := getattr(learner, method, None)):
            try:
                signature(found).bind(*taken)
            except TypeError as error:
                said = f"must have {method}({', '.join(taken)}), not {method}{signature(found)}"
                raise LearnerError(f"the learner '{name}' {said}") from error
    return learner


def own(kind: str, where: str, method: str) -> Any:
    """What a user names as ``module:Class``.

    Args:
        kind: what it is, such as learner.
        where: its name.
        method: what classes of this kind have, so that a misspelt name can be mended.

    Raises:
        LearnerError: there is nothing of that name, or its module fails.
    """
    module, _, what = where.partition(":")
    path = Path(module.replace("\\", "/"))
    if path.suffix == ".py" or "/" in str(path) or not all(module.split(".")):
        mended = ".".join(path.with_suffix("").parts if path.suffix == ".py" else path.parts)
        if not all(mended.split(".")) or ".." in path.parts or path.is_absolute():
            raise LearnerError(f"name your own {kind} as module:Class, in the folder of the module, not {where}")
        raise LearnerError(
            f"name your own {kind} as module:Class, with dots and without the ending of the file: {mended}:{what}"
        )
    try:
        return loaded(where)
    except AttributeError as error:
        mine = vars(import_module(module)).items()
        known = [key for key, one in mine if callable(getattr(one, method, None)) and not key.startswith("_")]
        raise LearnerError(unknown("class", what, known, f" in {module}")) from error
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and error.name == module:
            raise LearnerError(f"there is no module '{module}' in this folder, nor one installed") from None
        raise LearnerError(f"the {kind} '{where}' cannot be loaded: {failure(error)}") from error


def made(kind: str, name: str, make: Callable[[], Any]) -> Any:
    """What a user's class makes without arguments.

    Args:
        kind: what is made, for the error message.
        name: its name, for the error message.
        make: the class, or what else makes it.

    Raises:
        LearnerError: it cannot.
    """
    try:
        return make()
    except LearnerError:
        raise
    except Exception as error:
        said = f"the {kind} '{name}' must be made without arguments, so give them defaults"
        raise LearnerError(f"{said}: {failure(error)}") from error


def _settings(name: str, kind: type, given: str) -> dict[str, Any]:
    """Settings of a learner, as ``key=value``, in the types of their defaults.

    Raises:
        LearnerError: there is no such setting, or its value is not of its type.
    """
    options = fields(kind) if is_dataclass(kind) else ()
    known: dict[str, Any] = {one.name: one.default for one in options if one.init and one.default is not MISSING}
    found: dict[str, Any] = {}
    for text in given.split():
        key, _, value = text.partition("=")
        if key not in known:
            raise LearnerError(
                unknown(f"setting of {name}", key, known) if known else f"the learner '{name}' has no settings"
            )
        try:
            number = Fraction(value if NUMBER.fullmatch(value) else "no number")
            if isinstance(known[key], int) and number != int(number):
                raise ValueError(value)
            found[key] = number if isinstance(known[key], Fraction) else type(known[key])(number)
        except (ValueError, TypeError, ZeroDivisionError, OverflowError):
            raise LearnerError(f"{key} of {name} must be a number such as {known[key]}, not '{value}'") from None
    return found


LIBRARIES = (str(Path(__file__).parent.parent), *(get_paths()[name] for name in ("stdlib", "purelib", "platlib")))
"""Folders of code that is not the user's."""


def is_library(path: str) -> bool:
    """Whether a file is Python's own, of an installed package, or of this one; the rest is the user's."""
    return any(Path(path).is_relative_to(folder) for folder in LIBRARIES)


def failure(error: Exception, file: str | None = None) -> str:
    """What went wrong, and where: the innermost line of ``file``, else of what is no library's, else of all."""
    lines = [(line.filename, line.lineno) for line in extract_tb(error.__traceback__)]
    own = [line for line in lines if not is_library(line[0])]
    path, number = ([line for line in lines if line[0] == file] or own or lines)[-1]
    known = not path.startswith("<") and path != __file__  # Python's own import, or the call that failed
    said, _, more = str(error).strip().partition("\n")
    return f"{type(error).__name__}: {said}{' …' if more else ''}" + (
        f" ({Path(path).name}, line {number})" if known else ""
    )
