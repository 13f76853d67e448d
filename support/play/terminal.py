"""A game at the terminal: the prompts, the commands, and the review after the game."""

import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from support.core.interface import State
from support.core.play import Stream
from support.core.screen import printable, shortened
from support.core.style import style_for
from support.core.table import SAME, PlayError, Table, sentence
from support.games import GAMES
from support.play.record import read_record, replay, require_new, write_record
from support.play.seating import learning, seated

LEAVING = ("q", "exit", "bye")
"""What players type who want to leave and have not read on."""
HELP = "?: legal moves; hint: what is best; {undo}history: the round so far; quit"
SEEDS = 10**6
LONGEST = 10_000
"""The most characters of a line of input."""

Read = Callable[[str, Sequence[str]], str]
"""Asks for a line with a prompt and words for completion; raises ``EOFError`` at the end of the input."""


class Leave(Exception):  # noqa: N818 - nothing is wrong
    """The player leaves the game; the message says how."""


class Session:
    """One game at a table.

    Args:
        table: the game and its players.
        seed: the seed of everything random.
        read: a function that asks the player.
        write: a function that shows a line.

    Attributes:
        path: for each move, the state before, the move, and the state after.
    """

    def __init__(self, table: Table[Any], seed: int, read: Read, write: Callable[[str], None]):
        self.table, self.seed, self.read, self.write = table, seed, read, write
        self.stream = Stream(seed)
        self.state = table.game.initial_state()
        self.path: list[tuple[State, Any, State]] = []

    @property
    def choices(self) -> list[tuple[State, Any]]:
        """The player's own decisions."""
        return [(before, move) for before, move, _ in self.path if before.current_player == self.table.seat]

    def play(self) -> None:
        """Play the game to its end and review it.

        Raises:
            Leave: the player does not want to go on, or the input has ended.
        """
        table = self.table
        self.write(f"A move is {table.legend()}.")
        self.write(self._faint(f"At every prompt: {HELP.format(undo='' if table.hides else 'undo; ')}."))
        while not self.state.is_terminal():
            if self.state.current_player == table.seat:
                self._turn()
            elif stuck := table.stuck(self.state):
                self.write(table.style.mark(sentence(stuck), "strong"))
                self._review()
                return
            else:
                self._move(table.act(self.state, self.stream))
        if not (self.path and table.ends_round(*self.path[-1][:2])):
            self.write("")
        self.write(table.style.mark(sentence(table.result(self.state)), "strong"))
        for line in table.afterwards(self.state, Stream(self.seed, 1)):
            self.write(sentence(line))
        self._review()

    def _move(self, action: Any) -> None:
        """Make a move, and show it as far as the player may know it."""
        before, self.state = self.state, self.state.child(action)
        self.path.append((before, action, self.state))
        described = self.table.described(before, action, self.state, self.table.seat)
        if described:
            self.write(sentence(described))
        if self.table.ends_round(before, action):
            self.write("")

    def _turn(self) -> None:
        """Ask until the player makes a legal move or takes one back."""
        for line in self.table.scene(self.state, self.table.seat):
            self.write(line)
        while True:
            typed = " ".join(self._ask().split())
            text = typed.lower()
            if text == "undo":
                if self._undo():
                    return
            elif text in COMMANDS:
                COMMANDS[text](self)
            elif text:
                try:
                    action = self._read(typed)
                except PlayError as error:
                    self.write(self.table.style.mark(sentence(shortened(str(error))), "bad"))
                    if text in LEAVING:
                        self.write("To leave the game, type quit.")
                    continue
                self._move(action)
                return
            else:
                self.write(f"A move is {self.table.legend()}.")

    def _read(self, typed: str) -> Any:
        """The move that was typed; capitals matter only where moves differ in nothing else."""
        with suppress(PlayError):
            return self.table.read(self.state, typed)
        alike = [label for label in self.table.labels(self.state) if label.casefold() == typed.casefold()]
        return self.table.read(self.state, alike[0] if len(alike) == 1 else typed.lower())

    def _ask(self) -> str:
        try:
            return self.read("your move> ", self.table.labels(self.state))
        except EOFError:
            raise Leave("The input has ended: you leave the game before its end.") from None
        except KeyboardInterrupt:
            raise Leave("Interrupted: you leave the game before its end.") from None

    def _undo(self) -> bool:
        """Take back the player's last move and what followed it; returns whether there was one."""
        if self.table.hides:
            self.write(f"No move can be taken back in this game: {self.table.hides}.")
            return False
        own = [at for at, (before, _, _) in enumerate(self.path) if before.current_player == self.table.seat]
        if not own:
            self.write("You have made no move yet to take back.")
            return False
        self.state = self.path[own[-1]][0]
        del self.path[own[-1] :]
        self.write("Taken back.")
        return True

    def _list(self) -> None:
        self.write(f"Legal moves: {'; '.join(self.table.spelled(self.state))}.")
        self.write(f"A move is {self.table.legend()}.")

    def _history(self) -> None:
        begin = max((at + 1 for at, step in enumerate(self.path) if self.table.ends_round(*step[:2])), default=0)
        for step in self.path[begin:]:
            described = self.table.described(*step, self.table.seat)
            if described:
                self.write(f"  {sentence(described)}")
        if not self.path[begin:]:
            self.write("Nothing has happened yet.")

    def _announce(self) -> None:
        """Tell the player to wait if the answer takes long."""
        if self.table.takes_long():
            self.write(self._faint("Working out the exact answer, which takes some seconds the first time ..."))

    def _hint(self) -> None:
        self._announce()
        values = self.table.values(self.state)
        if values is None:
            self.write(sentence(f"{self.table.unknown()}."))
        else:
            for line in self.table.hint(self.state, values):
                self.write(line)
        for line in self.table.advice(self.state):
            self.write(line)

    def _leave(self) -> None:
        raise Leave("You leave the game before its end.")

    def _review(self) -> None:
        """Show what each of the player's decisions cost compared with the best one."""
        if not self.choices:
            return
        self._announce()
        rows = [(state, action, self.table.values(state)) for state, action in self.choices]
        if any(values is None for _, _, values in rows):
            self.write(f"What your decisions cost is not known: {self.table.unknown()}.")
            return
        self.write(self._faint(f"Your decisions. Values are {self.table.truth}."))
        for number, (state, action, values) in enumerate(rows, 1):
            assert values is not None
            best = self.table.best(values)
            cost = values[best] - values[action]
            label = self.table.label(state, action)
            if cost > SAME:
                better = f"{self.table.label(state, best)}: {self.table.worth(values[best])}"
                verdict = self.table.style.mark(f"{self.table.price(cost)}; best was {better}", "bad")
            else:
                verdict = self.table.style.mark("nothing was better", "good")
            self.write(f"{number:>4}. {label}: {self.table.worth(values[action])}; {verdict}")

    def _faint(self, text: str) -> str:
        return self.table.style.mark(text, "faint")


COMMANDS: dict[str, Callable[[Session], None]] = {
    "?": Session._list,
    "help": Session._list,
    "hint": Session._hint,
    "history": Session._history,
    "quit": Session._leave,
}


def reader() -> Read:
    """A line editor at a terminal; otherwise a reader that also shows each line after its prompt."""
    if sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import WordCompleter

        session: PromptSession[str] = PromptSession(complete_while_typing=False)

        def edited(prompt: str, words: Sequence[str]) -> str:
            known = [*words, *COMMANDS, "undo"]
            return session.prompt(prompt, completer=WordCompleter(known, sentence=True))

        return edited

    def plain(prompt: str, words: Sequence[str]) -> str:
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline(LONGEST)
        if not sys.stdin.isatty():
            sys.stdout.write(printable(line.rstrip("\n")) + "\n")
        if not line:
            raise EOFError
        return line

    return plain


def play(
    name: str | None,
    against: Sequence[str] = (),
    seat: int | None = None,
    sizes: Mapping[str, str] | None = None,
    seed: int | None = None,
    record: str | None = None,
    ascii_only: bool = False,
) -> None:
    """Sit down to one game in the terminal.

    Args:
        name: the game's name; None lists the games and their agents.
        against: the names of the opponents.
        seat: the player's seat, from 1.
        sizes: the sizes of the game, by option.
        seed: the seed of everything random; drawn itself by default.
        record: a file to write the game to.
        ascii_only: whether to show dice and cards without pictures.

    Raises:
        PlayError: an argument does not fit; the message says what is allowed.
    """
    if name is None:
        print(overview())
        return
    given = dict(sizes or {})
    style = style_for(sys.stdout, ascii_only)
    if learners := learning(name, against):
        learn = "learns" if len(learners) == 1 else "learn"
        print(f"{sentence(' and '.join(learners))} {learn} first, which takes some seconds.", flush=True)
    table = seated(name, given, against, seat, style)
    if record is not None:
        require_new(Path(record))
    seed = secrets.randbelow(SEEDS) if seed is None else seed
    who = ", ".join(f"seat {at} {player}" for at, player in enumerate(table.names, 1))
    print(f"{style.mark(GAMES[name].title, 'strong')}: {who}; seed {seed}.")
    session = Session(table, seed, reader(), lambda line: print(line, flush=True))
    try:
        session.play()
    except Leave as left:
        print(left)
    except KeyboardInterrupt:
        print("\nInterrupted: you leave the game.")
    if record is not None:
        written = {size: given.get(size, str(option)) for size, option in GAMES[name].options.items()}
        if "players" in written:
            written["players"] = str(table.game.num_players)
        write_record(Path(record), name, table, session.state, written, seed)
        print(printable(f"Recorded in {record}."))


def show(path: str, ascii_only: bool = False) -> None:
    """Show a recorded game move by move.

    Raises:
        PlayError: there is no such file, or it holds no game.
    """
    print("\n".join(map(str.rstrip, replay(read_record(Path(path)), style_for(sys.stdout, ascii_only)))))


def overview() -> str:
    """The list of all games with their sizes and agents."""
    lines = ["Games, with their default sizes if they have any, and agents:"]
    for name, entry in GAMES.items():
        sizes = "".join(f" --{size} {option}" for size, option in entry.options.items())
        lines.append(f"  {name}{sizes}: {', '.join(entry.agents)}")
    return "\n".join([*lines, "Sit down with: python -m support play GAME --against AGENT"])
