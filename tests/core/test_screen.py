"""What reaches the screen: foreign text made printable, long text cut, and streams that are left as they were."""

import io
import sys

import pytest

from support.core.screen import BEGINNING, LINE, WORD, OutputError, printable, safe_streams, shortened, unknown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, “quoted” − ⚀ 🎲", "plain, “quoted” − ⚀ 🎲"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("\x1b[31mred\x07", r"\u001b[31mred\u0007"),
        ("\r\x9b\u202e\u2028\ufeff", r"\r\u009b\u202e\u2028\ufeff"),
        ("\udc80", r"\udc80"),
        ("\U000e0001", r"\udb40\udc01"),
    ],
)
def test_what_a_terminal_would_obey_is_shown(text, shown):
    assert printable(text) == shortened(text) == shown


def test_long_words_and_lines_are_cut():
    assert shortened("9" * WORD) == "9" * WORD
    assert shortened(f"not '{'9' * 5000}'; known are a, b") == f"not '{'9' * (BEGINNING - 1)}… known are a, b"
    assert shortened("9 " * LINE + "\nnext") == ("9 " * LINE)[:LINE] + "…\nnext"


def test_streams_of_others_are_left_alone(capsys):
    before = sys.stdin, sys.stdout, sys.stderr
    with safe_streams():
        assert sys.stdout is before[1]
    assert (sys.stdin, sys.stdout, sys.stderr) == before


def test_a_full_disk_is_told_once(monkeypatch, tmp_path):
    with open("/dev/full", "w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with (
            pytest.raises(OutputError, match=r"^error: the output cannot be written: No space left") as error,
            safe_streams(),
        ):
            print("lost")
        assert error.value.status == 1
        assert sys.stdout is full
    with open(tmp_path / "ascii", "w", encoding="ascii") as file:
        monkeypatch.setattr(sys, "stdout", file)
        with safe_streams():
            print("⚀")
    assert (tmp_path / "ascii").read_text() == "\\u2680\n"


def test_input_that_cannot_be_decoded(monkeypatch):
    given = io.TextIOWrapper(io.BytesIO(b"7,4\xff\n"), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", given)
    with safe_streams():
        assert sys.stdin.readline() == "7,4\ufffd\n"
    assert (sys.stdin, given.errors, given.buffer.closed) == (given, "strict", False)


@pytest.mark.parametrize(
    ("name", "choice"),
    [
        ("three-dize", "did you mean three-dice?"),
        ("CUPS", "did you mean cups?"),
        ("THR", "did you mean three-dice?"),
        (None, "there are cups, three-dice."),
        ("chess", "there are cups, three-dice."),
        ("", "there are cups, three-dice."),
    ],
)
def test_who_types_an_unknown_name_is_shown_known_ones(name, choice):
    assert unknown("game", name, ["cups", "three-dice"]) == f"there is no game '{name}'; {choice}"
    assert unknown("game", name, [], " here") == f"there is no game '{name}' here; there are none."
