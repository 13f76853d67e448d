"""The design of a sweep: an experiment, its configurations, seeds by place, and all that the records depend on."""

import dataclasses
import hashlib
import importlib
import inspect
import itertools
import json
import math
import platform
import sys
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from support.core.checks import sentence_of
from support.core.screen import shown, unknown
from support.core.seeds import spawn
from support.core.sources import MODULE, sources

Experiment = Callable[[Any, int], Mapping[str, Any]]
LOCK = "requirements.lock"
LARGEST = 100_000_000
"""The most tasks of a sweep, whose seeds and places are held in memory."""
COMPUTE = (
    "learned-and-checked",
    "numpy",
    "numba",
    "scipy",
    "python-flint",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
)
"""The distributions that compute what a record says."""


class DesignError(ValueError):
    """A sweep cannot be run as asked; the message says what is wrong and what is allowed."""


@dataclass(frozen=True)
class Task:
    """One run of the experiment: the numbers of its configuration and of its seed, and the seed itself (64 bits)."""

    setting: int
    replicate: int
    seed: int


@dataclass(frozen=True)
class Design:
    """All that the records of a sweep depend on.

    Args:
        experiment: an importable function of a configuration and a seed.
        settings: the configurations, frozen dataclasses of the type that the experiment takes.
        seeds: the number of seeds of each configuration.
        root: the seed from which all others are spawned.
        place: the place of this sweep below the root, if one root serves several.

    Raises:
        DesignError: no other process can import the experiment, a configuration has another type or an invalid value,
            two are equal, or a number is impossible.
    """

    experiment: Experiment
    settings: tuple[Any, ...]
    seeds: tuple[int, ...]
    root: int = 0
    place: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        kind = configuration_type(self.experiment)
        if not self.settings:
            raise DesignError("a sweep needs at least one configuration")
        # Larger numbers would spawn the seeds of other places.
        if not whole(self.root) or not 0 <= self.root < 2**128:
            raise DesignError(f"the root must be a whole number of at least 0 and below 2^128, not {shown(self.root)}")
        for number in self.place:
            if not whole(number) or not 0 <= number < 2**32:
                raise DesignError(f"a place is made of whole numbers from 0 to 2^32 - 1, not {shown(number)}")
        if len(self.seeds) != len(self.settings):
            raise DesignError(
                f"{len(self.settings)} configurations need as many numbers of seeds, not {shown(self.seeds)}"
            )
        for count in self.seeds:
            if not whole(count) or count < 1:
                raise DesignError(f"the number of seeds must be a whole number of at least 1, not {shown(count)}")
        if self.size > LARGEST:
            raise DesignError(f"a sweep has at most {LARGEST:,} tasks, and with so many seeds this one has more")
        clash = {field.name for field in dataclasses.fields(Task)} & {field.name for field in dataclasses.fields(kind)}
        if clash:
            raise DesignError(
                f"no field of {kind.__name__} may be called {', '.join(sorted(clash))}: records have such a column"
            )
        seen: dict[Any, int] = {}
        for number, setting in enumerate(self.settings):
            if type(setting) is not kind:
                raise DesignError(
                    f"{name_of(self.experiment)} takes a {kind.__name__}, not {type(setting).__name__} "
                    f"(configuration {number})"
                )
            values = {field.name: getattr(setting, field.name) for field in dataclasses.fields(kind) if field.init}
            setting = _checked(kind, values, strict=True)  # turns a 1 given for a float into 1.0
            if setting in seen:
                raise DesignError(
                    f"configurations {seen[setting]} and {number} are the same: {setting}; "
                    "to repeat one, give it more seeds"
                )
            seen[setting] = number
        object.__setattr__(self, "settings", tuple(seen))

    def tasks(self) -> Iterator[Task]:
        """All tasks, in the order of the configurations and then of the seeds."""
        for setting, count in enumerate(self.seeds):
            for replicate, seed in enumerate(spawn(self.root, count, *self.place, setting).tolist()):
                yield Task(setting, replicate, seed)

    @property
    def size(self) -> int:
        """The number of tasks."""
        return sum(self.seeds)

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts in the configurations; the records depend on a module that one of them names."""
        values = (value for setting in self.settings for value in vars(setting).values())
        return tuple(dict.fromkeys(value for value in values if isinstance(value, str)))

    def columns(self) -> tuple[str, ...]:
        """The fields of the configurations, which become columns of the records."""
        return tuple(field.name for field in dataclasses.fields(self.settings[0]))

    def described(self) -> dict[str, Any]:
        """Everything that the records depend on, as JSON, to be stored beside them and compared."""
        return {
            "experiment": name_of(self.experiment),
            "root": int(self.root),
            "place": [int(number) for number in self.place],
            "settings": [
                {name: as_json(getattr(setting, name)) for name in self.columns()} for setting in self.settings
            ],
            "seeds": [int(count) for count in self.seeds],
            "code": dict(sources_of(self.experiment, self.texts)),
            "lock": lock_hash(),
            "versions": versions(),
        }

    @property
    def key(self) -> str:
        """A name unique to this sweep: a digest of its description."""
        return hashlib.sha256(json.dumps(self.described(), sort_keys=True).encode()).hexdigest()[:20]


def name_of(experiment: Experiment) -> str:
    """``module:function``, under which every process finds the experiment."""
    return f"{experiment.__module__}:{experiment.__qualname__}"


def experiment_named(name: str, known: Mapping[str, str]) -> Experiment:
    """The experiment with a short name among ``known``, or at ``module:function``.

    Raises:
        DesignError: there is none, or its module cannot be imported; the message suggests names, or says why.
    """
    module, _, function = known.get(name, name).partition(":")
    if not function:
        raise DesignError(f"{unknown('experiment', name, sorted(known))} Name your own as module:function.")
    try:
        found: Experiment = getattr(importlib.import_module(module), function)
    except Exception as error:  # a module may raise anything when it is imported
        raise DesignError(f"there is no experiment '{name}' ({type(error).__name__}: {error})") from None
    configuration_type(found)
    return found


def configuration_type(experiment: Experiment) -> type:
    """The frozen dataclass that an experiment takes.

    Raises:
        DesignError: ``experiment`` is not an importable function of a frozen dataclass and a seed.
    """
    if not inspect.isfunction(experiment):
        raise DesignError(f"an experiment is a function of a configuration and a seed, not {shown(experiment)}")
    name = name_of(experiment)
    module = sys.modules.get(experiment.__module__)
    if experiment.__module__ == "__main__" or getattr(module, experiment.__qualname__, None) is not experiment:
        raise DesignError(f"{name} cannot be imported by a worker: define it at the top of a module")
    parameters = inspect.signature(experiment).parameters
    if len(parameters) != 2 or any(p.kind > p.POSITIONAL_OR_KEYWORD for p in parameters.values()):
        raise DesignError(
            f"{name} must take a configuration and a seed, not ({', '.join(map(str, parameters.values()))})"
        )
    first = next(iter(parameters))
    try:
        kind = typing.get_type_hints(experiment).get(first)
    except (NameError, TypeError, AttributeError) as error:
        raise DesignError(f"the types of {name} cannot be read: {error}") from None
    frozen = dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen  # type: ignore[union-attr]  # typeshed leaves it out
    if not isinstance(kind, type) or not frozen:
        raise DesignError(f"{name} must say that '{first}' is a frozen dataclass")
    return kind


def configurations(experiment: Experiment, values: Mapping[str, Sequence[Any]]) -> tuple[Any, ...]:
    """Every combination of the values given for some fields of an experiment's configuration.

    Args:
        experiment: the experiment.
        values: the values to try, by field, as objects or as text; other fields keep their defaults. The last field
            varies fastest.

    Raises:
        DesignError: a field is unknown or has no value, or does not allow a value.
    """
    kind = configuration_type(experiment)
    fields = {field.name: field for field in dataclasses.fields(kind) if field.init}
    for name, row in values.items():
        if name not in fields:
            raise DesignError(f"{kind.__name__} has no field '{name}'; it has {', '.join(fields)}")
        if isinstance(row, str) or not isinstance(row, Sequence) or not row:
            raise DesignError(f"field '{name}' needs a list of at least one value, not {shown(row)}")
    for name, field in fields.items():
        bare = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if bare and name not in values:
            raise DesignError(f"field '{name}' of {kind.__name__} has no default: give it a value")
    combinations = itertools.product(*values.values())
    return tuple(_checked(kind, dict(zip(values, row, strict=True))) for row in combinations)


@cache
def _adapters(kind: type) -> Mapping[str, Any]:
    """For each field of a configuration, pydantic's adapter, which checks values by the field's type."""
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        return {name: TypeAdapter(hint) for name, hint in typing.get_type_hints(kind, include_extras=True).items()}
    except (NameError, TypeError, AttributeError, PydanticUserError) as error:
        reason = str(error).partition(". ")[0]
        raise DesignError(
            f"the fields of {kind.__name__} must have types whose values can be checked: {reason}"
        ) from None


def _checked(kind: type, values: Mapping[str, Any], strict: bool = False) -> Any:
    """A configuration with these values, each checked against its field's type; text is parsed unless ``strict``."""
    from pydantic import ValidationError

    found, faults = {}, []
    for name, value in values.items():
        try:
            found[name] = _adapters(kind)[name].validate_python(value, strict=strict)
            if _has_nan(found[name]):
                raise ValueError("NaN is not a number")
            str(as_json(found[name])).encode()  # fails on lone surrogates, and on more digits than Python prints
        except ValidationError as error:
            faults += [sentence_of(name, fault, shown(fault["input"])) for fault in error.errors()]
        except (ValueError, TypeError, OverflowError, RecursionError) as error:
            faults.append(f"{name}: {error}")
    if not faults:
        try:
            made = kind(**found)
            hash(made)
        except Exception as error:  # its own checks may raise anything
            faults.append(str(error) or type(error).__name__)
    if faults:
        raise DesignError(f"{kind.__name__} cannot be made: {'; '.join(faults)}")
    return made


def whole(number: Any) -> bool:
    """Whether a value is a whole number; a truth value is not."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def _has_nan(value: Any) -> bool:
    if isinstance(value, tuple | list | set | frozenset):
        return any(map(_has_nan, value))
    return isinstance(value, float | np.floating) and math.isnan(value)


def as_json(value: Any) -> Any:
    """A field's value as a record keeps it: numbers, truth values and text as they are, all others as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | str) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, tuple | list):
        return json.dumps([as_json(part) for part in value])
    if isinstance(value, set | frozenset):  # whose order differs between processes
        return json.dumps(sorted((as_json(part) for part in value), key=json.dumps))
    return str(value) if isinstance(value, Fraction | Path) else repr(value)


@cache
def sources_of(experiment: Experiment, texts: tuple[str, ...] = ()) -> Mapping[str, str]:
    """A hash of every module of its package that an experiment depends on, by name, except those of the sweep.

    Args:
        experiment: the experiment.
        texts: the texts in its configurations, which may name modules too.

    Raises:
        DesignError: a module cannot be read.
    """
    module = experiment.__module__
    packages = {module.partition(".")[0], "support"}
    packages |= {named[1].partition(".")[0] for text in texts if (named := MODULE.fullmatch(text))}
    try:
        code = [f"from {module} import *", f"import {spawn.__module__}", *map(repr, texts)]
        return sources("\n".join(code), packages, without=__package__)
    except OSError as error:
        raise DesignError(f"cannot read a module that {experiment.__qualname__} depends on: {error}") from None


@cache
def lock_hash() -> str:
    """A hash of the pinned versions; empty if the package is used without its lock file."""
    path = Path(__file__).resolve().parents[2] / LOCK
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.exists() else ""


@cache
def versions() -> dict[str, str]:
    """The versions that digits can depend on: of Python, this package, and the libraries that compute.

    A library that is not installed has an empty one.
    """
    found = {"python": platform.python_version()}
    for name in COMPUTE:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    return found
