"""A learner tried on every registered game that it fits: trained, judged exactly, and told as a table."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np

from support.core.interface import DoesNotFitError
from support.core.policy import EndlessError, Judgement, PolicyError
from support.games import GAMES, Entry
from support.judge import EXPECTED, NASH_CONV, judge
from support.learners import Learner, LearnerError, failure, unknown
from support.learners.methods import MOST, unfolded
from support.sweep import spawn

GAMES_TO_LEARN = 10_000
"""How many games a learner gets that does not say."""
MOST_GAMES, MOST_SEEDS, MOST_ROOT = 10**15, 10**6, 2**128 - 1
"""More games than anybody has time for, and more seeds; roots as those of sweeps."""
WIDTH = 110
"""Characters of a line of the table."""
LINE = "{:16}{:>10} {:>19} {:>9} {:>9} {:>9} {:>9}  {}"
HEAD = LINE.format("game", "games", "distance", "best", "achieved", "learning", "judging", "unit")
DISTANCE = (
    "distance: best less achieved, exact; 0 is perfect play (±: standard deviation over seeds). Times are seconds, of "
    "all seeds together."
)
MEANING = {
    NASH_CONV: "two players. best: what the best response to the policy gets in each seat, added up; achieved: what "
    "they get if both play it, added up; so what they could gain",
    EXPECTED: "one player. best: what perfect play gets; achieved: what the policy gets",
}
AT_FIXED_TABLES = "best: the most that anybody can win there; achieved: what the policy wins"

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Trial:
    """What became of a learner on a game.

    Attributes:
        game: its name.
        size: the arguments of its rules, where that is not the usual size.
        games: how many it learned from with each seed; 0 where it counts none.
        judgements: one a seed; none if the learner or the judge refused the game.
        learning: seconds, of all seeds together.
        judging: the same.
        settled: whether nobody ever has a choice in it, at this size, so that every policy is perfect.
        endless: for each seed whose policy may play on for ever, and so cannot be judged, where it does.
        refused: why; empty if they did not.
    """

    game: str
    size: str = ""
    games: int = 0
    judgements: tuple[Judgement, ...] = ()
    learning: float = 0
    judging: float = 0
    settled: bool = False
    endless: tuple[str, ...] = ()
    refused: str = ""

    def mean(self, what: str) -> float:
        """The mean over the seeds of ``distance``, ``best`` or ``achieved``."""
        return float(np.mean([float(getattr(one, what)) for one in self.judgements]))

    @property
    def spread(self) -> float:
        """The standard deviation of the distance between seeds."""
        return float(np.std([float(one.distance) for one in self.judgements], ddof=1))

    @property
    def unjudged(self) -> str:
        """Why nothing was judged; empty if something was."""
        if self.endless and not self.judgements:
            return f"cannot be judged: {self.endless[0]}"
        return f"does not fit: {self.refused}" if self.refused else ""

    def __str__(self) -> str:
        """A line of the table, and below it what must be known to read it."""
        if self.unjudged:
            return _indented(f"{self.game:15} {self.unjudged}")
        distance, best, achieved = (f"{self.mean(what):.5f}" for what in ("distance", "best", "achieved"))
        spread = f" ± {self.spread:.5f}" if len(self.judgements) > 1 else ""
        games, seconds = f"{self.games:,}" if self.games else "-", (f"{self.learning:.1f}", f"{self.judging:.1f}")
        unit = self.judgements[0].unit.partition(",")[0].partition(" against ")[0]
        notes = [LINE.format(self.game, games, distance + spread, best, achieved, *seconds, unit)]
        if self.size:
            notes.append(f"{'':15} played with {self.size}")
        if self.settled:
            notes.append(f"{'':15} nobody ever has a choice at this size: every policy is perfect")
        if self.endless:
            seeds = len(self.endless) + len(self.judgements)
            notes.append(f"{'':15} without {len(self.endless)} of {seeds} seeds: {self.endless[0]}")
        if left := max(one.unanswered for one in self.judgements):
            of = max(one.information_states for one in self.judgements)
            every = "not a single answer: " if left == of else ""
            notes.append(f"{'':15} {every}{left:,} of {of:,} information states unanswered; uniform play counted there")
        return "\n".join(map(_indented, notes))


def legend(trials: Iterable[Trial]) -> str:
    """What the columns are, and the units that some trials were judged in; empty if none was."""
    units = dict.fromkeys(one.unit for trial in trials for one in trial.judgements)
    lines = [_indented(DISTANCE, 2)]
    lines += [_indented(f"{unit}: {MEANING.get(unit, AT_FIXED_TABLES)}.", 2) for unit in units]
    return "\n".join(lines if units else [])


def _indented(text: str, by: int = 16) -> str:
    return fill(text, WIDTH, subsequent_indent=" " * by, break_long_words=False, break_on_hyphens=False)


def trials(
    learner: Learner,
    names: Sequence[str] = (),
    games: int | None = None,
    seeds: int = 1,
    root: int = 0,
    progress: Progress = lambda text: None,
) -> Iterator[Trial]:
    """Train a learner on registered games and judge what it has learned, one game after the other.

    A game is taken at its usual size if that unfolds, otherwise at the first small one that does; a game with a scorer
    of its own is taken at its usual size where the learner or the judge refuses the small one, or it has none.

    Args:
        learner: what is tried.
        names: of games; all by default.
        games: how many it learns from; by default what it says itself.
        seeds: how often it learns each game.
        root: the seed from which those are spawned.
        progress: called with what is being done; with an empty text when a game is done with.

    Raises:
        LearnerError: no such game, numbers out of range, or a learner that fails.
    """
    for name in names:
        if name not in GAMES:
            raise LearnerError(unknown("game", name, GAMES))
    for what, number, least, most in (
        ("games", games, 1, MOST_GAMES),
        ("seeds", seeds, 1, MOST_SEEDS),
        ("root", root, 0, MOST_ROOT),
    ):
        if number is not None and number < least:
            raise LearnerError(f"{what} must be at least {least}, not {number}")
        if number is not None and number > most:
            raise LearnerError(f"{what} must be at most {most:,}, not {number:,}")
    many = getattr(learner, "games", GAMES_TO_LEARN)
    each = spawn(root, seeds).tolist()
    return (_trial(learner, GAMES[name], games if games and many else many, each, progress) for name in names or GAMES)


def _trial(learner: Learner, entry: Entry, games: int, seeds: Sequence[int], progress: Progress) -> Trial:
    small = [one.sizes for one in entry.small[:1] if one.positions <= MOST]
    refused = []
    for sizes in small + [{}] * (not small or (bool(entry.scorer_at) and {} not in small)):
        try:
            return _tried(learner, entry, sizes, sizes in small, games, seeds, progress)
        except DoesNotFitError as error:
            refused.append(str(error))
        finally:
            progress("")
    return Trial(entry.name, refused=refused[0])


def _tried(
    learner: Learner,
    entry: Entry,
    sizes: Mapping[str, Any],
    unfolds: bool,
    games: int,
    seeds: Sequence[int],
    progress: Progress,
) -> Trial:
    """One game, of one size.

    Raises:
        DoesNotFitError: the learner or the judge refuses it.
        LearnerError: the learner fails.
    """
    name, game, found, endless = entry.name, entry.rules(**sizes), [], []
    judged_on = unfolded(game) if unfolds else game
    takes = f", which may take {entry.scorer_takes}" if entry.scorer_takes and not unfolds else ""
    learning = judging = 0.0
    for number, seed in enumerate(seeds, 1):
        of = f", seed {number} of {len(seeds)}" if len(seeds) > 1 else ""
        progress(f"{name}: learning{of}")
        began = time.perf_counter()
        with _blamed(learner, f"the learner failed at {name}"):
            policy = learner.train(game, games, seed)
        if policy is None:
            raise LearnerError(f"train returned None at {name}: it must return the policy that it has learned")
        learned = time.perf_counter()
        progress(f"{name}: judging{of}{takes}")
        try:
            with _blamed(learner, f"what the learner returned at {name} cannot be judged"):
                found.append(judge(policy, judged_on))
        except EndlessError as error:
            endless.append(str(error))
        learning, judging = learning + learned - began, judging + time.perf_counter() - learned
    size = ", ".join(f"{key}={value}" for key, value in sizes.items()) if game != entry.rules() else ""
    settled = unfolds and bool((np.diff(unfolded(game).slots) < 2).all())
    return Trial(name, size, games, tuple(found), learning, judging, settled, tuple(endless))


@contextmanager
def _blamed(learner: Learner, what: str) -> Iterator[None]:
    """Whatever goes wrong inside is the learner's fault, but for a game that does not fit."""
    try:
        yield
    except (DoesNotFitError, EndlessError):
        raise
    except PolicyError as error:
        raise LearnerError(f"{what}: {error}") from error
    except Exception as error:
        file = getattr(sys.modules[type(learner).__module__], "__file__", None)
        raise LearnerError(f"{what}: {failure(error, file)}") from error
