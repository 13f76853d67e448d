"""Try a learner on every registered game that it fits: train it, judge it exactly, and print the results as a table."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any

import numpy as np

from support.core.interface import DoesNotFitError
from support.core.policy import Judgement
from support.core.screen import unknown
from support.games import GAMES, Entry
from support.judge import EXPECTED, NASH_CONV
from support.learners import MOST_GAMES, Learner, LearnerError
from support.learners.methods import unfolded
from support.lesson import Progress, sizes_to_try, teach, uniform, written
from support.sweep import spawn

GAMES_TO_LEARN = 10_000
"""The number of games for a learner that does not set its own."""
MOST_SEEDS, MOST_ROOT = 10**6, 2**128 - 1
"""More seeds than anybody has time for; roots are limited as in sweeps."""
WIDTH = 110
"""Characters in a line of the table."""
LINE = "{:15}{:>10} {:>19} {:>8} {:>8} {:>8} {:>8} {:>7}  {}"
HEAD = LINE.format("game", "games", "distance", "uniform", "best", "achieved", "learning", "judging", "unit")
DISTANCE = (
    "distance: best less achieved, exact; 0 is perfect play (±: standard deviation over seeds). uniform: the distance "
    "of uniform play, which knows nothing. Times are seconds, of all seeds together."
)
MEANING = {
    NASH_CONV: "two players. best: what the best response to the policy gets in each seat, added up; achieved: what "
    "they get if both play it, added up; so what they could gain",
    EXPECTED: "one player. best: what perfect play gets; achieved: what the policy gets",
}
AT_FIXED_TABLES = "best: the most that anybody can win there; achieved: what the policy wins"


@dataclass(frozen=True)
class Trial:
    """The result of a learner on a game.

    Attributes:
        game: the game's name.
        size: the arguments of its rules, if it was not played at its usual size.
        games: the number of games it learned from with each seed; 0 if it counts none.
        judgements: one per seed; none if the learner or the judge refused the game.
        learning: seconds of learning, for all seeds together.
        judging: seconds of judging, for all seeds together.
        uniform: the distance of uniform play; None if the game does not unfold.
        settled: whether no player ever has a choice at this size, so every policy is perfect.
        endless: for each seed whose policy may go on for ever, and so cannot be judged, where that happens.
        refused: why the learner or the judge refused the game; empty if neither did.
    """

    game: str
    size: str = ""
    games: int = 0
    judgements: tuple[Judgement, ...] = ()
    learning: float = 0
    judging: float = 0
    uniform: float | None = None
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
        """A line of the table, and below it the notes that are needed to read it."""
        if self.unjudged:
            return _indented(f"{self.game:15} {self.unjudged}")
        distance, best, achieved = (f"{self.mean(what):.5f}" for what in ("distance", "best", "achieved"))
        spread = f" ± {self.spread:.5f}" if len(self.judgements) > 1 else ""
        games, seconds = f"{self.games:,}" if self.games else "-", (f"{self.learning:.1f}", f"{self.judging:.1f}")
        scale = "-" if self.uniform is None else f"{self.uniform:.5f}"
        unit = self.judgements[0].unit.partition(",")[0].partition(" against ")[0]
        notes = [LINE.format(self.game, games, distance + spread, scale, best, achieved, *seconds, unit)]
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
    """What the columns mean, and the units in which the trials were judged; empty if none was judged."""
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

    Each is learned at the first size of :func:`support.lesson.sizes_to_try` that is not refused.

    Args:
        learner: the learner to try.
        names: the names of games; all by default.
        games: the number of games it learns from; by default the learner's own number.
        seeds: the number of times it learns each game, each with its own seed.
        root: the seed from which the others are spawned.
        progress: called with each step as text, and with an empty text at the end of each game.

    Raises:
        LearnerError: no such game, numbers out of range, or a learner that fails.
    """
    for name in names:
        if ":" in name:
            raise LearnerError(f"the game {name} is your own, and for comparisons: add --nodes, such as --nodes 10000")
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
    refused = []
    for sizes, unfolds in sizes_to_try(entry):
        try:
            return _tried(learner, entry, sizes, unfolds, games, seeds, progress)
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
    """Try one game at one size.

    Raises:
        DoesNotFitError: the learner or the judge refuses it.
        LearnerError: the learner fails.
    """
    name, game, found = entry.name, entry.rules(**sizes), []
    takes = f", which may take {entry.scorer_takes}" if entry.scorer_takes and not unfolds else ""
    for number, seed in enumerate(seeds, 1):
        of = f", seed {number} of {len(seeds)}" if len(seeds) > 1 else ""

        def said(step: str, of: str = of) -> None:
            progress(f"{name}: {step}{of}{takes if step == 'judging' else ''}")

        found.append(teach(learner, name, game, unfolds, games, seed, said))
    return Trial(
        name,
        written(game, entry, sizes),
        games,
        tuple(one.judgement for one in found if one.judgement),
        sum(one.learning for one in found),
        sum(one.judging for one in found),
        uniform(game) if unfolds else None,
        unfolds and bool((np.diff(unfolded(game).slots) < 2).all()),
        tuple(one.endless for one in found if one.endless),
    )
