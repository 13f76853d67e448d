"""A trained network as a policy: its actions and values, its table over all views, and its files.

The weights are in a ``.safetensors`` file; a JSON file beside it describes them.
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
from support.games.wild_ones.dqn_network import RoundView, encoded
from support.games.wild_ones.policies import UNSEEN, Policy, View, Views
from support.games.wild_ones.rules import WildOnes, WildOnesState
from support.learners.network import Network

FORMAT = "network of wild ones, 2"
PACKAGES = ("learned-and-checked", "numpy", "numba", "torch", "safetensors")


class NetworkFileError(ValueError):
    """A file cannot be read as a network; the message names it and says what is wrong."""


@dataclass(frozen=True, eq=False)
class DQNPlayer(Policy):
    """A network as a policy: the legal action of highest value, the lowest number if tied.

    Args:
        game: the game that it was made for; it can also play games with fewer players.
        settings: how it learned; here only the fields that describe its inputs matter.
        network: its weights.
        opponents: the names of its opponents in training, joined by +; with ``identity`` they are the kinds it knows.
        seed: the seed of its training.

    Raises:
        ValueError: the network's sizes do not fit this game and these settings.
    """

    game: WildOnes
    settings: DQNSettings
    network: Network
    opponents: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        wanted = self.settings.sizes(self.game, len(self.kinds))
        if self.network.sizes != wanted:
            raise ValueError(f"these settings need a network with the sizes {wanted}, not {self.network.sizes}")

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of players that it distinguishes, by number; none without ``identity``."""
        return self.settings.kinds(self.opponents.split("+")) if self.settings.identity else ()

    def choices(self, view: View) -> tuple[str, ...]:
        """The single action that it takes.

        Raises:
            ValueError: the network sees more than this view holds.
        """
        values = self._values(view)
        return (max(values, key=values.__getitem__),)

    def _values(self, view: View) -> dict[str, float]:
        return action_values(self.network, view, self.game, self.settings, len(self.kinds))

    def seen(self, state: WildOnesState, kinds_by_seat: Mapping[int, str] | None = None) -> RoundView:
        """What the network sees when it is to move, for :meth:`choices`.

        Args:
            state: a state of a game with as many dice each as in training and no more players.
            kinds_by_seat: the kind of the player in each other seat; only with ``identity``.

        Raises:
            ValueError: nobody is to move, or a name is missing or not among ``kinds``.
        """
        known = kinds_by_seat or {}
        for name in known.values() if self.settings.identity else ():
            if name not in self.kinds:
                raise ValueError(f"this network knows {', '.join(self.kinds)}, but not {name!r}")
        named = {seat: self.kinds.index(name) for seat, name in known.items()} if self.settings.identity else None
        return RoundView.of(state, named)

    def values(self, state: WildOnesState, kinds_by_seat: Mapping[int, str] | None = None) -> dict[str, float]:
        """The network's value of each legal action of the player to move; the arguments are those of :meth:`seen`.

        ``player.values(state, {0: "survivalist", 2: "aggressive"})`` are the values of a network with ``identity`` in
        seat 1; a network without needs only the state.

        Raises:
            ValueError: as in :meth:`seen`.
        """
        values = self._values(self.seen(state, kinds_by_seat))
        return {action: values[action] for action in state.legal_actions()}

    def action_probabilities(self, state: WildOnesState) -> dict[str, Fraction]:
        """Probability 1 for its action.

        Raises:
            ValueError: the network has ``identity``, and the state does not say who sits where.
        """
        taken = self.choices(self.seen(state))
        return {action: Fraction(action in taken) for action in state.legal_actions()}

    def table(self, game: WildOnes | None = None) -> np.ndarray:
        """The policy's table over all views of a game (``support.games.wild_ones.policies.table``).

        Args:
            game: a game with as many dice each and no more players; by default the one it was made for.

        Returns:
            int16, in the shape of ``Views(game, neighbours=True)``.

        Raises:
            ValueError: the game has more players or another number of dice each, or the network sees more than a view.
        """
        from support.games.wild_ones.rules_fast import masks_of
        from support.learners.network_fast import values

        if not self.settings.by_view:
            raise ValueError("a network with history or identity sees more than a view, so it has no table over views")
        game = game or self.game
        if game.dice != self.game.dice or game.num_players > self.game.num_players:
            raise ValueError(f"a network for {self.game} cannot play {game}")
        views = Views(game, neighbours=True)
        own = np.array([self.game.number(game.action(number)) for number in range(game.num_actions)])
        legal = masks_of(game)[:, :, : game.num_actions]
        by_bid, by_hand = inputs_by_part(views, game.bids, self.settings.encoding, game.dice)
        written = np.full(views.shape, UNSEEN, np.int16)
        places = np.argwhere(views.reached)
        for some in np.array_split(places, max(1, len(places) // 4096)):
            total, side, hand, bid = some.T
            around = np.stack([*np.divmod(side, game.dice + 1), total], axis=1)
            found = values(self.network, np.hstack([around, by_bid[bid], by_hand[hand]]))[:, own]
            written[total, side, hand, bid] = np.where(legal[total, bid], found, -np.inf).argmax(axis=1)
        return written

    def save(self, path: Path | str) -> Path:
        """Write the weights as ``name.safetensors`` and their description as ``name.json``.

        Args:
            path: the path of the weights, which ends in ``.safetensors``.

        Returns:
            The path of the weights.

        Raises:
            NetworkFileError: the path has another ending.
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
    """The network's inputs for each last bid and for each hand: all but the first three, in two parts.

    Args:
        views: the views, which number the hands.
        bids: the last bids; None for none.
        encoding: as in ``DQNSettings``.
        dice: the number of dice that each player starts with.

    Returns:
        float32[bids, n] and float32[hands, m].
    """
    shown = [encoded(View((), 0, bid), encoding, 0)[3:] for bid in bids]
    width = len(shown[0]) - (FACES if encoding == "histograms" else 0)
    by_hand = [encoded(View(hand, 0), encoding, dice)[3 + width :] for hand in views.hands]
    return np.array(shown, np.float32)[:, :width], np.array(by_hand, np.float32)


def load(path: Path | str) -> DQNPlayer:
    """Read a network that :meth:`DQNPlayer.save` wrote.

    Raises:
        NetworkFileError: a file is missing, cut off, changed, or not of this kind.
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
