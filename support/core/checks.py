"""Settings that check themselves: an error names the field, what its type allows, and the value it was given."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, dataclass_transform

from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass as checked_dataclass

from support.core.screen import shown

T = TypeVar("T")
CONFIG = ConfigDict(strict=True, arbitrary_types_allowed=True, allow_inf_nan=False, extra="forbid")
MAY_BE = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "string_type": "text",
    "tuple_type": "a tuple",
    "finite_number": "a finite number",
    "is_instance_of": "a {class}",
    "dataclass_type": "a {class_name}",
    "dataclass_exact_type": "a {class_name}",
    "literal_error": "one of {expected}",
    "greater_than": "above {gt}",
    "greater_than_equal": "at least {ge}",
    "less_than": "below {lt}",
    "less_than_equal": "at most {le}",
    "too_short": "at least {min_length} long",
    "too_long": "at most {max_length} long",
}
"""What a field may be, by pydantic's name for the fault; other faults keep pydantic's own words."""
OTHERWISE = "Input should be "


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field, Field))
def settings(kind: type[T]) -> type[T]:
    """Make a class a frozen dataclass that checks its fields when it is created, without converting them.

    A field's type says what it may be: ``Literal["first", "last"]``, ``Annotated[int, Field(ge=1, le=6)]``, or
    ``Annotated[float, Field(gt=0, le=1)]`` (which also accepts a whole number, and turns it into a float). Numbers must
    be finite, unless the field says ``allow_inf_nan=True``. Checks that involve several fields belong in
    ``__post_init__``. Values that do not fit raise a ``ValueError`` with one sentence for each fault.
    """
    made: Any = checked_dataclass(frozen=True, config=CONFIG)(kind)
    make, names = made.__init__, [field.name for field in dataclasses.fields(made)]

    def init(self: Any, /, *values: Any, **named: Any) -> None:
        try:
            make(self, *values, **named)
        except ValidationError as error:
            raise ValueError("; ".join(_sentence(fault, names) for fault in error.errors())) from None

    made.__init__ = init
    return made  # type: ignore[no-any-return]


def _sentence(fault: Mapping[str, Any], names: Sequence[str]) -> str:
    if fault["type"] in ("value_error", "assertion_error"):  # from a class's own __post_init__
        return str(fault["ctx"]["error"])
    if fault["type"] in ("missing", "unexpected_keyword_argument"):
        return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
    first = fault["loc"][0]  # an index if the value was given by position
    places = "".join(f"[{part}]" for part in fault["loc"][1:] if isinstance(part, int))
    name = f"{names[first] if isinstance(first, int) else first}{places}"
    return sentence_of(name, fault, shown(fault["input"]))


def sentence_of(name: str, fault: Mapping[str, Any], value: str) -> str:
    """What is wrong with a value in which pydantic found a fault, and what it may be.

    Args:
        name: the field.
        fault: one of ``ValidationError.errors()``.
        value: the value as it is printed.
    """
    message = fault["msg"]
    if fault["type"] in MAY_BE:
        may_be = MAY_BE[fault["type"]].format(**fault.get("ctx", {}))
    elif message.startswith(OTHERWISE):
        may_be = message.removeprefix(OTHERWISE)
    else:
        return f"{name}: {message}, not {value}"
    return f"{name} must be {may_be}, not {value}"


def require_one_of(name: str, value: str, known: Iterable[str]) -> str:
    """A field's value, if it is one of the known ones.

    Raises:
        ValueError: the value is not one of them.
    """
    known = tuple(known)
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, not {shown(value)}")
    return value


def part_of(config: Any, kind: type) -> dict[str, Any]:
    """The values that a configuration has for the fields of a smaller one."""
    return {field.name: getattr(config, field.name) for field in dataclasses.fields(kind)}
