"""A player of biscuits that learned, for those who want to play against one: trained when asked for, in seconds.

Each has the chapter's settings and a seed of its own, so that the same agent comes out every time.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from support.core.flat import unfold
from support.games.biscuits.rules import Biscuits, BiscuitsState
from support.learners import afterstates

SEED = 20260
"""Of all agents here."""


@dataclass(frozen=True, eq=False)
class Values:
    """A learner of biscuits that no longer explores: it leaves the board that it values most, of equals the first.

    Args:
        values: of each board that it left behind.
        start: the value of any other.
    """

    values: dict[Any, float]
    start: float

    def action_probabilities(self, state: BiscuitsState) -> dict[Any, Fraction]:
        """One action."""
        legal = state.legal_actions()
        best = max(legal, key=lambda board: self.values.get(board, self.start))
        return {board: Fraction(board == best) for board in legal}


@cache
def biscuits_learner(player: int, slip: bool = False) -> Values:
    """What a player of the published puzzle has learned after the published number of games.

    Args:
        player: 0 has the first move.
        slip: as the program is printed: both go by the first player's values.
    """
    from support.learners.afterstates_fast import learn_fast

    settings = afterstates.Settings(slip=slip)
    found = learn_fast(unfold(Biscuits()), settings, SEED)
    return Values(found.values[0 if slip else player], settings.start)
