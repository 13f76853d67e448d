"""The page's script and Python play the same games: random positions, agents and exact answers, on both sides."""

from fractions import Fraction

import pytest

from support.core.play import Stream
from support.core.style import Style
from support.core.table import YOU
from support.games import GAMES as REGISTRY
from support.games.biscuits.rules import Biscuits
from support.games.call_or_raise.ceiling import CHOOSES_THE_FACE
from support.games.call_or_raise.ceiling_fast import Ceiling as FastCeiling
from support.games.call_or_raise.rules import CALL, CallOrRaise
from support.games.three_dice.rules import DiceGame
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.rules import WildOnes
from support.games.wild_ones.table import WildOnesTable
from support.play.page.bundles import bundles
from support.play.seating import agent_of, seated
from website.conftest import close
from website.positions import acts, seen, walked

POSITIONS = 10_000
"""Of each table of rules."""
DECISIONS = 1_500
"""Of each game, at which agents are compared."""
BEGINNINGS = [(f"{a},{b}", Biscuits(a, b)) for a, b in ((8, 4), (12, 12), (12, 11), (0, 7), (3, 9))]
STARTS = {"three-dice": "3"}
"""Where the page starts a game, if its notation names a start."""
GAMES = {
    bundle.name: [(STARTS.get(bundle.game.name, ""), bundle.game)] for bundle in bundles(solved=False) if bundle.game
} | {"biscuits/all": BEGINNINGS}
WALK = """({name, walks}) => {
  const game = LearnedAndChecked.game(TABLES[name]), found = [];
  for (const [root, places] of walks) {
    let state = game.start(root || undefined);
    for (let move = 0; move <= places.length; move++) {
      const player = game.player(state), chance = game.chance(state);
      const ways = chance.reduce((sum, one) => sum + one.ways, 0);
      found.push({
        player, legal: game.legal(state).map((one) => one.label), chance: chance.map((one) => one.label),
        likely: chance.map((one) => one.ways / ways), returns: game.returns(state),
        knows: player < 0 ? [] : [...Array(game.players).keys()].map((one) => game.knows(state, one)),
      });
      if (move < places.length) state = game.child(state, places[move]);
    }
  }
  return found;
}"""
ACT = """({name, walks, names, asked}) => {
  const tables = TABLES[name], game = LearnedAndChecked.game(tables), found = [];
  for (const [root, places] of walks) {
    let state = game.start(root || undefined);
    for (const place of places) {
      const player = game.player(state);
      if (player >= 0) {
        const rows = {};
        for (const agent of asked) {
          const seats = names.map((one, seat) => (seat === player ? agent : one));
          const act = LearnedAndChecked.acts(game, tables.agents[agent], state, player, seats);
          rows[agent] = act && act.row;
        }
        found.push(rows);
      }
      state = game.child(state, place);
    }
  }
  return found;
}"""
BEST = """({name, walks, names}) => {
  const tables = TABLES[name], game = LearnedAndChecked.game(tables), found = [];
  for (const [, places] of walks) {
    let state = game.start();
    for (const place of places) {
      if (game.player(state) === 0) {
        const best = LearnedAndChecked.best(game, tables.agents, names, state, 0);
        found.push(best && [best.values, best.hands]);
      }
      state = game.child(state, place);
    }
  }
  return found;
}"""


def given(walks):
    return [[walk.root, walk.places] for walk in walks]


def deciding(walks):
    return [state for walk in walks for state in walk.states if state.current_player >= 0]


@pytest.mark.parametrize("name", GAMES)
def test_rules(ask, name):
    games = GAMES[name]
    walks = walked(games, POSITIONS, seed=1)
    found = ask(WALK, {"name": name, "walks": given(walks)})
    states = [state for walk in walks for state in walk.states]
    assert len(found) == len(states) >= POSITIONS
    for state, there in zip(states, found, strict=True):
        here = seen(state, games[0][1].num_players)
        assert close(here.pop("likely"), there.pop("likely")), str(state)
        assert here == there, str(state)


@pytest.mark.parametrize("name", GAMES)
def test_agents(ask, name):
    games = GAMES[name][:1]  # of biscuits the one from which the learners have learned
    game = games[0][1]
    asked = ask("(name) => Object.keys(TABLES[name].agents)", name)
    entry = REGISTRY[game.name]
    assert set(asked) <= set(entry.agents)
    walks = walked(games, 4 * DECISIONS, seed=2)
    names = [YOU, *["survivalist"] * (game.num_players - 1)]
    found = ask(ACT, {"name": name, "walks": given(walks), "names": names, "asked": asked})
    states = deciding(walks)
    assert len(found) == len(states)
    tables = {}
    for seat in range(game.num_players):
        for agent in asked:
            seats = [agent if at == seat else one for at, one in enumerate(names)]
            tables[seat, agent] = agent_of(entry, agent, game, seat, seats)
    for state, there in list(zip(states, found, strict=True))[:DECISIONS]:
        mine = {agent: tables[state.current_player, agent] for agent in asked}
        for agent, row in acts(state, mine).items():
            assert close(row, there[agent]), f"{agent} after '{state}'"


@pytest.mark.parametrize(
    ("game", "names"),
    [
        (WildOnes(), ["survivalist", "aggressive"]),
        (WildOnes(), ["network", "random"]),
        (WildOnes(2, 2), ["self-play"]),
        (CallOrRaise(3, 2), ["random", "random"]),
        (CallOrRaise(2, 2), ["random"]),
    ],
    ids=lambda value: "+".join(value) if isinstance(value, list) else f"{value.name}-{value.num_players}",
)
def test_exact_answers(ask, game, names):
    table = seated(game.name, {"players": game.num_players, "dice": game.dice}, names, None, Style())

    def choose(state, stream: Stream):
        if state.current_player == 0:
            return stream.next() % len(state.legal_actions())
        row = table.agents[state.current_player].action_probabilities(state)
        return list(row).index(stream.pick(list(row.items())))

    walks = walked([("", game)], 800, seed=3, choose=choose)
    name = f"{game.name}/{game.num_players}x{game.dice}"
    found = ask(BEST, {"name": name, "walks": given(walks), "names": [YOU, *names]})
    states = [state for state in deciding(walks) if state.current_player == 0]
    assert len(found) == len(states) > 50
    for state, (values, hands) in zip(states, found, strict=True):
        here = table.values(state)
        assert close([float(value) for value in here.values()], values, 1e-6), str(state)
        if isinstance(table, WildOnesTable):
            ceiling = table.answer
            assert isinstance(ceiling, Ceiling)
            for player, likely in ceiling.possible(state, range(game.num_players)).items():
                there = dict(hands[str(player)]["hands"])
                wanted = {"".join(map(str, hand)): float(share) for hand, share in likely.items() if share}
                assert there.keys() == wanted.keys(), str(state)
                assert all(abs(there[hand] - wanted[hand]) < 1e-12 for hand in wanted), str(state)


def test_exact_answers_at_the_published_table_of_call_or_raise(ask):
    """Six dice have more rolls than a number has bits; the compiled answers are those that the terminal's table has."""
    game, names = CallOrRaise(), ["random"] * 3
    ceiling = FastCeiling(game, CHOOSES_THE_FACE)
    walks = walked([("", game)], 60, seed=3)
    found = ask(BEST, {"name": "call-or-raise/4x6", "walks": given(walks), "names": [YOU, *names]})
    states = [state for state in deciding(walks) if state.current_player == 0]
    assert len(found) == len(states) > 8
    for state, (values, _) in zip(states, found, strict=True):
        known = ceiling.round_of(state.counts, state.opener, state.rolls[0], state.bids[0])
        quantity, face = state.bids[-1]
        here = [
            known.called(quantity, face) if action == CALL else known.standing(quantity + 1, int(action[-1]), 1)
            for action in state.legal_actions()
        ]
        assert close([float(value) for value in here], values, 1e-6), str(state)


def test_exact_answers_of_small_games(ask):
    biscuits, dice = (seated(name, {}, (), None, Style()) for name in ("biscuits", "three-dice"))
    worth = "({name, walks}) => { const t = TABLES[name], g = LearnedAndChecked.game(t), found = []; " + (
        "for (const [root, places] of walks) { let s = g.start(root); for (const p of places) { "
        "if (g.player(s) >= 0) found.push(g.edges(s).map((e) => t.worth[e] + (name.startsWith('three') ? "
        "g.returns(s)[0] : 0))); s = g.child(s, p); } } return found; }"
    )
    for name, table, games in (
        ("biscuits/all", biscuits, [("8,4", Biscuits())]),
        ("three-dice/all", dice, [("3", DiceGame())]),
    ):
        walks = walked(games, 2_000, seed=4)
        found = ask(worth, {"name": name, "walks": given(walks)})
        for state, there in zip(deciding(walks), found, strict=True):
            assert close([float(value) for value in table.values(state).values()], there, 1e-9), str(state)


def test_every_game_of_the_registry_is_on_the_page(ask):
    index = ask("() => TABLES.games")
    assert list(index) == list(REGISTRY)
    assert {f"{name}/{size}" for name, entry in index.items() for size in entry["sizes"]} == set(GAMES)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", ["ace-king-queen/all", "kuhn-poker/all", "leduc-poker/all", "liars-dice/3"])
def test_exact_answers_against_each_agent(ask, name, seat):
    ((_, game),) = GAMES[name]
    for agent in REGISTRY[game.name].agents:
        sizes = {"faces": 3} if game.name == "liars-dice" else {}
        table = seated(game.name, sizes, [agent], seat + 1, Style())
        rows = ask("([name, agent]) => TABLES[name].agents[agent].worth", [name, agent])[seat]
        compared = 0
        for walk in walked([("", game)], 300, seed=5):
            for state in walk.states:
                row = rows.get(state.information_state(seat)) if state.current_player == seat else None
                if row is not None:  # it can be reached by this opponent's play; anything else is no question
                    spent = state.paid[seat] if game.name == "ace-king-queen" else 0
                    wanted = [float(Fraction(value)) for value in table.values(state).values()]
                    assert close(wanted, [value - spent for value in row], 1e-9), f"{agent} after '{state}'"
                    compared += 1
        assert compared >= 10
