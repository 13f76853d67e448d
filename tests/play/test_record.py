"""Games written to files and shown again."""

import io
import sys

import pytest

from support.__main__ import main
from support.play.record import read_record

from .test_play import SMALL


def played(monkeypatch, tmp_path, name, lines, *words):
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    path = tmp_path / f"{name}.txt"
    assert main(["play", name, "--seed", "4", "--record", str(path), "--ascii", *words]) == 0
    return path


MOVES = {
    "biscuits": ["4,3", "0,0", "1,2", "0,1", "0,2", "1,0", "0,0"],
    "three-dice": ["hold none", "stick"],
    "ace-king-queen": ["c", "c"],
    "kuhn-poker": ["c", "c"],
    "leduc-poker": ["c"] * 4,
    "liars-dice": ["liar"] * 3 + ["1x2", "liar"],
    "call-or-raise": ["call"] * 20,
    "wild-ones": ["liar", "4x6", "3x6", "2x6"] * 20,
}


@pytest.mark.parametrize("name", SMALL)
def test_round_trip(name, monkeypatch, tmp_path, capsys):
    path = played(monkeypatch, tmp_path, name, MOVES[name], *SMALL[name])
    record = read_record(path)
    last = record.states[-1]
    assert last.is_terminal()
    assert record.game.parse(str(last)) == last
    assert path.read_text().splitlines()[0] == f"game: {name}"
    assert path.read_text().endswith(f"\n\n{last}\n")
    first = capsys.readouterr().out
    assert main(["replay", str(path), "--ascii"]) == 0
    shown = capsys.readouterr().out
    ending = shown.splitlines()[-1]
    assert ending in first
    assert len([line for line in shown.splitlines() if line[:4].strip().isdigit()]) == len(record.states) - 1


def test_a_game_left_early_is_recorded_too(monkeypatch, tmp_path, capsys):
    path = played(monkeypatch, tmp_path, "biscuits", ["7,4", "quit"])
    assert main(["replay", str(path)]) == 0
    assert capsys.readouterr().out.endswith("The game was left before its end.\n")
    path = played(monkeypatch, tmp_path, "wild-ones", ["quit"])
    assert main(["replay", str(path)]) == 0


def test_no_file_is_written_over(monkeypatch, tmp_path, capsys):
    path = played(monkeypatch, tmp_path, "biscuits", [])
    before = path.read_text()
    assert main(["play", "biscuits", "--record", str(path)]) == 1
    assert "exists already" in capsys.readouterr().err
    assert path.read_text() == before
    assert main(["play", "biscuits", "--record", str(tmp_path / "no" / "where")]) == 1
    assert "there is no folder" in capsys.readouterr().err


HEAD = "game: biscuits\nheaps: 8,4\nseats: you, perfect\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the header must name 'game'"),
        ("hello\n", "line 1: expected a new 'name: value' of the header, not 'hello'"),
        ("game: chess\nseats: you, he\n\ne4\n", "no game 'chess'; there are biscuits"),
        ("game: biscuits\ngame: biscuits\n", "line 2: expected a new"),
        (HEAD + "dice: 3\n\n8,4\n", "the header of biscuits has no 'dice'; it may have game, seats, seed, heaps"),
        (HEAD.replace("8,4", "8") + "\n8,4\n", "heaps are Digestives and Rich Teas"),
        (HEAD.replace(", perfect", "") + "\n8,4\n", "2 players need 2 seats, not 1"),
        (HEAD + "\n8,4 > 9,9\n", "move 1, '9,9'"),
        (HEAD + "\n7,4 > 6,4\n", "this game starts from '8,4', not from '7,4'"),
        (HEAD + "\n8,4\n7,4\n", "the game must be one line"),
        (HEAD + "\n8,4 > 0,4 > 0,0 > 0,0\n", "the game is already over"),
        ("game: wild-ones\nplayers: 2\nseats: a, b\n\n1 opens > 66 > 1\n", "move 3, '1'"),
    ],
)
def test_wrong_files_get_clear_errors(text, message, tmp_path, capsys):
    path = tmp_path / "game.txt"
    path.write_text(text)
    assert main(["replay", str(path)]) == 1
    assert message in capsys.readouterr().err


def test_files_that_are_none(tmp_path, capsys):
    assert main(["replay", str(tmp_path / "none")]) == 1
    assert "cannot be read: No such file" in capsys.readouterr().err
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00\x01\x80")
    assert main(["replay", str(tmp_path / "bytes")]) == 1
    assert "is not a text file" in capsys.readouterr().err
    assert main(["replay", str(tmp_path)]) == 1
    assert "cannot be read" in capsys.readouterr().err
