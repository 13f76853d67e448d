"""The result table's third trick, compiled: greedy games are only counted, as long as every leader keeps its lead.

It works in small games where chance only deals, once, before anything else. Thousands of deals are drawn at a time, and
the end of the greedy game after each deal is stored; what a game with a certain end does to the table is laid out
beforehand. As long as no leader changes and no random choice departs from it, the greedy game is only counted. It is
entered in the table later, together with all others after the same deal, when something depends on the entries. A game
with one random choice is entered at once, by the end that it comes to. A *lead* determines when that is: how much the
leading choice of an information state may still lose before the runner-up could pass it. Each game changes the leads of
its choices by whole numbers; the processor keeps all leads in its registers and changes them at once. Once a lead is
used up, ``support.learners.result_table_fast`` brings the table up to date and determines the leading choice again.

The compiled functions take arrays one by one, because passing tuples of them costs more than the work here.
"""

from typing import NamedTuple

import numpy as np

from support.core.aligned import aligned
from support.core.compiled import lean, njit
from support.core.lanes_fast import WHOLE, both, either, ending, less, load, negatives, store, total
from support.core.splitmix_fast import mix, step
from support.learners.result_table_layout import STATES, WIDEST, Layout
from support.learners.sampling_fast import BIT, dealt

ALL = np.uint32(0xFFFFFFFF)  # information states
NOWHERE = np.uint32(0)  # the root, in place of the end of a greedy game that depends on a random tie
SHIFT, MOST, DEAR = 10, 1 << 29, 1 << 30  # digits of a lead after the point; the most of one; a price beyond any lead
PIECE = 1 << 13  # games whose deals are drawn at once; then leads are computed again, lest they grow beyond an int32
LEADS = 3 * WHOLE
GAP = LEADS - 2  # beside the leads, the last two numbers are the choices and the games until something is due
IN_USE = (BIT << np.uint64(GAP)) - BIT  # one bit for each lead
assert STATES <= GAP
assert MOST + PIECE * (2 * WIDEST << SHIFT) < 1 << 31


class Ends(NamedTuple):
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


class Kept(NamedTuple):
    """For each deal, the greedy game after it; empty if chance does more than deal."""

    end: np.ndarray  # the node where it ends, or NOWHERE
    meets: np.ndarray  # the information states that it meets, one bit for each
    stale: np.ndarray  # whether it must be found again
    played: np.ndarray  # how often it was played without being entered in the table yet
    steps: np.ndarray  # int32[deal, lead], by how much playing it changes each lead
    deal_of: np.ndarray  # for each entry of the layout's ``members``, the deal that leads to the node
    coming: np.ndarray  # uint32[PIECE], the deals of the next games


class Leads(NamedTuple):
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


def ends_of(layout: Layout) -> Ends:
    """Lay out what a game with a certain end does to the table and to the leads."""
    nodes, longest = (layout.mover.size, int(layout.span[0])) if layout.deal.size else (0, 0)
    edge, slot, information = np.zeros((3, nodes, longest), np.uint32)
    steps, priced = (aligned(nodes, LEADS, dtype=np.int32) for _ in range(2))
    gain, length, met = np.zeros((nodes, longest), np.int64), np.zeros(nodes, np.int64), np.zeros(nodes, np.uint32)
    ends = Ends(length, met, edge, slot, information, gain, steps, priced)
    if nodes:
        _trace(layout, ends)
    return ends


def kept_of(layout: Layout) -> Kept:
    """No greedy game is known yet: all must be found."""
    deals = int(layout.first[1]) if layout.deal.size else 0
    played, steps = np.zeros(deals, np.int64), aligned(deals, LEADS, dtype=np.int32)
    deal_of = layout.deal[layout.members] if deals else layout.deal
    stale, coming = np.ones(deals, np.bool_), np.zeros(PIECE if deals else 0, np.uint32)
    return Kept(np.full(deals, NOWHERE), np.full(deals, ALL), stale, played, steps, deal_of, coming)


def leads_of(layout: Layout, games: int) -> Leads:
    """Leads still to be computed, with a margin for the rounding of a table of so many games."""
    spare = 2.0**-8 + float(np.abs(layout.span).max()) * games * 2.0**-50  # more than the rounding of sums and products
    left, price, others = (aligned(*shape, dtype=np.int32) for shape in ((LEADS,), (LEADS,), (LEADS, LEADS)))
    others[:] = np.eye(LEADS) - 1
    return Leads(left, price, np.array([float(layout.span[1]), spare]), others)


@lean(cache=True)
def _trace(layout, ends):
    """Work out :class:`Ends` of a game whose nodes are numbered breadth first; all its numbers are 0 before."""
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
def follow(first, mover, child, after, stale, ends, meets, met, end_steps, priced, steps, price, deal):
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
def enter_end(length, slots, gains, counts, won, end, times):
    """Enter in the table a number of games with the same end; return the number of states they visited."""
    for choice in range(length[end]):
        slot = slots[end, choice]
        counts[slot] += times
        won[slot] += times * gains[end, choice]
    return times * (length[end] + 2)


@njit(inline="always")
def enter(ends, played, length, slots, gains, counts, won, deal):
    """Enter in the table the games after a deal that were only counted; return the number of states they visited."""
    times = played[deal]
    if times == 0:
        return 0
    played[deal] = 0
    return enter_end(length, slots, gains, counts, won, ends[deal], times)


@njit(inline="always")
def swap(left, steps, end_steps, priced, price, others, deal, end, information):
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
def weigh(leaders, bars, left, price, limits, counts, won, slots, information):
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
def draw_deals(chance, spread, bound, deals):
    """Draw the deals of the next games; return the stream."""
    for game in range(deals.size):
        chance = step(chance)
        deals[game] = dealt(mix(chance), spread, bound, np.uint32(0))
    return chance


@lean(nogil=True, cache=True)
def coast(deals, game, played, steps, left, choices, games):
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


@lean(nogil=True, cache=True)
def survey(layout, best, ends, kept, leads, counts, won):
    """Enter all counted games, and compute all leads; return the number of states visited."""
    first, mover, _, child, _, _, _, _, _, slots, _, _, _, _ = layout
    _, leader, bar, _, after = best
    length, met, _, end_slots, _, end_gains, end_steps, priced = ends
    end, meets, stale, played, steps, _, _ = kept
    left, price, limits, _ = leads
    visited = 0
    for place in range(end.size):
        visited += enter(end, played, length, end_slots, end_gains, counts, won, place)
    for information in range(slots.size - 1):
        weigh(leader, bar, left, price, limits, counts, won, slots, information)
    for place in range(end.size):
        follow(first, mover, child, after, stale, end, meets, met, end_steps, priced, steps, price, place)
    return visited
