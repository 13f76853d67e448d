"""Where compiled code is kept. Compiled functions stand in modules named ``..._fast``, beside their plain counterparts.

Each such module takes numba from here, so that the place is set before anything is compiled.
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

__all__ = ["lean", "njit", "sources"]

WAIT = 60.0
"""Seconds to wait for a function that another process compiles; should it never end, this one compiles it too."""


class _Once:
    """A cache through which each function is compiled by one process: the others wait, and load what it kept.

    Args:
        cache: numba's, of one function.
        name: of the function.
    """

    def __init__(self, cache: Any, name: str):
        self._cache, self._name, self._held = cache, name, FileLock("")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """As numba's. Where nothing is kept yet, this process is the one to compile it, or it has waited for that."""
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
        """As numba's; then the others may go on."""
        try:
            self._cache.save_overload(signature, compiled)
        finally:
            self._held.release()


def _njit(*functions: Any, cache: bool = False, **options: Any) -> Any:
    """``numba.njit``; what it keeps is compiled by one process at a time."""
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
"""``njit`` for functions that make no arrays: those that they are given are not counted in and out.

Counting is what makes it dear to hand an array, or a tuple of arrays, to a function that is called a million times a
second. A lean function that is called by another compiled one must not return an array.
"""

PACKAGE = Path(__file__).resolve().parent.parent


def sources(*names: str) -> str:
    """A hash of the source of compiled modules: what a kept result has been computed with.

    Args:
        names: paths within the package, without ``.py``; by default all.
    """
    paths = [PACKAGE / f"{name}.py" for name in names] or sorted(PACKAGE.rglob("*_fast.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


# Compiled code is kept under a name that depends on every compiled module's source. numba looks only at the file of the
# function that it compiled: after a change in one that was inlined from another file it would go on running old code.
if os.access(PACKAGE, os.W_OK):
    numba.config.CACHE_DIR = str(PACKAGE / "__pycache__" / f"numba-{sources()[:16]}")  # type: ignore[attr-defined]  # filled in as it loads

# A record may be handed to a function for records of its first fields: the boards of wild ones rely on it, and tests
# compare what comes out. Numba calls this experimental at every such call.
warnings.simplefilter("ignore", NumbaExperimentalFeatureWarning)
