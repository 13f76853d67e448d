"""The result table's relatives: regrets, or totals over all visits, instead of greed.

Only the rule by which a player chooses differs from :mod:`support.learners.result_table`. In each information state, a
rule computes a *strategy* from the table. The player draws its choice from this strategy, mixed with a little of the
uniform one. After the game, each choice it made is credited with what was gained from there to the end of the game. All
players learn at once, each only from its own outcomes and its own probabilities. The rules are

* ``averages``: use only the two columns of the published table. A choice is played in proportion to the amount by which
  its average gain exceeds the mean of the information state. This is regret matching on the table as it stands.
* ``totals``: be greedy, but for estimated totals over *all* visits to the information state, instead of averages over
  the visits in which the choice was made. A gain is divided by the probability of the choice that made it. This makes
  it an unbiased estimate of what the choice gains at this visit: with probability p it counts 1/p times, and otherwise
  not at all.
* ``regrets``: use regret matching on regrets that are estimated in this way: what a choice would have gained at all
  visits (as above), less what was gained. Hart and Mas-Colell observed that a player can estimate its regrets from
  nothing but its own realised gains and its own probabilities (*A reinforcement procedure leading to correlated
  equilibrium*, 2001). They consider one repeated decision, and the regrets of switching from one choice to another.
  Here each information state is such a decision, and the regret of a choice compares it with all that was gained there.

Outcome-sampling Monte Carlo CFR (:mod:`support.learners.mccfr`) estimates *counterfactual* regrets: it also divides by
the probability of the player's own choices on the way to the information state, so every state counts as if the player
always tried to get there. The rules here make no such division: a state counts as often as it is visited, and a gain is
never multiplied by more than the exploration of one choice allows. The proofs about the averages of CFR do not cover
these rules.

This module is the plain counterpart of ``support.learners.regret_table_fast``.
"""

from dataclasses import InitVar, dataclass, field
from fractions import Fraction

from support.core.checks import require_one_of, settings
from support.core.interface import CHANCE, Game, State
from support.core.play import Stream
from support.learners.regret_matching import draw, matched

RULES = ("averages", "totals", "regrets")
"""How a strategy is computed from the table."""
Key = tuple[int, str]


@settings
class RegretTableSettings:
    """How the table is used.

    Attributes:
        rule: one of ``RULES``.
        exploration: the weight of the uniform strategy in what is played, from 0 to 1. At 0 a choice that is never
            played is never estimated either, so ``totals`` and ``regrets`` mean nothing.

    Raises:
        ValueError: a value is outside its range.
    """

    rule: str = "regrets"
    exploration: Fraction = Fraction(1, 100)

    def __post_init__(self) -> None:
        require_one_of("rule", self.rule, RULES)
        if not 0 <= self.exploration <= 1:
            raise ValueError(f"exploration must lie between 0 and 1, not {self.exploration}")


@dataclass
class Row:
    """The table's row for one information state: lists with a number for each choice, in the order of the rules.

    Attributes:
        counts: how often the choice was made.
        won: the total gained from it to the end of the game, in the units of the rewards.
        credit: its estimated total (``totals``) or regret (``regrets``), in the same units; 0 with ``averages``.
        played: the sum over all visits of its probability in the strategy, without the exploration.
    """

    counts: list[int]
    won: list[int | Fraction]
    credit: list[float]
    played: list[float]

    @classmethod
    def empty(cls, choices: int) -> "Row":
        """The row of a state that was never visited."""
        return cls([0] * choices, [0] * choices, [0.0] * choices, [0.0] * choices)

    def strategy(self, rule: str) -> list[float]:
        """The probability of each choice under the rule, without the exploration."""
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
    """All players, who share one table.

    Chance has its own stream of random numbers, so runs with the same seed meet the same deals whatever the settings.
    The other stream is for the choices, with one number each.

    Args:
        settings: rule and exploration.
        seed: 64-bit seed.
        rows: a table to continue with; a new one by default.

    Attributes:
        rows: the table, by (player, information state).
        games: the number of games played.
        nodes: the number of states visited, including initial states, chance nodes and terminal states.
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
        """Play one game from ``state`` to its end, then update the table from the last choice to the first."""
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
        game: any game that implements the interface.
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
