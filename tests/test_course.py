"""Courses: distances on the way, work in states, and games with nothing hidden."""

import re
from dataclasses import replace

import numpy as np
import pytest
from table_games import trap

from support.__main__ import main
from support.core.flat import unfold
from support.core.interface import DoesNotFitError
from support.core.policy import TabularPolicy, from_weights
from support.course import CourseSettings, course, distances, face_up, marks, take, visits
from support.games import GAMES
from support.judge import judge
from support.learners import LEARNERS, Curve, LearnerError, learner_named, methods
from support.learners.methods import unfolded
from support.learners.tabular import MonteCarlo

KUHN = unfolded(GAMES["kuhn-poker"].rules())
BISCUITS = unfolded(GAMES["biscuits"].rules())
DICE = unfolded(GAMES["three-dice"].rules())


@pytest.mark.parametrize("flat", [KUHN, BISCUITS, DICE], ids=lambda flat: flat.game.name)
def test_distances_are_those_of_the_judge(flat):
    weights = np.random.default_rng(1).random((3, flat.slots[-1]))
    expected = [float(judge(from_weights(flat, row), flat).distance) for row in weights]
    np.testing.assert_allclose(distances(flat, weights), expected, atol=1e-9)


def test_a_policy_that_might_never_end_has_no_distance():
    weights = np.zeros((1, DICE.slots[-1]))
    weights[0, DICE.slots[:-1]] = 1  # the first choice rolls all dice again, whatever they show
    assert np.isnan(distances(DICE, weights)).all()


def test_face_up_nothing_is_hidden_and_nothing_else_has_changed():
    seen = face_up(KUHN)
    assert (seen.child == KUHN.child).all()
    assert seen.rewards == KUHN.rewards
    assert len(seen.information_states) == len(seen.decision_nodes()) > len(KUHN.information_states)
    assert all(len(nodes) == 1 for nodes in seen.nodes_of_information)
    assert len(set(seen.information_states)) == len(seen.information_states)


def test_face_up_a_greedy_learner_finds_perfect_play_and_hidden_it_does_not():
    hidden, seen = (take(learner_named("monte-carlo"), flat, 1, 10**5) for flat in (KUHN, face_up(KUHN)))
    assert seen.relative[-1] == 0
    assert hidden.relative[-1] > 0.3


class Unwatched:
    """A learner that knows no more than the rules, and plays at random."""

    games = 10

    def train(self, game, games, seed):
        return TabularPolicy({})


def test_a_learner_that_cannot_be_watched_is_given_every_game_that_a_course_takes(monkeypatch):
    monkeypatch.setattr(methods, "MOST", KUHN.num_nodes - 1)  # what the book's own learners take
    found = take(Unwatched(), KUHN, 1, 1000)
    assert (found.relative[-1], found.unanswered) == (1, 12)
    with pytest.raises(DoesNotFitError, match="cannot be given the game face up"):
        take(Unwatched(), face_up(KUHN), 1, 1000)


@pytest.mark.parametrize("name", ["monte-carlo", "cfr", "result-table"])
def test_marks_are_about_equal_steps_of_work(name):
    found = take(learner_named(name), KUHN, 1, 10**4, per_decade=1)
    assert len(found.games) == len(found.nodes) == len(found.distance) == 2
    assert found.nodes == pytest.approx([1000, 10_000], rel=0.3)
    assert found.uniform == pytest.approx(11 / 12)


def test_the_work_is_right_where_games_become_shorter():
    """The first games of Sarsa at three dice are several times as long as its later ones."""
    found = take(learner_named("sarsa"), DICE, 1, 10**5)
    assert found.nodes[-1] > 10**5 / 2


def test_a_learner_that_cannot_be_watched_learns_anew_for_each_mark():
    found = take(MonteCarlo(), KUHN, 3, 10**4, per_decade=1)
    policies = [MonteCarlo().train(KUHN.game, games, 3) for games in found.games.tolist()]
    assert found.distance == pytest.approx([float(judge(one, KUHN).distance) for one in policies])
    assert found.nodes == pytest.approx(found.games * visits(KUHN))


def test_a_learner_that_cannot_be_watched_is_not_given_other_rules():
    with pytest.raises(DoesNotFitError, match="face up"):
        take(MonteCarlo(), face_up(KUHN), 3, 10**4)


def test_a_planner_has_one_mark():
    found = take(learner_named("value-iteration"), DICE, 0)
    assert found.games.tolist() == [0]
    assert np.isnan(found.nodes).all()
    assert 0 < found.relative[0] < 0.1


def test_states_visited_by_random_play():
    # A deal of two cards; then both check (1/4), bet and answer (1/2), or check, bet and answer (1/4).
    assert visits(KUHN) == pytest.approx(1 + 2 + (2 + 2 + 2 + 3) / 4 - 1)


def test_marks():
    assert marks(4.0, 10**4, 1).tolist() == [250, 2500]
    assert marks(5000.0, 10**4, 2).tolist() == [1, 2]


def test_an_experiment_for_sweeps():
    found = course(CourseSettings("cfr", "kuhn-poker", nodes=1000), 1)
    assert (found["refused"], found["unanswered"]) == ("", 0)
    assert len(found["steps"]) == len(found["visited"]) == len(found["distance"]) == 1
    refused = course(CourseSettings("uct", "kuhn-poker", nodes=1000), 1)
    assert "hidden" in refused["refused"]
    assert not len(refused["distance"])
    seen = course(CourseSettings("uct", "kuhn-poker", face_up=True, nodes=1000), 1)
    assert len(seen["distance"])


def test_a_game_of_ones_own_is_named_by_its_module_and_class():
    own = CourseSettings("cfr", "support.games.cards.kuhn:Kuhn", nodes=1000)
    assert own.sizes == {}
    found, same = course(own, 1), course(CourseSettings("cfr", "kuhn-poker", nodes=1000), 1)
    np.testing.assert_array_equal(found["distance"], same["distance"])


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"game": "support.nowhere:Game"}, "there is no module 'support.nowhere'"),
        ({"game": "support/games/cards/kuhn.py:Kuhn"}, "without the ending of the file: support.games.cards.kuhn:Kuhn"),
        ({"game": "support.games.cards.kuhn:Kun"}, "no class 'Kun' in support.games.cards.kuhn; did you mean Kuhn"),
        ({"game": "support.core.interface:Game"}, "must be made without arguments, so .*: TypeError: .*abstract"),
        ({"game": "support.learners.tabular:Sarsa"}, "must make a game, not Sarsa"),
        ({"game": "kuhn"}, "did you mean kuhn-poker"),
        ({"learner": "crf"}, "did you mean cfr"),
        ({"game": "poker"}, "did you mean"),
        ({"small": 1}, "small must be from 0 to 0 for kuhn-poker, not 1"),
        ({"nodes": 10}, "nodes must be at least 1000, not 10"),
    ],
)
def test_wrong_settings_are_named(wrong, said):
    with pytest.raises(ValueError, match=said):
        CourseSettings(**wrong)


def test_every_general_learner_can_take_a_course():
    assert {name for name in LEARNERS if not name.startswith(tuple(GAMES))} >= {"cfr", "dqn", "ppo", "uct"}


@pytest.mark.parametrize(
    ("learner", "game", "small"), [("result-table", "biscuits", 0), ("external-sampling", "liars-dice", 2)]
)
def test_the_work_is_right_where_games_become_longer(learner, game, small):
    """At first a game of biscuits ends early by mistakes, and sampled CFR walks through a small part of the tree."""
    flat = unfolded(GAMES[game].rules(**GAMES[game].small[small].sizes))
    found = take(learner_named(learner), flat, 1, 10**5)
    assert 0.8 < found.nodes[-1] / 10**5 < 1.25


def test_a_distance_below_none_is_an_error(monkeypatch):
    monkeypatch.setattr("support.course.Scorer.nash_convs", lambda scorer, strategies: np.full(len(strategies), -0.5))
    with pytest.raises(ArithmeticError, match=r"came out as -0\.5"):
        distances(KUHN, np.ones((1, KUHN.slots[-1])))


OWN = """
from dataclasses import fields
from fractions import Fraction

from support.games.cards.kuhn import Kuhn


class Uneven(Kuhn):
    def initial_state(self):
        state = super().initial_state()
        return Deal(*[getattr(state, field.name) for field in fields(state)])


class Broken(Kuhn):
    def initial_state(self):
        raise KeyError("deck")


class Deal(type(Kuhn().initial_state())):
    def chance_outcomes(self):
        return tuple((outcome, chance + Fraction(1, 100)) for outcome, chance in super().chance_outcomes())
"""


def test_games_of_ones_own_are_tried_before_they_are_used(capsys, tmp_path, monkeypatch):
    (tmp_path / "own_games.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    asked = ["judge", "cfr", "--nodes", "2000", "--workers", "0", "--game"]
    assert main([*asked, "own_games:Uneven"]) == 1
    assert re.search(r"error: the game own_games:Uneven is not sound: .*probabilities", capsys.readouterr().err)
    assert main([*asked, "own_games:Broken"]) == 1
    said = capsys.readouterr().err
    assert "error: the game own_games:Broken failed: KeyError: 'deck' (own_games.py, line 16)" in said
    assert "Traceback" not in said
    assert main(["judge", "cfr", "--game", "own_games:Uneven"]) == 1
    assert "is your own, and for comparisons: add --nodes" in capsys.readouterr().err


def test_nothing_is_left_to_learn_where_random_play_is_perfect():
    flat = unfolded(GAMES["kuhn-poker"].rules())
    free = replace(flat, rewards=[tuple(0 for _ in row) for row in flat.rewards])
    with pytest.raises(DoesNotFitError, match="random moves are perfect play"):
        take(NeverAsked(), free, 0, 2000)


class NeverAsked:
    def train(self, game, games, seed):
        raise AssertionError


def test_what_cannot_be_judged_is_not_learned_first():
    with pytest.raises(DoesNotFitError, match="trap has no way to the end"):
        take(NeverAsked(), unfold(trap()), 0, 2000)
    flat = unfolded(GAMES["kuhn-poker"].rules())
    uneven = replace(flat, rewards=[(2 * first, second) for first, second in flat.rewards])
    with pytest.raises(DoesNotFitError, match="NashConv"):
        take(NeverAsked(), uneven, 0, 2000)


class Stepwise:
    """Its method ``learn`` is its own affair."""

    def train(self, game, games, seed):
        return {}

    def learn(self, seen, action, target):
        raise AssertionError


def test_a_learner_may_call_its_own_methods_what_it_likes():
    found = take(Stepwise(), KUHN, 0, 2000)
    assert found.distance[-1] == found.uniform


class Idle:
    """Says that it visits nothing."""

    def train(self, game, games, seed):
        return {}

    def curve(self, flat, marks, seed):
        return Curve(np.zeros(len(marks)), np.zeros((len(marks), flat.slots[-1])))


class Short(Idle):
    """Keeps one policy, however many are asked for."""

    def curve(self, flat, marks, seed):
        return Curve(np.full(1, 100.0 * marks[0]), np.zeros((1, flat.slots[-1])))


def test_a_learner_that_does_not_keep_a_policy_for_each_mark():
    with pytest.raises(LearnerError, match=r"shapes \(\(3,\), \(3, 24\)\) in kuhn-poker, not \(\(1,\), \(1, 24\)\)"):
        take(Short(), unfolded(GAMES["kuhn-poker"].rules()), 0, 10_000)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "in kuhn-poker: .*not iterable"),
        (([100.0],), "in kuhn-poker: .*missing 1 required positional argument: 'weights'"),
        (([float("nan")], np.zeros((1, 24))), "its nodes are not all finite"),
        ((["many"], np.zeros((1, 24))), "in kuhn-poker"),
    ],
)
def test_what_is_no_curve_is_refused(given, message, monkeypatch):
    monkeypatch.setattr(Idle, "curve", lambda self, flat, marks, seed: given)
    with pytest.raises(LearnerError, match=rf"Idle.curve must return nodes and weights of the shapes .*{message}"):
        take(Idle(), KUHN, 0, 10_000)


def test_a_learner_that_counts_less_than_a_state_in_a_game():
    with pytest.raises(LearnerError, match="counts 0 states visited a game, and each has at least 1"):
        take(Idle(), unfolded(GAMES["kuhn-poker"].rules()), 0, 2000)
