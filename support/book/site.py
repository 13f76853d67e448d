"""The site: a staged tree of pages and executed notebooks, built by Jupyter Book with warnings as errors."""

import contextlib
import hashlib
import html
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import quote

import nbformat
import yaml

from support.book.execute import PACKAGE, digest, executed_path, files_path
from support.book.exports import offer_exports
from support.book.layout import Book, BookError, Chapter
from support.book.lighten import lighten
from support.book.pages import (
    ABOUT,
    citation,
    documents,
    figures_of,
    headlines,
    insertable,
    joint_table,
    launching,
    place_of,
)
from support.book.reference import write_pages
from support.book.running import lacking, make_scripts, offer_running
from support.verdicts.claims import VERDICTS
from support.verdicts.judging import SIGNS, anchor_of, badge, details, show_value, typeset

SPHINX = """
import contextlib, sys
from support.core.garbage import collect_rarely
collect_rarely()
import support.book, support.book.equations, jupyter_book.sphinx, myst_nb.sphinx_
with contextlib.suppress(ImportError):  # Sphinx will say what is missing, and on which page
    import {}
from jupyter_book.cli.main import main
sys.stdin.readline() or sys.exit()
main()
"""
"""The program that builds the pages. Its imports take seconds, so it starts while the pages are being staged, and then
waits for a line on its standard input."""
DOCUMENTED = "support.learners.ppo"
"""The module that takes longest to import among those that the package's documentation shows."""


def build_site(book: Book, chapters: list[Chapter], records: list[dict[str, Any]]) -> Path:
    """Build the site from the executed notebooks and put it in place only when it is complete.

    Returns:
        The landing page.

    Raises:
        BookError: Sphinx failed or warned; the message repeats what it said.
    """
    previous = book.build / "html.previous"
    if previous.exists() and not book.html.exists():
        previous.rename(book.html)  # the last build was interrupted between two renames
    _check_contents(book, chapters)
    stage, output = book.build / "stage", book.build / "site"
    documented = "book/api-" in (book.root / "_toc.yml").read_text(encoding="utf-8")
    command = [sys.executable, "-c", SPHINX.format(DOCUMENTED if documented else "support"), "build", str(stage)]
    command += ["--path-output", str(output), "--warningiserror", "--keep-going", "--quiet"]
    environment = os.environ | {"PYTHONWARNINGS": "ignore", "NO_COLOR": "1"}
    pipe = subprocess.PIPE
    scripts = output / "scripts"
    # An upgraded theme or a removed page must not linger: the tree is small, so each build starts clean.
    shutil.rmtree(output, ignore_errors=True)
    with (
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment) as sphinx,
        contextlib.ExitStack() as ended,
    ):
        ended.callback(sphinx.kill)  # if something goes wrong here
        _stage(book, chapters, records, stage)
        assert sphinx.stdin
        with contextlib.suppress(BrokenPipeError):  # it has stopped, and what it said tells why
            sphinx.stdin.write("\n")
            sphinx.stdin.flush()
        fault = make_scripts(book, chapters, scripts)  # meanwhile, because Sphinx uses one core
        said = "".join(sphinx.communicate())
    log = re.sub(r"\x1b\[[0-9;]*m", "", said)
    (book.build / "site.log").write_text(log, encoding="utf-8")
    warnings = [line for line in log.splitlines() if "WARNING" in line or "ERROR" in line]
    built = output / "_build" / "html"
    if sphinx.returncode or warnings or not (built / "index.html").exists():
        _, _, stopped = log.partition("Sphinx error:\n")  # what follows is the path through Sphinx's own code
        why = "\n  ".join(warnings or stopped.splitlines()[:1] or log.strip().splitlines()[-15:])
        raise BookError(f"the site was not built (exit status {sphinx.returncode}); Sphinx says:\n  {why}")
    _landing(built)
    lighten(built)
    _offer(book, chapters, built)
    offer_running(book, chapters, built, scripts, fault)
    _check_anchors(built, chapters, records)
    offer_exports(book, chapters, records, documents(book), built)
    shutil.rmtree(previous, ignore_errors=True)
    if book.html.exists():
        book.html.rename(previous)
    built.rename(book.html)
    shutil.rmtree(previous, ignore_errors=True)
    return book.html / "index.html"


def sources_of(book: Book) -> str:
    """A hash over what a build starts from: the pages, the chapters, the package and the pinned versions."""
    return _digest_of(book, [book.root / "book", book.root / "notebooks", PACKAGE], *sorted(book.root.glob("[!.]*")))


def unchanged(book: Book, sources: str) -> bool:
    """Whether the site is as it was built, from these sources and from the chapters as they are executed now."""
    kept = book.site_stamp
    same = kept.exists() and kept.read_text(encoding="utf-8") == _built_from(book, sources)
    return same and not lacking(book)


def stamp(book: Book, sources: str) -> None:
    """Record what the site was built from, and what it contains.

    Args:
        book: its folder.
        sources: their hash when the build began, because they may have changed meanwhile.
    """
    book.site_stamp.write_text(_built_from(book, sources), encoding="utf-8")


def _built_from(book: Book, sources: str) -> str:
    return f"{sources} {_digest_of(book, [book.executed, book.html, book.results.parent])}"


def _digest_of(book: Book, folders: list[Path], *files: Path) -> str:
    found = [file for folder in folders for file in sorted(folder.rglob("*")) if "__pycache__" not in file.parts]
    listed = [f"{os.path.relpath(file, book.root)} {digest(file)}" for file in (*found, *files) if file.is_file()]
    return hashlib.sha256("\n".join(listed).encode()).hexdigest()


def _check_contents(book: Book, chapters: list[Chapter]) -> None:
    """Raise an error if a chapter is missing from the table of contents: it would be judged but not published."""
    contents = (book.root / "_toc.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"notebooks/([\w-]+)", contents))
    if missing := [chapter.slug for chapter in chapters if chapter.name not in listed]:
        raise BookError("\n".join(f"{slug}: the chapter is missing from _toc.yml" for slug in missing))


def _check_anchors(built: Path, chapters: list[Chapter], records: list[dict[str, Any]]) -> None:
    """Check the links of the verdict table, which Sphinx does not: each must lead to an existing place."""
    pages = {c.claims: (built / "notebooks" / f"{c.name}.html").read_text(encoding="utf-8") for c in chapters}
    lost = [row["id"] for row in records if f'id="{anchor_of(row["id"])}"' not in pages[row["chapter"]]]
    if lost:
        raise BookError("\n".join(f"{name}: its measurement is not shown on the chapter's page" for name in lost))


def _landing(built: Path) -> None:
    """Rewrite Jupyter Book's first page, which only redirects: with a title, a working link, and no icon to load."""
    target = "book/index.html"
    (built / "index.html").write_text(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>Learned and Checked</title>'
        f'<meta http-equiv="refresh" content="0; url={target}"><link rel="icon" href="data:,"></head>'
        f'<body><p><a href="{target}">Learned and Checked</a></p></body></html>\n',
        encoding="utf-8",
    )


def _offer(book: Book, chapters: list[Chapter], built: Path) -> None:
    """Copy the scripts that chapters write to where their pages find them: ``files/NN-slug`` beside the page.

    Other files are for readers to download; Sphinx publishes them if a page links to them.
    """
    for chapter in chapters:
        for script in sorted(files_path(book, chapter).glob("*.js")):
            target = built / "notebooks" / "files" / chapter.name / script.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(script, target)


def _stage(book: Book, chapters: list[Chapter], records: list[dict[str, Any]], stage: Path) -> None:
    """Lay out what Jupyter Book builds: pages as they are, chapters as executed, and a complete configuration."""
    shutil.rmtree(stage, ignore_errors=True)
    (stage / "notebooks").mkdir(parents=True)
    shutil.copytree(book.root / "book", stage / "book", ignore=shutil.ignore_patterns("*.toml", "*.json"))
    write_pages(stage / "book")
    shutil.copy(book.root / "_toc.yml", stage / "_toc.yml")
    for name in ABOUT:
        if (book.root / name).exists():
            shutil.copy(book.root / name, stage / name)
    (stage / "genindex.md").write_text("# Index\n", encoding="utf-8")  # Sphinx puts its index in this page's place
    for chapter in chapters:
        notebook = nbformat.read(executed_path(book, chapter), as_version=4)
        # papermill's injected cell repeats the default; readers need not see it.
        notebook.cells = [c for c in notebook.cells if "injected-parameters" not in c.metadata.get("tags", [])]
        notebook.metadata.pop("papermill", None)  # paths of the machine that built the site
        nbformat.write(notebook, stage / "notebooks" / f"{chapter.name}.ipynb")
        for name, svg in figures_of(executed_path(book, chapter)).items():  # for other pages to show
            figure = stage / "book" / "figures" / f"{name}.svg"
            figure.parent.mkdir(exist_ok=True)
            figure.write_text(svg, encoding="utf-8")
        if (files := files_path(book, chapter)).is_dir():
            shutil.copytree(files, stage / "notebooks" / "files" / chapter.name)
    config = yaml.safe_load((book.root / "_config.yml").read_text(encoding="utf-8"))
    inserts = substitutions(book, chapters, records) | launching(config)
    config.setdefault("parse", {})["myst_substitutions"] = inserts
    if scorer := config["sphinx"]["config"].get("html_search_scorer"):  # else Sphinx looks for it where it is started
        config["sphinx"]["config"]["html_search_scorer"] = str((stage / scorer).resolve())
    if book.scale != "published":
        theme = config["sphinx"]["config"].setdefault("html_theme_options", {})
        theme["announcement"] = f"Built at the scale '{book.scale}', for trying things out: no result."
    (stage / "_config.yml").write_text(yaml.safe_dump(config, allow_unicode=True, sort_keys=False), encoding="utf-8")


def substitutions(book: Book, chapters: list[Chapter], records: list[dict[str, Any]]) -> dict[str, Any]:
    """What pages may insert with ``{{ name }}``: counts, tables and numbers, all from the records of this build."""
    judged = {row["chapter"] for row in records}
    sources = documents(book)
    values: dict[str, Any] = {
        "claims_judged": str(sum(row["asked_by"] == "author" for row in records)),
        "own_answers": str(sum(row["asked_by"] == "book" for row in records)),
        "verdict_counts": verdict_counts(records),
        "verdict_tables": "\n\n".join(verdict_table(c, records, sources) for c in chapters if c.claims in judged),
        **insertable(book, chapters, records),
    }
    published = Counter(
        value for row in records if row["asked_by"] == "author" for value in (row["kind"], row["verdict"])
    )
    kinds_and_verdicts = (*VERDICTS, *SIGNS)
    values["number"] = {name: published[name] for name in kinds_and_verdicts}
    for chapter in (chapter for chapter in chapters if chapter.claims):
        own = [row for row in records if row["chapter"] == chapter.claims]
        name = chapter.claims.replace("-", "_")
        values[f"verdicts_{name}"] = verdict_counts(own, _title(chapter))
        values[f"verdict_table_{name}"] = verdict_table(chapter, own, sources, heading=False)
    if "joint_table" in _text_of(book.root / "book" / "judging.md"):  # it takes seconds
        values["joint_table"] = joint_table()
    return values | headlines(book, values) | citation(book)


def _text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def verdict_counts(records: list[dict[str, Any]], title: str = "") -> str:
    """The number of each verdict, as badges that lead to the page of verdicts and show only that verdict."""
    counts = Counter(row["verdict"] for row in records)
    chapter = f"chapter={quote(title)}&amp;" if title else ""
    return " ".join(
        f'<a class="verdict-link" href="../book/verdicts.html?{chapter}verdict={quote(verdict)}">{badge(verdict)} '
        f"{counts[verdict]}</a>"
        for verdict in SIGNS
        if counts[verdict]
    )


def _title(chapter: Chapter) -> str:
    heading = nbformat.read(chapter.notebook, as_version=4).cells[0].source.splitlines()[0]
    return str(heading.lstrip("# ").removesuffix(": the evidence"))


def verdict_table(
    chapter: Chapter,
    records: list[dict[str, Any]],
    sources: dict[str, dict[str, str]],
    heading: bool = True,
) -> str:
    """The verdicts of one chapter as an HTML table whose rows lead to the place of measurement and to the source."""
    title = _title(chapter)
    rows = [_verdict_row(chapter, row, sources) for row in records if row["chapter"] == chapter.claims]
    above = f"## {title}\n\n" if heading else ""
    head = "".join(f'<th scope="col">{name}</th>' for name in ("Verdict", "Claim", "Published", "Ours"))
    return (
        f'{above}<div class="wide-table" tabindex="0" role="group" aria-label="Verdicts of {html.escape(title)}">\n'
        f'<table class="verdicts" data-chapter="{html.escape(title)}"><thead><tr>{head}</tr></thead>\n'
        f"<tbody>{''.join(rows)}</tbody></table>\n</div>"
    )


def _verdict_row(chapter: Chapter, row: dict[str, Any], sources: dict[str, dict[str, str]]) -> str:
    note = f'<span class="claim-note">{typeset(row["note"])}</span>' if row["note"] else ""
    passage = html.escape(row["source"])
    if (document := sources.get(chapter.claims)) and not row["source"].startswith("not "):
        cite = f'<a href="../book/references.html#ref-{document["cite"]}">{html.escape(document["name"])}</a>'
        passage = f"{cite}: {passage}"
    return (
        f'<tr data-verdict="{row["verdict"]}" data-kind="{row["kind"]}"><td>{badge(row["verdict"])}'
        f'<span class="claim-note">{row["kind"]}{", ours" * (row["asked_by"] == "book")}</span></td>'
        f'<td><a href="{place_of(chapter, row["id"])}">{typeset(row["claim"])}</a>'
        f'<span class="claim-note">{passage}</span><code>{row["id"]}</code></td>'
        f"<td>{typeset(row['published']) or '–'}</td><td>{typeset(show_value(row))}{note}{details(row)}</td></tr>"
    )
