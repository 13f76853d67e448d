"""The reference of the package: its pages, from the package's folders, and a Sphinx extension that mends autodoc."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

PACKAGE = Path(__file__).resolve().parent.parent
PAGES = {
    "core": ("Any game", ("core",)),
    "games": ("The games", ("games",)),
    "call-or-raise": ("Call or raise", ("games/call_or_raise",)),
    "wild-ones": ("Wild ones", ("games/wild_ones",)),
    "learners": ("Learners", ("learners",)),
    "exact": ("Exact answers", ("solve.py", "judge.py", "trials.py", "exact")),
    "verdicts": ("Statistics and verdicts", ("verdicts",)),
    "sweep": ("Sweeps", ("sweep/__init__.py",)),
}
"""The title of each page ``api-NAME``, and the files and folders of the package that it shows.

A folder that has its own page is left out of the page of the folder around it.
"""
APART = {"experiments", "figures", "table", "speed"}
"""Modules that the reference leaves to the chapters and the page for playing; compiled forms are left out too."""


def write_pages(folder: Path) -> None:
    """Write the pages of the reference: an overview, and what the docstrings of each module say."""
    for name, (title, parts) in PAGES.items():
        elsewhere = [PACKAGE / part for other, (_, inner) in PAGES.items() if other != name for part in inner]
        shown = [
            (module, file)
            for part in parts
            for module, file in modules(PACKAGE / part)
            if not any(PACKAGE / part in folder.parents and folder in file.parents for folder in elsewhere)
        ]
        overview = "\n".join(f"* :py:mod:`{module}`: {_first_line(file)}" for module, file in shown)
        text = "\n\n".join([f"# {title}", _rst(overview), *_sections([module for module, _ in shown])])
        (folder / f"api-{name}.md").write_text(f"{text}\n", encoding="utf-8")


def modules(path: Path) -> list[tuple[str, Path]]:
    """The modules of a file or a folder that the reference shows, and their files; a folder's own comes first."""
    found = []
    for file in [path] if path.is_file() else path.rglob("*.py"):
        parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
        if not APART & set(parts) and not parts[-1].endswith("_fast"):
            found.append((".".join(parts).removesuffix(".__init__"), file))
    return sorted(found)


def _sections(names: list[str]) -> Iterator[str]:
    """One section per module; a game's folder is a section with its modules below it."""
    level = "##"
    for name in names:
        _, *parts = name.split(".")
        if parts[0] == "games" and len(parts) == 2:
            level = "###"
            yield f"## {parts[1].replace('_', ' ').capitalize()}"
        yield f"{level} `{'.'.join(parts)}`"
        yield _rst(f".. automodule:: {name}")


def _rst(text: str) -> str:
    return f"```{{eval-rst}}\n{text}\n```"


def _first_line(file: Path) -> str:
    return (ast.get_docstring(ast.parse(file.read_bytes())) or file.stem).partition("\n")[0]


def skipped(app: Sphinx, kind: str, name: str, member: object, skip: bool, options: object) -> bool | None:
    """Leave out the fields of named tuples, for which Python generates a line; their class describes them.

    Returns:
        True to leave a member out, None to leave the decision to Sphinx.
    """
    return True if (getattr(member, "__doc__", None) or "").startswith("Alias for field number") else None


def as_text(app: Sphinx, kind: str, name: str, member: object, options: object, lines: list[str]) -> None:
    """Begin a value's docstring with an empty comment, because napoleon takes text before a colon for a type."""
    if kind in ("data", "attribute", "property"):
        lines[:0] = ["..", ""]


def setup(app: Sphinx) -> dict[str, Any]:
    """What Sphinx calls when ``support.book.reference`` is among its extensions."""
    app.connect("autodoc-skip-member", skipped)
    app.connect("autodoc-process-docstring", as_text, priority=400)  # before napoleon, at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
