"""Games as text files: a small header, an empty line, and the game in the notation of its rules."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.core.interface import Game, NotationError, State
from support.core.screen import printable
from support.core.style import Style
from support.core.table import PlayError, Table, sentence
from support.games import GAMES
from support.play.seating import entry_named, game_of, table_of

LONGEST = 1 << 20
"""The most characters of a file."""
SEED = re.compile(r"-?[0-9]+")


@dataclass(frozen=True)
class Record:
    """A recorded game.

    Attributes:
        name: the game's name.
        game: its rules.
        seats: the player in each seat.
        states: all states from the first to the last.
    """

    name: str
    game: Game
    seats: tuple[str, ...]
    states: tuple[State, ...]


def require_new(path: Path) -> None:
    """Check, before a game, that it can be written.

    Raises:
        PlayError: the file exists already, or its folder does not.
    """
    try:
        there, folder = path.exists(), path.parent.is_dir()
    except OSError as error:  # such as a name that is too long
        raise PlayError(f"{path} cannot be written: {error.strerror}") from None
    if there:
        raise PlayError(f"{path} exists already; name another file to record to")
    if not folder:
        raise PlayError(f"there is no folder {path.parent} to record to")


def write_record(path: Path, name: str, table: Table[Any], state: State, sizes: dict[str, str], seed: int) -> None:
    """Write a game, finished or not.

    Raises:
        PlayError: the file cannot be written.
    """
    header = {"game": name, **sizes, "seats": ", ".join(table.names), "seed": str(seed)}
    text = "".join(f"{key}: {value}\n" for key, value in header.items()) + f"\n{state}\n"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise PlayError(f"{path} cannot be written: {error.strerror}") from None
    except ValueError as error:
        raise PlayError(f"{str(path)!r} cannot be written: {error}") from None


def read_record(path: Path) -> Record:
    """Read a game back.

    Raises:
        PlayError: there is no such file, or it holds no game; the message says what is wrong and what belongs there.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = printable(file.read(LONGEST + 1))  # the names of the players are shown as they stand there
    except OSError as error:
        raise PlayError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise PlayError(f"{path} is not a text file") from None
    except ValueError as error:  # such as a name with a zero byte
        raise PlayError(f"{str(path)!r} cannot be read: {error}") from None
    if len(text) > LONGEST:
        raise PlayError(f"{path} is too long for a game, which has at most {LONGEST:,} characters")
    head, _, body = text.partition("\n\n")
    header = {}
    for number, line in enumerate(head.splitlines(), 1):
        key, colon, value = line.partition(":")
        if not colon or key.strip() in header:
            raise PlayError(f"{path}, line {number}: expected a new 'name: value' of the header, not '{line}'")
        header[key.strip()] = value.strip()
    if "game" not in header or "seats" not in header:
        raise PlayError(f"{path}: the header must name 'game' (one of {', '.join(GAMES)}) and 'seats'")
    if not SEED.fullmatch(header.get("seed", "0")):
        raise PlayError(f"{path}: seed must be a whole number, not '{header['seed']}'")
    name, entry = header["game"], entry_named(header["game"])
    if unknown := set(header) - {"game", "seats", "seed", *entry.options}:
        known = ", ".join(("game", "seats", "seed", *entry.options))
        raise PlayError(f"{path}: the header of {name} has no '{min(unknown)}'; it may have {known}")
    game = game_of(name, {size: header[size] for size in entry.options if size in header})
    seats = tuple(part.strip() for part in header["seats"].split(","))
    if len(seats) != game.num_players:
        need = f"{game.num_players} players need {game.num_players} seats"
        raise PlayError(f"{path}: {need}, not {len(seats)}: {header['seats']}")
    lines = [line for line in body.splitlines() if line.strip()]
    if len(lines) > 1:
        raise PlayError(f"{path}: the game must be one line after an empty one, not {len(lines)} lines")
    try:
        states = game.states(lines[0] if lines else "")
    except NotationError as error:
        raise PlayError(f"{path}: {error}") from None
    return Record(name, game, seats, tuple(states))


def replay(record: Record, style: Style) -> list[str]:
    """A game move by move, with nothing hidden."""
    table = table_of(entry_named(record.name))(record.game, record.seats, style)
    lines = [f"{record.name}: {', '.join(f'seat {at} {who}' for at, who in enumerate(record.seats, 1))}"]
    for number, (before, after) in enumerate(zip(record.states, record.states[1:], strict=False), 1):
        part = record.game.split(str(after))[-1]
        action = record.game.move_from_string(before, part)
        described = table.described(before, action, after, None)
        lines.append(f"{number:>4}  {part:<12} {described}")
        if table.ends_round(before, action):
            lines.append("")
    last = record.states[-1]
    lines.append(sentence(table.result(last)) if last.is_terminal() else "The game was left before its end.")
    return lines
