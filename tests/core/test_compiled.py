"""Compiled functions are compiled once, also where several processes want them at the same time."""

import subprocess
import sys

import pytest

from support.core import compiled
from support.core.compiled import code_hash, folder_of

PROGRAM = """
import sys
from pathlib import Path
from support.core import compiled
compiled.KEPT = Path(sys.argv[1])
sys.path.insert(0, sys.argv[1])
import toy_fast
print("ready", flush=True)
sys.stdin.readline()
assert toy_fast.outer(20) == sum(k * k for k in range(20))
print(sum(function.stats.cache_misses[s] for function in (toy_fast.outer, toy_fast.inner)
          for s in function.stats.cache_misses))
"""
TOY = """
from support.core.compiled import lean, njit

@lean(cache=True)
def inner(k):
    return k * k

@njit(cache=True)
def outer(n):
    total = 0
    for k in range(n):
        total += inner(k)
    return total
"""


def test_one_process_compiles_and_the_others_wait_for_it(tmp_path):
    (tmp_path / "toy_fast.py").write_text(TOY)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    running = [subprocess.Popen(command, **pipes) for _ in range(3)]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    misses = [process.communicate("go\n")[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert sorted(map(int, misses)) == [0, 0, 2]


def test_a_hash_covers_all_that_a_module_imports(tmp_path):
    files = {
        "a/fast.py": "import numpy as np\nfrom a.plain import (\n    ONE,\n    TWO,\n)\nfrom a import other, more\n",
        "a/plain.py": "from a.deep.constants import ONE\nTWO = 2\n",
        "a/deep/constants.py": "ONE = 1\n",
        "a/other.py": "import a.last as last\n",
        "a/more.py": "",
        "a/last.py": "",
    }
    beside = {"a/__init__.py": "", "a/deep/__init__.py": "", "a/beside.py": "from a import fast\n"}
    for name, text in {**files, **beside}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    module = tmp_path / "a" / "fast.py"
    seen = {code_hash(module, tmp_path)}
    for name, text in files.items():
        (tmp_path / name).write_text(text + "ONE = 3\n")
        seen.add(code_hash(module, tmp_path))
    assert len(seen) == 1 + len(files)
    for name, text in beside.items():
        (tmp_path / name).write_text(text + "ONE = 3\n")
    assert code_hash(module, tmp_path) in seen
    (tmp_path / "a" / "fast.py").write_text(files["a/fast.py"] + "from a import VALUE\n")  # now of the package itself
    seen.add(code_hash(module, tmp_path))
    (tmp_path / "a" / "__init__.py").write_text("VALUE = 1\n")
    assert code_hash(module, tmp_path) not in seen


def test_what_was_compiled_of_an_earlier_version_is_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "KEPT", tmp_path)
    module = tmp_path / "toy_fast.py"
    module.write_text(TOY)
    folder = folder_of.__wrapped__(module)
    kept, earlier, beside = folder, tmp_path / "toy_fast-0123456789abcdef", tmp_path / "toy_fastest-0123456789abcdef"
    for made in (kept, earlier, beside):
        made.mkdir()
    assert folder_of.__wrapped__(module) == kept
    assert earlier.exists()  # looked for only where there is nothing of this version
    module.write_text(TOY + "# changed\n")
    changed = folder_of.__wrapped__(module)
    assert changed != kept
    assert not changed.exists()
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == [beside.name]


def test_a_function_without_a_file_is_left_to_numba():
    cell = "from support.core.compiled import njit\n@njit(cache=True)\ndef twice(k):\n    return 2 * k\n"
    with pytest.raises(RuntimeError, match="cannot cache function 'twice': no locator available"):
        exec(compile(cell, "<cell>", "exec"), {})
    found = {}
    exec(compile(cell.replace("cache=True", ""), "<cell>", "exec"), found)
    assert found["twice"](21) == 42
