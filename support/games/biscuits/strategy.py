"""Strategies of biscuits: where every opening leads, what flawless players score, and when Alpha knows how to win."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from support.core.interface import SEPARATOR
from support.core.policy import uniform
from support.exact.markov import evaluate
from support.exact.retrograde import safe_edges, safe_range, steadiest_edges, tremble, winners
from support.games.biscuits.runs import BiscuitRun, BiscuitsScale, Puzzle, knowledge, prepared_run, puzzle_at
from support.learners.afterstates_fast import HOLD

PUBLISHED_LINE = "8,4 > 7,4 > 7,2 > 1,2 > 1,1 > 0,0"
"""The trained players' game in the published write-up."""
OVER_SEEDS = 0  # the place below the root seed of the runs of the published setting: these are the same runs


@dataclass(frozen=True)
class Fate:
    """What becomes of an opening.

    Attributes:
        opening: what it leaves on the table.
        wins: whether Alpha can force a win after it.
        can_reach: whether Betty ever leaves two of one biscuit and one of the other, in any play from there.
        at_once: whether she can leave them with her next move.
    """

    opening: tuple[int, int]
    wins: bool
    can_reach: bool
    at_once: bool


def after_openings(heaps: tuple[int, int] = (8, 4)) -> list[Fate]:
    """Every opening, followed through all games that it can lead to."""
    puzzle = puzzle_at(*heaps)
    flat = puzzle.flat
    wanted = {flat.index[board] for board in ((1, 2, 0), (2, 1, 0)) if board in flat.index}  # left by Betty
    fates = []
    for edge in flat.edges(0):
        seen, todo = set(), [int(flat.child[edge])]
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += [int(flat.child[e]) for e in flat.edges(node)]
        after = {int(flat.child[e]) for e in flat.edges(int(flat.child[edge]))}
        wins = bool(puzzle.solution.winning[edge])
        fates.append(Fate(flat.action[edge], wins, bool(wanted & seen), bool(wanted & after)))
    return fates


def random_play(heaps: tuple[int, int] = (8, 4)) -> Fraction:
    """The exact chance that Alpha wins when both players choose uniformly among the legal moves."""
    flat = puzzle_at(*heaps).flat
    return (1 + evaluate(flat, uniform(flat).edge_probabilities(flat)).mean) / 2


@dataclass(frozen=True)
class Yardstick:
    """What two flawless players who explore can do against each other, exact.

    Attributes:
        perfect: Alpha's chance when both play uniformly among the winning moves, or among all where there is
            none.
        least: the least chance over all ways to choose among winning moves (among all where there is none).
        most: the greatest.
        trembling: Alpha's chance when each plays the best against an opponent known to tremble as well.
        opening: Alpha's opening then.
        careless: hot positions in which the best move against a trembling opponent gives away the forced win.
    """

    perfect: Fraction
    least: Fraction
    most: Fraction
    trembling: Fraction
    opening: str
    careless: int


def yardstick(
    epsilon: tuple[Fraction, Fraction] = (Fraction(1, 20), Fraction(1, 20)), heaps: tuple[int, int] = (8, 4)
) -> Yardstick:
    """The exact chance that Alpha wins when nobody has anything left to learn but both go on exploring.

    Args:
        epsilon: chance that a move is drawn uniformly from the legal ones, for Alpha and for Betty, in
            [0, 1].
        heaps: Digestives and Rich Teas at the start.

    Raises:
        ValueError: an exploration rate out of range.
    """
    puzzle = puzzle_at(*heaps)
    flat, solution = puzzle.flat, puzzle.solution
    steady = steadiest_edges(flat, epsilon)
    chances = []
    for edges in (safe_edges(flat, solution), steady):
        policy = tremble(flat, edges, epsilon)
        chances.append((1 + evaluate(flat, policy.edge_probabilities(flat)).mean) / 2)
    careless = sum(bool(solution.hot[node]) and not solution.winning[edge] for node, (edge,) in steady.items())
    least, most = safe_range(flat, solution, epsilon)
    return Yardstick(chances[0], least, most, chances[1], flat.label[steady[0][0]], careless)


@dataclass(frozen=True, eq=False)
class StrategyFound:
    """What Alpha knew in many runs of one setting; the columns of its arrays are ``LEVELS``.

    Attributes:
        found: int64[seeds, 3], games until it was first known before 100 games in a row (``games + 1``: never).
        won: int64[seeds, 3], games before it was found that Alpha won.
        at_end: bool[seeds, 3], whether it was known at the end.
    """

    found: np.ndarray
    won: np.ndarray
    at_end: np.ndarray

    def soon(self, games: int) -> np.ndarray:
        """float64[3], the share of runs in which each level was found within so many games."""
        share: np.ndarray = (self.found <= games).mean(axis=0)
        return share


def strategy_found(config: BiscuitsScale, slip: bool = False) -> StrategyFound:
    """The published setting, as described or (``slip``) as printed: the runs of ``over_seeds``, watched closely."""
    return _found(config, [BiscuitRun(games=config.games, slip=slip, marks=config.marks)])[0]


def other_settings(config: BiscuitsScale, slip: bool = False) -> dict[str, StrategyFound]:
    """What the criterion of quick learning has to tell apart: players who cannot learn much, or not soon.

    The runs end as soon as it is known whether the criterion holds, 100 games after ``config.soon``. They start from
    the seeds of the published setting.
    """
    usual = BiscuitRun(games=config.soon + HOLD, slip=slip, marks=1)
    settings = {
        "both move at random": replace(usual, exploration=1.0),
        "learning rate 1": replace(usual, alpha=1.0),
        f"learning rate {min(config.alphas):.3g}": replace(usual, alpha=min(config.alphas)),
        "values start at 0": replace(usual, start=0.0),
        "values start at −1": replace(usual, start=-1.0),
    }
    return dict(zip(settings, _found(config, list(settings.values())), strict=True))


def _found(config: BiscuitsScale, settings: Sequence[BiscuitRun]) -> list[StrategyFound]:
    # One sweep a setting: each gets the seeds of the first configuration at its place, so all get the same.
    results = []
    for setting in settings:
        runs = config.sweep(knowledge, [setting], config.seeds, OVER_SEEDS)
        found, won, at_end = (runs.column(name, 0) for name in ("found", "won", "at_end"))
        results.append(StrategyFound(found, won, at_end))
    return results


@dataclass(frozen=True, eq=False)
class LastGames:
    """The game after training, in which Alpha no longer explores and Betty goes on exploring.

    Attributes:
        lines: the probability of each line of play, on average over the runs.
        published: float64[seeds], in each run the probability of the published line.
        alpha_wins: the probability that Alpha wins, on average over the runs.
    """

    lines: Counter[str]
    published: np.ndarray
    alpha_wins: float


def last_games(config: BiscuitsScale, slip: bool = False) -> LastGames:
    """Every last game that the trained players of the published setting can play, with its probability.

    The runs are random; what follows from their final values is not drawn but worked out.
    """
    setting = BiscuitRun(games=config.games, slip=slip, marks=config.marks)
    puzzle, prepared = puzzle_at(), prepared_run(setting)
    lines: Counter[str] = Counter()
    published = np.zeros(config.seeds)
    for run, values in enumerate(prepared.runs(config.spawn(config.seeds, OVER_SEEDS, 0)).values):
        consulted = values[puzzle.layout.twin if slip else puzzle.flat.child]
        games = _games(puzzle, consulted, setting.epsilon[1])
        published[run] = games.get(PUBLISHED_LINE, 0.0)
        for line, probability in games.items():
            lines[line] += probability / config.seeds  # type: ignore[assignment]  # a counter of shares
    won = f"{SEPARATOR} 0,0"
    alpha_wins = sum(share for line, share in lines.items() if line.endswith(won) and line.count(SEPARATOR) % 2)
    return LastGames(lines, published, float(alpha_wins))


def _games(puzzle: Puzzle, consulted: np.ndarray, epsilon: float) -> dict[str, float]:
    """Lines of play with their probabilities: Alpha greedy, Betty greedy but for a share ``epsilon`` of random moves.

    Args:
        puzzle: the game.
        consulted: float64[m], for each edge the value by which the player who is to move judges it.
        epsilon: Betty's exploration.
    """
    flat, over = puzzle.flat, winners(puzzle.flat) >= 0
    games: dict[str, float] = {}
    waiting = [(0, str(flat.game.initial_state()), 1.0)]
    while waiting:
        node, line, probability = waiting.pop()
        if over[node]:
            games[line] = probability
            continue
        edges = flat.edges(node)
        greedy = edges.start + int(consulted[edges.start : edges.stop].argmax())
        explores = 0.0 if flat.player[node] == 0 else epsilon
        for edge in edges:
            share = explores / len(edges) + (1 - explores) * (edge == greedy)
            if share:
                after = f"{line} {SEPARATOR} {flat.label[edge]}"
                waiting.append((int(flat.child[edge]), after, probability * share))
    return games


def rarity(lines: Mapping[str, float], line: str = PUBLISHED_LINE) -> float:
    """The share of games whose line is at most as frequent as the given one: how unusual that is, 1 for the commonest.

    Args:
        lines: how often each line of play comes out, as counts or shares.
        line: the line in question; 0 if it never comes out.
    """
    often = lines.get(line, 0)
    rarer = sum(count for count in lines.values() if count <= often * (1 + 1e-12))
    return float(rarer / sum(lines.values()))
