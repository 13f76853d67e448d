"""How long each chapter is: words, lines of program shown and folded, pictures, tables, screens. To look at only.

    python tools/chapters.py [FOLDER]

FOLDER is a repository of the book, by default this one. Screens are counted where its site is built and Chromium is
found: the height of a page, 1,280 pixels wide, by the 900 of a window.
"""

import json
import re
import sys
from pathlib import Path

HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
# What nobody reads as words: displayed formulas, programs in the text, the frame and the options of a directive,
# anchors, addresses, and the marks themselves. What a directive holds, folded or not, stays.
FORMULA = re.compile(r"^```\{math\}.*?^```|^\$\$.*?^\$\$", re.M | re.S)
PROGRAM = re.compile(r"^```[a-z]+$.*?^```$", re.M | re.S)
FRAME = re.compile(r"^(`{3,}|:{3,})(\{(figure|code-cell)\}.*|\{[a-z-]+\})?|^:[a-z_]+:.*$|^\([\w-]+\)=$", re.M)
MARKUP = re.compile(r"<[^>]+>|\{[a-z:]+\}|\{\{.*?\}\}|\]\([^)]*\)|[`*#|>\[\]$]", re.S)
HEADS = ("notebook", "words", "shown", "folded", "pictures", "tables", "screens")


def words_of(text: str) -> int:
    """Words that a reader reads in some Markdown: prose, captions, tables, admonitions and solutions.

    A number counts as no word, nor does a programmed insertion such as a verdict.
    """
    for unread in (FORMULA, PROGRAM, FRAME, MARKUP):
        text = unread.sub(" ", text)
    return sum(any(map(str.isalpha, word)) for word in text.split())


def counts(path: Path) -> list[int]:
    """Words, lines of code shown and hidden, pictures and tables of a notebook."""
    words = shown = hidden = pictures = tables = 0
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            words += words_of(source)
            pictures += len(re.findall(r"^```\{figure\}", source, re.M))
            tables += len(re.findall(r"^\|[-: |]+\|$", source, re.M)) + source.count("{{ verdict_table_")
            continue
        lines = sum(bool(line.strip()) for line in source.splitlines())
        if HIDDEN & {*cell["metadata"].get("tags", ())}:
            hidden += lines
        else:
            shown += lines
        figure = cell["metadata"].get("mystnb", {}).get("figure", {})
        words += words_of(figure.get("caption", ""))
        pictures += figure.get("name", "").startswith("fig-")
        tables += figure.get("name", "").startswith("table-")
    return [words, shown, hidden, pictures, tables]


def screens(pages: list[Path]) -> dict[str, float]:
    """Windows that each built page fills; none where there is no browser."""
    try:
        from playwright.sync_api import Error

        from support.book.layout import BookError
        from support.book.pdf import chromium
    except ImportError:
        return {}
    try:
        with chromium() as browser:
            page, found = browser.new_page(viewport={"width": 1280, "height": 900}), {}
            for path in pages:
                page.goto(path.resolve().as_uri())
                found[path.stem] = page.evaluate("document.querySelector('main').scrollHeight") / 900
            return found
    except (BookError, Error):
        return {}


def main() -> None:
    """Print the table."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[1])
    notebooks = sorted((root / "notebooks").glob("*.ipynb"))
    found = screens([page for n in notebooks if (page := root / "_build/html/notebooks" / f"{n.stem}.html").exists()])
    print("{:32}{:>8}{:>8}{:>8}{:>10}{:>8}{:>9}".format(*HEADS))
    for path in notebooks:
        high = f"{found[path.stem]:.1f}" if path.stem in found else "-"
        print("{:32}{:>8,}{:>8,}{:>8,}{:>10,}{:>8,}{:>9}".format(path.stem, *counts(path), high))


if __name__ == "__main__":
    main()
