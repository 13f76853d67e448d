"""A new game and a new learner by command: what they write runs at once, in a copy of this book."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from numba.core.caching import _CacheLocator

from support.__main__ import main
from support.book.layout import Book, BookError
from support.book.new import new_game, new_learner
from support.book.pairs import sync
from support.core.compiled import KEPT, PACKAGE, code_hash, folder_of
from support.games import GAMES

from .toy import ROOT

COPIED = (
    "support",
    "tests/games/test_every_game.py",
    "tests/games/playthroughs",
    "tests/learners",
    "tests/conftest.py",
    "tests/table_games.py",
)
COPIED += ("book", "notebooks", "_toc.yml", "_config.yml", "requirements.lock", "pyproject.toml")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the book with a new game and a new learner."""
    root = tmp_path_factory.mktemp("book")
    for name in COPIED:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, root / name)
    written = root, new_game(root, "ten-coins"), new_learner(root, "first-guess")
    copy_compiled(root)
    sync(Book(root))
    return written


def copy_compiled(root):
    """Copy what numba has compiled so far, which it keeps under hashes of where modules lie and of their sources."""
    for module in PACKAGE.rglob("*_fast.py"):
        kept, copied = folder_of(module), root / module.relative_to(ROOT)
        here, there = map(_CacheLocator.get_suitable_cache_subpath, (module, copied))
        unfinished = shutil.ignore_patterns("*.tmp.*")  # by another process that compiles
        if (kept / here).exists():
            name = kept.name.replace(code_hash(module), code_hash(copied, root))
            shutil.copytree(kept / here, root / KEPT.relative_to(ROOT) / name / there, ignore=unfinished)


def run(root, *command, typed="", status=0):
    """Run a command in the copy; returns what it printed, errors last."""
    environment = {**os.environ, "PYTHONPATH": str(root), "COVERAGE_PROCESS_START": ""}
    command = [sys.executable, "-m", *command]
    done = subprocess.run(command, cwd=root, env=environment, input=typed, capture_output=True, text=True, timeout=600)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def commands(lines):
    """The words of each command in some lines, after the interpreter."""
    found = (line.strip().removeprefix(".venv/bin/python -m ") for line in lines if ".venv/bin/python -m " in line)
    return [shlex.split(command, comments=True) for command in found]


def test_what_they_write_is_named(copy):
    root, game, learner = copy
    for line in (*game, *learner):
        if line.startswith("wrote "):
            assert (root / line.removeprefix("wrote ")).is_file()
    assert any("what" in line or "Put" in line for line in game)
    contents = (root / "_toc.yml").read_text()
    story = Book(root).chapter("ten-coins").name
    assert contents.index("05-wild-ones") < contents.index(f"{story}\n") < contents.index(f"{story}-evidence")
    assert contents.index(f"{story}-evidence") < contents.index("06-play")


COMPARISON = "support judge mine:FirstGuess q-learning sarsa --nodes 100000 --game coins:TenCoins --game kuhn-poker"


def test_every_command_that_they_print_works(copy):
    root, game, learner = copy
    said, few = {}, ["--games", "300", "--game", "ten-coins"]
    for name in GAMES.keys() - {"wild-ones"}:  # whose judge takes a minute; test_trials.py takes all games by default
        few += ["--game", name]
    for words in commands((*game, *learner)):
        all_games = words[:2] == ["support", "judge"] and "--game" not in words
        said[" ".join(words)] = run(root, *words, *few * all_games, typed="hint\n1\nquit\n")
    assert len(said) == 9
    assert all(re.search(r"\d+ passed", text) for words, text in said.items() if words.startswith("pytest"))
    assert "Best is 1" in said["support play ten-coins"]
    assert "Chance: " in said["support play ten-coins"]
    assert "answered" in said["support run ten-coins-evidence --scale small"]
    for words in ("support judge q-learning --game ten-coins", "support judge first-guess"):
        assert re.search(r"ten-coins.* NashConv", said[words])
    assert "does not fit" not in said["support judge q-learning --game ten-coins"]
    run(root, "support", "run", "ten-coins", "--scale", "small")
    shorter = COMPARISON.replace("100000", "2000 --seeds 2 --workers 0")
    shorter = shorter.replace("mine:", "support.learners.first_guess:")
    shorter = shorter.replace("coins:", "support.games.ten_coins.rules:")
    assert len(re.findall(r"^(?:\S+:FirstGuess|q-learning) .* 2$", run(root, *shorter.split()), re.M)) == 4


def test_the_page_and_the_readme_name_commands_that_work(copy):
    """Those that the commands print themselves, which write it all, or what needs no more than the book."""
    _, game, learner = copy
    known = [" ".join(words) for words in commands((*game, *learner))]
    known += ["support new game ten-coins", "support new learner first-guess", "support judge"]
    known += [COMPARISON, "support judge result-table --seeds 4", "support judge mine:Learner --game kuhn-poker"]
    known += ["support judge mine:Learner cfr sarsa --nodes 1000000"]
    _, _, readme = (ROOT / "README.md").read_text().partition("## Your own game, your own learner")
    for text in (readme.partition("\n## ")[0], (ROOT / "notebooks/92-your-own.md").read_text()):
        whole = text.replace("\\\n", "").splitlines()  # a backslash at the end of a line: the command goes on
        assert {" ".join(words) for words in commands(whole)} <= set(known)


def test_the_book_refuses_what_is_still_to_be_written(copy):
    root, *_ = copy
    said = run(root, "support", "book", status=1)
    story = f"notebooks/{Book(root).chapter('ten-coins').name}"
    for place in ("book/claims.toml", "book/documents.toml", "book/references.bib", story):
        assert re.search(rf"error: {place}.*TODO.* is still to be written", said)


def test_what_they_write_is_in_good_style(copy):
    root, *_ = copy
    new = ["support/games/ten_coins", "support/learners/first_guess.py", "support/games/__init__.py"]
    new += ["support/learners/__init__.py", "tests/games/ten_coins", "tests/learners/test_first_guess.py"]
    run(root, "ruff", "check", *new)
    run(root, "ruff", "format", "--check", *new)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Ten Coins", "a name is words of small letters"),
        ("../coins", "a name is words of small letters"),
        ("wild-ones", "choose another name"),
        ("class", "'class' is a word of Python's own"),
        ("ten-coins", "there is a file"),
        ("scaling", "there is a chapter 'scaling' already"),
        ("play", "there is a chapter 'play' already"),
        ("true", "the class would be called True, a name that its module needs"),
        ("state", "the class would be called State, a name that its module needs"),
        ("nim-evidence", "chapters whose names end in -evidence hold evidence"),
    ],
)
def test_a_name_that_will_not_do(copy, name, message):
    root, *_ = copy
    before = sorted(root.rglob("*"))
    with pytest.raises(BookError, match=message):
        new_game(root, name)
    assert sorted(root.rglob("*")) == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("result-table", "choose another name"),
        ("all", "'all' stands for all learners"),
        ("tabular-policy", "called TabularPolicy"),
    ],
)
def test_a_learner_of_a_name_that_is_taken(copy, name, message):
    with pytest.raises(BookError, match=message):
        new_learner(copy[0], name)


def test_without_a_book_there_is_nothing_to_write_to(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "game", "ten-coins"]) == 1
    assert "is not inside a book" in capsys.readouterr().err


def programs(source):
    """The methods of all classes in some code, by class and name, without their docstrings."""
    found = {}
    for kind in (node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)):
        for method in (node for node in kind.body if isinstance(node, ast.FunctionDef)):
            if ast.get_docstring(method):
                method.body = method.body[1:]
            found[kind.name, method.name] = ast.unparse(method)
    return found


def test_the_page_shows_what_the_commands_write(copy):
    root, *_ = copy
    cells = json.loads((ROOT / "notebooks/92-your-own.ipynb").read_text())["cells"]
    page = programs("\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"))
    rules, learner = "support/games/ten_coins/rules.py", "support/learners/first_guess.py"
    written = programs((root / rules).read_text()) | programs((root / learner).read_text())
    assert len(page) >= 10
    assert {name: written[name] for name in page} == page
    assert written.keys() - page.keys() == {("TenCoins", "__post_init__")}
