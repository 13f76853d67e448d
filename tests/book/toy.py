"""A whole book in miniature, for tests that need one to go wrong."""

import shutil
from pathlib import Path

from support.book.layout import Book
from support.book.pairs import sync

ROOT = Path(__file__).parent.parent.parent
HEAD = """---
jupytext:
  formats: ipynb,md:myst
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3 (ipykernel)
  language: python
  name: python3
---

"""
CHAPTER = """# Toy

```{{code-cell}} ipython3
:tags: [parameters]

scale = "published"
```

A sentence with $x^2$.

```{{code-cell}} ipython3
{code}
```
"""
CLAIM = """
[[claim]]
id = "toy/answer"
kind = "digits"
text = "The answer is 42."
published = "42"
verdict = "reproduced"
source = "page 1"
"""
RECORD = 'from support.verdicts.claims import record\n\nrecord("toy/answer", 40 + 2)'


def toy_book(root: Path, code: str = RECORD, claims: str = CLAIM, text: str = "", scale: str = "published") -> Book:
    """Write a book of one chapter and bring its pair in step."""
    for folder in ("notebooks", "book/static"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name in (
        "_config.yml",
        "requirements.lock",
        "book/static/book.css",
        "book/static/logo.svg",
        "book/search.js",
        "book/static/print.js",
        "book/static/verdicts.js",
    ):
        shutil.copy(ROOT / name, root / name)
    references = (ROOT / "book/references.bib").read_text().splitlines(keepends=True)
    (root / "book/references.bib").write_text("".join(line for line in references if "TODO:" not in line))
    (root / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nchapters:\n  - file: notebooks/01-toy\n  - file: book/verdicts\n"
    )
    (root / "book/index.md").write_text("# A toy book\n\n{{ claims_judged }} claims. {{ verdict_counts }}\n")
    (root / "book/verdicts.md").write_text("# Verdicts\n\n{{ verdict_tables }}\n")
    (root / "book/claims.toml").write_text(claims)
    (root / "notebooks/01-toy.md").write_text(HEAD + CHAPTER.format(code=code) + text)
    book = Book(root, scale)
    sync(book)
    return book
