"""Whole games of wild ones with the decisions of ``ceiling``.

The opponents play from their tables; the deciding player walks the unfolded rounds. This checks the promised values by
counting, and it plays plans that were made from notes (``support.games.wild_ones.notes``).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean
from support.core.splitmix_fast import stream
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.rolls_fast import lay, places_after, require_rolls, rolls_of, speak
from support.games.wild_ones.policies import DRAWS, Views
from support.games.wild_ones.rules_fast import BOARD, begin, deal, joined, reply, rules_of, take

LIAR, LOST = 0, -1  # the number of an action; in place of a node, after a bid that the plan did not expect


class PlayedByPlan(NamedTuple):
    """The results of games played by a plan.

    Attributes:
        places: uint8[games], the planning player's places.
        surprised: bool[games], whether the player had to answer a bid that the plan did not expect.
    """

    places: np.ndarray
    surprised: np.ndarray


def simulate(ceiling: Ceiling, games: int, seed: int, start: int = 0) -> np.ndarray:
    """Play games against the fixed opponents; players are seated anew for each.

    Seats and random numbers are those of ``support.games.wild_ones.play_fast``, but hands are rolled in the order of
    turns from the deciding player.

    Returns:
        uint8[games], the deciding player's place.

    Raises:
        ValueError: an opponent draws.
    """
    if any((table == DRAWS).any() for table in ceiling.tables):
        raise ValueError("an opponent draws from several actions; only opponents that never do can be simulated")
    tables = [ceiling.tables[kind - 1] for kind in ceiling.kinds[1:]]
    return played(ceiling, tables, np.zeros((0, 0), np.int16), True, games, seed, start).places


def played(
    plan: Ceiling, tables: Sequence[np.ndarray], memory: np.ndarray, turns: bool, games: int, seed: int, start: int
) -> PlayedByPlan:
    """Play games by a plan until the player is out or has won; it answers unexpected bids with liar.

    Args:
        plan: player 0's plan.
        tables: the opponents' tables, which need not be those that the plan expects.
        memory: int16[opponents, ...], a table for each opponent in which to write what it does; empty for none.
        turns: whether hands are rolled in the order of turns from player 0 instead of the order of seats.
        games: the number of games.
        seed: 64 bits; game n has a stream of its own.
        start: the number of the first game.
    """
    found = PlayedByPlan(np.zeros(games, np.uint8), np.zeros(games, np.bool_))
    own = np.zeros((1, 1, 1, 1), np.int16)  # of player 0, which is not read
    stream_of = np.uint64(seed), np.uint64(start)
    rules, boards = rules_of(plan.game), np.zeros(1, BOARD)
    _play(_flatten(plan), joined([own, *tables]), rules, memory, turns, *stream_of, boards, *found)
    return found


class _Plan(NamedTuple):
    """A ceiling's decisions, with all rounds in one row.

    Attributes:
        kinds: int64[players], the kind of each player.
        rings: int32[...], the number of a ring of players and their dice, as :func:`_ring` counts them.
        roots: int64[rings, turns], the node at which each turn opens.
        first: int64[nodes + 1], where the edges of a node begin.
        action, child: int64[edges], the action and the node after it; ``LOST`` after a challenge.
        chosen: int64[...], the action of each node and hand of the player that decides.
        decided: int64[nodes], where those of a node begin.
        first_hand: int64[dice + 2], the number of the first hand with each number of dice.
    """

    kinds: np.ndarray
    rings: np.ndarray
    roots: np.ndarray
    first: np.ndarray
    action: np.ndarray
    child: np.ndarray
    chosen: np.ndarray
    decided: np.ndarray
    first_hand: np.ndarray


def _flatten(ceiling: Ceiling) -> _Plan:
    game, most = ceiling.game, ceiling.game.num_players
    rings = np.full((game.dice + 1) * ((game.dice + 1) * most) ** (most - 1), LOST, np.int32)
    roots = np.full((len(ceiling.rounds), most), LOST, np.int64)
    firsts, children = [0], list[int]()
    actions, chosen, decided = list[int](), list[int](), list[int]()
    for number, (key, unfolded) in enumerate(ceiling.rounds.items()):
        (_, *kinds), (ring, *counts) = key
        for kind, count in zip(kinds, counts, strict=True):
            ring = (ring * (game.dice + 1) + count) * most + kind
        rings[ring] = number
        base, edge = len(decided), len(actions)
        roots[number, : unfolded.players] = base + np.array(unfolded.roots)
        firsts += (edge + unfolded.first[1:]).tolist()
        actions += unfolded.action.tolist()
        children += [child + base if child >= 0 else LOST for child in unfolded.child.tolist()]
        for node, (turn, _, _) in enumerate(unfolded.nodes):
            decided.append(len(chosen))
            if turn == 0:
                chosen += unfolded.action[unfolded.first[node] + ceiling.chosen[key][node]].tolist()
    return _Plan(
        kinds=np.array(ceiling.kinds),
        rings=rings,
        roots=roots,
        first=np.array(firsts),
        action=np.array(actions),
        child=np.array(children),
        chosen=np.array(chosen),
        decided=np.array(decided),
        first_hand=Views(game).first_hand,
    )


@lean(nogil=True, cache=True)
def _play(flat, tables, rules, memory, turns, seed, start, boards, places, surprised):
    """Play games one after the other; opponents' decisions go into ``memory`` at once, because nobody reads it yet."""
    board, players, bids, notes = boards[0], tables.firsts.size, rules.quantity.size, memory.size > 0
    for game in range(places.size):
        begin(board, players, rules, stream(seed, start + np.uint64(game)))
        own = 0
        while board.seats[own]:
            own += 1
        if turns:
            own = _turned(board, own)
        node = LOST
        while board.places[0] == 0:
            if not board.rolled:
                deal(board, rules)
                ring, turn = _ring(board, own, flat.kinds, rules.dice)
                node = flat.roots[flat.rings[ring], turn]
            if board.speaker != own:
                action, player = reply(board, tables, rules), board.seats[board.speaker]
                if notes:
                    view = (board.total * rules.num_hands + board.hands[board.speaker]) * bids + board.bid
                    memory[player - 1, view] = action
            else:
                surprised[game] |= node == LOST
                action = _decided(flat, board, node)
            node = _followed(flat, node, action)
            take(board, action, rules)
        places[game] = board.places[0]


def worth_of_plan(plan: Ceiling, tables: Sequence[np.ndarray]) -> np.ndarray:
    """float64[players], how often a plan comes first, second, ...: the limit of the games of :func:`played`.

    Args:
        plan: player 0's plan.
        tables: the opponents' tables, which need not be those that the plan expects.

    Raises:
        DoesNotFitError: there are too many rolls, or an opponent draws.
    """
    require_rolls(plan.game, tables)
    own, rolls = np.zeros((1, 1, 1, 1), np.int16), rolls_of(plan.game)  # of player 0, which is not read
    ends = np.zeros((*rolls.seats.shape, 2))
    _walk(_flatten(plan), joined([own, *tables]), rules_of(plan.game), rolls, np.zeros(1, BOARD), ends)
    row: np.ndarray = places_after(plan.game, ends)[0]
    return row


@lean(nogil=True, cache=True)
def _walk(flat, tables, rules, rolls, boards, ends):
    """Play each round with each roll, and add up how they end."""
    board = boards[0]
    for start in range(ends.shape[0]):
        own, node = 0, LOST
        while own < rolls.alive[start] and rolls.seats[start, own]:
            own += 1
        for number in range(rolls.numbers[start]):
            ways = lay(board, rolls, start, number)
            if own < board.alive:
                ring, turn = _ring(board, own, flat.kinds, rules.dice)
                node = flat.roots[flat.rings[ring], turn]
            while board.rolled:
                action = _decided(flat, board, node) if board.speaker == own else reply(board, tables, rules)
                node = _followed(flat, node, action)
                speak(board, action, rules, ways, ends[start])


@lean
def _decided(flat, board, node):
    """The plan's action, or liar after an unexpected bid."""
    if node == LOST:
        return LIAR
    own = board.speaker
    return flat.chosen[flat.decided[node] + board.hands[own] - flat.first_hand[board.counts[own]]]


@lean
def _followed(flat, node, action):
    """The node after an action; ``LOST`` if the plan expects no such bid, or the round is over."""
    if node == LOST:
        return LOST
    edge, end = flat.first[node], flat.first[node + 1]
    while edge < end and flat.action[edge] != action:
        edge += 1
    return flat.child[edge] if edge < end else LOST


@lean
def _turned(board, own):
    """Rotate the seats and the opener so that player 0 has the first; returns its seat before."""
    seats, players = board.seats, board.players
    for place in range(players):
        board.hands[place] = seats[(own + place) % players]
    for place in range(players):
        seats[place] = board.hands[place]
    board.opener = (players - own) % players
    return 0


@lean
def _ring(board, own, kinds, dice):
    """The number of the ring of players with dice, from player 0 on, and the turn in it of the opener."""
    number, turn, opens, place = board.counts[own], 1, 0, board.after[own]
    while place != own:
        if place == board.opener:
            opens = turn
        number = (number * (dice + 1) + board.counts[place]) * kinds.size + kinds[board.seats[place]]
        turn += 1
        place = board.after[place]
    return number, opens
