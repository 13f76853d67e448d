"""Where compiled code is kept. Compiled functions live in modules named ``..._fast``, beside their plain counterparts.

Each such module imports numba's ``njit`` from here. What numba compiles is kept by a hash of the module's source and of
everything that it imports from this package, for numba itself checks only the file of the function that it compiled: if
a function inlined from another file changed, or a constant, it would go on running old code.
"""

import hashlib
import os
import re
import shutil
import warnings
from functools import cache as once
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
from filelock import FileLock, Timeout
from numba.core.errors import NumbaExperimentalFeatureWarning

__all__ = ["code_hash", "lean", "njit"]

WAIT = 60.0
"""Seconds to wait for a function that another process is compiling; after that, this process compiles it too."""
PACKAGE = Path(__file__).resolve().parent.parent
KEPT = PACKAGE / "__pycache__" / "numba"
"""The folder of what was compiled, with a folder for each module."""
IMPORT = re.compile(r"^(?:from (\S+) import (\([^)]*\)|.*)|import (\S+))", re.MULTILINE)


def code_hash(module: Path, root: Path = PACKAGE.parent) -> str:
    """A hash of a module's source and of all modules below ``root`` that it imports, directly or not.

    It identifies the code that computed a stored result. Imports within functions do not count.
    """
    found: dict[Path, bytes] = {}
    todo = [module]
    while todo:
        path = todo.pop()
        if path not in found:
            found[path] = path.read_bytes()
            todo += _imported(found[path], root)
    return hashlib.sha256(b"".join(found[path] for path in sorted(found))).hexdigest()[:16]


@once
def _imported(source: bytes, root: Path) -> list[Path]:
    """The files below a folder that some source imports."""
    files: list[Path] = []
    for start, names, alone in IMPORT.findall(source.decode()):
        module = root.joinpath(*(start or alone).split("."))
        below = [_file(module / name) for name in re.findall(r"\w+", names)]
        files += filter(None, below if below and all(below) else [_file(module), *below])
    return files


def _file(module: Path) -> Path | None:
    files = (module.with_suffix(".py"), module / "__init__.py")
    return next((file for file in files if file.is_file()), None)


@once
def folder_of(module: Path) -> Path:
    """Where numba keeps what it compiles of a module. What it kept of earlier versions of the module is removed."""
    name = ".".join(module.relative_to(PACKAGE).with_suffix("").parts if PACKAGE in module.parents else [module.stem])
    folder = KEPT / f"{name}-{code_hash(module)}"
    if not folder.exists():
        for earlier in {*KEPT.glob(f"{name}-*")} - {folder}:
            shutil.rmtree(earlier, ignore_errors=True)
    return folder


class _Once:
    """A cache that lets one process compile each function; the others wait, then load the result.

    Args:
        cache: numba's cache of one function.
        lock: the file that the process which compiles the function holds.
    """

    def __init__(self, cache: Any, lock: Path):
        self._cache, self._held = cache, FileLock(lock, timeout=WAIT)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Load from numba's cache. If nothing is there, lock it to compile here, or wait for the process that does."""
        kept = self._cache.load_overload(signature, context)
        if kept is None:
            try:
                self._held.acquire()
            except (Timeout, OSError):
                return None
            kept = self._cache.load_overload(signature, context)
            if kept is not None:
                self._held.release()
        return kept

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Save to numba's cache, then let the waiting processes go on."""
        try:
            self._cache.save_overload(signature, compiled)
        finally:
            self._held.release()


def _njit(*functions: Any, cache: bool = False, **options: Any) -> Any:
    """``numba.njit``; a function that it caches is compiled by one process at a time."""
    if not functions:
        return partial(_njit, cache=cache, **options)
    make: Any = numba.njit
    source = Path(functions[0].__code__.co_filename)
    if not (cache and source.is_file() and os.access(PACKAGE, os.W_OK)):  # a cell of a notebook has no file
        return make(*functions, cache=cache, **options)
    folder = folder_of(source)
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]  # filled in as it loads
    compiled = make(*functions, cache=True, **options)
    if hasattr(compiled, "_cache"):  # not if numba is off
        compiled._cache = _Once(compiled._cache, folder / f"{compiled.__qualname__}.lock")
    return compiled


if TYPE_CHECKING:
    from numba import njit
else:
    njit = _njit

lean = partial(njit, _nrt=False)
"""``njit`` for functions that create no arrays: it does not count references to the arrays they are given.

Counting references makes it costly to pass an array, or a tuple of arrays, to a function that is called a million times
a second. A lean function that another compiled function calls must not return an array.
"""

# A record may be passed to a function written for a record with only its first fields. The boards of wild ones rely on
# this, and tests compare the results. numba warns at every such call that it is experimental.
warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
