"""Pictures that readers can touch: their place on a story's page, and the tables that their scripts draw from.

The scripts lie in ``book/static/live``. They hold no result: each number that they show comes from these tables, which
the evidence writes while the book is built, so that a picture cannot say anything else than the chapter around it. A
page that is opened from a disk may load scripts, but no data: the tables come as a script.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

STATIC = "../_static/live"
FILE = "live.js"


@dataclass(frozen=True)
class Live:
    """A live picture, shown as such by the page that the cell stands on.

    Attributes:
        chapter: the story that shows it, such as ``01-biscuits``; its evidence writes the tables.
        title: what it is about.
        lead: what a reader can do with it.
    """

    chapter: str
    title: str
    lead: str

    @property
    def name(self) -> str:
        """Of its script: the chapter's, without the number."""
        return self.chapter.partition("-")[2]

    def _repr_html_(self) -> str:
        scripts = (f"{STATIC}/live.js", f"files/{self.chapter}-evidence/{FILE}", f"{STATIC}/{self.name}.js")
        return (
            f'<div class="live" data-live="{self.name}" role="group" aria-label="{escape(self.title)}">'
            f'<p class="live-title">{escape(self.title)}</p><p class="live-lead">{escape(self.lead)}</p>'
            '<p class="live-none">This picture needs JavaScript, and the book’s site around it.</p></div>\n'
            f'<link rel="stylesheet" href="{STATIC}/live.css">'
            + "".join(f'<script defer src="{script}"></script>' for script in scripts)
        )

    def write(self, where: Callable[[str], Path], tables: Mapping[str, Any]) -> None:
        """Write the tables, as JSON in a script; ``where`` gives the path for a file's name."""
        written = json.dumps(tables, separators=(",", ":"))
        text = f"LearnedAndChecked.live.tables({json.dumps(self.name)},{written});\n"
        where(FILE).write_text(text, encoding="utf-8")
