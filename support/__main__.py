"""The command line: ``python -m support``."""

import argparse
import contextlib
import dataclasses
import json
import re
import sys
from pathlib import Path
from typing import Any, NoReturn

import support
from support.book.layout import Book, BookError, find_root
from support.core.screen import OutputError, printable, safe_streams, shortened, unknown
from support.core.table import PlayError
from support.games import EXPERIMENTS, GAMES, Option
from support.learners import LEARNERS, LearnerError, is_library, learner_named
from support.sweep import ClusterError, DesignError, StoreError, SweepError
from support.sweep.scale import SCALES
from support.verdicts.claims import ClaimError
from support.verdicts.judging import as_text

STATUS = 79
"""The width of a line of progress, in characters; the next one overwrites it."""
DIGITS = 40
"""The most digits of a whole number on the command line; the roots of sweeps have up to 39."""
ALL = "all"
"""The word for all learners that chapter 6 compares."""
REPEATS = "may be repeated"
"""The help text of an option that may be given several times."""


class _Parser(argparse.ArgumentParser):
    """A parser that refuses empty values (mostly unset variables of scripts) and shortens long ones in messages."""

    def __init__(self, **given: Any):
        super().__init__(**given, allow_abbrev=False)  # or --seed would be taken for --seeds
        self.register("type", None, _text)
        self.register("type", int, _whole)

    def error(self, message: str) -> NoReturn:
        super().error(shortened(message))


def _text(given: str) -> str:
    if not given:
        raise argparse.ArgumentTypeError("must not be empty")
    return given


def _whole(given: str) -> int:
    if not re.fullmatch(rf"[+-]?[0-9]{{1,{DIGITS}}}", given):
        raise argparse.ArgumentTypeError(f"must be a whole number of at most {DIGITS} digits, not '{given}'")
    return int(given)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m support", description="Build, rerun and inspect the book.")
    parser.add_argument("--version", action="version", version=f"%(prog)s {support.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.type = str  # argparse gives it every word that follows, and each command's own parser checks those
    book = commands.add_parser("book", help="execute the chapters, judge the verdicts, build the site")
    run = commands.add_parser("run", help="execute one chapter and judge its claims")
    run.add_argument("chapter", metavar="CHAPTER", help="the chapter's name, such as three-dice")
    for command in (book, run):
        command.add_argument("--force", action="store_true", help="execute chapters even if they have not changed")
    pdf = commands.add_parser("pdf", help="print the built site into one PDF")
    claims = commands.add_parser("claims", help="show the verdicts of the last build")
    claims.add_argument("chapter", nargs="?", metavar="CHAPTER", help="show only this chapter's")
    claims.add_argument("--json", action="store_true", help="print the records as JSON")
    for command in (book, run, pdf, claims):
        command.add_argument("--scale", default="published", metavar="SCALE", help=f"one of {', '.join(SCALES)}")
    sweep = commands.add_parser("sweep", help="run an experiment for many seeds and settings")
    sweep.add_argument(
        "experiment", nargs="?", metavar="EXPERIMENT", help="a name or module:function; leave it out to list the names"
    )
    sweep.add_argument("--seeds", type=int, default=1, metavar="N", help="seeds for each setting (default: 1)")
    values = f"values to try for a field of the configuration; {REPEATS}"
    sweep.add_argument("--set", action="append", default=[], metavar="KEY=V1,V2", help=values)
    sweep.add_argument(
        "--root", type=int, default=0, metavar="R", help="the seed from which all others are spawned (default: 0)"
    )
    sweep.add_argument("--out", metavar="DIR", help="the folder for the records (default: sweeps/EXPERIMENT)")
    sweep.add_argument(
        "--workers", type=int, metavar="N", help="processes on this machine (default: one for each core)"
    )
    sweep.add_argument("--scheduler", metavar="ADDRESS", help="use a running Dask scheduler, at tcp://host:port")
    pair = commands.add_parser("pair", help="bring the two halves of every notebook in step")
    pair.add_argument("--check", action="store_true", help="write nothing; fail where a pair is out of step")
    judge = commands.add_parser(
        "judge",
        help="train a learner on the games that it fits, and judge it exactly; or compare several at equal work",
        epilog="A learner of your own is a class in a module of the current folder, created without arguments, with a "
        "method train(game, games, seed) that returns a policy: a dictionary {(player, information state): {action: "
        "probability}}, a function of one such pair that returns {action: probability}, or an object "
        "with action_probabilities(state). Where it gives no answer, it plays uniformly. Rewards may be of any size.",
    )
    judge.add_argument(
        "learner",
        nargs="*",
        metavar="LEARNER",
        help="a name, or module:Class of your own, or 'all' those of the sixth chapter; leave it out to list the names",
    )
    which = f"try only this game; {REPEATS}: {', '.join(GAMES)}; with --nodes also module:Class of your own"
    judge.add_argument("--game", action="append", default=[], metavar="NAME", help=which)
    judge.add_argument(
        "--games", type=int, metavar="N", help="games to learn from, or iterations (default: the learner's)"
    )
    judge.add_argument("--seeds", type=int, metavar="K", help="runs on each game (default: 1; with --nodes, 10)")
    judge.add_argument(
        "--root", type=int, default=0, metavar="R", help="the seed from which theirs are spawned (default: 0)"
    )
    judge.add_argument(
        "--nodes", type=int, metavar="N", help="compare learners at equal work: until each has visited N states"
    )
    judge.add_argument("--out", metavar="DIR", help="with --nodes: a folder for the records (default: none are kept)")
    judge.add_argument("--workers", type=int, metavar="N", help="with --nodes: processes (default: one for each core)")
    judge.add_argument("--scheduler", metavar="ADDRESS", help="with --nodes: a running Dask scheduler, tcp://host:port")
    new = commands.add_parser("new", help="write a running skeleton of a game or a learner, and say what is left to do")
    new.add_argument("what", choices=("game", "learner"), metavar="game|learner", help="what to write")
    new.add_argument("name", metavar="NAME", help="the new name, such as ten-coins")
    _add_play(commands)
    return parser


def _add_play(commands: Any) -> None:
    play = commands.add_parser("play", help="play a game in the terminal")
    play.add_argument(
        "game", nargs="?", metavar="GAME", help="a game, such as wild-ones; leave it out to list games and agents"
    )
    play.add_argument("--against", action="append", default=[], metavar="AGENT", help=f"an opponent; {REPEATS}")
    play.add_argument("--seat", type=int, metavar="N", help="your seat (default: 1)")
    for name, option in _sizes().items():
        play.add_argument(f"--{name}", metavar=",".join("N" * len(option.default)), help=option.meaning)
    play.add_argument("--seed", type=int, metavar="S", help="the seed, to play the same game again (default: random)")
    play.add_argument("--record", metavar="FILE", help="write the game to this file, in the notation of its rules")
    replay = commands.add_parser("replay", help="show a recorded game move by move")
    replay.add_argument("file", metavar="FILE", help="a file that play --record wrote")
    for command in (play, replay):
        command.add_argument("--ascii", action="store_true", help="show dice and cards as digits and letters")


def _sizes() -> dict[str, Option]:
    """The options for sizes of all games together."""
    return {name: option for entry in GAMES.values() for name, option in entry.options.items()}


def main(arguments: list[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    try:
        with safe_streams():
            return _command(arguments)
    except OutputError as error:
        if sys.stderr:
            with contextlib.suppress(OSError):
                print(error, file=sys.stderr)
        return error.status


def _command(arguments: list[str] | None) -> int:
    options = _parser().parse_args(arguments)
    try:
        return COMMANDS[options.command](options)
    except KeyboardInterrupt as error:
        print(printable(f"\ninterrupted: {error}" if str(error) else "\ninterrupted"), file=sys.stderr)
        return 130
    except (BookError, ClaimError, DesignError, StoreError, ClusterError, SweepError, PlayError, LearnerError) as error:
        print("\n".join(f"error: {line}" for line in shortened(str(error)).splitlines()), file=sys.stderr)
        return 1


def _book(options: argparse.Namespace) -> int:
    from support.book.build import build_book

    page = build_book(Book(find_root(), options.scale), options.force)
    print(f"the book is ready: {page.as_uri()}")
    return 0


def _run(options: argparse.Namespace) -> int:
    from support.book.build import run_chapter
    from support.book.execute import executed_path
    from support.book.layout import EVIDENCE

    book = Book(find_root(), options.scale)
    chapter, records = run_chapter(book, options.chapter, options.force)
    if not chapter.claims:
        print(f"this chapter has no claims; '{chapter.subject}{EVIDENCE}' measures them")
    print(printable("\n".join(map(as_text, records))), end="\n" * bool(records))
    print(f"executed at the scale '{book.scale}': {executed_path(book, chapter).relative_to(book.root)}")
    return 0


def _pdf(options: argparse.Namespace) -> int:
    from support.book.pdf import print_book

    print(f"the book is printed: {print_book(Book(find_root(), options.scale)).as_uri()}")
    return 0


def _claims(options: argparse.Namespace) -> int:
    from support.book.exports import read_results

    book = Book(find_root(), options.scale)
    records = read_results(book.results, book.command)
    if options.chapter:
        subject = book.chapter(options.chapter).subject
        records = [row for row in records if row["chapter"] == subject]
    shown = json.dumps(records, indent=1, ensure_ascii=False) if options.json else "\n".join(map(as_text, records))
    print(printable(shown))
    return 0


def _pair(options: argparse.Namespace) -> int:
    from support.book.pairs import check_pairs, sync

    book = Book(find_root())
    if options.check:
        check_pairs(book.chapters())
    else:
        print("\n".join(f"wrote notebooks/{name}" for name in sync(book)) or "all pairs are in step")
    return 0


def _new(options: argparse.Namespace) -> int:
    from support.book.new import new_game, new_learner
    from support.book.pairs import sync

    book = Book(find_root())
    said = (new_game if options.what == "game" else new_learner)(book.root, options.name)
    print("\n".join([*(f"wrote notebooks/{name}" for name in sync(book)), *said]))
    return 0


def _sweep(options: argparse.Namespace) -> int:
    from support.sweep import configurations, experiment_named, sweep
    from support.sweep.design import configuration_type

    if not options.experiment:
        print("\n".join(map(_described, sorted(EXPERIMENTS))))
        return 0
    experiment = experiment_named(options.experiment, EXPERIMENTS)
    values, rules = _values(options.set), {name: entry.rules_at for name, entry in GAMES.items()}
    for field in dataclasses.fields(configuration_type(experiment)):
        if field.name in values and field.default in rules.values():  # a game's name stands for where its rules are
            for value in values[field.name]:
                if value not in rules and ":" not in value:
                    raise DesignError(f"{unknown('game', value, rules)} Name another as module:Class.")
            values[field.name] = [rules.get(value, value) for value in values[field.name]]
    settings = configurations(experiment, values)
    folder = Path(options.out or Path("sweeps") / options.experiment.replace(":", "-"))
    records = sweep(
        experiment,
        settings,
        options.seeds,
        root=options.root,
        folder=folder,
        workers=options.workers,
        scheduler=options.scheduler,
        name=options.experiment,
    )
    print(printable(f"{len(records):,} records, {len(settings):,} settings: {folder / 'records.parquet'}"))
    return 0


def _play(options: argparse.Namespace) -> int:
    from support.play.terminal import play

    given = {size: getattr(options, size) for size in _sizes()}
    play(
        options.game,
        against=options.against,
        seat=options.seat,
        sizes={size: value for size, value in given.items() if value is not None},
        seed=options.seed,
        record=options.record,
        ascii_only=options.ascii,
    )
    return 0


def _replay(options: argparse.Namespace) -> int:
    from support.play.terminal import show

    show(options.file, options.ascii)
    return 0


def _judge(options: argparse.Namespace) -> int:
    sys.path.insert(0, "")  # to find a learner's module in the current folder
    if not options.learner:
        for name in LEARNERS:
            print(f"{name:26} {(type(learner_named(name)).__doc__ or '').splitlines()[0]}")
        return 0
    if options.nodes is not None:
        return _compare(options)
    for name in ("out", "workers", "scheduler"):
        if getattr(options, name) is not None:
            raise LearnerError(f"--{name} is for comparisons: add --nodes, such as --nodes 1000000")
    if len(options.learner) > 1 or ALL in options.learner:
        raise LearnerError("several learners are compared at equal work: add --nodes, such as --nodes 1000000")
    (name,), seeds = options.learner, 1 if options.seeds is None else options.seeds
    learner = learner_named(name)
    from support.trials import HEAD, legend, trials

    live, done = sys.stderr.isatty(), []

    def progress(text: str) -> None:
        if live:
            print(text.ljust(STATUS)[:STATUS], end="\r", file=sys.stderr, flush=True)
        elif text:
            print(text, file=sys.stderr, flush=True)

    games = list(dict.fromkeys(options.game))
    rows = trials(learner, games, options.games, seeds, options.root, progress)
    print(HEAD, flush=True)
    try:
        for trial in rows:
            if trial.unjudged and len(games) == 1:
                raise LearnerError(f"{name}, {trial.game}: {trial.unjudged}")
            print(printable(str(trial)), flush=True)
            done.append(trial)
    except KeyboardInterrupt:
        raise KeyboardInterrupt("the rows above are complete, and nothing else is kept") from None
    if columns := legend(done):
        print(printable(f"\n{columns}"))
    return 0


def _compare(options: argparse.Namespace) -> int:
    """Judge several learners at equal work."""
    from support.comparison.everyone import LEARNERS as EVERYONE
    from support.comparison.everyone import TABLES, Comparison, runs
    from support.course import CourseSettings, course, require_sound
    from support.sweep import sweep

    if options.games is not None:
        raise LearnerError("--games and --nodes both say how long to learn; give one of them")
    seeds = 10 if options.seeds is None else options.seeds
    if seeds < 1:
        raise LearnerError(f"--seeds must be at least 1, not {seeds}")
    named = [one for name in options.learner for one in (EVERYONE if name == ALL else [name])]
    learners = list(dict.fromkeys(named))
    known = dict.fromkeys(name for name, _ in TABLES)
    games = list(dict.fromkeys(options.game or known))
    places = [place for name in games for place in TABLES if place[0] == name]
    places += [(name, 0) for name in games if name not in known]
    try:
        settings = [CourseSettings(learner, *place, nodes=options.nodes) for place in places for learner in learners]
    except ValueError as error:
        raise LearnerError(str(error)) from None
    for one in {setting.game: setting for setting in settings if setting.game not in known}.values():
        require_sound(one.game, one.rules())
    how = {name: getattr(options, name) for name in ("root", "workers", "scheduler")}
    fault = None
    try:
        found = sweep(course, settings, runs(settings, seeds), folder=options.out, name="judge", **how)
    except SweepError as error:  # what others have learned is shown all the same
        fault, settings, found = error, [settings[k] for k in error.settings], error.records
    if settings:
        print(printable("\n".join(Comparison(settings, found).lines())))
    if fault:
        raise LearnerError(_shortly(fault)) from fault
    return 0


def _shortly(error: SweepError) -> str:
    """What went wrong in courses, a line for each learner and game; whole if both are the book's.

    Of what is the user's own it names the error, and the innermost line outside this package, Python's and others'.
    """
    said = {}
    for one in error.failures:
        if one.setting.learner.partition("(")[0] in LEARNERS and one.setting.game in GAMES:
            return str(error)
        places = [place for place in re.findall(r'File "(.+)", line (\d+)', one.trace) if not is_library(place[0])]
        where = f" ({Path(places[-1][0]).name}, line {places[-1][1]})" if places else ""
        last = re.sub(r"^[\w.]+\.(?=\w+:)", "", one.trace.strip().splitlines()[-1])  # the error, without its module
        said[one.setting.learner, one.setting.game] = f"{last}{where}"
    return "\n".join(f"{learner}, {game}: {text}" for (learner, game), text in said.items())


def _described(name: str) -> str:
    """An experiment with the fields of its configuration."""
    from support.sweep.design import configuration_type, experiment_named

    experiment = experiment_named(name, EXPERIMENTS)
    assert experiment.__doc__ is not None
    fields = [field for field in dataclasses.fields(configuration_type(experiment)) if field.init]
    said = ", ".join(f"{field.name}={field.default}" for field in fields)
    return f"{name}: {experiment.__doc__.splitlines()[0]}\n    {said}"


def _values(given: list[str]) -> dict[str, list[str]]:
    """The values given with ``--set``, by field.

    Raises:
        DesignError: an argument is not of the form KEY=V1,V2, or a key appears twice.
    """
    values: dict[str, list[str]] = {}
    for text in given:
        key, equals, row = text.partition("=")
        if not equals or not key or not all(row.split(",")):
            raise DesignError(f"--set must be KEY=VALUE or KEY=V1,V2 without gaps, not '{text}'")
        if key in values:
            raise DesignError(f"--set has '{key}' twice; give all its values at once: {key}=V1,V2")
        values[key] = row.split(",")
    return values


COMMANDS = {
    "book": _book,
    "run": _run,
    "pdf": _pdf,
    "claims": _claims,
    "sweep": _sweep,
    "pair": _pair,
    "judge": _judge,
    "new": _new,
    "play": _play,
    "replay": _replay,
}

if __name__ == "__main__":
    sys.exit(main())
