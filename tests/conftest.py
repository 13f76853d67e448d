"""What holds for all tests: hypothesis draws the same examples in every run, and coverage does not watch some of them.

Coverage makes plain Python three to six times as slow. It does not watch tests of compiled code and of other people's
programs, and single ones marked ``no_cover``: they play or solve for long, and what they reach of games, exact answers
and claims shorter tests reach too.
"""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("book", derandomize=True)
settings.load_profile("book")
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.stem.endswith("_compiled") or item.path.parent == HERE / "peers":
            item.add_marker(pytest.mark.no_cover)
