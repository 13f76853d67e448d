"""The reference of the package leaves out what Python says of itself."""

from types import SimpleNamespace

import pytest

from support.agents.wild_ones_table.learned import Estimate
from support.book.reference import skipped
from support.games.biscuits import Biscuits


@pytest.mark.parametrize(
    ("member", "answer"),
    [(Estimate.value, True), (Estimate.visits, True), (Estimate, None), (Biscuits.initial_state, None), (3, None)],
)
def test_only_fields_of_named_tuples_are_left_out(member, answer):
    assert skipped(SimpleNamespace(), "class", "member", member, False, None) is answer
