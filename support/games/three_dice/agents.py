"""The agents of M. J. P. Collins's *dice-game*, by name, on an unfolded game of any size.

Three kinds of them fit any *stopping game*: each decision offers one action that ends the game at a known reward, and
others that lead through one chance event to the next decision. They stop at once, never before the highest reward, or
look one step ahead.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from typing import Annotated, Any

from pydantic import Field

from support.core.checks import require_one_of, settings
from support.core.flat import FlatGame, unfolded
from support.core.interface import TERMINAL
from support.core.policy import TabularPolicy, choose
from support.exact.optimal import Optimum, optimal_policy
from support.games.three_dice.rules import Dice, DiceGame
from support.learners.value_iteration import Sweeps, value_iteration

Chance = Annotated[Fraction, Field(ge=0, le=1)]
Better = Callable[[list[Fraction], list[Fraction]], float | Fraction]
BARS = {"one-step": Fraction(1, 2), "risky": Fraction(2, 5), "cautious": Fraction(3, 5)}
"""The probability of success that each of the document's one-step agents asks for."""


AGENTS = ("always-hold", "perfectionist", *BARS, "mdp", "mdp-adjusted")
"""The document's seven agents in the order of its table, under the names of its claims."""
OPTIMAL = "optimal"
"""One more agent: the exactly optimal plan."""
ROUNDING: dict[str, Better] = {
    "fractions": lambda better, rest: sum(better),
    "floats, adding up the better outcomes": lambda better, rest: sum(map(float, better)),
    "floats, adding them up backwards": lambda better, rest: sum(map(float, reversed(better))),
    "floats, one minus the other outcomes": lambda better, rest: 1 - sum(map(float, rest)),
}
"""Ways to add up the same probability, of which only the first is exact."""


def stop_edges(flat: FlatGame) -> dict[int, int]:
    """For each decision node the edge that ends the game.

    Raises:
        ValueError: this is not a stopping game: some decision does not have exactly one way to end it.
    """
    stops = {}
    for node in flat.decision_nodes():
        ends = [edge for edge in flat.edges(node) if flat.player[flat.child[edge]] == TERMINAL]
        if flat.num_players != 1 or len(ends) != 1:
            raise ValueError(
                f"{flat.game.name} is not a stopping game: {len(ends)} ways to stop at {flat.positions[node]}, not 1"
            )
        stops[node] = ends[0]
    return stops


def always_hold(flat: FlatGame) -> TabularPolicy:
    """Stop at once, whatever the dice show."""
    return choose(flat, stop_edges(flat).values(), "always hold")


def perfectionist(flat: FlatGame) -> TabularPolicy:
    """Stop only at the game's highest reward; otherwise take the first action listed, which rerolls all dice."""
    stops = stop_edges(flat)
    best = max(flat.rewards[edge][0] for edge in stops.values())
    picks = [edge if flat.rewards[edge][0] == best else flat.edges(node)[0] for node, edge in stops.items()]
    return choose(flat, picks, "perfectionist")


def one_step_look_ahead(
    flat: FlatGame,
    risk: Fraction,
    name: str = "one step",
    strict: bool = False,
    chance_of_better: Better = ROUNDING["fractions"],
) -> TabularPolicy:
    """Go on if one more chance event is likely enough to give a better stopping reward.

    The probability of an action is that of (stopping reward afterwards - price of going on) being strictly greater
    than the stopping reward now. The action with the highest probability is taken if that is at least ``risk``, the
    first listed on ties; otherwise the policy stops.

    Args:
        flat: a stopping game.
        risk: the least probability of success that is worth taking, in [0, 1].
        name: what the book calls the policy.
        strict: whether the probability must exceed ``risk``, as the document says; its code also accepts equality.
        chance_of_better: computes the probability from the exact ones of the better outcomes and of the rest. Ties
            with the threshold do occur, so only the exact sum is right; sums of floats show what rounding does.
    """
    if not 0 <= risk <= 1:
        raise ValueError(f"risk must be a probability between 0 and 1, not {risk}")
    stops = stop_edges(flat)
    worth = {node: flat.rewards[edge][0] for node, edge in stops.items()}
    picks = []
    for node, stop in stops.items():
        chances = []
        for edge in flat.edges(node):
            better: list[Fraction] = []
            rest = [Fraction(1)] if edge == stop else []
            for e in flat.edges(flat.child[edge]):
                improves = worth[int(flat.child[e])] + flat.rewards[edge][0] > worth[node]
                (better if improves else rest).append(flat.probability[e])
            chances.append(chance_of_better(better, rest))
        best = max(chances)
        picks.append(flat.edges(node)[chances.index(best)] if best > risk or (best == risk and not strict) else stop)
    return choose(flat, picks, name)


def flat_game() -> FlatGame:
    """The published game, unfolded; cached."""
    return unfolded(DiceGame())


def value_iterations(flat: FlatGame, discount: float = 0.95, threshold: float = 0.001) -> dict[str, Sweeps]:
    """The document's two versions of value iteration, under the names of its claims."""
    return {
        "mdp": value_iteration(flat, discount, threshold, name="mdp"),
        "mdp-adjusted": value_iteration(flat, discount, threshold, in_place=True, name="mdp-adjusted"),
    }


def agents(flat: FlatGame) -> dict[str, TabularPolicy]:
    """The document's seven agents on an unfolded game of any size."""
    return {name: _agent_on(flat, name) for name in AGENTS}


def agent(name: str, game: DiceGame, seat: int, seats: Sequence[str]) -> TabularPolicy:
    """Make an agent for the registry (see :meth:`support.games.Entry.agent`)."""
    return _agent_on(unfolded(game), name)


def _agent_on(flat: FlatGame, name: str) -> TabularPolicy:
    if name == OPTIMAL:
        return optimal_policy(flat).policy
    if name in BARS:
        return one_step_look_ahead(flat, BARS[name], name)
    if name.startswith("mdp"):
        return value_iterations(flat)[name].policy
    return {"perfectionist": perfectionist, "always-hold": always_hold}[name](flat)


def decisions(flat: FlatGame, policy: TabularPolicy) -> dict[Dice, Dice]:
    """For each state, the sorted dice, the positions that a deterministic policy holds."""
    table: dict[Dice, Dice] = {}
    for node in flat.decision_nodes():
        position: Any = flat.positions[node]
        (table[position[1]],) = policy.row(flat.information_states[flat.information[node]])
    return table


@cache
def optimum(discount: Fraction) -> Optimum:
    """The exactly optimal plan of the published game at a discount; cached."""
    return optimal_policy(flat_game(), discount)


@settings
class Player:
    """An agent by name and settings, because a configuration cannot hold a policy.

    Attributes:
        agent: one of ``AGENTS``, or "optimal" for the exactly optimal plan.
        discount: what a point after one more roll is worth to the optimal plan, between 0 and 1.
        strict: whether a one-step agent's probability must exceed its bar, not just equal it.
        arithmetic: how a one-step agent adds up probabilities, one of ``ROUNDING``.

    Raises:
        ValueError: a value is out of range, or the agent has no use for it.
    """

    agent: str = "mdp"
    discount: Chance = Fraction(1)
    strict: bool = False
    arithmetic: str = "fractions"

    def __post_init__(self) -> None:
        require_one_of("agent", self.agent, (*AGENTS, OPTIMAL))
        if self.arithmetic not in ROUNDING:
            raise ValueError(f"arithmetic must be one of {'; '.join(ROUNDING)}, not {self.arithmetic!r}")
        if self.agent != OPTIMAL and self.discount != 1:
            raise ValueError(f"discount must be 1 for {self.agent}; only '{OPTIMAL}' takes another")
        if self.agent not in BARS and (self.strict or self.arithmetic != "fractions"):
            raise ValueError(f"strict and arithmetic are for {', '.join(BARS)}, not for {self.agent}")

    def policy(self) -> TabularPolicy:
        """The agent's policy for the published game."""
        flat = flat_game()
        if self.agent == OPTIMAL:
            return optimum(self.discount).policy
        if self.agent in BARS:
            return one_step_look_ahead(
                flat, BARS[self.agent], self.agent, self.strict, chance_of_better=ROUNDING[self.arithmetic]
            )
        return _agent_on(flat, self.agent)
