"""Counterfactual regrets from sampled games: outcome-sampling Monte Carlo CFR (Lanctot et al. 2009).

The learner sees one game at a time and nothing else. In each game one player, in turn, is the *traverser*: with
probability ``exploration`` it plays a uniformly random action, and otherwise its current strategy, which is in
proportion to the positive regrets. The other player always plays its current strategy. Whatever was not sampled counts
as zero, and whatever was sampled is divided by the probability of sampling it. The expected change of a regret is
therefore what CFR on the full tree (``support.learners.cfr``) would add. The average strategy is weighted in the same
way (stochastically-weighted averaging), at the choices of the player who is not the traverser. That player plays the
strategy that is averaged, so its own probability of getting there cancels: only the traverser's exploration and chance
limit how large a weight can be.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from support.core.interface import CHANCE, Game, State
from support.core.play import Stream
from support.core.policy import InformationState, TabularPolicy
from support.learners.regret_matching import draw, matched

EXPLORATION = 0.6
"""The probability that the traverser plays at random: the value that Lanctot et al. (2009) found best."""


@dataclass
class OutcomeSampling:
    """The learner in plain Python; ``mccfr_fast.run`` learns the same from the same games, number for number.

    Args:
        game: a two-player zero-sum game of perfect recall that is sure to end.
        seed: 64-bit seed; game k is played with the numbers of ``Stream(seed, k)``.
        exploration: the probability that the traverser plays at random, above 0 and at most 1.

    Attributes:
        games: the number of games played.
        nodes: the number of states visited, including initial states, chance nodes and terminal states.
        regrets: for each information state that a traverser met, the estimated regret of each action, in order.
        weights: for each information state that the other player met, each action's weight in the average strategy.

    Raises:
        ValueError: ``exploration`` is out of range.
    """

    game: Game
    seed: int
    exploration: float = EXPLORATION
    games: int = 0
    nodes: int = 0
    regrets: dict[InformationState, list[float]] = field(default_factory=dict)
    weights: dict[InformationState, dict[Any, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_exploration(self.exploration)

    def learn(self, games: int) -> None:
        """Learn from the given number of further games; the players take turns as the traverser, player 0 first."""
        for _ in range(games):
            traverser = self.games % self.game.num_players
            end, visits = self._play(traverser, Stream(self.seed, self.games))
            self._update(float(end.returns()[traverser]), visits)
            self.games += 1

    def average(self) -> TabularPolicy:
        """The average strategy, in the information states where something was averaged."""
        table = {}
        for where, row in self.weights.items():
            weights = {action: Fraction(weight) for action, weight in row.items() if weight}
            table[where] = {action: weight / sum(weights.values()) for action, weight in weights.items()}
        return TabularPolicy(table, "average of outcome sampling")

    def _play(self, traverser: int, stream: Stream) -> tuple[State, list["_Visit"]]:
        """Play one game; return its end and the traverser's choices. The other's choices are added to its average."""
        state, visits = self.game.initial_state(), []
        own = chance = 1.0  # the probabilities of sampling the traverser's choices so far, and chance's outcomes
        self.nodes += 1
        moves: Sequence[Any]
        strategy: Sequence[float]
        while not state.is_terminal():
            mover = state.current_player
            if mover == CHANCE:
                moves, strategy = zip(*((move, float(p)) for move, p in state.chance_outcomes()), strict=True)
            else:
                moves, where = state.legal_actions(), (mover, state.information_state(mover))
                strategy = matched(self.regrets.get(where, [0.0] * len(moves)))
            odds = strategy
            if mover == traverser:
                even = self.exploration / len(moves)
                odds = [even + (1.0 - self.exploration) * share for share in strategy]
            place = draw(odds, stream) if len(moves) > 1 else 0
            if mover == traverser:
                visits.append(_Visit(where, strategy, place, odds[place], own))
                own *= odds[place]
            elif mover == CHANCE:
                chance *= odds[place]
            else:
                row = self.weights.setdefault(where, dict.fromkeys(moves, 0.0))
                for move, share in zip(moves, strategy, strict=True):
                    row[move] += share / (own * chance)
            state = state.child(moves[place])
            self.nodes += 1
        return state, visits

    def _update(self, value: float, visits: list["_Visit"]) -> None:
        """From the last choice to the first, add each action's estimated value less the strategy's to its regret."""
        for visit in reversed(visits):
            taken = value / visit.odds
            value = visit.strategy[visit.place] * taken
            regrets = self.regrets.setdefault(visit.where, [0.0] * len(visit.strategy))
            for place in range(len(regrets)):
                regrets[place] += ((taken if place == visit.place else 0.0) - value) / visit.own


@dataclass(frozen=True)
class _Visit:
    """A choice of the traverser."""

    where: InformationState
    strategy: Sequence[float]
    place: int  # of the action taken
    odds: float  # of sampling that action
    own: float  # the probability of sampling its choices before


def require_exploration(exploration: float) -> None:
    """Raise an error unless every action can be sampled."""
    if not 0 < exploration <= 1:
        raise ValueError(f"exploration must be above 0 and at most 1, or actions are never tried, not {exploration}")
