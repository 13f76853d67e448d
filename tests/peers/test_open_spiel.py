"""OpenSpiel plays the same games and measures the same NashConv, expected returns and equilibria as this package.

OpenSpiel (Lanctot et al., 2019) reads ace-king-queen from the exported file, and has rules of its own for Kuhn's
poker, Leduc poker and Liar's Dice. It computes in floats; what it calls exploitability is NashConv divided by the
number of players.
"""

import random
from fractions import Fraction

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as their_policy
from open_spiel.python.algorithms import exploitability as theirs
from open_spiel.python.algorithms.expected_game_score import policy_value

from benchmarks import open_spiel
from support.core.export import to_gambit
from support.core.flat import unfold
from support.core.policy import TabularPolicy, from_weights, uniform
from support.exact.best_response import expected_returns, exploitability, nash_conv
from support.exact.nash_conv_fast import normalise
from support.exact.sequence_form import solve
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import VALUE, Kuhn
from support.games.cards.leduc import Leduc
from support.games.cups.liars_dice import LiarsDice
from support.games.wild_ones.rules import WildOnes
from support.learners import mccfr_fast
from support.learners.public_tree_fast import nash_convs, run
from support.peers import shared

POLICIES = 120
CFR_ITERATIONS = 400
CLOSE = 1e-9

PUBLISHED = (
    {"Q": "c", "K": "c", "A": "c", "Qcr": "f", "Kcr": "ccf", "Acr": "r", "Qrr": "f", "Krr": "c", "Arr": "c"},
    {"Qc": "ccr", "Kc": "c", "Ac": "r", "Qr": "f", "Kr": "fc", "Ar": "r", "Acrr": "c", "Qcrr": "f", "Kcrr": "f"},
)
"""The published strategy for ace-king-queen by player, each letter with equal weight; it leaves Kcrr open."""


class Pair:
    """A game of ours and the same game in OpenSpiel, with a translation of information states and actions.

    Both trees are walked in step. At the ends the returns must agree, on the way the number of actions and the player.
    """

    def __init__(self, game, their_game, deal):
        """Args: ``deal`` gives OpenSpiel's chance outcomes for the place and the outcome of one of ours."""
        self.game, self.theirs, self.deal = game, their_game, deal
        self.flat = unfold(game)
        self.where = {}  # from OpenSpiel's information state to ours
        self.actions = {}  # from OpenSpiel's information state to pairs of its action and ours
        self._walk(game.initial_state(), their_game.new_initial_state())

    def _walk(self, ours, their_state):
        assert ours.is_terminal() == their_state.is_terminal()
        if ours.is_terminal():
            assert list(ours.returns()) == their_state.returns()
            return
        if their_state.is_chance_node():
            for place, (outcome, probability) in enumerate(ours.chance_outcomes()):
                after, chance = their_state, 1.0
                for action in self.deal(place, outcome):
                    chance *= dict(after.chance_outcomes())[action]
                    after = after.child(action)
                assert chance == pytest.approx(float(probability))
                self._walk(ours.child(outcome), after)
            return
        player = ours.current_player
        assert their_state.current_player() == player
        pairs = list(zip(their_state.legal_actions(), ours.legal_actions(), strict=True))
        key, where = their_state.information_state_string(), (player, ours.information_state(player))
        assert self.where.setdefault(key, where) == where
        assert self.actions.setdefault(key, pairs) == pairs
        for their_action, action in pairs:
            self._walk(ours.child(action), their_state.child(their_action))

    def to_theirs(self, policy):
        """OpenSpiel's table of one of our policies."""
        table = their_policy.TabularPolicy(self.theirs)
        assert set(table.state_lookup) == set(self.where)
        for key, row in table.state_lookup.items():
            table.action_probability_array[row] = 0
            for their_action, action in self.actions[key]:
                chance = policy.row(self.where[key]).get(action, 0)
                table.action_probability_array[row, their_action] = float(chance)
        return table

    def from_theirs(self, policy):
        """Our table of one of OpenSpiel's policies; floats are taken as the fractions they are and made to sum to 1."""
        table = {}
        for key, where in self.where.items():
            chances = policy.action_probabilities(key)
            row = {action: Fraction(chances[their_action]) for their_action, action in self.actions[key]}
            table[where] = {action: chance / sum(row.values()) for action, chance in row.items()}
        return TabularPolicy(table, "OpenSpiel's")

    def assert_agrees_on(self, policy):
        """NashConv, exploitability and expected returns of one policy, measured by both."""
        table, exact = self.to_theirs(policy), nash_conv(self.flat, policy)
        assert theirs.nash_conv(self.theirs, table) == pytest.approx(float(exact), abs=CLOSE)
        assert theirs.exploitability(self.theirs, table) == pytest.approx(
            float(exploitability(self.flat, policy)), abs=CLOSE
        )
        returns = policy_value(self.theirs.new_initial_state(), [table, table])
        assert list(returns) == pytest.approx(list(map(float, expected_returns(self.flat, policy))), abs=CLOSE)


@pytest.fixture(scope="module")
def poker(tmp_path_factory):
    file = tmp_path_factory.mktemp("gambit") / "ace-king-queen.efg"
    file.write_text(to_gambit(AceKingQueen()), encoding="utf-8")
    return Pair(AceKingQueen(), pyspiel.load_game("efg_game", {"filename": str(file)}), lambda place, _: [place])


@pytest.fixture(scope="module")
def kuhn():
    return Pair(Kuhn(), pyspiel.load_game("kuhn_poker"), lambda _, cards: ["JQK".index(card) for card in cards])


@pytest.fixture(scope="module")
def leduc():
    game = pyspiel.load_game("leduc_poker", {"suit_isomorphism": True})
    return Pair(Leduc(), game, lambda _, cards: ["JQK".index(card) for card in cards])


@pytest.fixture(scope="module")
def small_dice():
    game = pyspiel.load_game("liars_dice", {"dice_sides": 3})
    return Pair(LiarsDice(3), game, lambda _, dice: [die - 1 for die in dice])


@pytest.fixture(params=["poker", "kuhn", "leduc", "small_dice"])
def pair(request):
    return request.getfixturevalue(request.param)


def test_the_information_states_are_the_same(pair):
    assert len(pair.where) == len(pair.flat.information_states)
    assert set(pair.where.values()) == set(pair.flat.information_states)


def test_the_exported_file_is_read_with_its_names_and_as_zero_sum(poker):
    assert poker.theirs.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    state = poker.theirs.new_initial_state()
    labels = [state.action_to_string(action) for action, _ in state.chance_outcomes()]
    assert labels == [f"{a} {b}" for a in "AKQ" for b in "AKQ"]
    state = state.child(1)
    assert [state.action_to_string(action) for action in state.legal_actions()] == ["c", "r"]


def test_the_uniform_policy_measures_the_same(pair):
    pair.assert_agrees_on(uniform(pair.flat))


def test_kuhns_poker_against_chance_has_a_nash_conv_of_eleven_twelfths(kuhn):
    assert nash_conv(kuhn.flat, uniform(kuhn.flat)) == Fraction(11, 12)
    table = their_policy.TabularPolicy(kuhn.theirs)
    assert theirs.nash_conv(kuhn.theirs, table) == pytest.approx(11 / 12, abs=CLOSE)


def test_the_published_strategy_measures_the_same(poker):
    rows = {(player, text): row for player in (0, 1) for text, row in PUBLISHED[player].items()}
    published = TabularPolicy(
        {where: {a: Fraction(row.count(a), len(row)) for a in row} for where, row in rows.items()}
    )
    assert nash_conv(poker.flat, published) == Fraction(7, 54)
    poker.assert_agrees_on(published)


def test_random_policies_measure_the_same(pair):
    """Probabilities out of small integers, so that ours are exact and some actions are never played."""
    numbers = np.random.default_rng(20_190_826)
    for _ in range(POLICIES if len(pair.where) < 50 else 10):
        pair.assert_agrees_on(from_weights(pair.flat, numbers.integers(0, 8, pair.flat.slots[-1])))


def test_openspiel_accepts_our_equilibrium(pair):
    found = solve(pair.flat)
    table = pair.to_theirs(TabularPolicy({**found.policies[0].table, **found.policies[1].table}))
    assert theirs.nash_conv(pair.theirs, table) == pytest.approx(0, abs=CLOSE)
    returns = policy_value(pair.theirs.new_initial_state(), [table, table])
    assert list(returns) == pytest.approx([float(found.value), -float(found.value)], abs=CLOSE)


@pytest.mark.parametrize(("name", "value"), [("poker", Fraction(-1, 36)), ("kuhn", VALUE)])
def test_openspiels_own_solver_ends_near_our_value(name, value, request):
    """Counterfactual regret minimisation; in a zero-sum game no value is further off than its NashConv."""
    pair = request.getfixturevalue(name)
    solver = pyspiel.CFRSolver(pair.theirs)
    for _ in range(CFR_ITERATIONS):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    policy = pair.from_theirs(average)
    ours = nash_conv(pair.flat, policy)
    assert 0 < ours < Fraction(1, 50)
    assert pyspiel.nash_conv(pair.theirs, average) == pytest.approx(float(ours), abs=CLOSE)
    assert abs(expected_returns(pair.flat, policy)[0] - value) <= ours
    pair.assert_agrees_on(policy)


def test_suits_change_nothing_in_leduc_poker():
    """OpenSpiel's game with suits, whole, beside ours without: it has 936 information states where we have 288."""
    game, flat = pyspiel.load_game("leduc_poker"), unfold(Leduc())
    where, rows, pairs = {}, {}, [(game.new_initial_state(), Leduc().initial_state())]
    for state, ours in pairs:  # grows on the way
        if state.is_chance_node():
            for ranks, after in dealt(state, 1 if ours.deal else 2):
                pairs.append((after, ours.child(ranks if len(ranks) == 2 else ranks[0])))
        elif state.is_terminal():
            assert state.returns() == list(ours.returns())
        else:
            key, known = state.information_state_string(), ours.information_state(state.current_player())
            assert where.setdefault(key, (ours.current_player, known)) == (state.current_player(), known)
            rows[key] = state.legal_actions()
            assert [state.action_to_string(action)[0].lower() for action in rows[key]] == list(ours.legal_actions())
            moves = zip(rows[key], ours.legal_actions(), strict=True)
            pairs += [(state.child(theirs), ours.child(action)) for theirs, action in moves]
    assert (len(where), set(where.values())) == (936, set(flat.information_states))
    numbers = np.random.default_rng(2_005)
    for _ in range(10):
        policy = from_weights(flat, numbers.integers(1, 8, flat.slots[-1]))
        table = {key: list(zip(rows[key], map(float, policy.row(where[key]).values()), strict=True)) for key in where}
        ours = float(nash_conv(flat, policy))
        assert pyspiel.nash_conv(game, pyspiel.TabularPolicy(table)) == pytest.approx(ours, abs=CLOSE)


def dealt(state, cards):
    """The ranks of the next cards and the state that follows, for each way in which OpenSpiel deals them."""
    if not cards:
        return [((), state)]
    ways = ((card, dealt(state.child(card), cards - 1)) for card in state.legal_actions())
    return [(("JQK"[card // 2], *more), after) for card, below in ways for more, after in below]


@pytest.mark.parametrize("game", [open_spiel.kuhn(), open_spiel.liars_dice(3)], ids=lambda game: game.name)
def test_external_sampling_learns_as_fast_as_openspiels(game):
    """Over many seeds each median of NashConv lies between the other's quartiles; outcome sampling's does not.

    One of OpenSpiel's iterations is a game for each player. It samples the other's action anew at each node, which is
    the same in games where every action is seen.
    """
    marks, seeds, flat = [200, 2000], range(40), game.flat
    theirs, ours, others = [], [], []
    for seed in seeds:
        solver, done, profiles = pyspiel.ExternalSamplingMCCFRSolver(game.theirs, seed), 0, []
        for mark in marks:
            for _ in range(mark - done):
                solver.run_iteration()
            done = mark
            profiles.append(game.profile(solver.average_policy())[0])
        theirs.append(nash_convs(flat, np.array(profiles)))
        games = [2 * mark for mark in marks]
        ours.append(nash_convs(flat, mccfr_fast.run_external(flat, games, seed).strategies))
        others.append(nash_convs(flat, mccfr_fast.run(flat, games, seed).strategies))
    (low, middle, high), (our_low, our_middle, our_high) = (
        np.quantile(one, [0.25, 0.5, 0.75], 0) for one in (theirs, ours)
    )
    assert (low < our_middle).all()
    assert (our_middle < high).all()
    assert (our_low < middle).all()
    assert (middle < our_high).all()
    assert (np.median(others, axis=0) > high).all()


def theirs_of_text(text):
    """One of our information states of Liar's Dice as OpenSpiel writes it."""
    dice, _, bids = text.rpartition(":")
    return f"{dice.replace(' ', '')}{bids}".replace("x", "-").replace("liar", "Liar")


def test_liars_dice_has_the_same_24576_information_states():
    seen, open_states = set(), [pyspiel.load_game("liars_dice").new_initial_state()]
    while open_states:
        state = open_states.pop()
        if not state.is_terminal():
            open_states += [state.child(action) for action in state.legal_actions()]
            if not state.is_chance_node():
                seen.add((state.current_player(), state.information_state_string()))
    ours = unfold(LiarsDice()).information_states
    assert len(ours) == len(seen) == 24_576
    assert {(player, theirs_of_text(text)) for player, text in ours} == seen


@pytest.mark.parametrize("dice", [1, 2])
def test_random_games_of_liars_dice_go_the_same_way(dice):
    draw, game = random.Random(1), pyspiel.load_game(f"liars_dice(numdice={dice})")
    winners = set()
    for _ in range(400):
        ours, state = LiarsDice(dice=(dice, dice)).initial_state(), game.new_initial_state()
        ours = ours.child(draw.choice(ours.possible()))
        for die in ours.dice:
            state.apply_action(die - 1)
        while not ours.is_terminal():
            assert not state.is_terminal()
            assert state.current_player() == ours.current_player
            assert [state.action_to_string(a) for a in state.legal_actions()] == [
                theirs_of_text(action) for action in ours.legal_actions()
            ]
            assert state.returns() == list(ours.returns()) == [0, 0]
            # low bids more often than high ones, so that the games are long and short
            place = min(draw.randrange(len(ours.legal_actions())) for _ in range(2))
            state.apply_action(state.legal_actions()[place])
            ours = ours.child(ours.legal_actions()[place])
            assert all(state.information_state_string(p) == theirs_of_text(ours.information_state(p)) for p in (0, 1))
        assert state.is_terminal()
        assert state.returns() == list(ours.returns())
        winners.add(ours.returns())
    assert winners == {(1, -1), (-1, 1)}


@pytest.mark.parametrize("dice", [1, 2])
def test_a_round_of_wild_ones_without_bids_on_wild_dice_goes_the_same_way(dice):
    """Where the rules coincide: OpenSpiel's wild face is the six, ours the one; bids on it rank otherwise in the two.

    OpenSpiel has no *exact* either. Whoever loses its game loses a die here, whatever was bid on which hands.
    """
    draw, game = random.Random(2), pyspiel.load_game(f"liars_dice(players=2,numdice={dice},dice_sides=6)")
    rules, winners = WildOnes(2, dice), set()
    for _ in range(400):
        ours, state = rules.initial_state().child(0), game.new_initial_state()
        for _ in range(2):
            ours = ours.child(draw.choice(ours.chance_outcomes())[0])
        for die in (die for roll in ours.rolls for die in roll):
            state.apply_action((die - 2) % 6)
        while True:
            assert state.current_player() == ours.current_player
            bids = {}
            for action in state.legal_actions()[: len(state.legal_actions()) - bool(ours.bids)]:
                quantity, face = divmod(action, 6)
                bids[f"{quantity + 1}x{face + 2}"] = action  # their six would be our seven
            plain = {action for action in ours.legal_actions() if action[0].isdigit() and not action.endswith("x1")}
            assert plain == {bid for bid in bids if not bid.endswith("x7")}
            if ours.bids and (not plain or draw.random() < 0.3):
                break
            bid = min(draw.choices(sorted(plain), k=2))
            ours = ours.child(bid)
            state.apply_action(bids[bid])
        loser, change = ours.outcome("liar")
        state.apply_action(state.legal_actions()[-1])
        assert state.is_terminal()
        assert change == -1
        assert state.returns() == [(-1, 1)[player != loser] for player in (0, 1)]
        winners.add(loser)
    assert winners == {0, 1}


def test_speed_is_compared_on_the_same_work():
    """Every row of the benchmark agrees, at a size that takes moments."""
    for pace in open_spiel.rows(faces=2, least=0.001):
        assert pace.same, pace
        assert pace.ratio > 0
    assert open_spiel.head_to_head(2, 0.001).same


def test_speed_of_another_game_is_no_comparison():
    """With the cards in the wrong order both trees have the same shape, and neither payoffs nor policies agree."""
    other = shared("Kuhn", Kuhn(), "kuhn_poker", lambda cards: ["KQJ".index(card) for card in cards])
    draw = np.random.default_rng(3)
    profile = normalise(other.flat, draw.integers(1, 9, (1, other.flat.slots[-1])))
    assert abs(pyspiel.nash_conv(other.theirs, other.policy(profile[0])) - nash_convs(other.flat, profile)[0]) > 0.01
    solver = pyspiel.CFRPlusSolver(other.theirs)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    assert np.abs(other.profile(solver.average_policy()) - run(other.flat, "cfr+", [10]).strategies).max() > 0.01


def test_profiles_go_there_and_back():
    game = open_spiel.kuhn()
    profile = normalise(game.flat, np.random.default_rng(4).integers(1, 9, (1, game.flat.slots[-1])))
    np.testing.assert_allclose(game.profile(game.policy(profile[0])), profile, rtol=0, atol=1e-15)


def test_games_of_another_shape_are_no_comparison():
    with pytest.raises(AssertionError):
        shared("dice", LiarsDice(2), "liars_dice(dice_sides=3)", lambda dice: [die - 1 for die in dice])
