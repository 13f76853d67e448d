"""Arrays that begin where a line of the cache begins."""

import numpy as np
import pytest

from support.core.aligned import LINE, aligned


@pytest.mark.parametrize(("shape", "dtype"), [((3, 5), np.float32), ((7,), np.int32), ((2, 3, 4), np.int64)])
def test_they_begin_with_a_line(shape, dtype):
    for _ in range(20):
        found = aligned(*shape, dtype=dtype)
        assert found.ctypes.data % LINE == 0
        assert found.shape == shape
        assert found.dtype == dtype
        assert found.flags.c_contiguous
        assert not found.any()
        found[...] = 1  # so that the next one is not zero by chance
