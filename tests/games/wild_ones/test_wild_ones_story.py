"""The programs that the chapter shows, compared with the compiled ones: the rules, the habits, the values."""

import random
from contextlib import redirect_stdout
from io import StringIO

import pytest
from programs import programs

from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.chain import start_of
from support.games.wild_ones.policies import POLICIES, Views, tables
from support.games.wild_ones.rules import WildOnes

GAME = WildOnes(3, 2)


@pytest.fixture(scope="module")
def story():
    """What the program cells of the story define, up to the learners, and what they print."""
    sources, space = programs("05-wild-ones"), {}
    with redirect_stdout(StringIO()) as printed:
        for source in sources[: next(k for k, text in enumerate(sources) if "def planner" in text)]:
            exec(source, space)
    return space | {"printed": printed.getvalue()}


@pytest.fixture(scope="module")
def ceiling():
    return Ceiling(GAME, tables(GAME, ["survivalist", "aggressive"]), exact=False)


def test_both_habits_are_those_of_the_policies_everywhere(story):
    for name in ("survivalist", "aggressive"):
        for view in Views(GAME):
            said = story["HABITS"][name](view.hand, view.total, view.last)
            assert (story["spoken"](said),) == POLICIES[name].choices(view), (name, view)


def test_rounds_end_as_by_the_rules(story):
    pick = random.Random(2)

    def anything(hand, start, bids):
        return pick.choice(story["legal"](story["in_play"](start), bids[-1]))

    for start in story["STARTS"]:
        after, heard = story["play_round"](start, anything, pick)
        names = [name for name, _ in start]
        game = WildOnes(len(start), 2)
        state = game.initial_state().but(counts=tuple(dice for _, dice in start), opener=0)
        hands = {name: hand for name, hand, *_ in heard}
        if len(hands) < len(start):
            continue  # somebody never spoke, whose hand the story does not show
        for move in [*(hands[name] for name in names), *(story["spoken"](said) for *_, said in heard)]:
            state = state.child(move)
        left = [(name, count) for name, count in zip(names, state.counts, strict=True)]
        opener = state.opener or 0
        assert tuple(pair for pair in left[opener:] + left[:opener] if pair[1]) == after


def test_values_close_in_on_the_ceiling_from_below(story, ceiling):
    kinds = {"me": 0, "survivalist": 1, "aggressive": 2}
    exact = {
        start: ceiling.values[start_of([kinds[name] for name, _ in start], [dice for _, dice in start], 0)]
        for start in story["STARTS"]
    }
    gaps = [exact[start] - value for start, value in story["known"].items()]
    assert min(gaps) > -1e-9
    assert max(gaps) < 1e-3
    assert "97.921%" in story["printed"]
    assert "99.99% after 1x1" in story["printed"]
    assert "99.97% after 1x1" in story["printed"]
    for _ in range(3):
        story["sweep"](story["known"], story["HABITS"])
    assert max(exact[start] - value for start, value in story["known"].items()) < max(gaps) / 8
