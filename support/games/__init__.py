"""The rules, one module a game, all behind the one interface of :mod:`support.games.interface`."""

from support.games.interface import CHANCE, TERMINAL, Game, IllegalActionError, NotationError, State

__all__ = ["CHANCE", "TERMINAL", "Game", "IllegalActionError", "NotationError", "State"]
