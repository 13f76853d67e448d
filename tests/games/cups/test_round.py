"""States of the games under cups: copies, rewards, and whose turn it is, against the plain forms."""

import pickle
import random
from dataclasses import replace

import pytest

from support.core.interface import CHANCE, TERMINAL, State
from support.games.call_or_raise.rules import CallOrRaise
from support.games.wild_ones.handicap import Handicap
from support.games.wild_ones.rules import WildOnes

GAMES = [WildOnes(), WildOnes(num_players=2, dice=1), CallOrRaise(), CallOrRaise(2, 2, bounded=True), Handicap((2, 1))]


def histories(game, games=20):
    """The states of random games."""
    draw = random.Random(1)
    for _ in range(games):
        state = game.initial_state()
        yield state
        while not state.is_terminal():
            state = state.child(draw.choice(state.possible()))
            yield state


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_a_copy_is_what_the_constructor_makes(game):
    for state in histories(game):
        copy, made = state.but(bids=((1, 1),)), replace(state, bids=((1, 1),))
        assert (copy, hash(copy), repr(copy), type(copy)) == (made, hash(made), repr(made), type(made))
        assert pickle.loads(pickle.dumps(copy)) == made
    with pytest.raises(AssertionError):
        game.initial_state().but(bid=())


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_the_end_alone_pays(game):
    for state in histories(game):
        assert state.rewards() == State.rewards(state)
        assert sum(state.returns()) == state.is_terminal()


@pytest.mark.parametrize("game", GAMES, ids=str)
def test_players_with_dice_move_in_turn(game):
    for state in histories(game):
        alive = [player for player, count in enumerate(state.counts) if count]
        if len(alive) == 1:
            assert state.current_player == TERMINAL
        elif state.opener is None or len(state.rolls) < len(state.counts):
            assert state.current_player == CHANCE
        else:
            turns = [
                player for player in [*range(state.opener, len(state.counts)), *range(state.opener)] if player in alive
            ]
            assert state.current_player == turns[len(state.bids) % len(turns)]
