from fractions import Fraction

import pytest

from support.core.check import check_game
from support.core.flat import unfold
from support.core.interface import NotationError
from support.games.cards.kuhn import Kuhn


def test_keeps_to_the_interface():
    check_game(Kuhn(), games=60)


def test_size_as_in_the_literature():
    """Twelve information states; thirty ends, five for each of the six deals."""
    flat = unfold(Kuhn())
    assert len(flat.information_states) == 12
    assert sum(not flat.edges(node) for node in range(flat.num_nodes)) == 30


def test_deals_are_without_replacement():
    outcomes = dict(Kuhn().parse("").chance_outcomes())
    assert set(outcomes) == {tuple(pair) for pair in ("KQ", "KJ", "QK", "QJ", "JK", "JQ")}
    assert set(outcomes.values()) == {Fraction(1, 6)}


@pytest.mark.parametrize(
    ("line", "gains"),
    [
        ("K Q: c c", (1, -1)),
        ("J Q: c c", (-1, 1)),
        ("J K: r f", (1, -1)),
        ("J K: r c", (-2, 2)),
        ("Q J: c r f", (-1, 1)),
        ("Q J: c r c", (2, -2)),
    ],
)
def test_gains_by_hand(line, gains):
    assert Kuhn().parse(line).returns() == gains


def test_one_bet_only():
    assert Kuhn().parse("K Q: c r").legal_actions() == ("f", "c")
    with pytest.raises(NotationError, match="move 3, 'r': 'r' is not possible after 'K Q: r'; possible are 'f', 'c'"):
        Kuhn().parse("K Q: r r")
    with pytest.raises(NotationError, match="move 1, 'K K'"):
        Kuhn().parse("K K")
