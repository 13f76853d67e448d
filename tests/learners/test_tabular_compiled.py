"""Tabular control: compiled games are the plain ones, number for number."""

from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from table_games import coins, die_nim, die_race, dithering, guess, odd_one_out, trap

from support.core.flat import TooLargeError, unfold
from support.games.biscuits.rules import Biscuits
from support.games.call_or_raise.rules import CallOrRaise
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.cards.leduc import Leduc
from support.games.cups.liars_dice import LiarsDice
from support.games.three_dice.rules import DiceGame
from support.learners import methods
from support.learners.sampling_fast import TooLongError
from support.learners.tabular import RULES
from support.learners.tabular_fast import run

SEED, MARKS = 0xFEDCBA9876543210, [1, 20, 300]
THIRD = Fraction(1, 3)
unfolded = cache(unfold)


def shared_out(game, part):
    """The same game with rewards of another size, such as thirds, whose sums floats round."""
    rows = {}
    for here, (mover, seen, moves) in game.rows.items():
        after = {move: (to, tuple(part * gain for gain in gains), *p) for move, (to, gains, *p) in moves.items()}
        rows[here] = (mover, seen, after)
    return replace(game, rows=rows)


GAMES = {
    "ace-king-queen": AceKingQueen(),
    "kuhn-poker": Kuhn(),
    "leduc-poker": Leduc(),
    "liars-dice": LiarsDice(3),
    "biscuits": Biscuits(3, 2),
    "call-or-raise": CallOrRaise(2, 1, bounded=True),
    "three-dice": DiceGame(1),
    "loaded-dice": DiceGame(2, 3, (2, 4, 9), (Fraction(1, 2), THIRD, Fraction(1, 6)), 1),
    "three-players": odd_one_out(),
    "rewards-on-the-way": coins(5),
    "fractions": shared_out(die_race(4), THIRD),
    "one-player": guess(),
    "to-and-fro": dithering(),
}


class Counted:
    """Any rule of tabular control, which also counts the states of its games."""

    def __init__(self, rule):
        self.nodes = 0
        self.learner = RULES[rule]()
        play = self.learner._play

        def played(*how):
            moves = play(*how)
            self.nodes += len(moves) + 1
            return moves

        self.learner._play = played


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("name", GAMES)
def test_compiled_games_are_the_plain_ones(name, rule):
    flat = unfolded(GAMES[name])
    trace = run(flat, rule, MARKS, SEED)
    assert trace.marks.tolist() == MARKS
    for k, mark in enumerate(MARKS):
        plain, weights, found = Counted(rule), np.zeros(flat.slots[-1]), np.zeros(flat.slots[-1])
        values = plain.learner.values(flat.game, mark, SEED)
        for where, start, stop in zip(flat.information_states, flat.slots, flat.slots[1:], strict=False):
            if where in values:
                row = list(values[where].values())
                found[start:stop] = row
                weights[start + row.index(max(row))] = 1
        assert trace.nodes[k] == plain.nodes
        np.testing.assert_array_equal(trace.weights[k], weights)
    np.testing.assert_array_equal(trace.values, found)
    assert trace.values.any()


@pytest.mark.parametrize("exploration", [0.0, 1.0])
def test_exploration_is_as_asked(exploration):
    flat = unfolded(Kuhn())
    values = RULES["sarsa"](exploration=exploration).values(flat.game, 200, SEED)
    found = run(flat, "sarsa", [200], SEED, exploration=exploration).values
    for where, start in zip(flat.information_states, flat.slots, strict=False):
        row = list(values.get(where, {}).values())
        assert found[start : start + len(row)].tolist() == row


def test_seeds_play_different_games():
    flat = unfolded(Leduc())
    one, other = (run(flat, "q-learning", [1000], seed).values for seed in (SEED, SEED + 1))
    assert not np.array_equal(one, other)


def test_what_does_not_fit():
    with pytest.raises(TooLongError, match="a game went beyond 1,048,576 moves: its players may never end it"):
        run(unfolded(trap()), "sarsa", [100], SEED)
    with pytest.raises(ValueError, match="there is no rule 'td'; there are monte-carlo, q-learning, sarsa"):
        run(unfolded(Kuhn()), "td", [1], SEED)
    with pytest.raises(ValueError, match="marks must rise from at least 1"):
        run(unfolded(Kuhn()), "sarsa", [2, 2], SEED)


def test_a_game_is_unfolded_once_whatever_the_limit():
    flat = methods.unfolded(Kuhn())
    assert methods.unfolded(Kuhn(), 2 * methods.MOST) is flat
    with pytest.raises(TooLargeError, match="more than 5 positions"):
        methods.unfolded(Kuhn(), 5)
    assert methods.unfolded(Kuhn()) is flat


@pytest.mark.parametrize("learner", [methods.MonteCarlo, methods.QLearning, methods.Sarsa])
def test_a_game_too_large_to_unfold_is_learned_by_the_plain_form(learner, monkeypatch):
    game = die_nim(5)
    compiled = learner().train(game, 100, SEED)
    monkeypatch.setattr(methods, "MOST", 5)
    with pytest.raises(TooLargeError, match="more than 5 positions"):
        methods.unfolded(game)
    plain = learner().train(game, 100, SEED)
    assert plain.table == {where: compiled.table[where] for where in plain.table}
    assert plain.table
