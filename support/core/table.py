"""A table to play at: the rules, the players in their seats, and what each game shows and knows about itself.

Everything that all games have in common goes through :mod:`support.core.interface`. A game adds how its positions look
to one player, which agents it has, and what is known about the values of its actions. A text for a player never
contains what that player must not see yet: each text is made for a *viewer*, either a seat or None, who may see
everything.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar

from support.core.interface import CHANCE, Game, IllegalActionError, NotationError, State
from support.core.play import Stream
from support.core.style import Style

Number = Fraction | float | int
S = TypeVar("S", bound=State)
YOU = "you"
HINTS = 6  # actions listed after the best one
LISTED = 14  # actions named when an input is refused
SAME = 1e-9  # floats closer than this are equal


class PlayError(ValueError):
    """A game that cannot be set up, recorded or read; the message names what is wrong and what is possible."""


class Table(ABC, Generic[S]):
    """A game and its players.

    Args:
        game: the rules.
        seats: the player in each seat: the name of an agent, or "you" for the human player.
        style: what the terminal can show.
        agents: the agents that decide for the other seats, by seat; the rivals are numbered on from the last seat.
        rivals: names of agents that play games of their own.

    Attributes:
        seat: the seat of the human player, from 0; -1 if there is none.
        names: the names of all seats, all different.
    """

    hides: ClassVar[str] = ""
    """Why no move can be taken back; empty if moves can be."""
    truth: ClassVar[str] = ""
    """What the numbers of :meth:`values` mean, in words that complete "Values are ..."."""

    def __init__(
        self,
        game: Game,
        seats: Sequence[str],
        style: Style,
        agents: Mapping[int, Any] = {},
        rivals: Sequence[str] = (),
    ):
        self.game, self.seats, self.style = game, tuple(seats), style
        self.agents, self.rivals = agents, tuple(rivals)
        self.seat = self.seats.index(YOU) if YOU in self.seats else -1
        self.names = [f"{name} ({at + 1})" if seats.count(name) > 1 else name for at, name in enumerate(seats)]

    @cached_property
    def against(self) -> tuple[str, ...]:
        """The opponents, in the order of their seats."""
        return tuple(name for at, name in enumerate(self.seats) if at != self.seat)

    @abstractmethod
    def scene(self, state: S, viewer: int) -> list[str]:
        """What a player sees on its turn."""

    @abstractmethod
    def described(self, before: S, action: Any, after: S, viewer: int | None) -> str | None:
        """A move in words, as far as the viewer may know it; None if there is nothing to say."""

    @abstractmethod
    def result(self, state: S) -> str:
        """How a finished game went."""

    @abstractmethod
    def legend(self) -> str:
        """What a move looks like, in one line."""

    @abstractmethod
    def values(self, state: S) -> Mapping[Any, Number] | None:
        """The value of each legal action to the human player; None if that is not known."""

    def unknown(self) -> str:
        """Why :meth:`values` returns None; empty if it never does."""
        return ""

    @abstractmethod
    def worth(self, value: Number) -> str:
        """A value in words."""

    def price(self, cost: Number) -> str:
        """What a decision cost, in words; ``cost`` is positive."""
        return f"cost {self.worth(cost)}"

    def takes_long(self) -> bool:
        """Whether the next call of :meth:`values` takes some seconds."""
        return False

    def advice(self, state: S) -> list[str]:
        """What else is known about a decision, such as what a good agent would do."""
        return []

    def stuck(self, state: S) -> str | None:
        """Why a game that goes on without the human player would never end; None if it can end."""
        return None

    def ends_round(self, before: S, action: Any) -> bool:
        """Whether a move ends what ``history`` shows."""
        return False

    def afterwards(self, state: S, stream: Stream) -> list[str]:
        """What else happens once the game is over."""
        return []

    def act(self, state: S, stream: Stream) -> Any:
        """The outcome or action that chance or an agent picks."""
        if state.current_player == CHANCE:
            return stream.pick(state.chance_outcomes())
        return stream.pick(list(self.agents[state.current_player].action_probabilities(state).items()))

    def read(self, state: S, text: str) -> Any:
        """The legal action that a text means, in the game's notation or in words.

        Raises:
            PlayError: the text means no legal action; the message says what is possible, and gives nothing hidden away.
        """
        for action in state.legal_actions():
            if state.action_in_words(action) == text:
                return action
        try:
            action = self.game.move_from_string(state, text)
        except (NotationError, IllegalActionError) as error:
            raise PlayError(str(error)) from None
        if action not in state.legal_actions():
            raise PlayError(self.refusal(state, action, text))
        return action

    def refusal(self, state: S, action: Any, text: str) -> str:
        """Why an action of the game is not possible here."""
        return f"'{text}' is not possible now; possible: {self.listed(state)}"

    def label(self, state: S, action: Any) -> str:
        """What an action is called in hints and in the review after the game."""
        return state.action_in_words(action)

    def labels(self, state: S) -> list[str]:
        """The legal actions in the game's notation, each once."""
        return list(dict.fromkeys(map(state.action_to_string, state.legal_actions())))

    def spelled(self, state: S) -> list[str]:
        """The legal actions in the game's notation, each with its words if these differ."""
        words: dict[str, str] = {}
        for action in state.legal_actions():
            words.setdefault(state.action_to_string(action), state.action_in_words(action))
        return [text if text == word else f"{text} ({word})" for text, word in words.items()]

    def hint(self, state: S, values: Mapping[Any, Number]) -> list[str]:
        """The best action, and the values of the next best."""
        best = self.best(values)
        lines = [f"Best is {self.label(state, best)}: {self.worth(values[best])}."]
        named: dict[str, Number] = {}
        for action in sorted(values, key=lambda action: (action != best, -values[action])):
            named.setdefault(self.label(state, action), values[action])
        others = [f"{label} {self.worth(value)}" for label, value in list(named.items())[1 : HINTS + 1]]
        if others:
            lines.append(self.style.mark(f"Then: {'; '.join(others)}.", "faint"))
        return [*lines, self.style.mark(f"Values are {self.truth}.", "faint")]

    def listed(self, state: S) -> str:
        """The legal actions in one line; if there are many, only the first."""
        labels = self.spelled(state)
        more = f", ... ({len(labels)} in all; ? lists them)" if len(labels) > LISTED else ""
        return "; ".join(labels[:LISTED]) + more

    def who(self, seat: int, one: str, other: str | None = None) -> str:
        """A seat with a verb: ``who(seat, "bid")`` is "you bid" or "survivalist bids"."""
        mine = self.names[seat] == YOU
        return f"{self.names[seat]} {one if mine else other or one + 's'}"

    def best(self, values: Mapping[Any, Number]) -> Any:
        """The first of the best actions."""
        top = max(values.values())
        return next(action for action, value in values.items() if value >= top - SAME)


def percent(value: Number) -> str:
    """A probability in per cent, with more decimals, up to five, where fewer would look like certainty."""
    value = float(value)
    text = ""
    for digits in (1, 3, 5):
        text = f"{100 * value:.{digits}f}%"
        if value in (0.0, 1.0) or float(text[:-1]) not in (0.0, 100.0):
            break
    return text


def points(cost: Number) -> str:
    """A difference of probabilities."""
    return percent(cost).replace("%", " percentage points")


def sentence(text: str) -> str:
    """A text with its first letter capitalised."""
    return text[:1].upper() + text[1:]
