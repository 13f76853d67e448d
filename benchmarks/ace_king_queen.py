"""Ace, king, queen: the result table compiled and plain, beside OpenSpiel's random play, and what bounds it."""

import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numba import njit

from support.core.export import to_gambit
from support.core.flat import FlatGame, unfold
from support.core.policy import uniform
from support.core.splitmix_fast import mix, step
from support.exact.best_response import expected_returns
from support.games.cards.ace_king_queen import AceKingQueen
from support.learners.result_table import ResultTableSettings, learn
from support.learners.result_table_fast import advance, new_table
from support.learners.result_table_layout import lay_out
from support.sweep.timing import Pace, rate

SEED, GAMES, PLAIN, PEER, RECORDED = 7, 20_000_000, 20_000, 20_000, 10_000


def rows() -> Iterator[Pace]:
    """The rows of the chapter. Everything runs on one core."""
    flat = unfold(AceKingQueen())
    layout, settings = lay_out(flat), ResultTableSettings()
    table = new_table(layout, settings, SEED)
    advance(layout, settings, table, PLAIN)  # compile, or load from the cache
    slow, plain = rate(lambda: learn(flat.game, settings, PLAIN, SEED), PLAIN, least=0)
    fast, _ = rate(lambda: advance(layout, settings, table, GAMES), GAMES)
    same, how = _same(flat, plain), f"all counts of {PLAIN:,} games equal"
    yield Pace("ace-king-queen: games of the result table", "games", fast, slow, same, how)

    peer, mean = rate(lambda: _open_spiel(flat, PEER), PEER, least=0)
    exact = float(expected_returns(flat, uniform(flat))[0])
    off = abs(mean - exact) * PEER**0.5 / 3  # nobody wins or loses more than three dollars a hand
    how = f"its mean return is {off:.2f} standard errors, at their largest, from our exact one"
    yield Pace("ace-king-queen: the same beside OpenSpiel's random play", "games", fast, peer, off < 4, how)

    played = new_table(layout, settings, SEED)
    advance(layout, settings, played, GAMES)
    numbers, state = rate(lambda: _numbers(np.uint64(new_table(layout, settings, SEED).chance), GAMES), GAMES)
    what = "ace-king-queen: its random numbers alone beside the whole"
    yield Pace(what, "games", numbers, fast, int(state[0]) == played.chance, "the stream ends in the same state")
    slots, gains, before, after = _recorded(flat, RECORDED)
    same = bool(np.array_equal(_updated(slots, gains, before.copy(), 1)[0], after))
    updates, _ = rate(lambda: _updated(slots, gains, before.copy(), GAMES // RECORDED), GAMES)
    what = "ace-king-queen: its updates alone, of recorded games, beside the whole"
    yield Pace(what, "games", updates, fast, same, f"all counts after {RECORDED:,} games equal")


def _same(flat: FlatGame, plain) -> bool:
    table = new_table(lay_out(flat), ResultTableSettings(), SEED)
    advance(lay_out(flat), ResultTableSettings(), table, PLAIN)
    places = zip(flat.information_states, flat.slots, flat.slots[1:], strict=False)
    return all(plain.counts[where] == table.counts[start:stop].tolist() for where, start, stop in places)


def _open_spiel(flat: FlatGame, games: int) -> float:
    """The mean return of player 1 in games that OpenSpiel plays at random, the rules read from a Gambit file."""
    import pyspiel

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.efg"
        path.write_text(to_gambit(flat), encoding="utf-8")
        game = pyspiel.load_game(f"efg_game(filename={path})")
    draw, total = random.Random(SEED), 0.0
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(draw.choice(state.legal_actions()))  # deals are equally likely too
        total += state.returns()[0]
    return total / games


@njit
def _numbers(state, games):
    """The numbers for chance of so many games, added up lest they be left out."""
    total = np.uint64(0)
    for _ in range(games):
        state = step(state)
        total += mix(state)
    return state, total


def _recorded(flat: FlatGame, games: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The choices of so many games of a learner and what each gained; its counts before and after."""
    layout, settings = lay_out(flat), ResultTableSettings()
    table = new_table(layout, settings, SEED)
    advance(layout, settings, table, 100 * games)
    before, slots, gains = table.counts.copy(), [], []
    for _ in range(games):
        counts, won = table.counts.copy(), table.won.copy()
        advance(layout, settings, table, 1)
        made = np.flatnonzero(table.counts - counts)
        slots += made.tolist()
        gains += (table.won - won)[made].tolist()
    return np.array(slots, np.uint32), np.array(gains, np.int64), before, table.counts.copy()


@njit
def _updated(slots, gains, counts, rounds):
    """The updates of recorded games, over and over: counts, gains, averages, and a comparison with a bar."""
    won, values, below = np.zeros_like(counts), np.zeros(counts.size), 0
    for _ in range(rounds):
        for k in range(slots.size):
            slot = slots[k]
            counts[slot] += 1
            won[slot] += gains[k]
            values[slot] = np.float64(won[slot]) / np.float64(counts[slot])
            if values[slot] <= -1e9:
                below += 1
    return counts, below
