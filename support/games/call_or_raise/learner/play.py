"""A game under way: who does what, and the rows that it leaves behind."""

from dataclasses import dataclass

import numpy as np

from support.core.play import Stream
from support.games.call_or_raise.learner.settings import CALL, MENUS, MIXED, RAISE, RANDOM, SAME, Agent, Settings
from support.games.call_or_raise.learner.states import View, tail
from support.games.call_or_raise.rules import opening_bid
from support.games.cups.digits import Digits
from support.games.cups.rolls import FACES

UNACTED = -1  # in a row: the agent has not acted in this round
TIED = 1e-6  # values closer than this are decided by a coin


@dataclass(frozen=True)
class Row:
    """What one move leaves behind.

    Attributes:
        control: who moved, from 1.
        state: the agent's state after it, by number.
        seen: what it sees of that, a row of its table from 0.
        action: the agent's last action in the round, a column of its table, or ``UNACTED``.
    """

    control: int
    state: int
    seen: int
    action: int


@dataclass
class Game:
    """A game that was played.

    Attributes:
        rows: what it left behind.
        winner: from 1.
        called_first: whether the agent called in the first round.
        moves: all of it, in the notation of the rules; a raise by two, which they do not know, as "raise 4 by 2".
        decisions: rows and columns of the agent's table, one pair for each of its decisions.
        changes: for every die that was lost, how many decisions the agent had made before, and dice in play and own
            dice before and after it.
    """

    rows: list[Row]
    winner: int
    called_first: bool
    moves: list[str]
    decisions: list[tuple[int, int]]
    changes: list[tuple[int, tuple[int, int], tuple[int, int]]]


class Play:
    """One game as it goes on.

    Args:
        settings: the players, and how the first one learns.
        view: what the agent sees of its states.
        q: float64[rows, columns], the agent's table, as in
            :class:`support.games.call_or_raise.learner.learner.Learner`; it is only read.
        stream: from which dice and coins are drawn.

    Attributes:
        counts: dice of each player.
        rolls: of the round.
        quantity, face: of the last bid.
        held: how many of its dice show the bid's face, as the agent believes.
        state: the agent's state, by number.
        seen: what it sees of that, a row of its table.
        action: its last action in the round, a column of its table, or ``UNACTED``.
        rows, moves, decisions, changes, called_first: so far, as in :class:`Game`.
        first: whether the first round goes on.
        pending: who called, from 0, and the agent's action, as long as a row of that is still to be written; else None.
    """

    def __init__(self, settings: Settings, view: View, q: np.ndarray, stream: Stream):
        self.settings, self.slips, self.q = settings, settings.slips, q
        self.view, self.states = view, view.states
        self.digits = Digits(stream)
        self.counts = [settings.dice] * len(settings.players)
        self.rolls: list[tuple[int, ...]] = []
        self.quantity = self.face = self.held = self.state = self.seen = 0
        self.action = UNACTED
        self.pending: tuple[int, int] | None = None
        self.rows: list[Row] = []
        self.moves: list[str] = []
        self.decisions: list[tuple[int, int]] = []
        self.changes: list[tuple[int, tuple[int, int], tuple[int, int]]] = []
        self.first, self.called_first = True, False

    def play(self) -> Game:
        """Round after round, until one player has all the dice that are left."""
        opener = self.digits.fresh().below(len(self.counts))
        self.moves.append(f"{opener + 1} opens")
        while sum(count > 0 for count in self.counts) > 1:
            opener = self._round(opener)
            self.first = False
        if self.pending:
            self._look(0)
            self._write(*self.pending)
        return Game(self.rows, opener + 1, self.called_first, self.moves, self.decisions, self.changes)

    def _round(self, opener: int) -> int:
        """One round; returns who opens the next."""
        self.rolls = [self._roll(count) for count in self.counts]
        self.moves += ["".join(map(str, roll)) for roll in self.rolls if roll]
        self.quantity, self.face = opening_bid(self.rolls[opener])
        self.held = self._count()
        self._look(self._bucket())
        self.action = RAISE if self.slips.early else UNACTED
        if self.pending:
            self._write(*self.pending)
            self.pending = None
        elif not self.slips.early and self._watched():
            self._write(opener, UNACTED)
        bidder, player = opener, self._next(opener)
        while not self._move(player):
            bidder, player = player, self._next(player)
        there = sum(roll.count(self.face) for roll in self.rolls)
        loser = bidder if self.quantity > there else player
        self._called(player, loser)
        return loser if self.counts[loser] else self._next(loser)

    def _roll(self, count: int) -> tuple[int, ...]:
        if not count:
            return ()
        self.digits.fresh()
        return tuple(sorted(self.digits.below(FACES) + 1 for _ in range(count)))

    def _move(self, player: int) -> bool:
        """A player's decision; returns whether it calls."""
        agent = self.settings.players[player]
        column = self._decides(player, agent)
        chosen = MENUS["published"][column] if player else MENUS[self.settings.menu][column]
        self.moves.append("call")
        if player == 0:
            self.decisions.append((self.seen, column))
            self.held = self._count()
            self._look(self._bucket())
            self.action = column
            self.called_first |= chosen is None and self.first
        if chosen is None:
            return True
        face, more = chosen
        self.quantity, self.face = self.quantity + more, self._raised_face(player, agent, face)
        if not self.slips.stale:
            self.held = self._count()
        self._look(self._bucket())
        if self._watched():
            self._write(player, self.action)
        self.moves[-1] = f"raise {self.face}" + (f" by {more}" if more > 1 else "")
        return False

    def _decides(self, player: int, agent: Agent) -> int:
        """The column of what a player does."""
        if agent.kind in ("probability", "holds"):
            unseen = sum(self.counts) - self.counts[player]
            need = max(self.quantity - self.rolls[player].count(self.face), 0) + (agent.kind == "probability")
            return RAISE if self.digits.chance(tail(unseen, need)) else CALL
        if agent.kind in ("q", "table"):
            row = self.q[self.seen if agent.kind == "q" else self._seen_by(player)]
            if row.max() - row.min() >= TIED and not self.digits.chance(self.settings.exploration):
                return int(row.argmax())
            return self.digits.fresh().below(len(row))
        return self.digits.fresh().below(2)

    def _seen_by(self, player: int) -> int:
        """The row of the table that the first player would go by, were it in this one's place."""
        total, own = sum(self.counts), self.counts[player]
        held = self.rolls[player].count(self.face)
        bucket = self.states.bucket(total, own, self.quantity, held, self.slips.tail)
        return self.view.places[total, own] * (self.states.bins + 1) + bucket

    def _raised_face(self, player: int, agent: Agent, face: int) -> int:
        if face == SAME:
            return self.face
        if face == RANDOM or (face == MIXED and self.digits.chance(agent.bluff)):
            return self.digits.fresh().below(FACES) + 1
        return opening_bid(self.rolls[player])[1]

    def _called(self, player: int, loser: int) -> None:
        """Write what a call leaves behind, and take a die from the loser."""
        watched, bucket = self._watched(), self._bucket()
        if self.slips.twice and watched:
            self._write(player, self.action)
        before = sum(self.counts), self.counts[0]
        self.counts[loser] -= 1
        self.changes.append((len(self.decisions), before, (sum(self.counts), self.counts[0])))
        self._look(bucket)
        if watched and self.slips.between:
            self._write(player, self.action)
        elif watched:
            self.pending = player, self.action

    def _watched(self) -> bool:
        return self.counts[0] > 0 or self.slips.ghosts

    def _count(self) -> int:
        return self.rolls[0].count(self.face)

    def _bucket(self) -> int:
        total, own = sum(self.counts), self.counts[0]
        return self.states.bucket(total, own, self.quantity, self.held, self.slips.tail)

    def _look(self, bucket: int) -> None:
        """What the agent's state is now."""
        self.state = self.states.number(sum(self.counts), self.counts[0], bucket)
        self.seen = self.view.row(self.counts, bucket)

    def _write(self, control: int, action: int) -> None:
        self.rows.append(Row(control + 1, self.state, self.seen, action))

    def _next(self, player: int) -> int:
        """The next player who has dice."""
        player = (player + 1) % len(self.counts)
        while not self.counts[player]:
            player = (player + 1) % len(self.counts)
        return player
