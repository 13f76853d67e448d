"""The reference of the package, generated from the docstrings: a Sphinx extension that leaves out what says nothing."""

from typing import Any

from sphinx.application import Sphinx

__all__ = ["setup", "skipped"]


def skipped(app: Sphinx, kind: str, name: str, member: object, skip: bool, options: object) -> bool | None:
    """Leave out the fields of named tuples, for which Python makes up a line; their class describes them.

    Returns:
        True to leave a member out, None to decide as if nobody had asked.
    """
    return True if (getattr(member, "__doc__", None) or "").startswith("Alias for field number") else None


def setup(app: Sphinx) -> dict[str, Any]:
    """What Sphinx calls when ``support.book.reference`` stands among its extensions."""
    app.connect("autodoc-skip-member", skipped)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
