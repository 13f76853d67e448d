"""The programs that stand in the story of ace, king, queen find what the package finds."""

import ast
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from programs import programs

from support.core.play import Stream
from support.core.policy import TabularPolicy, from_weights
from support.exact.best_response import nash_conv
from support.games.cards.ace_king_queen import AceKingQueen, play
from support.games.cards.truth import flat_game, optimal_pair, published_strategy
from support.learners.cfr import Solver
from support.learners.result_table import ResultTable

STORY = "03-ace-king-queen"
KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


@pytest.fixture(scope="module")
def story():
    """The names that the story's programs define, without what takes time or draws."""
    space = {}
    for source in programs(STORY):
        for node in ast.parse(source).body:
            short = isinstance(node, ast.Assign) and "matching_pennies" not in ast.unparse(node)
            if isinstance(node, KEPT) or (short and "learn" not in ast.unparse(node)):
                exec(compile(ast.Module([node], []), STORY, "exec"), space)
    return space


def policy(strategy):
    return TabularPolicy(
        {((len(s) + 1) % 2, s): {a: Fraction(p) for a, p in row.items()} for s, row in strategy.items()}
    )


def test_its_strategies_are_the_published_one_and_an_equilibrium(story):
    assert policy(story["dave"]).table == published_strategy().table
    assert nash_conv(flat_game(), policy(story["quarter"])) == 0
    quarter, exact = policy(story["quarter"]).table, optimal_pair().table
    assert [quarter[0, card] for card in "AKQ"] == [exact[0, card] for card in "AKQ"]


def test_its_ruler_is_nash_conv(story):
    for strategy in (
        story["dave"],
        story["quarter"],
        story["dave"] | {"K": {"c": Fraction(1, 3), "r": Fraction(2, 3)}},
    ):
        assert story["left_to_gain"](strategy) == nash_conv(flat_game(), policy(strategy))


def test_random_leads_alone_would_not_keep_player_1_from_leading(story):
    best, deal, alike = story["best"], story["DEAL"], dict.fromkeys("AKQ", Fraction(1, 3))
    assert best(1, "K", "rc", alike, story["dave"]) > best(1, "K", "rf", alike, story["dave"])
    calling = story["dave"] | {"Kr": {"c": 1}}
    assert best(0, "A", "r", deal, calling) > best(0, "A", "c", deal, calling)


def test_its_rules_are_the_package_s(story):
    over = [betting for betting in story["courses"]() if story["over"](betting)]
    for one, two, betting in product(story["CARDS"], story["CARDS"], over):
        gains = story["gain"](0, one, two, betting), story["gain"](1, two, one, betting)
        assert gains == play(f"{one} {two}: {' '.join(betting)}").returns()
    assert len(over) == 9
    assert len(story["situations"]) == 18


def test_its_table_keeps_the_same_books(story):
    table, books, stream = story["empty_table"](), ResultTable(), Stream(1)

    class Drawn:
        """As much of ``random.Random`` as the story asks for."""

        def random(self):
            return stream.next() / 2**64

        def choice(self, things):
            return things[stream.next() % len(things)]

    for _ in range(500):
        cards, betting = story["deal_and_bet"](table, Drawn())
        story["learn_from"](table, cards, betting)
        books.record(AceKingQueen(), f"{' '.join(cards)}: {' '.join(betting)}")
    assert sum(map(len, books.counts.values())) >= 30
    for (_, situation), counts in books.counts.items():
        assert [games for games, _ in table[situation].values()] == counts
    for (_, situation), won in books.won.items():
        assert [dollars for _, dollars in table[situation].values()] == won


def test_its_cfr_is_the_package_s(story):
    """From small unequal regrets, so that no rounding decides a tie."""
    flat = flat_game()
    solver, mine = Solver(flat, "cfr"), story["CFR"]()
    solver.regrets = [1 / (slot + 7) for slot in range(len(solver.regrets))]
    for (_, text), start in zip(flat.information_states, flat.slots.tolist(), strict=False):
        for place, action in enumerate(mine.regrets[text]):
            mine.regrets[text][action] = 9 * solver.regrets[start + place]
    for _ in range(50):
        mine.iterate()
    solver.run(50)
    weights = [weight / 3 for _, text in flat.information_states for weight in mine.played[text].values()]
    assert np.allclose(weights, solver.weights, rtol=1e-9)
    assert story["left_to_gain"](mine.strategy()) == pytest.approx(
        float(nash_conv(flat, from_weights(flat, np.array(weights)))), abs=1e-9
    )
