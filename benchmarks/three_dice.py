"""Three dice: compiled against plain simulation, and exact evaluation against a million simulated games."""

from collections.abc import Iterator

import numpy as np

from support.core.flat import unfold
from support.core.play import Stream, play_game
from support.exact.markov import evaluate
from support.exact.simulate_fast import simulate
from support.games.three_dice.rules import DiceGame
from support.learners.value_iteration import value_iteration
from support.sweep.timing import Pace, rate

SEED, PLAIN, FAST = 7, 3_000, 1_000_000


def rows() -> Iterator[Pace]:
    """The rows of the chapter."""
    game = DiceGame()
    flat = unfold(game)
    policy = value_iteration(flat).policy
    probabilities = policy.edge_probabilities(flat)
    simulate(flat, probabilities, 1, SEED)  # compile, or load from the cache
    fast, scores = rate(lambda: simulate(flat, probabilities, FAST, SEED), FAST)
    plain, few = rate(lambda: [play_game(game, [policy], Stream(SEED, k)).returns()[0] for k in range(PLAIN)], PLAIN)
    same = bool(np.array_equal(scores[:PLAIN], np.array(few, dtype=float)))
    yield Pace(
        "three dice: games of a fixed policy", "games", fast, plain, same, f"first {PLAIN:,} games equal, one by one"
    )

    exact, worth = rate(lambda: evaluate(flat, probabilities), 1)
    errors = abs(scores.mean() - float(worth.mean)) / (worth.deviation / FAST**0.5)
    yield Pace(
        f"three dice: a policy's worth, exact against {FAST:,} games",
        "evaluations",
        exact,
        fast / FAST,
        bool(errors < 4),
        f"{errors:.1f} standard errors apart",
    )
