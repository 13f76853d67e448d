"""The best player of wild ones, played: whole games, dice and all, with the decisions of ``ceiling``.

The opponents play from their tables; the player that decides walks the unfolded rounds. So what the values promise can
be counted. Seats and random numbers are those of ``support.games.wild_ones.play_fast``, but hands are rolled in the
order of the turns from the player that decides.
"""

from typing import NamedTuple

import numpy as np

from support.core.compiled import njit
from support.core.splitmix_fast import stream
from support.games.cups.digits_fast import roll_hand
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.chain import LOSES, WINS, after
from support.games.wild_ones.policies import Views
from support.games.wild_ones.rules_fast import EXACT, is_right, packed, rules_of, seat_all

OUT = -1
"""In place of a ring: the player has no dice, or nobody else has."""


def simulate(ceiling: Ceiling, games: int, seed: int, start: int = 0) -> np.ndarray:
    """Play games against the fixed opponents; players are seated anew for each.

    Args:
        ceiling: whose decisions are played; the opponents must not draw.
        games: how many to play.
        seed: 64 bits; game n has a stream of its own.
        start: the number of the first game.

    Returns:
        uint8[games], the place of the player that decides.

    Raises:
        ValueError: an opponent that draws.
    """
    if any((np.asarray(table) == -1).any() for table in ceiling.tables):
        raise ValueError("an opponent draws among actions; only those who never do are played here")
    found = np.empty(games, np.uint8)
    views = Views(ceiling.game)
    sizes = np.array([len(hand) for hand in views.hands])
    first_hand = np.searchsorted(sizes, np.arange(ceiling.game.dice + 2))
    flat = flatten(ceiling)
    kinds = np.array(ceiling.kinds)
    _simulate(flat, first_hand, rules_of(ceiling.game), kinds, np.uint64(seed), np.uint64(start), found)
    return found


class _Flat(NamedTuple):
    """All rounds in one row.

    Attributes:
        kinds, counts: int64[rings, turns], of the players of a ring.
        players: int64[rings], how many they are.
        roots: int64[rings, turns], the node at which each turn opens.
        then, opener: int64[rings, turns, 2], the ring of the next round and who opens it, by who lost or won a die.
        turn: int64[nodes], whose it is.
        first: int64[nodes + 1], where the edges of a node begin.
        action, child: int64[edges], the action and the node after it; -1 after a challenge.
        chosen: int64[...], the action of each node and hand of the player that decides.
        decided: int64[nodes], where those of a node begin.
        tables: int16[...], of the opponents.
        table: int64[kinds + 1], where each begins.
        sides: int64[kinds + 1], how many neighbours it tells apart.
        starts: int64[...], the ring of each order of kinds, as digits to the base of the number of players.
    """

    kinds: np.ndarray
    counts: np.ndarray
    players: np.ndarray
    roots: np.ndarray
    then: np.ndarray
    opener: np.ndarray
    turn: np.ndarray
    first: np.ndarray
    action: np.ndarray
    child: np.ndarray
    chosen: np.ndarray
    decided: np.ndarray
    tables: np.ndarray
    table: np.ndarray
    sides: np.ndarray
    starts: np.ndarray
    dice: int


def flatten(ceiling: Ceiling) -> _Flat:
    """The rounds of a ceiling and its best decisions as arrays, for compiled play."""
    game, most = ceiling.game, ceiling.game.num_players
    rings = {key: number for number, key in enumerate(ceiling.rounds)}
    shape = (len(rings), most)
    kinds, counts, roots = (np.full(shape, OUT, np.int64) for _ in range(3))
    then, opener = np.full((*shape, 2), OUT, np.int64), np.zeros((*shape, 2), np.int64)
    turns: list[int] = []
    actions: list[int] = []
    chosen: list[int] = []
    firsts, children, decided = [0], [], []
    starts = np.full(most**most, OUT, np.int64)
    for key, number in rings.items():
        unfolded, base = ceiling.rounds[key], len(turns)
        size = unfolded.players
        kinds[number, :size], counts[number, :size] = key
        roots[number, :size] = base + np.array(unfolded.roots)
        for turn in range(size):
            for change in (LOSES, WINS):
                later = after(unfolded.start, turn, change, game.dice)
                if later[:2] in rings:
                    then[number, turn, change], opener[number, turn, change] = rings[later[:2]], later.opener
        if key[1] == (game.dice,) * most:
            starts[sum(kind * most**place for place, kind in enumerate(key[0]))] = number
        edge = len(actions)
        turns += [node[0] for node in unfolded.nodes]
        firsts += (edge + unfolded.first[1:]).tolist()
        actions += unfolded.action.tolist()
        children += [child + base if child >= 0 else OUT for child in unfolded.child.tolist()]
        for node in range(len(unfolded.nodes)):
            decided.append(len(chosen))
            if unfolded.nodes[node][0] == 0:
                chosen += unfolded.action[unfolded.first[node] + ceiling.chosen[key][node]].tolist()
    tables = [np.zeros((1, 1, 1, 1), np.int16), *ceiling.tables]
    return _Flat(
        kinds=kinds,
        counts=counts,
        players=np.array([len(key[0]) for key in rings]),
        roots=roots,
        then=then,
        opener=opener,
        turn=np.array(turns),
        first=np.array(firsts),
        action=np.array(actions),
        child=np.array(children),
        chosen=np.array(chosen),
        decided=np.array(decided),
        tables=np.concatenate([table.ravel() for table in tables]),
        table=np.cumsum([0, *(table.size for table in tables)])[:-1],
        sides=np.array([table.shape[1] for table in tables]),
        starts=starts,
        dice=game.dice,
    )


@njit(nogil=True, cache=True)
def _simulate(flat, first_hand, rules, kinds, seed, start, found):
    """Games one after the other; hands go by turns."""
    players, bids, num_hands = kinds.size, rules.quantity.size, rules.num_hands
    seats, hands = np.empty(players, np.int64), np.empty(players, np.int64)
    for game in range(found.size):
        state = seat_all(seats, stream(seed, start + np.uint64(game)))
        me = 0
        while seats[me]:
            me += 1
        code, power = 0, 1
        for step in range(players):
            code += kinds[seats[(me + step) % players]] * power
            power *= players
        ring, opener = flat.starts[code], (players - me) % players
        while True:
            size = flat.players[ring]
            total, shown = 0, np.uint64(0)
            for place in range(size):
                hand, state = roll_hand(flat.counts[ring, place], state)
                hands[place] = rules.hands[packed(hand)]
                shown += hand
                total += flat.counts[ring, place]
            turn, bid, action, node = opener, 0, 0, flat.roots[ring, opener]
            while True:
                if turn == 0:
                    own = hands[0] - first_hand[flat.counts[ring, 0]]
                    action = flat.chosen[flat.decided[node] + own]
                else:
                    kind, row = flat.kinds[ring, turn], total
                    if flat.sides[kind] > 1:
                        before, next_one = flat.counts[ring, turn - 1], flat.counts[ring, (turn + 1) % size]
                        row = total * flat.sides[kind] + before * (flat.dice + 1) + next_one
                    action = np.int64(flat.tables[flat.table[kind] + (row * num_hands + hands[turn]) * bids + bid])
                if action <= EXACT:
                    break
                edge = flat.first[node]
                while flat.action[edge] != action:
                    edge += 1
                node, bid, turn = flat.child[edge], action - 1, (turn + 1) % size
            right = is_right(action, shown, rules.face[bid], rules.quantity[bid])
            change = WINS if right and action == EXACT else LOSES
            if right and action != EXACT:
                turn = (turn - 1) % size
            if change == LOSES and flat.counts[ring, turn] == 1 and (turn == 0 or size == 2):
                found[game] = size if turn == 0 else 1
                break
            ring, opener = flat.then[ring, turn, change], flat.opener[ring, turn, change]
