"""When Alpha knows a winning strategy of biscuits, and which last game its knowledge leads to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from support.core.interface import SEPARATOR
from support.exact.retrograde import winners
from support.games.biscuits.experiments.runs import BiscuitRun, Config, Puzzle, prepared_run, puzzle_at
from support.games.biscuits.experiments.strategy_fast import know_when
from support.learners.afterstates_fast import HOLD

PUBLISHED_LINE = "8,4 > 7,4 > 7,2 > 1,2 > 1,1 > 0,0"
"""The trained players' game in the published write-up."""
OVER_SEEDS = 0  # the place below the root seed of the runs of the published setting: these are the same runs


def knowledge(config: BiscuitRun, seed: int) -> Mapping[str, Any]:
    """One run, and what Alpha knew before each of its games.

    Returns:
        ``found``, ``won`` and ``at_end``, as in :class:`support.games.biscuits.experiments.strategy_fast.Knowledge`,
        each with one entry for each of ``LEVELS``.
    """
    puzzle = puzzle_at(config.digestives, config.rich_teas)
    known = know_when(prepared_run(config), [seed], puzzle.solution.winning)
    return {"found": known.found[0], "won": known.won[0], "at_end": known.at_end[0]}


@dataclass(frozen=True, eq=False)
class StrategyFound:
    """What Alpha knew in many runs of one setting; the columns of its arrays are ``LEVELS``.

    Attributes:
        settings: the setting.
        found: int64[seeds, 3], games until it was first known before 100 games in a row (``games + 1``: never).
        won: int64[seeds, 3], games before it was found that Alpha won.
        at_end: bool[seeds, 3], whether it was known at the end.
    """

    settings: BiscuitRun
    found: np.ndarray
    won: np.ndarray
    at_end: np.ndarray

    def soon(self, games: int) -> np.ndarray:
        """float64[3], the share of runs in which each level was found within so many games."""
        share: np.ndarray = (self.found <= games).mean(axis=0)
        return share


def strategy_found(config: Config, slip: bool = False) -> StrategyFound:
    """The published setting, as described or (``slip``) as printed: the runs of ``over_seeds``, watched closely."""
    return _found(config, [BiscuitRun(games=config.games, slip=slip, marks=config.marks)])[0]


def other_settings(config: Config, slip: bool = False) -> dict[str, StrategyFound]:
    """What the criterion of quick learning has to tell apart: players who cannot learn much, or not soon.

    The runs end as soon as it is known whether the criterion holds, 100 games after ``config.soon``. They start from
    the seeds of the published setting.
    """
    usual = BiscuitRun(games=config.soon + HOLD, slip=slip, marks=1)
    settings = {
        "both move at random": replace(usual, exploration=1.0),
        "learning rate 1": replace(usual, learning_rate=1.0),
        f"learning rate {min(config.alphas):.3g}": replace(usual, learning_rate=min(config.alphas)),
        "values start at 0": replace(usual, start=0.0),
        "values start at −1": replace(usual, start=-1.0),
    }
    return dict(zip(settings, _found(config, list(settings.values())), strict=True))


def _found(config: Config, settings: Sequence[BiscuitRun]) -> list[StrategyFound]:
    # One sweep a setting: each gets the seeds of the first configuration at its place, so all get the same.
    results = []
    for setting in settings:
        runs = config.sweep(knowledge, [setting], config.seeds, OVER_SEEDS)
        found, won, at_end = (runs.column(name, 0) for name in ("found", "won", "at_end"))
        results.append(StrategyFound(setting, found, won, at_end))
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


def last_games(config: Config, slip: bool = False) -> LastGames:
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
