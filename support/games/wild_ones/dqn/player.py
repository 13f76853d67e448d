"""A trained network as a policy: what it takes, what it thinks, all of that as a table, and kept in a file."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np

from support.games.cups.rolls import FACES
from support.games.wild_ones.dqn.files import NetworkFileError, read_about, read_network, write
from support.games.wild_ones.dqn.network import Network
from support.games.wild_ones.dqn.observations import Seen, encoded, inputs
from support.games.wild_ones.dqn.settings import Settings
from support.games.wild_ones.policies import UNSEEN, Policy, View, Views
from support.games.wild_ones.rules import WildOnes, WildOnesState, allowed


@dataclass(frozen=True, eq=False)
class Player(Policy):
    """A network as a policy: the legal action of the highest value, of equals the one of the lowest number.

    Args:
        game: for which it was trained, or is; a game with fewer dice in play can be played with it too.
        settings: how it learned; only what it sees matters here.
        network: its weights.
        opponents: names of those it was trained against, joined by +; with ``identity`` they are the kinds it knows.
        seed: of its training.

    Raises:
        ValueError: a network of other sizes than this game and these settings have.
    """

    game: WildOnes
    settings: Settings
    network: Network
    opponents: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        wanted = self.settings.sizes(self.game, len(self.kinds))
        if self.network.sizes != wanted:
            raise ValueError(f"these settings have a network of {wanted}, not of {self.network.sizes}")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of players that it tells apart, by number; nothing without ``identity``."""
        return self.settings.kinds(self.opponents.split("+")) if self.settings.identity else ()

    def choices(self, view: View) -> tuple[str, ...]:
        """One action.

        Raises:
            ValueError: the network sees more than this view tells.
        """
        values = self._values(view)
        legal = sorted(self.game.number(action) for action in view.legal())
        return (self.game.action(max(legal, key=values.__getitem__)),)

    def _values(self, view: View) -> np.ndarray:
        return self.network.values(np.array(inputs(view, self.game, self.settings, len(self.kinds))))

    def seen(self, state: WildOnesState, kinds_by_seat: Mapping[int, str] | None = None) -> Seen:
        """What it sees when it is to move, for :meth:`choices`.

        Args:
            state: of a game of as many dice each and no more players than in training.
            kinds_by_seat: the name of the player in each seat but its own; with ``identity`` only.

        Raises:
            ValueError: nobody is to move, a name is missing, or it is none of ``kinds``.
        """
        known = kinds_by_seat or {}
        for name in known.values() if self.settings.identity else ():
            if name not in self.kinds:
                raise ValueError(f"this network tells {', '.join(self.kinds)} apart, and knows no {name!r}")
        named = {seat: self.kinds.index(name) for seat, name in known.items()} if self.settings.identity else None
        return Seen.of(state, named)

    def values(self, state: WildOnesState, kinds_by_seat: Mapping[int, str] | None = None) -> dict[str, float]:
        """The network's value of each legal action for the player to move, in their order; arguments as :meth:`seen`.

        ``player.values(state, {0: "survivalist", 2: "aggressive"})`` is what a network with ``identity`` thinks in
        seat 1; one without needs the state alone.

        Raises:
            ValueError: as :meth:`seen`.
        """
        values = self._values(self.seen(state, kinds_by_seat))
        return {action: float(values[self.game.number(action)]) for action in state.legal_actions()}

    def action_probabilities(self, state: WildOnesState) -> dict[str, Fraction]:
        """One for the action that it takes; a network with ``identity`` cannot tell from the state alone.

        Raises:
            ValueError: it must be told who sits where.
        """
        taken = self.choices(self.seen(state))
        return {action: Fraction(action in taken) for action in state.legal_actions()}

    def table(self, game: WildOnes | None = None) -> np.ndarray:
        """This policy over all views of a game, as ``support.games.wild_ones.policies.table`` writes it, all at once.

        Args:
            game: a game of as many dice each and no more players; by default the one it was trained for.

        Returns:
            int16, of the shape of ``Views(game, neighbours=True)``.

        Raises:
            ValueError: a game that has more dice, or another number each; or a network that sees more than a view.
        """
        if not self.settings.by_view:
            raise ValueError("a network with history or identity sees more than a view: no table holds what it does")
        game = game or self.game
        if game.dice != self.game.dice or game.num_players > self.game.num_players:
            raise ValueError(f"a network for {self.game} cannot play {game}")
        views = Views(game, neighbours=True)
        bids = [None, *(divmod(number, game.most) for number in range(game.num_actions - 2))]
        last = [bid and (bid[1] + 1, bid[0] + 1) for bid in bids]
        own = np.array([self.game.number(game.action(number)) for number in range(game.num_actions)])
        legal = np.zeros((game.most + 1, len(last), game.num_actions), bool)
        for total in range(2, game.most + 1):
            for place, bid in enumerate(last):
                if bid is None or bid[0] <= total:
                    legal[total, place, [game.number(action) for action in allowed(total, bid)]] = True
        shown = [encoded(View((), 0, bid), self.settings.encoding, 0)[3:] for bid in last]
        width = len(shown[0]) - (FACES if self.settings.encoding == "histograms" else 0)
        by_bid = np.array(shown, np.float32)[:, :width]
        hands = [encoded(View(hand, 0), self.settings.encoding, game.dice)[3 + width :] for hand in views.hands]
        by_hand = np.array(hands, np.float32)
        written = np.full(views.shape, UNSEEN, np.int16)
        places = np.argwhere(views.reached)
        for some in np.array_split(places, max(1, len(places) // 4096)):
            total, side, hand, bid = some.T
            around = np.stack([*np.divmod(side, game.dice + 1), total], axis=1)
            values = self.network.values(np.hstack([around, by_bid[bid], by_hand[hand]]))[:, own]
            written[total, side, hand, bid] = np.where(legal[total, bid], values, -np.inf).argmax(axis=1)
        return written

    def save(self, path: Path | str) -> Path:
        """Write the weights as safetensors, and beside them what they are: ``name.safetensors`` and ``name.json``.

        Args:
            path: of the weights; ends in ``.safetensors``.

        Returns:
            The path of the weights.

        Raises:
            NetworkFileError: another ending.
        """
        about = {"game": asdict(self.game), "opponents": self.opponents, "seed": self.seed}
        return write(path, self.network, about | {"settings": asdict(self.settings)})


def load(path: Path | str) -> Player:
    """Read a network that :meth:`Player.save` wrote; it plays just as the one that was saved.

    Raises:
        NetworkFileError: a file is missing, cut off, changed, or of something else.
    """
    beside, about = read_about(path)
    try:
        game = WildOnes(**about["game"])
        settings = Settings(**about["settings"])
        seed, opponents, digest = int(about["seed"]), str(about["opponents"]), str(about["sha256"])
    except (KeyError, TypeError, ValueError) as error:
        wrong = f"{error.args[0]} is missing" if isinstance(error, KeyError) else error
        raise NetworkFileError(f"{beside}: {wrong}") from None
    sizes = settings.sizes(game, len(settings.kinds(opponents.split("+"))))
    return Player(game, settings, read_network(path, sizes, digest), opponents, seed)
