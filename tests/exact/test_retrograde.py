"""Who wins: retrograde analysis against rules, hand work and Wythoff's formula."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.core.flat import unfold
from support.core.interface import TERMINAL
from support.exact.kinds import play_order
from support.exact.markov import evaluate
from support.exact.retrograde import (
    safe_edges,
    safe_range,
    solve,
    steadiest_edges,
    tremble,
    winners,
)
from support.games.biscuits.cold import wythoff_pairs
from support.games.biscuits.rules import Biscuits
from support.games.three_dice.rules import DiceGame

heaps = st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(any)


def labels(flat, edges):
    return [flat.label[edge] for edge in edges]


@settings(deadline=None, max_examples=40)
@given(heaps)
def test_cold_has_no_cold_child_and_hot_has_one(start):
    flat = unfold(Biscuits(*start))
    solution = solve(flat)
    for node in flat.decision_nodes():
        after = [bool(solution.hot[flat.child[edge]]) for edge in flat.edges(node)]
        assert bool(solution.hot[node]) == (not all(after))
        assert [bool(w) for w in solution.winning[flat.edges(node).start : flat.edges(node).stop]] == [
            not hot for hot in after
        ]


@settings(deadline=None, max_examples=20)
@given(heaps)
def test_hot_and_cold_do_not_depend_on_who_moves_and_fit_wythoff(start):
    flat = unfold(Biscuits(*start))
    solution = solve(flat)
    cold = set(map(tuple, wythoff_pairs(10).tolist()))
    for node in flat.decision_nodes():
        digestives, rich_teas, mover = flat.positions[node]
        assert bool(solution.hot[node]) == (tuple(sorted((digestives, rich_teas))) not in cold)
        assert solution.value[node] == (1 if (mover == 0) == bool(solution.hot[node]) else -1)


def test_published_puzzle():
    flat = unfold(Biscuits())
    solution = solve(flat)
    assert solution.value[0] == 1
    assert labels(flat, [edge for edge in flat.edges(0) if solution.winning[edge]]) == ["7,4"]
    for board, mover in (((2, 1), 0), ((1, 2), 1), ((5, 3), 0), ((7, 4), 1)):
        assert not solution.hot[flat.index[(*board, mover)]]


def test_distance_by_hand():
    """From (2, 2) one move wins; from (1, 2) every move lets the other take the rest: two moves."""
    flat = unfold(Biscuits(2, 2))
    solution = solve(flat)
    assert solution.distance[0] == 1
    assert labels(flat, np.flatnonzero(solution.best[: len(flat.edges(0))])) == ["0,0"]
    cold = flat.index[(1, 2, 1)]
    assert solution.distance[cold] == 2
    assert solution.best[flat.first[cold] : flat.first[cold + 1]].all()
    # From (3, 5) the loser can leave (2, 5), and is left (2, 1), which lasts two more.
    assert solve(unfold(Biscuits(3, 5))).distance[0] == 4


def test_distance_is_consistent():
    flat = unfold(Biscuits(7, 5))
    solution = solve(flat)
    for node in flat.decision_nodes():
        edges = flat.edges(node)
        good = [e for e in edges if solution.winning[e]]
        lengths = [int(solution.distance[flat.child[e]]) for e in (good or edges)]
        assert solution.distance[node] == 1 + (min if good else max)(lengths)
        assert any(solution.best[e] for e in edges)
    assert (solution.distance[flat.player < 0] == 0).all()


def test_the_order_of_play_backwards_puts_children_first():
    flat = unfold(Biscuits(4, 3))
    place = {node: rank for rank, node in enumerate(reversed(play_order(flat)))}
    for node in range(flat.num_nodes):
        assert all(place[int(flat.child[edge])] < place[node] for edge in flat.edges(node))


def test_games_of_other_kinds_are_refused():
    with pytest.raises(ValueError, match="two players"):
        solve(unfold(DiceGame(dice=1, sides=2)))
    flat = unfold(Biscuits(2, 1))
    with pytest.raises(ValueError, match="chance"):
        solve(replace(flat, player=np.where(np.arange(flat.num_nodes) == 1, -1, flat.player).astype(np.int8)))
    with pytest.raises(ValueError, match="hidden"):
        solve(replace(flat, information=np.where(flat.information > 0, 0, flat.information)))
    back = flat.child.copy()
    back[flat.first[flat.index[(1, 1, 1)]]] = 0
    with pytest.raises(ValueError, match="may go on for ever"):
        solve(replace(flat, child=back))
    with pytest.raises(ValueError, match="win or loss"):
        solve(replace(flat, rewards=[(0, 0)] * len(flat.rewards)))


def test_an_end_must_say_who_won():
    flat = unfold(Biscuits(2, 1))
    one, other = np.flatnonzero(flat.player == TERMINAL)
    with pytest.raises(ValueError, match="every end says who has won"):
        winners(replace(flat, child=np.where(flat.child == other, one, flat.child)))


def test_trembling_by_hand():
    """From (2, 0): Alpha takes both and wins, or, exploring (1/2), takes one half the time and Betty wins."""
    flat = unfold(Biscuits(2, 0))
    half = (Fraction(1, 2), Fraction(1, 2))
    for edges in (safe_edges(flat, solve(flat)), steadiest_edges(flat, half)):
        policy = tremble(flat, edges, half)
        assert (1 + evaluate(flat, policy.edge_probabilities(flat)).mean) / 2 == Fraction(3, 4)


def test_the_range_of_safe_play_by_hand():
    """From (2, 0) one edge is safe; (2, 1) is lost for Alpha without trembling; from (6, 3) there is a choice."""
    half, never = (Fraction(1, 2), Fraction(1, 2)), (0, 0)
    flat = unfold(Biscuits(2, 0))
    assert safe_range(flat, solve(flat), half) == (Fraction(3, 4), Fraction(3, 4))
    flat = unfold(Biscuits(2, 1))
    assert safe_range(flat, solve(flat), never) == (0, 0)
    flat = unfold(Biscuits(6, 3))
    least, most = safe_range(flat, solve(flat), half)
    played = tremble(flat, steadiest_edges(flat, half), half)
    assert least < (1 + evaluate(flat, played.edge_probabilities(flat)).mean) / 2 <= most


def test_without_trembling_best_play_is_safe():
    flat = unfold(Biscuits(5, 4))
    solution = solve(flat)
    safe = safe_edges(flat, solution)
    assert all(edges[0] in safe[node] for node, edges in steadiest_edges(flat, (0, 0)).items())


@pytest.mark.parametrize("epsilon", [(1.1, 0), (-0.1, 0), (0.5,)])
def test_bad_rates(epsilon):
    with pytest.raises(ValueError, match="between 0 and 1"):
        steadiest_edges(unfold(Biscuits(1, 1)), epsilon)
