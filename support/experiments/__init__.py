"""Experiments of the chapters: a frozen configuration in, a result out."""

__all__ = ["EXPERIMENTS"]

EXPERIMENTS = {
    "call-or-raise": "support.experiments.call_or_raise:trained",
    "biscuits": "support.experiments.biscuits_runs:biscuits",
    "biscuits-many": "support.experiments.biscuits_runs:many_runs",
    "biscuits-mistakes": "support.experiments.biscuits_runs:mistakes",
    "relatives": "support.experiments.ace_king_queen_methods:relative",
    "result-table": "support.experiments.long_runs:result_table",
    "result-table-distances": "support.experiments.ace_king_queen_methods:distances",
    "three-dice-contest": "support.experiments.three_dice_runs:contest",
    "three-dice-plan": "support.experiments.three_dice_runs:plan",
    "wild-ones": "support.experiments.wild_ones:trained",
    "wild-ones-notes": "support.experiments.wild_ones_table:planned",
    "wild-ones-table": "support.experiments.wild_ones_table:table_learned",
}
"""Experiments that a sweep knows by a short name."""
