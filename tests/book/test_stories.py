"""A story runs in seconds wherever it is opened: its programs need the standard library and the rules, no more."""

import json
import subprocess
import sys

import pytest

from support.book.layout import EVIDENCE, Book

from .toy import ROOT

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


def cells_of(story, programs):
    """The source of its cells: of the programs, or of all cells with the pictures and what is hidden."""
    cells = [c for c in json.loads(story.notebook.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
    hidden = {"remove-input", "remove-cell"}
    program = [not hidden & set(c["metadata"].get("tags", [])) and "mystnb" not in c["metadata"] for c in cells]
    return ["".join(c["source"]) for c, is_program in zip(cells, program, strict=True) if is_program or not programs]


def run(cells, refused):
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps([cells, refused]),
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_programs_need_the_standard_library_and_the_rules_alone(story):
    assert not {*run(cells_of(story, programs=True), THIRD)} & {*THIRD}


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_nothing_compiled_is_loaded(story):
    assert not {*run(cells_of(story, programs=False), COMPILED)} & {*COMPILED}


def test_every_story_has_its_evidence():
    assert [c.slug + EVIDENCE for c in STORIES] == [c.slug for c in Book(ROOT).chapters() if c.slug.endswith(EVIDENCE)]
