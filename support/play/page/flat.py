"""A small game for the page: the graph of its positions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from support.core.interface import CHANCE, State


class FlatTables:
    """The positions that some initial states lead to, their moves, and what the page shows of them.

    Nodes are positions, as in :class:`support.core.flat.FlatGame`, but from several initial states at once.

    Args:
        roots: the initial states, by their names on the page.
        shown: a function from a state to the data that the page draws it from.

    Attributes:
        states: one state of each position.
        index: from position to node.
    """

    def __init__(self, roots: Mapping[str, State], shown: Callable[[Any], Any]):
        self.roots, self.shown = roots, shown
        self.states: list[State] = []
        self.index: dict[Any, int] = {}
        self.edges: list[list[tuple[str, str, int, tuple[Any, ...]]]] = []
        for state in roots.values():
            self._number(state)
        for state in self.states:  # grows on the way
            moves = []
            for move in state.possible():
                label, words = state.action_to_string(move), state.action_in_words(move)
                after = state.child(move)
                moves.append((label, words, self._number(after), after.rewards()))
            self.edges.append(moves)

    def _number(self, state: State) -> int:
        """The number of a position, which may be a new one."""
        if state.position not in self.index:
            self.index[state.position] = len(self.states)
            self.states.append(state)
        return self.index[state.position]

    def tables(self, players: int) -> dict[str, Any]:
        """The tables in the form that the page reads.

        ``player`` by node; ``first``, where its edges begin; ``to``, ``label``, ``word`` and ``gain`` of each edge, all
        but ``to`` as numbers in lists of their own; ``ways``, the weight of each outcome of chance; ``knows``, the
        number of each player's information state at each node; ``shown``.
        """
        labels: dict[str, int] = {}
        gains: dict[tuple[Any, ...], int] = {}
        texts: dict[str, int] = {}
        first, to, label, word, gain, ways = [0], [], [], [], [], []
        for state, edges in zip(self.states, self.edges, strict=True):
            for text, called, after, rewards in edges:
                to.append(after)
                word.append(labels.setdefault(called, len(labels)))
                label.append(labels.setdefault(text, len(labels)))
                gain.append(gains.setdefault(tuple(map(_in_json, rewards)), len(gains)))
            ways += _in_proportion([chance for _, chance in state.chance_outcomes()]) or [0] * len(edges)
            first.append(len(to))
        knows = [
            [texts.setdefault(state.information_state(player), len(texts)) for player in range(players)]
            for state in self.states
        ]
        return {
            "engine": "flat",
            "players": players,
            "roots": {name: self.index[state.position] for name, state in self.roots.items()},
            "player": [state.current_player for state in self.states],
            "first": first,
            "to": to,
            "label": label,
            "word": word,
            "labels": list(labels),
            "gain": gain,
            "gains": [list(row) for row in gains],
            "ways": ways if any(state.current_player == CHANCE for state in self.states) else [],
            "knows": knows,
            "texts": list(texts),
            "shown": [self.shown(state) for state in self.states],
        }

    def decisions(self) -> Iterable[tuple[str, State]]:
        """Each information state of a player to move, with one of its states."""
        met = set()
        for state in self.states:
            if state.current_player >= 0:
                text = state.information_state(state.current_player)
                if (state.current_player, text) not in met:
                    met.add((state.current_player, text))
                    yield text, state

    def policy(self, agents: Sequence[Any], known: Callable[[Any], bool] = lambda state: True) -> dict[str, Any]:
        """The agents' policies: for each player, by information state, the probabilities of the legal actions.

        If an action is certain, its index stands for the list.

        Args:
            agents: the agent of each player.
            known: a function that says whether the agent can play in a state.
        """
        rows: list[dict[str, int | list[float]]] = [{} for _ in agents]
        for text, state in self.decisions():
            agent = agents[state.current_player]
            if known(state):
                given = agent.action_probabilities(state)
                row = [float(given.get(action, 0)) for action in state.legal_actions()]
                rows[state.current_player][text] = row.index(1.0) if 1.0 in row else row
        return {"by": "info", "rows": rows}


def _in_json(reward: int | Fraction) -> float:
    return int(reward) if reward == int(reward) else float(reward)


def _in_proportion(chances: Sequence[Fraction]) -> list[int]:
    """Whole numbers in proportion to some probabilities."""
    scale = lcm(*(chance.denominator for chance in chances))
    return [int(chance * scale) for chance in chances]
