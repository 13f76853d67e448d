import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from support.book.layout import Book, BookError
from support.book.pairs import check_pairs, notebook_from_text, sync
from support.verdicts.claims import Registry

from .toy import ROOT, toy_book


def test_the_pairs_of_this_book_are_in_step():
    chapters = Book(ROOT).chapters()
    assert chapters
    check_pairs(chapters)


def test_notebooks_in_git_hold_no_outputs():
    for chapter in Book(ROOT).chapters():
        cells = json.loads(chapter.notebook.read_text(encoding="utf-8"))["cells"]
        assert not [cell for cell in cells if cell.get("outputs") or cell.get("execution_count")]


PROGRAM = re.compile(r"(?:@dataclass|class |import random\n)")
"""How a cell begins that shows a whole program, outside of the stories."""


def test_no_line_of_text_is_lost_as_a_comment():
    """What MyST takes a line for that begins with a per cent sign."""
    for chapter in Book(ROOT).chapters():
        cells = json.loads(chapter.notebook.read_text(encoding="utf-8"))["cells"]
        text = "".join("".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "markdown")
        assert not re.findall(r"^\s*%.*", text, flags=re.M), chapter.name
    for page in (ROOT / "book").glob("*.md"):
        assert not re.findall(r"^\s*%.*", page.read_text(encoding="utf-8"), flags=re.M), page.name


def test_no_cell_is_longer_than_a_screen():
    for chapter in Book(ROOT).chapters():
        cells = json.loads(chapter.notebook.read_text(encoding="utf-8"))["cells"]
        code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        assert code
        story = not chapter.claims  # its cells are programs, written to be read
        assert not [lines for lines in code if len(lines) > (40 if story or PROGRAM.match("".join(lines)) else 25)]


def test_the_younger_half_wins(tmp_path):
    book = toy_book(tmp_path)
    text, notebook = (book.root / "notebooks/01-toy").with_suffix(".md"), book.root / "notebooks/01-toy.ipynb"
    assert sync(book) == []

    text.write_text(text.read_text() + "\nOne more sentence.\n")
    assert sync(book) == ["01-toy.ipynb"]
    assert "One more sentence." in notebook.read_text()

    notebook.write_text(notebook.read_text().replace("One more sentence.", "Edited in JupyterLab."))
    later = text.stat().st_mtime + 10
    os.utime(notebook, (later, later))
    assert "01-toy.md" in sync(book)
    assert "Edited in JupyterLab." in text.read_text()
    check_pairs(book.chapters())


def test_what_is_written_in_the_notebook_changes_no_other_line_of_the_text(tmp_path):
    book = toy_book(tmp_path)
    notebook, text = (book.root / f"notebooks/01-toy.{ending}" for ending in ("ipynb", "md"))
    story = Book(ROOT).chapter("ace-king-queen-evidence")
    shutil.copy(story.text, text)
    sync(book)
    before = text.read_text().splitlines()
    read = json.loads(notebook.read_text())
    said = next(k for k, cell in enumerate(read["cells"]) if cell["cell_type"] == "markdown" and k > 8)
    figure = next(k for k, cell in enumerate(read["cells"]) if "mystnb" in cell["metadata"] and k > said)
    read["cells"][said]["source"].append("\n\nOne more sentence.")
    read["cells"][figure]["source"].append("\nagain = 1")
    read["cells"].insert(figure + 1, {**read["cells"][said], "id": "new", "source": ["A new cell."]})
    notebook.write_text(json.dumps(read))
    os.utime(notebook, (time.time() + 10,) * 2)
    assert sync(book) == ["01-toy.md", "01-toy.ipynb"]
    after = text.read_text().splitlines()
    new = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    assert new == ["+ ", "+ One more sentence.", "+ again = 1", "+ ", "+ A new cell.", "+ ", "+ +++"]
    assert sync(book) == []
    assert json.loads(notebook.read_text())["cells"][figure + 1]["source"] == ["A new cell."]


def halves(tmp_path):
    """A pair in step, as two paths, and a function that rewrites the notebook and makes it the younger half."""
    book = toy_book(tmp_path)
    text, notebook = (book.root / f"notebooks/01-toy.{ending}" for ending in ("md", "ipynb"))
    sync(book)

    def edit(change):
        read = json.loads(notebook.read_text())
        change(read["cells"])
        notebook.write_text(json.dumps(read))
        os.utime(notebook, (time.time() + 10,) * 2)

    return book, text, notebook, edit


def test_what_is_written_in_the_text_survives_a_younger_notebook_that_nobody_edited(tmp_path):
    book, text, notebook, edit = halves(tmp_path)
    text.write_text(text.read_text() + "\nOne more sentence.\n")
    edit(lambda cells: [cell.update(outputs=[]) for cell in cells if cell["cell_type"] == "code"])
    assert sync(book) == ["01-toy.ipynb"]
    assert "One more sentence." in text.read_text()
    assert "One more sentence." in notebook.read_text()


def test_options_that_are_changed_in_the_notebook_reach_the_text(tmp_path):
    book, text, _, edit = halves(tmp_path)
    edit(lambda cells: cells[-1]["metadata"].update(tags=["hide-input"]))
    os.utime(text, (time.time() + 20,) * 2)  # whichever is the younger
    assert sync(book) == ["01-toy.md", "01-toy.ipynb"]
    assert ":tags: [hide-input]" in text.read_text()


def test_nothing_is_lost_if_both_halves_were_changed(tmp_path):
    book, text, notebook, edit = halves(tmp_path)
    text.write_text(text.read_text().replace("40 + 2", "41 + 1"))
    edit(lambda cells: cells[-1]["source"].append("\n# so"))
    before = text.read_text(), notebook.read_text()
    with pytest.raises(BookError, match="01-toy: the text and the notebook have both changed since they were in step"):
        sync(book)
    assert (text.read_text(), notebook.read_text()) == before
    notebook.unlink()
    assert sync(book) == ["01-toy.ipynb"]
    assert "41 + 1" in notebook.read_text()


def test_a_cell_may_be_removed_from_the_notebook_if_git_has_the_text(tmp_path):
    book, text, _, edit = halves(tmp_path)
    edit(lambda cells: cells.pop())
    assert sync(book) == ["01-toy.ipynb"]  # the text may have gained a cell
    git = ["git", "-C", tmp_path, "-c", "user.name=Toy", "-c", "user.email=toy@example.org"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "A toy."]):
        subprocess.run([*git, *command], check=True)
    edit(lambda cells: cells.pop())
    assert sync(book) == ["01-toy.md", "01-toy.ipynb"]
    assert "40 + 2" not in text.read_text()


def test_outputs_are_taken_out(tmp_path):
    book = toy_book(tmp_path)
    notebook = book.root / "notebooks/01-toy.ipynb"
    content = json.loads(notebook.read_text())
    content["cells"][-1]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "42"}]
    notebook.write_text(json.dumps(content))
    with pytest.raises(BookError, match="toy: the pair is out of step: the notebook holds outputs"):
        check_pairs(book.chapters())
    sync(book)
    check_pairs(book.chapters())


def test_a_notebook_that_was_cut_off(tmp_path):
    book = toy_book(tmp_path)
    notebook = book.root / "notebooks/01-toy.ipynb"
    notebook.write_text(notebook.read_text()[:100])
    os.utime(notebook, (later := time.time() + 10, later))
    with pytest.raises(BookError, match=r"ipynb cannot be read \(.*\); delete it, and 'make pair' writes it"):
        sync(book)
    notebook.unlink()
    sync(book)
    check_pairs(book.chapters())


def test_the_notebook_is_a_function_of_the_text(tmp_path):
    text = toy_book(tmp_path).chapters()[0].text
    assert notebook_from_text(text) == notebook_from_text(text)
    ids = [cell["id"] for cell in json.loads(notebook_from_text(text))["cells"]]
    assert len(set(ids)) == len(ids)


def test_a_byte_order_mark_is_no_text(tmp_path):
    book = toy_book(tmp_path)
    text = tmp_path / "notebooks/01-toy.md"
    expected = notebook_from_text(text)
    text.write_text(text.read_text(), encoding="utf-8-sig")
    assert notebook_from_text(text) == expected
    assert sync(book) == []
    book.registry.write_text(book.registry.read_text(), encoding="utf-8-sig")
    assert list(Registry.load(book.registry)) == ["toy/answer"]


def test_a_scale_that_would_not_count_is_refused(tmp_path):
    book, text, _, _ = halves(tmp_path)
    chapter = book.chapter("toy")
    text.write_text(text.read_text() + "\n```{code-cell} ipython3\nscale = 2.5\n```\n")
    sync(book)
    check_pairs([chapter])  # a program may have a scale of another kind
    text.write_text(text.read_text().replace('scale = "published"', 'scale = "smal"'))
    sync(book)
    with pytest.raises(
        BookError, match="toy: its first code cell has 'scale = \"smal\"', which counts in JupyterLab alone"
    ):
        check_pairs([chapter])


def test_the_hook_refuses_a_commit_out_of_step(tmp_path):
    book = toy_book(tmp_path)
    hooks = tmp_path / ".githooks"
    shutil.copytree(ROOT / ".githooks", hooks)
    environment = os.environ | {"PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    environment |= {
        f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }

    def git(*words):
        return subprocess.run(
            ["git", *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    git("init")
    git("config", "core.hooksPath", ".githooks")
    git("add", "notebooks", "_toc.yml")
    assert git("commit", "-m", "in step").returncode == 0
    text = book.root / "notebooks/01-toy.md"
    text.write_text(text.read_text() + "\nMore.\n")
    git("add", "notebooks/01-toy.md")
    sync(book)  # in step in the working tree, but only one half is in the commit
    refused = git("commit", "-m", "out of step")
    assert refused.returncode != 0
    assert "out of step" in refused.stderr
