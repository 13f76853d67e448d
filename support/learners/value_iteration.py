"""Value iteration: sweep over the states, and replace each value by the best one-step look-ahead on the old values.

Bellman (1957); Sutton and Barto (2018), equation 4.10. A sweep either works from the previous sweep's values
("synchronous") or uses new values as soon as they are computed ("in place", Gauss-Seidel).
"""

from dataclasses import dataclass

import numpy as np

from support.core.flat import FlatGame
from support.core.interface import DoesNotFitError
from support.core.policy import TabularPolicy, choose
from support.exact.kinds import require_open, require_players, taken_by
from support.exact.sizes import VALUE_ITERATION, require_size

MOST_SWEEPS = 100_000
Onward = tuple[float, np.ndarray]


@dataclass(frozen=True)
class Sweeps:
    """The result of value iteration.

    Attributes:
        policy: greedy with respect to the values of the last sweep; ties go to the first listed action.
        values: float64[k], the value of each decision node, in points, in the order of ``flat.decision_nodes()``.
        history: float64[sweeps, k], the values after each sweep.
        changes: float64[sweeps], the largest change in each sweep.
    """

    policy: TabularPolicy
    values: np.ndarray
    history: np.ndarray
    changes: np.ndarray

    @property
    def sweeps(self) -> int:
        """Number of sweeps until the largest change was no more than the threshold."""
        return len(self.changes)


def value_iteration(
    flat: FlatGame, discount: float = 0.95, threshold: float = 0.001, in_place: bool = False, name: str = ""
) -> Sweeps:
    """Solve a single-player game of perfect information by value iteration from zero.

    Args:
        flat: an unfolded single-player game. Decisions are swept in its order.
        discount: the weight of a reward one decision later, in [0, 1].
        threshold: stop after the sweep whose largest change is no more than this, in points.
        in_place: let each update use the values already updated in the same sweep.
        name: what the book calls the policy.

    Raises:
        DoesNotFitError: there is more than one player, no decision, something hidden, or a place to which chance can
            come back before a decision.
        TooLargeError: the game is too large.
        ValueError: a parameter is out of range, or 100,000 sweeps do not converge.
    """
    if not 0 <= discount <= 1:
        raise ValueError(f"discount must lie between 0 and 1, not {discount}")
    if not threshold > 0:
        raise ValueError(f"threshold must be greater than 0, not {threshold}")
    require_players(flat, "value iteration", 1)
    require_open(flat, "value iteration")
    if not flat.information_states:
        raise DoesNotFitError(f"no player ever moves in {flat.game.name}")
    model = _Model.of(flat)
    values = np.zeros(len(model.starts))
    history: list[np.ndarray] = []
    changes: list[float] = []
    while not changes or changes[-1] > threshold:
        if len(changes) == MOST_SWEEPS:
            raise ValueError(f"no convergence in {MOST_SWEEPS:,} sweeps: the largest change is still {changes[-1]:g}")
        before = values.copy()
        worth = model.sweep(values, discount, in_place)
        changes.append(float(np.abs(values - before).max()))
        history.append(values.copy())
    # The choices go with the values that the last sweep worked from, because each update stores both together.
    groups = np.split(worth, model.starts[1:])
    edges = [model.edges[start + np.argmax(group)] for start, group in zip(model.starts, groups, strict=True)]
    return Sweeps(choose(flat, edges, name), values, np.array(history), np.array(changes))


@dataclass(frozen=True)
class _Model:
    """Decisions and what follows them, averaged over chance.

    Attributes:
        edges: the actions of all decisions, one after the other.
        starts: int64[k], the place where each decision's actions begin.
        reward: float64[e], the reward of each action.
        onward: int64[e], the row of ``follow`` that each action leads to. Actions that lead to the same node share a
            row, so exact ties stay ties in floating point.
        gain, follow: float64[r] and float64[r, k], for each row the expected reward, and the probability of each
            decision to come next.
    """

    edges: list[int]
    starts: np.ndarray
    reward: np.ndarray
    onward: np.ndarray
    gain: np.ndarray
    follow: np.ndarray

    @classmethod
    def of(cls, flat: FlatGame) -> "_Model":
        decisions = flat.decision_nodes()
        edges = [edge for node in decisions for edge in flat.edges(node)]
        children = [int(flat.child[edge]) for edge in edges]
        rows = {child: row for row, child in enumerate(dict.fromkeys(children))}
        require_size(flat.game, VALUE_ITERATION, len(rows) * len(decisions))
        column = {node: k for k, node in enumerate(decisions)}
        gain, follow = np.zeros(len(rows)), np.zeros((len(rows), len(decisions)))
        known: dict[int, Onward | None] = {}
        for child, row in rows.items():
            gain[row], follow[row] = _onward(flat, child, column, known)
        sizes = [len(flat.edges(node)) for node in decisions]
        return cls(
            edges=edges,
            starts=np.cumsum([0, *sizes[:-1]]),
            reward=np.array([float(flat.rewards[edge][0]) for edge in edges]),
            onward=np.array([rows[child] for child in children]),
            gain=gain,
            follow=follow,
        )

    def sweep(self, values: np.ndarray, discount: float, in_place: bool) -> np.ndarray:
        """Update all values once; return float64[e], the value of each action when its state was updated."""
        if not in_place:
            worth: np.ndarray = self.reward + discount * (self.gain + self.follow @ values)[self.onward]
            values[:] = np.maximum.reduceat(worth, self.starts)
            return worth
        worth = np.empty(len(self.edges))
        for state, (start, end) in enumerate(zip(self.starts, [*self.starts[1:], len(worth)], strict=True)):
            rows, place = np.unique(self.onward[start:end], return_inverse=True)
            ahead = self.gain[rows] + self.follow[rows] @ values
            worth[start:end] = self.reward[start:end] + discount * ahead[place]
            values[state] = worth[start:end].max()
        return worth


def _onward(flat: FlatGame, node: int, column: dict[int, int], known: dict[int, Onward | None]) -> Onward:
    """The expected reward from a node to the next decision, and the probability of each decision to be that one."""
    if node in column:
        return 0.0, np.eye(1, len(column), column[node])[0]
    if node not in known:
        known[node] = None  # on the way there
        gain, follow = 0.0, np.zeros(len(column))
        for edge in flat.edges(node):  # none at the end of the game
            chance, child = float(flat.probability[edge]), int(flat.child[edge])
            gain += chance * float(flat.rewards[edge][0])
            if child in column:
                follow[column[child]] += chance
            elif flat.edges(child):
                later, after = _onward(flat, child, column, known)
                gain += chance * later
                follow += chance * after
        known[node] = gain, follow
    if (found := known[node]) is None:
        raise DoesNotFitError(
            f"value iteration is for games in which a player decides before chance is back where it was; in "
            f"{flat.game.name} that need not be so: {taken_by(flat)}"
        )
    return found
