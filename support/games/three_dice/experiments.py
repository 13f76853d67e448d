"""The experiments on three dice: exact values, discounts and thresholds, contests of planners, larger games."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from support.core.checks import settings
from support.core.flat import FlatGame, unfold
from support.core.policy import TabularPolicy
from support.exact.markov import Moments, evaluate, expected_return
from support.exact.optimal import optimal_policy
from support.exact.simulate_fast import Chain, lay_out
from support.games.three_dice.agents import Chance, flat_game, optimum, value_iterations
from support.games.three_dice.rules import DiceGame
from support.learners.value_iteration import value_iteration
from support.sweep import spawn
from support.sweep.scale import Scaled

REPLAY, CONTEST, SAME_GAMES, ALL_GAMES, DISCOUNTS, THRESHOLDS, OTHER_SEEDS = range(7)  # places below the root seed
BLOCK = 100  # games of the published program, contests, or seeds of its tuning script, in one task


@dataclass(frozen=True)
class ThreeDiceScale(Scaled):
    """How much the chapter runs.

    Attributes:
        first_seeds: first seeds searched, 0 to this; the author's program drew later ones below 1,000.
        games: games behind each published mean.
        discounts: points on the grid of discounts from 0 to 1, both ends included.
        contests: repetitions of a choice of a discount by means over ``games`` games.
        tunings: seeds, from 0, from which the author's tuning script is repeated.
        most_dice: largest number of dice solved.
        root: the seed that all others are spawned from.
    """

    first_seeds: int = 1000
    games: int = 100
    discounts: int = 101
    contests: int = 10_000
    tunings: int = 1000
    most_dice: int = 5
    root: int = 20_190_101

    @classmethod
    def small(cls) -> "ThreeDiceScale":
        """Sizes that take seconds."""
        return cls(discounts=21, contests=200, tunings=60, most_dice=3)


PLANS, DIGITS = 100, 20
"""The most discounts of a contest, and the most digits of each: exact plans take minutes with thousands of digits."""


def _require_short(discount: Fraction) -> None:
    if discount.denominator >= 10**DIGITS:
        raise ValueError(f"a discount must be a fraction whose denominator has at most {DIGITS} digits")


@settings
class Contest:
    """Contests that choose a discount by playing games.

    Attributes:
        discounts: numbers between 0 and 1, separated by blanks; each gets its exactly optimal plan.
        games: the number of games that each plan plays in a contest.
        contests: the number of contests in one task, because sending one takes longer than holding it. Their seeds
            are spawned from the task's.

    Raises:
        ValueError: a value is out of range.
    """

    discounts: str = "0.80 0.85 0.90 0.95 0.99 1"
    games: Annotated[int, Field(ge=1, le=10_000_000)] = 100
    contests: Annotated[int, Field(ge=1, le=10_000)] = 1

    def __post_init__(self) -> None:
        if not 1 <= len(self.planned()) <= PLANS:
            raise ValueError(f"discounts must name 1 to {PLANS} numbers between 0 and 1")

    def planned(self) -> tuple[Fraction, ...]:
        """The discounts as exact numbers."""
        try:
            found = tuple(map(Fraction, self.discounts.split()))
        except (ValueError, ZeroDivisionError):
            raise ValueError(
                f"discounts must be numbers separated by blanks, such as '0.95 1', not {self.discounts!r}"
            ) from None
        for discount in found:
            if not 0 <= discount <= 1:
                raise ValueError(f"each of the discounts must lie between 0 and 1, not {discount}")
            _require_short(discount)
        return found


def contest(config: Contest, seed: int) -> Mapping[str, np.ndarray]:
    """Planners of three dice with different discounts play games of the same seeds.

    Returns:
        ``means``, the mean score of each planner in the first contest, undiscounted, in points, then in the second, and
        so on.
    """
    chains, seeds = _chains(config.discounts), spawn(seed, config.contests)
    return {"means": np.array([chain.play(config.games, one).mean() for one in seeds for chain in chains])}


@lru_cache(maxsize=16)
def _chains(discounts: str) -> tuple[Chain, ...]:
    flat = flat_game()
    plans = [optimum(discount).policy for discount in Contest(discounts).planned()]
    return tuple(lay_out(flat, policy.edge_probabilities(flat)) for policy in plans)


@settings
class Plan:
    """Planning by value iteration.

    Attributes:
        discount: what a point after one more roll counts, between 0 and 1.
        threshold: the sweeps end when no value changes by more than this, in points; above 0.
    """

    discount: Chance = Fraction(19, 20)
    threshold: Annotated[float, Field(gt=0)] = 0.001

    def __post_init__(self) -> None:
        _require_short(self.discount)


def plan(config: Plan, seed: int) -> Mapping[str, Any]:
    """What value iteration finds for three dice, and what it is worth; nothing is random, and the seed is not used.

    Returns:
        ``sweeps``, the number of sweeps; ``found``, the exact expected score of the plan found, undiscounted, as text
        "a/b"; ``planned``, the same for the exactly optimal plan at this discount; ``optimal``, whether the plan found
        is exactly optimal at this discount, ties allowed.
    """
    flat, best = flat_game(), optimum(config.discount)
    sweeps = value_iteration(flat, float(config.discount), config.threshold)
    probabilities = sweeps.policy.edge_probabilities(flat)
    return {
        "sweeps": sweeps.sweeps,
        "found": str(expected_return(flat, probabilities)),
        "planned": str(expected_return(flat, best.policy.edge_probabilities(flat))),
        "optimal": all(
            best.action_values[edge] == value
            for node, value in best.values.items()
            for edge in flat.edges(node)
            if probabilities[edge]
        ),
    }


def worths(flat: FlatGame, policies: dict[str, TabularPolicy]) -> dict[str, Moments]:
    """The exact mean and variance of each policy's score."""
    return {name: evaluate(flat, policy.edge_probabilities(flat)) for name, policy in policies.items()}


def versions_differ(flat: FlatGame, discounts: Sequence[float], threshold: float) -> tuple[int, int]:
    """Compare the two versions of value iteration over some discounts, at one threshold.

    Returns:
        The number of discounts at which they find different plans, and at which the one in place takes more sweeps.
    """
    pairs = [tuple(value_iterations(flat, discount, threshold).values()) for discount in discounts]
    other = sum(first.policy.table != second.policy.table for first, second in pairs)
    return other, sum(second.sweeps > first.sweeps for first, second in pairs)


@dataclass(frozen=True)
class DiscountSweep:
    """What planning with a discount earns when the score is counted without one.

    Attributes:
        discounts: float64[g].
        found: for each discount the exact expected score of the policy that value iteration finds.
        planned: the same for the exactly optimal policy of the discounted game.
        optimal: bool[g], whether what value iteration finds is exactly optimal for the discount, ties allowed.
    """

    discounts: np.ndarray
    found: list[Fraction]
    planned: list[Fraction]
    optimal: np.ndarray


def discount_sweep(config: ThreeDiceScale) -> DiscountSweep:
    """Plan with each discount of the grid, and evaluate the plan by the score that the rules count."""
    grid = [Fraction(k, config.discounts - 1) for k in range(config.discounts)]
    plans = config.sweep(plan, [Plan(discount) for discount in grid], 1, DISCOUNTS)
    return DiscountSweep(
        discounts=np.array([float(discount) for discount in grid]),
        found=[Fraction(score) for score in plans.column("found")],
        planned=[Fraction(score) for score in plans.column("planned")],
        optimal=plans.column("optimal"),
    )


def settled_threshold(flat: FlatGame, discount: Fraction) -> Fraction:
    """A threshold below which value iteration is sure to find the optimal plan of the discounted game.

    When the largest change of a sweep is d, the values that it started from are within d / (1 - g) of their limits at
    a discount g (Puterman 1994, section 6.3), and so the action values that it compares are within g d / (1 - g). Two
    of them can change places only if their limits are within twice that. The bound is where this meets the smallest
    gap between a best action and one that is not. Actions that lead to the same position share one value and stay tied.

    Raises:
        ValueError: two actions that lead to different positions are tied for best, or the discount is not below 1.
    """
    if not 0 < discount < 1:
        raise ValueError(f"discount must lie strictly between 0 and 1, not {discount}")
    optimum = optimal_policy(flat, discount)
    gaps = []
    for node, value in optimum.values.items():
        edges = flat.edges(node)
        best = {int(flat.child[edge]) for edge in edges if optimum.action_values[edge] == value}
        if len(best) > 1:
            raise ValueError(f"two decisions at {flat.positions[node]} are exactly tied")
        gaps += [value - optimum.action_values[edge] for edge in edges if int(flat.child[edge]) not in best]
    return min(gaps) * (1 - discount) / (2 * discount)


def first_optimal_discount(flat: FlatGame, digits: int = 6) -> tuple[Fraction, Fraction]:
    """Two discounts, 10^-digits apart, between which the discounted plan becomes the truly optimal one."""
    best, unit = optimal_policy(flat).policy.table, 10**digits
    low, high = 0, unit
    while high - low > 1:
        middle = (low + high) // 2
        if optimal_policy(flat, Fraction(middle, unit)).policy.table == best:
            high = middle
        else:
            low = middle
    return Fraction(low, unit), Fraction(high, unit)


def threshold_sweep(config: ThreeDiceScale, thresholds: Sequence[float]) -> list[tuple[float, int, Fraction]]:
    """For each threshold the sweeps that value iteration needs and the exact expected score of what it finds."""
    plans = config.sweep(plan, [Plan(threshold=threshold) for threshold in thresholds], 1, THRESHOLDS)
    return [(row["threshold"], row["sweeps"], Fraction(row["found"])) for row in plans.rows()]


def contests(config: ThreeDiceScale, discounts: Sequence[str]) -> np.ndarray:
    """float64[contests, discounts], means over ``config.games`` games, as seen by somebody who tunes by playing.

    Within a contest all planners play games of the same seeds, as the author's agents did.
    """
    setting = Contest(" ".join(discounts), config.games, min(config.contests, BLOCK))
    tasks = -(-config.contests // setting.contests)
    means = config.sweep(contest, setting, tasks, CONTEST).column("means")
    return means.reshape(-1, len(discounts))[: config.contests]


@dataclass(frozen=True)
class Size:
    """One size of the game, solved: number of dice, decision states, actions in each, seconds, exact optimum."""

    dice: int
    states: int
    actions: int
    edges: int
    seconds: float
    value: Fraction


def growth(config: ThreeDiceScale) -> list[Size]:
    """The optimal expected score for one die and more, with what it costs to compute."""
    sizes = []
    for dice in range(1, config.most_dice + 1):
        began = time.perf_counter()
        game = DiceGame(dice)
        flat = unfold(game)
        value = optimal_policy(flat).value
        seconds = time.perf_counter() - began
        sizes.append(Size(dice, len(game.all_dice()), len(game.holds()), len(flat.child), seconds, value))
    return sizes
