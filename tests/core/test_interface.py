from support.core.interface import State
from support.games.biscuits.rules import Biscuits


def test_an_action_is_written_as_it_is_unless_a_game_says_otherwise():
    assert State.action_to_string(Biscuits().initial_state(), 3) == "3"
