"""Wild ones, compiled: whole games among policies that are written out as tables.

Plain counterpart: ``support.games.wild_ones.policies.play`` with ``Stream(seed, game)`` plays the same games.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from support.core.compiled import njit
from support.core.splitmix_fast import stream
from support.games.cups.digits_fast import next_player
from support.games.wild_ones.policies import DRAWS
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import (
    EXACT,
    deal,
    is_right,
    joined,
    pick,
    require_legal,
    row_of,
    rules_of,
    seat_all,
    settle,
)


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
        tables: one policy a player, as ``support.games.wild_ones.policies.table`` writes it, with or without
            neighbours.
        games: how many to play.
        seed: 64 bits; game n has a stream of its own.
        start: the number of the first game, so that a run can be cut into pieces that give the same digits.

    Raises:
        ValueError: not one table a player, a table of another shape, or one with an action that is not legal.
    """
    if len(tables) != game.num_players:
        raise ValueError(f"{game.num_players} players need as many tables, not {len(tables)}")
    for table in tables:
        require_legal(game, table)
    out = Games(np.empty((games, len(tables)), np.uint8), np.empty(games, np.int64), np.empty(games, np.int64))
    _play(joined(tables), rules_of(game), game.dice, np.uint64(seed), np.uint64(start), *out)
    return out


@njit(nogil=True, cache=True)
def _play(tables, rules, dice, seed, start, places, all_rounds, all_decisions):
    """Games one after the other; counts, hands and turns go by seats, tables and places by players."""
    written, firsts, sides = tables
    numbers, legal, choices, quantities, faces, num_hands = rules
    players, bids = firsts.size, quantities.size
    counts, hands, seats = np.empty(players, np.int64), np.empty(players, np.int64), np.empty(players, np.int64)
    before, after = np.empty(players, np.int64), np.empty(players, np.int64)
    for game in range(all_rounds.size):
        state = seat_all(seats, stream(seed, start + np.uint64(game)))
        counts[:] = dice
        total, alive, opener, rounds, decisions = players * dice, players, 0, 0, 0
        while alive > 1:
            rounds += 1
            shown, state = deal(counts, hands, before, after, numbers, state)
            speaker, bidder, bid, action = opener, opener, 0, 0
            while True:
                decisions += 1
                player = seats[speaker]
                row = row_of(sides[player], total, speaker, counts, before, after, dice)
                action = np.int64(written[firsts[player] + (row * num_hands + hands[speaker]) * bids + bid])
                if action == DRAWS:
                    chosen, state = pick(choices[total, bid], state)
                    action = np.int64(legal[total, bid, chosen])
                if action <= EXACT:
                    break
                bid = action - 1
                bidder, speaker = speaker, after[speaker]
            right = is_right(action, shown, faces[bid], quantities[bid])
            opener, change = settle(counts, speaker, bidder, action, right, dice)
            total += change
            if counts[opener] == 0:
                places[game, seats[opener]] = alive
                alive -= 1
                opener = next_player(opener, counts)
        places[game, seats[opener]] = 1
        all_rounds[game], all_decisions[game] = rounds, decisions
