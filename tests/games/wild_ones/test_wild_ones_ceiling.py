"""The best against fixed opponents at wild ones: by hand, by generic solvers on small tables, and by play."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm

import numpy as np
import pytest
from scipy.stats import chisquare

from support.core.flat import unfold
from support.core.interface import CHANCE, TERMINAL, Game, State
from support.core.policy import TabularPolicy
from support.exact.best_response import best_response
from support.exact.markov import evaluate
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.ceiling.ceiling_fast import simulate
from support.games.wild_ones.ceiling.chain import LOSES, WINS, Start, after, start_of
from support.games.wild_ones.ceiling.forgetful_fast import Tables
from support.games.wild_ones.ceiling.places import places
from support.games.wild_ones.ceiling.rounds import Round
from support.games.wild_ones.ceiling.rounds_fast import spread
from support.games.wild_ones.play_fast import play as play_compiled
from support.games.wild_ones.policies import (
    DRAWS,
    UNSEEN,
    Aggressive,
    Policy,
    Random,
    Survivalist,
    View,
    Views,
    Written,
    table,
)
from support.games.wild_ones.rules import WildOnes, WildOnesState

F = Fraction
SEED = 0x0123456789ABCDEF
SURVIVALIST, AGGRESSIVE, RANDOM = Survivalist(), Aggressive(), Random()
PUBLISHED = WildOnes()


@cache
def written(game, policy, neighbours=False):
    return table(Views(game, neighbours), policy)


@cache
def anything(game, seed, neighbours=False):
    """A policy that does something legal, the same whenever it sees the same."""
    views, numbers = Views(game, neighbours), np.random.default_rng(seed)
    entries = np.full(views.shape, UNSEEN, np.int16)
    for view in views:
        entries[views.place(view)] = game.number(view.legal()[numbers.integers(len(view.legal()))])
    return Written(views, entries)


def entries(game, policy):
    return policy.entries if isinstance(policy, Written) else written(game, policy)


@cache
def ceiling(game, *opponents, all_bids=True):
    return Ceiling(game, [entries(game, policy) for policy in opponents], all_bids=all_bids)


# By a generic best response, round by round. The opponents are chance: it makes the bids that they make.


@dataclass(frozen=True, eq=False)
class OneRound(Game):
    """A round with one player; its end is worth what the rest of the game is."""

    rules: WildOnes
    policies: tuple[Policy | None, ...]
    begin: Start
    worth: Ceiling
    num_players = 1
    name = "a round"

    def initial_state(self):
        start = self.begin
        counts = (*start.counts, *(0,) * (self.rules.num_players - len(start.counts)))
        return RoundState(self, WildOnesState(self.rules, counts, start.opener))

    def move_from_string(self, state, text):
        raise NotImplementedError


@dataclass(frozen=True)
class RoundState(State):
    game: OneRound
    inner: WildOnesState
    over: bool = False

    @property
    def current_player(self):
        if self.over:
            return TERMINAL
        mover = self.inner.current_player
        return CHANCE if mover == CHANCE or self._policy(mover) else 0

    def _policy(self, mover):
        return self.game.policies[self.game.begin.kinds[mover]]

    def legal_actions(self, player=None):
        return self.inner.legal_actions() if self.current_player == 0 else ()

    def chance_outcomes(self):
        if self.current_player != CHANCE:
            return ()
        if self.inner.current_player == CHANCE:
            return self.inner.chance_outcomes()
        chances = self._policy(self.inner.current_player).action_probabilities(self.inner)
        return tuple((action, chance) for action, chance in chances.items() if chance)

    def child(self, action):
        inner = self.inner.child(action)
        return RoundState(self.game, inner, over=self.inner.current_player >= 0 and not inner.bids)

    @property
    def position(self):
        return self.over, self.inner.position

    def information_state(self, player):
        told, heard = self.inner.information_state(0).split(": ")[0], self.inner.bids
        if not self.game.worth.all_bids:
            players = len(self.game.begin.kinds)
            turns = [(self.game.begin.opener + number) % players for number in range(len(heard))]
            heard = [bid for bid, turn in zip(heard, turns, strict=True) if turn in (0, players - 1)]
        return f"{told}: {heard}"

    def rewards(self):
        if not self.over:
            return (F(0),)
        begin, inner = self.game.begin, self.inner
        kinds = (*begin.kinds, *(0,) * (len(inner.counts) - len(begin.kinds)))
        return (self.game.worth.value_of(start_of(kinds, inner.counts, inner.opener)),)

    def returns(self):
        return self.rewards()

    def action_to_string(self, action):
        return str(action)

    def __str__(self):
        return str(self.inner)


def solved(game, policies, found, start):
    """What a generic best response wins."""
    return best_response(unfold(OneRound(game, policies, start, found)), NOBODY, 0).value


NOBODY = TabularPolicy({}, "nobody")
ONE, THREE = WildOnes(2, 1), WildOnes(3, 1)
SMALL = [
    (ONE, (SURVIVALIST,)),
    (ONE, (AGGRESSIVE,)),
    (ONE, (anything(ONE, 1),)),
    (THREE, (AGGRESSIVE, AGGRESSIVE)),
]


@pytest.mark.parametrize(("game", "opponents"), SMALL)
def test_every_round_is_worth_what_a_generic_best_response_wins(game, opponents):
    found = ceiling(game, *opponents)
    for start, value in found.values.items():
        assert solved(game, (None, *opponents), found, start) == value, start


@pytest.mark.parametrize(
    ("game", "opponents", "start"),
    [
        (THREE, (SURVIVALIST, AGGRESSIVE), Start((0, 1, 2), (1, 1, 1), 1)),
        (THREE, (anything(THREE, 12, neighbours=True), anything(THREE, 7)), Start((0, 2, 1), (1, 1, 1), 2)),
        (WildOnes(2, 2), (SURVIVALIST,), Start((0, 1), (1, 2), 1)),
        (WildOnes(2, 2), (anything(WildOnes(2, 2), 3, neighbours=True),), Start((0, 1), (2, 1), 1)),
    ],
)
def test_a_larger_round_is_worth_what_a_generic_best_response_wins(game, opponents, start):
    found = ceiling(game, *opponents)
    assert solved(game, (None, *opponents), found, start) == found.values[start]


@pytest.mark.parametrize("start", [Start((0, 1, 2), (1, 1, 1), 0), Start((0, 2, 1), (1, 1, 1), 1)])
@pytest.mark.parametrize("opponents", [(SURVIVALIST, AGGRESSIVE), (anything(THREE, 12), anything(THREE, 7))])
def test_who_hears_only_the_last_bid_does_as_well_as_a_generic_best_response(opponents, start):
    quiet = ceiling(THREE, *opponents, all_bids=False)
    assert solved(THREE, (None, *opponents), quiet, start) == quiet.values[start]
    assert quiet.values[start] <= ceiling(THREE, *opponents).values[start]


def test_against_one_opponent_the_last_bid_is_all_there_is_to_hear():
    for policy in (SURVIVALIST, anything(WildOnes(2, 2), 3)):
        assert ceiling(WildOnes(2, 2), policy, all_bids=False).values == ceiling(WildOnes(2, 2), policy).values


def some_drawn():
    """The survivalist, but with a one it opens with anything."""
    entries_ = written(ONE, SURVIVALIST).copy()
    entries_[2, 0, 1, 0] = DRAWS
    return entries_


@dataclass(frozen=True, eq=False)
class AllFixed(Game):
    """A whole game in which nobody decides."""

    rules: WildOnes
    policies: tuple[Policy, ...]
    name = "nobody decides"

    @property
    def num_players(self):
        return self.rules.num_players

    def initial_state(self):
        return FixedState(self, self.rules.initial_state())

    def move_from_string(self, state, text):
        raise NotImplementedError


@dataclass(frozen=True)
class FixedState(State):
    game: AllFixed
    inner: WildOnesState

    @property
    def current_player(self):
        return min(self.inner.current_player, CHANCE) if self.inner.current_player < 0 else CHANCE

    def legal_actions(self, player=None):
        return ()

    def chance_outcomes(self):
        if self.inner.current_player < 0:
            return self.inner.chance_outcomes()
        chances = self.game.policies[self.inner.current_player].action_probabilities(self.inner)
        return tuple((action, chance) for action, chance in chances.items() if chance)

    def child(self, action):
        return FixedState(self.game, self.inner.child(action))

    @property
    def position(self):
        return self.inner.position

    def information_state(self, player):
        return self.inner.information_state(player)

    def rewards(self):
        return self.inner.rewards()

    def returns(self):
        return self.inner.returns()

    def action_to_string(self, action):
        return str(action)

    def __str__(self):
        return str(self.inner)


@pytest.mark.parametrize(
    ("game", "policies"),
    [
        (ONE, (SURVIVALIST, AGGRESSIVE)),
        (ONE, (anything(ONE, 4), SURVIVALIST)),
        (ONE, (Written(Views(ONE), some_drawn()), SURVIVALIST)),
        (THREE, (SURVIVALIST, SURVIVALIST, AGGRESSIVE)),
        (THREE, (anything(THREE, 5, neighbours=True), SURVIVALIST, anything(THREE, 6))),
    ],
)
def test_fixed_policies_win_as_often_as_the_generic_chain_says(game, policies):
    flat = unfold(AllFixed(game, policies))
    found = places(game, [entries(game, policy) for policy in policies])
    ring = tuple(range(game.num_players))
    turned = [ring[turn:] + ring[:turn] for turn in ring]  # the same order with another opener
    assert sum(found.win[seats] for seats in turned) / len(turned) == evaluate(flat, flat.probability).mean
    for player in range(game.num_players):
        assert sum(found.shares[player]) == 1
        assert sum(row[player] for row in found.shares) == 1


def test_a_policy_that_draws_wins_as_often_as_the_generic_chain_says():
    # Against who opens truthfully and calls at once, drawing leads to few positions.
    found = places(ONE, [written(ONE, RANDOM), written(ONE, AGGRESSIVE)])
    flat = unfold(AllFixed(ONE, (RANDOM, AGGRESSIVE)))
    assert found.shares[0][0] == evaluate(flat, flat.probability).mean
    mirrored = places(ONE, [written(ONE, AGGRESSIVE), written(ONE, RANDOM)])
    assert mirrored.shares[0] == found.shares[1]


# By hand


def test_one_die_each_by_hand():
    found = ceiling(ONE, SURVIVALIST)
    # The survivalist opens with its own face: 1x4 is true, 1x5 is bid with a five only, and a one bids 1x6.
    knows = ONE.parse("2 opens > 4 > 4 > 1x4")
    after_exact = found.values[Start((0, 1), (1, 1), 0)]
    decision = found.decision(knows, (0, 1))
    # There are two fours, so that both challenges lose the game. 2x4 is true, which the survivalist, having a four
    # itself, thinks to hold with probability 1/3 only: it says liar.
    assert (decision.values["liar"], decision.values["exact"]) == (0, 0)
    assert (decision.values["2x4"], decision.value) == (1, 1)
    # With a five there is exactly one four; who says so keeps its die, has no more than it started with, and opens.
    alone = found.decision(ONE.parse("2 opens > 5 > 4 > 1x4"), (0, 1))
    assert (alone.values["liar"], alone.values["exact"]) == (0, after_exact)
    # Opening with 1x1 and a one in hand: the survivalist says liar, unless it has a one, too, and then bids 1x6.
    assert found.values == {Start((0, 1), (1, 1), opener): 1 for opener in (0, 1)}


def test_the_last_bid_by_hand():
    found = ceiling(ONE, RANDOM)
    # Nothing outbids two ones. Who draws its bids tells nothing: the other has a one with probability 1/6.
    opens = found.values[Start((0, 1), (1, 1), 0)]
    assert found.decision(ONE.parse("2 opens > 1 > 4 > 2x1"), (0, 1)).values == {"liar": F(5, 6), "exact": opens / 6}
    assert found.decision(ONE.parse("2 opens > 2 > 4 > 2x1"), (0, 1)).values == {"liar": 1, "exact": 0}
    assert found.decision(ONE.parse("1 opens > 1 > 4 > 1x1 > 2x1"), (0, 1)).value == F(5, 6)


def test_rings_and_what_comes_after_a_round():
    start = start_of((2, 0, 1), (1, 2, 0), 0)
    assert start == Start((0, 2), (2, 1), 1)
    assert after(start, 1, LOSES, 2) == Start((0,), (2,), 0)
    assert after(start, 0, WINS, 2) == Start((0, 2), (2, 1), 0)  # no more than two
    assert after(start, 1, WINS, 2) == Start((0, 2), (2, 2), 1)
    assert after(Start((0, 2, 1), (1, 1, 1), 2), 0, LOSES, 1) == Start((1, 2), (1, 1), 1)  # the next one opens
    assert after(Start((0, 1, 1), (1, 1, 1), 0), 2, LOSES, 1) == Start((0, 1), (1, 1), 0)


# The published table

OPPONENTS = (SURVIVALIST, AGGRESSIVE)
BY_SEATING = {
    (0, 1, 2): 0.986202459182594,
    (0, 2, 1): 0.990606119827587,
    (1, 0, 2): 0.993424629690890,
    (1, 2, 0): 0.985457262720878,
    (2, 0, 1): 0.930073594784190,
    (2, 1, 0): 0.989855607733930,
}


def test_the_published_table():
    found = ceiling(PUBLISHED, *OPPONENTS)
    assert {seats: float(value) for seats, value in found.by_seating.items()} == pytest.approx(BY_SEATING, abs=1e-14)
    assert float(found.win_probability) == pytest.approx(0.979269945656678, abs=1e-14)
    # One against one it wins for certain, whoever is left: it comes in first, or is the first to be out.
    assert {value for start, value in found.values.items() if len(start.kinds) == 2} == {1}
    shares = found.places.shares
    assert shares[0] == (found.win_probability, 0, 1 - found.win_probability)
    assert found.places.win == found.by_seating
    assert [sum(row) for row in shares] == [sum(column) for column in zip(*shares, strict=True)] == [1, 1, 1]


def test_what_hearing_all_bids_is_worth():
    quiet = ceiling(PUBLISHED, *OPPONENTS, all_bids=False)
    assert float(quiet.win_probability) == pytest.approx(0.897016317847261, abs=1e-14)
    assert {value for start, value in quiet.values.items() if len(start.kinds) == 2} == {1}
    full = ceiling(PUBLISHED, *OPPONENTS)
    assert all(value <= full.values[start] for start, value in quiet.values.items())
    # Seat 1 is player 1, seat 3 decides, with a two and a five after 1x1: what seat 1 bid first makes a difference to
    # one of the two only.
    heard = [PUBLISHED.parse(f"1 opens > {text} > 1x1") for text in ("46 > 36 > 25 > 1x6", "15 > 46 > 25 > 2x5")]
    one, other = (quiet.decision(state, (1, 2, 0)) for state in heard)
    assert one == other
    assert one.best == "liar"
    assert len({full.decision(state, (1, 2, 0)).value for state in heard}) == 2


def forgetful(policy, game=PUBLISHED, opponents=OPPONENTS):
    return Tables(ceiling(game, *opponents)), written(game, policy, True)


@pytest.mark.parametrize("policy", OPPONENTS)
def test_tables_are_judged_as_exactly_as_floats_allow(policy):
    tables, entries_ = forgetful(policy)
    judged = tables.judge(entries_)
    exact = places(PUBLISHED, [entries_, *(written(PUBLISHED, other) for other in OPPONENTS)])
    assert judged.win == pytest.approx(float(exact.shares[0][0]), abs=1e-13)
    assert tables.first @ judged.values == pytest.approx(judged.win, abs=1e-13)
    assert judged.visits.sum() <= float(exact.rounds)
    # Rounds in which somebody decides: what its own action is worth, over its first views, is what games are worth.
    worth = tables.gains(judged)
    own = np.take_along_axis(worth, np.maximum(entries_, 0)[..., None].astype(np.int64), -1)[..., 0]
    opening = own[..., 0][tables.reached[..., 0]].sum()
    opens = np.array([start.opener == 0 for start in tables.starts])
    assert opening == pytest.approx(judged.visits[opens] @ judged.values[opens], abs=1e-12)


def test_a_gain_is_kept_where_nothing_comes_back():
    """One entry changed: the chain gains what was promised, but for how often the other table comes there."""
    tables, entries_ = forgetful(AGGRESSIVE)
    judged = tables.judge(entries_)
    worth = tables.gains(judged)
    rows, numbers = worth[tables.reached], entries_[tables.reached].astype(np.int64)
    gain = rows.max(-1) - np.take_along_axis(rows, numbers[:, None], -1)[:, 0]
    for place in np.argsort(-gain)[:5]:
        changed, flat = entries_.copy(), numbers.copy()
        flat[place] = rows[place].argmax()
        changed[tables.reached] = flat
        found = tables.judge(changed)
        assert found.win > judged.win
        assert found.win - judged.win == pytest.approx(gain[place], rel=0.5)


def test_the_best_table_found_lies_between_its_bounds():
    tables, entries_ = forgetful(SURVIVALIST)
    projected = tables.projected()
    found, other = tables.climb(projected), tables.climb(entries_)
    assert found.win == pytest.approx(0.885769007939, abs=1e-11)
    assert tables.judge(projected).win < other.win < found.win
    others = [written(PUBLISHED, policy) for policy in OPPONENTS]
    exact = places(PUBLISHED, [found.table, *others])
    assert float(exact.shares[0][0]) == pytest.approx(found.win, abs=1e-12)
    quiet = ceiling(PUBLISHED, *OPPONENTS, all_bids=False)
    assert all(win <= quiet.by_seating[seats] for seats, win in exact.win.items())
    played = play_compiled(PUBLISHED, [found.table, *others], 100_000, SEED)
    wins = (played.places[:, 0] == 1).sum()
    assert abs(wins - 100_000 * found.win) < 4 * (100_000 * found.win * (1 - found.win)) ** 0.5


def test_one_against_one_a_table_is_enough():
    tables, entries_ = forgetful(SURVIVALIST, WildOnes(2, 1), (SURVIVALIST,))
    assert tables.climb(entries_).win == pytest.approx(1, abs=1e-12)


def test_floats_agree_with_fractions():
    plain = ceiling(PUBLISHED, *OPPONENTS)
    floats = Ceiling(PUBLISHED, [entries(PUBLISHED, policy) for policy in OPPONENTS], exact=False)
    gaps = [abs(floats.values[start] - float(value)) for start, value in plain.values.items()]
    assert max(gaps) < 1e-12


@pytest.mark.parametrize("policy", [SURVIVALIST, AGGRESSIVE, RANDOM, anything(PUBLISHED, 9, True)])
def test_no_policy_does_better_and_play_agrees(policy):
    best, games = ceiling(PUBLISHED, *OPPONENTS), 100_000
    tables = [entries(PUBLISHED, one) for one in (policy, *OPPONENTS)]
    found = places(PUBLISHED, tables)
    for seats, win in found.win.items():
        assert win < best.by_seating[seats]
    played = play_compiled(PUBLISHED, tables, games, SEED)
    for player, shares in enumerate(found.shares):
        counts = np.bincount(played.places[:, player], minlength=4)[1:]
        assert chisquare(counts, [games * float(share) for share in shares]).pvalue > 1e-4
    spread = played.rounds.std() / games**0.5
    assert abs(played.rounds.mean() - float(found.rounds)) < 4 * spread


def test_who_sits_in_which_chair_makes_no_difference_to_the_shares():
    first, second = (entries(PUBLISHED, policy) for policy in OPPONENTS)
    one, other = places(PUBLISHED, [first, second, first]), places(PUBLISHED, [first, first, second])
    assert (one.shares[0], one.shares[1]) == (other.shares[0], other.shares[2])
    assert one.shares[0] == one.shares[2]


def test_the_decisions_played_win_as_often_as_they_promise():
    found, games = ceiling(PUBLISHED, *OPPONENTS), 300_000
    counts = np.bincount(simulate(found, games, SEED), minlength=4)[1:]
    win = float(found.win_probability)
    assert counts[1] == 0
    assert abs(counts[0] - games * win) < 4 * (games * win * (1 - win)) ** 0.5
    np.testing.assert_array_equal(simulate(found, 40, SEED, start=60), simulate(found, 100, SEED)[60:])


@pytest.mark.parametrize("policy", [SURVIVALIST, AGGRESSIVE])
def test_one_against_one_no_game_is_lost(policy):
    game = WildOnes(2, 2)
    found = ceiling(game, policy)
    assert set(found.values.values()) == {1}
    assert (simulate(found, 50_000, SEED) == 1).all()


def told(state, seats, player):
    """The hands with which an opponent would have made its bids of this round, one by one."""
    seat, ways = seats.index(player), {}
    for roll in product(range(1, 7), repeat=state.counts[seat]):
        rolls = list(state.rolls)
        rolls[seat] = tuple(sorted(roll))
        before = [replace(state, rolls=tuple(rolls), bids=state.bids[:number]) for number in range(len(state.bids))]
        own = [(then, bid) for then, bid in zip(before, state.bids, strict=True) if then.current_player == seat]
        if all(OPPONENTS[player - 1].choices(View.of(then)) == ("{}x{}".format(*bid),) for then, bid in own):
            ways[rolls[seat]] = ways.get(rolls[seat], 0) + 1
    return {roll: F(count, sum(ways.values())) for roll, count in ways.items()}


def test_decisions_along_games_of_the_interface():
    found, draw, lost = ceiling(PUBLISHED, *OPPONENTS), np.random.default_rng(5), 0
    for number in range(40):
        seats = list(found.by_seating)[number % 6]
        state = PUBLISHED.initial_state().child(0)
        while not state.is_terminal() and state.counts[seats.index(0)]:
            mover = state.current_player
            if mover == CHANCE:
                dice = draw.integers(1, 7, state.counts[len(state.rolls)]).tolist()
                state = state.child(tuple(sorted(dice)))
            elif seats[mover]:
                state = state.child(OPPONENTS[seats[mover] - 1].choices(View.of(state))[0])
            else:
                decision = found.decision(state, seats)
                assert list(decision.values) == list(state.legal_actions())
                assert decision.value == max(decision.values.values()) == decision.values[decision.best]
                assert 0 <= min(decision.values.values()) <= decision.value <= 1
                for player, hands in found.possible(state, seats).items():
                    assert hands == told(state, seats, player)
                    assert state.rolls[seats.index(player)] in hands
                state = state.child(decision.best)
        lost += state.counts[seats.index(0)] == 0
    assert lost <= 4


@pytest.mark.parametrize("all_bids", [True, False])
def test_a_decision_weighs_what_can_happen(all_bids):
    """The mean over its own hands of what the opening is worth is what the round is worth."""
    found = ceiling(PUBLISHED, *OPPONENTS, all_bids=all_bids)
    for seats in ((0, 1, 2), (0, 2, 1)):
        mean = F(0)
        for roll, chance in PUBLISHED.initial_state().child(0).chance_outcomes():
            state = PUBLISHED.initial_state().child(0).child(roll).child((1, 1)).child((1, 1))
            mean += chance * found.decision(state, seats).value
        assert mean == found.by_seating[seats]


def test_equal_opponents_are_of_one_kind():
    found = ceiling(THREE, AGGRESSIVE, AGGRESSIVE)
    assert found.kinds == (0, 1, 1)
    assert len(found.tables) == 1


@pytest.mark.parametrize("unit", [1, None])
def test_a_round_is_worth_what_its_nodes_are(unit):
    """The actions that were chosen are worth what the best are, in whole numbers and in floats."""
    found = ceiling(ONE, SURVIVALIST)
    unit = unit and lcm(*(value.denominator for value in found.values.values()))
    for start, value in found.values.items():
        unfolded = found.rounds[start[:2]]
        worth = np.empty((unfolded.players, 2), object if unit else float)
        for turn, change in product(range(unfolded.players), (LOSES, WINS)):
            then = found.value_of(after(unfolded.start, turn, change, ONE.dice))
            worth[turn, change] = int(then * unit) if unit else float(then)
        on_nodes, _ = unfolded.values(worth)
        everything = (unfolded.hands.ways * on_nodes[unfolded.roots[start.opener]]).sum()
        best = (F(everything) if unit else everything) / 6**unfolded.total
        ends = unfolded.ends(start.opener, found.chosen[start[:2]], exact=bool(unit))
        taken = sum(chance * worth[end] for end, chance in ends.items())
        if unit:
            assert best == taken == value * unit
        else:
            assert best == pytest.approx(float(value), abs=1e-12)
            assert taken == pytest.approx(float(value), abs=1e-12)


@pytest.mark.parametrize("all_bids", [True, False])
def test_hands_spread_over_a_round_as_in_plain_numbers(all_bids):
    found = Ceiling(ONE, [entries(ONE, SURVIVALIST)], all_bids=all_bids)
    for (start, unfolded), kind in product(found.rounds.items(), (np.int64, float)):
        chosen, root = found.chosen[start], unfolded.roots[-1]
        plain, fast = (
            [np.zeros((size, len(unfolded.hands.rolls)), kind) for size in (len(unfolded.nodes), len(unfolded.child))]
            for _ in range(2)
        )
        plain[0][root] = fast[0][root] = unfolded.hands.ways
        unfolded.spread(*plain, chosen)
        decides = np.array([node[0] == 0 for node in unfolded.nodes])
        spread(unfolded.first, unfolded.child, decides, chosen, np.zeros(0), *fast)
        assert all((one == other).all() for one, other in zip(plain, fast, strict=True))
        assert plain[0].sum() > unfolded.hands.ways.sum()  # it went down


def test_draws_spread_over_a_round_as_in_plain_numbers():
    unfolded = Round(ONE, Start((0, 0), (1, 1), 0), [entries(ONE, RANDOM)])
    plain, fast = ([np.zeros((size, 1)) for size in (len(unfolded.nodes), len(unfolded.child))] for _ in range(2))
    plain[0][unfolded.roots[0]] = fast[0][unfolded.roots[0]] = 1
    unfolded.spread(*plain, None)
    nobody, weights = np.zeros(len(unfolded.nodes), bool), unfolded._weights[:, 0]
    assert 0 < weights.min() < weights.max() <= 1
    spread(unfolded.first, unfolded.child, nobody, np.zeros((0, 0), np.int64), weights, *fast)
    assert all((one == other).all() for one, other in zip(plain, fast, strict=True))


# What is refused


def test_errors_say_what_is_wrong():
    small, large = written(WildOnes(2, 2), SURVIVALIST), written(PUBLISHED, SURVIVALIST)
    with pytest.raises(ValueError, match="need a ceiling with all_bids=True"):
        ceiling(PUBLISHED, *OPPONENTS, all_bids=False).possible(PUBLISHED.initial_state(), (0, 1, 2))
    with pytest.raises(ValueError, match="3 players need 2 tables, not 1"):
        Ceiling(PUBLISHED, [large])
    with pytest.raises(ValueError, match="a table must have the shape"):
        Ceiling(PUBLISHED, [small, small])
    with pytest.raises(ValueError, match="3 players need 3 tables, not 2"):
        places(PUBLISHED, [large, large])
    wrong = np.where(Views(ONE).reached, 0, UNSEEN).astype(np.int16)
    with pytest.raises(ValueError, match="a table plays liar with 1 when nothing was bid and 2 dice are in play"):
        Ceiling(ONE, [wrong])
    with pytest.raises(ValueError, match="a round of 25 dice has too many rolls to count; the most are 24 dice"):
        Round(WildOnes(5, 5), Start((0, 1, 1, 1, 1), (5,) * 5, 0), [None, small])
    found = ceiling(ONE, SURVIVALIST)
    state = ONE.parse("2 opens > 5 > 4 > 1x4")
    for where, seats in ((state, (1, 0)), (state, (0, 0)), (ONE.initial_state(), (0, 1))):
        with pytest.raises(ValueError, match="is not to move"):
            found.decision(where, seats)
    with pytest.raises(ValueError, match="never bid 2x2 there"):
        found.decision(ONE.parse("2 opens > 5 > 4 > 1x3 > 1x5 > 2x2"), (0, 1))
    with pytest.raises(ValueError, match="draws with some hands only"):
        Ceiling(ONE, [some_drawn()])
    with pytest.raises(ValueError, match="draws"):
        Ceiling(ONE, [written(ONE, RANDOM)], all_bids=False)
    with pytest.raises(ValueError, match="draws"):
        simulate(ceiling(ONE, RANDOM), 1, SEED)
