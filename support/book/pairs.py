"""The two halves of a chapter, kept in step: MyST text for people, a notebook without outputs for machines."""

import hashlib
import shutil
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from jupytext.compare import NotebookDifference, compare_notebooks

from support.book.layout import Book, BookError, Chapter

KEPT_METADATA = ("jupytext", "kernelspec")


def notebook_from_text(text: Path) -> str:
    """The notebook that belongs to a MyST file, as JSON: a pure function of the text, cell ids included."""
    notebook = jupytext.reads(text.read_text(encoding="utf-8-sig"), fmt="md:myst")
    notebook.metadata = {key: notebook.metadata[key] for key in KEPT_METADATA if key in notebook.metadata}
    seen: Counter[str] = Counter()
    for cell in notebook.cells:
        digest = hashlib.sha256(f"{cell.cell_type}{cell.source}".encode()).hexdigest()[:10]
        cell["id"] = f"{digest}-{seen[digest]}"
        seen[digest] += 1
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    written: str = nbformat.writes(notebook)
    return written + "\n"


def check_pairs(chapters: list[Chapter]) -> None:
    """Raise an error unless every notebook is the one that its text gives.

    Raises:
        BookError: the message has, for each pair out of step, its name and the first difference.
    """
    faults = []
    for chapter in chapters:
        expected, actual = notebook_from_text(chapter.text), chapter.notebook.read_text(encoding="utf-8")
        if expected != actual:
            faults.append(f"{chapter.slug}: the pair is out of step: {_difference(expected, actual)}; run 'make pair'")
    if faults:
        raise BookError("\n".join(faults))


def _difference(expected: str, actual: str) -> str:
    try:
        there = nbformat.reads(actual, as_version=4)
    except Exception as error:  # nbformat raises many kinds; all mean the same here
        return f"the notebook cannot be read ({error})"
    if any(cell.get("outputs") for cell in there.cells):
        return "the notebook holds outputs"
    try:
        compare_notebooks(there, nbformat.reads(expected, as_version=4), fmt="md:myst", raise_on_first_difference=True)
    except NotebookDifference as difference:
        return " ".join(str(difference).split())[:300]
    return "the notebook differs in its metadata or cell ids"


def sync(book: Book) -> list[str]:
    """Bring the halves in step; the half that was changed last gives the content, and the notebook loses its outputs.

    Returns:
        The names of the files written.

    Raises:
        BookError: a notebook that was changed last cannot be read.
    """
    written = []
    folder = book.root / "notebooks"
    for stem in sorted({path.stem for ending in ("*.md", "*.ipynb") for path in folder.glob(ending)}):
        text, notebook = folder / f"{stem}.md", folder / f"{stem}.ipynb"
        if not text.exists() or (notebook.exists() and _edited_later(notebook, text)):
            text.write_text(_text_of(_read(notebook), text), encoding="utf-8")
            written.append(text.name)
        expected = notebook_from_text(text)
        if not notebook.exists() or notebook.read_text(encoding="utf-8") != expected:
            notebook.write_text(expected, encoding="utf-8")
            written.append(notebook.name)
    return written


def _text_of(notebook: Any, text: Path) -> str:
    """The MyST text of a notebook; where an older text exists, it stays to the letter wherever the notebook agrees.

    jupytext would write the options of every cell in a form of its own. So only what the notebook changes in that form
    is merged into the older text, by git; if that is no longer the notebook's text, jupytext's own is taken.
    """
    new: str = jupytext.writes(notebook, fmt="md:myst")
    if not text.exists() or not shutil.which("git"):
        return new
    paired = jupytext.reads(notebook_from_text(text), fmt="ipynb")
    versions = text.read_text(encoding="utf-8-sig"), jupytext.writes(paired, fmt="md:myst"), new
    with tempfile.TemporaryDirectory() as folder:
        names = [Path(folder, f"{number}.md") for number in range(len(versions))]
        for name, version in zip(names, versions, strict=True):
            name.write_text(version, encoding="utf-8")
        done = subprocess.run(["git", "merge-file", "-p", "--theirs", *names], capture_output=True, check=False)
    merged = done.stdout.decode("utf-8")
    return merged if done.returncode == 0 and _same(jupytext.reads(merged, fmt="md:myst"), notebook) else new


def _read(notebook: Path) -> Any:
    try:
        return jupytext.read(notebook)
    except Exception as error:  # as above
        said = f"notebooks/{notebook.name} cannot be read ({error})"
        raise BookError(f"{said}; delete it, and 'make pair' writes it anew from its text") from None


def _edited_later(notebook: Path, text: Path) -> bool:
    """Whether the notebook is the newer half and differs from the text."""
    if notebook.stat().st_mtime <= text.stat().st_mtime:
        return False
    return not _same(_read(notebook), jupytext.read(text, fmt="md:myst"))


def _same(one: Any, other: Any) -> bool:
    try:
        compare_notebooks(one, other, fmt="md:myst")
    except NotebookDifference:
        return False
    return True
