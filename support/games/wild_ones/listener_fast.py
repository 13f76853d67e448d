"""The table that learns wild ones, compiled.

Plain counterpart: ``support.games.wild_ones.listener.ListenerLearner`` plays the same games, digit for digit.

Rows lie one after the other in the order in which they were met. A hash table by open addressing finds them; its
entries hold the whole key, so that no two information states can be taken for one another.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np

from support.core.compiled import njit
from support.core.splitmix_fast import GOLDEN, mix, stream
from support.games.cups.digits_fast import next_player
from support.games.wild_ones.listener import UNKNOWN, Keys, ListenerSettings, TableFullError
from support.games.wild_ones.listener_table import ListenerTable
from support.games.wild_ones.policies import DRAWS
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import (
    EXACT,
    Rules,
    deal_hands,
    is_right,
    joined,
    pick,
    require_legal,
    row_of,
    rules_of,
    seat_all,
    settle,
)

NOWHERE = -1
QUICK = {"nnan", "nsz"}  # no number is nan, and which zero one is does not matter: the same digits, several at a time
S32, LOW32, ONE, NOTHING = np.uint64(32), np.uint64((1 << 32) - 1), np.uint64(1), np.uint64(0)


class Evaluated(NamedTuple):
    """How the best known actions did.

    Attributes:
        places: uint8[games], of the agent: 1 is the winner.
        decisions: of the agent, in all games.
        unmet: how many of them were at information states that learning never met.
        met: bool[rows], which rows of what was learned play came to.
    """

    places: np.ndarray
    decisions: int
    unmet: int
    met: np.ndarray


class _Table(NamedTuple):
    """The table in memory.

    Attributes:
        entries: uint64[2^k, 2]: the bids; the place in the upper half and where the row begins, plus one, in the lower.
            Nothing is 0.
        counts, values: uint32 and float64, of actions, row after row.
        start_counts, start_values: int64 and float64, by the number of a beginning.
        used: int64[2], rows and actions so far.
    """

    entries: np.ndarray
    counts: np.ndarray
    values: np.ndarray
    start_counts: np.ndarray
    start_values: np.ndarray
    used: np.ndarray


class FastListenerLearner:
    """The agent, its table and its games, compiled.

    Args:
        game: the rules.
        tables: of all players but the agent, who is the last, as ``support.games.wild_ones.policies.table`` writes
            them.
        settings: what the agent goes by, and how it learns.
        seed: 64 bits; game n has a stream of its own.

    Attributes:
        played: games so far.

    Raises:
        ValueError: not one table an opponent, one that plays something illegal, or a game that is too large.
    """

    def __init__(self, game: WildOnes, tables: Sequence[np.ndarray], settings: ListenerSettings, seed: int):
        if len(tables) != game.num_players - 1:
            raise ValueError(f"{game.num_players} players are {game.num_players - 1} opponents, not {len(tables)}")
        for one in tables:
            require_legal(game, one)
        self.game, self.settings, self.seed, self.played = game, settings, seed, 0
        self._rules: Rules = rules_of(game)
        self._others = joined(tables)
        keys = Keys(game, settings)
        # Memory that is never touched is never taken, so that room for the widest rows costs nothing.
        self._table = _Table(
            np.zeros((2 << (settings.states - 1).bit_length(), 2), np.uint64),
            np.zeros(settings.states * game.num_actions, np.uint32),
            np.zeros(settings.states * game.num_actions, np.float64),
            np.zeros(keys.starts, np.int64),
            np.full(keys.starts, UNKNOWN),
            np.zeros(2, np.int64),
        )

    @classmethod
    def resumed(cls, learned: ListenerTable, tables: Sequence[np.ndarray]) -> "FastListenerLearner":
        """Go on where a learner was left; from all of its rows, to the very games and values that it would have had.

        Args:
            learned: what it had learned.
            tables: of the opponents.

        Raises:
            ValueError: as for a new one.
        """
        found = cls(learned.game, tables, learned.settings, learned.seed)
        found.played, own = learned.games, found._table
        own.used[:] = len(learned.places), len(learned.values)
        own.counts[: len(learned.counts)], own.values[: len(learned.values)] = learned.counts, learned.values
        own.start_counts[learned.starts] = learned.start_counts
        own.start_values[learned.starts] = learned.start_values
        _enter(own.entries, learned.places, learned.bids, learned.firsts)
        return found

    @property
    def states(self) -> int:
        """Rows so far."""
        return int(self._table.used[0])

    def train(self, games: int) -> np.ndarray:
        """Play the next games and learn. The interpreter's lock is released meanwhile.

        Returns:
            uint8[games], the agent's place in each.

        Raises:
            TableFullError: there is no room for what is met; what was learned before stays.
        """
        places = np.zeros(games, np.uint8)
        self._play(self.seed, self.played, places, True, np.zeros(0, np.bool_))
        done = int(np.count_nonzero(places))
        self.played += done
        if done < games:
            raise TableFullError(self.settings.states, self.played)
        return places

    def evaluate(self, games: int, seed: int, start: int = 0) -> Evaluated:
        """Play games by the best known actions, as ``ListenerTable.choose`` does, and learn nothing.

        Args:
            games: how many.
            seed: 64 bits; game n has the seats and dice of game n of ``support.games.wild_ones.play_fast.play``.
            start: the number of the first game.
        """
        places, met = np.zeros(games, np.uint8), np.zeros(int(self._table.used[1]), np.bool_)
        decisions, unmet = self._play(seed, start, places, False, met)
        return Evaluated(places, decisions, unmet, met[self._rows()[2]])

    def _play(self, seed: int, start: int, places: np.ndarray, learns: bool, met: np.ndarray) -> tuple[int, int]:
        settings = self.settings
        rule = (
            settings.all_bids,
            settings.who_is_who,
            float(settings.curiosity),
            float(settings.recency),
            settings.states,
        )
        numbers = np.uint64(seed), np.uint64(start)
        decisions, unmet = _play(
            self._table, self._others, self._rules, self.game.dice, rule, *numbers, places, learns, met
        )
        return int(decisions), int(unmet)

    def _rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The places, bids and beginnings of all rows, sorted."""
        entries = self._table.entries[self._table.entries[:, 1] > NOTHING]
        places, firsts = entries[:, 1] >> S32, (entries[:, 1] & LOW32) - ONE
        order = np.lexsort((entries[:, 0], places))
        return places[order].astype(np.uint32), entries[order, 0], firsts[order].astype(np.int64)

    def learned(self) -> ListenerTable:
        """All rows and beginnings so far."""
        places, bids, firsts = self._rows()
        inner = np.sort(firsts)
        ends = np.append(inner[1:], self._table.used[1])[np.searchsorted(inner, firsts)]
        spans = [np.arange(first, end) for first, end in zip(firsts, ends, strict=True)]
        actions = np.concatenate(spans) if spans else np.zeros(0, np.int64)
        starts = np.flatnonzero(self._table.start_counts)
        return ListenerTable(
            self.game,
            self.settings,
            self.seed,
            self.played,
            places,
            bids,
            np.concatenate([[0], np.cumsum(ends - firsts)]).astype(np.int64),
            self._table.counts[actions],
            self._table.values[actions],
            starts,
            self._table.start_counts[starts],
            self._table.start_values[starts],
        )


@njit(inline="always")
def _find(entries, place, bids):
    """The entry of a key, or the free one where it belongs."""
    last = entries.shape[0] - 1
    entry = np.int64(mix(bids * GOLDEN + place) & np.uint64(last))
    while entries[entry, 1] and (entries[entry, 0] != bids or entries[entry, 1] >> S32 != place):
        entry = (entry + 1) & last
    return entry


@njit(cache=True)
def _enter(entries, places, bids, firsts):
    """Write the entries of given rows."""
    for row in range(places.size):
        place = np.uint64(places[row])
        entry = _find(entries, place, bids[row])
        entries[entry, 0], entries[entry, 1] = bids[row], (place << S32) | np.uint64(firsts[row] + 1)


@njit(inline="always")
def _ring(counts, seats, own, opener, dice, who_is_who):
    """The number of the ring, and the turn of who opens."""
    players = counts.size
    ring, turn, opens, place = counts[own], 1, 0, own
    for _ in range(players - 1):
        place = place + 1 if place + 1 < players else 0
        if counts[place]:
            if place == opener:
                opens = turn
            ring = (ring * (dice + 1) + counts[place]) * players + (seats[place] if who_is_who else 0)
            turn += 1
    for _ in range(players - turn):
        ring *= (dice + 1) * players
    return ring, opens


@njit(fastmath=QUICK)
def _highest(values, first, end):
    """The highest of some numbers, none of which is below 0."""
    top = 0.0
    for place in range(first, end):
        top = values[place] if values[place] > top else top
    return top


@njit(inline="always")
def _best(counts, values, first, choices):
    """The place of the highest value among the actions that were taken; the first of equals."""
    top, slot = _highest(values, first, first + choices), first  # the value of one never taken is 0
    while values[slot] != top or counts[slot] == 0:
        slot += 1
    return slot - first


@njit(fastmath=QUICK)
def _weigh(counts, values, first, choices, curiosity, worth):
    """What each action is worth to a curious agent."""
    visits, top = 0, _highest(values, first, first + choices)
    for slot in range(first, first + choices):
        visits += counts[slot]
    bonus = curiosity * sqrt(np.float64(visits))
    for place in range(choices):
        count = counts[first + place]
        worth[place] = (values[first + place] if count else top) + bonus / np.float64(count + 1)


@njit(inline="always")
def _wanted(counts, values, first, choices, curiosity, worth):
    """The place of the action to learn from next; the first of equals."""
    _weigh(counts, values, first, choices, curiosity, worth)
    most, place = _highest(worth, 0, choices), 0
    while worth[place] != most:
        place += 1
    return place


@njit(inline="always")
def _find_or_add(entries, used, where, said, choices, states):
    """Where the row of an information state begins; ``NOWHERE`` if there is none.

    A new row is added as long as there are fewer than ``states``.
    """
    entry = _find(entries, where, said)
    first = np.int64(entries[entry, 1] & LOW32) - 1
    if first == NOWHERE and used[0] < states:
        first = used[1]
        used[0] += 1
        used[1] += choices
        entries[entry, 0], entries[entry, 1] = said, (where << S32) | np.uint64(first + 1)
    return first


@njit(inline="always")
def _step(visits, recency):
    """How far a visit moves a value."""
    return (recency + 1.0) / (recency + visits)


@njit(inline="always")
def _learn(counts, values, made, depth, worth, recency):
    """What a round that is over says about its decisions, the last one first; returns what its beginning is worth."""
    for number in range(depth - 1, -1, -1):
        first = made[number, 0]
        slot = first + made[number, 2]
        counts[slot] += np.uint32(1)
        values[slot] += _step(counts[slot], recency) * (worth - values[slot])
        worth = _highest(values, first, first + made[number, 1])
    return worth


@njit(nogil=True, cache=True)
def _play(table, others, rules, dice, rule, seed, start, places, learns, met):
    """Games one after the other, until the table is full; counts, hands and turns go by seats."""
    all_bids, who_is_who, curiosity, recency, states = rule
    entries, row_counts, row_values, start_counts, start_values, used = table
    written, firsts, sides = others
    numbers, legal, choices, quantities, faces, num_hands, _ = rules
    players, bids = firsts.size + 1, quantities.size
    agent, decisions, unmet = players - 1, 0, 0
    counts, hands, seats = np.empty(players, np.int64), np.empty(players, np.int64), np.empty(players, np.int64)
    before, after = np.empty(players, np.int64), np.empty(players, np.int64)
    worths = np.empty(bids + 1)
    made = np.empty((bids, 3), np.int64)  # of the round: where the row begins, its choices, the one that was made
    for game in range(places.size):
        state = seat_all(seats, stream(seed, start + np.uint64(game)))
        counts[:] = dice
        total, alive, opener, own = players * dice, players, 0, 0
        while seats[own] != agent:
            own += 1
        ring, opens = _ring(counts, seats, own, opener, dice, who_is_who)
        while places[game] == 0:
            begins, depth, said = ring * players + opens, 0, NOTHING
            shown, state = deal_hands(counts, hands, before, after, numbers, state)
            speaker, bidder, bid, action = opener, opener, 0, 0
            while True:
                player, kinds = seats[speaker], choices[total, bid]
                if player != agent:
                    row = row_of(sides[player], total, speaker, counts, before, after, dice)
                    action = np.int64(written[firsts[player] + (row * num_hands + hands[speaker]) * bids + bid])
                    if action == DRAWS:
                        chosen, state = pick(choices[total, bid], state)
                        action = np.int64(legal[total, bid, chosen])
                else:
                    where = np.uint64((begins if all_bids else ring) * num_hands + hands[speaker])
                    if not all_bids:
                        said = ONE << np.uint64(bid - 1) if bid else NOTHING
                    first, chosen = _find_or_add(entries, used, where, said, kinds, states if learns else 0), 0
                    if learns:
                        if first == NOWHERE:
                            return decisions, unmet
                        chosen = _wanted(row_counts, row_values, first, kinds, curiosity, worths)
                        made[depth, 0], made[depth, 1], made[depth, 2] = first, kinds, chosen
                        depth += 1
                    elif first == NOWHERE:
                        unmet += 1
                    else:
                        met[first] = True
                        chosen = _best(row_counts, row_values, first, kinds)
                    decisions += 1
                    action = np.int64(legal[total, bid, chosen])
                if action <= EXACT:
                    break
                bid = action - 1
                said |= ONE << np.uint64(bid - 1)
                bidder, speaker = speaker, after[speaker]
            right = is_right(action, shown, faces[bid], quantities[bid])
            opener, change = settle(counts, speaker, bidder, action, right, dice)
            total += change
            if counts[opener] == 0:
                if opener == own:
                    places[game] = alive
                else:
                    alive -= 1
                    places[game] = 1 if alive == 1 else 0
                opener = next_player(opener, counts)
            worth = 0.0
            if counts[own]:
                ring, opens = _ring(counts, seats, own, opener, dice, who_is_who)
                worth = 1.0 if alive == 1 else start_values[ring * players + opens]
            if learns:
                worth = _learn(row_counts, row_values, made, depth, worth, recency)
                start_counts[begins] += 1
                start_values[begins] += _step(start_counts[begins], recency) * (worth - start_values[begins])
    return decisions, unmet
