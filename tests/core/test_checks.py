from dataclasses import FrozenInstanceError, asdict, fields, replace
from fractions import Fraction
from typing import Annotated, Literal

import pytest
from pydantic import Field

from support.core.checks import settings


@settings
class Inner:
    share: Fraction = Fraction(1, 2)


@settings
class Outer:
    """A learner's settings."""

    alpha: Annotated[float, Field(gt=0, le=1)] = 0.5
    games: Annotated[int, Field(ge=0, lt=2**62)] = 10
    ties: Literal["first", "last"] = "first"
    slip: bool = False
    pair: tuple[Annotated[float, Field(ge=0, le=1)], float] = (0.05, 0.05)
    start: float = 1.0
    far: Annotated[float, Field(allow_inf_nan=True)] = float("inf")
    name: str = ""
    inner: Inner = Inner()

    def __post_init__(self):
        if self.slip and self.games == 0:
            raise ValueError("without games nothing can slip")


def test_settings_are_frozen_dataclasses():
    made = Outer(alpha=1, games=3)
    assert [field.name for field in fields(Outer)][:2] == ["alpha", "games"]
    assert made == replace(Outer(), alpha=1.0, games=3)
    assert hash(made) == hash(replace(made))
    assert asdict(made)["inner"] == {"share": Fraction(1, 2)}
    assert isinstance(made.alpha, float)
    with pytest.raises(FrozenInstanceError):
        made.alpha = 0.1
    assert Outer.__doc__ == "A learner's settings."


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"alpha": 0}, "alpha must be above 0.0, not 0"),
        ({"alpha": 1.5}, "alpha must be at most 1.0, not 1.5"),
        ({"alpha": "0.5"}, "alpha must be a number, not '0.5'"),
        ({"alpha": float("nan")}, "alpha must be a finite number, not nan"),
        ({"games": -1}, "games must be at least 0, not -1"),
        ({"games": 2**62}, "games must be below 4611686018427387904, not 4611686018427387904"),
        ({"games": True}, "games must be a whole number, not True"),
        ({"games": 1.0}, "games must be a whole number, not 1.0"),
        ({"ties": "none"}, "ties must be one of 'first' or 'last', not 'none'"),
        ({"slip": 1}, "slip must be true or false, not 1"),
        ({"pair": [0.1, 0.1]}, "pair must be a tuple, not [0.1, 0.1]"),
        ({"pair": (0.1, 0.1, 0.1)}, "pair must be at most 2 long, not (0.1, 0.1, 0.1)"),
        ({"pair": (2, 0.1)}, r"pair[0] must be at most 1.0, not 2"),
        ({"start": float("inf")}, "start must be a finite number, not inf"),
        ({"name": 3}, "name must be text, not 3"),
        ({"inner": 3}, "inner must be a Inner, not 3"),
        ({"slip": True, "games": 0}, "without games nothing can slip"),
        ({"games": "9" * 100}, "99999…"),
        ({"alpha": 0, "games": -1}, "alpha must be above 0.0, not 0; games must be at least 0, not -1"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_an_error_names_the_field_what_it_may_be_and_what_it_is(given, said):
    with pytest.raises(ValueError, match=r".*") as error:
        Outer(**given)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_missing_is_named():
    @settings
    class Named:
        name: str

    with pytest.raises(ValueError, match=r"^name: "):
        Named()
