"""Opponents at ace-king-queen: simple, solved, or trained on demand.

The learners use the chapter's settings and a fixed seed, so the same agent comes out every time.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from support.core.policy import TabularPolicy, uniform
from support.exact.sequence_form import Equilibrium, solve
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.truth import flat_game

SEED = 20260
"""The seed of the learners."""
CARD_GAMES = 10_000_000
"""Games that the result table learns from: a thousandth of the document's."""
ITERATIONS = 10_000
"""Iterations of counterfactual regret minimisation over the full tree."""


@cache
def play_by_counts() -> TabularPolicy:
    """The shares of the result table's choices over a run of ``CARD_GAMES``, as the document reads it."""
    from support.learners.methods import ResultTable

    return ResultTable().train(AceKingQueen(), CARD_GAMES, SEED)


@cache
def counterfactual_regret() -> TabularPolicy:
    """The average strategy of counterfactual regret minimisation after ``ITERATIONS``."""
    from support.learners.methods import Cfr

    return Cfr().train(AceKingQueen(), ITERATIONS, SEED)


@cache
def equilibrium() -> Equilibrium:
    """The solved game; cached."""
    return solve(flat_game())


def _honest() -> TabularPolicy:
    """Bet and raise with an ace, check and call with a king, and fold a queen against a bet."""
    flat, table = flat_game(), {}
    for where, legal in zip(flat.information_states, flat.actions, strict=True):
        wanted = {"A": "r", "K": "c", "Q": "f"}[where[1][0]]
        table[where] = {wanted if wanted in legal else "c": Fraction(1)}
    return TabularPolicy(table, "honest")


LEARNED = {"cfr": counterfactual_regret, "result-table": play_by_counts}
"""The agents that learn: counterfactual regret minimisation, and the document's program read by its choices."""


def agent(name: str, game: AceKingQueen, seat: int, seats: Sequence[str]) -> TabularPolicy:
    """Make an agent for the registry (see :meth:`support.games.Entry.agent`)."""
    if name == "equilibrium":
        return equilibrium().policies[seat]
    if name in LEARNED:
        return LEARNED[name]()
    return _honest() if name == "honest" else uniform(flat_game())
