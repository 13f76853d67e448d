"""Many seeds and settings, on one machine or many: the one way in which this book runs an experiment more than once.

An experiment is an importable function of a frozen configuration and a 64-bit seed that returns a flat record. A
sweep runs it for several configurations and several seeds each. What a task gets depends on its place in the sweep and
on nothing else, so one worker, two, or a cluster give the same digits, in whatever order the tasks end.
"""

from support.sweep.crew import ClusterError
from support.sweep.design import Design, DesignError, configurations, experiment_named, spawn
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
