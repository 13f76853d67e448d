"""Players of ace-king-queen that learned, for those who want to play against one: trained when asked for, in seconds.

Each has the chapter's settings and a seed of its own, so that the same agent comes out every time.
"""

from functools import cache

from support.core.flat import FlatGame, unfold
from support.core.policy import TabularPolicy, from_weights
from support.games.cards.ace_king_queen import AceKingQueen
from support.learners import result_table

SEED = 20260
"""Of all agents here."""
CARD_GAMES = 10_000_000
"""Games of the result table: a thousandth of the document's."""
ITERATIONS = 10_000
"""Of counterfactual regret minimisation over the full tree."""


@cache
def _cards() -> FlatGame:
    return unfold(AceKingQueen())


@cache
def play_by_counts() -> TabularPolicy:
    """How often the published program makes each choice, in a run of ``CARD_GAMES``."""
    from support.learners.result_table_fast import advance, lay_out, new_table

    layout, settings = lay_out(_cards()), result_table.Settings()
    found = new_table(layout, settings, SEED)
    advance(layout, settings, found, CARD_GAMES)
    return from_weights(_cards(), found.counts, "result-table")


@cache
def counterfactual_regret() -> TabularPolicy:
    """The average strategy of counterfactual regret minimisation after ``ITERATIONS``."""
    from support.learners.cfr_fast import run

    return from_weights(_cards(), run(_cards(), "cfr", [ITERATIONS]).weights[-1], "cfr")
