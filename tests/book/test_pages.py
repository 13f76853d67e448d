"""What pages may insert, made from a book whose one chapter has been executed beforehand."""

import json
import re
import tomllib

import nbformat
import pytest
import yaml

from support.book.build import judge_chapters
from support.book.execute import executed_path
from support.book.layout import Book, BookError
from support.book.pages import bars, citation, documents, figures_of, headlines, insertable, launching, told_by
from support.book.reference import PAGES
from support.book.site import substitutions, verdict_table
from support.verdicts.claims import KEY, Registry, measure

from .toy import ROOT, toy_book

DOCUMENT = '[toy]\ncite = "toy2020"\nname = "Toy 2020"\n'


@pytest.fixture
def book(tmp_path):
    book = toy_book(tmp_path)
    row = measure(Registry.load(book.registry)["toy/answer"], 42, games=1_000, seeds=3, note="For -1 & all.").as_json()
    cell = nbformat.v4.new_code_cell("record(...)")
    told = [("share", "0.25"), ("line", "'8,4 > 7,4'")]
    cell.outputs = [
        nbformat.v4.new_output("display_data", {"text/plain": "..."}, metadata={KEY: [row]}),
        *(
            nbformat.v4.new_output(
                "display_data",
                {"application/papermill.record/text/plain": text},
                metadata={"scrapbook": {"name": name}},
            )
            for name, text in told
        ),
        nbformat.v4.new_output("display_data", {"image/svg+xml": "<svg/>", "text/plain": "<a picture>"}),
    ]
    cell.metadata["mystnb"] = {"figure": {"name": "fig-toy"}}
    path = executed_path(book, book.chapter("toy"))
    path.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    return book


def judged(book: Book):
    chapters = book.chapters()
    return chapters, judge_chapters(book, chapters, Registry.load(book.registry))


def test_what_a_chapter_told_is_read_back_as_numbers_and_text(book):
    path = executed_path(book, book.chapter("toy"))
    assert told_by(path) == {"share": 0.25, "line": "8,4 > 7,4"}
    assert figures_of(path) == {"fig-toy": "<svg/>"}


def test_a_claim_can_be_inserted_with_its_numbers_and_its_place(book):
    values = insertable(book, *judged(book))
    claim = values["claim"]["toy/answer"]
    assert (claim["published"], claim["measured"], claim["games"], claim["seeds"]) == ("42", "42", "1,000", "3")
    assert claim["note"] == "For −1 &amp; all."
    assert 'href="../notebooks/01-toy.html#claim-toy-answer"' in claim["verdict"]
    assert "reproduced" in claim["verdict"]
    assert values["told"]["toy"]["share"] == 0.25
    assert values["coin"][58] == "0.133"


def test_counts_are_of_published_claims(book):
    values = substitutions(book, *judged(book))
    assert values["number"]["reproduced"] == values["number"]["digits"] == 1
    assert values["number"]["refuted"] == values["number"]["rate"] == 0
    assert 'href="../book/verdicts.html?verdict=reproduced"' in values["verdict_counts"]
    assert 'href="../book/verdicts.html?chapter=Toy&amp;verdict=reproduced"' in values["verdicts_toy"]
    json.dumps(values)  # the staged configuration is plain data


def test_a_row_of_verdicts_leads_to_the_measurement_and_to_the_document(book):
    (chapter,), records = judged(book)
    assert "toy2020" not in verdict_table(chapter, records, {})
    (book.root / "book/documents.toml").write_text(DOCUMENT)
    table = verdict_table(chapter, records, documents(book))
    assert 'href="../notebooks/01-toy.html#claim-toy-answer"' in table
    assert 'href="../book/references.html#ref-toy2020">Toy 2020</a>: page 1' in table
    assert 'data-verdict="reproduced" data-kind="digits"' in table


def test_bars_are_computed_and_a_number_that_is_not_there_stops_the_build(book):
    path = book.root / "book/headlines.toml"
    assert headlines(book, {}) == {}
    path.write_text('[toy]\ntitle = "T"\ncaption = "C"\nbars = [["a", "{{ 100 * told.toy.share }}"], ["b*", "50"]]\n')
    drawn = headlines(book, insertable(book, *judged(book)))["bars_toy"]
    assert "width:50.0%" in drawn
    assert '<tr class="exact"><th scope="row">b</th>' in drawn
    path.write_text('[toy]\ntitle = "T"\ncaption = "C"\nbars = [["a", "{{ told.toy.nothing }}"]]\n')
    with pytest.raises(BookError, match=r"headlines.toml: toy: .*nothing"):
        headlines(book, insertable(book, *judged(book)))


def test_bars_of_nothing_and_of_numbers_without_end():
    assert "width:0.4%" in bars("T", [("a", "0")], "C")
    assert "width:0%" in bars("T", [("a", "nan"), ("b", "1")], "C")


def test_every_document_stands_in_the_references_and_every_chapter_is_known():
    references = (ROOT / "book/references.bib").read_text()
    chapters = {chapter.slug for chapter in Book(ROOT).chapters()}
    for slug, document in documents(Book(ROOT)).items():
        assert slug in chapters
        assert f"{{{document['cite']}," in references


def test_the_citation_is_valid_and_of_this_version():
    about = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert about["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(about)
    assert set(about) <= {
        "cff-version", "message", "title", "type", "version", "authors", "license", "keywords", "abstract",
    }  # fmt: skip
    assert about["authors"] == [{"name": "The contributors of Learned and Checked"}]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert about["version"] == version
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
    entry = citation(Book(ROOT))["cite_bibtex"]
    assert "{{The contributors of Learned and Checked}}" in entry
    assert f"version = {{{version}}}" in entry


def test_a_book_without_a_citation_has_none(book):
    assert citation(book) == {}


def test_launch_buttons_need_the_address_of_a_repository():
    config = yaml.safe_load((ROOT / "_config.yml").read_text())
    assert "no buttons" in launching(config)["launching"]
    theme = config["sphinx"]["config"]["html_theme_options"]
    assert not {"launch_buttons", "repository_url"} & set(theme)
    config["repository"] = {"url": "https://example.org/book"}
    inserts = launching(config)
    assert "https://example.org/book" in inserts["colab_cell"]
    assert theme["repository_branch"] == "main"
    assert set(theme["launch_buttons"]) == {"notebook_interface", "binderhub_url", "colab_url"}


def test_every_page_stands_in_the_contents_and_no_other():
    contents = set(re.findall(r"book/([\w-]+)", (ROOT / "_toc.yml").read_text()))
    assert contents == {path.stem for path in (ROOT / "book").glob("*.md")} | {f"api-{name}" for name in PAGES}
