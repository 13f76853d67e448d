"""Ace, king, queen at the terminal; hints come from the best response to the opponent's strategy."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from support.core.interface import CHANCE
from support.core.policy import TabularPolicy
from support.core.table import Number, Table, percent
from support.exact.best_response import BestResponse, best_response
from support.games.cards.ace_king_queen import AceKingQueen, PokerState
from support.games.cards.opponents import equilibrium
from support.games.cards.truth import flat_game


class AceKingQueenTable(Table[PokerState]):
    """A table for one hand."""

    game: AceKingQueen
    hides = "the other card is hidden, and an action that you have seen cannot be unseen"
    truth = "the dollars that you win on average, from the beginning of the hand, against this opponent's strategy"

    def legend(self) -> str:
        """Letters."""
        return "f (fold, against a bet), c (check or call), r (bet or raise, one dollar)"

    def scene(self, state: PokerState, viewer: int) -> list[str]:
        """The own card and the money."""
        card = self.style.mark(self.style.card(state.deal[viewer]), "strong")
        paid = state.paid
        return [
            f"You hold {card}. In the pot: {paid[viewer]} of yours, {paid[1 - viewer]} of {self.names[1 - viewer]}'s."
        ]

    def described(self, before: PokerState, action: Any, after: PokerState, viewer: int | None) -> str:
        """The deal, as far as it is seen, and the betting."""
        if before.current_player == CHANCE:
            seats = (0, 1) if viewer is None else (viewer,)
            return "; ".join(f"{self.who(seat, 'get')} {self.style.card(after.deal[seat])}" for seat in seats)
        return self.who(before.current_player, before.action_in_words(action))

    def result(self, state: PokerState) -> str:
        """Both cards and the money."""
        cards = ", ".join(f"{name} {self.style.card(card)}" for name, card in zip(self.names, state.deal, strict=True))
        gain = state.returns()[0]
        if not gain:
            return f"The cards were {cards}: the pot is split."
        return f"The cards were {cards}: {self.who(int(gain < 0), 'win')} {abs(gain)} dollar{'s' * (abs(gain) > 1)}."

    @cached_property
    def response(self) -> BestResponse:
        """The best against this opponent."""
        profile = [self.agents.get(seat, TabularPolicy({})) for seat in (0, 1)]
        return best_response(flat_game(), profile, self.seat)

    def values(self, state: PokerState) -> Mapping[Any, Number] | None:
        """Dollars over the whole hand, on average; a reached information state has a positive reach."""
        where = (self.seat, state.information_state(self.seat))
        reach = self.response.reach[where]
        spent = state.paid[self.seat]
        return {action: total / reach - spent for action, total in self.response.action_values[where].items()}

    def worth(self, value: Number) -> str:
        """Dollars."""
        return f"{float(value):+.3f} dollars"

    def price(self, cost: Number) -> str:
        """Dollars."""
        return f"cost {float(cost):.3f} dollars on average"

    def advice(self, state: PokerState) -> list[str]:
        """What an equilibrium does."""
        row = equilibrium().policies[self.seat].action_probabilities(state)
        return [
            "In an equilibrium: " + ", ".join(f"{state.action_in_words(a)} {percent(p)}" for a, p in row.items()) + "."
        ]
