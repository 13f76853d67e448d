"""Learning on afterstates: each player values every position that it can leave to the other.

This is Nathan Cunn's learner (*Biscuit puzzle*, 10 August 2020): tabular TD(0) control on afterstates with
epsilon-greedy exploration. The updates run backwards once a game has ended, so the target of a move is the value of the
player's own next move, already updated. On temporal differences and afterstates see Sutton and Barto (2018), sections
6.1 and 6.8. The same learner, compiled: ``support.learners.afterstates_fast``.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from support.core.checks import settings
from support.core.interface import CHANCE, DoesNotFitError, Game, State
from support.core.play import Stream, thresholds

Board = Hashable
Table = dict[Board, float]
Watch = Callable[[State, tuple[Table, Table], tuple[list[Board], list[Board]]], None]


Share = Annotated[float, Field(ge=0, le=1)]


@settings
class AfterstateSettings:
    """How the two players learn; the defaults are the published program's.

    Args:
        alpha: learning rate, in (0, 1].
        epsilon: for each player, the probability that a move is drawn uniformly from the legal ones, in [0, 1].
        games: number of games.
        start: value of every afterstate before the first game; 1 is optimistic, because winning is worth 1 and losing
            0.
        slip: whether both players choose by the first player's values, as in the printed program. Otherwise each
            chooses by its own, as the text describes. Either way, each player updates its own.

    Raises:
        ValueError: a parameter is out of range; the message names it.
    """

    alpha: Annotated[float, Field(gt=0, le=1)] = 0.5
    epsilon: tuple[Share, Share] = (0.05, 0.05)
    games: Annotated[int, Field(ge=0)] = 10_000
    start: float = 1.0
    slip: bool = False

    def exploring(self) -> tuple[int, int]:
        """For each player, how many of the 2^64 random numbers make it explore; they are the lowest ones."""
        first, second = (thresholds([Fraction(str(epsilon))])[0] for epsilon in self.epsilon)
        return first, second


@dataclass(frozen=True, eq=False)
class Learned:
    """The result of a run of games.

    Attributes:
        values: for each player, the value of every board it has ever left behind; other boards have the starting
            value.
        wins: uint8[games], 1 where the first player won.
        openings: int32[games + 1], the first player's greedy opening before each game and at the end, as its
            place among the legal actions.
    """

    values: tuple[Table, Table]
    wins: np.ndarray
    openings: np.ndarray


def learn(game: Game, settings: AfterstateSettings, seed: int, watch: Watch | None = None) -> Learned:
    """Let two players learn from games against each other.

    Args:
        game: a two-player game of perfect information without chance, whose positions end in whose turn it is.
        settings: learning rate, exploration, number of games.
        seed: 64-bit seed of the one stream of random numbers that the whole run draws from.
        watch: called after each game and before the players learn from it, with the final state, both tables and
            the boards that each player left behind.

    Raises:
        ValueError: a game of another kind, or settings of another learner.
    """
    if not isinstance(game, Game) or game.num_players != 2:
        found = (
            f"{game.name} has {game.num_players}" if isinstance(game, Game) else f"{type(game).__name__} is not a Game"
        )
        raise DoesNotFitError(f"the learner takes the rules of a game for two players; {found}")
    if not isinstance(settings, AfterstateSettings):
        raise ValueError(f"settings must be AfterstateSettings, not {type(settings).__name__}")
    start = game.initial_state()
    stream = Stream(int(seed))
    values: tuple[Table, Table] = ({}, {})
    wins, openings = np.zeros(settings.games, np.uint8), np.zeros(settings.games + 1, np.int32)
    for number in range(settings.games):
        openings[number] = _greedy(start, values, settings)
        final, left_behind = _play_game(start, values, settings, stream)
        if watch:
            watch(final, values, left_behind)
        for player in (0, 1):
            reward = 1.0 if final.returns()[player] > 0 else 0.0
            update(values[player], left_behind[player], reward, settings)
        wins[number] = final.returns()[0] > 0
    openings[-1] = _greedy(start, values, settings)
    return Learned(values, wins, openings)


def _play_game(
    state: State, values: tuple[Table, Table], settings: AfterstateSettings, stream: Stream
) -> tuple[State, tuple[list[Board], list[Board]]]:
    """Play one game; return its final state, and the boards that each player left behind, in order."""
    exploring = settings.exploring()
    left_behind: tuple[list[Board], list[Board]] = ([], [])
    while not state.is_terminal():
        player, actions = _mover(state), state.legal_actions()
        if stream.next() < exploring[player]:
            choice = ((stream.next() >> 32) * len(actions)) >> 32
        else:
            choice = _greedy(state, values, settings)
        state = state.child(actions[choice])
        left_behind[player].append(board_of(state.position))
    return state, left_behind


def _mover(state: State) -> int:
    if state.current_player == CHANCE:
        raise DoesNotFitError(f"the learner takes games without chance; here chance moves after '{state}'")
    return state.current_player


def _greedy(state: State, values: tuple[Table, Table], settings: AfterstateSettings) -> int:
    """The place among the legal actions of the one whose afterstate has the highest value, the first of equals."""
    table = values[0 if settings.slip else _mover(state)]
    after = [board_of(state.child(action).position) for action in state.legal_actions()]
    worth = [table.get(board, settings.start) for board in after]
    return worth.index(max(worth))


def update(table: Table, left_behind: list[Board], reward: float, settings: AfterstateSettings) -> None:
    """Update one player's moves, last to first; the target is the reward, then the new value of its next move.

    The update bootstraps: except for the last move, the target is an estimate and not the outcome of the game. Written
    out, the target of a move is the lambda-return with lambda = alpha (Sutton and Barto 2018, section 12.1), so the
    reward reaches the value of the k-th move from the end with weight alpha^k.
    """
    target = reward
    for board in reversed(left_behind):
        old = table.get(board, settings.start)
        target = old + settings.alpha * (target - old)
        table[board] = target


def board_of(position: Any) -> Board:
    """What is on the table: the position without its last part, which says whose turn it is.

    Raises:
        ValueError: the position is not a tuple of at least two parts.
    """
    if not isinstance(position, tuple) or len(position) < 2:
        raise DoesNotFitError(f"positions must be tuples that end in whose turn it is, not {position!r}")
    return position[:-1]


def greedy_line(game: Game, settings: AfterstateSettings, values: tuple[Table, Table]) -> str:
    """The game, in notation, that both play without exploration.

    Args:
        game: the rules.
        settings: which values each player consults, and the value of a board that has none.
        values: the two players' tables.
    """
    state = game.initial_state()
    while not state.is_terminal():
        state = state.child(state.legal_actions()[_greedy(state, values, settings)])
    return str(state)
