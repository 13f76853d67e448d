"""The page of verdicts in a real browser: its filters, by mouse and keyboard, from a link, and without JavaScript."""

import json
import re

import pytest
from book.exported import STATES, check_results, model, states_of

from website.browser import SITE, opened

PAGE = "book/verdicts.html"
CLAIMS = json.loads((SITE.parent / "results" / "claims.json").read_text())["claims"] if SITE.exists() else []


def shown(page):
    return page.locator("table.verdicts tbody tr:visible").count()


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (390, True)])
def test_filters_show_what_was_chosen_and_say_how_many(browser, width, dark):
    refuted = sum(row["verdict"] == "refuted" for row in CLAIMS)
    with opened(browser, PAGE, width, dark=dark) as watched:
        page = watched.page
        assert shown(page) == len(CLAIMS)
        page.get_by_label("Verdict", exact=True).select_option("refuted")
        assert shown(page) == refuted
        assert page.get_by_role("status").inner_text() == f"{refuted} of {len(CLAIMS)} verdicts are shown."
        page.get_by_label("Words").focus()
        page.keyboard.type("no such words")
        assert shown(page) == 0
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert shown(page) == len(CLAIMS)
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")
        assert watched.faults == []


def test_the_front_page_leads_to_one_kind_of_verdict(browser):
    differs = sum(row["verdict"] == "differs" for row in CLAIMS)
    with opened(browser, "book/index.html") as watched:
        watched.page.locator("a.verdict-link:has(.verdict-differs)").first.click()
        watched.page.wait_for_selector("#filter-verdict")
        assert shown(watched.page) == differs


def test_without_a_script_every_verdict_is_there(browser):
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(f"{SITE.as_uri()}/{PAGE}")
        assert shown(page) == len(CLAIMS)
        assert not page.locator("#verdict-filters").is_visible()
    finally:
        context.close()


def test_the_files_for_other_programs_are_what_they_say():
    results = json.loads((SITE / "claims.json").read_text())
    check_results(results)
    assert results["claims"] == CLAIMS
    for row in CLAIMS:
        page, _, anchor = row["link"].partition("#")
        assert f'id="{anchor}"' in (SITE / page).read_text()
    states = states_of(json.loads((SITE / "outcomes.jsonld").read_text()))
    assert set(states.values()) <= STATES
    assert len(states) == sum(row["outcome"] is not None for row in CLAIMS)


def test_every_page_with_verdicts_carries_their_reviews():
    published = [row for row in CLAIMS if row["outcome"]]
    pages = {row["link"].partition("#")[0] for row in published} | {PAGE}
    for page in pages:
        (script,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', (SITE / page).read_text())
        graph = json.loads(script)["@graph"]
        shown = [row for row in published if page in (PAGE, row["link"].partition("#")[0])]
        assert [model(node).url for node in graph] == [f"../{row['link']}" for row in shown]
        assert all(node["itemReviewed"]["author"]["name"] for node in graph)
