"""The one interface through which every agent, solver and picture sees a game.

The terms are those of OpenSpiel (Lanctot et al., 2019). A game creates immutable states. A state gives the player to
move, the legal actions, the chance outcomes with their exact probabilities, and the state that follows each action.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from fractions import Fraction
from numbers import Rational
from typing import Any

CHANCE = -1
"""``current_player`` of a chance node."""
TERMINAL = -4
"""``current_player`` of a finished game."""

SEPARATOR = ">"
INEXACT = "exact answers need whole numbers or Fractions, such as Fraction(1, 2) in place of 0.5, not"
SHOWN = 20  # the most choices that an error message lists


def is_exact(numbers: Iterable[object]) -> bool:
    """Whether all numbers are whole or Fractions, with which a game can be solved without rounding error."""
    return all(isinstance(number, Rational) for number in numbers)


class IllegalActionError(ValueError):
    """An action that the state does not allow; the message names it and the legal ones."""


class DoesNotFitError(ValueError):
    """A game that a method cannot take: of the wrong kind, too large, or possibly endless; the message says why.

    Learners, solvers and judges raise it for games outside their scope. A wrong argument raises a plain ValueError.
    """


class NotationError(ValueError):
    """A text that cannot be read as a game; the message names the part that fails and what was expected there."""


class State(ABC):
    """A position in a game together with the moves that led to it. States are immutable and hashable."""

    @property
    @abstractmethod
    def current_player(self) -> int:
        """The player to move, from 0; ``CHANCE`` or ``TERMINAL`` where no player moves."""

    @abstractmethod
    def legal_actions(self, player: int | None = None) -> tuple[Any, ...]:
        """The legal actions of ``player`` (default: the player to move), in the order that breaks ties.

        Empty for a player who is not to move, at chance nodes and at the end.
        """

    def chance_outcomes(self) -> tuple[tuple[Any, Fraction], ...]:
        """Pairs (outcome, exact probability), whose probabilities sum to one; empty where chance does not move."""
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
        """Everything the future depends on.

        States with equal positions have the same continuations and future rewards, and who is to move knows the same.
        :func:`support.core.check.check_game` compares those that random games meet; solvers rely on it.
        The nodes of an unfolded game are positions, not histories, so each transposition is solved only once.
        """

    @abstractmethod
    def information_state(self, player: int) -> str:
        """What ``player`` knows, as readable text; the player cannot distinguish states with equal texts."""

    def rewards(self) -> tuple[int | Fraction, ...]:
        """Each player's reward for the move that led here, in the units of :meth:`returns`.

        By default, only the terminal state pays.
        """
        returns = self.returns()
        return returns if self.is_terminal() else (0,) * len(returns)

    @abstractmethod
    def returns(self) -> tuple[int | Fraction, ...]:
        """The sum of all rewards so far: one number per player, from that player's own point of view."""

    def action_to_string(self, action: Any) -> str:
        """The action, or the chance outcome, in the game's notation."""
        return str(action)

    def action_in_words(self, action: Any) -> str:
        """The action as a player would say it; by default, as in the notation."""
        return self.action_to_string(action)

    @abstractmethod
    def __str__(self) -> str:
        """The whole game so far in the game's notation; ``game.parse`` reads it back."""

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player == TERMINAL

    def possible(self) -> tuple[Any, ...]:
        """The legal actions, or the outcomes at a chance node; empty at the end."""
        if self.current_player == CHANCE:
            return tuple(outcome for outcome, _ in self.chance_outcomes())
        return self.legal_actions()

    def require(self, action: Any) -> None:
        """Raise an error that names the choices, unless ``action`` is possible here."""
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
    """The rules and their parameters: a frozen value that creates states."""

    name: str
    num_players: int

    @abstractmethod
    def initial_state(self) -> State:
        """The state before anything has happened."""

    def move_from_string(self, state: State, text: str) -> Any:
        """The action or chance outcome that ``text`` means in ``state``.

        Raises:
            NotationError: the text is not a move here; the message lists some that are.
        """
        known = {state.action_to_string(move): move for move in state.possible()}
        if text not in known:
            some = ", ".join(f"'{name}'" for name in list(known)[:SHOWN])
            raise NotationError(f"expected {some}{' or the like' if len(known) > SHOWN else ''}, not '{text}'")
        return known[text]

    def start_from_string(self, text: str) -> State | None:
        """The initial state that ``text`` denotes, or None if the notation starts with the first move."""
        return None

    def split(self, text: str) -> list[str]:
        """The parts of a game in notation: the start, if the notation names one, then one part per move."""
        return [part.strip() for part in text.split(SEPARATOR)] if text.strip() else []

    def parse(self, text: str) -> State:
        """The state that a game in notation leads to: ``parse(str(state)) == state``.

        Raises:
            NotationError: as for :meth:`states`.
        """
        return self.states(text)[-1]

    def states(self, text: str) -> list[State]:
        """All states of a game in notation, from the initial state to the last.

        Args:
            text: the moves, which :meth:`split` separates (at every ``>`` by default); empty for the initial state.

        Raises:
            NotationError: a part cannot be read, or the move is not possible at that point.
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
