"""The learners of the book that take any game of their kind, behind the protocol, each in its compiled form."""

from functools import lru_cache
from typing import ClassVar

import numpy as np

from support.core.flat import FlatGame, unfold
from support.core.interface import DoesNotFitError, Game
from support.core.policy import TabularPolicy, from_weights
from support.exact.kinds import kind_of
from support.learners import afterstates_fast, cfr_fast, mccfr_fast, regret_table_fast, result_table_fast
from support.learners.afterstates import AfterstateSettings
from support.learners.regret_table import RegretTableSettings
from support.learners.result_table import ResultTableSettings
from support.learners.result_table_layout import lay_out
from support.learners.value_iteration import value_iteration

MOST = 100_000
"""Positions of a game that is learned here: a matter of seconds to unfold."""


@lru_cache(maxsize=4)
def unfolded(game: Game) -> FlatGame:
    """A game unfolded, once.

    Raises:
        TooLargeError: more than ``MOST`` positions.
    """
    return unfold(game, MOST)


class ResultTable:
    """Play what has paid best so far, explore now and then, count everything: the frequencies that it played."""

    games: ClassVar[int] = 1_000_000

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """The share of the games in which each choice was made; uniform where there was none."""
        flat, settings = unfolded(game), ResultTableSettings()
        layout = lay_out(flat)
        table = result_table_fast.new_table(layout, settings, seed)
        result_table_fast.advance(layout, settings, table, games)
        return from_weights(flat, table.counts, "result table")


class RegretTable:
    """The result table with regret matching in place of greed: the average of what it played."""

    games: ClassVar[int] = 1_000_000

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """The average strategy, exploration left out; uniform where it never came."""
        flat = unfolded(game)
        played = regret_table_fast.run(flat, RegretTableSettings(), [games], seed).played[-1]
        return from_weights(flat, played, "regret table")


class Afterstates:
    """Temporal differences on what each player leaves behind, for two players who see everything and no chance."""

    games: ClassVar[int] = 10_000

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """The move to the highest value, the first of equals; what was never visited has the value of a win."""
        kind = kind_of(unfolded(game))
        if kind.players != 2 or kind.chance or kind.hidden or not kind.win_or_loss:
            raise DoesNotFitError("it learns games of win or loss for two players who see everything, without chance")
        settings = AfterstateSettings(games=games)
        layout = afterstates_fast.lay_out(unfolded(game))
        runs = afterstates_fast.prepare(layout, settings, np.zeros(len(layout.flat.edges(0)), np.bool_)).runs([seed])
        return layout.greedy(settings, runs.values[0])


class ValueIteration:
    """Value iteration for one player who sees everything, discount 0.95; it sweeps until its threshold."""

    games: ClassVar[int] = 0

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """Greedy by the values of the last sweep; nothing is drawn, and the number of games does not matter."""
        return value_iteration(unfolded(game)).policy


class Cfr:
    """Counterfactual regret minimisation: the average after so many iterations on the full tree."""

    games: ClassVar[int] = 1000
    method: ClassVar[str] = "cfr"

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """The average strategy, uniform where a player never went; nothing is drawn."""
        flat = unfolded(game)
        return from_weights(flat, cfr_fast.run(flat, self.method, [games]).weights[-1], f"average of {self.method}")


class CfrPlus(Cfr):
    """CFR+: regrets cut off at zero, turns taken, later iterations weighing more."""

    method = "cfr+"


class FictitiousPlay(Cfr):
    """Fictitious play: each answers best to the other's average so far."""

    method = "fictitious play"


class SampledCfr:
    """Outcome-sampling Monte Carlo CFR: counterfactual regrets from one sampled game at a time."""

    games: ClassVar[int] = 1_000_000

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """The average strategy; uniform where a player never went."""
        flat = unfolded(game)
        return from_weights(flat, mccfr_fast.run(flat, [games], seed).weights[-1], "sampled cfr")
