"""The best table that can be found for wild ones: who sees the dice next to it and the last bid, and remembers nothing.

The document's network sees 15 numbers: its dice, those of its neighbours, all dice, and the last bid. It does not know
who its neighbours are, nor what was bid before. A policy of this kind is a table, and which table is best is hard to
say: what an action is worth depends on what brought play there, which the other entries decide. :class:`Tables` judges
a table in milliseconds, says for each entry what another action would gain, and climbs by that until no single entry
can be improved. What it finds is a lower bound of the best. ``support.games.wild_ones.ceiling.ceiling.Ceiling`` with
``all_bids=False`` is an upper bound: its player knows who sits where and remembers what it saw.

The numbers here are floats; ``support.games.wild_ones.ceiling.places.places`` gives the exact worth of what was found.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean
from support.games.cups.rolls import FACES
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.chain import LOSES, WINS, Start, after, start_of
from support.games.wild_ones.policies import UNSEEN, Views
from support.games.wild_ones.rules import counted
from support.games.wild_ones.rules_fast import EXACT, masks_of, rules_of

LEAST = 1e-12
"""A gain in the probability of winning that counts as one."""


@dataclass(frozen=True, eq=False)
class Judged:
    """A table and what it is worth.

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


class _Begin(NamedTuple):
    """The beginning of a round: who plays, the hands that each may roll, and what the others do with them."""

    size: int
    opener: int
    total: int
    side: int
    low: np.ndarray
    high: np.ndarray
    replies: np.ndarray


class _Game(NamedTuple):
    """What all rounds have in common: hands, actions and bids by number; and room for the hands of a roll."""

    held: np.ndarray
    ways: np.ndarray
    legal: np.ndarray
    choices: np.ndarray
    quantity: np.ndarray
    face: np.ndarray
    hands: np.ndarray


class Tables:
    """All tables for the first player against fixed opponents, at a table of two or three.

    Args:
        ceiling: of the game and the opponents, who must not draw among actions.

    Raises:
        ValueError: more than three players.
    """

    def __init__(self, ceiling: Ceiling):
        game = ceiling.game
        if game.num_players > 3:
            raise ValueError(f"at most three players, not {game.num_players}")
        self.game, self.ceiling, self.views = game, ceiling, Views(game, True)
        rules, hands = rules_of(game), self.views.hands
        held = np.array([[counted(hand, face) for hand in hands] for face in range(1, FACES + 1)])
        room, ways = np.zeros(3, np.int64), _ways(self.views)
        self._prepared = _Game(held, ways, rules.legal, rules.choices, rules.quantity, rules.face, room)
        sizes = np.array([len(hand) for hand in hands])
        self.starts: list[Start] = sorted(ceiling.values)
        index = {start: number for number, start in enumerate(self.starts)}
        turns = 3
        self.total = np.array([sum(start.counts) for start in self.starts])
        # Where a round leads: a start, or the next number for a lost game, or the one after that for a won one.
        self.then = np.full((len(self.starts), turns, 2), len(index), np.int64)
        self._begins: list[_Begin] = []
        for number, start in enumerate(self.starts):
            low, high = np.zeros(turns, np.int64), np.ones(turns, np.int64)
            replies = np.zeros((turns, len(rules.quantity), len(hands)), np.int16)
            side = start.counts[-1] * (game.dice + 1) + start.counts[1]
            total = sum(start.counts)
            self._begins.append(_Begin(len(start.kinds), start.opener, total, side, low, high, replies))
            for turn, count in enumerate(start.counts):
                low[turn], high[turn] = np.searchsorted(sizes, [count, count + 1])
                for change in (LOSES, WINS):
                    later = after(start, turn, change, game.dice)
                    if later in index:
                        self.then[number, turn, change] = index[later]
                    elif later.kinds == (0,):
                        self.then[number, turn, change] = len(index) + 1
                if turn:
                    table = ceiling.tables[start.kinds[turn] - 1]
                    nearby = start.counts[turn - 1] * (game.dice + 1) + start.counts[(turn + 1) % len(start.counts)]
                    replies[turn] = table[total, nearby if table.shape[1] > 1 else 0].T
        kinds, counts = ceiling.kinds, (game.dice,) * game.num_players
        self.first = np.zeros(len(self.starts))
        orders = list(permutations(kinds))
        for order in orders:
            self.first[index[start_of(order, counts, 0)]] += 1 / len(orders)
        self.reached = self.views.reached

    def judge(self, table: np.ndarray) -> Judged:
        """What a table is worth."""
        count = len(self.starts)
        ends = np.zeros((count, 3, 2))
        for start in range(count):
            _ends(table, self._begins[start], self._prepared, ends[start])
        ends /= float(FACES) ** self.total[:, None, None]
        chain = np.zeros((count, count + 2))
        for start in range(count):
            np.add.at(chain[start], self.then[start].ravel(), ends[start].ravel())
        system = np.eye(count) - chain[:, :count]
        values = np.linalg.solve(system, chain[:, count + 1])
        visits = np.linalg.solve(system.T, self.first)
        return Judged(table, float(self.first @ values), values, visits)

    def gains(self, judged: Judged, aside: float = 0.0) -> np.ndarray:
        """For each entry and action what the games are worth that come there, if the action is taken there.

        Args:
            judged: the table at hand.
            aside: the weight of games that come there by one other decision earlier in the round.

        Returns:
            float64, of the table's shape and one axis more, for the actions; minus infinity for what is not legal.
        """
        found = np.zeros((*self.views.shape, self.game.num_actions))
        worth = np.concatenate([judged.values, [0.0, 1.0]])
        for start in range(len(self.starts)):
            weight = judged.visits[start] / float(FACES) ** self.total[start]
            if weight == 0 and aside:
                weight = 1e-6 / float(FACES) ** self.total[start]
            if weight:
                rest = worth[self.then[start]], weight, aside, found
                _gains(judged.table, self._begins[start], self._prepared, *rest)
        found[~self._may] = -np.inf
        return found

    @cached_property
    def _may(self) -> np.ndarray:
        """bool, of the table's shape and one axis more: which actions are legal."""
        may: np.ndarray = masks_of(self.game)[:, None, None, :, :-1] & self.reached[..., None]
        return may

    def projected(self) -> np.ndarray:
        """For each view the action that is best if from then on everything were known."""
        found, ceiling = np.zeros((*self.views.shape, self.game.num_actions)), self.ceiling
        for key, unfolded in ceiling.rounds.items():
            worth = np.array(
                [
                    [float(ceiling.value_of(after(unfolded.start, turn, change, self.game.dice))) for change in (0, 1)]
                    for turn in range(unfolded.players)
                ]
            )
            _, on_edges = unfolded.values(worth)
            counts = key[1]
            first = int(np.searchsorted([len(hand) for hand in self.views.hands], counts[0]))
            row = found[sum(counts), counts[-1] * (self.game.dice + 1) + counts[1]]
            for node, (turn, bid, _) in enumerate(unfolded.nodes):
                for edge in unfolded.edges(node) if turn == 0 else ():
                    row[first : first + on_edges.shape[1], bid, unfolded.action[edge]] += (
                        on_edges[edge] / FACES**unfolded.total
                    )
        return self.greedy(found)

    def greedy(self, worth: np.ndarray, table: np.ndarray | None = None) -> np.ndarray:
        """The table of the actions that are worth most; what ``table`` says where nothing is worth more."""
        worth = np.where(self._may, worth, -np.inf)
        best = worth.argmax(-1)
        if table is not None:
            now = np.take_along_axis(worth, np.maximum(table, 0)[..., None].astype(np.int64), -1)[..., 0]
            best = np.where(np.take_along_axis(worth, best[..., None], -1)[..., 0] > now + 1e-15, best, table)
        return np.where(self.reached, best, UNSEEN).astype(np.int16)

    def climb(self, table: np.ndarray, most: int = 1000) -> Judged:
        """Improve a table until no single entry promises a gain that it keeps.

        Entries are changed together as far as that helps; entries that no game comes to are set to what would be best
        if one other decision had led there.

        Args:
            table: where to begin.
            most: how often to improve at most.
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

    def shaken(self, table: np.ndarray, share: float, draw: np.random.Generator) -> np.ndarray:
        """A table in which a share of the entries is drawn anew among the legal actions."""
        noise = np.where(self._may, draw.random((*self.views.shape, self.game.num_actions)), -1)
        changed = self.reached & (draw.random(self.views.shape) < share)
        return np.where(changed, noise.argmax(-1), table).astype(np.int16)


def _ways(views: Views) -> np.ndarray:
    """In how many ways each hand is rolled."""
    found = []
    for hand in views.hands:
        ways = 1
        for number, face in enumerate(hand, 1):
            ways = ways * number // hand[:number].count(face)
        found.append(ways)
    return np.array(found)


@lean
def _finish(table, begin, game, turn, bid, action):
    """The end of a round in which the player ``turn`` takes an action after a bid: whose dice it changes, and how."""
    while action > EXACT:
        bid = action - 1
        turn = turn + 1 if turn + 1 < begin.size else 0
        action = _said(table, begin, game, turn, bid)
    there = 0
    for player in range(begin.size):
        there += game.held[game.face[bid], game.hands[player]]
    if action == EXACT:
        return turn, 1 if there == game.quantity[bid] else 0
    if there >= game.quantity[bid]:
        return turn, 0
    return (turn - 1) % begin.size, 0


@lean
def _said(table, begin, game, turn, bid):
    """What the player ``turn`` does after a bid."""
    hand = game.hands[turn]
    return np.int64(begin.replies[turn, bid, hand] if turn else table[begin.total, begin.side, hand, bid])


@lean(nogil=True, cache=True)
def _ends(table, begin, game, found):
    """Add up over all rolls in how many ways a round ends in each way."""
    low, high, hands, ways = begin.low, begin.high, game.hands, game.ways
    for own in range(low[0], high[0]):
        for second in range(low[1], high[1]):
            for third in range(low[2], high[2]):
                hands[0], hands[1], hands[2] = own, second, third
                action = _said(table, begin, game, begin.opener, 0)
                turn, change = _finish(table, begin, game, begin.opener, 0, action)
                found[turn, change] += ways[own] * ways[second] * ways[third]


@lean(nogil=True, cache=True)
def _gains(table, begin, game, worth, weight, aside, found):
    """Add up over all rolls what each action is worth wherever the player comes to decide."""
    low, high, hands, ways = begin.low, begin.high, game.hands, game.ways
    total = begin.total
    for own in range(low[0], high[0]):
        for second in range(low[1], high[1]):
            for third in range(low[2], high[2]):
                hands[0], hands[1], hands[2] = own, second, third
                share = weight * ways[own] * ways[second] * ways[third]
                turn, bid, action = begin.opener, 0, _said(table, begin, game, begin.opener, 0)
                while True:
                    if turn == 0:
                        _weigh(table, begin, game, worth, share, bid, found)
                        for number in range(game.choices[total, bid] if aside > 0 else 0):
                            other = np.int64(game.legal[total, bid, number])
                            if other > EXACT and other != action:
                                _aside(table, begin, game, worth, share * aside, other, found)
                    if action <= EXACT:
                        break
                    bid = action - 1
                    turn = turn + 1 if turn + 1 < begin.size else 0
                    action = _said(table, begin, game, turn, bid)


@lean
def _weigh(table, begin, game, worth, share, bid, found):
    """Add what each action of the player after a bid is worth."""
    total, side, own = begin.total, begin.side, game.hands[0]
    for number in range(game.choices[total, bid]):
        action = np.int64(game.legal[total, bid, number])
        turn, change = _finish(table, begin, game, 0, bid, action)
        found[total, side, own, bid, action] += share * worth[turn, change]


@lean
def _aside(table, begin, game, worth, share, action, found):
    """The same for what follows another action of the player."""
    turn = 0
    while action > EXACT:
        bid = action - 1
        turn = turn + 1 if turn + 1 < begin.size else 0
        if turn == 0:
            _weigh(table, begin, game, worth, share, bid, found)
        action = _said(table, begin, game, turn, bid)
