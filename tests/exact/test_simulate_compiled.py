from fractions import Fraction

import numpy as np
import pytest

from support.core.flat import unfold
from support.core.play import Stream, play_game, thresholds
from support.core.policy import TabularPolicy, choose, uniform
from support.core.splitmix_fast import mix, step, stream
from support.exact.markov import evaluate, return_distribution
from support.exact.simulate_fast import lay_out, simulate
from support.games.biscuits.rules import Biscuits
from support.games.three_dice.agents import one_step_look_ahead
from support.games.three_dice.rules import DiceGame

SEED = 0xFEDCBA9876543210


def test_streams_are_the_same_numbers():
    plain = Stream(SEED, 17)
    state = np.uint64(stream(np.uint64(SEED), np.uint64(17)))
    for _ in range(100):
        state = np.uint64(step(state))
        assert plain.next() == mix(state)


def test_splitmix64_reference_values():
    """The first outputs of the reference implementation for the state 1234567 (Vigna's test vector)."""
    source = Stream(0)
    source.state = 1234567
    assert [source.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@pytest.mark.parametrize(
    "game",
    [DiceGame(), DiceGame(2, 3, bias=("1/2", "1/3", "1/6")), Biscuits(5, 4)],
    ids=["dice", "loaded", "biscuits"],
)
def test_compiled_games_are_the_plain_ones(game):
    flat = unfold(game)
    policy = uniform(flat)
    fast = simulate(flat, policy.edge_probabilities(flat), 300, SEED)
    plain = [play_game(game, [policy] * game.num_players, Stream(SEED, k)).returns()[0] for k in range(300)]
    np.testing.assert_array_equal(fast, np.array(plain, dtype=float))


def test_pieces_give_the_same_digits():
    flat = unfold(DiceGame())
    probabilities = uniform(flat).edge_probabilities(flat)
    whole = simulate(flat, probabilities, 1000, SEED)
    pieces = [simulate(flat, probabilities, 250, SEED, start) for start in (0, 250, 500, 750)]
    np.testing.assert_array_equal(whole, np.concatenate(pieces))
    np.testing.assert_array_equal(whole, lay_out(flat, probabilities).play(1000, SEED))


def test_simulation_agrees_with_the_exact_distribution():
    """Chi-squared over all scores with at least 50 expected games; the seed is fixed, the bound is the 99.9% point."""
    from scipy.stats import chi2

    flat = unfold(DiceGame())
    probabilities = one_step_look_ahead(flat, Fraction(1, 2)).edge_probabilities(flat)
    scores = simulate(flat, probabilities, 1_000_000, SEED)
    worth = evaluate(flat, probabilities)
    assert abs(scores.mean() - float(worth.mean)) < 3.3 * worth.deviation / 1000
    statistic = degrees = 0
    for score, p in return_distribution(flat, probabilities).probability.items():
        expected = float(p) * scores.size
        if expected >= 50:
            statistic += ((scores == float(score)).sum() - expected) ** 2 / expected
            degrees += 1
    assert degrees > 15
    assert statistic < chi2.ppf(0.999, degrees)


def test_a_game_that_never_ends_is_refused():
    flat = unfold(DiceGame(1, 2))
    for_ever = choose(flat, [flat.edges(node)[0] for node in flat.decision_nodes()])
    with pytest.raises(ValueError, match="never ends"):
        simulate(flat, for_ever.edge_probabilities(flat), 10, SEED)
    with pytest.raises(ValueError, match="never ends"):
        return_distribution(flat, for_ever.edge_probabilities(flat))


def test_a_first_action_too_unlikely_to_be_drawn():
    """The plain game draws a number all the same, even where one other action is left."""
    game = Biscuits(2, 1)
    flat, rare, table = unfold(game), Fraction(1, 1 << 70), {}
    for node in flat.decision_nodes():
        first, *rest = (flat.action[edge] for edge in flat.edges(node))
        row = {first: rare, **dict.fromkeys(rest, (1 - rare) / len(rest))} if rest else {first: Fraction(1)}
        table[flat.information_states[flat.information[node]]] = row
    policy = TabularPolicy(table)
    plain = [play_game(game, [policy] * 2, Stream(SEED, k)).returns()[0] for k in range(300)]
    assert {len(row) for row in table.values()} >= {2, 3}
    np.testing.assert_array_equal(simulate(flat, policy.edge_probabilities(flat), 300, SEED), np.array(plain, float))


def test_thresholds_cover_every_number():
    assert thresholds([Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)])[-1] == 1 << 64
    assert thresholds([Fraction(1, 4), Fraction(3, 4)]) == [1 << 62, 1 << 64]
