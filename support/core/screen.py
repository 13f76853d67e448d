"""What reaches the screen: names that nobody knows, foreign text, and an output that may be closed, full or unread."""

import errno
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from difflib import get_close_matches
from typing import Any

WORD, LINE = 200, 2_000
"""Characters of a word and of a line that are shown whole; of longer ones the beginning."""
BEGINNING = 60
"""Characters that are shown of a longer word, and of a wrong value."""
GONE = 141
"""The exit status where nobody reads the output any more: that of a program which the signal SIGPIPE ends."""


class OutputError(Exception):
    """What was to be shown cannot be written; the message says why in one line.

    Attributes:
        status: the exit status that this calls for.
    """

    def __init__(self, message: str, status: int = 1):
        super().__init__(message)
        self.status = status


def unknown(what: str, name: object, known: Iterable[str], where: str = "") -> str:
    """The sentence that nothing of a kind has this name: it suggests similar names, or lists all."""
    names, small = list(known), str(name).lower()
    near = get_close_matches(str(name), names) or get_close_matches(small, names)
    near = near or [one for one in names if small and one.lower().startswith(small)]
    choice = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(names) or 'none'}."
    return f"there is no {what} '{name}'{where}; {choice}"


def shown(value: object, most: int = BEGINNING) -> str:
    """A wrong value for an error message: its ``repr`` in one line, of which at most so many characters are shown."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # such as that of a number of too many digits
        text = f"this {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def printable(text: str) -> str:
    r"""Text that a terminal shows as it is: each character that it would obey is written as in JSON, such as \u001b.

    Lines stay lines, and tabs tabs.
    """
    return "".join(one if one.isprintable() or one in "\n\t" else json.dumps(one)[1:-1] for one in text)


def shortened(text: str) -> str:
    """Printable text of which very long words and lines are cut, so that an error shows what was wrong and not all."""
    words = re.compile(rf"\S{{{WORD + 1},}}")
    lines = (words.sub(lambda word: f"{word[0][:BEGINNING]}…", line) for line in printable(text).split("\n"))
    return "\n".join(line if len(line) <= LINE else f"{line[:LINE]}…" for line in lines)


class _File(io.FileIO):
    """An open file; what cannot be written to it is an :class:`OutputError`, or lost unless it is ``needed``."""

    def __init__(self, number: int, needed: bool):
        super().__init__(number, "w", closefd=False)
        self.needed = needed

    def write(self, data: Any) -> int:
        try:
            return super().write(data) or 0
        except OSError as error:
            if not self.needed:
                return len(data)
            self.needed = False  # what is left in buffers goes nowhere, and is not told again
            if error.errno == errno.EPIPE:
                raise OutputError("stopped: nobody reads the output any more", GONE) from None
            raise OutputError(f"error: the output cannot be written: {error.strerror}") from None


@contextmanager
def safe_streams() -> Iterator[None]:
    """While a command runs, all that it shows arrives, or it ends with an :class:`OutputError`.

    A closed input is an empty one, and what cannot be decoded in it is replaced. What errors and progress would say to
    a closed or full place is lost.

    Raises:
        OutputError: the output is closed, is full, or nobody reads it any more.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    with ExitStack() as opened:
        opened.callback(_restore, *before)
        if sys.stdin is None:
            sys.stdin = opened.enter_context(_nothing("r"))
        elif isinstance(sys.stdin, io.TextIOWrapper):
            # Another stream over the same bytes: how errors are met cannot be set back once something was read.
            sys.stdin = io.TextIOWrapper(sys.stdin.buffer, sys.stdin.encoding, "replace")
            opened.callback(sys.stdin.detach)
        sys.stderr = opened.enter_context(_nothing("w")) if sys.stderr is None else _watched(sys.stderr, False)
        if sys.stdout is None:
            raise OutputError(f"error: the output is closed; send it to a file, or to {os.devnull}")
        sys.stdout = _watched(sys.stdout, True)
        try:
            yield
        finally:
            sys.stdout.flush()


def _restore(*streams: Any) -> None:
    sys.stdin, sys.stdout, sys.stderr = streams


def _nothing(mode: str) -> Any:
    """A stream that ends at once, or takes everything; processes that are started have it too."""
    stream: Any = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 - whoever calls closes it
    os.set_inheritable(stream.fileno(), True)
    return stream


def _watched(stream: Any, needed: bool) -> Any:
    """The same stream, which fails as :class:`_File` does and can show any text; itself where it is no file."""
    buffer = getattr(stream, "buffer", None)
    if type(getattr(buffer, "raw", buffer)) is not io.FileIO:
        return stream
    errors = "backslashreplace" if stream.errors == "strict" else stream.errors
    file = io.BufferedWriter(_File(stream.fileno(), needed))
    return io.TextIOWrapper(file, stream.encoding, errors, line_buffering=stream.line_buffering or stream.write_through)
