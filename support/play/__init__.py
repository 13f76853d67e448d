"""The games of the book, to be played: in a terminal (``python -m support play GAME``), and on a page (``page``).

Nothing else of the package imports this one: the command line does, and that page's notebook. Importing it alone is
quick: the parts come when a game begins.
"""

__all__ = ["PlayError"]


class PlayError(ValueError):
    """A game that cannot be set up, recorded or read; the message names what is wrong and what is possible."""
