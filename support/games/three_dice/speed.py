"""Three dice: games of a fixed policy, compiled beside plain."""

from support.core.flat import unfold
from support.core.play import Stream, play_game
from support.exact.simulate_fast import simulate
from support.games.three_dice.rules import DiceGame
from support.learners.value_iteration import value_iteration
from support.sweep.timing import Pace, Speed


def pace(config: Speed) -> Pace:
    """The planner plays."""
    game = DiceGame()
    flat = unfold(game)
    policy = value_iteration(flat).policy
    chances = policy.edge_probabilities(flat)

    def plainly() -> list[float]:
        return [float(play_game(game, [policy], Stream(config.root, k)).returns()[0]) for k in range(config.plain)]

    same = simulate(flat, chances, config.plain, config.root).tolist() == plainly()
    return config.pace(
        "Three dice: the planner plays",
        same,
        fast=lambda: simulate(flat, chances, config.fast, config.root),
        plain=plainly,
    )
