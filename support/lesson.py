"""One lesson: a learner learns one game with one seed, and what it has learned is judged exactly.

Trials are made of lessons, and so are sweeps: ``python -m support sweep lesson --set learner=cfr,sarsa --seeds 10``.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field

from support.core.checks import settings
from support.core.interface import DoesNotFitError, Game
from support.core.policy import EndlessError, Judgement, PolicyError
from support.core.screen import unknown
from support.games import GAMES, Entry
from support.judge import judge
from support.learners import MOST_GAMES, Learner, LearnerError, failure, learner_named
from support.learners.methods import MOST, unfolded

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Taught:
    """The result of one lesson.

    Attributes:
        judgement: how far the policy is from the best; None if it may go on for ever.
        endless: where the policy may go on for ever; empty if it does not.
        learning, judging: seconds.
    """

    judgement: Judgement | None
    endless: str
    learning: float
    judging: float


def sizes_to_try(entry: Entry) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """The sizes at which a game is learned, best first, each with whether it unfolds.

    That is its first registered small size, the usual one where that is small, if it can be unfolded here. A game with
    its own scorer is learned at its usual size if it has no small one, or if the learner or the judge refuses that.
    """
    small = [one.sizes for one in entry.small[:1] if one.positions <= MOST]
    yield from ((sizes, True) for sizes in small)
    if not small or (entry.scorer_at and {} not in small):
        yield {}, False


def teach(
    learner: Learner,
    name: str,
    game: Game,
    unfolds: bool,
    games: int,
    seed: int,
    progress: Progress = lambda text: None,
) -> Taught:
    """Train a learner on a game, and judge what it has learned.

    Args:
        learner: the learner.
        name: the game's name, for messages.
        game: the rules.
        unfolds: whether the game is judged on its unfolded form.
        games: the number of games it learns from.
        seed: 64-bit seed.
        progress: called with ``"learning"`` and ``"judging"`` when that begins.

    Raises:
        DoesNotFitError: the learner or the judge refuses the game.
        LearnerError: the learner fails, or the game breaks the interface.
    """
    if unfolds:
        try:
            unfolded(game)
        except ValueError as error:
            raise LearnerError(f"the game {name} cannot be unfolded: {error}") from error
    began = time.perf_counter()
    progress("learning")
    with _blamed(learner, f"the learner failed at {name}"):
        policy = learner.train(game, games, seed)
    if policy is None:
        raise LearnerError(f"train returned None at {name}: it must return the policy that it has learned")
    learned = time.perf_counter()
    progress("judging")
    judgement, endless = None, ""
    try:
        with _blamed(learner, f"what the learner returned at {name} cannot be judged"):
            judgement = judge(policy, unfolded(game) if unfolds else game)
    except EndlessError as error:
        endless = str(error)
    return Taught(judgement, endless, learned - began, time.perf_counter() - learned)


@lru_cache(maxsize=64)
def uniform(game: Game) -> float:
    """How far uniform play is from the best on a game that unfolds: the distance of who knows nothing."""
    return float(judge({}, unfolded(game)).distance)


@settings
class Lesson:
    """A configuration: which learner, which game, how long.

    Attributes:
        learner: one of ``support.learners.LEARNERS``, or a class of your own, as ``module:Class``.
        game: one of ``support.games.GAMES``.
        games: the number of games to learn from, or of iterations.
    """

    learner: str = "result-table"
    game: str = "kuhn-poker"
    games: Annotated[int, Field(ge=1, le=MOST_GAMES)] = 10_000

    def __post_init__(self) -> None:
        learner_named(self.learner)
        if self.game not in GAMES:
            raise ValueError(unknown("game", self.game, GAMES))


def lesson(config: Lesson, seed: int) -> Mapping[str, Any]:
    """How far from the best a learner stays on a game, exactly, beside uniform play; empty where it does not fit."""
    entry, refused = GAMES[config.game], []
    for sizes, unfolds in sizes_to_try(entry):
        game = entry.rules(**sizes)
        try:
            found = teach(learner_named(config.learner), entry.name, game, unfolds, config.games, seed)
        except DoesNotFitError as error:
            refused.append(str(error))
            continue
        record = {"size": written(game, entry, sizes), "uniform": uniform(game) if unfolds else float("nan")}
        return record | _numbers(found.judgement) | {"refused": found.endless}
    return {"size": "", "uniform": float("nan")} | _numbers(None) | {"refused": refused[0]}


def written(game: Game, entry: Entry, sizes: Mapping[str, Any]) -> str:
    """The sizes of a game as text; empty for its usual ones."""
    return ", ".join(f"{key}={value}" for key, value in sizes.items()) if game != entry.rules() else ""


def _numbers(found: Judgement | None) -> dict[str, Any]:
    if found is None:
        return {"distance": float("nan"), "best": float("nan"), "achieved": float("nan"), "unit": "", "unanswered": 0}
    numbers = {name: float(getattr(found, name)) for name in ("distance", "best", "achieved")}
    return numbers | {"unit": found.unit, "unanswered": found.unanswered}


@contextmanager
def _blamed(learner: Learner, what: str) -> Iterator[None]:
    """Report every error inside as the learner's, unless the game does not fit or never ends."""
    try:
        yield
    except (DoesNotFitError, EndlessError):
        raise
    except PolicyError as error:
        raise LearnerError(f"{what}: {error}") from error
    except Exception as error:
        file = getattr(sys.modules[type(learner).__module__], "__file__", None)
        raise LearnerError(f"{what}: {failure(error, file)}") from error
