"""All rolls of wild ones, gone through: what agents are worth that always do the same, exactly but for rounding.

Such an agent does the same in the same round with the same dice, and so do opponents that never draw. Each round from
each of its beginnings, played once with each roll, says how often it ends in each way, and the chain of rounds how
often each player comes in first, second, ... With three players and two dice each that are 122,472 rounds, as many as
there are in 20,000 games::

    for start in range(ends.shape[0]):
        for number in range(rolls.numbers[start]):
            ways = lay(board, rolls, start, number)
            while board.rolled:
                action = reply(board, tables, rules)    # or whatever the player board.seats[board.speaker] decides
                speak(board, action, rules, ways, ends[start])

``support.games.wild_ones.ceiling.places.places`` says the same in fractions, of policies that are tables over views.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean
from support.core.interface import DoesNotFitError
from support.games.cups.rolls import FACES, all_rolls
from support.games.wild_ones.ceiling.chain import LOSES, WINS, starts
from support.games.wild_ones.ceiling.places import shares
from support.games.wild_ones.policies import DRAWS, Views
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import EXACT, take

MOST = 10**9
"""Rolls that are gone through in some two minutes."""


class Rolls(NamedTuple):
    """All beginnings of rounds, and what can be rolled there.

    Attributes:
        seats, counts: int64[starts, players], who sits there, in the order of the turns, and their dice; those who are
            out come last.
        alive, opener: int64[starts], how many have dice, and the turn of who opens.
        numbers: int64[starts], how many rolls there are.
        first_hand: int64[dice + 2], the number of the first hand of so many dice.
        shown: uint64[hand], its dice by face, eight bits each.
        ways: int64[hand], in how many ways it is rolled.
    """

    seats: np.ndarray
    counts: np.ndarray
    alive: np.ndarray
    opener: np.ndarray
    numbers: np.ndarray
    first_hand: np.ndarray
    shown: np.ndarray
    ways: np.ndarray


@cache
def rolls_of(game: WildOnes) -> Rolls:
    """The beginnings and rolls of a game, all players told apart, in the order of ``chain.starts``."""
    everybody, hands, rows = range(game.num_players), Views(game).hands, starts(game, range(game.num_players))
    first_hand = np.searchsorted([len(hand) for hand in hands], np.arange(game.dice + 2))
    many = np.diff(first_hand).tolist()
    seats = [[*start.kinds, *(player for player in everybody if player not in start.kinds)] for start in rows]
    counts = [[*start.counts, *[0] * game.num_players][: game.num_players] for start in rows]
    ways = [int(chance * FACES**dice) for dice in range(game.dice + 1) for _, chance in all_rolls(dice)]
    return Rolls(
        np.array(seats),
        np.array(counts),
        np.array([len(start.kinds) for start in rows]),
        np.array([start.opener for start in rows]),
        np.array([math.prod(many[count] for count in start.counts) for start in rows]),
        first_hand,
        np.array([sum(1 << 8 * (face - 1) for face in hand) for hand in hands], np.uint64),
        np.array(ways),
    )


def rolls_in(game: WildOnes, tables: Sequence[np.ndarray]) -> float:
    """How many rolls there are with all players at the table; no end of them with an opponent that draws."""
    hands = sum(len(all_rolls(dice)) for dice in range(1, game.dice + 1))
    drawn = any((one == DRAWS).any() for one in tables)
    return math.inf if drawn else math.factorial(game.num_players) * hands**game.num_players


def require_rolls(game: WildOnes, tables: Sequence[np.ndarray]) -> None:
    """Make sure that all rolls can be gone through.

    Raises:
        DoesNotFitError: there are more than ``MOST``, or an opponent draws.
    """
    if (rolls := rolls_in(game, tables)) > MOST:
        why = f"{rolls:,} rolls" if rolls < math.inf else "an opponent that draws"
        raise DoesNotFitError(f"{game} has {why}; what is worth how much is worked out for at most {MOST:,}")


def places_after(game: WildOnes, ends: np.ndarray) -> np.ndarray:
    """float64[players, players], how often each player comes in first, second, ..., seated at random.

    Args:
        game: the rules.
        ends: float64[starts, turns, 2], in how many ways each round ends so that the player of a turn loses a die, or
            wins one back.
    """
    everybody = range(game.num_players)
    chain = {
        start: {(turn, change): float(row[turn, change] / row.sum()) for turn, change in np.argwhere(row).tolist()}
        for start, row in zip(starts(game, everybody), ends, strict=True)
    }
    return np.array(shares(game, everybody, chain, exact=False).shares, float)


@lean
def lay(board, rolls, start, number):
    """Begin a round with its next roll, or with its first if ``number`` is 0; returns in how many ways it is rolled."""
    ways, total, goes_on, last = 1, 0, number > 0, rolls.alive[start] - 1
    board.players, board.alive, board.shown = rolls.seats.shape[1], last + 1, 0
    for place in range(board.players):
        count = rolls.counts[start, place]
        board.seats[place], board.counts[place] = rolls.seats[start, place], count
        if count == 0:
            continue
        hand, first, end = board.hands[place] + goes_on, rolls.first_hand[count], rolls.first_hand[count + 1]
        goes_on = goes_on and hand == end
        if number == 0 or hand == end:
            hand = first
        board.hands[place] = hand
        board.before[place], board.after[last] = last, place
        last = place
        total += count
        ways *= rolls.ways[hand]
        board.shown += rolls.shown[hand]
    board.total = total
    board.opener = board.speaker = board.bidder = rolls.opener[start]
    board.bid, board.said, board.rolled = 0, 0, True
    return ways


@lean
def speak(board, action, rules, ways, ends):
    """The player to move bids, or challenges: then ``ways`` are added to how the round ends."""
    take(board, action, rules)
    if not board.rolled:
        ends[board.paid, WINS if board.right and action == EXACT else LOSES] += ways
