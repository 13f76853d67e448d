"""Equations as MathML, which browsers set themselves: a Sphinx extension, so that no page needs a script for them.

docutils translates TeX to MathML. The letters are those of STIX Two Math, whose tables show a browser how to stretch
brackets and where limits stand; the site gets a cut of it with the characters that its equations use.
"""

import contextlib
import importlib.metadata
import re
from html import unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from fontTools import subset
from sphinx.application import Sphinx
from sphinx.errors import SphinxError
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

from support.book.layout import BookError

FONT = "equations.woff"
"""The cut of the font, among the site's static files."""

MATH = re.compile(r"<math\b.*?</math>", re.S)
TAG = re.compile(r"<[^>]*>")
DRAWN = "√−"  # a browser draws these of its own accord: for roots, and for a hyphen
PRIMES = re.compile("'+")
SHORT = re.compile(r"(\\[td]?frac)(\d)(\d)")  # TeX takes single digits without braces; docutils takes both as one
# One letter alone in an identifier is set in italics, which are characters of their own: two alphabets, and some more.
ITALIC_LATIN, ITALIC_GREEK = 0x1D434, 0x1D6E2
ITALIC_OTHERS = dict(zip("hıȷ∇∂ϵϑϰϕϱϖ", "ℎ𝚤𝚥𝛻𝜕𝜖𝜗𝜘𝜙𝜚𝜛", strict=True))


def mathml(tex: str, display: bool = False) -> str:
    """An equation as a MathML element.

    Args:
        tex: the equation in TeX, without its dollars.
        display: whether it stands on a line of its own.

    Raises:
        BookError: docutils knows no MathML for it; the message holds the equation.
    """
    # docutils would set primes as apostrophes, on the line and in its size.
    raised = PRIMES.sub(lambda primes: "^{" + r"\prime" * len(primes[0]) + "}", SHORT.sub(r"\1{\2}{\3}", tex))
    try:
        found = str(tex2mathml(raised, as_block=display))
    except MathError as error:
        raise BookError(f"no MathML for the equation {tex!r}: {error}") from None
    if "\\" in found:  # it takes some arguments as they are
        raise BookError(f"no MathML for the equation {tex!r}: a command is left over in {found!r}")
    return found


def write_font(target: Path, pages: list[str]) -> None:
    """Cut the font down to what the equations of these pages use.

    Args:
        target: the WOFF file to write.
        pages: their HTML.

    Raises:
        BookError: the font was not found.
    """
    used = {letter for page in pages for found in MATH.findall(page) for letter in unescape(TAG.sub("", found))}
    used |= set(DRAWN)
    options = subset.Options(flavor="woff", hinting=False, name_IDs=["*"], layout_features=["ssty", "dtls", "kern"])
    font = subset.load_font(str(_font()), options)
    cut = subset.Subsetter(options)
    cut.populate(unicodes=map(ord, used | set(map(italic, used))))
    cut.subset(font)
    target.parent.mkdir(parents=True, exist_ok=True)
    subset.save_font(font, str(target), options)


def italic(letter: str) -> str:
    """The italic of a letter, by Unicode's block of mathematical letters; anything else as it is."""
    if letter in ITALIC_OTHERS:
        return ITALIC_OTHERS[letter]
    if letter.isascii() and letter.isalpha():
        return chr(ITALIC_LATIN + (ord(letter) - ord("A") if letter.isupper() else 26 + ord(letter) - ord("a")))
    if "Α" <= letter <= "ω":
        return chr(ITALIC_GREEK + ord(letter) - ord("Α") - (6 if letter >= "α" else 0))
    return letter


def _font() -> Path:
    """STIX Two Math as its registry package ships it."""
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        for file in importlib.metadata.files("ziamath") or []:
            if file.name == "STIXTwoMath-Regular.ttf":
                return Path(str(file.locate()))
    raise BookError("the font STIX Two Math was not found in the package ziamath; reinstall the environment")


def _inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(f'<span class="math">{_set(node)}</span>')
    raise nodes.SkipNode


def _block(writer: HTML5Translator, node: nodes.math_block) -> None:
    number = get_node_equation_number(writer, node) if node["ids"] else ""  # without a label it has none
    name = f"Equation ({number})" if number else "Equation"
    writer.body.append(writer.starttag(node, "div", CLASS="math"))
    # A long equation scrolls inside itself, by keyboard too; its number stays.
    writer.body.append(f'<div class="equation" tabindex="0" role="group" aria-label="{name}">{_set(node, True)}</div>')
    if number:
        writer.body.append(f'<span class="eqno">({number})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    writer.body.append("</div>\n")
    raise nodes.SkipNode


def _set(node: nodes.math | nodes.math_block, display: bool = False) -> str:
    try:
        return mathml(node.astext(), display)
    except BookError as error:
        raise SphinxError(f"{node.source}:{node.line}: {error}") from None


def _written(app: Sphinx, failed: Exception | None) -> None:
    if failed is None and app.builder.format == "html":
        pages = [page.read_text(encoding="utf-8") for page in sorted(Path(app.outdir).rglob("*.html"))]
        try:
            write_font(Path(app.outdir) / "_static" / FONT, pages)
        except BookError as error:
            raise SphinxError(str(error)) from None


def setup(app: Sphinx) -> dict[str, Any]:
    """What Sphinx calls when ``support.book.equations`` stands among its extensions."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("build-finished", _written)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
