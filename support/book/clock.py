"""An extension of IPython that kernels of a build load: after each cell, what it took goes into a file."""

import json
import os
import sys
import time
from typing import Any

FILE = "SUPPORT_CELLS"
"""In this variable of the environment stands where the lines go: one a cell, ``[own, workers, wall]`` in seconds."""


def load_ipython_extension(shell: Any) -> None:
    """Called by IPython when the kernel starts."""
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
    """Seconds of this process, seconds of workers in its sweeps, and of the clock on the wall."""
    engine = sys.modules.get("support.sweep.engine")
    return time.process_time(), engine.USED.seconds if engine else 0.0, time.monotonic()
