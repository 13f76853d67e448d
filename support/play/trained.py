"""Agents that learn, for those who want to play against one: trained when they are asked for, in seconds.

Each is the chapter's learner with the chapter's settings and a seed of its own, so that the same agent comes out every
time. They are trained by compiled kernels that the chapters measure and the tests hold against the plain learners.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from support.agents import afterstates, result_table
from support.agents.call_or_raise import settings as call_or_raise
from support.agents.call_or_raise.play import TIED
from support.agents.dqn.player import Player
from support.agents.dqn.settings import PUBLISHED
from support.agents.policy import TabularPolicy, from_weights
from support.agents.wild_ones import Aggressive, Survivalist, Views, table
from support.agents.wild_ones_table.learned import Learned
from support.agents.wild_ones_table.settings import Settings as TableSettings
from support.games.ace_king_queen import AceKingQueen
from support.games.biscuits import Biscuits, BiscuitsState
from support.games.call_or_raise import CALL, CallOrRaiseState, opening_bid
from support.games.flat import FlatGame, unfold
from support.games.rolls import FACES
from support.games.wild_ones import WildOnes, WildOnesState

__all__ = [
    "CAUGHT",
    "CallsByTable",
    "Remembers",
    "Values",
    "best_table",
    "biscuits_learner",
    "call_or_raise_row",
    "call_or_raise_table",
    "counterfactual_regret",
    "play_by_counts",
    "wild_ones_network",
]

SEED = 20260
"""Of all agents here."""
CARD_GAMES = 10_000_000
"""Games of the result table: a thousandth of the document's."""
ITERATIONS = 10_000
"""Of counterfactual regret minimisation over the full tree."""
CONTROL_GAMES = 1_000_000
"""Games of Monte Carlo control, a tenth of the chapter's longest runs."""
TABLE_GAMES = 1_000_000
"""Games of the table of wild ones, a tenth of the chapter's longest run."""
SELF_PLAY = 0.5
"""The share of games that the second network plays against a copy of itself."""
CAUGHT = {"survivalist": 0, "aggressive": 1}
"""The opponents that the table of wild ones has learned to tell apart, by number."""


@dataclass(frozen=True, eq=False)
class Values:
    """A learner of biscuits that no longer explores: it leaves the board that it values most, of equals the first.

    Args:
        values: of each board that it left behind.
        start: the value of any other.
    """

    values: dict[Any, float]
    start: float

    def action_probabilities(self, state: BiscuitsState) -> dict[Any, Fraction]:
        """One action."""
        legal = state.legal_actions()
        best = max(legal, key=lambda board: self.values.get(board, self.start))
        return {board: Fraction(board == best) for board in legal}


@cache
def biscuits_learner(player: int, slip: bool = False) -> Values:
    """What a player of the published puzzle has learned after the published number of games.

    Args:
        player: 0 has the first move.
        slip: as the program is printed: both go by the first player's values.
    """
    from support.kernels.afterstates import learn_fast

    settings = afterstates.Settings(slip=slip)
    found = learn_fast(unfold(Biscuits()), settings, SEED)
    return Values(found.values[0 if slip else player], settings.start)


@cache
def _cards() -> FlatGame:
    return unfold(AceKingQueen())


@cache
def play_by_counts() -> TabularPolicy:
    """How often the published program makes each choice, in a run of ``CARD_GAMES``."""
    from support.kernels.result_table import advance, lay_out, new_table

    layout, settings = lay_out(_cards()), result_table.Settings()
    found = new_table(layout, settings, SEED)
    advance(layout, settings, found, CARD_GAMES)
    return from_weights(_cards(), found.counts, "result-table")


@cache
def counterfactual_regret() -> TabularPolicy:
    """The average strategy of counterfactual regret minimisation after ``ITERATIONS``."""
    from support.kernels.cfr import run

    return from_weights(_cards(), run(_cards(), "cfr", [ITERATIONS]).weights[-1], "cfr")


@dataclass(frozen=True, eq=False)
class CallsByTable:
    """A learner of call or raise that no longer explores.

    Args:
        settings: of its training.
        calls: for each of its states 1 where it calls, 0 where it raises, 1/2 where it tosses a coin.
    """

    settings: call_or_raise.Settings
    calls: tuple[Fraction, ...]

    @property
    def bluff(self) -> Fraction:
        """How often it raises to a face drawn at random; otherwise to the one that it holds most of."""
        return self.settings.players[0].bluff

    def raises(self, total: int, own: int, quantity: int, held: int) -> Fraction:
        """The probability that it raises.

        Args:
            total: dice in play.
            own: its dice.
            quantity: of the last bid.
            held: its dice that show the face of the last bid.
        """
        view = self.settings.view()
        bucket = view.states.bucket(total, own, quantity, held, self.settings.slips.tail)
        return 1 - self.calls[view.places[total, own] * (self.settings.bins + 1) + bucket]

    def action_probabilities(self, state: CallOrRaiseState) -> dict[str, Fraction]:
        """For each legal action, by the own dice and the last bid."""
        return call_or_raise_row(self, state)


def call_or_raise_row(rule: Any, state: CallOrRaiseState) -> dict[str, Fraction]:
    """The probability of each legal action of a rule that weighs a raise and bluffs now and then.

    Args:
        rule: has ``raises`` and ``bluff``, as :class:`CallsByTable`.
        state: of the game.
    """
    roll, (quantity, face) = state.rolls[state.current_player], state.bids[-1]
    raises, most = rule.raises(state.total, len(roll), quantity, roll.count(face)), opening_bid(roll)[1]
    row = {CALL: 1 - raises}
    for other in range(1, FACES + 1):
        row[f"raise {other}"] = raises * (rule.bluff / FACES + (1 - rule.bluff) * (other == most))
    legal = state.legal_actions()
    return {action: row[action] for action in legal} if len(legal) > 1 else {CALL: Fraction(1)}


@cache
def call_or_raise_table(control: bool) -> CallsByTable:
    """A table of the document's size: four players with six dice.

    Args:
        control: by Monte Carlo control over ``CONTROL_GAMES``; otherwise the document's Q-learning, as it ran in 2018,
            over its 5,000 games.
    """
    from support.kernels.call_or_raise import advance, new_table

    settings, games = call_or_raise.Settings(), 5_000
    if control:
        settings = replace(settings, slips=call_or_raise.AS_MEANT, method="averages", alpha=0.001)
        games = CONTROL_GAMES
    q = new_table(settings)
    advance(settings, q, games, SEED)
    tied = np.ptp(q, axis=1) < TIED
    calls = np.where(tied, 2, q.argmax(axis=1) == call_or_raise.CALL).tolist()
    return CallsByTable(settings, tuple((Fraction(0), Fraction(1), Fraction(1, 2))[choice] for choice in calls))


def _opponents(game: WildOnes) -> list[np.ndarray]:
    return [table(Views(game), policy) for policy in (Survivalist(), Aggressive())]


@cache
def wild_ones_network(self_play: bool = False) -> Player:
    """The published network, trained against both fixed opponents.

    Args:
        self_play: whether it plays a share of ``SELF_PLAY`` of its games against a copy of itself.
    """
    from support.kernels.wild_ones_learning import train

    game, settings = WildOnes(), replace(PUBLISHED, self_play=SELF_PLAY if self_play else 0.0)
    return Player(game, settings, train(game, _opponents(game), settings, SEED).network, "survivalist+aggressive", SEED)


@cache
def best_table() -> Learned:
    """The table that hears everything, after ``TABLE_GAMES`` against both fixed opponents: what greedy play meets."""
    from support.kernels.wild_ones_table import Learner

    game = WildOnes()
    learner = Learner(game, _opponents(game), TableSettings(), SEED)
    learner.train(TABLE_GAMES)
    return learner.learned()


@dataclass(frozen=True, eq=False)
class Remembers:
    """The table at a table with others than it was trained with: it takes each of them for one that it knows.

    Args:
        learned: the table.
        seats: the player that it takes each seat for; itself is the last.
    """

    learned: Learned
    seats: tuple[int, ...]

    @classmethod
    def seated(cls, learned: Learned, own: int, names: Sequence[str]) -> "Remembers":
        """In a seat, among others.

        Args:
            learned: the table.
            own: its seat.
            names: of all seats. Those that it knows are whom they are; the others stand in for who is missing.
        """
        others = [seat for seat in range(len(names)) if seat != own]
        free = list(CAUGHT.values())
        seats = {own: len(names) - 1}
        for seat in sorted(others, key=lambda seat: names[seat] not in CAUGHT):
            wanted = CAUGHT.get(names[seat], free[0])
            seats[seat] = wanted if wanted in free else free[0]
            free.remove(seats[seat])
        return cls(learned, tuple(seats[seat] for seat in range(len(names))))

    def action_probabilities(self, state: WildOnesState) -> dict[str, Fraction]:
        """One action."""
        chosen = self.learned.choose(state, self.seats)
        return {action: Fraction(action == chosen) for action in state.legal_actions()}
