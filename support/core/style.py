"""How dice, cards and emphasis look in a terminal."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TextIO

DICE = "⚀⚁⚂⚃⚄⚅"
SUIT = "♠"
CODES = {"strong": "1", "faint": "2", "good": "32", "bad": "31"}


@dataclass(frozen=True)
class Style:
    """What the terminal can show.

    Args:
        glyphs: whether it can show dice and cards; otherwise they appear as digits and letters.
        colours: whether words may be coloured.
    """

    glyphs: bool = False
    colours: bool = False

    def dice(self, faces: Iterable[int]) -> str:
        """Dice as pictures followed by their digits, or as digits in brackets."""
        faces = tuple(faces)
        digits = "".join(map(str, faces))
        if not faces:
            return "no dice"
        return f"{' '.join(DICE[face - 1] for face in faces)} ({digits})" if self.glyphs else f"[{digits}]"

    def card(self, card: str) -> str:
        """A card."""
        return card + SUIT if self.glyphs else card

    def heap(self, number: int, biscuit: str) -> str:
        """A heap of biscuits; at most 30 are drawn."""
        drawn = biscuit * min(number, 30) + ("..." if number > 30 else "")
        return drawn or "-"

    def mark(self, text: str, how: str) -> str:
        """Highlighted text, if the terminal has colours.

        Args:
            text: the text.
            how: one of ``CODES``.
        """
        return f"\x1b[{CODES[how]}m{text}\x1b[0m" if self.colours else text


def style_for(out: TextIO, ascii_only: bool = False) -> Style:
    """What a stream can show: pictures if its encoding has them; colours only on a terminal, and not with NO_COLOR."""
    try:
        (DICE + SUIT).encode(getattr(out, "encoding", None) or "ascii")
        glyphs = not ascii_only
    except (UnicodeEncodeError, LookupError):
        glyphs = False
    colours = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(glyphs, colours)
