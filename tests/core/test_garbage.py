"""Garbage is collected rarely only in processes that ask for it."""

import subprocess
import sys

PROGRAM = """
import gc
before = gc.get_threshold()
import support.core.flat, support.core.garbage, support.sweep.engine
assert gc.get_threshold() == before
support.core.garbage.collect_rarely()
print(gc.get_threshold()[0] > 10 * before[0])
"""


def test_it_is_rare_where_it_was_asked_for_and_an_import_asks_for_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
