"""Three dice: reroll or stop, and mind the doubles.

The game of M. J. P. Collins's *dice-game*. All dice are rolled at no cost and sorted. The player holds any of them and
rerolls the rest for a penalty, as often as desired; holding all ends the game. Then every face that shows on two or
more dice is turned to the opposite face, and the sum, less the penalties, is the score.

Any number of dice, sides, face values, biases and penalty is allowed; three fair six-sided dice with a penalty of one
are the published game.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, pairwise
from math import factorial, prod
from typing import Any

from support.core.interface import CHANCE, TERMINAL, Game, IllegalActionError, NotationError, State

Dice = tuple[int, ...]
Hold = tuple[int, ...]


@dataclass(frozen=True)
class DiceGame(Game):
    """The rules. Frozen and hashable.

    Args:
        dice: number of dice, at least 1.
        sides: number of sides of each die, at least 1.
        values: the face values, strictly rising, one a side; 1, 2, ..., ``sides`` if left out. Opposite faces are the
            first and the last, the second and the last but one, and so on, as on a real die.
        bias: probability of each side, non-negative and summing to one; fair if left out. A float is read as the
            shortest decimal that prints it (0.1 is 1/10).
        penalty: price of a reroll, in points; zero or more.

    Raises:
        ValueError: a parameter has the wrong shape, sign or sum.
    """

    dice: int = 3
    sides: int = 6
    values: tuple[int, ...] = None  # type: ignore[assignment]  # None until __post_init__ fills it in
    bias: tuple[Fraction, ...] = None  # type: ignore[assignment]  # likewise
    penalty: int | Fraction = 1
    name = "three-dice"
    num_players = 1

    def __post_init__(self) -> None:
        for field, number in (("dice", self.dice), ("sides", self.sides)):
            if isinstance(number, bool) or not isinstance(number, int) or number < 1:
                raise ValueError(f"{field} must be a whole number of at least 1, not {number!r}")
        object.__setattr__(self, "values", self._checked_values())
        object.__setattr__(self, "bias", self._checked_bias())
        penalty = _fraction(self.penalty, "penalty")
        if penalty < 0:
            raise ValueError(f"penalty must be zero or more, not {self.penalty}")
        object.__setattr__(self, "penalty", int(penalty) if penalty.denominator == 1 else penalty)

    def _checked_values(self) -> tuple[int, ...]:
        values = tuple(range(1, self.sides + 1)) if self.values is None else _listed(self.values, "values")
        if len(values) != self.sides:
            raise ValueError(f"values must name one face a side: {self.sides} sides, but {len(values)} values")
        if any(isinstance(v, bool) or not isinstance(v, int) for v in values):
            raise ValueError(f"values must be whole numbers, not {values}")
        if any(a >= b for a, b in pairwise(values)):
            raise ValueError(f"values must rise strictly (opposite faces go by their order), not {values}")
        return values

    def _checked_bias(self) -> tuple[Fraction, ...]:
        if self.bias is None:
            return (Fraction(1, self.sides),) * self.sides
        bias = tuple(_fraction(p, "bias") for p in _listed(self.bias, "bias"))
        if len(bias) != self.sides:
            raise ValueError(f"bias must give one probability a side: {self.sides} sides, but {len(bias)} given")
        if any(p < 0 for p in bias):
            raise ValueError(f"bias must not be negative: {', '.join(map(str, bias))}")
        if sum(bias) != 1:
            raise ValueError(f"bias must sum to 1, not to {sum(bias)}; fractions such as '1/6' are taken exactly")
        return bias

    def initial_state(self) -> "DiceState":
        """The state before the free first roll."""
        return DiceState(self)

    def final_score(self, dice: Sequence[int]) -> int:
        """The sum after turning every face that shows twice or more: v becomes its opposite, 7 - v on a common die."""
        counts = Counter(dice)
        return sum(n * (self._opposite()[v] if n > 1 else v) for v, n in counts.items())

    def _opposite(self) -> dict[int, int]:
        return dict(zip(self.values, reversed(self.values), strict=True))

    def all_dice(self) -> tuple[Dice, ...]:
        """All sorted combinations of faces, in lexicographic order: 56 for three six-sided dice."""
        return tuple(combinations_with_replacement(self.values, self.dice))

    def roll(self, count: int) -> tuple[tuple[Dice, Fraction], ...]:
        """The sorted outcomes of rolling ``count`` dice, lexicographic, with their multinomial probabilities."""
        return _roll(self.values, self.bias, count)

    def holds(self) -> tuple[Hold, ...]:
        """All sets of positions to hold (0 is the lowest die), by size, then lexicographic; the last holds all."""
        return tuple(hold for size in range(self.dice + 1) for hold in combinations(range(self.dice), size))

    def move_from_string(self, state: State, text: str) -> Any:
        """Read a roll as faces (``"1,4,5"``), a decision as ``"hold 4,5"``, ``"hold none"`` or ``"stick"``."""
        if state.current_player == CHANCE:
            return tuple(sorted(_faces(text)))
        word, _, rest = text.partition(" ")
        if text == "stick":
            return self.holds()[-1]
        if word != "hold" or not rest.strip():
            raise NotationError("expected 'stick', 'hold none' or 'hold' and the faces held, such as 'hold 4,5'")
        assert isinstance(state, DiceState)
        return () if rest.strip() == "none" else self._positions(state.dice, _faces(rest))

    @staticmethod
    def _positions(dice: Dice, faces: Dice) -> Hold:
        """The first positions that show ``faces``."""
        free: list[int | None] = list(dice)
        held: list[int] = []
        for face in sorted(faces):
            if face not in free:
                raise NotationError(f"no die left that shows {face} among {','.join(map(str, dice))}")
            place = free.index(face)
            free[place] = None
            held.append(place)
        return tuple(held)


@cache
def _roll(values: Dice, bias: tuple[Fraction, ...], count: int) -> tuple[tuple[Dice, Fraction], ...]:
    chance = dict(zip(values, bias, strict=True))
    outcomes = []
    for faces in combinations_with_replacement(values, count):
        ways = factorial(count) // prod(factorial(n) for n in Counter(faces).values())
        probability = ways * prod((chance[v] for v in faces), start=Fraction(1))
        if probability:
            outcomes.append((faces, probability))
    return tuple(outcomes)


@dataclass(frozen=True)
class DiceState(State):
    """A state: the sorted dice (or, before a roll, the dice held), the rerolls so far, and the game's record.

    Args:
        game: the rules.
        dice: all dice, sorted; before a roll only those held.
        phase: "roll" (chance moves), "decide" or "over".
        rerolls: rerolls paid for so far.
        record: the moves so far in notation.
    """

    game: DiceGame
    dice: Dice = ()
    phase: str = "roll"
    rerolls: int = 0
    record: tuple[str, ...] = ()

    @property
    def current_player(self) -> int:
        """0 when the player decides, chance before a roll."""
        return {"roll": CHANCE, "decide": 0, "over": TERMINAL}[self.phase]

    def legal_actions(self, player: int | None = None) -> tuple[Hold, ...]:
        """All sets of positions that can be held; holding all ends the game."""
        return self.game.holds() if self.phase == "decide" and player in (None, 0) else ()

    def chance_outcomes(self) -> tuple[tuple[Dice, Fraction], ...]:
        """The sorted faces of the dice that are rolled, with their probabilities."""
        return self.game.roll(self.game.dice - len(self.dice)) if self.phase == "roll" else ()

    def child(self, action: Any) -> "DiceState":
        """Hold the dice in some positions, or roll."""
        game = self.game
        if self.phase == "roll":
            self.require(action)
            after, phase, rerolls = tuple(sorted(self.dice + action)), "decide", self.rerolls
        else:
            self._require_hold(action)
            after = tuple(self.dice[place] for place in action)
            phase = "over" if len(after) == game.dice else "roll"
            rerolls = self.rerolls + (phase == "roll")
        return DiceState(game, after, phase, rerolls, (*self.record, self.action_to_string(action)))

    def _require_hold(self, action: Any) -> None:
        if self.phase == "decide" and action not in self.legal_actions() and isinstance(action, tuple):
            wrong = [place for place in action if place not in range(self.game.dice)]
            if wrong:
                raise IllegalActionError(
                    f"the hold {action!r} names no die: positions run from 0 to {self.game.dice - 1}"
                )
            raise IllegalActionError(f"the hold {action!r} must name each position once, in rising order")
        self.require(action)

    @property
    def position(self) -> tuple[str, Dice]:
        """The phase and the dice; penalties already paid have no bearing on what follows."""
        return (self.phase, self.dice)

    def information_state(self, player: int) -> str:
        """The dice on the table: nothing is hidden."""
        return _text(self.dice) if self.dice else "none"

    def rewards(self) -> tuple[int | Fraction]:
        """Minus the penalty after a decision to reroll, the sum of the dice at the end, otherwise 0."""
        if self.phase == "over":
            return (self.game.final_score(self.dice),)
        return (-self.game.penalty if self.phase == "roll" and self.rerolls else 0,)

    def returns(self) -> tuple[int | Fraction]:
        """The score so far: minus the penalties, plus the sum of the dice once the game is over."""
        return ((self.game.final_score(self.dice) if self.phase == "over" else 0) - self.game.penalty * self.rerolls,)

    def action_to_string(self, action: Any) -> str:
        """Faces for a roll; ``stick``, ``hold none`` or ``hold`` with the faces held."""
        if self.phase == "roll":
            return _text(action)
        if len(action) == self.game.dice:
            return "stick"
        return "hold " + (_text(tuple(self.dice[place] for place in action)) or "none")

    def __str__(self) -> str:
        return " > ".join(self.record)


def play(text: str, game: DiceGame | None = None) -> DiceState:
    """The state that a game in notation leads to: ``play("1,4,5 > hold 4,5 > 2 > stick").returns() == (10,)``."""
    state = (game or DiceGame()).parse(text)
    assert isinstance(state, DiceState)
    return state


def _text(dice: Dice) -> str:
    return ",".join(map(str, dice))


def _faces(text: str) -> Dice:
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise NotationError(f"expected faces separated by commas, such as '1,4,5', not '{text}'") from None


def _listed(numbers: Any, field: str) -> tuple[Any, ...]:
    try:
        return tuple(numbers)
    except TypeError:
        raise ValueError(f"{field} must be a list with one number a side, not {numbers!r}") from None


def _fraction(number: Any, field: str) -> Fraction:
    try:
        return Fraction(repr(float(number))) if isinstance(number, float) else Fraction(number)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{field} must be made of finite numbers, not {number!r}") from None
