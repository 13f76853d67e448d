"""Every game passes one shared check and plays its golden games to the letter.

After a deliberate change of rules: REWRITE_PLAYTHROUGHS=1 make test, and read the diff.
"""

import os
from dataclasses import dataclass, replace
from difflib import unified_diff
from fractions import Fraction
from pathlib import Path

import pytest

from support.core.check import WAY_OUT, check_game, playthrough
from support.core.flat import TooLargeError, unfold
from support.games import GAMES, Entry, Small
from support.games.biscuits.rules import Biscuits, BiscuitsState
from support.games.three_dice.rules import DiceGame
from support.solve import solve

PLAYED = {
    **{
        name: entry.rules() for name, entry in GAMES.items() if name not in ("liars-dice", "call-or-raise", "wild-ones")
    },
    "biscuits-3-5": GAMES["biscuits"].rules(digestives=3, rich_teas=5),
    "call-or-raise-2-2": GAMES["call-or-raise"].rules(num_players=2, dice=2),
    "call-or-raise-3-2-bounded": GAMES["call-or-raise"].rules(num_players=3, dice=2, bounded=True),
    "liars-dice-3": GAMES["liars-dice"].rules(faces=3),
    "two-loaded-dice": DiceGame(2, 3, (2, 4, 9), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), Fraction(1, 2)),
    "wild-ones-2-1": GAMES["wild-ones"].rules(num_players=2, dice=1),
    "wild-ones-3-2": GAMES["wild-ones"].rules(),
}
"""Every registered game, at a size of which a whole random game is a readable page."""
MOST = 10_000
"""Positions of a size that is unfolded here though it is not the smallest."""
FOLDER = Path(__file__).parent / "playthroughs"


@pytest.mark.parametrize("name", PLAYED)
def test_game_keeps_to_the_interface(name):
    check_game(PLAYED[name])


@pytest.mark.parametrize("name", PLAYED)
@pytest.mark.parametrize("seed", [1, 2])
def test_golden_playthrough(name, seed):
    require_golden(FOLDER / f"{name}-{seed}.txt", playthrough(PLAYED[name], seed))


def require_golden(path, text):
    """Fail unless a file holds this text; write it first if that is what was asked for."""
    if os.environ.get("REWRITE_PLAYTHROUGHS"):
        path.write_text(text, encoding="utf-8")
    golden = path.read_text(encoding="utf-8") if path.exists() else ""
    changes = "\n".join(unified_diff(golden.splitlines(), text.splitlines(), "golden", "now", lineterm="", n=1))
    assert text == golden, f"{changes}\n\nIf this is how it should be: REWRITE_PLAYTHROUGHS=1 writes {path.name} anew."


@pytest.mark.parametrize("golden", [None, "# 0: ''\nmove: 1\n"])
def test_what_is_not_golden_says_how_to_write_it(tmp_path, monkeypatch, golden):
    path, text = tmp_path / "toy-1.txt", "# 0: ''\nmove: 2\n"
    monkeypatch.delenv("REWRITE_PLAYTHROUGHS", raising=False)
    if golden:
        path.write_text(golden)
    with pytest.raises(AssertionError, match=r"\+move: 2(.|\n)*REWRITE_PLAYTHROUGHS=1 writes toy-1.txt anew"):
        require_golden(path, text)
    monkeypatch.setenv("REWRITE_PLAYTHROUGHS", "1")
    require_golden(path, text)
    assert path.read_text() == text


def test_every_registered_game_is_played_here():
    assert {game.name for game in PLAYED.values()} == set(GAMES)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.no_cover) if name == "wild-ones" else name for name in GAMES]
)
def test_registered_game_is_what_its_entry_says(name):
    entry = GAMES[name]
    assert entry.rules().name == entry.name == name
    assert set(entry.learners) <= set(entry.agents) >= set(entry.usual)
    for option in entry.options.values():
        entry.rules(**option.read("size", str(option)))
    require_positions(entry)


def require_positions(entry):
    """Fail unless the smallest size of a game, and all others of up to ``MOST``, have as many positions as it says."""
    assert entry.small, f"{entry.name} names no size at which it unfolds"
    least = min(small.positions for small in entry.small)
    for small in (small for small in entry.small if small.positions <= max(least, MOST)):
        limit = max(10 * small.positions, MOST)
        said = f"{entry.name} says {small.positions:,} positions at {dict(small.sizes) or 'its usual size'}"
        try:
            flat = unfold(entry.rules(**small.sizes), limit)
        except TooLargeError:
            pytest.fail(
                f"{said}; there are more than {limit:,}. Either that is far off, or a position holds a number that "
                f"grows for ever: then {WAY_OUT}."
            )
        found = flat.num_nodes
        assert found == small.positions, f"{said}; there are {found:,}"
        if small.seconds < 1 and small.solved:
            try:
                assert solve(flat).values
            except ValueError as error:
                pytest.fail(f"{error}. If positions come back, {WAY_OUT}; otherwise say solved=False.")


@dataclass(frozen=True)
class Counted(BiscuitsState):
    """Biscuits that can be put back, so that a game need not end; each position counts the moves."""

    def legal_actions(self, player=None):
        return ((self.board[0], self.board[1] + 1), *super().legal_actions(player))

    def child(self, action):
        return Counted(self.game, (*self.boards, action))

    @property
    def position(self):
        return len(self.boards), *super().position


class Growing(Biscuits):
    """Rules by which a position grows for ever."""

    def initial_state(self):
        return Counted(self, ((self.digestives, self.rich_teas),))


@pytest.mark.no_cover
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"small": ()}, "biscuits names no size"),
        ({"small": (Small({}, 88, 0.1),)}, "says 88 positions at its usual size; there are 87"),
        ({"small": (Small({}, 8, 0.1),)}, "says 8 positions at its usual size; there are 87"),
        ({"small": (Small({}, 20_000, 0.1),)}, "says 20,000 positions at its usual size; there are 87"),
        ({"rules_at": f"{__name__}:Growing"}, r"more than 10,000\. Either that is far off, or .* limit the turns"),
    ],
)
def test_an_entry_that_is_wrong_is_found_out(changed, message):
    with pytest.raises((AssertionError, pytest.fail.Exception), match=message):
        require_positions(replace(GAMES["biscuits"], **changed))


@pytest.mark.no_cover
@pytest.mark.parametrize(("name", "sizes"), [("call-or-raise", {"num_players": 2, "dice": 2, "bounded": True})])
def test_a_size_that_only_unfolds_is_not_solved(name, sizes):
    (small,) = (small for small in GAMES[name].small if small.sizes == sizes and not small.solved)
    with pytest.raises(pytest.fail.Exception, match=r"cannot be solved here: .* limit the turns.*say solved=False"):
        require_positions(replace(GAMES[name], small=(replace(small, seconds=0.5, solved=True),)))


def test_nobody_solves_a_game_that_no_solver_takes():
    entry = replace(GAMES["kuhn-poker"], small=(Small({}, 55, 0.1, solved=False),))
    assert entry.agents == entry.usual == ("random",)
    assert GAMES["kuhn-poker"].agents == ("random", "solver")
    assert GAMES["kuhn-poker"].title == "Kuhn's poker"
    assert Entry("tiny-pig", rules_at="").title == "Tiny pig"
