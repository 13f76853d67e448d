"""Linear programs solved without rounding error: found in floating point, recomputed in fractions, and proved.

HiGHS suggests the variables that are not zero and the constraints that bind. From these, solution and dual solution
are computed anew in fractions, and both are checked without rounding: feasible, and of equal objective.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat
from scipy.optimize import linprog
from scipy.sparse import csr_array

from support.exact.sizes import MINIMISE, require_size

Row = dict[int, Fraction]
"""A sparse row: coefficient by column."""

ROUNDINGS = tuple((method, small) for method in ("highs-ds", "highs-ipm") for small in (1e-9, 1e-7, 1e-5))


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
        TooLargeError: more rows times columns than ``support.exact.sizes`` says.
        UnprovedError: no rounding of the floating-point solution could be proved.
    """
    rows, size = program.rows, len(program.free)
    require_size("a linear program", MINIMISE, len(rows) * size)
    columns: list[Row] = [{} for _ in range(size)]
    for number, row in enumerate(rows):
        for k, value in row.items():
            columns[k][number] = value
    costs = [program.cost.get(k, Fraction(0)) for k in range(size)]
    for method, small in ROUNDINGS:
        if (floats := _in_floats(program, method)) is None:
            continue
        z, prices, reduced = floats
        used = [k for k in range(size) if program.free[k] or z[k] > small]
        tight = [k for k in range(size) if program.free[k] or abs(reduced[k]) < small]
        kept = set(used)
        solution = _exact([{k: v for k, v in row.items() if k in kept} for row in rows], program.right, used, z)
        dual = _exact([columns[k] for k in tight], [costs[k] for k in tight], range(len(rows)), prices)
        if solution and dual and (least := _proved(program, columns, solution, dual)) is not None:
            return least, {k: solution.get(k, Fraction(0)) for k in range(size)}, [dual[k] for k in range(len(rows))]
    raise UnprovedError(f"no exact solution of a linear program with {len(rows)} rows could be proved")


def _in_floats(program: Program, method: str) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Solution, duals and reduced costs in floating point; None if the solver does not reach an optimum."""
    places = [(i, k, float(value)) for i, row in enumerate(program.rows) for k, value in row.items()]
    i, k, entries = zip(*places, strict=True)
    matrix = csr_array((entries, (i, k)), shape=(len(program.rows), len(program.free)))
    cost = np.array([float(program.cost.get(k, 0)) for k in range(len(program.free))])
    bounds = [(None, None) if free else (0, None) for free in program.free]
    answer = linprog(cost, A_eq=matrix, b_eq=[float(b) for b in program.right], bounds=bounds, method=method)
    if answer.status:
        return None
    prices = answer.eqlin.marginals
    return answer.x, prices, cost - matrix.T @ prices


def _exact(
    equations: Sequence[Row], right: Sequence[Fraction], unknowns: Sequence[int], guess: np.ndarray
) -> dict[int, Fraction] | None:
    """A rational solution, None if there is none; what the equations leave open is taken from ``guess``, rounded."""
    place = {unknown: column for column, unknown in enumerate(unknowns)}
    last = len(unknowns)
    matrix = fmpq_mat(len(equations), last + 1)
    for number, (row, value) in enumerate(zip(equations, right, strict=True)):
        for unknown, coefficient in row.items():
            matrix[number, place[unknown]] = fmpq(coefficient.numerator, coefficient.denominator)
        matrix[number, last] = fmpq(value.numerator, value.denominator)
    matrix, rank = matrix.rref()
    rows = [[matrix[number, column] for column in range(last + 1)] for number in range(rank)]
    pivots = [next(column for column, entry in enumerate(row) if entry) for row in rows]
    if last in pivots:
        return None
    solution: dict[int, Fraction] = {}
    for column in set(range(last)).difference(pivots):
        solution[unknowns[column]] = Fraction(float(guess[unknowns[column]])).limit_denominator(1000)
    opened = {place[unknown]: fmpq(value.numerator, value.denominator) for unknown, value in solution.items()}
    for pivot, reduced in zip(pivots, rows, strict=True):
        left = reduced[last] - sum((reduced[column] * taken for column, taken in opened.items()), fmpq(0))
        solution[unknowns[pivot]] = Fraction(int(left.p), int(left.q))
    return solution


def _proved(
    program: Program, columns: list[Row], solution: Mapping[int, Fraction], prices: Mapping[int, Fraction]
) -> Fraction | None:
    """The least cost if solution and prices prove it, without rounding: both feasible, and worth the same."""
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
