"""What the tests of the site share: it must have been built, and a browser must be there."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from website.browser import ROOT, SITE, chromium

SCRIPTS = ROOT / "book" / "static" / "play"
TABLES = SITE / "notebooks" / "files" / "06-play"
LONGEST = ("test_run", "test_webkit", "test_live", "test_pages")
LOOKED = pytest.StashKey[Counter[str]]()
MOST = ("largest", "first", "output")  # of these, the most that any page has; all others are counted together


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests."""
    assert (SITE / "index.html").is_file(), "there is no site: run 'make book' first"
    with chromium() as one:
        yield one


@pytest.fixture(scope="session")
def buttons() -> None:
    """What lets pages run their programs; tests of these would wait for it in vain."""
    without = "the site was built without its buttons 'Run it here', and the build said why; 'make book' adds them"
    assert (SITE / "_static" / "run" / "core.js").is_file(), without


@pytest.fixture(scope="session")
def tally(request) -> Counter[str]:
    """How much the tests of the pages have looked at, for the line at the end of the run."""
    return request.config.stash.setdefault(LOOKED, Counter())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The modules that take longest come first, so that no process waits long for the last of the others."""
    items.sort(key=lambda item: (*LONGEST, item.path.stem).index(item.path.stem))


def pytest_sessionfinish(session) -> None:
    """Where several processes share the tests, each sends what it has looked at to the first."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["looked"] = dict(session.config.stash.get(LOOKED, Counter()))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """Add what another process has looked at."""
    tally = node.config.stash.setdefault(LOOKED, Counter())
    for name, count in getattr(node, "workeroutput", {}).get("looked", {}).items():
        tally[name] = max(tally[name], count) if name in MOST else tally[name] + count


def pytest_terminal_summary(terminalreporter, config) -> None:
    """One line with what the tests of the pages have looked at."""
    if tally := config.stash.get(LOOKED, None):
        counts = ", ".join(f"{tally[name]:,} {name}" for name in ("pages", "links", "figures", "requests"))
        faults = len(terminalreporter.stats.get("failed", [])) + len(terminalreporter.stats.get("error", []))
        largest = f"the largest page loads {tally['largest'] / 1e6:.2f} MB"
        first = f"first content after at most {tally['first'] / 1000:.2f} s"
        output = f"; a program's first output after {tally['output'] / 1000:.1f} s" if tally["output"] else ""
        terminalreporter.write_line(
            f"The site: {counts}; {tally['violations']} violations; {largest}; {first}{output}; {faults} failed."
        )


@pytest.fixture(scope="session")
def ask(browser) -> Iterator[Callable[..., Any]]:
    """What a function of JavaScript gives, which has the play page's scripts, and all tables in ``TABLES``."""
    context = browser.new_context()
    page = context.new_page()
    for name in ("rules", "agents"):
        page.add_script_tag(path=SCRIPTS / f"{name}.js")
    page.evaluate(
        "() => { window.TABLES = {}; LearnedAndChecked.tables = (name, found) => { TABLES[name] = found; }; }"
    )
    for path in sorted(TABLES.glob("*.js")):
        page.add_script_tag(path=path)
    page.evaluate("() => { TABLES['wild-ones/3x2'].agents.best.heard = TABLES['wild-ones/best']; }")

    def ask(function: str, argument: Any = None) -> Any:
        # As text: the driver's own way takes ten times as long for what is large.
        return json.loads(page.evaluate(f"(argument) => JSON.stringify(({function})(argument))", argument))

    yield ask
    context.close()


def close(one: Any, other: Any, within: float = 1e-12) -> bool:
    """Whether two lists hold the same numbers but for rounding."""
    return len(one) == len(other) and all(abs(a - b) <= within for a, b in zip(one, other, strict=True))
