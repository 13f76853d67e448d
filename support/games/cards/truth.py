"""Ace, king, queen solved, and the published strategy judged, in fractions."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from support.core.flat import FlatGame, unfolded
from support.core.policy import TabularPolicy
from support.exact.best_response import best_response, expected_returns
from support.exact.sequence_form import ActionRange, Equilibrium, Guarantee, guarantee, optimal_ranges, solve
from support.games.cards.ace_king_queen import AceKingQueen, play

FIRST, SECOND = 0, 1
_ONE, _HALF, _THIRD = Fraction(1), Fraction(1, 2), Fraction(1, 3)
Rows = Mapping[tuple[int, str], Mapping[str, Fraction]]

MAIN: Rows = {
    **{(FIRST, card): {"c": _ONE} for card in "AKQ"},
    (FIRST, "Qcr"): {"f": _ONE},
    (FIRST, "Kcr"): {"c": 2 * _THIRD, "f": _THIRD},
    (FIRST, "Acr"): {"r": _ONE},
    (SECOND, "Qc"): {"c": 2 * _THIRD, "r": _THIRD},
    (SECOND, "Kc"): {"c": _ONE},
    (SECOND, "Ac"): {"r": _ONE},
    (SECOND, "Qcrr"): {"f": _ONE},
    (SECOND, "Acrr"): {"c": _ONE},
}
"""The document's table of correct play, with player 2's queen and ace after a raise from its rows of results."""
OFF_PATH: Rows = {
    (SECOND, "Qr"): {"f": _ONE},
    (SECOND, "Kr"): {"f": _HALF, "c": _HALF},
    (SECOND, "Ar"): {"r": _ONE},
    (FIRST, "Qrr"): {"f": _ONE},
    (FIRST, "Krr"): {"c": _ONE},
    (FIRST, "Arr"): {"c": _ONE},
}
"""The document's advice in case player 1 leads with a bet after all."""
PIECES = {
    (SECOND, "Qr"): "player 2 folds a queen",
    (SECOND, "Kr"): "player 2 folds half of its kings and calls with the others",
    (SECOND, "Ar"): "player 2 raises an ace",
    (FIRST, "Qrr"): "a raised queen folds",
    (FIRST, "Krr"): "a raised king calls",
    (FIRST, "Arr"): "a raised ace calls",
}
"""That advice, piece by piece, in words."""
UNSAID: Rows = {(SECOND, "Kcrr"): {"f": _ONE}}
"""A row about which the document is silent, because its player 2 never gets there: we let it fold the king."""


def flat_game() -> FlatGame:
    """The unfolded game; cached."""
    return unfolded(AceKingQueen())


@dataclass(frozen=True)
class Solution:
    """The solved game.

    Attributes:
        equilibrium: its value to player 1 and one equilibrium.
        ranges: for both players, the range of each action's probability over all optimal strategies.
    """

    equilibrium: Equilibrium
    ranges: Mapping[tuple[int, str], Mapping[str, ActionRange]]

    @property
    def value(self) -> Fraction:
        """What the game is worth to player 1, in dollars a hand."""
        return self.equilibrium.value


@cache
def solution() -> Solution:
    """Solve the game, and find all optimal strategies of both players."""
    flat = flat_game()
    return Solution(solve(flat), {**optimal_ranges(flat, FIRST), **optimal_ranges(flat, SECOND)})


def published_strategy() -> TabularPolicy:
    """The document's strategy for both players, advice off the path included."""
    return TabularPolicy({**MAIN, **OFF_PATH, **UNSAID}, "published")


@dataclass(frozen=True)
class Judgement:
    """How good a pair of strategies is, in dollars a hand.

    Attributes:
        returns: each player's expected return.
        best: each player's best-response return against the other's strategy.
        guarantees: by name and player, the most that a player can guarantee while following part of the advice.
        gains: by information state and action, the expected rewards to come if the player reaches that state, takes
            that action, and plays a best response from then on.
    """

    returns: tuple[Fraction, ...]
    best: tuple[Fraction, ...]
    guarantees: Mapping[str, tuple[Guarantee, Guarantee]]
    gains: Mapping[tuple[int, str], Mapping[Any, Fraction]]

    @property
    def nash_conv(self) -> Fraction:
        """The sum of what each player could gain by changing alone, in dollars a hand."""
        return sum(self.best, Fraction(0)) - sum(self.returns, Fraction(0))


def judge_strategy() -> Judgement:
    """Judge the published strategy by its best responses, and by what following it costs."""
    flat, policy = flat_game(), published_strategy()
    responses = [best_response(flat, policy, player) for player in (FIRST, SECOND)]
    obeyed = {
        "nothing": {},
        "never to lead": {(FIRST, card): {"c": _ONE} for card in "AKQ"},
        "never to bet a king": {(SECOND, "Kc"): {"c": _ONE}},
        "the table": MAIN,
        "everything": {**MAIN, **OFF_PATH},
    }
    return Judgement(
        returns=expected_returns(flat, policy),
        best=tuple(response.value for response in responses),
        guarantees={
            name: (guarantee(flat, FIRST, TabularPolicy(rows)), guarantee(flat, SECOND, TabularPolicy(rows)))
            for name, rows in obeyed.items()
        },
        gains={
            where: {action: value / response.reach[where] for action, value in row.items()}
            for response in responses
            for where, row in response.action_values.items()
            if response.reach[where]
        },
    )


def outside(rows: Rows) -> list[tuple[tuple[int, str], str]]:
    """The choices to which no optimal strategy gives the probability that ``rows`` gives them.

    Only information states that every optimal strategy may reach are listed; elsewhere no probability can be wrong by
    itself.
    """
    wrong = []
    for where, row in rows.items():
        for action, ranges in solution().ranges[where].items():
            if ranges.behaviour is None:
                continue
            low, high = ranges.behaviour
            if not low <= row.get(action, Fraction(0)) <= high:
                wrong.append((where, action))
    return wrong


def pieces() -> dict[str, bool]:
    """Whether some optimal strategy follows each piece of the advice against a lead, by the piece in words."""
    wrong = {where for where, _ in outside(OFF_PATH)}
    return {words: where not in wrong for where, words in PIECES.items()}


def best_without_leads() -> tuple[Fraction, Fraction]:
    """Each player's best return against the other's published strategy, if player 1 may not lead.

    This restricts only player 1's response, because the published player 1 never leads.
    """
    judgement = judge_strategy()
    checks = [judgement.gains[FIRST, card]["c"] for card in "AKQ"]  # rewards to come, once the ante has been paid
    return sum(checks, Fraction(0)) / 3 - 1, judgement.best[SECOND]


def range_rows() -> list[tuple[int, str, str, Fraction, Fraction, Fraction | None]]:
    """The range of one choice (to bet, or to fold to a bet) in every information state that optimal play may reach.

    Returns:
        Player (1 or 2), information state, choice in words, lowest and highest probability in an optimal strategy, and
        the published one, or None if the document gives none.
    """
    said, rows = {**MAIN, **OFF_PATH}, []
    for (player, text), row in solution().ranges.items():
        action, word = ("f", "folds") if "f" in row else ("r", "bets")
        if (behaviour := row[action].behaviour) is not None:
            published = said[player, text].get(action, Fraction(0)) if (player, text) in said else None
            rows.append((player + 1, text, word, *behaviour, published))
    return rows


def optimal_pair() -> TabularPolicy:
    """An equilibrium for both players, complete.

    Player 2's strategy is the plainest one: it bets a king least often, and calls a raise with aces only.
    """
    bets = solution().ranges[SECOND, "Kc"]["r"].behaviour
    assert bets is not None
    fewest = bets[0]
    raised = {(SECOND, "Acrr"): {"c": _ONE}, (SECOND, "Kcrr"): {"f": _ONE}, (SECOND, "Qcrr"): {"f": _ONE}}
    plainest = guarantee(flat_game(), SECOND, {(SECOND, "Kc"): {"c": 1 - fewest, "r": fewest}, **raised})
    if plainest.value != -solution().value:
        raise AssertionError(f"this strategy of player 2 guarantees only {plainest.value}: it is not optimal")
    first = solution().equilibrium.policies[FIRST].table
    table = {where: row for where, row in first.items() if where[0] == FIRST}
    table |= {where: row for where, row in plainest.policy.table.items() if where[0] == SECOND}
    return TabularPolicy(table, "optimal")


def both_strategies() -> dict[str, dict[str, dict[str, float | None]]]:
    """The published strategy and that of :func:`optimal_pair` for pictures, by information state and action.

    A probability is None if the document does not give it, or if the optimal player's own choices never lead there.
    """
    ranges, optimal = solution().ranges, optimal_pair().table
    shown: dict[str, dict[str, dict[str, float | None]]] = {"published": {}, "optimal": {}}
    for where, row in ranges.items():
        reached = all(action.behaviour is not None for action in row.values())
        for name, table in (("published", {**MAIN, **OFF_PATH}), ("optimal", optimal if reached else {})):
            shown[name][where[1]] = {a: float(table[where].get(a, 0)) if where in table else None for a in row}
    return shown


@dataclass(frozen=True)
class Line:
    """One way in which a hand can go, with its probability and what player 1 gains."""

    hand: str
    probability: Fraction
    gain: Fraction


def lines_after(card: str, action: str, strategy: TabularPolicy) -> list[Line]:
    """All hands in which player 1 holds ``card`` and begins with ``action``, with the rest played by ``strategy``.

    Probabilities are conditional on the card and the action. A reader can do this sum with a pencil.
    """
    todo: Iterable[tuple[str, Fraction]] = [(f"{card} {other}: {action}", _THIRD) for other in "AKQ"]
    lines, todo = [], list(todo)
    while todo:
        hand, probability = todo.pop(0)
        state = play(hand)
        if state.is_terminal():
            lines.append(Line(hand, probability, Fraction(state.returns()[FIRST])))
            continue
        for move, chance in strategy.action_probabilities(state).items():
            if chance:
                todo.append((f"{hand} {move}", probability * chance))
    return lines
