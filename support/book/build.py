"""The one way through: pairs, execution, verdicts, site."""

import contextlib
import errno
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from support.book.execute import execute
from support.book.layout import Book, BookError, Chapter
from support.book.pairs import check_pairs
from support.book.results import judge_chapters, results_written
from support.book.site import build_site
from support.verdicts.claims import Registry


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
    with _disk_told(book), _alone(book):
        execute(book, chapters, registry, force)
        records = judge_chapters(book, chapters, registry)
        print(f"verdicts: all {len(records)} judged; building the site ...", flush=True)
        with results_written(book, records):  # put in place last, so that results and site are always of one build
            page = build_site(book, chapters, records)
    print(f"built in {time.monotonic() - began:.0f} s", flush=True)
    return page


@contextlib.contextmanager
def _disk_told(book: Book) -> Iterator[None]:
    """Say in one line what the disk refused: a build that it stopped leaves the last site and results as they were."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):  # the file that is named may be the one read
            raise BookError(f"no space is left for {book.build}; free some, and start the build again") from None
        raise BookError(f"the build stopped: {error}; mend that, and start it again") from None


@contextlib.contextmanager
def _alone(book: Book) -> Iterator[None]:
    """Let no other build work in the same folder at the same time; the lock goes with the process that holds it."""
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
    with _disk_told(book), _alone(book):
        execute(book, [chapter], registry, force)
    return chapter, judge_chapters(book, [chapter], Registry(registry.of(slug)))
