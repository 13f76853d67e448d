"""Compiled functions are compiled once, also where several processes want them at the same time."""

import subprocess
import sys

PROGRAM = """
import sys
import numba
from support.core import compiled
numba.config.CACHE_DIR = sys.argv[1]
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
