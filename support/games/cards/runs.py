"""Runs of the result table on ace, king, queen, over seeds and settings, and how their tables are read."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from support.core.flat import FlatGame
from support.core.screen import unknown
from support.exact.nash_conv_fast import Scorer, normalise
from support.games.cards.truth import flat_game
from support.learners.long_runs import History, TableRun, histories, result_table
from support.learners.result_table import ResultTableSettings
from support.learners.result_table_fast import advance, new_table
from support.learners.result_table_layout import lay_out
from support.sweep.scale import Scaled

FULL, SEEDS, READINGS, SWEEP, RELATIVES, ELSEWHERE, TIMED, COMPARED = range(8)
BASE = ResultTableSettings()
"""The published settings. Where the document is silent, ties go to the first choice and an untried choice counts zero.
"""
READING: Mapping[str, Mapping[str, Any]] = {
    "ties to the last": {"ties": "last"},
    "ties at random": {"ties": "random"},
    "untried first": {"untried": float("inf")},
    "untried by chance only": {"untried": float("-inf")},
}


@dataclass(frozen=True)
class CardsScale(Scaled):
    """How much the chapter runs.

    Attributes:
        games, full_seeds: length and number of the longest runs.
        middle, middle_seeds: length and number of further runs of the same kind.
        many, many_seeds: the same for shorter runs, enough of them to see whether a published table stands out.
        short, short_seeds: length of the runs that differ in a setting, and seeds for each.
        explorations: shares of random choices compared.
        swept, swept_seeds: length of the runs for each share, and number of seeds.
        compared, compared_games, compared_seeds: shares of random choices that are tried in long runs too, the length
            of these (one of the marks of the longest runs), and number of seeds for each.
        first, per_decade: the first number of games at which tables are kept, and how many in each power of ten.
        iterations: of the methods that walk through the whole tree.
        sampled, sampled_seeds: games and seeds of the methods that play games.
        any_games: games of the learner on each other game.
        folder: where long runs keep their checkpoints; None to keep none.
        root: the seed that all others are spawned from.
    """

    games: int = 10**10
    full_seeds: int = 8
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
    compared: tuple[Fraction, ...] = (Fraction(1, 10), Fraction(1, 1000))
    compared_games: int = round(10**9.5)
    compared_seeds: int = 2
    first: int = 1000
    per_decade: int = 4
    iterations: int = 10**6
    sampled: int = 10**7
    sampled_seeds: int = 4
    any_games: int = 3 * 10**7
    folder: Path | None = Path("_build/runs")
    root: int = 20190407

    @classmethod
    def small(cls) -> "CardsScale":
        """Sizes that take seconds."""
        return cls(
            games=10**7,
            middle=10**6,
            middle_seeds=2,
            many=10**5,
            many_seeds=18,
            short=10**5,
            short_seeds=2,
            swept=10**5,
            swept_seeds=2,
            compared_games=round(10**6.5),
            iterations=1000,
            sampled=10**5,
            sampled_seeds=2,
            any_games=10**4,
            folder=None,
        )

    def run(self, games: int, **settings: Any) -> TableRun:
        """A run of the result table on this game, as published except for the given settings."""
        folder = str(self.folder.resolve()) if self.folder else ""
        return TableRun(games=games, first=self.first, per_decade=self.per_decade, folder=folder, **settings)


@dataclass(frozen=True, eq=False)
class Learned:
    """All runs of the result table.

    Attributes:
        full: the longest runs.
        seeds: shorter runs of the same kind, longest first.
        readings: runs of ``short`` games, by the name of the setting that differs.
        sweep: runs of ``swept`` games, by share of random choices.
        compared: long runs, by share of random choices other than the published one.
    """

    full: list[History]
    seeds: list[History]
    readings: Mapping[str, list[History]]
    sweep: Mapping[Fraction, list[History]]
    compared: Mapping[Fraction, list[History]]

    def base(self, games: int) -> list[History]:
        """All runs of the base setting that reach ``games``, cut off there."""
        return [_cut(run, games) for run in (*self.full, *self.seeds) if run.marks[-1] >= games]


@cache
def scorer() -> Scorer:
    """NashConv in floating point, prepared for this game."""
    return Scorer(flat_game())


def learn(config: CardsScale) -> Learned:
    """Do all runs of the result table in this chapter, longest first."""

    def runs(settings: Sequence[TableRun], seeds: int | Sequence[int], place: int) -> list[list[History]]:
        records = config.sweep(result_table, settings, seeds, place)
        return [histories(records, number) for number in range(len(settings))]

    (full,) = runs([config.run(config.games)], config.full_seeds, FULL)
    others = [config.run(config.compared_games, exploration=share) for share in config.compared]
    compared = runs(others, config.compared_seeds, COMPARED)
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
        compared=dict(zip(config.compared, compared, strict=True)),
    )


def _cut(run: History, games: int) -> History:
    kept = run.marks <= games
    return History(run.marks[kept], run.nodes[kept], run.counts[kept], run.won[kept])


def by_counts(flat: FlatGame, run: History) -> np.ndarray:
    """float64[k, slots], the strategy at each mark as the document reads it: the shares of the choices made."""
    return normalise(flat, run.counts)


def by_values(flat: FlatGame, run: History) -> np.ndarray:
    """float64[k, slots], the other reading: always the choice that gained most on average, the first if tied.

    A choice that was never made counts as zero, as in the document.
    """
    values = np.nan_to_num(run.values())
    out: np.ndarray = np.zeros_like(values)
    for start, stop in zip(flat.slots, flat.slots[1:], strict=False):
        best = values[:, start:stop].argmax(axis=1)
        out[np.arange(len(values)), start + best] = 1.0
    return out


def share(run: History, information: str, action: str) -> np.ndarray:
    """float64[k], the share of a choice in the games of its information state at each mark; NaN before the first.

    Raises:
        KeyError: there is no such information state or action.
    """
    return _share(run.counts, information, action)


def share_since(run: History, information: str, action: str, games: int) -> float:
    """The share of a choice in its information state, counted only after the last mark at or before ``games``."""
    return float(_share(_counts_since(run, games), information, action)[0])


def _counts_since(run: History, games: float) -> np.ndarray:
    """int64[1, slots], how often each choice was made after the last mark at or before ``games``."""
    before = int(np.searchsorted(run.marks, games, side="right"))
    late: np.ndarray = run.counts[-1:] - (run.counts[before - 1] if before else 0)
    return late


def _share(counts: np.ndarray, information: str, action: str) -> np.ndarray:
    slots, slot = flat_game().slots, slot_of(information, action)
    state = int(np.searchsorted(slots, slot, side="right")) - 1
    total = counts[:, slots[state] : slots[state + 1]].sum(axis=1)
    return np.where(total > 0, counts[:, slot] / np.maximum(total, 1), np.nan)


def slot_of(information: str, action: str) -> int:
    """The slot of a choice, by the texts of its information state and its action.

    Raises:
        KeyError: there is no such information state or action.
    """
    flat = flat_game()
    texts = [text for _, text in flat.information_states]
    if information not in texts:
        raise KeyError(unknown("information state", information, texts))
    state = texts.index(information)
    actions = flat.actions[state]
    if action not in actions:
        raise KeyError(f"'{action}' is not legal in '{information}'; legal are {', '.join(actions)}")
    return int(flat.slots[state]) + actions.index(action)


@dataclass(frozen=True, eq=False)
class Curve:
    """How far a strategy is from an equilibrium in the course of a run.

    Attributes:
        steps: int64[k], games played, or iterations over the whole tree.
        nodes: int64[k], states visited until then.
        nash_conv: float64[k], in dollars a hand.
    """

    steps: np.ndarray
    nodes: np.ndarray
    nash_conv: np.ndarray

    def at(self, step: int) -> float:
        """NashConv at the last mark at or before ``step``.

        Raises:
            ValueError: there is none.
        """
        if step < self.steps[0]:
            raise ValueError(f"the first mark is at {self.steps[0]:,}, after {step:,}")
        return float(self.nash_conv[np.searchsorted(self.steps, step, side="right") - 1])

    def reaches(self, bar: float) -> int | None:
        """States visited when NashConv is first at or below ``bar`` for good; None if it ends above."""
        above = np.flatnonzero(self.nash_conv > bar)
        after = above[-1] + 1 if above.size else 0
        return int(self.nodes[after]) if after < len(self.nodes) else None

    def arrives(self, bar: float) -> int | None:
        """Steps after which NashConv stays at or below ``bar``, if that includes at least the last two marks."""
        above = np.flatnonzero(self.nash_conv > bar)
        after = above[-1] + 1 if above.size else 0
        return int(self.steps[after]) if after + 2 <= len(self.steps) else None


def curve(history: History, read: Callable[[FlatGame, History], np.ndarray] = by_counts) -> Curve:
    """The NashConv over a run of the result table, read by counts or by values."""
    return Curve(history.marks, history.nodes, scorer().nash_convs(read(flat_game(), history)))


def late_half(history: History) -> float:
    """NashConv of the choices made after the last mark at or before the middle of a run."""
    late = _counts_since(history, history.marks[-1] / 2)
    return float(scorer().nash_convs(normalise(flat_game(), late))[0])


def hours_taken(config: CardsScale, pieces: int = 8) -> np.ndarray:
    """float64[pieces], hours that the longest run would take on one core, each estimated from a piece of a run."""
    layout = lay_out(flat_game())
    table = new_table(layout, BASE, int(config.spawn(1, TIMED)[0]))
    piece = max(config.short // 5, 1)
    advance(layout, BASE, table, piece)
    hours = []
    for _ in range(pieces):
        began = time.process_time()  # other work of the machine does not count
        advance(layout, BASE, table, piece)
        hours.append((time.process_time() - began) / piece * config.games / 3600)
    return np.array(hours)
