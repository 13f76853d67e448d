"""Opponents at biscuits: perfect, random, or trained on demand within seconds.

The learners use the chapter's settings and a fixed seed, so the same agent comes out every time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from support.core.flat import unfolded
from support.core.policy import TabularPolicy
from support.core.table import PlayError
from support.games.biscuits.cold import Board, cold
from support.games.biscuits.rules import Biscuits, BiscuitsState
from support.learners import afterstates

SEED = 20260
"""The seed of the learners."""
LEARNERS = {"learner": False, "program": True}
"""The agents that learn the published puzzle, and whether each has the slip of the document's program."""


class Perfect:
    """Leaves the opponent a lost position if it can; otherwise takes one biscuit from the larger heap."""

    def action_probabilities(self, state: BiscuitsState) -> dict[Board, Fraction]:
        """Probability 1 for the chosen board, the first listed that wins if there is one."""
        legal, lost = state.legal_actions(), cold(max(state.game.digestives, state.game.rich_teas))
        digestives, rich_teas = state.board
        slow = (digestives - 1, rich_teas) if digestives >= rich_teas else (digestives, rich_teas - 1)
        taken = next((board for board in legal if board in lost), slow)
        return {board: Fraction(board == taken) for board in legal}


PERFECT = Perfect()


@dataclass(frozen=True, eq=False)
class Values:
    """A trained player of biscuits that no longer explores: it leaves the board of highest value, the first if tied.

    Args:
        values: the learned value of each board that it left behind.
        start: the value of every other board.
    """

    values: dict[Any, float]
    start: float

    def action_probabilities(self, state: BiscuitsState) -> dict[Any, Fraction]:
        """Probability 1 for the chosen board."""
        legal = state.legal_actions()
        best = max(legal, key=lambda board: self.values.get(board, self.start))
        return {board: Fraction(board == best) for board in legal}


@cache
def biscuits_learner(player: int, slip: bool = False) -> Values:
    """Train both players on the published puzzle for the published number of games, and return one of them.

    Args:
        player: which one; 0 moves first.
        slip: whether both choose by the first player's values, as in the printed program.
    """
    from support.learners.afterstates_fast import learn_fast

    settings = afterstates.AfterstateSettings(slip=slip)
    found = learn_fast(unfolded(Biscuits()), settings, SEED)
    return Values(found.values[0 if slip else player], settings.start)


def agent(name: str, game: Biscuits, seat: int, seats: Sequence[str]) -> Perfect | Values | TabularPolicy:
    """Make an agent for the registry (see :meth:`support.games.Entry.agent`).

    Raises:
        PlayError: a learner cannot play from heaps other than those that it has learned from.
    """
    if name not in LEARNERS:
        return PERFECT if name == "perfect" else TabularPolicy({})
    if game != Biscuits():
        raise PlayError(f"{name} has learned only the published puzzle, which starts from 8,4")
    return biscuits_learner(seat, LEARNERS[name])
