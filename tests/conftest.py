"""What holds for all tests: hypothesis draws the same examples in every run, and coverage does not watch most of them.

Coverage makes plain Python three to six times as slow. It watches the tests of what verdicts rest on, which alone must
be covered (``tool.coverage.run`` in pyproject.toml); but not those of compiled code, and not single ones marked
``no_cover``: they play or solve for long, and what they reach shorter tests reach too.
"""

import re
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("book", derandomize=True)
settings.load_profile("book")
HERE = Path(__file__).parent
WATCHED = re.compile(
    r"(core|exact|verdicts)/.*|play/test_play|test_course"
    r"|games/(test_every_game|test_speed|call_or_raise/.*_(ceiling|trace)|.*_(rules|kuhn|leduc|liars_dice))"
)

UNSEEN: list[bool] = []
"""Not empty if something was computed unwatched since the caches were last emptied."""


def pytest_sessionstart() -> None:
    from support.core.garbage import collect_rarely  # not before coverage watches

    collect_rarely()


def watched(item: pytest.Item) -> bool:
    """Whether coverage watches the tests of this module."""
    test = item.path.relative_to(HERE).with_suffix("").as_posix()
    return bool(WATCHED.fullmatch(test)) and not test.endswith("_compiled")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if not watched(item):
            item.add_marker(pytest.mark.no_cover)


@contextmanager
def untraced(really: bool) -> Iterator[None]:
    """Switch tracing off: in the processes of pytest-xdist, the mark alone leaves it on."""
    trace = sys.gettrace()
    if not trace or not really:
        yield
        return
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(trace)
        UNSEEN.append(really)


def forget() -> None:
    """Empty the caches of functions: what was computed unseen, a test that is watched computes again."""
    for name, module in [*sys.modules.items()]:
        if UNSEEN and name.startswith("support.") and name != "support.sweep.engine":  # which keeps a cluster at work
            for one in vars(module).values():
                getattr(one, "cache_clear", bool)()
    UNSEEN.clear()


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, object, object]:
    """A module's fixtures serve all of its tests, so a mark of one of them does not count here."""
    if watched(item):
        forget()
    with untraced(not watched(item)):
        return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    with untraced(item.get_closest_marker("no_cover") is not None):
        return (yield)
