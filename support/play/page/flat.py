"""A small game, as the page plays it: the graph of its positions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from support.core.interface import CHANCE, State


class FlatTables:
    """The positions that some initial states lead to, their moves and what the page shows of them.

    Nodes are positions, as in :class:`support.core.flat.FlatGame`, but of several beginnings at once.

    Args:
        roots: the initial states, by the name that the page gives them.
        shown: for a state what the page draws it from.

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
        """As the page reads them.

        ``player`` by node; ``first`` where its edges begin; ``to``, ``label``, ``word`` and ``gain`` of each edge, all
        but the first by number in lists of their own; ``ways`` of each outcome of chance, in proportion to its
        probability; ``knows``, for each node what each player knows, by number; ``shown``.
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
                gain.append(gains.setdefault(tuple(map(_number, rewards)), len(gains)))
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
        """One state for each information state of the player to move, with what that player knows."""
        met = set()
        for state in self.states:
            if state.current_player >= 0:
                text = state.information_state(state.current_player)
                if (state.current_player, text) not in met:
                    met.add((state.current_player, text))
                    yield text, state

    def policy(self, agents: Sequence[Any], known: Callable[[Any], bool] = lambda state: True) -> dict[str, Any]:
        """What agents do: for each player its probabilities by what it knows, one a legal action.

        Where one action is certain its place stands for them all.

        Args:
            agents: one a player; None for a seat in which the agent does not sit.
            known: whether the agent knows a state.
        """
        rows: list[dict[str, int | list[float]]] = [{} for _ in agents]
        for text, state in self.decisions():
            agent = agents[state.current_player]
            if agent is not None and known(state):
                row = [float(chance) for chance in agent.action_probabilities(state).values()]
                rows[state.current_player][text] = row.index(1.0) if 1.0 in row else row
        return {"by": "info", "rows": rows}


def _number(reward: int | Fraction) -> float:
    return int(reward) if reward == int(reward) else float(reward)


def _in_proportion(chances: Sequence[Fraction]) -> list[int]:
    """Whole numbers in proportion to some probabilities."""
    scale = lcm(*(chance.denominator for chance in chances)) if chances else 1
    return [int(chance * scale) for chance in chances]
