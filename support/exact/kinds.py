"""The kind of a game, and the solver that takes it: the facts that select a solver or rule a game out.

A solver that cannot take a game says which one can (:func:`taken_by`). The kinds are those of the extensive form
(Kuhn 1953; Osborne and Rubinstein, *A Course in Game Theory*, 1994, chapters 6 and 11), found in the unfolded game.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from support.core.check import WAY_OUT
from support.core.flat import KEPT, FlatGame
from support.core.interface import CHANCE, TERMINAL, DoesNotFitError

BEST_RESPONSE = "support.exact.best_response.best_response"
MINIMAX = "support.exact.minimax.minimax"
OPTIMAL = "support.exact.optimal.optimal_policy"
RETROGRADE = "support.exact.retrograde.solve"
SEQUENCE_FORM = "support.exact.sequence_form.solve"
SOLVE = "support.solve.solve"

Choices = dict[int, frozenset[tuple[int, int] | None]]
Sequences = dict[int, tuple[int, int] | None]


@dataclass(frozen=True)
class Kind:
    """The facts about an unfolded game that decide how it can be solved.

    Attributes:
        players: the number of players, chance not counted.
        chance: whether chance moves.
        hidden: whether some information state has several positions.
        cycles: whether a position can come back, so that the game may go on for ever.
        total: the sum of the players' returns, if it is the same however the game is played, and None otherwise. With
            cycles it is 0 if the rewards of every move add up to zero, and None otherwise.
        win_or_loss: whether only the last move is rewarded, the loser always pays the winner the same stake, and each
            terminal position has one winner, whichever way it is reached.
        perfect_recall: whether each player remembers everything it knew and did; False if there are cycles. A lone
            player may forget it where it sees all, since what is best there does not depend on it.
    """

    players: int
    chance: bool
    hidden: bool
    cycles: bool
    total: int | Fraction | None
    win_or_loss: bool
    perfect_recall: bool


@lru_cache(maxsize=KEPT)
def kind_of(flat: FlatGame) -> Kind:
    """The kind of an unfolded game."""
    cycles = len(order_of_play(flat)) < flat.num_nodes
    alone, members = flat.num_players == 1, flat.nodes_of_information
    before = {} if cycles else {n: last for p in range(flat.num_players) for n, last in last_choices(flat, p).items()}
    return Kind(
        players=flat.num_players,
        chance=bool((flat.player == CHANCE).any()),
        hidden=any(len(nodes) > 1 for nodes in flat.nodes_of_information),
        cycles=cycles,
        total=total_return(flat),
        win_or_loss=is_win_or_loss(flat),
        perfect_recall=not cycles
        and all(len(last) == 1 or (alone and len(members[n]) == 1) for n, last in before.items()),
    )


def why_unsolved(kind: Kind) -> str:
    """Why no solver here takes such a game; empty if one does."""
    if kind.players > 2:
        return f"it has {kind.players} players and all solvers are for one or two"
    if kind.cycles and (kind.players == 2 or kind.hidden):
        return f"a position can come back in it: {WAY_OUT}"
    if kind.players == 2 and kind.total is None:
        return "the returns of its two players do not always have the same sum"
    if kind.hidden and not kind.perfect_recall:
        return "a player forgets in it what it knew or did"
    return ""


def solver_of(kind: Kind) -> str | None:
    """The full name of the function that solves such games exactly; None if there is none.

    :data:`SOLVE` is for constant-sum games whose sum is not zero: that function first makes them zero-sum.
    """
    if why_unsolved(kind):
        return None
    if kind.players == 1:
        return BEST_RESPONSE if kind.hidden else OPTIMAL
    if kind.total:
        return SOLVE
    if kind.hidden:
        return SEQUENCE_FORM
    return RETROGRADE if kind.win_or_loss and not kind.chance else MINIMAX


def taken_by(flat: FlatGame) -> str:
    """The clause that a solver adds when it refuses a game: which solver takes it, or why none does."""
    kind = kind_of(flat)
    solver = solver_of(kind)
    return f"{solver} takes it" if solver else f"no solver here takes it, as {why_unsolved(kind)}"


@lru_cache(maxsize=KEPT)
def order_of_play(flat: FlatGame) -> tuple[int, ...]:
    """The nodes, each after every node that leads to it, without the nodes on a cycle or after one.

    All nodes are included exactly if no position can come back (Kahn 1962).
    """
    missing = np.bincount(flat.child, minlength=flat.num_nodes).tolist()
    order = [0] if not missing[0] else []
    for node in order:  # the list grows during the loop
        for edge in flat.edges(node):
            child = int(flat.child[edge])
            missing[child] -= 1
            if not missing[child]:
                order.append(child)
    return tuple(order)


def play_order(flat: FlatGame) -> tuple[int, ...]:
    """All nodes, each after every node that leads to it.

    Raises:
        DoesNotFitError: a position can come back, so the game may go on for ever.
    """
    order = order_of_play(flat)
    if len(order) < flat.num_nodes:
        raise DoesNotFitError(
            f"{flat.game.name} may go on for ever: a position can come back in the course of a game; {taken_by(flat)}"
        )
    return order


def total_return(flat: FlatGame) -> int | Fraction | None:
    """The sum of the players' returns if it is always the same; None if it depends on the play, or may on a cycle."""
    order = order_of_play(flat)
    if len(order) < flat.num_nodes:
        return None if any(map(sum, flat.rewards)) else 0
    left: list[int | Fraction] = [0] * flat.num_nodes  # the sum of the rewards to come
    for node in reversed(order):
        sums = {sum(flat.rewards[edge]) + left[flat.child[edge]] for edge in flat.edges(node)} or {0}
        if len(sums) > 1:
            return None
        left[node] = sums.pop()
    return left[0]


def require_players(flat: FlatGame, solver: str, players: int) -> None:
    """Raise an error unless a game has the number of players that a solver is for.

    Raises:
        DoesNotFitError: it has another number of players.
    """
    if flat.num_players != players:
        wanted = {1: "one player", 2: "two players"}[players]
        raise DoesNotFitError(f"{solver} is for {wanted}; {flat.game.name} has {flat.num_players}: {taken_by(flat)}")


def require_open(flat: FlatGame, solver: str) -> None:
    """Raise an error unless a game has perfect information: no player's information state has several positions.

    Raises:
        DoesNotFitError: something is hidden.
    """
    if any(len(nodes) > 1 for nodes in flat.nodes_of_information):
        name = flat.game.name
        raise DoesNotFitError(f"{solver} needs perfect information; in {name} something is hidden: {taken_by(flat)}")


def require_zero_sum(flat: FlatGame) -> None:
    """Raise an error unless the players' returns always add up to zero.

    Raises:
        DoesNotFitError: they do not, or the game may go on for ever.
    """
    play_order(flat)
    if total_return(flat) != 0:
        raise DoesNotFitError(
            f"{flat.game.name} is not zero-sum: the players' returns do not always add up to zero; {taken_by(flat)}"
        )


@lru_cache(maxsize=2 * KEPT)
def last_choices(flat: FlatGame, player: int) -> Choices:
    """The last own choices that may lead to each information state of ``player``.

    Args:
        flat: an unfolded game without cycles.
        player: the player whose choices count.

    Returns:
        For the number of each information state, a set of pairs: an earlier information state, and the place of the
        action chosen there. None is in the set if the player may not have acted before. Perfect recall means that
        every set has one member (Kuhn 1953).
    """
    before: list[set[tuple[int, int] | None]] = [set() for _ in range(flat.num_nodes)]
    before[0].add(None)
    for node in order_of_play(flat):
        for place, edge in enumerate(flat.edges(node)):
            own = flat.player[node] == player
            before[flat.child[edge]] |= {(int(flat.information[node]), place)} if own else before[node]
    return {
        number: frozenset().union(*(before[node] for node in nodes))
        for number, nodes in enumerate(flat.nodes_of_information)
        if flat.information_states[number][0] == player
    }


@lru_cache(maxsize=4 * KEPT)
def own_sequences(flat: FlatGame, player: int, single_positions: bool = False) -> Sequences:
    """The last own choice before each information state of ``player``.

    Args:
        flat: the unfolded game.
        player: the player whose recall is checked.
        single_positions: accept information states of one position that can be reached by different own choices.

    Returns:
        For the number of each information state, a pair: the earlier information state, and the place of the action
        chosen there; or None if the player has not acted before. With ``single_positions``, information states of one
        position may be missing.

    Raises:
        DoesNotFitError: no perfect recall, because different own choices lead to an information state, or because its
            nodes do not list the same actions; or a game that may go on for ever.
    """
    _ = flat.slots  # every node of an information state lists the same actions, or this raises
    play_order(flat)
    members = flat.nodes_of_information
    sequences: Sequences = {}
    for number, last in last_choices(flat, player).items():
        if len(last) == 1:
            (sequences[number],) = last
        elif not (single_positions and len(members[number]) == 1):
            text = flat.information_states[number][1]
            raise DoesNotFitError(
                f"no perfect recall in {flat.game.name}: player {player} knowing '{text}' "
                f"no longer knows what it knew and did before; {taken_by(flat)}"
            )
    return sequences


def is_win_or_loss(flat: FlatGame) -> bool:
    """Whether two players play for one stake, paid with the last move, and each terminal position has one winner."""
    if flat.num_players != 2:
        return False
    ends: dict[int, set[tuple[int | Fraction, ...]]] = {}
    for child, reward in zip(flat.child.tolist(), flat.rewards, strict=True):
        if flat.player[child] == TERMINAL:
            ends.setdefault(child, set()).add(reward)
        elif any(reward):
            return False
    rewards = {row for rows in ends.values() for row in rows}
    return (
        all(len(rows) == 1 for rows in ends.values())
        and all(sum(row) == 0 != row[0] for row in rewards)
        and len({abs(row[0]) for row in rewards}) == 1
    )
