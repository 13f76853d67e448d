"""The tables of the page "Play", without a browser; that its script reads them rightly is tested with one."""

import base64
import hashlib
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from support.core.flat import unfold
from support.games.biscuits.rules import Biscuits
from support.games.call_or_raise.ceiling import CHOOSES_THE_FACE, starting_value, win_probabilities
from support.games.call_or_raise.opponents import solved_rounds
from support.games.call_or_raise.rules import CallOrRaise, CallOrRaiseState
from support.games.cards.kuhn import Kuhn
from support.games.cups.rolls import with_empty
from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.opponents import best_table, solved_round
from support.games.wild_ones.policies import DRAWS, POLICIES, UNSEEN, Survivalist, Views
from support.games.wild_ones.policies import table as written
from support.games.wild_ones.rules import WildOnes, WildOnesState
from support.play.page.agents import against_coins, against_views, by_round, heard, known_players, shares, views
from support.play.page.bundles import Bundle, bundles, call_or_raise, script, wild_ones, write
from support.play.page.cups import BEYOND, cup_tables, moves_after
from support.play.page.flat import FlatTables


def test_a_flat_game_is_the_unfolded_one():
    game = Kuhn()
    flat = unfold(game)
    found = FlatTables({"hand": game.initial_state()}, lambda state: None)
    tables = found.tables(2)
    assert tables["player"] == flat.player.tolist()
    assert tables["first"] == flat.first.tolist()
    assert tables["to"] == flat.child.tolist()
    assert [tables["labels"][number] for number in tables["label"]] == flat.label
    assert [tuple(tables["gains"][number]) for number in tables["gain"]] == flat.rewards
    words = [tables["labels"][number] for number in tables["word"]]
    assert {word for word, chance in zip(words, flat.probability, strict=True) if not chance} == {
        "check",
        "bet",
        "call",
        "fold",
    }
    assert set(tables["ways"][: flat.first[1]]) == {1}


def test_an_agent_may_leave_out_what_it_never_does():
    class Caller:
        def action_probabilities(self, state):
            return {state.legal_actions()[-1]: 1}

    found = FlatTables({"hand": Kuhn().initial_state()}, lambda state: None)
    assert set(found.policy([Caller(), Caller()])["rows"][0].values()) == {1}


def test_several_beginnings_share_their_positions():
    roots = {text: Biscuits(*map(int, text.split(","))).initial_state() for text in ("2,1", "1,2", "1,1")}
    found = FlatTables(roots, lambda state: list(state.board))
    tables = found.tables(2)
    assert [tables["shown"][tables["roots"][text]] for text in roots] == [[2, 1], [1, 2], [1, 1]]
    assert len({state.position for state in found.states}) == len(found.states) == len(tables["player"])
    assert all(tables["player"][node] == 0 for node in tables["roots"].values())


def test_rewards_may_be_fractions_on_the_page():
    class Half(Biscuits):
        pass

    class State(type(Half().initial_state())):
        def rewards(self):
            return (Fraction(1, 2), Fraction(-1, 2))

        def child(self, action):
            return State(self.game, (*self.boards, action))

    start = State(Half(1, 1), ((1, 1),))
    assert FlatTables({"1,1": start}, lambda state: None).tables(2)["gains"] == [[0.5, -0.5]]


def test_tables_of_dice_under_cups():
    found = cup_tables(WildOnes(2, 2))
    assert found["ends"] == {"liar": [[0, -1], [1, -1], [1, -1]], "exact": [[1, -1], [1, 1], [1, -1]]}
    assert found["towards"][0] == [1, 0, 0, 0, 0, 0]
    assert found["towards"][4] == [1, 0, 0, 0, 1, 0]
    assert found["opening"] is None
    assert found["rolls"][2][1] == ["12", 2]
    found = cup_tables(CallOrRaise(2, 2))
    assert found["ends"] == {"call": [[0, -1], [1, -1], [1, -1]]}
    assert found["towards"][4] == [0, 0, 0, 0, 1, 0]
    assert found["bids"][found["opening"][2][1]] == [2, 1]  # a one and a two open with two ones


def assert_played_by_tables(game):
    """Challenges and turns by the tables are those of the rules, for all numbers of dice, and so are endless bids."""
    found, state = cup_tables(game), type(game.initial_state())
    seats = range(game.num_players)
    for counts in product(range(game.dice + 1), repeat=game.num_players):
        alive = [seat for seat in seats if counts[seat]]
        out = {"out": tuple(seat for seat in seats if not counts[seat])} if game.name == "wild-ones" else {}
        for bidder in alive if len(alive) > 1 else ():
            caller = alive[(alive.index(bidder) + 1) % len(alive)]
            for challenge, ends in found["ends"].items():
                for relation, (callers, change) in enumerate(ends):
                    bid = (sum(counts) - (relation == 2), 2)
                    rolls = tuple((2 if relation else 3,) * count for count in counts)
                    before = state(game, counts, bidder, rolls, (bid,), **out)
                    after = before.child(challenge)
                    seat, left = caller if callers else bidder, list(counts)
                    left[seat] = min(left[seat] + change, game.dice)
                    opener = next((seat + step) % len(left) for step in seats if left[(seat + step) % len(left)])
                    over = sum(count > 0 for count in left) == 1
                    wanted = (caller, tuple(left), opener, over, tuple(int(over and count > 0) for count in left))
                    there = (before.current_player, after.counts, after.opener, after.is_terminal(), after.returns())
                    assert there == wanted, f"{challenge} among {counts}"
                    assert after.rolls == with_empty((), after.counts)
    for total, more in product(range(2, game.num_players * game.dice + 1), range(BEYOND, BEYOND + 3)):
        for face in range(1, 7) if not found["bounded"] else ():
            here, further = (moves_after(game, total, (total + some, face)) for some in (BEYOND, more))
            shifted = [(label, bid and (bid[0] + more - BEYOND, bid[1])) for label, bid in here]
            assert further == shifted, "bids do not repeat"


@pytest.mark.parametrize("size", [(2, 2), (3, 2), (2, 1)])
@pytest.mark.parametrize("rules", [WildOnes, CallOrRaise])
def test_the_rules_go_by_the_tables(rules, size):
    assert_played_by_tables(rules(*size))


def test_rules_that_do_not_go_by_the_tables_are_found_out(monkeypatch):
    child = WildOnesState.child

    def mended(self, action):
        after = child(self, action)
        if action == "liar" and self.counts == (1, 2, 1) and not after.is_terminal():
            return type(after)(after.game, (1, 2, 1), after.opener, after.rolls, (), after.out)  # mercy, once
        return after

    monkeypatch.setattr(WildOnesState, "child", mended)
    with pytest.raises(AssertionError, match=r"liar among \(1, 2, 1\)"):
        assert_played_by_tables(WildOnes(3, 2))


def test_bids_that_do_not_repeat_are_found_out(monkeypatch):
    legal = CallOrRaiseState.legal_actions

    def bounded_late(self, player=None):
        return legal(self, player)[:1] if self.bids and self.bids[-1][0] > 6 else legal(self, player)

    monkeypatch.setattr(CallOrRaiseState, "legal_actions", bounded_late)
    with pytest.raises(AssertionError, match="do not repeat"):
        assert_played_by_tables(CallOrRaise(2, 2))


def test_a_player_that_goes_by_more_than_a_bid_needs_is_refused():
    class Lover:
        bluff = Fraction(1)

        def raises(self, total, own, quantity, held):
            return Fraction(quantity % 2)

    with pytest.raises(ValueError, match="its decision depends on more than"):
        shares(CallOrRaise(2, 2), Lover())


def test_views_are_bytes():
    game = WildOnes(2, 2)
    found = written(Views(game), Survivalist())
    assert views(found)["shape"] == list(found.shape)
    assert base64.b64decode(views(np.array([DRAWS, UNSEEN, 7]))["actions"]) == bytes([254, 255, 7])
    with pytest.raises(ValueError, match="up to 253, not to 254"):
        views(np.array([[[[254]]]]))
    assert {DRAWS, UNSEEN} == {-1, -2}


def test_what_was_heard_is_found_again():
    learned = best_table()
    found = heard(learned)
    state = WildOnes().parse("1 opens > 12 > 34 > 56 > 1x3 > 2x3")
    seats = known_players(learned, "best", ["you", "survivalist"])["2|you,survivalist,best"]
    assert seats == [1, 0, 2]
    row = dict(entry.split(":") for entry in found["rows"]["2 2s1 2s0|1"]["56"].split())
    told = "".join(sorted(found["digits"][WildOnes().number(bid) - 2] for bid in ("1x3", "2x3")))
    chosen = learned.choose(state, seats)
    assert row.get(told, found["digits"][0]) == found["digits"][WildOnes().number(chosen)]
    assert sum(len(hand.split()) for some in found["rows"].values() for hand in some.values()) == learned.states


def test_rows_of_an_equal_are_what_it_does():
    player = solved_rounds(1)
    found = by_round(player)
    assert found["wins"] == player.wins
    for (mover, text), row in player.policy.table.items():
        there = found["rows"].get(text, 0)
        assert mover == (1 + text.split(": ")[1].count(" ")) % 2  # the opener made the first bid
        assert [float(chance) for chance in row.values()] == (
            there if isinstance(there, list) else [float(place == there) for place in range(len(row))]
        )
    bundle = call_or_raise(2, 1, solved=False)
    assert bundle["agents"]["equal"] == found
    assert "equal" not in call_or_raise(3, 1, solved=False)["agents"]


def test_wild_ones_with_one_die_each_is_for_those_who_can_play_it():
    bundle = wild_ones(2, 1)
    assert list(bundle["agents"]) == [*POLICIES, "equal"]
    assert bundle["agents"]["equal"] == by_round(solved_round())
    assert bundles()[0].make()["wild-ones"]["sizes"]["2x1"] == ["2 players, 1 die", 2, False]


def test_values_of_beginnings():
    game = CallOrRaise(2, 1)
    found = against_coins(game)
    assert len(found) == 2
    exact = starting_value(game, win_probabilities(game, CHOOSES_THE_FACE))
    assert sum(found) / 2 == pytest.approx(float(exact))
    game = CallOrRaise(3, 2)
    found, known = iter(against_coins(game)), win_probabilities(game, CHOOSES_THE_FACE)
    for counts in [*product((1, 2), repeat=2), *product((1, 2), repeat=3)]:
        for opener in range(len(counts)):
            seats = (*counts, 0)[:3], opener  # wherever the empty seat is, the game is the same
            assert next(found) == pytest.approx(float(known[seats]))
    assert next(found, None) is None
    game = WildOnes(2, 1)
    only = written(Views(game), Survivalist())
    found = against_views(game, ["survivalist"], [only])
    assert set(found) == {"survivalist|1,1|0", "survivalist|1,1|1"}
    assert sum(found.values()) / 2 == pytest.approx(float(Ceiling(game, [only]).win_probability))
    both = written(Views(WildOnes(3, 1)), Survivalist())
    with pytest.raises(ValueError, match="have equal tables"):
        against_views(WildOnes(3, 1), ["one", "other"], [both, both])


def test_what_is_written_is_a_script(tmp_path):
    made = Bundle("game/all", lambda: {"agents": {"him": {}}, "x": [1, 2]})
    (one,) = write(lambda name: tmp_path / name, [made])
    text = one.path.read_text(encoding="utf-8")
    assert one.path.name == "game-all.js"
    assert (one.size, one.agents) == (len(text), ("him",))
    body = '{"agents":{"him":{}},"x":[1,2]}'
    mark = hashlib.sha256(body.encode()).hexdigest()[:16]
    assert text == script("game/all", body, mark) == f'LearnedAndChecked.tables("game/all",{body},"{mark}");\n'
    write(lambda name: tmp_path / name, [Bundle("games", lambda: {"game": {}}), made])
    text = (tmp_path / "games.js").read_text(encoding="utf-8")  # the list has the digests of all others
    assert text == f'LearnedAndChecked.tables("games",{{"game":{{}}}},{{"game/all":"{mark}"}});\n'
    assert len({bundle.name for bundle in bundles()}) == len(bundles())
