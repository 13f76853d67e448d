"""What settings of agents may be: checks that name the field, what it may be, and what it is."""

from collections.abc import Iterable


def require_one_of(name: str, value: object, known: Iterable[str]) -> None:
    """Raise an error unless a field has one of the known values.

    Raises:
        ValueError: it has another.
    """
    known = tuple(known)
    if value not in known:
        raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}")


def require_flag(name: str, value: object) -> None:
    """Raise an error unless a field is True or False; a number that equals one of them is not.

    Raises:
        ValueError: it is something else.
    """
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, not {value!r}")


def require_whole(name: str, value: object, least: int, most: int) -> None:
    """Raise an error unless a field is a whole number from ``least`` to ``most``, both included.

    Raises:
        ValueError: it is something else; True and False are.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise ValueError(f"{name} must be a whole number from {least:,} to {most:,}, not {value!r}")


def require_number(name: str, value: object, least: float, most: float) -> None:
    """Raise an error unless a field is a number from ``least`` to ``most``, both included.

    Raises:
        ValueError: it is something else; True, False and nan are.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g}, not {value!r}")
