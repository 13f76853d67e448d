"""Learning wild ones by notes and plans, compiled: the games of ``support.games.wild_ones.notes.play``."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from support.core.compiled import njit
from support.core.splitmix_fast import stream
from support.games.cups.digits_fast import roll_hand
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.ceiling_fast import flatten
from support.games.wild_ones.ceiling.chain import LOSES, WINS
from support.games.wild_ones.notes import Notes
from support.games.wild_ones.policies import DRAWS, Views
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import EXACT, is_right, packed, require_legal, rules_of, seat_all

LIAR, LOST = 0, -1


class Played(NamedTuple):
    """What came out of some games.

    Attributes:
        places: uint8[games], of the player that plans.
        surprised: bool[games], whether a bid was made that the plan did not expect, and the player had to answer one.
    """

    places: np.ndarray
    surprised: np.ndarray


class Stage(NamedTuple):
    """Where learning stands when a plan is made.

    Attributes:
        games: that have been played and written down.
        seen: of how many views it is known what each opponent does there.
        plan: by which play goes on.
    """

    games: int
    seen: tuple[int, ...]
    plan: Ceiling


def learn(game: WildOnes, tables: Sequence[np.ndarray], marks: Sequence[int], seed: int) -> Iterator[Stage]:
    """Play, write down, and plan anew at some marks.

    Args:
        game: the rules.
        tables: of the opponents, players 1, 2, ...
        marks: after how many games to plan anew; they rise. The first plan is made before anything is known.
        seed: 64 bits; game n has a stream of its own.

    Yields:
        What each plan is based on, the first before any game and the last at the last mark.

    Raises:
        ValueError: marks that do not rise, or as :func:`play`.
    """
    if any(mark <= before for before, mark in zip([0, *marks], marks, strict=False)):
        raise ValueError(f"marks must rise from 1, not be {', '.join(map(str, marks))}")
    notes, done = Notes(game), 0
    yield Stage(0, notes.seen, plan := notes.plan())
    for mark in marks:
        play(plan, tables, mark - done, seed, done, notes)
        done = mark
        yield Stage(done, notes.seen, plan := notes.plan())


def play(
    plan: Ceiling, tables: Sequence[np.ndarray], games: int, seed: int, start: int = 0, notes: Notes | None = None
) -> Played:
    """Play games by a plan, until the player is out or has won.

    Args:
        plan: of ``Notes.plan``, what player 0 goes by.
        tables: of the opponents, players 1, 2, ..., as ``support.games.wild_ones.policies.table`` writes them.
        games: how many.
        seed: 64 bits; game n has a stream of its own.
        start: the number of the first game.
        notes: where to write down what the opponents do.

    Raises:
        ValueError: not one table an opponent, one that draws, looks at neighbours or plays something illegal, or a plan
            that does not tell the opponents apart.
    """
    game, opponents = plan.game, plan.game.num_players - 1
    if len(tables) != opponents:
        raise ValueError(f"{opponents + 1} players are {opponents} opponents, not {len(tables)}")
    if plan.kinds != tuple(range(opponents + 1)):
        raise ValueError("the plan does not tell the opponents apart; Notes.plan does")
    views = Views(game)
    for one in tables:
        require_legal(game, one)
        if one.shape != views.shape or (one == DRAWS).any():
            raise ValueError("an opponent draws or looks at its neighbours; notes have no room for that")
    rules = rules_of(game)
    first_hand = np.searchsorted([len(hand) for hand in views.hands], np.arange(game.dice + 2))
    written = np.stack([one.ravel() for one in tables])
    memory = np.zeros((0, 0), np.int16) if notes is None else notes.entries.reshape(written.shape)
    found = Played(np.zeros(games, np.uint8), np.zeros(games, np.bool_))
    _play(
        flatten(plan),
        written,
        memory,
        first_hand,
        rules,
        np.uint64(seed),
        np.uint64(start),
        *found,
    )
    return found


@njit(nogil=True, cache=True)
def _play(flat, written, memory, first_hand, rules, seed, start, places, surprised):
    """Games one after the other; hands go by turns. Notes are written at once; nobody reads them during a round."""
    players, bids, num_hands = written.shape[0] + 1, rules.quantity.size, rules.num_hands
    seats, hands = np.empty(players, np.int64), np.empty(players, np.int64)
    for game in range(places.size):
        state = seat_all(seats, stream(seed, start + np.uint64(game)))
        me = 0
        while seats[me]:
            me += 1
        code, power = 0, 1
        for step in range(players):
            code += seats[(me + step) % players] * power
            power *= players
        ring, opener, low = flat.starts[code], (players - me) % players, players - me  # low: the turn of the first seat
        while True:
            size = flat.players[ring]
            total, shown = 0, np.uint64(0)
            for number in range(low, low + size):
                place = number % size
                hand, state = roll_hand(flat.counts[ring, place], state)
                hands[place] = rules.hands[packed(hand)]
                shown += hand
                total += flat.counts[ring, place]
            turn, bid, action, node = opener, 0, 0, flat.roots[ring, opener]
            while True:
                if turn == 0 and node == LOST:
                    surprised[game] = True
                    action = LIAR
                elif turn == 0:
                    action = flat.chosen[flat.decided[node] + hands[0] - first_hand[flat.counts[ring, 0]]]
                else:
                    opponent, view = flat.kinds[ring, turn] - 1, (total * num_hands + hands[turn]) * bids + bid
                    action = np.int64(written[opponent, view])
                    if memory.size:
                        memory[opponent, view] = action
                if action <= EXACT:
                    break
                if node != LOST:
                    edge, end = flat.first[node], flat.first[node + 1]
                    while edge < end and flat.action[edge] != action:
                        edge += 1
                    node = flat.child[edge] if edge < end else LOST
                bid, turn = action - 1, (turn + 1) % size
            right = is_right(action, shown, rules.face[bid], rules.quantity[bid])
            change = WINS if right and action == EXACT else LOSES
            if right and action != EXACT:
                turn = (turn - 1) % size
            if change == LOSES and flat.counts[ring, turn] == 1 and (turn == 0 or size == 2):
                places[game] = size if turn == 0 else 1
                break
            if change == LOSES and flat.counts[ring, turn] == 1 and turn < low:
                low -= 1
            ring, opener = flat.then[ring, turn, change], flat.opener[ring, turn, change]
