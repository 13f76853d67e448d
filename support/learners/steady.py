"""The same digits from torch on one processor as on another.

torch multiplies matrices by MKL, which takes the kernels that are quickest on a processor; they add in other orders, so
the last digits differ, and what is learned from them soon differs too. MKL can be asked for kernels that agree on all
x86-64 processors; for networks as small as ours they take no longer. What else torch computes has been seen to agree
with the instructions AVX2 and AVX-512, but not with older ones. Other kinds of processors have no MKL.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def steady_torch() -> Iterator[None]:
    """Let torch use MKL's compatible kernels, and one thread.

    The kernels hold from then on, if this is the first that a process has torch compute. Our networks are too small
    for a second thread, and sweeps run one process on each core.
    """
    import torch

    os.environ.setdefault("MKL_CBWR", "COMPATIBLE")  # MKL reads it once, when it is first called
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def is_steady() -> bool:
    """Whether torch gives the digits here that it gives on other x86-64 processors."""
    import torch

    has_mkl = torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]
    return has_mkl and torch.backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")
