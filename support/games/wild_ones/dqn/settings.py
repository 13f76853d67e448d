"""How the agent learns: the rewards, the settings, and those of the document and of its author's notebook."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

from support.core.checks import require_flag, require_number, require_one_of, require_whole
from support.games.cups.rolls import FACES
from support.games.wild_ones.policies import Aggressive, Survivalist
from support.games.wild_ones.rules import EXACT, WildOnes, WildOnesState

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
MOST_MEMORY = 1 << 24


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
            require_number(field.name, getattr(self, field.name), -1e6, 1e6)

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
            ("warm_policy", WARM),
            ("episodes", EPISODES),
        ):
            require_one_of(name, getattr(self, name), known)
        for name in ("amsgrad", "target", "double", "third_party_closes", "history", "identity"):
            require_flag(name, getattr(self, name))
        whole = {"memory": (1, MOST_MEMORY), "batch": (1, self.memory), "layers": (1, 16), "width": (1, 4096)}
        whole |= {"every": (1, 2**31), "warm_games": (0, 2**31), "games": (0, 2**31), "offline_steps": (0, 2**31)}
        for name, (least, most) in whole.items():
            require_whole(name, getattr(self, name), least, most)
        shares: dict[str, tuple[float, float]] = dict.fromkeys(
            ("discount", "tau", "epsilon_start", "epsilon_end", "self_play"), (0, 1)
        )
        sizes: dict[str, tuple[float, float]] = {
            "learning_rate": (0, 10),
            "weight_decay": (0, 10),
            "clip": (1e-12, 1e12),
            "decay": (1e-9, 1e12),
        }
        for name, (low, high) in (shares | sizes).items():
            require_number(name, getattr(self, name), low, high)

    def epsilon(self, games: int, decisions: int) -> float:
        """The probability of exploring after so many games of training and decisions in them."""
        passed = games if self.decay_in == "games" else decisions
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
