"""Colours and type, and the conversion of a matplotlib figure into a picture of the book.

The palette is that of Okabe and Ito (2008), which readers can distinguish with every kind of colour vision. Each colour
is written into the SVG as a variable with one value for light and one for dark surroundings; the page decides which
applies.
"""

import functools
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# name: (light, dark); the light value also stands for the colour in matplotlib
THEME = {
    "ink": ("#1b1f24", "#e4e7eb"),
    "paper": ("#fefefd", "#14181d"),
    "grey": ("#7a828c", "#98a1ac"),
    "rule": ("#d5d9de", "#3a424c"),
    "blue": ("#0072b2", "#4ba8e0"),
    "orange": ("#e69f00", "#f0b53c"),
    "green": ("#009e73", "#2fbf95"),
    "red": ("#d55e00", "#f0803c"),
    "pink": ("#cc79a7", "#dd9abf"),
    "sky": ("#56b4e9", "#7cc6ef"),
}
INK, PAPER, GREY, RULE, BLUE, ORANGE, GREEN, RED, PINK, SKY = (light for light, _ in THEME.values())
DARK = "#101418"
"""The colour of text on orange, which is light in both themes."""
NARROW = 5.0
"""Inches; a figure of this width is readable at 360 pixels, where one point takes one pixel."""
STROKES = tuple(
    zip((BLUE, RED, GREEN, PINK, ORANGE, SKY), ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1))), strict=True)
)
"""Colours and dashes of lines, which can be distinguished even without colour."""
LEVELS = ((0, (2, 2)), (0, (6, 2)), (0, (1, 3)), (0, (8, 2, 1, 2)))
"""Dashes of lines at named levels."""


@dataclass(frozen=True)
class Picture:
    """An SVG image that notebooks and pages display."""

    svg: str

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"image/svg+xml": self.svg, "text/plain": "<a picture>"}


def themed(svg: str) -> Picture:
    """Make the theme's colours in an SVG follow the light or dark surroundings."""
    for name, (light, _) in THEME.items():
        svg = re.sub(rf"(?<![\w(]){light}", f"var(--{name})", svg, flags=re.IGNORECASE)
    rules = [
        "{" + ";".join(f"--{name}:{pair[k]}" for name, pair in THEME.items() if f"var(--{name})" in svg) + "}"
        for k in (0, 1)
    ]
    style = (
        f"<style>svg{rules[0]}@media (prefers-color-scheme:dark){{svg{rules[1]}}}text{{font-family:sans-serif}}</style>"
    )
    head = re.search(r"<svg[^>]*>", svg)
    assert head is not None
    return Picture(svg[head.start() : head.end()] + style + svg[head.end() :])


def axes(
    width: float = 7.0, height: float = 3.8, rows: int = 1, columns: int = 1, **options: Any
) -> tuple["Figure", Any]:
    """A figure and its axes, made without matplotlib's global state; for functions decorated with ``drawn``.

    Args:
        width: inches; a page's text column is 7 inches wide.
        height: inches.
        rows: rows of panels.
        columns: columns of panels.
        options: passed on to ``Figure.subplots``.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def key(figure: Any, handles: Sequence[Any], room: int = 60) -> None:
    """A key above the panels, in as many columns as its longest label leaves room for.

    Args:
        figure: the figure.
        handles: the labelled entries.
        room: characters in a line; each entry takes seven more than its label.
    """
    if handles:
        columns = max(1, min(len(handles), room // (max(len(handle.get_label()) for handle in handles) + 7)))
        figure.legend(handles=handles, loc="outside upper left", ncols=columns, columnspacing=1.4, handlelength=2.2)


def drawn(plot: Callable[..., Any]) -> Callable[..., Picture]:
    """Decorate a function that returns a matplotlib figure: it then returns a picture in the book's style.

    Text stays text, and the same numbers give the same bytes.
    """

    @functools.wraps(plot)
    def picture(*args: Any, **options: Any) -> Picture:
        from matplotlib import rc_context

        buffer = io.StringIO()
        with rc_context(_look()):
            plot(*args, **options).savefig(
                buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
            )
        return themed(buffer.getvalue())

    return picture


def _look() -> Any:
    from cycler import cycler

    return {
        "svg.fonttype": "none",
        "svg.hashsalt": "learned and checked",
        "font.family": "sans-serif",
        "font.size": 10,
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": GREY,
        "axes.titlesize": 10.5,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": RULE,
        "grid.linewidth": 0.7,
        "xtick.color": GREY,
        "ytick.color": GREY,
        "xtick.labelcolor": INK,
        "ytick.labelcolor": INK,
        "legend.frameon": False,
        "legend.fontsize": 9.5,
        "lines.linewidth": 1.8,
        "axes.prop_cycle": cycler(color=[BLUE, ORANGE, GREEN, RED, PINK, SKY]),
    }


def expect(fine: object, what: str) -> None:
    """Raise an error unless a condition for drawing holds.

    Raises:
        ValueError: it does not; the message says what was expected, or what was found.
    """
    if not fine:
        raise ValueError(what)


def expect_shares(name: str, shares: Any) -> None:
    """Raise an error unless all numbers are between 0 and 1.

    Raises:
        ValueError: one is not; the message begins with the name.
    """
    import numpy as np

    numbers = np.asarray(shares)
    expect(((numbers >= 0) & (numbers <= 1)).all(), f"{name}: a share is not within 0 and 1")


def fraction(share: float) -> str:
    """A probability as a fraction if its denominator is at most 64, and otherwise with two decimals."""
    near = Fraction(share).limit_denominator(64)
    return str(near) if abs(near - Fraction(share)) < 1e-9 else f"{share:.2f}"
