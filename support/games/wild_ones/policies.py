"""The fixed policies of wild ones, by exact probabilities, and policies written out as tables.

The opponents of Alexandre Forestier Foray's *Learning Liar's dice with deep Q-learning* (2026). Each of them weighs an
action by the probability, given its own dice, that it is true: that a bid holds; for *liar*, that the last bid does
not; for *exact*, that exactly as many dice count as were bid. A die that it does not see counts towards ones with
probability 1/6 and towards any other face with 1/3; it infers nothing from the bids of others.

A policy decides by a :class:`View`. If it never mixes, or draws from all legal actions, it can be written out as a
table over all views, which compiled play reads.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import combinations_with_replacement, cycle, islice
from math import comb, floor
from operator import eq, itemgetter
from typing import Any

import numpy as np

from support.games.cups.rolls import FACES, Roll, all_rolls
from support.games.wild_ones.rules import (
    EXACT,
    LIAR,
    WILD,
    Bid,
    WildOnes,
    WildOnesState,
    allowed,
    bid_of,
    counted,
    observed,
)

DRAWS, UNSEEN = -1, -2
"""Entries of a table that are not actions: one drawn from all legal actions; a view that no game leads to."""


@cache
def exactly(dice: int, number: int, face: int) -> int:
    """In how many of the 6^n rolls of n = ``dice`` dice exactly ``number`` count for a face, ones included."""
    if not 0 <= number <= dice:
        return 0
    sides = 1 if face == WILD else 2
    ways: int = comb(dice, number) * sides**number * (FACES - sides) ** (dice - number)
    return ways


@cache
def at_least(dice: int, need: int, face: int) -> int:
    """In how many of the 6^n rolls of n = ``dice`` dice ``need`` or more count for a face, ones included."""
    return sum(exactly(dice, number, face) for number in range(max(need, 0), dice + 1))


@dataclass(frozen=True)
class View:
    """What the player to move decides by: what the document's network sees.

    Attributes:
        hand: its own dice, sorted.
        total: the number of dice in play.
        last: the bid to outbid or to challenge; None for the opener.
        before, after: the numbers of dice of the players before and after it; 0 if the policy ignores them.
    """

    hand: Roll
    total: int
    last: Bid | None = None
    before: int = 0
    after: int = 0

    @classmethod
    def of(cls, state: WildOnesState) -> "View":
        """The view of the player to move.

        Raises:
            ValueError: nobody is to move.
        """
        before, after = state.observation()[:2]
        return cls(state.rolls[state.current_player], state.total, state.last, before, after)

    def legal(self) -> tuple[str, ...]:
        """The legal actions, in the order that decides ties."""
        return allowed(self.total, self.last)

    def observation(self) -> tuple[int, ...]:
        """The 15 inputs of the document's network."""
        return observed(self.before, self.after, self.total, self.last, self.hand)

    @property
    def rolls(self) -> int:
        """The number of rolls of the dice that the player does not see."""
        rolls: int = FACES ** (self.total - len(self.hand))
        return rolls

    def ways(self, action: str) -> int:
        """In how many of these rolls an action is true.

        Raises:
            ValueError: there is no such action, or no bid for it to challenge.
        """
        bid = self.last if action in (LIAR, EXACT) else bid_of(action)
        if bid is None:
            raise ValueError(f"there is no bid for {action!r} to challenge")
        quantity, face = bid
        unseen, need = self.total - len(self.hand), quantity - counted(self.hand, face)
        if action == EXACT:
            return exactly(unseen, need, face)
        holds = at_least(unseen, need, face)
        return self.rolls - holds if action == LIAR else holds

    def chance(self, action: str) -> Fraction:
        """The probability that an action is true, given the hand."""
        return Fraction(self.ways(action), self.rolls)

    def weighed(self) -> list[tuple[int, str]]:
        """For each legal action, in the order that decides ties, in how many rolls it is true, and the action."""
        bids = _ways_of_bids(self.hand, self.total)
        return [(bids[action] if action in bids else self.ways(action), action) for action in self.legal()]


@lru_cache(maxsize=16)  # those who write out all views go through the last bids of a hand one after the other
def _ways_of_bids(hand: Roll, total: int) -> dict[str, int]:
    view = View(hand, total)
    return {action: view.ways(action) for action in view.legal()}


class Policy(ABC):
    """A rule for what to do in each view."""

    @abstractmethod
    def choices(self, view: View) -> tuple[str, ...]:
        """The actions that it may take, all equally likely."""

    def action_probabilities(self, state: WildOnesState) -> dict[str, Fraction]:
        """The probability of each legal action for the player to move in ``state``."""
        taken = self.choices(View.of(state))
        return {action: Fraction(action in taken, len(taken)) for action in state.legal_actions()}


@dataclass(frozen=True)
class Survivalist(Policy):
    """Takes the action that is most likely to be true; the last if tied, which bids most."""

    def choices(self, view: View) -> tuple[str, ...]:
        """The single action that it takes."""
        return (max(reversed(view.weighed()), key=_ways)[1],)


@dataclass(frozen=True)
class Aggressive(Policy):
    """Takes the action least likely to be true above a threshold, the last if tied; if none is, the survivalist's.

    Args:
        threshold: the probability that must be exceeded.

    Raises:
        ValueError: ``threshold`` is not a probability.
    """

    threshold: Fraction = Fraction(1, 2)

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold must lie between 0 and 1, not {self.threshold}")

    def choices(self, view: View) -> tuple[str, ...]:
        """The single action that it takes."""
        limit = floor(self.threshold * view.rolls)  # a whole number exceeds the product if it exceeds this
        above = [pair for pair in view.weighed() if pair[0] > limit]
        return (min(reversed(above), key=_ways)[1],) if above else Survivalist().choices(view)


@dataclass(frozen=True)
class Random(Policy):
    """Takes any legal action."""

    def choices(self, view: View) -> tuple[str, ...]:
        """All legal actions."""
        return view.legal()


POLICIES: dict[str, Policy] = {"survivalist": Survivalist(), "aggressive": Aggressive(), "random": Random()}
"""The fixed policies by name."""
_ways = itemgetter(0)


@dataclass(frozen=True)
class Views:
    """All views that a game of this size can lead to, and their places in a table.

    The axes of a table are dice in play, neighbours, hand, last bid. Hands are numbered by size, then
    lexicographically, the empty one first; bids as the game numbers them, less one, so that 0 is no bid. Neighbours
    are ``before * (dice + 1) + after``, or one place for all if a policy ignores them.

    Args:
        game: the rules.
        neighbours: whether views differ by the dice of the players before and after.
    """

    game: WildOnes
    neighbours: bool = False

    @cached_property
    def hands(self) -> tuple[Roll, ...]:
        """All hands, by number."""
        faces = range(1, FACES + 1)
        return tuple(hand for dice in range(self.game.dice + 1) for hand in combinations_with_replacement(faces, dice))

    @cached_property
    def first_hand(self) -> np.ndarray:
        """int64[dice + 2], the number of the first hand with each number of dice; the last is the number of hands."""
        return np.searchsorted([len(hand) for hand in self.hands], np.arange(self.game.dice + 2))

    @cached_property
    def ways(self) -> np.ndarray:
        """int64[hands], in how many ways each hand is rolled."""
        rolls = ((chance, dice) for dice in range(self.game.dice + 1) for _, chance in all_rolls(dice))
        return np.array([int(chance * FACES**dice) for chance, dice in rolls])

    @cached_property
    def _numbers(self) -> dict[Roll, int]:
        return {hand: number for number, hand in enumerate(self.hands)}

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """The shape of a table."""
        sides = (self.game.dice + 1) ** 2 if self.neighbours else 1
        return self.game.most + 1, sides, len(self.hands), self.game.num_actions - 1

    def place(self, view: View) -> tuple[int, int, int, int]:
        """The place of a view in a table."""
        side = view.before * (self.game.dice + 1) + view.after if self.neighbours else 0
        return view.total, side, self._numbers[view.hand], self.game.bid_number(view.last)

    def view(self, place: Iterable[int]) -> View:
        """The view at a place of a table."""
        total, side, hand, bid = map(int, place)
        before, after = divmod(side, self.game.dice + 1)
        return View(self.hands[hand], total, self.game.bids[bid], before, after)

    @cached_property
    def reached(self) -> np.ndarray:
        """bool, in the shape of a table: whether some game leads to each view."""
        players, dice = self.game.num_players, self.game.dice
        total, side, own, bid = np.ogrid[tuple(slice(length) for length in self.shape)]
        own = np.array([len(hand) for hand in self.hands])[None, None, :, None]
        others = total - own
        if self.neighbours:
            before, after = np.divmod(side, dice + 1)
            rest = others - before - after
            alone = (before == after) & (others == before)
            seated = (before > 0) & (after > 0) & (alone | ((rest >= 0) & (rest <= (players - 3) * dice)))
        else:
            seated = (others > 0) & (others <= (players - 1) * dice)
        quantity = np.where(bid > 0, (bid - 1) % self.game.most + 1, 0)
        reached: np.ndarray = (own > 0) & seated & (quantity <= total)
        return reached

    def __iter__(self) -> Iterator[View]:
        return map(self.view, np.argwhere(self.reached))


def table(views: Views, policy: Policy) -> np.ndarray:
    """A policy written out for compiled play.

    Returns:
        int16, in the shape of ``views``: the number of the action, ``DRAWS`` for any legal action, or ``UNSEEN`` for a
        view that no game leads to.

    Raises:
        ValueError: the policy mixes some legal actions, but not all of them.
    """
    written = np.full(views.shape, UNSEEN, np.int16)
    for view in views:
        taken = policy.choices(view)
        if len(taken) > 1 and len(taken) < len(view.legal()):
            raise ValueError(f"a table holds one action or all legal ones, not {', '.join(taken)} at {view}")
        written[views.place(view)] = views.game.number(taken[0]) if len(taken) == 1 else DRAWS
    return written


@cache
def _table_of(game: WildOnes, name: str) -> np.ndarray:
    return table(Views(game), POLICIES[name])


def tables(game: WildOnes, names: Iterable[str]) -> list[np.ndarray]:
    """The tables of some of ``POLICIES``, by name; each is written out once."""
    return [_table_of(game, name) for name in names]


def usual(game: WildOnes) -> list[str]:
    """The names of the usual opponents: a survivalist and an aggressive player, in turn."""
    return list(islice(cycle(("survivalist", "aggressive")), game.num_players - 1))


def require_opponents(game: WildOnes, opponents: Sequence[Any]) -> None:
    """Check that there is an opponent, or its table, for every player but one.

    Raises:
        ValueError: there are more or fewer.
    """
    others = game.num_players - 1
    if len(opponents) != others:
        raise ValueError(f"a game of {others + 1} players needs {others} opponents, not {len(opponents)}")


@dataclass(frozen=True, eq=False)
class Written(Policy):
    """A policy read from a table.

    Args:
        views: the layout of the table.
        entries: int16, the table, as :func:`table` writes it.
    """

    views: Views
    entries: np.ndarray

    def choices(self, view: View) -> tuple[str, ...]:
        """The action in the table, or all legal actions."""
        entry = int(self.entries[self.views.place(view)])
        return view.legal() if entry == DRAWS else (self.views.game.action(entry),)


def kinds_of(opponents: Sequence[Any], same: Callable[[Any, Any], bool] = eq) -> list[int]:
    """The kind of each opponent, numbered from 0 in the order in which kinds appear.

    Args:
        opponents: policies, or their tables.
        same: whether two of them are of one kind.
    """
    kinds: list[int] = []
    firsts: list[Any] = []
    for one in opponents:
        kinds.append(next((kind for kind, other in enumerate(firsts) if same(one, other)), len(firsts)))
        if kinds[-1] == len(firsts):
            firsts.append(one)
    return kinds
