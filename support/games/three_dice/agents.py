"""Fixed policies for games of one player who may stop at any time: never on, always on, and one step ahead.

These are the agents of M. J. P. Collins's *dice-game*, stated for every game in which each decision offers one action
that ends the game at a known reward and others that lead through one chance event to the next decision.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from support.core.flat import FlatGame, unfold
from support.core.interface import TERMINAL
from support.core.policy import TabularPolicy, choose
from support.exact.optimal import optimal_policy
from support.games.three_dice.rules import DiceGame
from support.learners.value_iteration import value_iteration

BARS = {"one-step": Fraction(1, 2), "risky": Fraction(2, 5), "cautious": Fraction(3, 5)}
"""The chance of success that each of the document's one-step agents asks for."""


def stop_edges(flat: FlatGame) -> dict[int, int]:
    """For each decision node the edge that ends the game.

    Raises:
        ValueError: not a stopping game: a decision without exactly one way to end the game.
    """
    stops = {}
    for node in flat.decision_nodes():
        ends = [edge for edge in flat.edges(node) if flat.player[flat.child[edge]] == TERMINAL]
        if flat.num_players != 1 or len(ends) != 1:
            raise ValueError(
                f"{flat.game.name} is no stopping game: {len(ends)} ways to stop at {flat.positions[node]}"
            )
        stops[node] = ends[0]
    return stops


def always_hold(flat: FlatGame) -> TabularPolicy:
    """Stop at once, whatever the dice show."""
    return choose(flat, stop_edges(flat).values(), "always hold")


def perfectionist(flat: FlatGame) -> TabularPolicy:
    """Stop only at the highest reward that the game has to give; otherwise take the first action listed (all anew)."""
    stops = stop_edges(flat)
    best = max(flat.rewards[edge][0] for edge in stops.values())
    picks = [edge if flat.rewards[edge][0] == best else flat.edges(node)[0] for node, edge in stops.items()]
    return choose(flat, picks, "perfectionist")


def one_step_look_ahead(
    flat: FlatGame,
    risk: Fraction,
    name: str = "one step",
    strict: bool = False,
    chance_of_better: Callable[[list[Fraction], list[Fraction]], float | Fraction] = lambda better, rest: sum(better),
) -> TabularPolicy:
    """Go on where a better stopping reward is likely enough after one more chance event.

    For each action the probability that (stopping reward afterwards - price of going on) is strictly greater than the
    stopping reward now; the action with the highest probability is taken if that is at least ``risk``, the first
    listed on ties; otherwise the game is stopped.

    Args:
        flat: a stopping game.
        risk: the least probability of success that is worth taking, in [0, 1].
        name: what the book calls the policy.
        strict: take an action only if its chance exceeds ``risk``, as the document's text has it; its code takes it
            at exactly ``risk`` too.
        chance_of_better: how a probability comes out of the exact ones of the outcomes that are better and of the rest.
            Ties and thresholds are met exactly, so the exact sum is right; a float is let in to show rounding.
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


@cache
def _unfolded(game: DiceGame) -> FlatGame:
    return unfold(game)


def agent(name: str, game: DiceGame, seat: int, seats: Sequence[str]) -> TabularPolicy:
    """A player by its name, as the registry asks for it: the optimal plan, or one of the document's planners."""
    flat = _unfolded(game)
    if name == "optimal":
        return optimal_policy(flat).policy
    if name in BARS:
        return one_step_look_ahead(flat, BARS[name], name)
    if name.startswith("mdp"):
        return value_iteration(flat, in_place=name == "mdp-adjusted", name=name).policy
    return {"perfectionist": perfectionist, "always-hold": always_hold}[name](flat)
