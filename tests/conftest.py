"""Which tests coverage does not watch: it makes plain Python three to six times as slow.

Those of some folders, and single ones marked ``no_cover``. They play or solve for long, and what they reach of games,
exact answers and claims shorter tests reach too.
"""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
UNWATCHED = ("kernels", "peers")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.relative_to(HERE).parts[0] in UNWATCHED:
            item.add_marker(pytest.mark.no_cover)
