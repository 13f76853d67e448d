"""Games that both have, with both trees walked in step."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyspiel

from support.core.flat import FlatGame, unfold
from support.core.interface import CHANCE, Game
from support.exact.nash_conv_fast import normalise
from support.games.cards.kuhn import Kuhn
from support.games.cards.leduc import Leduc
from support.games.cups.liars_dice import LiarsDice


@dataclass(frozen=True, eq=False)
class Shared:
    """A game of ours that OpenSpiel has too.

    Attributes:
        name: of the game.
        flat: ours.
        theirs: OpenSpiel's.
        states: for each of our information states a state of theirs in which it is the player's.
    """

    name: str
    flat: FlatGame
    theirs: Any
    states: list[Any]

    def profile(self, policy: Any) -> np.ndarray:
        """float64[1, slots], a policy of theirs in our order."""
        rows = [[p for _, p in sorted(policy.action_probabilities(state).items())] for state in self.states]
        return normalise(self.flat, np.concatenate(rows)[None])

    def policy(self, profile: np.ndarray) -> Any:
        """A profile of ours, float64[slots], as a policy of theirs."""
        bounds = zip(self.flat.slots[:-1], self.flat.slots[1:], strict=True)
        return pyspiel.TabularPolicy(
            {
                state.information_state_string(): list(zip(state.legal_actions(), profile[start:stop], strict=True))
                for state, (start, stop) in zip(self.states, bounds, strict=True)
            }
        )


def shared(name: str, game: Game, theirs: str, deal: Callable[[Any], list[int]]) -> Shared:
    """Walk both trees in step.

    Args:
        name: for people.
        game: ours.
        theirs: what OpenSpiel loads.
        deal: OpenSpiel's chance outcomes for one of ours.

    Raises:
        AssertionError: the trees differ in who moves, in how many actions there are, or in who knows what.
    """
    flat, other = unfold(game), pyspiel.load_game(theirs)
    first = {int(nodes[0]): number for number, nodes in enumerate(flat.nodes_of_information)}
    needed, reached = _ways(flat, list(first)), {0: other.new_initial_state()}
    for node in sorted(needed):  # each after the one that leads to it
        for place, edge in enumerate(flat.edges(node)):
            child, state = int(flat.child[edge]), reached[node]
            if child not in needed:
                continue
            for action in deal(flat.action[edge]) if flat.player[node] == CHANCE else [state.legal_actions()[place]]:
                state = state.child(action)
            assert (state.current_player(), len(state.legal_actions())) == (flat.player[child], len(flat.edges(child)))
            reached[child] = state
    states = [reached[node] for node in first]
    assert len({state.information_state_string() for state in states}) == len(states)
    return Shared(name, flat, other, states)


def _ways(flat: FlatGame, nodes: list[int]) -> set[int]:
    """The nodes and all that lead to them, in a tree."""
    parent = flat.source[np.argsort(flat.child)]
    found = {0}
    for node in nodes:
        while node not in found:
            found.add(node)
            node = int(parent[node - 1])
    return found


@lru_cache(maxsize=2)
def kuhn() -> Shared:
    """Kuhn's poker."""
    return shared("Kuhn's poker", Kuhn(), "kuhn_poker", _cards)


@lru_cache(maxsize=2)
def leduc() -> Shared:
    """Leduc poker, without suits on either side."""
    return shared("Leduc poker", Leduc(), "leduc_poker(suit_isomorphism=True)", _cards)


@lru_cache(maxsize=2)
def liars_dice(faces: int) -> Shared:
    """Liar's Dice with one die each, of which the highest face is wild."""
    theirs, name = f"liars_dice(dice_sides={faces})", f"Liar's Dice, one die of {faces} faces each"
    return shared(name, LiarsDice(faces), theirs, lambda dice: [die - 1 for die in dice])


def _cards(cards: str) -> list[int]:
    return ["JQK".index(card) for card in cards]
