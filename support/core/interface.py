"""The one interface through which every agent, solver and picture sees a game.

The terms are those of OpenSpiel (Lanctot et al., 2019): a game hands out immutable states; a state says who is to
move, what is legal, what chance may do and with which exact probability, and which state follows an action.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

CHANCE = -1
"""``current_player`` of a state in which chance moves."""
TERMINAL = -4
"""``current_player`` of a finished game."""

Action = Hashable
SEPARATOR = ">"
SHOWN = 20  # choices that an error message lists


class IllegalActionError(ValueError):
    """An action that the state does not allow; the message names it and the legal ones."""


class DoesNotFitError(ValueError):
    """A game that a method is not for: of another kind, too large, or one that may never end; the message says why.

    Learners, solvers and judges raise it, and it is no fault of theirs. Wrong arguments are a plain ValueError.
    """


class NotationError(ValueError):
    """A text that does not read as a game; the message names the part that fails and what may stand there."""


class State(ABC):
    """A position in a game together with the moves that led to it. States are immutable and hashable."""

    @property
    @abstractmethod
    def current_player(self) -> int:
        """The player to move, from 0; ``CHANCE`` or ``TERMINAL`` where no player moves."""

    @abstractmethod
    def legal_actions(self, player: int | None = None) -> tuple[Any, ...]:
        """The legal actions of ``player`` (default: the one to move), in the order that decides ties.

        Empty for a player who is not to move, at chance nodes and at the end.
        """

    def chance_outcomes(self) -> tuple[tuple[Any, Fraction], ...]:
        """Pairs of outcome and exact probability, summing to one; empty where chance does not move."""
        return ()

    @abstractmethod
    def child(self, action: Any) -> "State":
        """The state after ``action``.

        Raises:
            IllegalActionError: the action (or chance outcome) is not possible here.
        """

    @property
    @abstractmethod
    def position(self) -> Hashable:
        """All that the future depends on: states of equal position have equal continuations and rewards to come.

        Positions, not histories, are the nodes when a game is unfolded, so that transpositions are solved once.
        """

    @abstractmethod
    def information_state(self, player: int) -> str:
        """What ``player`` knows, as readable text; equal texts are indistinguishable to that player."""

    def rewards(self) -> tuple[int | Fraction, ...]:
        """What the move that led here gained each player, in the units of :meth:`returns`.

        Unless a game says otherwise, only its end pays.
        """
        returns = self.returns()
        return returns if self.is_terminal() else (0,) * len(returns)

    @abstractmethod
    def returns(self) -> tuple[int | Fraction, ...]:
        """The sum of all rewards so far, one number a player, from that player's own view."""

    def action_to_string(self, action: Any) -> str:
        """The action, or the outcome of chance, in the game's notation."""
        return str(action)

    def action_in_words(self, action: Any) -> str:
        """The action as a player would say it; as in the notation, unless a game says otherwise."""
        return self.action_to_string(action)

    @abstractmethod
    def __str__(self) -> str:
        """The whole game so far in the game's notation; ``game.parse`` reads it back."""

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player == TERMINAL

    def possible(self) -> tuple[Any, ...]:
        """All actions or chance outcomes that lead on from here."""
        if self.current_player == CHANCE:
            return tuple(outcome for outcome, _ in self.chance_outcomes())
        return self.legal_actions()

    def require(self, action: Any) -> None:
        """Raise an error that names the choices unless ``action`` is possible here."""
        if action in self.possible():
            return
        if self.is_terminal():
            raise IllegalActionError(f"{action!r} cannot be played: the game '{self}' is over")
        possible = self.possible()
        choices = ", ".join(map(repr, possible[:SHOWN])) + (
            f", ... ({len(possible)} in all)" if possible[SHOWN:] else ""
        )
        raise IllegalActionError(f"{action!r} is not possible after '{self}'; possible are {choices}")


class Game(ABC):
    """The rules with their parameters; a frozen value that hands out states."""

    name: str
    num_players: int

    @abstractmethod
    def initial_state(self) -> State:
        """The state before anything has happened."""

    def move_from_string(self, state: State, text: str) -> Any:
        """The action or chance outcome that ``text`` means in ``state``.

        Raises:
            NotationError: the text is no move here; the message says what may stand in its place.
        """
        known = {state.action_to_string(move): move for move in state.possible()}
        if text not in known:
            some = ", ".join(f"'{name}'" for name in list(known)[:SHOWN])
            raise NotationError(f"expected {some}{' or the like' if len(known) > SHOWN else ''}, not '{text}'")
        return known[text]

    def start_from_string(self, text: str) -> State | None:
        """The initial state that ``text`` denotes, or None where the notation starts with the first move."""
        return None

    def split(self, text: str) -> list[str]:
        """The parts of a game in notation, one a move, the start first where the notation names it."""
        return [part.strip() for part in text.split(SEPARATOR)] if text.strip() else []

    def parse(self, text: str) -> State:
        """The state that a game in notation leads to: ``parse(str(state)) == state``.

        Raises:
            NotationError: as :meth:`states`.
        """
        return self.states(text)[-1]

    def states(self, text: str) -> list[State]:
        """All states of a game in notation, from the initial one to the one that it leads to.

        Args:
            text: moves, as :meth:`split` takes them apart (at every ``>`` unless a game says otherwise); empty for the
                initial state.

        Raises:
            NotationError: a part cannot be read, or cannot be played where it stands.
        """
        parts = self.split(text)
        start = self.start_from_string(parts[0]) if parts else None
        states, parts = ([self.initial_state()], parts) if start is None else ([start], parts[1:])
        for number, part in enumerate(parts, 1):
            state = states[-1]
            if state.is_terminal():
                raise NotationError(f"move {number}, '{part}': the game is already over after '{state}'")
            try:
                states.append(state.child(self.move_from_string(state, part)))
            except (NotationError, IllegalActionError) as error:
                raise NotationError(f"move {number}, '{part}': {error}") from None
        return states
