"""A course: a learner learns one game from beginning to end, and what it would have played is judged on the way.

The measure is the same everywhere: the distance from the truth, divided by that of uniform play. At 0 the policy is
perfect, at 1 it is no better than one that knows nothing, and above 1 it is worse. For two players the distance is
NashConv, for one player the return that is lost. Work is counted in states visited, because a game sampled costs one
method a walk down the tree and another a pass over all of it.

Sweeps are made of courses: ``python -m support sweep course --set learner=cfr,sarsa --set game=kuhn-poker --seeds 10``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import import_module
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from support.core.answers import complete
from support.core.check import check_game
from support.core.checks import settings
from support.core.flat import KEPT, FlatGame
from support.core.interface import CHANCE, DoesNotFitError, Game
from support.core.policy import EndlessError, from_weights
from support.core.screen import unknown
from support.core.sources import loaded
from support.exact.kinds import kind_of
from support.exact.nash_conv_fast import Scorer, normalise
from support.games import GAMES
from support.judge import judge
from support.learners import Curve, Learner, LearnerError, Observed, failure, learner_named, made, own
from support.learners.methods import unfolded

FIRST = 1000
"""States visited at the first mark."""
PILOT = 10
"""Games after which a learner's work for each game is estimated, unless its attribute ``pilot`` says another number."""
LARGEST = 500_000
"""The most positions of a game; one of this size unfolds in a minute."""
ENOUGH, TOO_MUCH = 0.8, 1.25
"""A run whose last mark has less or more than these shares of the states that were asked for is made anew."""
MOST_NODES, MOST_PER_DECADE = 10**12, 20
"""More states than anybody has time for, and the most marks in each power of ten."""


@dataclass(frozen=True, eq=False)
class Course:
    """What a learner knew of a game at several points of one run.

    Attributes:
        games: int64[k], games played, iterations made, or simulations for each decision.
        nodes: float64[k], states visited up to then; NaN for a method that plans without playing.
        distance: float64[k], how far its policy was from the best; NaN where it might have played on for ever.
        uniform: the distance of uniform play.
        unanswered: the information states for which the last policy gave no answer; uniform play counted there. A
            learner that is watched always answers.
    """

    games: np.ndarray
    nodes: np.ndarray
    distance: np.ndarray
    uniform: float
    unanswered: int = 0

    @property
    def relative(self) -> np.ndarray:
        """float64[k], the distance as a share of that of uniform play."""
        return self.distance / self.uniform


@lru_cache(maxsize=KEPT)
def face_up(flat: FlatGame) -> FlatGame:
    """The same game with nothing hidden: every player sees the whole position.

    All else stays: positions, moves, chances, rewards. So whatever is harder in the original is so because of what the
    players cannot see.
    """
    decides = np.flatnonzero(flat.player >= 0)
    information = np.full(flat.num_nodes, -1, np.int32)
    information[decides] = np.arange(len(decides))
    states = [(int(flat.player[node]), f"{node}: {flat.positions[node]}") for node in decides]
    return replace(flat, information=information, information_states=states)


def distances(flat: FlatGame, weights: np.ndarray) -> np.ndarray:
    """How far policies are from the best: NashConv for two players, and for one the return that they lose.

    Args:
        flat: an unfolded game of one player, or of two whose returns always have the same sum.
        weights: [k, slots], non-negative; in each information state a policy takes each action in proportion to its
            weight, and is uniform where all are zero.

    Returns:
        float64[k]; NaN where the policy may play on for ever.

    Raises:
        DoesNotFitError: a game that cannot be judged like this.
        ArithmeticError: a policy came out better than perfect.
    """
    kind = kind_of(flat)
    if not kind.cycles and (kind.players == 1 or (kind.players == 2 and kind.total is not None)):
        return Scorer(flat).distances(normalise(flat, weights))
    return np.array([_distance(flat, row) for row in weights])


def _distance(flat: FlatGame, weights: np.ndarray) -> float:
    try:
        return float(judge(from_weights(flat, weights), flat).distance)
    except EndlessError:
        return float("nan")


def take(learner: Learner, flat: FlatGame, seed: int, nodes: int = 10**7, per_decade: int = 2) -> Course:
    """Let a learner learn an unfolded game once, and judge it at marks up to about so many states visited.

    Args:
        learner: the learner. One that cannot be watched (:class:`support.learners.Observed`) learns anew for each mark,
            and its work is taken to be that of as many games played at random. One that says ``games = 0`` plans
            without playing, and has a single mark.
        flat: the game.
        seed: 64-bit seed.
        nodes: about how many states it visits up to the last mark.
        per_decade: marks in each power of ten, from ``FIRST`` on.

    Raises:
        DoesNotFitError: the learner or the judge cannot take the game.
        LearnerError: the learner counts fewer states than games, or does not keep one row for each mark.
    """
    (blank,) = distances(flat, np.zeros((1, int(flat.slots[-1]))))  # before it learns: the judge may refuse the game
    if blank == 0:
        raise DoesNotFitError(f"at {flat.game.name} random moves are perfect play, so there is nothing to learn")
    unanswered = 0
    if getattr(learner, "games", 1) == 0:
        weights, unanswered = _trained(learner, flat, 0, seed)
        games, curve = np.zeros(1, np.int64), Curve(np.full(1, np.nan), weights[None])
    elif isinstance(learner, Observed):
        games, curve = _watched(learner, flat, seed, nodes, per_decade)
    else:
        each = visits(flat)
        games = marks(each, nodes, per_decade)
        found = [_trained(learner, flat, one, seed) for one in games.tolist()]
        curve, unanswered = Curve(games * each, np.array([weights for weights, _ in found])), found[-1][1]
    left = distances(flat, curve.weights)
    return Course(games, np.asarray(curve.nodes, float), left, float(blank), unanswered)


def _watched(learner: Observed, flat: FlatGame, seed: int, nodes: int, per_decade: int) -> tuple[np.ndarray, Curve]:
    """Learn with marks at equal steps of work, found by other runs: games may become shorter or longer."""
    least = getattr(learner, "pilot", PILOT)
    each = float(_learned(learner, flat, [least], seed).nodes[0]) / least
    if not each >= 1:
        raise LearnerError(
            f"{type(learner).__name__}.curve counts {each:g} states visited a game, and each has at least 1"
        )
    while True:
        games = marks(each, nodes, per_decade)
        curve = _learned(learner, flat, games.tolist(), seed)
        share = curve.nodes[-1] / work(nodes, per_decade)[-1]
        if ENOUGH < share < TOO_MUCH or games[-1] <= least:
            return games, curve
        least, each = int(games[-1]), float(curve.nodes[-1]) / games[-1]


def _learned(learner: Observed, flat: FlatGame, games: list[int], seed: int) -> Curve:
    """The curve of a learner that is watched.

    Raises:
        LearnerError: it is none.
    """
    wanted, given = ((len(games),), (len(games), int(flat.slots[-1]))), learner.curve(flat, games, seed)
    must = f"{type(learner).__name__}.curve must return nodes and weights of the shapes {wanted} in {flat.game.name}"
    try:
        curve = Curve(*map(np.asarray, given))
        finite = np.isfinite(np.asarray(curve.nodes, float)).all()
    except (TypeError, ValueError) as error:
        raise LearnerError(f"{must}: {error}") from error
    if (shapes := tuple(map(np.shape, curve))) != wanted:
        raise LearnerError(f"{must}, not {shapes}")
    if not finite:
        raise LearnerError(f"{must}; its nodes are not all finite")
    return curve


def _trained(learner: Learner, flat: FlatGame, games: int, seed: int) -> tuple[np.ndarray, int]:
    """The policy after so many games, as weights, and in how many information states it gave no answer.

    Raises:
        DoesNotFitError: the game is face up; such a learner gets the rules, which know nothing of that.
    """
    if not set(flat.information_states) <= set(unfolded(flat.game, LARGEST).information_states):
        raise DoesNotFitError("a learner that cannot be watched cannot be given the game face up: it asks the rules")
    table, unanswered = complete(flat, learner.train(flat.game, games, seed), range(flat.num_players))
    weights = np.zeros(flat.slots[-1])
    for where, actions, start in zip(flat.information_states, flat.actions, flat.slots, strict=False):
        weights[start : start + len(actions)] = [table.table[where].get(action, 0) for action in actions]
    return weights, unanswered


def marks(each: float, nodes: int, per_decade: int) -> np.ndarray:
    """Rising numbers of games, at which about ``FIRST`` to ``nodes`` states have been visited if a game takes ``each``.

    At least one game.
    """
    return np.unique(np.maximum(np.round(work(nodes, per_decade) / each), 1).astype(np.int64))


def work(nodes: int, per_decade: int) -> np.ndarray:
    """States visited at the marks: from ``FIRST`` in equal ratios, and ``nodes`` itself, if it is not among them."""
    steps = int(np.floor(per_decade * np.log10(nodes / FIRST) + 1e-9))
    wanted: np.ndarray = FIRST * 10 ** (np.arange(steps + 1) / per_decade)
    return wanted if np.isclose(wanted[-1], nodes) else np.append(wanted, nodes)


def visits(flat: FlatGame) -> float:
    """How many states a game visits on average if all play uniformly, its beginning and its end included.

    Such play must be sure to end.
    """
    after = flat.source
    fanout = np.diff(flat.first)[after]
    chance = np.where(flat.player[after] == CHANCE, np.array(flat.probability, float), 1 / fanout)
    reach: np.ndarray = np.zeros(flat.num_nodes)
    total = 0.0
    reach[0] = 1.0
    while (mass := reach.sum()) > 1e-9:
        total += mass
        reach = np.bincount(flat.child, reach[after] * chance, flat.num_nodes)
    return total


@settings
class CourseSettings:
    """A configuration: which learner, which game, how long.

    Attributes:
        learner: one of ``support.learners.LEARNERS``, or a class of your own, as ``module:Class``.
        game: one of ``support.games.GAMES``, or what makes the rules of another, as ``module:Class``.
        small: which of the game's sizes that unfold, from 0.
        face_up: whether nothing is hidden.
        nodes: about how many states are visited.
        per_decade: marks in each power of ten.
    """

    learner: str = "result-table"
    game: str = "kuhn-poker"
    small: Annotated[int, Field(ge=0)] = 0
    face_up: bool = False
    nodes: Annotated[int, Field(ge=FIRST, le=MOST_NODES)] = 10**7
    per_decade: Annotated[int, Field(ge=1, le=MOST_PER_DECADE)] = 2

    def __post_init__(self) -> None:
        learner_named(self.learner)
        if self.game not in GAMES and ":" not in self.game:
            raise ValueError(f"{unknown('game', self.game, GAMES)} Name another as module:Class.")
        if self.game not in GAMES:
            game = made("game", self.game, own("game", self.game, "initial_state"))
            if not isinstance(game, Game):
                raise ValueError(f"{self.game} must make a game, not {type(game).__name__}")
        sizes = len(GAMES[self.game].small) if self.game in GAMES else 1
        if self.small >= sizes:
            raise ValueError(f"small must be from 0 to {sizes - 1} for {self.game}, not {self.small}")

    @property
    def sizes(self) -> Mapping[str, Any]:
        """Arguments of the rules; the others keep their defaults."""
        return GAMES[self.game].small[self.small].sizes if self.game in GAMES else {}

    def rules(self) -> Game:
        """The rules at the size at which the game is learned."""
        if self.game in GAMES:
            return GAMES[self.game].rules(**self.sizes)
        game: Game = loaded(self.game)()
        return game


def require_sound(where: str, game: Game) -> None:
    """Play some random games of a user's own rules, and check every state on the way.

    Args:
        where: the game's name, or its rules as ``module:Class``.
        game: what they make.

    Raises:
        LearnerError: the game breaks the interface, or fails.
    """
    try:
        check_game(game)
    except AssertionError as error:
        raise LearnerError(f"the game {where} is not sound: {error}") from error
    except Exception as error:
        file = import_module(type(game).__module__).__file__
        raise LearnerError(f"the game {where} failed: {failure(error, file)}") from error


def course(config: CourseSettings, seed: int) -> Mapping[str, Any]:
    """What a learner knew of a game on the way; one that cannot take the game leaves empty columns and a reason."""
    flat = unfolded(config.rules(), LARGEST)
    if config.face_up:
        flat = face_up(flat)
    try:
        found = take(learner_named(config.learner), flat, seed, config.nodes, config.per_decade)
    except DoesNotFitError as error:
        return _record(Course(np.zeros(0, np.int64), np.zeros(0), np.zeros(0), float("nan")), str(error))
    return _record(found, "")


def _record(found: Course, refused: str) -> Mapping[str, Any]:
    return {
        "steps": found.games,
        "visited": found.nodes,
        "distance": found.distance,
        "uniform": found.uniform,
        "unanswered": found.unanswered,
        "refused": refused,
    }
