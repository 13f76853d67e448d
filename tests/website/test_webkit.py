"""The site in WebKit, the engine of Safari: whatever readers can touch is tested as in Chromium, by the same tests."""

import re
from fractions import Fraction

import pytest

from support.games import GAMES
from website import test_live, test_pages, test_play, test_run, test_verdicts
from website.browser import opened
from website.webkit import LACKING, until, webkit

if LACKING:
    pytest.skip(
        f"the site was not tried in WebKit, for want of {' and '.join(LACKING)} "
        "(on Debian and Ubuntu: apt install webkit2gtk-driver xvfb)",
        allow_module_level=True,
    )

PHONE = 390
live, reading = test_live.live, test_run.reading  # the fixtures


@pytest.fixture(scope="module")
def browsers(tmp_path_factory):
    with webkit(tmp_path_factory.mktemp("webkit")) as both:
        yield both


@pytest.fixture
def browser(browsers):
    """In the place of Chromium."""
    return browsers[0]


@pytest.fixture
def visited(browser):
    """In the place of the one for the tests of all pages."""
    entered = []

    def visit(path):
        entered.append(opened(browser, path))
        return entered[-1].__enter__()

    yield visit
    for one in entered:
        one.__exit__(None, None, None)


LOADED = """([sort, src]) => new Promise((done) => {
  document.body.append(Object.assign(document.createElement(sort), {src, onerror: () => done(true)}));
})"""


def test_what_goes_wrong_is_seen(browsers):
    """On the disk and at a server, or the other tests would show nothing."""
    for browser in browsers:
        with opened(browser, "book/index.html") as watched:
            page = watched.page
            assert watched.faults == []
            assert watched.requests > 1
            page.evaluate(LOADED, ["script", "missing.js"])
            page.evaluate(LOADED, ["img", "http://example.org/picture.png"])
            page.evaluate("() => { console.error('said'); setTimeout(() => { throw Error('thrown'); }); }")
            page.evaluate("() => { Promise.reject(Error('refused')); }")
            until(lambda seen=watched: len(seen.faults), lambda count: count >= 5, "faults")
            faults = "\n".join(watched.faults)
            for words in (
                'src="missing.js"',
                'src="http://example.org/picture.png"',
                "error: said",
                "error: Error: refused",
            ):
                assert words in faults
            assert re.search("Error: thrown|Script error", faults)  # from the disk, engines tell no more


LEAVING = """() => new Promise((done) => {
  if (location.search) done(true);
  else location.search = "?again";
})"""


def test_a_page_that_is_left_is_asked_again(browsers):
    for browser in browsers:
        with opened(browser, "book/index.html") as watched:
            assert until(lambda page=watched.page: page.evaluate(LEAVING), bool, "the page again")


class TestOnTheDisk:
    @pytest.mark.parametrize("game", GAMES)
    def test_a_whole_game(self, browser, game):
        test_play.test_a_whole_game(browser, game, PHONE, False, "mouse")

    @pytest.mark.parametrize("game", ["three-dice", "ace-king-queen", "wild-ones"])
    def test_a_reload_goes_on_and_a_link_shares_the_game(self, browser, game):
        test_play.test_a_reload_goes_on_and_a_link_shares_the_game(browser, game)

    def test_a_challenge_stops_everything(self, browser):
        test_play.test_a_challenge_stops_everything_and_shows_it(browser, "wild-ones")

    def test_leaving_a_game_asks_first(self, browser):
        test_play.test_leaving_a_game_asks_first(browser)

    def test_three_dice_shows_its_score(self, browser):
        test_play.test_three_dice_shows_its_score(browser)

    def test_one_tap_leads_to_the_moves(self, browser):
        test_play.test_on_a_phone_one_tap_leads_to_the_moves(browser)

    def test_the_board_to_click(self, live):
        test_live.test_biscuits_knows_the_moves_and_the_cold_squares(live)
        test_live.test_biscuits_names_the_first_wrong_square(live, 1)

    def test_the_discount(self, live):
        test_live.test_three_dice_shows_exact_plans_and_values(live, Fraction(2, 5))

    def test_the_balance(self, live):
        test_live.test_ace_king_queen_shows_what_a_setting_brings(live, more=3)

    def test_how_sure_a_bid_is(self, live):
        test_live.test_call_or_raise_knows_how_sure_a_bid_is(live, bids=8)

    def test_listening(self, live):
        test_live.test_wild_ones_rules_out_the_right_hands_and_knows_what_is_best(live, rounds=5)

    def test_verdicts(self, browser):
        test_verdicts.test_the_front_page_leads_to_one_kind_of_verdict(browser)
        test_verdicts.test_filters_show_what_was_chosen_and_say_how_many(browser, PHONE, False)

    def test_search(self, visited):
        test_pages.test_search_needs_no_server(visited)

    def test_programs_of_a_story(self, reading):
        test_run.check_first_programs(reading, test_run.STORIES[0], 12)  # both readings learn

    def test_a_program_that_does_not_end(self, reading):
        test_run.test_an_endless_loop_can_be_stopped(reading)


class TestAtAServer:
    @pytest.fixture
    def browser(self, browsers):
        return browsers[1]

    @pytest.mark.parametrize("game", GAMES)
    def test_a_whole_game(self, browser, game):
        test_play.test_a_whole_game(browser, game, PHONE, False, "keyboard")

    def test_a_reload_goes_on_and_a_link_shares_the_game(self, browser):
        test_play.test_a_reload_goes_on_and_a_link_shares_the_game(browser, "call-or-raise")

    def test_without_a_link_too_the_keyboard_finds_the_moves(self, browser):
        test_play.test_who_comes_without_a_link_finds_the_moves_too(browser)

    @pytest.mark.parametrize("name", test_live.PICTURES)
    def test_a_picture_by_keyboard(self, live, name):
        test_live.test_a_picture_by_keyboard_alone(live, name)

    @pytest.mark.parametrize("name", test_live.PICTURES)
    def test_a_slider_by_keyboard(self, live, name):
        """Other tests set its value, as Playwright does; a reader's key does the same."""
        _, place = live(name, width=PHONE)
        for number in range(place.locator("input[type=range]").count()):
            slider = place.locator("input[type=range]").nth(number)
            least = slider.get_attribute("min")
            key = "ArrowLeft" if slider.input_value() != least else "ArrowRight"
            before, text = int(slider.input_value()), slider.get_attribute("aria-valuetext")
            slider.press(key)
            assert abs(int(slider.input_value()) - before) == 1
            assert slider.get_attribute("aria-valuetext") != text

    def test_verdicts(self, browser):
        test_verdicts.test_filters_show_what_was_chosen_and_say_how_many(browser, PHONE, False)

    def test_search(self, visited):
        test_pages.test_search_needs_no_server(visited)

    def test_programs_of_a_story(self, reading):
        test_run.check_first_programs(reading, test_run.STORIES[2], 6)  # up to the exact values
