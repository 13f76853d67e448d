"""Agents that learn call or raise: one program in three versions, over many seeds and settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from support.core.checks import part_of, require_one_of, settings
from support.games.call_or_raise.q_learning_fast import advance, new_table
from support.games.call_or_raise.settings import (
    AS_MEANT,
    AS_READ,
    AS_RUN,
    SLIPS,
    Agent,
    Probability,
    QLearning,
    QTableSettings,
    Rewards,
    Slips,
)
from support.sweep import spawn
from support.sweep.scale import Scaled, Several
from support.verdicts.stats import estimate

Version = Literal["run", "read", "meant"]
MOST = 100_000_000  # games of a run: each takes nine bytes of memory
POINTS = 1_000_000  # points of a learning curve
Games = Annotated[int, Field(ge=0, le=MOST)]
Estimate = tuple[float, float, float]
"""A mean over runs, and the ends of a 95% interval."""
VERSIONS: Mapping[str, Slips] = {"run": AS_RUN, "read": AS_READ, "meant": AS_MEANT}
"""The program as R ran it in 2018, as R reads it today, and as its text describes it."""


@settings
class Run(QLearning, Rewards):
    """A configuration: one agent that is trained and then evaluated, with the fields of its learning and its rewards.

    Attributes:
        version: one of ``VERSIONS``.
        flip: the slips that differ from this version, names joined by +; empty for none.
        bluff: its probability of bluffing.
        others, others_bluff: how the others play, and their probability of bluffing.
        players: the number of players.
        warm: training games before those that count.
        games: training games that count.
        stop: training games after which the table is no longer updated; None to go on to the end.
        evaluated: games with the trained agent, without exploration.
        explored: the same with exploration, as in the document's evaluation.
        every: games between two points of the learning curve, which has at most ``POINTS``.

    Raises:
        ValueError: a value is out of range, or values do not go together.
    """

    version: Version = "run"
    flip: str = ""
    bluff: Probability = Fraction(1, 2)
    others: Literal["random", "probability", "holds", "table"] = "random"
    others_bluff: Probability = Fraction(1)
    players: Annotated[int, Field(ge=2, le=6)] = 4
    warm: Games = 0
    games: Games = 5000
    stop: Games | None = None
    evaluated: Games = 1000
    explored: Games = 0
    every: Annotated[int, Field(ge=1, le=MOST)] = 100

    def __post_init__(self) -> None:
        if self.games > POINTS * self.every:
            raise ValueError(
                f"every must be at least a {POINTS:,}th of the {self.games:,} games of training, not {self.every}"
            )
        if self.stop is not None and self.stop > self.games:
            raise ValueError(f"stop must be at most the {self.games} games of training, not {self.stop}")
        self.settings()

    def settings(self) -> QTableSettings:
        """The table of players, and how the first one learns."""
        return QTableSettings(
            **part_of(self, QLearning),
            players=(Agent("q", self.bluff), *[Agent(self.others, self.others_bluff)] * (self.players - 1)),
            slips=slips_of(self.version, self.flip),
            rewards=Rewards(**part_of(self, Rewards)),
        )


def slips_of(version: str, flip: str = "") -> Slips:
    """The slips of a version, with those named in ``flip`` (joined by +) reversed.

    Raises:
        ValueError: there is no such slip.
    """
    slips, names = VERSIONS[version], flip.split("+") if flip else []
    for name in names:
        if name not in SLIPS:
            raise ValueError(f"flip must name slips ({', '.join(SLIPS)}) joined by +, not {name!r}")
    return replace(slips, **{name: not getattr(slips, name) for name in names})


def trained(config: Run, seed: int) -> Mapping[str, Any]:
    """Each player's wins while the agent learns call or raise and afterwards, and its learning curve.

    Returns:
        ``training``, ``evaluation``, ``greedy``: int64[players], wins in training, and of the trained agent with and
        without exploration. ``hundred``: int64[players], wins in the first hundred games of the evaluation, as many as
        the document has. ``curve``: int64[points], the agent's wins so far.
    """
    table = config.settings()
    learning, exploring, greedy = spawn(seed, 3).tolist()
    q = new_table(table)
    visits = np.zeros(q.shape, np.int64)
    advance(table, q, config.warm, learning, visits=visits)
    learns = config.games if config.stop is None else config.stop
    winners = advance(table, q, learns, learning, config.warm, visits=visits)
    if rest := config.games - learns:
        winners = np.r_[winners, advance(table, q, rest, learning, config.warm + learns, learn=False)]
    after = advance(table, q, config.explored, exploring, learn=False)
    best = advance(replace(table, exploration=Fraction(0)), q, config.evaluated, greedy, learn=False)
    won = np.cumsum(winners == 1)[config.every - 1 :: config.every]
    return {
        "training": counts(winners, config.players),
        "evaluation": counts(after, config.players),
        "hundred": counts(after[:100], config.players),
        "greedy": counts(best, config.players),
        "curve": won.astype(np.int64),
    }


def counts(winners: np.ndarray, players: int) -> np.ndarray:
    """int64[players], how often each player won."""
    return np.bincount(winners, minlength=players + 1)[1:].astype(np.int64)


THREE, MENDED, REWARDED, SEEN, BUCKETS, RATES, BLUFFS, PAIRS, LONG = range(9)
WARM, TRACE, CALLS, CEILING, SMALL, _, FROZEN, COLUMNS, DECISIONS = range(9, 18)
"""Places below the root seed of the chapter's experiments."""


@dataclass(frozen=True)
class CallOrRaiseScale(Scaled):
    """Sizes of the chapter's experiments.

    Attributes:
        runs: training runs of each of the three versions.
        after: games of each with the trained agent, as many with exploration as without.
        games: training games, as published.
        some, evaluated: runs of most other settings, and games of each with the trained agent, without exploration. A
            share of n games has the variance 0.2 / n; over seeds the shares of the program of 2018 have 0.00012. A
            run's training costs as much as 5,000 games without, so an interval costs least at sqrt(5,000 * 0.2 /
            0.00012), some 2,900 games. With sixty runs it is as wide as with a hundred runs of a thousand games.
        longer, few: training games where a larger table or menu has to be filled, and runs of these. Over seeds their
            shares vary by 0.005 to 0.01, so with ten times as many games afterwards (a standard error of 0.002) ten
            runs do as well as 25 with the error of a thousand games (0.013).
        hundred: runs of tables with a warm start, whose counts are ranked, and of each pair of agents.
        long_runs, long_games: number and length of the runs in search of the best table. A table's exact winning
            probability stops rising after some four million games: at 4, 7 and 10 million it was 0.8412, 0.8414 and
            0.8414 in one run, 0.8415, 0.8407 and 0.8410 in another. It wavers by 0.0003, so the best of four such runs
            (0.8414) is no worse than the best of ten with ten million games, picked by test games (0.8413).
        most_dice, simulated: dice of each player at the largest table whose best answer is computed, and games to
            check it.
        small_dice: dice of each player at the largest tables that are solved in fractions.
        watchers, watched: agents of each version, and games of each, in which called bids are counted.
        altered: one in this many of the tables that differ from the printed game in one cell is tried.
        root: the seed that all others are spawned from.
    """

    runs: int = 1000
    after: int = 1000
    games: int = 5000
    some: int = 60
    evaluated: int = 3000
    longer: int = 100_000
    few: int = 10
    hundred: int = 100
    long_runs: int = 4
    long_games: int = 4_000_000
    most_dice: int = 6
    simulated: int = 200_000
    small_dice: int = 3
    watchers: int = 8
    watched: int = 40
    altered: int = 1
    root: int = 20181220

    @classmethod
    def small(cls) -> "CallOrRaiseScale":
        """Sizes that take seconds."""
        training = cls(runs=30, after=200, games=500, some=4, evaluated=200, longer=1000, few=2, hundred=4)
        small = replace(training, long_runs=2, long_games=2000, most_dice=2, simulated=1000, small_dice=1)
        return replace(small, watchers=2, watched=20, altered=50)

    def run(self, **settings: Any) -> Run:
        """A run of these sizes, as published except for the given settings."""
        return Run(**({"games": self.games, "evaluated": self.evaluated} | settings))

    def longer_run(self, **settings: Any) -> Run:
        """A longer run, with more games afterwards to match its length."""
        return self.run(games=self.longer, evaluated=10 * self.evaluated, every=max(self.longer // 10, 1), **settings)


@dataclass(frozen=True, eq=False)
class Learned(Several):
    """Agents that were trained with several settings."""

    settings: Mapping[str, Run]

    def wins(self, name: str, phase: str = "training") -> np.ndarray:
        """int64[runs, players], wins in one phase.

        Phases are training, evaluation (with exploration), hundred (its first hundred games) and greedy (without).
        """
        return self.column(phase, name)

    def curve(self, name: str) -> np.ndarray:
        """float64[runs, points], the share of games that the agent had won at each point of its learning curve."""
        won = self.column("curve", name)
        share: np.ndarray = won / (self.settings[name].every * np.arange(1, won.shape[1] + 1))
        return share

    def windows(self, name: str, games: int) -> np.ndarray:
        """float64[runs, windows], the agent's share of wins in each window of ``games`` training games."""
        step, won = games // self.settings[name].every, self.column("curve", name)
        share: np.ndarray = np.diff(won[:, step - 1 :: step], axis=1, prepend=0) / games
        return share

    def share(self, name: str, phase: str = "greedy") -> Estimate:
        """The agent's share of wins over all runs, and a 95% interval over the runs (Student's).

        Raises:
            ValueError: the runs played no games in this phase.
        """
        wins = self.wins(name, phase)
        if not wins.any():
            raise ValueError(f"no games of '{name}' were played in the phase '{phase}'")
        return estimate(wins[:, 0] / wins.sum(axis=1))


def learned(config: CallOrRaiseScale, settings: Mapping[str, Run], runs: int | Sequence[int], *place: int) -> Learned:
    """Train agents with several settings, each for a number of seeds."""
    return Learned(settings, config.sweep(trained, list(settings.values()), runs, *place))


def three_versions(config: CallOrRaiseScale) -> Learned:
    """The program as run in 2018, as it reads today, and as meant."""
    after = {"evaluated": config.after, "explored": config.after}
    settings = {version: config.run(version=version, **after) for version in VERSIONS}
    return learned(config, settings, config.runs, THREE)


def warmed(config: CallOrRaiseScale) -> Mapping[int, Learned]:
    """The programs of 2018 and of today with tables that are trained before the 5,000 games that count.

    Returns:
        The runs of both, by the number of games before.
    """
    found = {}
    for row, tenths in enumerate((0, 1, 2, 4, 6, 10)):
        warm = tenths * config.games // 10
        settings = {version: config.run(version=version, warm=warm, evaluated=0) for version in ("run", "read")}
        found[warm] = learned(config, settings, config.hundred, WARM, row)
    return found


def frozen(config: CallOrRaiseScale) -> Learned:
    """The program of 2018 with a table that is no longer updated after the first fifth of training."""
    return learned(config, {"frozen": config.run(stop=config.games // 5, evaluated=0)}, config.runs, FROZEN)


def rises(runs: Learned, name: str) -> list[Estimate]:
    """How much the share of wins rises from each fifth of training to the next, from the second on.

    Returns:
        For each of the three steps, the mean over the runs with a 95% interval (Student's, of the mean).
    """
    fifths = runs.windows(name, runs.settings[name].games // 5)[:, 1:]
    return [estimate(step) for step in np.diff(fifths, axis=1).T]


def mended(config: CallOrRaiseScale) -> Learned:
    """What each slip changes: mended alone in the program of 2018, and put alone into the program as meant."""
    settings = {"run": config.run(), "meant": config.run(version="meant")}
    settings |= {f"run, {name} mended": config.run(flip=name) for name in SLIPS}
    settings |= {f"meant, with {name}": config.run(version="meant", flip=name) for name in SLIPS}
    return learned(config, settings, config.some, MENDED)


def mended_together(config: CallOrRaiseScale) -> Learned:
    """The program of 2018 with two or three slips mended at once: the columns, and others."""
    pairs = [f"{name}+columns" for name in SLIPS if name != "columns"]
    flips = [*pairs, "early+between", "early+between+columns"]
    return learned(config, {flip: config.run(flip=flip) for flip in flips}, config.some, COLUMNS)


def own_decisions(config: CallOrRaiseScale) -> Learned:
    """Updates after all players' moves, as meant, and from one own decision to the next, with two discounts each.

    Returns:
        The runs by method, discount and number of training games.
    """
    settings, runs = {}, []
    for run, number in ((config.run(version="meant"), config.some), (config.longer_run(version="meant"), config.few)):
        for method in ("q", "decisions"):
            for discount in (0.0, 0.9):
                settings[f"{method}, {discount:g}, {run.games}"] = replace(run, method=method, discount=discount)
                runs.append(number)
    return learned(config, settings, runs, DECISIONS)


def rewarded(config: CallOrRaiseScale) -> Learned:
    """The program as meant, without each reward in turn."""
    named = {"victory": "win", "defeat": "lose", "others' dice": "take", "own dice": "give"}
    settings = {"all of them": config.run(version="meant")}
    for names in [(name,) for name in named] + [tuple(named)[:2], tuple(named)[:3]]:
        without = {named[name]: 0.0 for name in names}
        settings["none for " + ", ".join(names)] = config.run(version="meant", **without)
    return learned(config, settings, config.some, REWARDED)


def seen(config: CallOrRaiseScale) -> Learned:
    """The program as meant with other states and another menu, for as many games as published and for many more."""
    views: Mapping[str, Mapping[str, Any]] = {
        "as published": {},
        "own dice: some or none": {"own": "some"},
        "own dice: not seen": {"own": "none"},
        "neighbours' dice too": {"neighbours": True},
        "the whole bid": {"menu": "whole"},
    }
    settings, runs = {}, []
    for name, view in views.items():
        settings[name] = config.run(version="meant", **view)
        settings[f"{name}, longer"] = config.longer_run(version="meant", **view)
        runs += [config.some, config.few]
    return learned(config, settings, runs, SEEN)


def tuned(config: CallOrRaiseScale) -> Mapping[str, Learned]:
    """The program as meant with other buckets, rates and bluffs, one at a time."""
    groups: Mapping[str, tuple[int, str, Sequence[Any]]] = {
        "buckets": (BUCKETS, "bins", (2, 3, 5, 10, 20, 50)),
        "learning rate": (RATES, "alpha", (0.01, 0.03, 0.1, 0.3)),
        "discount": (RATES, "discount", (0.0, 0.5, 0.9, 0.99, 1.0)),
        "bluffs": (BLUFFS, "bluff", tuple(Fraction(k, 4) for k in range(5))),
    }
    found = {}
    for row, (name, (place, field, values)) in enumerate(groups.items()):
        named = {f"{value:g}" if isinstance(value, float) else str(value): value for value in values}
        settings = {label: config.run(version="meant", **{field: value}) for label, value in named.items()}
        found[name] = learned(config, settings, config.some, place, row)
    return found


AGENTS: Mapping[str, Agent] = {
    "learns": Agent("q", Fraction(1, 2)),
    "tosses a coin, bluffs": Agent("random", Fraction(1)),
    "tosses a coin, honest": Agent("random", Fraction(0)),
    "goes by the probability, bluffs": Agent("holds", Fraction(1)),
    "goes by the probability, honest": Agent("holds", Fraction(0)),
    "wants one die more, bluffs": Agent("probability", Fraction(1)),
    "wants one die more, honest": Agent("probability", Fraction(0)),
}
"""Kinds of agents. The first learns with the published settings in the program as meant."""


@settings
class Pairing:
    """A configuration: one agent among others that are all of one kind.

    Attributes:
        one, others: how they play, keys of ``AGENTS``. A learner in seat 1 is trained against these others, unless
            they learn too: then all share one table that was trained against players who toss coins and bluff.
        games: training games, if training is needed.
        evaluated: games that count. Learners go on exploring, as in the document's evaluation, because tables trained
            against players who toss coins may never call each other.

    Raises:
        ValueError: a kind is unknown, or a number of games is out of range.
    """

    one: str = "learns"
    others: str = "tosses a coin, bluffs"
    games: Annotated[int, Field(ge=1, le=MOST)] = 5000
    evaluated: Annotated[int, Field(ge=1, le=MOST)] = 1000

    def __post_init__(self) -> None:
        require_one_of("one", self.one, AGENTS)
        require_one_of("others", self.others, AGENTS)


def paired(config: Pairing, seed: int) -> Mapping[str, Any]:
    """Each player's wins in games of one agent among three others."""
    learning, playing = spawn(seed, 2).tolist()
    one, others, have_learned = AGENTS[config.one], AGENTS[config.others], config.others == "learns"
    table = QTableSettings(players=(AGENTS["learns"], *[Agent() if have_learned else others] * 3), slips=AS_MEANT)
    q = new_table(table)
    if "learns" in (config.one, config.others):
        advance(table, q, config.games, learning)
    if have_learned:
        others = Agent("table", others.bluff)
    table = replace(table, players=(one, *[others] * 3))
    return {"wins": counts(advance(table, q, config.evaluated, playing, learn=False), 4)}


def pairings(config: CallOrRaiseScale) -> Mapping[tuple[str, str], Estimate]:
    """One agent of each kind among three of each kind: its share of wins, with a 95% interval over the runs."""
    pairs = list(product(AGENTS, AGENTS))
    settings = [Pairing(one, others, config.games, config.after) for one, others in pairs]
    records = config.sweep(paired, settings, config.hundred, PAIRS)
    wins = (records.column("wins", place)[:, 0] for place in range(len(pairs)))
    return {pair: estimate(won / config.after) for pair, won in zip(pairs, wins, strict=True)}
