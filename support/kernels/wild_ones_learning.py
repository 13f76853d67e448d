"""The agent that learns wild ones, compiled: its games, its choices, its memory and its steps.

Plain counterpart: ``support.agents.dqn.learner.Learner`` plays the same games, keeps the same transitions and draws
the same batches from the same random numbers. Compiled play stops where a step is due, after every so many decisions
of the agent, and goes on with the new weights: the order of play and learning is that of the plain program. With the
same steps the weights are the same too, digit for digit. :class:`Stepper` takes them faster than torch's own machinery,
and agrees with it but for rounding.

A trained network is played by :func:`evaluate`, which remembers what it has decided before.
"""

from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property
from math import exp
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from support.agents.dqn.learner import Trained, Watch, seeds
from support.agents.dqn.memory import DRAW_BITS, Batch, Memory
from support.agents.dqn.network import Network, aligned
from support.agents.dqn.observations import encoded
from support.agents.dqn.optimiser import ILLEGAL, Steps, one_thread
from support.agents.dqn.player import Player
from support.agents.dqn.settings import WARM, Rewards, Settings
from support.agents.wild_ones import DRAWS, View, Views, kinds_of, table
from support.games.rolls import FACES
from support.games.wild_ones import WildOnes
from support.kernels.dice import next_player, roll_hand, seat
from support.kernels.splitmix import mix, step, stream
from support.kernels.wild_ones import Games
from support.kernels.wild_ones_rules import (
    EXACT,
    is_right,
    joined,
    masks_of,
    packed,
    pick,
    require_legal,
    rules_of,
    seat_all,
)

__all__ = ["Learner", "Stepper", "evaluate", "train"]

S11, DRAW, DRAW_SHIFT = np.uint64(11), np.uint64(DRAW_BITS), np.uint64(64 - DRAW_BITS)
UNIT = 2.0**-53
BETA1, BETA2, TINY = 0.9, 0.999, 1e-8  # torch's own for AdamW
LOWEST = 1e-33  # a moment below it is zero
REMEMBERED = 1 << 20  # places for decisions in evaluation, of which half are used: 16 MB
GAMES, DECISIONS, NEVER = 0, 1, 2  # what the decay of exploration counts; NEVER: it stands still
BOARD = np.dtype(
    [
        ("games", np.int64),  # that have been played to their end
        ("decisions", np.int64),  # of the agent, in training
        ("stored", np.int64),  # transitions, ever
        ("playing", np.bool_),  # a game is under way
        ("rolled", np.bool_),  # and a round of it
        ("open", np.bool_),  # the agent's last decision is not a transition yet
        ("settled", np.bool_),  # but its round has ended
        ("action", np.int64),  # that decision
        ("gain", np.float64),  # and its reward
        ("total", np.int64),
        ("alive", np.int64),
        ("opener", np.int64),
        ("speaker", np.int64),
        ("bidder", np.int64),
        ("bid", np.int64),
        ("said", np.int64),  # bids of the round
        ("copied", np.bool_),  # the network plays all seats of this game
        ("stream", np.uint64),
        ("dice", np.uint64),  # all hands of the round together
        ("rounds", np.int64),
        ("turns", np.int64),
    ]
)
"""Where play stands between two calls."""
DECISION = np.dtype([("key", np.uint64), ("action", np.int64)])
"""What is remembered of a decision."""


class _Views(NamedTuple):
    """What the network sees, prepared.

    Attributes:
        bids: float32[bid, n], the inputs of a last bid.
        hands: float32[hand, m], those of a hand.
        masks: bool[total + 1, bid, action], what is legal.
        players: for how many players the bids of the round have room; 0 if it does not see them.
        places: inputs for the kind of a player; 0 if it does not see who sits where.
        kinds: int64[players], the kind of each player.
        made: int64[bid], the bids of the round so far, by number.
    """

    bids: np.ndarray
    hands: np.ndarray
    masks: np.ndarray
    players: int
    places: int
    kinds: np.ndarray
    made: np.ndarray


class _Seats(NamedTuple):
    """Dice, hands and turns by seat, and who sits there: int64[players] each."""

    counts: np.ndarray
    hands: np.ndarray
    players: np.ndarray
    before: np.ndarray
    after: np.ndarray


class _Network(NamedTuple):
    """The network as the kernel reads it, and room for its layers and inputs.

    ``inputs`` are float32[3, inputs]: what the agent saw at its last decision, what it sees now, and what a copy sees.
    """

    sizes: np.ndarray
    weights: np.ndarray
    layers: np.ndarray
    inputs: np.ndarray


class _Decided(NamedTuple):
    """Decisions that are remembered: a table with open addresses, in which a search goes on to the next place.

    Attributes:
        places: of ``DECISION``, a power of two of them, or none at all: then nothing is remembered. A key is 64 bits of
            a hash of what the network saw, 0 where there is nothing. That among n situations two have one key has a
            probability of about n^2 / 2^65: one in thirty million for a million of them.
        used: int64[1], how many places are; no more than half of them.
    """

    places: np.ndarray
    used: np.ndarray

    @classmethod
    def empty(cls, places: int) -> "_Decided":
        return cls(np.zeros(places, DECISION), np.zeros(1, np.int64))


class _Rule(NamedTuple):
    """How the agent explores and is rewarded: scalars, and the table of rewards as float64[8] in its order."""

    start: float
    end: float
    decay: float
    counts: int
    fixed: bool
    learns: bool
    self_play: float
    whole_games: bool
    third_party_closes: bool
    rewards: np.ndarray


def _rule(settings: Settings, warm: bool) -> _Rule:
    return _Rule(
        float(settings.epsilon_start),
        float(settings.epsilon_end),
        float(settings.decay),
        NEVER if warm else GAMES if settings.decay_in == "games" else DECISIONS,
        warm and settings.warm_policy != "explore",
        True,
        float(settings.self_play),
        settings.episodes == "games",
        settings.third_party_closes,
        np.array([getattr(settings, field.name) for field in fields(Rewards)], np.float64),
    )


class _Play:
    """Games under way, as the kernel has them: the rules, who plays, what the network sees, and where they stand.

    Args:
        player: the agent, who is the last.
        tables: of all other players; there may be fewer than in training.
        kinds: of each of them, by number.
        seed: of the games.
        rows: the memory.
        decided: decisions that are remembered.
    """

    def __init__(
        self,
        player: Player,
        tables: Sequence[np.ndarray],
        kinds: Sequence[int],
        seed: int,
        rows: Batch,
        decided: _Decided,
    ):
        game, settings, network = player.game, player.settings, player.network
        for one in tables:
            require_legal(game, one)
        self.settings, self._seed, self._dice = settings, np.uint64(seed), game.dice
        self.board = np.zeros(1, BOARD)
        self.players = len(tables) + 1
        self._seats = _Seats(*np.zeros((5, self.players), np.int64))
        fixed = WARM[settings.warm_policy]
        own = [table(Views(game), fixed)] if fixed else []
        self._others = joined([*tables, *own])
        room = np.zeros((2, max(network.sizes)), np.float32)
        seen = np.zeros((3, network.sizes[0]), np.float32)
        self._network = _Network(np.array(network.sizes), network.weights, room, seen)
        self._views = _seen(game, settings, len(player.kinds), kinds)
        self._rules, self._rows, self._decided = rules_of(game), rows, decided

    def advance(self, rule: _Rule, first: int, end: int, due: int, found: Games) -> bool:
        """Play on until a step is due or ``end`` games are over; returns whether one is due."""
        due_now: bool = _advance(
            self._others,
            self._rules,
            self._views,
            self._network,
            self._decided,
            rule,
            self._rows,
            self._dice,
            self._seed,
            self.settings.warm_games,
            first,
            end,
            due,
            self.board,
            self._seats,
            found,
        )
        return due_now

    def evaluate(self, games: int) -> Games:
        """Play the next games by the network alone, without keeping or learning anything."""
        rule = _rule(self.settings, False)._replace(learns=False, self_play=0.0)
        found, first = self.room(games), int(self.board[0]["games"])
        self.advance(rule, first, first + games, 0, found)
        return found

    def room(self, games: int) -> Games:
        """Room for what comes out of so many games."""
        shape = (games, self.players)
        return Games(np.empty(shape, np.uint8), np.empty(games, np.int64), np.empty(games, np.int64))


class Learner:
    """The agent and its games, compiled.

    Args:
        game: the rules.
        tables: of all players but the agent, who is the last, as ``support.agents.wild_ones.table`` writes them.
        settings: how the agent learns. Opponents with equal tables are of one kind.
        seed: 64 bits.
        network: to go on from; by default a fresh one.
        optimiser: what takes the steps, by default :class:`Stepper`.

    Raises:
        ValueError: not one table an opponent, or one that plays something illegal.
    """

    def __init__(
        self,
        game: WildOnes,
        tables: Sequence[np.ndarray],
        settings: Settings,
        seed: int,
        network: Network | None = None,
        optimiser: type[Steps] | None = None,
    ):
        if len(tables) != game.num_players - 1:
            raise ValueError(f"{game.num_players} players are {game.num_players - 1} opponents, not {len(tables)}")
        weights, games, batches = seeds(seed)
        kinds = kinds_of(tables, np.array_equal)
        names = [str(kind) for kind in kinds]
        sizes = settings.sizes(game, len(settings.kinds(names)))
        self.game, self.settings = game, settings
        self.network = network or Network.fresh(sizes, weights)
        self.memory = Memory(settings.memory, sizes[0], sizes[-1])
        player = Player(game, settings, self.network, "+".join(names))
        self._play = _Play(player, tables, kinds, games, self.memory.rows, _Decided.empty(0))
        self._batch = Batch.empty(settings.batch, sizes[0], sizes[-1])
        self._batches = np.array([stream(np.uint64(batches), np.uint64(0))], np.uint64)
        self._taken = np.zeros(settings.memory, bool)
        self._optimiser = optimiser or Stepper

    @cached_property
    def optimiser(self) -> Steps:
        """What takes the steps; torch is loaded when it is first asked for."""
        return self._optimiser(self.network, self.settings)

    @property
    def played(self) -> int:
        """Games that have been played, those that filled the memory included."""
        return int(self._play.board[0]["games"])

    @property
    def decisions(self) -> int:
        """Of the agent in training."""
        return int(self._play.board[0]["decisions"])

    def train(self, watch: Watch | None = None, every: int = 0) -> Trained:
        """Fill the memory, then play and learn.

        Args:
            watch: called after every so many games.
            every: how many; 0 for never.

        Raises:
            FloatingPointError: the weights have grown beyond all bounds.
            ValueError: steps are to be taken before games, and the memory holds less than a batch.
        """
        settings = self.settings
        with one_thread():
            self.play(settings.warm_games, warm=True)
            for _ in range(settings.offline_steps):
                self._step()
            if settings.offline_steps:
                self._require_finite(f"after {settings.offline_steps:,} steps before training")
            places, done = [], 0
            while done < settings.games:
                games = min(every if watch and every else settings.games, settings.games - done)
                places.append(self.play(games).places)
                done += games
                self._require_finite(f"after {done:,} games of training")
                if watch and every and games == every:
                    watch(done, self.network)
        players = self.game.num_players
        whole = np.concatenate(places) if places else np.zeros((0, players), np.uint8)
        return Trained(self.network, whole, self.decisions, self.optimiser.steps)

    def play(self, games: int, warm: bool = False) -> Games:
        """Play the next games, with or without learning.

        Args:
            games: how many.
            warm: whether they only fill the memory.
        """
        settings, memory, first = self.settings, self.memory, self.played
        rule, due = _rule(settings, warm), 0 if warm else settings.every
        found, board = self._play.room(games), self._play.board[0]
        more = True
        while more:
            more = self._play.advance(rule, first, first + games, due, found)
            memory.stored = int(board["stored"])
            if more and len(memory) >= settings.batch:
                self._step()
        return found

    def evaluate(self, games: int) -> Games:
        """Play the next games by the network alone, without keeping or learning anything."""
        return self._play.evaluate(games)

    def _step(self) -> None:
        """One step on a batch of the memory."""
        if len(self.memory) < self.settings.batch:
            raise ValueError(f"the memory holds {len(self.memory)} transitions, fewer than {self.settings.batch}")
        _gather(self.memory.rows, len(self.memory), self._taken, self._batches, self._batch)
        self.optimiser.step(self._batch)

    def _require_finite(self, when: str) -> None:
        if not np.isfinite(self.network.weights).all():
            raise FloatingPointError(f"{when} some weights are not finite")


class Stepper(Steps):
    """The steps of :class:`support.agents.dqn.optimiser.Optimiser`, faster.

    The derivatives are written out: torch only multiplies matrices. Arguments as
    :class:`support.agents.dqn.optimiser.Steps`.
    """

    def __init__(self, network: Network, settings: Settings):
        super().__init__(network, settings)
        rows, count = settings.batch, len(network.weights)
        self._slopes = Network(network.sizes, aligned(count))
        self._moments = tuple(aligned(count) for _ in range(3))
        self._own, self._followed = self._tensors(network), self._tensors(self.target)
        self._out = self._tensors(self._slopes)
        self._nexts, self._states, self._back = [], [], []
        for width in network.sizes:
            self._nexts.append(aligned(rows, width))
            self._states.append(aligned(rows, width))
            self._back.append(aligned(rows, width))
        self._judged = aligned(rows, network.sizes[-1])
        self._goals = np.zeros(rows, np.float32)
        self._tensor_states, self._tensor_nexts, self._tensor_back = (
            [self._torch.from_numpy(one) for one in several] for several in (self._states, self._nexts, self._back)
        )
        self._tensor_judged = self._torch.from_numpy(self._judged)

    def _forward(self, layers: list[tuple[Any, Any]], room: list[Any], rows: int, out: Any = None) -> None:
        """From ``room[0]`` to the last of ``room``, or to ``out``."""
        addmm, last, seen = self._torch.addmm, len(layers), room[0]
        seen = seen if rows == len(seen) else seen[:rows]
        for number, (matrix, bias) in enumerate(layers, 1):
            into = out if number == last and out is not None else room[number]
            into = into if rows == len(into) else into[:rows]
            addmm(bias, seen, matrix, out=into)
            seen = into if number == last else into.relu_()

    def goals(self, batch: Batch) -> np.ndarray:
        """As :meth:`support.agents.dqn.optimiser.Steps.goals`; overwritten by the next call."""
        settings = self.settings
        with self._torch.no_grad():
            rows = _going_on(batch.nexts, batch.goes_on, self._nexts[0])
            self._forward(self._followed, self._tensor_nexts, rows, self._tensor_judged)
            choosing = self._judged
            if settings.double and settings.target:
                self._forward(self._own, self._tensor_nexts, rows)
                choosing = self._nexts[-1]
            discount = np.float32(settings.discount)
            _goals(choosing, self._judged, batch.legal, batch.goes_on, batch.rewards, discount, self._goals)
        return self._goals

    def step(self, batch: Batch) -> None:
        """As :meth:`support.agents.dqn.optimiser.Steps.step`."""
        torch, settings, states, back = self._torch, self.settings, self._tensor_states, self._tensor_back
        self.goals(batch)
        with torch.no_grad():
            self._states[0][:] = batch.states
            self._forward(self._own, states, len(batch.actions))
            _huber(self._states[-1], batch.actions, self._goals, self._back[-1])
            layers = self._slopes.layers()
            for number in range(len(layers) - 1, -1, -1):
                torch.mm(states[number].T, back[number + 1], out=self._out[number][0])
                _columns(self._back[number + 1], layers[number][1])
                if number:
                    torch.mm(back[number + 1], self._own[number][0].T, out=back[number])
                    _rectified(self._states[number], self._back[number])
        self.steps += 1
        rates = np.array(
            [
                settings.clip,
                1 - settings.learning_rate * settings.weight_decay,
                settings.learning_rate / (1 - BETA1**self.steps),
                (1 - BETA2**self.steps) ** 0.5,
                settings.tau,
            ],
            np.float32,
        )
        _adam(self.network.weights, self._slopes.weights, self._moments, rates, settings.amsgrad, self.target.weights)


@njit(nogil=True, cache=True)
def _going_on(nexts, goes_on, out):
    """Copy the rows of the episodes that go on to the front of ``out``; returns how many they are."""
    rows = 0
    for row in range(goes_on.size):
        if goes_on[row]:
            out[rows] = nexts[row]
            rows += 1
    return rows


@njit(nogil=True, cache=True)
def _goals(choosing, judged, legal, goes_on, rewards, discount, out):
    """The reward, and the judged value of the best legal action where the episode went on."""
    seen = 0
    for row in range(out.size):
        out[row] = rewards[row]
        if goes_on[row]:
            best, most = 0, np.float32(-np.inf)
            for action in range(legal.shape[1]):
                value = choosing[seen, action] if legal[row, action] else np.float32(ILLEGAL)
                if value > most:
                    best, most = action, value
            out[row] += judged[seen, best] * discount
            seen += 1


@njit(nogil=True, cache=True)
def _huber(values, actions, goals, out):
    """The derivatives of the mean Huber loss by the values."""
    out[:] = 0
    share = np.float32(1 / actions.size)
    for row in range(actions.size):
        gap = values[row, actions[row]] - goals[row]
        out[row, actions[row]] = min(max(gap, np.float32(-1)), np.float32(1)) * share


@njit(nogil=True, cache=True)
def _columns(matrix, out):
    """The sums of the columns."""
    out[:] = 0
    for row in range(matrix.shape[0]):
        for column in range(out.size):
            out[column] += matrix[row, column]


@njit(nogil=True, cache=True)
def _rectified(after, slopes):
    """Derivatives behind a rectifier, in place: nothing passes where it gave zero."""
    for row in range(slopes.shape[0]):
        for column in range(slopes.shape[1]):
            slopes[row, column] = slopes[row, column] if after[row, column] > 0 else np.float32(0)


@njit(nogil=True, cache=True, error_model="numpy")
def _adam(weights, slopes, moments, rates, amsgrad, target):
    """AdamW, in place, and the target network follows; ``moments`` are mean, square, and largest square."""
    clip, shrink, rate, root, tau = rates
    mean, square, largest = moments
    zero, old1, new1 = np.float32(0), np.float32(BETA1), np.float32(1 - BETA1)
    low, old2, new2, tiny = np.float32(LOWEST), np.float32(BETA2), np.float32(1 - BETA2), np.float32(TINY)
    # One loop an array: with more of them in one, they are not worked on several at a time. What is too small to matter
    # is zero: numbers below 1e-38 would make all of this ten times slower.
    for place in range(weights.size):
        slopes[place] = min(max(slopes[place], -clip), clip)
    for place in range(weights.size):
        moved = mean[place] * old1 + slopes[place] * new1
        mean[place] = moved if abs(moved) > low else zero
    for place in range(weights.size):
        slope = slopes[place] if abs(slopes[place]) > np.float32(1e-15) else zero
        moved = square[place] * old2 + slope * slope * new2
        square[place] = moved if moved > low else zero
    for place in range(weights.size):
        largest[place] = max(square[place], largest[place]) if amsgrad else square[place]
    for place in range(weights.size):
        weights[place] = weights[place] * shrink - rate * mean[place] / (np.sqrt(largest[place]) / root + tiny)
    if weights.ctypes.data != target.ctypes.data:
        for place in range(weights.size):
            target[place] += tau * (weights[place] - target[place])


def train(
    game: WildOnes,
    tables: Sequence[np.ndarray],
    settings: Settings,
    seed: int,
    watch: Watch | None = None,
    every: int = 0,
) -> Trained:
    """Train an agent, as :class:`Learner`."""
    return Learner(game, tables, settings, seed).train(watch, every)


def evaluate(
    player: Player,
    tables: Sequence[np.ndarray],
    games: int,
    seed: int,
    kinds: Sequence[int] | None = None,
    remembered: int = REMEMBERED,
) -> Games:
    """Games of a network against tables, without a table of its own.

    Where :meth:`support.agents.dqn.player.Player.table` can be written, the games are those of
    ``support.kernels.wild_ones.play`` with it. What the network has decided once it is not asked again, as long as
    there is room to remember it.

    Args:
        player: sits last.
        tables: of the others, for the game that the player was trained for. With fewer of them than in training the
            game is a smaller one, as it is when players are out.
        games: how many to play.
        seed: 64 bits.
        kinds: of the others, by their numbers in ``player.kinds``; by default in the order in which tables differ.
        remembered: places for decisions, a power of two, or 0.

    Raises:
        ValueError: no opponent or too many, not one kind each, an unknown kind, or no power of two.
    """
    most = player.game.num_players - 1
    if not 1 <= len(tables) <= most:
        raise ValueError(f"a network for {player.game} plays 1 to {most} opponents, not {len(tables)}")
    if remembered < 0 or remembered & (remembered - 1):
        raise ValueError(f"remembered must be a power of two or 0, not {remembered}")
    kinds = kinds_of(tables, np.array_equal) if kinds is None else kinds
    known = len(player.kinds) if player.settings.identity else most
    if len(kinds) != len(tables) or not all(0 <= kind < known for kind in kinds):
        raise ValueError(f"kinds must be {len(tables)} numbers from 0 to {known - 1}, not {list(kinds)}")
    sizes = player.network.sizes
    rows = Batch.empty(1, sizes[0], sizes[-1])
    return _Play(player, tables, kinds, seed, rows, _Decided.empty(remembered)).evaluate(games)


def _seen(game: WildOnes, settings: Settings, known: int, kinds: Sequence[int]) -> _Views:
    views, encoding = Views(game), settings.encoding
    bids = [None, *((q + 1, face + 1) for face in range(FACES) for q in range(game.most))]
    empty = len(encoded(View((), 0), encoding, 0)) - 3 - (FACES if encoding == "histograms" else 0)
    by_bid = [encoded(View((), 0, bid), encoding, 0)[3 : 3 + empty] for bid in bids]
    by_hand = [encoded(View(hand, 0), encoding, game.dice)[3 + empty :] for hand in views.hands]
    return _Views(
        np.array(by_bid, np.float32),
        np.array(by_hand, np.float32),
        np.ascontiguousarray(masks_of(game)[:, :, : game.num_actions]),
        game.num_players if settings.history else 0,
        known if settings.identity else 0,
        np.array([*kinds, 0]),
        np.zeros(len(bids), np.int64),
    )


@njit(nogil=True, cache=True)
def _gather(rows, size, taken, batches, batch):
    """Draw different transitions by Floyd's method and copy them; ``taken`` is all False before and after."""
    state, count = batches[0], batch.actions.size
    places = np.empty(count, np.int64)
    for number in range(count):
        last = size - count + number
        state = step(state)
        place = np.int64(((mix(state) >> DRAW_SHIFT) * np.uint64(last + 1)) >> DRAW)
        if taken[place]:
            place = last
        taken[place] = True
        places[number] = place
    batches[0] = state
    for number in range(count):
        place = places[number]
        taken[place] = False
        batch.states[number] = rows.states[place]
        batch.actions[number] = rows.actions[place]
        batch.rewards[number] = rows.rewards[place]
        batch.nexts[number] = rows.nexts[place]
        batch.legal[number] = rows.legal[place]
        batch.goes_on[number] = rows.goes_on[place]


@njit(inline="always")
def _values(network, which):
    """The values of all actions at ``inputs[which]``, products added input by input; returns the row of ``layers``."""
    sizes, weights, layers, inputs = network
    first, row = 0, 0
    for layer in range(sizes.size - 1):
        rows, columns = sizes[layer], sizes[layer + 1]
        bias = first + rows * columns
        row = layer & 1
        out = layers[row]
        source = inputs[which] if layer == 0 else layers[1 - row]
        out[:columns] = weights[bias : bias + columns]
        for place in range(rows):
            value, base = source[place], first + place * columns
            if value == 0:  # most inputs are, and so is what a rectifier has stopped
                continue
            for column in range(columns):
                out[column] += value * weights[base + column]
        if layer < sizes.size - 2:
            for column in range(columns):
                out[column] = max(out[column], np.float32(0))
        first = bias + columns
    return row


@njit(inline="always")
def _best(network, which, legal, choices):
    """The legal action of the highest value at ``inputs[which]``, of equals the one of the lowest number."""
    out = network.layers[_values(network, which)]
    action = np.int64(legal[0])
    for place in range(1, choices):
        other = np.int64(legal[place])
        if out[other] > out[action] or (out[other] == out[action] and other < action):
            action = other
    return action


@njit(inline="always")
def _look(views, network, which, seated, speaker, total, alive, bid, said, copied):
    """Write what the speaker sees into ``inputs[which]``."""
    counts, hands, seats, before, after = seated
    out = network.inputs[which]
    out[0], out[1], out[2] = counts[before[speaker]], counts[after[speaker]], total
    width = views.bids.shape[1]
    out[3 : 3 + width] = views.bids[bid]
    first = 3 + width + views.hands.shape[1]
    out[3 + width : first] = views.hands[hands[speaker]]
    if views.players or views.places:
        out[first:] = 0
    if views.players:
        bids = views.bids.shape[0] - 1
        for number in range(said):
            out[first + (number - said) % alive * bids + views.made[number] - 1] = 1
        first += views.players * bids
    if views.places:
        place = after[speaker]
        while place != speaker:
            out[first + (views.places - 1 if copied else views.kinds[seats[place]])] = 1
            first += views.places
            place = after[place]


@njit(inline="always")
def _key(views, seated, speaker, total, alive, bid, said):
    """64 bits that stand for what the network sees in this seat, never 0."""
    counts, hands, seats, before, after = seated
    around = (counts[before[speaker]] * 8 + counts[after[speaker]]) * 64 + total
    key = mix(step(np.uint64(((around * 1024 + hands[speaker]) * 256 + bid) * 8 + alive)))
    if views.players:
        for number in range(said):
            key = mix(step(key ^ np.uint64(views.made[number])))
    if views.places:
        place, ring = after[speaker], 0
        while place != speaker:
            ring, place = ring * 8 + views.kinds[seats[place]], after[place]
        key = mix(step(key ^ np.uint64(ring)))
    return max(key, np.uint64(1))


@njit(inline="always")
def _find(places, key):
    """Where a key stands, or the place where the search for it ends."""
    last = np.uint64(places.size - 1)
    place = key & last
    while places[place].key != 0 and places[place].key != key:
        place = (place + np.uint64(1)) & last
    return place


@njit(inline="always")
def _store(rows, stored, state, action, reward, seen, legal, goes_on):
    """Keep a transition; returns how many there have been."""
    place = stored % rows.actions.size
    rows.states[place] = state
    rows.actions[place] = action
    rows.rewards[place] = reward
    if goes_on:
        rows.nexts[place] = seen
        rows.legal[place] = legal
    else:
        rows.nexts[place] = np.float32(0)
        rows.legal[place] = False
    rows.goes_on[place] = goes_on
    return stored + 1


@njit(inline="always")
def _reward(rewards, exact, right, calls, bids):
    """What a challenge is worth to the agent, who calls, or bids, or neither."""
    if calls:
        if not right:
            return rewards[1]
        return rewards[2] if exact else rewards[0]
    if bids:
        if not right:
            return rewards[4]
        return rewards[5] if exact else rewards[1]
    return rewards[6]


@njit(nogil=True, cache=True)
def _advance(
    others, rules, views, network, known, rule, rows, dice, seed, warm_games, first, end, due, boards, seated, found
):
    """Games one after the other, from where they stand, until a step is due or ``end`` games have been played."""
    numbers, legal, choices, quantities, faces, num_hands = rules
    counts, hands, seats, before, after = seated
    board = boards[0]
    agent, bids = seats.size - 1, quantities.size
    state, total, alive, opener = board.stream, board.total, board.alive, board.opener
    speaker, bidder, bid, said, copied = board.speaker, board.bidder, board.bid, board.said, board.copied
    game, decisions, stored = board.games, board.decisions, board.stored
    playing, rolled, is_open, settled = board.playing, board.rolled, board.open, board.settled
    decided, gain, shown = board.action, board.gain, board.dice
    rounds, turns = board.rounds, board.turns
    remembers, key, spot = known.places.size > 0, np.uint64(0), np.uint64(0)
    stops = False
    while not stops:
        if not playing:
            if game >= end:
                break
            state = seat_all(seats, stream(seed, np.uint64(game)))
            if rule.self_play > 0:
                state = step(state)
                copied = np.float64(mix(state) >> S11) * UNIT < rule.self_play
            counts[:] = dice
            total, alive, opener, rounds, turns = agent * dice + dice, agent + 1, 0, 0, 0
            playing, rolled = True, False
        if not rolled:
            seat(counts, after)
            shown = np.uint64(0)
            for place in range(agent + 1):
                if counts[place]:
                    hand, state = roll_hand(counts[place], state)
                    hands[place] = numbers[packed(hand)]
                    shown += hand
                    before[after[place]] = place
            speaker, bidder, bid, said, rolled = opener, opener, 0, 0, True
            rounds += 1
        turns += 1
        player, action = seats[speaker], np.int64(DRAWS)
        own = player == agent
        thinks = not rule.fixed if own else copied
        if not thinks:
            row = total
            if others.sides[player] > 1:
                row = total * others.sides[player] + counts[before[speaker]] * (dice + 1) + counts[after[speaker]]
            action = np.int64(others.written[others.firsts[player] + (row * num_hands + hands[speaker]) * bids + bid])
        elif remembers:
            key = _key(views, seated, speaker, total, alive, bid, said)
            spot = _find(known.places, key)
            if known.places[spot].key == key:
                action, thinks = known.places[spot].action, False
        learns = own and rule.learns
        if thinks or learns:
            _look(views, network, 1 if own else 2, seated, speaker, total, alive, bid, said, copied)
        if learns and is_open:
            reward = gain if settled else rule.rewards[3]
            mask = views.masks[total, bid]
            stored = _store(rows, stored, network.inputs[0], decided, reward, network.inputs[1], mask, True)
        if thinks and learns:
            epsilon = rule.start
            if rule.counts != NEVER:
                passed = game - warm_games if rule.counts == GAMES else decisions
                epsilon = rule.end + (rule.start - rule.end) * exp(-passed / rule.decay)
            state = step(state)
            thinks = np.float64(mix(state) >> S11) * UNIT >= epsilon
        if thinks:
            action = _best(network, 1 if own else 2, legal[total, bid], choices[total, bid])
            if remembers and known.used[0] < known.places.size // 2:
                known.places[spot].key, known.places[spot].action = key, action
                known.used[0] += 1
        if action == DRAWS:
            chosen, state = pick(choices[total, bid], state)
            action = np.int64(legal[total, bid, chosen])
        if learns:
            network.inputs[0] = network.inputs[1]
            decided, is_open, settled = action, True, False
            if due > 0:
                decisions += 1
                stops = decisions % due == 0
        if action > EXACT:
            bid = action - 1
            views.made[said] = bid
            said += 1
            bidder, speaker = speaker, after[speaker]
            continue
        rolled = False
        right = is_right(action, shown, faces[bid], quantities[bid])
        bids_itself = seats[bidder] == agent
        third = not own and not bids_itself
        opener = bidder if action != EXACT and right else speaker
        falls = False
        if action == EXACT and right:
            if counts[speaker] < dice:
                counts[speaker] += 1
                total += 1
        else:
            counts[opener] -= 1
            total -= 1
            falls = counts[opener] == 0
        loser = seats[opener]
        if falls:
            found.places[game - first, loser] = alive
            alive -= 1
            opener = next_player(opener, counts)
        if is_open:
            carried = third and falls and right and not (rule.whole_games or rule.third_party_closes)
            if not carried:
                if not settled:
                    gain = _reward(rule.rewards, action == EXACT, right, own, bids_itself)
                    settled = True
                out_now = falls and loser == agent
                won = alive == 1 and not out_now
                if not rule.whole_games or out_now or won:
                    reward = gain + (rule.rewards[7] if won else 0.0)
                    nothing = views.masks[0, 0]
                    stored = _store(rows, stored, network.inputs[0], decided, reward, network.inputs[1], nothing, False)
                    is_open = False
        if alive == 1:
            found.places[game - first, seats[opener]] = 1
            found.rounds[game - first], found.decisions[game - first] = rounds, turns
            playing = False
            game += 1
    board.stream, board.total, board.alive, board.opener = state, total, alive, opener
    board.speaker, board.bidder, board.bid, board.said, board.copied = speaker, bidder, bid, said, copied
    board.games, board.decisions, board.stored = game, decisions, stored
    board.playing, board.rolled, board.open, board.settled = playing, rolled, is_open, settled
    board.action, board.gain, board.dice = decided, gain, shown
    board.rounds, board.turns = rounds, turns
    return stops
