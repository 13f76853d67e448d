"""One module a chapter: a frozen configuration in, a result out."""

__all__ = ["EXPERIMENTS"]

EXPERIMENTS = {
    "relatives": "support.experiments.ace_king_queen_methods:relative",
    "result-table": "support.experiments.long_runs:result_table",
    "result-table-distances": "support.experiments.ace_king_queen_methods:distances",
}
"""Experiments that a sweep knows by a short name."""
