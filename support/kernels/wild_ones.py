"""Wild ones, compiled: whole games among policies that are written out as tables.

Plain counterpart: ``support.agents.wild_ones.play`` with ``Stream(seed, game)`` plays the same games.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit

from support.agents.wild_ones import DRAWS, PICK_BITS, Views
from support.games.rolls import FACES
from support.games.wild_ones import WildOnes, allowed, bid_of
from support.kernels.dice import S61, SHIFT, next_player, roll_hand, seat, showing
from support.kernels.splitmix import mix, step, stream

__all__ = ["Games", "play"]

EXACT = 1  # the number of the action; that of liar is 0
REST = np.uint64((1 << int(S61)) - 1)
PICK, PICK_SHIFT = np.uint64(PICK_BITS), np.uint64(64 - PICK_BITS)
S5, S10, S20 = np.uint64(5), np.uint64(10), np.uint64(20)
PAIRS = np.uint64(0x3F003F003F)
LOW, MIDDLE, HIGH = np.uint64(0x3F), np.uint64(0x3F << 6), np.uint64(0x3F << 12)


class Games(NamedTuple):
    """What came out of a run of games.

    Attributes:
        places: uint8[games, players], the place of each player, in the order of the policies: 1 is the winner.
        rounds: int64[games].
        decisions: int64[games], of all players together.
    """

    places: np.ndarray
    rounds: np.ndarray
    decisions: np.ndarray


def play(game: WildOnes, tables: Sequence[np.ndarray], games: int, seed: int, start: int = 0) -> Games:
    """Play games ``start`` to ``start + games`` of the sequence that ``seed`` names; players are seated anew for each.

    The interpreter's lock is released meanwhile. Every game ends with probability one: bids rise until somebody must
    challenge, a liar costs somebody a die, and nobody who does not see all dice can be sure of being exact.

    Args:
        game: the rules.
        tables: one policy a player, as ``support.agents.wild_ones.table`` writes it, with or without neighbours.
        games: how many to play.
        seed: 64 bits; game n has a stream of its own.
        start: the number of the first game, so that a run can be cut into pieces that give the same digits.

    Raises:
        ValueError: not one table a player, a table of another shape, or one with an action that is not legal.
    """
    if len(tables) != game.num_players:
        raise ValueError(f"{game.num_players} players need as many tables, not {len(tables)}")
    for table in tables:
        _require_legal(game, table)
    rules = _rules(game)
    firsts = np.cumsum([0, *(table.size for table in tables)])[:-1]
    sides = np.array([table.shape[1] for table in tables])
    written = np.concatenate([table.ravel() for table in tables])
    out = Games(np.empty((games, len(tables)), np.uint8), np.empty(games, np.int64), np.empty(games, np.int64))
    _play(written, firsts, sides, rules, game.dice, np.uint64(seed), np.uint64(start), *out)
    return out


class _Rules(NamedTuple):
    """What the rules generate, prepared.

    Attributes:
        hands: int16[2^18], the number of a hand by its counts of each face, three bits a face.
        legal: int16[total + 1, bid, k], the numbers of the actions that are legal at a last bid, in their order.
        choices: int64[total + 1, bid], how many there are.
        quantity, face: int64[bid], of a bid by its number; 0 is no bid, and faces count from 0.
        num_hands: how many hands there are.
    """

    hands: np.ndarray
    legal: np.ndarray
    choices: np.ndarray
    quantity: np.ndarray
    face: np.ndarray
    num_hands: int


@cache
def _rules(game: WildOnes) -> _Rules:
    views = Views(game)
    hands = np.full(1 << 3 * FACES, -1, np.int16)
    for number, hand in enumerate(views.hands):
        hands[sum(1 << 3 * (face - 1) for face in hand)] = number
    bids = [None, *(bid_of(game.action(number)) for number in range(2, game.num_actions))]
    legal = np.full((game.most + 1, len(bids), game.num_actions), -1, np.int16)
    choices = np.zeros(legal.shape[:2], np.int64)
    for total in range(2, game.most + 1):
        for number, bid in enumerate(bids):
            if bid is None or bid[0] <= total:
                actions = [game.number(action) for action in allowed(total, bid)]
                legal[total, number, : len(actions)], choices[total, number] = actions, len(actions)
    quantity, face = np.array([(bid[0], bid[1] - 1) if bid else (0, 0) for bid in bids]).T
    return _Rules(hands, legal, choices, quantity.copy(), face.copy(), len(views.hands))


@cache
def _masks(game: WildOnes) -> np.ndarray:
    """bool[total + 1, bid, action + 1]: which entries of a table are allowed; the last is ``DRAWS``."""
    rules = _rules(game)
    masks = np.zeros((*rules.choices.shape, game.num_actions + 1), bool)
    for total, bid in np.argwhere(rules.choices):
        masks[total, bid, rules.legal[total, bid, : rules.choices[total, bid]]] = True
        masks[total, bid, DRAWS] = True
    return masks


@cache
def _reached(views: Views) -> np.ndarray:
    return np.argwhere(views.reached).T


def _require_legal(game: WildOnes, table: np.ndarray) -> None:
    """Raise an error unless a table holds something legal wherever a game can lead."""
    shapes = [Views(game, neighbours).shape for neighbours in (False, True)]
    if table.shape not in shapes or table.dtype != np.int16:
        known = " or ".join(str(list(shape)) for shape in shapes)
        raise ValueError(f"a table must be int16 of the shape {known}, not {table.dtype}{list(table.shape)}")
    views = Views(game, table.shape == shapes[1])
    places = _reached(views)
    entries = table[tuple(places)]
    inside = (entries >= DRAWS) & (entries < game.num_actions)
    right = inside & _masks(game)[places[0], places[3], np.where(inside, entries, DRAWS)]
    if not right.all():
        worst = int(np.argmin(right))
        view = views.view(places[:, worst])
        entry = int(entries[worst])
        shown = game.action(entry) if 0 <= entry < game.num_actions else entry
        raise ValueError(f"a table plays {shown} at {view}; legal are {', '.join(view.legal())}")


@njit(inline="always")
def _packed(hand):
    """A hand with three bits a face instead of eight."""
    pairs = (hand | (hand >> S5)) & PAIRS
    return (pairs & LOW) | ((pairs >> S10) & MIDDLE) | ((pairs >> S20) & HIGH)


@njit(inline="always")
def _pick(choices, state):
    """A number from 0 to choices - 1, of which there may be more than ``below`` can draw from."""
    state = step(state)
    return np.int64(((mix(state) >> PICK_SHIFT) * np.uint64(choices)) >> PICK), state


@njit(inline="always")
def _seat_all(seats, state):
    """Write a random order of the players into ``seats``; returns the stream's next state."""
    state = step(state)
    rest = mix(state) >> SHIFT
    for player in range(seats.size):
        seats[player] = player
    for last in range(seats.size - 1, 0, -1):
        product = rest * np.uint64(last + 1)
        other, rest = np.int64(product >> S61), product & REST
        seats[last], seats[other] = seats[other], seats[last]
    return state


@njit(nogil=True, cache=True)
def _play(written, firsts, sides, rules, dice, seed, start, places, all_rounds, all_decisions):
    """Games one after the other; counts, hands and turns go by seats, tables and places by players."""
    numbers, legal, choices, quantities, faces, num_hands = rules
    players, bids = firsts.size, quantities.size
    counts, hands, seats = np.empty(players, np.int64), np.empty(players, np.int64), np.empty(players, np.int64)
    before, after = np.empty(players, np.int64), np.empty(players, np.int64)
    for game in range(all_rounds.size):
        state = _seat_all(seats, stream(seed, start + np.uint64(game)))
        counts[:] = dice
        total, alive, opener, rounds, decisions = players * dice, players, 0, 0, 0
        while alive > 1:
            rounds += 1
            seat(counts, after)
            table = np.uint64(0)
            for place in range(players):
                if counts[place]:
                    hand, state = roll_hand(counts[place], state)
                    hands[place] = numbers[_packed(hand)]
                    table += hand
                    before[after[place]] = place
            speaker, bidder, bid, action = opener, opener, 0, 0
            while True:
                decisions += 1
                player = seats[speaker]
                row = total
                if sides[player] > 1:
                    row = total * sides[player] + counts[before[speaker]] * (dice + 1) + counts[after[speaker]]
                action = np.int64(written[firsts[player] + (row * num_hands + hands[speaker]) * bids + bid])
                if action == DRAWS:
                    chosen = 0
                    if choices[total, bid] > 1:
                        chosen, state = _pick(choices[total, bid], state)
                    action = np.int64(legal[total, bid, chosen])
                if action <= EXACT:
                    break
                bid = action - 1
                bidder, speaker = speaker, after[speaker]
            face = faces[bid]
            there = showing(table, face) + (showing(table, 0) if face else 0)
            opener = speaker
            if action == EXACT and there == quantities[bid]:
                if counts[speaker] < dice:
                    counts[speaker] += 1
                    total += 1
                continue
            if action != EXACT and there < quantities[bid]:
                opener = bidder
            counts[opener] -= 1
            total -= 1
            if counts[opener] == 0:
                places[game, seats[opener]] = alive
                alive -= 1
                opener = next_player(opener, counts)
        places[game, seats[opener]] = 1
        all_rounds[game], all_decisions[game] = rounds, decisions
