"""Python's search for dead objects that refer to each other, made rare where the book does its own work."""

import atexit
import gc
from functools import cache


@cache
def collect_rarely() -> None:
    """Let this process look for such objects after 50,000 new ones, not 700, and examine long-lived ones less often.

    Unfolding a game makes hundreds of thousands of objects, none of which dies meanwhile, and Python goes through them
    again and again: a quarter to two fifths of the time of plain code such as :func:`support.core.flat.unfold`. When
    it ends, a process would search once more, for a second or longer; that search is switched off, so an object that
    waits for it, such as an open file in a cycle, is not finalised. All this holds in the kernels and the Sphinx of a
    build, in the workers of sweeps, and in the tests; a program that imports the package keeps its own setting.
    """
    gc.set_threshold(50_000, 20, 50)
    atexit.register(gc.freeze)
