import re
from fractions import Fraction

import pytest

from support.core.export import to_gambit
from support.core.flat import unfold
from support.core.interface import TERMINAL, Game, State
from support.games.biscuits.rules import Biscuits
from support.games.cards.ace_king_queen import AceKingQueen
from support.games.cards.kuhn import Kuhn
from support.games.cups.liars_dice import LiarsDice
from support.games.three_dice.rules import DiceGame

STRING = r'"((?:[^"\\]|\\")*)"'
CHANCE_LINE = re.compile(rf'c "" (\d+) "" \{{ ((?:{STRING} [\d/]+ )+)\}} 0')
PLAYER_LINE = re.compile(rf'p "" (\d+) (\d+) {STRING} \{{ ((?:{STRING} )+)\}} 0')
END_LINE = re.compile(rf't "" (\d+) {STRING} \{{ ([-\d/]+(?:, [-\d/]+)*) \}}')


class Toy(Game):
    """One player moves twice, a letter a move, and no longer knows its first move when it makes its second."""

    name = 'a "toy"'
    num_players = 1

    def __init__(self, **moves):
        """Args: what may follow each letter, and which name a letter has in the notation."""
        self.moves = {"": "ab", "a": "cd", "b": "cd"} | moves.pop("after", {})
        self.names = moves

    def initial_state(self):
        return ToyState(self, "")

    def move_from_string(self, state, text):
        return text


class ToyState(State):
    def __init__(self, game, line):
        self.game, self.line = game, line

    current_player = property(lambda self: TERMINAL if len(self.line) == 2 else 0)
    position = property(lambda self: self.line)

    def legal_actions(self, player=None):
        return tuple(self.game.moves.get(self.line, ""))

    def child(self, action):
        return ToyState(self.game, self.line + action)

    def information_state(self, player):
        return "second" if self.line else "first"

    def rewards(self):
        return (Fraction(-1, 3) if self.line == "ac" else 0,)

    def returns(self):
        return self.rewards()

    def action_to_string(self, action):
        return self.game.names.get(action, action)

    def __str__(self):
        return self.line


def read(text):
    """The lines of a file after its head, each matched against the one pattern that its letter stands for."""
    head, comment, empty, *lines = text.splitlines()
    assert re.fullmatch(rf"EFG 2 R {STRING} \{{ (?:{STRING} )+\}}", head)
    assert re.fullmatch(STRING, comment)
    assert empty == ""
    patterns = {"c": CHANCE_LINE, "p": PLAYER_LINE, "t": END_LINE}
    matches = [(line[0], patterns[line[0]].fullmatch(line)) for line in lines]
    assert all(match for _, match in matches)
    return matches


def children(kind, match):
    if kind == "t":
        return 0
    return len(re.findall(STRING, match[2] if kind == "c" else match[4]))


@pytest.mark.parametrize("game", [AceKingQueen(), Kuhn(), LiarsDice(2), Biscuits(2, 1)])
def test_the_lines_are_one_tree_in_preorder(game):
    """Every node promises so many children; the promises are used up by the last line and not before."""
    missing = 1
    for kind, match in read(to_gambit(game)):
        assert missing > 0
        missing += children(kind, match) - 1
    assert missing == 0


@pytest.mark.parametrize("game", [AceKingQueen(), Kuhn(), LiarsDice(2)])
def test_as_many_nodes_and_information_sets_as_the_unfolded_game(game):
    """In these games no two histories lead to one position, so that nodes are histories."""
    flat, lines = unfold(game), read(to_gambit(game))
    assert len(lines) == flat.num_nodes
    sets = {(int(match[1]) - 1, match[3]): int(match[2]) for kind, match in lines if kind == "p"}
    assert set(sets) == set(flat.information_states)
    for player in (0, 1):
        numbers = sorted(number for (owner, _), number in sets.items() if owner == player)
        assert numbers == list(range(1, len(numbers) + 1))


def test_the_same_set_has_the_same_number_and_actions_everywhere():
    seen = {}
    for kind, match in read(to_gambit(AceKingQueen())):
        if kind == "p":
            assert seen.setdefault((match[1], match[2]), (match[3], match[4])) == (match[3], match[4])
    assert len(seen) == 18


def test_the_ends_of_kuhn_poker():
    """Five ends for each of six deals: either may fold for 1, checks show down for 1, calls by either for 2."""
    payoffs = [match[3] for kind, match in read(to_gambit(Kuhn())) if kind == "t"]
    assert len(payoffs) == 30
    counts = {payoff: payoffs.count(payoff) for payoff in set(payoffs)}
    assert counts == {"1, -1": 9, "-1, 1": 9, "2, -2": 6, "-2, 2": 6}


def test_outcomes_of_equal_returns_share_a_number():
    pairs = {(match[1], match[3]) for kind, match in read(to_gambit(AceKingQueen())) if kind == "t"}
    assert len(pairs) == len({number for number, _ in pairs}) == len({payoffs for _, payoffs in pairs}) == 7
    assert "0" not in {number for number, _ in pairs}


def test_the_head_of_kuhn_poker_to_the_letter():
    assert to_gambit(Kuhn()).splitlines()[:9] == [
        'EFG 2 R "kuhn-poker" { "player 0" "player 1" }',
        '"Payoffs are returns, all paid at the ends."',
        "",
        'c "" 1 "" { "K Q" 1/6 "K J" 1/6 "Q K" 1/6 "Q J" 1/6 "J K" 1/6 "J Q" 1/6 } 0',
        'p "" 1 1 "K" { "c" "r" } 0',
        'p "" 2 1 "Qc" { "c" "r" } 0',
        't "" 1 "1, -1" { 1, -1 }',
        'p "" 1 2 "Kcr" { "f" "c" } 0',
        't "" 2 "-1, 1" { -1, 1 }',
    ]


def test_an_unfolded_game_is_written_as_its_rules_are():
    assert to_gambit(unfold(Kuhn())) == to_gambit(Kuhn())


def test_a_position_with_two_histories_is_written_twice():
    """From heaps of 1 and 1 three moves, two of which leave one biscuit: Betty takes it, and both times has won."""
    assert len(read(to_gambit(Biscuits(1, 1)))) == 6
    assert unfold(Biscuits(1, 1)).num_nodes == 5


def test_one_player_fractions_and_quotes_to_the_letter():
    assert to_gambit(Toy(d='say "d"')).splitlines() == [
        r'EFG 2 R "a \"toy\"" { "player 0" }',
        '"Payoffs are returns, all paid at the ends."',
        "",
        'p "" 1 1 "first" { "a" "b" } 0',
        r'p "" 1 2 "second" { "c" "say \"d\"" } 0',
        't "" 1 "-1/3" { -1/3 }',
        't "" 2 "0" { 0 }',
        r'p "" 1 2 "second" { "c" "say \"d\"" } 0',
        't "" 2 "0" { 0 }',
        't "" 2 "0" { 0 }',
    ]


@pytest.mark.parametrize("name", ["two\nlines", "back\\slash", "tab\t"])
def test_a_name_that_the_format_cannot_hold_is_refused(name):
    with pytest.raises(ValueError, match=f"cannot hold the name {re.escape(repr(name))}: no backslash"):
        to_gambit(Toy(b=name))


def test_an_information_set_has_one_list_of_actions():
    with pytest.raises(ValueError, match="player 0 knowing 'second' has different legal actions at different nodes"):
        to_gambit(Toy(after={"b": "ce"}))
    with pytest.raises(ValueError, match="player 0 knowing 'first' has two actions of the same name: a, a"):
        to_gambit(Toy(b="a"))


def test_a_game_that_is_too_large_or_may_not_end_is_refused():
    with pytest.raises(ValueError, match=r"AceKingQueen\(\) has more than 100 histories; export a smaller game"):
        to_gambit(AceKingQueen(), limit=100)
    with pytest.raises(ValueError, match="more than 500 histories"):
        to_gambit(DiceGame(dice=1), limit=500)
