"""The result table, compiled: the games of ``support.learners.result_table.learn``, number for number.

It works on any unfolded game with whole rewards. A table is a pair of int64 arrays over the game's slots (one for each
information state and choice). Three things make it fast.

First, the greedy edge of every node is stored, and changes only when the leading choice of its information state does.
One comparison per choice is enough to detect that: only the value of the choice that was made has moved, so it still
leads as long as it exceeds the runner-up's.

Second, random choices are scheduled by the gaps between them, so most choices need no random number.

Third, in small games where chance only deals, once, before anything else, thousands of deals are drawn at a time, and
the end of the greedy game after each deal is stored; what a game with a certain end does to the table is laid out
beforehand. As long as no leader changes and no random choice departs from it, the greedy game is only counted. It is
entered in the table later, together with all others after the same deal, when something depends on the entries. A game
with one random choice is entered at once, by the end that it comes to. A *lead* determines when that is: how much the
leading choice of an information state may still lose before the runner-up could pass it. Each game changes the leads of
its choices by whole numbers; the processor keeps all leads in its registers and changes them at once. Once a lead is
used up, the table is brought up to date, and the leading choice is determined again.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from support.core.aligned import aligned
from support.core.compiled import lean, njit
from support.core.interface import TERMINAL
from support.core.lanes_fast import WHOLE, both, either, ending, less, load, lowest, negatives, store, total
from support.core.splitmix_fast import mix, step
from support.learners.result_table import TIES, ResultTable, ResultTableLearner, ResultTableSettings, gaps
from support.learners.result_table_layout import STATES, WIDEST, Layout
from support.learners.sampling_fast import LONGEST, require_end

ONE, BIT, S32, S52 = np.uint32(1), np.uint64(1), np.uint64(32), np.uint64(52)
LOW = np.uint64((1 << 32) - 1)
TIED = np.uint32(0xFFFFFFFF)  # instead of a node's greedy edge: draw among those that tie
NEVER = 1 << 60  # a gap without end
ALL = np.uint32(0xFFFFFFFF)  # information states
NOWHERE = np.uint32(0)  # the root, in place of the end of a greedy game that depends on a random tie
SHIFT, MOST, DEAR = 10, 1 << 29, 1 << 30  # digits of a lead after the point; the most of one; a price beyond any lead
NEARER = 1 / 64  # how much of the way from the runner-up's value to the leader's the bar lies above the former
PIECE = 1 << 13  # games whose deals are drawn at once; then leads are computed again, lest they grow beyond an int32
LEADS = 3 * WHOLE
GAP = LEADS - 2  # beside the leads, the last two numbers are the choices and the games until something is due
IN_USE = (BIT << np.uint64(GAP)) - BIT  # one bit for each lead
assert STATES <= GAP
assert MOST + PIECE * (2 * WIDEST << SHIFT) < 1 << 31


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
        TooLongError: a game takes more than about a million moves; the table is then useless.
    """
    ties = TIES.index(settings.ties)
    values = np.full(table.counts.size, float(settings.untried))
    tried = table.counts > 0
    values[tried] = table.won[tried] / table.counts[tried]
    states, nodes = layout.slots.size - 1, layout.mover.size
    best = _Best(values, np.zeros(states, np.uint32), np.zeros(states), *np.zeros((2, nodes), np.uint32))
    ends, kept = _ends(layout), _kept(layout)
    leads = _leads(layout, table.games + games)
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


class _Ends(NamedTuple):
    """For each node, the choices that lead there, with room for the longest game; empty if chance does more than deal.

    NOWHERE meets every information state, so that any change of a leader has the game found again, and takes more
    choices than the lanes count of any gap, so that such a game is never only counted.
    """

    length: np.ndarray  # the number of choices
    met: np.ndarray  # the information states of these choices, one bit for each
    edge: np.ndarray  # [node, choice]
    slot: np.ndarray
    information: np.ndarray
    gain: np.ndarray  # of the player who chooses, from the choice to the node
    steps: np.ndarray  # int32[node, lead], by how much such a game changes the lead if the bar is 0
    priced: np.ndarray  # int32[node, lead], all bits set where the price is to be subtracted, elsewhere none


class _Kept(NamedTuple):
    """For each deal, the greedy game after it; empty if chance does more than deal."""

    end: np.ndarray  # the node where it ends, or NOWHERE
    meets: np.ndarray  # the information states that it meets, one bit for each
    stale: np.ndarray  # whether it must be found again
    played: np.ndarray  # how often it was played without being entered in the table yet
    steps: np.ndarray  # int32[deal, lead], by how much playing it changes each lead
    deal_of: np.ndarray  # for each entry of the layout's ``members``, the deal that leads to the node
    coming: np.ndarray  # uint32[PIECE], the deals of the next games


class _Leads(NamedTuple):
    """For each information state, how far the leading choice is ahead, in whole numbers of 2^-SHIFT units of rewards.

    While ``left`` is not below 0, the choice leads: its total gain exceeds the bar times the number of times that the
    choice was made, with a margin for rounding. At a bar of 0 it may also equal that, because the leader wins the tie;
    where ties are drawn, a tie has no finite bar. Making the choice once changes ``left`` by the gain less ``price``,
    which is the bar, rounded up.
    """

    left: np.ndarray  # int32[LEADS]; those of information states that the game does not have stay at 0
    price: np.ndarray  # int32[LEADS]
    limits: np.ndarray  # the least that a choice gains, and the margin for rounding
    others: np.ndarray  # int32[lead, LEADS], all bits set but those of the lead


def _ends(layout: Layout) -> _Ends:
    nodes, longest = (layout.mover.size, int(layout.span[0])) if layout.deal.size else (0, 0)
    edge, slot, information = np.zeros((3, nodes, longest), np.uint32)
    steps, priced = (aligned(nodes, LEADS, dtype=np.int32) for _ in range(2))
    gain, length, met = np.zeros((nodes, longest), np.int64), np.zeros(nodes, np.int64), np.zeros(nodes, np.uint32)
    ends = _Ends(length, met, edge, slot, information, gain, steps, priced)
    if nodes:
        _trace(layout, ends)
    return ends


def _kept(layout: Layout) -> _Kept:
    deals = int(layout.first[1]) if layout.deal.size else 0
    played, steps = np.zeros(deals, np.int64), aligned(deals, LEADS, dtype=np.int32)
    deal_of = layout.deal[layout.members] if deals else layout.deal
    stale, coming = np.ones(deals, np.bool_), np.zeros(PIECE if deals else 0, np.uint32)
    return _Kept(np.full(deals, NOWHERE), np.full(deals, ALL), stale, played, steps, deal_of, coming)


def _leads(layout: Layout, games: int) -> _Leads:
    spare = 2.0**-8 + float(np.abs(layout.span).max()) * games * 2.0**-50  # more than the rounding of sums and products
    left, price, others = (aligned(*shape, dtype=np.int32) for shape in ((LEADS,), (LEADS,), (LEADS, LEADS)))
    others[:] = np.eye(LEADS) - 1
    return _Leads(left, price, np.array([float(layout.span[1]), spare]), others)


@njit(inline="always")
def dealt(number, spread, bound, edge):
    """The edge of the chance outcome that a number draws, given its node's first edge and :class:`Layout`'s spread."""
    if spread:  # then the place is ((number + 1) * spread - 1) / 2^64, rounded down, as the bounds are
        low = (number & LOW) * spread + (spread - BIT)
        return edge + np.uint32(((number >> S32) * spread + (low >> S32)) >> S32)
    while number > bound[edge]:
        edge += ONE
    return edge


@lean(cache=True)
def _trace(layout, ends):
    """Work out :class:`_Ends` of a game whose nodes are numbered breadth first; all its numbers are 0 before."""
    first, mover, _, child, _, slot_of, information_of, who, rewards, _, _, _, _, _ = layout
    length, met, edges, slots, informations, gains, steps, priced = ends
    for node in range(mover.size):
        steps[node, GAP], steps[node, GAP + 1] = -length[node], -1
        for choice in range(length[node]):
            information = informations[node, choice]
            steps[node, information], priced[node, information] = gains[node, choice] << SHIFT, -1
        for edge in range(first[node], first[node + 1]):
            below, choices = child[edge], length[node]
            length[below], met[below] = choices, met[node]
            for choice in range(choices):
                information = informations[node, choice]
                edges[below, choice], slots[below, choice] = edges[node, choice], slots[node, choice]
                informations[below, choice] = information
                gains[below, choice] = gains[node, choice] + rewards[who[edges[node, choice]], edge]
            if mover[node] >= 0:
                information = information_of[edge]
                edges[below, choices], slots[below, choices] = edge, slot_of[edge]
                informations[below, choices] = information
                gains[below, choices] = rewards[mover[node], edge]
                length[below], met[below] = choices + 1, met[node] | np.uint32(1) << information
    steps[NOWHERE, GAP], met[NOWHERE] = -DEAR, ALL


@njit(inline="always")
def _lead(
    values, leaders, bars, greedy, after, stale, meets, first, child, slots, group, members, deal_of, ties, information
):
    """Determine the leading choice of an information state again, and pass it on to its nodes.

    Like the other helpers, it takes arrays one by one, because passing tuples of them costs more than the work here.
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
def _follow(first, mover, child, after, stale, ends, meets, met, end_steps, priced, steps, price, deal):
    """Find the greedy game after a deal again if it is stale, and by how much it changes each lead."""
    if stale[deal]:
        node = child[first[0] + deal]
        while mover[node] >= 0:
            node = after[node]
        ends[deal], meets[deal], stale[deal] = node, met[node], False
    old, new = np.int64(ends[deal]) * LEADS, np.int64(deal) * LEADS
    for lead in range(0, LEADS, WHOLE):
        gained, where = load(end_steps, old + lead), load(priced, old + lead)
        store(less(gained, both(load(price, lead), where)), steps, new + lead)


@njit(inline="always")
def _book(length, slots, gains, counts, won, end, times):
    """Enter in the table a number of games with the same end; return the number of states they visited."""
    for choice in range(length[end]):
        slot = slots[end, choice]
        counts[slot] += times
        won[slot] += times * gains[end, choice]
    return times * (length[end] + 2)


@njit(inline="always")
def _enter(ends, played, length, slots, gains, counts, won, deal):
    """Enter in the table the games after a deal that were only counted; return the number of states they visited."""
    times = played[deal]
    if times == 0:
        return 0
    played[deal] = 0
    return _book(length, slots, gains, counts, won, ends[deal], times)


@njit(inline="always")
def _swap(left, steps, end_steps, priced, price, others, deal, end, information):
    """Take the greedy game after a deal back from the leads, and count one that parts from it instead.

    At ``information``, where they part, the choice made does not lead, so that lead is as it was before the game.

    Returns which leads are used up then, one bit for each.
    """
    old, new, other = np.int64(deal) * LEADS, np.int64(end) * LEADS, np.int64(information) * LEADS
    used = np.uint64(0)
    for lead in range(0, LEADS, WHOLE):
        gained, where = load(end_steps, new + lead), load(priced, new + lead)
        before = less(load(left, lead), load(steps, old + lead))
        change = less(gained, both(load(price, lead), where))
        now = total(before, both(change, load(others, other + lead)))
        store(now, left, lead)
        used |= negatives(now) << np.uint64(lead)
    return used


@njit(inline="always")
def _weigh(leaders, bars, left, price, limits, counts, won, slots, information):
    """Compute how far the leading choice of an information state is ahead, from a table that is up to date there."""
    leader = leaders[information]
    made, bar = counts[leader], max(bars[information], limits[0])
    if slots[information + 1] - slots[information] == 1:
        left[information], price[information] = 0, np.int64(limits[0]) << SHIFT
        return
    ahead = np.float64(won[leader]) - bar * np.float64(made)
    if bar != 0:  # at 0 nothing is rounded, and a leader worth 0 still leads, since it wins the tie
        ahead -= limits[1]
    if made and ahead >= 0:  # not if bar is infinite
        price[information] = np.int64(np.ceil(bar * (1 << SHIFT)))
        left[information] = np.int64(np.floor(min(ahead * (1 << SHIFT), np.float64(MOST))))
    else:
        left[information], price[information] = 0, DEAR


@lean(nogil=True, cache=True)
def _draw_deals(chance, spread, bound, deals):
    """Draw the deals of the next games; return the stream."""
    for game in range(deals.size):
        chance = step(chance)
        deals[game] = dealt(mix(chance), spread, bound, np.uint32(0))
    return chance


@lean(nogil=True, cache=True)
def _coast(deals, game, played, steps, left, choices, games):
    """Count greedy games until a lead is used up, a random choice is due, or no deal is left.

    Returns the last deal and which leads are used up, one bit for each; if a random choice is due, the game after that
    deal may not end as it was counted.
    """
    first, second = load(left, 0), load(left, WHOLE)
    third = ending(load(left, 2 * WHOLE), np.int32(choices), np.int32(games))
    while True:
        place = deals[game]
        game += BIT
        played[place] += 1
        row = np.int64(place) * LEADS
        first = total(first, load(steps, row))
        second = total(second, load(steps, row + WHOLE))
        third = total(third, load(steps, row + 2 * WHOLE))
        if negatives(either(either(first, second), third)):  # one question for all leads; which ones it was, after
            break
    store(first, left, 0)
    store(second, left, WHOLE)
    store(third, left, 2 * WHOLE)
    used = negatives(first) | negatives(second) << np.uint64(WHOLE) | negatives(third) << np.uint64(2 * WHOLE)
    return place, used


@njit(inline="always")
def _drawn(stream, bounds, slots, information):
    """Draw a random choice; return the stream, the slot of the choice, and the gap to the next random one."""
    stream = step(stream)
    choices = np.uint64(slots[information + ONE] - slots[information])
    slot = slots[information] + np.uint32(((mix(stream) >> S32) * choices) >> S32)
    stream = step(stream)
    return stream, slot, _gap(bounds[0], bounds[1], mix(stream))


@lean(nogil=True, cache=True)
def _survey(layout, best, ends, kept, leads, counts, won):
    """Enter all counted games, and compute all leads; return the number of states visited."""
    first, mover, _, child, _, _, _, _, _, slots, _, _, _, _ = layout
    _, leader, bar, _, after = best
    length, met, _, end_slots, _, end_gains, end_steps, priced = ends
    end, meets, stale, played, steps, _, _ = kept
    left, price, limits, _ = leads
    visited = 0
    for place in range(end.size):
        visited += _enter(end, played, length, end_slots, end_gains, counts, won, place)
    for information in range(slots.size - 1):
        _weigh(leader, bar, left, price, limits, counts, won, slots, information)
    for place in range(end.size):
        _follow(first, mover, child, after, stale, end, meets, met, end_steps, priced, steps, price, place)
    return visited


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
                visited += _enter(end, played, length, end_slots, end_gains, counts, won, place)
        slot = leader[information]
        if counts[slot]:
            values[slot] = np.float64(won[slot]) / np.float64(counts[slot])
    _lead(
        values, leader, bar, greedy, after, stale, meets,
        first, child, slots, group, members, deal_of, ties, information,
    )  # fmt: skip
    if deal_of.size and surveyed:
        _weigh(leader, bar, left, price, limits, counts, won, slots, information)
        for member in range(group[information], group[information + 1]):
            place = deal_of[member]
            if meets[place] >> information & ONE:
                _follow(first, mover, child, after, stale, end, meets, met, end_steps, priced, steps, price, place)
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
                visited += _survey(layout, best, ends, kept, leads, counts, won)
                begun, stop = games, max(games - PIECE, 0)
                chance = _draw_deals(chance, spread[0], bound, coming[: games - stop])
            until = min(gap, MOST) - 1  # choices before the next random one
            place, used = _coast(coming, np.uint64(begun - games), played, steps, left, until, games - stop - 1)
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
                        visited += _book(length, end_slots, end_gains, counts, won, other, 1)
                        used = _swap(left, steps, end_steps, priced, price, others, place, other, information)
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
        visited += _enter(end, played, length, end_slots, end_gains, counts, won, place)
    return chance, stream, gap, visited
