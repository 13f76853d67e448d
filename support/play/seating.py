"""Tables set up from the arguments of the command line: a game, its sizes, and the players in its seats."""

from collections.abc import Mapping, Sequence
from typing import Any

from support.core.interface import Game
from support.core.screen import unknown
from support.core.style import Style
from support.core.table import YOU, PlayError, Table
from support.games import GAMES, Entry
from support.play.plain import PlainTable, plain_agent


def entry_named(name: str) -> Entry:
    """The registry's entry for a name.

    Raises:
        PlayError: there is no such game.
    """
    if name not in GAMES:
        raise PlayError(unknown("game", name, GAMES))
    return GAMES[name]


def table_of(entry: Entry) -> type[Table[Any]]:
    """The game's own table, or the plain one."""
    kind: type[Table[Any]] = entry.table() or PlainTable
    return kind


def agent_of(entry: Entry, name: str, game: Game, seat: int, seats: Sequence[str]) -> Any:
    """An agent of the game, or one that plays any small game; the arguments are those of :meth:`Entry.agent`."""
    return entry.agent(name, game, seat, seats) if entry.agents_at else plain_agent(name, game)


def learning(name: str, against: Sequence[str]) -> list[str]:
    """The named opponents that learn before they play, each once."""
    known = GAMES[name].learners if name in GAMES else ()
    named = [agent.removeprefix(f"{name}/") for agent in against]
    return [agent for agent in dict.fromkeys(named) if agent in known]


def game_of(name: str, sizes: Mapping[str, Any]) -> Game:
    """A game, by name and sizes.

    Args:
        name: the game's name.
        sizes: the values given, by the name of the option; the others keep their defaults.

    Raises:
        PlayError: there is no such game or size, or a size is out of range.
    """
    entry = entry_named(name)
    for size in sizes:
        if size not in entry.options:
            known = ", ".join(f"--{option}" for option in entry.options) or "no sizes"
            raise PlayError(f"{name} has no --{size}; it has {known}")
    given: dict[str, int] = {}
    try:
        for size, option in entry.options.items():
            given |= option.read(size, str(sizes.get(size, option)))
        return entry.rules(**given)
    except ValueError as error:
        raise PlayError(str(error)) from None


def seated(name: str, sizes: Mapping[str, Any], against: Sequence[str], seat: int | None, style: Style) -> Table[Any]:
    """A table with all its players.

    Args:
        name: the game's name.
        sizes: as for :func:`game_of`; by default there is a seat for each of several opponents.
        against: the names of the opponents: one for all seats, or one for each.
        seat: the human player's seat, from 1; by default the first.
        style: what the terminal can show.

    Raises:
        PlayError: a name is unknown or a number does not fit; the message says what is allowed.
    """
    entry = entry_named(name)
    against = [agent.removeprefix(f"{name}/") for agent in against]
    for agent in against:
        if agent not in entry.agents:
            raise PlayError(unknown("agent", agent, entry.agents, f" that plays {name}"))
    if "players" in entry.options and "players" not in sizes and len(against) > 1:
        if len(against) >= (most := entry.options["players"].most):
            raise PlayError(f"{name} takes up to {most - 1} opponents, not {len(against)}")
        sizes = {**sizes, "players": len(against) + 1}
    game = game_of(name, sizes)
    others, place = game.num_players - 1, 1 if seat is None else seat
    if not 1 <= place <= game.num_players:
        if game.num_players == 1:
            raise PlayError(f"{name} is for one player: seat must be 1, not {place}")
        raise PlayError(f"seat must be from 1 to {game.num_players}, not {place}")
    rivals = against or entry.usual if entry.apart else ()
    if not entry.apart and len(against) not in (0, 1, others):
        free = "1 seat is" if others == 1 else f"{others} seats are"
        raise PlayError(f"{free} free, but {len(against)} opponents are named: name one for all, or one for each")
    chosen = () if entry.apart else against or entry.usual
    opponents = [chosen[at % len(chosen)] for at in range(others)]
    seats = [*opponents[: place - 1], YOU, *opponents[place - 1 :]]
    players = dict(enumerate([*seats, *rivals]))
    del players[place - 1]
    agents = {at: agent_of(entry, agent, game, at, seats) for at, agent in players.items()}
    return table_of(entry)(game, seats, style, agents, rivals)
