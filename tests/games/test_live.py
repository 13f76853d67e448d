"""The tables of the live pictures; the tests of the site compare what the pictures show with the same numbers."""

import json
import re
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import pytest

from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.live import ROUNDS
from support.games.wild_ones.policies import tables as written
from support.games.wild_ones.policies import usual
from support.games.wild_ones.rules import WildOnes

ROOT = Path(__file__).parents[2]
ROOMS = ("biscuits", "three_dice", "cards", "call_or_raise", "wild_ones")


MODULES = [*(f"support.games.{room}.live" for room in ROOMS), "support.comparison.live"]


def module(room):
    return import_module(f"support.games.{room}.live")


@pytest.mark.parametrize("name", MODULES)
def test_a_picture_names_scripts_that_are_there(name):
    picture = import_module(name).PICTURE
    shown = picture._repr_html_()
    scripts = re.findall(r'<script defer src="([^"]+)"></script>', shown)
    assert scripts[1] == f"files/{picture.chapter}-evidence/live.js"
    for name in [*scripts[::2], *re.findall(r'href="([^"]+)"', shown)]:
        assert (ROOT / "book" / "static" / name.removeprefix("../_static/")).is_file()
    assert (ROOT / "notebooks" / f"{picture.chapter}.md").is_file()


def test_tables_are_written_as_a_script(tmp_path):
    live = module("biscuits")
    live.PICTURE.write(tmp_path.joinpath, live.tables())
    written = (tmp_path / "live.js").read_text()
    call = re.fullmatch(r'LearnedAndChecked\.live\.tables\("biscuits",(.*)\);\n', written)
    assert json.loads(call[1])["start"] == [8, 4]


def test_three_dice_has_the_published_discount():
    found = module("three_dice").tables(20)
    assert Fraction(found["start"], len(found["plan"]) - 1) == Fraction(19, 20)
    assert len(found["plans"]) == len(found["points"]) == max(found["plan"]) + 1
    assert {len(plan) for plan in found["plans"]} == {len(found["states"])}


def test_rounds_of_wild_ones_are_as_many_of_each_kind_as_asked_for():
    game = WildOnes()
    found = module("wild_ones").tables(Ceiling(game, written(game, usual(game)), exact=False))
    asked = [[turn for turn in one["turns"] if "worth" in turn] for one in found["rounds"]]
    best = [turns[-1]["says"] for turns in asked]
    assert {
        kind: sum(says == kind if kind != "bid" else says not in ROUNDS for says in best) for kind in ROUNDS
    } == ROUNDS
    assert all(max(worth for _, worth in turns[-1]["worth"]) <= 1 for turns in asked)
    kinds = [says if says in ROUNDS else "bid" for says in best]
    for kind, number in ROUNDS.items():  # the order does not give the answers away
        assert abs(kinds[: len(kinds) // 2].count(kind) - number / 2) <= 2, kinds
