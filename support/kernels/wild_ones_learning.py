"""The agent that learns wild ones, compiled: its games, its choices, its memory and its steps.

Plain counterpart: ``support.agents.dqn.Learner`` plays the same games, keeps the same transitions and draws the same
batches from the same random numbers. Compiled play stops where a step is due, after every so many decisions of the
agent, and goes on with the new weights: the order of play and learning is that of the plain program. With the same
steps the weights are the same too, digit for digit. :class:`Stepper` takes them faster than torch's own machinery, and
agrees with it but for rounding.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cached_property
from math import exp
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from support.agents.dqn import (
    DRAW_BITS,
    ILLEGAL,
    WARM,
    Batch,
    Memory,
    Network,
    Optimiser,
    Player,
    Rewards,
    Settings,
    Trained,
    Watch,
    aligned,
    encoded,
    one_thread,
    seeds,
)
from support.agents.wild_ones import DRAWS, View, Views, table
from support.games.call_or_raise import FACES
from support.games.wild_ones import WildOnes
from support.kernels.dice import next_player, roll_hand, seat, showing
from support.kernels.splitmix import mix, step, stream
from support.kernels.wild_ones import EXACT, Games, _masks, _packed, _pick, _require_legal, _rules, _seat_all

__all__ = ["Learner", "Stepper", "evaluate", "train"]

S11, DRAW, DRAW_SHIFT = np.uint64(11), np.uint64(DRAW_BITS), np.uint64(64 - DRAW_BITS)
UNIT = 2.0**-53
BETA1, BETA2, TINY = 0.9, 0.999, 1e-8  # torch's own for AdamW
LOWEST = 1e-33  # a moment below it is zero
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
        ("stream", np.uint64),
        ("dice", np.uint64),  # all hands of the round together
        ("rounds", np.int64),
        ("turns", np.int64),
    ]
)
"""Where play stands between two calls."""


class _Views(NamedTuple):
    """What the network sees, prepared.

    Attributes:
        bids: float32[bid, n], the inputs of a last bid.
        hands: float32[hand, m], those of a hand.
        masks: bool[total + 1, bid, action], what is legal.
    """

    bids: np.ndarray
    hands: np.ndarray
    masks: np.ndarray


class _Seats(NamedTuple):
    """Dice, hands and turns by seat, and who sits there: int64[players] each."""

    counts: np.ndarray
    hands: np.ndarray
    players: np.ndarray
    before: np.ndarray
    after: np.ndarray


class _Others(NamedTuple):
    """All players' tables in one array, where each begins, and how many neighbours it tells apart (1 for none).

    The agent's is that of the policy by which it fills the memory, or nothing.
    """

    written: np.ndarray
    firsts: np.ndarray
    sides: np.ndarray


class _Network(NamedTuple):
    """The network as the kernel reads it, and room for its layers and inputs.

    ``inputs`` are float32[2, inputs]: what the agent saw at its last decision, and what it sees now.
    """

    sizes: np.ndarray
    weights: np.ndarray
    layers: np.ndarray
    inputs: np.ndarray


class _Rule(NamedTuple):
    """How the agent explores and is rewarded: scalars, and the table of rewards as float64[8] in its order."""

    start: float
    end: float
    decay: float
    counts: int
    fixed: bool
    remembers: bool
    whole_games: bool
    third_party_closes: bool
    rewards: np.ndarray


class Learner:
    """The agent and its games, compiled.

    Args:
        game: the rules.
        tables: of all players but the agent, who is the last, as ``support.agents.wild_ones.table`` writes them.
        settings: how the agent learns.
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
        optimiser: "type[Stepper] | type[Optimiser] | None" = None,
    ):
        if len(tables) != game.num_players - 1:
            raise ValueError(f"{game.num_players} players are {game.num_players - 1} opponents, not {len(tables)}")
        for one in tables:
            _require_legal(game, one)
        if settings.history or settings.identity or settings.self_play or settings.offline_steps:
            raise NotImplementedError("history, identity, self_play and offline_steps are not built yet")
        weights, games, batches = seeds(seed)
        sizes = settings.sizes(game)
        self.game, self.settings, self.seed = game, settings, np.uint64(games)
        self.network = network or Network.fresh(sizes, weights)
        Player(game, settings, self.network)  # that the sizes agree
        self.memory = Memory(settings.memory, sizes[0], sizes[-1])
        self._batch = Batch.empty(settings.batch, sizes[0], sizes[-1])
        self._batches = np.array([stream(np.uint64(batches), np.uint64(0))], np.uint64)
        self._taken = np.zeros(settings.memory, bool)
        self._board = np.zeros(1, BOARD)
        self._seats = _Seats(*np.zeros((5, game.num_players), np.int64))
        fixed = WARM[settings.warm_policy]
        own = [table(Views(game), fixed)] if fixed else []
        every = [*tables, *own]
        written = np.concatenate([one.ravel() for one in every])
        firsts = np.cumsum([0, *(one.size for one in every)])[: game.num_players]
        sides = np.array([*(one.shape[1] for one in tables), 1])
        self._others = _Others(written, firsts, sides)
        room = np.zeros((2, max(sizes)), np.float32)
        seen = np.zeros((2, sizes[0]), np.float32)
        self._network = _Network(np.array(sizes), self.network.weights, room, seen)
        self._views = _seen(game, settings.encoding)
        self._rules = _rules(game)
        self._optimiser = optimiser or Stepper

    @cached_property
    def optimiser(self) -> "Optimiser | Stepper":
        """What takes the steps; torch is loaded when it is first asked for."""
        return self._optimiser(self.network, self.settings)

    @property
    def played(self) -> int:
        """Games that have been played, those that filled the memory included."""
        return int(self._board[0]["games"])

    @property
    def decisions(self) -> int:
        """Of the agent in training."""
        return int(self._board[0]["decisions"])

    def train(self, watch: Watch | None = None, every: int = 0) -> Trained:
        """Fill the memory, then play and learn.

        Args:
            watch: called after every so many games.
            every: how many; 0 for never.

        Raises:
            FloatingPointError: the weights have grown beyond all bounds.
        """
        settings = self.settings
        with one_thread():
            self.play(settings.warm_games, warm=True)
            places, done = [], 0
            while done < settings.games:
                games = min(every if watch and every else settings.games, settings.games - done)
                places.append(self.play(games).places)
                done += games
                if not np.isfinite(self.network.weights).all():
                    raise FloatingPointError(f"after {done:,} games of training some weights are not finite")
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
        settings = self.settings
        rule = self._rule(settings.epsilon_start, NEVER, warm) if warm else self._rule(None, None, False)
        found = _room(games, self.game)
        first = self.played
        due = 0 if warm else settings.every
        while self._advance(first, first + games, due, rule, found):
            if len(self.memory) >= settings.batch:
                _gather(self.memory.rows, len(self.memory), self._taken, self._batches, self._batch)
                self.optimiser.step(self._batch)
        return found

    def evaluate(self, games: int) -> Games:
        """Play the next games by the network alone, without keeping or learning anything."""
        rule = self._rule(0.0, NEVER, False)._replace(remembers=False)
        found, first = _room(games, self.game), self.played
        self._advance(first, first + games, 0, rule, found)
        return found

    def _rule(self, epsilon: float | None, counts: int | None, warm: bool) -> _Rule:
        settings = self.settings
        start, end = (settings.epsilon_start, settings.epsilon_end) if epsilon is None else (epsilon, epsilon)
        rewards = [getattr(settings, field.name) for field in fields(Rewards)]
        return _Rule(
            float(start),
            float(end),
            float(settings.decay),
            (GAMES if settings.decay_in == "games" else DECISIONS) if counts is None else counts,
            warm and settings.warm_policy != "explore",
            True,
            settings.episodes == "games",
            settings.third_party_closes,
            np.array(rewards, np.float64),
        )

    def _advance(self, first: int, end: int, due: int, rule: _Rule, found: Games) -> bool:
        """Play on until a step is due or the games are over; returns whether one is due."""
        self._board[0]["stored"] = self.memory.stored
        more = _advance(
            self._others,
            self._rules,
            self._views,
            self._network,
            rule,
            self.memory.rows,
            self.game.dice,
            self.seed,
            self.settings.warm_games,
            first,
            end,
            due,
            self._board,
            self._seats,
            found,
        )
        self.memory.stored = int(self._board[0]["stored"])
        return more


class Stepper:
    """The steps of :class:`support.agents.dqn.Optimiser`, the derivatives written out: torch only multiplies matrices.

    Args:
        network: changed in place by each step.
        settings: how the agent learns.
    """

    def __init__(self, network: Network, settings: Settings):
        import torch

        self._torch, self.network, self.settings, self.steps = torch, network, settings, 0
        self.target = network.copy() if settings.target else network
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
            [torch.from_numpy(one) for one in several] for several in (self._states, self._nexts, self._back)
        )
        self._tensor_judged = torch.from_numpy(self._judged)

    def _tensors(self, network: Network) -> list[tuple[Any, Any]]:
        return [tuple(map(self._torch.from_numpy, layer)) for layer in network.layers()]

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
        """float32[n], as :meth:`support.agents.dqn.Optimiser.goals`; overwritten by the next call."""
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
        """One step on the Huber loss of a batch, and the target network follows."""
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


def evaluate(player: Player, tables: Sequence[np.ndarray], games: int, seed: int) -> Games:
    """Games of a network against tables, without a table of its own: for sizes at which that would be too large.

    The games are those of ``support.kernels.wild_ones.play`` with :meth:`support.agents.dqn.Player.table` only in
    distribution: whether to explore takes a number of the stream, though it never does.

    Args:
        player: sits last.
        tables: of the others.
        games: how many to play.
        seed: 64 bits.
    """
    settings = replace(player.settings, warm_policy="explore")
    return Learner(player.game, tables, settings, seed, player.network).evaluate(games)


def _room(games: int, game: WildOnes) -> Games:
    shape = (games, game.num_players)
    return Games(np.empty(shape, np.uint8), np.empty(games, np.int64), np.empty(games, np.int64))


def _seen(game: WildOnes, encoding: str) -> _Views:
    views = Views(game)
    bids = [None, *((q + 1, face + 1) for face in range(FACES) for q in range(game.most))]
    empty = len(encoded(View((), 0), encoding, 0)) - 3 - (FACES if encoding == "histograms" else 0)
    by_bid = [encoded(View((), 0, bid), encoding, 0)[3 : 3 + empty] for bid in bids]
    by_hand = [encoded(View(hand, 0), encoding, game.dice)[3 + empty :] for hand in views.hands]
    masks = np.ascontiguousarray(_masks(game)[:, :, : game.num_actions])
    return _Views(np.array(by_bid, np.float32), np.array(by_hand, np.float32), masks)


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
            for column in range(columns):
                out[column] += value * weights[base + column]
        if layer < sizes.size - 2:
            for column in range(columns):
                out[column] = max(out[column], np.float32(0))
        first = bias + columns
    return row


@njit(inline="always")
def _look(views, network, which, before, after, total, bid, hand):
    """Write what the agent sees into ``inputs[which]``."""
    out = network.inputs[which]
    out[0], out[1], out[2] = before, after, total
    width = views.bids.shape[1]
    out[3 : 3 + width] = views.bids[bid]
    out[3 + width :] = views.hands[hand]


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
    others, rules, views, network, rule, rows, dice, seed, warm_games, first, end, due, board_of_one, seated, found
):
    """Games one after the other, from where they stand, until a step is due or ``end`` games have been played."""
    numbers, legal, choices, quantities, faces, num_hands = rules
    counts, hands, seats, before, after = seated
    board = board_of_one[0]
    agent, bids = seats.size - 1, quantities.size
    state, total, alive, opener = board.stream, board.total, board.alive, board.opener
    speaker, bidder, bid = board.speaker, board.bidder, board.bid
    game, decisions, stored = board.games, board.decisions, board.stored
    playing, rolled, is_open, settled = board.playing, board.rolled, board.open, board.settled
    decided, gain, shown = board.action, board.gain, board.dice
    rounds, turns = board.rounds, board.turns
    stops = False
    while not stops:
        if not playing:
            if game >= end:
                break
            state = _seat_all(seats, stream(seed, np.uint64(game)))
            counts[:] = dice
            total, alive, opener, rounds, turns = agent * dice + dice, agent + 1, 0, 0, 0
            playing, rolled = True, False
        if not rolled:
            seat(counts, after)
            shown = np.uint64(0)
            for place in range(agent + 1):
                if counts[place]:
                    hand, state = roll_hand(counts[place], state)
                    hands[place] = numbers[_packed(hand)]
                    shown += hand
                    before[after[place]] = place
            speaker, bidder, bid, rolled = opener, opener, 0, True
            rounds += 1
        player, behind, ahead = seats[speaker], counts[before[speaker]], counts[after[speaker]]
        turns += 1
        if player != agent or rule.fixed:
            row = total
            if others.sides[player] > 1:
                row = total * others.sides[player] + behind * (dice + 1) + ahead
            action = np.int64(others.written[others.firsts[player] + (row * num_hands + hands[speaker]) * bids + bid])
        else:
            action = np.int64(DRAWS)
        if player == agent:
            _look(views, network, 1, behind, ahead, total, bid, hands[speaker])
            if is_open:
                reward = gain if settled else rule.rewards[3]
                mask = views.masks[total, bid]
                stored = _store(rows, stored, network.inputs[0], decided, reward, network.inputs[1], mask, True)
            if not rule.fixed:
                epsilon = rule.start
                if rule.counts != NEVER:
                    passed = game - warm_games if rule.counts == GAMES else decisions
                    epsilon = rule.end + (rule.start - rule.end) * exp(-passed / rule.decay)
                state = step(state)
                if np.float64(mix(state) >> S11) * UNIT >= epsilon:
                    out = network.layers[_values(network, 1)]
                    action = np.int64(legal[total, bid, 0])
                    for place in range(1, choices[total, bid]):
                        other = np.int64(legal[total, bid, place])
                        if out[other] > out[action] or (out[other] == out[action] and other < action):
                            action = other
        if action == DRAWS:
            chosen = 0
            if choices[total, bid] > 1:
                chosen, state = _pick(choices[total, bid], state)
            action = np.int64(legal[total, bid, chosen])
        if player == agent:
            if rule.remembers:
                network.inputs[0] = network.inputs[1]
                decided, is_open, settled = action, True, False
            if due > 0:
                decisions += 1
                stops = decisions % due == 0
        if action > EXACT:
            bid = action - 1
            bidder, speaker = speaker, after[speaker]
            continue
        rolled = False
        face = faces[bid]
        there = showing(shown, face) + (showing(shown, 0) if face else 0)
        right = there == quantities[bid] if action == EXACT else there < quantities[bid]
        bids_itself = seats[bidder] == agent
        third = player != agent and not bids_itself
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
                    gain = _reward(rule.rewards, action == EXACT, right, player == agent, bids_itself)
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
    board.speaker, board.bidder, board.bid = speaker, bidder, bid
    board.games, board.decisions, board.stored = game, decisions, stored
    board.playing, board.rolled, board.open, board.settled = playing, rolled, is_open, settled
    board.action, board.gain, board.dice = decided, gain, shown
    board.rounds, board.turns = rounds, turns
    return stops
