"""The games of the book, each named once: where its rules are, how large it gets, who plays it, and its experiments.

Nothing of a game is loaded before it is asked for. What is left out of an entry has a plain default: a game that
unfolds can be solved, judged and played with its rules alone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.core.interface import Game
from support.core.sources import loaded

__all__ = ["EXPERIMENTS", "GAMES", "Entry", "Option", "Small", "rules"]

DIGITS = 9
"""Of a number that an option takes, at most."""


@dataclass(frozen=True)
class Option:
    """A size of a game that a player may choose: one whole number or several, each for an argument of the rules.

    Attributes:
        arguments: of the rules.
        default: a number for each of them.
        least, most: what each may be in play; the rules alone may allow more.
        meaning: what the numbers are, in a few words.
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
        """Numbers as a player writes them: ``"8,4"``."""
        return ",".join(map(str, numbers))

    def read(self, name: str, text: str) -> dict[str, int]:
        """The arguments of the rules that a text such as ``"8,4"`` stands for.

        Args:
            name: of the option, for the error message.
            text: as many numbers as there are arguments, with commas.

        Raises:
            ValueError: something else, or a number out of its range.
        """
        parts = [part.strip() for part in text.split(",")]
        if len(parts) == len(self.arguments) and all(part.isdecimal() and len(part) <= DIGITS for part in parts):
            numbers = [int(part) for part in parts]
            if all(self.least <= number <= self.most for number in numbers):
                return dict(zip(self.arguments, numbers, strict=True))
        if len(self.arguments) > 1:
            raise ValueError(f"{name} are {self.meaning}, such as {self}, up to {self.most:,} each, not '{text}'")
        raise ValueError(f"{name} must be a whole number from {self.least} to {self.most}, not '{text}'")


@dataclass(frozen=True)
class Small:
    """A size at which a game can be unfolded.

    Attributes:
        sizes: arguments of the rules; the others are as usual.
        positions: how many there are.
        seconds: that unfolding and solving take on one core of an ordinary machine, roughly.
        solved: whether :func:`support.solve.solve` takes the game at this size; otherwise it can only be unfolded.
    """

    sizes: Mapping[str, Any]
    positions: int
    seconds: float
    solved: bool = True


@dataclass(frozen=True)
class Entry:
    """A game, and what can be done with it.

    Attributes:
        name: of the game, as its rules have it.
        title: as a reader sees it; the name with spaces for hyphens unless it is given.
        rules_at: where its rules are.
        options: sizes that a player may choose, by the name of the option on the command line.
        small: sizes at which it can be unfolded, the usual one or else the smallest first.
        table_at: the table at which it is played; empty for the plain one, which shows information states.
        agents_at: makes agents: a function of an agent's name, the game, its seat (from 0) and the names of all seats,
            which raises :class:`support.core.table.PlayError` where the agent cannot play. Empty for those that
            can play any small game: "random" and, where the game can be solved, "solver".
        agents: names of all that it makes.
        learners: those of them that learn before they play, which takes seconds.
        usual: the opponents unless others are named; the first ones, over again if there are more seats.
        apart: whether the opponents sit at no seats of the game but play games of their own.
        chapter: the file of its chapter, without ending, or None.
        speed_at: how fast its compiled code plays beside the plain: a function of a
            :class:`support.sweep.timing.Speed`; empty where nothing of it is compiled.
        scorer_at: a function that judges a policy exactly where the game is too large to unfold; empty if none.
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
        """The rules; arguments that are not given are as usual.

        Raises:
            ValueError: a size out of its range.
        """
        game: Game = loaded(self.rules_at)(**sizes)
        return game

    def table(self) -> Any:
        """The game's own table, a subclass of :class:`support.core.table.Table`, or None."""
        return loaded(self.table_at) if self.table_at else None

    def agent(self, name: str, game: Game, seat: int, seats: Sequence[str]) -> Any:
        """One of ``agents``.

        Args:
            name: its name.
            game: the rules.
            seat: where it sits, from 0.
            seats: the names of all seats, its own included.

        Raises:
            PlayError: it cannot play this size of the game.
        """
        return loaded(self.agents_at)(name, game, seat, seats)

    def speed(self) -> Callable[..., Any] | None:
        """What measures how fast it is played, or None."""
        return loaded(self.speed_at) if self.speed_at else None

    def scorer(self) -> Callable[..., Any] | None:
        """What judges a policy of the game at a size that is too large to unfold, or None."""
        return loaded(self.scorer_at) if self.scorer_at else None


DICE = "that each player starts with"


def _cup_options(players: int, dice: int) -> dict[str, Option]:
    return {
        "players": Option(("num_players",), (players,), 2, 6, "at the table"),
        "dice": Option(("dice",), (dice,), 1, 6, DICE),
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
            "liars-dice",
            rules_at="support.games.cups.liars_dice:LiarsDice",
            title="Liar's Dice",
            options={"faces": Option(("faces",), (3,), 2, 6, "of each die")},
            small=(
                Small({"faces": 3}, 1_144, 0.3),
                Small({"faces": 2}, 125, 0.1),
                Small({"faces": 4}, 8_177, 7),
                Small({"faces": 5}, 51_176, 6),
                Small({"faces": 6}, 294_877, 31),
            ),
        ),
        Entry(
            "call-or-raise",
            rules_at="support.games.call_or_raise.rules:CallOrRaise",
            options=_cup_options(3, 2),
            small=(
                Small({"num_players": 2, "dice": 1, "bounded": True}, 89, 0.1),
                Small({"num_players": 2, "dice": 2, "bounded": True}, 30_782, 4, solved=False),
            ),
            table_at="support.games.call_or_raise.table:CallOrRaiseTable",
            agents_at="support.games.call_or_raise.opponents:agent",
            agents=("random", "probability", "holds", "honest", "q-table", "monte-carlo"),
            learners=("q-table", "monte-carlo"),
            usual=("random",),
            chapter="04-call-or-raise",
            speed_at="support.games.call_or_raise.speed:pace",
            scorer_at="support.games.call_or_raise.learners:judge",
        ),
        Entry(
            "wild-ones",
            rules_at="support.games.wild_ones.rules:WildOnes",
            options=_cup_options(3, 2),
            small=(Small({"num_players": 2, "dice": 1}, 294_929, 20, solved=False),),
            table_at="support.games.wild_ones.table:WildOnesTable",
            agents_at="support.games.wild_ones.opponents:agent",
            agents=("survivalist", "aggressive", "random", "network", "self-play", "best"),
            learners=("network", "self-play", "best"),
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
    "relatives": "support.games.cards.experiments:relative",
    "result-table": "support.learners.long_runs:result_table",
    "result-table-distances": "support.games.cards.experiments:distances",
    "three-dice-contest": "support.games.three_dice.experiments:contest",
    "three-dice-plan": "support.games.three_dice.experiments:plan",
    "wild-ones": "support.games.wild_ones.experiments.training:trained",
    "wild-ones-notes": "support.games.wild_ones.experiments.training:planned",
    "wild-ones-table": "support.games.wild_ones.experiments.training:table_learned",
}
"""Experiments that a sweep knows by a short name."""


def rules(name: str, **sizes: Any) -> Game:
    """The rules of a game.

    Args:
        name: of the game.
        sizes: arguments of its rules; the others are as usual.

    Raises:
        ValueError: no such game, or a size out of its range.
    """
    if name not in GAMES:
        raise ValueError(f"no game '{name}'; known are {', '.join(GAMES)}")
    return GAMES[name].rules(**sizes)
