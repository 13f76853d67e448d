from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from support.exact import linear_program
from support.exact.linear_program import Program, UnprovedError, minimise


def program(cost, rows, right, free=None):
    exact = [{k: Fraction(v) for k, v in row.items()} for row in rows]
    size = 1 + max(max(row) for row in exact)
    costs = {k: Fraction(v) for k, v in cost.items()}
    return Program(costs, exact, [Fraction(b) for b in right], free or [False] * size)


def test_a_textbook_program_by_hand():
    """Greatest x + y with x + 2 y <= 4 and 3 x + y <= 6: the corner (8/5, 6/5), worth 14/5; prices 2/5 and 1/5."""
    least, z, prices = minimise(program({0: -1, 1: -1}, [{0: 1, 1: 2, 2: 1}, {0: 3, 1: 1, 3: 1}], [4, 6]))
    assert least == Fraction(-14, 5)
    assert (z[0], z[1]) == (Fraction(8, 5), Fraction(6, 5))
    assert prices == [Fraction(-2, 5), Fraction(-1, 5)]


def test_a_free_variable_may_be_negative():
    least, z, _ = minimise(program({0: 1}, [{0: 3, 1: -1}], [-1], free=[True, False]))
    assert least == z[0] == Fraction(-1, 3)


@pytest.mark.parametrize(
    ("cost", "rows", "right"),
    [({0: 1}, [{0: 1}], [-1]), ({0: -1}, [{0: 1, 1: -1}], [0])],
    ids=["impossible", "endless"],
)
def test_what_has_no_answer_is_an_error(cost, rows, right):
    with pytest.raises(UnprovedError, match="could be proved"):
        minimise(program(cost, rows, right))


def test_a_rounding_that_proves_nothing_is_followed_by_the_next(monkeypatch):
    """Where all that is below ten counts as nothing, no variable is left to solve for."""
    asked = program({0: -1, 1: -1}, [{0: 1, 1: 2, 2: 1}, {0: 3, 1: 1, 3: 1}], [4, 6])
    monkeypatch.setattr(linear_program, "ROUNDINGS", (10.0, 1e-9))
    assert minimise(asked)[0] == Fraction(-14, 5)
    monkeypatch.setattr(linear_program, "ROUNDINGS", (10.0,))
    with pytest.raises(UnprovedError, match="with 2 rows could be proved"):
        minimise(asked)


def test_coefficients_of_very_different_sizes():
    """The textbook program in other units: x in millionths and y in billions, the rows and the costs as they like."""
    x, y, big = Fraction(1, 10**6), Fraction(10**9), Fraction(10**20)
    rows = [{0: x * big, 1: 2 * y * big, 2: 1}, {0: 3 * x / big, 1: y / big, 3: 1}]
    asked = program({0: -x * big, 1: -y * big}, rows, [4 * big, 6 / big])
    least, z, prices = minimise(asked)
    assert least == Fraction(-14, 5) * big
    assert (z[0] * x, z[1] * y) == (Fraction(8, 5), Fraction(6, 5))
    assert prices == [Fraction(-2, 5), Fraction(-1, 5) * big**2]


def test_scales_bring_coefficients_near_one():
    i, k, sizes = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([1e-9, 1e3, 1e0, 1e12])
    rows, columns = linear_program._scales(i, k, sizes, (2, 2))
    assert sizes * rows[i] * columns[k] == pytest.approx(np.ones(4))


@pytest.mark.parametrize(
    ("solution", "prices", "least"),
    [
        ((2, 0), (1,), 2),
        ((1, 0), (1,), None),  # not what the row says
        ((3, -1), (1,), None),  # negative
        ((2, 0), (2,), None),  # prices above the costs
        ((0, 2), (1,), None),  # feasible, and dear
    ],
)
def test_a_proof_needs_solution_and_prices_to_fit(solution, prices, least):
    """Least x + 3 y with x + y = 2: two, all of it x, at a price of one."""
    asked = program({0: 1, 1: 3}, [{0: 1, 1: 1}], [2])
    columns = [{0: Fraction(1)}, {0: Fraction(1)}]
    exact = [dict(enumerate(map(Fraction, numbers))) for numbers in (solution, prices)]
    assert linear_program._proved(asked, columns, *exact) == least


@pytest.mark.parametrize("seed", range(50))
def test_equations_are_solved_as_by_plain_elimination(seed):
    """Whatever can be read off is; what stays open is what elimination from the left leaves open, and is guessed."""
    draw = np.random.default_rng(seed)
    lines, size = int(draw.integers(0, 8)), int(draw.integers(1, 8))
    kinds = [Fraction(0), Fraction(0), Fraction(1), Fraction(-1), Fraction(2, 3)]
    matrix = [[kinds[k] for k in draw.integers(0, len(kinds), size)] for _ in range(lines)]
    hidden = [Fraction(int(a), int(b)) for a, b in draw.integers(1, 6, (size, 2))]
    guess = draw.integers(0, 8, size) / 8
    right = [sum((a * x for a, x in zip(row, hidden, strict=True)), Fraction(0)) for row in matrix]
    rows = [{k: value for k, value in enumerate(row) if value or k % 2} for row in matrix]  # zeros may be written
    found = linear_program._exact(rows, right, range(size), guess)
    assert [sum((a * found[k] for k, a in enumerate(row)), Fraction(0)) for row in matrix] == right
    entries = [fmpq(value.numerator, value.denominator) for row in matrix for value in row]
    echelon, rank = fmpq_mat(lines, size, entries).rref()
    pivots = {min(k for k in range(size) if echelon[line, k] != 0) for line in range(rank)}
    assert all(found[k] == Fraction(guess[k]) for k in set(range(size)) - pivots)
