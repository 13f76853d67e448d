"""Where tasks run: in this process, in worker processes of this machine, or on a Dask cluster that is running."""

import atexit
import logging
import multiprocessing
import queue
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any
from uuid import uuid4

from support.sweep.design import Design, Experiment, Task, sources_of
from support.sweep.progress import TOPIC
from support.sweep.store import checked_record

__all__ = ["ClusterError", "Outcome", "here", "on_cluster"]

AHEAD = 4
"""Portions that each worker has before it: enough to be never idle, few enough for the scheduler."""
PORTION, MOST = 0.1, 256
"""Short tasks travel together, as many as take this many seconds, and at most so many."""
RECOUNT = 5.0
"""Seconds after which the workers are counted anew: a cluster may grow."""
PATIENCE = 60.0
"""Seconds to wait for a scheduler and its first worker."""


class ClusterError(RuntimeError):
    """A cluster that cannot be used, or was lost; the message says which, and what to do."""


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
    except Exception:
        return None, traceback.format_exc()


def _portion(
    experiment: Experiment, work: list[tuple[Any, int]], columns: tuple[str, ...], code: str
) -> tuple[list[tuple[Any, str]], float]:
    """Some tasks one after the other, on a worker; what became of each, and the seconds that all of them took."""
    if code != _code(experiment):
        fault = f"this worker has another version of {experiment.__module__}, or of what it imports"
        return [(None, fault)] * len(work), 0.0
    began = time.perf_counter()
    return [_attempt(experiment, setting, seed, columns) for setting, seed in work], time.perf_counter() - began


@cache
def _code(experiment: Experiment) -> str:
    return "".join(sources_of(experiment).values())


def here(design: Design, tasks: Iterable[Task]) -> Iterator[Outcome]:
    """Run the tasks in this process, one after the other: for a debugger, and where nothing else may be started."""
    for task in tasks:
        record, trace = _attempt(design.experiment, design.settings[task.setting], task.seed, design.columns())
        yield Outcome(task, record, trace)


@cache
def _local(workers: int) -> Any:
    """A client of worker processes on this machine, started once and ended with this process."""
    from distributed import Client, LocalCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    guard = "a script that runs a sweep must do so under `if __name__ == '__main__':`, since workers import it too"
    if getattr(multiprocessing.current_process(), "_inheriting", False):  # a worker that imports the script
        raise ClusterError(guard)
    try:
        cluster = LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            memory_limit=0,  # the machine's own limit is enough
            silence_logs=logging.CRITICAL,
        )
    except RuntimeError as error:
        raise ClusterError(f"the worker processes did not start ({error}); {guard}") from None
    client = Client(cluster, set_as_default=False)
    atexit.register(_end, client, cluster)
    return client


def _end(client: Any, cluster: Any) -> None:
    client.close()
    cluster.close()


def _remote(address: str) -> Any:
    from distributed import Client

    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no scheduler answers at {address} ({error}); start one with: dask scheduler") from None
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except TimeoutError:
        client.close()
        raise ClusterError(
            f"the scheduler at {address} has no workers; start some with: dask worker {address}"
        ) from None
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
        said: told the address of the dashboard, if there is one.
        partly: told the name of a running task, and how much of it is done as the experiment reports it: 0 at its end.

    Yields:
        What becomes of each task, in the order in which they end, and None where a second passes without any.

    Raises:
        ClusterError: no scheduler or no worker answers, or the scheduler was lost.
    """
    client = _remote(scheduler) if scheduler else _local(workers)
    try:
        if scheduler:
            said(client.dashboard_link)
        yield from _stream(client, design, iter(tasks), partly)
    finally:
        if scheduler:
            client.close()


def _stream(
    client: Any, design: Design, tasks: Iterator[Task], partly: Callable[[str, float], None]
) -> Iterator[Outcome | None]:
    name, code, columns = uuid4().hex[:12], _code(design.experiment), design.columns()
    ended: queue.SimpleQueue = queue.SimpleQueue()
    running: dict[str, tuple[list[Task], Any]] = {}
    again: list[Task] = []  # those of a portion that killed its workers, to be tried one by one
    size, seconds, count = 1, 0.0, 0

    def submit() -> bool:
        portion = [again.pop()] if again else list(islice(tasks, size))
        if portion:
            first = portion[0]
            key = f"{design.experiment.__qualname__}-{name}-{first.setting}-{first.replicate}-{uuid4().hex[:4]}"
            work = [(design.settings[task.setting], task.seed) for task in portion]
            future = client.submit(_portion, design.experiment, work, columns, code, key=key, pure=False)
            running[key] = portion, future
            future.add_done_callback(ended.put)
        return bool(portion)

    def heard(event: tuple[float, dict[str, Any]]) -> None:
        portion, _ = running.get(event[1]["key"], ((), None))
        if len(portion) == 1:
            partly(event[1]["key"], event[1]["done"])

    client.subscribe_topic(TOPIC, heard)
    try:
        while True:
            wanted = AHEAD * max(len(client.scheduler_info(n_workers=-1)["workers"]), 1)
            while len(running) < wanted and submit():
                pass
            checked = time.monotonic()
            while running and time.monotonic() - checked < RECOUNT:
                try:
                    future = ended.get(timeout=1)
                except queue.Empty:
                    if client.status not in ("running", "connecting"):
                        raise ClusterError("the connection to the scheduler was lost") from None
                    yield None
                    continue
                portion, _ = running.pop(future.key)
                partly(future.key, 0.0)
                if future.status == "error" and len(portion) > 1:
                    again += portion
                else:
                    outcomes, took = _outcomes(portion, future)
                    seconds, count = seconds + took, count + len(portion)
                    size = min(max(int(PORTION * count / seconds), 1), MOST) if seconds else size
                    yield from outcomes
                submit()
            if not running:
                return
    finally:
        client.unsubscribe_topic(TOPIC)
        if running:
            client.cancel([future for _, future in running.values()], force=True)


def _outcomes(portion: list[Task], future: Any) -> tuple[list[Outcome], float]:
    """What became of the tasks of a portion, and the seconds that it took."""
    if future.status == "finished":
        found, seconds = future.result()
        return [Outcome(task, *pair) for task, pair in zip(portion, found, strict=True)], seconds
    if future.status == "error":  # the worker died, again and again
        trace = "".join(traceback.format_exception_only(future.exception()))
        return [Outcome(task, None, trace) for task in portion], 0.0
    raise ClusterError(f"the scheduler gave up a task ({future.status})")
