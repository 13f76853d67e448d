"""What lets the programs of a story run in the page: fetched as pinned, sent along whole, done without if need be."""

import json
import re
import subprocess
import sys
import zipfile
from io import BytesIO
from types import SimpleNamespace

import pytest
from programs import ROOT

from support.book import running
from support.book.layout import BookError
from support.book.running import archive, fetch, lacking, licences, main, make_scripts, offer_running, pure_modules

PINNED = ROOT / "book" / "static" / "run"
PAGE = """<html><head></head><body>
<div class="cell docutils container">
<div class="cell_input docutils container">
<div class="highlight-ipython3 notranslate"><div class="highlight"><pre>x = 1
</pre></div>
</div>
</div>
</div>
<div class="cell tag_hide-cell tag_changes-x docutils container">
</div></body></html>"""
TOLD = "<p>One.</p>\n<!-- where programs run -->\n<p>Two.</p>\n<!-- or else: <p>Three.</p> -->\n<p>Four.</p>\n"


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """Sets what npm does: it stands where the environment's would stand, and the machine's is out of sight."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setattr(running.sys, "executable", str(folder / "python"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    def does(script, name="npm"):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    return does


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    """Where these tests keep what is fetched, instead of the environment that they run in."""
    monkeypatch.setattr(running, "FETCHED", tmp_path / "kept")
    return tmp_path / "kept"


@pytest.fixture
def site(tmp_path):
    """A built site of one story, in a book with what is pinned."""
    book = SimpleNamespace(root=tmp_path, html=tmp_path / "html")
    pinned = tmp_path / "book" / "static" / "run"
    pinned.mkdir(parents=True)
    for name in running.WANTED:
        (pinned / name).write_bytes((PINNED / name).read_bytes())
    (book.html / "notebooks").mkdir(parents=True)
    (book.html / "_static" / "run").mkdir(parents=True)
    (book.html / "notebooks" / "01-toy.html").write_text(PAGE)
    (book.html / "book").mkdir()
    (book.html / "book" / "rerun.html").write_text(TOLD)
    return book


def offer(site, chapters):
    """Both parts of it: what a build does beside Sphinx, and after it."""
    scripts = site.root / "scripts"
    offer_running(site, chapters, site.html, scripts, make_scripts(site, chapters, scripts))


def test_everything_fetched_is_pinned_with_its_digest_and_without_an_address():
    wanted, lock = (json.loads((PINNED / name).read_text()) for name in running.WANTED)
    packages = {name: one for name, one in lock["packages"].items() if name}
    assert lock["packages"][""]["dependencies"] == wanted["dependencies"]
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert all("resolved" not in one for one in packages.values())
    assert "http" not in (PINNED / "package-lock.json").read_text()
    assert {f"node_modules/{name}" for name in wanted["dependencies"]} <= {*packages}


def test_what_is_there_is_not_fetched_again(tmp_path, tools, kept):
    log = tmp_path / "log"
    tools(f"echo $1 >> {log}; mkdir -p node_modules")
    assert fetch(PINNED) == fetch(PINNED) == kept / "node_modules"
    assert log.read_text() == "ci\n"
    assert (kept / "package-lock.json").read_bytes() == (PINNED / "package-lock.json").read_bytes()
    tools("echo 'npm error code ENOTFOUND' >&2; exit 1")
    fetch(PINNED)
    (kept / "fetched.sha256").write_text("another lock")
    with pytest.raises(BookError, match=r"^npm failed \(npm error code ENOTFOUND\)$"):
        fetch(PINNED)
    with pytest.raises(BookError):  # what was half replaced does not count as there
        fetch(PINNED)
    tools("mkdir -p node_modules")
    fetch(PINNED)
    (kept / "node_modules").rmdir()
    tools("exit 1")
    with pytest.raises(BookError):  # nor does what somebody has removed
        fetch(PINNED)


def test_without_npm_the_site_is_built_without_the_buttons(site, tmp_path, capsys, monkeypatch):
    chapters = [SimpleNamespace(name="01-toy", claims="")]
    with monkeypatch.context() as changed:
        changed.setattr(running.shutil, "which", lambda name, path: None)
        offer(site, chapters)
    said = capsys.readouterr().out
    assert said.startswith("the stories come without their buttons 'Run it here', for now: this needs npm, which was")
    assert said.count("\n") == 1
    assert (site.html / "notebooks" / "01-toy.html").read_text() == PAGE
    assert not (site.html / "_static" / "run").exists()
    assert (site.html / "book" / "rerun.html").read_text() == "<p>One.</p>\n<p>Three.</p>\n<p>Four.</p>\n"
    assert lacking(SimpleNamespace(root=tmp_path / "elsewhere", html=site.html)) is False


def test_without_a_file_of_a_package_the_site_is_built_without_the_buttons(site, kept, tools, capsys):
    chapters = [SimpleNamespace(name="01-toy", claims="")]
    tools("mkdir -p node_modules")
    tools("""for one; do case $one in --metafile=*) echo '{"inputs": {}}' > ${one#*=}; esac; done""", "node")
    offer(site, chapters)
    assert f"for now: {kept}/node_modules/pyodide/pyodide.asm.wasm: No such file" in capsys.readouterr().out
    assert (site.html / "notebooks" / "01-toy.html").read_text() == PAGE
    assert not lacking(site)  # another build would end in the same way


def test_a_site_without_buttons_is_built_again_as_soon_as_they_can_be_had(site, monkeypatch):
    answers = iter([BookError("no network"), ROOT])

    def fetching(_pinned):
        if isinstance(answer := next(answers), BookError):
            raise answer
        return answer

    monkeypatch.setattr(running, "fetch", fetching)
    monkeypatch.setattr(running, "_bundle", lambda *_: None)
    assert not lacking(site)  # it has them
    (site.html / "_static" / "run").rmdir()
    assert not lacking(site)
    assert lacking(site)


def test_the_installation_goes_on_without_a_network(monkeypatch, capsys):
    def failing(_pinned):
        raise BookError("npm failed (npm error code ENOTFOUND)")

    monkeypatch.setattr(running, "fetch", failing)
    main()
    assert "until a build can fetch them: npm failed (npm error code ENOTFOUND)" in capsys.readouterr().out
    _, installing = (ROOT / "Makefile").read_text().split("-r requirements.lock")
    assert "-m support.book.running\n\t@touch $@" in installing


def test_stories_get_their_buttons_and_other_pages_do_not(site, tmp_path, monkeypatch):
    (site.html / "notebooks" / "02-evidence.html").write_text(PAGE)
    static = site.html / "_static" / "run"
    for name in (*running.WANTED, "run.css"):
        (static / name).write_text("")

    def bundle(_packages, _pinned, target):
        target.mkdir()
        (target / "core.js").write_bytes(bytes(8_700_000))

    monkeypatch.setattr(running, "fetch", lambda *_: tmp_path)
    monkeypatch.setattr(running, "_bundle", bundle)
    chapters = [SimpleNamespace(name="01-toy", claims=""), SimpleNamespace(name="02-evidence", claims="toy")]
    offer(site, chapters)
    page = (site.html / "notebooks" / "01-toy.html").read_text()
    run, attempt = page.index(">Run it here</button>"), page.index(">Try it here</button>")
    assert page.index("</pre>") < run < attempt < page.index("tag_changes-x")
    assert page.count("<button") == page.count(" hidden ") == 2  # a script shows them, if it comes
    assert re.findall('aria-label="(.*?)"', page) == ["Run it here: program 1", "Try it here: program 2"]
    assert page.count("<script defer") == page.count('data-weight="9"') == 1
    assert {path.name for path in static.iterdir()} == {"run.css", "core.js"}  # and nothing that only a build needs
    assert (site.html / "book" / "rerun.html").read_text() == TOLD
    assert (site.html / "notebooks" / "02-evidence.html").read_text() == PAGE


def test_every_package_comes_with_its_licence(tmp_path):
    def package(name, **about):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "package.json").write_text(json.dumps({"version": "1.2.3"} | about))
        return tmp_path / name

    (package("@one/editor", license="MIT") / "LICENSE").write_text("Copyright (C) 2018 by one\n")
    package("python", license="MPL-2.0", homepage="https://example.org/python")
    text = licences(tmp_path, ["python", "@one/editor"])
    assert "@one/editor 1.2.3\n\nCopyright (C) 2018 by one\n" in text
    assert "python 1.2.3, under the Mozilla Public License 2.0" in text
    assert "https://example.org/python/tree/1.2.3\n" in text
    for words in ("IPython Development Team", "Redistribution and use in source", "Python Software Foundation"):
        assert words in text
    package("two", license="MIT")
    with pytest.raises(BookError, match=r"^two: it comes without its licence$"):
        licences(tmp_path, ["two"])


def test_the_pure_part_is_what_plain_python_can_import():
    pure = pure_modules()
    games = ("biscuits", "three_dice", "call_or_raise", "wild_ones")
    assert {f"support.games.{game}.rules" for game in games} | {"support.core.play", "support.book.cells"} <= {*pure}
    assert not [name for name in pure if name.endswith("_fast")]
    assert not {"support.solve", "support.figures.intervals", "support.book.site"} & {*pure}


def test_it_is_importable_alone(tmp_path):
    inside = zipfile.ZipFile(BytesIO(archive())).namelist()
    assert len(inside) == len({*inside})
    (tmp_path / "book.zip").write_bytes(archive())
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'book.zip')!r}); import importlib\n"
    code += f"for name in {sorted(pure_modules())!r}: importlib.import_module(name)\n"
    code += "from support.book.cells import Cells; print(Cells().run(1, '{2, 1}', None, print))"
    alone = [sys.executable, "-I", "-S", "-c", code]  # without the packages of this environment
    done = subprocess.run(alone, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("('{1, 2}', '')\n", "")
    assert archive() == archive()
