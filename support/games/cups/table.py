"""What the tables of both kinds of Liar's Dice have in common: dice under cups, which a challenge shows."""

from typing import Any, TypeVar

from support.core.table import Table
from support.games.cups.round import CupsState

Round = TypeVar("Round", bound=CupsState)


class CupsTable(Table[Round]):
    """A table at which everybody rolls under a cup."""

    hides = "the dice are hidden and were rolled by chance: what you have heard cannot be unheard"
    truth = (
        "your probability of winning the game against these opponents, if all that follows is played as well as can be"
    )

    def cups(self, state: Round, viewer: int, last: str) -> list[str]:
        """Who has how many dice, those of the viewer, and what is said of the last bid."""
        counts = ", ".join(f"{name} {count or 'out'}" for name, count in zip(self.names, state.counts, strict=True))
        own = self.style.mark(self.style.dice(state.rolls[viewer]), "strong")
        return [f"Dice: {counts}; {state.total} in play.", f"You hold {own}. {last}"]

    def rolled(self, before: Round, roll: Any, viewer: int | None) -> str | None:
        """A roll, to whoever made it and to who may see everything."""
        seat = len(before.rolls)
        while not before.counts[seat]:
            seat += 1
        return f"{self.who(seat, 'roll')} {self.style.dice(roll)}" if viewer in (None, seat) else None

    def shown(self, state: Round) -> str:
        """All dice of a round."""
        hands = zip(self.names, state.rolls, strict=True)
        return "; ".join(f"{name} {self.style.dice(roll)}" for name, roll in hands if roll)
