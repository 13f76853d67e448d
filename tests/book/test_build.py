"""The one way through, on a toy book: it builds, and each fault that must stop it does."""

import json
import shutil
import time

import nbformat
import pytest
from filelock import FileLock

from support.__main__ import main
from support.book import build, execute, site
from support.book.build import build_book, judge_chapters, run_chapter
from support.book.execute import executed_path, files_path
from support.book.exports import read_results
from support.book.layout import Book, BookError
from support.book.pairs import sync
from support.book.site import build_site
from support.verdicts.claims import ClaimError, Registry

from .toy import CLAIM, RECORD, ROOT, toy_book

pytestmark = pytest.mark.usefixtures("here")


def test_a_sound_book_is_built_and_only_what_changed_is_executed_again(tmp_path, monkeypatch, capfd):
    book = toy_book(tmp_path)

    def interrupted(*arguments):
        page = build_site(*arguments)
        assert "One more sentence." not in (page.parent / "book/index.html").read_text()
        with (tmp_path / "book/index.md").open("a") as text:
            text.write("One more sentence.\n")
        return page

    monkeypatch.setattr(build, "build_site", interrupted)
    build_book(book)
    monkeypatch.setattr(build, "build_site", build_site)
    page = build_book(book)  # what was written while the site was built is not taken for built
    assert "as it was built" not in capfd.readouterr().out
    assert "One more sentence." in (page.parent / "book/index.html").read_text()
    html = page.with_name("notebooks").joinpath("01-toy.html").read_text()
    assert 'id="claim-toy-answer"' in html
    assert "reproduced" in html
    assert "1 claims" in (page.parent / "book/index.html").read_text()
    assert 'href="../notebooks/01-toy.html#claim-toy-answer"' in (page.parent / "book/verdicts.html").read_text()
    assert (page.parent / "_static/equations.woff").exists()
    (row,) = json.loads(book.results.read_text())["claims"]
    assert (row["id"], row["published"], row["measured"], row["verdict"]) == (
        "toy/answer",
        "42",
        42,
        "reproduced",
    )
    assert {path.name for path in tmp_path.iterdir()} == {
        "_build", "_config.yml", "_toc.yml", "book", "notebooks", "requirements.lock",
    }  # fmt: skip

    built = page.stat().st_mtime_ns
    (tmp_path / "book/__pycache__").mkdir()
    (tmp_path / "book/__pycache__/kernel.nbc").write_text("compiled")
    assert build_book(book) == page
    assert "the site stands as it was built" in capfd.readouterr().out
    assert page.stat().st_mtime_ns == built
    book.results.write_text("{}")  # changed by hand: made again, with its site
    build_book(book)
    assert read_results(book.results) == [row]
    assert page.stat().st_mtime_ns != built
    capfd.readouterr()

    executed = executed_path(book, book.chapter("toy"))
    before = executed.read_bytes()
    run_chapter(book, "toy")
    assert "unchanged" in capfd.readouterr().out
    assert executed.read_bytes() == before

    executed.write_bytes(before[: len(before) // 2])  # a truncated notebook is no result
    run_chapter(book, "toy")
    assert "executed in" in capfd.readouterr().out
    assert nbformat.read(executed, as_version=4).cells


def test_claims_are_shown_where_the_evidence_is(tmp_path):
    book = toy_book(tmp_path, code="1 + 1")
    story = (tmp_path / "notebooks/01-toy.md").read_text()
    evidence = story.replace("# Toy", "# Toy: evidence").replace("1 + 1", RECORD)
    (tmp_path / "notebooks/01-toy-evidence.md").write_text(evidence)
    with (tmp_path / "_toc.yml").open("a") as contents:
        contents.write("  - file: notebooks/01-toy-evidence\n")
    with (tmp_path / "book/index.md").open("a") as text:
        text.write("\n{{ verdict_table_toy }}\n")
    sync(book)
    page = build_book(book)
    assert 'id="claim-toy-answer"' in (page.parent / "notebooks/01-toy-evidence.html").read_text()
    for name in ("book/index.html", "book/verdicts.html"):
        assert 'href="../notebooks/01-toy-evidence.html#claim-toy-answer"' in (page.parent / name).read_text()
    offered = (page.parent / "_sources/notebooks/01-toy-evidence.ipynb").read_text()
    assert "toy/answer" in offered
    assert str(tmp_path) not in offered


def test_a_chapter_is_executed_again_when_a_module_that_it_imports_changed_and_only_then(tmp_path, monkeypatch, capfd):
    package = tmp_path / "package"
    modules = {"first": "def f():\n    from toy_package.second import g\n", "second": "def g(): ...\n", "other": ""}
    package.joinpath("toy_package").mkdir(parents=True)
    for name, text in {"__init__": "", **modules}.items():
        package.joinpath(f"toy_package/{name}.py").write_text(text)
    monkeypatch.syspath_prepend(package)
    monkeypatch.setenv("PYTHONPATH", str(package), prepend=":")
    monkeypatch.setattr(execute, "PACKAGE", package / "toy_package")
    book = toy_book(tmp_path / "book", code=f"import toy_package.first as first\n{RECORD}")

    def executed_after_a_change_of(name):
        with package.joinpath(f"toy_package/{name}.py").open("a") as file:
            file.write("# changed\n")
        run_chapter(book, "toy")
        said = capfd.readouterr().out
        assert ("unchanged" in said) != ("executed in" in said)
        return "executed in" in said

    assert executed_after_a_change_of("first")  # for the first time
    assert not executed_after_a_change_of("other")
    assert executed_after_a_change_of("second")
    assert executed_after_a_change_of("first")
    assert executed_after_a_change_of("__init__")
    notebook, registry = book.chapter("toy"), Registry.load(book.registry)
    notebook.notebook.write_text(notebook.notebook.read_text().replace("import toy", "%time\\nimport toy"))
    before = execute.inputs_of(book, notebook, registry)  # a command of IPython may import anything
    package.joinpath("toy_package/other.py").write_text("changed = True")
    assert execute.inputs_of(book, notebook, registry) != before


def test_what_a_kernel_says_when_it_is_ended_is_not_shown(tmp_path, capfd):
    log = "from ipykernel.kernelapp import IPKernelApp\nIPKernelApp.instance().log.error('KeyboardInterrupt caught.')"
    run_chapter(toy_book(tmp_path, f"{RECORD}\n{log}"), "toy")
    assert "KeyboardInterrupt" not in "".join(capfd.readouterr())


def test_a_text_that_comes_in_pieces_is_whole(tmp_path):
    code = "import sys\nfor part in ('whoever', ' opened\\n', '\\n  next\\n'):\n    print(part, end='', flush=True)"
    book = toy_book(tmp_path, f"{RECORD}\n{code}\nprint('aside', file=sys.stderr, flush=True)\nprint('end')")
    run_chapter(book, "toy")
    cells = json.loads(execute.executed_path(book, book.chapter("toy")).read_text())["cells"]
    (outputs,) = [cell["outputs"] for cell in cells if any("whoever" in str(one) for one in cell.get("outputs", []))]
    said = [(one["name"], "".join(one["text"])) for one in outputs if one["output_type"] == "stream"]
    assert said == [("stdout", "whoever opened\n\n  next\n"), ("stderr", "aside\n"), ("stdout", "end\n")]


def test_what_this_books_chapters_depend_on():
    known = {chapter.slug: set(execute.modules_of(chapter)) for chapter in Book(ROOT).chapters()}
    assert "support.games.biscuits.rules" in known["biscuits-evidence"]
    assert not [name for name in known["biscuits-evidence"] if name.startswith(("support.games.wild", "support.book"))]
    cards = {name for name in known["ace-king-queen-evidence"] if name.startswith(("support.games.", "support.play"))}
    rooms = {name for name in cards if name.count(".") > 2 and not name.startswith("support.games.cards.")}
    played_too = {"biscuits.rules", "three_dice.rules", "cups.liars_dice"}  # on which the result table is tried
    assert rooms == {f"support.games.{name}" for name in played_too}
    assert {"support.games.wild_ones.rules", "support.games.biscuits.rules"} <= known["play"]  # the registry's games
    stories = [name for name in known if f"{name}-evidence" in known]
    assert all("support.verdicts.judging" in known[name] for name in known if name not in stories)


def test_files_that_a_chapter_offers_are_published_and_made_again_when_one_is_lost(tmp_path, capfd):
    write = 'path = offered("agent.txt")\npath.write_text("It learned.")\npath.chmod(0o600)'
    write += '\noffered("tables.js").write_text("told();")'
    code = f"{RECORD}\n\nfrom support.verdicts.notebook import offered\n\n{write}"
    book = toy_book(tmp_path, code, text="\nTake {download}`it <files/01-toy/agent.txt>` home.\n")
    page = build_book(book)
    (published,) = book.html.rglob("agent.txt")
    assert published.read_text() == "It learned."
    assert (book.html / "notebooks" / "files" / "01-toy" / "tables.js").read_text() == "told();"
    assert published.stat().st_mode & 0o777 == 0o644
    link = published.relative_to(book.html).as_posix()
    assert f'href="../{link}"' in page.with_name("notebooks").joinpath("01-toy.html").read_text()
    run_chapter(book, "toy")
    assert "unchanged" in capfd.readouterr().out
    ours = files_path(book, book.chapter("toy")) / "agent.txt"
    for harm in (ours.unlink, lambda: ours.write_text("It forgot.")):
        harm()
        run_chapter(book, "toy")
        assert "executed in" in capfd.readouterr().out
        assert ours.read_text() == "It learned."


def test_a_warning_of_sphinx_stops_the_build_and_keeps_the_old_site(tmp_path):
    book = toy_book(tmp_path, text="\nSee {ref}`a place that is not there`.\n")
    book.html.mkdir(parents=True)
    (book.html / "index.html").write_text("the last good site")
    with pytest.raises(BookError, match="a place that is not there"):
        build_book(book)
    assert (book.html / "index.html").read_text() == "the last good site"
    assert not book.results.exists()


def test_what_sphinx_says_is_said_even_if_it_stops_before_it_begins(tmp_path, monkeypatch):
    book = toy_book(tmp_path)
    book.build.mkdir()
    monkeypatch.setattr(site, "SPHINX", "raise SystemExit('no pages today')  # {}")
    monkeypatch.setattr(site, "_stage", lambda *_: time.sleep(1))  # it has ended when it is told to begin
    with pytest.raises(BookError, match=r"not built \(exit status 1\); Sphinx says:\n  no pages today"):
        build_site(book, book.chapters(), [])


def test_sphinx_ends_if_the_pages_cannot_be_laid_out(tmp_path, monkeypatch):
    began, waits = tmp_path / "began", "import pathlib, time; pathlib.Path({path!r}).touch(); time.sleep(600)  # {{}}"

    def failing(*_):
        while not began.exists():
            time.sleep(0.01)
        raise BookError("no such picture")

    book = toy_book(tmp_path / "book")
    monkeypatch.setattr(site, "SPHINX", waits.format(path=str(began)))
    monkeypatch.setattr(site, "_stage", failing)
    with pytest.raises(BookError, match="no such picture"):  # and this does not wait for it
        build_site(book, book.chapters(), [])


def test_a_cell_that_raises_stops_the_build(tmp_path):
    book = toy_book(tmp_path, code='raise ValueError("no dice")')
    with pytest.raises(BookError, match=r"toy: cell \d+ .* raised ValueError: no dice"):
        build_book(book)
    silent = toy_book(tmp_path / "silent", code="number = 3\nassert number == 4")
    with pytest.raises(
        BookError, match=r"toy: cell \d+ \('number = 3'\), at 'assert number == 4', raised AssertionError"
    ):
        build_book(silent)
    assert not book.results.exists()
    assert not executed_path(book, book.chapter("toy")).exists()
    assert (book.build / "failed/01-toy.ipynb").exists()


def test_a_cell_that_leaves_early_stops_the_build(tmp_path):
    book = toy_book(tmp_path, code=RECORD + "\nraise SystemExit(0)\nunreached = True")
    with pytest.raises(BookError, match=r"toy: the cell .* raised SystemExit"):
        build_book(book)
    assert not executed_path(book, book.chapter("toy")).exists()


def test_a_kernel_that_dies_stops_the_build(tmp_path):
    book = toy_book(tmp_path, code="import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(BookError, match=r"toy: its kernel was killed, as .* where memory runs out"):
        build_book(book)


def test_a_chapter_outside_the_contents_stops_the_build(tmp_path):
    book = toy_book(tmp_path)
    contents = tmp_path / "_toc.yml"
    contents.write_text(contents.read_text().replace("  - file: notebooks/01-toy\n", ""))
    with pytest.raises(BookError, match=r"toy: the chapter is missing from _toc.yml"):
        build_book(book)
    assert not book.results.exists()


def test_two_builds_at_once_are_refused(tmp_path):
    book = toy_book(tmp_path)
    book.build.mkdir()
    with FileLock(book.build / ".lock"), pytest.raises(BookError, match="another build is at work"):
        build_book(book)


def test_a_claim_without_a_measurement_stops_the_build(tmp_path):
    book = toy_book(tmp_path, code="1 + 1")
    with pytest.raises(
        BookError, match=r"toy: the claim toy/answer has no measurement .published: 42; measured: nothing"
    ):
        build_book(book)
    assert not book.results.exists()


@pytest.mark.parametrize("scale", ["published", "small"])
def test_a_changed_verdict_stops_the_build(tmp_path, scale):
    book = toy_book(tmp_path, code=RECORD.replace("40 + 2", "40 + 3"), scale=scale)
    with pytest.raises(BookError) as error:
        build_book(book)
    for part in ("toy:", "toy/answer", "'differs'", "'reproduced'", "published: 42", "measured: 43"):
        assert part in str(error.value)
    assert not book.results.exists()
    assert not book.html.exists()


@pytest.mark.parametrize(("kind", "holds"), [("truth", True), ("finding", True), ("finding", None)])
def test_at_the_small_scale_only_truths_and_digits_must_stand(tmp_path, capsys, monkeypatch, kind, holds):
    claims = CLAIM.replace('"digits"', f'"{kind}"').replace('"reproduced"', '"refuted"')
    settled = f"holds={holds}" if holds else 'would_decide="more runs"'
    book = toy_book(tmp_path, RECORD.replace("40 + 2", f"42, {settled}"), claims, scale="small")
    monkeypatch.chdir(tmp_path)
    assert main(["run", "toy", "--scale", "small"]) == (kind == "truth")
    said = capsys.readouterr()
    assert ("the verdict on toy/answer is 'confirmed', but we stand behind 'refuted'" in said.err) == (kind == "truth")
    published = Book(book.root)
    executed_path(published, book.chapter("toy")).parent.mkdir(parents=True)
    shutil.copy(executed_path(book, book.chapter("toy")), executed_path(published, book.chapter("toy")))
    with pytest.raises(BookError, match="but we stand behind 'refuted'"):
        judge_chapters(published, book.chapters(), Registry.load(book.registry))


def test_a_claim_measured_twice_or_abroad_stops_the_build(tmp_path):
    other = CLAIM.replace("toy/answer", "other/answer")
    code = RECORD + '\nrecord("toy/answer", 42)\nrecord("other/answer", 42)'
    book = toy_book(tmp_path, code=code, claims=CLAIM + other)
    with pytest.raises(BookError) as error:
        build_book(book)
    for part in (
        "toy/answer is measured twice",
        "not a claim of this chapter",
        "there is no chapter 'other' with claims",
    ):
        assert part in str(error.value)


def test_a_pair_out_of_step_stops_the_build(tmp_path):
    book = toy_book(tmp_path)
    text = book.root / "notebooks/01-toy.md"
    text.write_text(text.read_text().replace("40 + 2", "41 + 1"))
    with pytest.raises(BookError, match=r"toy: the pair is out of step: .*make pair"):
        build_book(book)


def test_a_half_without_the_other_and_a_wrong_name(tmp_path):
    book = toy_book(tmp_path)
    (book.root / "notebooks/01-toy.ipynb").unlink()
    (book.root / "notebooks/Notes.md").write_text("x")
    with pytest.raises(BookError, match=r"(?s)Notes.md: a chapter is named.*|01-toy.ipynb, is missing"):
        build_book(book)


def test_a_broken_registry_stops_the_build(tmp_path):
    book = toy_book(tmp_path, claims="[[claim]\n")
    with pytest.raises(ClaimError, match="cannot read the registry"):
        build_book(book)


def test_the_small_scale_has_its_own_folder_and_says_so(tmp_path):
    book = toy_book(tmp_path, code="record_scale = scale\n" + RECORD, scale="small")
    page = build_book(book)
    assert page == tmp_path / "_build/small/html/index.html"
    assert "Built at the scale" in (page.parent / "notebooks/01-toy.html").read_text()
    assert not (tmp_path / "_build/html").exists()
    assert json.loads(book.results.read_text())["scale"] == "small"


def test_unknown_names_get_the_known_ones(tmp_path):
    with pytest.raises(BookError, match="there is no scale 'huge'; there are published, small"):
        Book(tmp_path, "huge")
    with pytest.raises(BookError, match="there is no chapter 'tao'; did you mean toy"):
        toy_book(tmp_path).chapter("tao")
