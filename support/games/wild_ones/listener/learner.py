"""The agent and its games: what it plays, and what it learns when a round is over; plain, and slow."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from support.core.play import Stream
from support.games.wild_ones.listener.keys import Key, Keys
from support.games.wild_ones.listener.learned import UNKNOWN, Learned
from support.games.wild_ones.listener.row import Row
from support.games.wild_ones.listener.settings import Settings
from support.games.wild_ones.play import Match
from support.games.wild_ones.policies import Policy, View
from support.games.wild_ones.rules import WildOnes, WildOnesState


class TableFullError(RuntimeError):
    """More information states were met than the table has rows."""

    def __init__(self, states: int, games: int):
        super().__init__(f"the table is full: after {games:,} games a row is needed beyond its {states:,}")


@dataclass
class Learner:
    """The agent, its table and its games, one state at a time: plain, and slow.

    Args:
        game: the rules.
        opponents: the policies of all players but the agent, who is the last.
        settings: what the agent goes by, and how it learns.
        seed: 64 bits; game n has a stream of its own.

    Attributes:
        played: games so far.
        rows: by key.
        starts: counts and values by the number of a beginning.

    Raises:
        ValueError: not one opponent a player, or a game that is too large.
    """

    game: WildOnes
    opponents: Sequence[Policy]
    settings: Settings
    seed: int
    played: int = field(default=0, init=False)
    rows: dict[Key, Row] = field(default_factory=dict, init=False)
    starts: dict[int, list[float]] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if len(self.opponents) != self.game.num_players - 1:
            others = self.game.num_players - 1
            raise ValueError(f"{others + 1} players are {others} opponents, not {len(self.opponents)}")
        self._keys = Keys(self.game, self.settings)

    def train(self, games: int) -> list[int]:
        """Play the next games and learn; returns the agent's place in each.

        Raises:
            TableFullError: there is no room for what is met.
        """
        places = []
        for _ in range(games):
            places.append(self._play(Stream(self.seed, self.played), True)[0])
            self.played += 1
        return places

    def evaluate(self, games: int, seed: int, start: int = 0) -> list[tuple[int, int]]:
        """Play games by the best known actions, and learn nothing.

        Returns:
            For each game the agent's place, and how many of its decisions were at information states never met.
        """
        return [self._play(Stream(seed, start + number), False) for number in range(games)]

    def _play(self, stream: Stream, learns: bool) -> tuple[int, int]:
        """One game, until it is over or the agent is out."""
        agent, match, unmet = len(self.opponents), Match(self.game, stream), 0
        seats, own = match.seats, match.seats.index(agent)
        made: list[tuple[Row, int]] = []

        def choose(player: int, state: WildOnesState) -> Sequence[str]:
            nonlocal unmet
            if player != agent:
                return self.opponents[player].choices(View.of(state))
            key, legal = self._keys.key(state, seats), state.legal_actions()
            row = self.rows.get(key)
            if learns:
                row = row or self._add(key, len(legal))
                made.append((row, row.wanted(self.settings.curiosity)))
                return (legal[made[-1][1]],)
            unmet += row is None
            return (legal[row.best() if row else 0],)

        for move in match.moves(choose):
            if learns and move.ends_round:
                self._learn(move.before, made, self._worth(move.after, seats, own), seats)
                made.clear()
            if not move.after.counts[own]:
                break
        return move.after.places()[own], unmet

    def _add(self, key: Key, choices: int) -> Row:
        if len(self.rows) == self.settings.states:
            raise TableFullError(self.settings.states, self.played)
        return self.rows.setdefault(key, Row([0] * choices, [0.0] * choices))

    def _worth(self, state: WildOnesState, seats: Sequence[int], own: int) -> float:
        """What is thought of the beginning of the next round; what is known, if the game is over."""
        if not state.counts[own]:
            return 0.0
        if state.is_terminal():
            return 1.0
        assert state.opener is not None
        return self.starts.get(self._keys.start(state.counts, seats, state.opener), [0, UNKNOWN])[1]

    def _learn(
        self, before: WildOnesState, made: Sequence[tuple[Row, int]], worth: float, seats: Sequence[int]
    ) -> None:
        """What a round that is over says about its decisions, the last one first, and about its beginning."""
        for row, place in reversed(made):
            row.counts[place] += 1
            row.values[place] += self._step(row.counts[place]) * (worth - row.values[place])
            worth = row.values[row.best()]
        assert before.opener is not None
        start = self.starts.setdefault(self._keys.start(before.counts, seats, before.opener), [0, UNKNOWN])
        start[0] += 1
        start[1] += self._step(start[0]) * (worth - start[1])

    def _step(self, visits: float) -> float:
        return (self.settings.recency + 1.0) / (self.settings.recency + visits)

    def learned(self) -> Learned:
        """All rows and beginnings so far."""
        keys = sorted(self.rows)
        rows = [self.rows[key] for key in keys]
        starts = sorted(self.starts)
        return Learned(
            self.game,
            self.settings,
            self.seed,
            self.played,
            np.array([key.place for key in keys], np.uint32),
            np.array([key.bids for key in keys], np.uint64),
            np.cumsum([0, *(len(row.counts) for row in rows)]).astype(np.int64),
            np.array([count for row in rows for count in row.counts], np.uint32),
            np.array([value for row in rows for value in row.values], np.float64),
            np.array(starts, np.int64),
            np.array([int(self.starts[start][0]) for start in starts], np.int64),
            np.array([self.starts[start][1] for start in starts], np.float64),
        )
