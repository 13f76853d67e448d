"""Iterative equilibrium finding on the full tree: regret minimisation and fictitious play, in one loop.

Each iteration decides each player's next strategy and adds it to the player's *average strategy*, with every choice
weighted by the player's own probability of getting there. In a two-player zero-sum game, the average approaches an
equilibrium. The methods (:class:`Method`) differ in how they decide the next strategy:

* ``cfr``: counterfactual regret minimisation (Zinkevich, Johanson, Bowling and Piccione 2007). Every information
  state keeps a regret for each action: how much more the action would have gained so far, had it always been taken,
  than what was played, weighted by the counterfactual reach. The next strategy is in proportion to the positive
  regrets. Both players move at once. NashConv falls at least as fast as one over the square root of the number of
  iterations.
* ``cfr+`` (Tammelin 2014): negative regrets are set to zero, the players take turns, each against the other's latest
  strategy, and the t-th iteration has weight t in the average.
* ``fictitious play`` (Brown 1951; on trees Heinrich, Lanctot and Silver 2015, "XFP", steps of 1/t): the next strategy
  is a best response to the other's average strategy. Ties go to the first listed action.

All methods start from uniform play: before there are regrets or averages, all legal actions are equally likely. The
cost is counted in *nodes*: a pass over the tree counts every node once, even nodes that no player's strategy reaches.
One pass serves all players who move at once, as it takes the probabilities down the tree and the values up. So an
iteration of ``cfr`` or ``fictitious play`` costs one pass, and an iteration of ``cfr+`` costs two, one per player.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from support.core.flat import KEPT, FlatGame
from support.core.policy import TabularPolicy, from_weights, probabilities_of
from support.core.screen import unknown
from support.exact.best_response import best_response, counterfactual_reach
from support.exact.kinds import own_sequences, play_order, require_players, require_zero_sum
from support.learners.regret_matching import matched


@dataclass(frozen=True)
class Method:
    """How an iteration decides the next strategies.

    Attributes:
        name: what the book calls it.
        passes: for each pass over the tree, the players who move in it, against the strategies at that point. Every
            player moves in exactly one pass.
        responds: whether the next strategy is a best response to the other's average, rather than regret matching.
        floor: whether negative regrets are set to zero.
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
        Method("fictitious play", passes=((0, 1),), responds=True),
    )
}
"""The published methods, by name."""


def method_of(method: str | Method) -> Method:
    """The method with that name.

    Raises:
        ValueError: there is none; the message lists them.
    """
    if isinstance(method, Method):
        return method
    if method not in METHODS:
        raise ValueError(unknown("method", method, METHODS))
    return METHODS[method]


class Solver:
    """A run of one method on one game, in plain Python: slow, and meant to be read.

    Compiled counterparts: ``support.learners.cfr_fast.run`` gives the same numbers, and
    ``support.learners.public_tree_fast.run`` the same up to rounding. Here fictitious play finds its responses in exact
    fractions, so its ties are true ties.

    Args:
        flat: an unfolded two-player zero-sum game of perfect recall that is sure to end.
        method: one of :data:`METHODS`, or its name.

    Attributes:
        iterations: the number of iterations made.
        nodes: the number of nodes they touched.
        regrets: for each slot, the regret so far; zero throughout in fictitious play.
        weights: for each slot, its weight in the average so far: the weighted sum, over the iterations, of its
            realisation weights. Each is the product of the player's own probabilities down to this choice.

    Raises:
        ValueError: a game that is not of this kind, or no such method.
    """

    def __init__(self, flat: FlatGame, method: str | Method):
        self.flat, self.method, self.choices = flat, method_of(method), choices(flat)
        self.iterations = self.nodes = 0
        self.regrets = [0.0] * int(flat.slots[-1])
        self.weights = [0.0] * int(flat.slots[-1])

    def run(self, iterations: int) -> None:
        """Make the given number of further iterations."""
        for _ in range(iterations):
            self.iterate()

    def average(self) -> TabularPolicy:
        """The average strategy of both players; uniform in information states that a player never reached."""
        return from_weights(self.flat, np.array(self.weights), f"average of {self.method.name}")

    def iterate(self) -> None:
        """Decide both players' next strategies, and add them to their averages."""
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
        """A best response to the average: one in the slots of the actions it takes, and zero elsewhere."""
        policy = best_response(self.flat, self.average(), player).policy
        play: list[float] = probabilities_of(self.flat, policy, without=1 - player).tolist()
        return play

    def _add_regrets(self, player: int, profile: Sequence[float]) -> None:
        """Add to the regrets of one player."""
        add_regrets(self.flat, player, profile, self.regrets)
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
        """For each slot, its share of its information state's positive regrets; equal shares if there are none."""
        shares = [0.0] * len(self.regrets)
        for choice in self.choices:
            shares[choice.slots.start : choice.slots.stop] = matched([self.regrets[slot] for slot in choice.slots])
        return shares


def add_regrets(flat: FlatGame, player: int, profile: Sequence[float], regrets: list[float]) -> list[float]:
    """Add how much more a player would have gained with each of its actions than with what was played.

    Args:
        flat: the game.
        player: whose regrets.
        profile: for each slot, the probability of the action in what was played.
        regrets: for each slot, what is added to: the difference, weighted by the counterfactual reach.

    Returns:
        The counterfactual reach of each node.
    """
    edge_probabilities = [
        profile[slot] if slot >= 0 else float(chance)
        for slot, chance in zip(flat.slot.tolist(), flat.probability, strict=True)
    ]
    reach: list[float] = counterfactual_reach(flat, edge_probabilities, player)
    values = [0.0] * flat.num_nodes
    for node in reversed(play_order(flat)):
        worths = [float(flat.rewards[edge][player]) + values[flat.child[edge]] for edge in flat.edges(node)]
        for edge, worth in zip(flat.edges(node), worths, strict=True):
            values[node] += edge_probabilities[edge] * worth
        if flat.player[node] == player:
            for edge, worth in zip(flat.edges(node), worths, strict=True):
                regrets[flat.slot[edge]] += reach[node] * (worth - values[node])
    return reach


class Choice(NamedTuple):
    """An information state and the own choice that leads to it.

    Attributes:
        player: the player who moves there.
        slots: the slots of its actions.
        before: the slot of the player's previous choice; None if it has made none.
    """

    player: int
    slots: range
    before: int | None


@lru_cache(maxsize=KEPT)
def choices(flat: FlatGame) -> tuple[Choice, ...]:
    """The information states of a two-player zero-sum game, each after the player's own choice that leads to it.

    Raises:
        ValueError: not two players, not zero-sum, no perfect recall, or the game may go on for ever.
    """
    require_players(flat, "this method", 2)
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
