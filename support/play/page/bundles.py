"""All tables of the page, game by game, written as scripts so that the page also works from a disk."""

import hashlib
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations_with_replacement, compress, product
from pathlib import Path
from typing import Any, NamedTuple

from support.core.interface import Game
from support.core.style import Style
from support.core.table import YOU, PlayError
from support.games import GAMES, Entry
from support.games.biscuits.cold import cold
from support.games.biscuits.rules import Biscuits
from support.games.call_or_raise.opponents import EQUAL, solved_rounds
from support.games.call_or_raise.rules import CallOrRaise
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.three_dice.rules import DiceGame
from support.games.three_dice.table import ThreeDiceTable
from support.games.wild_ones.opponents import BEST, NETWORKS, best_table, solved_round, written
from support.games.wild_ones.policies import POLICIES as FIXED
from support.games.wild_ones.policies import Views
from support.games.wild_ones.rules import WildOnes
from support.play.page.agents import against_coins, against_views, by_round, heard, known_players, shares, views
from support.play.page.cups import cup_tables
from support.play.page.flat import FlatTables
from support.play.plain import PlainTable
from support.play.seating import agent_of

HEAPS = 12
"""The most biscuits in a heap."""
CALLS, BIDS = ((4, 6), (3, 2), (2, 2)), ((3, 2), (2, 2), (5, 2), (2, 1))
"""Players and dice of call or raise and of wild ones."""
SOLVED = (2, 3)
"""Players, with two dice each, for whom the page has exact answers; it also has them for call or raise as published."""
GAMES_LIST = "games"
"""The bundle that is loaded before all others."""


MOST_POSITIONS = 5_000
"""The most positions of any other game on the page."""
Size = tuple[Mapping[str, Any], Callable[[], dict[str, Any]]]
"""Arguments of the rules, and a function that makes the tables."""


class Bundle(NamedTuple):
    """Tables that the page loads together.

    Attributes:
        name: the game's name, a slash and the name of the part; "games" for the list that is loaded first.
        make: a function that makes the tables.
        game: the rules; None if the tables are not of a single game.
    """

    name: str
    make: Callable[[], dict[str, Any]]
    game: Game | None = None


def _agents(game: Any, name: str) -> list[Any]:
    """The agent in each seat of a game."""
    seats = (name,) * game.num_players
    return [agent_of(GAMES[game.name], name, game, seat, seats) for seat in range(game.num_players)]


def biscuits() -> dict[str, Any]:
    """All heaps up to ``HEAPS``. The learners know only those of the published puzzle."""
    starts = [(a, b) for a, b in product(range(HEAPS + 1), repeat=2) if a + b]
    roots = {f"{a},{b}": Biscuits(a, b).initial_state() for a, b in starts}
    flat = FlatTables(roots, lambda state: list(state.board))
    lost = cold(HEAPS)
    learned = Biscuits()

    def policy(name: str) -> dict[str, Any]:
        if name in ("perfect", "random"):
            return flat.policy(_agents(Biscuits(HEAPS, HEAPS), name))
        inside = learned.digestives, learned.rich_teas
        own = _agents(learned, name)
        known = flat.policy(own, lambda state: all(a <= b for a, b in zip(state.board, inside, strict=True)))
        return {**known, "only": [str(learned.initial_state())]}

    return {
        **flat.tables(2),
        "start": str(learned.initial_state()),
        "worth": [int(after in lost) for state in flat.states for after in state.legal_actions()],
        "agents": {name: policy(name) for name in GAMES["biscuits"].agents},
    }


def three_dice() -> dict[str, Any]:
    """The published game; its agents play games of their own."""
    game = DiceGame()
    table = ThreeDiceTable(game, (YOU,), Style())
    flat = FlatTables({"3": game.initial_state()}, lambda state: list(state.dice))
    node, edges = table.flat.index, table.optimum.action_values
    worth: list[float] = []
    for state in flat.states:
        own = table.flat.edges(node[state.position])
        worth += [float(edges[edge]) if state.current_player == 0 else 0 for edge in own]
    return {
        **flat.tables(1),
        "start": "3",
        "holds": [list(hold) for hold in game.holds()],
        "scores": {",".join(map(str, dice)): game.final_score(dice) for dice in game.all_dice()},
        "worth": worth,
        "agents": {name: flat.policy(_agents(game, name)) for name in GAMES["three-dice"].agents},
    }


def flat_game(game: Game, shown: Callable[[Any], Any] = lambda state: None) -> dict[str, Any]:
    """A game that unfolds, with the value of each choice against each agent that can play it.

    Args:
        game: the rules.
        shown: as for :class:`FlatTables`.
    """
    entry, flat = GAMES[game.name], FlatTables({"": game.initial_state()}, shown)
    agents, players = {}, range(game.num_players)
    for name in entry.agents:
        try:
            own = _agents(game, name)
        except PlayError:
            continue  # it cannot play this size
        worth = []
        for seat in players:
            seats = [YOU if at == seat else name for at in players]
            table = PlainTable(game, seats, Style(), dict(enumerate(own)))
            worth.append({text: [float(value) for value in row.values()] for (_, text), row in table.known.items()})
        agents[name] = {**flat.policy(own), "worth": worth}
    seen = PlainTable(game, [YOU] * len(players), Style()).all_is_seen
    return {**flat.tables(len(players)), "start": "", "seen": seen, "agents": agents}


def ace_king_queen() -> dict[str, Any]:
    """The published game."""
    return flat_game(AceKingQueen(), lambda state: {"deal": list(state.deal), "paid": list(state.paid)})


def answered(game: Game, solved: bool) -> bool:
    """Whether the page has exact answers at a table, at least for some opponents; ``solved`` as for :func:`bundles`."""
    if game == CallOrRaise() or not isinstance(game, CallOrRaise | WildOnes):
        return True
    return solved and game.dice == 2 and game.num_players in SOLVED


def call_or_raise(players: int, dice: int, solved: bool = True) -> dict[str, Any]:
    """A size of call or raise; ``solved`` as for :func:`bundles`."""
    game = CallOrRaise(players, dice)
    everywhere = [name for name in GAMES["call-or-raise"].agents if name != EQUAL]
    agents = {name: shares(game, _agents(game, name)[1]) for name in everywhere}
    if players == 2:
        agents[EQUAL] = by_round(solved_rounds(dice))
    known = {",".join(["random"] * (players - 1)): against_coins(game)} if answered(game, solved) else {}
    return {**cup_tables(game), "agents": agents, "exact": known}


def wild_ones(players: int, dice: int, solved: bool = True) -> dict[str, Any]:
    """A size of wild ones; ``solved`` as for :func:`bundles`. The learners play with up to three, and two dice."""
    game = WildOnes(players, dice)
    learned = players <= 3 and dice == WildOnes().dice
    known = [name for name in GAMES["wild-ones"].agents if name in FIXED or (learned and name in NETWORKS)]
    tables = {name: written(name, game) for name in known}
    agents: dict[str, Any] = {name: views(tables[name]) for name in known}
    if game == WildOnes():
        agents[BEST] = {"by": "heard", "in": "wild-ones/best"}
    if game == solved_round().game:
        agents[EQUAL] = by_round(solved_round())
    pairs = combinations_with_replacement(known, players - 1) if answered(game, solved) else ()
    return {
        **cup_tables(game),
        "agents": agents,
        "hands": ["".join(map(str, hand)) for hand in Views(game).hands],
        "exact": {",".join(names): against_views(game, names, [tables[name] for name in names]) for names in pairs},
    }


def wild_ones_best() -> dict[str, Any]:
    """The learned table that goes by all bids, which is larger than everything else."""
    names = (YOU, *FIXED, *NETWORKS, BEST)
    return {**heard(best_table()), "seats": known_players(best_table(), BEST, names)}


def bundles(solved: bool = True) -> tuple[Bundle, ...]:
    """All tables of the page, in the order of the registry, with the usual size of each game first.

    Args:
        solved: whether to compute exact answers that take a minute; the page says so if they are missing.
    """
    own: dict[str, list[Size]] = {
        "biscuits": [({}, biscuits)],
        "three-dice": [({}, three_dice)],
        "ace-king-queen": [({}, ace_king_queen)],
        "call-or-raise": [_at_table(call_or_raise, *size, solved) for size in CALLS],
        "wild-ones": [_at_table(wild_ones, *size, solved) for size in BIDS],
    }
    found, entries = [], {}
    for name, entry in GAMES.items():
        plain = [(small.sizes, partial(flat_game, entry.rules(**small.sizes))) for small in entry.small]
        fits = [small.positions <= MOST_POSITIONS for small in entry.small]
        sizes = own.get(name) or list(compress(plain, fits))
        if sizes:
            entries[name] = described(entry, [size for size, _ in sizes], solved)
            keys = entries[name]["sizes"]
            for key, (size, make) in zip(keys, sizes, strict=True):
                found.append(Bundle(f"{name}/{key}", make, entry.rules(**size)))
    return (Bundle(GAMES_LIST, lambda: entries), *found, Bundle("wild-ones/best", wild_ones_best))


def _at_table(make: Callable[..., dict[str, Any]], players: int, dice: int, solved: bool) -> Size:
    return {"num_players": players, "dice": dice}, partial(make, players, dice, solved)


def described(entry: Entry, sizes: Sequence[Mapping[str, Any]], solved: bool = True) -> dict[str, Any]:
    """What the page must know of a game before it loads its tables.

    ``sizes`` in the result has for each size, by the name of its tables, its description, its number of seats and
    whether there are exact answers; ``solved`` as for :func:`bundles`.
    """
    usual, options = entry.rules(), {argument: name for name, o in entry.options.items() for argument in o.arguments}
    words = {}
    for size in sizes:
        game = entry.rules(**size)
        said = ", ".join(f"{value} {options.get(argument, argument)}" for argument, value in size.items())
        said = re.sub(r"\b1 dice\b", "1 die", said)
        key = "x".join(str(value) for value in size.values()) or "all"
        words[key] = [
            said + (", as published" if said and game == usual and entry.chapter else ""),
            game.num_players,
            answered(game, solved),
        ]
    about = (sys.modules[type(usual).__module__].__doc__ or "").splitlines()[0]
    return {
        "sizes": words,
        "usual": entry.usual,
        "apart": entry.apart,
        "chapter": entry.chapter,
        "title": entry.title,
        "about": about,
    }


class Written(NamedTuple):
    """A script that was written.

    Attributes:
        bundle: the name of its bundle.
        path: its file.
        size: its size in bytes.
        agents: the agents that it contains.
    """

    bundle: str
    path: Path
    size: int
    agents: tuple[str, ...]


def script(name: str, text: str, mark: str | Mapping[str, str]) -> str:
    """Tables as a script that passes them to the page, because a page opened from a disk may load scripts but no data.

    Args:
        name: the name of the bundle.
        text: the tables as JSON.
        mark: the digest of the text; for the list of games, the digests of all others.
    """
    return f"LearnedAndChecked.tables({json.dumps(name)},{text},{_json(mark)});\n"


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def write(where: Callable[[str], Path], some: Sequence[Bundle]) -> list[Written]:
    """Write the scripts.

    The list of games, if it is among them, has the digests of all others, so that the page can refuse a table from
    another build.

    Args:
        where: a function from a file's name to its path.
        some: some of :func:`bundles`.
    """
    made = {bundle.name: bundle.make() for bundle in some}
    texts = {name: _json(tables) for name, tables in made.items()}
    digests = {
        name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in texts.items() if name != GAMES_LIST
    }
    found = []
    for name, text in texts.items():
        path = where(name.replace("/", "-") + ".js")
        path.write_text(script(name, text, digests.get(name, digests)), encoding="utf-8")
        found.append(Written(name, path, path.stat().st_size, tuple(made[name].get("agents", ()))))
    return found
