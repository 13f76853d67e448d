"""The best that player 1 can do at call or raise against players who toss coins, compiled, for tables of full size.

The plain counterpart is ``support.games.call_or_raise.ceiling``, which gives the reasons and the same numbers as
fractions. Here they are floats. The number of a bid fixes whose turn it is, so that a round has about as many states
as there are bids, and the document's table of four players with six dice is some 10^9 small steps.

:meth:`Ceiling.simulate` plays whole games, dice and coins and all, with the decisions that the values lead to. With a
given rule to call they are the games of ``support.games.call_or_raise.q_learning_fast``, number for number.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from support.core.compiled import njit
from support.core.splitmix_fast import stream
from support.games.call_or_raise.ceiling import CALL_OR_RAISE, Responder, Round, round_of
from support.games.call_or_raise.ceiling_arrays import CHOOSES, dice_tables, prepared_responder
from support.games.call_or_raise.rules import CallOrRaise
from support.games.cups.digits_fast import SIX, TWO, below, deal, happens, held_most, lose, next_player, seat, showing
from support.games.cups.rolls import FACES, Roll
from support.games.cups.round import MOST_PLAYERS, Bid

MOST = 100_000  # moves in a round


class Ceiling:
    """The probabilities with which player 1 wins, for every beginning of a round, if it decides as well as can be.

    Made once; the calls release the interpreter's lock. At the document's table it takes seconds and a few megabytes.

    Args:
        game: the rules. Where they bound the bids, the others call if they cannot raise.
        responder: what player 1 may decide.

    Attributes:
        game, responder: as given.
        values: float64[dice + 1, ..., dice + 1, players], by everybody's dice and who opens; 0 where player 1 is out, 1
            where all others are, and nan where the opener has no dice.
    """

    def __init__(self, game: CallOrRaise, responder: Responder = CALL_OR_RAISE):
        self.game, self.responder = game, responder
        self._tables = dice_tables(game.num_players, game.dice)
        self._agent = prepared_responder(game, responder)
        base = game.dice + 1
        values = np.full((base**game.num_players, game.num_players), np.nan)
        _solve(self._tables, self._agent, game.dice, values)
        self._values = values
        self.values = values.reshape((base,) * game.num_players + (game.num_players,))

    @cached_property
    def win_probability(self) -> float:
        """Of a game whose opener is drawn at random."""
        return float(self.values[(self.game.dice,) * self.game.num_players].mean())

    def round_of(self, counts: tuple[int, ...], opener: int, roll: Roll, bid: Bid | None = None) -> Round:
        """What player 1's decisions are worth in a round: as of the plain :func:`round_of`, from these values."""
        values: Any = {(place[:-1], place[-1]): float(value) for place, value in np.ndenumerate(self.values)}
        return round_of(self.game, self.responder, values, counts, opener, roll, bid)

    def simulate(self, games: int, seed: int, start: int = 0) -> np.ndarray:
        """Play games against players who toss coins.

        Args:
            games: how many to play.
            seed: 64 bits; game n has a stream of its own, as in ``support.games.call_or_raise.q_learning_fast``.
            start: the number of the first game.

        Returns:
            uint8[games], the winners, from 1.

        Raises:
            RuntimeError: a round of more than 100,000 moves.
        """
        winners = np.empty(games, np.uint8)
        done = _play(self._tables, self._agent, self.game.dice, self._values, np.uint64(seed), start, winners)
        if done < games:
            raise RuntimeError(f"game {start + done} has a round of more than {MOST:,} moves")
        return winners


class _Work(NamedTuple):
    """What a round is worked out in; turns are counted along the ring of players who have dice.

    Attributes:
        worth: float64[turns], the probability of winning the game if that player loses a die.
        false: float64[turns], that of a bid standing at that turn which is of more dice than there are.
        chances: float64[quantity, 6], that a bid holds.
        means: float64[quantity, turns], the probability of winning if a bid to a face drawn at random stands.
        raised: float64[quantity], the probability of winning after player 1's best raise over such a bid; all bids of
            more dice than there are stand in the row after the dice in play; minus infinity where nobody may raise.
        face: int64[quantity], to which face that is, if player 1 chooses it.
    """

    worth: np.ndarray
    false: np.ndarray
    chances: np.ndarray
    means: np.ndarray
    raised: np.ndarray
    face: np.ndarray


@njit(nogil=True, cache=True)
def _work_of(tables):
    rows = tables.holds.shape[3] + 2
    return _Work(
        np.zeros(MOST_PLAYERS),
        np.zeros(MOST_PLAYERS),
        np.zeros((rows, FACES)),
        np.zeros((rows, MOST_PLAYERS)),
        np.zeros(rows),
        np.zeros(rows, np.int64),
    )


@njit(nogil=True, cache=True)
def _solve(tables, agent, dice, values):
    """Fill ``values``, float64[code, opener]: the digits of a code are everybody's dice, player 1's the highest."""
    players = values.shape[1]
    counts = np.zeros(players, np.int64)
    work = _work_of(tables)
    highest = (dice + 1) ** (players - 1)
    # Who loses a die makes the code smaller.
    for code in range(values.shape[0]):
        rest = code
        for player in range(players - 1, -1, -1):
            counts[player] = rest % (dice + 1)
            rest //= dice + 1
        if code < highest:
            values[code] = 0.0
            continue
        if code % highest == 0:
            values[code] = 1.0
            continue
        for opener in range(players):
            if counts[opener]:
                values[code, opener] = _before_the_roll(tables, agent, counts, opener, dice, values, work)


@njit(nogil=True, cache=True)
def _before_the_roll(tables, agent, counts, opener, dice, values, work):
    """The probability of winning the game from the beginning of a round, that of all with fewer dice being known."""
    where, own = _begin(counts, opener, dice, values, work), counts[0]
    bids = counts[opener] if opener else 0
    value = 0.0
    for bid in range(tables.bids[bids], tables.bids[bids + 1]):
        part = 0.0
        for roll in range(tables.rolls[own], tables.rolls[own + 1]):
            held, most_held = tables.held[roll], tables.most[roll]
            face = tables.face[bid] if opener else most_held
            quantity = tables.quantity[bid] if opener else held[face] + 1
            answer = _respond(tables, agent, where, bid, held, most_held, quantity, face, work)
            part += tables.rolled[roll] * answer
        value += tables.opened[bid] * part
    return value


@njit(nogil=True, cache=True)
def _begin(counts, opener, dice, values, work):
    """Fill ``work.worth`` for a round.

    Returns:
        Players with dice; the opener's turn; dice in play; player 1's dice; the dice of all but player 1 and the
        opener.
    """
    code = 0
    for player in range(counts.size):
        code = code * (dice + 1) + counts[player]
    turn, opening, weight = 0, 0, (dice + 1) ** (counts.size - 1)
    for player in range(counts.size):
        if player == opener:
            opening = turn
        if counts[player]:
            after = player
            if counts[player] == 1:
                after = next_player(player, counts)
            work.worth[turn] = values[code - weight, after]
            turn += 1
        weight //= dice + 1
    total = counts.sum()
    return turn, opening, total, counts[0], total - counts[0] - (counts[opener] if opener else 0)


@njit(nogil=True, cache=True)
def _respond(tables, agent, where, bid, held, most_held, quantity, face, work):
    """Work out a round; returns the probability of winning the game, once the opening bid is made.

    Args:
        tables: what dice do.
        agent: player 1.
        where: what :func:`_begin` returns.
        bid: the number of the opening bid; 0 if player 1 opens.
        held: int64[6], player 1's dice by what they show.
        most_held: the face that it holds most of, from 0.
        quantity: of the opening bid.
        face: of the opening bid, from 0.
        work: whose ``worth`` is filled; the rest is filled here.
    """
    players, opener, total, own, rest = where
    worth, chances, means = work.worth, work.chances, work.means
    holds = tables.holds[rest, bid]
    _false_bids(agent, players, total, own, work)
    for bidden in range(total + 1, total + 3):
        for turn in range(players):
            means[bidden, turn] = work.false[turn]
        chances[bidden] = 0.0
    if not agent.bounded:
        _choose(agent, players, total, total + 1, most_held, work)
    turn_after = (opener + 1) % players
    for bidden in range(total, quantity - 1, -1):
        mean = 0.0
        for one in range(FACES):
            need = bidden - held[one]
            chance = holds[one, max(need, 0)]
            chances[bidden, one] = chance
            mean += chance
        mean /= FACES
        turn = (turn_after + bidden - quantity) % players
        if turn:
            called = mean * worth[turn] + (1 - mean) * worth[turn - 1]
            on = turn + 1 if turn + 1 < players else 0
            last = agent.bounded and bidden == total
            means[bidden, turn] = called if last else 0.5 * (called + means[bidden + 1, on])
        else:
            _choose(agent, players, total, bidden, most_held, work)
            value = 0.0
            for one in range(FACES):
                value += _own_turn(agent, players, total, own, bidden, bidden - held[one], one, work)
            means[bidden, 0] = value / FACES
    if turn_after:
        return _others_turn(agent, players, total, quantity, face, turn_after, work)
    return _own_turn(agent, players, total, own, quantity, quantity - held[face], face, work)


@njit(nogil=True, cache=True)
def _false_bids(agent, players, total, own, work):
    """Fill ``work.false``: the bids that go on for ever, summed, and player 1's best way to deal with them."""
    worth, false = work.worth, work.false
    ends, again = 0.0, 1.0
    for turn in range(1, players):
        again *= 0.5
        ends += again * worth[turn - 1]
    if agent.ruled:
        calls = agent.calls[total, own, total + 1]
        false[0] = (calls * worth[players - 1] + (1 - calls) * ends) / (1 - (1 - calls) * again)
    else:
        false[0] = max(worth[players - 1], ends / (1 - again))
    for turn in range(players - 1, 0, -1):
        false[turn] = 0.5 * (worth[turn - 1] + false[(turn + 1) % players])


@njit(inline="always")
def _called(players, quantity, face, turn, work):
    """What it is worth that the player whose turn it is calls a bid."""
    chance = work.chances[quantity, face]
    return chance * work.worth[turn] + (1 - chance) * work.worth[turn - 1 if turn else players - 1]


@njit(nogil=True, cache=True)
def _others_turn(agent, players, total, quantity, face, turn, work):
    """What it is worth that a bid stands and it is another player's turn."""
    called = _called(players, quantity, face, turn, work)
    if agent.bounded and quantity == total:
        return called
    on = turn + 1 if turn + 1 < players else 0
    return 0.5 * (called + work.means[min(quantity, total) + 1, on])


@njit(nogil=True, cache=True)
def _own_turn(agent, players, total, own, quantity, need, face, work):
    """What it is worth that a bid of which so many more dice are needed stands and it is player 1's turn."""
    called = _called(players, quantity, face, 0, work)
    raised = work.raised[quantity]
    if raised == -np.inf:
        return called
    if agent.ruled:
        calls = agent.calls[total, own, max(need, 0)]
        return calls * called + (1 - calls) * raised
    return max(called, raised)


@njit(nogil=True, cache=True)
def _choose(agent, players, total, quantity, most_held, work):
    """Find player 1's best raise over a bid of so many dice."""
    best, best_face, to = -np.inf, 0, quantity + 1
    if agent.bounded and to > total:
        pass
    elif agent.bluff == CHOOSES:
        for face in range(FACES):
            value = _others_turn(agent, players, total, to, face, 1, work)
            if value > best:
                best, best_face = value, face + 1
    else:
        best = _others_turn(agent, players, total, to, most_held, 1, work)
        best = agent.bluff * work.means[to, 1] + (1 - agent.bluff) * best
    work.raised[quantity], work.face[quantity] = best, best_face


@njit(nogil=True, cache=True)
def _play(tables, agent, dice, values, seed, start, winners):
    """Games one after the other; returns how many came to an end."""
    players = values.shape[1]
    counts, next_one = np.empty(players, np.int64), np.empty(players, np.int64)
    hands, own_faces = np.zeros(players, np.uint64), np.empty(FACES, np.int64)
    work = _work_of(tables)
    for game in range(winners.size):
        state = stream(seed, np.uint64(start + game))
        counts[:] = dice
        seat(counts, next_one)
        alive = players
        opener, state = below(np.uint64(players), state)
        while alive > 1:
            shown, state = deal(counts, hands, state)
            total, own = counts.sum(), counts[0]
            face = held_most(hands[opener])
            quantity = showing(hands[opener], face) + 1
            if own:
                where = _begin(counts, opener, dice, values, work)
                bid = tables.place[counts[opener], face, quantity] if opener else 0
                for one in range(FACES):
                    own_faces[one] = showing(hands[0], one)
                _respond(tables, agent, where, bid, own_faces, held_most(hands[0]), quantity, face, work)
            bidder, player = opener, next_one[opener]
            moves = 0
            while True:
                if moves > MOST:
                    return game
                moves += 1
                called = agent.bounded and quantity >= total
                if player:
                    if not called:
                        number, state = below(TWO, state)
                        called = number == 1
                elif not called:
                    if agent.ruled:
                        need = max(min(quantity, total + 1) - showing(hands[0], face), 0)
                        raises, state = happens(agent.raises[total, own, need], state)
                        called = not raises
                    else:
                        row = min(quantity, total + 1)
                        called = _called(alive, row, face, 0, work) >= work.raised[row]
                if called:
                    break
                bluff = True
                if player == 0:
                    bluff, state = happens(agent.bluffs, state)
                if bluff:
                    face, state = below(SIX, state)
                elif agent.bluff == CHOOSES:
                    face = work.face[min(quantity, total + 1)] - 1
                else:
                    face = held_most(hands[0])
                quantity += 1
                bidder, player = player, next_one[player]
            loser = bidder if quantity > showing(shown, face) else player
            opener = lose(loser, counts, hands, next_one)
            alive -= counts[loser] == 0
        winners[game] = opener + 1
    return winners.size
