"""One module a chapter: a frozen configuration in, a result out."""

__all__ = ["EXPERIMENTS"]

EXPERIMENTS = {
    "result-table": "support.experiments.ace_king_queen:result_table",
}
"""Experiments that a sweep knows by a short name."""
