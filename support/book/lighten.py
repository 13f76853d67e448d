"""Make a built site lighter and easier to read for everybody: only what its pages use, and sound HTML."""

import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from scour import scour

from support.book.execute import KILLED, end_with_parent
from support.book.layout import BookError

ICON = re.compile(
    r'(?:"([\w-]+)"|([\w$]+)):\[\d+,\d+,(\[[^\]]*\]),"[0-9a-f]+",(?:"[^"]*"|\["[^"]*"(?:,"[^"]*")*\])\],?'
)
ICON_RULE = re.compile(r'(?:\.fa-[\w-]+:+before,?)+\{content:"[^"]*"\}')
# The scripts of a service that the book does not use: they name another host, and one of them twice.
THEBE = re.compile(r"\s*<script(?:(?!</script>).)*?thebe(?:(?!</script>).)*</script>|\s*<link[^>]*thebe[^>]*>", re.S)
PRINT_CONTENTS = re.compile(r'<div id="jb-print-docs-body".*?(?=<div id="searchbox">)', re.S)
SEARCH = re.compile(r'\s*<script src="[^"]*(?:searchtools|language_data|searchindex)\.js[^"]*"></script>')
FIGURE = re.compile(r'<img (?=[^>]*src="([^"]*_images/[^"]*\.svg)")')
SHAPE = re.compile(r'<svg\b(?=[^>]* width="([\d.]+)(pt|px|)")(?=[^>]* height="([\d.]+)\2")')
TOGGLE = '<summary><span class="toctree-toggle"'
# The theme keeps its colours in a storage that a browser may refuse to give, or that may be full; then its buttons
# would do nothing.
FIRST_SCRIPT = '<script data-cfasync="false">'
STORAGE = """<script>
    try {
      localStorage.setItem("probe", "");
      localStorage.removeItem("probe");
    } catch {
      let kept = [];
      try { kept = Object.entries(localStorage); } catch {}
      kept = new Map(kept);
      Object.defineProperty(window, "localStorage", { value: {
        refused: true,
        getItem: (name) => kept.get(String(name)) ?? null,
        setItem: (name, text) => { kept.set(String(name), String(text)); },
        removeItem: (name) => { kept.delete(String(name)); },
      } });
    }
  </script>
  """
FEW = 8
"""So few figures are not worth the start of processes."""
PARAMETERS = re.compile(r"<dl>\n((?:<dd><em class=\"sig-param\">.*</dd>\n)+)</dl>")


def lighten(built: Path) -> None:
    """Change a built site in place: remove icons that no page shows, digits that nobody sees in figures, and so on.

    Args:
        built: its folder.

    Raises:
        BookError: the theme is not as we know it, a figure has no size, or a process that works on them was killed.
    """
    names: set[str] = set()
    for path in built.rglob("*.html"):
        text = _page(path)
        path.write_text(text, encoding="utf-8")
        names |= set(re.findall(r"\bfa-([\w-]+)", text))
    static = built / "_static"
    for script in static.rglob("*.js"):
        if script.name != "fontawesome.js":
            names |= set(re.findall(r"\bfa-([\w-]+)", script.read_text(encoding="utf-8")))
    _change(static / "scripts" / "fontawesome.js", lambda text: ICON.sub(lambda found: _icon(found, names), text))
    _change(static / "styles" / "pydata-sphinx-theme.css", lambda text: ICON_RULE.sub("", text))
    # Search shows an excerpt of each page it finds, if it may read pages; from a disk, a browser reads none.
    served = 'SHOW_SEARCH_SUMMARY: location.protocol !== "file:"'
    _change(static / "documentation_options.js", lambda text: text.replace("SHOW_SEARCH_SUMMARY: true", served))
    for path in [*static.rglob("*.map"), *static.glob("sphinx-thebe.*")]:
        path.unlink()
    _minify_all(sorted((built / "_images").glob("*.svg")))


def _page(path: Path) -> str:
    """The HTML of a page without what it does not use."""
    text = path.read_text(encoding="utf-8")
    text = PRINT_CONTENTS.sub("", text)  # a second heading of the first level; on paper it is not needed either
    text = THEBE.sub("", text)
    if path.name != "search.html":
        text = SEARCH.sub("", text)
    # The contents and the head, by which a page of the theme is known, must have what is replaced in them.
    for mark, wanted in ((' has-children"', TOGGLE), ("_static/documentation_options.js", FIRST_SCRIPT)):
        if mark in text and wanted not in text:
            raise BookError(f"{path.name}: no {wanted} to replace; has the theme changed? See {__name__}")
    text = text.replace(TOGGLE, TOGGLE.replace("<summary>", '<summary aria-label="Pages below">'))
    text = PARAMETERS.sub(_parameters, text)
    text = text.replace(FIRST_SCRIPT, STORAGE + FIRST_SCRIPT, 1)
    text = text.replace('<div role="list" class="citation-list">', '<div class="citation-list">')  # it has no items
    return FIGURE.sub(lambda found: sized(found, path.parent), text)


def _change(path: Path, change: Callable[[str], str]) -> None:
    """Rewrite a file of the theme, which must be there and have something to change.

    Raises:
        BookError: the file is missing, or has nothing to change.
    """
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if (after := change(before)) == before:
        raise BookError(f"_static/{path.name}: nothing to make lighter; has the theme changed? See {__name__}")
    path.write_text(after, encoding="utf-8")


def _icon(found: re.Match[str], names: set[str]) -> str:
    """An icon's drawing, if a page or a script names it or one of its other names."""
    others = re.findall(r'"([\w-]+)"', found[3])
    return found[0] if names & {found[1] or found[2], *others} else ""


def _parameters(found: re.Match[str]) -> str:
    """The parameters of a signature, one per line, because they are not a list of definitions."""
    lines = found[1].replace("<dd>", '<span class="sig-line">').replace("</dd>", "</span>")
    return f'<span class="sig-lines">\n{lines}</span>'


def sized(found: re.Match[str], folder: Path) -> str:
    """An image tag with the figure's size, so nothing moves when the figure loads, and no text waits for it."""
    shape = SHAPE.search((folder / found[1]).read_text(encoding="utf-8"))
    if shape is None:
        raise BookError(f"{found[1]}: a figure without a width and a height, in pixels or points")
    width, unit, height = shape.groups()
    wide, high = (float(length) * (4 / 3 if unit == "pt" else 1) for length in (width, height))
    return f'<img decoding="async" width="{wide:.0f}" height="{high:.0f}" '


def _minify_all(figures: list[Path]) -> None:
    if len(figures) < FEW:
        for path in figures:
            _minify(path)
        return
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=end_with_parent) as pool:
        try:
            list(pool.map(_minify, figures, chunksize=4))
        except BrokenProcessPool:
            raise BookError(f"a process that makes figures smaller was killed, {KILLED}") from None


def _minify(path: Path) -> None:
    path.write_text(minified(path.read_text(encoding="utf-8")), encoding="utf-8")


def minified(svg: str) -> str:
    """The same picture in fewer bytes: coordinates with five digits, and what many shapes share written once."""
    options = scour.sanitizeOptions()
    options.digits = 5
    options.strip_comments = options.remove_metadata = options.strip_xml_prolog = True
    options.strip_ids = options.shorten_ids = True
    options.indent_type, options.newlines = "none", False
    return str(scour.scourString(svg, options))
