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


CYCLE = """
import support.core.garbage

class Cycle:
    def __init__(self):
        self.itself = self
    def __del__(self):
        print("searched")

kept = [Cycle()]
{}
"""


def test_it_is_rare_where_it_was_asked_for_and_an_import_asks_for_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_a_process_does_not_search_again_when_it_ends() -> None:
    """Unless it keeps its own setting."""
    asked = "support.core.garbage.collect_rarely()"
    for code, said in (("", "searched\n"), (asked, ""), (f"{asked}; {asked}", "")):
        command = [sys.executable, "-c", CYCLE.format(code)]
        assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == said
