"""The result table: play what has paid best so far, explore now and then, count everything.

This is the method of Dave's *Dave Computes a Simple Machine Learning Algorithm* (2019). For every information state and
choice, a table keeps how often the choice was made and the total gained from there to the end of the game. A player
makes the choice that has gained most on average; once in a while it chooses at random. All players learn at once. The
counts give the learned strategy: the share of the games in which each choice was made.

The document leaves two things open, which :class:`ResultTableSettings` makes explicit: what value an untried choice
gets, and how ties are broken. This module is the plain counterpart of ``support.learners.result_table_fast``.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from typing import Annotated, TypeVar

from pydantic import Field

from support.core.checks import require_one_of, settings
from support.core.interface import CHANCE, Game, State
from support.core.play import Stream

TIES = ("first", "last", "random")
"""How ties are broken: in favour of the choice that the rules list first or last, or by a new draw each time."""
LEAST_EXPLORATION = Fraction(1, 100_000)  # the table of gaps grows as its inverse
FRACTION_BITS = 192  # of the fixed-point numbers in which the table of gaps is computed
T = TypeVar("T")
Key = tuple[int, str]
Made = tuple[Key, int, int | Fraction]
"""A choice that was made: where, its place among the legal actions, and the return of its player so far."""


@settings
class ResultTableSettings:
    """How the table is used.

    Attributes:
        exploration: the share of choices that are made at random, uniformly among the legal actions; 0, or from
            1/100,000 to 1.
        ties: which of several equally good choices is made, one of ``TIES``.
        untried: the value of an untried choice: a number in the units of the rewards, plus infinity to try it before
            all others, or minus infinity to try it only by chance.

    Raises:
        ValueError: a value is outside its range.
    """

    exploration: Fraction = Fraction(1, 100)
    ties: str = "first"
    untried: Annotated[float, Field(allow_inf_nan=True)] = 0.0

    def __post_init__(self) -> None:
        if self.exploration and not LEAST_EXPLORATION <= self.exploration <= 1:
            raise ValueError(f"exploration must be 0 or lie between {LEAST_EXPLORATION} and 1, not {self.exploration}")
        require_one_of("ties", self.ties, TIES)
        if math.isnan(self.untried):
            raise ValueError("untried must be a number or an infinity, not nan")


@cache
def gaps(exploration: Fraction) -> tuple[int, ...]:
    """The distribution of the gap to the next random choice, as bounds for one random 64-bit number.

    If each choice is random with probability e, the next random one is the k-th from now with probability
    e (1 - e)^(k - 1). So one random number per gap is enough, instead of one per choice: the number x means the gap
    1 + (number of bounds <= x).

    Returns:
        The integers 2^64 (1 - (1 - e)^k), rounded down, for k = 1, 2, ..., without the first that would be 2^64 - 1 or
        more and all after it: gaps rarer than once in 2^64 are cut off. Empty for e = 0 and for e = 1.
    """
    one = 1 << FRACTION_BITS
    if exploration in (0, 1):
        return ()
    stays = one - exploration.numerator * one // exploration.denominator
    remaining, bounds, top = stays, [], (1 << 64) - 1
    while (bound := (one - remaining) >> (FRACTION_BITS - 64)) < top:
        bounds.append(bound)
        remaining = remaining * stays >> FRACTION_BITS
    return tuple(bounds)


class ResultTable:
    """The table: for each player and information state, two numbers per choice.

    Attributes:
        counts: how often each choice was made, by (player, information state), in the order of the legal actions.
        won: the total gained from each choice to the end of the game, in the units of the rewards.
    """

    def __init__(self, untried: float = 0.0):
        self.counts: dict[Key, list[int]] = {}
        self.won: dict[Key, list[int | Fraction]] = {}
        self.untried = untried

    def value(self, key: Key, place: int) -> float:
        """The average gain of a choice; ``untried`` if it was never made."""
        count = self.counts[key][place]
        return float(self.won[key][place]) / count if count else self.untried

    def best(self, key: Key) -> list[int]:
        """The places of the choices with the highest value."""
        values = [self.value(key, place) for place in range(len(self.counts[key]))]
        return [place for place, value in enumerate(values) if value == max(values)]

    def meet(self, key: Key, choices: int) -> None:
        """Add rows for an information state if it is new."""
        self.counts.setdefault(key, [0] * choices)
        self.won.setdefault(key, [0] * choices)

    def credit(self, made: Sequence[Made], end: State) -> None:
        """Record the outcome of a game for every choice made in it: what its player gained from there to the end."""
        for key, place, before in made:
            self.counts[key][place] += 1
            self.won[key][place] += end.returns()[key[0]] - before

    def record(self, game: Game, text: str) -> None:
        """Record a game given in notation: ``table.record(AceKingQueen(), "K Q: r r c")``.

        Raises:
            NotationError: the text cannot be read.
            ValueError: the game is not over.
        """
        states, made = game.states(text), []
        if not states[-1].is_terminal():
            raise ValueError(f"the game '{text}' is not over, so nobody knows what its choices gained")
        for state, after in pairwise(states):
            if state.current_player >= 0:
                key = (state.current_player, state.information_state(state.current_player))
                children = [state.child(action) for action in state.legal_actions()]
                self.meet(key, len(children))
                made.append((key, children.index(after), state.returns()[key[0]]))
        self.credit(made, states[-1])


@dataclass
class ResultTableLearner:
    """All players, who share one table.

    Chance has its own stream of random numbers, so runs with the same seed meet the same deals whatever the settings.
    The other stream is for random choices and ties, in order of play.
    """

    settings: ResultTableSettings
    table: ResultTable
    seed: InitVar[int]
    chance: Stream = field(init=False)
    stream: Stream = field(init=False)
    gap: int = field(init=False)

    def __post_init__(self, seed: int) -> None:
        self.chance, self.stream = Stream(seed, 0), Stream(seed, 1)
        self.gap = self.next_gap()

    @cached_property
    def bounds(self) -> tuple[int, ...]:
        """The distribution of the gaps between random choices."""
        return gaps(self.settings.exploration)

    def next_gap(self) -> int:
        """The number of choices up to and including the next random one; 0 if there is none."""
        if self.settings.exploration == 0:
            return 0
        return 1 + bisect_right(self.bounds, self.stream.next())

    def among(self, choices: Sequence[T]) -> T:
        """One of several choices, uniformly: the top 32 bits of a random number, scaled."""
        return choices[(self.stream.next() >> 32) * len(choices) >> 32]

    def choose(self, key: Key, choices: int) -> int:
        """The place of the choice to make."""
        self.gap -= 1
        if self.gap == 0:
            place = self.among(range(choices))
            self.gap = self.next_gap()
            return place
        best = self.table.best(key)
        if self.settings.ties == "random" and len(best) > 1:
            return self.among(best)
        return best[-1 if self.settings.ties == "last" else 0]

    def play(self, state: State) -> None:
        """Play one game from ``state`` to its end, then update the table."""
        made: list[Made] = []
        while not state.is_terminal():
            if state.current_player == CHANCE:
                state = state.child(self.chance.draw(state.chance_outcomes()))
                continue
            player, legal = state.current_player, state.legal_actions()
            key = (player, state.information_state(player))
            self.table.meet(key, len(legal))
            place = self.choose(key, len(legal))
            made.append((key, place, state.returns()[player]))
            state = state.child(legal[place])
        self.table.credit(made, state)


def learn(game: Game, settings: ResultTableSettings, games: int, seed: int) -> ResultTable:
    """Play games and fill a new table, through the interface, one state at a time.

    Args:
        game: any game that implements the interface.
        settings: exploration, ties, untried choices.
        games: number of games.
        seed: 64-bit seed.
    """
    learner = ResultTableLearner(settings, ResultTable(settings.untried), seed)
    for _ in range(games):
        learner.play(game.initial_state())
    return learner.table
