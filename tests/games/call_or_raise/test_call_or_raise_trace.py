"""The search for a game behind a table of transitions: what it finds, what it rejects, and that it misses nothing."""

import importlib
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest

from support.games.call_or_raise.experiments.published import altered, decoded, printed_rows
from support.games.call_or_raise.q_learning import QTableLearner
from support.games.call_or_raise.rules import CallOrRaise
from support.games.call_or_raise.settings import AS_RUN, CALL, Agent, QTableSettings
from support.games.call_or_raise.trace import changed_rows, explain, swapped_rows

oehm = importlib.import_module("oehm_reference")  # the R program, function by function

ROWS = printed_rows()


def rows_of(game, players, dice):
    """What the program, as it is printed, leaves behind when it plays these moves; and who wins."""
    script = oehm.Script(game.split(" > "))
    states = oehm.generate_game_states(players, dice)
    agents = [oehm.build_agent(True, "random", script, True) for _ in range(players)]
    q_mat = [[0.0, 0.0] for _ in states]
    table = players, dice, [None, *agents], q_mat, states, oehm.generate_reward_matrix(states)
    play, winner = oehm.play_liars_dice(*table, script, False)
    return list(zip(play["ctrl"], play["state"], play["action"], strict=True)), winner


def with_row(place, **changed):
    """The printed rows with some cells of one row, counted from 1, changed."""
    row = dict(zip(("mover", "state", "action"), ROWS[place - 1], strict=True)) | changed
    return [*ROWS[: place - 1], (row["mover"], row["state"], row["action"]), *ROWS[place:]]


def test_the_printed_rows_are_left_by_a_game_of_the_program():
    found = explain(ROWS)
    assert (found.rows, found.winners) == (len(ROWS), {1}) == (29, {1})
    assert CallOrRaise(4, 3).parse(found.game).is_terminal()
    assert rows_of(found.game, 4, 3) == (ROWS, 1)


@pytest.mark.no_cover
@pytest.mark.parametrize(("players", "dice", "games"), [(4, 3, 12), (3, 2, 25), (2, 3, 15), (2, 1, 20)])
def test_no_game_of_the_program_is_rejected(players, dice, games):
    agents = (Agent("q", Fraction(1, 2)), *[Agent()] * (players - 1))
    learner = QTableLearner(QTableSettings(players=agents, dice=dice, slips=AS_RUN, exploration=Fraction(3, 10)), 11)
    for _ in range(games):
        game = learner.play()
        rows = [(row.control, row.state, "call" if row.action == CALL else "raise") for row in game.rows]
        found = explain(rows, players, dice)
        assert found.rows == len(rows)
        assert game.winner in found.winners
        again, winner = rows_of(found.game, players, dice)
        assert (again, winner in found.winners) == (rows, True)


@pytest.mark.no_cover
@pytest.mark.parametrize("slip", ["stale", "tail", "early", "twice", "between"])
def test_games_of_another_program_are_rejected(slip):
    settings = QTableSettings(
        players=(Agent("q", Fraction(1, 2)), *[Agent()] * 3), dice=3, slips=replace(AS_RUN, **{slip: False})
    )
    learner, rejected = QTableLearner(settings, 4), 0
    for _ in range(12):
        rows = [(r.control, r.state, "call" if r.action == CALL else "raise") for r in learner.play().rows]
        rejected += not explain(rows).winners
    assert rejected >= 4


@pytest.mark.parametrize(
    ("rows", "explained"),
    [
        (with_row(1, mover=1), 1),  # the second row of a call is the caller's, too
        (with_row(3, mover=2), 2),  # 2 or 3 lost a die and opens: the next to move is 3 or 4
        (with_row(2, state=788), 1),  # a call leaves the bucket of the old bid
        (with_row(2, state=736), 1),  # and takes one die
        (with_row(7, action="raise"), 7),  # a raise of player 1, and then no call of 1
        (with_row(6, action="call"), 5),  # player 1 has not acted in the round
        (with_row(9, state=679), 8),  # a bucket that no bid has there
        (with_row(22, mover=4), 21),  # player 4 has no dice left
        (ROWS[:-1], 28),  # the game is not over
        ([*ROWS, ROWS[-1]], 29),  # it is
        ([], 0),
    ],
)
def test_altered_rows_are_rejected(rows, explained):
    found = explain(rows)
    assert not found.winners
    assert found.game == ""
    assert found.rows == explained


def test_swapped_rows_are_rejected():
    swapped = list(swapped_rows(ROWS))
    assert len(swapped) == sum(one != other for one, other in pairwise(ROWS))
    assert not any(explain(rows).winners for rows in swapped)


def test_what_still_passes_is_another_opening_bid():
    """Row 6 stands after an opening and a raise, both free: a few more buckets are possible there."""
    passing = [state for state in range(736, 757) if explain(with_row(6, state=state)).winners]
    assert passing == [736, 737, 742, 750]
    tried, passed, swaps = altered(500)
    assert tried == -(-len(list(changed_rows(ROWS))) // 500)
    assert passed <= 1
    assert swaps == 0


def test_the_table_is_transcribed_as_it_was_read():
    assert [(control, state, action) for control, state, *_, action in decoded()] == ROWS
