"""The processes of a build: on Linux, they are forked from one that has imported what all of them need.

A process that executes a chapter takes seconds of a core for its imports, and so does its kernel. ``multiprocessing``
has a server that imports once and is forked for each new process. A process that executes a chapter forks the
chapter's kernel before it does anything else, because later it has threads, which do not survive a fork.
"""

import atexit
import os
import sys
import threading
from collections.abc import Callable
from multiprocessing import connection, get_context, parent_process
from typing import Any

FORKS = sys.platform == "linux"
"""Whether processes can be forked from a server. Elsewhere some libraries of the system do not survive it."""
IMPORTED = "support.book.imported"
"""The module that the server imports."""


def end_with_parent() -> None:
    """Let a process of a build end when the build is killed, because the next build may start at once."""
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class KilledError(RuntimeError):
    """A process ended without an answer."""


class Call:
    """A function that runs in a process of its own, which ends with this one.

    Args:
        function: it gets the arguments and, if the process is forked, the keyword ``kernel``: a :class:`Kernel`.
        arguments: what can be pickled.
        forked: whether the process comes from the server.

    Attributes:
        answer: a connection from which something can be read as soon as there is a result.
    """

    def __init__(self, function: Callable[..., Any], *arguments: Any, forked: bool = False):
        context: Any = get_context("forkserver" if forked else "spawn")
        if forked:
            context.set_forkserver_preload([IMPORTED])
        self.answer, answer = connection.Pipe(duplex=False)
        self._process = context.Process(target=_run, args=(answer, forked, dict(os.environ), function, arguments))
        self._process.start()
        answer.close()

    def result(self) -> Any:
        """What the function returned.

        Raises:
            KilledError: the process was killed.
            Exception: what the function raised.
        """
        try:
            result = self.answer.recv()
        except EOFError:
            raise KilledError from None
        finally:
            self.answer.close()
            self._process.join()
        if isinstance(result, Exception):
            raise result
        return result


def _run(answer: Any, forked: bool, environment: dict[str, str], function: Any, arguments: tuple[Any, ...]) -> None:
    kernel = Kernel(answer) if forked else None
    end_with_parent()
    os.environ.clear()  # the server's was that of its beginning
    os.environ.update(environment)
    try:
        result = function(*arguments, **({"kernel": kernel} if kernel else {}))
    except KeyboardInterrupt:  # the build gets it too, and says so
        return
    except Exception as error:
        result = error
    finally:
        if kernel:
            kernel.kill()  # if it has not ended, or has never begun; this process waits for it
    answer.send(result)


class Kernel:
    """A kernel that was forked and waits for its command; for Jupyter it is what ``subprocess.Popen`` would be.

    Args:
        answer: a connection of this process, which the kernel must not keep open.
    """

    stdin = stdout = stderr = None

    def __init__(self, answer: Any):
        wanted, self._wanted = connection.Pipe(duplex=False)
        self._process = get_context("fork").Process(target=_serve, args=(wanted, self._wanted, answer))
        self._process.start()
        wanted.close()

    @property
    def pid(self) -> int:
        """Its number."""
        assert self._process.pid
        return self._process.pid

    def poll(self) -> int | None:
        """Its exit status; None while it runs."""
        return self._process.exitcode

    def wait(self) -> int | None:
        """Its exit status, as soon as it has ended."""
        self._process.join()
        return self.poll()

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def manager(self) -> type:
        """A class of kernel managers, as nbclient wants one, that start this kernel."""
        from jupyter_client.manager import AsyncKernelManager
        from jupyter_client.provisioning.local_provisioner import LocalProvisioner

        kernel: Any = self

        class Provisioner(LocalProvisioner):
            async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
                parent = f"--IPKernelApp.parent_handle={os.getpid()}"  # it ends with this process
                kernel._wanted.send(([*cmd, parent], kwargs["env"], os.getcwd()))
                self.process, self.pid, self.pgid = kernel, kernel.pid, kernel.pid
                return self.connection_info

        class Manager(AsyncKernelManager):
            def __init__(self, **settings: Any):
                super().__init__(**settings)
                self.provisioner = Provisioner(kernel_spec=self.kernel_spec, parent=self)

        return Manager


def _serve(wanted: Any, *others: Any) -> None:
    """Be a kernel, as soon as its command, environment and folder are known."""
    for one in others:
        one.close()
    try:
        command, environment, folder = wanted.recv()
    except EOFError:  # the chapter is not executed
        return
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    from ipykernel.kernelapp import IPKernelApp

    from support.book.imported import PATH

    sys.path[:] = PATH
    IPKernelApp.launch_instance(command[command.index("-f") :])
    atexit._run_exitfuncs()  # which multiprocessing leaves out
