from concurrent.futures import Executor, Future

import pytest

from support.book import clock, execute
from support.sweep.progress import SILENT
from support.verdicts.notebook import FILES


class Here(Executor):
    """In place of a pool: chapters are executed by this process, which imports papermill once for all of them."""

    def __init__(self, *_, **__):
        pass

    def submit(self, call, *arguments):
        done = Future()
        try:
            done.set_result(call(*arguments))
        except Exception as error:
            done.set_exception(error)
        return done


@pytest.fixture
def here(monkeypatch):
    """Only kernels are processes of their own; test_faults.py has the pool, and what happens to it."""
    monkeypatch.setattr(execute, "ProcessPoolExecutor", Here)
    for name in (SILENT, clock.FILE, FILES):
        monkeypatch.setenv(name, "")  # it is set there, and is as it was after the test
