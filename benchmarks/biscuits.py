"""Biscuits: the learner compiled and plain, and the sieve for cold positions against retrograde analysis."""

from collections.abc import Iterator

import numpy as np

from support.core.flat import unfold
from support.exact.retrograde import solve
from support.games.biscuits.cold import cold_positions
from support.games.biscuits.rules import Biscuits
from support.learners.afterstates import AfterstateSettings, learn
from support.learners.afterstates_fast import learn_fast
from support.sweep.timing import Pace, rate

SEED, GAMES, HEAP = 7, 10_000, 60


def rows() -> Iterator[Pace]:
    """The rows of the chapter."""
    game = Biscuits()
    flat = unfold(game)
    for name, slip in (("as described", False), ("as printed", True)):
        settings = AfterstateSettings(games=GAMES, slip=slip)
        learn_fast(flat, settings, SEED)  # compile, or load from the cache
        fast, compiled = rate(lambda settings=settings: learn_fast(flat, settings, SEED), GAMES)
        plain, slow = rate(lambda settings=settings: learn(game, settings, SEED), GAMES, least=0)
        same = compiled.values == slow.values and np.array_equal(compiled.wins, slow.wins)
        how = f"{GAMES:,} games and all values equal"
        yield Pace(f"biscuits: games of the learner, {name}", "games", fast, plain, bool(same), how)

    square = Biscuits(HEAP, HEAP)
    fast, sieved = rate(lambda: cold_positions(HEAP), len(cold_positions(HEAP)))
    plain, (whole, solution) = rate(lambda: _solved(square), len(sieved), least=0)
    cold = {whole.positions[node][:2] for node in range(whole.num_nodes) if not solution.hot[node]}
    same = {(int(a), int(b)) for a, b in sieved} == {(a, b) for a, b in cold if a <= b}
    how = f"the same positions up to {HEAP}"
    yield Pace("biscuits: cold positions, sieve against the whole board", "positions", fast, plain, same, how)


def _solved(game: Biscuits):
    flat = unfold(game)
    return flat, solve(flat)
