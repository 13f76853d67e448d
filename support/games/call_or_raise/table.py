"""Call or raise at the terminal; the truth is known at small tables whose other players toss coins."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from support.core.interface import CHANCE
from support.core.table import Number, percent, points
from support.games.call_or_raise.ceiling import CHOOSES_THE_FACE, round_of, win_probabilities
from support.games.call_or_raise.rules import CALL, CallOrRaise, CallOrRaiseState, tail
from support.games.cups.table import CupsTable

FOR_EVER = 50
"""Bids of a round, beyond the dice in play, after which the others are left to themselves."""
QUICK = {(2, 1), (2, 2), (2, 3), (3, 1), (3, 2)}
"""Players and dice for which the exact answer takes some seconds at most."""


class CallOrRaiseTable(CupsTable[CallOrRaiseState]):
    """A table of call or raise."""

    game: CallOrRaise

    def legend(self) -> str:
        """Calls and raises."""
        return "call, or raise and a face: raise 4 bids one die more, of fours (no face is wild)"

    def scene(self, state: CallOrRaiseState, viewer: int) -> list[str]:
        """Who has how many dice, one's own, and the last bid."""
        return self.cups(state, viewer, f"The last bid is {_bid(state)}, by {self.names[state.last_bidder()]}.")

    def described(
        self, before: CallOrRaiseState, action: Any, after: CallOrRaiseState, viewer: int | None
    ) -> str | None:
        """Bids and calls; dice only to who rolled them, until a call shows them all."""
        if before.opener is None:
            return self.who(action, "open") + " the first round"
        if before.current_player == CHANCE:
            words = [self.rolled(before, action, viewer)]
            if after.bids:
                words.append(f"by the rules, {self.who(before.opener, 'open')} with {_bid(after)}")
            return "; ".join(filter(None, words)) or None
        mover = before.current_player
        if action != CALL:
            return f"{self.who(mover, 'raise')} to {_bid(after)}"
        there, loser = sum(roll.count(before.bids[-1][1]) for roll in before.rolls), before.loser()
        out = "" if after.counts[loser] else f", {self.who(loser, 'are', 'is')} out"
        ending = f"{self.who(loser, 'lose')} a die{out}"
        return f"{self.who(mover, 'call')} {_bid(before)}: {self.shown(before)}. There are {there}: {ending}."

    def stuck(self, state: CallOrRaiseState) -> str | None:
        """Nothing bounds a bid, and a table that has learned can raise for ever."""
        if state.counts[self.seat] or len(state.bids) <= state.total + FOR_EVER:
            return None
        return (
            f"you are out, and the others have bid {_bid(state)} among {state.total} dice: they would raise for ever."
        )

    def ends_round(self, before: CallOrRaiseState, action: Any) -> bool:
        """After a call."""
        return bool(action == CALL)

    def result(self, state: CallOrRaiseState) -> str:
        """The winner."""
        return self.who(state.returns().index(1), "win") + "."

    @cached_property
    def wins(self) -> Mapping[Any, Fraction] | None:
        """The probability of winning by dice and opener, the human player first; None where it is not known."""
        if not self.solvable:
            return None
        return win_probabilities(self.game, CHOOSES_THE_FACE)

    @property
    def solvable(self) -> bool:
        """Whether the exact answer is known, or worked out in some seconds."""
        return set(self.against) == {"random"} and (self.game.num_players, self.game.dice) in QUICK

    def takes_long(self) -> bool:
        """Until the answer has been worked out."""
        return self.solvable and "wins" not in self.__dict__

    def values(self, state: CallOrRaiseState) -> Mapping[Any, Number] | None:
        """The probability of winning after each action."""
        if self.wins is None:
            return None
        assert state.opener is not None
        counts = state.counts[self.seat :] + state.counts[: self.seat]
        opener = (state.opener - self.seat) % len(counts)
        roll = state.rolls[self.seat]
        unfolded = round_of(self.game, CHOOSES_THE_FACE, self.wins, counts, opener, roll, state.bids[0])
        quantity, face = state.bids[-1]
        return {
            action: unfolded.called(quantity, face)
            if action == CALL
            else unfolded.standing(quantity + 1, int(action[-1]), 1)
            for action in state.legal_actions()
        }

    def unknown(self) -> str:
        """What is missing."""
        sizes = ", ".join(f"{players} players with {dice}" for players, dice in sorted(QUICK))
        return f"what is best is known here only against random opponents, for {sizes} dice each"

    def worth(self, value: Number) -> str:
        """A probability."""
        return percent(value)

    def price(self, cost: Number) -> str:
        """A difference of probabilities."""
        return f"cost {points(cost)}"

    def advice(self, state: CallOrRaiseState) -> list[str]:
        """How likely the bid is to hold, by the own dice alone."""
        quantity, face = state.bids[-1]
        roll = state.rolls[state.current_player]
        chance = tail(state.total - len(roll), quantity - roll.count(face))
        return [f"By your dice alone, {_bid(state)} holds with {percent(chance)}."]


def _bid(state: CallOrRaiseState) -> str:
    quantity, face = state.bids[-1]
    return f"{quantity}x{face}"
