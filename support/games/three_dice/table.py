"""Three dice at the terminal; hints give the exact value of each decision. Rivals play games of their own."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from support.core.flat import FlatGame, unfolded
from support.core.interface import CHANCE
from support.core.play import Stream, play_game
from support.core.table import YOU, Number, Table
from support.exact.optimal import Optimum, optimal_policy
from support.games.three_dice.rules import DiceGame, DiceState


class ThreeDiceTable(Table[DiceState]):
    """A table for one. Rivals roll their own dice afterwards; the highest score wins."""

    game: DiceGame
    hides = "the dice that you rolled cannot be rolled back"
    truth = "the score to expect if you play as well as possible from then on"

    @cached_property
    def flat(self) -> FlatGame:
        """The game, unfolded."""
        return unfolded(self.game)

    @cached_property
    def optimum(self) -> Optimum:
        """The exact values."""
        return optimal_policy(self.flat)

    def legend(self) -> str:
        """Holding."""
        return "hold and the faces to keep, such as hold 4,5; hold none; or stick to stop"

    def scene(self, state: DiceState, viewer: int) -> list[str]:
        """The dice, what they are worth now, and what was paid."""
        dice = self.style.mark(self.style.dice(state.dice), "strong")
        paid = self.game.penalty * state.rerolls
        worth = f"{self.game.final_score(state.dice)} points if you stick"
        return [f"Your dice {dice}: {worth}{f', less {paid} paid for rerolls' if paid else ''}."]

    def described(self, before: DiceState, action: Any, after: DiceState, viewer: int | None) -> str:
        """Rolls and decisions."""
        if before.current_player == CHANCE:
            return f"{self.who(0, 'roll')} {self.style.dice(action)}"
        if after.is_terminal():
            return f"{self.who(0, 'stick')} with {self.style.dice(before.dice)}"
        held = tuple(before.dice[place] for place in action)
        return f"{self.who(0, 'hold')} {self.style.dice(held)} and {'reroll' if self.names[0] == 'you' else 'rerolls'}"

    def result(self, state: DiceState) -> str:
        """The score."""
        turned = {face for face in state.dice if state.dice.count(face) > 1}
        doubles = " Doubles are turned over." if turned else ""
        paid = self.game.penalty * state.rerolls
        return (
            f"{self.style.dice(state.dice)} count {self.game.final_score(state.dice)}.{doubles} "
            f"Rerolls cost {paid}: {self.who(0, 'score')} {state.returns()[0]} points."
        )

    def afterwards(self, state: DiceState, stream: Stream) -> list[str]:
        """The rivals' games, and who scored most."""
        if not self.rivals:
            return []
        scores, lines = [(YOU, state.returns()[0])], []
        for number, name in enumerate(self.rivals, 1):
            label = f"{name} ({number})" if self.rivals.count(name) > 1 else name
            final = play_game(self.game, [self.agents[number]], stream)
            scores.append((label, final.returns()[0]))
            lines.append(f"{label} plays {final} and scores {final.returns()[0]} points.")
        top = max(score for _, score in scores)
        winners = [name for name, score in scores if score == top]
        if len(winners) > 1:
            return [*lines, f"{' and '.join(winners)} share the first place with {top} points."]
        return [*lines, f"{'you win' if winners == ['you'] else winners[0] + ' wins'} with {top} points."]

    def values(self, state: DiceState) -> Mapping[Any, Number]:
        """Exact values of all decisions, what was paid before included."""
        node, paid = self.flat.index[state.position], self.game.penalty * state.rerolls
        worth = self.optimum.action_values
        return {self.flat.action[edge]: worth[edge] - paid for edge in self.flat.edges(node)}

    def worth(self, value: Number) -> str:
        """Points."""
        return f"{float(value):.3f} points"
