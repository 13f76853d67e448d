"""Every page of the site in a real browser, opened from the disk: whole, readable by all, printable and light."""

from contextlib import suppress
from functools import cache
from html import unescape
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as NotYet

from support.book.equations import FONT, MATH, TAG, italic
from website.browser import SITE, Watched

QUICK = 1000  # milliseconds to the first content
HEAVIEST = 1_500_000  # bytes of a page with everything that it loads
PAGES = sorted(str(path.relative_to(SITE)) for path in SITE.rglob("*.html") if "_static" not in path.parts)
FIRST = "index.html"  # only sends readers on
READ = [page for page in PAGES if page != FIRST]
LINKS = (("a", "href"), ("link", "href"), ("img", "src"), ("script", "src"), ("source", "src"), ("iframe", "src"))
AXE = {
    "resultTypes": ["violations"],
    "preload": False,  # it would fetch stylesheets, which a disk refuses
    "rules": {"region": {"enabled": False}},  # the theme puts the book's name above all landmarks
}
PAINTED = "performance.getEntriesByName('first-contentful-paint')"
ALL_FIGURES = "() => Promise.all([...document.images].map((one) => one.decode()))"
# What is folded away fades in.
UNFOLD = """() => {
  document.querySelectorAll("details").forEach((one) => { one.open = true; });
  return new Promise(requestAnimationFrame).then(() =>
    Promise.allSettled(document.getAnimations().map((one) => one.finished)));
}"""
COLOURS = ["color-contrast", "link-in-text-block"]  # nothing else differs between light and dark
OTHERS = {"rules": AXE["rules"] | {rule: {"enabled": False} for rule in COLOURS}}
# Rules about colours take half a minute on a page of ten thousand elements. So of words with the same colours, size and
# backgrounds three stay on the page for them, and all others are taken out, and put back afterwards. The three are
# words that axe judges: no signs, no label of a disabled control, nothing out of sight. An empty element stands in for
# each that is taken out, so that styles that count rows still apply.
DIFFERENT = """() => {
  const grounds = new Map([[null, ""]]), seen = new Map(), again = new Map();
  const ground = (one) => {  // null where nothing shows
    if (!grounds.has(one)) {
      const { backgroundColor, backgroundImage, opacity, overflow, position } = getComputedStyle(one);
      const own = [backgroundColor, backgroundImage, opacity].join(), below = ground(one.parentElement);
      const hidden = overflow !== "visible" && Math.min(one.clientWidth, one.clientHeight) <= 1;
      const floats = ["absolute", "fixed", "sticky"].includes(position) ? `#${grounds.size}` : "";
      const here = `${own === "rgba(0, 0, 0, 0),none,1" ? "" : `/${own}`}${floats}`;
      grounds.set(one, below === null || (hidden && one !== document.body) ? null : below + here);
    }
    return grounds.get(one);
  };
  const ink = (one) => {
    const style = getComputedStyle(one), { color, textDecorationLine, fontWeight, fontSize, textShadow } = style;
    return [color, style.webkitTextFillColor, textDecorationLine, fontWeight, fontSize, textShadow].join();
  };
  const long = (one) => one.textContent.trim().length;
  const repeats = (one) => {
    if (one.matches("link, style, script") || one.closest("[contenteditable]")) return false; // that would be a change
    const own = [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const text = own.map((node) => node.data).join("");
    const fills = one.matches("input, select, textarea");
    if (!fills && !/[\\p{L}\\p{N}]\\S*[\\p{L}\\p{N}]/u.test(text)) return true;
    const box = one.getBoundingClientRect();
    const off = one.closest(":disabled, [aria-disabled=true]") || one.closest("label")?.control?.disabled;
    if (off || Math.min(box.width, box.height) <= 1 || box.right <= 0 || box.bottom + scrollY <= 0) return false;
    if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || ground(one) === null) return false;
    const link = one.localName === "a" ? `link ${long(one.parentElement) > long(one)}` : "";
    const look = [ground(one), ink(one), ink(one.parentElement), link].join("|");
    seen.set(look, (seen.get(look) ?? 0) + 1);
    return seen.get(look) > 3;
  };
  const all = [...document.body.querySelectorAll("*")];
  for (const one of all) again.set(one, repeats(one));
  for (const one of all.toReversed())
    if (![...one.children].every((inside) => again.get(inside))) again.set(one, false);
  window.standIns = all.filter((one) => again.get(one) && !again.get(one.parentElement))
    .map((one) => [one, one.cloneNode(false)]);
  for (const [one, standIn] of window.standIns) one.replaceWith(standIn);
}"""
PUT_BACK = "() => { for (const [one, standIn] of window.standIns) standIn.replaceWith(one); }"
# Focus each kind of element that Tab reaches; name those that look as before, or whose ring is cut off on all sides.
UNSEEN = """() => {
  const kinds = new Map(), look = (one) => {
    const style = getComputedStyle(one);
    return [style.outlineStyle === "none" ? "none" : style.outline, style.boxShadow, style.borderColor].join();
  };
  for (const one of document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']"))
    if (one.checkVisibility({visibilityProperty: true, opacityProperty: true}) && !one.disabled)
      kinds.set([one.tagName, one.className, one.parentElement.className].join(), one);
  const cut = (one) => {
    const style = getComputedStyle(one), ring = parseFloat(style.outlineWidth) + parseFloat(style.outlineOffset);
    if (style.outlineStyle === "none" || ring <= 0) return false;
    const own = one.getBoundingClientRect();
    for (let around = one.parentElement; around !== document.body; around = around.parentElement) {
      if (getComputedStyle(around).overflowX === "visible") continue;
      const room = around.getBoundingClientRect();
      const sides = [own.left - room.left, own.top - room.top, room.right - own.right, room.bottom - own.bottom];
      if (sides.every((side) => side < ring)) return true;
    }
    return false;
  };
  const lost = [];
  for (const one of kinds.values()) {
    document.activeElement.blur();
    const before = look(one);
    one.focus();
    if (document.activeElement === one && (look(one) === before || cut(one))) lost.push(one.outerHTML.slice(0, 150));
  }
  return lost;
}"""
# What makes the page scroll sideways; and what does not fit into its frame, for some kinds of frames.
WIDE = """() => {
  const wide = document.documentElement.scrollWidth;
  if (wide <= innerWidth + 1) return [];
  const out = [...document.querySelectorAll("body *")].filter((one) =>
    one.getBoundingClientRect().right > innerWidth + 1);
  return out.map((one) => `${wide}: ${one.outerHTML.slice(0, 120)}`).slice(0, 8);
}"""
SCROLLS = """() => [...document.querySelectorAll("main *")].filter((one) =>
  one.scrollWidth > one.clientWidth + 1 && one.clientWidth && one.tabIndex < 0 && one.checkVisibility()
  && ["auto", "scroll"].includes(getComputedStyle(one).overflowX)
  && !one.querySelector("a[href], button, [tabindex='0']")
).map((one) => one.outerHTML.slice(0, 120))"""
CLIPPED = """(ways) => [...document.querySelectorAll("main *")].filter((one) =>
  one.checkVisibility() && one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1
  && ways.includes(getComputedStyle(one).overflowX) && getComputedStyle(one).display !== "inline"
).map((one) => `${one.scrollWidth} > ${one.clientWidth}: ${one.outerHTML.slice(0, 120)}`)"""
SHOWN = """(names) => [...document.querySelectorAll(names)].filter((one) =>
  one.checkVisibility({visibilityProperty: true, opacityProperty: true}) && one.getBoundingClientRect().width > 1
).map((one) => one.outerHTML.slice(0, 120))"""
FURNITURE = (
    ".bd-header, .bd-header-article, .bd-sidebar-primary, .bd-sidebar-secondary, .prev-next-footer, .copybtn, "
    ".skip-link, #pst-back-to-top, .headerlink, dialog, .bd-content button, details.hide > summary"
)


@pytest.fixture(scope="module")
def context(browser):
    """One for all pages."""
    one = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light", reduced_motion="reduce")
    yield one
    one.close()


@pytest.fixture
def visited(context):
    """Open pages, and close them after the test."""
    pages = []

    def visit(path: str) -> Watched:
        pages.append(Watched(context.new_page()))
        pages[-1].page.goto(f"{SITE.as_uri()}/{path}")
        return pages[-1]

    yield visit
    for watched in pages:
        watched.page.close()


@cache
def parsed(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@cache
def places(path: Path) -> frozenset[str]:
    """The fragments that lead somewhere on a page."""
    found = parsed(path).select("[id], a[name]")
    return frozenset(str(one.get("id") or one.get("name")) for one in found)


def astray(page: Path, tag: str, target: str) -> str:
    """What is wrong with a link, or nothing."""
    parts = urlsplit(target)
    if parts.scheme in ("https", "data"):
        return "" if parts.scheme == ("https" if tag == "a" else "data") else "not a link in the text"
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return "neither inside the site nor https"
    path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if not path.is_relative_to(SITE.resolve()):
        return "outside of the site"
    if not path.is_file():
        return "no such file"
    fragment = unquote(parts.fragment)
    # The page Play reads its own fragments; test_play.py follows those.
    if fragment and path.suffix == ".html" and not fragment.startswith("game=") and fragment not in places(path):
        return "no such place"
    return ""


def violations(page: Page, colours_alone: bool = False) -> list[str]:
    """What axe finds moderate, serious or critical; rules about colours see three of all words that look the same."""
    found = [] if colours_alone else Axe().run(page, options=AXE | OTHERS).response["violations"]
    page.evaluate(DIFFERENT)
    found += Axe().run(page, options=AXE | {"runOnly": COLOURS}).response["violations"]
    page.evaluate(PUT_BACK)
    return [
        f"{one['id']} ({len(one['nodes'])}): {node['html'][:160]} {node['target']} {node['failureSummary'][:200]}"
        for one in found
        if one["impact"] != "minor"
        for node in one["nodes"][:3]
    ]


@pytest.mark.parametrize("path", PAGES)
def test_every_link_leads_to_something(path, tally):
    page = (SITE / path).resolve()
    faults = []
    for tag, attribute in LINKS:
        for one in parsed(page).select(f"{tag}[{attribute}]"):
            tally["links"] += 1
            if fault := astray(page, tag, one[attribute]):
                faults.append(f"{one[attribute]}: {fault}")
    assert faults == []


@pytest.mark.parametrize("path", READ)
def test_headings_and_pictures(path, tally):
    soup = parsed((SITE / path).resolve())
    levels = [int(one.name[1]) for one in soup.select("main h1, main h2, main h3, main h4, main h5, main h6")]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert [later for earlier, later in pairwise(levels) if later > earlier + 1] == []
    pictures = soup.select("img")
    tally["figures"] += len(soup.select("main img"))
    assert [str(one) for one in pictures if one.get("alt") is None] == []
    assert [str(one) for one in soup.select("main img") if not one["alt"].strip()] == []
    figures = soup.select("main img[src*='_images/']")
    assert [str(one) for one in figures if not {"width", "height", "decoding"} <= set(one.attrs)] == []
    tables = soup.select("main table:not(.verdicts, .indextable, .modindextable)")
    assert [str(one)[:120] for one in tables if not one.find_parent("figure") and not one.find("caption")] == []
    assert soup.html["lang"] == "en"
    assert soup.title.get_text().strip()


def test_only_search_loads_the_index_of_words():
    loading = [path for path in PAGES if parsed((SITE / path).resolve()).select("script[src*='searchindex.js']")]
    assert loading == ["search.html"]


def test_the_font_has_all_letters_of_the_equations():
    pages = [(SITE / path).read_text(encoding="utf-8") for path in READ]
    used = {letter for text in pages for found in MATH.findall(text) for letter in unescape(TAG.sub("", found))}
    letters = set(map(chr, TTFont(SITE / "_static" / FONT).getBestCmap()))
    silent = {"\u2061", "\n"}  # "applied to", and ends of lines
    assert len(used) > 30
    assert {letter for letter in used if not {letter, italic(letter)} & letters} - silent == set()


@pytest.mark.parametrize("path", READ)
def test_a_page(path, visited, tally):
    """One visit, since loading is what takes long: in light, in dark, by keyboard, on a narrow screen, on paper."""
    watched = visited(path)
    page = watched.page
    for furniture in (".bd-header-article", ".bd-sidebar-primary"):  # what paper must not show is here
        assert page.locator(furniture).count() > 0
    faults = {"size": [], "equations": page.locator(".math:not(:has(math))").count()}
    page.evaluate(ALL_FIGURES)
    loaded = sum(Path(name).stat().st_size for name in watched.files if Path(name).is_file())
    if loaded >= HEAVIEST:
        faults["size"] = [loaded]
    faults["keyboard"] = by_keyboard(page)
    page.evaluate(UNFOLD)
    faults["axe, light"] = violations(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-theme=dark]")
    faults["axe, dark"] = violations(page, colours_alone=True)
    tally["violations"] += len(faults["axe, light"]) + len(faults["axe, dark"])
    page.set_viewport_size({"width": 360, "height": 740})
    faults["narrow"] = page.evaluate(WIDE)
    faults["clipped on a narrow screen"] = page.evaluate(CLIPPED, ["hidden", "clip"])
    with suppress(NotYet):  # the theme makes what scrolls reachable a moment after the window has changed
        page.wait_for_function(f"({SCROLLS})().length === 0", timeout=5000)
    faults["scrolls by mouse alone"] = page.evaluate(SCROLLS)
    page.emulate_media(media="print", color_scheme="light")
    page.set_viewport_size({"width": 720, "height": 1020})  # A4 between its margins
    faults["furniture on paper"] = page.evaluate(SHOWN, FURNITURE)
    faults["wide on paper"] = page.evaluate(WIDE)
    faults["clipped on paper"] = page.evaluate(CLIPPED, ["hidden", "clip", "auto", "scroll"])
    faults["requests"] = watched.faults
    tally["pages"] += 1
    tally["requests"] += watched.requests
    tally["largest"] = max(tally["largest"], loaded)
    assert page.locator("main h1").is_visible()
    assert {kind: found for kind, found in faults.items() if found} == {}


@pytest.mark.parametrize("path", READ)
def test_first_content_comes_within_a_second(path, browser, tally):
    """The quickest of a few visits, each as the first one: what else the machine does is no fault of a page."""
    visits = []
    while not visits or (min(visits) >= QUICK and len(visits) < 5):
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()  # nobody listens in on its requests, which would slow it down
        page.goto(f"{SITE.as_uri()}/{path}")
        page.wait_for_function(f"{PAINTED}.length > 0")
        visits.append(round(page.evaluate(f"{PAINTED}[0].startTime")))
        context.close()
    tally["first"] = max(tally["first"], min(visits))
    assert min(visits) < QUICK


def by_keyboard(page: Page) -> list[str]:
    """What the keyboard does not reach, or what does not show that it has been reached."""
    page.keyboard.press("Tab")
    if page.evaluate("document.activeElement.textContent.trim()") not in ("Skip to main content", "Skip to the table"):
        return ["the first stop is no link to the content"]
    page.wait_for_function("document.activeElement.getBoundingClientRect().top >= 0")  # it slides in
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    if not page.evaluate("document.activeElement.closest('#main-content') !== null"):
        return ["the link to the content does not lead there"]
    return page.evaluate(UNSEEN)


GREY = "color: #aaa; background: #fff"
FAULTS = {
    "a word among signs": [f"<b style='{GREY}'>{one}</b>" for one in ("=", "→", "(", "lambda")],
    "words beside a control": [
        *[f"<label style='{GREY}'>off <input disabled></label>"] * 3,
        f"<label style='{GREY}'>on <input></label>",
    ],
    "words in sight": [
        *[f"<p style='{GREY}; position: absolute; left: -999px'>out of sight</p>"] * 3,
        *[f"<div style='height: 0; overflow: hidden'><p style='{GREY}'>out of sight</p></div>"] * 3,
        f"<p style='{GREY}'>in sight</p>",
    ],
    "a word filled otherwise": ["<p>dark</p>"] * 3 + ["<p style='-webkit-text-fill-color: #aaa'>light</p>"],
    "a link in running text": [
        *["<p><a href='#'>alone</a></p>"] * 3,
        "<p>Much more is said around it, and only then comes <a href='#'>a link</a> and more.</p>",
    ],
    "a row of another colour": [f"<table><tr><td>1 of 2</td></tr>{'<tr><td>more</td></tr>' * 5}</table>"],
}
STRIPES = "<style>main .planted a {color: #333; text-decoration: none} .planted {color: #222} "
STRIPES += ".planted tr:nth-child(6) td {color: #aaa}</style>"


@pytest.mark.parametrize("kind", FAULTS)
def test_colours_that_are_hard_to_read_are_found_among_others(visited, kind):
    page = visited("book/glossary.html").page
    page.wait_for_selector("main svg.fa-bars")  # icons are drawn once the page stands
    plant = "(html) => document.querySelector('main section').insertAdjacentHTML('beforeend', html)"
    page.evaluate(plant, f"{STRIPES}<div class='planted'>{''.join(FAULTS[kind])}</div>")
    main = "document.querySelector('main').innerHTML"
    before = page.evaluate(main)
    (found,) = violations(page, colours_alone=True)
    assert found.startswith("link-in-text-block" if "link" in kind else "color-contrast")
    assert page.evaluate(main) == before


def test_the_first_page_sends_readers_on(visited):
    watched = visited(FIRST)
    watched.page.wait_for_url("**/book/index.html")
    assert watched.faults == []


def test_search_needs_no_server(visited):
    watched = visited("search.html")
    page = watched.page
    field = page.locator("input[name=q]:visible").first
    field.fill("regret")
    field.press("Enter")
    hit = page.locator("ul.search li a[href*='03-ace-king-queen.html']").first
    hit.wait_for()
    assert "regret" in page.url
    hit.click()
    page.wait_for_function("location.pathname.endsWith('03-ace-king-queen.html')")
    page.wait_for_selector("main h1")
    assert watched.faults == []


def test_search_ranks_what_explains_above_the_reference(visited):
    page = visited("search.html?q=exploitability").page
    page.locator("ul.search li a").first.wait_for()
    page.wait_for_selector("#search-results p.search-summary")
    reference = page.evaluate(
        "[...document.querySelectorAll('ul.search li > a')].map((one) => /book\\/api-|genindex/.test(one.href))"
    )
    assert reference == sorted(reference)
    assert {*reference} == {False, True}


def test_paper_is_white_for_those_who_read_in_the_dark(visited):
    page = visited("book/index.html").page
    ground = "getComputedStyle(document.body).backgroundColor"
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    dark = page.evaluate(ground)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(ground) == "rgb(255, 255, 255)" != dark
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(ground) == dark
