"""A learner on every registered game, in one table: sizes, seeds, refusals and the command line."""

import sys
from dataclasses import replace

import pytest

import support.__main__
import support.judge
from support.__main__ import main
from support.games import GAMES, Entry
from support.judge import judge
from support.learners import LEARNERS, LearnerError, learner_named
from support.learners.methods import Cfr
from support.sweep import spawn
from support.trials import WIDTH, Trial, legend, trials

OWN = '''from random import Random
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


class Shape(First):
    def train(self, game, games, seed):
        raise ValueError("not the shape")


class Cheats(First):
    def train(self, game, games, seed):
        game.initial_state().child("cheat")


class ForgetsChance(First):
    def train(self, game, games, seed):
        state = game.initial_state()
        while not state.is_terminal():
            state = state.child(Random(seed).choice(state.legal_actions()))


class Forgets(First):
    def train(self, game, games, seed):
        self.learned = {}


class Asks(First):
    def action_probabilities(self, state):
        return {state.legal_actions()[0]: 1 / 0}
'''
OTHERS = ["biscuits", "three-dice", "ace-king-queen", "kuhn-poker", "leduc-poker", "liars-dice", "call-or-raise"]


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
    sizes = {"liars-dice": "faces=3", "call-or-raise": "num_players=2, dice=1, bounded=True"}
    assert [(trial.game, trial.size) for trial in found] == [(name, sizes.get(name, "")) for name in OTHERS]
    assert [trial.game for trial in found if trial.settled] == ["call-or-raise"]
    assert all(len(trial.judgements) == 2 and trial.spread == 0 and not trial.unjudged for trial in found)
    assert {games for _, games, _ in learner.seen} == {10_000}
    assert [seed for _, _, seed in learner.seen] == spawn(3, 2).tolist() * len(OTHERS)
    kuhn = found[3]
    assert (kuhn.mean("distance"), kuhn.mean("best"), kuhn.mean("achieved")) == pytest.approx((11 / 12, 11 / 12, 0))


def test_all_games_by_default_and_a_reason_for_those_that_do_not_fit():
    found = list(trials(Cfr(), games=3))
    assert [trial.game for trial in found] == list(GAMES)
    learned = {trial.game for trial in found if not trial.unjudged}
    assert {trial.games for trial in found if trial.game in learned} == {3}
    assert learned & {*OTHERS, "wild-ones"} == {"ace-king-queen", "kuhn-poker", "leduc-poker", "liars-dice"}
    assert all(isinstance(trial, Trial) and bool(trial.judgements) != bool(trial.unjudged) for trial in found)


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
        ({"names": ["LiarsDice"]}, r"there is no game 'LiarsDice'; did you mean liars-dice\?"),
        ({"games": 0}, "games must be at least 1, not 0"),
        ({"seeds": 0}, "seeds must be at least 1, not 0"),
        ({"games": 10**15 + 1}, "games must be at most 1,000,000,000,000,000, not 1,000,000,000,000,001"),
        ({"seeds": 10**6 + 1}, "seeds must be at most 1,000,000, not 1,000,001"),
        ({"root": 2**128}, "root must be at most "),
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


def test_what_stands_below_a_line():
    """The size, unanswered information states and why a game does not fit, in lines that fit a page."""
    (kuhn,) = trials(Seeded(), ["kuhn-poker"], seeds=2)
    row, left = str(kuhn).splitlines()
    figures = [
        "10,000",
        "0.91667",
        "±",
        "0.00000",
        "0.91667",
        "0.91667",
        "0.00000",
        f"{kuhn.learning:.1f}",
        f"{kuhn.judging:.1f}",
    ]
    assert row.split() == ["kuhn-poker", *figures, "NashConv"]
    assert left.strip() == "not a single answer: 12 of 12 information states unanswered; uniform play counted there"
    (dice,) = trials(Seeded(), ["call-or-raise"])
    notes = [line.strip() for line in str(dice).splitlines()[1:3]]
    assert notes == [
        "played with num_players=2, dice=1, bounded=True",
        "nobody ever has a choice at this size: every policy is perfect",
    ]
    (refused,) = trials(Cfr(), ["biscuits"])
    assert str(refused).split()[:5] == ["biscuits", "does", "not", "fit:", "no"]
    assert legend([refused]) == ""
    told = legend([kuhn, dice, Trial("x", judgements=(replace(kuhn.judgements[0], unit="wins"),))])
    assert [line.partition(":")[0] for line in told.splitlines() if line[0] != " "] == [
        "distance",
        "NashConv, in units of the returns",
        "wins",
    ]
    assert all(len(line) <= WIDTH for line in f"{kuhn}\n{dice}\n{refused}\n{told}".splitlines())


def test_some_answers_are_missing():
    class Half:
        def train(self, game, games, seed):
            return lambda where: {"c": 1} if where[0] == 0 else None

    (kuhn,) = trials(Half(), ["kuhn-poker"])
    assert str(kuhn).endswith("    6 of 12 information states unanswered; uniform play counted there")


def test_it_is_told_what_is_being_done():
    said = []
    list(trials(Seeded(), ["kuhn-poker"], seeds=2, progress=said.append))
    parts = ("learning, seed 1", "judging, seed 1", "learning, seed 2", "judging, seed 2")
    assert said == [*(f"kuhn-poker: {part} of 2" for part in parts), ""]


def test_a_scorer_of_its_own_is_asked_at_the_usual_size(monkeypatch):
    """A table and a function go there as policies, and it is counted where they said nothing."""
    asked, said = [], []

    def scorer(policy, game):
        state = first_decision(game)
        asked.append(dict(policy.action_probabilities(state)))
        assert policy.action_probabilities(state) is policy.action_probabilities(state)
        return judge({}, GAMES["kuhn-poker"].rules())

    monkeypatch.setattr(Entry, "scorer", lambda entry: scorer)
    (found,) = trials(Seeded(), ["wild-ones"], progress=said.append)
    assert (found.size, found.settled) == ("", False)
    assert said == ["wild-ones: learning", "wild-ones: judging, which may take half a minute to two minutes", ""]
    assert sum(asked[0].values()) == 1
    assert (found.judgements[0].unanswered, found.judgements[0].information_states) == (1, 1)
    game = GAMES["wild-ones"].rules()
    legal = first_decision(game).legal_actions()
    found = judge(lambda where: {legal[-1]: 1.0}, game)
    assert asked[1] == {legal[-1]: 1}
    assert (found.unanswered, found.information_states) == (0, 1)
    judge(Always(legal[0]), game)
    assert asked[2] == {legal[0]: 1}


class Always:
    def __init__(self, action):
        self.row = {action: 1}

    def action_probabilities(self, state):
        return self.row


def first_decision(game):
    state = game.initial_state()
    while state.current_player < 0:
        state = state.child(state.possible()[0])
    return state


class RollsForEver:
    """Plays at random with the first seed, and never sticks with any other."""

    def __init__(self):
        self.seeds = []

    def train(self, game, games, seed):
        self.seeds.append(seed)
        return lambda where: {(): 1} if len(self.seeds) > 1 else None


def test_a_policy_that_plays_on_for_ever_costs_its_own_seed_alone():
    (found,) = trials(RollsForEver(), ["three-dice"], seeds=3)
    (reason, _), (judged,) = found.endless, found.judgements
    assert reason.startswith("under this policy the game never ends once it is at")
    assert (found.unjudged, found.mean("distance")) == ("", float(judged.distance))
    assert "    without 2 of 3 seeds: under this policy the game never ends" in str(found)
    learner = RollsForEver()
    learner.seeds.append(0)
    (found,) = trials(learner, ["three-dice"])
    assert found.unjudged == f"cannot be judged: {found.endless[0]}"


@pytest.mark.usefixtures("own")
def test_the_command_prints_a_table_for_a_learner_of_ones_own(capsys):
    arguments = ["judge", "mine:First", "--game", "kuhn-poker", "--game", "three-dice", "--seeds", "2"]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    head, kuhn, dice, *below = out.splitlines()
    assert head.split() == ["game", "games", "distance", "uniform", "best", "achieved", "learning", "judging", "unit"]
    assert kuhn.split()[:6] == ["kuhn-poker", "5", "2.00000", "±", "0.00000", "0.91667"]
    assert kuhn.endswith("  NashConv")
    assert dice.startswith("three-dice      cannot be judged: under this policy the game never ends")
    assert below[1].startswith("distance: best less achieved, exact; 0 is perfect play")
    assert err.splitlines()[:2] == ["kuhn-poker: learning, seed 1 of 2", "kuhn-poker: judging, seed 1 of 2"]


@pytest.mark.usefixtures("own")
def test_in_a_terminal_one_line_says_what_is_going_on(capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["judge", "mine:First", "--game", "kuhn-poker"]) == 0
    told = capsys.readouterr().err.split("\r")
    assert [line.strip() for line in told] == ["kuhn-poker: learning", "kuhn-poker: judging", "", ""]
    assert {len(line) for line in told[:-1]} == {79}


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "error: there is no learner 'nobody'; there are result-table"),
        (["cfr", "--game", "chess"], "error: there is no game 'chess'; there are biscuits"),
        (["cfr", "--games", "0"], "error: games must be at least 1, not 0"),
        (["cfr", "--root", "-1"], "error: root must be at least 0, not -1"),
        (["cfr", "--game", "biscuits"], "error: cfr, biscuits: does not fit: no perfect recall in biscuits"),
        (["cfr", *["--game", "biscuits"] * 2], "error: cfr, biscuits: does not fit"),
        (["mine:Broken", "--game", "kuhn-poker"], "failed at kuhn-poker: KeyError: 'gone' (mine.py, line 16)"),
        (["mine:Shape", "--game", "kuhn-poker"], "failed at kuhn-poker: ValueError: not the shape (mine.py, line 31)"),
        (["mine:Cheats", "--game", "kuhn-poker"], "IllegalActionError: 'cheat' is not possible"),
        (["mine:Cheats", "--game", "kuhn-poker"], "(mine.py, line 36)"),
        (
            ["mine:ForgetsChance", "--game", "kuhn-poker"],
            "IndexError: Cannot choose from an empty sequence (mine.py, line 43)",
        ),
        (["mine:Forgets", "--game", "kuhn-poker"], "train returned None at kuhn-poker"),
        (
            ["mine:Asks", "--game", "kuhn-poker"],
            "at kuhn-poker cannot be judged: ZeroDivisionError: division by zero (mine",
        ),
        (["mine:Half", "--game", "kuhn-poker"], "returned at kuhn-poker cannot be judged: the probabilities"),
        (["mine:Jumps", "--game", "kuhn-poker"], "cannot be judged: the policy plays 'jump'"),
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
    err = capsys.readouterr().err
    assert err == "kuhn-poker: learning\n\ninterrupted: the rows above are complete, and nothing else is kept\n"


def test_what_an_interruption_says_is_printable(capsys, monkeypatch):
    def stop(options):
        raise KeyboardInterrupt("records in \x1b[31m/red")

    monkeypatch.setitem(support.__main__.COMMANDS, "judge", stop)
    assert main(["judge"]) == 130
    assert capsys.readouterr().err == "\ninterrupted: records in \\u001b[31m/red\n"
