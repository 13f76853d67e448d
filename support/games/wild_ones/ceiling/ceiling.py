"""The best response to fixed opponents in wild ones: its decisions, and how often they win.

The chain of rounds is solved by policy iteration (Howard 1960): in floats until nothing improves, and then in whole
numbers until no action at any node is better for any hand, by however little.
"""

from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm
from typing import NamedTuple, cast

import numpy as np

from support.games.cups.rolls import Roll
from support.games.wild_ones.ceiling.chain import (
    LOSES,
    WINS,
    Number,
    Ring,
    Start,
    after,
    kinds_and_tables,
    solve,
    start_of,
    starts,
    starts_by_seating,
)
from support.games.wild_ones.ceiling.places import Places, fixed, require, shares
from support.games.wild_ones.ceiling.rounds import LastBidRound, Round
from support.games.wild_ones.rules import WildOnes, WildOnesState

QUICK = {(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1)}
"""Players and dice for which the ceiling takes some seconds at most."""


class Decision(NamedTuple):
    """A decision of the best responder.

    Attributes:
        values: for each legal action, in order, the probability of winning the game if it is taken and all later
            decisions are optimal.
        best: the best action, the first listed if tied.
        value: its probability of winning.
    """

    values: dict[str, Number]
    best: str
    value: Number


class Ceiling:
    """The best response to fixed opponents, and its probability of winning.

    The player knows which opponent sits where, what each of them does in any view, and all bids of the round; earlier
    rounds add nothing but the dice left. Without ``all_bids`` it learns only the last bid at each of its turns, and
    remembers these and its own: its result is at most the ceiling, and at least that of any policy by
    :class:`~support.games.wild_ones.policies.View`.

    Args:
        game: the rules.
        opponents: a table for each opponent, as ``support.games.wild_ones.policies.table`` writes it. An opponent that
            draws must do so with all hands or with none, and takes long to compute.
        exact: whether to go on in whole numbers after floats have settled. Then all values are fractions, and the
            policy is optimal without any error.
        all_bids: whether it goes by all bids of the round, or by the last at each of its turns.

    Attributes:
        values: the probability of winning for each beginning of a round at which the player has dice.
        kinds: the kind of each player; the best responder is of kind 0.
        tables: the tables of kinds 1, 2, ...
        rounds: the unfolded round for each ring of kinds and dice.
        chosen: the best actions for each ring, as :meth:`~support.games.wild_ones.ceiling.rounds.Round.best` has them.

    Raises:
        ValueError: there is not one table for each opponent, or a table has another shape, plays an illegal action, or
            draws with some hands only.
    """

    def __init__(self, game: WildOnes, opponents: Sequence[np.ndarray], exact: bool = True, all_bids: bool = True):
        self.game, self.exact, self.all_bids = game, exact, all_bids
        require(game, opponents, game.num_players - 1)
        self.kinds, distinct = kinds_and_tables(opponents)
        self.tables = distinct
        self._starts = [start for start in starts(game, self.kinds) if start.kinds[0] == 0]
        unfold = Round if all_bids else LastBidRound
        self.rounds = {start[:2]: unfold(game, start, [None, *distinct]) for start in self._starts if start.opener == 0}
        self.values: dict[Start, Number] = {start: 1 / len(start.kinds) for start in self._starts}
        self.chosen: dict[Ring, np.ndarray] = {}
        self._iterate()

    def _iterate(self) -> None:
        """Policy iteration: floats until nothing improves; then, if asked for, whole numbers."""
        for exact in (False, True) if self.exact else (False,):
            changed = True
            while changed:
                if exact or self.chosen:
                    self.values = self._evaluate(exact)
                changed, scale = False, self._scale() if exact else 0
                for key, unfolded in self.rounds.items():
                    _, on_edges = unfolded.values(self.worth_of_ends(unfolded, scale))
                    self.chosen[key], new = unfolded.best(on_edges, self.chosen.get(key))
                    changed |= new
        if self.exact:  # ties go to the first listed, whatever the iteration went through
            scale = self._scale()
            for key, unfolded in self.rounds.items():
                self.chosen[key], _ = unfolded.best(unfolded.values(self.worth_of_ends(unfolded, scale))[1])
            if self._evaluate(True) != self.values:
                # No table is known that leads here.
                raise ArithmeticError("the first listed of equal actions are not worth the same")  # pragma: no cover

    def _evaluate(self, exact: bool) -> dict[Start, Number]:
        """The values of the chosen actions."""

        def gain(start: Start, turn: int, later: Start) -> dict[Hashable, int]:
            return {"won": int(later.kinds == (0,))}

        found = solve(self._chain(exact), self.game.dice, gain, exact)
        return {start: row["won"] for start, row in found.items()}

    def _chain(self, exact: bool = True) -> dict[Start, Mapping[tuple[int, int], Number]]:
        """How the rounds end in which the player takes part."""
        return {
            start: self.rounds[start[:2]].ends(start.opener, self.chosen[start[:2]], exact) for start in self._starts
        }

    def _scale(self) -> int:
        """A common denominator of all values."""
        return lcm(*(cast(Fraction, value).denominator for value in self.values.values()))

    def worth_of_ends(self, unfolded: Round, scale: int = 0) -> np.ndarray:
        """[turns, 2], the values of the ends of a round: times a common denominator, or as floats if that is 0."""
        worth = np.empty((unfolded.players, 2), object if scale else float)
        for turn, change in product(range(unfolded.players), (LOSES, WINS)):
            value = self.value_of(after(unfolded.start, turn, change, self.game.dice))
            worth[turn, change] = int(value * scale) if scale else float(value)
        return worth

    def value_of(self, start: Start) -> Number:
        """The probability of winning at any beginning of a round, including those at which the game is decided."""
        if len(start.kinds) > 1 and start.kinds[0] == 0:
            return self.values[start]
        return Fraction(start.kinds[0] == 0)

    @cached_property
    def by_seating(self) -> dict[tuple[int, ...], Number]:
        """The probability of winning for each seating of the players, seat by seat; player 0 decides, seat 1 opens."""
        return {seats: self.values[start] for seats, start in starts_by_seating(self.game, self.kinds).items()}

    @cached_property
    def win_probability(self) -> Number:
        """The probability that player 0 wins if players are seated at random."""
        return sum(self.by_seating.values()) / len(self.by_seating)

    @cached_property
    def places(self) -> Places:
        """How often each player comes in first, second, ..., seated at random; player 0 decides."""
        others = [start for start in starts(self.game, self.kinds) if start.kinds[0] != 0]
        return shares(self.game, self.kinds, {**fixed(self.game, [None, *self.tables], others), **self._chain()})

    def decision(self, state: WildOnesState, seats: Sequence[int]) -> Decision:
        """The values of player 0's actions in a state in which it is to move.

        Args:
            state: the state; the other players' dice are not used.
            seats: the player in each seat.

        Raises:
            ValueError: another player is to move, or these opponents never make the bids so far.
        """
        start, node = self._node(state, seats)
        unfolded = self.rounds[start[:2]]
        hand = unfolded.hands.rolls.index(state.rolls[state.current_player])
        scale = self._scale() if self.exact else 0
        _, on_edges = unfolded.values(self.worth_of_ends(unfolded, scale))
        rolls, values = unfolded.rolls(node), {}
        for edge in unfolded.edges(node):
            worth, action = on_edges[edge, hand], self.game.action(int(unfolded.action[edge]))
            values[action] = Fraction(worth) / (rolls * scale) if scale else worth / rolls
        best = list(values)[self.chosen[start[:2]][node, hand]]
        return Decision(values, best, values[best])

    def possible(self, state: WildOnesState, seats: Sequence[int]) -> dict[int, dict[Roll, Fraction]]:
        """The hands that each opponent with dice may hold, with their probabilities, when player 0 is to move.

        The arguments and errors are those of :meth:`decision`; the ceiling must go by all bids.
        """
        if not self.all_bids:
            raise ValueError("the hands that opponents can hold need a ceiling with all_bids=True")
        start, node = self._node(state, seats)
        unfolded = self.rounds[start[:2]]
        ring = [(state.current_player + step) % len(seats) for step in range(len(seats))]
        others = [seats[seat] for seat in ring if state.counts[seat]][1:]
        return {player: unfolded.possible(node, turn) for turn, player in enumerate(others, 1)}

    def _node(self, state: WildOnesState, seats: Sequence[int]) -> tuple[Start, int]:
        """The beginning of the round, and the node that its bids lead to; player 0 must be to move."""
        mover = state.current_player
        if sorted(seats) != list(range(self.game.num_players)) or mover < 0 or seats[mover] != 0:
            raise ValueError(f"player 0, seated as {tuple(seats)}, is not to move after '{state}'")
        assert state.opener is not None
        start = start_of([self.kinds[player] for player in seats], state.counts, state.opener)
        bids = [1 + self.game.bid_number(bid) for bid in state.bids]
        return start, self.rounds[start[:2]].node_after(start.opener, bids)
