"""Export a game to other programs, in Gambit's extensive form, which Gambit and OpenSpiel can read.

The format is that of ``.efg`` files ("Extensive game (.efg) file format" in Gambit's manual): the history tree in
preorder, one line per node. Probabilities and payoffs are exact fractions.
"""

from fractions import Fraction

from support.core.flat import FlatGame
from support.core.interface import CHANCE, Game, State

LIMIT = 100_000
NO_OUTCOME = 0  # Gambit's number for "nothing is paid here"


def to_gambit(game: Game | FlatGame, limit: int = LIMIT) -> str:
    """The game as the text of a Gambit ``.efg`` file.

    Nodes are histories, so a position that two histories lead to is written twice. Each information set is named after
    the text of its information state, and each player's sets are numbered from 1 in the order in which the walk meets
    them. Player i is called "player i" and has the number i + 1 in the file. Payoffs are given only at the terminal
    nodes, where they equal the returns; terminal nodes with equal returns share an outcome.

    Args:
        game: a game that implements the interface, or one that has been unfolded.
        limit: the largest number of nodes to write.

    Returns:
        The file's text: a title, a comment, then one line per node.

    Raises:
        ValueError: the history tree has more than ``limit`` nodes; or the nodes of an information state have different
            actions; or two of its actions have the same name; or a name contains a backslash or an unprintable
            character.
    """
    rules = game.game if isinstance(game, FlatGame) else game
    writer = _Writer(rules)
    lines: list[str] = []
    open_states = [rules.initial_state()]
    while open_states:
        if len(lines) == limit:
            raise ValueError(f"{rules} has more than {limit:,} histories; export a smaller game")
        state = open_states.pop()
        lines.append(writer.line(state))
        open_states += [state.child(action) for action in reversed(state.possible())]
    players = " ".join(_quoted(f"player {player}") for player in range(rules.num_players))
    title = f"EFG 2 R {_quoted(rules.name)} {{ {players} }}"
    return "\n".join([title, _quoted("Payoffs are returns, all paid at the ends."), "", *lines]) + "\n"


class _Writer:
    """Writes one line per state, and remembers how it numbered the information sets and outcomes."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.chance_nodes = 0
        self.sets: list[dict[str, int]] = [{} for _ in range(game.num_players)]
        self.labels: dict[tuple[int, str], tuple[str, ...]] = {}
        self.outcomes: dict[tuple[int | Fraction, ...], int] = {}

    def line(self, state: State) -> str:
        """The line for the node of one history."""
        if state.is_terminal():
            returns = tuple(state.returns())
            number = self.outcomes.setdefault(returns, len(self.outcomes) + 1)
            payoffs = ", ".join(map(str, returns))
            return f't "" {number} {_quoted(payoffs)} {{ {payoffs} }}'
        if state.current_player == CHANCE:
            self.chance_nodes += 1
            pairs = [f"{_quoted(state.action_to_string(a))} {p}" for a, p in state.chance_outcomes()]
            return f'c "" {self.chance_nodes} "" {{ {" ".join(pairs)} }} {NO_OUTCOME}'
        return self._decision(state, state.current_player)

    def _decision(self, state: State, player: int) -> str:
        text = state.information_state(player)
        labels = tuple(map(state.action_to_string, state.legal_actions()))
        if len(set(labels)) < len(labels):
            raise ValueError(f"player {player} knowing '{text}' has two actions of the same name: {', '.join(labels)}")
        if self.labels.setdefault((player, text), labels) != labels:
            raise ValueError(f"player {player} knowing '{text}' has different legal actions at different nodes")
        number = self.sets[player].setdefault(text, len(self.sets[player]) + 1)
        actions = " ".join(map(_quoted, labels))
        return f'p "" {player + 1} {number} {_quoted(text)} {{ {actions} }} {NO_OUTCOME}'


def _quoted(text: str) -> str:
    """A name in quotes; quotes within it are escaped as in Gambit (OpenSpiel cannot read names that contain quotes).

    Raises:
        ValueError: the name contains a backslash or an unprintable character, which the format cannot write.
    """
    if "\\" in text or not text.isprintable():
        raise ValueError(f"an .efg file cannot hold the name {text!r}: no backslash and no unprintable character")
    return '"' + text.replace('"', '\\"') + '"'
