"""Players of ace-king-queen, for those who want to play against one: simple, solved, or trained when asked for.

Each that learns has the chapter's settings and a seed of its own, so that the same agent comes out every time.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from support.core.flat import FlatGame, unfold
from support.core.policy import TabularPolicy, from_weights, uniform
from support.exact.sequence_form import Equilibrium, solve
from support.games.cards.ace_king_queen import AceKingQueen
from support.learners import result_table

SEED = 20260
"""Of all agents here."""
CARD_GAMES = 10_000_000
"""Games of the result table: a thousandth of the document's."""
ITERATIONS = 10_000
"""Of counterfactual regret minimisation over the full tree."""


@cache
def flat() -> FlatGame:
    """The game, unfolded."""
    return unfold(AceKingQueen())


@cache
def play_by_counts() -> TabularPolicy:
    """How often the published program makes each choice, in a run of ``CARD_GAMES``."""
    from support.learners.result_table_fast import advance, lay_out, new_table

    layout, settings = lay_out(flat()), result_table.ResultTableSettings()
    found = new_table(layout, settings, SEED)
    advance(layout, settings, found, CARD_GAMES)
    return from_weights(flat(), found.counts, "result-table")


@cache
def counterfactual_regret() -> TabularPolicy:
    """The average strategy of counterfactual regret minimisation after ``ITERATIONS``."""
    from support.learners.cfr_fast import run

    return from_weights(flat(), run(flat(), "cfr", [ITERATIONS]).weights[-1], "cfr")


@cache
def equilibrium() -> Equilibrium:
    """The game, solved."""
    return solve(flat())


def _honest() -> TabularPolicy:
    """Bets and raises with an ace, checks and calls with a king, and gives a queen up against a bet."""
    table = {}
    for where, nodes in zip(flat().information_states, flat().nodes_of_information(), strict=True):
        legal = [flat().action[edge] for edge in flat().edges(nodes[0])]
        wanted = {"A": "r", "K": "c", "Q": "f"}[where[1][0]]
        table[where] = {wanted if wanted in legal else "c": Fraction(1)}
    return TabularPolicy(table, "honest")


LEARNED = {"cfr": counterfactual_regret, "result-table": play_by_counts}
"""Regrets over the whole tree, and the document's program, by how often it makes each choice."""


def agent(name: str, game: AceKingQueen, seat: int, seats: Sequence[str]) -> TabularPolicy:
    """A player by its name, as the registry asks for it."""
    if name == "equilibrium":
        return equilibrium().policies[seat]
    if name in LEARNED:
        return LEARNED[name]()
    return _honest() if name == "honest" else uniform(flat())
