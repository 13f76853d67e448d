"""The policies of the agents of dice under cups, and the best responses to them, as compact tables for the page."""

import base64
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from support.games.call_or_raise.ceiling import CHOOSES_THE_FACE, win_probabilities
from support.games.call_or_raise.ceiling_fast import Ceiling as FastCeiling
from support.games.call_or_raise.rules import CallOrRaise
from support.games.cups.equal_player import Equal
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

    One byte for each view, in the order of the axes (dice in play, neighbours, hand, last bid): the number of an
    action, 254 to draw a legal one, 255 for a view that no game leads to.

    Raises:
        ValueError: the numbers of actions do not fit into a byte.
    """
    if table.max() >= DRAWN:
        raise ValueError(f"actions must be numbered up to {DRAWN - 1}, not to {table.max()}")
    actions = np.where(table == DRAWS, DRAWN, np.where(table == UNSEEN, NOWHERE, table)).astype(np.uint8)
    packed = base64.b64encode(np.ascontiguousarray(actions).tobytes()).decode("ascii")
    return {"by": "view", "shape": list(table.shape), "actions": packed}


def shares(game: CallOrRaise, agent: Any) -> dict[str, Any]:
    """A player of call or raise that decides by how many more dice a bid needs than it holds.

    There is a row for each pair of dice in play and own dice: the probability of a raise when 0, 1, ... more dice are
    needed; the last entry stands for all that cannot be met.

    Args:
        game: the rules.
        agent: a player with ``raises`` and ``bluff``, like :class:`support.games.call_or_raise.settings.Caller`.

    Raises:
        ValueError: the player's decision depends on more than that.
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
                raise ValueError(f"with {own} of {total} dice its decision depends on more than the {need} dice needed")
            row.append(float(found.pop()))
        rows[f"{total},{own}"] = row
    return {"by": "need", "rows": rows, "bluff": float(agent.bluff)}


def heard(learned: ListenerTable) -> dict[str, Any]:
    """The learned table of wild ones that goes by all bids: its best action in each information state that it met.

    The keys of ``rows`` are the ring of players with dice, from the agent on (its dice; then for each other player the
    dice and the number of :func:`known_players`), with the turn of the opener; then the agent's dice. A row lists the
    bids and the action by numbers, each as one character.
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


def by_round(player: Equal) -> dict[str, Any]:
    """A player of two that goes by what it knows of the round, as if the opener sat in the first seat.

    The keys of ``rows`` are information states. A row has the probability of each legal action, or the place of the
    only one that is taken. Where there is no row, it takes the first: it never comes there, or more was bid than it
    ever bids, and it calls.

    Args:
        player: the player, with bids bounded by the dice in play.
    """
    rows: dict[str, list[float] | int] = {}
    for (_, text), row in player.policy.table.items():
        chances = [float(chance) for chance in row.values()]
        if chances[0] != 1:
            rows[text] = chances.index(1) if 1 in chances else chances
    return {"by": "round", "rows": rows, "wins": player.wins}


def known_players(learned: ListenerTable, own_name: str, names: Sequence[str]) -> dict[str, list[int]]:
    """The player that the table takes each seat for, by its own seat and the names in all seats.

    Args:
        learned: the table.
        own_name: the table's own name.
        names: the names of the players that it may meet.
    """
    players, found = learned.game.num_players, {}
    for own in range(players):
        for others in product(names, repeat=players - 1):
            seats = (*others[:own], own_name, *others[own:])
            found[f"{own}|{','.join(seats)}"] = list(AmongStrangers.seated(learned, own, seats).seats)
    return found


def against_views(game: WildOnes, names: Sequence[str], tables: Sequence[np.ndarray]) -> dict[str, float]:
    """The best responder's probability of winning from each beginning of a round.

    Args:
        game: the rules.
        names: the names of the opponents.
        tables: their tables.

    Returns:
        The probabilities by the opponents with dice, in turn after the player, the dice of all and the turn of the
        opener: ``"survivalist,aggressive|2,1,2|0"``.

    Raises:
        ValueError: opponents with different names have equal tables.
    """
    ceiling = Ceiling(game, tables, exact=False)
    named = dict(zip(ceiling.kinds[1:], names, strict=True))
    if len(named) != len(set(names)):
        raise ValueError(f"some of {', '.join(names)} have equal tables")
    return {
        _beginning([named[kind] for kind in start.kinds[1:]], start.counts, start.opener): float(value)
        for start, value in ceiling.values.items()
    }


def against_coins(game: CallOrRaise) -> list[float]:
    """The same for call or raise, against players who toss coins and always bluff.

    Because the opponents are all alike, a list without names is enough: for two players with dice, then three and so
    on, all their dice, the player's own first and the last rising fastest, and for each the turn of the opener.
    """
    found = {}
    for (counts, opener), value in _winning(game):
        alive = [seat for seat, count in enumerate(counts) if count]
        found[tuple(counts[seat] for seat in alive), alive.index(opener)] = float(value)
    return [
        found[counts, opener]
        for players in range(2, game.num_players + 1)
        for counts in product(range(1, game.dice + 1), repeat=players)
        for opener in range(players)
    ]


def _winning(game: CallOrRaise) -> Iterable[tuple[tuple[tuple[int, ...], int], Fraction | float]]:
    """Beginnings of rounds that the first player takes part in, with its probability of winning.

    Up to two dice each are computed in fractions; larger tables by the compiled form, which a test compares with them.
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
