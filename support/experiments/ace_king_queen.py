"""The experiments of the chapter on ace, king, queen: the result table at full length, over seeds and settings."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from support.agents.result_table import Settings
from support.exact.sequence_form import ActionRange
from support.experiments.ace_king_queen_exact import flat_game
from support.experiments.long_runs import History, TableRun, histories, result_table
from support.experiments.scale import Scaled
from support.games.flat import FlatGame
from support.kernels.nash_conv import Scorer, normalise
from support.kernels.result_table import advance, lay_out, new_table

__all__ = [
    "BASE",
    "ELSEWHERE",
    "PUBLISHED",
    "RELATIVES",
    "Config",
    "Learned",
    "Likeness",
    "by_counts",
    "by_values",
    "choice_paths",
    "hours_taken",
    "learn",
    "likeness",
    "number",
    "published_shares",
    "scorer",
    "share",
    "share_since",
    "table_rows",
]

FULL, SEEDS, READINGS, SWEEP, RELATIVES, ELSEWHERE, TIMED = range(7)
BASE = Settings()
"""As published. What the document leaves open we read so: ties go to the first choice, an untried one counts zero."""
READING: Mapping[str, Mapping[str, Any]] = {
    "ties to the last": {"ties": "last"},
    "ties at random": {"ties": "random"},
    "untried first": {"untried": float("inf")},
    "untried by chance only": {"untried": float("-inf")},
}
PUBLISHED: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Q": {"c": ("699M", "3.2B"), "r": ("29M", "164M")},
    "K": {"c": ("2.5B", "3.3B"), "r": ("44M", "61M")},
    "A": {"c": ("5.6B", "3.1B"), "r": ("361M", "206M")},
    "Qcr": {"f": ("0", "1.4B"), "c": ("-2.4M", "4.7M"), "r": ("-3.4M", "4.7M")},
    "Kcr": {"f": ("0", "546M"), "c": ("1.2k", "937M"), "r": ("-3.1M", "5.0M")},
    "Acr": {"f": ("0", "4.8M"), "c": ("7.5M", "4.8M"), "r": ("2.2B", "1.4B")},
    "Qc": {"c": ("705M", "2.0B"), "r": ("394M", "1.1B")},
    "Kc": {"c": ("3.2B", "3.2B"), "r": ("15M", "18M")},
    "Ac": {"c": ("26M", "15M"), "r": ("6.0B", "3.2B")},
    "Qcrr": {"f": ("0", "394M"), "c": ("-2.0M", "2.0M")},
    "Acrr": {"f": ("0", "5.2M"), "c": ("2.1B", "1.0B")},
}
"""The published table after ten billion games: for each information state and choice what was won, and in how many."""
WATCHED = {"A bets": ("A", "r"), "K bets": ("K", "r"), "Q bets": ("Q", "r"), "K bets after a check": ("Kc", "r")}
"""The choices whose shares the chapter follows."""
UNITS = {"k": 10**3, "M": 10**6, "B": 10**9}


@dataclass(frozen=True)
class Config(Scaled):
    """Sizes of the chapter's experiments.

    Attributes:
        games, full_seeds: length and number of the longest runs.
        middle, middle_seeds: length and number of further runs of the same kind.
        many, many_seeds: and of shorter ones, so that a published table could be told from ours.
        short, short_seeds: length of the runs that differ in a setting, and seeds for each.
        explorations: shares of random choices compared.
        swept, swept_seeds: length of the runs for each of them, and seeds.
        first, per_decade: the first number of games at which tables are kept, and how many in a power of ten.
        iterations: of the methods that walk through the whole tree.
        sampled, sampled_seeds: games and seeds of the methods that play games.
        any_games: games of the learner on each other game.
        folder: where long runs keep their checkpoints, None to keep none.
        root: the seed that all others are spawned from.
    """

    games: int = 10**10
    full_seeds: int = 2
    middle: int = 10**9
    middle_seeds: int = 4
    many: int = 10**8
    many_seeds: int = 16
    short: int = 3 * 10**7
    short_seeds: int = 6
    explorations: tuple[Fraction, ...] = tuple(
        Fraction(share) for share in ("1/10000", "1/1000", "3/1000", "1/100", "3/100", "1/10", "3/10")
    )
    swept: int = 10**8
    swept_seeds: int = 6
    first: int = 1000
    per_decade: int = 4
    iterations: int = 10**6
    sampled: int = 10**7
    sampled_seeds: int = 4
    any_games: int = 3 * 10**7
    folder: Path | None = Path("_build/runs")
    root: int = 20190407

    @classmethod
    def small(cls) -> "Config":
        """Sizes that take seconds."""
        lengths: dict[str, Any] = {
            "games": 10**7,
            "middle": 10**6,
            "many": 10**5,
            "short": 10**5,
            "swept": 10**5,
            "sampled": 10**5,
            "any_games": 10**4,
        }
        lengths |= {"middle_seeds": 2, "many_seeds": 18, "short_seeds": 2, "swept_seeds": 2, "sampled_seeds": 2}
        return cls(**lengths, iterations=1000, folder=None)

    def run(self, games: int, **settings: Any) -> TableRun:
        """A run of the result table on this game, as published but for the settings named."""
        folder = str(self.folder.resolve()) if self.folder else ""
        return TableRun(games=games, first=self.first, per_decade=self.per_decade, folder=folder, **settings)


@dataclass(frozen=True, eq=False)
class Learned:
    """All runs of the result table.

    Attributes:
        full: the longest runs.
        seeds: further runs of the same kind, shorter, longest first.
        readings: by name of what is read otherwise, runs at ``short`` games.
        sweep: by share of random choices, runs at ``swept`` games.
    """

    full: list[History]
    seeds: list[History]
    readings: Mapping[str, list[History]]
    sweep: Mapping[Fraction, list[History]]

    def base(self, games: int) -> list[History]:
        """All runs of the base setting that reach ``games``, cut off there."""
        return [_cut(run, games) for run in (*self.full, *self.seeds) if run.marks[-1] >= games]


@cache
def scorer() -> Scorer:
    """NashConv in floating point, prepared for this game."""
    return Scorer(flat_game())


def learn(config: Config) -> Learned:
    """Everything that is learned by the result table in this chapter, longest runs first."""

    def runs(settings: Sequence[TableRun], seeds: int | Sequence[int], place: int) -> list[list[History]]:
        records = config.sweep(result_table, settings, seeds, place)
        return [histories(records, number) for number in range(len(settings))]

    (full,) = runs([config.run(config.games)], config.full_seeds, FULL)
    shorter = [config.run(config.middle), config.run(config.many)]
    seeds = runs(shorter, (config.middle_seeds, config.many_seeds), SEEDS)
    readings = runs([config.run(config.short, **other) for other in READING.values()], config.short_seeds, READINGS)
    shares = [config.run(config.swept, exploration=share) for share in config.explorations]
    swept = runs(shares, config.swept_seeds, SWEEP)
    return Learned(
        full=full,
        seeds=[run for group in seeds for run in group],
        readings=dict(zip(READING, readings, strict=True)),
        sweep=dict(zip(config.explorations, swept, strict=True)),
    )


def _cut(run: History, games: int) -> History:
    kept = run.marks <= games
    return History(run.marks[kept], run.nodes[kept], run.counts[kept], run.won[kept])


def by_counts(flat: FlatGame, run: History) -> np.ndarray:
    """float64[k, slots], the strategy at each mark as the document reads it: how often each choice was made."""
    return normalise(flat, run.counts)


def by_values(flat: FlatGame, run: History) -> np.ndarray:
    """float64[k, slots], the other reading: always the choice that gained most on average, the first of several.

    A choice that was never made counts as zero, as in the document.
    """
    values = np.nan_to_num(run.values())
    out: np.ndarray = np.zeros_like(values)
    for start, stop in zip(flat.slots, flat.slots[1:], strict=False):
        best = values[:, start:stop].argmax(axis=1)
        out[np.arange(len(values)), start + best] = 1.0
    return out


def share(flat: FlatGame, run: History, information: str, action: str) -> np.ndarray:
    """float64[k], the share of the games in an information state in which a choice was made; nan where there is none.

    Raises:
        KeyError: no such information state or action.
    """
    slot = _slot(flat, information, action)
    state = int(np.searchsorted(flat.slots, slot, side="right")) - 1
    total = run.counts[:, flat.slots[state] : flat.slots[state + 1]].sum(axis=1)
    return np.where(total > 0, run.counts[:, slot] / np.maximum(total, 1), np.nan)


def _slot(flat: FlatGame, information: str, action: str) -> int:
    texts = [text for _, text in flat.information_states]
    if information not in texts:
        raise KeyError(f"no information state '{information}'; there are {', '.join(texts)}")
    state = texts.index(information)
    actions = [flat.action[edge] for edge in flat.edges(flat.nodes_of_information()[state][0])]
    if action not in actions:
        raise KeyError(f"'{action}' is not legal in '{information}'; legal are {', '.join(actions)}")
    return int(flat.slots[state]) + actions.index(action)


def number(text: str) -> int:
    """A number as the document prints it: ``number("3.2B")`` is 3,200,000,000.

    Raises:
        ValueError: it is not of this form.
    """
    digits, unit = (text[:-1], UNITS[text[-1]]) if text[-1:] in UNITS else (text, 1)
    return int(Fraction(digits) * unit)


def published_shares() -> dict[tuple[str, str], float]:
    """For each row and choice of the published table the share of its games."""
    out: dict[tuple[str, str], float] = {}
    for state, row in PUBLISHED.items():
        total = sum(number(games) for _, games in row.values())
        out |= {(state, action): number(games) / total for action, (_, games) in row.items()}
    return out


@dataclass(frozen=True)
class Likeness:
    """How far the published table lies from ours, and ours from each other.

    Tables are as far apart as half the sum of the differences between their shares, averaged over the rows.

    Attributes:
        published: the mean distance of the published table from ours.
        ours: the mean distance of each of ours from all others, the published one among them.
        each: the distance of the published table from each of ours.
        nearest: the distance of each of ours from the nearest other one of ours.
    """

    published: float
    ours: tuple[float, ...]
    each: tuple[float, ...]
    nearest: tuple[float, ...]

    @property
    def surprise(self) -> float:
        """The share of all tables that lie at least as far out as the published one, itself included."""
        return (1 + sum(other >= self.published for other in self.ours)) / (1 + len(self.ours))


def likeness(runs: Sequence[History]) -> Likeness:
    """The published table among tables of ours at the last mark of each run."""
    keys = list(published_shares())
    tables = [list(published_shares().values())]
    tables += [[float(share(flat_game(), run, *key)[-1]) for key in keys] for run in runs]
    vectors = np.array(tables)
    apart = np.abs(vectors[:, None] - vectors[None]).sum(axis=2) / 2 / len(PUBLISHED)
    means = apart.sum(axis=1) / len(runs)
    nearest = np.sort(apart[1:, 1:], axis=1)[:, 1]  # the first is itself
    return Likeness(float(means[0]), *(tuple(row.tolist()) for row in (means[1:], apart[0, 1:], nearest)))


def share_since(run: History, information: str, action: str, games: int) -> float:
    """The share of a choice in its information state, counted only after the last mark up to a number of games."""
    flat, begin = flat_game(), int(np.searchsorted(run.marks, games, side="right")) - 1
    slot = _slot(flat, information, action)
    state = int(np.searchsorted(flat.slots, slot, side="right")) - 1
    late = run.counts[-1] - run.counts[begin]
    return float(late[slot] / late[flat.slots[state] : flat.slots[state + 1]].sum())


def table_rows(runs: Sequence[History]) -> list[tuple[str, str, float, float, list[tuple[float, float]]]]:
    """The published table beside ours at the last mark.

    Returns:
        For each choice its information state, the action, the published share of the games and average gain, and the
        same pair for each run.
    """
    flat, rows = flat_game(), []
    for (state, action), published in published_shares().items():
        won, games = map(number, PUBLISHED[state][action])
        ours = []
        for run in runs:
            slot = _slot(flat, state, action)
            ours.append((float(share(flat, run, state, action)[-1]), float(run.values()[-1, slot])))
        rows.append((state, action, published, won / games, ours))
    return rows


def choice_paths(
    learned: Learned, ranges: Mapping[tuple[int, str], Mapping[str, ActionRange]]
) -> tuple[np.ndarray, dict[str, list[np.ndarray]], dict[str, tuple[float, float]], dict[str, float]]:
    """Shares of some choices in the course of the longest runs.

    Args:
        learned: the runs.
        ranges: the optimal ranges, by (player, information state) and action.

    Returns:
        int64[k], games; for each choice one float64[k] a seed, the range of optimal strategies, the published share.
    """
    said, known = published_shares(), {text: row for (_, text), row in ranges.items()}
    shares: dict[str, list[np.ndarray]] = {}
    optimal: dict[str, tuple[float, float]] = {}
    published: dict[str, float] = {}
    for name, (state, action) in WATCHED.items():
        shares[name] = [share(flat_game(), run, state, action) for run in learned.full]
        behaviour = known[state][action].behaviour
        assert behaviour is not None
        optimal[name] = float(behaviour[0]), float(behaviour[1])
        published[name] = said[state, action]
    return learned.full[0].marks, shares, optimal, published


def hours_taken(config: Config, pieces: int = 8) -> np.ndarray:
    """float64[pieces], hours that the longest run would take on one core, from pieces of a run played for this."""
    layout = lay_out(flat_game())
    table = new_table(layout, BASE, int(config.spawn(1, TIMED)[0]))
    piece = max(config.short // 5, 1)
    advance(layout, BASE, table, piece)
    hours = []
    for _ in range(pieces):
        began = time.perf_counter()
        advance(layout, BASE, table, piece)
        hours.append((time.perf_counter() - began) / piece * config.games / 3600)
    return np.array(hours)
