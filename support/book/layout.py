"""The layout of a book's folder, and its chapters."""

import re
from dataclasses import dataclass
from pathlib import Path

from support.core.screen import unknown
from support.sweep.scale import SCALES

NAME = re.compile(r"(\d\d)-([a-z0-9]+(?:-[a-z0-9]+)*)")


class BookError(RuntimeError):
    """The book cannot be built; the message says where and why, with one line per fault."""


EVIDENCE = "-evidence"
"""How the name of a notebook ends if it measures the claims of the chapter of the same name without this ending."""
STOPWATCH = "support.sweep.timing"
"""A chapter that uses this module measures time: at the published scale it is executed after the others, with
nothing beside it."""


@dataclass(frozen=True)
class Chapter:
    """A chapter: a pair of files, ``NN-slug.md`` (the text that is edited) and ``NN-slug.ipynb``."""

    text: Path

    @property
    def notebook(self) -> Path:
        """The paired notebook, without outputs."""
        return self.text.with_suffix(".ipynb")

    @property
    def name(self) -> str:
        """The file name without its ending, ``NN-slug``."""
        return self.text.stem

    @property
    def alone(self) -> bool:
        """Whether it measures time, so that at the published scale nothing else may run beside it."""
        return STOPWATCH in self.text.read_text(encoding="utf-8")

    @property
    def slug(self) -> str:
        """The chapter's name in claims and on the command line."""
        parts = NAME.fullmatch(self.name)
        assert parts is not None, self.name
        return parts[2]

    @property
    def claims(self) -> str:
        """The chapter whose claims it measures, as their ids begin; empty if another notebook holds its evidence.

        ``07-ten-coins-evidence`` measures the claims ``ten-coins/...`` instead of ``07-ten-coins``.
        """
        split = self.slug == self.subject and self.text.with_name(f"{self.name}{EVIDENCE}.md").exists()
        return "" if split else self.subject

    @property
    def subject(self) -> str:
        """The chapter's subject, which a story and its evidence share."""
        return self.slug.removesuffix(EVIDENCE)


@dataclass(frozen=True)
class Book:
    """A book's folder at one scale.

    Raises:
        BookError: an unknown scale; the message lists the known ones.
    """

    root: Path
    scale: str = "published"

    def __post_init__(self) -> None:
        if self.scale not in SCALES:
            raise BookError(unknown("scale", self.scale, SCALES))

    @property
    def build(self) -> Path:
        """Everything generated; the small scale has its own folder, so the two never mix."""
        return self.root / "_build" if self.scale == "published" else self.root / "_build" / self.scale

    @property
    def executed(self) -> Path:
        """Executed notebooks that passed."""
        return self.build / "executed"

    @property
    def results(self) -> Path:
        """The results file."""
        return self.build / "results" / "claims.json"

    @property
    def html(self) -> Path:
        """The published site."""
        return self.build / "html"

    @property
    def site_stamp(self) -> Path:
        """The record of what the published site was built from."""
        return self.build / "site.sha256"

    @property
    def command(self) -> str:
        """What builds it."""
        return "make book" if self.scale == "published" else f"make book SCALE={self.scale}"

    @property
    def registry(self) -> Path:
        """The registry of published claims."""
        return self.root / "book" / "claims.toml"

    def chapters(self) -> list[Chapter]:
        """The chapters in the order of the book.

        Raises:
            BookError: one half of a pair is missing, or a file does not have the name of a chapter.
        """
        faults, chapters = [], []
        folder = self.root / "notebooks"
        for path in sorted(folder.glob("*.md")) + sorted(folder.glob("*.ipynb")):
            twin = path.with_suffix(".ipynb" if path.suffix == ".md" else ".md")
            if not NAME.fullmatch(path.stem):
                faults.append(f"notebooks/{path.name}: a chapter is named NN-slug.md, such as 01-biscuits.md")
            elif not twin.exists():
                faults.append(f"notebooks/{path.name}: its other half, {twin.name}, is missing; 'make pair' writes it")
            elif path.suffix == ".md":
                chapters.append(Chapter(path))
        if faults:
            raise BookError("\n".join(faults))
        return chapters

    def chapter(self, slug: str) -> Chapter:
        """One chapter by its slug.

        Raises:
            BookError: there is no such chapter; the message lists the known ones.
        """
        chapters = {chapter.slug: chapter for chapter in self.chapters()}
        if slug not in chapters:
            raise BookError(unknown("chapter", slug, chapters))
        return chapters[slug]


def find_root() -> Path:
    """The book's folder that the working directory lies in."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "_toc.yml").is_file() and (folder / "notebooks").is_dir():
            return folder
    raise BookError(f"{here} is not inside a book: no folder with _toc.yml and notebooks/ above it")
