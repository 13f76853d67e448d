"""The table that learns wild ones: plain and compiled digit for digit, keys, what is learned, and files."""

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest

from support.games.wild_ones.ceiling.ceiling import Ceiling
from support.games.wild_ones.listener import UNKNOWN, Key, Keys, ListenerLearner, ListenerSettings, Row, TableFullError
from support.games.wild_ones.listener_fast import FastListenerLearner
from support.games.wild_ones.listener_table import ARRAYS, ListenerTable, TableFileError, load
from support.games.wild_ones.play_fast import play
from support.games.wild_ones.policies import Aggressive, Random, Survivalist, Views, table
from support.games.wild_ones.rules import WildOnes

SEED = 0xFEDCBA9876543210
SURVIVALIST, AGGRESSIVE, RANDOM = Survivalist(), Aggressive(), Random()
GAME, DUEL = WildOnes(), WildOnes(2, 2)


@cache
def written(game, policy, neighbours=False):
    return table(Views(game, neighbours), policy)


def compiled(game, policies, settings, seed=SEED):
    return FastListenerLearner(game, [written(game, policy) for policy in policies], settings, seed)


@cache
def taught(games=20_000):
    learner = compiled(GAME, (SURVIVALIST, AGGRESSIVE), ListenerSettings())
    learner.train(games)
    return learner


def state_of(text, game=GAME):
    """The state after some moves: "1 opens 12 34" is who opens, and then one move after the other."""
    opener, _, *moves = text.split()
    return game.states(" > ".join([f"{opener} opens", *moves]))[-1]


def known(learned, state, seats):
    """Value and visits of each legal action, as far as anything is known."""
    row = learned.row(learned.keys.key(state, seats))
    return row and dict(zip(state.legal_actions(), zip(row.values, row.counts, strict=True), strict=True))


def start_value(learned, counts, seats, opener):
    """The value and the visits of the beginning of a round."""
    place = learned.starts.tolist().index(learned.keys.start(counts, seats, opener))
    return learned.start_values[place], learned.start_counts[place]


def same(one, other):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
    assert (one.game, one.settings, one.seed, one.games) == (other.game, other.settings, other.seed, other.games)


# Plain and compiled


@pytest.mark.parametrize(
    ("game", "policies"),
    [
        (GAME, (SURVIVALIST, AGGRESSIVE)),
        (DUEL, (AGGRESSIVE,)),
        (WildOnes(2, 1), (RANDOM,)),
        (WildOnes(4, 1), (SURVIVALIST, AGGRESSIVE, RANDOM)),
        (WildOnes(2, 4), (SURVIVALIST,)),
    ],
    ids=str,
)
@pytest.mark.parametrize("all_bids", [True, False])
@pytest.mark.parametrize("who_is_who", [True, False])
def test_the_same_games_rows_and_values(game, policies, all_bids, who_is_who):
    settings = ListenerSettings(all_bids=all_bids, who_is_who=who_is_who, recency=2.5)
    slow, fast = ListenerLearner(game, policies, settings, SEED), compiled(game, policies, settings)
    for games in (1, 120):
        assert slow.train(games) == fast.train(games).tolist()
        same(ListenerTable.of(slow), fast.learned())
    found, expected = fast.evaluate(60, 3, 10), slow.evaluate(60, 3, 10)
    assert found.places.tolist() == [place for place, _ in expected]
    assert found.unmet == sum(unmet for _, unmet in expected)


def test_pieces_do_not_change_what_is_learned():
    whole = compiled(GAME, (SURVIVALIST, AGGRESSIVE), ListenerSettings())
    places = whole.train(5000)
    parts = compiled(GAME, (SURVIVALIST, AGGRESSIVE), ListenerSettings())
    found = [parts.train(games) for games in (0, 1, 1999, 3000)]
    np.testing.assert_array_equal(places, np.concatenate(found))
    same(whole.learned(), parts.learned())


def test_opponents_that_look_at_their_neighbours_play_the_same():
    mixed = FastListenerLearner(
        GAME, [written(GAME, SURVIVALIST), written(GAME, AGGRESSIVE, True)], ListenerSettings(), SEED
    )
    whole = compiled(GAME, (SURVIVALIST, AGGRESSIVE), ListenerSettings())
    np.testing.assert_array_equal(mixed.train(2000), whole.train(2000))


def test_seats_and_dice_are_those_of_compiled_play():
    """One who knows nothing says liar, or bids 1x1: written out as a policy it plays the same games."""
    views = Views(GAME)
    entries = np.where(views.reached, GAME.number("liar"), -2).astype(np.int16)
    entries[..., 0][views.reached[..., 0]] = GAME.number("1x1")
    others = [written(GAME, SURVIVALIST), written(GAME, AGGRESSIVE)]
    found = FastListenerLearner(GAME, others, ListenerSettings(), 1).evaluate(3000, SEED, 5)
    np.testing.assert_array_equal(found.places, play(GAME, [*others, entries], 3000, SEED, 5).places[:, 2])
    assert found.unmet == found.decisions > 0


# Keys


SEATS = (0, 1, 2)
ROUND = "1 opens 12 34 56 1x3 2x1"


def test_a_key_says_what_is_known_and_nothing_else():
    """The agent, player 2, sits in the third seat and is to move."""
    state, keys = state_of(ROUND), Keys(GAME, ListenerSettings())
    key = keys.key(state, SEATS)
    assert key.bids == 1 << GAME.number("1x3") - 2 | 1 << GAME.number("2x1") - 2
    assert keys.legal(key) == state.legal_actions()
    assert keys.key(state_of("1 opens 66 11 56 1x3 2x1"), SEATS) == key  # the dice of the others are not seen
    for text, seats in (
        ("1 opens 12 34 55 1x3 2x1", SEATS),
        ("1 opens 12 34 56 1x4 2x1", SEATS),
        ("2 opens 12 34 56 2x1", SEATS),
        ("3 opens 12 34 56 1x2 1x3 2x1", SEATS),
        (ROUND, (1, 0, 2)),
    ):
        assert keys.key(state_of(text), seats) != key


def test_who_hears_the_last_bid_alone():
    deaf = Keys(GAME, ListenerSettings(all_bids=False))
    key = deaf.key(state_of(ROUND), SEATS)
    assert key.bids == 1 << GAME.number("2x1") - 2
    for text in ("1 opens 12 34 56 1x4 2x1", "2 opens 12 34 56 2x1", "3 opens 12 34 56 1x2 1x3 2x1"):
        assert deaf.key(state_of(text), SEATS) == key
    assert deaf.key(state_of(ROUND), (1, 0, 2)) != key
    assert deaf.legal(key) == state_of(ROUND).legal_actions()


def test_who_does_not_know_the_opponents():
    """Their dice are told apart all the same: after the first round the first seat has one die less."""
    blind = Keys(GAME, ListenerSettings(who_is_who=False))
    assert blind.key(state_of(ROUND), SEATS) == blind.key(state_of(ROUND), (1, 0, 2))
    assert blind.key(state_of(ROUND), SEATS) != blind.key(state_of("1 opens 12 34 56 1x4 2x1"), SEATS)
    first, second = ((1, 2, 2), (0, 1, 2)), ((2, 1, 2), (0, 1, 2))
    assert blind.ring(*first) != blind.ring(*second)
    assert blind.ring(*first) == blind.ring((1, 2, 2), (1, 0, 2))


def test_a_duel_is_a_duel_wherever_the_empty_seat_is():
    keys = Keys(GAME, ListenerSettings())
    for who_is_who in (True, False):
        keys = Keys(GAME, ListenerSettings(who_is_who=who_is_who))
        assert keys.start((0, 1, 2), (1, 0, 2), 1) == keys.start((1, 0, 2), (0, 1, 2), 0)
        assert keys.start((0, 1, 2), (1, 0, 2), 1) != keys.start((0, 1, 2), (1, 0, 2), 2)


@pytest.mark.parametrize(
    "settings", [ListenerSettings(), ListenerSettings(all_bids=False), ListenerSettings(who_is_who=False)], ids=str
)
@pytest.mark.parametrize("game", [GAME, DUEL, WildOnes(4, 1)], ids=str)
def test_keys_are_different_where_what_is_known_is(game, settings):
    """Over random games: as many keys as there are descriptions of what the agent knows."""
    agent, keys, numbers = game.num_players - 1, Keys(game, settings), np.random.default_rng(4)
    known: dict[tuple, Key] = {}
    for _ in range(400):
        seats = numbers.permutation(game.num_players).tolist()
        own, state = seats.index(agent), game.initial_state()
        while not state.is_terminal() and state.counts[own]:
            if state.current_player == own:
                turns = [(own + step) % game.num_players for step in range(game.num_players)]
                ring = [(state.counts[seat], seats[seat] * settings.who_is_who) for seat in turns if state.counts[seat]]
                opener = [seat for seat in turns if state.counts[seat]].index(state.opener) * settings.all_bids
                bids = state.bids if settings.all_bids else state.bids[-1:]
                what = (tuple(ring), opener, state.rolls[own], bids)
                key = keys.key(state, seats)
                assert known.setdefault(what, key) == key
                assert keys.legal(key) == state.legal_actions()
                assert key.place < keys.places
                where, turn = keys.beginning(key)
                assert (keys.around(where), turn) == (((ring[0][0], agent), *ring[1:]), opener)
                assert keys.hand(key) == state.rolls[own]
                assert [game.action(number + 2) for number in keys.bids(key)] == sorted(
                    (f"{quantity}x{face}" for quantity, face in bids), key=game.number
                )
            moves = [move for move, _ in state.chance_outcomes()] or state.legal_actions()
            state = state.child(moves[numbers.integers(min(len(moves), 12))])
    assert len(set(known.values())) == len(known) > 300


def test_who_is_not_to_move_has_no_key():
    for text, seats in ((ROUND, (2, 0, 1)), ("1 opens 12", SEATS), (ROUND, (2, 2, 2))):
        with pytest.raises(ValueError, match=r"player 2, seated as \(\d, \d, \d\), is not to move after '1 opens"):
            Keys(GAME, ListenerSettings()).key(state_of(text), seats)


def test_a_game_that_is_too_large():
    with pytest.raises(ValueError, match="games of up to 10 dice, not 12"):
        Keys(WildOnes(3, 4), ListenerSettings())
    assert Keys(WildOnes(5, 2), ListenerSettings()).places < 1 << 32


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"all_bids": 1}, "all_bids must be true or false, not 1"),
        ({"who_is_who": None}, "who_is_who must be true or false, not None"),
        ({"curiosity": -0.1}, "curiosity must be at least 0.0, not -0.1"),
        ({"recency": float("nan")}, "recency must be a finite number"),
        ({"states": 0}, "states must be at least 1, not 0"),
        ({"states": 1.5}, "states must be a whole number"),
    ],
)
def test_settings_outside_their_range(changed, message):
    with pytest.raises(ValueError, match=message):
        ListenerSettings(**changed)


# Learning


def test_a_row_by_hand():
    row = Row([4, 0, 1, 4], [0.5, 0.0, 0.25, 0.5])
    assert row.best() == 0
    assert row.wanted(0.0) == 0
    # nine visits: 0.5 + 3c/5, 0.5 + 3c, 0.25 + 3c/2, 0.5 + 3c/5
    assert row.wanted(0.1) == 1
    assert Row([4, 1, 1, 3], [0.5, 0.0, 0.25, 0.5]).wanted(1.0) == 2  # 1.1, 1.5, 1.75, 1.25
    assert Row([0, 0], [0.0, 0.0]).wanted(1.0) == 0
    assert Row([0, 1], [0.0, 0.0]).best() == 1


def test_one_die_each_is_learned():
    """Against one who opens with 2x6 and else says liar."""
    game = WildOnes(2, 1)
    views = Views(game)
    entries = np.where(views.reached, game.number("liar"), -2).astype(np.int16)
    entries[:, :, :, 0][views.reached[:, :, :, 0]] = game.number("2x6")
    learner = FastListenerLearner(game, [entries], ListenerSettings(), 1)
    learner.train(200_000)
    learned = learner.learned()
    # 2x6 holds if both dice are ones or sixes. Who has a one outbids with 1x1, which holds and is called.
    for hand, best, value in (("1", "1x1", 1.0), ("6", "liar", 2 / 3), ("3", "liar", 1.0)):
        state = state_of(f"1 opens 5 {hand} 2x6", game)
        assert learned.choose(state, (0, 1)) == best
        assert known(learned, state, (0, 1))[best][0] == pytest.approx(value, abs=0.02)
    # Who opens bids its own face once, and is called: it wins.
    state = state_of("2 opens 5 4", game)
    assert learned.choose(state, (0, 1)) == "1x4"
    assert known(learned, state, (0, 1))["1x4"][0] == pytest.approx(1)
    assert start_value(learned, (1, 1), (0, 1), 1)[0] == pytest.approx(1, abs=1e-3)


def test_what_is_learned_comes_close_to_the_best_and_not_beyond():
    game, policies = WildOnes(3, 1), (SURVIVALIST, AGGRESSIVE)
    ceiling = float(Ceiling(game, [written(game, policy) for policy in policies], exact=False).win_probability)
    learner = compiled(game, policies, ListenerSettings(), 1)
    learner.train(300_000)
    games = 200_000
    share = (learner.evaluate(games, 2).places == 1).mean()
    noise = (ceiling * (1 - ceiling) / games) ** 0.5
    assert 0.5 < ceiling < 0.95
    assert ceiling - 0.01 < share < ceiling + 5 * noise


def test_duels_are_learned_perfectly():
    """Against either opponent alone, two dice each, nothing need ever be lost."""
    for policy in (SURVIVALIST, AGGRESSIVE):
        assert Ceiling(DUEL, [written(DUEL, policy)]).win_probability == 1
        learner = compiled(DUEL, (policy,), ListenerSettings(), 1)
        learner.train(200_000)
        assert (learner.evaluate(50_000, 2).places == 1).mean() > 0.99


def test_three_players():
    """The published agent wins 79.4 of 100 games."""
    learner = compiled(GAME, (SURVIVALIST, AGGRESSIVE), ListenerSettings(), 1)
    learner.train(300_000)
    found = learner.evaluate(50_000, 2)
    assert (found.places == 1).mean() > 0.9
    assert found.unmet < 0.05 * found.decisions


@pytest.mark.parametrize("states", range(1, 51))
def test_a_full_table(states):
    """It may be full in the middle of a round, with rows for decisions from which nothing was learned."""
    settings = ListenerSettings(states=states)
    slow = ListenerLearner(GAME, (SURVIVALIST, AGGRESSIVE), settings, SEED)
    said = rf"the table is full: after \d+ games it needs more than its {states} rows"
    with pytest.raises(TableFullError, match=said):
        slow.train(1000)
    fast = compiled(GAME, (SURVIVALIST, AGGRESSIVE), settings)
    with pytest.raises(TableFullError, match=said):
        fast.train(1000)
    assert fast.played == slow.played < 1000
    same(ListenerTable.of(slow), fast.learned())
    assert np.array_equal(fast.evaluate(20, 5).places, [place for place, _ in slow.evaluate(20, 5)])
    assert len(fast.worth().met) == fast.learned().states <= states


def test_not_one_table_an_opponent():
    with pytest.raises(ValueError, match="a game of 3 players needs 2 opponents, not 1"):
        compiled(GAME, (SURVIVALIST,), ListenerSettings())
    with pytest.raises(ValueError, match="a game of 3 players needs 2 opponents, not 1"):
        ListenerLearner(GAME, (SURVIVALIST,), ListenerSettings(), SEED)


# What was learned


def test_what_the_agent_thinks():
    """Of the first decision that is met most, and of one that was never met."""
    learned = taught().learned()
    state = state_of("3 opens 12 34 56")
    found = known(learned, state, SEATS)
    assert list(found) == list(state.legal_actions())
    tried = {action: value for action, (value, visits) in found.items() if visits}
    assert tried
    assert learned.choose(state, SEATS) == max(tried, key=tried.__getitem__)
    assert all(pair == (0.0, 0) for action, pair in found.items() if action not in tried)
    silly = state_of("3 opens 66 66 66 6x2 6x3 6x4")
    assert known(learned, silly, SEATS) is None
    assert learned.choose(silly, SEATS) == "liar"
    value, visits = start_value(learned, (2, 2, 2), SEATS, 2)
    assert 0 < value < 1
    assert visits > 1000
    nothing = taught.__wrapped__(0)
    assert not nothing.learned().starts.size
    assert (nothing._table.start_values == UNKNOWN).all()


def test_what_is_pruned_plays_the_same_games():
    learner = taught()
    found, worth = learner.evaluate(5000, 6), learner.worth()
    learned = learner.learned()
    small = learned.pruned(worth.met)
    assert small.states == worth.met.sum() < learned.states
    again = ListenerLearner(GAME, (SURVIVALIST, AGGRESSIVE), learned.settings, SEED)
    keys = map(Key, small.places.tolist(), small.bids.tolist())
    again.rows = {key: small.row(key) for key in keys}
    assert [place for place, _ in again.evaluate(500, 6)] == found.places[:500].tolist()
    for key, row in again.rows.items():
        assert row.best() == learned.row(key).best()
    assert np.count_nonzero(small.counts) == small.states
    with pytest.raises(ValueError, match="met must be bool"):
        learned.pruned(worth.met[1:])


# Files


def test_a_file_holds_all_of_it(tmp_path):
    learned = taught().learned()
    same(load(learned.save(tmp_path / "new" / "agent.npz")), learned)
    small = learned.pruned(taught().worth().met)
    assert small.save(tmp_path / "small.npz").stat().st_size < 200_000
    same(load(tmp_path / "small.npz"), small)
    nothing = compiled(GAME, (SURVIVALIST, AGGRESSIVE), ListenerSettings()).learned()
    same(load(nothing.save(tmp_path / "nothing.npz")), nothing)


def test_files_that_hold_no_table(tmp_path):
    path = taught().learned().save(tmp_path / "agent.npz")
    whole = path.read_bytes()
    for wrong, message in (
        (whole[: len(whole) // 2], "no npz file, or it was cut off"),
        (b"", "no npz file, or it was cut off"),
        (b"no table", "no npz file, or it was cut off"),
    ):
        path.write_bytes(wrong)
        with pytest.raises(TableFileError, match=f"agent.npz: this is {message}"):
            load(path)
    np.savez(path, other=np.zeros(3))
    with pytest.raises(TableFileError, match=r"agent.npz: this holds no table: about, places, .* is missing"):
        load(path)
    np.savez(path, about=np.array([object()]), **dict.fromkeys(ARRAYS, np.zeros(1)))
    with pytest.raises(TableFileError, match=r"agent.npz: .*allow_pickle=False"):
        load(path)
    np.savez(path, about=np.array('{"format": "something else"}'), **dict.fromkeys(ARRAYS, np.zeros(1)))
    with pytest.raises(TableFileError, match=r"agent\.npz: expected 'table of wild ones, 2', not 'something else'"):
        load(path)
    with pytest.raises(TableFileError, match=r"ends in \.npz"):
        load(tmp_path / "agent.bin")
    with pytest.raises(TableFileError, match=r"ends in \.npz"):
        taught().learned().save(tmp_path / "agent.bin")
    with pytest.raises(TableFileError, match=r"nowhere.npz: there is no such file"):
        load(tmp_path / "nowhere.npz")


def test_arrays_that_do_not_fit():
    learned = taught(300).learned()
    given = {field.name: getattr(learned, field.name) for field in fields(ListenerTable)}

    def changed(name, place, value):
        array = given[name].copy()
        array[place] = value
        return {name: array}

    widths, swapped = np.diff(learned.firsts), np.arange(learned.states)
    first = int(np.flatnonzero(widths[1:] == widths[:-1])[0])
    swapped[[first, first + 1]] = first + 1, first
    for change, message in (
        ({"places": learned.places.astype(np.int64)}, r"places must be uint32\["),
        ({"values": learned.values[1:]}, r"counts must be uint32\["),
        (changed("values", 0, np.nan), "some values are not finite"),
        (changed("starts", 0, -1), "starts must be numbers of beginnings"),
        (changed("starts", 0, 10**9), "starts must be in rising order"),
        (changed("firsts", 0, 1), "rows must begin at 0"),
        (changed("firsts", 1, 5), r"there is a row of 5 actions for Key\("),
        (changed("places", -1, 2**32 - 1), r"there is a row of \d+ actions for Key\("),
        ({name: given[name][swapped] for name in ("places", "bids")}, r"rows must be sorted, but Key\("),
        (changed("bids", -1, 2**63), r"there is a row of \d+ actions for Key\("),
        (changed("counts", slice(None), 0), "a row in which no action was taken"),
        ({"settings": replace(learned.settings, states=5)}, "rows, but the settings allow 5"),
    ):
        with pytest.raises(ValueError, match=message):
            ListenerTable(**{**given, **change})
