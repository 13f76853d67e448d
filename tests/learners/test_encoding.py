"""What a network sees and answers: different information states look different, and play by arrays is the game."""

import doctest
from dataclasses import replace

import numpy as np
import pytest
from table_games import die_nim, guess, trap

from support.core.flat import unfold
from support.core.interface import CHANCE, DoesNotFitError
from support.games import GAMES
from support.games.cards.kuhn import Kuhn
from support.games.three_dice.rules import DiceGame
from support.learners import encoding
from support.learners.encoding import actions_of, arrays_of, encode

SMALL = [entry.rules(**small.sizes) for entry in GAMES.values() for small in entry.small if small.positions <= 10_000]


def worded(*states):
    """A game whose information states have these texts."""
    return replace(unfold(Kuhn()), information_states=list(states))


@pytest.mark.parametrize("game", SMALL, ids=str)
def test_no_two_information_states_look_the_same(game):
    flat = unfold(game)
    seen = encode(flat)
    assert seen.dtype == np.float32
    assert seen.shape[0] == len(np.unique(seen, axis=0)) == len(flat.information_states)
    assert seen.shape[1] == len(np.unique(seen, axis=1).T)
    assert seen.min() >= 0
    assert seen.max() == 1
    assert (seen[:, 1:] != seen[0, 1:]).any(axis=0).all()  # nothing that is always the same


def test_the_example():
    assert doctest.testmod(encoding) == (0, 4)


def test_by_hand():
    """Players, then tokens and numbers in the order in which they are met; what says nothing new is left out."""
    found = encode(worded((0, "5,ab"), (1, "20,ab"), (1, "10,ac")))
    assert found.tolist() == [
        # 0 moves, 1 moves, 5 (as 0 moves), the number / 20, 20, 10, and b or c in the last place
        pytest.approx([1, 0, 0.25, 1, 0, 0]),
        pytest.approx([0, 1, 1, 1, 1, 0]),
        pytest.approx([0, 1, 0.5, 0, 0, 1]),
    ]


@pytest.mark.parametrize(
    "texts", [("1,23", "12,3"), ("1 12", "11 2"), ("01", "1"), ("a b", "ab"), ("a", "A"), ("", "0"), ("0", "00")]
)
def test_texts_that_nearly_agree(texts):
    one, other = encode(worded(*((0, text) for text in texts)))
    assert (one != other).any()


def test_one_information_state_still_has_a_feature():
    assert encode(unfold(guess())).tolist() == [[1]]


def test_nobody_moves():
    with pytest.raises(DoesNotFitError, match="no player ever moves in kuhn-poker"):
        encode(worded())


@pytest.mark.parametrize("game", [*SMALL[:4], Kuhn(), die_nim(4)], ids=str)
def test_an_action_has_one_number_wherever_it_is_legal(game):
    flat = unfold(game)
    arrays, actions = arrays_of(flat), actions_of(flat)
    assert len(set(actions)) == len(actions)
    for state, nodes in enumerate(flat.nodes_of_information):
        slots = range(flat.slots[state], flat.slots[state + 1])
        named = [actions[number] for number in arrays.numbers[slots.start : slots.stop]]
        assert named == [flat.action[edge] for edge in flat.edges(nodes[0])]
        assert set(np.flatnonzero(arrays.legal[state])) == set(arrays.numbers[slots.start : slots.stop])


def test_bounds_of_chance():
    flat = unfold(DiceGame(1))
    arrays = arrays_of(flat)
    for node in np.flatnonzero(flat.player == CHANCE):
        bounds = arrays.bounds[flat.first[node] : flat.first[node + 1]]
        assert bounds[:-1] == pytest.approx([number / 6 for number in range(1, 6)])
        assert bounds[-1] == 2


def test_a_game_without_an_end():
    with pytest.raises(DoesNotFitError, match="no end of trap can be reached from 'trap'"):
        arrays_of(unfold(trap()))
