"""Published programs that learn to play small games: a room for each game, floors for what holds for any game."""

__version__ = "0.1.0"
