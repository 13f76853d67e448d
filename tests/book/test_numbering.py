"""Every figure, table and equation that has a number is referred to, and every figure says what to see in words."""

import re

import pytest

from .toy import ROOT

PAGES = sorted([*(ROOT / "notebooks").glob("*.md"), *(ROOT / "book").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_is_numbered_is_referred_to(page):
    text = page.read_text(encoding="utf-8")
    named = re.findall(r"^(?: +name: (?=fig-|table-)|:name: )([\w-]+)", text, re.MULTILINE)
    equations = re.findall(r"^:label: ([\w-]+)", text, re.MULTILINE)
    assert [name for name in named if not re.search(rf"\{{numref\}}`[^`]*{name}[>`]", text)] == []
    assert [name for name in equations if f"{{eq}}`{name}`" not in text] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_figure_and_table_has_a_caption_and_each_picture_words_for_those_who_do_not_see_it(page):
    text = page.read_text(encoding="utf-8")
    for cell in re.findall(r"^---\nmystnb:\n(.*?)^---\n", text, re.MULTILINE | re.DOTALL):
        if "figure:" in cell:
            assert "caption:" in cell, cell
            above = "name: table-" in cell
            assert ("caption_before: true" in cell) == above, cell
            assert above or re.search(r"^ +alt: \S", cell, re.MULTILINE), cell
