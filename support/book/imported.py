"""What the processes of a build have imported before they are forked (:mod:`support.book.processes`).

It takes four seconds of a core, once. Nothing here may begin a thread of Python, or depend on the environment's
variables: those of a chapter are set later.
"""

import os
import sys

os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")  # as in a kernel

import distributed
import ipykernel.kernelapp
import matplotlib.figure
import numba
import numpy as np
import papermill
import scipy.optimize
import scipy.stats

import support.book.execute
import support.verdicts.notebook

PATH = [path for path in sys.path if path]
"""Where this process finds modules, without the folder in which it began, as a kernel has it at first."""
__all__ = ["PATH", "distributed", "ipykernel", "matplotlib", "papermill", "scipy", "support"]

numba.njit(lambda numbers: numbers.sum())(np.ones(1))  # it prepares itself when it compiles for the first time
