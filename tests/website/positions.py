"""Random games, as Python sees them, for the page's script to see the same."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from support.core.interface import CHANCE, Game, State
from support.core.play import Stream

__all__ = ["Walk", "acts", "seen", "walked"]


class Walk(NamedTuple):
    """A game at random.

    Attributes:
        root: where the page starts it.
        places: of each move among those that were possible.
        states: one more than moves.
    """

    root: str
    places: list[int]
    states: list[State]


def walked(
    games: Sequence[tuple[str, Game]],
    positions: int,
    seed: int,
    choose: Callable[[State, Stream], int] | None = None,
) -> list[Walk]:
    """Games at random.

    Args:
        games: by the name of where the page starts them, played in turn.
        positions: at least so many in all, beginnings and ends included.
        seed: of all games.
        choose: for a player's move its place; any place, each as likely, if not given. Chance is always drawn so.
    """
    found: list[Walk] = []
    met = 0
    while met < positions:
        root, game = games[len(found) % len(games)]
        stream, places, states = Stream(seed, len(found)), [], [game.initial_state()]
        while not states[-1].is_terminal():
            state = states[-1]
            possible = state.possible()
            decides = choose is not None and state.current_player >= 0
            place = choose(state, stream) if decides and choose else stream.next() % len(possible)
            places.append(place)
            states.append(state.child(possible[place]))
        found.append(Walk(root, places, states))
        met += len(states)
    return found


def seen(state: State, players: int) -> dict[str, Any]:
    """All that the page must know of a position."""
    mover = state.current_player
    chances = [(state.action_to_string(outcome), float(p)) for outcome, p in state.chance_outcomes()]
    return {
        "player": mover,
        "legal": [state.action_to_string(action) for action in state.legal_actions()],
        "chance": [label for label, _ in chances] if mover == CHANCE else [],
        "likely": [p for _, p in chances],
        "returns": [int(gain) for gain in state.returns()],
        "knows": [state.information_state(player) for player in range(players)] if mover >= 0 else [],
    }


def acts(state: State, agents: Mapping[str, Any]) -> dict[str, list[float]]:
    """What each agent would do, in the order of the legal actions."""
    return {name: [float(p) for p in agent.action_probabilities(state).values()] for name, agent in agents.items()}
