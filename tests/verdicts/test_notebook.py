from fractions import Fraction

import numpy as np
import pytest

from support.verdicts.notebook import table, tell


def test_a_row_that_does_not_fit_is_named():
    with pytest.raises(ValueError, match="row 2 of the table has 1 cells, its header 2"):
        table(["a", "b"], [(1, 2), (3,)])


def test_columns_of_words_are_kept_apart_from_columns_of_numbers():
    html = table(["who", "what", "gain"], [("one", "bets", -0.5), ("two", "folds", -0.0001)])._repr_html_()
    assert '<th scope="col" class="words">what</th><th scope="col">gain</th>' in html
    assert '<td class="words">folds</td><td>0.000</td>' in html
    assert "<td>−0.500</td>" in html


def test_a_table_shows_numbers_as_people_read_them():
    shown = table(["a", "b"], [(1_000_000, 0.12345), ("<x>", Fraction(1, 3))])
    assert repr(shown).splitlines() == ["a | b", "1,000,000 | 0.123", "<x> | 1/3"]
    assert "<td>&lt;x&gt;</td><td>1/3</td>" in shown._repr_html_()


def test_what_is_told_is_numbers_and_text_with_true_minus_signs(monkeypatch):
    told = {}
    monkeypatch.setattr("myst_nb.glue", lambda name, value, display: told.update({name: value}))
    tell(
        half=Fraction(-1, 2),
        count=np.int64(3),
        share=0.25,
        exact=str(Fraction(-1, 36)),
        line="8,4 > 7-4",
        name="call-or-raise",
    )
    assert told == {
        "half": -0.5,
        "count": 3,
        "share": 0.25,
        "exact": "−1/36",
        "line": "8,4 > 7-4",
        "name": "call-or-raise",
    }
