"""Two equals with dice under cups: what a game is worth when both play as well as can be, round by round.

Once a round has ended, all that matters is how many dice each has left and who opens the next. So each round is a small
zero-sum game of its own (:class:`Round`), and an end of it pays what the next round is worth. Rounds are named by the
dice of the opener and of the other player; who sits where makes no difference. If one began with more dice than the
other, so that it can win back more, the dice at the beginning belong to the name. Where the rules make the opener's
bid, that bid is known to both, so there is a round for each.

*Worth* is the probability of winning the whole game less that of losing it. Where no round can follow itself, it is a
fraction (:func:`solved`). Where one can, as in wild ones with one die each, its worth solves an equation in which it
appears on both sides, and may be irrational; the guarantees of :mod:`support.games.cups.equal_player` enclose it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

from support.core.flat import unfold
from support.core.interface import CHANCE, TERMINAL, DoesNotFitError, Game, State
from support.core.policy import InformationState, TabularPolicy
from support.exact import sequence_form
from support.games.cups.rolls import Roll, all_rolls
from support.games.cups.round import Bid, CupsGame, CupsState

Counts = tuple[int, ...]
"""The dice of the opener and of the other player; then those of the beginning, if one had more than the other."""
Worths = Mapping[Counts, Fraction]
"""What a round is worth to its opener, by the dice of both."""
Pays = Callable[[CupsState], Fraction]
"""What the first seat gets, by the state after the round."""
Deals = tuple[tuple[tuple[Roll, Roll], Fraction], ...]
"""What both may roll, with its probability."""


def turned(state: CupsState) -> CupsState:
    """The same round with the opener in the first seat.

    Args:
        state: a state of a game of two players whose opener is known.
    """
    if state.opener == 0:
        return state
    dice = starts(state.game)
    game = state.game if dice[0] == dice[1] else replace(state.game, starts=dice[::-1])
    return state.but(game=game, counts=state.counts[::-1], opener=0, rolls=state.rolls[::-1])


def starts(game: CupsGame) -> Counts:
    """How many dice each player has at the beginning."""
    dice: Counts = getattr(game, "starts", (game.dice,) * game.num_players)
    return dice


def named(state: CupsState) -> Counts:
    """The name of a round.

    Args:
        state: a state of it, in a game of two players whose opener is known.
    """
    state = turned(state)
    dice = starts(state.game)
    return state.counts if dice[0] == dice[1] else (*state.counts, *dice)


def following(worths: Worths) -> Pays:
    """What the first seat gets at the end of a round, if the next rounds are worth so much to their openers."""

    def pays(after: CupsState) -> Fraction:
        sign = 1 if after.opener == 0 else -1  # if the game is over, the winner opens
        return Fraction(sign) if after.is_terminal() else sign * worths[named(after)]

    return pays


@dataclass(frozen=True, eq=False)
class Round(Game):
    """A round whose opener sits in the first seat.

    Args:
        start: the state before anybody rolls; the first player opens.
        pays: what the first seat gets from the second, by the state after the round.
        rolls: what both may roll, with its probability.
    """

    start: CupsState
    pays: Pays
    rolls: Deals
    name = "round"
    num_players = 2

    def initial_state(self) -> "RoundState":
        """The state before both roll."""
        return RoundState(self, self.start)


@dataclass(frozen=True, eq=False)
class RoundState(State):
    """A state of a round.

    Args:
        game: the round.
        inner: the state of the whole game.
        over: whether a challenge has ended the round.
    """

    game: Round
    inner: CupsState
    over: bool = False

    @property
    def current_player(self) -> int:
        """As in the whole game, up to the first challenge."""
        return TERMINAL if self.over else self.inner.current_player

    def legal_actions(self, player: int | None = None) -> tuple[Any, ...]:
        """As in the whole game, up to the first challenge."""
        return () if self.over else self.inner.legal_actions(player)

    def chance_outcomes(self) -> tuple[tuple[Any, Fraction], ...]:
        """What both roll, at once."""
        return self.game.rolls if self.current_player == CHANCE else ()

    def child(self, action: Any) -> "RoundState":
        """Roll, bid or challenge."""
        self.require(action)
        if self.current_player == CHANCE:
            return RoundState(self.game, self.inner.child(action[0]).child(action[1]))
        after = self.inner.child(action)
        return RoundState(self.game, after, after.rolls != self.inner.rolls)

    @property
    def position(self) -> tuple[str, ...]:
        """All moves, so that the unfolded round is a tree."""
        return self.inner.past

    def information_state(self, player: int) -> str:
        """As in the whole game.

        Raises:
            ValueError: there is no such player.
        """
        return self.inner.information_state(player)

    def rewards(self) -> tuple[Fraction, Fraction]:
        """What follows is worth something at the end; nothing is paid before."""
        return self.returns()

    def returns(self) -> tuple[Fraction, Fraction]:
        """What the state after the round is worth to each; 0 until the round is over."""
        worth = self.game.pays(self.inner) if self.over else Fraction(0)
        return worth, -worth

    def action_to_string(self, action: Any) -> str:
        """Both rolls, the opener's first, or a bid or challenge as it is."""
        return action if isinstance(action, str) else " ".join(map(self.inner.action_to_string, action))

    def __str__(self) -> str:
        return str(self.inner)


def whole_round(game: CupsGame, counts: Counts, pays: Pays) -> Round:
    """The round in which the players have these dice.

    Args:
        game: the rules, for two players.
        counts: the name of the round.
        pays: what the opener gets from the other, by the state after the round.
    """
    opened: Any = game.initial_state().child(0)
    if counts[2:] not in ((), starts(game)):
        opened = turned(opened.but(opener=1))
    both = product(all_rolls(counts[0]), all_rolls(counts[1]))
    rolls = tuple(((first, second), chance * other) for (first, chance), (second, other) in both)
    return Round(opened.but(counts=counts[:2]), pays, rolls)


def rounds(game: CupsGame, counts: Counts, pays: Pays) -> Iterator[tuple[Fraction, Round]]:
    """The same, or a round for each bid that the rules may make for the opener.

    Returns:
        Pairs of a probability and a round.
    """
    whole = whole_round(game, counts, pays)
    found: dict[tuple[Bid, ...], list[tuple[tuple[Roll, Roll], Fraction]]] = defaultdict(list)
    for rolls, chance in whole.rolls:
        found[whole.start.child(rolls[0]).child(rolls[1]).bids].append((rolls, chance))
    for part in found.values():
        weight = sum((chance for _, chance in part), Fraction(0))
        yield weight, Round(whole.start, pays, tuple((rolls, chance / weight) for rolls, chance in part))


def beginnings(game: CupsGame) -> Iterator[Counts]:
    """The names of all rounds, each after those with fewer dice.

    Where dice can be won back, a round may also follow itself, or one with fewer dice.

    Raises:
        DoesNotFitError: not two players, or more than one die each where dice can be won back; there are too many bids.
    """
    if game.num_players != 2:
        raise DoesNotFitError(f"equals are two players, not {game.num_players}")
    dice = starts(game)
    if game.wins_back and min(dice) > 1:
        raise DoesNotFitError(f"{game.name} is solved with 1 die each: of {game.dice}, a lost one can be won back")
    sides = {dice, dice[::-1]}
    names = {(*counts, *own) for own in sides for counts in product(*(range(1, most + 1) for most in own))}
    for name in sorted(names, key=lambda name: (sum(name[:2]), name)):
        yield name if len(sides) > 1 else name[:2]


@dataclass(frozen=True, eq=False)
class Solved:
    """A game between equals, solved exactly.

    Attributes:
        worths: what each round is worth to its opener, by the dice of the opener and of the other.
        policies: an equilibrium of each round; the opener is player 0. Its information states are the game's.
    """

    worths: Worths
    policies: Mapping[Counts, TabularPolicy]


def solved(game: CupsGame) -> Solved:
    """The exact worth of every round and an equilibrium in it, from the fewest dice to the most.

    Args:
        game: the rules, for two players; no die can be won back.

    Raises:
        DoesNotFitError: not two players, or dice that can be won back; or, as TooLargeError, rounds that are too large.
    """
    if game.wins_back:
        raise DoesNotFitError(f"a round of {game.name} can follow itself")
    worths: dict[Counts, Fraction] = {}
    policies: dict[Counts, TabularPolicy] = {}
    for counts in beginnings(game):
        worths[counts], policies[counts] = solved_round(game, counts, worths)
    return Solved(worths, policies)


def solved_round(game: CupsGame, counts: Counts, worths: Worths) -> tuple[Fraction, TabularPolicy]:
    """The exact worth of a round to its opener, and an equilibrium, proved by best responses.

    Args:
        game: the rules, for two players.
        counts: the dice of the opener and of the other.
        worths: what the rounds that may follow are worth to their openers.

    Raises:
        TooLargeError: the round has too many positions or information states.
    """
    worth = Fraction(0)
    table: dict[InformationState, Mapping[Any, Fraction]] = {}
    for chance, part in rounds(game, counts, following(worths)):
        equilibrium = sequence_form.solve(unfold(part))
        worth += chance * equilibrium.value
        for policy in equilibrium.policies:
            table.update(policy.table)
    return worth, TabularPolicy(table, "equilibrium")
