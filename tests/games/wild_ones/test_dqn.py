"""Deep Q-learning at wild ones: transitions by hand, what steps aim at, and networks in files."""

import json
import math
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chisquare

from support.core.play import Stream
from support.games.wild_ones import dqn as learning
from support.games.wild_ones.dqn import NOTEBOOK, PUBLISHED, DQNLearner, DQNSettings, Rewards, inputs
from support.games.wild_ones.dqn_network import Memory, RoundView, encoded
from support.games.wild_ones.dqn_player import DQNPlayer, NetworkFileError, digest, load
from support.games.wild_ones.policies import Policy, Random, Survivalist, View, Views, kinds_of, table
from support.games.wild_ones.rules import WildOnes, allowed
from support.learners.network import Batch, Network
from support.learners.optimiser import TorchOptimiser

GAME = WildOnes()
GREEDY = replace(PUBLISHED, epsilon_start=0.0, epsilon_end=0.0, warm_games=0)


# Settings


def test_the_published_network():
    assert PUBLISHED.sizes(GAME) == (15, 64, 64, 38)
    assert replace(PUBLISHED, encoding="raw").sizes(GAME) == (7, 64, 64, 38)
    assert replace(PUBLISHED, layers=1).sizes(WildOnes(2, 1)) == (15, 14)
    assert Network.count((15, 64, 64, 38)) == 15 * 64 + 64 + 64 * 64 + 64 + 64 * 38 + 38


def test_exploration_falls_with_games():
    """The document's constant: a thousandth of the way is left after 1,000 games, whatever was decided in them."""
    assert PUBLISHED.explores(0, 0) == PUBLISHED.explores(0, 10**6) == 1
    assert PUBLISHED.explores(1000, 5) == pytest.approx(0.2 + 0.8 * 1e-3)
    assert PUBLISHED.explores(500, 5) == pytest.approx(0.2 + 0.8 * 10**-1.5)


def test_exploration_falls_with_decisions():
    """The notebook's: a thousandth is left after 10,000 decisions, whatever the games were."""
    assert NOTEBOOK.explores(10**6, 0) == 1
    assert NOTEBOOK.explores(5, 10_000) == pytest.approx(0.2 + 0.8 * 1e-3)
    assert NOTEBOOK.explores(0, 10**9) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"encoding": "pixels"}, "encoding must be one of 'histograms' or 'raw', not 'pixels'"),
        ({"decay_in": "rounds"}, "decay_in must be one of 'games' or 'decisions'"),
        ({"warm_policy": "random"}, "warm_policy must be one of 'explore', 'survivalist' or 'aggressive'"),
        ({"episodes": "lives"}, "episodes must be one of 'rounds' or 'games'"),
        ({"double": 1}, "double must be true or false, not 1"),
        ({"batch": 5001}, "batch must be at most the memory, 5,000, not 5001"),
        ({"memory": 2.5}, "memory must be a whole number, not 2.5"),
        ({"memory": 2**25}, "memory must be at most 1048576, not 33554432"),
        ({"layers": 0}, "layers must be at least 1, not 0"),
        ({"games": True}, "games must be a whole number"),
        ({"tau": 1.5}, "tau must be at most 1.0, not 1.5"),
        ({"learning_rate": math.nan}, "learning_rate must be a finite number, not nan"),
        ({"decay": 0}, "decay must be above 0"),
        ({"lost": math.inf}, "lost must be a finite number, not inf"),
        ({"history": 1}, "history must be true or false, not 1"),
        ({"identity": None}, "identity must be true or false, not None"),
        ({"self_play": 1.5}, "self_play must be at most 1.0, not 1.5"),
        ({"offline_steps": -1}, "offline_steps must be at least 0, not -1"),
    ],
)
def test_settings_that_make_no_sense(wrong, message):
    with pytest.raises(ValueError, match=message):
        replace(PUBLISHED, **wrong)


def test_rewards_that_make_no_sense():
    with pytest.raises(ValueError, match="lost must be a finite number, not inf"):
        Rewards(lost=math.inf)


# What the network sees


def test_the_worked_state():
    """The document's example, with the total that it leaves out."""
    view = View((1, 4), 5, (2, 3), before=2, after=1)
    assert encoded(view, "histograms", 2) == (2, 1, 5, 0, 0, 2, 0, 0, 0, 1, 0, 0, 1, 0, 0)
    assert encoded(view, "raw", 2) == (2, 1, 5, 2, 3, 1, 4)


def test_the_raw_state_of_an_opener_with_one_die_left():
    assert encoded(View((6,), 4, None, 2, 1), "raw", 3) == (2, 1, 4, 1, 0, 6, 0, 0)


ROUND = (0, (2, 3), (1, 4), (5, 6), "1x2", "1x4", "2x4", "2x6")
"""Seat 0 opens; seat 1 has made one bid, and it is its turn again."""
MORE = {"history": True, "identity": True, "self_play": 0.5}
NAMES = {0: "aggressive", 2: "survivalist"}


def reached(game, moves):
    state = game.initial_state()
    for move in moves:
        state = state.child(move)
    return state


def ones(game, bids, offset):
    return [offset + game.number(bid) - 2 for bid in bids]


def more_inputs(game, view, **settings):
    """Where the inputs after the first 15 are 1, counted from there."""
    settings = replace(PUBLISHED, **settings)
    found = inputs(view, game, settings, 3)
    assert len(found) == settings.sizes(game, 3)[0]
    assert found[:15] == encoded(view, "histograms", 2)
    assert set(found[15:]) <= {0, 1}
    return [place for place, value in enumerate(found[15:]) if value]


def test_the_rounds_bids_by_relative_seat():
    """Itself first: 1x4; then the player after it: 2x4; then the opener, who made two."""
    state = reached(GAME, ROUND)
    seen = RoundView.of(state)
    assert seen.bids == (((1, 4),), ((2, 4),), ((1, 2), (2, 6)))
    expected = ones(GAME, ["1x4"], 0) + ones(GAME, ["2x4"], 36) + ones(GAME, ["1x2", "2x6"], 72)
    assert more_inputs(GAME, seen, history=True) == sorted(expected)
    assert more_inputs(GAME, RoundView.of(reached(GAME, ROUND[:4])), history=True) == []


def test_who_is_out_has_no_place_in_the_ring():
    """Seat 1 is out: the next player of seat 0 is that of seat 2, and the third place is empty."""
    game = WildOnes(3, 1)
    state = reached(game, (0, (2,), (3,), (4,), "1x2", "2x6", "liar", (2,), (4,), "1x4"))
    assert (state.counts, state.current_player) == ((1, 0, 1), 0)
    seen = RoundView.of(state, {2: 1})
    assert (seen.bids, seen.kinds) == (((), ((1, 4),)), (1,))
    assert more_inputs(game, seen, **MORE) == [*ones(game, ["1x4"], 18), 54 + 1]


def test_who_sits_where():
    """The next player first, each by one of three places: survivalist, aggressive, itself."""
    state = reached(GAME, ROUND)
    assert more_inputs(GAME, RoundView.of(state, {0: 1, 1: 9, 2: 0}), identity=True) == [0, 3 + 1]
    assert more_inputs(GAME, RoundView.of(state, {0: 2, 2: 2}), identity=True) == [2, 3 + 2]
    assert replace(PUBLISHED, identity=True).kinds(["b", "a", "b"]) == ("b", "a")
    assert replace(PUBLISHED, self_play=0.1).kinds(["b", "a"]) == ("b", "a", "itself")


def test_opponents_that_are_equal_are_of_one_kind():
    assert kinds_of([Survivalist(), Random(), Survivalist(), Random()]) == [0, 1, 0, 1]
    game, settings = WildOnes(4, 1), replace(PUBLISHED, **MORE)
    learner = DQNLearner(game, [Random(), Survivalist(), Random()], settings, 1)
    assert learner.kinds == [0, 1, 0]
    assert learner.network.sizes == settings.sizes(game, 3)  # 0, 1 and itself


def improved(game=GAME, opponents="survivalist+aggressive", **settings):
    settings = replace(PUBLISHED, width=8, **(MORE | settings))
    sizes = settings.sizes(game, len(settings.kinds(opponents.split("+"))))
    return DQNPlayer(game, settings, Network.fresh(sizes, 4), opponents)


def test_values_at_a_state():
    player, state = improved(), reached(GAME, ROUND)
    values = player.values(state, NAMES)
    assert tuple(values) == state.legal_actions()
    assert player.choices(player.seen(state, NAMES)) == (max(values, key=values.__getitem__),)
    assert values != player.values(state, {0: "itself", 2: "itself"})
    raw = player.network.values(np.array(inputs(RoundView.of(state, {0: 1, 2: 0}), GAME, player.settings, 3)))
    assert values["liar"] == raw[0]
    assert values["3x6"] == raw[GAME.number("3x6")]
    # In a smaller game the actions have other numbers, but this network's.
    duel = reached(WildOnes(2, 2), (0, (2, 3), (1, 4), "1x2"))
    assert tuple(player.values(duel, {0: "aggressive"})) == duel.legal_actions()


def test_what_a_player_must_know():
    player, state = improved(), reached(GAME, ROUND)
    for view in (View.of(state), improved(identity=False).seen(state)):
        with pytest.raises(ValueError, match=r"must know who sits where|needs a RoundView"):
            player.choices(view)
    with pytest.raises(ValueError, match="must know who sits where"):
        player.action_probabilities(state)
    with pytest.raises(ValueError, match="kinds must name the player in seat 0"):
        player.values(state, {2: "aggressive"})
    with pytest.raises(ValueError, match="knows survivalist, aggressive, itself, but not 'random'"):
        player.values(state, {0: "random", 2: "aggressive"})
    quiet = improved(identity=False)
    assert sum(quiet.action_probabilities(state).values()) == 1
    for one in (player, quiet):
        with pytest.raises(ValueError, match="sees more than a view, so it has no table over views"):
            one.table()


# The network


def test_values_are_those_of_torch():
    torch = pytest.importorskip("torch")
    network = Network.fresh((15, 64, 64, 38), 5)
    states = np.random.default_rng(1).integers(0, 3, (20, 15)).astype(np.float32)
    seen = torch.from_numpy(states)
    for number, (matrix, bias) in enumerate(network.layers()):
        seen = seen @ torch.from_numpy(matrix) + torch.from_numpy(bias)
        seen = seen if number == 2 else seen.relu()
    np.testing.assert_allclose(network.values(states), seen.numpy(), atol=1e-6)
    np.testing.assert_array_equal(network.values(states[3]), network.values(states)[3])


def test_fresh_weights_spread_as_those_of_torch():
    network = Network.fresh((15, 64, 38), 5)
    for (matrix, bias), (rows, _) in zip(network.layers(), pairwise(network.sizes), strict=True):
        both = np.concatenate([matrix.ravel(), bias])
        assert 0.95 / rows**0.5 < np.abs(both).max() <= 1 / rows**0.5
        assert abs(both.std() * (3 * rows) ** 0.5 - 1) < 0.1
    assert (network.weights == Network.fresh((15, 64, 38), 5).weights).all()
    assert (network.weights != Network.fresh((15, 64, 38), 6).weights).any()


def test_weights_and_batches_lie_where_products_round_alike():
    for _ in range(20):
        network, batch = Network.fresh((15, 64, 38), 1), Memory(9, 15, 38)
        batch.add(range(15), 0, 0)
        for one in (network.weights, network.copy().weights, batch.batch([0]).states):
            assert one.ctypes.data % 64 == 0
            assert one.dtype == np.float32
            assert one.flags.c_contiguous


def test_weights_must_fit():
    with pytest.raises(ValueError, match=r"a network of \(2, 3\) has float32\[9\] weights, not float64\[9\]"):
        Network((2, 3), np.zeros(9))


def biased(settings, game, values):
    """A network of one layer that gives actions the same values whatever it sees."""
    network = Network(settings.sizes(game), np.zeros(Network.count(settings.sizes(game)), np.float32))
    for action, value in values.items():
        network.layers()[-1][1][game.number(action)] = value
    return network


def test_the_best_legal_action_is_played():
    settings = replace(PUBLISHED, layers=1)
    player = DQNPlayer(GAME, settings, biased(settings, GAME, {"1x2": 3, "liar": 2, "2x2": 1, "2x3": 1}))
    assert player.choices(View((1, 4), 6, None, 2, 2)) == ("1x2",)
    assert player.choices(View((1, 4), 6, (1, 5), 2, 2)) == ("liar",)
    equal = DQNPlayer(GAME, settings, biased(settings, GAME, {"liar": -1, "exact": -1, "2x1": -1}))
    assert equal.choices(View((1, 4), 6, (2, 5), 2, 2)) == ("1x1",)  # the lowest number among equals


def test_a_player_needs_a_network_of_its_size():
    with pytest.raises(ValueError, match=r"need a network with the sizes \(15, 64, 64, 38\), not \(15, 38\)"):
        DQNPlayer(GAME, PUBLISHED, Network.fresh((15, 38), 1))


@pytest.mark.parametrize("encoding", ["histograms", "raw"])
@pytest.mark.parametrize("game", [WildOnes(2, 1), WildOnes(2, 2), WildOnes(4, 1)], ids=str)
def test_a_table_is_the_network_view_by_view(game, encoding):
    settings = replace(PUBLISHED, encoding=encoding, width=8)
    player = DQNPlayer(game, settings, Network.fresh(settings.sizes(game), 3))
    np.testing.assert_array_equal(player.table(), table(Views(game, neighbours=True), player))


def test_a_network_plays_a_smaller_game():
    """With two players left of three, as it would in the larger game."""
    player = DQNPlayer(GAME, PUBLISHED, Network.fresh(PUBLISHED.sizes(GAME), 3))
    duel = WildOnes(2, 2)
    np.testing.assert_array_equal(player.table(duel), table(Views(duel, neighbours=True), player))
    for other in (WildOnes(4, 2), WildOnes(3, 1), WildOnes(2, 3)):
        with pytest.raises(ValueError, match="cannot play WildOnes"):
            player.table(other)


# The memory


def test_the_latest_transitions_are_kept():
    memory = Memory(3, 2, 4)
    for number in range(5):
        memory.add((number, 1), number % 4, number / 2, None if number == 3 else (number, 2), (0, number % 4))
    assert (len(memory), memory.stored) == (3, 5)
    latest = memory.latest(3)
    np.testing.assert_array_equal(latest.states, [[2, 1], [3, 1], [4, 1]])
    np.testing.assert_array_equal(latest.actions, [2, 3, 0])
    np.testing.assert_array_equal(latest.rewards, [1, 1.5, 2])
    np.testing.assert_array_equal(latest.nexts, [[2, 2], [0, 0], [4, 2]])
    np.testing.assert_array_equal(latest.goes_on, [True, False, True])
    np.testing.assert_array_equal(latest.legal[0], [True, False, True, False])


def test_no_more_is_looked_at_than_the_memory_holds():
    memory = Memory(3, 1, 1)
    for held, number in ((1, 5), (2, 6), (3, 7), (3, 8)):
        memory.add((number,), 0, 0)
        np.testing.assert_array_equal(memory.latest(held).states[:, 0], range(number - held + 1, number + 1))
        with pytest.raises(ValueError, match=f"holds {held} transitions, fewer than {held + 1}"):
            memory.latest(held + 1)


def test_draws_are_different_and_even():
    memory, stream = Memory(10, 1, 1), Stream(4)
    for _ in range(7):
        memory.add((0,), 0, 0)
    draws = [memory.drawn(3, stream) for _ in range(4000)]
    assert all(len(set(draw)) == 3 for draw in draws)
    counts = np.bincount(np.concatenate(draws), minlength=7)
    assert len(counts) == 7
    assert chisquare(counts).pvalue > 1e-4
    assert sorted(memory.drawn(7, stream)) == list(range(7))
    with pytest.raises(ValueError, match="holds 7 transitions, fewer than 8"):
        memory.drawn(8, stream)


# Transitions by hand


class ScriptOverError(Exception):
    """Nothing more was written: the game breaks off."""


def following(script):
    """The next of what was written.

    Raises:
        ScriptOverError: there is nothing left.
    """
    for one in script:
        return one
    raise ScriptOverError


class Numbers(Stream):
    """A stream that says what was written for it."""

    def __init__(self, numbers):
        self.numbers = iter(numbers)

    def next(self):
        return following(self.numbers)


class Scripted(Policy):
    """What was written for it, in order."""

    def __init__(self, actions):
        self.actions = iter(actions)

    def choices(self, view):
        action = following(self.actions)
        assert action in view.legal()
        return (action,)


def number(digits, bases):
    """The 64 bits from which ``Digits`` draws these digits."""
    fraction, step = 0.0, 1.0
    for digit, base in zip(digits, bases, strict=True):
        step /= base
        fraction += digit * step
    return int((fraction + step / 2) * 2**64)


def transitions(monkeypatch, game, agent, rounds, **settings):
    """Play rounds of dice and actions, the agent in one seat, the others as scripted; what is in the memory.

    Args:
        agent: its seat; the others sit around it in their order.
        rounds: for each the dice of the seats that have some, in order, and the actions, each after its seat.
    """
    players = game.num_players
    wanted = list(range(players - 1))
    wanted.insert(agent, players - 1)
    order, swaps = list(range(players)), []
    for last in range(players - 1, 0, -1):
        swaps.append(order.index(wanted[last]))
        order[last], order[swaps[-1]] = order[swaps[-1]], order[last]
    numbers, scripts = [number(swaps, range(players, 1, -1))], {seat: [] for seat in range(players)}
    for dice, turns in rounds:
        numbers += [number([int(face) - 1 for face in hand], [6] * len(hand)) for hand in dice]
        for seat, action in turns:
            scripts[seat].append(action)
            numbers += [0] * (seat == agent)  # to explore or not
    learner = DQNLearner(game, [Random()] * (players - 1), replace(GREEDY, **settings), 1)
    learner.opponents = tuple(Scripted(scripts[wanted.index(player)]) for player in range(players - 1))
    own = Scripted(scripts[agent])
    learner.greedy = lambda view: own.choices(view)[0]
    monkeypatch.setattr(learning, "Stream", lambda *_: Numbers(numbers))
    with suppress(ScriptOverError):
        learner.play()
    return learner.memory.latest(len(learner.memory))


def shown(batch, game):
    """Actions, rewards, and whether the episode went on."""
    return [
        (game.action(int(action)), float(reward), bool(goes_on))
        for action, reward, goes_on in zip(batch.actions, batch.rewards, batch.goes_on, strict=True)
    ]


def test_outbid_twice_and_say_liar(monkeypatch):
    turns = [(0, "1x2"), (1, "1x3"), (2, "1x4"), (0, "1x5"), (1, "2x6"), (2, "liar")]
    found = transitions(monkeypatch, GAME, 2, [(["23", "34", "45"], turns)])
    assert shown(found, GAME) == [("1x4", 0, True), ("liar", 1, False)]
    np.testing.assert_array_equal(found.states[0], encoded(View((4, 5), 6, (1, 3), 2, 2), "histograms", 2))
    np.testing.assert_array_equal(found.nexts[0], encoded(View((4, 5), 6, (2, 6), 2, 2), "histograms", 2))
    np.testing.assert_array_equal(found.states[1], found.nexts[0])
    # The mask is that of the NEXT state: what may follow on 2x6, not on 1x3.
    assert [GAME.action(int(k)) for k in np.flatnonzero(found.legal[0])] == sorted(allowed(6, (2, 6)), key=GAME.number)
    assert not found.nexts[1].any()
    assert not found.legal[1].any()


@pytest.mark.parametrize(
    ("dice", "turns", "expected"),
    [
        (["23", "34", "45"], [(0, "1x2"), (1, "1x3"), (2, "liar")], ("liar", -2)),
        (["23", "24", "45"], [(0, "1x3"), (1, "3x6"), (2, "liar")], ("liar", 1)),
        (["23", "34", "45"], [(0, "1x2"), (1, "2x3"), (2, "exact")], ("exact", 2)),  # though no die is won back
        (["23", "34", "45"], [(0, "1x2"), (1, "2x5"), (2, "exact")], ("exact", -2)),
        (["23", "34", "45"], [(0, "1x2"), (1, "1x3"), (2, "2x6"), (0, "liar")], ("2x6", -2)),
        (["23", "34", "45"], [(0, "1x2"), (1, "1x3"), (2, "1x5"), (0, "liar")], ("1x5", 1)),
        (["23", "34", "45"], [(0, "1x2"), (1, "1x3"), (2, "1x5"), (0, "exact")], ("1x5", -0.5)),
        (["23", "34", "45"], [(0, "1x2"), (1, "1x3"), (2, "2x6"), (0, "exact")], ("2x6", 1)),
        (["23", "34", "45"], [(0, "1x2"), (1, "1x3"), (2, "1x5"), (0, "1x6"), (1, "liar")], ("1x5", 0)),
        (["23", "34", "45"], [(0, "1x2"), (1, "1x3"), (2, "1x4"), (0, "2x4"), (1, "liar")], ("1x4", 0)),
    ],
)
def test_each_reward_of_the_table(monkeypatch, dice, turns, expected):
    found = transitions(monkeypatch, GAME, 2, [(dice, turns)])
    assert shown(found, GAME) == [(*expected, False)]


def test_a_round_without_a_decision_leaves_nothing(monkeypatch):
    found = transitions(monkeypatch, GAME, 2, [(["23", "34", "45"], [(0, "1x2"), (1, "liar")])])
    assert len(found.actions) == 0


THIRD = [
    (["2", "3", "4"], [(0, "1x2"), (1, "1x3"), (2, "1x4"), (0, "3x5"), (1, "liar")]),  # the first player is out
    (["3", "5"], [(1, "1x3"), (2, "1x5"), (1, "liar")]),  # so is the second
]


@pytest.mark.parametrize("closes", [True, False])
def test_a_third_player_is_out(monkeypatch, closes):
    """As described the round ends the episode; as coded it goes on to the agent's next decision."""
    game = WildOnes(3, 1)
    found = transitions(monkeypatch, game, 2, THIRD, third_party_closes=closes)
    assert shown(found, game) == [("1x4", 0, not closes), ("1x5", 1, False)]
    if not closes:
        np.testing.assert_array_equal(found.nexts[0], encoded(View((5,), 2, (1, 3), 1, 1), "histograms", 1))
        assert set(np.flatnonzero(found.legal[0])) == set(map(game.number, allowed(2, (1, 3))))


def test_a_third_player_who_challenged_and_is_out_closes_the_episode(monkeypatch):
    game = WildOnes(3, 1)
    rounds = [(["2", "3", "4"], [(0, "1x2"), (1, "1x3"), (2, "1x4"), (0, "2x1"), (1, "exact")]), THIRD[1]]
    rounds[1] = (["3", "5"], [(2, "1x5"), (0, "liar")])
    for closes in (True, False):
        found = transitions(monkeypatch, game, 2, rounds, third_party_closes=closes)
        assert shown(found, game) == [("1x4", 0, False), ("1x5", 1, False)]


def test_an_open_episode_ends_with_a_later_round_without_a_decision(monkeypatch):
    """Four players: the agent bids, another is found out and gone, and the next round ends before the agent's turn."""
    game = WildOnes(4, 1)
    rounds = [
        (["2", "3", "4", "5"], [(0, "1x2"), (1, "1x3"), (2, "1x4"), (3, "3x5"), (0, "liar")]),
        (["2", "3", "4"], [(0, "1x2"), (1, "liar")]),  # wrong: player 1 is out
        (["2", "4"], [(2, "1x4"), (0, "liar")]),
    ]
    found = transitions(monkeypatch, game, 2, rounds, third_party_closes=False)
    assert shown(found, game) == [("1x4", 0, False), ("1x4", 1, False)]


def test_episodes_of_whole_games(monkeypatch):
    """Rewards come when rounds end, what is seen next is in a later round, and the last die ends it."""
    game = WildOnes(3, 2)
    rounds = [
        (["23", "34", "45"], [(0, "1x2"), (1, "2x5"), (2, "liar")]),  # right: player 1 has one die left
        (["23", "3", "45"], [(1, "1x3"), (2, "3x6"), (0, "liar")]),  # the agent lied
        (["23", "3", "4"], [(2, "2x6"), (0, "liar")]),  # and again: it is out
    ]
    found = transitions(monkeypatch, game, 2, rounds, episodes="games")
    assert shown(found, game) == [("liar", 1, True), ("3x6", -2, True), ("2x6", -2, False)]
    np.testing.assert_array_equal(found.nexts[0], encoded(View((4, 5), 5, (1, 3), 1, 2), "histograms", 2))
    np.testing.assert_array_equal(found.nexts[1], encoded(View((4,), 4, None, 1, 2), "histograms", 2))


@pytest.mark.parametrize("episodes", ["rounds", "games"])
def test_winning_may_be_rewarded(monkeypatch, episodes):
    game = WildOnes(3, 1)
    found = transitions(monkeypatch, game, 2, THIRD, episodes=episodes, win=10)
    assert shown(found, game) == [("1x4", 0, episodes == "games"), ("1x5", 11, False)]


def test_the_agent_in_another_seat(monkeypatch):
    found = transitions(monkeypatch, GAME, 0, [(["23", "34", "45"], [(0, "1x2"), (1, "1x3"), (2, "1x4"), (0, "liar")])])
    assert shown(found, GAME) == [("1x2", 0, True), ("liar", -2, False)]
    np.testing.assert_array_equal(found.states[0], encoded(View((2, 3), 6, None, 2, 2), "histograms", 2))


def test_copies_of_itself(monkeypatch):
    """All seats go by the agent's network, but what is kept is the agent's own seat's."""
    asked = []

    def watched(view):
        asked.append(view)
        return view.legal()[0]

    settings = replace(GREEDY, history=True, identity=True, self_play=1.0)
    learner = DQNLearner(GAME, [Scripted([]), Scripted([])], settings, 1)
    learner.greedy = watched
    for _ in range(20):
        learner.play()
    assert {view.kinds for view in asked} == {(2, 2), (2,)}  # for each of them, all others are copies
    assert learner.decisions == learner.memory.stored < len(asked) / 2
    kept = learner.memory.latest(len(learner.memory)).states
    np.testing.assert_array_equal(kept[:, -6:].reshape(-1, 2, 3)[:, 0], np.tile([0, 0, 1], (len(kept), 1)))


def test_a_share_of_games_among_copies():
    learner = DQNLearner(GAME, [Random(), Random()], replace(PUBLISHED, identity=True, self_play=0.25, batch=5000), 1)
    for _ in range(200):
        learner.play(warm=True)
    copies = learner.memory.latest(len(learner.memory)).states[:, 15 + 1]
    assert 0.15 < copies.mean() < 0.35


def test_steps_before_games():
    settings = replace(PUBLISHED, warm_games=30, games=0, batch=16, offline_steps=7)
    done = DQNLearner(GAME, [Random(), Random()], settings, 5).train()
    assert (done.steps, done.decisions, done.places.shape) == (7, 0, (0, 3))
    with pytest.raises(ValueError, match="the memory holds 0 transitions, fewer than 16"):
        DQNLearner(GAME, [Random(), Random()], replace(settings, warm_games=0), 5).train()


def test_one_opponent_a_player():
    with pytest.raises(ValueError, match="a game of 3 players needs 2 opponents, not 1"):
        DQNLearner(GAME, [Survivalist()], PUBLISHED, 1)


# Targets and steps


def aims(settings, chosen_by, judged_by, legal, goes_on=True, reward=0.5):
    """What one transition is moved towards, by networks that give actions constant values."""
    optimiser = TorchOptimiser(biased(settings, GAME, chosen_by), settings)
    optimiser.target.weights[:] = biased(settings, GAME, judged_by).weights
    batch = Batch.empty(1, 15, 38)
    batch.rewards[0], batch.goes_on[0] = reward, goes_on
    batch.legal[0, [GAME.number(action) for action in legal]] = True
    return float(optimiser.td_targets(batch)[0])


def test_targets_by_hand():
    flat = replace(PUBLISHED, layers=1)
    own, other = {"liar": 5, "1x2": 3, "1x3": 2, "1x4": 1}, {"liar": 9, "1x2": -1, "1x3": 4, "1x4": 6}
    legal = ("1x2", "1x3")
    assert aims(flat, own, other, legal) == 0.5 - 1  # chosen by the one, judged by the other; liar is not legal
    assert aims(replace(flat, double=False), own, other, legal) == 0.5 + 4
    assert aims(replace(flat, discount=0.5), own, other, legal) == 0.5 - 0.5
    assert aims(flat, own, other, (), goes_on=False) == 0.5
    negative = dict.fromkeys(legal, -7)
    assert aims(flat, negative, negative, legal) == 0.5 - 7  # what is not legal is worth nothing, not zero


def test_without_a_target_network():
    settings = replace(PUBLISHED, layers=1, target=False)
    optimiser = TorchOptimiser(biased(settings, GAME, {"1x2": 3}), settings)
    assert optimiser.target is optimiser.network


def some_batch(rows=64, seed=2):
    numbers = np.random.default_rng(seed)
    batch = Batch.empty(rows, 15, 38)
    batch.states[:], batch.nexts[:] = numbers.integers(0, 3, (2, rows, 15))
    batch.actions[:], batch.rewards[:] = numbers.integers(0, 38, rows), numbers.choice([-2, 1, 0], rows)
    batch.legal[:], batch.goes_on[:] = numbers.random((rows, 38)) < 0.3, numbers.random(rows) < 0.5
    return batch


def test_a_step_is_that_of_a_torch_module():
    """Written the usual way: linear layers, autograd, clipped values, AdamW over the layers' parameters."""
    torch = pytest.importorskip("torch")
    settings = replace(PUBLISHED, width=16, clip=0.01, learning_rate=0.1)
    network = Network.fresh(settings.sizes(GAME), 1)
    modules = [torch.nn.Linear(*sizes) for sizes in pairwise(network.sizes)]
    for module, (matrix, bias) in zip(modules, network.layers(), strict=True):
        module.weight.data, module.bias.data = torch.tensor(matrix.T.copy()), torch.tensor(bias.copy())
    usual = torch.nn.Sequential(modules[0], torch.nn.ReLU(), modules[1], torch.nn.ReLU(), modules[2])
    adam = torch.optim.AdamW(usual.parameters(), lr=0.1, amsgrad=True, weight_decay=1e-2)
    optimiser = TorchOptimiser(network, settings)
    before = optimiser.target.weights.copy()
    for number in range(3):
        batch = some_batch(seed=number)
        goals = torch.from_numpy(optimiser.td_targets(batch).copy())
        chosen = usual(torch.from_numpy(batch.states)).gather(1, torch.from_numpy(batch.actions)[:, None])[:, 0]
        adam.zero_grad()
        torch.nn.HuberLoss()(chosen, goals).backward()
        torch.nn.utils.clip_grad_value_(usual.parameters(), 0.01)
        adam.step()
        optimiser.step(batch)
        for module, (matrix, bias) in zip(modules, network.layers(), strict=True):
            np.testing.assert_allclose(matrix, module.weight.detach().numpy().T, atol=1e-5)
            np.testing.assert_allclose(bias, module.bias.detach().numpy(), atol=1e-5)
        before += np.float32(settings.tau) * (network.weights - before)
        np.testing.assert_allclose(optimiser.target.weights, before, atol=1e-7)
    assert optimiser.steps == 3


def test_the_target_follows_softly():
    settings = replace(PUBLISHED, tau=0.25)
    optimiser = TorchOptimiser(Network.fresh(settings.sizes(GAME), 1), settings)
    before = optimiser.target.weights.copy()
    optimiser.step(some_batch())
    np.testing.assert_allclose(optimiser.target.weights, 0.75 * before + 0.25 * optimiser.network.weights, atol=1e-6)
    assert (optimiser.network.weights != before).any()


def test_steps_come_after_every_so_many_decisions():
    settings = replace(PUBLISHED, warm_games=3, games=20, batch=8, every=4)
    learner = DQNLearner(GAME, [Random(), Random()], settings, 5)
    done = learner.train()
    assert done.steps == done.decisions // 4 > 5
    assert learner.memory.stored > done.decisions  # the games before count as well
    assert done.places.shape == (20, 3)


def test_no_step_before_the_memory_holds_a_batch():
    settings = replace(PUBLISHED, warm_games=0, games=20, batch=16, every=1)
    learner = DQNLearner(GAME, [Random(), Random()], settings, 5)
    done = learner.train()
    assert 0 < done.steps <= done.decisions - 15


def test_watching_does_not_change_the_run():
    settings, watched = replace(PUBLISHED, warm_games=3, games=10, batch=8), []
    one = DQNLearner(GAME, [Random(), Random()], settings, 5).train()
    other = DQNLearner(GAME, [Random(), Random()], settings, 5).train(lambda games, _: watched.append(games), 4)
    assert watched == [4, 8]
    np.testing.assert_array_equal(one.network.weights, other.network.weights)


# Files


@pytest.fixture
def saved(tmp_path):
    settings = replace(PUBLISHED, width=8, win=2.5, encoding="raw")
    player = DQNPlayer(WildOnes(2, 2), settings, Network.fresh(settings.sizes(WildOnes(2, 2)), 3), "survivalist", 2**63)
    return player, player.save(tmp_path / "deep" / "one.safetensors")


def test_a_saved_network_plays_as_before(saved):
    player, path = saved
    found = load(path)
    assert (found.game, found.settings, found.opponents, found.seed) == (
        player.game,
        player.settings,
        "survivalist",
        2**63,
    )
    np.testing.assert_array_equal(found.network.weights, player.network.weights)
    np.testing.assert_array_equal(found.table(), player.table())
    about = json.loads(path.with_suffix(".json").read_text())
    assert about["settings"]["win"] == 2.5
    assert set(about["versions"]) == {"python", "learned-and-checked", "numpy", "numba", "torch", "safetensors"}


def test_a_network_that_sees_more_is_saved_too(tmp_path):
    player = improved()
    found = load(player.save(tmp_path / "one.safetensors"))
    assert (found.settings, found.kinds) == (player.settings, ("survivalist", "aggressive", "itself"))
    state = reached(GAME, ROUND)
    assert found.values(state, NAMES) == player.values(state, NAMES)


def rewrite(path, **changes):
    beside = path.with_suffix(".json")
    about = json.loads(beside.read_text()) | changes
    beside.write_text(json.dumps({key: value for key, value in about.items() if value is not None}))


def write(path, tensors):
    """Other tensors, and the right digest of them."""
    from safetensors.numpy import save_file

    save_file(tensors, path)
    rewrite(path, sha256=digest(path))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.unlink(), r"one\.safetensors: there is no such file"),
        (lambda path: path.with_suffix(".json").unlink(), r"one\.json: there is no such file"),
        (lambda path: path.with_suffix(".json").write_text("{"), r"one\.json: this is no JSON"),
        (lambda path: path.with_suffix(".json").write_bytes(b"\xff\xfe"), r"one\.json: this is no JSON"),
        (lambda path: path.with_suffix(".json").write_text("[1]"), r"one\.json: .* expected 'network of wild ones, 2'"),
        (lambda path: rewrite(path, format="other"), r"one\.json: this describes no network.*not 'other'"),
        (lambda path: rewrite(path, seed=None), r"one\.json: seed is missing"),
        (lambda path: rewrite(path, game={"num_players": 9, "dice": 2}), r"one\.json: num_players must be"),
        (lambda path: rewrite(path, settings=[]), r"one\.json: "),
        (
            lambda path: path.write_bytes(path.read_bytes()[:-20]),
            r"one\.safetensors: this is no safetensors file, or it",
        ),
        (lambda path: path.write_bytes(b""), r"one\.safetensors: this is no safetensors file, or it was cut off"),
        (lambda path: path.write_bytes(b"PK\x03\x04 zip"), r"one\.safetensors: this is no safetensors file"),
        (
            lambda path: path.write_bytes(path.read_bytes()[:-1] + b"\x7f"),
            r"one\.safetensors: these are not the weights that one\.json describes",
        ),
        (
            lambda path: write(path, {"w": np.zeros(3, np.float32)}),
            r"one\.safetensors: layer0\.weight must be float32\[7, 8\], not nothing",
        ),
        (
            lambda path: write(path, {"layer0.weight": np.zeros((8, 7), np.float32)}),
            r"one\.safetensors: layer0\.weight must be float32\[7, 8\], not float32\[8, 7\]",
        ),
    ],
)
def test_files_that_hold_no_network(saved, spoil, message):
    spoil(saved[1])
    with pytest.raises(NetworkFileError, match=message):
        load(saved[1])


def test_more_than_a_network_or_less_than_numbers(saved):
    from safetensors.numpy import load_file

    path = saved[1]
    tensors = load_file(path)
    write(path, tensors | {"layer9.weight": np.zeros(2, np.float32)})
    with pytest.raises(NetworkFileError, match=r"there is more than the network: layer9\.weight"):
        load(path)
    tensors["layer1.bias"][0] = np.nan
    write(path, tensors)
    with pytest.raises(NetworkFileError, match="some weights are not finite"):
        load(path)


def test_the_ending_of_a_file(saved, tmp_path):
    for does in (saved[0].save, load):
        with pytest.raises(NetworkFileError, match=r"one\.pkl: a network is kept in a file that ends in \.safetensors"):
            does(tmp_path / "one.pkl")


def test_settings_have_the_documents_defaults():
    assert DQNSettings() == PUBLISHED
    assert (PUBLISHED.batch, PUBLISHED.learning_rate, PUBLISHED.weight_decay) == (256, 3e-3, 1e-2)
    assert (PUBLISHED.warm_games, PUBLISHED.games, PUBLISHED.discount, PUBLISHED.tau) == (300, 5000, 1, 1e-3)
    assert (PUBLISHED.epsilon_start, PUBLISHED.epsilon_end) == (1, 0.2)
