"""Every game passes one shared check and plays its golden games to the letter.

After a deliberate change of rules: REWRITE_PLAYTHROUGHS=1 make test, and read the diff.
"""

import os
from fractions import Fraction
from pathlib import Path

import pytest

from support.core import check
from support.core.check import check_game, check_state, playthrough
from support.core.flat import unfold
from support.games import GAMES, rules
from support.games.biscuits.rules import Biscuits, BiscuitsState
from support.games.cups.liars_dice import LiarsDice
from support.games.three_dice.rules import DiceGame
from support.solve import solve

PLAYED = {
    **{
        name: entry.rules() for name, entry in GAMES.items() if name not in ("liars-dice", "call-or-raise", "wild-ones")
    },
    "biscuits-3-5": rules("biscuits", digestives=3, rich_teas=5),
    "call-or-raise-2-2": rules("call-or-raise", num_players=2, dice=2),
    "call-or-raise-3-2-bounded": rules("call-or-raise", num_players=3, dice=2, bounded=True),
    "liars-dice-3": rules("liars-dice", faces=3),
    "two-loaded-dice": DiceGame(2, 3, (2, 4, 9), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), Fraction(1, 2)),
    "wild-ones-2-1": rules("wild-ones", num_players=2, dice=1),
    "wild-ones-3-2": rules("wild-ones"),
}
"""Every registered game, at a size of which a whole random game is a readable page."""
FOLDER = Path(__file__).parent / "playthroughs"


@pytest.mark.parametrize("name", PLAYED)
def test_game_keeps_to_the_interface(name):
    check_game(PLAYED[name])


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize("seed", [1, 2])
def test_golden_playthrough(name, seed):
    path = FOLDER / f"{name}-{seed}.txt"
    text = playthrough(PLAYED[name], seed)
    if os.environ.get("REWRITE_PLAYTHROUGHS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_every_registered_game_is_played_here():
    assert {game.name for game in PLAYED.values()} == set(GAMES)


@pytest.mark.parametrize("name", GAMES)
def test_registered_game_is_what_its_entry_says(name):
    entry = GAMES[name]
    assert entry.rules().name == entry.name == name
    assert set(entry.learners) <= set(entry.agents) >= set(entry.usual)
    for option in entry.options.values():
        entry.rules(**option.read("size", str(option)))
    for small in entry.small:
        if small.positions > 10_000:
            continue
        flat = unfold(entry.rules(**small.sizes))
        assert flat.num_nodes == small.positions
        if small.seconds < 1:
            assert solve(flat).values


@pytest.mark.parametrize(("name", "sizes"), [("call-or-raise", {"num_players": 2, "dice": 2, "bounded": True})])
def test_a_size_that_only_unfolds_is_not_solved(name, sizes):
    flat = unfold(rules(name, **sizes))
    (small,) = (small for small in GAMES[name].small if small.sizes == sizes)
    assert flat.num_nodes == small.positions
    with pytest.raises(ValueError, match="cannot be solved"):
        solve(flat)


def test_no_such_game_names_those_that_there_are():
    with pytest.raises(ValueError, match="no game 'chess'; known are biscuits, three-dice"):
        rules("chess")


def test_a_game_without_end_is_found_out(monkeypatch):
    monkeypatch.setattr(check, "MOST_MOVES", 3)
    with pytest.raises(AssertionError, match="not over after 3 moves"):
        check_game(LiarsDice(6))
    with pytest.raises(AssertionError, match="not over after 3 moves"):
        playthrough(LiarsDice(6), 1)


def test_a_game_that_takes_any_action_is_found_out(monkeypatch):
    monkeypatch.setattr(BiscuitsState, "child", lambda state, action: state)
    with pytest.raises(AssertionError, match="'8,4' accepts an action that does not exist"):
        check_state(Biscuits(), Biscuits().initial_state())
