"""The book on paper: printed from the built site, whole, in order, with nothing of the screen left on it."""

import os
import re
import subprocess
import sys
from collections import Counter

import pytest
from pypdf import PdfReader
from pypdfium2 import PdfDocument

from support.book.layout import Book, BookError
from support.book.pdf import join_pages, parts_of, print_book
from website.browser import ROOT

BOOK = Book(ROOT)
PAGES = [name for part in parts_of(BOOK) for name in part.pages]


def solid(text):
    """Without spaces, some of which are lost on paper: there letters are put where they stand, and no more."""
    return re.sub(r"[\s\u2060]", "", text)


def printing(**environment):
    """``support pdf`` in a process of its own: this one may have a browser open, and the driver allows no second."""
    command = [sys.executable, "-m", "support", "pdf"]
    return subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False, timeout=600
    )


@pytest.fixture(scope="module")
def printed():
    done = printing()
    assert done.returncode == 0, done.stderr
    return PdfReader(BOOK.build / "learned-and-checked.pdf")


@pytest.fixture(scope="module")
def texts(printed):
    """What stands on each page, by its lines: on nearly all, first the number and the running head."""
    with PdfDocument(BOOK.build / "learned-and-checked.pdf") as paper:
        return [page.get_textpage().get_text_bounded() for page in paper]


@pytest.fixture(scope="module")
def joined():
    return join_pages(BOOK)


def test_no_page_is_empty(printed, texts):
    """The last page of a part may be short, but shows something below its running head and number."""
    assert len(texts) > 100
    below = [solid("".join(text.splitlines()[2:])) for text in texts]
    tops = [one for one in printed.outline if not isinstance(one, list)]
    ends = {printed.get_destination_page_number(one) - 1 for one in tops} | {len(texts) - 1}
    assert [i + 1 for i, rest in enumerate(below) if len(rest) < 60 and i not in ends] == []
    assert [i + 1 for i, rest in enumerate(below) if not rest] == []


def test_pages_are_numbered_but_for_the_title_page(texts):
    assert "1" not in texts[0].splitlines()
    assert all(re.search(rf"\b{i}\b", text) for i, text in enumerate(texts[1:], 2))


def test_every_page_of_the_site_is_in_the_outline_and_starts_a_page(printed, texts, joined):
    titles = [solid(re.sub("<[^>]+>", "", h1)) for h1 in re.findall(r"<h1[^>]*>(.*?)</h1>", joined, re.S)]
    assert len(titles) == len(PAGES) + 1
    tops = [one for one in printed.outline if not isinstance(one, list)]
    assert [solid(one.title) for one in tops] == titles
    starts = [printed.get_destination_page_number(one) for one in tops]
    assert starts == sorted(set(starts))
    for title, start in zip(titles, starts, strict=True):
        assert title in solid(texts[start])


def test_the_contents_and_the_index_have_the_numbers_of_pages(printed, texts):
    tops = [one for one in printed.outline if not isinstance(one, list)]
    starts = {solid(one.title): printed.get_destination_page_number(one) for one in tops}
    contents = solid("".join(texts[starts["Contents"] : starts["LearnedandChecked"]]))
    for title, start in starts.items():
        assert title == "Contents" or f"{title}{start + 1}" in contents
    index = "\n".join(texts[starts["Index"] : starts["Howtocite"]])
    assert not re.search(r"(?<!\d,)\b000\b", index)


def test_identifiers_are_unique_and_every_link_leads_somewhere(joined):
    places = Counter(re.findall(r'\sid="([^"]+)"', joined))
    assert [place for place, times in places.items() if times > 1] == []
    assert set(re.findall(r'href="#([^"]+)"', joined)) <= set(places)
    assert re.findall(r'<a [^>]*href="(?!#|https?:|mailto:)[^"]*"', joined) == []


def test_nothing_of_the_screen_is_left(joined, texts):
    body = joined.partition("<body>")[2]
    for only_screen in ("<script", "<button", "<details", "<summary", "headerlink", 'id="play"', "Show code cell"):
        assert only_screen not in body
    whole = "\n".join(texts)
    assert "Papercannotplay" in solid(whole)
    assert "Nosquareismarkedyet." in solid(whole), "a live picture was not drawn"
    assert "needsJavaScript" not in solid(whole)
    equations = re.findall("<math.*?</math>", body, re.S)
    assert len(equations) > 50
    assert [equation for equation in equations if "\\" in equation] == []
    said = re.sub(r"re\.compile\(.{0,200}", "", whole, flags=re.S)  # the reference shows such signs of patterns
    assert not re.search(r"\\\(|\\\[|\\frac|\\sum", said), "an equation was not set"


def test_without_a_site_or_a_browser_the_message_says_so(tmp_path):
    with pytest.raises(BookError, match="run 'make book' first"):
        print_book(Book(tmp_path))
    done = printing(CHROMIUM=str(tmp_path / "none"))
    assert done.returncode == 1
    assert "install it" in done.stderr
