"""Biscuits at the terminal; the truth is whether a position is won, by the cold positions."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from support.core.table import Agent, Number, PlayError, Table, Uniform
from support.exact.retrograde import cold_positions
from support.games.biscuits.opponents import biscuits_learner
from support.games.biscuits.rules import Biscuits, BiscuitsState

LARGEST = 1000
"""Biscuits in a heap."""
Board = tuple[int, int]


@cache
def _cold(limit: int) -> frozenset[Board]:
    pairs = cold_positions(limit).tolist()
    return frozenset((a, b) for pair in pairs for a, b in (pair, pair[::-1]))


class Perfect:
    """Leaves the other a lost position where that is possible; where it is not, takes one from the larger heap."""

    def action_probabilities(self, state: BiscuitsState) -> dict[Board, Fraction]:
        """One action, the first listed that wins."""
        legal, cold = state.legal_actions(), _cold(max(state.game.digestives, state.game.rich_teas))
        digestives, rich_teas = state.board
        slow = (digestives - 1, rich_teas) if digestives >= rich_teas else (digestives, rich_teas - 1)
        taken = next((board for board in legal if board in cold), slow)
        return {board: Fraction(board == taken) for board in legal}


AGENTS: dict[str, Agent[BiscuitsState]] = {"perfect": Perfect(), "random": Uniform()}
LEARNERS = {"learner": False, "program": True}
"""What has learned the published puzzle: as the document describes it, and with its program's slip."""


class BiscuitsTable(Table[BiscuitsState]):
    """A table with two heaps of biscuits."""

    game: Biscuits
    truth = "whether you can still force a win"

    @classmethod
    def agent_names(cls) -> tuple[str, ...]:
        """Perfect play, any move, and what was learned."""
        return (*AGENTS, *LEARNERS)

    @classmethod
    def learners(cls) -> tuple[str, ...]:
        """What was learned."""
        return tuple(LEARNERS)

    def agent(self, name: str, seat: int) -> Agent[BiscuitsState]:
        """One of them.

        Raises:
            PlayError: a learner, and other heaps than those from which it has learned.
        """
        if name in LEARNERS:
            if self.game != Biscuits():
                raise PlayError(f"{name} has learned the published puzzle only, which starts from 8,4")
            return biscuits_learner(seat, LEARNERS[name])
        return AGENTS[name]

    def legend(self) -> str:
        """What remains."""
        return "what you leave, such as 7,4 (Digestives, Rich Teas); take from one heap, or the same from both"

    def scene(self, state: BiscuitsState, viewer: int) -> list[str]:
        """Both heaps."""
        drawn = "●○" if self.style.glyphs else "oc"
        return [
            f"Digestives {heap:>4}  {self.style.heap(heap, biscuit)}"
            if biscuit == drawn[0]
            else f"Rich Teas  {heap:>4}  {self.style.heap(heap, biscuit)}"
            for heap, biscuit in zip(state.board, drawn, strict=True)
        ]

    def told(self, before: BiscuitsState, action: Any, after: BiscuitsState, viewer: int | None) -> str:
        """What is taken and what is left."""
        taken = [then - now for then, now in zip(before.board, after.board, strict=True)]
        kinds = [("Digestive", "Digestives"), ("Rich Tea", "Rich Teas")]
        words = [f"{count} {kind[count > 1]}" for count, kind in zip(taken, kinds, strict=True) if count]
        left = before.action_to_string(action)
        return f"{self.who(before.current_player, 'take')} {' and '.join(words)}, which leaves {left}"

    def result(self, state: BiscuitsState) -> str:
        """Who took the last one."""
        assert state.winner is not None
        return (
            f"{self.who(state.winner, 'take')} the last biscuit and {'win' if state.winner == self.seat else 'wins'}."
        )

    def refusal(self, state: BiscuitsState, action: Any, text: str) -> str:
        """The rule, and some moves."""
        return (
            f"from {state.action_to_string(state.board)} no move leaves {text}: take any number from one heap, or the "
            f"same from both; possible: {self.listed(state)}"
        )

    def values(self, state: BiscuitsState) -> Mapping[Any, Number]:
        """One for a move after which the other is lost, else nothing."""
        cold = _cold(max(self.game.digestives, self.game.rich_teas))
        return {board: int(board in cold) for board in state.legal_actions()}

    def hint(self, state: BiscuitsState, values: Mapping[Any, Number]) -> list[str]:
        """All moves that win, or what the perfect agent does where none does."""
        winning = [self.label(state, board) for board, wins in values.items() if wins]
        if winning:
            return [f"Winning: leave {' or '.join(winning)}. Every other move loses against perfect play."]
        chosen = Perfect().action_probabilities(state)
        slow = next(board for board, chance in chosen.items() if chance)
        return [f"Every move loses against perfect play. The perfect agent would leave {self.label(state, slow)}."]

    def unknown(self) -> str:
        """All is known."""
        return ""

    def worth(self, value: Number) -> str:
        """Won or lost."""
        return "wins" if value else "loses against perfect play"

    def price(self, cost: Number) -> str:
        """A win."""
        return "gave a won game away"
