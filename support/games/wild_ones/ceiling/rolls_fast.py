"""The places of deterministic agents of wild ones, from all rolls, exact except for rounding.

Such an agent does the same in the same round with the same dice, and so do opponents that never draw. Playing each
round from each of its beginnings once with each roll gives the probabilities of its ends, and the chain of rounds then
gives how often each player comes first, second, ... For three players with two dice each these are 122,472 rounds, as
many as in 20,000 games::

    for start in range(ends.shape[0]):
        for number in range(rolls.numbers[start]):
            ways = lay(board, rolls, start, number)
            while board.rolled:
                action = reply(board, tables, rules)    # or whatever the player board.seats[board.speaker] decides
                speak(board, action, rules, ways, ends[start])

``support.games.wild_ones.ceiling.places.places`` does the same in fractions for policies that are tables over views.
"""

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean
from support.core.interface import DoesNotFitError
from support.games.wild_ones.ceiling.chain import LOSES, WINS, starts
from support.games.wild_ones.ceiling.places import shares
from support.games.wild_ones.policies import DRAWS, Views
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import EXACT, take

MOST = 10**9
"""The most rolls, which take some two minutes."""


class Rolls(NamedTuple):
    """All beginnings of rounds, and what can be rolled there.

    Attributes:
        seats, counts: int64[starts, players], the players in the order of turns, and their dice; those who are out come
            last.
        alive, opener: int64[starts], how many have dice, and the turn of the opener.
        numbers: int64[starts], the number of rolls.
        first_hand: int64[dice + 2], the number of the first hand with each number of dice.
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
    """The beginnings and rolls of a game with all players distinct, in the order of ``chain.starts``."""
    everybody, views, rows = range(game.num_players), Views(game), starts(game, range(game.num_players))
    many = np.diff(views.first_hand).tolist()
    seats = [[*start.kinds, *(player for player in everybody if player not in start.kinds)] for start in rows]
    counts = [[*start.counts, *[0] * game.num_players][: game.num_players] for start in rows]
    return Rolls(
        np.array(seats),
        np.array(counts),
        np.array([len(start.kinds) for start in rows]),
        np.array([start.opener for start in rows]),
        np.array([math.prod(many[count] for count in start.counts) for start in rows]),
        views.first_hand,
        np.array([sum(1 << 8 * (face - 1) for face in hand) for hand in views.hands], np.uint64),
        views.ways,
    )


def rolls_in(game: WildOnes, tables: Sequence[np.ndarray]) -> float:
    """The number of rolls with all players at the table; infinite if an opponent draws."""
    hands = len(Views(game).hands) - 1  # without the empty one
    drawn = any((one == DRAWS).any() for one in tables)
    return math.inf if drawn else math.factorial(game.num_players) * hands**game.num_players


def require_rolls(game: WildOnes, tables: Sequence[np.ndarray]) -> None:
    """Check that there are not too many rolls.

    Raises:
        DoesNotFitError: there are more than ``MOST``, or an opponent draws.
    """
    if (rolls := rolls_in(game, tables)) > MOST:
        why = f"{rolls:,} rolls" if rolls < math.inf else "an opponent that draws"
        raise DoesNotFitError(f"{game} has {why}; places are computed for at most {MOST:,}")


def places_after(game: WildOnes, ends: np.ndarray) -> np.ndarray:
    """float64[players, players], how often each player comes first, second, ..., seated at random.

    Args:
        game: the rules.
        ends: float64[starts, turns, 2], in how many rolls the player of a turn loses a die, or wins one back.
    """
    everybody = range(game.num_players)
    chain = {
        start: {(turn, change): float(row[turn, change] / row.sum()) for turn, change in np.argwhere(row).tolist()}
        for start, row in zip(starts(game, everybody), ends, strict=True)
    }
    return np.array(shares(game, everybody, chain, exact=False).shares, float)


@lean
def lay(board, rolls, start, number):
    """Begin a round with its next roll, or its first if ``number`` is 0; returns the number of ways to roll it."""
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
    """Make the move of the player to move; a challenge adds ``ways`` to the round's end."""
    take(board, action, rules)
    if not board.rolled:
        ends[board.paid, WINS if board.right and action == EXACT else LOSES] += ways
