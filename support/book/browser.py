"""Chromium without a window: the system's, or the one that the driver has installed."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from support.book.layout import BookError

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def _executable() -> str | None:
    """The browser that ``CHROMIUM`` names, or the first one found; None for the driver's own."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium() -> "Iterator[Browser]":
    """A headless browser that reaches no network.

    Raises:
        BookError: there is no browser, or none that starts.
    """
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError:
        raise BookError("this needs the package playwright, which was not found; reinstall the environment") from None
    with sync_playwright() as driver:
        path = _executable()
        try:
            browser = driver.chromium.launch(
                executable_path=path, args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND"]
            )
        except Error as error:
            raise BookError(
                f"this needs Chromium, and {path or 'none'} {'does not start' if path else 'was found'}: install it "
                "(on Debian and Ubuntu: apt install chromium), set CHROMIUM to its path, or let "
                f"'.venv/bin/python -m playwright install chromium' fetch one\n{error.message.strip().splitlines()[0]}"
            ) from None
        try:
            yield browser
        finally:
            browser.close()
