"""Compiled inner loops. Each stands beside the name of the plain function that it must agree with."""

import hashlib
import os
from pathlib import Path

import numba


def _cache_of_these_sources() -> None:
    """Keep compiled code under a name that depends on every kernel's source.

    numba looks only at the file of the function that it compiled: after a change in a function that was inlined from
    another file it would go on running the old code.
    """
    here = Path(__file__).resolve().parent
    sources = b"".join(path.read_bytes() for path in sorted(here.glob("*.py")))
    folder = here / "__pycache__" / f"numba-{hashlib.sha256(sources).hexdigest()[:16]}"
    if os.access(here, os.W_OK):
        numba.config.CACHE_DIR = str(folder)


_cache_of_these_sources()
