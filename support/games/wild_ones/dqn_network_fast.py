"""The network of wild ones in a game in progress, compiled: its inputs, its decisions, and a cache of them.

Plain counterparts: ``support.games.wild_ones.dqn.inputs`` for the inputs, ``action_values`` for the decisions.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean
from support.core.splitmix_fast import mix, step
from support.games.wild_ones.dqn import DQNSettings
from support.games.wild_ones.dqn_player import inputs_by_part
from support.games.wild_ones.policies import Views
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import masks_of
from support.learners.network import Network
from support.learners.network_fast import copy

DECISION = np.dtype([("key", np.uint64), ("action", np.int64)])
"""An entry of the cache of decisions."""


class PreparedViews(NamedTuple):
    """The network's inputs, prepared for the kernel.

    Attributes:
        bids: float32[bid, n], the inputs of a last bid.
        hands: float32[hand, m], those of a hand.
        masks: bool[total + 1, bid, action], the legal actions.
        players: for how many players the bids of the round have room; 0 if it does not see them.
        places: the number of inputs for the kind of a player; 0 if it does not see who sits where.
        kinds: int64[players], the kind of each player.
        made: int64[bid], the bids of the round so far, by number.
    """

    bids: np.ndarray
    hands: np.ndarray
    masks: np.ndarray
    players: int
    places: int
    kinds: np.ndarray
    made: np.ndarray


class PreparedNetwork(NamedTuple):
    """The network as the kernel reads it, and room for its layers and inputs.

    Attributes:
        sizes: int64[layers + 1], the widths, from inputs to outputs.
        weights: float32[n], those of all layers, as in :class:`support.learners.network.Network`.
        layers: float32[2, widest], room for the values of two layers, which take turns to be read and written.
        inputs: float32[3, inputs]: what the agent saw at its last decision, what it sees now, and what a copy sees.
    """

    sizes: np.ndarray
    weights: np.ndarray
    layers: np.ndarray
    inputs: np.ndarray

    @classmethod
    def of(cls, network: Network) -> "PreparedNetwork":
        """A network with room; it reads the weights where they are, so it learns with them."""
        sizes = network.sizes
        room = np.zeros((2, max(sizes)), np.float32), np.zeros((3, sizes[0]), np.float32)
        return cls(np.array(sizes), network.weights, *room)


class DecisionCache(NamedTuple):
    """A cache of decisions: a hash table with open addressing and linear probing.

    Attributes:
        places: ``DECISION``[2^k], or empty to keep nothing. A key is a 64-bit hash of the network's inputs, 0 in an
            empty place. Two of n situations have the same key with a probability of about n^2 / 2^65: one in thirty
            million for a million of them.
        used: int64[1], the number of places in use, at most half of them.
    """

    places: np.ndarray
    used: np.ndarray

    @classmethod
    def empty(cls, places: int) -> "DecisionCache":
        """An empty cache with this number of places."""
        return cls(np.zeros(places, DECISION), np.zeros(1, np.int64))


def prepared_views(game: WildOnes, settings: DQNSettings, known: int, kinds: Sequence[int]) -> PreparedViews:
    """Prepare a network's inputs against some opponents.

    Args:
        game: the rules of its training.
        settings: how it has learned.
        known: how many kinds of players it distinguishes.
        kinds: the opponents' kinds, by number.
    """
    by_bid, by_hand = inputs_by_part(Views(game), game.bids, settings.encoding, game.dice)
    return PreparedViews(
        np.ascontiguousarray(by_bid),
        by_hand,
        np.ascontiguousarray(masks_of(game)[:, :, : game.num_actions]),
        game.num_players if settings.history else 0,
        known if settings.identity else 0,
        np.array([*kinds, 0]),
        np.zeros(len(game.bids), np.int64),
    )


@lean
def _values(network, which):
    """The values of all actions at ``inputs[which]``, products added input by input; returns the row of ``layers``."""
    sizes, weights, layers, inputs = network
    first, row = 0, 0
    for layer in range(sizes.size - 1):
        rows, columns = sizes[layer], sizes[layer + 1]
        bias = first + rows * columns
        row = layer & 1
        out = layers[row]
        source = inputs[which] if layer == 0 else layers[1 - row]
        copy(weights[bias : bias + columns], out)
        for place in range(rows):
            value, base = source[place], first + place * columns
            if value == 0:  # most inputs are, and so are values that a rectifier has cut off
                continue
            for column in range(columns):
                out[column] += value * weights[base + column]
        if layer < sizes.size - 2:
            for column in range(columns):
                out[column] = max(out[column], np.float32(0))
        first = bias + columns
    return row


@lean
def best(network, which, legal, choices):
    """The legal action of highest value at ``inputs[which]``, the lowest number if tied."""
    out = network.layers[_values(network, which)]
    action = np.int64(legal[0])
    for place in range(1, choices):
        other = np.int64(legal[place])
        if out[other] > out[action] or (out[other] == out[action] and other < action):
            action = other
    return action


@lean
def write_inputs(views, network, which, board):
    """Write what the player to move sees into ``inputs[which]``."""
    counts, seats, after, speaker = board.counts, board.seats, board.after, board.speaker
    out = network.inputs[which]
    out[0], out[1], out[2] = counts[board.before[speaker]], counts[after[speaker]], board.total
    width = views.bids.shape[1]
    copy(views.bids[board.bid], out[3:])
    first = 3 + width + views.hands.shape[1]
    copy(views.hands[board.hands[speaker]], out[3 + width :])
    if views.players or views.places:
        out[first:] = 0
    if views.players:
        bids = views.bids.shape[0] - 1
        for number in range(board.said):
            out[first + (number - board.said) % board.alive * bids + views.made[number] - 1] = 1
        first += views.players * bids
    if views.places:
        place = after[speaker]
        while place != speaker:
            out[first + (views.places - 1 if board.copied else views.kinds[seats[place]])] = 1
            first += views.places
            place = after[place]


@lean
def key_of(views, board):
    """A 64-bit hash of what the player to move sees, never 0."""
    counts, seats, after, speaker = board.counts, board.seats, board.after, board.speaker
    around = (counts[board.before[speaker]] * 8 + counts[after[speaker]]) * 64 + board.total
    key = mix(step(np.uint64(((around * 1024 + board.hands[speaker]) * 256 + board.bid) * 8 + board.alive)))
    if views.players:
        for number in range(board.said):
            key = mix(step(key ^ np.uint64(views.made[number])))
    if views.places:
        place, ring = after[speaker], 0
        while place != speaker:
            ring, place = ring * 8 + views.kinds[seats[place]], after[place]
        key = mix(step(key ^ np.uint64(ring)))
    return max(key, np.uint64(1))


@lean
def find(places, key):
    """The place of a key, or the empty place at which the search for it ends."""
    last = np.uint64(places.size - 1)
    place = key & last
    while places[place].key != 0 and places[place].key != key:
        place = (place + np.uint64(1)) & last
    return place


@lean(inline="always")
def decided(views, network, cache, board, rules):
    """The network's action, from the cache if it has decided there before."""
    caches, key, spot = cache.places.size > 0, np.uint64(0), np.uint64(0)
    if caches:
        key = key_of(views, board)
        spot = find(cache.places, key)
        if cache.places[spot].key == key:
            return cache.places[spot].action
    write_inputs(views, network, 2, board)
    action = best(network, 2, rules.legal[board.total, board.bid], rules.choices[board.total, board.bid])
    if caches and cache.used[0] < cache.places.size // 2:
        cache.places[spot].key, cache.places[spot].action = key, action
        cache.used[0] += 1
    return action
