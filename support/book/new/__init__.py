"""A running skeleton of a new game or a new learner, to be filled in: ``python -m support new``."""

import ast
import re
from collections.abc import Iterable
from keyword import iskeyword
from pathlib import Path
from runpy import run_path
from string import Template

from support.book.layout import EVIDENCE, BookError
from support.core.check import playthrough

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
HERE = Path(__file__).parent
PROGRAMS = ("rules.py", "test_rules.py", "learner.py", "test_learner.py")
LAST_GAME = 89  # chapters of higher numbers measure the machine


def new_game(root: Path, name: str) -> list[str]:
    """Write rules, their test, a chapter of a story and its evidence, a claim, a document and a line in the registry.

    Args:
        root: the book's folder.
        name: the name of the game, such as ``ten-coins``.

    Returns:
        What was written or changed, and then what is left to do, one line each.

    Raises:
        BookError: the name is not valid, or is already taken.
    """
    words = _words(name)
    taken = [int(path.name[:2]) for path in (root / "notebooks").glob("[0-8][0-9]-*.md")]
    words["number"] = number = f"{max(taken, default=0) + 1:02}"
    if int(number) > LAST_GAME:
        raise BookError(f"chapters of games have the numbers 01 to {LAST_GAME}, and all are taken")
    module = words["module"]
    files = {
        f"support/games/{module}/__init__.py": '"""$title: rules, and what only this game has."""\n',
        f"support/games/{module}/rules.py": _template("rules.py"),
        f"tests/games/{module}/test_{module}_rules.py": _template("test_rules.py"),
        f"notebooks/{number}-{name}.md": _template("story.md"),
        f"notebooks/{number}-{name}-evidence.md": _template("evidence.md"),
    }
    golden = {f"tests/games/playthroughs/{name}-{seed}.txt": seed for seed in (1, 2)}
    _require_free(root, name, [*files, *golden], "support/games/__init__.py")
    if name.endswith(EVIDENCE):
        raise BookError(f"chapters whose names end in {EVIDENCE} hold evidence; choose another name than '{name}'")
    if any((root / "notebooks").glob(f"[0-9][0-9]-{name}.md")):
        raise BookError(f"there is a chapter '{name}' already; choose another name")
    entry = f"""        Entry(
            "{name}",
            rules_at="support.games.{module}.rules:{words["Class"]}",
            small=(Small({{}}, 37, 0.1),),
            chapter="{number}-{name}",
        ),
"""
    _write(root, files, words)
    game = run_path(str(root / f"support/games/{module}/rules.py"))[words["Class"]]()
    for path, seed in golden.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(playthrough(game, seed), encoding="utf-8")
    _insert(root / "support/games/__init__.py", "GAMES", entry)
    for path, template in (
        ("book/claims.toml", "claim.toml"),
        ("book/documents.toml", "document.toml"),
        ("book/references.bib", "reference.bib"),
    ):
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(Template(_template(template)).substitute(words))
    _into_contents(root / "_toc.yml", f"{number}-{name}")
    return [
        *(f"wrote {path}" for path in [*files, *golden]),
        "changed support/games/__init__.py, book/claims.toml, book/documents.toml, book/references.bib, _toc.yml",
        f"1. Put your rules into support/games/{module}/rules.py, and what you know by hand into its test:",
        f"   .venv/bin/python -m pytest tests/games/{module} tests/games/test_every_game.py -k '{module} or {name}'",
        "   REWRITE_PLAYTHROUGHS=1 before it writes the golden games of tests/games/playthroughs again: read them.",
        "   A game must have an end: where positions could come back or a number grow for ever, limit the turns, and",
        "   put their count into the position and the information state.",
        "   The position must hold everything on which the future depends. Rewards and probabilities are whole numbers",
        "   or Fractions.",
        f"2. In support/games/__init__.py say how many positions the entry '{name}' has; the test tells.",
        "   If the test says that no solver takes it, add solved=False there, and replace solve in its test and its",
        "   evidence; play it against random, and judge a seat in Python: judge(policy, game, against=others, seat=0).",
        "3. Play it, and let a learner try it:",
        f"   .venv/bin/python -m support play {name}",
        f"   .venv/bin/python -m support judge q-learning --game {name}",
        f"4. Write the chapter, notebooks/{number}-{name}.md, and its evidence, notebooks/{number}-{name}-evidence.md:",
        "   .venv/bin/python -m support pair",
        f"   .venv/bin/python -m support run {name}-evidence --scale small",
        "5. Say who published what, and where, in place of each TODO in these and in book/claims.toml,",
        "   book/documents.toml and book/references.bib: make book refuses them. README.md and book/index.md",
        "   count the games.",
        "6. make test; make book. CONTRIBUTING.md says what each asks for.",
    ]


def new_learner(root: Path, name: str) -> list[str]:
    """Write a learner, its test and a line in the list of learners.

    Args:
        root: the book's folder.
        name: the name of the learner, such as ``ucb``.

    Returns:
        What was written or changed, and then what is left to do, one line each.

    Raises:
        BookError: the name is not valid, or is already taken.
    """
    if name == "all":
        raise BookError("'all' stands for all learners; choose another name")
    words = _words(name)
    module = words["module"]
    files = {
        f"support/learners/{module}.py": _template("learner.py"),
        f"tests/learners/test_{module}.py": _template("test_learner.py"),
    }
    _require_free(root, name, files, "support/learners/__init__.py")
    _write(root, files, words)
    where = f"support.learners.{module}:{words['Class']}"
    _insert(root / "support/learners/__init__.py", "LEARNERS", f'    "{name}": "{where}",\n')
    return [
        *(f"wrote {path}" for path in files),
        "changed support/learners/__init__.py",
        f"1. Put your method into support/learners/{module}.py, and what must come out into its test:",
        f"   .venv/bin/python -m pytest tests/learners/test_{module}.py",
        f"   .venv/bin/python -m pytest tests/learners/test_learners.py -k {name}",
        "2. Judge it, on one game and on every game that it fits:",
        f"   .venv/bin/python -m support judge {name} --game kuhn-poker",
        f"   .venv/bin/python -m support judge {name}",
        f'3. For a row in chapter 6, add "{name}": "{words["title"]}" at the end of LEARNERS in',
        "   support/comparison/everyone.py, and the name to WITHOUT_CHANCE if it draws no random numbers.",
        "4. make test. CONTRIBUTING.md says what it asks for.",
    ]


def _words(name: str) -> dict[str, str]:
    if not NAME.fullmatch(name) or len(name) > 40:
        raise BookError(f"a name is words of small letters and digits with hyphens, such as ten-coins, not '{name}'")
    if iskeyword(name):
        raise BookError(f"'{name}' is a word of Python's own, and no module can have it as its name; choose another")
    parts = name.split("-")
    kind = "".join(map(str.capitalize, parts))
    programs = "".join(map(_template, PROGRAMS))
    if iskeyword(kind) or kind in re.findall(r"\w+", programs):
        raise BookError(f"the class would be called {kind}, a name that its module needs; choose another name")
    return {
        "name": name,
        "module": "_".join(parts),
        "Class": kind,
        "title": " ".join(parts).capitalize(),
        "cite": f"author-{name}",
    }


def _template(name: str) -> str:
    return (HERE / f"{name}.txt").read_text(encoding="utf-8")


def _require_free(root: Path, name: str, files: Iterable[str], registry: str) -> None:
    for path in files:
        if (root / path).exists():
            raise BookError(f"there is a file {path} already; choose another name than '{name}'")
    if f'"{name}"' in (root / registry).read_text(encoding="utf-8"):
        raise BookError(f"{registry} has a '{name}' already; choose another name")


def _write(root: Path, files: dict[str, str], words: dict[str, str]) -> None:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template(text).substitute(words), encoding="utf-8")


def _insert(file: Path, name: str, line: str) -> None:
    """Insert a line at the end of the dictionary that a module gives a name, or of the list that it is made from."""
    text = file.read_text(encoding="utf-8")
    (value,) = (
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
    )
    last = value.generators[0].iter if isinstance(value, ast.DictComp) else value
    assert last.end_lineno is not None
    lines = text.splitlines(keepends=True)
    lines.insert(last.end_lineno - 1, line)
    file.write_text("".join(lines), encoding="utf-8")


def _into_contents(file: Path, chapter: str) -> None:
    """Put a story after the other games, and its evidence below it."""
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    begin = next(at for at, line in enumerate(lines) if "caption: The games" in line)
    end = next((at for at in range(begin + 1, len(lines)) if "- caption:" in lines[at]), len(lines))
    indent = next(line for line in lines[begin:end] if "- file:" in line).partition("-")[0]
    rows = [f"- file: notebooks/{chapter}", "  sections:", f"    - file: notebooks/{chapter}-evidence"]
    lines[end:end] = [f"{indent}{row}\n" for row in rows]
    file.write_text("".join(lines), encoding="utf-8")
