"""Upper confidence bounds applied to trees (UCT): a search before each decision, for games of perfect information.

Kocsis and Szepesvári (*Bandit Based Monte-Carlo Planning*, 2006); the form is that of Browne et al. (*A Survey of Monte
Carlo Tree Search Methods*, 2012, algorithm 2). A search plays games from the position to their ends, and keeps a tree
of what it has met. Within the tree, the player to move tries each action once, in random order, and then takes the one
with the largest upper bound (UCB1, Auer, Cesa-Bianchi and Fischer 2002)::

    mean gain of the action + c span √(ln n / k),    c = √2

where n is how often play came here and k how often it then took the action. UCB1 is for gains between 0 and 1, so the
bonus is multiplied by the span of the player's gains that this search has seen. Each game adds one node to the tree;
from there on, all choices are uniformly random. Chance draws by its own probabilities. In the end the search takes the
action that it tried most often (Browne et al. call it the robust child), the first listed of equals.
"""

import hashlib
import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from support.core.interface import CHANCE, State
from support.core.play import Stream
from support.core.policy import InformationState
from support.learners.regret_matching import any_of, draw

EXPLORATION = math.sqrt(2)
"""The constant c of UCB1."""


@dataclass
class Search:
    """A policy that searches when it is asked. What it finds depends on the position and the seed, on no search before.

    Args:
        games: the number of games played in each search.
        seed: 64-bit seed.
        exploration: the constant c.
    """

    games: int
    seed: int
    exploration: float = EXPLORATION
    _found: dict[InformationState, Any] = field(default_factory=dict, init=False, repr=False)

    def action_probabilities(self, state: State) -> dict[Any, Fraction]:
        """One for the chosen action."""
        where = (state.current_player, state.information_state(state.current_player))
        if where not in self._found:
            self._found[where] = self._choose(state, stream_of(self.seed, where))
        return {self._found[where]: Fraction(1)}

    def _choose(self, state: State, stream: Stream) -> Any:
        return _choose(state, self.games, self.exploration, stream)


def stream_of(seed: int, where: InformationState) -> Stream:
    """The random numbers of the search in an information state."""
    return Stream(seed, int.from_bytes(hashlib.blake2b(repr(where).encode(), digest_size=8).digest()))


@dataclass
class _Node:
    """A node of the tree."""

    mover: int  # who moved to it
    visits: int = 0
    gained: float = 0.0  # by that player, in all visits
    children: dict[Any, "_Node"] = field(default_factory=dict)


def _choose(start: State, games: int, exploration: float, stream: Stream) -> Any:
    """The action that a search from ``start`` tries most often."""
    root, players = _Node(CHANCE), len(start.returns())
    least, most = [math.inf] * players, [-math.inf] * players
    for _ in range(games):
        state, path, gains = start, [root], [0.0] * players
        while not state.is_terminal():
            mover, node = state.current_player, path[-1]
            inside = len(path) == 1 or node.visits > 0
            if mover == CHANCE:
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                move = outcomes[draw([float(p) for p in chances], stream)]
            else:
                moves = [move for move in state.legal_actions() if not inside or move not in node.children]
                move = (
                    any_of(moves, stream)
                    if moves
                    else _most_promising(node, exploration * ((most[mover] - least[mover]) or 1.0))
                )
            if inside:
                path.append(node.children.setdefault(move, _Node(mover)))
            state = state.child(move)
            gains = [gain + float(reward) for gain, reward in zip(gains, state.rewards(), strict=True)]
        least, most = list(map(min, least, gains)), list(map(max, most, gains))
        for node in path:
            node.visits += 1
            node.gained += gains[node.mover] if node.mover != CHANCE else 0.0
    return max(start.legal_actions(), key=lambda move: root.children[move].visits if move in root.children else 0)


def _most_promising(node: _Node, width: float) -> Any:
    """The action with the largest upper bound, when all have been tried; the first tried of equals."""
    log = math.log(node.visits)
    return max(
        node.children,
        key=lambda move: (child := node.children[move]).gained / child.visits + width * math.sqrt(log / child.visits),
    )
