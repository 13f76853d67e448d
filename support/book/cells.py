"""The programs of a story where they stand: what Python in the reader's browser does with each cell.

A cell runs as in a notebook: what it prints appears, and so does the value of its last line. It starts with the names
that the programs above it left behind, and with no others. The things that bear these names are shared, however: a list
that a program changes stays changed for those above it too, and so do modules. The page, which knows what the book
shows, starts Python anew where that matters.
"""

import ast
import builtins
import linecache
import sys
from collections.abc import Callable, Iterable
from functools import reduce
from io import TextIOBase
from operator import add
from traceback import StackSummary, TracebackException
from typing import Any

MOST = 200_000
"""Characters that one run of a cell may print, and as many for its value and for its error; the rest is left out."""
TEXT = (str, bytes, bytearray)
TOO_MUCH = "\n... (too much to show: the rest is left out)\n"


class Printed(TextIOBase):
    """Passes on what is printed, at once: a program that hangs sends nothing later."""

    def __init__(self, send: Callable[[str], Any]):
        self.send, self.left = send, MOST

    def writable(self) -> bool:
        """Return that it takes text."""
        return True

    def write(self, text: str) -> int:
        """Print, or leave out what would be too much."""
        if text and self.left >= 0:
            self.send(_cut(text, self.left))
            self.left -= len(text)
        return len(text)


class Nobody(TextIOBase):
    """Stands where a program reads what somebody types."""

    def readable(self) -> bool:
        """Return that it can be read; only reading says more."""
        return True

    def readline(self, _size: int | None = -1, /) -> str:  # type: ignore[override]  # of text, not of bytes
        """Say that nobody can answer."""
        raise EOFError("a program of this page cannot ask; write the answer into the program")


def plain_sum(numbers: Iterable[Any], /, start: Any = 0) -> Any:
    """What ``sum`` was before Python 3.12, which makes up for the rounding of floats: the sum from left to right."""
    # A story sums millions of times, nearly always from 0, and the first test is quicker than the second.
    if type(start) is not int and isinstance(start, TEXT):
        raise TypeError(f"sum() can't sum {type(start).__name__}")
    return reduce(add, numbers, start)


class Cells:
    """The cells of one page, and the names that each has left behind.

    Args:
        built_with: the minor version of the Python 3 that computed what the page shows. If that is older than 3.12 and
            the reader's is not, floats are summed as they were then, so that results agree to the last digit.
        here: the minor version of the reader's.
    """

    def __init__(self, built_with: int = sys.version_info.minor, here: int = sys.version_info.minor) -> None:
        if built_with < 12 <= here:
            builtins.sum = plain_sum
        self.space: dict[str, Any] = {"__name__": "__main__"}
        self.left: dict[int, dict[str, Any]] = {}

    def run(self, number: int, source: str, above: int | None, send: Callable[[str], Any]) -> tuple[str, str]:
        """Run a cell.

        Args:
            number: the number of the cell, from 1, which errors name.
            source: the program.
            above: the number of the cell whose names it starts with; None if it is the first.
            send: called with each piece of what is printed.

        Returns:
            The value of the last line as a notebook shows it, and the error that stopped it; either may be empty.
        """
        start = {"__name__": "__main__"} if above is None else self.left[above]
        self.space.clear()
        self.space.update(start)
        before = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout = Nobody(), Printed(send)
        sys.stderr = sys.stdout
        shown = error = ""
        try:
            shown = self._value(source, f"<program {number}>")
        except BaseException as fault:
            error = _traceback(fault)
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
        if not error:
            self.left[number] = dict(self.space)
        return _cut(shown), _cut(error)

    def _value(self, source: str, name: str) -> str:
        from IPython.lib.pretty import pretty  # as notebooks show values

        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)  # for tracebacks
        tree: ast.Module = compile(source, name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)  # type: ignore[assignment]
        last = None
        if tree.body and isinstance(end := tree.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
            last = ast.Expression(end.value)
            tree.body.pop()
        exec(compile(tree, name, "exec"), self.space)
        value = None if last is None else eval(compile(last, name, "eval"), self.space)
        return "" if value is None else str(pretty(value))


def _cut(text: str, most: int = MOST) -> str:
    return text if len(text) <= most else text[:most] + TOO_MUCH


def _traceback(fault: BaseException) -> str:
    """A traceback without the steps through this module and through the one that lays out values."""
    ours = {__file__, getattr(sys.modules.get("IPython.lib.pretty"), "__file__", "")}
    found = TracebackException.from_exception(fault)
    waiting = [found]
    while waiting:
        one = waiting.pop()
        one.stack = StackSummary.from_list([step for step in one.stack if step.filename not in ours])
        waiting += [other for other in (one.__cause__, one.__context__, *(one.exceptions or ())) if other]
    return "".join(found.format()).rstrip()
