"""The agent that learns wild ones, compiled: its games, its exploration, its rewards and its memory.

Plain counterpart: ``support.games.wild_ones.dqn.learner.Learner`` plays the same games, keeps the same transitions and
draws
the same batches from the same random numbers. Compiled play stops where a step is due, after every so many decisions
of the agent, and goes on with the new weights: the order of play and learning is that of the plain program. With the
same steps the weights are the same too, digit for digit.

A trained network is played by :func:`evaluate`, which remembers what it has decided before.
"""

from collections.abc import Sequence
from dataclasses import fields
from functools import cached_property
from math import exp
from typing import NamedTuple

import numpy as np

from support.core.compiled import njit
from support.core.splitmix_fast import mix, step, stream
from support.games.cups.digits_fast import next_player, roll_hand, seat
from support.games.wild_ones.dqn.learner import Trained, Watch, seeds
from support.games.wild_ones.dqn.memory import DRAW_BITS, Batch, Memory
from support.games.wild_ones.dqn.network import Network
from support.games.wild_ones.dqn.network_fast import Decided, PreparedNetwork, best, find, key_of, look, prepared_views
from support.games.wild_ones.dqn.optimiser import Steps
from support.games.wild_ones.dqn.optimiser_fast import Stepper
from support.games.wild_ones.dqn.player import Player
from support.games.wild_ones.dqn.settings import WARM, Rewards, Settings
from support.games.wild_ones.play_fast import Games
from support.games.wild_ones.policies import DRAWS, Views, kinds_of, table
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import EXACT, is_right, joined, packed, pick, require_legal, rules_of, seat_all

S11, DRAW, DRAW_SHIFT = np.uint64(11), np.uint64(DRAW_BITS), np.uint64(64 - DRAW_BITS)
UNIT = 2.0**-53
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


class _Seats(NamedTuple):
    """Dice, hands and turns by seat, and who sits there: int64[players] each."""

    counts: np.ndarray
    hands: np.ndarray
    players: np.ndarray
    before: np.ndarray
    after: np.ndarray


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
        decided: Decided,
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
        self._network = PreparedNetwork(np.array(network.sizes), network.weights, room, seen)
        self._views = prepared_views(game, settings, len(player.kinds), kinds)
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
        tables: of all players but the agent, who is the last, as ``support.games.wild_ones.policies.table`` writes
            them.
        settings: how the agent learns. Opponents with equal tables are of one kind.
        seed: 64 bits.
        network: to go on from; by default a fresh one.
        optimiser: what takes the steps, by default :class:`support.games.wild_ones.dqn.optimiser_fast.Stepper`.

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
        self._play = _Play(player, tables, kinds, games, self.memory.rows, Decided.empty(0))
        self._batch = Batch.empty(settings.batch, sizes[0], sizes[-1])
        self._batches = np.array([stream(np.uint64(batches), np.uint64(0))], np.uint64)
        self._taken = np.zeros(settings.memory, bool)
        self._optimiser = optimiser or Stepper

    @cached_property
    def optimiser(self) -> Steps:
        """What takes the steps."""
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

    Where :meth:`support.games.wild_ones.dqn.player.Player.table` can be written, the games are those of
    ``support.games.wild_ones.play_fast.play`` with it. What the network has decided once it is not asked again, as long
    as there is room to remember it.

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
    return _Play(player, tables, kinds, seed, rows, Decided.empty(remembered)).evaluate(games)


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
    numbers, legal, choices, quantities, faces, num_hands, _ = rules
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
            key = key_of(views, seated, speaker, total, alive, bid, said)
            spot = find(known.places, key)
            if known.places[spot].key == key:
                action, thinks = known.places[spot].action, False
        learns = own and rule.learns
        if thinks or learns:
            look(views, network, 1 if own else 2, seated, speaker, total, alive, bid, said, copied)
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
            action = best(network, 1 if own else 2, legal[total, bid], choices[total, bid])
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
