"""The one way through: pairs, execution, verdicts, site."""

import time
from pathlib import Path
from typing import Any

from support.book.execute import execute
from support.book.layout import Book, Chapter
from support.book.pairs import check_pairs
from support.book.results import judge_chapters, write_results
from support.book.site import build_site
from support.claims import Registry

__all__ = ["build_book", "run_chapter"]


def build_book(book: Book, force: bool = False) -> Path:
    """Execute what changed, judge every verdict and build the site.

    Args:
        book: the folder and the scale.
        force: execute every chapter anew.

    Returns:
        The landing page of the finished site.

    Raises:
        BookError, ClaimError: what stands in the way, with the chapter and the values.
    """
    began = time.monotonic()
    registry, chapters = Registry.load(book.registry), book.chapters()
    check_pairs(chapters)
    execute(book, chapters, registry, force)
    records = judge_chapters(book, chapters, registry)
    write_results(book, records)
    print(f"verdicts: all {len(records)} are the ones we stand behind; building the site ...", flush=True)
    page = build_site(book, chapters, records)
    print(f"built in {time.monotonic() - began:.0f} s", flush=True)
    return page


def run_chapter(book: Book, slug: str, force: bool = False) -> tuple[Chapter, list[dict[str, Any]]]:
    """Execute one chapter and judge its claims; the site and the results file stay as they are."""
    registry, chapter = Registry.load(book.registry), book.chapter(slug)
    check_pairs([chapter])
    execute(book, [chapter], registry, force)
    return chapter, judge_chapters(book, [chapter], Registry(registry.of(slug)))
