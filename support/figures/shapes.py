"""The few SVG shapes that make up the book's drawn pictures."""

from collections.abc import Iterable
from xml.sax.saxutils import escape

from support.figures.style import INK, Picture, themed


def picture(width: float, height: float, body: Iterable[str]) -> Picture:
    """A picture of this size in user units, which follows the page into dark mode."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    return themed(f"{head}{''.join(body)}</svg>")


def box(
    x: float, y: float, width: float, height: float, fill: str, line: str, radius: float, thick: float = 1.6
) -> str:
    """A rectangle with round corners."""
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius}" fill="{fill}" stroke="{line}" '
        f'stroke-width="{thick}"/>'
    )


def text(
    x: float, y: float, words: str, size: float, colour: str = INK, anchor: str = "start", weight: str = "normal"
) -> str:
    """Words that start at a point, or are centred on it (anchor ``middle``), or end there (``end``)."""
    look = ("" if anchor == "start" else f'text-anchor="{anchor}" ') + (
        "" if weight == "normal" else f'font-weight="{weight}" '
    )
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" {look}fill="{colour}">{escape(words)}</text>'
