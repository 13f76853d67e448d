"""What the agents of dice under cups do, and what is best against them, as compact tables for the page."""

import base64
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from support.games.call_or_raise.ceiling import CHOOSES_THE_FACE, win_probabilities
from support.games.call_or_raise.ceiling_fast import Ceiling as FastCeiling
from support.games.call_or_raise.rules import CallOrRaise
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.listener import Key, Keys
from support.games.wild_ones.listener_table import ListenerTable
from support.games.wild_ones.opponents import AmongStrangers
from support.games.wild_ones.policies import DRAWS, UNSEEN
from support.games.wild_ones.rules import WildOnes

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
NOWHERE, DRAWN = 255, 254
PLAIN_DICE, DECIMALS = 2, 12


def views(table: np.ndarray) -> dict[str, Any]:
    """A policy of wild ones over all views, as ``support.games.wild_ones.policies.table`` writes it.

    One byte a view, in the order of its axes (dice in play, neighbours, hand, last bid): the number of an action, 254
    for one drawn among the legal ones, 255 where no game leads.

    Raises:
        ValueError: actions that one byte has no room for.
    """
    if table.max() >= DRAWN:
        raise ValueError(f"there is room for actions numbered up to {DRAWN - 1}, not for {table.max()}")
    actions = np.where(table == DRAWS, DRAWN, np.where(table == UNSEEN, NOWHERE, table)).astype(np.uint8)
    packed = base64.b64encode(np.ascontiguousarray(actions).tobytes()).decode("ascii")
    return {"by": "view", "shape": list(table.shape), "actions": packed}


def shares(game: CallOrRaise, agent: Any) -> dict[str, Any]:
    """A player of call or raise that goes by how many dice more a bid needs than it holds.

    For each pair of dice in play and own dice a row: how likely it raises when 0, 1, ... more are needed, the last
    entry standing for all that are more than there are.

    Args:
        game: the rules.
        agent: has ``raises`` and ``bluff``, as :class:`support.games.call_or_raise.settings.Caller`.

    Raises:
        ValueError: it goes by more than that.
    """
    rows: dict[str, list[float]] = {}
    for total, own in product(range(2, game.num_players * game.dice + 1), range(1, game.dice + 1)):
        if not 0 < total - own <= (game.num_players - 1) * game.dice:
            continue
        row = []
        for need in range(total - own + 2):
            found = {agent.raises(total, own, need + held, held) for held in range(need == 0, own + 1)}
            found |= {agent.raises(total, own, held - 1, held) for held in range(2, own + 1) if need == 0}
            found |= {agent.raises(total, own, need + more, 0) for more in range(1, 4) if need > total - own}
            if len(found) > 1:
                raise ValueError(f"with {own} of {total} dice it goes by more than the {need} dice that are needed")
            row.append(float(found.pop()))
        rows[f"{total},{own}"] = row
    return {"by": "need", "rows": rows, "bluff": float(agent.bluff)}


def heard(learned: ListenerTable) -> dict[str, Any]:
    """The table of wild ones that hears everything: the best action wherever it has been.

    ``rows`` are found by the ring of those who have dice, which begins with the agent (its dice; then for each of the
    others dice and player, by the numbers of :func:`taken_for`) and the turn of who opened; then by the agent's dice.
    A row lists what was bid and the action, both by numbers, each written as one character.
    """
    game, keys = learned.game, learned.keys
    worth = np.where(learned.counts > 0, learned.values, -np.inf)
    firsts = learned.firsts.tolist()
    rows: dict[str, dict[str, list[str]]] = {}
    for number, key in enumerate(map(Key, learned.places.tolist(), learned.bids.tolist())):
        choice = int(worth[firsts[number] : firsts[number + 1]].argmax())
        action = game.number(keys.legal(key)[choice])
        said = "".join(DIGITS[bid] for bid in keys.bids(key))
        some = rows.setdefault(_started(keys, key), {})
        some.setdefault("".join(map(str, keys.hand(key))), []).append(f"{said}:{DIGITS[action]}")
    return {
        "by": "heard",
        "digits": DIGITS,
        "rows": {ring: {hand: " ".join(row) for hand, row in some.items()} for ring, some in rows.items()},
    }


def _started(keys: Keys, key: Key) -> str:
    """How the round of an information state began: ``"2 1s1 2s0|1"``."""
    ring, opener = keys.beginning(key)
    (own, _), *others = keys.around(ring)
    return f"{' '.join((str(own), *(f'{count}s{player}' for count, player in others)))}|{opener}"


def taken_for(learned: ListenerTable, own_name: str, names: Sequence[str]) -> dict[str, list[int]]:
    """Whom the table takes each seat for, by its own seat and the names of all.

    Args:
        learned: the table.
        own_name: what it is called.
        names: of those who may sit there with it.
    """
    players, found = learned.game.num_players, {}
    for own in range(players):
        for others in product(names, repeat=players - 1):
            seats = (*others[:own], own_name, *others[own:])
            found[f"{own}|{','.join(seats)}"] = list(AmongStrangers.seated(learned, own, seats).seats)
    return found


def against_views(game: WildOnes, names: Sequence[str], tables: Sequence[np.ndarray]) -> dict[str, float]:
    """The probability of winning from each beginning of a round, for one who plays as well as can be.

    Args:
        game: the rules.
        names: of the opponents.
        tables: what each of them does.

    Returns:
        By the opponents in the ring of those who have dice, in turn after the player, the dice of all and the turn of
        who opens: ``"survivalist,aggressive|2,1,2|0"``.

    Raises:
        ValueError: opponents of two names who do the same.
    """
    ceiling = Ceiling(game, tables, exact=False)
    named = dict(zip(ceiling.kinds[1:], names, strict=True))
    if len(named) != len(set(names)):
        raise ValueError(f"some of {', '.join(names)} do the same")
    return {
        _beginning([named[kind] for kind in start.kinds[1:]], start.counts, start.opener): float(value)
        for start, value in ceiling.values.items()
    }


def against_coins(game: CallOrRaise, name: str) -> dict[str, float]:
    """The same for call or raise, against players who toss coins and always bluff.

    Args:
        game: the rules.
        name: of all these players.
    """
    found = {}
    for (counts, opener), value in _winning(game):
        alive = [seat for seat, count in enumerate(counts) if count]
        dice = [counts[seat] for seat in alive]
        found[_beginning([name] * (len(alive) - 1), dice, alive.index(opener))] = float(value)
    return found


def _winning(game: CallOrRaise) -> Iterable[tuple[tuple[tuple[int, ...], int], Fraction | float]]:
    """Beginnings of rounds that the first player takes part in, with its probability of winning.

    Two dice each are worked out in fractions; larger tables take the compiled form, which a test holds against them.
    """
    if game.dice <= PLAIN_DICE:
        return win_probabilities(game, CHOOSES_THE_FACE).items()
    values = FastCeiling(game, CHOOSES_THE_FACE).values
    starts = ((place[:-1], place[-1], float(value)) for place, value in np.ndenumerate(values))
    return [
        ((counts, opener), round(value, DECIMALS))
        for counts, opener, value in starts
        if counts[0] and counts[opener] and sum(count > 0 for count in counts) > 1
    ]


def _beginning(names: Sequence[str], counts: Sequence[int], opener: int) -> str:
    return f"{','.join(names)}|{','.join(map(str, counts))}|{opener}"
