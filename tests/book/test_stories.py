"""A story runs in seconds wherever it is opened: its programs need the standard library and the rules, no more."""

import json
import runpy
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

refused, space = set(), {"__name__": "__main__"}
sys.meta_path.insert(0, Refused())
for cells, without in json.load(sys.stdin):
    refused = {*without}
    for cell in cells:
        exec(compile(cell, cell.strip().splitlines()[0], "exec"), space)
    print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""
COMPILED = ("numba", "torch", "scipy")
THIRD = (*COMPILED, "numpy", "matplotlib", "pandas", "pyarrow", "dask", "pydantic", "IPython", "myst_nb")


def run(*parts):
    """Run cells, each part of them without some packages; returns what was loaded after each part."""
    done = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(parts), capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [{*json.loads(line)} for line in done.stdout.splitlines() if line.startswith('["')]


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_programs_need_the_standard_library_and_the_rules_alone_and_pictures_nothing_compiled(story):
    shown = programs(story.name, folded=True)
    others = [source for cell in code_cells(story.name) if (source := "".join(cell["source"])) not in shown]
    after_programs, after_all = run((shown, THIRD), (others, COMPILED))
    assert not after_programs & {*THIRD}
    assert not after_all & {*COMPILED}


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_a_story_has_at_most_2500_words(story):
    words, *_ = runpy.run_path(str(ROOT / "tools/chapters.py"))["counts"](ROOT / "notebooks" / f"{story.name}.ipynb")
    assert 0 < words <= 2500


def test_all_that_is_read_counts_as_words():
    text = """
(a-place)=
## Two words [and a link](https://example.org/not-read)

Seen at 3 points, {{ told.not_read }} or {numref}`fig-name`.

```{figure} not/read.svg
:name: fig-name
:alt: Not read.

A caption of {term}`five words`.
```

:::{admonition} One title
:class: dropdown
Folded, and read.
:::

```{table} Its caption.
| head | a cell |
|---|---|
| 1 | more |
```

```{math}
:label: eq-not-read
a = b
```

$$
a = b
$$

```diff
-not read
```
"""
    words = runpy.run_path(str(ROOT / "tools/chapters.py"))["words_of"]
    read = "Two words and a link Seen at points or fig-name A caption of five words One title Folded and read"
    assert words(text) == len(f"{read} Its caption head a cell more".split())


def test_every_story_has_its_evidence():
    assert [c.slug + EVIDENCE for c in STORIES] == [c.slug for c in Book(ROOT).chapters() if c.slug.endswith(EVIDENCE)]
