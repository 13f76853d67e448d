"""The agent and its games: what it plays, what it remembers, and when it takes a step; plain, and slow."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from support.core.play import Stream
from support.games.wild_ones.dqn.memory import Memory
from support.games.wild_ones.dqn.network import Network
from support.games.wild_ones.dqn.observations import Seen, inputs
from support.games.wild_ones.dqn.optimiser import Optimiser, Steps
from support.games.wild_ones.dqn.player import Player
from support.games.wild_ones.dqn.settings import WARM, Settings
from support.games.wild_ones.play import Match
from support.games.wild_ones.policies import Policy, View, kinds_of
from support.games.wild_ones.rules import WildOnes, WildOnesState


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
    action: int = -1
    gain: float | None = None


class Learner:
    """The agent and its games, one state at a time: plain, and slow.

    Args:
        game: the rules.
        opponents: the policies of all players but the agent, who is the last.
        settings: how the agent learns.
        seed: 64 bits.
        optimiser: what takes the steps, torch's unless a faster one is to be compared.

    Attributes:
        game, settings: as given.
        opponents: as given, in a tuple.
        kinds: of the opponents, by number.
        games_seed: of the games, drawn from the seed that was given; game n has a stream of its own.
        network: with its weights as they are.
        memory: what it remembers.
        player: the network as a policy.
        optimiser: what takes the steps.
        batches: the stream of the batches.
        played: games, those that fill the memory included.
        decisions: of the agent in training.

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
        weights, self.games_seed, batches = seeds(seed)
        self.game, self.opponents, self.settings = game, tuple(opponents), settings
        self.kinds = kinds_of(self.opponents)
        names = [str(kind) for kind in self.kinds]
        self._told_apart = len(settings.kinds(names))
        sizes = settings.sizes(game, self._told_apart)
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
            every: how many; 0 for never.

        Raises:
            ValueError: steps are to be taken before games, and the memory holds less than a batch.
        """
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
        stream, agent = Stream(self.games_seed, self.played), len(self.opponents)
        match = Match(self.game, stream)
        copied = self.settings.self_play > 0 and _share(stream) < self.settings.self_play
        copy, own = max(self.kinds) + 1, match.seats.index(agent)
        players = enumerate(match.seats)
        kinds = {seat: copy if copied or player == agent else self.kinds[player] for seat, player in players}

        def choose(player: int, state: WildOnesState) -> Sequence[str]:
            view = View.of(state) if self.settings.by_view else Seen.of(state, kinds)
            if player == agent:
                return self._decide(view, stream, warm)
            return (self.player if copied else self.opponents[player]).choices(view)

        for move in match.moves(choose):
            if move.player == agent:
                assert self._open
                self._open.action = self.game.number(move.action)
            if move.ends_round:
                self._round_over(move.before, move.action, move.after, own)
            if move.player == agent and not warm:
                self.decisions += 1
                if self.decisions % self.settings.every == 0 and len(self.memory) >= self.settings.batch:
                    self._step()
        self.played += 1
        return match.places(move.after)

    def _step(self) -> None:
        self.optimiser.step(self.memory.batch(self.memory.drawn(self.settings.batch, self.batches)))

    def _decide(self, view: View, stream: Stream, warm: bool) -> tuple[str, ...]:
        """What the agent may do, after what it sees has closed its last decision; the next is open from here on."""
        seen = inputs(view, self.game, self.settings, self._told_apart)
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
        self._open = _Open(seen)
        return taken

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
