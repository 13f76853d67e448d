"""The best that player 1 can do at call or raise against players who toss coins, exactly.

The others, ``Agent("random")`` of ``support.games.call_or_raise.settings``, call with probability 1/2 and otherwise
raise by one to a face drawn at random (Daniel Oehm, *Q-learning example with Liar's Dice in R*, 20 December 2018).
What they decide does not depend on their dice; only an opening bid, made by the rules, tells what its maker holds. So
all that player 1 learns in a round it knows once the opening bid is made: its own dice, and those of the opener as
far as the bid tells. A bid of q dice then holds with a known probability, whatever the bids before it were, and the
round is a game against chance whose states are the last bid and whose turn it is.

The dice that are left and who opens are all that one round leaves to the next, and each round takes a die off the
table. So the probability of winning the game follows by backward induction, over the bids of a round and over the dice.
Bids may go on for ever, but all above the dice in play are false and alike, so that the sum over them is closed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

from support.games.call_or_raise.rules import CallOrRaise, CallOrRaiseState, after_loss, opening_bid, tail
from support.games.cups.rolls import FACES, Roll

Rule = Callable[[int, int, int], Fraction]
"""The probability to call, from the dice in play, the own dice, and how many of the unseen dice a bid needs."""
Counts = tuple[int, ...]
Values = Mapping[tuple[Counts, int], Fraction]
"""The probability that player 1 wins the game, by everybody's dice at the beginning of a round and who opens it."""
HALF = Fraction(1, 2)
FACE_NUMBERS = range(1, FACES + 1)


@dataclass(frozen=True)
class Responder:
    """What player 1 is free to decide; it decides that as well as can be.

    Attributes:
        bluff: the probability that a raise is to a face drawn at random and not to the one it holds most of, which it
            does not choose; None if it chooses the face.
        most: by how many dice it may raise at most.
        calls: the probability to call, if that is given and not decided: ``calls(total, own, need)`` for ``total``
            dice in play, ``own`` of its own, and ``need`` more dice than it holds of the face that was bid. It is
            asked for needs from 0 to ``total - own + 1``; the last one stands for all that cannot be met.

    Raises:
        ValueError: a probability that is none, or no number of dice.
    """

    bluff: Fraction | None = HALF
    most: int = 1
    calls: Rule | None = None

    def __post_init__(self) -> None:
        if self.bluff is not None and not 0 <= self.bluff <= 1:
            raise ValueError(f"bluff must lie between 0 and 1, or be None, not {self.bluff}")
        if isinstance(self.most, bool) or not isinstance(self.most, int) or self.most < 1:
            raise ValueError(f"most must be a whole number of at least 1, not {self.most!r}")

    def call_chance(self, total: int, own: int, need: int) -> Fraction | None:
        """The given probability to call; None where the responder decides.

        Raises:
            ValueError: the rule gives no probability.
        """
        if self.calls is None:
            return None
        chance = Fraction(self.calls(total, own, min(max(need, 0), total - own + 1)))
        if not 0 <= chance <= 1:
            raise ValueError(f"a rule calls with a probability, not {chance}")
        return chance


CALL_OR_RAISE = Responder()
"""The document's agent: it decides between call and raise, and bluffs in half of its raises."""
CHOOSES_THE_FACE = Responder(bluff=None)
"""It also decides what face to raise to."""


def toss(total: int, own: int, need: int) -> Fraction:
    """The rule of a player that tosses a coin."""
    return HALF


def threshold(least: Fraction) -> Rule:
    """The rule to call if a bid holds with a probability below ``least``, as far as the own dice tell."""
    return lambda total, own, need: Fraction(tail(total - own, need) < least)


def by_probability(total: int, own: int, need: int) -> Fraction:
    """The rule of ``Agent("probability")``: raise with the probability that there is one die more than a bid needs."""
    return 1 - tail(total - own, need + 1)


def win_probabilities(game: CallOrRaise, responder: Responder = CALL_OR_RAISE) -> dict[tuple[Counts, int], Fraction]:
    """The probability that player 1 wins, for every beginning of a round that it takes part in.

    Three players with two dice take seconds; ``support.games.call_or_raise.ceiling_fast`` does the document's table.

    Args:
        game: the rules. Where they bound the bids, the others call if they cannot raise.
        responder: what player 1 may decide.

    Returns:
        For each pair of everybody's dice and the opener, counted from 0, the probability of winning the game.
    """
    # Players who are out are as good as not there: rounds are solved for rings of players with dice.
    rings: dict[tuple[Counts, int], Fraction] = {}
    for size in range(2, game.num_players + 1):
        for ring in product(range(1, game.dice + 1), repeat=size):
            for opener in range(size):
                rings[ring, opener] = _before_the_roll(game, responder, rings, ring, opener)
    values: dict[tuple[Counts, int], Fraction] = {}
    for counts in product(range(game.dice + 1), repeat=game.num_players):
        alive = [player for player, count in enumerate(counts) if count]
        if counts[0] and len(alive) > 1:
            ring = tuple(counts[player] for player in alive)
            values |= {(counts, player): rings[ring, place] for place, player in enumerate(alive)}
    return values


def starting_value(game: CallOrRaise, values: Values) -> Fraction:
    """The probability of winning a game whose opener is drawn at random."""
    start = (game.dice,) * game.num_players
    return sum((values[start, opener] for opener in range(game.num_players)), Fraction(0)) / game.num_players


@dataclass(frozen=True)
class Lift:
    """A raise of player 1.

    Attributes:
        value: the probability of winning the game after it.
        step: by how many dice.
        face: to which face; None if chance has a say in that.
    """

    value: Fraction
    step: int
    face: int | None


class Round:
    """A round as player 1 sees it once the opening bid is made: what each decision is worth.

    All values are probabilities of winning the game. Turns are counted along the ring of players who have dice; player
    1 has turn 0.

    Args:
        game: the rules.
        responder: what player 1 may decide.
        ring: dice of the players who have any, player 1 first.
        opener: whose turn the opening was.
        roll: player 1's dice.
        bid: quantity and face of the opening bid.
        worth: for each turn the probability of winning the game if that player loses a die.
    """

    def __init__(
        self,
        game: CallOrRaise,
        responder: Responder,
        ring: Counts,
        opener: int,
        roll: Roll,
        bid: tuple[int, int],
        worth: tuple[Fraction, ...],
    ):
        self.game, self.responder, self.ring, self.roll, self.bid, self.worth = game, responder, ring, roll, bid, worth
        self.players, self.total, self.first = len(ring), sum(ring), (opener + 1) % len(ring)
        self._held = {face: roll.count(face) for face in FACE_NUMBERS}
        self._unknown = self.total - ring[0] - (ring[opener] if opener else 0)
        self._opener = (
            opening_bids(ring[opener])[bid][1] if opener else {face: {0: Fraction(1)} for face in FACE_NUMBERS}
        )
        self._false = self._false_bids()
        self._chances: dict[tuple[int, int], Fraction] = {}
        self._means: dict[tuple[int, int], Fraction] = {}
        self._lifts: dict[int, Lift | None] = {}

    @property
    def value(self) -> Fraction:
        """The probability of winning the game, once the opening bid is made."""
        return self.standing(*self.bid, self.first)

    def chance(self, quantity: int, face: int) -> Fraction:
        """The probability that a bid holds."""
        if (quantity, face) not in self._chances:
            need = quantity - self._held[face]
            told = self._opener[face].items()
            self._chances[quantity, face] = sum(
                (chance * tail(self._unknown, need - shown) for shown, chance in told), Fraction(0)
            )
        return self._chances[quantity, face]

    def called(self, quantity: int, face: int, turn: int = 0) -> Fraction:
        """What it is worth that the player whose turn it is calls a bid."""
        holds = self.chance(quantity, face)
        return holds * self.worth[turn] + (1 - holds) * self.worth[turn - 1]

    def raised(self, quantity: int) -> Lift | None:
        """The best raise of player 1 over a bid of so many dice; the least and lowest of several. None: it may not."""
        if quantity not in self._lifts:
            self._lifts[quantity] = max(self._raises(quantity), key=lambda lift: lift.value, default=None)
        return self._lifts[quantity]

    def calls(self, quantity: int, face: int) -> Fraction:
        """The probability with which player 1 calls a bid: that of its rule; otherwise 0 or 1, and 1 on a tie."""
        lift = self.raised(quantity)
        if lift is None:
            return Fraction(1)
        given = self.responder.call_chance(self.total, self.ring[0], quantity - self._held[face])
        return Fraction(self.called(quantity, face) >= lift.value) if given is None else given

    def standing(self, quantity: int, face: int, turn: int) -> Fraction:
        """What it is worth that a bid stands and it is somebody's turn."""
        if quantity > self.total:
            return self._false[turn]
        called = self.called(quantity, face, turn)
        if self.game.bounded and quantity == self.total:
            return called
        if turn:
            return HALF * called + HALF * self._mean(quantity + 1, (turn + 1) % self.players)
        calls, lift = self.calls(quantity, face), self.raised(quantity)
        assert lift is not None
        return calls * called + (1 - calls) * lift.value

    def _mean(self, quantity: int, turn: int) -> Fraction:
        """The same for a bid to a face drawn at random."""
        if (quantity, turn) not in self._means:
            values = (self.standing(quantity, face, turn) for face in FACE_NUMBERS)
            self._means[quantity, turn] = sum(values, Fraction(0)) / FACES
        return self._means[quantity, turn]

    def _raises(self, quantity: int) -> list[Lift]:
        """All raises of player 1 over a bid of so many dice."""
        bluff, turn = self.responder.bluff, 1
        steps: Sequence[int] = range(1, self.responder.most + 1)
        if self.game.bounded:
            steps = [step for step in steps if quantity + step <= self.total]
        if bluff is None:
            return [
                Lift(self.standing(quantity + step, face, turn), step, face) for step in steps for face in FACE_NUMBERS
            ]
        own = opening_bid(self.roll)[1]
        return [
            Lift(
                bluff * self._mean(quantity + step, turn) + (1 - bluff) * self.standing(quantity + step, own, turn),
                step,
                None if bluff else own,
            )
            for step in steps
        ]

    def _false_bids(self) -> list[Fraction]:
        """For each turn what it is worth that a bid of more dice stands than there are.

        Whoever calls it wins the round, and nothing changes if somebody raises. If x is what player 1's turn is worth,
        its raise is worth y = c + d x: d is the probability that none of the others calls before it is its turn
        again. It calls once and for all, or raises again and again, whichever is worth more.
        """
        again = HALF ** (self.players - 1)
        ends = sum((HALF**turn * self.worth[turn - 1] for turn in range(1, self.players)), Fraction(0))
        calls = self.responder.call_chance(self.total, self.ring[0], self.total + 1)
        if calls is None:
            own = max(self.worth[-1], ends / (1 - again))
        else:
            own = (calls * self.worth[-1] + (1 - calls) * ends) / (1 - (1 - calls) * again)
        values = [own] * self.players
        for turn in range(self.players - 1, 0, -1):
            values[turn] = HALF * self.worth[turn - 1] + HALF * values[(turn + 1) % self.players]
        return values


def round_of(
    game: CallOrRaise,
    responder: Responder,
    values: Values,
    counts: Counts,
    opener: int,
    roll: Roll,
    bid: tuple[int, int] | None = None,
) -> Round:
    """What player 1's decisions are worth in a round of the game.

    Args:
        game: the rules.
        responder: what player 1 may decide.
        values: as :func:`win_probabilities` gives them for both.
        counts: everybody's dice at the beginning of the round.
        opener: who opens, from 0.
        roll: player 1's dice.
        bid: quantity and face of the opening bid; may be left out if player 1 opens.

    Raises:
        ValueError: no such round, or dice or an opening bid that cannot be.
    """
    alive = [player for player, count in enumerate(counts) if count]
    if len(counts) != game.num_players or 0 not in alive or opener not in alive or len(alive) < 2:
        raise ValueError(f"no round of player 1 has the dice {counts} and opener {opener}")
    roll = tuple(sorted(roll))
    if roll not in dict(rolls_of(counts[0])):
        raise ValueError(f"player 1 cannot roll {roll} with {counts[0]} dice")
    if not opener:
        bid = opening_bid(roll)
    if bid not in opening_bids(counts[opener]):
        raise ValueError(f"nobody opens {counts[opener]} dice with the bid {bid}")
    worth = []
    for loser in alive:
        fewer, after = after_loss(counts, loser)
        left = [player for player, count in enumerate(fewer) if count]
        worth.append(values[fewer, after] if 0 in left and len(left) > 1 else Fraction(left == [0]))
    ring = tuple(counts[player] for player in alive)
    return Round(game, responder, ring, alive.index(opener), roll, bid, tuple(worth))


@cache
def rolls_of(dice: int) -> tuple[tuple[Roll, Fraction], ...]:
    """All sorted rolls of so many dice, from 1 to 6, with their probabilities."""
    game = CallOrRaise(2, dice)
    return CallOrRaiseState(game, (dice, dice), 0).chance_outcomes()


@cache
def opening_bids(dice: int) -> dict[tuple[int, int], tuple[Fraction, dict[int, dict[int, Fraction]]]]:
    """What the opening bid of a player with so many dice tells.

    Returns:
        For each bid that can be its probability; and for each face, given the bid, the probabilities of how many of
        the player's dice show it.
    """
    bids: dict[tuple[int, int], Fraction] = {}
    shown: dict[tuple[int, int], dict[int, dict[int, Fraction]]] = {}
    for roll, chance in rolls_of(dice):
        bid = opening_bid(roll)
        bids[bid] = bids.get(bid, Fraction(0)) + chance
        faces = shown.setdefault(bid, {face: {} for face in FACE_NUMBERS})
        for face, numbers in faces.items():
            numbers[roll.count(face)] = numbers.get(roll.count(face), Fraction(0)) + chance
    return {
        bid: (
            total,
            {face: {number: p / total for number, p in numbers.items()} for face, numbers in shown[bid].items()},
        )
        for bid, total in bids.items()
    }


def _before_the_roll(game: CallOrRaise, responder: Responder, rings: Values, ring: Counts, opener: int) -> Fraction:
    """The probability of winning the game from the beginning of a round, that of all with fewer dice being known."""
    worth = tuple(_worth(rings, ring, loser) for loser in range(len(ring)))
    total = Fraction(0)
    for roll, rolled in rolls_of(ring[0]):
        bids = {bid: chance for bid, (chance, _) in opening_bids(ring[opener]).items()}
        for bid, chance in bids.items() if opener else ((opening_bid(roll), Fraction(1)),):
            total += rolled * chance * Round(game, responder, ring, opener, roll, bid, worth).value
    return total


def _worth(rings: Values, ring: Counts, loser: int) -> Fraction:
    """The probability of winning the game if somebody loses a die."""
    fewer = tuple(count - (place == loser) for place, count in enumerate(ring))
    if fewer[loser]:
        return rings[fewer, loser]
    if not loser:
        return Fraction(0)
    fewer = tuple(count for count in fewer if count)
    return rings[fewer, loser % len(fewer)] if len(fewer) > 1 else Fraction(1)
