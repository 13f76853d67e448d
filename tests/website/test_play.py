"""The page "Play" in a real browser: whole games by mouse and by keyboard, at two widths, in light and dark."""

import json
import re

import pytest

from support.games import GAMES
from support.play.page.bundles import bundles
from website.browser import SITE, opened

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


def rested(page):
    """As if a reader had looked for a moment before the next press; see ``test_one_press_is_one_move``."""
    page.evaluate("LearnedAndChecked.page.drawn = -1e9")


def wait_before_leaving(page):
    """Wait, because on a busy machine Chromium may lose what a page stores in the instant before it is left.

    That the page stores at once, ``test_a_game_waits_until_it_is_left_or_over`` reads from the storage itself.
    """
    page.wait_for_timeout(300)


def again(page):
    """Deals anew."""
    rested(page)
    page.get_by_role("button", name="New game").click()


def at_round(page):
    return page.get_attribute("#play", "data-state") == "round"


def to_my_move(page):
    """Through the rounds that the reader only looks on at."""
    while at_round(page):
        rested(page)
        page.get_by_role("button", name="Next round").click()


def by_mouse(page, game, turn):
    """One move: dice are toggled first, and elsewhere another button each time."""
    rested(page)
    if game == "three-dice":
        if not turn:
            page.locator(".play-keep").first.click()
        page.locator(".play-main").click()
        return
    buttons = page.locator(".play-moves button:not([disabled])")
    buttons.nth((3 * turn + 1) % buttons.count()).click()


def by_keyboard(page, game, turn):
    """The same without a mouse: Tab has led to the moves, arrows lead on."""
    rested(page)
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


def to_the_moves(page, key="Tab", most=5):
    """Tab until a move has the focus, which takes a reader who came by a link at most five."""
    for _ in range(most):
        page.keyboard.press(key)
        if page.evaluate("document.activeElement.closest('.play-moves button') !== null"):
            return
    raise AssertionError(f"{key} does not lead to the moves")


def test_who_comes_without_a_link_is_soon_at_the_moves(browser):
    """By the page's first link, which leads elsewhere on other pages, and leaves the game alone."""
    with opened(browser, PAGE) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        before = page.evaluate("location.hash")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the table"
        page.keyboard.press("Enter")
        to_the_moves(page, most=2)
        assert page.evaluate("location.hash") == before


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
            again(page)
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
        assert len(names) == len(set(GAMES[game].agents) - {"equal"})  # which plays at other sizes
        for name in names:
            opponent.select_option(label=name)
            page.wait_for_function("(name) => location.hash.includes(name)", arg=name.lower())
            page.wait_for_selector(READY)
            if over(page):
                again(page)
            to_my_move(page)
            ask = page.locator(".play-tools button").first
            if ask.is_enabled():
                ask.click()
                said = page.locator(".play-hint").inner_text()
                known = ("Best is", "Equally good are", "All ", "Every move loses")
                assert said.startswith(known if ask.inner_text() == "What is best?" else "What is best against"), said
            elif not over(page):
                assert ask.inner_text() == "What is best is not known at this table"
            for turn in range(1, MOST):  # thoughts are shown at the end of a round at the latest
                if over(page):
                    break
                by_mouse(page, game, turn)
            assert page.locator(".play-thought:visible").count() == page.locator(".play-thought").count() > 0
        assert watched.faults == []


def test_a_certain_win_is_not_almost_certain(browser):
    with opened(browser, PAGE) as watched:
        watched.page.wait_for_selector(READY)
        shown = "[1 - 2 ** -53, 1 + 2 ** -52, 1, 0.999999, 1 - 1e-8, 1e-13, 0].map(LearnedAndChecked.percent)"
        assert watched.page.evaluate(shown) == [*["100.0%"] * 3, "99.99990%", "almost 100%", "almost 0%", "0.0%"]


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
        rested(page)
        page.get_by_role("button", name="take 1 from each heap").click()
        page.get_by_text("1 game, 1 won").wait_for()
        assert "1 game, 1 won" in page.locator(".play-tally").inner_text()
        kept = json.loads(page.evaluate("localStorage.getItem('learned-and-checked.tally')"))
        assert list(kept.values()) == [{"games": 1, "score": 1, "won": 1, "idle": 0}]
        again(page)
        rested(page)
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
            again(page)
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
                while (!match.over) {
                  match.decide(0);
                  match.run();
                }
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
        page.evaluate("window.location.hash = 'when-is-the-advice-exact'")
        page.go_back()
        page.wait_for_function("location.hash.includes('game=biscuits')")
        assert page.locator(".play-log li").count() == lines


def test_a_game_that_is_over_before_a_move_is_shown_and_counted(browser):
    with opened(browser, address("call-or-raise", size="2x2")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        for _ in range(400):
            again(page)
            to_my_move(page)
            if over(page):
                break
        assert over(page)
        assert "before you had anything to decide" in page.locator(".play-status").inner_text()
        assert "1 of them over before your first decision" in page.locator(".play-tally").inner_text()
        assert page.locator(".play-verdict").count() == 1
        wait_before_leaving(page)
        page.reload()  # it is shown again, and not counted again
        page.wait_for_selector(READY)
        to_my_move(page)
        assert page.locator(".play-tally").inner_text().startswith("Your tally here: 1 game,")


def begun_without_me(page, **fields):
    """The address of a game that is over before the reader has anything to decide, in more than one round."""
    seed = page.evaluate(
        """() => {
          const book = LearnedAndChecked, { tables, match } = book.page;
          for (let seed = 0; ; seed++) {
            const one = new book.Match(book.game(tables), tables.agents, match.names, String(seed));
            one.run();
            if (one.over && one.decisions.length === 0) return String(seed);
          }
        }"""
    )
    return address("call-or-raise", seed=seed, **fields)


def test_a_game_without_decisions_is_counted_once_and_says_so(browser):
    with opened(browser, address("call-or-raise")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        there = begun_without_me(page)
    with opened(browser, there) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        assert at_round(page)
        wait_before_leaving(page)
        page.reload()  # it is paused, and waits where it was
        page.wait_for_selector(READY)
        to_my_move(page)
        assert over(page)
        assert "it counts all the same" in page.locator(".play-status").inner_text()
        assert page.locator(".play-tally").inner_text().startswith("Your tally here: 1 game,")
        link = page.url.split("#")[1]
        assert "&end=1&moves=" in link
    with opened(browser, f"{PAGE}#{link}") as watched:  # somebody else's
        page = watched.page
        page.wait_for_selector(READY)
        assert over(page)
        assert "before you had anything to decide." in page.locator(".play-status").inner_text()
        assert page.locator(".play-tally").inner_text() == "No game finished here yet."
        assert watched.faults == []


def test_a_new_game_has_nothing_of_the_last(browser):
    with opened(browser, address("biscuits", heaps="1,2", seat="2", against="random", seed="4")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        for turn in range(MOST):
            if over(page):
                break
            by_mouse(page, "biscuits", turn)
        assert page.locator(".play-steps").count() == 1
        page.get_by_label("Pace of the others").select_option("slow")
        page.clock.install()
        page.clock.pause_at(page.evaluate("Date.now()") + 60_000)
        again(page)
        assert page.get_attribute("#play", "data-state") == "theirs"
        assert not page.locator(".play-moves button").count()
        page.clock.run_for(2100)
        assert page.get_attribute("#play", "data-state") != "theirs"
        assert watched.faults == []


def test_after_a_new_game_the_focus_is_at_the_moves(browser):
    with opened(browser, address("biscuits", heaps="4,3", seat="2", against="random", seed="4")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        page.get_by_label("Pace of the others").select_option("quick")
        rested(page)
        page.get_by_role("button", name="New game").focus()
        page.keyboard.press("Enter")
        page.wait_for_selector("#play[data-state=theirs]")
        page.wait_for_selector("#play[data-state=yours]")
        assert page.locator(".play-moves :focus").count() == 1


def test_a_game_waits_until_it_is_left_or_over(browser):
    """Looking at another game, or at somebody else's, ends nothing; leaving it does, and only then."""
    with opened(browser, address("biscuits", heaps="12,11", seed="3")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        by_mouse(page, "biscuits", 0)
        shared = page.url
    with opened(browser, address("wild-ones", seed="5")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        by_mouse(page, "wild-ones", 0)
        log, kept = page.locator(".play-log").inner_text(), "localStorage.getItem('learned-and-checked.game')"
        left = page.evaluate(kept)
        wait_before_leaving(page)
        page.goto(f"{SITE.as_uri()}/book/index.html")
        page.locator("a[href*='06-play.html#game=three-dice']").first.click()
        page.wait_for_selector(".play-keep")
        assert page.evaluate(kept) == left
        for there in (shared, f"{SITE.as_uri()}/{PAGE}"):
            wait_before_leaving(page)
            page.goto(f"{SITE.as_uri()}/book/index.html")
            page.goto(there)
            page.wait_for_selector(READY)
            assert page.evaluate(kept) == left
        assert page.locator(".play-log").inner_text() == log
        page.locator(".play-game", has_text="Three dice").click()
        page.get_by_role("button", name="Leave it").click()
        page.wait_for_selector(".play-keep")
        assert page.evaluate(kept) is None
        assert watched.faults == []


def test_junk_in_storage_is_dropped(browser):
    good = {"games": 2, "score": 1, "won": 1, "idle": 0}
    junk = {"biscuits all 1,1 perfect": good, "chess all - random 1": good, "biscuits all 1,1 perfect 1": {"games": -1}}
    with opened(browser, address("biscuits", seed="1", heaps="1,1")) as watched:
        page = watched.page
        for number, stored in enumerate(("5", "[]", "nonsense", "null", json.dumps(junk), '{"a": null}')):
            page.evaluate("(stored) => localStorage.setItem('learned-and-checked.tally', stored)", stored)
            page.evaluate("localStorage.setItem('learned-and-checked.pace', 'constructor')")
            page.evaluate("localStorage.setItem('learned-and-checked.game', '<b>')")
            page.evaluate("location.hash = ''")
            wait_before_leaving(page)
            page.reload()
            page.wait_for_selector(READY)
            assert page.evaluate("localStorage.getItem('learned-and-checked.game')") is None
            page.evaluate(f"location.hash = 'game=biscuits&heaps=1,1&seed={number}'")
            rested(page)
            page.get_by_role("button", name="take 1 from each heap").click()
            assert "1 game, 1 won" in page.locator(".play-tally").inner_text()
            assert list(json.loads(page.evaluate("localStorage.getItem('learned-and-checked.tally')"))) == [
                "biscuits all 1,1 perfect 1"
            ]
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
                shown = "\n".join(page.locator(".play-now, .play-past").all_inner_texts())
                assert known in page.locator(".play-scene").inner_text()
                assert not re.search(rf"(?<!\S){re.escape(dealt)}(?![x\w])", shown)  # "2 1" is not in "2 1x3"
                assert "hance moves." in shown
                by_mouse(page, game, turn)
            assert page.evaluate(f"{match}.state.past[0]") in page.locator(".play-scene").inner_text()
            again(page)
        assert watched.faults == []


def decisions(page):
    return page.evaluate("LearnedAndChecked.page.match.decisions.length")


@pytest.mark.parametrize("game", ["wild-ones", "call-or-raise"])
def test_a_challenge_stops_everything_and_shows_it(browser, game):
    with opened(browser, address(game, seed="5")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        rounds = 0
        for turn in range(MOST):
            if over(page):
                break
            if at_round(page):
                rounds += 1
                rolls, counts, lines, challenge, challenger, quantity = page.evaluate(
                    """() => {
                      const { match, rounded } = LearnedAndChecked.page, { before, after, move, mover } = rounded;
                      const lines = document.querySelectorAll(".play-log li").length;
                      const said = [move.label, match.shown[mover], before.bids[before.bids.length - 1][0]];
                      return [before.rolls.map((roll) => roll.length), after.counts, lines, ...said];
                    }"""
                )
                assert page.locator(".play-seats .play-die[role=img]").count() == sum(rolls)
                assert not page.locator(".play-heard").count()
                said = page.locator(".play-verdict").inner_text()
                words = r"There (?:is|are) (\d+), (.*): (.*) (?:is|are) (right|wrong)\. .+\."
                there, relation, judged, verdict = re.search(words, said).groups()
                # The challenger has said something, which is true or not.
                assert challenger == judged
                more = int(there) - quantity
                assert relation.split()[0] == ("fewer" if more < 0 else "more" if more else "exactly")
                assert verdict == ("right" if (more == 0 if challenge == "exact" else more < 0) else "wrong"), said
                lost = [seat for seat, (before, after) in enumerate(zip(rolls, counts, strict=True)) if before > after]
                assert [
                    seat
                    for seat in range(len(rolls))
                    if f"now {counts[seat]} " in page.locator(".play-seats li").nth(seat).inner_text()
                ] == lost
                page.wait_for_timeout(200)
                assert page.locator(".play-log li").count() == lines  # it waits
                to_my_move(page)
            else:
                by_mouse(page, game, turn)
        assert rounds
        assert page.locator(".play-verdict").count() == 1  # the last challenge is shown with the result
        assert watched.faults == []


def test_opponents_move_at_a_pace_and_the_status_says_whose_move_it_is(browser):
    with opened(browser, address("wild-ones", seed="2", against="random,random")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        assert (
            page.get_by_label("Pace of the others").input_value() == "once"
        )  # the test's browser asks for less motion
        page.get_by_label("Pace of the others").select_option("slow")
        page.clock.install()
        page.clock.pause_at(page.evaluate("Date.now()") + 60_000)  # from here on, time passes when the test says so
        rested(page)
        page.locator(".play-bids button:not([disabled])").first.click()
        assert page.locator(".play-status").inner_text() == "Random (2) is to move."
        lines = page.locator(".play-log li").count()
        assert page.locator("li.now strong").inner_text() == "Random (2)"
        page.locator(".play-bids button:not([disabled])").nth(5).click()  # nothing: it is not the reader's move
        page.clock.run_for(1900)
        assert page.locator(".play-log li").count() == lines
        assert decisions(page) == 1
        page.clock.run_for(200)
        assert page.locator(".play-log li").count() == lines + 1  # one move, and no more
        assert page.get_attribute("#play", "data-state") in ("theirs", "round")
        page.reload()
        page.wait_for_selector(READY)
        assert page.get_by_label("Pace of the others").input_value() == "slow"


def test_one_press_is_one_move(browser):
    with opened(browser, address("biscuits", heaps="12,11", against="random", seed="3")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        rested(page)
        page.get_by_role("button", name="take 1 Digestive,").dblclick()
        assert decisions(page) == 1
        page.wait_for_timeout(350)
        page.keyboard.down("Enter")  # on the first move, which has the focus
        page.keyboard.down("Enter")
        page.wait_for_timeout(350)
        page.keyboard.down("Enter")  # a key held down is one press
        page.keyboard.up("Enter")
        assert decisions(page) == 2
        page.wait_for_timeout(350)
        press = "document.querySelector('.play-moves button:not([disabled])').click();"
        page.evaluate(f"() => {{ {press} {press} }}")  # the second is on a button that has just appeared
        assert decisions(page) == 3
    with opened(browser, address("biscuits", heaps="1,1")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        rested(page)
        page.get_by_role("button", name="take 1 from each heap").focus()
        for _ in range(3):  # held down on the last move, after which "New game" has the focus
            page.keyboard.down("Enter")
            page.wait_for_timeout(400)
        page.keyboard.up("Enter")
        assert over(page)


def test_moves_can_be_taken_back_where_nothing_hidden_was_shown(browser):
    with opened(browser, address("biscuits", heaps="12,11", seed="3")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        back = page.get_by_role("button", name="Take back")
        assert back.is_disabled()
        by_mouse(page, "biscuits", 0)
        before = page.locator(".play-log").inner_html()
        by_mouse(page, "biscuits", 1)
        back.click()
        assert page.locator(".play-log").inner_html() == before
        assert decisions(page) == 1
        for turn in range(MOST):
            if over(page):
                break
            by_mouse(page, "biscuits", turn)
        assert "taken back" in page.locator(".play-status").inner_text()
        assert page.locator(".play-tally").inner_text() == "No game finished here yet."
        assert back.is_disabled()
    with opened(browser, address("wild-ones", seed="2")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        back = page.get_by_role("button", name="Take back")
        page.get_by_label("Pace of the others").select_option("slow")
        rested(page)
        page.locator(".play-bids button:not([disabled])").first.click()
        assert back.is_enabled()  # until somebody has answered
        back.click()
        assert decisions(page) == 0
        page.get_by_label("Pace of the others").select_option("once")
        rested(page)
        page.locator(".play-bids button:not([disabled])").first.click()
        assert back.is_disabled()


def test_a_move_taken_back_in_a_later_round_leaves_one_in_it(browser):
    with opened(browser, address("wild-ones", seed="2")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        to_my_move(page)
        while not at_round(page):
            by_mouse(page, "wild-ones", 1)
            if not at_round(page):
                to_my_move(page)
        rested(page)
        page.get_by_role("button", name="Next round").click()
        page.get_by_label("Pace of the others").select_option("once")
        rested(page)
        before = page.locator(".play-log").inner_text()
        assert page.get_attribute("#play", "data-state") == "yours"
        page.get_by_label("Pace of the others").select_option("slow")
        page.locator(".play-bids button:not([disabled])").first.click()
        page.get_by_role("button", name="Take back").click()
        assert (page.locator(".play-log").inner_text(), page.get_attribute("#play", "data-state")) == (before, "yours")


def test_leaving_a_game_asks_first(browser):
    with opened(browser, address("biscuits", heaps="12,11", seed="3")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        again(page)  # nothing was played: nothing is asked
        assert not page.locator("dialog[open]").count()
        by_mouse(page, "biscuits", 0)
        log = page.locator(".play-log").inner_html()
        ways = (
            lambda: page.locator(".play-game", has_text="Three dice").click(),
            lambda: page.get_by_label("Opponent", exact=True).select_option("random"),
            lambda: again(page),
            lambda: page.evaluate("location.hash = 'game=wild-ones'"),
        )
        for way in ways:
            way()
            page.wait_for_selector("dialog[open]")
            page.keyboard.press("Escape")
            page.wait_for_selector("dialog", state="hidden")
            assert page.locator(".play-log").inner_html() == log
            assert page.locator(".play-game input:checked").input_value() == "biscuits"
            assert page.get_by_label("Opponent", exact=True).input_value() == "perfect"
            assert "game=biscuits" in page.evaluate("location.hash")
        page.locator(".play-game", has_text="Three dice").click()
        page.get_by_role("button", name="Leave it").click()
        page.wait_for_selector(".play-keep")
        assert watched.faults == []


@pytest.mark.parametrize("game", GAMES)
def test_a_reload_goes_on_and_a_link_shares_the_game(browser, game):
    with opened(browser, address(game, seed="8")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        to_my_move(page)
        by_mouse(page, game, 0)
        log, state = page.locator(".play-log").inner_text(), page.get_attribute("#play", "data-state")
        wait_before_leaving(page)
        page.reload()
        page.wait_for_selector(READY)
        assert (page.locator(".play-log").inner_text(), page.get_attribute("#play", "data-state")) == (log, state)
        if not over(page):  # whoever comes back later without the link goes on too
            wait_before_leaving(page)
            page.goto(page.url.split("#")[0].replace("06-play", "90-scaling"))
            page.wait_for_function("localStorage.getItem('learned-and-checked.game')")  # other processes learn late
            wait_before_leaving(page)
            page.goto(page.url.split("#")[0].replace("90-scaling", "06-play"))
            page.wait_for_selector(READY)
            assert page.locator(".play-log").inner_text() == log
        for turn in range(1, MOST):
            if over(page):
                break
            by_mouse(page, game, turn)
        log, tally = page.locator(".play-log").inner_text(), page.locator(".play-tally").inner_text()
        assert tally.startswith("Your tally here: 1 ")
        wait_before_leaving(page)
        page.reload()
        page.wait_for_selector(READY)
        assert page.locator(".play-tally").inner_text() == tally
        asked = page.get_by_role("button", name="What did my decisions cost?").count()
        page.get_by_role("button", name="Link to this game").click()
        link = page.get_by_label("The link").input_value()
        assert page.get_by_role("button", name="What did my decisions cost?").count() == asked
        assert watched.faults == []
    with opened(browser, f"{PAGE}#{link.split('#')[1]}") as watched:
        page = watched.page
        page.wait_for_selector(READY)
        assert over(page)
        assert page.locator(".play-log").inner_text() == log
        assert page.locator(".play-tally").inner_text() == "No game finished here yet."
        last = page.locator(".play-scene").inner_html()
        steps = page.evaluate("LearnedAndChecked.page.match.events.length")
        page.get_by_role("button", name="to the beginning").click()
        for step in range(1, steps):
            page.get_by_role("button", name="one step on").click()
            assert page.locator(".play-steps .play-label").inner_text() == f"{step + 1} of {steps}"
        assert page.locator(".play-scene").inner_html() == last or not GAMES[game].table_at
        assert watched.faults == []


def test_links_that_do_not_fit_say_so(browser):
    with opened(browser, address("biscuits", heaps="4,3", seed="1", of="otherone", moves="0")) as watched:
        watched.page.wait_for_selector(READY)
        assert "another build" in watched.page.locator(".play-log").inner_text()
        assert decisions(watched.page) == 0
        left = f"#{address('biscuits', heaps='4,3', seed='1', of='otherone', moves='0').partition('#')[2]}"
        watched.page.evaluate("(left) => localStorage.setItem('learned-and-checked.game', left)", left)
        wait_before_leaving(watched.page)
        watched.page.goto(f"{SITE.as_uri()}/book/index.html")
        watched.page.goto(f"{SITE.as_uri()}/{PAGE}")
        watched.page.wait_for_selector(READY)
        assert "The game that you left was begun with another build" in watched.page.locator(".play-log").inner_text()
        mark = watched.page.evaluate("LearnedAndChecked.page.marked")
    with opened(browser, address("wild-ones", seed="1", against="survivalist,best")) as watched:
        watched.page.wait_for_selector(READY)
        rules, own = watched.page.evaluate("LearnedAndChecked.page.marked").split("-")
    for of, fits in ((f"{rules}-{own}", True), (rules, False), (f"{rules}-{rules}", False)):  # its table is apart
        with opened(
            browser, address("wild-ones", seed="1", against="survivalist,best", of=of, end="1", moves="")
        ) as watched:
            watched.page.wait_for_selector(READY)
            assert ("another build" in watched.page.locator(".play-log").inner_text()) != fits
    with opened(browser, address("biscuits", heaps="4,3", seed="1", of=mark, moves="0.99")) as watched:
        watched.page.wait_for_selector(READY)
        assert "Not all moves of the link" in watched.page.locator(".play-log").inner_text()
        assert decisions(watched.page) == 1


def test_the_best_moves_never_contradict_the_equilibrium(browser):
    """Against an equilibrium each of its own moves is among the best, and ties are named as ties."""
    seen = set()
    with opened(browser, address("ace-king-queen", against="equilibrium", seed="1")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        for turn in range(40):
            if turn == 20:
                page.get_by_label("Your seat").select_option("2")
                page.wait_for_selector(READY)
            again(page)
            if over(page):
                continue
            page.get_by_role("button", name="What is best?").click()
            best, *more = page.locator(".play-hint p").all_inner_texts()
            (line,) = (words for words in more if "equilibrium" in words)
            used = re.findall(r"(check|bet|call|fold|raise) (?!0\.0%)[\d.]+%", line)
            assert used
            seen.add(best[:4])
            assert best.startswith("All ") or all(move in best for move in used), (best, line)
            if len(used) > 1:
                assert best.startswith(("All ", "Equally good are")), best
        assert len(seen) > 1
        assert watched.faults == []


def test_the_button_says_beforehand_where_nothing_exact_is_known(browser):
    asks = {
        ("call-or-raise", "4x6", "random,random,random"): "What is best?",
        ("call-or-raise", "4x6", "q-table,random,random"): "What would a learner do?",
        ("call-or-raise", "3x2", "random,random"): "What is best?",
        ("wild-ones", "3x2", "survivalist,random"): "What is best?",
        ("wild-ones", "3x2", "best,random"): "What is best is not known at this table",
        ("wild-ones", "5x2", "random"): "What is best is not known at this table",
    }
    for (game, size, against), words in asks.items():
        with opened(browser, address(game, size=size, against=against, seed="4")) as watched:
            page = watched.page
            page.wait_for_selector(READY)
            to_my_move(page)
            ask = page.locator(".play-tools button").first
            assert ask.inner_text() == words
            assert ask.is_enabled() == (not words.endswith("table"))
            sizes = page.get_by_label("Table", exact=True).locator("option").all_inner_texts()
            known = {"call-or-raise": [True, True, True], "wild-ones": [True, True, False, False]}
            assert [size.endswith("best moves known") for size in sizes] == known[game]
            if ask.is_enabled():
                ask.click()
                said = page.locator(".play-hint").inner_text()
                assert said.startswith(
                    ("Best is", "Equally", "All ") if words.endswith("best?") else "What is best against"
                )


def test_three_dice_shows_its_score(browser):
    with opened(browser, address("three-dice", seed="8")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        wrong = page.evaluate(
            """() => Object.entries(LearnedAndChecked.page.tables.scores).filter(([roll, score]) =>
            LearnedAndChecked.turned(roll.split(",").map(Number)).dice.reduce((a, b) => a + b, 0) !== score)"""
        )
        assert wrong == []
        by_mouse(page, "three-dice", 0)
        by_mouse(page, "three-dice", 1)
        yours = page.locator(".play-score").first
        assert yours.locator("li", has_text="Reroll 1: −1").count() == 1
        total = int(re.search(r"= (\d+)", yours.inner_text())[1])
        assert f"Score: {total - 1}" in yours.inner_text()
        assert f"You score {total - 1} points" in page.locator(".play-status").inner_text()
        assert page.locator(".play-score").count() == 2


@pytest.mark.parametrize("game", ["biscuits", "wild-ones", "call-or-raise"])
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_jumps_under_the_pointer(browser, game, width):
    where = """() => Object.fromEntries([...document.querySelectorAll(".play-moves .play-move, .play-now .play-tool")]
      .map((one) => { const box = one.getBoundingClientRect(); return [one.getAttribute("aria-label")?.split(",")[0]
        ?? one.textContent, [box.x, box.y + window.scrollY]]; })
      .filter(([name]) => !/^(raise|call|What|Next|to |one )/i.test(name)))"""
    heights = """() => [...document.querySelectorAll(".play-scene, .play-status, .play-moves")]
      .map((one) => one.getBoundingClientRect().height)"""
    with opened(browser, address(game, seed="9"), width) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        to_my_move(page)
        first = known = page.evaluate(where)
        for turn in range(6):
            if over(page):
                break
            by_mouse(page, game, turn)
            now = page.evaluate(where)
            lower = {
                name: (first[name], place) for name, place in now.items() if name in first and place[1] < first[name][1]
            }
            assert not lower, lower
            if game == "biscuits":
                assert now == first or over(page)
            if game == "wild-ones":  # its bids are always there, those that are not legal too
                # Only where a challenge is shown above them everything may come lower, and then all of it alike.
                down = now["Take back"][1] - known["Take back"][1] if at_round(page) or over(page) else 0
                known = {name: [x, y + down] for name, (x, y) in known.items()}
                assert {name: known[name] for name in now if name in known} == {
                    name: place for name, place in now.items() if name in known
                }
        # A phone's browser shows or hides its address bar, which is a change of height.
        tall = page.evaluate(heights)
        page.set_viewport_size({"width": width, "height": 840})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate(heights) == tall
        assert watched.faults == []


def test_who_comes_without_a_link_finds_the_moves_too(browser):
    with opened(browser, PAGE) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        page.locator(".play-game input:checked").focus()
        page.keyboard.press("ArrowDown")  # the next game
        page.wait_for_selector(".play-keep")
        to_the_moves(page, "Shift+Tab", most=10)
        rested(page)
        page.keyboard.press("Space")
        assert page.locator(".play-keep[aria-pressed=false]").count() == 1
        assert watched.faults == []


def test_on_a_phone_one_tap_leads_to_the_moves(browser):
    with opened(browser, "book/index.html", 390, 800) as watched:
        page = watched.page
        page.locator(".bd-article a[href*='06-play.html#game=']").first.click()
        page.wait_for_selector(READY)
        move = page.locator(".play-moves button:not([disabled])").first
        box = move.bounding_box()
        assert 0 < box["y"] < 700
        board, setup = (page.locator(one).bounding_box()["y"] for one in (".play-moves", ".play-setup"))
        assert board < setup
        rested(page)
        move.click()
        assert decisions(page) == 1
        assert watched.faults == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text[: len(text) // 2], "is cut off or damaged"),
        (lambda text: "", "is cut off or damaged"),
        (lambda text: re.sub(r'"[0-9a-f]{16}"\);\s*$', '"0123456789abcdef");', text), "belongs to another build"),
    ],
    ids=["half", "empty", "other"],
)
def test_tables_that_are_cut_off_or_of_another_build_are_refused(browser, change, words):
    tables = (SITE / "notebooks/files/06-play/three-dice-all.js").read_text(encoding="utf-8")
    with opened(browser, address("biscuits")) as watched:
        page = watched.page
        page.wait_for_selector(READY)
        page.route(
            "**/three-dice-all.js", lambda route: route.fulfill(body=change(tables), content_type="text/javascript")
        )
        page.locator(".play-game", has_text="Three dice").click()
        page.wait_for_function("document.querySelector('.play-status').textContent.includes('cannot be played now')")
        said = page.locator(".play-status").inner_text()
        assert words in said
        assert "Reload the page" in said
        page.unroute("**/three-dice-all.js")
        page.locator(".play-game", has_text="Biscuits").click()
        page.wait_for_selector(READY)
        page.locator(".play-game", has_text="Three dice").click()  # mended meanwhile
        page.wait_for_selector(".play-keep")


REFUSED = (
    "Object.defineProperty(window, 'localStorage', "
    "{configurable: true, get() { throw new DOMException('no', 'SecurityError'); }})"
)
FULL = "Storage.prototype.setItem = () => { throw new DOMException('no room', 'QuotaExceededError'); }"


def test_a_storage_that_takes_no_more_loses_no_tally(browser):
    """A game may be too long for the room that is left; the tally, which is short, goes on."""
    with opened(browser, address("biscuits", heaps="4,3", against="random")) as watched:
        page = watched.page
        for game in (1, 2):
            page.wait_for_selector(READY)
            for turn in range(MOST):
                if over(page):
                    break
                by_mouse(page, "biscuits", turn)
            assert f"{game} game" in page.locator(".play-tally").inner_text()
            assert "lost" not in page.locator(".play-tally").inner_text().partition(". ")[2]
            page.add_init_script("""
                const own = Storage.prototype.setItem;
                Storage.prototype.setItem = function (name, text) {
                  if (name.endsWith('.game')) throw new DOMException('full', 'QuotaExceededError');
                  own.call(this, name, text);
                }""")
            wait_before_leaving(page)
            page.goto(f"{SITE.as_uri()}/book/index.html")
            page.goto(f"{SITE.as_uri()}/{address('biscuits', heaps='4,3', against='random')}")


@pytest.mark.parametrize("storage", [REFUSED, FULL])
def test_a_storage_that_keeps_nothing(browser, storage):
    with opened(browser, "book/index.html") as watched:
        page = watched.page
        page.add_init_script(storage)
        page.goto(f"{SITE.as_uri()}/{address('biscuits', heaps='1,1')}")
        page.wait_for_selector(READY)
        for _ in range(2):
            rested(page)
            page.get_by_role("button", name="take 1 from each heap").click()
            again(page)
        tally = page.locator(".play-tally").inner_text()
        assert tally.startswith("Your tally here: 2 games, 2 won.")
        assert "lost when you leave" in tally
        page.wait_for_load_state("load")  # by then the theme's buttons listen
        themes = set()
        for _ in range(3):
            themes.add(page.get_attribute("html", "data-theme"))
            page.locator(".theme-switch-button").first.click()
        assert themes == {"light", "dark"}
        assert watched.faults == []
