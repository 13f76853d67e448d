"""Longer courses than the book has time for, and courses with other settings: run by hand, and kept with their date.

``python -m support.comparison.kept`` runs them again on both cores for a quarter of an hour, and replaces the file.
The build repeats some of the runs each time, and they must end at the same digits. PPO's are left out where torch may
give others (``support.learners.steady``).
"""

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from support.comparison.everyone import LEARNERS, ROUNDS, TABLES, ComparisonScale, Place, runs, title
from support.course import CourseSettings, course
from support.learners.steady import make_steady
from support.sweep import spawn

FILE = Path(__file__).parents[2] / "book" / "every-table-kept.json"
LONGER, SETTINGS = 2, 3
"""Places of the two sweeps below the chapter's root."""
NODES = 10**7
"""States visited by the longer runs; the networks would take hours."""
DIGITS = 10
"""Significant digits kept: what a processor with other instructions rounds differently comes after them."""
SAME = 1e-6
"""How far a repeated run may end from the kept one, as a share of it."""
KNOBS: Mapping[str, tuple[str, tuple[str, str, str]]] = {
    "afterstates": ("alpha", ("0.25", "0.5", "1")),
    "value-iteration": ("discount", ("0.9", "0.95", "1")),
    "uct": ("exploration", ("0.7", "1.4142135623730951", "2.8")),
    "monte-carlo": ("exploration", ("0.05", "0.1", "0.2")),
    "sarsa": ("exploration", ("0.05", "0.1", "0.2")),
    "q-learning": ("exploration", ("0.05", "0.1", "0.2")),
    "dqn": ("learning_rate", ("0.001", "0.003", "0.009")),
    "ppo": ("entropy", ("0", "0.05", "0.2")),
    "result-table": ("exploration", ("1/200", "1/100", "1/50")),
    "regret-table": ("exploration", ("1/200", "1/100", "1/50")),
    "sampled-cfr": ("exploration", ("0.3", "0.6", "0.9")),
    "mirror-descent": ("temperature", ("0.2", "1", "5")),
}
"""The setting of each learner that is varied, and its values: that of the table in the middle or, where none can be
less, first. The others have no settings. Mirror descent's 5 is its authors' for Leduc poker."""
OPEN, HIDDEN = TABLES[:2], TABLES[3:5]
"""Where they are varied: biscuits and three dice for the learners of open games, two poker games for the others."""


FAR = (*TABLES, *((name, 0) for name in ROUNDS if (name, 0) not in TABLES), ("liars-dice", 4))
"""Where the longer courses are taken: in two games more, which are too large for the others."""


def longer() -> list[CourseSettings]:
    """The longer courses of all learners but the networks, learner by learner."""
    quick = [name for name in LEARNERS if name not in ComparisonScale().slow]
    return [CourseSettings(learner, *place, nodes=NODES) for learner in quick for place in FAR]


def varied() -> list[CourseSettings]:
    """The courses with other settings."""
    config = ComparisonScale()
    return [
        CourseSettings(f"{learner}({knob}={value})", *place, nodes=config.slow.get(learner, (config.nodes,))[0])
        for learner, (knob, values) in KNOBS.items()
        for place in (OPEN if learner in ("afterstates", "value-iteration", "uct") else HIDDEN)
        for value in values
    ]


@dataclass(frozen=True)
class Kept:
    """Ends of courses, as distances relative to that of uniform play.

    Attributes:
        date: the day of the runs, as ``2026-11-24``.
        ends: by learner, with its settings, game and states asked for: one number for each seed.
    """

    date: str
    ends: Mapping[tuple[str, Place, int], Sequence[float]]

    @property
    def day(self) -> str:
        """The day for readers, such as 24 November 2026."""
        day = datetime.date.fromisoformat(self.date)
        return f"{day.day} {day:%B %Y}"

    def rows(self, settings: Iterable[CourseSettings]) -> Iterable[tuple[CourseSettings, np.ndarray]]:
        """The courses of some configurations that could be taken, with their ends."""
        for one in settings:
            if (key := key_of(one)) in self.ends:
                yield one, np.array(self.ends[key])


def key_of(one: CourseSettings) -> tuple[str, Place, int]:
    """What a course is kept under."""
    return one.learner, (one.game, one.small), one.nodes


def read(path: Path = FILE) -> Kept:
    """The kept ends."""
    content = json.loads(path.read_text(encoding="utf-8"))
    rows = {
        (row["learner"], (row["game"], row["small"]), row["nodes"]): [
            np.inf if one is None else one for one in row["ends"]
        ]
        for row in content["courses"]
    }
    return Kept(content["date"], rows)


def end(config: CourseSettings, seed: int) -> Mapping[str, float | str]:
    """Where one course ends, relative to uniform play; NaN, and a reason, if the learner cannot take it."""
    found = course(config, seed)
    distance = found["distance"][-1] if len(found["distance"]) else np.nan
    left = float(distance) / found["uniform"]
    return {"left": left if found["refused"] or np.isfinite(left) else np.inf, "refused": found["refused"]}


def written(ends: Iterable[float]) -> list[float | None]:
    """Ends as the file has them."""
    return [float(f"{one:.{DIGITS}g}") if np.isfinite(one) else None for one in ends]


def repeated(settings: Sequence[CourseSettings], place: int, kept: Kept) -> int:
    """Take the first course of some configurations again.

    It must end where it did, but for the last digits.

    Args:
        settings: some of ``longer()`` or ``varied()``.
        place: ``LONGER`` or ``SETTINGS``.
        kept: what was found.

    Returns:
        How many courses were taken, without those that are left out.

    Raises:
        ValueError: one of them ends elsewhere.
    """
    every = longer() if place == LONGER else varied()
    taken = 0
    for one in settings:
        if one.learner.startswith("ppo(") and not make_steady():
            continue
        seed = int(spawn(ComparisonScale().root, 1, place, every.index(one))[0])
        now, then = float(end(one, seed)["left"]), kept.ends[key_of(one)][0]
        if not np.isclose(now, then, rtol=SAME, atol=1e-12):
            where = f"{one.learner} at {title((one.game, one.small))}"
            raise ValueError(f"{where} ended at {then}, and now at {now}; they may differ by {SAME:g} of it")
        taken += 1
    return taken


def keep(path: Path = FILE, day: str = "") -> None:
    """Run everything, and write the file."""
    config, rows = ComparisonScale(), []
    for place, settings in ((LONGER, longer()), (SETTINGS, varied())):
        records = config.sweep(end, settings, runs(settings, config.seeds), place)
        for number, one in enumerate(settings):
            found = records.rows(number)
            if not found[0]["refused"]:
                key = {"learner": one.learner, "game": one.game, "small": one.small, "nodes": one.nodes}
                rows.append(key | {"ends": written(row["left"] for row in found)})
    date = day or datetime.datetime.now(datetime.UTC).date().isoformat()
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    path.write_text(f'{{"date": "{date}", "courses": [\n{lines}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    from support.comparison import kept  # workers cannot import this file under the name that it has as a program

    kept.keep()
