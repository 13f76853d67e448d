"""The result table, compiled: the games of ``support.learners.result_table.learn``, number for number.

It works on any unfolded game with whole rewards. A table is a pair of int64 arrays over the game's slots (one for each
information state and choice). Three things make it fast.

First, the greedy edge of every node is stored, and changes only when the leading choice of its information state does.
One comparison per choice is enough to detect that: only the value of the choice that was made has moved, so it still
leads as long as it exceeds the runner-up's.

Second, random choices are scheduled by the gaps between them, so most choices need no random number.

Third, in small games where chance only deals, once, before anything else, greedy games are only counted:
``support.learners.result_table_leads_fast`` says how.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean, njit
from support.core.interface import TERMINAL
from support.core.lanes_fast import lowest
from support.core.splitmix_fast import mix, step
from support.learners.result_table import TIES, ResultTable, ResultTableLearner, ResultTableSettings, gaps
from support.learners.result_table_layout import Layout
from support.learners.result_table_leads_fast import (
    GAP,
    IN_USE,
    LEADS,
    MOST,
    NOWHERE,
    PIECE,
    SHIFT,
    coast,
    draw_deals,
    ends_of,
    enter,
    enter_end,
    follow,
    kept_of,
    leads_of,
    survey,
    swap,
    weigh,
)
from support.learners.sampling_fast import BIT, LONGEST, ONE, dealt, require_end, require_room

S32, S52 = np.uint64(32), np.uint64(52)
TIED = np.uint32(0xFFFFFFFF)  # instead of a node's greedy edge: draw among those that tie
NEVER = 1 << 60  # a gap without end
NEARER = 1 / 64  # how much of the way from the runner-up's value to the leader's the bar lies above the former


@dataclass(eq=False)
class Table:
    """A run of the learner: everything that the next game depends on.

    Attributes:
        counts: int64[slots], how often each choice was made.
        won: int64[slots], the total gained from each choice to the end of the game.
        games: games so far.
        nodes: states visited so far, terminal states included.
        chance, stream: the states of the two streams of random numbers.
        gap: choices up to and including the next random one; 0 or less if there is none.
    """

    counts: np.ndarray
    won: np.ndarray
    games: int
    nodes: int
    chance: int
    stream: int
    gap: int


def new_table(layout: Layout, settings: ResultTableSettings, seed: int) -> Table:
    """An empty table, with the streams of random numbers that belong to ``seed``."""
    learner = ResultTableLearner(settings, ResultTable(), seed)
    counts, won = np.zeros((2, int(layout.slots[-1])), np.int64)
    return Table(counts, won, 0, 0, learner.chance.state, learner.stream.state, learner.gap)


def advance(layout: Layout, settings: ResultTableSettings, table: Table, games: int) -> None:
    """Play more games and update the table in place. The interpreter's lock is released, so threads run in parallel.

    However the games are divided into calls, the table ends up the same.

    Raises:
        DoesNotFitError: the totals might become too large.
        TooLongError: a game takes more than about a million moves; the table is then useless.
    """
    require_room(layout, table.games + games)
    ties = TIES.index(settings.ties)
    values = np.full(table.counts.size, float(settings.untried))
    tried = table.counts > 0
    values[tried] = table.won[tried] / table.counts[tried]
    states, nodes = layout.slots.size - 1, layout.mover.size
    best = _Best(values, np.zeros(states, np.uint32), np.zeros(states), *np.zeros((2, nodes), np.uint32))
    ends, kept = ends_of(layout), kept_of(layout)
    leads = leads_of(layout, table.games + games)
    path, due = np.zeros((2, max(LONGEST, states)), np.uint32)
    gain = np.zeros(len(layout.rewards), np.int64)
    bounds = np.array(gaps(settings.exploration), np.uint64)
    guide = np.append(np.searchsorted(bounds, np.arange(4096, dtype=np.uint64) << S52, side="right"), bounds.size)
    never = 0 if settings.exploration else NEVER  # then no gap ends
    now = (np.uint64(table.chance), np.uint64(table.stream), table.gap + never, games)
    *after, gap, visited = _play(
        layout, best, ends, kept, leads, ties, (bounds, guide), now, table.counts, table.won, path, gain, due
    )
    require_end(visited)
    table.chance, table.stream, table.gap = *map(int, after), int(gap) - never
    table.games, table.nodes = table.games + games, table.nodes + int(visited)


class _Best(NamedTuple):
    values: np.ndarray  # for each slot, the average gain of the choice
    leader: np.ndarray  # for each information state, the first slot of the highest value (the last if ties go there)
    bar: np.ndarray  # for each information state, a value from the runner-up's to the leader's that calls for a search
    greedy: np.ndarray  # for each node, the edge of the leader, or TIED
    after: np.ndarray  # for each node, the child at that edge or NOWHERE, so play need not wait for two look-ups


@njit(inline="always")
def _lead(
    values, leaders, bars, greedy, after, stale, meets, first, child, slots, group, members, deal_of, ties, information
):
    """Determine the leading choice of an information state again, and pass it on to its nodes.

    It takes arrays one by one, because passing tuples of them costs more than the work here.
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
    if -np.inf < bar and top < np.inf:
        bar += NEARER * (top - bar)  # so that a value that goes up and down a little does not reach it at once
    bars[information] = np.inf if tied else bar  # after a tie any change calls for a new search
    for member in range(group[information], group[information + 1]):
        node = members[member]
        edge = first[node] + leader - start
        if deal_of.size and (tied or edge != greedy[node]) and meets[deal_of[member]] >> information & ONE:
            stale[deal_of[member]] = True
        greedy[node] = TIED if tied else edge
        after[node] = NOWHERE if tied else child[edge]


@njit(inline="always")
def _among_tied(values, start, stop, number):
    """The place of one of the choices that tie for the highest value, drawn with a random number."""
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


@njit(inline="always")
def _gap(bounds, guide, number):
    """1 + the number of bounds that are no larger than the random number; its top 12 bits say where to look."""
    low = guide[number >> S52]
    size = guide[(number >> S52) + BIT] - low
    while size > 1:
        half = size // 2
        low += half * (bounds[low + half - 1] <= number)
        size -= half
    return 1 + low + (size == 1 and bounds[low] <= number)


@njit(inline="always")
def _drawn(stream, bounds, slots, information):
    """Draw a random choice; return the stream, the slot of the choice, and the gap to the next random one."""
    stream = step(stream)
    choices = np.uint64(slots[information + ONE] - slots[information])
    slot = slots[information] + np.uint32(((mix(stream) >> S32) * choices) >> S32)
    stream = step(stream)
    return stream, slot, _gap(bounds[0], bounds[1], mix(stream))


@njit(inline="always")
def _reconsider(layout, best, ends, kept, leads, ties, counts, won, information, surveyed):
    """Determine the leading choice of an information state again, and update everything that depends on it.

    If a survey follows, leads and stored games are left to it.

    Returns the number of states visited in games that were only counted.
    """
    first, mover, _, child, _, _, _, _, _, slots, group, members, _, _ = layout
    values, leader, bar, greedy, after = best
    length, met, _, end_slots, _, end_gains, end_steps, priced = ends
    end, meets, stale, played, steps, deal_of, _ = kept
    left, price, limits, _ = leads
    visited = 0
    if deal_of.size:
        for member in range(group[information], group[information + 1]):
            place = deal_of[member]
            if meets[place] >> information & ONE:
                visited += enter(end, played, length, end_slots, end_gains, counts, won, place)
        slot = leader[information]
        if counts[slot]:
            values[slot] = np.float64(won[slot]) / np.float64(counts[slot])
    _lead(
        values, leader, bar, greedy, after, stale, meets,
        first, child, slots, group, members, deal_of, ties, information,
    )  # fmt: skip
    if deal_of.size and surveyed:
        weigh(leader, bar, left, price, limits, counts, won, slots, information)
        for member in range(group[information], group[information + 1]):
            place = deal_of[member]
            if meets[place] >> information & ONE:
                follow(first, mover, child, after, stale, end, meets, met, end_steps, priced, steps, price, place)
    return visited


@njit(inline="always")
def _credit(layout, best, leads, counts, won, gain, path, moves, due):
    """Enter a game in the table, last move first; return how many information states are due to be reconsidered."""
    who, slot_of, information_of, rewards, deals = layout[7], layout[5], layout[6], layout[8], layout[12]
    values, leader, bar, _, _ = best
    left, price, _, _ = leads
    first_rewards, second_rewards = rewards[0], rewards[1]
    first_gain, second_gain, changed = np.int64(0), np.int64(0), 0
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
            gained = first_gain if player == 0 else second_gain if player == 1 else gain[player]
            counts[slot] += 1
            won[slot] += gained
            if deals.size and slot == leader[information]:  # its value is computed when it is reconsidered
                left[information] += (gained << SHIFT) - price[information]
                may_change = left[information] < 0
            else:
                values[slot] = np.float64(won[slot]) / np.float64(counts[slot])
                if slot != leader[information]:  # a bar that is too high can wait
                    may_change = values[slot] >= bar[information] or bar[information] == np.inf
                else:
                    may_change = values[slot] <= bar[information]
            if may_change:
                due[changed] = information
                changed += 1
    return changed


@lean(nogil=True, cache=True)
def _play(layout, best, ends, kept, leads, ties, bounds, now, counts, won, path, gain, due):
    """Play games; return the streams, the gap and the number of states visited, -1 if a game did not end."""
    first, mover, spread, child, bound, slot_of, _, _, _, slots, _, _, deals, _ = layout
    values, _, bar, greedy, after = best
    length, _, end_edges, end_slots, end_informations, end_gains, end_steps, priced = ends
    end, _, _, played, steps, _, coming = kept
    left, price, _, others = leads
    chance, stream, gap, games = now
    visited, stop, changed = 0, games, slots.size - 1
    for information in range(changed):
        due[information] = information
    place, begun, deal = np.uint32(0), games, np.uint64(0)
    if not deals.size:
        deal = mix(step(chance))  # drawn before it is needed
    while games > 0:
        while changed:
            changed -= 1
            visited += _reconsider(layout, best, ends, kept, leads, ties, counts, won, due[changed], games > stop)
        if deals.size:
            if games <= stop:
                visited += survey(layout, best, ends, kept, leads, counts, won)
                begun, stop = games, max(games - PIECE, 0)
                chance = draw_deals(chance, spread[0], bound, coming[: games - stop])
            until = min(gap, MOST) - 1  # choices before the next random one
            place, used = coast(coming, np.uint64(begun - games), played, steps, left, until, games - stop - 1)
            rest, games = gap - (until - left[GAP]), stop + 1 + left[GAP + 1]  # after the last game
            counted = left[GAP] >= 0
            node = end[place]
            if not counted and rest <= 0 and node != NOWHERE:
                random = length[node] + rest - 1  # the place of the random choice
                slot, information = end_slots[node, random], end_informations[node, random]
                number, drawn, pause = _drawn(stream, bounds, slots, information)
                other = node
                if drawn != slot:
                    other = child[end_edges[node, random] + drawn - slot]
                    while mover[other] >= 0:
                        other = after[other]
                rest = pause - (length[other] - 1 - random)
                if other != NOWHERE and rest > 0:  # no other choice is random
                    counted, stream = True, number
                    if drawn != slot:
                        played[place] -= 1
                        visited += enter_end(length, end_slots, end_gains, counts, won, other, 1)
                        used = swap(left, steps, end_steps, priced, price, others, place, other, information)
                        values[drawn] = np.float64(won[drawn]) / np.float64(counts[drawn])
                        if values[drawn] >= bar[information]:
                            due[changed] = information
                            changed += 1
            if counted:
                gap = rest
                used &= IN_USE
                while used:
                    due[changed] = lowest(used)
                    changed += 1
                    used &= used - BIT
                continue
            # The last game is played again, choice by choice.
            played[place] -= 1
            for lead in range(LEADS):
                left[lead] -= steps[place, lead]
            gap, games = gap - (until - left[GAP]), games + 1
        games -= 1
        node, moves = np.uint32(0), np.uint32(0)
        while mover[node] != TERMINAL:
            edge = first[node]
            if mover[node] >= 0:
                gap -= 1
                if gap == 0:
                    stream = step(stream)
                    edge += np.uint32(((mix(stream) >> S32) * np.uint64(first[node + ONE] - edge)) >> S32)
                    stream = step(stream)
                    gap = _gap(bounds[0], bounds[1], mix(stream))
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
                if deals.size:
                    edge += place
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
        changed = _credit(layout, best, leads, counts, won, gain, path, moves, due)
    for place in range(end.size):
        visited += enter(end, played, length, end_slots, end_gains, counts, won, place)
    return chance, stream, gap, visited
