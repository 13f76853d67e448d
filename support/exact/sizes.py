"""How large a game each solver takes, from what it took where it was measured: looked up before any work starts.

The table has, for each solver, the largest game of the book's kinds that it was tried on, in seconds of one core and
megabytes. The limits are extrapolated from there to some minutes and four gigabytes; none was run at its limit. Without
the table a solver would not end, or the system would end the process: exact elimination asks for all of its memory at
once, and FLINT aborts without it.
"""

from dataclasses import dataclass

from support.core.flat import TooLargeError
from support.exact.kinds import BEST_RESPONSE, MINIMAX, OPTIMAL, RETROGRADE, SEQUENCE_FORM, SOLVE

EVALUATE = "support.exact.markov.evaluate"
ITERATION = "support.learners.public_tree_fast.run"
MINIMISE = "support.exact.linear_program.minimise"
RANGES = "support.exact.sequence_form.optimal_ranges"
VALUE_ITERATION = "support.learners.value_iteration.value_iteration"
SMALLER = "choose a smaller size"


@dataclass(frozen=True)
class Cost:
    """What a solver was measured at, and the most that it takes.

    Attributes:
        counted: what makes its work long.
        most: how many of these it takes.
        tried: how many the largest game had that was measured.
        seconds, megabytes: that this took.
        instead: what to do with a game that is larger.
    """

    counted: str
    most: int
    tried: int
    seconds: float
    megabytes: int
    instead: str = SMALLER


COSTS = {
    BEST_RESPONSE: Cost("moves", 5_000_000, 294_876, 8, 100),  # Liar's Dice with six faces
    MINIMAX: Cost("moves", 2_000_000, 53_974, 0.9, 60),  # Nim by dice, 3,000 counters
    OPTIMAL: Cost("moves", 2_000_000, 403_767, 50, 140),  # three dice, played with eight
    RETROGRADE: Cost("moves", 1_000_000, 593_604, 83, 2_500),  # biscuits, two heaps of 60
    EVALUATE: Cost("positions that lead back to each other", 6_000, 3_003, 27, 900),  # three dice, played with eight
    ITERATION: Cost("moves", 2_000_000, 294_876, 31, 250),  # Liar's Dice with six faces
    SEQUENCE_FORM: Cost(  # Liar's Dice with six faces, as are the entries
        "choices, over all information states",
        100_000,
        49_140,
        50,
        620,
        f"{SOLVE} takes it by CFR+ and says how near that comes; or {SMALLER}",
    ),
    MINIMISE: Cost("entries, rows times columns,", 16_000_000, 4_712_744, 13, 620, "write a smaller program"),
    RANGES: Cost("choices, over all information states", 400, 378, 13, 20),  # with three faces
    VALUE_ITERATION: Cost(  # three dice, played with eight
        "entries, what actions lead to times decisions,", 100_000_000, 3_864_861, 0.5, 40
    ),
}
"""By the solver's full name."""


def require_size(what: object, solver: str, number: int) -> None:
    """Raise an error unless something is small enough for a solver.

    Args:
        what: a game, or a program, for the message.
        solver: one of ``COSTS``.
        number: of what counts there.

    Raises:
        TooLargeError: it is larger; the message has the most that is possible, and the method that would do.
    """
    cost = COSTS[solver]
    if number > cost.most:
        raise TooLargeError(
            f"{what} has {number:,} {cost.counted} and {solver} takes up to {cost.most:,} ({cost.tried:,} took "
            f"{cost.seconds:g} s and {cost.megabytes:,} MB): {cost.instead}"
        )
