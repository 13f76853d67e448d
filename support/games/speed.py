"""How fast compiled kernels are beside the plain code that they must agree with, in less than a minute."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from support.core.flat import unfold
from support.sweep.scale import Scaled
from support.sweep.timing import Pace, rate


@dataclass(frozen=True)
class Config(Scaled):
    """How much is played.

    Attributes:
        root: the seed of all games.
        goes: how often each piece of work is timed; the fastest counts.
        fast: games of the compiled code in each go, for games that take a compiled microsecond or less.
        plain: games of the plain code in each go; also those in which the two are compared.
    """

    root: int = 20261122
    goes: int = 3
    fast: int = 1_000_000
    plain: int = 300

    @classmethod
    def small(cls) -> "Config":
        """Enough to see that it works."""
        return cls(goes=1, fast=10_000, plain=20)


def measured(config: Config) -> list[Pace]:
    """One row for each game. Everything runs on one core; compiling is not counted."""
    return [row(config) for row in (_biscuits, _three_dice, _ace_king_queen, _call_or_raise, _wild_ones)]


def _pace(
    config: Config, what: str, same: bool, fast: Callable[[], Any], plain: Callable[[], Any], games: int = 0
) -> Pace:
    """A row: how fast both ways play.

    Args:
        config: how much is played.
        what: the work.
        same: whether both gave the same results, game by game and value by value.
        fast: plays ``games``, by default as many as the configuration has for compiled code.
        plain: plays those of the plain code.
        games: of the compiled code.
    """
    games = games or config.fast
    quick, _ = rate(fast, games, config.goes, least=0)
    slow, _ = rate(plain, config.plain, config.goes, least=0)
    return Pace(what, "games", quick, slow, same, "game by game and value by value")


def _biscuits(config: Config) -> Pace:
    from support.games.biscuits.rules import Biscuits
    from support.learners.afterstates import AfterstateSettings, learn
    from support.learners.afterstates_fast import learn_fast

    game = Biscuits()
    flat, few, many = unfold(game), AfterstateSettings(games=config.plain), AfterstateSettings(games=config.fast)
    compiled, plain = learn_fast(flat, few, config.root), learn(game, few, config.root)
    same = compiled.values == plain.values and bool(np.array_equal(compiled.wins, plain.wins))
    return _pace(
        config,
        "Biscuits: two learners",
        same,
        fast=lambda: learn_fast(flat, many, config.root),
        plain=lambda: learn(game, few, config.root),
    )


def _three_dice(config: Config) -> Pace:
    from support.core.play import Stream, play_game
    from support.exact.simulate_fast import simulate
    from support.games.three_dice.rules import DiceGame
    from support.learners.value_iteration import value_iteration

    game = DiceGame()
    flat = unfold(game)
    policy = value_iteration(flat).policy
    chances = policy.edge_probabilities(flat)

    def plainly() -> list[float]:
        return [float(play_game(game, [policy], Stream(config.root, k)).returns()[0]) for k in range(config.plain)]

    same = simulate(flat, chances, config.plain, config.root).tolist() == plainly()
    return _pace(
        config,
        "Three dice: the planner plays",
        same,
        fast=lambda: simulate(flat, chances, config.fast, config.root),
        plain=plainly,
    )


def _ace_king_queen(config: Config) -> Pace:
    from support.games.cards.ace_king_queen import AceKingQueen
    from support.learners.result_table import ResultTableSettings, learn
    from support.learners.result_table_fast import advance, lay_out, new_table

    flat, settings = unfold(AceKingQueen()), ResultTableSettings()
    layout = lay_out(flat)
    table, plain = new_table(layout, settings, config.root), learn(flat.game, settings, config.plain, config.root)
    advance(layout, settings, table, config.plain)
    counts: dict[Any, list[int]] = {
        where: table.counts[start:stop].tolist()
        for where, start, stop in zip(flat.information_states, flat.slots, flat.slots[1:], strict=False)
    }
    same = {where: count for where, count in counts.items() if any(count)} == plain.counts
    return _pace(
        config,
        "Ace, king, queen: the result table",
        same,
        fast=lambda: advance(layout, settings, table, config.fast),
        plain=lambda: learn(flat.game, settings, config.plain, config.root),
    )


def _call_or_raise(config: Config) -> Pace:
    from support.games.call_or_raise.q_learning import QTableLearner
    from support.games.call_or_raise.q_learning_fast import advance, new_table
    from support.games.call_or_raise.settings import AS_MEANT, QTableSettings

    settings, games = QTableSettings(slips=AS_MEANT), config.fast // 10

    def plainly() -> tuple[Any, list[int]]:
        learner = QTableLearner(settings, config.root)
        return learner, [learner.play().winner for _ in range(config.plain)]

    q = new_table(settings)
    winners = advance(settings, q, config.plain, config.root)
    learner, won = plainly()
    same = winners.tolist() == won and bool(np.array_equal(q, learner.q))
    return _pace(
        config,
        "Call or raise: Q-learning",
        same,
        fast=lambda: advance(settings, q, games, config.root, config.plain),
        plain=plainly,
        games=games,
    )


def _wild_ones(config: Config) -> Pace:
    from support.core.play import Stream
    from support.games.wild_ones.play import play as play_plainly
    from support.games.wild_ones.play_fast import play
    from support.games.wild_ones.policies import Aggressive, Random, Survivalist, Views, table
    from support.games.wild_ones.rules import WildOnes

    game, policies = WildOnes(), (Survivalist(), Aggressive(), Random())
    tables, games = [table(Views(game), policy) for policy in policies], config.fast // 10

    def plainly() -> list[list[int]]:
        return [list(play_plainly(game, policies, Stream(config.root, n)).places) for n in range(config.plain)]

    same = play(game, tables, config.plain, config.root).places.tolist() == plainly()
    return _pace(
        config,
        "Wild ones: three fixed players",
        same,
        fast=lambda: play(game, tables, games, config.root),
        plain=plainly,
        games=games,
    )
