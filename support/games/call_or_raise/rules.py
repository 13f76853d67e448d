"""Liar's Dice in which every raise is by one: call the last bid, or add one die to it and name a face.

The rules that Daniel Oehm's program plays (*Q-learning example with Liar's Dice in R*, 20 December 2018). Each player
rolls as many dice as it has left and sees only these. The opener's bid is made by the rules: the face that it holds
most of, the lowest of several, and one die more than it holds. From then on the players in turn *call*, or *raise*:
one die more than the last bid, of any face. No face is wild. After a call all dice are shown: if at least as many
show the face as were bid, the caller loses a die, otherwise the last bidder does. Whoever lost it opens the next
round, or the next player who has dice. The last player with dice wins.

The program never bounds a bid by the dice in play. ``bounded`` does, so that the game is finite.
"""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

from support.core.interface import CHANCE, TERMINAL, NotationError, State
from support.games.cups.rolls import FACES, Roll, with_empty
from support.games.cups.round import CupsGame, CupsState

CALL = "call"
"""The action that ends a round."""


@dataclass(frozen=True)
class CallOrRaise(CupsGame):
    """The rules. Frozen and hashable.

    Args:
        num_players: at the table, from 2 to 6.
        dice: that each starts with, from 1 to 6.
        bounded: whether a bid may not be of more dice than there are.

    Raises:
        ValueError: a number outside its range.
    """

    num_players: int = 4
    dice: int = 6
    bounded: bool = False
    name = "call-or-raise"

    def initial_state(self) -> "CallOrRaiseState":
        """The state before anybody opens."""
        return CallOrRaiseState(self, (self.dice,) * self.num_players)

    def move_from_string(self, state: State, text: str) -> Any:
        """``"2 opens"``, one player's dice as digits (``"1446"``), ``"call"`` or ``"raise 4"``."""
        known = {state.action_to_string(move): move for move in state.possible()}
        if text not in known:
            some = ", ".join(f"'{name}'" for name in list(known)[: FACES + 1])
            raise NotationError(f"expected {some}{' or the like' if len(known) > FACES + 1 else ''}, not '{text}'")
        return known[text]


@dataclass(frozen=True)
class CallOrRaiseState(CupsState):
    """A state: who has how many dice, and this round so far."""

    game: CallOrRaise

    @property
    def current_player(self) -> int:
        """Chance until all have rolled, then the players with dice in turn."""
        if sum(count > 0 for count in self.counts) == 1:
            return TERMINAL
        return self.speaker(len(self.bids)) if self.bids else CHANCE

    def legal_actions(self, player: int | None = None) -> tuple[str, ...]:
        """``CALL``, then a raise to each face."""
        mover = self.current_player
        if mover < 0 or player not in (None, mover):
            return ()
        raises = () if self.game.bounded and self.bids[-1][0] >= self.total else _raises()
        return (CALL, *raises)

    def child(self, action: Any) -> "CallOrRaiseState":
        """Open, roll, raise, or call and show the dice."""
        self.require(action)
        past = (*self.past, self.action_to_string(action))
        if self.opener is None:
            return replace(self, opener=action, past=past)
        if not self.bids:
            rolls = with_empty((*self.rolls, action), self.counts)
            bids = (opening_bid(rolls[self.opener]),) if len(rolls) == len(self.counts) else ()
            return replace(self, rolls=rolls, bids=bids, past=past)
        if action != CALL:
            return replace(self, bids=(*self.bids, (self.bids[-1][0] + 1, int(action[-1]))), past=past)
        counts, opener = after_loss(self.counts, self.loser())
        return CallOrRaiseState(self.game, counts, opener, with_empty((), counts), past=past)

    def loser(self) -> int:
        """Who loses a die if the player to move calls."""
        quantity, face = self.bids[-1]
        there = sum(roll.count(face) for roll in self.rolls)
        return self.speaker(len(self.bids) - (quantity > there))


def opening_bid(roll: Roll) -> tuple[int, int]:
    """Quantity and face of the bid that a roll opens with: the lowest of the faces it holds most of, and one more."""
    held = Counter(roll)
    face = max(sorted(held), key=lambda face: held[face])
    return held[face] + 1, face


def after_loss(counts: tuple[int, ...], loser: int) -> tuple[tuple[int, ...], int]:
    """Everybody's dice once somebody has lost one, and who opens the next round: the loser, or the next with dice."""
    left = tuple(count - (player == loser) for player, count in enumerate(counts))
    return left, next(player for player in (*range(loser, len(left)), *range(loser)) if left[player])


@cache
def tail(dice: int, need: int) -> Fraction:
    """The probability that at least ``need`` of so many dice show a face: the document's formula, as it is meant.

    The printed sum runs over k but its terms hold x; the program sums the terms of k.
    """
    return sum(
        (Fraction(comb(dice, k) * (FACES - 1) ** (dice - k), FACES**dice) for k in range(max(need, 0), dice + 1)),
        Fraction(0),
    )


@cache
def _raises() -> tuple[str, ...]:
    return tuple(f"raise {face}" for face in range(1, FACES + 1))
