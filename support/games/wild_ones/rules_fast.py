"""Wild ones, compiled: the rules and tables prepared, and the steps that every compiled game is played with.

A game in progress is one record, ``BOARD``, which a Python caller makes (``np.zeros(1, BOARD)``) and a compiled loop
plays on, as far as it likes, because the record holds the whole state::

    board = boards[0]
    begin(board, players, rules, stream(seed, game))    # seats everybody
    while board.alive > 1:
        if not board.rolled:
            deal(board, rules)                          # a round begins
        action = reply(board, tables, rules)            # or whatever the player board.seats[board.speaker] decides
        take(board, action, rules)                      # after a challenge board.rolled is False again

The steps are :func:`support.core.compiled.lean`, as the loop that calls them must be: then they cost no more than if
they were written in it. Their plain counterpart is ``support.games.wild_ones.play.Match``.
"""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean, njit
from support.core.splitmix_fast import mix, step
from support.games.cups.digits_fast import S61, SHIFT, roll_hand, showing
from support.games.cups.rolls import FACES
from support.games.cups.round import MOST_PLAYERS
from support.games.wild_ones.play import PICK_BITS
from support.games.wild_ones.policies import DRAWS, Views
from support.games.wild_ones.rules import WildOnes, allowed

EXACT = 1  # the number of the action; that of liar is 0
# The rewards, in the order of ``support.games.wild_ones.dqn.Rewards``.
CAUGHT, LOST, EXACTLY, OUTBID, SURVIVED, CONCEDED, ASIDE, WIN = range(8)
LOW_BITS = np.uint64((1 << int(S61)) - 1)
PICK, PICK_SHIFT = np.uint64(PICK_BITS), np.uint64(64 - PICK_BITS)
S5, S10, S20 = np.uint64(5), np.uint64(10), np.uint64(20)
PAIRS = np.uint64(0x3F003F003F)
LOW, MIDDLE, HIGH = np.uint64(0x3F), np.uint64(0x3F << 6), np.uint64(0x3F << 12)

PLACES = (MOST_PLAYERS,)
BOARD = np.dtype(
    [
        ("stream", np.uint64),  # its state
        ("players", np.int64),  # seated, those who are out included
        ("alive", np.int64),  # players with dice
        ("total", np.int64),  # dice in play
        ("rounds", np.int64),  # rounds that were dealt
        ("decisions", np.int64),  # of all players
        ("opener", np.int64),  # of this round or, between two, of the next; like all that follow, by seat
        ("speaker", np.int64),  # whose turn it is, or who challenged
        ("bidder", np.int64),  # who made the last bid
        ("paid", np.int64),  # who lost or won a die by the last challenge, or would have but for having all already
        ("right", np.bool_),  # whether that challenge was right
        ("rolled", np.bool_),  # a round is under way
        ("bid", np.int64),  # the last, by number; 0 is none
        ("said", np.int64),  # bids of the round
        ("shown", np.uint64),  # all hands of the round together
        ("counts", np.int64, PLACES),  # the dice of each seat
        ("hands", np.int64, PLACES),  # by number
        ("seats", np.int64, PLACES),  # the player who sits there
        ("before", np.int64, PLACES),  # the last seat with dice before this one, and the next one after it
        ("after", np.int64, PLACES),
        ("places", np.uint8, PLACES),  # of each player, not seat: 1 for the winner, 0 while it is open
    ]
)
"""A game in progress."""


class Rules(NamedTuple):
    """The rules as tables for the kernel.

    Attributes:
        hands: int16[2^18], the number of a hand by its counts of each face, three bits a face.
        legal: int16[total + 1, bid, k], the numbers of the legal actions after a last bid, in order.
        choices: int64[total + 1, bid], how many there are.
        quantity, face: int64[bid], of a bid by its number; 0 is no bid, and faces count from 0.
        num_hands: the number of hands.
        dice: the number of dice that each player starts with.
    """

    hands: np.ndarray
    legal: np.ndarray
    choices: np.ndarray
    quantity: np.ndarray
    face: np.ndarray
    num_hands: int
    dice: int


@cache
def rules_of(game: WildOnes) -> Rules:
    """The rules of a game, prepared once."""
    views = Views(game)
    hands = np.full(1 << 3 * FACES, -1, np.int16)
    for number, hand in enumerate(views.hands):
        hands[sum(1 << 3 * (face - 1) for face in hand)] = number
    legal = np.full((game.most + 1, len(game.bids), game.num_actions), -1, np.int16)
    choices = np.zeros(legal.shape[:2], np.int64)
    for total in range(2, game.most + 1):
        for number, bid in enumerate(game.bids):
            if bid is None or bid[0] <= total:
                actions = [game.number(action) for action in allowed(total, bid)]
                legal[total, number, : len(actions)], choices[total, number] = actions, len(actions)
    return Rules(hands, legal, choices, *bids_of(game), len(views.hands), game.dice)


def bids_of(game: WildOnes) -> tuple[np.ndarray, np.ndarray]:
    """int64[bid] twice, the quantities of the bids and their faces, as in :class:`Rules`."""
    quantity, face = np.array([(bid[0], bid[1] - 1) if bid else (0, 0) for bid in game.bids]).T
    return quantity.copy(), face.copy()


@cache
def masks_of(game: WildOnes) -> np.ndarray:
    """bool[total + 1, bid, action + 1]: which entries of a table are allowed; the last is ``DRAWS``."""
    rules = rules_of(game)
    masks = np.zeros((*rules.choices.shape, game.num_actions + 1), bool)
    for total, bid in np.argwhere(rules.choices):
        masks[total, bid, rules.legal[total, bid, : rules.choices[total, bid]]] = True
        masks[total, bid, DRAWS] = True
    return masks


@cache
def _reached(views: Views) -> np.ndarray:
    """int64[4, n], the places of a table to which a game can lead."""
    return np.argwhere(views.reached).T


def require_legal(game: WildOnes, table: np.ndarray) -> None:
    """Check that a table plays only legal actions wherever a game can lead.

    Raises:
        ValueError: the table has another shape or type, or plays an illegal action.
    """
    shapes = [Views(game, neighbours).shape for neighbours in (False, True)]
    if table.shape not in shapes or table.dtype != np.int16:
        known = " or ".join(str(list(shape)) for shape in shapes)
        raise ValueError(f"a table must be int16 of the shape {known}, not {table.dtype}{list(table.shape)}")
    views = Views(game, table.shape == shapes[1])
    places = _reached(views)
    entries = table[tuple(places)]
    inside = (entries >= DRAWS) & (entries < game.num_actions)
    right = inside & masks_of(game)[places[0], places[3], np.where(inside, entries, DRAWS)]
    if not right.all():
        worst = int(np.argmin(right))
        view = views.view(places[:, worst])
        entry = int(entries[worst])
        shown = game.action(entry) if 0 <= entry < game.num_actions else entry
        raise ValueError(f"a table plays {shown} at {view}; legal are {', '.join(view.legal())}")


class Tables(NamedTuple):
    """The tables of several players in one array, as ``support.games.wild_ones.policies.table`` writes each of them.

    Attributes:
        written: int16[...], one table after the other.
        firsts: int64[players], where each begins.
        sides: int64[players], the size of each table's axis of neighbours; 1 if it ignores them.
    """

    written: np.ndarray
    firsts: np.ndarray
    sides: np.ndarray


def joined(tables: Sequence[np.ndarray]) -> Tables:
    """Several tables in one array."""
    firsts = np.cumsum([0, *(one.size for one in tables)])[:-1]
    return Tables(np.concatenate([one.ravel() for one in tables]), firsts, np.array([one.shape[1] for one in tables]))


@njit(inline="always")
def packed(hand):
    """A hand with three bits a face instead of eight."""
    pairs = (hand | (hand >> S5)) & PAIRS
    return (pairs & LOW) | ((pairs >> S10) & MIDDLE) | ((pairs >> S20) & HIGH)


@njit(inline="always")
def pick(choices, state):
    """A number from 0 to choices - 1, and the stream's next state; a single choice takes no number.

    Unlike ``below``, it can draw from more than a few choices.
    """
    if choices == 1:
        return 0, state
    state = step(state)
    return np.int64(((mix(state) >> PICK_SHIFT) * np.uint64(choices)) >> PICK), state


@njit(inline="always")
def seat_all(seats, state):
    """Write a random order of the players into ``seats``; returns the stream's next state."""
    state = step(state)
    rest = mix(state) >> SHIFT
    for player in range(seats.size):
        seats[player] = player
    for last in range(seats.size - 1, 0, -1):
        product = rest * np.uint64(last + 1)
        other, rest = np.int64(product >> S61), product & LOW_BITS
        seats[last], seats[other] = seats[other], seats[last]
    return state


@lean
def begin(board, players, rules, state):
    """Begin a new game: seat all players by one number of the stream; the first seat opens."""
    board.stream = seat_all(board.seats[:players], state)
    board.players, board.alive, board.total = players, players, players * rules.dice
    board.rounds, board.decisions, board.opener, board.rolled = 0, 0, 0, False
    for place in range(players):
        board.counts[place], board.places[place] = rules.dice, 0


@lean
def deal(board, rules):
    """Begin a round: roll all dice, with one number of the stream for each seat; the opener is to move."""
    counts, players = board.counts, board.players
    board.rounds += 1
    board.shown = 0
    last = players - 1
    while counts[last] == 0:
        last -= 1
    for place in range(players):
        if counts[place]:
            board.before[place], board.after[last] = last, place
            last = place
            hand, board.stream = roll_hand(counts[place], board.stream)
            board.hands[place] = rules.hands[packed(hand)]
            board.shown += hand
    board.speaker = board.bidder = board.opener
    board.bid, board.said, board.rolled = 0, 0, True


@lean
def reply(board, tables, rules):
    """The action of the player to move, by its table."""
    speaker, total, bid, row = board.speaker, board.total, board.bid, board.total
    player = board.seats[speaker]
    if tables.sides[player] > 1:
        near = board.counts[board.before[speaker]] * (rules.dice + 1) + board.counts[board.after[speaker]]
        row = total * tables.sides[player] + near
    place = (row * rules.num_hands + board.hands[speaker]) * rules.quantity.size + bid
    action = np.int64(tables.written[tables.firsts[player] + place])
    if action == DRAWS:
        chosen, board.stream = pick(rules.choices[total, bid], board.stream)
        action = np.int64(rules.legal[total, bid, chosen])
    return action


@lean
def take(board, action, rules):
    """Make the move of the player to move; after a challenge, the player whose dice change opens the next round."""
    board.decisions += 1
    if action > EXACT:
        board.bid = action - 1
        board.said += 1
        board.bidder, board.speaker = board.speaker, board.after[board.speaker]
        return
    counts, face = board.counts, rules.face[board.bid]
    there = showing(board.shown, face) + (showing(board.shown, 0) if face else 0)
    quantity = rules.quantity[board.bid]
    board.right = there == quantity if action == EXACT else there < quantity
    wins = board.right and action == EXACT
    paid = board.bidder if board.right and not wins else board.speaker
    change = (1 if counts[paid] < rules.dice else 0) if wins else -1
    counts[paid] += change
    board.total += change
    board.paid, board.opener, board.rolled = paid, paid, False
    if counts[paid] == 0:
        board.opener = board.after[paid]
        board.places[board.seats[paid]] = board.alive
        board.alive -= 1
        if board.alive == 1:
            board.places[board.seats[board.opener]] = 1


@lean
def earned(rewards, exact, right, calls, bids):
    """The reward of a challenge for a player who made it, who made the bid, or neither."""
    if calls:
        return rewards[LOST] if not right else rewards[EXACTLY] if exact else rewards[CAUGHT]
    if bids:
        return rewards[SURVIVED] if not right else rewards[CONCEDED] if exact else rewards[LOST]
    return rewards[ASIDE]
