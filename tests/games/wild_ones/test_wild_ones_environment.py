"""Wild ones as an environment: the checks of PettingZoo and Gymnasium, the rules, and the rates of compiled play."""

import subprocess
import sys
import warnings
from fractions import Fraction
from functools import cache
from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper
from scipy.stats import chi2_contingency

from support.core.interface import CHANCE, IllegalActionError
from support.games.wild_ones.environment import WILD_ONES, WildOnesAEC, WildOnesEnv, env, fixed, raw_env, worth, written
from support.games.wild_ones.play_fast import play
from support.games.wild_ones.policies import Aggressive, Policy, Random, Survivalist, View, Views
from support.games.wild_ones.policies import table as write
from support.games.wild_ones.rules import EXACT, LIAR, WildOnes

GOLDEN = {
    24: (
        "2 opens > 25 > 35 > 14 > 2x3 > 5x2 > 5x5 > 5x1 > 6x1 > exact > 4 > 34 > 44 > 4x1 > exact > 4 > 6 > "
        "13 > 2x3 > 2x4 > 3x4 > 4x3 > 4x1 > exact > 5 > 35 > 1x3 > exact > 5 > 25 > 1x5 > 2x5 > 3x2 > 3x5 > "
        "exact > 4 > 3 > 1x5 > 2x4 > 1x1 > 2x1 > exact"
    ),
    40: (
        "2 opens > 15 > 35 > 16 > 3x4 > 4x5 > liar > 1 > 35 > 16 > 1x5 > 3x3 > 4x6 > liar > 5 > 13 > 3 > 2x1 "
        "> exact > 44 > 5 > 1x5 > exact > 55 > 16 > 3x6 > 4x4 > 3x1 > liar > 13 > 4 > 1x3 > 3x4 > 3x1 > exact"
        " > 2 > 1 > 1x5 > 2x5 > liar"
    ),
}
"""Games of random legal actions; together they take every path through the rules."""
SIZES = [(2, 1), (3, 2), (6, 1), (4, 6)]


@pytest.fixture(autouse=True)
def _two_warnings_of_the_checks():
    """An observation with a mask is a dict, of which PettingZoo's checks only know its own environments."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation is not a NumPy array|Observation space for each agent probably")
        yield


def legal_mask(state):
    """Which of the game's numbered actions the player to move may take."""
    legal = {state.game.number(action) for action in state.legal_actions()}
    return tuple(number in legal for number in range(state.game.num_actions))


def played(table, policies, seed=None):
    """Play a game with one policy an agent; the reward and the place that each was told at its end."""
    table.reset(seed=seed)
    told = {}
    for agent in table.agent_iter():
        seen, reward, terminated, truncated, info = table.last()
        assert not truncated
        if terminated:
            told[agent] = (reward, info["place"])
            table.step(None)
        else:
            state = table.unwrapped.current
            assert state.current_player == table.possible_agents.index(agent)
            assert tuple(seen["action_mask"]) == legal_mask(state)
            assert tuple(seen["observation"]) == state.observation()
            (action, *more) = policies[agent].choices(View.of(state))
            assert not more
            table.step(state.game.number(action))
    return told


def learner(env, policy, games, seed):
    """Let a policy play the learner's seat; counts of its places."""
    places = np.zeros(env.game.num_players + 1, int)
    _, info = env.reset(seed=seed)
    while places.sum() < games:
        taken = policy.choices(View.of(env.current))
        action = env.game.number(taken[0]) if len(taken) == 1 else env.action_space.sample(info["action_mask"])
        _, _, terminated, _, info = env.step(action)
        if terminated:
            places[info["place"]] += info["place"] > 0
            _, info = env.reset()
    return places[1:]


# The checks that others wrote


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize(("players", "dice"), SIZES)
def test_pettingzoo_finds_nothing(players, dice):
    api_test(env(num_players=players, dice=dice), num_cycles=60)
    seed_test(lambda: env(num_players=players, dice=dice, reward="place"), 60)


def test_pettingzoo_renders(capsys):
    render_test(env)
    first, second = env(render_mode="human"), env(render_mode="ansi")
    for one in (first, second):
        one.reset(seed=3)
        one.step(one.observe(one.agent_selection)["action_mask"].nonzero()[0][0])
    assert first.render() is None
    printed = capsys.readouterr().out
    assert " > ".join(printed.split("\n")[-3:-1]) == second.render() == str(second.unwrapped.current)
    assert WildOnes().parse(second.render()) == second.unwrapped.current


@pytest.mark.filterwarnings("ignore:.*Illegal move made")
def test_pettingzoo_can_end_a_game_at_an_illegal_action():
    wrapped = TerminateIllegalWrapper(raw_env(), illegal_reward=-1)
    api_test(wrapped, num_cycles=60)
    wrapped.reset(seed=1)
    agent = wrapped.agent_selection
    wrapped.step(0)
    assert wrapped.terminations[agent]
    assert wrapped.rewards[agent] == -1


@pytest.mark.filterwarnings("error::UserWarning")
@pytest.mark.parametrize("reward", ["win", "place", "published"])
@pytest.mark.parametrize("episode", ["game", "round"])
def test_gymnasium_finds_nothing(episode, reward):
    """The checker draws actions without looking at the mask."""
    made = gymnasium.make("WildOnes-v0", illegal="random", episode=episode, reward=reward)
    assert isinstance(made.unwrapped, WildOnesEnv)
    check_env(made.unwrapped)


def test_the_id_is_known_without_another_import():
    code = 'import gymnasium; print(gymnasium.make("support.games.wild_ones.environment:WildOnes-v0").unwrapped.game)'
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(WildOnes())
    assert gymnasium.spec(WILD_ONES).id == "WildOnes-v0"


def test_maskable_ppo_of_sb3_contrib_can_learn_on_it():
    ppo = pytest.importorskip("sb3_contrib").MaskablePPO
    from stable_baselines3.common.env_util import make_vec_env

    envs = make_vec_env(WildOnesEnv, 2, seed=1)
    model = ppo("MultiInputPolicy", envs, n_steps=32, batch_size=32, n_epochs=1, seed=1, device="cpu").learn(64)
    masks = np.stack(envs.env_method("action_masks"))
    chosen, _ = model.predict(envs.reset(), action_masks=np.stack(envs.env_method("action_masks")))
    assert masks.dtype == bool
    assert all(mask[number] for mask, number in zip(envs.env_method("action_masks"), chosen, strict=True))


# PettingZoo: all seats


@pytest.mark.parametrize(("players", "dice"), SIZES)
def test_a_game_follows_the_rules(players, dice):
    """Fixed policies play it; the notation says the same places as the rewards."""
    table = env(num_players=players, dice=dice, reward="place")
    policies = {agent: (Survivalist(), Aggressive())[seat % 2] for seat, agent in enumerate(table.possible_agents)}
    told = played(table, policies, seed=11)
    final = table.unwrapped.current
    assert final.is_terminal()
    assert final == final.game.parse(str(final))
    assert tuple(told[agent][1] for agent in table.possible_agents) == final.places()
    for reward, place in told.values():
        assert reward == worth(place, players, "place") == (players - place) / (players - 1)
    assert table.agents == []


def test_who_is_out_leaves_and_the_others_play_on():
    table = env(reward="win")
    table.reset(seed=2)
    seen_out = 0
    for agent in table.agent_iter():
        seen, reward, terminated, _, info = table.last()
        if terminated and len(table.agents) == 3:
            seen_out += 1
            assert (reward, info) == (0.0, {"place": 3})
            assert not seen["action_mask"].any()
            assert not seen["observation"][9:].any()
            assert not any(table.terminations[other] for other in table.agents if other != agent)
        table.step(None if terminated else table.action_space(agent).sample(seen["action_mask"]))
        assert terminated == (agent not in table.agents)
    assert seen_out == 1


def test_others_see_their_dice_and_may_do_nothing():
    table = env()
    table.reset(seed=4)
    state = table.unwrapped.current
    for seat, agent in enumerate(table.agents):
        seen = table.observe(agent)
        assert tuple(seen["observation"]) == state.observation(seat)
        assert seen["action_mask"].any() == (agent == table.agent_selection)


def test_the_winner_gets_one():
    for seed in range(5):
        told = played(
            env(num_players=4, dice=1), dict.fromkeys([f"player_{k}" for k in range(1, 5)], Survivalist()), seed
        )
        assert sorted(told.values()) == [(0.0, 2), (0.0, 3), (0.0, 4), (1.0, 1)]


def test_seeds_decide_everything():
    one, two = env(), env()
    policies = dict.fromkeys(one.possible_agents, Survivalist())
    games = []
    for table in (one, two):
        played(table, policies, 7)
        games.append([str(table.unwrapped.current)])
        played(table, policies)  # without a seed the generator goes on
        games[-1].append(str(table.unwrapped.current))
    assert games[0] == games[1]
    assert games[0][0] != games[0][1]
    np.random.seed(0)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    played(one, policies, 8)
    assert (np.random.get_state()[1] == before).all()  # noqa: NPY002


def test_an_illegal_action_is_named_and_changes_nothing():
    table = env()
    table.reset(seed=1)
    agent, before = table.agent_selection, table.unwrapped.current
    with pytest.raises(
        IllegalActionError, match=rf"{agent} took action 0: liar is not allowed by the opener: .* 1x1, 2"
    ):
        table.step(0)
    with pytest.raises(ValueError, match="actions are numbered from 0 to 37, not 38"):
        table.step(38)
    with pytest.raises(ValueError, match=f"{agent} is to move, and needs an action from 0 to 37, not None"):
        table.step(None)
    with pytest.raises(TypeError):
        table.step(2.0)
    assert table.unwrapped.current is before
    table.step(2)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"num_players": 7}, "num_players must be a whole number from 2 to 6, not 7"),
        ({"dice": 0}, "dice must be a whole number from 1 to 6, not 0"),
        ({"reward": "money"}, "reward must be one of win, place, not 'money'"),
        ({"render_mode": "ascii"}, "render_mode must be one of ansi, human, not 'ascii'"),
    ],
)
def test_settings_of_the_tableare_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        WildOnesAEC(**settings)


def test_agents_are_known_by_name():
    table = WildOnesAEC()
    table.reset(seed=1)
    with pytest.raises(ValueError, match="agent must be one of player_1, player_2, player_3, not 'player_0'"):
        table.observe("player_0")


# Gymnasium: one seat


@pytest.mark.parametrize("episode", ["game", "round"])
def test_the_mask_is_what_is_legal(episode):
    one = WildOnesEnv(episode=episode, opponents="survivalist+aggressive+random", dice=3)
    for seed in range(30):
        seen, info = one.reset(seed=seed)
        over = False
        while not over:
            state = one.current
            assert state.current_player == one.seat
            for mask in (seen["action_mask"], info["action_mask"], one.action_masks()):
                assert tuple(mask) == legal_mask(state)
            assert tuple(seen["observation"]) == state.observation()
            assert info["place"] == 0
            seen, _, over, truncated, info = one.step(one.action_space.sample(info["action_mask"]))
            assert truncated is False
        assert not seen["action_mask"].any()
        assert seen in one.observation_space


class Always(Policy):
    """Says liar whenever it may, and otherwise bids one of the highest face."""

    def choices(self, view):
        return (LIAR,) if view.last else ("1x6",)


def follow(text, one, seat, policies=None):
    """Put a state on the table, the learner in a seat."""
    one.reset(seed=0)
    one.current, one.seat = one.game.parse(text), seat
    one._policies = policies or [None if place == seat else Always() for place in range(one.game.num_players)]
    return one


@pytest.mark.parametrize(
    ("text", "seat", "action", "reward"),
    [
        ("1 opens > 12 > 34 > 55 > 2x5", 1, "liar", -2.0),  # there are three: the learner loses a die
        ("1 opens > 12 > 34 > 55 > 4x6", 1, "liar", 1.0),  # one one only
        ("1 opens > 12 > 34 > 55 > 3x5", 1, "exact", 2.0),
        ("1 opens > 12 > 34 > 55 > 2x5", 1, "exact", -2.0),
        ("1 opens > 12 > 34 > 55 > 2x5", 1, "3x5", 1.0),  # challenged, and holds
        ("1 opens > 12 > 34 > 55 > 2x5", 1, "4x5", -2.0),  # challenged, and does not
    ],
)
def test_the_published_rewards(text, seat, action, reward):
    one = follow(text, WildOnesEnv(reward="published", episode="round"), seat)
    _, got, over, _, info = one.step(one.game.number(action))
    assert (got, over, info["place"]) == (reward, True, 0)


def test_a_round_that_ends_between_two_others_gives_nothing():
    class Scripted(Policy):
        def choices(self, view):
            return ("4x6",) if view.last == (1, 2) else (LIAR,)

    text = "1 opens > 12 > 34 > 55"
    one = follow(text, WildOnesEnv(reward="published", episode="round"), 0, [None, Scripted(), Scripted()])
    _, got, over, _, _ = one.step(one.game.number("1x2"))
    assert (got, over) == (0.0, True)
    assert one.current.counts == (2, 1, 2)

    class Exact(Policy):
        def choices(self, view):
            return (EXACT,)

    one = follow(text, WildOnesEnv(reward="published", episode="round"), 0, [None, Exact(), Exact()])
    _, got, over, _, _ = one.step(one.game.number("3x5"))
    assert (got, over) == (-0.5, True)


def test_who_is_out_has_its_place():
    """The learner's last die goes while two others play on; with two players left the winner is told as well."""
    text = "1 opens > 12 > 34 > 55 > 4x5 > liar"  # player 1 is down to one die and opens
    for reward, worth_last in (("win", 0.0), ("place", 0.0), ("published", -2.0)):
        one = follow(f"{text} > 2 > 34 > 55", WildOnesEnv(reward=reward), 0)
        _, got, over, _, info = one.step(one.game.number("5x6"))
        assert (got, over, info["place"]) == (worth_last, True, 3)
        with pytest.raises(gymnasium.error.ResetNeeded, match="no episode is under way"):
            one.step(2)
        one.reset()
        assert one.current.total >= 5  # a new game
    one = follow("1 opens > 2 > 3 > 2x4", WildOnesEnv("random", dice=1), 1)
    _, got, over, _, info = one.step(0)
    assert (got, over, info["place"]) == (1.0, True, 1)


def test_an_exact_that_is_right_wins_a_die_back():
    text = "1 opens > 12 > 34 > 55 > 4x5 > liar > 2 > 34 > 55 > 1x3 > 1x4 > 2x5"
    one = follow(text, WildOnesEnv(reward="published", episode="round"), 0)
    _, got, over, _, _ = one.step(1)
    assert (got, over) == (2.0, True)
    assert one.current.counts == (2, 2, 2)
    one.reset()
    assert str(one.current).startswith(f"{text} > exact > ")  # the same game goes on


def test_rounds_of_one_game_are_episodes():
    """Together they are whole games; a seed, or a reset within a round, begins a new one."""
    one = WildOnesEnv(episode="round")
    _, info = one.reset(seed=5)
    games = episodes = 0
    while games < 20:
        _, reward, over, _, info = one.step(one.action_space.sample(info["action_mask"]))
        if over:
            before, place = one.current.past, info["place"]
            assert before[-1] in (LIAR, EXACT)
            assert reward == float(place == 1)
            _, info = one.reset()
            assert (one.current.past[: len(before)] == before) == (place == 0)
            episodes, games = episodes + 1, games + (place > 0)
    assert episodes > 30
    one.reset(seed=5)
    past = one.current.past
    one.reset()
    assert one.current.past != past
    one.reset(seed=5)
    assert one.current.past == past


def test_illegal_actions_of_the_learner():
    one = WildOnesEnv()
    while True:
        _, info = one.reset()
        if not info["action_mask"][0]:
            break
    before = one.current
    with pytest.raises(IllegalActionError, match="the learner took action 0: liar is not allowed by the opener"):
        one.step(0)
    for action in (38, -1):
        with pytest.raises(ValueError, match=f"actions are numbered from 0 to 37, not {action}"):
            one.step(action)
    assert one.current is before
    one.illegal = "random"
    assert one.step(0)[-1]["illegal"]
    with pytest.raises(ValueError, match="actions are numbered"):
        one.step(38)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"opponents": "survivalist+bluffer"},
            "an opponent must be one of survivalist, aggressive, random, not 'bluffer'",
        ),
        ({"opponents": [Survivalist(), 3]}, "an opponent must be one of survivalist, aggressive, random, not 3"),
        ({"opponents": []}, "num_players must be a whole number from 2 to 6, not 1"),
        ({"dice": 7}, "dice must be a whole number from 1 to 6, not 7"),
        ({"episode": "match"}, "episode must be one of game, round, not 'match'"),
        ({"reward": "money"}, "reward must be one of win, place, published, not 'money'"),
        ({"illegal": "ignore"}, "illegal must be one of error, random, not 'ignore'"),
    ],
)
def test_settings_of_the_seat_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        WildOnesEnv(**settings)


def test_rendering_one_seat():
    one = gymnasium.make("WildOnes-v0", render_mode="ansi")
    one.reset(seed=1)
    assert WildOnes().parse(one.render()) == one.unwrapped.current
    with pytest.warns(UserWarning, match="nothing is rendered in the mode rgb_array"):
        assert WildOnesEnv(render_mode="rgb_array").render() is None


def test_opponents_may_be_policies_of_your_own():
    assert WildOnesEnv([Aggressive(), "random"]).opponents == (Aggressive(), Random())
    places = learner(WildOnesEnv([Aggressive(Fraction(1, 3)), "random"]), Survivalist(), 20, seed=1)
    assert places.sum() == 20


@pytest.mark.parametrize("game", [WildOnes(), WildOnes(2, 1), WildOnes(4, 1)], ids=str)
def test_an_algorithm_can_be_written_out(game):
    """The last legal action, by number; then the seat plays like the policy that it was written out as."""

    def choose(seen):
        assert all(row.sum() > 0 for row in seen["action_mask"])
        assert seen["observation"].shape == (len(seen["action_mask"]), 15)
        return [mask.nonzero()[0][-1] for mask in seen["action_mask"]]

    policy = written(game, choose)
    for view in Views(game, neighbours=True):
        assert policy.choices(view) == (max(view.legal(), key=game.number),)
    opponents = ["survivalist", *["random"] * (game.num_players - 2)]
    one = WildOnesEnv(opponents, game.dice)
    seen, _ = one.reset(seed=1)
    for _ in range(50):
        action = int(seen["action_mask"].nonzero()[0][-1])
        assert policy.choices(View.of(one.current)) == (game.action(action),)
        seen, _, over, _, _ = one.step(action)
        if over:
            seen, _ = one.reset()


def test_an_algorithm_that_looks_at_no_mask_is_found_out():
    with pytest.raises(IllegalActionError, match=r"the algorithm plays liar at View.*; legal are 1x1, 2x1"):
        written(WildOnes(), lambda seen: np.zeros(len(seen["observation"]), int))


# Rules and rates


def paths(final):
    """What happened at the end of each round of a finished game."""
    found = set()
    for before, after in pairwise(final.game.states(str(final))):
        if before.current_player == CHANCE or after.past[-1] not in (LIAR, EXACT):
            continue
        player, change = before.outcome(after.past[-1])
        caller = player == before.current_player
        if change > 0:
            found.add("exact, and a die back" if after.total > before.total else "exact, with all dice")
        else:
            found.add(f"{after.past[-1]}, {'the challenger loses' if caller else 'the bidder loses'}")
            if player in after.out:
                found.add("the challenger is out" if caller else "the bidder is out")
    return found


EVERY_PATH = {
    "exact, and a die back",
    "exact, with all dice",
    "exact, the challenger loses",
    "liar, the challenger loses",
    "liar, the bidder loses",
    "the challenger is out",
    "the bidder is out",
}


def random_game(table, seed):
    """A game of random legal actions; returns the finished state."""
    table.reset(seed=seed)
    numbers = np.random.default_rng(seed)
    for _ in table.agent_iter():
        seen, _, terminated, _, _ = table.last()
        table.step(None if terminated else numbers.choice(seen["action_mask"].nonzero()[0]))
    return table.unwrapped.current


@pytest.mark.parametrize("seed", GOLDEN)
def test_golden_games(seed):
    """To the letter: dice, turns and the order in which numbers are drawn."""
    assert str(random_game(env(), seed)) == GOLDEN[seed]


def test_they_take_every_path():
    assert set().union(*(paths(WildOnes().parse(game)) for game in GOLDEN.values())) == EVERY_PATH


@cache
def compiled_places(names, learner):
    """int[places]: how often the learner comes in at each, in compiled play."""
    game = WildOnes(len(names) + 1)
    policies = (
        learner,
        *({"survivalist": Survivalist(), "aggressive": Aggressive(), "random": Random()}[n] for n in names),
    )
    places = play(game, [write(Views(game), policy) for policy in policies], 200_000, 1).places[:, 0]
    return np.bincount(places, minlength=game.num_players + 1)[1:]


def same_rates(counts, other):
    return chi2_contingency(np.array([counts, other])[:, np.add(counts, other) > 0]).pvalue


@pytest.mark.parametrize("episode", ["game", "round"])
@pytest.mark.parametrize("policy", [Survivalist(), Random()], ids=["survivalist", "random"])
def test_the_rates_of_compiled_play_in_one_seat(policy, episode):
    names = ("survivalist", "aggressive")
    found = learner(WildOnesEnv("+".join(names), episode=episode), policy, 700, seed=17)
    assert same_rates(found, compiled_places(names, policy)) > 1e-3


def test_the_rates_of_compiled_play_in_all_seats():
    """Agents keep their seats, so the policies change theirs."""
    numbers, policies, places = np.random.default_rng(1), [Survivalist(), Survivalist(), Aggressive()], np.zeros(3, int)
    table = env(reward="place")
    table.reset(seed=2)
    for _ in range(500):
        order = numbers.permutation(3)
        told = played(table, {f"player_{seat + 1}": policies[player] for seat, player in enumerate(order)})
        places[told[f"player_{list(order).index(2) + 1}"][1] - 1] += 1
    assert same_rates(places, compiled_places(("survivalist", "survivalist"), Aggressive())) > 1e-3


@pytest.mark.parametrize(("players", "dice"), [(2, 1), (3, 2), (5, 3)])
def test_a_fixed_opponent_plays_in_the_cycle_as_its_policy_does(players, dice):
    names = ["survivalist", "aggressive", "random", Aggressive(), "survivalist"][:players]
    table = env(num_players=players, dice=dice)
    acts = {f"player_{k}": fixed(table.unwrapped.game, name, seed=k) for k, name in enumerate(names, 1)}
    kinds = [{"survivalist": Survivalist(), "aggressive": Aggressive(), "random": Random()}.get(n, n) for n in names]
    turns = 0
    for seed in range(5):
        table.reset(seed=seed)
        for agent in table.agent_iter():
            seen, _, terminated, _, _ = table.last()
            action = None if terminated else acts[agent](seen)
            if not terminated:
                state = table.unwrapped.current
                assert table.unwrapped.game.action(action) in kinds[state.current_player].choices(View.of(state))
                turns += 1
            table.step(action)
    assert turns > 10


def test_a_fixed_opponent_draws_from_its_seed_and_has_a_name_that_is_known():
    table = env()
    table.reset(seed=1)
    seen, *_ = table.last()

    def drawn(seed):
        act = fixed(table.unwrapped.game, "random", seed)
        return [act(seen) for _ in range(50)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert set(drawn(3)) <= {*np.flatnonzero(seen["action_mask"])}
    with pytest.raises(ValueError, match="an opponent must be one of survivalist, aggressive, random, not 'bold'"):
        fixed(table.unwrapped.game, "bold")
