"""The book's general learners behind the protocol, each in its compiled form."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from support.core.checks import settings
from support.core.flat import FlatGame, TooLargeError
from support.core.flat import unfolded as unfolded_up_to
from support.core.interface import DoesNotFitError, Game
from support.core.policy import TabularPolicy, from_weights
from support.exact.kinds import kind_of, require_open
from support.learners import (
    Curve,
    afterstates_fast,
    cfr_fast,
    mccfr_fast,
    mirror_descent_fast,
    regret_table_fast,
    result_table_fast,
    tabular,
    tabular_fast,
    uct,
    uct_fast,
)
from support.learners.afterstates import AfterstateSettings
from support.learners.marks import as_marks
from support.learners.mccfr import EXPLORATION
from support.learners.mirror_descent import MirrorDescentSettings
from support.learners.regret_table import RegretTableSettings
from support.learners.result_table import ResultTableSettings
from support.learners.result_table_layout import in_whole_units, lay_out
from support.learners.uct import Search
from support.learners.value_iteration import value_iteration

MOST = 100_000
"""The most positions of a game that these learners take; such a game unfolds in seconds."""


def unfolded(game: Game, most: int | None = None) -> FlatGame:
    """A game, unfolded once.

    Args:
        game: the rules.
        most: the most positions that it may have; ``MOST`` by default.

    Raises:
        TooLargeError: the game has more positions.
    """
    return unfolded_up_to(game, MOST if most is None else most)  # MOST now, so that a test can set a lower limit


class Watched(ABC):
    """A learner that can be watched: its policy is what it has learned at the last mark, under its own ``name``."""

    name: ClassVar[str]

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """The policy after the given games or iterations; uniform in information states about which it says nothing."""
        flat = unfolded(game)
        return from_weights(flat, self.curve(flat, [games], seed).weights[-1], self.name)

    @abstractmethod
    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """See :class:`support.learners.Observed`."""


@settings
class ResultTable(Watched):
    """Play what has paid best so far, explore now and then; the policy is how often each choice was made.

    Attributes:
        exploration: the probability of a random choice.
    """

    games: ClassVar[int] = 1_000_000
    name = "result table"
    exploration: Fraction = ResultTableSettings.exploration

    def __post_init__(self) -> None:
        ResultTableSettings(self.exploration)

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """The number of games in which each choice was made."""
        layout, kept = lay_out(in_whole_units(flat)), as_marks(marks)
        how = ResultTableSettings(self.exploration)
        table = result_table_fast.new_table(layout, how, seed)
        nodes, weights = np.zeros_like(kept), np.zeros((len(kept), flat.slots[-1]))
        for k, games in enumerate(np.diff(kept, prepend=0).tolist()):
            result_table_fast.advance(layout, how, table, games)
            nodes[k], weights[k] = table.nodes, table.counts
        return Curve(nodes, weights)


@settings
class RegretTable(Watched):
    """The result table with regret matching instead of greed; the policy is the average of what it played.

    Attributes:
        exploration: the probability of a random choice.
    """

    games: ClassVar[int] = 1_000_000
    name = "regret table"
    exploration: Fraction = RegretTableSettings.exploration

    def __post_init__(self) -> None:
        RegretTableSettings(exploration=self.exploration)

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """The average strategies, without exploration."""
        how = RegretTableSettings(exploration=self.exploration)
        trace = regret_table_fast.run(in_whole_units(flat), how, marks, seed)
        return Curve(trace.nodes, trace.played)


@settings
class Afterstates(Watched):
    """Temporal-difference learning on afterstates, for two-player games of perfect information without chance.

    Attributes:
        alpha: how far a value moves towards the next.
    """

    games: ClassVar[int] = 10_000
    name = "afterstates"
    alpha: Annotated[float, Field(gt=0, le=1)] = AfterstateSettings.alpha

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """The move to the highest value, the first of equals; a position never visited has the value of a win."""
        kind, kept = kind_of(flat), as_marks(marks)
        if kind.players != 2 or kind.chance or kind.hidden or not kind.win_or_loss:
            raise DoesNotFitError("it learns two-player games of win or loss with perfect information, without chance")
        how, layout = AfterstateSettings(self.alpha, games=int(kept[-1])), afterstates_fast.lay_out(flat)
        openings = np.zeros(len(flat.edges(0)), np.bool_)
        values, nodes = afterstates_fast.prepare(layout, how, openings, kept).observed(seed)
        weights = np.zeros((len(kept), flat.slots[-1]))
        for row, reached in zip(weights, values, strict=True):
            row[flat.slot[layout.greedy(how, reached)]] = 1.0
        return Curve(nodes, weights)


@settings
class ValueIteration:
    """Value iteration for single-player games of perfect information, with a discount of 0.95 or another.

    Attributes:
        discount: the weight of a reward one decision later.
    """

    games: ClassVar[int] = 0
    discount: Annotated[float, Field(ge=0, le=1)] = 0.95

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """The greedy policy for the values of the last sweep; ``games`` and ``seed`` are not used."""
        return value_iteration(unfolded(game), self.discount).policy


class Cfr(Watched):
    """Counterfactual regret minimisation: the average strategy after the given iterations on the full tree."""

    games: ClassVar[int] = 1000
    name = "average of cfr"
    method: ClassVar[str] = "cfr"

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """The average strategies; ``seed`` is not used."""
        trace = cfr_fast.run(flat, self.method, marks)
        return Curve(trace.nodes, trace.weights)


class CfrPlus(Cfr):
    """CFR+: negative regrets are set to zero, the players take turns, and later iterations weigh more."""

    name = "average of cfr+"
    method = "cfr+"


class FictitiousPlay(Cfr):
    """Fictitious play: each player plays a best response to the other's average so far."""

    name = "average of fictitious play"
    method = "fictitious play"


@settings
class SampledCfr(Watched):
    """Outcome-sampling Monte Carlo CFR: counterfactual regrets from one sampled game at a time.

    Attributes:
        exploration: the probability that the traverser plays at random.
    """

    games: ClassVar[int] = 1_000_000
    name = "sampled cfr"
    exploration: Annotated[float, Field(gt=0, le=1)] = EXPLORATION

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """The average strategies."""
        trace = mccfr_fast.run(flat, marks, seed, self.exploration)
        return Curve(trace.nodes, trace.weights)


class ExternalSampling(Watched):
    """External-sampling Monte Carlo CFR: chance and the other player are sampled, the traverser tries every action."""

    games: ClassVar[int] = 1_000_000
    name = "external sampling"

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """The average strategies."""
        trace = mccfr_fast.run_external(flat, marks, seed)
        return Curve(trace.nodes, trace.weights)


@settings
class MirrorDescent(Watched):
    """Magnetic mirror descent with a falling temperature: the last strategies after the given iterations.

    Attributes:
        step, temperature: both are divided by the root of the iteration's number.
    """

    games: ClassVar[int] = 1000
    name = "mirror descent"
    step: Annotated[float, Field(gt=0)] = MirrorDescentSettings.step
    temperature: Annotated[float, Field(ge=0)] = MirrorDescentSettings.temperature

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """The last strategies, not their average; ``seed`` is not used. An iteration is one pass over the full tree."""
        weights = mirror_descent_fast.run(flat, marks, MirrorDescentSettings(self.step, self.temperature))
        return Curve(as_marks(marks) * flat.num_nodes, weights)


@settings
class MonteCarlo(Watched):
    """Monte Carlo control: the value of an action is the mean of the returns that followed it.

    Attributes:
        exploration: the probability of a random action.
        least_step: the least step of a value towards its n-th target, which otherwise is 1/n.
    """

    games: ClassVar[int] = tabular.MonteCarlo.games
    name = "monte-carlo"
    exploration: Annotated[float, Field(ge=0, le=1)] = tabular.MonteCarlo.exploration
    least_step: Annotated[float, Field(ge=0, le=1)] = tabular.MonteCarlo.least_step

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """The same policy in plain Python if the game is too large to unfold."""
        try:
            return super().train(game, games, seed)
        except TooLargeError:
            plain = tabular.RULES[self.name](self.exploration, self.least_step)
            return TabularPolicy(plain.train(game, games, seed).table, self.name)

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """The action with the highest value, the first of equals."""
        trace = tabular_fast.run(flat, self.name, marks, seed, exploration=self.exploration, least_step=self.least_step)
        return Curve(trace.nodes, trace.weights)


@settings
class QLearning(MonteCarlo):
    """Q-learning: the value of an action is what it gained, plus the best value at the player's next decision."""

    name = "q-learning"
    least_step: Annotated[float, Field(ge=0, le=1)] = tabular.QLearning.least_step


@settings
class Sarsa(QLearning):
    """Sarsa: the value of an action is what it gained, plus the value of the action taken at the next decision."""

    name = "sarsa"


@settings
class Uct:
    """UCT: a Monte Carlo tree search before each decision, for games of perfect information, with or without chance.

    Attributes:
        exploration: the constant c of its upper bounds.
    """

    games: ClassVar[int] = 1000
    exploration: Annotated[float, Field(ge=0)] = uct.EXPLORATION

    def train(self, game: Game, games: int, seed: int) -> Search:
        """A policy that searches when it is asked; ``games`` is the number of games that it plays for each decision.

        Raises:
            DoesNotFitError: something is hidden in the game, or it has too many positions to find out.
        """
        flat = unfolded(game)
        require_open(flat, "UCT")
        return uct_fast.FastSearch(games, seed, self.exploration, flat=flat)

    def curve(self, flat: FlatGame, marks: Sequence[int], seed: int) -> Curve:
        """What searches of so many games would choose, in every information state; their nodes are added up."""
        return uct_fast.run(flat, marks, seed, self.exploration)
