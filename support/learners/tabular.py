"""Q-learning, Sarsa and Monte Carlo control on information states, for any game and number of players, in plain Python.

Every player keeps a value for each of its information states and actions. It plays the action with the highest value
or, now and then, a random one. It learns when the game is over, from its last decision to its first (Sutton and Barto
2018, sections 5.4, 6.4 and 6.5). Rewards are not discounted. The three differ in the value that they give to what comes
after an action: the rewards that did come, the value of the action taken next, or the highest value there.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from support.core.interface import CHANCE, Game
from support.core.play import Stream
from support.core.policy import InformationState, TabularPolicy
from support.learners.regret_matching import any_of, draw

Move = tuple[InformationState | None, Any, tuple[int | Fraction, ...]]
"""Where a player decided, or None for chance; the action or outcome; and each player's reward for it."""


@dataclass
class MonteCarlo:
    """Monte Carlo control: the value of an action is the mean of the returns that followed it.

    It is on-policy control (Sutton and Barto 2018, section 5.4) in the every-visit form: if an information state comes
    back in a game, as in three dice, each visit counts, where the program there counts only the first.

    Attributes:
        exploration: the probability of a random action.
        least_step: a value moves towards its n-th target by 1/n of the way, which gives the mean, but by no less than
            this.
    """

    games: ClassVar[int] = 20_000
    exploration: float = 0.1
    least_step: float = 0.0

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """The action with the highest value, the first of equals; uniform in information states that it never met."""
        values = self.values(game, games, seed)
        table = {where: {max(row, key=row.__getitem__): Fraction(1)} for where, row in values.items()}
        return TabularPolicy(table, type(self).__name__)

    def values(self, game: Game, games: int, seed: int) -> dict[InformationState, dict[Any, float]]:
        """The value of each action, in units of rewards, in each information state that the games met.

        ``support.learners.tabular_fast.run`` finds the same, number for number.

        Args:
            game: a game that is sure to end if it is played at random.
            games: the number of games to play; game k is played with the numbers of ``Stream(seed, k)``.
            seed: 64-bit seed.
        """
        values: dict[InformationState, dict[Any, float]] = {}
        visits: Counter[tuple[InformationState, Any]] = Counter()
        for number in range(games):
            gain, worth = (
                [0.0] * game.num_players,
                [0.0] * game.num_players,
            )  # until a player's next decision, and there
            for where, move, rewards in reversed(self._play(game, values, Stream(seed, number))):
                gain = [later + float(reward) for later, reward in zip(gain, rewards, strict=True)]
                if where is None:
                    continue
                player, row = where[0], values[where]
                target = gain[player] + worth[player]
                visits[where, move] += 1
                row[move] += max(1 / visits[where, move], self.least_step) * (target - row[move])
                gain[player], worth[player] = 0.0, self._worth(row, move, target)
        return values

    def _play(self, game: Game, values: dict[InformationState, dict[Any, float]], stream: Stream) -> list[Move]:
        """Play one game; an information state that was never met gets a row of zeros."""
        state, moves = game.initial_state(), []
        while not state.is_terminal():
            player, where = state.current_player, None
            if player == CHANCE:
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                move = outcomes[draw([float(p) for p in chances], stream)]
            else:
                where = (player, state.information_state(player))
                row = values.setdefault(where, dict.fromkeys(state.legal_actions(), 0.0))
                explores = stream.share() < self.exploration
                move = any_of(list(row), stream) if explores else max(row, key=row.__getitem__)
            state = state.child(move)
            moves.append((where, move, state.rewards()))
        return moves

    def _worth(self, row: Mapping[Any, float], action: Any, target: float) -> float:
        """What a decision is worth to the one before it: here the rewards that followed.

        Args:
            row: the values of the information state.
            action: the action taken.
            target: the target towards which its value has just moved.
        """
        return target


@dataclass
class QLearning(MonteCarlo):
    """Q-learning: the value of an action is what it gained, plus the best value at the player's next decision."""

    least_step: float = 0.01

    def _worth(self, row: Mapping[Any, float], action: Any, target: float) -> float:
        return max(row.values())


@dataclass
class Sarsa(QLearning):
    """Sarsa: the value of an action is what it gained, plus the value of the action taken at the next decision.

    It learns the values of its own play, exploration included (Rummery and Niranjan 1994; Sutton and Barto 2018,
    equation 6.7). It explores one decision in ten, as in examples 6.5 and 6.6 there; the steps are those of Q-learning.
    """

    def _worth(self, row: Mapping[Any, float], action: Any, target: float) -> float:
        return row[action]


RULES: dict[str, type[MonteCarlo]] = {"monte-carlo": MonteCarlo, "q-learning": QLearning, "sarsa": Sarsa}
