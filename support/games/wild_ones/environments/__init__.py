"""Games as environments for algorithms written elsewhere; importing this registers ``WildOnes-v0`` with Gymnasium.

They need the dependency group ``environments``: Gymnasium (Towers et al. 2024) and PettingZoo (Terry et al. 2021).
Without another import, ``gymnasium.make("support.games.wild_ones.environments:WildOnes-v0")`` does.
"""

import gymnasium

WILD_ONES = "WildOnes-v0"

if WILD_ONES not in gymnasium.registry:
    gymnasium.register(WILD_ONES, entry_point="support.games.wild_ones.environments.wild_ones:WildOnesEnv")
