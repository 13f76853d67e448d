"""The games of the book, to be played: in a terminal (``python -m support play GAME``), and on a page (``page``).

Nothing else of the package imports this one: the command line does, and that page's notebook. Importing it alone is
quick: the parts come when a game begins.
"""
