"""Learning wild ones by writing down what the others do, and planning against that.

After every challenge all dice are shown. So a player who stays to the end of a round can write down what each opponent
said with which dice after which bid, and with how many dice in play. The exact best response to these notes
(:class:`support.games.wild_ones.ceiling.ceiling.Ceiling`) plays on, meets what the notes have wrong, and plans anew.

This assumes more than the table of :mod:`support.games.wild_ones.listener` does: the rules, fair dice, and opponents
who decide by their own dice, the dice in play and the last bid alone, and never mix. Their decisions are learned from
play. Two rules fill the gaps:

- In a view that was never seen, an opponent is assumed to say liar or, as the opener, to make the lowest bid.
- After a bid that contradicts the notes, the player says liar at its next turn in the round.

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
        entries: int16[opponents, ...], one table for each opponent (``support.games.wild_ones.policies.table``), with
            ``UNSEEN`` in views that were never seen.
    """

    def __init__(self, game: WildOnes):
        self.game, self.views = game, Views(game)
        self.entries = np.full((game.num_players - 1, *self.views.shape), UNSEEN, np.int16)

    def write(self, opponent: int, view: View, action: str) -> None:
        """Write down the action of an opponent, counted from 0; its neighbours' dice are ignored."""
        self.entries[opponent][self.views.place(View(view.hand, view.total, view.last))] = self.game.number(action)

    @property
    def seen(self) -> tuple[int, ...]:
        """For each opponent, the number of views in which its action is known."""
        return tuple(int(np.count_nonzero(entries != UNSEEN)) for entries in self.entries)

    def assumed(self) -> list[np.ndarray]:
        """A table for each opponent: what was seen, and assumptions about the rest."""
        rest = np.where(self.views.reached, self.game.number(LIAR), UNSEEN).astype(np.int16)
        rest[..., 0][self.views.reached[..., 0]] = self.game.number(LOWEST)
        tables = list(np.where(self.entries == UNSEEN, rest, self.entries))
        for opponent, table in enumerate(tables):
            # No game leads here: the entry only keeps opponents with equal notes so far from counting as one kind.
            table[0, 0, 0, 0] = UNSEEN - 1 - opponent
        return tables

    def plan(self) -> Ceiling:
        """The best response to the assumed tables, in floats."""
        return Ceiling(self.game, self.assumed(), exact=False)


def decide(plan: Ceiling, state: WildOnesState, seats: Sequence[int]) -> str:
    """The action of a plan, or liar after a bid that it did not expect.

    Args:
        plan: what :meth:`Notes.plan` returned.
        state: a state with player 0 to move; the other players' dice are not used.
        seats: the player in each seat.
    """
    game, own = state.game, state.rolls[state.current_player]
    assert state.opener is not None
    start = start_of([plan.kinds[player] for player in seats], state.counts, state.opener)
    unfolded = plan.rounds[start[:2]]
    try:
        node = unfolded.node_after(start.opener, [1 + game.bid_number(bid) for bid in state.bids])
    except ValueError:
        return LIAR
    chosen = plan.chosen[start[:2]][node, unfolded.hands.rolls.index(own)]
    return game.action(int(unfolded.action[unfolded.first[node] + chosen]))


class Stage(NamedTuple):
    """What is known when a plan is made.

    Attributes:
        games: the number of games played and written down.
        seen: for each opponent, the number of views in which its action is known.
        plan: the plan for the games that follow.
    """

    games: int
    seen: tuple[int, ...]
    plan: Ceiling


def learn(game: WildOnes, tables: Sequence[np.ndarray], marks: Sequence[int], seed: int) -> Iterator[Stage]:
    """Play, write down, and plan anew at some marks.

    Args:
        game: the rules.
        tables: the tables of the opponents, players 1, 2, ...
        marks: rising numbers of games after which to plan anew. The first plan is made before any game.
        seed: 64 bits; game n has a stream of its own.

    Yields:
        The stage at each plan, from before the first game to the last mark.

    Raises:
        ValueError: the marks do not rise, or :func:`play` cannot play against these tables.
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
        plan: player 0's plan, from ``Notes.plan``.
        tables: the tables of the opponents, players 1, 2, ... (``support.games.wild_ones.policies.table``).
        games: the number of games.
        seed: 64 bits; game n has a stream of its own.
        start: the number of the first game.
        notes: where to write down what the opponents do.

    Raises:
        ValueError: there is not one table for each opponent; a table mixes, depends on neighbours or plays something
            illegal; or the plan treats several opponents as one kind.
    """
    game, opponents = plan.game, plan.game.num_players - 1
    require_opponents(game, tables)
    if plan.kinds != tuple(range(opponents + 1)):
        raise ValueError("the plan treats several opponents as one kind; those of Notes.plan do not")
    views = Views(game)
    for one in tables:
        require_legal(game, one)
        if one.shape != views.shape or (one == DRAWS).any():
            raise ValueError("an opponent mixes or depends on its neighbours' dice; notes have no room for that")
    memory = np.zeros((0, 0), np.int16) if notes is None else notes.entries.reshape(opponents, -1)
    return played(plan, tables, memory, False, games, seed, start)


def play_plainly(
    plan: Ceiling, opponents: Sequence[Policy], games: int, seed: int, start: int = 0, notes: Notes | None = None
) -> list[int]:
    """The games of :func:`play`, one state at a time: plain, slow, and with policies in place of tables.

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
