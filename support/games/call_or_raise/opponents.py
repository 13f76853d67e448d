"""Players of call or raise, for those who want to play against one: rules, and tables trained when asked for.

Each that learns has the chapter's settings and a seed of its own, so that the same agent comes out every time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from support.core.table import PlayError
from support.games.call_or_raise import settings as call_or_raise
from support.games.call_or_raise.q_learning import TIED
from support.games.call_or_raise.rules import CALL, CallOrRaise, CallOrRaiseState, opening_bid, tail
from support.games.cups.rolls import FACES

SEED = 20260
"""Of all agents here."""
CONTROL_GAMES = 1_000_000
"""Games of Monte Carlo control, a tenth of the chapter's longest runs."""


@dataclass(frozen=True)
class Rule:
    """A player of the document: how it decides between call and raise, and to which face it raises.

    Args:
        kind: as of ``support.games.call_or_raise.settings.Agent``: "random", "probability" or "holds".
        bluff: the probability of a face drawn at random; otherwise it is the one held most.
    """

    kind: str
    bluff: Fraction

    def raises(self, total: int, own: int, quantity: int, held: int) -> Fraction:
        """The probability that it raises; arguments as of ``CallsByTable.raises``."""
        if self.kind == "random":
            return Fraction(1, 2)
        return tail(total - own, max(quantity - held, 0) + (self.kind == "probability"))

    def action_probabilities(self, state: CallOrRaiseState) -> dict[str, Fraction]:
        """For each legal action, by the own dice and the last bid."""
        return call_or_raise_row(self, state)


@dataclass(frozen=True, eq=False)
class CallsByTable:
    """A learner of call or raise that no longer explores.

    Args:
        settings: of its training.
        calls: for each of its states 1 where it calls, 0 where it raises, 1/2 where it tosses a coin.
    """

    settings: call_or_raise.QTableSettings
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
    settings, games = call_or_raise.QTableSettings(), 5_000
    if control:
        settings = replace(settings, slips=call_or_raise.AS_MEANT, method="averages", alpha=0.001)
        games = CONTROL_GAMES
    return trained(settings, games, SEED)


def trained(settings: call_or_raise.QTableSettings, games: int, seed: int) -> CallsByTable:
    """A table after so many games, with a coin where its two values are equal."""
    from support.games.call_or_raise.q_learning_fast import advance, new_table

    q = new_table(settings)
    advance(settings, q, games, seed)
    tied = np.ptp(q, axis=1) < TIED
    calls = np.where(tied, 2, q.argmax(axis=1) == call_or_raise.CALL).tolist()
    return CallsByTable(settings, tuple((Fraction(0), Fraction(1), Fraction(1, 2))[choice] for choice in calls))


AGENTS = {
    "random": Rule("random", Fraction(1)),
    "probability": Rule("probability", Fraction(1)),
    "holds": Rule("holds", Fraction(1)),
    "honest": Rule("holds", Fraction(0)),
}
LEARNERS = {"q-table": False, "monte-carlo": True}
"""Tables that have learned to call or raise: the document's Q-learning, and Monte Carlo control."""


def agent(name: str, game: CallOrRaise, seat: int, seats: Sequence[str]) -> Rule | CallsByTable:
    """A player by its name, as the registry asks for it.

    Raises:
        PlayError: a table that has learned, and more players or dice than it knows.
    """
    if name not in LEARNERS:
        return AGENTS[name]
    known = CallOrRaise()
    if game.num_players > known.num_players or game.dice > known.dice:
        raise PlayError(f"{name} knows up to {known.num_players} players with up to {known.dice} dice each")
    return call_or_raise_table(LEARNERS[name])
