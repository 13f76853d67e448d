"""The exact value of a policy: once every player's policy is fixed, a game is a Markov chain with rewards.

Expected returns solve a linear system (Puterman 1994, chapter 5), here in rational arithmetic, one strongly connected
component at a time; the distribution of the return follows by pushing probability forward through the chain.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from graphlib import TopologicalSorter
from math import lcm

import numpy as np
from flint import fmpq, fmpq_mat

from support.core.flat import FlatGame
from support.core.interface import TERMINAL
from support.core.policy import EndlessError
from support.exact.sizes import EVALUATE, require_size

NEGLIGIBLE = Fraction(1, 10**12)
"""The probability of the longest games that a distribution may leave out."""
Links = list[tuple[int, int, Fraction]]  # edge, child, probability


@dataclass(frozen=True)
class Moments:
    """Mean and variance of one player's return, in points and points squared, exact."""

    mean: Fraction
    variance: Fraction

    @property
    def deviation(self) -> float:
        """Standard deviation, in points."""
        deviation: float = float(self.variance) ** 0.5
        return deviation


def evaluate(flat: FlatGame, edge_probabilities: Sequence[Fraction], player: int = 0) -> Moments:
    """The exact mean and variance of a player's return from the root.

    Args:
        flat: the unfolded game.
        edge_probabilities: a probability for each edge, chance included (``TabularPolicy.edge_probabilities``).
        player: the player whose return it is.

    Raises:
        ValueError: under the policy the game may go on for ever.
        TooLargeError: more positions lead back to each other than an exact solution takes.
    """
    links, gain, mean = _means(flat, edge_probabilities, player)
    # E[(r + X)^2] = r^2 + 2 r E[X] + E[X^2]
    square = _solve(flat, links, lambda edge, child: gain[edge] ** 2 + 2 * gain[edge] * mean[child])
    return Moments(mean[0], square[0] - mean[0] ** 2)


def expected_return(flat: FlatGame, edge_probabilities: Sequence[Fraction], player: int = 0) -> Fraction:
    """The mean alone, in half the time; arguments and errors as for :func:`evaluate`."""
    return _means(flat, edge_probabilities, player)[2][0]


def _means(
    flat: FlatGame, edge_probabilities: Sequence[Fraction], player: int
) -> tuple[dict[int, Links], list[Fraction], dict[int, Fraction]]:
    """The edges that are played, the gain of each edge, and the expected return from each node that is reached."""
    links = _links(flat, edge_probabilities)
    gain = [Fraction(reward[player]) for reward in flat.rewards]
    return links, gain, _solve(flat, links, lambda edge, child: gain[edge])


def node_values(
    flat: FlatGame, edge_probabilities: Sequence[Fraction], player: int = 0, discount: Fraction | int = 1
) -> dict[int, Fraction]:
    """A player's exact expected return to come at every node.

    Args:
        flat: the unfolded game.
        edge_probabilities: a probability for each edge, chance included.
        player: the player whose return it is.
        discount: the weight of a reward one decision later, in [0, 1].
    """
    links = _links(flat, edge_probabilities, everywhere=True)
    gain = [Fraction(reward[player]) for reward in flat.rewards]
    factor = [Fraction(discount) if mover >= 0 else Fraction(1) for mover in flat.player]
    return _solve(flat, links, lambda edge, child: gain[edge], factor)


def require_end(flat: FlatGame, edge_probabilities: Sequence[Fraction]) -> None:
    """Raise an error unless the game, played with these probabilities, ends with probability one.

    Raises:
        EndlessError: a position from which the end cannot be reached.
    """
    links = _links(flat, edge_probabilities)
    near = steps_to_end(flat, {node: [child for _, child, _ in out] for node, out in links.items()})
    for node in links:
        if node not in near:
            raise EndlessError(f"under this policy the game never ends once it is at {flat.positions[node]}")


def steps_to_end(flat: FlatGame, after: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """The least number of steps to the end, for each node from which it can be reached.

    Args:
        flat: the unfolded game.
        after: for each node, the nodes that are one step away.
    """
    parents: dict[int, list[int]] = defaultdict(list)
    for node, children in after.items():
        for child in children:
            parents[child].append(node)
    steps = {node: 0 for node in after if flat.player[node] == TERMINAL}
    queue = deque(steps)
    while queue:
        node = queue.popleft()
        for parent in parents[node]:
            if parent not in steps:
                steps[parent] = steps[node] + 1
                queue.append(parent)
    return steps


def _links(flat: FlatGame, probabilities: Sequence[Fraction], everywhere: bool = False) -> dict[int, Links]:
    """The edges of positive probability, by node; only for nodes reached from the root, unless ``everywhere``."""
    links: dict[int, Links] = {}
    todo = list(range(flat.num_nodes)) if everywhere else [0]
    while todo:
        node = todo.pop()
        if node in links:
            continue
        links[node] = [(e, int(flat.child[e]), probabilities[e]) for e in flat.edges(node) if probabilities[e]]
        total = sum(p for _, _, p in links[node])
        if total != 1 and flat.player[node] != TERMINAL:
            raise ValueError(f"the probabilities at {flat.positions[node]} sum to {total}, not to 1")
        todo += [child for _, child, _ in links[node]]
    return links


def _solve(
    flat: FlatGame,
    links: dict[int, Links],
    gain: Callable[[int, int], int | Fraction],
    factor: Sequence[Fraction] | None = None,
) -> dict[int, Fraction]:
    """x[node] = sum over edges of probability * (gain + factor * x[child]), and zero at the end of the game."""
    solution: dict[int, Fraction] = {}
    for block in _components(flat, links):
        place = {node: row for row, node in enumerate(block)}
        right, inside = [Fraction(0)] * len(block), []
        for node, row in place.items():
            weight = factor[node] if factor else 1
            for edge, child, p in links[node]:
                right[row] += p * gain(edge, child)
                if child in place:
                    inside.append((row, place[child], p * weight))
                else:
                    right[row] += p * weight * solution[child]
        if inside:
            right = _solve_block(flat, block, inside, right)
        solution.update(zip(block, right, strict=True))
    return solution


def _solve_block(
    flat: FlatGame, block: list[int], inside: list[tuple[int, int, Fraction]], right: list[Fraction]
) -> list[Fraction]:
    """Solve the dense rational system of one strongly connected component."""
    size = len(block)
    require_size(flat.game, EVALUATE, size)
    matrix = fmpq_mat(size, size, [fmpq(int(i == j)) for i in range(size) for j in range(size)])
    for row, column, p in inside:
        matrix[row, column] -= fmpq(p.numerator, p.denominator)
    vector = fmpq_mat(size, 1, [fmpq(b.numerator, b.denominator) for b in right])
    try:
        answer = matrix.solve(vector)
    except ZeroDivisionError:
        where = flat.positions[block[0]]
        raise EndlessError(f"under this policy the game never ends once it is at {where}") from None
    return [Fraction(int(answer[row, 0].p), int(answer[row, 0].q)) for row in range(size)]


def _components(flat: FlatGame, links: dict[int, Links]) -> list[list[int]]:
    """The strongly connected components of the chain, each after those that it leads to."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    pairs = [(node, child) for node, out in links.items() for _, child, _ in out]
    rows, columns = zip(*pairs, strict=True) if pairs else ((), ())
    graph = csr_array((np.ones(len(pairs)), (rows, columns)), shape=(flat.num_nodes, flat.num_nodes))
    _, label = connected_components(graph, connection="strong")
    members: dict[int, list[int]] = defaultdict(list)
    for node in sorted(links):
        members[label[node]].append(node)
    order = TopologicalSorter({k: set() for k in members})
    for node, child in pairs:
        if label[node] != label[child]:
            order.add(label[node], label[child])
    return [members[k] for k in order.static_order()]


@dataclass(frozen=True)
class Distribution:
    """The exact distribution of a return.

    Attributes:
        probability: the exact probability of each return.
        rest: the probability of all games longer than the horizon, not spread over returns.
    """

    probability: dict[Fraction | int, Fraction]
    rest: Fraction


def return_distribution(flat: FlatGame, edge_probabilities: Sequence[Fraction]) -> Distribution:
    """The exact probability of every return of the first player, until at most ``NEGLIGIBLE`` of the games still go on.

    Weights are integers over one common denominator, which grows with every step. Nothing is rounded, and no fractions
    need to be reduced along the way.

    Raises:
        ValueError: under the policy the game may go on for ever.
    """
    links = _links(flat, edge_probabilities)
    require_end(flat, edge_probabilities)
    unit = lcm(*(p.denominator for out in links.values() for _, _, p in out))
    over = flat.player[0] == TERMINAL
    alive: dict[tuple[int, Fraction | int], int] = {} if over else {(0, 0): 1}
    ended: dict[Fraction | int, Fraction] = defaultdict(Fraction, {0: Fraction(1)} if over else {})
    scale = 1
    while alive and sum(alive.values()) > NEGLIGIBLE * scale:
        after: dict[tuple[int, Fraction | int], int] = defaultdict(int)
        for (node, gained), weight in alive.items():
            for edge, child, p in links[node]:
                after[child, gained + flat.rewards[edge][0]] += weight * (unit * p.numerator // p.denominator)
        scale *= unit
        alive = {}
        for (node, gained), weight in after.items():
            if flat.player[node] == TERMINAL:
                ended[gained] += Fraction(weight, scale)
            else:
                alive[node, gained] = weight
    return Distribution(dict(sorted(ended.items())), Fraction(sum(alive.values()), scale))
