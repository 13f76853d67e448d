"""UCT: a search depends on nothing but the position and the seed, and finds what few moves decide."""

from dataclasses import replace

import pytest
from table_games import die_nim, die_race, pennies, trap

from support.core.flat import unfold
from support.core.play import Stream, play_game
from support.exact.kinds import kind_of
from support.exact.minimax import minimax
from support.games.biscuits.rules import Biscuits
from support.games.call_or_raise.rules import CallOrRaise
from support.games.three_dice.rules import DiceGame
from support.judge import judge
from support.learners.methods import Uct
from support.learners.sampling_fast import TooLongError
from support.learners.uct import Search
from support.learners.uct_fast import run

SEED = 7


def states_of(game):
    """A state of each position where a player decides."""
    found, queue = {}, [game.initial_state()]
    for state in queue:
        if state.position not in found:
            found[state.position] = state
            queue += [state.child(move) for move in state.possible()]
    return [state for state in found.values() if state.current_player >= 0]


@pytest.mark.parametrize("game", [Biscuits(3, 2), die_nim(4)], ids=lambda game: game.name)
def test_it_can_be_asked_in_any_order(game):
    states = states_of(game)
    forwards, backwards, other = (
        Uct().train(game, 50, SEED),
        Uct().train(game, 50, SEED),
        Uct().train(game, 50, SEED + 1),
    )
    chosen = [forwards.action_probabilities(state) for state in states]
    assert chosen == [backwards.action_probabilities(state) for state in reversed(states)][::-1]
    assert chosen == [forwards.action_probabilities(state) for state in states]
    assert chosen != [other.action_probabilities(state) for state in states]
    for state, row in zip(states, chosen, strict=True):
        assert list(row.values()) == [1]
        assert set(row) <= set(state.legal_actions())


def test_without_a_single_game_it_takes_the_first_action():
    state = Biscuits(3, 2).initial_state()
    assert Uct().train(state.game, 0, SEED).action_probabilities(state) == {state.legal_actions()[0]: 1}


def test_it_plays_small_games_perfectly():
    """Two players without chance, and one player with chance, in a game that can go on for ever."""
    assert judge(Uct().train(Biscuits(3, 2), 300, SEED), Biscuits(3, 2)).distance == 0
    assert kind_of(unfold(DiceGame(1))).cycles
    assert judge(Uct().train(DiceGame(1), 3000, SEED), DiceGame(1)).distance == 0


def test_two_players_with_chance():
    """From a small heap its choices are worth as much as those of expectiminimax, for both players."""
    flat = unfold(die_nim(4))
    solved, policy = minimax(flat), Uct().train(flat.game, 1000, SEED)
    for state in states_of(flat.game):
        node = flat.index[state.position]
        (action,) = policy.action_probabilities(state)
        (edge,) = (edge for edge in flat.edges(node) if flat.action[edge] == action)
        assert solved.edge_values[edge] == solved.values[node], state


def test_more_games_come_nearer():
    game = Biscuits(4, 3)
    few, many = (judge(Uct().train(game, games, SEED), game).distance for games in (2, 1000))
    assert many < few


def test_the_scale_of_the_returns_does_not_matter():
    """The bonus grows with the span of the returns: for a stake a thousand times as high it chooses the same."""
    game = die_nim(5)
    rows = {}
    for here, (mover, seen, moves) in game.rows.items():
        after = {move: (to, tuple(1024 * gain for gain in gains), *p) for move, (to, gains, *p) in moves.items()}
        rows[here] = (mover, seen, after)
    high = replace(game, rows=rows)
    for one, other in zip(states_of(game), states_of(high), strict=True):
        chosen = [Uct().train(state.game, 200, SEED).action_probabilities(state) for state in (one, other)]
        assert chosen[0] == chosen[1]


def test_it_plays_a_game_to_its_end():
    game = DiceGame(1)
    assert play_game(game, [Uct().train(game, 20, SEED)], Stream(SEED)).is_terminal()


@pytest.mark.parametrize(
    "game",
    [Biscuits(3, 2), die_nim(4), die_race(3), DiceGame(1), CallOrRaise(2, 1, bounded=True)],
    ids=lambda game: game.name,
)
def test_compiled_searches_choose_what_the_plain_ones_choose(game):
    """Also at marks, and asked in another order; the nodes are those that the plain search walks through."""
    flat, marks = unfold(game), [1, 2, 7, 100]
    states, curve = states_of(game)[::-1], run(flat, marks, SEED)
    few = states[:: max(1, len(states) // 20)]
    assert (curve.weights.sum(axis=1) == len(states)).all()
    for weights, games in zip(curve.weights, marks, strict=True):
        plain, fast = Search(games, SEED), Uct().train(game, games, SEED)
        for state in few:
            ((action, one),) = plain.action_probabilities(state).items()
            assert fast.action_probabilities(state) == {action: one}
            edges = flat.edges(flat.index[state.position])
            assert {flat.action[edge]: 1.0 for edge in edges if weights[flat.slot[edge]]} == {action: 1.0}
    assert [Uct().curve(flat, [games], SEED).nodes[0] for games in marks] == curve.nodes.tolist()


def test_the_nodes_of_a_search_are_all_the_states_that_it_visits():
    """In a game of two moves, every game from the root visits three states, and every game from below two."""
    flat = unfold(pennies_seen())
    assert run(flat, [1, 10], SEED).nodes.tolist() == [3 + 2 + 2, 30 + 20 + 20]


def pennies_seen():
    """Matching pennies, but player 1 sees the coin."""
    game = pennies()
    return replace(game, rows={here: (mover, here, moves) for here, (mover, _, moves) in game.rows.items()})


def test_a_search_that_does_not_end():
    with pytest.raises(TooLongError, match="a game went beyond 1,048,576 moves"):
        run(unfold(trap()), [5], SEED)
