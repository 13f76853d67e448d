"""The learner: its table of values, and the games from which it learns."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np

from support.core.play import Stream
from support.games.call_or_raise.learner.play import UNACTED, Game, Play
from support.games.call_or_raise.learner.settings import MENUS, Settings


class Learner:
    """The agent's table, and the games that it plays and learns from.

    Args:
        settings: the players, and how the first one learns.
        seed: 64 bits; game n has a stream of its own.

    Attributes:
        settings, seed: as given.
        played: games so far.
        states: of the document.
        view: what the agent sees of them.
        q: float64[rows, columns], rows as in :class:`support.games.call_or_raise.learner.states.View`, columns as in
            ``support.games.call_or_raise.learner.settings.MENUS``.
        visits: int64 of that shape, how often a choice was made; counted with the method "averages" only.
    """

    def __init__(self, settings: Settings, seed: int):
        self.settings, self.seed, self.played = settings, seed, 0
        self.states, self.view = settings.states(), settings.view()
        self.q = np.zeros((len(self.view), len(MENUS[settings.menu])))
        self.visits = np.zeros(self.q.shape, np.int64)

    def play(self, learn: bool = True, exploration: Fraction | None = None) -> Game:
        """Play the next game; learn from it, if wanted.

        Args:
            learn: whether to update the table afterwards.
            exploration: the share of the agent's decisions that a coin makes in this game; None for that of the
                settings.

        Raises:
            ValueError: an exploration that is no probability.
        """
        settings = self.settings if exploration is None else replace(self.settings, exploration=exploration)
        game = Play(settings, self.view, self.q, Stream(self.seed, self.played)).play()
        self.played += 1
        if learn:
            self.update(game)
        return game

    def update(self, game: Game) -> None:
        """Update the table along the rows of a game, in their order, or with its outcome."""
        settings = self.settings
        if settings.method == "averages":
            for place in game.decisions:
                self.visits[place] += 1
                weight = max(1 / self.visits[place], settings.alpha)
                self.q[place] += weight * ((game.winner == 1) - self.q[place])
            return
        if settings.method == "decisions":
            self._update_decisions(game)
            return
        swapped = settings.slips.columns and game.called_first
        for before, row in pairwise(game.rows):
            if row.action == UNACTED:
                continue
            column = 1 - row.action if swapped else row.action
            reward = self.states.reward(
                settings.rewards, self.states.read(before.state)[:2], self.states.read(row.state)[:2]
            )
            target = reward + settings.discount * self.q[row.seen].max()
            old = self.q[before.seen, column]
            self.q[before.seen, column] = (1 - settings.alpha) * old + settings.alpha * target

    def _update_decisions(self, game: Game) -> None:
        """Update the table from each of the agent's decisions to its next one, or to the end of the game."""
        settings = self.settings
        earned = [0.0] * (len(game.decisions) + 1)
        for decisions, before, after in game.changes:
            earned[decisions] += self.states.reward(settings.rewards, before, after)
        for number, place in enumerate(game.decisions, 1):
            following = game.decisions[number : number + 1]
            best = self.q[following[0][0]].max() if following else 0.0
            target = earned[number] + settings.discount * best
            self.q[place] = (1 - settings.alpha) * self.q[place] + settings.alpha * target
