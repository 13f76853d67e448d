"""Strategies at biscuits: where every opening leads, what flawless players score, and when Alpha knows how to win."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from support.core.interface import SEPARATOR
from support.core.policy import uniform
from support.exact.markov import expected_return
from support.exact.retrograde import safe_edges, safe_range, steadiest_edges, tremble, winners
from support.games.biscuits.runs import BiscuitRun, BiscuitsScale, Puzzle, knowledge, prepared_run, puzzle_at
from support.learners.afterstates_fast import HOLD

PUBLISHED_LINE = "8,4 > 7,4 > 7,2 > 1,2 > 1,1 > 0,0"
"""The trained players' game in the published write-up."""
OVER_SEEDS = 0  # the place below the root seed of the runs of the published setting: these are the same runs


@dataclass(frozen=True)
class Fate:
    """What can follow an opening.

    Attributes:
        opening: the board that it leaves.
        wins: whether Alpha can force a win after it.
        can_reach: whether Betty can leave two of one biscuit and one of the other in some game from there.
        at_once: whether she can do so with her next move.
    """

    opening: tuple[int, int]
    wins: bool
    can_reach: bool
    at_once: bool


def after_openings(heaps: tuple[int, int] = (8, 4)) -> list[Fate]:
    """What can follow each opening, over all games that it can lead to."""
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
    """The exact probability that Alpha wins when both players choose uniformly among the legal moves."""
    flat = puzzle_at(*heaps).flat
    return (1 + expected_return(flat, uniform(flat).edge_probabilities(flat))) / 2


@dataclass(frozen=True)
class Yardstick:
    """How often Alpha wins, exactly, when two flawless players go on exploring.

    Attributes:
        perfect: Alpha's probability of winning when both choose uniformly among the winning moves, or among all moves
            if none wins.
        least: the least probability over all ways to choose among those moves.
        most: the greatest.
        trembling: the probability when each plays best against an opponent known to explore too.
        opening: Alpha's opening then.
        careless: hot positions in which the best move against an exploring opponent gives away the forced win.
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
    """The exact probability that Alpha wins when nobody has anything left to learn but both go on exploring.

    Args:
        epsilon: the probability that a move is drawn uniformly from the legal ones, for Alpha and for Betty.
        heaps: Digestives and Rich Teas at the start.

    Raises:
        ValueError: an exploration rate is not in [0, 1].
    """
    puzzle = puzzle_at(*heaps)
    flat, solution = puzzle.flat, puzzle.solution
    steady = steadiest_edges(flat, epsilon)
    chances = []
    for edges in (safe_edges(flat, solution), steady):
        policy = tremble(flat, edges, epsilon)
        chances.append((1 + expected_return(flat, policy.edge_probabilities(flat))) / 2)
    careless = sum(bool(solution.hot[node]) and not solution.winning[edge] for node, (edge,) in steady.items())
    least, most = safe_range(flat, solution, epsilon)
    return Yardstick(chances[0], least, most, chances[1], flat.label[steady[0][0]], careless)


@dataclass(frozen=True, eq=False)
class StrategyFound:
    """What Alpha knew in many runs of one setting; the columns of its arrays are ``LEVELS``.

    Attributes:
        found: int64[seeds, 3], games until each was first known before 100 games in a row (``games + 1``: never).
        won: int64[seeds, 3], how many of the games before that Alpha won.
        at_end: bool[seeds, 3], whether each was known at the end.
    """

    found: np.ndarray
    won: np.ndarray
    at_end: np.ndarray

    def soon(self, games: int) -> np.ndarray:
        """float64[3], the share of runs in which each level was found within that number of games."""
        share: np.ndarray = (self.found <= games).mean(axis=0)
        return share


def strategy_found(config: BiscuitsScale, slip: bool = False) -> StrategyFound:
    """When Alpha knew what in the runs of ``over_seeds``, as described or (``slip``) as printed."""
    return _found(config, [BiscuitRun(games=config.games, slip=slip, marks=config.marks)])[0]


def other_settings(config: BiscuitsScale, slip: bool = False) -> dict[str, StrategyFound]:
    """Settings that the criterion of quick learning must reject: players who learn little, or late.

    The runs end once it is known whether the criterion holds, 100 games after ``config.soon``. They start from the
    seeds of the published setting.
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
    # One sweep for each setting, so that all get the seeds of a first configuration.
    results = []
    for setting in settings:
        runs = config.sweep(knowledge, [setting], config.seeds, OVER_SEEDS)
        found, won, at_end = (runs.column(name, 0) for name in ("found", "won", "at_end"))
        results.append(StrategyFound(found, won, at_end))
    return results


def answered(config: BiscuitsScale, games: int, slip: bool = False) -> np.ndarray:
    """What Betty would play after so many games of the published setting, if Alpha now opened wrongly.

    Returns:
        float64[seeds], in each run the share of the losing openings to which the reply that she prefers wins.
    """
    puzzle, consulted = puzzle_at(), _consulted(config, games, slip)
    flat, wins = puzzle.flat, []
    for opening in np.flatnonzero(~puzzle.right):
        replies = flat.edges(int(flat.child[opening]))
        favourite = replies.start + consulted[:, replies.start : replies.stop].argmax(axis=1)
        wins.append(puzzle.solution.winning[favourite])
    shares: np.ndarray = np.mean(wins, axis=0)
    return shares


def _consulted(config: BiscuitsScale, games: int, slip: bool) -> np.ndarray:
    """float64[seeds, m], after so many games of each run and for each edge, the value by which its mover judges it."""
    puzzle, prepared = puzzle_at(), prepared_run(BiscuitRun(games=games, slip=slip, marks=1))
    values: np.ndarray = prepared.runs(config.spawn(config.seeds, OVER_SEEDS, 0)).values
    return values[:, puzzle.layout.twin if slip else puzzle.flat.child]


@dataclass(frozen=True, eq=False)
class LastGames:
    """The game after training, in which Alpha no longer explores and Betty goes on exploring.

    Attributes:
        lines: the probability of each line of play, on average over the runs.
        published: float64[seeds], the probability of the published line in each run.
        alpha_wins: the probability that Alpha wins, on average over the runs.
    """

    lines: Counter[str]
    published: np.ndarray
    alpha_wins: float


def last_games(config: BiscuitsScale, slip: bool = False) -> LastGames:
    """Every last game that the trained players of the published setting can play, with its probability.

    The training runs are random; the probabilities that follow from their final values are exact.
    """
    puzzle, betty = puzzle_at(), BiscuitRun().epsilon[1]
    lines: Counter[str] = Counter()
    published = np.zeros(config.seeds)
    for run, consulted in enumerate(_consulted(config, config.games, slip)):
        games = _games(puzzle, consulted, betty)
        published[run] = games.get(PUBLISHED_LINE, 0.0)
        for line, probability in games.items():
            lines[line] += probability / config.seeds  # type: ignore[assignment]  # a counter of shares
    won = f"{SEPARATOR} 0,0"
    alpha_wins = sum(share for line, share in lines.items() if line.endswith(won) and line.count(SEPARATOR) % 2)
    return LastGames(lines, published, float(alpha_wins))


def _games(puzzle: Puzzle, consulted: np.ndarray, epsilon: float) -> dict[str, float]:
    """Lines of play with their probabilities, for a greedy Alpha and an epsilon-greedy Betty.

    Args:
        puzzle: the game.
        consulted: float64[m], for each edge the value by which the player to move judges it.
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
    """How unusual a line is: the share of games whose line is at most as frequent, 1 for the commonest line.

    Args:
        lines: how often each line of play comes out, as counts or shares.
        line: the line in question; the result is 0 if it never comes out.
    """
    often = lines.get(line, 0)
    rarer = sum(count for count in lines.values() if count <= often * (1 + 1e-12))
    return float(rarer / sum(lines.values()))
