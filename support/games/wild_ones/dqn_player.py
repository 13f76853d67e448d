"""A trained network as a policy: what it takes, what it thinks, all of that as a table, and kept in a file.

A file of weights ends in ``.safetensors``; beside it lies a JSON that says what they are.
"""

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib import metadata
from itertools import pairwise
from pathlib import Path

import numpy as np

from support.games.cups.rolls import FACES
from support.games.wild_ones.dqn import DQNSettings, action_values
from support.games.wild_ones.dqn_network import Network, RoundView, encoded
from support.games.wild_ones.policies import UNSEEN, Policy, View, Views
from support.games.wild_ones.rules import WildOnes, WildOnesState, allowed

FORMAT = "network of wild ones, 2"
PACKAGES = ("learned-and-checked", "numpy", "numba", "torch", "safetensors")


class NetworkFileError(ValueError):
    """A file that holds no such network; the message names it and says what is wrong."""


@dataclass(frozen=True, eq=False)
class DQNPlayer(Policy):
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
    settings: DQNSettings
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
            ValueError: the network sees more than this view holds.
        """
        values = self._values(view)
        return (max(values, key=values.__getitem__),)

    def _values(self, view: View) -> dict[str, float]:
        return action_values(self.network, view, self.game, self.settings, len(self.kinds))

    def seen(self, state: WildOnesState, kinds_by_seat: Mapping[int, str] | None = None) -> RoundView:
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
        return RoundView.of(state, named)

    def values(self, state: WildOnesState, kinds_by_seat: Mapping[int, str] | None = None) -> dict[str, float]:
        """The network's value of each legal action for the player to move, in their order; arguments as :meth:`seen`.

        ``player.values(state, {0: "survivalist", 2: "aggressive"})`` is what a network with ``identity`` thinks in
        seat 1; one without needs the state alone.

        Raises:
            ValueError: as :meth:`seen`.
        """
        values = self._values(self.seen(state, kinds_by_seat))
        return {action: values[action] for action in state.legal_actions()}

    def action_probabilities(self, state: WildOnesState) -> dict[str, Fraction]:
        """One for the action that it takes; a network with ``identity`` cannot tell from the state alone.

        Raises:
            ValueError: it must know who sits where.
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
        from support.games.wild_ones.dqn_layers_fast import values

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
        by_bid, by_hand = inputs_by_part(views, last, self.settings.encoding, game.dice)
        written = np.full(views.shape, UNSEEN, np.int16)
        places = np.argwhere(views.reached)
        for some in np.array_split(places, max(1, len(places) // 4096)):
            total, side, hand, bid = some.T
            around = np.stack([*np.divmod(side, game.dice + 1), total], axis=1)
            found = values(self.network, np.hstack([around, by_bid[bid], by_hand[hand]]))[:, own]
            written[total, side, hand, bid] = np.where(legal[total, bid], found, -np.inf).argmax(axis=1)
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
        from safetensors.numpy import save_file

        path, beside = _paths(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        tensors: dict[str, np.ndarray] = {}
        for number, (matrix, bias) in enumerate(self.network.layers()):
            tensors |= {f"layer{number}.weight": matrix.copy(), f"layer{number}.bias": bias.copy()}
        save_file(tensors, path)
        about = {
            "format": FORMAT,
            "game": asdict(self.game),
            "opponents": self.opponents,
            "seed": self.seed,
            "settings": asdict(self.settings),
            "versions": {"python": platform.python_version()} | {name: metadata.version(name) for name in PACKAGES},
            "sha256": digest(path),
        }
        beside.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        return path


def inputs_by_part(
    views: Views, bids: Sequence[tuple[int, int] | None], encoding: str, dice: int
) -> tuple[np.ndarray, np.ndarray]:
    """What a network sees of a last bid and of a hand: all inputs but the first three, in two parts.

    Args:
        views: with the hands.
        bids: the last bids, None for none.
        encoding: as in ``DQNSettings``.
        dice: that each player starts with.

    Returns:
        float32[bid, n] and float32[hand, m].
    """
    shown = [encoded(View((), 0, bid), encoding, 0)[3:] for bid in bids]
    width = len(shown[0]) - (FACES if encoding == "histograms" else 0)
    by_hand = [encoded(View(hand, 0), encoding, dice)[3 + width :] for hand in views.hands]
    return np.array(shown, np.float32)[:, :width], np.array(by_hand, np.float32)


def load(path: Path | str) -> DQNPlayer:
    """Read a network that :meth:`DQNPlayer.save` wrote; it plays just as the one that was saved.

    Raises:
        NetworkFileError: a file is missing, cut off, changed, or of something else.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    path, beside = _paths(path)
    for one in (path, beside):
        if not one.is_file():
            raise NetworkFileError(f"{one}: there is no such file")
    try:
        about = json.loads(beside.read_text(encoding="utf-8"))
    except ValueError as error:
        raise NetworkFileError(f"{beside}: this is no JSON: {error}") from None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        found = about.get("format") if isinstance(about, dict) else about
        raise NetworkFileError(f"{beside}: this describes no network of this kind: expected '{FORMAT}', not {found!r}")
    try:
        game, settings = WildOnes(**about["game"]), DQNSettings(**about["settings"])
        seed, opponents, expected = int(about["seed"]), str(about["opponents"]), str(about["sha256"])
    except (KeyError, TypeError, ValueError) as error:
        wrong = f"{error.args[0]} is missing" if isinstance(error, KeyError) else error
        raise NetworkFileError(f"{beside}: {wrong}") from None
    try:
        tensors = load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise NetworkFileError(f"{path}: this is no safetensors file, or it was cut off: {error}") from None
    if digest(path) != expected:
        raise NetworkFileError(f"{path}: these are not the weights that {beside.name} describes; their sha256 differs")
    sizes, parts = settings.sizes(game, len(settings.kinds(opponents.split("+")))), []
    for number, (inputs, outputs) in enumerate(pairwise(sizes)):
        for name, shape in ((f"layer{number}.weight", (inputs, outputs)), (f"layer{number}.bias", (outputs,))):
            found = tensors.pop(name, None)
            if found is None or found.dtype != np.float32 or found.shape != shape:
                shown = "nothing" if found is None else f"{found.dtype}{list(found.shape)}"
                raise NetworkFileError(f"{path}: {name} must be float32{list(shape)}, not {shown}")
            parts.append(found.ravel())
    if tensors:
        raise NetworkFileError(f"{path}: there is more than the network: {', '.join(sorted(tensors))}")
    weights = np.concatenate(parts)
    if not np.isfinite(weights).all():
        raise NetworkFileError(f"{path}: some weights are not finite")
    return DQNPlayer(game, settings, Network(sizes, weights), opponents, seed)


def _paths(path: Path | str) -> tuple[Path, Path]:
    path = Path(path)
    if path.suffix != ".safetensors":
        raise NetworkFileError(f"{path}: a network is kept in a file that ends in .safetensors")
    return path, path.with_suffix(".json")


def digest(path: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
