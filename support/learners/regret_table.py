"""The result table's relatives: regrets, or totals over all visits, in place of greed.

Everything is as in :mod:`support.learners.result_table` but the rule by which a player chooses. In an information state
it has a *strategy*, which a rule reads off the table; it draws one of its choices from this strategy, mixed with a
little of the uniform one; and after the game each choice it made is credited with what was gained from there to the end
of the game. All players learn at once, each from its own outcomes and its own probabilities alone. The rules are

* ``averages``: only the two columns of the published table. A choice is played in proportion to how far its average
  gain exceeds the mean of the information state, that is: regret matching on the table as it stands.
* ``totals``: greed, but for totals over *all* visits of the information state, estimated, in place of averages over
  those visits in which the choice was made. A gain is divided by the probability of the choice that made it, which
  makes it an unbiased estimate of what the choice gains at this visit: with probability p it counts as 1/p times
  itself, and as nothing otherwise.
* ``regrets``: regret matching on regrets estimated in this way: what a choice would have gained at all visits (as
  above), less what was gained. That a player can estimate its regrets from nothing but its own realised gains and its
  own probabilities is Hart and Mas-Colell's observation (*A reinforcement procedure leading to correlated equilibrium*,
  2001). They consider one decision, repeated, and the regrets of switching from one choice to another; here each
  information state is such a decision, and a choice's regret is against all that was gained there.

Outcome-sampling Monte Carlo CFR (:mod:`support.learners.mccfr`) estimates *counterfactual* regrets: it also divides by
the probability of the player's own choices on the way to the information state, so that every state counts as if the
player always tried to get there. Here is no such division: a state counts as often as it is visited, and a gain is
never multiplied by more than the exploration of one choice allows. What is proven about the averages of CFR is not
proven about these.

This module is the plain counterpart of ``support.learners.regret_table_fast``.
"""

from dataclasses import InitVar, dataclass, field
from fractions import Fraction

from support.core.checks import require_one_of
from support.core.interface import CHANCE, Game, State
from support.core.play import Stream
from support.learners.regret_matching import draw, matched

RULES = ("averages", "totals", "regrets")
"""How a strategy is read off the table."""
Key = tuple[int, str]


@dataclass(frozen=True)
class RegretTableSettings:
    """How the table is used.

    Attributes:
        rule: one of ``RULES``.
        exploration: the weight of the uniform strategy in what is played, from 0 to 1. At 0 a choice that is never
            played is never estimated either, and ``totals`` and ``regrets`` mean nothing.

    Raises:
        ValueError: a value outside its range.
    """

    rule: str = "regrets"
    exploration: Fraction = Fraction(1, 100)

    def __post_init__(self) -> None:
        require_one_of("rule", self.rule, RULES)
        if not 0 <= self.exploration <= 1:
            raise ValueError(f"exploration must lie between 0 and 1, not {self.exploration}")


@dataclass
class Row:
    """What the table holds about one information state: lists, a number for each choice in the order of the rules.

    Attributes:
        counts: how often the choice was made.
        won: what was gained from it to the end of the game, in all, in the units of the rewards.
        credit: its estimated total (``totals``) or regret (``regrets``), in the same units; 0 with ``averages``.
        played: the sum over all visits of its probability in the strategy, exploration left out.
    """

    counts: list[int]
    won: list[int | Fraction]
    credit: list[float]
    played: list[float]

    @classmethod
    def empty(cls, choices: int) -> "Row":
        """A state that was never visited."""
        return cls([0] * choices, [0] * choices, [0.0] * choices, [0.0] * choices)

    def strategy(self, rule: str) -> list[float]:
        """The probability of each choice by the rule, exploration left out."""
        if rule == "totals":
            best = self.credit.index(max(self.credit))
            return [float(place == best) for place in range(len(self.credit))]
        return matched(self.credit if rule == "regrets" else self._above_average())

    def add(self, rule: str, place: int, gain: int | Fraction, chance: float) -> None:
        """Credit a choice, made with the probability ``chance``, with what was gained from it to the end."""
        self.counts[place] += 1
        self.won[place] += gain
        estimate = float(gain) / chance
        if rule == "totals":
            self.credit[place] += estimate
        elif rule == "regrets":
            for other in range(len(self.credit)):
                self.credit[other] += (estimate if other == place else 0.0) - float(gain)

    def _above_average(self) -> list[float]:
        """How far the average gain of each choice is above the mean; the gain of an untried choice counts as 0."""
        visits = sum(self.counts)
        mean = float(sum(self.won)) / visits if visits else 0.0
        pairs = zip(self.won, self.counts, strict=True)
        return [(float(won) / count if count else 0.0) - mean for won, count in pairs]


@dataclass
class RegretTableLearner:
    """All players at one table.

    Chance has a stream of random numbers of its own, so that runs of one seed meet the same deals whatever the
    settings; the other serves the choices, one number each.

    Args:
        settings: rule and exploration.
        seed: 64-bit seed.
        rows: a table to go on with; a new one by default.

    Attributes:
        rows: the table, by (player, information state).
        games: how many were played.
        nodes: how many states were visited, beginnings, chance and ends included.
    """

    settings: RegretTableSettings
    seed: InitVar[int]
    rows: dict[Key, Row] = field(default_factory=dict)
    games: int = 0
    nodes: int = 0
    chance: Stream = field(init=False)
    stream: Stream = field(init=False)

    def __post_init__(self, seed: int) -> None:
        self.chance, self.stream = Stream(seed, 0), Stream(seed, 1)

    def play(self, state: State) -> None:
        """One game from ``state`` to its end, then the update of the table, from the last choice to the first."""
        made: list[tuple[Key, int, int | Fraction, float]] = []
        self.nodes += 1
        while not state.is_terminal():
            if state.current_player == CHANCE:
                state = state.child(self.chance.draw(state.chance_outcomes()))
            else:
                player, legal = state.current_player, state.legal_actions()
                key = (player, state.information_state(player))
                place, chance = self._choose(self.rows.setdefault(key, Row.empty(len(legal))))
                made.append((key, place, state.returns()[player], chance))
                state = state.child(legal[place])
            self.nodes += 1
        for key, place, before, chance in reversed(made):
            self.rows[key].add(self.settings.rule, place, state.returns()[key[0]] - before, chance)
        self.games += 1

    def _choose(self, row: Row) -> tuple[int, float]:
        """The place of the choice to make, and the probability with which it is made."""
        strategy, exploration = row.strategy(self.settings.rule), float(self.settings.exploration)
        row.played = [sum_so_far + share for sum_so_far, share in zip(row.played, strategy, strict=True)]
        odds = [(1.0 - exploration) * share + exploration / len(strategy) for share in strategy]
        place = draw(odds, self.stream)
        return place, odds[place]


def learn(game: Game, settings: RegretTableSettings, games: int, seed: int) -> dict[Key, Row]:
    """Play games and fill a new table, through the interface, one state at a time.

    Args:
        game: any game behind the interface.
        settings: rule and exploration.
        games: number of games.
        seed: 64-bit seed.

    Returns:
        The rows of the information states that were visited, by (player, information state).
    """
    learner = RegretTableLearner(settings, seed)
    for _ in range(games):
        learner.play(game.initial_state())
    return learner.rows
