import os
import signal
import sys

import pytest
import toy_cluster


@pytest.fixture(autouse=True)
def outside_notebooks(monkeypatch):
    """Show progress as a program does, though tests of the book may have executed notebooks in this process."""
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)


@pytest.fixture
def loopback(tmp_path):
    """A scheduler without workers."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    cluster = toy_cluster.Loopback(folder)
    yield cluster
    cluster.close()


@pytest.fixture
def command():
    """Begins ``python -m support sweep``, and ends what is left of it."""
    begun = []

    def begin(*words, **more):
        begun.append(toy_cluster.begin(*words, **more))
        return begun[-1]

    yield begin
    for process in begun:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def log(tmp_path):
    """The folder in which calls leave files."""
    folder = tmp_path / "log"
    folder.mkdir()
    return folder
