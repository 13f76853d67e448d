"""The programs of the stories, run where they stand: Python in the reader's browser gives what the book shows."""

import json
import re
import time
from urllib.parse import urlsplit

import pytest
from programs import HIDDEN, programs

from support.book.execute import executed_path
from support.book.layout import Book
from support.book.running import PARTS
from website.browser import ROOT, SITE, opened
from website.test_pages import FURNITURE, SHOWN, WIDE, violations

pytestmark = pytest.mark.usefixtures("buttons")
STORIES = [chapter for chapter in Book(ROOT).chapters() if not chapter.claims]
SOURCES = programs(STORIES[0].name, folded=True)
COLD = next(place for place, text in enumerate(SOURCES) if "\ncold = cold_squares(8, 4)" in text)
REACHED = SOURCES.index("[left for left in moves((8, 4)) if left in cold]")  # the next one, which shows one square
FOLDER = SITE / "_static" / "run"
LIGHT = 6_000  # bytes that a page loads for its buttons
LONG = 120_000  # milliseconds that one program may take on a busy machine
IDLE = "() => document.querySelector('.run-go')?.textContent === 'Run all'"
MARKS = "() => [...document.querySelectorAll('.cell')].map((one) => one.dataset.run).join()"
RUN = r"\b(Run it here|Run all|Try it here)\b"


def page_of(story):
    return f"notebooks/{story.name}.html"


@pytest.fixture
def reading(browser, buttons):
    """Opens a story: the page and all that goes wrong on it."""
    entered = []

    def enter(story=STORIES[0], **options):
        entered.append(opened(browser, page_of(story), **options))
        return entered[-1].__enter__()

    yield enter
    for one in entered:
        one.__exit__(None, None, None)


def settle(page):
    """Wait for the end of all programs that run; a whole story may take as long as its programs together."""
    while not page.evaluate(IDLE):
        arrived = f"(before) => ({IDLE})() || ({MARKS})() !== before"
        page.wait_for_function(arrived, arg=page.evaluate(MARKS), timeout=LONG)


def press(page, number):
    """The button below a program, by its place among the programs, from 0; and wait until it has run."""
    page.locator(".cell .run-here").nth(number).click()
    page.wait_for_selector(".run-foot", timeout=LONG)
    settle(page)


def cell(page, number):
    """A program of the page, once the page runs; tries are not counted."""
    return page.locator(".cell:not(.run-try):has(.run-bar)").nth(number)


def source(place):
    """What its editor holds, if that is not longer than the window: the editor draws no more."""
    place.locator(".run-code").scroll_into_view_if_needed()
    place.locator(".cm-gap").first.wait_for(state="detached")
    return "\n".join(place.locator(".cm-line").evaluate_all("all => all.map((one) => one.textContent)"))


def write(page, place, text):
    place.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)


def again(page, place, wait=True):
    place.locator(".run-button").click()
    if wait:
        settle(page)


def says(page, words):
    """Wait until the program that runs has printed this."""
    running = "document.querySelector('.cell[data-run=running] .run-output')?.textContent"
    page.wait_for_function(f"(words) => {running}?.includes(words)", arg=words, timeout=LONG)


def mark(place):
    return place.get_attribute("data-run")


def marks(page):
    return page.eval_on_selector_all(".cell:not(.run-try):has(.run-bar)", "all => all.map((one) => one.dataset.run)")


def shown(place):
    """The outputs that the reader's run left: kind and text."""
    return place.locator(".run-output > .output").evaluate_all(
        "all => all.map((one) => [one.classList[1], one.querySelector('pre').textContent])"
    )


def published(story):
    """The text outputs of each program of a story, as the build's own Python gave them."""
    notebook = json.loads(executed_path(Book(ROOT), story).read_text(encoding="utf-8"))
    found = []
    for one in notebook["cells"]:
        if one["cell_type"] != "code" or {*one["metadata"].get("tags", [])} & HIDDEN:
            continue
        if "figure" in one["metadata"].get("mystnb", {}):
            continue
        outputs = []
        for output in one["outputs"]:
            if output["output_type"] == "stream":
                text = "".join(output["text"])
                if outputs and outputs[-1][0] == "stream":
                    outputs[-1][1] += text
                else:
                    outputs.append(["stream", text])
            else:
                outputs.append(["text_plain", "".join(output["data"]["text/plain"]) + "\n"])
        if "injected-parameters" not in one["metadata"].get("tags", []):
            found.append(outputs)
    return found


# ---------------------------------------------------------------- the same results


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_every_program_gives_what_the_book_shows(story, reading):
    watched = reading(story)
    page, expected = watched.page, published(story)
    assert len(expected) == len(programs(story.name, folded=True)) == page.locator(".cell .run-here").count()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.locator(".cell:not(.tag_hide-cell) .run-here").last.click()
    page.wait_for_selector(".run-foot", timeout=LONG)
    settle(page)
    for solution in page.locator(".tag_hide-cell").all():
        again(page, solution)
    assert marks(page) == ["same"] * len(expected)
    assert [shown(cell(page, number)) for number in range(len(expected))] == expected
    assert watched.faults == []


def check_first_programs(reading, story, many):
    """For another browser with the same Python: the first programs give what the book shows."""
    watched = reading(story)
    press(watched.page, many - 1)
    assert marks(watched.page)[: many + 1] == ["same"] * many + [""]
    assert [shown(cell(watched.page, number)) for number in range(many)] == published(story)[:many]
    assert watched.faults == []


# ---------------------------------------------------------------- light, quick, anywhere


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_nothing_is_loaded_before_the_press(story, reading):
    watched = reading(story)
    watched.page.wait_for_load_state("load")
    loaded = {name.rpartition("/")[2] for name in watched.files if "/_static/run/" in name}
    assert loaded == {"run.js", "run.css"}
    buttons = (SITE / page_of(story)).read_text(encoding="utf-8").count('class="run-here')
    assert sum((FOLDER / name).stat().st_size for name in loaded) < LIGHT
    assert buttons == watched.page.locator(".run-here").count() >= len(programs(story.name)) > 4


def test_the_evidence_and_the_other_pages_have_no_such_buttons():
    having = {path.stem for path in SITE.rglob("*.html") if "run-here" in path.read_text(encoding="utf-8")}
    assert having == {story.name for story in STORIES}


def test_the_first_output_is_the_books_and_is_timed(reading, tally):
    """The time, by the clock, stands in the line at the end of the run."""
    page = reading().page
    began = time.monotonic()
    page.locator(".cell .run-here").first.click()
    page.wait_for_selector(".run-output > .output", timeout=LONG)
    tally["output"] = round(1000 * (time.monotonic() - began))
    settle(page)
    assert "same" in marks(page)


def test_from_a_server_it_runs_too(browser):
    context = browser.new_context()
    page, elsewhere = context.new_page(), []
    # The test's browser finds no host, not even this machine: the files come as from a server that has only them.
    page.route("**/*", lambda route: (elsewhere.append(route.request.url), route.abort()))
    page.route("http://book.test/**", lambda route: route.fulfill(path=SITE / urlsplit(route.request.url).path[1:]))
    page.goto(f"http://book.test/{page_of(STORIES[0])}")
    press(page, 1)
    assert marks(page)[:2] == ["same", "same"]
    assert elsewhere == []
    context.close()


MISSING = "“core.js” is missing from this copy of the site; build the book anew to have it"
DAMAGED = "“core.js” has come damaged"


def test_what_fails_to_load_says_so_and_can_be_tried_again(browser):
    context = browser.new_context()
    page, ways = context.new_page(), [lambda route: route.abort(), lambda route: route.fulfill(body='Learned("')]
    page.route("**/*", lambda route: route.continue_())  # from the start, or later ones would not see files
    page.goto(f"{SITE.as_uri()}/{page_of(STORIES[0])}")
    for way, words in zip(ways, (MISSING, DAMAGED), strict=True):
        page.route("**/_static/run/core.js", way)
        for _ in range(2):  # the same again, if nothing has changed
            if page.locator(".run-foot").count():
                again(page, cell(page, 0))
            else:
                press(page, 0)
            assert page.locator(".run-foot [role=status]").inner_text() == f"Python cannot run here: {words}."
        page.unroute("**/_static/run/core.js")
    again(page, cell(page, 0))
    assert mark(cell(page, 0)) == "same"
    context.close()


def test_an_editor_that_fails_to_load_can_be_tried_again(browser):
    context = browser.new_context()
    page = context.new_page()
    page.route("**/_static/run/editor.js", lambda route: route.abort())
    page.goto(f"{SITE.as_uri()}/{page_of(STORIES[0])}")
    for _ in range(2):
        page.locator(".run-here").first.click()
        page.locator(".run-failed").wait_for()
        assert "“editor.js” is missing from this copy of the site" in page.locator(".run-failed").inner_text()
    page.unroute("**/_static/run/editor.js")
    press(page, 0)
    assert mark(cell(page, 0)) == "same"
    assert page.locator(".run-failed").count() == 0
    context.close()


def test_at_a_server_it_says_that_something_did_not_come(browser):
    context = browser.new_context()
    page = context.new_page()
    page.route("http://book.test/**", lambda route: route.fulfill(path=SITE / urlsplit(route.request.url).path[1:]))
    page.route("**/_static/run/page.js", lambda route: route.abort())
    page.goto(f"http://book.test/{page_of(STORIES[0])}")
    page.locator(".run-here").first.click()
    page.locator(".run-failed").wait_for()
    assert page.locator(".run-failed").inner_text() == (
        "This cannot run here: “page.js” did not come; try again in a while."
    )
    context.close()


def test_a_browser_that_is_too_old_says_so(browser):
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script("delete window.DecompressionStream;")
    page.goto(f"{SITE.as_uri()}/{page_of(STORIES[0])}")
    page.locator(".run-here").first.click()
    page.locator(".run-failed").wait_for()
    assert page.locator(".run-failed").inner_text() == "This cannot run here: this browser is too old for it."
    context.close()
    context = browser.new_context()
    page = context.new_page()
    page.route("**/_static/run/run.js", lambda route: route.abort())
    page.goto(f"{SITE.as_uri()}/{page_of(STORIES[0])}")
    page.wait_for_load_state("load")
    assert not page.locator(".run-here").first.is_visible()  # a button that does nothing is none
    context.close()


def test_what_the_press_costs_is_said(reading):
    page = reading().page
    page.evaluate("document.querySelector('.run-here').click()")
    page.wait_for_function("() => document.querySelector('.run-foot [role=status]')?.textContent")
    weight = sum((FOLDER / f"{name}.js").stat().st_size for name in (*PARTS, "run", "editor", "page", "worker", "book"))
    said = page.locator(".run-foot [role=status]").inner_text()
    assert said == f"Getting Python ready ({weight / 1e6:.0f} MB, once) …"


def test_the_licences_of_all_that_is_loaded_come_along():
    text = (FOLDER / "licences.txt").read_text(encoding="utf-8")
    lock = json.loads((ROOT / "book" / "static" / "run" / "package-lock.json").read_text(encoding="utf-8"))
    for name, one in lock["packages"].items():
        if name.startswith("node_modules/") and not re.match(r"node_modules/(@?esbuild|@types|ws$)", name):
            assert f"{name.removeprefix('node_modules/')} {one['version']}" in text
    assert f"https://github.com/pyodide/pyodide/tree/{lock['packages']['node_modules/pyodide']['version']}" in text
    assert text.count("Marijn Haverbeke") >= 10
    for words in ("Copyright (c) 2008-Present, IPython Development Team", "PYTHON SOFTWARE FOUNDATION LICENSE"):
        assert words in text
    assert "../_static/run/licences.txt" in (SITE / "book" / "licence.html").read_text(encoding="utf-8")


# ---------------------------------------------------------------- change, and change back


def test_a_change_marks_what_is_old_and_what_is_the_readers_own(reading):
    watched = reading()
    page = watched.page
    press(page, REACHED)
    assert marks(page)[: REACHED + 2] == ["same"] * (REACHED + 1) + [""]
    before = source(cell(page, COLD))
    write(page, cell(page, COLD), before.replace("cold_squares(8, 4)", "cold_squares(8, 3)"))
    assert marks(page)[:COLD] == ["same"] * COLD
    assert {*marks(page)[COLD:]} == {"old"}  # also what was never run: the book's result is not what it would give
    assert cell(page, COLD).locator(".run-says").inner_text() == "Changed, and not yet run."
    assert "a program above has changed" in cell(page, REACHED).locator(".run-says").inner_text()
    again(page, cell(page, REACHED))
    assert marks(page)[: REACHED + 2] == ["same"] * COLD + ["own", "own", "old"]
    assert shown(cell(page, COLD)) == [["text_plain", "[(0, 0), (1, 2), (2, 1), (5, 3)]\n"]]
    assert shown(cell(page, REACHED)) == [["text_plain", "[]\n"]]
    cell(page, REACHED).locator(".run-book summary").click()
    assert cell(page, REACHED).locator(".run-book .output").inner_text().strip() == "[(7, 4)]"
    cell(page, COLD).get_by_role("button", name="The book’s program").click()
    assert marks(page)[COLD : REACHED + 1] == ["old", "old"]
    assert {*marks(page)[REACHED + 1 :]} == {""}  # the book's results are right again
    again(page, cell(page, REACHED))
    assert marks(page)[: REACHED + 2] == ["same"] * (REACHED + 1) + [""]
    assert watched.faults == []


def test_what_a_program_does_to_things_above_it_makes_no_mark_untrue(reading):
    watched = reading()
    page = watched.page
    press(page, REACHED)
    write(page, cell(page, REACHED + 1), "cold.clear()")
    again(page, cell(page, REACHED + 1))
    again(page, cell(page, REACHED))  # it reads the set that is empty now
    assert marks(page)[: REACHED + 1] == ["same"] * (REACHED + 1)
    write(page, cell(page, 0), "import math\nmath.runs = getattr(math, 'runs', 0) + 1\nmath.runs")
    for _ in range(2):
        page.get_by_role("button", name="Run all").click()
        settle(page)
        assert shown(cell(page, 0)) == [["text_plain", "1\n"]]
    assert watched.faults == []


def test_a_program_changed_while_it_runs_is_marked(reading):
    watched = reading()
    page = watched.page
    press(page, 0)
    write(page, cell(page, 0), "import time\nprint('going')\ntime.sleep(3)\n'done'")
    again(page, cell(page, 0), wait=False)
    says(page, "going")
    write(page, cell(page, 0), "12")
    page.keyboard.press("Shift+Enter")
    assert "A program is running" in page.locator(".run-foot [role=status]").inner_text()
    settle(page)
    assert mark(cell(page, 0)) == "old"
    assert cell(page, 0).locator(".run-says").inner_text() == "Changed, and not yet run."
    assert shown(cell(page, 0)) == [["stream", "going\n"], ["text_plain", "'done'\n"]]
    assert watched.faults == []


def test_names_from_further_down_are_not_there_further_up(reading):
    page = reading().page
    press(page, 3)
    again(page, cell(page, 4))
    write(page, cell(page, 0), "pairs")
    again(page, cell(page, 0))
    assert mark(cell(page, 0)) == "error"
    assert "NameError: name 'pairs' is not defined" in shown(cell(page, 0))[0][1]


def test_back_to_the_books_undoes_all(reading):
    watched = reading()
    page = watched.page
    article = "document.querySelector('.bd-article').innerHTML.replace(/ (hidden|disabled)=\"\"/g, '')"
    before = page.evaluate(article)
    press(page, REACHED)
    write(page, cell(page, COLD), "cold = {(1, 1)}\ncold")
    again(page, cell(page, REACHED))
    assert mark(cell(page, REACHED)) == "own"
    asked = []
    page.once("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    page.get_by_role("button", name="Back to the book’s").click()
    assert "will be lost" in asked[0]
    assert source(cell(page, COLD)) == "cold = {(1, 1)}\ncold"
    page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.accept()))
    page.get_by_role("button", name="Back to the book’s").click()
    assert page.evaluate(article) == before
    assert page.evaluate("document.activeElement.className").startswith("run-here")
    press(page, REACHED)
    assert marks(page)[: REACHED + 2] == ["same"] * (REACHED + 1) + [""]
    write(page, cell(page, COLD), "print('going')\nwhile True:\n    pass")
    again(page, cell(page, COLD), wait=False)
    says(page, "going")
    page.get_by_role("button", name="Back to the book’s").click()  # while a program runs
    assert page.evaluate(article) == before
    press(page, REACHED)
    assert marks(page)[: REACHED + 2] == ["same"] * (REACHED + 1) + [""]
    page.get_by_role("button", name="Back to the book’s").click()  # nothing is changed, and so nothing asked
    assert page.evaluate(article) == before
    assert len(asked) == 3
    assert watched.faults == []


def test_an_endless_loop_can_be_stopped(reading):
    watched = reading()
    page = watched.page
    press(page, 0)
    write(page, cell(page, 3), "print('going')\nwhile True:\n    pass")
    again(page, cell(page, 3), wait=False)
    says(page, "going")
    assert cell(page, 2).locator(".run-button").get_attribute("aria-disabled") == "true"
    cell(page, 3).locator(".run-button").click()
    settle(page)
    assert mark(cell(page, 3)) == "stopped"
    assert "Stopped" in page.locator(".run-foot").inner_text()
    write(page, cell(page, 3), "len(cold)")
    again(page, cell(page, 3))  # in a new worker, after the programs above
    assert shown(cell(page, 3)) == [["text_plain", "5\n"]]
    assert watched.faults == []


def test_stop_and_back_work_while_python_is_still_on_its_way(reading):
    watched = reading()
    page, held = watched.page, []
    page.route("**/_static/run/core.js", lambda route: held.append(route))
    page.locator(".run-here").first.click()
    page.locator(".run-go:has-text('Stop')").click()
    settle(page)
    held[0].continue_()
    again(page, cell(page, 0))
    assert mark(cell(page, 0)) == "same"
    page.get_by_role("button", name="Back to the book’s").click()
    page.locator(".run-here").first.click()
    page.get_by_role("button", name="Back to the book’s").click()
    assert page.locator(".run-foot").count() == 0
    assert watched.faults == []


def test_two_buttons_at_once_open_the_page_once(reading):
    watched = reading()
    page, held = watched.page, []
    page.route("**/_static/run/page.js", lambda route: held.append(route))
    first, second = (page.locator(".cell .run-here").nth(number) for number in (0, 1))
    first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.activeElement.matches('.run-here[aria-disabled=true]')")
    second.click()
    assert (first.inner_text(), second.inner_text()) == ("One moment …", "Run it here")
    held[0].continue_()
    page.wait_for_selector(".run-foot", timeout=LONG)
    settle(page)
    assert page.locator(".run-foot").count() == 1
    assert page.locator(".run-bar").count() == page.locator(".run-code").count() == page.locator(".run-here").count()
    assert marks(page)[:2] == ["same", ""]
    assert watched.faults == []


def test_a_double_click_runs_and_does_not_stop(reading):
    page = reading().page
    press(page, 0)
    write(page, cell(page, 0), "import time\ntime.sleep(1)\n'done'")
    cell(page, 0).locator(".run-button").dblclick()
    settle(page)
    assert shown(cell(page, 0)) == [["text_plain", "'done'\n"]]


@pytest.mark.parametrize("loop", ["while True: print('x', flush=True)", "while True: print('x' * 99)"])
def test_endless_printing_leaves_the_page_alive(reading, loop):
    watched = reading()
    page = watched.page
    press(page, 0)
    write(page, cell(page, 0), loop)
    again(page, cell(page, 0), wait=False)
    says(page, "the rest is left out")
    page.locator(".run-go").click()  # which a page that hangs would not notice
    settle(page)
    assert mark(cell(page, 0)) == "stopped"
    assert watched.faults == []


def test_an_error_is_told_by_its_place_in_the_program(reading):
    watched = reading()
    page = watched.page
    press(page, 0)
    write(page, cell(page, 2), "def half(n):\n    return n // 0\n\n\nhalf(4)")
    again(page, cell(page, 4))
    ((kind, told),) = shown(cell(page, 2))
    assert (kind, mark(cell(page, 2)), mark(cell(page, 4))) == ("error", "error", "old")
    assert told.splitlines()[0] == "Traceback (most recent call last):"
    assert told.splitlines()[-1].startswith("ZeroDivisionError: ")
    assert re.findall(r'File "(.*?)", line (\d+), in (\S+)', told) == [
        ("<program 3>", "5", "<module>"),
        ("<program 3>", "2", "half"),
    ]
    assert "return n // 0" in told
    assert "what needs it was not run" in page.locator(".run-foot").inner_text()
    write(page, cell(page, 2), "for")
    again(page, cell(page, 2))
    assert "SyntaxError" in shown(cell(page, 2))[0][1]
    write(page, cell(page, 2), "def deep(): return deep()\n\n\ndeep()")
    again(page, cell(page, 2))
    assert "RecursionError" in shown(cell(page, 2))[0][1]
    write(page, cell(page, 2), "import numpy")
    again(page, cell(page, 2))
    assert shown(cell(page, 2))[0][1].rstrip().endswith("ModuleNotFoundError: No module named 'numpy'")
    write(page, cell(page, 2), "input('Yes? ')")
    again(page, cell(page, 2))
    assert shown(cell(page, 2))[0] == ["stream", "Yes? "]
    assert (
        shown(cell(page, 2))[1][1]
        .rstrip()
        .endswith("EOFError: a program of this page cannot ask; write the answer into the program")
    )
    write(page, cell(page, 2), "'x' * 3_000_000")
    again(page, cell(page, 2))
    ((_, text),) = shown(cell(page, 2))
    assert len(text) < 300_000
    assert text.endswith("the rest is left out)\n\n")
    assert watched.faults == []


# ---------------------------------------------------------------- exercises


@pytest.mark.parametrize("story", STORIES[:5], ids=lambda story: story.slug)  # the sixth has no such exercise
def test_exercises_that_change_a_program_start_from_a_copy_of_it(story, reading):
    watched = reading(story, height=12_000)  # the editor draws only what is near the window
    page = watched.page
    solutions = page.locator("[class*=tag_changes-]")
    assert solutions.count() >= 2
    page.locator(".run-here:has-text('Try it here')").first.click()
    page.wait_for_selector(".run-try")
    assert page.evaluate("document.activeElement.closest('.run-try') === document.querySelector('.run-try')")
    assert page.locator(".run-try").count() == solutions.count()
    for mine, solution in zip(page.locator(".run-try").all(), solutions.all(), strict=True):
        text = source(mine)
        for name in re.findall(r"tag_changes-(\w+)", solution.get_attribute("class")):
            assert re.search(rf"^(def|class) {name}\b|^(\w+, )*{name}(, \w+)* = ", text, re.MULTILINE), name
    assert watched.faults == []


def test_an_exercise_is_done_and_its_solution_run_in_place(reading):
    watched = reading()
    page = watched.page
    page.locator(".run-here:has-text('Try it here')").first.click()
    mine = page.locator(".run-try").first
    copied = source(mine)
    loses = copied.replace("if not any", "if square != (0, 0) and not any")
    assert loses != copied
    write(page, mine, loses)
    again(page, mine)
    (answer,) = shown(mine)
    assert mark(mine) == "own"
    assert "(0, 0)" not in answer[1]
    assert {*marks(page)} == {"same", ""}  # the programs above stay as they are
    solution = mine.locator("xpath=following-sibling::*[1]")
    solution.locator("summary").first.click()
    again(page, solution)
    assert mark(solution) == "same"
    mine.get_by_role("button", name="Begin anew").click()
    assert source(mine) == copied
    assert watched.faults == []


# ---------------------------------------------------------------- for everybody


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_everybody_can_use_it(width, dark, reading):
    watched = reading(width=width, dark=dark)
    page = watched.page
    press(page, 3)
    write(page, cell(page, 1), "'a string', 12  # and a comment")
    again(page, cell(page, 1))
    write(page, cell(page, 2), "cold = {(1, 1)}\nprint(cold)\n1 / 0")
    again(page, cell(page, 3))
    assert marks(page)[:4] == ["same", "own", "error", "old"]
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.mouse.move(0, 0)
    cell(page, 1).locator(".cm-content").focus()
    assert page.locator("#run-hint").is_visible()
    assert [one for one in violations(page) if "<figure" not in one] == []  # of these, the theme sees to it later
    assert page.evaluate(WIDE) == []
    page.emulate_media(media="print", color_scheme="light")
    page.set_viewport_size({"width": 720, "height": 1020})
    assert page.evaluate(SHOWN, f"{FURNITURE}, .run-here, .run-bar button, .run-foot, .run-try") == []
    assert cell(page, 1).locator(".run-says").is_visible()  # on paper too, nobody takes it for the book's
    assert watched.faults == []


def test_no_button_moves_from_under_the_pointer_as_an_editor_loses_the_focus(reading):
    page = reading().page
    press(page, 0)
    buttons = (page.locator(".run-go"), cell(page, 0).locator(".run-button"))
    cell(page, 0).locator(".cm-content").click()
    focused = [one.bounding_box() for one in buttons]
    page.evaluate("document.activeElement.blur()")
    assert [one.bounding_box() for one in buttons] == focused


def test_by_keyboard_alone(reading):
    page = reading().page
    button = page.locator(".run-here").first
    button.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".run-foot", timeout=LONG)
    settle(page)
    first = cell(page, 0)
    assert first.locator(".run-button").evaluate("one => one === document.activeElement")
    page.keyboard.press("Shift+Tab")
    assert first.locator(".cm-content").evaluate("one => one === document.activeElement")
    assert first.locator(".cm-content").get_attribute("aria-label") == "Program 1"
    page.keyboard.press("Control+End")
    page.keyboard.type("  # mine")
    page.keyboard.press("Control+Enter")
    settle(page)
    assert mark(first) == "same"
    page.keyboard.press("Tab")  # indents
    assert first.locator(".cm-content").evaluate("one => one === document.activeElement")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert first.locator(".run-button").evaluate("one => one === document.activeElement")


def test_without_javascript_and_on_paper_nothing_of_it_shows(browser):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{SITE.as_uri()}/{page_of(STORIES[0])}")
    assert page.locator(".run-here").count() > 15
    assert [one for one in page.locator(".run-here").all() if one.is_visible()] == []
    assert not re.search(RUN, page.locator("main").inner_text())
    context.close()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{SITE.as_uri()}/{page_of(STORIES[0])}")
    assert page.locator(".run-here").first.is_visible()
    page.emulate_media(media="print")
    assert not re.search(RUN, page.locator("main").inner_text())
    context.close()
