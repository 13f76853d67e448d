"""What can be said of the biscuit puzzle without playing: every opening followed through, and exact chances."""

from dataclasses import dataclass
from fractions import Fraction

from support.core.policy import uniform
from support.exact.markov import evaluate
from support.exact.retrograde import safe_edges, safe_range, steadiest_edges, tremble
from support.games.biscuits.experiments.runs import puzzle_at


@dataclass(frozen=True)
class Fate:
    """What becomes of an opening.

    Attributes:
        opening: what it leaves on the table.
        wins: whether Alpha can force a win after it.
        can_reach: whether Betty ever leaves two of one biscuit and one of the other, in any play from there.
        at_once: whether she can leave them with her next move.
    """

    opening: tuple[int, int]
    wins: bool
    can_reach: bool
    at_once: bool


def after_openings(heaps: tuple[int, int] = (8, 4)) -> list[Fate]:
    """Every opening, followed through all games that it can lead to."""
    puzzle = puzzle_at(*heaps)
    flat = puzzle.flat
    wanted = {flat.index[board] for board in ((1, 2, 0), (2, 1, 0)) if board in flat.index}  # left by Betty
    fates = []
    for edge in flat.edges(0):
        seen, todo = set(), [int(flat.child[edge])]
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo += [int(flat.child[e]) for e in flat.edges(node)]
        after = {int(flat.child[e]) for e in flat.edges(int(flat.child[edge]))}
        wins = bool(puzzle.solution.winning[edge])
        fates.append(Fate(flat.action[edge], wins, bool(wanted & seen), bool(wanted & after)))
    return fates


def random_play(heaps: tuple[int, int] = (8, 4)) -> Fraction:
    """The exact chance that Alpha wins when both players choose uniformly among the legal moves."""
    flat = puzzle_at(*heaps).flat
    return (1 + evaluate(flat, uniform(flat).edge_probabilities(flat)).mean) / 2


@dataclass(frozen=True)
class Yardstick:
    """What two flawless players who explore can do against each other, exact.

    Attributes:
        epsilon: exploration of Alpha and of Betty.
        perfect: Alpha's chance when both play uniformly among the winning moves, or among all where there is
            none.
        least: the least chance over all ways to choose among winning moves (among all where there is none).
        most: the greatest.
        trembling: Alpha's chance when each plays the best against an opponent known to tremble as well.
        opening: Alpha's opening then.
        careless: hot positions in which the best move against a trembling opponent gives away the forced win.
    """

    epsilon: tuple[Fraction, Fraction]
    perfect: Fraction
    least: Fraction
    most: Fraction
    trembling: Fraction
    opening: str
    careless: int


def yardstick(
    epsilon: tuple[Fraction, Fraction] = (Fraction(1, 20), Fraction(1, 20)), heaps: tuple[int, int] = (8, 4)
) -> Yardstick:
    """The exact chance that Alpha wins when nobody has anything left to learn but both go on exploring.

    Args:
        epsilon: chance that a move is drawn uniformly from the legal ones, for Alpha and for Betty, in
            [0, 1].
        heaps: Digestives and Rich Teas at the start.

    Raises:
        ValueError: an exploration rate out of range.
    """
    puzzle = puzzle_at(*heaps)
    flat, solution = puzzle.flat, puzzle.solution
    steady = steadiest_edges(flat, epsilon)
    chances = []
    for edges in (safe_edges(flat, solution), steady):
        policy = tremble(flat, edges, epsilon)
        chances.append((1 + evaluate(flat, policy.edge_probabilities(flat)).mean) / 2)
    careless = sum(bool(solution.hot[node]) and not solution.winning[edge] for node, (edge,) in steady.items())
    alpha, betty = (Fraction(str(rate)) for rate in epsilon)
    least, most = safe_range(flat, solution, epsilon)
    return Yardstick((alpha, betty), chances[0], least, most, chances[1], flat.label[steady[0][0]], careless)
