"""Functions with which a chapter puts numbers into its sentences, and small tables on its page."""

import os
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from support.verdicts.judging import true_minus, typeset

FILES = "BOOK_FILES"
"""The environment variable that names the folder for a chapter's downloads, if the build has one."""
NUMERIC = tuple("0123456789-−+~<>≤≥")  # how cells with numbers begin; a column without any holds words


def offered(name: str) -> Path:
    """The path for a file that a chapter's page offers: write it there, and link it with the role ``download``.

    The link to ``agent.npz`` in chapter ``05-game`` is ``files/05-game/agent.npz``. Outside a build, the files are in
    ``_build/files``.
    """
    folder = Path(os.environ.get(FILES) or "_build/files")
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def tell(**numbers: Any) -> None:
    """Name numbers that the text can then insert: ``tell(best=3.5)`` and then {glue:text}`best:.2f`.

    Fractions become floats; for the exact form, pass ``str(fraction)``. Text gets true minus signs.
    """
    from myst_nb import glue

    for name, number in numbers.items():
        if isinstance(number, Fraction):
            number = float(number)
        elif hasattr(number, "item"):
            number = number.item()
        glue(name, true_minus(number) if isinstance(number, str) else number, display=False)


class Table:
    """A table of a chapter: plain text in a terminal, HTML on a page.

    Raises:
        ValueError: a row has more cells than the header, or fewer.
    """

    def __init__(self, header: Sequence[str], rows: Iterable[Sequence[Any]]):
        self.header = list(header)
        self.rows = [[_cell(value) for value in row] for row in rows]
        for place, row in enumerate(self.rows, 1):
            if len(row) != len(self.header):
                raise ValueError(f"row {place} of the table has {len(row)} cells, its header {len(self.header)}")

    def __repr__(self) -> str:
        return "\n".join(" | ".join(row) for row in [self.header, *self.rows])

    def _repr_html_(self) -> str:
        words = [not any(row[place][:1] in NUMERIC for row in self.rows) for place in range(len(self.header))]
        head = "".join(_html("th", cell, left, ' scope="col"') for cell, left in zip(self.header, words, strict=True))
        rows = ("".join(_html("td", cell, left) for cell, left in zip(row, words, strict=True)) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        # A wide table scrolls inside its frame, by keyboard too; the frame's label names the columns.
        columns = typeset(", ".join(filter(None, self.header)))
        return (
            f'<div class="wide-table" tabindex="0" role="group" aria-label="Table with {columns}">'
            f'<table class="book-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
        )


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """A table with one row per entry of ``rows``; floats show three decimals, unless they are passed as text."""
    return Table(header, rows)


def _html(tag: str, cell: str, left: bool, more: str = "") -> str:
    words = ' class="words"' if left else ""
    return f"<{tag}{more}{words}>{typeset(cell)}</{tag}>"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:z.3f}"  # no minus before a zero
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
