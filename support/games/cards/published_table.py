"""The published table of results compared with ours of the same length, and what that test would have rejected."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain, permutations, product

import numpy as np

from support.core.policy import TabularPolicy, uniform
from support.exact.kinds import play_order
from support.exact.markov import node_values
from support.exact.sequence_form import ActionRange
from support.games.cards.runs import Learned, share, slot_of
from support.games.cards.truth import flat_game, optimal_pair
from support.learners.long_runs import History
from support.verdicts.stats import false_alarms, joint_surprise, passing_ranges

Cells = Mapping[str, Mapping[str, tuple[str, str]]]
"""A table of results as the document prints it: for each information state and choice, the gain and the games."""
PUBLISHED: Cells = {
    "Q": {"c": ("699M", "3.2B"), "r": ("29M", "164M")},
    "K": {"c": ("2.5B", "3.3B"), "r": ("44M", "61M")},
    "A": {"c": ("5.6B", "3.1B"), "r": ("361M", "206M")},
    "Qcr": {"f": ("0", "1.4B"), "c": ("-2.4M", "4.7M"), "r": ("-3.4M", "4.7M")},
    "Kcr": {"f": ("0", "546M"), "c": ("1.2k", "937M"), "r": ("-3.1M", "5.0M")},
    "Acr": {"f": ("0", "4.8M"), "c": ("7.5M", "4.8M"), "r": ("2.2B", "1.4B")},
    "Qc": {"c": ("705M", "2.0B"), "r": ("394M", "1.1B")},
    "Kc": {"c": ("3.2B", "3.2B"), "r": ("15M", "18M")},
    "Ac": {"c": ("26M", "15M"), "r": ("6.0B", "3.2B")},
    "Qcrr": {"f": ("0", "394M"), "c": ("-2.0M", "2.0M")},
    "Acrr": {"f": ("0", "5.2M"), "c": ("2.1B", "1.0B")},
}
"""The published table after ten billion games."""
COLUMNS = tuple((state, action) for state, row in PUBLISHED.items() for action in row)
"""The published choices. A table becomes a row of numbers: first the share of each choice in its information state
(the shares of a state add up to one), then what each choice gained on average."""
WATCHED = {"A bets": ("A", "r"), "K bets": ("K", "r"), "Q bets": ("Q", "r"), "K bets after a check": ("Kc", "r")}
"""The choices whose shares the chapter follows."""
UNITS = {"B": 10**9, "M": 10**6, "k": 10**3}
LENGTH = 10**10  # games behind the published table
RANDOM = "every choice at random"
"""The invented table that a test must reject if passing it is to mean something."""
LEVEL = 0.05
"""The p-value below which a table is called surprising."""
EXPLORATION = Fraction(1, 100)


@cache
def number(text: str) -> int:
    """A number as the document prints it: ``number("3.2B")`` is 3,200,000,000.

    Raises:
        ValueError: the text has another form.
    """
    digits, unit = (text[:-1], UNITS[text[-1]]) if text[-1:] in UNITS else (text, 1)
    return int(Fraction(digits) * unit)


def as_printed(value: int) -> str:
    """A whole number as the document prints it: with one decimal below ten of its unit, with none above."""
    for letter, unit in UNITS.items():
        if abs(value) >= unit:
            return f"{value / unit:.1f}{letter}" if abs(value) < 9.95 * unit else f"{value / unit:.0f}{letter}"
    return str(value)


def row_of(cells: Cells) -> np.ndarray:
    """float64[50], the shares of all choices in ``COLUMNS``, then their average gains; 0 for a choice never made."""
    games = np.array([number(cells[state][action][1]) for state, action in COLUMNS], float)
    won = np.array([number(cells[state][action][0]) for state, action in COLUMNS], float)
    totals = [sum(number(count) for _, count in cells[state].values()) for state, _ in COLUMNS]
    return np.concatenate([games / np.maximum(totals, 1), won / np.maximum(games, 1)])


def published_row() -> np.ndarray:
    """float64[50], the published table."""
    return row_of(PUBLISHED)


def published_shares() -> dict[tuple[str, str], float]:
    """The share of each choice of the published table in the games of its information state."""
    return dict(zip(COLUMNS, published_row()[: len(COLUMNS)].tolist(), strict=True))


def our_row(run: History) -> np.ndarray:
    """float64[50], our table at a run's last mark, after rounding its numbers as the document does."""
    cells: dict[str, dict[str, tuple[str, str]]] = {state: {} for state in PUBLISHED}
    for state, action in COLUMNS:
        slot = slot_of(state, action)
        cells[state][action] = as_printed(int(run.won[-1, slot])), as_printed(int(run.counts[-1, slot]))
    return row_of(cells)


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """The distance between the shares of two rows: half the sum of the differences, averaged over the states."""
    shares = slice(len(COLUMNS))
    return float(np.abs(one[shares] - other[shares]).sum() / 2 / len(PUBLISHED))


def expected_cells(policy: TabularPolicy) -> Cells:
    """The expected table of results, to the unit, if both players play a fixed policy for ten billion games."""
    flat = flat_game()
    chances = policy.edge_probabilities(flat)
    to_come = [node_values(flat, chances, player) for player in range(flat.num_players)]
    reach = [Fraction(1)] + [Fraction(0)] * (flat.num_nodes - 1)
    for node in play_order(flat):
        for edge in flat.edges(node):
            reach[flat.child[edge]] += reach[node] * chances[edge]
    cells: dict[str, dict[str, tuple[str, str]]] = {}
    for (player, text), nodes in zip(flat.information_states, flat.nodes_of_information, strict=True):
        for place, action in enumerate(PUBLISHED.get(text, ())):
            games, won = Fraction(0), Fraction(0)
            for node in nodes:
                edge = flat.edges(node)[place]
                made = LENGTH * reach[node] * chances[edge]
                games += made
                won += made * (flat.rewards[edge][player] + to_come[player][int(flat.child[edge])])
            cells.setdefault(text, {})[action] = as_printed(round(won)), as_printed(round(games))
    return cells


def turned(states: Iterable[str]) -> Cells:
    """The published table with the cells of some rows in reverse order, as if each raise had been a fold or check."""
    states = set(states)
    return {
        state: dict(zip(row, reversed(list(row.values())), strict=True)) if state in states else row
        for state, row in PUBLISHED.items()
    }


def with_exploration(policy: TabularPolicy) -> TabularPolicy:
    """A policy played as a learner plays it: one choice in a hundred is random."""
    return TabularPolicy(
        {
            where: {
                action: (1 - EXPLORATION) * policy.row(where).get(action, 0) + EXPLORATION * share
                for action, share in row.items()
            }
            for where, row in uniform(flat_game()).table.items()
        }
    )


def made_up() -> dict[str, Cells]:
    """Invented tables, by description, that a good test would reject: no run of ten billion games gave them."""
    return {
        "an equilibrium with one choice in a hundred at random": expected_cells(with_exploration(optimal_pair())),
        RANDOM: expected_cells(uniform(flat_game())),
        "the published table, aces lead": turned("A"),
        "the published table, player 2 bets its kings": turned(["Kc"]),
        "the published table, player 1's first rows reversed": turned("QKA"),
        "the published table, all rows reversed": turned(PUBLISHED),
    }


def shuffles() -> Iterator[Cells]:
    """The published table with its rows in every other order, among rows that offer the same choices."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for state, row in PUBLISHED.items():
        kinds.setdefault(tuple(row), []).append(state)
    for orders in product(*(permutations(states) for states in kinds.values())):
        found = dict(zip(chain(*kinds.values()), chain(*orders), strict=True))
        if any(state != other for state, other in found.items()):
            yield {state: PUBLISHED[found[state]] for state in PUBLISHED}


@dataclass(frozen=True, eq=False)
class Judged:
    """The published table among ours, with p-values by :func:`support.verdicts.stats.joint_surprise`.

    Attributes:
        surprise: the published table's p-value.
        made_up: the p-values of invented tables, by description; among them ``RANDOM``, the control.
        reversed_alone: those of the published table with one row reversed, by that row's information state.
        shuffled: float64[k], those of the published table with its rows in every other order.
        ranges: for a choice in words, which shares of it would have passed, all else as published.
        alarms: the share of our own tables that the test would call surprising among the others.
        distances: float64[n], the distance of the shares of each of our tables from the published ones.
        nearest: the distance of the published and each invented table to the nearest of ours, by description.
    """

    surprise: float
    made_up: Mapping[str, float]
    reversed_alone: Mapping[str, float]
    shuffled: np.ndarray
    ranges: Mapping[str, list[tuple[float, float]]]
    alarms: float
    distances: np.ndarray
    nearest: Mapping[str, float]

    def would_pass(self) -> str:
        """Which other tables the test would have let pass, in words."""
        passing = [f"“{name}”" for name, p in self.made_up.items() if p >= LEVEL]
        alone = sum(p >= LEVEL for p in self.reversed_alone.values())
        parts = [
            f"of {len(self.made_up)} invented tables: {', '.join(passing) or 'none'}",
            f"of the published table with one row reversed: {alone} of {len(self.reversed_alone)}",
            f"with its rows shuffled: {np.mean(self.shuffled >= LEVEL):.1%}",
        ]
        for words, stretches in self.ranges.items():
            found = " and ".join(f"{low:.0%} to {high:.0%}" for low, high in stretches)
            parts.append(f"{words}, all else as published: {found or 'none'}")
        return "; ".join(parts)


def judge_table(runs: Sequence[History]) -> Judged:
    """Test the published table against the last marks of our runs, and find what else would have passed."""
    ours, published = np.array([our_row(run) for run in runs]), published_row()

    def surprise(cells: Cells) -> float:
        return joint_surprise(row_of(cells), ours)

    ranges = {}
    for words, state, action in (("aces that lead", "A", "r"), ("kings that call a bet after a check", "Kcr", "c")):
        column = COLUMNS.index((state, action))
        first = COLUMNS.index((state, next(iter(PUBLISHED[state]))))
        shared = slice(first, first + len(PUBLISHED[state]))
        ranges[words] = passing_ranges(published, ours, column, np.linspace(0, 1, 101), shared, LEVEL)
    tables = {"the published table": PUBLISHED, **made_up()}
    return Judged(
        surprise(PUBLISHED),
        {name: surprise(cells) for name, cells in tables.items() if cells is not PUBLISHED},
        {state: surprise(turned([state])) for state in PUBLISHED},
        np.array([surprise(cells) for cells in shuffles()]),
        ranges,
        false_alarms(ours, LEVEL),
        np.array([apart(published, row) for row in ours]),
        {name: min(apart(row_of(cells), row) for row in ours) for name, cells in tables.items()},
    )


def choice_paths(
    learned: Learned, ranges: Mapping[tuple[int, str], Mapping[str, ActionRange]]
) -> tuple[np.ndarray, dict[str, list[np.ndarray]], dict[str, tuple[float, float]], dict[str, float]]:
    """Shares of the choices in ``WATCHED`` over the course of the longest runs.

    Args:
        learned: the runs.
        ranges: the optimal ranges, by (player, information state) and action.

    Returns:
        int64[k], games; then by choice: one float64[k] for each seed, the range of optimal strategies, the published
        share.
    """
    known = {text: row for (_, text), row in ranges.items()}
    shares: dict[str, list[np.ndarray]] = {}
    optimal: dict[str, tuple[float, float]] = {}
    published: dict[str, float] = {}
    said = published_shares()
    for name, (state, action) in WATCHED.items():
        shares[name] = [share(run, state, action) for run in learned.full]
        behaviour = known[state][action].behaviour
        assert behaviour is not None
        optimal[name] = float(behaviour[0]), float(behaviour[1])
        published[name] = said[state, action]
    return learned.full[0].marks, shares, optimal, published
