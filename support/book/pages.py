"""What pages may insert: each claim's numbers, the numbers that chapters name, and pictures drawn from both."""

import html
import math
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jinja2
import nbformat
import numpy as np
import yaml

from support.book.execute import executed_path
from support.book.layout import Book, BookError, Chapter
from support.verdicts.calibration import WORLDS, rejections
from support.verdicts.claims import Registry
from support.verdicts.judging import anchor_of, badge, p_value, typeset
from support.verdicts.stats import sign_test

ABOUT = ("CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "LICENSE-text")
"""Files of the repository's root that pages show."""
TOLD, SVG = "application/papermill.record/", "image/svg+xml"


def place_of(chapter: Chapter, name: str) -> str:
    """The address of a claim's measurement, seen from any page of the book."""
    return f"../notebooks/{chapter.name}.html#{anchor_of(name)}"


def documents(book: Book) -> dict[str, dict[str, str]]:
    """The document that each chapter checks: ``cite``, its key in the references, and ``name``, its name on pages.

    Raises:
        BookError: the list cannot be read.
    """
    return _tables(book.root / "book" / "documents.toml")


def require_documents(book: Book, chapters: Iterable[Chapter], registry: Registry) -> None:
    """Make sure that each chapter with claims of an author names the document, in a book that has a list of these.

    Raises:
        BookError: chapters are missing in the list.
    """
    if known := documents(book):
        names = [one.claims for one in chapters if any(c.asked_by == "author" for c in registry.of(one.claims))]
        said = "{}: book/documents.toml has no entry of this name, for the document that it checks"
        if missing := [name for name in names if name not in known]:
            raise BookError("\n".join(map(said.format, missing)))


def _tables(path: Path) -> dict[str, Any]:
    """The contents of a TOML file; empty if there is no such file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig")) if path.exists() else {}
    except (OSError, ValueError) as error:
        raise BookError(f"cannot read {path}: {error}") from None


def told_by(path: Path) -> dict[str, Any]:
    """The values that an executed chapter has named for its text, by name; numbers as numbers."""
    told = {}
    for output in _outputs(path):
        if name := output.get("metadata", {}).get("scrapbook", {}).get("name"):
            text = next((value for kind, value in output["data"].items() if kind == f"{TOLD}text/plain"), "")
            told[name] = _number(text)
    return told


def _number(text: str) -> float | str:
    """A number if the text is one, whole if it is written so, and otherwise the text without its quotation marks."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text[1:-1] if text[:1] == text[-1:] and text[:1] in ("'", '"') else text


def _outputs(path: Path) -> list[Any]:
    return [output for cell in nbformat.read(path, as_version=4).cells for output in cell.get("outputs", [])]


def figures_of(path: Path) -> dict[str, str]:
    """The named pictures of an executed chapter, as SVG."""
    found = {}
    for cell in nbformat.read(path, as_version=4).cells:
        name = cell.metadata.get("mystnb", {}).get("figure", {}).get("name")
        for output in cell.get("outputs", []):
            if name and SVG in output.get("data", {}):
                found[name] = output["data"][SVG]
    return found


def insertable(book: Book, chapters: list[Chapter], records: list[dict[str, Any]]) -> dict[str, Any]:
    """The names ``claim``, ``told`` and ``coin`` of a page's substitutions.

    ``claim["three-dice/discount"].measured`` is what was measured, ``.published`` is what the document has, and
    ``.verdict`` is the verdict as a link to the place of measurement. ``told.three_dice.loss`` is a number that the
    chapter or its evidence has named; the page formats it. ``coin[58]`` is the p-value of 58 heads in a hundred throws.
    """
    named = {chapter.claims: chapter for chapter in chapters}
    told: dict[str, dict[str, Any]] = {}
    for chapter in chapters:
        told.setdefault(chapter.subject.replace("-", "_"), {}).update(told_by(executed_path(book, chapter)))
    return {
        "claim": {row["id"]: _insertable(named[row["chapter"]], row) for row in records},
        "coin": {heads: f"{sign_test(heads, 100):.3f}" for heads in range(50, 71)},
        "told": told,
    }


def _insertable(chapter: Chapter, row: dict[str, Any]) -> dict[str, Any]:
    ends = row["interval"] or ()
    return {
        "text": typeset(row["claim"]),
        "published": typeset(row["published"]),
        "measured": typeset(str(row["measured"])),
        "value": row["value"] if row["value"] is not None else row["measured"],
        "note": typeset(row["note"]),
        "would_pass": typeset(row["would_pass"]),
        "verdict": f'<a class="verdict-link" href="{place_of(chapter, row["id"])}">{badge(row["verdict"])}</a>',
        "kind": row["kind"],
        "games": f"{row['games']:,}" if row["games"] else "",
        "seeds": f"{row['seeds']:,}" if row["seeds"] else "",
        "p": p_value(row["surprise"]),
        "control": p_value(row["control"]),
        "low": ends[0] if ends else "",
        "high": ends[1] if ends else "",
    }


def joint_table() -> str:
    """What the joint test rejects in 400 simulations of each world, as a MyST table."""
    deviations = (0, 2, 3, 4, 6)
    head = " | ".join(f"by {moved} deviations" if moved else "not moved" for moved in deviations)
    rows = [
        f"| {name} | "
        + " | ".join(f"{rejections(world, moved, 400, np.random.default_rng(1)):.0%}" for moved in deviations)
        for name, world in WORLDS.items()
    ]
    rule = "|---" * (1 + len(deviations))
    return "\n".join((f"| simulated runs | {head} |", f"{rule}|", *(f"{row} |" for row in rows)))


def headlines(book: Book, values: dict[str, Any]) -> dict[str, str]:
    """The pictures of ``book/headlines.toml``: for each chapter, a few numbers as bars, named ``bars_chapter_name``.

    Raises:
        BookError: the number of a bar cannot be computed from what the chapters recorded and named.
    """
    drawn: dict[str, str] = {}
    inserts = jinja2.Environment(undefined=jinja2.StrictUndefined, autoescape=False)
    for slug, picture in _tables(book.root / "book" / "headlines.toml").items():
        try:
            rows = [(label, inserts.from_string(number).render(values)) for label, number in picture["bars"]]
            drawn[f"bars_{slug.replace('-', '_')}"] = bars(picture["title"], rows, picture["caption"])
        except (jinja2.TemplateError, KeyError, TypeError, ValueError) as error:
            raise BookError(f"headlines.toml: {slug}: {type(error).__name__}: {error}") from None
    return drawn


def bars(title: str, rows: list[tuple[str, str]], caption: str) -> str:
    """Numbers as bars from zero, the longest at full width; for readers who do not see them, they are a table.

    Args:
        title: what is counted, and its unit.
        rows: label and number; a label that ends in ``*`` is the best that is possible and stands out.
        caption: what to see.
    """
    most = max(float(number) for _, number in rows) or 1.0
    lines = []
    for label, number in rows:
        exact, share = label.endswith("*"), float(number) / most
        width = f"{max(100 * share, 0.4):.1f}" if math.isfinite(share) else "0"
        mark = ' class="exact"' if exact else ""
        lines.append(
            f'<tr{mark}><th scope="row">{html.escape(label.rstrip("*"))}</th>'
            f'<td><span class="bar" style="width:{width}%"></span></td><td>{html.escape(number)}</td></tr>'
        )
    return (
        f'<figure class="bars"><table><caption>{html.escape(title)}</caption><tbody>{"".join(lines)}</tbody></table>'
        f"<figcaption>{html.escape(caption)}</figcaption></figure>"
    )


def citation(book: Book) -> dict[str, Any]:
    """How to cite the book, from ``CITATION.cff``: its parts as ``cite``, and a BibTeX entry as ``cite_bibtex``."""
    path = book.root / "CITATION.cff"
    if not path.exists():
        return {}
    about = yaml.safe_load(path.read_text(encoding="utf-8"))
    config = yaml.safe_load((book.root / "_config.yml").read_text(encoding="utf-8"))
    url = (config.get("repository") or {}).get("url") or ""
    authors = " and ".join(author["name"] for author in about["authors"])
    fields = {
        "author": f"{{{{{authors}}}}}",
        "title": f"{{{about['title']}}}",
        "version": f"{{{about['version']}}}",
        "year": f"{{{config['copyright']}}}",
        "url": f"{{{url}}}" if url else "",
    }
    lines = [f"  {name} = {value}," for name, value in fields.items() if value]
    parts = {"version": about["version"], "title": about["title"], "authors": authors, "year": config["copyright"]}
    return {
        "cite": parts | {"where": url},
        "cite_bibtex": "\n".join(["```bibtex", "@software{learned_and_checked,", *lines, "}", "```"]),
    }


def launching(config: dict[str, Any]) -> dict[str, str]:
    """What the pages say about notebooks in the browser; adds to the configuration if a repository's address is set.

    The buttons that start Binder and Colab need ``repository: {url: ...}`` in ``_config.yml``.
    """
    repository = config.pop("repository", None) or {}
    url = repository.get("url")
    if url:
        theme = config["sphinx"]["config"].setdefault("html_theme_options", {})
        theme |= {"repository_url": url, "repository_branch": repository.get("branch") or "main", "path_to_docs": ""}
        theme |= {"use_repository_button": True}
        theme["launch_buttons"] = {
            "notebook_interface": "jupyterlab",
            "binderhub_url": "https://mybinder.org",
            "colab_url": "https://colab.research.google.com",
        }
        said = "The rocket at the top of each chapter opens its notebook:"
    else:
        said = (
            "This copy of the site knows no public address of its repository, so its chapters have no buttons for "
            "these two. Set the address in `_config.yml`, as `repository: {url: https://...}`, and the next build adds "
            "them. (Without an address we could try neither with this book.)"
        )
    clone = f"!git clone --depth 1 {url or 'ADDRESS-OF-THE-REPOSITORY'} book"
    lines = [clone, "%cd book/notebooks", "%pip install -e .."]
    return {"launching": said, "colab_cell": "\n".join(["```text", *lines, "```"])}
