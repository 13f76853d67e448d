"""Deep Q-learning for any game that unfolds, by all players at once: plain, and slow.

All players learn independently, each from its own rewards, but share one network, to which the encoding of
``support.learners.encoding`` says who moves. The network gives every action of the game a value; the player takes the
legal action of highest value or, with a probability that falls over time, any legal one. A *transition* goes from a
player's decision to the same player's next one: what it saw, its action, the sum of its rewards until then, what it
sees then, and what is legal there. The others' and chance's moves between the two belong to the environment (a
semi-Markov decision process; Sutton, Precup and Singh 1999). After every ten decisions, of whichever players, the
network takes one step on a batch of transitions from a replay memory, towards targets from a second network (Mnih et
al. 2015), by ``support.learners.optimiser``: the Huber loss, double Q-learning and AdamW. Only legal actions are
chosen, in play and in targets.

``dqn_fast`` plays the same games from the same random numbers and, with the same optimiser, ends with the same weights.
"""

from dataclasses import dataclass

import numpy as np

from support.core.flat import FlatGame
from support.core.play import Stream
from support.learners.dqn_settings import DeepQSettings, seeds
from support.learners.encoding import actions_of, arrays_of, encode
from support.learners.network import Batch, Network, drawn
from support.learners.optimiser import Optimiser, TorchOptimiser
from support.learners.regret_matching import draw


@dataclass
class Transition:
    """A player's decision and, once its next one is known, where it led.

    Attributes:
        state: the information state, by its index.
        action: the number of the action among all of the game.
        gain: the sum of the player's rewards since.
        after: the player's next information state, or None if the game ended first.
    """

    state: int
    action: int
    gain: float = 0.0
    after: int | None = None


class DeepQLearner:
    """The players and their games, one move at a time.

    Args:
        flat: an unfolded game that ends if it is played at random.
        settings: how they learn.
        seed: 64 bits.
        optimiser: the optimiser's class.

    Attributes:
        network: the current network.
        memory: the latest transitions; a full memory overwrites the oldest.
        games, nodes: the number of games played, and of the nodes visited in them, those of chance and ends included.
        decisions: the number of decisions after the first games, which fill the memory.

    Raises:
        DoesNotFitError: no player ever moves, or ``arrays_of`` cannot take the game.
    """

    def __init__(self, flat: FlatGame, settings: DeepQSettings, seed: int, optimiser: type[Optimiser] = TorchOptimiser):
        weights, self._games, batches = seeds(seed)
        self.flat, self.settings, self.seen, self.arrays = flat, settings, encode(flat), arrays_of(flat)
        self.network = Network.fresh(settings.widths(self.seen.shape[1], len(actions_of(flat))), weights)
        self.optimiser = optimiser(self.network, settings)
        self.memory: list[Transition] = []
        self.games = self.nodes = self.decisions = self._stored = 0
        self._batches = Stream(batches)

    def play(self, games: int) -> None:
        """Play and learn from further games."""
        for _ in range(games):
            self._play(Stream(self._games, self.games))
            self.games += 1

    def greedy(self, state: int) -> int:
        """The place of the legal action of highest value, the first of equals, in an information state."""
        values, slots = self.network.values(self.seen[state]), self.arrays.slots
        return int(np.argmax(values[self.arrays.numbers[slots[state] : slots[state + 1]]]))

    def policy(self) -> np.ndarray:
        """float64[slots], 1 for the greedy action of each information state and 0 for all others."""
        weights = np.zeros(self.arrays.slots[-1])
        for state in range(len(self.seen)):
            weights[self.arrays.slots[state] + self.greedy(state)] = 1
        return weights

    def _play(self, stream: Stream) -> None:
        flat, node, last = self.flat, 0, dict[int, Transition]()
        while edges := flat.edges(node):
            self.nodes += 1
            mover, place = int(flat.player[node]), 0
            if mover >= 0:
                state = int(flat.information[node])
                if mover in last:
                    self._keep(last[mover], state)
                place = self._choose(state, len(edges), stream)
                last[mover] = Transition(state, int(self.arrays.numbers[self.arrays.slots[state] + place]))
            elif len(edges) > 1:
                place = draw([float(flat.probability[edge]) for edge in edges], stream)
            for player, decision in last.items():
                decision.gain += float(flat.rewards[edges[place]][player])
            node = int(flat.child[edges[place]])
            if mover >= 0 and self.games >= self.settings.warm_games:
                self.decisions += 1
                if self.decisions % self.settings.every == 0 and len(self.memory) >= self.settings.batch:
                    places = drawn(len(self.memory), self.settings.batch, self._batches)
                    self.optimiser.step(self._batch([self.memory[number] for number in places]))
        self.nodes += 1
        for _, decision in sorted(last.items()):
            self._keep(decision, None)

    def _choose(self, state: int, choices: int, stream: Stream) -> int:
        """The place of the action that a player takes."""
        if stream.share() < self.settings.epsilon(max(self.games - self.settings.warm_games, 0)):
            return int(stream.share() * choices)
        return self.greedy(state)

    def _keep(self, transition: Transition, after: int | None) -> None:
        transition.after = after
        if len(self.memory) < self.settings.memory:
            self.memory.append(transition)
        else:
            self.memory[self._stored % self.settings.memory] = transition
        self._stored += 1

    def _batch(self, transitions: list[Transition]) -> Batch:
        batch = Batch.empty(len(transitions), *self.network.sizes[:: len(self.network.sizes) - 1])
        for row, one in enumerate(transitions):
            batch.states[row], batch.actions[row], batch.rewards[row] = self.seen[one.state], one.action, one.gain
            if one.after is not None:
                batch.nexts[row], batch.legal[row] = self.seen[one.after], self.arrays.legal[one.after]
                batch.goes_on[row] = True
        return batch
