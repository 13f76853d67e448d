"""The experiments of the chapter on call or raise: one program in three versions, over many seeds and settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np

from support.agents.call_or_raise.learner import Learner
from support.agents.call_or_raise.settings import AS_MEANT, AS_READ, AS_RUN, CALL, KINDS, RAISE, Agent, Settings, Slips
from support.agents.call_or_raise.states import Rewards, States
from support.agents.call_or_raise.table import TIED
from support.experiments.scale import Scaled, Several
from support.games.call_or_raise import CallOrRaise, CallOrRaiseState
from support.kernels.call_or_raise import advance, new_table
from support.sweep import Records, spawn

__all__ = [
    "AGENTS",
    "PRINTED",
    "PUBLISHED",
    "SLIPS",
    "VERSIONS",
    "Calls",
    "Config",
    "Learned",
    "Pairing",
    "Run",
    "Table",
    "Watch",
    "best_tables",
    "border",
    "ceiling",
    "ceilings",
    "coin_tosser",
    "decoded",
    "learned",
    "log_likelihoods",
    "mended",
    "mistaken",
    "own_trace",
    "paired",
    "pairings",
    "policy",
    "rewarded",
    "seen",
    "small_tables",
    "surprises",
    "three_versions",
    "trained",
    "tuned",
    "warmed",
    "watched",
    "who_calls",
    "worth",
]

VERSIONS: Mapping[str, Slips] = {"run": AS_RUN, "read": AS_READ, "meant": AS_MEANT}
"""The program as R ran it in 2018, as it reads today, and as its text means it."""
SLIPS = tuple(Slips.__dataclass_fields__)
PUBLISHED = {"training": (3288, 434, 496, 782), "evaluation": (65, 6, 15, 14)}
"""Wins of players 1 to 4, in 5,000 games of training and in 100 with the trained agent."""
THREE, MENDED, REWARDED, SEEN, BUCKETS, RATES, BLUFFS, PAIRS, LONG, WARM, TRACE, CALLS, CEILING, SMALL, COIN = range(15)


@dataclass(frozen=True)
class Run:
    """One agent, trained and then looked at, as a sweep takes it.

    Attributes:
        version: one of ``VERSIONS``.
        flip: slips that are otherwise than in this version, names joined by +; empty for none.
        kind: how the first player plays, one of ``KINDS``; only "q" learns.
        bluff: its probability of bluffing.
        others: how the others play, one of ``KINDS`` but "q".
        others_bluff: their probability of bluffing.
        players, dice: at the table, and that each starts with.
        bins, alpha, discount, exploration, own, neighbours, menu, method: as in
            :class:`support.agents.call_or_raise.settings.Settings`.
        win, lose, take, give: as in :class:`support.agents.call_or_raise.states.Rewards`.
        warm: games of training before those that count.
        games: of training.
        evaluated: games with the trained agent, with exploration and without.
        every: games between two points of the learning curve.
        keep: whether to keep where it has come to call.

    Raises:
        ValueError: a value outside its range.
    """

    version: str = "run"
    flip: str = ""
    kind: str = "q"
    bluff: Fraction = Fraction(1, 2)
    others: str = "random"
    others_bluff: Fraction = Fraction(1)
    players: int = 4
    dice: int = 6
    bins: int = 20
    alpha: float = 0.1
    discount: float = 0.9
    exploration: Fraction = Fraction(1, 10)
    own: str = "all"
    neighbours: bool = False
    menu: str = "published"
    method: str = "q"
    win: float = 10.0
    lose: float = -10.0
    take: float = 1.0
    give: float = -1.0
    warm: int = 0
    games: int = 5000
    evaluated: int = 1000
    every: int = 100
    keep: bool = False

    def __post_init__(self) -> None:
        if self.version not in VERSIONS:
            raise ValueError(f"version must be one of {', '.join(VERSIONS)}, not {self.version!r}")
        for name in self.flipped():
            if name not in SLIPS:
                raise ValueError(f"flip takes names of slips, {', '.join(SLIPS)}, joined by +, not {name!r}")
        if not 2 <= self.players <= 6:
            raise ValueError(f"players must lie between 2 and 6, not {self.players}")
        for name, least in (("warm", 0), ("games", 0), ("evaluated", 0), ("every", 1)):
            if not least <= getattr(self, name) < 2**62:
                raise ValueError(f"{name} must lie between {least} and 2^62, not {getattr(self, name)}")
        if self.others not in KINDS[1:]:
            raise ValueError(f"others must be one of {', '.join(KINDS[1:])}, not {self.others!r}")
        self.settings()

    def flipped(self) -> list[str]:
        """The names in ``flip``."""
        return self.flip.split("+") if self.flip else []

    def settings(self) -> Settings:
        """The table of players, and how the first one learns."""
        slips = VERSIONS[self.version]
        slips = replace(slips, **{name: not getattr(slips, name) for name in self.flipped()})
        return Settings(
            players=(Agent(self.kind, self.bluff), *[Agent(self.others, self.others_bluff)] * (self.players - 1)),
            dice=self.dice,
            bins=self.bins,
            alpha=self.alpha,
            discount=self.discount,
            exploration=self.exploration,
            slips=slips,
            rewards=Rewards(self.win, self.lose, self.take, self.give),
            own=self.own,
            neighbours=self.neighbours,
            menu=self.menu,
            method=self.method,
        )


def trained(config: Run, seed: int) -> Mapping[str, Any]:
    """Wins of each player while the agent learns call or raise and after, its curve, and where it has come to call."""
    settings = config.settings()
    learning, exploring, greedy = spawn(seed, 3).tolist()
    q = new_table(settings)
    visits = np.zeros(q.shape, np.int64)
    advance(settings, q, config.warm, learning, visits=visits)
    winners = advance(settings, q, config.games, learning, config.warm, visits=visits)
    after = advance(settings, q, config.evaluated, exploring, learn=False)
    best = advance(replace(settings, exploration=Fraction(0)), q, config.evaluated, greedy, learn=False)
    won = np.cumsum(winners == 1)[config.every - 1 :: config.every]
    found = {
        "training": _counts(winners, config.players),
        "evaluation": _counts(after, config.players),
        "greedy": _counts(best, config.players),
        "curve": won.astype(np.int64),
    }
    if config.keep:
        found["calls"] = np.where(np.ptp(q, axis=1) < TIED, -1, q.argmax(axis=1) == CALL).astype(np.int8)
    return found


def _counts(winners: np.ndarray, players: int) -> np.ndarray:
    """int64[players], how often each player won."""
    return np.bincount(winners, minlength=players + 1)[1:].astype(np.int64)


@dataclass(frozen=True)
class Config(Scaled):
    """Sizes of the chapter's experiments.

    Attributes:
        runs: training runs of each of the three versions.
        games, evaluated: of each, as in :class:`Run`.
        some: runs of every other setting.
        longer: games of training where a larger table or a larger menu is to be filled.
        bins, alphas, discounts, bluffs: values tried one at a time.
        long_runs, long_games: number and length of the runs in search of the best table.
        most_dice, simulated: dice of each at the largest table whose best answer is computed, and games to check it.
        small_dice: at the largest tables that are solved in fractions.
        watchers, watched: agents of a version, and games of each, in which we look whose bids are called.
        root: the seed that all others are spawned from.
    """

    runs: int = 1000
    games: int = 5000
    evaluated: int = 1000
    some: int = 100
    longer: int = 100_000
    bins: tuple[int, ...] = (2, 3, 5, 10, 20, 50)
    alphas: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3)
    discounts: tuple[float, ...] = (0.0, 0.5, 0.9, 0.99, 1.0)
    bluffs: tuple[Fraction, ...] = tuple(Fraction(k, 4) for k in range(5))
    long_runs: int = 10
    long_games: int = 10**7
    most_dice: int = 6
    simulated: int = 200_000
    small_dice: int = 3
    watchers: int = 8
    watched: int = 40
    root: int = 20181220

    @classmethod
    def small(cls) -> "Config":
        """Sizes that take seconds."""
        sizes: dict[str, Any] = {
            "runs": 30,
            "games": 500,
            "evaluated": 200,
            "some": 4,
            "longer": 500,
            "long_runs": 2,
            "long_games": 2000,
        }
        return cls(**sizes, most_dice=2, simulated=1000, small_dice=1, watchers=2, watched=20)

    def run(self, **settings: Any) -> Run:
        """A run of these sizes, as published but for what is named."""
        return Run(**({"games": self.games, "evaluated": self.evaluated} | settings))


@dataclass(frozen=True, eq=False)
class Learned(Several):
    """Agents that were trained with several settings."""

    settings: Mapping[str, Run]

    def wins(self, name: str, phase: str = "training") -> np.ndarray:
        """int64[runs, players], wins in one phase: training, evaluation (with exploration), or greedy (without)."""
        return self.column(phase, name)

    def curve(self, name: str) -> np.ndarray:
        """float64[runs, points], the share of games that the agent had won after each hundred games or so."""
        won = self.column("curve", name)
        share: np.ndarray = won / (self.settings[name].every * np.arange(1, won.shape[1] + 1))
        return share

    def share(self, name: str, phase: str = "greedy") -> tuple[float, float, float]:
        """The agent's share of wins over all runs, and a 95 % interval over the runs (Student's)."""
        from support.stats import mean_interval

        wins = self.wins(name, phase)
        shares = wins[:, 0] / wins.sum(axis=1)
        return (float(shares.mean()), *mean_interval(shares))


def learned(config: Config, settings: Mapping[str, Run], runs: int | Sequence[int], place: int) -> Learned:
    """Train agents with several settings, each for a number of seeds."""
    return Learned(dict(settings), config.sweep(trained, list(settings.values()), runs, place))


def three_versions(config: Config) -> Learned:
    """The program as run in 2018, as it reads today, and as meant."""
    return learned(config, {version: config.run(version=version) for version in VERSIONS}, config.runs, THREE)


def warmed(config: Config) -> Mapping[int, Learned]:
    """The programs of 2018 and of today with tables that have learned before the 5,000 games that are counted.

    Returns:
        For each number of games learned before, the runs of the two.
    """
    found = {}
    for row, tenths in enumerate((0, 1, 2, 4, 6, 10)):
        warm = tenths * config.games // 10
        settings = {version: config.run(version=version, warm=warm) for version in ("run", "read")}
        found[warm] = Learned(settings, config.sweep(trained, list(settings.values()), config.some, WARM, row))
    return found


def surprises(runs: Learned, version: str) -> tuple[float, float]:
    """How surprising the published counts are: the shares of a version's runs that lie at least as far out.

    Far out in training is Mahalanobis' distance of all players' wins from their mean over the runs; each run, and the
    published one, counts as one of them. In evaluation it is the probability of the hundred winners, given the shares
    of the run; a draw of a hundred games from each run stands beside the published one.
    """
    from scipy.stats import multinomial

    training = np.vstack([PUBLISHED["training"], runs.wins(version)])[:, :-1]
    away = training - training[1:].mean(axis=0)
    far = np.einsum("ri,ij,rj->r", away, np.linalg.inv(np.cov(training[1:].T)), away)
    counts = runs.wins(version, "evaluation") + 1
    shares = counts / counts.sum(axis=1, keepdims=True)
    mean, games = shares.mean(axis=0), sum(PUBLISHED["evaluation"])
    random = np.random.default_rng(runs.records.column("seed")[0])
    draws = np.array([random.multinomial(games, share) for share in shares])
    likely = multinomial(games, mean).pmf(draws)
    evaluation = (1 + (likely <= multinomial(games, mean).pmf(PUBLISHED["evaluation"])).sum()) / (1 + len(draws))
    return float((far >= far[0]).mean()), float(evaluation)


def log_likelihoods(runs: Learned) -> Mapping[str, tuple[float, float]]:
    """For each version the logarithm of the probability (density) of the published counts of training and evaluation.

    Training counts are close to normal over the runs; as they sum to the number of games, three of the four count.
    The evaluation is multinomial with the shares of each run, one win added to each; averaged over the runs.
    """
    from scipy.stats import multinomial

    out = {}
    for version in runs.settings:
        density = _training(runs, version).logpdf(PUBLISHED["training"][:-1])
        counts = runs.wins(version, "evaluation") + 1
        shares = counts / counts.sum(axis=1, keepdims=True)
        chance = multinomial(sum(PUBLISHED["evaluation"]), shares).pmf(PUBLISHED["evaluation"]).mean()
        out[version] = float(density), float(np.log(chance))
    return out


def _training(runs: Learned, version: str) -> Any:
    """The normal distribution with the mean and covariance of what the first three players win in training."""
    from scipy.stats import multivariate_normal

    wins = runs.wins(version)[:, :-1]
    return multivariate_normal(wins.mean(axis=0), np.cov(wins.T))


def mistaken(runs: Learned, one: str, other: str) -> float:
    """The share of runs of one version whose wins in training are likelier under another: how well they tell apart."""
    wins = runs.wins(one)[:, :-1]
    return float((_training(runs, other).logpdf(wins) > _training(runs, one).logpdf(wins)).mean())


def coin_tosser(config: Config) -> Learned:
    """An agent that tosses a coin and bluffs as often as the one that learns."""
    return learned(config, {"coin": config.run(kind="random", games=1, every=1)}, config.runs, COIN)


def mended(config: Config) -> Learned:
    """What each slip changes: mended alone in the program of 2018, and put alone into what is meant."""
    settings = {"run": config.run(), "meant": config.run(version="meant")}
    settings |= {f"run, {name} mended": config.run(flip=name) for name in SLIPS}
    settings |= {f"meant, with {name}": config.run(version="meant", flip=name) for name in SLIPS}
    return learned(config, settings, config.some, MENDED)


def rewarded(config: Config) -> Learned:
    """Each reward left out, as meant."""
    named = {"victory": "win", "defeat": "lose", "others' dice": "take", "own dice": "give"}
    settings = {"all of them": config.run(version="meant")}
    for names in [(name,) for name in named] + [tuple(named)[:2], tuple(named)[:3]]:
        without = {named[name]: 0.0 for name in names}
        settings["none for " + ", ".join(names)] = config.run(version="meant", **without)
    return learned(config, settings, config.some, REWARDED)


def seen(config: Config) -> Learned:
    """Other states and another menu, as meant: for as many games as published, and for many more."""
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
        settings[f"{name}, longer"] = config.run(
            version="meant", games=config.longer, every=config.longer // 10, **view
        )
        runs += [config.some, max(config.some // 4, 2)]
    return learned(config, settings, runs, SEEN)


def tuned(config: Config) -> Mapping[str, Learned]:
    """Buckets, rates and bluffs, one at a time, as meant."""
    groups: Mapping[str, tuple[int, str, Sequence[Any]]] = {
        "buckets": (BUCKETS, "bins", config.bins),
        "learning rate": (RATES, "alpha", config.alphas),
        "discount": (RATES, "discount", config.discounts),
        "bluffs": (BLUFFS, "bluff", config.bluffs),
    }
    found = {}
    for row, (name, (place, field, values)) in enumerate(groups.items()):
        settings = {
            (f"{value:g}" if isinstance(value, float) else str(value)): config.run(version="meant", **{field: value})
            for value in values
        }
        records = config.sweep(trained, list(settings.values()), config.some, place, row)
        found[name] = Learned(settings, records)
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
"""Kinds of agents. The first one learns as published, as meant."""


@dataclass(frozen=True)
class Pairing:
    """One agent among others, all of the same kind, as a sweep takes it.

    Attributes:
        one, others: how they play, keys of ``AGENTS``. One that learns has learned against these others. Others that
            learn have learned, all the same, against players who toss coins and bluff, and so has one among them.
        games: of training, where one is needed.
        evaluated: games that count. Who has learned goes on exploring, as in the document's evaluation: tables that
            have learned from players who toss coins may never call each other.

    Raises:
        ValueError: an unknown kind, or a number of games out of range.
    """

    one: str = "learns"
    others: str = "tosses a coin, bluffs"
    games: int = 5000
    evaluated: int = 1000

    def __post_init__(self) -> None:
        for name in ("one", "others"):
            if getattr(self, name) not in AGENTS:
                raise ValueError(f"{name} must be one of {', '.join(AGENTS)}, not {getattr(self, name)!r}")
        for name in ("games", "evaluated"):
            if not 1 <= getattr(self, name) < 2**62:
                raise ValueError(f"{name} must lie between 1 and 2^62, not {getattr(self, name)}")


def paired(config: Pairing, seed: int) -> Mapping[str, Any]:
    """Wins of each player in games of one agent among three others."""
    learning, playing = spawn(seed, 2).tolist()
    one, others, have_learned = AGENTS[config.one], AGENTS[config.others], config.others == "learns"
    settings = Settings(players=(AGENTS["learns"], *[Agent() if have_learned else others] * 3), slips=AS_MEANT)
    q = new_table(settings)
    if "learns" in (config.one, config.others):
        advance(settings, q, config.games, learning)
    if have_learned:
        others = Agent("table", others.bluff)
    settings = replace(settings, players=(one, *[others] * 3))
    return {"wins": _counts(advance(settings, q, config.evaluated, playing, learn=False), 4)}


def pairings(config: Config) -> Mapping[tuple[str, str], tuple[float, float, float]]:
    """One agent of each kind among three of each kind: its share of wins, with a 95 % interval over the runs."""
    from support.stats import mean_interval

    pairs = list(product(AGENTS, AGENTS))
    settings = [Pairing(one, others, config.games, config.evaluated) for one, others in pairs]
    records = config.sweep(paired, settings, config.some, PAIRS)
    found: dict[tuple[str, str], tuple[float, float, float]] = {}
    for place, pair in enumerate(pairs):
        shares = records.column("wins", place)[:, 0] / config.evaluated
        found[pair] = (float(shares.mean()), *mean_interval(shares))
    return found


def best_tables(config: Config) -> Learned:
    """The best that long training finds over the document's states, by Monte Carlo control with the outcome alone."""
    run = config.run(
        version="meant",
        method="averages",
        alpha=0.0001,
        games=config.long_games,
        evaluated=100 * config.evaluated,
        every=max(config.long_games // 10, 1),
        keep=True,
    )
    return learned(config, {"best": run}, config.long_runs, LONG)


PRINTED = (
    "3 808 raise, 3 787 raise, 3 778 raise, 4 778 raise, 4 736 raise, 4 736 raise, 1 736 call, 1 673 call, "
    "1 678 raise, 2 674 raise, 3 673 raise, 4 673 raise, 4 589 raise, 4 592 raise, 1 589 call, 1 505 call, 1 507 call, "
    "1 423 call, 2 422 raise, 3 421 raise, 1 421 raise, 2 421 raise, 2 316 raise, 2 324 raise, 2 240 raise, "
    "3 232 raise, 3 148 raise, 2 151 raise, 2 88 raise"
)
"""The document's table of a game of 4 players with 3 dice: who moved, the agent's state, its last action."""


def decoded() -> list[tuple[int, int, int, int, int, str]]:
    """The printed table row by row: who moved, the state, dice in play, the agent's dice, bucket, last action."""
    states = States(4, 3)
    rows = (row.split() for row in PRINTED.split(", "))
    return [(int(control), int(state), *states.read(int(state)), action) for control, state, action in rows]


def own_trace(config: Config) -> list[tuple[int, int, int, int, int, str]]:
    """A game of ours in the same form, by the plain program of 2018 with a new table."""
    learner = Learner(Run(dice=3).settings(), int(config.spawn(1, TRACE)[0]))
    rows, words = learner.play().rows, {RAISE: "raise", CALL: "call"}
    return [(row.control, row.state, *learner.states.read(row.state), words[row.action]) for row in rows]


def policy(best: Learned) -> tuple[dict[int, np.ndarray], dict[int, list[int]], int]:
    """The best of several tables, by its games without exploration.

    Returns:
        For each number of own dice float64[totals, bins + 1]: 1 where it calls, 0 where it raises, nan where it has
        never decided; the totals of dice in play that the rows stand for; and which run it is.
    """
    ((name, run),) = best.settings.items()
    wins = best.wins(name, "greedy")
    found = int(np.argmax(wins[:, 0] / wins.sum(axis=1)))
    calls = best.records.column("calls")[found].astype(float).reshape(-1, run.bins + 1)
    calls[calls < 0] = np.nan
    maps, totals = {}, {}
    pairs = States(run.players, run.dice, run.bins).pairs
    for dice in range(1, run.dice + 1):
        rows = [place for place, (total, own) in enumerate(pairs) if own == dice < total]
        maps[dice], totals[dice] = calls[rows], [pairs[place][0] for place in rows]
    return maps, totals, found


def worth(best: Learned, run: int) -> float:
    """The probability with which the player of a table wins, exactly, and so not by the luck for which it was chosen.

    Args:
        best: runs that kept where they call, as meant.
        run: which of them.
    """
    from support.exact.call_or_raise import Responder
    from support.kernels.call_or_raise_exact import Ceiling

    ((_, settings),) = best.settings.items()
    table, view = settings.settings(), settings.settings().view()
    calls = best.records.column("calls")[run]

    def rule(total: int, own: int, need: int) -> Fraction:
        found = calls[view.places[total, own] * (table.bins + 1) + view.states.bucket(total, own, need, 0)]
        return Fraction(1, 2) if found < 0 else Fraction(int(found))

    responder = Responder(settings.bluff, calls=rule)
    return Ceiling(CallOrRaise(settings.players, settings.dice), responder).win_probability


@dataclass(frozen=True)
class Watch:
    """An agent that is trained and then watched, as a sweep takes it.

    Attributes:
        version: one of ``VERSIONS``.
        games: of training.
        watched: games afterwards, in the plain program, exploring as before.
    """

    version: str = "run"
    games: int = 5000
    watched: int = 40


def watched(config: Watch, seed: int) -> Mapping[str, Any]:
    """Whose bids are called, and what comes of it.

    Returns:
        ``bids``, ``called``, ``lies``: int64[players], for each player the bids it made, openings included, how many
        were called, and how many of these failed, which cost it a die.
        ``false``: int64[2], bids that did not hold when the agent had to answer them, and those of them it called.
    """
    settings = Run(version=config.version).settings()
    learning, watching = spawn(seed, 2).tolist()
    learner = Learner(settings, watching)
    advance(settings, learner.q, config.games, learning)
    players = len(settings.players)
    (bids, called, lies), false = np.zeros((3, players), np.int64), np.zeros(2, np.int64)
    rules = CallOrRaise(players, settings.dice)
    for _ in range(config.watched):
        states = rules.states(" > ".join(learner.play(learn=False).moves))
        for before, after in pairwise(states):
            assert isinstance(before, CallOrRaiseState)
            assert isinstance(after, CallOrRaiseState)
            if len(after.bids) > len(before.bids):
                bids[after.opener if not before.bids else before.current_player] += 1
            if before.current_player < 0:
                continue
            bidder, calls = before.last_bidder(), after.past[-1] == "call"
            lie = before.loser() == bidder
            called[bidder] += calls
            lies[bidder] += calls and lie
            if before.current_player == 0:
                false += (lie, lie and calls)
    return {"bids": bids, "called": called, "lies": lies, "false": false}


@dataclass(frozen=True)
class Calls:
    """Whose bids are called, in games with trained agents.

    Attributes:
        called: for each player the share of its bids, openings included, that were called.
        cost: the share of its bids that cost it a die.
        caught: the share of the bids that did not hold, among those that the agent had to answer, which it called.
    """

    called: np.ndarray
    cost: np.ndarray
    caught: float


def who_calls(config: Config) -> Mapping[tuple[str, int], Calls]:
    """Whose bids are called, over some agents of the program of 2018 and of what is meant, early and late in training.

    Returns:
        By version and games of training.
    """
    keys = [(version, games) for games in (config.games // 5, config.games) for version in ("run", "meant")]
    settings = [Watch(version, games, config.watched) for version, games in keys]
    records = config.sweep(watched, settings, config.watchers, CALLS)
    found = {}
    for place, key in enumerate(keys):
        names = ("bids", "called", "lies", "false")
        bids, called, lies, false = (records.column(name, place).sum(axis=0) for name in names)
        found[key] = Calls(called / bids, lies / bids, float(false[1] / false[0]))
    return found


@dataclass(frozen=True)
class Table:
    """A table whose best answer is computed, as a sweep takes it.

    Attributes:
        players, dice: at the table, and that each starts with.
        chooses: whether player 1 chooses the face of a raise.
        bluff: otherwise, the probability that it bluffs.
        fractions: whether to compute in fractions; otherwise in floating point.
        simulated: games with the best answer, to check it.
    """

    players: int = 4
    dice: int = 6
    chooses: bool = False
    bluff: Fraction = Fraction(1, 2)
    fractions: bool = False
    simulated: int = 200_000


def ceiling(config: Table, seed: int) -> Mapping[str, Any]:
    """The most that player 1 can win against players who toss coins and bluff, and what it wins in simulated games."""
    from support.exact.call_or_raise import CHOOSES_THE_FACE, Responder, starting_value, win_probabilities
    from support.kernels.call_or_raise_exact import Ceiling

    game = CallOrRaise(config.players, config.dice)
    responder = CHOOSES_THE_FACE if config.chooses else Responder(config.bluff)
    exact = str(starting_value(game, win_probabilities(game, responder))) if config.fractions else ""
    found = Ceiling(game, responder)
    won = int((found.simulate(config.simulated, seed) == 1).sum()) if config.simulated else 0
    return {"value": found.win_probability, "exact": exact, "won": won}


def ceilings(config: Config) -> Records:
    """The ceiling at the published size for an agent that calls or raises, one that never bluffs, and a free one.

    The first bluffs every other time, as the document's does; the last one chooses the face of a raise itself.
    """
    table = Table(dice=config.most_dice, simulated=config.simulated)
    tables = [table, replace(table, bluff=Fraction(0)), replace(table, chooses=True)]
    return config.sweep(ceiling, tables, 1, CEILING)


def small_tables(config: Config) -> list[tuple[Table, Fraction]]:
    """The best answer of an agent that calls or raises at small tables, in fractions."""
    tables = [
        Table(players, dice, fractions=True, simulated=0)
        for players in (2, 3)
        for dice in range(1, config.small_dice + 1)
    ]
    rows = config.sweep(ceiling, tables, 1, SMALL).rows()
    return [(table, Fraction(row["exact"])) for table, row in zip(tables, rows, strict=True)]


def border(maps: Mapping[int, np.ndarray]) -> float:
    """The probability below which a table calls in at least half of the cells that it has decided on."""
    cells = np.vstack(list(maps.values()))
    decided, calls = (~np.isnan(cells)).sum(axis=0), np.nansum(cells, axis=0)
    raises = np.flatnonzero((decided > 0) & (calls < decided / 2))
    return float(raises[0] / (cells.shape[1] - 1)) if raises.size else 1.0
