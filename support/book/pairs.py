"""The two halves of a chapter, kept in step: MyST text for people, a notebook without outputs for machines."""

import hashlib
import json
import re
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
OTHER_SCALE = r'^scale = (?!"published")\S+'


def notebook_from_text(text: Path) -> str:
    """The notebook that belongs to a MyST file, as JSON: a pure function of the text, cell ids included."""
    notebook = jupytext.reads(text.read_text(encoding="utf-8-sig"), fmt="md:myst")
    notebook.metadata = {key: notebook.metadata[key] for key in KEPT_METADATA if key in notebook.metadata}
    for cell, name in zip(notebook.cells, _ids(notebook), strict=True):
        cell["id"] = name
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    written: str = nbformat.writes(notebook)
    return written + "\n"


def _ids(notebook: Any) -> list[str]:
    """The id of each cell, a digest of what it holds. An editor keeps ids, so they say what the cells held before."""
    seen: Counter[str] = Counter()
    ids = []
    for cell in notebook.cells:
        options = json.dumps(cell.metadata, sort_keys=True) if cell.metadata else ""
        digest = hashlib.sha256(f"{cell.cell_type}{cell.source}{options}".encode()).hexdigest()[:10]
        ids.append(f"{digest}-{seen[digest]}")
        seen[digest] += 1
    return ids


def check_pairs(chapters: list[Chapter]) -> None:
    """Raise an error unless every notebook is the one that its text gives, and asks for the published scale.

    Raises:
        BookError: the message has, for each pair out of step, its name and the first difference, and for each chapter
            that sets another scale, what sets it here.
    """
    faults = []
    for chapter in chapters:
        expected, actual = notebook_from_text(chapter.text), chapter.notebook.read_text(encoding="utf-8")
        if expected != actual:
            faults.append(f"{chapter.slug}: the pair is out of step: {_difference(expected, actual)}; run 'make pair'")
        for cell in nbformat.reads(expected, as_version=4).cells:
            set_here = "parameters" in cell.metadata.get("tags", ()) and re.search(
                OTHER_SCALE, cell.source, re.MULTILINE
            )
            if set_here:
                faults.append(
                    f"{chapter.slug}: its first code cell has '{set_here[0]}', which counts in JupyterLab alone; write "
                    "'scale = \"published\"' there, and ask here for another with --scale (SCALE=small with make)"
                )
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
    """Bring the halves in step; the half that was changed gives the content, and the notebook loses its outputs.

    Returns:
        The names of the files written.

    Raises:
        BookError: both halves were changed, or a notebook that was changed cannot be read.
    """
    written = []
    folder = book.root / "notebooks"
    for stem in sorted({path.stem for ending in ("*.md", "*.ipynb") for path in folder.glob(ending)}):
        text, notebook = folder / f"{stem}.md", folder / f"{stem}.ipynb"
        if not text.exists() or (notebook.exists() and _was_edited(notebook, text)):
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


def _was_edited(notebook: Path, text: Path) -> bool:
    """Whether the notebook differs from the text because somebody changed the notebook, and nobody the text."""
    try:
        there = _read(notebook)
    except BookError:
        if notebook.stat().st_mtime > text.stat().st_mtime:
            raise
        return False  # it is written anew
    written = jupytext.reads(text.read_text(encoding="utf-8-sig"), fmt="md:myst")
    if _same(there, written):
        return False
    ids, of_text = [cell.get("id") for cell in there.cells], _ids(written)
    if ids == _ids(jupytext.reads(jupytext.writes(there, fmt="md:myst"), fmt="md:myst")):  # at most, cells were removed
        younger = notebook.stat().st_mtime > text.stat().st_mtime
        return younger and set(ids) <= set(of_text) and _is_committed(text)
    if set(of_text) <= set(ids) or _is_committed(text):
        return True
    raise BookError(
        f"{text.stem}: the text and the notebook have both changed since they were in step; delete the half that you "
        f"do not want to keep, and 'make pair' writes it anew from the other"
    )


def _is_committed(text: Path) -> bool:
    """Whether git has the text as it is, so that nobody has changed it and nothing can be lost."""
    asked = ["git", "-C", str(text.parent), "diff", "--quiet", "HEAD", "--", text.name]
    return bool(shutil.which("git")) and subprocess.run(asked, capture_output=True, check=False).returncode == 0


def _same(one: Any, other: Any) -> bool:
    try:
        compare_notebooks(one, other, fmt="md:myst")
    except NotebookDifference:
        return False
    return True
