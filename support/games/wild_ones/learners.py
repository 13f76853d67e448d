"""The learners of wild ones, and what their policies win against the usual opponents."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Protocol

from support.core.interface import DoesNotFitError, Game
from support.core.policy import Judgement
from support.games.wild_ones.ceiling.ceiling import QUICK, Ceiling
from support.games.wild_ones.ceiling.places import places
from support.games.wild_ones.dqn import PUBLISHED, DQNSettings
from support.games.wild_ones.dqn_player import DQNPlayer
from support.games.wild_ones.listener import ListenerSettings
from support.games.wild_ones.listener_table import ListenerTable
from support.games.wild_ones.notes import decide, learn
from support.games.wild_ones.policies import POLICIES, tables, usual
from support.games.wild_ones.rules import WildOnes, WildOnesState
from support.games.wild_ones.worth import win_probability

NOTED = (10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000)
"""The numbers of games after which the note-taker plans anew; it also does so at the end."""


def _wild_ones(game: Game) -> WildOnes:
    if not isinstance(game, WildOnes):
        raise DoesNotFitError("it learns only wild ones, against the usual opponents")
    return game


def network(game: WildOnes, settings: DQNSettings, seed: int) -> DQNPlayer:
    """Train a network against the usual opponents."""
    from support.games.wild_ones.dqn_fast import FastDQNLearner

    done = FastDQNLearner(game, tables(game, usual(game)), settings, seed).train()
    return DQNPlayer(game, settings, done.network, "+".join(usual(game)), seed)


class Dqn:
    """Wild ones only: the published deep Q-learning against the usual opponents."""

    games: ClassVar[int] = 5_000

    def train(self, game: Game, games: int, seed: int) -> DQNPlayer:
        """Train a network for ``games`` games; the policy takes the legal action of the highest value."""
        return network(_wild_ones(game), replace(PUBLISHED, games=games), seed)


class TableLearner:
    """Wild ones only: a table that goes by all bids of the round, against the usual opponents."""

    games: ClassVar[int] = 1_000_000

    def train(self, game: Game, games: int, seed: int) -> "TablePlayer":
        """Fill a table in ``games`` games; in information states that it never met, it says liar or opens lowest."""
        from support.games.wild_ones.listener_fast import FastListenerLearner

        known = _wild_ones(game)
        learner = FastListenerLearner(known, tables(known, usual(known)), ListenerSettings(), seed)
        learner.train(games)
        return TablePlayer(learner.learned())


class NoteTaker:
    """Wild ones only: it takes notes on the usual opponents, and plays the best response to them."""

    games: ClassVar[int] = 10_000

    def train(self, game: Game, games: int, seed: int) -> "PlanPlayer":
        """Take notes in ``games`` games; the policy is the last plan, and says liar after a bid it did not expect."""
        known = _wild_ones(game)
        marks = [mark for mark in NOTED if mark < games] + [games] * (games > 0)
        *_, last = learn(known, tables(known, usual(known)), marks, seed)
        return PlanPlayer(last.plan)


class SeatedPolicy(Protocol):
    """A policy that knows which opponent sits in which seat."""

    def choose(self, state: WildOnesState, seats: Sequence[int]) -> str:
        """The action to take; ``seats`` has the player in each seat, 0 for itself and 1, 2, ... for the opponents."""


@dataclass(frozen=True, eq=False)
class TablePlayer:
    """A learned table that goes by all bids of the round.

    Args:
        learned: the table.
    """

    learned: ListenerTable

    def choose(self, state: WildOnesState, seats: Sequence[int]) -> str:
        """The action to take; in the table itself the agent is the last player, not player 0."""
        return self.learned.choose(state, [(player - 1) % len(seats) for player in seats])


@dataclass(frozen=True, eq=False)
class PlanPlayer:
    """A plan from notes.

    Args:
        plan: the best response to what was written down.
    """

    plan: Ceiling

    def choose(self, state: WildOnesState, seats: Sequence[int]) -> str:
        """The action to take, as in :class:`SeatedPolicy`."""
        return decide(self.plan, state, seats)


def judge(policy: Any, game: WildOnes) -> Judgement:
    """What a policy wins against the usual opponents, seated at random, and the most that can be won, exactly.

    Args:
        policy: any :class:`support.core.policy.Policy` or :class:`SeatedPolicy`.
        game: the rules.

    Raises:
        DoesNotFitError: at this size the most that can be won takes too long to compute; or a network must be told who
            sits where.
    """
    if (game.num_players, game.dice) not in QUICK:
        sizes = ", ".join(f"{players} players with {dice}" for players, dice in sorted(QUICK))
        raise DoesNotFitError(f"the best response takes too long for {game}; it is computed for {sizes} dice each")
    if isinstance(policy, DQNPlayer) and policy.settings.identity:
        raise DoesNotFitError("it must be told who sits where, which a state does not say")
    best, names = _best(game), usual(game)
    if isinstance(policy, DQNPlayer) and policy.settings.by_view:
        achieved = places(game, [policy.table(game), *tables(game, names)]).shares[0][0]
    else:
        achieved = win_probability(game, [POLICIES[name] for name in names], _act(policy))
    unit = "probability of winning against " + " and ".join(names)
    return Judgement(best - achieved, unit, best, achieved, "support.games.wild_ones.ceiling.ceiling.Ceiling")


def _act(policy: Any) -> Any:
    if hasattr(policy, "choose"):
        return lambda state, seats: {policy.choose(state, seats): 1}
    return lambda state, seats: policy.action_probabilities(state)


@lru_cache(maxsize=4)
def _best(game: WildOnes) -> Fraction:
    return Fraction(Ceiling(game, tables(game, usual(game))).win_probability)
