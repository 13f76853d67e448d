"""Deep Q-learning at wild ones, compiled: the agent's games, its exploration, its rewards and its memory.

Plain counterpart: ``support.games.wild_ones.dqn.DQNLearner`` plays the same games, keeps the same transitions and draws
the same batches from the same random numbers. Compiled play stops when a step is due, and goes on with the new weights,
so play and learning are in the order of the plain program. With the same optimiser the weights are the same too, digit
for digit.

:func:`evaluate` plays a trained network, and keeps its decisions to look them up again.
"""

from collections.abc import Sequence
from dataclasses import fields
from math import exp
from typing import NamedTuple

import numpy as np

from support.core.compiled import lean
from support.core.splitmix_fast import share, step, stream
from support.games.wild_ones import rules_fast
from support.games.wild_ones.dqn import WARM_POLICIES, DQNSettings, Rewards, Trained, Watch
from support.games.wild_ones.dqn_network import Memory
from support.games.wild_ones.dqn_network_fast import (
    DecisionCache,
    PreparedNetwork,
    PreparedViews,
    best,
    decided,
    prepared_views,
    write_inputs,
)
from support.games.wild_ones.dqn_player import DQNPlayer
from support.games.wild_ones.play_fast import Games
from support.games.wild_ones.policies import Views, kinds_of, require_opponents, table
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import (
    EXACT,
    OUTBID,
    WIN,
    Rules,
    Tables,
    begin,
    deal,
    earned,
    joined,
    pick,
    reply,
    require_legal,
    rules_of,
    take,
)
from support.learners.dqn_settings import seeds
from support.learners.network import Batch, Network
from support.learners.network_fast import copy, drawn
from support.learners.optimiser import Optimiser
from support.learners.optimiser_fast import CompiledOptimiser

CACHED = 1 << 20  # places for decisions in evaluation, of which half are used: 16 MB
GAMES, DECISIONS, NEVER = 0, 1, 2  # what the decay of exploration counts; NEVER: there is no decay
BOARD = np.dtype(
    [
        *rules_fast.BOARD.descr,
        ("games", np.int64),  # that have been played to their end
        ("own_decisions", np.int64),  # of the agent, in training
        ("stored", np.int64),  # transitions, ever
        ("open", np.bool_),  # the agent's last decision is not a transition yet
        ("settled", np.bool_),  # but its round has ended
        ("action", np.int64),  # that decision
        ("gain", np.float64),  # and its reward
        ("copied", np.bool_),  # the network plays all seats of this game
    ]
)
"""A game in progress, what the agent remembers between its decisions, and totals so far."""


class _Conduct(NamedTuple):
    """How the agent explores and is rewarded: scalars, and the table of rewards as float64[8] in its order."""

    start: float
    end: float
    decay: float
    counts: int
    warm_games: int
    fixed: bool
    learns: bool
    self_play: float
    whole_games: bool
    third_party_closes: bool
    rewards: np.ndarray


class _Parts(NamedTuple):
    """All that the steps of a game read and write, except its state."""

    rules: Rules
    tables: Tables
    views: PreparedViews
    network: PreparedNetwork
    cache: DecisionCache
    rows: Batch
    conduct: _Conduct


def _conduct(settings: DQNSettings, warm: bool = False) -> _Conduct:
    return _Conduct(
        settings.epsilon_start,
        settings.epsilon_end,
        settings.decay,
        NEVER if warm else GAMES if settings.decay_in == "games" else DECISIONS,
        settings.warm_games,
        warm and settings.warm_policy != "explore",
        True,
        settings.self_play,
        settings.episodes == "games",
        settings.third_party_closes,
        np.array([getattr(settings, field.name) for field in fields(Rewards)], np.float64),
    )


def _prepared(
    player: DQNPlayer, tables: Sequence[np.ndarray], kinds: Sequence[int], rows: Batch, cached: int = 0
) -> _Parts:
    """The agent as the last player among others of given kinds, with room for ``cached`` decisions."""
    game, settings = player.game, player.settings
    for one in tables:
        require_legal(game, one)
    fixed = WARM_POLICIES[settings.warm_policy]
    return _Parts(
        rules_of(game),
        joined([*tables, *([table(Views(game), fixed)] if fixed else [])]),
        prepared_views(game, settings, len(player.kinds), kinds),
        PreparedNetwork.of(player.network),
        DecisionCache.empty(cached),
        rows,
        _conduct(settings),
    )


class FastDQNLearner:
    """The plain ``DQNLearner``, compiled, with tables in place of policies; those with equal tables are of one kind.

    Raises:
        ValueError: there is not one table for each opponent, or a table plays something illegal.
    """

    def __init__(
        self,
        game: WildOnes,
        tables: Sequence[np.ndarray],
        settings: DQNSettings,
        seed: int,
        optimiser: type[Optimiser] = CompiledOptimiser,
    ):
        require_opponents(game, tables)
        weights, games, batches = seeds(seed)
        kinds = kinds_of(tables, np.array_equal)
        names = [str(kind) for kind in kinds]
        sizes = settings.sizes(game, len(settings.kinds(names)))
        self.game, self.settings = game, settings
        self.network = Network.fresh(sizes, weights)
        self.memory = Memory(settings.memory, sizes[0], sizes[-1])
        player = DQNPlayer(game, settings, self.network, "+".join(names))
        self._parts = _prepared(player, tables, kinds, self.memory.rows)
        self._board, self._games = np.zeros(1, BOARD), np.uint64(games)
        self._batch = Batch.empty(settings.batch, sizes[0], sizes[-1])
        self._batches = np.array([stream(np.uint64(batches), np.uint64(0))], np.uint64)
        self._taken = np.zeros(settings.memory, bool)
        self.optimiser = optimiser(self.network, settings)

    @property
    def played(self) -> int:
        """The number of games played, those that filled the memory included."""
        return int(self._board[0]["games"])

    @property
    def decisions(self) -> int:
        """The number of the agent's decisions in training."""
        return int(self._board[0]["own_decisions"])

    def train(self, watch: Watch | None = None, every: int = 0) -> Trained:
        """Fill the memory, then play and learn; arguments and errors are those of the plain learner.

        Raises:
            FloatingPointError: some weights are no longer finite.
        """
        settings = self.settings
        self.play(settings.warm_games, warm=True)
        for _ in range(settings.offline_steps):
            self._step()
        if settings.offline_steps:
            self._require_finite(f"after {settings.offline_steps:,} steps before training")
        places, done = [np.zeros((0, self.game.num_players), np.uint8)], 0
        while done < settings.games:
            games = min(every if watch and every else settings.games, settings.games - done)
            places.append(self.play(games).places)
            done += games
            self._require_finite(f"after {done:,} games of training")
            if watch and every and games == every:
                watch(done, self.network)
        return Trained(self.network, np.concatenate(places), self.decisions, self.optimiser.steps)

    def play(self, games: int, warm: bool = False) -> Games:
        """Play the next games, with or without learning.

        Args:
            games: the number of games.
            warm: whether they only fill the memory.
        """
        settings, memory, first, due = self.settings, self.memory, self.played, True
        parts = self._parts._replace(conduct=_conduct(settings, warm))
        found, every = Games.empty(games, self.game.num_players), 0 if warm else settings.every
        while due:
            due = _advance(parts, self._games, first, first + games, every, self._board, found)
            memory.stored = int(self._board[0]["stored"])
            if due and len(memory) >= settings.batch:
                self._step()
        return found

    def _step(self) -> None:
        self.memory.require(self.settings.batch)
        _gather(self.memory.rows, len(self.memory), self._taken, self._batches, self._batch)
        self.optimiser.step(self._batch)

    def _require_finite(self, when: str) -> None:
        if not np.isfinite(self.network.weights).all():
            raise FloatingPointError(f"{when} some weights are not finite")


def evaluate(
    player: DQNPlayer,
    tables: Sequence[np.ndarray],
    games: int,
    seed: int,
    kinds: Sequence[int] | None = None,
    cached: int = CACHED,
) -> Games:
    """Games of a network, without a table of its own, against tables.

    If :meth:`support.games.wild_ones.dqn_player.DQNPlayer.table` can be written, the games are those of
    ``support.games.wild_ones.play_fast.play`` with it. The network's decisions are kept as long as there is room.

    Args:
        player: the network, which is the last player.
        tables: the opponents' tables, for the game that it was trained for. Fewer than in training make a smaller game,
            as when players are out.
        games: the number of games.
        seed: 64 bits.
        kinds: the opponents' numbers in ``player.kinds``; by default in the order in which tables differ.
        cached: places for decisions, a power of two, or 0.

    Raises:
        ValueError: there are no opponents or too many, their kinds do not fit, or ``cached`` is no power of two.
    """
    most = player.game.num_players - 1
    if not 1 <= len(tables) <= most:
        raise ValueError(f"a network for {player.game} plays 1 to {most} opponents, not {len(tables)}")
    if cached < 0 or cached & (cached - 1):
        raise ValueError(f"cached must be a power of two or 0, not {cached}")
    kinds = kinds_of(tables, np.array_equal) if kinds is None else kinds
    known = len(player.kinds) if player.settings.identity else most
    if len(kinds) != len(tables) or not all(0 <= kind < known for kind in kinds):
        raise ValueError(f"kinds must be {len(tables)} numbers from 0 to {known - 1}, not {list(kinds)}")
    sizes = player.network.sizes
    parts = _prepared(player, tables, kinds, Batch.empty(1, sizes[0], sizes[-1]), cached)
    parts = parts._replace(conduct=parts.conduct._replace(learns=False, self_play=0.0))
    found = Games.empty(games, len(tables) + 1)
    _advance(parts, np.uint64(seed), 0, games, 0, np.zeros(1, BOARD), found)
    return found


@lean(nogil=True, cache=True)
def _gather(rows, size, taken, batches, batch):
    """Draw different transitions by Floyd's method and copy them; ``taken`` is all False before and after."""
    places = batch.actions  # they become actions below
    drawn(size, taken, batches, places)
    for number in range(places.size):
        place = places[number]
        copy(rows.states[place], batch.states[number])
        batch.actions[number] = rows.actions[place]
        batch.rewards[number] = rows.rewards[place]
        copy(rows.nexts[place], batch.nexts[number])
        copy(rows.legal[place], batch.legal[number])
        batch.goes_on[number] = rows.goes_on[place]


# The steps below and those of ``rules_fast`` are lean, to save counting references to the arrays of ``parts``.


@lean
def _store(parts, board, reward, goes_on):
    """Keep the agent's last decision as a transition, with the next observation if the episode goes on."""
    rows, seen, masks = parts.rows, parts.network.inputs, parts.views.masks
    place = board.stored % rows.actions.size
    copy(seen[0], rows.states[place])
    rows.actions[place] = board.action
    rows.rewards[place] = reward
    if goes_on:
        copy(seen[1], rows.nexts[place])
        copy(masks[board.total, board.bid], rows.legal[place])
    else:
        rows.nexts[place] = np.float32(0)
        rows.legal[place] = False
    rows.goes_on[place] = goes_on
    board.stored += 1
    board.open = goes_on


@lean
def _share(board):
    """A random number from 0 to 1, 1 excluded."""
    board.stream = step(board.stream)
    return share(board.stream)


@lean
def _explores(board, conduct):
    epsilon = conduct.start
    if conduct.counts != NEVER:
        passed = board.games - conduct.warm_games if conduct.counts == GAMES else board.own_decisions
        epsilon = conduct.end + (conduct.start - conduct.end) * exp(-passed / conduct.decay)
    return _share(board) < epsilon


@lean
def _learning(parts, board):
    """Store the agent's last decision, if still open, and return its action while it learns."""
    rules, conduct = parts.rules, parts.conduct
    total, bid = board.total, board.bid
    write_inputs(parts.views, parts.network, 1, board)
    if board.open:
        _store(parts, board, board.gain if board.settled else conduct.rewards[OUTBID], True)
    if conduct.fixed:
        return reply(board, parts.tables, rules)
    if not _explores(board, conduct):
        return best(parts.network, 1, rules.legal[total, bid], rules.choices[total, bid])
    chosen, board.stream = pick(rules.choices[total, bid], board.stream)
    return np.int64(rules.legal[total, bid, chosen])


@lean
def _round_over(parts, board, action, agent):
    """Reward the agent's last decision for a challenge, and close it if the episode ends here."""
    conduct, falls = parts.conduct, board.counts[board.paid] == 0
    calls, bids = board.seats[board.speaker] == agent, board.seats[board.bidder] == agent
    closes = conduct.whole_games or conduct.third_party_closes or calls or bids
    if falls and board.right and not closes:
        return
    if not board.settled:
        board.gain = earned(conduct.rewards, action == EXACT, board.right, calls, bids)
        board.settled = True
    out = falls and board.seats[board.paid] == agent
    won = board.alive == 1 and not out
    if not conduct.whole_games or out or won:
        _store(parts, board, board.gain + (conduct.rewards[WIN] if won else 0.0), False)


@lean(inline="always")
def _turn(parts, board, agent):
    """The player to move decides and acts; returns whether the agent has decided and learns from it."""
    conduct, own = parts.conduct, board.seats[board.speaker] == agent
    learns = own and conduct.learns
    if learns:
        action = _learning(parts, board)
        copy(parts.network.inputs[1], parts.network.inputs[0])
        board.action, board.open, board.settled = action, True, False
    elif own or board.copied:
        action = decided(parts.views, parts.network, parts.cache, board, parts.rules)
    else:
        action = reply(board, parts.tables, parts.rules)
    if action > EXACT:
        parts.views.made[board.said] = action - 1
    take(board, action, parts.rules)
    if action <= EXACT and board.open:
        _round_over(parts, board, action, agent)
    return learns


@lean(nogil=True, cache=True)
def _advance(parts, seed, first, end, every, boards, found):
    """Play games one after the other, from the current state, until a step is due or ``end`` games are played."""
    board, rules, players = boards[0], parts.rules, found.places.shape[1]
    while board.alive > 1 or board.games < end:
        if board.alive <= 1:
            begin(board, players, rules, stream(seed, np.uint64(board.games)))
            if parts.conduct.self_play > 0:
                board.copied = _share(board) < parts.conduct.self_play
        if not board.rolled:
            deal(board, rules)
        learned = _turn(parts, board, players - 1)
        if board.alive == 1:
            game = board.games - first
            for player in range(players):
                found.places[game, player] = board.places[player]
            found.rounds[game], found.decisions[game] = board.rounds, board.decisions
            board.games += 1
        if learned and every > 0:
            board.own_decisions += 1
            if board.own_decisions % every == 0:
                return True
    return False
