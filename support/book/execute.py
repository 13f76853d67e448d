"""Execute the chapters with papermill: only those that changed, each once, in parallel over shared workers."""

import contextlib
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import Any

import nbformat

from support.book import clock
from support.book.layout import Book, BookError, Chapter
from support.book.progress import Expected, Progress, Report
from support.core.sources import sources
from support.sweep.engine import shared_workers
from support.sweep.progress import SILENT
from support.verdicts.claims import Registry
from support.verdicts.notebook import FILES

STAMP = "learned_and_checked"
PACKAGE = Path(__file__).resolve().parent.parent
UNFINISHED = "unfinished-"
BESIDE = 2
"""How many more chapters than cores run at a time; most of them wait for the workers."""
KILLED = "as the system does where memory runs out; free some, and start the build again"


def inputs_of(book: Book, chapter: Chapter, registry: Registry) -> str:
    """A hash over all that a chapter's result depends on: text, imports, Python, the lock, claims, kept runs, scale."""
    lock, kept = book.root / "requirements.lock", book.root / "book" / f"{chapter.claims}-kept.json"
    inputs = {
        "text": digest(chapter.notebook),
        "modules": modules_of(chapter),
        "lock": digest(lock) if lock.exists() else "",
        "python": platform.python_version(),
        "claims": [vars(claim) for claim in registry.of(chapter.claims)],
        "kept": digest(kept) if kept.exists() else "",
        "scale": book.scale,
    }
    return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()


def modules_of(chapter: Chapter) -> dict[str, str]:
    """Hashes of our modules that the chapter's cells depend on; of all our modules if the cells are not Python."""
    cells = nbformat.read(chapter.notebook, as_version=4).cells
    try:
        return sources(
            "\n".join(cell.source for cell in cells if cell.cell_type == "code"), {PACKAGE.name, "benchmarks"}
        )
    except SyntaxError:  # a command of IPython, or a mistake that the execution will name
        return {str(path): digest(path) for path in sorted(PACKAGE.rglob("*.py"))}


def executed_path(book: Book, chapter: Chapter) -> Path:
    """The path of the executed notebook, once all its cells have passed."""
    return book.executed / f"{chapter.name}.ipynb"


def files_path(book: Book, chapter: Chapter) -> Path:
    """The folder of the files that an executed chapter offers to its readers."""
    return book.executed / "files" / chapter.name


def execute(book: Book, chapters: list[Chapter], registry: Registry, force: bool = False) -> Report:
    """Execute the chapters whose inputs changed: the longest first; at the published scale, what measures time last.

    The sweeps of all chapters that run in parallel share one worker per core. An executed notebook is moved into place
    only when every cell has passed, so an interrupted or failed run leaves nothing that could be taken for a result.

    Returns:
        The times that the cells took.

    Raises:
        BookError: the message has, for each chapter that failed, the cell and what it raised.
    """
    book.executed.mkdir(parents=True, exist_ok=True)
    for left in book.executed.glob(f"{UNFINISHED}*"):  # by a build that was killed
        shutil.rmtree(left, ignore_errors=True)
    todo = {}
    for chapter in chapters:
        inputs = inputs_of(book, chapter, registry)
        if force or _stamp(book, chapter) != inputs:
            todo[chapter] = inputs
        else:
            print(f"{chapter.slug}: unchanged since it was last executed", flush=True)
    report = Report(book.build / "report.json")
    if not todo:
        return report
    expected = Expected.load(book.root / "book" / f"seconds-{book.scale}.json")
    alone = [c for c in todo if c.alone and book.scale == "published"]  # times at a smaller scale count for nothing
    beside = sorted((c for c in todo if c not in alone), key=lambda c: -expected.work(c.name))
    cores = os.cpu_count() or 1
    with tempfile.TemporaryDirectory(prefix="learned-and-checked-") as folder:
        progress = Progress(Path(folder), expected, [c.name for c in beside], [c.name for c in alone], cores)
        faults = []
        sharing = len(beside) > 1 and book.scale == "published"  # small sweeps run in their chapter's own process
        with shared_workers(cores) if sharing else contextlib.nullcontext(lambda: None) as replace_workers:
            faults += _execute_some(book, {c: todo[c] for c in beside}, cores + BESIDE, progress, replace_workers)
        faults += _execute_some(book, {c: todo[c] for c in alone}, 1, progress)
        report.chapters = progress.cells()
    report.part("chapters")
    report.write()
    if faults:
        raise BookError("\n".join(faults))
    return report


def _execute_some(
    book: Book,
    todo: dict[Chapter, str],
    most: int,
    progress: Progress,
    replace_workers: Callable[[], None] = lambda: None,
) -> list[str]:
    """Execute chapters, at most ``most`` at a time; return what went wrong."""
    faults: list[str] = []
    killed: list[str] = []
    if not todo:
        return faults
    spawn = get_context("spawn")
    with ProcessPoolExecutor(min(len(todo), most), mp_context=spawn, initializer=end_with_parent) as pool:
        running = {
            pool.submit(_execute_one, book, chapter, inputs, progress.file(chapter.name)): chapter
            for chapter, inputs in todo.items()
        }
        while running:
            ended, _ = wait(running, timeout=1, return_when=FIRST_COMPLETED)
            for future in ended:
                chapter = running.pop(future)
                try:
                    progress.say(f"{chapter.slug}: executed in {future.result():.0f} s")
                except BookError as error:
                    faults.append(str(error))
                except BrokenProcessPool:
                    killed.append(chapter.slug)  # or had not begun: one killed process breaks the whole pool
                except OSError as error:  # while the notebook was put in its place
                    faults.append(f"{chapter.slug}: {type(error).__name__}: {error}")
            replace_workers()
            progress.show()
    if killed:
        faults.append(f"{', '.join(killed)}: a process that executes chapters was killed, {KILLED}")
    return faults


def end_with_parent() -> None:
    """Let a process of a build end when the build is killed or interrupted, as the next build may start at once."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a Ctrl-C ends it too; otherwise it would begin the next chapter
    parent = parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _stamp(book: Book, chapter: Chapter) -> str | None:
    """The inputs that an executed notebook was made from, or None if it or a file that it offers has changed."""
    try:
        notebook = json.loads(executed_path(book, chapter).read_text(encoding="utf-8"))
        stamp = notebook["metadata"].pop(STAMP)
        whole = _digests(files_path(book, chapter)) == stamp["files"] and _content(notebook) == stamp["content"]
        return stamp["inputs"] if whole else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _joined(outputs: Iterable[Any]) -> list[Any]:
    """Outputs in which a text that came in several pieces is whole again.

    A kernel sends what was printed several times a second, and the site would begin a new line at each piece.
    """
    found: list[Any] = []
    for output in outputs:
        if found and output.output_type == "stream" == found[-1].output_type and output.name == found[-1].name:
            found[-1].text += output.text
        else:
            found.append(output)
    return found


def _content(notebook: Any) -> str:
    """The sha256 of an executed notebook without its stamp: a verdict changed by hand must not be published."""
    return hashlib.sha256(json.dumps(notebook, sort_keys=True).encode()).hexdigest()


def _digests(folder: Path) -> dict[str, str]:
    """The sha256 of each file in a folder, by name."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return {file.name: digest(file) for file in files}


def digest(file: Path) -> str:
    """The sha256 of a file."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _execute_one(book: Book, chapter: Chapter, inputs: str, cells: Path) -> float:
    """Execute one chapter, whose kernel writes the times of its cells to a file; return the seconds it took."""
    import papermill
    from nbclient.exceptions import DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    began = time.monotonic()
    os.environ |= {SILENT: "1", clock.FILE: str(cells)}  # the build shows its own progress
    with (
        tempfile.TemporaryDirectory(dir=book.executed, prefix=UNFINISHED) as folder,
        tempfile.TemporaryDirectory(prefix="lc-") as sockets,  # under a short path: names of sockets are limited
        contextlib.redirect_stdout(sys.stderr),
    ):
        scratch, files = Path(folder) / f"{chapter.name}.ipynb", Path(folder) / "files"
        os.environ[FILES] = str(files.resolve())
        try:
            papermill.execute_notebook(
                str(chapter.notebook),
                str(scratch),
                parameters={"scale": book.scale},
                kernel_name="python3",
                progress_bar=False,
                request_save_on_cell_execute=False,  # only a finished notebook counts, or one that failed
                stderr_file=sys.stderr,
                cwd=str(book.root),
                config=_private_sockets(sockets),
                extra_arguments=[
                    "--IPKernelApp.log_level=50",  # otherwise it logs the interrupt that ends it as an error
                    f"--IPKernelApp.extra_extensions={clock.__name__}",
                ],
            )
        except PapermillExecutionError as error:
            failed = book.build / "failed" / scratch.name
            failed.parent.mkdir(parents=True, exist_ok=True)
            scratch.replace(failed)
            raise BookError(_explain(chapter, error, failed.relative_to(book.root))) from None
        except DeadKernelError:
            raise BookError(f"{chapter.slug}: its kernel was killed, {KILLED}") from None
        except Exception as error:  # such as a full disk: the message must name the chapter
            raise BookError(f"{chapter.slug}: {type(error).__name__}: {error}") from error
        notebook = nbformat.read(scratch, as_version=4)
        for cell in notebook.cells:
            for output in cell.get("outputs", []):
                if output.output_type == "error":  # SystemExit, which papermill takes for success
                    where = cell.source.strip().splitlines()[0][:60]
                    raise BookError(f"{chapter.slug}: the cell '{where}' raised {output.ename}: {output.evalue}")
            if "outputs" in cell:
                cell.outputs = _joined(cell.outputs)
        content = _content(json.loads(nbformat.writes(notebook)))  # as it will be read back
        notebook.metadata[STAMP] = {
            "inputs": inputs,
            "files": _digests(files),
            "content": content,
        }
        nbformat.write(notebook, scratch)
        shutil.rmtree(files_path(book, chapter), ignore_errors=True)
        if files.exists():
            for file in files.iterdir():
                file.chmod(0o644)  # safetensors lets only the owner read, and a web server is another user
            files_path(book, chapter).parent.mkdir(exist_ok=True)
            files.replace(files_path(book, chapter))
        scratch.replace(executed_path(book, chapter))
    return time.monotonic() - began


def _private_sockets(folder: str) -> Any:
    """Let a kernel communicate through sockets in its own folder, so two kernels can never pick the same port."""
    from traitlets.config import Config

    return Config(KernelManager={"transport": "ipc", "ip": f"{folder}/k"} if os.name == "posix" else {})


def _explain(chapter: Chapter, error: Any, failed: Path) -> str:
    source = error.source.strip().splitlines() or [""]
    trace = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error.traceback))
    line = re.search(r"^-+> *\d+ +(.*)", trace, re.MULTILINE)  # IPython's arrow; its first is in the cell
    where = f", at '{line[1].strip()[:100]}'," if line and line[1].strip() != source[0].strip() else ""
    return (
        f"{chapter.slug}: cell {error.exec_count} ('{source[0][:60]}'){where} raised {error.ename}: {error.evalue}\n"
        f"  the notebook up to there is {failed}"
    )
