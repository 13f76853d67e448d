"""Learners of wild ones, for those who want to play against one: trained when asked for, in seconds.

Each has the chapter's settings and a seed of its own, so that the same agent comes out every time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np

from support.games.wild_ones.dqn.player import Player
from support.games.wild_ones.dqn.settings import PUBLISHED
from support.games.wild_ones.listener.learned import Learned
from support.games.wild_ones.listener.settings import Settings as TableSettings
from support.games.wild_ones.policies import Aggressive, Survivalist, Views, table
from support.games.wild_ones.rules import WildOnes, WildOnesState

SEED = 20260
"""Of all agents here."""
TABLE_GAMES = 1_000_000
"""Games of the table of wild ones, a tenth of the chapter's longest run."""
SELF_PLAY = 0.5
"""The share of games that the second network plays against a copy of itself."""
CAUGHT = {"survivalist": 0, "aggressive": 1}
"""The opponents that the table of wild ones has learned to tell apart, by number."""


def _opponents(game: WildOnes) -> list[np.ndarray]:
    return [table(Views(game), policy) for policy in (Survivalist(), Aggressive())]


@cache
def wild_ones_network(self_play: bool = False) -> Player:
    """The published network, trained against both fixed opponents.

    Args:
        self_play: whether it plays a share of ``SELF_PLAY`` of its games against a copy of itself.
    """
    from support.games.wild_ones.dqn.learner_fast import train

    game, settings = WildOnes(), replace(PUBLISHED, self_play=SELF_PLAY if self_play else 0.0)
    return Player(game, settings, train(game, _opponents(game), settings, SEED).network, "survivalist+aggressive", SEED)


@cache
def best_table() -> Learned:
    """The table that hears everything, after ``TABLE_GAMES`` against both fixed opponents: what greedy play meets."""
    from support.games.wild_ones.listener.learner_fast import Learner

    game = WildOnes()
    learner = Learner(game, _opponents(game), TableSettings(), SEED)
    learner.train(TABLE_GAMES)
    return learner.learned()


@dataclass(frozen=True, eq=False)
class Remembers:
    """The table at a table with others than it was trained with: it takes each of them for one that it knows.

    Args:
        learned: the table.
        seats: the player that it takes each seat for; itself is the last.
    """

    learned: Learned
    seats: tuple[int, ...]

    @classmethod
    def seated(cls, learned: Learned, own: int, names: Sequence[str]) -> "Remembers":
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
