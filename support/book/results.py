"""From executed notebooks to verdicts: collect the records, check them against what we stand behind, write the file."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat

from support.book.execute import executed_path
from support.book.exports import claims_body, linked
from support.book.layout import Book, BookError, Chapter
from support.verdicts.claims import KEY, Registry
from support.verdicts.judging import show_value

AT_ANY_SCALE = ("truth", "digits")
"""Kinds of claims whose verdict a smaller scale does not change: the others may need the documents' own numbers."""


def collect(path: Path) -> list[dict[str, Any]]:
    """The records that an executed notebook holds, in the order of its cells."""
    notebook = nbformat.read(path, as_version=4)
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [row for output in outputs for row in output.get("metadata", {}).get(KEY, [])]


def judge_chapters(book: Book, chapters: list[Chapter], registry: Registry) -> list[dict[str, Any]]:
    """All records of the chapters, in the order of the registry, if every claim is measured and every verdict stands.

    Raises:
        BookError: each claim without a measurement, measured twice or in a foreign chapter, and each verdict that is
            not the one we stand behind, with the published and the measured value; at another scale than the
            published one verdicts on truths and digits only.
    """
    binding = book.scale == "published"
    faults: list[str] = []
    records: dict[str, dict[str, Any]] = {}
    slugs = [chapter.slug for chapter in chapters]
    faults += [
        f"{claim.id}: the registry names a chapter that is not there; known are {', '.join(slugs)}"
        for claim in registry.values()
        if claim.chapter not in slugs
    ]
    for chapter in chapters:
        found: dict[str, dict[str, Any]] = {}
        for row in collect(executed_path(book, chapter)):
            if row["chapter"] != chapter.slug or row["id"] not in registry:
                faults.append(f"{chapter.slug}: it records {row['id']}, which is not a claim of this chapter")
            elif row["id"] in found:
                faults.append(f"{chapter.slug}: the claim {row['id']} is measured twice")
            found[row["id"]] = row
        for claim in registry.of(chapter.slug):
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


@contextlib.contextmanager
def results_written(book: Book, records: list[dict[str, Any]]) -> Iterator[None]:
    """Write the results file beside its place, and put it there in one piece if what is done meanwhile succeeds."""
    book.results.parent.mkdir(parents=True, exist_ok=True)
    scratch = book.results.with_suffix(f".{os.getpid()}.tmp")
    try:
        scratch.write_text(
            json.dumps(claims_body(book, records), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        yield
        scratch.replace(book.results)
    finally:
        scratch.unlink(missing_ok=True)
