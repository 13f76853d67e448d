"""Dice under cups, as the page plays them: what bids follow a bid, who speaks after whom, how a challenge ends.

Both kinds of Liar's Dice of the book have rounds of one shape: who opens is drawn, everybody rolls, bids go round, a
challenge shows the dice. What differs is in tables, each asked from the rules, and asked again of all numbers of dice
and all seats: where the rules do not go by these tables, :func:`cup_tables` raises.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from support.games.call_or_raise.rules import CallOrRaise, CallOrRaiseState
from support.games.cups.rolls import FACES, Roll, all_rolls, with_empty
from support.games.wild_ones.rules import WildOnes, WildOnesState

Round = CallOrRaiseState | WildOnesState
Rules = CallOrRaise | WildOnes
Bid = tuple[int, int]
BELOW, EQUAL, ABOVE = range(3)
BEYOND = 2
"""Quantities beyond all dice in play that are asked for; from there on everything repeats, a die higher each time."""
CHECKED = 5
"""More of them, to see that it does."""


class End(NamedTuple):
    """How a challenge ends: whose dice change (the caller's or the bidder's) and by how many."""

    caller: bool
    change: int


class Cups:
    """The rules of a game, asked.

    Args:
        game: the rules.
    """

    def __init__(self, game: Rules):
        self.game = game
        self.seats = game.num_players
        self.totals = range(2, self.seats * game.dice + 1)
        self.bounded = isinstance(game, WildOnes) or game.bounded

    def round(self, counts: Sequence[int], bids: Sequence[Bid], rolls: Sequence[Roll] = (), opener: int = -1) -> Any:
        """A state of the game in the middle of a round; without dice that are named, all show ones."""
        counts = tuple(counts)
        opener = next(seat for seat, count in enumerate(counts) if count) if opener < 0 else opener
        rolls = tuple(rolls) or tuple((1,) * count for count in counts)
        if isinstance(self.game, CallOrRaise):
            return CallOrRaiseState(self.game, counts, opener, rolls, tuple(bids))
        out = tuple(seat for seat, count in enumerate(counts) if not count)
        return WildOnesState(self.game, counts, opener, rolls, tuple(bids), out)

    def unrolled(self, counts: tuple[int, ...]) -> Any:
        """The beginning of a round that the first player opens."""
        if isinstance(self.game, CallOrRaise):
            return CallOrRaiseState(self.game, counts, 0)
        return WildOnesState(self.game, counts, 0)

    def of_total(self, total: int) -> tuple[int, ...]:
        """Some numbers of dice, at least two players', that make a total."""
        counts = [1, 1] + [0] * (self.seats - 2)
        for seat in range(self.seats):
            more = min(self.game.dice - counts[seat], total - sum(counts))
            counts[seat] += more
        return tuple(counts)

    def bids(self, total: int) -> Iterator[Bid | None]:
        """All that can have been bid last among so many dice; None before the opener has spoken."""
        most = total if self.bounded else total + BEYOND
        if isinstance(self.game, WildOnes):
            yield None
        yield from product(range(1, most + 1), range(1, FACES + 1))

    def moves(self, total: int, last: Bid | None) -> list[tuple[str, Bid | None]]:
        """The legal actions after a bid, with the bid that each of them is; None for a challenge."""
        state = self.round(self.of_total(total), [last] if last else [])
        found = []
        for action in state.legal_actions():
            after = state.child(action)
            going_on = len(after.bids) > len(state.bids)
            found.append((state.action_to_string(action), after.bids[-1] if going_on else None))
        return found

    def counts_towards(self, die: int, face: int) -> bool:
        """Whether a die counts towards a bid: two of them make a bid of two hold, or do not."""
        state = self.round(self.of_total(2), [(2, face)], [(die,), (die,), *[()] * (self.seats - 2)])
        challenge = next(label for label, bid in self.moves(2, (2, face)) if bid is None)
        return self._end(state, state.child(challenge)).caller

    @staticmethod
    def _end(before: Any, after: Any) -> End:
        """Whose dice changed, and by how many; nobody's is the caller's."""
        changed = [seat for seat, count in enumerate(before.counts) if after.counts[seat] != count]
        seat = changed[0] if changed else before.current_player
        return End(seat == before.current_player, after.counts[seat] - before.counts[seat])

    def ends(self, label: str) -> list[End]:
        """How a challenge ends when fewer dice count than were bid, just as many, and more."""
        found = []
        for relation in (BELOW, EQUAL, ABOVE):
            # The caller has a die fewer than it began with where it can have, so that winning one back shows.
            counts = [self.game.dice] * 2 + [0] * (self.seats - 2)
            counts[1] -= self.game.dice > 1
            found.append(self._end(*self._challenged(counts, 0, label, relation)))
        if self.game.dice == 1 and label == "exact":
            found[EQUAL] = End(True, 1)  # nobody ever has a die fewer; a die won back is one too many
        return found

    def _challenged(self, counts: Sequence[int], bidder: int, label: str, relation: int) -> tuple[Any, Any]:
        """A round before and after somebody's bid was challenged; the dice are as the relation asks."""
        dice = sum(counts)
        quantity = {BELOW: dice, EQUAL: dice, ABOVE: dice - 1}[relation]
        shown = 3 if relation == BELOW else 2
        state = self.round(counts, [(quantity, 2)], [(shown,) * count for count in counts], bidder)
        return state, state.child(label)

    def speaker_after(self, counts: Sequence[int], seat: int) -> int:
        """Who speaks after somebody."""
        return int(self.round(counts, [(1, 2)], opener=seat).current_player)

    def opener_after(self, counts: Sequence[int], seat: int) -> int:
        """Who opens after somebody has lost a die, or won one."""
        alive = [player for player in range(self.seats) if (counts[player] if player != seat else 1)]
        bidder = alive[(alive.index(seat) + 1) % len(alive)]
        before = list(counts)
        before[seat] += 1
        # Somebody bids what does not hold, and loses the die that is one too many.
        state = self.round(before, [(sum(before), 2)], [(3,) * count for count in before], seat)
        assert state.current_player == bidder
        return int(state.child(self.challenges()[0]).opener)

    def challenges(self) -> list[str]:
        """The actions that end a round."""
        return [label for label, bid in self.moves(2, (1, 2)) if bid is None]

    def opening(self, roll: Roll) -> Bid | None:
        """The bid that a roll opens with by the rules, if they leave no choice."""
        counts = (len(roll), 1, *[0] * (self.seats - 2))
        state = self.unrolled(counts).child(roll).child((1,))
        return state.bids[-1] if state.bids else None

    def rolls(self, dice: int) -> list[list[Any]]:
        """All rolls of so many dice as text, and how many of the equally likely ones each stands for."""
        counts = (dice, 1, *[0] * (self.seats - 2))
        state = self.unrolled(counts)
        found = state.chance_outcomes()
        assert found == all_rolls(dice)
        return [[state.action_to_string(roll), int(chance * FACES**dice)] for roll, chance in found]


def cup_tables(game: Rules) -> dict[str, Any]:
    """A game of dice under cups as the page reads it, checked against the rules.

    ``openers`` are the seats that may open the game, with their ways. ``bids`` are pairs of quantity and face, with
    numbers, 0 being none. ``moves`` has for each number of dice in play and each last bid the number of a list in
    ``lists``: the label of each legal action and the bid that it is, 0 for a challenge. ``towards[face - 1][die -
    1]`` is 1 where a die counts. ``ends`` has for each challenge, when fewer count than were bid, as many and more:
    whether the caller's or the bidder's dice change, and by how many. ``next`` and ``opens`` go by the bits of the
    seats that have dice. ``rolls`` are those of 0, 1, ... dice with their ways, and ``opening`` what they open with
    by the rules.

    Raises:
        ValueError: the rules do something else somewhere.
    """
    cups = Cups(game)
    most = cups.totals[-1] + (0 if cups.bounded else BEYOND + 1)  # what follows the last that is asked for
    if isinstance(game, WildOnes):  # in the order of the numbered actions, as agents have their tables
        bids = [(quantity, face) for face in range(1, FACES + 1) for quantity in range(1, most + 1)]
    else:
        bids = list(product(range(1, most + 1), range(1, FACES + 1)))
    number = {bid: place for place, bid in enumerate(bids, 1)}
    lists: dict[tuple[Any, ...], int] = {}
    moves: dict[int, list[int]] = {}
    for total in cups.totals:
        row = [-1] * (len(bids) + 1)
        for last in cups.bids(total):
            after = tuple((label, number[bid] if bid else 0) for label, bid in cups.moves(total, last))
            row[number[last] if last else 0] = lists.setdefault(after, len(lists))
        moves[total] = row
    seats, masks = range(cups.seats), [mask for mask in range(1 << cups.seats) if mask.bit_count() > 1]
    alive = {mask: [mask >> seat & 1 for seat in seats] for mask in masks}
    following = {
        mask: [cups.speaker_after(dice, seat) if dice[seat] else -1 for seat in seats] for mask, dice in alive.items()
    }
    ends = {label: cups.ends(label) for label in cups.challenges()}
    rolls = [[["", 1]], *(cups.rolls(dice) for dice in range(1, game.dice + 1))]
    opened = [[cups.opening(tuple(map(int, text))) for text, _ in some] if some[0][0] else [None] for some in rolls]
    start = game.initial_state()
    openers = [[start.action_to_string(seat), int(chance * cups.seats)] for seat, chance in start.chance_outcomes()]
    found: dict[str, Any] = {
        "engine": "cups",
        "players": cups.seats,
        "dice": game.dice,
        "bounded": cups.bounded,
        "openers": openers,
        "bids": [None, *map(list, bids)],
        "moves": moves,
        "lists": [[list(pair) for pair in row] for row in lists],
        "towards": [[int(cups.counts_towards(die, face)) for die in range(1, 7)] for face in range(1, 7)],
        "ends": {label: [[int(end.caller), end.change] for end in row] for label, row in ends.items()},
        "next": following,
        "opens": {mask: [_opener(cups, alive[mask], seat) for seat in seats] for mask in masks},
        "rolls": rolls,
        "opening": [[bid and number[bid] for bid in row] for row in opened] if opened[1][0] else None,
    }
    _check(cups, found)
    return found


def _opener(cups: Cups, alive: Sequence[int], seat: int) -> int:
    """Who opens after ``seat`` has lost a die, where those who are left are known."""
    return cups.opener_after(alive, seat) if cups.game.dice > 1 or not alive[seat] else seat


def _check(cups: Cups, found: dict[str, Any]) -> None:
    """Hold the tables of challenges and turns against the rules for all numbers of dice, and bids beyond the table.

    Raises:
        ValueError: they differ.
    """
    seats, dice = range(cups.seats), cups.game.dice
    for counts in product(range(dice + 1), repeat=cups.seats):
        mask = sum(1 << seat for seat in seats if counts[seat])
        if mask.bit_count() < 2:
            continue
        for bidder in (seat for seat in seats if counts[seat]):
            caller = found["next"][mask][bidder]
            for label, ends in found["ends"].items():
                for relation, (callers, change) in enumerate(ends):
                    before, after = cups._challenged(counts, bidder, label, relation)
                    seat, left = caller if callers else bidder, list(counts)
                    left[seat] = min(left[seat] + change, dice)
                    now = sum(1 << one for one in seats if left[one])
                    over = now.bit_count() < 2
                    opener = after.opener if over else found["opens"][now][seat]
                    wanted = (caller, tuple(left), opener, over, tuple(int(over and count > 0) for count in left))
                    is_so = (before.current_player, after.counts, after.opener, after.is_terminal(), after.returns())
                    if wanted != is_so:
                        raise ValueError(f"{label} among {counts} ends with {is_so}, by the tables with {wanted}")
                    if after.rolls != with_empty((), after.counts):
                        raise ValueError(f"after {label} among {counts} the dice are {after.rolls}")
    if not cups.bounded:
        for total, more in product(cups.totals, range(BEYOND, CHECKED)):
            for face in range(1, FACES + 1):
                here, beyond = cups.moves(total, (total + BEYOND, face)), cups.moves(total, (total + more, face))
                shift = more - BEYOND
                if beyond != [(label, bid and (bid[0] + shift, bid[1])) for label, bid in here]:
                    raise ValueError(f"beyond {total + BEYOND} dice bids do not repeat")
