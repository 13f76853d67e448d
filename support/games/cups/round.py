"""What games with dice under cups share: the dice of each player, their rolls, the bids, and whose turn it is."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

from support.core.interface import CHANCE, TERMINAL, Game, State
from support.games.cups.rolls import Roll, all_rolls, chances, with_dice, with_empty

Bid = tuple[int, int]
"""Quantity and face of a bid."""
MOST_PLAYERS = MOST_DICE = 6
"""The most players at a table, and the most dice of each player."""
SITUATIONS = 2**14
"""How many situations are remembered with the player to move; where bids have no bound, neither do situations."""


class CupsGame(Game, ABC):
    """The rules of such a game; a frozen dataclass.

    Attributes:
        num_players: the number of players, from 2 to 6.
        dice: the number of dice that each starts with, from 1 to 6.
        wins_back: whether a challenge may win back a die, so that rounds can repeat.
    """

    dice: int
    wins_back: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name, least, most in (("num_players", 2, MOST_PLAYERS), ("dice", 1, MOST_DICE)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
                raise ValueError(f"{name} must be a whole number from {least} to {most}, not {number!r}")


@dataclass(frozen=True)
class CupsState(State, ABC):
    """A state: players roll under cups, and those with dice bid or challenge in turn, until one player is left.

    Each game defines the bids and challenges, and what they lead to, by its ``legal_actions`` and ``_said``.

    Args:
        game: the rules.
        counts: the number of dice of each player at the beginning of the round.
        opener: the player who opens the round; None before that is drawn.
        rolls: the dice of the players who have rolled, sorted; an empty roll for a player without dice.
        bids: quantity and face of each bid of the round, the opener's first.
        past: all moves so far, as text.
    """

    game: Any
    counts: tuple[int, ...]
    opener: int | None = None
    rolls: tuple[Roll, ...] = ()
    bids: tuple[Bid, ...] = ()
    past: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """The number of dice in play."""
        return sum(self.counts)

    @property
    def current_player(self) -> int:
        """Chance until all have rolled, then the players with dice in turn."""
        return _mover(self.counts, self.opener, len(self.rolls), len(self.bids))

    def speaker(self, number: int) -> int:
        """The player whose turn it is after ``number`` bids of the round; only players with dice have turns."""
        assert self.opener is not None
        return _speaker(self.counts, self.opener, number)

    def last_bidder(self) -> int:
        """The player who made the last bid."""
        return self.speaker(len(self.bids) - 1)

    def chance_outcomes(self) -> tuple[tuple[Any, Fraction], ...]:
        """The opener of the first round; then the dice of one player after the other."""
        if self.current_player != CHANCE:
            return ()
        if self.opener is None:
            return tuple((player, Fraction(1, len(self.counts))) for player in range(len(self.counts)))
        return all_rolls(self.counts[len(self.rolls)])

    def require(self, action: Any) -> None:
        """As in every game; a roll is looked up, because there are up to 462."""
        rolling = isinstance(action, tuple) and self.current_player == CHANCE and self.opener is not None
        if not (rolling and action in chances(self.counts[len(self.rolls)])):
            super().require(action)

    def child(self, action: Any) -> Self:
        """Draw the opener, roll, bid or challenge."""
        self.require(action)
        past = (*self.past, self.action_to_string(action))
        if self.opener is None:
            return self.but(opener=action, past=past)
        if len(self.rolls) == len(self.counts):
            return self._said(action, past)
        rolls = with_empty((*self.rolls, action), self.counts)
        return self.but(rolls=rolls, bids=self._opening(rolls) if len(rolls) == len(self.counts) else (), past=past)

    def but(self, **changed: Any) -> Self:
        """A copy with other values in some fields, in less than half the time of ``dataclasses.replace``.

        It does without the constructor: states have no ``__post_init__`` and no cached properties.
        """
        assert changed.keys() <= vars(self).keys()
        after = object.__new__(type(self))
        after.__dict__.update(self.__dict__, **changed)
        return after

    @abstractmethod
    def _said(self, action: Any, past: tuple[str, ...]) -> Self:
        """The state after a bid or a challenge."""

    def _opening(self, rolls: tuple[Roll, ...]) -> tuple[Bid, ...]:
        """The bid that the rules make for the opener once all have rolled."""
        return ()

    def _next_round(self, counts: tuple[int, ...], opener: int, past: tuple[str, ...]) -> Self:
        return self.but(counts=counts, opener=opener, rolls=with_empty((), counts), bids=(), past=past)

    @property
    def position(self) -> tuple[Any, ...]:
        """The number of dice of each player, and the round so far; earlier rounds have no bearing on what follows."""
        return (self.counts, self.opener, self.rolls, self.bids)

    def information_state(self, player: int) -> str:
        """All players' numbers of dice, the opener, the player's own dice, and the bids of the round.

        ``"1 2 2, 1 opens, 36: 1x3 2x1"``: player 1 has one die left and opened with one three; player 2 outbid with
        two ones; the player whose information state this is holds a three and a six. Players count from 1 here.

        Raises:
            ValueError: there is no such player.
        """
        self.require_player(player)
        counts = " ".join(map(str, self.counts))
        if self.opener is None:
            return counts
        own = "".join(map(str, self.rolls[player])) if player < len(self.rolls) else "not rolled"
        bids = " ".join(f"{quantity}x{face}" for quantity, face in self.bids)
        return f"{counts}, {self.opener + 1} opens, {own or 'no dice'}" + (f": {bids}" if bids else "")

    def require_player(self, player: int) -> None:
        """Check that there is such a player.

        Raises:
            ValueError: there is none.
        """
        if player not in range(len(self.counts)):
            raise ValueError(f"player must be from 0 to {len(self.counts) - 1}, not {player!r}")

    def rewards(self) -> tuple[int, ...]:
        """As :meth:`returns`, which are 0 until the end, when all is paid at once."""
        return self.returns()

    def returns(self) -> tuple[int, ...]:
        """1 for the winner and 0 for the others; 0 for everybody until the game is over."""
        return tuple(int(count > 0) for count in self.counts) if self.is_terminal() else (0,) * len(self.counts)

    def action_to_string(self, action: Any) -> str:
        """``2 opens`` for an opener, digits for a roll, and bids and challenges as they are."""
        if isinstance(action, str):
            return action
        return f"{action + 1} opens" if isinstance(action, int) else "".join(map(str, action))

    def __str__(self) -> str:
        return " > ".join(self.past)


@lru_cache(maxsize=SITUATIONS)
def _mover(counts: tuple[int, ...], opener: int | None, rolled: int, bids: int) -> int:
    """Who is to move once so many players have rolled and so many bids were made."""
    if counts.count(0) == len(counts) - 1:
        return TERMINAL
    return CHANCE if rolled < len(counts) or opener is None else _speaker(counts, opener, bids)


def _speaker(counts: tuple[int, ...], opener: int, number: int) -> int:
    alive = with_dice(counts)
    return alive[(alive.index(opener) + number) % len(alive)]
