"""Wild ones at the terminal; hints come from the ceiling against the opponents at the table."""

from collections.abc import Mapping
from typing import Any

from support.core.table import Number, percent
from support.games.cups.table import CupsTable, bid
from support.games.wild_ones.ceiling.ceiling import QUICK, Ceiling
from support.games.wild_ones.opponents import BEST, EQUAL, written
from support.games.wild_ones.policies import POLICIES, View
from support.games.wild_ones.rules import EXACT, LIAR, WildOnes, WildOnesState, counted

MOST_HINTS = 5


class WildOnesTable(CupsTable[WildOnesState]):
    """A table of wild ones."""

    game: WildOnes
    challenges = (LIAR, EXACT)
    quick = QUICK

    def legend(self) -> str:
        """Bids and challenges."""
        return "a bid such as 2x3 (two threes; ones count as every face), liar, or exact"

    def said(self, before: WildOnesState, action: Any, after: WildOnesState) -> str:
        """A bid, or a challenge and what it shows."""
        mover = before.current_player
        if action not in self.challenges:
            return f"{self.who(mover, 'bid')} {action}"
        player, change = before.outcome(action)
        if change < 0:
            ending = self.who(player, "lose") + " a die"
        elif before.counts[player] == self.game.dice:
            ending = self.who(player, "are", "is") + " right, and had all dice already"
        else:
            ending = self.who(player, "win") + " a die back"
        there = sum(counted(roll, before.bids[-1][1]) for roll in before.rolls)
        shown = self.shown(before, after, there, player, ending)
        return f"{self.who(mover, 'say')} {action} to {bid(before)}: {shown}"

    def result(self, state: WildOnesState) -> str:
        """All places."""
        places = state.places()
        order = sorted(range(len(places)), key=lambda seat: places[seat])
        rest = ", then ".join(self.names[seat] for seat in order[1:])
        return f"{self.who(order[0], 'win')}; then {rest}."

    def refusal(self, state: WildOnesState, action: Any, text: str) -> str:
        """The rule that a bid breaks."""
        try:
            state.require(action)  # its message names bids only
        except ValueError as error:
            return str(error)
        return super().refusal(state, action, text)

    @property
    def solvable(self) -> bool:
        """Not against one that remembers the whole round."""
        return not {BEST, EQUAL} & set(self.against) and super().solvable

    def solved(self) -> Ceiling:
        """The best against these opponents."""
        tables = {name: written(name, self.game) for name in self.against}
        return Ceiling(self.game, [tables[name] for name in self.against], exact=False)

    def values(self, state: WildOnesState) -> Mapping[Any, Number] | None:
        """The probability of winning after each action."""
        found: Mapping[Any, Number] | None = None
        if self.answer is not None:
            found = self.answer.decision(state, self._seats()).values
        return found

    def unknown(self) -> str:
        """The opponent, or the size."""
        if EQUAL in self.against:
            return "no play wins more than its share against an opponent that is your equal"
        if BEST in self.against:
            return "the best play against an opponent that goes by all bids of the round is not computed here"
        return f"the best play at this size takes too long to compute; it is known for {self.sizes()}"

    def advice(self, state: WildOnesState) -> list[str]:
        """What is likely to be true by the own dice alone, and what the survivalist says."""
        view = View.of(state)
        likely = sorted(view.legal(), key=view.chance, reverse=True)[:MOST_HINTS]
        chances = ", ".join(f"{action} {percent(view.chance(action))}" for action in likely)
        choice = POLICIES["survivalist"].choices(view)[0]
        lines = [f"By your dice alone, these are the likeliest to be true: {chances}. The survivalist plays {choice}."]
        if self.answer is not None and state.last is not None:
            lines += self._held(state)
        return lines

    def _held(self, state: WildOnesState) -> list[str]:
        """What the bids of the round tell about the hands of the others."""
        seats, lines = self._seats(), []
        for player, hands in self.answer.possible(state, seats).items():
            likely = sorted(hands, key=lambda hand: hands[hand], reverse=True)
            shown = ", ".join(f"{''.join(map(str, hand))} {percent(hands[hand])}" for hand in likely[:MOST_HINTS])
            more = f" and {len(likely) - MOST_HINTS} more" if len(likely) > MOST_HINTS else ""
            lines.append(f"By its bids, {self.names[seats.index(player)]} can hold {shown}{more}.")
        return lines

    def _seats(self) -> list[int]:
        """The player of the ceiling in each seat: 0 for the human player, the others in turn."""
        others = iter(range(1, self.game.num_players))
        return [0 if seat == self.seat else next(others) for seat in range(self.game.num_players)]
