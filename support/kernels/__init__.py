"""Compiled inner loops. Each stands beside the name of the plain function that it must agree with."""

import hashlib
import os
from pathlib import Path

import numba

__all__ = ["sources"]

HERE = Path(__file__).resolve().parent


def sources(*names: str) -> str:
    """A hash of the source of the named kernels, by default of all: what a kept result has been computed with."""
    paths = [HERE / f"{name}.py" for name in names] or sorted(HERE.glob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


# Compiled code is kept under a name that depends on every kernel's source. numba looks only at the file of the function
# that it compiled: after a change in a function that was inlined from another file it would go on running the old code.
if os.access(HERE, os.W_OK):
    numba.config.CACHE_DIR = str(HERE / "__pycache__" / f"numba-{sources()[:16]}")  # type: ignore[attr-defined]  # filled in as it loads
