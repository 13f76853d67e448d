"""Ace, king, queen: the result table compiled beside plain."""

from typing import Any

from support.core.flat import unfold
from support.games.cards.ace_king_queen import AceKingQueen
from support.learners.result_table import ResultTableSettings, learn
from support.learners.result_table_fast import advance, new_table
from support.learners.result_table_layout import lay_out
from support.sweep.timing import Pace, Speed


def pace(config: Speed) -> Pace:
    """The result table plays itself."""
    flat, settings = unfold(AceKingQueen()), ResultTableSettings()
    layout = lay_out(flat)
    table, plain = new_table(layout, settings, config.root), learn(flat.game, settings, config.plain, config.root)
    advance(layout, settings, table, config.plain)
    counts: dict[Any, list[int]] = {
        where: table.counts[start:stop].tolist()
        for where, start, stop in zip(flat.information_states, flat.slots, flat.slots[1:], strict=False)
    }
    same = {where: count for where, count in counts.items() if any(count)} == plain.counts
    return config.pace(
        "Ace, king, queen: the result table",
        same,
        fast=lambda: advance(layout, settings, table, config.fast),
        plain=lambda: learn(flat.game, settings, config.plain, config.root),
    )
