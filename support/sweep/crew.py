"""The workers of a cluster: who is there, and which of them may have tasks.

A worker whose code, lock file or versions are not the driver's would return other digits, or none. Each worker of a
cluster is asked once, when it joins or comes back; one that differs is named and gets no tasks.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import uuid4

from support.core.sources import sources
from support.sweep.design import LOCK, Experiment, lock_hash, sources_of, versions

PATIENCE = 60.0
"""Seconds to wait for a scheduler and its first worker, and for another one when there is none left."""
ANSWER = 5.0
"""Seconds to wait for the answer to a check that has come in: its worker may be gone again."""
REFUSALS = 3
"""Refused portions after which a worker gets no more, although it passes its check."""
KEPT = "where records are kept, the same sweep goes on from there"
LOST = f"the connection to the scheduler was lost; start it and its workers again, and {KEPT}"
INSTALL = "install there what is installed here"
NAMED = 3  # workers that an error message names
PARSING = threading.Lock()
"""Sources are read by one thread at a time: Python 3.11 cannot parse in several at once."""


class ClusterError(RuntimeError):
    """A cluster that cannot be used, or was lost; the message says which, and what to do."""


def stamp(experiment: Experiment, texts: tuple[str, ...]) -> dict[str, str]:
    """What a worker must have as the driver has it, by its name in a message.

    Args:
        experiment: the experiment.
        texts: of its configurations, which may name modules too.
    """
    with PARSING:
        return _stamp(experiment, texts)


@cache
def _stamp(experiment: Experiment, texts: tuple[str, ...]) -> dict[str, str]:
    own = sources("from support.sweep.engine import *", {"support"})
    code = {f"the code of {module}": found for module, found in {**own, **sources_of(experiment, texts)}.items()}
    return {**code, LOCK: lock_hash(), **versions()}


def difference(experiment: Experiment, texts: tuple[str, ...], wanted: dict[str, str]) -> str:
    """What this process has in another version than the driver, in words; empty where that is nothing.

    The lock file counts where there are two: a package that was installed has none.
    """
    own = stamp(experiment, texts)
    without = set() if own.get(LOCK) and wanted.get(LOCK) else {LOCK}
    other = sorted(name for name in {*own, *wanted} - without if own.get(name) != wanted.get(name))
    if not other:
        return ""
    return f"has another version of {other[0]}" + (f" (and of {len(other) - 1} more)" if len(other) > 1 else "")


def _asks() -> Callable[[bytes], str]:
    def ask(packed: bytes) -> str:  # sent as it is, since it cannot be imported where this package is missing
        try:
            import pickle

            from support.sweep.crew import difference

            return difference(*pickle.loads(packed))
        except Exception as error:
            return f"cannot import this package or the experiment ({str(error) or type(error).__name__})"

    return ask


@dataclass(eq=False)
class Member:
    """A worker.

    Attributes:
        address: where it is.
        place: its scratch folder, a new one each time that it starts.
        threads: tasks that it runs at a time.
        fault: why it gets no tasks; empty where it may have some, None before it has answered.
        refusals: portions that it refused.
        named: whether it has been said that it gets no tasks.
    """

    address: str
    place: str
    threads: int
    fault: str | None
    refusals: int = 0
    named: bool = False


class Crew:
    """The workers of a client's cluster.

    Args:
        client: of the cluster.
        asked: the arguments of :func:`difference`, packed: a worker that cannot import what it is sent would be lost.
        address: of its scheduler; None where its workers are processes that were started from here, and have the
            same code until they refuse a task.
        said: gets a sentence about who gets no tasks, or that nobody is left.
        ended: gets each check that a worker has answered, for :meth:`heard`.

    Attributes:
        threads: of the workers that may have tasks.
        only: their addresses; None where all may.
        present: addresses of all workers.
        worked: whether one has passed its check, or has run a task.
    """

    def __init__(
        self,
        client: Any,
        asked: bytes,
        address: str | None,
        said: Callable[[str], None],
        ended: Callable[[Any], None],
    ):
        self._client, self._address, self._said, self._ended = client, address, said, ended
        self._asked = asked
        self._members: dict[str, Member] = {}
        self._checks: dict[str, tuple[Member, Any]] = {}
        self._seen = time.monotonic()
        self._alone: str | None = None  # what has been said of those who are there, where nobody may have tasks
        self.threads = 0
        self.only: list[str] | None = []
        self.present: set[str] = set()
        self.worked = False

    def count(self) -> int:
        """Who is there now, as the scheduler knows it; asks those who are new.

        Returns:
            The tasks that all workers could run at a time.

        Raises:
            ClusterError: there is none that may have tasks, and has not been for a while; the scheduler was lost.
        """
        before, self._members = self._members, {}
        known = self._client.scheduler_info(n_workers=-1)
        if "workers" not in known:  # all that is known of a scheduler with which there is no connection
            raise ClusterError(LOST)
        for address, found in known["workers"].items():
            member = before.get(address)
            if member is None or member.place != found["local_directory"]:
                member = Member(address, found["local_directory"], found["nthreads"], "")
                if self._address:
                    self._check(member)
            self._members[address] = member
        self.present = {*self._members}
        for key, (member, check) in [*self._checks.items()]:
            if self._members.get(member.address) is not member:
                del self._checks[key]
                check.cancel()
        self._settle()
        self._wait()
        return sum(member.threads for member in self._members.values())

    def refused(self, address: str) -> None:
        """A worker would not run a task: it is asked why."""
        member = self._members.get(address)
        if member and member.fault == "":
            member.refusals += 1
            if member.refusals > REFUSALS:
                member.fault = "cannot unpack the tasks"
            else:
                self._check(member)
            self._settle()

    def heard(self, future: Any) -> bool:
        """Whether this was the answer of a worker to a check; then it counts.

        Raises:
            ClusterError: the connection to the scheduler was lost.
        """
        from distributed import CancelledError

        member, _ = self._checks.pop(future.key, (None, None))
        if member is None:
            return False
        try:
            fault = future.result(timeout=ANSWER)
        except CancelledError:
            raise ClusterError(LOST) from None
        except OSError:  # it went away meanwhile
            del self._members[member.address]
        else:
            member.fault = fault
            self.worked |= not fault
        self._settle()
        return True

    def _check(self, member: Member) -> None:
        """Ask a worker, before all tasks that wait there: nothing waits for one that is stopped or too full."""
        member.fault = None
        check = self._client.submit(
            _asks(),
            self._asked,
            key=f"check-{uuid4().hex}",
            workers=[member.address],
            priority=1,
            pure=False,
        )
        self._checks[check.key] = member, check
        check.add_done_callback(self._ended)

    def _settle(self) -> None:
        good = [member for member in self._members.values() if member.fault == ""]
        self.threads = sum(member.threads for member in good)
        self.only = None if len(good) == len(self._members) else [member.address for member in good]
        for member in self._members.values() if self.worked else ():  # where none is any good, the error names them
            if member.fault and not member.named:
                member.named = True
                self._said(f"the worker at {member.address} {member.fault} and gets no tasks; {INSTALL}")

    def _wait(self) -> None:
        """Be patient while there is nobody, and say so at once; there is nobody to wait for if all came from here."""
        now, differ = time.monotonic(), [member for member in self._members.values() if member.fault]
        named = "; ".join(f"the worker at {member.address} {member.fault}" for member in differ[:NAMED])
        more = f"; and {len(differ) - NAMED} more" if len(differ) > NAMED else ""
        faults = f": {named}{more}; {INSTALL}" if differ else ""
        if self.threads:
            self._seen, self._alone = now, None
        elif differ and len(differ) == len(self._members) and not self._address:
            raise ClusterError(f"no worker can take a task{faults}")
        elif now - self._seen > PATIENCE:
            start = f"; start one with: dask worker {self._address}" if self._address else ""
            raise ClusterError(f"for {PATIENCE:.0f} s no worker could take a task{faults}{start}; {KEPT}")
        elif self._alone != faults and len(differ) == len(self._members):
            self._alone = faults
            self._said(f"no worker can take a task{faults}; waiting {PATIENCE:.0f} s for one that can")
