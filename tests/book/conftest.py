from multiprocessing import Pipe

import pytest

from support.book import clock, execute
from support.sweep.progress import SILENT
from support.verdicts.notebook import FILES


class Here:
    """In place of a process: this one executes the chapter, and imports papermill once for all of them."""

    def __init__(self, function, *arguments, forked):
        self.answer, answer = Pipe(duplex=False)
        try:
            self._result = function(*arguments)
        except Exception as error:
            self._result = error
        answer.close()  # so there is something to wait for

    def result(self):
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


@pytest.fixture
def here(monkeypatch):
    """Only kernels are processes of their own; test_faults.py has the others, and what happens to them."""
    monkeypatch.setattr(execute, "Call", Here)
    for name in (SILENT, clock.FILE, FILES):
        monkeypatch.setenv(name, "")  # it is set there, and is as it was after the test
