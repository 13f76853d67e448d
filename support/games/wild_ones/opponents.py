"""Players of wild ones, for those who want to play against one: fixed ones, and some trained when asked for.

Each that learns has the chapter's settings and a seed of its own, so that the same agent comes out every time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from support.core.table import PlayError
from support.games.wild_ones.dqn import PUBLISHED
from support.games.wild_ones.dqn_player import DQNPlayer
from support.games.wild_ones.listener_table import ListenerTable
from support.games.wild_ones.policies import POLICIES, tables
from support.games.wild_ones.rules import WildOnes, WildOnesState

NETWORKS = {"network": False, "self-play": True}
"""The published network, and one that was trained against itself as well."""
BEST = "best"
"""The table that goes by all bids of the round."""
SEED = 20260
"""Of all agents here."""
TABLE_GAMES = 1_000_000
"""Games of the table of wild ones, a tenth of the chapter's longest run."""
SELF_PLAY = 0.5
"""The share of games that the second network plays against a copy of itself."""
CAUGHT = {"survivalist": 0, "aggressive": 1}
"""The opponents that the table of wild ones has learned to tell apart, by number."""


@cache
def wild_ones_network(self_play: bool = False) -> DQNPlayer:
    """The published network, trained against both fixed opponents.

    Args:
        self_play: whether it plays a share of ``SELF_PLAY`` of its games against a copy of itself.
    """
    from support.games.wild_ones.learners import network

    return network(WildOnes(), replace(PUBLISHED, self_play=SELF_PLAY if self_play else 0.0), SEED)


@cache
def best_table() -> ListenerTable:
    """The table that goes by all bids of the round, after ``TABLE_GAMES`` against both fixed opponents."""
    from support.games.wild_ones.learners import TableLearner

    return TableLearner().train(WildOnes(), TABLE_GAMES, SEED).learned


@dataclass(frozen=True, eq=False)
class AmongStrangers:
    """The best table at a table with others than it was trained with: it takes each of them for one that it knows.

    Args:
        learned: the table.
        seats: the player that it takes each seat for; itself is the last.
    """

    learned: ListenerTable
    seats: tuple[int, ...]

    @classmethod
    def seated(cls, learned: ListenerTable, own: int, names: Sequence[str]) -> "AmongStrangers":
        """In a seat, among others.

        Args:
            learned: the table.
            own: its seat.
            names: of all seats. Those that it knows are whom they are; the others stand in for who is missing.
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
        """One action."""
        chosen = self.learned.choose(state, self.seats)
        return {action: Fraction(action == chosen) for action in state.legal_actions()}


def agent(name: str, game: WildOnes, seat: int, seats: Sequence[str]) -> Any:
    """A player by its name, as the registry asks for it.

    Raises:
        PlayError: one that has learned, and another table than the published one.
    """
    if name in POLICIES:
        return POLICIES[name]
    known = WildOnes()
    if name == BEST and game == known:
        return AmongStrangers.seated(best_table(), seat, seats)
    if name in NETWORKS and game.dice == known.dice and game.num_players <= known.num_players:
        return wild_ones_network(NETWORKS[name])
    raise PlayError(f"{name} has learned to play at a table of {known.num_players} with {known.dice} dice each")


def written(name: str, game: WildOnes) -> np.ndarray:
    """What a player that goes by a view alone does in all of them, as ``policies.table`` writes it."""
    if name in NETWORKS:
        return wild_ones_network(NETWORKS[name]).table(game)
    return tables(game, [name])[0]
