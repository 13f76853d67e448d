"""Could a game of call or raise have left a printed table of transitions? An exact search.

Daniel Oehm (*Q-learning example with Liar's Dice in R*, 20 December 2018) prints one: for every move, the player who
made it, the number of player 1's state after it, and player 1's last action. Dice and bids are hidden. The search goes
through all dice and bids that fit, row by row, by the rules of his program:

- The player who loses a die opens the next round or, if out, the next who has dice. The opening bid is of the face that
  the opener holds most of, one die more than it holds. It leaves no row.
- Every raise leaves a row, and a call leaves two: before the die is lost, and after, with the bucket of the old bid.
- The last action of player 1 is a raise until it has acted in the round.
- How many of its dice show the bid's face is looked up at the opening and when player 1 has decided, not when others
  raise. If more dice are needed than are unseen, the bucket is that of all of them showing the face.
- A call costs the bidder a die if fewer dice show the face than were bid; otherwise it costs the caller one.

Every player may raise to any face (a bluff is to a face drawn at random) and may call any bid, so nothing is assumed
about how the players decide.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise, product

from support.games.call_or_raise.ceiling import opening_bids
from support.games.call_or_raise.rules import after_loss, opening_bid
from support.games.call_or_raise.settings import States
from support.games.cups.rolls import FACE_NUMBERS, FACES, Roll, chances, with_dice

TraceRow = tuple[int, int, str]
"""The player who moved, from 1; the number of player 1's state; player 1's last action, "raise" or "call"."""


@dataclass(frozen=True)
class Explained:
    """How far a table of transitions can be explained.

    Attributes:
        rows: how many rows, from the first, a game of the program can leave.
        winners: the possible winners, from 1, of games that leave all rows and then end; empty if there are none.
        game: one such game, in the notation of the rules; empty if there is none.
    """

    rows: int
    winners: frozenset[int]
    game: str


@dataclass(frozen=True)
class _Round:
    """A possible state of a round, with what the rows do not show.

    Attributes:
        hand: player 1's dice.
        opening: quantity and face of the opening bid.
        raised: the faces of the raises so far.
        believed: how many dice player 1 holds of the bid's face, according to the program.
        action: player 1's last action.
        called: whether the first row of a call has been written.
    """

    hand: Roll
    opening: tuple[int, int]
    raised: tuple[int, ...]
    believed: int
    action: str = "raise"
    called: bool = False

    @property
    def bid(self) -> tuple[int, int]:
        """Quantity and face of the last bid."""
        return self.opening[0] + len(self.raised), self.raised[-1] if self.raised else self.opening[1]

    @property
    def key(self) -> tuple[object, ...]:
        """All that the rest of the round depends on."""
        return self.hand, self.opening, self.bid, self.believed, self.action, self.called


@dataclass(frozen=True)
class _Table:
    """The dice of each player at the beginning of a round, and its opener, from 0."""

    states: States
    counts: tuple[int, ...]
    opener: int

    def turn(self, raises: int) -> int:
        """The player who moves after a number of raises; after -1, the opener."""
        alive = with_dice(self.counts)
        return alive[(alive.index(self.opener) + 1 + raises) % len(alive)]

    def starts(self) -> Iterable[_Round]:
        """All beginnings, once the opening bid is made."""
        for hand in chances(self.counts[0]):
            for bid in [opening_bid(hand)] if not self.opener else opening_bids(self.counts[self.opener]):
                yield _Round(hand, bid, (), hand.count(bid[1]))

    def moved(self, before: _Round, row: TraceRow) -> Iterable[_Round]:
        """All states that a raise or a call with this row can lead to."""
        mover = self.turn(len(before.raised))
        quantity, face = before.bid
        believed = before.believed if mover else before.hand.count(face)
        if row[0] != mover + 1:
            return
        for action in ("raise", "call"):
            last = before.action if mover else action
            state = self._state(quantity + (action == "raise"), believed)
            if row[1:] != (state, last):
                continue
            if action == "call":
                yield _Round(before.hand, before.opening, before.raised, believed, last, called=True)
            else:
                for raised in FACE_NUMBERS:
                    yield _Round(before.hand, before.opening, (*before.raised, raised), believed, last)

    def losers(self, called: _Round, row: TraceRow) -> Iterable[int]:
        """The players who can have lost a die if this is the second row of a call."""
        mover, bidder = self.turn(len(called.raised)), self.turn(len(called.raised) - 1)
        quantity = called.bid[0]
        bucket = self._bucket(quantity, called.believed)
        for loser in (bidder, mover):
            left = sum(self.counts) - 1, self.counts[0] - (loser == 0)
            if row == (mover + 1, self.states.number(*left, bucket), called.action):
                shown = self._shown(called)
                if quantity > min(shown) if loser == bidder else quantity <= max(shown):
                    yield loser

    def _bucket(self, quantity: int, believed: int) -> int:
        return self.states.bucket(sum(self.counts), self.counts[0], quantity, believed, slip=True)

    def _state(self, quantity: int, believed: int) -> int:
        return self.states.number(sum(self.counts), self.counts[0], self._bucket(quantity, believed))

    def _rest(self) -> int:
        """The number of dice of players other than player 1 and the opener."""
        return sum(self.counts) - sum(self.counts[player] for player in {0, self.opener})

    def _shown(self, called: _Round) -> list[int]:
        """The possible totals of dice that show the last bid's face."""
        face = called.bid[1]
        opened = opening_bids(self.counts[self.opener])[called.opening][1][face] if self.opener else (0,)
        return [called.hand.count(face) + own + more for own in opened for more in range(self._rest() + 1)]

    def rolls(self, called: _Round, loser: int) -> list[Roll]:
        """Dice for all players that fit, the first found."""
        quantity, face = called.bid
        bidder = self.turn(len(called.raised) - 1)
        opened = chances(self.counts[self.opener]) if self.opener else [called.hand]
        fitting = (
            (roll, more)
            for roll, more in product(opened, range(self._rest() + 1))
            if opening_bid(roll) == called.opening
            and (quantity > called.hand.count(face) + (roll.count(face) if self.opener else 0) + more)
            == (loser == bidder)
        )
        roll, more = next(fitting)  # there is one, or the loser would not be possible
        dice = [face] * more + [face % FACES + 1] * (self._rest() - more)
        return [self._roll(player, called.hand, roll, dice) for player in range(len(self.counts))]

    def _roll(self, player: int, hand: Roll, opened: Roll, dice: list[int]) -> Roll:
        """A player's dice; whoever is neither player 1 nor the opener takes from those that are left."""
        if player in (0, self.opener):
            return hand if player == 0 else opened
        return tuple(sorted(dice.pop() for _ in range(self.counts[player])))


_states = cache(States)


@cache
def _stands(table: _Table, rows: tuple[TraceRow, ...]) -> tuple[_Round, ...]:
    """All possible states of a round after its first rows, not counting the second row of a call."""
    if not rows:
        return tuple(table.starts())
    if table.states.pair(rows[-1][1]) != (sum(table.counts), table.counts[0]):
        return ()
    before = (stand for stand in _stands(table, rows[:-1]) if not stand.called)
    return tuple({after.key: after for stand in before for after in table.moved(stand, rows[-1])}.values())


@cache
def _explain_round(table: _Table, rows: tuple[TraceRow, ...]) -> tuple[int, Mapping[int, tuple[str, ...]]]:
    """How many of a round's rows can be explained, and for every possible loser the moves of one explanation.

    There are no possible losers unless the last row is the second one of a call.
    """
    lost: dict[int, _Round] = {}
    if rows and table.states.pair(rows[-1][1])[0] == sum(table.counts) - 1:
        for called in _stands(table, rows[:-1]):
            for loser in table.losers(called, rows[-1]) if called.called else ():
                lost.setdefault(loser, called)
    if lost:
        return len(rows), {loser: _moves(table, called, loser) for loser, called in lost.items()}
    return max(n for n in range(len(rows) + 1) if _stands(table, rows[:n])), {}


def _moves(table: _Table, called: _Round, loser: int) -> tuple[str, ...]:
    rolls = ("".join(map(str, roll)) for roll in table.rolls(called, loser) if roll)
    return (*rolls, *(f"raise {face}" for face in called.raised), "call")


def explain(rows: Sequence[TraceRow], players: int = 4, dice: int = 3) -> Explained:
    """How far a table of transitions can be explained by a game of the program.

    ``players`` start with ``dice`` dice each.
    """
    states, start, reached = _states(players, dice), 0, 0
    full = (dice,) * players
    tables: dict[_Table, tuple[str, ...]] = {
        _Table(states, full, opener): (f"{opener + 1} opens",) for opener in range(players)
    }
    while tables:
        total = sum(next(iter(tables)).counts)
        ends = (n for n, row in enumerate(rows[start:], start + 1) if states.pair(row[1])[0] != total)
        part = tuple(rows[start : next(ends, len(rows))])
        following: dict[_Table, tuple[str, ...]] = {}
        for table, moves in tables.items():
            far, lost = _explain_round(table, part)
            reached = max(reached, start + far)
            following |= {
                _Table(states, *after_loss(table.counts, loser)): (*moves, *more) for loser, more in lost.items()
            }
        start += len(part)
        over = {table.opener + 1: moves for table, moves in following.items() if sum(map(bool, table.counts)) == 1}
        if over and start == len(rows):
            return Explained(reached, frozenset(over), " > ".join(next(iter(over.values()))))
        tables = {table: moves for table, moves in following.items() if sum(map(bool, table.counts)) > 1}
        if start == len(rows):
            break
    return Explained(reached, frozenset(), "")


def changed_rows(rows: Sequence[TraceRow]) -> Iterable[list[TraceRow]]:
    """All tables that differ from this one, of four players with three dice each, in a single cell."""
    players, dice = 4, 3
    numbers = range(1, len(States(players, dice)) + 1)
    for place, (mover, state, action) in enumerate(rows):
        others = [(one, state, action) for one in range(1, players + 1) if one != mover]
        others += [(mover, one, action) for one in numbers if one != state]
        others += [(mover, state, "call" if action == "raise" else "raise")]
        yield from ([*rows[:place], row, *rows[place + 1 :]] for row in others)


def swapped_rows(rows: Sequence[TraceRow]) -> Iterable[list[TraceRow]]:
    """All tables with two different adjacent rows exchanged."""
    for place, (one, other) in enumerate(pairwise(rows)):
        if one != other:
            yield [*rows[:place], other, one, *rows[place + 2 :]]
