"""The games that can be played, by name, and tables set up from what the command line was given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from support.core.interface import Game
from support.core.style import Style
from support.core.table import YOU, PlayError, Table
from support.games.biscuits.rules import Biscuits
from support.games.biscuits.table import LARGEST, BiscuitsTable
from support.games.call_or_raise.rules import CallOrRaise
from support.games.call_or_raise.table import CallOrRaiseTable
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.table import AceKingQueenTable
from support.games.three_dice.rules import DiceGame
from support.games.three_dice.table import ThreeDiceTable
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.table import WildOnesTable

MOST_DICE = 5
"""Of three dice: more take long to solve."""
DIGITS = 9


@dataclass(frozen=True)
class Kind:
    """A game that can be played.

    Attributes:
        table: what shows it.
        make: the rules, from the sizes given.
        sizes: the options that it has, with their defaults as text.
        against: the opponents unless others are named; the first ones, over again if there are more seats.
        alone: whether the opponents sit at no seats of the game, but play their own.
    """

    table: type[Table[Any]]
    make: Callable[..., Game]
    sizes: dict[str, str] = field(default_factory=dict)
    against: tuple[str, ...] = ()
    alone: bool = False


def _biscuits(heaps: str) -> Biscuits:
    parts = heaps.split(",")
    if len(parts) != 2 or not all(_short(part) and int(part) <= LARGEST for part in parts):
        raise ValueError(f"heaps are Digestives and Rich Teas, such as 8,4, up to {LARGEST:,} each, not '{heaps}'")
    return Biscuits(*map(int, parts))


def _dice_game(dice: str) -> DiceGame:
    number = _whole("dice", dice)
    if number > MOST_DICE:
        raise ValueError(f"dice must be from 1 to {MOST_DICE} here, not {number}")
    return DiceGame(dice=number)


def _whole(name: str, text: str) -> int:
    if not _short(text):
        raise ValueError(f"{name} must be a whole number of at most {DIGITS} digits, not '{text}'")
    return int(text)


def _short(text: str) -> bool:
    """Whether a text is a whole number, and not so long that Python refuses to read it."""
    return text.strip().isdecimal() and len(text.strip()) <= DIGITS


def _of_players(rules: Callable[[int, int], Game]) -> Callable[..., Game]:
    return lambda players, dice: rules(_whole("players", players), _whole("dice", dice))


GAMES = {
    "biscuits": Kind(BiscuitsTable, _biscuits, {"heaps": "8,4"}, ("perfect",)),
    "three-dice": Kind(ThreeDiceTable, _dice_game, {"dice": "3"}, alone=True),
    "ace-king-queen": Kind(AceKingQueenTable, AceKingQueen, {}, ("equilibrium",)),
    "call-or-raise": Kind(CallOrRaiseTable, _of_players(CallOrRaise), {"players": "3", "dice": "2"}, ("random",)),
    "wild-ones": Kind(
        WildOnesTable, _of_players(WildOnes), {"players": "3", "dice": "2"}, ("survivalist", "aggressive")
    ),
}
"""All games, in the order of the book."""


def kind_named(name: str) -> Kind:
    """The game of a name.

    Raises:
        PlayError: there is none.
    """
    if name not in GAMES:
        raise PlayError(f"no game '{name}'; known are {', '.join(GAMES)}")
    return GAMES[name]


def learning(name: str, against: Sequence[str]) -> list[str]:
    """The opponents named that learn before they play, each once, as far as they are known."""
    known = set(GAMES[name].table.learners()) if name in GAMES else set()
    named = [agent.removeprefix(f"{name}/") for agent in against]
    return [agent for agent in dict.fromkeys(named) if agent in known]


def rules_of(name: str, sizes: dict[str, Any]) -> Game:
    """The rules of a game.

    Args:
        name: of the game.
        sizes: the sizes that were given; the others are as usual.

    Raises:
        PlayError: no such game, a size that it does not have, or one out of its range.
    """
    kind = kind_named(name)
    for size in sizes:
        if size not in kind.sizes:
            known = ", ".join(f"--{option}" for option in kind.sizes) or "no sizes"
            raise PlayError(f"{name} has no --{size}; it has {known}")
    try:
        return kind.make(**{**kind.sizes, **{size: str(value) for size, value in sizes.items()}})
    except ValueError as error:
        raise PlayError(str(error)) from None


def seated(name: str, sizes: dict[str, Any], against: Sequence[str], seat: int | None, style: Style) -> Table[Any]:
    """A table with all its players.

    Args:
        name: of the game.
        sizes: as for :func:`rules_of`. As many players as there are opponents and one, unless they say more.
        against: the opponents; one for all seats, or one a seat.
        seat: of the human player, from 1; the first unless it is given.
        style: what the terminal can show.

    Raises:
        PlayError: a name that there is not, or a number that does not fit; the message says what there is.
    """
    kind = kind_named(name)
    known = kind.table.agent_names()
    against = [agent.removeprefix(f"{name}/") for agent in against]
    for agent in against:
        if agent not in known:
            raise PlayError(f"no agent '{agent}' plays {name}; known are {', '.join(known)}")
    if kind.alone:
        if seat not in (None, 1):
            raise PlayError(f"{name} is for one player, who has seat 1: no seat {seat}")
        return ThreeDiceTable(cast(DiceGame, rules_of(name, sizes)), (YOU,), style, against)
    if "players" in kind.sizes and "players" not in sizes and len(against) > 1:
        sizes = {**sizes, "players": len(against) + 1}
    game = rules_of(name, sizes)
    others, place = game.num_players - 1, 1 if seat is None else seat
    if not 1 <= place <= game.num_players:
        raise PlayError(f"there are {game.num_players} seats, 1 to {game.num_players}: no seat {place}")
    if len(against) not in (0, 1, others):
        free = "1 seat is" if others == 1 else f"{others} seats are"
        raise PlayError(f"{free} free, but {len(against)} opponents are named: name one for all, or one a seat")
    chosen = against or kind.against
    opponents = [chosen[at % len(chosen)] for at in range(others)]
    table = kind.table(game, [*opponents[: place - 1], YOU, *opponents[place - 1 :]], style)
    _ = table.agents  # who has learned another table than this one says so now
    return table
