"""The reference of the package: what it leaves out, and how it reads the docstrings of constants."""

from types import SimpleNamespace

import pytest
from sphinx.ext.napoleon import Config, GoogleDocstring

from support.book.reference import as_text, skipped
from support.games.biscuits.rules import Biscuits
from support.games.wild_ones.listener.learned import Estimate


@pytest.mark.parametrize(
    ("member", "answer"),
    [(Estimate.value, True), (Estimate.visits, True), (Estimate, None), (Biscuits.initial_state, None), (3, None)],
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
