"""A round of call or raise between two equals."""

import pytest

from support.core.policy import probabilities_of
from support.exact.nash_conv_fast import Scorer
from support.games.call_or_raise.equals import one_round
from support.learners import learner_named
from support.learners.methods import unfolded


def test_a_round_of_call_or_raise_has_an_equilibrium_without_mixing_that_greed_finds():
    game = one_round()
    policy = learner_named("monte-carlo").train(game, 50_000, 1)
    flat = unfolded(game)
    assert {chance for row in policy.table.values() for chance in row.values()} == {1}
    scorer, strategies = Scorer(flat), probabilities_of(flat, policy)[None]
    assert scorer.nash_convs(strategies) == pytest.approx(0, abs=1e-12)
    assert scorer.returns(strategies)[0, 0] == pytest.approx(-58 / 243)
