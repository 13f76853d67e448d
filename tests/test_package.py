"""The package as a whole: quick to import, and its arrows run downwards only."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parent.parent / "support"
MAY_NOT_IMPORT = {
    "games": {
        "environments",
        "agents",
        "exact",
        "kernels",
        "experiments",
        "claims",
        "stats",
        "bootstrap",
        "figures",
        "book",
        "notebook",
    },
    "agents": {"environments", "kernels", "experiments", "claims", "stats", "bootstrap", "figures", "book", "notebook"},
    "exact": {"environments", "kernels", "experiments", "claims", "stats", "bootstrap", "figures", "book", "notebook"},
    "kernels": {"environments", "experiments", "claims", "stats", "bootstrap", "figures", "book", "notebook"},
    "experiments": {"environments", "claims", "figures", "book", "notebook"},
    "environments": {"exact", "kernels", "experiments", "claims", "stats", "bootstrap", "figures", "book", "notebook"},
    "play": {"environments", "experiments", "claims", "stats", "bootstrap", "figures", "book", "notebook", "sweep"},
    "verdicts.py": {"games", "agents", "exact", "kernels", "experiments", "book", "claims"},
    "claims.py": {"games", "agents", "exact", "kernels", "experiments", "book"},
    "stats.py": {"games", "agents", "exact", "kernels", "experiments", "book"},
    "bootstrap.py": {"games", "agents", "exact", "kernels", "experiments", "book"},
    "figures": {"games", "agents", "exact", "kernels", "experiments", "book"},
}
PEERS = {"open_spiel", "pyspiel", "pygambit", "gymnasium", "pettingzoo", "stable_baselines3", "sb3_contrib"}


def test_import_is_quick():
    heavy = "{'numba', 'torch', 'matplotlib', 'scipy', 'jupyter_book'} & set(sys.modules)"
    code = f"import sys, support, support.claims, support.games.three_dice, support.__main__; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("part", MAY_NOT_IMPORT)
def test_arrows_run_downwards(part):
    path = SUPPORT / part
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            wrong = {name.split(".")[1] for name in names if name.startswith("support.")} & MAY_NOT_IMPORT[part]
            assert not wrong, f"{file.relative_to(SUPPORT)} imports {wrong}"


def test_only_the_command_line_plays():
    for file in sorted(SUPPORT.rglob("*.py")):
        inside = file.relative_to(SUPPORT).parts[0] in ("play", "__main__.py")
        assert inside or "support.play" not in file.read_text(encoding="utf-8"), file


@pytest.mark.parametrize("part", ["games", "agents", "exact"])
def test_games_and_solvers_stand_apart_from_those_they_are_compared_with(part):
    """The other implementations judge these results in tests; sharing code with them would prove nothing."""
    files = sorted((SUPPORT / part).rglob("*.py"))
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            wrong = {name.split(".")[0] for name in names} & PEERS
            assert not wrong, f"{file.relative_to(SUPPORT)} imports {wrong}"
