"""Where compiled code is kept. Compiled functions live in modules named ``..._fast``, beside their plain counterparts.

Each such module imports numba's ``njit`` from here, so the cache directory is set before anything is compiled.
"""

import hashlib
import os
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
from filelock import FileLock, Timeout
from numba.core.errors import NumbaExperimentalFeatureWarning

__all__ = ["code_hash", "lean", "njit"]

WAIT = 60.0
"""Seconds to wait for a function that another process is compiling; after that, this process compiles it too."""


class _Once:
    """A cache that lets one process compile each function; the others wait, then load the result.

    Args:
        cache: numba's cache of one function.
        name: the function's name.
    """

    def __init__(self, cache: Any, name: str):
        self._cache, self._name, self._held = cache, name, FileLock("")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Load from numba's cache. If nothing is there, lock it to compile here, or wait for the process that does."""
        kept = self._cache.load_overload(signature, context)
        if kept is None:
            self._held = FileLock(Path(numba.config.CACHE_DIR) / f"{self._name}.lock", timeout=WAIT)  # type: ignore[attr-defined]
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
    compiled = make(*functions, cache=cache, **options)
    if cache and numba.config.CACHE_DIR and hasattr(compiled, "_cache"):  # type: ignore[attr-defined]  # not if numba is off
        compiled._cache = _Once(compiled._cache, f"{compiled.__module__}.{compiled.__qualname__}")
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

PACKAGE = Path(__file__).resolve().parent.parent


def code_hash(*names: str) -> str:
    """A hash of the source of compiled modules; it identifies the code that computed a stored result.

    Args:
        names: paths within the package, without ``.py``; by default all compiled modules.
    """
    paths = [PACKAGE / f"{name}.py" for name in names] or sorted(PACKAGE.rglob("*_fast.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


# The name of the cache directory depends on the source of every compiled module. numba itself checks only the file of
# the function that it compiled: if a function inlined from another file changed, it would go on running old code.
if os.access(PACKAGE, os.W_OK):
    numba.config.CACHE_DIR = str(PACKAGE / "__pycache__" / f"numba-{code_hash()[:16]}")  # type: ignore[attr-defined]  # filled in as it loads

# A record may be passed to a function written for a record with only its first fields. The boards of wild ones rely on
# this, and tests compare the results. numba warns at every such call that it is experimental.
warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
