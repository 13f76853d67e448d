"""The best table found for wild ones by the document's view: neighbours' dice, the last bid, and no memory.

The document's network sees 15 numbers: its dice, the numbers of its neighbours' and of all dice, and the last bid. It
does not know who its neighbours are, or the earlier bids. A policy of this kind is a table, and the best table is hard
to find: the value of an action depends on how play gets there, which the other entries decide. :class:`Tables` judges a
table in milliseconds, computes for each entry what another action would gain, and climbs until no single entry can be
improved. The result is a lower bound for the best. ``support.games.wild_ones.ceiling.ceiling.Ceiling`` with
``all_bids=False`` is an upper bound: its player knows who sits where and remembers what it saw.

The numbers here are floats; ``support.games.wild_ones.ceiling.places.places`` computes exact ones for a table.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean
from support.core.interface import DoesNotFitError
from support.games.cups.rolls import FACES
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.chain import LOSES, WINS, Start, after, start_of
from support.games.wild_ones.policies import UNSEEN, Views
from support.games.wild_ones.rules import counted
from support.games.wild_ones.rules_fast import EXACT, Rules, masks_of, rules_of

TURNS = 3
LEAST = 1e-12
"""The least gain in the probability of winning that counts."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A table and its values.

    Attributes:
        table: int16, as ``support.games.wild_ones.policies.table`` writes it, with neighbours.
        win: the probability of winning, seated at random.
        values: float64[starts], the same from each beginning of a round.
        visits: float64[starts], how many rounds begin there, on average.
    """

    table: np.ndarray
    win: float
    values: np.ndarray
    visits: np.ndarray


class _Rounds(NamedTuple):
    """All rounds by their beginnings: the players, the hands that each may roll, and the others' actions.

    Attributes:
        size, opener, total, side: int64[starts], players, the opener's turn, dice, and the neighbours of the first.
        low, high: int64[starts, turns], the number of each player's first hand, and one more than that of its last.
        replies: int16[starts, turns, bid, hand], the actions of the others.
        held: int64[face, hand], dice that count; ways: int64[hand], in how many ways it is rolled.
        rules: the rules of the game.
        hands: int64[turns], room for the hands of a roll.
    """

    size: np.ndarray
    opener: np.ndarray
    total: np.ndarray
    side: np.ndarray
    low: np.ndarray
    high: np.ndarray
    replies: np.ndarray
    held: np.ndarray
    ways: np.ndarray
    rules: Rules
    hands: np.ndarray


class Tables:
    """All tables for the first player against one or two fixed opponents.

    Args:
        ceiling: the ceiling of the game and the opponents, who must not draw.

    Raises:
        DoesNotFitError: the game has more than three players.
    """

    def __init__(self, ceiling: Ceiling):
        game = ceiling.game
        if game.num_players > 3:
            raise DoesNotFitError(f"there must be at most three players, not {game.num_players}")
        self.game, self.ceiling, self.views = game, ceiling, Views(game, True)
        rules, hands = rules_of(game), self.views.hands
        held = np.array([[counted(hand, face) for hand in hands] for face in range(1, FACES + 1)])
        self.starts: list[Start] = sorted(ceiling.values)
        index = {start: number for number, start in enumerate(self.starts)}
        shape = len(index), TURNS
        low, high = np.zeros(shape, np.int64), np.ones(shape, np.int64)
        replies = np.zeros((*shape, len(rules.quantity), len(hands)), np.int16)
        # A round leads to a start, or to the next number for a lost game and the one after that for a won one.
        self.then = np.full((*shape, 2), len(index), np.int64)
        for number, start in enumerate(self.starts):
            for turn, count in enumerate(start.counts):
                low[number, turn], high[number, turn] = self.views.first_hand[[count, count + 1]]
                for change in (LOSES, WINS):
                    later = after(start, turn, change, game.dice)
                    if later in index:
                        self.then[number, turn, change] = index[later]
                    elif later.kinds == (0,):
                        self.then[number, turn, change] = len(index) + 1
                if turn:
                    table = ceiling.tables[start.kinds[turn] - 1]
                    side = self._side(start, turn) if table.shape[1] > 1 else 0
                    replies[number, turn] = table[sum(start.counts), side].T
        about = [(len(start.kinds), start.opener, sum(start.counts), self._side(start, 0)) for start in self.starts]
        size, opener, self.total, side = np.array(about).T.copy()
        room = np.zeros(TURNS, np.int64)
        self._rounds = _Rounds(size, opener, self.total, side, low, high, replies, held, self.views.ways, rules, room)
        kinds, counts = ceiling.kinds, (game.dice,) * game.num_players
        self.first = np.zeros(len(self.starts))
        orders = list(permutations(kinds))
        for order in orders:
            self.first[index[start_of(order, counts, 0)]] += 1 / len(orders)
        self.reached = self.views.reached

    def _side(self, start: Start, turn: int) -> int:
        """The number of a turn's neighbours in a table."""
        return start.counts[turn - 1] * (self.game.dice + 1) + start.counts[(turn + 1) % len(start.counts)]

    def judge(self, table: np.ndarray) -> Judged:
        """The values of a table."""
        count = len(self.starts)
        ends = np.zeros((count, TURNS, 2))
        _ends(table, self._rounds, ends)
        ends /= float(FACES) ** self.total[:, None, None]
        chain = np.zeros((count, count + 2))
        np.add.at(chain, (np.arange(count)[:, None, None], self.then), ends)
        system = np.eye(count) - chain[:, :count]
        values = np.linalg.solve(system, chain[:, count + 1])
        visits = np.linalg.solve(system.T, self.first)
        return Judged(table, float(self.first @ values), values, visits)

    def gains(self, judged: Judged, aside: float = 0.0) -> np.ndarray:
        """For each entry and action, the value of the games that come there, if the action is taken.

        Args:
            judged: the current table.
            aside: the weight of games that come there by one other decision earlier in the round.

        Returns:
            float64, in the table's shape with one more axis for the actions; minus infinity for illegal ones.
        """
        found = np.zeros((*self.views.shape, self.game.num_actions))
        worth = np.concatenate([judged.values, [0.0, 1.0]])
        visits = np.where(judged.visits == 0, 1e-6, judged.visits) if aside else judged.visits
        _gains(judged.table, self._rounds, worth[self.then], visits / float(FACES) ** self.total, aside, found)
        found[~self._may] = -np.inf
        return found

    @cached_property
    def _may(self) -> np.ndarray:
        """bool, in the table's shape with one more axis: whether each action is legal."""
        may: np.ndarray = masks_of(self.game)[:, None, None, :, :-1] & self.reached[..., None]
        return may

    def projected(self) -> np.ndarray:
        """For each view, the action that would be best if everything were known from then on."""
        found, ceiling = np.zeros((*self.views.shape, self.game.num_actions)), self.ceiling
        for key, unfolded in ceiling.rounds.items():
            _, on_edges = unfolded.values(ceiling.worth_of_ends(unfolded))
            counts = key[1]
            first = self.views.first_hand[counts[0]]
            row = found[sum(counts), counts[-1] * (self.game.dice + 1) + counts[1]]
            for node, (turn, bid, _) in enumerate(unfolded.nodes):
                for edge in unfolded.edges(node) if turn == 0 else ():
                    row[first : first + on_edges.shape[1], bid, unfolded.action[edge]] += (
                        on_edges[edge] / FACES**unfolded.total
                    )
        return self.greedy(found)

    def greedy(self, worth: np.ndarray, table: np.ndarray | None = None) -> np.ndarray:
        """The table of the best actions; those of ``table`` unless another is better."""
        worth = np.where(self._may, worth, -np.inf)
        best = worth.argmax(-1)
        if table is not None:
            now = np.take_along_axis(worth, np.maximum(table, 0)[..., None].astype(np.int64), -1)[..., 0]
            best = np.where(np.take_along_axis(worth, best[..., None], -1)[..., 0] > now + 1e-15, best, table)
        return np.where(self.reached, best, UNSEEN).astype(np.int16)

    def climb(self, table: np.ndarray, most: int = 1000) -> Judged:
        """Improve a table until no change of a single entry gains anything.

        Entries are changed together as far as that helps; entries that no game reaches get the action that would be
        best if one other decision had led there.

        Args:
            table: the first table.
            most: the most improvements.
        """
        now, filled = self.judge(table), False
        for _ in range(most):
            better = self._step(now)
            if better is not None:
                now, filled = better, False
            elif filled:
                break
            else:
                on, aside = self.gains(now), self.gains(now, 1.0)
                never = (np.where(np.isfinite(on), on, 0) == 0).all(-1) & self.reached
                entries = np.where(never, self.greedy(aside, now.table), now.table).astype(np.int16)
                now, filled = self.judge(entries), True
        return now

    def _step(self, now: Judged) -> Judged | None:
        """A better table, or None if none was found."""
        worth = self.gains(now)[self.reached]
        entries = now.table[self.reached].astype(np.int64)
        best = worth.argmax(-1)
        gain = worth.max(-1) - np.take_along_axis(worth, entries[:, None], -1)[:, 0]
        places = np.flatnonzero(gain > LEAST)
        places = places[np.argsort(-gain[places], kind="stable")]
        many = len(places)
        while many:
            tried = self._with(now.table, places[:many], best)
            if tried.win > now.win + LEAST:
                return tried
            many //= 2
        for place in places[1:]:
            tried = self._with(now.table, np.array([place]), best)
            if tried.win > now.win + LEAST:
                return tried
        return None

    def _with(self, table: np.ndarray, places: np.ndarray, best: np.ndarray) -> Judged:
        """The table with other actions at some of the entries that are reached."""
        entries, changed = table.copy(), table[self.reached]
        changed[places] = best[places]
        entries[self.reached] = changed
        return self.judge(entries)


@lean
def _said(own, others, hands, turn, bid):
    """The action of the player ``turn`` after a bid."""
    return np.int64(others[turn, bid, hands[turn]] if turn else own[hands[0], bid])


@lean
def _finish(own, others, rounds, size, turn, bid, action):
    """The end of a round in which the player ``turn`` takes an action after a bid: whose dice it changes, and how."""
    while action > EXACT:
        bid = action - 1
        turn = turn + 1 if turn + 1 < size else 0
        action = _said(own, others, rounds.hands, turn, bid)
    there = 0
    for player in range(size):
        there += rounds.held[rounds.rules.face[bid], rounds.hands[player]]
    quantity = rounds.rules.quantity[bid]
    if action == EXACT:
        return turn, WINS if there == quantity else LOSES
    return turn if there >= quantity else (turn - 1) % size, LOSES


@lean(nogil=True, cache=True)
def _ends(table, rounds, found):
    """Count, over all rolls, how often each round ends in each way."""
    hands, ways = rounds.hands, rounds.ways
    for start in range(found.shape[0]):
        low, high, opener, size = rounds.low[start], rounds.high[start], rounds.opener[start], rounds.size[start]
        own, others = table[rounds.total[start], rounds.side[start]], rounds.replies[start]
        for first in range(low[0], high[0]):
            for second in range(low[1], high[1]):
                for third in range(low[2], high[2]):
                    hands[0], hands[1], hands[2] = first, second, third
                    action = _said(own, others, hands, opener, 0)
                    turn, change = _finish(own, others, rounds, size, opener, 0, action)
                    found[start, turn, change] += ways[first] * ways[second] * ways[third]


@lean(nogil=True, cache=True)
def _gains(table, rounds, worth, weights, aside, found):
    """Add up, over all rolls, the value of each action wherever the player comes to decide."""
    hands, ways = rounds.hands, rounds.ways
    for start in range(weights.size):
        low, high, total, size = rounds.low[start], rounds.high[start], rounds.total[start], rounds.size[start]
        side, legal, choices = rounds.side[start], rounds.rules.legal[total], rounds.rules.choices[total]
        own, others = table[total, side], rounds.replies[start]
        into = legal, choices, worth[start], found[total, side]
        for first in range(low[0], high[0] if weights[start] else low[0]):
            for second in range(low[1], high[1]):
                for third in range(low[2], high[2]):
                    hands[0], hands[1], hands[2] = first, second, third
                    share = weights[start] * ways[first] * ways[second] * ways[third]
                    turn, bid = rounds.opener[start], 0
                    action = _said(own, others, hands, turn, bid)
                    while True:
                        if turn == 0:
                            _weigh(own, others, rounds, size, share, bid, into)
                            for number in range(choices[bid] if aside > 0 else 0):
                                other = np.int64(legal[bid, number])
                                if other > EXACT and other != action:
                                    _aside(own, others, rounds, size, share * aside, other, into)
                        if action <= EXACT:
                            break
                        bid = action - 1
                        turn = turn + 1 if turn + 1 < size else 0
                        action = _said(own, others, hands, turn, bid)


@lean
def _weigh(own, others, rounds, size, share, bid, into):
    """Add the value of each action of the player after a bid."""
    legal, choices, worth, found = into
    for number in range(choices[bid]):
        action = np.int64(legal[bid, number])
        turn, change = _finish(own, others, rounds, size, 0, bid, action)
        found[rounds.hands[0], bid, action] += share * worth[turn, change]


@lean
def _aside(own, others, rounds, size, share, action, into):
    """The same for what follows another action of the player."""
    turn = 0
    while action > EXACT:
        bid = action - 1
        turn = turn + 1 if turn + 1 < size else 0
        if turn == 0:
            _weigh(own, others, rounds, size, share, bid, into)
        action = _said(own, others, rounds.hands, turn, bid)
