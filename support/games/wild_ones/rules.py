"""Liar's Dice with wild ones: outbid the last bid, say that it is a lie, or say that it is exact.

The rules of Alexandre Forestier Foray's *Learning Liar's dice with deep Q-learning* (2026). Each player rolls as many
dice as it has left and sees only these. A bid ``2x3`` says that at least two of all dice show a three. Ones are wild:
they count for every face. The opener must bid. From then on the players in turn

- *outbid*: the same quantity of a higher face, or a larger quantity of any; but from a bid ``q`` on another face to
  one on ones at least half of ``q``, rounded up, and from ``q`` ones to another face at least ``2q + 1``;
- say *liar*: if the last bid holds, the challenger loses a die, otherwise the bidder does;
- say *exact*: if exactly as many dice count as were bid, the challenger wins a die back, but never has more than it
  started with; otherwise it loses one.

No bid exceeds the dice in play. The player who lost or won a die opens the next round; if that was its last die, the
next player who has dice does. The last player with dice wins; the first to be out comes last. A right *exact* undoes a
loss, so no number of rounds is sure to be enough.

The document draws the seating order for each game, and the first seat opens. Here players keep their seats and chance
draws the opener; for the published setup, shuffle the players over the seats too.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from support.core.interface import SHOWN, IllegalActionError, State
from support.games.cups.rolls import FACES, Roll, opens_after
from support.games.cups.round import CupsGame, CupsState

LIAR, EXACT = "liar", "exact"
"""The actions that challenge the last bid and end a round."""
WILD = 1
"""The face that counts as every other."""
Bid = tuple[int, int]
"""Quantity and face of a bid."""
BID = re.compile("([1-9][0-9]{0,2})x([1-6])")


@dataclass(frozen=True)
class WildOnes(CupsGame):
    """The rules. Frozen and hashable.

    Args:
        num_players: the number of players, from 2 to 6.
        dice: the number of dice that each starts with, from 1 to 6.

    Raises:
        ValueError: a number is out of range.
    """

    num_players: int = 3
    dice: int = 2
    name = "wild-ones"
    wins_back = True

    @property
    def most(self) -> int:
        """The number of dice in play at the beginning; there are never more, and no bid exceeds it."""
        return self.num_players * self.dice

    @property
    def num_actions(self) -> int:
        """The number of different actions: 38 at the published size, one for each output of its network."""
        return 2 + FACES * self.most

    def number(self, action: str) -> int:
        """The number of an action: 0 for liar, 1 for exact, then the bids face by face, each by rising quantity.

        A bid of ``quantity`` dice on ``face`` has the number ``2 + (face - 1) * most + (quantity - 1)``. The document
        has as many outputs, 2 + 6 x 6, and does not give their order.

        Raises:
            ValueError: there is no such action at this size.
        """
        if action in (LIAR, EXACT):
            return (LIAR, EXACT).index(action)
        bid = bid_of(action)
        if bid is None or bid[0] > self.most:
            raise ValueError(f"an action is '{LIAR}', '{EXACT}' or 1x1 to {self.most}x{FACES}, not {action!r}")
        return 1 + self.bid_number(bid)

    @property
    def bids(self) -> tuple[Bid | None, ...]:
        """No bid, which is None, and then all bids, face by face, each by rising quantity."""
        return _bids(self.most)

    def bid_number(self, bid: Bid | None) -> int:
        """The place of a bid in :attr:`bids`; the number of its action is one higher.

        Raises:
            ValueError: there is no such bid at this size.
        """
        if bid and bid[0] > self.most:
            raise ValueError(f"no bid at this size exceeds {self.most} dice, as {_written(bid)} does")
        return (bid[1] - 1) * self.most + bid[0] if bid else 0

    def action(self, number: int) -> str:
        """The action with a number; the inverse of :meth:`number`.

        Raises:
            ValueError: there is no such number.
        """
        if not 0 <= number < self.num_actions:
            raise ValueError(f"actions are numbered from 0 to {self.num_actions - 1}, not {number!r}")
        bid = self.bids[number - 1] if number > 1 else None
        return _written(bid) if bid else (LIAR, EXACT)[number]

    def initial_state(self) -> "WildOnesState":
        """The state before the opener is drawn."""
        return WildOnesState(self, (self.dice,) * self.num_players)

    def move_from_string(self, state: State, text: str) -> Any:
        """Read ``"2 opens"``, one player's dice as digits (``"16"``), a bid such as ``"2x3"``, a challenge."""
        if state.current_player >= 0 and (text in (LIAR, EXACT) or bid_of(text)):
            return text  # if it is not legal, the error on playing it says why
        return super().move_from_string(state, text)


@dataclass(frozen=True)
class WildOnesState(CupsState):
    """A state: the number of dice of each player, this round so far, and the players who are out.

    Args:
        out: the players without dice, in the order in which they dropped out.
    """

    game: WildOnes
    out: tuple[int, ...] = ()

    @property
    def last(self) -> Bid | None:
        """The bid to outbid or to challenge; None until the opener has bid."""
        return self.bids[-1] if self.bids else None

    def legal_actions(self, player: int | None = None) -> tuple[str, ...]:
        """The actions that :func:`allowed` lists, in the document's order."""
        mover = self.current_player
        return () if mover < 0 or player not in (None, mover) else allowed(self.total, self.last)

    def observation(self, player: int | None = None) -> tuple[int, ...]:
        """The 15 inputs of the document's network, as in :func:`observed`; neighbours are the nearest with dice.

        Args:
            player: the player whose view it is; by default the player to move.

        Raises:
            ValueError: there is no such player, or none is named and nobody is to move.
        """
        if player is None and self.current_player < 0:
            raise ValueError(f"nobody is to move after '{self}'")
        player = self.current_player if player is None else player
        self.require_player(player)
        seats = [(player + step) % len(self.counts) for step in range(1, len(self.counts))]
        others = [self.counts[seat] for seat in seats if self.counts[seat]] or [0]
        hand = self.rolls[player] if player < len(self.rolls) else ()
        return observed(others[-1], others[0], self.total, self.last, hand)

    def require(self, action: Any) -> None:
        """Check that an action is legal; the error says which rule a bid breaks, and what is allowed."""
        legal = self.legal_actions()
        if action in legal:
            return
        if legal and isinstance(action, str):
            after = "by the opener" if self.last is None else f"after {_written(self.last)}"
            rest = "" if len(legal) <= SHOWN else f", ... ({len(legal)} in all)"
            choices = ", ".join(legal[:SHOWN]) + rest
            broken = _broken(action, self.total, self.last)
            raise IllegalActionError(f"{action} is not allowed {after}: {broken}; allowed are {choices}")
        super().require(action)

    def _said(self, action: str, past: tuple[str, ...]) -> "WildOnesState":
        bid = bid_of(action)
        if bid:
            return self.but(bids=(*self.bids, bid), past=past)
        player, change = self.outcome(action)
        left = min(self.counts[player] + change, self.game.dice)
        counts = (*self.counts[:player], left, *self.counts[player + 1 :])
        after = self._next_round(counts, opens_after(counts, player), past)
        return after if left else after.but(out=(*self.out, player))

    def outcome(self, challenge: str) -> tuple[int, int]:
        """The player whose dice change if the player to move makes this challenge, and by how many: -1 or 1.

        Raises:
            ValueError: there is no bid to challenge.
        """
        if self.last is None:
            raise ValueError(f"there is no bid to challenge after '{self}'")
        quantity, face = self.last
        there = sum(counted(roll, face) for roll in self.rolls)
        caller = self.speaker(len(self.bids))
        if challenge == EXACT:
            return caller, 1 if there == quantity else -1
        return (caller if there >= quantity else self.last_bidder()), -1

    def places(self) -> tuple[int, ...]:
        """Each player's place: 1 for the winner, the last for the first player out, 0 as long as it is open."""
        places = [int(self.is_terminal())] * len(self.counts)
        for number, player in enumerate(self.out):
            places[player] = len(self.counts) - number
        return tuple(places)


def observed(before: int, after: int, total: int, last: Bid | None, hand: Roll) -> tuple[int, ...]:
    """The 15 inputs of the document's network, whose worked example leaves out the third.

    Args:
        before: the number of dice of the player before.
        after: the number of dice of the player after.
        total: the number of dice in play.
        last: the last bid, encoded as its quantity at its face and zeros elsewhere; None becomes all zeros.
        hand: the player's own dice, encoded as a histogram.
    """
    quantity, face = last or (0, WILD)
    faces = range(1, FACES + 1)
    return (before, after, total, *(quantity * (face == shown) for shown in faces), *map(hand.count, faces))


def counted(roll: Roll, face: int) -> int:
    """How many dice of a roll count towards a bid on a face: those that show it, and the ones."""
    return roll.count(face) + (roll.count(WILD) if face != WILD else 0)


@lru_cache(maxsize=1024)
def bid_of(action: str) -> Bid | None:
    """Quantity and face of a bid; None for any other action."""
    parts = BID.fullmatch(action)
    return (int(parts[1]), int(parts[2])) if parts else None


@cache
def _bids(most: int) -> tuple[Bid | None, ...]:
    return (None, *((quantity, face) for face in range(1, FACES + 1) for quantity in range(1, most + 1)))


def _written(bid: Bid) -> str:
    return f"{bid[0]}x{bid[1]}"


def rank(bid: Bid | None) -> tuple[int, int]:
    """A pair of numbers that rises with every bid of a round, from (0, 0) before the first."""
    if bid is None:
        return 0, 0
    quantity, face = bid
    return (2 * quantity, FACES + 1) if face == WILD else (quantity, face)


@cache
def allowed(total: int, last: Bid | None) -> tuple[str, ...]:
    """The legal actions, in the document's order, which decides ties.

    For the opener: ones by rising quantity, then the other bids by rising quantity and face. Later: liar, exact, ones
    by rising quantity, then a higher face in the same quantity, then more dice by rising quantity and face.

    Args:
        total: the number of dice in play.
        last: the bid to outbid or to challenge; None for the opener.
    """
    ones, others = _least(last)
    bids = [(quantity, WILD) for quantity in range(ones, total + 1)]
    if last is not None and last[1] != WILD:
        bids += [(last[0], face) for face in range(last[1] + 1, FACES + 1)]
    bids += [(quantity, face) for quantity in range(others, total + 1) for face in range(WILD + 1, FACES + 1)]
    return (*((LIAR, EXACT) if last else ()), *map(_written, bids))


def _least(last: Bid | None) -> Bid:
    """The smallest quantities of a next bid on ones and on any other face."""
    if last is None:
        return 1, 1
    quantity, face = last
    return (quantity + 1, 2 * quantity + 1) if face == WILD else ((quantity + 1) // 2, quantity + 1)


def _broken(action: str, total: int, last: Bid | None) -> str:
    """The rule that an illegal action breaks."""
    if action in (LIAR, EXACT):
        return "there is no bid to challenge"
    bid = bid_of(action)
    if bid is None or bid[0] > total or last is None:
        return f"a bid names 1 to {total} dice, as many as are in play, and a face from 1 to {FACES}"
    ones, others = _least(last)
    if last[1] == WILD:
        return f"it takes at least {ones} ones, or {others} dice of another face"
    if bid[1] == WILD:
        return f"it takes at least {ones} ones, half of {last[0]} rounded up"
    return f"it takes {last[0]} dice of a face above {last[1]}, or more dice"
