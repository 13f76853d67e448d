"""What was published, what we measured, and how the one is judged by the other.

The registry (``book/claims.toml``) holds every published claim and the verdict that the book stands behind. A chapter
records a measurement for each of its claims; the verdict is computed from the two, never typed. The records travel
inside the executed notebook, so that the page a reader sees and the results file cannot disagree.
"""

import difflib
import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

from support.verdicts.judging import INTERVALS, as_html, as_table, as_text

KEY = "learned_and_checked_claim"
"""Where an output of an executed notebook carries its record."""
ORDINARY = 0.05
"""A published rate is an ordinary draw where a value as far out has at least this probability in our distribution."""
LONGEST = 1000
"""Decimals, or zeros, of a published number."""
VERDICTS = {
    "digits": ("reproduced", "differs"),
    "rate": ("reproduced", "differs", "not comparable"),
    "truth": ("confirmed", "refuted", "answered"),
    "finding": ("confirmed", "refuted", "undecided"),
    "question": ("answered",),
}
"""The verdicts that each kind of claim can get; a truth that nobody has published can only be answered."""
ASKERS = ("author", "book")
"""Who asks: the author of the document, or this book. Only the author's claims count as published."""
REGISTRY = Path("book/claims.toml")


class ClaimError(ValueError):
    """A claim or a measurement that does not fit; the message names the claim and what is allowed."""


@dataclass(frozen=True)
class Claim:
    """One published statement.

    Attributes:
        id: fixed name, ``chapter/name``.
        kind: digits, rate, truth, finding or question.
        text: the claim in our words, one sentence.
        published: the published value or object as text; empty where the document gives none.
        verdict: the verdict we stand behind.
        source: where in the document it is said.
        asked_by: ``"author"``, or ``"book"`` for a question of our own.
        quote: the author's own words, to the letter; empty where the document has only numbers, or says nothing.
        criterion: one sentence, to be fixed before the result: what would make the verdict this one or another.
        deviation: how our run differs from the author's.
        limitations: what the verdict does not say.
    """

    id: str
    kind: str
    text: str
    published: str
    verdict: str
    source: str
    asked_by: str = "author"
    quote: str = ""
    criterion: str = ""
    deviation: str = ""
    limitations: str = ""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, str):
                raise ClaimError(f"{self.id}: {name} must be text, not {value!r}")
        chapter, _, name = self.id.partition("/")
        if not chapter or not name:
            raise ClaimError(f"a claim's id is 'chapter/name', not '{self.id}'")
        if self.kind not in VERDICTS:
            raise ClaimError(f"{self.id}: kind '{self.kind}' is none of {', '.join(VERDICTS)}")
        if self.verdict not in VERDICTS[self.kind]:
            allowed = ", ".join(VERDICTS[self.kind])
            raise ClaimError(f"{self.id}: a {self.kind} claim's verdict is one of {allowed}, not '{self.verdict}'")
        if not self.text:
            raise ClaimError(f"{self.id}: text must say what is claimed")
        if self.asked_by not in ASKERS:
            raise ClaimError(f"{self.id}: asked_by is one of {', '.join(ASKERS)}, not '{self.asked_by}'")
        if self.asked_by == "book" and self.quote:
            raise ClaimError(f"{self.id}: a question of the book's own has no quote from a document")

    @property
    def chapter(self) -> str:
        """The chapter that checks the claim."""
        return self.id.partition("/")[0]


class Registry(Mapping[str, Claim]):
    """All claims by id, in the order of the file."""

    def __init__(self, claims: Iterable[Claim]):
        self._claims: dict[str, Claim] = {}
        for claim in claims:
            if claim.id in self._claims:
                raise ClaimError(f"{claim.id} stands twice in the registry")
            self._claims[claim.id] = claim

    @classmethod
    def load(cls, path: Path) -> "Registry":
        """Read a registry file.

        Raises:
            ClaimError: the file is missing, is not TOML, or holds a claim that does not fit.
        """
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise ClaimError(f"cannot read the registry {path}: {error}") from None
        rows = tables.get("claim", [])
        if set(tables) - {"claim"} or not isinstance(rows, list):
            raise ClaimError(f"{path} may hold only [[claim]] tables, not {', '.join(tables)}")
        claims = []
        for number, row in enumerate(rows, 1):
            if not isinstance(row, dict):
                raise ClaimError(f"{path}, claim {number} must be a table, not {row!r}")
            known = Claim.__dataclass_fields__
            missing = {name for name, one in known.items() if one.default is MISSING} - set(row)
            extra = set(row) - set(known)
            if missing or extra:
                fault = [f"lacks {', '.join(sorted(missing))}"] * bool(missing)
                fault += [f"has unknown {', '.join(sorted(extra))}"] * bool(extra)
                raise ClaimError(f"{path}, claim {number} ({row.get('id', 'without id')}) {' and '.join(fault)}")
            claims.append(Claim(**row))
        return cls(claims)

    def __getitem__(self, key: str) -> Claim:
        if key in self._claims:
            return self._claims[key]
        near = difflib.get_close_matches(key, self._claims, n=3, cutoff=0.5)
        same = [name for name in self._claims if name.startswith(key.partition("/")[0] + "/")]
        raise ClaimError(f"no claim '{key}'; known are {', '.join(near or same or self._claims)}")

    def __contains__(self, key: object) -> bool:
        return key in self._claims

    def __iter__(self) -> Iterator[str]:
        return iter(self._claims)

    def __len__(self) -> int:
        return len(self._claims)

    def of(self, chapter: str) -> list[Claim]:
        """The claims that a chapter checks."""
        return [claim for claim in self._claims.values() if claim.chapter == chapter]


Value = str | int | float | Fraction


@dataclass(frozen=True)
class Measurement:
    """What we found about one claim.

    Attributes:
        measured: the value; a fraction where it is exact; text for objects and answers.
        holds: whether the statement holds, for truths and findings with something published.
        parts: for a statement of several parts whether each holds, by its words; the statement holds if all do.
        would_decide: what would decide a finding that a fair test leaves open; then there is no ``holds``.
        surprise: probability of a value as far out as the published one in our distribution, for rates.
        comparable: False for a rate that cannot be compared, such as a time on a machine nobody described; then
            there is no ``surprise``.
        would_pass: which published values would have been called reproduced.
        interval: lower and upper end of the 95 % interval, in the units of the value.
        interval_kind: what the interval is about, one of ``INTERVALS``.
        games: games behind the value, in all.
        seeds: independent seeds behind it.
        note: one sentence for the reader.
    """

    measured: Value
    holds: bool | None = None
    parts: Mapping[str, bool] | None = None
    would_decide: str = ""
    surprise: float | None = None
    comparable: bool = True
    would_pass: str = ""
    interval: tuple[float, float] | None = None
    interval_kind: str = ""
    games: int | None = None
    seeds: int | None = None
    note: str = ""


def judge(claim: Claim, found: Measurement) -> str:
    """The verdict on a claim, computed from what was measured.

    Raises:
        ClaimError: the measurement is not of the form that this kind of claim needs.
    """
    stated = claim.kind in ("truth", "finding") and bool(claim.published)
    if found.would_decide and claim.kind != "finding":
        raise ClaimError(f"{claim.id}: only a finding can be left undecided, not a {claim.kind}")
    if not found.comparable and claim.kind != "rate":
        raise ClaimError(f"{claim.id}: only a rate can be beyond comparison, not a {claim.kind}")
    _require(claim, "holds", found.holds, stated and not found.would_decide)
    _require(claim, "surprise", found.surprise, claim.kind == "rate" and found.comparable)
    try:
        finite = isinstance(found.measured, str) or math.isfinite(found.measured)
    except OverflowError:
        raise ClaimError(f"{claim.id}: measured must be a number that a float can hold") from None
    if not finite:
        raise ClaimError(f"{claim.id}: measured must be finite, not {found.measured}")
    if found.measured == "":
        raise ClaimError(f"{claim.id}: measured must not be empty")
    if claim.kind == "digits":
        return "reproduced" if _same_digits(claim, found.measured) else "differs"
    if claim.kind == "rate":
        if found.surprise is None:
            return "not comparable"
        if lacking := [name for name in ("games", "seeds", "interval") if getattr(found, name) is None]:
            raise ClaimError(
                f"{claim.id}: a rate comes with games, seeds and an interval; it lacks {', '.join(lacking)}"
            )
        return "reproduced" if found.surprise >= ORDINARY else "differs"
    if claim.kind == "question" or not claim.published:
        return "answered"
    if found.would_decide:
        return "undecided"
    return "confirmed" if found.holds else "refuted"


def _require(claim: Claim, name: str, value: object, needed: bool) -> None:
    what = f"a {claim.kind} claim" + ("" if claim.published else " with nothing published")
    if needed and value is None:
        raise ClaimError(f"{claim.id}: {what} is judged by '{name}', which the measurement lacks")
    if not needed and value is not None:
        raise ClaimError(f"{claim.id}: {what} takes no '{name}'")


def _same_digits(claim: Claim, measured: Value) -> bool:
    """Whether a number, rounded to the decimals that were published, or an object, as text, is the published one."""
    if isinstance(measured, str):
        return measured == claim.published
    try:
        printed = Decimal(claim.published)
    except InvalidOperation:
        return False
    exact, exponent = Fraction(measured), printed.as_tuple().exponent
    if not isinstance(exponent, int):  # NaN and infinity
        return False
    if abs(exponent) > LONGEST:
        raise ClaimError(f"{claim.id}: published has more than {LONGEST} digits: '{claim.published}'")
    step = Fraction(10) ** exponent
    return Fraction(printed) == round(exact / step) * step


@dataclass(frozen=True)
class Record:
    """A claim, its measurement and the verdict: one line of the results file."""

    claim: Claim
    found: Measurement
    verdict: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "verdict", judge(self.claim, self.found))

    def as_json(self) -> dict[str, Any]:
        """The record in the form of ``claims.json``; exact numbers as text such as ``"21/2"``."""
        found = self.found
        exact = isinstance(found.measured, Fraction)
        return {
            **{name: value for name, value in asdict(self.claim).items() if name not in ("text", "verdict")},
            "chapter": self.claim.chapter,
            "claim": self.claim.text,
            "verdict": self.verdict,
            "stands": self.claim.verdict,
            "measured": str(found.measured) if exact else found.measured,
            "value": float(found.measured) if exact else None,
            **{name: value for name, value in asdict(found).items() if name not in ("measured", "comparable")},
            "parts": dict(found.parts) if found.parts else None,
            "interval": list(found.interval) if found.interval else None,
            "interval_kind": found.interval_kind or None,
        }

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, str], dict[str, Any]]:
        row = self.as_json()
        return {"text/plain": as_text(row), "text/html": as_html(row)}, {KEY: [row]}


@dataclass(frozen=True)
class Records:
    """Several records of one kind, shown as one table."""

    records: tuple[Record, ...]

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> tuple[dict[str, str], dict[str, Any]]:
        rows = [record.as_json() for record in self.records]
        return {"text/plain": "\n".join(map(as_text, rows)), "text/html": as_table(rows)}, {KEY: rows}


def measure(claim: Claim, measured: Value, **details: Any) -> Record:
    """Judge one claim by a measurement; ``details`` are the other fields of :class:`Measurement`.

    Raises:
        ClaimError: an unknown field, or a measurement that does not fit the claim.
    """
    unknown = set(details) - set(Measurement.__dataclass_fields__)
    if unknown:
        allowed = ", ".join(Measurement.__dataclass_fields__)
        raise ClaimError(f"{claim.id}: a measurement has no {', '.join(sorted(unknown))}; it has {allowed}")
    for name, plain in (("games", int), ("seeds", int), ("holds", bool), ("surprise", float), ("comparable", bool)):
        if details.get(name) is not None:
            try:
                details[name] = plain(details[name])  # numpy's numbers do not serialise
            except (TypeError, ValueError, OverflowError):
                raise ClaimError(
                    f"{claim.id}: {name} must be of type {plain.__name__}, not {details[name]!r}"
                ) from None
    for name in ("note", "would_decide", "would_pass", "interval_kind"):
        if not isinstance(details.get(name, ""), str):
            raise ClaimError(f"{claim.id}: {name} must be text, not {details[name]!r}")
    if details.get("parts") is not None:
        if details.get("holds") is not None or not details["parts"]:
            raise ClaimError(
                f"{claim.id}: a statement is judged by its parts, at least one, or by 'holds', not by both"
            )
        details["parts"] = {str(words): bool(holds) for words, holds in details["parts"].items()}
        details["holds"] = all(details["parts"].values())
    if (details.get("interval") is None) != (not details.get("interval_kind")):
        raise ClaimError(f"{claim.id}: an interval and its interval_kind ({', '.join(INTERVALS)}) go together")
    if details.get("interval") is not None and details["interval_kind"] not in INTERVALS:
        allowed = ", ".join(INTERVALS)
        raise ClaimError(f"{claim.id}: interval_kind is one of {allowed}, not '{details['interval_kind']}'")
    if details.get("interval") is not None:
        try:
            low, high = map(float, details["interval"])
        except (TypeError, ValueError, OverflowError):
            raise ClaimError(f"{claim.id}: an interval is two numbers, not {details['interval']!r}") from None
        if not low <= high:
            raise ClaimError(f"{claim.id}: an interval runs from low to high, not from {low} to {high}")
        details["interval"] = (low, high)
    if details.get("surprise") is not None and not 0 <= details["surprise"] <= 1:
        raise ClaimError(f"{claim.id}: surprise is a probability, not {details['surprise']}")
    if not isinstance(measured, (str, int, float, Fraction)):
        measured = measured.item() if hasattr(measured, "item") else str(measured)
    return Record(claim, Measurement(measured, **details))


def record(name: str, measured: Value, **details: Any) -> None:
    """Record a measurement from a chapter: judge it and show the verdict there; the build reads it from the output.

    Args:
        name: the claim's id.
        measured: what was found.
        details: the other fields of :class:`Measurement`.

    Raises:
        ClaimError: an unknown id, or a measurement that does not fit the claim.
    """
    from IPython.display import display

    display(measure(registry()[name], measured, **details))


def record_all(measurements: Mapping[str, Value], **details: Any) -> None:
    """Record one measurement a claim and show all of them as one table; ``details`` hold for each."""
    from IPython.display import display

    known = registry()
    display(Records(tuple(measure(known[name], measured, **details) for name, measured in measurements.items())))


def registry(start: Path | None = None) -> Registry:
    """The registry of the book that the working directory belongs to."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / REGISTRY).is_file():
            return Registry.load(folder / REGISTRY)
    raise ClaimError(f"no {REGISTRY} in {here} or above it: run from inside the book's folder")
