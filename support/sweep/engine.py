"""Where tasks run: in this process, in worker processes of this machine, or on a Dask cluster that is running."""

import atexit
import contextlib
import logging
import multiprocessing
import os
import pickle
import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any
from uuid import uuid4

from support.sweep.columns import checked_record
from support.sweep.design import Design, Experiment, Task, sources_of
from support.sweep.progress import TOPIC

AHEAD = 4
"""Portions that each thread of a worker has before it: enough to be never idle, few enough for the scheduler."""
PORTION, SHARE, LONGEST, MOST = 0.1, 0.02, 1.0, 256
"""Short tasks travel together, as many as take a tenth of a second, in long sweeps a fiftieth of the time so far, but
never more than a second, and at most so many: each portion costs this process milliseconds, whatever is in it."""
RECOUNT = 5.0
"""Seconds after which the workers are counted anew: a cluster may grow."""
GATHER = 10.0
"""Seconds to wait for a result; then it is asked for again."""
PATIENCE = 60.0
"""Seconds to wait for a scheduler and its first worker, and for another one when there is none left."""
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "10s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.scheduler.active-memory-manager.start": False,
}
"""What a cluster of this machine leaves out: it would look at itself up to a hundred times a second in each process."""
KEPT = "where records are kept, the same sweep goes on from there"
LOST = f"the connection to the scheduler was lost; {KEPT}"
SHARED = "SUPPORT_WORKERS"
"""In this variable of the environment stands the scheduler whose workers all sweeps of a build share."""
PARSING = threading.Lock()
"""Sources are read by one thread at a time: Python 3.11 cannot parse in several at once."""


class ClusterError(RuntimeError):
    """A cluster that cannot be used, or was lost; the message says which, and what to do."""


@dataclass
class Used:
    """What the sweeps of this process have used so far: seconds of their workers' cores."""

    seconds: float = 0.0


USED = Used()


@dataclass(frozen=True)
class Outcome:
    """What became of a task: its record, or the traceback of what it raised."""

    task: Task
    record: dict[str, Any] | None
    trace: str = ""


def _attempt(experiment: Experiment, setting: Any, seed: int, columns: tuple[str, ...]) -> tuple[Any, str]:
    """One task, wherever it runs: a record and no trace, or None and the trace of what it raised."""
    try:
        return checked_record(experiment(setting, seed), columns), ""
    except (Exception, SystemExit):
        return None, traceback.format_exc()


def _portion(packed: bytes) -> tuple[list[tuple[Any, str]], float, float]:
    """Some tasks one after the other, on a worker; what became of each, and the seconds of the wall and of its core.

    They come packed, since a worker that cannot import what it is sent would be lost, and here it can say so.
    """
    experiment, texts, work, columns, code = pickle.loads(packed)
    if code != _code(experiment, texts):
        fault = f"this worker has another version of {experiment.__module__}, or of what it imports"
        return [(None, fault)] * len(work), 0.0, 0.0
    began, worked = time.perf_counter(), time.process_time()
    found = [_attempt(experiment, setting, seed, columns) for setting, seed in work]
    return found, time.perf_counter() - began, time.process_time() - worked


def _code(experiment: Experiment, texts: tuple[str, ...]) -> str:
    with PARSING:
        return "".join(sources_of(experiment, texts).values())


def here(design: Design, tasks: Iterable[Task]) -> Iterator[Outcome]:
    """Run the tasks in this process, one after the other: for a debugger, and where nothing else may be started."""
    for task in tasks:
        record, trace = _attempt(design.experiment, design.settings[task.setting], task.seed, design.columns())
        yield Outcome(task, record, trace)


def _cluster(workers: int) -> Any:
    """Worker processes on this machine, with a scheduler in this one."""
    import dask
    from distributed import LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    guard = "a script that runs a sweep must do so under `if __name__ == '__main__':`, since workers import it too"
    if getattr(multiprocessing.current_process(), "_inheriting", False):  # a worker that imports the script
        raise ClusterError(guard)
    try:
        with dask.config.set(QUIET):
            return LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=0,  # the machine's own limit is enough
                silence_logs=logging.CRITICAL,
            )
    except RuntimeError as error:
        raise ClusterError(f"the worker processes did not start ({error}); {guard}") from None


@cache
def _local(workers: int) -> Any:
    """A client of worker processes on this machine, started once and ended with this process."""
    from distributed import Client

    cluster = _cluster(workers)
    client = Client(cluster, set_as_default=False)
    atexit.register(_end, client, cluster)
    return client


def _end(client: Any, cluster: Any) -> None:
    client.close()
    cluster.close()


@contextlib.contextmanager
def shared_workers(workers: int) -> Iterator[Callable[[], None]]:
    """Worker processes for all sweeps in processes that are started meanwhile: none of them starts its own.

    Yields:
        What to call now and then, so that workers which Dask gave up, since they died too often, are replaced.
    """
    with _cluster(workers) as cluster:
        os.environ[SHARED] = cluster.scheduler_address
        try:
            yield lambda: cluster.scale(workers)
        finally:
            del os.environ[SHARED]


def _remote(address: str) -> Any:
    from distributed import Client

    client = Client.__new__(Client)  # in two steps, so that one that finds no scheduler can be closed
    try:
        client.__init__(address, timeout=PATIENCE, set_as_default=False)  # type: ignore[misc]  # the class is known
    except (OSError, ValueError, TypeError) as error:
        client.close()
        raise ClusterError(f"no scheduler answers at {address} ({error}); start one with: dask scheduler") from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise ClusterError(
            f"the scheduler at {address} has no workers; start some with: dask worker {address}"
        ) from None

    def attempt() -> str:  # sent as it is, since it cannot be imported
        try:
            import support.sweep.engine  # noqa: F401
        except ImportError as error:
            return str(error)
        return ""

    for worker, fault in client.run(attempt, on_error="ignore").items():
        if fault:
            client.close()
            raise ClusterError(f"the worker at {worker} cannot import this package ({fault}); install it there too")
    return client


def on_cluster(
    design: Design,
    tasks: Iterable[Task],
    workers: int,
    scheduler: str | None,
    said: Callable[[str], None] = lambda line: None,
    partly: Callable[[str, float], None] = lambda key, done: None,
) -> Iterator[Outcome | None]:
    """Run the tasks on worker processes of this machine, or on the cluster of a scheduler, as they become free.

    Args:
        design: the sweep.
        tasks: those to run.
        workers: processes on this machine.
        scheduler: address of a running scheduler, to use in their place.
        said: gets the address of the dashboard, if there is one.
        partly: gets the name of a running task, and how much of it is done as the experiment reports it: 0 at its end.

    Yields:
        What becomes of each task, in the order in which they end, and None where a second passes without any.

    Raises:
        ClusterError: no scheduler or no worker answers, or they were lost.
    """
    address = scheduler or os.environ.get(SHARED)
    client = _remote(address) if address else _local(workers)
    try:
        if scheduler:
            said(_dashboard(client))
        yield from _Stream(client, design, iter(tasks), partly).outcomes(workers)
    finally:
        if address:
            client.close()


class _Stream:
    """Tasks on their way to the workers of a client, and what became of them on their way back.

    Args:
        client: of the cluster.
        design: the sweep.
        tasks: those to run.
        partly: as ``on_cluster`` takes it.
    """

    def __init__(self, client: Any, design: Design, tasks: Iterator[Task], partly: Callable[[str, float], None]):
        self._client, self._design, self._tasks, self._partly = client, design, tasks, partly
        self._texts = design.texts
        self._code = _code(design.experiment, self._texts)
        self._name = f"{design.experiment.__qualname__}-{uuid4().hex[:12]}"
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._running: dict[str, tuple[list[Task], Any, bool]] = {}
        # Tasks that were with workers when these died: tried once more at the end, each with nothing beside it, so that
        # none is blamed for what another does.
        self._suspects: list[Task] = []
        self._size, self._seconds, self._count = 1, 0.0, 0
        self._began = self._seen = time.monotonic()

    def outcomes(self, workers: int) -> Iterator[Outcome | None]:
        """What becomes of each task, and None where a second passes without any."""
        self._client.subscribe_topic(TOPIC, self._hear)
        try:
            while True:
                wanted = AHEAD * max(self._count_threads(workers), 1)
                while len(self._running) < wanted and self._submit():
                    pass
                checked = time.monotonic()
                while self._running and time.monotonic() - checked < RECOUNT:
                    ended = self._next_ended()
                    if ended is None:
                        yield None
                    else:
                        yield from ended
                        self._submit()
                if not self._running:
                    return
        finally:
            self._client.unsubscribe_topic(TOPIC)
            if self._running:
                self._client.cancel([future for _, future, _ in self._running.values()], force=True)

    def _hear(self, event: tuple[float, dict[str, Any]]) -> None:
        portion, *_ = self._running.get(event[1]["key"], ((),))
        if len(portion) == 1:
            self._partly(event[1]["key"], event[1]["done"])

    def _count_threads(self, workers: int) -> int:
        """How many tasks the workers can run at a time; a cluster of this machine gets back those that it gave up."""
        threads, now = _threads(self._client), time.monotonic()
        if self._client.cluster is not None and threads < workers:
            self._client.cluster.scale(workers)  # it gives up workers that die too often
        if threads:
            self._seen = now
        elif now - self._seen > PATIENCE:
            raise ClusterError(f"there has been no worker for {PATIENCE:.0f} s; {KEPT}")
        return threads

    def _submit(self) -> bool:
        """Send the next portion, if there is one."""
        import cloudpickle

        portion = list(islice(self._tasks, self._size))
        alone = not portion and not self._running and bool(self._suspects)
        if alone:
            portion = [self._suspects.pop()]
        if portion:
            key = f"{self._name}-{portion[0].setting}-{portion[0].replicate}-{uuid4().hex[:4]}"
            work = [(self._design.settings[task.setting], task.seed) for task in portion]
            packed = cloudpickle.dumps((self._design.experiment, self._texts, work, self._design.columns(), self._code))
            future = self._client.submit(_portion, packed, key=key, pure=False)
            self._running[key] = portion, future, alone
            future.add_done_callback(self._ended.put)
        return bool(portion)

    def _next_ended(self) -> Iterable[Outcome] | None:
        """What became of the next portion that ends; None where it has to be waited for."""
        try:
            future = self._ended.get(timeout=1)
        except queue.Empty:
            if self._client.status not in ("running", "connecting"):
                raise ClusterError(LOST) from None
            return None
        portion, _, alone = self._running[future.key]
        try:
            found, took, worked = future.result(timeout=GATHER)
            USED.seconds += worked
        except TimeoutError:  # lost with a worker that died just then: it is computed again
            self._ended.put(future)
            return None
        except Exception as error:
            found, took = self._blamed(error, portion, alone), 0.0
            portion = portion[: len(found)]
        future.release()  # or it would be computed again if its worker died
        del self._running[future.key]
        self._partly(future.key, 0.0)
        self._resize(len(portion), took)
        return [Outcome(task, *pair) for task, pair in zip(portion, found, strict=True)]

    def _blamed(self, error: Exception, portion: list[Task], alone: bool) -> list[tuple[None, str]]:
        """The trace of the task that a worker died of; none where several may be to blame and are tried again."""
        from distributed import CancelledError, KilledWorker

        if isinstance(error, CancelledError) or self._client.status != "running":
            raise ClusterError(f"{LOST} ({error})") from None
        if not alone and (len(portion) > 1 or isinstance(error, KilledWorker)):
            self._suspects += portion
            return []
        return [(None, "".join(traceback.format_exception_only(error)))] * len(portion)

    def _resize(self, tasks: int, seconds: float) -> None:
        """Let the next portions hold as many tasks as take the time that they should."""
        self._seconds, self._count = self._seconds + seconds, self._count + tasks
        span = min(max(PORTION, SHARE * (time.monotonic() - self._began)), LONGEST)
        if self._seconds:
            self._size = min(max(int(span * self._count / self._seconds), 1), MOST)


def _dashboard(client: Any) -> str:
    """The address of a scheduler's page; empty where there is none, or none but a word that bokeh is missing."""

    def drawn() -> bool:  # sent as it is, since the scheduler need not have this package
        import sys

        return "distributed.dashboard.scheduler" in sys.modules

    if "dashboard" not in client.scheduler_info(n_workers=0)["services"] or not client.run_on_scheduler(drawn):
        return ""
    return client.dashboard_link or ""


def _threads(client: Any) -> int:
    """How many tasks the workers can run at a time."""
    return sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
