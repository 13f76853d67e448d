"""A table for any small game: it shows information states, names moves in the game's notation, and solves the game.

It cannot show what a player must not know yet: every text for a player is made only from that player's information
states before and after a move.
"""

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

from support.core.answers import complete
from support.core.flat import FlatGame, TooLargeError, unfolded
from support.core.interface import CHANCE, Game, State
from support.core.policy import InformationState, TabularPolicy, uniform
from support.core.table import Number, PlayError, Table
from support.exact.best_response import best_response
from support.exact.kinds import kind_of
from support.exact.linear_program import UnprovedError
from support.exact.optimal import optimal_policy
from support.solve import Solution, solve

LARGEST = 300_000
"""The most positions of a game that is solved while the player waits, about a minute."""
AT_ONCE = 2_000
"""The most positions of a game that is solved in less than a second."""


def _unfolded(game: Game) -> FlatGame | None:
    """The game unfolded; None if it is too large.

    Raises:
        PlayError: the game's numbers are not exact, or it breaks the interface otherwise.
    """
    try:
        return unfolded(game, LARGEST)
    except TooLargeError:
        return None
    except ValueError as error:
        raise PlayError(str(error)) from None


@cache
def solved(game: Game) -> Solution:
    """The solution of a game; cached.

    Raises:
        PlayError: the game is too large, or no solver takes it.
    """
    flat = _unfolded(game)
    if flat is None:
        raise PlayError(f"{game.name} has more than {LARGEST:,} positions at this size, too many to solve it here")
    try:
        return solve(flat)
    except (ValueError, UnprovedError) as error:
        raise PlayError(str(error)) from None


def plain_agent(name: str, game: Game) -> TabularPolicy:
    """The agent "random", or "solver", which plays the policy of :func:`solved`.

    Raises:
        PlayError: the game cannot be solved.
    """
    flat = _unfolded(game)
    if name == "solver":
        try:
            return solved(game).policy
        except PlayError as error:
            raise PlayError(f"{error}. The agent 'random' can play it: --against random") from None
    return TabularPolicy({}) if flat is None else uniform(flat)


class PlainTable(Table[State]):
    """A table for any game; values are known if it unfolds."""

    truth = "what you gain from then on, on average, if you play as well as possible against these opponents"

    _why = f"the game has more than {LARGEST:,} positions"

    @cached_property
    def flat(self) -> FlatGame | None:
        """The unfolded game; None if it is too large."""
        return _unfolded(self.game)

    @property
    def all_is_seen(self) -> bool:
        """Whether nothing is hidden from anybody; False if the game is too large to know."""
        return self.flat is not None and not kind_of(self.flat).hidden

    @property
    def hides(self) -> str:  # type: ignore[override]
        """Chance or hidden information, if there may be any."""
        sure = self.all_is_seen and self.flat is not None and not kind_of(self.flat).chance
        return "" if sure else "something in it is hidden or left to chance, and what was seen cannot be unseen"

    def legend(self) -> str:
        """Where the player finds the moves."""
        return "one of the legal moves, as the rules write them; ? lists them"

    def scene(self, state: State, viewer: int) -> list[str]:
        """What the viewer knows."""
        return [f"You know: {self.style.mark(state.information_state(viewer), 'strong')}"]

    def described(self, before: State, action: Any, after: State, viewer: int | None) -> str | None:
        """A move in words, unless it is hidden.

        A move shows if the viewer's information state newly contains it, and would be another after any other move.
        """
        chance, label = before.current_player == CHANCE, before.action_to_string(action)
        mover, words = before.current_player, before.action_in_words(action)
        named = f"chance: {words}" if chance else f"{self.who(mover, 'play')} {words}"
        if viewer in (None, mover) or self.all_is_seen:
            return named
        then, now = before.information_state(viewer), after.information_state(viewer)
        if then == now:
            return None
        others = (move for move in before.possible() if move != action)
        if now.count(label) > then.count(label) and all(
            before.child(move).information_state(viewer) != now for move in others
        ):
            return named
        return "chance moves" if chance else self.who(mover, "move")

    def result(self, state: State) -> str:
        """All returns, and the whole game with nothing hidden."""
        returns = state.returns()
        gains = ", ".join(f"{name} {float(gain):+g}" for name, gain in zip(self.names, returns, strict=True))
        best = [seat for seat, gain in enumerate(returns) if gain == max(returns)]
        if len(returns) == 1:
            return f"{self.who(0, 'score')} {float(returns[0]):g}. The game: {state}"
        ending = self.who(best[0], "win") if len(best) == 1 else "nobody wins alone"
        return f"{ending}: {gains}. The game: {state}"

    @cached_property
    def known(self) -> Mapping[InformationState, Mapping[Any, Number]]:
        """The value of each action in each information state of the human player; empty if not known."""
        flat = self.flat
        if flat is None:
            return {}
        try:
            if self.game.num_players == 1 and not kind_of(flat).hidden:
                worth = optimal_policy(flat).action_values
                return {
                    flat.information_states[flat.information[node]]: {
                        flat.action[e]: worth[e] for e in flat.edges(node)
                    }
                    for node in flat.decision_nodes()
                }
            profile = [complete(flat, self.agents.get(seat, {}), (seat,))[0] for seat in range(self.game.num_players)]
            response = best_response(flat, profile, self.seat)
        except ValueError as error:
            self._why = str(error)
            return {}
        return {
            where: {action: total / response.reach[where] for action, total in row.items()}
            for where, row in response.action_values.items()
            if response.reach[where]
        }

    def values(self, state: State) -> Mapping[Any, Number] | None:
        """The expected rewards to come after each action."""
        return self.known.get((self.seat, state.information_state(self.seat)))

    def takes_long(self) -> bool:
        """Whether a large game is still to be solved."""
        return self.flat is not None and self.flat.num_nodes > AT_ONCE and "known" not in self.__dict__

    def unknown(self) -> str:
        """Its size or kind."""
        return f"what is best is not known here: {self._why}"

    def worth(self, value: Number) -> str:
        """A return."""
        return f"{float(value):+.3f} on average"

    def price(self, cost: Number) -> str:
        """A difference of returns."""
        return f"cost {float(cost):.3f} on average"
