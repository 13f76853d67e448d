"""Players of ace-king-queen, for those who want to play against one: simple, solved, or trained when asked for.

Each that learns has the chapter's settings and a seed of its own, so that the same agent comes out every time.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from support.core.policy import TabularPolicy, uniform
from support.exact.sequence_form import Equilibrium, solve
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.truth import flat_game

SEED = 20260
"""Of all agents here."""
CARD_GAMES = 10_000_000
"""Games of the result table: a thousandth of the document's."""
ITERATIONS = 10_000
"""Of counterfactual regret minimisation over the full tree."""


@cache
def play_by_counts() -> TabularPolicy:
    """How often the published program makes each choice, in a run of ``CARD_GAMES``."""
    from support.learners.methods import ResultTable

    return ResultTable().train(AceKingQueen(), CARD_GAMES, SEED)


@cache
def counterfactual_regret() -> TabularPolicy:
    """The average strategy of counterfactual regret minimisation after ``ITERATIONS``."""
    from support.learners.methods import Cfr

    return Cfr().train(AceKingQueen(), ITERATIONS, SEED)


@cache
def equilibrium() -> Equilibrium:
    """The game, solved."""
    return solve(flat_game())


def _honest() -> TabularPolicy:
    """Bets and raises with an ace, checks and calls with a king, and gives a queen up against a bet."""
    flat, table = flat_game(), {}
    for where, nodes in zip(flat.information_states, flat.nodes_of_information(), strict=True):
        legal = [flat.action[edge] for edge in flat.edges(nodes[0])]
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
    return _honest() if name == "honest" else uniform(flat_game())
