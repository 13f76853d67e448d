import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from support.book.exports import digest_of, read_results
from support.verdicts.claims import (
    KEY,
    Claim,
    ClaimError,
    Records,
    Registry,
    judge,
    measure,
    record,
    record_all,
    registry,
)
from support.verdicts.judging import as_html, as_text

ROOT = Path(__file__).parent.parent.parent


def claim(kind="digits", published="12.33", verdict=None, **other):
    default = {"digits": "reproduced", "rate": "reproduced", "question": "answered"}.get(kind, "confirmed")
    fields = {"id": "toy/x", "text": "It is so.", "source": "page 1"} | other
    return Claim(kind=kind, published=published, verdict=verdict or default, **fields)


@pytest.mark.parametrize(
    ("published", "measured", "verdict"),
    [
        ("12.33", Fraction(1233, 100), "reproduced"),
        ("12.33", Fraction(12334, 1000), "reproduced"),
        ("12.33", Fraction(1234, 100), "differs"),
        ("-41.80", -41.8, "reproduced"),
        ("-41.80", Fraction(-4181, 100), "differs"),
        ("15", 15, "reproduced"),
        ("15", 14, "differs"),
        ("8,4 > 7,4", "8,4 > 7,4", "reproduced"),
        ("8,4 > 7,4", "8,4 > 7,3", "differs"),
        ("a table", 3, "differs"),
        ("NaN", 3, "differs"),
        ("Infinity", 3, "differs"),
    ],
)
def test_digits(published, measured, verdict):
    assert measure(claim(published=published), measured).verdict == verdict


@pytest.mark.parametrize(("surprise", "verdict"), [(0.5, "reproduced"), (0.05, "reproduced"), (0.049, "differs")])
def test_rates_are_judged_by_surprise(surprise, verdict):
    details = {"interval": (0.7, 0.9), "interval_kind": "mean", "games": 100, "seeds": 3}
    record = measure(claim("rate"), 0.8, surprise=surprise, control=0.049, **details)
    assert record.verdict == verdict
    blunt = measure(claim("rate"), 0.8, surprise=surprise, control=0.05, would_decide="More games.", **details)
    assert blunt.verdict == ("differs" if verdict == "differs" else "undecided")
    assert ("More games." in as_html(blunt.as_json())) == (blunt.verdict == "undecided")
    assert f"<dd>{surprise:.3f}: what was published</dd><dd>0.050: the control, which must fail</dd>" in as_html(
        blunt.as_json()
    )
    silent = measure(claim("rate"), 0.8, surprise=0.5, control=0.5, **details)
    assert (silent.verdict, silent.as_json()["would_decide"]) == ("undecided", "more runs")


@pytest.mark.parametrize("kind", ["truth", "finding"])
def test_statements_hold_or_do_not(kind):
    assert measure(claim(kind), "so", holds=True).verdict == "confirmed"
    assert measure(claim(kind), "not so", holds=False).verdict == "refuted"


def test_a_statement_of_several_parts_holds_if_all_do():
    found = measure(claim("finding", verdict="refuted"), "half of it", parts={"it rises": True, "it ends": False})
    assert found.verdict == "refuted"
    assert found.as_json()["parts"] == {"it rises": True, "it ends": False}
    assert "<dd>✓ it rises</dd><dd>✗ it ends</dd>" in as_html(found.as_json())
    assert measure(claim("truth"), "all of it", parts={"it rises": np.True_}).verdict == "confirmed"


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ((True, True), "confirmed"),
        ((True, None), "undecided"),
        ((None, None), "undecided"),
        ((None, False), "refuted"),
        ((True, False, None), "refuted"),
    ],
)
def test_a_finding_is_open_if_a_part_is_open_and_none_fails(parts, verdict):
    named = {f"part {number}": holds for number, holds in enumerate(parts)}
    found = measure(claim("finding"), "so", parts=named, would_decide="More games.")
    assert found.verdict == verdict
    assert found.as_json()["parts"] == named
    assert found.as_json()["would_decide"] == ("More games." if verdict == "undecided" else "")
    assert as_html(found.as_json()).count("<dd>? part") == parts.count(None)


def test_what_a_fair_test_leaves_open_is_undecided_and_a_time_elsewhere_not_comparable():
    found = measure(claim("finding", verdict="undecided"), "between", would_decide="Ten times the games.")
    assert found.verdict == "undecided"
    assert "Ten times the games." in as_html(found.as_json())
    assert measure(claim("rate", verdict="not comparable"), "2 s", comparable=False).verdict == "not comparable"


def test_a_claim_says_who_asks_and_only_authors_are_quoted():
    assert claim(asked_by="author", quote="so it is").quote == "so it is"
    with pytest.raises(ValueError, match="asked_by must be one of 'author' or 'book', not 'me'"):
        claim(asked_by="me")
    with pytest.raises(ValueError, match="no quote from a document"):
        claim(asked_by="book", quote="so it is")


def test_what_nobody_published_is_answered():
    assert measure(claim("truth", published="", verdict="answered"), Fraction(21, 2)).verdict == "answered"
    assert measure(claim("question"), "no").verdict == "answered"


@pytest.mark.parametrize(
    ("kind", "details", "message"),
    [
        ("truth", {}, "is judged by 'holds'"),
        ("finding", {}, "is judged by 'holds'"),
        ("rate", {}, "is judged by 'surprise'"),
        ("rate", {"surprise": 0.5}, "is judged by 'control'"),
        (
            "finding",
            {"parts": {"a": None}},
            "is judged by 'holds' or, if open, by 'would_decide', which the measurement",
        ),
        ("truth", {"parts": {"a": None}}, "is judged by 'holds'"),
        ("digits", {"holds": True}, "takes no 'holds'"),
        ("question", {"surprise": 0.5}, "takes no 'surprise'"),
        ("rate", {"surprise": 2}, "surprise must be at most 1.0, not 2"),
        (
            "rate",
            {"surprise": 0.5, "control": 0, "games": 3},
            "a rate comes with games, seeds and an interval; it lacks seeds, interval",
        ),
        ("digits", {"interval": (2, 1), "interval_kind": "rate"}, "from low to high"),
        (
            "digits",
            {"interval": (float("nan"), 1), "interval_kind": "rate"},
            "must be a finite number, not nan",
        ),
        ("digits", {"interval": (1, 2)}, "an interval and its interval_kind go together"),
        ("digits", {"interval_kind": "rate"}, "an interval and its interval_kind go together"),
        (
            "digits",
            {"interval": (1, 2), "interval_kind": "guess"},
            "kind must be one of .*'runs', not 'guess'",
        ),
        ("digits", {"game": 3}, "game: Unexpected"),
        ("truth", {"holds": True, "would_decide": "More games."}, "only a finding or a rate can be left undecided"),
        ("finding", {"holds": True, "parts": {"a": True}}, "by its parts, at least one, or by 'holds'"),
        ("finding", {"parts": {}}, "by its parts, at least one"),
        ("digits", {"comparable": False}, "only a rate can be beyond comparison"),
        ("rate", {"comparable": False, "surprise": 0.5}, "takes no 'surprise'"),
        ("rate", {"comparable": False, "control": 0.5}, "takes no 'control'"),
    ],
)
def test_a_measurement_of_the_wrong_form(kind, details, message):
    with pytest.raises(ClaimError, match=message):
        measure(claim(kind), 1, **details)


@pytest.mark.parametrize("measured", [float("nan"), float("inf"), ""])
def test_a_measurement_must_be_something(measured):
    with pytest.raises(ClaimError, match="measured must"):
        judge(claim(), measure(claim(), measured).found)


def test_a_measurement_must_fit_into_a_float():
    with pytest.raises(ClaimError, match="a number that a float can hold"):
        measure(claim(), Fraction(10**400))


def test_a_published_number_must_not_be_longer_than_any_number_is_printed():
    with pytest.raises(ClaimError, match="published has more than 1000 digits: '1e999999999'"):
        measure(claim(published="1e999999999"), 3)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"kind": "guess"}, "kind must be one of 'digits', .*, not 'guess'"),
        ({"verdict": "confirmed"}, "verdict on a digits claim is one of reproduced, differs"),
        ({"id": "x"}, "'chapter/name'"),
        ({"text": ""}, "must say what is claimed"),
        ({"published": 12}, "published must be text, not 12"),
    ],
)
def test_a_claim_that_does_not_fit(fields, message):
    with pytest.raises(ValueError, match=message):
        claim(**({"kind": "digits", "verdict": "reproduced"} | fields))


def test_a_registry_is_a_mapping_in_the_order_of_the_file():
    mean, median, other = claim(id="toy/mean"), claim(id="toy/median"), claim(id="game/mean")
    known = Registry([mean, other, median])
    assert dict(known) == {"toy/mean": mean, "game/mean": other, "toy/median": median}
    assert list(known) == ["toy/mean", "game/mean", "toy/median"]
    assert len(known) == 3
    assert "toy/mean" in known
    assert "toy/mode" not in known
    assert known.of("toy") == [mean, median]


def test_unknown_claims_get_the_known_ones():
    known = Registry([claim(id="toy/mean"), claim(id="toy/median")])
    with pytest.raises(ClaimError, match="no claim 'toy/men'; did you mean toy/mean"):
        known["toy/men"]
    with pytest.raises(ClaimError, match="appears twice"):
        Registry([claim(), claim()])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[[claim]]\nid = 'a/b'",
            "claim 1 .a/b.: kind: Field required; text: .*; published: Field required",
        ),
        ("[[claim]\n", "cannot read the registry"),
        ("[claims]\n", "only .*claim.* tables"),
        ("claim = 3\n", "only .*claim.* tables"),
        ("claim = [3]\n", "claim 1 must be a table, not 3"),
    ],
)
def test_a_registry_that_does_not_read(tmp_path, text, message):
    path = tmp_path / "claims.toml"
    path.write_text(text)
    with pytest.raises(ClaimError, match=message):
        Registry.load(path)


def test_the_registry_of_this_book_is_found_from_below():
    assert "three-dice/mean/mdp" in registry(ROOT / "notebooks")
    with pytest.raises(ClaimError, match="run from inside the book's folder"):
        registry(Path("/"))


def test_a_record_travels_in_the_output_metadata():
    record = measure(claim(published="1/3 <b>"), Fraction(1, 3), games=10, note="a & b")
    data, metadata = record._repr_mimebundle_()
    (row,) = json.loads(json.dumps(metadata[KEY]))
    assert (row["measured"], row["games"], row["verdict"]) == ("1/3", 10, "differs")
    assert "&lt;b&gt;" in data["text/html"]
    assert 'id="claim-toy-x"' in as_html(row)
    assert "0 (1/3), 10 games" in as_text(row)
    assert as_text(measure(claim(), Fraction(1233, 100), seeds=1).as_json()).endswith("ours 12.33, 1 seed")
    computed = measure(claim(), Fraction(1233, 100), games=0, seeds=30).as_json()
    assert as_text(computed).endswith("ours 12.33, 30 seeds, computed for each seed")
    own = measure(claim("truth", published="", verdict="answered"), Fraction(1, 3)).as_json()
    assert as_text(own).endswith("toy/x: ours 0.3333 (1/3)")


@pytest.mark.parametrize(
    ("details", "message"),
    [
        ({"surprise": 1.5}, "surprise must be at most 1.0, not 1.5"),
        ({"surprise": "often"}, "surprise must be a number, not 'often'"),
        ({"games": "many"}, "games must be a whole number, not 'many'"),
        ({"interval": (2, 1), "interval_kind": "rate"}, "not from 2.0 to 1.0"),
        ({"interval": (1, 2, 3), "interval_kind": "rate"}, r"interval must be at most 2 long, not \(1, 2, 3\)"),
        ({"note": 3}, "note must be text, not 3"),
    ],
)
def test_details_that_cannot_be(details, message):
    with pytest.raises(ClaimError, match=message):
        measure(claim("rate"), 0.8, **details)


def test_a_chapter_records_by_the_claim_s_name(monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    monkeypatch.chdir(ROOT / "notebooks")
    record("three-dice/mean/mdp", Fraction(1353, 100), games=100)
    assert (shown[0].claim.id, shown[0].found.games, shown[0].verdict) == ("three-dice/mean/mdp", 100, "reproduced")
    record_all({"three-dice/mean/mdp": 13.53, "three-dice/mean/mdp-adjusted": -1.0}, seeds=2)
    assert [(one.verdict, one.found.seeds) for one in shown[1].records] == [("reproduced", 2), ("differs", 2)]


def test_numbers_of_numpy_become_plain_ones():
    interval = {"seeds": np.int32(2), "interval": np.array([7, 9]), "interval_kind": "runs"}
    given = {"surprise": np.float64(0.5), "control": np.float32(0), "games": np.int64(3)} | interval
    found = measure(claim("rate"), np.int64(8), **given).found
    plain = {name: type(getattr(found, name)) for name in ("measured", "surprise", "control", "games")}
    assert plain == {"measured": int, "surprise": float, "control": float, "games": int}


def test_several_records_make_one_table():
    records = Records((measure(claim(id="toy/a", published="1"), 1), measure(claim(id="toy/b", published="1"), 2)))
    data, metadata = records._repr_mimebundle_()
    assert [row["verdict"] for row in metadata[KEY]] == ["reproduced", "differs"]
    assert all(f'id="claim-toy-{name}"' in data["text/html"] for name in "ab")
    assert len(data["text/plain"].splitlines()) == 2


def test_results_read_as_they_were_written(tmp_path):
    rows = [measure(claim(), Fraction(1233, 100)).as_json()]
    (tmp_path / "claims.json").write_text(json.dumps({"claims": rows, "digest": digest_of(rows)}))
    assert read_results(tmp_path / "claims.json") == rows


def test_results_that_do_not_read(tmp_path):
    with pytest.raises(ClaimError, match="run 'make book' first"):
        read_results(tmp_path / "claims.json")
    (tmp_path / "claims.json").write_text("[1")
    with pytest.raises(ClaimError, match="not a results file"):
        read_results(tmp_path / "claims.json")
