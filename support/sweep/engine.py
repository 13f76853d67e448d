"""Where tasks run: in this process, in worker processes of this machine, or on a running Dask cluster."""

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
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from multiprocessing import resource_tracker
from typing import Any
from uuid import uuid4

from support.core.garbage import collect_rarely
from support.sweep import crew
from support.sweep.columns import checked_record
from support.sweep.crew import ClusterError, Crew, lost, stamp
from support.sweep.design import LOCK, Design, Experiment, Task
from support.sweep.progress import TOPIC, Progress

AHEAD = 4
"""Portions queued for each thread of a worker: enough for it never to be idle, few enough for the scheduler."""
PORTION, SHARE, LONGEST, MOST = 0.1, 0.02, 1.0, 256
"""Short tasks travel together, because each portion costs this process milliseconds, whatever is in it. A portion takes
a tenth of a second, or in long sweeps a fiftieth of the time so far, but at most a second and ``MOST`` tasks."""
FIRST = 20.0
"""How many seconds, from its start, a sweep that shares its workers waits for its first portion before it sends more.
That portion may be compiling: other workers would only wait for the same code, and other sweeps can use them."""
COMPILED: set[Experiment] = set()
"""Experiments of which a task has ended or has told how far it is, so that their code is compiled."""
LOSSES = 3
"""Times that a task may be lost with its worker before it is suspected; a scheduler's own default."""
RECOUNT = 5.0
"""Seconds between two counts of the workers, because a cluster may grow."""
GATHER = 10.0
"""Seconds to wait for a result before asking for it again."""
QUICK = 3.0
"""Seconds before the user is told that a scheduler does not answer."""
QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.worker.memory.monitor-interval": "10s",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.scheduler.active-memory-manager.start": False,
}
"""Dask's monitors, switched off on this machine: they would sample each process up to a hundred times a second."""
SHARED = "SUPPORT_WORKERS"
"""The environment variable with the address of the scheduler whose workers all sweeps of a build share."""


@dataclass
class Used:
    """The core seconds that workers have spent on the sweeps of this process so far."""

    seconds: float = 0.0


USED = Used()


@dataclass(frozen=True)
class Outcome:
    """The outcome of a task: its record, or the traceback of what it raised."""

    task: Task
    record: dict[str, Any] | None
    trace: str = ""


def _attempt(experiment: Experiment, setting: Any, seed: int, columns: tuple[str, ...]) -> tuple[Any, str]:
    """Run one task; returns its record and no trace, or None and the trace of what it raised."""
    try:
        return checked_record(experiment(setting, seed), columns), ""
    except (Exception, SystemExit):
        return None, traceback.format_exc()


def run_portion(packed: bytes) -> tuple[list[tuple[Any, str]] | str, float, float]:
    """Run some tasks one after the other on a worker; returns their outcomes, and the wall and core seconds.

    The tasks come packed, because a worker that cannot import what it is sent would be lost; here it can say so. A
    worker that cannot import the code, or has other code than the driver, returns its address in place of records: it
    joined so late, or came back so quickly, that it has not been checked yet.
    """
    try:
        experiment, texts, work, columns, wanted = pickle.loads(packed)
        refused = _digest(stamp(experiment, texts)) != wanted
    except Exception:
        refused = True
    if refused:
        from distributed import get_worker

        return get_worker().address, 0.0, 0.0
    collect_rarely()
    began, worked = time.perf_counter(), time.process_time()
    found = [_attempt(experiment, setting, seed, columns) for setting, seed in work]
    return found, time.perf_counter() - began, time.process_time() - worked


def _runs() -> Callable[[bytes], Any]:
    def run(packed: bytes) -> Any:  # sent by value, because a worker without this package cannot import it
        try:
            from support.sweep.engine import run_portion
        except Exception:
            from distributed import get_worker

            return get_worker().address, 0.0, 0.0
        return run_portion(packed)

    return run


def _digest(stamped: dict[str, str]) -> str:
    stamped = {name: found for name, found in stamped.items() if name != LOCK}  # which not every worker needs
    return hashlib.sha256(json.dumps(stamped, sort_keys=True).encode()).hexdigest()


def here(design: Design, tasks: Iterable[Task]) -> Iterator[Outcome]:
    """Run the tasks in this process, one after the other: for a debugger, or if no process may be started."""
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
    """Keep a terminal's Ctrl-C from the processes started meanwhile: it is for the driver, which ends its workers.

    Threads inherit the mask, including the one that restarts workers, and processes inherit it from threads. A Ctrl-C
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
    """A client of worker processes on this machine, which are started once and end with this process."""
    from distributed import Client

    opened = contextlib.ExitStack()
    atexit.register(_end, opened)  # before there is anything to end, for a Ctrl-C may come at any moment
    cluster = opened.enter_context(_cluster(workers))
    return opened.enter_context(Client(cluster, set_as_default=False))


def _end(opened: contextlib.ExitStack) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C would leave Dask's own end half done
    opened.close()


@contextlib.contextmanager
def shared_workers(workers: int) -> Iterator[Callable[[], None]]:
    """Start worker processes that all sweeps in processes started meanwhile share, instead of starting their own.

    Yields:
        A function to call now and then, which replaces workers that Dask gave up because they died too often.
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
    design: Design, tasks: Iterable[Task], workers: int, scheduler: str | None, progress: Progress
) -> Iterator[Outcome | None]:
    """Run the tasks on worker processes of this machine, or on the cluster of a scheduler, as they become free.

    Args:
        design: the sweep.
        tasks: the tasks to run.
        workers: the number of processes on this machine.
        scheduler: the address of a running scheduler to use instead.
        progress: told about the cluster, such as its dashboard's address or a worker that gets no tasks, and how much
            of a running task is done, as the experiment reports it.

    Yields:
        The outcome of each task, in the order in which they end, and None if a second passes without any.

    Raises:
        ClusterError: no scheduler answers, no worker has this process's code, or the connection was lost.
    """
    from distributed.client import ClosedClientError
    from distributed.utils import silence_logging_cmgr

    address = scheduler or os.environ.get(SHARED)
    logging.getLogger("asyncio").addFilter(_of_others)
    with silence_logging_cmgr(logging.CRITICAL):  # a loss is reported once, in a sentence of our own
        client = _remote(address, progress.say) if address else _local(workers)
        try:
            stream = _Stream(client, design, iter(tasks), scheduler, progress)
            try:
                if scheduler and (link := _dashboard(client)):
                    progress.say(f"dashboard: {link}")
                yield from stream.outcomes(workers)
            except (OSError, ClosedClientError):  # the scheduler died before it could answer a call
                raise lost(scheduler) from None
        finally:
            if address:
                client.close()


def _of_others(record: logging.LogRecord) -> bool:
    """Whether a message of asyncio is about anything but a task that Dask itself gave up, such as a wait."""
    kind = record.exc_info[0] if record.exc_info else None
    return kind is None or not kind.__module__.startswith("distributed")


@dataclass(frozen=True)
class _Sent:
    """Tasks that are with a worker, or on their way.

    Attributes:
        portion: the tasks.
        future: the future of their outcomes.
        alone: whether nothing else runs at the same time.
        only: the addresses of the workers that may run them; None if all may.
    """

    portion: list[Task]
    future: Any
    alone: bool
    only: list[str] | None


class _Stream:
    """The tasks on their way to the workers, and their outcomes on the way back.

    Args:
        client: the cluster's client.
        design: the sweep.
        tasks: the tasks to run.
        scheduler: the address of the cluster's scheduler; None if the workers are our own.
        progress: as for :func:`on_cluster`.
    """

    def __init__(
        self,
        client: Any,
        design: Design,
        tasks: Iterator[Task],
        scheduler: str | None,
        progress: Progress,
    ):
        import cloudpickle

        self._client, self._design, self._tasks, self._partly = client, design, tasks, progress.part
        self._scheduler, self._shares = scheduler, not scheduler and SHARED in os.environ
        wanted = stamp(design.experiment, design.texts)
        self._digest = _digest(wanted)
        self._runs = _runs() if scheduler else run_portion
        self._name = f"{design.experiment.__qualname__}-{uuid4().hex[:12]}"
        self._ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        asked = cloudpickle.dumps((design.experiment, design.texts, wanted))
        self._crew = Crew(client, asked, scheduler, progress.say, self._ended.put)
        self._running: dict[str, _Sent] = {}
        # Portions for other workers, because one refused them or has gone.
        self._again: list[list[Task]] = []
        # Tasks whose workers died: tried once more at the end, each alone, so that none is blamed for another.
        self._suspects: list[Task] = []
        self._lost: Counter[Task] = Counter()  # how often a task went away with all workers that might run it
        self._over = False  # whether all tasks have been sent once
        self._recount = True
        self._size, self._seconds, self._count = 1, 0.0, 0
        self._began = time.monotonic()

    def outcomes(self, workers: int) -> Iterator[Outcome | None]:
        """The outcome of each task, and None if a second passes without any."""
        self._client.subscribe_topic(TOPIC, self._on_message)
        try:
            while True:
                self._recount = False
                yield from self._recount_workers(workers)
                counted = time.monotonic()
                while not self._recount and time.monotonic() - counted < RECOUNT:
                    while len(self._running) < self._most() and self._submit():
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

    def _most(self) -> int:
        """How many portions may be with the workers."""
        compiles = self._shares and self._design.experiment not in COMPILED and time.monotonic() - self._began < FIRST
        return min(1, self._crew.threads) if compiles else AHEAD * self._crew.threads

    def _on_message(self, event: tuple[float, dict[str, Any]]) -> None:
        sent = self._running.get(event[1]["key"])
        if sent and len(sent.portion) == 1:
            COMPILED.add(self._design.experiment)
            self._partly(event[1]["key"], event[1]["done"])

    def _recount_workers(self, workers: int) -> Iterator[Outcome]:
        """Count the workers, and on this machine replace those that were given up.

        Yields:
            The outcomes of tasks that were lost with their workers too often.
        """
        threads = self._crew.count()
        if self._client.cluster is not None and threads < workers:
            self._client.cluster.scale(workers)  # it gives up workers that die too often
        for key, sent in [*self._running.items()]:
            if sent.only is not None and self._crew.present.isdisjoint(sent.only):
                del self._running[key]
                sent.future.cancel(force=True)
                self._partly(key, 0.0)
                yield from self._missed(sent)

    def _missed(self, sent: _Sent) -> Iterator[Outcome]:
        """Send a portion again that was lost with its workers, perhaps because one of its tasks ended them.

        It goes to other workers under another name, so the scheduler takes it for new.
        """
        self._lost.update(sent.portion)
        often = max(self._lost[task] for task in sent.portion)
        if often <= LOSSES and not sent.alone:
            self._again.append(sent.portion)
        elif often <= LOSSES or not sent.alone:
            self._suspects += sent.portion
        else:
            yield Outcome(
                sent.portion[0], None, f"its worker ended {often} times, the last time with no task beside it"
            )

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
            packed = self._design.experiment, self._design.texts, work, self._design.columns(), self._digest
            only = self._crew.only
            future = self._client.submit(self._runs, cloudpickle.dumps(packed), key=key, workers=only, pure=False)
            self._running[key] = _Sent(portion, future, alone, only)
            future.add_done_callback(self._ended.put)
        return bool(portion)

    def _next_ended(self) -> Iterable[Outcome] | None:
        """The outcomes of the next portion that ends; None if none has ended yet."""
        try:
            future = self._ended.get(timeout=1)
        except queue.Empty:
            if self._client.status not in ("running", "connecting"):
                raise lost(self._scheduler) from None
            return None
        if future.key not in self._running:
            self._recount |= self._crew.answered(future) and not self._crew.threads
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
        COMPILED.add(self._design.experiment)
        self._resize(len(found), took)
        return [Outcome(task, *pair) for task, pair in zip(portion[: len(found)], found, strict=True)]

    def _blamed(self, error: Exception, sent: _Sent) -> list[tuple[None, str]]:
        """The trace of a task that ended its worker; none if another may be to blame, and it is tried again."""
        from distributed import CancelledError

        if isinstance(error, CancelledError) or self._client.status != "running":
            raise lost(self._scheduler) from None
        if not sent.alone:
            self._suspects += sent.portion
            return []
        return [(None, "".join(traceback.format_exception_only(error)))]

    def _resize(self, tasks: int, seconds: float) -> None:
        """Adjust the size of the next portions to the time that they should take."""
        self._seconds, self._count = self._seconds + seconds, self._count + tasks
        span = min(max(PORTION, SHARE * (time.monotonic() - self._began)), LONGEST)
        if self._seconds:
            self._size = min(max(int(span * self._count / self._seconds), 1), MOST)


def _dashboard(client: Any) -> str:
    """The address of a scheduler's dashboard; empty if there is none, or only a note that bokeh is missing."""

    def served() -> bool:  # sent by value, because the scheduler need not have this package
        import sys

        return "distributed.dashboard.scheduler" in sys.modules

    if "dashboard" not in client.scheduler_info(n_workers=0)["services"] or not client.run_on_scheduler(served):
        return ""
    return client.dashboard_link or ""
