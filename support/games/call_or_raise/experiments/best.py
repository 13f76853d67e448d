"""The best table that long training finds at call or raise: where it calls, and what it is worth."""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from support.games.call_or_raise.experiments.runs import LONG, Config, Learned, learned
from support.games.call_or_raise.learner.states import States
from support.games.call_or_raise.rules import CallOrRaise


def best_tables(config: Config) -> Learned:
    """The best that long training finds over the document's states, by Monte Carlo control with the outcome alone."""
    run = config.run(
        version="meant",
        method="averages",
        alpha=0.0001,
        games=config.long_games,
        evaluated=100 * config.evaluated,
        every=max(config.long_games // 10, 1),
        keep=True,
    )
    return learned(config, {"best": run}, config.long_runs, LONG)


def policy(best: Learned) -> tuple[dict[int, np.ndarray], dict[int, list[int]], int]:
    """The best of several tables, by its games without exploration.

    Returns:
        For each number of own dice float64[totals, bins + 1]: 1 where it calls, 0 where it raises, nan where it has
        never decided; the totals of dice in play that the rows stand for; and which run it is.
    """
    ((name, run),) = best.settings.items()
    wins = best.wins(name, "greedy")
    found = int(np.argmax(wins[:, 0] / wins.sum(axis=1)))
    calls = best.records.column("calls")[found].astype(float).reshape(-1, run.bins + 1)
    calls[calls < 0] = np.nan
    maps, totals = {}, {}
    pairs = States(run.players, run.dice, run.bins).pairs
    for dice in range(1, run.dice + 1):
        rows = [place for place, (total, own) in enumerate(pairs) if own == dice < total]
        maps[dice], totals[dice] = calls[rows], [pairs[place][0] for place in rows]
    return maps, totals, found


def worth(best: Learned, run: int) -> float:
    """The probability with which the player of a table wins, exactly, and so not by the luck for which it was chosen.

    Args:
        best: runs that kept where they call, as meant.
        run: which of them.
    """
    from support.games.call_or_raise.ceiling import Responder
    from support.games.call_or_raise.ceiling_fast import Ceiling

    ((_, settings),) = best.settings.items()
    table, view = settings.settings(), settings.settings().view()
    calls = best.records.column("calls")[run]

    def rule(total: int, own: int, need: int) -> Fraction:
        found = calls[view.places[total, own] * (table.bins + 1) + view.states.bucket(total, own, need, 0)]
        return Fraction(1, 2) if found < 0 else Fraction(int(found))

    responder = Responder(settings.bluff, calls=rule)
    return Ceiling(CallOrRaise(settings.players, settings.dice), responder).win_probability


def border(maps: Mapping[int, np.ndarray]) -> float:
    """The probability below which a table calls in at least half of the cells that it has decided on."""
    cells = np.vstack(list(maps.values()))
    decided, calls = (~np.isnan(cells)).sum(axis=0), np.nansum(cells, axis=0)
    raises = np.flatnonzero((decided > 0) & (calls < decided / 2))
    return float(raises[0] / (cells.shape[1] - 1)) if raises.size else 1.0
