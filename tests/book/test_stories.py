"""A story runs in seconds wherever it is opened: its programs need the standard library and the rules, no more."""

import json
import subprocess
import sys

import pytest
from programs import ROOT, code_cells, programs

from support.book.layout import EVIDENCE, Book

STORIES = [c for c in Book(ROOT).chapters() if not c.claims]
RUN = """
import json, sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in refused:
            raise ImportError(f"a story does without {name}")

cells, refused = json.load(sys.stdin)
sys.meta_path.insert(0, Refused())
space = {"__name__": "__main__"}
for cell in cells:
    exec(compile(cell, cell.strip().splitlines()[0], "exec"), space)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""
COMPILED = ("numba", "torch", "scipy")
THIRD = (*COMPILED, "numpy", "matplotlib", "pandas", "pyarrow", "dask", "pydantic", "IPython", "myst_nb")


def run(cells, refused):
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps([cells, refused]),
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_programs_need_the_standard_library_and_the_rules_alone(story):
    assert not {*run(programs(story.name, folded=True), THIRD)} & {*THIRD}


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_nothing_compiled_is_loaded(story):
    assert not {*run(["".join(cell["source"]) for cell in code_cells(story.name)], COMPILED)} & {*COMPILED}


def test_every_story_has_its_evidence():
    assert [c.slug + EVIDENCE for c in STORIES] == [c.slug for c in Book(ROOT).chapters() if c.slug.endswith(EVIDENCE)]
