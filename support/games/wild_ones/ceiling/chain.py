"""The chain of rounds of wild ones: its states, and what is gained on average from each to the end of the game.

Hands are rolled anew for every round, so that a round leaves nothing behind but the dice, the order of the players and
who opens. These are the states of a chain that has cycles, for a right *exact* wins a die back. As soon as it is known
how each round ends, what is gained solves a linear system, in floats or exactly.

*Kinds* number the policies: the first player, whose policy is judged or sought, is of kind 0 and nobody else is;
opponents with equal tables are of one kind, for it makes no difference which of them sits where.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import permutations, product
from typing import NamedTuple

import numpy as np
from flint import fmpq, fmpq_mat

from support.games.wild_ones.policies import kinds_of
from support.games.wild_ones.rules import WildOnes

LOSES, WINS = 0, 1
"""What a challenge does to somebody, who loses a die or wins one back."""
Number = Fraction | float
"""A probability, or what something is worth; a fraction where it is exact."""
Ring = tuple[tuple[int, ...], tuple[int, ...]]
"""Kinds and dice of the players."""
Column = Mapping[int, Number]
"""The right side of a linear system, row by row."""


class Start(NamedTuple):
    """The beginning of a round. Players without dice do not appear.

    Attributes:
        kinds: of the players, in the order of their turns; kind 0 first, if it still has dice.
        counts: their dice.
        opener: the place in this order of who opens.
    """

    kinds: tuple[int, ...]
    counts: tuple[int, ...]
    opener: int


Chain = Mapping[Start, Mapping[tuple[int, int], Number]]
"""For each beginning of a round the probabilities of its ends, each a place in the order, and LOSES or WINS."""


def kinds_and_tables(opponents: Sequence[np.ndarray]) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """The kinds of all players, the first being 0, and the tables of kinds 1, 2, ..."""
    kinds = kinds_of(opponents, np.array_equal)
    distinct = [opponents[kinds.index(kind)] for kind in range(max(kinds, default=-1) + 1)]
    return (0, *(1 + kind for kind in kinds)), distinct


def start_of(kinds: Sequence[int], counts: Sequence[int], opener: int) -> Start:
    """The beginning of a round, from anybody's place in the ring of players.

    Args:
        kinds: of all players in the order of their turns, beginning anywhere.
        counts: their dice, which may be none.
        opener: the place of who opens; must have dice.
    """
    alive = [place for place, count in enumerate(counts) if count]
    turns = [alive[turn:] + alive[:turn] for turn in range(len(alive))]
    return min(
        Start(tuple(kinds[place] for place in ring), tuple(counts[place] for place in ring), ring.index(opener))
        for ring in turns
    )


def after(start: Start, turn: int, change: int, dice: int) -> Start:
    """The beginning of the next round; of one player alone, if the game is over.

    Args:
        start: the round before; who opened it does not matter.
        turn: the place of who lost or won a die.
        change: ``LOSES`` or ``WINS``.
        dice: that nobody can have more of.
    """
    counts = list(start.counts)
    counts[turn] = min(counts[turn] + 1, dice) if change == WINS else counts[turn] - 1
    opener = turn if counts[turn] else (turn + 1) % len(counts)
    return start_of(start.kinds, counts, opener)


def starts(game: WildOnes, kinds: Sequence[int]) -> list[Start]:
    """All beginnings of rounds, those with fewer players first."""
    rings = {tuple(order) for size in range(2, len(kinds) + 1) for order in permutations(kinds, size)}
    found = {
        start_of(ring, counts, opener)
        for ring in rings
        for counts in product(range(1, game.dice + 1), repeat=len(ring))
        for opener in range(len(ring))
    }
    return sorted(found, key=lambda start: (len(start.kinds), start))


def starts_by_seating(game: WildOnes, kinds: Sequence[int]) -> dict[tuple[int, ...], Start]:
    """The beginning of the game for each seating of the players."""
    counts = (game.dice,) * game.num_players
    return {
        seats: start_of([kinds[player] for player in seats], counts, 0) for seats in permutations(range(len(kinds)))
    }


def solve(
    chain: Chain, dice: int, gain: Callable[[Start, int, Start], Mapping[Hashable, int]], exact: bool = True
) -> dict[Start, dict[Hashable, Number]]:
    """What is gained on average from each beginning of a round to the end of the game.

    Args:
        chain: how each round ends. What is not in it gains nothing more.
        dice: that nobody can have more of.
        gain: what is gained in a round, by its beginning, the turn of who lost or won a die, and the next beginning.
        exact: fractions, not floats.
    """
    blocks: dict[tuple[int, ...], list[Start]] = {}
    for start in chain:
        blocks.setdefault(start.kinds, []).append(start)
    found: dict[Start, dict[Hashable, Number]] = {}
    for kinds in sorted(blocks, key=len):
        place = {start: row for row, start in enumerate(blocks[kinds])}
        matrix: dict[tuple[int, int], Number] = {(row, row): Fraction(1) for row in place.values()}
        right: dict[tuple[int, Hashable], Number] = {}
        for start, row in place.items():
            for (turn, change), chance in chain[start].items():
                later = after(start, turn, change, dice)
                if later in place:
                    matrix[row, place[later]] = matrix.get((row, place[later]), Fraction(0)) - chance
                for part in (gain(start, turn, later), found.get(later, {})):
                    for what, amount in part.items():
                        right[row, what] = right.get((row, what), 0) + (chance if exact else float(chance)) * amount
        columns = list(dict.fromkeys(what for _, what in right))
        solver = _solve_exactly if exact else _solve_floats
        rows = solver(
            len(place), matrix, [{row: right.get((row, what), 0) for row in place.values()} for what in columns]
        )
        found |= {start: dict(zip(columns, rows[row], strict=True)) for start, row in place.items()}
    return found


def _solve_exactly(
    size: int, matrix: Mapping[tuple[int, int], Number], columns: Sequence[Column]
) -> list[list[Number]]:
    """The solutions of a linear system of fractions, row by row."""
    left, right = fmpq_mat(size, size), fmpq_mat(size, len(columns))
    for (row, column), value in matrix.items():
        left[row, column] = fmpq(*value.as_integer_ratio())
    for number, given in enumerate(columns):
        for row, value in given.items():
            right[row, number] = fmpq(*value.as_integer_ratio())
    answer = left.solve(right)
    return [[Fraction(int(answer[r, c].p), int(answer[r, c].q)) for c in range(len(columns))] for r in range(size)]


def _solve_floats(size: int, matrix: Mapping[tuple[int, int], Number], columns: Sequence[Column]) -> list[list[Number]]:
    """The same in floats."""
    left = np.zeros((size, size))
    for where, value in matrix.items():
        left[where] = float(value)
    right = np.array([[float(column[row]) for column in columns] for row in range(size)])
    rows: list[list[Number]] = np.linalg.solve(left, right).tolist()
    return rows
