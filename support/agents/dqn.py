"""A network that learns wild ones by deep Q-learning, as Alexandre Forestier Foray's agent does.

*Learning Liar's dice with deep Q-learning* (2026). One agent plays against fixed policies. A network gives every action
a value; the agent takes the legal action of the highest, or, with a probability that falls over time, any legal one.
What follows on a decision is kept as a *transition*: what the agent saw, what it did, its reward, what it saw next, and
what was legal there. After every ten decisions the network takes one step towards the targets of a batch of
transitions, and a second network, from which the targets come, follows it slowly (Mnih et al. 2015; van Hasselt, Guez
and Silver 2016).

This module is the plain counterpart of ``support.kernels.wild_ones_learning``: the same games, transitions and batches
from the same random numbers, and so the same weights. Its steps are taken by torch, which is loaded only for them.
"""

import hashlib
import json
import math
import operator
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from support.agents.call_or_raise import Digits
from support.agents.play import Stream
from support.agents.wild_ones import UNSEEN, Aggressive, Policy, Survivalist, View, Views, dealt, pick, seated
from support.games.interface import CHANCE
from support.games.rolls import FACES
from support.games.wild_ones import EXACT, LIAR, Bid, WildOnes, WildOnesState, allowed

__all__ = [
    "COPY",
    "DECAYS",
    "ENCODINGS",
    "EPISODES",
    "NOTEBOOK",
    "PUBLISHED",
    "WARM",
    "Batch",
    "Learner",
    "Memory",
    "Network",
    "NetworkFileError",
    "Optimiser",
    "Player",
    "Rewards",
    "Seen",
    "Settings",
    "Steps",
    "Trained",
    "aligned",
    "encoded",
    "first_seen",
    "inputs",
    "load",
    "one_thread",
    "seeds",
]

ENCODINGS = ("histograms", "raw")
"""How a network sees the last bid and its dice: as the document has it, or as quantity, face and the dice in order."""
EPISODES = ("rounds", "games")
"""What ends an episode: the round, or the agent's last die and the end of the game."""
DECAYS = ("games", "decisions")
"""What the decay of exploration counts: games of training, or the agent's decisions in them."""
WARM = {"explore": None, "survivalist": Survivalist(), "aggressive": Aggressive()}
"""How the agent plays while the memory is filled: exploring as at the beginning, or by a fixed policy."""
COPY = "itself"
"""The kind of a player that is the agent's own network."""
ILLEGAL = -1e9
"""The value that a mask gives to an action that is not legal."""
NO_BID = (1, 0)
"""Quantity and face that stand for no bid in the raw encoding, as in the author's program."""
DRAW_BITS = 32  # of a number from which a place of the memory is drawn
MOST_MEMORY = 1 << 24
FORMAT = "network of wild ones, 2"


@dataclass(frozen=True)
class Rewards:
    """What the agent is rewarded with, by the document's table.

    Attributes:
        caught: its "liar" was right.
        lost: it lost a die: its bid was a lie, or its challenge was wrong.
        exact: its "exact" was right, even if it had all its dice and won none back.
        outbid: it bid, and moved again in the same round.
        survived: its bid was challenged, and the challenger lost a die.
        conceded: its bid was said to be exact, and was.
        aside: it bid, and the round ended between two others.
        win: on top, for winning the game. The document has no such reward.
    """

    caught: float = 1.0
    lost: float = -2.0
    exact: float = 2.0
    outbid: float = 0.0
    survived: float = 1.0
    conceded: float = -0.5
    aside: float = 0.0
    win: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(Rewards):
            _require_number(field.name, getattr(self, field.name), -1e6, 1e6)

    def earned(self, state: WildOnesState, challenge: str, seat: int) -> float:
        """What a round's end is worth to the player in a seat.

        Args:
            state: before the challenge.
            challenge: "liar" or "exact".
            seat: whose reward.
        """
        (loser, change), caller = state.outcome(challenge), state.current_player
        bidder = state.last_bidder()
        if seat == caller:
            return self.lost if loser == caller and change < 0 else self.exact if challenge == EXACT else self.caught
        if seat == bidder:
            return self.lost if loser == bidder else self.survived if change < 0 else self.conceded
        return self.aside


@dataclass(frozen=True)
class Settings(Rewards):
    """How the agent learns, and from which rewards, which are fields of their own.

    The defaults are the document's, its open points as in the author's program. ``history`` and ``identity``, and
    ``episodes`` of whole games, are improvements that it lists and leaves untried; ``self_play`` is not in it.

    Attributes:
        layers: fully connected layers, the last one included; all others are followed by a rectifier.
        width: of each layer but the last.
        encoding: one of ``ENCODINGS``.
        learning_rate, weight_decay, amsgrad: of AdamW.
        clip: the largest derivative in a step; larger ones are cut to it.
        batch: transitions in a step, drawn without replacement. No step is taken before the memory holds as many.
        memory: transitions that are kept; a new one takes the place of the oldest.
        every: decisions of the agent between two steps.
        discount: what the future counts.
        tau: how far the target network moves towards the other with each step.
        target: whether there is a target network; without it the targets come from the network that learns.
        double: whether the network that learns chooses the action whose value the target network gives.
        epsilon_start, epsilon_end: the probability of exploring at the beginning, and what it falls towards.
        decay: how many games or decisions it takes for the difference to fall by a factor e.
        decay_in: one of ``DECAYS``.
        warm_games: games in which the memory is filled, before those of training.
        warm_policy: one of ``WARM``.
        games: of training.
        episodes: one of ``EPISODES``.
        third_party_closes: whether the agent's episode also ends with a round in which another's liar costs a third
            player its last die. In the author's program it goes on into the next round.
        history: whether the network also sees all bids of the round: for each player still in, itself first and then
            in turn, one input a bid, 1 if that player made it. The places of players who are out are zeros.
        identity: whether it also sees who sits where: for each player still in, the next first, one input a kind of
            opponent, 1 for that player's; and one for a copy of itself if there is self-play. Through a linear layer
            that is an embedding of the kinds.
        self_play: the share of games, those that fill the memory included, in which the network as it is plays all
            other seats too. Only the agent's own seat explores, and only what happens to it is remembered.
        offline_steps: steps that are taken on the filled memory before the games of training.

    Raises:
        ValueError: a value outside its range.
    """

    layers: int = 3
    width: int = 64
    encoding: str = "histograms"
    learning_rate: float = 3e-3
    weight_decay: float = 1e-2
    amsgrad: bool = True
    clip: float = 100.0
    batch: int = 256
    memory: int = 5000
    every: int = 10
    discount: float = 1.0
    tau: float = 1e-3
    target: bool = True
    double: bool = True
    epsilon_start: float = 1.0
    epsilon_end: float = 0.2
    decay: float = 1e3 / (3 * math.log(10))
    decay_in: str = "games"
    warm_games: int = 300
    warm_policy: str = "explore"
    games: int = 5000
    episodes: str = "rounds"
    third_party_closes: bool = True
    history: bool = False
    identity: bool = False
    self_play: float = 0.0
    offline_steps: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, known in (
            ("encoding", ENCODINGS),
            ("decay_in", DECAYS),
            ("warm_policy", tuple(WARM)),
            ("episodes", EPISODES),
        ):
            if getattr(self, name) not in known:
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        for name in ("amsgrad", "target", "double", "third_party_closes", "history", "identity"):
            if not isinstance(getattr(self, name), bool):
                raise ValueError(f"{name} must be true or false, not {getattr(self, name)!r}")
        whole = {"memory": (1, MOST_MEMORY), "batch": (1, self.memory), "layers": (1, 16), "width": (1, 4096)}
        whole |= {"every": (1, 2**31), "warm_games": (0, 2**31), "games": (0, 2**31), "offline_steps": (0, 2**31)}
        for name, (least, most) in whole.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                raise ValueError(f"{name} must be a whole number from {least:,} to {most:,}, not {value!r}")
        shares = dict.fromkeys(("discount", "tau", "epsilon_start", "epsilon_end", "self_play"), (0, 1))
        sizes = {"learning_rate": (0, 10), "weight_decay": (0, 10), "clip": (1e-12, 1e12), "decay": (1e-9, 1e12)}
        for name, (least, most) in (shares | sizes).items():
            _require_number(name, getattr(self, name), least, most)

    def epsilon(self, games: int, decisions: int) -> float:
        """The probability of exploring after so many games of training and decisions in them."""
        return self.epsilon_after(games if self.decay_in == "games" else decisions)

    def epsilon_after(self, passed: float) -> float:
        """The probability of exploring after so much of what the decay counts."""
        return self.epsilon_end + (self.epsilon_start - self.epsilon_end) * math.exp(-passed / self.decay)

    @property
    def by_view(self) -> bool:
        """Whether a view is all that the network sees, so that what it does can be written as a table."""
        return not (self.history or self.identity)

    def kinds(self, opponents: Sequence[str]) -> tuple[str, ...]:
        """The kinds of players that ``identity`` tells apart, by number.

        Args:
            opponents: names of those it is trained against.
        """
        return (*dict.fromkeys(opponents), *((COPY,) if self.self_play > 0 else ()))

    def sizes(self, game: WildOnes, kinds: int = 0) -> tuple[int, ...]:
        """The widths of a network for this game: inputs, what lies between, outputs; 15, 64, 64, 38 as published.

        Args:
            game: the rules.
            kinds: of players; they count with ``identity`` only.
        """
        inputs = 3 + (2 * FACES if self.encoding == "histograms" else 2 + game.dice)
        inputs += self.history * game.num_players * (game.num_actions - 2)
        inputs += self.identity * (game.num_players - 1) * kinds
        return (inputs, *[self.width] * (self.layers - 1), game.num_actions)


def _require_number(name: str, value: float, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g}, not {value!r}")


PUBLISHED = Settings()
"""The document: exploration falls over some thousand games, and every round ends an episode."""
NOTEBOOK = Settings(
    weight_decay=0.0,
    decay=1e4 / (3 * math.log(10)),
    decay_in="decisions",
    games=4000,
    third_party_closes=False,
)
"""The author's notebook, where it differs."""


def encoded(view: View, encoding: str, dice: int) -> tuple[int, ...]:
    """What a network sees: 15 numbers as histograms, or 5 and the dice, zeros for those that are gone.

    Args:
        view: what the player to move goes by.
        encoding: one of ``ENCODINGS``.
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


def first_seen(opponents: Sequence[Any], same: Callable[[Any, Any], bool] = operator.eq) -> list[int]:
    """The kind of each opponent: numbers in the order in which kinds appear.

    Args:
        opponents: policies, or whatever stands for them.
        same: whether two of them are of one kind.
    """
    firsts: list[Any] = []
    kinds = []
    for one in opponents:
        kinds.append(next((kind for kind, other in enumerate(firsts) if same(one, other)), len(firsts)))
        if kinds[-1] == len(firsts):
            firsts.append(one)
    return kinds


def aligned(*shape: int) -> np.ndarray:
    """float32 zeros that begin at a multiple of 64 bytes.

    Products of matrices may be rounded otherwise where they do not, and a run would not always give the same digits.
    """
    size = 4 * math.prod(shape)
    room = np.zeros(size + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + size].view(np.float32).reshape(shape)


@dataclass(frozen=True, eq=False)
class Network:
    """Layers of weights, in one array.

    Attributes:
        sizes: the widths: inputs, what lies between, outputs.
        weights: float32, layer after layer a matrix [inputs, outputs], row by row, and then its biases.

    Raises:
        ValueError: an array that does not fit the sizes.
    """

    sizes: tuple[int, ...]
    weights: np.ndarray

    def __post_init__(self) -> None:
        if self.weights.dtype != np.float32 or self.weights.shape != (self.count(self.sizes),):
            found = f"{self.weights.dtype}{list(self.weights.shape)}"
            raise ValueError(f"a network of {self.sizes} has float32[{self.count(self.sizes)}] weights, not {found}")

    @staticmethod
    def count(sizes: Sequence[int]) -> int:
        """How many weights a network of these widths has."""
        return sum((inputs + 1) * outputs for inputs, outputs in pairwise(sizes))

    @classmethod
    def fresh(cls, sizes: Sequence[int], seed: int) -> "Network":
        """Random weights: uniform between plus and minus one over the root of a layer's inputs, biases too.

        These are torch's own for such layers.
        """
        numbers, parts = np.random.default_rng(seed), []
        for inputs, outputs in pairwise(sizes):
            parts.append(numbers.uniform(-1, 1, (inputs + 1) * outputs) / math.sqrt(inputs))
        return cls(tuple(sizes), np.concatenate(parts).astype(np.float32)).copy()

    def layers(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The matrix [inputs, outputs] and the biases of each layer; no copies."""
        found, first = [], 0
        for inputs, outputs in pairwise(self.sizes):
            bias = first + inputs * outputs
            found.append((self.weights[first:bias].reshape(inputs, outputs), self.weights[bias : bias + outputs]))
            first = bias + outputs
        return found

    def values(self, states: np.ndarray) -> np.ndarray:
        """float32[..., outputs], the value of each action.

        Products are added input by input, as compiled play adds them: the same digits, and so the same choices.

        Args:
            states: [..., inputs].
        """
        seen = np.asarray(states, np.float32)
        layers = self.layers()
        for number, (matrix, bias) in enumerate(layers):
            out = np.broadcast_to(bias, (*seen.shape[:-1], bias.size)).copy()
            for place in range(len(matrix)):
                out += seen[..., place, None] * matrix[place]
            seen = np.maximum(out, np.float32(0)) if number < len(layers) - 1 else out
        return seen

    def copy(self) -> "Network":
        """The same weights in an array of their own."""
        weights = aligned(len(self.weights))
        weights[:] = self.weights
        return Network(self.sizes, weights)


class Batch(NamedTuple):
    """Transitions, one a row.

    Attributes:
        states: float32[n, inputs], what the agent saw.
        actions: int64[n], what it did, by the game's numbers.
        rewards: float32[n].
        nexts: float32[n, inputs], what it saw next; zeros if the episode ended.
        legal: bool[n, actions], what it might do there; nothing if the episode ended.
        goes_on: bool[n], whether the episode went on.
    """

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    nexts: np.ndarray
    legal: np.ndarray
    goes_on: np.ndarray

    @classmethod
    def empty(cls, rows: int, inputs: int, actions: int) -> "Batch":
        """Zeros."""
        return cls(
            aligned(rows, inputs),
            np.zeros(rows, np.int64),
            np.zeros(rows, np.float32),
            aligned(rows, inputs),
            np.zeros((rows, actions), bool),
            np.zeros(rows, bool),
        )


class Memory:
    """The latest transitions, in a ring.

    Args:
        capacity: how many are kept.
        inputs, actions: of the network.
    """

    def __init__(self, capacity: int, inputs: int, actions: int):
        self.rows, self.stored = Batch.empty(capacity, inputs, actions), 0

    @property
    def capacity(self) -> int:
        """How many are kept at most."""
        return len(self.rows.actions)

    def __len__(self) -> int:
        return min(self.stored, self.capacity)

    def add(
        self,
        state: Sequence[float],
        action: int,
        reward: float,
        seen: Sequence[float] | None = None,
        legal: Sequence[int] = (),
    ) -> None:
        """Keep a transition; where the memory is full it takes the place of the oldest.

        Args:
            state: what the agent saw.
            action: what it did, a number.
            reward: what it got.
            seen: what it saw next; None if the episode ended.
            legal: the numbers of the actions that were legal there.
        """
        place, rows = self.stored % self.capacity, self.rows
        rows.states[place], rows.actions[place], rows.rewards[place] = state, action, reward
        rows.nexts[place], rows.legal[place], rows.goes_on[place] = 0 if seen is None else seen, False, seen is not None
        rows.legal[place, list(legal)] = True
        self.stored += 1

    def drawn(self, count: int, stream: Stream) -> list[int]:
        """Different places of the memory, any of them equally likely, by Floyd's method: one number a place.

        Raises:
            ValueError: the memory holds fewer.
        """
        if count > len(self):
            raise ValueError(f"the memory holds {len(self)} transitions, fewer than {count}")
        places: list[int] = []
        taken: set[int] = set()
        for last in range(len(self) - count, len(self)):
            place = (stream.next() >> (64 - DRAW_BITS)) * (last + 1) >> DRAW_BITS
            places.append(last if place in taken else place)
            taken.add(places[-1])
        return places

    def batch(self, places: Sequence[int]) -> Batch:
        """Copies of the transitions at some places."""
        batch = Batch.empty(len(places), self.rows.states.shape[1], self.rows.legal.shape[1])
        for column, copied in zip(self.rows, batch, strict=True):
            copied[:] = column[list(places)]
        return batch

    def latest(self, count: int) -> Batch:
        """The latest transitions, oldest first, for a look at them."""
        return self.batch([number % self.capacity for number in range(self.stored - count, self.stored)])


class Steps(ABC):
    """What takes the steps: the network that learns, and the one from which its targets come.

    Args:
        network: changed in place by each step.
        settings: how the agent learns.
    """

    def __init__(self, network: Network, settings: Settings):
        import torch

        self._torch, self.network, self.settings, self.steps = torch, network, settings, 0
        self.target = network.copy() if settings.target else network

    def _tensors(self, network: Network) -> list[tuple[Any, Any]]:
        """The matrix and the biases of each layer as tensors that share the network's memory."""
        return [(self._torch.from_numpy(matrix), self._torch.from_numpy(bias)) for matrix, bias in network.layers()]

    @abstractmethod
    def goals(self, batch: Batch) -> np.ndarray:
        """float32[n], what the values of a batch's actions are moved towards.

        The reward, and, where the episode went on, the value of the best action that was legal in what was seen next.
        """

    @abstractmethod
    def step(self, batch: Batch) -> None:
        """One step on the Huber loss of a batch, and the target network follows."""


class Optimiser(Steps):
    """Steps by torch's own derivatives and its AdamW; arguments as :class:`Steps`."""

    def __init__(self, network: Network, settings: Settings):
        super().__init__(network, settings)
        torch = self._torch
        self._flat = torch.nn.Parameter(torch.from_numpy(network.weights))
        self._flat.grad = torch.zeros_like(self._flat)
        self._layers = self._tensors(network)
        slopes = self._tensors(Network(network.sizes, self._flat.grad.numpy()))
        for layer, beside in zip(self._layers, slopes, strict=True):
            for part, slope in zip(layer, beside, strict=True):
                part.requires_grad_().grad = slope  # backward adds to the one array that AdamW reads
        self._followed = torch.from_numpy(self.target.weights)
        self._targets = self._tensors(self.target)
        self._adam = torch.optim.AdamW(
            [self._flat],
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
            amsgrad=settings.amsgrad,
            foreach=False,
        )

    def _forward(self, layers: list[tuple[Any, Any]], states: Any) -> Any:
        for matrix, bias in layers[:-1]:
            states = self._torch.addmm(bias, states, matrix).relu_()
        matrix, bias = layers[-1]
        return self._torch.addmm(bias, states, matrix)

    def _goals(self, batch: Batch) -> Any:
        torch = self._torch
        with torch.no_grad():
            nexts, legal = torch.from_numpy(batch.nexts), torch.from_numpy(batch.legal)
            judged = self._forward(self._targets, nexts)
            choosing = self._forward(self._layers, nexts) if self.settings.double and self.settings.target else judged
            best = choosing.masked_fill(~legal, ILLEGAL).argmax(1, keepdim=True)
            future = judged.gather(1, best).squeeze(1) * self.settings.discount
            return torch.from_numpy(batch.rewards) + future * torch.from_numpy(batch.goes_on)

    def goals(self, batch: Batch) -> np.ndarray:
        """As :meth:`Steps.goals`."""
        return self._goals(batch).numpy()

    def step(self, batch: Batch) -> None:
        """As :meth:`Steps.step`."""
        torch = self._torch
        goals = self._goals(batch)
        grad = self._flat.grad
        grad.zero_()
        values = self._forward(self._layers, torch.from_numpy(batch.states))
        chosen = values.gather(1, torch.from_numpy(batch.actions).unsqueeze(1)).squeeze(1)
        torch.nn.functional.smooth_l1_loss(chosen, goals).backward()
        grad.clamp_(-self.settings.clip, self.settings.clip)
        self._adam.step()
        if self.settings.target:
            self._followed.lerp_(self._flat.detach(), self.settings.tau)
        self.steps += 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch work in one thread: these networks are too small for two, and sweeps run one process a core."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def seeds(seed: int) -> tuple[int, int, int]:
    """The seeds of a run's first weights, its games and its batches."""
    stream = Stream(seed)
    return stream.next(), stream.next(), stream.next()


@dataclass(frozen=True, eq=False)
class Trained:
    """What came out of a training run.

    Attributes:
        network: with its last weights.
        places: uint8[games, players], of each player in each game of training; the agent is the last.
        decisions: of the agent in training.
        steps: of the optimiser.
    """

    network: Network
    places: np.ndarray
    decisions: int
    steps: int


Watch = Callable[[int, Network], None]
"""Called between games, with the number of games of training so far and the network as it is."""


@dataclass
class _Open:
    """A decision that is not a transition yet; ``gain`` is None while its round goes on."""

    state: tuple[int, ...]
    action: int
    gain: float | None = None


class Learner:
    """The agent and its games, one state at a time: plain, and slow.

    Args:
        game: the rules.
        opponents: the policies of all players but the agent, who is the last.
        settings: how the agent learns.
        seed: 64 bits.
        optimiser: what takes the steps, torch's unless a faster one is to be compared.

    Raises:
        ValueError: not one opponent a player.
    """

    def __init__(
        self,
        game: WildOnes,
        opponents: Sequence[Policy],
        settings: Settings,
        seed: int,
        optimiser: type[Steps] = Optimiser,
    ):
        if len(opponents) != game.num_players - 1:
            raise ValueError(f"{game.num_players} players are {game.num_players - 1} opponents, not {len(opponents)}")
        weights, self.seed, batches = seeds(seed)
        self.game, self.opponents, self.settings = game, tuple(opponents), settings
        self.kinds = first_seen(self.opponents)
        names = [str(kind) for kind in self.kinds]
        self._kinds = len(settings.kinds(names))
        sizes = settings.sizes(game, self._kinds)
        self.network = Network.fresh(sizes, weights)
        self.memory = Memory(settings.memory, sizes[0], sizes[-1])
        self.optimiser = optimiser(self.network, settings)
        self.batches = Stream(batches)
        self.player: Policy = Player(game, settings, self.network, "+".join(names))
        self.played = self.decisions = 0
        self._open: _Open | None = None

    def train(self, watch: Watch | None = None, every: int = 0) -> Trained:
        """Fill the memory, then play and learn.

        Args:
            watch: called after every so many games.
            every: how many.

        Raises:
            ValueError: steps are to be taken before games, and the memory holds less than a batch.
        """
        with one_thread():
            for _ in range(self.settings.warm_games):
                self.play(warm=True)
            for _ in range(self.settings.offline_steps):
                self._step()
            places = np.zeros((self.settings.games, self.game.num_players), np.uint8)
            for number in range(self.settings.games):
                places[number] = self.play()
                if watch and every and (number + 1) % every == 0:
                    watch(number + 1, self.network)
        return Trained(self.network, places, self.decisions, self.optimiser.steps)

    def play(self, warm: bool = False) -> tuple[int, ...]:
        """Play the next game, with or without learning, and return the place of each player."""
        stream, agent = Stream(self.seed, self.played), len(self.opponents)
        digits = Digits(stream)
        seats = seated(agent + 1, digits)
        copied = self.settings.self_play > 0 and _share(stream) < self.settings.self_play
        copy = max(self.kinds) + 1
        kinds = {seat: copy if copied or player == agent else self.kinds[player] for seat, player in enumerate(seats)}
        state, own = self.game.initial_state().child(0), seats.index(agent)
        while not state.is_terminal():
            if state.current_player == CHANCE:
                state = dealt(state, digits)
                continue
            decides = state.current_player == own
            view = View.of(state) if self.settings.by_view else Seen.of(state, kinds)
            if decides:
                action = self._decide(view, stream, warm)
            else:
                policy = self.player if copied else self.opponents[seats[state.current_player]]
                taken = policy.choices(view)
                action = taken[pick(len(taken), stream)]
            before, state = state, state.child(action)
            if action in (LIAR, EXACT):
                self._round_over(before, action, state, own)
            if decides and not warm:
                self.decisions += 1
                if self.decisions % self.settings.every == 0 and len(self.memory) >= self.settings.batch:
                    self._step()
        self.played += 1
        places_by_seat = dict(zip(seats, state.places(), strict=True))
        return tuple(places_by_seat[player] for player in range(agent + 1))

    def _step(self) -> None:
        self.optimiser.step(self.memory.batch(self.memory.drawn(self.settings.batch, self.batches)))

    def _decide(self, view: View, stream: Stream, warm: bool) -> str:
        """Choose, after what the agent sees has closed its last decision."""
        seen = inputs(view, self.game, self.settings, self._kinds)
        if self._open:
            gain = self.settings.outbid if self._open.gain is None else self._open.gain
            legal = [self.game.number(action) for action in view.legal()]
            self.memory.add(self._open.state, self._open.action, gain, seen, legal)
        fixed = WARM[self.settings.warm_policy] if warm else None
        passed = (0, 0) if warm else (self.played - self.settings.warm_games, self.decisions)
        if fixed:
            taken = fixed.choices(view)
        elif _share(stream) < self.settings.epsilon(*passed):
            taken = view.legal()
        else:
            taken = self.player.choices(view)
        action = taken[pick(len(taken), stream)]
        self._open = _Open(seen, self.game.number(action))
        return action

    def _round_over(self, before: WildOnesState, challenge: str, after: WildOnesState, own: int) -> None:
        """Reward the agent's last decision of a round, and close it if the episode ends here."""
        decision, rewards = self._open, self.settings
        if not decision:
            return
        rounds = self.settings.episodes == "rounds"
        bidder = before.last_bidder()
        third = own not in (before.current_player, bidder)
        if rounds and third and not self.settings.third_party_closes and bidder in after.out:
            return
        if decision.gain is None:
            decision.gain = rewards.earned(before, challenge, own)
        won = after.is_terminal() and own not in after.out
        if rounds or won or own in after.out:
            self.memory.add(decision.state, decision.action, decision.gain + won * rewards.win)
            self._open = None


def _share(stream: Stream) -> float:
    """A number from 0 to 1, 1 excluded."""
    return (stream.next() >> 11) * 2.0**-53


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
        """This policy over all views of a game, as ``support.agents.wild_ones.table`` writes it, all at once.

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
        from safetensors.numpy import save_file

        path = _paths(path)[0]
        path.parent.mkdir(parents=True, exist_ok=True)
        tensors = {}
        for number, (matrix, bias) in enumerate(self.network.layers()):
            tensors |= {f"layer{number}.weight": matrix.copy(), f"layer{number}.bias": bias.copy()}
        save_file(tensors, path)
        about = {
            "format": FORMAT,
            "game": asdict(self.game),
            "opponents": self.opponents,
            "seed": self.seed,
            "settings": asdict(self.settings),
            "versions": {"python": platform.python_version(), **{name: metadata.version(name) for name in PACKAGES}},
            "sha256": _digest(path),
        }
        path.with_suffix(".json").write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
        return path


PACKAGES = ("learned-and-checked", "numpy", "numba", "torch", "safetensors")


class NetworkFileError(ValueError):
    """A file that holds no such network; the message names it and says what is wrong."""


def _paths(path: Path | str) -> tuple[Path, Path]:
    path = Path(path)
    if path.suffix != ".safetensors":
        raise NetworkFileError(f"{path}: a network is kept in a file that ends in .safetensors")
    return path, path.with_suffix(".json")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def load(path: Path | str) -> Player:
    """Read a network that :meth:`Player.save` wrote; it plays just as the one that was saved.

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
        game = WildOnes(**about["game"])
        settings = Settings(**about["settings"])
        seed, opponents, digest = int(about["seed"]), str(about["opponents"]), str(about["sha256"])
    except (KeyError, TypeError, ValueError) as error:
        wrong = f"{error.args[0]} is missing" if isinstance(error, KeyError) else error
        raise NetworkFileError(f"{beside}: {wrong}") from None
    try:
        tensors = load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise NetworkFileError(f"{path}: this is no safetensors file, or it was cut off: {error}") from None
    if _digest(path) != digest:
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
    return Player(game, settings, Network(sizes, weights), opponents, seed)
