"""The reference of the package: what stands in it, and how it reads the docstrings of constants."""

import re
from types import SimpleNamespace

import pytest
from sphinx.ext.napoleon import Config, GoogleDocstring

from support.book import reference
from support.book.reference import as_text, skipped, write_pages
from support.games.biscuits.rules import Biscuits
from support.games.wild_ones.listener import Key


def write(package, files):
    for name, line in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(f'"""{line}"""\n')


def test_a_page_has_what_lies_in_its_folder(tmp_path, monkeypatch):
    package = tmp_path / "toy"
    write(
        package,
        {"core/__init__.py": "Core.", "core/b.py": "B.", "core/a.py": "A: one,\nand more.", "core/a_fast.py": ""},
    )
    write(
        package, {"games/__init__.py": "All.", "games/two_cups/__init__.py": "A room.", "games/two_cups/rules.py": "R."}
    )
    write(package, {"games/two_cups/experiments/__init__.py": "E.", "games/two_cups/table.py": "T.", "solve.py": "S."})
    write(
        package, {"games/wild_ones/__init__.py": "A room with a page of its own.", "games/wild_ones/dqn/rules.py": "W."}
    )
    write(package, {"judge.py": "J.", "sweep/__init__.py": "Sweeps.", "sweep/engine.py": "Not here."})
    monkeypatch.setattr(reference, "PACKAGE", package)
    write_pages(tmp_path)
    pages = {name: (tmp_path / f"api-{name}.md").read_text() for name in reference.PAGES}
    shown = {name: re.findall(r"automodule:: toy\.(\S+)", page) for name, page in pages.items()}
    games = ["games", "games.two_cups", "games.two_cups.rules"]
    assert shown == {
        "core": ["core", "core.a", "core.b"],
        "games": games,
        "call-or-raise": [],
        "wild-ones": ["games.wild_ones", "games.wild_ones.dqn.rules"],
        "exact": ["solve", "judge"],
        "sweep": ["sweep"],
        "learners": [],
        "verdicts": [],
    }
    assert "* :py:mod:`toy.core.a`: A: one,\n* :py:mod:`toy.core.b`: B.\n```\n" in pages["core"]
    headings = re.findall("^#.*", pages["games"], re.M)
    assert headings == [
        "# The games",
        "## `games`",
        "## Two cups",
        "### `games.two_cups`",
        "### `games.two_cups.rules`",
    ]


def test_the_reference_of_this_package_has_every_floor(tmp_path):
    write_pages(tmp_path)
    for name, module in [
        ("core", "core.interface"),
        ("call-or-raise", "games.call_or_raise.rules"),
        ("wild-ones", "games.wild_ones.rules"),
        ("learners", "learners.cfr"),
        ("exact", "judge"),
        ("verdicts", "verdicts.claims"),
        ("sweep", "sweep"),
    ]:
        assert f".. automodule:: support.{module}\n" in (tmp_path / f"api-{name}.md").read_text()


@pytest.mark.parametrize(
    ("member", "answer"),
    [(Key.place, True), (Key.bids, True), (Key, None), (Biscuits.initial_state, None), (3, None)],
)
def test_only_fields_of_named_tuples_are_left_out(member, answer):
    assert skipped(SimpleNamespace(), "class", "member", member, False, None) is answer


@pytest.mark.parametrize("kind", ["data", "attribute", "property"])
def test_a_colon_in_the_docstring_of_a_value_names_no_type(kind):
    first = "Two ways: one, and another."
    lines = [first, ""]
    assert first not in str(GoogleDocstring(list(lines), Config(), what=kind, name="WAYS"))
    as_text(SimpleNamespace(), kind, "WAYS", ("one", "another"), None, lines)
    assert first in str(GoogleDocstring(lines, Config(), what=kind, name="WAYS"))


def test_other_docstrings_stay_as_they_are():
    lines = ["A function.", ""]
    as_text(SimpleNamespace(), "function", "f", print, None, lines)
    assert lines == ["A function.", ""]
