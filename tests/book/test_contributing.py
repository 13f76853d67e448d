"""What CONTRIBUTING.md and README.md promise: the recipe for a chapter, followed on a toy book, and the counts."""

import json
import re
from collections import Counter
from dataclasses import replace

import pytest
import yaml

from support.book.build import build_book, run_chapter
from support.book.layout import Book, BookError
from support.book.pages import documents
from support.book.pairs import sync
from support.games import GAMES
from support.verdicts.claims import Registry

from .toy import CHAPTER, HEAD, ROOT, toy_book

pytestmark = pytest.mark.usefixtures("here")
NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
RECIPE = (ROOT / "CONTRIBUTING.md").read_text()
CLAIM = """
[[claim]]
id = "ten-coins/mean"
kind = "rate"
text = "Ten coins show five heads on average."
published = "5.2"
verdict = "reproduced"
source = "page 2"
"""
CODE = """from support.verdicts.claims import record

judged = {"surprise": 0.4, "control": 0.01}
record("ten-coins/mean", 5.0, **judged, games=1000, seeds=10, interval=(4.9, 5.1), interval_kind="mean")"""


def test_a_chapter_is_added_as_the_recipe_says(tmp_path, capfd):
    (name,) = set(re.findall(r"notebooks/(\d\d-ten-coins)", RECIPE))
    for step in ("book/claims.toml", "book/documents.toml", "book/references.bib", "_toc.yml", "make pair"):
        assert step in RECIPE
    assert "support run ten-coins-evidence --scale small" in RECIPE
    book = toy_book(tmp_path)
    (insert,) = re.findall(r"`(\{\{ claim\[\S+\]\.measured \}\})`", RECIPE)
    story = HEAD + CHAPTER.format(code="2 + 2").replace("# Toy", "# Ten coins") + f"\nOn average {insert} heads.\n"
    evidence = HEAD + CHAPTER.format(code=CODE).replace("# Toy", "# Ten coins: the evidence")
    (tmp_path / f"notebooks/{name}.md").write_text(story)
    (tmp_path / f"notebooks/{name}-evidence.md").write_text(evidence)
    with (tmp_path / "book/claims.toml").open("a") as claims:
        claims.write(CLAIM)
    listed = '[{}]\ncite = "coins"\nname = "{} 2026"\n'
    (tmp_path / "book/documents.toml").write_text("\ufeff" + listed.format("toy", "Toy"), encoding="utf-8")
    with (tmp_path / "book/references.bib").open("a") as references:
        references.write("@misc{coins, author = {Somebody}, title = {Ten coins}, year = {2026}}\n")
    with (tmp_path / "_toc.yml").open("a") as contents:
        contents.write(f"  - file: notebooks/{name}\n    sections:\n      - file: notebooks/{name}-evidence\n")
    assert sync(book) == [f"{name}.ipynb", f"{name}-evidence.ipynb"]

    for build in (build_book, lambda book: run_chapter(book, "ten-coins-evidence")):
        with pytest.raises(BookError, match=r"^ten-coins: book/documents\.toml has no entry of this name"):
            build(replace(book, scale="small"))
    with (tmp_path / "book/documents.toml").open("a") as documents:
        documents.write(listed.format("ten-coins", "Coins"))
    _, (row,) = run_chapter(replace(book, scale="small"), "ten-coins-evidence")
    assert row["verdict"] == "reproduced"
    page = build_book(book)
    assert "On average 5.0 heads." in (page.parent / f"notebooks/{name}.html").read_text()
    assert 'id="claim-ten-coins-mean"' in (page.parent / f"notebooks/{name}-evidence.html").read_text()
    table = (page.parent / "book/verdicts.html").read_text()
    assert f'href="../notebooks/{name}-evidence.html#claim-ten-coins-mean"' in table
    assert "Coins 2026" in table
    assert [row["id"] for row in json.loads(book.results.read_text())["claims"]] == ["toy/answer", "ten-coins/mean"]


def test_the_folders_it_names_are_there():
    for folder in re.findall(r"^- `(\w+)/`", RECIPE, re.MULTILINE):
        assert (ROOT / folder).is_dir(), folder
    assert Book(ROOT).registry.exists()


def test_the_readme_counts_the_verdicts_as_the_registry_does():
    claims = [claim for claim in Registry.load(Book(ROOT).registry).values() if claim.asked_by == "author"]
    found = Counter(claim.verdict for claim in claims)
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert (
        f"The authors' {len(claims)} claims: {found['reproduced']} reproduced, {found['confirmed']} confirmed, "
        f"{found['differs']} different, {found['refuted']} refuted as they were written, "
        f"{found['undecided']} undecided, {found['not comparable']} running times that cannot be "
        f"compared, and {found['answered']} questions"
    ) in readme


def test_the_readme_and_the_landing_page_name_and_count_the_games_as_the_registry_does():
    titles = [entry.title for entry in GAMES.values() if entry.chapter]
    number, people = (NUMBERS[len(some) - 2] for some in (titles, documents(Book(ROOT))))
    many, taught = number.capitalize(), f"{people.capitalize()} people taught"
    readme, landing = ((ROOT / page).read_text() for page in ("README.md", "book/index.md"))
    named = f"The {number} games are {', '.join(f'*{title}*' for title in titles[:-1])} and *{titles[-1]}*"
    every = [entry.title for entry in GAMES.values()]
    for counted in (named, taught, f"All {number} games", *every):
        assert counted in " ".join(readme.split()), f"README.md counts and names the games: '{counted}'"
    assert re.findall(r"^### (.*)$", landing, re.MULTILINE) == titles, "book/index.md has a heading for each game"
    for counted in (taught, f"## {many} games, {number} questions", f"any of the {number} games"):
        assert counted in landing, f"book/index.md counts the games: '{counted}'"


def test_the_workflow_runs_what_the_readme_promises():
    workflow = yaml.safe_load((ROOT / ".github/workflows/book.yml").read_text())
    assert {"run": ".ci/run"} in workflow["jobs"]["build"]["steps"]
    assert (ROOT / ".ci/run").stat().st_mode & 0o111
