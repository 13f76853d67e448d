"""Learning wild ones by writing down what the others do, and planning against that.

After every challenge all dice are shown. So whoever plays a round to its end can write down what each opponent said
with which dice at which last bid, with how many dice in play. Against these notes the best player follows exactly, by
:class:`support.games.wild_ones.ceiling.ceiling.Ceiling`; it plays on, meets what it had wrong, and plans anew.

This takes more for granted than the table of :mod:`support.games.wild_ones.listener` does: the rules and the fairness
of
the dice, and that an opponent goes by its own dice, the dice in play and the last bid alone, and never draws. What it
does there is learned from play. Two rules fill the gaps:

- A view that was never seen is thought to be answered with liar, or by the opener with the lowest bid.
- Once a bid was made that nobody should have made by the notes, the player says liar at its turn in this round.

This module is the plain counterpart of ``support.games.wild_ones.notes_fast``: the same games and notes.
"""

from collections.abc import Sequence

import numpy as np

from support.core.play import Stream
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.chain import start_of
from support.games.wild_ones.play import Match
from support.games.wild_ones.policies import UNSEEN, Policy, View, Views
from support.games.wild_ones.rules import LIAR, WildOnes, WildOnesState

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


def play(
    plan: Ceiling, opponents: Sequence[Policy], games: int, seed: int, start: int = 0, notes: Notes | None = None
) -> list[int]:
    """Play games by a plan, until the player is out or has won, one state at a time: plain, and slow.

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
