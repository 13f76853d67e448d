"""Processes for the tests of sweeps: a cluster on this machine, and the command line."""

import json
import os
import signal
import subprocess
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path

from processes import accept_control_c
from toy_experiments import until

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join([str(HERE), str(ROOT), os.environ.get("PYTHONPATH", "")]),
    "DASK_DISTRIBUTED__ADMIN__TICK__LIMIT": "1h",
}
BARE = sysconfig.get_path("purelib")  # without the site module that finds what is installed for development


def gone(pid: int) -> bool:
    """Whether a process has ended; it may wait to be buried."""
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout.strip()
    return not state or state.startswith("Z")


def begin(*words: object, cwd: Path | None = None) -> subprocess.Popen:
    """``python -m support sweep`` in a session of its own, as if typed in a terminal."""
    return subprocess.Popen(
        [sys.executable, "-m", "support", "sweep", *map(str, words)],
        env=ENVIRONMENT,
        cwd=cwd,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=accept_control_c,
    )


class Loopback:
    """A scheduler, and workers as they are asked for, each started as on any cluster."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._started: list[subprocess.Popen] = []
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", folder / "scheduler.json")
        self.address = until(self._address, "the start of the scheduler")

    def _start(self, what: str, *words: object, bare: bool = False, first: Path | None = None) -> subprocess.Popen:
        path = BARE if bare else os.pathsep.join([str(first)] * (first is not None) + [ENVIRONMENT["PYTHONPATH"]])
        module = ["-S"] if bare else []
        module += ["-m", f"distributed.cli.dask_{what}", "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
        with (self.folder / f"{what}-{len(self._started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, *module, *map(str, words)],
                env={**ENVIRONMENT, "PYTHONPATH": path},
                cwd=self.folder,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def _address(self) -> str | None:
        try:
            return json.loads((self.folder / "scheduler.json").read_text())["address"]
        except (OSError, ValueError):  # not there yet, or half of it
            return None

    def worker(
        self, threads: int = 1, nanny: bool = False, bare: bool = False, first: Path | None = None
    ) -> subprocess.Popen:
        """One more worker; a bare one does not find this package, another looks for modules in some folder first."""
        words = "--nthreads", threads, "--local-directory", self.folder, "--nanny" if nanny else "--no-nanny"
        return self._start("worker", self.address, *words, bare=bare, first=first)

    def close(self) -> None:
        """End all processes."""
        for process in self._started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def dashboard(self) -> int:
        """The port that the scheduler says its dashboard has."""
        return json.loads((self.folder / "scheduler.json").read_text())["services"]["dashboard"]
