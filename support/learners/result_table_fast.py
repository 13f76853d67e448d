"""The result table, compiled: the games of ``support.learners.result_table.learn``, number for number.

Works on any unfolded game with whole rewards. A table is a pair of int64 arrays over the game's slots (one for each
information state and choice). Three things make it fast. The greedy edge of every node is kept at hand and changed only
when the leading choice of its information state changes, which takes one comparison a choice to find out: only the
value of the choice that was made has moved, so it still leads as long as it exceeds the runner-up's. Random choices are
scheduled by the gaps between them, so that most choices need no random number. And in games where chance only deals,
once, before anything else, the greedy game after each deal is kept as a list of choices and what they gain: as long as
no leader changes and no random choice is due, a game is one look-up and the updates of the table.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from support.core.check import WAY_OUT
from support.core.compiled import njit
from support.core.flat import FlatGame
from support.core.interface import CHANCE, TERMINAL, DoesNotFitError
from support.core.play import thresholds
from support.core.splitmix_fast import mix, step
from support.learners.result_table import TIES, ResultTable, ResultTableLearner, ResultTableSettings, gaps

ONE, S32 = np.uint32(1), np.uint64(32)
TIED = np.uint32(0xFFFFFFFF)  # in place of a node's greedy edge: draw among those that tie
LONGEST = 1 << 20  # moves in a game


class TooLongError(DoesNotFitError):
    """A game that did not end: no limit of the rules stops players who like to go on."""


class Layout(NamedTuple):
    """An unfolded game as the kernel reads it. Unsigned, so that the compiler need not look out for negative indices.

    Nodes: ``first`` edges, ``mover``, and ``spread``, for a chance node with equally likely outcomes their number.
    Edges: ``child``; ``bound``, the largest random number that draws a chance outcome; ``slot``, ``information`` and
    ``who`` of the choice that it is (``who`` is -1 for chance); ``rewards`` by player and edge.
    Information states: ``slots``; ``group``, offsets into ``members``, its nodes.
    Nodes again, where chance deals once, at the root, and no position can be reached from two deals: ``deal``, the
    place of the deal that leads there. Empty for other games.
    """

    first: np.ndarray
    mover: np.ndarray
    spread: np.ndarray
    child: np.ndarray
    bound: np.ndarray
    slot: np.ndarray
    information: np.ndarray
    who: np.ndarray
    rewards: np.ndarray
    slots: np.ndarray
    group: np.ndarray
    members: np.ndarray
    deal: np.ndarray


@dataclass(eq=False)
class Table:
    """A run of the learner: all that the next game depends on.

    Attributes:
        counts: int64[slots], how often each choice was made.
        won: int64[slots], what was gained from it on, in all.
        games: games so far.
        nodes: states visited so far, ends of games included.
        chance, stream: the states of the two streams of random numbers.
        gap: choices up to and including the next random one; 0 if there is none.
    """

    counts: np.ndarray
    won: np.ndarray
    games: int
    nodes: int
    chance: int
    stream: int
    gap: int


def lay_out(flat: FlatGame) -> Layout:
    """Prepare an unfolded game.

    Raises:
        ValueError: rewards that are not whole numbers, or information states with different actions.
    """
    if any(Fraction(reward).denominator != 1 for row in flat.rewards for reward in row):
        raise DoesNotFitError(f"the rewards of {flat.game.name} must be whole numbers; choose a smaller unit")
    bound, spread = np.zeros(len(flat.child), np.uint64), np.zeros(flat.num_nodes, np.uint64)
    for node in np.flatnonzero(flat.player == CHANCE).tolist():
        edges = flat.edges(node)
        probabilities = [flat.probability[edge] for edge in edges]
        bound[edges.start : edges.stop] = [limit - 1 for limit in thresholds(probabilities)]
        spread[node] = len(edges) if len(set(probabilities)) == 1 else 0
    source = np.repeat(np.arange(flat.num_nodes), np.diff(flat.first))
    rewards = np.zeros((max(flat.num_players, 2), len(flat.child)), np.int64)
    rewards[: flat.num_players] = np.array([[int(reward) for reward in row] for row in flat.rewards]).T
    members = flat.nodes_of_information()
    return Layout(
        first=flat.first.astype(np.uint32),
        mover=flat.player,
        spread=spread,
        child=flat.child.astype(np.uint32),
        bound=bound,
        slot=flat.slot.astype(np.uint32),
        information=flat.information[source].astype(np.uint32),
        who=flat.player[source],
        rewards=rewards,
        slots=flat.slots.astype(np.uint32),
        group=np.cumsum([0, *map(len, members)]).astype(np.uint32),
        members=np.concatenate(members).astype(np.uint32),
        deal=_deals(flat),
    )


def _deals(flat: FlatGame) -> np.ndarray:
    """For each node the place of the deal that leads there; empty if chance does not deal just once, at the root."""
    deal = np.full(flat.num_nodes, -1, np.int64)
    if flat.player[0] != CHANCE or (flat.player[1:] == CHANCE).any():
        return np.zeros(0, np.uint32)
    for place, edge in enumerate(flat.edges(0)):
        todo = [int(flat.child[edge])]
        while todo:
            node = todo.pop()
            if deal[node] != -1:  # a position that two ways lead to
                return np.zeros(0, np.uint32)
            deal[node] = place
            todo += [int(flat.child[below]) for below in flat.edges(node)]
    deal[0] = 0
    return deal.astype(np.uint32)


def new_table(layout: Layout, settings: ResultTableSettings, seed: int) -> Table:
    """An empty table and the streams of random numbers that ``seed`` names."""
    learner = ResultTableLearner(settings, ResultTable(), seed)
    counts, won = np.zeros((2, int(layout.slots[-1])), np.int64)
    return Table(counts, won, 0, 0, learner.chance.state, learner.stream.state, learner.gap)


def advance(layout: Layout, settings: ResultTableSettings, table: Table, games: int) -> None:
    """Play on, in place. The interpreter's lock is released meanwhile, so threads run side by side.

    However the games are cut into calls, the table ends up the same.

    Raises:
        TooLongError: a game of more than about a million moves; the table is then of no use.
    """
    ties = TIES.index(settings.ties)
    values = np.full(table.counts.size, float(settings.untried))
    tried = table.counts > 0
    values[tried] = table.won[tried] / table.counts[tried]
    states, nodes = layout.slots.size - 1, layout.mover.size
    best = _Best(values, np.zeros(states, np.uint32), np.zeros(states), *np.zeros((2, nodes), np.uint32))
    kept = _kept(layout)
    for information in range(states):
        _lead(*best, kept.length, *layout[0:1], layout.child, *layout[-4:], ties, information)
    path, gain = np.zeros(LONGEST, np.uint32), np.zeros(len(layout.rewards), np.int64)
    bounds = np.array(gaps(settings.exploration), np.uint64)
    now = (np.uint64(table.chance), np.uint64(table.stream), table.gap, games)
    *after, visited = _play(layout, best, kept, ties, bounds, now, table.counts, table.won, path, gain)
    if visited < 0:
        raise TooLongError(f"a game went beyond {LONGEST:,} moves: its players like to go on for ever; {WAY_OUT}")
    table.chance, table.stream, table.gap = map(int, after)
    table.games, table.nodes = table.games + games, table.nodes + int(visited)


class _Best(NamedTuple):
    values: np.ndarray  # for each slot what the choice has gained on average
    leader: np.ndarray  # for each information state the first slot of the highest value (the last if ties go there)
    bar: np.ndarray  # and the highest value that the leader must not fall to
    greedy: np.ndarray  # for each node the edge of the leader, or TIED
    after: np.ndarray  # and the node that this edge leads to, so that play need not wait for two look-ups


class _Kept(NamedTuple):
    """For each deal the greedy game after it, with room for the longest; empty where chance does more than deal."""

    length: np.ndarray  # its choices; 0 if it has to be found anew, -1 if it hangs on a tie that is drawn anew
    slot: np.ndarray  # [deal, choice], last choice first
    information: np.ndarray
    gain: np.ndarray  # of the player who chooses, from the choice on


def _kept(layout: Layout) -> _Kept:
    deals, longest = (int(layout.first[1]), _longest(layout)) if layout.deal.size else (0, 0)
    slot, information = np.zeros((2, deals, longest), np.uint32)
    return _Kept(np.zeros(deals, np.int64), slot, information, np.zeros((deals, longest), np.int64))


def _longest(layout: Layout) -> int:
    """Moves in the longest game of a tree, whose nodes are numbered breadth first."""
    depth = np.zeros(layout.mover.size, np.int64)
    for node in range(layout.mover.size):
        depth[layout.child[layout.first[node] : layout.first[node + 1]]] = depth[node] + 1
    return int(depth.max())


@njit(inline="always")
def dealt(number, spread, bound, edge):
    """The edge of the chance outcome that a number draws, given its node's first edge and :class:`Layout`'s spread."""
    edge += np.uint32(((number >> S32) * spread) >> S32)  # right, or one short
    while number > bound[edge]:
        edge += ONE
    return edge


@njit(nogil=True, cache=True)
def _lead(values, leaders, bars, greedy, after, length, first, child, slots, group, members, deal, ties, information):
    """Find the leading choice of an information state anew, and pass it on to its nodes.

    Like the other helpers it takes arrays one by one: to hand over tuples of them costs more than what is done here.
    """
    start = slots[information]
    leader, top, bar = start, values[start], -np.inf
    several = slots[information + 1] - start > 1
    for slot in range(start + ONE, slots[information + 1]):
        value = values[slot]
        if value > top or (ties == 1 and value == top):
            leader, top, bar = np.uint32(slot), value, top
        elif value > bar:
            bar = value
    tied = ties == 2 and several and bar == top
    leaders[information] = leader
    bars[information] = np.inf if tied else bar  # after a tie any change calls for a new search
    for place in range(group[information], group[information + 1]):
        node = members[place]
        edge = first[node] + leader - start
        if deal.size and (tied or edge != greedy[node]):
            length[deal[node]] = 0
        greedy[node] = TIED if tied else edge
        after[node] = child[edge]


@njit(nogil=True, cache=True)
def _among_tied(values, start, stop, number):
    """The place of one of the choices of the highest value."""
    top, tied = values[start], np.uint64(0)
    for slot in range(start, stop):
        if values[slot] > top:
            top, tied = values[slot], np.uint64(1)
        elif values[slot] == top:
            tied += np.uint64(1)
    left = ((number >> S32) * tied) >> S32
    for slot in range(start, stop):
        if values[slot] == top:
            if left == 0:
                return np.uint32(slot) - start
            left -= np.uint64(1)
    return np.uint32(0)


@njit(nogil=True, cache=True)
def _gap(bounds, number):
    """1 + the number of bounds that are no larger than the random number."""
    low, size = 0, bounds.size
    while size > 1:
        half = size // 2
        low += half * (bounds[low + half - 1] <= number)
        size -= half
    return 1 + low + (size == 1 and bounds[low] <= number)


@njit(nogil=True, cache=True)
def _follow(first, mover, child, slot_of, information_of, who, rewards, greedy, after, kept, deal):
    """Keep the greedy game after a deal. Returns the number of its choices, -1 if one of them hangs on a tie."""
    node, choices = child[first[0] + deal], 0
    while mover[node] != TERMINAL:
        if greedy[node] == TIED:
            kept.length[deal] = -1
            return -1
        node = after[node]
        choices += 1
    gain = np.zeros(rewards.shape[0], np.int64)
    node = child[first[0] + deal]
    for choice in range(choices - 1, -1, -1):
        kept.slot[deal, choice] = greedy[node]  # for now the edge
        node = after[node]
    for choice in range(choices):
        edge = kept.slot[deal, choice]
        gain += rewards[:, edge]
        kept.slot[deal, choice] = slot_of[edge]
        kept.information[deal, choice] = information_of[edge]
        kept.gain[deal, choice] = gain[who[edge]]
    kept.length[deal] = choices
    return choices


@njit(nogil=True, cache=True)
def _play(layout, best, kept, ties, bounds, now, counts, won, path, gain):
    """Play games; returns the streams, the gap and the number of states visited, -1 if a game did not end."""
    first, mover, spread, child, bound, slot_of, information_of, who, rewards, slots, group, members, deals = layout
    values, leader, bar, greedy, after = best
    length, kept_slot, kept_information, kept_gain = kept
    chance, stream, gap, games = now
    first_rewards, second_rewards, visited = rewards[0], rewards[1], 0
    deal = mix(step(chance))  # drawn ahead of use
    for _ in range(games):
        if deals.size:
            place = dealt(deal, spread[0], bound, np.uint32(0))
            choices = length[place]
            if choices == 0:
                choices = _follow(
                    first, mover, child, slot_of, information_of, who, rewards, greedy, after, kept, place
                )
            if choices > 0 and (choices < gap or gap <= 0):
                chance = step(chance)
                deal = mix(step(chance))
                gap -= choices
                visited += choices + 2
                for choice in range(choices):
                    slot, information = kept_slot[place, choice], kept_information[place, choice]
                    # Also at the end: as a function it costs seventeen times as much, counting references to arrays.
                    counts[slot] += 1
                    won[slot] += kept_gain[place, choice]
                    values[slot] = np.float64(won[slot]) / np.float64(counts[slot])
                    if slot != leader[information] or values[slot] <= bar[information]:
                        _lead(
                            values, leader, bar, greedy, after, length, first, child, slots, group, members, deals,
                            ties, information,
                        )  # fmt: skip
                continue
        node, moves = np.uint32(0), np.uint32(0)
        while mover[node] != TERMINAL:
            edge = first[node]
            if mover[node] >= 0:
                gap -= 1
                if gap == 0:
                    stream = step(stream)
                    edge += np.uint32(((mix(stream) >> S32) * np.uint64(first[node + ONE] - edge)) >> S32)
                    stream = step(stream)
                    gap = _gap(bounds, mix(stream))
                    node = child[edge]
                elif greedy[node] == TIED:
                    stream = step(stream)
                    start = slot_of[edge]
                    edge += _among_tied(values, start, start + (first[node + ONE] - edge), mix(stream))
                    node = child[edge]
                else:
                    edge = greedy[node]
                    node = after[node]
            else:
                edge = dealt(deal, spread[node], bound, edge)
                chance = step(chance)
                deal = mix(step(chance))
                node = child[edge]
            if moves == path.size:
                return chance, stream, gap, -1
            path[moves] = edge
            moves += ONE
        visited += np.int64(moves) + 1
        first_gain, second_gain = np.int64(0), np.int64(0)
        gain[2:] = 0
        while moves:
            moves -= ONE
            edge = path[moves]
            first_gain += first_rewards[edge]
            second_gain += second_rewards[edge]
            for player in range(2, gain.size):
                gain[player] += rewards[player, edge]
            player = who[edge]
            if player >= 0:
                slot, information = slot_of[edge], information_of[edge]
                counts[slot] += 1
                won[slot] += first_gain if player == 0 else second_gain if player == 1 else gain[player]
                values[slot] = np.float64(won[slot]) / np.float64(counts[slot])
                if slot != leader[information] or values[slot] <= bar[information]:
                    _lead(
                        values, leader, bar, greedy, after, length, first, child, slots, group, members, deals,
                        ties, information,
                    )  # fmt: skip
    return chance, stream, gap, visited
