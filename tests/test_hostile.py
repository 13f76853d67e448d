"""Command lines that nobody expected: no traceback, the right exit status, and a message of a few printable lines."""

import contextlib
import io
import json
import shlex
import subprocess
import sys

import pytest
from book.toy import toy_book

from support.__main__ import _parser, main
from support.book.exports import digest_of
from support.verdicts.claims import Claim, measure

MANY, LONG, ESCAPE = "9" * 5000, "x" * 5000, "\x1b]0;owned\x07\x1b[31m\x9b31m\u202e"
WORDS = {"@many": MANY, "@long": LONG, "@escape": ESCAPE, "@spaces": "9 " * 2500, "@zero": "a\0b", "@half": "\udc80"}
RECORD = "game: biscuits\nheaps: 8,4\nseats: you, perfect\nseed: 4\n\n8,4 > 7,4\n"
FILES = {
    "good": RECORD,
    "marked": "\ufeff" + RECORD,
    "windows": RECORD.replace("\n", "\r\n"),
    "obeyed": RECORD.replace("you", f"y{ESCAPE}ou"),
    "banana": RECORD.replace("seed: 4", "seed: banana"),
    "fraction": RECORD.replace("seed: 4", "seed: 1/2"),
    "blank-seed": RECORD.replace("seed: 4", "seed:"),
    "foreign-game": RECORD.replace("biscuits", ESCAPE),
    "foreign-line": ESCAPE + "\n" + RECORD,
    "foreign-key": RECORD.replace("seed", ESCAPE),
    "foreign-move": RECORD.replace("> 7,4", f"> {ESCAPE}"),
    "many-heaps": RECORD.replace("heaps: 8,4", f"heaps: {MANY}"),
    "no-heaps": RECORD.replace("heaps: 8,4", "heaps: 0,0"),
    "long-line": RECORD.replace("> 7,4", f"> {LONG}"),
    "empty": "",
    "big": RECORD + "x" * (1 << 21),
}
FINE = """
--help
--version
play
play --help
play biscuits --seed -1
play biscuits --seed 9999999999999999999999999999999999999999
play biscuits --record new/game.txt --seed 3
play biscuits --ascii --seat 2
replay good
replay marked
replay windows
replay obeyed
sweep
judge
claims
claims toy
claims --json
sweep biscuits --set games=10 --workers 0 --out swept
sweep result-table --set games=10 --set untried=inf --workers 0 --out unbounded
sweep result-table --set games=10 --set untried=inf --workers 0 --out unbounded
judge cfr --game kuhn-poker --games 1
pair
pair --check
new --help
"""
MISUSED = """
''
@escape
@long
--versions
-x
bok
play ''
play biscuits --against ''
play biscuits --record ''
play biscuits --heaps ''
play biscuits --heaps
play biscuits --seed ''
play biscuits --seed banana
play biscuits --seed 1e5
play biscuits --seed 1.0
play biscuits --seed 1_0
play biscuits --seed ٣
play biscuits --seed @many
play biscuits --seed @spaces
play biscuits --seed @escape
play biscuits --seat @many
play biscuits --seat one
play biscuits @escape
play biscuits --@escape
replay
replay ''
replay good bad
run
run ''
run toy --scale ''
pdf toy
claims ''
claims --scale ''
sweep ''
sweep biscuits --out ''
sweep biscuits --scheduler ''
sweep biscuits --set ''
sweep biscuits --seeds @many
sweep biscuits --root @many
sweep biscuits --workers @many
sweep biscuits --seeds inf
sweep biscuits --workers -
sweep biscuits unexpected
judge ''
judge cfr --game ''
judge cfr --games @many
judge cfr --seeds nan
judge cfr --root 0x10
new
new game
new game ''
new thing ten-coins
new @escape ten-coins
pair --force
book --scale
book now
"""
REFUSED = """
play chess
play @long
play @zero
play @half
play BISCUITS
play biscuits --against nobody
play biscuits --against @escape
play biscuits --against @many
play biscuits --against perfect --against perfect
play biscuits --heaps 0,0
play biscuits --heaps 8
play biscuits --heaps 8,4,2
play biscuits --heaps 8,-4
play biscuits --heaps 2000,1
play biscuits --heaps @many
play biscuits --heaps ²,³
play biscuits --heaps @escape
play biscuits --faces 3
play biscuits --seat 0
play biscuits --seat -1
play biscuits --seat 3
play biscuits --record good
play biscuits --record .
play biscuits --record nowhere/game.txt
play biscuits --record @long
play biscuits --record @zero
play wild-ones --players 1
play wild-ones --players 7
play wild-ones --players @many
play wild-ones --dice 0
play wild-ones --against random --against random --against random --against random --against random --against random
play wild-ones --players 4 --against random --against random
play three-dice --seat 2
play liars-dice --faces 1
play liars-dice --faces 99
play liars-dice --dice 3
play liars-dice --dice 1,3
replay nosuch
replay .
replay @long
replay @zero
replay @half
replay @escape
replay /dev/null
replay /dev/zero
replay empty
replay big
replay binary
replay banana
replay fraction
replay blank-seed
replay foreign-game
replay foreign-line
replay foreign-key
replay foreign-move
replay many-heaps
replay no-heaps
replay long-line
run chess
run @escape
run toy --scale huge
run toy --scale @many
book --scale huge
book --scale @escape
pdf
pdf --scale small
pdf --scale huge
claims chess
claims @many
claims --scale small
claims --scale huge
sweep chess
sweep @many
sweep @escape
sweep @zero
sweep :
sweep a:b
sweep ..:x
sweep os:system
sweep os:nosuch
sweep json:dumps
sweep biscuits:biscuits
sweep biscuits --seeds 0
sweep biscuits --seeds -1
sweep biscuits --seeds 1000000000000
sweep biscuits --root -1
sweep biscuits --root 999999999999999999999999999999999999999
sweep biscuits --workers -1
sweep biscuits --workers 1000000
sweep biscuits --set =
sweep biscuits --set games
sweep biscuits --set games=
sweep biscuits --set games=1,,2
sweep biscuits --set =1
sweep biscuits --set nosuch=1
sweep biscuits --set @escape=1
sweep biscuits --set games=x
sweep biscuits --set games=@many
sweep biscuits --set games=@escape
sweep biscuits --set games=-1
sweep biscuits --set games=1.5
sweep biscuits --set games=nan
sweep biscuits --set games=inf
sweep biscuits --set alpha=nan
sweep biscuits --set alpha=@many
sweep biscuits --set games=1 --set games=2
sweep biscuits --set games=1,1
sweep biscuits --set games=10 --workers 0 --out good
sweep biscuits --set games=10 --workers 0 --out good/inside
sweep biscuits --set games=10 --workers 0 --out @long
sweep biscuits --set games=20 --workers 0 --out kept
sweep result-table --set untried=nan
sweep result-table --set ties=@escape
sweep result-table --set exploration=2
sweep result-table --set exploration=1/0
sweep result-table --set game=chess
sweep result-table --set game=@escape
sweep result-table --set game=os:system
sweep call-or-raise --set players=9
sweep call-or-raise --set players=@many
sweep wild-ones --set games=-1
judge chess
judge @many
judge @escape
judge @zero
judge :
judge os:system
judge os.py:system
judge json:JSONDecoder
judge cfr --game chess
judge cfr --game @escape
judge cfr --games 0
judge cfr --games -5
judge result-table --game kuhn-poker --games 99999999999999999999
judge cfr --seeds 100000000000
judge cfr --root 999999999999999999999999999999999999999
judge cfr --seeds 0
judge cfr --root -1
judge cfr --game biscuits --game @many
new game TenCoins
new game 'ten coins'
new game @escape
new game ../ten
new game @long
new learner 9
new learner @half
"""
LINES = [
    (line, status) for status, lines in ((0, FINE), (2, MISUSED), (1, REFUSED)) for line in lines.strip().splitlines()
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A book with results, among them text that a terminal would obey; records; a finished sweep."""
    book = toy_book(tmp_path_factory.mktemp("hostile"))
    claim = Claim("toy/answer", "digits", f"The answer {ESCAPE} is 42.", "42", "reproduced", f"page {ESCAPE}")
    rows = [measure(claim, 42, note=ESCAPE).as_json()]
    rows[0]["published"] += ESCAPE
    book.results.parent.mkdir(parents=True)
    book.results.write_text(json.dumps({"digest": digest_of(rows), "claims": rows}), encoding="utf-8-sig")
    for name, text in FILES.items():
        (book.root / name).write_text(text, encoding="utf-8", newline="")
    (book.root / "binary").write_bytes(b"\xff\xfe\x00\x01\x80")
    (book.root / "new").mkdir()
    with contextlib.chdir(book.root):
        assert main(["sweep", "biscuits", "--set", "games=10", "--workers", "0", "--out", "kept"]) == 0
    return book.root


@pytest.mark.parametrize(("line", "status"), LINES, ids=[line for line, _ in LINES])
def test_a_command_line(line, status, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    words = shlex.split(line)
    for short, word in WORDS.items():
        words = [one.replace(short, word) for one in words]
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    try:
        found = main(words)
    except SystemExit as end:
        found = end.code
    out, err = capsys.readouterr()
    assert found == status, err
    assert bool(err) == (status != 0) or words[0] == "judge"  # which says what it does
    assert "Traceback" not in err
    said = [one for one in err.splitlines() if not one.startswith(("usage: ", " "))]
    assert len(said) <= 3
    assert sum(map(len, said)) < 2_500
    assert (out + err).replace("\n", "").isprintable()
    assert MANY not in out + err
    if status == 1:
        assert all(one.startswith("error: ") for one in said)


def test_there_are_many():
    assert len(LINES) > 200
    assert len(set(LINES)) > 200


def test_help_says_which_options_repeat():
    commands = next(action for action in _parser()._actions if action.dest == "command").choices
    repeated = set()
    for name, command in commands.items():
        for action in command._actions:
            several = type(action).__name__ == "_AppendAction"
            assert several == ("may be repeated" in (action.help or "")), (name, action.dest)
            repeated |= {(name, action.dest)} if several else set()
    assert repeated == {("play", "against"), ("sweep", "set"), ("judge", "game")}


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("sweep biscuits --out ''", "argument --out: must not be empty"),
        ("replay ''", "argument FILE: must not be empty"),
        ("play biscuits --record ''", "argument --record: must not be empty"),
        ("''", "argument COMMAND: invalid choice: ''"),
    ],
)
def test_an_empty_word_is_named_by_the_command_that_it_was_given(line, named, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(shlex.split(line))
    assert named in capsys.readouterr().err


def test_what_is_wrong_is_named_as_it_was_written(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for line, named in [
        ("play wild-ones" + " --against random" * 6, "wild-ones takes up to 5 opponents, not 6"),
        ("play biscuits --heaps 0,0", "the heaps must hold at least one biscuit"),
        ("replay banana", "banana: seed must be a whole number, not 'banana'"),
        ("claims --scale small", "run 'make book SCALE=small' first"),
        ("replay no-heaps", "the heaps must hold at least one biscuit"),
        ("sweep result-table --set game=chess", "no game 'chess'; there are biscuits, "),
        ("judge cfr --seeds 100000000000", "seeds must be at most 1,000,000, not 100,000,000,000"),
    ]:
        assert main(line.split()) == 1
        assert named in capsys.readouterr().err
    for line, named in [
        ("sweep biscuits --out=", "argument --out: must not be empty"),
        ("new thing ten", "argument game|learner: "),
    ]:
        with pytest.raises(SystemExit):
            main(line.split())
        assert named in capsys.readouterr().err


COMMANDS = ["play --help", "play", "play biscuits", "replay good", "claims", "judge", "pair"]
COMMANDS += ["sweep biscuits --set games=10 --workers 0 --out piped", "judge cfr --game kuhn-poker --games 1"]
STREAMS = {
    ">&-": (1, "error: the output is closed; send it to a file, or to /dev/null\n"),
    ">/dev/full": (1, "error: the output cannot be written: No space left on device\n"),
    "| true": (141, "stopped: nobody reads the output any more\n"),
    "<&-": (0, None),
    "2>&-": (0, ""),
    "2>/dev/full": (0, ""),
    "<&- >&- 2>&-": (1, ""),
    ">/dev/full 2>&1": (1, ""),
}


@pytest.mark.parametrize("streams", STREAMS)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_that_is_closed_or_full(command, streams, folder):
    line = f"set -o pipefail; {shlex.quote(sys.executable)} -m support {command} {streams}"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    status, message = STREAMS[streams]
    assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    if message is not None:
        progress = [one for one in done.stderr.splitlines(True) if one.startswith(("kuhn-poker: ", "biscuits: "))]
        assert done.stderr == "".join(progress) + message
