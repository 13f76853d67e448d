"""The experiments of the chapter on three dice: the published table to the digit, and what lies behind it."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from support.core.flat import FlatGame, unfold
from support.core.policy import TabularPolicy
from support.exact.markov import Worth, evaluate
from support.exact.optimal import optimal_policy
from support.games.three_dice.experiments.runs import (
    AGENTS,
    Contest,
    LegacyGames,
    Plan,
    Player,
    contest,
    legacy_games,
    plan,
    value_iterations,
)
from support.games.three_dice.rules import DiceGame
from support.sweep.scale import Scaled

REPLAY, CONTEST, SAME_GAMES, ALL_GAMES, DISCOUNTS, THRESHOLDS = range(6)  # places below the root seed
BLOCK = 100  # games of the published program, or contests, in one task
CLASSES = (
    *("AlwaysHoldAgent", "PerfectionistAgent", "OneStepLookAheadAgent", "RiskyAgent", "CautiousAgent"),
    *("MarkovDecisionProcessAgent", "MarkovDecisionProcessAgentAdjusted"),
)
"""What the document's tables call the agents, in their order."""
SCORE_FILE = "96d4b471cbf27c6a780cd4b169d60fbf044d5e2b1e868958e7b18fe546a05480"
"""The SHA-256 of ``data/play_results.csv`` in the author's repository: the single scores behind the published means."""


@dataclass(frozen=True)
class Config(Scaled):
    """Sizes of the chapter's experiments.

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
    def small(cls) -> "Config":
        """Sizes that take seconds."""
        return cls(discounts=21, contests=200, tunings=60, most_dice=3)


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
        found: np.ndarray = self.totals == np.asarray(totals)
        return found

    def score_file(self, first_seed: int) -> str:
        """The file of single scores that the author's program writes when it starts from a first seed."""
        lines = [
            f"{number}, {agent}, {score}\n"
            for number, seed in enumerate(self.path(first_seed))
            for agent, score in zip(CLASSES, self.scores[seed], strict=True)
        ]
        return "round, agent, score\n" + "".join(lines)


def replay(config: Config) -> Replay:
    """Play the author's games again, bit for bit.

    The program seeds numpy's legacy generator (MT19937) for each agent's game and draws the next game's seed, below
    1,000, from the state that the last agent's game leaves behind. So a game's seed fixes all scores and the next
    seed: it is enough to play the game of each seed once and to follow the chain.
    """
    players = [Player(name) for name in AGENTS]
    scores, drawn = _legacy_games(config, players, range(config.first_seeds), REPLAY)
    following = drawn[:, -1]  # after the last agent's game
    totals, at = np.zeros_like(scores), np.arange(config.first_seeds)
    for _ in range(config.games):
        totals += scores[at]
        at = following[at]
    return Replay(scores, following, totals, list(AGENTS), config.games)


def _legacy_games(
    config: Config, players: Iterable[Player], seeds: Sequence[int], place: int
) -> tuple[np.ndarray, np.ndarray]:
    """int64[seeds, players] twice: scores in the published program's games, and the seeds drawn after them."""
    blocks = [tuple(seeds[start : start + BLOCK]) for start in range(0, len(seeds), BLOCK)]
    settings = [
        LegacyGames(player.agent, player.discount, player.strict, player.arithmetic, block, config.first_seeds)
        for player in players
        for block in blocks
    ]
    rows = config.sweep(legacy_games, settings, 1, place).rows()
    scores, drawn = (np.concatenate([row[name] for row in rows]) for name in ("scores", "following"))
    return scores.reshape(-1, len(seeds)).T, drawn.reshape(-1, len(seeds)).T


def on_the_same_games(config: Config, players: Iterable[Player], seeds: Sequence[int]) -> np.ndarray:
    """int64[seeds, players], the scores of any players in the published program's games of the given seeds."""
    once, back = np.unique(seeds, return_inverse=True)  # a chain may come back to a seed, and to the same game
    return _legacy_games(config, players, once.tolist(), SAME_GAMES)[0][back]


def legacy_contest(config: Config, players: Iterable[Player], games: Replay) -> np.ndarray:
    """float64[seeds, players]: the mean of every player over the 100 games that each first seed leads to."""
    seeds = range(len(games.following))
    scores, _ = _legacy_games(config, players, seeds, ALL_GAMES)
    return np.array([scores[games.path(seed)].mean(axis=0) for seed in seeds])


def worths(flat: FlatGame, policies: dict[str, TabularPolicy]) -> dict[str, Worth]:
    """The exact mean and variance of each policy's score."""
    return {name: evaluate(flat, policy.edge_probabilities(flat)) for name, policy in policies.items()}


def versions_differ(flat: FlatGame, discounts: Sequence[float], threshold: float) -> tuple[int, int]:
    """How the two versions of value iteration differ over some discounts, at one threshold.

    Returns:
        At how many discounts they end with different plans, and at how many the one in place takes more sweeps.
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


def discount_sweep(config: Config, threshold: float = 0.001) -> DiscountSweep:
    """Plan with each discount of the grid, and evaluate the plan by the score that the rules count."""
    grid = [Fraction(k, config.discounts - 1) for k in range(config.discounts)]
    plans = config.sweep(plan, [Plan(discount, threshold) for discount in grid], 1, DISCOUNTS)
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


def threshold_sweep(
    config: Config, thresholds: Sequence[float], discount: Fraction = Fraction(19, 20)
) -> list[tuple[float, int, Fraction]]:
    """For each threshold the sweeps that value iteration needs and the exact expected score of what it finds."""
    plans = config.sweep(plan, [Plan(discount, threshold) for threshold in thresholds], 1, THRESHOLDS)
    return [(row["threshold"], row["sweeps"], Fraction(row["found"])) for row in plans.rows()]


def contests(config: Config, discounts: Sequence[str]) -> np.ndarray:
    """float64[contests, discounts]: means over ``config.games`` games, as one who tunes by playing would see them.

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
