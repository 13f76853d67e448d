"""Learning wild ones by notes and plans, compiled: the games of ``support.games.wild_ones.notes.play``."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.ceiling_fast import Planned, played
from support.games.wild_ones.notes import Notes
from support.games.wild_ones.policies import DRAWS, Views
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import require_legal


class Stage(NamedTuple):
    """Where learning stands when a plan is made.

    Attributes:
        games: that have been played and written down.
        seen: of how many views it is known what each opponent does there.
        plan: by which play goes on.
    """

    games: int
    seen: tuple[int, ...]
    plan: Ceiling


def learn(game: WildOnes, tables: Sequence[np.ndarray], marks: Sequence[int], seed: int) -> Iterator[Stage]:
    """Play, write down, and plan anew at some marks.

    Args:
        game: the rules.
        tables: of the opponents, players 1, 2, ...
        marks: after how many games to plan anew; they rise. The first plan is made before anything is known.
        seed: 64 bits; game n has a stream of its own.

    Yields:
        What each plan is based on, the first before any game and the last at the last mark.

    Raises:
        ValueError: marks that do not rise, or as :func:`play`.
    """
    if any(mark <= before for before, mark in zip([0, *marks], marks, strict=False)):
        raise ValueError(f"marks must rise from 1, not be {', '.join(map(str, marks))}")
    notes, done = Notes(game), 0
    yield Stage(0, notes.seen, plan := notes.plan())
    for mark in marks:
        play(plan, tables, mark - done, seed, done, notes)
        done = mark
        yield Stage(done, notes.seen, plan := notes.plan())


def play(
    plan: Ceiling, tables: Sequence[np.ndarray], games: int, seed: int, start: int = 0, notes: Notes | None = None
) -> Planned:
    """Play games by a plan, until the player is out or has won.

    Args:
        plan: of ``Notes.plan``, what player 0 goes by.
        tables: of the opponents, players 1, 2, ..., as ``support.games.wild_ones.policies.table`` writes them.
        games: how many.
        seed: 64 bits; game n has a stream of its own.
        start: the number of the first game.
        notes: where to write down what the opponents do.

    Raises:
        ValueError: not one table an opponent, one that draws, looks at neighbours or plays something illegal, or a plan
            that does not tell the opponents apart.
    """
    game, opponents = plan.game, plan.game.num_players - 1
    if len(tables) != opponents:
        raise ValueError(f"{opponents + 1} players are {opponents} opponents, not {len(tables)}")
    if plan.kinds != tuple(range(opponents + 1)):
        raise ValueError("the plan does not tell the opponents apart; Notes.plan does")
    views = Views(game)
    for one in tables:
        require_legal(game, one)
        if one.shape != views.shape or (one == DRAWS).any():
            raise ValueError("an opponent draws or looks at its neighbours; notes have no room for that")
    memory = np.zeros((0, 0), np.int16) if notes is None else notes.entries.reshape(opponents, -1)
    return played(plan, tables, memory, False, games, seed, start)
