"""Every game passes one shared check and plays its golden games to the letter.

After a deliberate change of rules: REWRITE_PLAYTHROUGHS=1 make test, and read the diff.
"""

import os
from fractions import Fraction
from pathlib import Path

import pytest

from support.core import check
from support.core.check import check_game, check_state, playthrough
from support.games.biscuits.rules import Biscuits, BiscuitsState
from support.games.call_or_raise.rules import CallOrRaise
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.cups.liars_dice import LiarsDice
from support.games.three_dice.rules import DiceGame
from support.games.wild_ones.rules import WildOnes

GAMES = {
    "ace-king-queen": AceKingQueen(),
    "biscuits": Biscuits(),
    "biscuits-3-5": Biscuits(3, 5),
    "call-or-raise-2-2": CallOrRaise(2, 2),
    "call-or-raise-3-2-bounded": CallOrRaise(3, 2, bounded=True),
    "kuhn-poker": Kuhn(),
    "liars-dice-3": LiarsDice(3),
    "three-dice": DiceGame(),
    "two-loaded-dice": DiceGame(2, 3, (2, 4, 9), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), Fraction(1, 2)),
    "wild-ones-2-1": WildOnes(2, 1),
    "wild-ones-3-2": WildOnes(3, 2),
}
FOLDER = Path(__file__).parent / "playthroughs"


@pytest.mark.parametrize("name", GAMES)
def test_game_keeps_to_the_interface(name):
    check_game(GAMES[name])


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_golden_playthrough(name, seed):
    path = FOLDER / f"{name}-{seed}.txt"
    text = playthrough(GAMES[name], seed)
    if os.environ.get("REWRITE_PLAYTHROUGHS"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


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
