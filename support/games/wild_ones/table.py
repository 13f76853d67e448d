"""Wild ones at the terminal; the truth is the ceiling against the opponents at the table."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from support.core.interface import CHANCE
from support.core.table import Number, percent, points
from support.games.cups.table import CupsTable
from support.games.wild_ones.ceiling.ceiling import QUICK, Ceiling
from support.games.wild_ones.opponents import BEST, written
from support.games.wild_ones.policies import POLICIES, View
from support.games.wild_ones.rules import EXACT, LIAR, WildOnes, WildOnesState, counted

MOST_HINTS = 5


class WildOnesTable(CupsTable[WildOnesState]):
    """A table of wild ones."""

    game: WildOnes

    def legend(self) -> str:
        """Bids and challenges."""
        return "a bid such as 2x3 (two threes; ones count as every face), liar, or exact"

    def scene(self, state: WildOnesState, viewer: int) -> list[str]:
        """Who has how many dice, one's own, and the last bid."""
        last = "You open." if state.last is None else f"The last bid is {state.action_to_string(_text(state.last))}"
        if state.last is not None:
            last += f", by {self.names[state.last_bidder()]}."
        return self.cups(state, viewer, last)

    def described(self, before: WildOnesState, action: Any, after: WildOnesState, viewer: int | None) -> str | None:
        """Bids and challenges; dice only to who rolled them, until a challenge shows them all."""
        if before.opener is None:
            return self.who(action, "open") + " the first round"
        if before.current_player == CHANCE:
            return self.rolled(before, action, viewer)
        mover = before.current_player
        if action not in (LIAR, EXACT):
            return f"{self.who(mover, 'bid')} {action}"
        quantity, face = before.last or (0, 0)
        there = sum(counted(roll, face) for roll in before.rolls)
        player, change = before.outcome(action)
        if change < 0:
            ending = self.who(player, "lose") + " a die"
        elif before.counts[player] == self.game.dice:
            ending = self.who(player, "are", "is") + " right, and had all dice already"
        else:
            ending = self.who(player, "win") + " a die back"
        out = "" if after.counts[player] else f", {self.who(player, 'are', 'is')} out"
        said = f"{self.who(mover, 'say')} {action} to {quantity}x{face}"
        return f"{said}: {self.shown(before)}. There are {there}: {ending}{out}."

    def ends_round(self, before: WildOnesState, action: Any) -> bool:
        """After a challenge."""
        return action in (LIAR, EXACT)

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

    @cached_property
    def ceiling(self) -> Ceiling | None:
        """The best against these opponents; None where working it out takes long."""
        if not self.solvable:
            return None
        tables = {name: written(name, self.game) for name in self.against}
        return Ceiling(self.game, [tables[name] for name in self.against], exact=False)

    @property
    def solvable(self) -> bool:
        """Whether the exact answer is known, or worked out in some seconds."""
        return (self.game.num_players, self.game.dice) in QUICK and BEST not in self.against

    def takes_long(self) -> bool:
        """Until the answer has been worked out."""
        return self.solvable and "ceiling" not in self.__dict__

    def values(self, state: WildOnesState) -> Mapping[Any, Number] | None:
        """The probability of winning after each action."""
        if self.ceiling is None:
            return None
        others = iter(range(1, self.game.num_players))
        seats = [0 if seat == self.seat else next(others) for seat in range(self.game.num_players)]
        return self.ceiling.decision(state, seats).values

    def unknown(self) -> str:
        """The opponent, or the size."""
        if BEST in self.against:
            return "what is best against an opponent that remembers the whole round is not worked out here"
        sizes = ", ".join(f"{players} players with {dice}" for players, dice in sorted(QUICK))
        return f"what is best at this size takes long to work out; it is known here for {sizes} dice each"

    def worth(self, value: Number) -> str:
        """A probability."""
        return percent(value)

    def price(self, cost: Number) -> str:
        """A difference of probabilities."""
        return f"cost {points(cost)}"

    def advice(self, state: WildOnesState) -> list[str]:
        """What is likely to be true by the own dice alone, and what the survivalist says."""
        view = View.of(state)
        likely = sorted(view.legal(), key=view.chance, reverse=True)[:MOST_HINTS]
        chances = ", ".join(f"{action} {percent(view.chance(action))}" for action in likely)
        choice = POLICIES["survivalist"].choices(view)[0]
        lines = [f"By your dice alone, these are the likeliest to be true: {chances}. The survivalist plays {choice}."]
        if self.ceiling is not None and state.last is not None:
            lines += self._held(state)
        return lines

    def _held(self, state: WildOnesState) -> list[str]:
        """What the bids of the round tell about the hands of the others."""
        assert self.ceiling is not None
        others = [seat for seat in range(self.game.num_players) if seat != self.seat]
        players = dict(enumerate(others, 1))
        seats = [0 if seat == self.seat else others.index(seat) + 1 for seat in range(self.game.num_players)]
        lines = []
        for player, hands in self.ceiling.possible(state, seats).items():
            likely = sorted(hands, key=lambda hand: hands[hand], reverse=True)
            shown = ", ".join(f"{''.join(map(str, hand))} {percent(hands[hand])}" for hand in likely[:MOST_HINTS])
            more = f" and {len(likely) - MOST_HINTS} more" if len(likely) > MOST_HINTS else ""
            lines.append(f"By its bids, {self.names[players[player]]} can hold {shown}{more}.")
        return lines


def _text(bid: tuple[int, int]) -> str:
    return f"{bid[0]}x{bid[1]}"
