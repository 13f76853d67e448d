"""Everybody against everybody at call or raise: one agent of each kind among three of each kind."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from support.games.call_or_raise.experiments.chapter import counts
from support.games.call_or_raise.experiments.runs import PAIRS, Config
from support.games.call_or_raise.learner.play_fast import advance, new_table
from support.games.call_or_raise.learner.settings import AS_MEANT, Agent, Settings
from support.sweep import spawn

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
    return {"wins": counts(advance(settings, q, config.evaluated, playing, learn=False), 4)}


def pairings(config: Config) -> Mapping[tuple[str, str], tuple[float, float, float]]:
    """One agent of each kind among three of each kind: its share of wins, with a 95 % interval over the runs."""
    from support.verdicts.stats import mean_interval

    pairs = list(product(AGENTS, AGENTS))
    settings = [Pairing(one, others, config.games, config.evaluated) for one, others in pairs]
    records = config.sweep(paired, settings, config.some, PAIRS)
    found: dict[tuple[str, str], tuple[float, float, float]] = {}
    for place, pair in enumerate(pairs):
        shares = records.column("wins", place)[:, 0] / config.evaluated
        found[pair] = (float(shares.mean()), *mean_interval(shares))
    return found
