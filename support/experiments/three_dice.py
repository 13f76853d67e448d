"""The experiments of the chapter on three dice: the published table to the digit, and what lies behind it."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from support.agents.policy import TabularPolicy
from support.agents.stopping import always_hold, one_step_look_ahead, perfectionist
from support.agents.value_iteration import Sweeps, value_iteration
from support.exact.markov import Worth, evaluate
from support.exact.optimal import Optimum, optimal_policy
from support.experiments.scale import Scaled
from support.games.flat import FlatGame, unfold
from support.games.three_dice import DiceGame

__all__ = [
    "ROUNDING",
    "Config",
    "Replay",
    "agents",
    "contest",
    "decisions",
    "discount_sweep",
    "first_optimal_discount",
    "growth",
    "legacy_contest",
    "on_the_same_games",
    "replay",
    "settled_threshold",
    "threshold_sweep",
    "value_iterations",
    "worths",
]

Dice = tuple[int, ...]


@dataclass(frozen=True)
class Config(Scaled):
    """Sizes of the chapter's experiments.

    Attributes:
        first_seeds: first seeds searched, 0 to this; the author's program drew later ones below 1,000.
        games: games behind each published mean.
        discounts: points on the grid of discounts from 0 to 1, both ends included.
        contests: repetitions of the author's choice of a discount by means over ``games`` games.
        most_dice: largest number of dice solved.
        root: the seed that all others are spawned from.
    """

    first_seeds: int = 1000
    games: int = 100
    discounts: int = 101
    contests: int = 10_000
    most_dice: int = 5
    root: int = 20_190_101

    @classmethod
    def small(cls) -> "Config":
        """Sizes that take seconds."""
        return cls(discounts=21, contests=200, most_dice=3)


def value_iterations(flat: FlatGame, discount: float = 0.95, threshold: float = 0.001) -> dict[str, Sweeps]:
    """The document's two versions of value iteration, under the names of its claims."""
    return {
        "mdp": value_iteration(flat, discount, threshold, name="mdp"),
        "mdp-adjusted": value_iteration(flat, discount, threshold, in_place=True, name="mdp-adjusted"),
    }


def agents(
    flat: FlatGame,
    chance_of_better: Callable[[list[Fraction], list[Fraction]], float | Fraction] = lambda better, rest: sum(better),
) -> dict[str, TabularPolicy]:
    """The document's seven agents in the order of its table, under the names of its claims.

    Args:
        flat: the unfolded game, of any size.
        chance_of_better: the arithmetic of the three one-step agents; exact unless told otherwise.
    """
    return {
        "always-hold": always_hold(flat),
        "perfectionist": perfectionist(flat),
        "one-step": one_step_look_ahead(flat, Fraction(1, 2), "one-step", chance_of_better=chance_of_better),
        "risky": one_step_look_ahead(flat, Fraction(2, 5), "risky", chance_of_better=chance_of_better),
        "cautious": one_step_look_ahead(flat, Fraction(3, 5), "cautious", chance_of_better=chance_of_better),
        **{name: sweeps.policy for name, sweeps in value_iterations(flat).items()},
    }


ROUNDING: dict[str, Callable[[list[Fraction], list[Fraction]], float | Fraction]] = {
    "fractions": lambda better, rest: sum(better),
    "floats, adding up the better outcomes": lambda better, rest: sum(map(float, better)),
    "floats, adding them up backwards": lambda better, rest: sum(map(float, reversed(better))),
    "floats, one minus the other outcomes": lambda better, rest: 1 - sum(map(float, rest)),
}
"""Ways to add up the same probability; only the first is exact."""


def decisions(flat: FlatGame, policy: TabularPolicy) -> dict[Dice, Dice]:
    """For each state, the sorted dice, the positions that a deterministic policy holds."""
    table = {}
    for node in flat.decision_nodes():
        row = policy.row(flat.information_states[flat.information[node]])
        (table[flat.positions[node][1]],) = row
    return table


@dataclass(frozen=True)
class Replay:
    """The author's 100 games from every first seed.

    Attributes:
        scores: int64[seeds, agents], the score of each agent in the game of each seed.
        following: int64[seeds], the seed that the program draws for the game after the game of each seed.
        totals: int64[seeds, agents], the sum over all games that a first seed leads to.
        names: the agents.
        games: games summed.
    """

    scores: np.ndarray
    following: np.ndarray
    totals: np.ndarray
    names: list[str]
    games: int

    def path(self, first_seed: int) -> list[int]:
        """The seeds of the games that a first seed leads to."""
        seeds = [first_seed]
        while len(seeds) < self.games:
            seeds.append(int(self.following[seeds[-1]]))
        return seeds

    def different(self, first_seed: int) -> int:
        """How many different games the 100 games of a first seed are."""
        return len(set(self.path(first_seed)))

    def loops(self) -> dict[tuple[int, ...], np.ndarray]:
        """The loops of seeds that the chains end in, the largest first, each with the first seeds that lead there.

        Every seed leads to one next seed and there are finitely many, so every chain runs into a loop.
        """
        at = np.arange(len(self.following))
        for _ in range(len(self.following)):
            at = self.following[at]
        loops: dict[tuple[int, ...], list[int]] = {}
        for seed, inside in enumerate(at):
            loop = [int(inside)]
            while (after := int(self.following[loop[-1]])) != inside:
                loop.append(after)
            turn = loop.index(min(loop))
            loops.setdefault((*loop[turn:], *loop[:turn]), []).append(seed)
        return {loop: np.array(loops[loop]) for loop in sorted(loops, key=len, reverse=True)}

    def matches(self, totals: Sequence[int]) -> np.ndarray:
        """bool[seeds, agents]: where a sum is the published one."""
        return self.totals == np.asarray(totals)


def replay(flat: FlatGame, policies: dict[str, TabularPolicy], config: Config) -> Replay:
    """Play the author's games again, bit for bit.

    The program seeds numpy's legacy generator (MT19937) for each agent's game and draws the next game's seed, below
    1,000, from the state that the last agent's game leaves behind. So a game's seed fixes all scores and the next
    seed: it is enough to play the game of each seed once and to follow the chain.
    """
    tables = [decisions(flat, policy) for policy in policies.values()]
    scores = np.empty((config.first_seeds, len(tables)), dtype=np.int64)
    following = np.empty(config.first_seeds, dtype=np.int64)
    for seed in range(config.first_seeds):
        for column, table in enumerate(tables):
            random = np.random.RandomState(seed)
            scores[seed, column] = _legacy_game(flat.game, table, random)
        following[seed] = random.randint(config.first_seeds)
    totals, at = np.zeros_like(scores), np.arange(config.first_seeds)
    for _ in range(config.games):
        totals += scores[at]
        at = following[at]
    return Replay(scores, following, totals, list(policies), config.games)


def _legacy_game(game: DiceGame, table: dict[Dice, Dice], random: np.random.RandomState) -> int:
    """One game with the published program's draws: all free dice at once, then all dice sorted."""
    fair = [float(p) for p in game.bias]
    dice = np.sort(random.choice(game.values, game.dice, p=fair, replace=True))
    score = 0
    while len(held := table[tuple(dice.tolist())]) < game.dice:
        free = [place for place in range(game.dice) if place not in held]
        dice[free] = random.choice(game.values, len(free), p=fair, replace=True)
        dice.sort()
        score -= game.penalty
    return score + game.final_score(dice.tolist())


def on_the_same_games(flat: FlatGame, policy: TabularPolicy, seeds: Sequence[int]) -> np.ndarray:
    """int64[len(seeds)], the scores of any policy in the published program's games of the given seeds."""
    table = decisions(flat, policy)
    return np.array([_legacy_game(flat.game, table, np.random.RandomState(seed)) for seed in seeds])


def legacy_contest(flat: FlatGame, policies: dict[str, TabularPolicy], games: Replay) -> np.ndarray:
    """float64[seeds, policies]: the mean of every policy over the 100 games that each first seed leads to."""
    seeds = range(len(games.following))
    scores = np.stack([on_the_same_games(flat, policy, seeds) for policy in policies.values()], axis=1)
    return np.array([scores[games.path(seed)].mean(axis=0) for seed in seeds])


def worths(flat: FlatGame, policies: dict[str, TabularPolicy]) -> dict[str, Worth]:
    """The exact mean and variance of each policy's score."""
    return {name: evaluate(flat, policy.edge_probabilities(flat)) for name, policy in policies.items()}


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


def discount_sweep(flat: FlatGame, config: Config, threshold: float = 0.001) -> DiscountSweep:
    """Plan with each discount of the grid, and evaluate the plan by the score that the rules count."""
    worth: dict[tuple, Fraction] = {}

    def score(policy: TabularPolicy) -> Fraction:
        key = tuple(decisions(flat, policy).items())
        if key not in worth:
            worth[key] = evaluate(flat, policy.edge_probabilities(flat)).mean
        return worth[key]

    grid = [Fraction(k, config.discounts - 1) for k in range(config.discounts)]
    found = [value_iteration(flat, float(discount), threshold).policy for discount in grid]
    planned = [optimal_policy(flat, discount) for discount in grid]
    return DiscountSweep(
        discounts=np.array([float(discount) for discount in grid]),
        found=[score(policy) for policy in found],
        planned=[score(optimum.policy) for optimum in planned],
        optimal=np.array([_attains(flat, policy, optimum) for policy, optimum in zip(found, planned, strict=True)]),
    )


def _attains(flat: FlatGame, policy: TabularPolicy, optimum: Optimum) -> bool:
    """Whether a policy takes a best action in every state."""
    probabilities = policy.edge_probabilities(flat)
    return all(
        optimum.action_values[edge] == value
        for node, value in optimum.values.items()
        for edge in flat.edges(node)
        if probabilities[edge]
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


def threshold_sweep(
    flat: FlatGame, thresholds: Sequence[float], discount: float = 0.95
) -> list[tuple[float, int, Fraction]]:
    """For each threshold the sweeps that value iteration needs and the exact expected score of what it finds."""
    rows = []
    for threshold in thresholds:
        sweeps = value_iteration(flat, discount, threshold)
        worth = evaluate(flat, sweeps.policy.edge_probabilities(flat))
        rows.append((threshold, sweeps.sweeps, worth.mean))
    return rows


def contest(flat: FlatGame, policies: dict[str, TabularPolicy], config: Config) -> np.ndarray:
    """float64[contests, policies]: means over ``config.games`` games, as one who tunes by playing would see them.

    Within a contest all policies play games of the same seeds, as the author's agents did.
    """
    from support.kernels.simulate import simulate

    total = config.contests * config.games
    (seed,) = config.spawn(1, 1)
    columns = []
    for policy in policies.values():
        scores = simulate(flat, policy.edge_probabilities(flat), total, int(seed))
        columns.append(scores.reshape(config.contests, config.games).mean(axis=1))
    return np.stack(columns, axis=1)


@dataclass(frozen=True)
class Size:
    """One size of the game, solved: number of dice, decision states, actions in each, seconds, exact optimum."""

    dice: int
    states: int
    actions: int
    edges: int
    seconds: float
    value: Fraction


def growth(config: Config) -> list[Size]:
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
