"""Counterfactual regrets from sampled games: outcome-sampling Monte Carlo CFR (Lanctot et al. 2009).

A learner that sees one game at a time and nothing else. In each game one player in turn is the *traverser*: it plays
a uniformly random action with the probability ``exploration`` and its present strategy otherwise; everybody else plays
the present strategy, which is in proportion to the positive regrets. What was not sampled counts as zero and what was
sampled is divided by the probability of sampling it, so that the expected change of a regret is what CFR on the full
tree (``support.learners.cfr``) would add. The average strategy is weighted in the same way (stochastically-weighted
averaging), at the choices of the player who does not traverse: it plays what is averaged, so that its own probability
of getting there cancels and no weight is larger than the traverser's exploration and chance make it.
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
"""How often the traverser plays at random: what Lanctot et al. (2009) found best."""


@dataclass
class OutcomeSampling:
    """A learner, in plain Python; ``mccfr_fast.run`` learns the same from the same games, number for number.

    Args:
        game: a game of two players that is sure to end, zero-sum, with perfect recall.
        seed: 64-bit seed; game k is played with the numbers of ``Stream(seed, k)``.
        exploration: the probability with which the traverser plays at random, above 0 and at most 1.

    Attributes:
        games: how many were played.
        nodes: how many states were visited, beginnings, chance and ends included.
        regrets: for each information state that a traverser met the estimated regret of each action, as listed.
        weights: for each that the other player met the weight of each action in the average strategy.

    Raises:
        ValueError: an exploration out of range.
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
        """Play and learn from so many more games; the players take turns as the traverser, player 0 first."""
        for _ in range(games):
            traverser = self.games % self.game.num_players
            end, visits = self._play(traverser, Stream(self.seed, self.games))
            self._update(float(end.returns()[traverser]), visits)
            self.games += 1

    def average(self) -> TabularPolicy:
        """The average strategy, in the information states in which any play was averaged."""
        table = {}
        for where, row in self.weights.items():
            weights = {action: Fraction(weight) for action, weight in row.items() if weight}
            table[where] = {action: weight / sum(weights.values()) for action, weight in weights.items()}
        return TabularPolicy(table, "average of outcome sampling")

    def _play(self, traverser: int, stream: Stream) -> tuple[State, list["_Visit"]]:
        """One game: its end, and the traverser's choices on the way. The other's are added to its average."""
        state, visits = self.game.initial_state(), []
        own = chance = 1.0  # the probabilities of sampling the traverser's choices so far, and what chance did
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
        """From the last choice to the first: what is estimated to follow, on the strategy and on each action."""
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
