"""The workers of a cluster: which are connected, and which may get tasks.

A worker whose code, lock file or versions differ from the driver's might return other digits, or none. Each worker is
checked when it joins or comes back; one that differs is named and gets no tasks.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import uuid4

from support.core.screen import printable
from support.core.sources import sources
from support.sweep.design import LOCK, Experiment, lock_hash, sources_of, versions

PATIENCE = 60.0
"""Seconds to wait for a scheduler and its first worker, or for another worker when none is left."""
ANSWER = 5.0
"""Seconds to wait for the answer to a finished check, because its worker may be gone again."""
SOON = 5.0
"""Seconds without a worker before the user is told, if one may still come back."""
REFUSALS = 3
"""Refused portions after which a worker gets no more, even if it passes its check."""
KEPT = "where records are kept, run the same again, and it goes on from there"
INSTALL = "install there what is installed here"
NAMED = 3  # workers that an error message names
PARSING = threading.Lock()
"""Held while sources are read, because Python 3.11 cannot parse in several threads at once."""


class ClusterError(RuntimeError):
    """A cluster cannot be used or was lost; the message says why, and what to do."""


def lost(address: str | None) -> ClusterError:
    """The error for a lost connection to a scheduler, at an address or (None) started by this process."""
    again = "start it and its workers again, and " if address else ""
    return ClusterError(f"the connection to the scheduler was lost; {again}{KEPT}")


def stamp(experiment: Experiment, texts: tuple[str, ...]) -> dict[str, str]:
    """What must be the same on a worker and the driver, by its name in a message.

    Args:
        experiment: the experiment.
        texts: the texts in its configurations, which may name modules too.
    """
    with PARSING:
        return _stamp(experiment, texts)


@cache
def _stamp(experiment: Experiment, texts: tuple[str, ...]) -> dict[str, str]:
    own = sources("from support.sweep.engine import *", {"support"})
    code = {f"the code of {module}": found for module, found in {**own, **sources_of(experiment, texts)}.items()}
    return {**code, LOCK: lock_hash(), **versions()}


def difference(experiment: Experiment, texts: tuple[str, ...], wanted: dict[str, str]) -> str:
    """What this process has in another version than the driver, in words; empty if nothing.

    Lock files are compared only if both have one; an installed package has none.
    """
    own = stamp(experiment, texts)
    without = set() if own.get(LOCK) and wanted.get(LOCK) else {LOCK}
    other = sorted(name for name in {*own, *wanted} - without if own.get(name) != wanted.get(name))
    if not other:
        return ""
    return f"has another version of {other[0]}" + (f" (and of {len(other) - 1} more)" if len(other) > 1 else "")


def _asks() -> Callable[[bytes], str]:
    def ask(packed: bytes) -> str:  # sent by value, because a worker without this package cannot import it
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
        address: its address.
        place: its scratch folder, a new one each time that it starts.
        threads: the number of tasks that it runs at a time.
        fault: why it gets no tasks; empty if it may get some, None before it has answered.
        refusals: the number of portions that it refused.
        named: whether the user has been told that it gets no tasks.
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
        client: the cluster's client.
        asked: the arguments of :func:`difference`, packed, because a worker that cannot import what it is sent would be
            lost.
        address: the scheduler's address; None if the workers are processes started from here, which have the same code
            until they refuse a task.
        said: called with a sentence about a worker that gets no tasks, or that none is left.
        ended: called with each check that a worker has answered, for :meth:`answered`.

    Attributes:
        threads: the threads of all workers that may get tasks.
        only: the addresses of these workers; None if all may get tasks.
        present: the addresses of all workers.
        worked: whether a worker has passed its check, or has run a task.
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
        self._seen = self._looked = time.monotonic()
        self._asking = 0.0  # seconds without a worker for tasks in which one had yet to answer
        self._announced: set[str] = set()  # what the user has been told since then
        self.threads = 0
        self.only: list[str] | None = []
        self.present: set[str] = set()
        self.worked = False

    def count(self) -> int:
        """Update the list of workers from the scheduler, and check new ones.

        Returns:
            The number of tasks that all workers could run at a time.

        Raises:
            ClusterError: for a while no worker could take tasks, or the scheduler was lost.
        """
        before, self._members = self._members, {}
        known = self._client.scheduler_info(n_workers=-1)
        if "workers" not in known:  # which means that there is no connection
            raise lost(self._address)
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
        """Note that a worker refused a task, and ask it why."""
        member = self._members.get(address)
        if member and member.fault == "":
            member.refusals += 1
            if member.refusals > REFUSALS:
                member.fault = "cannot unpack the tasks"
            else:
                self._check(member)
            self._settle()

    def answered(self, future: Any) -> bool:
        """Take in a worker's answer to a check; returns whether it was one.

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
            raise lost(self._address) from None
        except OSError:  # it went away meanwhile
            del self._members[member.address]
        except Exception as error:  # from Dask, such as another Python that cannot unpack the check
            member.fault = f"cannot run the check ({_line(str(error) or type(error).__name__)})"
        else:
            member.fault = _line(fault)
            self.worked |= not fault
        self._settle()
        return True

    def _check(self, member: Member) -> None:
        """Ask a worker, ahead of all tasks that wait there; a worker that is stopped or busy holds nothing up."""
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
        for member in self._members.values() if self.worked else ():  # if none is usable, the error names them
            if member.fault and not member.named:
                member.named = True
                self._said(f"the worker at {member.address} {member.fault} and gets no tasks; {INSTALL}")

    def _wait(self) -> None:
        """Wait while no worker may get tasks, and say so; workers of this machine that differ end the wait.

        A worker that has yet to answer may be busy with another sweep's long task, so that time does not count. The
        scheduler drops a frozen one.
        """
        now, differ = time.monotonic(), [member for member in self._members.values() if member.fault]
        self._asking += now - self._looked if self._checks else 0.0
        self._looked, alone = now, now - self._seen - self._asking
        named = "; ".join(f"the worker at {member.address} {member.fault}" for member in differ[:NAMED])
        more = f"; and {len(differ) - NAMED} more" if len(differ) > NAMED else ""
        faults = f": {named}{more}; {INSTALL}" if differ else ""
        if self.threads:
            self._seen, self._asking = now, 0.0
            self._announced.clear()
        elif self._checks:
            if self._asking > SOON:
                self._announce(f"{faults}; waiting for {len(self._checks)} that may be busy and did not answer yet")
        elif differ and not self._address:
            raise ClusterError(f"no worker can take a task{faults}")
        elif alone > PATIENCE:
            start = f"; start one with: dask worker {self._address}" if self._address else ""
            raise ClusterError(f"for {PATIENCE:.0f} s no worker could take a task{faults}{start}; {KEPT}")
        elif self._address or alone > SOON:  # Dask starts the workers of this machine again
            self._announce(f"{faults}; waiting {PATIENCE:.0f} s for one that can")

    def _announce(self, why: str) -> None:
        if why not in self._announced:
            self._announced.add(why)
            self._said(f"no worker can take a task{why}")


def _line(text: str) -> str:
    """A worker's message as one line."""
    return printable(" ".join(text.split()))
