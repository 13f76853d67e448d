"""The learners of call or raise behind the protocol, and what their policies win against players who toss coins."""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

from support.core.interface import DoesNotFitError, Game
from support.core.policy import Judgement
from support.games.call_or_raise.ceiling import Responder
from support.games.call_or_raise.opponents import CallsByTable, trained
from support.games.call_or_raise.rules import CallOrRaise
from support.games.call_or_raise.settings import AS_MEANT, AS_RUN, PUBLISHED_PLAYERS, Agent, QTableSettings

UNIT = "probability of winning against players who toss coins"
METHOD = "support.games.call_or_raise.ceiling_fast.Ceiling"


class QTable:
    """Call or raise alone: the document's Q-learning against players who toss coins, as it ran in 2018."""

    games: ClassVar[int] = 5_000
    settings: ClassVar[QTableSettings] = QTableSettings(slips=AS_RUN)

    def train(self, game: Game, games: int, seed: int) -> CallsByTable:
        """Call where the table says so; a coin where it says nothing, as at states that it never met."""
        if not isinstance(game, CallOrRaise) or game.bounded:
            raise DoesNotFitError("it learns call or raise alone, with bids that nothing bounds")
        players = (PUBLISHED_PLAYERS[0], *[Agent()] * (game.num_players - 1))
        return trained(replace(self.settings, players=players, dice=game.dice), games, seed)


class MonteCarlo(QTable):
    """Call or raise alone: Monte Carlo control on the same table of states, rewarded by games won."""

    games = 1_000_000
    settings = QTableSettings(slips=AS_MEANT, method="averages", alpha=0.001)


def judge(policy: Any, game: CallOrRaise) -> Judgement:
    """What a policy of player 1 wins against players who toss coins, and the most that can be won with its bluffs.

    Args:
        policy: goes by the dice in play, its own, and how many more a bid needs, as
            :class:`support.games.call_or_raise.opponents.CallsByTable` does: it has ``raises`` and ``bluff``.
        game: the rules.

    Raises:
        DoesNotFitError: another policy.
    """
    if not (callable(getattr(policy, "raises", None)) and hasattr(policy, "bluff")):
        raise DoesNotFitError(
            "at this size call or raise is judged exactly only for policies with raises(total, own, quantity, held) "
            "and bluff, as those of its own learners"
        )
    from support.games.call_or_raise.ceiling_fast import Ceiling

    def calls(total: int, own: int, need: int) -> Fraction:
        return 1 - Fraction(policy.raises(total, own, need, 0))

    achieved = Ceiling(game, Responder(policy.bluff, calls=calls)).win_probability
    best = _best(game, policy.bluff)
    return Judgement(best - achieved, UNIT, best, achieved, METHOD)


@lru_cache(maxsize=4)
def _best(game: CallOrRaise, bluff: Fraction) -> float:
    from support.games.call_or_raise.ceiling_fast import Ceiling

    return Ceiling(game, Responder(bluff)).win_probability
