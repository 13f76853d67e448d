"""Wild ones, played move by move: the one plain loop, which every plain program of this room plays its games with.

Whoever learns, plans or tells a game takes its moves from :meth:`Match.moves` and does with each what it must::

    match = Match(game, Stream(seed, number))           # the players are seated
    for move in match.moves(choose):                    # choose(player, state) -> the actions to draw from
        if move.player == agent: ...                    # it has just decided
        if move.ends_round: ...                         # the dice are shown; move.after is the next round's beginning
        if not move.after.counts[match.seats.index(agent)]: break   # for one that leaves when it is out

The compiled counterparts are the steps of ``support.games.wild_ones.rules_fast``; :func:`play` plays the games of
``support.games.wild_ones.play_fast.play``, from the same random numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from support.core.interface import CHANCE
from support.core.play import Stream
from support.games.cups.digits import Digits
from support.games.wild_ones.policies import Policy, View
from support.games.wild_ones.rules import EXACT, LIAR, WildOnes, WildOnesState

PICK_BITS = 56  # of a number from which one of up to 218 legal actions is drawn


class Move(NamedTuple):
    """A decision of a player, and what came of it.

    Attributes:
        player: who made it.
        before: the state in which it was made.
        action: a bid or a challenge.
        after: the state that it led to; after a challenge nobody has rolled yet.
    """

    player: int
    before: WildOnesState
    action: str
    after: WildOnesState

    @property
    def ends_round(self) -> bool:
        """Whether it was a challenge."""
        return self.action in (LIAR, EXACT)


class Match:
    """A game among players who are seated at random; the first seat opens.

    One number of the stream seats all players; one rolls all dice of a player, seat by seat; one draws an action where
    a player leaves a choice.

    Args:
        game: the rules.
        stream: where the random numbers come from. The players are seated at once.

    Attributes:
        seats: the player who sits in each seat.
    """

    def __init__(self, game: WildOnes, stream: Stream):
        self.game, self.stream, self._digits = game, stream, Digits(stream).fresh()
        self.seats = list(range(game.num_players))
        for last in range(game.num_players - 1, 0, -1):
            other = self._digits.below(last + 1)
            self.seats[last], self.seats[other] = self.seats[other], self.seats[last]

    def moves(self, choose: Callable[[int, WildOnesState], Sequence[str]]) -> Iterator[Move]:
        """Play to the end, one decision after the other.

        Args:
            choose: of the player to move and the state, the actions of which one is drawn, each as likely as the
                others. It may take numbers of the stream.
        """
        state = self.game.initial_state().child(0)
        while not state.is_terminal():
            if state.current_player == CHANCE:
                state = state.child(self._digits.roll(state.counts[len(state.rolls)]))
                continue
            player = self.seats[state.current_player]
            choices = choose(player, state)
            before, action = state, choices[pick(len(choices), self.stream)]
            state = state.child(action)
            yield Move(player, before, action, state)

    def places(self, state: WildOnesState) -> tuple[int, ...]:
        """The place of each player, 1 for the winner; 0 while it is open."""
        by_seat = state.places()
        return tuple(by_seat[self.seats.index(player)] for player in range(len(by_seat)))


def pick(choices: int, stream: Stream) -> int:
    """A number from 0 to ``choices`` - 1; takes none of the stream where there is no choice."""
    return 0 if choices == 1 else (stream.next() >> (64 - PICK_BITS)) * choices >> PICK_BITS


@dataclass(frozen=True)
class Played:
    """A game that was played.

    Attributes:
        places: of each player, in the order of the policies: 1 is the winner.
        rounds: how many there were.
        decisions: of all players together.
        seats: the player who sat in each seat; the first opened.
        final: the finished game, its players in the order of their seats.
    """

    places: tuple[int, ...]
    rounds: int
    decisions: int
    seats: tuple[int, ...]
    final: WildOnesState


def play(game: WildOnes, policies: Sequence[Policy], stream: Stream) -> Played:
    """Play one game as :class:`Match` does.

    Args:
        game: the rules.
        policies: one a player.
        stream: where the random numbers come from.

    Raises:
        ValueError: not one policy a player.
    """
    if len(policies) != game.num_players:
        raise ValueError(f"{game.num_players} players need as many policies, not {len(policies)}")
    match = Match(game, stream)
    moves = list(match.moves(lambda player, state: policies[player].choices(View.of(state))))
    final = moves[-1].after
    return Played(match.places(final), sum(move.ends_round for move in moves), len(moves), tuple(match.seats), final)
