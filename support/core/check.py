"""Check that a game keeps to the interface, and write whole random games as readable text."""

import random
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

from support.core.interface import CHANCE, INEXACT, TERMINAL, Game, IllegalActionError, State, is_exact

MOST_MOVES = 10_000
LONG = 200  # moves; a game that goes on is first played to its end without checks
WAY_OUT = "limit the turns, and put their count into the position and the information state"


def check_game(game: Game, games: int = 20) -> None:
    """Play random games and check every state along the way, and that states with one position have one future.

    Raises:
        AssertionError: the game breaks the interface; the message names the state and the rule.
    """
    assert isinstance(getattr(game, "name", None), str), f"a game needs a name, a text: {type(game).__name__} has none"
    assert game.parse("") == game.initial_state(), (
        "an empty notation must be the initial state: game.parse('') differs from game.initial_state(). States need to "
        "be equal if they are reached by the same moves, as frozen dataclasses are"
    )
    met: dict[Hashable, tuple[State, dict[str, object]]] = {}
    for number in range(games):
        draw = random.Random(number)
        state, moved = game.initial_state(), 0
        total: list[int | Fraction] = [0] * game.num_players
        while True:
            if moved == min(LONG, MOST_MOVES):
                _require_end(state, draw.getstate(), MOST_MOVES - moved)
            check_state(game, state)
            future = _future(state)
            first, expected = met.setdefault(state.position, (state, future))
            differ = [part for part in future if future[part] != expected[part]]
            assert not differ, (
                f"'{first}' and '{state}' have one position, {state.position!r}, but not the same future: they differ "
                f"in {' and '.join(differ)}. The position must hold whatever decides that"
            )
            total = [a + b for a, b in zip(total, state.rewards(), strict=True)]
            assert tuple(total) == tuple(state.returns()), (
                f"'{state}': the returns {state.returns()} are not the sum of the rewards up to here, {tuple(total)}; "
                "rewards() is what the last move brought each player"
            )
            if state.is_terminal():
                break
            state, moved = state.child(draw.choice(state.possible())), moved + 1


def _require_end(state: State, drawn: tuple[Any, ...], moves: int) -> None:
    """Play on without looking: of a game without an end, checking every state would take hours."""
    draw = random.Random()
    draw.setstate(drawn)
    for _ in range(moves):
        if state.is_terminal():
            return
        state = state.child(draw.choice(state.possible()))
    assert state.is_terminal(), f"a random game was not over after {MOST_MOVES:,} moves; {WAY_OUT}"


def _future(state: State) -> dict[str, object]:
    """All that states with one position must have in common, one move ahead."""
    mover, children = state.current_player, {move: state.child(move) for move in state.possible()}
    return {
        "who moves": mover,
        "what is known": state.information_state(mover) if mover >= 0 else "",
        "the legal actions": state.legal_actions(),  # their order breaks ties
        "the chances": dict(state.chance_outcomes()),
        "the next positions": {move: None if one.is_terminal() else one.position for move, one in children.items()},
        "the rewards": {move: tuple(one.rewards()) for move, one in children.items()},
    }


def check_state(game: Game, state: State) -> None:
    """Check one state against the interface's promises.

    Raises:
        AssertionError: the state breaks one; the message names the state and the rule.
    """
    mover, players = state.current_player, range(game.num_players)
    for name in ("current_player", "position"):
        assert not callable(getattr(state, name)), f"'{state}': {name} must be a property: write @property above it"
    assert mover in (*players, CHANCE, TERMINAL), (
        f"'{state}': current_player must be 0 to {len(players) - 1}, CHANCE or TERMINAL, not {mover!r}"
    )
    assert game.parse(str(state)) == state, f"'{state}' is read back as another state"
    assert hash(game.parse(str(state))) == hash(state), f"'{state}' is read back with another hash"
    for player in players:
        legal = state.legal_actions(player)
        assert isinstance(legal, tuple), f"'{state}': legal_actions({player}) must be a tuple, not {legal!r}"
        assert bool(legal) == (player == mover), f"'{state}': legal actions of player {player}: {legal}"
        assert len(set(legal)) == len(legal), f"'{state}': an action is listed twice"
    assert state.legal_actions() == (state.legal_actions(mover) if mover in players else ()), (
        f"'{state}': legal_actions() without a player must be those of the player who moves"
    )
    outcomes = state.chance_outcomes()
    pairs = isinstance(outcomes, tuple) and all(isinstance(one, tuple) and len(one) == 2 for one in outcomes)
    assert pairs, f"'{state}': chance_outcomes() must be a tuple of pairs, (outcome, probability), not {outcomes!r}"
    assert bool(outcomes) == (mover == CHANCE), f"'{state}': chance_outcomes() contradicts current_player"
    for name in ("returns", "rewards"):
        numbers = getattr(state, name)()
        assert isinstance(numbers, tuple) or (name == "rewards" and isinstance(numbers, list)), (
            f"'{state}': {name}() must be a tuple of {game.num_players} numbers, not {numbers!r}"
        )
        assert len(numbers) == game.num_players, f"'{state}': {game.num_players} players, but the {name} {numbers}"
        assert is_exact(numbers), f"'{state}': {INEXACT} the {name} {numbers}"
    if outcomes:
        assert len(dict(outcomes)) == len(outcomes), f"'{state}': an outcome of chance is listed twice"
        chances = tuple(p for _, p in outcomes)
        assert is_exact(chances), f"'{state}': {INEXACT} the probabilities {chances}"
        assert sum(chances) == 1, f"'{state}': the probabilities of chance sum to {sum(chances)}, not to 1"
        assert min(chances) > 0, f"'{state}': a probability is not positive, in {chances}"
    assert state.is_terminal() == (not state.possible()), f"'{state}': is_terminal() contradicts possible()"
    try:
        state.child(("no", "such", "action"))
    except IllegalActionError:
        pass
    except Exception as error:
        said = f"{type(error).__name__}, not with IllegalActionError, as self.require(action) does"
        raise AssertionError(f"'{state}' refuses an action that does not exist with {said}") from error
    else:
        raise AssertionError(f"'{state}' accepts an action that does not exist")
    if mover in players:
        hash(state.information_state(mover))
    hash(state.position)


def playthrough(game: Game, seed: int) -> str:
    """A whole random game as text: every state, with everything that the interface says about it."""
    draw, lines = random.Random(seed), [f"game: {game}", ""]
    state = game.initial_state()
    for number in range(MOST_MOVES):
        lines.append(f"# {number}: '{state}'")
        lines.append(f"current_player: {state.current_player}")
        lines.append(f"rewards: {_texts(state.rewards())}  returns: {_texts(state.returns())}")
        if state.is_terminal():
            return "\n".join(lines) + "\n"
        if state.current_player == CHANCE:
            shown = [f"{state.action_to_string(outcome)} ({p})" for outcome, p in state.chance_outcomes()]
            lines.append(f"chance_outcomes: {'; '.join(shown)}")
        else:
            lines.append(f"information_state: {state.information_state(state.current_player)}")
            lines.append(f"legal_actions: {'; '.join(map(state.action_to_string, state.legal_actions()))}")
        move = draw.choice(state.possible())
        lines += [f"move: {state.action_to_string(move)}", ""]
        state = state.child(move)
    raise AssertionError(f"the game was not over after {MOST_MOVES:,} moves; {WAY_OUT}")


def _texts(numbers: tuple[object, ...]) -> str:
    return ", ".join(map(str, numbers))
