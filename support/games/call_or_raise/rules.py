"""Liar's Dice in which every raise is by one: call the last bid, or add one die to it and name a face.

The rules that Daniel Oehm's program plays (*Q-learning example with Liar's Dice in R*, 20 December 2018). Each player
rolls as many dice as it has left and sees only these. The rules make the opener's bid: the face that it holds most of
(the lowest if several), and one die more than it holds. From then on the players in turn *call*, or *raise*: one die
more than the last bid, of any face. No face is wild. After a call all dice are shown: if at least as many show the face
as were bid, the caller loses a die, otherwise the last bidder does. That player opens the next round or, if out, the
next who has dice. The last player with dice wins.

The program does not limit bids to the dice in play. ``bounded`` does, which makes the game finite.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb

from support.games.cups.rolls import FACE_NUMBERS, FACES, Roll, opens_after
from support.games.cups.round import Bid, CupsGame, CupsState

CALL = "call"
"""The action that ends a round."""
ANSWERS = (CALL, *(f"raise {face}" for face in FACE_NUMBERS))
"""The actions: call, or raise by one to any face."""


@dataclass(frozen=True)
class CallOrRaise(CupsGame):
    """The rules. Frozen and hashable.

    Args:
        num_players: the number of players, from 2 to 6.
        dice: the number of dice that each starts with, from 1 to 6.
        bounded: whether no bid may exceed the dice in play.

    Raises:
        ValueError: a number is out of range.
    """

    num_players: int = 4
    dice: int = 6
    bounded: bool = False
    name = "call-or-raise"

    def initial_state(self) -> "CallOrRaiseState":
        """The state before the opener is drawn."""
        return CallOrRaiseState(self, (self.dice,) * self.num_players)


@dataclass(frozen=True)
class CallOrRaiseState(CupsState):
    """A state: the number of dice of each player, and this round so far.

    In notation a move is ``"2 opens"``, one player's dice as digits (``"1446"``), ``"call"`` or ``"raise 4"``.
    """

    game: CallOrRaise

    def legal_actions(self, player: int | None = None) -> tuple[str, ...]:
        """``CALL``, then a raise to each face if the bounds allow one."""
        mover = self.current_player
        if mover < 0 or player not in (None, mover):
            return ()
        return (CALL,) if self.game.bounded and self.bids[-1][0] >= self.total else ANSWERS

    def _said(self, action: str, past: tuple[str, ...]) -> "CallOrRaiseState":
        if action != CALL:
            return self.but(bids=(*self.bids, (self.bids[-1][0] + 1, int(action[-1]))), past=past)
        return self._next_round(*after_loss(self.counts, self.loser()), past)

    def _opening(self, rolls: tuple[Roll, ...]) -> tuple[Bid]:
        assert self.opener is not None
        return (opening_bid(rolls[self.opener]),)

    def loser(self) -> int:
        """The player who loses a die if the player to move calls."""
        quantity, face = self.bids[-1]
        there = sum(roll.count(face) for roll in self.rolls)
        return self.speaker(len(self.bids) - (quantity > there))


def opening_bid(roll: Roll) -> Bid:
    """Quantity and face of a roll's opening bid: one more than it holds of its commonest face, the lowest if tied."""
    held = Counter(roll)
    face = max(sorted(held), key=lambda face: held[face])
    return held[face] + 1, face


def after_loss(counts: tuple[int, ...], loser: int) -> tuple[tuple[int, ...], int]:
    """The dice of all players after ``loser`` has lost one, and the next opener: the loser, or the next with dice."""
    left = tuple(count - (player == loser) for player, count in enumerate(counts))
    return left, opens_after(left, loser)


@cache
def tail(dice: int, need: int) -> Fraction:
    """The probability that at least ``need`` of ``dice`` dice show a given face: the document's formula, corrected.

    The printed sum runs over k, but its terms contain x; the program sums the terms with k.
    """
    return sum(
        (Fraction(comb(dice, k) * (FACES - 1) ** (dice - k), FACES**dice) for k in range(max(need, 0), dice + 1)),
        Fraction(0),
    )
