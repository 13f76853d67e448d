"""Biscuits at the terminal; hints and reviews say which moves win, by the cold positions."""

from collections.abc import Mapping
from typing import Any

from support.core.table import Number, Table
from support.games.biscuits.cold import cold
from support.games.biscuits.opponents import PERFECT
from support.games.biscuits.rules import Biscuits, BiscuitsState


class BiscuitsTable(Table[BiscuitsState]):
    """A table with two heaps of biscuits."""

    game: Biscuits
    truth = "whether you can still force a win"

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

    def described(self, before: BiscuitsState, action: Any, after: BiscuitsState, viewer: int | None) -> str:
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
        lost = cold(max(self.game.digestives, self.game.rich_teas))
        return {board: int(board in lost) for board in state.legal_actions()}

    def hint(self, state: BiscuitsState, values: Mapping[Any, Number]) -> list[str]:
        """All moves that win, or what the perfect agent does where none does."""
        winning = [self.label(state, board) for board, wins in values.items() if wins]
        if winning:
            return [f"Winning: leave {' or '.join(winning)}. Every other move loses against perfect play."]
        chosen = PERFECT.action_probabilities(state)
        slow = next(board for board, chance in chosen.items() if chance)
        return [f"Every move loses against perfect play. The perfect agent would leave {self.label(state, slow)}."]

    def worth(self, value: Number) -> str:
        """Won or lost."""
        return "wins" if value else "loses against perfect play"

    def price(self, cost: Number) -> str:
        """A win."""
        return "gave a won game away"
