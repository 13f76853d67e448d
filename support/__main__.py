"""The command line: ``python -m support``."""

import argparse
import json
import sys

from support.book.layout import SCALES, Book, BookError, find_root
from support.claims import ClaimError, read_results
from support.verdicts import as_text

__all__ = ["main"]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m support", description="Build, rerun and inspect the book.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    book = commands.add_parser("book", help="execute the chapters, judge the verdicts, build the site")
    run = commands.add_parser("run", help="execute one chapter and judge its claims")
    run.add_argument("chapter", metavar="CHAPTER", help="its name, such as three-dice")
    for command in (book, run):
        command.add_argument("--scale", default="published", metavar="SCALE", help=f"one of {', '.join(SCALES)}")
        command.add_argument("--force", action="store_true", help="execute even what has not changed")
    claims = commands.add_parser("claims", help="show the verdicts of the last build")
    claims.add_argument("chapter", nargs="?", metavar="CHAPTER", help="only this chapter's")
    claims.add_argument("--json", action="store_true", help="print the records as JSON")
    claims.add_argument("--scale", default="published", metavar="SCALE", help=f"one of {', '.join(SCALES)}")
    pair = commands.add_parser("pair", help="bring the two halves of every notebook in step")
    pair.add_argument("--check", action="store_true", help="write nothing; fail where a pair is out of step")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return COMMANDS[options.command](options)
    except (BookError, ClaimError) as error:
        print("\n".join(f"error: {line}" for line in str(error).splitlines()), file=sys.stderr)
        return 1


def _book(options: argparse.Namespace) -> int:
    from support.book.build import build_book

    page = build_book(Book(find_root(), options.scale), options.force)
    print(f"the book is ready: {page.as_uri()}")
    return 0


def _run(options: argparse.Namespace) -> int:
    from support.book.build import run_chapter
    from support.book.execute import executed_path

    book = Book(find_root(), options.scale)
    chapter, records = run_chapter(book, options.chapter, options.force)
    print("\n".join(map(as_text, records)))
    print(f"executed at the scale '{book.scale}': {executed_path(book, chapter).relative_to(book.root)}")
    return 0


def _claims(options: argparse.Namespace) -> int:
    book = Book(find_root(), options.scale)
    records = read_results(book.results)
    if options.chapter:
        book.chapter(options.chapter)
        records = [row for row in records if row["chapter"] == options.chapter]
    print(json.dumps(records, indent=1, ensure_ascii=False) if options.json else "\n".join(map(as_text, records)))
    return 0


def _pair(options: argparse.Namespace) -> int:
    from support.book.pairs import check_pairs, sync

    book = Book(find_root())
    if options.check:
        check_pairs(book.chapters())
    else:
        print("\n".join(f"wrote notebooks/{name}" for name in sync(book)) or "all pairs are in step")
    return 0


COMMANDS = {"book": _book, "run": _run, "claims": _claims, "pair": _pair}

if __name__ == "__main__":
    sys.exit(main())
