"""What any policy of wild ones wins against fixed opponents, exactly, round by round and seat by seat.

A policy may use all that it knows: the number of dice of each player, its own dice, and all bids of the round. From
each beginning of a round, play branches where the policy bids differently with different hands, or mixes, and where an
opponent would bid differently with different hands; all own hands go down the branches together. How the rounds end
gives a Markov chain of their beginnings, which is solved in fractions (:mod:`support.games.wild_ones.ceiling.chain`).
Up to there the fractions are FLINT's, which adds and multiplies them some ten times as fast as Python.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any

from flint import fmpq

from support.core.policy import exact_row, is_checked
from support.games.cups.rolls import Roll, all_rolls
from support.games.wild_ones.ceiling.chain import LOSES, WINS, Start, solve, start_of
from support.games.wild_ones.policies import Policy, View, require_opponents
from support.games.wild_ones.rules import EXACT, LIAR, WildOnes, WildOnesState, bid_of, counted

Hands = tuple[Roll, ...]
Weights = Mapping[Roll, fmpq]
"""The own hands that may be held, each with its probability times that of the policy's bids with it so far."""
Act = Callable[[WildOnesState, Sequence[int]], Mapping[str, Any]]
"""A policy: from a state and the player in each seat (0 for the policy's own) to the probability of each action."""


def win_probability(game: WildOnes, opponents: Sequence[Policy], act: Act) -> Fraction:
    """The probability that player 0 wins if players are seated at random and the first seat opens.

    Args:
        game: the rules.
        opponents: players 1, 2, ..., who decide by their own dice, the dice in play and the last bid, and never mix.
        act: player 0's policy; it must not look at the other players' dice.

    Raises:
        PolicyError: the policy gives invalid probabilities or an illegal action.
        ValueError: there is not one opponent for each other player, or an opponent mixes.
    """
    require_opponents(game, opponents)
    seatings = list(permutations(range(game.num_players)))
    replies: dict[Hashable, dict[str, Hands]] = {}
    worths = (_Seating(game, opponents, act, seats, replies).value() for seats in seatings)
    return sum(worths, Fraction(0)) / len(seatings)


@dataclass
class _Seating:
    game: WildOnes
    opponents: Sequence[Policy]
    act: Act
    seats: tuple[int, ...]
    replies: dict[Hashable, dict[str, Hands]]  # the opponents', who answer the same wherever they sit

    def value(self) -> Fraction:
        own, dice = self.seats.index(0), self.game.dice
        chain: dict[Start, Mapping[tuple[int, int], Fraction]] = {}
        for counts in product(range(dice + 1), repeat=len(self.seats)):
            alive = [seat for seat, count in enumerate(counts) if count]
            for opener in alive if counts[own] and len(alive) > 1 else ():
                start = start_of(self.seats, counts, opener)
                ends = self._ends(counts, opener)
                chain[start] = {
                    (start.kinds.index(self.seats[seat]), way): Fraction(int(p.p), int(p.q))
                    for (seat, way), p in ends.items()
                }

        def gain(start: Start, turn: int, later: Start) -> dict[Hashable, int]:
            return {"won": int(later.kinds == (0,))}

        start = start_of(self.seats, (dice,) * len(self.seats), 0)
        return Fraction(solve(chain, dice, gain)[start].get("won", 0))

    def _ends(self, counts: tuple[int, ...], opener: int) -> dict[tuple[int, int], fmpq]:
        """The probability of each end of a round: a seat, and whether its player loses a die or wins one back."""
        found: dict[tuple[int, int], fmpq] = {}
        own = self.seats.index(0)
        hands = _chances(counts[own])
        out = tuple(seat for seat, count in enumerate(counts) if not count)
        sets = {seat: tuple(_chances(count)) for seat, count in enumerate(counts) if count and seat != own}
        rolls = tuple((1,) * count for count in counts)  # nobody looks at these
        self._play_on(WildOnesState(self.game, counts, opener, rolls, out=out), sets, hands, found)
        return found

    def _play_on(
        self, state: WildOnesState, sets: Mapping[int, Hands], weights: Weights, found: dict[tuple[int, int], fmpq]
    ) -> None:
        mover = state.current_player
        moves: list[tuple[str, Weights, Mapping[int, Hands]]]
        if mover not in sets:
            moves = [(action, own, sets) for action, own in self._own(state, weights).items()]
        else:
            parts = self._parts(mover, state, sets[mover])
            moves = [(action, weights, {**sets, mover: hands}) for action, hands in parts.items()]
        for action, own, left in moves:
            if action in (LIAR, EXACT):
                for end, share in _shown(state, action, left, own).items():
                    found[end] = found.get(end, fmpq(0)) + share
            else:
                bid = bid_of(action)
                assert bid is not None
                self._play_on(state.but(bids=(*state.bids, bid)), left, own, found)

    def _own(self, state: WildOnesState, weights: Weights) -> dict[str, dict[Roll, fmpq]]:
        """The weights of the own hands with which each action is taken."""
        seat, legal = state.current_player, state.legal_actions()
        found: dict[str, dict[Roll, fmpq]] = {}
        for hand, weight in weights.items():
            held = state.but(rolls=(*state.rolls[:seat], hand, *state.rolls[seat + 1 :]))
            row = self.act(held, self.seats)
            if not is_checked(row, legal):
                row = exact_row(row, (seat, held.information_state(seat)), legal)
            last, share = None, weight
            for action, chance in row.items():
                if chance is not last:  # all the same where nothing was learned
                    last, share = chance, weight * _rational(chance)
                found.setdefault(action, {})[hand] = share
        return found

    def _parts(self, seat: int, state: WildOnesState, hands: Hands) -> dict[str, Hands]:
        """The hands that an opponent may hold, by the action that it takes with them."""
        key = self.seats[seat], hands, state.total, state.last
        if key not in self.replies:
            parts: dict[str, list[Roll]] = {}
            for hand in hands:
                said = self.opponents[self.seats[seat] - 1].choices(View(hand, state.total, state.last))
                if len(said) > 1:
                    raise ValueError("an opponent mixes actions; exact values need opponents that never do")
                parts.setdefault(said[0], []).append(hand)
            self.replies[key] = {action: tuple(some) for action, some in parts.items()}
        return self.replies[key]


def _shown(
    state: WildOnesState, challenge: str, sets: Mapping[int, Hands], weights: Weights
) -> dict[tuple[int, int], fmpq]:
    """The ends to which a challenge can lead, times the weights of the own hands and those that the others may hold."""
    assert state.last is not None
    (quantity, face), caller = state.last, state.current_player
    exact, others = challenge == EXACT, tuple(sets.values())
    own: dict[int, fmpq] = {}
    for hand, weight in weights.items():
        held = _counted(hand, face)
        own[held] = own[held] + weight if held in own else weight
    chances = [(weight, *_right(held, quantity, face, exact, others)) for held, weight in own.items()]
    return {
        (caller, WINS) if exact else (state.last_bidder(), LOSES): sum((w * right for w, right, _ in chances), fmpq(0)),
        (caller, LOSES): sum((w * wrong for w, _, wrong in chances), fmpq(0)),
    }


_counted = cache(counted)


@cache
def _right(own: int, quantity: int, face: int, exact: bool, sets: tuple[Hands, ...]) -> tuple[fmpq, fmpq]:
    """The probabilities that a challenge is right and wrong, times that of the hands that the others may hold.

    Args:
        own: how many of the policy's dice count.
        quantity: the quantity of the bid.
        face: the face of the bid.
        exact: whether the challenge is *exact*; otherwise it is *liar*.
        sets: the possible hands of each other player.
    """
    ways = {own: fmpq(1)}
    for hands in sets:
        more: dict[int, fmpq] = {}
        for there, chance in ways.items():
            for held, share in _held(hands, face):
                more[there + held] = more.get(there + held, fmpq(0)) + chance * share
        ways = more
    right = sum((p for there, p in ways.items() if (there == quantity if exact else there < quantity)), fmpq(0))
    return right, sum(ways.values(), fmpq(0)) - right


@cache
def _chances(dice: int) -> dict[Roll, fmpq]:
    return {roll: _rational(chance) for roll, chance in all_rolls(dice)}


def _rational(number: Fraction) -> fmpq:
    return fmpq(number.numerator, number.denominator)


@cache
def _held(hands: Hands, face: int) -> tuple[tuple[int, fmpq], ...]:
    """How many dice of some hands count towards a face, with the probabilities of these hands together."""
    found: dict[int, fmpq] = {}
    for hand in hands:
        found[counted(hand, face)] = found.get(counted(hand, face), fmpq(0)) + _chances(len(hand))[hand]
    return tuple(found.items())
