"""One thread for torch, and the same digits from it on one processor as on another.

torch leaves products of matrices, and functions such as tanh, to MKL. MKL takes what is quickest on a processor, so the
last digits depend on it, and soon what is learned does too. On request it takes one path on every x86-64 processor, at
up to twice the time; torch's own functions are held to the instructions AVX2. So processors that have these should give
the same digits, with the same versions of the libraries. Without them, and on other kinds of processors, the digits may
differ.

MKL's square roots are an exception. They begin with an approximation by the processor, which AMD's and Intel's make
differently, and are not always rounded to the nearest number. Adam takes many roots; :data:`ADAM` gets them elsewhere.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

ADAM = {"eps": 1e-5, "fused": True}
"""Stable-Baselines3's settings of Adam, but in torch's fused form: its roots are exact, and a step takes a tenth."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread: our networks are too small for two, and sweeps run one process on each core."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


@contextmanager
def steady_torch() -> Iterator[None]:
    """Let torch give the same digits as on other processors (:func:`make_steady`), with one thread."""
    make_steady()
    with one_thread():
        yield


def make_steady() -> bool:
    """Ask torch for the same digits as on other processors; this holds for the rest of the process.

    Returns:
        Whether they can be had on this processor, if torch has computed nothing in the process before.
    """
    import torch

    has_mkl = torch.backends.mkl.is_available()  # type: ignore[no-untyped-call]
    if not (has_mkl and torch.cpu.get_capabilities().get("avx2")):
        return False
    os.environ |= {"MKL_CBWR": "COMPATIBLE", "ATEN_CPU_CAPABILITY": "avx2"}  # each is read once
    return True
