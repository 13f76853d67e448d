"""The verdicts for other programs: ``claims.json`` with its schema, FORRT outcomes, and schema.org's ``ClaimReview``.

The book's own commands read the verdicts of the last build from ``claims.json`` too.

The site offers three files at its top, and its pages with verdicts carry the reviews:

- ``claims.json``: every record of the build. ``claims.schema.json`` (JSON Schema, draft 2020-12) says what it holds.
- ``outcomes.jsonld``: for each published claim, one of the five states by which the Framework for Open and Reproducible
  Research Training (FORRT) describes the outcome of a replication, as JSON-LD.
- The head of each page with verdicts has one ``ClaimReview`` (https://schema.org/ClaimReview) per published claim.

Questions, the authors' and our own, are in the first file only, because a question claims nothing to be validated.
"""

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from support.book.layout import Book, Chapter
from support.verdicts.claims import ASKERS, VERDICTS, ClaimError
from support.verdicts.judging import INTERVALS, SIGNS, anchor_of

SCHEMA_VERSION = "3.0.0"
"""The version of the format of ``claims.json``: the first number changes if readers of the last format would fail."""
STATES = "https://w3id.org/sciencelive/o/terms/"
"""The vocabulary of the FORRT template "Declaring a replication study outcome", as used by Science Live."""
RATINGS = {"Validated": 5, "PartiallySupported": 3, "Contradicted": 1}
"""The rating that a review shows for an outcome, from 1 to 5; the other outcomes have no rating."""
OUTCOMES = {
    "reproduced": "Validated",
    "confirmed": "Validated",
    "differs": "Contradicted",
    "refuted": "Contradicted",
    "undecided": "Inconclusive",
    "not comparable": "NotTested",
}


def outcome_of(row: Mapping[str, Any]) -> str | None:
    """The FORRT state of a record; None for questions, and where nothing was published.

    A statement of several parts of which some hold and some do not is partially supported.
    """
    if row["asked_by"] != "author" or row["verdict"] == "answered":
        return None
    if row["parts"] and {True, False} <= set(row["parts"].values()):
        return "PartiallySupported"
    return OUTCOMES[row["verdict"]]


def claims_body(book: Book, records: list[dict[str, Any]]) -> dict[str, Any]:
    """What ``claims.json`` holds."""
    return {
        "$schema": "claims.schema.json",
        "version": SCHEMA_VERSION,
        "scale": book.scale,
        "digest": digest_of(records),
        "claims": records,
    }


def digest_of(records: list[dict[str, Any]]) -> str:
    """The sha256 of the records of a results file, which shows whether they are still as the build wrote them."""
    return hashlib.sha256(json.dumps(records, sort_keys=True).encode()).hexdigest()


def claims_schema() -> dict[str, Any]:
    """The JSON Schema of ``claims.json``, made from the same tables that judge."""
    text, some = {"type": "string"}, {"type": "string", "minLength": 1}
    count = {"type": ["integer", "null"], "minimum": 1}
    probability = {"type": ["number", "null"], "minimum": 0, "maximum": 1}
    fields: dict[str, Any] = {
        "id": {**some, "pattern": "^[^/]+/.+$", "description": "Fixed name, chapter/name."},
        "chapter": some,
        "kind": {"enum": list(VERDICTS)},
        "asked_by": {"enum": list(ASKERS), "description": "The author of the document, or this book."},
        "claim": {**some, "description": "The claim in our words."},
        "quote": {**text, "description": "The author's own words, to the letter."},
        "published": {**text, "description": "What was published; empty where nothing was."},
        "source": {**text, "description": "Where the document says it."},
        "criterion": {**text, "description": "What makes the verdict this one or another."},
        "verdict": {"enum": list(SIGNS), "description": "Computed from the measurement by the criterion."},
        "stands": {"enum": list(SIGNS), "description": "The verdict that the book's registry expects."},
        "measured": {"type": ["string", "number"], "description": 'What we found; exact numbers as text: "21/2".'},
        "value": {"type": ["number", "null"], "description": "An exact number as a floating point number."},
        "holds": {"type": ["boolean", "null"]},
        "parts": {"type": ["object", "null"], "additionalProperties": {"type": ["boolean", "null"]}},
        "would_decide": {**text, "description": "What would decide a claim that is undecided."},
        "surprise": {**probability, "description": "Of a value as far out as the published one in our distribution."},
        "control": {**probability, "description": "The same for a value that a sharp test rejects."},
        "would_pass": {**text, "description": "The published values that would have been called reproduced."},
        "interval": {"type": ["array", "null"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2},
        "interval_kind": {"enum": [*INTERVALS, None], "description": "What the 95% interval is about."},
        "games": {**count, "minimum": 0, "description": "Games behind the value, in all; 0 where it is computed."},
        "seeds": {**count, "description": "Independent seeds behind it."},
        "deviation": {**text, "description": "How our run differs from the author's."},
        "limitations": {**text, "description": "What the verdict does not say."},
        "note": text,
        "outcome": {"enum": [*dict.fromkeys(OUTCOMES.values()), "PartiallySupported", None]},
        "link": {**some, "format": "uri-reference", "description": "The cell that measured it, from the site's top."},
    }
    rules = [
        {
            "if": {"properties": {"kind": {"const": kind}}},
            "then": {"properties": {"verdict": {"enum": list(verdicts)}, "stands": {"enum": list(verdicts)}}},
        }
        for kind, verdicts in VERDICTS.items()
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Verdicts of Learned and Checked",
        "type": "object",
        "required": ["$schema", "version", "scale", "digest", "claims"],
        "properties": {
            "$schema": text,
            "version": {"const": SCHEMA_VERSION},
            "scale": {**some, "description": "'published' for results; any other scale is for trying things out."},
            "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "claims": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": fields,
                    "required": list(fields),
                    "additionalProperties": False,
                    "allOf": rules,
                },
            },
        },
    }


def outcomes(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The outcome of each published claim, in FORRT's vocabulary, as JSON-LD."""
    named = {"state": "hasValidationStatus", "conclusion": "hasConclusionDescription"}
    named |= {"evidence": "hasEvidenceDescription", "limitations": "hasLimitationsDescription"}
    context: dict[str, Any] = {short: f"{STATES}{name}" for short, name in named.items()}
    context["state"] = {"@id": context["state"], "@type": "@vocab"}
    context |= {state: STATES + state for state in (*dict.fromkeys(OUTCOMES.values()), "PartiallySupported")}
    context |= {
        "label": "http://www.w3.org/2000/01/rdf-schema#label",
        "identifier": "http://purl.org/dc/terms/identifier",
        "outcomes": "@graph",
        "Outcome": f"{STATES}FORRT-Replication-Outcome",
    }
    graph = [
        {
            "@id": row["link"],
            "@type": "Outcome",
            "identifier": row["id"],
            "label": row["claim"],
            "state": state,
            "conclusion": f"{row['verdict']}: {row['measured']}",
            **{name: row[key] for name, key in (("evidence", "criterion"), ("limitations", "limitations")) if row[key]},
        }
        for row in records
        if (state := outcome_of(row))
    ]
    return {"@context": context, "outcomes": graph}


def reviews(
    records: Iterable[Mapping[str, Any]], documents: Mapping[str, Mapping[str, str]], root: str
) -> dict[str, Any]:
    """One ``ClaimReview`` per published claim, as one JSON-LD graph.

    Args:
        records: the records of one page.
        documents: by chapter: ``author``, ``title``, ``date`` (ISO 8601, or its year) and ``url``, as far as known.
        root: the path from the page to the top of the site, such as ``"../"``.
    """
    graph = [
        _review(row, state, documents.get(row["chapter"], {}), root) for row in records if (state := outcome_of(row))
    ]
    return {"@context": "https://schema.org", "@graph": graph}


def _review(row: Mapping[str, Any], state: str, document: Mapping[str, str], root: str) -> dict[str, Any]:
    work = {"@type": "CreativeWork"} | {
        name: document[key]
        for name, key in (("name", "title"), ("url", "url"), ("datePublished", "date"))
        if key in document
    }
    claim: dict[str, Any] = {"@type": "Claim", "name": row["claim"], "appearance": work}
    if "author" in document:
        claim["author"] = {"@type": "Person", "name": document["author"]}
    rating: dict[str, Any] = {"@type": "Rating", "alternateName": row["verdict"]}
    if state in RATINGS:
        rating |= {"ratingValue": RATINGS[state], "worstRating": 1, "bestRating": 5}
    return {
        "@type": "ClaimReview",
        "url": root + row["link"],
        "claimReviewed": row["quote"] or row["claim"],
        "itemReviewed": claim,
        "reviewRating": rating,
        "reviewBody": " ".join(filter(None, (f"Ours: {row['measured']}.", row["note"], row["criterion"]))),
        "author": {"@type": "Organization", "name": "The contributors of Learned and Checked"},
    }


def offer_exports(
    book: Book,
    chapters: Sequence[Chapter],
    records: list[dict[str, Any]],
    documents: Mapping[str, Mapping[str, str]],
    built: Path,
) -> None:
    """Put the files at the top of a built site, and the reviews into the heads of its pages with verdicts."""
    for name, body in (
        ("claims.json", claims_body(book, records)),
        ("claims.schema.json", claims_schema()),
        ("outcomes.jsonld", outcomes(records)),
    ):
        (built / name).write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    pages = {f"notebooks/{c.name}.html": [row for row in records if row["chapter"] == c.claims] for c in chapters}
    pages["book/verdicts.html"] = records
    for name, rows in pages.items():
        path = built / name
        graph = reviews(rows, documents, "../")
        if path.exists() and graph["@graph"]:
            script = json.dumps(graph, ensure_ascii=False).replace("</", "<\\/")
            text = path.read_text(encoding="utf-8")
            text = text.replace("</head>", f'<script type="application/ld+json">{script}</script>\n</head>', 1)
            path.write_text(text, encoding="utf-8")


def linked(chapter: Chapter, row: Mapping[str, Any]) -> dict[str, Any]:
    """A record with the place of its cell on the site, and its FORRT outcome."""
    return {**row, "outcome": outcome_of(row), "link": f"notebooks/{chapter.name}.html#{anchor_of(row['id'])}"}


@contextlib.contextmanager
def results_written(book: Book, records: list[dict[str, Any]]) -> Iterator[None]:
    """Write the results to a scratch file, and move it into place if the body of the ``with`` statement succeeds."""
    book.results.parent.mkdir(parents=True, exist_ok=True)
    scratch = book.results.with_suffix(f".{os.getpid()}.tmp")
    try:
        scratch.write_text(
            json.dumps(claims_body(book, records), indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        yield
        scratch.replace(book.results)
    finally:
        scratch.unlink(missing_ok=True)


def read_results(path: Path, command: str = "make book") -> list[dict[str, Any]]:
    """The records of a results file.

    Args:
        path: the file.
        command: what writes it.

    Raises:
        ClaimError: there is none, or it is not one of ours; the message says how to make it.
    """
    try:
        body = json.loads(path.read_text(encoding="utf-8-sig"))
        rows: list[dict[str, Any]] = body["claims"]
        if body["digest"] != digest_of(rows):
            raise ValueError("it was changed after it was written")
        return rows
    except FileNotFoundError:
        raise ClaimError(f"no results at {path}: run '{command}' first") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ClaimError(f"{path} is not a results file ({error}): run '{command}' to write it anew") from None
