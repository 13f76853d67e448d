import json

import pytest

from support.__main__ import main
from support.book.exports import results_written
from support.verdicts.claims import Claim, measure

from .toy import toy_book


@pytest.fixture
def results(here, tmp_path, monkeypatch):
    book = toy_book(tmp_path)
    claim = Claim("toy/answer", "digits", "The answer is 42.", "42", "reproduced", "page 1")
    with results_written(book, [measure(claim, 42).as_json()]):
        pass
    monkeypatch.chdir(tmp_path / "notebooks")
    return book


def test_claims_as_a_table_and_as_json(results, capsys):
    assert main(["claims"]) == 0
    assert "reproduced toy/answer: published 42; ours 42" in capsys.readouterr().out
    assert main(["claims", "toy", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["id"] == "toy/answer"


def test_claims_of_the_evidence_are_those_of_its_subject(results, capsys):
    for file in (results.root / "notebooks").glob("01-toy.*"):
        file.rename(file.with_stem("01-toy-evidence"))
    toc = results.root / "_toc.yml"
    toc.write_text(toc.read_text().replace("01-toy", "01-toy-evidence"))
    assert main(["claims", "toy-evidence"]) == 0
    assert "reproduced toy/answer" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["claims", "tao"], "there is no chapter 'tao'; did you mean toy"),
        (["run", "tao"], "there is no chapter 'tao'; did you mean toy"),
        (["run", "toy", "--scale", "huge"], "there is no scale 'huge'; there are published, small"),
        (["claims", "--scale", "small"], "run 'make book SCALE=small' first"),
        (["pdf"], "run 'make book' first"),
        (["pdf", "--scale", "small"], "run 'make book SCALE=small' first"),
    ],
)
def test_unknown_names(results, capsys, words, message):
    assert main(words) == 1
    assert message in capsys.readouterr().err


def test_run_executes_and_judges_one_chapter(results, capfd):
    assert main(["run", "toy", "--scale", "small"]) == 0
    said = capfd.readouterr().out
    assert "✓ reproduced toy/answer" in said
    assert "_build/small/executed/01-toy.ipynb" in said


def test_pair_check(results, capsys):
    assert main(["pair", "--check"]) == 0
    (results.root / "notebooks/01-toy.md").write_text("# Other\n")
    assert main(["pair", "--check"]) == 1
    assert "out of step" in capsys.readouterr().err


def test_outside_a_book(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["claims"]) == 1
    assert "is not inside a book" in capsys.readouterr().err


def test_unknown_command_lists_the_known_ones(capsys):
    with pytest.raises(SystemExit):
        main(["bok"])
    assert "choose from" in capsys.readouterr().err
