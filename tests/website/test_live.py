"""The live pictures of the stories: what they show is what Python computes, and everybody can use them."""

import json
import random
import re
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from support.book.execute import executed_path
from support.book.layout import Book
from support.book.pages import told_by
from support.games.biscuits.rules import Biscuits
from support.games.call_or_raise.ceiling import following
from support.games.call_or_raise.ceiling_fast import Ceiling as BestAnswer
from support.games.call_or_raise.experiments.runs import CallOrRaiseScale
from support.games.call_or_raise.learners import CallsByTable
from support.games.call_or_raise.live import SEED
from support.games.call_or_raise.q_learning import QTableLearner, calls
from support.games.call_or_raise.rules import CallOrRaise, tail
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.policies import tables, usual
from support.games.wild_ones.rules import WildOnes
from website.browser import ROOT, SITE, opened
from website.test_pages import AXE, PUT_BACK, WIDE

ROOMS = ("biscuits", "three_dice", "cards", "call_or_raise", "wild_ones")
MODULES = [*(f"support.games.{room}.live" for room in ROOMS), "support.comparison.live"]
PICTURES = {one.name: one for one in (import_module(module).PICTURE for module in MODULES)}
FOLDER = ROOT / "book" / "static" / "live"
HEAVIEST = 100_000  # bytes that a picture may add to a page
LINES = 200
CENTS = re.compile(r"(wins|pays you) ([\d.]+) cents a hand")


# Words of a picture that lie over others, or reach out of the place of the picture.
MUDDLED = """(place) => {
  const words = [...place.querySelectorAll(".live-scene text")];
  const all = words.map((one) => [one.textContent, one.getBoundingClientRect()]), room = place.getBoundingClientRect();
  const out = all.filter(([, box]) => box.left < room.left || box.right > room.right).map(([text]) => text);
  const over = (one, other) => one.left < other.right - 1 && other.left < one.right - 1
    && one.top < other.bottom - 1 && other.top < one.bottom - 1;
  const later = (at, box) => all.slice(at + 1).filter(([, other]) => over(box, other));
  return [...out, ...all.flatMap(([text, box], at) => later(at, box).map(([other]) => [text, other]))];
}"""


# Take all but the picture, and what holds it, out of the page, which axe would look at too; and then put it back.
ALONE = """(place) => {
  window.standIns = [];
  for (let one = place; one !== document.body; one = one.parentElement)
    for (const other of one.parentElement.children)
      if (other !== one && !other.matches("link, style, script"))
        window.standIns.push([other, other.cloneNode(false)]);
  for (const [one, standIn] of window.standIns) one.replaceWith(standIn);
}"""


def page_of(name):
    return f"notebooks/{PICTURES[name].chapter}.html"


def tables_of(name):
    text = (SITE / "notebooks" / "files" / f"{PICTURES[name].chapter}-evidence" / "live.js").read_text()
    return json.loads(text[text.index(",") + 1 : text.rindex(")")])


@pytest.fixture
def live(browser):
    """Opens the page of a picture: the page, and the picture's place on it."""
    entered = []

    def enter(name, **options):
        entered.append(opened(browser, page_of(name), **options))
        watched = entered[-1].__enter__()
        place = watched.page.locator(f".live[data-live={name}]")
        assert place.get_attribute("data-state") == "live", place.inner_text()
        return watched, place

    yield enter
    for one in entered:
        one.__exit__(None, None, None)


def said(place):
    return place.locator(".live-said").inner_text()


def slide(place, label, value):
    place.get_by_label(label, exact=True).fill(str(value))


def press(place, name):
    place.get_by_role("button", name=name, exact=True).click()


# ---------------------------------------------------------------- for everybody


def biscuits_states(place):
    place.locator("[data-at='5,-2']").click()
    yield
    press(place, "Check my squares")
    yield
    place.get_by_label("Digestives").select_option("20")
    place.get_by_label("Rich Teas").select_option("20")
    press(place, "Show the truth")
    press(place, "Draw two lines")
    yield


def dice_states(place):
    yield
    place.locator("[data-key='156']").click()
    yield
    slide(place, "Discount", place.get_by_label("Discount").get_attribute("max"))
    yield


def card_states(place):
    yield
    for share in (2, 5):
        slide(place, "Kings that you bet", share)
        slide(place, "Queens that you bet", share)
        yield
    place.get_by_label("The other player").select_option("table")
    yield


def call_states(place):
    yield
    slide(place, "Games learned", 2)
    yield
    place.get_by_label("Your dice").select_option("6")
    place.get_by_label("The program").select_option("meant")
    yield


def wild_states(place):
    press(place, "Listen on")
    yield
    while place.get_by_role("button", name="Liar").is_disabled():
        press(place, "Listen on")
    press(place, "Exact")
    yield
    while place.get_by_role("button", name="Next round").count() == 0:
        press(place, "Listen on")
    yield


def comparison_states(place):
    yield
    for label in ("CFR+, Leduc", "Value iteration, Three dice"):
        place.locator(f"[aria-label^='{label}']").click()
        yield


EVERY = (biscuits_states, dice_states, card_states, call_states, wild_states, comparison_states)
STATES = dict(zip(PICTURES, EVERY, strict=True))


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_small_and_light(name):
    script = FOLDER / f"{name}.js"
    assert len(script.read_text().splitlines()) < LINES
    tables = SITE / "notebooks" / "files" / f"{PICTURES[name].chapter}-evidence" / "live.js"
    loaded = [FOLDER / "live.js", FOLDER / "live.css", script, tables]
    assert sum(path.stat().st_size for path in loaded) < HEAVIEST


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (360, False)])
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_in_each_state_for_everybody(live, name, width, dark):
    watched, place = live(name, width=width, dark=dark)
    for _ in STATES[name](place):
        place.evaluate(ALONE)
        found = Axe().run(watched.page, context=f".live[data-live={name}]", options=AXE).response
        watched.page.evaluate(PUT_BACK)
        assert [one["nodes"] for one in found["violations"]] == []
        assert watched.page.evaluate(WIDE) == []
        assert place.evaluate(MUDDLED) == []
        assert said(place).endswith(".")
    assert watched.faults == []


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_by_keyboard_alone(live, name):
    """Tab reaches each control, and the picture once, where it can be pressed; arrows walk on inside."""
    watched, place = live(name)
    keys = watched.page.keyboard
    place.evaluate("(one) => { one.tabIndex = -1; one.focus(); }")
    controls = place.locator(".live-controls :is(input, select, button):not([disabled])").count()
    cells = place.locator("[data-at]").count()
    for _ in range(controls + bool(cells)):
        keys.press("Tab")
        assert place.evaluate("(one) => one.contains(document.activeElement) && one !== document.activeElement")
    if cells:
        at = place.locator(":focus").get_attribute("data-at")
        keys.press("ArrowRight")
        assert place.locator(":focus").get_attribute("data-at") != at
        assert place.locator(":focus").get_attribute("aria-pressed") == "false"
        keys.down("Enter")
        keys.down("Enter")  # a key held down is one press
        keys.up("Enter")
        assert place.locator(":focus").get_attribute("aria-pressed") == "true"
        keys.press("Space")
        assert place.locator(":focus").get_attribute("aria-pressed") == "false"
    keys.press("Tab")
    assert not place.evaluate("(one) => one.contains(document.activeElement) && one.querySelector(':focus[data-at]')")
    assert watched.faults == []


@pytest.mark.parametrize("name", PICTURES)
def test_on_paper_a_picture_stands_still(live, name):
    watched, place = live(name)
    for _ in STATES[name](place):
        pass
    watched.page.emulate_media(media="print")
    assert place.locator(".live-scene svg").is_visible()
    assert place.locator(".live-said").is_visible()
    assert place.locator("button:visible, input:visible, select:visible").count() == 0


@pytest.mark.parametrize("name", PICTURES)
def test_without_a_script_or_its_tables_the_place_says_so(browser, name):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{SITE.as_uri()}/{page_of(name)}")
    assert "needs JavaScript" in page.locator(f".live[data-live={name}]").inner_text()
    context.close()
    context = browser.new_context()
    page, errors = context.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.route("**/live.js", lambda route: route.abort() if "evidence" in route.request.url else route.continue_())
    page.goto(f"{SITE.as_uri()}/{page_of(name)}")
    place = page.locator(f".live[data-live={name}]")
    assert place.get_attribute("data-state") == "broken"
    assert "its tables are missing" in place.inner_text()
    assert place.locator("svg, button, input, select").count() == 0
    assert errors == []
    context.close()


# ---------------------------------------------------------------- biscuits


def cold_by_the_rules(most):
    cold = set()
    for total in range(2 * most + 1):
        for a in range(max(0, total - most), min(most, total) + 1):
            state = Biscuits(a, total - a).initial_state() if total else None
            if state is None or not cold & set(state.legal_actions()):
                cold.add((a, total - a))
    return cold


def test_biscuits_knows_the_moves_and_the_cold_squares(live):
    found = tables_of("biscuits")
    most = found["most"]
    assert {tuple(square) for square in found["cold"]} == cold_by_the_rules(most)
    _, place = live("biscuits")
    for label in ("Digestives", "Rich Teas"):
        place.get_by_label(label).select_option(str(most))
    seen = place.evaluate("""(place) => [...place.querySelectorAll("[data-at]")].map((one) => {
      one.dispatchEvent(new PointerEvent("pointerenter", {pointerType: "mouse"}));
      const words = (cell) => cell.getAttribute("aria-label");
      const text = place.querySelector(".live-said").textContent;
      return [words(one), text, [...place.querySelectorAll(".reached")].map(words)];
    })""")
    assert len(seen) == (most + 1) ** 2
    for name, text, reached in seen:
        a, b = map(int, re.findall(r"\d+", name))
        moves = Biscuits(a, b).initial_state().legal_actions() if a + b else ()
        assert sorted(reached) == sorted(f"({x}, {y})" for x, y in moves)
        assert re.search(r"no move|\d+", text.partition(")")[2])[0] == (str(len(moves)) if moves else "no move")


@pytest.mark.parametrize("seed", range(6))
def test_biscuits_names_the_first_wrong_square(live, seed):
    draw, cold = random.Random(seed), cold_by_the_rules(6)
    marks = (
        {square for square in cold if draw.random() < 0.8} | {(draw.randrange(7), draw.randrange(7))} if seed else cold
    )
    _, place = live("biscuits")
    for label in ("Digestives", "Rich Teas"):
        place.get_by_label(label).select_option("6")
    for a, b in marks:
        place.locator(f"[data-at='{a},{-b}']").click()
    press(place, "Check my squares")
    wrong = sorted(marks ^ cold, key=lambda square: (sum(square), square))
    if not wrong:
        assert said(place).startswith(f"All {len(cold)} cold squares are found")
        return
    assert said(place).startswith(f"({wrong[0][0]}, {wrong[0][1]}) is {'cold' if wrong[0] in cold else 'not cold'}")
    if wrong[0] not in cold:
        there = tuple(map(int, re.findall(r"\d+", said(place))[2:4]))
        assert there in cold & set(Biscuits(*wrong[0]).initial_state().legal_actions())
    press(place, "Show the truth")
    full = place.locator(".full").evaluate_all("(all) => all.map((one) => one.dataset.at)")
    assert {tuple(abs(int(part)) for part in at.split(",")) for at in full} == cold
    roles = place.locator(".live-cell").evaluate_all("(all) => all.map((one) => one.getAttribute('role'))")
    assert {*roles} == {"img"}  # there is nothing more to press
    press(place, "Draw two lines")
    assert "1.618 and 0.618" in said(place)


# ---------------------------------------------------------------- three dice


@pytest.mark.parametrize("discount", [Fraction(0), Fraction(2, 5), Fraction(19, 20), Fraction(1)])
def test_three_dice_shows_exact_plans_and_values(live, discount):
    from support.exact.markov import node_values
    from support.games.three_dice.agents import decisions, flat_game, optimum

    flat, solved, best = flat_game(), optimum(discount), optimum(Fraction(1))
    held, right = decisions(flat, solved.policy), decisions(flat, best.policy)
    points = node_values(flat, solved.policy.edge_probabilities(flat))[0]
    flips = sum(tuple(d[k] for k in held[d]) != tuple(d[k] for k in right[d]) for d in held)
    _, place = live("three-dice")
    slide(place, "Discount", int(discount * (len(tables_of("three-dice")["plan"]) - 1)))
    text = said(place)
    assert f"Its plan scores {float(points):.4f} points a game, exactly {points}" in text
    assert (f"{flips} of {len(held)} decisions differ" in text) == bool(flips)
    assert place.locator("circle.bad").count() == flips
    worth = {}
    for node in flat.decision_nodes():
        dice = flat.positions[node][1]
        for edge in flat.edges(node):
            kept = tuple(dice[k] for k in flat.action[edge])
            worth[dice, kept] = (f"{float(one.action_values[edge]):.3f}".replace("-", "−") for one in (solved, best))
            worth[dice, kept] = list(worth[dice, kept])
    for dice in held:
        place.locator(f"[data-key='{''.join(map(str, dice))}']").click()
        rows = place.locator(".live-more tbody tr").evaluate_all(
            "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"
        )
        assert len(rows) == len({kept for d, kept in worth if d == dice})
        for choice, believed, truth, mark in rows:
            kept = dice if choice == "stop" else tuple(map(int, re.findall(r"\d", choice)))
            assert [believed, truth] == worth[dice, kept]
            assert ("this plan" in mark) == (kept == tuple(dice[k] for k in held[dice]))
            assert ("best" in mark) == (kept == tuple(dice[k] for k in right[dice]))


# ---------------------------------------------------------------- ace, king, queen


@pytest.mark.parametrize("more", [20])
def test_ace_king_queen_shows_what_a_setting_brings(live, more):
    from support.core.policy import TabularPolicy
    from support.exact.best_response import best_response, expected_returns
    from support.games.cards.live import LATER
    from support.games.cards.truth import flat_game, judge_strategy, published_strategy, solution

    found = tables_of("ace-king-queen")
    steps, rows = found["steps"], {(0, where): {does: Fraction(1)} for where, does in LATER.items()}
    _, place = live("ace-king-queen")
    draw = random.Random(1)
    settings = [
        (0, 0),
        (steps, steps),
        (steps // 4, steps // 4),
        *((draw.randrange(21), draw.randrange(21)) for _ in range(more)),
    ]
    for kings, queens in settings:
        leads = {"A": Fraction(1), "K": Fraction(kings, steps), "Q": Fraction(queens, steps)}
        you = TabularPolicy(rows | {(0, card): {"r": share, "c": 1 - share} for card, share in leads.items()})
        lost = best_response(flat_game(), you, 1).value
        won = expected_returns(flat_game(), (you, published_strategy()))[0]
        slide(place, "Kings that you bet", kings)
        slide(place, "Queens that you bet", queens)
        place.get_by_label("The other player").select_option("reply")
        assert CENTS.search(said(place))[2] == f"{float(100 * lost):.2f}"
        assert f"({lost} of a dollar)" in said(place)
        more = float(100 * (lost + solution().value))
        assert (f"{more:.2f} cents more" if more else "this is the balance") in said(place)
        place.get_by_label("The other player").select_option("table")
        if won:
            assert CENTS.search(said(place)).groups() == (
                "pays you" if won > 0 else "wins",
                f"{abs(float(100 * won)):.2f}",
            )
        assert ("as much as anybody can" in said(place)) == (won == judge_strategy().best[0])


def test_ace_king_queen_has_one_balance(live):
    from support.games.cards.truth import solution

    found = tables_of("ace-king-queen")
    quarter = found["steps"] // 4
    least = -solution().value
    where = [(k, q) for k, row in enumerate(found["reply"]) for q, one in enumerate(row) if Fraction(one) == least]
    assert where == [(quarter, quarter)]
    assert min(Fraction(one) for row in found["reply"] for one in row) == Fraction(found["least"]) == least


# ---------------------------------------------------------------- call or raise


@pytest.mark.parametrize("bids", [25])
def test_call_or_raise_knows_how_sure_a_bid_is(live, bids):
    found, draw = tables_of("call-or-raise"), random.Random(2)
    _, place = live("call-or-raise")
    for _ in range(bids):
        own = draw.choice(found["own"])
        total = draw.choice(found["totals"][found["own"].index(own)])
        quantity = draw.randint(1, total)
        held = draw.randint(0, min(own, quantity))
        place.get_by_label("Your dice").select_option(str(own))
        slide(place, "Dice in play", total)
        slide(place, "Of these you hold", 0)
        slide(place, "The bid: at least so many of a face", quantity)
        slide(place, "Of these you hold", held)
        need, unseen = quantity - held, total - own
        if need <= 0:
            assert "it is certain" in said(place)
        elif need > unseen:
            assert "it cannot hold" in said(place)
        else:
            assert f"needs {need} more among the {unseen} dice" in said(place)
            assert f"it holds with {float(100 * tail(unseen, need)):.2f} %" in said(place)
        column, bucket = found["totals"][found["own"].index(own)].index(total), int(20 * tail(unseen, max(need, 0)))
        letter = found["best"][found["own"].index(own)][column * 21 + bucket]
        words = {"c": "calls", "r": "raises", "-": "never came here"}[letter]
        assert f"the best table found {words}" in said(place)


def test_call_or_raise_shows_the_best_table_of_the_evidence():
    """Of all tables the evidence keeps only how often they win, so that is computed from the letters again."""
    found, run = tables_of("call-or-raise"), CallOrRaiseScale().run(version="meant")
    settings, letters = run.settings(), {"c": 1, "r": 0, "-": -1}
    pairs = settings.states().pairs
    table = np.full((len(pairs), found["bins"] + 1), -1)
    for own, totals, text in zip(found["own"], found["totals"], found["best"], strict=True):
        rows = np.array([letters[one] for one in text]).reshape(len(totals), -1)
        table[[pairs.index((total, own)) for total in totals]] = rows
    policy = CallsByTable(settings, table.ravel().astype(np.int8))
    worth = BestAnswer(CallOrRaise(run.players, run.dice), following(policy)).win_probability
    (evidence,) = (one for one in Book(ROOT).chapters() if one.claims == "call-or-raise")
    assert worth == told_by(executed_path(Book(ROOT), evidence))["best"]


@pytest.mark.parametrize("version", ["run", "read", "meant"])
def test_call_or_raise_shows_what_the_plain_learner_has_learned(version):
    """The tables come from the compiled learner."""
    found = tables_of("call-or-raise")
    settings = CallOrRaiseScale().run(version=version).settings()
    learner, letters = QTableLearner(settings, SEED), {1: "c", 0: "r", -1: "-"}
    pairs, width = settings.states().pairs, found["bins"] + 1
    for place, mark in enumerate(mark for mark in found["marks"] if mark <= 100):
        while learner.played < mark:
            learner.play()
        table = calls(learner.q).reshape(-1, width)
        for own, totals, text in zip(found["own"], found["totals"], found["agents"][version][place], strict=True):
            rows = (table[pairs.index((total, own))] for total in totals)
            assert text == "".join(letters[one] for row in rows for one in row.tolist())


# ---------------------------------------------------------------- wild ones


@pytest.mark.parametrize("rounds", [None])  # all of them
def test_wild_ones_rules_out_the_right_hands_and_knows_what_is_best(live, rounds):
    found, game = tables_of("wild-ones"), WildOnes()
    ceiling = Ceiling(game, tables(game, usual(game)))
    _, place = live("wild-ones")
    challenges, right, kinds = ("liar", "exact"), 0, ("Outbid", "Liar", "Exact")
    for number, one in enumerate(found["rounds"][:rounds]):
        state = game.parse(" > ".join(["1 opens", *one["dealt"]]))
        assert said(place).startswith(f"Round {number + 1} of {len(found['rounds'])}.")
        for turn in one["turns"]:
            if turn["by"] == 0:
                decision, held = (ask(state, one["order"]) for ask in (ceiling.decision, ceiling.possible))
                assert turn["says"] == decision.best
                for player in (1, 2):
                    cells = place.locator(".live-scene svg > g").nth(player - 1).locator(".hand:not(.gone) text")
                    hands = {"".join(map(str, hand)) for hand, share in held[player].items() if share}
                    assert {text.replace(" ", "") for text in cells.all_text_contents()} == hands
                kind = kinds[number % len(kinds)]
                sort = {"Outbid": lambda name: name not in challenges}.get(
                    kind, lambda name, kind=kind: name == kind.lower()
                )
                mine = max(value for name, value in decision.values.items() if sort(name))
                press(place, kind)
                right += mine == decision.value
                assert said(place).startswith("Right" if mine == decision.value else "No")
                assert f"wins {float(100 * decision.value):.2f} %" in said(place)
                assert mine == decision.value or f"wins {float(100 * mine):.2f} %." in said(place)
                assert place.locator(".live-tally").inner_text() == f"You were right in {right} of {number + 1}."
            press(place, "Listen on")
            outcome = state.outcome(turn["says"]) if turn["says"] in challenges else None
            state = state.child(turn["says"])
        seat, change = outcome
        player, verb = one["order"][seat], "loses" if change < 0 else "wins"
        text = said(place).rpartition(": ")[2]
        who = ("you", "the survivalist", "the aggressive player")[player]
        assert text.startswith(who)
        if one["change"]:
            assert (verb if player else verb[:-1]) in text
        press(place, "Next round")


# ---------------------------------------------------------------- every learner at every table


def test_the_table_shows_the_medians_and_a_press_the_curve(live):
    watched, place = live("every-table")
    tables = tables_of("every-table")
    cells = [
        (learner, game, cell)
        for learner, row in zip(tables["learners"], tables["cells"], strict=True)
        for game, cell in zip(tables["games"], row, strict=True)
        if cell
    ]
    assert place.locator("[data-at]").count() == len(cells)
    for learner, game, cell in random.Random(1).sample(cells, 12):
        part = place.get_by_role("button", name=f"{learner}, {game}:", exact=False)
        shown, end = part.get_attribute("aria-label").rpartition(": ")[2], cell["median"][-1]
        if end is not None and end >= 0.00095:
            assert float(shown) == pytest.approx(end, abs=0.0051 if end >= 0.0995 else 0.00051)
        part.click()
        assert said(place).startswith(f"{learner}, {game}: ")
        assert place.locator(".good-line").count() == 1
        part.click()
        assert place.locator(".good-line").count() == 0
    assert watched.faults == []
