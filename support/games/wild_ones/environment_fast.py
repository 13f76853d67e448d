"""The seat of the Gymnasium environment, compiled: the other seats and the dice, until the learner is to move again.

Plain counterpart: ``support.games.wild_ones.environment.WildOnesEnv`` with opponents of other kinds, which plays state
by state. Both draw the same numbers from the same NumPy generator, whose own function is called here by its address.

Survivalists and aggressive players compare the numbers of rolls of the hidden dice in which actions are true. These
have up to 24 digits, so their ranks are compared instead, from a table.
"""

import ctypes
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import astuple
from functools import cache, lru_cache
from math import floor
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from support.core.compiled import njit
from support.games.cups.digits_fast import showing
from support.games.cups.rolls import FACES, Roll
from support.games.cups.round import MOST_DICE, MOST_PLAYERS
from support.games.wild_ones.dqn import Rewards
from support.games.wild_ones.policies import Aggressive, Policy, Random, Survivalist, at_least, exactly
from support.games.wild_ones.rules import WILD, WildOnes
from support.games.wild_ones.rules_fast import BOARD, EXACT, Rules, bids_of, earned, take

LEARNER, SURVIVALIST, AGGRESSIVE, RANDOM = range(4)
KINDS: dict[type[Policy], int] = {Survivalist: SURVIVALIST, Aggressive: AGGRESSIVE, Random: RANDOM}
"""The opponents that are compiled."""
MOST_UNSEEN = (MOST_PLAYERS - 1) * MOST_DICE
HOLDS, LIE, JUST = range(3)
NOTHING = Rewards(0, 0, 0, 0, 0, 0, 0, 0)
ROOM = 1024
"""The entries of the log of a game at first."""
MOVE = MOST_PLAYERS + 2
"""The most entries of the log for one move, with the dice and the opener of a new round."""
SEEN = 3 + 2 * FACES
ONE, BYTE, TWO_32, LOW_32 = np.uint64(1), np.uint64(8), np.uint64(1 << 32), np.uint64((1 << 32) - 1)


class Ways(NamedTuple):
    """By the number of hidden dice: all numbers of rolls in which an action may be true, rising, and their ranks.

    Attributes:
        values: these numbers of rolls, for each number of dice.
        ranks: int16[dice, 3, 2, need + 1], their ranks for a bid that holds, a lie and an exact bid; on ones or another
            face.
    """

    values: tuple[tuple[int, ...], ...]
    ranks: np.ndarray


@cache
def ways() -> Ways:
    """The ranks for up to ``MOST_UNSEEN`` dice."""
    ranks = np.zeros((MOST_UNSEEN + 1, 3, 2, MOST_UNSEEN + 3), np.int16)
    values = []
    for dice in range(MOST_UNSEEN + 1):
        found = {}
        for other, face in enumerate((WILD, WILD + 1)):
            for need in range(-1, MOST_UNSEEN + 2):
                holds = at_least(dice, need, face)
                for what, many in enumerate((holds, FACES**dice - holds, exactly(dice, need, face))):
                    found[dice, what, other, need + 1] = many
        values.append(tuple(sorted(set(found.values()))))
        place = {many: rank for rank, many in enumerate(values[-1])}
        for where, many in found.items():
            ranks[where] = place[many]
    return Ways(tuple(values), ranks)


@lru_cache(maxsize=1 << 10)
def limits(policy: Policy | None) -> np.ndarray:
    """int64[dice], the lowest rank above an aggressive player's threshold, by the number of hidden dice."""
    threshold = policy.threshold if isinstance(policy, Aggressive) else 0
    return np.array([bisect_right(values, floor(threshold * FACES**dice)) for dice, values in enumerate(ways().values)])


@cache
def _rules_of(game: WildOnes) -> Rules:
    """The rules as far as :func:`take` reads them, without lists of legal actions and numbers of hands."""
    none, legal, choices = np.zeros(0, np.int16), np.zeros((0, 0, 0), np.int16), np.zeros((0, 0), np.int64)
    return Rules(none, legal, choices, *bids_of(game), 0, game.dice)


@cache
def _address(kind: Any) -> int:
    """The address of the function with which generators of a kind draw 32 bits."""
    return ctypes.cast(kind(0).ctypes.next_uint32, ctypes.c_void_p).value or 0


class Seat:
    """A game from one seat, between two moves of the learner.

    Args:
        game: the rules.
        rewards: the learner's rewards at the end of a round; None for none.

    Attributes:
        mask: int8[actions], 1 for every action that is legal for the learner.
        place: the learner's place: 1 if it has won, 0 as long as it is open.
    """

    def __init__(self, game: WildOnes, rewards: Rewards | None):
        self.game, self.seat, self.place = game, 0, 0
        self.mask = np.zeros(game.num_actions, np.int8)
        self._legal = np.zeros(game.num_actions, np.int64)
        self._rewards = np.array(astuple(rewards or NOTHING), np.float64)
        self._kinds = np.zeros(game.num_players, np.int64)
        self._limits = np.zeros((game.num_players, MOST_UNSEEN + 1), np.int64)
        self._source = np.zeros(2, np.int64)
        self._boards, self._log, self._at = np.zeros(1, BOARD), np.zeros(ROOM, np.int64), 0
        self._start = np.zeros(1, BOARD)
        start = self._start[0]
        start["players"] = start["alive"] = game.num_players
        start["total"], start["opener"] = game.most, -1
        start["counts"][: game.num_players], start["seats"] = game.dice, range(MOST_PLAYERS)

    def begin(self, policies: Sequence[Policy | None]) -> None:
        """Begin a new game with a policy of ``KINDS`` in each seat; None marks the learner's."""
        self.seat, self.place, self._at = policies.index(None), 0, 0
        self._boards[:] = self._start
        for seat, policy in enumerate(policies):
            self._kinds[seat], self._limits[seat] = KINDS[type(policy)] if policy else LEARNER, limits(policy)

    @property
    def legal(self) -> list[int]:
        """The numbers of the learner's legal actions, in the order of the rules."""
        numbers: list[int] = self._legal[: int(self.mask.sum())].tolist()
        return numbers

    def go_on(
        self, numbers: np.random.Generator, action: int = -1, whole: bool = True
    ) -> tuple[np.ndarray, float, bool]:
        """Make the learner's move, then chance's and the others' until it is to move again, is out, or has won.

        Args:
            numbers: the generator for dice and opponents.
            action: the learner's legal action; -1 if it is not to move.
            whole: whether to go on after the end of the round.

        Returns:
            The learner's observation, its rewards at the ends of rounds, and whether the last move ended one.
        """
        seen, rewards, generator = np.zeros(SEEN, np.float32), 0.0, numbers.bit_generator
        self._source[0], self._source[1] = _address(type(generator)), generator.ctypes.state_address
        while True:
            gained, over, more, self._at, self.place = _advance(
                self._boards,
                self._log,
                self._at,
                self._source,
                _rules_of(self.game),
                ways().ranks,
                self._kinds,
                self._limits,
                self._rewards,
                self.seat,
                action,
                whole,
                self._legal,
                self.mask,
                seen,
            )
            rewards += gained
            if not more:
                return seen, rewards, over
            self._log, action = np.concatenate([self._log, np.zeros_like(self._log)]), -1

    def moves(self, start: int) -> list[Any]:
        """The moves of the game, those of chance included, from number ``start`` on."""
        numbers = self._log[start : self._at].tolist()
        opener = numbers[:1] if not start else []
        return opener + [_dice(~one) if one < 0 else self.game.action(one) for one in numbers[len(opener) :]]


def _dice(hand: int) -> Roll:
    return tuple(face + 1 for face in range(FACES) for _ in range(hand >> 8 * face & 255))


@intrinsic
def _next_32(typing, function, state):
    """32 random bits of the generator whose function and state are at these addresses."""

    def called(context, builder, signature, given):
        kind = ir.FunctionType(ir.IntType(32), [ir.IntType(64)])
        return builder.call(builder.inttoptr(given[0], kind.as_pointer()), [given[1]])

    return types.uint32(types.int64, types.int64), called


@njit
def _below(choices, source):
    """A number from 0 to choices - 1, as ``Generator.integers`` draws it (Lemire 2019)."""
    if choices == 1:
        return 0
    many = np.uint64(choices)
    product = np.uint64(_next_32(source[0], source[1])) * many
    if product & LOW_32 < many:
        least = (TWO_32 - many) % many
        while product & LOW_32 < least:
            product = np.uint64(_next_32(source[0], source[1])) * many
    return np.int64(product >> np.uint64(32))


@njit
def _deal(board, log, at, source):
    """Draw the opener, if there is none, and all dice; returns the end of the log."""
    if board.opener < 0:
        board.opener = log[at] = _below(board.players, source)
        at += 1
    last = board.players - 1
    while board.counts[last] == 0:
        last -= 1
    board.shown = 0
    for place in range(board.players):
        if board.counts[place]:
            board.before[place], board.after[last] = last, place
            last = place
            hand = np.uint64(0)
            for _ in range(board.counts[place]):
                hand += ONE << (BYTE * np.uint64(_below(FACES, source)))
            board.shown += hand
            board.hands[place] = hand
            log[at] = ~np.int64(hand)
            at += 1
    board.speaker = board.bidder = board.opener
    board.bid, board.said, board.rolled = 0, 0, True
    return at


@njit
def _list(board, rules, most, legal):
    """Write the legal actions in the order of the rules; returns how many there are."""
    number, total, quantity, face = 0, board.total, rules.quantity[board.bid], rules.face[board.bid]
    ones, others = 1, 1
    if board.bid:
        legal[0], legal[1] = 0, EXACT
        number = 2
        ones, others = ((quantity + 1) // 2, quantity + 1) if face else (quantity + 1, 2 * quantity + 1)
    for many in range(ones, total + 1):
        legal[number] = 1 + many
        number += 1
    if board.bid and face:
        for higher in range(face + 1, FACES):
            legal[number] = 1 + higher * most + quantity
            number += 1
    for many in range(others, total + 1):
        for other in range(1, FACES):
            legal[number] = 1 + other * most + many
            number += 1
    return number


@njit
def _rank(board, rules, ranks, action, unseen, hand):
    """The rank of the number of rolls of the other dice in which an action is true."""
    bid = action - 1 if action > EXACT else board.bid
    face = rules.face[bid]
    held = showing(hand, face) + (showing(hand, 0) if face else 0)
    need = min(max(rules.quantity[bid] - held, -1), unseen + 1)
    what = HOLDS if action > EXACT else JUST if action == EXACT else LIE
    return ranks[unseen, what, 1 if face else 0, need + 1]


@njit
def _answer(board, rules, ranks, kinds, limits, source, legal):
    """The action of the opponent to move, the last if tied."""
    number = _list(board, rules, rules.quantity.size // FACES, legal)
    speaker = board.speaker
    if kinds[speaker] == RANDOM:
        return legal[_below(number, source)]
    hand = np.uint64(board.hands[speaker])
    unseen = board.total - board.counts[speaker]
    highest, lowest, surest, boldest = -1, ranks.size, 0, -1
    for place in range(number):
        rank = _rank(board, rules, ranks, legal[place], unseen, hand)
        if rank >= highest:
            highest, surest = rank, place
        if limits[speaker, unseen] <= rank <= lowest:
            lowest, boldest = rank, place
    return legal[boldest if kinds[speaker] == AGGRESSIVE and boldest >= 0 else surest]


@njit(cache=True)
def _advance(boards, log, at, source, rules, ranks, kinds, limits, rewards, seat, action, whole, legal, mask, seen):
    """Play on; returns the reward, if a round has ended, if the log must grow first, its end, and the place."""
    board, gained, over = boards[0], 0.0, False
    while True:
        if action < 0:
            if at + MOVE > log.size:
                return gained, over, True, at, 0
            out = board.places[seat] != 0
            if not out and not board.rolled:
                at = _deal(board, log, at, source)
            if out or board.speaker == seat:
                break
            action = _answer(board, rules, ranks, kinds, limits, source, legal)
        log[at] = action
        at += 1
        take(board, action, rules)
        over = action <= EXACT
        if over:
            gained += earned(rewards, action == EXACT, board.right, seat == board.speaker, seat == board.bidder)
            if not whole:
                break
        action = -1
    _show(board, rules, seat, legal, mask, seen)
    return gained, over, False, at, np.int64(board.places[seat])


@njit
def _show(board, rules, seat, legal, mask, seen):
    """Write the learner's observation and its legal actions."""
    players = board.players
    seen[2] = board.total
    for step in range(1, players):
        before, after = board.counts[(seat - step) % players], board.counts[(seat + step) % players]
        if seen[0] == 0:
            seen[0] = before
        if seen[1] == 0:
            seen[1] = after
    mask[:] = 0
    if board.rolled:
        if board.bid:
            seen[3 + rules.face[board.bid]] = rules.quantity[board.bid]
        for face in range(FACES):
            seen[3 + FACES + face] = showing(np.uint64(board.hands[seat]), face) if board.counts[seat] else 0
        if board.speaker == seat:
            for place in range(_list(board, rules, mask.size // FACES, legal)):
                mask[legal[place]] = 1
