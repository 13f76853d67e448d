"""Equilibria found iteration by iteration, on the full tree: regret minimisation and fictitious play, one loop.

Each iteration decides what each player plays next, and adds that to the player's *average strategy*, every choice
weighted with the player's own probability of getting there. It is the average that approaches an equilibrium of a
two-player zero-sum game. The methods (:class:`Method`) differ in how the next play is decided:

* ``cfr``: counterfactual regret minimisation (Zinkevich, Johanson, Bowling and Piccione 2007). Every information
  state keeps for each action its regret: by how much more it would have brought so far, always taken, than what was
  played, weighted with the counterfactual reach. The next play is in proportion to the positive regrets. Both
  players move at once. NashConv falls at least with one over the root of the number of iterations.
* ``cfr+`` (Tammelin 2014): regrets are cut off at zero, the players take turns, each against the other's latest,
  and the t-th iteration has weight t in the average.
* ``fictitious play`` (Brown 1951; with trees Heinrich, Lanctot and Silver 2015, "XFP", steps of 1/t): the next play
  is a best response to the other's average strategy. Ties go to the first listed action.

All start from uniform play: with regrets and averages of nothing, every legal action is as likely. The cost is
counted in *nodes*: a pass over the tree counts every node once, also nodes that nobody plays to. One pass serves all
players who move at once: it hands the probabilities down and the values up. So ``cfr`` costs one pass an iteration,
``cfr+`` and ``fictitious play`` two, one a player.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from support.core.flat import FlatGame
from support.core.interface import DoesNotFitError
from support.core.policy import TabularPolicy, from_weights, probabilities_of
from support.exact.best_response import best_response, reach_of_others
from support.exact.kinds import own_sequences, play_order, require_zero_sum, taken_by
from support.learners.regret_matching import matched


@dataclass(frozen=True)
class Method:
    """How an iteration decides what is played next.

    Attributes:
        name: what the book calls it.
        passes: for each pass over the tree the players who move in it, against what is played by then. Every player
            moves in one pass.
        responds: whether the next play is a best response to the other's average, rather than matched to the regrets.
        floor: whether regrets are cut off at zero.
        linear: whether the t-th iteration has weight t in the average, rather than 1.
    """

    name: str
    passes: tuple[tuple[int, ...], ...]
    responds: bool = False
    floor: bool = False
    linear: bool = False

    def __post_init__(self) -> None:
        if sorted(player for movers in self.passes for player in movers) != [0, 1]:
            raise ValueError(f"players 0 and 1 must move in one pass each, not {self.passes}")


METHODS = {
    method.name: method
    for method in (
        Method("cfr", passes=((0, 1),)),
        Method("cfr+", passes=((0,), (1,)), floor=True, linear=True),
        Method("fictitious play", passes=((0,), (1,)), responds=True),
    )
}
"""The published methods, by name."""


def method_of(method: str | Method) -> Method:
    """The method of that name.

    Raises:
        ValueError: there is none; the message lists them.
    """
    if isinstance(method, Method):
        return method
    if method not in METHODS:
        raise ValueError(f"there is no method '{method}'; there are {', '.join(METHODS)}")
    return METHODS[method]


class Solver:
    """A run of one method on one game, in plain Python: slow, and meant to be read.

    Compiled counterparts: ``support.learners.cfr_fast.run``, number for number, and up to rounding
    ``support.learners.public_tree_fast.run``. Fictitious play responds in exact fractions here, so that its ties are
    true ties.

    Args:
        flat: an unfolded two-player zero-sum game of perfect recall that is sure to end.
        method: one of :data:`METHODS`, or its name.

    Attributes:
        iterations: how many were made.
        nodes: how many nodes they touched.
        regrets: for each slot the regret so far; zero throughout in fictitious play.
        weights: for each slot its weight in the average so far: the sum of the realisation weights of the iterations,
            each the product of the player's own probabilities down to this choice.

    Raises:
        ValueError: a game that is not of this kind, or no such method.
    """

    def __init__(self, flat: FlatGame, method: str | Method):
        self.flat, self.method, self.choices = flat, method_of(method), choices(flat)
        self.iterations = self.nodes = 0
        self.regrets = [0.0] * int(flat.slots[-1])
        self.weights = [0.0] * int(flat.slots[-1])
        self._rewards = [[float(reward[player]) for reward in flat.rewards] for player in (0, 1)]

    def run(self, iterations: int) -> None:
        """Make so many more iterations."""
        for _ in range(iterations):
            self.iterate()

    def average(self) -> TabularPolicy:
        """The average strategy of both players; uniform where a player never went."""
        return from_weights(self.flat, np.array(self.weights), f"average of {self.method.name}")

    def iterate(self) -> None:
        """Decide what both players play next, and add it to their averages."""
        self.iterations += 1
        played = [0.0] * len(self.regrets)
        for movers in self.method.passes:
            latest = self._matched()
            for player in movers:
                play = self._response(player) if self.method.responds else latest
                for slot in self._slots(player):
                    played[slot] = play[slot]
                if not self.method.responds:
                    self._add_regrets(player, latest)
            self.nodes += self.flat.num_nodes
        self._add_to_average(played)

    def _response(self, player: int) -> list[float]:
        """A best response to the average, one where the action is taken."""
        policy = best_response(self.flat, self.average(), player).policy
        play: list[float] = probabilities_of(self.flat, policy, without=1 - player).tolist()
        return play

    def _add_regrets(self, player: int, profile: Sequence[float]) -> None:
        """Add what the player would have gained with each of its actions on what was played."""
        flat, rewards = self.flat, self._rewards[player]
        edge_probabilities = [
            profile[slot] if slot >= 0 else float(chance)
            for slot, chance in zip(flat.slot.tolist(), flat.probability, strict=True)
        ]
        reach = reach_of_others(flat, edge_probabilities, player)
        values = [0.0] * flat.num_nodes
        for node in reversed(play_order(flat)):
            worths = [rewards[edge] + values[flat.child[edge]] for edge in flat.edges(node)]
            for edge, worth in zip(flat.edges(node), worths, strict=True):
                values[node] += edge_probabilities[edge] * worth
            if flat.player[node] == player:
                for edge, worth in zip(flat.edges(node), worths, strict=True):
                    self.regrets[flat.slot[edge]] += reach[node] * (worth - values[node])
        if self.method.floor:
            for slot in self._slots(player):
                self.regrets[slot] = max(self.regrets[slot], 0.0)

    def _add_to_average(self, played: Sequence[float]) -> None:
        weight = float(self.iterations) if self.method.linear else 1.0
        realised = [0.0] * len(played)
        for choice in self.choices:
            own = 1.0 if choice.before is None else realised[choice.before]
            for slot in choice.slots:
                realised[slot] = own * played[slot]
                self.weights[slot] += weight * realised[slot]

    def _slots(self, player: int) -> list[int]:
        """The slots of one player."""
        return [slot for choice in self.choices if choice.player == player for slot in choice.slots]

    def _matched(self) -> list[float]:
        """For each slot its share of its information state's positive regrets; equal shares where there are none."""
        shares = [0.0] * len(self.regrets)
        for choice in self.choices:
            shares[choice.slots.start : choice.slots.stop] = matched([self.regrets[slot] for slot in choice.slots])
        return shares


class Choice(NamedTuple):
    """An information state, as far as its player's own choices go.

    Attributes:
        player: whose it is.
        slots: of its actions.
        before: the slot of the player's last choice before; None where it has not chosen yet.
    """

    player: int
    slots: range
    before: int | None


@lru_cache(maxsize=8)
def choices(flat: FlatGame) -> tuple[Choice, ...]:
    """The information states of a two-player zero-sum game, each after the player's own choice that leads to it.

    Raises:
        ValueError: not two players, not zero-sum, no perfect recall, or the game may go on for ever.
    """
    if flat.num_players != 2:
        raise DoesNotFitError(
            f"the methods here are for two players; {flat.game.name} has {flat.num_players}: {taken_by(flat)}"
        )
    require_zero_sum(flat)
    before = {**own_sequences(flat, 0), **own_sequences(flat, 1)}
    met = dict.fromkeys(int(flat.information[node]) for node in play_order(flat) if flat.player[node] >= 0)
    slots = flat.slots.tolist()
    return tuple(
        Choice(
            flat.information_states[state][0],
            range(slots[state], slots[state + 1]),
            None if (last := before[state]) is None else slots[last[0]] + last[1],
        )
        for state in met
    )
