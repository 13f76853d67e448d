"""Q-learning and Monte Carlo control on information states, for any game and number of players, in plain Python.

Every player keeps a value for each of its information states and actions. It plays the action with the highest value
or, now and then, a random one. It learns when the game is over, from its last decision to its first (Sutton and Barto
2018, sections 5.4 and 6.5). Rewards are not discounted.
"""

import random
from fractions import Fraction
from typing import Any, ClassVar

from support.core.interface import CHANCE, Game
from support.core.policy import InformationState, TabularPolicy


class MonteCarlo:
    """Monte Carlo control: the value of an action is the mean of the returns that followed it."""

    games: ClassVar[int] = 20_000
    exploration: ClassVar[float] = 0.1
    bootstraps: ClassVar[bool] = False

    def train(self, game: Game, games: int, seed: int) -> TabularPolicy:
        """The action with the highest value, the first of equals; uniform in information states that it never met."""
        draw = random.Random(seed)
        values: dict[InformationState, dict[Any, float]] = {}
        visits: dict[tuple[InformationState, Any], int] = {}
        for _ in range(games):
            state, made = game.initial_state(), []
            while not state.is_terminal():
                player = state.current_player
                if player == CHANCE:
                    outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                    state = state.child(draw.choices(outcomes, list(map(float, chances)))[0])
                    continue
                where = (player, state.information_state(player))
                row = values.setdefault(where, dict.fromkeys(state.legal_actions(), 0.0))
                explores = draw.random() < self.exploration
                action = draw.choice(list(row)) if explores else max(row, key=row.__getitem__)
                made.append((where, action, state.returns()[player]))
                state = state.child(action)
            later = [(end, 0.0) for end in map(float, state.returns())]  # per player: a return, the value after it
            for where, action, before in reversed(made):
                after, worth = later[where[0]]
                target = after - float(before) + worth
                visits[where, action] = visits.get((where, action), 0) + 1
                step = max(1 / visits[where, action], 0.01) if self.bootstraps else 1 / visits[where, action]
                values[where][action] += step * (target - values[where][action])
                later[where[0]] = float(before), max(values[where].values()) if self.bootstraps else target
        table = {where: {max(row, key=row.__getitem__): Fraction(1)} for where, row in values.items()}
        return TabularPolicy(table, type(self).__name__)


class QLearning(MonteCarlo):
    """Q-learning: the value of an action is what it gained, plus the best value at the player's next decision."""

    bootstraps = True
