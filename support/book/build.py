"""The whole build, in order: pairs, execution, verdicts checked against those that we stand behind, results, site."""

import contextlib
import errno
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from filelock import FileLock, Timeout

from support.book.execute import execute, executed_path
from support.book.exports import linked, results_written
from support.book.layout import Book, BookError, Chapter
from support.book.pages import require_documents
from support.book.pairs import check_pairs
from support.book.site import build_site, sources_of, stamp, unchanged
from support.core.screen import unknown
from support.verdicts.claims import KEY, Registry
from support.verdicts.judging import show_value

AT_ANY_SCALE = ("truth", "digits")
"""Kinds of claims whose verdict a smaller scale does not change: the others may need the documents' own numbers."""


def build_book(book: Book, force: bool = False) -> Path:
    """Execute what changed, judge every verdict and build the site.

    Args:
        book: the folder and the scale.
        force: execute every chapter again.

    Returns:
        The landing page of the finished site.

    Raises:
        BookError, ClaimError: the book cannot be built; the message says why, with the chapter and the values.
    """
    began, sources = time.monotonic(), sources_of(book)
    registry, chapters = Registry.load(book.registry), book.chapters()
    check_pairs(chapters)
    require_documents(book, chapters, registry)
    _require_finished(book)
    with _disk_faults(book), _alone(book):
        report = execute(book, chapters, registry, force)
        records = judge_chapters(book, chapters, registry)
        page = book.html / "index.html"
        if not force and unchanged(book, sources):
            print(f"verdicts: all {len(records)} judged; the site stands as it was built", flush=True)
        else:
            print(f"verdicts: all {len(records)} judged; building the site ...", flush=True)
            with results_written(book, records):  # put in place last, so results and site always come from one build
                page = build_site(book, chapters, records)
            report.part("site")
            stamp(book, sources)
            if report.chapters:
                report.write()
    print(f"built in {time.monotonic() - began:.0f} s", flush=True)
    return page


def _require_finished(book: Book) -> None:
    """Raise an error while a file has parts that ``python -m support new`` left to be written."""
    files = [*sorted((book.root / "book").glob("*.toml")), *(book.root / "book").glob("*.bib")]
    files += sorted((book.root / "notebooks").glob("*.md"))
    if faults := [
        f"{file.relative_to(book.root)}, line {number}: '{line.strip()}' is still to be written"
        for file in files
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if "TODO:" in line
    ]:
        raise BookError("\n".join(faults))


@contextlib.contextmanager
def _disk_faults(book: Book) -> Iterator[None]:
    """Report a fault of the disk in one line; the site and the results of the last build stay as they were."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):  # the error may name the file that was read
            raise BookError(f"no space is left for {book.build}; free some, and start the build again") from None
        raise BookError(f"the build stopped: {error}; mend that, and start it again") from None


@contextlib.contextmanager
def _alone(book: Book) -> Iterator[None]:
    """Keep other builds out of the same folder; the lock ends with the process that holds it."""
    book.build.mkdir(parents=True, exist_ok=True)
    lock = FileLock(book.build / ".lock", timeout=0)
    try:
        with lock:
            yield
    except Timeout:
        raise BookError(f"another build is at work in {book.build}; wait for it to end") from None


def run_chapter(book: Book, slug: str, force: bool = False) -> tuple[Chapter, list[dict[str, Any]]]:
    """Execute one chapter and judge its claims; the site and the results file stay as they are."""
    registry, chapter = Registry.load(book.registry), book.chapter(slug)
    check_pairs([chapter])
    require_documents(book, [chapter], registry)
    with _disk_faults(book), _alone(book):
        execute(book, [chapter], registry, force)
    return chapter, judge_chapters(book, [chapter], Registry(registry.of(chapter.claims)))


def collect(path: Path) -> list[dict[str, Any]]:
    """The records that an executed notebook holds, in the order of its cells."""
    notebook = nbformat.read(path, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [row for output in outputs for row in output.get("metadata", {}).get(KEY, [])]


def judge_chapters(book: Book, chapters: list[Chapter], registry: Registry) -> list[dict[str, Any]]:
    """All records of the chapters, in the order of the registry, if every claim is measured and every verdict stands.

    Raises:
        BookError: the message lists each claim without a measurement, measured twice or in another chapter, and each
            verdict that is not the one we stand behind, with the published and the measured value. At a scale other
            than the published one, only the verdicts on truths and digits count.
    """
    binding = book.scale == "published"
    faults: list[str] = []
    records: dict[str, dict[str, Any]] = {}
    slugs = [chapter.claims for chapter in chapters if chapter.claims]
    faults += [
        f"{claim.id}: {unknown('chapter', claim.chapter, slugs, ' with claims')}"
        for claim in registry.values()
        if claim.chapter not in slugs
    ]
    for chapter in chapters:
        found: dict[str, dict[str, Any]] = {}
        for row in collect(executed_path(book, chapter)):
            if row["chapter"] != chapter.claims or row["id"] not in registry:
                faults.append(f"{chapter.slug}: it records {row['id']}, which is not a claim of this chapter")
            elif row["id"] in found:
                faults.append(f"{chapter.slug}: the claim {row['id']} is measured twice")
            found[row["id"]] = row
        for claim in registry.of(chapter.claims):
            if claim.id not in found:
                published = claim.published or "nothing"
                fault = f"the claim {claim.id} has no measurement (published: {published}; measured: nothing)"
                faults.append(f"{chapter.slug}: {fault}")
            elif (binding or claim.kind in AT_ANY_SCALE) and found[claim.id]["verdict"] != claim.verdict:
                faults.append(_changed(found[claim.id]))
        records |= {name: linked(chapter, row) for name, row in found.items()}
    if faults:
        raise BookError("\n".join(faults))
    return [records[name] for name in registry]


def _changed(row: dict[str, Any]) -> str:
    return (
        f"{row['chapter']}: the verdict on {row['id']} is '{row['verdict']}', but we stand behind '{row['stands']}' "
        f"(published: {row['published'] or 'nothing'}; measured: {show_value(row)})"
    )
