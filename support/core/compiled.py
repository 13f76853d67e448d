"""Where compiled code is kept. Compiled functions stand in modules named ``..._fast``, beside their plain counterparts.

Each such module takes numba from here, so that the place is set before anything is compiled.
"""

import hashlib
import os
import warnings
from functools import partial
from pathlib import Path

import numba
from numba import njit
from numba.core.errors import NumbaExperimentalFeatureWarning

__all__ = ["lean", "njit", "sources"]

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
