"""What fixed policies of wild ones are worth, exactly: how often each player comes in first, second, ..."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import cast

import numpy as np

from support.agents.wild_ones import Views
from support.exact.wild_ones.chain import Chain, Ring, Start, kinds_and_tables, solve, starts, starts_by_seating
from support.exact.wild_ones.rounds import Round
from support.games.wild_ones import WildOnes

__all__ = ["Places", "fixed", "places", "require", "shares"]


@dataclass(frozen=True)
class Places:
    """How often each player comes in first, second, ...

    Attributes:
        shares: for each player the probability of each place, the first place first.
        win: for each seating of the players, seat by seat, the probability that player 0 comes in first. The first
            seat opens.
        rounds: the mean number of rounds.
    """

    shares: tuple[tuple[Fraction, ...], ...]
    win: Mapping[tuple[int, ...], Fraction]
    rounds: Fraction


def places(game: WildOnes, tables: Sequence[np.ndarray]) -> Places:
    """How often players with fixed policies come in first, second, ..., seated at random, exactly.

    Args:
        game: the rules.
        tables: one policy a player, as ``support.agents.wild_ones.table`` writes it, with or without neighbours.

    Raises:
        ValueError: not one table a player, a table of another shape, or an action that is not legal.
    """
    require(game, tables, game.num_players)
    kinds, distinct = kinds_and_tables(tables[1:])
    by_kind = [tables[0], *distinct]
    return shares(game, kinds, fixed(game, by_kind, starts(game, kinds)))


def require(game: WildOnes, tables: Sequence[np.ndarray], number: int) -> None:
    """Raise ``ValueError`` unless there are so many tables, each over the views of the game."""
    if len(tables) != number:
        raise ValueError(f"{game.num_players} players need {number} tables, not {len(tables)}")
    shapes = [Views(game, neighbours).shape for neighbours in (False, True)]
    for table in tables:
        if table.shape not in shapes:
            known = " or ".join(str(list(shape)) for shape in shapes)
            raise ValueError(f"a table must have the shape {known}, not {list(table.shape)}")


def shares(game: WildOnes, kinds: Sequence[int], chain: Chain) -> Places:
    """Places of all players, from how all rounds end."""
    players, names = len(kinds), set(kinds)

    def gain(start: Start, turn: int, after: Start) -> dict[Hashable, int]:
        found: dict[Hashable, int] = {"rounds": 1}
        if len(after.kinds) < len(start.kinds):
            found[start.kinds[turn], len(start.kinds)] = 1
        if len(after.kinds) == 1:
            found[after.kinds[0], 1] = 1
        return found

    found = cast(dict[Start, dict[Hashable, Fraction]], solve(chain, game.dice, gain))
    seatings = starts_by_seating(game, kinds)
    mean = {
        what: sum((found[start].get(what, Fraction(0)) for start in seatings.values()), Fraction(0)) / len(seatings)
        for what in ["rounds", *product(names, range(1, players + 1))]
    }
    shares = tuple(tuple(mean[kind, place] / kinds.count(kind) for place in range(1, players + 1)) for kind in kinds)
    win = {seats: found[start].get((0, 1), Fraction(0)) for seats, start in seatings.items()}
    return Places(shares, win, mean["rounds"])


def fixed(game: WildOnes, tables: Sequence[np.ndarray | None], starts: Sequence[Start]) -> Chain:
    """How rounds end in which nobody decides."""
    known: dict[Ring, Round] = {}
    for start in starts:
        if start[:2] not in known:
            known[start[:2]] = Round(game, start, tables)
    return {start: known[start[:2]].ends(start.opener) for start in starts}
