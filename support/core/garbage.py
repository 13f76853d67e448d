"""Python's search for dead objects that refer to each other, made rare where the book does its own work."""

import atexit
import gc


def collect_rarely() -> None:
    """Let this process look for such objects after 50,000 new ones, not 700, and through all that live less often.

    Unfolding a game makes hundreds of thousands of objects, none of which dies meanwhile, and Python goes through them
    again and again: a quarter to two fifths of the time of plain code such as :func:`support.core.flat.unfold`. At its
    end a process would go through all of them once more, for a second or longer, so there it stops looking. This
    is called in the kernels and the Sphinx of a build, in the workers of sweeps, and in the tests; a program that
    imports the package keeps its own setting.
    """
    gc.set_threshold(50_000, 20, 50)
    atexit.unregister(gc.freeze)  # so that it is there once
    atexit.register(gc.freeze)
