"""The result table's relatives, compiled: the games of ``support.learners.regret_table.learn``, number for number."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from support.core.compiled import njit
from support.core.flat import FlatGame
from support.core.interface import TERMINAL
from support.core.splitmix_fast import mix, share, step
from support.learners.marks import as_marks
from support.learners.regret_table import RULES, RegretTableLearner, RegretTableSettings
from support.learners.result_table_layout import lay_out
from support.learners.sampling_fast import LONGEST, dealt, require_end, require_room

AVERAGES, TOTALS, REGRETS = map(RULES.index, ("averages", "totals", "regrets"))
ONE = np.uint32(1)


@dataclass(frozen=True, eq=False)
class Trace:
    """A run, recorded at its marks; the columns are those of ``support.learners.regret_table.Row``.

    Attributes:
        marks: int64[k], games played.
        nodes: int64[k], states visited up to each mark, terminal states included.
        counts: int64[k, slots], how often each choice had been made.
        played: float64[k, slots], sums over the visits of its probability, without the exploration.
        won: int64[slots], the total gained from each choice to the end of the game, at the last mark.
        credit: float64[slots], the estimated totals or regrets at the last mark; 0 with the rule ``averages``.
    """

    marks: np.ndarray
    nodes: np.ndarray
    counts: np.ndarray
    played: np.ndarray
    won: np.ndarray
    credit: np.ndarray


def run(flat: FlatGame, settings: RegretTableSettings, marks: Sequence[int], seed: int) -> Trace:
    """Play, learn, and keep counts and strategies at the marks. The interpreter's lock is released meanwhile.

    Args:
        flat: any unfolded game with whole rewards.
        settings: rule and exploration.
        marks: rising numbers of games, from 1.
        seed: 64-bit seed.

    Raises:
        ValueError: rewards that are not whole numbers, an information state whose nodes have different actions, or
            marks that do not rise from 1.
        TooLongError: a game takes more than about a million moves.
    """
    kept, layout = as_marks(marks), lay_out(flat)
    require_room(layout, int(kept[-1]))
    slots = int(layout.slots[-1])
    counts, won = np.zeros((2, slots), np.int64)
    credit, played = np.zeros((2, slots))
    trace = Trace(
        kept, np.zeros_like(kept), np.zeros((len(kept), slots), np.int64), np.zeros((len(kept), slots)), won, credit
    )
    learner = RegretTableLearner(settings, seed)
    streams = (np.uint64(learner.chance.state), np.uint64(learner.stream.state))
    rule, exploration = RULES.index(settings.rule), float(settings.exploration)
    path = (np.zeros(LONGEST, np.uint32), np.zeros(LONGEST))
    scratch = (np.zeros(int(np.diff(flat.slots).max(initial=0))), np.zeros(len(layout.rewards), np.int64))
    nodes = 0
    for k, games in enumerate(np.diff(kept, prepend=0)):
        *after, visited = _play(layout, rule, exploration, streams, games, (counts, won, credit, played), path, scratch)
        require_end(visited)
        streams = (np.uint64(after[0]), np.uint64(after[1]))
        nodes += int(visited)
        trace.nodes[k], trace.counts[k], trace.played[k] = nodes, counts, played
    return trace


@njit(nogil=True, cache=True)
def _play(layout, rule, exploration, streams, games, columns, path, scratch):
    """Play games; return the streams and the number of states visited, -1 if a game did not end."""
    first, mover, spread, child, bound, slot_of, information_of, who, rewards, slots = layout[:10]
    chance, stream = streams
    counts, won, credit, played = columns
    edges, odds = path
    shares, gain = scratch
    visited = 0
    for _ in range(games):
        node, moves = np.uint32(0), 0
        while mover[node] != TERMINAL:
            if moves == edges.size:
                return chance, stream, -1
            edge = first[node]
            if mover[node] >= 0:
                size, start = np.int64(first[node + ONE]) - np.int64(edge), np.int64(slot_of[edge])
                _strategy(rule, counts, won, credit, start, size, shares)
                stream = step(stream)
                number, total, place = share(stream), 0.0, 0
                for other in range(size):
                    played[start + other] += shares[other]
                    likely = (1.0 - exploration) * shares[other] + exploration / size
                    if likely > 0 and number >= total:  # the last possible place if rounding leaves none
                        place, odds[moves] = other, likely
                    total += likely
                edge += np.uint32(place)
            else:
                chance = step(chance)
                edge = dealt(mix(chance), spread[node], bound, edge)
            edges[moves] = edge
            moves += 1
            node = child[edge]
        visited += moves + 1
        gain[:] = 0
        while moves:
            moves -= 1
            edge = edges[moves]
            for player in range(gain.size):
                gain[player] += rewards[player, edge]
            player = who[edge]
            if player >= 0:
                slot, information = slot_of[edge], information_of[edge]
                counts[slot] += 1
                won[slot] += gain[player]
                _credit(rule, credit, slots[information], slots[information + ONE], slot, gain[player], odds[moves])
    return chance, stream, visited


@njit(nogil=True, cache=True)
def _credit(rule, credit, start, stop, slot, gain, odds):
    """Credit a choice, made with the probability ``odds``, with what was gained from it to the end."""
    if rule == TOTALS:
        credit[slot] += gain / odds
    elif rule == REGRETS:
        for other in range(start, stop):
            credit[other] += (gain / odds if other == slot else 0.0) - gain


@njit(nogil=True, cache=True)
def _strategy(rule, counts, won, credit, start, size, shares):
    """Fill ``shares`` with the probability of each choice from slot ``start`` on, without the exploration."""
    if rule == TOTALS:
        best = start
        for slot in range(start, start + size):
            shares[slot - start] = 0.0
            if credit[slot] > credit[best]:
                best = slot
        shares[best - start] = 1.0
        return
    mean, total = 0.0, 0.0
    if rule == AVERAGES:
        visits, gained = 0, 0
        for slot in range(start, start + size):
            visits += counts[slot]
            gained += won[slot]
        mean = gained / visits if visits else 0.0
    for place in range(size):
        slot, value = start + place, credit[start + place]
        if rule == AVERAGES:
            value = (won[slot] / counts[slot] if counts[slot] else 0.0) - mean
        shares[place] = max(value, 0.0)
        total += shares[place]
    for place in range(size):
        shares[place] = shares[place] / total if total > 0 else 1.0 / size
