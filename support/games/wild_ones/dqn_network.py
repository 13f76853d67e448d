"""The inputs of a network of wild ones, and its replay memory: plain arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from support.core.play import Stream
from support.games.wild_ones.policies import View
from support.games.wild_ones.rules import Bid, WildOnesState
from support.learners.network import Batch, drawn

NO_BID = (1, 0)
"""Quantity and face that stand for no bid in the raw encoding, as in the author's program."""


def encoded(view: View, encoding: str, dice: int) -> tuple[int, ...]:
    """A view in numbers: 15 of them as histograms, or 5 and the dice, with zeros for lost dice.

    Args:
        view: the view of the player to move.
        encoding: ``"histograms"`` or ``"raw"``.
        dice: the number of dice that each player starts with.
    """
    if encoding == "histograms":
        return view.observation()
    return (view.before, view.after, view.total, *(view.last or NO_BID), *view.hand, *[0] * (dice - len(view.hand)))


@dataclass(frozen=True)
class RoundView(View):
    """A view, all bids of the round, and who sits where.

    Attributes:
        bids: the bids of each player with dice in this round; its own first, then in turn.
        kinds: the numbers of the kinds of the other players with dice, the next first; empty if not known.
    """

    bids: tuple[tuple[Bid, ...], ...] = ()
    kinds: tuple[int, ...] = ()

    @classmethod
    def of(cls, state: WildOnesState, kinds: Mapping[int, int] | None = None) -> "RoundView":
        """The view of the player to move.

        Args:
            state: a state in which a player is to move.
            kinds: the number of the kind of the player in each seat, if known.

        Raises:
            ValueError: nobody is to move, or a seat is missing.
        """
        view, players, own = View.of(state), len(state.counts), state.current_player
        ring = [seat for step in range(players) if state.counts[seat := (own + step) % players]]
        made: list[list[Bid]] = [[] for _ in ring]
        for number, bid in enumerate(state.bids, -len(state.bids)):
            made[number % len(ring)].append(bid)
        missing = set(ring[1:]) - set(kinds or ring)
        if missing:
            raise ValueError(f"kinds must name the player in seat {min(missing)}")
        around = tuple(kinds[seat] for seat in ring[1:]) if kinds else ()
        return cls(view.hand, view.total, view.last, view.before, view.after, tuple(map(tuple, made)), around)


class Memory:
    """The latest transitions, in a ring: a replay memory.

    Args:
        capacity: the number of transitions that are kept.
        inputs, actions: the numbers of the network's inputs and outputs.

    Attributes:
        rows: the transitions; a full memory overwrites the oldest.
        stored: the number of transitions ever added.
    """

    def __init__(self, capacity: int, inputs: int, actions: int):
        self.rows, self.stored = Batch.empty(capacity, inputs, actions), 0

    def __len__(self) -> int:
        return min(self.stored, len(self.rows.actions))

    def add(
        self,
        state: Sequence[float],
        action: int,
        reward: float,
        seen: Sequence[float] | None = None,
        legal: Sequence[int] = (),
    ) -> None:
        """Keep a transition; if the memory is full, it replaces the oldest.

        Args:
            state: what the agent saw.
            action: the number of its action.
            reward: its reward.
            seen: what it saw next; None if the episode ended.
            legal: the numbers of the legal actions there.
        """
        rows = self.rows
        place = self.stored % len(rows.actions)
        rows.states[place], rows.actions[place], rows.rewards[place] = state, action, reward
        rows.nexts[place], rows.legal[place], rows.goes_on[place] = 0 if seen is None else seen, False, seen is not None
        rows.legal[place, list(legal)] = True
        self.stored += 1

    def drawn(self, count: int, stream: Stream) -> list[int]:
        """Draw ``count`` different places of the memory uniformly, by Floyd's method, with one number for each.

        Raises:
            ValueError: the memory holds fewer transitions.
        """
        self.require(count)
        return drawn(len(self), count, stream)

    def batch(self, places: Sequence[int]) -> Batch:
        """Copies of the transitions at some places."""
        batch = Batch.empty(len(places), self.rows.states.shape[1], self.rows.legal.shape[1])
        for column, copied in zip(self.rows, batch, strict=True):
            copied[:] = column[list(places)]
        return batch

    def latest(self, count: int) -> Batch:
        """The latest ``count`` transitions, oldest first.

        Raises:
            ValueError: the memory holds fewer transitions.
        """
        self.require(count)
        return self.batch([number % len(self.rows.actions) for number in range(self.stored - count, self.stored)])

    def require(self, count: int) -> None:
        """Check that the memory holds at least ``count`` transitions.

        Raises:
            ValueError: it holds fewer.
        """
        if count > len(self):
            raise ValueError(f"the memory holds {len(self)} transitions, fewer than {count}")
