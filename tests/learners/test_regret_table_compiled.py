"""The result table's relatives: compiled games are the plain ones, and regrets come closer to an equilibrium."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from support.core.flat import unfold
from support.core.interface import TERMINAL, Game, State
from support.exact.nash_conv_fast import Scorer, normalise
from support.games.biscuits.rules import Biscuits
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.cards.leduc import Leduc
from support.games.three_dice.rules import DiceGame
from support.learners.regret_table import RULES, RegretTableLearner, RegretTableSettings
from support.learners.regret_table_fast import run
from support.learners.sampling_fast import TooLongError

SEED = 0xFEDCBA9876543210
HALF = Fraction(1, 2)
unfolded = cache(unfold)


@dataclass(frozen=True)
class Turns(Game):
    """Three players choose one after the other without seeing; who chose alone takes a unit from each other player."""

    name = "turns"
    num_players = 3

    def initial_state(self):
        return TurnsState(self)

    def move_from_string(self, state, text):
        return int(text)


@dataclass(frozen=True)
class TurnsState(State):
    game: Turns
    chosen: tuple[int, ...] = ()

    @property
    def current_player(self):
        return len(self.chosen) if len(self.chosen) < 3 else TERMINAL

    def legal_actions(self, player=None):
        return (0, 1) if self.current_player >= 0 else ()

    def child(self, action):
        self.require(action)
        return TurnsState(self.game, (*self.chosen, action))

    @property
    def position(self):
        return self.chosen

    def information_state(self, player):
        return "nothing"

    def returns(self):
        alone = (
            [player for player in range(3) if self.chosen.count(self.chosen[player]) == 1] if self.chosen[2:] else ()
        )
        return tuple(3 * (player in alone) - 1 for player in range(3)) if alone else (0, 0, 0)

    def rewards(self):
        return self.returns()

    def action_to_string(self, action):
        return str(action)

    def __str__(self):
        return " > ".join(map(str, self.chosen))


GAMES = {
    "ace-king-queen": (AceKingQueen(), 2000),
    "kuhn": (Kuhn(), 2000),
    "leduc": (Leduc(), 1000),
    "biscuits": (Biscuits(3, 2), 1000),
    "dice": (DiceGame(), 300),
    "two-loaded-dice": (
        DiceGame(2, 3, (2, 4, 9), (HALF, Fraction(1, 3), Fraction(1, 6)), 1),
        500,
    ),
    "three-players": (Turns(), 1000),
}


def column(flat, learner, name):
    """A column of the plain table over the slots."""
    out = np.zeros(flat.slots[-1])
    for where, start, stop in zip(flat.information_states, flat.slots, flat.slots[1:], strict=False):
        if where in learner.rows:
            out[start:stop] = getattr(learner.rows[where], name)
    return out


@pytest.mark.parametrize("seed", [0, 1, SEED])
def test_marks_do_not_change_the_games(seed):
    """Stands first: numba, handed streams of another integer type, errs only while few variants are compiled."""
    flat, settings = unfolded(DiceGame()), RegretTableSettings("regrets")
    whole, pieces = run(flat, settings, [3000], seed), run(flat, settings, range(50, 3001, 50), seed)
    for name in ("counts", "played", "nodes"):
        np.testing.assert_array_equal(getattr(whole, name)[-1], getattr(pieces, name)[-1])
    np.testing.assert_array_equal(whole.credit, pieces.credit)
    assert not np.array_equal(whole.counts, run(flat, settings, [3000], seed + 1).counts)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("exploration", [Fraction(1, 100), HALF, Fraction(1)], ids=str)
def test_compiled_games_are_the_plain_ones(name, rule, exploration):
    game, games = GAMES[name]
    flat, settings = unfolded(game), RegretTableSettings(rule, exploration)
    learner = RegretTableLearner(settings, SEED)
    trace = run(flat, settings, [1, 20, games], SEED)
    assert trace.marks.tolist() == [1, 20, games]
    for k, mark in enumerate(trace.marks):
        while learner.games < mark:
            learner.play(game.initial_state())
        assert trace.nodes[k] == learner.nodes
        np.testing.assert_array_equal(trace.counts[k], column(flat, learner, "counts"))
        np.testing.assert_array_equal(trace.played[k], column(flat, learner, "played"))
    np.testing.assert_array_equal(trace.won, column(flat, learner, "won"))
    np.testing.assert_array_equal(trace.credit, column(flat, learner, "credit"))
    assert (trace.counts.dtype, trace.won.dtype) == (np.int64, np.int64)
    assert trace.won.any()
    assert trace.credit.any() == (rule != "averages")


@pytest.mark.parametrize("rule", RULES)
def test_no_exploration(rule):
    flat, settings = unfolded(Kuhn()), RegretTableSettings(rule, Fraction(0))
    trace, learner = run(flat, settings, [500], SEED), RegretTableLearner(settings, SEED)
    for _ in range(500):
        learner.play(flat.game.initial_state())
    for name in ("won", "credit"):
        np.testing.assert_array_equal(getattr(trace, name), column(flat, learner, name))
    np.testing.assert_array_equal(trace.counts[0], column(flat, learner, "counts"))


def test_credit_is_unbiased():
    """Choices all made at random: the mean of an estimate is reach times what the choice gains, less what was gained.

    Only then does no game depend on those before it.
    """
    flat, games, seeds = unfolded(Kuhn()), 1000, 200
    expected = {name: np.zeros(flat.slots[-1]) for name in ("totals", "regrets")}
    value = [None] * flat.num_nodes
    for node in reversed(range(flat.num_nodes)):  # a tree, children after their parents
        steps = [np.array(flat.rewards[edge]) + value[flat.child[edge]] for edge in flat.edges(node)]
        odds = [float(flat.probability[edge]) or 1 / len(steps) for edge in flat.edges(node)]
        value[node] = sum((p * step for p, step in zip(odds, steps, strict=True)), np.zeros(2))
    reach = np.zeros(flat.num_nodes)
    reach[0] = 1
    for node in range(flat.num_nodes):
        for edge in flat.edges(node):
            reach[flat.child[edge]] += reach[node] * (float(flat.probability[edge]) or 1 / len(flat.edges(node)))
            if (player := flat.player[node]) >= 0:
                gain = flat.rewards[edge][player] + value[flat.child[edge]][player]
                expected["totals"][flat.slot[edge]] += reach[node] * gain
                expected["regrets"][flat.slot[edge]] += reach[node] * (gain - value[node][player])
    for rule, means in expected.items():
        found = np.array(
            [run(flat, RegretTableSettings(rule, Fraction(1)), [games], seed).credit for seed in range(seeds)]
        )
        found /= games
        error = found.std(axis=0) / seeds**0.5
        assert (np.abs(found.mean(axis=0) - means) <= 4.5 * error).all()
        assert (error < 0.01).all()
        assert (np.abs(means) > 5 * error).any()


@pytest.mark.parametrize("seed", range(4))
def test_regrets_approach_an_equilibrium(seed):
    flat = unfolded(AceKingQueen())
    trace = run(flat, RegretTableSettings("regrets"), [10_000, 1_000_000], seed)
    for columns in (trace.counts, trace.played):
        before, after = Scorer(flat).nash_convs(normalise(flat, columns))
        assert after < before
        assert after < 0.1


def test_errors():
    with pytest.raises(ValueError, match="the rewards of three-dice must be whole numbers; choose a smaller unit"):
        run(unfold(DiceGame(1, 2, penalty=HALF)), RegretTableSettings(), [1], SEED)
    with pytest.raises(ValueError, match="marks must rise from at least 1"):
        run(unfolded(Kuhn()), RegretTableSettings(), [2, 2], SEED)
    with pytest.raises(TooLongError, match="a game went beyond 1,048,576 moves"):
        run(
            unfolded(DiceGame()), RegretTableSettings("totals", Fraction(0)), [1], SEED
        )  # the first of a tie: reroll all dice
