"""Many seeds and settings, on one machine or many: how this book repeats every experiment.

An experiment is an importable function of a frozen configuration and a 64-bit seed that returns a flat record. A
sweep runs it for several configurations and several seeds each. A task's seed depends only on its place in the sweep,
so one worker, two, or a cluster give the same digits, in whatever order the tasks end.
"""

from support.core.seeds import spawn
from support.sweep.crew import ClusterError
from support.sweep.design import Design, DesignError, configurations, experiment_named
from support.sweep.progress import report
from support.sweep.run import Failure, Interrupted, Records, SweepError, sweep
from support.sweep.store import StoreError

__all__ = [
    "ClusterError",
    "Design",
    "DesignError",
    "Failure",
    "Interrupted",
    "Records",
    "StoreError",
    "SweepError",
    "configurations",
    "experiment_named",
    "report",
    "spawn",
    "sweep",
]
