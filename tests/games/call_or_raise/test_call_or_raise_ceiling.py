"""The best that player 1 can do at call-or-raise against coins: by hand, by a generic best response, and by play."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from support.core.flat import unfold
from support.core.interface import CHANCE, TERMINAL, Game, State
from support.core.play import Stream
from support.core.policy import TabularPolicy, uniform
from support.exact.best_response import best_response, expected_returns
from support.games.call_or_raise.ceiling import (
    CALL_OR_RAISE,
    CHOOSES_THE_FACE,
    Responder,
    Round,
    alike_rolls,
    following,
    opening_bids,
    round_of,
    starting_value,
    win_probabilities,
)
from support.games.call_or_raise.ceiling_fast import Ceiling
from support.games.call_or_raise.q_learning_fast import advance, new_table
from support.games.call_or_raise.rules import CALL, CallOrRaise, CallOrRaiseState, opening_bid, tail
from support.games.call_or_raise.settings import AS_MEANT, Agent, QTableSettings, States
from support.games.cups.digits import Digits
from support.games.cups.rolls import FACE_NUMBERS, FACES, all_rolls

F = Fraction
HALF = F(1, 2)
COIN = Agent("random", F(1))


def threshold(least):
    """To call if a bid holds with a probability below this, as far as the own dice tell."""
    return lambda total, own, need: F(tail(total - own, need) < least)


RESPONDERS = {
    "never bluffs": Responder(F(0)),
    "call or raise": CALL_OR_RAISE,
    "chooses the face": CHOOSES_THE_FACE,
    "bluffs less": Responder(F(1, 3)),
    "coin": following(COIN),
    "threshold": Responder(F(1, 2), calls=threshold(F(1, 5))),
    "probability": following(Agent("probability", F(1, 4))),
}
SMALL = [CallOrRaise(2, 1), CallOrRaise(3, 1), CallOrRaise(2, 2, bounded=True), CallOrRaise(3, 1, bounded=True)]


# By hand: two players with a die each.


@pytest.mark.parametrize("responder", [CALL_OR_RAISE, CHOOSES_THE_FACE, Responder(F(1))])
def test_with_two_dice_a_bid_holds_only_if_both_show_the_face(responder):
    game = CallOrRaise(2, 1)
    values = win_probabilities(game, responder)
    # The other opens with two of its face. If player 1 holds another (5/6), it calls and wins. If not (1/6), it raises:
    # no bid of three holds, so the other loses unless it calls (1/2). When player 1 opens, the other calls (1/2), and
    # then player 1 wins only if both show the face (1/6); or it raises, is called, and loses.
    assert values == {((1, 1), 0): HALF * F(1, 6) + HALF, ((1, 1), 1): F(5, 6) + F(1, 6) * HALF}
    assert starting_value(game, values) == F(3, 4)
    same, other = (round_of(game, responder, values, (1, 1), 1, (die,), (2, 3)) for die in (3, 4))
    assert (same.calls(2, 3), other.calls(2, 3), same.value, other.value) == (0, 1, HALF, 1)
    assert same.raised(2) == HALF
    assert {same.calls(quantity, face) for quantity in (3, 4, 9) for face in range(1, 7)} == {F(1)}


def test_coins_of_both_players_by_hand():
    values = win_probabilities(CallOrRaise(2, 1), RESPONDERS["coin"])
    # A turn at a bid that no dice can hold is worth x = 1/2 + 1/2 (1/2 0 + 1/2 x).
    x = F(2, 3)
    opened = HALF * F(5, 6) + HALF * HALF * x
    assert values == {((1, 1), 0): 1 - opened, ((1, 1), 1): opened}
    bounded = win_probabilities(CallOrRaise(2, 1, bounded=True), CALL_OR_RAISE)
    assert bounded == {((1, 1), 0): F(1, 6), ((1, 1), 1): F(5, 6)}  # nobody may raise


def test_thresholds_by_hand():
    # What opens with two of a face holds it, which the own dice do not tell: if player 1 holds it too, it believes in
    # the bid with probability 1/6. A threshold below that raises then, as the best response does; one above calls.
    game, wins = CallOrRaise(2, 1), {}
    for least in (F(1, 7), F(1, 6), F(1, 5), F(1)):
        wins[least] = starting_value(game, win_probabilities(game, Responder(F(1), calls=threshold(least))))
    assert wins == {F(1, 7): F(3, 4), F(1, 6): F(3, 4), F(1, 5): F(17, 24), F(1): F(17, 24)}
    # Who never calls wins only if it opens, is called at once (1/2), and is right (1/6).
    values = win_probabilities(game, Responder(F(1), calls=threshold(F(0))))
    assert values == {((1, 1), 0): F(1, 12), ((1, 1), 1): F(0)}


@pytest.mark.parametrize("game", [CallOrRaise(2, 2), CallOrRaise(3, 1), CallOrRaise(2, 2, bounded=True)])
def test_one_coin_among_others_is_as_good_as_they_are(game):
    assert starting_value(game, win_probabilities(game, RESPONDERS["coin"])) == F(1, game.num_players)


@pytest.mark.no_cover
def test_one_coin_among_others_at_a_larger_table():
    assert Ceiling(CallOrRaise(4, 3), RESPONDERS["coin"]).win_probability == pytest.approx(1 / 4, abs=1e-13)


# By a generic best response, round by round: the dice are rolled anew, so that a round forgets the one before.


@dataclass(frozen=True)
class OneRound(Game):
    """A round of the bounded game from given dice; its end is worth what a game won from there on is."""

    rules: CallOrRaise
    counts: tuple
    opener: int
    bluff: Fraction | None
    worth: tuple
    name = "a round"

    @property
    def num_players(self):
        return self.rules.num_players

    def initial_state(self):
        return RoundState(self, CallOrRaiseState(self.rules, self.counts, self.opener))

    def move_from_string(self, state, text):
        raise NotImplementedError


@dataclass(frozen=True)
class RoundState(State):
    game: OneRound
    inner: CallOrRaiseState
    raising: bool = False

    @property
    def current_player(self):
        if self.inner.counts != self.game.counts:
            return TERMINAL
        return CHANCE if self.raising else self.inner.current_player

    def legal_actions(self, player=None):
        if self.current_player < 0:
            return ()
        actions = self.inner.legal_actions()
        return actions if self.inner.current_player or self.game.bluff is None else (CALL, "raise")[: len(actions)]

    def chance_outcomes(self):
        if self.current_player != CHANCE:
            return ()
        if not self.raising:
            return self.inner.chance_outcomes()
        bluff, own = self.game.bluff, opening_bid(self.inner.rolls[0])[1]
        chances = {face: bluff / FACES + (1 - bluff) * (face == own) for face in range(1, FACES + 1)}
        return tuple((f"raise {face}", chance) for face, chance in chances.items())

    def child(self, action):
        if action == "raise":
            return replace(self, raising=True)
        return RoundState(self.game, self.inner.child(action))

    @property
    def position(self):
        return (self.inner.counts, self.raising, self.inner.position)

    def information_state(self, player):
        return self.inner.information_state(player)

    def rewards(self):
        value = dict(self.game.worth)[self.inner.counts] if self.is_terminal() else F(0)
        return (value,) * self.game.num_players

    def returns(self):
        return self.rewards()

    def action_to_string(self, action):
        return str(action)

    def __str__(self):
        return str(self.inner)


def _unfolded(game, bluff, values, counts, opener):
    """A round, unfolded; ``values`` of all with fewer dice are known."""
    worth = []
    for loser in (player for player, count in enumerate(counts) if count):
        fewer = tuple(count - (player == loser) for player, count in enumerate(counts))
        after = loser
        while not fewer[after]:
            after = (after + 1) % len(fewer)
        worth.append((fewer, values.get((fewer, after), F(0 < sum(fewer) == fewer[0]))))
    return unfold(OneRound(game, counts, opener, bluff, tuple(worth)))


def _coins(flat):
    """Everybody calls with probability 1/2, and surely where nobody may raise."""
    table = {}
    for where, row in uniform(flat).table.items():
        raises = [action for action in row if action != CALL]
        table[where] = {CALL: HALF if raises else F(1)} | {action: HALF / len(raises) for action in raises}
    return TabularPolicy(table, "coins")


ROUNDS = {
    2: [((1, 1), 0), ((1, 2), 1), ((2, 1), 0), ((2, 2), 1)],
    3: [((1, 0, 1), 2), ((1, 1, 1), 0), ((1, 1, 1), 1), ((1, 1, 1), 2)],
}


@pytest.mark.no_cover
@pytest.mark.parametrize("bluff", [None, F(1, 3)], ids=["chooses the face", "bluffs"])
@pytest.mark.parametrize("players", ROUNDS)
def test_it_is_the_best_response_to_coins_in_the_bounded_game(players, bluff):
    game = CallOrRaise(players, 4 - players, bounded=True)
    values = win_probabilities(game, Responder(bluff))
    for counts, opener in ROUNDS[players]:
        flat = _unfolded(game, bluff, values, counts, opener)
        assert best_response(flat, _coins(flat), 0).value == values[counts, opener]


@pytest.mark.no_cover
@pytest.mark.parametrize("players", ROUNDS)
def test_coins_win_what_they_return_in_the_bounded_game(players):
    game = CallOrRaise(players, 4 - players, bounded=True)
    values = win_probabilities(game, following(Agent("random", HALF)))
    for counts, opener in ROUNDS[players]:
        if sum(counts) < 4:
            flat = _unfolded(game, HALF, values, counts, opener)
            assert expected_returns(flat, _coins(flat))[0] == values[counts, opener]


def test_who_may_not_raise_calls():
    game = CallOrRaise(3, 1, bounded=True)
    found = round_of(game, CALL_OR_RAISE, win_probabilities(game), (1, 1, 1), 1, (1,), (2, 4))
    assert found.raised(2) is not None
    assert found.raised(3) is None
    assert found.calls(3, 4) == 1


# What a round tells, and the bids that are false.


@pytest.mark.parametrize("dice", range(1, 5))
def test_what_an_opening_bid_tells_is_what_the_rolls_that_make_it_hold(dice):
    bids = opening_bids(dice)
    assert sum(chance for chance, _ in bids.values()) == 1
    for bid, (chance, shown) in bids.items():
        rolls = [roll for roll in product(range(1, FACES + 1), repeat=dice) if opening_bid(tuple(sorted(roll))) == bid]
        assert chance == F(len(rolls), FACES**dice)
        for face, numbers in shown.items():
            assert sum(numbers.values()) == 1
            mean = sum(number * p for number, p in numbers.items())
            assert mean == F(sum(roll.count(face) for roll in rolls), len(rolls))
        assert shown[bid[1]] == {bid[0] - 1: 1}


def test_a_bid_holds_as_often_as_among_all_rolls():
    dice = Round(CallOrRaise(3, 2), CALL_OR_RAISE, (1, 2, 2), 2, (5,), (2, 3), (F(0), F(1), F(1)))
    tables = [
        (5, *rest) for rest in product(range(1, FACES + 1), repeat=4) if opening_bid(tuple(sorted(rest[2:]))) == (2, 3)
    ]
    for quantity, face in product(range(2, 7), range(1, 7)):
        holds = sum(table.count(face) >= quantity for table in tables)
        assert dice.chance(quantity, face) == F(holds, len(tables))


@pytest.mark.parametrize("responder", [CALL_OR_RAISE, following(COIN), Responder(calls=lambda *_: F(1, 5))])
@pytest.mark.parametrize("worth", [(0, 1, 1), (1, 0, 0), (F(1, 2), F(3, 4), F(1, 4)), (F(1, 2), F(1, 4), F(3, 4))])
def test_false_bids_are_worth_what_a_long_row_of_them_is(responder, worth):
    dice = Round(CallOrRaise(3, 1), responder, (1, 1, 1), 1, (5,), (2, 3), tuple(map(F, worth)))
    calls = responder.call_chance(3, 1, 9)
    values = [F(0)] * 3
    for _ in range(80):
        raised, called = values[1], F(worth[-1])
        own = max(raised, called) if calls is None else calls * called + (1 - calls) * raised
        values = [own, HALF * worth[0] + HALF * values[2], HALF * worth[1] + HALF * values[0]]
    for turn, value in enumerate(values):
        assert float(dice.standing(9, 1, turn)) == pytest.approx(float(value), abs=1e-9)


def test_more_freedom_is_worth_more():
    wins = {name: Ceiling(CallOrRaise(3, 3), responder).win_probability for name, responder in RESPONDERS.items()}
    assert wins["coin"] < wins["threshold"] < wins["call or raise"] < wins["never bluffs"] < wins["chooses the face"]


@pytest.mark.parametrize("bid", [None, (2, 1), (2, 3), (3, 6)])
def test_rolls_taken_for_one_come_to_the_same(bid):
    """All rolls, one by one, against those that stand for several."""
    game, dice = CallOrRaise(3, 3), 3
    worth = tuple(map(F, (F(1, 7), F(2, 3), F(1, 2))))
    for responder in (CALL_OR_RAISE, CHOOSES_THE_FACE, RESPONDERS["threshold"]):

        def value(roll, responder=responder):
            opened = bid or opening_bid(roll)
            return Round(game, responder, (dice, 2, 1), 1 if bid else 0, roll, opened, worth).value

        each = [(chance, value(roll)) for roll, chance in all_rolls(dice)]
        alike = [(chance, value(roll)) for roll, chance in alike_rolls(dice, bid and bid[1]).items()]
        assert len(alike) < len(each) / 3
        for found in {value for _, value in (*each, *alike)}:
            assert sum(p for p, v in alike if v == found) == sum(p for p, v in each if v == found)


# Compiled.


@pytest.mark.parametrize("responder", RESPONDERS.values(), ids=RESPONDERS)
def test_compiled_and_plain_values_are_equal(responder):
    for game in SMALL:
        values, ceiling = win_probabilities(game, responder), Ceiling(game, responder)
        for (counts, opener), value in values.items():
            assert ceiling.values[(*counts, opener)] == pytest.approx(float(value), abs=1e-12)
        assert ceiling.win_probability == pytest.approx(float(starting_value(game, values)), abs=1e-12)
        known = np.isfinite(ceiling.values[1:]).sum() - game.dice * game.num_players  # the others are out
        assert known == len(values)


@pytest.mark.parametrize("name", RESPONDERS)
@pytest.mark.parametrize("bounded", [False, True])
def test_compiled_and_plain_rounds_are_equal(name, bounded):
    """Each beginning of a round is worth what its rounds are, over all dice and opening bids."""
    game = CallOrRaise(3, 2, bounded)
    ceiling = Ceiling(game, RESPONDERS[name])
    for counts, opener in (((2, 2, 1), 1), ((2, 1, 2), 0), ((1, 2, 2), 2), ((2, 0, 2), 2)):
        value = 0
        for roll, rolled in all_rolls(counts[0]):
            bids = [(bid, chance) for bid, (chance, _) in opening_bids(counts[opener]).items()]
            for bid, chance in bids if opener else [(None, 1)]:
                value += rolled * chance * ceiling.round_of(counts, opener, roll, bid).value
        assert ceiling.values[(*counts, opener)] == pytest.approx(value, abs=1e-12)


def test_impossible_rounds_are_refused():
    ceiling = Ceiling(CallOrRaise(3, 2))
    values = win_probabilities(CallOrRaise(3, 1))
    for counts, opener, roll, bid, message in (
        ((1, 1), 0, (1,), None, "no round"),
        ((0, 1, 1), 1, (), (2, 1), "no round"),
        ((1, 0, 0), 0, (1,), None, "no round"),
        ((1, 0, 1), 1, (1,), None, "no round"),
        ((3, 1, 1), 0, (1, 2, 3), None, "no round"),
        ((1, 1, 1), 1, (7,), (2, 1), "cannot roll"),
        ((1, 1, 1), 1, (1,), (3, 1), "no roll of 1 dice opens"),
        ((1, 1, 1), 1, (1,), None, "no roll of 1 dice opens"),
    ):
        with pytest.raises(ValueError, match=message):
            round_of(CallOrRaise(3, 1), CALL_OR_RAISE, values, counts, opener, roll, bid)
        with pytest.raises(ValueError, match=message):
            ceiling.round_of(counts, opener, roll, bid)
    for bluff in (F(2), F(-1)):
        with pytest.raises(ValueError, match=f"bluff must lie between 0 and 1, or be None, not {bluff}"):
            Responder(bluff)
    with pytest.raises(ValueError, match="probability"):
        win_probabilities(CallOrRaise(2, 1), Responder(calls=lambda *_: F(2)))


# By play.


def winner(ceiling, seed, number):
    """Who wins a game that player 1 plays by the plain rounds, from the random numbers of the compiled games."""
    game, bluffs = ceiling.game, ceiling.responder.bluff
    digits = Digits(Stream(seed, number))
    state, known = game.initial_state().child(digits.fresh().below(game.num_players)), None
    while not state.is_terminal():
        player, total = state.current_player, state.total
        if player == CHANCE:
            state = state.child(digits.roll(state.counts[len(state.rolls)]))
            if state.bids and state.counts[0]:
                known = ceiling.round_of(state.counts, state.opener, state.rolls[0], state.bids[0])
            continue
        quantity, face = state.bids[-1]
        if game.bounded and quantity >= total:
            calls = True
        elif player:
            calls = digits.fresh().below(2) == 1
        else:
            calls = not digits.chance(1 - F(known.calls(quantity, face)))
        if not calls:
            if player or (bluffs is not None and digits.chance(bluffs)):
                face = digits.fresh().below(FACES) + 1
            elif bluffs is None:
                face = max(FACE_NUMBERS, key=lambda one: known.standing(quantity + 1, one, 1))
            else:
                face = opening_bid(state.rolls[0])[1]
        state = state.child(CALL if calls else f"raise {face}")
    return state.returns().index(1) + 1


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("name", RESPONDERS)
def test_compiled_games_are_the_plain_ones(name, bounded):
    ceiling = Ceiling(CallOrRaise(3, 2, bounded), RESPONDERS[name])
    assert ceiling.simulate(60, seed=5, start=3).tolist() == [winner(ceiling, 5, number) for number in range(3, 63)]


@pytest.mark.parametrize("bounded", [False, True])
@pytest.mark.parametrize("name", RESPONDERS)
@pytest.mark.no_cover
def test_games_played_are_won_as_often_as_computed(name, bounded):
    ceiling = Ceiling(CallOrRaise(3, 2, bounded), RESPONDERS[name])
    games, p = 40_000, ceiling.win_probability
    wins = (ceiling.simulate(games, seed=20181220) == 1).mean()
    assert abs(wins - p) < 3 * np.sqrt(p * (1 - p) / games)


@pytest.mark.parametrize("kind", ["random", "probability", "holds"])
@pytest.mark.no_cover
def test_games_with_a_rule_are_those_of_the_learner_s_kernel(kind):
    players = (Agent(kind, F(1, 3)), Agent(), Agent())
    settings = QTableSettings(players=players, dice=3)
    games = advance(settings, new_table(settings), 2_000, seed=7, learn=False)
    assert (games == Ceiling(CallOrRaise(3, 3), following(players[0])).simulate(2_000, seed=7)).all()


def test_a_learned_table_is_a_rule_too():
    settings = QTableSettings(players=(Agent("q", HALF), Agent(), Agent()), dice=3, exploration=F(0), slips=AS_MEANT)
    q = np.random.default_rng(3).normal(size=new_table(settings).shape)
    states = States(3, 3, settings.bins)

    def greedy(total, own, need):
        raised, called = q[states.number(total, own, states.bucket(total, own, need, 0)) - 1]
        return F(int(called > raised))

    ceiling = Ceiling(CallOrRaise(3, 3), Responder(HALF, calls=greedy))
    games = 40_000
    winners = advance(settings, q, games, seed=11, learn=False)
    assert (winners == ceiling.simulate(games, seed=11)).all()
    p = ceiling.win_probability
    assert abs((winners == 1).mean() - p) < 3 * np.sqrt(p * (1 - p) / games)
