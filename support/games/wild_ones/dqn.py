"""Deep Q-learning at wild ones, from the settings to the games that it learns from; plain, and slow.

This is how the agent of Alexandre Forestier Foray's *Learning Liar's dice with deep Q-learning* (2026) learns. One
agent plays against fixed policies. A network gives every action a value; the agent takes the legal action of highest
value or, with a probability that falls over time, any legal one. Each decision is kept as a *transition*: the
observation, the action, the reward, the next observation, and what was legal there. After every ten decisions the
network takes one step towards the targets of a batch of transitions. The targets come from a second network (Mnih et
al. 2015; van Hasselt, Guez and Silver 2016), which follows the first slowly (Lillicrap et al. 2015) instead of being
copied from time to time.

What the network sees and the memory are in ``dqn_network``; ``dqn_player`` is a trained network as a policy, with its
file. The network itself and the optimiser know nothing of the game: they are in ``support.learners.network`` and
``support.learners.optimiser``. The compiled counterparts play the same games and keep the same transitions from the
same random numbers, and, with the same optimiser, end with the same weights: ``dqn_fast`` (the games) and
``dqn_network_fast`` (observations and decisions). torch is loaded only for the plain optimiser; the compiled one
differs from it by rounding.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from support.core.checks import settings as checked
from support.core.play import Stream
from support.games.cups.rolls import FACES
from support.games.wild_ones.dqn_network import Memory, RoundView, encoded
from support.games.wild_ones.play import Match, Move
from support.games.wild_ones.policies import Aggressive, Policy, Survivalist, View, kinds_of, require_opponents
from support.games.wild_ones.rules import EXACT, WildOnes, WildOnesState
from support.learners.dqn_settings import DeepQSettings, Share, seeds
from support.learners.network import Network
from support.learners.optimiser import Optimiser, TorchOptimiser

WARM_POLICIES: dict[str, Policy | None] = {
    "explore": None,
    "survivalist": Survivalist(),
    "aggressive": Aggressive(),
}
"""How the agent plays while its memory is filled: exploring as at the start of training, or by a fixed policy."""
COPY = "itself"
"""The kind of a player that is the agent's own network."""
Count = Annotated[int, Field(ge=0, le=10_000_000)]


@checked
class Rewards:
    """The agent's rewards, by the document's table.

    Attributes:
        caught: if its "liar" was right.
        lost: if it lost a die, because its bid was a lie or its challenge was wrong.
        exact: if its "exact" was right, even if it had all its dice and won none back. (The table names neither that
            nor a wrong "exact"; the author's notebook pays them so.)
        outbid: if it bid, and moved again in the same round.
        survived: if its bid was challenged, and the challenger lost a die.
        conceded: if its bid was rightly challenged as exact.
        aside: if it bid, and the round ended between two other players.
        win: an extra reward for winning the game, which the document does not have.
    """

    caught: float = 1.0
    lost: float = -2.0
    exact: float = 2.0
    outbid: float = 0.0
    survived: float = 1.0
    conceded: float = -0.5
    aside: float = 0.0
    win: float = 0.0

    def earned(self, state: WildOnesState, challenge: str, seat: int) -> float:
        """The reward at the end of a round.

        Args:
            state: the state before the challenge.
            challenge: "liar" or "exact".
            seat: the seat of the player who is rewarded.
        """
        (loser, change), caller = state.outcome(challenge), state.current_player
        bidder = state.last_bidder()
        if seat == caller:
            return self.lost if loser == caller and change < 0 else self.exact if challenge == EXACT else self.caught
        if seat == bidder:
            return self.lost if loser == bidder else self.survived if change < 0 else self.conceded
        return self.aside


@checked
class DQNSettings(DeepQSettings, Rewards):
    """How the agent learns, with the rewards among the fields.

    The defaults are the document's or, where it is silent, those of the author's program; see ``DeepQSettings`` for
    what every deep Q-learner has. The last four fields are in neither, or are improvements that the document lists
    without trying them.

    Attributes:
        encoding: how the network sees the last bid and its dice: as histograms, or as quantity, face and sorted dice.
        decay_in: whether ``decay`` counts training games, or the agent's decisions in them instead.
        warm_policy: one of ``WARM_POLICIES``, which plays the games that fill the memory.
        games: training games.
        episodes: whether an episode is a round, or lasts until the agent is out or the game is over.
        third_party_closes: whether the agent's episode also ends with a round in which another player's liar costs a
            third player its last die.
        history: whether the network also sees all bids of the round: for each player with dice, itself first and then
            in turn, one input for each bid, 1 if that player made it. Players who are out are zeros.
        identity: whether it also sees who sits where: for each other player with dice, the next first, one input for
            each kind of opponent (and one for a copy of itself if there is self-play), 1 for that player's kind. In a
            linear layer this is an embedding of the kinds.
        self_play: the share of games, those that fill the memory included, in which the current network plays all
            other seats too. Only the agent's own seat explores and is remembered.
        offline_steps: steps on the filled memory before the training games.

    Raises:
        ValueError: a value is out of range.
    """

    encoding: Literal["histograms", "raw"] = "histograms"  # document
    decay_in: Literal["games", "decisions"] = "games"  # document
    warm_policy: Literal["explore", "survivalist", "aggressive"] = "explore"  # document
    games: Count = 5000  # document
    episodes: Literal["rounds", "games"] = "rounds"  # document; whole games are what its author would try next
    third_party_closes: bool = True  # document; in the notebook the episode goes on into the next round
    history: bool = False  # what the author would try next
    identity: bool = False  # what the author would try next
    self_play: Share = 0.0  # ours
    offline_steps: Count = 0  # like the author's first agent; the document does not say how many

    def explores(self, games: int, decisions: int) -> float:
        """The probability of exploring after ``games`` training games with ``decisions`` decisions."""
        return self.epsilon(games if self.decay_in == "games" else decisions)

    @property
    def by_view(self) -> bool:
        """Whether the network sees no more than a view, so that its policy can be written as a table."""
        return not (self.history or self.identity)

    def kinds(self, opponents: Sequence[str]) -> tuple[str, ...]:
        """The kinds of players that ``identity`` distinguishes, by number.

        Args:
            opponents: the names of the opponents in training.
        """
        return (*dict.fromkeys(opponents), *((COPY,) if self.self_play > 0 else ()))

    def sizes(self, game: WildOnes, kinds: int = 0) -> tuple[int, ...]:
        """The widths of a network for this game, from inputs to outputs; 15, 64, 64, 38 as published.

        Args:
            game: the rules.
            kinds: the number of kinds of players; used only with ``identity``.
        """
        inputs = 3 + (2 * FACES if self.encoding == "histograms" else 2 + game.dice)
        inputs += self.history * game.num_players * (game.num_actions - 2)
        inputs += self.identity * (game.num_players - 1) * kinds
        return self.widths(inputs, game.num_actions)


PUBLISHED = DQNSettings()
"""The document's settings: exploration falls over some thousand games, and every round ends an episode."""
NOTEBOOK = DQNSettings(
    weight_decay=0.0,
    decay=1e4 / (3 * math.log(10)),
    decay_in="decisions",
    games=4000,
    third_party_closes=False,
)
"""The settings of the author's notebook where they differ from the document's."""


def inputs(view: View, game: WildOnes, settings: DQNSettings, kinds: int = 0) -> tuple[int, ...]:
    """All inputs of a network: a view in numbers, then the bids of the round and who sits where, if it sees them.

    Args:
        view: the view of the player to move; a ``RoundView`` if the network sees more than a view.
        game: the game that the network is made for; in a smaller game the inputs that it lacks are zeros.
        settings: the network's settings.
        kinds: the number of kinds of players that it distinguishes.

    Raises:
        ValueError: the network sees more than this view holds.
    """
    seen = encoded(view, settings.encoding, game.dice)
    if settings.by_view:
        return seen
    if not isinstance(view, RoundView):
        raise ValueError("a network with history or identity needs a RoundView, not a View")
    bids, made = game.num_actions - 2, [0] * (settings.history * game.num_players * (game.num_actions - 2))
    if settings.history:
        for player, some in enumerate(view.bids):
            for bid in some:
                made[player * bids + game.bid_number(bid) - 1] = 1
    around = [0] * (settings.identity * (game.num_players - 1) * kinds)
    if settings.identity:
        if len(view.kinds) != len(view.bids) - 1:
            raise ValueError("a network with identity must know who sits where")
        for player, kind in enumerate(view.kinds):
            around[player * kinds + kind] = 1
    return (*seen, *made, *around)


def action_values(
    network: Network, view: View, game: WildOnes, settings: DQNSettings, kinds: int = 0
) -> dict[str, float]:
    """A network's value of each legal action, by rising numbers; the arguments are those of :func:`inputs`.

    Raises:
        ValueError: the network sees more than this view holds.
    """
    values = network.values(np.array(inputs(view, game, settings, kinds)))
    legal = sorted(game.number(action) for action in view.legal())
    return {game.action(number): float(values[number]) for number in legal}


@dataclass(frozen=True, eq=False)
class Trained:
    """The result of a training run.

    Attributes:
        network: the network with its final weights.
        places: uint8[games, players], each player's place in each training game; the agent is the last player.
        decisions: the number of the agent's decisions in training.
        steps: the number of steps of the optimiser.
    """

    network: Network
    places: np.ndarray
    decisions: int
    steps: int


Watch = Callable[[int, Network], None]
"""A function that is called between games with the number of training games so far and the current network."""


@dataclass
class _Decision:
    """A decision that is not a transition yet; ``gain`` is None while its round goes on."""

    state: tuple[int, ...]
    action: int
    gain: float | None = None


class DQNLearner:
    """The agent and its games, one state at a time: plain, and slow.

    Args:
        game: the rules.
        opponents: the policies of all players but the agent, who is the last.
        settings: how the agent learns.
        seed: 64 bits.
        optimiser: the optimiser's class; torch's by default.

    Attributes:
        kinds: the kinds of the opponents, by number.
        network: the current network.
        memory: the agent's replay memory.
        played: the number of games, those that fill the memory included; game n has a stream of its own.
        decisions: the number of the agent's decisions in training.

    Raises:
        ValueError: there is not one opponent for each other player.
    """

    def __init__(
        self,
        game: WildOnes,
        opponents: Sequence[Policy],
        settings: DQNSettings,
        seed: int,
        optimiser: type[Optimiser] = TorchOptimiser,
    ):
        require_opponents(game, opponents)
        weights, self._games, batches = seeds(seed)
        self.game, self.opponents, self.settings = game, tuple(opponents), settings
        self.kinds = kinds_of(self.opponents)
        self._told_apart = len(settings.kinds([str(kind) for kind in self.kinds]))
        sizes = settings.sizes(game, self._told_apart)
        self.network = Network.fresh(sizes, weights)
        self.memory = Memory(settings.memory, sizes[0], sizes[-1])
        self.optimiser = optimiser(self.network, settings)
        self._batches = Stream(batches)
        self.played = self.decisions = 0
        self._last: _Decision | None = None

    def train(self, watch: Watch | None = None, every: int = 0) -> Trained:
        """Fill the memory, then play and learn.

        Args:
            watch: a function to call between games.
            every: the number of games between two calls; 0 for none.

        Raises:
            ValueError: there are offline steps, but the memory holds less than a batch.
        """
        for _ in range(self.settings.warm_games):
            self.play(warm=True)
        for _ in range(self.settings.offline_steps):
            self.step()
        places = np.zeros((self.settings.games, self.game.num_players), np.uint8)
        for number in range(self.settings.games):
            places[number] = self.play()
            if watch and every and (number + 1) % every == 0:
                watch(number + 1, self.network)
        return Trained(self.network, places, self.decisions, self.optimiser.steps)

    def play(self, warm: bool = False) -> tuple[int, ...]:
        """Play the next game, with or without learning, and return the place of each player."""
        settings, agent, stream = self.settings, len(self.opponents), Stream(self._games, self.played)
        match = Match(self.game, stream)
        copied = settings.self_play > 0 and stream.share() < settings.self_play
        by_player = [max(self.kinds) + 1] * (agent + 1) if copied else [*self.kinds, max(self.kinds) + 1]
        kinds = {seat: by_player[player] for seat, player in enumerate(match.seats)}

        def choose(player: int, state: WildOnesState) -> Sequence[str]:
            view = View.of(state) if settings.by_view else RoundView.of(state, kinds)
            if player == agent:
                return self._decide(view, stream, warm)
            return (self.greedy(view),) if copied else self.opponents[player].choices(view)

        for move in match.moves(choose):
            if move.player == agent:
                self._last = _Decision(self._seen, self.game.number(move.action))
            if move.ends_round:
                self._round_over(move, match.seats.index(agent))
            if move.player == agent and not warm:
                self.decisions += 1
                if self.decisions % settings.every == 0 and len(self.memory) >= settings.batch:
                    self.step()
        self.played += 1
        return match.places(move.after)

    def step(self) -> None:
        """Take one step of the optimiser on a batch from the memory.

        Raises:
            ValueError: the memory holds less than a batch.
        """
        self.optimiser.step(self.memory.batch(self.memory.drawn(self.settings.batch, self._batches)))

    def greedy(self, view: View) -> str:
        """The legal action of highest value, the lowest number if tied."""
        values = action_values(self.network, view, self.game, self.settings, self._told_apart)
        return max(values, key=values.__getitem__)

    def _decide(self, view: View, stream: Stream, warm: bool) -> Sequence[str]:
        """Store the agent's last decision, if still open, and return the actions to draw from."""
        self._seen = inputs(view, self.game, self.settings, self._told_apart)
        if self._last:
            gain = self.settings.outbid if self._last.gain is None else self._last.gain
            legal = [self.game.number(action) for action in view.legal()]
            self.memory.add(self._last.state, self._last.action, gain, self._seen, legal)
        fixed = WARM_POLICIES[self.settings.warm_policy] if warm else None
        if fixed:
            return fixed.choices(view)
        passed = (0, 0) if warm else (self.played - self.settings.warm_games, self.decisions)
        explores = stream.share() < self.settings.explores(*passed)
        return view.legal() if explores else (self.greedy(view),)

    def _round_over(self, move: Move, own: int) -> None:
        """Reward the agent's last decision of a round, and close it if the episode ends here."""
        decision, settings, after = self._last, self.settings, move.after
        if not decision:
            return
        bidder = move.before.last_bidder()
        third = own not in (move.before.current_player, bidder)
        by_rounds = settings.episodes == "rounds"
        if by_rounds and third and not settings.third_party_closes and bidder in after.out:
            return
        if decision.gain is None:
            decision.gain = settings.earned(move.before, move.action, own)
        won = after.is_terminal() and own not in after.out
        if by_rounds or won or own in after.out:
            self.memory.add(decision.state, decision.action, decision.gain + won * settings.win)
            self._last = None
