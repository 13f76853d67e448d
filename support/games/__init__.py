"""The games of the book, each named once, and what is run on them.

Nothing of a game is loaded before it is asked for.
"""

from importlib import import_module
from typing import Any

from support.core.interface import Game

__all__ = ["EXPERIMENTS", "RULES", "rules"]

RULES = {
    "biscuits": "support.games.biscuits.rules:Biscuits",
    "three-dice": "support.games.three_dice.rules:DiceGame",
    "ace-king-queen": "support.games.cards.ace_king_queen:AceKingQueen",
    "kuhn-poker": "support.games.cards.kuhn:Kuhn",
    "liars-dice": "support.games.cups.liars_dice:LiarsDice",
    "call-or-raise": "support.games.call_or_raise.rules:CallOrRaise",
    "wild-ones": "support.games.wild_ones.rules:WildOnes",
}
"""Where the rules of each game are."""

EXPERIMENTS = {
    "call-or-raise": "support.games.call_or_raise.experiments.chapter:trained",
    "biscuits": "support.games.biscuits.experiments.runs:biscuits",
    "biscuits-many": "support.games.biscuits.experiments.runs:many_runs",
    "biscuits-mistakes": "support.games.biscuits.experiments.runs:mistakes",
    "relatives": "support.games.cards.experiments.methods:relative",
    "result-table": "support.learners.long_runs:result_table",
    "result-table-distances": "support.games.cards.experiments.methods:distances",
    "three-dice-contest": "support.games.three_dice.experiments.runs:contest",
    "three-dice-plan": "support.games.three_dice.experiments.runs:plan",
    "wild-ones": "support.games.wild_ones.experiments.chapter:trained",
    "wild-ones-notes": "support.games.wild_ones.experiments.tables:planned",
    "wild-ones-table": "support.games.wild_ones.experiments.tables:table_learned",
}
"""Experiments that a sweep knows by a short name."""


def rules(name: str, **sizes: Any) -> Game:
    """The rules of a game.

    Args:
        name: of the game.
        sizes: arguments of its rules; the others are as usual.

    Raises:
        ValueError: no such game, or a size out of its range.
    """
    if name not in RULES:
        raise ValueError(f"no game '{name}'; known are {', '.join(RULES)}")
    module, _, kind = RULES[name].partition(":")
    game: Game = getattr(import_module(module), kind)(**sizes)
    return game
