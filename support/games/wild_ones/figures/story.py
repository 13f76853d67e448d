"""Rounds of a game as a story: who says what, what the agent weighs, and the same in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from support.games.wild_ones.figures.writing import CHALLENGES, FACES, bid_of

WILD = 1
FACE_NAMES = (("one", "two", "three", "four", "five", "six"), ("ones", "twos", "threes", "fours", "fives", "sixes"))


@dataclass(frozen=True)
class Thought:
    """What the agent weighs before a move.

    Attributes:
        values: what it has learned that each legal action is worth.
        exact: the probability of winning the game after each of them, if all that follows is played as well as can be.
        chosen: the action that it takes.
        best: the action of the highest of these probabilities.
        possible: for each opponent how many hands it can still hold, and of how many in all.
        likely: for some of them the likeliest of these hands, each with its probability.
    """

    values: Mapping[str, float]
    exact: Mapping[str, float]
    chosen: str
    best: str
    possible: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    likely: Mapping[str, Sequence[tuple[Sequence[int], float]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Panel:
    """A round.

    Attributes:
        hands: the dice of each player, by name, in the order of their turns; none if it is out, ``"?"`` if unseen.
        bids: who bids what, such as ``("agent", "2x3")``.
        challenge: who challenges the last bid, and how: ``"liar"``, ``"exact"``, or ``"?"`` if that is left open.
        outcome: who loses (-1) or wins (+1) a die, or wins none for having all (0); None if that is left open.
        thoughts: what was weighed before some of the moves, by their number from 0; the challenge is the last.
    """

    hands: Mapping[str, Sequence[int | str]]
    bids: Sequence[tuple[str, str]]
    challenge: tuple[str, str]
    outcome: tuple[str, int] | None = None
    thoughts: Mapping[int, Thought] = field(default_factory=dict)

    @property
    def moves(self) -> tuple[tuple[str, str], ...]:
        """The bids and the challenge."""
        return (*self.bids, self.challenge)

    @property
    def last(self) -> tuple[int, int]:
        """Quantity and face of the last bid."""
        bid = bid_of(self.bids[-1][1])
        assert bid is not None
        return bid

    def counts(self, die: int | str) -> bool:
        """Whether a die counts towards the last bid."""
        return die in (WILD, self.last[1])

    def verdict(self) -> str:
        """How the round ends, in words; nothing if that is left open."""
        if self.outcome is None:
            return ""
        player, change = self.outcome
        there = sum(self.counts(die) for dice in self.hands.values() for die in dice)
        last = change < 0 and len(self.hands[player]) == 1
        fate = {-1: f"loses {'its last' if last else 'a'} die", 0: "is right, but has all its dice", 1: "wins a die"}
        return f"bid {self.last[0]}, counted {there}: {player} {fate[change]}"


def told(panels: Sequence[Panel], first: int = 1) -> str:
    """The same in words, a sentence a round: for those who do not see the comic."""
    sentences = []
    for number, panel in enumerate(panels, first):
        check(number, panel)
        said = [f"{player} bids {in_words(bid)}" for player, bid in panel.bids]
        player, challenge = panel.challenge
        said.append(f"{player} is to move" if challenge == "?" else f"{player} says {challenge}")
        for place, thought in panel.thoughts.items():
            if thought.chosen != thought.best:
                said[place] += f" ({in_words(thought.best)} would be best)"
        verdict = panel.verdict()
        sentences.append(f"Round {number}: {', '.join(said)}{'; ' + verdict if verdict else ''}.")
    return " ".join(sentences)


def dearest(panels: Sequence[Panel], first: int = 1) -> tuple[int, Thought]:
    """The decision that costs most of the probability of winning, and the number of its round; of equals the first.

    Args:
        panels: the rounds, with thoughts in some of them.
        first: the number of the first round.

    Raises:
        ValueError: nothing was weighed in any round.
    """
    weighed = [(number, t) for number, panel in enumerate(panels, first) for _, t in sorted(panel.thoughts.items())]
    if not weighed:
        raise ValueError("nothing was weighed in these rounds")
    return max(weighed, key=lambda one: one[1].exact[one[1].best] - one[1].exact[one[1].chosen])


def in_words(action: str) -> str:
    """A bid like ``2x6`` as ``2 sixes``; a challenge as it is."""
    bid = bid_of(action)
    if bid is None:
        return action
    quantity, face = bid
    return f"{quantity} {FACE_NAMES[quantity > 1][face - 1]}"


def check(number: int, panel: Panel) -> None:
    """Refuse a round that cannot be told.

    Raises:
        ValueError: a player, action or hand that there is not, or no bid; the message begins with the number.
    """
    if not panel.bids:
        raise ValueError(f"round {number}: expected at least one bid")
    named = [player for player, _ in panel.moves]
    named += [panel.outcome[0]] if panel.outcome else []
    for thought in panel.thoughts.values():
        named += [*thought.possible, *thought.likely]
    if unknown := set(named) - panel.hands.keys():
        raise ValueError(f"round {number}: no hand of {', '.join(sorted(unknown))}")
    for hand in panel.hands.values():
        if not all(die == "?" or die in FACES for die in hand):
            raise ValueError(f"round {number}: no die shows what {tuple(hand)} does")
    bids = [bid_of(action) for _, action in panel.bids]
    if None in bids or panel.challenge[1] not in (*CHALLENGES, "?"):
        raise ValueError(f"round {number}: expected bids and then 'liar', 'exact' or '?'")
    if panel.outcome is not None and panel.outcome[1] not in (-1, 0, 1):
        raise ValueError(f"round {number}: dice change by -1, 0 or 1, not by {panel.outcome[1]}")
    for place, thought in panel.thoughts.items():
        if not 0 <= place <= len(panel.bids):
            raise ValueError(f"round {number}: there is no move {place} to think about")
        if missing := {*thought.values, thought.chosen, thought.best} - thought.exact.keys():
            raise ValueError(f"round {number}: no exact probability of {', '.join(sorted(missing))}")
        if missing := {thought.chosen, thought.best} - thought.values.keys():
            raise ValueError(f"round {number}: no value of {', '.join(sorted(missing))}")
        if not set(thought.likely) <= set(thought.possible):
            raise ValueError(f"round {number}: likely hands of an opponent without a number of possible ones")
