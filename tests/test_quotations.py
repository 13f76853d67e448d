"""Every quotation in the registry and on the pages is one of a list made by hand from the documents."""

import re
import tomllib
from pathlib import Path

import pytest

from support.book.layout import Book
from support.verdicts.claims import Registry

ROOT = Path(__file__).parent.parent
LIST = tomllib.loads((ROOT / "tests" / "quotations.toml").read_text(encoding="utf-8"))
"""By chapter: phrase, to the letter, and where it stands in the document. ``named`` are words that are no quotation."""
PHRASES = {chapter: rows for chapter, rows in LIST.items() if chapter != "named"}
PAGES = [*sorted(ROOT.glob("notebooks/*.md")), *sorted(ROOT.glob("book/*.md")), ROOT / "README.md"]


def quoted(text: str) -> list[str]:
    """What stands between quotation marks in a page's prose, on one line; code and inserted values left out."""
    for pattern in (r"^---\n.*?^---\n", r"^```.*?^```", r"\{\{.*?\}\}", r"`[^`]*`", r"<[^>]*>"):
        text = re.sub(pattern, "", text, flags=re.DOTALL | re.MULTILINE)
    return [re.sub(r"\s+", " ", found) for found in re.findall(r'[“"]([^”"]+)[”"]', text)]


def test_every_claim_of_an_author_is_quoted_to_the_letter_or_has_only_numbers():
    for claim in Registry.load(Book(ROOT).registry).values():
        if claim.quote:
            assert claim.quote in PHRASES[claim.chapter], f"{claim.id}: “{claim.quote}” is not in quotations.toml"
        elif claim.asked_by == "author":
            assert claim.kind in ("digits", "rate"), f"{claim.id}: a {claim.kind} of an author is judged in his words"
        for phrase in re.findall(r"“([^”]+)”", claim.published + claim.text):
            assert any(phrase in known for known in PHRASES[claim.chapter]), f"{claim.id}: “{phrase}”"


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_quotations_on_pages_are_in_the_list(page):
    known = [phrase for rows in PHRASES.values() for phrase in rows]
    for phrase in quoted(page.read_text(encoding="utf-8")):
        parts = [part.strip() for part in phrase.split("…")]  # words left out are marked
        found = phrase in LIST["named"] or any(all(part in one for part in parts) for one in known)
        assert found, f"{page.name}: “{phrase}” is neither a quotation of the list nor a word that is named"


def test_the_list_says_where_each_phrase_stands_and_has_none_to_spare():
    text = " ".join(page.read_text(encoding="utf-8") for page in [*PAGES, Book(ROOT).registry])
    text = re.sub(r"\s+", " ", text)
    for rows in PHRASES.values():
        for phrase, where in rows.items():
            assert where, phrase
            used = any(part.strip() in text for part in phrase.split("…"))
            pieces = [found for found in re.findall(r'[“"]([^”"]+)[”"]', text) if found in phrase]
            assert used or pieces, f"“{phrase}” is quoted nowhere"


def test_a_page_that_quotes_loosely_is_found():
    assert quoted('He says “so it is”, and `"code"`.\n```\n"x"\n```\n') == ["so it is"]
    assert quoted('Over two\nlines "as it\nwere".') == ["as it were"]
