"""Every chapter runs at the small scale and measures all of its claims; ``test_stories`` runs the stories."""

import shutil

import pytest

from support.book.build import run_chapter
from support.book.layout import Book
from support.verdicts.claims import Registry

from .toy import ROOT

pytestmark = pytest.mark.usefixtures("here")
CHAPTERS = [chapter.slug for chapter in Book(ROOT).chapters() if chapter.claims]


@pytest.mark.parametrize("slug", CHAPTERS)
def test_a_chapter_at_the_small_scale(tmp_path, slug):
    for name in ("_toc.yml", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    for name in ("notebooks", "book", "benchmarks"):
        shutil.copytree(ROOT / name, tmp_path / name)
    book = Book(tmp_path, "small")
    chapter, records = run_chapter(book, slug)
    assert [row["id"] for row in records] == [claim.id for claim in Registry.load(book.registry).of(chapter.claims)]
