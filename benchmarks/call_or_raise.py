"""Call or raise at the document's table: the learner compiled and plain."""

from collections.abc import Iterator

import numpy as np

from support.games.call_or_raise.q_learning import QTableLearner
from support.games.call_or_raise.q_learning_fast import advance, new_table
from support.games.call_or_raise.settings import AS_MEANT, AS_RUN, QTableSettings
from support.sweep.timing import Pace, rate

SEED, GAMES, PLAIN = 7, 1_000_000, 1_000
WAYS = {
    "as run in 2018": QTableSettings(slips=AS_RUN),
    "as meant": QTableSettings(slips=AS_MEANT),
    "as meant, by averages": QTableSettings(slips=AS_MEANT, method="averages", alpha=1e-4),
}


def rows() -> Iterator[Pace]:
    """The rows of the chapter: four players with six dice, learning included. Everything runs on one core."""
    for name, settings in WAYS.items():
        q = new_table(settings)
        winners = advance(settings, q, PLAIN, SEED)
        slow, (table, won) = rate(lambda settings=settings: _plain(settings), PLAIN, least=0)
        same = winners.tolist() == won and bool(np.array_equal(q, table))
        fast, _ = rate(lambda settings=settings, q=q: advance(settings, q, GAMES, SEED, PLAIN), GAMES)
        how = f"winners and all values of {PLAIN:,} games equal"
        yield Pace(f"call-or-raise: games of the learner, {name}", "games", fast, slow, same, how)


def _plain(settings: QTableSettings) -> tuple[np.ndarray, list[int]]:
    """The table of the plain learner, and who won."""
    learner = QTableLearner(settings, SEED)
    winners = [learner.play().winner for _ in range(PLAIN)]
    return learner.q, winners
