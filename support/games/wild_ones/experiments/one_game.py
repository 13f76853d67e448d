"""One game of wild ones, round by round: what was said, what the agent thought, and what is true."""

from collections.abc import Callable, Mapping, Sequence
from math import comb
from typing import Any

from support.core.play import Stream
from support.games.cups.rolls import FACES
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.play import Match
from support.games.wild_ones.policies import POLICIES, View
from support.games.wild_ones.rules import WildOnesState

AGENT = "agent"
LIKELY = 3  # hands of an opponent that are listed
Values = Callable[[WildOnesState, Mapping[int, str]], Mapping[str, float]]
"""What an agent thinks each legal action is worth: of a state, and the names of those in the other seats."""


def one_game(
    values: Values, ceiling: Ceiling, opponents: Sequence[str], seed: int, number: int = 0
) -> list[dict[str, Any]]:
    """Play one game, seated and rolled as ``support.games.wild_ones.play.play`` does, until the agent is out or wins.

    Args:
        values: of the agent, which takes the action of the highest, of equals that of the lowest number.
        ceiling: what is true; its opponents are these, in this order.
        opponents: names out of ``POLICIES``, all different.
        seed: 64 bits.
        number: of the game.

    Returns:
        For each round: ``hands`` by name, in the order of the seats; ``bids`` and ``challenge``, who said what;
        ``outcome``, who lost or won a die; ``thoughts``, by the number of the move: ``values`` of the agent, ``exact``
        probabilities of winning, ``chosen`` and ``best`` actions, and of each opponent the ``possible`` hands as their
        number and that of all, and the ``likely`` ones, each with its probability. Of equally good actions the chosen
        one is the best.

    Raises:
        ValueError: two opponents of one name, or other numbers of players.
    """
    game, players = ceiling.game, len(opponents) + 1
    if len(set(opponents)) < len(opponents) or players != game.num_players:
        raise ValueError(f"expected {game.num_players - 1} different opponents, not {', '.join(opponents)}")
    match = Match(game, Stream(seed, number))
    names = [[*opponents, AGENT][player] for player in match.seats]
    own, rounds = names.index(AGENT), []
    moves: list[tuple[str, str]] = []
    thoughts: dict[int, dict[str, Any]] = {}  # of the round, like the moves

    def choose(player: int, state: WildOnesState) -> Sequence[str]:
        if player < len(opponents):
            return POLICIES[opponents[player]].choices(View.of(state))
        thoughts[len(moves)] = _thought(values, ceiling, state, names, match.seats)
        return (thoughts[len(moves)]["chosen"],)

    for move in match.moves(choose):
        moves.append(([*opponents, AGENT][move.player], move.action))
        if move.ends_round:
            *bids, challenge = moves
            loser, change = move.before.outcome(move.action)
            hands = {name: list(roll) for name, roll in zip(names, move.before.rolls, strict=True)}
            rounds.append(
                {
                    "hands": hands,
                    "bids": bids,
                    "challenge": challenge,
                    "outcome": (names[loser], change),
                    "thoughts": {number: thoughts[number] for number in thoughts},
                }
            )
            moves.clear()
            thoughts.clear()
        if own in move.after.out:
            break
    return rounds


def _thought(
    values: Values, ceiling: Ceiling, state: WildOnesState, names: Sequence[str], seats: Sequence[int]
) -> dict[str, Any]:
    kinds = {seat: name for seat, name in enumerate(names) if name != AGENT}
    learned = dict(values(state, kinds))
    order = [(player + 1) % len(seats) for player in seats]  # the ceiling's player that decides is the first
    decision = ceiling.decision(state, order)
    possible, likely = {}, {}
    for player, hands in ceiling.possible(state, order).items():
        name = names[order.index(player)]
        possible[name] = (len(hands), comb(state.counts[names.index(name)] + FACES - 1, FACES - 1))
        ranked = sorted(hands.items(), key=lambda item: (-item[1], item[0]))
        likely[name] = [(list(hand), float(chance)) for hand, chance in ranked[:LIKELY]]
    chosen = max(learned, key=lambda action: (learned[action], -ceiling.game.number(action)))
    return {
        "values": learned,
        "exact": {action: float(chance) for action, chance in decision.values.items()},
        "chosen": chosen,
        "best": chosen if decision.values[chosen] == decision.value else decision.best,
        "possible": possible,
        "likely": likely,
    }
