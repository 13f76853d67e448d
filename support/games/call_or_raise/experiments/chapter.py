"""One agent at call or raise, as a sweep takes it: trained by one of three versions of a program, then looked at."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from support.games.call_or_raise.learner.play import TIED
from support.games.call_or_raise.learner.play_fast import advance, new_table
from support.games.call_or_raise.learner.settings import AS_MEANT, AS_READ, AS_RUN, CALL, KINDS, Agent, Settings, Slips
from support.games.call_or_raise.learner.states import Rewards
from support.sweep import spawn

VERSIONS: Mapping[str, Slips] = {"run": AS_RUN, "read": AS_READ, "meant": AS_MEANT}
"""The program as R ran it in 2018, as it reads today, and as its text means it."""
SLIPS = tuple(Slips.__dataclass_fields__)


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
            :class:`support.games.call_or_raise.learner.settings.Settings`.
        win, lose, take, give: as in :class:`support.games.call_or_raise.learner.states.Rewards`.
        warm: games of training before those that count.
        games: of training.
        stop: games of training after which the table is not updated any more; None to go on to the end.
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
    stop: int | None = None
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
        if self.stop is not None and not 0 <= self.stop <= self.games:
            raise ValueError(f"stop must lie between 0 and the {self.games} games of training, not {self.stop}")
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
    """Wins of each player while the agent learns call or raise and after, its curve, and where it has come to call.

    Returns:
        ``training``, ``evaluation``, ``greedy``: int64[players], wins in training, with the trained agent, and with it
        when it does not explore. ``hundred``: int64[players], those of the first hundred games of the evaluation, as
        many as the document's. ``curve``: int64[points], the agent's wins so far. ``calls``, if kept.
    """
    settings = config.settings()
    learning, exploring, greedy = spawn(seed, 3).tolist()
    q = new_table(settings)
    visits = np.zeros(q.shape, np.int64)
    advance(settings, q, config.warm, learning, visits=visits)
    learns = config.games if config.stop is None else config.stop
    winners = advance(settings, q, learns, learning, config.warm, visits=visits)
    if rest := config.games - learns:
        winners = np.r_[winners, advance(settings, q, rest, learning, config.warm + learns, learn=False)]
    after = advance(settings, q, config.evaluated, exploring, learn=False)
    best = advance(replace(settings, exploration=Fraction(0)), q, config.evaluated, greedy, learn=False)
    won = np.cumsum(winners == 1)[config.every - 1 :: config.every]
    found = {
        "training": counts(winners, config.players),
        "evaluation": counts(after, config.players),
        "hundred": counts(after[:100], config.players),
        "greedy": counts(best, config.players),
        "curve": won.astype(np.int64),
    }
    if config.keep:
        found["calls"] = np.where(np.ptp(q, axis=1) < TIED, -1, q.argmax(axis=1) == CALL).astype(np.int8)
    return found


def counts(winners: np.ndarray, players: int) -> np.ndarray:
    """int64[players], how often each player won."""
    return np.bincount(winners, minlength=players + 1)[1:].astype(np.int64)
