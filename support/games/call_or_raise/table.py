"""Call or raise at the terminal; hints are known at small tables whose other players toss coins."""

from collections.abc import Mapping
from typing import Any

from support.core.table import Number, percent
from support.games.call_or_raise.ceiling import CHOOSES_THE_FACE, Values, round_of, win_probabilities
from support.games.call_or_raise.opponents import EQUAL
from support.games.call_or_raise.rules import CALL, CallOrRaise, CallOrRaiseState, tail
from support.games.cups.table import CupsTable, bid

FOR_EVER = 50
"""How many bids more than dice in play a round may have before a game is stopped that the human player is out of."""


class CallOrRaiseTable(CupsTable[CallOrRaiseState]):
    """A table of call or raise."""

    game: CallOrRaise
    challenges = (CALL,)
    quick = ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2))

    def legend(self) -> str:
        """Calls and raises."""
        return "call, or raise and a face: raise 4 bids one die more, of fours (no face is wild)"

    def said(self, before: CallOrRaiseState, action: Any, after: CallOrRaiseState) -> str:
        """A raise, or a call and what it shows."""
        mover, loser = before.current_player, before.loser()
        if action != CALL:
            return f"{self.who(mover, 'raise')} to {bid(after)}"
        there = sum(roll.count(before.bids[-1][1]) for roll in before.rolls)
        shown = self.shown(before, after, there, loser, f"{self.who(loser, 'lose')} a die")
        return f"{self.who(mover, 'call')} {bid(before)}: {shown}"

    def stuck(self, state: CallOrRaiseState) -> str | None:
        """Nothing bounds a bid, and a table that has learned can raise for ever."""
        if state.counts[self.seat] or len(state.bids) <= state.total + FOR_EVER:
            return None
        return f"you are out, and the others have bid {bid(state)} among {state.total} dice: they would raise for ever."

    def result(self, state: CallOrRaiseState) -> str:
        """The winner."""
        return self.who(state.returns().index(1), "win") + "."

    @property
    def solvable(self) -> bool:
        """Only against those who toss coins."""
        return set(self.against) == {"random"} and super().solvable

    def solved(self) -> Values:
        """The probability of winning by dice and opener, the human player first."""
        return win_probabilities(self.game, CHOOSES_THE_FACE)

    def values(self, state: CallOrRaiseState) -> Mapping[Any, Number] | None:
        """The probability of winning after each action."""
        if self.answer is None:
            return None
        assert state.opener is not None
        counts = state.counts[self.seat :] + state.counts[: self.seat]
        opener = (state.opener - self.seat) % len(counts)
        roll = state.rolls[self.seat]
        unfolded = round_of(self.game, CHOOSES_THE_FACE, self.answer, counts, opener, roll, state.bids[0])
        quantity, face = state.bids[-1]
        return {
            action: unfolded.called(quantity, face)
            if action == CALL
            else unfolded.standing(quantity + 1, int(action[-1]), 1)
            for action in state.legal_actions()
        }

    def unknown(self) -> str:
        """What is missing."""
        if EQUAL in self.against:
            return "no play wins more than its share against an opponent that is your equal"
        return f"what is best is known here only against random opponents, for {self.sizes()}"

    def advice(self, state: CallOrRaiseState) -> list[str]:
        """How likely the bid is to hold, by the own dice alone."""
        quantity, face = state.bids[-1]
        roll = state.rolls[state.current_player]
        chance = tail(state.total - len(roll), quantity - roll.count(face))
        return [f"By your dice alone, {bid(state)} holds with {percent(chance)}."]
