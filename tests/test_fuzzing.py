"""Whatever text comes in, only documented errors come out, each with a message; what parses prints and reads back.

FUZZ_EXAMPLES is how many examples each test tries.
"""

import argparse
import contextlib
import io
import os
import random
from fractions import Fraction

import pytest
from book.toy import CLAIM
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import support.__main__ as command_line
from support.book.exports import read_results
from support.core.interface import NotationError
from support.core.style import Style
from support.core.table import PlayError
from support.games import GAMES as PLAYED
from support.games.biscuits.rules import Biscuits
from support.games.biscuits.rules import play as play_biscuits
from support.games.call_or_raise.rules import CallOrRaise
from support.games.cups.liars_dice import LiarsDice
from support.games.three_dice.rules import DiceGame
from support.games.wild_ones.rules import WildOnes
from support.play.record import read_record, replay
from support.play.seating import game_of
from support.verdicts.claims import VERDICTS, Claim, ClaimError, Measurement, Registry, measure
from support.verdicts.judging import as_html, as_text

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", "50"))
fuzz = settings(
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    derandomize=EXAMPLES <= 50,
    suppress_health_check=list(HealthCheck),
)
RULES = [
    *(entry.rules() for entry in PLAYED.values()),
    LiarsDice(3),
    Biscuits(13, 8),
    DiceGame(2, 3, (2, 4, 9), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), Fraction(1, 2)),
    CallOrRaise(2, 1),
    CallOrRaise(3, 2, bounded=True),
    WildOnes(2, 1),
]
WORDS = ">|:|,|;| |\n|\t|\0|f|c|r|A K|K Q|8,4|7,4|0,0|1,4,5|hold 4,5|hold none|stick|2 opens|16|1446|call|raise 4|liar"
WORDS += "|exact|2x3|1x1|999x9|4 2|-1|+1|1_0|١|²|½|e|nan|inf|1e999999999|\u2028|\U0001f3b2|'|\"|{|}|%s|[|]|=|#|\\|\r"
VOCABULARY = [*WORDS.split("|"), "9" * 5000, "[" * 3000]
ANY = st.one_of(st.text(max_size=40), st.lists(st.sampled_from(VOCABULARY), max_size=12).map("".join))


@st.composite
def harmed(draw, text):
    """A text that was right, with some places changed."""
    for _ in range(draw(st.integers(0, 3))):
        at, end = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        if draw(st.booleans()):
            end = min(at + 1, len(text))
        text = text[:at] + draw(st.one_of(st.just(""), st.sampled_from(VOCABULARY), st.text(max_size=3))) + text[end:]
    return text


def random_game(game, seed, moves):
    dice, state = random.Random(seed), game.initial_state()
    for _ in range(moves):
        if state.is_terminal():
            break
        state = state.child(dice.choice(state.possible()))
    return state


@st.composite
def notations(draw, game):
    if draw(st.integers(0, 3)) == 0:
        return draw(ANY)
    state = random_game(game, draw(st.integers(0, 2**32)), draw(st.integers(0, 12)))
    return draw(harmed(str(state)))


def clear(error, name=""):
    """A message, which names what was wrong."""
    assert str(error).strip()
    assert name in str(error)


@pytest.mark.parametrize("game", RULES, ids=str)
@fuzz
@given(data=st.data())
def test_notations(game, data):
    text = data.draw(notations(game))
    try:
        state = game.parse(text)
    except NotationError as error:
        clear(error)
    else:
        assert game.parse(str(state)) == state
        assert str(game.parse(str(state))) == str(state)


@fuzz
@given(data=st.data())
def test_games_that_name_their_heaps(data):
    text = data.draw(notations(Biscuits(data.draw(st.integers(0, 20)), data.draw(st.integers(1, 20)))))
    try:
        state = play_biscuits(text)
    except NotationError as error:
        clear(error)
    else:
        assert play_biscuits(str(state)) == state


SIZE = st.one_of(st.integers(-3, 10**20).map(str), st.integers(0, 8).map(str), ANY, st.just("8,4").flatmap(harmed))


@fuzz
@given(
    name=st.one_of(st.sampled_from([*PLAYED]), ANY),
    sizes=st.dictionaries(st.sampled_from(["heaps", "dice", "players", "seats"]), SIZE, max_size=3),
)
def test_sizes_of_games(name, sizes):
    try:
        game = game_of(name, sizes)
    except PlayError as error:
        clear(error)
    else:
        assert game.parse(str(game.initial_state())) == game.initial_state()


@st.composite
def records(draw):
    name = draw(st.sampled_from([*PLAYED]))
    game = game_of(name, {})
    state = random_game(game, draw(st.integers(0, 2**32)), draw(st.integers(0, 12)))
    header = {
        "game": name,
        **{size: str(option) for size, option in PLAYED[name].options.items()},
        "seats": ", ".join(f"p{at}" for at in range(game.num_players)),
        "seed": "1",
    }
    for key in draw(st.lists(st.sampled_from([*header, "dice", "more"]), max_size=2)):
        header[key] = draw(SIZE)
    return draw(harmed("".join(f"{key}: {value}\n" for key, value in header.items()) + f"\n{state}\n"))


@fuzz
@given(content=st.one_of(records().map(lambda text: text.encode("utf-8", "surrogatepass")), st.binary(max_size=60)))
def test_records(content, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "game.txt"
    path.write_bytes(content)
    try:
        record = read_record(path)
    except PlayError as error:
        clear(error)
    else:
        assert record.game.parse(str(record.states[-1])) == record.states[-1]
        assert replay(record, Style())


SCALAR = st.one_of(
    st.integers(), st.integers(10**300, 10**320), st.floats(), st.booleans(), st.none(), ANY, st.fractions(), st.dates()
)
VALUE = st.recursive(
    SCALAR, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(ANY, inner, max_size=3))
)
PUBLISHED = st.one_of(
    ANY, SCALAR.map(str), st.sampled_from(["NaN", "sNaN", "-Infinity", "1e999999999", "1e-999999999"])
)
FIELDS = [*Claim.__dataclass_fields__]


@fuzz
@given(
    content=st.one_of(
        harmed(CLAIM).map(str.encode), harmed(CLAIM * 2).map(str.encode), ANY.map(str.encode), st.binary(max_size=60)
    )
)
def test_registries(content, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "claims.toml"
    path.write_bytes(content)
    try:
        registry = Registry.load(path)
    except ClaimError as error:
        clear(error)
    else:
        assert all(registry[name].id == name for name in registry)


@fuzz
@given(fields=st.fixed_dictionaries(dict.fromkeys(FIELDS, VALUE)))
def test_claims_of_anything(fields):
    try:
        claim = Claim(**fields)
    except ValueError as error:
        clear(error)
    else:
        assert claim.id.startswith(f"{claim.chapter}/")


KINDS = {"digits": "reproduced", "rate": "differs", "truth": "answered", "finding": "refuted", "question": "answered"}
DETAILS = st.dictionaries(st.sampled_from([*Measurement.__dataclass_fields__, "more"]), VALUE, max_size=3)
SOUND = st.fixed_dictionaries(
    {},
    optional={
        "holds": st.booleans(),
        "surprise": st.floats(0, 1),
        "control": st.floats(0, 1),
        "interval": st.just((1.0, 2.0)),
        "interval_kind": st.just("runs"),
        "seeds": st.integers(1, 100),
        "games": st.integers(0, 10**12),
    },
)


@fuzz
@given(kind=st.sampled_from([*KINDS]), published=PUBLISHED, measured=VALUE, details=st.one_of(SOUND, DETAILS))
def test_measurements(kind, published, measured, details):
    claim = Claim("toy/answer", kind, "It is so.", published, KINDS[kind], "page 1")
    details.pop("measured", None)
    try:
        record = measure(claim, measured, **details)
    except ClaimError as error:
        clear(error, "toy/answer")
    else:
        row = record.as_json()
        assert row["verdict"] in VERDICTS[kind]
        assert as_text(row)
        assert as_html(row)


@fuzz
@given(
    content=st.one_of(
        harmed('{"scale": "small", "digest": "", "claims": []}').map(str.encode),
        ANY.map(str.encode),
        st.binary(max_size=60),
    )
)
def test_results_files(content, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "claims.json"
    path.write_bytes(content.replace(b"\\ud8", b""))
    try:
        read_results(path)
    except ClaimError as error:
        clear(error)


COMMANDS = [*command_line.COMMANDS]
OPTIONS = ["--scale", "--force", "--json", "--seeds", "--set", "--root", "--out", "--workers", "--scheduler", "--check"]
OPTIONS += ["--against", "--seat", "--players", "--dice", "--heaps", "--seed", "--record", "--ascii", "-h", "--"]
WORD = st.one_of(
    st.sampled_from(COMMANDS),
    st.sampled_from(OPTIONS),
    st.sampled_from([*PLAYED, "small", "published", "three-dice"]),
    st.sampled_from(["random", "perfect", "result-table", "exploration=1/100", "seat=", "=", "a:b", "0", "2"]),
    SIZE,
)


@fuzz
@given(words=st.tuples(st.sampled_from(COMMANDS), st.lists(WORD, max_size=6)).map(lambda pair: [pair[0], *pair[1]]))
def test_the_command_line_is_parsed(words):
    assert_parsed(words)


@fuzz
@given(words=st.lists(WORD, max_size=6))
def test_any_words_are_parsed(words):
    assert_parsed(words)


def assert_parsed(words):
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
            options = command_line._parser().parse_args(words)
    except SystemExit as end:
        status = end.code
    else:
        assert isinstance(options, argparse.Namespace)
        assert options.command in command_line.COMMANDS
        return
    assert status in (0, 2)
    assert said.getvalue().strip()


@pytest.fixture
def quiet(tmp_path, monkeypatch):
    """A place of its own, where nothing is built, no sweep is run and nobody sits at the table for long."""
    for name in ("support.book.build.build_book", "support.book.build.run_chapter", "support.sweep.sweep"):
        monkeypatch.setattr(name, _not_now)
    monkeypatch.setattr("support.play.terminal.Session.play", lambda session: None)
    monkeypatch.setattr("support.play.seating.agent_of", lambda *_: None)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "_toc.yml").touch()
    monkeypatch.chdir(tmp_path)


def _not_now(*_, **__):
    raise PlayError("not in this test")


@fuzz
@given(words=st.tuples(st.sampled_from(COMMANDS), st.lists(WORD, max_size=6)).map(lambda pair: [pair[0], *pair[1]]))
def test_commands_end_with_a_status_and_a_message(quiet, words):
    said, wrong = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stderr(wrong), contextlib.redirect_stdout(said):
            status = command_line.main(words)
    except SystemExit as end:
        status = end.code
    assert status in (0, 1, 2)
    assert bool(wrong.getvalue().strip()) == (status != 0)
