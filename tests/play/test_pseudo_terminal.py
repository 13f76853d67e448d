"""Games at a terminal that is none: what is typed goes through the line editor."""

import os
import pty
import re
import select
import subprocess
import sys
import time

import pytest

PATIENCE = 60  # seconds
ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[=>()][A-Z0-9]?)")


class Typist:
    """Types into a game that runs in a pseudo-terminal."""

    def __init__(self, *words):
        self.end, other = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "COLUMNS": "200", "LINES": "40"}
        environment.pop("NO_COLOR", None)
        command = [sys.executable, "-m", "support", "play", *words]
        self.process = subprocess.Popen(
            command, stdin=other, stdout=other, stderr=other, env=environment, start_new_session=True
        )
        os.close(other)
        self.raw, self.read_to = "", 0

    def see(self, text):
        """Wait until a text is shown that was not seen before."""
        until = time.monotonic() + PATIENCE
        while text not in self.shown()[self.read_to :]:
            assert time.monotonic() < until, self.shown()
            assert self._more(), self.shown()
        self.read_to = self.shown().index(text, self.read_to) + len(text)

    def shown(self):
        return ESCAPES.sub("", self.raw).replace("\r", "")

    def _more(self):
        ready, _, _ = select.select([self.end], [], [], 1)
        if not ready:
            return True
        try:
            piece = os.read(self.end, 65536)
        except OSError:  # the other end is closed
            return False
        self.raw += piece.decode(errors="replace")
        return bool(piece)

    def type(self, text):
        os.write(self.end, text.encode())

    def leave(self):
        """Wait for the end and return the exit status."""
        until = time.monotonic() + PATIENCE
        while self._more() and time.monotonic() < until:
            if self.process.poll() is not None and not select.select([self.end], [], [], 0)[0]:
                break
        return self.process.wait(PATIENCE)


@pytest.fixture
def typist():
    begun = []

    def begin(*words):
        begun.append(Typist(*words))
        return begun[-1]

    yield begin
    for one in begun:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()
        os.close(one.end)


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (["biscuits", "--heaps", "1,2"], [("9,9", "no move leaves 9,9"), ("0,1", "Your decisions.")]),
        (["three-dice", "--against", "optimal"], [("hint", "Best is"), ("stick", "Your decisions.")]),
        (["ace-king-queen", "--seat", "2", "--seed", "5"], [("f", "is not possible now"), ("r", "Your decisions.")]),
        (
            ["call-or-raise", "--players", "2", "--dice", "1", "--seed", "1"],
            [("?", "Legal moves"), ("call", "Your decis")],
        ),
        (
            ["wild-ones", "--players", "2", "--dice", "1", "--seed", "3"],
            [("history", "You roll"), ("2x6", "Your decis")],
        ),
    ],
)
def test_a_game_through_the_line_editor(words, typed, typist):
    game = typist(*words)
    for line, answer in typed:
        game.see("your move>")
        game.type(line[:-1] + "#\x7f" + line[-1] + "\r")  # a wrong letter is deleted
        game.see(answer)
    assert game.leave() == 0
    assert "\x1b[1m" in game.raw


@pytest.mark.parametrize(("key", "sentence"), [("\x04", "The input has ended"), ("\x03", "Interrupted")])
def test_keys_that_leave(key, sentence, typist):
    game = typist("biscuits")
    game.see("your move>")
    game.type(key)
    game.see(f"{sentence}: you leave the game before its end.")
    assert game.leave() == 0


def test_earlier_lines_come_back_and_words_are_completed(typist):
    game = typist("three-dice", "--seed", "3")
    game.see("your move>")
    game.type("histo\t")
    game.see("ry")
    game.type("\r")
    game.see("  You roll")
    game.see("your move>")
    game.type("\x1b[A\r")
    game.see("  You roll")
    game.see("your move>")
    game.type("quit\r")
    assert game.leave() == 0
