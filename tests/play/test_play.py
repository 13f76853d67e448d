"""Games at the terminal, their input piped in."""

import io
import re
import sys
from fractions import Fraction

import pytest
from table_games import TableGame, TableState, common_interest, odd_one_out, pennies

from support.__main__ import main
from support.core.flat import unfold
from support.core.play import Stream
from support.core.policy import TabularPolicy, uniform
from support.core.style import DICE, Style, style_for
from support.core.table import PlayError, percent
from support.exact.best_response import expected_returns
from support.exact.linear_program import UnprovedError
from support.exact.markov import node_values
from support.games import GAMES
from support.games.biscuits.rules import Biscuits
from support.games.cards.ace_king_queen import play as hand
from support.games.cards.kuhn import Kuhn
from support.games.wild_ones.rules import EXACT, LIAR
from support.play.plain import PlainTable, plain_agent
from support.play.seating import seated
from support.play.terminal import Leave, Session

SMALL = {
    "biscuits": ["--heaps", "5,3"],
    "three-dice": ["--dice", "2", "--against", "optimal", "--against", "optimal", "--against", "mdp-adjusted"],
    "ace-king-queen": ["--seat", "2"],
    "kuhn-poker": ["--seat", "2"],
    "leduc-poker": ["--seat", "2"],
    "liars-dice": ["--against", "random"],
    "call-or-raise": ["--players", "2", "--dice", "2"],
    "wild-ones": ["--against", "survivalist", "--dice", "2", "--players", "2"],
}


@pytest.fixture
def sit_down(monkeypatch, capsys):
    """Plays with the lines of an input and returns what was shown."""

    def played(lines, *words):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        assert main(["play", *words]) == 0
        return capsys.readouterr().out

    return played


def session(name, pick, seed=7, against=(), seat=None, style=None, **sizes):
    """A game whose player decides by ``pick(session)``; returns it with all that was shown, prompts included."""
    shown = []

    def read(prompt, words):
        shown.append(prompt)
        return pick(game)

    table = seated(name, sizes, against, seat, style or Style())
    game = Session(table, seed, read, shown.append)
    return game, shown


def first_legal(game):
    return game.table.labels(game.state)[0]


def best(game):
    values = game.table.values(game.state)
    return game.state.action_to_string(game.table.best(values))


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_played_to_its_end_by_scripted_input(name, sit_down):
    words = [name, "--seed", "11", *SMALL.get(name, [])]
    lines, last = [], {"three-dice": "stick", "biscuits": "0,0"}
    shown = sit_down([], *words)
    while "input has ended" in shown:  # find the moves of the script one by one
        offered = re.findall(r"Legal moves: (.*)\.", sit_down([*lines, "?"], *words))[-1].split("; ")
        labels = [label.split(" (")[0] for label in offered]
        lines.append(last.get(name) if last.get(name) in labels else labels[0])
        shown = sit_down(lines, *words)
        assert len(lines) < 60
    assert "Your decisions." in shown
    assert re.search(r"\b(wins?|score|split)\b", shown)
    assert shown == sit_down(lines, *words)


@pytest.mark.parametrize("name", GAMES)
def test_wrong_input_never_ends_a_game(name, sit_down):
    wrong = ["", "nonsense", "9x9", "7x3", "99,99", "hold 7", "hold", "raise 9", "x" * 5000, "1 opens", "\x00", "²,³"]
    shown = sit_down(
        [*wrong, "?", "history", "hint", "undo", "QUIT", "nothing is read any more"],
        name,
        "--seed",
        "11",
        *SMALL.get(name, []),
    )
    assert "Traceback" not in shown
    assert "Legal moves: " in shown
    assert shown.rstrip().endswith("You leave the game before its end.")
    assert shown.count("your move> ") == len(wrong) + 5


@pytest.mark.parametrize(
    ("name", "line", "word", "action", "other"),
    [
        ("ace-king-queen", "A K", "check", "c", "call"),
        ("ace-king-queen", "A K: r", "raise", "r", "bet"),
        ("liars-dice", "3 2: 1x2", "two ones", "2x1", "one two"),
    ],
)
def test_a_move_may_be_typed_in_words(name, line, word, action, other):
    table = seated(name, {}, ["random"], None, Style())
    state = table.game.parse(line)
    assert table.read(state, word) == table.read(state, action) == action
    assert f"{action} ({word})" in table.spelled(state)
    with pytest.raises(PlayError):
        table.read(state, other)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (odd_one_out(), "it has 3 players and .*The agent 'random' can play it: --against random"),
        (common_interest(), "do not always have the same sum. The agent 'random'"),
    ],
    ids=["three players", "common interest"],
)
def test_what_no_solver_plays_says_who_does(game, message):
    with pytest.raises(PlayError, match=message):
        plain_agent("solver", game)
    assert isinstance(plain_agent("random", game), TabularPolicy)


def test_what_no_solver_proves_is_said(monkeypatch):
    def unproved(flat):
        raise UnprovedError("no exact solution of a linear program with 9 rows could be proved")

    monkeypatch.setattr("support.play.plain.solve", unproved)
    with pytest.raises(PlayError, match=r"with 9 rows could be proved. The agent 'random'"):
        plain_agent("solver", pennies())


def test_a_game_in_decimals_is_refused():
    half = TableGame("half", 1, {"start": (0, "here", {"left": ("end", (0.5,)), "right": ("over", (0,))})})
    for agent in ("random", "solver"):  # neither can play, so the error must not name the other
        with pytest.raises(PlayError, match=r"Fraction\(1, 2\) in place of 0.5, not the rewards \(0.5,\) at 'end'$"):
            plain_agent(agent, half)


def test_a_move_may_have_capitals():
    game = TableGame("turns", 1, {"start": (0, "here", {"Left": ("end", (1,)), "right": ("end", (0,))})})
    for typed, said in (("Left", "Left"), ("left", "Left"), ("RIGHT", "right")):
        lines, answers = [], iter([typed])
        Session(PlainTable(game, ["you"], Style()), 1, lambda prompt, words, a=answers: next(a), lines.append).play()
        assert f"You play {said}" in "\n".join(lines)


def test_what_is_hidden_is_not_told_by_a_text_that_happens_to_contain_it():
    """Both choose 1 or 2 in secret; the other's text goes from turn 1 to turn 2 whatever was chosen."""
    ends = {"1": ("end", (1, -1)), "2": ("end", (-1, 1))}
    rows = {"start": (0, "turn 1", {move: (f"after {move}", (0, 0)) for move in "12"})}
    rows |= {f"after {move}": (1, "turn 2", ends) for move in "12"}

    class Turns(TableState):
        def information_state(self, player):
            return f"turn {len(self.moves) + 1}"

    class Secret(TableGame):
        def initial_state(self):
            return Turns(self, ())

    table = PlainTable(Secret("pennies", 2, rows), ["random", "you"], Style())
    before = table.game.initial_state()
    assert {table.described(before, move, before.child(move), 1) for move in "12"} == {"random moves"}


def test_values_against_agents_of_any_kind():
    """One that answers state by state and leaves out what it never does, and one whose table says nothing."""

    class Last:
        def action_probabilities(self, state):
            return {state.legal_actions()[-1]: 1}

    flat, state = unfold(Kuhn()), Kuhn().parse("K Q")
    last = TabularPolicy(
        {where: {legal[-1]: Fraction(1)} for where, legal in zip(flat.information_states, flat.actions, strict=True)}
    )
    for agent, same in ((Last(), last), (TabularPolicy({}), uniform(flat))):
        found, whole = (PlainTable(Kuhn(), ("you", "other"), Style(), {1: one}).values(state) for one in (agent, same))
        assert found == whole is not None


def test_where_nothing_is_hidden_every_move_is_named():
    openly, dealt = (PlainTable(GAMES[name].rules(), ("you", "random"), Style()) for name in ("biscuits", "kuhn-poker"))
    before = openly.game.initial_state()
    assert openly.described(before, (7, 4), before.child((7, 4)), 1) == "you play 7,4"
    deal = dealt.game.initial_state()
    assert dealt.described(deal, ("K", "Q"), deal.child(("K", "Q")), 0) == "chance moves"


@pytest.mark.parametrize("name", GAMES)
def test_end_of_input_leaves_with_a_sentence(name, sit_down):
    assert sit_down([], name, "--seed", "11", *SMALL.get(name, [])).endswith(
        "The input has ended: you leave the game before its end.\n"
    )


def test_an_interrupt_leaves_with_a_sentence(monkeypatch, capsys):
    class Interrupted(io.StringIO):
        def readline(self, *_):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert main(["play", "biscuits"]) == 0
    assert "Interrupted: you leave the game before its end." in capsys.readouterr().out


@pytest.mark.parametrize("name", ["call-or-raise", "wild-ones"])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.no_cover
def test_hidden_dice_are_not_shown_before_the_challenge(name, seed):
    """At every prompt, the only dice that were shown in the round are one's own."""
    prompts = []

    def pick(game):
        begin = max((at + 1 for at, line in enumerate(shown) if line == ""), default=0)
        own = game.table.style.dice(game.state.rolls[game.table.seat])
        assert set(re.findall(r"\[\d*\]", " ".join(shown[begin:]))) == {own}
        prompts.append(own)
        if len(prompts) % 2:
            return "history"
        return game.table.labels(game.state)[0]

    game, shown = session(name, pick, seed, ["random"], players=3, dice=2)
    game.play()
    assert prompts


@pytest.mark.no_cover
def test_hidden_dice_enter_no_text_of_a_whole_game():
    """The dice of the others are replaced by impossible ones; these would be seen in whatever is shown."""
    from dataclasses import replace

    for name, call in (("wild-ones", LIAR), ("call-or-raise", "call")):
        game, shown = session(name, lambda game: "", 3, players=3, dice=2, against=["random"])
        while game.state.current_player != game.table.seat:
            game._move(game.table.act(game.state, game.stream))
        rolls = tuple(
            roll if seat == game.table.seat else (8,) * len(roll) for seat, roll in enumerate(game.state.rolls)
        )
        game.state = replace(game.state, rolls=rolls, past=("8",))
        table = game.table
        shown += table.scene(game.state, table.seat) + table.advice(game.state) + [table.listed(game.state)]
        shown += table.hint(game.state, table.values(game.state))
        for text in ("1x7", "exact", "liar", "1x1", "99x6", "call", "raise 0", "88", "1 opens"):
            try:
                table.read(game.state, text)
            except PlayError as error:
                shown.append(str(error))
        assert not any("[8" in line or "88" in line.replace("not '88'", "") for line in shown), shown
        assert call in table.labels(game.state) or game.state.last is None


@pytest.mark.parametrize("seed", range(8))
def test_the_other_card_is_shown_at_the_end_only(seed):
    game, shown = session("ace-king-queen", lambda game: next(script), seed, seat=1 + seed % 2)
    script = iter(["f", "x", "?", "hint", "history", "undo", "fold", "raise", "c", "c", "c"])
    until = []
    ending = game.table.result
    game.table.result = lambda state: until.append(len(shown)) or ending(state)
    game.play()
    own = game.path[0][1][game.table.seat]
    cards = set(re.findall(r"\b[AKQ]\b", " ".join(line for line in shown[: until[0]] if not line.startswith("A move"))))
    assert cards == {own}
    assert game.path[0][1][1 - game.table.seat] in " ".join(shown[until[0] :])


def test_biscuits_moves_are_taken_back():
    script = iter(["undo", "6,4", "undo", "history", "7,4", "undo", "hint", "7,4", "quit"])
    game, shown = session("biscuits", lambda game: next(script))
    with pytest.raises(Leave):
        game.play()
    assert "You have made no move yet to take back." in shown
    assert "Nothing has happened yet." in shown
    assert str(game.path[0][2]) == "8,4 > 7,4"
    assert any(line.startswith("Winning: leave 7,4.") for line in shown)


def test_who_wants_to_leave_is_told_how(sit_down):
    shown = sit_down(["q", "exit", "9,9", "quit"], "biscuits")
    assert shown.count("To leave the game, type quit.") == 2


@pytest.mark.parametrize("heaps", ["8,4", "1,2", "3,3", "13,8", "2,9"])
def test_biscuits_costs_follow_from_the_rules(heaps):
    """Whether a move wins is compared with a search that knows nothing but the rules."""
    flat = unfold(Biscuits(*map(int, heaps.split(","))))
    wins = {}

    def won(state):
        if state.position not in wins:
            wins[state.position] = any(not won(state.child(move)) for move in state.legal_actions())
        return wins[state.position]

    table = seated("biscuits", {"heaps": heaps}, [], None, Style())
    state = table.game.initial_state()
    assert flat.game == table.game
    assert table.values(state) == {move: int(not won(state.child(move))) for move in state.legal_actions()}
    for after in map(state.child, state.legal_actions()):
        if won(after):
            assert not won(after.child(table.act(after, Stream(0))))
        elif not after.is_terminal():
            assert sum(table.act(after, Stream(0))) == sum(after.board) - 1  # it holds out


def test_a_game_given_away_is_told():
    game, shown = session("biscuits", lambda game: first_legal(game), heaps="3,3")
    game.play()
    assert any("gave a won game away; best was 0,0" in line for line in shown)


def test_perfect_play_wins_what_is_won():
    game, shown = session("biscuits", best)
    game.play()
    assert "You take the last biscuit and win." in shown
    assert sum("nothing was better" in line for line in shown) == len(game.choices)


def test_three_dice_values_are_those_of_the_optimal_plan():
    game, shown = session("three-dice", best, dice="3", against=["optimal"])
    game.play()
    table = game.table
    flat = table.flat
    worth = node_values(flat, table.optimum.policy.edge_probabilities(flat))
    for state, _ in game.choices:
        values = table.values(state)
        assert max(values.values()) == worth[flat.index[state.position]] - state.rerolls
    assert sum("nothing was better" in line for line in shown) == len(game.choices)
    assert any(re.match(r"Optimal plays .* and scores \d+ points\.", line) for line in shown)


def test_ace_king_queen_costs_are_against_the_opponent():
    for against in ("honest", "equilibrium", "random"):
        for seat in (1, 2):
            table = seated("ace-king-queen", {}, [against], seat, Style())
            response = table.response
            flat = unfold(table.game)
            profile = [table.agents.get(at, response.policy) for at in (0, 1)]
            assert expected_returns(flat, profile)[seat - 1] == response.value
    table = seated("ace-king-queen", {}, ["honest"], 2, Style())
    assert table.values(hand("A Q: r")) == {"f": Fraction(-1), "c": Fraction(-2), "r": Fraction(-3)}
    assert table.values(hand("K A: c")) == {"c": Fraction(1), "r": Fraction(3, 2)}  # a king calls, a queen folds
    assert isinstance(table.agents[0], TabularPolicy)


@pytest.mark.no_cover
def test_wild_ones_values_are_the_ceiling():
    game, shown = session("wild-ones", best, 3, ["survivalist", "aggressive"], 2)
    game.play()
    assert sum("nothing was better" in line for line in shown) == len(game.choices) > 0
    assert game.table.names == ["survivalist", "you", "aggressive"]
    assert not any(line.startswith("Working out") for line in shown)
    other, shown = session("wild-ones", first_legal, 3, dice=1)
    other.play()
    assert sum(line.startswith("Working out") for line in shown) == 1
    assert float(game.table.answer.win_probability) == pytest.approx(0.97926994565667)


def test_wild_ones_without_a_known_answer_says_so(sit_down):
    shown = sit_down(["hint", *["liar", "2x6"] * 40], "wild-ones", "--players", "4", "--dice", "1", "--seed", "2")
    assert "Best is" in shown
    shown = sit_down(["hint", "quit"], "wild-ones", "--players", "2", "--dice", "5", "--seed", "2")
    assert "takes too long to compute" in shown
    assert "The survivalist plays" in shown
    moves = ["liar", "5x6"] * 40
    shown = sit_down(moves, "wild-ones", "--players", "2", "--dice", "5", "--seed", "2")
    assert "What your decisions cost is not known" in shown


def test_call_or_raise_values_are_exact_against_coin_tossers():
    game, shown = session("call-or-raise", best, 5, seat=2, players=2, dice=2)
    game.play()
    assert sum("nothing was better" in line for line in shown) == len(game.choices)
    values = [max(game.table.values(state).values()) for state, _ in game.choices]
    assert all(0 < value <= 1 for value in values)
    game, shown = session("call-or-raise", lambda game: "call", 5, ["honest", "holds", "probability"])
    game.play()
    assert game.table.game.num_players == 4
    assert any("known here only against random opponents" in line for line in shown)


@pytest.mark.parametrize("name", ["call-or-raise", "wild-ones"])
def test_who_is_out_watches_the_others(name):
    for seed in range(40):
        game, shown = session(name, lambda game: game.table.labels(game.state)[-1], seed, ["random"], players=3, dice=1)
        game.play()
        if any("you are out" in line for line in shown) and game.path[-1][0].counts[0] == 0:
            return
    raise AssertionError("the player was never out first")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chess"], "no game 'chess'; there are biscuits, three-dice, ace-king-queen, kuhn-poker, leduc-poker, "),
        (
            ["wild-ones", "--against", "worst"],
            "'worst' that plays wild-ones; there are survivalist, aggressive, random, network, self-play, best",
        ),
        (["wild-ones", "--against", "biscuits/perfect"], "no agent 'biscuits/perfect' that plays wild-ones"),
        (
            ["wild-ones", "--against", "best", "--players", "2"],
            "best has learned to play only with 3 players and 2 dice",
        ),
        (["wild-ones", "--against", "network", "--dice", "3"], "network has learned to play only with 3 players"),
        (["biscuits", "--against", "learner", "--heaps", "5,3"], "learner has learned only the published puzzle"),
        (
            ["call-or-raise", "--against", "q-table", "--players", "5"],
            "q-table knows up to 4 players with up to 6 dice each",
        ),
        (["biscuits", "--dice", "3"], "biscuits has no --dice; it has --heaps"),
        (["biscuits", "--heaps", "8"], "heaps are Digestives and Rich Teas, such as 8,4, up to 1,000 each, not '8'"),
        (["biscuits", "--heaps", "0,0"], "at least one biscuit"),
        (["wild-ones", "--players", "9"], "players must be a whole number from 2 to 6"),
        (["wild-ones", "--dice", "two"], "dice must be a whole number from 1 to 6, not 'two'"),
        (["wild-ones", "--seat", "4"], "seat must be from 1 to 3, not 4"),
        (["wild-ones", "--players", "4", "--against", "random", "--against", "random"], "3 seats are free"),
        (["three-dice", "--seat", "2"], "three-dice is for one player: seat must be 1, not 2"),
        (["three-dice", "--dice", "9"], "dice must be a whole number from 1 to 5, not '9'"),
        (["ace-king-queen", "--against", "honest", "--against", "honest"], "1 seat is free, but 2 opponents"),
    ],
)
def test_what_there_is_not_gets_a_clear_error(words, message, capsys):
    assert main(["play", *words]) == 1
    assert message in capsys.readouterr().err


def test_games_and_agents_are_listed(capsys):
    assert main(["play"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in GAMES)
    assert "survivalist, aggressive, random" in said


def test_the_seed_is_shown_and_repeats_a_game(sit_down):
    shown = sit_down(["quit"], "wild-ones")
    seed = re.search(r"seed (\d+)\.", shown)[1]
    assert sit_down(["quit"], "wild-ones", "--seed", seed) == shown


def test_pictures_and_colours_only_where_they_can_be_shown(monkeypatch, sit_down):
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert style_for(Terminal()) == Style(True, True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert style_for(Terminal(), ascii_only=True) == Style(False, False)
    latin = io.TextIOWrapper(io.BytesIO(), encoding="latin-1")
    assert style_for(latin) == Style(False, False)
    plain = sit_down(["stick"], "three-dice", "--ascii")
    assert plain.isascii()
    assert "\x1b" not in plain
    assert set(DICE) & set(sit_down(["stick"], "three-dice")) or sys.stdout.encoding != "utf-8"


def test_probabilities_that_are_not_certain_do_not_look_so():
    assert [percent(p) for p in (0, 1, 0.5, 0.99999, 0.00001, Fraction(1, 10))] == [
        "0.0%",
        "100.0%",
        "50.0%",
        "99.999%",
        "0.001%",
        "10.0%",
    ]


def test_exact_wins_a_die_back():
    table = seated("wild-ones", {"players": 2, "dice": 2}, ["survivalist"], None, Style())
    states = table.game.states("1 opens > 16 > 22 > 2x1 > liar > 2 > 26 > 1x6 > 2x2 > exact")
    described = table.described(states[-2], EXACT, states[-1], 0)
    assert described == "you say exact to 2x2: you [2]; survivalist [26]. There are 2: you win a die back."


@pytest.mark.parametrize("seed", [16, 18])
def test_a_game_that_would_never_end_without_the_player_is_stopped(seed):
    game, shown = session("call-or-raise", lambda game: "call", seed, ["q-table"], players=4, dice=6)
    game.play()
    assert not game.state.is_terminal()
    assert game.state.counts[0] == 0
    assert any("they would raise for ever" in line for line in shown)
    assert len(game.state.bids) == game.state.total + 51


def test_what_learns_is_told_before_it_does(sit_down):
    shown = sit_down(["quit"], "ace-king-queen", "--against", "ace-king-queen/result-table")
    assert shown.startswith("Result-table learns first, which takes some seconds.")
    assert "learns first" not in sit_down(["quit"], "wild-ones", "--against", "random")


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize(("name", "dice"), [("call-or-raise", "1"), ("call-or-raise", "2"), ("wild-ones", "1")])
def test_an_equal_plays_to_the_end_in_both_seats(name, dice, seat):
    table = seated(name, {"players": "2", "dice": dice}, [f"{name}/equal"], seat, Style())
    game = Session(table, 5, lambda prompt, words: table.labels(game.state)[-1], lambda line: None)
    game.play()
    assert game.state.is_terminal()
    assert table.values(game.state) is None
    assert "your equal" in table.unknown()


@pytest.mark.parametrize("name", ["call-or-raise", "wild-ones"])
@pytest.mark.parametrize(("players", "dice"), [("3", "1"), ("2", "3")])
def test_an_equal_says_where_it_plays(name, players, dice):
    with pytest.raises(PlayError, match=r"equal plays only with 2 players and (up to 2|1) di(c)?e"):
        seated(name, {"players": players, "dice": dice}, [f"{name}/equal"], None, Style())
