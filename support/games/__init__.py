"""The registry of games: where the rules of each are, how large it gets, which agents play it, and the experiments.

A game's modules are loaded when they are first needed. Every part of an entry but the rules has a default: a game that
unfolds can be played with its rules alone, and solved and judged if a solver takes it (:mod:`support.solve`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.core.interface import Game
from support.core.sources import loaded

__all__ = ["EXPERIMENTS", "GAMES", "Entry", "Option", "Small"]

DIGITS = 9
"""The most digits of a number that an option takes."""


@dataclass(frozen=True)
class Option:
    """A size of a game that a player may choose: one whole number or several, each for an argument of the rules.

    Attributes:
        arguments: the arguments of the rules that it sets; one alone gets all numbers, as a tuple if there are several.
        default: the numbers.
        least, most: the range of each number in play; the rules alone may allow more.
        meaning: what the numbers stand for, in a few words.
    """

    arguments: tuple[str, ...]
    default: tuple[int, ...]
    least: int
    most: int
    meaning: str = ""

    def __str__(self) -> str:
        return self.written(self.default)

    @staticmethod
    def written(numbers: Sequence[int]) -> str:
        """The numbers as a player writes them: ``"8,4"``."""
        return ",".join(map(str, numbers))

    def read(self, name: str, text: str) -> dict[str, Any]:
        """Parse a text such as ``"8,4"`` into arguments of the rules.

        Args:
            name: the option's name, for the error message.
            text: as many numbers as the default has, separated by commas.

        Raises:
            ValueError: the text has another form, or a number is out of range.
        """
        parts = [part.strip() for part in text.split(",")]
        if len(parts) == len(self.default) and all(part.isdecimal() and len(part) <= DIGITS for part in parts):
            numbers = tuple(int(part) for part in parts)
            if all(self.least <= number <= self.most for number in numbers):
                together = len(self.arguments) < len(numbers)
                return dict(zip(self.arguments, (numbers,) if together else numbers, strict=True))
        if len(self.default) > 1:
            raise ValueError(f"{name} are {self.meaning}, such as {self}, up to {self.most:,} each, not '{text}'")
        raise ValueError(f"{name} must be a whole number from {self.least} to {self.most}, not '{text}'")


@dataclass(frozen=True)
class Small:
    """A size at which a game can be unfolded.

    Attributes:
        sizes: arguments of the rules; the others keep their defaults.
        positions: the number of positions.
        seconds: roughly how long unfolding and solving take on one core of an ordinary machine.
        solved: whether :func:`support.solve.solve` can solve this size; otherwise it can only be unfolded.
    """

    sizes: Mapping[str, Any]
    positions: int
    seconds: float
    solved: bool = True


@dataclass(frozen=True)
class Entry:
    """A game, and what can be done with it.

    Attributes:
        name: the game's name in its rules.
        title: its name for readers; by default ``name`` with spaces for hyphens.
        rules_at: its rules as ``module:Class``; the other fields that end in ``_at`` have the same form.
        options: sizes that a player may choose, by the name of the option on the command line.
        small: sizes at which it can be unfolded, the one to learn from first: the usual one where that is small.
        table_at: the table at which it is played; empty for the plain one, which shows information states.
        agents_at: a function that makes an agent from its name, the game, its seat (from 0) and the names of all
            seats, and raises :class:`support.core.table.PlayError` if the agent cannot play. Empty for the agents that
            can play any small game: "random" and, if the game can be solved, "solver".
        agents: the names of the agents.
        learners: those agents that spend seconds learning before they play.
        usual: the default opponents, seat by seat; if there are more seats, the list starts again.
        apart: whether the opponents play games of their own instead of sitting in this one.
        chapter: the file name of its chapter, without its ending, or None.
        speed_at: a function of a :class:`support.sweep.timing.Speed` that times its compiled code beside the plain;
            empty if nothing of it is compiled.
        scorer_at: a function that judges a policy exactly if the game is too large to unfold; empty if none.
        scorer_takes: how long that may take, in words, if it is more than seconds.
    """

    name: str
    rules_at: str
    title: str = ""
    options: Mapping[str, Option] = field(default_factory=dict)
    small: tuple[Small, ...] = ()
    table_at: str = ""
    agents_at: str = ""
    agents: tuple[str, ...] = ("random", "solver")
    learners: tuple[str, ...] = ()
    usual: tuple[str, ...] = ("solver",)
    apart: bool = False
    chapter: str | None = None
    speed_at: str = ""
    scorer_at: str = ""
    scorer_takes: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", self.title or self.name.replace("-", " ").capitalize())
        if not self.agents_at and not any(small.solved for small in self.small):
            for agents in ("agents", "usual"):
                object.__setattr__(self, agents, ("random",))

    def rules(self, **sizes: Any) -> Game:
        """The rules; arguments that are not given keep their defaults.

        Raises:
            ValueError: a size is out of range.
        """
        game: Game = loaded(self.rules_at)(**sizes)
        return game

    def table(self) -> Any:
        """The game's own table, a subclass of :class:`support.core.table.Table`, or None."""
        return loaded(self.table_at) if self.table_at else None

    def agent(self, name: str, game: Game, seat: int, seats: Sequence[str]) -> Any:
        """Make one of ``agents``.

        Args:
            name: the agent's name.
            game: the rules.
            seat: its seat, from 0.
            seats: the names of the players in all seats, its own included.

        Raises:
            PlayError: the agent cannot play this size of the game.
        """
        return loaded(self.agents_at)(name, game, seat, seats)

    def speed(self) -> Callable[..., Any] | None:
        """The function that times its compiled code, or None."""
        return loaded(self.speed_at) if self.speed_at else None

    def scorer(self) -> Callable[..., Any] | None:
        """The function that judges a policy of the game at a size that is too large to unfold, or None."""
        return loaded(self.scorer_at) if self.scorer_at else None


DICE = "dice that each player starts with"


CUP_OPTIONS = {
    "players": Option(("num_players",), (3,), 2, 6, "players at the table"),
    "dice": Option(("dice",), (2,), 1, 6, DICE),
}

GAMES = {
    entry.name: entry
    for entry in (
        Entry(
            "biscuits",
            rules_at="support.games.biscuits.rules:Biscuits",
            options={"heaps": Option(("digestives", "rich_teas"), (8, 4), 0, 1000, "Digestives and Rich Teas")},
            small=(Small({}, 87, 0.1), Small({"digestives": 12, "rich_teas": 12}, 335, 0.1)),
            table_at="support.games.biscuits.table:BiscuitsTable",
            agents_at="support.games.biscuits.opponents:agent",
            agents=("perfect", "random", "learner", "program"),
            learners=("learner", "program"),
            usual=("perfect",),
            chapter="01-biscuits",
            speed_at="support.games.biscuits.speed:pace",
        ),
        Entry(
            "three-dice",
            rules_at="support.games.three_dice.rules:DiceGame",
            options={"dice": Option(("dice",), (3,), 1, 5, DICE)},
            small=(Small({}, 140, 0.1), Small({"dice": 4}, 336, 0.3), Small({"dice": 5}, 714, 0.8)),
            table_at="support.games.three_dice.table:ThreeDiceTable",
            agents_at="support.games.three_dice.agents:agent",
            agents=(
                "optimal",
                "mdp",
                "mdp-adjusted",
                "one-step",
                "risky",
                "cautious",
                "perfectionist",
                "always-hold",
            ),
            usual=("mdp-adjusted",),
            apart=True,
            chapter="02-three-dice",
            speed_at="support.games.three_dice.speed:pace",
        ),
        Entry(
            "ace-king-queen",
            rules_at="support.games.cards.ace_king_queen:AceKingQueen",
            title="Ace, king, queen",
            small=(Small({}, 136, 0.1),),
            table_at="support.games.cards.table:AceKingQueenTable",
            agents_at="support.games.cards.opponents:agent",
            agents=("equilibrium", "cfr", "result-table", "honest", "random"),
            learners=("cfr", "result-table"),
            usual=("equilibrium",),
            chapter="03-ace-king-queen",
            speed_at="support.games.cards.speed:pace",
        ),
        Entry(
            "kuhn-poker",
            rules_at="support.games.cards.kuhn:Kuhn",
            title="Kuhn's poker",
            small=(Small({}, 55, 0.1),),
        ),
        Entry(
            "leduc-poker",
            rules_at="support.games.cards.leduc:Leduc",
            small=(Small({}, 1_936, 1),),
        ),
        Entry(
            "liars-dice",
            rules_at="support.games.cups.liars_dice:LiarsDice",
            title="Liar's Dice",
            options={
                "faces": Option(("faces",), (3,), 2, 6, "faces of each die"),
                "dice": Option(("dice",), (1, 1), 1, 2, "the numbers of the first and the second player's dice"),
            },
            small=(
                Small({"faces": 3}, 1_144, 0.3),
                Small({"faces": 2}, 125, 0.1),
                Small({"faces": 4}, 8_177, 1),
                Small({"faces": 5}, 51_176, 8),
                Small({"faces": 6}, 294_877, 50),
            ),
        ),
        Entry(
            "call-or-raise",
            rules_at="support.games.call_or_raise.rules:CallOrRaise",
            options=CUP_OPTIONS,
            small=(
                Small({"num_players": 2, "dice": 1, "bounded": True}, 89, 0.1),
                Small({"num_players": 2, "dice": 2, "bounded": True}, 30_782, 4, solved=False),
            ),
            table_at="support.games.call_or_raise.table:CallOrRaiseTable",
            agents_at="support.games.call_or_raise.opponents:agent",
            agents=("random", "probability", "holds", "honest", "q-table", "monte-carlo", "equal"),
            learners=("q-table", "monte-carlo"),
            usual=("random",),
            chapter="04-call-or-raise",
            speed_at="support.games.call_or_raise.speed:pace",
            scorer_at="support.games.call_or_raise.learners:judge",
        ),
        Entry(
            "wild-ones",
            rules_at="support.games.wild_ones.rules:WildOnes",
            options=CUP_OPTIONS,
            small=(Small({"num_players": 2, "dice": 1}, 294_929, 20, solved=False),),
            table_at="support.games.wild_ones.table:WildOnesTable",
            agents_at="support.games.wild_ones.opponents:agent",
            agents=("survivalist", "aggressive", "random", "network", "self-play", "best", "equal"),
            learners=("network", "self-play", "best", "equal"),
            usual=("survivalist", "aggressive"),
            chapter="05-wild-ones",
            speed_at="support.games.wild_ones.speed:pace",
            scorer_at="support.games.wild_ones.learners:judge",
            scorer_takes="half a minute to two minutes",
        ),
    )
}
"""All games, in the order of the book."""

EXPERIMENTS = {
    "call-or-raise": "support.games.call_or_raise.experiments.runs:trained",
    "biscuits": "support.games.biscuits.runs:biscuits",
    "biscuits-many": "support.games.biscuits.runs:many_runs",
    "biscuits-mistakes": "support.games.biscuits.runs:mistakes",
    "course": "support.course:course",
    "lesson": "support.lesson:lesson",
    "relatives": "support.games.cards.experiments:relative",
    "result-table": "support.learners.long_runs:result_table",
    "result-table-distances": "support.games.cards.experiments:distances",
    "three-dice-contest": "support.games.three_dice.experiments:contest",
    "three-dice-plan": "support.games.three_dice.experiments:plan",
    "wild-ones": "support.games.wild_ones.experiments.training:trained",
    "wild-ones-notes": "support.games.wild_ones.experiments.training:planned",
    "wild-ones-table": "support.games.wild_ones.experiments.training:table_learned",
}
"""Experiments that the command line knows by a short name."""
