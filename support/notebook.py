"""What a chapter calls to put numbers into its sentences and small tables on its page."""

import html
import os
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

__all__ = ["FILES", "Table", "offered", "table", "tell"]

FILES = "BOOK_FILES"
"""Names the folder for what a chapter offers to its readers, where the build has one."""


def offered(name: str) -> Path:
    """Where a chapter puts a file that its page offers: write it there, and link it with the role ``download``.

    The link of ``agent.npz`` in chapter ``05-game`` is ``files/05-game/agent.npz``. Outside a build files lie in
    ``_build/files``.
    """
    folder = Path(os.environ.get(FILES) or "_build/files")
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def tell(**numbers: Any) -> None:
    """Name numbers, so that the text can insert them: ``tell(best=3.5)`` and then {glue:text}`best:.2f`.

    Fractions are told as floats; for the exact form tell ``str(fraction)``.
    """
    from myst_nb import glue

    for name, number in numbers.items():
        if isinstance(number, Fraction):
            number = float(number)
        elif hasattr(number, "item"):
            number = number.item()
        glue(name, number, display=False)


class Table:
    """A table of a chapter: plain text in a terminal, HTML on a page."""

    def __init__(self, header: Sequence[str], rows: Iterable[Sequence[Any]]):
        self.header = list(header)
        self.rows = [[_cell(value) for value in row] for row in rows]

    def __repr__(self) -> str:
        return "\n".join(" | ".join(row) for row in [self.header, *self.rows])

    def _repr_html_(self) -> str:
        head = "".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in self.header)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        return (
            f'<div class="wide-table"><table class="book-table"><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table></div>"
        )


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """A table with one row an entry of ``rows``; floats show three decimals unless they come as text."""
    return Table(header, rows)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
