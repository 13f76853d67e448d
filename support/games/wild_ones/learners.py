"""The learners of wild ones behind the protocol, and what their policies win against the usual opponents."""

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
"""After how many games the note-taker plans anew, and at the end."""


def _wild_ones(game: Game) -> WildOnes:
    if not isinstance(game, WildOnes):
        raise DoesNotFitError("it learns wild ones alone, against the usual opponents")
    return game


def network(game: WildOnes, settings: DQNSettings, seed: int) -> DQNPlayer:
    """A network that was trained against the usual opponents."""
    from support.games.wild_ones.dqn_fast import FastDQNLearner

    done = FastDQNLearner(game, tables(game, usual(game)), settings, seed).train()
    return DQNPlayer(game, settings, done.network, "+".join(usual(game)), seed)


class Dqn:
    """Wild ones alone: the published deep Q-learning against the usual opponents."""

    games: ClassVar[int] = 5_000

    def train(self, game: Game, games: int, seed: int) -> DQNPlayer:
        """The legal action of the highest value, everywhere; of equals the one of the lowest number."""
        return network(_wild_ones(game), replace(PUBLISHED, games=games), seed)


class TableLearner:
    """Wild ones alone: a table that goes by all bids of the round, against the usual opponents."""

    games: ClassVar[int] = 1_000_000

    def train(self, game: Game, games: int, seed: int) -> "TablePlayer":
        """The best known action; liar, or the lowest opening, in an information state that it never met."""
        from support.games.wild_ones.listener_fast import FastListenerLearner

        known = _wild_ones(game)
        learner = FastListenerLearner(known, tables(known, usual(known)), ListenerSettings(), seed)
        learner.train(games)
        return TablePlayer(learner.learned())


class NoteTaker:
    """Wild ones alone: it writes down what the usual opponents do, and plans against that."""

    games: ClassVar[int] = 10_000

    def train(self, game: Game, games: int, seed: int) -> "PlanPlayer":
        """What the last plan says; liar after a bid that it did not expect."""
        known = _wild_ones(game)
        marks = [mark for mark in NOTED if mark < games] + [games] * (games > 0)
        *_, last = learn(known, tables(known, usual(known)), marks, seed)
        return PlanPlayer(last.plan)


class SeatedPolicy(Protocol):
    """A policy that also knows which opponent sits where."""

    def choose(self, state: WildOnesState, seats: Sequence[int]) -> str:
        """One action; the player in each seat is 0 for itself, and 1, 2, ... for the opponents."""


@dataclass(frozen=True, eq=False)
class TablePlayer:
    """A table that goes by all bids of the round.

    Args:
        learned: the table.
    """

    learned: ListenerTable

    def choose(self, state: WildOnesState, seats: Sequence[int]) -> str:
        """As :class:`SeatedPolicy`; the table's own agent is the last player."""
        return self.learned.choose(state, [(player - 1) % len(seats) for player in seats])


@dataclass(frozen=True, eq=False)
class PlanPlayer:
    """A plan by notes.

    Args:
        plan: the best against what was written down.
    """

    plan: Ceiling

    def choose(self, state: WildOnesState, seats: Sequence[int]) -> str:
        """As :class:`SeatedPolicy`."""
        return decide(self.plan, state, seats)


def judge(policy: Any, game: WildOnes) -> Judgement:
    """What a policy wins against the usual opponents, seated at random, and the most that anybody can win, exactly.

    Args:
        policy: any, as :class:`support.core.policy.Policy` or :class:`SeatedPolicy`.
        game: the rules.

    Raises:
        DoesNotFitError: a size at which the most that can be won takes long to work out.
    """
    if (game.num_players, game.dice) not in QUICK:
        sizes = ", ".join(f"{players} players with {dice}" for players, dice in sorted(QUICK))
        raise DoesNotFitError(f"what is best takes long to work out for {game}; it is known for {sizes} dice each")
    best, names = _best(game), usual(game)
    if isinstance(policy, DQNPlayer):
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
