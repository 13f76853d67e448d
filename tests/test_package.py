"""The package as a whole: quick to import, and its arrows run downwards only."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SUPPORT = Path(__file__).parent.parent / "support"
MAY_IMPORT = {
    "games": set(),
    "agents": {"games"},
    "exact": {"games", "agents"},
    "kernels": {"games", "agents", "exact"},
    "environments": {"games", "agents"},
    "experiments": {"games", "agents", "exact", "kernels", "sweep", "stats", "timing", "scales"},
    "play": {"games", "agents", "exact", "kernels"},
    "sweep": set(),
    "figures": set(),
    "stats.py": set(),
    "bootstrap.py": {"stats"},
    "calibration.py": {"stats"},
    "timing.py": set(),
    "scales.py": set(),
    "verdicts.py": set(),
    "claims.py": {"verdicts"},
    "notebook.py": {"verdicts"},
    "book": {"claims", "verdicts", "notebook", "stats", "scales", "calibration"},
}
"""What each part of the package may know; the command line knows all of them."""
MAY_ALSO_IMPORT = {
    SUPPORT / "agents" / "wild_ones_model.py": {"exact"},
    SUPPORT / "exact" / "solve.py": {"kernels"},
}
"""The arrows that run back: an agent that plans with an exact answer, and a solver that iterates where it must."""
PEERS = {"open_spiel", "pyspiel", "pygambit", "gymnasium", "pettingzoo", "stable_baselines3", "sb3_contrib"}


def test_import_is_quick():
    heavy = "{'numba', 'torch', 'matplotlib', 'scipy', 'jupyter_book'} & set(sys.modules)"
    code = f"import sys, support, support.claims, support.games.three_dice, support.__main__; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def imported(file: Path) -> set[str]:
    """The modules that a file imports, wherever in it, by their full names."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names


def files_of(part: str) -> list[Path]:
    path = SUPPORT / part
    return [path] if path.is_file() else sorted(path.rglob("*.py"))


@pytest.mark.parametrize("part", MAY_IMPORT)
def test_arrows_run_downwards(part):
    files, parts = files_of(part), {Path(name).stem for name in MAY_IMPORT}
    assert files
    for file in files:
        known = {name.split(".")[1] for name in imported(file) if name.startswith("support.")} & parts
        wrong = known - MAY_IMPORT[part] - MAY_ALSO_IMPORT.get(file, set()) - {Path(part).stem}
        assert not wrong, f"{file.relative_to(SUPPORT)} imports {wrong}"


def test_every_part_has_its_arrows():
    parts = {path.name for path in SUPPORT.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
    assert parts == {*MAY_IMPORT, "__init__.py", "__main__.py"}


def public(file: Path) -> set[str]:
    """What a module lists in ``__all__``."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["__all__"]:
            return set(ast.literal_eval(node.value))
    return set()


def test_what_modules_share_is_public():
    """A name that another module imports stands in ``__all__``, and in the reference where there is one."""
    modules = {
        ".".join(("support", *file.relative_to(SUPPORT).with_suffix("").parts)): file for file in SUPPORT.rglob("*.py")
    }
    modules |= {name.removesuffix(".__init__"): file for name, file in modules.items() if name.endswith(".__init__")}
    shared = 0
    for file in SUPPORT.rglob("*.py"):
        for name in imported(file) - modules.keys():
            module, _, what = name.rpartition(".")
            if module in modules:
                shared += 1
                assert what in public(modules[module]), f"{file.relative_to(SUPPORT)} imports {name}, not in __all__"
    assert shared > 500


def test_only_the_command_line_plays():
    for file in sorted(SUPPORT.rglob("*.py")):
        inside = file.relative_to(SUPPORT).parts[0] in ("play", "__main__.py")
        assert inside or "support.play" not in file.read_text(encoding="utf-8"), file


@pytest.mark.parametrize("part", ["games", "agents", "exact"])
def test_games_and_solvers_stand_apart_from_those_they_are_compared_with(part):
    """The other implementations judge these results in tests; sharing code with them would prove nothing."""
    files = files_of(part)
    assert files
    for file in files:
        wrong = {name.split(".")[0] for name in imported(file)} & PEERS
        assert not wrong, f"{file.relative_to(SUPPORT)} imports {wrong}"
