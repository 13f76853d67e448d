"""What was published, what we measured, and how the one is judged by the other.

The registry (``book/claims.toml``) holds every published claim and the verdict that the book stands behind. A chapter
records a measurement for each of its claims; the verdict is computed from the two, never typed. The records travel
inside the executed notebook, so the page that a reader sees and the results file cannot disagree.
"""

import math
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from support.core.checks import settings
from support.core.screen import unknown
from support.verdicts.judging import as_html, as_table, as_text

KEY = "learned_and_checked_claim"
"""The key under which an output of an executed notebook carries its record."""
ORDINARY = 0.05
"""A published rate is an ordinary draw if a value as far out has at least this probability in our distribution."""
LONGEST = 1000
"""The most decimals, or final zeros, of a published number."""
VERDICTS = {
    "digits": ("reproduced", "differs"),
    "rate": ("reproduced", "differs", "undecided", "not comparable"),
    "truth": ("confirmed", "refuted", "answered"),
    "finding": ("confirmed", "refuted", "undecided"),
    "question": ("answered",),
}
"""The verdicts that each kind of claim can get; a truth with nothing published can only be answered."""
Asker = Literal["author", "book"]
ASKERS = get_args(Asker)
"""Who asks: the author of the document, or this book. Only the author's claims count as published."""
REGISTRY = Path("book/claims.toml")


class ClaimError(ValueError):
    """A claim or a measurement that does not fit; the message names the claim and what is allowed."""


@settings
class Claim:
    """One published statement.

    Attributes:
        id: fixed name, ``chapter/name``.
        kind: digits, rate, truth, finding or question.
        text: the claim in our words, one sentence.
        published: the published value or object as text; empty if the document gives none.
        verdict: the verdict we stand behind.
        source: where the document says it.
        asked_by: ``"author"``, or ``"book"`` for a question of our own.
        quote: the author's own words, to the letter; empty if the document has only numbers, or says nothing.
        criterion: one sentence, fixed before the result, that says what decides between the verdicts.
        deviation: how our run differs from the author's.
        limitations: what the verdict does not say.

    Raises:
        ValueError: a field has an impossible value.
    """

    id: str
    kind: Literal["digits", "rate", "truth", "finding", "question"]
    text: str
    published: str
    verdict: str
    source: str
    asked_by: Asker = "author"
    quote: str = ""
    criterion: str = ""
    deviation: str = ""
    limitations: str = ""

    def __post_init__(self) -> None:
        chapter, _, name = self.id.partition("/")
        if not chapter or not name:
            raise ValueError(f"a claim's id is 'chapter/name', not '{self.id}'")
        if self.verdict not in VERDICTS[self.kind]:
            allowed = ", ".join(VERDICTS[self.kind])
            raise ValueError(f"the verdict on a {self.kind} claim is one of {allowed}, not '{self.verdict}'")
        if not self.text:
            raise ValueError("text must say what is claimed")
        if self.asked_by == "book" and self.quote:
            raise ValueError("a question of the book's own has no quote from a document")

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
                raise ClaimError(f"{claim.id} appears twice in the registry")
            self._claims[claim.id] = claim

    @classmethod
    def load(cls, path: Path) -> "Registry":
        """Read a registry file.

        Raises:
            ClaimError: the file is missing, is not TOML, or holds a claim that does not fit.
        """
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except (OSError, ValueError, RecursionError) as error:
            raise ClaimError(f"cannot read the registry {path}: {error}") from None
        rows = tables.get("claim", [])
        if set(tables) - {"claim"} or not isinstance(rows, list):
            raise ClaimError(f"{path} may hold only [[claim]] tables, not {', '.join(tables)}")
        claims = []
        for number, row in enumerate(rows, 1):
            if not isinstance(row, dict):
                raise ClaimError(f"{path}, claim {number} must be a table, not {row!r}")
            try:
                claims.append(Claim(**row))
            except ValueError as error:
                raise ClaimError(f"{path}, claim {number} ({row.get('id', 'without id')}): {error}") from None
        return cls(claims)

    def __getitem__(self, key: str) -> Claim:
        if key in self._claims:
            return self._claims[key]
        same = [name for name in self._claims if name.startswith(key.partition("/")[0] + "/")]
        raise ClaimError(unknown("claim", key, same or self._claims))

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


@settings
class Measurement:
    """What we found about one claim.

    Attributes:
        measured: the value; a fraction if it is exact; text for objects and answers.
        holds: whether the statement holds, for truths and findings with something published; None for a finding that
            a fair test leaves open.
        parts: for a statement of several parts, whether each holds, by its words; the statement holds if all do, does
            not if one does not, and is open if one is open (None) and none fails.
        would_decide: what would decide a finding that a fair test leaves open, shown only then; for a rate, too, more
            runs if nothing else is said.
        surprise: for rates, the probability of a value as far out as the published one in our distribution.
        control: for rates, the same probability of a value that a sharp test rejects: that of players who are all
            alike, say. A test that lets it pass says nothing about what was published.
        comparable: False for a rate that cannot be compared, such as a time on an unknown machine; then there is
            neither ``surprise`` nor ``control``.
        would_pass: which published values would have been called reproduced.
        interval: lower and upper end of the 95% interval, in the units of the value.
        interval_kind: what the interval is about, one of ``support.verdicts.judging.INTERVALS``.
        games: the total number of games behind the value; 0 if the value is computed for each seed.
        seeds: the number of independent seeds behind it.
        note: one sentence for the reader.

    Raises:
        ValueError: a field has an impossible value.
    """

    measured: Any
    holds: bool | None = None
    parts: dict[str, bool | None] | None = None
    would_decide: str = ""
    surprise: Annotated[float, Field(ge=0, le=1)] | None = None
    control: Annotated[float, Field(ge=0, le=1)] | None = None
    comparable: bool = True
    would_pass: str = ""
    interval: tuple[float, float] | None = None
    interval_kind: Literal["", "rate", "ratio", "mean", "runs"] = ""
    games: int | None = None
    seeds: int | None = None
    note: str = ""

    def __post_init__(self) -> None:
        if (self.interval is None) != (not self.interval_kind):
            raise ValueError("an interval and its interval_kind go together")
        if self.interval and self.interval[0] > self.interval[1]:
            raise ValueError("an interval runs from low to high, not from {} to {}".format(*self.interval))


def judge(claim: Claim, found: Measurement) -> str:
    """The verdict on a claim, computed from what was measured.

    Raises:
        ClaimError: the measurement does not have the form that this kind of claim needs.
    """
    stated = claim.kind in ("truth", "finding") and bool(claim.published)
    if found.would_decide and "undecided" not in VERDICTS[claim.kind]:
        raise ClaimError(f"{claim.id}: only a finding or a rate can be left undecided, not a {claim.kind}")
    if not found.comparable and claim.kind != "rate":
        raise ClaimError(f"{claim.id}: only a rate can be beyond comparison, not a {claim.kind}")
    if not (stated and found.would_decide):
        _require(claim, "holds", found.holds, stated)
    for name in ("surprise", "control"):
        _require(claim, name, getattr(found, name), claim.kind == "rate" and found.comparable)
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
        if found.surprise is None or found.control is None:
            return "not comparable"
        if lacking := [name for name in ("games", "seeds", "interval") if getattr(found, name) is None]:
            raise ClaimError(
                f"{claim.id}: a rate comes with games, seeds and an interval; it lacks {', '.join(lacking)}"
            )
        if found.surprise < ORDINARY:
            return "differs"
        return "reproduced" if found.control < ORDINARY else "undecided"
    if claim.kind == "question" or not claim.published:
        return "answered"
    if found.holds is None:
        return "undecided"
    return "confirmed" if found.holds else "refuted"


def _require(claim: Claim, name: str, value: object, needed: bool) -> None:
    what = f"a {claim.kind} claim" + ("" if claim.published else " with nothing published")
    if needed and value is None:
        name += "' or, if open, by 'would_decide" if claim.kind == "finding" else ""
        raise ClaimError(f"{claim.id}: {what} is judged by '{name}', which the measurement lacks")
    if not needed and value is not None:
        raise ClaimError(f"{claim.id}: {what} takes no '{name}'")


def _same_digits(claim: Claim, measured: Value) -> bool:
    """Whether the value is the published one: a number after rounding to the published decimals, an object as text."""
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
            "would_decide": (found.would_decide or "more runs") if self.verdict == "undecided" else "",
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
    given = {name: _plain(value) for name, value in details.items()}
    if isinstance(parts := given.get("parts"), dict):
        if not parts or given.get("holds") is not None:
            raise ClaimError(
                f"{claim.id}: a statement is judged by its parts, at least one, or by 'holds', not by both"
            )
        given["holds"] = all_hold(parts.values())
    measured = _plain(measured)
    try:
        found = Measurement(measured if isinstance(measured, str | int | float | Fraction) else str(measured), **given)
    except ValueError as error:
        raise ClaimError(f"{claim.id}: {error}") from None
    return Record(claim, found)


def all_hold(parts: Collection[bool | None]) -> bool | None:
    """Whether a statement of several parts holds: False if one part does not, else None if one is open, else True."""
    return False if False in parts else None if None in parts else True


def _plain(value: Any) -> Any:
    """A value that comes from numpy, or contains such values, in Python's own types."""
    if hasattr(value, "tolist"):  # numpy's numbers do not serialise
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return tuple(map(_plain, value)) if isinstance(value, list | tuple) else value


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
    """Record one measurement per claim and show all of them as one table; ``details`` apply to each."""
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
