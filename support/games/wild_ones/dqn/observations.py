"""What the network sees of a game: the numbers that stand for a view, the bids of the round, and who sits where."""

from collections.abc import Mapping
from dataclasses import dataclass

from support.games.wild_ones.dqn.settings import Settings
from support.games.wild_ones.policies import View
from support.games.wild_ones.rules import Bid, WildOnes, WildOnesState

NO_BID = (1, 0)
"""Quantity and face that stand for no bid in the raw encoding, as in the author's program."""


def encoded(view: View, encoding: str, dice: int) -> tuple[int, ...]:
    """What a network sees: 15 numbers as histograms, or 5 and the dice, zeros for those that are gone.

    Args:
        view: what the player to move goes by.
        encoding: one of ``support.games.wild_ones.dqn.settings.ENCODINGS``.
        dice: that each player starts with.
    """
    if encoding == "histograms":
        return view.observation()
    return (view.before, view.after, view.total, *(view.last or NO_BID), *view.hand, *[0] * (dice - len(view.hand)))


@dataclass(frozen=True)
class Seen(View):
    """A view, all bids of the round, and who sits where.

    Attributes:
        bids: of each player still in, those that it made in this round; oneself first, then in turn.
        kinds: of each other player still in, the next first, by number; empty where that is not known.
    """

    bids: tuple[tuple[Bid, ...], ...] = ()
    kinds: tuple[int, ...] = ()

    @classmethod
    def of(cls, state: WildOnesState, kinds: Mapping[int, int] | None = None) -> "Seen":
        """What the player to move sees.

        Args:
            state: in which somebody is to move.
            kinds: the number of the kind of the player in each seat, where that is known.

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
            raise ValueError(f"it must be known who sits in seat {min(missing)}")
        around = tuple(kinds[seat] for seat in ring[1:]) if kinds else ()
        return cls(view.hand, view.total, view.last, view.before, view.after, tuple(map(tuple, made)), around)


def inputs(view: View, game: WildOnes, settings: Settings, kinds: int = 0) -> tuple[int, ...]:
    """All that a network sees: :func:`encoded`, then the bids of the round, then who sits where, as far as asked for.

    Args:
        view: what the player to move goes by.
        game: for which the network is; a smaller one may be played, and what it lacks is zeros.
        settings: of the network.
        kinds: how many kinds of players it tells apart.

    Raises:
        ValueError: the network sees more than this view tells.
    """
    seen = encoded(view, settings.encoding, game.dice)
    if settings.by_view:
        return seen
    if not isinstance(view, Seen):
        raise ValueError("a network with history or identity goes by what is Seen, not by a View")
    bids, made = game.num_actions - 2, [0] * (settings.history * game.num_players * (game.num_actions - 2))
    if settings.history:
        for player, some in enumerate(view.bids):
            for quantity, face in some:
                made[player * bids + game.number(f"{quantity}x{face}") - 2] = 1
    around = [0] * (settings.identity * (game.num_players - 1) * kinds)
    if settings.identity:
        if len(view.kinds) != len(view.bids) - 1:
            raise ValueError("a network with identity must be told who sits where")
        for player, kind in enumerate(view.kinds):
            around[player * kinds + kind] = 1
    return (*seen, *made, *around)
