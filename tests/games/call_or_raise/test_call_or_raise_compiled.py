"""Call-or-raise, compiled: the plain learner's games, number for number, and what coins and dice must come to."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from support.games.call_or_raise import q_learning_fast as call_or_raise
from support.games.call_or_raise.q_learning import QTableLearner
from support.games.call_or_raise.q_learning_fast import TooLongError, advance, new_table
from support.games.call_or_raise.rules import CallOrRaise, opening_bid
from support.games.call_or_raise.settings import (
    AS_MEANT,
    AS_READ,
    AS_RUN,
    KINDS,
    MENUS,
    METHODS,
    Agent,
    Own,
    QTableSettings,
    Rewards,
    Slips,
)
from support.games.cups import digits_fast as dice

SEED = 0xFEDCBA9876543210
COIN, TRUTH, AGENT = Agent(), Agent("probability"), Agent("q")
SMALL = QTableSettings(players=(Agent("q", Fraction(1, 2)), COIN, COIN), dice=2)


def play_both(chosen, games, seed=SEED, learn=True):
    """Plain and compiled play side by side: winners after every game, and both tables bit for bit."""
    learner, q = QTableLearner(chosen, seed), new_table(chosen)
    visits = np.zeros(q.shape, np.int64)
    for number in range(games):
        game = learner.play(learn)
        winners = advance(chosen, q, 1, seed, number, learn, visits)
        assert winners.tolist() == [game.winner], f"game {number}: {' > '.join(game.moves)}"
        assert q.tobytes() == learner.q.tobytes(), f"game {number}: {' > '.join(game.moves)}"
    np.testing.assert_array_equal(visits, learner.visits)
    return q


# The plain learner's games


@pytest.mark.parametrize("slips", [AS_RUN, AS_READ, AS_MEANT], ids=["as run", "as read", "as meant"])
def test_the_published_table(slips):
    q = play_both(QTableSettings(slips=slips), 60)
    assert np.count_nonzero(q) > 100


@pytest.mark.parametrize("way", ["one mended", "one left"])
@pytest.mark.parametrize("name", Slips.__dataclass_fields__)
def test_every_slip(name, way):
    slips = replace(AS_RUN, **{name: False}) if way == "one mended" else replace(AS_MEANT, **{name: True})
    assert play_both(replace(SMALL, slips=slips), 150).any()


shares = st.one_of(st.sampled_from([Fraction(0), Fraction(1)]), st.fractions(0, 1, max_denominator=1000))
agents = st.builds(Agent, st.sampled_from(["random", "probability"]), shares)
readers = st.builds(Agent, st.sampled_from(KINDS[1:]), shares)
floats = st.floats(0, 1)


@st.composite
def tables(draw):
    """QTableSettings of any kind."""
    slips = Slips(**{name: draw(st.booleans()) for name in Slips.__dataclass_fields__})
    menu, neighbours = draw(st.sampled_from(list(MENUS))), draw(st.booleans())
    shared = menu == "published" and not neighbours
    return QTableSettings(
        players=(
            Agent(draw(st.sampled_from(["q", "q", "q", *KINDS[: len(KINDS) - 1 + shared]])), draw(shares)),
            draw(agents),  # who calls sooner or later
            *draw(st.lists(readers if shared else agents, max_size=2)),
        ),
        dice=draw(st.integers(1, 4)),
        bins=draw(st.integers(1, 40)),
        alpha=draw(floats.filter(bool)),
        discount=draw(floats),
        exploration=draw(shares),
        slips=slips if menu == "published" else replace(slips, columns=False),
        rewards=Rewards(*(draw(st.integers(-20, 20)) / 2 for _ in range(4))),
        own=draw(st.sampled_from(get_args(Own))),
        neighbours=neighbours,
        menu=menu,
        method=draw(st.sampled_from(METHODS)),
    )


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.integers(0, 2**64 - 1))
@example(replace(SMALL, exploration=Fraction(0)), 0)
@example(replace(SMALL, exploration=Fraction(1)), 2**64 - 1)
@example(replace(SMALL, players=(AGENT, TRUTH), bins=1), 1)
@example(replace(SMALL, players=(COIN, TRUTH, TRUTH)), 1)
@example(replace(SMALL, players=(AGENT, Agent("table"), COIN), slips=AS_MEANT), 1)
@example(replace(SMALL, alpha=1.0, discount=1.0), 2)
@example(replace(SMALL, method="decisions"), 4)
@example(replace(SMALL, method="decisions", slips=AS_MEANT, menu="whole", discount=1.0), 5)
@example(replace(SMALL, method="averages", slips=AS_READ, menu="whole", neighbours=True, own="none"), 3)
def test_any_settings(chosen, seed):
    play_both(chosen, 12, seed)


def test_playing_only_leaves_the_table_alone():
    q = advance_new(SMALL, 2000)[0]
    before, learner = q.copy(), QTableLearner(SMALL, 9)
    learner.q[:] = q
    winners = advance(SMALL, q, 200, 9, learn=False)
    assert winners.tolist() == [learner.play(learn=False).winner for _ in range(200)]
    assert q.tobytes() == before.tobytes() == learner.q.tobytes()


# Pieces


def advance_new(chosen, games, seed=SEED):
    """A table after so many games, their winners, and the visits."""
    q = new_table(chosen)
    visits = np.zeros(q.shape, np.int64)
    return q, advance(chosen, q, games, seed, visits=visits), visits


@pytest.mark.parametrize(
    "chosen",
    [SMALL, QTableSettings(), replace(SMALL, method="averages", alpha=0.01, slips=AS_MEANT, menu="whole")],
    ids=["small", "published", "averages"],
)
def test_pieces_do_not_change_the_games(chosen):
    q, winners, visits = advance_new(chosen, 3000)
    pieces, counts, won, start = new_table(chosen), np.zeros(visits.shape, np.int64), [], 0
    for games in (0, 1, 1, 3, 995, 2000):
        won.append(advance(chosen, pieces, games, SEED, start, visits=counts))
        start += games
    np.testing.assert_array_equal(np.concatenate(won), winners)
    np.testing.assert_array_equal(counts, visits)
    assert pieces.tobytes() == q.tobytes()


def test_other_seeds_are_other_games():
    assert (advance_new(SMALL, 500, 1)[1] != advance_new(SMALL, 500, 2)[1]).any()
    assert advance_new(SMALL, 500, 1)[1].tolist() == advance_new(SMALL, 500, 1)[1].tolist()


# Distributions


@pytest.mark.parametrize(("players", "dice"), [(2, 6), (3, 2), (4, 3), (6, 1)])
@pytest.mark.parametrize(
    "agent", [COIN, TRUTH, Agent("random", Fraction(0)), Agent("probability", Fraction(0))], ids=str
)
def test_alike_players_win_alike(agent, players, dice):
    """The opener is drawn, so that no seat is better than another."""
    games = 40_000
    winners = advance_new(QTableSettings(players=(agent,) * players, dice=dice), games, 11)[1]
    won = np.bincount(winners, minlength=players + 1)
    assert won[0] == 0
    assert chisquare(won[1:]).pvalue > 1e-4


@pytest.mark.parametrize(
    ("agents", "share"),
    [
        ((COIN, TRUTH), Fraction(7, 24)),
        ((TRUTH, COIN), Fraction(17, 24)),
        ((TRUTH, TRUTH), Fraction(1, 2)),
        ((COIN, COIN), Fraction(1, 2)),
    ],
    ids=["coin first", "coin second", "no coin", "coins"],
)
def test_one_die_each_by_hand(agents, share):
    """A coin against one who goes by the probability, and so calls always: no bid holds by more than is needed.

    If the coin opens, it wins where the dice are equal: 1/6. If the other opens, the coin calls half of the time and
    wins where they are not, 5/6, or raises to three dice, is called and loses: 5/12. The mean is 7/24.
    """
    games = 200_000
    winners = advance_new(QTableSettings(players=agents, dice=1), games, 12)[1]
    assert abs(np.count_nonzero(winners == 1) - games * share) < 5 * float(games * share * (1 - share)) ** 0.5


def test_the_frequency_of_faces():
    """What an agent with three dice that always calls has seen at its first decision.

    If player 2 opens, a bid that goes by both rolls. If the agent does, its own bid and two dice more than it holds,
    but only where the coin has raised.
    """
    chosen = QTableSettings(
        players=(AGENT, COIN), dice=3, bins=40, alpha=1e-12, exploration=Fraction(0), slips=AS_READ, method="averages"
    )
    q, states, games = new_table(chosen), chosen.states(), 100_000
    q[:, 1] = 1
    before = np.full(q.shape, 10**9)  # so many visits that nothing is learned
    visits = before.copy()
    advance(chosen, q, games, 13, visits=visits)
    share, rolls = [Fraction(0)] * 41, CallOrRaise(2, 3).parse("1 opens").chance_outcomes()
    share[states.bucket(6, 3, 2, 0)] += Fraction(1, 4)
    for (own, p), (other, r) in product(rolls, repeat=2):
        quantity, face = opening_bid(other)
        share[states.bucket(6, 3, quantity, own.count(face))] += p * r / 2
    share.append(1 - sum(share))
    first = states.number(6, 3, 0) - 1
    made = (visits - before)[first : first + 41]
    made = np.array([*made[:, 1], games - made.sum()])
    likely = [place for place, p in enumerate(share) if p]
    assert share[-1] == Fraction(1, 4)
    assert len(likely) == 5  # certainty, one die, two and three, and no decision
    assert made[likely].sum() == games
    assert chisquare(made[likely], [float(games * share[place]) for place in likely]).pvalue > 1e-4


# Errors


def test_a_table_of_another_shape():
    for q in (np.zeros((2771, 2)), np.zeros((2772, 7)), np.zeros(2772)):
        with pytest.raises(ValueError, match=r"the table must be float64\[2772, 2\], not float64"):
            advance(QTableSettings(), q, 1, 1)
    with pytest.raises(ValueError, match=r"not float32\[2772, 2\]"):
        advance(QTableSettings(), np.zeros((2772, 2), np.float32), 1, 1)
    with pytest.raises(ValueError, match=r"the table must be float64\[2772, 7\], not float64\[2772, 2\]"):
        advance(QTableSettings(menu="whole", slips=AS_READ), new_table(QTableSettings()), 1, 1)
    with pytest.raises(ValueError, match=r"visits must be int64\[2772, 2\], not float64\[2772, 2\]"):
        advance(QTableSettings(), new_table(QTableSettings()), 1, 1, visits=np.zeros((2772, 2)))


@pytest.mark.parametrize(
    ("chosen", "shape"),
    [
        (QTableSettings(), (2772, 2)),
        (SMALL, (14 * 21, 2)),
        (QTableSettings(own="some", bins=5), (42 * 6, 2)),
        (QTableSettings(own="none", neighbours=True, slips=AS_READ, menu="whole"), (24 * 49 * 21, 7)),
    ],
    ids=["published", "small", "some", "whole"],
)
def test_new_tables(chosen, shape):
    q = new_table(chosen)
    assert (q.shape, q.dtype, q.any()) == (shape, np.float64, False)


def test_a_game_that_does_not_end(monkeypatch):
    """Every opponent calls sooner or later, so that the limit is made small, in a kernel that is not compiled."""
    chosen = replace(SMALL, players=(AGENT, COIN), dice=1)
    learner, q = QTableLearner(chosen, SEED), new_table(chosen)
    for module in (call_or_raise, dice):
        for name, function in vars(module).copy().items():
            if hasattr(function, "py_func"):
                monkeypatch.setattr(module, name, function.py_func)
    monkeypatch.setattr(call_or_raise, "MOST_ROWS", 2)
    games, values = [], []
    while not games or len(games[-1].rows) <= 4:  # two of a call, one of each raise
        values.append(learner.q.copy())
        games.append(learner.play())
    assert len(games) > 3
    message = f"game {len(games) - 1} left more than 2 rows behind: nobody calls"
    with np.errstate(over="ignore"), pytest.raises(TooLongError, match=message):
        advance(chosen, q, 50, SEED)
    np.testing.assert_array_equal(q, values[-1])  # that game is not learned from
    with np.errstate(over="ignore"), pytest.raises(TooLongError, match=message):
        advance(chosen, values[2], 50, SEED, start=2)
