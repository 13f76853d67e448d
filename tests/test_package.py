"""The package as a whole: quick to import, and its arrows run downwards only."""

import ast
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from support.__main__ import main

SUPPORT = Path(__file__).parent.parent / "support"
GAME = {"core", "exact", "learners", "sweep", "verdicts", "figures"}
"""What a game may know: every floor below, and no other game."""
ROOMS = [path.parent.name for path in SUPPORT.glob("games/*/__init__.py")]
MAY_IMPORT = {
    "core": set(),
    "exact": {"core"},
    "sweep": {"core"},
    "figures": set(),
    "verdicts": {"core"},
    "learners": {"core", "exact", "sweep"},
    "solve.py": {"core", "exact", "learners"},
    "judge.py": {"core", "exact", "learners", "solve", "games"},
    "lesson.py": {"core", "learners", "judge", "games"},
    "peers": {"core", "exact", "verdicts", "learners", "judge", "games/cards", "games/cups"},
    "trials.py": {"core", "learners", "judge", "lesson", "sweep", "games"},
    "course.py": {"core", "exact", "learners", "judge", "games"},
    "comparison": {"core", "exact", "learners", "sweep", "figures", "course", "games"},
    "games": {"core"},
    **{f"games/{room}": GAME for room in ROOMS},
    **{f"games/{room}": GAME | {"games/cups"} for room in ("call_or_raise", "wild_ones")},
    "play": GAME | {"solve", "games", "games/*"},
    "book": {"core", "sweep", "verdicts"},
}
"""What each part of the package may know; the command line knows all of them. ``games`` alone is the registry."""
PEERS = {"open_spiel", "pyspiel", "pygambit", "gymnasium", "pettingzoo", "stable_baselines3", "sb3_contrib"}
FOR_OTHERS = {SUPPORT / "games" / "wild_ones" / "environment.py", SUPPORT / "learners" / "ppo.py"}
"""An environment that other people's learners expect, and other people's learner at our tables."""


def test_import_is_quick():
    heavy = "{'numba', 'torch', 'matplotlib', 'scipy', 'jupyter_book'} & set(sys.modules)"
    code = (
        "import sys, support, support.verdicts.claims, support.games.three_dice.rules, support.__main__; "
        f"print({heavy})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_commands_load_only_what_they_use():
    heavy = "{'scipy.optimize', 'scipy.sparse', 'nbformat', 'sphinx', 'torch'} & set(sys.modules)"
    code = f"import sys, support.solve, support.trials, support.play.terminal, support.book.exports; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_without_openspiel_it_is_said_how_to_install_it():
    code = "import sys; sys.modules['pyspiel'] = None; import support.peers"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ModuleNotFoundError: support.peers needs OpenSpiel, but there is no module 'pyspiel'" in done.stderr
    assert done.stderr.strip().endswith("install the dependency group peers: pip install --group peers")


def test_the_version_is_the_projects_and_is_known_where_nothing_is_installed(monkeypatch, capsys):
    def version(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", version)
    with pytest.raises(SystemExit, match=r"^0$"):
        main(["--version"])
    project = tomllib.loads((SUPPORT.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert capsys.readouterr().out == f"python -m support {project['version']}\n"
    assert main(["judge"]) == 0


def imported(file: Path) -> set[str]:
    """The modules that a file imports, wherever in it, by their full names."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def part_of(file: Path) -> str:
    """The part of the package that a file, or what it imports, belongs to."""
    parts = file.relative_to(SUPPORT).with_suffix("").parts
    room = parts[0] == "games" and SUPPORT.joinpath(*parts[:2]).is_dir() and len(parts) > 1
    return "/".join(parts[:2]) if room else parts[0]


def files_of(part: str) -> list[Path]:
    return [file for file in sorted(SUPPORT.rglob("*.py")) if part_of(file) == part.removesuffix(".py")]


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_arrows_run_downwards(part):
    files = files_of(part)
    assert files
    for file in files:
        named = [SUPPORT.joinpath(*name.split(".")[1:]) for name in imported(file) if name.startswith("support.")]
        allowed = MAY_IMPORT[part] | {part.removesuffix(".py")}
        for known in {part_of(path) for path in named}:
            assert known in allowed or ("games/*" in allowed and known.startswith("games/")), f"{file}: {known}"


def test_every_part_has_its_arrows():
    parts = {
        part_of(file)
        for file in SUPPORT.rglob("*.py")
        if file.parent != SUPPORT or file.stem in ("solve", "judge", "lesson", "course", "trials")
    }
    assert parts == {part.removesuffix(".py") for part in MAY_IMPORT}


def test_no_module_takes_what_another_keeps_to_itself():
    """A name with an underscore belongs to its module."""
    taken = 0
    for file in SUPPORT.rglob("*.py"):
        for name in imported(file):
            if name.startswith("support."):
                taken += 1
                assert not name.rpartition(".")[2].startswith("_"), f"{file.relative_to(SUPPORT)} imports {name}"
    assert taken > 500


@pytest.mark.parametrize(
    "rules", ["biscuits/rules", "three_dice/rules", "cards/ace_king_queen", "cards/kuhn", "cards/leduc"]
)
def test_rules_need_nothing_but_the_standard_library(rules):
    """A web page plays by them, without numpy or pydantic; of the package they know the interface, and one another."""
    file = SUPPORT.joinpath("games", f"{rules}.py")
    for name in imported(file):
        own = name.startswith(("support.core.interface.", "support.games.cards.ace_king_queen."))
        assert own or name.partition(".")[0] in sys.stdlib_module_names, f"{rules} imports {name}"


def test_only_the_command_line_plays():
    for file in sorted(SUPPORT.rglob("*.py")):
        inside = file.relative_to(SUPPORT).parts[0] in ("play", "__main__.py")
        assert inside or "support.play" not in file.read_text(encoding="utf-8"), file


@pytest.mark.parametrize("part", [part for part in MAY_IMPORT if part != "peers"])
def test_games_and_solvers_stand_apart_from_those_they_are_compared_with(part):
    """The other implementations judge these results; sharing code with them would prove nothing."""
    files = [file for file in files_of(part) if file not in FOR_OTHERS]
    assert files
    for file in files:
        wrong = {name.split(".")[0] for name in imported(file)} & PEERS
        assert not wrong, f"{file.relative_to(SUPPORT)} imports {wrong}"
