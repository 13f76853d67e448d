"""Every learner at every table: who takes which course, for how long, and what came of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from support.course import CourseSettings, course
from support.games import GAMES
from support.sweep import Records
from support.sweep.scale import Scaled

TABLES = (
    ("biscuits", 0),
    ("three-dice", 0),
    ("ace-king-queen", 0),
    ("kuhn-poker", 0),
    ("leduc-poker", 0),
    ("liars-dice", 0),
    ("liars-dice", 2),
    ("liars-dice", 3),
    ("support.games.call_or_raise.equals:one_round", 0),
)
"""The games, each with the number of its size among those that unfold; rounds come last."""
ROUNDS = {
    "support.games.call_or_raise.equals:one_round": "Call or raise, a round",
    "support.games.wild_ones.equals:one_round": "Wild ones, a round",
}
"""What the rounds are called for readers."""
POKER = TABLES[2:]
"""The games in which something is hidden."""
LEARNERS = {
    "afterstates": "Afterstates",
    "value-iteration": "Value iteration",
    "uct": "UCT",
    "monte-carlo": "Monte Carlo",
    "sarsa": "Sarsa",
    "q-learning": "Q-learning",
    "dqn": "DQN",
    "ppo": "PPO",
    "result-table": "Result table",
    "regret-table": "Regret table",
    "fictitious-play": "Fictitious play",
    "cfr": "CFR",
    "cfr-plus": "CFR+",
    "sampled-cfr": "Outcome sampling",
    "external-sampling": "External sampling",
    "mirror-descent": "Mirror descent",
}
"""The learners by name, and what the chapter calls them: those that plan or play open games, those that learn values,
those that learn networks, the tables of chapter 3, those that minimise regret."""
WITHOUT_CHANCE = {"value-iteration", "fictitious-play", "cfr", "cfr-plus", "mirror-descent"}
"""The learners that draw no random numbers: one run says all."""
EVERYWHERE, FACE_UP = 0, 1
"""Places of the sweeps below the root."""

Place = tuple[str, int]


def base(learner: str) -> str:
    """A learner's name without its settings."""
    return learner.partition("(")[0]


def runs(settings: Iterable[CourseSettings], seeds: int) -> list[int]:
    """How often each course is taken: once where nothing is random, and otherwise with so many seeds."""
    return [1 if base(one.learner) in WITHOUT_CHANCE else seeds for one in settings]


def title(place: Place) -> str:
    """A game's name for readers, with its size where the book has several; one of your own is called what it is."""
    if place[0] not in GAMES:
        return ROUNDS.get(place[0], place[0])
    entry = GAMES[place[0]]
    sizes = entry.small[place[1]].sizes
    return f"{entry.title}, {sizes['faces']} faces" if place[0] == "liars-dice" else entry.title


@dataclass(frozen=True)
class ComparisonScale(Scaled):
    """How much the chapter runs.

    Attributes:
        tables: the games that are learned.
        hidden: those of them in which something is hidden, which are learned face up, too.
        seeds: runs of each learner that draws random numbers.
        nodes: states visited in each run.
        slow: the learners that visit fewer states, because a state costs them a hundred times as much or more, each
            with how many states it visits and the games that it learns.
        root: the seed that all others are spawned from.
    """

    tables: tuple[Place, ...] = TABLES
    hidden: tuple[Place, ...] = POKER[:4]
    seeds: int = 10
    nodes: int = 10**6
    slow: Mapping[str, tuple[int, tuple[Place, ...]]] = field(
        default_factory=lambda: {"dqn": (10**5, TABLES[:6]), "ppo": (10**5, TABLES[3:5])}
    )
    root: int = 20261123

    @classmethod
    def small(cls) -> "ComparisonScale":
        """Sizes that take seconds."""
        return cls(
            tables=(*TABLES[:2], *TABLES[3:4]),
            hidden=TABLES[3:4],
            seeds=2,
            nodes=3000,
            slow={"dqn": (2000, TABLES[3:4]), "ppo": (2000, TABLES[3:4])},
        )

    def settings(self, face_up: bool = False) -> list[CourseSettings]:
        """All courses, learner by learner; with ``face_up`` those of the games that hide something, for all to see.

        Seeds go by the place in this list, so a learner that is added at its end leaves those of the others alone.
        """
        return [
            CourseSettings(learner, *place, face_up, self.slow[learner][0] if learner in self.slow else self.nodes)
            for learner in LEARNERS
            for place in (self.hidden if face_up else self.tables)
            if not (learner in self.slow and (face_up or place not in self.slow[learner][1]))
        ]

    def run(self, face_up: bool = False) -> "Comparison":
        """Let all learners take their courses."""
        settings = self.settings(face_up)
        place = FACE_UP if face_up else EVERYWHERE
        return Comparison(settings, self.sweep(course, settings, runs(settings, self.seeds), place))


@dataclass(frozen=True, eq=False)
class Courses:
    """The courses of one learner in one game.

    Attributes:
        nodes: float64[k], the states visited up to each mark, the median over the seeds; NaN for a planner.
        relative: float64[seeds, k], the distance from the truth as a share of that of uniform play; infinite where a
            policy might play on for ever.
        games: float64[k], games or iterations up to each mark, the median over the seeds.
        uniform: the distance of uniform play.
        unanswered: the most information states that a policy at the last mark left unanswered.
    """

    games: np.ndarray
    nodes: np.ndarray
    relative: np.ndarray
    uniform: float
    unanswered: int = 0

    @property
    def seeds(self) -> int:
        """The number of runs."""
        return len(self.relative)

    @cached_property
    def median(self) -> np.ndarray:
        """float64[k], the median over the seeds."""
        middle: np.ndarray = np.median(self.relative, axis=0)
        return middle

    @property
    def end(self) -> float:
        """The median at the last mark."""
        return float(self.median[-1])

    @property
    def ends(self) -> np.ndarray:
        """float64[seeds], all runs at the last mark."""
        return self.relative[:, -1]


@dataclass(frozen=True, eq=False)
class Comparison:
    """All courses.

    Attributes:
        settings: the configurations.
        records: their records.
    """

    settings: Sequence[CourseSettings]
    records: Records

    @cached_property
    def found(self) -> Mapping[Place, Mapping[str, Courses]]:
        """The courses by game and learner, without those that a learner could not take."""
        found: dict[Place, dict[str, Courses]] = {}
        for number, setting in enumerate(self.settings):
            rows = self.records.rows(number)
            taken = found.setdefault((setting.game, setting.small), {})
            if rows[0]["refused"]:
                continue
            marks = min(len(row["distance"]) for row in rows)  # a last mark may be lost where games took longer
            games, nodes = (
                np.median([np.asarray(row[n])[:marks] for row in rows], axis=0) for n in ("steps", "visited")
            )
            distance = np.array([np.asarray(row["distance"])[:marks] / row["uniform"] for row in rows])
            relative = np.nan_to_num(distance, nan=np.inf, posinf=np.inf)
            unanswered = max(row["unanswered"] for row in rows)
            taken[setting.learner] = Courses(games, nodes, relative, rows[0]["uniform"], unanswered)
        return found

    def lines(self) -> Iterator[str]:
        """A table for a terminal: a line for each learner and game, with what is left to learn or why it cannot."""
        wide = max(len(one.learner) for one in self.settings)
        yield f"{'learner':{wide}}  {'game':<23}{'left':>9}  {'lowest':>9}  {'highest':>9}  {'states':>13}  seeds"
        for setting in self.settings:
            place = (setting.game, setting.small)
            one, start = self.found[place].get(setting.learner), f"{setting.learner:{wide}}  {title(place):<23}"
            if one is None:
                yield f"{start}{self.refused[place][setting.learner]}"
                continue
            numbers = "  ".join(f"{value:9.3g}" for value in (one.end, one.ends.min(), one.ends.max()))
            yield f"{start}{numbers}  {one.nodes[-1]:13,.0f}  {one.seeds:5}"
            if one.unanswered:
                yield f"{'':{wide}}  information states unanswered, where uniform play counted: {one.unanswered:,}"
        yield ""
        yield "left: of random play's distance from perfect play, what is left: median, lowest and highest of the seeds"
        yield "states: visited in each run; of a learner without a method curve, those that random games would visit"

    @cached_property
    def refused(self) -> Mapping[Place, Mapping[str, str]]:
        """Why a learner could not take a game, by game and learner."""
        why: dict[Place, dict[str, str]] = {}
        for number, setting in enumerate(self.settings):
            if reason := self.records.rows(number)[0]["refused"]:
                why.setdefault((setting.game, setting.small), {})[setting.learner] = reason
        return why
