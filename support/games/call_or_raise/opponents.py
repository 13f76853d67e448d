"""Opponents at call or raise: fixed rules, tables trained on demand, and one that cannot be beaten in the long run.

The last plays alone against another. It never bids more dice than are in play and calls any bid that does, because such
a bid is lost: so what it guarantees with that bound on bids, it guarantees without.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from support.core.table import PlayError
from support.games.call_or_raise.learners import CallsByTable, MonteCarlo, QTable
from support.games.call_or_raise.rules import CALL, CallOrRaise, CallOrRaiseState
from support.games.call_or_raise.settings import Agent, Caller
from support.games.cups.equal_player import Equal, equal

SEED = 20260
"""The seed of the learners, so that the same agent comes out every time."""
AGENTS = {
    "random": Agent("random"),
    "probability": Agent("probability"),
    "holds": Agent("holds"),
    "honest": Agent("holds", Fraction(0)),
}
LEARNERS = {"q-table": QTable(), "monte-carlo": MonteCarlo()}
EQUAL, EQUAL_DICE = "equal", 2
"""The player that cannot be beaten in the long run, and the most dice that it starts with."""


@cache
def solved_rounds(dice: int) -> Equal:
    """The rounds of two players who start with so many dice, with bids bounded by the dice in play."""
    return equal(CallOrRaise(2, dice, bounded=True))


@dataclass(frozen=True)
class Unbounded:
    """A player for bounded bids where bids have no bound.

    Args:
        bounded: the player.
    """

    bounded: Equal

    def action_probabilities(self, state: CallOrRaiseState) -> dict[str, Fraction]:
        """The player's probabilities; a bid that as many dice as are in play could not outbid is called."""
        legal = state.legal_actions()
        if state.bids[-1][0] < state.total:
            return self.bounded.action_probabilities(state)
        return {action: Fraction(action == CALL) for action in legal}


@cache
def learned(name: str) -> CallsByTable:
    """Train an agent for the document's table, four players with six dice; Monte Carlo for a quarter of a long run."""
    learner = LEARNERS[name]
    return learner.train(CallOrRaise(), learner.games, SEED)


def agent(name: str, game: CallOrRaise, seat: int, seats: Sequence[str]) -> Caller | Unbounded:
    """Make an agent for the registry (see :meth:`support.games.Entry.agent`).

    Raises:
        PlayError: there are more players or dice than an agent has learned or solved.
    """
    if name == EQUAL:
        if game.num_players != 2 or game.dice > EQUAL_DICE:
            raise PlayError(f"{name} plays only with 2 players and up to {EQUAL_DICE} dice each")
        return Unbounded(solved_rounds(game.dice))
    if name not in LEARNERS:
        return AGENTS[name]
    known = CallOrRaise()
    if game.num_players > known.num_players or game.dice > known.dice:
        raise PlayError(f"{name} knows up to {known.num_players} players with up to {known.dice} dice each")
    return learned(name)
