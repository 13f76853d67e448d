"""What names an information state, and the beginning of a round: keys, and what can be read from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from support.games.cups.rolls import FACES, Roll
from support.games.wild_ones.listener.settings import Settings
from support.games.wild_ones.policies import Views
from support.games.wild_ones.rules import WildOnes, WildOnesState, allowed, rank

MOST_BIDS = 60  # that a set of bids in 64 bits has room for


class Key(NamedTuple):
    """What names an information state; two have the same key only if they are the same.

    Attributes:
        place: the beginning of the round and the own hand, as a number.
        bids: a bit for each bid of the round, by its number; the last bid alone if the agent hears no more.
    """

    place: int
    bids: int


@dataclass(frozen=True)
class Keys:
    """How information states and beginnings of rounds are numbered.

    The players who have dice form a *ring* that begins with the agent. Its number has for each of them a digit of its
    dice and, but for the agent, one of who it is. A beginning is a ring and the turn of who opens.

    Args:
        game: the rules.
        settings: what the agent goes by.

    Raises:
        ValueError: a game with more than 10 dice, whose bids have no room in 64 bits.
    """

    game: WildOnes
    settings: Settings

    def __post_init__(self) -> None:
        if FACES * self.game.most > MOST_BIDS:
            raise ValueError(f"a table has room for games of up to {MOST_BIDS // FACES} dice, not {self.game.most}")

    @cached_property
    def _hands(self) -> dict[Roll, int]:
        return {hand: number for number, hand in enumerate(Views(self.game).hands)}

    @cached_property
    def _rolls(self) -> tuple[Roll, ...]:
        return tuple(self._hands)

    @property
    def starts(self) -> int:
        """Numbers of beginnings lie below it."""
        dice, players = self.game.dice + 1, self.game.num_players
        return int(dice * (dice * players) ** (players - 1) * players)

    @property
    def places(self) -> int:
        """Places of information states lie below it."""
        return self.starts * len(self._hands)

    def ring(self, counts: Sequence[int], seats: Sequence[int]) -> int:
        """The number of the ring.

        Args:
            counts: dice by seat; the agent must have some.
            seats: the player who sits in each seat; the agent is the last player.
        """
        players, agent = self.game.num_players, self.game.num_players - 1
        own, number = list(seats).index(agent), 0
        turns = [(own + step) % players for step in range(players)]
        alive = [(counts[seat], seats[seat]) for seat in turns if counts[seat]]
        for turn, (count, player) in enumerate(alive + [(0, 0)] * (players - len(alive))):
            number = number * (self.game.dice + 1) + count
            if turn:
                number = number * players + (player if self.settings.knows else 0)
        return number

    def start(self, counts: Sequence[int], seats: Sequence[int], opener: int) -> int:
        """The number of a beginning; ``opener`` is a seat."""
        players = self.game.num_players
        own = list(seats).index(players - 1)
        turns = [seat for step in range(players) if counts[seat := (own + step) % players]]
        return self.ring(counts, seats) * players + turns.index(opener)

    def key(self, state: WildOnesState, seats: Sequence[int]) -> Key:
        """What names what the agent knows when it is to move.

        Raises:
            ValueError: somebody else is to move, or these are no seats.
        """
        mover, agent = state.current_player, self.game.num_players - 1
        if sorted(seats) != list(range(agent + 1)) or mover < 0 or seats[mover] != agent:
            raise ValueError(f"player {agent}, seated as {tuple(seats)}, is not to move after '{state}'")
        assert state.opener is not None
        bids = state.bids if self.settings.hears else state.bids[-1:]
        told = sum(1 << self.game.number(f"{quantity}x{face}") - 2 for quantity, face in bids)
        whole = self.settings.hears
        where = self.start(state.counts, seats, state.opener) if whole else self.ring(state.counts, seats)
        return Key(where * len(self._hands) + self._hands[state.rolls[mover]], told)

    def beginning(self, key: Key) -> tuple[int, int]:
        """How the round of an information state began.

        Returns:
            The number of the ring, and the turn in it of who opened the round: 0 is the agent itself. Always 0 if the
            agent does not hear who opened.
        """
        where = key.place // len(self._hands)
        return divmod(where, self.game.num_players) if self.settings.hears else (where, 0)

    def around(self, ring: int) -> tuple[tuple[int, int], ...]:
        """What :meth:`ring` has written: the dice and the player of each turn, the agent's first.

        Where the settings tell nobody apart all others are player 0.
        """
        players, others = self.game.num_players, []
        for _ in range(players - 1):
            ring, player = divmod(ring, players)
            ring, count = divmod(ring, self.game.dice + 1)
            if count:
                others.append((count, player))
        return ((ring, players - 1), *reversed(others))

    def hand(self, key: Key) -> Roll:
        """The agent's own dice at an information state."""
        return self._rolls[key.place % len(self._rolls)]

    def bids(self, key: Key) -> tuple[int, ...]:
        """The numbers of the bids that the agent goes by at an information state, counted from 0, lowest first."""
        return tuple(number for number in range(MOST_BIDS) if key.bids >> number & 1)

    def legal(self, key: Key) -> tuple[str, ...]:
        """The legal actions of an information state, in the order in which a row has them.

        Raises:
            ValueError: no game leads there.
        """
        ring, _ = self.beginning(key)
        total = sum(count for count, _ in self.around(ring))
        bids = [divmod(number, self.game.most) for number in self.bids(key)]
        last = max(((more + 1, face + 1) for face, more in bids), key=rank, default=None)
        if total < 2 or (last and (last[0] > total or last[1] > FACES)):
            raise ValueError(f"no game leads to {key}")
        return allowed(total, last)
