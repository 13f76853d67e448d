"""The page "Play" in a real browser: whole games by mouse and by keyboard, at two widths, in light and dark."""

import json
import re

import pytest

from support.games import GAMES
from support.play.page.bundles import bundles
from website.browser import opened

PAGE = "notebooks/06-play.html"
SIZES = {"call-or-raise": "3x2"}
for bundle in (bundle for bundle in bundles(solved=False) if bundle.game):
    SIZES.setdefault(*bundle.name.split("/"))
MOST = 200  # moves of one game: nobody who bids at random keeps his dice for longer
READY = "#play[data-state]"
LOOKS = [(1280, False), (390, True)]


def address(game, **fields):
    words = {"game": game, "size": SIZES[game], **fields}
    return f"{PAGE}#" + "&".join(f"{name}={value}" for name, value in words.items())


def over(page):
    return page.get_attribute("#play", "data-state") == "over"


def by_mouse(page, game, turn):
    """One move: dice are toggled first, and elsewhere another button each time."""
    if game == "three-dice":
        if not turn:
            page.locator(".play-keep").first.click()
        page.locator(".play-main").click()
        return
    buttons = page.locator(".play-moves button:not([disabled])")
    buttons.nth((3 * turn + 1) % buttons.count()).click()


def by_keyboard(page, game, turn):
    """The same without a mouse: Tab has led to the moves, arrows lead on."""
    if game == "three-dice":
        if not turn:
            page.keyboard.press("Space")  # do not keep the first die
        for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"):
            page.keyboard.press(key)  # to the button that rerolls it, and later stops, beside the dice or below
    else:
        for _ in range(1 + turn % 3):
            page.keyboard.press("ArrowRight")
        if turn % 2:
            page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")


def to_the_moves(page):
    """Tab from the top of the page until a move has the focus."""
    page.locator(".play-game input:checked").focus()
    for _ in range(20):
        if page.evaluate("document.activeElement.closest('.play-moves') !== null"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("Tab does not lead to the moves")


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
@pytest.mark.parametrize(("width", "dark"), LOOKS)
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game(browser, game, width, dark, way):
    with opened(browser, address(game, seed="5"), width, dark=dark) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        if way == "keyboard":
            to_the_moves(page)
        turns = 0
        while not over(page):
            assert turns < MOST
            (by_mouse if way == "mouse" else by_keyboard)(page, game, turns)
            turns += 1
        assert turns
        ending = page.locator(".play-status").inner_text()
        assert any(word in ending for word in ("win", "score", "split", "last biscuit")), ending
        assert page.locator(".play-tally").inner_text().startswith("Your tally here: 1 ")
        if way == "keyboard":  # nobody is lost at the end: the focus is on the next game
            assert page.evaluate("document.activeElement.textContent") == "New game"
        page.get_by_role("button", name="What did my decisions cost?").click()
        assert page.locator(".play-hint").inner_text()
        for _ in range(20):  # a deal may leave the reader nothing to decide, as when all dice are lost before a turn
            page.get_by_role("button", name="New game").click()
            if not over(page):
                break
        assert not over(page)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")
        assert watched.faults == []
        assert watched.requests > 1


@pytest.mark.parametrize("game", GAMES)
def test_hints_thoughts_and_other_opponents(browser, game):
    with opened(browser, address(game, seed="7")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        page.get_by_label("Show what the agents think").check()
        opponent = page.get_by_label("Opponent", exact=True).or_(page.get_by_label("Opponent 1"))
        names = opponent.locator("option:not([disabled])").all_inner_texts()
        assert len(names) == len(set(GAMES[game].agents))
        for name in names:
            opponent.select_option(label=name)
            page.wait_for_function("(name) => location.hash.includes(name)", arg=name.lower())
            page.wait_for_selector(READY)
            if over(page):
                page.get_by_role("button", name="New game").click()
            if not over(page):
                page.get_by_role("button", name="What is best?").click()
                said = page.locator(".play-hint").inner_text()
                assert said.startswith(("Best is", "What is best", "Every move loses")), said
            for turn in range(1, MOST):  # thoughts are shown at the end of a round at the latest
                if over(page):
                    break
                by_mouse(page, game, turn)
            assert page.locator(".play-thought:visible").count() == page.locator(".play-thought").count() > 0
        assert watched.faults == []


def test_the_same_seed_deals_the_same_game(browser):
    logs = []
    for seed in ("11", "11", "12"):
        with opened(browser, address("wild-ones", seed=seed)) as watched:
            watched.page.wait_for_selector(READY)
            by_mouse(watched.page, "wild-ones", 0)
            logs.append(watched.page.locator(".play-log").inner_html())
    assert logs[0] == logs[1] != logs[2]


def test_the_tally_is_kept_and_forgotten(browser):
    with opened(browser, address("biscuits", seed="1", heaps="1,1")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        page.get_by_role("button", name="take 1 from each heap").click()
        assert "1 game, 1 won" in page.locator(".play-tally").inner_text()
        kept = json.loads(page.evaluate("localStorage.getItem('learned-and-checked.tally')"))
        assert list(kept.values()) == [{"games": 1, "score": 1, "won": 1}]
        page.get_by_role("button", name="New game").click()
        page.get_by_role("button", name="take 1 Digestive,").click()
        assert "2 games, 1 won" in page.locator(".play-tally").inner_text()
        page.get_by_role("button", name="Forget the tally").click()
        assert page.locator(".play-tally").inner_text() == "No game finished here yet."


def test_learners_of_biscuits_know_one_puzzle(browser):
    with opened(browser, address("biscuits", against="learner")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        opponent = page.get_by_label("Opponent", exact=True)
        assert opponent.input_value() == "learner"
        page.get_by_label("Digestives", exact=True).select_option("5")
        page.wait_for_function("location.hash.includes('heaps=5,4')")
        assert opponent.input_value() == "perfect"
        assert opponent.locator("option:disabled").all_inner_texts() == ["Learner", "Program"]


@pytest.mark.parametrize(
    "words",
    [
        "game=chess",
        "game=wild-ones&size=9x9&against=nobody&seat=7",
        "nonsense",
        "game=",
        "game=constructor",
        "game=__proto__&against=toString",
        "game=biscuits&heaps=20,20&seat=2.5",
        "game=biscuits&heaps=0,0",
    ],
)
def test_an_address_that_makes_no_sense_still_deals(browser, words):
    with opened(browser, f"{PAGE}#{words}") as watched:
        watched.page.wait_for_selector(READY)
        assert watched.page.locator(".play-moves button").count()
        assert watched.faults == []


@pytest.mark.parametrize("chapter", [entry.chapter for entry in GAMES.values() if entry.chapter])
def test_chapters_link_to_their_games(browser, chapter):
    with opened(browser, f"notebooks/{chapter}.html") as watched:
        link = watched.page.locator("a[href*='06-play.html#game=']").first
        link.click()
        watched.page.wait_for_selector(READY)
        assert watched.page.locator(".play-game input:checked").input_value() == chapter[3:]
        assert watched.faults == []


def test_thoughts_betray_nothing_before_the_round_is_over(browser):
    with opened(browser, address("ace-king-queen", seed="3", seat="2")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        page.get_by_label("Show what the agents think").check()
        while over(page):
            page.get_by_role("button", name="New game").click()
        assert page.locator(".play-thought").count()
        assert not page.locator(".play-thought:visible").count()
        while not over(page):
            by_mouse(page, "ace-king-queen", 0)
        assert page.locator(".play-thought:visible").count()


def test_players_who_would_raise_for_ever_are_stopped(browser):
    with opened(browser, address("call-or-raise", size="4x6", against="q-table,q-table,q-table")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        # The learner's own test of this, in Python, names seeds; here any of many games will do.
        found = page.evaluate(
            """() => {
              const book = LearnedAndChecked, tables = book.page.tables, ends = [0, 0];
              for (let seed = 0; seed < 60; seed++) {
                const match = new book.Match(book.game(tables), tables.agents, book.page.match.names, `x${seed}`);
                match.run();
                while (!match.over) match.play(0);
                ends[Number(match.stuck)] += 1;
              }
              return ends;
            }"""
        )
        assert sum(found) == 60
        assert min(found) > 0
        assert watched.faults == []


def test_nothing_can_be_played_while_tables_are_missing(browser):
    with opened(browser, address("biscuits")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        page.route("**/call-or-raise-4x6.js", lambda route: route.abort())
        page.locator(".play-game", has_text="Call or raise").click()
        page.wait_for_function("document.querySelector('.play-status').textContent.includes('cannot be played now')")
        assert not page.locator(".play-moves button").count()
        assert page.get_by_role("button", name="What is best?").is_disabled()
        assert page.get_by_role("button", name="New game").is_disabled()
        page.locator(".play-game", has_text="Three dice").click()
        page.wait_for_selector(READY)
        assert page.locator(".play-main").count()


def test_going_back_does_not_end_a_game(browser):
    with opened(browser, address("biscuits", seed="4")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        by_mouse(page, "biscuits", 0)
        lines = page.locator(".play-log li").count()
        page.evaluate("window.location.hash = 'what-it-knows'")
        page.go_back()
        page.wait_for_function("location.hash.includes('game=biscuits')")
        assert page.locator(".play-log li").count() == lines


def test_a_game_that_is_over_before_a_move_does_not_count(browser):
    with opened(browser, address("call-or-raise", size="2x2")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        again = page.get_by_role("button", name="New game")
        for _ in range(400):
            again.click()
            if over(page):
                break
        assert over(page)
        assert page.locator(".play-tally").inner_text() == "No game finished here yet."


def test_a_tally_that_is_no_tally_is_forgotten(browser):
    with opened(browser, address("biscuits", seed="1", heaps="1,1")) as watched:
        page = watched.page
        for stored in ("5", "[]", "nonsense", "null"):
            page.evaluate("(stored) => localStorage.setItem('learned-and-checked.tally', stored)", stored)
            page.reload()
            page.wait_for_selector(READY)
            page.get_by_role("button", name="take 1 from each heap").click()
            assert "1 game, 1 won" in page.locator(".play-tally").inner_text()
        assert watched.faults == []


@pytest.mark.parametrize("game", [name for name, entry in GAMES.items() if not entry.table_at])
@pytest.mark.parametrize("seat", [1, 2])
def test_a_plain_view_hides_what_the_other_knows(browser, game, seat):
    """Until the game is over the page says no more about the deal than the reader's own information state does."""
    with opened(browser, address(game, seed="6", seat=str(seat), against="random")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        for turn in range(12):
            while not over(page):
                match = "LearnedAndChecked.page.match"
                known = page.evaluate(f"{match}.game.knows({match}.state, {match}.seat)")
                dealt = page.evaluate(f"{match}.state.past[0]")
                shown = page.locator(".play-board").inner_text()
                assert known in page.locator(".play-scene").inner_text()
                assert not re.search(rf"(?<!\S){re.escape(dealt)}(?![x\w])", shown)  # "2 1" is not in "2 1x3"
                assert "hance moves." in shown
                by_mouse(page, game, turn)
            assert page.evaluate(f"{match}.state.past[0]") in page.locator(".play-scene").inner_text()
            page.get_by_role("button", name="New game").click()
        assert watched.faults == []
