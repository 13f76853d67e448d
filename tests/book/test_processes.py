"""Functions called in processes of their own, new ones and forked ones, and kernels that are forked with them."""

import os
import signal
import sys

import pytest

from support.book import execute
from support.book.build import build_book, collect
from support.book.execute import executed_path
from support.book.layout import BookError
from support.book.processes import Call, KilledError

from .toy import RECORD, toy_book

BOTH = pytest.mark.parametrize("forked", [False, True], ids=["new", "forked"])


def answer(number, kernel=None):
    return number, os.environ["A_VARIABLE"], "support.book.imported" in sys.modules, kernel is not None


def fail(what, kernel=None):
    raise what


def end(_number, kernel=None):
    os.kill(os.getpid(), signal.SIGKILL)


@BOTH
def test_a_call_returns_what_the_function_returned(forked, monkeypatch):
    for value in ("one", "two"):  # the server begins in the first environment
        monkeypatch.setenv("A_VARIABLE", value)
        assert Call(answer, 42, forked=forked).result() == (42, value, forked, forked)


@BOTH
def test_a_call_raises_what_the_function_raised(forked):
    with pytest.raises(BookError, match="no dice"):
        Call(fail, BookError("no dice"), forked=forked).result()
    with pytest.raises(KilledError):
        Call(end, 42, forked=forked).result()


def test_a_forked_kernel_is_as_a_new_one(tmp_path, monkeypatch, capfd):
    """In its folder, its variables, its paths and its modules, and at its end, where handlers are called."""
    code = f"""import atexit, multiprocessing, os, sys
from pathlib import Path
atexit.register(Path("ended").touch)
print([path for path in sys.path if "zip" not in path], os.getcwd())
print(__name__, sys.modules["__main__"].__dict__ is globals())
print(sorted(name for name in os.environ if name.startswith(("SUPPORT", "MPL"))), os.getsid(0) == os.getpid())
print(multiprocessing.parent_process() is None or "forked")
import matplotlib.pyplot
print(matplotlib.get_backend())
os.system("echo said")
{RECORD}"""
    said = []
    for many, name in ((execute.MANY, "new"), (1, "forked")):
        monkeypatch.setattr(execute, "MANY", many)
        (tmp_path / name).mkdir()
        book = toy_book(tmp_path / name, code)
        build_book(book)
        path = executed_path(book, book.chapter("toy"))
        assert [row["measured"] for row in collect(path)] == [42]
        assert (book.root / "ended").exists()
        said.append([text.replace(str(book.root), "ROOT") for text in printed(path)])
    new, forked = said
    assert forked[0].replace("forked", "True") == new[0]
    assert new[0].endswith("inline\n")
    assert "forked" in forked[0]


def printed(path):
    import nbformat

    outputs = [output for cell in nbformat.read(path, 4).cells for output in cell.get("outputs", [])]
    return [output.text for output in outputs if output.output_type == "stream"]
