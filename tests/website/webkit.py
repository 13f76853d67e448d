"""WebKit, the engine of Safari, as a second browser: as much of Playwright's interface as the shared tests need.

Playwright drives a WebKit of its own, which no distribution has. Debian's WebKitGTK comes with a WebDriver instead, and
Selenium speaks to that. A test that was written for Chromium gets a :class:`WebKit` where it expects a browser: pointer
and keys are the engine's own, and a press lands only where nothing lies on top.
"""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from selenium.common.exceptions import NoSuchFrameException
from selenium.webdriver import WebKitGTK
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webdriver import WebDriver
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service

from website.browser import SITE

__all__ = ["LACKING", "WebKit", "until", "webkit"]

# It has a window even so, and needs a screen for it: Xvfb is one that nobody sees.
LACKING = [name for name in ("WebKitWebDriver", "Xvfb") if not shutil.which(name)]
DOUBLE, NEAR = 1.0, 10.0  # seconds and pixels within which a second press makes a double click
PATIENCE = 30  # seconds, on a machine that is busy with other tests as well
NOWHERE = "http://127.0.0.1:9"  # what asks another host asks here, and gets no answer
KEYS = {name: getattr(Keys, name.upper()) for name in ("Tab", "Enter", "Escape", "Shift", "Control")} | {"Space": " "}
KEYS |= {f"Arrow{way}": getattr(Keys, f"ARROW_{way.upper()}") for way in ("Left", "Right", "Up", "Down")}
# No motion; and a window as narrow as a phone, which the buttons above the page would not allow.
GTK = {
    "settings.ini": "[Settings]\ngtk-enable-animations=0\n",
    "gtk.css": "* { font-size: 1px; margin: 0; padding: 0; border-width: 0; min-width: 0; min-height: 0; "
    "-gtk-icon-transform: scale(0.1); }\n",
}
# Stands first on every page: the driver itself does not say what a page complains about, nor what it has loaded.
WATCH = """<script>(() => {
  const of = (name) => JSON.parse(sessionStorage.getItem(name) ?? "[]");
  const add = (name, one) => sessionStorage.setItem(name, JSON.stringify([...of(name), one]));
  let left = false; // a page that is left stops loading
  addEventListener("beforeunload", () => { left = true; });
  for (const kind of ["error", "warn"]) console[kind] = (...words) => add("test.faults", `${kind}: ${words.join(" ")}`);
  addEventListener("error", (event) => add("test.faults", event.message ?? `failed: ${event.target.outerHTML}`), true);
  addEventListener("unhandledrejection", (event) => left || add("test.faults", `error: ${event.reason}`));
  document.addEventListener("load", (event) => add("test.loaded", event.target.src ?? event.target.href), true);
})();</script>"""
ELSEWHERE = """performance.getEntriesByType("resource").map((one) => one.name)
  .filter((name) => !name.startsWith(`${location.origin}/`) && !/^(file|data|blob):/.test(name))"""
# The elements that a locator means, as steps from the whole page inwards; then what is to be done with them.
FOUND = """
const [steps] = arguments;
const seen = (one) => one.checkVisibility({visibilityProperty: true});
const text = (one) => one.textContent.replace(/\\s+/g, " ").trim();
const part = (words, name) => words.toLowerCase().includes(name.toLowerCase());
const fits = (words, {name, exact}) => name === null || (exact ? words === name : part(words, name));
const named = (one) => one.getAttribute("aria-label") ?? text(one);
const labels = (one) => [...[...one.labels ?? []].map(text), one.getAttribute("aria-label") ?? ""];
const roles = (what) => what === "button" ? "button, [role=button]" : `[role=${what}]`;
const all = (root, css) => [...root.querySelectorAll(css)];
const inside = {
  css: (root, {what}) => all(root, what),
  text: (root, how) => [root].filter((one) => fits(text(one), how)),
  visible: (root) => [root].filter(seen),
  role: (root, {what, ...how}) => all(root, roles(what)).filter((one) => seen(one) && fits(named(one), how)),
  label: (root, how) => all(root, "input, select, [aria-label]")
    .filter((one) => labels(one).some((words) => fits(words, how))),
};
const step = (from, one) => one.kind === "nth" ? from.slice(one.place).slice(0, 1)
  : [...new Set(from.flatMap((root) => inside[one.kind](root, one)))];
const found = steps.reduce(step, [document]);
"""
CALLED = """
const called = (text, ...more) => {
  const made = eval(`(${text})`);
  return typeof made === "function" ? made(...more) : made;
};
"""
# Where to press it: its middle, once that is in sight, at rest and on top.
MIDDLE = """
const [one] = found;
if (found.length !== 1) return `there are ${found.length} of it`;
if (one.disabled) return "it is disabled";
one.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
const place = () => {
  const box = one.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2];
};
const before = place();
return new Promise(requestAnimationFrame).then(() => {
  if (String(place()) !== String(before)) return "it moves";
  const top = document.elementFromPoint(...before);
  return one.contains(top) ? before : `this is on top: ${top?.outerHTML.slice(0, 200)}`;
});
"""


def until(ask: Callable[[], Any], met: Callable[[Any], bool], what: object, patience: float = PATIENCE) -> Any:
    """Ask until the answer is the wanted one; a page that was left before it answered is no answer."""
    end = time.monotonic() + patience
    answer = None
    while True:
        with suppress(NoSuchFrameException):
            if met(answer := ask()):
                return answer
        assert time.monotonic() < end, f"{what}: {answer}"
        time.sleep(0.02)


class Keyboard:
    """Keys for whatever has the focus."""

    def __init__(self, driver: WebDriver):
        self._driver = driver

    def press(self, keys: str) -> None:
        """One key, or several with pluses between them, of which the last is struck while the others are held."""
        *held, last = keys.split("+")
        for key in held:
            self.down(key)
        self._act("send_keys", last)
        for key in held:
            self.up(key)

    def down(self, key: str) -> None:
        """A key that stays down. Asked for again, this browser does not repeat it; Chromium does."""
        self._act("key_down", key)

    def up(self, key: str) -> None:
        """The end of `down`."""
        self._act("key_up", key)

    def _act(self, what: str, key: str) -> None:
        actions = ActionChains(self._driver, duration=0)
        getattr(actions, what)(KEYS.get(key, key)).perform()

    def type(self, text: str) -> None:
        """Letters."""
        ActionChains(self._driver, duration=0).send_keys(text).perform()

    def insert_text(self, text: str) -> None:
        """As if pasted."""
        self._driver.execute_script("document.execCommand('insertText', false, arguments[0]);", text)


class Locator:
    """Elements of the page, found anew each time."""

    def __init__(self, page: "Page", steps: list[dict[str, Any]]):
        self._page, self._steps = page, steps

    def _with(self, kind: str, **how: Any) -> "Locator":
        return Locator(self._page, [*self._steps, {"kind": kind, **how}])

    def locator(self, css: str, has_text: str | None = None) -> "Locator":
        """Inside of these, by a selector."""
        found = self._with("css", what=css.removesuffix(":visible"))
        found = found._with("visible") if css.endswith(":visible") else found
        return found if has_text is None else found._with("text", name=has_text, exact=False)

    def get_by_label(self, name: str, exact: bool = False) -> "Locator":
        """A control, by its label."""
        return self._with("label", name=name, exact=exact)

    def get_by_role(self, role: str, name: str | None = None, exact: bool = False) -> "Locator":
        """What can be seen and has a role, by its name."""
        return self._with("role", what=role, name=name, exact=exact)

    def nth(self, place: int) -> "Locator":
        """One of them."""
        return self._with("nth", place=place)

    @property
    def first(self) -> "Locator":
        """The first of them."""
        return self.nth(0)

    @property
    def last(self) -> "Locator":
        """The last of them."""
        return self.nth(-1)

    def all(self) -> list["Locator"]:
        """Each of them."""
        return [self.nth(place) for place in range(self.count())]

    def evaluate_all(self, function: str, argument: Any = None) -> Any:
        """What a function of all of them returns."""
        script = CALLED + FOUND + "return called(arguments[1], found, arguments[2]);"
        return self._page.driver.execute_script(script, self._steps, function, argument)

    def evaluate(self, function: str, argument: Any = None) -> Any:
        """What a function of the one returns, once there is one."""
        script = f"(all, argument) => all.length === 1 ? [({function})(all[0], argument)] : all.length"
        return until(lambda: self.evaluate_all(script, argument), lambda found: isinstance(found, list), self._steps)[0]

    def count(self) -> int:
        """How many there are."""
        return self.evaluate_all("(all) => all.length")

    def all_inner_texts(self) -> list[str]:
        """What is shown of each."""
        return self.evaluate_all("(all) => all.map((one) => one.innerText)")

    def all_text_contents(self) -> list[str]:
        """All text of each."""
        return self.evaluate_all("(all) => all.map((one) => one.textContent)")

    def inner_text(self) -> str:
        """What is shown of the one."""
        return self.evaluate("(one) => one.innerText")

    def inner_html(self) -> str:
        """What it is made of."""
        return self.evaluate("(one) => one.innerHTML")

    def input_value(self) -> str:
        """What a control says."""
        return self.evaluate("(one) => one.value")

    def get_attribute(self, name: str) -> str | None:
        """One attribute."""
        return self.evaluate("(one, name) => one.getAttribute(name)", name)

    def is_disabled(self) -> bool:
        """Whether it cannot be pressed."""
        return self.evaluate("(one) => one.disabled")

    def is_enabled(self) -> bool:
        """Whether it can be pressed."""
        return not self.is_disabled()

    def bounding_box(self) -> dict[str, float]:
        """Where it is."""
        return self.evaluate("(one) => one.getBoundingClientRect().toJSON()")

    def focus(self) -> None:
        """Give it the focus."""
        self.evaluate("(one) => one.focus()")

    def press(self, keys: str) -> None:
        """The same, and strike keys."""
        self.focus()
        self._page.keyboard.press(keys)

    def wait_for(self) -> None:
        """Until it can be seen."""
        until(self._with("visible").count, lambda count: count == 1, self._steps)

    def click(self) -> None:
        """Press it where it is."""
        driver = self._page.driver
        ready = partial(driver.execute_script, FOUND + MIDDLE, self._steps)
        x, y = until(ready, lambda at: isinstance(at, list), self._steps)
        self._page.rest(x, y)
        actions = ActionChains(driver, duration=0)
        actions.w3c_actions.pointer_action.move_to_location(int(x), int(y)).click()
        actions.perform()

    def check(self) -> None:
        """Press it unless it is checked."""
        if not self.evaluate("(one) => one.checked"):
            self.click()

    def fill(self, value: str) -> None:
        """Give a field or a slider its value, as Playwright does."""
        self.evaluate(
            """(one, value) => {
              one.focus();
              one.value = value;
              for (const kind of ["input", "change"]) one.dispatchEvent(new Event(kind, {bubbles: true}));
            }""",
            value,
        )

    def select_option(self, value: str) -> None:
        """Choose, as Playwright does."""
        chosen = "(one, value) => [...one.options].some((option) => option.value === value && !option.disabled)"
        until(lambda: self.evaluate(chosen, value), bool, value)
        self.fill(value)


class Page(Locator):
    """The page that is open."""

    def __init__(self, driver: WebDriver):
        super().__init__(self, [])
        self.driver, self.keyboard = driver, Keyboard(driver)
        self._pressed = -NEAR, 0.0, 0.0

    def rest(self, x: float, y: float) -> None:
        """Wait until a press in this place is not taken for the second one of a double click."""
        last_x, last_y, last = self._pressed
        if abs(x - last_x) + abs(y - last_y) < NEAR:
            time.sleep(max(0.0, last + DOUBLE - time.monotonic()))
        self._pressed = x, y, time.monotonic()

    @property
    def url(self) -> str:
        """Its address."""
        return self.driver.current_url

    def goto(self, address: str) -> None:
        """Go there."""
        self.driver.get(address)

    def reload(self) -> None:
        """Load it anew."""
        self.driver.refresh()

    def go_back(self) -> None:
        """To where the reader was before."""
        self.driver.back()

    def evaluate(self, function: str, argument: Any = None) -> Any:
        """The value of an expression, or what a function returns."""
        return self.driver.execute_script(CALLED + "return called(...arguments);", function, argument)

    def get_attribute(self, css: str, name: str) -> str | None:
        """One attribute of one element."""
        return self.locator(css).get_attribute(name)

    def eval_on_selector_all(self, css: str, function: str) -> Any:
        """What a function of these elements returns."""
        return self.locator(css).evaluate_all(function)

    def wait_for_selector(self, css: str, state: str = "visible", timeout: float = 1000 * PATIENCE) -> None:
        """Until it can be seen, or no longer can."""
        shown = self.locator(f"{css}:visible")
        until(shown.count, lambda count: (count > 0) == (state == "visible"), css, timeout / 1000)

    def wait_for_function(self, function: str, arg: Any = None, timeout: float = 1000 * PATIENCE) -> None:
        """Until it is true."""
        until(lambda: self.evaluate(function, arg), bool, function, timeout / 1000)

    def wait_for_timeout(self, milliseconds: float) -> None:
        """A while."""
        time.sleep(milliseconds / 1000)

    def set_viewport_size(self, size: dict[str, int]) -> None:
        """How much of a page the window shows."""
        sides = "[innerWidth, innerHeight]"
        wanted = [size["width"], size["height"]]
        if self.evaluate(sides) != wanted:
            self.driver.set_window_size(wanted[0], wanted[1] + self.evaluate("outerHeight - innerHeight"))
            until(lambda: self.evaluate(sides), lambda found: found == wanted, "size of the window")


class Watched:
    """A page of the site, with all that went wrong on it."""

    def __init__(self, page: Page):
        self.page = page

    def _noted(self, name: str) -> list[str]:
        return json.loads(self.page.evaluate(f"sessionStorage.getItem('test.{name}')") or "[]")

    @property
    def faults(self) -> list[str]:
        """What the page complained about, what it could not load, and what it asked of another host."""
        return self._noted("faults") + [f"request: {address}" for address in self.page.evaluate(ELSEWHERE)]

    @property
    def requests(self) -> int:
        """How many files were loaded."""
        return len(self._noted("loaded"))


class WebKit:
    """The browser.

    Attributes:
        page: the only one.
        site: where it finds the site: on the disk, or at a server.
    """

    def __init__(self, driver: WebDriver, site: str):
        self.page, self.site = Page(driver), site

    @contextmanager
    def opened(self, path: str, width: int = 1280, height: int = 900) -> Iterator[Watched]:
        """A page of the site, for a reader who has never been there."""
        self.page.goto("about:blank")
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.goto(f"{self.site}/{path}")
        try:
            yield Watched(self.page)
        finally:
            self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")


def watched_site(folder: Path) -> None:
    """The site again, with its pages watched."""

    def copy(source: str, target: str) -> None:
        if not source.endswith(".html"):
            os.symlink(source, target)
            return
        text = Path(source).read_text(encoding="utf-8")
        Path(target).write_text(re.sub("<meta charset=[^>]*>", lambda found: found[0] + WATCH, text, count=1))

    shutil.copytree(SITE, folder, copy_function=copy)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a plain server of files."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            pass

        def copyfile(self, *files: Any) -> None:
            with suppress(ConnectionError):  # the page was left
                super().copyfile(*files)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


@contextmanager
def screen() -> Iterator[str]:
    """A screen that nobody sees, by its name."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1400x1200x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        with open(reading) as answer:
            number = answer.readline().strip()
        try:
            assert number, "Xvfb does not start"
            yield f":{number}"
        finally:
            server.terminate()


@contextmanager
def webkit(folder: Path) -> Iterator[tuple[WebKit, WebKit]]:
    """The browser with the site on the disk, and the same one with the site at a server.

    Args:
        folder: for what both need.
    """
    watched_site(folder / "site")
    settings = folder / "settings" / "gtk-3.0"
    settings.mkdir(parents=True)
    for name, text in GTK.items():
        (settings / name).write_text(text)
    places = {f"XDG_{kind}_HOME": str(folder / "settings") for kind in ("CONFIG", "DATA", "CACHE")}
    options = Options()
    for argument in ("--automation", f"--proxy={NOWHERE}", "--ignore-host=127.0.0.1"):
        options.add_argument(argument)
    with screen() as display, served(folder / "site") as address:
        # Without a graphics card it draws several times as fast if it does not ask for one.
        ways = {"DISPLAY": display, "GDK_BACKEND": "x11", "NO_AT_BRIDGE": "1", "WEBKIT_DISABLE_DMABUF_RENDERER": "1"}
        service = Service(env=os.environ | places | ways)
        driver = WebKitGTK(options=options, service=service)
        try:
            yield WebKit(driver, (folder / "site").as_uri()), WebKit(driver, address)
        finally:
            driver.quit()
