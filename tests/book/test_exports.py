"""What other programs read: the results file against its schema, the reviews against schema.org, FORRT's states."""

import json

import jsonschema
import pytest
import schema_org

from support.book.exports import SCHEMA_VERSION, claims_body, linked, outcome_of, outcomes, reviews
from support.book.layout import Book
from support.book.pages import documents
from support.verdicts.claims import VERDICTS, Claim, measure

from .exported import STATES, check_results, model, states_of
from .toy import ROOT, toy_book

RUNS = {"games": 10, "seeds": 2, "interval": (0.3, 0.5), "interval_kind": "runs"}
MEASURED = {
    ("digits", "reproduced"): (42, {}),
    ("digits", "differs"): (41, {}),
    ("rate", "reproduced"): (0.4, RUNS | {"surprise": 0.5, "control": 0.01, "would_pass": "all"}),
    ("rate", "differs"): (0.9, RUNS | {"surprise": 0.001, "control": 0.01}),
    ("rate", "undecided"): (0.6, RUNS | {"surprise": 0.5, "control": 0.5, "would_decide": "More runs."}),
    ("rate", "not comparable"): ("2 s", {"comparable": False}),
    ("truth", "confirmed"): ("so", {"holds": True}),
    ("truth", "refuted"): ("half", {"parts": {"a": True, "b": False}}),
    ("truth", "answered"): ("so", {}),
    ("finding", "confirmed"): ("so", {"holds": True, "note": "For <all>."}),
    ("finding", "refuted"): ("no", {"parts": {"a": False}}),
    ("finding", "undecided"): ("?", {"parts": {"a": True, "b": None}, "would_decide": "More games."}),
    ("question", "answered"): ("because", {}),
}


@pytest.fixture
def rows(tmp_path):
    book = toy_book(tmp_path)
    chapter = book.chapter("toy")
    found = []
    for kind, verdicts in VERDICTS.items():
        for verdict in verdicts:
            published = "" if (kind, verdict) == ("truth", "answered") else "42"
            measured, details = MEASURED[kind, verdict]
            claim = Claim(f"toy/{kind}-{verdict}", kind, "It is so.", published, verdict, "page 1", quote="so it is")
            found.append(linked(chapter, measure(claim, measured, **details).as_json()))
    return book, found


def test_the_results_of_every_kind_fit_their_schema(rows):
    book, found = rows
    assert {row["verdict"] for row in found} == {verdict for verdicts in VERDICTS.values() for verdict in verdicts}
    body = json.loads(json.dumps(claims_body(book, found)))
    check_results(body)
    assert body["version"] == SCHEMA_VERSION
    assert body["$schema"] == "claims.schema.json"


@pytest.mark.parametrize(
    "change",
    [
        {"verdict": "true"},
        {"verdict": "answered"},
        {"kind": "opinion"},
        {"asked_by": "nobody"},
        {"interval": [1]},
        {"surprise": 2},
        {"games": -1},
        {"seeds": 0},
        {"link": ""},
        {"id": "toy"},
        {"more": 1},
    ],
)
def test_a_record_that_does_not_fit_is_refused(rows, change):
    book, found = rows
    with pytest.raises(jsonschema.ValidationError):
        check_results(claims_body(book, [found[0] | change]))
    lacking = dict(found[0])
    del lacking["criterion"]
    with pytest.raises(jsonschema.ValidationError):
        check_results(claims_body(book, [lacking]))


def test_every_outcome_is_one_of_the_five_states(rows):
    _, found = rows
    states = {(row["kind"], row["verdict"]): outcome_of(row) for row in found}
    assert states["truth", "refuted"] == "PartiallySupported"
    assert states["finding", "refuted"] == "Contradicted"
    assert states["finding", "undecided"] == "Inconclusive"
    assert states["rate", "not comparable"] == "NotTested"
    assert states["question", "answered"] is states["truth", "answered"] is None
    body = json.loads(json.dumps(outcomes(found)))
    read = states_of(body)
    assert len(read) == sum(state is not None for state in states.values())
    assert all(place.startswith("https://book.example/notebooks/01-toy.html#claim-toy-") for place in read)
    assert set(read.values()) == STATES


def test_reviews_are_what_schema_org_calls_a_claim_review(rows):
    _, found = rows
    document = documents(Book(ROOT))["biscuits"]
    body = json.loads(json.dumps(reviews(found, {"toy": document}, "../")))
    assert body["@context"] == "https://schema.org"
    assert len(body["@graph"]) == sum(outcome_of(row) is not None for row in found)
    for node in body["@graph"]:
        review = model(node)
        assert isinstance(review, schema_org.ClaimReview)
        assert node["url"].startswith("../notebooks/01-toy.html#claim-toy-")
        assert node["itemReviewed"]["author"]["name"] == "Nathan Cunn"
    ratings = {
        node["reviewRating"]["alternateName"]: node["reviewRating"].get("ratingValue") for node in body["@graph"]
    }
    assert ratings["confirmed"] == 5
    assert ratings["undecided"] is ratings["not comparable"] is None


@pytest.mark.parametrize(
    "wrong", [{"colour": "red"}, {"@type": "Opinion"}, {"reviewRating": {"@type": "Rating", "stars": 5}}]
)
def test_the_check_of_reviews_refuses_what_schema_org_does_not_have(rows, wrong):
    _, found = rows
    (node, *_) = reviews(found, {}, "../")["@graph"]
    with pytest.raises((ValueError, AttributeError, TypeError)):
        model(node | wrong)
