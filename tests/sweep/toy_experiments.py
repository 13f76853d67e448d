"""Experiments for the tests of sweeps, in a module that worker processes can import."""

import os
import signal
import sys
import time
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from support.sweep import report

PATIENCE = 120.0  # seconds after which whatever is waited for is not to come
BUFFER = np.zeros(3)


def until(condition, what: str = "what the test waits for"):
    """What a condition gives as soon as it is true."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.02)
    raise TimeoutError(f"{what} did not happen")


@dataclass(frozen=True)
class Dice:
    """A field of every kind that is common."""

    rolls: int = 10
    bias: Fraction = Fraction(1, 6)
    scale: float = 1.0
    label: Literal["plain", "loaded"] = "plain"
    depth: int | None = None


def dice(setting: Dice, seed: int) -> dict[str, Any]:
    """A value of every kind that a record may have."""
    rolled = np.random.default_rng(seed).integers(1, 7, setting.rolls)
    return {
        "mean": float(rolled.mean()) * setting.scale + float(setting.bias),
        "sixes": int((rolled == 6).sum()),
        "lucky": bool(rolled[0] == 6),
        "word": f"{setting.label}-{rolled[0]}",
        "rolled": rolled.astype(np.uint8),
        "halves": [1 / x for x in rolled.tolist()],
        "short": np.float32(rolled.std()),
    }


@dataclass(frozen=True)
class Call:
    """Calls leave a file each in a folder, and wait there for others."""

    log: str
    number: int = 0

    def leave(self, seed: int, what: str = "call") -> None:
        """Say that this task is being run, and by whom."""
        (Path(self.log) / f"{what}.{time.time_ns()}.{self.number}.{seed}.{os.getpid()}").touch()

    def has(self, name: str) -> bool:
        """Whether the test, or another task, has left this file."""
        return (Path(self.log) / name).exists()


@dataclass(frozen=True)
class Seen:
    """A call as its file has it."""

    number: int
    seed: int
    pid: int


def seen(log: Path, what: str = "call") -> list[Seen]:
    """The calls so far, in their order."""
    return [Seen(*map(int, path.name.split(".")[2:])) for path in sorted(log.glob(f"{what}.*"))]


def draw(seed: int) -> dict[str, float]:
    return {"draw": float(np.random.default_rng(seed).random())}


def gated(setting: Call, seed: int) -> dict[str, Any]:
    """Those of number 0 end at once, the others when the file ``go`` is there."""
    setting.leave(seed)
    until(lambda: not setting.number or setting.has("go"))
    return draw(seed)


def late(setting: Call, seed: int) -> dict[str, Any]:
    """Where the file ``late`` is, a task of number 0 ends only after six others."""
    until(lambda: setting.number or not setting.has("late") or len(seen(Path(setting.log), "end")) >= 6)
    setting.leave(seed, "end")
    return draw(seed)


def broken(setting: Call, seed: int) -> dict[str, Any]:
    """Odd numbers fail until the file ``mended`` is there."""
    setting.leave(seed)
    if setting.number % 2 and not setting.has("mended"):
        raise ArithmeticError(f"number {setting.number} cannot be divided")
    return draw(seed)


def deadly(setting: Call, seed: int) -> dict[str, Any]:
    """At the file ``go`` those of number 1 end their process, those of number 2 have it killed, unless ``mended``."""
    setting.leave(seed)
    if setting.number in (1, 2) and not setting.has("mended"):
        until(lambda: setting.has("go"))
        if setting.number == 1:
            os._exit(3)
        os.kill(os.getpid(), signal.SIGKILL)
    return draw(seed)


def leaving(setting: Call, seed: int) -> dict[str, Any]:
    """Those of number 1 ask Python to end."""
    if setting.number == 1:
        sys.exit("enough")
    return draw(seed)


def reporting(setting: Call, seed: int) -> dict[str, Any]:
    """Half done, until the file ``go`` is there."""
    setting.leave(seed)

    def said() -> bool:
        report(0.5)
        return setting.has("go")

    until(said)
    return draw(seed)


def buffered(setting: Dice, seed: int) -> dict[str, Any]:
    """Every call returns the same array, with other values."""
    BUFFER[:] = np.random.default_rng(seed).random(3)
    return {"values": BUFFER}


@dataclass(frozen=True)
class Odd:
    """What a record is made of, as Python has it."""

    kind: str = "number"


RECORDS: dict[str, Any] = {
    "number": {"x": 1},
    "float": {"x": 1.5},
    "text": {"x": "one"},
    "more": {"x": 1, "y": 2},
    "less": {},
    "other": {"y": 1},
    "none": None,
    "list": [1, 2],
    "nothing": {"x": None},
    "nested": {"x": {"y": 1}},
    "table": {"x": np.zeros((2, 2))},
    "ragged": {"x": [[1], [2, 3]]},
    "mixed": {"x": [1, "two"]},
    "objects": {"x": np.array([object()])},
    "fraction": {"x": Fraction(1, 3)},
    "complex": {"x": np.complex128(1j)},
    "moment": {"x": np.datetime64("2026-01-01")},
    "bytes": {"x": b"one"},
    "long": {"x": np.longdouble(1)},
    "longs": {"x": np.zeros(2, np.longdouble)},
    "huge": {"x": 2**63},
    "huges": {"x": [2**70]},
    "surrogate": {"x": "\ud800"},
    "seed": {"seed": 1},
    "setting": {"setting": 1},
    "kind": {"kind": "a"},
    "number name": {3: 1},
    "swapped": {"x": np.arange(3).astype(">i4")},
    "halves": {"x": np.arange(3).astype(np.float16)},
    "wide": {"x": np.array([2**64 - 1], np.uint64)},
    "empty": {"x": []},
    "texts": {"x": ["a", "bc"]},
    "truths": {"x": (True, False)},
}


def odd(setting: Odd, seed: int) -> Any:
    return RECORDS[setting.kind]


Count = Annotated[int, Field(ge=0)]


@dataclass(frozen=True)
class Every:
    """A field of every type that a configuration can have."""

    whole: int = 0
    count: Count = 1
    real: float = 0.5
    truth: bool = False
    text: str = "a"
    part: Fraction = Fraction(1, 2)
    word: Literal["a", "b", 3] = "a"
    perhaps: int | None = None
    pair: tuple[float, int] = (0.5, 1)
    row: tuple[int, ...] = ()
    several: frozenset[str] = frozenset()
    path: Path = Path("x")

    def __post_init__(self):
        if self.whole == 13:
            raise KeyError("thirteen")
        if self.count and 1 / self.count > self.real + 1e9:
            raise ValueError("too small")


def every(setting: Every, seed: int) -> dict[str, Any]:
    """Nothing but the seed."""
    return {"half": seed // 2}


@dataclass(frozen=True)
class Nothing:
    """No field at all."""


def nothing(setting: Nothing, seed: int) -> dict[str, Any]:
    return {}


@dataclass
class Loose:
    x: int = 0


@dataclass(frozen=True)
class Clash:
    seed: int = 0


@dataclass(frozen=True)
class Holder:
    loose: "Loose" = field(default_factory=Loose)


class Plain:
    pass


@dataclass(frozen=True)
class Foreign:
    plain: Plain = field(default_factory=Plain)


@dataclass(frozen=True)
class Unknown:
    x: "Missing" = 0  # noqa: F821


def of_loose(setting: Loose, seed: int):
    return {}


def of_clash(setting: Clash, seed: int):
    return {}


def of_holder(setting: Holder, seed: int):
    return {}


def of_foreign(setting: Foreign, seed: int):
    return {}


def of_unknown(setting: Unknown, seed: int):
    return {}


def of_missing(setting: "Missing", seed: int):  # noqa: F821
    return {}


def of_anything(setting, seed):
    return {}


def of_one(setting: Dice):
    return {}


def of_three(setting: Dice, seed: int, more: int = 0):
    return {}


def of_keyword(setting: Dice, *, seed: int):
    return {}


def of_several(setting: Dice, *seeds: int):
    return {}


by_name = lambda setting, seed: {}  # noqa: E731


def inner():
    def nested(setting: Dice, seed: int):
        return {}

    return nested
