"""The most that player 1 can win at call or raise against players who toss coins, at the published size and below."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from support.games.call_or_raise.experiments.runs import CEILING, SMALL, Config
from support.games.call_or_raise.rules import CallOrRaise
from support.sweep import Records


@dataclass(frozen=True)
class Table:
    """A table whose best answer is computed, as a sweep takes it.

    Attributes:
        players, dice: at the table, and that each starts with.
        chooses: whether player 1 chooses the face of a raise.
        bluff: otherwise, the probability that it bluffs.
        fractions: whether to compute in fractions; otherwise in floating point.
        simulated: games with the best answer, to check it.
    """

    players: int = 4
    dice: int = 6
    chooses: bool = False
    bluff: Fraction = Fraction(1, 2)
    fractions: bool = False
    simulated: int = 200_000


def ceiling(config: Table, seed: int) -> Mapping[str, Any]:
    """The most that player 1 can win against players who toss coins and bluff, and what it wins in simulated games."""
    from support.games.call_or_raise.ceiling import CHOOSES_THE_FACE, Responder, starting_value, win_probabilities
    from support.games.call_or_raise.ceiling_fast import Ceiling

    game = CallOrRaise(config.players, config.dice)
    responder = CHOOSES_THE_FACE if config.chooses else Responder(config.bluff)
    exact = str(starting_value(game, win_probabilities(game, responder))) if config.fractions else ""
    found = Ceiling(game, responder)
    won = int((found.simulate(config.simulated, seed) == 1).sum()) if config.simulated else 0
    return {"value": found.win_probability, "exact": exact, "won": won}


def ceilings(config: Config) -> Records:
    """The ceiling at the published size for an agent that calls or raises, one that never bluffs, and a free one.

    The first bluffs every other time, as the document's does; the last one chooses the face of a raise itself.
    """
    table = Table(dice=config.most_dice, simulated=config.simulated)
    tables = [table, replace(table, bluff=Fraction(0)), replace(table, chooses=True)]
    return config.sweep(ceiling, tables, 1, CEILING)


def small_tables(config: Config) -> list[tuple[Table, Fraction]]:
    """The best answer of an agent that calls or raises at small tables, in fractions."""
    tables = [
        Table(players, dice, fractions=True, simulated=0)
        for players in (2, 3)
        for dice in range(1, config.small_dice + 1)
    ]
    rows = config.sweep(ceiling, tables, 1, SMALL).rows()
    return [(table, Fraction(row["exact"])) for table, row in zip(tables, rows, strict=True)]


def coin_worth(config: Config, bluff: int | Fraction) -> float:
    """The probability with which player 1 wins if it tosses a coin like the others and bluffs as often as is given.

    The others always bluff; with a bluff of 1 all play alike.
    """
    from support.games.call_or_raise.ceiling import Responder, toss
    from support.games.call_or_raise.ceiling_fast import Ceiling

    return Ceiling(CallOrRaise(4, config.most_dice), Responder(Fraction(bluff), calls=toss)).win_probability
