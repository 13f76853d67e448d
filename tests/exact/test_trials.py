"""A learner on every registered game, in one table: sizes, seeds, refusals and the command line."""

import sys

import pytest

import support.judge
from support.__main__ import main
from support.games import GAMES
from support.judge import Trial, judge, trials
from support.learners import LEARNERS, LearnerError, learner_named
from support.learners.methods import Cfr
from support.sweep import spawn

OWN = '''
class First:
    """Always the first action."""

    games = 5

    def train(self, game, games, seed):
        return self

    def action_probabilities(self, state):
        return {state.legal_actions()[0]: 1}


class Broken:
    def train(self, game, games, seed):
        return {}["gone"]


class Half(First):
    def action_probabilities(self, state):
        return {state.legal_actions()[0]: 0.5}


class Jumps(First):
    def action_probabilities(self, state):
        return {"jump": 1}
'''
OTHERS = ["biscuits", "three-dice", "ace-king-queen", "kuhn-poker", "liars-dice", "call-or-raise"]


class Seeded:
    """Remembers its seeds; plays the first action."""

    def __init__(self):
        self.seen = []

    def train(self, game, games, seed):
        self.seen.append((str(game), games, seed))
        return {}


def test_each_game_at_a_size_that_unfolds():
    learner = Seeded()
    found = list(trials(learner, OTHERS, seeds=2, root=3))
    assert [trial.game for trial in found] == [
        "biscuits",
        "three-dice",
        "ace-king-queen",
        "kuhn-poker",
        "LiarsDice(faces=3)",
        "CallOrRaise(num_players=2, dice=1, bounded=True)",
    ]
    assert all(len(trial.judgements) == 2 and trial.spread == 0 and not trial.refused for trial in found)
    assert {games for _, games, _ in learner.seen} == {10_000}
    assert [seed for _, _, seed in learner.seen] == spawn(3, 2).tolist() * len(OTHERS)
    kuhn = found[3]
    assert (kuhn.mean("distance"), kuhn.mean("best"), kuhn.mean("achieved")) == pytest.approx((11 / 12, 11 / 12, 0))


def test_all_games_by_default_and_a_reason_for_those_that_do_not_fit():
    found = list(trials(Cfr(), games=3))
    assert [trial.game.split("(")[0] for trial in found[:4]] == [
        "biscuits",
        "three-dice",
        "ace-king-queen",
        "kuhn-poker",
    ]
    assert len(found) == len(GAMES)
    assert [bool(trial.refused) for trial in found] == [True, True, False, False, False, True, True]
    assert [trial.games for trial in found] == [3] * len(GAMES)
    assert all(isinstance(trial, Trial) and bool(trial.judgements) != bool(trial.refused) for trial in found)


def test_a_learner_that_counts_no_games():
    (found,) = trials(learner_named("value-iteration"), ["three-dice"], games=5)
    assert (found.games, len(found.judgements)) == (0, 1)


def test_more_information_states_are_judged_in_floats(monkeypatch):
    game = GAMES["kuhn-poker"].rules()
    exact = judge({}, game)
    monkeypatch.setattr(support.judge, "IN_FRACTIONS", 10)
    found = judge({}, game)
    assert found.method == "support.exact.nash_conv_fast.Scorer"
    assert (found.distance, found.best, found.achieved) == pytest.approx(tuple(map(float, (11 / 12, 11 / 12, 0))))
    assert (found.unit, found.unanswered, found.information_states) == (exact.unit, 12, 12)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"names": ["chess"]}, "there is no game 'chess'; there are biscuits, "),
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"seeds": 0}, "seeds must be at least 1, not 0"),
    ],
)
def test_what_cannot_be_tried(wrong, message):
    with pytest.raises(LearnerError, match=message):
        list(trials(Seeded(), **wrong))


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    yield
    sys.modules.pop("mine", None)


def test_the_command_lists_all_learners(capsys):
    assert main(["judge"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in out] == list(LEARNERS)


@pytest.mark.usefixtures("own")
def test_the_command_prints_a_table_for_a_learner_of_ones_own(capsys):
    arguments = ["judge", "mine:First", "--game", "kuhn-poker", "--game", "three-dice", "--seeds", "2"]
    assert main(arguments) == 0
    head, kuhn, dice = capsys.readouterr().out.splitlines()
    assert head.split() == ["game", "games", "seeds", "distance", "best", "achieved", "seconds", "unit,", "method"]
    assert kuhn.split()[:8] == ["kuhn-poker", "5", "2", "2.00000", "±", "0.00000", "2.00000", "0.00000"]
    assert kuhn.endswith("NashConv, in units of the returns, support.exact.best_response.best_response")
    assert "three-dice" in dice
    assert "does not fit: under this policy the game never ends" in dice


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "error: there is no learner 'nobody'; there are result-table"),
        (["cfr", "--game", "chess"], "error: there is no game 'chess'; there are biscuits"),
        (["cfr", "--games", "0"], "error: games must be at least 1, not 0"),
        (["cfr", "--root", "-1"], "error: root must be at least 0, not -1"),
        (["mine:Broken", "--game", "kuhn-poker"], "failed at kuhn-poker: KeyError: 'gone' (mine.py, line 16)"),
        (
            ["mine:Half", "--game", "kuhn-poker"],
            "learned at kuhn-poker is no policy: the probabilities",
        ),
        (["mine:Jumps", "--game", "kuhn-poker"], "is no policy: the policy plays 'jump'"),
    ],
)
def test_the_command_says_what_is_wrong(arguments, message, capsys):
    assert main(["judge", *arguments]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert "Traceback" not in error


def test_the_command_is_interrupted_with_one_sentence(capsys, monkeypatch):
    def stop(self, game, games, seed):
        raise KeyboardInterrupt

    monkeypatch.setattr(Cfr, "train", stop)
    assert main(["judge", "cfr", "--game", "kuhn-poker"]) == 130
    assert capsys.readouterr().err == "\ninterrupted: the rows above are complete, and nothing else is kept\n"
