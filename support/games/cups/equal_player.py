"""A player that is nearly unbeatable: CFR+ on the public tree of every round, and a bound on what others can gain.

The rounds are solved in the order of :func:`support.games.cups.equals.beginnings`, or together where dice can be won
back, because then each may follow each. The guarantee is proved by the best responses to the player's strategies,
round by round. Each best response assumes that the player earns only its guarantee in later rounds, so the result is a
lower bound for the whole game. What equals can get lies between the player's guarantee in one seat and what it leaves
the opponent in the other.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from support.core.flat import TooLargeError
from support.core.interface import TERMINAL, DoesNotFitError
from support.core.policy import InformationState, TabularPolicy
from support.games.cups.equals import Counts, Round, beginnings, following, named, rounds, starts, turned
from support.games.cups.rolls import Roll
from support.games.cups.round import Bid, CupsGame, CupsState
from support.learners.public_tree_fast import PublicTree, average, best_responses

ACCURACY = 0.002
"""How far apart the two bounds of what the game is worth to its opener may be."""
FINEST = 1e-6
"""The finest accuracy; the iterations that it takes grow at least as fast as it shrinks."""
MOST_NODES = 1_000_000
"""The most public nodes of a round; CFR+ takes about a second an iteration for so many."""
FIRST_ITERATIONS = 2**7
GRAIN = 2**30
"""Probabilities are rounded down to multiples of one over this, so that they are short fractions."""
ROUNDING = 1e-10
"""More than what rounding can make of a best response's worth."""
SAME = 1e-12
"""Guarantees that rise by less are final."""


@dataclass(frozen=True, eq=False)
class Laid:
    """A round laid out as a public tree, whose payoffs are still open.

    Attributes:
        tree: the tree; its kinds of ends are numbered, and its payoffs are empty.
        nodes: where somebody moves, by the bids of the round: the number of the node, and a state of it.
        hands: for each player, the number of each roll.
        after: states after the round, one for all that differ in nothing that matters.
        ends: int64[kinds, hands of player 0, hands of player 1], the number of the state after an end.
        chances: float64[hands of player 0, hands of player 1].
    """

    tree: PublicTree
    nodes: Mapping[tuple[Bid, ...], tuple[int, CupsState]]
    hands: tuple[Mapping[Roll, int], Mapping[Roll, int]]
    after: tuple[CupsState, ...]
    ends: np.ndarray
    chances: np.ndarray

    def paying(self, pays: Callable[[CupsState], float | Fraction]) -> PublicTree:
        """The tree with its payoffs.

        Args:
            pays: what the first seat gets, by the state after the round.
        """
        worth = self.chances * np.array([float(pays(after)) for after in self.after])[self.ends]
        kinds, first, second = self.ends.shape
        payoffs = np.zeros((2, kinds, *[max(first, second)] * 2))
        payoffs[0, :, :second, :first], payoffs[1, :, :first, :second] = worth.transpose(0, 2, 1), -worth
        return self.tree._replace(payoffs=payoffs)


def laid_out(part: Round) -> Laid:
    """Lay out a round: the bids of one deal, and at each end what becomes of all deals.

    What a challenge leads to depends on who makes it, on the last bid and on the dice, not on earlier bids.

    Raises:
        TooLargeError: more public nodes than ``MOST_NODES``.
    """
    hands = _numbered(deal[0] for deal, _ in part.rolls), _numbered(deal[1] for deal, _ in part.rolls)
    chances = np.zeros((len(hands[0]), len(hands[1])))
    for (one, two), chance in part.rolls:
        chances[hands[0][one], hands[1][two]] = float(chance)
    states: list[CupsState | None] = [part.initial_state().child(part.rolls[0][0]).inner]
    kinds: dict[tuple[int, Bid, Any], tuple[int, CupsState]] = {}
    children, end = [], [-1]
    for state in states:  # more are added below
        children.append(len(states))
        for action in state.legal_actions() if state else ():
            assert state is not None
            after = state.child(action)
            if over := after.rolls != state.rolls:
                key = state.current_player, state.bids[-1], action
                end.append(kinds.setdefault(key, (len(kinds), state))[0])
            else:
                end.append(-1)
            states.append(None if over else after)
        if len(states) > MOST_NODES:
            dice = f"a round of {part.start.game.name} with {part.start.total} dice"
            raise TooLargeError(f"{dice} has more than {MOST_NODES:,} public nodes")
    ways: dict[tuple[Counts, int | None], tuple[int, CupsState]] = {}
    ends = np.zeros((len(kinds), *chances.shape), np.int64)
    for (_, _, action), (kind, challenged) in kinds.items():
        for deal, _ in part.rolls:
            left = challenged.but(rolls=deal).child(action)
            place = ways.setdefault((left.counts, left.opener), (len(ways), left))[0]
            ends[kind, hands[0][deal[0]], hands[1][deal[1]]] = place
    mover = np.array([TERMINAL if state is None else state.current_player for state in states], np.int8)
    first = np.array([*children, len(states)], np.int64)
    widths = np.array(chances.shape)
    slots = np.arange(len(states) * widths.max()).reshape(len(states), -1)
    parent = np.repeat(np.arange(len(states)), np.diff(first))
    slots[1:][np.arange(widths.max()) >= widths[mover[parent]][:, None]] = -1
    slots[0] = -1
    tree = PublicTree(
        mover, first.astype(np.uint32), slots, chances.shape, np.array(end), np.zeros((2, 0, *[widths.max()] * 2))
    )
    nodes = {state.bids: (number, state) for number, state in enumerate(states) if state}
    return Laid(tree, nodes, hands, tuple(left for _, left in ways.values()), ends, chances)


def _numbered(rolls: Iterable[Roll]) -> dict[Roll, int]:
    return {roll: number for number, roll in enumerate(dict.fromkeys(rolls))}


class Part(NamedTuple):
    """A round, or what it is after an opening bid by the rules, with the strategies of both.

    Attributes:
        weight: the probability of that opening bid.
        laid: the round.
        play: float64[n, hands], probabilities as :func:`support.learners.public_tree_fast.average` returns them.
    """

    weight: float
    laid: Laid
    play: np.ndarray


@dataclass(frozen=True, eq=False)
class Equal:
    """A player for both seats.

    Attributes:
        game: the rules.
        parts: the rounds, by the dice of the opener and of the other.
        guarantees: what the player gets at least, worth as in :mod:`support.games.cups.equals`, by those dice and its
            own seat: 0 if it opens. A game that never ends counts as lost.
    """

    game: CupsGame
    parts: Mapping[Counts, Sequence[Part]]
    guarantees: Mapping[tuple[Counts, int], float]

    def bounds(self, counts: Counts) -> tuple[float, float]:
        """Between what a round is worth to its opener: what the player is sure to get, and all it can be made to leave.

        Args:
            counts: the dice of the opener and of the other.
        """
        return self.guarantees[counts, 0], -self.guarantees[counts, 1]

    @property
    def wins(self) -> float:
        """The least probability of winning from fair seats, in which the opener of the game is drawn.

        Raises:
            DoesNotFitError: the players begin with unequal dice, so no seats are fair.
        """
        counts = starts(self.game)
        if len(set(counts)) > 1:
            raise DoesNotFitError(f"no seats are fair where the players begin with {counts[0]} and {counts[1]} dice")
        return (1 + (self.guarantees[counts, 0] + self.guarantees[counts, 1]) / 2) / 2

    def thinned(self, least: float) -> "Equal":
        """A player that needs a shorter table: it never does what this one would do with less probability.

        Where it therefore never comes, it takes the first legal action. Its guarantees are proved anew.

        Args:
            least: the least probability that stays.
        """
        parts = {
            counts: [part._replace(play=_thinned(part.laid.tree, part.play, least)) for part in several]
            for counts, several in self.parts.items()
        }
        guarantees = {place: kept for place, kept in self.guarantees.items() if place[0] not in parts}
        _guarantee(parts, guarantees)
        return Equal(self.game, parts, guarantees)

    def action_probabilities(self, state: CupsState) -> dict[Any, Fraction]:
        """The probability of each legal action for the player to move in ``state``, a state of :attr:`game`."""
        return self.policy.action_probabilities(turned(state))

    @cached_property
    def policy(self) -> TabularPolicy:
        """What the player does, in exact fractions, in every information state in which the opener is player 0."""
        table: dict[InformationState, Mapping[Any, Fraction]] = {}
        for _, laid, play in chain.from_iterable(self.parts.values()):
            for number, state in laid.nodes.values():
                player, legal = state.current_player, state.legal_actions()
                begin = int(laid.tree.first[number])
                for roll, hand in laid.hands[player].items():
                    row = zip(legal, play[begin : begin + len(legal), hand].tolist(), strict=True)
                    text = state.but(rolls=(roll, roll)).information_state(player)
                    table[player, text] = {action: Fraction(chance) for action, chance in row}
        return TabularPolicy(table, "equal")


def equal(
    game: CupsGame,
    accuracy: float = ACCURACY,
    first: int = FIRST_ITERATIONS,
    known: Mapping[tuple[Counts, int], float] | None = None,
) -> Equal:
    """Solve all rounds, by twice as many iterations of CFR+ until the bounds are near enough.

    Args:
        game: the rules, for two players.
        accuracy: how far apart the two bounds of what the game is worth to its opener may be, at least ``FINEST``.
        first: the iterations to begin with.
        known: rounds that need not be solved: what a player can guarantee in both seats of each, as in ``guarantees``.

    Raises:
        DoesNotFitError: not two players, two dice or more each that can be won back, or, as TooLargeError, rounds that
            are too large.
        ValueError: accuracy is finer than that, or what is known cannot be.
    """
    if not accuracy >= FINEST:
        raise ValueError(f"accuracy must be at least {FINEST:g}, not {accuracy!r}")
    parts: dict[Counts, list[Part]] = {}
    guarantees = dict(known or {})
    for counts, _ in guarantees:
        if (both := guarantees[counts, 0] + guarantees[counts, 1]) > 0:
            raise ValueError(f"the two guarantees of {counts} must not add up to more than 0, and make {both:g}")
    worths = {counts: _middle(guarantees, counts) for counts, _ in guarantees}
    order = [counts for counts in beginnings(game) if counts not in worths]
    for circle in [order] if game.wins_back else [[counts] for counts in order]:
        dice = max(sum(counts[:2]) for counts in circle)
        width = accuracy * (dice - 1) / (sum(starts(game)) - 1)  # each round adds as much to those that follow
        laid = [
            (counts, float(chance), laid_out(part))
            for counts in circle
            for chance, part in rounds(game, counts, following({}))
        ]
        iterations, apart = first, 2.0
        worths |= dict.fromkeys(circle, Fraction(0))
        while apart > width:
            pays = following(worths)
            trees = [part.paying(pays) for _, _, part in laid]
            with ThreadPoolExecutor() as threads:
                plays = [*threads.map(lambda tree, many=iterations: average(tree, "cfr+", many), trees)]
            parts |= {counts: [] for counts in circle}
            for (counts, chance, part), play in zip(laid, plays, strict=True):
                parts[counts].append(Part(chance, part, _rounded(part.tree, play)))
            _guarantee({counts: parts[counts] for counts in circle}, guarantees)
            for counts in circle:
                worths[counts] = _middle(guarantees, counts)
            apart = max(-guarantees[counts, 0] - guarantees[counts, 1] for counts in circle)
            iterations *= 2
    return Equal(game, parts, guarantees)


def _middle(guarantees: Mapping[tuple[Counts, int], float], counts: Counts) -> Fraction:
    """The middle of the bounds of what a round is worth to its opener."""
    return Fraction(guarantees[counts, 0] - guarantees[counts, 1]) / 2


def _guarantee(parts: Mapping[Counts, Sequence[Part]], guarantees: dict[tuple[Counts, int], float]) -> None:
    """Fill in what the strategies of some rounds guarantee in both seats.

    Where a round can follow itself, its guarantee depends on itself. Starting from the worst, that of a game lost,
    each step is a guarantee, and the steps rise.
    """
    places = [(counts, seat) for counts in parts for seat in (0, 1)]
    guarantees |= dict.fromkeys(places, -1.0)

    def kept(place: tuple[Counts, int]) -> float:
        counts, seat = place
        pays = _pays(seat, guarantees)
        lost = sum(part.weight * best_responses(part.laid.paying(pays), part.play)[1 - seat] for part in parts[counts])
        return -lost - ROUNDING

    rise = 1.0
    with ThreadPoolExecutor() as threads:  # the kernels let other threads run
        while rise >= SAME:
            found = dict(zip(places, threads.map(kept, places), strict=True))
            rise = max(found[place] - guarantees[place] for place in found)
            guarantees |= found


def _pays(seat: int, guarantees: Mapping[tuple[Counts, int], float]) -> Callable[[CupsState], float]:
    """What the first seat gets after a round if the player in ``seat`` gets only its guarantees from then on."""
    sign = 1 - 2 * seat

    def pays(after: CupsState) -> float:
        mine = after.opener == seat
        if after.is_terminal():
            return sign * (1.0 if mine else -1.0)
        return sign * guarantees[named(after), int(not mine)]

    return pays


def _thinned(tree: PublicTree, play: np.ndarray, least: float) -> np.ndarray:
    """The probabilities without those below ``least``; what they leave goes to the likeliest action."""
    thin, comes = np.where(play < least, 0.0, play), np.ones((2, *play.shape), np.bool_)
    for node, (begin, end) in enumerate(zip(tree.first[:-1].tolist(), tree.first[1:].tolist(), strict=True)):
        if begin == end:
            continue
        mover, part = int(tree.mover[node]), thin[begin:end]
        hands = np.arange(tree.hands[mover])
        part[part.argmax(axis=0)[hands], hands] += 1 - part.sum(axis=0)[hands]
        part[:, hands[~comes[mover, node, hands]]] = np.eye(len(part))[:, :1]
        comes[:, begin:end] = comes[:, node][:, None]
        comes[mover, begin:end] &= part > 0
    return _rounded(tree, thin)


def _rounded(tree: PublicTree, play: np.ndarray) -> np.ndarray:
    """The probabilities as multiples of one over the grain; what rounding leaves goes to the likeliest action."""
    play = np.floor(play * GRAIN) / GRAIN
    for begin, end in zip(tree.first[:-1].tolist(), tree.first[1:].tolist(), strict=True):
        if begin < end:
            part = play[begin:end]
            hands = np.flatnonzero(tree.slots[begin] >= 0)
            part[part.argmax(axis=0)[hands], hands] += 1 - part.sum(axis=0)[hands]
    return play
