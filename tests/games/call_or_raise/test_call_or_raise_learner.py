"""The learner of call-or-raise: the R program's rows and table, every slip by hand, and what the text says instead."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

import numpy as np
import oehm_reference as oehm
import pytest

from support.core.play import Stream
from support.games.call_or_raise.q_learning import QTableLearner
from support.games.call_or_raise.rules import CallOrRaise, tail
from support.games.call_or_raise.settings import (
    AS_MEANT,
    AS_READ,
    AS_RUN,
    CALL,
    RAISE,
    Agent,
    QTableSettings,
    Rewards,
    Slips,
    States,
)

ACTIONS = {0: "raise", 1: "call", -1: "none"}
AGENT = Agent("q")
COINS = (AGENT, Agent())
"""The agent, which always bluffs, against a coin that does so too."""
PRINTED_KINDS = {"q": "Q.decide", "random": "random", "probability": "true.prob"}
BEHAVIOURS = pytest.mark.parametrize("slips", [AS_RUN, AS_READ], ids=["as run", "as read"])


def mended(name, slips=AS_READ):
    """The program with one slip less."""
    return replace(slips, **{name: False})


# The R program


@cache
def prepared(players, dice):
    game_states = oehm.generate_game_states(players, dice)
    return game_states, oehm.generate_reward_matrix(game_states)


def replay(settings, games, seed, explores=True, factors=None):
    """Play, and let the transliterated program play the same games; returns how often what has happened."""
    players, factors = len(settings.players), settings.slips.columns if factors is None else factors
    game_states, reward = prepared(players, settings.dice)
    q_mat = [[0.0, 0.0] for _ in game_states]
    learner, happened = QTableLearner(settings, seed), {"swapped": 0, "outlived": 0, "by table": 0}
    for _ in range(games):
        game = learner.play()
        script = oehm.Script(game.moves)
        agents = [
            oehm.build_agent(agent.bluff > 0, PRINTED_KINDS[agent.kind], script, explores) for agent in settings.players
        ]
        table = players, settings.dice, [None, *agents], q_mat, game_states, reward
        play, winner = oehm.play_liars_dice(*table, script, factors)
        actions = play["action"].texts() if factors else play["action"]
        rows = list(zip(play["ctrl"], play["state"], actions, strict=True))
        assert [(row.control, row.state, ACTIONS[row.action]) for row in game.rows] == rows, game.moves
        assert game.winner == winner
        np.testing.assert_array_equal(learner.q, q_mat, err_msg=" > ".join(game.moves))
        happened["swapped"] += factors and play["action"].levels[0] == "call"
        happened["outlived"] += [game_states[state - 1][1] for state in play["state"]].count(0) > 1
        happened["by table"] += sum(move[0] in "cr" for move in game.moves) - script.coins
    assert learner.q.any()
    return happened


@BEHAVIOURS
@pytest.mark.parametrize(("players", "dice", "games"), [(4, 3, 200), (2, 4, 100), (3, 2, 100), (2, 1, 100), (4, 6, 10)])
def test_rows_and_table_are_the_programs(players, dice, games, slips):
    agents = (Agent("q", Fraction(1, 2)), *[Agent()] * (players - 1))
    settings = QTableSettings(players=agents, dice=dice, slips=slips, exploration=Fraction(3, 10))
    happened = replay(settings, games, players * dice)
    assert bool(happened["swapped"]) == slips.columns
    assert bool(happened["outlived"]) == (players > 2)


@BEHAVIOURS
@pytest.mark.parametrize("bluffs", [(0, 1, 1), (1, 0, 0), (0, 0, 1)], ids=str)
def test_the_program_decides_the_same_from_the_same_table(bluffs, slips):
    """Nothing is explored: Q decides. Who never bluffs raises to a face that its own dice decide."""
    agents = tuple(Agent(kind, Fraction(bluff)) for kind, bluff in zip(PRINTED_KINDS, bluffs, strict=True))
    happened = replay(
        QTableSettings(players=agents, dice=3, slips=slips, exploration=Fraction(0)), 200, 5, explores=False
    )
    assert happened["by table"] >= 200


def test_the_program_tells_every_slip():
    agents = (AGENT, Agent(), Agent())
    for name in Slips.__dataclass_fields__:
        with pytest.raises(AssertionError):
            replay(QTableSettings(players=agents, dice=2, slips=mended(name, AS_RUN)), 200, 1, factors=True)
    replay(QTableSettings(players=agents, dice=2, slips=AS_RUN), 200, 1, factors=True)


def test_games_are_games_of_the_rules():
    for agents in ((AGENT, Agent()), (Agent("q", Fraction(1, 2)), Agent("probability", Fraction(0)), Agent())):
        rules, learner = CallOrRaise(len(agents), 3), QTableLearner(QTableSettings(players=agents, dice=3), 8)
        for _ in range(100):
            game = learner.play()
            state = rules.parse(" > ".join(game.moves))
            assert state.is_terminal()
            assert state.returns().index(1) == game.winner - 1


# The printed table of transitions: 4 players with 3 dice each

PRINTED = """
3 808 raise, 3 787 raise, 3 778 raise, 4 778 raise, 4 736 raise, 4 736 raise, 1 736 call, 1 673 call, 1 678 raise,
2 674 raise, 3 673 raise, 4 673 raise, 4 589 raise, 4 592 raise, 1 589 call, 1 505 call, 1 507 call, 1 423 call,
2 422 raise, 3 421 raise, 1 421 raise, 2 421 raise, 2 316 raise, 2 324 raise, 2 240 raise, 3 232 raise, 3 148 raise,
2 151 raise, 2 88 raise
"""


def printed():
    """Who moved, dice in play, own dice, bucket and action of every row."""
    rows = [row.split() for row in PRINTED.replace("\n", " ").split(",")]
    return [(int(control), *States(4, 3).read(int(state)), action) for control, state, action in rows]


def printed_rounds():
    """The rows of the printed table, round by round; each ends with the two of its call."""
    rounds, rows = [[]], printed()
    for row, following in zip(rows, [*rows[1:], None], strict=True):
        rounds[-1].append(row)
        if len(rounds[-1]) > 1 and rounds[-1][-2][1] == row[1] + 1 and following:
            rounds.append([])
    return rounds


def test_printed_rows_are_rounds_of_two_rows_a_call():
    rows, rounds = printed(), printed_rounds()
    assert len(rows) == 29
    assert [len(round_) for round_ in rounds] == [2, 3, 3, 5, 3, 2, 5, 2, 2, 2]
    for number, round_ in enumerate(rounds):
        assert [total for _, total, *_ in round_] == [12 - number] * (len(round_) - 1) + [11 - number]
        (control, _, own, bucket, action), after = round_[-2:]
        assert (control, action) == (after[0], after[4])
        assert after[2] in (own, own - 1)
        assert after[3] == bucket  # the slip "between"
    assert [own for _, _, own, *_ in rows] == [3] * 22 + [2] * 7
    assert rows[-1][1:3] == (2, 2)  # the agent has won


def test_printed_rows_tell_how_the_game_went():
    """Turns and losers fit in one way only: 2, 3, 4, 3, 4, 4, 1, 2, 3 and 2 lose their dice."""

    def stories(counts, opener, rounds):
        if not rounds:
            return [[]] if [player for player in counts if counts[player]] == [1] else []
        after, told = rounds[0][-1], []
        alive = [player for player in counts if counts[player]]
        turns = [alive[(alive.index(opener) + turn) % len(alive)] for turn in range(len(rounds[0]))]
        if turns[1:] != [control for control, *_ in rounds[0][:-1]]:
            return []
        for loser in turns[-2:]:
            left = counts | {loser: counts[loser] - 1}
            if (sum(left.values()), left[1]) == after[1:3]:
                following = [player % 4 + 1 for player in range(loser - 1, loser + 3) if left[player % 4 + 1]]
                told += [[loser, *story] for story in stories(left, following[0], rounds[1:])]
        return told

    found = [
        story for opener in range(1, 5) for story in stories(dict.fromkeys(range(1, 5), 3), opener, printed_rounds())
    ]
    assert found == [[2, 3, 4, 3, 4, 4, 1, 2, 3, 2]]


def test_printed_rows_show_the_slips():
    rounds = printed_rounds()
    assert rounds[0] == [(3, 12, 3, 9, "raise"), (3, 11, 3, 9, "raise")]  # before the agent has acted: early, twice
    assert rounds[4][:2] == [(4, 8, 3, 3, "raise"), (1, 8, 3, 0, "call")]  # the same bid, looked at anew: stale


# States, buckets, rewards


def listed(*size):
    """The program's table of states."""
    return list(map(tuple, oehm.generate_game_states(*size).tolist()))


def test_states_are_numbered_as_the_documents():
    states = States()
    assert len(states) == 2772
    assert [states.read(number + 1) for number in range(2772)] == listed(4, 6)
    assert (states.number(1, 0, 0), states.number(1, 0, 20), states.number(1, 1, 0)) == (1, 21, 22)
    assert (states.number(24, 6, 0), states.number(24, 6, 20)) == (2752, 2772)
    assert States(4, 3).number(12, 3, 9) == 808  # the first of the printed rows


@pytest.mark.parametrize(("players", "dice", "bins"), [(2, 1, 20), (2, 6, 3), (3, 2, 1), (4, 3, 20), (5, 2, 7)])
def test_numbers_and_states_are_one_to_one(players, dice, bins):
    states = States(players, dice, bins)
    assert len(states) == len(listed(players, dice, bins))
    for number, state in enumerate(listed(players, dice, bins), 1):
        assert states.read(number) == state
        assert states.number(*state) == number


@pytest.mark.parametrize("state", [(0, 0, 0), (25, 6, 0), (24, 5, 0), (3, 4, 0), (8, 7, 0), (8, 2, 21), (8, 2, -1)])
def test_what_is_no_state(state):
    total, own, bucket = state
    with pytest.raises(ValueError, match=f"no state has {total} dice in play, {own} own and bucket {bucket}"):
        States().number(*state)


@pytest.mark.parametrize("number", [0, -1, 2773])
def test_what_is_no_number_of_a_state(number):
    with pytest.raises(ValueError, match=f"states are numbered from 1 to 2772, not {number}"):
        States().read(number)


@pytest.mark.parametrize(
    ("total", "own", "quantity", "held", "bucket"),
    [
        (24, 6, 2, 2, 20),  # the agent holds them itself
        (24, 6, 1, 4, 20),
        (24, 6, 3, 2, 19),  # 1 of 18: 1 - (5/6)^18 = 0.962
        (4, 2, 1, 0, 6),  # 1 of 2: 11/36
        (4, 2, 2, 0, 0),  # 2 of 2: 1/36
        (2, 1, 2, 1, 3),  # 1 of 1: 1/6
        (12, 3, 3, 0, 3),  # 3 of 9: 0.178
        (11, 3, 4, 1, 2),  # 3 of 8: 0.135
        (7, 0, 3, 0, 1),  # 3 of 7: 0.096
    ],
)
def test_buckets_by_hand(total, own, quantity, held, bucket):
    assert States().bucket(total, own, quantity, held) == bucket
    assert States().bucket(total, own, quantity, held, slip=True) == bucket


def test_more_dice_than_there_are():
    """All of them showing the face, by the slip; that is more than nothing only where a single one is unseen."""
    for total, own in States().pairs:
        for more in range(1, 4) if total > own else ():
            quantity = total - own + more
            assert States().bucket(total, own, quantity, 0) == 0
            assert States().bucket(total, own, quantity, 0, slip=True) == (3 if total - own == 1 else 0)
    assert States(bins=36).bucket(4, 2, 5, 0, slip=True) == 1
    assert States(bins=36).bucket(4, 2, 5, 0) == 0


def test_buckets_are_the_programs():
    """In floating point as in fractions: no bucket begins where a probability lies."""
    states = States()
    for total, own in states.pairs:
        for quantity, held in product(range(1, 30), range(own + 1)):
            if total > own or quantity <= held:
                bucket = oehm.calc_prob(total, own, quantity, held)
                assert states.bucket(total, own, quantity, held, slip=True) == bucket


def test_tail_is_binomial():
    for dice in range(8):
        exactly = [Fraction(comb(dice, k) * 5 ** (dice - k), 6**dice) for k in range(dice + 1)]
        assert [tail(dice, need) for need in range(dice + 1)] == [sum(exactly[need:]) for need in range(dice + 1)]
        assert (tail(dice, -1), tail(dice, dice + 1)) == (1, 0)
    assert (tail(2, 1), tail(3, 2)) == (Fraction(11, 36), Fraction(2, 27))


@pytest.mark.parametrize(("players", "dice"), [(4, 6), (2, 2), (3, 1)])
def test_rewards_are_the_documents_for_all_pairs(players, dice):
    matrix = oehm.generate_reward_matrix(oehm.generate_game_states(players, dice, 0))
    states = States(players, dice)
    assert [[Rewards().between(a, b) for b in states.pairs] for a in states.pairs] == matrix.tolist()


@pytest.mark.parametrize(
    ("before", "after", "reward"),
    [
        ((7, 6), (6, 6), 10),
        ((2, 1), (1, 1), 10),
        ((2, 1), (1, 0), -10),
        ((9, 1), (8, 0), -10),
        ((9, 2), (8, 1), -1),
        ((9, 2), (8, 2), 1),
        ((9, 0), (8, 0), 0),  # the agent is out
        ((9, 2), (9, 2), 0),
        ((9, 2), (7, 2), 0),
        ((9, 2), (8, 3), 0),
        ((3, 3), (2, 2), 0),
    ],
)
def test_rewards_by_hand(before, after, reward):
    assert Rewards().between(before, after) == reward
    named = {10: "win", -10: "lose", 1: "take", -1: "give", 0: None}[reward]
    doubled = Rewards(20, -20, 2, -2)
    assert doubled.between(before, after) == 2 * reward == (getattr(doubled, named) if named else 0)


# Games by hand. With 36 buckets two unseen dice make 11 (one is needed), 1 (both) and 36; a single one 6.


class Numbers:
    """A stream of the numbers that make a game."""

    def __init__(self, numbers):
        self.numbers = list(numbers)

    def next(self):
        return int(self.numbers.pop(0) * 2**64)


def numbers(text, players, dice, drawn):
    """The fractions from which a game is drawn in which all bluff; ``drawn`` says whether the agent tosses a coin."""
    rules = CallOrRaise(players, dice)
    for state, move in zip(rules.states(text), rules.split(text), strict=False):
        if move.endswith("opens"):
            yield Fraction(2 * int(move[0]) - 1, 2 * players)
        elif move.isdigit():
            yield sum(Fraction(int(digit) - 1, 6**place) for place, digit in enumerate(move, 1)) + Fraction(1, 10**6)
        else:
            if state.current_player or drawn:
                yield Fraction(3 if move == "call" else 1, 4)
            if move != "call":
                yield Fraction(2 * int(move[-1]) - 1, 12)


def by_hand(learner, text, drawn=True, **options):
    """The rows of the given game, which the learner plays: who moved, dice / own dice / bucket, the agent's action."""
    stream = Numbers(numbers(text, len(learner.settings.players), learner.settings.dice, drawn))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("support.games.call_or_raise.q_learning.Stream", lambda *_: stream)
        game = learner.play(**options)
    assert " > ".join(game.moves) == text
    assert not stream.numbers
    return [
        f"{row.control} {'/'.join(map(str, learner.states.read(row.state)))} {ACTIONS[row.action]}" for row in game.rows
    ]


def lines(text):
    """Rows, as they are written below."""
    return " ".join(text.split()).split(", ")


def new_learner(slips, players=COINS, dice=1, bins=36, exploration=Fraction(1), **options):
    return QTableLearner(
        QTableSettings(players=players, dice=dice, bins=bins, slips=slips, exploration=exploration, **options), 0
    )


def table(learner):
    """What the table holds that is not 0."""
    return {
        f"{'/'.join(map(str, learner.states.read(row + 1)))} {ACTIONS[column]}": round(learner.q[row, column], 12)
        for row, column in np.argwhere(learner.q)
    }


LONG = "2 opens > 33 > 15 > raise 3 > call > 5 > 25 > raise 2 > call > 6 > 6 > raise 6 > call"
"""2x1 opens; 3x3 are not there, and the agent loses a die; 2x5, 3x2, which it calls; 2x6, 3x6: it loses its last."""
LONG_ROWS = lines("""
1 4/2/1 raise, 2 4/2/1 raise, 2 3/1/1 raise,
2 3/1/1 raise, 1 3/1/1 call, 1 2/1/1 call,
1 2/1/6 raise, 2 2/1/6 raise, 2 1/0/6 raise
""")
LONG_TABLE = {"4/2/1 raise": -0.1, "3/1/1 call": 0.1, "2/1/6 raise": -1.0}


@BEHAVIOURS
def test_a_game_of_the_program(slips):
    """The agent calls, but not in the first round: no columns are swapped."""
    learner = new_learner(slips, dice=2)
    assert by_hand(learner, LONG) == LONG_ROWS
    assert table(learner) == LONG_TABLE


def test_a_game_as_meant():
    learner = new_learner(AS_MEANT, dice=2)
    assert by_hand(learner, LONG) == lines("""
    2 4/2/1 none, 1 4/2/11 raise, 2 3/1/11 raise,
    2 3/1/0 none, 1 2/1/6 call,
    1 2/1/0 raise, 2 1/0/0 raise
    """)
    assert table(learner) == {"4/2/11 raise": -0.1, "3/1/0 call": 0.1, "2/1/0 raise": -1.0}


MENDED = {
    # 3x3 counts the two threes, 3x2 none.
    "stale": (
        ["1 4/2/11 raise", "2 4/2/11 raise", "2 3/1/11 raise", *LONG_ROWS[3:]],
        {"4/2/11 raise": -0.1, "3/1/1 call": 0.1, "2/1/6 raise": -1.0},
    ),
    # 3x3 needs three of two by the old count, and 3x2 does when it is called.
    "tail": (
        lines("""
        1 4/2/0 raise, 2 4/2/0 raise, 2 3/1/0 raise,
        2 3/1/1 raise, 1 3/1/0 call, 1 2/1/0 call,
        1 2/1/0 raise, 2 2/1/0 raise, 2 1/0/0 raise
        """),
        {"4/2/0 raise": -0.1, "3/1/0 call": 0.1, "2/1/0 raise": -1.0},
    ),
    "early": (
        lines("""
        2 4/2/1 none, 1 4/2/1 raise, 2 4/2/1 raise, 2 3/1/1 raise,
        1 3/1/11 none, 2 3/1/1 none, 1 3/1/1 call, 1 2/1/1 call,
        2 2/1/6 none, 1 2/1/6 raise, 2 2/1/6 raise, 2 1/0/6 raise
        """),
        LONG_TABLE,
    ),
    "twice": ([LONG_ROWS[place] for place in (0, 2, 3, 5, 6, 8)], LONG_TABLE),
    # What the agent sees after a call is the next opening: 2x5 with one five, 2x6 with one six.
    "between": (
        lines("""
        1 4/2/1 raise, 2 4/2/1 raise, 2 3/1/11 raise,
        2 3/1/1 raise, 1 3/1/1 call, 1 2/1/6 call,
        1 2/1/6 raise, 2 2/1/6 raise, 2 1/0/0 raise
        """),
        LONG_TABLE,
    ),
    "ghosts": (LONG_ROWS, LONG_TABLE),  # the game ends with the agent's last die
}


@pytest.mark.parametrize("name", MENDED)
def test_one_slip_mended(name):
    learner = new_learner(mended(name), dice=2)
    rows, values = MENDED[name]
    assert by_hand(learner, LONG) == rows
    assert table(learner) == values


def test_before_the_agent_has_acted():
    """The agent opens with 2x4, which are there, and is called: the program takes its win for that of a raise."""
    game = "1 opens > 4 > 4 > call"
    for slips in (AS_RUN, AS_READ):
        learner = new_learner(slips)
        assert by_hand(learner, game) == ["2 2/1/6 raise", "2 1/1/6 raise"]
        assert table(learner) == {"2/1/6 raise": 1.0}
    for slips, last in ((mended("early"), ["2 2/1/6 none", "2 1/1/6 none"]), (AS_MEANT, ["2 1/1/0 none"])):
        learner = new_learner(slips)
        assert by_hand(learner, game) == ["1 2/1/6 none", *last]
        assert table(learner) == {}


def test_the_end_of_a_round_leads_on_to_the_next():
    """By "early" and "between" together: a state that nobody ever decides in takes on the value of the next round's."""
    for slips, values in (
        (AS_READ, {"3/1/1 call": 0.1, "2/1/1 raise": 0.45, "2/1/6 raise": 0.9 * 0.45 - 1}),
        (mended("early"), {"3/1/1 call": 0.1, "2/1/6 raise": 0.9 * (0.9 * 0.45 + 0.45) - 1}),
        (mended("between"), {"3/1/1 call": 0.55, "2/1/6 raise": 0.9 * (0.9 * 0.45 + 0.45) - 1}),
    ):
        learner = new_learner(slips, dice=2)
        learner.q[learner.states.number(2, 1, 6) - 1] = 0, 5
        by_hand(learner, LONG)
        values = {state: round(value, 12) for state, value in values.items()}
        assert table(learner) == values | {"4/2/1 raise": -0.1, "2/1/6 call": 5.0}


def test_a_call_counts_twice():
    """Two games, both lost by a raise to 3x3: the row before the call lets the value decay once more."""
    game = "2 opens > 3 > 4 > raise 3 > call"
    learner = new_learner(AS_READ)
    assert by_hand(learner, game) == ["1 2/1/6 raise", "2 2/1/6 raise", "2 1/0/6 raise"]
    by_hand(learner, game)
    assert table(learner) == {"2/1/6 raise": -1.81}
    learner = new_learner(mended("twice"))
    assert by_hand(learner, game) == ["1 2/1/6 raise", "2 1/0/6 raise"]
    by_hand(learner, game)
    assert table(learner) == {"2/1/6 raise": -1.9}


@pytest.mark.parametrize(
    ("game", "rows"),
    [
        ("2 opens > 3 > 4 > call", ["1 2/1/6 call", "1 1/1/6 call"]),
        (
            "2 opens > 3 > 4 > raise 1 > raise 2 > call",
            ["1 2/1/6 raise", "2 2/1/6 raise", "1 2/1/6 call", "1 1/1/6 call"],
        ),
    ],
    ids=["only a call", "a raise and a call"],
)
def test_columns_are_swapped_if_the_agent_calls_in_the_first_round(game, rows):
    for slips, column in ((AS_RUN, "raise"), (AS_READ, "call")):
        learner = new_learner(slips)
        assert by_hand(learner, game) == rows
        assert table(learner) == {f"2/1/6 {column}": 1.0}


@pytest.mark.parametrize(
    "game",
    [
        "1 opens > 4 > 4 > call",
        "2 opens > 3 > 4 > raise 3 > call",
        "2 opens > 3 > 4 > raise 3 > raise 4 > raise 5 > call",
    ],
)
def test_columns_are_not_swapped_if_somebody_else_calls_in_the_first_round(game):
    learners = [new_learner(slips) for slips in (AS_RUN, AS_READ)]
    assert by_hand(learners[0], game) == by_hand(learners[1], game)
    assert table(learners[0]) == table(learners[1]) != {}


def test_the_swap_is_of_the_whole_game():
    """The agent calls 2x1, which are not there, loses a die with 3x6 in the second round and its last one with 2x2."""
    game = "2 opens > 34 > 15 > call > 23 > 6 > raise 6 > call > 2 > 6 > call"
    for slips, call, raised in ((AS_RUN, "raise", "call"), (AS_READ, "call", "raise")):
        learner = new_learner(slips, dice=2)
        assert by_hand(learner, game) == lines("""
        1 4/2/1 call, 1 3/2/1 call,
        1 3/2/6 raise, 2 3/2/6 raise, 2 2/1/6 raise,
        2 2/1/6 raise, 2 1/0/6 raise
        """)
        assert table(learner) == {f"4/2/1 {call}": 0.1, f"3/2/6 {raised}": -0.1, f"2/1/6 {raised}": -1.0}


def test_the_agent_decides_on_an_old_face():
    """Player 2 opens with 2x1, player 3 raises to 3x3, and the agent has a three: two more are needed, not three."""
    once = "2 opens > 3 > 1 > 6 > raise 3"
    for slips, row, game in (
        (mended("tail"), "3 3/1/0 raise", f"{once} > call > 2 > 4 > call"),
        (mended("stale", mended("tail")), "3 3/1/1 raise", f"{once} > raise 5 > call > 4 > 4 > call"),
    ):
        learner = new_learner(slips, (AGENT, Agent(), Agent()), exploration=Fraction(0))
        learner.q[learner.states.number(3, 1, 0) - 1] = 0, 1
        learner.q[learner.states.number(3, 1, 1) - 1] = 1, 0
        rows = by_hand(learner, game, drawn=False)
        assert rows[0] == row
        assert rows[1] == ("1 3/1/1 call" if "call > 2" in game else "1 3/1/0 raise")


def test_rows_go_on_when_the_agent_is_out():
    """Three players with a die each: the agent's 2x2 are called, then player 2 opens with 2x5, which are there."""
    game, players = "1 opens > 2 > 3 > 4 > call > 5 > 5 > call", (AGENT, Agent(), Agent())
    learner = new_learner(AS_READ, players)
    assert by_hand(learner, game) == ["2 3/1/11 raise", "2 2/0/11 raise", "3 2/0/1 raise", "3 1/0/1 raise"]
    assert table(learner) == {"3/1/11 raise": -1.0}
    for slips, rows in (
        (mended("ghosts"), ["2 3/1/11 raise", "2 2/0/11 raise"]),
        (mended("between", mended("ghosts")), ["2 3/1/11 raise", "2 2/0/1 raise"]),
    ):
        learner = new_learner(slips, players)
        assert by_hand(learner, game) == rows
        assert table(learner) == {"3/1/11 raise": -1.0}
    rows = lines("1 3/1/11 none, 2 3/1/11 none, 2 2/0/11 none, 2 2/0/1 none, 3 2/0/1 none, 3 1/0/1 none")
    assert by_hand(new_learner(mended("early"), players), game) == rows
    assert by_hand(new_learner(mended("early", mended("ghosts")), players), game) == rows[:3]


def test_ghosts_leave_the_table_as_it_is():
    """Nothing is gained where the agent has no dice, so that all such states stay at 0."""
    agents = (AGENT, Agent(), Agent(), Agent())
    for slips in (AS_RUN, mended("between"), mended("early", mended("between"))):
        learners = [
            QTableLearner(QTableSettings(players=agents, dice=3, slips=s), 2) for s in (slips, mended("ghosts", slips))
        ]
        games = [[learner.play() for _ in range(200)] for learner in learners]
        assert sum(map(len, (game.rows for game in games[0]))) > sum(map(len, (game.rows for game in games[1])))
        np.testing.assert_array_equal(learners[0].q, learners[1].q)


# Decisions


def test_the_published_settings():
    settings = QTableSettings()
    assert settings == QTableSettings(
        players=(Agent("q", Fraction(1, 2)), *[Agent("random", Fraction(1))] * 3),
        dice=6,
        bins=20,
        alpha=0.1,
        discount=0.9,
        exploration=Fraction(1, 10),
        slips=AS_RUN,
    )
    assert settings.rewards == Rewards(10, -10, 1, -1)
    assert QTableLearner(settings, 1).q.shape == (2772, 2)
    assert not QTableLearner(settings, 1).q.any()


@pytest.mark.parametrize(
    ("values", "drawn", "actions"),
    [
        ((0, 0), True, ("call", "raise")),
        ((-3, -3 + 9e-7), True, ("call", "raise")),
        ((9e-7, 0), True, ("call", "raise")),
        ((0, 1.1e-6), False, ("call",)),
        ((1.1e-6, 0), False, ("raise",)),
        ((-2, -1), False, ("call",)),
        ((5, 4), False, ("raise",)),
    ],
)
def test_a_coin_decides_only_between_equal_values(values, drawn, actions):
    for action in actions:
        learner = new_learner(AS_READ, exploration=Fraction(0))
        learner.q[learner.states.number(2, 1, 6) - 1] = values
        rows = by_hand(learner, f"2 opens > 3 > 4 > {'call' if action == 'call' else 'raise 3 > call'}", drawn)
        assert rows[0] == f"1 2/1/6 {action}"


@pytest.mark.parametrize("exploration", [Fraction(0), Fraction(1, 10), Fraction(2, 3), Fraction(1)], ids=str)
def test_the_share_of_the_agents_decisions_that_a_coin_makes(exploration):
    """Raises are better everywhere, so that half of what is explored is calls."""
    learner = new_learner(AS_READ, exploration=exploration)
    learner.q[:, 0] = 1
    before, rules, decisions, calls = learner.q.copy(), CallOrRaise(2, 1), 0, 0
    for _ in range(700):
        game = learner.play(learn=False)
        for state, move in zip(rules.states(" > ".join(game.moves)), game.moves, strict=False):
            decisions += state.current_player == 0
            calls += state.current_player == 0 and move == "call"
    share = float(exploration) / 2
    assert decisions > 400
    assert abs(calls - decisions * share) <= 5 * (decisions * share * (1 - share)) ** 0.5
    np.testing.assert_array_equal(learner.q, before)


def test_who_goes_by_the_probability_asks_for_one_die_more():
    """The printed sum runs to the number that is needed, so that a raise has the probability of more than that."""
    learner, rules = (
        QTableLearner(QTableSettings(players=(Agent(), Agent("probability")), dice=3), 4),
        CallOrRaise(2, 3),
    )
    made = {need: [0, 0] for need in (0, 1, 2, 3, 4)}
    for _ in range(2000):
        text = " > ".join(learner.play(learn=False).moves[:4])
        state = rules.parse(text.rsplit(" > ", 1)[0])
        if state.current_player == 1:
            (quantity, face), held = state.bids[0], state.rolls[1]
            made[max(quantity - held.count(face), 0)]["raise" in text] += 1
    for need, (calls, raises) in made.items():
        share = [Fraction(91, 216), Fraction(16, 216), Fraction(1, 216), 0, 0][need]
        assert share == tail(3, need + 1)
        assert oehm.true_prob([1, 1, 1], 6, 2, need) == pytest.approx(float(share), abs=1e-12)
        assert abs(raises - (calls + raises) * share) <= 5 * float((calls + raises) * share * (1 - share)) ** 0.5
    assert min(sum(made[need]) for need in (0, 1, 2)) > 20


def test_a_fair_opener_and_fair_dice():
    learner = QTableLearner(QTableSettings(players=(AGENT, Agent(), Agent()), dice=2), 3)
    openers, rolls = np.zeros(3), dict.fromkeys(product(range(1, 7), repeat=2), 0)
    for _ in range(1000):
        moves = learner.play().moves
        openers[int(moves[0][0]) - 1] += 1
        for roll in (move for move in moves if move.isdigit() and len(move) == 2):
            rolls[tuple(map(int, roll))] += 1
    assert ((openers - openers.mean()) ** 2 / openers.mean()).sum() < 13.8  # 1 in 1,000
    total = sum(rolls.values())
    seen = [(number, total * (1 if a == b else 2) / 36) for (a, b), number in rolls.items() if a <= b]
    assert len(seen) == 21
    assert sum((number - mean) ** 2 / mean for number, mean in seen) < 45.3  # 1 in 1,000
    assert not any(number for (a, b), number in rolls.items() if a > b)  # rolls are sorted


def test_games_have_streams_of_their_own():
    """Game n is the same whatever was played before it."""
    settings = QTableSettings(players=COINS, dice=2, exploration=Fraction(1))
    first, second = QTableLearner(settings, 5), QTableLearner(settings, 5)
    games = [first.play().moves for _ in range(5)]
    second.played = 3
    assert [second.play().moves for _ in range(2)] == games[3:]
    assert QTableLearner(settings, 6).play().moves != games[0]


# What else an agent may see and do


def test_a_view_of_everything_is_the_documents_numbering():
    view = QTableSettings().view()
    counts = [counts for counts in product(range(7), repeat=4) if sum(counts)]
    assert all(view.row(c, 7) == States().number(sum(c), c[0], 7) - 1 for c in counts)
    assert len(view) == 2772


@pytest.mark.parametrize(("own", "pairs"), [("all", 132), ("some", 42), ("none", 24)])
@pytest.mark.parametrize("neighbours", [False, True])
def test_a_view_tells_apart_what_it_says(own, pairs, neighbours):
    """Up to 18 dice in play the agent may have none, from 19 on it has some."""
    view, known = QTableSettings(own=own, neighbours=neighbours).view(), {}
    assert len(view) == pairs * (49 if neighbours else 1) * 21
    for counts in product(range(7), repeat=4):
        if sum(counts):
            alive = [count for count in counts[1:] if count]
            sides = (alive[-1], alive[0]) if alive and counts[0] else (0, 0)
            seen = {"all": counts[0], "some": counts[0] > 0, "none": None}[own]
            for bucket in (0, 20):
                key = sum(counts), seen, sides if neighbours else None, bucket
                row = view.row(counts, bucket)
                assert known.setdefault(key, row) == row
                assert 0 <= row < len(view)
    assert len(set(known.values())) == len(known)


@pytest.mark.parametrize(
    ("counts", "before", "after"),
    [
        ((3, 1, 2, 5), 5, 1),
        ((3, 0, 2, 5), 5, 2),
        ((3, 1, 2, 0), 2, 1),
        ((3, 0, 4, 0), 4, 4),
        ((3, 0, 0, 0), 0, 0),
        ((0, 1, 2, 5), 0, 0),
    ],
)
def test_neighbours_are_the_next_who_have_dice(counts, before, after):
    assert QTableSettings(neighbours=True).view().side(counts) == 7 * before + after


@pytest.mark.parametrize(
    ("column", "move"),
    list(enumerate(["raise 3", "call", "raise 5", "raise 1", "raise 3 by 2", "raise 5 by 2", "raise 1 by 2"])),
)
def test_the_whole_menu(column, move):
    """Player 2 opens with 2x1; the agent holds 33 and has drawn a five, if it draws."""
    learner = new_learner(AS_MEANT, (Agent("q", Fraction(0)), Agent()), 2, exploration=Fraction(0), menu="whole")
    learner.q[:, column] = 1

    class Begun(Numbers):
        def next(self):
            return super().next() if self.numbers else after.next()

    after, dice = Stream(1), list(numbers("2 opens > 33 > 15", 2, 2, False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("support.games.call_or_raise.q_learning.Stream", lambda *_: Begun([*dice, Fraction(9, 12)]))
        game = learner.play(learn=False)
    assert game.moves[3] == move
    assert [row.action for row in game.rows[:2]] == [-1, column]


@pytest.mark.parametrize(("alpha", "values"), [(0.1, [1, 1 / 2, 2 / 3]), (0.5, [1, 1 / 2, 3 / 4])])
def test_averages_of_games_won(alpha, values):
    """The agent calls 2x4: they are not there, they are, they are not."""
    learner = new_learner(AS_READ, method="averages", alpha=alpha)
    for dice, value in zip("343", values, strict=True):
        by_hand(learner, f"2 opens > {dice} > 4 > call")
        assert table(learner) == {"2/1/6 call": round(value, 12)}
    by_hand(learner, "2 opens > 3 > 4 > raise 1 > raise 1 > call")
    raised = table(learner).pop("2/1/6 raise")
    assert raised == 1
    assert learner.visits[learner.states.number(2, 1, 6) - 1].tolist() == [1, 4]
    assert learner.visits.sum() == 5


def test_from_one_own_decision_to_the_next():
    """The agent raises 2x4 to 3x1, player 2 raises again, the agent calls and wins; nothing in between is updated."""
    learner = new_learner(AS_READ, method="decisions")
    by_hand(learner, "2 opens > 3 > 4 > raise 1 > raise 1 > call")
    assert table(learner) == {"2/1/6 call": 1.0}
    by_hand(learner, "2 opens > 3 > 4 > raise 1 > raise 1 > call")
    assert table(learner) == {"2/1/6 raise": 0.09, "2/1/6 call": 1.9}


def test_each_own_decision_earns_what_comes_before_the_next():
    """A die of its own, one of player 2's, and the game; the discount is 0."""
    learner = new_learner(AS_READ, dice=2, method="decisions", discount=0.0)
    by_hand(learner, LONG)
    assert sorted(table(learner).values()) == [-1.0, -0.1, 0.1]


def test_who_goes_by_what_holds_asks_for_what_is_needed():
    """One die each: a bid of two of a face, one of them its own, is raised with probability 1/6, any other called."""
    learner, rules = QTableLearner(QTableSettings(players=(Agent(), Agent("holds")), dice=1), 4), CallOrRaise(2, 1)
    made = {True: [0, 0], False: [0, 0]}
    for _ in range(3000):
        text = " > ".join(learner.play(learn=False).moves[:4])
        state = rules.parse(text.rsplit(" > ", 1)[0])
        if state.current_player == 1:
            made[state.bids[0][1] == state.rolls[1][0]]["raise" in text] += 1
    assert made[False][1] == 0  # it would need two of the one unseen die
    calls, raises = made[True]
    assert calls + raises > 150
    assert abs(raises - (calls + raises) / 6) < 5 * ((calls + raises) * 5 / 36) ** 0.5


def test_others_go_by_the_table_from_their_own_seats():
    """The second player calls what holds with less than 7/20, as far as its own dice tell, and so does nobody else."""
    agents = (Agent(), Agent("table"), Agent())
    learner, rules = (
        QTableLearner(QTableSettings(players=agents, dice=3, slips=AS_MEANT, exploration=Fraction(0)), 4),
        CallOrRaise(3, 3),
    )
    buckets = np.arange(len(learner.states)) % (learner.states.bins + 1)
    learner.q[buckets < 7, CALL] = learner.q[buckets >= 7, RAISE] = 1.0
    made = {True: set(), False: set()}
    for _ in range(200):
        game = learner.play(learn=False)
        for state, move in zip(rules.states(" > ".join(game.moves)), game.moves, strict=False):
            if state.current_player == 1:
                (quantity, face), own = state.bids[-1], state.rolls[1]
                chance = tail(sum(state.counts) - len(own), quantity - own.count(face))
                assert (move == "call") == (chance < Fraction(7, 20))
                made[move == "call"].add(chance)
    assert min(map(len, made.values())) > 4


# Errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": (AGENT,)}, "players must be at least 2 long"),
        ({"players": (AGENT, *[Agent()] * 6)}, "players must be at most 6 long"),
        ({"players": (Agent(), AGENT)}, "only the first player can go by Q"),
        ({"dice": 0}, "dice must be at least 1, not 0"),
        ({"dice": 7}, "dice must be at most 6, not 7"),
        ({"bins": 0}, "bins must be at least 1, not 0"),
        ({"bins": 1001}, "bins must be at most 1000, not 1001"),
        ({"alpha": 0.0}, "alpha must be above 0(.0)?, not 0.0"),
        ({"alpha": 1.1}, "alpha must be at most 1(.0)?, not 1.1"),
        ({"alpha": float("nan")}, "alpha must be a finite number, not nan"),
        ({"discount": -0.1}, "discount must be at least 0(.0)?, not -0.1"),
        ({"discount": 1.5}, "discount must be at most 1(.0)?, not 1.5"),
        ({"exploration": Fraction(-1, 10)}, r"exploration must be at least 0, not Fraction\(-1, 10\)"),
        ({"exploration": Fraction(11, 10)}, r"exploration must be at most 1, not Fraction\(11, 10\)"),
        ({"own": "few"}, "own must be one of 'all', 'some' or 'none', not 'few'"),
        ({"method": "guess"}, "method must be one of 'q', 'averages' or 'decisions', not 'guess'"),
        ({"menu": "lunch"}, "menu must be one of 'published' or 'whole', not 'lunch'"),
        ({"neighbours": True, "players": (AGENT, Agent("table"))}, "only a table of the published menu that sees no"),
        ({"menu": "whole"}, "columns can be swapped only where there are two: with the published menu"),
    ],
)
def test_wrong_settings_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        QTableSettings(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "clever"}, "kind must be one of 'q', 'random', .* or 'table', not 'clever'"),
        ({"bluff": Fraction(-1)}, r"bluff must be at least 0, not Fraction\(-1, 1\)"),
        ({"bluff": Fraction(3, 2)}, r"bluff must be at most 1, not Fraction\(3, 2\)"),
    ],
)
def test_wrong_agents_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        Agent(**options)
