"""The experiments on three dice, as a sweep takes them: the published program's games, contests of planners, plans.

What decides cannot travel between processes, but its name can: each process builds a policy once, where it is needed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any, cast

import numpy as np

from support.core.flat import FlatGame, unfold
from support.core.policy import TabularPolicy
from support.exact.markov import evaluate
from support.exact.optimal import Optimum, optimal_policy
from support.exact.simulate_fast import Chain, lay_out
from support.games.three_dice.agents import BARS, always_hold, one_step_look_ahead, perfectionist
from support.games.three_dice.rules import DiceGame
from support.learners.value_iteration import Sweeps, value_iteration
from support.sweep import spawn

Dice = tuple[int, ...]
Better = Callable[[list[Fraction], list[Fraction]], float | Fraction]

AGENTS = ("always-hold", "perfectionist", *BARS, "mdp", "mdp-adjusted")
"""The document's seven agents in the order of its table, under the names of its claims."""
OPTIMAL = "optimal"
"""A further agent: the exactly optimal plan."""
ROUNDING: dict[str, Better] = {
    "fractions": lambda better, rest: sum(better),
    "floats, adding up the better outcomes": lambda better, rest: sum(map(float, better)),
    "floats, adding them up backwards": lambda better, rest: sum(map(float, reversed(better))),
    "floats, one minus the other outcomes": lambda better, rest: 1 - sum(map(float, rest)),
}
"""Ways to add up the same probability; only the first is exact."""
LARGEST_SEED = 2**32 - 1  # of numpy's legacy generator
MOST_GAMES = 10_000_000  # of a plan in a contest
MOST_CONTESTS = 10_000  # in one task


@cache
def flat_game() -> FlatGame:
    """The published game, unfolded once in each process."""
    return unfold(DiceGame())


def value_iterations(flat: FlatGame, discount: float = 0.95, threshold: float = 0.001) -> dict[str, Sweeps]:
    """The document's two versions of value iteration, under the names of its claims."""
    return {
        "mdp": value_iteration(flat, discount, threshold, name="mdp"),
        "mdp-adjusted": value_iteration(flat, discount, threshold, in_place=True, name="mdp-adjusted"),
    }


def agents(flat: FlatGame) -> dict[str, TabularPolicy]:
    """The document's seven agents on an unfolded game of any size."""
    return {
        "always-hold": always_hold(flat),
        "perfectionist": perfectionist(flat),
        **{name: one_step_look_ahead(flat, bar, name) for name, bar in BARS.items()},
        **{name: sweeps.policy for name, sweeps in value_iterations(flat).items()},
    }


def decisions(flat: FlatGame, policy: TabularPolicy) -> dict[Dice, Dice]:
    """For each state, the sorted dice, the positions that a deterministic policy holds."""
    table: dict[Dice, Dice] = {}
    for node in flat.decision_nodes():
        position: Any = flat.positions[node]
        (table[position[1]],) = policy.row(flat.information_states[flat.information[node]])
    return table


@dataclass(frozen=True)
class Player:
    """Who decides, by name.

    Attributes:
        agent: one of ``AGENTS``, or "optimal" for the exactly optimal plan.
        discount: what the optimal plan takes a point after another roll to be worth, between 0 and 1.
        strict: whether a one-step agent asks for more than its bar, not just for as much.
        arithmetic: how a one-step agent adds up probabilities, one of ``ROUNDING``.

    Raises:
        ValueError: a value outside its range, or one that the agent has no use for.
    """

    agent: str = "mdp"
    discount: Fraction = Fraction(1)
    strict: bool = False
    arithmetic: str = "fractions"

    def __post_init__(self) -> None:
        names = (*AGENTS, OPTIMAL)
        if self.agent not in names:
            raise ValueError(f"agent must be one of {', '.join(names)}, not {self.agent!r}")
        if self.arithmetic not in ROUNDING:
            raise ValueError(f"arithmetic must be one of {'; '.join(ROUNDING)}, not {self.arithmetic!r}")
        _require_chance("discount", self.discount)
        if self.agent != OPTIMAL and self.discount != 1:
            raise ValueError(f"discount is for the agent '{OPTIMAL}'; for {self.agent} it must be 1")
        if self.agent not in BARS and (self.strict or self.arithmetic != "fractions"):
            raise ValueError(f"strict and arithmetic are for {', '.join(BARS)}, not for {self.agent}")

    def policy(self) -> TabularPolicy:
        """What it does in every state of the published game."""
        flat = flat_game()
        if self.agent == OPTIMAL:
            return _optimum(self.discount).policy
        if self.agent in BARS:
            return one_step_look_ahead(
                flat, BARS[self.agent], self.agent, self.strict, chance_of_better=ROUNDING[self.arithmetic]
            )
        return agents(flat)[self.agent]


def _require_chance(name: str, value: Any) -> None:
    if not 0 <= value <= 1:
        raise ValueError(f"{name} must lie between 0 and 1, not {value}")


@cache
def _optimum(discount: Fraction) -> Optimum:
    return optimal_policy(flat_game(), discount)


@dataclass(frozen=True)
class LegacyGames(Player):
    """Games of the published program, which draws from numpy's legacy generator (MT19937).

    Attributes:
        seeds: the seed of each game, from 0 to 2^32 - 1.
        below: the program draws the seed of the next game below this number, at least 1.

    Raises:
        ValueError: a value outside its range.
    """

    seeds: tuple[int, ...] = tuple(range(100))
    below: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.seeds:
            raise ValueError("seeds must name at least one game")
        for seed in self.seeds:
            if not 0 <= seed <= LARGEST_SEED:
                raise ValueError(f"seeds must lie between 0 and {LARGEST_SEED}, not {seed}")
        if not 1 <= self.below <= LARGEST_SEED:
            raise ValueError(f"below must lie between 1 and {LARGEST_SEED}, not {self.below}")


def legacy_games(config: LegacyGames, seed: int) -> Mapping[str, np.ndarray]:
    """The published program's games again, bit for bit: by its own seeds in the configuration, not by the sweep's seed.

    Returns:
        ``scores``, of each game; ``following``, the seed that the program would draw for the next game after it.
    """
    game = cast(DiceGame, flat_game().game)
    table = _table(Player(config.agent, config.discount, config.strict, config.arithmetic))
    scores, following = np.empty(len(config.seeds), np.int64), np.empty(len(config.seeds), np.int64)
    for number, first in enumerate(config.seeds):
        random = np.random.RandomState(first)
        scores[number] = legacy_game(game, table, random)
        following[number] = random.randint(config.below)
    return {"scores": scores, "following": following}


def states_met(player: Player, seeds: Iterable[int]) -> set[Dice]:
    """The states in which a player decides in the published program's games of the given seeds."""
    game, table, met = cast(DiceGame, flat_game().game), _table(player), set()

    class Noted(dict[Dice, Dice]):
        def __getitem__(self, dice: Dice) -> Dice:
            met.add(dice)
            return super().__getitem__(dice)

    for seed in set(seeds):
        legacy_game(game, Noted(table), np.random.RandomState(seed))
    return met


@cache
def _table(player: Player) -> dict[Dice, Dice]:
    return decisions(flat_game(), player.policy())


def legacy_roll(game: DiceGame, count: int, random: np.random.RandomState) -> np.ndarray:
    """int64[count], dice as the published program draws them, all at once."""
    rolled: np.ndarray = random.choice(game.values, count, p=[float(p) for p in game.bias], replace=True)
    return rolled


def legacy_game(game: DiceGame, table: Mapping[Dice, Dice], random: np.random.RandomState) -> int | Fraction:
    """One game with the published program's draws: all free dice at once, then all dice sorted."""
    dice = np.sort(legacy_roll(game, game.dice, random))
    score: int | Fraction = 0
    while len(held := table[tuple(dice.tolist())]) < game.dice:
        free = [place for place in range(game.dice) if place not in held]
        dice[free] = legacy_roll(game, len(free), random)
        dice.sort()
        score -= game.penalty
    return score + game.final_score(dice.tolist())


@dataclass(frozen=True)
class Contest:
    """Choices of a discount as one who tunes by playing would make them.

    Attributes:
        discounts: numbers between 0 and 1 with blanks between them; each is planned with exactly.
        games: how many each plan plays in a contest, at least 1.
        contests: how many there are in one task, at least 1: they are so short that to send each by itself takes longer
            than to hold it. The task's seed spawns theirs.

    Raises:
        ValueError: a value outside its range.
    """

    discounts: str = "0.80 0.85 0.90 0.95 0.99 1"
    games: int = 100
    contests: int = 1

    def __post_init__(self) -> None:
        if not self.planned():
            raise ValueError("discounts must name at least one number between 0 and 1")
        if not 1 <= self.games <= MOST_GAMES:
            raise ValueError(f"games must lie between 1 and {MOST_GAMES:,}, not {self.games}")
        if not 1 <= self.contests <= MOST_CONTESTS:
            raise ValueError(f"contests must lie between 1 and {MOST_CONTESTS:,}, not {self.contests}")

    def planned(self) -> tuple[Fraction, ...]:
        """The discounts as exact numbers."""
        try:
            found = tuple(map(Fraction, self.discounts.split()))
        except (ValueError, ZeroDivisionError):
            raise ValueError(
                f"discounts must be numbers with blanks between them, such as '0.95 1', not {self.discounts!r}"
            ) from None
        for discount in found:
            _require_chance("each of the discounts", discount)
        return found


def contest(config: Contest, seed: int) -> Mapping[str, np.ndarray]:
    """Planners of three dice who differ in their discount play games of the same seeds.

    Returns:
        ``means``, the mean score of each in the first contest, undiscounted, in points, then in the second, and so on.
    """
    chains, seeds = _chains(config.discounts), spawn(seed, config.contests)
    return {"means": np.array([chain.play(config.games, one).mean() for one in seeds for chain in chains])}


@lru_cache(maxsize=16)
def _chains(discounts: str) -> tuple[Chain, ...]:
    flat = flat_game()
    plans = [_optimum(discount).policy for discount in Contest(discounts).planned()]
    return tuple(lay_out(flat, policy.edge_probabilities(flat)) for policy in plans)


@dataclass(frozen=True)
class Plan:
    """Planning by value iteration.

    Attributes:
        discount: what a point after another roll counts, between 0 and 1.
        threshold: sweeps end when no value moves by more than this, in points; above 0.

    Raises:
        ValueError: a value outside its range.
    """

    discount: Fraction = Fraction(19, 20)
    threshold: float = 0.001

    def __post_init__(self) -> None:
        _require_chance("discount", self.discount)
        if not 0 < self.threshold < float("inf"):
            raise ValueError(f"threshold must be a finite number above 0, not {self.threshold}")


def plan(config: Plan, seed: int) -> Mapping[str, Any]:
    """What value iteration finds for three dice, and what it is worth; nothing is drawn, and the seed is not used.

    Returns:
        ``sweeps``, how many it took; ``found``, the exact expected score of its plan, undiscounted, as text "a/b";
        ``planned``, the same for the exactly optimal plan at this discount; ``optimal``, whether what was found is
        exactly optimal at this discount, ties allowed.
    """
    flat, best = flat_game(), _optimum(config.discount)
    sweeps = value_iteration(flat, float(config.discount), config.threshold)
    probabilities = sweeps.policy.edge_probabilities(flat)
    return {
        "sweeps": sweeps.sweeps,
        "found": str(evaluate(flat, probabilities).mean),
        "planned": str(evaluate(flat, best.policy.edge_probabilities(flat)).mean),
        "optimal": all(
            best.action_values[edge] == value
            for node, value in best.values.items()
            for edge in flat.edges(node)
            if probabilities[edge]
        ),
    }
