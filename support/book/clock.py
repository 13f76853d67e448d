"""An IPython extension for the kernels of a build: after each cell, it writes the time that the cell took to a file.

It also makes Python's collection of garbage rare there.
"""

import json
import os
import sys
import time
from typing import Any

from support.core.garbage import collect_rarely

FILE = "SUPPORT_CELLS"
"""The environment variable with the file's path. It has one line per cell, ``[own, workers, wall]`` in seconds."""


def load_ipython_extension(shell: Any) -> None:
    """Called by IPython when the kernel starts."""
    collect_rarely()
    path, last = os.environ[FILE], [0.0, 0.0, 0.0]

    def before(info: Any) -> None:
        last[:] = _now()

    def after(result: Any) -> None:
        took = [round(now - then, 3) for now, then in zip(_now(), last, strict=True)]
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(took) + "\n")

    shell.events.register("pre_run_cell", before)
    shell.events.register("post_run_cell", after)


def _now() -> tuple[float, float, float]:
    """CPU seconds of this process, seconds of the workers in its sweeps, and wall-clock seconds."""
    engine = sys.modules.get("support.sweep.engine")
    return time.process_time(), engine.USED.seconds if engine else 0.0, time.monotonic()
