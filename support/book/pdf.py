"""The book as one PDF: the site's own pages in the order of the table of contents, printed by Chromium.

Nothing is executed or built again. The pages are joined into one document whose links stay inside it, and printed
twice: once to find the page of each heading and each term of the index, and again with these numbers.
"""

import html
import os
import posixpath
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import yaml
from bs4 import BeautifulSoup, Tag

from support.book.layout import Book, BookError

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The names under which a system may have the browser; the first is Chromium without windows, at half the cost."""
STYLES = (
    *("styles/theme.css", "styles/pydata-sphinx-theme.css", "pygments.css", "styles/sphinx-book-theme.css"),
    *("mystnb.*.css", "sphinx-design.min.css", "book.css", "live/live.css"),
)
SCREEN_ONLY = (
    "script, style, link, button, a.headerlink, summary, .toctree-wrapper, .genindex-jumpbox, #verdict-filters, "
    ".live-controls, .live-lead"
)
PLAY = (
    "Here the site has a table to sit down at. Paper cannot play: <code>make book</code> builds the site, "
    "<code>make serve</code> serves it on your machine, and its page <em>Sit down and play</em> deals."
)
FIT = """() => {
  for (const one of document.querySelectorAll('span.math math')) {
    const span = one.parentElement, before = span.previousSibling?.textContent ?? ' ';
    if (!/\\s$/.test(before)) span.before('\\u2060');  // no line ends between a bracket or a comma and its formula
    if (!/^\\s/.test(span.nextSibling?.textContent ?? ' ')) span.after('\\u2060');
  }
  for (const one of document.querySelectorAll('.bd-article table, .bd-article .equation')) {
    const table = one.tagName === 'TABLE';
    const room = (table ? one.parentElement : one).clientWidth;
    const width = table ? one.getBoundingClientRect().width : one.scrollWidth;
    if (room && width > room + 1) one.style.zoom = Math.max(0.5, (room - 1) / width);
  }
}"""
STILL = "[...document.querySelectorAll('.live')].map((one) => one.outerHTML)"
NUMBER = """(pages) => {
  for (const one of document.querySelectorAll('[data-page-of]')) one.textContent = pages[one.dataset.pageOf] ?? '';
}"""


@dataclass(frozen=True)
class Part:
    """Pages of the book under one caption.

    Attributes:
        caption: above them in the table of contents.
        numbered: whether they are numbered chapters, whose sections the table of contents lists too.
        pages: their names, such as ``notebooks/01-biscuits``.
    """

    caption: str
    numbered: bool
    pages: tuple[str, ...]


def parts_of(book: Book) -> list[Part]:
    """The parts of the book in order, with the front page as the first."""
    contents = yaml.safe_load((book.root / "_toc.yml").read_text(encoding="utf-8"))
    parts = [Part("", False, (contents["root"],))]
    for part in contents.get("parts", [contents]):
        pages = tuple(_pages(part.get("chapters", [])))
        parts.append(Part(part.get("caption", ""), bool(part.get("numbered")), pages))
    return parts


def _pages(entries: list[dict[str, Any]]) -> Iterator[str]:
    """The pages of the table of contents in order, with those below them."""
    for entry in entries:
        yield entry["file"]
        yield from _pages(entry.get("sections", []))


def _executable() -> str | None:
    """The browser that ``CHROMIUM`` names, or the first one found; None for the driver's own."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def chromium() -> "Iterator[Browser]":
    """A headless browser that reaches no network.

    Raises:
        BookError: there is no browser, or none that starts.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise BookError("this needs the package playwright, which was not found; reinstall the environment") from None
    with sync_playwright() as driver:
        path = _executable()
        try:
            browser = driver.chromium.launch(
                executable_path=path, args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND"]
            )
        except Error as error:
            raise BookError(
                f"this needs Chromium, and {path or 'none'} {'does not start' if path else 'was found'}: install it "
                "(on Debian and Ubuntu: apt install chromium), set CHROMIUM to its path, or let "
                f"'.venv/bin/python -m playwright install chromium' fetch one\n{error.message.strip().splitlines()[0]}"
            ) from None
        try:
            yield browser
        finally:
            browser.close()


def print_book(book: Book) -> Path:
    """Print the built site into one PDF.

    Returns:
        The PDF.

    Raises:
        BookError: there is no site, or no Chromium, or something that a page shows was not found.
    """
    _check_site(book)
    joined = book.build / "print.html"
    target = book.build / "learned-and-checked.pdf"
    part = target.with_suffix(".part")
    lost: list[str] = []
    with chromium() as browser:
        joined.write_text(join_pages(book, _stills(browser, book)), encoding="utf-8")
        # As wide as the paper between its margins, so that what is too wide can be seen before it is printed.
        page = browser.new_page(viewport={"width": 642, "height": 960}, color_scheme="light", reduced_motion="reduce")
        page.on("requestfailed", lambda request: lost.append(f"{request.url}: not found"))
        page.emulate_media(media="print")
        numbers: dict[str, int] = {}
        for _ in range(4):  # a number with more digits can move a line, and so a page
            # Loaded again each time: a page that is printed twice breaks elsewhere the second time.
            page.goto(joined.as_uri(), timeout=240_000)
            page.evaluate("async () => { await document.fonts.ready; }")
            if lost:
                raise BookError("\n".join(lost))
            page.evaluate(FIT)
            if numbers:
                page.evaluate(NUMBER, numbers)
            page.pdf(path=part, prefer_css_page_size=True, print_background=True, outline=True, tagged=True)
            found = _numbers(part)
            if found == numbers:
                break
            numbers = found
        else:
            raise BookError("the numbers of pages do not settle: each printing moves what the contents refer to")
    joined.unlink()
    part.replace(target)
    return target


def _numbers(path: Path) -> dict[str, int]:
    """The page of each place that a link leads to."""
    try:
        from pypdf import PdfReader
    except ImportError:
        raise BookError("this needs the package pypdf, which was not found; reinstall the environment") from None
    reader = PdfReader(path)
    found = {}
    for name, place in reader.named_destinations.items():
        number = reader.get_destination_page_number(place)
        if number is not None:
            found[name.removeprefix("/")] = number + 1
    return found


def _check_site(book: Book) -> None:
    if not (book.html / "index.html").is_file():
        raise BookError(f"there is no site in {book.html}: run '{book.command}' first")


def _stills(browser: "Browser", book: Book) -> dict[str, list[str]]:
    """The live pictures of each page that has any, as they stand before anybody has touched them.

    Raises:
        BookError: one cannot be drawn.
    """
    stills = {}
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light", reduced_motion="reduce")
    for name in (name for part in parts_of(book) for name in part.pages):
        path = book.html / f"{name}.html"
        if path.is_file() and 'class="live"' in path.read_text(encoding="utf-8"):
            page.goto(path.as_uri())
            stills[name] = list(page.evaluate(STILL))
            if page.locator('.live:not([data-state="live"])').count():
                raise BookError(f"{name}: a live picture cannot be drawn; run '{book.command}'")
    page.close()
    return stills


def join_pages(book: Book, stills: Mapping[str, Sequence[str]] | None = None) -> str:
    """The pages of the built site as one HTML document, for the folder ``book.build``.

    Args:
        book: its folder.
        stills: for each page what to print of its live pictures, in their order; without, they are as before a
            script has drawn them.

    Raises:
        BookError: there is no site, or it lacks a page of the table of contents.
    """
    _check_site(book)
    parts = parts_of(book)
    names = [name for part in parts for name in part.pages]
    if missing := [name for name in names if not (book.html / f"{name}.html").is_file()]:
        raise BookError("\n".join(f"{name}: the built site has no such page; run '{book.command}'" for name in missing))
    articles = {}
    for name in names:
        article = _parsed((book.html / f"{name}.html").read_text(encoding="utf-8")).select_one("article.bd-article")
        if article is None:
            raise BookError(f"{name}: the built site's page has no text; run '{book.command}'")
        for live, still in zip(article.select("div.live"), (stills or {}).get(name, ()), strict=False):
            live.replace_with(_parsed(still))
        _tidy(article)
        articles[name] = article
    for name, article in articles.items():
        _readdress(name, article, articles)
    places = {str(tag["id"]) for article in articles.values() for tag in [article, *article.select("[id]")]}
    for article in articles.values():
        for link in article.select('a[href^="#"]'):
            if str(link["href"])[1:] not in places:
                link.unwrap()
    if "genindex" in articles:
        _number_index(articles["genindex"])
    titles = {name: _title(article) for name, article in articles.items()}
    rules = "\n".join(
        f"@page p{i} {{ @top-right {{ content: {_css(titles[name])}; }} }} #{_start(name)} {{ page: p{i}; }}"
        for i, name in enumerate(names)
    )
    body = [_title_page(book), _contents(parts, articles, titles), *map(str, articles.values())]
    return "\n".join([_head(book, rules), *body, "</div></body></html>"])


def _parsed(text: str) -> BeautifulSoup:
    return BeautifulSoup(text, "html.parser")


def _tidy(article: Tag) -> None:
    """Remove what the site hides until it is clicked, and what is useful only on a screen."""
    for hidden in article.select("details.above-input"):
        hidden.decompose()
    for hidden in article.select("details"):  # an output: paper cannot unfold it
        hidden.name = "div"
        hidden.attrs = {"class": "unfolded"}
    for play in article.select("#play"):
        play.replace_with(_parsed(f'<p class="elsewhere">{PLAY}</p>'))
    for tag in article.select(SCREEN_ONLY):
        tag.decompose()
    for picture in article.select("a.image-reference"):
        picture.unwrap()


def _start(name: str) -> str:
    """The identifier of a page in the joined document."""
    return f"page-{posixpath.basename(name)}"


def _place(name: str, fragment: str) -> str:
    """The identifier of a place on a page in the joined document."""
    return f"{posixpath.basename(name)}.{fragment}" if fragment else _start(name)


def _readdress(name: str, article: Tag, articles: dict[str, Tag]) -> None:
    """Make identifiers unique in the joined document, and keep the targets of links and pictures."""
    folder = posixpath.dirname(name)
    for tag in article.select("[id]"):
        tag["id"] = _place(name, str(tag["id"]))
    article["id"] = _start(name)
    for picture in article.select("img[src]"):
        picture["src"] = posixpath.join("html", posixpath.normpath(posixpath.join(folder, str(picture["src"]))))
    for link in article.select("a[href]"):
        address = urlsplit(str(link["href"]))
        if address.scheme:
            continue
        path = posixpath.normpath(posixpath.join(folder, address.path)).removesuffix(".html") if address.path else name
        if path in articles:
            link["href"] = f"#{_place(path, unquote(address.fragment))}"
        else:  # a file to download, or a page that is not one of the book's
            link.unwrap()


def _number_index(article: Tag) -> None:
    """Set the index in columns of its own, with the page behind each entry."""
    for table in article.select("table.genindextable"):
        column = _parsed('<div class="index-columns"></div>').div
        assert column is not None
        for entries in table.select("td > ul"):
            column.append(entries.extract())
        table.replace_with(column)
    for link in article.select('a[href^="#"]'):
        link.insert_after(_parsed(f", {_page_of(str(link['href'])[1:])}"))


def _page_of(place: str) -> str:
    """Room for the number of the page where this place is."""
    return f'<span class="page-of" data-page-of="{html.escape(place)}">000</span>'


def _title(article: Tag) -> str:
    heading = article.select_one("h1")
    assert heading is not None, article.get("id")
    return " ".join(heading.get_text().split())


def _head(book: Book, rules: str) -> str:
    static = book.html / "_static"
    sheets = [path.relative_to(book.build).as_posix() for name in STYLES for path in sorted(static.glob(name))]
    links = "".join(f'<link rel="stylesheet" href="{sheet}">' for sheet in sheets)
    style = (book.root / "book" / "print.css").read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f"<title>{html.escape(_about(book)['title'])}</title>{links}<style>{style}\n{rules}</style>"
        '</head><body><div class="bd-content">'
    )


def _about(book: Book) -> dict[str, Any]:
    """What ``CITATION.cff`` says, with the year from the site's configuration."""
    about: dict[str, Any] = yaml.safe_load((book.root / "CITATION.cff").read_text(encoding="utf-8"))
    config = yaml.safe_load((book.root / "_config.yml").read_text(encoding="utf-8"))
    return about | {"year": config["copyright"]}


def _title_page(book: Book) -> str:
    about = _about(book)
    title, _, subtitle = about["title"].partition(": ")
    scale = (
        ""
        if book.scale == "published"
        else f"<p>Built at the scale '{book.scale}', for trying things out: no result.</p>"
    )
    return (
        f'<div class="title-page"><p class="book-title">{html.escape(title)}</p>'
        f'<p class="book-subtitle">{html.escape(subtitle[:1].upper() + subtitle[1:])}</p>'
        '<img src="html/_static/games.svg" alt="">'
        f"<p>{html.escape(', '.join(author['name'] for author in about['authors']))}</p>"
        f"<p>Version {html.escape(str(about['version']))}, {html.escape(str(about['year']))}</p>"
        f"<p>{html.escape(' and '.join(about['license']))}</p>{scale}</div>"
    )


def _contents(parts: list[Part], articles: dict[str, Tag], titles: dict[str, str]) -> str:
    """The table of contents, with room for the numbers of pages."""
    lines = []
    for part in parts:
        lines.append(f'<p class="contents-part">{html.escape(part.caption)}</p>' if part.caption else "")
        for name in part.pages:
            lines.append(_contents_line(_start(name), titles[name], "contents-chapter"))
            if part.numbered:
                for section in articles[name].select("section[id]:has(> h2)"):
                    heading = " ".join(section.h2.get_text().split()) if section.h2 else ""
                    lines.append(_contents_line(str(section["id"]), heading, "contents-section"))
    return f'<nav class="book-contents"><h1>Contents</h1>{"".join(lines)}</nav>'


def _contents_line(place: str, text: str, kind: str) -> str:
    return f'<p class="{kind}"><a href="#{html.escape(place)}">{html.escape(text)}</a>{_page_of(place)}</p>'


def _css(text: str) -> str:
    """A string for a style sheet."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
