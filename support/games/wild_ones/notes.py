"""Learning wild ones by writing down what the others do, and planning against that.

After every challenge all dice are shown. So whoever plays a round to its end can write down what each opponent said
with which dice at which last bid, with how many dice in play. Against these notes the best player follows exactly, by
:class:`support.games.wild_ones.ceiling.ceiling.Ceiling`; it plays on, meets what it had wrong, and plans anew.

This takes more for granted than the table of :mod:`support.games.wild_ones.listener` does: the rules and the fairness
of the dice, and that an opponent goes by its own dice, the dice in play and the last bid alone, and never draws. What
it does there is learned from play. Two rules fill the gaps:

- A view that was never seen is thought to be answered with liar, or by the opener with the lowest bid.
- Once a bid was made that nobody should have made by the notes, the player says liar at its turn in this round.

Games are played by :func:`play`, compiled; :func:`play_plainly` plays the same games and takes the same notes.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from support.core.play import Stream
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.ceiling_fast import PlayedByPlan, played
from support.games.wild_ones.ceiling.chain import start_of
from support.games.wild_ones.play import Match
from support.games.wild_ones.policies import DRAWS, UNSEEN, Policy, View, Views, require_opponents
from support.games.wild_ones.rules import LIAR, WildOnes, WildOnesState
from support.games.wild_ones.rules_fast import require_legal

LOWEST = "1x1"


class Notes:
    """What each opponent was seen to do.

    Args:
        game: the rules.

    Attributes:
        entries: int16[opponents, ...], a table each as ``support.games.wild_ones.policies.table`` writes it; ``UNSEEN``
            where nothing was seen.
    """

    def __init__(self, game: WildOnes):
        self.game, self.views = game, Views(game)
        self.entries = np.full((game.num_players - 1, *self.views.shape), UNSEEN, np.int16)

    def write(self, opponent: int, view: View, action: str) -> None:
        """Write down what an opponent, counted from 0, did; what its neighbours have left is not looked at."""
        self.entries[opponent][self.views.place(View(view.hand, view.total, view.last))] = self.game.number(action)

    @property
    def seen(self) -> tuple[int, ...]:
        """Of how many views it is known what each opponent does there."""
        return tuple(int(np.count_nonzero(entries != UNSEEN)) for entries in self.entries)

    def assumed(self) -> list[np.ndarray]:
        """A table for each opponent: what was seen, and what is thought of the rest."""
        rest = np.where(self.views.reached, self.game.number(LIAR), UNSEEN).astype(np.int16)
        rest[..., 0][self.views.reached[..., 0]] = self.game.number(LOWEST)
        tables = list(np.where(self.entries == UNSEEN, rest, self.entries))
        for opponent, table in enumerate(tables):
            # No game leads here. Whoever was seen to do the same so far is still somebody else.
            table[0, 0, 0, 0] = UNSEEN - 1 - opponent
        return tables

    def plan(self) -> Ceiling:
        """The best against what is assumed, in floats."""
        return Ceiling(self.game, self.assumed(), exact=False)


def decide(plan: Ceiling, state: WildOnesState, seats: Sequence[int]) -> str:
    """What a plan says, or liar after a bid that it did not expect.

    Args:
        plan: of :meth:`Notes.plan`.
        state: in which player 0 is to move; what the others hold is not looked at.
        seats: the player who sits in each seat.
    """
    game, own = state.game, state.rolls[state.current_player]
    assert state.opener is not None
    start = start_of([plan.kinds[player] for player in seats], state.counts, state.opener)
    unfolded = plan.rounds[start[:2]]
    try:
        node = unfolded.node_after(start.opener, [game.number(f"{quantity}x{face}") for quantity, face in state.bids])
    except ValueError:
        return LIAR
    chosen = plan.chosen[start[:2]][node, unfolded.hands.rolls.index(own)]
    return game.action(int(unfolded.action[unfolded.first[node] + chosen]))


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
) -> PlayedByPlan:
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
    require_opponents(game, tables)
    if plan.kinds != tuple(range(opponents + 1)):
        raise ValueError("the plan does not tell the opponents apart; Notes.plan does")
    views = Views(game)
    for one in tables:
        require_legal(game, one)
        if one.shape != views.shape or (one == DRAWS).any():
            raise ValueError("an opponent draws or looks at its neighbours; notes have no room for that")
    memory = np.zeros((0, 0), np.int16) if notes is None else notes.entries.reshape(opponents, -1)
    return played(plan, tables, memory, False, games, seed, start)


def play_plainly(
    plan: Ceiling, opponents: Sequence[Policy], games: int, seed: int, start: int = 0, notes: Notes | None = None
) -> list[int]:
    """The games of :func:`play`, one state at a time: plain, and slow.

    Args:
        plan: what player 0 goes by.
        opponents: the policies of players 1, 2, ..., which never draw.
        games: how many.
        seed: 64 bits; game n has a stream of its own.
        start: the number of the first game.
        notes: where to write down what the opponents do.

    Returns:
        The place of player 0 in each game.
    """

    def choose(player: int, state: WildOnesState) -> Sequence[str]:
        return opponents[player - 1].choices(View.of(state)) if player else (decide(plan, state, match.seats),)

    found = []
    for number in range(start, start + games):
        match = Match(plan.game, Stream(seed, number))
        own, said = match.seats.index(0), []
        for move in match.moves(choose):
            said.append(move)
            if notes is not None and move.ends_round:  # now the dice are shown
                for one in said:
                    if one.player:
                        notes.write(one.player - 1, View.of(one.before), one.action)
                said = []
            if not move.after.counts[own]:
                break
        found.append(move.after.places()[own])
    return found
