"""Where tasks run: in this process, in worker processes of this machine, or on a Dask cluster that is running."""

import atexit
import contextlib
import hashlib
import json
import logging
import multiprocessing
import os
import pickle
import queue
import signal
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from multiprocessing import resource_tracker
from typing import Any
from uuid import uuid4

from support.sweep import crew
from support.sweep.columns import checked_record
from support.sweep.crew import LOST, ClusterError, Crew, stamp
from support.sweep.design import LOCK, Design, Experiment, Task
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
QUICK = 3.0
"""Seconds after which it is said that a scheduler does not answer."""
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "10s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.scheduler.active-memory-manager.start": False,
}
"""What a cluster of this machine leaves out: it would look at itself up to a hundred times a second in each process."""
SHARED = "SUPPORT_WORKERS"
"""In this variable of the environment stands the scheduler whose workers all sweeps of a build share."""


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


def run_portion(packed: bytes) -> tuple[list[tuple[Any, str]] | str, float, float]:
    """Some tasks one after the other, on a worker; what became of each, and the seconds of the wall and of its core.

    They come packed, since a worker that cannot import what it is sent would be lost, and here it can say so. One whose
    code is not the driver's, or that cannot import it, returns its address in place of records: it joined so late, or
    came back so quickly, that nobody has asked it yet.
    """
    try:
        experiment, texts, work, columns, wanted = pickle.loads(packed)
        refused = _digest(stamp(experiment, texts)) != wanted
    except Exception:
        refused = True
    if refused:
        from distributed import get_worker

        return get_worker().address, 0.0, 0.0
    began, worked = time.perf_counter(), time.process_time()
    found = [_attempt(experiment, setting, seed, columns) for setting, seed in work]
    return found, time.perf_counter() - began, time.process_time() - worked


def _runs() -> Callable[[bytes], Any]:
    def run(packed: bytes) -> Any:  # sent as it is, since it cannot be imported where this package is missing
        try:
            from support.sweep.engine import run_portion
        except Exception:
            from distributed import get_worker

            return get_worker().address, 0.0, 0.0
        return run_portion(packed)

    return run


def _digest(stamped: dict[str, str]) -> str:
    stamped = {name: found for name, found in stamped.items() if name != LOCK}  # which not every worker needs to have
    return hashlib.sha256(json.dumps(stamped, sort_keys=True).encode()).hexdigest()


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
        with dask.config.set(QUIET), _without_control_c():
            return LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                memory_limit=0,  # the machine's own limit is enough
                silence_logs=logging.CRITICAL,
            )
    except RuntimeError as error:
        raise ClusterError(
            f"the worker processes did not start ({error}); begin again, and mind that {guard}"
        ) from None


@contextlib.contextmanager
def _without_control_c() -> Iterator[None]:
    """What is started meanwhile does not get a terminal's Ctrl-C, which is for the driver alone: it ends its workers.

    Threads inherit the mask, also the one that starts a worker again, and processes inherit it from these. A Ctrl-C
    that comes meanwhile waits.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # or the thread that starts the first worker would, and lift the mask
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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


def _remote(address: str, said: Callable[[str], None]) -> Any:
    from distributed import Client

    fault: Exception | None = None
    for patience in (min(QUICK, crew.PATIENCE), crew.PATIENCE):
        if fault:
            said(f"no scheduler answers at {address} yet; waiting {patience:.0f} s for it")
        client = Client.__new__(Client)  # in two steps, so that one that finds no scheduler can be closed
        try:
            client.__init__(address, timeout=patience, set_as_default=False)  # type: ignore[misc]  # the class is known
        except (OSError, ValueError, TypeError) as error:
            client.close()
            fault = error
        else:
            return client
        if not isinstance(fault, OSError):
            break
    raise ClusterError(f"no scheduler answers at {address} ({fault}); start one with: dask scheduler")


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
        said: gets a line about the cluster, such as the address of its dashboard, or a worker that gets no tasks.
        partly: gets the name of a running task, and how much of it is done as the experiment reports it: 0 at its end.

    Yields:
        What becomes of each task, in the order in which they end, and None where a second passes without any.

    Raises:
        ClusterError: no scheduler answers, there is no worker whose code is this one's, or they were lost.
    """
    from distributed.client import ClosedClientError
    from distributed.utils import silence_logging_cmgr

    address = scheduler or os.environ.get(SHARED)
    logging.getLogger("asyncio").addFilter(_of_others)
    with silence_logging_cmgr(logging.CRITICAL):  # what is lost is said once, in a sentence
        client = _remote(address, said) if address else _local(workers)
        try:
            if scheduler and (link := _dashboard(client)):
                said(f"dashboard: {link}")
            yield from _Stream(client, design, iter(tasks), scheduler, said, partly).outcomes(workers)
        except (OSError, ClosedClientError):  # of a call that the scheduler did not live to answer
            raise ClusterError(LOST) from None
        finally:
            if address:
                client.close()


def _of_others(record: logging.LogRecord) -> bool:
    """Whether what asyncio says is not about a task that Dask gave up itself, such as the wait for a result."""
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or not kind.__module__.startswith("distributed")


@dataclass(frozen=True)
class _Sent:
    """Tasks that are with a worker, or on their way.

    Attributes:
        portion: the tasks.
        future: of what becomes of them.
        alone: whether nothing runs beside them.
        only: addresses of the workers that may run them; None where all may.
    """

    portion: list[Task]
    future: Any
    alone: bool
    only: list[str] | None


class _Stream:
    """Tasks on their way to the workers of a client, and what became of them on their way back.

    Args:
        client: of the cluster.
        design: the sweep.
        tasks: those to run.
        scheduler: the address of the cluster's scheduler; None where its workers are our own.
        said, partly: as ``on_cluster`` takes them.
    """

    def __init__(
        self,
        client: Any,
        design: Design,
        tasks: Iterator[Task],
        scheduler: str | None,
        said: Callable[[str], None],
        partly: Callable[[str, float], None],
    ):
        import cloudpickle

        self._client, self._design, self._tasks, self._partly = client, design, tasks, partly
        wanted = stamp(design.experiment, design.texts)
        self._digest = _digest(wanted)
        self._runs = _runs() if scheduler else run_portion
        self._name = f"{design.experiment.__qualname__}-{uuid4().hex[:12]}"
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        asked = cloudpickle.dumps((design.experiment, design.texts, wanted))
        self._crew = Crew(client, asked, scheduler, said, self._ended.put)
        self._running: dict[str, _Sent] = {}
        # Portions that a worker refused, or that wait for one that has gone: others get them.
        self._again: list[list[Task]] = []
        # Tasks that were with workers when these died: tried once more at the end, each with nothing beside it, so that
        # none is blamed for what another does.
        self._suspects: list[Task] = []
        self._over = False  # whether all tasks have been sent once
        self._recount = True
        self._size, self._seconds, self._count = 1, 0.0, 0
        self._began = time.monotonic()

    def outcomes(self, workers: int) -> Iterator[Outcome | None]:
        """What becomes of each task, and None where a second passes without any."""
        self._client.subscribe_topic(TOPIC, self._hear)
        try:
            while True:
                self._recount = False
                self._look_around(workers)
                counted = time.monotonic()
                while not self._recount and time.monotonic() - counted < RECOUNT:
                    while len(self._running) < AHEAD * self._crew.threads and self._submit():
                        pass
                    if self._over and not (self._running or self._again or self._suspects):
                        return
                    ended = self._next_ended()
                    if ended is None:
                        self._recount |= not self._crew.threads
                        yield None
                    else:
                        yield from ended
        finally:
            self._client.unsubscribe_topic(TOPIC)
            if self._running:
                self._client.cancel([sent.future for sent in self._running.values()], force=True)

    def _hear(self, event: tuple[float, dict[str, Any]]) -> None:
        sent = self._running.get(event[1]["key"])
        if sent and len(sent.portion) == 1:
            self._partly(event[1]["key"], event[1]["done"])

    def _look_around(self, workers: int) -> None:
        """Count the workers; a cluster of this machine gets back those that it gave up."""
        threads = self._crew.count()
        if self._client.cluster is not None and threads < workers:
            self._client.cluster.scale(workers)  # it gives up workers that die too often
        for key, sent in [*self._running.items()]:
            if sent.only is not None and self._crew.present.isdisjoint(sent.only):
                del self._running[key]
                sent.future.cancel(force=True)
                self._again.append(sent.portion)

    def _submit(self) -> bool:
        """Send the next portion, if there is one."""
        import cloudpickle

        portion = self._again.pop() if self._again else list(islice(self._tasks, self._size))
        self._over |= not portion
        alone = not portion and not self._running and bool(self._suspects)
        if alone:
            portion = [self._suspects.pop()]
        if portion:
            key = f"{self._name}-{portion[0].setting}-{portion[0].replicate}-{uuid4().hex[:4]}"
            work = [(self._design.settings[task.setting], task.seed) for task in portion]
            told = self._design.experiment, self._design.texts, work, self._design.columns(), self._digest
            only = self._crew.only
            future = self._client.submit(self._runs, cloudpickle.dumps(told), key=key, workers=only, pure=False)
            self._running[key] = _Sent(portion, future, alone, only)
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
        if future.key not in self._running:
            self._recount |= self._crew.heard(future) and not self._crew.threads
            return ()
        sent = self._running[future.key]
        portion, took = sent.portion, 0.0
        try:
            found, took, worked = future.result(timeout=GATHER)
            USED.seconds += worked
        except TimeoutError:  # lost with a worker that died just then: it is computed again
            self._ended.put(future)
            return None
        except Exception as error:
            found = self._blamed(error, sent)
            self._recount = True
        future.release()  # or it would be computed again if its worker died
        del self._running[future.key]
        self._partly(future.key, 0.0)
        if isinstance(found, str):  # the address of a worker that refused
            self._again.append(portion)
            self._crew.refused(found)
            self._recount = True
            return ()
        self._crew.worked = True
        self._resize(len(found), took)
        return [Outcome(task, *pair) for task, pair in zip(portion[: len(found)], found, strict=True)]

    def _blamed(self, error: Exception, sent: _Sent) -> list[tuple[None, str]]:
        """The trace of the task that a worker died of; none where others may be to blame and it is tried again."""
        from distributed import CancelledError

        if isinstance(error, CancelledError) or self._client.status != "running":
            raise ClusterError(LOST) from None
        if not sent.alone:
            self._suspects += sent.portion
            return []
        return [(None, "".join(traceback.format_exception_only(error)))]

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
