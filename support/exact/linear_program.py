"""Linear programs solved without rounding error: found in floating point, recomputed in fractions, and proved.

HiGHS suggests which variables are not zero and which constraints bind. From these, the solution and the dual solution
are computed again in fractions. Both are then checked without rounding: they must be feasible, with equal objectives.

HiGHS takes very small numbers for nothing and very large ones for infinite. Where nothing could be proved, it is
therefore asked again with rows and columns in other units, such that no coefficient is far from one.

Most of these equations are solved one after the other, as each has a single unknown left when its turn comes: where a
strategy chooses no action at random, nothing else is to be found. FLINT eliminates the others.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from flint import fmpq, fmpq_mat, nmod_mat

from support.exact.sizes import MINIMISE, require_size

Row = dict[int, Fraction]
"""A sparse row: the coefficients, by column."""

METHODS = "highs-ds", "highs-ipm"
ROUNDINGS = 1e-9, 1e-7, 1e-5
"""Amounts up to which the floating-point solution may mean zero, in the order in which they are tried."""

PRIME = 2**61 - 1
STEPS = 100
"""The most iterations of HiGHS for each row and column; without a limit, it may go on for ever."""
PASSES = 10
"""How often rows and columns are scaled in turn. Afterwards scales hardly change."""


class UnprovedError(ArithmeticError):
    """No rounding of the floating-point solution led to an exact one that could be proved."""


@dataclass
class Program:
    """Minimise ``cost @ z`` subject to ``rows @ z = right`` and ``z[j] >= 0`` except for the free ones."""

    cost: Row
    rows: list[Row]
    right: list[Fraction]
    free: list[bool]


def minimise(program: Program) -> tuple[Fraction, dict[int, Fraction], list[Fraction]]:
    """The exact least cost, a solution and a dual solution, proved.

    Raises:
        TooLargeError: more to eliminate than ``support.exact.sizes`` says.
        UnprovedError: no rounding of the floating-point solution could be proved.
    """
    rows, size = program.rows, len(program.free)
    columns: list[Row] = [{} for _ in range(size)]
    for number, row in enumerate(rows):
        for k, value in row.items():
            columns[k][number] = value
    costs = [program.cost.get(k, Fraction(0)) for k in range(size)]
    for scaled, method in product((False, True), METHODS):
        if (floats := _in_floats(program, method, scaled)) is None:
            continue
        z, prices, amounts, reduced = floats
        for small in ROUNDINGS:
            used = [k for k in range(size) if program.free[k] or amounts[k] > small]
            tight = [k for k in range(size) if program.free[k] or abs(reduced[k]) < small]
            kept = set(used)
            solution = _exact([{k: v for k, v in row.items() if k in kept} for row in rows], program.right, used, z)
            dual = _exact([columns[k] for k in tight], [costs[k] for k in tight], range(len(rows)), prices)
            if (least := _proved(program, columns, solution, dual)) is not None:
                every = {k: solution.get(k, Fraction(0)) for k in range(size)}
                return least, every, [dual[k] for k in range(len(rows))]
    raise UnprovedError(f"no exact solution of a linear program with {len(rows)} rows could be proved")


def _in_floats(
    program: Program, method: str, scaled: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    """Solution and duals in floating point; None if the solver does not reach an optimum.

    The solution is given a second time, and after it the reduced costs, in the units of the columns if ``scaled``.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    places = [(i, k, float(value)) for i, row in enumerate(program.rows) for k, value in row.items()]
    i, k, entries = map(np.array, zip(*places, strict=True))
    shape = (len(program.rows), len(program.free))
    rows, columns = _scales(i, k, np.abs(entries), shape) if scaled else map(np.ones, shape)
    matrix = csr_array((entries * rows[i] * columns[k], (i, k)), shape=shape)
    cost = np.array([float(program.cost.get(k, 0)) for k in range(len(program.free))]) * columns
    bounds = [(None, None) if free else (0, None) for free in program.free]
    right = np.array([float(b) for b in program.right]) * rows
    dear, much = (np.abs(part).max() or 1.0 if scaled else 1.0 for part in (cost, right))
    options = {"maxiter": STEPS * sum(shape)}
    answer = linprog(cost / dear, A_eq=matrix, b_eq=right / much, bounds=bounds, method=method, options=options)
    if answer.status:
        return None
    prices = answer.eqlin.marginals
    return answer.x * columns * much, prices * rows * dear, answer.x, cost / dear - matrix.T @ prices


def _scales(i: np.ndarray, k: np.ndarray, sizes: np.ndarray, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    """A factor for each row and column, with which coefficients of these sizes at ``(i, k)`` come near one.

    Each in turn is divided by the geometric mean of its smallest and its largest coefficient.
    """
    scales = tuple(map(np.ones, shape))
    for _ in range(PASSES):
        for own, other, scale, across in ((i, k, *scales), (k, i, *scales[::-1])):
            now = np.where(sizes > 0, sizes * scale[own] * across[other], 1.0)
            least, most = np.full(len(scale), np.inf), np.zeros(len(scale))
            np.minimum.at(least, own, now)
            np.maximum.at(most, own, now)
            scale /= np.sqrt(np.where(most > 0, least * most, 1.0))
    return scales[0], scales[1]


def _exact(
    equations: Sequence[Row], right: Sequence[Fraction], unknowns: Sequence[int], guess: np.ndarray
) -> dict[int, Fraction]:
    """A rational solution of as many of the equations as are independent, and of all if they agree.

    The first unknowns that are independent are solved for. The others, which the equations leave open, are set to
    ``guess``, rounded. What is independent is found modulo a prime; if that should ever be wrong, the proof fails.
    """
    solution, rows, values = _one_by_one(equations, right)
    left = [unknown for unknown in unknowns if unknown not in solution]
    rest = [number for number, row in enumerate(rows) if row]
    require_size("what is left of a linear program", MINIMISE, len(rest) * len(left))
    place = {unknown: column for column, unknown in enumerate(left)}
    matrix = nmod_mat(len(rest), len(left), PRIME)
    for line, number in enumerate(rest):
        for unknown, coefficient in rows[number].items():
            matrix[line, place[unknown]] = coefficient.numerator * pow(coefficient.denominator, -1, PRIME) % PRIME
    solved = {left[column]: new for new, column in enumerate(_pivots(matrix))}
    for unknown in left:
        if unknown not in solved:
            solution[unknown] = Fraction(float(guess[unknown])).limit_denominator(1000)
    square, constant = fmpq_mat(len(solved), len(solved)), fmpq_mat(len(solved), 1)
    for line, number in enumerate(rest[line] for line in _pivots(matrix.transpose())):
        value = values[number]
        for unknown, coefficient in rows[number].items():
            if unknown in solved:
                square[line, solved[unknown]] = fmpq(coefficient.numerator, coefficient.denominator)
            else:
                value -= coefficient * solution[unknown]
        constant[line, 0] = fmpq(value.numerator, value.denominator)
    found = square.solve(constant)
    return solution | {unknown: Fraction(int(found[new, 0].p), int(found[new, 0].q)) for unknown, new in solved.items()}


def _pivots(matrix: nmod_mat) -> list[int]:
    """The columns that depend on none to their left."""
    echelon, rank = matrix.rref()
    pivots, column = [], 0
    for number in range(rank):
        while not int(echelon[number, column]):
            column += 1
        pivots.append(column)
    return pivots


def _one_by_one(
    equations: Sequence[Row], right: Sequence[Fraction]
) -> tuple[dict[int, Fraction], list[Row], list[Fraction]]:
    """The unknowns that equations with one unknown determine, one after the other, and what they leave of all."""
    rows, values = [{unknown: value for unknown, value in row.items() if value} for row in equations], list(right)
    where: dict[int, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        for unknown in row:
            where[unknown].append(number)
    solution: dict[int, Fraction] = {}
    ready = [number for number, row in enumerate(rows) if len(row) == 1]
    while ready:
        if row := rows[number := ready.pop()]:
            ((unknown, coefficient),) = row.items()
            found = solution[unknown] = values[number] / coefficient
            for other in where[unknown]:
                values[other] -= rows[other].pop(unknown) * found
                if len(rows[other]) == 1:
                    ready.append(other)
    return solution, rows, values


def _proved(
    program: Program, columns: list[Row], solution: Mapping[int, Fraction], prices: Mapping[int, Fraction]
) -> Fraction | None:
    """The least cost, if the solution and the prices prove it exactly: both are feasible and have equal objectives."""
    for row, value in zip(program.rows, program.right, strict=True):
        if sum(v * solution.get(k, 0) for k, v in row.items()) != value:
            return None
    if any(value < 0 and not program.free[k] for k, value in solution.items()):
        return None
    for k, column in enumerate(columns):
        reduced = program.cost.get(k, 0) - sum(v * prices[number] for number, v in column.items())
        if reduced < 0 or (reduced and program.free[k]):
            return None
    least = sum((v * solution.get(k, 0) for k, v in program.cost.items()), Fraction(0))
    dual = sum((prices[number] * value for number, value in enumerate(program.right)), Fraction(0))
    return least if least == dual else None
