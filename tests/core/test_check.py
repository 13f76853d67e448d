"""A game that breaks the interface is found out, and the message says how."""

from fractions import Fraction

import pytest
from table_games import TableGame, TableState

from support.core import check
from support.core.check import check_game, check_state, playthrough
from support.core.interface import CHANCE, TERMINAL
from support.games.biscuits.rules import Biscuits, BiscuitsState
from support.games.cups.liars_dice import LiarsDice
from support.games.three_dice.rules import DiceGame


def test_a_game_without_end_is_found_out(monkeypatch):
    monkeypatch.setattr(check, "MOST_MOVES", 3)
    with pytest.raises(AssertionError, match="not over after 3 moves"):
        check_game(LiarsDice(6))
    with pytest.raises(AssertionError, match="not over after 3 moves"):
        playthrough(LiarsDice(6), 1)


@pytest.mark.parametrize("always", [True, False])
def test_a_long_game_is_played_to_its_end_before_it_is_checked(monkeypatch, always):
    monkeypatch.setattr(check, "LONG", 1)
    looked = []
    monkeypatch.setattr(check, "check_state", lambda game, state: looked.append(state))
    if always:
        monkeypatch.setattr(BiscuitsState, "is_terminal", lambda state: False)
        monkeypatch.setattr(BiscuitsState, "child", lambda state, action: state)
        with pytest.raises(AssertionError, match="not over after 10,000 moves"):
            check_game(Biscuits())
        assert len(looked) == 1
    else:
        check_game(Biscuits(), games=1)
        assert len(looked) > 1


@pytest.mark.parametrize(
    ("name", "wrong", "message"),
    [
        ("current_player", 3, "current_player must be 0 to 1, CHANCE or TERMINAL, not 3"),
        ("current_player", lambda state: 0, "current_player must be a property: write @property above it"),
        ("position", lambda state: 0, "position must be a property: write @property above it"),
        ("legal_actions", lambda state, player=None: None, r"legal_actions\(0\) must be a tuple, not None"),
        ("chance_outcomes", lambda state: {"a": 1}, "chance_outcomes.. must be a tuple of pairs"),
        ("chance_outcomes", lambda state: (1, 2), r"a tuple of pairs, \(outcome, probability\), not \(1, 2\)"),
        ("returns", lambda state: 1, r"returns\(\) must be a tuple of 2 numbers, not 1"),
        ("returns", lambda state: [0, 0], r"returns\(\) must be a tuple of 2 numbers, not \[0, 0\]"),
        ("rewards", lambda state: {0: 1, 1: 0}, r"rewards\(\) must be a tuple of 2 numbers, not \{"),
        ("rewards", lambda state: (0, 0), r"returns \(-?1, -?1\) are not the sum of the rewards up to here, \(0, 0\)"),
        ("__eq__", lambda state, other: state is other, "equal if they are reached by the same moves, as frozen"),
    ],
)
def test_a_state_of_the_wrong_form_is_found_out(monkeypatch, name, wrong, message):
    monkeypatch.setattr(BiscuitsState, name, wrong)
    with pytest.raises(AssertionError, match=message):
        check_game(Biscuits())


def test_actions_without_a_player_are_those_of_the_mover(monkeypatch):
    legal = BiscuitsState.legal_actions
    monkeypatch.setattr(
        BiscuitsState,
        "legal_actions",
        lambda state, player=None: legal(state, player)[: None if player is not None else 1],
    )
    with pytest.raises(AssertionError, match="without a player must be those of the player who moves"):
        check_game(Biscuits())


def test_a_game_without_a_name_is_found_out(monkeypatch):
    monkeypatch.setattr(Biscuits, "name", None)
    with pytest.raises(AssertionError, match="a game needs a name, a text: Biscuits has none"):
        check_game(Biscuits())


def test_a_game_that_takes_any_action_is_found_out(monkeypatch):
    monkeypatch.setattr(BiscuitsState, "child", lambda state, action: state)
    with pytest.raises(AssertionError, match="'8,4' accepts an action that does not exist"):
        check_state(Biscuits(), Biscuits().initial_state())


def test_a_game_that_refuses_an_action_with_another_error_is_found_out(monkeypatch):
    monkeypatch.setattr(BiscuitsState, "child", lambda state, action: {}[action])
    with pytest.raises(AssertionError, match=r"'8,4' refuses .* with KeyError, not with IllegalActionError"):
        check_state(Biscuits(), Biscuits().initial_state())


def test_an_outcome_that_is_listed_twice_is_found_out(monkeypatch):
    state = DiceGame(1).initial_state()
    (roll, chance), *others = state.chance_outcomes()
    twice = ((roll, chance / 2), (roll, chance / 2), *others)
    monkeypatch.setattr(type(state), "chance_outcomes", lambda state: twice)
    with pytest.raises(AssertionError, match="an outcome of chance is listed twice"):
        check_state(DiceGame(1), state)


def test_numbers_that_are_not_exact_are_found_out(monkeypatch):
    state = DiceGame(1).initial_state()
    halves = tuple((roll, float(chance)) for roll, chance in state.chance_outcomes())
    monkeypatch.setattr(type(state), "chance_outcomes", lambda state: halves)
    with pytest.raises(AssertionError, match=r"need whole numbers or Fractions, .* not the probabilities \(0\.1"):
        check_state(DiceGame(1), state)


@pytest.mark.parametrize(
    ("returns", "message"),
    [((0.5, -0.5), r"Fraction\(1, 2\) in place of 0.5, not the returns"), ((0,), r"2 players, but the returns \(0,\)")],
)
def test_returns_that_nothing_can_be_solved_with_are_found_out(monkeypatch, returns, message):
    monkeypatch.setattr(BiscuitsState, "returns", lambda state: returns)
    with pytest.raises(AssertionError, match=message):
        check_game(Biscuits())


class Sum(TableState):
    """Both add one or two; in the end the first player is paid the sum, of which the position says nothing."""

    @property
    def position(self):
        return len(self.moves)

    current_player = property(lambda state: len(state.moves) if len(state.moves) < 2 else TERMINAL)

    def legal_actions(self, player=None):
        return ("1", "2") if self.current_player >= 0 and player in (None, self.current_player) else ()

    def information_state(self, player):
        return f"move {len(self.moves)}"

    def rewards(self):
        paid = sum(map(int, self.moves)) if len(self.moves) == 2 else 0
        return (paid, -paid)

    returns = rewards


class Summing(TableGame):
    def initial_state(self):
        return Sum(self, ())


def test_a_position_that_leaves_something_out_is_found_out():
    said = r"'[12]' and '[12]' have one position, 1, but not the same future: they differ in the rewards\."
    with pytest.raises(AssertionError, match=said):
        check_game(Summing("sum", 2, {}))


class Shuffled(TableState):
    """A position may say more than it must once the game is over, and chance may list its outcomes in any order."""

    @property
    def position(self):
        return self.moves if len(self.moves) == 2 else super().position

    def chance_outcomes(self):
        return super().chance_outcomes()[:: 1 if self.moves == ("l",) else -1]

    def rewards(self):
        return list(super().rewards())


class Shuffling(TableGame):
    def initial_state(self):
        return Shuffled(self, ())


def test_what_no_solver_looks_at_may_differ():
    coin = {side: (side, (1,), Fraction(1, 2)) for side in ("heads", "tails")}
    ways = dict.fromkeys("lr", ("tossing", (0,)))
    check_game(Shuffling("shuffling", 1, {"start": (0, "first", ways), "tossing": (CHANCE, "", coin)}))
