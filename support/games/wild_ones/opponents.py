"""Opponents at wild ones: fixed, trained on demand, or solved: a player that cannot be beaten in the long run.

The learners use the chapter's settings and a fixed seed, so the same agent comes out every time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from support.core.table import PlayError
from support.games.cups.equal_player import Equal, equal
from support.games.wild_ones.dqn import PUBLISHED
from support.games.wild_ones.dqn_player import DQNPlayer
from support.games.wild_ones.listener_table import ListenerTable
from support.games.wild_ones.policies import POLICIES, tables
from support.games.wild_ones.rules import WildOnes, WildOnesState

NETWORKS = {"network": False, "self-play": True}
"""The networks by name, and whether each is also trained against itself."""
BEST = "best"
"""The table that goes by all bids of the round."""
EQUAL = "equal"
"""The player that cannot be beaten in the long run, with one die each."""
LEAST = 0.001
"""The least probability with which it does something."""
SEED = 20260
"""The seed of the learners."""
TABLE_GAMES = 1_000_000
"""Games that the table learns from, a tenth of the chapter's longest run."""
SELF_PLAY = 0.5
"""The share of games that the second network plays against a copy of itself."""
CAUGHT = {"survivalist": 0, "aggressive": 1}
"""The opponents that the table has learned to distinguish, by number."""


@cache
def wild_ones_network(self_play: bool = False) -> DQNPlayer:
    """Train the published network against both fixed opponents.

    Args:
        self_play: whether it plays a share of ``SELF_PLAY`` of its games against a copy of itself.
    """
    from support.games.wild_ones.learners import network

    return network(WildOnes(), replace(PUBLISHED, self_play=SELF_PLAY if self_play else 0.0), SEED)


@cache
def solved_round() -> Equal:
    """The round of two players with one die each, without moves that are hardly ever made."""
    return equal(WildOnes(2, 1)).thinned(LEAST)


@cache
def best_table() -> ListenerTable:
    """Train the table that goes by all bids of the round, for ``TABLE_GAMES`` against both fixed opponents."""
    from support.games.wild_ones.learners import TableLearner

    return TableLearner().train(WildOnes(), TABLE_GAMES, SEED).learned


@dataclass(frozen=True, eq=False)
class AmongStrangers:
    """The learned table among players it was not trained with: it takes each for a player that it knows.

    Args:
        learned: the table.
        seats: the player that it takes each seat for; itself is the last.
    """

    learned: ListenerTable
    seats: tuple[int, ...]

    @classmethod
    def seated(cls, learned: ListenerTable, own: int, names: Sequence[str]) -> "AmongStrangers":
        """Seat the table among others.

        Args:
            learned: the table.
            own: its seat.
            names: the names in all seats. Known players are themselves; the others stand in for the missing ones.
        """
        others = [seat for seat in range(len(names)) if seat != own]
        free = list(CAUGHT.values())
        seats = {own: len(names) - 1}
        for seat in sorted(others, key=lambda seat: names[seat] not in CAUGHT):
            wanted = CAUGHT.get(names[seat], free[0])
            seats[seat] = wanted if wanted in free else free[0]
            free.remove(seats[seat])
        return cls(learned, tuple(seats[seat] for seat in range(len(names))))

    def action_probabilities(self, state: WildOnesState) -> dict[str, Fraction]:
        """Probability 1 for the table's action."""
        chosen = self.learned.choose(state, self.seats)
        return {action: Fraction(action == chosen) for action in state.legal_actions()}


def agent(name: str, game: WildOnes, seat: int, seats: Sequence[str]) -> Any:
    """Make an agent for the registry (see :meth:`support.games.Entry.agent`).

    Raises:
        PlayError: the agent has learned at the published size or is solved at another, and this is neither.
    """
    if name in POLICIES:
        return POLICIES[name]
    if name == EQUAL:
        if game != WildOnes(2, 1):
            raise PlayError(f"{name} plays only with 2 players and 1 die each")
        return solved_round()
    known = WildOnes()
    if name == BEST and game == known:
        return AmongStrangers.seated(best_table(), seat, seats)
    if name in NETWORKS and game.dice == known.dice and game.num_players <= known.num_players:
        return wild_ones_network(NETWORKS[name])
    raise PlayError(f"{name} has learned to play only with {known.num_players} players and {known.dice} dice each")


def written(name: str, game: WildOnes) -> np.ndarray:
    """The table (``policies.table``) of a player that decides by its view alone."""
    if name in NETWORKS:
        return wild_ones_network(NETWORKS[name]).table(game)
    return tables(game, [name])[0]
