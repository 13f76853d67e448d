"""Players of call or raise, for those who want to play against one: rules, and tables trained when asked for."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from support.core.table import PlayError
from support.games.call_or_raise.learners import CallsByTable, MonteCarlo, QTable
from support.games.call_or_raise.rules import CallOrRaise
from support.games.call_or_raise.settings import Agent, Caller

SEED = 20260
"""Of all that learn, so that the same agent comes out every time."""
AGENTS = {
    "random": Agent("random"),
    "probability": Agent("probability"),
    "holds": Agent("holds"),
    "honest": Agent("holds", Fraction(0)),
}
LEARNERS = {"q-table": QTable(), "monte-carlo": MonteCarlo()}


@cache
def learned(name: str) -> CallsByTable:
    """A table of the document's size, four players with six dice; Monte Carlo over a quarter of its longest runs."""
    learner = LEARNERS[name]
    return learner.train(CallOrRaise(), learner.games, SEED)


def agent(name: str, game: CallOrRaise, seat: int, seats: Sequence[str]) -> Caller:
    """A player by its name, as the registry asks for it.

    Raises:
        PlayError: a table that has learned, and more players or dice than it knows.
    """
    if name not in LEARNERS:
        return AGENTS[name]
    known = CallOrRaise()
    if game.num_players > known.num_players or game.dice > known.dice:
        raise PlayError(f"{name} knows up to {known.num_players} players with up to {known.dice} dice each")
    return learned(name)
