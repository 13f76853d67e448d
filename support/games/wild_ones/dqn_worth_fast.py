"""How often each player comes first, second, ... with a trained network of wild ones, computed from all rolls.

The network decides once in each situation that it can distinguish and that play reaches, and each round is played with
each roll. If there are too many rolls, ``support.games.wild_ones.dqn_fast.evaluate`` plays games instead.
"""

from collections.abc import Sequence

import numpy as np

from support.core.compiled import lean
from support.games.wild_ones.ceiling.rolls_fast import lay, places_after, require_rolls, rolls_of, speak
from support.games.wild_ones.dqn_fast import BOARD
from support.games.wild_ones.dqn_network_fast import DecisionCache, PreparedNetwork, decided, prepared_views
from support.games.wild_ones.dqn_player import DQNPlayer
from support.games.wild_ones.policies import kinds_of
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.rules_fast import EXACT, joined, reply, rules_of

KEPT = 1 << 18
"""Places for decisions, of which half are used; a decision without room is computed each time."""


def worth_of_network(player: DQNPlayer, tables: Sequence[np.ndarray], kinds: Sequence[int] | None = None) -> np.ndarray:
    """float64[players, players], how often each player comes in first, second, ...; the network's is the last.

    Args:
        player: the network, which is the last player.
        tables: the opponents' tables; fewer than in training make a smaller game.
        kinds: the opponents' numbers in ``player.kinds``; by default in the order in which tables differ.

    Raises:
        DoesNotFitError: there are too many rolls, or an opponent draws.
    """
    game, settings = player.game, player.settings
    played = WildOnes(len(tables) + 1, game.dice)
    require_rolls(played, tables)
    kinds = kinds_of(tables, np.array_equal) if kinds is None else kinds
    views = prepared_views(game, settings, len(player.kinds), kinds)
    network = PreparedNetwork.of(player.network)
    rolls, cache, boards = rolls_of(played), DecisionCache.empty(KEPT), np.zeros(1, BOARD)
    ends = np.zeros((*rolls.seats.shape, 2))
    _walk(views, network, cache, joined(tables), rules_of(game), rolls, boards, ends)
    return places_after(played, ends)


@lean(nogil=True, cache=True)
def _walk(views, network, cache, tables, rules, rolls, boards, ends):
    """Play each round with each roll, and add up how they end."""
    board, agent = boards[0], tables.firsts.size
    for start in range(ends.shape[0]):
        for number in range(rolls.numbers[start]):
            ways = lay(board, rolls, start, number)
            while board.rolled:
                own = board.seats[board.speaker] == agent
                action = decided(views, network, cache, board, rules) if own else reply(board, tables, rules)
                if action > EXACT:
                    views.made[board.said] = action - 1
                speak(board, action, rules, ways, ends[start])
