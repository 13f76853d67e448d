"""Players of biscuits, for those who want to play against one: perfect, random, or trained when asked for, in seconds.

Each that learns has the chapter's settings and a seed of its own, so that the same agent comes out every time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from support.core.flat import unfold
from support.core.table import Agent, PlayError, Uniform
from support.exact.retrograde import cold_positions
from support.games.biscuits.rules import Biscuits, BiscuitsState
from support.learners import afterstates

SEED = 20260
"""Of all agents here."""
LEARNERS = {"learner": False, "program": True}
"""What has learned the published puzzle: as the document describes it, and with its program's slip."""
Board = tuple[int, int]


@cache
def cold(limit: int) -> frozenset[Board]:
    """The boards of up to ``limit`` biscuits in a heap from which whoever moves loses against perfect play."""
    pairs = cold_positions(limit).tolist()
    return frozenset((a, b) for pair in pairs for a, b in (pair, pair[::-1]))


class Perfect:
    """Leaves the other a lost position where that is possible; where it is not, takes one from the larger heap."""

    def action_probabilities(self, state: BiscuitsState) -> dict[Board, Fraction]:
        """One action, the first listed that wins."""
        legal, lost = state.legal_actions(), cold(max(state.game.digestives, state.game.rich_teas))
        digestives, rich_teas = state.board
        slow = (digestives - 1, rich_teas) if digestives >= rich_teas else (digestives, rich_teas - 1)
        taken = next((board for board in legal if board in lost), slow)
        return {board: Fraction(board == taken) for board in legal}


PERFECT = Perfect()


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

    settings = afterstates.AfterstateSettings(slip=slip)
    found = learn_fast(unfold(Biscuits()), settings, SEED)
    return Values(found.values[0 if slip else player], settings.start)


def agent(name: str, game: Biscuits, seat: int, seats: Sequence[str]) -> Agent[BiscuitsState]:
    """A player by its name, as the registry asks for it.

    Raises:
        PlayError: a learner, and other heaps than those from which it has learned.
    """
    if name not in LEARNERS:
        return PERFECT if name == "perfect" else Uniform()
    if game != Biscuits():
        raise PlayError(f"{name} has learned the published puzzle only, which starts from 8,4")
    return biscuits_learner(seat, LEARNERS[name])
