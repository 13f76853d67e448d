"""The table that learns wild ones, compiled.

Plain counterpart: ``support.games.wild_ones.listener.ListenerLearner`` plays the same games, digit for digit.

Rows are stored in the order in which they were met. A hash table with open addressing finds them; its entries hold the
whole key, so no two information states can be confused.
"""

from collections.abc import Sequence
from dataclasses import asdict
from math import sqrt
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean
from support.core.splitmix_fast import GOLDEN, mix, stream
from support.games.wild_ones.ceiling.rolls_fast import lay, places_after, require_rolls, rolls_of, speak
from support.games.wild_ones.listener import UNKNOWN, Keys, ListenerSettings, TableFullError
from support.games.wild_ones.listener_table import ListenerTable
from support.games.wild_ones.policies import require_opponents
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import BOARD, EXACT, begin, deal, joined, reply, require_legal, rules_of, take

NOWHERE = -1
QUICK = {"nnan", "nsz"}  # there are no NaNs, and the sign of zero does not matter: the same digits, vectorised
S32, LOW32, ONE, NOTHING = np.uint64(32), np.uint64((1 << 32) - 1), np.uint64(1), np.uint64(0)


class Evaluated(NamedTuple):
    """The results of games by the best known actions.

    Attributes:
        places: uint8[games], the agent's places; 1 is the winner.
        decisions: the number of the agent's decisions in all games.
        unmet: how many of them were in information states that learning never met.
    """

    places: np.ndarray
    decisions: int
    unmet: int


class Worth(NamedTuple):
    """The computed results of the best known actions.

    Attributes:
        places: float64[players], how often the agent comes first, second, ...
        met: bool[rows], the learned rows that they lead to from any beginning of a round.
    """

    places: np.ndarray
    met: np.ndarray


class _Table(NamedTuple):
    """The table in memory.

    Attributes:
        entries: uint64[2^k, 2]: the bids; the place in the upper half and where the row begins, plus one, in the lower.
            Nothing is 0.
        counts, values: uint32 and float64, of actions, row after row.
        start_counts, start_values: int64 and float64, by the number of a beginning.
        used: int64[2], rows and actions so far.
        worth: float64[actions], room for the values of a row's actions.
        made: int64[actions, 3], room for the decisions of a round: where the row begins, its choices, the one made.
    """

    entries: np.ndarray
    counts: np.ndarray
    values: np.ndarray
    start_counts: np.ndarray
    start_values: np.ndarray
    used: np.ndarray
    worth: np.ndarray
    made: np.ndarray


class _Rows(NamedTuple):
    """The place and the bids of each row, and where its actions begin and end."""

    places: np.ndarray
    bids: np.ndarray
    firsts: np.ndarray
    ends: np.ndarray


class _Conduct(NamedTuple):
    """``ListenerSettings`` for the kernel."""

    all_bids: bool
    who_is_who: bool
    curiosity: float
    recency: float
    states: int


class FastListenerLearner:
    """The plain ``ListenerLearner``, compiled, with tables in place of policies.

    Attributes:
        played: the number of games so far.

    Raises:
        ValueError: there is not one table for each opponent, or a table plays something illegal.
        DoesNotFitError: the game is too large.
    """

    def __init__(self, game: WildOnes, tables: Sequence[np.ndarray], settings: ListenerSettings, seed: int):
        require_opponents(game, tables)
        for one in tables:
            require_legal(game, one)
        self.game, self.settings, self.seed, self.played = game, settings, seed, 0
        self._tables = list(tables)
        keys = Keys(game, settings)
        # Room for the widest rows costs nothing, because the system provides memory only when it is touched.
        self._table = _Table(
            np.zeros((2 << (settings.states - 1).bit_length(), 2), np.uint64),
            np.zeros(settings.states * game.num_actions, np.uint32),
            np.zeros(settings.states * game.num_actions, np.float64),
            np.zeros(keys.starts, np.int64),
            np.full(keys.starts, UNKNOWN),
            np.zeros(2, np.int64),
            np.empty(game.num_actions),
            np.empty((game.num_actions, 3), np.int64),
        )

    @property
    def states(self) -> int:
        """The number of rows so far."""
        return int(self._table.used[0])

    def train(self, games: int) -> np.ndarray:
        """Play the next games and learn. The interpreter's lock is released meanwhile.

        Returns:
            uint8[games], the agent's place in each.

        Raises:
            TableFullError: there are more information states than rows; what was learned before stays.
        """
        places = np.zeros(games, np.uint8)
        self._play(self.seed, self.played, places, True)
        done = int(np.count_nonzero(places))
        self.played += done
        if done < games:
            raise TableFullError(self.settings.states, self.played)
        return places

    def evaluate(self, games: int, seed: int, start: int = 0) -> Evaluated:
        """Play games by the best known actions, as ``ListenerTable.choose`` does, without learning.

        Args:
            games: the number of games.
            seed: 64 bits; game n has the seats and dice of game n of ``support.games.wild_ones.play_fast.play``.
            start: the number of the first game.
        """
        places = np.zeros(games, np.uint8)
        return Evaluated(places, *self._play(seed, start, places, False))

    def worth(self) -> Worth:
        """The limit of :meth:`evaluate`, computed by playing each round with each roll.

        Raises:
            DoesNotFitError: there are too many rolls, or an opponent draws.
        """
        require_rolls(self.game, self._tables)
        rolls, met = rolls_of(self.game), np.zeros(int(self._table.used[1]), np.bool_)
        ends = np.zeros((*rolls.seats.shape, 2))
        conduct, boards = _Conduct(**asdict(self.settings)), np.zeros(1, BOARD)
        _walk(self._table, joined(self._tables), rules_of(self.game), conduct, rolls, boards, ends, met)
        return Worth(places_after(self.game, ends)[-1], met[self._rows().firsts])

    def _play(self, seed: int, start: int, places: np.ndarray, learns: bool) -> tuple[int, int]:
        conduct, board = _Conduct(**asdict(self.settings)), np.zeros(1, BOARD)
        numbers, tables = (np.uint64(seed), np.uint64(start)), joined(self._tables)
        decisions, unmet = _play(self._table, tables, rules_of(self.game), conduct, *numbers, board, places, learns)
        return int(decisions), int(unmet)

    def _rows(self) -> _Rows:
        """All rows, sorted, without those from a round that a full table cut off: nothing was learned there."""
        entries = self._table.entries[self._table.entries[:, 1] > NOTHING]
        places, firsts = entries[:, 1] >> S32, ((entries[:, 1] & LOW32) - ONE).astype(np.int64)
        inner = np.sort(firsts)
        row = np.searchsorted(inner, firsts)
        taken = (
            np.add.reduceat(self._table.counts[: self._table.used[1]], inner, dtype=np.int64) if inner.size else inner
        )
        order = np.lexsort((entries[:, 0], places))
        order = order[taken[row[order]] > 0]
        ends = np.append(inner[1:], self._table.used[1])[row]
        return _Rows(places[order].astype(np.uint32), entries[order, 0], firsts[order], ends[order])

    def learned(self) -> ListenerTable:
        """All rows and beginnings so far."""
        places, bids, firsts, ends = self._rows()
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


@lean
def _ring(board, own, who_is_who, dice):
    """The number of the ring, and the turn of the opener."""
    players, counts = board.players, board.counts
    ring, turn, opens, place = counts[own], 1, 0, own
    for _ in range(players - 1):
        place = place + 1 if place + 1 < players else 0
        if counts[place]:
            if place == board.opener:
                opens = turn
            ring = (ring * (dice + 1) + counts[place]) * players + (board.seats[place] if who_is_who else 0)
            turn += 1
    for _ in range(players - turn):
        ring *= (dice + 1) * players
    return ring, opens


@lean(fastmath=QUICK)
def _highest(values, first, end):
    """The highest of some numbers, none of which is below 0."""
    top = 0.0
    for place in range(first, end):
        top = values[place] if values[place] > top else top
    return top


@lean(inline="always")
def _best(table, first, choices):
    """The index of the highest value among the actions taken so far, the first if tied; 0 if none was taken."""
    top = _highest(table.values, first, first + choices)  # the value of one never taken is 0
    for place in range(choices):
        if table.values[first + place] == top and table.counts[first + place]:
            return place
    return 0


@lean(fastmath=QUICK)
def _weigh(counts, values, first, choices, curiosity, worth):
    """The value of each action with its bonus for curiosity."""
    visits, top = 0, _highest(values, first, first + choices)
    for slot in range(first, first + choices):
        visits += counts[slot]
    bonus = curiosity * sqrt(np.float64(visits))
    for place in range(choices):
        count = counts[first + place]
        worth[place] = (values[first + place] if count else top) + bonus / np.float64(count + 1)


@lean(inline="always")
def _wanted(table, first, choices, curiosity):
    """The index of the action to try next, the first if tied."""
    _weigh(table.counts, table.values, first, choices, curiosity, table.worth)
    most, place = _highest(table.worth, 0, choices), 0
    while table.worth[place] != most:
        place += 1
    return place


@lean(inline="always")
def _find_or_add(table, where, said, choices, states):
    """Where the row of an information state begins; ``NOWHERE`` if there is none.

    A new row is added as long as there are fewer than ``states``.
    """
    entries, used = table.entries, table.used
    last = entries.shape[0] - 1
    entry = np.int64(mix(said * GOLDEN + where) & np.uint64(last))
    while entries[entry, 1] and (entries[entry, 0] != said or entries[entry, 1] >> S32 != where):
        entry = (entry + 1) & last
    first = np.int64(entries[entry, 1] & LOW32) - 1
    if first == NOWHERE and used[0] < states:
        first = used[1]
        used[0] += 1
        used[1] += choices
        entries[entry, 0], entries[entry, 1] = said, (where << S32) | np.uint64(first + 1)
    return first


@lean(inline="always")
def _row_at(table, board, begins, ring, said, choices, rules, conduct, states):
    """Where the row of the information state of the agent, who is to move, begins."""
    where = np.uint64((begins if conduct.all_bids else ring) * rules.num_hands + board.hands[board.speaker])
    if not conduct.all_bids:
        said = ONE << np.uint64(board.bid - 1) if board.bid else NOTHING
    return _find_or_add(table, where, said, choices, states)


@lean(inline="always")
def _step(visits, recency):
    """The step size of a visit."""
    return (recency + 1.0) / (recency + visits)


@lean(inline="always")
def _learn(table, begins, depth, worth, recency):
    """Update the decisions of a finished round, the last one first, and its beginning."""
    counts, values, made = table.counts, table.values, table.made
    for number in range(depth - 1, -1, -1):
        first = made[number, 0]
        slot = first + made[number, 2]
        counts[slot] += np.uint32(1)
        values[slot] += _step(counts[slot], recency) * (worth - values[slot])
        worth = _highest(values, first, first + made[number, 1])
    table.start_counts[begins] += 1
    table.start_values[begins] += _step(table.start_counts[begins], recency) * (worth - table.start_values[begins])


@lean(nogil=True, cache=True)
def _play(table, tables, rules, conduct, seed, start, boards, places, learns):
    """Play games until the table is full; returns the numbers of decisions, and of those without a known row."""
    board, agent, decisions, unmet = boards[0], tables.firsts.size, 0, 0
    for game in range(places.size):
        begin(board, agent + 1, rules, stream(seed, start + np.uint64(game)))
        own = 0
        while board.seats[own] != agent:
            own += 1
        ring, opens = _ring(board, own, conduct.who_is_who, rules.dice)
        begins, depth, said = 0, 0, NOTHING
        while board.places[agent] == 0:
            if not board.rolled:
                deal(board, rules)
                begins, depth, said = ring * board.players + opens, 0, NOTHING
            total, bid = board.total, board.bid
            if board.speaker != own:
                action = reply(board, tables, rules)
            else:
                choices, chosen, room = rules.choices[total, bid], 0, conduct.states if learns else 0
                first = _row_at(table, board, begins, ring, said, choices, rules, conduct, room)
                if learns:
                    if first == NOWHERE:
                        return decisions, unmet
                    chosen = _wanted(table, first, choices, conduct.curiosity)
                    table.made[depth, 0], table.made[depth, 1], table.made[depth, 2] = first, choices, chosen
                    depth += 1
                elif first == NOWHERE:
                    unmet += 1
                else:
                    chosen = _best(table, first, choices)
                decisions += 1
                action = np.int64(rules.legal[total, bid, chosen])
            take(board, action, rules)
            if action > EXACT:
                said |= ONE << np.uint64(action - 2)
                continue
            worth = 0.0
            if board.counts[own]:
                ring, opens = _ring(board, own, conduct.who_is_who, rules.dice)
                worth = 1.0 if board.alive == 1 else table.start_values[ring * board.players + opens]
            if learns:
                _learn(table, begins, depth, worth, conduct.recency)
        places[game] = board.places[agent]
    return decisions, unmet


@lean(nogil=True, cache=True)
def _walk(table, tables, rules, conduct, rolls, boards, ends, met):
    """Play each round with each roll by the best known actions; add up how they end, and mark the rows met."""
    board, agent = boards[0], tables.firsts.size
    for start in range(ends.shape[0]):
        own, ring, begins = 0, 0, 0
        while own < rolls.alive[start] and rolls.seats[start, own] != agent:
            own += 1
        for number in range(rolls.numbers[start]):
            ways, said = lay(board, rolls, start, number), NOTHING
            if number == 0 and own < board.alive:
                ring, opens = _ring(board, own, conduct.who_is_who, rules.dice)
                begins = ring * board.players + opens
            while board.rolled:
                if board.speaker != own:
                    action = reply(board, tables, rules)
                else:
                    choices, chosen = rules.choices[board.total, board.bid], 0
                    first = _row_at(table, board, begins, ring, said, choices, rules, conduct, 0)
                    if first != NOWHERE:
                        met[first] = True
                        chosen = _best(table, first, choices)
                    action = np.int64(rules.legal[board.total, board.bid, chosen])
                if action > EXACT:
                    said |= ONE << np.uint64(action - 2)
                speak(board, action, rules, ways, ends[start])
