"""Records as readers see them."""

import pytest

from support.verdicts.judging import show_value

ROW = {"value": None, "published": "", "kind": "rate", "interval_kind": "rate", "games": None, "seeds": None}


@pytest.mark.parametrize(
    ("measured", "interval", "ends"),
    [
        ("of the duels 97.8%", [97.36, 98.34], "97.4% to 98.3%"),
        ("+5.8 points: 28.3% against 22.6%", [-4.5, 56.0], "-4.5 to 56"),
        ("77.0, 18.1, 4.9", [74.18, 79.67], "74.2 to 79.7"),
        ("3206, 427", [3126.0, 3292.0], "3,126 to 3,292"),
    ],
)
def test_an_interval_has_the_form_of_what_it_is_about(measured, interval, ends):
    shown = show_value(ROW | {"measured": measured, "interval": interval})
    assert shown == f"{measured}, 95% interval of the rate {ends}"
