"""Play a game through the interface, one state at a time: the plain counterpart of the compiled kernels."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from support.core.interface import CHANCE, Game, State

if TYPE_CHECKING:  # a stream needs no numpy
    from support.core.policy import TabularPolicy

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


class Stream:
    """A stream of random 64-bit integers: splitmix64 (Steele, Lea and Flood 2014).

    ``support.core.splitmix_fast`` produces the same numbers, so plain and compiled play can be compared game by game.
    Every game has its own stream, which depends on the seed and the game's number, so games can be played in any order.
    """

    def __init__(self, seed: int, game: int = 0):
        self.state = self._mix((seed + game * GOLDEN) & MASK)

    @staticmethod
    def _mix(z: int) -> int:
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def next(self) -> int:
        """The next number, uniform on 0 to 2^64 - 1."""
        self.state = (self.state + GOLDEN) & MASK
        return self._mix(self.state)

    def share(self) -> float:
        """A number from 0 to 1, 1 excluded, of the upper 53 bits of the next."""
        return (self.next() >> 11) * 2.0**-53

    def pick(self, outcomes: Sequence[tuple[Any, Fraction]]) -> Any:
        """Draw one of the outcomes of positive probability; this uses one random number, or none for a sure outcome."""
        likely = [(outcome, p) for outcome, p in outcomes if p]
        return likely[0][0] if len(likely) == 1 else self.draw(likely)

    def draw(self, likely: Sequence[tuple[Any, Fraction]]) -> Any:
        """Draw one of the outcomes with one random number; their probabilities are positive and sum to one."""
        number = self.next()
        for (outcome, _), bound in zip(likely, thresholds(p for _, p in likely), strict=True):
            if number < bound:
                return outcome
        raise AssertionError("the last bound is 2^64")


def thresholds(probabilities: Iterable[Fraction]) -> list[int]:
    """Cumulative probabilities as integers from 0 to 2^64: a number draws the first outcome whose bound exceeds it."""
    total, bounds = Fraction(0), []
    for probability in probabilities:
        total += probability
        above, below = total.as_integer_ratio()
        bounds.append((above << 64) // below)
    return bounds


def play_game(game: Game, policies: "Sequence[TabularPolicy]", stream: Stream) -> State:
    """Play one game to its end, with one policy per player, and return the final state."""
    state = game.initial_state()
    while not state.is_terminal():
        if state.current_player == CHANCE:
            outcomes: Iterable[tuple[Any, Fraction]] = state.chance_outcomes()
        else:
            outcomes = policies[state.current_player].action_probabilities(state).items()
        state = state.child(stream.pick(list(outcomes)))
    return state
