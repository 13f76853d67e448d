from fractions import Fraction

from support.notebook import table


def test_a_table_shows_numbers_as_people_read_them():
    shown = table(["a", "b"], [(1_000_000, 0.12345), ("<x>", Fraction(1, 3))])
    assert repr(shown).splitlines() == ["a | b", "1,000,000 | 0.123", "<x> | 1/3"]
    assert "<td>&lt;x&gt;</td><td>1/3</td>" in shown._repr_html_()
