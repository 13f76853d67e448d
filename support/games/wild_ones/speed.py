"""Wild ones: games of fixed policies, compiled beside plain."""

from support.core.play import Stream
from support.games.wild_ones.play import play as play_plainly
from support.games.wild_ones.play_fast import play
from support.games.wild_ones.policies import Aggressive, Random, Survivalist, Views, table
from support.games.wild_ones.rules import WildOnes
from support.sweep.timing import Pace, Speed


def pace(config: Speed) -> Pace:
    """Three fixed players."""
    game, policies = WildOnes(), (Survivalist(), Aggressive(), Random())
    tables, games = [table(Views(game), policy) for policy in policies], config.fast // 10

    def plainly() -> list[list[int]]:
        return [list(play_plainly(game, policies, Stream(config.root, n)).places) for n in range(config.plain)]

    same = play(game, tables, config.plain, config.root).places.tolist() == plainly()
    return config.pace(
        "Wild ones: three fixed players",
        same,
        fast=lambda: play(game, tables, games, config.root),
        plain=plainly,
        games=games,
    )
