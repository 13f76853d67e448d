"""The games of the book in a terminal: ``python -m support play GAME``.

Nothing but the command line imports this package, and importing it alone is quick: the parts come when a game begins.
"""

__all__ = ["PlayError"]


class PlayError(ValueError):
    """A game that cannot be set up, recorded or read; the message names what is wrong and what is possible."""
