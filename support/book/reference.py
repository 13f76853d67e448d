"""The reference of the package, generated from the docstrings: a Sphinx extension for what it gets wrong."""

from typing import Any

from sphinx.application import Sphinx


def skipped(app: Sphinx, kind: str, name: str, member: object, skip: bool, options: object) -> bool | None:
    """Leave out the fields of named tuples, for which Python makes up a line; their class describes them.

    Returns:
        True to leave a member out, None to decide as if nobody had asked.
    """
    return True if (getattr(member, "__doc__", None) or "").startswith("Alias for field number") else None


def as_text(app: Sphinx, kind: str, name: str, member: object, options: object, lines: list[str]) -> None:
    """Let a value's docstring begin with an empty comment, or napoleon takes what precedes a colon for its type."""
    if kind in ("data", "attribute", "property"):
        lines[:0] = ["..", ""]


def setup(app: Sphinx) -> dict[str, Any]:
    """What Sphinx calls when ``support.book.reference`` stands among its extensions."""
    app.connect("autodoc-skip-member", skipped)
    app.connect("autodoc-process-docstring", as_text, priority=400)  # before napoleon, at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
